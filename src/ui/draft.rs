//! What a person has typed so far, and its way to a plan and back: pure, and tested natively.

use serde_json::{Map, Value};

use super::rules;
use crate::mechanisms::{USUAL, Wallet, find};
use crate::plan::document::{
    BudgetForm, Calibration, Column, ColumnRole, ColumnType, Confirm, Csv, Mechanism, MissingRule, Plan,
    SCHEMA,
};
use crate::plan::search::Search;
use crate::privacy::adjacency::{Adjacency, Protect};

/// One column as it is described so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColumnDraft {
    /// The header's name.
    pub name: String,
    /// Feature, outcome or ignored.
    pub role: ColumnRole,
    /// Number or category; unset until the file or the person says.
    pub kind: Option<ColumnType>,
    /// Lower bound as typed.
    pub lower: String,
    /// Upper bound as typed.
    pub upper: String,
    /// Unit as typed.
    pub unit: String,
    /// Levels as typed, separated by commas.
    pub levels: String,
    /// Reference level; empty for the first.
    pub reference: String,
    /// Where the range comes from.
    pub note: String,
    /// Whether the row is ticked for "apply to many".
    pub selected: bool,
}

/// How the budget is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BudgetKind {
    /// ε and δ.
    #[default]
    EpsilonDelta,
    /// ρ, and δ to quote ε.
    Rho,
    /// μ, and δ to quote ε.
    Mu,
}

/// What kinds of release a budget is kept for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kept {
    /// Releases with Gaussian noise.
    #[default]
    Gaussian,
    /// Mechanisms that are known by ε and δ alone.
    Other,
    /// Both: half of ε and a tenth of δ for the others.
    Both,
}

/// Everything but the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The delimiter, empty where the header line decides.
    pub delimiter: String,
    /// `.` or `,`.
    pub decimal: String,
    /// `utf-8` or `latin-1`.
    pub encoding: String,
    /// Cells that count as missing, separated by commas; `None` for the usual ones.
    pub na: Option<String>,
    /// The column that says whose a row is; empty where each row is one person.
    pub person: String,
    /// Rows of one person that count, as typed.
    pub max_rows: String,
    /// The rule for missing cells.
    pub missing: MissingRule,
    /// What neighbouring tables are.
    pub adjacency: Adjacency,
    /// Whom the guarantee covers.
    pub protect: Protect,
    /// Whether the words were typed that a relaxed guarantee takes.
    pub protect_confirmed: bool,
    /// The stated, public number of rows, as typed.
    pub rows: String,
    /// Whether the regressions have a constant.
    pub intercept: bool,
    /// The mechanism's name in the contract.
    pub mechanism: String,
    /// Whether the noise has the paper's own scale.
    pub paper: bool,
    /// Whether the person accepts a proof that assumes real-number arithmetic.
    pub idealised: bool,
    /// The mechanism's parameters as typed; empty ones have their defaults.
    pub params: Vec<(String, String)>,
    /// Level of the intervals in percent, as typed.
    pub confidence: String,
    /// How the budget is written.
    pub form: BudgetKind,
    /// ε as typed.
    pub epsilon: String,
    /// N of δ = 1/N, as typed; empty where it follows the stated rows.
    pub one_in: String,
    /// ρ as typed.
    pub rho: String,
    /// μ as typed.
    pub mu: String,
    /// What kinds of release a new budget is kept for.
    pub split: Kept,
    /// Share of what is left in the budget that the next release asks for, in percent.
    pub share: u8,
    /// Patterns under which the plan may keep columns.
    pub patterns: Vec<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            delimiter: String::new(),
            decimal: ".".to_owned(),
            encoding: "utf-8".to_owned(),
            na: None,
            person: String::new(),
            max_rows: "1".to_owned(),
            missing: MissingRule::Skip,
            adjacency: Adjacency::AddRemove,
            protect: Protect::Rows,
            protect_confirmed: false,
            rows: String::new(),
            intercept: true,
            mechanism: USUAL.to_owned(),
            paper: false,
            idealised: false,
            params: Vec::new(),
            confidence: "95".to_owned(),
            form: BudgetKind::EpsilonDelta,
            epsilon: "1".to_owned(),
            one_in: String::new(),
            rho: "0.05".to_owned(),
            mu: "0.3".to_owned(),
            split: Kept::Gaussian,
            share: 50,
            patterns: Vec::new(),
        }
    }
}

