//! The audits T1 to T9 of theory/audit 3, each as a function that says what it saw.
//!
//! Seeds are fixed, so a run is the same everywhere. A sound build passes all of them; under fresh seeds T1 would fail
//! for 4e-7 a pair, T4 of a drawn matrix for 3e-6, T5 for 1e-6 a sampler, T6 for 1.5e-5 a shape.

use discreet::audit::fit;

pub mod coverage;
mod drawn;
mod integers;
mod list;
mod losses;
mod rounding;
mod rounds;
mod rows;
mod samplers;
mod steps;

/// What an audit saw: `Err` where it is more than the claim allows.
pub type Saw = Result<String, String>;

/// How much work is put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// Enough to catch every mutant.
    Quick,
    /// The full size of theory/audit 3.
    Full,
}

/// One audit.
pub struct Audit {
    /// `T1 P3`, say.
    pub name: String,
    pub run: Box<dyn Fn() -> Saw + Send + Sync>,
}

fn audit(name: impl Into<String>, run: impl Fn() -> Saw + Send + Sync + 'static) -> Audit {
    Audit { name: name.into(), run: Box::new(run) }
}

/// Returns all audits, in the order of theory/audit 3.
pub fn audits(depth: Depth) -> Vec<Audit> {
    [
        losses::audits(),
        samplers::audits(depth),
        losses::covariances(),
        drawn::audits(depth),
        rounds::audits(depth),
        rows::audits(),
        steps::audits(),
        integers::audits(depth),
        rounding::audits(),
        coverage::audits(depth),
        list::audits(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What was seen, as a verdict.
fn judged(sound: bool, seen: String) -> Saw {
    if sound { Ok(seen) } else { Err(seen) }
}

/// The probability of so bad a fit to a law, as a verdict (T5).
fn fits_with(p: f64) -> Saw {
    judged(p >= fit::ALARM, if p < 1e-300 { "p below 1e-300".to_owned() } else { format!("p {p:.1e}") })
}
