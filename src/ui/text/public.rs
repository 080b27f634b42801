//! Which message stands for public moments, and for whether a fit by them can work.

use super::{grouped, percent, short};
use crate::engine::Outlook;
use crate::ui::public_form::{Term, Way};
use crate::words;

pub fn way(way: Way) -> (&'static str, &'static str) {
    match way {
        Way::Csv => (words::public::a_csv_of_other_people(), words::public::read_on_this_machine_like_the()),
        Way::Typed => {
            (words::public::numbers_from_a_paper(), words::public::you_type_means_standard_deviations_and())
        }
        Way::Document => {
            (words::public::a_saved_file(), words::public::an_earlier_release_or_public_numbers())
        }
    }
}

/// Writes what was stated of a term's column.
pub fn bounds(term: &Term) -> String {
    let Some((lower, upper)) = term.bounds else { return words::public::share_0_to_1().to_owned() };
    words::public::bounds(short(lower, 6), short(upper, 6), &term.unit).trim_end().to_owned()
}

/// Says how many rows a file had.
pub fn read(rows: u64) -> String {
    let rows = grouped(rows as f64);
    words::public::from_rows(rows)
}

/// Says in a few words whether a fit with public moments can work.
pub fn noise(outlook: &Outlook) -> String {
    let preflight = &outlook.preflight;
    match (preflight.is_stable(), preflight.is_ample()) {
        (true, true) => words::public::noise_at_most(percent(preflight.noise)),
        (true, false) => words::public::noise_up_to(percent(preflight.noise)),
        (false, _) => words::public::noise_too_large().to_owned(),
    }
}
