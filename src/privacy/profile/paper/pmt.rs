//! The scales as the paper on public moments prints them (Cao, Bi, Zhang, Differentially Private Truncation of Unbounded Data via
//! Public Second Moments, arXiv 2602.22282), to repeat what it did. Scales are standard deviations on sums: the paper's, which are on
//! means, times n.
//!
//! The paper claims √2 μ₀ for two releases of μ₀ each, so a budget μ is μ₀ = μ/√2. What they cost together is less: 3/(2 √2) μ₀ = 0.75 μ
//! for the ridge regression and μ₀ = 0.7071 μ for the logistic one (pmt 2.3, 2.6).

use std::f64::consts::SQRT_2;

/// σ₁ of Algorithm 2 in R_x², and σ₂ in R_x R_y: 2/μ₀.
#[must_use]
pub fn ridge_matrix(mu: f64) -> f64 {
    2.0 * SQRT_2 / mu
}

/// σ₁ of Algorithm 3 in R², of each of so many steps: √T/(2 μ₀). Its σ₂, 2 √T/μ₀ in R, is four times that.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "few steps")]
pub fn logistic_curvature(mu: f64, steps: u64) -> f64 {
    (steps as f64).sqrt() / (SQRT_2 * mu)
}
