//! The description of the columns and their correlations.

use super::MOST_ADJUSTED;
use super::fit::{of_one, sd_of_parts};
use super::written::{head, noisy, number};
use crate::model::Missing;
use crate::plan::Plan;
use crate::plan::derived::name_of;
use crate::plan::document::Transform;
use crate::release::Release;
use crate::release::figure;
use crate::release::format::{self, significant};
use crate::release::publication::measure::width;
use crate::release::publication::{Head, Table};
use crate::release::reduced::column_of;
use crate::release::supplement::{Correlations, DescribedTerm, Description, Noisy, RESOLVED, Supplement};
use crate::words;

/// Width of the report's text on A4, its size of numbers, the space between its columns, and most of the width of names, in pixels.
const REPORT_WIDTH: f64 = 640.0;

const REPORT_SIZE: f64 = 12.0;

const REPORT_GAP: f64 = 8.0;

const MOST_OF_NAMES: f64 = 226.0;

/// Returns the mean of a number, or the share of a level where it stands out of its noise.
pub fn mean_of(term: &DescribedTerm) -> Option<Noisy> {
    (term.level.is_none() || term.mean.value > term.mean.std_error).then_some(term.mean)
}

/// Returns the standard deviation of a column: of an outcome what residuals and coefficients give (theory/inference 6.6), where that stands out
/// of its noise and has less than the description.
pub fn sd_of(release: &Release, supplement: &Supplement, term: &DescribedTerm) -> Option<Noisy> {
    let is_number = term.level.is_none();
    let of_parts = is_number.then(|| sd_of_parts(release, supplement, &term.term)).flatten();
    let of_parts = of_parts.filter(|found| found.stands_out(2.0 * RESOLVED));
    match (of_parts, term.sd) {
        (Some(parts), Some(own)) => Some(if own.std_error < parts.std_error { own } else { parts }),
        (parts, own) => parts.or(own),
    }
}

/// Returns a function that tells a term that is made from columns. Merged levels are those of a column.
fn is_made(plan: &Plan) -> impl Fn(&str) -> bool {
    let derived = plan.derived.iter().filter(|entry| entry.transform != Transform::Merged);
    let derived: Vec<String> = derived.map(name_of).collect();
    move |term| derived.contains(&column_of(plan, term))
}

/// Returns the table that describes the columns, Table 1, and one of the terms that are made from columns; neither without a row.
pub fn columns(release: &Release, supplement: &Supplement, description: &Description) -> Vec<Table> {
    let is_made = is_made(&release.plan);
    let (made, own): (Vec<&DescribedTerm>, Vec<&DescribedTerm>) =
        description.terms.iter().take(MOST_ADJUSTED).partition(|term| is_made(&term.term));
    let mut notes = vec![words::journal::columns_note().to_owned()];
    if release.plan.missing == Some(Missing::Midpoint) {
        notes.push(words::journal::columns_midpoint().to_owned());
    }
    if description.source == Correlations::ShortenedRows {
        notes.push(words::journal::columns_shortened().to_owned());
    }
    let most = release.plan.max_rows_per_person.filter(|most| *most > 1);
    notes.extend(most.map(words::journal::columns_of_rows));
    let parts = [
        (words::journal::columns(), words::columns::column(), own),
        (words::journal::made_columns(), words::result::term(), made),
    ];
    let parts = parts.into_iter().filter(|(.., terms)| !terms.is_empty());
    let table = |(caption, first, terms): (&'static str, &'static str, Vec<&DescribedTerm>)| Table {
        caption: caption.to_owned(),
        heads: vec![
            head(first),
            number(words::journal::mean_or_share()),
            number(words::journal::its_noise()),
            number(words::report::standard_deviation()),
            number(words::journal::its_noise()),
        ],
        rows: terms.into_iter().map(|term| described(release, supplement, term)).collect(),
        notes: std::mem::take(&mut notes),
    };
    parts.map(table).collect()
}

