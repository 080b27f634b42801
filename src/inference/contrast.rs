//! Categories whose levels are the corners of a simplex: from their coordinates to levels and back (theory/encoding 2.3).

use nalgebra::{DMatrix, DVector};

use super::cell_noise::CellNoise;
use super::moments::NoisyMoments;
use crate::model::{Contrast, Shape};

/// The coordinates of one category, in units of R.
#[derive(Clone, Debug, PartialEq)]
pub struct Corners {
    /// The first of its coordinates, which is that of its first term.
    pub first: usize,
    /// One row for each term: the direction of length 1 along which the indicator of the level grows.
    pub directions: DMatrix<f64>,
    /// Coefficients of coordinates to those of the indicators, per unit of the outcome.
    pub effects: DMatrix<f64>,
}

impl Corners {
    /// Returns the coordinates of a category on the grid of radius R.
    pub(super) fn new(first: usize, contrast: &Contrast, radius: u32) -> Self {
        let m = contrast.coordinates();
        let code = |level, coordinate| f64::from(contrast.code(level, coordinate)) / f64::from(radius);
        let rows: Vec<f64> =
            contrast.indicators().into_iter().flat_map(|indicator| indicator.direction).collect();
        Self {
            first,
            directions: DMatrix::from_row_slice(m, m, &rows),
            effects: DMatrix::from_fn(m, m, |level, coordinate| {
                code(level, coordinate) - code(m, coordinate)
            }),
        }
    }

    /// Returns the terms that it has.
    #[must_use]
    pub fn terms(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.directions.nrows()
    }

    /// Returns the direction of a term, if it is one of these.
    #[must_use]
    pub fn direction(&self, term: usize) -> Option<DVector<f64>> {
        let row = term.checked_sub(self.first).filter(|row| *row < self.directions.nrows())?;
        Some(self.directions.row(row).transpose())
    }
}

impl NoisyMoments {
    /// Returns the sum of products of two terms, in units of R², where it was released: of a level along its direction.
    #[must_use]
    pub fn product(&self, first: usize, second: usize) -> Option<f64> {
        let mut sum = 0.0;
        for (row, left) in self.along(first) {
            for (column, right) in self.along(second) {
                sum += left * right * self.cell(row, column)?;
            }
        }
        Some(sum)
    }

    /// Returns the standard deviation of the noise on such a sum that was released as `value`; of a law that is not the same in all
    /// directions the most that it can be.
    #[must_use]
    pub fn product_sd(&self, first: usize, second: usize, value: f64) -> f64 {
        let noise = self.noise();
        match (first == second, self.corners_of(first)) {
            (true, Some(_)) => noise.diagonal_sd(value).max(2.0_f64.sqrt() * noise.off_diagonal_sd()),
            (true, None) => noise.diagonal_sd(value),
            (false, _) => noise.off_diagonal_sd(),
        }
    }

    /// Returns the coordinates of the category that a term belongs to, where its levels are the corners of a simplex.
    #[must_use]
    pub fn corners_of(&self, term: usize) -> Option<&Corners> {
        self.corners().iter().find(|corners| corners.terms().contains(&term))
    }

    /// Returns a term as weights of coordinates.
    fn along(&self, term: usize) -> Vec<(usize, f64)> {
        match self.corners_of(term).and_then(|corners| Some((corners.first, corners.direction(term)?))) {
            Some((first, direction)) => (first..).zip(direction.iter().copied()).collect(),
            None => vec![(term, 1.0)],
        }
    }

    /// Returns the same moments with one coordinate of a category along the direction of a level, so that the level can be an outcome. The
    /// others stay orthogonal to it; noise that depends on the direction is replaced by noise that does not and is nowhere smaller.
    #[must_use]
    pub fn facing(mut self, term: usize) -> Self {
        let Some(corners) = self.corners_of(term) else { return self };
        let Some(direction) = corners.direction(term) else { return self };
        let (first, m) = (corners.first, direction.len());
        let mut across = -direction;
        across[term - first] += 1.0;
        let square = across.norm_squared();
        if square > f64::EPSILON {
            let mirror = DMatrix::identity(m, m) - &across * across.transpose() * (2.0 / square);
            self.turn(first, &mirror);
        }
        self
    }
}

impl CellNoise {
    /// Returns noise that is the same in all orthonormal coordinates and nowhere smaller.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Iid { v } => Self::Goe { s: v },
            Self::Sides { shape: Shape::Iid, features, cross } => {
                Self::Sides { shape: Shape::Goe, features, cross }
            }
            other => other,
        }
    }
}
