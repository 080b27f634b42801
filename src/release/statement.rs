//! The guarantee in plain words, generated from a release here alone: page, report and command line show these
//! sentences and no others.

use super::document::{Privacy, Release};
use super::format::{self, at_most};
use crate::math::special::phi_cdf;
use crate::model::Assurance;
use crate::privacy::adjacency::{Adjacency, Protect};

/// The guarantee of one release, in the second person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The guarantee in one sentence.
    pub headline: String,
    /// What the release keeps from whoever reads it.
    pub promise: String,
    /// Who counts as one person.
    pub unit: String,
    /// How much better somebody guesses with the release than without it.
    pub guessing: Option<String>,
    /// What epsilon and delta mean.
    pub budget: Option<String>,
    /// Who is no longer protected, under a relaxed guarantee.
    pub relaxation: Option<String>,
    /// What a paper claims for its own noise, and what that noise costs.
    pub claim: Option<String>,
    /// How far the proof covers what was executed.
    pub assurance: String,
    /// What the promise rests on.
    pub conditions: Vec<String>,
}

impl Statement {
    /// The words for a release.
    #[must_use]
    pub fn new(release: &Release) -> Self {
        let privacy = &release.privacy;
        if privacy.assurance == Assurance::Demo || (privacy.epsilon.is_none() && privacy.mu.is_none()) {
            return Self::nobody(privacy);
        }
        let accuracy = guessing_accuracy(privacy.mu, privacy.epsilon.zip(privacy.delta));
        Self {
            headline: headline(privacy, accuracy),
            promise: promise(privacy),
            unit: unit(privacy),
            guessing: accuracy.map(|accuracy| guessing(privacy, accuracy)),
            budget: privacy.epsilon.zip(privacy.delta).map(|(epsilon, delta)| budget(epsilon, delta)),
            relaxation: relaxation(privacy.protect),
            claim: privacy.claimed.map(|claimed| {
                format!(
                    "The noise has the paper's own scale, for which the paper claims epsilon {} and delta {}; the \
                     numbers above are what it really costs.",
                    format::short(claimed.epsilon, 6),
                    format::short(claimed.delta, 6)
                )
            }),
            assurance: assurance(privacy.assurance).to_owned(),
            conditions: conditions(release),
        }
    }

    fn nobody(privacy: &Privacy) -> Self {
        Self {
            headline: "This is a demonstration and protects nobody: do not publish it.".to_owned(),
            promise:
                "Its randomness comes from a seed, or there is none, so anyone can take the noise away again."
                    .to_owned(),
            unit: unit(privacy),
            guessing: None,
            budget: None,
            relaxation: None,
            claim: None,
            assurance: assurance(Assurance::Demo).to_owned(),
            conditions: Vec::new(),
        }
    }

    /// All sentences in reading order.
    #[must_use]
    pub fn sentences(&self) -> Vec<&str> {
        let first = [&self.headline, &self.promise, &self.unit].into_iter();
        let optional = [&self.guessing, &self.budget, &self.relaxation, &self.claim].into_iter().flatten();
        let last = std::iter::once(&self.assurance).chain(&self.conditions);
        first.chain(optional).chain(last).map(String::as_str).collect()
    }
}

/// How often somebody who would be right half the time without a release can be right with it, at most.
///
/// The best test between two equally likely neighbouring tables is right with probability (1 + TV) / 2, TV being their
/// total variation. μ-GDP: TV = 2 Φ(μ/2) − 1, the point of the trade-off curve Φ(Φ⁻¹(1 − α) − μ) where both errors are
/// equal, so Φ(μ/2) (noise-and-accounting, B3); the discrete noise adds less than 2⁻⁷⁰. (ε, δ): both errors a, b obey
/// a + e^ε b >= 1 − δ and e^ε a + b >= 1 − δ, so a + b >= 2 (1 − δ) / (1 + e^ε), and the answer is
/// 1 − (a + b) / 2 = (e^ε + δ) / (1 + e^ε). Where both are known the smaller holds. `None` where neither is.
#[must_use]
pub fn guessing_accuracy(mu: Option<f64>, epsilon_delta: Option<(f64, f64)>) -> Option<f64> {
    let gaussian = mu.filter(|mu| *mu >= 0.0).map(|mu| phi_cdf(mu / 2.0));
    let approximate =
        epsilon_delta.filter(|(epsilon, delta)| *epsilon >= 0.0 && *delta >= 0.0).map(|(epsilon, delta)| {
            let small = libm::exp(-epsilon);
            ((1.0 + delta * small) / (1.0 + small)).min(1.0)
        });
    match (gaussian, approximate) {
        (Some(gaussian), Some(approximate)) => Some(gaussian.min(approximate)),
        (gaussian, approximate) => gaussian.or(approximate),
    }
}