/// Where in the page something is missing or wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// No table yet.
    Data,
    /// The columns as a whole.
    Columns,
    /// One cell of the column table.
    Cell(usize, Cell),
    /// A field of the privacy step.
    Privacy(&'static str),
    /// A field of the method step.
    Method(String),
}

/// A cell of the column table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The role.
    Role,
    /// The type.
    Kind,
    /// The lower bound.
    Lower,
    /// The upper bound.
    Upper,
    /// The unit.
    Unit,
    /// The levels.
    Levels,
    /// The reference level.
    Reference,
}

/// Something that keeps the plan from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where.
    pub place: Place,
    /// What, and what to do.
    pub text: String,
}

impl Gap {
    fn new(place: Place, text: impl Into<String>) -> Self {
        Self { place, text: text.into() }
    }
}

/// Reads a number as a person types it: spaces, a real minus sign and a decimal comma are understood.
#[must_use]
pub fn number(text: &str) -> Option<f64> {
    let plain: String = text
        .trim()
        .chars()
        .filter(|c| !matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '_'))
        .map(|c| if c == '−' { '-' } else { c })
        .collect();
    let plain = match (plain.contains(','), plain.contains('.')) {
        (true, false) if plain.matches(',').count() == 1 => plain.replace(',', "."),
        _ => plain,
    };
    if !plain.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | '.')) {
        return None;
    }
    plain.parse::<f64>().ok().filter(|value| value.is_finite())
}

/// Reads a whole number that is at least 1.
#[must_use]
pub fn count(text: &str) -> Option<u64> {
    let plain: String = text.trim().chars().filter(|c| !c.is_whitespace() && *c != ',').collect();
    plain.parse::<u64>().ok().filter(|value| *value > 0)
}

/// Reads a list separated by commas; an entry that holds a comma stands in double quotes.
#[must_use]
pub fn list(text: &str) -> Vec<String> {
    let mut entries = Vec::new();
    let (mut entry, mut quoted) = (String::new(), false);
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => entries.push(std::mem::take(&mut entry)),
            c => entry.push(c),
        }
    }
    entries.push(entry);
    entries.iter().map(|entry| entry.trim().to_owned()).filter(|entry| !entry.is_empty()).collect()
}

/// The reverse of [`list`].
#[must_use]
pub fn unlist(entries: &[String]) -> String {
    let write = |entry: &String| if entry.contains(',') { format!("\"{entry}\"") } else { entry.clone() };
    entries.iter().map(write).collect::<Vec<_>>().join(", ")
}

