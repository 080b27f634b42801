//! Which mechanism suits a plan, from public numbers alone.

use serde_json::{Map, Value};

use super::foresee::{Foreseen, expected, foresee_noise};
use super::prepare::{Prepared, prepare};
use crate::inference::noise_forecast::Advice;
use crate::inference::preview::Verdict;
use crate::mechanisms::USUAL;
use crate::mechanisms::info::{self, Info, MANY_OUTCOMES};
use crate::model::Wallet;
use crate::model::note::quoted;
use crate::plan::derived::outcomes;
use crate::plan::document::{Column, Confirm, Mechanism as Named};
use crate::plan::{Plan, Purpose};
use crate::words;

/// A mechanism for a plan, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// Its name in a plan.
    pub name: &'static str,
    /// Parameters that are not its defaults.
    pub params: Map<String, Value>,
    /// Why, in a sentence or two.
    pub reason: String,
    /// Whether the rows are too few for it to give intervals of an ordinary regression.
    pub too_few: bool,
}

impl Recommendation {
    /// Returns the mechanism for a plan that is not complete: the first that forecasts its noise, for outcomes that are yes or no
    /// or for numbers.
    pub fn before_a_plan(plan: &Plan) -> Self {
        let yes_or_no = is_yes_or_no(plan);
        let mut candidates = info::all().filter(|info| info.foresees && info.labels == yes_or_no);
        let name = candidates.next().map_or(USUAL, |info| info.name);
        Self::plain(name, words::recommend::before_a_plan().to_owned())
    }

    fn plain(name: &'static str, reason: String) -> Self {
        Self { name, params: Map::new(), reason, too_few: false }
    }

    /// Returns the plan with this mechanism, but for parameters that the plan gives already.
    pub fn into_plan(self, plan: Plan) -> Plan {
        let mut params = self.params;
        params.extend(plan.mechanism.params);
        let mechanism = Named { name: self.name.to_owned(), params, calibration: plan.mechanism.calibration };
        Plan { mechanism, ..plan }
    }
}

/// Returns the mechanism for a plan, whatever mechanism it names (theory/adaptive 6.1).
pub fn recommend(plan: &Plan, names: &[String], delimiter: u8) -> Recommendation {
    let mut found = of_all_outcomes(plan, names, delimiter);
    let labels = outcomes(plan).filter(Column::is_yes_or_no).filter_map(|column| column.name);
    let labels: Vec<String> = labels.collect();
    if !labels.is_empty() && !is_yes_or_no(plan) {
        found.reason = format!("{} {}", found.reason, words::recommend::mixed(quoted(&labels)));
    }
    found
}

fn of_all_outcomes(plan: &Plan, names: &[String], delimiter: u8) -> Recommendation {
    let yes_or_no = is_yes_or_no(plan);
    let with = |name: &str| {
        let mechanism = Named { name: name.to_owned(), params: Map::new(), calibration: None };
        let mut plan = Plan { mechanism, ..plan.clone() };
        // The recommendation does not depend on whether uncertain bounds are confirmed.
        plan.confirm.push(Confirm::UncertainBounds);
        prepare(plan, names, delimiter, Purpose::Release).ok()
    };
    for info in info::all().filter(|info| info.foresees && info.labels == yes_or_no) {
        let Some(prepared) = with(info.name) else { continue };
        if prepared.stated_rows().is_none() {
            return Recommendation::plain(info.name, words::recommend::unknown_rows().to_owned());
        }
        let Some(foreseen) = foresee_noise(&prepared) else { continue };
        let advice = foreseen.forecast.advice;
        if advice != Advice::TooFew {
            return Recommendation::plain(info.name, reason(&foreseen));
        }
        if !yes_or_no && let Some(shared) = shared(plan, with) {
            return shared;
        }
        // If this mechanism gives no intervals, the coefficients of the other logistic fits are off by several standard errors
        // (docs/evidence/accuracy.md).
        if yes_or_no {
            return Recommendation::plain(info.name, words::recommend::few_labels().to_owned());
        }
        let ordinary = foreseen.help().map(words::recommend::ordinary);
        return Recommendation {
            name: USUAL,
            params: Map::from_iter([("ridge".to_owned(), Value::from("auto"))]),
            reason: [Some(words::recommend::few_rows().to_owned()), ordinary]
                .into_iter()
                .flatten()
                .collect::<Vec<_>>()
                .join(" "),
            too_few: true,
        };
    }
    if !yes_or_no && let Some(shared) = shared(plan, with) {
        return shared;
    }
    let labels = |info: &Info| info.labels && !info.public_moments && info.wallet == Wallet::Gaussian;
    if yes_or_no && let Some(info) = info::all().find(|info| labels(info) && with(info.name).is_some()) {
        return Recommendation::plain(info.name, words::recommend::binary().to_owned());
    }
    Recommendation::plain(USUAL, words::recommend::usual().to_owned())
}

/// Returns the mechanism for many outcomes that shares one noisy matrix of the features, if there are several outcomes and it
/// expects intervals.
fn shared(plan: &Plan, with: impl Fn(&str) -> Option<Prepared>) -> Option<Recommendation> {
    let many = outcomes(plan).count() > 1 || outcomes(plan).any(|column| column.pattern.is_some());
    let sharing = |info: &&Info| info.group.is_some_and(|group| group.title == MANY_OUTCOMES.title);
    let mut candidates = info::all().filter(sharing).filter(|_| many);
    let (info, prepared) = candidates.find_map(|info| Some((info, with(info.name)?)))?;
    let expected = expected(&prepared)?;
    // If a projection would withhold this mechanism's intervals, the other mechanisms have even less signal.
    (expected.verdict != Verdict::Withheld || expected.projected)
        .then(|| Recommendation::plain(info.name, words::recommend::shared().to_owned()))
}

fn reason(foreseen: &Foreseen) -> String {
    let reason = match foreseen.forecast.advice {
        Advice::Recommended | Advice::Approximate => words::recommend::least_noise(),
        Advice::Uncertain | Advice::TooFew => words::recommend::least_noise_few(),
    };
    reason.to_owned()
}

/// Returns whether all outcomes are declared as yes or no.
fn is_yes_or_no(plan: &Plan) -> bool {
    let mut outcomes = outcomes(plan).peekable();
    outcomes.peek().is_some() && outcomes.all(|column| column.is_yes_or_no())
}
