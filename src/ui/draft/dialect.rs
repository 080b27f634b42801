//! How a file is written: delimiter, numbers, encoding and the marks of missing cells.

use super::setup::Setup;
use super::typed::{list, unlist};
use crate::data::header::HeaderRules;
use crate::plan::bound::{CsvRules, Encoding};
use crate::plan::document::{Csv, Plan, Written};
use crate::plan::kinds::DEFAULT_NA;
use crate::plan::number_format::NumberFormat;

/// The encoding of older Windows files, as a plan names it.
pub const LATIN_1: &str = "latin-1";

/// Returns a new setup that reads a table as the plan does.
pub fn dialect(plan: &Plan) -> Setup {
    let csv = plan.csv.clone().unwrap_or_default();
    let defaults = Setup::default();
    let numbers =
        Written { decimal: csv.decimal, thousands: csv.thousands, percent: csv.percent, date: None };
    Setup {
        delimiter: csv.delimiter.unwrap_or_default(),
        numbers: format(&numbers),
        encoding: csv.encoding.unwrap_or(defaults.encoding),
        na: csv.na.map(|na| unlist(&na.into_iter().filter(|mark| !mark.is_empty()).collect::<Vec<_>>())),
        header: csv.header,
        ..Setup::default()
    }
}

/// Returns the number format that a plan states.
pub(super) fn format(written: &Written) -> NumberFormat {
    NumberFormat {
        decimal: written.decimal.as_ref().and_then(|mark| mark.bytes().next()).unwrap_or(b'.'),
        thousands: written.thousands,
        percent: written.percent.unwrap_or(false),
        date: written.date,
    }
}

/// Writes as a plan does how the file is written. `None` if all is usual.
pub(super) fn csv(setup: &Setup) -> Option<Csv> {
    let Written { decimal, thousands, percent, .. } = setup.numbers.into();
    let csv = Csv {
        delimiter: Some(setup.delimiter.clone()).filter(|text| !text.is_empty()),
        decimal,
        thousands,
        percent,
        encoding: Some(setup.encoding.clone()).filter(|text| text != "utf-8"),
        // An empty cell always counts as missing here; the field lists the other marks.
        na: setup.na.as_deref().map(|text| std::iter::once(String::new()).chain(list(text)).collect()),
        header: setup.header,
    };
    Some(csv).filter(|csv| *csv != Csv::default())
}

/// Returns how the header is read.
pub fn header_rules(setup: &Setup) -> HeaderRules {
    HeaderRules {
        delimiter: setup.delimiter.bytes().next(),
        encoding: encoding(setup),
        line: setup.header.unwrap_or(1),
    }
}

/// Lists the marks of missing cells except the empty one, which always counts as missing.
pub fn missing_marks(setup: &Setup) -> Vec<String> {
    match &setup.na {
        None => DEFAULT_NA.iter().filter(|mark| !mark.is_empty()).map(|mark| (*mark).to_owned()).collect(),
        Some(text) => list(text),
    }
}

/// Returns how cells are read, where fields end with `delimiter`.
pub fn csv_rules(setup: &Setup, delimiter: u8) -> CsvRules {
    let na = std::iter::once(String::new()).chain(missing_marks(setup)).collect();
    let encoding = encoding(setup);
    CsvRules { delimiter, numbers: setup.numbers, by_field: Vec::new(), encoding, na }
}

fn encoding(setup: &Setup) -> Encoding {
    if setup.encoding == LATIN_1 { Encoding::Latin1 } else { Encoding::Utf8 }
}
