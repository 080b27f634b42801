//! Reads the cells of a record, and computes derived values from them.

use super::csv::Record;
use super::number;
use crate::plan::bound::{CsvRules, Source};
use crate::plan::expression::{Expression, Leaf, LevelCodes};
use crate::plan::number_format::NumberFormat;
use crate::privacy::mutants::{Mutant, is_active};

/// How cells are read.
#[derive(Clone, Debug)]
pub(super) struct Cells {
    /// Cells that count as missing, without outer white space.
    na: Vec<String>,
    /// Those of `na` that are numbers. Any other text is missing in a numeric column without a look-up.
    na_numbers: Vec<String>,
    numbers: NumberFormat,
}

impl Cells {
    pub(super) fn new(rules: &CsvRules) -> Self {
        let na: Vec<String> = rules.na.iter().map(|token| token.trim().to_owned()).collect();
        let na_numbers =
            na.iter().filter(|token| number::parse(token, rules.numbers).is_some()).cloned().collect();
        Self { na, na_numbers, numbers: rules.numbers }
    }

    /// Returns a number; `None` if it is missing.
    pub(super) fn number(&self, record: &Record<'_>, source: &Source) -> Option<f64> {
        match source {
            Source::Field(field) => self.cell(record, *field),
            Source::Computed(expression) => self.computed(record, expression),
            Source::Merged(_) => None,
        }
    }

    /// Returns the number of a level; `None` if it is missing.
    pub(super) fn level(&self, record: &Record<'_>, codes: &LevelCodes) -> Option<usize> {
        let field = record.field(codes.column).trim();
        if self.na.iter().any(|token| token == field) { None } else { codes.number(field) }
    }

    fn cell(&self, record: &Record<'_>, field: usize) -> Option<f64> {
        let field = record.field(field);
        let missing = |token: &String| token == field.trim();
        number::parse(field, self.numbers).filter(|_| !self.na_numbers.iter().any(missing))
    }

    /// Computes a derived number from the record's own values, each clipped to its bounds (theory/encoding 2.8).
    fn computed(&self, record: &Record<'_>, expression: &Expression) -> Option<f64> {
        expression.value(&|leaf| match leaf {
            Leaf::Number { column, lower, upper, .. } => {
                let number = self.cell(record, *column)?;
                Some(if is_active(Mutant::DerivedUnclipped) { number } else { number.clamp(*lower, *upper) })
            }
            Leaf::Level { codes, level, .. } => {
                Some(if self.level(record, codes)? == *level { 1.0 } else { 0.0 })
            }
        })
    }
}
