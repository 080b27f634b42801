//! What a ledger refuses, in words.

use std::fmt;

use dashu_int::UBig;

use crate::privacy::calibrate::CalibrationError;

/// A column of a ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// μ² for Gaussian releases.
    Gaussian,
    /// ε for the others.
    Epsilon,
    /// δ for the others.
    Delta,
    /// The part of δ kept for the discreteness of Gaussian noise.
    Slack,
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Gaussian => "Gaussian wallet",
            Self::Epsilon => "Other wallet's epsilon",
            Self::Delta => "Other wallet's delta",
            Self::Slack => "reserve for the grid of the noise",
        })
    }
}

/// A release that does not fit. It depends on public numbers alone, and nothing was charged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The column that is short.
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
            let split = match quantity {
                Quantity::Gaussian | Quantity::Slack => "other",
                Quantity::Epsilon | Quantity::Delta => "gaussian",
            };
            return write!(
                formatter,
                "this release asks for {asked} units of the {quantity}, and this ledger was opened with none (as the \
                 split `{split}` does); nothing was charged; take a mechanism of the other wallet",
            );
        }
        write!(
            formatter,
            "this release asks for {asked} units of the {quantity} ({} of it), {left} are left ({}); nothing was \
             charged; ask for less",
            percent(asked, capacity, true),
            percent(left, capacity, false),
        )
    }
}

/// Hundredths of a percent by whole numbers, rounded against the person who asks.
fn percent(part: u128, whole: u128, up: bool) -> String {
    let (part, whole) = (UBig::from(part) * UBig::from(10_000_u32), UBig::from(whole));
    let hundredths = if up { (part + &whole - UBig::ONE) / whole } else { part / whole };
    let (units, rest) = (&hundredths / UBig::from(100_u8), hundredths % UBig::from(100_u8));
    format!("{units}.{rest:02} %")
}

/// What a ledger does not do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// The budget does not suffice.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// A plan and its ledger differ in something that is never converted.
    #[error("the plan has `{what}` {plan}, and the ledger {ledger}; change the plan or take another ledger")]
    Mismatch {
        /// The field.
        what: &'static str,
        /// The plan's value.
        plan: String,
        /// The ledger's value.
        ledger: String,
    },
    /// A charge of nothing, which would be a bug.
    #[error("this release would cost nothing, which cannot be right; nothing was released")]
    Free,
    /// A seeded demonstration.
    #[error("a seeded demonstration is not private and has no place in a ledger; use `simulate` for it")]
    Demo,
    /// The budget or the noise is out of range.
    #[error("{0}")]
    Calibration(#[from] CalibrationError),
    /// An earlier release is not settled.
    #[error("entry {0} is still reserved; open the ledger again, and its charge counts as spent")]
    Pending(u64),
    /// An entry that cannot change as asked.
    #[error("entry {0} is not reserved, so it can be neither released nor burned")]
    NotReserved(u64),
    /// A protection that cannot be changed.
    #[error("the protection cannot be relaxed: {0}")]
    Relax(&'static str),
    /// An assertion about another ledger that cannot be written down.
    #[error("that this ledger is about different people cannot be written down: {0}")]
    Disjoint(&'static str),
    /// The opening names something that does not fit.
    #[error("a ledger cannot be opened: {0}")]
    Opening(&'static str),
    /// The document is damaged, altered or of another kind.
    #[error("the ledger is not valid at `{place}`: {what}; take an unaltered copy")]
    Document {
        /// Where in the document.
        place: String,
        /// What is wrong.
        what: String,
    },
    /// Two ledgers about different tables.
    #[error("the imported ledger is another ledger (its id is {0}); import it where it belongs")]
    OtherLedger(String),
    /// Two histories of one ledger.
    #[error(
        "the two copies of this ledger differ from entry {0} on: both were charged apart; both sets of charges count, \
         so stop here, or open a new ledger for the smaller budget that is left"
    )]
    Fork(u64),
    /// A copy that lacks entries.
    #[error("the imported ledger is older than this one; this one stays as it is")]
    Older,
}

impl LedgerError {
    /// Whether the budget was refused, as opposed to a bad document or request.
    #[must_use]
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
            text.contains("200 units of the Gaussian wallet (0.67 % of it), 199 are left (0.66 %)"),
            "{text}"
        );
        let none = Refusal { quantity: Quantity::Epsilon, asked: 1, left: 0, capacity: 0 }.to_string();
        assert!(none.contains("Other wallet's epsilon") && none.contains("`gaussian`"), "{none}");
        assert!(LedgerError::from(refusal).is_refusal() && !LedgerError::Older.is_refusal());
        assert_eq!(percent(u128::MAX, u128::MAX, true), "100.00 %");
        assert_eq!(percent(1, u128::MAX, true), "0.01 %");
    }
}
