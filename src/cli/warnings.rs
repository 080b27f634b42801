//! Warnings before a charge: first rows that contradict the plan, and products that are nearly collinear with their factors. A
//! warning names a column and a kind of contradiction, never a cell or a count. It is written to standard error, which only the
//! person at this machine reads.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::error::CliError;
use super::job::Job;
use crate::data::codebook::are_headings;
use crate::data::first_line::{Doubt, doubt, without_units};
use crate::data::header::HeaderRules;
use crate::data::inspection::Column;
use crate::data::last_line::{LAST_BYTES, totals};
use crate::data::mismatch::{
    Contradiction, Stated, codes, meeting, mismatches, none_counts, persons, spelt_twice, survey_weight,
    turned_round, two_values, unmet,
};
use crate::data::preview::{ROWS, preview};
use crate::engine::EngineError;
use crate::model::{Missing, Role};
use crate::plan::bound::{BoundColumn, BoundPlan, Kind, Source};
use crate::plan::derived::Uncentred;
use crate::plan::kinds::DEFAULT_NA;
use crate::words;

/// What the table says of a plan.
#[derive(Debug, Default)]
pub struct Warned {
    /// What was warned of.
    pub said: Vec<String>,
    /// Why a release stops where nobody can be asked: no row can count.
    pub stop: Option<String>,
}

/// Writes the warnings, and returns what they come to.
///
/// # Errors
/// [`CliError`] for a table without records, and where the cells of a record would become the names of columns: a pattern takes any.
pub fn warn(job: &Job) -> Result<Warned, CliError> {
    let mut errors = io::stderr().lock();
    let Found { names_are_values, warnings, unread } = warnings(job)?;
    if names_are_values && job.prepared.plan().columns.iter().any(|column| column.pattern.is_some()) {
        return Err(CliError::usage(
            "the names of the columns look like values, and `match` would publish them as the names of terms; write \
             \"header\": 0 into `csv` of the plan if the file has no header, or \"header\": 1 if it has one",
        ));
    }
    for warning in &warnings {
        // A failure to write a warning is ignored: the release is what was asked for.
        let _ = writeln!(errors, "discreet: warning: {warning}");
    }
    Ok(Warned { said: warnings, stop: unread.map(words::error::cli_unread) })
}

/// What was found in the first rows.
#[derive(Default)]
struct Found {
    /// Whether the line that was read as the header looks like a record.
    names_are_values: bool,
    warnings: Vec<String>,
    /// A column of which none of the first rows has a value that the plan can read.
    unread: Option<String>,
}

fn warnings(job: &Job) -> Result<Found, EngineError> {
    let mut found = of_rows(job)?;
    let uncentred = Uncentred::of(job.prepared.plan());
    found.warnings.extend(uncentred.iter().map(Uncentred::sentence));
    Ok(found)
}

fn of_rows(job: &Job) -> Result<Found, EngineError> {
    let prepared = job.prepared.fit();
    let bound = prepared.bound();
    if let Some(files) = job.genotypes() {
        let few = files.have_few_phenotypes().then(|| FEW_SAMPLES.to_owned());
        let (of_cells, unread) = of_cells(bound, files.names(), &files.first_rows(ROWS));
        let warnings = few.into_iter().chain(of_cells).collect();
        return Ok(Found { warnings, unread, ..Found::default() });
    }
    let Some(table) = job.table() else { return Ok(Found::default()) };
    let header = table.header();
    let (bytes, at_end) = table.first_bytes();
    let body = usize::try_from(header.body_offset).unwrap_or(usize::MAX);
    let shown = preview(header, &bound.csv, bytes.get(body..).unwrap_or_default(), at_end, ROWS);
    if shown.error.is_some() {
        // The run ends with this error, which is one line.
        return Ok(Found::default());
    }
    let rows = shown.rows;
    if at_end && rows.is_empty() {
        return Err(EngineError::NoRows);
    }
    let mut warnings = Vec::new();
    if are_headings(&header.names) {
        warnings.push(CODEBOOK.to_owned());
    }
    let mut names_are_values = false;
    if !job.states_header() {
        let found = doubt(header, HeaderRules::of(prepared.checked()), bytes, &rows);
        names_are_values = matches!(found, Some(Doubt::Values));
        warnings.extend(found.map(|doubt| match doubt {
            Doubt::Values => "the names of the columns look like values; if the file has no header, write \"header\": 0 \
                              into `csv` of the plan, or \"header\": 1 if it has one"
                .to_owned(),
            Doubt::Title(line) => format!(
                "line 1 looks like a title; if line {line} has the names, write \"header\": {line} into `csv` of the plan"
            ),
        }));
    }
    let records = without_units(&rows, &bound.csv);
    if warnings.is_empty() && records.len() < rows.len() {
        let has_header = job.prepared.plan().csv.as_ref().is_none_or(|csv| csv.header != Some(0));
        let line = if has_header { "line below the header" } else { "first line" };
        warnings
            .push(format!("the {line} looks like a line of units; it counts as a record with missing cells"));
    }
    let (of_cells, unread) = of_cells(bound, &header.names, records);
    warnings.extend(of_cells);
    if let Some((field, _)) = totals(&table.last_bytes(LAST_BYTES), header, &rows, &bound.csv) {
        let name = header.names.get(field).map(String::as_str).unwrap_or_default();
        warnings.push(told(name, Contradiction::Totals));
    }
    Ok(Found { names_are_values, warnings, unread })
}

