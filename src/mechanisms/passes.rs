//! Mechanisms that read the rows several times, one pass at a time: the rows may be kept, or read again for each.
//!
//! [`Passes`] knows the coefficients so far, which are public; [`Pass`] adds up the exact integers of one pass, in any order and any split
//! of the rows. The noise of a pass is drawn before its rows are read. A pass crosses to another thread as its coefficients, and
//! comes back as its sums.

use super::descent::{Gradient, Walk};
use super::newton::{Expansion, Steps, Sums};
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
    Newton(Expansion<'a>, Sums),
    /// Gradients.
    Descent(Gradient<'a>, Vec<i128>),
}

/// How many passes a fit with this noise makes; nothing for a mechanism that reads once.
#[must_use]
pub const fn count(noise: &Noise) -> Option<u32> {
    match noise {
        Noise::Newton(noise) => Some(noise.steps),
        Noise::Descent(noise) => Some(noise.steps()),
        _ => None,
    }
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

    /// Passes made so far.
    #[must_use]
    pub const fn done(&self) -> u32 {
        match self {
            Self::Newton(steps) => steps.done(),
            Self::Descent(walk) => walk.done(),
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
            Self::Newton(steps) => Pass::newton(steps.expansion()),
            Self::Descent(walk) => Pass::descent(walk.gradient()),
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
            pass.rows(rows);
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

impl<'a> Pass<'a> {
    fn newton(expansion: Expansion<'a>) -> Self {
        let sums = Sums::after(expansion.nothing());
        Self::Newton(expansion, sums)
    }

    fn descent(gradient: Gradient<'a>) -> Self {
        let sums = gradient.nothing();
        Self::Descent(gradient, sums)
    }

    /// The pass of a fit with this noise at the coefficients that [`Self::place`] wrote, before its first row; nothing for other bytes.
    #[must_use]
    pub fn at(noise: &'a Noise, place: &[u8]) -> Option<Self> {
        let (values, rest) = place.as_chunks::<8>();
        let values: Vec<f64> = values.iter().map(|value| f64::from_le_bytes(*value)).collect();
        match noise {
            _ if !rest.is_empty() => None,
            Noise::Newton(noise) => Expansion::at(noise, &values).map(Self::newton),
            Noise::Descent(noise) => Gradient::at(noise, &values).map(Self::descent),
            _ => None,
        }
    }

    /// The coefficients at which the pass is made, 8 bytes each, little-endian: all that another thread needs to make it, and public.
    #[must_use]
    pub fn place(&self) -> Vec<u8> {
        match self {
            Self::Newton(expansion, _) => expansion.coefficients().flat_map(f64::to_le_bytes).collect(),
            Self::Descent(gradient, _) => gradient.weights().flat_map(f64::to_le_bytes).collect(),
        }
    }

    /// The sums, 16 bytes each, little-endian: as private as the rows.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        let cells = match self {
            Self::Newton(_, sums) => sums.into_cells(),
            Self::Descent(_, sums) => sums,
        };
        cells.into_iter().flat_map(i128::to_le_bytes).collect()
    }

    /// The same pass with the sums that [`Self::into_bytes`] wrote.
    ///
    /// # Errors
    /// [`MomentsError::Malformed`] for another number of sums.
    pub fn with(&self, bytes: &[u8]) -> Result<Self, MomentsError> {
        let (cells, rest) = bytes.as_chunks::<16>();
        let cells: Vec<i128> = cells.iter().map(|cell| i128::from_le_bytes(*cell)).collect();
        if !rest.is_empty() || cells.len() != self.cells() {
            return Err(MomentsError::Malformed);
        }
        Ok(match self {
            Self::Newton(expansion, _) => Self::Newton(expansion.clone(), Sums::after(cells)),
            Self::Descent(gradient, _) => Self::Descent(gradient.clone(), cells),
        })
    }

    /// Adds all rows.
    pub fn rows(&mut self, rows: &EncodedRows) {
        (0..rows.len()).filter_map(|index| rows.get(index)).for_each(|row| self.row(row));
    }

    fn cells(&self) -> usize {
        match self {
            Self::Newton(_, sums) => sums.cells(),
            Self::Descent(_, sums) => sums.len(),
        }
    }
}

impl RowSink for Pass<'_> {
    fn row(&mut self, row: &[i32]) {
        match self {
            Self::Newton(expansion, sums) => expansion.add(sums, row),
            Self::Descent(gradient, sums) => {
                for (sum, entry) in sums.iter_mut().zip(gradient.of(row)) {
                    *sum = sum.saturating_add(i128::from(*entry));
                }
            }
        }
    }

    fn least_bytes(&self) -> usize {
        self.cells().saturating_mul(24)
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
