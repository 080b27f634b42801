//! Lower bounds on the privacy loss from counts of right guesses.

use super::super::error::CliError;
use super::given::{Given, plain, text};
use super::{Conversion, Family};
use crate::audit::estimate::{Count, Level, cp_lower, cp_upper, eps_lower, mu_lower, one_run_p};
use crate::privacy::measure::Delta;

pub const FAMILY: Family = Family {
    heading: "Audits: lower bounds on the loss from counts (A is the probability that the bound is wrong)",
    conversions: &[
        Conversion {
            name: "cp_lower",
            usage: "--hits K --trials N --alpha A",
            about: "one-sided lower confidence bound of a probability (Clopper, Pearson)",
            compute: |given| Ok(plain(cp_lower(count(given, "hits")?, level(given)?))),
        },
        Conversion {
            name: "cp_upper",
            usage: "--hits K --trials N --alpha A",
            about: "one-sided upper confidence bound",
            compute: |given| Ok(plain(cp_upper(count(given, "hits")?, level(given)?))),
        },
        Conversion {
            name: "eps_lower",
            usage: "--true-alarms K --false-alarms K --trials N --alpha A [--delta D]",
            about: "lower bound on epsilon at delta (default 0); N trials with the person and N without",
            compute: |given| {
                let delta = given.delta_if("delta")?.unwrap_or(Delta::ZERO);
                let (with, without) = (count(given, "true-alarms")?, count(given, "false-alarms")?);
                Ok(eps_lower(with, without, delta, level(given)?).to_string())
            },
        },
        Conversion {
            name: "mu_lower",
            usage: "--true-alarms K --false-alarms K --trials N --alpha A",
            about: "lower bound on mu",
            compute: |given| {
                let (with, without) = (count(given, "true-alarms")?, count(given, "false-alarms")?);
                Ok(mu_lower(with, without, level(given)?).to_string())
            },
        },
        Conversion {
            name: "one_run_p",
            usage: "--canaries M --guesses R --right V --epsilon E --delta D",
            about: "p-value of V right guesses of R in one run against epsilon and delta (Steinke, Nasr, Jagielski 2023)",
            compute: |given| {
                let [canaries, guesses, right] =
                    [given.whole("canaries")?, given.whole("guesses")?, given.whole("right")?];
                text(one_run_p(canaries, guesses, right, given.epsilon()?, given.delta()?).map(plain))
            },
        },
    ],
};

fn count(given: &Given, name: &str) -> Result<Count, CliError> {
    Count::try_new(given.whole(name)?, given.whole("trials")?)
        .map_err(|error| CliError::usage(error.to_string()))
}

fn level(given: &Given) -> Result<Level, CliError> {
    Level::try_new(given.number("alpha")?).map_err(|error| CliError::usage(error.to_string()))
}
