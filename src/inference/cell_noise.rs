//! The law of the noise on released moments, in units of R, and what makes moments unusable.

use crate::math::round::real;
use crate::model::Shape;

/// Moments that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MomentsError {
    /// The matrix is not square, not symmetric, or of another size than the terms.
    #[error("{}", crate::words::error::moments_shape())]
    Shape,
    /// An entry of the matrix is no decimal integer.
    #[error("{}", crate::words::error::moments_entry(row, column))]
    Entry {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
    },
    /// A number of the noise's law is not one that a release has.
    #[error("{}", crate::words::error::moments_noise_scale())]
    NoiseScale,
    /// R is no power of two in range, or a term's centre or scale is not finite.
    #[error("{}", crate::words::error::moments_grid(what))]
    Grid {
        /// Which part of the grid.
        what: &'static str,
    },
    /// The moments are those of shortened records in coordinates of the release's own.
    #[error("{}", crate::words::error::moments_adaptive())]
    Adaptive,
}

/// The variance of the noise on each cell, in units of R⁴.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CellNoise {
    /// No noise at all: only `simulate` makes such moments.
    None,
    /// Variance `s` off the diagonal and 2 s on it; s = S²/2.
    Goe {
        /// Variance off the diagonal.
        s: f64,
    },
    /// Variance `v` on and above the diagonal; v = S².
    Iid {
        /// Variance of every cell.
        v: f64,
    },
    /// Variance `v` on the products of features with outcomes; the features are public, and their own products exact.
    Cross {
        /// Variance of those cells.
        v: f64,
    },
    /// Noise of variance `features` off the diagonal on the features' products, and of variance `cross` on those of features with
    /// outcomes.
    Sides {
        /// What the diagonal has: twice the variance (`goe`) or the same (`iid`).
        shape: Shape,
        /// Variance off the diagonal.
        features: f64,
        /// Variance of a product of a feature with an outcome.
        cross: f64,
    },
    /// The whole matrix was drawn from a Wishart law with the moments as its scale, not perturbed cell by cell.
    Projection {
        /// r, its degrees of freedom.
        rows: f64,
    },
    /// The whole matrix was drawn from an inverse Wishart law with the moments as its scale.
    Posterior {
        /// ν, its degrees of freedom.
        dof: f64,
        /// Rows and columns of the whole matrix.
        size: f64,
    },
}

impl CellNoise {
    /// Returns the law for the integer scale `noise_scale` (S) on moments of records whose largest norm is `radius` (R).
    pub fn new(shape: Shape, noise_scale: u128, radius: u32) -> Self {
        let scale = real(noise_scale) / unit(radius);
        match shape {
            Shape::Goe => Self::Goe { s: scale * scale / 2.0 },
            Shape::Iid => Self::Iid { v: scale * scale },
        }
    }

    /// Returns the standard deviation off the diagonal in units of R²; 0 for a law that does not add noise to cells.
    pub fn off_diagonal_sd(self) -> f64 {
        match self {
            Self::None | Self::Cross { .. } | Self::Projection { .. } | Self::Posterior { .. } => 0.0,
            Self::Goe { s } | Self::Sides { features: s, .. } => s.sqrt(),
            Self::Iid { v } => v.sqrt(),
        }
    }

    /// Returns the standard deviation of a cell on the diagonal that was released as `cell`, both in units of R².
    ///
    /// A projection's cell is S χ²_r / r. A posterior's is S / χ²_{ν−D+1} for D rows and columns, whose relative standard
    /// deviation is √(2 / (ν − D − 3)), infinite where that has no meaning.
    pub fn diagonal_sd(self, cell: f64) -> f64 {
        match self {
            Self::None | Self::Cross { .. } => 0.0,
            Self::Goe { s } | Self::Sides { shape: Shape::Goe, features: s, .. } => (2.0 * s).sqrt(),
            Self::Iid { v } | Self::Sides { shape: Shape::Iid, features: v, .. } => v.sqrt(),
            Self::Projection { rows } => cell.abs() * (2.0 / rows).sqrt(),
            Self::Posterior { dof, size } => {
                let freedom = dof - size - 3.0;
                if freedom > 0.0 { cell.abs() * (2.0 / freedom).sqrt() } else { f64::INFINITY }
            }
        }
    }

    /// Degrees of freedom of the exact t pivot of a regression on `d` predictors, where the law has one: r − d, and
    /// ν − (D − d − 1) − 1 (theory/wishart 5.1). `None` for additive noise, and where none are left.
    pub fn pivot_freedom(self, d: usize) -> Option<f64> {
        let freedom = match self {
            Self::None | Self::Goe { .. } | Self::Iid { .. } | Self::Cross { .. } | Self::Sides { .. } => {
                return None;
            }
            Self::Projection { rows } => rows - real(d),
            Self::Posterior { dof, size } => dof - (size - real(d) - 1.0) - 1.0,
        };
        (freedom >= 1.0).then_some(freedom)
    }

    /// Returns whether the whole matrix was drawn, so that its size carries its noise.
    pub const fn is_drawn(self) -> bool {
        matches!(self, Self::Projection { .. } | Self::Posterior { .. })
    }

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

    /// Returns 2 sd √d, the spectral norm of the noise on `d` predictors (theory/inference 2.2).
    pub fn spectral_norm(self, d: usize) -> f64 {
        2.0 * self.off_diagonal_sd() * real(d).sqrt()
    }
}

/// Returns R², which is exact because R is a power of two.
pub(super) fn unit(radius: u32) -> f64 {
    f64::from(radius) * f64::from(radius)
}
