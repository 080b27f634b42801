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
    /// The rules of the fields up to the last that is read in a way of its own; empty if there is none.
    fields: Vec<Rules>,
    /// The rules of all others.
    others: Rules,
}

/// How the cells of a field are read.
#[derive(Clone, Debug)]
struct Rules {
    numbers: NumberFormat,
    /// Marks of missing cells that the field has of its own, without outer white space.
    na: Vec<String>,
    /// The decimal mark, if every short number is a value: the field has no dates, and no number marks a missing cell.
    short: Option<u8>,
}

/// A field in which any short number is a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Usual {
    field: usize,
    decimal: u8,
}

impl Cells {
    pub(super) fn new(rules: &CsvRules) -> Self {
        let trimmed = |na: &[String]| na.iter().map(|token| token.trim().to_owned()).collect();
        let na: Vec<String> = trimmed(&rules.na);
        let fields = rules.by_field.iter().map(|(field, _)| field + 1).max().unwrap_or(0);
        let fields: Vec<FieldRules> = (0..fields).map(|field| rules.rules_of(field)).collect();
        let is_number = |token: &&String| {
            let mut all = fields.iter().map(|rules| &rules.numbers).chain([&rules.numbers]);
            all.any(|format| number::parse(token, *format).is_some())
        };
        let na_numbers: Vec<String> = na.iter().filter(is_number).cloned().collect();
        let read = |numbers: NumberFormat, na: &[String]| {
            let is_usual = numbers.date.is_none() && na_numbers.is_empty() && na.is_empty();
            Rules { numbers, na: trimmed(na), short: is_usual.then_some(numbers.decimal) }
        };
        let fields = fields.iter().map(|own| read(own.numbers, &own.na)).collect();
        let others = read(rules.numbers, &[]);
        Self { na, na_numbers, fields, others }
    }

    fn rules(&self, field: usize) -> &Rules {
        self.fields.get(field).unwrap_or(&self.others)
    }

    /// Returns whether a cell of a field is empty or a mark of a missing one.
    pub(super) fn is_missing(&self, field: usize, cell: &str) -> bool {
        let cell = cell.trim();
        cell.is_empty() || self.na.iter().chain(&self.rules(field).na).any(|token| token == cell)
    }

    /// Returns a number. `None` if it is missing.
    pub(super) fn number(&self, record: &Record<'_>, source: &Source) -> Option<f64> {
        match source {
            Source::Field(field) => self.cell(record, *field),
            Source::Computed(expression) => self.computed(record, expression),
            Source::Merged(_) => None,
        }
    }

    /// Returns the number of a level. `None` if it is missing. An empty cell is missing unless a level stands for it.
    pub(super) fn level(&self, record: &Record<'_>, codes: &LevelCodes) -> Option<usize> {
        let cell = record.field(codes.column).trim();
        if cell.is_empty() && codes.blank().is_some() {
            return codes.blank();
        }
        let mut na = self.na.iter().chain(&self.rules(codes.column).na);
        if na.any(|token| token == cell) { None } else { codes.number(cell) }
    }

    /// Returns the field of a source in which every short number is a value, if it is one.
    pub(super) fn usual(&self, source: &Source) -> Option<Usual> {
        let Source::Field(field) = source else { return None };
        self.rules(*field).short.map(|decimal| Usual { field: *field, decimal })
    }

    /// Returns the number in a field. `None` if it is missing.
    pub(super) fn cell(&self, record: &Record<'_>, field: usize) -> Option<f64> {
        match self.rules(field).short {
            Some(decimal) => self.usual_cell(record, Usual { field, decimal }),
            None => self.unusual(record, field),
        }
    }

    /// Returns the number in a field in which every short number is a value. `None` if it is missing.
    #[inline]
    pub(super) fn usual_cell(&self, record: &Record<'_>, usual: Usual) -> Option<f64> {
        let (text, start) = record.until(usual.field);
        number::short(text, start, usual.decimal).or_else(|| self.unusual(record, usual.field))
    }

    #[inline(never)]
    fn unusual(&self, record: &Record<'_>, field: usize) -> Option<f64> {
        let (rules, cell) = (self.rules(field), record.field(field));
        let missing = |token: &String| token == cell.trim();
        let number = number::parse(cell, rules.numbers)?;
        (!self.na_numbers.iter().chain(&rules.na).any(missing)).then_some(number)
    }

    /// Returns whether a record meets a condition. A record whose cell is missing does not.
    pub(super) fn meet(&self, record: &Record<'_>, condition: &BoundCondition) -> bool {
        match condition {
            BoundCondition::Range { field, lower, upper } => {
                self.cell(record, *field).is_some_and(|number| number >= *lower && number <= *upper)
            }
            BoundCondition::Difference { of, lower, upper } => {
                let as_written = |leaf: &Leaf| self.cell(record, leaf.column());
                of.value(&as_written).is_some_and(|number| number >= *lower && number <= *upper)
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
