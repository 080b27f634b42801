//! A released second-moment matrix as numbers: coded sums in units of R², with the law of their noise.

use std::collections::HashMap;

use nalgebra::{DMatrix, RowDVector};

use super::cell_noise::unit;
pub use super::cell_noise::{CellNoise, MomentsError};
use super::contrast::Corners;
use super::debiasing::Debiasing;
use crate::data::encode::Geometry;
use crate::math::linalg::Cholesky;
use crate::math::round::real;
use crate::math::triangle;
use crate::model::{Contrast, INTERCEPT, Layout, NoiseLaw, Role};
use crate::plan::Plan;
use crate::plan::bind::fits;
use crate::plan::derived::all_columns;
use crate::plan::document::{Column, ColumnType};
use crate::release::moments::{Blocks, FeatureMap, ReleasedMoments};

/// R where a plan gives none.
const DEFAULT_RADIUS: u32 = 1 << 24;

/// More binary places than a map of features can have.
const MOST_BITS: u32 = 61;

/// One coordinate of a record: its value is `centre + scale * code / R`. The code of a level whose category has [`Corners`] is that along
/// the level's direction.
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
    /// Products of the first terms with each other.
    features: DMatrix<f64>,
    /// Products of the first terms with the others, one column for each other term.
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
    /// The categories whose levels are the corners of a simplex.
    corners: Vec<Corners>,
    ridge: f64,
    stepped: bool,
    sampled: bool,
    /// The inverse of the map of the features before whose products with the outcomes noise was alike.
    inverse_map: Option<DMatrix<f64>>,
}

