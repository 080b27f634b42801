//! Noise scales as printed in Sheffet 2019, and their actual cost.

use super::given::{plain, text};
use super::profiles::{adjacency, rows};
use super::{Conversion, Family};
use crate::privacy::profile::paper::{
    adaptive_eigenvalue_rule, adaptive_ridge, adaptive_rows, analyze_gauss_sigma, debiasing, degrees,
    eigenvalue_rule, ridge, upper_triangle_epsilon,
};

pub const FAMILY: Family = Family {
    heading: "Sheffet's paper (replace-one, R = 1): the printed scales; jl_epsilon, aw_epsilon and upper_triangle_epsilon \
              compute their actual cost",
    conversions: &[
        Conversion {
            name: "paper_w2_over_R2",
            usage: "--epsilon E --delta D --sketch-rows R",
            about: "w^2/R^2 of theorems 3.1 and 5.1",
            compute: |given| text(ridge(given.epsilon()?, given.delta()?, rows(given)?).map(plain)),
        },
        Conversion {
            name: "paper_adaptive_w2_over_R2",
            usage: "--epsilon E --delta D --sketch-rows R",
            about: "w^2/R^2 of algorithms 2 and 5, before the private eigenvalue is taken off",
            compute: |given| text(adaptive_ridge(given.epsilon()?, given.delta()?, rows(given)?).map(plain)),
        },
        Conversion {
            name: "paper_rows",
            usage: "--epsilon E --delta D --eigenvalue V",
            about: "most rows of algorithms 2 and 5 for that private eigenvalue, at most 1000000000; 0 where none do",
            compute: |given| {
                let eigenvalue = given.number("eigenvalue")?;
                let most = adaptive_rows(given.epsilon()?, given.delta()?, eigenvalue);
                text(most.map(|rows| rows.map_or(0, std::num::NonZeroU32::get)))
            },
        },
        Conversion {
            name: "paper_shift",
            usage: "--epsilon E --delta D",
            about: "shift that algorithms 2 and 5 subtract from the least eigenvalue; its Laplace noise has scale 2/E",
            compute: |given| {
                text(adaptive_eigenvalue_rule(given.epsilon()?, given.delta()?).map(|rule| plain(rule.shift)))
            },
        },
        Conversion {
            name: "eigenvalue_shift",
            usage: "--epsilon E --delta D",
            about: "shift that is needed if E and D are for this step alone; the noise has scale 1/E",
            compute: |given| {
                text(eigenvalue_rule(given.epsilon()?, given.delta()?).map(|rule| plain(rule.shift)))
            },
        },
        Conversion {
            name: "paper_dof",
            usage: "--epsilon E --delta D --dimension P",
            about: "degrees of freedom of theorem 4.1, for scale R^2",
            compute: |given| text(degrees(given.epsilon()?, given.delta()?, given.whole("dimension")?)),
        },
        Conversion {
            name: "paper_debiasing",
            usage: "--dof K --dimension P --delta D",
            about: "shift of the diagonal, in units of the scale, at which the matrix fails to be positive with probability D/2",
            compute: |given| {
                let (degrees, dimension) = (given.whole("dof")?, given.whole("dimension")?);
                text(debiasing(degrees, dimension, given.delta()?).map(|shifts| plain(shifts.cautious)))
            },
        },
        Conversion {
            name: "paper_sigma",
            usage: "--epsilon E --delta D",
            about: "sigma/R^2 of Analyze Gauss as the paper means it, in each cell on and above the diagonal",
            compute: |given| text(analyze_gauss_sigma(given.epsilon()?, given.delta()?).map(plain)),
        },
        Conversion {
            name: "upper_triangle_epsilon",
            usage: "--delta D --sigma S [--adjacency A]",
            about: "epsilon at delta of such noise; S is sigma/R^2",
            compute: |given| {
                text(upper_triangle_epsilon(given.number("sigma")?, given.delta()?, adjacency(given)?))
            },
        },
    ],
};
