//! The errors of a ledger, as texts for a person.

use std::fmt;

use dashu_int::UBig;

use crate::privacy::calibrate::{CalibrationError, epsilon_of_units, mu_of_part, part};
use crate::words;

/// A quantity that a ledger counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// μ², for Gaussian releases.
    Gaussian,
    /// ε, for releases that are charged to the (ε, δ) budget.
    Epsilon,
    /// δ, for releases that are charged to the (ε, δ) budget.
    Delta,
    /// The part of δ that is reserved for the discreteness of Gaussian noise.
    Slack,
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Gaussian => words::error::quantity_gaussian(),
            Self::Epsilon => words::error::quantity_epsilon(),
            Self::Delta => words::error::quantity_delta(),
            Self::Slack => words::error::quantity_slack(),
        })
    }
}

/// A release that would cost more than is left. The decision depends on public numbers alone, and nothing was charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The quantity of which too little is left.
    pub quantity: Quantity,
    /// Units asked for.
    pub asked: u128,
    /// Units left.
    pub left: u128,
    /// Units at the beginning.
    pub capacity: u128,
}

impl std::error::Error for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quantity, asked, left, capacity } = *self;
        if capacity == 0 {
            let (split, other) = match quantity {
                Quantity::Gaussian | Quantity::Slack => ("other", "(epsilon, delta)"),
                Quantity::Epsilon | Quantity::Delta => ("gaussian", "Gaussian"),
            };
            return formatter.write_str(&words::error::refused_whole(quantity, split, other));
        }
        let (need, rest) = (percent(asked, capacity, true), percent(left, capacity, false));
        formatter.write_str(&words::error::refused(need, quantity, rest, asked, left))?;
        if left <= capacity / 1_000 {
            return formatter.write_str(words::error::refused_spent());
        }
        let most = match quantity {
            Quantity::Gaussian => mu_of_part(left, 100).map(|most| ("mu", most)),
            Quantity::Epsilon => part(epsilon_of_units(left).get(), 100).map(|most| ("epsilon", most)),
            Quantity::Delta | Quantity::Slack => None,
        };
        match most {
            Some((field, most)) => formatter.write_str(&words::error::refused_most(field, most)),
            None => formatter.write_str(words::error::refused_smaller()),
        }
    }
}

/// Writes a share in percent, with two decimals, by integer arithmetic; `up` rounds it up.
fn percent(part: u128, whole: u128, up: bool) -> String {
    let (part, whole) = (UBig::from(part) * UBig::from(10_000_u32), UBig::from(whole));
    let hundredths = if up { (part + &whole - UBig::ONE) / whole } else { part / whole };
    let (units, rest) = (&hundredths / UBig::from(100_u8), hundredths % UBig::from(100_u8));
    format!("{units}.{rest:02} %")
}

/// A request that a ledger refuses, or a document that is no valid ledger.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The budget does not suffice.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// A plan and its ledger have different terms.
    #[error("{}", crate::words::error::ledger_mismatch(what, plan, ledger, what.replace('_', "-")))]
    Mismatch {
        /// The field.
        what: &'static str,
        /// The plan's value.
        plan: String,
        /// The ledger's value.
        ledger: String,
    },
    /// An earlier release identified persons in another way.
    #[error("{}", match before {
        Some(before) => crate::words::error::ledger_other_persons(before),
        None => crate::words::error::ledger_rows_before(own),
    })]
    OtherPersons {
        /// The column by which they were; each row was a person where there was none.
        before: Option<String>,
        /// The plan's column, or an empty text.
        own: String,
    },
    /// A charge of nothing, which would be a bug.
    #[error("{}", crate::words::error::ledger_free())]
    Free,
    /// A seeded demonstration.
    #[error("{}", crate::words::error::ledger_demo())]
    Demo,
    /// The budget or the noise is out of range.
    #[error("{0}")]
    Calibration(#[from] CalibrationError),
    /// An earlier release is not settled.
    #[error("{}", crate::words::error::ledger_pending(.0))]
    Pending(u64),
    /// An entry that cannot change as asked.
    #[error("{}", crate::words::error::ledger_not_reserved(.0))]
    NotReserved(u64),
    /// The protection cannot be changed.
    #[error("{}", crate::words::error::ledger_relax(.0))]
    Relax(&'static str),
    /// The statement about another ledger cannot be recorded.
    #[error("{}", crate::words::error::ledger_disjoint(.0))]
    Disjoint(&'static str),
    /// The terms at opening contradict each other.
    #[error("{}", crate::words::error::ledger_opening(.0))]
    Opening(&'static str),
    /// The document is damaged, altered or of another kind.
    #[error("{}", crate::words::error::ledger_document(place, what))]
    Document {
        /// Where in the document.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// Two ledgers about different tables.
    #[error("{}", crate::words::error::ledger_other_ledger(.0))]
    OtherLedger(String),
    /// Two histories of one ledger.
    #[error("{}", crate::words::error::ledger_fork(.0))]
    Fork(u64),
    /// A copy that lacks entries.
    #[error("{}", crate::words::error::ledger_older())]
    Older,
}

impl LedgerError {
    /// Returns whether the budget was too small, as opposed to a bad document or request.
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_gives_its_numbers() {
        let refusal = Refusal { quantity: Quantity::Gaussian, asked: 200, left: 199, capacity: 30_000 };
        let text = refusal.to_string();
        assert!(
            text.contains("0.67 % of the ledger's Gaussian budget, and 0.66 % is left (200 and 199 units)"),
            "{text}"
        );
        let little = Refusal { left: 30, ..refusal };
        assert!(little.to_string().ends_with("; the budget is spent"), "{little}");
        let half = Refusal { left: 1 << 39, capacity: 1 << 40, ..refusal };
        assert!(half.to_string().ends_with(": `mu` of at most 0.707106 fits"), "{half}");
        let epsilon = Refusal { quantity: Quantity::Epsilon, ..half };
        assert!(epsilon.to_string().ends_with(": `epsilon` of at most 0.5 fits"), "{epsilon}");
        let none = Refusal { quantity: Quantity::Epsilon, asked: 1, left: 0, capacity: 0 }.to_string();
        assert!(none.contains("epsilon of the (epsilon, delta)") && none.contains("`gaussian`"), "{none}");
        assert!(LedgerError::from(refusal).is_refusal() && !LedgerError::Older.is_refusal());
        assert_eq!(percent(u128::MAX, u128::MAX, true), "100.00 %");
        assert_eq!(percent(1, u128::MAX, true), "0.01 %");
    }
}
