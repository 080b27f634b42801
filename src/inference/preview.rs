//! Forecasts the uncertainty of a release from public numbers alone, before anything is spent.
//!
//! Assumptions: a number has the mean and the standard deviation that the plan calls typical, else it is centred in its bounds
//! with a standard deviation of a sixth of its range; levels have the share that the plan calls typical, else are equally
//! frequent; any two numbers among the predictors have the correlation that the plan calls typical, else 0.3; a predictor's
//! plausible effect is 0.3 standard deviations of the outcome per standard deviation of its own, less where many predictors would
//! then explain more than half of the outcome. Bounds from domain knowledge are wider than the data and predictors go together,
//! so the verdict and its advice come from a cautious picture: a tenth of the range, and a correlation of 0.4 between any two
//! numbers among the predictors where the plan states none. The two together are a range, not a promise.

use nalgebra::DMatrix;
use serde::{Deserialize, Serialize};

use super::assumptions::{Assumption, CAUTIOUS, USUAL, effect};
use super::cell_noise::{CellNoise, MomentsError};
use super::debiasing::Debiasing;
use super::design::{Design, FitError, NORMAL_FROM, WITHHELD_BELOW};
use super::joint::Joint;
use super::moments::{MomentTerm, NoisyMoments, geometry_terms, radius_of};
use super::options::{Options, Ridge};
use crate::data::encode::Geometry;
use crate::inference::report::RegressionTerms;
use crate::math::round::real;
use crate::model::{Contrast, Layout, NoiseLaw, Role, Typical};
use crate::plan::Plan;
use crate::plan::bound::{BoundColumn, BoundPlan, Kind, Whitening};

/// Returns the place of the first coordinate of each category whose levels are the corners of a simplex, with the means and the covariance
/// of its coordinates over R.
fn corners(geometry: &Geometry, bound: &BoundPlan) -> Vec<(usize, Vec<f64>, DMatrix<f64>)> {
    let of = |(first, contrast): &(usize, Contrast)| {
        let column = bound.columns.get(geometry.terms.get(*first)?.column?)?;
        let Kind::Category { levels, reference, .. } = &column.kind else { return None };
        let shares: Vec<f64> = (0..levels.len())
            .filter(|level| level != reference)
            .chain([*reference])
            .map(|level| column.share(level))
            .collect();
        let code =
            |level, coordinate| f64::from(contrast.code(level, coordinate)) / f64::from(bound.grid.radius);
        let mean = |of: &dyn Fn(usize) -> f64| -> f64 {
            shares.iter().enumerate().map(|(level, share)| share * of(level)).sum()
        };
        let size = contrast.coordinates();
        let means: Vec<f64> = (0..size).map(|own| mean(&|level| code(level, own))).collect();
        let covariance = DMatrix::from_fn(size, size, |i, j| {
            mean(&|level| code(level, i) * code(level, j)) - means[i] * means[j]
        });
        Some((*first, means, covariance))
    };
    geometry.contrasts.iter().filter_map(of).collect()
}

/// Half of a 95 % interval, in standard errors.
pub(super) const HALF: f64 = 1.96;

/// Outcomes whose terms a preview has: thousands are alike but for their bounds.
pub const OUTCOMES: usize = 50;

/// The forecast for a release.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// Expected ratio of signal to noise under the usual picture; infinite without noise.
    pub signal_to_noise: f64,
    /// The same quantity under the cautious picture.
    pub cautious_signal_to_noise: f64,
    /// What follows from the cautious one, as all below but `terms`.
    pub verdict: Verdict,
    /// Rows from which intervals are full without a ridge, the budget kept.
    pub rows_needed: u64,
    /// Factor on the budget's μ from which intervals are full without a ridge, the rows kept; at most 1 where they are already.
    pub budget_factor: f64,
    /// Most feature columns of this plan, in its order, that would give full intervals; 0 where not even one does, and where they
    /// are whitened together.
    pub features_that_fit: usize,
    /// Whether nothing but a projection of the noisy sums takes the intervals.
    pub projected: bool,
    /// One entry per outcome and term, in the coefficients' order, under the usual picture; of the first [`OUTCOMES`] outcomes.
    pub terms: Vec<TermPreview>,
    /// What follows, in sentences that `engine::foresee::expected` writes; empty before.
    pub advice: String,
}

/// Whether intervals are to be expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// Full intervals.
    Clear,
    /// Approximate intervals.
    Approximate,
    /// Intervals that are too wide to be of use: half of the narrowest one, in plausible effects of its coefficient.
    TooWide(f64),
    /// None.
    Withheld,
}

