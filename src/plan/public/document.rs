//! `discreet.public/1`: means, standard deviations and correlations as papers print them.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::error::{PlanError, list_for_object};
use crate::math::round::real;
use crate::model::INTERCEPT;
use crate::text::json::{Fault, read};
use crate::words;

/// The name and version that every typed public table carries.
pub const SCHEMA: &str = "discreet.public/1";

/// Most terms of a public table.
pub const MOST_TERMS: usize = 2048;

/// Longest document that is read.
pub const MOST_BYTES: u64 = 1 << 26;

/// Longest release that is read as public input.
pub const MOST_RELEASE_BYTES: u64 = 1 << 28;

/// The number of bytes of a file in which its JSON document must begin.
pub const HEAD: u64 = 1 << 12;

/// Most rows that a public table may stand for.
const MOST_ROWS: u64 = 1 << 40;

/// Longest name of a term, and longest source, in bytes.
const MOST_TEXT: usize = 4096;

/// Largest size of a mean, and of a standard deviation whose inverse is the smallest: squares stay far from where doubles end.
const LARGEST: f64 = 1e100;

/// How far two entries of a correlation may differ that should be equal, and a diagonal one from 1.
const ROUNDING: f64 = 1e-9;

/// What is publicly known of the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicTable {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// Where the numbers are from, in words.
    pub source: String,
    /// Rows that they were computed from.
    pub rows: u64,
    /// Features and, where they are known, outcomes; in any order.
    pub terms: Vec<PublicTerm>,
    /// Correlations of the terms in their order.
    pub correlation: Vec<Vec<f64>>,
}

/// One term of a public table, in the column's own unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicTerm {
    /// A column, or `column[level]`.
    pub term: String,
    /// Its mean; of a level its share.
    pub mean: f64,
    /// Its standard deviation with the divisor rows − 1. A level needs none: its share says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sd: Option<f64>,
}

impl PublicTable {
    /// Reads and checks a typed table.
    ///
    /// # Errors
    /// [`PlanError`] with the path inside the document, which begins with `public`.
    pub fn parse(text: &str) -> Result<Self, PlanError> {
        let wrong = |fault: Fault| {
            let path = fault.path.map_or_else(|| "public".to_owned(), |path| format!("public.{path}"));
            PlanError::at(path, fault.what, words::public_table::document_advice())
        };
        let table: Self = read(text).map_err(wrong)?;
        let given: Value = read(text).map_err(wrong)?;
        if let Some(path) = list_for_object(&given, &json!(table)) {
            return Err(PlanError::list(format!("public{path}")));
        }
        table.check()?;
        Ok(table)
    }

    /// Checks that the numbers can be those of a table. Correlations that no table has, although each may be one, are for
    /// [`super::Whitener`] to repair.
    ///
    /// # Errors
    /// [`PlanError`] for the first that cannot, with its path.
    pub fn check(&self) -> Result<(), PlanError> {
        if self.schema != SCHEMA {
            return Err(at("schema", words::plan::schema(SCHEMA), words::plan::check_file()));
        }
        if self.source.trim().is_empty() || self.source.len() > MOST_TEXT {
            return Err(at("source", words::public_table::source(), words::public_table::source_advice()));
        }
        if !(2..=MOST_ROWS).contains(&self.rows) {
            return Err(at("rows", words::plan::rows_range(), words::public_table::rows_advice(MOST_ROWS)));
        }
        self.check_terms()?;
        self.check_correlation()
    }

