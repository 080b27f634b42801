//! Which message stands for what is known of genotypes.

use super::{list, whole};
use crate::data::genotypes::{Choice, Matches, Shared};
use crate::ui::variants;
use crate::words;

/// Says which files are here, and which are missing.
pub fn waits(here: &[String], missing: &[String]) -> String {
    let here = words::genotypes::here(here.len(), list(here, 4));
    words::genotypes::waits(missing.len(), here, list(missing, 3))
}

/// Says how many variants there are and how many of them are columns.
pub fn count(total: Option<u64>, in_use: usize) -> String {
    let chosen = words::genotypes::chosen(in_use, whole(in_use));
    match total.and_then(|total| usize::try_from(total).ok()) {
        Some(total) => words::genotypes::source_has(total, whole(total), chosen),
        None => words::genotypes::uncounted(chosen),
    }
}

/// Says why some choices find no variant. `None` if there are no such choices.
pub fn lost(choices: &[Choice], shared: &[Shared]) -> Option<String> {
    let (unknown, shared) = variants::lost(choices, shared);
    let unknown = (!unknown.is_empty()).then(|| words::genotypes::not_found(list(&unknown, 5)));
    let of =
        |Shared { pattern, id, coordinates }: &Shared| words::genotypes::shared_id(id, pattern, coordinates);
    let told: Vec<String> = unknown.into_iter().chain(shared.into_iter().map(of)).collect();
    (!told.is_empty()).then(|| told.join(". "))
}

/// Says how many samples have a row in the phenotypes, and how many rows have no sample.
pub fn matches(found: Matches) -> String {
    let Matches { samples, matched, rows_alone } = found;
    let samples = words::genotypes::matched(matched, whole(matched), whole(samples));
    if rows_alone == 0 {
        return words::genotypes::matches(samples, words::genotypes::no_row_alone());
    }
    words::genotypes::matches(samples, words::genotypes::rows_alone(rows_alone, whole(rows_alone)))
}

/// Describes the table in one line: its file and its variants.
pub fn line(name: &str, total: Option<u64>, in_use: usize) -> String {
    match total.and_then(|total| usize::try_from(total).ok()) {
        Some(total) => words::genotypes::line(total, name, whole(total)),
        None => words::genotypes::line_chosen(name, in_use_short(in_use)),
    }
}

fn in_use_short(count: usize) -> String {
    if count == 0 {
        words::genotypes::none_chosen().to_owned()
    } else {
        words::genotypes::variants_chosen(count, whole(count))
    }
}
