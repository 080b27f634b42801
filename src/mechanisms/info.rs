//! What a mechanism is, whatever the plan, and whether it can run under a plan at all.

use super::{Mechanism, REGISTRY, USUAL};
use crate::model::{Assurance, Wallet};
use crate::plan::document::Calibration;
use crate::plan::error::known_advice;
use crate::plan::params::Parameter;
use crate::plan::{CheckedPlan, Plan, PlanError, Purpose};
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::Budget;
use crate::words;

/// Under which adjacency and protection a mechanism is private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Both adjacencies.
    Both,
    /// Replacing one record.
    ReplaceOne,
    /// Replacing one record, where only this part of it is protected.
    Relaxed(Protect),
}

/// Mechanisms that answer one question of a person.
#[derive(Debug, PartialEq, Eq)]
pub struct Group {
    /// The name of the group on the page.
    pub title: &'static str,
    /// When to look among them.
    pub when: &'static str,
    /// The columns that call for it.
    pub calls: Calls,
}

/// The columns that call for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// All.
    Always,
    /// Two outcomes or more.
    SeveralOutcomes,
    /// Outcomes that are all yes or no.
    YesOrNo,
    /// None.
    Never,
}

/// The groups in the order of the page. The first has the default mechanism.
pub static GROUPS: [&Group; 7] =
    [&LINEAR, &MANY_OUTCOMES, &YES_OR_NO, &PUBLIC_MOMENTS, &WHOLE_MATRIX, &DESCENT, &COMPARISON];

/// Linear regression.
pub static LINEAR: Group = Group {
    title: "Linear regression",
    when: "For outcomes that are numbers, one or a few. Start here.",
    calls: Calls::Always,
};

/// Many outcomes.
pub static MANY_OUTCOMES: Group = Group {
    title: "Many outcomes on the same features",
    when: "For tens to thousands of outcomes, such as proteins or gene expression. What is spent on the features is spent once \
           for all.",
    calls: Calls::SeveralOutcomes,
};

/// Logistic regression.
pub static YES_OR_NO: Group = Group {
    title: "Logistic regression (odds ratios)",
    when: "For yes-or-no outcomes, such as readmitted or not.",
    calls: Calls::YesOrNo,
};

/// Regression with public moments.
pub static PUBLIC_MOMENTS: Group = Group {
    title: "With published means and standard deviations",
    when: "Where means, standard deviations and correlations of the same columns are known from other people. The noise then has the \
           shape of the columns.",
    calls: Calls::Never,
};

/// One random matrix.
pub static WHOLE_MATRIX: Group = Group {
    title: "Posterior draws and projections",
    when: "One random matrix in place of noise in each sum, mostly for small tables where a strong ridge is welcome. They need a \
           part of the budget of their own.",
    calls: Calls::Never,
};

/// Gradient descent.
pub static DESCENT: Group = Group {
    title: "Gradient descent, without intervals",
    when: "Estimates alone, mostly for very many features.",
    calls: Calls::Never,
};

/// Mechanisms that are there for comparison only.
pub static COMPARISON: Group = Group {
    title: "For comparison with papers",
    when: "They show what the others gain. Hardly ever right for a release.",
    calls: Calls::Never,
};

