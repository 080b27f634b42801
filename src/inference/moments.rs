//! A released second-moment matrix as numbers: coded sums in units of R², with the law of their noise.

use nalgebra::DMatrix;

use super::reading::Reading;
use crate::data::encode::{Geometry, INTERCEPT};
use crate::math::linalg::Cholesky;
use crate::plan::Plan;
use crate::plan::bind::fits;
use crate::plan::document::{Column, ColumnRole, ColumnType};
use crate::release::document::{NoiseLaw, ReleasedMoments, Shape};

/// R where a plan does not say it (contract, Parameters).
const DEFAULT_RADIUS: u32 = 1 << 24;

/// Moments that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MomentsError {
    /// The matrix is not square, not symmetric, or of another size than the terms.
    #[error("the moments are not one symmetric matrix over the terms; the release is damaged")]
    Shape,
    /// An entry of the matrix is no decimal integer.
    #[error("entry {row}, {column} of the moments is no decimal integer; the release is damaged")]
    Entry {
        /// Row, from 1.
        row: usize,
        /// Column, from 1.
        column: usize,
    },
    /// A number of the noise's law is not one that a release has.
    #[error("the noise's law has a number out of range; the release is damaged")]
    NoiseScale,
    /// R is no power of two in range, or a term's centre or scale is not finite.
    #[error("the {what} of the moments is out of range; the release is damaged")]
    Grid {
        /// Which part of the grid.
        what: &'static str,
    },
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
    /// The law for the integer scale `noise_scale` (S) on moments with largest norm `radius` (R).
    #[must_use]
    pub fn new(shape: Shape, noise_scale: u128, radius: u32) -> Self {
        let scale = float_u(noise_scale) / unit(radius);
        match shape {
            Shape::Goe => Self::Goe { s: scale * scale / 2.0 },
            Shape::Iid => Self::Iid { v: scale * scale },
        }
    }

    /// Standard deviation off the diagonal; 0 for a law that does not add noise to cells.
    #[must_use]
    pub fn off_diagonal_sd(self) -> f64 {
        match self {
            Self::None | Self::Projection { .. } | Self::Posterior { .. } => 0.0,
            Self::Goe { s } => s.sqrt(),
            Self::Iid { v } => v.sqrt(),
        }
    }

    /// Standard deviation of a cell on the diagonal that was released as `cell`.
    ///
    /// A projection's cell is S χ²_r / r. A posterior's is S / χ²_{ν−D+1} for D rows and columns, whose relative standard
    /// deviation is √(2 / (ν − D − 3)), infinite where that has no meaning.
    #[must_use]
    pub fn diagonal_sd(self, cell: f64) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Goe { s } => (2.0 * s).sqrt(),
            Self::Iid { v } => v.sqrt(),
            Self::Projection { rows } => cell.abs() * (2.0 / rows).sqrt(),
            Self::Posterior { dof, size } => {
                let freedom = dof - size - 3.0;
                if freedom > 0.0 { cell.abs() * (2.0 / freedom).sqrt() } else { f64::INFINITY }
            }
        }
    }

    /// Degrees of freedom of the exact t pivot of a regression on `d` predictors, where the law has one: r − d, and
    /// ν − (D − d − 1) − 1 (sheffet 5.1). `None` for additive noise, and where none are left.
    #[must_use]
    pub fn pivot_freedom(self, d: usize) -> Option<f64> {
        let freedom = match self {
            Self::None | Self::Goe { .. } | Self::Iid { .. } => return None,
            Self::Projection { rows } => rows - count(d),
            Self::Posterior { dof, size } => dof - (size - count(d) - 1.0) - 1.0,
        };
        (freedom >= 1.0).then_some(freedom)
    }

    /// Whether the whole matrix was drawn, so that its size carries its noise.
    #[must_use]
    pub const fn is_drawn(self) -> bool {
        matches!(self, Self::Projection { .. } | Self::Posterior { .. })
    }

    /// 2 sd √d, the spectral norm of the noise on `d` predictors (noise-and-accounting, C1 step 1).
    #[must_use]
    pub fn spectral_norm(self, d: usize) -> f64 {
        2.0 * self.off_diagonal_sd() * count(d).sqrt()
    }
}