/// The sentence that stands beside a budget, before anything is spent.
#[must_use]
pub fn guessing_sentence(adjacency: Adjacency, protect: Protect, accuracy: f64) -> String {
    let question = match (adjacency, protect) {
        (Adjacency::AddRemove, _) => "whether one given person is in the table",
        (Adjacency::ReplaceOne, Protect::Rows) => "which of two records is one given person's",
        (Adjacency::ReplaceOne, Protect::Labels) => "which of two outcomes is one given person's",
        (Adjacency::ReplaceOne, Protect::Features) => "which of two sets of features is one given person's",
    };
    let with = match hundredths(accuracy) {
        Some(times) => format!("is right at most {times} times in 100 with it"),
        None => "may be right nearly every time with it".to_owned(),
    };
    format!(
        "Someone who must guess {question}, and would be right half the time without this release, {with}."
    )
}

/// Rounded up to whole hundredths; `None` from 99 on, where a bound says nothing.
fn hundredths(accuracy: f64) -> Option<u32> {
    // A hair is taken off, so that 0.73 does not become 74 by rounding alone.
    (50..=99).find(|times| accuracy * 100.0 <= f64::from(*times) + 1e-9)
}

fn headline(privacy: &Privacy, accuracy: Option<f64>) -> String {
    let whom = match privacy.protect {
        Protect::Rows => "each person in the table",
        Protect::Labels => "the outcomes, not the features, of each person in the table",
        Protect::Features => "the features, not the outcomes, of each person in the table",
    };
    match accuracy.map(hundredths) {
        Some(Some(times)) => format!(
            "You publish results that protect {whom}: a guess about one person that is a coin toss without them is \
             right at most {times} times in 100 with them."
        ),
        _ => format!(
            "You publish results that protect {whom} only in name: the budget is so large that a guess about one \
             person may be right nearly every time."
        ),
    }
}

fn promise(privacy: &Privacy) -> String {
    match (privacy.adjacency, privacy.protect) {
        (Adjacency::AddRemove, _) => {
            "Whoever reads this release learns almost the same whether or not any one person is in the table, even if \
             they know everybody else in it. How many people are in it is private too."
        }
        (Adjacency::ReplaceOne, Protect::Rows) => {
            "Whoever reads this release learns almost the same whatever any one person's data are, even if they know \
             everybody else's. How many people are in the table is public."
        }
        (Adjacency::ReplaceOne, Protect::Labels) => {
            "Whoever reads this release learns almost the same whatever any one person's outcomes are, even if they \
             know everybody else's. How many people are in the table is public."
        }
        (Adjacency::ReplaceOne, Protect::Features) => {
            "Whoever reads this release learns almost the same whatever any one person's features are, even if they \
             know everybody else's. How many people are in the table is public."
        }
    }
    .to_owned()
}

fn unit(privacy: &Privacy) -> String {
    if privacy.person == "assumed" {
        return "One person is one row: you state that nobody has two. Whoever has several rows is protected less."
            .to_owned();
    }
    let rows = match privacy.max_rows_per_person {
        1 => "One row of each person counts.".to_owned(),
        rows => format!("Up to {rows} rows of each person count."),
    };
    format!("The column `{}` says whose a row is. {rows}", privacy.person)
}

fn guessing(privacy: &Privacy, accuracy: f64) -> String {
    guessing_sentence(privacy.adjacency, privacy.protect, accuracy)
}

fn budget(epsilon: f64, delta: f64) -> String {
    let factor = libm::exp(epsilon);
    let factor = if factor < 1e6 {
        format!("the factor {}", up(factor))
    } else {
        "a factor above a million".to_owned()
    };
    let rest = if delta > 0.0 { format!(", plus {}", one_in(delta)) } else { String::new() };
    format!(
        "Epsilon is {} and delta is {}: one person's data change the chance of any result by at most {factor}{rest}.",
        at_most(epsilon, 3),
        format::short(delta, 6)
    )
}

/// "one in N", N rounded down so that the chance is not understated.
fn one_in(delta: f64) -> String {
    let number = (1.0 / delta * (1.0 + 1e-12)).floor();
    if number >= 1e15 {
        return format!("one in {number:.1e}");
    }
    format!("one in {}", format::grouped(number))
}

/// Three digits, rounded up.
fn up(value: f64) -> String {
    let digits = if value < 10.0 {
        2
    } else if value < 100.0 {
        1
    } else {
        0
    };
    let unit = f64::from([1_u8, 10, 100][digits]);
    format!("{:.digits$}", (value * unit).ceil() / unit)
}

