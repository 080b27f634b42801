//! What is done with the cross moments of many outcomes before they are solved: projections on what tables within the bounds can give
//! (theory/many-outcomes 3 and 4.1).

use std::sync::Arc;

use nalgebra::DMatrix;

use super::{Kind, Parameters};
use crate::data::Exact;
use crate::inference::moments::{CellNoise, NoisyMoments};
use crate::inference::options::{Options, Rule};
use crate::math::linalg::LinalgError;
use crate::math::projection::{Directions, feature_ball, feature_ball_of_many_outcomes, nuclear_ball};
use crate::math::round::real;
use crate::mechanisms::gaussian;
use crate::mechanisms::rounds::{Answer, Encoding, Outcomes, RoundNoise, Task, Unsettled};
use crate::mechanisms::second_moments::{Analysis, Extent};
use crate::model::Layout;
use crate::noise::entropy::Entropy;
use crate::release::moments::{FeatureMap, Shaping};
use crate::words;

/// The noise of a release whose outcomes are public: they stand beside the noisy integers.
#[derive(Debug)]
pub struct PublicOutcomes {
    noise: Arc<dyn RoundNoise>,
    layout: Layout,
    radius: f64,
}

impl PublicOutcomes {
    /// Returns the same noise, with the outcomes beside it.
    pub fn new(noise: Arc<dyn RoundNoise>, encoding: &Encoding) -> Self {
        Self { noise, layout: encoding.layout, radius: f64::from(encoding.bound.grid.radius) }
    }

    fn outcomes(&self, sums: &Exact<'_>) -> Option<Outcomes> {
        let (p, l) = (self.layout.features(), self.layout.outcomes());
        Some(match sums {
            Exact::Moments(moments) => {
                let square = self.radius * self.radius;
                let entry = |row, column| moments.get(p + row, p + column) as f64 / square;
                Outcomes::Gram(DMatrix::from_fn(l, l, entry))
            }
            Exact::Rows(rows) => {
                let code = |row, column| {
                    rows.get(row).and_then(|row: &[i32]| row.get(p + column)).copied().unwrap_or(0)
                };
                let entry = |row, column| f64::from(code(row, column)) / self.radius;
                Outcomes::Rows(DMatrix::from_fn(rows.len(), l, entry))
            }
            Exact::Cells(_) => return None,
        })
    }
}

impl RoundNoise for PublicOutcomes {
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        self.noise.draw(rng)
    }

    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, rng: &mut dyn Entropy) -> Option<Answer> {
        let answer = self.noise.answer(drawn, sums, rng)?;
        Some(Answer { outcomes: self.outcomes(sums), ..answer })
    }

    fn gaussian(&self) -> Option<&gaussian::Noise> {
        self.noise.gaussian()
    }
}

impl Analysis for Parameters {
    fn adjust(
        &self,
        task: &Task,
        moments: NoisyMoments,
        public: Option<&Outcomes>,
        extent: Option<Extent>,
        options: &mut Options,
    ) -> Result<NoisyMoments, Unsettled> {
        let Some(Extent { rows, features, outcomes, .. }) = extent else { return Ok(moments) };
        if self.kind == Kind::ProjectedOnFeatures {
            options.rule = task.checked.rows.map(|rows| Rule {
                shrink: self.shrink,
                ball: self.ball,
                rows,
                bound: outcomes,
            });
        }
        let inside = match public {
            Some(public) => Some(projected_on(public, &moments, rows, features).map_err(|_| Unsettled)?),
            None if self.nuclear && moments.cross().ncols() > 0 => {
                Some(nuclear_ball(moments.cross(), rows * features * outcomes).map_err(|_| Unsettled)?)
            }
            None => None,
        };
        let Some(inside) = inside.filter(|inside| inside != moments.cross()) else { return Ok(moments) };
        options.projected = true;
        moments.with_cross(inside).ok_or(Unsettled)
    }

    /// Returns the nuclear norm to expect of the noise, over the radius of the ball (theory/many-outcomes 4.1): p × q normal
    /// cells of variance v have p singular values of about √(q v) where q is much larger than p; where they are equal their mean
    /// is 8/(3π) of that, by the law of the quarter circle.
    fn projection(&self, layout: Layout, extent: &Extent, noise: CellNoise) -> Option<f64> {
        let variance = match noise {
            CellNoise::Goe { s: v } | CellNoise::Iid { v } | CellNoise::Cross { v } => v,
            CellNoise::Sides { cross, .. } => cross,
            CellNoise::None | CellNoise::Projection { .. } | CellNoise::Posterior { .. } => return None,
        };
        let (p, q) = (real(layout.features()), real(layout.outcomes()));
        let (least, most) = (p.min(q), p.max(q));
        let norm = least * (most * variance).sqrt() * (1.0 - 0.15 * least / most);
        let ball = extent.rows * extent.features * extent.outcomes;
        (self.nuclear && ball > 0.0).then(|| norm / ball)
    }

    fn note(&self, features: Option<&FeatureMap>) -> Option<&'static str> {
        if self.kind != Kind::ProjectedOnFeatures {
            return None;
        }
        Some(match features.map(|map| map.noise) {
            Some(Shaping::Whitened) => words::note::whitened_noise(),
            Some(Shaping::Isotropic) => words::note::isotropic_noise(),
            None => words::note::bounded_noise(),
        })
    }
}

/// Returns the noisy cross moments put back among those that some features within their bound have with the public outcomes
/// (theory/many-outcomes 3.2).
fn projected_on(
    outcomes: &Outcomes,
    moments: &NoisyMoments,
    rows: f64,
    features: f64,
) -> Result<DMatrix<f64>, LinalgError> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most 2^30")]
    let count = rows as u64;
    let noisy = moments.cross() / rows;
    let found = match outcomes {
        Outcomes::Gram(gram) => feature_ball(&Directions::try_new(&(gram / rows), count)?, &noisy, features)?,
        Outcomes::Rows(outcomes) => {
            // Rows that were skipped are zeros, and change neither the Gram matrix's directions nor the sums.
            let gram = outcomes * outcomes.transpose() / rows;
            let scaled = outcomes * (real(outcomes.nrows()) / rows).sqrt();
            feature_ball_of_many_outcomes(&Directions::try_new(&gram, count)?, &scaled, &noisy, features)?
        }
    };
    // Inside the set nothing moves, not even by rounding.
    if found.ridge > 0.0 { Ok(found.association * rows) } else { Ok(moments.cross().clone()) }
}
