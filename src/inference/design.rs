//! The part of a regression that all outcomes share: the predictors' moments, penalised, repaired and factored, and their ratio of signal to noise.

use nalgebra::{DMatrix, DVector};

use super::cell_noise::CellNoise;
use super::contrast::Corners;
use super::moments::{NoisyMoments, Whitening};
use super::options::{MeanPenalty, Options, Repair, Ridge};
use super::ridge::automatic;
use super::shrinkage::Filter;
use crate::math::linalg::{Cholesky, Eigen, LinalgError, smallest_eigenvalue};
use crate::math::projection::positive_trace;
use crate::math::round::real;
use crate::model::{INTERCEPT, Interval};
use crate::release::document::Diagnostics;
use crate::text::one_line;

/// Below this ratio of signal to noise intervals are withheld (theory/inference 2.2).
pub const WITHHELD_BELOW: f64 = 1.0;

/// Returns whether the noise is as large as the signal. Intervals are then withheld; notes name other reasons.
pub fn is_drowned(diagnostics: &Diagnostics) -> bool {
    diagnostics.signal_to_noise.is_some_and(|ratio| ratio < WITHHELD_BELOW)
}

/// From this ratio of signal to noise on intervals are normal.
pub const NORMAL_FROM: f64 = 2.0;

/// A regression that these moments do not determine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// No predictor and no constant.
    #[error("{}", crate::words::error::fit_no_predictors())]
    NoPredictors,
    /// The moments have no constant.
    #[error("{}", crate::words::error::fit_no_constant())]
    NoConstant,
    /// A coordinate that is not in the moments.
    #[error("{}", crate::words::error::fit_unknown_term(.0))]
    UnknownTerm(usize),
    /// Two terms whose products were not released.
    #[error("{}", crate::words::error::fit_not_released(one_line(.0)))]
    NotReleased(String),
    /// A term twice among predictors and outcome.
    #[error("{}", crate::words::error::fit_repeated(one_line(.0)))]
    Repeated(String),
    /// A map between units that has no inverse; only a damaged release has one.
    #[error("{}", crate::words::error::fit_linalg(.0))]
    Linalg(#[from] LinalgError),
}

/// What all outcomes' solutions share.
#[derive(Clone, Debug)]
pub(super) struct Solution {
    /// Factor of A + Λ after repair.
    pub factor: Cholesky,
    /// M (A + Λ)⁻¹ T: what one unit of noise E r does to each coefficient, in its own unit per σ_y.
    pub response: DMatrix<f64>,
    /// Diagonal of M (A + Λ)⁻¹ (A − Λ₀) (A + Λ)⁻¹ M′, Λ₀ being what the mechanism added to A.
    pub sampling: DVector<f64>,
}

/// Predictors u = T z of coded coordinates z, with their noisy moments A = T G T′ (theory/inference 1.1).
///
/// With an intercept T selects coordinates, the constant first. Without one the model passes through the origin of the
/// columns' own units: x_j / σ_j = z_j + (m_j / (σ_j c)) z_0, with σ the term's scale, m its centre and c the constant's
/// code, so that T has two entries in a row. Where the moments have no constant, T selects, and the model passes through
/// the centres instead.
#[derive(Clone, Debug)]
pub struct Design<'a> {
    pub(super) moments: &'a NoisyMoments,
    pub(super) options: Options,
    /// Names of the predictors, in the coefficients' order.
    pub(super) names: Vec<String>,
    /// Coordinates that the predictors use; T has one column for each.
    pub(super) support: Vec<usize>,
    /// T.
    pub(super) transform: DMatrix<f64>,
    /// M: coded coefficients to own units, per unit of the outcome's scale.
    pub(super) unscale: DMatrix<f64>,
    /// A.
    pub(super) predictors: DMatrix<f64>,
    /// Factor of T T′.
    pub(super) basis: Cholesky,
    pub(super) intercept: bool,
    /// Whether the model passes through the origin of own units, which needs the constant.
    pub(super) through_origin: bool,
    pub(super) ridge: f64,
    /// The penalty in own units, on these predictors.
    pub(super) penalty: DMatrix<f64>,
    pub(super) repair: Option<Repair>,
    pub(super) signal_to_noise: Option<f64>,
    pub(super) solution: Option<Solution>,
    /// What stands in place of the solution where the features are public.
    pub(super) filter: Option<Filter>,
}

