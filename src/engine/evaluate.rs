//! What a release's noise and a table's sums come to, and the same as numbers: the only place where the two meet.

use nalgebra::DMatrix;

use super::error::EngineError;
use super::guard;
use super::prepare::{Cost, Prepared};
use crate::data::encode::GUARD_BITS;
use crate::data::{Input, Moments};
use crate::inference::moments::{MomentsError, NoisyMoments};
use crate::mechanisms::newton::{self, Fitted};
use crate::mechanisms::passes::Passes;
use crate::mechanisms::{Draw, Drawn, Mechanism, Noise, repeated, reuse_cov, sub_samp};
use crate::model::{Layout, NoiseLaw};
use crate::noise::entropy::DemoRng;
use crate::release::moments::FeatureMap;

/// The text is constant, for it may come after the charge.
pub(super) const UNSETTLED: EngineError =
    EngineError::Internal("the released moments could not be evaluated");

/// What is published, and the same as numbers. It is noisy, or exact in a demonstration without noise.
pub(super) enum Evaluated {
    /// Moments.
    Moments {
        /// The integers.
        cells: Vec<i128>,
        /// Their law.
        law: Option<NoiseLaw>,
        /// What public features were multiplied by.
        map: Option<FeatureMap>,
        /// The same as numbers.
        moments: Box<NoisyMoments>,
        /// A ridge that was chosen privately, in units of R²; 0 elsewhere.
        ridge: f64,
        /// The outcomes, where the plan says that they are public.
        outcomes: Option<Outcomes>,
    },
    /// Moments of features and one outcome, for each outcome.
    Each(Vec<NoisyMoments>),
    /// Coefficients in codes.
    Coefficients(DMatrix<f64>),
    /// Where Newton steps ended, and the noise that they had.
    Fitted(Vec<Fitted>, Box<newton::Noise>),
}

/// Public outcomes, in units of R.
pub(super) enum Outcomes {
    /// The sums of their products.
    Gram(DMatrix<f64>),
    /// Themselves, a row for each record that counts.
    Rows(DMatrix<f64>),
}

impl Evaluated {
    /// What `draw` makes of the exact sums or rows.
    pub(super) fn noisy(
        prepared: &Prepared,
        cost: &Cost,
        input: Input<'_>,
        draw: impl FnOnce(&Noise) -> Option<Draw>,
    ) -> Result<Self, EngineError> {
        belong(prepared, input)?;
        match draw(&cost.noise).ok_or(UNSETTLED)? {
            Draw::Moments(Drawn { cells, law, ridge, map }) => {
                let moments =
                    NoisyMoments::from_law(&prepared.geometry, prepared.layout, &cells, &law, &prepared.plan)
                        .and_then(|moments| moments.unmapped(map.as_ref()));
                let unit = f64::from(prepared.bound.grid.radius).powi(2);
                Ok(Self::Moments {
                    moments: Box::new(whitened(prepared, moments)?),
                    cells,
                    law: Some(law),
                    map,
                    ridge: ridge / unit,
                    outcomes: public_outcomes(prepared, input),
                })
            }
            Draw::Each(Drawn { cells, law, .. }) => {
                let Noise::Repeated(noise) = &cost.noise else { return Err(UNSETTLED) };
                each(prepared, noise.each.layout, cells, Some(&law))
            }
            passed @ (Draw::Coefficients(_) | Draw::Fitted(_)) => Self::of_draw(&cost.noise, passed),
        }
    }

    /// Where passes over the rows ended.
    pub(super) fn of_draw(noise: &Noise, draw: Draw) -> Result<Self, EngineError> {
        match (noise, draw) {
            (_, Draw::Coefficients(weights)) => Ok(Self::Coefficients(weights)),
            (Noise::Newton(noise), Draw::Fitted(fits)) => Ok(Self::Fitted(fits, Box::new(noise.clone()))),
            _ => Err(UNSETTLED),
        }
    }

