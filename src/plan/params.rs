//! A mechanism's parameters: what they are, and the reader that takes each once, fills in defaults and refuses what is left over.

use serde_json::{Map, Value};

use super::error::PlanError;
use crate::words;

/// A parameter of a mechanism: what the reader accepts, and what a person is told of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name in a plan.
    pub name: &'static str,
    /// Its name for a person.
    pub label: &'static str,
    /// Which values it takes.
    pub values: Values,
    /// What it is without being given.
    pub default: Usual,
    /// What else there is to know: its unit, what each choice does. Empty where there is nothing.
    pub help: &'static str,
    /// Where the page shows it.
    pub place: Place,
}

/// The values that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// A number.
    Number(Range),
    /// A whole number between these, both included.
    Whole(u32, u32),
    /// One of these.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// What these words say.
    Free(&'static str),
}

/// Between which numbers a number lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The least, or what it is above.
    pub least: f64,
    /// Whether `least` itself belongs to it.
    pub has_least: bool,
    /// The most, or what it is below.
    pub most: f64,
    /// Whether `most` itself belongs to it.
    pub has_most: bool,
}

/// The value of a parameter that a plan does not give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Usual {
    /// This one, as it is typed.
    Is(&'static str),
    /// The first, or the second with the paper's scale.
    Paper(&'static str, &'static str),
    /// What these words say: it follows from the plan or the header.
    From(&'static str),
    /// None: some plans have to give it.
    Given,
}

/// Where the page shows a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Before anything is spent.
    First,
    /// Under a fold.
    Advanced,
    /// Nowhere: it has one value, for plans that give it.
    Hidden,
}

/// Yes or no, as they are typed.
const SWITCH: [&str; 2] = ["true", "false"];

/// A range that ends here is said to have no end.
const ENDLESS: f64 = 1e300;

/// Returns the names of choices.
#[must_use]
pub const fn names<T: Copy, const N: usize>(choices: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut index = 0;
    while index < N {
        names[index] = choices[index].0;
        index += 1;
    }
    names
}

impl Parameter {
    /// Returns a parameter that is shown under a fold and has to be given.
    #[must_use]
    pub const fn new(name: &'static str, label: &'static str, values: Values) -> Self {
        Self { name, label, values, default: Usual::Given, help: "", place: Place::Advanced }
    }

    /// Sets what it is without being given.
    #[must_use]
    pub const fn usual(self, default: Usual) -> Self {
        Self { default, ..self }
    }

    /// Sets what else there is to know.
    #[must_use]
    pub const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// Sets where the page shows it.
    #[must_use]
    pub const fn place(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// Returns the values that it chooses among, as they are typed; none where it does not choose.
    #[must_use]
    pub const fn choices(&self) -> &'static [&'static str] {
        match self.values {
            Values::Choice(names) => names,
            Values::Switch => &SWITCH,
            _ => &[],
        }
    }

    /// Returns the values that it takes, and what else there is to know.
    #[must_use]
    pub fn explained(&self) -> String {
        let values = self.values.in_words();
        if self.help.is_empty() {
            return values;
        }
        let joint = match self.values {
            _ if self.help.starts_with(|c: char| c.is_uppercase()) => ".",
            Values::Choice(_) | Values::Switch => ":",
            _ => ",",
        };
        format!("{values}{joint} {}", self.help)
    }

    /// Returns the number that `value` is, where it lies in the range.
    fn number(&self, value: &Value) -> Option<f64> {
        let Values::Number(range) = self.values else { return None };
        value.as_f64().filter(|number| range.contains(*number))
    }

    fn whole(&self, value: &Value) -> Option<u32> {
        let Values::Whole(least, most) = self.values else { return None };
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.filter(|number| (least..=most).contains(number))
    }
}

