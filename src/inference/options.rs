//! Choices in solving noisy moments: ridge, repair, rules for public features, level of the intervals.

use std::str::FromStr;

use serde_json::Value;

use crate::words;

/// The penalty on the predictors' coded sums, in units of R².
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Ridge {
    /// No penalty.
    #[default]
    None,
    /// From public numbers alone ([`super::ridge::automatic`]).
    Auto,
    /// A fixed number, at least 0.
    Fixed(f64),
}

/// The repair of penalised moments that are not positive definite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Repair {
    /// 2 sd √d is added to the diagonal, sd being the noise off the diagonal.
    #[default]
    Shift,
    /// Eigenvalues are raised to sd.
    Floor,
    /// The coefficients are withheld.
    None,
}

/// A text or value that is none of the choices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", crate::words::error::option(expected))]
pub struct OptionError {
    /// The choices.
    pub expected: &'static str,
}

impl Ridge {
    /// Says what a ridge may be.
    pub fn expected() -> &'static str {
        words::error::expects_ridge()
    }

    /// Reads the parameter `ridge` of a plan.
    pub fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) if text == "none" => Some(Self::None),
            Value::String(text) if text == "auto" => Some(Self::Auto),
            Value::Number(number) => number.as_f64().and_then(Self::number),
            _ => None,
        }
    }

    /// Returns it as it is written in a plan.
    pub fn to_value(self) -> Value {
        match self {
            Self::None => Value::from("none"),
            Self::Auto => Value::from("auto"),
            Self::Fixed(number) => Value::from(number),
        }
    }

    fn number(number: f64) -> Option<Self> {
        (number.is_finite() && number >= 0.0).then_some(Self::Fixed(number))
    }
}

impl FromStr for Ridge {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        match text {
            "none" => Some(Self::None),
            "auto" => Some(Self::Auto),
            _ => text.parse().ok().and_then(Self::number),
        }
        .ok_or(OptionError { expected: Self::expected() })
    }
}

impl Repair {
    /// The choices with their names in a plan.
    pub const CHOICES: [(&'static str, Self); 3] =
        [("shift", Self::Shift), ("floor", Self::Floor), ("none", Self::None)];

    /// Returns its name in a plan.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shift => "shift",
            Self::Floor => "floor",
            Self::None => "none",
        }
    }
}

impl FromStr for Repair {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let found = Self::CHOICES.iter().find(|(name, _)| *name == text);
        found.map(|(_, repair)| *repair).ok_or(OptionError { expected: words::error::expects_repair() })
    }
}

/// A rule that reduces the noise on the coefficients of public features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shrink {
    /// The smallest ridge that keeps the fitted values within the outcomes' bound.
    Projection,
    /// The ridge of the least estimated error (Stein).
    Sure,
    /// A factor for each direction (James and Stein).
    JamesStein,
    /// Nothing: least squares.
    #[default]
    None,
}

impl Shrink {
    /// The choices with their names in a plan.
    pub const CHOICES: [(&'static str, Self); 4] = [
        ("projection", Self::Projection),
        ("sure", Self::Sure),
        ("james-stein", Self::JamesStein),
        ("none", Self::None),
    ];
}

/// Which fitted values the projection bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ball {
    /// All outcomes of a person together.
    #[default]
    Matrix,
    /// Each outcome by itself.
    PerOutcome,
}

impl Ball {
    /// The choices with their names in a plan.
    pub const CHOICES: [(&'static str, Self); 2] =
        [("matrix", Self::Matrix), ("per-outcome", Self::PerOutcome)];
}

/// The rule of a release.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rule {
    /// A rule that reduces the noise on the coefficients of public features.
    pub shrink: Shrink,
    /// Which fitted values are bounded.
    pub ball: Ball,
    /// n, which is public.
    pub rows: u64,
    /// B_y / R.
    pub bound: f64,
}

/// How a regression is computed from noisy moments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The penalty.
    pub ridge: Ridge,
    /// The repair of moments that are not positive definite.
    pub repair: Repair,
    /// Level of the intervals, inside 0 to 1.
    pub confidence: f64,
    /// The number of rows, only where it is public and every row counts in the moments.
    pub rows: Option<u64>,
    /// The seed of the bootstrap for a ridge's intervals. It is computed from public content and protects nothing.
    pub seed: u64,
    /// The largest trace that the predictors' moments can have, in units of R², where it is public: a bound for
    /// [`Repair::Floor`] (theory/many-outcomes 4.1).
    pub trace: Option<f64>,
    /// Whether the cross moments were moved by a projection whose effect on the errors is not known.
    pub projected: bool,
    /// The rule where all features are public.
    pub rule: Option<Rule>,
    /// A penalty in the columns' own units.
    pub penalty: Option<MeanPenalty>,
    /// Whether eigenvalues of what is inverted are raised to the spectral norm of the noise (theory/public-moments 3.5).
    pub floor: bool,
}

/// A penalty on the squared length of the coefficients in the columns' own units, beside the sum of squared residuals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanPenalty {
    /// n λ.
    pub weight: f64,
    /// Whether it weighs on the intercept too.
    pub on_intercept: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            ridge: Ridge::None,
            repair: Repair::Shift,
            confidence: 0.95,
            rows: None,
            seed: 0,
            trace: None,
            projected: false,
            rule: None,
            penalty: None,
            floor: false,
        }
    }
}
