//! A mechanism's parameters: their schema, and the reader that checks each against it, fills in defaults and refuses unknown
//! parameters.

use std::fmt;

use serde_json::{Map, Value};

use super::error::{PlanError, known_advice};
use crate::words;

/// A parameter of a mechanism: the values that the reader accepts, and its description for a person.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameter {
    /// The name in a plan.
    pub name: &'static str,
    /// Its name for a person.
    pub label: &'static str,
    /// Which values it takes.
    pub values: Values,
    /// Its default.
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
    /// One of these words, or a number.
    WordOrNumber(&'static [&'static str], Range),
    /// A whole number between these, both included.
    Whole(u32, u32),
    /// One of these words, or a whole number between these, both included.
    WordOrWhole(&'static [&'static str], u32, u32),
    /// A power of two between these, both included.
    PowerOfTwo(u32, u32),
    /// A number in the range for each of these parts, whose sum is at most the last number; exactly that where the switch says so.
    Shares(&'static [&'static str], Range, f64, bool),
    /// One of these.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Switch,
    /// The values that these words describe.
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
    /// The value that these words describe: it follows from the plan or the header.
    From(&'static str),
    /// No default: some plans have to give it.
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

/// How far the sum of shares may be off, for 0.1 + 0.2 is not 0.3.
const ROUNDING: f64 = 1e-9;

/// Returns the names of choices.
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
    pub const fn new(name: &'static str, label: &'static str, values: Values) -> Self {
        Self { name, label, values, default: Usual::Given, help: "", place: Place::Advanced }
    }

    /// Sets the default.
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
    pub const fn choices(&self) -> &'static [&'static str] {
        match self.values {
            Values::Choice(names) => names,
            Values::Switch => &SWITCH,
            _ => &[],
        }
    }

    /// Returns the values that it takes, and what else there is to know.
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
    pub fn number(&self, value: &Value) -> Option<f64> {
        let (Values::Number(range) | Values::WordOrNumber(_, range)) = self.values else { return None };
        value.as_f64().filter(|number| range.contains(*number))
    }

    /// Returns the whole number that `value` is, where it lies in the range.
    pub fn whole(&self, value: &Value) -> Option<u32> {
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        number.filter(|number| match self.values {
            Values::Whole(least, most) | Values::WordOrWhole(_, least, most) => {
                (least..=most).contains(number)
            }
            Values::PowerOfTwo(least, most) => number.is_power_of_two() && (least..=most).contains(number),
            _ => false,
        })
    }

    fn shares<const N: usize>(&self, value: &Value) -> Option<[f64; N]> {
        let Values::Shares(_, range, most, whole) = self.values else { return None };
        let shares: Option<Vec<f64>> = value.as_array()?.iter().map(Value::as_f64).collect();
        let shares: [f64; N] = shares?.try_into().ok()?;
        let left = most - shares.iter().sum::<f64>();
        let fits = left > -ROUNDING && !(whole && left > ROUNDING);
        (fits && shares.iter().all(|share| range.contains(*share))).then_some(shares)
    }

    /// Returns the default that the schema has, as it stands in a plan.
    fn listed_default(&self, paper: bool) -> Option<Value> {
        let text = match self.default {
            Usual::Paper(_, text) if paper => text,
            Usual::Is(text) | Usual::Paper(text, _) => text,
            Usual::From(_) | Usual::Given => return None,
        };
        Some(serde_json::from_str(text).unwrap_or_else(|_| Value::from(text)))
    }
}

impl Values {
    /// Returns the values in words.
    pub fn in_words(&self) -> String {
        match self {
            Self::Number(Range { least, most, .. }) if least.total_cmp(most).is_eq() => format!("{least}"),
            Self::Number(range) => format!("a number {range}"),
            Self::WordOrNumber(words, range) => format!("{}, or a number {range}", words.join(", ")),
            Self::Whole(least, most) => format!("a whole number from {least} to {most}"),
            Self::WordOrWhole(words, least, most) => {
                format!("{}, or a whole number from {least} to {most}", words.join(", "))
            }
            Self::PowerOfTwo(least, most) => format!("a power of two from {least} to {most}"),
            Self::Shares(parts, range, most, whole) => {
                let (count, parts) = (parts.len(), parts.join(", "));
                let sum = if *whole { "" } else { "at most " };
                format!("{count} numbers in brackets, each {range}, whose sum is {sum}{most}: {parts}")
            }
            Self::Choice([first @ .., last]) if !first.is_empty() => {
                format!("{} or {last}", first.join(", "))
            }
            Self::Choice(names) => names.concat(),
            Self::Switch => "true or false".to_owned(),
            Self::Free(words) => (*words).to_owned(),
        }
    }
}

