//! Makes a plan of what was typed.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::columns::{ColumnDraft, to_entry};
use super::dialect::csv;
use super::faults;
use super::joined::with_divided_shares;
use super::only::differences;
use super::patterns;
use super::place::{Cell, Gap, Place};
use super::setup::Setup;
use super::typed::{count, number, two_numbers};
use crate::data::mismatch::{Contradiction, names_persons};
use crate::mechanisms::USUAL;
use crate::model::{Missing, Role};
use crate::plan::derived::name_of;
use crate::plan::document::{
    Bound, BudgetForm, Calibration, Column, Confirm, Derived, Mechanism, Plan, SCHEMA, Transform,
};
use crate::plan::kinds::LARGEST_BOUND;
use crate::plan::{PlanError, Purpose, faults as check};
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::ui::step::Step;
use crate::words;

/// Makes the plan that the draft stands for, with `budget` as what this release asks for, and with the usual mechanism where none was
/// chosen.
///
/// # Errors
/// Everything that is still missing, in the order of the steps.
pub fn plan(
    columns: &[ColumnDraft],
    setup: &Setup,
    budget: Result<BudgetForm, Gap>,
) -> Result<Plan, Vec<Gap>> {
    if columns.is_empty() {
        return Err(vec![Gap::new(Place::Whole(Step::Data), words::gap::table())]);
    }
    let (plan, mut gaps) = draft_plan(columns, setup, budget);
    // A text that could not be read is reported already.
    let unread = |error: &PlanError| error.path.starts_with("budget") && !gaps.is_empty();
    let faults: Vec<PlanError> =
        check(&plan, Purpose::Release).into_iter().filter(|error| !unread(error)).collect();
    gaps.extend(repeated(columns));
    gaps.extend(lost(columns, setup));
    gaps.extend(faults::gaps(&faults, &plan, columns));
    let of_terms = || setup.derived.iter().any(|term| term.role.unwrap_or(Role::Feature) == Role::Feature);
    if !columns.iter().any(|column| column.role == Role::Feature) && !of_terms() {
        let text = words::gap::feature();
        gaps.push(Gap::new(Place::Whole(Step::Columns), text));
    }
    gaps.sort_by_key(|gap| gap.place.step());
    if gaps.is_empty() { Ok(plan) } else { Err(gaps) }
}

/// Lists the conditions on what neither the table nor the terms have, such as a difference that was removed.
fn lost(columns: &[ColumnDraft], setup: &Setup) -> Vec<Gap> {
    let differences = differences(setup);
    let has = |name: &String| columns.iter().any(|column| column.name == *name) || differences.contains(name);
    let lost = setup.only.iter().map(|condition| &condition.column).filter(|name| !has(name));
    lost.map(|name| Gap::new(Place::columns("only"), words::only::lost(name))).collect()
}

/// Finds the columns in use that share their name with another column, since a plan could mean either.
fn repeated(columns: &[ColumnDraft]) -> Vec<Gap> {
    let mut seen = BTreeSet::new();
    let again: BTreeSet<&str> =
        columns.iter().map(|column| column.name.as_str()).filter(|name| !seen.insert(*name)).collect();
    let used = columns.iter().enumerate().filter(|(_, column)| column.role != Role::Ignored);
    used.filter(|(_, column)| again.contains(column.name.as_str()))
        .map(|(place, column)| Gap::new(Place::Cell(place, Cell::Role), words::gap::name_twice(&column.name)))
        .collect()
}

/// Returns the plan as far as it was typed, and what could not be read.
pub fn draft_plan(
    columns: &[ColumnDraft],
    setup: &Setup,
    budget: Result<BudgetForm, Gap>,
) -> (Plan, Vec<Gap>) {
    let mut unread = Vec::new();
    let budget = budget.unwrap_or_else(|gap| {
        unread.push(gap);
        BudgetForm::default()
    });
    let max_rows = (!setup.person.is_empty())
        .then(|| count(&setup.max_rows))
        .map(|rows| rows.and_then(|rows| u32::try_from(rows).ok()).unwrap_or_default());
    let rows = count(&setup.rows);
    let unread_rows = setup.lacks_rows();
    if rows.is_none() && !setup.rows.trim().is_empty() && !unread.contains(&unread_rows) {
        unread.push(unread_rows);
    }
    // A level that is no number counts as out of range, like 0.
    let confidence = number(&setup.confidence).map_or(0.0, |percent| percent / 100.0);
    let plan = Plan {
        schema: SCHEMA.to_owned(),
        adjacency: setup.adjacency,
        rows: rows.filter(|_| setup.adjacency == Adjacency::ReplaceOne),
        stated_rows: rows.filter(|_| setup.adjacency == Adjacency::AddRemove),
        protect: Some(setup.protect).filter(|protect| *protect != Protect::Rows),
        person: Some(setup.person.clone()).filter(|name| !name.is_empty()),
        max_rows_per_person: max_rows,
        confirm: confirmed(setup, columns),
        columns: entries(columns, setup),
        derived: setup.derived.clone(),
        only: setup.only.clone(),
        intercept: Some(setup.intercept).filter(|intercept| !intercept),
        missing: Some(setup.missing).filter(|rule| *rule != Missing::Skip),
        csv: csv(setup),
        mechanism: Mechanism {
            name: setup.mechanism.clone().unwrap_or_else(|| USUAL.to_owned()),
            params: params(setup),
            calibration: setup.paper.then_some(Calibration::Paper),
        },
        budget,
        confidence: Some(confidence).filter(|level| (level - 0.95).abs() > 1e-9),
        estimate_share: estimate_share(setup),
        typical_correlation: typical_correlation(setup),
    };
    (plan, unread)
}

