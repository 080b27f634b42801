//! The distribution of a privacy loss on a grid, and composition.

use realfft::RealFftPlanner;
use realfft::num_complex::Complex;

use super::PldError;

/// The mass that a composition may have beyond each end of its window. Beyond the upper end it counts as an infinite loss.
const CUT: f64 = 1e-15;
/// A bound on the relative error of the tail probabilities.
const TAIL_ERROR: f64 = 16.0 * f64::EPSILON;

/// The two tail probabilities of a distribution at one point.
#[derive(Clone, Copy, Debug)]
pub struct Tails {
    /// Probability of at most this value.
    pub below: f64,
    /// Probability of more. Both are stored, so that the smaller one is accurate.
    pub above: f64,
}

impl Tails {
    /// All mass is at most this value.
    pub const BELOW: Self = Self { below: 1.0, above: 0.0 };
    /// All mass is above it.
    pub const ABOVE: Self = Self { below: 0.0, above: 1.0 };

    /// Returns the distribution of the negative.
    pub const fn turned(self) -> Self {
        Self { below: self.above, above: self.below }
    }

    /// Returns the mixture of two distributions.
    pub fn mixed(self, weight: f64, other: Self, other_weight: f64) -> Self {
        Self {
            below: weight * self.below + other_weight * other.below,
            above: weight * self.above + other_weight * other.above,
        }
    }

    /// Returns the probability between this point and a higher one, and the magnitude of the numbers that were subtracted.
    fn to(self, higher: Self) -> (f64, f64) {
        if higher.below < self.above {
            ((higher.below - self.below).max(0.0), higher.below)
        } else {
            ((self.above - higher.above).max(0.0), self.above)
        }
    }
}

/// The distribution of the loss under P and under Q at one point.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Under P.
    pub p: Tails,
    /// Under Q.
    pub q: Tails,
}

/// Masses under P of the losses `(first + i) step`, and of an infinite loss.
#[derive(Clone, Debug)]
pub struct Distribution {
    step: f64,
    first: i64,
    masses: Vec<f64>,
    infinite: f64,
}

impl Distribution {
    /// Connects the dots of a continuous pair between two losses (theory/accounting 4.3).
    ///
    /// The mass of each cell moves to the two ends of the cell in such a way that its probabilities under P and under Q do not
    /// change. Of a cell from l to l + h with probabilities p and q the upper end gets (p − e^l q) / (1 − e^−h). This form avoids
    /// second differences, which would cancel. The share of the upper end is raised by the rounding error of p and q, so that the
    /// result is an upper bound. Mass below the first point moves up to it; mass above the last is an infinite loss.
    pub fn continuous(step: f64, (low, high): (f64, f64), law: impl Fn(f64) -> Pair) -> Self {
        let mut grid = Self::empty(step, low, high);
        let split = -libm::expm1(-step);
        let mut before = law(grid.loss(0));
        grid.masses[0] = before.p.below;
        for index in 1..grid.masses.len() {
            let (lower, at) = (libm::exp(grid.loss(index - 1)), law(grid.loss(index)));
            let (p, p_size) = before.p.to(at.p);
            let (q, q_size) = before.q.to(at.q);
            let error = TAIL_ERROR * (p_size + lower * q_size);
            let up = ((p - lower * q + error) / split).clamp(0.0, p);
            grid.masses[index - 1] += p - up;
            grid.masses[index] = up;
            before = at;
        }
        grid.infinite = before.p.above;
        grid
    }

