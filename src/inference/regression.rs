//! One outcome's regression with uncertainty that counts sampling and privacy noise (theory/inference 2).

use nalgebra::{DMatrix, DVector, RowDVector};

use super::bootstrap;
use super::cell_noise::CellNoise;
use super::design::{Design, FitError, Solution};
use super::fits::{Coded, Fit, Uncertainty, withheld};
use super::moments::NoisyMoments;
use super::options::Options;
use crate::math::special::normal_quantile;
use crate::math::student::t_quantile;
use crate::model::{Interval, Shape};
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::document::LONG_FORM_OUTCOMES;

/// 95 % point of the normal, used where the residual variance is not resolved (theory/inference 2.3).
const UPPER_POINT: f64 = 1.645;

/// What an outcome's coefficients leave of it.
struct Residuals {
    /// r on the support.
    vector: DVector<f64>,
    /// r′Mr.
    drawn: f64,
    /// The sum of squares: r′Mr without the mechanism's own ridge.
    sum: f64,
    /// Whether that stands out of its noise, and there are degrees of freedom.
    resolved: bool,
    /// The variance, or an upper bound where the sum does not stand out. `None` without degrees of freedom.
    variance: Option<f64>,
}

/// Regresses one coordinate on others.
///
/// # Errors
/// [`FitError`] when the terms do not make a regression, or on moments beyond all bounds.
pub fn fit(
    moments: &NoisyMoments,
    outcome: usize,
    predictors: &[usize],
    intercept: bool,
    options: Options,
) -> Result<Fit, FitError> {
    let design = Design::try_new(moments, predictors, &[outcome], intercept, options)?;
    let mut fits = design.fit_all(&[outcome])?;
    fits.pop().ok_or(FitError::UnknownTerm(outcome))
}

