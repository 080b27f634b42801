//! About how many rows counted, from what was released, and whether that is far from what was stated (theory/inference 6.5).

use super::{Release, figure};
use crate::math::round::real;
use crate::model::Role;
use crate::plan::document::ColumnType;
use crate::text::{about, grouped};
use crate::words;

/// Standard deviations of the noise that are no reason for a warning.
const DEVIATIONS: f64 = 3.0;

/// The share of the stated number that is none, either: rows with a missing cell do not count, and few tables have none.
const SHARE: f64 = 0.2;

/// Columns that a sentence names.
const NAMED: usize = 4;

/// How the number of rows that counted lies to the stated number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Noise or a few left-out rows explain the difference, or no number was stated.
    AsStated,
    /// Far fewer rows counted than were stated.
    Fewer,
    /// Far more rows counted than were stated.
    More,
}

/// The rows that counted in a release.
#[derive(Clone, Debug, PartialEq)]
pub struct RowCount {
    /// About how many.
    pub rows: f64,
    /// The standard deviation of the noise on that number; 0 where it is exact.
    pub std_error: f64,
    /// How many were stated.
    pub stated: Option<u64>,
    /// How the two compare.
    pub verdict: Verdict,
    /// The columns with levels, of which [`RowCount::sentence`] names some.
    levels: Vec<String>,
    /// Rows of one person that count, where a column names persons.
    of_person: Option<u32>,
    /// Whether rows were chosen.
    chosen: bool,
}

impl RowCount {
    /// Returns the count of a release. `None` if the release has none.
    pub fn of(release: &Release) -> Option<Self> {
        let rows = release.diagnostics.rows.filter(|rows| rows.is_finite())?;
        let std_error = release.diagnostics.rows_std_error.filter(|error| error.is_finite()).unwrap_or(0.0);
        let plan = &release.plan;
        // Where rows were chosen the public number is that of all.
        let stated = plan.rows.filter(|_| plan.only.is_empty()).or(plan.stated_rows);
        // A person may have several rows, so the stated number of persons allows a span of rows.
        let of_person = plan.person.as_ref().map(|_| plan.max_rows_per_person.unwrap_or(1).max(1));
        let most = of_person.unwrap_or(1);
        let verdict = stated.map_or(Verdict::AsStated, |stated| {
            let stated = real(stated);
            if rows + DEVIATIONS * std_error < (1.0 - SHARE) * stated {
                Verdict::Fewer
            } else if rows - DEVIATIONS * std_error > (1.0 + SHARE) * stated * f64::from(most) {
                Verdict::More
            } else {
                Verdict::AsStated
            }
        });
        let levels = figure::columns(release)
            .into_iter()
            .filter(|column| column.role != Role::Ignored && column.kind == Some(ColumnType::Category))
            .filter_map(|column| column.name);
        let chosen = !plan.only.is_empty();
        Some(Self { rows, std_error, stated, verdict, levels: levels.collect(), of_person, chosen })
    }

    /// Returns the number of rows rounded to the place that the noise leaves.
    pub fn about(&self) -> String {
        about(self.rows, self.std_error)
    }

    /// Returns what a reader has to know of the rows that counted, and where to look if they are far from what was stated.
    pub fn sentence(&self) -> String {
        let (counted, about, stated) = (self.counted(), self.about(), self.stated());
        match self.verdict {
            Verdict::AsStated => counted,
            Verdict::Fewer => words::journal::rows_fewer(
                words::journal::rows_fewer_found(counted, about, stated),
                self.suspects(),
            ),
            Verdict::More => {
                words::journal::rows_more(words::journal::rows_more_found(counted, about, stated))
            }
        }
    }

    /// Returns the same for a text that a journal prints: what is to be looked up is for the person who made the release.
    pub fn printed(&self) -> String {
        match self.verdict {
            Verdict::AsStated => self.counted(),
            Verdict::Fewer => words::journal::rows_fewer_printed(self.counted(), self.stated()),
            Verdict::More => words::journal::rows_more_printed(self.counted(), self.stated()),
        }
    }

    fn counted(&self) -> String {
        if self.std_error > 0.0 {
            words::journal::rows_about(self.about(), grouped(self.std_error.ceil()))
        } else {
            words::journal::rows_exact(self.about())
        }
    }

    fn stated(&self) -> String {
        let stated = self.stated.map(|stated| grouped(real(stated)));
        stated.unwrap_or_default()
    }

    fn suspects(&self) -> String {
        let named: Vec<&str> = self.levels.iter().take(NAMED).map(String::as_str).collect();
        let check = if named.is_empty() {
            words::journal::check_numbers().to_owned()
        } else {
            words::journal::check_levels(named.join(", "))
        };
        let check = if self.chosen { words::journal::check_conditions(check) } else { check };
        match self.of_person {
            Some(most) => words::journal::check_persons(most, check),
            None => check,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::release::document::of_tests;

    fn release(rows: f64, error: f64, plan: serde_json::Value) -> Release {
        let mut whole = json!({"schema": "discreet.plan/1", "adjacency": "add-remove", "columns": [
            {"name": "age", "role": "feature", "type": "number", "lower": 0, "upper": 10},
            {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
            {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 1}],
            "mechanism": {"name": "analyze-gauss"}, "budget": {"mu": 1.0, "delta": 1e-6}});
        for (key, value) in plan.as_object().unwrap() {
            whole[key] = value.clone();
        }
        let mut release = of_tests::release(&whole);
        release.diagnostics.rows = Some(rows);
        release.diagnostics.rows_std_error = Some(error);
        release
    }

    #[test]
    fn a_count_far_from_the_stated_number_says_where_to_look() {
        let of = |rows, error, plan| RowCount::of(&release(rows, error, plan)).unwrap();
        let far = of(6_234.0, 31.0, json!({"stated_rows": 12_000}));
        assert_eq!((far.verdict, far.about()), (Verdict::Fewer, "6230".to_owned()));
        let sentence = far.sentence();
        assert!(
            sentence.contains("6230 of 12\u{202f}000") && sentence.contains("levels of sex"),
            "{sentence}"
        );
        assert_eq!(of(10_200.0, 30.0, json!({"stated_rows": 12_000})).verdict, Verdict::AsStated);
        assert_eq!(
            of(9_000.0, 2_000.0, json!({"stated_rows": 12_000})).verdict,
            Verdict::AsStated,
            "noise explains it"
        );
        assert_eq!(of(15_000.0, 30.0, json!({"stated_rows": 12_000})).verdict, Verdict::More);
        assert_eq!(of(6_000.0, 30.0, json!({})).verdict, Verdict::AsStated);
        let persons = json!({"stated_rows": 4_000, "person": "id", "max_rows_per_person": 3});
        assert_eq!(of(11_000.0, 30.0, persons.clone()).verdict, Verdict::AsStated);
        assert_eq!(of(15_000.0, 30.0, persons).verdict, Verdict::More);
    }
}
