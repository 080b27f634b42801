//! A released second-moment matrix as numbers: coded sums in units of R², with the law of their noise.

use std::collections::HashMap;

use nalgebra::{DMatrix, RowDVector};

use super::reading::Reading;
use crate::data::encode::Geometry;
use crate::math::linalg::Cholesky;
use crate::model::{INTERCEPT, Layout, NoiseLaw, Role, Shape};
use crate::plan::Plan;
use crate::plan::bind::fits;
use crate::plan::document::{Column, ColumnType};
use crate::release::moments::{Blocks, FeatureMap, ReleasedMoments};

/// R where a plan does not say it (contract, Parameters).
const DEFAULT_RADIUS: u32 = 1 << 24;

/// More binary places than a map of features can have.
const MOST_BITS: u32 = 61;

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
            Self::None | Self::Cross { .. } | Self::Projection { .. } | Self::Posterior { .. } => 0.0,
            Self::Goe { s } | Self::Sides { features: s, .. } => s.sqrt(),
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
    /// ν − (D − d − 1) − 1 (sheffet 5.1). `None` for additive noise, and where none are left.
    #[must_use]
    pub fn pivot_freedom(self, d: usize) -> Option<f64> {
        let freedom = match self {
            Self::None | Self::Goe { .. } | Self::Iid { .. } | Self::Cross { .. } | Self::Sides { .. } => {
                return None;
            }
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

/// The products that were released, in units of R².
#[derive(Clone, Debug, PartialEq)]
struct Cells {
    /// Of the first terms with each other.
    features: DMatrix<f64>,
    /// Of those with the others, one column each.
    cross: DMatrix<f64>,
    /// The squares of the others; empty where they were not released.
    squares: Vec<f64>,
}

/// Noisy second moments of coded records, in units of R².
#[derive(Clone, Debug, PartialEq)]
pub struct NoisyMoments {
    terms: Vec<MomentTerm>,
    cells: Cells,
    noise: CellNoise,
    constant: Option<f64>,
    whitening: Option<Whitening>,
    ridge: f64,
    stepped: bool,
    /// The inverse of the map of the features before whose products with the outcomes noise was alike.
    inverse_map: Option<DMatrix<f64>>,
}

/// What whitened coordinates are made of (pmt 1.1).
#[derive(Clone, Debug, PartialEq)]
pub struct Whitening {
    /// A with z = A v: z are the first terms' codes in units of R, v the same in own units with the constant.
    pub map: DMatrix<f64>,
    /// A⁻¹.
    pub inverse: DMatrix<f64>,
    /// Whether v starts with the constant 1.
    pub constant: bool,
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

    /// Moments without noise in some layout, whose cells count steps 2^-`bits` of a squared code: of a demonstration, with guard
    /// digits where bits are above 0.
    ///
    /// # Errors
    /// [`MomentsError`] when the number of cells does not fit the terms.
    pub fn from_exact_cells(
        geometry: &Geometry,
        radius: u32,
        layout: Layout,
        cells: &[i128],
        bits: u32,
    ) -> Result<Self, MomentsError> {
        let unit = libm::ldexp(unit(radius), bits.cast_signed());
        let values: Vec<f64> = cells.iter().map(|&cell| float(cell) / unit).collect();
        Self::of(geometry_terms(geometry, radius), layout, &values, CellNoise::None)
    }

    /// The moments of a release under the plan that it ran.
    ///
    /// # Errors
    /// [`MomentsError`] for a damaged document.
    pub fn from_released(released: &ReleasedMoments, plan: &Plan) -> Result<Self, MomentsError> {
        let radius = radius_of(plan)?;
        let (layout, cells) = released_cells(released)?;
        let unit = unit(radius);
        let values: Vec<f64> = cells.iter().map(|&cell| float(cell) / unit).collect();
        let columns = PlanColumns::new(plan);
        let terms = released.terms.iter().map(|term| {
            let scale = term.scale * f64::from(radius);
            let reach = match columns.of_term(&term.term) {
                None => 1.0 / scale,
                Some(column) => half_width(column) / scale,
            };
            MomentTerm { name: term.term.clone(), centre: term.centre, scale, reach: reach.min(1.0) }
        });
        let moments = match &released.noise {
            None => Self::of(terms.collect(), layout, &values, CellNoise::None)?,
            Some(law) => {
                let map = released.blocks.as_ref().and_then(|blocks| blocks.map.as_ref());
                Self::read(terms.collect(), layout, &values, law, plan)?.unmapped(map)?
            }
        };
        match &released.whitening {
            None => Ok(moments),
            Some(rows) => moments.whitened(&rows.concat()),
        }
    }

    /// Moments as a law gives them: `cells` are the released integers in the layout's order, in coded units.
    ///
    /// # Errors
    /// [`MomentsError`] when the number of cells does not fit the terms, or the law has numbers out of range.
    pub fn from_law(
        geometry: &Geometry,
        layout: Layout,
        cells: &[i128],
        law: &NoiseLaw,
        plan: &Plan,
    ) -> Result<Self, MomentsError> {
        let radius = radius_of(plan)?;
        let unit = unit(radius);
        let values: Vec<f64> = cells.iter().map(|&cell| float(cell) / unit).collect();
        Self::read(geometry_terms(geometry, radius), layout, &values, law, plan)
    }

    /// The moments of the features themselves, from those in which their products with outcomes are of mapped features.
    ///
    /// # Errors
    /// [`MomentsError::Shape`] for a map of other features, or one that has no inverse.
    pub fn unmapped(mut self, map: Option<&FeatureMap>) -> Result<Self, MomentsError> {
        let Some(map) = map else { return Ok(self) };
        let size = self.cells.features.nrows();
        let matrix = DMatrix::from_fn(size, size, |row, column| {
            libm::ldexp(float(map.rows.get(row, column).unwrap_or(0)), -map.bits.min(MOST_BITS).cast_signed())
        });
        let fits = map.bits < MOST_BITS && map.rows.rows() == size && map.rows.columns() == size;
        let inverse = matrix.solve_lower_triangular(&DMatrix::identity(size, size));
        let inverse = inverse.filter(|inverse| fits && inverse.iter().all(|cell| cell.is_finite()));
        let inverse = inverse.ok_or(MomentsError::Shape)?;
        self.cells.cross = &inverse * &self.cells.cross;
        self.inverse_map = Some(inverse);
        Ok(self)
    }

    /// What noise that is alike before the map makes of a row of numbers for each feature: as many numbers, whose squared length
    /// is the variance of their sum of products with the noise of an outcome, in units of a cell's.
    #[must_use]
    pub fn through_map(&self, row: RowDVector<f64>) -> RowDVector<f64> {
        match &self.inverse_map {
            Some(inverse) if inverse.nrows() == row.len() => row * inverse,
            _ => row,
        }
    }

    fn read(
        terms: Vec<MomentTerm>,
        layout: Layout,
        cells: &[f64],
        law: &NoiseLaw,
        plan: &Plan,
    ) -> Result<Self, MomentsError> {
        let radius = radius_of(plan)?;
        let reading = Reading::new(law, terms.len(), radius, plan)?;
        if layout.outcomes() > 0 && reading.noise.is_drawn() {
            return Err(MomentsError::Shape);
        }
        let scaled: Vec<f64> = cells.iter().map(|cell| cell * reading.factor).collect();
        let mut moments = Self::of(terms, layout, &scaled, reading.noise)?;
        moments.cells.features *= reading.features;
        moments.ridge = reading.ridge;
        moments.step(&reading.shifts);
        Ok(moments)
    }

    /// Moments as [`Self::of`], with a ridge in units of R² that the mechanism adds to the diagonal.
    ///
    /// # Errors
    /// As [`Self::try_new`].
    pub fn penalised(
        terms: Vec<MomentTerm>,
        layout: Layout,
        cells: &[f64],
        noise: CellNoise,
        ridge: f64,
    ) -> Result<Self, MomentsError> {
        let mut moments = Self::of(terms, layout, cells, noise)?;
        for index in 0..moments.cells.features.nrows() {
            moments.cells.features[(index, index)] += ridge;
        }
        moments.ridge = ridge;
        Ok(moments)
    }

    /// Takes the first of `shifts` off the diagonal that leaves the whole matrix positive definite; the last one is taken
    /// in any case. What stays of the ridge is known.
    fn step(&mut self, shifts: &[f64]) {
        for (at, shift) in shifts.iter().enumerate() {
            let mut shifted = self.cells.features.clone();
            for index in 0..shifted.nrows() {
                shifted[(index, index)] -= shift;
            }
            if at + 1 == shifts.len() || Cholesky::try_new(&shifted).is_ok() {
                self.cells.features = shifted;
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
        let layout = Layout::whole(terms.len());
        Self::of(terms, layout, upper, noise)
    }

    /// Moments from numbers already in units of R², in a layout's order.
    ///
    /// # Errors
    /// As [`Self::try_new`].
    pub fn of(
        terms: Vec<MomentTerm>,
        layout: Layout,
        cells: &[f64],
        noise: CellNoise,
    ) -> Result<Self, MomentsError> {
        if layout.features() == 0 || layout.terms() != terms.len() || cells.len() != layout.cells() {
            return Err(MomentsError::Shape);
        }
        if cells.iter().any(|cell| !cell.is_finite()) {
            return Err(MomentsError::Grid { what: "matrix" });
        }
        if terms.iter().any(|term| !(term.centre.is_finite() && term.scale.is_finite() && term.scale > 0.0)) {
            return Err(MomentsError::Grid { what: "scale" });
        }
        let (p, l) = (layout.features(), layout.outcomes());
        let mut features = DMatrix::zeros(p, p);
        let mut rest = cells.iter();
        for row in 0..p {
            for (column, &cell) in (row..p).zip(&mut rest) {
                features[(row, column)] = cell;
                features[(column, row)] = cell;
            }
        }
        let cross = DMatrix::from_row_iterator(p, l, rest.by_ref().take(p * l).copied());
        let cells = Cells { features, cross, squares: rest.copied().collect() };
        let constant = terms.first().filter(|term| term.name == INTERCEPT).map(|term| 1.0 / term.scale);
        Ok(Self {
            terms,
            cells,
            noise,
            constant,
            whitening: None,
            ridge: 0.0,
            stepped: false,
            inverse_map: None,
        })
    }

    /// The same moments, whose first terms are whitened coordinates: `matrix` has a row for each of them, by which own units with the
    /// constant are multiplied, and the terms' scales are whitened units.
    ///
    /// # Errors
    /// [`MomentsError::Grid`] for a matrix of another size or without an inverse.
    pub fn whitened(mut self, matrix: &[f64]) -> Result<Self, MomentsError> {
        const DAMAGED: MomentsError = MomentsError::Grid { what: "whitening" };
        let d = self.cells.features.nrows();
        if matrix.len() != d * d || matrix.iter().any(|entry| !entry.is_finite()) {
            return Err(DAMAGED);
        }
        let mut map = DMatrix::from_row_slice(d, d, matrix);
        for (mut row, term) in map.row_iter_mut().zip(&self.terms) {
            row /= term.scale;
        }
        let inverse = map.clone().try_inverse().ok_or(DAMAGED)?;
        let constant = self.constant.take().is_some();
        self.whitening = Some(Whitening { map, inverse, constant });
        Ok(self)
    }

    /// What the first terms are made of, where they are whitened coordinates.
    #[must_use]
    pub const fn whitening(&self) -> Option<&Whitening> {
        self.whitening.as_ref()
    }

    /// Whether a regression can have an intercept.
    #[must_use]
    pub fn has_constant(&self) -> bool {
        self.constant.is_some() || self.whitening.as_ref().is_some_and(|whitening| whitening.constant)
    }

    /// The coordinates, in the matrix's order.
    #[must_use]
    pub fn terms(&self) -> &[MomentTerm] {
        &self.terms
    }

    /// The symmetric matrix of the first terms, in units of R²: of all terms, unless outcomes were released apart.
    #[must_use]
    pub fn matrix(&self) -> &DMatrix<f64> {
        &self.cells.features
    }

    /// The products of those first terms with the others, one column each, in units of R².
    #[must_use]
    pub fn cross(&self) -> &DMatrix<f64> {
        &self.cells.cross
    }

    /// Whether the squares of the others were released.
    #[must_use]
    pub fn has_squares(&self) -> bool {
        !self.cells.squares.is_empty()
    }

    /// The same with other products of the first terms with the others, which a projection has put back; nothing where their
    /// number differs.
    #[must_use]
    pub fn with_cross(&self, cross: DMatrix<f64>) -> Option<Self> {
        let fits = cross.shape() == self.cells.cross.shape();
        fits.then(|| Self { cells: Cells { cross, ..self.cells.clone() }, ..self.clone() })
    }

    /// The sum of products of two terms, in units of R², where it was released.
    #[must_use]
    pub fn cell(&self, first: usize, second: usize) -> Option<f64> {
        let (row, column) = (first.min(second), first.max(second));
        let p = self.cells.features.nrows();
        match column.checked_sub(p) {
            None => Some(self.cells.features[(row, column)]),
            Some(outcome) if row < p => self.cells.cross.get((row, outcome)).copied(),
            Some(outcome) if row == column => self.cells.squares.get(outcome).copied(),
            Some(_) => None,
        }
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
        if let Some(whitening) = self.whitening.as_ref().filter(|whitening| whitening.constant) {
            // The constant's square is a combination of cells, whose noise does not change under rotation.
            let weights = whitening.inverse.row(0).transpose();
            let rows = (weights.transpose() * &self.cells.features * &weights)[(0, 0)];
            return Some((rows, 2_f64.sqrt() * self.noise.off_diagonal_sd() * weights.norm_squared()));
        }
        let square = self.constant? * self.constant?;
        let cell = self.cells.features[(0, 0)];
        Some(((cell - self.ridge) / square, self.noise.diagonal_sd(cell) / square))
    }

    /// A number that depends on nothing but the released matrix: the seed of what is drawn in post-processing.
    #[must_use]
    pub fn seed(&self) -> u64 {
        let Cells { features, cross, squares } = &self.cells;
        let all = features.iter().chain(cross.iter()).chain(squares);
        all.fold(0x6469_7363_7265_6574, |hash, cell| super::pseudo::mix(hash ^ cell.to_bits()))
    }
}

/// The integers of a document, in the order of their layout.
fn released_cells(released: &ReleasedMoments) -> Result<(Layout, Vec<i128>), MomentsError> {
    let size = released.terms.len();
    match (&released.matrix, &released.blocks) {
        (Some(matrix), None) => {
            if matrix.len() != size || matrix.iter().any(|row| row.len() != size) {
                return Err(MomentsError::Shape);
            }
            let mut upper = Vec::with_capacity(size * (size + 1) / 2);
            for (row, cells) in matrix.iter().enumerate() {
                for (column, text) in cells.iter().enumerate() {
                    if column < row {
                        if matrix.get(column).and_then(|other| other.get(row)) != Some(text) {
                            return Err(MomentsError::Shape);
                        }
                    } else {
                        let wrong = |_| MomentsError::Entry { row: row + 1, column: column + 1 };
                        upper.push(text.parse().map_err(wrong)?);
                    }
                }
            }
            Ok((Layout::whole(size), upper))
        }
        (None, Some(Blocks { xx, xy, yy_diagonal, .. })) => {
            let (features, outcomes) = (xx.rows(), xy.columns());
            let square = xx.columns() == features && xy.rows() == features;
            let squares = yy_diagonal.as_ref().map_or(&[][..], |diagonal| &diagonal.0);
            if !square || features + outcomes != size || ![0, outcomes].contains(&squares.len()) {
                return Err(MomentsError::Shape);
            }
            let mut cells =
                Vec::with_capacity(features * (features + 1) / 2 + xy.cells().len() + squares.len());
            for row in 0..features {
                for column in row..features {
                    let cell = xx.get(row, column).filter(|cell| xx.get(column, row) == Some(*cell));
                    cells.push(cell.ok_or(MomentsError::Shape)?);
                }
            }
            cells.extend_from_slice(xy.cells());
            cells.extend_from_slice(squares);
            Ok((Layout::sides(features, outcomes, yy_diagonal.is_some()), cells))
        }
        _ => Err(MomentsError::Shape),
    }
}

/// The coordinates of a geometry on the grid of radius R.
pub(super) fn geometry_terms(geometry: &Geometry, radius: u32) -> Vec<MomentTerm> {
    let radius = f64::from(radius);
    let terms = geometry.terms.iter().enumerate().map(|(index, term)| {
        let (bound, longest, most) = match geometry.outcomes.filter(|side| index >= side.first) {
            Some(side) => (side.reach, side.longest, side.radius),
            None => (geometry.reach, geometry.longest, geometry.radius),
        };
        let reach = match term.column {
            None => f64::from(geometry.constant),
            Some(_) => (term.weight * f64::from(bound) / longest).min(f64::from(most)),
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

/// A plan's columns by name, for as many terms as there are.
pub(super) struct PlanColumns<'a> {
    named: HashMap<&'a str, &'a Column>,
    patterns: Vec<&'a Column>,
    categories: Vec<&'a Column>,
}

impl<'a> PlanColumns<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let used = || plan.columns.iter().filter(|column| column.role != Role::Ignored);
        let mut named = HashMap::new();
        for column in used() {
            if let Some(name) = &column.name {
                named.entry(name.as_str()).or_insert(column);
            }
        }
        Self {
            named,
            patterns: used().filter(|column| column.pattern.is_some()).collect(),
            categories: used().filter(|column| column.kind == Some(ColumnType::Category)).collect(),
        }
    }

    /// The column for a name in the header: by name, else by the first pattern that fits.
    pub(super) fn named(&self, name: &str) -> Option<&'a Column> {
        let by_pattern = || {
            let fitting =
                |column: &&&Column| column.pattern.as_deref().is_some_and(|pattern| fits(pattern, name));
            self.patterns.iter().find(fitting).copied()
        };
        self.named.get(name).copied().or_else(by_pattern)
    }

    /// The column that a term belongs to: a name before a pattern, the whole term before `column[level]`.
    pub(super) fn of_term(&self, term: &str) -> Option<&'a Column> {
        let whole = self.named(term).filter(|column| column.kind == Some(ColumnType::Number));
        whole.or_else(|| {
            let found = self.categories.iter().find(|column| {
                column.levels.iter().flatten().any(|level| {
                    let base = term.strip_suffix(&format!("[{level}]"));
                    base.and_then(|base| self.named(base)).is_some_and(|found| std::ptr::eq(found, **column))
                })
            });
            found.copied()
        })
    }
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
