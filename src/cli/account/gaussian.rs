//! Conversions between (ε, δ), μ, ρ and noise.

use super::super::error::CliError;
use super::given::{Given, needs, plain, read, text};
use super::{Conversion, Family};
use crate::math::round::{MARGIN, lower, raise};
use crate::privacy::convert::{
    classical_gaussian_true_delta, gaussian_sigma, gdp_compose, gdp_delta, gdp_epsilon, gdp_ln_delta, gdp_mu,
    mu_from_pure, rho_from_pure, zcdp_delta, zcdp_epsilon, zcdp_rho,
};
use crate::privacy::measure::{Mu, Rho};

pub const EVERYDAY: Family = Family {
    heading: "One measure from another",
    conversions: &[
        Conversion {
            name: "sigma",
            usage: "--epsilon E --delta D | --mu M | --rho R [--sensitivity D]",
            about: "Gaussian noise that keeps the budget; the sensitivity is 1 unless given",
            compute: sigma,
        },
        Conversion {
            name: "epsilon",
            usage: "--delta D --mu M | --rho R | --sigma S [--sensitivity D]",
            about: "epsilon at delta",
            compute: |given| match (given.spent_mu()?, given.rho_if()?) {
                (Some(mu), None) => text(gdp_epsilon(mu, given.delta()?)),
                (None, Some(rho)) => text(zcdp_epsilon(rho, given.delta()?)),
                _ => Err(needs("--delta and one of --mu, --rho, --sigma")),
            },
        },
        Conversion {
            name: "delta",
            usage: "--epsilon E --mu M | --rho R | --sigma S [--sensitivity D]",
            about: "delta at epsilon",
            compute: |given| match (given.spent_mu()?, given.rho_if()?) {
                (Some(mu), None) => Ok(gdp_delta(given.epsilon()?, mu).to_string()),
                (None, Some(rho)) => Ok(zcdp_delta(rho, given.epsilon()?).to_string()),
                _ => Err(needs("--epsilon and one of --mu, --rho, --sigma")),
            },
        },
        Conversion {
            name: "mu",
            usage: "--epsilon E [--delta D] | --rho R | --sigma S [--sensitivity D]",
            about: "mu of a budget (rounded down); of epsilon alone (a pure mechanism) or of sigma, its cost (rounded up)",
            compute: mu,
        },
        Conversion {
            name: "rho",
            usage: "--epsilon E [--delta D] | --mu M | --sigma S [--sensitivity D]",
            about: "rho of epsilon and delta (rounded down); of epsilon alone, mu or sigma, its cost (rounded up)",
            compute: rho,
        },
    ],
};

