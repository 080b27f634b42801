//! The numbers that `discreet account` was given, read and checked.

use std::fmt::Display;
use std::str::FromStr;

use super::super::args::Args;
use super::super::error::CliError;
use super::super::ledger::measure;
use crate::math::round::{MARGIN, raise};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::measure::{Delta, Epsilon, Mu, Rho};

/// The options of one conversion.
pub struct Given<'a>(&'a Args);

impl<'a> Given<'a> {
    pub const fn new(args: &'a Args) -> Self {
        Self(args)
    }

    pub fn epsilon_if(&self, name: &str) -> Result<Option<Epsilon>, CliError> {
        measure(self.0, name, Epsilon::try_new)
    }

    pub fn delta_if(&self, name: &str) -> Result<Option<Delta>, CliError> {
        measure(self.0, name, Delta::try_new)
    }

    pub fn mu_if(&self) -> Result<Option<Mu>, CliError> {
        measure(self.0, "mu", Mu::try_new)
    }

    pub fn rho_if(&self) -> Result<Option<Rho>, CliError> {
        measure(self.0, "rho", Rho::try_new)
    }

    pub fn epsilon(&self) -> Result<Epsilon, CliError> {
        self.epsilon_if("epsilon")?.ok_or_else(|| needs("--epsilon"))
    }

    pub fn delta(&self) -> Result<Delta, CliError> {
        self.delta_if("delta")?.ok_or_else(|| needs("--delta"))
    }

    pub fn mu(&self) -> Result<Mu, CliError> {
        self.mu_if()?.ok_or_else(|| needs("--mu"))
    }

    pub fn rho(&self) -> Result<Rho, CliError> {
        self.rho_if()?.ok_or_else(|| needs("--rho"))
    }

    /// Returns a finite number above 0, if given.
    pub fn positive_if(&self, name: &str) -> Result<Option<f64>, CliError> {
        measure(self.0, name, |value| {
            if value > 0.0 && value.is_finite() { Ok(value) } else { Err("give a finite number above 0") }
        })
    }

    /// Returns `--sensitivity`, 1 unless given.
    pub fn sensitivity(&self) -> Result<f64, CliError> {
        Ok(self.positive_if("sensitivity")?.unwrap_or(1.0))
    }

    /// Returns a finite number.
    pub fn number(&self, name: &str) -> Result<f64, CliError> {
        self.value(name, "a number")
    }

    /// Returns a whole number.
    pub fn whole<T: FromStr>(&self, name: &str) -> Result<T, CliError> {
        self.value(name, "a whole number")
    }

    /// Returns a whole number, if given.
    pub fn whole_if<T: FromStr>(&self, name: &str) -> Result<Option<T>, CliError> {
        self.0.value(name, "a whole number")
    }

    pub fn value<T: FromStr>(&self, name: &str, expected: &str) -> Result<T, CliError> {
        self.0.value(name, expected)?.ok_or_else(|| needs(&format!("--{name}, {expected}")))
    }

    /// Returns one of a few words, if given.
    pub fn word_if<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<Option<T>, CliError> {
        let Some(text) = self.0.text(name)? else { return Ok(None) };
        let found = words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        let names = words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(" or ");
        found.map(Some).ok_or_else(|| CliError::usage(format!("--{name} is `{text}`; give {names}")))
    }

    /// Returns the items between commas (or `|`), each read by `read`. `None` if the option is not given or empty.
    pub fn list<T>(
        &self,
        name: &str,
        example: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, CliError> {
        let Some(text) = self.0.text(name)?.filter(|text| !text.trim().is_empty()) else {
            return Ok(Vec::new());
        };
        let items: Option<Vec<T>> = text.split([',', '|']).map(|item| read(item.trim())).collect();
        items.ok_or_else(|| CliError::usage(format!("--{name} is `{text}`; give it in the form {example}")))
    }

    /// Returns `--adjacency`, if given.
    pub fn adjacency_if(&self) -> Result<Option<Adjacency>, CliError> {
        self.word_if("adjacency", &[Adjacency::AddRemove, Adjacency::ReplaceOne].map(|one| (one.name(), one)))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.has(name)
    }

    /// Returns μ as given, or that of noise σ on the sensitivity, rounded up.
    pub fn spent_mu(&self) -> Result<Option<Mu>, CliError> {
        match (self.mu_if()?, self.positive_if("sigma")?) {
            (Some(_), Some(_)) => Err(needs("one of --mu and --sigma")),
            (Some(mu), None) => Ok(Some(mu)),
            (None, None) => Ok(None),
            (None, Some(sigma)) => {
                let mu = Mu::try_new(raise(self.sensitivity()? / sigma, MARGIN));
                mu.map(Some).map_err(|error| CliError::usage(error.to_string()))
            }
        }
    }
}

/// Returns a text that is ε, μ or another measure.
pub fn read<T, E>(text: &str, measure: impl Fn(f64) -> Result<T, E>) -> Option<T> {
    measure(text.parse().ok()?).ok()
}

pub fn needs(what: &str) -> CliError {
    CliError::usage(format!("this conversion needs {what}"))
}

/// Returns the answer as a line, or its error as bad input.
pub fn text<T: Display, E: Display>(answer: Result<T, E>) -> Result<String, CliError> {
    answer.map(|value| value.to_string()).map_err(|error| CliError::usage(error.to_string()))
}

/// Returns the shortest decimal that reads back as the same number.
pub fn plain(value: f64) -> String {
    if value.is_normal() && !(1e-4..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}
