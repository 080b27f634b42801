//! Regressions from noisy Newton steps: coefficients in own units, with their errors from the last step's noise and from sampling.
//!
//! The last step solves (H + G + Λ) m = −(g + γ + Λ b) for its move m, with noise G on the curvature and γ on the gradient. So
//! b + m is exactly the end of the step without noise, less (H + Λ)⁻¹ (γ + G m). The distance of that end from the estimate is of
//! the order of the square of the step before's. Let K = (H + Λ)⁻¹ be as released. The covariance of the noise is then K (σ_g²
//! I + σ_o² (|m|² I + m m′) + (σ_d² − 2 σ_o²) diag(m²)) K, with σ_d on the diagonal of G and σ_o off it (theory/inference 4.4;
//! theory/public-moments 2.5, in which the first step is the only one). The sampling covariance of a logistic regression is K
//! (K⁻¹ − Λ) K; rows with a weight below 1 make it smaller than that.

use nalgebra::{DMatrix, DVector};
use serde::{Deserialize, Serialize};

use super::design::{NORMAL_FROM, WITHHELD_BELOW};
use super::notes::approximate;
use crate::data::encode::Geometry;
use crate::inference::report::RegressionTerms;
use crate::math::linalg::Eigen;
use crate::math::special::normal_quantile;
use crate::model::note::NAMED;
use crate::model::{Estimate, INTERCEPT, Interval};
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::document::{Coefficients, Diagnostics, LONG_FORM_OUTCOMES, OutcomeDiagnostics};
use crate::words;

/// Standard deviations of its noise that the last step may move before the steps count as not settled.
const UNSETTLED_FROM: f64 = 4.0;

/// Without noise: how far the last step may move, of the coefficients' own size.
const EXACTLY_SETTLED: f64 = 1e-6;

/// What the coefficients are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Link {
    /// The log-odds.
    Logit,
    /// The outcome itself.
    Identity,
}

/// The state of one outcome after its last step, in the steps' units.
#[derive(Clone, Debug, PartialEq)]
pub struct NewtonStep {
    /// b after it.
    pub coefficients: DVector<f64>,
    /// m, what it added to b.
    pub moved: DVector<f64>,
    /// H + Λ as it was inverted, noisy, eigenvalues raised.
    pub curvature: DMatrix<f64>,
    /// Its smallest eigenvalue before that.
    pub least: f64,
    /// Whether b was shortened to its radius after it.
    pub shortened: bool,
}

/// What all outcomes share; public.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// A with x = A v, v in own units with the constant.
    pub map: &'a DMatrix<f64>,
    /// Λ.
    pub penalty: &'a DMatrix<f64>,
    /// Standard deviations of the noise: on the curvature's diagonal, off it, on the gradient.
    pub deviations: [f64; 3],
    /// The spectral norm of the curvature's noise.
    pub norm: f64,
    /// What the coefficients are on.
    pub link: Link,
    /// Codes of an outcome in one unit of the steps.
    pub outcome_codes: f64,
    /// Level of the intervals.
    pub confidence: f64,
    /// Whether records were shortened by public moments.
    pub guided: bool,
}

/// Share of a coefficient that a penalty may take before a note names it.
const SHRUNK_FROM: f64 = 0.1;

struct Fit {
    entries: Vec<Estimate>,
    /// Share of each coefficient that the penalty takes.
    shrunk: Vec<f64>,
    unsettled: bool,
    shortened: bool,
    finite: bool,
    ratio: Option<f64>,
}

