//! Checks a plan and fills in its defaults. After [`CheckedPlan`] only a header can refuse a plan.

use super::bound::{Encoding, Kind};
use super::derived::{self, DerivedTerm, name_of};
use super::document::{BudgetForm, Calibration, Column, Confirm, Csv, Plan, Transform};
use super::error::PlanError;
use super::kinds::{column_kinds, na, number_format, written};
use super::number_format::NumberFormat;
use crate::model::{Missing, Role};
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::{Budget, LEAST_DELTA, WHOLE_SHARE, set_aside};
use crate::privacy::measure::{Delta, Epsilon, MeasureError, Mu, Rho};
use crate::words;

/// Most rows that a table may have, so that exact sums stay below 2^79 (theory/encoding 2.6).
pub const MAX_ROWS: u64 = 1 << 30;

/// The last line that may be the header.
pub const MAX_HEADER_LINE: u32 = 100;

/// Most rows of one person that may count.
pub const MAX_ROWS_PER_PERSON: u32 = 1 << 16;

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
    /// The part of the plan's budget that is set aside for estimating bounds.
    pub estimation: Option<Estimation>,
    /// Level of the intervals.
    pub confidence: f64,
    /// Whose noise scale is used.
    pub calibration: Calibration,
    /// How each listed column is read, in the plan's order; `None` for ignored ones.
    pub kinds: Vec<Option<Kind>>,
    /// How the numbers of each listed column are written, in the plan's order; `None` where as in the whole table.
    pub formats: Vec<Option<NumberFormat>>,
    /// The derived terms, in the plan's order.
    pub derived: Vec<DerivedTerm>,
    /// The delimiter, where the plan fixes it.
    pub delimiter: Option<u8>,
    /// How numbers are written.
    pub numbers: NumberFormat,
    /// The character encoding.
    pub encoding: Encoding,
    /// Cells that count as missing.
    pub na: Vec<String>,
    /// The line that is the header, from 1; 0 if there is none.
    pub header: u32,
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
        let CsvRules { delimiter, numbers, encoding, header } = check_csv(&plan)?;
        let na = na(&plan);
        let intercept = plan.intercept.unwrap_or(true);
        let kinds = column_kinds(&plan, &na).collect::<Result<Vec<_>, _>>()?;
        // A format that is wrong is a fault of its column's kind, unless nothing reads the column.
        let format = |column: &Column| column.written.as_ref().and_then(|of| written(of, "").ok());
        let formats = plan.columns.iter().map(format).collect();
        let derived = derived::terms(&plan, &kinds, &na).into_iter().collect::<Result<Vec<_>, _>>()?;
        conditions(&plan, &kinds, &na).collect::<Result<(), _>>()?;
        check_roles(&plan, intercept, purpose)?;
        let whole = check_budget(&plan.budget, purpose)?;
        let estimation = check_estimation(&plan, whole.as_ref(), purpose)?;
        let budget = estimation.as_ref().map(|estimation| estimation.rest).or(whole);
        let confidence = check_confidence(&plan)?;
        check_correlation(&plan)?;
        let rule = plan.missing.unwrap_or_default();
        let calibration = plan.mechanism.calibration.unwrap_or_default();

        let mut filled = plan;
        filled.protect = Some(protect);
        filled.max_rows_per_person = Some(max_rows_per_person);
        filled.intercept = Some(intercept);
        filled.missing = Some(rule);
        filled.confidence = Some(confidence);
        filled.estimate_share = estimation.as_ref().map(|estimation| estimation.share);
        fill_terms(&mut filled, &kinds, &derived);
        filled.mechanism.calibration = Some(calibration);
        filled.csv = Some(Csv {
            delimiter: delimiter.map(|byte| char::from(byte).to_string()),
            decimal: Some(char::from(numbers.decimal).to_string()),
            thousands: numbers.thousands,
            percent: numbers.percent.then_some(true),
            encoding: Some(if encoding == Encoding::Utf8 { "utf-8" } else { "latin-1" }.to_owned()),
            na: Some(na.clone()),
            header: Some(header),
        });
        Ok(Self {
            adjacency: filled.adjacency,
            protect,
            rows: filled.rows,
            max_rows_per_person,
            intercept,
            missing: rule,
            budget,
            estimation,
            confidence,
            calibration,
            kinds,
            formats,
            derived,
            delimiter,
            numbers,
            encoding,
            na,
            header,
            plan: filled,
        })
    }

    /// Returns the row count that previews, ridges and radii may use: public, or a public guess.
    pub fn public_rows(&self) -> Option<u64> {
        self.rows.or(self.plan.stated_rows)
    }

    /// Returns the plan's own budget, whatever of it is set aside.
    pub fn whole_budget(&self) -> Option<Budget> {
        self.estimation.map(|estimation| estimation.whole).or(self.budget)
    }

    /// Returns whether every record carries the constant whatever a person's data are, so that the intercept cell is public.
    pub fn constant_is_public(&self) -> bool {
        self.adjacency == Adjacency::ReplaceOne && self.plan.takes_every_row()
    }
}

