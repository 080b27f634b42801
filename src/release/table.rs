//! Coefficients as CSV, for a spreadsheet or a statistics program.

use super::document::{Coefficient, CoefficientTable, Coefficients, Interval};

const HEADER: [&str; 8] =
    ["outcome", "term", "estimate", "std_error", "lower", "upper", "noise_share", "interval"];

/// One record per coefficient with the release's fields, as RFC 4180 has it: CRLF at line ends, quotes where they are
/// due, an empty field where the release has `null`.
///
/// A name that a spreadsheet would take for a formula (it starts with `=`, `+`, `-`, `@`, a tab or a line end) gets an
/// apostrophe in front.
#[must_use]
pub fn csv(coefficients: &Coefficients) -> String {
    let mut text = HEADER.join(",");
    text.push_str("\r\n");
    match coefficients {
        Coefficients::List(entries) => entries.iter().for_each(|entry| record(&mut text, entry)),
        Coefficients::Table(table) => {
            for (row, outcome) in table.outcomes.iter().enumerate() {
                for (column, term) in table.terms.iter().enumerate() {
                    record(&mut text, &entry(table, outcome, term, row, column));
                }
            }
        }
    }
    text
}

fn entry(table: &CoefficientTable, outcome: &str, term: &str, row: usize, column: usize) -> Coefficient {
    let at = |values: &[Vec<Option<f64>>]| values.get(row).and_then(|row| *row.get(column)?);
    Coefficient {
        outcome: outcome.to_owned(),
        term: term.to_owned(),
        estimate: at(&table.estimate),
        std_error: at(&table.std_error),
        lower: at(&table.lower),
        upper: at(&table.upper),
        noise_share: at(&table.noise_share),
        interval: table
            .interval
            .get(row)
            .and_then(|row| row.get(column))
            .copied()
            .unwrap_or(Interval::Withheld),
    }
}

fn record(text: &mut String, entry: &Coefficient) {
    let interval = match entry.interval {
        Interval::Normal => "normal",
        Interval::Approximate => "approximate",
        Interval::Withheld => "withheld",
    };
    text.push_str(&name(&entry.outcome));
    text.push(',');
    text.push_str(&name(&entry.term));
    for value in [entry.estimate, entry.std_error, entry.lower, entry.upper, entry.noise_share] {
        text.push(',');
        if let Some(value) = value {
            text.push_str(&number(value));
        }
    }
    text.push(',');
    text.push_str(interval);
    text.push_str("\r\n");
}

/// The shortest digits that read back as the same number, as in the release's JSON.
fn number(value: f64) -> String {
    serde_json::to_string(&value).unwrap_or_default()
}

fn name(text: &str) -> String {
    let guarded = if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if guarded.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", guarded.replace('"', "\"\""))
    } else {
        guarded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let lines: Vec<String> = csv(&list).split("\r\n").map(str::to_owned).collect();
        assert_eq!(lines[0], "outcome,term,estimate,std_error,lower,upper,noise_share,interval");
        let numbers = "-1.5e-12,,,1000000000000.0,0.25,approximate";
        assert_eq!(lines[1], format!("\"a,b\",\"say \"\"x\"\"\",{numbers}"));
        assert_eq!(lines[2], format!("'=1+1,'-x,{numbers}"));
        assert_eq!(lines[3], format!("'@cmd,\"'+y,\"\"z\",{numbers}"));
        assert_eq!(lines[4], format!("plain,(Intercept),{numbers}"));
        assert_eq!(lines.len(), 6);
    }

    #[test]
    fn both_forms_give_the_same_text() {
        let entry = one("y", "x");
        let table = CoefficientTable {
            outcomes: vec!["y".to_owned()],
            terms: vec!["x".to_owned()],
            estimate: vec![vec![entry.estimate]],
            std_error: vec![vec![entry.std_error]],
            lower: vec![vec![entry.lower]],
            upper: vec![vec![entry.upper]],
            noise_share: vec![vec![entry.noise_share]],
            interval: vec![vec![entry.interval]],
        };
        assert_eq!(csv(&Coefficients::Table(table)), csv(&Coefficients::List(vec![entry])));
        let ragged = CoefficientTable {
            outcomes: vec!["y".to_owned()],
            terms: vec!["x".to_owned()],
            ..Default::default()
        };
        assert!(csv(&Coefficients::Table(ragged)).ends_with("y,x,,,,,,withheld\r\n"));
    }
}