/// A mechanism's name, texts, guarantee and parameters: all that does not depend on a plan.
#[derive(Debug, PartialEq)]
pub struct Info {
    /// The name in a plan and on the command line.
    pub name: &'static str,
    /// Its name for a person.
    pub title: &'static str,
    /// The group in which the page shows it. `None` if it is not private.
    pub group: Option<&'static Group>,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// When to prefer it, in one sentence.
    pub prefer: &'static str,
    /// What it guarantees, in one sentence.
    pub guarantee: &'static str,
    /// The paper or the theory page that it is from.
    pub source: &'static str,
    /// Its version in a ledger's entries.
    pub version: &'static str,
    /// The kind of budget that it charges.
    pub wallet: Wallet,
    /// The adjacency and the protection under which it is private.
    pub scope: Scope,
    /// The weakest assurance that a release of it can have; the parameters can make it stronger.
    pub assurance: Assurance,
    /// Whether it needs public moments. Without that it takes none.
    pub public_moments: bool,
    /// Whether its outcomes are yes or no, whatever its parameters.
    pub labels: bool,
    /// Whether its coefficients have standard errors.
    pub standard_errors: bool,
    /// Whether its coefficients are what a refit of the same columns computes from its released sums.
    pub from_sums: bool,
    /// Whether it finds by itself how far values spread, so that wide bounds cost it little (theory/adaptive 1).
    pub adapts: bool,
    /// Whether it forecasts its noise ([`Rounds::noise_forecast`](super::Rounds::noise_forecast)), so that a program can
    /// recommend it for a plan.
    pub foresees: bool,
    /// Why it has no scale of a paper's own. `None` if it has one.
    pub no_paper_scale: Option<&'static str>,
    /// Its parameters, in the order of the page.
    pub parameters: &'static [Parameter],
}

impl Info {
    /// What most mechanisms have in common: the Gaussian budget, both adjacencies, and a proof that covers the arithmetic itself. Each
    /// gives its own name, words and parameters, and all that differs.
    pub const GAUSSIAN: Self = Self {
        name: "",
        title: "",
        group: None,
        summary: "",
        prefer: "",
        guarantee: "The released integers are μ-GDP, exactly as they are computed.",
        source: "",
        version: "1",
        wallet: Wallet::Gaussian,
        scope: Scope::Both,
        assurance: Assurance::Exact,
        public_moments: false,
        labels: false,
        standard_errors: true,
        from_sums: false,
        adapts: false,
        foresees: false,
        no_paper_scale: None,
        parameters: &[],
    };
}

/// The parameter by which a mechanism takes outcomes of several kinds.
pub const FAMILY: &str = "family";

/// The family of outcomes that are yes or no.
pub const LOGISTIC: &str = "logistic";

/// Returns every mechanism's facts, in the registry's order.
pub fn all() -> impl Iterator<Item = &'static Info> {
    REGISTRY.iter().map(|mechanism| mechanism.info)
}

/// Returns the facts of the mechanism of a name.
pub fn find(name: &str) -> Option<&'static Info> {
    all().find(|info| info.name == name)
}

/// Returns whether the coefficients of a plan's release are log-odds: because the mechanism takes labels, or because its `family` says so.
pub fn are_log_odds(plan: &Plan) -> bool {
    let family = plan.mechanism.params.get(FAMILY).and_then(|family| family.as_str());
    find(&plan.mechanism.name).is_some_and(|info| info.labels || family == Some(LOGISTIC))
}

/// Returns the mechanism that a plan names, if it can run under the plan at all.
///
/// # Errors
/// [`PlanError`] for a name that no mechanism has, and as [`check`].
pub fn named(plan: &CheckedPlan, purpose: Purpose) -> Result<&'static Mechanism, PlanError> {
    let named = |mechanism: &&Mechanism| mechanism.info.name == plan.plan.mechanism.name;
    let mechanism = REGISTRY.iter().find(named).ok_or_else(|| {
        let known: Vec<&str> = all().map(|info| info.name).collect();
        PlanError::at(
            "mechanism.name",
            "no mechanism has this name",
            known_advice(&plan.plan.mechanism.name, &known, |known| format!("give one of {known}")),
        )
    })?;
    check(mechanism.info, plan, purpose)?;
    Ok(mechanism)
}

