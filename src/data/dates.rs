//! Recognises dates by their form, so that a person is told that they are no numbers. No date is read.

/// Returns whether a text has the form of a date: a year with two other numbers between `-`, `/` or `.`, or two numbers with a year at the
/// end, and a time of day after it, if there is one.
pub fn is_date(text: &str) -> bool {
    let day = text.trim().split([' ', 'T']).next().unwrap_or_default();
    ['-', '/', '.'].into_iter().any(|mark| is_day(day, mark))
}

fn is_day(text: &str, mark: char) -> bool {
    let parts: Vec<&str> = text.split(mark).collect();
    let number =
        |text: &str| text.parse::<u16>().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()));
    let Some(numbers) = parts.iter().map(|part| number(part)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let small = |range: &[u16]| range.iter().all(|number| (1..=31).contains(number));
    match (parts.as_slice(), numbers.as_slice()) {
        ([year, _, _], [_, rest @ ..]) if year.len() == 4 => small(rest),
        ([_, _, year], [rest @ .., _]) if matches!(year.len(), 2 | 4) => small(rest),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::is_date;

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
}
