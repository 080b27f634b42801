//! How the columns of a plan are read: bounds of numbers, levels of categories.

use std::collections::BTreeSet;

use super::bound::Kind;
use super::document::{Bound, Column, ColumnType, Plan, ShareFault, TypicalValues, Written};
use super::error::PlanError;
use super::number_format::{NumberFormat, Thousands};
use crate::model::Role;
use crate::words;

/// Cells that count as missing unless the plan says otherwise.
pub const DEFAULT_NA: [&str; 6] = ["", "NA", "N/A", "NaN", "null", "."];

/// Largest bound of a number, and the inverse of the smallest width.
pub const LARGEST_BOUND: f64 = 1e100;

/// The widest range that can be estimated reaches so far.
const WIDEST_ESTIMATE: f64 = 18_446_744_073_709_551_616.0;

/// Returns the cells that count as missing.
pub(super) fn na(plan: &Plan) -> Vec<String> {
    let given = plan.csv.as_ref().and_then(|csv| csv.na.clone());
    given.unwrap_or_else(|| DEFAULT_NA.iter().map(|text| (*text).to_owned()).collect())
}

/// Returns how numbers of a column are written that has a format of its own; `path` is that of the format.
pub(super) fn written(of: &Written, path: &str) -> Result<NumberFormat, PlanError> {
    let Some(order) = of.date else {
        return number_format(of.decimal.as_deref(), of.thousands, of.percent, path);
    };
    if of.decimal.is_some() || of.thousands.is_some() || of.percent.is_some() {
        return Err(PlanError::at(
            format!("{path}.date"),
            words::plan::date_with_numbers(),
            words::plan::date_with_numbers_advice(),
        ));
    }
    Ok(NumberFormat::years(order))
}

/// Returns how numbers are written; `path` is that of what says it.
pub(super) fn number_format(
    decimal: Option<&str>,
    thousands: Option<Thousands>,
    percent: Option<bool>,
    path: &str,
) -> Result<NumberFormat, PlanError> {
    let decimal = match decimal {
        None | Some(".") => b'.',
        Some(",") => b',',
        Some(_) => {
            return Err(PlanError::at(
                format!("{path}.decimal"),
                words::plan::decimal_unknown(),
                words::plan::decimal_unknown_advice(),
            ));
        }
    };
    if thousands.is_some_and(|thousands| thousands.is(char::from(decimal))) {
        return Err(PlanError::at(
            format!("{path}.thousands"),
            words::plan::thousands_clash(),
            words::plan::thousands_clash_advice(),
        ));
    }
    Ok(NumberFormat { thousands, percent: percent.unwrap_or(false), ..NumberFormat::plain(decimal) })
}

/// Returns how each listed column is read, or what is wrong with it, in the plan's order.
pub(super) fn column_kinds<'a>(
    plan: &'a Plan,
    na: &'a [String],
) -> impl Iterator<Item = Result<Option<Kind>, PlanError>> + 'a {
    let mut names = BTreeSet::new();
    plan.columns.iter().enumerate().map(move |(index, column)| {
        let path = format!("columns[{index}]");
        let identity = match (&column.name, &column.pattern) {
            (Some(name), None) => (false, name),
            (None, Some(pattern)) => (true, pattern),
            _ => {
                return Err(PlanError::at(
                    path,
                    words::plan::name_or_match(),
                    words::plan::name_or_match_advice(),
                ));
            }
        };
        if !names.insert(identity) {
            return Err(PlanError::at(path, words::plan::column_twice(), words::plan::column_twice_advice()));
        }
        if plan.person.is_some() && plan.person == column.name && column.role != Role::Ignored {
            return Err(PlanError::at(path, words::plan::person_used(), words::plan::person_used_advice()));
        }
        kind(column, &path, na)
    })
}

fn kind(column: &Column, path: &str, na: &[String]) -> Result<Option<Kind>, PlanError> {
    if column.role == Role::Ignored { Ok(None) } else { described_kind(column, path, na).map(Some) }
}

/// Returns how a column is read, whatever its role.
///
/// # Errors
/// [`PlanError`] where its type, bounds or levels are missing or wrong.
pub(super) fn described_kind(column: &Column, path: &str, na: &[String]) -> Result<Kind, PlanError> {
    match column.kind {
        None => Err(PlanError::at(
            format!("{path}.type"),
            words::plan::type_missing(),
            words::plan::type_missing_advice(),
        )),
        Some(ColumnType::Number) => number_kind(column, path),
        Some(ColumnType::Category) => {
            let own = column.na.iter().flatten();
            category_kind(column, path, &na.iter().chain(own).cloned().collect::<Vec<_>>())
        }
    }
}

/// Returns whether bounds are in order, and far from where doubles end, so that no coefficient and no variance overflows after the charge.
pub(super) fn are_usable_bounds(lower: f64, upper: f64) -> bool {
    lower < upper && lower.abs().max(upper.abs()) <= LARGEST_BOUND && upper - lower >= 1.0 / LARGEST_BOUND
}

