//! The noise scales as printed in Sheffet, Old techniques in differentially private linear regression, 2019, to reproduce the
//! paper. Each is rounded to nearest, in units of R or R².
//!
//! No charge is computed from them. [`sketch_epsilon`](super::sketch_epsilon),
//! [`additive_wishart_epsilon`](super::additive_wishart_epsilon) and [`upper_triangle_epsilon`] compute their actual cost.

pub mod pmt;
pub mod primo;

use std::num::NonZeroU32;

use super::super::adjacency::Adjacency;
use super::super::convert::gdp_epsilon;
use super::super::measure::{Delta, Epsilon, Mu};
use super::{MOST_ROWS, ProfileError, positive};
use crate::math::round::{MARGIN, raise};
use crate::words;

/// A plan that the paper's theorem does not cover.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PaperError {
    /// ε where the theorem has none.
    #[error("{}", crate::words::error::paper_epsilon(range, given))]
    Epsilon {
        /// In words.
        range: &'static str,
        /// The given value.
        given: f64,
    },
    /// δ where the theorem has none.
    #[error("{}", crate::words::error::paper_delta(range, given))]
    Delta {
        /// In words.
        range: &'static str,
        /// The given value.
        given: f64,
    },
    /// The formula's answer is too large.
    #[error("{}", crate::words::error::paper_too_large())]
    TooLarge,
}

/// Returns w²/R² of the sketch of r rows, and ψ/R² of the inverse Wishart law with r degrees of freedom:
/// 4 (√(2 r l) + l)/ε, l = ln(4/δ). Theorems 3.1 and 5.1, for `replace-one`.
///
/// # Errors
/// If ε is 0, or δ is 0 or 1/e or more.
pub fn ridge(epsilon: Epsilon, delta: Delta, rows: NonZeroU32) -> Result<f64, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(4.0 * tail(f64::from(rows.get()), libm::log(4.0 / d)) / e)
}

/// Returns f(r) of Algorithms 2 and 5: the [`ridge`] for half of ε and half of δ, 8 (√(2 r l) + l)/ε, l = ln(8/δ).
///
/// # Errors
/// As [`ridge`].
pub fn adaptive_ridge(epsilon: Epsilon, delta: Delta, rows: NonZeroU32) -> Result<f64, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(8.0 * tail(f64::from(rows.get()), libm::log(8.0 / d)) / e)
}

/// Returns r* of Algorithms 2 and 5: the most rows with f(r) at most `eigenvalue`, in units of R², and at most [`MOST_ROWS`]; `None`
/// where one row needs more. f is [`adaptive_ridge`].
///
/// # Errors
/// As [`ridge`].
pub fn adaptive_rows(
    epsilon: Epsilon,
    delta: Delta,
    eigenvalue: f64,
) -> Result<Option<NonZeroU32>, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    let l = libm::log(8.0 / d);
    let left = (e * eigenvalue / 8.0 - l).max(0.0);
    // f inverted; it may be one off either way, which f itself decides.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a float becomes the nearest u32"
    )]
    let guess = (left * left / (2.0 * l)) as u32;
    let mut most = None;
    for rows in (guess.saturating_sub(1)..=guess.saturating_add(1)).filter_map(NonZeroU32::new) {
        if rows <= MOST_ROWS && adaptive_ridge(epsilon, delta, rows)? <= eigenvalue {
            most = Some(rows);
        }
    }
    Ok(if guess > MOST_ROWS.get() { Some(MOST_ROWS) } else { most })
}

/// How the least eigenvalue is made private: from it, in units of R², the shift is taken off and Laplace noise of that scale
/// added; what is below 0 is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EigenvalueRule {
    /// Taken off.
    pub shift: f64,
    /// b of a density exp(−|x|/b)/(2b).
    pub laplace_scale: f64,
}