    /// Connects the dots of a discrete pair: each loss with its mass under P moves to the two points beside it.
    pub fn discrete(step: f64, atoms: impl Iterator<Item = (f64, f64)>, infinite: f64) -> Self {
        let atoms: Vec<(f64, f64)> = atoms.collect();
        let low = atoms.iter().map(|(loss, _)| *loss).fold(f64::INFINITY, f64::min);
        let high = atoms.iter().map(|(loss, _)| *loss).fold(f64::NEG_INFINITY, f64::max);
        let mut grid = Self::empty(step, low, high);
        grid.infinite = infinite;
        let split = -libm::expm1(-step);
        for (loss, mass) in atoms {
            let point = cell(loss, step);
            let above = loss - number(point) * step + 4.0 * f64::EPSILON * loss.abs();
            let up = mass * (-libm::expm1(-above) / split).clamp(0.0, 1.0);
            let index = usize::try_from(point - grid.first).unwrap_or(0);
            grid.masses[index] += mass - up;
            grid.masses[index + 1] += up;
        }
        grid
    }

    /// Creates a distribution without mass on the grid points from `low` to `high`, with one point to spare.
    fn empty(step: f64, low: f64, high: f64) -> Self {
        let first = cell(low, step);
        let points = usize::try_from(cell(high, step) - first).unwrap_or(0) + 2;
        Self { step, first, masses: vec![0.0; points], infinite: 0.0 }
    }

    fn loss(&self, index: usize) -> f64 {
        let index = index as f64;
        (number(self.first) + index) * self.step
    }

    /// Returns the loss of the last point.
    fn last(&self) -> f64 {
        self.loss(self.masses.len() - 1)
    }

    /// Returns the probability of an infinite loss.
    pub const fn infinite(&self) -> f64 {
        self.infinite
    }

    /// Returns ln E e^(s L) over the finite losses.
    fn ln_moment(&self, s: f64) -> f64 {
        let terms = || {
            let masses = self.masses.iter().enumerate().filter(|(_, mass)| **mass > 0.0);
            masses.map(|(index, mass)| (s * self.loss(index), mass))
        };
        let top = terms().map(|(exponent, _)| exponent).fold(f64::NEG_INFINITY, f64::max);
        top + libm::log(terms().map(|(exponent, mass)| mass * libm::exp(exponent - top)).sum())
    }

    /// Returns the distribution of a sum of independent losses, each repeated, by the Fourier transform on a circle that covers
    /// `window`.
    ///
    /// Mass beyond the window wraps around to the other side, where it only increases δ. Mass above is also counted as infinite,
    /// with the bound of Chernoff's inequality. Small negative masses, which are rounding errors, are set to 0.
    ///
    /// # Errors
    /// [`PldError::Internal`] if the transform refuses its input.
    pub fn compose(parts: &[(Self, u32)], window: &Window) -> Result<Self, PldError> {
        let step = parts.first().ok_or(PldError::Nothing)?.0.step;
        let first = cell(window.low, step);
        let points = usize::try_from(cell(window.high, step) - first).unwrap_or(0) + 2;
        let length = points.next_power_of_two();
        let circle = i64::try_from(length).map_err(|_| PldError::Internal("the grid is too long"))?;
        let place = |index: i64| usize::try_from(index.rem_euclid(circle)).unwrap_or(0);

        let mut planner = RealFftPlanner::<f64>::new();
        let forward = planner.plan_fft_forward(length);
        let mut total = vec![Complex::new(1.0, 0.0); length / 2 + 1];
        let mut finite = 0.0; // ln of the probability that every loss is finite
        for (part, count) in parts {
            let mut cells = vec![0.0; length];
            for (index, mass) in (part.first..).zip(&part.masses) {
                cells[place(index)] += mass;
            }
            let mut spectrum = forward.make_output_vec();
            let done = forward.process(&mut cells, &mut spectrum);
            done.map_err(|_| PldError::Internal("the transform failed"))?;
            for (product, value) in total.iter_mut().zip(spectrum) {
                *product *= value.powu(*count);
            }
            finite += f64::from(*count) * libm::log1p(-part.infinite);
        }
        let mut cells = vec![0.0; length];
        let done = planner.plan_fft_inverse(length).process(&mut total, &mut cells);
        done.map_err(|_| PldError::Internal("the transform failed"))?;

        let mut sum = Self { step, first, masses: Vec::with_capacity(length), infinite: 0.0 };
        let scale = 1.0 / number(circle);
        sum.masses.extend((first..first + circle).map(|index| (cells[place(index)] * scale).max(0.0)));
        sum.infinite = -libm::expm1(finite) + window.beyond(parts, sum.last());
        Ok(sum)
    }