impl Design<'_> {
    /// Fits all `outcomes`, in their order.
    ///
    /// With a ridge above 0 intervals come from the parametric bootstrap (theory/inference 3.2), above [`LONG_FORM_OUTCOMES`] outcomes
    /// from the closed form, with privacy noise alone. Where the whole matrix was drawn they come
    /// from the exact t pivot of its law (theory/wishart 5.1), with the sampling error beside it.
    ///
    /// # Errors
    /// [`FitError`] when an outcome is not in the moments or is a predictor.
    pub fn fit_all(&self, outcomes: &[usize]) -> Result<Vec<Fit>, FitError> {
        self.fit_as(outcomes, outcomes.len() > LONG_FORM_OUTCOMES)
    }

    /// Fits some of more than [`LONG_FORM_OUTCOMES`] outcomes.
    ///
    /// # Errors
    /// As [`Self::fit_all`].
    pub(super) fn fit_many(&self, outcomes: &[usize]) -> Result<Vec<Fit>, FitError> {
        self.fit_as(outcomes, true)
    }

    fn fit_as(&self, outcomes: &[usize], many: bool) -> Result<Vec<Fit>, FitError> {
        for &outcome in outcomes {
            let term = self.moments.terms().get(outcome).ok_or(FitError::UnknownTerm(outcome))?;
            if self.support.contains(&outcome) {
                return Err(FitError::Repeated(term.name.clone()));
            }
        }
        let Some(solution) = &self.solution else {
            return Ok(outcomes.iter().map(|_| withheld()).collect());
        };
        let noise_alone = self.noise_alone() || self.ridge > 0.0 && many;
        let (mut fits, coded): (Vec<Fit>, Vec<Coded>) =
            outcomes.iter().map(|&outcome| self.fit_one(solution, outcome, noise_alone)).unzip();
        let redrawn = self.ridge > 0.0 && !noise_alone && !self.moments.noise().is_drawn();
        if redrawn && self.interval() != Interval::Withheld {
            bootstrap::replace_intervals(self, &coded, &mut fits);
        }
        fits.iter_mut().for_each(Fit::withhold_overflow);
        Ok(fits)
    }

    fn fit_one(&self, solution: &Solution, outcome: usize, noise_alone: bool) -> (Fit, Coded) {
        let term = &self.moments.terms()[outcome];
        let shift = self.shift(outcome);
        let mut cross = self.cross(outcome, shift);
        if let Some(pull) = self.pull(term.centre / term.scale) {
            cross -= pull;
        }
        let filtered = self.filter.as_ref().and_then(|filter| filter.of(outcome));
        let beta = filtered.unwrap_or_else(|| solution.factor.solve(&cross));

        let residuals = self.residuals(outcome, self.residual_vector(shift, &beta));
        let sigma2 = residuals.variance;
        let estimate: Vec<f64> = self.own_units(outcome, &beta);
        let uncertainty = self.uncertainty(solution, outcome, &estimate, &residuals, noise_alone);
        // An interval that leaves out the sampling error is not a full one.
        let partial = noise_alone || sigma2.is_none();
        let fit = Fit {
            interval: match self.interval() {
                _ if uncertainty.is_none() => Interval::Withheld,
                Interval::Normal if partial => Interval::Approximate,
                interval => interval,
            },
            noise_alone: partial && uncertainty.is_some(),
            estimate: Some(estimate),
            uncertainty,
            residual_sd: sigma2.map(|sigma2| sigma2.sqrt() * term.scale),
            residual_resolved: residuals.resolved,
            r_squared: sigma2
                .filter(|_| residuals.resolved)
                .and(self.total_sum(outcome))
                .map(|all| 1.0 - residuals.sum / all),
            overflowed: false,
        };
        (fit, Coded { outcome, shift, cross, sigma2: sigma2.unwrap_or(0.0) })
    }

    /// Returns the residuals of an outcome, of which `vector` is r on the support.
    fn residuals(&self, outcome: usize, vector: DVector<f64>) -> Residuals {
        let square = vector.norm_squared() + 1.0;
        let fourth = vector.iter().map(|x| x.powi(4)).sum::<f64>() + 1.0;
        let drawn = self.residual_sum(outcome, &vector);
        let noise = self.moments.noise();
        let sd = match noise {
            CellNoise::None | CellNoise::Cross { .. } | CellNoise::Sides { .. } => 0.0,
            CellNoise::Goe { s } => (2.0 * s).sqrt() * square,
            CellNoise::Iid { v } => (v * (2.0 * square * square - fourth)).sqrt(),
            CellNoise::Projection { .. } | CellNoise::Posterior { .. } => {
                drawn * (2.0 / noise.pivot_freedom(self.names.len()).unwrap_or(1.0)).sqrt()
            }
        };
        // The mechanism's own ridge is in the residual sum, too.
        let sum = drawn - self.moments.ridge() * square;
        let stands_out = sum >= 2.0 * sd;
        let freedom = self.degrees_of_freedom();
        let variance = freedom.filter(|_| !self.noise_alone()).map(|freedom| {
            if stands_out {
                sum.max(0.0) / freedom
            } else {
                ((sum + UPPER_POINT * sd) / freedom).max(self.least_variance())
            }
        });
        Residuals { vector, drawn, sum, resolved: stands_out && freedom.is_some(), variance }
    }

    /// Returns the standard errors and intervals of an outcome's coefficients. `None` if they are withheld.
    fn uncertainty(
        &self,
        solution: &Solution,
        outcome: usize,
        estimate: &[f64],
        residuals: &Residuals,
        noise_alone: bool,
    ) -> Option<Uncertainty> {
        let scale = self.moments.terms()[outcome].scale;
        let pivot = self.moments.noise().pivot_freedom(self.names.len());
        // A pivot needs no residual variance of the rows, so where there is none its intervals cover the noise alone.
        let alone = pivot.is_some() || self.noise_alone();
        let sigma2 = residuals.variance.or(alone.then_some(0.0));
        let sigma2 = sigma2.filter(|_| self.interval() != Interval::Withheld)?;
        let level = f64::midpoint(1.0, self.options.confidence);
        let quantile = normal_quantile(level);
        let noise_quantile = pivot.map_or(quantile, |freedom| t_quantile(level, freedom));
        let mut uncertainty = Uncertainty::with_capacity(estimate.len());
        for (row, &estimate) in estimate.iter().enumerate() {
            let noise = match self.filter.as_ref().and_then(|filter| filter.variance(outcome, row)) {
                Some(variance) => variance,
                None => self.noise_variance(solution, row, &residuals.vector, outcome, residuals.drawn),
            };
            let sampling = if noise_alone { 0.0 } else { sigma2 * solution.sampling[row].max(0.0) };
            let total = noise + sampling;
            let reach =
                (noise_quantile * noise_quantile * noise + quantile * quantile * sampling).sqrt() * scale;
            uncertainty.std_error.push(total.sqrt() * scale);
            uncertainty.lower.push(estimate - reach);
            uncertainty.upper.push(estimate + reach);
            uncertainty.noise_share.push(if total > 0.0 { noise / total } else { 0.0 });
        }
        Some(uncertainty)
    }

    /// Returns the covariance of an outcome's coefficients in own units, from sampling and from noise (theory/inference 2.1): with R the rows of
    /// M (A + Λ)⁻¹ T it is σ² R A R′ + R Cov(w) R′. Nothing with a ridge, for noise that is not added to every cell alike, and where intervals
    /// are withheld.
    pub(super) fn covariance(&self, outcome: usize) -> Option<DMatrix<f64>> {
        let solution = self.solution.as_ref()?;
        let term = self.moments.terms().get(outcome)?;
        let fit = self.fit_all(&[outcome]).ok()?.pop()?;
        let sigma = fit.residual_sd? / term.scale;
        if self.ridge > 0.0 || fit.uncertainty.is_none() || fit.noise_alone {
            return None;
        }
        let shift = self.shift(outcome);
        let rest = self.residual_vector(shift, &solution.factor.solve(&self.cross(outcome, shift)));
        let square = rest.norm_squared() + 1.0;
        let noise = match self.moments.noise() {
            CellNoise::None => DMatrix::zeros(rest.len(), rest.len()),
            CellNoise::Goe { s } => {
                (DMatrix::from_diagonal_element(rest.len(), rest.len(), square) + &rest * rest.transpose())
                    * s
            }
            CellNoise::Iid { v } => {
                let both = DMatrix::from_diagonal(&rest.map(|entry| entry * entry));
                let own = DMatrix::from_diagonal_element(rest.len(), rest.len(), square);
                (own + &rest * rest.transpose() - both) * v
            }
            _ => return None,
        };
        let sampling = &self.unscale * solution.factor.inverse() * self.unscale.transpose() * (sigma * sigma);
        let noise = &solution.response * noise * solution.response.transpose();
        Some((sampling + noise) * (term.scale * term.scale))
    }

    /// Returns the variance of one coefficient from the noise alone, per squared unit of the outcome's scale: row j of
    /// M (A + Λ)⁻¹ T, times Cov(E r), times itself. With v the cells' variances, Cov(E r)_jj = Σ_l v_jl r_l² and
    /// Cov(E r)_jk = v_jk r_j r_k; GOE noise makes that s (|r|² I + r r′), `iid` noise v (|r|² I + r r′ − diag(r²)).
    ///
    /// Where the whole matrix M was drawn, a Wishart or inverse Wishart law has Var(u′ E r) = ((u′Mu)(r′Mr) + (u′Mr)²) / f
    /// with f the pivot's degrees of freedom. Without a further ridge u′Mr is 0, and this is the squared standard error of
    /// the exact t pivot, RSS [M_uu⁻¹]_jj / f (theory/wishart 5.1). `drawn` is r′Mr.
    fn noise_variance(
        &self,
        solution: &Solution,
        row: usize,
        rest: &DVector<f64>,
        outcome: usize,
        drawn: f64,
    ) -> f64 {
        let response = solution.response.row(row);
        let along = response.transpose().dot(rest);
        let square = rest.norm_squared() + 1.0;
        match self.moments.noise() {
            _ if is_active(Mutant::NaiveStandardError) => 0.0,
            CellNoise::None => 0.0,
            CellNoise::Cross { .. } if outcome < self.moments.matrix().nrows() => 0.0,
            CellNoise::Cross { v } => {
                let mut whole = RowDVector::zeros(self.moments.matrix().nrows());
                self.support.iter().zip(response.iter()).for_each(|(&at, entry)| whole[at] = *entry);
                v * self.moments.through_map(whole).norm_squared()
            }
            CellNoise::Sides { shape, features, cross } => {
                let both: f64 = match shape {
                    Shape::Goe => 0.0,
                    Shape::Iid => response.iter().zip(rest.iter()).map(|(b, r)| (b * r) * (b * r)).sum(),
                };
                let own = rest.norm_squared() * response.norm_squared() + along * along - both;
                features * own + cross * response.norm_squared()
            }
            CellNoise::Goe { s } => s * (square * response.norm_squared() + along * along),
            CellNoise::Iid { v } => {
                let both: f64 = response.iter().zip(rest.iter()).map(|(b, r)| (b * r) * (b * r)).sum();
                v * (square * response.norm_squared() + along * along - both)
            }
            law @ (CellNoise::Projection { .. } | CellNoise::Posterior { .. }) => {
                let Some(freedom) = law.pivot_freedom(self.names.len()) else { return f64::INFINITY };
                let (mut own, mut across) = (0.0, 0.0);
                for (left, &at) in response.iter().zip(&self.support) {
                    let columns = || self.support.iter().copied();
                    let turned = |vector: &mut dyn Iterator<Item = f64>| -> f64 {
                        vector.zip(columns()).map(|(entry, column)| entry * self.cell(at, column)).sum()
                    };
                    own += left * turned(&mut response.iter().copied());
                    across += left * (turned(&mut rest.iter().copied()) + self.cell(at, outcome));
                }
                (own * drawn + across * across) / freedom
            }
        }
    }

    /// Returns a released sum of products; 0 where there is none, which only [`Self::residual_sum`] asks for.
    fn cell(&self, row: usize, column: usize) -> f64 {
        self.moments.cell(row, column).unwrap_or(0.0)
    }

    /// Returns r′ M r over the support and the outcome; it has no meaning where the outcome's square was not released.
    fn residual_sum(&self, outcome: usize, rest: &DVector<f64>) -> f64 {
        let pairs = || self.support.iter().zip(rest.iter());
        self.cell(outcome, outcome)
            + pairs().fold(0.0, |sum, (&row, left)| {
                let inner: f64 = pairs().map(|(&column, right)| self.cell(row, column) * right).sum();
                sum + left * (inner + 2.0 * self.cell(row, outcome))
            })
    }

    /// Returns the sum of squares of an outcome about its mean, where it is above its noise.
    fn total_sum(&self, outcome: usize) -> Option<f64> {
        let noise = self.moments.noise();
        if !self.intercept || noise.is_drawn() {
            return None;
        }
        let square = self.moments.cell(outcome, outcome)?;
        let rows = self.cell(0, 0) - self.moments.ridge();
        let all = square - self.moments.ridge() - self.cell(0, outcome).powi(2) / rows;
        (rows > 0.0 && all > 0.0 && all >= 2.0 * noise.diagonal_sd(square)).then_some(all)
    }

    /// Returns T G t, the predictors' products with the outcome.
    fn cross(&self, outcome: usize, shift: f64) -> DVector<f64> {
        let coded = DVector::from_fn(self.support.len(), |i, _| {
            let row = self.support[i];
            let constant = if self.through_origin { shift * self.cell(row, 0) } else { 0.0 };
            self.cell(row, outcome) + constant
        });
        &self.transform * coded
    }

    /// Returns r = t − T′β on the support; on the outcome itself r is 1.
    fn residual_vector(&self, shift: f64, beta: &DVector<f64>) -> DVector<f64> {
        let mut rest = -(self.transform.transpose() * beta);
        if self.through_origin
            && let Some(first) = rest.get_mut(0)
        {
            *first += shift;
        }
        rest
    }

    /// Returns t's weight on the constant: an outcome measured from 0 of its own unit.
    fn shift(&self, outcome: usize) -> f64 {
        let term = &self.moments.terms()[outcome];
        match self.moments.constant() {
            Some(constant) if self.through_origin => term.centre / (term.scale * constant),
            _ => 0.0,
        }
    }

    /// Returns the expected standard errors, from noise and from sampling, if the coded `slopes` of the predictors (without the
    /// constant) and the residual variance `sigma2` were true. Empty where the moments cannot be solved.
    pub(super) fn expected_errors(&self, outcome: usize, slopes: &[f64], sigma2: f64) -> Vec<(f64, f64)> {
        let (Some(solution), Some(term)) = (&self.solution, self.moments.terms().get(outcome)) else {
            return Vec::new();
        };
        let first = self.names.len().saturating_sub(slopes.len());
        // The noise of a matrix that is drawn whole is computed from its residuals, with the outcomes assumed uncorrelated.
        let slopes = if self.moments.noise().is_drawn() { &[] } else { slopes };
        let beta = DVector::from_fn(self.names.len(), |row, _| {
            row.checked_sub(first).and_then(|row| slopes.get(row)).copied().unwrap_or(0.0)
        });
        let rest = self.residual_vector(self.shift(outcome), &beta);
        let drawn = self.residual_sum(outcome, &rest);
        let each = (0..self.names.len()).map(|row| {
            let noise = self.noise_variance(solution, row, &rest, outcome, drawn).sqrt() * term.scale;
            (noise, (sigma2 * solution.sampling[row].max(0.0)).sqrt() * term.scale)
        });
        each.collect()
    }

    /// Converts coded coefficients to the columns' own units, the intercept's shift by the outcome's centre included.
    pub(super) fn own_units(&self, outcome: usize, beta: &DVector<f64>) -> Vec<f64> {
        let term = &self.moments.terms()[outcome];
        let own = &self.unscale * beta * term.scale;
        let mut own: Vec<f64> = own.iter().copied().collect();
        if self.intercept
            && let Some(first) = own.first_mut()
        {
            *first += term.centre;
        }
        own
    }

    /// Returns the public minimum of a residual variance: that of rounding to the grid, 1/12 of a step squared, at the finest
    /// grid that a plan may have (2⁻²⁴ of R). 0 without noise, where nothing has to be bounded away from it.
    fn least_variance(&self) -> f64 {
        if self.moments.noise() == CellNoise::None { 0.0 } else { libm::ldexp(1.0 / 12.0, -48) }
    }
}
