//! `discreet.release/1` as it is written and read.
//!
//! Keys have a fixed order. Nothing here is a function of the table except through the mechanism.

use std::fmt;
use std::io::{self, Write};

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::bounds::EstimatedBounds;
use super::long::CoefficientTable;
use super::moments::ReleasedMoments;
pub use super::paid::{Claimed, LedgerReference};
use super::steps::LogisticSteps;
use crate::math::round::to_digits;
use crate::model::{Assurance, Coefficient, Estimate, Interval};
use crate::plan::Plan;
use crate::plan::public::PublicTable;
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::text::json;

/// The name and version that every release carries.
pub const SCHEMA: &str = "discreet.release/1";

/// Above this number of outcomes the coefficients are written as one object of columns.
pub const LONG_FORM_OUTCOMES: usize = 1_000;

/// Significant digits in a release of an idealised mechanism.
const DIGITS: u8 = 6;

/// Everything that may be published about one analysis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The plan as run, defaults filled in.
    pub plan: Plan,
    /// The guarantee.
    pub privacy: Privacy,
    /// The regressions.
    pub coefficients: Coefficients,
    /// The noisy second moments, where the mechanism releases them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moments: Option<ReleasedMoments>,
    /// The bounds that a part of the budget has found, with the counts that they follow from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_bounds: Option<EstimatedBounds>,
    /// The noisy Newton steps, where the mechanism takes them in coordinates of the release's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<LogisticSteps>,
    /// The charge; `null` for a demonstration.
    pub ledger: Option<LedgerReference>,
    /// Computed from what was released, never from the table.
    pub diagnostics: Diagnostics,
    /// The public moments that the fit used, in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public: Option<PublicTable>,
    /// Marks a seeded demonstration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub demo: Option<Demo>,
    /// The program that computed it.
    pub software: Software,
}

impl Release {
    /// Returns whether its moments are in coordinates that rounds before them measured.
    pub fn is_adaptive(&self) -> bool {
        self.moments.as_ref().is_some_and(|moments| moments.adaptive.is_some())
    }

    /// Writes the document as it is handed out: indented for a reader, but in the long form, where every number would have a line
    /// of its own, without spaces. Nothing is built beside what is written.
    ///
    /// # Errors
    /// Where `out` refuses.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        json::write(self, matches!(self.coefficients, Coefficients::List(_)), &mut out)?;
        out.write_all(b"\n")
    }
}

/// The guarantee in numbers; what does not apply is `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Privacy {
    /// Which tables are neighbours.
    pub adjacency: Adjacency,
    /// Which part of a person's data the guarantee covers.
    pub protect: Protect,
    /// Rows of one person that count.
    pub max_rows_per_person: u32,
    /// The column that identifies a person, or `assumed`: each row counts as one person.
    pub person: String,
    /// ε at `delta`.
    pub epsilon: Option<f64>,
    /// δ.
    pub delta: Option<f64>,
    /// μ of Gaussian differential privacy, rounded up.
    pub mu: Option<f64>,
    /// ρ = μ²/2 of zero-concentrated differential privacy, rounded up.
    pub rho: Option<f64>,
    /// Under the paper's calibration: the (ε, δ) that the paper claims.
    pub claimed: Option<Claimed>,
    /// How far the proof covers what was executed.
    pub assurance: Assurance,
}

/// The regressions, in one of two forms.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Coefficients {
    /// One entry per outcome and term.
    List(Vec<Coefficient>),
    /// One inner list per outcome, above [`LONG_FORM_OUTCOMES`] outcomes.
    Table(CoefficientTable),
}

