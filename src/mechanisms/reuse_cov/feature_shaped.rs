//! Noise that is shaped by public features: what `reuse-cov-proj-x` adds where the rows are at hand (theory/many-outcomes 3.3).
//!
//! **Statistic.** Features are public, so they may be replaced by any public function of them. Here a row x becomes t, the
//! nearest integers to M x, M a lower triangular matrix of a few binary places that follows from all the rows' features. What is
//! summed, exactly and in integers, is t y'.
//!
//! **Sensitivity.** M is scaled until the longest t has the length that the bounds allow x, ‖t‖ <= B_x, which is decided in
//! integers; a longer t counts as 0. So Δ is that of X'Y itself, 2 B_x B_y, and noise, cost and charge are fixed before a row is
//! read. Label-adjacent tables have the same features, hence the same M and the same t: how M was found can cost accuracy,
//! never privacy.
//!
//! **Which M.** `isotropic`: a multiple of the identity, so that the actual longest row takes the place of its bound. `whitened`:
//! a multiple of L⁻¹, X'X = L L'; then ‖L⁻¹ x‖² is the leverage of a row. The expected squared error of fitted values is
//! proportional to max ‖x‖² tr (X'X)⁻¹ and d max leverage; `auto` takes the smaller. Where X'X has no factor, or M would
//! stretch a direction too far for its integers, the noise is isotropic.
//!
//! **Readers** take M⁻¹ of what was released for X'Y; its noise then has the covariance S² (M'M)⁻¹ for each outcome.

use nalgebra::{DMatrix, DVector};

use crate::data::{EncodedRows, Exact, Moments};
use crate::math::linalg::Cholesky;
use crate::math::round::real;
use crate::mechanisms::gaussian;
use crate::mechanisms::rounds::{Answer, RoundNoise};
use crate::mechanisms::second_moments::answer;
use crate::model::Layout;
use crate::noise::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::moments::{FeatureMap, Integers, Shaping};

/// Most numbers of rows that are kept to shape noise: what follows of more are sums alone, and the bound on a row.
pub const MOST_CODES: u64 = 1 << 24;

/// Bits of the largest entry of M: with 2^11 features of 24 bits a sum stays within 2^61.
const BITS: i32 = 26;

/// The largest size of a mapped feature, that of any code.
const COORDINATE: i64 = 1 << 24;

/// How often M is shortened when rounding made a row too long.
const ATTEMPTS: u32 = 8;

/// The shaping that a plan asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Whichever has the smaller error.
    Auto,
    /// One shaping, if it is possible.
    Only(Shaping),
}

impl Choice {
    /// Whitened noise, for which every row has to be kept.
    pub const WHITENED: Self = Self::Only(Shaping::Whitened);

    /// The choices with their names in a plan.
    pub const CHOICES: [(&'static str, Self); 3] =
        [("auto", Self::Auto), ("isotropic", Self::Only(Shaping::Isotropic)), ("whitened", Self::WHITENED)];
}

/// The noise of one release.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    /// On the cells.
    pub gaussian: gaussian::Noise,
    /// How it is shaped.
    pub choice: Choice,
    /// B_x², the largest squared length of a mapped row.
    pub bound: u64,
}

impl RoundNoise for Noise {
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        self.gaussian.draw(rng)
    }

    /// Maps the features. Sums alone are shaped by the bound on a row.
    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, rng: &mut dyn Entropy) -> Option<Answer> {
        let Exact::Rows(rows) = sums else { return self.gaussian.answer(drawn, sums, rng) };
        let features = self.gaussian.layout.features();
        let mut own = Moments::new(features);
        rows.iter().for_each(|row| own.add(row.get(..features).unwrap_or_default()));
        let map = feature_map(rows, &own, self.choice, self.bound);
        let mapped = mapped(rows, self.gaussian.layout, map.as_ref(), self.bound);
        let cells = drawn.into_iter().zip(self.gaussian.layout.pairs()).map(|(cell, (row, column))| {
            let sums = if column < features { &own } else { &mapped };
            cell.saturating_add(sums.get(row, column))
        });
        Some(Answer { features: map, ..answer(cells.collect(), self.gaussian.law()) })
    }

    fn gaussian(&self) -> Option<&gaussian::Noise> {
        Some(&self.gaussian)
    }
}

/// Returns the sums of t y', t being the mapped features; of x y' without a map. A row that is longer than the bound counts as 0.
pub fn mapped(rows: &EncodedRows, layout: Layout, map: Option<&FeatureMap>, bound: u64) -> Moments {
    let features = layout.features();
    let mut sums = Moments::of(layout);
    let table = map.map(Table::new);
    let mut mapped = Vec::with_capacity(layout.terms());
    for row in rows.iter() {
        mapped.clear();
        match &table {
            None => mapped.extend_from_slice(row),
            Some(table) => {
                let (x, y) = row.split_at(features.min(row.len()));
                if table.apply(x, &mut mapped) > u128::from(bound) && !is_active(Mutant::LeverageAveraged) {
                    mapped.fill(0);
                }
                mapped.extend_from_slice(y);
            }
        }
        sums.add_cross(&mapped);
    }
    sums
}

