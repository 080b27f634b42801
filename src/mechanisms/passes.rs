//! Mechanisms that read the rows several times, one pass at a time: the rows may be kept, or read again for each.
//!
//! [`Passes`] knows the coefficients so far, which are public; [`Pass`] adds up the exact integers of one pass, in any order and any split
//! of the rows. The noise of a pass is drawn before its rows are read.

use super::descent::{Gradient, Walk};
use super::newton::{Steps, Sums};
use super::{Draw, Noise};
use crate::data::moments::MomentsError;
use crate::data::{Append, EncodedRows, RowSink};
use crate::noise::entropy::Entropy;

/// Where a fit is, between two passes.
#[derive(Clone, Debug)]
pub enum Passes<'a> {
    /// Newton steps.
    Newton(Steps<'a>),
    /// A descent.
    Descent(Walk<'a>),
}

/// What one pass, or a part of one, adds up.
#[derive(Clone, Debug)]
pub enum Pass<'a> {
    /// Curvatures and gradients.
    Newton(Steps<'a>, Sums),
    /// Gradients.
    Descent(Gradient<'a>, Vec<i128>),
}

impl<'a> Passes<'a> {
    /// Before the first pass; nothing for a mechanism that reads once.
    #[must_use]
    pub fn new(noise: &'a Noise) -> Option<Self> {
        match noise {
            Noise::Newton(noise) => Some(Self::Newton(Steps::new(noise))),
            Noise::Descent(noise) => Some(Self::Descent(Walk::new(noise))),
            _ => None,
        }
    }

    /// Whether the last pass was made.
    #[must_use]
    pub fn is_done(&self) -> bool {
        match self {
            Self::Newton(steps) => steps.is_done(),
            Self::Descent(walk) => walk.is_done(),
        }
    }

    /// The noise of the next pass.
    pub fn noise<E: Entropy>(&self, rng: &mut E) -> Vec<i128> {
        match self {
            Self::Newton(steps) => steps.noise(rng),
            Self::Descent(walk) => walk.noise(rng),
        }
    }

    /// The next pass, before its first row.
    #[must_use]
    pub fn pass(&self) -> Pass<'a> {
        match self {
            Self::Newton(steps) => Pass::Newton(steps.clone(), Sums::after(steps.nothing())),
            Self::Descent(walk) => Pass::Descent(walk.gradient(), walk.nothing()),
        }
    }

    /// Takes the step that a pass gives with its noise.
    pub fn advance(&mut self, noise: Vec<i128>, pass: Pass<'a>) {
        match (self, pass) {
            (Self::Newton(steps), Pass::Newton(_, mut sums)) => {
                sums.add(&noise);
                steps.advance(sums);
            }
            (Self::Descent(walk), Pass::Descent(_, sums)) => walk.advance(&noise, &sums),
            _ => {}
        }
    }

    /// All passes over rows that are kept.
    pub fn over<E: Entropy>(mut self, rows: &EncodedRows, rng: &mut E) -> Draw {
        while !self.is_done() {
            let noise = self.noise(rng);
            let mut pass = self.pass();
            (0..rows.len()).filter_map(|index| rows.get(index)).for_each(|row| pass.row(row));
            self.advance(noise, pass);
        }
        self.finish()
    }

    /// What is released.
    #[must_use]
    pub fn finish(self) -> Draw {
        match self {
            Self::Newton(steps) => Draw::Fitted(steps.into_fits()),
            Self::Descent(walk) => Draw::Coefficients(walk.into_coefficients()),
        }
    }
}

impl RowSink for Pass<'_> {
    fn row(&mut self, row: &[i32]) {
        match self {
            Self::Newton(steps, sums) => steps.add(sums, row),
            Self::Descent(gradient, sums) => {
                for (sum, entry) in sums.iter_mut().zip(gradient.of(row)) {
                    *sum = sum.saturating_add(i128::from(*entry));
                }
            }
        }
    }

    fn least_bytes(&self) -> usize {
        let cells = match self {
            Self::Newton(_, sums) => sums.cells(),
            Self::Descent(_, sums) => sums.len(),
        };
        cells.saturating_mul(24)
    }
}

impl Append for Pass<'_> {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        match (self, later) {
            (Self::Newton(_, sums), Self::Newton(_, later)) => sums.append(later),
            (Self::Descent(_, sums), Self::Descent(_, later)) if sums.len() == later.len() => {
                for (sum, later) in sums.iter_mut().zip(later) {
                    *sum = sum.saturating_add(later);
                }
            }
            _ => return Err(MomentsError::Malformed),
        }
        Ok(())
    }
}
