//! Which message stands for public moments, and for whether a fit by them can work.

use super::{grouped, one_in, percent, short, whole};
use crate::inference::preflight::Preflight;
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

/// What was stated of a term's column.
pub fn bounds(term: &Term) -> String {
    let Some((lower, upper)) = term.bounds else { return words::public::share_0_to_1().to_owned() };
    words::public::bounds(short(lower, 6), short(upper, 6), &term.unit).trim_end().to_owned()
}

/// How many rows a file had.
pub fn read(rows: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for a caption")]
    let rows = grouped(rows as f64);
    words::public::from_rows(rows)
}

pub fn unused(terms: usize) -> String {
    " ".to_owned() + &words::public::unused(terms, whole(terms))
}

pub fn too_many(terms: usize) -> String {
    words::public::too_many(whole(terms))
}

/// Whether a guided fit can work, and what would make it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// The answer.
    pub preflight: Preflight,
    /// Rows as stated.
    pub rows: u64,
    /// ε and δ of the smallest budget with these rows.
    pub promise: Option<(f64, f64)>,
}

pub fn outlook(outlook: &Outlook) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for a sentence")]
    let count = |rows: u64| grouped(rows as f64);
    let (rows, preflight) = (count(outlook.rows), &outlook.preflight);
    if preflight.is_ample() {
        return words::public::ample(rows, percent(preflight.noise));
    }
    let least = preflight.rows_needed.map(count);
    if preflight.is_stable() {
        return words::public::borderline(rows, percent(preflight.noise), least.unwrap_or_default());
    }
    let budget = match outlook.promise {
        Some((epsilon, delta)) => words::public::needed_budget(short(epsilon, 2), one_in(delta)),
        None => words::privacy::price_mu(short(preflight.mu_needed, 2)),
    };
    match least {
        Some(least) => words::public::too_few_or_rows(rows, least, budget),
        None => words::public::too_few(rows, budget),
    }
}

/// The same in a few words.
pub fn noise(outlook: &Outlook) -> String {
    let preflight = &outlook.preflight;
    match (preflight.is_stable(), preflight.is_ample()) {
        (true, true) => words::public::noise_at_most(percent(preflight.noise)),
        (true, false) => words::public::noise_up_to(percent(preflight.noise)),
        (false, _) => words::public::noise_too_large().to_owned(),
    }
}