    fn check_terms(&self) -> Result<(), PlanError> {
        if self.terms.is_empty() || self.terms.len() > MOST_TERMS {
            return Err(at(
                "terms",
                words::public_table::terms_count(self.terms.len()),
                words::public_table::terms_count_advice(MOST_TERMS),
            ));
        }
        let mut names = HashSet::new();
        for (index, term) in self.terms.iter().enumerate() {
            let path = |field: &str| format!("terms[{index}].{field}");
            if term.term.trim().is_empty() || term.term.len() > MOST_TEXT {
                return Err(at(
                    &path("term"),
                    words::public_table::name(),
                    words::public_table::name_advice(),
                ));
            }
            if term.term == INTERCEPT {
                return Err(at(
                    &path("term"),
                    words::public_table::constant(),
                    words::public_table::constant_advice(),
                ));
            }
            if !names.insert(term.term.as_str()) {
                return Err(at(
                    &path("term"),
                    words::public_table::twice(&term.term),
                    words::plan::column_twice_advice(),
                ));
            }
            if !(0.0..=LARGEST).contains(&term.mean.abs()) {
                return Err(at(
                    &path("mean"),
                    words::public_table::mean(),
                    words::public_table::mean_advice(),
                ));
            }
            self.check_sd(term, &path("sd"))?;
        }
        Ok(())
    }

    fn check_sd(&self, term: &PublicTerm, path: &str) -> Result<(), PlanError> {
        match term.sd {
            Some(sd) if sd > 0.0 && (1.0 / LARGEST..=LARGEST).contains(&sd) => Ok(()),
            Some(sd) if sd <= 0.0 => Err(at(
                path,
                words::public_table::deviation_zero(&term.term),
                words::public_table::deviation_zero_advice(),
            )),
            Some(_) => Err(at(
                path,
                words::public_table::deviation_range(&term.term),
                words::public_table::deviation_range_advice(),
            )),
            None if !term.term.ends_with(']') => Err(at(
                path,
                words::public_table::deviation_missing(&term.term),
                words::public_table::deviation_missing_advice(),
            )),
            None if term.mean > 0.0 && term.mean < 1.0 => Ok(()),
            None => {
                Err(at(path, words::public_table::share(&term.term), words::public_table::share_advice()))
            }
        }
    }

