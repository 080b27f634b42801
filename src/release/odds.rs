//! Odds ratios from the coefficients of a logistic regression.

use crate::model::{Estimate, INTERCEPT};

/// An odds ratio with its interval: the exponentials of a coefficient and of the ends of its interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OddsRatio {
    /// The ratio; absent where the coefficient is, or where it is no number that can be written.
    pub estimate: Option<f64>,
    /// Its standard error to first order, by which it is rounded when it is shown.
    pub std_error: Option<f64>,
    /// Lower end of the interval.
    pub lower: Option<f64>,
    /// Upper end of the interval.
    pub upper: Option<f64>,
}

/// Returns the odds ratio of a term's log-odds; the constant has none, because it is no comparison.
#[must_use]
pub fn ratio(term: &str, entry: &Estimate) -> Option<OddsRatio> {
    if term == INTERCEPT {
        return None;
    }
    let raised = |value: Option<f64>| value.map(libm::exp).filter(|ratio| ratio.is_finite() && *ratio > 0.0);
    let estimate = raised(entry.estimate);
    let std_error = estimate.zip(entry.std_error).map(|(ratio, error)| ratio * error);
    Some(OddsRatio {
        estimate,
        std_error: std_error.filter(|error| error.is_finite()),
        lower: raised(entry.lower),
        upper: raised(entry.upper),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Interval;

    fn entry(estimate: f64) -> Estimate {
        Estimate {
            estimate: Some(estimate),
            std_error: Some(0.1),
            lower: Some(estimate - 0.2),
            upper: Some(estimate + 0.2),
            noise_share: None,
            interval: Interval::Normal,
        }
    }

    #[test]
    fn a_ratio_has_the_interval_of_its_logarithm() {
        let ratio = ratio("x", &entry(core::f64::consts::LN_2)).unwrap();
        assert!((ratio.estimate.unwrap() - 2.0).abs() < 1e-15);
        assert!((ratio.lower.unwrap() * ratio.upper.unwrap() - 4.0).abs() < 1e-14);
        assert!((ratio.std_error.unwrap() - 0.2).abs() < 1e-15);
        assert_eq!(super::ratio(INTERCEPT, &entry(0.0)), None);
    }

    #[test]
    fn what_cannot_be_written_is_left_out() {
        for far in [1e6, -1e6] {
            let ratio = ratio("x", &entry(far)).unwrap();
            assert_eq!((ratio.estimate, ratio.lower, ratio.upper, ratio.std_error), (None, None, None, None));
        }
    }
}
