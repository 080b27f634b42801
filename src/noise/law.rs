//! The samplers' laws in floating point, for tests and for expectations of the noise. Nothing is sampled here.

use crate::math::special::phi_cdf;

/// Returns exp(−p / q), the law of [`super::coins::bernoulli_exp`], summed along the sampler's own branches.
pub fn bernoulli_exp(p: u128, q: u128) -> f64 {
    let (mut rest, mut probability) = (p, 1.0);
    while rest > q {
        probability *= odd_count(1.0);
        rest -= q;
    }
    let fraction = rest as f64 / q as f64;
    probability * odd_count(fraction)
}

/// Returns Σ over odd k of γ^(k−1)/(k−1)! − γ^k/k!: the probability that the loop ends at an odd count.
fn odd_count(fraction: f64) -> f64 {
    let (mut survives, mut sum) = (1.0, 0.0);
    for k in 1..40_u32 {
        let next = survives * fraction / f64::from(k);
        if k % 2 == 1 {
            sum += survives - next;
        }
        survives = next;
    }
    sum
}

/// Returns Pr(y = k) of discrete Laplace noise of scale t: tanh(1/(2t)) exp(−|k|/t).
pub fn laplace_pmf(t: f64, k: f64) -> f64 {
    libm::tanh(0.5 / t) * libm::exp(-k.abs() / t)
}

/// Discrete Gaussian noise of one variance parameter: Pr(y = k) proportional to exp(−k² / (2 variance)).
#[derive(Clone, Copy, Debug)]
pub struct Gaussian {
    variance: f64,
    reach: i32,
    total: f64,
}

impl Gaussian {
    /// Creates the law for a variance parameter up to 10^10; sums run over 40 standard deviations.
    pub fn new(variance: f64) -> Self {
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and a reach of 2^31 is plenty")]
        let reach = (40.0 * libm::sqrt(variance)) as i32 + 2;
        let mut law = Self { variance, reach, total: 1.0 };
        law.total = (-reach..=reach).map(|k| law.weight(k)).sum();
        law
    }

    fn weight(&self, k: i32) -> f64 {
        let k = f64::from(k);
        libm::exp(-k * k / (2.0 * self.variance))
    }

    /// Returns Pr(y = k).
    pub fn pmf(&self, k: i32) -> f64 {
        self.weight(k) / self.total
    }

    /// Returns Pr(y >= k).
    pub fn tail(&self, k: i32) -> f64 {
        // Small terms first.
        (k..=self.reach.max(k)).rev().map(|j| self.pmf(j)).sum()
    }

    /// Returns the variance, a little below the variance parameter on a coarse grid.
    pub fn variance(&self) -> f64 {
        2.0 * (1..=self.reach).rev().map(|k| f64::from(k) * f64::from(k) * self.pmf(k)).sum::<f64>()
    }

    /// Returns δ(ε) of adding this noise to a number that changes by `sensitivity`: Σ max(0, Pr(k) − e^ε Pr(k − sensitivity))
    /// (theory/noise 3.3). In one dimension only.
    pub fn delta(&self, sensitivity: i32, epsilon: f64) -> f64 {
        let reach = self.reach + sensitivity.abs();
        let factor = libm::exp(epsilon);
        (-reach..=reach).map(|k| (self.pmf(k) - factor * self.pmf(k - sensitivity)).max(0.0)).sum()
    }

    /// Returns the total variation between this noise and rounded continuous noise of the same variance parameter.
    pub fn distance_from_rounded(&self) -> f64 {
        let sigma = libm::sqrt(self.variance);
        let sum: f64 = (-self.reach..=self.reach)
            .map(|k| {
                // From the tail that is near, so that the difference of two small numbers keeps its digits.
                let size = f64::from(k.abs());
                let rounded = phi_cdf((0.5 - size) / sigma) - phi_cdf((-0.5 - size) / sigma);
                (self.pmf(k) - rounded).abs()
            })
            .sum();
        sum / 2.0
    }
}