/// Makes a plan for a count of the cells that do not fit: the columns that are used and described so far, without what a count
/// does not need. `None` if there is none.
pub fn plan_to_inspect(columns: &[ColumnDraft], setup: &Setup) -> Option<Plan> {
    let sources: Vec<&String> = setup.derived.iter().flat_map(|term| &term.from).collect();
    let used = |column: &&ColumnDraft| {
        let is_used = column.role != Role::Ignored || sources.contains(&&column.name);
        is_used && column.name != setup.person
    };
    // What lies outside the own range of a difference is counted with the cells.
    let chooses = |term: &Derived| setup.only.iter().any(|condition| condition.column == name_of(term));
    let is_counted =
        |term: &&Derived| term.transform == Transform::Difference && (term.lower.is_some() || chooses(term));
    let counted: Vec<Derived> =
        setup.derived.iter().filter(is_counted).map(|term| Derived { role: None, ..term.clone() }).collect();
    let mut plan = draft_plan(&[], &Setup { derived: counted, ..setup.clone() }, Ok(NO_NOISE)).0;
    // Which rows count is not said yet.
    if plan.max_rows_per_person == Some(0) {
        return None;
    }
    plan.columns = columns.iter().filter(used).map(to_inspect).collect();
    let chosen_by =
        |column: &&ColumnDraft| !used(column) && setup.only.iter().any(|of| of.column == column.name);
    // Which rows count depends on how its numbers are written.
    plan.columns.extend(
        columns.iter().filter(chosen_by).map(|column| Column { role: Role::Ignored, ..to_inspect(column) }),
    );
    plan = Plan {
        adjacency: Adjacency::AddRemove,
        rows: None,
        stated_rows: None,
        protect: None,
        confirm: Vec::new(),
        confidence: None,
        estimate_share: None,
        typical_correlation: None,
        ..plan
    };
    let faults = check(&plan, Purpose::Public);
    let broken: BTreeSet<usize> = faults.iter().filter_map(|fault| faults::entry(&fault.path)).collect();
    if !broken.is_empty() || faults.iter().any(|fault| fault.path.starts_with("derived")) {
        plan.derived.clear();
    }
    let mut place = 0..;
    plan.columns.retain(|_| place.next().is_none_or(|place| !broken.contains(&place)));
    (!plan.columns.is_empty()).then_some(plan)
}

/// Returns the plan by which the rows of persons are counted, at most two of each, with the name of their column. `None` unless exactly one column
/// seems to name persons and is ignored, and all rows count.
pub fn plan_to_count_persons(columns: &[ColumnDraft], setup: &Setup) -> Option<(String, Plan)> {
    let (_, column) = column_of_persons(columns, setup)?;
    let plan = Plan {
        person: Some(column.name.clone()),
        max_rows_per_person: Some(2),
        missing: Some(Missing::Midpoint),
        ..plan_to_inspect(columns, setup)?
    };
    Some((column.name.clone(), plan))
}

/// Returns the only column without a use whose name says that it names persons, with its place, while each row counts as one person.
fn column_of_persons<'a>(columns: &'a [ColumnDraft], setup: &Setup) -> Option<(usize, &'a ColumnDraft)> {
    let names_persons =
        |(_, column): &(usize, &ColumnDraft)| column.role == Role::Ignored && names_persons(&column.name);
    let mut persons = columns.iter().enumerate().filter(names_persons);
    let asked = setup.person.is_empty() && setup.only.is_empty();
    match (persons.next(), persons.next()) {
        (Some(found), None) if asked => Some(found),
        _ => None,
    }
}

