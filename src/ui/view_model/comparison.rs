//! The mechanisms beside each other, for the same plan and the same budget.

use serde_json::Map;

use crate::engine::foresee::expected;
use crate::engine::public_moments::PublicMoments;
use crate::engine::{EngineError, Prepared, prepare_with};
use crate::inference::preview::TermPreview;
use crate::mechanisms::Info;
use crate::mechanisms::info::{GROUPS, Group};
use crate::model::Assurance;
use crate::plan::document::{self, BudgetForm, Calibration};
use crate::plan::{Plan, Purpose};
use crate::ui::forecasts::Forecasts;
use crate::ui::groups;
use crate::ui::sentence::sentence;
use crate::ui::table::Table;
use crate::words;

/// One mechanism beside others, for the same plan and the same ε and δ.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// How far its proof covers what is executed.
    pub assurance: Assurance,
    /// Least and most of the noise's standard error, as a share of an effect of plausible size.
    pub noise: (f64, f64),
    /// Most that a coefficient is shrunk, 0 to 1.
    pub shrinkage: f64,
}

/// One mechanism of a comparison, with the reason where it does not run under the plan.
pub type Row = (&'static Info, Result<Compared, String>);

/// Compares all private mechanisms, by their groups, from public numbers alone. Each spends all of ε and δ and has its default parameters; that of
/// the plan keeps the plan's.
pub fn compare(
    plan: &Plan,
    public: Option<&PublicMoments>,
    table: &Table,
    epsilon: f64,
    delta: f64,
    forecasts: Forecasts,
) -> Vec<(&'static Group, Vec<Row>)> {
    let row = |info: &'static Info| {
        let mut plan = plan.clone();
        plan.budget = BudgetForm { epsilon: Some(epsilon), delta: Some(delta), ..BudgetForm::default() };
        let own = info.name == plan.mechanism.name;
        plan.mechanism = document::Mechanism {
            name: info.name.to_owned(),
            params: if own { plan.mechanism.params } else { Map::new() },
            calibration: Some(Calibration::Exact),
        };
        let public = public.filter(|_| info.public_moments);
        (info, compared(plan, public, table, forecasts))
    };
    let rows = |group: &'static Group| groups::members(group).map(row).collect();
    GROUPS.iter().map(|group| (*group, rows(group))).collect()
}

fn compared(
    plan: Plan,
    public: Option<&PublicMoments>,
    table: &Table,
    forecasts: Forecasts,
) -> Result<Compared, String> {
    let prepared = prepare_with(plan.clone(), public, &table.names, table.delimiter, Purpose::Simulate)
        .map_err(|error| match error {
            EngineError::Plan(error) => sentence(&error.what),
            error => sentence(&error.to_string()),
        })?;
    let terms = terms(&plan, &prepared, table, forecasts)?;
    let effects = terms.iter().filter(|term| term.plausible_effect.abs() > 0.0);
    let ratios: Vec<f64> =
        effects.clone().map(|term| term.noise_std_error / term.plausible_effect.abs()).collect();
    let shrinkage = effects.map(|term| term.shrinkage).fold(0.0, f64::max);
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let most = ratios.iter().copied().fold(0.0, f64::max);
    Ok(Compared { assurance: prepared.assurance(), noise: (least, most), shrinkage })
}

/// Returns what is expected of each coefficient: by the mechanism's own forecast, or by the law of its noise.
fn terms(
    plan: &Plan,
    prepared: &Prepared,
    table: &Table,
    forecasts: Forecasts,
) -> Result<Vec<TermPreview>, &'static str> {
    if prepared.stated_rows().is_none() {
        return Err(words::method::state_the_number_of_rows_first());
    }
    match forecasts.of(plan, prepared, table).ok_or(words::method::rehearsing())? {
        Some(foreseen) if foreseen.gives_nothing() => Err(foreseen.verdict()),
        Some(foreseen) if foreseen.rehearsals.terms.is_empty() => Err(words::method::not_rehearsed()),
        Some(foreseen) => Ok(foreseen.rehearsals.terms),
        None => expected(prepared).map(|preview| preview.terms).ok_or(words::method::not_forecast()),
    }
}
