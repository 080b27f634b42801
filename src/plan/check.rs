//! Checks a plan and fills in its defaults. After [`CheckedPlan`] only a header can refuse a plan.

use std::collections::BTreeSet;

use super::bound::{Encoding, Kind};
use super::document::{Bound, BudgetForm, Calibration, Column, ColumnType, Confirm, Csv, Plan};
use super::error::PlanError;
use crate::model::{Missing, Role};
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::{Budget, LEAST_DELTA, WHOLE_SHARE, set_aside};
use crate::privacy::measure::{Delta, Epsilon, MeasureError, Mu, Rho};

/// Cells that count as missing unless the plan says otherwise.
pub const DEFAULT_NA: [&str; 6] = ["", "NA", "N/A", "NaN", "null", "."];

/// Most rows that a table may have, so that exact sums stay below 2^79 (theory/encoding 2.6).
pub const MAX_ROWS: u64 = 1 << 30;

/// Most rows of one person that may count.
pub const MAX_ROWS_PER_PERSON: u32 = 1 << 16;

/// Largest bound of a number, and the inverse of the smallest width.
pub const LARGEST_BOUND: f64 = 1e100;

/// The widest range that can be estimated reaches so far.
const WIDEST_ESTIMATE: f64 = 18_446_744_073_709_551_616.0;

/// The share of μ² for estimating bounds, unless a plan states another.
pub const DEFAULT_ESTIMATE_SHARE: f64 = 0.05;
const LEAST_ESTIMATE_SHARE: f64 = 0.01;
const GREATEST_ESTIMATE_SHARE: f64 = 0.5;

/// The part of a budget that is set aside for estimating bounds, and the rest, which is the mechanism's. A plan whose bounds were
/// estimated before, as a release has it, still sets it aside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimation {
    /// The share of μ².
    pub share: f64,
    /// The part that is set aside, in units of 2^-40 of μ².
    pub units: u128,
    /// The plan's budget.
    pub whole: Budget,
    /// The mechanism's budget.
    pub rest: Budget,
}

/// What a plan is checked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A release: it is charged, and it needs the person's confirmations.
    Release,
    /// A demonstration, which protects nobody.
    Simulate,
    /// Exact moments of a table that is public: it needs no outcome.
    Public,
}

/// A checked plan: defaults filled in, every bound finite.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedPlan {
    /// The plan with its defaults; the delimiter and the mechanism's parameters are filled in later.
    pub plan: Plan,
    /// What neighbouring tables are.
    pub adjacency: Adjacency,
    /// Whom the guarantee covers.
    pub protect: Protect,
    /// The public number of rows (persons, with a person column) under `replace-one`.
    pub rows: Option<u64>,
    /// Rows of one person that count.
    pub max_rows_per_person: u32,
    /// Whether the regressions have a constant.
    pub intercept: bool,
    /// The rule for missing cells.
    pub missing: Missing,
    /// The budget of the mechanism, or `None` where there is no noise at all.
    pub budget: Option<Budget>,
    /// What of the plan's budget is set aside for estimating bounds.
    pub estimation: Option<Estimation>,
    /// Level of the intervals.
    pub confidence: f64,
    /// Whose noise scale is used.
    pub calibration: Calibration,
    /// How each listed column is read, in the plan's order; `None` for ignored ones.
    pub kinds: Vec<Option<Kind>>,
    /// The delimiter, where the plan fixes it.
    pub delimiter: Option<u8>,
    /// The decimal mark.
    pub decimal: u8,
    /// The character encoding.
    pub encoding: Encoding,
    /// Cells that count as missing.
    pub na: Vec<String>,
}

