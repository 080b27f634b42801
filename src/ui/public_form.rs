//! The public-moments form: what is publicly known of the columns: typed, or opened from a file. Pure, and tested natively.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::draft::{Gap, Place, count, number};
use super::sentence::fault;
use crate::engine::public_moments::MomentTerms;
use crate::plan::document::Column;
use crate::plan::public::PublicTable;
use crate::plan::public::document::{PublicTerm, SCHEMA};
use crate::text::json;
use crate::words;
use crate::worker::protocol::SharedRows;

/// Most terms that are typed by hand.
pub const MOST_TYPED: usize = 40;

/// How public moments are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// A CSV of other people's rows.
    #[default]
    Csv,
    /// Numbers that a paper prints.
    Typed,
    /// An earlier release, or public numbers that were saved.
    Document,
}

impl Way {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Typed, Self::Document];
}

/// Everything that was given so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PublicForm {
    /// The way that is chosen.
    pub way: Way,
    /// What was typed.
    pub typed: Typed,
    /// What was opened.
    pub opened: Option<Opened>,
    /// Why a file was refused.
    pub problem: Option<String>,
}

/// Numbers as typed, by the names of terms, so that they stay when columns change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Typed {
    /// Rows behind them.
    pub rows: String,
    /// Where they are from.
    pub source: String,
    /// Mean and standard deviation.
    pub moments: BTreeMap<String, [String; 2]>,
    /// Correlations by the names of two terms in their order; an empty one is 0.
    pub correlations: BTreeMap<(String, String), String>,
}

impl Typed {
    /// Returns it as it is kept on this machine. It is public, so it may be.
    pub fn to_text(&self) -> Option<String> {
        let Self { rows, source, moments, correlations } = self;
        json::to_text(&(rows, source, moments, correlations.iter().collect::<Vec<_>>()), false).ok()
    }

    /// Reads what [`Self::to_text`] wrote. `None` if nothing was typed.
    pub fn from_text(text: &str) -> Option<Self> {
        type Kept = (String, String, BTreeMap<String, [String; 2]>, Vec<((String, String), String)>);
        let (rows, source, moments, correlations) = serde_json::from_str::<Kept>(text).ok()?;
        let typed = Self { rows, source, moments, correlations: correlations.into_iter().collect() };
        (typed != Self::default()).then_some(typed)
    }
}

/// What a file said.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened {
    /// The numbers.
    pub table: Arc<PublicTable>,
    /// The columns by which a CSV was read.
    pub columns: Option<Vec<Column>>,
    /// Its records that are in the private table, too, until the person states that they are of different people.
    pub shared: Option<SharedRows>,
}

/// A term of the plan, with what was stated of its column.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Its name: a column, or `column[level]`.
    pub name: String,
    /// Whether it belongs to an outcome, whose moments may be unform.
    pub outcome: bool,
    /// The bounds of its column. `None` for a level.
    pub bounds: Option<(f64, f64)>,
    /// The unit of its column.
    pub unit: String,
}

impl Term {
    /// Returns whether the term is a level. Its mean is a share, from which the deviation follows.
    pub const fn is_level(&self) -> bool {
        self.bounds.is_none()
    }

    /// Says what seems wrong with a mean and a deviation beside the column's bounds: most often another unit.
    pub fn doubt(&self, mean: Option<f64>, sd: Option<f64>) -> Option<&'static str> {
        let (lower, upper) = self.bounds.unwrap_or((0.0, 1.0));
        if mean.is_some_and(|mean| !(lower..=upper).contains(&mean)) {
            return Some(if self.bounds.is_some() {
                words::gap::doubt_outside()
            } else {
                words::gap::doubt_share()
            });
        }
        let width = upper - lower;
        match sd {
            // Values within bounds have a standard deviation of at most half of their width.
            Some(sd) if sd > width * 0.51 => Some(words::gap::doubt_wide()),
            Some(sd) if sd > 0.0 && sd < width * 0.005 => Some(words::gap::doubt_narrow()),
            _ => None,
        }
    }
}

/// Returns the names of terms as the whitener needs them.
pub fn moment_terms(terms: &[Term], intercept: bool) -> MomentTerms {
    let names = |outcome: bool| {
        let fits = terms.iter().filter(|term| term.outcome == outcome);
        fits.map(|term| term.name.clone()).collect()
    };
    MomentTerms { features: names(false), outcomes: names(true), intercept }
}

