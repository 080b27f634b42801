//! Normal and chi-square variates, and Bartlett's factor of a Wishart matrix.

use std::num::NonZeroU64;

use super::matrix::Lower;
use super::{Real, real};
use crate::noise::discrete::gaussian_diagonal;
use crate::noise::entropy::Entropy;
use crate::privacy::mutants::{Mutant, is_active};

/// Steps of the grid of a standard normal in one standard deviation.
const STEPS: u64 = 1 << 52;

/// Returns a standard normal on a grid of 2⁻⁵²: within 2⁻⁵³ of a true one except with probability 2⁻¹⁰⁸ (theory/noise 4.2).
fn normal<E: Entropy + ?Sized>(rng: &mut E) -> Real {
    let steps = NonZeroU64::MIN.saturating_add(STEPS - 1);
    real(gaussian_diagonal(rng, steps)) >> 52
}

/// Returns χ² with `freedom` degrees of freedom, at least 1: twice a gamma variate of shape a = freedom / 2, by the rejection of
/// Marsaglia and Tsang (2000) with d = a − 1/3, c = 1/√(9d): x normal, v = (1 + c x)³, kept with probability exp(x²/2 + d (1 −
/// v + ln v)) where v > 0. One degree of freedom is a normal's square.
///
/// The number of tries does not grow with the degrees of freedom.
fn chi_square<E: Entropy + ?Sized>(rng: &mut E, freedom: u64) -> Real {
    if freedom <= 1 {
        let x = normal(rng);
        return &x * &x;
    }
    // d = (3 freedom − 2) / 6.
    let d = real(3 * i128::from(freedom) - 2) / real(6);
    let c = real(1) / (&d * real(9)).sqrt();
    loop {
        let x = normal(rng);
        let step = &c * &x;
        let base = real(1) + &step;
        let mut bytes = [0; 8];
        rng.fill(&mut bytes);
        if base <= Real::ZERO {
            continue;
        }
        // ln v − (v − 1) with v = (1 + y)³, without the cancellation of its two terms.
        let (x_near, y, d_near) = (x.to_f64().value(), step.to_f64().value(), d.to_f64().value());
        let exponent = x_near * x_near / 2.0 + d_near * (3.0 * libm::log1p(y) - y * (3.0 + y * (3.0 + y)));
        if libm::log(unit(u64::from_le_bytes(bytes))) < exponent {
            return d * real(2) * (&base * &base * base);
        }
    }
}

/// Returns the middle of one of 2⁵² equal parts of 0 to 1.
fn unit(bits: u64) -> f64 {
    let middle = (bits >> 12) as f64 + 0.5;
    libm::ldexp(middle, -52)
}

/// Draws Bartlett's factor: lower triangular T with T T' ~ W(I, `freedom`) of `size` rows. T_ii² is χ² with freedom − i + 1
/// degrees of freedom (i from 1), what is below the diagonal is standard normal (theory/wishart 1.4). Row by row, the diagonal
/// last.
///
/// `freedom` is at least `size`.
pub fn bartlett<E: Entropy + ?Sized>(rng: &mut E, freedom: u64, size: usize) -> Lower {
    let mut factor = Lower::zero(size);
    for row in 0..size {
        for column in 0..row {
            factor.set(row, column, normal(rng));
        }
        let fewer = if is_active(Mutant::DegreesNotFalling) { 0 } else { row as u64 };
        factor.set(row, row, chi_square(rng, freedom.saturating_sub(fewer).max(1)).sqrt());
    }
    factor
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::entropy::DemoRng;

    /// 20,000 draws for each number of degrees; mean ν and variance 2ν, and the fourth central moment 12ν² + 48ν behind
    /// the variance's own error: bounds at five standard errors, a false alarm below 1e-5; the seed is fixed.
    #[test]
    fn chi_squares_have_their_moments() {
        for freedom in [1_u64, 2, 3, 10, 1_000, 1_000_000_000] {
            let mut rng = DemoRng::new(11, freedom);
            let nu = freedom as f64;
            let draws: Vec<f64> =
                (0..20_000).map(|_| chi_square(&mut rng, freedom).to_f64().value() - nu).collect();
            let n = draws.len() as f64;
            let mean = draws.iter().sum::<f64>() / n;
            let variance = draws.iter().map(|draw| draw * draw).sum::<f64>() / n;
            assert!(mean.abs() < 5.0 * (2.0 * nu / n).sqrt(), "{freedom}: {mean}");
            let error = ((12.0 * nu * nu + 48.0 * nu - 4.0 * nu * nu) / n).sqrt();
            assert!((variance - 2.0 * nu).abs() < 5.0 * error, "{freedom}: {variance}");
        }
    }
}
