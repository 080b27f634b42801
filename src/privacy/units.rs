//! Integer units of the two budgets: what a ledger holds and what a release costs (theory/accounting 5.3).

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Amounts of the four quantities that a ledger counts. In documents each is a decimal string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Units {
    /// The Gaussian budget: μ², in units of 2^-40.
    #[serde(with = "decimal")]
    pub gaussian: u128,
    /// ε of the (ε, δ) budget, in units of 2^-40.
    #[serde(with = "decimal")]
    pub epsilon: u128,
    /// δ of the (ε, δ) budget, in units of 2^-100.
    #[serde(with = "decimal")]
    pub delta: u128,
    /// The part of δ reserved for the discreteness of Gaussian noise, in units of 2^-100.
    #[serde(with = "decimal")]
    pub slack: u128,
}

impl Units {
    /// Nothing.
    pub const ZERO: Self = Self { gaussian: 0, epsilon: 0, delta: 0, slack: 0 };

    /// Returns whether neither budget is charged. The ledger refuses such a charge, because only a bug can cause it.
    pub const fn is_free(&self) -> bool {
        self.gaussian == 0 && self.epsilon == 0 && self.delta == 0
    }

    /// Returns the sum, or `None` if a quantity exceeds 128 bits.
    pub fn checked_add(&self, other: &Self) -> Option<Self> {
        Some(Self {
            gaussian: self.gaussian.checked_add(other.gaussian)?,
            epsilon: self.epsilon.checked_add(other.epsilon)?,
            delta: self.delta.checked_add(other.delta)?,
            slack: self.slack.checked_add(other.slack)?,
        })
    }

    /// Returns the difference, or `None` if any column would be overdrawn.
    pub fn checked_sub(&self, other: &Self) -> Option<Self> {
        Some(Self {
            gaussian: self.gaussian.checked_sub(other.gaussian)?,
            epsilon: self.epsilon.checked_sub(other.epsilon)?,
            delta: self.delta.checked_sub(other.delta)?,
            slack: self.slack.checked_sub(other.slack)?,
        })
    }
}

mod decimal {
    use super::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        let text = String::deserialize(deserializer)?;
        // One spelling each: no sign, no leading zero.
        match text.parse::<u128>() {
            Ok(value) if value.to_string() == text => Ok(value),
            _ => Err(de::Error::custom(crate::words::error::units())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_strings_with_one_spelling() {
        let units = Units { gaussian: u128::MAX, epsilon: 1, delta: 0, slack: 7 };
        let text = serde_json::to_string(&units).unwrap();
        let expected =
            r#"{"gaussian":"340282366920938463463374607431768211455","epsilon":"1","delta":"0","slack":"7"}"#;
        assert_eq!(text, expected);
        assert_eq!(serde_json::from_str::<Units>(&text).unwrap(), units);
        for bad in [
            "\"01\"",
            "\"+1\"",
            "\"-1\"",
            "1",
            "\"1.0\"",
            "\"340282366920938463463374607431768211456\"",
            "\"\"",
        ] {
            let text = format!(r#"{{"gaussian":{bad},"epsilon":"1","delta":"0","slack":"7"}}"#);
            assert!(serde_json::from_str::<Units>(&text).is_err(), "{bad}");
        }
    }

    #[test]
    fn sums_do_not_wrap() {
        let most = Units { gaussian: u128::MAX, ..Units::ZERO };
        let one = Units { gaussian: 1, ..Units::ZERO };
        assert_eq!(most.checked_add(&one), None);
        assert_eq!(one.checked_sub(&most), None);
        assert_eq!(most.checked_sub(&one).and_then(|rest| rest.checked_add(&one)), Some(most));
    }
}
