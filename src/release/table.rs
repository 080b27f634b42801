//! Coefficients as CSV, for a spreadsheet or a statistics program.

use std::borrow::Cow;
use std::collections::HashMap;

use super::Release;
use super::document::Coefficients;
use super::figure;
use super::odds::{self, Answers};
use super::remarks::remarks;
use super::shared::Shared;
use super::significance::Tests;
use crate::model::{Estimate, Interval};
use crate::plan::Plan;
use crate::plan::derived::{logarithm, outcomes};
use crate::plan::document::Column;
use crate::text::BYTE_ORDER_MARK;

const HEADER: &str =
    "outcome,term,estimate,std_error,lower,upper,noise_share,interval,z,p_value,per,unit,answer";

/// Further columns of the header for log-odds.
const ODDS: &str = ",odds_ratio,odds_ratio_lower,odds_ratio_upper";

/// Further columns of the header for outcomes whose logarithm was fitted.
const FACTORS: &str = ",factor,factor_lower,factor_upper";

/// The last column of the header, if an estimate has a note.
const NOTE: &str = ",note";

/// What starts a formula, in half and in full width.
const FORMULA: [char; 11] =
    ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\t', '\r', '\n'];

/// What may end a cell in some locale.
const SEPARATORS: [char; 6] = [',', ';', '|', '\t', '\r', '\n'];

/// About how many bytes a piece of the text has.
const PIECE: usize = 1 << 20;

/// What the coefficients of a release mean: for how many units they are written, and what they compare.
#[derive(Clone, Debug)]
pub struct Meaning<'a> {
    /// The plan of the release.
    pub plan: &'a Plan,
    /// Which coefficients have a test.
    pub tests: Tests,
    /// Whether they are log-odds.
    pub log_odds: bool,
    /// Which columns move several terms together.
    pub shared: Shared,
    /// How many units a coefficient of a number is for.
    pub per: f64,
    /// What is to be known beside the numbers; may be empty.
    pub note: String,
}

impl<'a> Meaning<'a> {
    /// Returns what the coefficients of a release mean, those of numbers for `per` units.
    pub fn of(release: &'a Release, log_odds: bool, per: f64) -> Self {
        let note = remarks(release).join(" ");
        let shared = Shared::of(release);
        Self { plan: &release.plan, tests: Tests::of(release), log_odds, shared, per, note }
    }
}

/// The words of terms and outcomes as cells; each is found once, because a release may have 100,000 outcomes.
struct Cells<'a> {
    meaning: Meaning<'a>,
    columns: HashMap<&'a str, &'a Column>,
    /// Of each term: its contrast, what its coefficient is multiplied by, and whether it has a factor of its own.
    terms: HashMap<String, (String, f64, bool)>,
}

impl<'a> Cells<'a> {
    fn new(meaning: Meaning<'a>) -> Self {
        let named = |column: &'a Column| Some((column.name.as_deref()?, column));
        let columns = meaning.plan.columns.iter().filter_map(named).collect();
        Self { meaning, columns, terms: HashMap::new() }
    }

    fn term(&mut self, term: &str) -> &(String, f64, bool) {
        let Meaning { plan, per, shared, .. } = &self.meaning;
        self.terms.entry(term.to_owned()).or_insert_with(|| {
            let contrast = figure::per_units(plan, term, *per);
            let factor = if figure::is_scaled(plan, term, *per) { *per } else { 1.0 };
            (name(&contrast).into_owned(), factor, !shared.move_term(plan, term))
        })
    }

    /// Returns the unit of an outcome's coefficients, and its answers.
    fn outcome(&self, outcome: &str) -> [String; 2] {
        let found = match self.columns.get(outcome) {
            Some(column) => Some(Cow::Borrowed(*column)),
            None => figure::column(self.meaning.plan, outcome),
        };
        let Some(column) = found else { return Default::default() };
        let unit = column.unit.as_deref().filter(|_| !self.meaning.log_odds).unwrap_or_default();
        let answers = Answers::of(&column, self.meaning.log_odds).map(|answers| answers.compared());
        [name(unit).into_owned(), name(&answers.unwrap_or_default()).into_owned()]
    }
}