/// Reads a block that was copied from a spreadsheet: rows by line, cells by tab.
#[must_use]
pub fn block(text: &str) -> Vec<Vec<String>> {
    let lines = text.trim_end_matches(['\r', '\n']).lines();
    lines.map(|line| line.split('\t').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// Whether a pasted text is a block rather than a value.
#[must_use]
pub fn is_block(text: &str) -> bool {
    let text = text.trim_end_matches(['\r', '\n']);
    text.contains('\t') || text.contains('\n')
}

/// Fills a pasted block into the rows `targets`, its first cell into `first`.
pub fn paste(columns: &mut [ColumnDraft], targets: &[usize], first: Cell, block: &[Vec<String>]) {
    const ORDER: [Cell; 3] = [Cell::Lower, Cell::Upper, Cell::Unit];
    let start = ORDER.iter().position(|cell| *cell == first);
    for (row, index) in block.iter().zip(targets) {
        let Some(column) = columns.get_mut(*index) else { continue };
        for (offset, value) in row.iter().enumerate() {
            let cell = match start {
                Some(start) => ORDER.get(start + offset).copied(),
                None => Some(first).filter(|_| offset == 0),
            };
            match cell {
                Some(Cell::Lower) => column.lower.clone_from(value),
                Some(Cell::Upper) => column.upper.clone_from(value),
                Some(Cell::Unit) => column.unit.clone_from(value),
                Some(Cell::Levels) => column.levels.clone_from(value),
                _ => {}
            }
            column.note.clear();
        }
    }
}

/// The rows whose names fit what is typed into the filter: a part of the name, or a pattern with stars.
#[must_use]
pub fn filtered(columns: &[ColumnDraft], filter: &str) -> Vec<usize> {
    let search = Search::new(filter);
    let found = columns.iter().enumerate().filter(|(_, column)| search.finds(&column.name));
    found.map(|(index, _)| index).collect()
}

/// What is missing in one column, if anything.
#[must_use]
pub fn column_gap(index: usize, draft: &ColumnDraft) -> Option<Gap> {
    let (cell, text) = lack(draft)?;
    Some(Gap::new(Place::Cell(index, cell), format!("{}: {text}", draft.name)))
}

/// The cell in which something is missing, and what.
#[must_use]
pub fn lack(draft: &ColumnDraft) -> Option<(Cell, &'static str)> {
    if draft.role == ColumnRole::Ignored {
        return None;
    }
    match draft.kind {
        None => Some((Cell::Kind, "say whether it is a number or a category")),
        Some(ColumnType::Number) => {
            let lower = number(&draft.lower);
            let upper = number(&draft.upper);
            match (lower, upper) {
                (None, _) if draft.lower.trim().is_empty() => {
                    Some((Cell::Lower, "state its smallest possible value"))
                }
                (_, None) if draft.upper.trim().is_empty() => {
                    Some((Cell::Upper, "state its largest possible value"))
                }
                (None, _) => Some((Cell::Lower, "this is no number")),
                (_, None) => Some((Cell::Upper, "this is no number")),
                (Some(lower), Some(upper)) if lower >= upper => {
                    Some((Cell::Upper, "the largest value has to be above the smallest"))
                }
                _ => None,
            }
        }
        Some(ColumnType::Category) => {
            let levels = list(&draft.levels);
            let reference = draft.reference.trim();
            if levels.len() < 2 {
                Some((Cell::Levels, "list the levels it can have, at least two, with commas between"))
            } else if draft.role == ColumnRole::Outcome && levels.len() != 2 {
                Some((Cell::Levels, "an outcome that is a category has exactly two levels"))
            } else if !reference.is_empty() && !levels.iter().any(|level| level == reference) {
                Some((Cell::Reference, "the reference is none of the levels"))
            } else {
                None
            }
        }
    }
}

/// N of the δ = 1/N that is proposed for a stated number of rows: ten times as many, rounded up to one digit.
#[must_use]
pub fn proposed_one_in(rows: u64) -> u64 {
    let target = rows.max(1).saturating_mul(10);
    let mut power = 1_u64;
    while power.saturating_mul(10) <= target {
        power = power.saturating_mul(10);
    }
    target.div_ceil(power).saturating_mul(power)
}

/// The δ that the person states, or that follows from the stated rows.
#[must_use]
pub fn delta(setup: &Setup) -> Option<f64> {
    let one_in = if setup.one_in.trim().is_empty() {
        count(&setup.rows).map(proposed_one_in)
    } else {
        count(&setup.one_in)
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "a count of persons; one part in 2^53 does not matter in delta"
    )]
    one_in.map(|n| 1.0 / n as f64)
}

/// The whole table's budget as the contract writes it.
///
/// # Errors
/// The field that is missing or no number.
pub fn budget(setup: &Setup) -> Result<BudgetForm, Gap> {
    let positive = |text: &str, field: &'static str, what: &str| {
        number(text)
            .filter(|value| *value > 0.0)
            .ok_or_else(|| Gap::new(Place::Privacy(field), format!("{what} has to be a number above 0")))
    };
    let delta = delta(setup).ok_or_else(|| {
        if setup.one_in.trim().is_empty() {
            Gap::new(
                Place::Privacy("rows"),
                "State about how many rows the table has, as a number that may be public",
            )
        } else {
            Gap::new(Place::Privacy("delta"), "Delta is one in a whole number, such as 1 000 000")
        }
    })?;
    let mut form = BudgetForm { delta: Some(delta), ..BudgetForm::default() };
    match setup.form {
        BudgetKind::EpsilonDelta => form.epsilon = Some(positive(&setup.epsilon, "epsilon", "Epsilon")?),
        BudgetKind::Rho => form.rho = Some(positive(&setup.rho, "rho", "Rho")?),
        BudgetKind::Mu => form.mu = Some(positive(&setup.mu, "mu", "Mu")?),
    }
    Ok(form)
}

