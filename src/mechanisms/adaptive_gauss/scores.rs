//! Round 5, if the plan pays for it: products of scores. They give standard errors that also hold for unequal residual variances
//! and for persons whose rows are correlated (theory/adaptive 2.7).

use nalgebra::DMatrix;

use super::estimate::Inverse;
use super::last::Grid;
use super::progress::{Released, Solved};
use super::units::ScoreRound;
use crate::data::encode::within;
use crate::math::jacobi_eigen::{Jacobi, product};
use crate::math::linalg::from_triangle;
use crate::math::round::{nearest, real};
use crate::math::triangle;
use crate::mechanisms::adaptive::bits::bits26;
use crate::mechanisms::adaptive::rough::rounding_room;
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
    /// Returns the map with these θ and T of each outcome, to scores of the length `record`.
    pub fn new(slopes: Vec<Vec<f64>>, radii: Vec<f64>, record: u32) -> Self {
        let coefficients = slopes.first().map_or(0, Vec::len);
        Self { slopes, radii, reach: f64::from(record) - rounding_room(coefficients), record }
    }

    /// Returns the map at what the fourth round gives, where a person has about `rows` rows. Where that determines nothing,
    /// scores are those of no effect at all.
    pub fn of(released: &Released, solved: &Solved, round: &ScoreRound, rows: f64) -> Self {
        let k = released.terms.coefficients();
        let reach = f64::from(round.record) - rounding_room(k);
        // The noise on a mean square, in units of T².
        let noise = round.round.s() * rows / (reach * reach) / solved.moments.features[(0, 0)].max(1.0);
        // The mean square of the sum of so many scores, each pair of which has half of a square in common.
        let of_sum = rows * (1.0 + (rows - 1.0) / 2.0);
        let square = (AIM / (noise * real(k))).clamp(SQUARES[0], SQUARES[1]) * real(k) * of_sum;
        let (mut slopes, mut radii) = (Vec::new(), Vec::new());
        for outcome in 0..released.terms.outcomes() {
            let fit = solved.gate.fit(&released.guide, &solved.map, &solved.moments, outcome);
            let sigma = fit.as_ref().map(|fit| fit.sigma).filter(|sigma| sigma.is_finite() && *sigma > 0.0);
            radii.push(bits26(square.sqrt() * sigma.unwrap_or(1.0)));
            slopes.push(fit.map_or_else(|| vec![0.0; k], |fit| fit.theta.iter().copied().collect()));
        }
        Self::new(slopes, radii, round.record)
    }

    /// Returns the number of outcomes.
    pub fn outcomes(&self) -> usize {
        self.slopes.len()
    }

    /// Adds the products of a record's scores, from its codes of the last round; `reals` and `scores` are working memory.
    pub fn add(
        &self,
        grid: &Grid,
        codes: &[i32],
        reals: &mut Vec<f64>,
        scores: &mut Vec<i32>,
        cells: &mut [i64],
    ) {
        let size = triangle::len(codes.len().saturating_sub(self.outcomes()));
        for (outcome, block) in cells.chunks_exact_mut(size.max(1)).enumerate() {
            self.score(outcome, grid, codes, reals);
            self.add_score(outcome, reals, scores, block);
        }
    }

    /// Adds a record's scores to the sums of its person's, one outcome after the other.
    pub fn add_to_person(&self, grid: &Grid, codes: &[i32], reals: &mut Vec<f64>, sums: &mut [i64]) {
        let k = codes.len().saturating_sub(self.outcomes());
        for (outcome, sums) in sums.chunks_exact_mut(k.max(1)).enumerate() {
            self.score(outcome, grid, codes, reals);
            let unit = self.radii.get(outcome).map_or(0.0, |radius| self.reach / radius);
            for (sum, score) in sums.iter_mut().zip(reals.iter()) {
                *sum = sum.saturating_add(i64::from(nearest(score * unit)));
            }
        }
    }

    /// Adds the products of the sums of one person's scores.
    pub fn add_person(&self, sums: &[i64], reals: &mut Vec<f64>, scores: &mut Vec<i32>, cells: &mut [i64]) {
        let k = sums.len().checked_div(self.outcomes()).unwrap_or(0);
        let blocks = cells.chunks_exact_mut(triangle::len(k).max(1));
        for (outcome, (sums, block)) in sums.chunks_exact(k.max(1)).zip(blocks).enumerate() {
            let unit = self.radii.get(outcome).map_or(0.0, |radius| radius / self.reach);
            reals.clear();
            reals.extend(sums.iter().map(|sum| real(*sum) * unit));
            self.add_score(outcome, reals, scores, block);
        }
    }

    /// Writes the score of one outcome in real units.
    fn score(&self, outcome: usize, grid: &Grid, codes: &[i32], reals: &mut Vec<f64>) {
        reals.clear();
        let Some((k, slopes)) = codes.len().checked_sub(self.outcomes()).zip(self.slopes.get(outcome)) else {
            return;
        };
        let (features, outcomes) = codes.split_at(k);
        let unit = grid.unit(0, k);
        let own = outcomes.get(outcome).map_or(0.0, |code| f64::from(*code) * grid.unit(k + outcome, k));
        let fitted =
            features.iter().zip(slopes).fold(0.0, |sum, (code, slope)| sum + f64::from(*code) * unit * slope);
        let residual = own - fitted;
        reals.extend(features.iter().map(|code| f64::from(*code) * unit * residual));
    }

    /// Adds the products of a score. It adds nothing where the integer check Σ code² <= W² fails, from which alone the sensitivity is
    /// proved.
    fn add_score(&self, outcome: usize, reals: &[f64], scores: &mut Vec<i32>, block: &mut [i64]) {
        let Some(radius) = self.radii.get(outcome) else { return };
        let norm = reals.iter().fold(0.0, |sum, score| sum + score * score).sqrt();
        let unbounded = is_active(Mutant::ScoresUnclipped);
        let factor = if norm > *radius && !unbounded { radius / norm } else { 1.0 };
        scores.clear();
        scores.extend(reals.iter().map(|score| nearest(score * (factor * (self.reach / radius)))));
        if within(scores, self.record) || unbounded || is_active(Mutant::RoundChecksOmitted) {
            triangle::add_outer(scores, 1, block);
        }
    }
}