/// Returns the rule of Algorithms 2 and 5 for (ε, δ) as a whole: 2 ln(2/δ)/ε and 2/ε. The other half of ε is [`adaptive_ridge`]'s.
///
/// Its δ holds for ε up to 2 ln 2 only: the answer may exceed the least eigenvalue of the neighbouring table as well, which
/// happens with chance up to (δ/4) e^(ε/2). [`eigenvalue_rule`] is mended.
///
/// # Errors
/// As [`ridge`].
pub fn adaptive_eigenvalue_rule(epsilon: Epsilon, delta: Delta) -> Result<EigenvalueRule, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(EigenvalueRule { shift: 2.0 * libm::log(2.0 / d) / e, laplace_scale: 2.0 / e })
}

/// Returns the rule that costs (ε, δ) beside the (ε', δ') of the sketch that uses it: 1 + ln(1/(2δ))/ε and 1/ε, rounded up.
///
/// One row moves the least eigenvalue by at most R², under both adjacencies. Below it by R² and ln(1/(2δ))/ε more, the noise
/// passes the least eigenvalue of neither table but with chance δ; else the sketch keeps (ε', δ') given the answer, whose
/// density changes by e^ε at most. So both together keep (ε + ε', δ + δ'). theory/wishart 3.4.
///
/// # Errors
/// If ε is 0, or δ is 0 or above 1/2.
pub fn eigenvalue_rule(epsilon: Epsilon, delta: Delta) -> Result<EigenvalueRule, PaperError> {
    let (e, d) = (above_zero(epsilon)?, delta.get());
    if d <= 0.0 || d > 0.5 {
        return Err(PaperError::Delta { range: words::error::range_half(), given: d });
    }
    let laplace_scale = raise(1.0 / e, MARGIN);
    Ok(EigenvalueRule { shift: raise(1.0 - laplace_scale * libm::log(2.0 * d), MARGIN), laplace_scale })
}

/// Degrees of freedom of additive Wishart noise of scale R² for d columns: ⌊d + 28 ln(4/δ)/ε²⌋. Theorem 4.1, for
/// `replace-one`.
///
/// # Errors
/// [`PaperError`] if ε is 0 or at least 1, where the theorem ends (from 6 on its degrees of freedom would be too few), if δ is 0
/// or at least 1/6, or if the answer does not fit.
pub fn degrees(epsilon: Epsilon, delta: Delta, dimension: u32) -> Result<u32, PaperError> {
    let (e, d) = (epsilon.get(), delta.get());
    if e <= 0.0 || e >= 1.0 {
        return Err(PaperError::Epsilon { range: words::error::range_below_one(), given: e });
    }
    if d <= 0.0 || d >= 1.0 / 6.0 {
        return Err(PaperError::Delta { range: words::error::range_sixth(), given: d });
    }
    let k = libm::floor(f64::from(dimension) + 28.0 * libm::log(4.0 / d) / (e * e));
    if k > f64::from(u32::MAX) {
        return Err(PaperError::TooLarge);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number that fits")]
    Ok(k as u32)
}

/// Returns the standard deviation of each cell on and above the diagonal, in units of R²: √(2 ln(2/δ))/ε. The baseline of section 2 as it is
/// meant, with ε squared in the variance; its sensitivity R² is that of `add-remove`, though the paper's neighbours differ by
/// replacing. [`upper_triangle_epsilon`] says what it costs.
///
/// # Errors
/// As [`ridge`].
pub fn analyze_gauss_sigma(epsilon: Epsilon, delta: Delta) -> Result<f64, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(libm::sqrt(2.0 * libm::log(2.0 / d)) / e)
}