/// Returns the map that a choice makes of the rows' features, whose sums of products are `own`. `None` if all rows are 0 or none
/// has the integers.
pub fn feature_map(rows: &EncodedRows, own: &Moments, choice: Choice, bound: u64) -> Option<FeatureMap> {
    let features = own.terms();
    let gram = DMatrix::from_fn(features, features, |row, column| own.get(row, column) as f64);
    let x = |row: &[i32]| {
        DVector::from_iterator(features, row.iter().take(features).map(|code| f64::from(*code)))
    };
    let factor = Cholesky::try_new(&gram).ok();
    let isotropic = longest(rows, |row| x(row).norm_squared());
    let whitened = factor.as_ref().and_then(|factor| {
        let leverage = longest(rows, |row| factor.solve_lower(&x(row)).norm_squared());
        let better =
            isotropic * factor.inverse().trace() > leverage * f64::from(u32::try_from(features).ok()?);
        let asked = match choice {
            Choice::Auto => better,
            Choice::Only(shaping) => shaping == Shaping::Whitened,
        };
        let columns: Vec<DVector<f64>> = (0..features)
            .map(|column| {
                factor.solve_lower(&DVector::from_fn(features, |row, _| f64::from(u8::from(row == column))))
            })
            .collect();
        let found =
            || fitted(rows, &DMatrix::from_columns(&columns), leverage.sqrt(), Shaping::Whitened, bound);
        asked.then(found).flatten()
    });
    whitened.or_else(|| {
        let identity = DMatrix::identity(features, features);
        fitted(rows, &identity, isotropic.sqrt(), Shaping::Isotropic, bound)
    })
}

/// Returns the largest of a number of each row.
fn longest(rows: &EncodedRows, square: impl Fn(&[i32]) -> f64) -> f64 {
    if is_active(Mutant::LeverageAveraged) {
        return rows.iter().map(square).sum::<f64>() / real(rows.len());
    }
    rows.iter().map(square).fold(0.0, f64::max)
}

/// Returns a multiple of a matrix, in integers, with which no row is longer than the bound, given the length of the longest
/// without it.
fn fitted(
    rows: &EncodedRows,
    matrix: &DMatrix<f64>,
    longest: f64,
    noise: Shaping,
    bound: u64,
) -> Option<FeatureMap> {
    let most = real(bound).sqrt();
    let mut stretch = most / longest;
    for _ in 0..ATTEMPTS {
        let map = in_integers(&(matrix * stretch), noise)?;
        let table = Table::new(&map);
        let mut row_of = Vec::new();
        let found = rows.iter().map(|row| {
            row_of.clear();
            table.apply(row.get(..matrix.nrows()).unwrap_or_default(), &mut row_of)
        });
        let found = found.max().unwrap_or(0);
        if found <= u128::from(bound) || is_active(Mutant::LeverageAveraged) {
            return Some(map);
        }
        let length = real(found).sqrt();
        stretch *= most / length * (1.0 - f64::EPSILON * 16.0);
    }
    None
}

/// Returns the nearest lower triangular matrix of integers in as fine a unit as they allow.
fn in_integers(matrix: &DMatrix<f64>, noise: Shaping) -> Option<FeatureMap> {
    let largest = matrix.amax();
    if !(largest > 0.0 && largest.is_finite()) {
        return None;
    }
    let bits = u32::try_from(BITS - 1 - libm::ilogb(largest)).ok()?.min(60);
    let unit = libm::ldexp(1.0, bits.cast_signed());
    #[expect(clippy::cast_possible_truncation, reason = "at most 2^26")]
    let cell = |(row, column)| if column > row { 0 } else { (matrix[(row, column)] * unit).round() as i128 };
    let size = matrix.nrows();
    let cells = (0..size).flat_map(|row| (0..size).map(move |column| (row, column))).map(cell);
    let rows = Integers::new(size, cells.collect());
    let invertible = (0..size).all(|place| rows.get(place, place) != Some(0));
    invertible.then_some(FeatureMap { noise, bits, rows })
}

/// A map at hand.
struct Table {
    size: usize,
    bits: u32,
    cells: Vec<i64>,
}

impl Table {
    fn new(map: &FeatureMap) -> Self {
        let cells = map.rows.cells().iter().map(|cell| i64::try_from(*cell).unwrap_or(0));
        Self { size: map.rows.rows(), bits: map.bits, cells: cells.collect() }
    }

    /// Appends the mapped row and returns its squared length. A coordinate that is no code makes it longer than any bound.
    fn apply(&self, x: &[i32], mapped: &mut Vec<i32>) -> u128 {
        let half = (1_i64 << self.bits) >> 1;
        let mut square = 0_u128;
        for (place, cells) in self.cells.chunks_exact(self.size.max(1)).enumerate() {
            let sum: i64 =
                cells.iter().zip(x).take(place + 1).map(|(cell, code)| cell * i64::from(*code)).sum();
            let code = (sum + half) >> self.bits;
            if code.abs() > COORDINATE {
                square = u128::MAX;
            }
            square = square.saturating_add(u128::from(code.unsigned_abs()).pow(2));
            mapped.push(i32::try_from(code).unwrap_or(0));
        }
        square
    }
}