/// The release of round 5.
#[derive(Clone, Debug, PartialEq)]
pub struct ReleasedScores {
    /// W: the longest score.
    pub record: u32,
    /// S.
    pub scale: NoiseScale,
    /// T of each outcome.
    pub radii: Vec<f64>,
    /// Whether the scores of each person were summed.
    pub of_persons: bool,
    /// The noisy integers: the upper triangle of each outcome.
    pub cells: Vec<i128>,
}

impl ReleasedScores {
    /// Returns the products of scores of each outcome in real units, of regressions with so many coefficients.
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

/// The sampling part of a covariance, valid for unequal residual variances.
#[derive(Clone, Debug, PartialEq)]
pub struct Sandwich {
    /// A⁻¹ B A⁻¹, raised by what its noise may hide.
    pub covariance: DMatrix<f64>,
    /// The noise on the variance in a direction: its standard deviation, as a quadratic form.
    pub noise: DMatrix<f64>,
}

impl ScoreProducts {
    /// Returns A⁻¹ B A⁻¹ + 1.21 τ² A⁻³ / σ². A⁻¹ is `inverse`, σ the residual standard deviation, and τ the noise, to which the
    /// eigenvalues of B are raised. The last term makes up for intervals that the noise makes too short. `None` if the
    /// eigenvalues do not converge.
    pub fn sandwich(&self, inverse: &Inverse, sigma: f64) -> Option<Sandwich> {
        let (a, noise) = (&inverse.matrix, self.noise);
        let raised = Jacobi::try_new(&self.matrix).ok()?.map(|value| value.max(noise));
        let square = product(a, a);
        let more = product(&square, a) * (RAISED * (noise / sigma) * (noise / sigma));
        Some(Sandwich { covariance: product(&product(a, &raised), a) + more, noise: square * noise })
    }
}
