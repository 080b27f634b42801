//! Round 2: second moments of standardised records that are shortened as a whole (theory/adaptive 2.3).

use nalgebra::DMatrix;

use super::margins::Margins;
use super::terms::Terms;
use super::units::Round;
use crate::data::encode::within;
use crate::math::linalg;
use crate::math::round::{nearest, real};
use crate::privacy::mutants::{Mutant, is_active};

/// The public map of a record to the codes of round 2.
#[derive(Clone, Debug, PartialEq)]
pub struct Standardiser {
    centres: Vec<f64>,
    scales: Vec<f64>,
    /// R_2 = 1.2 √(1 + D).
    radius: f64,
    /// K, the norm of the longest record before it is rounded.
    reach: f64,
    /// W.
    record: u32,
}

/// Returns ⌈√p / 2⌉ + 1: rounding p coordinates lengthens a record by at most √p / 2.
pub fn rounding_room(coordinates: usize) -> f64 {
    (real(coordinates).sqrt() / 2.0).ceil() + 1.0
}

impl Standardiser {
    /// Returns the map of round 2 to records of the length `record`, from the margins.
    pub fn new(terms: &Terms, record: u32, margins: &Margins) -> Self {
        let coordinates = 1 + terms.len();
        Self {
            centres: margins.centres.clone(),
            scales: margins.scales.clone(),
            radius: 1.2 * real(coordinates).sqrt(),
            reach: f64::from(record) - rounding_room(coordinates),
            record,
        }
    }

    /// Writes the codes of a record with these coded values, the constant first; zeros where the integer check fails.
    pub fn codes(&self, values: &[f64], codes: &mut Vec<i32>) {
        let standard = |(value, (centre, scale)): (&f64, (&f64, &f64))| (value - centre) / scale;
        let standardised = || values.iter().zip(self.centres.iter().zip(&self.scales)).map(standard);
        let norm = standardised().fold(1.0, |sum, x| sum + x * x).sqrt();
        let factor = (self.radius / norm).min(1.0) * (self.reach / self.radius);
        codes.clear();
        codes.push(nearest(factor));
        codes.extend(standardised().map(|x| nearest(x * factor)));
        if !within(codes, self.record) && !is_active(Mutant::RoundChecksOmitted) {
            codes.fill(0);
        }
    }

    /// Returns M and n_2 in real units, from the noisy upper triangle.
    pub fn moments(&self, cells: &[i128]) -> DMatrix<f64> {
        let unit = (self.radius / self.reach) * (self.radius / self.reach);
        linalg::from_triangle(1 + self.centres.len(), cells, |_, _| unit)
    }

    /// Returns τ_2, the standard deviation of the noise on a mean square of `rows` records.
    pub fn noise(&self, round: &Round, rows: f64) -> f64 {
        round.s() * ((self.radius / self.reach) * (self.radius / self.reach)) / rows
    }
}