/// Refuses a plan under which a mechanism cannot run at all.
///
/// # Errors
/// [`PlanError`] that says what it needs.
pub fn check(info: &Info, plan: &CheckedPlan, purpose: Purpose) -> Result<(), PlanError> {
    let name = info.name;
    if info.wallet == Wallet::None && purpose == Purpose::Release {
        return Err(PlanError::at(
            "mechanism.name",
            format!("`{name}` is not private"),
            format!("run it with `simulate` alone, or take `{USUAL}`"),
        ));
    }
    if plan.estimation.is_some() && (info.wallet != Wallet::Gaussian || info.public_moments) {
        let why = if info.public_moments {
            words::plan::bounds_public_moments(name)
        } else {
            words::plan::bounds_other_budget(name)
        };
        return Err(PlanError::at("mechanism.name", why, words::plan::bounds_mechanism_advice()));
    }
    match info.scope {
        Scope::Both => {}
        Scope::ReplaceOne | Scope::Relaxed(_) if plan.adjacency != Adjacency::ReplaceOne => {
            return Err(PlanError::at(
                "adjacency",
                format!("`{name}` is private under replace-one alone"),
                "set `adjacency` to \"replace-one\", or take another mechanism",
            ));
        }
        Scope::Relaxed(protect) if plan.protect != protect => {
            return Err(PlanError::at(
                "protect",
                format!("`{name}` protects {protect} alone"),
                format!("set `protect` to \"{protect}\", or take another mechanism"),
            ));
        }
        Scope::ReplaceOne | Scope::Relaxed(_) => {}
    }
    if info.wallet == Wallet::Other {
        if plan.max_rows_per_person > 1 {
            return Err(PlanError::at(
                "max_rows_per_person",
                format!("the proof of `{name}` is for one row per person"),
                "set it to 1, or take a mechanism that is charged to the Gaussian budget",
            ));
        }
        if matches!(plan.budget, Some(Budget::Mu { .. } | Budget::Rho { .. })) {
            return Err(PlanError::at(
                "budget",
                format!("`{name}` is charged in epsilon and delta"),
                "give {\"epsilon\", \"delta\"}",
            ));
        }
    }
    match info.no_paper_scale {
        Some(why) if plan.calibration == Calibration::Paper => {
            Err(PlanError::at("mechanism.calibration", why, "remove `calibration`, or set it to \"exact\""))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::*;

    #[test]
    fn every_name_has_one_mechanism() {
        let names: BTreeSet<&str> = all().map(|info| info.name).collect();
        assert_eq!(names.len(), REGISTRY.len());
        for info in all() {
            let sentences = [info.summary, info.prefer, info.guarantee];
            assert!(sentences.iter().all(|text| text.ends_with('.')), "{}", info.name);
            assert!(!info.source.is_empty() && !info.title.is_empty(), "{}", info.name);
        }
        assert_eq!(find(USUAL).map(|info| info.name), Some(USUAL));
        assert_eq!(find("analyse-gauss"), None);
    }

    #[test]
    fn coefficients_are_log_odds_where_outcomes_are_labels() {
        let log_odds = |info: &Info, family: Option<&str>| {
            let params = family.map_or_else(|| json!({}), |family| json!({ FAMILY: family }));
            let plan = json!({"schema": "discreet.plan/1", "adjacency": "add-remove", "columns": [],
                "mechanism": {"name": info.name, "params": params}, "budget": {"mu": 1.0}});
            are_log_odds(&serde_json::from_value(plan).unwrap())
        };
        for info in all() {
            assert_eq!(log_odds(info, None), info.labels, "{}", info.name);
            for parameter in info.parameters.iter().filter(|one| one.name == FAMILY) {
                for family in parameter.choices() {
                    assert_eq!(log_odds(info, Some(family)), *family == LOGISTIC, "{}", info.name);
                }
            }
        }
        assert!(
            all().any(|info| info.labels) && all().any(|info| log_odds(info, Some(LOGISTIC)) && !info.labels)
        );
    }

    #[test]
    fn each_private_mechanism_is_in_one_group() {
        for info in all() {
            assert_eq!(info.group.is_some(), info.wallet != Wallet::None, "{}", info.name);
        }
        assert!(GROUPS.iter().all(|group| all().any(|info| info.group == Some(group))));
        assert_eq!(find(USUAL).and_then(|info| info.group), Some(&LINEAR));
    }
}
