//! The assumptions of forecasts where a plan states nothing (theory/inference 5.1).

use crate::plan::bound::{BoundColumn, BoundPlan, Kind};

/// What is assumed of numbers among the columns.
#[derive(Clone, Copy)]
pub struct Assumption {
    /// Standard deviation, in half widths of the bounds.
    spread: f64,
    /// The same between neighbouring whole numbers: such a number is most often one of the two.
    of_codes: f64,
    /// Correlation between any two predictors.
    pub(super) correlation: f64,
}

impl Assumption {
    /// Returns the standard deviation of a number, in half widths of its bounds.
    pub(super) fn spread(self, lower: f64, upper: f64) -> f64 {
        if are_codes(lower, upper) { self.of_codes } else { self.spread }
    }

    /// Returns the same with the correlation that a plan states, if it does.
    #[must_use]
    pub(super) fn stated(self, bound: &BoundPlan) -> Self {
        Self { correlation: bound.typical_correlation.unwrap_or(self.correlation), ..self }
    }

    /// Returns the assumptions with the spread of numbers divided by `times`, as if the bounds were too wide.
    #[must_use]
    pub fn closer(self, times: f64) -> Self {
        Self { spread: self.spread / times, ..self }
    }

    /// Returns the standard deviation of a number as a share of the range of its bounds.
    pub fn of_range(self) -> f64 {
        self.spread / 2.0
    }
}

/// Returns whether bounds are those of a yes or no as a number, such as 0 and 1, or 1 and 2.
pub fn are_codes(lower: f64, upper: f64) -> bool {
    lower.fract() == 0.0 && (upper - lower - 1.0).abs() < f64::EPSILON
}

/// The usual assumptions.
pub const USUAL: Assumption = Assumption { spread: 1.0 / 3.0, of_codes: 1.0, correlation: 0.3 };

/// Less favourable than [`USUAL`]: a verdict holds in this case, too.
pub(super) const CAUTIOUS: Assumption = Assumption { spread: 0.2, of_codes: 0.6, correlation: 0.4 };

/// Assumed effect of a predictor, in standard deviations of the outcome per standard deviation of its own.
const EFFECT: f64 = 0.3;

/// Returns the plausible effect of each of so many predictors: less where they would explain more than a half together.
pub fn effect(predictors: f64) -> f64 {
    EFFECT.min((EXPLAINED / predictors.max(1.0)).sqrt())
}

/// Returns the share of yes among the rows of an outcome: the one that the plan calls typical, else a half.
pub fn chance(outcome: &BoundColumn) -> f64 {
    let share = match outcome.kind {
        Kind::Number { lower, upper } => outcome
            .typical
            .and_then(|typical| typical.mean)
            .map_or(0.5, |mean| (mean - lower) / (upper - lower)),
        Kind::Category { reference, .. } => 1.0 - outcome.share(reference),
    };
    share.clamp(RAREST, 1.0 - RAREST)
}

/// Most that all predictors together are assumed to explain.
const EXPLAINED: f64 = 0.5;

/// Least share of yes that a forecast counts with.
const RAREST: f64 = 1e-9;

/// Standard deviation of the standard logistic distribution, π/√3.
pub const LOGISTIC_SPREAD: f64 = 1.813_799_364_234_217_8;