/// What whitened coordinates are made of (theory/public-moments 1.2).
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
    /// Moments with this noise in some layout, whose cells count steps 2^-`bits` of a squared code: bits are above 0 in a demonstration
    /// with guard digits. `radius` is R.
    ///
    /// # Errors
    /// [`MomentsError`] when the number of cells does not fit the terms.
    pub fn from_cells(
        geometry: &Geometry,
        radius: u32,
        layout: Layout,
        cells: &[i128],
        bits: u32,
        noise: CellNoise,
    ) -> Result<Self, MomentsError> {
        let unit = libm::ldexp(unit(radius), bits.cast_signed());
        let values = coded(cells, unit);
        let moments = Self::of(geometry_terms(geometry, radius), layout, &values, noise)?;
        Ok(moments.cornered(&geometry.contrasts, radius))
    }

    /// Returns the moments of a release under the plan that it ran.
    ///
    /// # Errors
    /// [`MomentsError`] for a damaged document.
    pub fn from_released(released: &ReleasedMoments, plan: &Plan) -> Result<Self, MomentsError> {
        if released.adaptive.is_some() {
            return Err(MomentsError::Adaptive);
        }
        let radius = radius_of(plan)?;
        let (layout, cells) = released_cells(released)?;
        let unit = unit(radius);
        let values = coded(&cells, unit);
        let columns = PlanColumns::new(plan);
        let terms = released.terms.iter().map(|term| {
            let scale = term.scale * f64::from(radius);
            let reach = match columns.of_term(&term.term) {
                None => 1.0 / scale,
                Some(column) => half_width(column, term.centre) / scale,
            };
            MomentTerm { name: term.term.clone(), centre: term.centre, scale, reach: reach.min(1.0) }
        });
        let moments = match &released.noise {
            None => Self::of(terms.collect(), layout, &values, CellNoise::None)?,
            Some(law) => {
                let map = released.blocks.as_ref().and_then(|blocks| blocks.map.as_ref());
                Self::debiased(terms.collect(), layout, &values, law, plan)?.unmapped(map)?
            }
        };
        let moments = moments.contrasted(&released.contrasts, radius)?;
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
        let values = coded(cells, unit);
        let moments = Self::debiased(geometry_terms(geometry, radius), layout, &values, law, plan)?;
        Ok(moments.cornered(&geometry.contrasts, radius))
    }

    /// Declares the coordinates of categories whose levels are the corners of a simplex, each with the place of its first term.
    #[must_use]
    pub fn cornered(mut self, contrasts: &[(usize, Contrast)], radius: u32) -> Self {
        let corners = contrasts.iter().map(|(first, contrast)| Corners::new(*first, contrast, radius));
        self.corners = corners.collect();
        self
    }

    /// Does so for the contrasts of a document.
    fn contrasted(self, contrasts: &[Contrast], radius: u32) -> Result<Self, MomentsError> {
        let mut free = 0;
        let placed = contrasts.iter().map(|contrast| {
            let first = self.index(&contrast.term).filter(|first| *first >= free)?;
            free = first.checked_add(contrast.coordinates())?;
            (contrast.is_sound() && free <= self.cells.features.nrows()).then(|| (first, contrast.clone()))
        });
        let placed: Option<Vec<(usize, Contrast)>> = placed.collect();
        Ok(self.cornered(&placed.ok_or(MomentsError::Grid { what: "contrasts" })?, radius))
    }

    /// Returns the categories whose levels are the corners of a simplex.
    pub fn corners(&self) -> &[Corners] {
        &self.corners
    }

    /// Turns the coordinates of a category, from `first` on, by an orthogonal symmetric matrix.
    pub(super) fn turn(&mut self, first: usize, by: &DMatrix<f64>) {
        let m = by.nrows();
        let features = &mut self.cells.features;
        let rows = by * features.rows(first, m);
        features.rows_mut(first, m).copy_from(&rows);
        let columns = features.columns(first, m) * by;
        features.columns_mut(first, m).copy_from(&columns);
        for matrix in [Some(&mut self.cells.cross), self.inverse_map.as_mut()].into_iter().flatten() {
            let rows = by * matrix.rows(first, m);
            matrix.rows_mut(first, m).copy_from(&rows);
        }
        for corners in self.corners.iter_mut().filter(|corners| corners.first == first) {
            corners.directions *= by;
            corners.effects *= by;
        }
        self.noise = self.noise.turned();
    }

    /// Returns the moments of the features themselves, given moments in which the products with outcomes are of mapped features.
    ///
    /// # Errors
    /// [`MomentsError::Shape`] for a map of other features, or one that has no inverse.
    pub fn unmapped(mut self, map: Option<&FeatureMap>) -> Result<Self, MomentsError> {
        let Some(map) = map else { return Ok(self) };
        let size = self.cells.features.nrows();
        let matrix = DMatrix::from_fn(size, size, |row, column| {
            libm::ldexp(real(map.rows.get(row, column).unwrap_or(0)), -map.bits.min(MOST_BITS).cast_signed())
        });
        let fits = map.bits < MOST_BITS && map.rows.rows() == size && map.rows.columns() == size;
        let inverse = matrix.solve_lower_triangular(&DMatrix::identity(size, size));
        let inverse = inverse.filter(|inverse| fits && inverse.iter().all(|cell| cell.is_finite()));
        let inverse = inverse.ok_or(MomentsError::Shape)?;
        self.cells.cross = &inverse * &self.cells.cross;
        self.inverse_map = Some(inverse);
        Ok(self)
    }

    /// Multiplies a row of numbers, one for each feature, by the inverse map of noise that is alike in mapped features: as many numbers,
    /// whose squared length
    /// is the variance of their sum of products with the noise of an outcome, in units of a cell's.
    pub fn through_map(&self, row: RowDVector<f64>) -> RowDVector<f64> {
        match &self.inverse_map {
            Some(inverse) if inverse.nrows() == row.len() => row * inverse,
            _ => row,
        }
    }

    fn debiased(
        terms: Vec<MomentTerm>,
        layout: Layout,
        cells: &[f64],
        law: &NoiseLaw,
        plan: &Plan,
    ) -> Result<Self, MomentsError> {
        let radius = radius_of(plan)?;
        let debiasing = Debiasing::new(law, terms.len(), radius, plan)?;
        if layout.outcomes() > 0 && debiasing.noise.is_drawn() {
            return Err(MomentsError::Shape);
        }
        let scaled: Vec<f64> = cells.iter().map(|cell| cell * debiasing.factor).collect();
        let mut moments = Self::of(terms, layout, &scaled, debiasing.noise)?;
        moments.cells.features *= debiasing.features;
        moments.ridge = debiasing.ridge;
        moments.sampled = debiasing.features > 1.0;
        moments.step(&debiasing.shifts);
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
        for ((row, column), &cell) in triangle::pairs(p).zip(&mut rest) {
            features[(row, column)] = cell;
            features[(column, row)] = cell;
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
            corners: Vec::new(),
            ridge: 0.0,
            stepped: false,
            sampled: false,
            inverse_map: None,
        })
    }

    /// Declares the first terms to be whitened coordinates: `matrix` has a row for each of them, by which own units with the
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

    /// Returns the map of the first terms, where they are whitened coordinates.
    pub const fn whitening(&self) -> Option<&Whitening> {
        self.whitening.as_ref()
    }

    /// Returns whether a regression can have an intercept.
    pub fn has_constant(&self) -> bool {
        self.constant.is_some() || self.whitening.as_ref().is_some_and(|whitening| whitening.constant)
    }

    /// Returns the coordinates, in the matrix's order.
    pub fn terms(&self) -> &[MomentTerm] {
        &self.terms
    }

    /// Returns the symmetric matrix of the first terms, in units of R²: of all terms, unless outcomes were released separately.
    pub fn matrix(&self) -> &DMatrix<f64> {
        &self.cells.features
    }

    /// Returns the products of the first terms with the others, one column for each other term, in units of R².
    pub fn cross(&self) -> &DMatrix<f64> {
        &self.cells.cross
    }

    /// Returns whether the squares of the others were released.
    pub fn has_squares(&self) -> bool {
        !self.cells.squares.is_empty()
    }

    /// Replaces the products of the first terms with the others by projected ones. `None` if their number differs.
    pub fn with_cross(&self, cross: DMatrix<f64>) -> Option<Self> {
        let fits = cross.shape() == self.cells.cross.shape();
        fits.then(|| Self { cells: Cells { cross, ..self.cells.clone() }, ..self.clone() })
    }

    /// Returns the sum of products of two terms, in units of R², where it was released.
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

    /// Returns the law of the noise.
    pub fn noise(&self) -> CellNoise {
        self.noise
    }

    /// Returns c / R, the constant's code; the constant is coordinate 0 where there is one.
    pub fn constant(&self) -> Option<f64> {
        self.constant
    }

    /// Returns the coordinate of a term.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.terms.iter().position(|term| term.name == name)
    }

    /// Returns Λ₀ in units of R²: what the mechanism added to the diagonal and was not removed, on average.
    pub fn ridge(&self) -> f64 {
        self.ridge
    }

    /// Returns whether the features' moments are those of a secret sample of the rows, whose error is not known (theory/many-outcomes 5.2).
    pub fn sampled(&self) -> bool {
        self.sampled
    }

    /// Returns whether the expected noise could not be removed, because the matrix would not have been positive definite.
    pub fn stepped(&self) -> bool {
        self.stepped
    }

    /// Returns the noisy number of rows, (G_cc − Λ₀) / c², and its standard deviation (theory/inference 2.3).
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

    /// Returns the seed of random numbers in post-processing; it depends on the released matrix alone.
    pub fn seed(&self) -> u64 {
        let Cells { features, cross, squares } = &self.cells;
        let all = features.iter().chain(cross.iter()).chain(squares);
        all.fold(0x6469_7363_7265_6574, |hash, cell| super::pseudo::mix(hash ^ cell.to_bits()))
    }
}

