//! Measures of privacy loss, as types that cannot be negative, infinite or NaN.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::words;

/// A number that is no value of the measure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", crate::words::error::measure(name, given, range))]
pub struct MeasureError {
    name: &'static str,
    given: String,
    range: &'static str,
}

macro_rules! measure {
    ($type:ident, $name:literal, $range:expr, $holds:expr, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
        #[serde(try_from = "f64", into = "f64")]
        pub struct $type(f64);

        impl $type {
            /// No privacy loss.
            pub const ZERO: Self = Self(0.0);

            /// Returns the measure with this value; −0 becomes 0.
            ///
            /// # Errors
            /// [`MeasureError`] if the value is negative, infinite, NaN or out of range.
            pub fn try_new(value: f64) -> Result<Self, MeasureError> {
                let holds: fn(f64) -> bool = $holds;
                if value.is_finite() && value >= 0.0 && holds(value) {
                    Ok(Self(value.abs()))
                } else {
                    Err(MeasureError { name: $name, given: value.to_string(), range: $range })
                }
            }

            /// Reads the text that `to_string` writes. Other spellings are refused, so that a document has one form.
            ///
            /// # Errors
            /// [`MeasureError`] if the text is no such number or has another spelling.
            pub fn from_canonical(text: &str) -> Result<Self, MeasureError> {
                let wrong = || MeasureError { name: $name, given: format!("{text:?}"), range: $range };
                let value = Self::try_new(text.parse().map_err(|_| wrong())?)?;
                if value.to_string() == text { Ok(value) } else { Err(wrong()) }
            }

            /// Returns the value.
            pub const fn get(self) -> f64 {
                self.0
            }

            /// Returns whether it is 0.
            pub fn is_zero(self) -> bool {
                self.0 <= 0.0
            }
        }

        impl TryFrom<f64> for $type {
            type Error = MeasureError;

            fn try_from(value: f64) -> Result<Self, MeasureError> {
                Self::try_new(value)
            }
        }

        impl From<$type> for f64 {
            fn from(measure: $type) -> Self {
                measure.0
            }
        }

        impl fmt::Display for $type {
            /// Writes the shortest decimal that reads back as the same number.
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                decimal(self.0, formatter)
            }
        }
    };
}

measure!(
    Epsilon,
    "epsilon",
    words::error::range_not_negative(),
    |_| true,
    "ε of (ε, δ)-differential privacy."
);
measure!(
    Delta,
    "delta",
    words::error::range_probability(),
    |value| value <= 1.0,
    "δ of (ε, δ)-differential privacy."
);
measure!(Mu, "mu", words::error::range_not_negative(), |_| true, "μ of Gaussian differential privacy.");
measure!(
    Rho,
    "rho",
    words::error::range_not_negative(),
    |_| true,
    "ρ of zero-concentrated differential privacy."
);

/// Writes a number, with a power of ten if it is small or large.
fn decimal(value: f64, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    if value > 0.0 && !(1e-4..1e16).contains(&value) {
        write!(formatter, "{value:e}")
    } else {
        write!(formatter, "{value}")
    }
}

/// What tests write as a number.
#[cfg(test)]
pub(crate) mod of_tests {
    use super::{Delta, Epsilon};

    pub(crate) fn epsilon(value: f64) -> Epsilon {
        Epsilon::try_new(value).unwrap()
    }

    pub(crate) fn delta(value: f64) -> Delta {
        Delta::try_new(value).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        for bad in [-1.0, f64::NAN, f64::INFINITY, -1e-300] {
            assert!(Epsilon::try_new(bad).is_err() && Delta::try_new(bad).is_err());
            assert!(Mu::try_new(bad).is_err() && Rho::try_new(bad).is_err());
        }
        assert!(Delta::try_new(1.5).is_err());
        assert_eq!(Epsilon::try_new(-0.0).unwrap().to_string(), "0");
        assert!(serde_json::from_str::<Epsilon>("-1").is_err());
    }

    #[test]
    fn one_spelling_each() {
        for text in ["0", "1", "1e-6", "0.2367", "0.0001", "1e-5", "123456.5", "1e16", "5e-324"] {
            assert_eq!(Epsilon::from_canonical(text).unwrap().to_string(), text);
        }
        for text in ["1.0", "0.000001", "1E-6", "+1", "-0", " 1", "1e400", "inf", "nan", "", "1e0"] {
            assert!(Epsilon::from_canonical(text).is_err(), "{text}");
        }
    }
}