    fn check_correlation(&self) -> Result<(), PlanError> {
        let size = self.terms.len();
        let square = words::public_table::correlation_advice(size);
        if self.correlation.len() != size {
            let what = words::public_table::correlation_rows(self.correlation.len());
            return Err(at("correlation", what, square));
        }
        if let Some(row) = self.correlation.iter().position(|row| row.len() != size) {
            let what = words::public_table::correlation_row(self.correlation[row].len());
            return Err(at(&format!("correlation[{row}]"), what, square));
        }
        for (row, entries) in self.correlation.iter().enumerate() {
            for (column, &entry) in entries.iter().enumerate() {
                let path = format!("correlation[{row}][{column}]");
                if !(0.0..=1.0 + ROUNDING).contains(&entry.abs()) {
                    return Err(at(
                        &path,
                        words::public_table::correlation_range(),
                        words::public_table::correlation_range_advice(),
                    ));
                }
                if row == column && (entry - 1.0).abs() > ROUNDING {
                    return Err(at(
                        &path,
                        words::public_table::correlation_self(),
                        words::public_table::correlation_self_advice(),
                    ));
                }
                if (entry - self.correlation[column][row]).abs() > ROUNDING {
                    return Err(at(
                        &path,
                        words::public_table::correlation_differs(column, row),
                        words::public_table::correlation_differs_advice(),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Returns the standard deviation of a term with the divisor rows: √((rows − 1) / rows) times that of the document, and √(p (1 − p))
    /// for
    /// a level without one.
    pub fn spread(&self, term: &PublicTerm) -> f64 {
        let rows = real(self.rows);
        match term.sd {
            Some(sd) => sd * ((rows - 1.0) / rows).sqrt(),
            None => (term.mean * (1.0 - term.mean)).sqrt(),
        }
    }
}

fn at(path: &str, what: impl Into<String>, advice: impl Into<String>) -> PlanError {
    PlanError::at(format!("public.{path}"), what, advice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Value {
        serde_json::json!({
            "schema": SCHEMA, "source": "Smith 2020, Table 1", "rows": 1200,
            "terms": [
                {"term": "age", "mean": 54.1, "sd": 12.3},
                {"term": "sex[M]", "mean": 0.48},
                {"term": "sbp", "mean": 131, "sd": 18}
            ],
            "correlation": [[1, 0.02, 0.31], [0.02, 1, 0.08], [0.31, 0.08, 1]]
        })
    }

    #[test]
    fn a_table_is_written_as_it_is_read() {
        let parsed = PublicTable::parse(&table().to_string()).unwrap();
        assert_eq!(parsed.terms[1].sd, None);
        assert!((parsed.spread(&parsed.terms[1]).powi(2) - 0.48 * 0.52).abs() < 1e-15);
        assert!((parsed.spread(&parsed.terms[2]).powi(2) - 324.0 * 1199.0 / 1200.0).abs() < 1e-10);
        let text = serde_json::to_string(&parsed).unwrap();
        assert_eq!(PublicTable::parse(&text).unwrap(), parsed);
        assert!(!text.contains("null"), "{text}");
    }

    #[test]
    fn what_is_wrong_is_named_by_its_path() {
        type Change = fn(&mut Value);
        let cases: [(&str, Change); 20] = [
            ("public.schema", |t| t["schema"] = "discreet.plan/1".into()),
            ("public.source", |t| t["source"] = " ".into()),
            ("public.rows", |t| t["rows"] = 1.into()),
            ("public.rows", |t| t["rows"] = (-1).into()),
            ("public.terms", |t| t["terms"] = Value::Array(Vec::new())),
            ("public.terms[0].unit", |t| t["terms"][0]["unit"] = "years".into()),
            ("public.terms[0]", |t| t["terms"][0] = serde_json::json!(["age", 54.1, 12.3])),
            ("public.terms[0].term", |t| t["terms"][0]["term"] = INTERCEPT.into()),
            ("public.terms[2].term", |t| t["terms"][2]["term"] = "age".into()),
            ("public.terms[0].mean", |t| t["terms"][0]["mean"] = 1e308.into()),
            ("public.terms[0].mean", |t| t["terms"][0]["mean"] = "54".into()),
            ("public.terms[2].sd", |t| t["terms"][2]["sd"] = 0.into()),
            ("public.terms[2].sd", |t| t["terms"][2]["sd"] = 1e-200.into()),
            ("public.terms[2].sd", |t| drop(t["terms"][2].as_object_mut().map(|term| term.remove("sd")))),
            ("public.terms[1].sd", |t| t["terms"][1]["mean"] = 1.into()),
            ("public.correlation", |t| drop(t["correlation"].as_array_mut().map(Vec::pop))),
            ("public.correlation[1]", |t| drop(t["correlation"][1].as_array_mut().map(Vec::pop))),
            ("public.correlation[0][0]", |t| t["correlation"][0][0] = 0.9.into()),
            ("public.correlation[0][1]", |t| t["correlation"][0][1] = 0.03.into()),
            ("public.correlation[2][2]", |t| t["correlation"][2][2] = 324.into()),
        ];
        for (path, change) in cases {
            let mut changed = table();
            change(&mut changed);
            let error = PublicTable::parse(&changed.to_string()).unwrap_err();
            assert_eq!(error.path, path, "{error}");
            assert!(!error.advice.is_empty());
        }
    }

    #[test]
    fn texts_that_are_no_table_are_refused() {
        let doubled = table().to_string().replacen('{', r#"{"rows":7,"#, 1);
        let huge = table().to_string().replace("54.1", "1e999");
        for text in ["", "[]", "null", "{", "a,b\n1,2\n", &doubled, &huge] {
            assert!(PublicTable::parse(text).is_err(), "{text}");
        }
        let mut unfit = PublicTable::parse(&table().to_string()).unwrap();
        unfit.terms[0].mean = f64::NAN;
        assert_eq!(unfit.check().unwrap_err().path, "public.terms[0].mean");
        unfit.terms[0].mean = 1.0;
        unfit.terms[0].sd = Some(f64::NAN);
        assert_eq!(unfit.check().unwrap_err().path, "public.terms[0].sd");
        unfit.terms[0].sd = Some(1.0);
        unfit.correlation[0][1] = f64::NAN;
        assert_eq!(unfit.check().unwrap_err().path, "public.correlation[0][1]");
    }
}
