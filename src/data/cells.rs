//! Reads the cells of a record, and computes derived values from them.

use super::csv::Record;
use super::number;
use crate::plan::bound::{BoundCondition, CsvRules, FieldRules, Source};
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
    /// The rules of the fields up to the last that is read in a way of its own; empty if there is none.
    fields: Vec<FieldRules>,
}

impl Cells {
    pub(super) fn new(rules: &CsvRules) -> Self {
        let trimmed = |na: &[String]| na.iter().map(|token| token.trim().to_owned()).collect();
        let na: Vec<String> = trimmed(&rules.na);
        let fields = rules.by_field.iter().map(|(field, _)| field + 1).max().unwrap_or(0);
        let fields: Vec<FieldRules> = (0..fields)
            .map(|field| {
                let own = rules.rules_of(field);
                FieldRules { na: trimmed(&own.na), ..own }
            })
            .collect();
        let is_number = |token: &&String| {
            let mut all = fields.iter().map(|rules| &rules.numbers).chain([&rules.numbers]);
            all.any(|format| number::parse(token, *format).is_some())
        };
        let na_numbers = na.iter().filter(is_number).cloned().collect();
        Self { na, na_numbers, numbers: rules.numbers, fields }
    }

    /// Returns the marks of missing cells that a field has of its own.
    fn own_na(&self, field: usize) -> &[String] {
        self.fields.get(field).map_or(&[], |rules| &rules.na)
    }

    /// Returns whether a cell of a field is empty or a mark of a missing one.
    pub(super) fn is_missing(&self, field: usize, cell: &str) -> bool {
        let cell = cell.trim();
        cell.is_empty() || self.na.iter().chain(self.own_na(field)).any(|token| token == cell)
    }

    /// Returns a number; `None` if it is missing.
    pub(super) fn number(&self, record: &Record<'_>, source: &Source) -> Option<f64> {
        match source {
            Source::Field(field) => self.cell(record, *field),
            Source::Computed(expression) => self.computed(record, expression),
            Source::Merged(_) => None,
        }
    }

    /// Returns the number of a level; `None` if it is missing. An empty cell is missing unless a level stands for it.
    pub(super) fn level(&self, record: &Record<'_>, codes: &LevelCodes) -> Option<usize> {
        let cell = record.field(codes.column).trim();
        if cell.is_empty() && codes.blank().is_some() {
            return codes.blank();
        }
        let mut na = self.na.iter().chain(self.own_na(codes.column));
        if na.any(|token| token == cell) { None } else { codes.number(cell) }
    }

    /// Returns the number in a field; `None` if it is missing.
    pub(super) fn cell(&self, record: &Record<'_>, field: usize) -> Option<f64> {
        let (format, own_na) = match self.fields.get(field) {
            Some(rules) => (rules.numbers, &*rules.na),
            None => (self.numbers, &[][..]),
        };
        // The usual case.
        if format.date.is_none()
            && self.na_numbers.is_empty()
            && own_na.is_empty()
            && let Some(number) = number::short(record.bytes(field), format.decimal)
        {
            return Some(number);
        }
        let field = record.field(field);
        let missing = |token: &String| token == field.trim();
        number::parse(field, format).filter(|_| !self.na_numbers.iter().chain(own_na).any(missing))
    }

    /// Returns whether a record meets a condition; one whose cell is missing does not.
    pub(super) fn meet(&self, record: &Record<'_>, condition: &BoundCondition) -> bool {
        match condition {
            BoundCondition::Range { field, lower, upper } => {
                self.cell(record, *field).is_some_and(|number| number >= *lower && number <= *upper)
            }
            BoundCondition::Levels(codes) => self.level(record, codes).is_some(),
        }
    }

    /// Computes a derived number from the record's own values, each clipped to its bounds (theory/encoding 2.8).
    pub(super) fn computed(&self, record: &Record<'_>, expression: &Expression) -> Option<f64> {
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
