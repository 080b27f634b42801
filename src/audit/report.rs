//! The result of a whole check, in one word and as a document (`discreet.check/1`).

use serde::Serialize;

use super::check::{FALSE_ALARM, Finding, Item, Kind, Measured, Verdict};
use crate::release::document::Software;

/// The document's schema.
pub const SCHEMA: &str = "discreet.check/1";

/// The number of items with each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Claims that hold.
    pub holds: usize,
    /// Claims that are broken.
    pub broken: usize,
    /// Wrong formulas that were detected.
    pub caught: usize,
    /// Wrong formulas that were not detected.
    pub missed: usize,
}

/// The result of a check of the build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every claim holds and every wrong formula was detected.
    Sound,
    /// A claim is broken.
    Broken,
    /// A wrong formula was not detected, so the other results prove nothing.
    Blind,
    /// Not every item has a verdict.
    Unfinished,
}

impl Tally {
    /// Counts the verdicts of these findings; findings without a verdict are omitted.
    pub fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut tally = Self::default();
        for finding in findings {
            match finding.verdict {
                Verdict::Running => {}
                Verdict::Holds => tally.holds += 1,
                Verdict::Broken => tally.broken += 1,
                Verdict::Caught => tally.caught += 1,
                Verdict::Missed => tally.missed += 1,
            }
        }
        tally
    }

    /// Items with a verdict.
    pub const fn done(self) -> usize {
        self.holds + self.broken + self.caught + self.missed
    }

    /// Returns the outcome of a check of `items` items. A single bug decides it.
    pub const fn outcome(self, items: usize) -> Outcome {
        match self {
            Self { broken: 1.., .. } => Outcome::Broken,
            Self { missed: 1.., .. } => Outcome::Blind,
            _ if self.done() < items => Outcome::Unfinished,
            _ => Outcome::Sound,
        }
    }
}

/// The document of a check. It has no time and no duration, so one build and one seed give the same document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: &'static str,
    /// The program that was checked.
    pub software: Software,
    /// The seed in decimal digits.
    pub seed: String,
    /// Bound on the probability that a correct build fails any item.
    pub false_alarm: f64,
    /// The result.
    pub outcome: Outcome,
    /// The items.
    pub items: Vec<Line>,
}

/// One item of a [`Report`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// What was audited.
    pub title: String,
    /// What a failure would have shown.
    pub purpose: String,
    /// The kind of audit.
    pub kind: Kind,
    /// Draws, runs of each table, or releases.
    pub runs: u32,
    /// The measurement.
    pub measured: Measured,
    /// The verdict.
    pub verdict: Verdict,
}

impl Report {
    /// Returns the findings of a check under a seed, each beside its item.
    pub fn new(software: Software, seed: u64, items: Vec<Item>, findings: Vec<Finding>) -> Self {
        let outcome = Tally::of(&findings).outcome(items.len());
        let line = |(item, finding): (Item, Finding)| Line {
            title: item.title,
            purpose: item.purpose,
            kind: item.kind,
            runs: finding.done,
            measured: finding.measured,
            verdict: finding.verdict,
        };
        Self {
            schema: SCHEMA,
            software,
            seed: seed.to_string(),
            false_alarm: FALSE_ALARM,
            outcome,
            items: items.into_iter().zip(findings).map(line).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::check::Check;

    fn findings(verdicts: &[Verdict]) -> Vec<Finding> {
        let finding = |(item, &verdict): (usize, &Verdict)| {
            let measured = Measured::Equal { claim: 1.0 };
            Finding { item, done: 1, planned: 1, measured, verdict }
        };
        verdicts.iter().enumerate().map(finding).collect()
    }

    #[test]
    fn one_bug_is_enough_and_one_miss_makes_blind() {
        use Verdict::{Broken, Caught, Holds, Missed, Running};
        for (verdicts, outcome) in [
            ([Holds, Holds, Caught], Outcome::Sound),
            ([Holds, Broken, Caught], Outcome::Broken),
            ([Holds, Broken, Running], Outcome::Broken),
            ([Broken, Holds, Missed], Outcome::Broken),
            ([Holds, Holds, Missed], Outcome::Blind),
            ([Holds, Holds, Running], Outcome::Unfinished),
        ] {
            assert_eq!(Tally::of(&findings(&verdicts)).outcome(3), outcome, "{verdicts:?}");
        }
        assert_eq!(Tally::of(&findings(&[Holds])).outcome(3), Outcome::Unfinished);
    }

    #[test]
    fn a_report_names_build_and_seed_and_every_item() {
        let items = Check::items();
        let findings = findings(&vec![Verdict::Holds; items.len()]);
        let report = Report::new(Software::new("b1".to_owned()), u64::MAX, items.clone(), findings);
        let value = serde_json::to_value(&report).unwrap();
        assert_eq!(value["schema"], SCHEMA);
        assert_eq!(value["software"]["build"], "b1");
        assert_eq!(value["seed"], "18446744073709551615");
        assert_eq!(value["outcome"], "sound");
        assert_eq!(value["items"].as_array().unwrap().len(), items.len());
        assert_eq!(value["items"][0]["title"], items[0].title.as_str());
    }
}