/// Writes one record per coefficient with the release's fields, by RFC 4180: CRLF at line ends, quotes where they are due, an
/// empty field where the release has `null`, a byte order mark in front. Three fields follow: the change that the coefficient is
/// for (`per`), the unit of the outcome, and the modelled answer of an outcome with two answers. Log-odds are followed by odds
/// ratios, except for the constant. If the logarithm of an outcome was fitted, its coefficients are followed by factors, except
/// for columns in several terms. If levels were merged or standard errors are robust, the last field of the first record says so.
///
/// A part of a name that a spreadsheet would run as a formula gets an apostrophe in front. Such a part starts with `=`, `+`, `-`,
/// `@`, their full-width forms, a tab or a line end. It stands at the beginning of the name or behind a sign at which some locale
/// splits.
pub fn csv(coefficients: &Coefficients, meaning: Meaning<'_>) -> String {
    pieces(coefficients, meaning).collect()
}

/// Writes the CSV in pieces of about a megabyte, each made when it is asked for.
pub fn pieces<'a>(
    coefficients: &'a Coefficients,
    meaning: Meaning<'a>,
) -> Box<dyn Iterator<Item = String> + 'a> {
    match coefficients {
        Coefficients::List(list) => Box::new(records(
            list.iter().map(|entry| (entry.outcome.as_str(), entry.term.as_str(), entry.entry())),
            meaning,
        )),
        Coefficients::Table(table) => {
            let entries = table.outcomes().iter().enumerate().flat_map(move |(row, outcome)| {
                table.terms().iter().enumerate().filter_map(move |(column, term)| {
                    Some((outcome.as_str(), term.as_str(), table.entry(row, column)?))
                })
            });
            Box::new(records(entries, meaning))
        }
    }
}

/// Writes some coefficients, each with its outcome and term, in pieces as [`pieces`] does; log-odds with their odds ratios.
pub fn records<'a>(
    entries: impl Iterator<Item = (&'a str, &'a str, Estimate)>,
    meaning: Meaning<'a>,
) -> impl Iterator<Item = String> {
    let Meaning { tests, log_odds, plan, .. } = meaning;
    let any_factor = !log_odds
        && outcomes(plan).any(|column| column.name.is_some_and(|name| logarithm(plan, &name).is_some()));
    let mut note = Some(name(&meaning.note).into_owned()).filter(|note| !note.is_empty());
    let has_note = note.is_some();
    let mut entries = entries.fuse();
    let mut started = false;
    let mut cells = Cells::new(meaning);
    let (mut of, mut outcome_cells, mut has_factor) = (None, Default::default(), false);
    std::iter::from_fn(move || {
        let mut text = Vec::new();
        if !started {
            let ratios = match (log_odds, any_factor) {
                (true, _) => ODDS,
                (_, true) => FACTORS,
                _ => "",
            };
            let last = if has_note { NOTE } else { "" };
            for part in [BYTE_ORDER_MARK, HEADER, ratios, last, "\r\n"] {
                text.extend_from_slice(part.as_bytes());
            }
            started = true;
        }
        while text.len() < PIECE
            && let Some((outcome, term, entry)) = entries.next()
        {
            if of != Some(outcome) {
                (of, outcome_cells) = (Some(outcome), cells.outcome(outcome));
                has_factor = any_factor && logarithm(plan, outcome).is_some();
            }
            let (per, factor, alone) = cells.term(term);
            let has_ratio = log_odds || has_factor && *alone;
            let entry = entry.times(*factor);
            record(&mut text, &name(outcome), &name(term), entry);
            let test = tests.test(&entry);
            numbers(&mut text, &[test.map(|test| test.z), test.map(|test| test.p)]);
            for cell in [per].into_iter().chain(&outcome_cells) {
                text.push(b',');
                text.extend_from_slice(cell.as_bytes());
            }
            if log_odds || any_factor {
                let ratio = odds::ratio(term, &entry).filter(|_| has_ratio);
                let Estimate { estimate, lower, upper, .. } = ratio.unwrap_or(Estimate::WITHHELD);
                // One beyond the doubles is left out of a file of numbers.
                let written = |ratio: Option<f64>| ratio.filter(|ratio| ratio.is_finite() && *ratio > 0.0);
                numbers(&mut text, &[estimate, lower, upper].map(written));
            }
            if has_note {
                text.push(b',');
                text.extend_from_slice(note.take().unwrap_or_default().as_bytes());
            }
            text.extend_from_slice(b"\r\n");
        }
        // All that is written into it are texts and digits.
        String::from_utf8(text).ok().filter(|text| !text.is_empty())
    })
}

