//! Reads a mechanism's parameters: each is taken once, defaults are filled in, and what is left over is an error.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::error::PlanError;

/// A mechanism's parameters while they are being read.
#[derive(Debug)]
pub struct Params<'a> {
    mechanism: &'a str,
    given: &'a Map<String, Value>,
    filled: Map<String, Value>,
}

impl<'a> Params<'a> {
    /// Starts reading the parameters of `mechanism`.
    #[must_use]
    pub fn new(mechanism: &'a str, given: &'a Map<String, Value>) -> Self {
        Self { mechanism, given, filled: Map::new() }
    }

    /// Takes the number `name`, which lies in `range` and is above `above` where that is given.
    ///
    /// # Errors
    /// When the value is no number or lies outside.
    pub fn number(
        &mut self,
        name: &str,
        default: f64,
        range: RangeInclusive<f64>,
        above: Option<f64>,
    ) -> Result<f64, PlanError> {
        let value = match self.given.get(name) {
            None => default,
            Some(value) => value
                .as_f64()
                .filter(|number| range.contains(number) && above.is_none_or(|bound| *number > bound))
                .ok_or_else(|| {
                    let least =
                        above.map_or_else(|| format!("from {}", range.start()), |b| format!("above {b}"));
                    self.wrong(name, &format!("a number {least}, at most {}", range.end()))
                })?,
        };
        self.filled.insert(name.to_owned(), number(value));
        Ok(value)
    }

    /// Takes the parameter `name`, which is one of the named `choices`.
    ///
    /// # Errors
    /// When the value is none of them.
    pub fn choice<T: Copy>(
        &mut self,
        name: &str,
        default: &str,
        choices: &[(&str, T)],
    ) -> Result<T, PlanError> {
        let given = self.given.get(name);
        let chosen = match given {
            None => Some(default),
            Some(value) => value.as_str(),
        };
        let found = choices.iter().find(|(text, _)| Some(*text) == chosen);
        let (text, value) = found.ok_or_else(|| {
            let names: Vec<&str> = choices.iter().map(|(text, _)| *text).collect();
            self.wrong(name, &format!("one of {}", names.join(", ")))
        })?;
        self.filled.insert(name.to_owned(), Value::from(*text));
        Ok(*value)
    }

    /// Takes the raw value `name` through `read`, which answers `None` where the value does not fit `expected`.
    ///
    /// # Errors
    /// When the value does not fit.
    pub fn value<T>(
        &mut self,
        name: &str,
        default: Value,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, PlanError> {
        let value = self.given.get(name).cloned().unwrap_or(default);
        let read = read(&value).ok_or_else(|| self.wrong(name, expected))?;
        self.filled.insert(name.to_owned(), value);
        Ok(read)
    }

    /// Takes the raw value `name` through `read` where the plan gives it.
    ///
    /// # Errors
    /// When the value does not fit `expected`.
    pub fn optional<T>(
        &mut self,
        name: &str,
        expected: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, PlanError> {
        match self.given.get(name) {
            None => Ok(None),
            Some(value) => self.value(name, value.clone(), expected, read).map(Some),
        }
    }

    /// All parameters with their defaults filled in.
    ///
    /// # Errors
    /// When the plan gives a parameter that the mechanism does not have.
    pub fn finish(self) -> Result<Map<String, Value>, PlanError> {
        match self.given.keys().find(|name| !self.filled.contains_key(*name)) {
            None => Ok(self.filled),
            Some(name) => {
                let known: Vec<&str> = self.filled.keys().map(String::as_str).collect();
                Err(PlanError::at(
                    path(name),
                    format!("`{}` has no such parameter", self.mechanism),
                    if known.is_empty() {
                        "it has none: remove it".to_owned()
                    } else {
                        format!("it has {}", known.join(", "))
                    },
                ))
            }
        }
    }

    fn wrong(&self, name: &str, expected: &str) -> PlanError {
        PlanError::at(
            path(name),
            format!("`{}` does not take this value", self.mechanism),
            format!("give {expected}"),
        )
    }
}

fn path(name: &str) -> String {
    format!("mechanism.params.{name}")
}

/// A whole number is written without a fraction, so that 16777216 does not become 16777216.0.
fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "below 2^53 and whole, so exact")]
    if value.fract() == 0.0 && value.abs() < 9e15 { Value::from(value as i64) } else { Value::from(value) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fills_defaults_and_refuses_what_is_left_over() {
        let given = json!({"row_norm": 0.5, "shapes": "goe"});
        let mut params = Params::new("analyze-gauss", given.as_object().unwrap());
        assert_eq!(params.number("row_norm", 1.0, 0.0..=1.0, Some(0.0)), Ok(0.5));
        assert_eq!(params.choice("shape", "goe", &[("goe", 1), ("iid", 2)]), Ok(1));
        let error = params.finish().unwrap_err();
        assert_eq!(error.path, "mechanism.params.shapes");
        assert!(error.advice.contains("shape"), "{error}");
    }

    #[test]
    fn refuses_values_outside_their_range() {
        for value in [json!(0.0), json!(1.01), json!("1"), json!(null)] {
            let given = json!({ "row_norm": value });
            let mut params = Params::new("analyze-gauss", given.as_object().unwrap());
            assert!(params.number("row_norm", 1.0, 0.0..=1.0, Some(0.0)).is_err());
        }
    }
}