impl Range {
    /// Returns the range from `least` to `most`, both included.
    pub const fn closed(least: f64, most: f64) -> Self {
        Self { least, has_least: true, most, has_most: true }
    }

    /// Returns the range above `least`, to `most`.
    pub const fn above(least: f64, most: f64) -> Self {
        Self { has_least: false, ..Self::closed(least, most) }
    }

    /// Returns the range above `least`, below `most`.
    pub const fn between(least: f64, most: f64) -> Self {
        Self { has_most: false, ..Self::above(least, most) }
    }

    /// Returns whether a number lies in it.
    pub fn contains(&self, number: f64) -> bool {
        (if self.has_least { number >= self.least } else { number > self.least })
            && (if self.has_most { number <= self.most } else { number < self.most })
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { least, has_least, most, has_most } = self;
        let from = if *has_least { "from" } else { "above" };
        match (has_least, has_most) {
            _ if *most >= ENDLESS => write!(f, "{from} {least}"),
            (true, true) => write!(f, "{from} {least} to {most}"),
            (_, true) => write!(f, "{from} {least}, at most {most}"),
            (_, false) => write!(f, "{from} {least}, below {most}"),
        }
    }
}

impl fmt::Display for Usual {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Is(text) | Self::From(text) => f.write_str(text),
            Self::Paper(usual, paper) => write!(f, "{usual}; {paper} with the paper's scale"),
            Self::Given => f.write_str("none"),
        }
    }
}

/// A mechanism's parameters while they are being read. A parameter is looked up by its name in the mechanism's own schema, whose range
/// and default may differ from those of the shared parameter that is asked for.
#[derive(Debug)]
pub struct Params<'a> {
    mechanism: &'a str,
    schema: &'a [Parameter],
    given: &'a Map<String, Value>,
    paper: bool,
    filled: Map<String, Value>,
}

impl<'a> Params<'a> {
    /// Starts reading the parameters that are `given` to `mechanism`, with the paper's scale where `paper`.
    pub fn new(
        mechanism: &'a str,
        schema: &'a [Parameter],
        given: &'a Map<String, Value>,
        paper: bool,
    ) -> Self {
        Self { mechanism, schema, given, paper, filled: Map::new() }
    }

    /// Takes a number in its range.
    ///
    /// # Errors
    /// When the value is no number or lies outside.
    pub fn number(&mut self, parameter: &Parameter) -> Result<f64, PlanError> {
        let value = self.value(parameter, Parameter::number)?;
        self.filled.insert(parameter.name.to_owned(), number(value));
        Ok(value)
    }

    /// Takes a number in its range and keeps it as the plan has it.
    ///
    /// # Errors
    /// When the value is no number or lies outside.
    pub fn verbatim(&mut self, parameter: &Parameter) -> Result<f64, PlanError> {
        let value = self.value(parameter, Parameter::number)?;
        if !self.given.contains_key(parameter.name) {
            self.filled.insert(parameter.name.to_owned(), Value::from(value));
        }
        Ok(value)
    }

    /// Takes a number in its range where the plan gives it.
    ///
    /// # Errors
    /// When the value is no number or lies outside.
    pub fn optional(&mut self, parameter: &Parameter) -> Result<Option<f64>, PlanError> {
        self.given.contains_key(parameter.name).then(|| self.verbatim(parameter)).transpose()
    }

    /// Takes a whole number in its range.
    ///
    /// # Errors
    /// When the value is no whole number or lies outside.
    pub fn whole(&mut self, parameter: &Parameter) -> Result<u32, PlanError> {
        self.value(parameter, Parameter::whole)
    }