/// Returns everything that is wrong with a plan, for a form that shows each fault at its field; the first is the error of
/// [`CheckedPlan::new`].
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
        check_correlation(plan).err(),
    ];
    let kinds: Vec<Result<Option<Kind>, PlanError>> = column_kinds(plan, &na).collect();
    let (derived, only) = match kinds.iter().cloned().collect::<Result<Vec<_>, _>>() {
        Ok(kinds) => (derived::terms(plan, &kinds, &na), conditions(plan, &kinds, &na).collect()),
        // Terms made from a faulty column are not checked, so that its fault is reported once.
        Err(_) => (Vec::new(), Vec::new()),
    };
    let columns = kinds.into_iter().map(Result::err).chain(derived.into_iter().map(Result::err));
    first.into_iter().chain(columns).chain(only.into_iter().map(Result::err)).chain(last).flatten().collect()
}

fn check_rows(plan: &Plan) -> Result<(), PlanError> {
    let (path, count) = match (plan.adjacency, plan.rows, plan.stated_rows) {
        (Adjacency::ReplaceOne, None, _) => {
            return Err(PlanError::at(
                "rows",
                words::plan::rows_missing(),
                words::plan::rows_missing_advice(),
            ));
        }
        (Adjacency::AddRemove, Some(_), _) => {
            return Err(PlanError::at(
                "rows",
                words::plan::rows_private(),
                words::plan::rows_private_advice(),
            ));
        }
        (Adjacency::ReplaceOne, Some(_), Some(_)) => {
            return Err(PlanError::at(
                "stated_rows",
                words::plan::rows_twice(),
                words::plan::rows_twice_advice(),
            ));
        }
        (Adjacency::ReplaceOne, Some(rows), None) => ("rows", rows),
        (Adjacency::AddRemove, None, Some(rows)) => ("stated_rows", rows),
        (Adjacency::AddRemove, None, None) => return Ok(()),
    };
    if (1..=MAX_ROWS).contains(&count) {
        Ok(())
    } else {
        Err(PlanError::at(path, words::plan::rows_range(), words::plan::up_to_advice(MAX_ROWS)))
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
            words::plan::protect_adjacency(),
            words::plan::protect_adjacency_advice(),
        ));
    }
    if purpose == Purpose::Release && !plan.confirm.contains(&needed) {
        return Err(PlanError::at(
            "confirm",
            words::plan::protect_unconfirmed(),
            if needed == Confirm::ProtectLabels {
                words::plan::protect_labels_advice()
            } else {
                words::plan::protect_features_advice()
            },
        ));
    }
    Ok(())
}

fn check_person(plan: &Plan) -> Result<u32, PlanError> {
    let max_rows = plan.max_rows_per_person.unwrap_or(1);
    let path = "max_rows_per_person";
    if !(1..=MAX_ROWS_PER_PERSON).contains(&max_rows) {
        let advice = words::plan::up_to_advice(MAX_ROWS_PER_PERSON);
        return Err(PlanError::at(path, words::plan::person_rows_range(), advice));
    }
    if max_rows > 1 && plan.person.is_none() {
        return Err(PlanError::at(path, words::plan::person_missing(), words::plan::person_missing_advice()));
    }
    Ok(max_rows)
}

