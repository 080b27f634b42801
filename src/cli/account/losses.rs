//! Numerical composition of privacy-loss distributions.

use super::super::error::CliError;
use super::super::mechs;
use super::given::{Given, text};
use super::{Conversion, Family};
use crate::pld::{Repeated, pld_delta, pld_eps};

pub const FAMILY: Family = Family {
    heading: "Many releases together, computed numerically; for display, never used by a ledger (--mechs gauss:SIGMA:COUNT lap:SCALE:COUNT \
              psg:SIGMA:RATE:COUNT dp:EPSILON:DELTA:COUNT dlap:A:SENSITIVITY:COUNT dgauss:SIGMA:SENSITIVITY:COUNT, \
              joined by +)",
    conversions: &[
        Conversion {
            name: "pld_delta",
            usage: "--mechs gauss:2:10+lap:4:3 --epsilon E",
            about: "delta at epsilon of the composition",
            compute: |given| text(pld_delta(&releases(given)?, given.epsilon()?)),
        },
        Conversion {
            name: "pld_eps",
            usage: "--mechs gauss:2:10+lap:4:3 --delta D",
            about: "epsilon at delta of the composition",
            compute: |given| text(pld_eps(&releases(given)?, given.delta()?)),
        },
    ],
};

fn releases(given: &Given) -> Result<Vec<Repeated>, CliError> {
    mechs::parse(&given.value::<String>("mechs", "such as gauss:2:10+lap:4:3")?)
}
