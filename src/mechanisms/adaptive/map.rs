//! The map of a record to whitened features and standardised residuals (theory/adaptive 2.3).

use nalgebra::DMatrix;

use super::guide::Guide;
use crate::math::jacobi_eigen::product;
use crate::release::moments::CodedTerm;

/// A record in the guide's coordinates.
#[derive(Clone, Copy, Debug)]
pub struct Mapped<'a> {
    /// w, the whitened features, the constant 1 first.
    pub features: &'a [f64],
    /// e, the residual of each outcome in units of its spread.
    pub residuals: &'a [f64],
    /// ‖w‖.
    pub norm: f64,
}

/// Maps a record with these coded values, features first: w = (1, A (t_x − mean_x)) and e_o = (t_o − mean_o − B_o′ (t_x − mean_x)) / σ_o.
/// `reals` is working memory.
pub fn apply<'a>(guide: &Guide, values: &[f64], reals: &'a mut Vec<f64>) -> Mapped<'a> {
    let (p, outcomes) = (guide.whitening.nrows(), guide.spreads.len());
    reals.clear();
    reals.extend(values.iter().zip(&guide.mean).map(|(value, mean)| value - mean));
    reals.resize(2 * (p + outcomes) + 1, 0.0);
    let (apart, mapped) = reals.split_at_mut(p + outcomes);
    let (features, residuals) = mapped.split_at_mut(p + 1);
    features[0] = 1.0;
    // By columns, because a column's entries are neighbours; each sum runs over the columns in their order.
    for (j, column) in guide.whitening.as_slice().chunks_exact(p.max(1)).enumerate() {
        for (feature, entry) in features[j + 1..].iter_mut().zip(&column[j..]) {
            *feature += entry * apart[j];
        }
    }
    for (o, residual) in residuals.iter_mut().enumerate() {
        let slopes = guide.slopes.column(o);
        let fitted = slopes.iter().zip(&*apart).fold(0.0, |sum, (slope, apart)| sum + slope * apart);
        *residual = (apart[p + o] - fitted) / guide.spreads[o];
    }
    let norm = features.iter().fold(0.0, |sum, w| sum + w * w).sqrt();
    Mapped { features, residuals, norm }
}

/// Returns the map of a record in the columns' own units, the constant 1 first, to (1, w).
pub fn own_map(map: &DMatrix<f64>, features: &[CodedTerm]) -> DMatrix<f64> {
    let k = features.len() + 1;
    let own = DMatrix::from_fn(k, k, |i, j| match (i, j) {
        (0, 0) => 1.0,
        (0, _) => 0.0,
        (_, 0) => -features[i - 1].centre / features[i - 1].half_width,
        _ if i == j => 1.0 / features[i - 1].half_width,
        _ => 0.0,
    });
    product(map, &own)
}

/// Returns the rows of a matrix, as a document holds them.
pub fn rows(matrix: &DMatrix<f64>) -> Vec<Vec<f64>> {
    matrix.row_iter().map(|row| row.iter().copied().collect()).collect()
}