impl Values {
    /// Returns the values in few words.
    #[must_use]
    pub fn in_words(&self) -> String {
        match self {
            Self::Number(range) if range.most >= ENDLESS => {
                if range.has_least {
                    format!("{} or above", range.least)
                } else {
                    format!("above {}", range.least)
                }
            }
            Self::Number(Range { least, has_least, most, has_most }) => match (has_least, has_most) {
                (true, true) if least.total_cmp(most).is_eq() => format!("{least}"),
                (true, true) => format!("{least} to {most}"),
                (true, false) => format!("{least} or above, below {most}"),
                (false, true) => format!("above {least}, to {most}"),
                (false, false) => format!("above {least}, below {most}"),
            },
            Self::Whole(least, most) => format!("{least} to {most}"),
            Self::Choice([first @ .., last]) if !first.is_empty() => {
                format!("{} or {last}", first.join(", "))
            }
            Self::Choice(names) => names.concat(),
            Self::Switch => "true or false".to_owned(),
            Self::Free(words) => (*words).to_owned(),
        }
    }

    /// Returns what a refused value should have been.
    fn expected(&self) -> String {
        match self {
            Self::Number(Range { least, has_least, most, has_most }) => {
                let from = if *has_least { "from" } else { "above" };
                let to = if *has_most { "at most" } else { "below" };
                if *most >= ENDLESS {
                    format!("a number {from} {least}")
                } else {
                    format!("a number {from} {least}, {to} {most}")
                }
            }
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::Choice(names) => format!("one of {}", names.join(", ")),
            Self::Switch | Self::Free(_) => self.in_words(),
        }
    }
}

impl Range {
    /// Returns the range from `least` to `most`, both included.
    #[must_use]
    pub const fn closed(least: f64, most: f64) -> Self {
        Self { least, has_least: true, most, has_most: true }
    }

    /// Returns the range above `least`, to `most`.
    #[must_use]
    pub const fn above(least: f64, most: f64) -> Self {
        Self { has_least: false, ..Self::closed(least, most) }
    }

    /// Returns the range above `least`, below `most`.
    #[must_use]
    pub const fn between(least: f64, most: f64) -> Self {
        Self { has_most: false, ..Self::above(least, most) }
    }

    /// Returns whether a number lies in it.
    #[must_use]
    pub fn contains(&self, number: f64) -> bool {
        (if self.has_least { number >= self.least } else { number > self.least })
            && (if self.has_most { number <= self.most } else { number < self.most })
    }
}