impl<'a> Design<'a> {
    /// Prepares the regression of `outcomes` on `predictors` (both coordinates of `moments`).
    ///
    /// The outcomes enter only through their public reach, in an automatic ridge.
    ///
    /// # Errors
    /// [`FitError`] when the terms do not make a regression. What the moments hold is never an error: where they cannot be
    /// solved, the coefficients are withheld.
    pub fn try_new(
        moments: &'a NoisyMoments,
        predictors: &[usize],
        outcomes: &[usize],
        intercept: bool,
        options: Options,
    ) -> Result<Self, FitError> {
        let mut design = Self::unsolved(moments, predictors, outcomes, intercept, options)?;
        // After the charge drawn noise must not cause an error. If the moments cannot be solved, the coefficients are withheld.
        if design.solve().is_err() {
            design.solution = None;
        }
        if let Some(rule) = options.rule {
            match Filter::new(moments, &design.unscale, rule) {
                Ok(filter) => design.filter = Some(filter),
                Err(_) => design.solution = None,
            }
        }
        Ok(design)
    }

    /// Computes [`Self::signal_to_noise`] without a solution, which takes several times as long.
    ///
    /// # Errors
    /// As [`Self::try_new`].
    pub fn ratio_alone(
        moments: &'a NoisyMoments,
        predictors: &[usize],
        outcomes: &[usize],
        intercept: bool,
        options: Options,
    ) -> Result<Option<f64>, FitError> {
        let design = Self::unsolved(moments, predictors, outcomes, intercept, options)?;
        Ok(design.whitened().and_then(|whitened| design.ratio(&whitened)).unwrap_or(None))
    }

    /// Prepares the regression without solving it.
    fn unsolved(
        moments: &'a NoisyMoments,
        predictors: &[usize],
        outcomes: &[usize],
        intercept: bool,
        options: Options,
    ) -> Result<Self, FitError> {
        check_terms(moments, predictors, outcomes, intercept)?;
        let terms = moments.terms();
        let names: Vec<String> = intercept
            .then(|| INTERCEPT.to_owned())
            .into_iter()
            .chain(predictors.iter().map(|&index| terms[index].name.clone()))
            .collect();
        let Predictors { support, transform, unscale, reach, through_origin } = match moments.whitening() {
            Some(whitening) => Predictors::whitened(whitening, predictors, intercept),
            None => Predictors::coded(moments, predictors, intercept),
        };
        let (d, q) = transform.shape();

        let coded = DMatrix::from_fn(q, q, |i, j| moments.cell(support[i], support[j]).unwrap_or(0.0));
        let a = &transform * coded * transform.transpose();
        let square = &transform * transform.transpose();
        let basis = Cholesky::try_new(&square)?;
        let ridge = match options.ridge {
            Ridge::None => 0.0,
            Ridge::Fixed(ridge) => ridge,
            Ridge::Auto => {
                let outcome = outcomes.iter().map(|&index| terms[index].reach).fold(f64::INFINITY, f64::min);
                let plain = !through_origin && moments.corners().is_empty();
                let stretch = if plain { 1.0 } else { Eigen::try_new(&square)?.largest() };
                automatic(moments.noise(), &reach, outcome, stretch)
            }
        };
        let mut design = Self {
            moments,
            options,
            names,
            support,
            transform,
            unscale,
            predictors: a,
            basis,
            intercept,
            through_origin,
            ridge,
            penalty: DMatrix::zeros(d, d),
            repair: None,
            signal_to_noise: None,
            solution: None,
            filter: None,
        };
        if let Some(penalty) = options.penalty {
            design.penalise(penalty);
        }
        Ok(design)
    }

    /// Returns A + Λ.
    fn penalised(&self) -> DMatrix<f64> {
        let mut penalised = &self.predictors + &self.penalty;
        for index in 0..self.names.len() {
            penalised[(index, index)] += self.ridge;
        }
        penalised
    }

