//! The scales as PRIMO prints them (Neel, PRIMO: private regression in multiple outcomes, arXiv 2303.04195), to repeat what it
//! did, and what they really cost. Scales are to nearest.
//!
//! X has rows of length up to Bx and Y rows of length up to By; the paper's By is √l times the bound on one entry, or the
//! longest row of a public Y. Scales are standard deviations on the sums X′X and X′Y, in units of Bx² and Bx By: the paper's,
//! which are on means, times n.

use super::super::super::adjacency::Adjacency;
use super::super::super::convert::gdp_epsilon;
use super::super::super::measure::{Delta, Epsilon, Mu};
use super::super::super::subsampling::{FixedSize, ReplaceOneDp};
use super::super::ProfileError;
use super::{PaperError, above_zero};
use crate::math::round::{MARGIN, lower, raise};
use crate::words;

/// Independent normal noise on a shared covariance, on and above its diagonal, and on an association. Less noise off the
/// diagonal, by √2, costs the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scales {
    /// The noise on X′X, in units of Bx²; ∞ if it is not released.
    pub covariance: f64,
    /// The noise on X′Y, in units of Bx By; ∞ if it is not released.
    pub association: f64,
}

impl Scales {
    /// Returns the μ of both together, rounded up by 1e-9: the largest change of (X′X/σ₁, X′Y/σ₂) that one record makes.
    ///
    /// With κ = (σ₁/σ₂)² it is √2 (1 + κ/2)/σ₁, or 2/σ₂ from κ = 2 on, where records are replaced, and √(1 + κ)/σ₁ where they
    /// are added or removed (theory/many-outcomes 2.1): no record is the worst for both parts at once.
    ///
    /// # Errors
    /// If a scale is not above 0, or both are so small that no μ is large enough.
    pub fn mu(&self, adjacency: Adjacency) -> Result<Mu, ProfileError> {
        for (name, given) in
            [("covariance's scale", self.covariance), ("association's scale", self.association)]
        {
            if given.is_nan() || given <= 0.0 {
                return Err(ProfileError::NotPositive { name, given });
            }
        }
        let (first, second) = (1.0 / self.covariance, 1.0 / self.association);
        let change = match adjacency {
            Adjacency::AddRemove => libm::hypot(first, second),
            Adjacency::ReplaceOne if second * second >= 2.0 * first * first => 2.0 * second,
            Adjacency::ReplaceOne => std::f64::consts::SQRT_2 * (first + second / first * second / 2.0),
        };
        Mu::try_new(raise(change, MARGIN)).map_err(|_| ProfileError::NoEpsilon)
    }

    /// Returns the smallest ε at δ of both together; rounded up by 1e-9.
    ///
    /// # Errors
    /// As [`mu`](Self::mu), or when δ is 0.
    pub fn epsilon(&self, delta: Delta, adjacency: Adjacency) -> Result<Epsilon, ProfileError> {
        Ok(gdp_epsilon(self.mu(adjacency)?, delta)?)
    }
}

/// Returns c(ε, δ) = √(2 (1/ε + ln(1/δ)/ε²)), noise over sensitivity (Lemma 1), and the scale of Algorithm 2 in Bx By. It suffices for
/// every ε, and is 20 to 60 % more than [`gaussian_sigma`](super::super::super::convert::gaussian_sigma) needs; the
/// sensitivity of Algorithm 2 is that of `add-remove`.
///
/// # Errors
/// If ε is 0, or δ is 0 or 1 or more.
pub fn constant(epsilon: Epsilon, delta: Delta) -> Result<f64, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(c(e, d))
}

/// Returns the scales of Algorithm 1 with Gaussian noise: c(ε, δ) and c(ε/2, δ/2), so that ε/2 is claimed for a covariance that spends ε; the
/// sensitivities are those of `add-remove`.
///
/// # Errors
/// As [`constant`].
pub fn reuse_cov(epsilon: Epsilon, delta: Delta) -> Result<Scales, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(Scales { covariance: c(e, d), association: c(e / 2.0, d / 2.0) })
}