/// One coefficient's expected uncertainty, in its own unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TermPreview {
    /// The outcome's column.
    pub outcome: String,
    /// The term.
    pub term: String,
    /// Standard error from privacy noise.
    pub noise_std_error: f64,
    /// Standard error from sampling.
    pub sampling_std_error: f64,
    /// A plausible size of the coefficient, shrunk as it will be; 0 for the intercept, which has none.
    pub plausible_effect: f64,
    /// Share of the variance that is privacy noise.
    pub noise_share: f64,
    /// Share by which the coefficient is shrunk towards 0: by a ridge, the mechanism's own or one that was asked for.
    pub shrinkage: f64,
}

/// The largest half width of an interval that is listed, in plausible effects. If it is larger, the coefficient is determined by
/// others.
const MOST_EFFECTS: f64 = 1e5;

impl TermPreview {
    /// Returns whether its width is listed.
    pub fn is_told(&self) -> bool {
        let effect = self.plausible_effect.abs();
        effect > 0.0 && self.half() < MOST_EFFECTS * effect
    }

    /// Returns half of a 95 % interval that covers the noise alone.
    pub fn noise_half(&self) -> f64 {
        HALF * self.noise_std_error
    }

    /// Returns half of a 95 % interval that covers sampling too.
    pub fn half(&self) -> f64 {
        HALF * self.noise_std_error.hypot(self.sampling_std_error)
    }
}

/// What a mechanism does to the moments, from public numbers alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// The noise.
    pub noise: CellNoise,
    /// The ridge that stays in them, in units of R².
    pub ridge: f64,
    /// Which moments are released.
    pub layout: Layout,
}

impl Expected {
    /// Computes what follows from a law under a plan with a geometry. Where the ridge depends on the table, it is the most that it can
    /// be.
    ///
    /// # Errors
    /// [`MomentsError`] for a law with numbers out of range.
    pub fn of(
        law: &NoiseLaw,
        plan: &Plan,
        geometry: &Geometry,
        layout: Layout,
    ) -> Result<Self, MomentsError> {
        let debiasing = Debiasing::new(law, geometry.terms.len(), radius_of(plan)?, plan)?;
        let taken_off = debiasing.shifts.first().copied().unwrap_or(0.0);
        Ok(Self { noise: debiasing.noise, ridge: debiasing.ridge - taken_off, layout })
    }
}

/// Computes the expected uncertainty of a plan's regressions on `rows` rows.
///
/// # Errors
/// [`FitError`] when the plan has no regression, such as an intercept without a constant.
pub fn preview(
    geometry: &Geometry,
    bound: &BoundPlan,
    expected: Expected,
    rows: u64,
    intercept: bool,
    options: Options,
) -> Result<Preview, FitError> {
    let layout = RegressionTerms::new(bound, geometry);
    let outcomes: Vec<usize> = layout.outcomes.iter().map(|(_, index)| *index).collect();
    let picture = Picture::new(geometry, bound, &layout, USUAL);
    let moments = picture.moments(rows, expected)?;
    let options = Options { rows: Some(rows), ..options };
    let design = Design::try_new(&moments, &layout.predictors, &outcomes, intercept, options)?;
    let signal_to_noise = design.signal_to_noise().unwrap_or(f64::INFINITY);
    let moments_of_cautious = Picture::new(geometry, bound, &layout, CAUTIOUS).moments(rows, expected)?;
    let cautious =
        Design::ratio_alone(&moments_of_cautious, &layout.predictors, &outcomes, intercept, options)?;
    let cautious_signal_to_noise = cautious.unwrap_or(f64::INFINITY);
    let terms = picture.terms(&design, &layout);
    let verdict = match (cautious_signal_to_noise, narrowest(&terms)) {
        (ratio, _) if ratio < WITHHELD_BELOW => Verdict::Withheld,
        (_, Some(narrowest)) if narrowest >= TOO_WIDE => Verdict::TooWide(narrowest),
        (ratio, _) if ratio < NORMAL_FROM => Verdict::Approximate,
        _ => Verdict::Clear,
    };
    // With a ridge all intervals are full, but for coefficients that it drew towards 0. So the advice is for a fit without a
    // ridge.
    let plain = match options.ridge {
        Ridge::None => cautious,
        _ => Design::ratio_alone(
            &moments_of_cautious,
            &layout.predictors,
            &outcomes,
            intercept,
            Options { ridge: Ridge::None, ..options },
        )?,
    };
    let budget_factor = NORMAL_FROM / plain.unwrap_or(f64::INFINITY);
    let features_that_fit = if verdict == Verdict::Clear && options.ridge == Ridge::None {
        bound.columns.iter().filter(|column| column.role == Role::Feature).count()
    } else {
        features_that_fit(bound, expected, rows, intercept)
    };
    Ok(Preview {
        signal_to_noise,
        cautious_signal_to_noise,
        verdict,
        rows_needed: scaled_rows(rows, budget_factor),
        budget_factor,
        features_that_fit,
        projected: false,
        terms,
        advice: String::new(),
    })
}

