//! The table that is open. Its rows are for this machine alone.

use super::draft::{ColumnDraft, Setup};
use super::files::Part;
use super::presets::unit_in_name;
use super::{text, variants};
use crate::data::codebook::is_checkbox;
use crate::data::first_line::Doubt;
use crate::data::genotypes::{Choice, Matches};
use crate::data::preview::Suggestion;
use crate::plan::document::ColumnType;
use crate::plan::number_format::NumberFormat;
use crate::words;

/// Most bytes of a file that is read without being asked for.
pub const READ_UNASKED: f64 = 250_000_000.0;

/// Columns that the page draws at once: a table of 10^5 columns must not freeze it.
pub const PAGE: usize = 50;

/// The table that is open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The file's name.
    pub name: String,
    /// Its size in bytes.
    pub size: f64,
    /// Whether it is a sample.
    pub sample: bool,
    /// The delimiter, resolved.
    pub delimiter: u8,
    /// The header.
    pub names: Vec<String>,
    /// The first rows.
    pub rows: Vec<Vec<String>>,
    /// What the first rows look like.
    pub suggestions: Vec<Suggestion>,
    /// A record among the first rows that is not well formed.
    pub fault: Option<String>,
    /// Whether that record's bytes are no UTF-8.
    pub not_utf8: bool,
    /// Why the line that was read as the header may not be it.
    pub doubt: Option<Doubt>,
    /// The column and the cell by which the last row looks like one of totals.
    pub totals: Option<(usize, String)>,
    /// The ways of writing numbers that would make numbers of a column which are none now.
    pub other_formats: Vec<NumberFormat>,
    /// What genotypes have beside. `None` for a CSV.
    pub genotypes: Option<Genotypes>,
}

/// What is known of genotypes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Genotypes {
    /// Their files.
    pub parts: Vec<Part>,
    /// The variants that were chosen.
    pub choices: Vec<Choice>,
    /// How many variants there are, once all were read.
    pub total: Option<u64>,
    /// The columns of the samples' file, which are the first.
    pub own: usize,
    /// The column of the first variant. Those before it are of the samples' file, then of the phenotypes.
    pub first: usize,
    /// How samples and phenotypes belong together, if there are phenotypes. For this machine alone.
    pub matches: Option<Matches>,
}

impl Genotypes {
    /// Returns how samples and phenotypes match, if fewer than half of the samples have a row.
    pub fn few(&self) -> Option<Matches> {
        self.matches.filter(|matches| matches.are_few())
    }
}

/// Returns the unit in a number's name.
fn unit(name: &str, kind: Option<ColumnType>) -> String {
    let found = unit_in_name(name).filter(|_| kind == Some(ColumnType::Number));
    found.map(str::to_owned).unwrap_or_default()
}

/// Returns the type that is suggested. Numbers of a checkbox are codes, so they are a category.
fn kind(name: &str, suggestion: &Suggestion) -> Option<ColumnType> {
    match suggestion {
        Suggestion::Number if is_checkbox(name) => Some(ColumnType::Category),
        Suggestion::Number => Some(ColumnType::Number),
        Suggestion::Category { .. } => Some(ColumnType::Category),
        Suggestion::Unknown => None,
    }
}

impl Table {
    /// Returns whether the file is read without being asked for: one of at most 250 MB is, in a second or two.
    pub fn is_small(&self) -> bool {
        self.size <= READ_UNASKED
    }

    /// Keeps what was said of the columns of the same table as it was read before, under their names as they are read now. Types that
    /// are still as suggested are suggested again.
    pub fn suggest_again(&self, before: &Self, columns: &mut [ColumnDraft]) {
        let kinds = self.suggestions.iter().zip(&before.suggestions);
        for ((column, name), (now, then)) in columns.iter_mut().zip(&self.names).zip(kinds) {
            if column.kind == kind(&column.name, then) {
                column.kind = kind(name, now);
            }
            if column.name != *name && column.unit.is_empty() {
                column.unit = unit(name, column.kind);
            }
            column.name.clone_from(name);
        }
    }

    /// Calls the column that identifies persons by its name as it is read now.
    pub fn name_again(&self, before: &Self, setup: &mut Setup) {
        // Without such a column the field is empty, as the name of a column may be, too.
        let is_person = |name: &String| !name.is_empty() && *name == setup.person;
        let renamed = before.names.iter().zip(&self.names).find(|(then, _)| is_person(then));
        if let Some((_, now)) = renamed {
            setup.person.clone_from(now);
        }
    }

    /// Returns the table's name and its size in one line.
    pub fn line(&self) -> String {
        let columns = self.names.len();
        match &self.genotypes {
            None => self.marked(words::data::line(columns, &self.name, text::whole(columns))),
            Some(genotypes) => {
                text::genotypes::line(&self.name, genotypes.total, columns.saturating_sub(genotypes.first))
            }
        }
    }

    /// Returns the text, marked as that of a sample where the table is one.
    pub fn marked(&self, told: String) -> String {
        if self.sample { words::data::of_sample(told) } else { told }
    }

    /// Returns how samples and phenotypes match, if fewer than half of the samples have a row.
    pub fn few_matches(&self) -> Option<Matches> {
        self.genotypes.as_ref().and_then(Genotypes::few)
    }

    /// Returns whether a column is one of phenotypes that few samples have. Its empty cells are then those of samples without a row.
    pub fn lacks_rows(&self, place: usize) -> bool {
        let is_lacking =
            |known: &Genotypes| known.few().is_some() && (known.own..known.first).contains(&place);
        self.genotypes.as_ref().is_some_and(is_lacking)
    }

    /// Returns the columns of the table. In one of genotypes, described columns keep their description.
    pub fn columns(&self, described: Vec<ColumnDraft>) -> Vec<ColumnDraft> {
        if let Some(genotypes) = &self.genotypes {
            let (fixed, chosen) = self.names.split_at(genotypes.first.min(self.names.len()));
            return variants::columns(described, fixed, &self.suggestions, chosen);
        }
        let suggestions = self.suggestions.iter().map(Some).chain(std::iter::repeat(None));
        let column = |(name, suggestion): (&String, Option<&Suggestion>)| {
            let kind = suggestion.and_then(|suggestion| kind(name, suggestion));
            ColumnDraft { name: name.clone(), kind, unit: unit(name, kind), ..ColumnDraft::default() }
        };
        self.names.iter().zip(suggestions).map(column).collect()
    }
}