/// Writes the regressions in the release's form.
pub fn report(
    geometry: &Geometry,
    layout: &RegressionTerms,
    setting: &Setting<'_>,
    steps: &[NewtonStep],
) -> (Coefficients, Diagnostics) {
    let names: Vec<String> =
        geometry.terms.iter().take(setting.map.nrows()).map(|term| term.name.clone()).collect();
    let fits: Vec<Fit> = layout
        .outcomes
        .iter()
        .zip(steps)
        .map(|((_, outcome), step)| {
            let term = geometry.terms.get(*outcome);
            let (centre, scale) = match setting.link {
                Link::Logit => (0.0, 1.0),
                Link::Identity => {
                    term.map_or((0.0, 1.0), |term| (term.centre, term.scale * setting.outcome_codes))
                }
            };
            let intercept = names.first().is_some_and(|name| name == INTERCEPT);
            fit(setting, step, if intercept { centre } else { 0.0 }, scale)
        })
        .collect();
    let entries: Vec<Vec<Estimate>> = fits.iter().map(|fit| fit.entries.clone()).collect();
    let outcomes = layout.outcomes.iter().map(|(name, _)| name.clone()).collect();
    let coefficients = Coefficients::of(outcomes, names.clone(), &entries);
    let ratio = fits.iter().filter_map(|fit| fit.ratio).reduce(f64::min);
    let outcomes = layout.outcomes.iter().filter(|_| layout.outcomes.len() <= LONG_FORM_OUTCOMES);
    let diagnostics = Diagnostics {
        signal_to_noise: ratio,
        repair: ratio.is_some_and(|ratio| ratio < 1.0).then(|| "floor".to_owned()),
        outcomes: outcomes.map(|(outcome, _)| OutcomeDiagnostics::unknown(outcome)).collect(),
        notes: noted(setting, &names, &fits),
        ..Diagnostics::default()
    };
    (coefficients, diagnostics)
}

fn fit(setting: &Setting<'_>, step: &NewtonStep, centre: f64, scale: f64) -> Fit {
    let noisy = setting.norm > 0.0;
    let ratio = noisy.then(|| step.least / setting.norm);
    let back = setting.map.transpose() * scale;
    let mut own = &back * &step.coefficients;
    if let Some(first) = own.iter_mut().next() {
        *first += centre;
    }
    let finite = own.iter().all(|estimate| estimate.is_finite());
    let inverse = Eigen::try_new(&step.curvature).ok().map(|eigen| eigen.map(|value| 1.0 / value));
    let Some(inverse) = inverse.filter(|inverse| finite && inverse.iter().all(|cell| cell.is_finite()))
    else {
        let (entries, shrunk) = (vec![Estimate::WITHHELD; own.len()], Vec::new());
        return Fit { entries, shrunk, unsettled: false, shortened: false, finite: false, ratio };
    };
    let noise = &inverse * noise_of_step(setting.deviations, &step.moved) * &inverse;
    let sampling = match setting.link {
        Link::Logit => &inverse * (&step.curvature - setting.penalty) * &inverse,
        Link::Identity => DMatrix::zeros(own.len(), own.len()),
    };
    let unsettled = if noisy {
        step.moved.norm() > UNSETTLED_FROM * (2.0 * noise.trace().max(0.0)).sqrt()
    } else {
        step.moved.amax() > EXACTLY_SETTLED * step.coefficients.amax().max(1.0)
    };
    let interval = match ratio {
        _ if unsettled || step.shortened => Interval::Withheld,
        _ if !noisy && setting.link == Link::Identity => Interval::Withheld,
        Some(ratio) if ratio < WITHHELD_BELOW => Interval::Withheld,
        Some(ratio) if ratio < NORMAL_FROM => Interval::Approximate,
        // They leave out the sampling error.
        _ if setting.link == Link::Identity => Interval::Approximate,
        _ => Interval::Normal,
    };
    let variance = |matrix: &DMatrix<f64>, row: usize| {
        let weights = back.row(row);
        (weights * matrix * weights.transpose())[(0, 0)].max(0.0)
    };
    let quantile = normal_quantile(f64::midpoint(1.0, setting.confidence));
    let entries = own.iter().enumerate().map(|(row, &estimate)| {
        let noise = if is_active(Mutant::NaiveStandardError) { 0.0 } else { variance(&noise, row) };
        let total = noise + variance(&sampling, row);
        let error = total.sqrt();
        let known = (interval != Interval::Withheld).then_some(());
        Estimate {
            estimate: Some(estimate),
            std_error: known.map(|()| error),
            lower: known.map(|()| estimate - quantile * error),
            upper: known.map(|()| estimate + quantile * error),
            noise_share: known.map(|()| if total > 0.0 { noise / total } else { 0.0 }),
            interval,
        }
    });
    Fit {
        entries: entries.collect(),
        shrunk: shrunk(setting, &inverse),
        unsettled,
        shortened: step.shortened,
        finite,
        ratio,
    }
}