/// The rows that the warnings of this module are about, and those of the rest of a file.
pub const FIRST: &str = "the first rows";
pub const LATER: &str = "later rows";

fn told(name: &str, kind: Contradiction) -> String {
    told_of_rows(name, kind, FIRST)
}

/// Returns what these rows of a column contradict, and what to do.
pub fn told_of_rows(name: &str, kind: Contradiction, rows: &str) -> String {
    told_of(name, &what(kind).replace("{rows}", rows))
}

/// Returns a sentence about a column.
pub fn told_of(name: &str, what: &str) -> String {
    format!("column `{name}`: {what}")
}

/// What to do about phenotypes that fewer than half of the samples have. Where no sample has a row, the table is refused.
const FEW_SAMPLES: &str = "the table of phenotypes: fewer than half of the samples have a row: `IID` has other values than the samples' file, or \
                           `FID` has, or the others have no phenotypes; write both as they stand there, or leave the column `FID` out";

/// What to do about a codebook that is given as the table.
const CODEBOOK: &str =
    "these look like the headings of a codebook: its rows are columns, not people; give the table itself";

/// What to do about missing cells where a person has several rows.
const FILLED_LATER: &str = "most of its first cells are missing; of each person the first rows in the file count, so if it is filled in later rows, \
                            choose those by a condition on it in `only`";

/// What to do about an outcome of two codes.
const TWO_CODES: &str = "the first rows have two codes alone, as a yes or no has, and the plan calls it a number; make it a category with the two as \
                         levels, that which is explained last, and take a logistic method";

/// What to do about empty cells that are a level because the plan's marks of missing cells leave them out.
const TAKEN: &str = "the first rows have cells that are empty or such as NA, and they count as the level that takes all others: a list `na` in `csv` \
                     replaces the usual marks of a missing cell, so list these too, or list codes in `na` of the column alone";

/// Returns what contradicts the plan in the cells of the first records, and a column of which none can be read.
fn of_cells(bound: &BoundPlan, names: &[String], records: &[Vec<String>]) -> (Vec<String>, Option<String>) {
    let name_of = |field: usize| names.get(field).map(String::as_str).unwrap_or_default();
    let unmet = unmet(records, &bound.only, &bound.csv);
    let mut warnings: Vec<String> =
        unmet.iter().map(|(field, found)| told(name_of(*field), found.kind)).collect();
    let records = meeting(records, &bound.only, &bound.csv);
    let cells = |field: usize| records.iter().filter_map(move |row| row.get(field)).map(String::as_str);
    let takes_all = |column: &&BoundColumn| matches!(column.kind, Kind::Category { other: Some(_), .. });
    let take_all: BTreeSet<usize> =
        bound.columns.iter().filter(takes_all).filter_map(|column| column.source.field()).collect();
    let (mut used, mut unread) = (BTreeSet::new(), None);
    for column in Column::all(bound) {
        let Some(field) = column.field() else { continue };
        used.insert(field);
        let levels = column.levels();
        let stated = match column {
            Column::Number { lower, upper, .. } => Stated::Number { lower: Some(lower), upper: Some(upper) },
            _ => Stated::Category { levels: &levels },
        };
        let name = name_of(field);
        let rules = bound.csv.of_field(field);
        if unread.is_none()
            && bound.missing == Missing::Skip
            && !take_all.contains(&field)
            && none_counts(cells(field), stated, &rules)
        {
            unread = Some(name.to_owned());
        }
        let mut found = mismatches(name, cells(field), stated, &rules);
        found.extend(survey_weight(name, cells(field), &rules));
        if matches!(stated, Stated::Number { .. }) {
            found.extend(codes(name, cells(field), &rules));
        }
        warnings.extend(found.iter().map(|found| match found.kind {
            Contradiction::Missing { .. } if bound.person.is_some() => told_of(name, FILLED_LATER),
            kind => told(name, kind),
        }));
    }
    let outcomes = || bound.columns.iter().filter(|column| column.role == Role::Outcome);
    let coded = outcomes().filter_map(|column| {
        // An outcome between 0 and 1 is yes or no for a method that takes that.
        let is_number = matches!(column.kind, Kind::Number { lower, upper } if (lower, upper) != (0.0, 1.0));
        let field = column.source.field().filter(|_| is_number)?;
        two_values(cells(field), &bound.csv.of_field(field))?;
        Some(told_of(&column.name, TWO_CODES))
    });
    warnings.extend(coded);
    let taken = bound.columns.iter().filter_map(|column| {
        let (Kind::Category { other, .. }, Some(field)) = (&column.kind, column.source.field()) else {
            return None;
        };
        let rules = bound.csv.of_field(field);
        let is_missing = |cell: &str| DEFAULT_NA.contains(&cell.trim());
        let counts = |cell: &str| !bound.csv.na.iter().chain(&rules.na).any(|mark| mark == cell.trim());
        let is_taken = other.is_some() && cells(field).any(|cell| is_missing(cell) && counts(cell));
        is_taken.then(|| told_of(&column.name, TAKEN))
    });
    warnings.extend(taken);
    let turned = outcomes().filter_map(|column| {
        let Kind::Category { levels, reference, .. } = &column.kind else { return None };
        Some(told(&column.name, turned_round(levels, levels.get(*reference)?)?.kind))
    });
    warnings.extend(turned);
    let twice = bound.columns.iter().filter_map(|column| match (&column.source, &column.kind) {
        (Source::Field(_), Kind::Category { levels, .. }) => {
            Some(told(&column.name, spelt_twice(levels)?.kind))
        }
        _ => None,
    });
    warnings.extend(twice);
    if bound.person.is_none() {
        let others = names.iter().enumerate().filter(|(field, _)| !used.contains(field));
        let found = others.filter_map(|(field, name)| Some((name, persons(name, cells(field), &bound.csv)?)));
        let several = found.filter(|(_, found)| found.kind == Contradiction::SeveralRows);
        warnings.extend(several.map(|(name, found)| told(name, found.kind)));
    }
    (warnings, unread)
}

