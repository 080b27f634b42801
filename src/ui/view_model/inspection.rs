//! What was counted over the whole file. It is for this machine alone.

use std::collections::{BTreeMap, HashMap};

use crate::data::inspection::Misfits;
use crate::plan::Plan;
use crate::plan::derived::name_of;
use crate::plan::document::Column;
use crate::ui::draft::{ColumnDraft, Gap, Place, Setup, missing_marks, persons_not_counted, plan_to_inspect};
use crate::ui::table::Table;
use crate::words;
use crate::worker::protocol::Inspected;

/// What was counted, and the plan that it was counted by.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection {
    /// The plan.
    pub plan: Plan,
    /// The counts.
    pub found: Inspected,
    /// The column that seems to name persons and is left out, if the rows of its values were counted.
    pub persons: Option<PersonsCounted>,
}

/// What was counted of a column that seems to name persons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PersonsCounted {
    /// The column.
    pub column: String,
    /// Whether one of its values stands in several rows. `None` where there were too many of them to count.
    pub several: Option<bool>,
}

/// Returns the cells that do not fit, by the places of their columns, for columns that are still described as they were counted. `rechecks`: whether
/// the file is being checked again. Until that is done, earlier findings stand, even if the file is now read in another way. Columns are dropped
/// whose cells count as missing by now.
pub fn misfits(
    inspection: &Inspection,
    columns: &[ColumnDraft],
    setup: &Setup,
    rechecks: bool,
) -> BTreeMap<usize, Misfits> {
    let stands = |now: &Plan| rechecks || reads_alike(now, &inspection.plan);
    let Some(now) = plan_to_inspect(columns, setup).filter(stands) else {
        return BTreeMap::new();
    };
    let entries = |plan: &'_ Plan| -> HashMap<String, Column> {
        plan.columns.iter().filter_map(|entry| Some((entry.name.clone()?, entry.clone()))).collect()
    };
    let (now, then) = (entries(&now), entries(&inspection.plan));
    let marks = missing_marks(setup);
    let is_mended = |misfits: &Misfits| {
        let cells = misfits.cells.iter().map(|(cell, _)| cell);
        cells.chain(&misfits.codes).any(|cell| marks.contains(cell))
    };
    let counted: HashMap<&str, &Misfits> =
        inspection.found.columns.iter().map(|(name, misfits)| (name.as_str(), misfits)).collect();
    let of_column = |(place, column): (usize, &ColumnDraft)| {
        let entry = now.get(&column.name).filter(|entry| then.get(&column.name) == Some(entry))?;
        let misfits = *counted.get(entry.name.as_deref()?)?;
        (!is_mended(misfits)).then(|| (place, misfits.clone()))
    };
    columns.iter().enumerate().filter_map(of_column).collect()
}

/// Returns the number of rows of the file and of those that would be left out. `None` if the description has changed since they were counted.
pub fn rows(inspection: &Inspection, columns: &[ColumnDraft], setup: &Setup) -> Option<(u64, u64)> {
    let Inspection { plan, found, .. } = inspection;
    (plan_to_inspect(columns, setup).as_ref() == Some(plan)).then_some((found.rows, found.left_out))
}

/// Returns what holds a release back where the check of the whole file left fewer than half of the rows. For persons with several rows, only the rows
/// that count are compared. The text has no number.
pub fn few_rows_left(inspection: &Inspection, columns: &[ColumnDraft], setup: &Setup) -> Option<Gap> {
    let (rows, left_out) = rows(inspection, columns, setup)?;
    let few = 2 * rows.saturating_sub(left_out) < inspection.found.counted;
    few.then(|| Gap::new(check_of_file(), words::gap::most_rows_left_out()))
}

/// Returns what holds a release of a large file back until the rows of the persons that a column seems to name are counted in it. A smaller file is
/// checked without being asked for.
pub fn rows_of_persons(
    table: &Table,
    columns: &[ColumnDraft],
    setup: &Setup,
    inspection: Option<&Inspection>,
) -> Option<Gap> {
    if table.is_small() || table.sample || table.genotypes.is_some() {
        return None;
    }
    let counted = inspection.and_then(|found| Some((found.persons.as_ref()?.column.as_str(), &found.plan)));
    let column = persons_not_counted(columns, setup, counted)?;
    Some(Gap::new(check_of_file(), words::gap::rows_of_persons(column)))
}

/// Returns the place of the check of the whole file.
pub fn check_of_file() -> Place {
    Place::columns("whole-file")
}

/// Returns what was counted of a term. `None` if the description has changed since.
pub fn misfits_of_term<'a>(
    inspection: &'a Inspection,
    columns: &[ColumnDraft],
    setup: &Setup,
    term: &str,
) -> Option<&'a Misfits> {
    rows(inspection, columns, setup)?;
    let Inspection { plan, found, .. } = inspection;
    let is_term = plan.derived.iter().any(|entry| name_of(entry) == term);
    found.columns.iter().find(|(name, _)| is_term && name == term).map(|(_, misfits)| misfits)
}

/// Returns what holds a release back where a difference lies outside its own range in more than half of the rows. The text has no number.
pub fn far_difference(inspection: &Inspection, columns: &[ColumnDraft], setup: &Setup) -> Option<Gap> {
    let names = setup.derived.iter().map(name_of);
    let is_far = |name: &String| {
        misfits_of_term(inspection, columns, setup, name)
            .is_some_and(|misfits| 2 * misfits.outside > inspection.found.counted)
    };
    let far = names.into_iter().find(is_far)?;
    Some(Gap::new(Place::columns("terms"), words::gap::most_outside(far)))
}

/// Returns what holds a release back while a term is typed but not part of the plan.
pub fn open_term() -> Gap {
    Gap::new(Place::columns("term-form"), words::gap::term_is_open())
}

/// Returns what holds a release back until the person says whether another table with these columns was about the same people.
pub fn same_people() -> Gap {
    Gap::new(Place::privacy("different"), words::gap::same_people())
}

/// Returns whether two plans read the same rows in the same way.
fn reads_alike(one: &Plan, other: &Plan) -> bool {
    (&one.csv, &one.person, one.max_rows_per_person) == (&other.csv, &other.person, other.max_rows_per_person)
}