/// One coordinate of a record: its value is `centre + scale * code / R`.
#[derive(Clone, Debug, PartialEq)]
pub struct MomentTerm {
    /// `(Intercept)`, a column, or `column[level]`.
    pub name: String,
    /// The value of code 0, in the column's unit.
    pub centre: f64,
    /// The column's unit per R codes.
    pub scale: f64,
    /// Public bound on |code| / R.
    pub reach: f64,
}

/// Noisy second moments of coded records, in units of R².
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyMoments {
    terms: Vec<MomentTerm>,
    matrix: DMatrix<f64>,
    noise: CellNoise,
    constant: Option<f64>,
    ridge: f64,
    stepped: bool,
}

impl NoisyMoments {
    /// Moments straight from the engine: `cells` is the packed upper triangle over the geometry's terms, row by row, as
    /// `data::moments` keeps it, after noise; `radius` is R.
    ///
    /// # Errors
    /// [`MomentsError`] when the number of cells does not fit the terms.
    pub fn from_cells(
        geometry: &Geometry,
        radius: u32,
        cells: &[i128],
        noise: CellNoise,
    ) -> Result<Self, MomentsError> {
        let unit = unit(radius);
        let values: Vec<f64> = cells.iter().map(|&cell| float(cell) / unit).collect();
        Self::try_new(geometry_terms(geometry, radius), &values, noise)
    }

    /// Moments without noise whose cells count steps 2^-`bits` of a squared code, of a demonstration with guard digits.
    ///
    /// # Errors
    /// [`MomentsError`] when the number of cells does not fit the terms.
    pub fn from_fine_cells(
        geometry: &Geometry,
        radius: u32,
        cells: &[i128],
        bits: u32,
    ) -> Result<Self, MomentsError> {
        let unit = libm::ldexp(unit(radius), bits.cast_signed());
        let values: Vec<f64> = cells.iter().map(|&cell| float(cell) / unit).collect();
        Self::try_new(geometry_terms(geometry, radius), &values, CellNoise::None)
    }

    /// The moments of a release under the plan that it ran.
    ///
    /// # Errors
    /// [`MomentsError`] for a damaged document.
    pub fn from_released(released: &ReleasedMoments, plan: &Plan) -> Result<Self, MomentsError> {
        let radius = radius_of(plan)?;
        let size = released.terms.len();
        if released.matrix.len() != size || released.matrix.iter().any(|row| row.len() != size) {
            return Err(MomentsError::Shape);
        }
        let unit = unit(radius);
        let mut upper = Vec::with_capacity(size * (size + 1) / 2);
        for (row, cells) in released.matrix.iter().enumerate() {
            for (column, text) in cells.iter().enumerate() {
                if column < row {
                    if released.matrix.get(column).and_then(|other| other.get(row)) != Some(text) {
                        return Err(MomentsError::Shape);
                    }
                } else {
                    let cell: i128 =
                        text.parse().map_err(|_| MomentsError::Entry { row: row + 1, column: column + 1 })?;
                    upper.push(float(cell) / unit);
                }
            }
        }
        let terms = released.terms.iter().map(|term| {
            let scale = term.scale * f64::from(radius);
            let reach = match plan_column(plan, &term.term) {
                None => 1.0 / scale,
                Some(column) => half_width(column) / scale,
            };
            MomentTerm { name: term.term.clone(), centre: term.centre, scale, reach: reach.min(1.0) }
        });
        match &released.noise {
            None => Self::try_new(terms.collect(), &upper, CellNoise::None),
            Some(law) => Self::read(terms.collect(), &upper, law, plan),
        }
    }

    /// Moments as a law gives them: `cells` is the released packed upper triangle, in coded units.
    ///
    /// # Errors
    /// [`MomentsError`] when the number of cells does not fit the terms, or the law has numbers out of range.
    pub fn from_law(
        geometry: &Geometry,
        cells: &[i128],
        law: &NoiseLaw,
        plan: &Plan,
    ) -> Result<Self, MomentsError> {
        let radius = radius_of(plan)?;
        let unit = unit(radius);
        let values: Vec<f64> = cells.iter().map(|&cell| float(cell) / unit).collect();
        Self::read(geometry_terms(geometry, radius), &values, law, plan)
    }