impl CheckedPlan {
    /// Checks a plan and fills in its defaults.
    ///
    /// # Errors
    /// [`PlanError`] for the first field that cannot be run, with its path.
    pub fn new(plan: Plan, purpose: Purpose) -> Result<Self, PlanError> {
        let protect = plan.protect.unwrap_or(Protect::Rows);
        check_rows(&plan)?;
        check_protection(&plan, protect, purpose)?;
        let max_rows_per_person = check_person(&plan)?;
        let CsvRules { delimiter, decimal, encoding } = check_csv(&plan)?;
        let na = na(&plan);
        let intercept = plan.intercept.unwrap_or(true);
        let kinds = column_kinds(&plan, &na).collect::<Result<Vec<_>, _>>()?;
        check_roles(&plan, intercept, purpose)?;
        let whole = check_budget(&plan.budget, purpose)?;
        let estimation = check_estimation(&plan, whole.as_ref(), purpose)?;
        let budget = estimation.as_ref().map(|estimation| estimation.rest).or(whole);
        let confidence = check_confidence(&plan)?;
        let rule = plan.missing.unwrap_or_default();
        let calibration = plan.mechanism.calibration.unwrap_or_default();

        let mut filled = plan;
        filled.protect = Some(protect);
        filled.max_rows_per_person = Some(max_rows_per_person);
        filled.intercept = Some(intercept);
        filled.missing = Some(rule);
        filled.confidence = Some(confidence);
        filled.estimate_share = estimation.as_ref().map(|estimation| estimation.share);
        for (column, kind) in filled.columns.iter_mut().zip(&kinds) {
            if let Some(Kind::Category { levels, reference, .. }) = kind {
                column.reference = levels.get(*reference).cloned();
            }
        }
        filled.mechanism.calibration = Some(calibration);
        filled.csv = Some(Csv {
            delimiter: delimiter.map(|byte| char::from(byte).to_string()),
            decimal: Some(char::from(decimal).to_string()),
            encoding: Some(if encoding == Encoding::Utf8 { "utf-8" } else { "latin-1" }.to_owned()),
            na: Some(na.clone()),
        });
        Ok(Self {
            adjacency: filled.adjacency,
            protect,
            rows: filled.rows,
            max_rows_per_person,
            intercept,
            missing: if rule == Missing::Skip { Missing::Skip } else { Missing::Midpoint },
            budget,
            estimation,
            confidence,
            calibration,
            kinds,
            delimiter,
            decimal,
            encoding,
            na,
            plan: filled,
        })
    }

    /// Returns the row count that previews, ridges and radii may use: public, or a public guess.
    #[must_use]
    pub fn public_rows(&self) -> Option<u64> {
        self.rows.or(self.plan.stated_rows)
    }

    /// Returns the plan's own budget, whatever of it is set aside.
    #[must_use]
    pub fn whole_budget(&self) -> Option<Budget> {
        self.estimation.map(|estimation| estimation.whole).or(self.budget)
    }

    /// Returns whether every record carries the constant whatever a person's data are, so that the intercept cell is public.
    #[must_use]
    pub fn constant_is_public(&self) -> bool {
        self.adjacency == Adjacency::ReplaceOne
            && self.missing == Missing::Midpoint
            && self.plan.person.is_none()
    }
}

/// Everything that is wrong with a plan, for a form that shows each fault at its field; the first is the error of
/// [`CheckedPlan::new`].
#[must_use]
pub fn faults(plan: &Plan, purpose: Purpose) -> Vec<PlanError> {
    let na = na(plan);
    let first = [
        check_rows(plan).err(),
        check_protection(plan, plan.protect.unwrap_or(Protect::Rows), purpose).err(),
        check_person(plan).err(),
        check_csv(plan).err(),
    ];
    let budget = check_budget(&plan.budget, purpose);
    let last = [
        check_roles(plan, plan.intercept.unwrap_or(true), purpose).err(),
        budget.as_ref().err().cloned(),
        budget.ok().and_then(|budget| check_estimation(plan, budget.as_ref(), purpose).err()),
        check_confidence(plan).err(),
    ];
    let columns = column_kinds(plan, &na).map(Result::err);
    first.into_iter().chain(columns).chain(last).flatten().collect()
}

fn check_rows(plan: &Plan) -> Result<(), PlanError> {
    let (path, count) = match (plan.adjacency, plan.rows, plan.stated_rows) {
        (Adjacency::ReplaceOne, None, _) => {
            return Err(PlanError::at(
                "rows",
                "under replace-one the number of rows is public and has to be stated",
                "give `rows`, or use add-remove",
            ));
        }
        (Adjacency::AddRemove, Some(_), _) => {
            return Err(PlanError::at(
                "rows",
                "under add-remove the number of rows is private",
                "remove `rows` (a public guess goes into `stated_rows`), or use replace-one",
            ));
        }
        (Adjacency::ReplaceOne, Some(_), Some(_)) => {
            return Err(PlanError::at(
                "stated_rows",
                "under replace-one `rows` already says it",
                "remove `stated_rows`",
            ));
        }
        (Adjacency::ReplaceOne, Some(rows), None) => ("rows", rows),
        (Adjacency::AddRemove, None, Some(rows)) => ("stated_rows", rows),
        (Adjacency::AddRemove, None, None) => return Ok(()),
    };
    if (1..=MAX_ROWS).contains(&count) {
        Ok(())
    } else {
        Err(PlanError::at(path, "the number of rows is out of range", format!("give 1 to {MAX_ROWS}")))
    }
}

