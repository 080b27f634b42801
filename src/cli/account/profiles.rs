//! Exact curves of the sketch and of the additive Wishart mechanism.

use std::num::NonZeroU32;

use super::super::error::CliError;
use super::given::{Given, plain, text};
use super::{Conversion, Family};
use crate::privacy::profile::{WishartNoise, additive_wishart_delta, aw_w2_over_r2, jl_delta, jl_w2_over_r2};

pub const FAMILY: Family = Family {
    heading: "Gaussian sketch and additive Wishart noise (add-remove, one row a person of norm at most R, scale w)",
    conversions: &[
        Conversion {
            name: "jl_delta",
            usage: "--epsilon E --leverage L --sketch-rows R",
            about: "delta at epsilon of R rows from N(0, G + w^2 I), or their second moments; L is at most R^2/w^2",
            compute: |given| text(jl_delta(given.epsilon()?, given.number("leverage")?, rows(given)?)),
        },
        Conversion {
            name: "jl_w2_over_R2",
            usage: "--epsilon E --delta D --sketch-rows R",
            about: "least w^2/R^2 that keeps epsilon and delta",
            compute: |given| text(jl_w2_over_r2(given.epsilon()?, given.delta()?, rows(given)?).map(plain)),
        },
        Conversion {
            name: "additive_wishart_delta",
            usage: "--epsilon E --change B --dof K --dimension P",
            about: "delta at epsilon of G + Wishart(w^2 I, K), G of P rows; B is at most R^2/w^2",
            compute: |given| {
                text(additive_wishart_delta(given.epsilon()?, given.number("change")?, noise(given)?))
            },
        },
        Conversion {
            name: "aw_w2_over_R2",
            usage: "--epsilon E --delta D --dof K --dimension P",
            about: "least w^2/R^2 that keeps epsilon and delta",
            compute: |given| text(aw_w2_over_r2(given.epsilon()?, given.delta()?, noise(given)?).map(plain)),
        },
    ],
};

fn rows(given: &Given) -> Result<NonZeroU32, CliError> {
    given.value("sketch-rows", "a whole number from 1")
}

fn noise(given: &Given) -> Result<WishartNoise, CliError> {
    WishartNoise::try_new(given.whole("dof")?, given.whole("dimension")?)
        .map_err(|error| CliError::usage(error.to_string()))
}
