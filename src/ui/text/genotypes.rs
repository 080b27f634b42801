//! Which message stands for what is known of genotypes.

use super::{list, whole};
use crate::words;

/// What is here, and what is missing.
pub fn waits(here: &[String], missing: &[String]) -> String {
    let here = words::genotypes::here(here.len(), list(here, 4));
    words::genotypes::waits(missing.len(), here, list(missing, 3))
}

/// How many variants there are and how many of them are columns.
pub fn count(total: Option<u64>, in_use: usize) -> String {
    let chosen = words::genotypes::chosen(in_use, whole(in_use));
    match total.and_then(|total| usize::try_from(total).ok()) {
        Some(total) => words::genotypes::source_has(total, whole(total), chosen),
        None => words::genotypes::uncounted(chosen),
    }
}

/// The table in one line: its file and its variants.
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