pub const NAMED: Family = Family {
    heading: "Gaussian and zero-concentrated differential privacy",
    conversions: &[
        Conversion {
            name: "gaussian_sigma",
            usage: "--epsilon E --delta D [--sensitivity D]",
            about: "least noise of the analytic Gaussian mechanism",
            compute: |given| {
                text(gaussian_sigma(given.epsilon()?, given.delta()?, given.sensitivity()?).map(plain))
            },
        },
        Conversion {
            name: "gdp_delta",
            usage: "--epsilon E --mu M",
            about: "delta at epsilon of mu-GDP",
            compute: |given| Ok(gdp_delta(given.epsilon()?, given.mu()?).to_string()),
        },
        Conversion {
            name: "gdp_ln_delta",
            usage: "--epsilon E --mu M",
            about: "its natural logarithm, rounded to nearest",
            compute: |given| Ok(plain(gdp_ln_delta(given.epsilon()?.get(), given.mu()?.get()))),
        },
        Conversion {
            name: "gdp_eps",
            usage: "--mu M --delta D",
            about: "epsilon at delta of mu-GDP",
            compute: |given| text(gdp_epsilon(given.mu()?, given.delta()?)),
        },
        Conversion {
            name: "gdp_mu",
            usage: "--epsilon E --delta D",
            about: "largest mu within epsilon and delta",
            compute: |given| text(gdp_mu(given.epsilon()?, given.delta()?)),
        },
        Conversion {
            name: "gdp_compose",
            usage: "--mus M,M,... --delta D",
            about: "epsilon at delta of Gaussian releases together",
            compute: |given| {
                let mus = given.list("mus", "0.2,0.3", |item| read(item, Mu::try_new))?;
                if mus.is_empty() {
                    return Err(needs("--mus, such as 0.2,0.3"));
                }
                let delta = given.delta()?;
                text(gdp_compose(&mus).and_then(|mu| gdp_epsilon(mu, delta)))
            },
        },
        Conversion {
            name: "zcdp_delta",
            usage: "--rho R --epsilon E",
            about: "delta at epsilon of rho-zCDP",
            compute: |given| Ok(zcdp_delta(given.rho()?, given.epsilon()?).to_string()),
        },
        Conversion {
            name: "zcdp_eps",
            usage: "--rho R --delta D",
            about: "epsilon at delta of rho-zCDP",
            compute: |given| text(zcdp_epsilon(given.rho()?, given.delta()?)),
        },
        Conversion {
            name: "zcdp_rho",
            usage: "--epsilon E --delta D",
            about: "largest rho within epsilon and delta",
            compute: |given| text(zcdp_rho(given.epsilon()?, given.delta()?)),
        },
        Conversion {
            name: "rho_from_pure",
            usage: "--epsilon E",
            about: "rho of an epsilon-DP mechanism",
            compute: |given| Ok(rho_from_pure(given.epsilon()?).to_string()),
        },
        Conversion {
            name: "mu_from_pure",
            usage: "--epsilon E",
            about: "mu of an epsilon-DP mechanism",
            compute: |given| text(mu_from_pure(given.epsilon()?)),
        },
        Conversion {
            name: "classical_gaussian_true_delta",
            usage: "--epsilon E --delta D",
            about: "true delta of the textbook's noise sqrt(2 ln(1.25/delta))/epsilon; to nearest, for comparison only",
            compute: |given| text(classical_gaussian_true_delta(given.epsilon()?, given.delta()?).map(plain)),
        },
    ],
};

fn sigma(given: &Given) -> Result<String, CliError> {
    let sensitivity = given.sensitivity()?;
    let mu = match (given.epsilon_if("epsilon")?, given.delta_if("delta")?, given.mu_if()?, given.rho_if()?) {
        (Some(epsilon), Some(delta), None, None) => {
            return text(gaussian_sigma(epsilon, delta, sensitivity).map(plain));
        }
        (None, None, Some(mu), None) => mu.get(),
        (None, None, None, Some(rho)) => (2.0 * rho.get()).sqrt(),
        _ => return Err(needs("--epsilon with --delta, --mu or --rho, and --sensitivity if it is not 1")),
    };
    if mu > 0.0 { Ok(plain(raise(sensitivity / mu, MARGIN))) } else { Err(needs("a budget above 0")) }
}

fn mu(given: &Given) -> Result<String, CliError> {
    match (given.spent_mu()?, given.epsilon_if("epsilon")?, given.delta_if("delta")?, given.rho_if()?) {
        (Some(mu), None, None, None) => Ok(mu.to_string()),
        (None, Some(epsilon), Some(delta), None) => text(gdp_mu(epsilon, delta)),
        (None, Some(epsilon), None, None) => text(mu_from_pure(epsilon)),
        // zCDP does not imply GDP, so this is the mu of a budget, and it is rounded down.
        (None, None, None, Some(rho)) => text(Mu::try_new(lower((2.0 * rho.get()).sqrt(), MARGIN).max(0.0))),
        _ => Err(needs("--epsilon with --delta, --epsilon alone (pure), --rho or --sigma")),
    }
}

fn rho(given: &Given) -> Result<String, CliError> {
    match (given.spent_mu()?, given.epsilon_if("epsilon")?, given.delta_if("delta")?) {
        (Some(mu), None, None) => text(Rho::try_new(raise(mu.get() * mu.get() / 2.0, MARGIN))),
        (None, Some(epsilon), Some(delta)) => text(zcdp_rho(epsilon, delta)),
        (None, Some(epsilon), None) => Ok(rho_from_pure(epsilon).to_string()),
        _ => Err(needs("--epsilon with --delta, --epsilon alone (pure), --mu or --sigma")),
    }
}