/// Returns the row of a term in a table that describes columns.
fn described(release: &Release, supplement: &Supplement, term: &DescribedTerm) -> Vec<String> {
    let none = || format::NONE.to_owned();
    if let Some((column, level)) = &term.level {
        let share = |value: f64| format!("{value:.1} %");
        let mean = Noisy { value: 100.0 * term.mean.value, std_error: 100.0 * term.mean.std_error };
        let small = mean.std_error > 0.0 && mean.std_error < 0.05;
        let error =
            if small { format!("{} %", significant(mean.std_error, 1)) } else { share(mean.std_error) };
        return vec![
            format!(
                "{}: {}",
                figure::column_name(&release.plan, column),
                figure::level_name(&release.plan, column, level)
            ),
            if mean_of(term).is_none() { none() } else { share(mean.value.min(100.0)) },
            error,
            // A share has no standard deviation of its own.
            String::new(),
            String::new(),
        ];
    }
    let named = figure::column_name(&release.plan, &term.term);
    let named = figure::with_unit(named, &figure::unit(&release.plan, &term.term));
    let [mean, mean_error] = noisy(term.mean);
    let sd = sd_of(release, supplement, term);
    let [sd, sd_error] = sd.map_or_else(|| [none(), none()], noisy);
    vec![named, mean, mean_error, sd, sd_error]
}

/// Returns the lower triangle of the correlations, each with its noise; nothing where none is known. Terms that are made from columns come
/// last. Rows and columns have numbers, as journals print them, and there are as many tables as are needed for each to be no wider than a page
/// of A4.
pub fn correlations(release: &Release, description: &Description) -> Vec<Table> {
    let known = description
        .correlations
        .iter()
        .enumerate()
        .any(|(row, cells)| cells.iter().take(row).any(Option::is_some));
    if !known {
        return Vec::new();
    }
    let is_made = is_made(&release.plan);
    let (made, mut order): (Vec<usize>, Vec<usize>) =
        (0..description.correlated.len()).partition(|place| is_made(&description.correlated[*place]));
    order.extend(&made);
    let names = order.iter().enumerate();
    let names: Vec<String> =
        names.map(|(place, from)| format!("{}. {}", place + 1, description.correlated[*from])).collect();
    let cell = |(column, cell): (usize, &Option<Noisy>), row: usize| match cell {
        _ if column > row => String::new(),
        _ if column == row => "1".to_owned(),
        Some(Noisy { value, std_error }) if *std_error > 0.0 => of_one(*value, *std_error).join(" ± "),
        Some(Noisy { value, .. }) => format!("{value:.3}"),
        None => format::NONE.to_owned(),
    };
    let of = |row: usize, column: usize| &description.correlations[row.max(column)][row.min(column)];
    let cells = order.iter().enumerate().map(|(row, from)| {
        let cells = order.iter().enumerate();
        cells.map(|(column, other)| cell((column, of(*from, *other)), row)).collect()
    });
    let cells: Vec<Vec<String>> = cells.collect();
    let widest = |texts: &mut dyn Iterator<Item = &str>| {
        texts.map(|text| width(text, REPORT_SIZE)).fold(0.0, f64::max) + REPORT_GAP
    };
    let name =
        widest(&mut names.iter().flat_map(|name| name.split(' '))).clamp(MOST_OF_NAMES / 2.0, MOST_OF_NAMES);
    let column = widest(&mut cells.iter().flatten().map(String::as_str));
    let fitting = ((REPORT_WIDTH - name) / column).clamp(1.0, 100.0);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "from 1 to 100")]
    let fitting = fitting as usize;
    let note = match description.source {
        Correlations::Rows => words::journal::correlations_note(),
        Correlations::ShortenedRows => words::journal::correlations_shortened(),
    };
    let last = (!made.is_empty()).then(words::journal::correlations_made);
    let notes: Vec<&str> = std::iter::once(note).chain(last).collect();
    // The last column would hold a 1 alone.
    let count = names.len().saturating_sub(1).max(1);
    let each = count.div_ceil(count.div_ceil(fitting));
    let block = |from: usize| {
        let to = (from + each).min(count);
        let mut heads = vec![head(words::columns::column())];
        let of = |(column, name): (usize, &String)| Head {
            beside: name.clone(),
            ..number((column + 1).to_string())
        };
        heads.extend(names.iter().enumerate().take(to).skip(from).map(of));
        let rows = names.iter().zip(&cells).skip(from).map(|(name, cells)| {
            std::iter::once(name).chain(cells.iter().take(to).skip(from)).cloned().collect()
        });
        let caption = words::journal::correlations();
        Table {
            caption: if from == 0 { caption.to_owned() } else { words::journal::continued(caption) },
            heads,
            rows: rows.collect(),
            notes: notes.iter().filter(|_| to == count).map(|note| (*note).to_owned()).collect(),
        }
    };
    (0..count).step_by(each).map(block).collect()
}
