//! The guarantee of a release in sentences. Page, report and command line show these sentences and no others.

use super::document::{Privacy, Release};
use super::format::{self, at_most};
use crate::math::special::phi_cdf;
use crate::model::Assurance;
use crate::plan::Plan;
use crate::plan::document::Confirm;
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::{Delta, Epsilon, Mu};
use crate::privacy::promise::{MOST_EPSILON, doubt};
use crate::words;

/// The guarantee of one release, in the second person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Whether the guarantee protects people; false for a demonstration and for a guarantee in name only.
    pub protects: bool,
    /// The guarantee in one sentence.
    pub headline: String,
    /// What a reader of the release does not learn.
    pub promise: String,
    /// Who counts as one person.
    pub unit: String,
    /// How much better someone guesses with the release than without it, where the headline does not say so.
    pub guessing: Option<String>,
    /// What epsilon and delta mean.
    pub budget: Option<String>,
    /// What is not protected, under a relaxed guarantee.
    pub relaxation: Option<String>,
    /// What a paper claims for its own noise scale.
    pub claim: Option<String>,
    /// How far the proof covers what was executed.
    pub assurance: String,
    /// What the promise assumes.
    pub conditions: Vec<String>,
}

impl Statement {
    /// Returns the sentences for a release.
    pub fn new(release: &Release) -> Self {
        let privacy = &release.privacy;
        if privacy.assurance == Assurance::Demo || (privacy.epsilon.is_none() && privacy.mu.is_none()) {
            return Self::nobody(release);
        }
        let accuracy = guessing_accuracy(privacy.mu, privacy.epsilon.zip(privacy.delta));
        let weakness = weakness(&release.plan, privacy, accuracy);
        Self {
            protects: weakness.is_none(),
            headline: headline(privacy, accuracy, weakness),
            promise: match weakness {
                None => promise(privacy, accuracy),
                Some(_) => words::guarantee::promise_in_name().to_owned(),
            },
            unit: unit(release),
            guessing: accuracy
                .filter(|_| weakness == Some(Weakness::Delta))
                .map(|accuracy| guessing(privacy, accuracy)),
            budget: promised(release).map(|(epsilon, delta)| budget(epsilon, delta)),
            relaxation: relaxation(privacy.protect).map(String::from),
            claim: privacy.claimed.map(|claimed| {
                words::guarantee::claim(format::short(claimed.epsilon, 6), format::short(claimed.delta, 6))
            }),
            assurance: assurance(privacy.assurance).to_owned(),
            conditions: conditions(release),
        }
    }

    fn nobody(release: &Release) -> Self {
        Self {
            protects: false,
            headline: words::guarantee::demonstration().to_owned(),
            promise: words::guarantee::demonstration_why().to_owned(),
            unit: unit(release),
            guessing: None,
            budget: None,
            relaxation: None,
            claim: None,
            assurance: assurance(Assurance::Demo).to_owned(),
            conditions: Vec::new(),
        }
    }

    /// Returns all sentences in reading order.
    pub fn sentences(&self) -> Vec<&str> {
        let first = [&self.headline, &self.promise, &self.unit].into_iter();
        let optional = [&self.guessing, &self.budget, &self.relaxation, &self.claim].into_iter().flatten();
        let last = std::iter::once(&self.assurance).chain(&self.conditions);
        first.chain(optional).chain(last).map(String::as_str).collect()
    }
}

/// Returns ε and δ of a release; where its plan states μ alone, ε at the δ of its ledger.
pub(super) fn promised(release: &Release) -> Option<(f64, f64)> {
    let privacy = &release.privacy;
    privacy.epsilon.zip(privacy.delta).or_else(|| {
        let delta = release.ledger.as_ref()?.promise?.delta;
        let epsilon = gdp_epsilon(Mu::try_new(privacy.mu?).ok()?, Delta::try_new(delta).ok()?).ok()?;
        Some((epsilon.get(), delta))
    })
}

