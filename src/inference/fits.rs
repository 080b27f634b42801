//! What a regression found for one outcome.

use nalgebra::DVector;

use crate::model::Interval;

/// One regression in the columns' own units.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The coefficients, in the order of [`super::design::Design::names`]. `None` where they are withheld.
    pub estimate: Option<Vec<f64>>,
    /// Their errors. `None` if intervals are withheld.
    pub uncertainty: Option<Uncertainty>,
    /// How far the intervals are to be trusted.
    pub interval: Interval,
    /// Residual standard deviation in the outcome's unit.
    pub residual_sd: Option<f64>,
    /// Whether it stands out of the noise; where not, it is an upper bound.
    pub residual_resolved: bool,
    /// R², the share of the outcome's variance that the released moments leave to the features. `None` without an intercept, and
    /// where either variance does not stand out of the noise.
    pub r_squared: Option<f64>,
    /// Whether the intervals leave out the sampling error.
    pub noise_alone: bool,
    /// Whether something is withheld because it is beyond the largest double.
    pub overflowed: bool,
}

/// The error of each coefficient.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncertainty {
    /// Standard errors, sampling and privacy noise together.
    pub std_error: Vec<f64>,
    /// Lower ends of the intervals.
    pub lower: Vec<f64>,
    /// Upper ends of the intervals.
    pub upper: Vec<f64>,
    /// Shares of the variance that are privacy noise.
    pub noise_share: Vec<f64>,
}

/// One outcome before it is written down: everything in coded units.
pub(super) struct Coded {
    /// The outcome's coordinate.
    pub outcome: usize,
    /// t's weight on the constant, through the origin; else 0.
    pub shift: f64,
    /// b = T G t.
    pub cross: DVector<f64>,
    /// Residual variance.
    pub sigma2: f64,
}

impl Fit {
    /// Takes the interval back.
    pub(super) fn withhold_interval(&mut self) {
        self.uncertainty = None;
        self.interval = Interval::Withheld;
    }

    /// Takes back what is no number: a damaged release has terms whose scales overflow.
    pub(super) fn withhold_overflow(&mut self) {
        let finite = |values: &[f64]| values.iter().all(|value| value.is_finite());
        let estimated = self.estimate.as_deref().is_none_or(finite);
        let certain = self.uncertainty.as_ref().is_none_or(|all| {
            [&all.std_error, &all.lower, &all.upper, &all.noise_share].iter().all(|values| finite(values))
        });
        let spread = self.residual_sd.is_none_or(f64::is_finite);
        if estimated && certain && spread {
            return;
        }
        self.overflowed = true;
        self.estimate = self.estimate.take().filter(|_| estimated);
        self.residual_sd = self.residual_sd.filter(|_| spread);
        self.withhold_interval();
    }
}

impl Uncertainty {
    pub(super) fn with_capacity(terms: usize) -> Self {
        Self {
            std_error: Vec::with_capacity(terms),
            lower: Vec::with_capacity(terms),
            upper: Vec::with_capacity(terms),
            noise_share: Vec::with_capacity(terms),
        }
    }
}

pub(super) fn withheld() -> Fit {
    Fit {
        estimate: None,
        uncertainty: None,
        interval: Interval::Withheld,
        residual_sd: None,
        residual_resolved: false,
        r_squared: None,
        noise_alone: false,
        overflowed: false,
    }
}