    fn read(
        terms: Vec<MomentTerm>,
        upper: &[f64],
        law: &NoiseLaw,
        plan: &Plan,
    ) -> Result<Self, MomentsError> {
        let radius = radius_of(plan)?;
        let reading = Reading::new(law, terms.len(), radius, plan)?;
        let scaled: Vec<f64> = upper.iter().map(|cell| cell * reading.factor).collect();
        let mut moments = Self::try_new(terms, &scaled, reading.noise)?;
        moments.ridge = reading.ridge;
        moments.step(&reading.shifts);
        Ok(moments)
    }

    /// Moments as [`Self::try_new`], with a ridge in units of R² that the mechanism adds to the diagonal.
    ///
    /// # Errors
    /// As [`Self::try_new`].
    pub fn penalised(
        terms: Vec<MomentTerm>,
        upper: &[f64],
        noise: CellNoise,
        ridge: f64,
    ) -> Result<Self, MomentsError> {
        let mut moments = Self::try_new(terms, upper, noise)?;
        for index in 0..moments.matrix.nrows() {
            moments.matrix[(index, index)] += ridge;
        }
        moments.ridge = ridge;
        Ok(moments)
    }

    /// Takes the first of `shifts` off the diagonal that leaves the whole matrix positive definite; the last one is taken
    /// in any case. What stays of the ridge is known.
    fn step(&mut self, shifts: &[f64]) {
        for (at, shift) in shifts.iter().enumerate() {
            let mut shifted = self.matrix.clone();
            for index in 0..shifted.nrows() {
                shifted[(index, index)] -= shift;
            }
            if at + 1 == shifts.len() || Cholesky::try_new(&shifted).is_ok() {
                self.matrix = shifted;
                self.ridge -= shift;
                self.stepped = at > 0;
                return;
            }
        }
    }

    /// Moments from numbers already in units of R²: `upper` is the packed upper triangle, row by row.
    ///
    /// # Errors
    /// [`MomentsError`] when the sizes differ or a number is not finite.
    pub fn try_new(terms: Vec<MomentTerm>, upper: &[f64], noise: CellNoise) -> Result<Self, MomentsError> {
        let size = terms.len();
        if size == 0 || upper.len() != size * (size + 1) / 2 {
            return Err(MomentsError::Shape);
        }
        if upper.iter().any(|cell| !cell.is_finite()) {
            return Err(MomentsError::Grid { what: "matrix" });
        }
        if terms.iter().any(|term| !(term.centre.is_finite() && term.scale.is_finite() && term.scale > 0.0)) {
            return Err(MomentsError::Grid { what: "scale" });
        }
        let mut matrix = DMatrix::zeros(size, size);
        let mut cells = upper.iter();
        for row in 0..size {
            for (column, &cell) in (row..size).zip(&mut cells) {
                matrix[(row, column)] = cell;
                matrix[(column, row)] = cell;
            }
        }
        let constant = terms.first().filter(|term| term.name == INTERCEPT).map(|term| 1.0 / term.scale);
        Ok(Self { terms, matrix, noise, constant, ridge: 0.0, stepped: false })
    }

    /// The coordinates, in the matrix's order.
    #[must_use]
    pub fn terms(&self) -> &[MomentTerm] {
        &self.terms
    }

    /// The symmetric matrix, in units of R².
    #[must_use]
    pub fn matrix(&self) -> &DMatrix<f64> {
        &self.matrix
    }

    /// The law of the noise.
    #[must_use]
    pub fn noise(&self) -> CellNoise {
        self.noise
    }

    /// c / R, the constant's code; it is coordinate 0 where there is one.
    #[must_use]
    pub fn constant(&self) -> Option<f64> {
        self.constant
    }

    /// The coordinate of a term.
    #[must_use]
    pub fn index(&self, name: &str) -> Option<usize> {
        self.terms.iter().position(|term| term.name == name)
    }