/// Returns what a contradiction means and what to do, with `{rows}` for the rows that have it.
const fn what(kind: Contradiction) -> &'static str {
    match kind {
        Contradiction::Levels => {
            "{rows} have cells that are none of its levels and count as missing; compare `levels` with the file"
        }
        Contradiction::Encoding => {
            "{rows} have cells that are its levels in UTF-8 read as Latin-1, and count as missing; write `utf-8` for `encoding` in `csv`"
        }
        Contradiction::Spelling => {
            "{rows} write a level in capital and in small letters, and cells that are none of its levels count as missing; write each level in one way"
        }
        Contradiction::Format => {
            "{rows} have numbers in another format, which count as missing; see `decimal`, `thousands` and `percent` in `csv`, or `written` of the column"
        }
        Contradiction::Thousands => {
            "its numbers all have three digits behind the point, in a file as is written where the comma is the decimal mark; if 9.029 means 9029, set `decimal` to `,` and `thousands` to `.` in `csv`, or in `written` of the column"
        }
        Contradiction::Date => {
            "{rows} have dates, which count as missing; have them count as years by `date` in `written` of the column, or leave it out"
        }
        Contradiction::Words => {
            "{rows} have words in place of numbers, which count as missing; is it a category?"
        }
        Contradiction::Code => {
            "{rows} have what looks like a code for a missing value; if it is one, list it in `na` of the column"
        }
        Contradiction::Unit => {
            "{rows} have numbers with units, which are no levels; remove the units and make the column a number"
        }
        Contradiction::Missing { .. } => {
            "most of its first cells are missing, and such rows do not count; where an empty cell is an answer, such as no tick, list `\"\"` among its levels; see `missing`"
        }
        Contradiction::Identifier => {
            "it numbers or names rows or persons, to judge by its name or its first cells; such a column explains nothing"
        }
        Contradiction::SeveralRows | Contradiction::Persons => {
            "it seems to name persons, and one of them has several of the first rows; if it does, name it as `person` in the plan, or the release protects one row and not the person"
        }
        Contradiction::Lines { .. } => {
            "one of its first cells runs over many lines of the file, whose rows are lost in it; two double quotes far apart may be typing errors: mend them"
        }
        Contradiction::Totals => {
            "the last row looks like a row of totals, which counts as a person; if it is one, delete it in the file"
        }
        Contradiction::Unmet => {
            "none of the first rows meets the condition on it in `only`, and other rows do not count"
        }
        Contradiction::Weight => {
            "it looks like the weight of a survey; rows are not weighted, strata and clusters are not in the standard errors, and a feature is adjusted for as any other"
        }
        Contradiction::Codes => {
            "it looks like codes of groups; as a number they have one coefficient, per unit; is it a category?"
        }
        Contradiction::SpeltTwice => {
            "two of its levels differ by capitals, accents or spaces alone, and each has a coefficient of its own; join them with a term `merged`"
        }
        Contradiction::TurnedRound => {
            "its reference is yes, so the regression explains no; see `reference`, or put the level that is explained last"
        }
        Contradiction::Shares => {
            "the first rows lie between 0 and 1, where percentages are stated; a workbook holds 80 % as 0.8"
        }
        Contradiction::AtEnd { .. } => {
            "a bound of it is exactly the smallest or the largest number of the file; a bound has to come from elsewhere, because the plan is published"
        }
        Contradiction::Outside | Contradiction::Beyond { .. } => {
            "{rows} have numbers beyond its bounds, which are clipped; are they in another unit, or do such rows not belong to the question (see `only`)?"
        }
    }
}
