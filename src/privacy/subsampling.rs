//! Amplification by subsampling (theory/accounting 4.4). The two theorems are not interchangeable, so each kind of sampling has
//! its own type of guarantee, by adjacency.
//!
//! Both are valid only if this program draws the sample with secure randomness, independently for each release, and keeps it
//! secret. The sampling design of a study gives no amplification. Each result is rounded up by 1e-12.

use dashu_int::UBig;

use super::calibrate::{CalibrationError, NoiseScale, noise_scale_for};
use super::convert::{ConversionError, DELTA_MARGIN, gdp_ln_delta, gdp_mu, raised_delta};
use super::measure::{Delta, Epsilon, Mu};
use crate::math::round::{MARGIN, floor_square_scaled, lower, multiply_up, raise};

/// An (ε, δ) guarantee under `add-remove`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddRemoveDp {
    /// ε.
    pub epsilon: Epsilon,
    /// δ.
    pub delta: Delta,
}

/// An (ε, δ) guarantee under `replace-one`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplaceOneDp {
    /// ε.
    pub epsilon: Epsilon,
    /// δ.
    pub delta: Delta,
}

/// An invalid sampling.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SamplingError {
    /// The rate is no probability.
    #[error("{}", crate::words::error::sampling_rate(.0))]
    Rate(f64),
    /// The sample is larger than the table.
    #[error("{}", crate::words::error::sampling_size(sample, rows))]
    Size {
        /// m as given.
        sample: u32,
        /// n as given.
        rows: u32,
    },
}

/// Poisson sampling: each person is in the sample independently, with the same probability q.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Poisson {
    rate: f64,
}

/// Sampling of a fixed size: m of the n persons, each set of m with the same probability, without replacement; n is
/// public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedSize {
    /// m/n, rounded up.
    rate: f64,
}

/// Two Gaussian releases, one on a sample and one on the whole table ([`FixedSize::gaussian_parts`]).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parts {
    /// μ of the release on the sample if the sample were public.
    pub sample: Mu,
    /// Its ε, the largest by which the cost of its discreteness is multiplied.
    pub sample_epsilon: Epsilon,
    /// μ of the release on the table.
    pub whole: Mu,
}

impl Parts {
    /// Returns the least S at which both keep their μ, given their squared sensitivities.
    ///
    /// # Errors
    /// [`CalibrationError`] if S is out of range.
    pub fn scale(&self, sample: &UBig, whole: &UBig) -> Result<NoiseScale, CalibrationError> {
        let scale = |square: &UBig, mu: Mu| {
            let units = floor_square_scaled(mu.get(), FINE_BITS).ok_or(CalibrationError::TooLarge)?;
            noise_scale_for(square, &units, &(UBig::ONE << FINE_BITS))
        };
        Ok(scale(sample, self.sample)?.max(scale(whole, self.whole)?))
    }
}

/// Fractional bits of a squared μ. That of a sample is large, that of a table small.
const FINE_BITS: usize = 60;

/// Which of two neighbouring tables has the distribution P of a privacy profile: P(E) <= e^ε Q(E) + δ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// P with the person, Q without.
    Remove,
    /// P without the person, Q with.
    Add,
}

impl Poisson {
    /// Returns Poisson sampling with the rate q.
    ///
    /// # Errors
    /// If q is not from 0 to 1.
    pub fn try_new(rate: f64) -> Result<Self, SamplingError> {
        if (0.0..=1.0).contains(&rate) {
            Ok(Self { rate: rate.abs() })
        } else {
            Err(SamplingError::Rate(rate))
        }
    }

    /// Returns the `add-remove` guarantee of a mechanism on the sample that has the guarantee `base` on its input:
    /// (ln(1 + q (e^ε − 1)), q δ). Li, Qardaji, Su 2012; Balle, Barthe, Gaboardi 2018, Theorem 8.
    pub fn amplify(self, base: AddRemoveDp) -> AddRemoveDp {
        AddRemoveDp {
            epsilon: amplified_eps(base.epsilon, self.rate),
            delta: amplified_delta(base.delta, self.rate),
        }
    }