    /// Λ₀ in units of R²: what the mechanism itself added to the diagonal and the matrix still has, on average.
    #[must_use]
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// Whether the added mean could not be taken off, because the matrix would not have been positive definite.
    #[must_use]
    pub fn stepped(&self) -> bool {
        self.stepped
    }

    /// n~ = (G_cc − Λ₀) / c² and its standard deviation (noise-and-accounting, C1 step 2).
    #[must_use]
    pub fn noisy_rows(&self) -> Option<(f64, f64)> {
        let square = self.constant? * self.constant?;
        let cell = self.matrix[(0, 0)];
        Some(((cell - self.ridge) / square, self.noise.diagonal_sd(cell) / square))
    }

    /// A number that depends on nothing but the released matrix: the seed of what is drawn in post-processing.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.matrix.iter().fold(0x6469_7363_7265_6574, |hash, cell| super::pseudo::mix(hash ^ cell.to_bits()))
    }
}

/// The coordinates of a geometry on the grid of radius R.
pub(super) fn geometry_terms(geometry: &Geometry, radius: u32) -> Vec<MomentTerm> {
    let radius = f64::from(radius);
    let terms = geometry.terms.iter().map(|term| {
        let reach = match term.column {
            None => f64::from(geometry.constant),
            Some(_) => {
                (term.weight * f64::from(geometry.reach) / geometry.longest).min(f64::from(geometry.radius))
            }
        };
        MomentTerm {
            name: term.name.clone(),
            centre: term.centre,
            scale: term.scale * radius,
            reach: reach / radius,
        }
    });
    terms.collect()
}

/// R of a plan as run.
pub(super) fn radius_of(plan: &Plan) -> Result<u32, MomentsError> {
    let Some(value) = plan.mechanism.params.get("radius") else { return Ok(DEFAULT_RADIUS) };
    let radius = value.as_u64().and_then(|radius| u32::try_from(radius).ok());
    let radius = radius.filter(|radius| radius.is_power_of_two() && (1 << 16..=1 << 24).contains(radius));
    radius.ok_or(MomentsError::Grid { what: "radius" })
}

/// The plan's column that a term belongs to: a name before a pattern, the whole term before `column[level]`.
pub(super) fn plan_column<'a>(plan: &'a Plan, term: &str) -> Option<&'a Column> {
    let whole = |kind| column_named(plan, term).filter(|column| column.kind == Some(kind));
    whole(ColumnType::Number).or_else(|| {
        let columns = plan.columns.iter().filter(|column| column.kind == Some(ColumnType::Category));
        columns.into_iter().find(|column| {
            let levels = column.levels.iter().flatten();
            levels.into_iter().any(|level| {
                let base = term.strip_suffix(&format!("[{level}]"));
                base.is_some_and(|base| {
                    column_named(plan, base).is_some_and(|found| std::ptr::eq(found, *column))
                })
            })
        })
    })
}

/// The plan's column for a name in the header: by name, else by the first pattern that fits.
pub(super) fn column_named<'a>(plan: &'a Plan, name: &str) -> Option<&'a Column> {
    let used = || plan.columns.iter().filter(|column| column.role != ColumnRole::Ignored);
    used().find(|column| column.name.as_deref() == Some(name)).or_else(|| {
        used().find(|column| column.pattern.as_deref().is_some_and(|pattern| fits(pattern, name)))
    })
}

fn half_width(column: &Column) -> f64 {
    match (column.lower, column.upper) {
        (Some(lower), Some(upper)) => upper / 2.0 - lower / 2.0,
        _ => 1.0,
    }
}

/// R², exact: R is a power of two.
pub(super) fn unit(radius: u32) -> f64 {
    f64::from(radius) * f64::from(radius)
}

/// The nearest double.
#[expect(clippy::cast_precision_loss, reason = "rounding to the nearest double is what is wanted")]
fn float(cell: i128) -> f64 {
    cell as f64
}

#[expect(clippy::cast_precision_loss, reason = "rounding to the nearest double is what is wanted")]
fn float_u(scale: u128) -> f64 {
    scale as f64
}

/// A count as a number.
pub(super) fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