/// What a release asks for that takes `share` percent of what is `left` of a Gaussian ledger, in units of 2^-40 of μ²:
/// μ = √(left · share / 100 / 2^40), rounded down to six digits so that it fits and can be read out.
#[must_use]
pub fn ask(left: u128, share: u8, delta: f64) -> BudgetForm {
    #[expect(clippy::cast_precision_loss, reason = "rounded down to six digits afterwards")]
    let units = left as f64 * f64::from(share.min(100)) / 100.0;
    let mu = (units / 1_099_511_627_776.0).sqrt();
    BudgetForm { mu: six_digits_down(mu), delta: Some(delta), ..BudgetForm::default() }
}

/// What a release of the Other wallet asks for that takes `share` percent of what is left of it: ε rounded down to six digits,
/// so that it fits and can be read out.
#[must_use]
pub fn ask_other(epsilon: f64, delta: f64, share: u8) -> BudgetForm {
    let part = |left: f64| six_digits_down(left * f64::from(share.min(100)) / 100.0);
    BudgetForm { epsilon: part(epsilon), delta: part(delta), ..BudgetForm::default() }
}

/// The number rounded down to six digits; nothing where it is none.
fn six_digits_down(number: f64) -> Option<f64> {
    let place = libm::pow(10.0, libm::floor(libm::log10(number)) - 5.0);
    let rounded = libm::floor(number / place) * place;
    // Written with its six digits, so that the plan holds 0.167348 and not a neighbour of it.
    let written = format!("{rounded:.5e}").parse().unwrap_or(rounded);
    Some(written).filter(|number: &f64| number.is_finite())
}

/// Makes the plan that the draft stands for, with `budget` as what this release asks for.
///
/// # Errors
/// Everything that is still missing, in the order of the steps.
pub fn plan(
    columns: &[ColumnDraft],
    setup: &Setup,
    budget: Result<BudgetForm, Gap>,
) -> Result<Plan, Vec<Gap>> {
    let mut gaps = Vec::new();
    if columns.is_empty() {
        gaps.push(Gap::new(Place::Data, "Choose a table"));
        return Err(gaps);
    }
    gaps.extend(columns.iter().enumerate().filter_map(|(index, column)| column_gap(index, column)));
    let has = |role| columns.iter().any(|column| column.role == role);
    if !has(ColumnRole::Outcome) {
        gaps.push(Gap::new(Place::Columns, "Choose the outcome: the column that is to be explained"));
    }
    if !has(ColumnRole::Feature) {
        gaps.push(Gap::new(
            Place::Columns,
            "Choose at least one feature: a column that explains the outcome",
        ));
    }
    let rows = count(&setup.rows);
    if setup.adjacency == Adjacency::ReplaceOne && rows.is_none() {
        gaps.push(Gap::new(
            Place::Privacy("rows"),
            "Replacing one person makes the number of rows public: state it exactly",
        ));
    }
    if setup.protect != Protect::Rows {
        if setup.adjacency != Adjacency::ReplaceOne {
            gaps.push(Gap::new(
                Place::Privacy("adjacency"),
                "Where a part of each row is published the number of people is public: choose that",
            ));
        }
        if !setup.protect_confirmed {
            gaps.push(Gap::new(Place::Privacy("protect"), "Confirm in words who is no longer protected"));
        }
    }
    let max_rows = if setup.person.is_empty() {
        None
    } else {
        count(&setup.max_rows).and_then(|n| u32::try_from(n).ok())
    };
    if !setup.person.is_empty() && max_rows.is_none() {
        gaps.push(Gap::new(Place::Privacy("max-rows"), "State how many rows of one person may count"));
    }
    let confidence = number(&setup.confidence).map(|percent| percent / 100.0);
    if !confidence.is_some_and(|level| (0.5..=0.999).contains(&level)) {
        gaps.push(Gap::new(
            Place::Method("confidence".to_owned()),
            "The intervals' level is 50 to 99.9 percent",
        ));
    }
    let budget = match budget {
        Ok(budget) if gaps.is_empty() => budget,
        Ok(_) => return Err(gaps),
        Err(gap) => {
            gaps.push(gap);
            return Err(gaps);
        }
    };
    Ok(Plan {
        schema: SCHEMA.to_owned(),
        adjacency: setup.adjacency,
        rows: rows.filter(|_| setup.adjacency == Adjacency::ReplaceOne),
        stated_rows: rows.filter(|_| setup.adjacency == Adjacency::AddRemove),
        protect: Some(setup.protect).filter(|protect| *protect != Protect::Rows),
        person: Some(setup.person.clone()).filter(|name| !name.is_empty()),
        max_rows_per_person: max_rows,
        confirm: confirmed(setup),
        columns: rules::columns(columns, &setup.patterns, &setup.person),
        intercept: Some(setup.intercept).filter(|intercept| !intercept),
        missing: Some(setup.missing).filter(|rule| *rule != MissingRule::Skip),
        csv: csv(setup),
        mechanism: Mechanism {
            name: setup.mechanism.clone(),
            params: params(setup),
            calibration: setup.paper.then_some(Calibration::Paper),
        },
        budget,
        confidence: confidence.filter(|level| (level - 0.95).abs() > 1e-9),
    })
}

