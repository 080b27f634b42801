//! What can be said from public numbers of whether bounds will be found (theory/estimated-bounds 4.2).

use crate::math::round::real;
use crate::plan::document::Confirm;
use crate::plan::{CheckedPlan, PlanError, Purpose};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::mu_squared_of_units;
use crate::words;

/// Multiples of [`Outlook::scale`]: below the first nothing is likely to be found, below the second many ranges are bad, below the
/// third some are.
const REFUSED: f64 = 45.0;
const DOUBTFUL: f64 = 85.0;
const WARNED: f64 = 170.0;

/// How many rows estimating bounds needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// s = √C p / μ_b, and √2 times that under replace-one, in rows: the standard deviation of a count's noise if all of the share went
    /// to one round.
    pub scale: f64,
}

/// What a number of rows means for estimating bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prospect {
    /// Nothing is likely to be found.
    Refused,
    /// Many ranges are bad. A person has to consent.
    Doubtful,
    /// Some ranges are bad.
    Warned,
    /// Ordinary columns get good ranges.
    Good,
}

impl Outlook {
    /// Returns the outlook of `columns` columns that `units` of 2^-40 of μ² pay for.
    pub fn new(columns: usize, adjacency: Adjacency, max_rows_per_person: u32, units: u128) -> Self {
        let columns = real(columns);
        let mu = mu_squared_of_units(units).sqrt();
        let both = match adjacency {
            Adjacency::AddRemove => 1.0,
            Adjacency::ReplaceOne => std::f64::consts::SQRT_2,
        };
        Self { scale: columns.sqrt() * f64::from(max_rows_per_person) * both / mu }
    }

    /// Returns what so many rows mean.
    pub fn of(&self, rows: u64) -> Prospect {
        let rows = real(rows) / self.scale;
        if rows < REFUSED {
            Prospect::Refused
        } else if rows < DOUBTFUL {
            Prospect::Doubtful
        } else if rows < WARNED {
            Prospect::Warned
        } else {
            Prospect::Good
        }
    }

    /// Returns the least number of rows for ordinary columns to get good ranges, rounded up to two digits.
    pub fn rows_for_good(&self) -> u64 {
        two_digits(WARNED * self.scale)
    }

    /// Returns the least number of rows that is not refused, rounded up to two digits.
    pub fn rows_for_any(&self) -> u64 {
        two_digits(REFUSED * self.scale)
    }

    /// Refuses too few stated rows, and a release of doubtful prospect without consent. Before the charge.
    ///
    /// # Errors
    /// [`PlanError`] that says how many rows it takes.
    pub fn check(&self, plan: &CheckedPlan, purpose: Purpose) -> Result<(), PlanError> {
        let rows = plan.public_rows().unwrap_or(0);
        let path = if plan.rows.is_some() { "rows" } else { "stated_rows" };
        match self.of(rows) {
            Prospect::Refused => Err(PlanError::at(
                path,
                words::plan::bounds_too_few_rows(rows, self.rows_for_any(), self.rows_for_good()),
                words::plan::bounds_remedy(),
            )),
            Prospect::Doubtful
                if purpose == Purpose::Release && !plan.plan.confirm.contains(&Confirm::UncertainBounds) =>
            {
                Err(PlanError::at(
                    "confirm",
                    words::plan::bounds_doubtful(rows, self.rows_for_good()),
                    words::plan::bounds_doubtful_advice(words::plan::bounds_remedy()),
                ))
            }
            Prospect::Doubtful | Prospect::Warned | Prospect::Good => Ok(()),
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates; a forecast")]
fn two_digits(rows: f64) -> u64 {
    let power = libm::pow(10.0, (libm::floor(libm::log10(rows.max(1.0))) - 1.0).max(0.0));
    ((rows / power).ceil() * power) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_columns_at_epsilon_1_take_ten_thousand_rows() {
        // μ of ε 1 at δ 1e-6 is 0.2367, and a twentieth of its square is for the bounds.
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a positive number below 2^40"
        )]
        let units = |mu: f64| (mu * mu * 0.05 * 1_099_511_627_776.0) as u128;
        let outlook = Outlook::new(10, Adjacency::AddRemove, 1, units(0.2367));
        assert_eq!((outlook.rows_for_any(), outlook.rows_for_good()), (2_700, 11_000));
        let prospects = [2_600, 2_800, 6_000, 11_000].map(|rows| outlook.of(rows));
        assert_eq!(prospects, [Prospect::Refused, Prospect::Doubtful, Prospect::Warned, Prospect::Good]);
        let replaced = Outlook::new(10, Adjacency::ReplaceOne, 3, units(0.2367));
        assert!((replaced.scale / outlook.scale - 18.0_f64.sqrt()).abs() < 1e-9);
    }
}
