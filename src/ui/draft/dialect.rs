//! How a file is written: delimiter, numbers, encoding and the marks of missing cells.

use super::setup::Setup;
use super::typed::{list, unlist};
use crate::data::header::HeaderRules;
use crate::plan::bound::{CsvRules, Encoding};
use crate::plan::document::{Csv, Plan};
use crate::plan::kinds::DEFAULT_NA;
use crate::plan::number_format::NumberFormat;

/// A new setup that reads a table as the plan does.
#[must_use]
pub fn dialect(plan: &Plan) -> Setup {
    let csv = plan.csv.clone().unwrap_or_default();
    let defaults = Setup::default();
    Setup {
        delimiter: csv.delimiter.unwrap_or_default(),
        numbers: NumberFormat {
            decimal: csv.decimal.and_then(|mark| mark.bytes().next()).unwrap_or(defaults.numbers.decimal),
            thousands: csv.thousands,
            percent: csv.percent.unwrap_or(false),
        },
        encoding: csv.encoding.unwrap_or(defaults.encoding),
        na: csv.na.map(|na| unlist(&na.into_iter().filter(|mark| !mark.is_empty()).collect::<Vec<_>>())),
        header: csv.header,
        ..Setup::default()
    }
}

/// The same as a plan writes it; nothing where all is usual.
pub(super) fn csv(setup: &Setup) -> Option<Csv> {
    let NumberFormat { decimal, thousands, percent } = setup.numbers;
    let csv = Csv {
        delimiter: Some(setup.delimiter.clone()).filter(|text| !text.is_empty()),
        decimal: (decimal != b'.').then(|| char::from(decimal).to_string()),
        thousands,
        percent: percent.then_some(true),
        encoding: Some(setup.encoding.clone()).filter(|text| text != "utf-8"),
        // An empty cell always counts as missing here; the field lists the other marks.
        na: setup.na.as_deref().map(|text| std::iter::once(String::new()).chain(list(text)).collect()),
        header: setup.header,
    };
    Some(csv).filter(|csv| *csv != Csv::default())
}

/// How the header is read.
#[must_use]
pub fn header_rules(setup: &Setup) -> HeaderRules {
    HeaderRules {
        delimiter: setup.delimiter.bytes().next(),
        encoding: encoding(setup),
        line: setup.header.unwrap_or(1),
    }
}

/// The marks of missing cells but the empty one, which always counts as missing.
#[must_use]
pub fn missing_marks(setup: &Setup) -> Vec<String> {
    match &setup.na {
        None => DEFAULT_NA.iter().filter(|mark| !mark.is_empty()).map(|mark| (*mark).to_owned()).collect(),
        Some(text) => list(text),
    }
}

/// How cells are read, where fields end with `delimiter`.
#[must_use]
pub fn csv_rules(setup: &Setup, delimiter: u8) -> CsvRules {
    let na = std::iter::once(String::new()).chain(missing_marks(setup)).collect();
    let encoding = encoding(setup);
    CsvRules { delimiter, numbers: setup.numbers, encoding, na }
}

fn encoding(setup: &Setup) -> Encoding {
    if setup.encoding == "latin-1" { Encoding::Latin1 } else { Encoding::Utf8 }
}