    /// Returns δ(ε) = p∞ + Σ over l > ε of p (1 − e^(ε − l)).
    pub fn delta(&self, epsilon: f64) -> f64 {
        let losses = self.masses.iter().enumerate().rev();
        let above =
            losses.map(|(index, mass)| (self.loss(index), mass)).take_while(|(loss, _)| *loss > epsilon);
        self.infinite + above.map(|(loss, mass)| -mass * libm::expm1(epsilon - loss)).sum::<f64>()
    }

    /// Returns the smallest ε >= 0 with δ(ε) at most `delta`. `None` if the infinite losses alone are more.
    pub fn epsilon(&self, delta: f64) -> Option<f64> {
        if delta < self.infinite {
            return None;
        }
        // From the top: at each point l, δ(l), the mass A above it, and E = Σ over the losses above of p e^(l − loss).
        // Between l and the next point δ(ε) = A − e^(ε − l) E.
        let (mut above, mut reached, mut tilted) = (self.infinite, self.infinite, 0.0);
        let (shrink, split) = (libm::exp(-self.step), -libm::expm1(-self.step));
        for (index, mass) in self.masses.iter().enumerate().rev() {
            let loss = self.loss(index);
            if loss < 0.0 {
                break;
            }
            if reached > delta {
                return Some(loss + libm::log((above - delta) / tilted));
            }
            above += mass;
            reached += split * (tilted + mass);
            tilted = shrink * (tilted + mass);
        }
        Some(0.0)
    }
}

/// The interval that contains the sum of losses except for a mass of [`CUT`] on each side. It always contains 0.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    low: f64,
    high: f64,
    /// The s of Chernoff's inequality that found `high`.
    tilt: f64,
}

impl Window {
    /// Returns the window of a sum, from E e^(s L) of its parts at a range of s.
    pub fn around(parts: &[(Distribution, u32)]) -> Self {
        let times = |loss: fn(&Distribution) -> f64| -> f64 {
            parts.iter().map(|(part, count)| f64::from(*count) * loss(part)).sum()
        };
        let mut window = Self { low: times(|part| part.loss(0)), high: times(Distribution::last), tilt: 1.0 };
        // s in steps of √2: the best lies between two of them, and the bound is flat there.
        for half_power in -40..=60 {
            let s = libm::exp2(f64::from(half_power) / 2.0);
            let high = (ln_moment(parts, s) - libm::log(CUT)) / s;
            if high < window.high {
                (window.high, window.tilt) = (high, s);
            }
            window.low = window.low.max((libm::log(CUT) - ln_moment(parts, -s)) / s);
        }
        window.low = window.low.min(0.0);
        window.high = window.high.max(0.0);
        window
    }

    pub const fn width(&self) -> f64 {
        self.high - self.low
    }

    /// Returns a bound on the probability of a finite loss above `last`.
    fn beyond(&self, parts: &[(Distribution, u32)], last: f64) -> f64 {
        let most: f64 = parts.iter().map(|(part, count)| f64::from(*count) * part.last()).sum();
        if most <= last { 0.0 } else { libm::exp(ln_moment(parts, self.tilt) - self.tilt * last).min(1.0) }
    }
}

/// Returns ln E e^(s L) of a sum.
fn ln_moment(parts: &[(Distribution, u32)], s: f64) -> f64 {
    parts.iter().map(|(part, count)| f64::from(*count) * part.ln_moment(s)).sum()
}

/// Returns the point at or below a loss.
fn cell(loss: f64, step: f64) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and a grid is far shorter")]
    let index = libm::floor(loss / step) as i64;
    index
}

fn number(index: i64) -> f64 {
    index as f64
}