/// Returns the mean and the standard deviation of a column's code over R, and the share of its level; 0 of a number.
fn of_code(
    term: &MomentTerm,
    column: &BoundColumn,
    level: Option<usize>,
    assumed: Assumption,
) -> (f64, f64, f64) {
    match (&column.kind, column.typical) {
        (Kind::Number { lower, upper }, None) => (0.0, term.reach * assumed.spread(*lower, *upper), 0.0),
        (Kind::Number { .. }, Some(Typical { mean, sd })) => {
            let middle = mean.map_or(0.0, |mean| (mean - term.centre) / term.scale);
            (middle, sd / term.scale, 0.0)
        }
        (Kind::Category { reference, .. }, _) => {
            let share = level.map_or_else(|| 1.0 - column.share(*reference), |level| column.share(level));
            let spread = (share * (1.0 - share)).sqrt();
            ((share - term.centre) / term.scale, spread / term.scale, share / term.scale)
        }
    }
}

/// The assumed first and second moments of one record.
pub(super) struct Picture {
    terms: Vec<MomentTerm>,
    /// Of each code over R.
    mean: Vec<f64>,
    /// Standard deviation of each code over R.
    sd: Vec<f64>,
    /// Share of each level, in codes over R; 0 of a number.
    share: Vec<f64>,
    /// The plan's column of each coordinate.
    column: Vec<Option<usize>>,
    /// Coded slope of each predictor on an outcome of standard deviation 1.
    slope: Vec<f64>,
    /// Whether a coordinate is a number among the predictors.
    related: Vec<bool>,
    /// Their correlation.
    correlation: f64,
    /// The correlations of the predictors where some are derived, and the place of the first of them.
    joint: Option<(usize, DMatrix<f64>)>,
    /// The public map of the features, whose own second moment is then 1 in every direction.
    whitening: Option<Whitening>,
    /// The covariance of the coordinates of each category whose levels are the corners of a simplex, and the place of the first.
    corners: Vec<(usize, DMatrix<f64>)>,
    /// The same categories.
    contrasts: Vec<(usize, Contrast)>,
    /// R.
    radius: u32,
}

impl Picture {
    pub(super) fn new(
        geometry: &Geometry,
        bound: &BoundPlan,
        layout: &RegressionTerms,
        assumed: Assumption,
    ) -> Self {
        let terms = geometry_terms(geometry, bound.grid.radius);
        let column: Vec<Option<usize>> = geometry.terms.iter().map(|term| term.column).collect();
        let (mut mean, mut sd, mut shares) = (Vec::new(), Vec::new(), Vec::new());
        for (term, own) in terms.iter().zip(&geometry.terms) {
            let column = own.column.and_then(|column| bound.columns.get(column));
            let whitened =
                bound.whitening.is_some() && column.is_none_or(|column| column.role == Role::Feature);
            let (middle, spread, share) = match column {
                _ if whitened => (0.0, 1.0 / term.scale, 0.0),
                None => (term.reach, 0.0, 0.0),
                Some(column) => of_code(term, column, own.level, assumed),
            };
            mean.push(middle);
            sd.push(spread);
            shares.push(share);
        }
        let corners = corners(geometry, bound);
        for (place, means, covariance) in &corners {
            for (coordinate, own) in means.iter().enumerate() {
                mean[place + coordinate] = *own;
                sd[place + coordinate] = covariance[(coordinate, coordinate)].sqrt();
            }
        }
        let joint = Joint::new(bound, assumed).map(|mut joint| {
            let first = usize::from(!terms.is_empty() && column.first().is_some_and(Option::is_none));
            for (place, contrast) in &geometry.contrasts {
                let code = |level, coordinate| f64::from(contrast.code(level, coordinate));
                joint.recode(place.saturating_sub(first), contrast.coordinates(), code);
            }
            for (place, (derived, middle, spread)) in joint.spreads().into_iter().enumerate() {
                let place = place + first;
                let cornered = geometry
                    .contrasts
                    .iter()
                    .any(|(first, contrast)| (*first..first + contrast.coordinates()).contains(&place));
                if !derived {
                    continue;
                }
                let radius = f64::from(bound.grid.radius);
                let (centre, scale) =
                    if cornered { (0.0, radius) } else { (terms[place].centre, terms[place].scale) };
                mean[place] = (middle - centre) / scale;
                sd[place] = spread / scale;
            }
            (first, joint.correlation())
        });
        let effect = effect(real(layout.predictors.len()));
        let slope = sd.iter().map(|sd| if *sd > 0.0 { effect / sd } else { 0.0 }).collect();
        let is_related = |term: &crate::data::encode::Term| {
            let column = term.column.and_then(|column| bound.columns.get(column));
            term.level.is_none()
                && column.is_some_and(|column| column.role == Role::Feature)
                && bound.whitening.is_none()
        };
        let related = geometry.terms.iter().map(is_related).collect();
        let whitening = bound.whitening.clone();
        Self {
            terms,
            mean,
            sd,
            share: shares,
            column,
            slope,
            related,
            correlation: assumed.stated(bound).correlation,
            joint,
            whitening,
            corners: corners.into_iter().map(|(place, _, covariance)| (place, covariance)).collect(),
            contrasts: geometry.contrasts.clone(),
            radius: bound.grid.radius,
        }
    }