fn check_protection(plan: &Plan, protect: Protect, purpose: Purpose) -> Result<(), PlanError> {
    let needed = match protect {
        Protect::Rows => return Ok(()),
        Protect::Labels => Confirm::ProtectLabels,
        Protect::Features => Confirm::ProtectFeatures,
    };
    if plan.adjacency != Adjacency::ReplaceOne {
        return Err(PlanError::at(
            "protect",
            "protecting only labels or only features is defined under replace-one",
            "set `adjacency` to \"replace-one\", or protect rows",
        ));
    }
    if purpose == Purpose::Release && !plan.confirm.contains(&needed) {
        return Err(PlanError::at(
            "confirm",
            "this plan protects less than whole rows, and nobody has confirmed it",
            if needed == Confirm::ProtectLabels {
                "add \"protect-labels\" to `confirm` once the person responsible agrees"
            } else {
                "add \"protect-features\" to `confirm` once the person responsible agrees"
            },
        ));
    }
    Ok(())
}

fn check_person(plan: &Plan) -> Result<u32, PlanError> {
    let max_rows = plan.max_rows_per_person.unwrap_or(1);
    let path = "max_rows_per_person";
    if !(1..=MAX_ROWS_PER_PERSON).contains(&max_rows) {
        let advice = format!("give 1 to {MAX_ROWS_PER_PERSON}");
        return Err(PlanError::at(path, "the number of rows per person is out of range", advice));
    }
    if max_rows > 1 && plan.person.is_none() {
        return Err(PlanError::at(
            path,
            "several rows per person need a column that says whose they are",
            "name it in `person`, or leave this out",
        ));
    }
    Ok(max_rows)
}

/// The delimiter where the plan fixes it, the decimal mark and the encoding.
struct CsvRules {
    delimiter: Option<u8>,
    decimal: u8,
    encoding: Encoding,
}

fn check_csv(plan: &Plan) -> Result<CsvRules, PlanError> {
    let csv = plan.csv.clone().unwrap_or_default();
    let delimiter = csv.delimiter.as_deref().map(delimiter).transpose()?;
    let decimal = decimal(&csv)?;
    if delimiter == Some(b',') && decimal == b',' {
        return Err(PlanError::at(
            "csv.decimal",
            "a comma cannot both end a field and mark a fraction",
            "give another delimiter or decimal mark",
        ));
    }
    Ok(CsvRules { delimiter, decimal, encoding: encoding(&csv)? })
}

/// Cells that count as missing.
fn na(plan: &Plan) -> Vec<String> {
    let given = plan.csv.as_ref().and_then(|csv| csv.na.clone());
    given.unwrap_or_else(|| DEFAULT_NA.iter().map(|text| (*text).to_owned()).collect())
}

fn check_confidence(plan: &Plan) -> Result<f64, PlanError> {
    let confidence = plan.confidence.unwrap_or(0.95);
    if (0.5..=0.999).contains(&confidence) {
        Ok(confidence)
    } else {
        Err(PlanError::at("confidence", "the level is out of range", "give 0.5 to 0.999"))
    }
}

fn delimiter(text: &str) -> Result<u8, PlanError> {
    match text {
        "," | ";" | "\t" | "|" => Ok(text.as_bytes().first().copied().unwrap_or(b',')),
        _ => {
            Err(PlanError::at("csv.delimiter", "this is no delimiter", "give \",\", \";\", \"\\t\" or \"|\""))
        }
    }
}

fn decimal(csv: &Csv) -> Result<u8, PlanError> {
    match csv.decimal.as_deref() {
        None | Some(".") => Ok(b'.'),
        Some(",") => Ok(b','),
        Some(_) => Err(PlanError::at("csv.decimal", "this is no decimal mark", "give \".\" or \",\"")),
    }
}

fn encoding(csv: &Csv) -> Result<Encoding, PlanError> {
    match csv.encoding.as_deref() {
        None | Some("utf-8") => Ok(Encoding::Utf8),
        Some("latin-1") => Ok(Encoding::Latin1),
        Some(_) => {
            Err(PlanError::at("csv.encoding", "this encoding is not known", "give \"utf-8\" or \"latin-1\""))
        }
    }
}

