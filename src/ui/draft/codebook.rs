//! Describes columns by a codebook, or by a saved plan that is used as one.

use super::columns::{ColumnDraft, describe};
use super::patterns::claims;
use super::typed::unlist;
use crate::data::codebook::{Entry, find};
use crate::data::dates::{is_date, orders};
use crate::plan::Plan;
use crate::plan::document::ColumnType;
use crate::plan::number_format::NumberFormat;
use crate::words;

/// What a codebook has filled, by names of columns.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filled {
    /// Columns that it describes.
    pub described: Vec<String>,
    /// Those of them to which it gives no type: dates and free text.
    pub untyped: Vec<String>,
    /// Those of them that are numbers without both bounds.
    pub unbounded: Vec<String>,
    /// Columns that it does not name.
    pub unknown: Vec<String>,
}

impl Filled {
    fn add(&mut self, column: &ColumnDraft, described: bool) {
        let name = || column.name.clone();
        if !described {
            return self.unknown.push(name());
        }
        self.described.push(name());
        let empty = |bound: &str| bound.trim().is_empty();
        match column.kind {
            None => self.untyped.push(name()),
            Some(ColumnType::Number) if empty(&column.lower) || empty(&column.upper) => {
                self.unbounded.push(name());
            }
            Some(_) => {}
        }
    }
}

/// Describes the columns that the codebook names. What it does not say stays as it is; roles stay always. `cells` has the shown cells
/// of a column that are not missing: by them the levels are codes or labels.
pub fn fill(columns: &mut [ColumnDraft], book: &[Entry], cells: impl Fn(usize) -> Vec<String>) -> Filled {
    let mut filled = Filled::default();
    for (place, column) in columns.iter_mut().enumerate() {
        let entry = find(book, &column.name);
        if let Some(entry) = entry {
            write(column, entry, &cells(place));
        }
        filled.add(column, entry.is_some());
    }
    filled
}

fn write(column: &mut ColumnDraft, entry: &Entry, cells: &[String]) {
    let text = |from: &str, to: &mut String| {
        if !from.is_empty() {
            from.clone_into(to);
        }
    };
    text(&entry.label, &mut column.label);
    text(&unlist(&entry.missing), &mut column.na);
    // A date counts as years where the cells can be read in one order alone, or it does already.
    let format = match orders(cells.iter().map(String::as_str)).as_slice() {
        [order] if cells.iter().any(|cell| is_date(cell)) => Some(NumberFormat::years(*order)),
        _ => column.written.filter(|written| written.date.is_some()),
    };
    match entry.kind {
        None if entry.date && format.is_some() => {
            column.kind = Some(ColumnType::Number);
            column.written = format;
            text(words::contradiction::year(), &mut column.unit);
            write_bounds(column, entry);
        }
        // The cells of free text suggest a type that the codebook does not give.
        None => column.kind = None,
        Some(ColumnType::Number) => {
            column.kind = Some(ColumnType::Number);
            write_bounds(column, entry);
            text(&entry.unit, &mut column.unit);
            if entry.integer {
                column.integer = Some(true);
            }
        }
        Some(ColumnType::Category) => {
            column.kind = Some(ColumnType::Category);
            let levels = entry.levels_as_in(cells.iter().map(String::as_str));
            text(&unlist(&levels), &mut column.levels);
            column.labels = entry.labels_of(&levels);
            if !levels.contains(&column.reference) {
                column.reference.clear();
            }
        }
    }
}

fn write_bounds(column: &mut ColumnDraft, entry: &Entry) {
    for (bound, typed) in [(entry.lower, &mut column.lower), (entry.upper, &mut column.upper)] {
        if let Some(bound) = bound {
            *typed = bound.to_string();
            column.estimate = false;
            column.note.clear();
        }
    }
}