/// Returns integers as numbers in coded units.
fn coded(cells: &[i128], unit: f64) -> Vec<f64> {
    cells.iter().map(|&cell| real(cell) / unit).collect()
}

/// Returns the upper triangle of a document's matrix, row by row.
///
/// # Errors
/// [`MomentsError`] where it has not this size, is not symmetric, or an entry is no integer.
pub fn upper_triangle(matrix: &[Vec<String>], size: usize) -> Result<Vec<i128>, MomentsError> {
    if matrix.len() != size || matrix.iter().any(|row| row.len() != size) {
        return Err(MomentsError::Shape);
    }
    let mut upper = Vec::with_capacity(triangle::len(size));
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
    Ok(upper)
}

/// Returns the integers of a document, in the order of their layout.
fn released_cells(released: &ReleasedMoments) -> Result<(Layout, Vec<i128>), MomentsError> {
    let size = released.terms.len();
    match (&released.matrix, &released.blocks) {
        (Some(matrix), None) => Ok((Layout::whole(size), upper_triangle(matrix, size)?)),
        (None, Some(Blocks { xx, xy, yy_diagonal, .. })) => {
            let (features, outcomes) = (xx.rows(), xy.columns());
            let square = xx.columns() == features && xy.rows() == features;
            let squares = yy_diagonal.as_ref().map_or(&[][..], |diagonal| &diagonal.0);
            if !square || features + outcomes != size || ![0, outcomes].contains(&squares.len()) {
                return Err(MomentsError::Shape);
            }
            let mut cells = Vec::with_capacity(triangle::len(features) + xy.cells().len() + squares.len());
            for (row, column) in triangle::pairs(features) {
                let cell = xx.get(row, column).filter(|cell| xx.get(column, row) == Some(*cell));
                cells.push(cell.ok_or(MomentsError::Shape)?);
            }
            cells.extend_from_slice(xy.cells());
            cells.extend_from_slice(squares);
            Ok((Layout::sides(features, outcomes, yy_diagonal.is_some()), cells))
        }
        _ => Err(MomentsError::Shape),
    }
}