/// Checks each condition on the rows that count.
///
/// If labels or features alone are protected, conditions are not allowed: the sums of the other side, which is public, would show
/// who counts (theory/encoding 2.9).
fn conditions<'a>(
    plan: &'a Plan,
    kinds: &'a [Option<Kind>],
    na: &'a [String],
) -> impl Iterator<Item = Result<(), PlanError>> + 'a {
    let whole = plan.protect.is_none_or(|protect| protect == Protect::Rows);
    plan.only.iter().enumerate().map(move |(index, condition)| {
        let path = || format!("only[{index}]");
        let wrong = |what: String| Err(PlanError::at(path(), what, words::plan::condition_advice()));
        let name = &condition.column;
        if !whole {
            let advice = words::plan::condition_side_advice();
            return Err(PlanError::at(path(), words::plan::condition_side(), advice));
        }
        if plan.only.iter().take(index).any(|before| before.column == *name) {
            return wrong(words::plan::condition_twice(name));
        }
        let listed = plan.columns.iter().position(|column| column.name.as_ref() == Some(name));
        let term = plan.derived.iter().find(|term| listed.is_none() && name_of(term) == *name);
        if term.is_some_and(|term| term.transform != Transform::Difference) {
            let advice = words::plan::condition_term_advice();
            return Err(PlanError::at(path(), words::plan::condition_term(name), advice));
        }
        if term.is_some() && condition.levels.is_some() {
            return wrong(words::plan::condition_difference(name));
        }
        let kind = listed.and_then(|place| kinds.get(place)?.as_ref());
        match (condition.lower, condition.upper, &condition.levels) {
            (None, None, None) | (Some(_), _, Some(_)) | (_, Some(_), Some(_)) => {
                wrong(words::plan::condition_form(name))
            }
            (lower, upper, None) => {
                let (least, most) = (lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY));
                let apart = |kind: &Kind| matches!(kind, Kind::Number { lower, upper } if least > *upper || most < *lower);
                if least > most || kind.is_some_and(apart) {
                    return wrong(words::plan::condition_nobody(name));
                }
                Ok(())
            }
            (None, None, Some(levels)) => {
                let unread = |level: &String| level.trim() != level || level.is_empty() || na.contains(level);
                if levels.is_empty() || levels.iter().any(unread) {
                    return wrong(words::plan::condition_levels(name));
                }
                let Some(Kind::Category { levels: known, other: None, .. }) = kind else { return Ok(()) };
                let counted = known.iter().filter(|level| levels.contains(level)).count();
                if counted < known.len().min(2) {
                    let advice = words::plan::condition_constant_advice();
                    return Err(PlanError::at(path(), words::plan::condition_constant(name), advice));
                }
                Ok(())
            }
        }
    })
}

/// The delimiter where the plan fixes it, how numbers are written and the encoding.
struct CsvRules {
    delimiter: Option<u8>,
    numbers: NumberFormat,
    encoding: Encoding,
    header: u32,
}

fn check_csv(plan: &Plan) -> Result<CsvRules, PlanError> {
    let csv = plan.csv.clone().unwrap_or_default();
    let delimiter = csv.delimiter.as_deref().map(delimiter).transpose()?;
    let numbers = number_format(csv.decimal.as_deref(), csv.thousands, csv.percent, "csv")?;
    if delimiter == Some(b',') && numbers.decimal == b',' {
        return Err(PlanError::at(
            "csv.decimal",
            words::plan::commas_clash(),
            words::plan::commas_clash_advice(),
        ));
    }
    let header = csv.header.unwrap_or(1);
    if header > MAX_HEADER_LINE {
        return Err(PlanError::at(
            "csv.header",
            words::plan::header_line(),
            words::plan::header_line_advice(MAX_HEADER_LINE),
        ));
    }
    Ok(CsvRules { delimiter, numbers, encoding: encoding(&csv)?, header })
}

fn check_confidence(plan: &Plan) -> Result<f64, PlanError> {
    let confidence = plan.interval_level();
    if (0.5..=0.999).contains(&confidence) {
        Ok(confidence)
    } else {
        Err(PlanError::at(
            "confidence",
            words::plan::confidence_range(),
            words::plan::confidence_range_advice(),
        ))
    }
}

/// The largest correlation that may be assumed. With a larger one, two features are practically the same.
const MOST_CORRELATION: f64 = 0.95;

fn check_correlation(plan: &Plan) -> Result<(), PlanError> {
    if plan.typical_correlation.is_none_or(|of| (0.0..=MOST_CORRELATION).contains(&of)) {
        return Ok(());
    }
    Err(PlanError::at(
        "typical_correlation",
        words::plan::correlation_range(),
        words::plan::correlation_range_advice(),
    ))
}

fn delimiter(text: &str) -> Result<u8, PlanError> {
    match text {
        "," | ";" | "\t" | "|" => Ok(text.as_bytes().first().copied().unwrap_or(b',')),
        _ => Err(PlanError::at(
            "csv.delimiter",
            words::plan::delimiter_unknown(),
            words::plan::delimiter_unknown_advice(),
        )),
    }
}

fn encoding(csv: &Csv) -> Result<Encoding, PlanError> {
    match csv.encoding.as_deref() {
        None | Some("utf-8") => Ok(Encoding::Utf8),
        Some("latin-1") => Ok(Encoding::Latin1),
        Some(_) => Err(PlanError::at(
            "csv.encoding",
            words::plan::encoding_unknown(),
            words::plan::encoding_unknown_advice(),
        )),
    }
}

