//! One release as a dominating pair of distributions, and its privacy loss on a grid.

use super::PldError;
use super::distribution::{Distribution, Pair, Tails};
use crate::math::special::phi_cdf;
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::subsampling::Direction;

/// The range of a Gaussian, in standard deviations; 4e-26 of its mass is beyond.
const REACH: f64 = 10.5;
/// Largest loss of one release. Its exponential and the inverse of that are normal doubles.
pub(super) const LARGEST_LOSS: f64 = 600.0;
/// Largest sensitivity, and largest σ, of noise on the integers, whose atoms are stored individually.
const LARGEST_INTEGER: f64 = 1e5;

/// A mechanism on a statistic of sensitivity 1, unless it says otherwise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mechanism {
    /// Gaussian noise.
    Gaussian {
        /// Standard deviation.
        sigma: f64,
    },
    /// Laplace noise: density proportional to exp(−|x| / scale).
    Laplace {
        /// The scale.
        scale: f64,
    },
    /// Gaussian noise on a sum over a Poisson sample of the persons, under `add-remove` (theory/accounting 4.4).
    SubsampledGaussian {
        /// Standard deviation.
        sigma: f64,
        /// Probability with which a person is in the sample.
        rate: f64,
    },
    /// Any (ε, δ)-DP mechanism, by the pair that dominates it: randomised response that reveals everything with probability δ
    /// (Kairouz, Oh and Viswanath 2015).
    Approximate {
        /// ε.
        epsilon: Epsilon,
        /// δ.
        delta: Delta,
    },
    /// Noise on the integers, Pr(k) proportional to exp(−a |k|).
    DiscreteLaplace {
        /// a, the inverse of the scale.
        a: f64,
        /// Sensitivity.
        sensitivity: u32,
    },
    /// Noise on the integers, Pr(k) proportional to exp(−k² / (2 σ²)).
    DiscreteGaussian {
        /// σ.
        sigma: f64,
        /// Sensitivity.
        sensitivity: u32,
    },
}

/// A mechanism that is run several times, each time with fresh randomness.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Repeated {
    mechanism: Mechanism,
    count: u32,
}

impl Repeated {
    /// Returns `count` runs of a mechanism. A sampling rate of 1 is Gaussian noise without sampling.
    ///
    /// # Errors
    /// [`PldError`] for a parameter out of range, for no runs, and for a loss above 600 in one run.
    pub fn try_new(mechanism: Mechanism, count: u32) -> Result<Self, PldError> {
        let mechanism = match mechanism {
            Mechanism::SubsampledGaussian { sigma, rate } if rate.total_cmp(&1.0).is_eq() => {
                Mechanism::Gaussian { sigma }
            }
            other => other,
        };
        mechanism.check()?;
        if count == 0 {
            return Err(mechanism.wrong("count", 0.0, "a whole number from 1"));
        }
        Ok(Self { mechanism, count })
    }

    pub(super) const fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    pub(super) const fn count(&self) -> u32 {
        self.count
    }
}