/// Returns the share by which the penalty shrinks each coefficient in own units: β̂ = U b with U = A′ estimates U K (K⁻¹ − Λ) U⁻¹ β, so
/// the diagonal of
/// U K Λ U⁻¹. Empty where the map has no inverse.
fn shrunk(setting: &Setting<'_>, inverse: &DMatrix<f64>) -> Vec<f64> {
    let back = setting.map.transpose();
    let Some(forth) = back.clone().try_inverse() else { return Vec::new() };
    let taken = back * inverse * setting.penalty * forth;
    taken.diagonal().iter().copied().collect()
}

/// Returns Cov(γ + G m).
fn noise_of_step([diagonal, off, gradient]: [f64; 3], moved: &DVector<f64>) -> DMatrix<f64> {
    let off = off * off;
    let own = DVector::from_fn(moved.len(), |row, _| {
        gradient * gradient
            + off * moved.norm_squared()
            + (diagonal * diagonal - 2.0 * off) * moved[row].powi(2)
    });
    moved * moved.transpose() * off + DMatrix::from_diagonal(&own)
}

/// Returns what a reader has to know of the steps.
fn noted(setting: &Setting<'_>, names: &[String], fits: &[Fit]) -> Vec<String> {
    let mut notes = vec![if setting.link == Link::Logit {
        words::note::log_odds().into()
    } else {
        words::note::noise_alone().into()
    }];
    if setting.penalty.iter().any(|cell| *cell != 0.0) {
        notes.push(words::note::own_unit_penalty().into());
    }
    let most = |term: usize| fits.iter().filter_map(|fit| fit.shrunk.get(term)).copied().fold(0.0, f64::max);
    let mut heavy: Vec<(String, f64)> =
        names.iter().enumerate().map(|(term, name)| (name.clone(), most(term))).collect();
    heavy.retain(|(_, share)| *share > SHRUNK_FROM);
    if !heavy.is_empty() {
        let others = heavy.len().saturating_sub(NAMED);
        heavy.truncate(NAMED);
        let one = |(name, share): &(String, f64)| {
            words::note::heavy_penalty_term(name, format_args!("{:.0}", 100.0 * share))
        };
        let named = heavy.iter().map(one).collect::<Vec<_>>().join(", ");
        notes.push(words::note::heavy_penalty(if others > 0 {
            words::note::list_more(named, others)
        } else {
            named
        }));
    }
    if fits.iter().any(|fit| !fit.finite) {
        notes.push(words::note::diverged().into());
    }
    if fits.iter().any(|fit| fit.shortened) {
        notes.push(words::note::radius_reached().into());
    }
    if fits.iter().any(|fit| fit.unsettled) {
        notes.push(words::note::not_settled().into());
    }
    let ratios = || fits.iter().filter_map(|fit| fit.ratio);
    let least = ratios().filter(|ratio| *ratio >= WITHHELD_BELOW).reduce(f64::min);
    notes.extend(least.and_then(|ratio| approximate(ratio, false)));
    if ratios().any(|ratio| ratio < WITHHELD_BELOW) {
        notes.push(words::note::curvature_drowned().into());
    }
    notes.push(if setting.guided {
        words::note::clipped_by_public_moments().into()
    } else {
        words::note::clipped().into()
    });
    notes
}