/// Fills in the reference levels, and the names and roles of derived terms.
fn fill_terms(plan: &mut Plan, kinds: &[Option<Kind>], derived: &[DerivedTerm]) {
    for (column, kind) in plan.columns.iter_mut().zip(kinds) {
        if let Some(Kind::Category { levels, reference, .. }) = kind {
            column.reference = levels.get(*reference).cloned();
        }
    }
    for (entry, term) in plan.derived.iter_mut().zip(derived) {
        entry.name = Some(term.name.clone());
        entry.role = Some(entry.role.unwrap_or(Role::Feature));
    }
}

fn check_roles(plan: &Plan, intercept: bool, purpose: Purpose) -> Result<(), PlanError> {
    let has = |role| {
        plan.columns.iter().any(|column| column.role == role) || plan.derived_with(role).next().is_some()
    };
    if !has(Role::Outcome) && purpose != Purpose::Public {
        return Err(PlanError::at("columns", words::plan::no_outcome(), words::plan::no_outcome_advice()));
    }
    if !has(Role::Feature) && !intercept {
        return Err(PlanError::at(
            "columns",
            words::plan::no_predictor(),
            words::plan::no_predictor_advice(),
        ));
    }
    Ok(())
}

/// Returns how the budget is divided between estimating bounds and the mechanism. `None` if no bounds are estimated.
fn check_estimation(
    plan: &Plan,
    budget: Option<&Budget>,
    purpose: Purpose,
) -> Result<Option<Estimation>, PlanError> {
    let estimated = plan.columns.iter().position(Column::is_estimated);
    let Some(share) = plan.estimate_share.or(estimated.map(|_| DEFAULT_ESTIMATE_SHARE)) else {
        return Ok(None);
    };
    if let Some(index) = estimated {
        let state = |why: &str| {
            Err(PlanError::at(format!("columns[{index}].lower"), why, words::plan::bounds_state_advice()))
        };
        if purpose == Purpose::Public {
            return state(words::plan::bounds_of_public());
        }
        if budget.is_none() {
            return state(words::plan::bounds_without_noise());
        }
        if plan.mechanism.calibration == Some(Calibration::Paper) {
            return state(words::plan::bounds_paper());
        }
        if plan.rows.or(plan.stated_rows).is_none() {
            return Err(PlanError::at(
                "stated_rows",
                words::plan::bounds_rows_needed(),
                words::plan::bounds_rows_advice(),
            ));
        }
    }
    let Some(budget) = budget else { return Ok(None) };
    if !(LEAST_ESTIMATE_SHARE..=GREATEST_ESTIMATE_SHARE).contains(&share) {
        return Err(PlanError::at(
            "estimate_share",
            words::plan::estimate_share_range(),
            words::plan::estimate_share_advice(),
        ));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0.01 to 0.5 of 10,000")]
    let parts = (share * f64::from(WHOLE_SHARE)).round() as u32;
    let (units, rest) = set_aside(budget, parts)
        .map_err(|error| PlanError::at("budget", error.to_string(), words::plan::estimate_budget_advice()))?;
    Ok(Some(Estimation { share, units, whole: *budget, rest }))
}

fn check_budget(form: &BudgetForm, purpose: Purpose) -> Result<Option<Budget>, PlanError> {
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
        (None, None, None, None, Some(true)) => {
            Err(PlanError::at("budget.none", words::plan::no_noise(), words::plan::no_noise_advice()))
        }
        (Some(_), None, None, None, None) => Err(PlanError::at(
            "budget.delta",
            words::plan::delta_missing(),
            words::plan::delta_missing_advice(),
        )),
        _ => {
            let forms =
                words::plan::budget_forms_advice(r#"{"epsilon", "delta"}"#, r#"{"rho"}"#, r#"{"mu"}"#);
            Err(PlanError::at("budget", words::plan::budget_forms(), forms))
        }
    }
}

fn positive<T>(
    name: &str,
    value: f64,
    measure: impl Fn(f64) -> Result<T, MeasureError>,
) -> Result<T, PlanError> {
    measure(value).ok().filter(|_| value > 0.0).ok_or_else(|| {
        PlanError::at(format!("budget.{name}"), words::plan::budget_zero(), words::plan::budget_zero_advice())
    })
}

fn delta(value: f64) -> Result<Delta, PlanError> {
    Delta::try_new(value).ok().filter(|_| (LEAST_DELTA..1.0).contains(&value)).ok_or_else(|| {
        PlanError::at("budget.delta", words::plan::delta_range(), words::plan::delta_range_advice())
    })
}