    /// Returns A + Λ in an orthonormal basis of the predictors' space. There the noise is what the gate of theory/inference 2.2 assumes:
    /// GOE noise does not change under rotation.
    fn whitened(&self) -> Result<DMatrix<f64>, LinalgError> {
        self.basis.whiten(&self.penalised())
    }

    /// Returns the ratio of signal to noise, from what [`Self::whitened`] returns.
    fn ratio(&self, whitened: &DMatrix<f64>) -> Result<Option<f64>, LinalgError> {
        let norm = self.moments.noise().spectral_norm(self.names.len());
        (norm > 0.0).then(|| Ok(smallest_eigenvalue(whitened)? / norm)).transpose()
    }

    /// Computes the ratio of signal to noise, repairs where needed, and factors A + Λ.
    fn solve(&mut self) -> Result<(), LinalgError> {
        let d = self.names.len();
        let penalised = self.penalised();
        let whitened = self.whitened()?;
        let norm = self.moments.noise().spectral_norm(d);
        self.signal_to_noise = self.ratio(&whitened)?;
        let mut factor = Cholesky::try_new(&penalised).ok();
        if self.options.floor && self.signal_to_noise.is_some_and(|ratio| ratio < 1.0) {
            self.repair = Some(Repair::Floor);
            let raised = Eigen::try_new(&whitened)?.map(|value| value.max(norm));
            let back = self.basis.lower() * raised * self.basis.lower().transpose();
            factor = Cholesky::try_new(&back).ok();
        } else if factor.is_none() && norm > 0.0 && self.options.repair != Repair::None {
            self.repair = Some(self.options.repair);
            let sd = self.moments.noise().off_diagonal_sd();
            let bounded = match (self.options.repair, self.options.trace) {
                (Repair::Floor, Some(bound)) => positive_trace(&whitened, bound)?,
                _ => whitened,
            };
            let repaired = repair(&bounded, self.options.repair, norm, sd)?;
            let back = self.basis.lower() * repaired * self.basis.lower().transpose();
            factor = Cholesky::try_new(&back).ok();
        }
        self.solution = factor.map(|factor| {
            let inverse = factor.inverse();
            let turned = &self.unscale * inverse;
            let half = &turned * self.own_moments();
            let sampling = DVector::from_fn(d, |row, _| half.row(row).dot(&turned.row(row)));
            Solution { response: &turned * &self.transform, sampling, factor }
        });
        Ok(())
    }

    /// Sets the penalty matrix w M'D M of w β'Dβ, with β = M b σ_y.
    fn penalise(&mut self, penalty: MeanPenalty) {
        let on = DVector::from_fn(self.names.len(), |row, _| {
            if row == 0 && self.intercept && !penalty.on_intercept { 0.0 } else { penalty.weight }
        });
        self.penalty = self.unscale.transpose() * DMatrix::from_diagonal(&on) * &self.unscale;
    }

    /// Returns what an outcome whose codes are measured from `centre`, in its own scale, subtracts from the cross moments where the penalty
    /// weighs on the intercept: w M'e₀ times it.
    pub(super) fn pull(&self, centre: f64) -> Option<DVector<f64>> {
        let penalty = self.options.penalty.filter(|penalty| penalty.on_intercept && self.intercept)?;
        Some(self.unscale.row(0).transpose() * (penalty.weight * centre))
    }

    /// Returns the smallest eigenvalue of the penalised predictors' moments over the noise's spectral norm. `None` without noise.
    pub fn signal_to_noise(&self) -> Option<f64> {
        self.signal_to_noise
    }

    /// Returns Λ in units of R²: the ridge asked for plus the mechanism's own.
    pub fn ridge(&self) -> f64 {
        self.ridge + self.moments.ridge()
    }

    /// Returns the ridge that was asked for, in units of R².
    pub fn asked_ridge(&self) -> f64 {
        self.ridge
    }

    /// Returns A − Λ₀, the moments without the ridge that the mechanism added.
    fn own_moments(&self) -> DMatrix<f64> {
        &self.predictors - &self.transform * self.transform.transpose() * self.moments.ridge()
    }