impl Coefficients {
    /// Creates coefficients from one row of entries for each outcome, one entry for each term: a list, or above [`LONG_FORM_OUTCOMES`]
    /// outcomes a table.
    pub fn of(outcomes: Vec<String>, terms: Vec<String>, entries: &[Vec<Estimate>]) -> Self {
        if outcomes.len() > LONG_FORM_OUTCOMES {
            let mut table = CoefficientTable::new(outcomes, terms);
            for (row, entries) in entries.iter().enumerate() {
                for (column, entry) in entries.iter().enumerate() {
                    table.set(row, column, *entry);
                }
            }
            return Self::Table(table);
        }
        let list = outcomes.iter().zip(entries).flat_map(|(outcome, entries)| {
            let of_term =
                |(term, entry): (&String, &Estimate)| Coefficient::new(outcome.clone(), term.clone(), *entry);
            terms.iter().zip(entries).map(of_term)
        });
        Self::List(list.collect())
    }

    /// Rounds every number to six significant digits, as a release of an idealised mechanism does (theory/noise 4.2).
    pub fn round(&mut self) {
        match self {
            Self::List(entries) => {
                for entry in entries {
                    let Coefficient { estimate, std_error, lower, upper, noise_share, .. } = entry;
                    [estimate, std_error, lower, upper, noise_share].into_iter().for_each(round);
                }
            }
            Self::Table(table) => table.round(DIGITS),
        }
    }

    /// Labels no interval better than approximate, and returns whether one is shown.
    pub fn label_approximate(&mut self) -> bool {
        match self {
            Self::List(entries) => {
                Interval::label_approximate(entries.iter_mut().map(|entry| &mut entry.interval))
            }
            Self::Table(table) => table.label_approximate(),
        }
    }

    /// Returns the terms of an outcome's regression, each with its numbers.
    pub fn of_outcome(&self, outcome: &str) -> Vec<(&str, Estimate)> {
        match self {
            Self::List(entries) => {
                let own = entries.iter().filter(|entry| entry.outcome == outcome);
                own.map(|entry| (entry.term.as_str(), entry.entry())).collect()
            }
            Self::Table(table) => {
                let row = table.outcomes().iter().position(|name| name == outcome);
                let terms = table.terms().iter().enumerate();
                terms.filter_map(|(column, term)| Some((term.as_str(), table.entry(row?, column)?))).collect()
            }
        }
    }

    /// Returns the entries of each outcome in turn; none of a table.
    pub fn by_outcome(&self) -> impl Iterator<Item = &[Coefficient]> {
        let list = if let Self::List(list) = self { list.as_slice() } else { &[] };
        list.chunk_by(|a, b| a.outcome == b.outcome)
    }

    /// Returns whether no coefficient was determined at all.
    pub fn is_undetermined(&self) -> bool {
        match self {
            Self::List(entries) => entries.iter().all(|entry| entry.estimate.is_none()),
            Self::Table(table) => table.is_undetermined(),
        }
    }

    /// Appends the entries of other outcomes; only for lists.
    pub fn append(&mut self, other: Self) {
        if let (Self::List(entries), Self::List(others)) = (self, other) {
            entries.extend(others);
        }
    }
}

impl<'de> Deserialize<'de> for Coefficients {
    /// Reads either form by the first character of the JSON, without buffering it.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(EitherForm)
    }
}

struct EitherForm;

impl<'de> Visitor<'de> for EitherForm {
    type Value = Coefficients;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list of coefficients, or one object of columns")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Coefficients, A::Error> {
        Deserialize::deserialize(SeqAccessDeserializer::new(list)).map(Coefficients::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Coefficients, A::Error> {
        Deserialize::deserialize(MapAccessDeserializer::new(map)).map(Coefficients::Table)
    }
}

/// Rounds to six significant digits.
fn round(number: &mut Option<f64>) {
    *number = number.map(|number| to_digits(number, DIGITS));
}

/// Facts that follow from the released numbers alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Diagnostics {
    /// Number of rows as the noisy intercept cell gives it, or the public one.
    pub rows: Option<f64>,
    /// Standard error of `rows`; 0 where the number is public.
    pub rows_std_error: Option<f64>,
    /// Smallest eigenvalue of the predictors' noisy moments over the spectral norm of the noise; `null` without noise.
    pub signal_to_noise: Option<f64>,
    /// The ridge that was added, in units of R².
    pub ridge: f64,
    /// The repair that was needed, if any.
    pub repair: Option<String>,
    /// One per outcome, in the coefficients' order; empty above [`LONG_FORM_OUTCOMES`] outcomes.
    pub outcomes: Vec<OutcomeDiagnostics>,
    /// Sentences that a reader has to know: the messages `note` of [`crate::words`].
    pub notes: Vec<String>,
}