/// Returns the scales of Algorithm 1 with half of ε and of δ for each part.
///
/// # Errors
/// As [`constant`].
pub fn reuse_cov_halved(epsilon: Epsilon, delta: Delta) -> Result<Scales, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    let half = c(e / 2.0, d / 2.0);
    Ok(Scales { covariance: half, association: half })
}

/// Returns the proof of Theorem 1: c(ε, δ)/ε for the covariance and twice that for the association; it divides by ε once more.
///
/// # Errors
/// As [`constant`].
pub fn reuse_cov_proof(epsilon: Epsilon, delta: Delta) -> Result<Scales, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(Scales { covariance: c(e, d) / e, association: 2.0 * c(e, d) / e })
}

/// Returns the scales of Algorithm 3: the classical 2 √(2 ln(2.5/δ))/ε for the covariance, which is proved for ε < 2 alone, and c(ε/2, δ/2).
///
/// # Errors
/// As [`constant`].
pub fn efficient_reuse_cov(epsilon: Epsilon, delta: Delta) -> Result<Scales, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(Scales { covariance: classical(e / 2.0, d / 2.0), association: c(e / 2.0, d / 2.0) })
}

/// Returns the covariance of Algorithm 4, from s of n rows: 2 √(2 ln(2.5/δ))/ε₁ for ε₁ = (n/s) ε/2, which halves ε twice, on the sum
/// over the sample. The paper divides the sum by s and the noise by n; [`subsampled_covariance_mended`] divides both by s.
///
/// # Errors
/// As [`constant`].
pub fn subsampled_covariance(epsilon: Epsilon, delta: Delta, sampling: FixedSize) -> Result<f64, PaperError> {
    Ok(subsampled_covariance_mended(epsilon, delta, sampling)? * sampling.rate())
}

/// Returns the same with the noise divided by s. What it spends still grows faster than ε n/s does:
/// [`subsampled_covariance_epsilon`].
///
/// # Errors
/// As [`constant`].
pub fn subsampled_covariance_mended(
    epsilon: Epsilon,
    delta: Delta,
    sampling: FixedSize,
) -> Result<f64, PaperError> {
    let (e, d) = checked(epsilon, delta)?;
    Ok(classical(e / 4.0 / sampling.rate(), d / 2.0))
}

/// Returns the smallest ε at δ, where records are replaced, of noise of that scale, in Bx², on the X′X of a secret sample; rounded up by
/// 1e-9. It is ln(1 + γ (e^ε₀ − 1)) for γ = s/n and the ε₀ at δ/γ of the sample by itself, whose change is √2 Bx² (Balle,
/// Barthe, Gaboardi 2018).
///
/// # Errors
/// If the scale is not above 0, or δ is 0.
pub fn subsampled_covariance_epsilon(
    scale: f64,
    delta: Delta,
    sampling: FixedSize,
) -> Result<Epsilon, ProfileError> {
    let alone = lower(delta.get() / sampling.rate(), MARGIN).min(1.0);
    let alone = Delta::try_new(alone.max(0.0)).map_err(|_| ProfileError::NoEpsilon)?;
    let scales = Scales { covariance: scale, association: f64::INFINITY };
    let base = ReplaceOneDp { epsilon: scales.epsilon(alone, Adjacency::ReplaceOne)?, delta: alone };
    Ok(sampling.amplify(base).epsilon)
}

/// Returns the scales of Algorithm 4 as printed: [`subsampled_covariance`], and the association of all rows with c(ε/2, δ/2).
///
/// # Errors
/// As [`constant`].
pub fn subsampled_reuse_cov(
    epsilon: Epsilon,
    delta: Delta,
    sampling: FixedSize,
) -> Result<Scales, PaperError> {
    let covariance = subsampled_covariance(epsilon, delta, sampling)?;
    Ok(Scales { covariance, association: reuse_cov(epsilon, delta)?.association })
}