    /// Takes a whole number in its range; without being given it is `default`, which the schema does not know.
    ///
    /// # Errors
    /// When the value is no whole number or lies outside.
    pub fn whole_or(&mut self, parameter: &Parameter, default: u32) -> Result<u32, PlanError> {
        self.value_or(parameter, Value::from(default), Parameter::whole)
    }

    /// Takes a whole number in its range where the plan gives it.
    ///
    /// # Errors
    /// When the value is no whole number or lies outside.
    pub fn optional_whole(&mut self, parameter: &Parameter) -> Result<Option<u32>, PlanError> {
        self.given.contains_key(parameter.name).then(|| self.whole(parameter)).transpose()
    }

    /// Takes the shares of `N` parts.
    ///
    /// # Errors
    /// When there are not as many numbers, one lies outside its range, or their sum is not what it has to be.
    pub fn shares<const N: usize>(&mut self, parameter: &Parameter) -> Result<[f64; N], PlanError> {
        self.value(parameter, Parameter::shares)
    }

    /// Takes the shares of `N` parts; without being given they are `default`, which the schema has in words.
    ///
    /// # Errors
    /// As [`Self::shares`].
    pub fn shares_or<const N: usize>(
        &mut self,
        parameter: &Parameter,
        default: [f64; N],
    ) -> Result<[f64; N], PlanError> {
        self.value_or(parameter, Value::from(default.to_vec()), Parameter::shares)
    }

    /// Takes a yes or no.
    ///
    /// # Errors
    /// When the value is neither `true` nor `false`.
    pub fn switch(&mut self, parameter: &Parameter) -> Result<bool, PlanError> {
        self.value(parameter, |_, value| value.as_bool())
    }

    /// Takes one of the named `choices`, which are those of `parameter`.
    ///
    /// # Errors
    /// When the value is none of them.
    pub fn choice<T: Copy>(&mut self, parameter: &Parameter, choices: &[(&str, T)]) -> Result<T, PlanError> {
        self.value(parameter, |_, value| {
            choices.iter().find(|(text, _)| value.as_str() == Some(text)).map(|(_, value)| *value)
        })
    }

    /// Takes the raw value through `read`, which returns nothing where the value does not fit.
    ///
    /// # Errors
    /// When the value does not fit, and where a parameter without a default is missing.
    pub fn value<T>(
        &mut self,
        parameter: &Parameter,
        read: impl Fn(&Parameter, &Value) -> Option<T>,
    ) -> Result<T, PlanError> {
        let own = self.own(parameter);
        match self.given.get(own.name).cloned().or_else(|| own.listed_default(self.paper)) {
            Some(value) => self.take(&own, value, read),
            None => Err(PlanError::at(
                path(own.name),
                words::plan::parameter_missing(self.mechanism),
                words::plan::parameter_value_advice(own.values.in_words()),
            )),
        }
    }

    /// Takes the raw value through `read` as [`Self::value`] does; without a value it is `default`, which the schema does not
    /// know.
    ///
    /// # Errors
    /// When the value does not fit.
    pub fn value_or<T>(
        &mut self,
        parameter: &Parameter,
        default: Value,
        read: impl Fn(&Parameter, &Value) -> Option<T>,
    ) -> Result<T, PlanError> {
        let own = self.own(parameter);
        let value = self.given.get(own.name).cloned();
        let value = value.or_else(|| own.listed_default(self.paper)).unwrap_or(default);
        self.take(&own, value, read)
    }

    fn take<T>(
        &mut self,
        own: &Parameter,
        value: Value,
        read: impl Fn(&Parameter, &Value) -> Option<T>,
    ) -> Result<T, PlanError> {
        let read = read(own, &value).ok_or_else(|| {
            PlanError::at(
                path(own.name),
                words::plan::parameter_value(own.name, self.mechanism),
                words::plan::parameter_value_advice(own.values.in_words()),
            )
        })?;
        self.filled.insert(own.name.to_owned(), value);
        Ok(read)
    }

    /// Returns the mechanism's own form of a shared parameter.
    fn own(&self, parameter: &Parameter) -> Parameter {
        *self.schema.iter().find(|own| own.name == parameter.name).unwrap_or(parameter)
    }

