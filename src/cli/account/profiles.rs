//! Privacy profiles of the Gaussian sketch and of additive Wishart noise.

use std::num::NonZeroU32;

use super::super::error::CliError;
use super::given::{Given, plain, text};
use super::{Conversion, Family};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::profile::{
    WishartNoise, additive_wishart_degrees, additive_wishart_delta, additive_wishart_epsilon,
    additive_wishart_orthogonal_delta, aw_w2_over_r2, sketch_delta, sketch_epsilon, sketch_ridge,
    sketch_rows,
};

pub const FAMILY: Family = Family {
    heading: "Gaussian sketch and additive Wishart noise (one row a person of norm at most R, scale w; the adjacency is \
              add-remove unless given)",
    conversions: &[
        Conversion {
            name: "jl_delta",
            usage: "--epsilon E --leverage L --sketch-rows R [--adjacency A]",
            about: "delta at epsilon of R rows from N(0, G + w^2 I), or their second moments; L is at most R^2/w^2",
            compute: |given| {
                text(sketch_delta(
                    given.epsilon()?,
                    given.number("leverage")?,
                    rows(given)?,
                    adjacency(given)?,
                ))
            },
        },
        Conversion {
            name: "jl_epsilon",
            usage: "--delta D --ridge W --sketch-rows R [--adjacency A]",
            about: "epsilon at delta of R rows from N(0, G + w^2 I); W is w^2/R^2",
            compute: |given| {
                text(sketch_epsilon(given.delta()?, given.number("ridge")?, rows(given)?, adjacency(given)?))
            },
        },
        Conversion {
            name: "jl_w2_over_R2",
            usage: "--epsilon E --delta D --sketch-rows R [--adjacency A]",
            about: "least w^2/R^2 that keeps epsilon and delta",
            compute: |given| {
                text(
                    sketch_ridge(given.epsilon()?, given.delta()?, rows(given)?, adjacency(given)?)
                        .map(plain),
                )
            },
        },
        Conversion {
            name: "jl_rows",
            usage: "--epsilon E --delta D --ridge W [--adjacency A]",
            about: "most rows that keep epsilon and delta with w^2/R^2 = W, at most 1000000000; 0 where none do",
            compute: |given| {
                let most =
                    sketch_rows(given.epsilon()?, given.delta()?, given.number("ridge")?, adjacency(given)?);
                text(most.map(|rows| rows.map_or(0, NonZeroU32::get)))
            },
        },
        Conversion {
            name: "additive_wishart_delta",
            usage: "--epsilon E --change B --dof K --dimension P [--adjacency A]",
            about: "delta at epsilon of G + Wishart(w^2 I, K), G of P rows; B is at most R^2/w^2; a bound under replace-one",
            compute: |given| {
                let change = given.number("change")?;
                text(additive_wishart_delta(given.epsilon()?, change, noise(given)?, adjacency(given)?))
            },
        },
        Conversion {
            name: "aw_orthogonal_delta",
            usage: "--epsilon E --change B --dof K --dimension P",
            about: "the same under replace-one for the pair of rows that is probably the worst; checked numerically, not proved",
            compute: |given| {
                let (epsilon, change) = (given.epsilon()?, given.number("change")?);
                text(additive_wishart_orthogonal_delta(epsilon, change, noise(given)?).map(plain))
            },
        },
        Conversion {
            name: "aw_epsilon",
            usage: "--delta D --change B --dof K --dimension P [--adjacency A]",
            about: "epsilon at delta of G + Wishart(w^2 I, K); B is R^2/w^2",
            compute: |given| {
                let change = given.number("change")?;
                text(additive_wishart_epsilon(given.delta()?, change, noise(given)?, adjacency(given)?))
            },
        },
        Conversion {
            name: "aw_w2_over_R2",
            usage: "--epsilon E --delta D --dof K --dimension P [--adjacency A]",
            about: "least w^2/R^2 that keeps epsilon and delta",
            compute: |given| {
                text(
                    aw_w2_over_r2(given.epsilon()?, given.delta()?, noise(given)?, adjacency(given)?)
                        .map(plain),
                )
            },
        },
        Conversion {
            name: "aw_dof",
            usage: "--epsilon E --delta D --dimension P --change B [--adjacency A]",
            about: "fewest degrees of freedom that keep epsilon and delta; B is R^2/w^2",
            compute: |given| {
                let (dimension, change) = (given.whole("dimension")?, given.number("change")?);
                let (epsilon, delta) = (given.epsilon()?, given.delta()?);
                let noise = additive_wishart_degrees(epsilon, delta, dimension, change, adjacency(given)?);
                text(noise.map(WishartNoise::degrees))
            },
        },
    ],
};

pub fn rows(given: &Given) -> Result<NonZeroU32, CliError> {
    given.value("sketch-rows", "a whole number from 1")
}

fn noise(given: &Given) -> Result<WishartNoise, CliError> {
    WishartNoise::try_new(given.whole("dof")?, given.whole("dimension")?)
        .map_err(|error| CliError::usage(error.to_string()))
}

pub fn adjacency(given: &Given) -> Result<Adjacency, CliError> {
    Ok(given.adjacency_if()?.unwrap_or(Adjacency::AddRemove))
}
