//! Recognises dates by their form, and reads them as years where a plan says so.

use crate::plan::number_format::DateOrder;

/// Returns whether a text has the form of a date: a year with two other numbers between `-`, `/` or `.`, or two numbers with a year at the
/// end, and a time of day after it, if there is one.
pub fn is_date(text: &str) -> bool {
    let small = |number: &u16| (1..=31).contains(number);
    parts(text).is_some_and(|[first, second, third]| match (first, second, third) {
        ((_, 4), (month, _), (day, _)) => small(&month) && small(&day),
        ((first, _), (second, _), (_, 2 | 4)) => small(&first) && small(&second),
        _ => false,
    })
}

/// Returns the three numbers of a date, each with its number of digits.
fn parts(text: &str) -> Option<[(u16, usize); 3]> {
    let day = text.trim().split([' ', 'T']).next().unwrap_or_default();
    let number = |part: &str| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse::<u16>().ok().filter(|_| is_number).map(|number| (number, part.len()))
    };
    ['-', '/', '.'].into_iter().find_map(|mark| {
        let mut parts = day.split(mark).map(number);
        let found = [parts.next()??, parts.next()??, parts.next()??];
        parts.next().is_none().then_some(found)
    })
}

/// Returns a date in this order as years, `None` if there is no such day or its year does not have four digits. One that begins with its
/// year is read as that in every order: a workbook has its dates so, whatever it shows. A day counts by its place in its year, so 1 January
/// is the year itself; the time of day does not count.
pub fn years(text: &str, order: DateOrder) -> Option<f64> {
    let [first, second, third] = parts(text)?;
    let order = if first.1 == 4 { DateOrder::YearMonthDay } else { order };
    let ((year, digits), (month, _), (day, _)) = match order {
        DateOrder::YearMonthDay => (first, second, third),
        DateOrder::DayMonthYear => (third, second, first),
        DateOrder::MonthDayYear => (third, first, second),
    };
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let months = [31, if is_leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let before = months.get(..usize::from(month).checked_sub(1)?)?;
    let days = *months.get(before.len())?;
    let place = day.checked_sub(1).filter(|_| digits == 4 && day <= days)?;
    let place = before.iter().sum::<u16>() + place;
    Some(f64::from(year) + f64::from(place) / f64::from(months.iter().sum::<u16>()))
}

/// Returns the orders in which all dates among these cells are days: that of the year alone where they all begin with it.
pub fn orders<'a>(cells: impl Iterator<Item = &'a str> + Clone) -> Vec<DateOrder> {
    let dates = cells.filter(|cell| is_date(cell));
    let fits = |order: &DateOrder| dates.clone().all(|cell| years(cell, *order).is_some());
    let mut orders: Vec<DateOrder> = DateOrder::ALL.into_iter().filter(fits).collect();
    if orders.first() == Some(&DateOrder::YearMonthDay) {
        orders.truncate(1);
    }
    orders
}

#[cfg(test)]
mod tests {
    use super::{DateOrder, is_date, years};

    #[test]
    fn dates_are_told_from_numbers() {
        for text in
            ["2019-03-12", "12.03.2019", "3/12/19", "2019-03-12 08:15", "2019-03-12T08:15:00Z", "1.2.2020"]
        {
            assert!(is_date(text), "{text}");
        }
        for text in ["", "12", "1.5", "2019", "1.2.3", "40.12.2019", "a-b-c", "-1-2", "10-20", "1,2,2019"] {
            assert!(!is_date(text), "{text}");
        }
    }

    #[test]
    fn a_date_is_its_place_in_its_year() {
        let [year_first, day_first, month_first] = DateOrder::ALL;
        for (text, order, expected) in [
            ("2019-01-01", year_first, 2019.0_f64),
            ("2019-12-31", year_first, 2019.0 + 364.0 / 365.0),
            ("2020/12/31 23:59", year_first, 2020.0 + 365.0 / 366.0),
            (" 01.03.1900", day_first, 1900.0 + 59.0 / 365.0),
            ("29.2.2000", day_first, 2000.0 + 59.0 / 366.0),
            ("3/1/2001", month_first, 2001.0 + 59.0 / 365.0),
            ("2001-03-01T13:19:00", day_first, 2001.0 + 59.0 / 365.0),
        ] {
            assert_eq!(years(text, order).map(f64::to_bits), Some(expected.to_bits()), "{text}");
        }
        for (text, order) in [
            ("", year_first),
            ("2019", year_first),
            ("2019-02-29", year_first),
            ("1900-02-29", year_first),
            ("2019-13-01", year_first),
            ("2019-00-10", year_first),
            ("2019-01-00", year_first),
            ("12.03.2019", year_first),
            ("12.03.19", day_first),
            ("03/13/2019", day_first),
            ("13/03/2019", month_first),
            ("1-1-1-2019", day_first),
        ] {
            assert_eq!(years(text, order), None, "{text}");
        }
    }
}