    /// Returns δ at ε of one Gaussian release of μ (sensitivity over σ) on the sample, in one direction under `add-remove`;
    /// rounded up. The guarantee is the larger of the two directions.
    ///
    /// With A the release without the person and B with: `Remove` is H_{e^ε}((1 − q) A + q B ‖ A) = q δ_G(ε₀; μ),
    /// e^ε₀ = 1 + (e^ε − 1)/q. `Add` is H_{e^ε}(A ‖ (1 − q) A + q B) = c δ_G(ln(q e^ε/c); μ), c = q − (1 − q)(e^ε − 1),
    /// and 0 for c <= 0 (theory/accounting 4.4). δ_G is that of [`gdp_ln_delta`]; relative error below 2e-15 |ln δ|.
    pub fn gaussian_delta(self, direction: Direction, epsilon: Epsilon, mu: Mu) -> Delta {
        let (q, e, m) = (self.rate, epsilon.get(), mu.get());
        if q <= 0.0 || mu.is_zero() {
            return Delta::ZERO;
        }
        let (weight, inner) = match direction {
            Direction::Remove => (q, base_eps(e, q)),
            Direction::Add => {
                // c = q (1 − taken); lowered by its error, so that what is called 0 is 0.
                let taken = (1.0 - q) * libm::expm1(e) / q * (1.0 - 8.0 * f64::EPSILON);
                if taken >= 1.0 {
                    return Delta::ZERO;
                }
                (q * (1.0 - taken), e - libm::log1p(-taken))
            }
        };
        // δ is not 0, even if it is below the smallest double.
        raised_delta((weight * libm::exp(gdp_ln_delta(inner, m))).max(f64::MIN_POSITIVE), DELTA_MARGIN)
    }
}

impl FixedSize {
    /// Returns a sample of `sample` out of `rows`.
    ///
    /// # Errors
    /// If the sample is larger than the table or the table is empty.
    pub fn try_new(sample: u32, rows: u32) -> Result<Self, SamplingError> {
        if rows == 0 || sample > rows {
            return Err(SamplingError::Size { sample, rows });
        }
        let (m, n) = (f64::from(sample), f64::from(rows));
        let rate = m / n;
        Ok(Self { rate: if libm::fma(rate, n, -m) < 0.0 { rate.next_up() } else { rate } })
    }

    /// Returns m/n, rounded up.
    pub fn rate(self) -> f64 {
        self.rate
    }

    /// Returns two Gaussian releases that together keep (ε, δ) under `replace-one`: one on a sample of this kind, with `share` of ε
    /// and δ, and one on the whole table with the rest. 2⁻²⁰ of δ is reserved for the discreteness of their noise (2⁻²¹ suffices,
    /// because that of a sample is amplified like its δ).
    ///
    /// The sample's own guarantee is ε₀ = ln(1 + (e^ε − 1)/γ) at δ₀ = δ/γ, the inverse of [`Self::amplify`], rounded down until
    /// that confirms it (Balle, Barthe, Gaboardi 2018, Theorem 9; theory/many-outcomes 5.2).
    ///
    /// # Errors
    /// [`CalibrationError`] if a part of the budget is too small.
    pub fn gaussian_parts(
        self,
        epsilon: Epsilon,
        delta: Delta,
        share: f64,
    ) -> Result<Parts, ConversionError> {
        let usable = lower(delta.get() * (1.0 - libm::ldexp(1.0, -20)), MARGIN);
        let part = |share: f64| -> Result<ReplaceOneDp, ConversionError> {
            let epsilon = Epsilon::try_new(lower(epsilon.get() * share, MARGIN));
            let delta = Delta::try_new(lower(usable * share, MARGIN));
            match (epsilon, delta) {
                (Ok(epsilon), Ok(delta)) => Ok(ReplaceOneDp { epsilon, delta }),
                _ => Err(ConversionError::DeltaZero),
            }
        };
        let (sampled, whole) = (part(share)?, part(1.0 - share)?);
        let mut base = base_eps(sampled.epsilon.get(), self.rate);
        let alone = Delta::try_new(lower(sampled.delta.get() / self.rate, MARGIN).min(0.5))
            .map_err(|_| ConversionError::DeltaZero)?;
        let base = loop {
            base = lower(base, MARGIN);
            let guarantee = ReplaceOneDp {
                epsilon: Epsilon::try_new(base.max(0.0)).map_err(|_| ConversionError::DeltaZero)?,
                delta: alone,
            };
            let amplified = self.amplify(guarantee);
            if amplified.epsilon <= sampled.epsilon && amplified.delta <= sampled.delta {
                break guarantee;
            }
        };
        Ok(Parts {
            sample: gdp_mu(base.epsilon, base.delta)?,
            sample_epsilon: base.epsilon,
            whole: gdp_mu(whole.epsilon, whole.delta)?,
        })
    }

    /// Returns the `replace-one` guarantee of a mechanism on the sample that has the guarantee `base` on its input:
    /// (ln(1 + q (e^ε − 1)), q δ) with q = m/n. Balle, Barthe, Gaboardi 2018, Theorem 9.
    pub fn amplify(self, base: ReplaceOneDp) -> ReplaceOneDp {
        ReplaceOneDp {
            epsilon: amplified_eps(base.epsilon, self.rate),
            delta: amplified_delta(base.delta, self.rate),
        }
    }
}

