//! Finds what in a release does not follow from its own numbers.
//!
//! A release without a contradiction is not proved to be genuine: a forger who recomputes every number is not detected.

use serde_json::Value;

use super::refit::refit;
use crate::inference::options::Repair;
use crate::inference::refit::{Request, own_ridge};
use crate::mechanisms::find;
use crate::model::{Coefficient, INTERCEPT};
use crate::plan::document::Calibration;
use crate::privacy::convert::gdp_delta;
use crate::privacy::measure::{Delta, Epsilon, Mu};
use crate::release::Release;
use crate::release::document::{Coefficients, Privacy};
use crate::text::one_line;
use crate::words;

/// The most outcomes and coefficients of a release for which the regressions are recomputed.
const MOST_OUTCOMES: usize = 20;
const MOST_COEFFICIENTS: usize = 200;

/// Relative difference of two numbers that are the same: a release of an idealised mechanism has six digits.
const SAME: f64 = 1e-5;

/// Standard errors by which a coefficient may be off that was computed in another order, or by another version.
const NEAR: f64 = 0.01;

/// Share by which a guarantee may be below what was asked for, because noise comes in steps.
const ROUNDING: f64 = 0.01;

/// Returns what contradicts the rest of the file.
pub fn contradiction(release: &Release) -> Option<String> {
    let found = of_privacy(&release.privacy).or_else(|| of_plan(release)).or_else(|| {
        let Coefficients::List(list) = &release.coefficients else { return None };
        list.iter().find_map(of_entry).or_else(|| of_sums(release, list))
    });
    found.map(words::error::altered)
}

/// Returns what contradicts the guarantee: ε, δ, μ and ρ have to be consistent.
fn of_privacy(privacy: &Privacy) -> Option<String> {
    let mu = privacy.mu?;
    let rho_fits = privacy.rho.is_none_or(|rho| same(rho, mu * mu / 2.0));
    let fits = |epsilon, delta| {
        let (mu, epsilon, stated) =
            (Mu::try_new(mu).ok()?, Epsilon::try_new(epsilon).ok()?, Delta::try_new(delta).ok()?);
        Some(gdp_delta(epsilon, mu).get() <= stated.get() * (1.0 + 1e-3))
    };
    let stated = privacy.epsilon.zip(privacy.delta);
    let pair_fits = stated.is_none_or(|(epsilon, delta)| fits(epsilon, delta) == Some(true));
    (!(rho_fits && pair_fits)).then(|| words::error::altered_privacy().to_owned())
}

/// Returns where the guarantee differs from the plan. Both need the same neighbours, and the guarantee's μ or ε must not be
/// smaller than the plan asked for. Two exceptions: estimated bounds were charged before, and the scale of a paper has its actual
/// cost.
fn of_plan(release: &Release) -> Option<String> {
    let (plan, privacy) = (&release.plan, &release.privacy);
    let budget = &plan.budget;
    let asked = budget.mu.or_else(|| Some((2.0 * budget.rho?).sqrt()));
    let is_less = |(asked, stated): (f64, f64)| stated < asked * (1.0 - ROUNDING);
    let is_whole =
        release.estimated_bounds.is_none() && plan.mechanism.calibration != Some(Calibration::Paper);
    let pairs = [asked.zip(privacy.mu), budget.epsilon.zip(privacy.epsilon)];
    let is_less = is_whole && pairs.into_iter().flatten().any(is_less);
    (is_less || plan.adjacency != privacy.adjacency).then(|| words::error::altered_plan().to_owned())
}

/// Returns what is impossible in a coefficient: a negative standard error, an interval that ends before it begins, or a share
/// outside 0 to 1.
fn of_entry(entry: &Coefficient) -> Option<String> {
    let possible = entry.std_error.is_none_or(|error| error >= 0.0)
        && entry.lower.zip(entry.upper).is_none_or(|(lower, upper)| lower <= upper)
        && entry.noise_share.is_none_or(|share| (0.0..=1.0).contains(&share));
    (!possible).then(|| altered(entry))
}

/// Returns which coefficients do not follow from the sums in the same file.
fn of_sums(release: &Release, list: &[Coefficient]) -> Option<String> {
    let moments = release.moments.as_ref()?;
    if release.demo.is_none() && moments.noise.is_none() {
        return Some(words::error::altered_noise().to_owned());
    }
    let from_sums = find(&release.plan.mechanism.name).is_some_and(|info| info.from_sums);
    if !from_sums || list.len() > MOST_COEFFICIENTS {
        return None;
    }
    let named = release.plan.mechanism.params.get("repair").and_then(Value::as_str);
    let repair: Repair = named.and_then(|name| name.parse().ok()).unwrap_or_default();
    list.chunk_by(|a, b| a.outcome == b.outcome).take(MOST_OUTCOMES).find_map(|entries| {
        let outcome = &entries.first()?.outcome;
        let terms = entries.iter().map(|entry| entry.term.clone());
        let features: Vec<String> = terms.filter(|term| term != INTERCEPT).collect();
        let request = Request {
            outcome,
            features: &features,
            ridge: own_ridge(release),
            repair,
            confidence: release.plan.interval_level(),
        };
        let again = refit(release, &request).ok()?;
        let rows = [&release.diagnostics, &again.diagnostics].map(|diagnostics| diagnostics.rows);
        if let [Some(own), Some(again)] = rows
            && !same(own, again)
        {
            return Some(words::error::altered_rows().to_owned());
        }
        let Coefficients::List(again) = again.coefficients else { return None };
        entries
            .iter()
            .zip(&again)
            .find(|(entry, again)| !agree(entry, again))
            .map(|(entry, _)| altered(entry))
    })
}

fn agree(entry: &Coefficient, again: &Coefficient) -> bool {
    let numbers = |entry: &Coefficient| [entry.estimate, entry.std_error, entry.lower, entry.upper];
    let near = entry.std_error.unwrap_or_default() * NEAR;
    numbers(entry).into_iter().zip(numbers(again)).all(|numbers| match numbers {
        (Some(own), Some(again)) => same(own, again) || (own - again).abs() <= near,
        (own, again) => own.is_none() == again.is_none(),
    })
}

fn same(one: f64, two: f64) -> bool {
    (one - two).abs() <= SAME * one.abs().max(two.abs())
}

fn altered(entry: &Coefficient) -> String {
    words::error::altered_coefficient(one_line(&entry.term), one_line(&entry.outcome))
}