fn confirmed(setup: &Setup) -> Vec<Confirm> {
    let relaxed = match setup.protect {
        Protect::Rows => None,
        Protect::Labels => Some(Confirm::ProtectLabels),
        Protect::Features => Some(Confirm::ProtectFeatures),
    };
    let idealised = setup.idealised.then_some(Confirm::Idealised);
    idealised.into_iter().chain(relaxed.filter(|_| setup.protect_confirmed)).collect()
}

/// One column as a plan names it.
pub(super) fn column(draft: &ColumnDraft) -> Column {
    let text = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let number_column = draft.kind == Some(ColumnType::Number);
    let category = draft.kind == Some(ColumnType::Category);
    Column {
        name: Some(draft.name.clone()),
        pattern: None,
        role: draft.role,
        kind: draft.kind,
        lower: number(&draft.lower).filter(|_| number_column),
        upper: number(&draft.upper).filter(|_| number_column),
        levels: Some(list(&draft.levels)).filter(|_| category),
        reference: text(&draft.reference).filter(|_| category),
        unit: text(&draft.unit).filter(|_| number_column),
        note: text(&draft.note),
    }
}

fn csv(setup: &Setup) -> Option<Csv> {
    let csv = Csv {
        delimiter: Some(setup.delimiter.clone()).filter(|text| !text.is_empty()),
        decimal: Some(setup.decimal.clone()).filter(|text| text != "."),
        encoding: Some(setup.encoding.clone()).filter(|text| text != "utf-8"),
        // An empty cell always counts as missing here; the field lists the other marks.
        na: setup.na.as_deref().map(|text| std::iter::once(String::new()).chain(list(text)).collect()),
    };
    Some(csv).filter(|csv| *csv != Csv::default())
}