fn record(text: &mut Vec<u8>, outcome: &str, term: &str, entry: Estimate) {
    let Estimate { estimate, std_error, lower, upper, noise_share, interval } = entry;
    text.extend_from_slice(outcome.as_bytes());
    text.push(b',');
    text.extend_from_slice(term.as_bytes());
    numbers(text, &[estimate, std_error, lower, upper, noise_share]);
    text.push(b',');
    let interval = match interval {
        Interval::Normal => "normal",
        Interval::Approximate => "approximate",
        Interval::Withheld => "withheld",
    };
    text.extend_from_slice(interval.as_bytes());
}

/// Writes a CSV of records that are a cell, as it is to be written, and numbers.
pub(in crate::release) fn of_numbers<'a>(
    header: &str,
    records: impl Iterator<Item = (Cow<'a, str>, Vec<Option<f64>>)>,
) -> String {
    let mut text = [BYTE_ORDER_MARK, header, "\r\n"].concat().into_bytes();
    for (cell, values) in records {
        text.extend_from_slice(cell.as_bytes());
        numbers(&mut text, &values);
        text.extend_from_slice(b"\r\n");
    }
    // All that is written into it are texts and digits.
    String::from_utf8(text).unwrap_or_default()
}

fn numbers(text: &mut Vec<u8>, values: &[Option<f64>]) {
    for value in values {
        text.push(b',');
        if let Some(value) = value {
            // The shortest digits that read back as the same number, as in the release's JSON; memory does not refuse.
            let _ = serde_json::to_writer(&mut *text, &value);
        }
    }
}

/// Returns a name for a cell. A spreadsheet of another locale splits lines at other signs than commas, whatever is quoted, so every part
/// of a name that would start a formula is guarded, and not its beginning alone.
pub(in crate::release) fn name(text: &str) -> Cow<'_, str> {
    let mut guarded = String::with_capacity(text.len());
    let mut starts = true;
    for c in text.chars() {
        if starts && FORMULA.contains(&c) {
            guarded.push('\'');
        }
        guarded.push(c);
        starts = SEPARATORS.contains(&c) || starts && (c.is_whitespace() || matches!(c, '"' | '\''));
    }
    let guarded = if guarded == text { Cow::Borrowed(text) } else { Cow::Owned(guarded) };
    if guarded.contains([',', ';', '\t', '"', '\r', '\n']) {
        Cow::Owned(format!("\"{}\"", guarded.replace('"', "\"\"")))
    } else {
        guarded
    }
}

#[cfg(test)]
mod tests {
    use super::super::publication::DecimalMark;
    use super::*;
    use crate::model::Coefficient;
    use crate::release::long::CoefficientTable;