    /// Returns the covariance of two codes: that of the draws where predictors are derived; else that of a multinomial within a category, the
    /// assumed one between numbers among the predictors, or 0.
    fn covariance(&self, i: usize, j: usize) -> f64 {
        if i == j {
            self.sd[i] * self.sd[i]
        } else if self.whitening.is_some() {
            0.0
        } else if let Some((first, joint)) = &self.joint {
            let place = |at: usize| at.checked_sub(*first).filter(|place| *place < joint.nrows());
            place(i).zip(place(j)).map_or(0.0, |at| joint[at] * self.sd[i] * self.sd[j])
        } else if self.column[i].is_some() && self.column[i] == self.column[j] {
            let own = |(first, covariance): &(usize, DMatrix<f64>)| {
                covariance.get((i.checked_sub(*first)?, j.checked_sub(*first)?)).copied()
            };
            self.corners.iter().find_map(own).unwrap_or(-self.share[i] * self.share[j])
        } else if self.related[i] && self.related[j] {
            self.correlation * self.sd[i] * self.sd[j]
        } else {
            0.0
        }
    }

    /// Returns the expected second moment of the first `d` codes over R.
    pub(super) fn second(&self, d: usize) -> DMatrix<f64> {
        DMatrix::from_fn(d, d, |i, j| self.mean[i] * self.mean[j] + self.covariance(i, j))
    }

    /// Returns the expected sums over `rows` records, the outcomes unrelated to the predictors: that is where sampling errors are
    /// largest.
    fn moments(&self, rows: u64, expected: Expected) -> Result<NoisyMoments, FitError> {
        let rows = real(rows);
        let size = self.terms.len();
        // The number of features may be smaller than the plan's.
        let layout = match expected.layout.outcomes() {
            0 => Layout::whole(size),
            outcomes => Layout::sides(size.saturating_sub(outcomes), outcomes, expected.layout.squares()),
        };
        let cells: Vec<f64> = layout
            .pairs()
            .map(|(i, j)| rows * (self.mean[i] * self.mean[j] + self.covariance(i, j)))
            .collect();
        let moments =
            NoisyMoments::penalised(self.terms.clone(), layout, &cells, expected.noise, expected.ridge)
                .map(|moments| moments.cornered(&self.contrasts, self.radius));
        let moments = match &self.whitening {
            None => moments,
            Some(whitening) => moments.and_then(|moments| moments.whitened(&whitening.matrix)),
        };
        moments.map_err(|_| FitError::NoPredictors)
    }

    /// Returns the standard deviations of the predictors in their own units, 0 for the constant, from the public moments M = W⁻².
    fn public_spreads(&self) -> Option<Vec<f64>> {
        let whitening = self.whitening.as_ref()?;
        let d = whitening.matrix.len().isqrt();
        let root = DMatrix::from_row_slice(d, d, &whitening.matrix).try_inverse()?;
        let second = &root * &root;
        let mean = |at: usize| if whitening.constant { second[(0, at)] } else { 0.0 };
        Some((0..d).map(|at| (second[(at, at)] - mean(at) * mean(at)).max(0.0).sqrt()).collect())
    }