    /// Returns all parameters with their defaults filled in.
    ///
    /// # Errors
    /// When the plan gives a parameter that the mechanism does not have.
    pub fn finish(self) -> Result<Map<String, Value>, PlanError> {
        match self.given.keys().find(|name| !self.filled.contains_key(*name)) {
            None => Ok(self.filled),
            Some(name) => {
                let shown = self.schema.iter().filter(|one| one.place != Place::Hidden);
                let known: Vec<&str> = shown.map(|one| one.name).collect();
                Err(PlanError::at(
                    path(name),
                    words::plan::parameter_unknown(self.mechanism),
                    if known.is_empty() {
                        words::plan::no_parameters_advice().to_owned()
                    } else {
                        known_advice(name, &known, words::plan::parameter_unknown_advice)
                    },
                ))
            }
        }
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

    const ROW_NORM: Parameter =
        Parameter::new("row_norm", "", Values::Number(Range::above(0.0, 1.0))).usual(Usual::Is("1"));
    const SHAPE: Parameter =
        Parameter::new("shape", "", Values::Choice(&["goe", "iid"])).usual(Usual::Paper("goe", "iid"));
    const SCHEMA: [Parameter; 2] = [ROW_NORM, SHAPE];

    fn params(given: &Value) -> Params<'_> {
        Params::new("a", &SCHEMA, given.as_object().unwrap(), false)
    }

    #[test]
    fn fills_defaults_and_refuses_what_is_left_over() {
        let given = json!({"row_norm": 0.5, "shapes": "goe"});
        let mut params = params(&given);
        assert_eq!(params.number(&ROW_NORM), Ok(0.5));
        assert_eq!(params.choice(&SHAPE, &[("goe", 1), ("iid", 2)]), Ok(1));
        let error = params.finish().unwrap_err();
        assert_eq!(error.path, "mechanism.params.shapes");
        assert!(error.advice.contains("shape"), "{error}");
    }

    #[test]
    fn a_default_is_that_of_the_schema() {
        let given = Map::new();
        let mut params = Params::new("a", &SCHEMA, &given, true);
        assert_eq!(params.choice(&SHAPE, &[("goe", 1), ("iid", 2)]), Ok(2));
        let shared = ROW_NORM.usual(Usual::Is("0.25"));
        assert_eq!(params.number(&shared), Ok(1.0), "the mechanism's own entry counts");
        assert_eq!(params.finish().unwrap(), *json!({"row_norm": 1, "shape": "iid"}).as_object().unwrap());
        let needed = [Parameter { default: Usual::Given, ..SHAPE }];
        let error = Params::new("a", &needed, &given, false).choice(&SHAPE, &[("goe", 1)]).unwrap_err();
        assert_eq!(error.path, "mechanism.params.shape");
    }

    #[test]
    fn refuses_values_outside_their_range() {
        for value in [json!(0.0), json!(1.01), json!("1"), json!(null)] {
            let given = json!({ "row_norm": value });
            assert!(params(&given).number(&ROW_NORM).is_err());
            assert!(params(&given).optional(&ROW_NORM).is_err());
        }
    }

    #[test]
    fn shares_are_as_many_as_there_are_parts_and_keep_their_sum() {
        let parts = |whole| {
            Parameter::new("split", "", Values::Shares(&["a", "b", "c"], Range::above(0.0, 1.0), 1.0, whole))
        };
        for (value, whole, taken) in [
            (json!([0.1, 0.2, 0.7]), true, true),
            (json!([0.1, 0.2, 0.6]), true, false),
            (json!([0.1, 0.2, 0.6]), false, true),
            (json!([0.1, 0.2, 0.8]), false, false),
            (json!([0.0, 0.3, 0.7]), true, false),
            (json!([0.3, 0.7]), true, false),
            (json!(0.5), true, false),
        ] {
            let given = json!({ "split": value });
            assert_eq!(params(&given).shares::<3>(&parts(whole)).is_ok(), taken, "{given} {whole}");
        }
    }

    #[test]
    fn a_number_that_need_not_be_given_stays_as_it_is() {
        let given = json!({ "row_norm": 1.0 });
        let mut read = params(&given);
        assert_eq!(read.optional(&ROW_NORM), Ok(Some(1.0)));
        assert_eq!(read.finish().unwrap()["row_norm"], json!(1.0));
        assert_eq!(params(&json!({})).optional(&ROW_NORM), Ok(None));
    }
}