/// Returns ln(1 + q (e^ε − 1)), rounded up: the ε of both theorems. [`Poisson::amplify`] and [`FixedSize::amplify`] say when.
fn amplified_eps(epsilon: Epsilon, rate: f64) -> Epsilon {
    let e = epsilon.get();
    if rate <= 0.0 || epsilon.is_zero() {
        return Epsilon::ZERO;
    }
    let amplified = if e < 700.0 {
        libm::log1p(rate * libm::expm1(e))
    } else {
        // e^ε would overflow, and all other terms are negligible.
        e + libm::log(rate)
    };
    // Sampling never raises ε, so the rounding stops at ε.
    Epsilon::try_new(raise(amplified, DELTA_MARGIN).min(e)).unwrap_or(epsilon)
}

/// Returns q δ, rounded up: the δ of both theorems.
fn amplified_delta(delta: Delta, rate: f64) -> Delta {
    Delta::try_new(multiply_up(delta.get(), rate).min(1.0)).unwrap_or(delta)
}

/// Returns ln(1 + (e^ε − 1)/q), the inverse of the amplification.
fn base_eps(e: f64, q: f64) -> f64 {
    let ratio = libm::expm1(e) / q;
    if ratio.is_finite() {
        libm::log1p(ratio)
    } else {
        e + libm::log(q * libm::exp(-e) - libm::expm1(-e)) - libm::log(q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(e: f64, d: f64) -> AddRemoveDp {
        AddRemoveDp { epsilon: Epsilon::try_new(e).unwrap(), delta: Delta::try_new(d).unwrap() }
    }

    fn replaced(e: f64, d: f64) -> ReplaceOneDp {
        ReplaceOneDp { epsilon: Epsilon::try_new(e).unwrap(), delta: Delta::try_new(d).unwrap() }
    }

    /// Returns H_{e^ε}(P ‖ Q) of two laws on the same few outcomes.
    fn excess(p: &[f64], q: &[f64], e: f64) -> f64 {
        p.iter().zip(q).map(|(p, q)| (p - libm::exp(e) * q).max(0.0)).sum()
    }

    fn both(p: &[f64], q: &[f64], e: f64) -> f64 {
        excess(p, q, e).max(excess(q, p, e))
    }

    /// Returns a law on five outcomes, of no particular kind.
    fn law(seed: u64) -> Vec<f64> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let weights: Vec<f64> = (0..5)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                let uniform = (state >> 11) as f64 / (1_u64 << 53) as f64;
                libm::exp(2.0 * uniform)
            })
            .collect();
        let total: f64 = weights.iter().sum();
        weights.iter().map(|weight| weight / total).collect()
    }

    fn mixed(laws: &[(f64, &[f64])]) -> Vec<f64> {
        (0..5).map(|i| laws.iter().map(|(share, law)| share * law[i]).sum()).collect()
    }

    #[test]
    fn poisson_sampling_holds_for_arbitrary_mechanisms() {
        for seed in 0..400 {
            let (without, with) = (law(2 * seed), law(2 * seed + 1));
            for q in [0.02, 0.3, 0.9] {
                let sampled = mixed(&[(1.0 - q, &without), (q, &with)]);
                for e in [0.05, 0.3, 1.0] {
                    let claim = Poisson::try_new(q).unwrap().amplify(base(e, both(&with, &without, e)));
                    let true_delta = both(&sampled, &without, claim.epsilon.get());
                    assert!(true_delta <= claim.delta.get() + 1e-15, "{seed} {q} {e}");
                }
            }
        }
    }

    #[test]
    fn fixed_size_sampling_holds_for_arbitrary_mechanisms() {
        // Two rows out of four. Rows 0 and 4 replace each other; each pair of rows has a law of its own.
        for seed in 0..400 {
            let pair = |a: u64, b: u64| law(1_000_003 * seed + 31 * a.min(b) + a.max(b));
            let release = |rows: [u64; 4]| {
                let pairs =
                    [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)].map(|(i, j)| pair(rows[i], rows[j]));
                mixed(&pairs.each_ref().map(|law| (1.0 / 6.0, law.as_slice())))
            };
            let (before, after) = (release([0, 1, 2, 3]), release([4, 1, 2, 3]));
            for e in [0.05, 0.3, 1.0] {
                let mut worst = 0.0_f64;
                for kept in 0..5 {
                    for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
                        if a != b && a != kept && b != kept {
                            worst = worst.max(excess(&pair(kept, a), &pair(kept, b), e));
                        }
                    }
                }
                let claim = FixedSize::try_new(2, 4).unwrap().amplify(replaced(e, worst));
                assert!(
                    both(&before, &after, claim.epsilon.get()) <= claim.delta.get() + 1e-15,
                    "{seed} {e}"
                );
            }
        }
    }

    /// Shows why there are two types: each theorem is false with the other's adjacency.
    #[test]
    fn the_theorems_are_not_interchangeable() {
        let e = 1.0_f64;
        let (right, wrong) = (1.0 / (1.0 + libm::exp(-e)), 1.0 / (1.0 + libm::exp(e)));
        let claim = Poisson::try_new(0.5).unwrap().amplify(base(e, 0.0));
        // Poisson under replace-one: randomised response on the sampled row's bit, or nothing where it is not sampled.
        let (one, zero) = ([0.5, 0.5 * right, 0.5 * wrong], [0.5, 0.5 * wrong, 0.5 * right]);
        assert!(both(&one, &zero, claim.epsilon.get()) > 0.1, "the claim is (ε', 0)");
        // One of two rows under add-remove: {x, y} against {y}. A sample of x and one of y are two steps apart.
        let (x, y) = ([right, wrong], [wrong, right]);
        let empty = [0.5, 0.5];
        let half = libm::log(right / 0.5).max(libm::log(0.5 / wrong));
        assert!(both(&x, &empty, half) < 1e-15 && both(&y, &empty, half) < 1e-15);
        let claim = FixedSize::try_new(1, 2).unwrap().amplify(replaced(half, 0.0));
        let sampled = [0.5 * (x[0] + y[0]), 0.5 * (x[1] + y[1])];
        assert!(both(&sampled, &y, claim.epsilon.get()) > 0.01);
    }

    #[test]
    fn the_gaussian_s_curves_are_integrals_of_its_densities() {
        for (q, sigma) in [(0.1, 1.0), (0.5, 2.0), (0.9, 0.7), (1.0, 1.0)] {
            let sampling = Poisson::try_new(q).unwrap();
            for e in [0.0, 0.05, 0.4, 1.5] {
                let steps = 200_000;
                let width = 40.0 * sigma / f64::from(steps);
                let (mut remove, mut add) = (0.0, 0.0);
                for step in 0..steps {
                    let x = -20.0 * sigma + (f64::from(step) + 0.5) * width;
                    let density = |mean: f64| crate::math::special::phi_density((x - mean) / sigma) / sigma;
                    let (without, with) = (density(0.0), (1.0 - q) * density(0.0) + q * density(1.0));
                    remove += (with - libm::exp(e) * without).max(0.0) * width;
                    add += (without - libm::exp(e) * with).max(0.0) * width;
                }
                let (epsilon, mu) = (Epsilon::try_new(e).unwrap(), Mu::try_new(1.0 / sigma).unwrap());
                for (direction, expected) in [(Direction::Remove, remove), (Direction::Add, add)] {
                    let delta = sampling.gaussian_delta(direction, epsilon, mu).get();
                    assert!(
                        (delta - expected).abs() <= 1e-8,
                        "{q} {sigma} {e} {direction:?}: {delta} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_ends() {
        let sampling = |q| Poisson::try_new(q).unwrap();
        assert_eq!(sampling(0.0).amplify(base(3.0, 0.1)), base(0.0, 0.0));
        assert_eq!(sampling(1.0).amplify(base(3.0, 0.1)), base(3.0, 0.1));
        assert_eq!(FixedSize::try_new(7, 7).unwrap().amplify(replaced(0.5, 0.1)), replaced(0.5, 0.1));
        let large = sampling(0.25).amplify(base(1000.0, 0.0)).epsilon.get();
        assert!((large - 1000.0 - libm::log(0.25)).abs() < 1e-8);
        let small = sampling(1e-20).amplify(base(5.0, 0.0)).epsilon.get();
        assert!((small / (1e-20 * libm::expm1(5.0)) - 1.0).abs() < 1e-11);
        let mu = Mu::try_new(1.0).unwrap();
        let delta = |direction, q, e| sampling(q).gaussian_delta(direction, Epsilon::try_new(e).unwrap(), mu);
        assert_eq!(delta(Direction::Add, 0.5, libm::log(2.0) + 1e-9), Delta::ZERO);
        assert!(delta(Direction::Add, 0.5, libm::log(2.0) - 1e-9) > Delta::ZERO);
        assert!(delta(Direction::Remove, 0.5, 800.0) > Delta::ZERO, "an underflow is no zero");
        assert_eq!(delta(Direction::Remove, 0.0, 0.0), Delta::ZERO);
        for rate in [-0.1, 1.1, f64::NAN] {
            assert!(Poisson::try_new(rate).is_err());
        }
        assert!(FixedSize::try_new(8, 7).is_err() && FixedSize::try_new(0, 0).is_err());
        assert!(
            FixedSize::try_new(1, 3).unwrap().rate > 1.0 / 3.0
                || FixedSize::try_new(1, 3).unwrap().rate * 3.0 >= 1.0
        );
    }
}
