//! Whether a fit in coordinates from public moments leaves, after noise, a matrix that can be inverted: from public numbers alone
//! and before anything is spent (theory/public-moments 5).
//!
//! Assumptions: the public moments are right, so that the whitened second moment of the rows is near the identity; and for a
//! logistic fit every row has the same chance p of the outcome, so that the curvature is p (1 − p) of that moment, a quarter
//! where p is not known. A rarer outcome needs more rows in proportion. Except with probability η, the noise on d terms has a
//! spectral norm of at most σ √((d + 1) ln(2 d/η)), σ being its standard deviation on the diagonal. With the paper's noise, which
//! has the same deviation above the diagonal, it is σ √(2 d ln(2 d/η)). A fit is stable where that is at most half of the
//! eigenvalues it is added to; up to there its coefficients are off by about their own size, so several times as many rows are
//! advisable.

use dashu_int::UBig;

use crate::math::round::real;
use crate::plan::public::squared_radius;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::profile::paper::pmt;
use crate::privacy::sensitivity::{
    augmented_sensitivity_squared, joint_sensitivity_squared, logistic_gradient, logistic_sensitivity_squared,
};

/// Most of the eigenvalues that the noise may come to.
const MOST_NOISE: f64 = 0.5;

/// Most rows that an answer names: beyond, no table is large enough.
const MOST_ROWS: u64 = 1 << 40;

/// R_x², in the integers that sensitivities are computed from: fine enough that rounding them does not show.
const SQUARE: u64 = 1 << 40;

/// What is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Family {
    /// A ridge regression from one release.
    Ridge,
    /// The same with the scale that the paper prints, for a claim of the budget; under replace-one, one row per person.
    RidgeAsPrinted,
    /// A linear regression in noisy steps, one after the other.
    Gaussian {
        /// T, noisy steps: of all outcomes together.
        steps: u32,
    },
    /// A logistic regression.
    Logistic {
        /// T, noisy steps: of all outcomes together.
        steps: u32,
        /// p, where it is publicly known.
        chance: Option<f64>,
    },
}

/// The public numbers that the answer follows from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Design {
    /// d, terms of the features with the constant.
    pub terms: usize,
    /// η, which sets the radius, and the chance that the noise is larger than its bound.
    pub eta: f64,
    /// Whether the radius is the tight one.
    pub tight: bool,
    /// The adjacency: which tables are neighbours.
    pub adjacency: Adjacency,
    /// Rows of one person that count.
    pub max_rows_per_person: u32,
    /// What is fitted.
    pub family: Family,
}

/// The forecast for a number of rows and a budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preflight {
    /// The noise's bound as a share of the eigenvalues that it is added to; a half is the most.
    pub noise: f64,
    /// The fewest rows at this budget. `None` where no number will do.
    pub rows_needed: Option<u64>,
    /// The smallest μ with these rows.
    pub mu_needed: f64,
}

impl Preflight {
    /// Returns whether the fit has several times the least that it needs, so that its coefficients are useful.
    pub fn is_ample(&self) -> bool {
        self.noise <= MOST_NOISE / 4.0
    }

    /// Returns whether the fit is stable.
    pub fn is_stable(&self) -> bool {
        self.noise <= MOST_NOISE
    }
}

impl Design {
    /// Computes what to expect with this public number of rows at μ. An impossible number of terms or rows, μ, η or p gives an infinite
    /// noise.
    pub fn ask(&self, rows: u64, mu: f64) -> Preflight {
        let unit = self.noise(rows, 1.0);
        Preflight {
            noise: self.noise(rows, mu),
            rows_needed: self.rows_needed(mu),
            mu_needed: unit / MOST_NOISE,
        }
    }