impl std::fmt::Display for Usual {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Is(text) | Self::From(text) => f.write_str(text),
            Self::Paper(usual, paper) => write!(f, "{usual}; {paper} with the paper's scale"),
            Self::Given => f.write_str("none"),
        }
    }
}

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

    /// Takes a number in the range of `parameter`.
    ///
    /// # Errors
    /// When the value is no number or lies outside.
    pub fn number(&mut self, parameter: &Parameter, default: f64) -> Result<f64, PlanError> {
        let value = match self.given.get(parameter.name) {
            None => default,
            Some(value) => parameter
                .number(value)
                .ok_or_else(|| self.wrong(parameter.name, &parameter.values.expected()))?,
        };
        self.filled.insert(parameter.name.to_owned(), number(value));
        Ok(value)
    }

    /// Takes a number in the range of `parameter` and keeps it as the plan has it.
    ///
    /// # Errors
    /// When the value is no number or lies outside.
    pub fn verbatim(&mut self, parameter: &Parameter, default: f64) -> Result<f64, PlanError> {
        let expected = parameter.values.expected();
        self.value(parameter.name, Value::from(default), &expected, |value| parameter.number(value))
    }

    /// Takes a number in the range of `parameter` where the plan gives it.
    ///
    /// # Errors
    /// When the value is no number or lies outside.
    pub fn optional(&mut self, parameter: &Parameter) -> Result<Option<f64>, PlanError> {
        self.given.contains_key(parameter.name).then(|| self.verbatim(parameter, 0.0)).transpose()
    }

    /// Takes a whole number in the range of `parameter`.
    ///
    /// # Errors
    /// When the value is no whole number or lies outside.
    pub fn whole(&mut self, parameter: &Parameter, default: u32) -> Result<u32, PlanError> {
        let expected = parameter.values.expected();
        self.value(parameter.name, Value::from(default), &expected, |value| parameter.whole(value))
    }

    /// Takes a whole number in the range of `parameter` where the plan gives it.
    ///
    /// # Errors
    /// When the value is no whole number or lies outside.
    pub fn optional_whole(&mut self, parameter: &Parameter) -> Result<Option<u32>, PlanError> {
        self.given.contains_key(parameter.name).then(|| self.whole(parameter, 0)).transpose()
    }

    /// Takes a yes or no.
    ///
    /// # Errors
    /// When the value is neither `true` nor `false`.
    pub fn switch(&mut self, parameter: &Parameter, default: bool) -> Result<bool, PlanError> {
        let expected = parameter.values.expected();
        self.value(parameter.name, Value::from(default), &expected, Value::as_bool)
    }

    /// Takes one of the named `choices`, which are those of `parameter`.
    ///
    /// # Errors
    /// When the value is none of them.
    pub fn choice<T: Copy>(
        &mut self,
        parameter: &Parameter,
        default: &str,
        choices: &[(&str, T)],
    ) -> Result<T, PlanError> {
        let chosen = match self.given.get(parameter.name) {
            None => Some(default),
            Some(value) => value.as_str(),
        };
        let found = choices.iter().find(|(text, _)| Some(*text) == chosen);
        let (text, value) = found.ok_or_else(|| self.wrong(parameter.name, &parameter.values.expected()))?;
        self.filled.insert(parameter.name.to_owned(), Value::from(*text));
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
                    words::plan::parameter_unknown(self.mechanism),
                    if known.is_empty() {
                        words::plan::no_parameters_advice().to_owned()
                    } else {
                        words::plan::parameter_unknown_advice(known.join(", "))
                    },
                ))
            }
        }
    }

    fn wrong(&self, name: &str, expected: &str) -> PlanError {
        PlanError::at(
            path(name),
            words::plan::parameter_value(self.mechanism),
            words::plan::parameter_value_advice(expected),
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

    const ROW_NORM: Parameter = Parameter::new("row_norm", "", Values::Number(Range::above(0.0, 1.0)));
    const SHAPE: Parameter = Parameter::new("shape", "", Values::Choice(&["goe", "iid"]));

    #[test]
    fn fills_defaults_and_refuses_what_is_left_over() {
        let given = json!({"row_norm": 0.5, "shapes": "goe"});
        let mut params = Params::new("a", given.as_object().unwrap());
        assert_eq!(params.number(&ROW_NORM, 1.0), Ok(0.5));
        assert_eq!(params.choice(&SHAPE, "goe", &[("goe", 1), ("iid", 2)]), Ok(1));
        let error = params.finish().unwrap_err();
        assert_eq!(error.path, "mechanism.params.shapes");
        assert!(error.advice.contains("shape"), "{error}");
    }

    #[test]
    fn refuses_values_outside_their_range() {
        for value in [json!(0.0), json!(1.01), json!("1"), json!(null)] {
            let given = json!({ "row_norm": value });
            let mut params = Params::new("a", given.as_object().unwrap());
            assert!(params.number(&ROW_NORM, 1.0).is_err());
            assert!(params.optional(&ROW_NORM).is_err());
        }
    }

    #[test]
    fn a_number_that_need_not_be_given_stays_as_it_is() {
        let given = json!({ "row_norm": 1.0 });
        let mut params = Params::new("a", given.as_object().unwrap());
        assert_eq!(params.optional(&ROW_NORM), Ok(Some(1.0)));
        assert_eq!(params.finish().unwrap()["row_norm"], json!(1.0));
        assert_eq!(Params::new("a", &Map::new()).optional(&ROW_NORM), Ok(None));
    }
}