impl Diagnostics {
    /// Returns those of an outcome.
    pub fn outcome(&self, name: &str) -> Option<&OutcomeDiagnostics> {
        self.outcomes.iter().find(|known| known.outcome == name)
    }

    /// Merges those of another outcome's regression: the smaller ratio of signal to noise, each note once.
    pub fn join(&mut self, other: Self) {
        self.signal_to_noise = match (self.signal_to_noise, other.signal_to_noise) {
            (Some(own), Some(others)) => Some(own.min(others)),
            (own, others) => own.or(others),
        };
        self.repair = self.repair.take().or(other.repair);
        self.outcomes.extend(other.outcomes);
        for note in other.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
    }

    /// Rounds every number to six significant digits.
    pub fn round(&mut self) {
        let Self { rows, rows_std_error, signal_to_noise, ridge, outcomes, .. } = self;
        [rows, rows_std_error, signal_to_noise].into_iter().for_each(round);
        for outcome in outcomes {
            round(&mut outcome.residual_sd);
            round(&mut outcome.r_squared);
        }
        let mut known = Some(*ridge);
        round(&mut known);
        *ridge = known.unwrap_or(*ridge);
    }
}

/// The residual of one outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutcomeDiagnostics {
    /// The outcome's column.
    pub outcome: String,
    /// Residual standard deviation in the outcome's unit.
    pub residual_sd: Option<f64>,
    /// Whether it is larger than the noise on it.
    pub residual_resolved: bool,
    /// R² from the released moments; it can be below 0. Absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r_squared: Option<f64>,
}

impl OutcomeDiagnostics {
    /// Returns those of an outcome of whose residual nothing is known.
    pub fn unknown(outcome: &str) -> Self {
        Self { outcome: outcome.to_owned(), residual_sd: None, residual_resolved: false, r_squared: None }
    }
}

/// Seed and run of a demonstration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demo {
    /// The seed.
    pub seed: u64,
    /// The run, from 1.
    pub run: u64,
}

/// The program that computed a release.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Software {
    /// `discreet`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Content hash of the program that ran.
    pub build: String,
}

impl Software {
    /// Describes this program, with the content hash of its build.
    pub fn new(build: String) -> Self {
        Self { name: "discreet".to_owned(), version: env!("CARGO_PKG_VERSION").to_owned(), build }
    }
}

/// What tests of releases need.
#[cfg(test)]
pub(crate) mod of_tests {
    use serde_json::{Value, json};

    use super::Release;

    /// Returns a release of a plan in which nothing is known.
    pub(crate) fn release(plan: &Value) -> Release {
        serde_json::from_value(json!({
            "schema": "discreet.release/1", "plan": plan,
            "privacy": {"adjacency": "add-remove", "protect": "rows", "max_rows_per_person": 1, "person": "assumed",
                "epsilon": 5.0, "delta": 1e-6, "mu": 1.0, "rho": 0.5, "claimed": null, "assurance": "EXACT"},
            "coefficients": [], "ledger": null,
            "diagnostics": {"rows": null, "rows_std_error": null, "signal_to_noise": null, "ridge": 0.0,
                "repair": null, "outcomes": [], "notes": []},
            "software": {"name": "discreet", "version": "0", "build": "b"}
        }))
        .unwrap()
    }
}
