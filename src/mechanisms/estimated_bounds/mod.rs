//! Bounds that a part of the budget finds, for numbers whose bounds nobody can state (theory/estimated-bounds).
//!
//! Two rounds of noisy counts come before the mechanism's own rounds, in one charge of their own. The first counts each column's values by
//! octave ([`cells`]). The second counts them on a grid that the noisy octaves decide ([`layout`]): over the octave or two that hold them,
//! or by octave again. The range is read from the noisy counts alone ([`reading`]). Units and noise ([`units`]) follow from public numbers.
//!
//! **Guarantee.** For any two neighbouring tables the noisy counts of both rounds together are those of a μ-GDP mechanism up to the slack
//! that the ledger charges beside it, with μ² = Σ Δ²/S_r² (theory/estimated-bounds 2).
//!
//! **Sensitivity.** A record is in at most one cell of each column, whatever the layout is: Δ² = p² U² C for C columns and p rows of a
//! person, and twice that under replace-one.
//!
//! **Event.** One Gaussian for each round, both in one charge, before the first noise is drawn.

pub mod cells;
pub mod forecast;
pub mod layout;
pub mod octaves;
mod planted;
pub mod reading;
mod run;
pub mod units;
pub mod windows;

use std::sync::Arc;

use self::forecast::Outlook;
pub use self::run::{Count, Setting, Target};
use self::units::Units;
use super::info::Info;
use super::rounds::{Configured, Encoding, Resolved};
use super::shared::{Charge, NoiseError};
use crate::model::Layout;
use crate::plan::bound::{BoundPlan, GridParams, Levels, Norms};
use crate::plan::document::Column;
use crate::plan::{CheckedPlan, PlanError, Purpose};
use crate::privacy::calibrate::CalibrationError;
use crate::words;

/// What a ledger's entry and a page say of this stage. It is no mechanism that a plan can name.
pub static INFO: Info = Info {
    name: "estimated-bounds",
    title: "Estimated bounds",
    group: None,
    summary: "Counts each column's values by size with noise, to find a range that holds nearly all of them.",
    prefer: "Prefer bounds from domain knowledge; this is for columns where nobody can state them.",
    guarantee: "The released counts of both rounds together are μ-GDP, exactly as they are computed.",
    source: "theory/estimated-bounds 1",
    standard_errors: false,
    no_paper_scale: Some("estimated bounds have no scale of a paper's own"),
    parameters: &[],
    ..Info::GAUSSIAN
};

/// Nothing of a number is bounded before it is counted.
const GRID: GridParams = GridParams { radius: 1, intercept_weight: 0.0, norms: Norms::Doubles };

/// The counts for the columns of a plan whose bounds are sought.
#[derive(Clone, Debug)]
pub struct Counting {
    /// Which of the plan's entries each of its columns in the header is.
    pub entries: Vec<usize>,
    /// Whether consent is needed.
    pub purpose: Purpose,
}

impl Counting {
    /// Returns the plan's entries of the columns whose bounds are sought.
    pub fn sought(&self, plan: &CheckedPlan) -> Vec<usize> {
        let sought = |entry: &&usize| plan.plan.columns.get(**entry).is_some_and(Column::is_estimated);
        self.entries.iter().filter(sought).copied().collect()
    }
}

impl Configured for Counting {
    fn grid(&self) -> GridParams {
        GRID
    }

    fn levels(&self) -> Levels {
        Levels::ZeroOne
    }

    fn resolve(&self, plan: &CheckedPlan, bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let estimation = plan.estimation.ok_or(CalibrationError::Nothing)?;
        let both = bound.columns.iter().zip(&self.entries).filter_map(|(column, entry)| {
            let entry = plan.plan.columns.get(*entry).filter(|entry| entry.is_estimated())?;
            Some((column.clone(), Target::new(column.name.clone(), entry)))
        });
        let (columns, targets): (Vec<_>, Vec<Target>) = both.unzip();
        let (count, persons) = (targets.len(), plan.max_rows_per_person);
        if count > MOST_COLUMNS {
            return Err(NoiseError::Plan(PlanError::at(
                "columns",
                words::plan::bounds_of_too_many(count, MOST_COLUMNS),
                words::plan::bounds_of_too_many_advice(),
            )));
        }
        let units = Units::new(count, plan.adjacency, persons, estimation.units)?;
        let outlook = Outlook::new(count, plan.adjacency, persons, estimation.units);
        outlook.check(plan, self.purpose)?;
        let charge = Charge::gaussian(
            units.events(),
            ["S_first", "S_second"].into_iter().zip(units.scales.map(|scale| scale.get().to_string())),
        );
        let bound = BoundPlan { columns, ..bound };
        let encoding = Encoding::new(bound, false, |d, l| Layout::whole(d + l));
        let rounds = Setting { units, targets, share: estimation.share, outlook };
        Ok(Resolved::new(encoding, Some(charge), Arc::new(rounds)))
    }
}

/// Most columns whose bounds are estimated: each has 467 released integers and makes the noise of all others larger.
const MOST_COLUMNS: usize = 500;
