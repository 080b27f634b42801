//! Parses `--mechs gauss:2:10+lap:4:3`: the releases of a composition in one argument.

use std::str::FromStr;

use super::error::CliError;
use crate::pld::{Mechanism, Repeated};
use crate::privacy::measure::{Delta, Epsilon};

/// The form of each mechanism. The sensitivity is 1 if the form has none.
const FORMS: &str = "gauss:SIGMA:COUNT, lap:SCALE:COUNT, psg:SIGMA:RATE:COUNT, dp:EPSILON:DELTA:COUNT, \
                     dlap:A:SENSITIVITY:COUNT or dgauss:SIGMA:SENSITIVITY:COUNT";

/// Reads the list.
///
/// # Errors
/// [`CliError`] that names the part that is wrong.
pub fn parse(text: &str) -> Result<Vec<Repeated>, CliError> {
    text.split('+').map(|part| release(part.trim())).collect()
}

fn release(part: &str) -> Result<Repeated, CliError> {
    let words: Vec<&str> = part.split(':').collect();
    let read = Part(part);
    let (mechanism, count) = match *words.as_slice() {
        ["gauss", sigma, count] => (Mechanism::Gaussian { sigma: read.word("sigma", sigma)? }, count),
        ["lap", scale, count] => (Mechanism::Laplace { scale: read.word("scale", scale)? }, count),
        ["psg", sigma, rate, count] => {
            let (sigma, rate) = (read.word("sigma", sigma)?, read.word("rate", rate)?);
            (Mechanism::SubsampledGaussian { sigma, rate }, count)
        }
        ["dp", epsilon, delta, count] => {
            let epsilon = Epsilon::try_new(read.word("epsilon", epsilon)?);
            let delta = Delta::try_new(read.word("delta", delta)?);
            let (epsilon, delta) = (read.good(epsilon)?, read.good(delta)?);
            (Mechanism::Approximate { epsilon, delta }, count)
        }
        ["dlap", a, sensitivity, count] => {
            let (a, sensitivity) = (read.word("a", a)?, read.word("sensitivity", sensitivity)?);
            (Mechanism::DiscreteLaplace { a, sensitivity }, count)
        }
        ["dgauss", sigma, sensitivity, count] => {
            let (sigma, sensitivity) = (read.word("sigma", sigma)?, read.word("sensitivity", sensitivity)?);
            (Mechanism::DiscreteGaussian { sigma, sensitivity }, count)
        }
        _ => return Err(CliError::usage(format!("--mechs has `{part}`; give {FORMS}, joined by +"))),
    };
    read.good(Repeated::try_new(mechanism, read.word("count", count)?))
}

/// The part of the list that is read, for the message.
struct Part<'a>(&'a str);

impl Part<'_> {
    fn word<T: FromStr>(&self, name: &str, word: &str) -> Result<T, CliError> {
        let wrong =
            || CliError::usage(format!("--mechs has `{}`, where {name} is no number; correct it", self.0));
        word.trim().parse().map_err(|_| wrong())
    }

    fn good<T, E: std::fmt::Display>(&self, answer: Result<T, E>) -> Result<T, CliError> {
        answer.map_err(|error| CliError::usage(format!("--mechs has `{}`: {error}", self.0)))
    }
}