    fn plan() -> Plan {
        Plan::parse(
            r#"{"schema":"discreet.plan/1","adjacency":"add-remove","columns":[
                {"name":"x","role":"feature","type":"number","lower":0,"upper":60,"unit":"kg"},
                {"name":"y","role":"outcome","type":"category","levels":["Ja","Nein"]}],
                "mechanism":{"name":"analyze-gauss"},"budget":{"mu":1}}"#,
        )
        .unwrap()
    }

    fn meaning(plan: &Plan, log_odds: bool) -> Meaning<'_> {
        Meaning {
            plan,
            tests: Tests::default(),
            log_odds,
            shared: Shared::default(),
            per: 1.0,
            note: String::new(),
        }
    }

    fn one(outcome: &str, term: &str) -> Coefficient {
        Coefficient {
            outcome: outcome.to_owned(),
            term: term.to_owned(),
            estimate: Some(-1.5e-12),
            std_error: None,
            lower: None,
            upper: Some(1e12),
            noise_share: Some(0.25),
            interval: Interval::Approximate,
        }
    }

    #[test]
    fn names_are_quoted_and_no_formula_starts() {
        let list = Coefficients::List(vec![
            one("a,b", "say \"x\""),
            one("=1+1", "-x"),
            one("@cmd", "+y,\"z"),
            one("plain", "(Intercept)"),
        ]);
        let plan = plan();
        let lines: Vec<String> = csv(&list, meaning(&plan, false)).split("\r\n").map(str::to_owned).collect();
        assert_eq!(lines[0], format!("{BYTE_ORDER_MARK}{HEADER}"));
        let numbers = "-1.5e-12,,,1000000000000.0,0.25,approximate,,,,,";
        assert_eq!(lines[1], format!("\"a,b\",\"say \"\"x\"\"\",{numbers}"));
        assert_eq!(lines[2], format!("'=1+1,'-x,{numbers}"));
        assert_eq!(lines[3], format!("'@cmd,\"'+y,\"\"z\",{numbers}"));
        assert_eq!(lines[4], format!("plain,(Intercept),{numbers}"));
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn semicolons_and_decimal_commas_stand_outside_of_names() {
        let list = Coefficients::List(vec![one("a,1.5", "x"), one("y", "b\",c")]);
        let plan = plan();
        let text = DecimalMark::Comma.of_csv(csv(&list, meaning(&plan, false)));
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert!(lines[0].starts_with("\u{feff}outcome;term;estimate;"), "{}", lines[0]);
        assert_eq!(lines[1], "\"a,1.5\";x;-1,5e-12;;;1000000000000,0;0,25;approximate;;;per kg;;");
        assert!(lines[2].starts_with("y;\"b\"\",c\";-1,5e-12;"), "{}", lines[2]);
    }

    #[test]
    fn no_locale_and_no_width_makes_a_formula() {
        assert_eq!(name("a;=cmd"), "\"a;'=cmd\"");
        assert_eq!(name("x,\" =1"), "\"x,\"\" '=1\"");
        assert_eq!(name("\u{ff1d}1+1"), "'\u{ff1d}1+1");
        assert_eq!(name("a|\u{ff20}b"), "a|'\u{ff20}b");
        assert_eq!(name(" =1"), " '=1");
        assert_eq!(name("body-mass (kg)"), "body-mass (kg)");
        assert_eq!(name("a\t-b"), "\"a\t'-b\"");
    }

    #[test]
    fn log_odds_have_their_ratios_and_the_constant_has_none() {
        let half = Coefficient { estimate: Some(0.0), upper: None, ..one("y", "x") };
        let list =
            Coefficients::List(vec![Coefficient { term: "(Intercept)".to_owned(), ..half.clone() }, half]);
        let plan = plan();
        let ten = Meaning { per: 10.0, ..meaning(&plan, true) };
        let text = csv(&list, ten);
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert!(lines[0].ends_with(",answer,odds_ratio,odds_ratio_lower,odds_ratio_upper"), "{}", lines[0]);
        assert!(lines[1].ends_with(",approximate,,,,,Nein against Ja,,,"), "{}", lines[1]);
        assert!(lines[2].ends_with(",approximate,,,per 10 kg,,Nein against Ja,1.0,,"), "{}", lines[2]);
    }

    #[test]
    fn both_forms_give_the_same_text() {
        let terms = ["(Intercept)", "-x"];
        let outcomes: Vec<String> = (0..6_000).map(|index| format!("y,{index}")).collect();
        let mut table = CoefficientTable::new(outcomes.clone(), terms.map(str::to_owned).to_vec());
        let mut list = Vec::new();
        for (row, outcome) in outcomes.iter().enumerate() {
            for (column, term) in terms.iter().enumerate() {
                let entry = one(outcome, term);
                table.set(row, column, entry.entry());
                list.push(entry);
            }
        }
        let long = Coefficients::Table(table);
        let plan = plan();
        let meaning = meaning(&plan, false);
        assert!(pieces(&long, meaning.clone()).count() == 1 && csv(&long, meaning.clone()).len() < PIECE);
        assert_eq!(csv(&long, meaning.clone()), csv(&Coefficients::List(list), meaning));
    }

    #[test]
    fn a_long_text_comes_in_pieces_that_end_with_a_record() {
        let outcomes: Vec<String> = (0..50_000).map(|index| format!("y{index}")).collect();
        let long = Coefficients::Table(CoefficientTable::new(outcomes, vec!["x".to_owned()]));
        let plan = plan();
        let parts: Vec<String> = pieces(&long, meaning(&plan, false)).collect();
        assert!(
            parts.len() > 1 && parts.iter().all(|part| part.ends_with("\r\n") && part.len() < PIECE + 100)
        );
        assert_eq!(parts.concat().lines().count(), 50_001);
        assert!(parts.concat().ends_with("y49999,x,,,,,,withheld,,,per kg,,\r\n"));
    }
}