/// Describes the columns that the plan names as it does, but for their roles.
pub fn fill_from_plan(columns: &mut [ColumnDraft], plan: &Plan) -> Filled {
    let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
    let mut named = vec![false; columns.len()];
    for (entry, rows) in plan.columns.iter().zip(claims(&plan.columns, &names, "")) {
        for row in rows {
            let (Some(column), Some(named)) = (columns.get_mut(row), named.get_mut(row)) else { continue };
            let role = column.role;
            describe(column, entry);
            column.role = role;
            *named = true;
        }
    }
    let mut filled = Filled::default();
    for (column, named) in columns.iter().zip(named) {
        filled.add(column, named);
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::codebook::read;
    use crate::model::Role;
    use crate::plan::number_format::DateOrder;
    use crate::ui::draft::{Setup, budget, plan};

    const BOOK: &str = "name,label,type,unit,values,min,max,missing\nage,Age,integer,years,,18,110\nsex,Sex,category,,\"1=Male; 2=Female\",,\n\
        when,Admission,date,,,,\nbmi,Body mass index,number,kg/m2,,,,\"-98, -99=Refused\"\nabsent,Not there,number,,,0,1\n";

    fn columns() -> Vec<ColumnDraft> {
        ["age", "Sex", "when", "bmi", "id"]
            .map(|name| ColumnDraft {
                name: name.to_owned(),
                kind: Some(ColumnType::Number),
                ..ColumnDraft::default()
            })
            .to_vec()
    }

    #[test]
    fn a_codebook_fills_what_it_says_and_no_more() {
        let mut columns = columns();
        (columns[3].lower, columns[3].upper) = ("10".to_owned(), String::new());
        columns[0].role = Role::Outcome;
        let cells = |place: usize| if place == 1 { vec!["Female".to_owned()] } else { Vec::new() };
        let filled = fill(&mut columns, &read(BOOK.as_bytes()).unwrap(), cells);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(
            filled,
            Filled {
                described: names(&["age", "Sex", "when", "bmi"]),
                untyped: names(&["when"]),
                unbounded: names(&["bmi"]),
                unknown: names(&["id"]),
            }
        );
        let [age, sex, when, bmi, id] = columns.as_slice() else { panic!() };
        assert_eq!((age.lower.as_str(), age.upper.as_str(), age.unit.as_str()), ("18", "110", "years"));
        assert_eq!((age.role, age.integer, age.label.as_str()), (Role::Outcome, Some(true), "Age"));
        assert_eq!((sex.kind, sex.levels.as_str()), (Some(ColumnType::Category), "Male, Female"));
        assert_eq!(when.kind, None);
        assert_eq!((bmi.lower.as_str(), bmi.unit.as_str(), bmi.na.as_str()), ("10", "kg/m2", "-98, -99"));
        assert_eq!(
            *id,
            ColumnDraft { name: "id".to_owned(), kind: Some(ColumnType::Number), ..ColumnDraft::default() }
        );
    }

    #[test]
    fn a_date_counts_as_years_where_its_cells_have_one_order() {
        let book = "name,type,min\nwhen,date,2015-01-01\n";
        let filled = |cells: &[&str]| {
            let mut columns = columns();
            let cells = |place: usize| match place {
                2 => cells.iter().map(|cell| (*cell).to_owned()).collect(),
                _ => Vec::new(),
            };
            let filled = fill(&mut columns, &read(book.as_bytes()).unwrap(), cells);
            (columns.remove(2), filled.untyped.len())
        };
        let (when, untyped) = filled(&["03.02.2019", "14.02.2019"]);
        assert_eq!((when.kind, untyped), (Some(ColumnType::Number), 0));
        assert_eq!(when.written, Some(NumberFormat::years(DateOrder::DayMonthYear)));
        assert_eq!((when.lower.as_str(), when.upper.as_str(), when.unit.as_str()), ("2015", "", "year"));
        let (when, untyped) = filled(&["03.02.2019", "04.02.2019"]);
        assert_eq!((when.kind, when.written, untyped), (None, None, 1), "either number may be the month");
    }

    #[test]
    fn a_plan_is_a_codebook_for_the_columns_that_it_names() {
        let mut described = columns();
        let _ = fill(&mut described, &read(BOOK.as_bytes()).unwrap(), |_| Vec::new());
        (described[0].role, described[1].role) = (Role::Outcome, Role::Feature);
        let setup = Setup { rows: "1000".to_owned(), ..Setup::default() };
        let plan = plan(&described, &setup, budget(&setup)).unwrap();
        let mut other = columns();
        other.remove(3);
        other[2].role = Role::Feature;
        let filled = fill_from_plan(&mut other, &plan);
        assert_eq!((filled.described, filled.unknown.len()), (vec!["age".to_owned(), "Sex".to_owned()], 2));
        assert_eq!((other[1].levels.as_str(), other[1].role), ("1, 2", Role::Ignored));
        assert_eq!((other[0].upper.as_str(), other[0].label.as_str()), ("110", "Age"));
        assert_eq!(other[2].role, Role::Feature);
    }
}
