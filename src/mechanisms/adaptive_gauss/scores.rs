//! Round 5, where the plan pays for it: products of scores, from which standard errors follow that hold also where residuals do not spread
//! equally (theory/adaptive 2.7).

use nalgebra::DMatrix;

use super::estimate::Inverse;
use super::last::Grid;
use super::progress::{Released, Solved};
use super::units::ScoreRound;
use crate::data::encode::within;
use crate::math::jacobi_eigen::{Jacobi, product};
use crate::math::linalg::from_triangle;
use crate::math::round::real;
use crate::math::triangle;
use crate::mechanisms::adaptive::bits::{bits26, nearest};
use crate::mechanisms::adaptive::rough::{add_products, rounding_room};
use crate::privacy::calibrate::NoiseScale;
use crate::privacy::mutants::{Mutant, is_active};

/// The noise on the mean square of a score, as a share of it, at which the radius is set.
const AIM: f64 = 0.2;
/// Least and largest square of the radius, in units of the mean square of a score.
const SQUARES: [f64; 2] = [6.0, 60.0];
/// A share of noise above which an interval is approximate.
pub const APPROXIMATE_ABOVE: f64 = 0.25;
/// How much an estimated variance is raised, in units of its squared share of noise, because the noise makes some intervals too short: with
/// 2/share² degrees of freedom the 97.5 % point of Student's law is about 1.96 (1 + 0.605 share²).
const RAISED: f64 = 1.21;

/// The public map of a record's codes of the last round to those of this one.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreMap {
    /// θ of each outcome.
    slopes: Vec<Vec<f64>>,
    /// T of each outcome: longer scores are shortened to it.
    pub radii: Vec<f64>,
    reach: f64,
    record: u32,
}

impl ScoreMap {
    /// The map with these θ and T of each outcome, to scores of the length `record`.
    #[must_use]
    pub fn new(slopes: Vec<Vec<f64>>, radii: Vec<f64>, record: u32) -> Self {
        let coefficients = slopes.first().map_or(0, Vec::len);
        Self { slopes, radii, reach: f64::from(record) - rounding_room(coefficients), record }
    }

    /// The map at what the fourth round gives. Where that determines nothing, scores are those of no effect at all.
    #[must_use]
    pub fn of(released: &Released, solved: &Solved, round: &ScoreRound) -> Self {
        let k = released.terms.coefficients();
        let reach = f64::from(round.record) - rounding_room(k);
        // The noise on a mean square, in units of T².
        let noise = round.round.s() / (reach * reach) / solved.moments.features[(0, 0)].max(1.0);
        let square = (AIM / (noise * real(k))).clamp(SQUARES[0], SQUARES[1]) * real(k);
        let (mut slopes, mut radii) = (Vec::new(), Vec::new());
        for outcome in 0..released.terms.outcomes() {
            let fit = released.fit(solved, outcome);
            let sigma = fit.as_ref().map(|fit| fit.sigma).filter(|sigma| sigma.is_finite() && *sigma > 0.0);
            radii.push(bits26(square.sqrt() * sigma.unwrap_or(1.0)));
            slopes.push(fit.map_or_else(|| vec![0.0; k], |fit| fit.theta.iter().copied().collect()));
        }
        Self::new(slopes, radii, round.record)
    }

    /// Adds the products of a record's scores, from its codes of the last round; `reals` and `scores` are working memory. A score adds
    /// nothing where the integer check Σ code² <= W² fails, from which alone the sensitivity is proved.
    pub fn add(
        &self,
        grid: &Grid,
        codes: &[i32],
        reals: &mut Vec<f64>,
        scores: &mut Vec<i32>,
        cells: &mut [i64],
    ) {
        let Some(k) = codes.len().checked_sub(self.slopes.len()) else { return };
        let (features, outcomes) = codes.split_at(k);
        let size = triangle::len(k);
        let blocks = cells.chunks_exact_mut(size.max(1));
        let unit = grid.unit(0, k);
        let maps = self.slopes.iter().zip(&self.radii);
        for (place, ((outcome, (slopes, radius)), block)) in outcomes.iter().zip(maps).zip(blocks).enumerate()
        {
            let outcome = f64::from(*outcome) * grid.unit(k + place, k);
            let fitted = features
                .iter()
                .zip(slopes)
                .fold(0.0, |sum, (code, slope)| sum + f64::from(*code) * unit * slope);
            let residual = outcome - fitted;
            reals.clear();
            reals.extend(features.iter().map(|code| f64::from(*code) * unit * residual));
            let norm = reals.iter().fold(0.0, |sum, score| sum + score * score).sqrt();
            let unbounded = is_active(Mutant::ScoresUnclipped);
            let factor = if norm > *radius && !unbounded { radius / norm } else { 1.0 };
            scores.clear();
            scores.extend(reals.iter().map(|score| nearest(score * (factor * (self.reach / radius)))));
            let checked = within(scores, self.record);
            if checked || unbounded || is_active(Mutant::RoundChecksOmitted) {
                add_products(scores, block);
            }
        }
    }
}

/// What round 5 released.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasedScores {
    /// W: the longest score.
    pub record: u32,
    /// S.
    pub scale: NoiseScale,
    /// T of each outcome.
    pub radii: Vec<f64>,
    /// The noisy integers: the upper triangle of each outcome.
    pub cells: Vec<i128>,
}

impl ReleasedScores {
    /// The products of scores of each outcome in real units, of regressions with so many coefficients.
    #[must_use]
    pub fn products(&self, coefficients: usize) -> Vec<ScoreProducts> {
        let reach = f64::from(self.record) - rounding_room(coefficients);
        let s = self.scale.real();
        let blocks = self.cells.chunks_exact(triangle::len(coefficients).max(1));
        let of = |(radius, cells): (&f64, &[i128])| {
            let unit = (radius / reach) * (radius / reach);
            ScoreProducts { matrix: from_triangle(coefficients, cells, |_, _| unit), noise: s * unit }
        };
        self.radii.iter().zip(blocks).map(of).collect()
    }
}

/// Σ s s′ of one outcome in real units, where s = r z is a row's score, with noise.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoreProducts {
    matrix: DMatrix<f64>,
    /// The standard deviation of the noise on its diagonal; off it this times √½.
    noise: f64,
}

/// The part of a covariance that is sampling, whatever the residuals' spread depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Sandwich {
    /// A⁻¹ B A⁻¹, raised by what its noise may hide.
    pub covariance: DMatrix<f64>,
    /// The standard deviation of the noise on what it says of a direction, as a quadratic form.
    pub noise: DMatrix<f64>,
}

impl ScoreProducts {
    /// A⁻¹ B A⁻¹ where A⁻¹ is `inverse` and σ the residual standard deviation, with the eigenvalues of B raised to their noise τ, and
    /// 1.21 τ² A⁻³ / σ² for the intervals that the noise makes too short; nothing where the eigenvalues do not settle.
    #[must_use]
    pub fn sandwich(&self, inverse: &Inverse, sigma: f64) -> Option<Sandwich> {
        let (a, noise) = (&inverse.matrix, self.noise);
        let raised = Jacobi::try_new(&self.matrix).ok()?.map(|value| value.max(noise));
        let square = product(a, a);
        let more = product(&square, a) * (RAISED * (noise / sigma) * (noise / sigma));
        Some(Sandwich { covariance: product(&product(a, &raised), a) + more, noise: square * noise })
    }
}