/// Returns the column that seems to name persons whose rows have not been counted in the whole file, unless the person has said that it names
/// none. `counted` is the column whose rows were counted, and the plan that the file was read by.
pub fn persons_not_counted(
    columns: &[ColumnDraft],
    setup: &Setup,
    counted: Option<(&str, &Plan)>,
) -> Option<String> {
    let (place, column) = column_of_persons(columns, setup)?;
    let is_none =
        |(at, kind, _): &(usize, Contradiction, String)| (*at, *kind) == (place, Contradiction::SeveralRows);
    if setup.confirmed.iter().any(is_none) {
        return None;
    }
    let (_, plan) = plan_to_count_persons(columns, setup)?;
    let stands = |(name, by): (&str, &Plan)| name == column.name && by.csv == plan.csv;
    (!counted.is_some_and(stands)).then(|| column.name.clone())
}

/// Returns a column as it is counted. Its meaning and its role are dropped, and bounds to be estimated exclude nothing.
fn to_inspect(column: &ColumnDraft) -> Column {
    let Column { name, kind, lower, upper, written, na, levels, .. } = to_entry(column);
    let stated = |bound: Option<Bound>, widest: f64| match bound {
        Some(Bound::Estimate) => Some(Bound::Stated(widest)),
        bound => bound,
    };
    Column {
        name,
        role: Role::Feature,
        kind,
        lower: stated(lower, -LARGEST_BOUND),
        upper: stated(upper, LARGEST_BOUND),
        written,
        na,
        levels,
        ..Column::default()
    }
}

/// The budget of a plan that nothing is released under.
const NO_NOISE: BudgetForm = BudgetForm { none: Some(true), epsilon: None, delta: None, rho: None, mu: None };

/// Lists the columns with a role, and those without one from which a term is derived or rows are chosen.
fn entries(columns: &[ColumnDraft], setup: &Setup) -> Vec<Column> {
    let of_terms = setup.derived.iter().flat_map(|term| &term.from);
    let from: Vec<&String> = of_terms.chain(setup.only.iter().map(|condition| &condition.column)).collect();
    let mut entries = patterns::columns(columns, &setup.patterns, &setup.person, &from);
    let listed: BTreeSet<String> = entries.iter().filter_map(|entry| entry.name.clone()).collect();
    let serves = |column: &&ColumnDraft| from.contains(&&column.name) && !listed.contains(&column.name);
    let serving = columns.iter().filter(|column| column.role == Role::Ignored).filter(serves);
    entries.extend(serving.map(|column| to_entry(&with_divided_shares(column, &setup.derived))));
    entries
}

/// Returns the share of the budget for estimating bounds. A share that is no number counts as out of range, like 0.
fn estimate_share(setup: &Setup) -> Option<f64> {
    let typed = Some(setup.estimate_share.trim()).filter(|typed| !typed.is_empty());
    typed.map(|typed| number(typed).map_or(0.0, |percent| percent / 100.0))
}

/// Returns the correlation that forecasts assume. A text that is no number counts as out of range.
fn typical_correlation(setup: &Setup) -> Option<f64> {
    let typed = Some(setup.typical_correlation.trim()).filter(|typed| !typed.is_empty());
    typed.map(|typed| number(typed).unwrap_or(f64::INFINITY))
}

fn confirmed(setup: &Setup, columns: &[ColumnDraft]) -> Vec<Confirm> {
    let relaxed = match setup.protect {
        Protect::Rows => None,
        Protect::Labels => Some(Confirm::ProtectLabels),
        Protect::Features => Some(Confirm::ProtectFeatures),
    };
    let idealised = setup.idealised.then_some(Confirm::Idealised);
    let uncertain = (setup.uncertain_bounds && columns.iter().any(ColumnDraft::is_estimated))
        .then_some(Confirm::UncertainBounds);
    let others = setup.other_persons.then_some(Confirm::OtherPersons);
    idealised
        .into_iter()
        .chain(relaxed.filter(|_| setup.protect_confirmed))
        .chain(uncertain)
        .chain(others)
        .collect()
}

fn params(setup: &Setup) -> Map<String, Value> {
    let value = |text: &str| {
        number(text)
            .and_then(whole_or_number)
            .or_else(|| serde_json::from_str(text).ok().filter(|_| two_numbers(text).is_none()))
            .unwrap_or_else(|| Value::from(text))
    };
    let given = setup.params.iter().filter(|(_, text)| !text.trim().is_empty());
    given.map(|(name, text)| (name.clone(), value(text.trim()))).collect()
}

fn whole_or_number(value: f64) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, reason = "below 2^53 and whole, so exact")]
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Some(Value::from(value as i64))
    } else {
        serde_json::Number::from_f64(value).map(Value::Number)
    }
}
