//! A ridge from public numbers alone (theory/many-outcomes 4.2, in coded sums).

use super::cell_noise::CellNoise;
use crate::math::round::real;

/// Probability with which the penalised predictors' moments may still fail to be positive definite.
const FAILURE: f64 = 0.05;

/// Returns Λ in units of R²: the larger of an operator-norm bound and the noise-balancing value.
///
/// - Operator norm: for GOE noise of diagonal sd σ₁ on d predictors, P(‖E‖ > σ₁ (√(2d) + √(2 ln(2/ρ)))) <= ρ, with
///   ρ = 0.05. On the coded sums σ₁ = S / R² as released. `iid` noise has sd S also off the diagonal; it is GOE noise of
///   σ₁ = √2 S with less on the diagonal, and adding independent noise there cannot shrink the norm's tail, so √2 S is
///   used.
/// - Balance: λ = √(d (σ₁²/2 + σ₂²/w₀²)), where σ₁²/2 is the variance off the diagonal of X′X and σ₂² that of X′y. In one
///   matrix both are sd², so λ = sd √(d (1 + 1/w₀²)). w₀ guesses the norm of the coded slopes; primo's default
///   √d By / (√l Bx) is the reach of one outcome over the root mean square reach of one predictor.
///
/// `predictor_reach` has one public bound on |code| / R per predictor, constant included, `outcome_reach` that of the
/// outcome. Where predictors are a linear map T of the coordinates, `stretch` is the largest eigenvalue of T T′, which
/// bounds what T does to the noise. 0 without noise. Rounding: to nearest; this concerns accuracy, never privacy.
pub fn automatic(noise: CellNoise, predictor_reach: &[f64], outcome_reach: f64, stretch: f64) -> f64 {
    let d = real(predictor_reach.len());
    let sd = noise.off_diagonal_sd();
    let norm = std::f64::consts::SQRT_2 * sd * ((2.0 * d).sqrt() + (2.0 * libm::log(2.0 / FAILURE)).sqrt());
    let mean_square = predictor_reach.iter().map(|reach| reach * reach).sum::<f64>() / d.max(1.0);
    let guess = outcome_reach * outcome_reach / mean_square;
    let balance = if guess > 0.0 { sd * (d * (1.0 + 1.0 / guess)).sqrt() } else { 0.0 };
    stretch * norm.max(balance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_larger_of_the_two_rules() {
        let noise = CellNoise::Goe { s: 8.0 };
        // σ₁ = 4: 4 (√8 + √(2 ln 40)).
        let norm = 4.0 * (8.0_f64.sqrt() + (2.0 * libm::log(40.0)).sqrt());
        assert!((automatic(noise, &[0.5; 4], 0.5, 1.0) - norm).abs() < 1e-12);
        // w₀ = 1/20: √8 √(4 · 401).
        let balance = 8.0_f64.sqrt() * (4.0_f64 * 401.0).sqrt();
        assert!((automatic(noise, &[0.5; 4], 0.025, 1.0) - balance).abs() < 1e-9);
        assert!((automatic(CellNoise::Iid { v: 8.0 }, &[0.5; 4], 0.5, 1.0) - norm).abs() < 1e-12);
        assert!(automatic(CellNoise::None, &[0.5; 4], 0.5, 1.0).abs() < 1e-300);
    }
}
