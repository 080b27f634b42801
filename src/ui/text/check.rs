//! The sentences of the screen that checks this build.

use super::{one_in, whole};
use crate::audit::check::{FALSE_ALARM, Kind, Measured, Verdict};
use crate::audit::report::{Outcome, Tally};
use crate::audit::signal::ALARM;
use crate::release::format::{grouped, short};

pub const TITLE: &str = "Check this build";
/// Before the link on the first screen.
pub const OFFER: &str = "To check the noise, let the page attack itself:";
pub const LEAD: &str = "Watch the program that makes releases being attacked. The check makes up pairs of tables that differ \
    by one person, releases each of them thousands of times, and measures how well someone who knows everything else can \
    tell the two apart. What is measured is held against what is claimed.";
pub const TOUCHES_NOTHING: &str = "The tables are made up and the noise comes from a seed. Your table and its ledger are not \
    touched, nothing is spent and nothing is sent.";
pub const FINDS_BUGS: &str = "It finds bugs and proves nothing. Noise that is missing, or too small by a factor of 1.4, is \
    seen; noise that is too small by a few per cent is not. Nor can it see whether the random numbers of a real release can \
    be foreseen: those come from this machine's operating system.";
pub const SEED: &str = "Seed";
pub const SEED_HINT: &str = "The same build and seed give the same findings on every machine.";
pub const SEED_WRONG: &str =
    "The seed is no whole number from 0 to 18446744073709551615. Type digits alone, or take another seed.";
pub const ANOTHER_SEED: &str = "Another seed";
pub const BUILD: &str = "Build";
pub const START: &str = "Start the check";
pub const STOP: &str = "Stop the check";
pub const SAVE: &str = "Findings (JSON)";
pub const STARTED: &str = "The check has started";
pub const SAVED: &str = "The findings are downloaded";
pub const REGION: &str = "Check";
pub const PROGRESS: &str = "Share of the check that is done";
pub const NO_PROOF: &str = "The check found nothing wrong. That is no proof.";
pub const WAITS: &str = "waits";
pub const OBSERVED: &str = "drawn";
pub const LAW: &str = "expected by the law";

/// What waits for the button.
pub fn ready(items: usize) -> String {
    format!("{} items, about 15 seconds. It spends nothing.", whole(items))
}

pub fn false_alarm() -> String {
    format!("By chance, a sound build fails in at most {} checks.", one_in(FALSE_ALARM))
}

pub fn back(step: &str) -> String {
    format!("Back to {step}")
}

pub fn running(done: usize, items: usize) -> String {
    format!("{} of {} done", whole(done), whole(items))
}

/// A group of items: its heading, and how to read it.
pub fn group(kind: Kind) -> (&'static str, String) {
    match kind {
        Kind::Sampler => (
            "Noise beside its exact law",
            "Each sampler is asked half a million times. p is the chance that a right sampler fits as badly as this, or worse.".to_owned(),
        ),
        Kind::Signal => (
            "Two tables that differ by one person",
            format!(
                "Mu says how far apart releases let the two tables be told: 0 is not at all, and 1 is what these plans \
                 claim. The bar reaches {ALARM:.0} standard errors to either side and narrows as releases are made. A bar \
                 that lies wholly in the shaded part is a bug."
            ),
        ),
        Kind::Threshold => (
            "The same without a model of the noise",
            "A threshold is chosen on half of the releases and judged on the other half. The counts disprove every mu left \
             of the bar, but for a chance of one in 10 million. A bar that lies wholly in the shaded part is a bug."
                .to_owned(),
        ),
        Kind::OneRun => (
            "Persons guessed from releases",
            "Persons are in a table or not by the fall of a coin, and the clearest coins are guessed from the release. p is \
             the chance of so many right guesses if the claim is true."
                .to_owned(),
        ),
        Kind::Control => (
            "Two formulas that are wrong, to show that this check can see",
            "Both were published, and no release uses them. The check has to catch them: if it misses one, what holds \
             above says nothing."
                .to_owned(),
        ),
    }
}

/// The scale's left end, middle and right end.
pub const fn scale(kind: Kind) -> [&'static str; 3] {
    match kind {
        Kind::Sampler | Kind::OneRun => ["p = 1", "a bug", ""],
        Kind::Signal | Kind::Threshold | Kind::Control => ["0", "claim", "twice the claim"],
    }
}

/// What was measured, in numbers.
pub fn measured(measured: &Measured) -> String {
    let by_chance = |p: f64, limit: f64| format!("p = {}, a bug below {}", short(p, 2), short(limit, 1));
    match *measured {
        Measured::Nothing | Measured::Histogram { p: None, .. } => String::new(),
        Measured::Histogram { p: Some(p), limit, .. } => by_chance(p, limit),
        Measured::Equal { claim } => {
            format!("claimed {claim:.3}, measured 0: both tables have the same sums")
        }
        Measured::Mu(found) if found.mu > 100.0 * found.claim => {
            format!(
                "claimed {:.3}, measured without limit: every release tells the tables apart",
                found.claim
            )
        }
        Measured::Mu(found) => {
            format!(
                "claimed {:.3}, measured\u{a0}{:.3}\u{a0}±\u{a0}{:.3}",
                found.claim,
                found.mu,
                ALARM * found.error
            )
        }
        Measured::Disproved { claim, mu, .. } => format!("claimed {claim:.3}, disproved up to {mu:.3}"),
        Measured::Guesses { right, guesses, p, limit, .. } => {
            let (right, guesses) = (grouped(f64::from(right)), grouped(f64::from(guesses)));
            format!("{right} of {guesses} guesses right; {}", by_chance(p, limit))
        }
    }
}

pub const fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Running => "running",
        Verdict::Holds => "Holds",
        Verdict::Broken => "Broken",
        Verdict::Caught => "Caught",
        Verdict::Missed => "Missed",
    }
}

/// The whole check in a sentence, and what else there is to say.
pub fn outcome(tally: Tally, items: usize) -> (String, String) {
    let Tally { holds, broken, caught, .. } = tally;
    match tally.outcome(items) {
        Outcome::Sound => (
            format!("{} claims hold, and {} wrong formulas were caught.", whole(holds), both(caught)),
            NO_PROOF.to_owned(),
        ),
        Outcome::Broken => (
            "This build is broken: do not release with it.".to_owned(),
            format!("Of {} claims {} do not hold.", whole(holds + broken), whole(broken)),
        ),
        Outcome::Blind => (
            "This build is broken: do not release with it.".to_owned(),
            "The check missed a formula that is wrong, so what holds says nothing.".to_owned(),
        ),
        Outcome::Unfinished => (
            format!("Stopped after {} of {} items.", whole(tally.done()), whole(items)),
            "Nothing was found so far.".to_owned(),
        ),
    }
}

fn both(count: usize) -> String {
    if count == 2 { "both".to_owned() } else { whole(count) }
}

/// The state of the check in the rail.
pub fn line(running: bool, tally: Tally, items: usize) -> &'static str {
    match tally.outcome(items) {
        Outcome::Broken | Outcome::Blind => "broken",
        _ if running => "running",
        Outcome::Sound => "nothing found",
        Outcome::Unfinished => "",
    }
}
