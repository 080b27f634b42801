//! Amplification by subsampling. The options decide which theorem applies.

use super::super::error::CliError;
use super::given::{Given, needs};
use super::{Conversion, Family};
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::subsampling::{AddRemoveDp, Direction, FixedSize, Poisson, ReplaceOneDp};

pub const FAMILY: Family = Family {
    heading: "A secret random sample of the rows (--rate Q: each with chance Q, under add-remove; --sample M --rows N: M out \
              of N, under replace-one)",
    conversions: &[
        Conversion {
            name: "amplified_eps",
            usage: "--epsilon E --rate Q | --sample M --rows N",
            about: "epsilon of a release from a sample that is E-DP for the rows that it sees",
            compute: |given| Ok(amplified(given, given.epsilon()?, Delta::ZERO)?.0.to_string()),
        },
        Conversion {
            name: "amplified_delta",
            usage: "--delta D --rate Q | --sample M --rows N",
            about: "delta that belongs to amplified_eps",
            compute: |given| Ok(amplified(given, Epsilon::ZERO, given.delta()?)?.1.to_string()),
        },
        Conversion {
            name: "poisson_gaussian_delta",
            usage: "--epsilon E --rate Q --mu M | --sigma S [--sensitivity D] [--direction remove|add]",
            about: "delta at epsilon of one Gaussian release from such a sample, under add-remove; of both directions, the \
                    larger, unless one is named",
            compute: |given| {
                let sampling = poisson(given)?;
                let mu = given.spent_mu()?.ok_or_else(|| needs("--mu or --sigma"))?;
                let (epsilon, remove, add) = (given.epsilon()?, Direction::Remove, Direction::Add);
                let at = |direction| sampling.gaussian_delta(direction, epsilon, mu);
                let delta = match given.word_if("direction", &[("remove", remove), ("add", add)])? {
                    Some(direction) => at(direction),
                    None => {
                        if at(add) > at(remove) {
                            at(add)
                        } else {
                            at(remove)
                        }
                    }
                };
                Ok(delta.to_string())
            },
        },
    ],
};

fn poisson(given: &Given) -> Result<Poisson, CliError> {
    Poisson::try_new(given.number("rate")?).map_err(|error| CliError::usage(error.to_string()))
}

fn amplified(given: &Given, epsilon: Epsilon, delta: Delta) -> Result<(Epsilon, Delta), CliError> {
    match (given.has("rate"), given.has("sample"), given.has("rows")) {
        (true, false, false) => {
            let AddRemoveDp { epsilon, delta } = poisson(given)?.amplify(AddRemoveDp { epsilon, delta });
            Ok((epsilon, delta))
        }
        (false, true, true) => {
            let sampling = FixedSize::try_new(given.whole("sample")?, given.whole("rows")?)
                .map_err(|error| CliError::usage(error.to_string()))?;
            let ReplaceOneDp { epsilon, delta } = sampling.amplify(ReplaceOneDp { epsilon, delta });
            Ok((epsilon, delta))
        }
        _ => Err(needs("--rate (Poisson, add-remove), or --sample and --rows (fixed size, replace-one)")),
    }
}