/// What a relaxed protection leaves open; nothing under the full guarantee.
#[must_use]
pub fn relaxation(protect: Protect) -> Option<String> {
    match protect {
        Protect::Rows => None,
        Protect::Labels => Some(
            "The features are not protected: treat each person's features as public, also that this person is in the \
             table."
                .to_owned(),
        ),
        Protect::Features => Some(
            "The outcomes are not protected: treat each person's outcomes as public, also that this person is in the \
             table."
                .to_owned(),
        ),
    }
}

/// The text that is shown beside every guarantee (noise-and-accounting, A10).
#[must_use]
pub fn assurance(assurance: Assurance) -> &'static str {
    match assurance {
        Assurance::Exact => "The proof covers the arithmetic that was executed.",
        Assurance::Bounded => {
            "The ideal mechanism is (epsilon, delta)-DP; the computed arithmetic differs from it with probability at \
             most eta, already included in delta."
        }
        Assurance::Idealised => {
            "The proof assumes real-number arithmetic. The executed floating-point code was hardened, but is not \
             proved private."
        }
        Assurance::Demo => "Seeded demonstration. No privacy.",
    }
}

/// What was done about the arithmetic of an idealised mechanism (noise-and-accounting, A10), as a release says it.
pub const HARDENED: &str = "The proof assumes real-number arithmetic. This release was hardened, which is no proof: it \
    starts from exact integer sums; its normal numbers come from an exact sampler on a grid of 2^-52; factors and products \
    have 128 bits; the matrix is rounded to a public power of two near 2^-20 of the noise, and nothing derived from it has \
    more than 6 digits; only the one matrix is released, not the rows behind it; a release that fails says nothing of why.";

/// What the existence of a release says about its table.
pub const WELL_FORMED: &str =
    "The promise is for well-formed tables: that a release exists says that the table could be read.";

/// What the promise rests on, without what the release's own notes say already.
fn conditions(release: &Release) -> Vec<String> {
    let mut conditions = Vec::new();
    if release.ledger.as_ref().is_some_and(|ledger| ledger.idealised) {
        conditions.push(
            "The ledger holds a release whose proof assumes real-number arithmetic, so the promise for all of it \
             together holds only under that assumption."
                .to_owned(),
        );
    }
    conditions.extend(
        [
            WELL_FORMED,
            "The promise rests on bounds, levels and numbers of rows that you state from knowledge of the field, not \
             from the table.",
            "Results describe values clipped to those bounds.",
            "Each further release spends more of the ledger's budget, and budgets of different ledgers about the same \
             people add up.",
            "The promise rests on your computer's random numbers being unpredictable.",
        ]
        .map(str::to_owned),
    );
    conditions.retain(|condition| !release.diagnostics.notes.contains(condition));
    conditions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_guess_follows_from_the_trade_off_curve() {
        let near = |left: Option<f64>, right: f64| (left.unwrap() - right).abs() < 1e-12;
        assert!(near(guessing_accuracy(Some(0.0), None), 0.5));
        assert!(near(guessing_accuracy(None, Some((0.0, 0.0))), 0.5));
        // e / (1 + e), and the page's example at ε = 1/4.
        assert!(near(guessing_accuracy(None, Some((1.0, 0.0))), 0.731_058_578_630_004_9));
        assert_eq!(hundredths(guessing_accuracy(None, Some((0.25, 1e-6))).unwrap()), Some(57));
        // Φ(1/2); the smaller of the two where both are known.
        assert!(near(guessing_accuracy(Some(1.0), Some((9.0, 0.1))), 0.691_462_461_274_013_1));
        assert!(near(guessing_accuracy(None, Some((0.0, 0.2))), 0.6));
        assert!(near(guessing_accuracy(None, Some((1e4, 1e-6))), 1.0));
        assert_eq!(guessing_accuracy(None, None), None);
        // No test between the randomised responses of ε = 1 beats it: all four are tried.
        let p = 0.731_058_578_630_004_9;
        for accuracy in [0.5, 0.5, p, 1.0 - p] {
            assert!(accuracy <= guessing_accuracy(None, Some((1.0, 0.0))).unwrap() + 1e-15);
        }
    }

    #[test]
    fn numbers_are_rounded_to_the_safe_side() {
        assert_eq!(hundredths(0.5), Some(50));
        assert_eq!(hundredths(0.731), Some(74));
        assert_eq!(hundredths(0.73), Some(73));
        assert_eq!(hundredths(0.995), None);
        assert_eq!(up(2.713_3), "2.72");
        assert_eq!(up(22_026.4), "22027");
        assert_eq!(one_in(1e-6), "one in 1\u{202f}000\u{202f}000");
        assert_eq!(one_in(3e-6), "one in 333\u{202f}333");
    }
}
