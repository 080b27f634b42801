//! Noise scales as the PRIMO paper prints them, and their actual cost.

use super::super::error::CliError;
use super::given::{plain, text};
use super::{Conversion, Family};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::profile::paper::primo::{Scales, constant, subsampled_covariance_epsilon};
use crate::privacy::subsampling::FixedSize;

pub const FAMILY: Family = Family {
    heading: "PRIMO, one covariance for many outcomes (rows of X of norm at most 1, rows of Y of norm at most 1; \
              replace-one unless given)",
    conversions: &[
        Conversion {
            name: "c_paper",
            usage: "--epsilon E --delta D",
            about: "the paper's noise over sensitivity, sqrt(2 (1/E + ln(1/D)/E^2)); gaussian_sigma computes the scale that is needed",
            compute: |given| text(constant(given.epsilon()?, given.delta()?).map(plain)),
        },
        Conversion {
            name: "reuse_cov_epsilon",
            usage: "--delta D --covariance S --association T [--adjacency A]",
            about: "epsilon at delta of X'X with normal noise S and X'Y with normal noise T, together",
            compute: |given| {
                let (covariance, association) = (given.number("covariance")?, given.number("association")?);
                let adjacency = given.adjacency_if()?.unwrap_or(Adjacency::ReplaceOne);
                text(Scales { covariance, association }.epsilon(given.delta()?, adjacency))
            },
        },
        Conversion {
            name: "subsampled_cov_epsilon",
            usage: "--delta D --sigma S --sample M --rows N",
            about: "epsilon at delta of X'X of a secret sample, M out of N rows, with normal noise S on the sample's sum; replace-one",
            compute: |given| {
                let sampling = FixedSize::try_new(given.whole("sample")?, given.whole("rows")?)
                    .map_err(|error| CliError::usage(error.to_string()))?;
                text(subsampled_covariance_epsilon(given.number("sigma")?, given.delta()?, sampling))
            },
        },
    ],
};