    /// Returns the noise's bound over the eigenvalues.
    fn noise(&self, rows: u64, mu: f64) -> f64 {
        let possible = self.terms > 0 && rows > 0 && mu > 0.0 && self.eta > 0.0 && self.eta < 1.0;
        let curvature = self.curvature();
        if !possible || curvature <= 0.0 {
            return f64::INFINITY;
        }
        let d = real(self.terms as u64);
        let tail = libm::log(2.0 * d / self.eta);
        let spread = match self.family {
            Family::RidgeAsPrinted => 2.0 * d,
            Family::Ridge | Family::Gaussian { .. } | Family::Logistic { .. } => d + 1.0,
        };
        let bound = self.scale(mu) * squared_radius(self.terms, real(rows), self.eta, self.tight)
            / real(rows)
            * (spread * tail).sqrt();
        bound / curvature
    }

    /// Returns the smallest number of rows at which the noise is small enough; noise falls as rows grow.
    fn rows_needed(&self, mu: f64) -> Option<u64> {
        let enough = |rows| self.noise(rows, mu) <= MOST_NOISE;
        if !enough(MOST_ROWS) {
            return None;
        }
        let (mut few, mut many) = (0, MOST_ROWS);
        while many - few > 1 {
            let middle = few + (many - few) / 2;
            if enough(middle) { many = middle } else { few = middle }
        }
        Some(many)
    }

    /// Returns σ on the diagonal of the sums, in units of R_x².
    fn scale(&self, mu: f64) -> f64 {
        let squared: UBig = match self.family {
            Family::RidgeAsPrinted => return pmt::ridge_matrix(mu),
            Family::Ridge => {
                augmented_sensitivity_squared(SQUARE, SQUARE / 2, self.adjacency, self.max_rows_per_person)
            }
            Family::Gaussian { steps } => {
                joint_sensitivity_squared(SQUARE, SQUARE, self.adjacency, self.max_rows_per_person)
                    * UBig::from(steps)
            }
            Family::Logistic { steps, .. } => logistic_sensitivity_squared(
                logistic_gradient(SQUARE, self.adjacency),
                SQUARE,
                self.adjacency,
                self.max_rows_per_person,
                u64::from(steps),
            ),
        };
        squared.to_f64().value().sqrt() / real(SQUARE) / mu
    }