/// How each listed column is read, or what is wrong with it, in the plan's order.
fn column_kinds<'a>(
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
                    "a column has a `name` or a `match`, not both",
                    "give one of the two",
                ));
            }
        };
        if !names.insert(identity) {
            return Err(PlanError::at(path, "this column is listed twice", "keep one of the entries"));
        }
        if plan.person.is_some() && plan.person == column.name && column.role != Role::Ignored {
            return Err(PlanError::at(
                path,
                "the column that identifies a person cannot be a feature or an outcome",
                "remove it from `columns`, or name another column in `person`",
            ));
        }
        kind(column, &path, na)
    })
}

fn check_roles(plan: &Plan, intercept: bool, purpose: Purpose) -> Result<(), PlanError> {
    let has = |role| plan.columns.iter().any(|column| column.role == role);
    if !has(Role::Outcome) && purpose != Purpose::Public {
        return Err(PlanError::at("columns", "no column is an outcome", "give one the role \"outcome\""));
    }
    if !has(Role::Feature) && !intercept {
        return Err(PlanError::at(
            "columns",
            "with neither a feature nor an intercept there is nothing to estimate",
            "give a column the role \"feature\", or set `intercept` to true",
        ));
    }
    Ok(())
}

fn kind(column: &Column, path: &str, na: &[String]) -> Result<Option<Kind>, PlanError> {
    if column.role == Role::Ignored {
        return Ok(None);
    }
    match column.kind {
        None => Err(PlanError::at(
            format!("{path}.type"),
            "a feature or an outcome needs a type",
            "give \"number\" or \"category\"",
        )),
        Some(ColumnType::Number) => number_kind(column, path).map(Some),
        Some(ColumnType::Category) => category_kind(column, path, na).map(Some),
    }
}

fn number_kind(column: &Column, path: &str) -> Result<Kind, PlanError> {
    if column.levels.is_some() || column.reference.is_some() {
        return Err(PlanError::at(path, "a number has no levels", "remove `levels` and `reference`"));
    }
    let advice =
        "state what this value could be for any person, from domain knowledge and not from the table";
    let bound = |bound: Option<Bound>, name: &str| {
        let path = format!("{path}.{name}");
        bound.ok_or_else(|| PlanError::at(path, "a number needs public bounds `lower` and `upper`", advice))
    };
    let (lower, upper) = (bound(column.lower, "lower")?, bound(column.upper, "upper")?);
    // Before they are found, the widest that can be found.
    let lower = lower.stated().unwrap_or(-WIDEST_ESTIMATE);
    let upper = upper.stated().unwrap_or(WIDEST_ESTIMATE);
    let path = format!("{path}.upper");
    // The width too has to be finite: it divides every value.
    if !(lower.is_finite() && upper.is_finite() && lower < upper && (upper - lower).is_finite()) {
        return Err(PlanError::at(path, "`lower` has to be below `upper`, and both finite", advice));
    }
    // Far from where doubles end, so that no coefficient and no variance overflows after the charge.
    if lower.abs().max(upper.abs()) > LARGEST_BOUND || upper - lower < 1.0 / LARGEST_BOUND {
        return Err(PlanError::at(
            path,
            "the bounds are too far out or too close together",
            "measure the column in another unit: bounds reach to 1e100, and are 1e-100 apart or more",
        ));
    }
    Ok(Kind::Number { lower, upper })
}

fn category_kind(column: &Column, path: &str, na: &[String]) -> Result<Kind, PlanError> {
    if column.lower.is_some() || column.upper.is_some() || column.integer.is_some() {
        return Err(PlanError::at(path, "a category has no bounds", "remove `lower`, `upper` and `integer`"));
    }
    let levels_path = format!("{path}.levels");
    let levels = column.levels.clone().unwrap_or_default();
    if levels.len() < 2 {
        return Err(PlanError::at(
            levels_path,
            "a category needs at least two public levels",
            "list every level that is to be told apart",
        ));
    }
    if column.role == Role::Outcome && levels.len() != 2 {
        return Err(PlanError::at(
            levels_path,
            "an outcome that is a category has two levels",
            "list the reference (0) and the other (1)",
        ));
    }
    let mut seen = BTreeSet::new();
    for level in &levels {
        if level.trim() != level || na.iter().any(|token| token == level) {
            return Err(PlanError::at(
                levels_path,
                "a level has outer spaces or counts as missing",
                "remove the spaces, or take the level out of `levels` or of `csv.na`",
            ));
        }
        if !seen.insert(level) {
            return Err(PlanError::at(levels_path, "a level is listed twice", "keep one of the two"));
        }
    }
    let position = |wanted: &str| levels.iter().position(|level| level == wanted);
    let reference = match &column.reference {
        None => 0,
        Some(name) => position(name).ok_or_else(|| {
            PlanError::at(format!("{path}.reference"), "this is none of the levels", "name one of `levels`")
        })?,
    };
    let other = position("other");
    Ok(Kind::Category { levels, reference, other })
}