/// Returns the smallest ε at δ of second moments with independent normal noise of that standard deviation, in units of R², in each cell on
/// and above the diagonal; rounded up by 1e-9. The cells change by at most R² or, under `replace-one`, √2 R² together.
///
/// # Errors
/// If sigma is not above 0, or δ is 0.
pub fn upper_triangle_epsilon(
    sigma: f64,
    delta: Delta,
    adjacency: Adjacency,
) -> Result<Epsilon, ProfileError> {
    let change = match adjacency {
        Adjacency::AddRemove => 1.0,
        Adjacency::ReplaceOne => std::f64::consts::SQRT_2,
    };
    let mu = Mu::try_new(raise(change / positive("sigma", sigma)?, MARGIN));
    let mu = mu.map_err(|_| ProfileError::NoEpsilon)?;
    Ok(gdp_epsilon(mu, delta)?)
}

/// What may be taken off the diagonal of G + W_d(s² I, k) against the bias, in units of s² (section 4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Debiasing {
    /// k, the noise's mean: for a matrix that is still positive definite without it.
    pub mean: f64,
    /// (√k − √d − √(2 ln(4/δ)))², or 0 where the bracket is negative: what is left is positive definite but with chance δ/2.
    pub cautious: f64,
}

/// Returns the two shifts for k degrees of freedom and d columns.
///
/// # Errors
/// If δ is 0.
pub fn debiasing(degrees: u32, dimension: u32, delta: Delta) -> Result<Debiasing, PaperError> {
    let d = delta.get();
    if d <= 0.0 {
        return Err(PaperError::Delta { range: words::error::range_above_zero(), given: d });
    }
    let k = f64::from(degrees);
    let bracket = libm::sqrt(k) - libm::sqrt(f64::from(dimension)) - libm::sqrt(2.0 * libm::log(4.0 / d));
    Ok(Debiasing { mean: k, cautious: bracket.max(0.0) * bracket.max(0.0) })
}

/// Returns √(2 r l) + l: half of how far χ²_r strays from r but with chance e^−l.
fn tail(r: f64, l: f64) -> f64 {
    libm::sqrt(2.0 * r * l) + l
}

fn above_zero(epsilon: Epsilon) -> Result<f64, PaperError> {
    let e = epsilon.get();
    if e > 0.0 {
        Ok(e)
    } else {
        Err(PaperError::Epsilon { range: words::error::range_above_zero(), given: e })
    }
}