    /// Returns the share by which Λ shrinks each coefficient towards 0: 1 less the diagonal of (A + Λ)⁻¹ (A − Λ₀). Empty where the moments
    /// cannot be solved.
    pub(super) fn shrinkage(&self) -> Vec<f64> {
        let Some(solution) = &self.solution else { return Vec::new() };
        let (inverse, own) = (solution.factor.inverse(), self.own_moments());
        let kept = inverse.column_iter().zip(own.column_iter()).map(|(row, column)| row.dot(&column));
        kept.map(|kept| (1.0 - kept).clamp(0.0, 1.0)).collect()
    }

    /// Returns the repair that was needed, if any.
    pub fn repair(&self) -> Option<Repair> {
        self.repair
    }

    /// Returns whether the moments could be solved at all.
    pub fn solved(&self) -> bool {
        self.solution.is_some()
    }

    /// Returns the predictors' names, in the coefficients' order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the number of rows and its standard deviation: public, or from the noisy intercept cell.
    pub fn rows(&self) -> Option<(f64, f64)> {
        let public = self.options.rows.map(|rows| (real(rows), 0.0));
        public.or_else(|| self.moments.noisy_rows())
    }

    /// Returns n − d, or `None` where it is not above twice its noise (theory/inference 2.3).
    pub fn degrees_of_freedom(&self) -> Option<f64> {
        let (rows, sd) = self.rows()?;
        let freedom = rows - real(self.names.len());
        (freedom >= f64::max(1.0, 2.0 * sd)).then_some(freedom)
    }

    /// Returns whether intervals can cover the privacy noise only, because no squares of outcomes were
    /// released.
    pub fn noise_alone(&self) -> bool {
        self.moments.cross().ncols() > 0 && !self.moments.has_squares()
    }

    /// Returns how reliable intervals are before an outcome is considered.
    pub fn interval(&self) -> Interval {
        let ratio = self.signal_to_noise.unwrap_or(f64::INFINITY);
        let drawn = self.moments.noise().is_drawn();
        let known = if drawn {
            self.moments.noise().pivot_freedom(self.names.len()).is_some()
        } else {
            self.noise_alone() || self.degrees_of_freedom().is_some()
        };
        if !self.solved()
            || self.repair.is_some()
            || self.moments.stepped()
            || self.moments.sampled()
            || self.noise_alone() && self.moments.noise() == CellNoise::None
            || self.options.projected
            || self.filter.as_ref().is_some_and(Filter::is_empty)
            || ratio < WITHHELD_BELOW
            || !known
        {
            Interval::Withheld
        } else if ratio < NORMAL_FROM {
            Interval::Approximate
        } else {
            Interval::Normal
        }
    }
}

/// Predictors u = T z of coordinates z, and what takes coefficients on u to own units.
struct Predictors {
    support: Vec<usize>,
    transform: DMatrix<f64>,
    unscale: DMatrix<f64>,
    /// Bounds on |u|.
    reach: Vec<f64>,
    through_origin: bool,
}

