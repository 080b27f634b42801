//! The scales as the paper on public moments prints them (Cao, Bi, Zhang, Differentially Private Truncation of Unbounded Data via
//! Public Second Moments, arXiv 2602.22282), to repeat what it did. Scales are standard deviations on sums: the paper's, which are on
//! means, times n.
//!
//! The paper claims √2 μ₀ for two releases of μ₀ each, so a budget μ is μ₀ = μ/√2. What they cost together is less
//! (theory/public-moments 2.3, 3.3, and [`sensitivity`](crate::privacy::sensitivity) for the proofs):
//!
//! - ridge regression: 3/(2 √2) μ₀ = 0.75 μ;
//! - logistic regression, with public moments and without (Algorithms 3 and 5): μ₀ = 0.7071 μ;
//! - generalised linear model (Algorithm 4), gaussian: the same joint release as the ridge regression, at most 0.75 μ;
//! - logistic, whose printed gradient noise is the larger for a sensitivity that counts y and b′ one by one: 0.7299 μ₀ = 0.5162 μ
//!   where b′ may come to 1, up to 0.5296 μ where it ends at 1/2.
//!
//! Algorithm 4 rests on ‖b‖ <= R_β, and its listing leaves out the step that would make it so. The numbers above are for steps
//! that are kept within R_β; without it the gaussian family's residuals, and its cost, have no bound.

use std::f64::consts::SQRT_2;

/// Returns σ₁ of Algorithm 2 in R_x², and σ₂ in R_x R_y: 2/μ₀.
pub fn ridge_matrix(mu: f64) -> f64 {
    2.0 * SQRT_2 / mu
}

/// Returns σ₁ of Algorithms 3, 4 and 5 in R², of each of so many steps: 2 √T M″/μ₀, M″ being the largest b″: 1/4 of a logistic model, 1 of a
/// gaussian one. σ₂ is 2 √T/μ₀ in R of Algorithms 3 and 5, and in R (R_y + M′) of Algorithm 4, M′ being the largest b′.
pub fn curvature(mu: f64, steps: u64, most: f64) -> f64 {
    2.0 * SQRT_2 * (steps as f64).sqrt() * most / mu
}

/// Returns M′ of Algorithm 4 for a logistic model: the largest b′(z) up to |z| = R_β R, or 1 where nothing bounds z.
pub fn logistic_slope(reach: Option<f64>) -> f64 {
    reach.map_or(1.0, |reach| 1.0 / (1.0 + libm::exp(-reach)))
}
