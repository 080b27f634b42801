//! A release as a journal prints it: tables, notes and drafts of text, which the writers turn into HTML, Markdown, LaTeX, SVG and programs.
//!
//! Everything is made from the release document and the [`Supplement`] that follows from it. No writer computes a number of its own, so all
//! formats have the same.

pub mod comparison;
pub mod decimal;
pub mod draft;
pub mod drawing;
pub mod format;
pub mod html;
pub mod latex;
pub mod markdown;
pub mod measure;
pub mod references;
pub mod report;
pub mod ridge_path;
pub mod scripts;
pub mod stated;
pub mod tables;

pub use decimal::DecimalMark;
pub use format::Format;

use super::Release;
use super::document::Claimed;
use super::figure;
use super::format::at_most;
use super::known;
use super::odds;
use super::remarks;
use super::row_count::RowCount;
use super::statement::{Statement, promised};
use super::supplement::Supplement;
use crate::words;

/// Most outcomes that are written out; the rest are in the release itself.
pub const MOST_OUTCOMES: usize = 200;

/// The share of the budget's ε below which a release leaves some of it: numbers are rounded.
const LEAVES: f64 = 0.999;

/// What the person gives beside the release.
#[derive(Clone, Debug, PartialEq)]
pub struct Labels {
    /// What the table is called.
    pub title: String,
    /// The date, as it is to be printed.
    pub date: String,
    /// How many units a coefficient of a number is for; a display scale alone.
    pub per: f64,
    /// The decimal mark of tables and figures.
    pub decimal: DecimalMark,
    /// The name of the release's own file, which the programs read.
    pub file: String,
}

impl Default for Labels {
    fn default() -> Self {
        Self {
            title: String::new(),
            date: String::new(),
            per: 1.0,
            decimal: DecimalMark::default(),
            file: "release.json".to_owned(),
        }
    }
}

impl Labels {
    /// Returns the scale, which is 1 where what was given is no positive number.
    pub fn scale(&self) -> f64 {
        if self.per.is_finite() && self.per > 0.0 { self.per } else { 1.0 }
    }
}

/// The head of a column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its words.
    pub text: String,
    /// Whether its cells are numbers.
    pub numeric: bool,
    /// The words beside a cell where the head is not above it.
    pub beside: String,
}

/// A table as it is printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Its columns.
    pub heads: Vec<Head>,
    /// Its rows, a cell for each column.
    pub rows: Vec<Vec<String>>,
    /// What a reader has to know of its numbers.
    pub notes: Vec<String>,
}

/// A release, ready to be written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Publication {
    /// The title: what the person gave, or the outcome.
    pub title: String,
    /// The date, where one was given.
    pub date: String,
    /// The tables: coefficients first, then tests, then the description of the columns, and what was stated of them.
    pub tables: Vec<Table>,
    /// The notes: what the screen shows beside the tables.
    pub caveats: Vec<String>,
    /// The guarantee of the release in full, with its charge.
    pub guarantee: Vec<String>,
    /// What all charges to the budget keep together, where that is more than this release.
    pub of_several: Option<String>,
    /// How the release was made.
    pub setting: Vec<String>,
    /// A draft of the paragraph on methods.
    pub methods: String,
    /// A draft of the paragraph on results.
    pub results: String,
}

impl Publication {
    /// Returns the lists below the tables, each with its title, but for an empty one.
    pub fn lists(&self) -> impl Iterator<Item = (&'static str, Vec<&String>)> {
        let lists = [
            (words::report::notes(), self.caveats.iter().collect()),
            (words::result::what_is_promised(), self.guarantee.iter().chain(&self.of_several).collect()),
            (words::report::setting(), self.setting.iter().collect::<Vec<_>>()),
        ];
        lists.into_iter().filter(|(_, items)| !items.is_empty())
    }

    /// Returns everything that is printed of a release.
    pub fn new(release: &Release, supplement: &Supplement, labels: &Labels) -> Self {
        let outcomes = figure::outcomes(release);
        let regression = || match outcomes.as_slice() {
            [one] => words::report::of_one(odds::named(&release.plan, one, supplement.log_odds)),
            many => words::report::of_many(many.len()),
        };
        let typed = Some(labels.title.trim()).filter(|title| !title.is_empty()).map(str::to_owned);
        let title = match (release.demo.is_some(), typed) {
            (true, typed) => words::report::title_demo(typed.unwrap_or_else(regression)),
            (false, None) => words::report::title(regression()),
            (false, Some(typed)) => typed,
        };
        Self {
            title,
            date: labels.date.trim().to_owned(),
            tables: tables::all(release, supplement, labels),
            caveats: caveats(release),
            guarantee: guarantee(release),
            of_several: one_of_several(release),
            setting: stated::setting(release),
            methods: draft::methods(release, supplement),
            results: draft::results(release, supplement, labels.scale()),
        }
    }
}

/// Returns the notes of a release, with about how many rows counted first, and which did and which levels were merged last.
pub fn caveats(release: &Release) -> Vec<String> {
    let counted = RowCount::of(release).map(|count| count.printed());
    counted.into_iter().chain(notes(release)).chain(remarks::of_plan(&release.plan)).collect()
}

/// Returns the sentences of a release's guarantee, with the charge.
fn guarantee(release: &Release) -> Vec<String> {
    let mut sentences: Vec<String> =
        Statement::new(release).sentences().into_iter().map(str::to_owned).collect();
    if let Some(charge) = &release.ledger {
        sentences.push(words::report::ledger(&charge.id, charge.entry));
    }
    sentences
}

/// Returns what all charges to the budget keep together, where a charge is not the first or leaves some of it; without it in the release,
/// where it stands.
fn one_of_several(release: &Release) -> Option<String> {
    let charge = release.ledger.as_ref()?;
    let leaves = |promise: Claimed| promised(release).is_some_and(|(own, _)| own < LEAVES * promise.epsilon);
    let promise = charge.promise.map(|Claimed { epsilon, delta }| {
        words::journal::of_whole_budget(charge.entry, at_most(epsilon), at_most(delta))
    });
    (charge.entry > 1 || charge.promise.is_some_and(leaves))
        .then(|| promise.unwrap_or_else(|| words::journal::one_of_several(charge.entry)))
}

/// Returns the notes of a release without the rows that counted, and without what else could be asked for: that is for the person, and not
/// for a reader.
fn notes(release: &Release) -> Vec<String> {
    use words::note as told;
    let offers = [told::robust_offer(), told::far_rows_offer(), told::held_offer(), told::long_tail_offer()];
    let without = |note: &String| {
        offers.iter().fold(note.clone(), |note, offer| note.replace(&format!(" {offer}"), ""))
    };
    let mut caveats: Vec<String> = release.diagnostics.notes.iter().map(without).collect();
    if let Some(table) = &release.public {
        caveats.push(format!(
            "{} {} {}",
            known::origin(table),
            known::correlations(table),
            words::report::public_unprotected()
        ));
    }
    caveats
}

/// Returns a sentence in another form: what stands between backticks by `code`, the rest by `plain`.
fn marked(text: &str, plain: impl Fn(&str) -> String, code: impl Fn(&str) -> String) -> String {
    let part = |(place, part): (usize, &str)| if place % 2 == 1 { code(part) } else { plain(part) };
    text.split('`').enumerate().map(part).collect()
}
