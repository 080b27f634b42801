//! The laws of noise on released moments.

use serde::{Deserialize, Serialize};

/// The law of the noise on the moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "law", rename_all = "kebab-case", deny_unknown_fields)]
pub enum NoiseLaw {
    /// Independent discrete Gaussians on and above the diagonal.
    DiscreteGaussian {
        /// How the variance is spread.
        shape: Shape,
        /// S: the variance on the diagonal is S²; off it S²/2 (`goe`) or S² (`iid`).
        #[serde(rename = "S")]
        s: String,
    },
    /// Independent discrete Gaussians on and above the diagonal, of which products of features with outcomes have less.
    WeightedDiscreteGaussian {
        /// S: the variance on products of features with outcomes is S²/2.
        #[serde(rename = "S")]
        s: String,
        /// q: on the diagonal it is q² S², on the other cells q² S²/2.
        weight: u32,
    },
    /// The moments of random rows were added: W(scale I, dof).
    Wishart {
        /// k, the number of random rows.
        dof: u64,
        /// The variance of each entry of such a row, in squared codes: a decimal integer.
        scale: String,
    },
    /// The mean second moments of `rows` random rows with the covariance G + ridge I: W(G + ridge I, rows) / rows.
    Projection {
        /// r, the number of rows.
        rows: u64,
        /// The ridge that the exact moments had, in squared codes: a decimal integer.
        ridge: String,
    },
    /// A covariance drawn from W⁻¹(G + ridge I, dof), the posterior of the rows' covariance.
    InverseWishart {
        /// ν.
        dof: u64,
        /// The ridge that the exact moments had, in squared codes: a decimal integer.
        ridge: String,
    },
}

/// How the variance of the noise is spread over the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shape {
    /// S² on the diagonal, S²/2 off it.
    Goe,
    /// S² everywhere.
    Iid,
}