impl Mechanism {
    const fn name(&self) -> &'static str {
        match self {
            Self::Gaussian { .. } => "Gaussian noise",
            Self::Laplace { .. } => "Laplace noise",
            Self::SubsampledGaussian { .. } => "subsampled Gaussian noise",
            Self::Approximate { .. } => "an (epsilon, delta) mechanism",
            Self::DiscreteLaplace { .. } => "discrete Laplace noise",
            Self::DiscreteGaussian { .. } => "discrete Gaussian noise",
        }
    }

    const fn wrong(&self, name: &'static str, given: f64, expected: &'static str) -> PldError {
        PldError::Parameter { mechanism: self.name(), name, given, expected }
    }

    fn check(&self) -> Result<(), PldError> {
        let positive = |name, value: f64| {
            let holds = value.is_finite() && value > 0.0;
            if holds { Ok(()) } else { Err(self.wrong(name, value, "a finite number above 0")) }
        };
        let whole = |name, value: f64| {
            let holds = (1.0..=LARGEST_INTEGER).contains(&value);
            if holds { Ok(()) } else { Err(self.wrong(name, value, "a whole number from 1 to 100000")) }
        };
        match *self {
            Self::Gaussian { sigma } => positive("sigma", sigma)?,
            Self::Laplace { scale } => positive("scale", scale)?,
            Self::SubsampledGaussian { sigma, rate } => {
                positive("sigma", sigma)?;
                if !(rate > 0.0 && rate <= 1.0) {
                    return Err(self.wrong("sampling rate", rate, "a number above 0 and up to 1"));
                }
            }
            Self::Approximate { delta, .. } => {
                if delta.get() >= 1.0 {
                    return Err(self.wrong("delta", delta.get(), "a number below 1"));
                }
            }
            Self::DiscreteLaplace { a, sensitivity } => {
                positive("parameter a", a)?;
                whole("sensitivity", f64::from(sensitivity))?;
            }
            Self::DiscreteGaussian { sigma, sensitivity } => {
                positive("sigma", sigma)?;
                if sigma > LARGEST_INTEGER {
                    return Err(self.wrong("sigma", sigma, "at most 100000, or continuous noise"));
                }
                whole("sensitivity", f64::from(sensitivity))?;
            }
        }
        for direction in [Direction::Remove, Direction::Add] {
            let (low, high) = self.reach(direction);
            if !(high <= LARGEST_LOSS && low >= -LARGEST_LOSS) {
                return Err(PldError::Loss(self.name()));
            }
        }
        Ok(())
    }

    /// Returns whether both directions have the same loss.
    pub(super) const fn is_symmetric(&self) -> bool {
        !matches!(self, Self::SubsampledGaussian { .. })
    }

    /// Returns the least and the largest loss, except for 1e-25 of the mass.
    pub(super) fn reach(&self, direction: Direction) -> (f64, f64) {
        match *self {
            Self::Gaussian { sigma } => {
                let mu = 1.0 / sigma;
                (mu * (mu / 2.0 - REACH), mu * (mu / 2.0 + REACH))
            }
            Self::Laplace { scale } => (-1.0 / scale, 1.0 / scale),
            Self::SubsampledGaussian { sigma, rate } => {
                let end = REACH * sigma;
                let loss = |x| sampled_loss(sigma, rate, x);
                match direction {
                    Direction::Remove => (loss(-end), loss(1.0 + end)),
                    Direction::Add => (-loss(end), -loss(-end)),
                }
            }
            Self::Approximate { epsilon, .. } => (-epsilon.get(), epsilon.get()),
            Self::DiscreteLaplace { a, sensitivity } => {
                let most = a * f64::from(sensitivity);
                (-most, most)
            }
            Self::DiscreteGaussian { sigma, sensitivity } => {
                let end = REACH * sigma + 1.0;
                (integer_loss(sigma, sensitivity, end), integer_loss(sigma, sensitivity, -end))
            }
        }
    }

    /// Returns the distribution of the loss, with the dots of the privacy profile connected on a grid of `step`.
    pub(super) fn losses(&self, direction: Direction, step: f64) -> Distribution {
        let reach = self.reach(direction);
        match *self {
            Self::Gaussian { sigma } => {
                // The loss is N(μ²/2, μ²) under P and N(−μ²/2, μ²) under Q.
                let mu = 1.0 / sigma;
                Distribution::continuous(step, reach, |loss| Pair {
                    p: normal((loss - mu * mu / 2.0) / mu),
                    q: normal((loss + mu * mu / 2.0) / mu),
                })
            }
            Self::Laplace { scale } => Distribution::continuous(step, reach, |loss| laplace(scale, loss)),
            Self::SubsampledGaussian { sigma, rate } => {
                Distribution::continuous(step, reach, |loss| sampled(sigma, rate, direction, loss))
            }
            Self::Approximate { epsilon, delta } => {
                let (epsilon, answered) = (epsilon.get(), 1.0 - delta.get());
                let lie = 1.0 / (1.0 + libm::exp(epsilon));
                let atoms = [(-epsilon, answered * lie), (epsilon, answered * (1.0 - lie))];
                Distribution::discrete(step, atoms.into_iter(), delta.get())
            }
            Self::DiscreteLaplace { a, sensitivity } => {
                // P is centred at 0 and Q at the sensitivity s: the loss is a (|k − s| − |k|), which is a s at k <= 0 and
                // −a s at k >= s.
                let most = a * f64::from(sensitivity);
                let at_zero = libm::tanh(a / 2.0);
                let beyond = |from: f64| libm::exp(-a * from) / (1.0 + libm::exp(-a));
                let ends = [(most, beyond(0.0)), (-most, beyond(f64::from(sensitivity)))];
                let inner = (1..sensitivity).map(f64::from);
                let inner = inner.map(|k| (most - 2.0 * a * k, at_zero * libm::exp(-a * k)));
                Distribution::discrete(step, ends.into_iter().chain(inner), 0.0)
            }
            Self::DiscreteGaussian { sigma, sensitivity } => {
                let weight = |k: f64| libm::exp(-k * k / (2.0 * sigma * sigma));
                let end = libm::floor(REACH * sigma) + 1.0;
                let integers =
                    || std::iter::successors(Some(-end), move |k| Some(k + 1.0).filter(|k| *k <= end));
                let total: f64 = integers().map(weight).sum();
                let atoms = integers().map(|k| (integer_loss(sigma, sensitivity, k), weight(k) / total));
                // Both tails, a geometric series at most.
                let cut = 2.0 * weight(end) / -libm::expm1(-end / (sigma * sigma)) / total;
                Distribution::discrete(step, atoms, cut)
            }
        }
    }
}