/// Returns the smallest ε at δ that is proved for noise of such scales on a secret sample's X′X and on the X′Y of all rows, where records are
/// replaced: basic composition, with half of δ for either part; rounded up by 1e-9.
///
/// # Errors
/// As [`subsampled_covariance_epsilon`].
pub fn subsampled_reuse_cov_epsilon(
    scales: Scales,
    delta: Delta,
    sampling: FixedSize,
) -> Result<Epsilon, ProfileError> {
    let half = Delta::try_new(lower(delta.get() / 2.0, MARGIN)).map_err(|_| ProfileError::NoEpsilon)?;
    let sampled = subsampled_covariance_epsilon(scales.covariance, half, sampling)?;
    let alone = Scales { covariance: f64::INFINITY, ..scales };
    let whole = alone.epsilon(half, Adjacency::ReplaceOne)?;
    Epsilon::try_new(raise(sampled.get() + whole.get(), MARGIN)).map_err(|_| ProfileError::NoEpsilon)
}

fn c(e: f64, d: f64) -> f64 {
    libm::sqrt(2.0 * (1.0 / e - libm::log(d) / (e * e)))
}

fn classical(e: f64, d: f64) -> f64 {
    libm::sqrt(2.0 * libm::log(1.25 / d)) / e
}

fn checked(epsilon: Epsilon, delta: Delta) -> Result<(f64, f64), PaperError> {
    let (e, d) = (above_zero(epsilon)?, delta.get());
    if d > 0.0 && d < 1.0 {
        Ok((e, d))
    } else {
        Err(PaperError::Delta { range: words::error::range_below_one(), given: d })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{close, delta, epsilon, printed};
    use super::*;
    use crate::privacy::adjacency::Adjacency::{AddRemove, ReplaceOne};

    const EPSILONS: [f64; 5] = [0.1, 1.0, 2.0, 5.0, 10.0];

    fn least() -> Delta {
        delta(1.0 / (5008.0 * 5008.0))
    }

    #[test]
    fn the_constant_suffices_and_is_loose() {
        use super::super::super::super::convert::gaussian_sigma;
        for (e, d, text) in [
            (0.1, 1e-5, "48.19"),
            (0.5, 1e-8, "12.30"),
            (1.0, 1e-5, "5.003"),
            (2.0, 1e-8, "3.195"),
            (5.0, 1e-5, "1.149"),
            (10.0, 1e-5, "0.656"),
        ] {
            let found = constant(epsilon(e), delta(d)).unwrap();
            printed(found, text);
            let ratio = found / gaussian_sigma(epsilon(e), delta(d), 1.0).unwrap();
            assert!((1.19..1.58).contains(&ratio), "{e} {d}: {ratio}");
        }
    }

    #[test]
    fn what_the_printed_scales_deliver() {
        type Kind = fn(Epsilon, Delta) -> Result<Scales, PaperError>;
        let association: Kind = |e, d| Ok(Scales { covariance: f64::INFINITY, association: constant(e, d)? });
        let kinds: [Kind; 5] =
            [reuse_cov, reuse_cov_halved, reuse_cov_proof, efficient_reuse_cov, association];
        let expected = [
            ["0.12 0.08 0.01 0.08 0.15", "0.08 0.05 0.01 0.05 0.07"],
            ["1.30 0.84 1.31 0.85 1.67", "0.90 0.55 0.90 0.55 0.80"],
            ["2.67 1.74 5.72 1.75 3.42", "1.83 1.13 3.87 1.14 1.62"],
            ["6.85 4.51 49.4 4.62 8.80", "4.61 2.89 30.8 2.99 4.03"],
            ["13.8 9.25 349 9.75 17.7", "9.08 5.83 196 6.25 7.82"],
        ];
        for (e, lines) in EPSILONS.into_iter().zip(expected) {
            for (adjacency, line) in [ReplaceOne, AddRemove].into_iter().zip(lines) {
                for (kind, text) in kinds.iter().zip(line.split(' ')) {
                    let scales = kind(epsilon(e), least()).unwrap();
                    printed(scales.epsilon(least(), adjacency).unwrap().get(), text);
                }
            }
        }
    }

    #[test]
    fn a_sampled_covariance_costs_more_than_it_claims() {
        // Claimed: half of 5.
        for (sample, as_printed, mended) in [(2504, "6.0", "2.4"), (501, "581", "16.4")] {
            let sampling = FixedSize::try_new(sample, 5008).unwrap();
            let half = delta(least().get() / 2.0);
            for (scale, text) in [
                (subsampled_covariance(epsilon(5.0), least(), sampling), as_printed),
                (subsampled_covariance_mended(epsilon(5.0), least(), sampling), mended),
            ] {
                printed(subsampled_covariance_epsilon(scale.unwrap(), half, sampling).unwrap().get(), text);
            }
        }
        // The whole table is no sample.
        let whole = FixedSize::try_new(9, 9).unwrap();
        let scales = Scales { covariance: 3.0, association: f64::INFINITY };
        let alone = scales.epsilon(least(), ReplaceOne).unwrap().get();
        close(subsampled_covariance_epsilon(3.0, least(), whole).unwrap().get(), alone, 1e-8);
    }

    #[test]
    fn both_parts_of_algorithm_4_cost_their_sum() {
        let sampling = FixedSize::try_new(501, 5008).unwrap();
        let scales = subsampled_reuse_cov(epsilon(5.0), least(), sampling).unwrap();
        let half = delta(least().get() / 2.0);
        let sampled = subsampled_covariance_epsilon(scales.covariance, half, sampling).unwrap().get();
        let whole = Scales { covariance: f64::INFINITY, ..scales }.epsilon(half, ReplaceOne).unwrap().get();
        let both = subsampled_reuse_cov_epsilon(scales, least(), sampling).unwrap().get();
        close(both, sampled + whole, 1e-6);
        assert!(both >= sampled + whole && both > 581.0);
    }

    /// Over a grid of pairs of records in the plane, the change comes near what is charged and never beyond it.
    #[test]
    fn no_record_changes_more() {
        for (first, second) in [(1.0, 0.3), (1.0, 1.0), (1.0, 1.4), (1.0, 1.5), (0.2, 1.0), (1.0, 0.01)] {
            let scales = Scales { covariance: 1.0 / first, association: 1.0 / second };
            let (mut replaced, mut removed) = (0.0_f64, 0.0_f64);
            for a in 0..=200 {
                let (sin, cos) = libm::sincos(f64::from(a) * std::f64::consts::PI / 200.0);
                for (norm, b) in [(1.0, 1.0), (1.0, -1.0), (0.7, -1.0), (1.0, 0.0), (0.0, 0.0)] {
                    // (x, y) = ((1, 0), 1) becomes (norm (cos, sin), b).
                    let (u, v) = (norm * cos, norm * sin);
                    let covariance = (1.0 - u * u) * (1.0 - u * u) + 2.0 * u * u * v * v + v * v * v * v;
                    let association = (1.0 - u * b) * (1.0 - u * b) + v * b * v * b;
                    let change = libm::sqrt(covariance * first * first + association * second * second);
                    replaced = replaced.max(change);
                    if norm <= 0.0 {
                        removed = removed.max(change);
                    }
                }
            }
            for (found, adjacency) in [(replaced, ReplaceOne), (removed, AddRemove)] {
                let charged = scales.mu(adjacency).unwrap().get();
                assert!((0.999..=1.0).contains(&(found / charged)), "{first} {second} {}", found / charged);
            }
        }
    }

    #[test]
    fn what_has_no_answer() {
        for bad in [0.0, -1.0, f64::NAN] {
            for scales in
                [Scales { covariance: bad, association: 1.0 }, Scales { covariance: 1.0, association: bad }]
            {
                assert!(scales.mu(ReplaceOne).is_err(), "{bad}");
            }
        }
        let scales = Scales { covariance: 1.0, association: 1.0 };
        assert!(scales.epsilon(Delta::ZERO, ReplaceOne).is_err());
        assert!(Scales { covariance: 1e-320, association: 1.0 }.mu(AddRemove).is_err());
        assert!(constant(Epsilon::ZERO, least()).is_err() && constant(epsilon(1.0), Delta::ZERO).is_err());
        assert!(reuse_cov(epsilon(1.0), delta(1.0)).is_err());
        let sampling = FixedSize::try_new(1, 2).unwrap();
        assert!(subsampled_covariance_epsilon(0.0, least(), sampling).is_err());
        assert!(subsampled_covariance(Epsilon::ZERO, least(), sampling).is_err());
    }
}
