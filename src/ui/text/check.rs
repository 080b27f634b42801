//! Which message stands for what the check of this build has found.

use super::{one_in, whole};
use crate::audit::check::{FALSE_ALARM, Kind, Measured, Verdict};
use crate::audit::report::{Outcome, Tally};
use crate::audit::signal::ALARM;
use crate::release::format::{grouped, short};
use crate::words;

pub fn false_alarm() -> String {
    words::check::false_alarm(one_in(FALSE_ALARM))
}

/// Returns the heading of a group of items, and how to read it.
pub fn group(kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Sampler => (
            words::check::noise_beside_its_exact_law(),
            words::check::each_sampler_is_asked_half_a().to_owned(),
        ),
        Kind::Signal => {
            (words::check::two_tables_that_differ_by_one(), words::check::signal_note(format!("{ALARM:.0}")))
        }
        Kind::Threshold => (
            words::check::the_same_without_a_model_of(),
            words::check::a_threshold_is_chosen_on_half().to_owned(),
        ),
        Kind::OneRun => (
            words::check::persons_guessed_from_releases(),
            words::check::each_person_is_put_into_a().to_owned(),
        ),
        Kind::Control => (
            words::check::two_formulas_that_are_wrong_to(),
            words::check::both_were_published_and_no_release().to_owned(),
        ),
    }
}

/// Returns the words at the left end, the middle and the right end of a scale.
pub fn scale(kind: Kind) -> [&'static str; 3] {
    match kind {
        Kind::Sampler | Kind::OneRun => ["p = 1", words::check::a_bug(), ""],
        Kind::Signal | Kind::Threshold | Kind::Control => {
            ["0", words::check::claim(), words::check::twice_the_claim()]
        }
    }
}

/// Writes what was measured.
pub fn measured(measured: &Measured) -> String {
    let by_chance = |p: f64, limit: f64| words::check::p_value(short(p, 2), short(limit, 1));
    match *measured {
        Measured::Nothing | Measured::Histogram { p: None, .. } => String::new(),
        Measured::Histogram { p: Some(p), limit, .. } => by_chance(p, limit),
        Measured::Equal { claim } => words::check::equal(format!("{claim:.3}")),
        Measured::Mu(found) if found.mu > 100.0 * found.claim => {
            words::check::unlimited(format!("{:.3}", found.claim))
        }
        Measured::Mu(found) => {
            let (claim, mu) = (format!("{:.3}", found.claim), format!("{:.3}", found.mu));
            words::check::measured(claim, mu, format!("{:.3}", ALARM * found.error))
        }
        Measured::Disproved { claim, mu, .. } => {
            words::check::disproved(format!("{claim:.3}"), format!("{mu:.3}"))
        }
        Measured::Guesses { right, guesses, p, limit, .. } => {
            let (right, guesses) = (grouped(f64::from(right)), grouped(f64::from(guesses)));
            words::check::guesses(right, guesses, by_chance(p, limit))
        }
    }
}

pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Running => words::check::running(),
        Verdict::Holds => words::check::holds(),
        Verdict::Broken => words::check::verdict_broken(),
        Verdict::Caught => words::check::caught(),
        Verdict::Missed => words::check::missed(),
    }
}

/// Says the outcome of the whole check in a sentence, and what else there is to say.
pub fn outcome(tally: Tally, items: usize) -> (String, String) {
    let Tally { holds, broken, caught, .. } = tally;
    match tally.outcome(items) {
        Outcome::Sound => (
            if caught == 2 {
                words::check::sound_both(whole(holds))
            } else {
                words::check::sound(whole(holds), whole(caught))
            },
            words::check::no_proof().to_owned(),
        ),
        Outcome::Broken => (
            words::check::this_build_is_broken_do_not().to_owned(),
            words::check::broken(whole(holds + broken), whole(broken)),
        ),
        Outcome::Blind => (
            words::check::this_build_is_broken_do_not().to_owned(),
            words::check::the_check_missed_a_formula_that().to_owned(),
        ),
        Outcome::Unfinished => (
            words::check::stopped(whole(tally.done()), whole(items)),
            words::check::nothing_was_found_so_far().to_owned(),
        ),
    }
}

/// Says the state of the check in the navigation.
pub fn line(running: bool, tally: Tally, items: usize) -> &'static str {
    match tally.outcome(items) {
        Outcome::Broken | Outcome::Blind => words::check::line_broken(),
        _ if running => words::check::running(),
        Outcome::Sound => words::check::nothing_found(),
        Outcome::Unfinished => "",
    }
}
