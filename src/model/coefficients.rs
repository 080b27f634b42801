//! The numbers of a regression.

use serde::{Deserialize, Serialize};

/// How far an interval is to be trusted (theory/inference 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Interval {
    /// Its coverage is the stated level.
    Normal,
    /// Noise and signal are close. With five features or more its coverage is the level or above; with one or two it can
    /// fall to about 85 % of a stated 95 %, because it is shown only where the noise happened to look small. Or the interval leaves out the
    /// sampling error.
    Approximate,
    /// The noise is as large as the signal.
    Withheld,
}

impl Interval {
    /// Labels none of these better than approximate, and returns whether one is shown.
    pub fn label_approximate<'a>(intervals: impl Iterator<Item = &'a mut Self>) -> bool {
        let mut shown = false;
        for interval in intervals.filter(|interval| **interval != Self::Withheld) {
            *interval = Self::Approximate;
            shown = true;
        }
        shown
    }
}

/// The numbers of one coefficient.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The estimate. `None` where the coefficients are withheld.
    pub estimate: Option<f64>,
    /// Standard error, sampling and privacy noise together.
    pub std_error: Option<f64>,
    /// Lower end of the interval. `None` where it is withheld.
    pub lower: Option<f64>,
    /// Upper end of the interval. `None` where it is withheld.
    pub upper: Option<f64>,
    /// Share of the variance that is privacy noise, 0 to 1.
    pub noise_share: Option<f64>,
    /// How far the interval is to be trusted.
    pub interval: Interval,
}

impl Estimate {
    /// An estimate of which everything is withheld.
    pub const WITHHELD: Self = Self {
        estimate: None,
        std_error: None,
        lower: None,
        upper: None,
        noise_share: None,
        interval: Interval::Withheld,
    };

    /// Returns an estimate whose interval reaches `half` to either side; the share of the noise is not known.
    pub fn around(estimate: f64, std_error: f64, half: f64) -> Self {
        Self {
            estimate: Some(estimate),
            std_error: Some(std_error),
            lower: Some(estimate - half),
            upper: Some(estimate + half),
            noise_share: None,
            interval: Interval::Normal,
        }
    }

    /// Returns it for `factor` units of its column in place of one.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let times = |value: Option<f64>| value.map(|value| value * factor);
        let Self { estimate, std_error, lower, upper, noise_share, interval } = self;
        let [estimate, std_error, lower, upper] = [estimate, std_error, lower, upper].map(times);
        Self { estimate, std_error, lower, upper, noise_share, interval }
    }
}

/// One regression coefficient in the columns' own units.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coefficient {
    /// The outcome's column.
    pub outcome: String,
    /// `(Intercept)`, a column, or `column[level]`.
    pub term: String,
    /// The estimate; `null` where the coefficients are withheld.
    pub estimate: Option<f64>,
    /// Standard error, sampling and privacy noise together.
    pub std_error: Option<f64>,
    /// Lower end of the interval; `null` where it is withheld.
    pub lower: Option<f64>,
    /// Upper end of the interval; `null` where it is withheld.
    pub upper: Option<f64>,
    /// Share of the variance that is privacy noise, 0 to 1.
    pub noise_share: Option<f64>,
    /// How far the interval is to be trusted.
    pub interval: Interval,
}

impl Coefficient {
    /// Creates a coefficient with these numbers.
    pub const fn new(outcome: String, term: String, entry: Estimate) -> Self {
        let Estimate { estimate, std_error, lower, upper, noise_share, interval } = entry;
        Self { outcome, term, estimate, std_error, lower, upper, noise_share, interval }
    }

    /// Returns its numbers.
    pub fn entry(&self) -> Estimate {
        let Self { estimate, std_error, lower, upper, noise_share, interval, .. } = *self;
        Estimate { estimate, std_error, lower, upper, noise_share, interval }
    }
}
