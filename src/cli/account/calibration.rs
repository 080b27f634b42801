//! Budgets, sensitivities, noise scales and charges, as the ledger computes them.

use dashu_int::UBig;

use super::super::error::CliError;
use super::given::{Given, needs, plain, text};
use super::{Conversion, Family};
use crate::privacy::calibrate::{
    CalibrationError, NoiseScale, gaussian_charge, noise_scale_for, rho_charge_units, total_variation_bound,
};
use crate::privacy::compose::{Pair, delta_total, mu_b};
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::sensitivity::sensitivity_squared;

/// The options of a sensitivity.
macro_rules! records {
    ($rest:literal) => {
        concat!(
            "--adjacency add-remove|replace-one --norm-bound W [--constant C] [--max-rows-per-person K] ",
            "[--missing skip|midpoint]",
            $rest
        )
    };
}

pub const FAMILY: Family = Family {
    heading: "The ledger's own numbers (a record is C and a vector no longer than W, in whole numbers; C is 0, K is 1 and \
              missing is skip unless given)",
    conversions: &[
        Conversion {
            name: "mu_B",
            usage: "--epsilon E --delta D [--other-epsilon E] [--other-delta D]",
            about: "largest Gaussian budget mu beside an (epsilon, delta) budget; 0 if none fits",
            compute: |given| {
                let (epsilon, delta) = other(given)?;
                Ok(mu_b(given.epsilon()?, given.delta()?.get(), epsilon, delta).to_string())
            },
        },
        Conversion {
            name: "delta_total",
            usage: "--epsilon E --mu M [--other-epsilon E] [--other-delta D]",
            about: "delta at epsilon of a Gaussian and an (epsilon, delta) budget together",
            compute: |given| {
                let (epsilon, delta) = other(given)?;
                Ok(delta_total(given.epsilon()?, &Pair { mu: given.mu()?, epsilon, delta }).to_string())
            },
        },
        Conversion {
            name: "gram_sens_sq",
            usage: records!(""),
            about: "squared sensitivity of the second moments, exactly",
            compute: |given| Ok(squared(given)?.to_string()),
        },
        Conversion {
            name: "noise_scale_S",
            usage: records!(" --mu-ratio N/D"),
            about: "least noise scale S for mu = N/D in whole numbers",
            compute: |given| {
                let (numerator, denominator) = ratio(given)?;
                let scale = noise_scale_for(
                    &squared(given)?,
                    &(&numerator * &numerator),
                    &(&denominator * &denominator),
                );
                text(scale.map(NoiseScale::get))
            },
        },
        Conversion {
            name: "mu2_charge_units",
            usage: records!(" --scale S"),
            about: "charge of noise of scale S to the Gaussian budget, in units of 2^-40 of mu squared",
            compute: |given| charge(given, gaussian_charge),
        },
        Conversion {
            name: "rho_charge_units",
            usage: records!(" --scale S"),
            about: "the same as rho, in units of 2^-40",
            compute: |given| charge(given, rho_charge_units),
        },
        Conversion {
            name: "tv_bound",
            usage: "--variance V",
            about: "bound on the distance of discrete Gaussian noise from rounded continuous noise, to nearest; V from 1",
            compute: |given| {
                let variance = given.number("variance")?;
                if variance >= 1.0 {
                    Ok(plain(total_variation_bound(variance)))
                } else {
                    Err(needs("--variance from 1"))
                }
            },
        },
    ],
};

fn other(given: &Given) -> Result<(Epsilon, Delta), CliError> {
    Ok((
        given.epsilon_if("other-epsilon")?.unwrap_or(Epsilon::ZERO),
        given.delta_if("other-delta")?.unwrap_or(Delta::ZERO),
    ))
}

fn squared(given: &Given) -> Result<UBig, CliError> {
    let adjacency = given.adjacency_if()?.ok_or_else(|| needs("--adjacency"))?;
    let every_record_has_constant =
        given.word_if("missing", &[("skip", false), ("midpoint", true)])?.unwrap_or(false);
    Ok(sensitivity_squared(
        given.whole_if("constant")?.unwrap_or(0),
        given.whole("norm-bound")?,
        adjacency,
        given.whole_if("max-rows-per-person")?.unwrap_or(1),
        every_record_has_constant,
    ))
}

fn ratio(given: &Given) -> Result<(UBig, UBig), CliError> {
    let text: String = given.value("mu-ratio", "two whole numbers as N/D")?;
    let parts = text.split_once('/').and_then(|(n, d)| Some((n.parse().ok()?, d.parse().ok()?)));
    parts.filter(|(_, denominator): &(UBig, UBig)| !denominator.is_zero()).ok_or_else(|| {
        CliError::usage(format!("--mu-ratio is `{text}`; give two whole numbers as N/D, D above 0"))
    })
}

fn charge(
    given: &Given,
    units: fn(&UBig, NoiseScale) -> Result<u128, CalibrationError>,
) -> Result<String, CliError> {
    let delta_squared = squared(given)?;
    text(NoiseScale::try_new(given.whole("scale")?).and_then(|scale| units(&delta_squared, scale)))
}