fn normal(x: f64) -> Tails {
    Tails { below: phi_cdf(x), above: phi_cdf(-x) }
}

/// Compares Laplace noise at 0 with Laplace noise at 1: the loss (|x − 1| − |x|) / scale is above l where x < (1 − l scale) / 2.
fn laplace(scale: f64, loss: f64) -> Pair {
    let most = 1.0 / scale;
    if loss >= most {
        return Pair { p: Tails::BELOW, q: Tails::BELOW };
    }
    if loss < -most {
        return Pair { p: Tails::ABOVE, q: Tails::ABOVE };
    }
    let (left, right) = ((most - loss) / 2.0, (most + loss) / 2.0);
    let beyond = |distance: f64| libm::exp(-distance) / 2.0;
    Pair {
        p: Tails { below: beyond(left), above: 1.0 - beyond(left) },
        q: Tails { below: 1.0 - beyond(right), above: beyond(right) },
    }
}

/// Returns ln((1 − rate) + rate exp((2 x − 1) / (2 σ²))): the loss at x with the person in the table.
fn sampled_loss(sigma: f64, rate: f64, x: f64) -> f64 {
    let gain = (2.0 * x - 1.0) / (2.0 * sigma * sigma);
    if gain > LARGEST_LOSS { gain + libm::log(rate) } else { libm::log1p(rate * libm::expm1(gain)) }
}

/// Returns the tails of the loss of a sampled Gaussian against the Gaussian without the person.
fn sampled(sigma: f64, rate: f64, direction: Direction, loss: f64) -> Pair {
    let with_loss = if direction == Direction::Remove { loss } else { -loss };
    // The x at which the table with the person has this loss; none is as low as ln(1 − rate).
    let ratio = (libm::expm1(with_loss) + rate) / rate;
    let x = if ratio > 0.0 { 0.5 + sigma * sigma * libm::log(ratio) } else { f64::NEG_INFINITY };
    let without = normal(x / sigma);
    let with = without.mixed(1.0 - rate, normal((x - 1.0) / sigma), rate);
    match direction {
        Direction::Remove => Pair { p: with, q: without },
        Direction::Add => Pair { p: without.turned(), q: with.turned() },
    }
}

/// Returns the loss of discrete Gaussian noise at 0 against the same at s: (s² − 2 s k) / (2 σ²).
fn integer_loss(sigma: f64, sensitivity: u32, k: f64) -> f64 {
    let s = f64::from(sensitivity);
    s * (s - 2.0 * k) / (2.0 * sigma * sigma)
}