fn checked(epsilon: Epsilon, delta: Delta) -> Result<(f64, f64), PaperError> {
    let (e, d) = (above_zero(epsilon)?, delta.get());
    if d > 0.0 && d < 1.0 / std::f64::consts::E {
        Ok((e, d))
    } else {
        Err(PaperError::Delta { range: words::error::range_e(), given: d })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{close, delta, epsilon, printed, rows};
    use super::super::{WishartNoise, additive_wishart_epsilon, sketch_delta, sketch_epsilon};
    use super::*;
    use crate::privacy::adjacency::Adjacency::{AddRemove, ReplaceOne};

    const EPSILONS: [f64; 4] = [0.1, 0.5, 1.0, 2.0];

    #[test]
    fn ridges_and_degrees_as_printed() {
        // theory/wishart 4.2 and 4.3, "paper"; 775.496 is 776 there.
        for (r, texts) in [
            (10, ["1305.5", "261.1", "130.6", "65.3"]),
            (40, ["2003.0", "400.6", "200.3", "100.2"]),
            (100, ["2813.7", "562.7", "281.4", "140.7"]),
            (1_005, ["7600", "1520", "760", "380"]),
            (1_020, ["7652", "1530", "765", "383"]),
            (1_050, ["7755", "1551", "775", "388"]),
            (10_020, ["22686", "4537", "2269", "1134"]),
            (100_020, ["70362", "14072", "7036", "3518"]),
        ] {
            for (e, text) in EPSILONS.into_iter().zip(texts) {
                printed(ridge(epsilon(e), delta(1e-6), rows(r)).unwrap(), text);
            }
        }
        for (e, expected) in [(0.1, [42_570, 42_585, 42_615]), (0.5, [1_707, 1_722, 1_752])] {
            for (p, k) in [5, 20, 50].into_iter().zip(expected) {
                assert_eq!(degrees(epsilon(e), delta(1e-6), p), Ok(k));
            }
        }
    }

    #[test]
    fn what_the_paper_s_ridges_really_cost() {
        // theory/wishart 6.1, at ten to 100,000 rows.
        for (e, texts) in [
            (0.1, [".0085", ".0102", ".0112", ".0131", ".0139", ".0142"]),
            (0.5, [".0504", ".0587", ".0643", ".0744", ".0788", ".0804"]),
            (1.0, [".1076", ".1241", ".1353", ".1563", ".1656", ".1688"]),
            (2.0, [".2287", ".2614", ".2843", ".3277", ".3472", ".3541"]),
        ] {
            for (r, text) in [10, 40, 100, 1_000, 10_000, 100_000].into_iter().zip(texts) {
                let ridge = ridge(epsilon(e), delta(1e-6), rows(r)).unwrap();
                printed(sketch_epsilon(delta(1e-6), ridge, rows(r), ReplaceOne).unwrap().get(), text);
                assert!(sketch_delta(epsilon(e), 1.0 / ridge, rows(r), ReplaceOne).unwrap() < delta(1e-20));
            }
        }
        // Half of the ridge, as published in 2019, at a claimed ε of 1.
        for (r, text) in [(10, ".229"), (40, ".261"), (100_000, ".354")] {
            let ridge = ridge(epsilon(1.0), delta(1e-6), rows(r)).unwrap() / 2.0;
            printed(sketch_epsilon(delta(1e-6), ridge, rows(r), ReplaceOne).unwrap().get(), text);
        }
        // The theorem is proved for moderate ε and true well beyond.
        for e in [5.0, 60.0] {
            let ridge = ridge(epsilon(e), delta(1e-6), rows(40)).unwrap();
            assert!(sketch_epsilon(delta(1e-6), ridge, rows(40), ReplaceOne).unwrap() < epsilon(e));
        }
    }

    #[test]
    fn what_the_paper_s_degrees_of_freedom_cost_at_most() {
        // theory/wishart 6.1, has the curve of two orthogonal rows; a bound is above it and below twice it.
        for (e, exact) in [(0.1, 0.0154), (0.5, 0.0881)] {
            let noise = WishartNoise::try_new(degrees(epsilon(e), delta(1e-6), 5).unwrap(), 5).unwrap();
            let bound = additive_wishart_epsilon(delta(1e-6), 1.0, noise, ReplaceOne).unwrap().get();
            assert!((exact..2.0 * exact).contains(&bound), "{e}: {bound}");
        }
    }

    #[test]
    fn the_baseline_costs_more_than_it_claims() {
        // theory/wishart 6.4, intended formula.
        for (e, sigma, real) in [
            (0.1, "53.87", "0.095"),
            (0.5, "10.77", "0.531"),
            (1.0, "5.387", "1.118"),
            (2.0, "2.693", "2.379"),
        ] {
            let scale = analyze_gauss_sigma(epsilon(e), delta(1e-6)).unwrap();
            printed(scale, sigma);
            printed(upper_triangle_epsilon(scale, delta(1e-6), ReplaceOne).unwrap().get(), real);
            assert!(upper_triangle_epsilon(scale, delta(1e-6), AddRemove).unwrap() < epsilon(e));
        }
        // theory/wishart 4.4: exact scales come back.
        for (e, replace, remove) in [(0.1, 51.343, 36.305), (1.0, 5.9746, 4.2247)] {
            close(upper_triangle_epsilon(replace, delta(1e-6), ReplaceOne).unwrap().get(), e, 1e-4);
            close(upper_triangle_epsilon(remove, delta(1e-6), AddRemove).unwrap().get(), e, 1e-4);
        }
    }

    #[test]
    fn the_planner_s_golden_numbers() {
        let (one, small) = (epsilon(1.0), delta(1e-6));
        close(adaptive_ridge(one, small, rows(6)).unwrap() - 50.0, 187.646_372_621, 1e-11);
        assert_eq!(adaptive_rows(one, small, 5_000.0), Ok(NonZeroU32::new(11_670)));
        let rule = adaptive_eigenvalue_rule(one, small).unwrap();
        close(209.652_161_729_7 - rule.shift + 0.7 * rule.laplace_scale, 182.034_846_252_623, 1e-11);
        for eigenvalue in [160.0, 187.0, 238.0, 5e3, 1e6] {
            let f = |rows| adaptive_ridge(one, small, rows).unwrap();
            match adaptive_rows(one, small, eigenvalue).unwrap() {
                Some(most) => assert!(f(most) <= eigenvalue && f(most.checked_add(1).unwrap()) > eigenvalue),
                None => assert!(f(NonZeroU32::MIN) > eigenvalue),
            }
        }
        assert_eq!(adaptive_rows(one, small, 1e12), Ok(Some(MOST_ROWS)));
        assert_eq!(adaptive_rows(one, small, 0.0), Ok(None));
    }

    #[test]
    fn the_mended_rule_fails_as_often_as_it_says() {
        // P[Laplace(b) > shift − 1] = e^(−(shift − 1)/b)/2.
        for (e, d) in [(0.25, 1e-7), (1.0, 1e-3), (0.5, 0.5)] {
            let rule = eigenvalue_rule(epsilon(e), delta(d)).unwrap();
            let chance = libm::exp(-(rule.shift - 1.0) / rule.laplace_scale) / 2.0;
            assert!(
                chance <= d && chance > d * (1.0 - 1e-6) && rule.laplace_scale * e >= 1.0,
                "{chance:e} {d:e}"
            );
        }
        // The paper's own at ε = 2 leaves more than δ: δ/2 for the sketch and (δ/4) e^(ε/2) here.
        let rule = adaptive_eigenvalue_rule(epsilon(2.0), delta(1e-6)).unwrap();
        let chance = libm::exp(-(rule.shift - 1.0) / rule.laplace_scale) / 2.0;
        close((chance + 5e-7) / 1e-6, 1.18, 1e-2);
    }

    #[test]
    fn shifts_against_the_bias() {
        let shifts = debiasing(1_722, 20, delta(1e-6)).unwrap();
        close(shifts.mean, 1722.0, 0.0);
        let bracket = libm::sqrt(1722.0) - libm::sqrt(20.0) - libm::sqrt(2.0 * libm::log(4e6));
        close(shifts.cautious, bracket * bracket, 1e-12);
        close(debiasing(30, 20, delta(1e-6)).unwrap().cautious, 0.0, 0.0);
        assert!(debiasing(30, 20, Delta::ZERO).is_err());
    }

    #[test]
    fn beyond_the_theorems() {
        let small = delta(1e-6);
        assert!(degrees(epsilon(1.0), small, 5).is_err() && degrees(Epsilon::ZERO, small, 5).is_err());
        assert!(
            degrees(epsilon(0.5), delta(1.0 / 6.0), 5).is_err()
                && degrees(epsilon(0.5), Delta::ZERO, 5).is_err()
        );
        assert_eq!(degrees(epsilon(1e-6), small, 5), Err(PaperError::TooLarge));
        for bad in [Delta::ZERO, delta(0.4)] {
            assert!(
                ridge(epsilon(1.0), bad, rows(5)).is_err() && analyze_gauss_sigma(epsilon(1.0), bad).is_err()
            );
        }
        assert!(
            ridge(Epsilon::ZERO, small, rows(5)).is_err() && eigenvalue_rule(Epsilon::ZERO, small).is_err()
        );
        assert!(eigenvalue_rule(epsilon(1.0), delta(0.6)).is_err());
        assert!(upper_triangle_epsilon(0.0, small, AddRemove).is_err());
        assert!(upper_triangle_epsilon(1.0, Delta::ZERO, AddRemove).is_err());
    }
}
