//! The curvature of a logistic regression that a forecast assumes: p(1 − p) of a row, in the directions of the constant and of the slopes
//! (theory/inference 5.1).

use super::assumptions::{LOGISTIC_SPREAD, effect};

/// Of one row, where predictors have standard deviation 1 and no correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curvature {
    /// Mean of p(1 − p): the curvature of a slope, but along the slopes.
    pub mean: f64,
    /// The least in any direction.
    pub least: f64,
    /// Sum of the squared inverses of its two eigenvalues in the plane of the constant and the slopes, in units of 1/mean².
    pub inverse_squares: f64,
}

/// Nodes of the sum over a standard normal distribution lie this far apart, from −[`REACH`] to [`REACH`] of them.
const STEP: f64 = 0.25;
const REACH: i32 = 32;
/// Steps by which the constant is found.
const STEPS: usize = 4;

impl Curvature {
    /// Computes it where a share `chance` of the rows says yes and so many predictors have their plausible effects on the log odds.
    pub fn of(predictors: f64, chance: f64) -> Self {
        Self::new(predictors.sqrt() * effect(predictors) * LOGISTIC_SPREAD, chance)
    }

    /// Computes it where what the predictors add to the log odds has this standard deviation.
    pub fn new(spread: f64, chance: f64) -> Self {
        let logit = |share: f64| libm::log(share / (1.0 - share));
        let sums = |constant: f64| {
            let (mut whole, mut yes, mut moments) = (0.0, 0.0, [0.0; 3]);
            for node in -REACH..=REACH {
                let z = STEP * f64::from(node);
                let density = libm::exp(-0.5 * z * z);
                let p = 1.0 / (1.0 + libm::exp(-(constant + spread * z)));
                whole += density;
                yes += density * p;
                let weight = density * p * (1.0 - p);
                moments = [moments[0] + weight, moments[1] + weight * z, moments[2] + weight * z * z];
            }
            (yes / whole, moments.map(|moment| moment / whole))
        };
        let mut constant = logit(chance);
        for _ in 0..STEPS {
            constant += logit(chance) - logit(sums(constant).0);
        }
        let [mean, cross, square] = sums(constant).1;
        let determinant = mean * square - cross * cross;
        let half = (mean - square) / 2.0;
        Self {
            mean,
            least: (mean + square) / 2.0 - half.hypot(cross),
            inverse_squares: mean * mean * (mean * mean + square * square + 2.0 * cross * cross)
                / (determinant * determinant),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_predictors_it_is_that_of_a_share() {
        let Curvature { mean, least, .. } = Curvature::of(0.0, 0.2);
        assert!((mean - 0.16).abs() < 1e-12, "{mean}");
        assert!((least - 0.16).abs() < 1e-12, "{least}");
    }

    /// By numerical integration: six predictors at even odds have a standard deviation of 1.28 on the log odds.
    #[test]
    fn effects_make_it_smaller_and_most_of_all_where_few_say_yes() {
        let even = Curvature::of(6.0, 0.5);
        assert!((even.mean - 0.189).abs() < 0.001, "{even:?}");
        assert!((even.least / even.mean - 0.595).abs() < 0.005, "{even:?}");
        let rare = Curvature::of(6.0, 0.07);
        assert!(rare.least / rare.mean < 0.35 && rare.inverse_squares > 8.0, "{rare:?}");
    }
}