/// Returns how often someone can be right with a release who is right half of the time without it: an upper bound from 0.5 to 1.
///
/// The best test between two equally likely neighbouring tables is right with probability (1 + TV) / 2, TV being their total
/// variation. For μ-GDP, TV = 2 Φ(μ/2) − 1, where both errors of the trade-off curve Φ(Φ⁻¹(1 − α) − μ) are equal; so the bound is
/// Φ(μ/2) (theory/accounting 1.2). The discrete noise adds less than 2⁻⁷⁰. For (ε, δ) both errors a, b obey a + e^ε b >= 1 − δ
/// and e^ε a + b >= 1 − δ. So a + b >= 2 (1 − δ) / (1 + e^ε), and the bound is 1 − (a + b) / 2 = (e^ε + δ) / (1 + e^ε). If both
/// are known, the smaller holds. `None` if neither is.
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

/// Returns the sentence on a whole budget: how often a guess is right at most. `accuracy` is from 0.5 to 1.
pub fn budget_sentence(adjacency: Adjacency, protect: Protect, accuracy: f64) -> String {
    let question = question(adjacency, protect);
    match hundredths(accuracy) {
        Some(times) => words::guarantee::budget_guess(question, times),
        None => words::guarantee::budget_guess_certain(question),
    }
}

/// Returns what somebody guesses about one person.
fn question(adjacency: Adjacency, protect: Protect) -> &'static str {
    match (adjacency, protect) {
        (Adjacency::AddRemove, _) => words::guarantee::whether_in_table(),
        (Adjacency::ReplaceOne, Protect::Rows) => words::guarantee::which_record(),
        (Adjacency::ReplaceOne, Protect::Labels) => words::guarantee::which_outcomes(),
        (Adjacency::ReplaceOne, Protect::Features) => words::guarantee::which_features(),
    }
}

/// Rounds up to whole hundredths, as a bound has to be. `None` above 99, where it means nothing.
pub fn hundredths(accuracy: f64) -> Option<u32> {
    // Subtracts a small amount, so that 0.73 does not become 74 by a rounding error.
    (50..=99).find(|times| accuracy * 100.0 <= f64::from(*times) + 1e-9)
}

/// Why a guarantee holds in name only.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weakness {
    /// A guess about one person may be right nearly every time.
    Guessing,
    /// A method that publishes whole rows may have it.
    Delta,
}

/// Returns why a guarantee is one in name only, by the rule for budgets ([`doubt`]). `None` for others.
fn weakness(plan: &Plan, privacy: &Privacy, accuracy: Option<f64>) -> Option<Weakness> {
    if accuracy.is_some_and(|accuracy| hundredths(accuracy).is_none()) {
        return Some(Weakness::Guessing);
    }
    let (epsilon, delta) = privacy.epsilon.zip(privacy.delta)?;
    if epsilon > MOST_EPSILON {
        return Some(Weakness::Guessing);
    }
    let (epsilon, delta) = Epsilon::try_new(epsilon).ok().zip(Delta::try_new(delta).ok())?;
    doubt(epsilon, delta, plan.rows.or(plan.stated_rows)).map(|_| Weakness::Delta)
}

fn headline(privacy: &Privacy, accuracy: Option<f64>, weakness: Option<Weakness>) -> String {
    let person = if is_assumed(privacy) {
        words::guarantee::each_person_of_one_row()
    } else {
        words::guarantee::each_person()
    };
    let whom = match privacy.protect {
        Protect::Rows => person.to_owned(),
        Protect::Labels => words::guarantee::whom_labels(person),
        Protect::Features => words::guarantee::whom_features(person),
    };
    match (weakness, accuracy.and_then(hundredths)) {
        (None, Some(times)) => words::guarantee::headline(whom, times),
        (Some(Weakness::Delta), _) => words::guarantee::headline_delta(whom),
        _ => words::guarantee::headline_in_name(whom),
    }
}

/// If a guess is right at most this often, the text says that a reader learns almost the same with and without the person.
const ALMOST_THE_SAME: f64 = 0.65;

fn promise(privacy: &Privacy, accuracy: Option<f64>) -> String {
    let alike = match accuracy.filter(|accuracy| *accuracy <= ALMOST_THE_SAME) {
        Some(_) => words::guarantee::almost_the_same(),
        None => words::guarantee::limited(),
    };
    match (privacy.adjacency, privacy.protect) {
        (Adjacency::AddRemove, _) => words::guarantee::promise_add_remove(alike),
        (Adjacency::ReplaceOne, Protect::Rows) => words::guarantee::promise_rows(alike),
        (Adjacency::ReplaceOne, Protect::Labels) => words::guarantee::promise_labels(alike),
        (Adjacency::ReplaceOne, Protect::Features) => words::guarantee::promise_features(alike),
    }
}