    /// Returns the curvature as a multiple of the second moment.
    fn curvature(&self) -> f64 {
        match self.family {
            Family::Ridge | Family::RidgeAsPrinted | Family::Gaussian { .. } => 1.0,
            Family::Logistic { chance, .. } => chance.map_or(0.25, |p| p * (1.0 - p)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ridge(terms: usize, family: Family, tight: bool) -> Design {
        Design { terms, eta: 0.05, tight, adjacency: Adjacency::ReplaceOne, max_rows_per_person: 1, family }
    }

    /// theory/public-moments 5.2.
    #[test]
    fn the_rows_needed_are_those_of_the_specification() {
        let table: [(f64, [[u64; 3]; 4]); 4] = [
            (0.25, [[4789, 2815, 2690], [11567, 6440, 4082], [37716, 20112, 7680], [121_325, 63316, 15502]]),
            (0.5, [[2258, 1324, 1275], [5476, 3041, 1947], [17938, 9543, 3692], [57927, 30168, 7512]]),
            (1.0, [[1061, 620, 602], [2583, 1430, 926], [8507, 4514, 1772], [27592, 14336, 3635]]),
            (2.0, [[496, 289, 283], [1214, 670, 439], [4022, 2128, 848], [13108, 6793, 1757]]),
        ];
        for (mu, columns) in table {
            for (terms, expected) in [3, 5, 10, 20].into_iter().zip(columns) {
                let designs = [
                    ridge(terms, Family::RidgeAsPrinted, false),
                    ridge(terms, Family::Ridge, false),
                    ridge(terms, Family::Ridge, true),
                ];
                for (design, expected) in designs.iter().zip(expected) {
                    let found = design.ask(1000, mu).rows_needed.unwrap();
                    assert!(found.abs_diff(expected) * 100 <= expected, "{mu} {terms}: {found} {expected}");
                }
            }
        }
    }

    #[test]
    fn the_answers_are_where_the_noise_is_a_half() {
        for family in
            [Family::Ridge, Family::Gaussian { steps: 6 }, Family::Logistic { steps: 6, chance: None }]
        {
            for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
                let design = Design { adjacency, ..ridge(8, family, false) };
                let answer = design.ask(30_000, 0.7);
                let least = answer.rows_needed.unwrap();
                assert!(design.ask(least, 0.7).is_stable() && !design.ask(least - 1, 0.7).is_stable());
                assert!(!design.ask(least, 0.7).is_ample() && design.ask(least * 8, 0.7).is_ample());
                assert!((design.ask(30_000, answer.mu_needed).noise - MOST_NOISE).abs() < 1e-12);
                assert_eq!(answer.is_stable(), least <= 30_000);
                let thrice = Design { max_rows_per_person: 3, ..design };
                assert!((thrice.ask(30_000, 0.7).noise / answer.noise - 3.0).abs() < 1e-9);
            }
        }
    }

    /// theory/public-moments 3.3: κ R²/(2 n m), m = μ/√T, against a curvature of a quarter; adding one κ′ R²/(4 n m).
    #[test]
    fn a_logistic_fit_has_the_noise_of_its_steps() {
        for (adjacency, scale) in [
            (Adjacency::ReplaceOne, 0.805_166_863_742 / 2.0),
            (Adjacency::AddRemove, 1.201_132_424_000_3 / 4.0),
        ] {
            let family = Family::Logistic { steps: 4, chance: None };
            let design = Design { adjacency, ..ridge(5, family, false) };
            let rows = 20_000_u64;
            let square = 5.0 * (1.0 + libm::log(2.0 * 20_000.0 / 0.05));
            let expected = scale * 2.0 / 0.9 * square / 20_000.0 * (6.0 * libm::log(200.0)).sqrt() * 4.0;
            assert!((design.ask(rows, 0.9).noise / expected - 1.0).abs() < 1e-9);
            let rare = Design { family: Family::Logistic { steps: 4, chance: Some(0.02) }, ..design };
            let more = 0.25 / (0.02 * 0.98);
            assert!((rare.ask(rows, 0.9).noise / expected / more - 1.0).abs() < 1e-9);
        }
    }

    /// theory/public-moments 3.3: T steps, each with the joint sensitivity of matrix and vector, of equal bounds: 3/√2 R² for a
    /// replacement, √2 R² for one more.
    #[test]
    fn a_gaussian_fit_has_the_noise_of_its_steps() {
        for (adjacency, sensitivity) in
            [(Adjacency::ReplaceOne, 4.5_f64.sqrt()), (Adjacency::AddRemove, 2_f64.sqrt())]
        {
            let design = Design { adjacency, ..ridge(5, Family::Gaussian { steps: 4 }, false) };
            let square = 5.0 * (1.0 + libm::log(2.0 * 20_000.0 / 0.05));
            let expected = sensitivity * 2.0 / 0.9 * square / 20_000.0 * (6.0 * libm::log(200.0)).sqrt();
            assert!((design.ask(20_000, 0.9).noise / expected - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn impossible_numbers_are_no_panic() {
        let design = ridge(3, Family::Logistic { steps: 1, chance: Some(0.0) }, true);
        assert_eq!(design.ask(1000, 1.0).rows_needed, None);
        let fits = ridge(3, Family::Ridge, true);
        for (rows, mu) in [(0, 1.0), (1, f64::NAN), (1, 0.0), (u64::MAX, -1.0), (1, 1e-300)] {
            let answer = fits.ask(rows, mu);
            assert!(!answer.is_stable(), "{rows} {mu}: {answer:?}");
        }
        assert!(!ridge(0, Family::Ridge, false).ask(10, 1.0).is_stable());
        assert!(!Design { eta: f64::NAN, ..fits }.ask(10, 1.0).is_stable());
    }
}