/// Returns the public table that was given, once it is complete.
///
/// # Errors
/// Everything that is missing or wrong.
pub fn table(form: &PublicForm, terms: &[Term]) -> Result<PublicTable, Vec<Gap>> {
    let gap = |field: &str, text: &str| Gap::new(Place::method(field), text);
    match (form.way, &form.opened) {
        (Way::Typed, _) => typed(&form.typed, terms),
        (_, Some(Opened { shared: Some(_), .. })) => {
            Err(vec![gap("public-different", words::gap::public_shared())])
        }
        (_, Some(opened)) if opened.table.source.trim().is_empty() => {
            Err(vec![gap("public-source", words::gap::public_source())])
        }
        (_, Some(opened)) => Ok(PublicTable::clone(&opened.table)),
        (_, None) => Err(vec![gap("public", words::gap::public())]),
    }
}

fn typed(given: &Typed, terms: &[Term]) -> Result<PublicTable, Vec<Gap>> {
    let mut gaps = Vec::new();
    let mut lacks = |field: String, text: String| gaps.push(Gap::new(Place::method(&field), text));
    let rows = count(&given.rows).filter(|rows| *rows > 1);
    if rows.is_none() {
        lacks("public-rows".to_owned(), words::gap::public_rows().to_owned());
    }
    let source = given.source.trim();
    if source.is_empty() {
        lacks("public-source".to_owned(), words::gap::public_source().to_owned());
    }
    let mut listed = Vec::new();
    for (place, term) in terms.iter().enumerate() {
        let empty = [String::new(), String::new()];
        let [mean, sd] = given.moments.get(&term.name).unwrap_or(&empty);
        let blank = mean.trim().is_empty() && (term.is_level() || sd.trim().is_empty());
        if term.outcome && blank {
            continue;
        }
        let mean = number(mean);
        let sd = if term.is_level() { None } else { number(sd).filter(|sd| *sd > 0.0) };
        if mean.is_none() {
            let text = if term.is_level() {
                words::gap::public_share(&term.name)
            } else {
                words::gap::public_mean(&term.name)
            };
            lacks(format!("public-mean-{place}"), text);
        } else if sd.is_none() && !term.is_level() {
            let text = words::gap::public_sd(&term.name);
            lacks(format!("public-sd-{place}"), text);
        }
        listed.push((place, PublicTerm { term: term.name.clone(), mean: mean.unwrap_or_default(), sd }));
    }
    let mut correlation = vec![vec![0.0; listed.len()]; listed.len()];
    for (row, (place, own)) in listed.iter().enumerate() {
        correlation[row][row] = 1.0;
        for (column, (_, other)) in listed.iter().take(row).enumerate() {
            let text = given.correlations.get(&(other.term.clone(), own.term.clone()));
            let text = text.map(|text| text.trim()).filter(|text| !text.is_empty());
            let value = text.map_or(Some(0.0), number).filter(|value| value.abs() <= 1.0);
            if value.is_none() {
                let text = words::gap::correlation(&own.term, &other.term);
                lacks(format!("public-correlation-{place}-{}", listed[column].0), text);
            }
            correlation[row][column] = value.unwrap_or_default();
            correlation[column][row] = correlation[row][column];
        }
    }
    if !gaps.is_empty() {
        return Err(gaps);
    }
    let table = PublicTable {
        schema: SCHEMA.to_owned(),
        source: source.to_owned(),
        rows: rows.unwrap_or_default(),
        terms: listed.into_iter().map(|(_, term)| term).collect(),
        correlation,
    };
    match table.check() {
        Ok(()) => Ok(table),
        Err(error) => Err(vec![Gap::new(Place::method("public"), fault(&error))]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Vec<Term> {
        let term = |name: &str, outcome: bool, bounds| Term {
            name: name.to_owned(),
            outcome,
            bounds,
            unit: String::new(),
        };
        vec![
            term("age", false, Some((18.0, 100.0))),
            term("sex[M]", false, None),
            term("sbp", true, Some((40.0, 270.0))),
        ]
    }

    fn filled() -> PublicForm {
        let moments = [("age", ["54,1", "12.3"]), ("sex[M]", ["0.48", ""])];
        let typed = Typed {
            rows: "1 200".to_owned(),
            source: " Smith 2020, Table 1 ".to_owned(),
            moments: moments.map(|(name, pair)| (name.to_owned(), pair.map(str::to_owned))).into(),
            correlations: BTreeMap::new(),
        };
        PublicForm { way: Way::Typed, typed, ..PublicForm::default() }
    }

    #[test]
    fn what_is_typed_becomes_a_table() {
        let mut form = filled();
        let found = table(&form, &terms()).unwrap();
        assert_eq!((found.rows, found.source.as_str(), found.terms.len()), (1200, "Smith 2020, Table 1", 2));
        assert_eq!(found.correlation, [[1.0, 0.0], [0.0, 1.0]]);
        form.typed.moments.insert("sbp".to_owned(), ["131".to_owned(), "18".to_owned()]);
        form.typed.correlations.insert(("age".to_owned(), "sbp".to_owned()), "0.31".to_owned());
        let found = table(&form, &terms()).unwrap();
        assert!(
            (found.correlation[0][2] - 0.31).abs() < 1e-15 && (found.correlation[2][0] - 0.31).abs() < 1e-15
        );
        assert_eq!(found.terms[2].sd, Some(18.0));
    }

    #[test]
    fn what_is_typed_is_kept_and_read_again() {
        let mut typed = filled().typed;
        typed.correlations.insert(("age".to_owned(), "sbp".to_owned()), "0.31".to_owned());
        assert_eq!(Typed::from_text(&typed.to_text().unwrap()), Some(typed));
        assert_eq!(Typed::from_text(&Typed::default().to_text().unwrap()), None);
        assert_eq!(Typed::from_text("{}"), None);
    }

    #[test]
    fn a_column_whose_name_ends_like_a_level_is_a_number() {
        let crp = Term {
            name: "crp [mg/l]".to_owned(),
            outcome: false,
            bounds: Some((0.0, 200.0)),
            unit: String::new(),
        };
        assert!(!crp.is_level() && terms()[1].is_level());
        let mut form = filled();
        let mut ask = |sd: &str| {
            form.typed.moments.insert(crp.name.clone(), ["5.2".to_owned(), sd.to_owned()]);
            table(&form, std::slice::from_ref(&crp))
        };
        assert_eq!(ask("").unwrap_err()[0].place, Place::method("public-sd-0"));
        assert_eq!(ask("7.1").unwrap().terms[0].sd, Some(7.1));
    }

    #[test]
    fn what_is_missing_is_named_at_its_place() {
        type Change = fn(&mut Typed);
        let cases: [(&str, Change); 7] = [
            ("public-rows", |t| t.rows = "1".to_owned()),
            ("public-source", |t| t.source = " ".to_owned()),
            ("public-mean-0", |t| t.moments.get_mut("age").unwrap()[0] = "x".to_owned()),
            ("public-sd-0", |t| t.moments.get_mut("age").unwrap()[1] = "0".to_owned()),
            ("public-mean-1", |t| drop(t.moments.remove("sex[M]"))),
            ("public-sd-2", |t| drop(t.moments.insert("sbp".to_owned(), ["131".to_owned(), String::new()]))),
            ("public-correlation-1-0", |t| {
                t.correlations.insert(("age".to_owned(), "sex[M]".to_owned()), "1.1".to_owned());
            }),
        ];
        for (field, change) in cases {
            let mut form = filled();
            change(&mut form.typed);
            let gaps = table(&form, &terms()).unwrap_err();
            assert_eq!(gaps.len(), 1, "{gaps:?}");
            assert_eq!(gaps[0].place, Place::method(field));
        }
        let mut impossible = filled();
        impossible.typed.moments.insert("sex[M]".to_owned(), ["1.2".to_owned(), String::new()]);
        assert_eq!(table(&impossible, &terms()).unwrap_err()[0].place, Place::method("public"));
        assert_eq!(table(&PublicForm::default(), &terms()).unwrap_err().len(), 1);
    }

    #[test]
    fn a_guide_is_made_for_features_and_outcomes_apart() {
        let asked = moment_terms(&terms(), true);
        let (features, outcomes) =
            (["age".to_owned(), "sex[M]".to_owned()].into(), ["sbp".to_owned()].into());
        assert_eq!(asked, MomentTerms { features, outcomes, intercept: true });
    }

    #[test]
    fn a_wrong_unit_shows() {
        let [age, sex, _] = &terms()[..] else { panic!() };
        assert_eq!(age.doubt(Some(54.0), Some(12.0)), None);
        assert!(age.doubt(Some(650.0), Some(12.0)).is_some(), "months");
        assert!(age.doubt(Some(54.0), Some(150.0)).is_some() && age.doubt(Some(54.0), Some(0.2)).is_some());
        assert!(sex.doubt(Some(48.0), None).is_some() && sex.doubt(Some(0.48), None).is_none());
        assert_eq!(age.doubt(None, None), None);
    }
}
