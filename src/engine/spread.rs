//! The standard deviations of outcomes that a forecast assumes because the plan states none.

use serde::{Deserialize, Serialize};

use super::prepare::Prepared;
use super::rehearse::Rehearsal;
use crate::inference::assumptions::{USUAL, are_codes};
use crate::inference::newton::Link;
use crate::model::note::widening;
use crate::model::{Role, Typical};
use crate::plan::bound::{BoundColumn, Kind, Source};
use crate::plan::expression::Expression;
use crate::release::figure::unit;
use crate::release::format::significant;
use crate::words;

/// What a forecast assumes of the outcomes for which the plan states no standard deviation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AssumedSpread {
    /// The one such outcome and its assumed standard deviation with the unit. `None` if there are several, or if it is computed
    /// from several columns.
    one: Option<(String, String)>,
    /// The widening of intervals at a tenth of the assumed standard deviation. `None` unless it is rehearsed.
    pub at_tenth: Option<Narrow>,
}

/// The result of rehearsals with values that lie closer together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Narrow {
    /// The median widening of intervals.
    Times(f64),
    /// Most or all intervals are withheld.
    Withheld,
}

/// The share of the assumed standard deviation at which intervals are rehearsed, too.
const TENTH: f64 = 0.1;

/// Returns the standard deviation that is assumed of an outcome. `None` if one is stated, if its bounds are to be estimated, or if
/// it is not drawn from its own range.
fn assumed_sd(column: &BoundColumn) -> Option<f64> {
    let is_own = match &column.source {
        Source::Field(_) => true,
        Source::Computed(of) => {
            of.without_own_bounds().is_some()
                || matches!(&**of, Expression::Log { of, .. } if matches!(**of, Expression::Leaf(_)))
        }
        Source::Merged(_) => false,
    };
    let Kind::Number { lower, upper } = column.kind else { return None };
    is_own.then(|| USUAL.of_range() * (upper - lower))
}

/// Returns whether the plan states no spread of an outcome that has one.
fn is_assumed(prepared: &Prepared, column: &BoundColumn) -> bool {
    let Kind::Number { lower, upper } = column.kind else { return false };
    let entry = prepared.plan().column(&column.name);
    let has_range = entry.is_none_or(|entry| !entry.is_estimated());
    column.role == Role::Outcome && column.typical.is_none() && !are_codes(lower, upper) && has_range
}

impl AssumedSpread {
    /// Returns what is assumed. `None` if the plan states the spread of all outcomes, or they are yes or no.
    pub fn of(prepared: &Prepared) -> Option<Self> {
        let fit = prepared.fit();
        let assumed: Vec<&BoundColumn> =
            fit.bound().columns.iter().filter(|column| is_assumed(fit, column)).collect();
        let one = match assumed.as_slice() {
            [] => return None,
            [one] => assumed_sd(one).map(|sd| {
                let unit = unit(fit.plan(), &one.name);
                let sd = significant(sd, 3);
                (one.name.clone(), if unit.is_empty() { sd } else { format!("{sd} {unit}") })
            }),
            _ => None,
        };
        Some(Self { one, at_tenth: None })
    }

    /// Rehearses a tenth of the assumed standard deviations.
    pub(super) fn rehearsed(self, prepared: &Prepared, link: Link) -> Self {
        Self { at_tenth: at_tenth(prepared, link), ..self }
    }

    /// Returns how wide intervals are, under which assumption, and with a tenth of the standard deviation.
    pub fn sentences(&self, times: f64) -> [String; 2] {
        let times = widening(times);
        let assumed = match &self.one {
            Some((name, sd)) => words::forecast::widening_if(times, format!("`{name}`"), sd),
            None => words::forecast::widening_if_each(times),
        };
        let narrow = match self.at_tenth {
            Some(Narrow::Times(times)) => words::forecast::at_tenth(widening(times)),
            Some(Narrow::Withheld) => words::forecast::at_tenth_withheld().to_owned(),
            None => words::forecast::at_smaller().to_owned(),
        };
        [assumed, narrow]
    }

    /// Returns the assumption under which several widths hold, as a sentence.
    pub fn of_widths(&self) -> String {
        match &self.one {
            Some((name, sd)) => words::forecast::widths_if(format!("`{name}`"), sd),
            None => words::forecast::widths_if_each().to_owned(),
        }
    }

    /// Returns a short text on the noise with the assumption.
    pub fn added_to(&self, noise: &str) -> String {
        match &self.one {
            Some((_, sd)) => words::forecast::noise_if(noise, sd),
            None => words::forecast::noise_if_each(noise),
        }
    }
}

/// Rehearses the plan with a tenth of the assumed standard deviations of its outcomes. `None` if one of them is computed from
/// columns, or with too many terms.
fn at_tenth(prepared: &Prepared, link: Link) -> Option<Narrow> {
    let fit = prepared.fit();
    let mut bound = fit.bound().clone();
    for column in bound.columns.iter_mut().filter(|column| is_assumed(fit, column)) {
        let Source::Field(_) = column.source else { return None };
        column.typical = Some(Typical { mean: None, sd: TENTH * assumed_sd(column)? });
    }
    Some(
        Rehearsal::of_columns(prepared, &bound, link)?.few()?.usual().map_or(Narrow::Withheld, Narrow::Times),
    )
}