fn params(setup: &Setup) -> Map<String, Value> {
    let value = |text: &str| {
        number(text)
            .and_then(whole_or_number)
            .or_else(|| serde_json::from_str::<Value>(text).ok())
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

/// Columns and setup that a plan stands for, in a table with these columns. What the plan says about the budget is
/// left alone where the table's ledger fixes it.
///
/// # Errors
/// The first of the plan's columns that the table does not have.
pub fn open(plan: &Plan, names: &[String]) -> Result<(Vec<ColumnDraft>, Setup), String> {
    let mut columns: Vec<ColumnDraft> =
        names.iter().map(|name| ColumnDraft { name: name.clone(), ..ColumnDraft::default() }).collect();
    let person = plan.person.as_deref().unwrap_or_default();
    for (entry, rows) in plan.columns.iter().zip(rules::claims(&plan.columns, names, person)) {
        if rows.is_empty() {
            return Err(entry.name.as_ref().or(entry.pattern.as_ref()).cloned().unwrap_or_default());
        }
        for row in rows {
            if let Some(draft) = columns.get_mut(row) {
                describe(draft, entry);
            }
        }
    }
    let defaults = Setup::default();
    let written =
        |value: Option<f64>, default: &str| value.map_or_else(|| default.to_owned(), |v| v.to_string());
    let rows = plan.rows.or(plan.stated_rows);
    let setup = Setup {
        person: plan.person.clone().unwrap_or_default(),
        max_rows: plan.max_rows_per_person.unwrap_or(1).to_string(),
        missing: plan.missing.unwrap_or_default(),
        adjacency: plan.adjacency,
        // Words that somebody else typed are typed again.
        protect: plan.protect.unwrap_or_default(),
        protect_confirmed: false,
        rows: rows.map_or_else(String::new, |rows| rows.to_string()),
        intercept: plan.intercept.unwrap_or(true),
        mechanism: plan.mechanism.name.clone(),
        paper: plan.mechanism.calibration == Some(Calibration::Paper),
        idealised: plan.confirm.contains(&Confirm::Idealised),
        params: plan.mechanism.params.iter().map(|(name, value)| (name.clone(), plain(value))).collect(),
        confidence: plan.confidence.map_or(defaults.confidence, short_percent),
        form: match plan.budget {
            BudgetForm { rho: Some(_), .. } => BudgetKind::Rho,
            BudgetForm { mu: Some(_), .. } => BudgetKind::Mu,
            _ => BudgetKind::EpsilonDelta,
        },
        epsilon: written(plan.budget.epsilon, &defaults.epsilon),
        one_in: plan.budget.delta.map_or_else(String::new, |delta| format!("{:.0}", 1.0 / delta)),
        rho: written(plan.budget.rho, &defaults.rho),
        mu: written(plan.budget.mu, &defaults.mu),
        split: match find(&plan.mechanism.name) {
            Some(info) if info.wallet == Wallet::Other => Kept::Other,
            _ => Kept::Gaussian,
        },
        share: defaults.share,
        patterns: plan.columns.iter().filter_map(|column| column.pattern.clone()).collect(),
        ..dialect(plan)
    };
    Ok((columns, setup))
}

/// A new setup that reads a table as the plan does.
#[must_use]
pub fn dialect(plan: &Plan) -> Setup {
    let csv = plan.csv.clone().unwrap_or_default();
    let defaults = Setup::default();
    Setup {
        delimiter: csv.delimiter.unwrap_or_default(),
        decimal: csv.decimal.unwrap_or(defaults.decimal),
        encoding: csv.encoding.unwrap_or(defaults.encoding),
        na: csv.na.map(|na| unlist(&na.into_iter().filter(|mark| !mark.is_empty()).collect::<Vec<_>>())),
        ..Setup::default()
    }
}

fn describe(draft: &mut ColumnDraft, entry: &Column) {
    let written = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    draft.role = entry.role;
    draft.kind = entry.kind;
    draft.lower = written(entry.lower);
    draft.upper = written(entry.upper);
    draft.unit = entry.unit.clone().unwrap_or_default();
    draft.levels = entry.levels.as_deref().map(unlist).unwrap_or_default();
    draft.reference = entry.reference.clone().unwrap_or_default();
    draft.note = entry.note.clone().unwrap_or_default();
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn short_percent(level: f64) -> String {
    let text = format!("{:.2}", 100.0 * level);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Where in the page a path of the plan is edited.
#[must_use]
pub fn place(path: &str, plan: &Plan, columns: &[ColumnDraft]) -> Place {
    if let Some(rest) = path.strip_prefix("columns[") {
        let index = rest.split(']').next().and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let person = plan.person.as_deref().unwrap_or_default();
        let claims = rules::claims(&plan.columns, &names, person);
        let row = claims.get(index).and_then(|rows| rows.first().copied());
        let cell = match rest.rsplit('.').next() {
            Some("lower") => Cell::Lower,
            Some("upper") => Cell::Upper,
            Some("levels") => Cell::Levels,
            Some("reference") => Cell::Reference,
            Some("type") => Cell::Kind,
            _ => Cell::Role,
        };
        return row.map_or(Place::Columns, |row| Place::Cell(row, cell));
    }
    match path {
        "budget.epsilon" | "budget" => Place::Privacy("epsilon"),
        "budget.delta" => Place::Privacy("delta"),
        "budget.rho" => Place::Privacy("rho"),
        "budget.mu" => Place::Privacy("mu"),
        "rows" | "stated_rows" => Place::Privacy("rows"),
        "person" => Place::Privacy("person"),
        "max_rows_per_person" => Place::Privacy("max-rows"),
        "adjacency" => Place::Privacy("adjacency"),
        "protect" => Place::Privacy("protect"),
        "confidence" | "confirm" => Place::Method(path.to_owned()),
        path if path.starts_with("csv") => Place::Data,
        path if path.starts_with("public") => Place::Method("public".to_owned()),
        path if path.starts_with("columns") => Place::Columns,
        path => Place::Method(path.rsplit('.').next().unwrap_or_default().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number_column(name: &str, role: ColumnRole, lower: &str, upper: &str) -> ColumnDraft {
        ColumnDraft {
            name: name.to_owned(),
            role,
            kind: Some(ColumnType::Number),
            lower: lower.to_owned(),
            upper: upper.to_owned(),
            ..ColumnDraft::default()
        }
    }

    fn drafts() -> (Vec<ColumnDraft>, Setup) {
        let columns = vec![
            number_column("age", ColumnRole::Feature, "0", "120"),
            number_column("id", ColumnRole::Ignored, "", ""),
            ColumnDraft {
                name: "sex".to_owned(),
                role: ColumnRole::Feature,
                kind: Some(ColumnType::Category),
                levels: "F, M".to_owned(),
                ..ColumnDraft::default()
            },
            number_column("sbp", ColumnRole::Outcome, "60", "260"),
        ];
        (columns, Setup { rows: "12 000".to_owned(), ..Setup::default() })
    }

    #[test]
    fn numbers_as_people_type_them() {
        for (text, expected) in [
            (" 1,5 ", Some(1.5)),
            ("−2", Some(-2.0)),
            ("1 000", Some(1000.0)),
            ("1e3", Some(1000.0)),
            ("1,000,000", None),
            ("", None),
            ("inf", None),
            ("NaN", None),
            ("12 mmHg", None),
        ] {
            assert_eq!(number(text), expected, "{text:?}");
        }
        assert_eq!(count("12 000"), Some(12_000));
        assert_eq!(count("0"), None);
    }

    #[test]
    fn levels_may_hold_commas() {
        assert_eq!(list("F, M,, \"a, b\" "), ["F", "M", "a, b"]);
        assert_eq!(list(&unlist(&list("F, \"a, b\""))), ["F", "a, b"]);
    }

    #[test]
    fn a_draft_becomes_a_plan_and_comes_back() {
        let (columns, setup) = drafts();
        let plan = plan(&columns, &setup, budget(&setup)).unwrap();
        assert_eq!(plan.columns.len(), 3);
        assert_eq!(plan.stated_rows, Some(12_000));
        assert_eq!(plan.budget.delta, Some(1.0 / 200_000.0));
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let (again, setup_again) = open(&plan, &names).unwrap();
        let mut expected = columns;
        expected[1].kind = None;
        assert_eq!(again, expected);
        assert_eq!(super::plan(&again, &setup_again, budget(&setup_again)).unwrap(), plan);
        assert_eq!(open(&plan, &names[1..]), Err("age".to_owned()));
    }

    #[test]
    fn a_plan_with_patterns_comes_back_as_it_was() {
        let (mut columns, mut setup) = drafts();
        columns.extend(
            (0..50).map(|index| number_column(&format!("gene_{index}"), ColumnRole::Outcome, "0", "9")),
        );
        columns[10].upper = "8".to_owned();
        setup.patterns = vec!["gene_*".to_owned()];
        let plan = plan(&columns, &setup, budget(&setup)).unwrap();
        assert_eq!(plan.columns.len(), 5, "three, the pattern and what differs from it");
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let (again, setup_again) = open(&plan, &names).unwrap();
        columns[1].kind = None;
        assert_eq!(again, columns);
        assert_eq!(setup_again.patterns, setup.patterns);
        assert_eq!(super::plan(&again, &setup_again, budget(&setup_again)).unwrap(), plan);
        let bound = crate::engine::prepare(plan, &names, b',', crate::plan::Purpose::Release).unwrap();
        assert_eq!(bound.bound().columns.len(), 53, "the whole program reads it alike");
    }

    #[test]
    fn everything_missing_is_named_at_its_place() {
        let (mut columns, setup) = drafts();
        columns[0].upper.clear();
        columns[2].levels = "F".to_owned();
        let gaps = plan(&columns, &setup, budget(&setup)).unwrap_err();
        let places: Vec<_> = gaps.iter().map(|gap| gap.place.clone()).collect();
        assert_eq!(places, [Place::Cell(0, Cell::Upper), Place::Cell(2, Cell::Levels)]);
        assert_eq!(plan(&[], &setup, budget(&setup)).unwrap_err()[0].place, Place::Data);
        let unstated = Setup::default();
        assert_eq!(budget(&unstated).unwrap_err().place, Place::Privacy("rows"));
    }

    #[test]
    fn a_block_of_bounds_is_pasted_where_it_begins() {
        let (mut columns, _) = drafts();
        assert!(is_block("1\t2") && !is_block("12\n"));
        paste(&mut columns, &[0, 3], Cell::Lower, &block("18\t90\tyears\r\n70\t250\tmmHg\r\n"));
        assert_eq!((columns[0].upper.as_str(), columns[0].unit.as_str()), ("90", "years"));
        assert_eq!((columns[3].lower.as_str(), columns[3].unit.as_str()), ("70", "mmHg"));
        paste(&mut columns, &[0], Cell::Upper, &block("95\tmonths\tover"));
        assert_eq!((columns[0].lower.as_str(), columns[0].upper.as_str()), ("18", "95"));
    }

    #[test]
    fn the_filter_takes_parts_and_patterns() {
        let (columns, _) = drafts();
        assert_eq!(filtered(&columns, ""), [0, 1, 2, 3]);
        assert_eq!(filtered(&columns, "S"), [2, 3]);
        assert_eq!(filtered(&columns, "*e"), [0]);
    }

    #[test]
    fn a_plan_s_path_leads_to_its_field() {
        let (columns, setup) = drafts();
        let plan = plan(&columns, &setup, budget(&setup)).unwrap();
        assert_eq!(place("columns[1].levels", &plan, &columns), Place::Cell(2, Cell::Levels));
        assert_eq!(place("columns[9].levels", &plan, &columns), Place::Columns);
        assert_eq!(place("budget.delta", &plan, &columns), Place::Privacy("delta"));
        assert_eq!(place("public.terms[3].sd", &plan, &columns), Place::Method("public".to_owned()));
        assert_eq!(place("mechanism.params.shape", &plan, &columns), Place::Method("shape".to_owned()));
    }

    #[test]
    fn half_of_a_ledger_can_be_asked_for_twice() {
        for left in [61_000_000_000_u128, 1_099_511_627_776, 7_000_000, 123_456_789_012_345] {
            let asked = ask(left, 50, 1e-6).mu.unwrap();
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "positive and below 2^53"
            )]
            let units = (asked * asked * 1_099_511_627_776.0) as u128;
            assert!(2 * units <= left && 2 * units > left - left / 10_000, "{left} {units}");
        }
        let all = ask(1_099_511_627_776, 100, 1e-6).mu.unwrap();
        assert!((all - 1.0).abs() < 1e-5 && all <= 1.0);
    }

    #[test]
    fn delta_is_proposed_well_below_one_over_the_rows() {
        for (rows, expected) in [(1, 10), (442, 5_000), (12_000, 200_000), (1_000_000, 10_000_000)] {
            assert_eq!(proposed_one_in(rows), expected);
        }
    }
}
