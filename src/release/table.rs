//! Coefficients as CSV, for a spreadsheet or a statistics program.

use std::borrow::Cow;

use super::document::Coefficients;
use super::odds::{self, OddsRatio};
use super::significance::Tests;
use crate::model::{Estimate, Interval};

const HEADER: &str = "outcome,term,estimate,std_error,lower,upper,noise_share,interval,z,p_value";

/// What the header of log-odds has beside.
const ODDS: &str = ",odds_ratio,odds_ratio_lower,odds_ratio_upper";

/// What starts a formula, in half and in full width.
const FORMULA: [char; 11] =
    ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\t', '\r', '\n'];

/// What may end a cell in some locale.
const SEPARATORS: [char; 6] = [',', ';', '|', '\t', '\r', '\n'];

/// About how many bytes a piece of the text has.
const PIECE: usize = 1 << 20;

/// Writes one record per coefficient with the release's fields, by RFC 4180: CRLF at line ends, quotes where they are
/// due, an empty field where the release has `null`. Log-odds have their odds ratios beside them, but for the constant.
///
/// A part of a name that a spreadsheet would take for a formula (it starts with `=`, `+`, `-`, `@`, their full-width forms, a tab or a line
/// end, at the beginning or behind a sign that some locale splits at) gets an apostrophe in front.
#[must_use]
pub fn csv(coefficients: &Coefficients, tests: Tests, log_odds: bool) -> String {
    pieces(coefficients, tests, log_odds).collect()
}

/// Writes the CSV in pieces of about a megabyte, each made when it is asked for.
pub fn pieces(
    coefficients: &Coefficients,
    tests: Tests,
    log_odds: bool,
) -> Box<dyn Iterator<Item = String> + '_> {
    match coefficients {
        Coefficients::List(list) => Box::new(records(
            list.iter().map(|entry| (entry.outcome.as_str(), entry.term.as_str(), entry.entry())),
            tests,
            log_odds,
        )),
        Coefficients::Table(table) => {
            let entries = table.outcomes().iter().enumerate().flat_map(move |(row, outcome)| {
                table.terms().iter().enumerate().filter_map(move |(column, term)| {
                    Some((outcome.as_str(), term.as_str(), table.entry(row, column)?))
                })
            });
            Box::new(records(entries, tests, log_odds))
        }
    }
}

/// Writes some coefficients, each with its outcome and term, in pieces as [`pieces`] does; log-odds with their odds ratios.
pub fn records<'a>(
    entries: impl Iterator<Item = (&'a str, &'a str, Estimate)>,
    tests: Tests,
    log_odds: bool,
) -> impl Iterator<Item = String> {
    let mut entries = entries.fuse();
    let mut started = false;
    std::iter::from_fn(move || {
        let mut text = Vec::new();
        if !started {
            text.extend_from_slice(HEADER.as_bytes());
            text.extend_from_slice(if log_odds { ODDS } else { "" }.as_bytes());
            text.extend_from_slice(b"\r\n");
            started = true;
        }
        while text.len() < PIECE
            && let Some((outcome, term, entry)) = entries.next()
        {
            record(&mut text, &name(outcome), &name(term), entry);
            let test = tests.test(&entry);
            numbers(&mut text, &[test.map(|test| test.z), test.map(|test| test.p)]);
            if log_odds {
                let ratio = odds::ratio(term, &entry);
                let OddsRatio { estimate, lower, upper, .. } = ratio.unwrap_or_default();
                numbers(&mut text, &[estimate, lower, upper]);
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

pub(in crate::release) fn numbers(text: &mut Vec<u8>, values: &[Option<f64>]) {
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
    use super::*;
    use crate::model::Coefficient;
    use crate::release::long::CoefficientTable;

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
        let lines: Vec<String> =
            csv(&list, Tests::default(), false).split("\r\n").map(str::to_owned).collect();
        assert_eq!(lines[0], "outcome,term,estimate,std_error,lower,upper,noise_share,interval,z,p_value");
        let numbers = "-1.5e-12,,,1000000000000.0,0.25,approximate,,";
        assert_eq!(lines[1], format!("\"a,b\",\"say \"\"x\"\"\",{numbers}"));
        assert_eq!(lines[2], format!("'=1+1,'-x,{numbers}"));
        assert_eq!(lines[3], format!("'@cmd,\"'+y,\"\"z\",{numbers}"));
        assert_eq!(lines[4], format!("plain,(Intercept),{numbers}"));
        assert_eq!(lines.len(), 6);
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
        let text = csv(&list, Tests::default(), true);
        let lines: Vec<&str> = text.split("\r\n").collect();
        assert!(
            lines[0].ends_with(",interval,z,p_value,odds_ratio,odds_ratio_lower,odds_ratio_upper"),
            "{}",
            lines[0]
        );
        assert!(lines[1].ends_with(",approximate,,,,,"), "{}", lines[1]);
        assert!(lines[2].ends_with(",approximate,,,1.0,,"), "{}", lines[2]);
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
        assert!(
            pieces(&long, Tests::default(), false).count() == 1
                && csv(&long, Tests::default(), false).len() < PIECE
        );
        assert_eq!(
            csv(&long, Tests::default(), false),
            csv(&Coefficients::List(list), Tests::default(), false)
        );
    }

    #[test]
    fn a_long_text_comes_in_pieces_that_end_with_a_record() {
        let outcomes: Vec<String> = (0..50_000).map(|index| format!("y{index}")).collect();
        let long = Coefficients::Table(CoefficientTable::new(outcomes, vec!["x".to_owned()]));
        let parts: Vec<String> = pieces(&long, Tests::default(), false).collect();
        assert!(
            parts.len() > 1 && parts.iter().all(|part| part.ends_with("\r\n") && part.len() < PIECE + 100)
        );
        assert_eq!(parts.concat().lines().count(), 50_001);
        assert!(parts.concat().ends_with("y49999,x,,,,,,withheld,,\r\n"));
    }
}