/// Returns whether each row counts as one person.
fn is_assumed(privacy: &Privacy) -> bool {
    privacy.person == "assumed"
}

fn unit(release: &Release) -> String {
    let privacy = &release.privacy;
    if is_assumed(privacy) {
        return words::guarantee::unit_assumed().to_owned();
    }
    let first = if release.plan.only.is_empty() {
        words::guarantee::first()
    } else {
        words::guarantee::first_chosen()
    };
    let rows = match privacy.max_rows_per_person {
        1 => words::guarantee::one_row(first),
        rows => words::guarantee::up_to_rows(rows, first),
    };
    words::guarantee::unit_column(&privacy.person, rows)
}

fn guessing(privacy: &Privacy, accuracy: f64) -> String {
    let question = question(privacy.adjacency, privacy.protect);
    match hundredths(accuracy) {
        Some(times) => words::guarantee::guess(question, times),
        None => words::guarantee::guess_certain(question),
    }
}

fn budget(epsilon: f64, delta: f64) -> String {
    let (shown, delta_shown) = (at_most(epsilon), at_most(delta));
    // The factor of epsilon as it is shown, so that a reader finds the same; one that is shown by a power of ten is near 1 or beyond all use.
    let factor = libm::exp(shown.parse().unwrap_or(epsilon));
    let factor = if factor < 1e6 {
        words::guarantee::factor(up(factor))
    } else {
        words::guarantee::factor_large().to_owned()
    };
    if delta > 0.0 {
        words::guarantee::budget_delta(shown, delta_shown, factor, one_in(delta))
    } else {
        words::guarantee::budget(shown, delta_shown, factor)
    }
}

/// Formats a chance as "one in N", N rounded down so that the chance is not understated.
fn one_in(delta: f64) -> String {
    let number = (1.0 / delta * (1.0 + 1e-12)).floor();
    if number >= 1e15 {
        return words::page::one_in(format!("{number:.1e}"));
    }
    words::page::one_in(format::grouped(number))
}

/// Formats with three digits, rounded up.
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

/// Returns what a relaxed protection leaves open; nothing under the full guarantee.
pub fn relaxation(protect: Protect) -> Option<&'static str> {
    match protect {
        Protect::Rows => None,
        Protect::Labels => Some(words::note::features_open()),
        Protect::Features => Some(words::note::outcomes_open()),
    }
}

/// Returns the text that is shown beside every guarantee (theory/noise 4.1).
pub fn assurance(assurance: Assurance) -> &'static str {
    match assurance {
        Assurance::Exact => words::guarantee::proof_exact(),
        Assurance::Bounded => words::guarantee::proof_bounded(),
        Assurance::Idealised => words::guarantee::proof_idealised(),
        Assurance::Demo => words::guarantee::proof_none(),
    }
}

/// Returns what the promise assumes, without what the release's own notes contain already.
fn conditions(release: &Release) -> Vec<String> {
    let mut conditions = Vec::new();
    if release.ledger.as_ref().is_some_and(|ledger| ledger.idealised) {
        conditions.push(words::guarantee::ledger_idealised().to_owned());
    }
    if release.plan.confirm.contains(&Confirm::OtherPersons) {
        conditions.push(words::guarantee::other_persons().to_owned());
    }
    if !release.plan.only.is_empty() {
        conditions.push(words::guarantee::not_chosen().to_owned());
    }
    conditions.push(words::note::well_formed().to_owned());
    conditions.extend(
        [
            words::guarantee::rests_on_bounds(),
            words::guarantee::clipped(),
            words::guarantee::further_releases(),
            words::guarantee::random_numbers(),
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
        // The factor is that of epsilon as it is shown, or else of epsilon itself.
        assert!(budget(1.566, 1e-5).contains("1.57") && budget(1.566, 1e-5).contains("4.81"));
        assert!(budget(1e-6, 0.0).contains("1.01"), "{}", budget(1e-6, 0.0));
    }
}
