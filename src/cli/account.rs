//! `discreet account`: conversions between ways to say how private something is. One number, rounded to the safe side.

use std::ffi::OsString;
use std::fmt::Display;

use super::args::Args;
use super::error::CliError;
use super::ledger::measure;
use super::{help, mechs, print};
use crate::math::round::{MARGIN, lower, raise};
use crate::pld::{Repeated, pld_delta, pld_eps};
use crate::privacy::calibrate::total_variation_bound;
use crate::privacy::compose::{Pair, delta_total, mu_b};
use crate::privacy::convert::{
    classical_gaussian_true_delta, gaussian_sigma, gdp_compose, gdp_delta, gdp_epsilon, gdp_ln_delta, gdp_mu,
    mu_from_pure, rho_from_pure, zcdp_delta, zcdp_epsilon, zcdp_rho,
};
use crate::privacy::measure::{Delta, Epsilon, Mu, Rho};

/// Runs the command.
///
/// # Errors
/// [`CliError`] for an unknown conversion or numbers that it cannot convert.
pub fn run(mut arguments: Vec<OsString>) -> Result<(), CliError> {
    if arguments.is_empty() {
        return Err(CliError::usage("name what to compute; `discreet account --help` lists it"));
    }
    let name = arguments.remove(0);
    let options = [
        "epsilon",
        "delta",
        "mu",
        "mus",
        "rho",
        "sigma",
        "sensitivity",
        "other-epsilon",
        "other-delta",
        "variance",
        "mechs",
    ];
    let args = Args::parse(arguments, &options, &[])?;
    let name = name.to_str().unwrap_or_default();
    if args.help || name == "--help" || name == "-h" {
        return print(help::ACCOUNT);
    }
    let [] = args.places([])?;
    let given = Given::new(&args)?;
    let answer = given.answer(name)?;
    print(&(answer + "\n"))
}

/// The numbers that were given.
struct Given<'a> {
    args: &'a Args,
    epsilon: Option<Epsilon>,
    delta: Option<Delta>,
    mu: Option<Mu>,
    rho: Option<Rho>,
    sigma: Option<f64>,
    sensitivity: f64,
}

impl<'a> Given<'a> {
    fn new(args: &'a Args) -> Result<Self, CliError> {
        let positive = |value: f64| {
            if value > 0.0 && value.is_finite() { Ok(value) } else { Err("give a finite number above 0") }
        };
        Ok(Self {
            args,
            epsilon: measure(args, "epsilon", Epsilon::try_new)?,
            delta: measure(args, "delta", Delta::try_new)?,
            mu: measure(args, "mu", Mu::try_new)?,
            rho: measure(args, "rho", Rho::try_new)?,
            sigma: measure(args, "sigma", positive)?,
            sensitivity: measure(args, "sensitivity", positive)?.unwrap_or(1.0),
        })
    }

    fn answer(&self, name: &str) -> Result<String, CliError> {
        match name {
            "sigma" => self.sigma(),
            "epsilon" => match (self.spent_mu()?, self.rho) {
                (Some(mu), None) => text(gdp_epsilon(mu, self.delta()?)),
                (None, Some(rho)) => text(zcdp_epsilon(rho, self.delta()?)),
                _ => Err(needs("--delta and one of --mu, --rho, --sigma")),
            },
            "delta" => match (self.spent_mu()?, self.rho) {
                (Some(mu), None) => Ok(gdp_delta(self.epsilon()?, mu).to_string()),
                (None, Some(rho)) => Ok(zcdp_delta(rho, self.epsilon()?).to_string()),
                _ => Err(needs("--epsilon and one of --mu, --rho, --sigma")),
            },
            "mu" => match (self.spent_mu()?, self.epsilon, self.delta, self.rho) {
                (Some(mu), None, None, None) => Ok(mu.to_string()),
                (None, Some(epsilon), Some(delta), None) => text(gdp_mu(epsilon, delta)),
                (None, Some(epsilon), None, None) => text(mu_from_pure(epsilon)),
                // zCDP implies no GDP, so this is what a budget allows, and it is rounded down.
                (None, None, None, Some(rho)) => {
                    text(Mu::try_new(lower((2.0 * rho.get()).sqrt(), MARGIN).max(0.0)))
                }
                _ => Err(needs("--epsilon with --delta, --epsilon alone (pure), --rho or --sigma")),
            },
            "rho" => match (self.spent_mu()?, self.epsilon, self.delta) {
                (Some(mu), None, None) => text(Rho::try_new(raise(mu.get() * mu.get() / 2.0, MARGIN))),
                (None, Some(epsilon), Some(delta)) => text(zcdp_rho(epsilon, delta)),
                (None, Some(epsilon), None) => Ok(rho_from_pure(epsilon).to_string()),
                _ => Err(needs("--epsilon with --delta, --epsilon alone (pure), --mu or --sigma")),
            },
            "gaussian_sigma" => {
                text(gaussian_sigma(self.epsilon()?, self.delta()?, self.sensitivity).map(plain))
            }
            "gdp_delta" => Ok(gdp_delta(self.epsilon()?, self.mu()?).to_string()),
            "gdp_ln_delta" => Ok(plain(gdp_ln_delta(self.epsilon()?.get(), self.mu()?.get()))),
            "gdp_eps" => text(gdp_epsilon(self.mu()?, self.delta()?)),
            "gdp_mu" => text(gdp_mu(self.epsilon()?, self.delta()?)),
            "gdp_compose" => text(gdp_epsilon(self.composed()?, self.delta()?)),
            "zcdp_delta" => Ok(zcdp_delta(self.rho()?, self.epsilon()?).to_string()),
            "zcdp_eps" => text(zcdp_epsilon(self.rho()?, self.delta()?)),
            "zcdp_rho" => text(zcdp_rho(self.epsilon()?, self.delta()?)),
            "rho_from_pure" => Ok(rho_from_pure(self.epsilon()?).to_string()),
            "mu_from_pure" => text(mu_from_pure(self.epsilon()?)),
            "classical_gaussian_true_delta" => {
                text(classical_gaussian_true_delta(self.epsilon()?, self.delta()?).map(plain))
            }
            "mu_B" => {
                let (epsilon, delta) = self.other()?;
                Ok(mu_b(self.epsilon()?, self.delta()?.get(), epsilon, delta).to_string())
            }
            "delta_total" => {
                let (epsilon, delta) = self.other()?;
                Ok(delta_total(self.epsilon()?, &Pair { mu: self.mu()?, epsilon, delta }).to_string())
            }
            "tv_bound" => {
                let variance = self.args.value::<f64>("variance", "a number from 1")?.filter(|v| *v >= 1.0);
                Ok(plain(total_variation_bound(variance.ok_or_else(|| needs("--variance, at least 1"))?)))
            }
            "pld_delta" => text(pld_delta(&self.mechs()?, self.epsilon()?)),
            "pld_eps" => text(pld_eps(&self.mechs()?, self.delta()?)),
            _ => Err(CliError::usage(format!(
                "`{name}` is no conversion; `discreet account --help` lists them"
            ))),
        }
    }