fn number_kind(column: &Column, path: &str) -> Result<Kind, PlanError> {
    if column.levels.is_some() || column.reference.is_some() || column.labels.is_some() {
        return Err(PlanError::at(path, words::plan::number_levels(), words::plan::number_levels_advice()));
    }
    if let Some(of) = &column.written {
        written(of, &format!("{path}.written"))?;
    }
    let advice = words::plan::bounds_advice();
    let bound = |bound: Option<Bound>, name: &str| {
        let path = format!("{path}.{name}");
        bound.ok_or_else(|| PlanError::at(path, words::plan::bounds_missing(), advice))
    };
    let (lower, upper) = (bound(column.lower, "lower")?, bound(column.upper, "upper")?);
    // Before they are found, the widest that can be found.
    let lower = lower.stated().unwrap_or(-WIDEST_ESTIMATE);
    let upper = upper.stated().unwrap_or(WIDEST_ESTIMATE);
    let path = format!("{path}.upper");
    if lower > upper {
        return Err(PlanError::at(path, words::plan::bounds_swapped(lower, upper), words::plan::swap_them()));
    }
    // The width too has to be finite: it divides every value.
    if !(lower.is_finite() && upper.is_finite() && lower < upper && (upper - lower).is_finite()) {
        return Err(PlanError::at(path, words::plan::bounds_order(), advice));
    }
    if !are_usable_bounds(lower, upper) {
        return Err(PlanError::at(path, words::plan::bounds_far(), words::plan::bounds_far_advice()));
    }
    if let Some(known) = &column.typical {
        check_typical(known, lower, upper, path.trim_end_matches(".upper"))?;
    }
    Ok(Kind::Number { lower, upper })
}

/// Refuses a mean or a standard deviation of a number that does not fit its bounds.
pub(super) fn check_typical(
    known: &TypicalValues,
    lower: f64,
    upper: f64,
    path: &str,
) -> Result<(), PlanError> {
    let TypicalValues { mean, sd, share, shares } = known;
    let inside = mean.is_none_or(|mean| (lower..=upper).contains(&mean));
    let fits = sd.is_some_and(|sd| sd > 0.0 && sd <= (upper - lower) / 2.0);
    if fits && inside && share.is_none() && shares.is_none() {
        return Ok(());
    }
    let path = format!("{path}.typical");
    Err(PlanError::at(path, words::plan::typical_range(), words::plan::typical_range_advice()))
}

/// Refuses levels that are too few, that no cell can have, or that are the same.
fn check_levels(levels: &[String], role: Role, na: &[String], path: &str) -> Result<(), PlanError> {
    let refuse = |what: &str, advice: &str| Err(PlanError::at(path, what, advice));
    if levels.len() < 2 {
        return refuse(words::plan::levels_few(), words::plan::levels_few_advice());
    }
    if role == Role::Outcome && levels.len() != 2 {
        return refuse(words::plan::outcome_levels(), words::plan::outcome_levels_advice());
    }
    let mut seen = BTreeSet::new();
    for level in levels {
        // An empty one stands for empty cells, which are then not missing.
        if level.trim() != level || !level.is_empty() && na.contains(level) {
            return refuse(words::plan::level_unread(), words::plan::level_unread_advice());
        }
        if !seen.insert(level) {
            return refuse(words::plan::level_twice(), words::plan::level_twice_advice());
        }
    }
    Ok(())
}

/// Refuses labels that are empty, or of what is no level.
fn check_labels(column: &Column, levels: &[String], path: &str) -> Result<(), PlanError> {
    let labels = || column.labels.iter().flatten();
    if let Some((level, _)) = labels().find(|(level, _)| !levels.contains(level)) {
        let why = words::plan::label_of_unknown(level, levels.join(", "));
        return Err(PlanError::at(path, why, words::plan::label_advice()));
    }
    if labels().any(|(_, label)| label.trim().is_empty()) {
        return Err(PlanError::at(path, words::plan::label_empty(), words::plan::label_advice()));
    }
    Ok(())
}

/// Refuses what is known of the frequencies of levels if it does not fit them.
fn check_shares(
    known: &TypicalValues,
    levels: &[String],
    reference: usize,
    path: &str,
) -> Result<(), PlanError> {
    let number = known.mean.is_some() || known.sd.is_some();
    let shares = if number { Err(ShareFault::Form) } else { known.shares(levels, reference) };
    let Err(fault) = shares else { return Ok(()) };
    let why = match fault {
        ShareFault::Unknown(level) => words::plan::share_of_unknown(level, levels.join(", ")),
        ShareFault::Range(share) => words::plan::share_range(share),
        ShareFault::Sum(sum) => words::plan::share_sum((100.0 * sum).round()),
        ShareFault::Form => words::plan::typical_share().to_owned(),
    };
    Err(PlanError::at(path, why, words::plan::typical_share_advice()))
}

fn category_kind(column: &Column, path: &str, na: &[String]) -> Result<Kind, PlanError> {
    if column.lower.is_some()
        || column.upper.is_some()
        || column.integer.is_some()
        || column.written.is_some()
    {
        return Err(PlanError::at(
            path,
            words::plan::category_bounds(),
            words::plan::category_bounds_advice(),
        ));
    }
    let levels = column.levels.clone().unwrap_or_default();
    check_levels(&levels, column.role, na, &format!("{path}.levels"))?;
    check_labels(column, &levels, &format!("{path}.labels"))?;
    let position = |wanted: &str| levels.iter().position(|level| level == wanted);
    let reference = match &column.reference {
        None => 0,
        Some(name) => position(name).ok_or_else(|| {
            PlanError::at(
                format!("{path}.reference"),
                words::plan::reference_unknown(),
                words::plan::reference_unknown_advice(),
            )
        })?,
    };
    if let Some(known) = &column.typical {
        check_shares(known, &levels, reference, &format!("{path}.typical"))?;
    }
    let other = position("other");
    Ok(Kind::Category { levels, reference, other })
}
