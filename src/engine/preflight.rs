//! Predicts from public numbers alone whether a fit with noisy steps or public moments will be stable, and how large its errors
//! will be.

use super::prepare::Prepared;
use crate::inference::forecast::TermForecast;
use crate::inference::preflight::{Design, Preflight};
use crate::math::round::real;
use crate::plan::document::Calibration;
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::Mu;
use crate::release::format::{percent, short};
use crate::text::grouped;
use crate::words;

/// Whether a fit with public moments will be stable, and what would make it stable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// The answer.
    pub preflight: Preflight,
    /// Rows as stated.
    pub rows: u64,
    /// ε and δ of the smallest budget with these rows.
    pub promise: Option<(f64, f64)>,
}

impl Outlook {
    /// Returns the verdict in one sentence.
    pub fn verdict(&self) -> &'static str {
        match (self.preflight.is_stable(), self.preflight.is_ample()) {
            (true, true) => words::public::can_work(),
            (true, false) => words::public::just(),
            (false, _) => words::public::cannot_work(),
        }
    }

    /// Returns the verdict and what follows from it.
    pub fn sentences(&self) -> String {
        format!("{}. {}", self.verdict(), self.advice())
    }

    /// Returns what follows for the result, and what would help, in sentences with numbers.
    pub fn advice(&self) -> String {
        let count = |rows: u64| grouped(real(rows));
        let (rows, preflight) = (count(self.rows), &self.preflight);
        if preflight.is_ample() {
            return words::public::ample(rows, percent(preflight.noise));
        }
        let least = preflight.rows_needed.map(count);
        if preflight.is_stable() {
            return words::public::borderline(rows, percent(preflight.noise), least.unwrap_or_default());
        }
        let budget = match self.promise {
            Some((epsilon, delta)) => {
                let one_in = words::page::one_in(grouped(1.0 / delta));
                words::public::needed_budget(short(epsilon, 2), one_in)
            }
            None => words::privacy::price_mu(short(preflight.mu_needed, 2)),
        };
        match least {
            Some(least) => words::public::too_few_or_rows(rows, least, budget),
            None => words::public::too_few(rows, budget),
        }
    }
}

/// Returns whether a fit with public moments will be stable. `None` if [`preflight`] has no answer.
pub fn outlook(prepared: &Prepared) -> Option<Outlook> {
    let preflight = preflight(prepared)?;
    let delta = prepared.cost()?.promise.map(|(_, delta)| delta);
    let needed = Mu::try_new(preflight.mu_needed).ok().zip(delta);
    let promise = needed.and_then(|(mu, delta)| Some((gdp_epsilon(mu, delta).ok()?.get(), delta.get())));
    Some(Outlook { preflight, rows: prepared.stated_rows()?, promise })
}

/// Compares the plan's rows and budget with what the fit needs. `None` for a mechanism without public moments, for the scale of a
/// paper, or without a number of rows.
pub fn preflight(prepared: &Prepared) -> Option<Preflight> {
    let checked = prepared.checked();
    let rows = prepared.stated_rows()?;
    let mu = prepared.cost()?.mu?;
    let whitener = prepared.whitener()?;
    let params = &prepared.plan().mechanism.params;
    if checked.calibration == Calibration::Paper {
        return None;
    }
    let family = prepared.all_rounds().family(prepared.task())?;
    let design = Design {
        terms: whitener.terms.len(),
        eta: params.get("eta")?.as_f64()?,
        tight: params.get("radius_rule")?.as_str()? == "tight",
        adjacency: checked.adjacency,
        max_rows_per_person: checked.max_rows_per_person,
        family,
    };
    Some(design.ask(rows, mu))
}

/// Returns lower bounds on the standard errors of a plan's Newton steps. `None` for another mechanism, without a budget, or
/// without a number of rows. [`forecast`](crate::inference::forecast) states the assumptions.
pub fn standard_errors(prepared: &Prepared) -> Option<Vec<TermForecast>> {
    prepared.cost()?;
    prepared.all_rounds().standard_errors(prepared.task(), prepared.stated_rows()?)
}
