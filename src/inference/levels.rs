//! Levels of categories whose coordinates are the corners of a simplex, as terms of their own (theory/encoding 2.3).

use nalgebra::DMatrix;

use super::contrast::Corners;
use super::moments::NoisyMoments;

impl NoisyMoments {
    /// Returns the sum of products of two terms, in units of R², where it was released: of a level along its direction.
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
    pub fn product_sd(&self, first: usize, second: usize, value: f64) -> f64 {
        let noise = self.noise();
        match (first == second, self.corners_of(first)) {
            (true, Some(_)) => noise.diagonal_sd(value).max(2.0_f64.sqrt() * noise.off_diagonal_sd()),
            (true, None) => noise.diagonal_sd(value),
            (false, _) => noise.off_diagonal_sd(),
        }
    }

    /// Returns the coordinates of the category that a term belongs to, where its levels are the corners of a simplex.
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