    /// Exact sums, with their guard digits where there are some, for a demonstration without noise.
    pub(super) fn exact(
        prepared: &Prepared,
        input: Input<'_>,
        rng: &mut DemoRng,
    ) -> Result<Self, EngineError> {
        belong(prepared, input)?;
        let (geometry, layout, radius) = (&prepared.geometry, prepared.layout, prepared.bound.grid.radius);
        if let Input::Rows(rows) = input
            && let Some(noise) = exact_passes(prepared)?
            && let Some(passes) = Passes::new(&noise)
        {
            return Self::of_draw(&noise, passes.over(rows, rng));
        }
        let summed;
        let moments: &Moments = match input {
            Input::Moments(moments) => moments,
            Input::Rows(rows) => {
                summed = sub_samp::moments(rows, layout, None);
                &summed
            }
        };
        if let Mechanism::ReuseCov(parameters) = &prepared.mechanism
            && parameters.kind == reuse_cov::Kind::EachOutcome
        {
            let own = Layout::sides(layout.features(), 1, false);
            let cells = repeated::exact(moments, own, layout.outcomes()).collect();
            return each(prepared, own, cells, None);
        }
        let cells: Vec<i128> = layout.pairs().map(|(row, column)| moments.get(row, column)).collect();
        let evaluated = if prepared.bound.guard {
            let fine = guard::fine_cells(moments, geometry);
            NoisyMoments::from_exact_cells(geometry, radius, layout, &fine, 2 * GUARD_BITS)
        } else {
            NoisyMoments::from_exact_cells(geometry, radius, layout, &cells, 0)
        };
        Ok(Self::Moments {
            moments: Box::new(whitened(prepared, evaluated)?),
            cells,
            law: None,
            map: None,
            ridge: 0.0,
            outcomes: public_outcomes(prepared, input),
        })
    }
}

/// The steps of a mechanism that passes over the rows, without noise.
fn exact_passes(prepared: &Prepared) -> Result<Option<Noise>, EngineError> {
    let Prepared { checked, bound, geometry, layout, .. } = prepared;
    let shape = (layout.features(), layout.outcomes());
    let noise = match &prepared.mechanism {
        Mechanism::Descent(parameters) => {
            parameters.descent(checked, bound, geometry, shape, None).map(Noise::Descent)
        }
        Mechanism::Newton(parameters) => {
            parameters.newton(checked, bound, geometry, shape, None).map(Noise::Newton)
        }
        _ => return Ok(None),
    };
    noise.map(Some).map_err(|_| UNSETTLED)
}

/// Moments of whitened coordinates know what they are made of.
fn whitened(
    prepared: &Prepared,
    moments: Result<NoisyMoments, MomentsError>,
) -> Result<NoisyMoments, EngineError> {
    let moments = moments.map_err(|_| UNSETTLED)?;
    match &prepared.bound.whitening {
        None => Ok(moments),
        Some(whitening) => moments.whitened(&whitening.matrix).map_err(|_| UNSETTLED),
    }
}

/// The moments of each outcome with its own copy of the features'.
fn each(
    prepared: &Prepared,
    layout: Layout,
    cells: Vec<i128>,
    law: Option<&NoiseLaw>,
) -> Result<Evaluated, EngineError> {
    let features = layout.features();
    let mut all = Vec::with_capacity(cells.len() / layout.cells().max(1));
    for (outcome, cells) in cells.chunks_exact(layout.cells().max(1)).enumerate() {
        let mut geometry = prepared.geometry.clone();
        let own = geometry.terms.get(features + outcome).cloned();
        geometry.terms.truncate(features);
        geometry.terms.extend(own);
        let moments = match law {
            Some(law) => NoisyMoments::from_law(&geometry, layout, cells, law, &prepared.plan),
            None => NoisyMoments::from_exact_cells(&geometry, prepared.bound.grid.radius, layout, cells, 0),
        };
        all.push(moments.map_err(|_| UNSETTLED)?);
    }
    Ok(Evaluated::Each(all))
}

/// The outcomes of a plan that says that they are public.
fn public_outcomes(prepared: &Prepared, input: Input<'_>) -> Option<Outcomes> {
    let Mechanism::ReuseCov(parameters) = &prepared.mechanism else { return None };
    if parameters.kind != reuse_cov::Kind::ProjectedOnOutcomes {
        return None;
    }
    let (p, l) = (prepared.layout.features(), prepared.layout.outcomes());
    let radius = f64::from(prepared.bound.grid.radius);
    Some(match input {
        Input::Moments(moments) => {
            #[expect(
                clippy::cast_precision_loss,
                reason = "rounding to the nearest double is what is wanted"
            )]
            let entry = |row, column| moments.get(p + row, p + column) as f64 / (radius * radius);
            Outcomes::Gram(DMatrix::from_fn(l, l, entry))
        }
        Input::Rows(rows) => {
            let code =
                |row, column| rows.get(row).and_then(|row: &[i32]| row.get(p + column)).copied().unwrap_or(0);
            Outcomes::Rows(DMatrix::from_fn(rows.len(), l, |row, column| {
                f64::from(code(row, column)) / radius
            }))
        }
    })
}

fn belong(prepared: &Prepared, input: Input<'_>) -> Result<(), EngineError> {
    let fits = match input {
        Input::Moments(moments) => !prepared.keeps_rows() && moments.layout() == prepared.moments_layout(),
        Input::Rows(rows) => prepared.keeps_rows() && rows.terms() == prepared.row_width(),
    };
    if fits { Ok(()) } else { Err(EngineError::Internal("the moments belong to another plan")) }
}