impl Predictors {
    fn coded(moments: &NoisyMoments, predictors: &[usize], intercept: bool) -> Self {
        let terms = moments.terms();
        let constant = moments.constant();
        let through_origin = !intercept && constant.is_some();
        let mut support: Vec<usize> = constant.map(|_| 0).into_iter().collect();
        support.extend(predictors);
        let d = predictors.len() + usize::from(intercept);
        let before = support.len() - d;
        // A category of which some levels are predictors, or which is measured from the origin, is taken along their directions, for which all
        // of its coordinates are needed.
        let used =
            |corners: &&Corners| predictors.iter().any(|predictor| corners.terms().contains(predictor));
        let whole = |corners: &Corners| intercept && corners.terms().all(|term| predictors.contains(&term));
        for corners in moments.corners().iter().filter(used) {
            support.extend(corners.terms().filter(|coordinate| !predictors.contains(coordinate)));
        }
        let column_of = |coordinate: usize| support.iter().position(|at| *at == coordinate);
        let mut transform = DMatrix::zeros(d, support.len());
        let mut unscale = DMatrix::zeros(d, d);
        let mut reach = vec![0.0; d];
        for row in 0..d {
            let (column, index) = (row + before, support[row + before]);
            let term = &terms[index];
            reach[row] = term.reach;
            if through_origin && let Some(constant) = constant {
                transform[(row, 0)] = term.centre / (term.scale * constant);
                reach[row] += (term.centre / term.scale).abs();
            }
            let level = moments.corners_of(index).map(|corners| (corners, index - corners.first));
            match level {
                Some((corners, level)) if whole(corners) => {
                    transform[(row, column)] = 1.0;
                    for (coordinate, effect) in corners.terms().zip(corners.effects.row(level).iter()) {
                        if let Some(column) = column_of(coordinate) {
                            unscale[(row, column)] = *effect;
                            unscale[(0, column)] -= term.centre * effect;
                        }
                    }
                    continue;
                }
                Some((corners, level)) => {
                    for (coordinate, weight) in corners.terms().zip(corners.directions.row(level).iter()) {
                        if let Some(column) = column_of(coordinate) {
                            transform[(row, column)] = *weight;
                        }
                    }
                }
                None => transform[(row, column)] = 1.0,
            }
            unscale[(row, row)] = 1.0 / term.scale;
            if intercept && row > 0 {
                unscale[(0, row)] = -term.centre / term.scale;
            }
        }
        Self { support, transform, unscale, reach, through_origin }
    }

    /// Computes the predictors of whitened coordinates; own units are v = A⁻¹ z. All terms are solved for in whitened coordinates, a part
    /// of them as those rows of A⁻¹, at length 1.
    fn whitened(whitening: &Whitening, predictors: &[usize], intercept: bool) -> Self {
        let all = whitening.map.nrows();
        let rows: Vec<usize> = intercept.then_some(0).into_iter().chain(predictors.iter().copied()).collect();
        let (transform, unscale) = if rows.iter().copied().eq(0..all) {
            (DMatrix::identity(all, all), whitening.map.transpose())
        } else {
            let chosen = whitening.inverse.select_rows(&rows);
            let lengths = DVector::from_iterator(rows.len(), chosen.row_iter().map(|row| row.norm()));
            let unit = DMatrix::from_diagonal(&lengths.map(|length| 1.0 / length));
            (&unit * chosen, unit)
        };
        let reach = vec![1.0; rows.len()];
        Self { support: (0..all).collect(), transform, unscale, reach, through_origin: false }
    }
}

fn check_terms(
    moments: &NoisyMoments,
    predictors: &[usize],
    outcomes: &[usize],
    intercept: bool,
) -> Result<(), FitError> {
    if predictors.is_empty() && !intercept {
        return Err(FitError::NoPredictors);
    }
    if intercept && !moments.has_constant() {
        return Err(FitError::NoConstant);
    }
    let terms = moments.terms();
    let mut seen = vec![false; terms.len()];
    if let Some(first) = seen.first_mut().filter(|_| moments.has_constant()) {
        *first = true;
    }
    for &index in predictors {
        let flag = seen.get_mut(index).ok_or(FitError::UnknownTerm(index))?;
        if std::mem::replace(flag, true) {
            return Err(FitError::Repeated(terms[index].name.clone()));
        }
        if index >= moments.matrix().nrows() {
            return Err(FitError::NotReleased(terms[index].name.clone()));
        }
    }
    for &index in outcomes {
        if *seen.get(index).ok_or(FitError::UnknownTerm(index))? {
            return Err(FitError::Repeated(terms[index].name.clone()));
        }
    }
    Ok(())
}

/// Repairs in an orthonormal basis: adds 2 sd √d to the diagonal, or raises eigenvalues to sd.
fn repair(a: &DMatrix<f64>, repair: Repair, norm: f64, sd: f64) -> Result<DMatrix<f64>, LinalgError> {
    match repair {
        Repair::Floor => Ok(Eigen::try_new(a)?.map(|value| value.max(sd))),
        Repair::Shift | Repair::None => Ok(a + DMatrix::from_diagonal_element(a.nrows(), a.nrows(), norm)),
    }
}