    fn terms(&self, design: &Design<'_>, layout: &RegressionTerms) -> Vec<TermPreview> {
        let mut entries = Vec::new();
        let shrinkage = design.shrinkage();
        let public = self.public_spreads();
        let usual = effect(real(layout.predictors.len()));
        for (outcome, index) in layout.outcomes.iter().take(OUTCOMES) {
            let spread = self.sd[*index];
            // Where features are whitened no slope is assumed: the noise then hardly depends on it.
            let slopes: Vec<f64> = if public.is_some() {
                Vec::new()
            } else {
                layout.predictors.iter().map(|&predictor| self.slope[predictor] * spread).collect()
            };
            let errors = design.expected_errors(*index, &slopes, spread * spread);
            let first = design.names().len() - layout.predictors.len();
            for (place, (term, (noise, sampling))) in design.names().iter().zip(errors).enumerate() {
                let effect = place.checked_sub(first).map_or(0.0, |predictor| {
                    if let Some(public) = &public {
                        let own = public.get(place).copied().filter(|own| *own > 0.0);
                        return own.map_or(0.0, |own| usual * spread * self.terms[*index].scale / own);
                    }
                    let scale = self.terms[layout.predictors[predictor]].scale;
                    slopes[predictor] * self.terms[*index].scale / scale
                });
                let total = noise * noise + sampling * sampling;
                let shrinkage = shrinkage.get(place).copied().unwrap_or(0.0);
                entries.push(TermPreview {
                    outcome: outcome.clone(),
                    term: term.clone(),
                    noise_std_error: noise,
                    sampling_std_error: sampling,
                    plausible_effect: effect * (1.0 - shrinkage),
                    noise_share: if total > 0.0 { noise * noise / total } else { 0.0 },
                    shrinkage,
                });
            }
        }
        entries
    }
}

/// Returns the largest number of leading feature columns with a ratio of signal to noise of 2: the ratio falls with every column.
fn features_that_fit(bound: &BoundPlan, noise: Expected, rows: u64, intercept: bool) -> usize {
    if bound.whitening.is_some() {
        return 0;
    }
    bound.most_features(|smaller| {
        ratio_with(&smaller, noise, rows, intercept).is_some_and(|ratio| ratio >= NORMAL_FROM)
    })
}

/// Returns the expected ratio with fewer feature columns, the weights shared among them.
fn ratio_with(smaller: &BoundPlan, noise: Expected, rows: u64, intercept: bool) -> Option<f64> {
    let geometry = Geometry::new(smaller);
    let layout = RegressionTerms::new(smaller, &geometry);
    let moments = Picture::new(&geometry, smaller, &layout, CAUTIOUS).moments(rows, noise).ok()?;
    let options = Options { rows: Some(rows), ridge: Ridge::None, ..Options::default() };
    Design::ratio_alone(&moments, &layout.predictors, &[], intercept, options).ok()?
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a forecast; `as` saturates")]
fn scaled_rows(rows: u64, factor: f64) -> u64 {
    (rows as f64 * factor).ceil() as u64
}

/// Part of the most that sums can be from which their noise is expected to be projected.
const PROJECTED_FROM: f64 = 1.0;

/// The half width, in plausible effects, above which an interval is useless.
const TOO_WIDE: f64 = 4.0;

/// Returns half of the narrowest interval in plausible effects of its coefficient, which a ridge shrinks as much. `None` without
/// a coefficient that has one.
pub fn narrowest(terms: &[TermPreview]) -> Option<f64> {
    let told = terms.iter().filter(|term| term.plausible_effect.abs() > 0.0);
    told.map(|term| term.half() / term.plausible_effect.abs()).reduce(f64::min)
}

impl Preview {
    /// Withholds the intervals if the noise is so large a share of the possible sums that it will be projected.
    pub fn project(&mut self, part: f64, rows: u64) {
        if part < PROJECTED_FROM || self.verdict == Verdict::Withheld {
            return;
        }
        self.projected = true;
        self.verdict = Verdict::Withheld;
        self.budget_factor = part / PROJECTED_FROM;
        self.cautious_signal_to_noise = WITHHELD_BELOW / self.budget_factor;
        self.rows_needed = scaled_rows(rows, self.budget_factor);
    }
}