/// What of a budget estimating bounds costs.
fn check_estimation(
    plan: &Plan,
    budget: Option<&Budget>,
    purpose: Purpose,
) -> Result<Option<Estimation>, PlanError> {
    let estimated = plan.columns.iter().position(Column::is_estimated);
    let Some(share) = plan.estimate_share.or(estimated.map(|_| DEFAULT_ESTIMATE_SHARE)) else {
        return Ok(None);
    };
    let refuse = |path: String, what: &str, advice: &str| Err(PlanError::at(path, what, advice));
    if let Some(index) = estimated {
        let path = format!("columns[{index}].lower");
        let stating = "state both bounds from domain knowledge";
        if purpose == Purpose::Public {
            return refuse(path, "bounds are not estimated from a public table", stating);
        }
        if budget.is_none() {
            return refuse(path, "without noise no bounds are estimated", stating);
        }
        if plan.mechanism.calibration == Some(Calibration::Paper) {
            return refuse(path, "with a paper's own scale no bounds are estimated", stating);
        }
        if plan.rows.or(plan.stated_rows).is_none() {
            return refuse(
                "stated_rows".to_owned(),
                "whether bounds can be estimated depends on the number of rows, and the plan states none",
                "state about how many rows there are, from public knowledge",
            );
        }
    }
    let Some(budget) = budget else { return Ok(None) };
    if !(LEAST_ESTIMATE_SHARE..=GREATEST_ESTIMATE_SHARE).contains(&share) {
        return refuse(
            "estimate_share".to_owned(),
            "the share of the budget for estimating bounds is out of range",
            "give 0.01 to 0.5",
        );
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0.01 to 0.5 of 10,000")]
    let parts = (share * f64::from(WHOLE_SHARE)).round() as u32;
    let (units, rest) = set_aside(budget, parts)
        .map_err(|error| PlanError::at("budget", error.to_string(), "give a larger budget"))?;
    Ok(Some(Estimation { share, units, whole: *budget, rest }))
}

fn check_budget(form: &BudgetForm, purpose: Purpose) -> Result<Option<Budget>, PlanError> {
    let advice = "give {\"epsilon\", \"delta\"}, {\"rho\"} or {\"mu\"}";
    let delta = form.delta.map(delta).transpose()?;
    match (form.epsilon, delta, form.rho, form.mu, form.none) {
        (Some(epsilon), Some(delta), None, None, None) => {
            Ok(Some(Budget::EpsilonDelta { epsilon: positive("epsilon", epsilon, Epsilon::try_new)?, delta }))
        }
        (None, delta, Some(rho), None, None) => {
            Ok(Some(Budget::Rho { rho: positive("rho", rho, Rho::try_new)?, delta }))
        }
        (None, delta, None, Some(mu), None) => {
            Ok(Some(Budget::Mu { mu: positive("mu", mu, Mu::try_new)?, delta }))
        }
        (None, None, None, None, Some(true)) if purpose != Purpose::Release => Ok(None),
        (None, None, None, None, Some(true)) => Err(PlanError::at(
            "budget.none",
            "a release without noise protects nobody",
            "give a budget; only `simulate` runs without one",
        )),
        (Some(_), None, None, None, None) => Err(PlanError::at(
            "budget.delta",
            "epsilon alone is no budget, and delta has no silent default",
            "state delta, about one over ten times the number of rows",
        )),
        _ => Err(PlanError::at("budget", "a budget has exactly one form", advice)),
    }
}

fn positive<T>(
    name: &str,
    value: f64,
    measure: impl Fn(f64) -> Result<T, MeasureError>,
) -> Result<T, PlanError> {
    measure(value).ok().filter(|_| value > 0.0).ok_or_else(|| {
        PlanError::at(format!("budget.{name}"), "a budget has to be above 0", "give a larger number")
    })
}

fn delta(value: f64) -> Result<Delta, PlanError> {
    Delta::try_new(value).ok().filter(|_| (LEAST_DELTA..1.0).contains(&value)).ok_or_else(|| {
        PlanError::at(
            "budget.delta",
            "delta is a probability that has to be tiny, but not below 2^-40",
            "give about one over ten times the number of rows, such as 1e-6",
        )
    })
}