    fn sigma(&self) -> Result<String, CliError> {
        let mu = match (self.epsilon, self.delta, self.mu, self.rho) {
            (Some(epsilon), Some(delta), None, None) => {
                return text(gaussian_sigma(epsilon, delta, self.sensitivity).map(plain));
            }
            (None, None, Some(mu), None) => mu.get(),
            (None, None, None, Some(rho)) => (2.0 * rho.get()).sqrt(),
            _ => {
                return Err(needs("--epsilon with --delta, --mu or --rho, and --sensitivity if it is not 1"));
            }
        };
        if mu > 0.0 {
            Ok(plain(raise(self.sensitivity / mu, MARGIN)))
        } else {
            Err(needs("a budget above 0"))
        }
    }

    /// μ as given, or that of noise σ on the sensitivity, rounded up.
    fn spent_mu(&self) -> Result<Option<Mu>, CliError> {
        match (self.mu, self.sigma) {
            (Some(_), Some(_)) => Err(needs("one of --mu and --sigma")),
            (Some(mu), None) => Ok(Some(mu)),
            (None, None) => Ok(None),
            (None, Some(sigma)) => {
                let mu = Mu::try_new(raise(self.sensitivity / sigma, MARGIN));
                mu.map(Some).map_err(|error| CliError::usage(error.to_string()))
            }
        }
    }

    fn composed(&self) -> Result<Mu, CliError> {
        let list = self.args.needed_text("mus")?;
        let mus: Option<Vec<Mu>> =
            list.split('|').map(|mu| Mu::try_new(mu.trim().parse().ok()?).ok()).collect();
        gdp_compose(&mus.ok_or_else(|| needs("--mus as numbers between |, such as 0.2|0.3"))?)
            .map_err(|error| CliError::usage(error.to_string()))
    }

    fn other(&self) -> Result<(Epsilon, Delta), CliError> {
        Ok((
            measure(self.args, "other-epsilon", Epsilon::try_new)?.unwrap_or(Epsilon::ZERO),
            measure(self.args, "other-delta", Delta::try_new)?.unwrap_or(Delta::ZERO),
        ))
    }

    fn mechs(&self) -> Result<Vec<Repeated>, CliError> {
        mechs::parse(self.args.needed_text("mechs")?)
    }

    fn epsilon(&self) -> Result<Epsilon, CliError> {
        self.epsilon.ok_or_else(|| needs("--epsilon"))
    }

    fn delta(&self) -> Result<Delta, CliError> {
        self.delta.ok_or_else(|| needs("--delta"))
    }

    fn mu(&self) -> Result<Mu, CliError> {
        self.mu.ok_or_else(|| needs("--mu"))
    }

    fn rho(&self) -> Result<Rho, CliError> {
        self.rho.ok_or_else(|| needs("--rho"))
    }
}

fn needs(what: &str) -> CliError {
    CliError::usage(format!("this conversion needs {what}"))
}

fn text<T: Display, E: Display>(answer: Result<T, E>) -> Result<String, CliError> {
    answer.map(|value| value.to_string()).map_err(|error| CliError::usage(error.to_string()))
}

/// The shortest decimal that reads back as the same number.
fn plain(value: f64) -> String {
    if value.is_normal() && !(1e-4..1e16).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}
