//! The errors to expect of noisy Newton steps, from public numbers alone and before anything is spent.
//!
//! Assumptions, which are named wherever a forecast is shown: the features have the public second moment, or without one that of
//! [`preview`](super::preview)'s usual picture; nothing is shortened; every row of a logistic outcome has the same chance p, the
//! public mean of the outcome where there is one, else the typical one of the plan, else 1/2; predictors with plausible effects
//! make p (1 − p) smaller; and the last step hardly moves. So the curvature of n rows is n p (1 − p) times that second moment,
//! and n times it for a gaussian outcome. Let K be its inverse after the penalty. The noise of the last step has the covariance
//! σ_g² K², and the sampling error of a logistic outcome K (K⁻¹ − Λ) K.

use super::assumptions::{USUAL, chance};
use super::curvature::Curvature;
use super::design::{NORMAL_FROM, WITHHELD_BELOW};
use super::newton::{Link, Setting};
use super::preview::{HALF, OUTCOMES, Picture, Verdict};
use crate::data::encode::Geometry;
use crate::inference::report::RegressionTerms;
use crate::math::linalg::Eigen;
use crate::math::round::real;
use crate::model::INTERCEPT;
use crate::plan::bound::BoundPlan;
use crate::words;

/// One coefficient's expected errors, in its own unit.
#[derive(Clone, Debug, PartialEq)]
pub struct TermForecast {
    /// The outcome's column.
    pub outcome: String,
    /// The term.
    pub term: String,
    /// Standard error from the noise of the last step.
    pub noise_std_error: f64,
    /// Standard error from sampling. `None` for a gaussian outcome, because no public number states its residual spread.
    pub sampling_std_error: Option<f64>,
    /// The least eigenvalue of the outcome's curvature over the spectral norm of its noise, at most; infinite without noise.
    pub signal_to_noise: f64,
}

/// Returns whether these coefficients will have intervals, with a sentence. `None` if there are no coefficients. In between the
/// result is open, because the noise of a step can increase or decrease the curvature.
pub fn verdict(terms: &[TermForecast]) -> Option<(Verdict, &'static str)> {
    let ratios = || terms.iter().map(|term| term.signal_to_noise);
    let (least, most) = (ratios().reduce(f64::min)?, ratios().reduce(f64::max)?);
    Some(match (least, most) {
        (_, most) if most < WITHHELD_BELOW => (Verdict::Withheld, words::forecast::verdict_drowned()),
        (least, _) if least >= NORMAL_FROM => (Verdict::Clear, words::forecast::verdict_recommended()),
        _ => (Verdict::Approximate, words::forecast::verdict_uncertain()),
    })
}

impl TermForecast {
    /// Returns half of a 95 % interval that covers the noise alone.
    pub fn noise_half(&self) -> f64 {
        HALF * self.noise_std_error
    }

    /// Returns half of a 95 % interval that covers sampling too. `None` for a gaussian outcome.
    pub fn half(&self) -> Option<f64> {
        self.sampling_std_error.map(|sampling| HALF * self.noise_std_error.hypot(sampling))
    }

    /// Returns the factor that the ends of that interval put on an odds ratio. `None` for a gaussian outcome or the constant.
    pub fn odds_factor(&self) -> Option<f64> {
        self.half().filter(|_| self.term != INTERCEPT).map(libm::exp)
    }
}

/// What is publicly known of the rows.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// n.
    pub count: u64,
    /// p of each outcome, where it is publicly known.
    pub chances: &'a [Option<f64>],
    /// R of the grid in the units of the steps.
    pub radius: f64,
}

/// Returns one entry per outcome and term, in the coefficients' order, of the first [`OUTCOMES`] outcomes. `None` if there is no
/// curvature, as with a chance of 0 or 1.
pub fn forecast(
    geometry: &Geometry,
    bound: &BoundPlan,
    setting: &Setting<'_>,
    rows: Rows<'_>,
) -> Option<Vec<TermForecast>> {
    let layout = RegressionTerms::new(bound, geometry);
    let d = setting.map.nrows();
    let second = Picture::new(geometry, bound, &layout, USUAL).second(d) * rows.radius * rows.radius;
    let rows_count = real(rows.count);
    let mut entries = Vec::new();
    for (at, (outcome, index)) in layout.outcomes.iter().take(OUTCOMES).enumerate() {
        let known = rows.chances.get(at).copied().flatten();
        let own = || geometry.terms.get(*index).and_then(|term| bound.columns.get(term.column?));
        let chance = known.unwrap_or_else(|| own().map_or(0.5, chance));
        let (weight, scale) = match setting.link {
            Link::Logit => (Curvature::of(real(layout.predictors.len()), chance).mean, 1.0),
            Link::Identity => (1.0, geometry.terms.get(*index)?.scale * setting.outcome_codes),
        };
        let curvature = &second * (rows_count * weight);
        let whole = Eigen::try_new(&(&curvature + setting.penalty)).ok()?;
        if whole.smallest() <= 0.0 {
            return None;
        }
        let inverse = whole.map(|value| 1.0 / value);
        let signal_to_noise =
            if setting.norm > 0.0 { whole.smallest() / setting.norm } else { f64::INFINITY };
        let back = setting.map.transpose() * scale;
        let noise = &back * &inverse * setting.deviations[2];
        let sampling = &back * (&inverse * &curvature * &inverse) * back.transpose();
        for (row, term) in geometry.terms.iter().take(d).enumerate() {
            entries.push(TermForecast {
                outcome: outcome.clone(),
                term: term.name.clone(),
                noise_std_error: noise.row(row).norm(),
                sampling_std_error: (setting.link == Link::Logit)
                    .then(|| sampling[(row, row)].max(0.0).sqrt()),
                signal_to_noise,
            });
        }
    }
    Some(entries)
}