/// Returns the coordinates of a geometry on the grid of radius R.
pub(super) fn geometry_terms(geometry: &Geometry, radius: u32) -> Vec<MomentTerm> {
    let radius = f64::from(radius);
    let terms = geometry.terms.iter().enumerate().map(|(index, term)| {
        let (bound, longest, most) = match geometry.outcomes.filter(|side| index >= side.first) {
            Some(side) => (side.reach, side.longest, side.radius),
            None => (geometry.reach, geometry.longest, geometry.radius),
        };
        let reach = match term.column {
            None => f64::from(geometry.constant),
            Some(_) if term.level.is_some() => ((1.0 - term.centre) / term.scale).min(f64::from(most)),
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

/// Returns R of a plan as run.
pub(super) fn radius_of(plan: &Plan) -> Result<u32, MomentsError> {
    let Some(value) = plan.mechanism.params.get("radius") else { return Ok(DEFAULT_RADIUS) };
    let radius = value.as_u64().and_then(|radius| u32::try_from(radius).ok());
    let radius = radius.filter(|radius| radius.is_power_of_two() && (1 << 16..=1 << 24).contains(radius));
    radius.ok_or(MomentsError::Grid { what: "radius" })
}

/// A plan's columns by name, for as many terms as there are.
pub(super) struct PlanColumns {
    columns: Vec<Column>,
    /// The place of each name.
    named: HashMap<String, usize>,
}

impl PlanColumns {
    /// Takes the columns of a plan that have a role, and those that it derives.
    pub(super) fn new(plan: &Plan) -> Self {
        let mut columns = all_columns(plan);
        columns.retain(|column| column.role != Role::Ignored);
        let mut named = HashMap::new();
        for (place, column) in columns.iter().enumerate() {
            if let Some(name) = &column.name {
                named.entry(name.clone()).or_insert(place);
            }
        }
        Self { columns, named }
    }

    /// Returns the column for a name in the header: by name, else by the first pattern that fits.
    pub(super) fn named(&self, name: &str) -> Option<&Column> {
        let fitting = |column: &&Column| column.pattern.as_deref().is_some_and(|pattern| fits(pattern, name));
        match self.named.get(name) {
            Some(place) => self.columns.get(*place),
            None => self.columns.iter().find(fitting),
        }
    }

    /// Returns the column that a term belongs to: a name before a pattern, the whole term before `column[level]`.
    pub(super) fn of_term(&self, term: &str) -> Option<&Column> {
        let whole = self.named(term).filter(|column| column.kind == Some(ColumnType::Number));
        whole.or_else(|| {
            let is_category = |column: &&Column| column.kind == Some(ColumnType::Category);
            self.columns.iter().filter(is_category).find(|column| {
                column.levels.iter().flatten().any(|level| {
                    let base = term.strip_suffix(&format!("[{level}]"));
                    base.and_then(|base| self.named(base)).is_some_and(|found| std::ptr::eq(found, *column))
                })
            })
        })
    }
}

/// Returns the largest distance of a column's values from a centre: the middle of its bounds, or that of a level's indicator.
fn half_width(column: &Column, centre: f64) -> f64 {
    column.stated_bounds().map_or(1.0 - centre, |(lower, upper)| upper / 2.0 - lower / 2.0)
}
