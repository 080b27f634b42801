//! The map of a record to whitened features and standardised residuals (theory/adaptive 2.5).

use super::guide::Guide;

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
    for (i, feature) in features.iter_mut().skip(1).enumerate() {
        let mut sum = 0.0;
        for (j, apart) in apart.iter().enumerate().take(i + 1) {
            sum += guide.whitening[(i, j)] * apart;
        }
        *feature = sum;
    }
    for (o, residual) in residuals.iter_mut().enumerate() {
        let mut fitted = 0.0;
        for (j, apart) in apart.iter().enumerate().take(p) {
            fitted += guide.slopes[(j, o)] * apart;
        }
        *residual = (apart[p + o] - fitted) / guide.spreads[o];
    }
    let norm = features.iter().fold(0.0, |sum, w| sum + w * w).sqrt();
    Mapped { features, residuals, norm }
}
