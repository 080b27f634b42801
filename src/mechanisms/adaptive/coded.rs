//! The coded terms of a plan's columns.

use super::terms::{Term, Terms};
use crate::mechanisms::rounds::Encoding;
use crate::model::Role;
use crate::plan::bound::Kind;
use crate::release::moments::CodedTerm;

/// Returns the coded value of one step of the encoder's grid, of each term.
pub fn steps_of(encoding: &Encoding, coded: &[CodedTerm]) -> Vec<f64> {
    let terms = encoding.geometry.terms.iter().zip(coded);
    terms.map(|(term, coded)| term.scale / coded.half_width).collect()
}

/// Returns the terms of a record but the constant, and the columns' own units of each. A label of two levels is a number from −1 to 1.
pub fn terms_of(encoding: &Encoding) -> (Terms, Vec<CodedTerm>) {
    let mut terms = Vec::new();
    let mut coded = Vec::new();
    let mut features = 0;
    for term in &encoding.geometry.terms {
        let Some((index, column)) =
            term.column.and_then(|index| Some((index, encoding.bound.columns.get(index)?)))
        else {
            continue;
        };
        let label = encoding.bound.labels && column.role == Role::Outcome;
        let half_width = match &column.kind {
            Kind::Number { lower, upper } => upper / 2.0 - lower / 2.0,
            Kind::Category { levels, .. } => encoding.bound.level_units(column.role, levels.len()).1,
        };
        features += usize::from(column.role == Role::Feature);
        terms.push(Term { column: index, dummy: term.level.is_some() && !label });
        coded.push(CodedTerm {
            term: term.name.clone(),
            centre: term.centre,
            half_width,
            level: term.level.is_some(),
        });
    }
    (Terms::new(terms, features), coded)
}
