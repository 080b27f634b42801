//! The mechanisms by the contract's names.
//!
//! [`TABLE`] has one row for each name. [`Mechanism::from_plan`] reads the parameters of the one that a plan names, with
//! its defaults; each has its own file, which states its guarantee, its sensitivity and what it charges.

pub mod ada_ssp;
pub mod adaptive_gauss;
pub mod additive_wishart;
pub mod analyze_gauss;
pub mod descent;
mod drawn;
pub mod gaussian;
pub mod guided;
pub mod newton;
pub mod ols;
pub mod passes;
pub mod repeated;
pub mod reuse_cov;
pub mod ridge;
pub mod shaped;
pub mod shared;
pub mod sketch;
pub mod sub_samp;
mod table;

use nalgebra::DMatrix;
use serde_json::{Map, Value};

use self::passes::Passes;
use self::shared::{Afterwards, NoiseError, Price};
use self::table::check;
pub use self::table::{Info, Reads, Scope, TABLE, find};
use crate::data::{Geometry, Input};
use crate::model::{Assurance, Layout, NoiseLaw};
use crate::noise::entropy::Entropy;
use crate::plan::bound::{BoundPlan, GridParams};
use crate::plan::public::Guide;
use crate::plan::{CheckedPlan, PlanError, Purpose};
use crate::privacy::event::Event;
use crate::release::moments::FeatureMap;

/// Most numbers of rows that are kept in memory, 4 bytes each.
const MOST_CODES: u64 = 1 << 27;

/// Most rows that are kept.
#[must_use]
pub fn most_rows(layout: Layout) -> u64 {
    MOST_CODES / (layout.terms() as u64).max(1)
}

/// Most terms of a matrix that is drawn whole: its factor takes a time that grows with their cube.
const MOST_DRAWN_TERMS: usize = 512;

/// A mechanism with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub enum Mechanism {
    /// Noisy second moments.
    AnalyzeGauss(analyze_gauss::Parameters),
    /// Noisy moments of features, and of features with many outcomes.
    ReuseCov(reuse_cov::Parameters),
    /// The same with a ridge from a private eigenvalue.
    AdaSsp(ada_ssp::Parameters),
    /// Noisy moments of the features of a sample.
    SubSamp(sub_samp::Parameters),
    /// Descent along noisy gradients.
    Descent(descent::Parameters),
    /// Ridge regression from noisy moments.
    Ridge(ridge::Parameters),
    /// Noisy Newton steps.
    Newton(newton::Parameters),
    /// Second moments and those of random rows.
    AdditiveWishart(additive_wishart::Parameters),
    /// A matrix drawn around the second moments and a ridge.
    Sketch(sketch::Parameters),
    /// Least squares without privacy.
    Ols(ols::Parameters),
}

/// The noise of one release: public, and known before any data are.
#[derive(Clone, Debug, PartialEq)]
pub enum Noise {
    /// On each cell by itself.
    Gaussian(gaussian::Noise),
    /// The same anew for each outcome.
    Repeated(repeated::Noise),
    /// The same, and on an eigenvalue.
    AdaSsp(ada_ssp::Noise),
    /// The same, the features' cells being those of a sample.
    SubSamp(sub_samp::Noise),
    /// The same, shaped by public features.
    Shaped(shaped::Noise),
    /// On gradients.
    Descent(descent::Noise),
    /// On gradients and curvatures.
    Newton(newton::Noise),
    /// Of `additive-wishart`.
    Wishart(additive_wishart::Noise),
    /// Of the projections and posterior draws.
    Sketch(sketch::Noise),
}

/// Released moments in squared codes, and the law that they were drawn from.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawn {
    /// The cells, in the order of the release's layout.
    pub cells: Vec<i128>,
    /// What a reader has to know to use them.
    pub law: NoiseLaw,
    /// A ridge that was chosen privately, in squared codes; 0 elsewhere.
    pub ridge: f64,
    /// What public features were multiplied by.
    pub map: Option<FeatureMap>,
}

/// What was drawn, from which everything that is published follows.
#[derive(Clone, Debug, PartialEq)]
pub enum Draw {
    /// Moments.
    Moments(Drawn),
    /// Moments of features and one outcome after the other, each with noise of its own.
    Each(Drawn),
    /// Coefficients in codes of an outcome per code of a predictor: one column for each outcome.
    Coefficients(DMatrix<f64>),
    /// Where Newton steps ended, for each outcome.
    Fitted(Vec<newton::Fitted>),
}

impl Draw {
    /// The moments, where all are of one matrix.
    #[must_use]
    pub fn moments(self) -> Option<Drawn> {
        if let Self::Moments(drawn) = self { Some(drawn) } else { None }
    }
}

impl Noise {
    /// What the ledger is charged for.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        match self {
            Self::Gaussian(noise) => vec![noise.event()],
            Self::Repeated(noise) => vec![noise.event()],
            Self::AdaSsp(noise) => noise.events(),
            Self::SubSamp(noise) => vec![noise.event()],
            Self::Shaped(noise) => vec![noise.gaussian.event()],
            Self::Descent(noise) => noise.event().into_iter().collect(),
            Self::Newton(noise) => noise.event().into_iter().collect(),
            Self::Wishart(noise) => vec![noise.event()],
            Self::Sketch(noise) => vec![noise.event()],
        }
    }

    /// What the proof covers.
    #[must_use]
    pub const fn assurance(&self) -> Assurance {
        match self {
            Self::Gaussian(_)
            | Self::Repeated(_)
            | Self::AdaSsp(_)
            | Self::SubSamp(_)
            | Self::Shaped(_)
            | Self::Descent(_)
            | Self::Newton(_) => Assurance::Exact,
            Self::Wishart(noise) => noise.assurance(),
            Self::Sketch(_) => Assurance::Idealised,
        }
    }

    /// The mechanism's version in a ledger's entries.
    #[must_use]
    pub const fn version(&self) -> &'static str {
        match self {
            Self::Gaussian(_) => analyze_gauss::VERSION,
            Self::Repeated(_) | Self::Shaped(_) => reuse_cov::VERSION,
            Self::AdaSsp(_) => ada_ssp::VERSION,
            Self::SubSamp(_) => sub_samp::VERSION,
            Self::Descent(_) => descent::VERSION,
            Self::Newton(_) => newton::VERSION,
            Self::Wishart(_) => additive_wishart::VERSION,
            Self::Sketch(_) => sketch::VERSION,
        }
    }

    /// The law that a release names; of an adaptive form the one with the fewest rows and the largest ridge that it can have.
    /// Nothing where no moments are released.
    #[must_use]
    pub fn law(&self) -> Option<NoiseLaw> {
        match self {
            Self::Gaussian(noise) => Some(noise.law()),
            Self::Repeated(noise) => Some(noise.each.law()),
            Self::AdaSsp(noise) => Some(noise.moments.law()),
            Self::SubSamp(noise) => Some(noise.gaussian.law()),
            Self::Shaped(noise) => Some(noise.gaussian.law()),
            Self::Descent(_) | Self::Newton(_) => None,
            Self::Wishart(noise) => Some(noise.law()),
            Self::Sketch(noise) => Some(noise.law(noise.rows, noise.most_ridge())),
        }
    }

    /// What a ledger's entry says about it beside the plan's own parameters.
    #[must_use]
    pub fn parameters(&self) -> Map<String, Value> {
        let mut parameters = Map::new();
        let mut say = |name: &str, value: String| parameters.insert(name.to_owned(), Value::from(value));
        match self {
            Self::Gaussian(noise) => {
                say("S", noise.scale.get().to_string());
            }
            Self::Repeated(noise) => {
                say("S", noise.each.scale.get().to_string());
                say("times", noise.outcomes.to_string());
            }
            Self::AdaSsp(noise) => {
                say("S", noise.moments.scale.get().to_string());
                say("S_eigenvalue", noise.eigenvalue.get().to_string());
            }
            Self::SubSamp(noise) => {
                say("S", noise.gaussian.scale.get().to_string());
            }
            Self::Shaped(noise) => {
                say("S", noise.gaussian.scale.get().to_string());
            }
            Self::Descent(descent::Noise { scale, .. }) | Self::Newton(newton::Noise { scale, .. }) => {
                if let Some(scale) = scale {
                    say("S", scale.get().to_string());
                }
            }
            Self::Wishart(noise) => {
                say("degrees", noise.degrees.to_string());
                say("scale", noise.scale.to_string());
            }
            Self::Sketch(noise) => {
                say("rows", noise.rows.to_string());
                say("most_ridge", noise.most_ridge().to_string());
            }
        }
        parameters
    }

    /// The (ε, δ) that it costs, where it is charged to the Other wallet.
    #[must_use]
    pub const fn price(&self) -> Option<&Price> {
        match self {
            Self::Gaussian(_)
            | Self::Repeated(_)
            | Self::AdaSsp(_)
            | Self::Shaped(_)
            | Self::Descent(_)
            | Self::Newton(_) => None,
            Self::SubSamp(noise) => Some(&noise.price),
            Self::Wishart(noise) => Some(&noise.price),
            Self::Sketch(noise) => Some(&noise.price),
        }
    }

    /// Its Gaussian form, where it has one.
    #[must_use]
    pub const fn gaussian(&self) -> Option<&gaussian::Noise> {
        match self {
            Self::Gaussian(noise) => Some(noise),
            Self::Shaped(noise) => Some(&noise.gaussian),
            _ => None,
        }
    }

    /// Draws the noise and gives what is released. Nothing where a step of a drawn matrix fails, whose cause may depend on the
    /// table, and for an input of another kind.
    #[must_use]
    pub fn release<E: Entropy>(&self, input: Input<'_>, rng: &mut E) -> Option<Draw> {
        let plain = |cells, law| Some(Draw::Moments(Drawn { cells, law, ridge: 0.0, map: None }));
        match (self, input) {
            (Self::SubSamp(noise), Input::Rows(rows)) => {
                plain(noise.release(rows, rng), noise.gaussian.law())
            }
            (Self::Shaped(noise), Input::Rows(rows)) => Some(Draw::Moments(noise.release(rows, rng))),
            (Self::Shaped(noise), Input::Moments(moments)) => {
                plain(gaussian::perturb(moments, &noise.gaussian, rng), noise.gaussian.law())
            }
            (Self::Descent(_) | Self::Newton(_), Input::Rows(rows)) => {
                Passes::new(self).map(|passes| passes.over(rows, rng))
            }
            (Self::SubSamp(_) | Self::Descent(_) | Self::Newton(_), Input::Moments(_)) => None,
            (Self::Gaussian(noise), Input::Rows(rows)) => {
                let moments = sub_samp::moments(rows, noise.layout, None);
                plain(gaussian::perturb(&moments, noise, rng), noise.law())
            }
            (_, Input::Rows(_)) => None,
            (Self::Gaussian(noise), Input::Moments(moments)) => {
                plain(gaussian::perturb(moments, noise, rng), noise.law())
            }
            (Self::Repeated(noise), Input::Moments(moments)) => Some(Draw::Each(Drawn {
                cells: noise.release(moments, rng),
                law: noise.each.law(),
                ridge: 0.0,
                map: None,
            })),
            (Self::AdaSsp(noise), Input::Moments(moments)) => {
                let (cells, ridge) = noise.release(moments, rng)?;
                Some(Draw::Moments(Drawn { cells, law: noise.moments.law(), ridge, map: None }))
            }
            (Self::Wishart(noise), Input::Moments(moments)) => {
                plain(noise.release(moments, rng)?, noise.law())
            }
            (Self::Sketch(noise), Input::Moments(moments)) => {
                let (cells, law) = noise.release(moments, rng)?;
                plain(cells, law)
            }
        }
    }
}

impl Mechanism {
    /// The mechanism that a plan names, and its parameters with the defaults filled in.
    ///
    /// # Errors
    /// [`PlanError`] where the name is not known or does not fit the plan, or a parameter is wrong.
    pub fn from_plan(
        plan: &CheckedPlan,
        purpose: Purpose,
    ) -> Result<(&'static Info, Self, Map<String, Value>), PlanError> {
        let name = plan.plan.mechanism.name.as_str();
        let unknown = || {
            let known: Vec<&str> = TABLE.iter().map(|info| info.name).collect();
            PlanError::at(
                "mechanism.name",
                "no mechanism has this name",
                format!("give one of {}", known.join(", ")),
            )
        };
        let info = find(name).ok_or_else(unknown)?;
        check(info, plan, purpose)?;
        match name {
            "analyze-gauss" => {
                let (parameters, filled) = analyze_gauss::Parameters::from_plan(plan)?;
                Ok((info, Self::AnalyzeGauss(parameters), filled))
            }
            "ada-ssp" => {
                let (parameters, filled) = ada_ssp::Parameters::from_plan(plan)?;
                Ok((info, Self::AdaSsp(parameters), filled))
            }
            "sub-samp-reuse-cov" => {
                let (parameters, filled) = sub_samp::Parameters::from_plan(plan)?;
                Ok((info, Self::SubSamp(parameters), filled))
            }
            "dp-gd" | "pmt-gd" => {
                let (parameters, filled) = descent::Parameters::from_plan(plan, info.takes_public())?;
                Ok((info, Self::Descent(parameters), filled))
            }
            "pmt-ridge" | "dp-ridge" => {
                let (parameters, filled) = ridge::Parameters::from_plan(plan, info.takes_public())?;
                Ok((info, Self::Ridge(parameters), filled))
            }
            "pmt-logistic" | "pmt-glm" | "dp-logistic" | "logistic" => {
                let kind = match name {
                    "pmt-logistic" => newton::Kind::Guided,
                    "pmt-glm" => newton::Kind::GuidedModel,
                    "dp-logistic" => newton::Kind::Unguided,
                    _ => newton::Kind::Reference,
                };
                let (parameters, filled) = newton::Parameters::from_plan(plan, kind)?;
                Ok((info, Self::Newton(parameters), filled))
            }
            "reuse-cov-gauss" | "reuse-cov-proj-x" | "reuse-cov-proj-y" | "naive-composition" => {
                let kind = match name {
                    "naive-composition" => reuse_cov::Kind::EachOutcome,
                    "reuse-cov-proj-x" => reuse_cov::Kind::ProjectedOnFeatures,
                    "reuse-cov-proj-y" => reuse_cov::Kind::ProjectedOnOutcomes,
                    _ => reuse_cov::Kind::Gauss,
                };
                let (parameters, filled) = reuse_cov::Parameters::from_plan(plan, kind)?;
                Ok((info, Self::ReuseCov(parameters), filled))
            }
            "additive-wishart" => {
                let (parameters, filled) = additive_wishart::Parameters::from_plan(plan)?;
                Ok((info, Self::AdditiveWishart(parameters), filled))
            }
            "jl-ridge" | "jl-ridge-adaptive" | "inverse-wishart" | "inverse-wishart-adaptive" => {
                let kind =
                    if name.starts_with("jl") { sketch::Kind::Projection } else { sketch::Kind::Posterior };
                let (parameters, filled) =
                    sketch::Parameters::from_plan(plan, kind, name.ends_with("adaptive"))?;
                Ok((info, Self::Sketch(parameters), filled))
            }
            "ols" => {
                let (parameters, filled) = ols::Parameters::from_plan(plan)?;
                Ok((info, Self::Ols(parameters), filled))
            }
            _ => Err(unknown()),
        }
    }

    /// How records become integers for it.
    #[must_use]
    pub const fn grid(&self) -> GridParams {
        match self {
            Self::AnalyzeGauss(parameters) => parameters.grid,
            Self::ReuseCov(parameters) => parameters.grid(),
            Self::AdaSsp(parameters) => parameters.grid(),
            Self::SubSamp(parameters) => parameters.grid(),
            Self::Descent(parameters) => parameters.grid(),
            Self::Ridge(parameters) => parameters.grid(),
            Self::Newton(parameters) => parameters.grid(),
            Self::AdditiveWishart(parameters) => parameters.grid,
            Self::Sketch(parameters) => parameters.grid,
            Self::Ols(_) => ols::GRID,
        }
    }

    /// What of the plan's own defaults needs the table's columns: changes how records become integers, and answers the
    /// parameters as they stand in a filled plan.
    ///
    /// # Errors
    /// [`PlanError`] where the columns do not fit the parameters.
    pub fn settle(
        &mut self,
        plan: &CheckedPlan,
        bound: &mut BoundPlan,
        guide: Option<&Guide>,
    ) -> Result<Map<String, Value>, PlanError> {
        let mut settled = Map::new();
        match self {
            Self::ReuseCov(parameters) => {
                if let Some(kappa) = parameters.settle(plan, bound)? {
                    settled.insert("kappa".to_owned(), Value::from(kappa));
                }
            }
            Self::AdaSsp(parameters) => parameters.settle(plan, bound),
            Self::SubSamp(parameters) => {
                let features = Geometry::new(bound).first_outcome(bound);
                parameters.settle(plan, bound, features)?;
            }
            Self::Descent(parameters) => settled.extend(parameters.settle(plan, bound, guide)?),
            Self::Ridge(parameters) => parameters.settle(plan, bound, guide)?,
            Self::Newton(parameters) => parameters.settle(plan, bound, guide)?,
            Self::AnalyzeGauss(_) | Self::AdditiveWishart(_) | Self::Sketch(_) | Self::Ols(_) => {}
        }
        Ok(settled)
    }

    /// What is gathered of a table: sums, of more products than are released where a projection needs them, or the rows
    /// themselves.
    ///
    /// # Errors
    /// [`PlanError`] where neither fits.
    pub fn gathers(&self, layout: Layout, rows: Option<u64>) -> Result<(Reads, Layout), PlanError> {
        let codes = rows.unwrap_or(0).saturating_mul(layout.terms() as u64);
        let (reads, summed) = match self {
            Self::SubSamp(_) => (Reads::Rows, layout),
            Self::Descent(_) | Self::Newton(_) => (Reads::RowsRepeatedly, layout),
            Self::ReuseCov(parameters) if parameters.kind == reuse_cov::Kind::ProjectedOnOutcomes => {
                reuse_cov::public_outcomes(layout, rows)?
            }
            Self::ReuseCov(parameters) if parameters.kind == reuse_cov::Kind::ProjectedOnFeatures => {
                // Too many rows are summed, and their noise is shaped by the bound on them alone.
                let kept = codes <= shaped::MOST_CODES || parameters.shaping == shaped::Choice::WHITENED;
                (if kept { Reads::Rows } else { Reads::Moments }, layout)
            }
            _ => (Reads::Moments, layout),
        };
        if reads == Reads::Rows && rows.unwrap_or(0) > most_rows(layout) {
            return Err(PlanError::at(
                "columns",
                format!("this keeps every row in memory, {codes} numbers, and {MOST_CODES} is the most"),
                "choose fewer columns, or a mechanism that needs sums alone",
            ));
        }
        Ok((reads, summed))
    }

    /// Which moments are released, of so many features with the constant and so many outcomes.
    #[must_use]
    pub fn layout(&self, features: usize, outcomes: usize) -> Layout {
        match self {
            Self::ReuseCov(parameters) => parameters.layout(features, outcomes),
            Self::Ridge(parameters) => parameters.layout(features, outcomes),
            Self::AdaSsp(_) | Self::SubSamp(_) | Self::Descent(_) | Self::Newton(_) => {
                Layout::sides(features, outcomes, false)
            }
            Self::AnalyzeGauss(_) | Self::AdditiveWishart(_) | Self::Sketch(_) | Self::Ols(_) => {
                Layout::whole(features + outcomes)
            }
        }
    }

    /// What is done with the released moments.
    #[must_use]
    pub fn afterwards(&self) -> Afterwards {
        match self {
            Self::AnalyzeGauss(parameters) => parameters.afterwards,
            Self::ReuseCov(parameters) => parameters.afterwards,
            // Its ridge is its own.
            Self::AdaSsp(parameters) => Afterwards { repair: parameters.repair, ..Afterwards::default() },
            Self::SubSamp(parameters) => parameters.afterwards,
            Self::Descent(_) | Self::Ridge(_) | Self::Newton(_) => Afterwards::default(),
            Self::AdditiveWishart(parameters) => parameters.afterwards,
            Self::Sketch(parameters) => parameters.afterwards,
            Self::Ols(_) => Afterwards::default(),
        }
    }

    /// The noise that the plan's budget buys on a grid; none where the plan asks for none.
    ///
    /// # Errors
    /// [`NoiseError`] where the budget buys none, or the parameters do not fit the table's terms.
    pub fn noise(
        &self,
        plan: &CheckedPlan,
        bound: &BoundPlan,
        geometry: &Geometry,
        layout: Layout,
    ) -> Result<Option<Noise>, NoiseError> {
        let Some(budget) = &plan.budget else { return Ok(None) };
        if let Self::AdditiveWishart(_) | Self::Sketch(_) = self
            && geometry.terms.len() > MOST_DRAWN_TERMS
        {
            return Err(NoiseError::Plan(PlanError::at(
                "columns",
                format!(
                    "the columns make {} terms, and `{}` works with {MOST_DRAWN_TERMS} at most",
                    geometry.terms.len(),
                    plan.plan.mechanism.name
                ),
                "choose fewer columns, or take `analyze-gauss`",
            )));
        }
        Ok(match self {
            Self::AnalyzeGauss(parameters) => {
                Some(Noise::Gaussian(parameters.noise(plan, geometry, budget)?))
            }
            Self::ReuseCov(parameters) => {
                let noise = parameters.noise(plan, geometry, layout, budget)?;
                Some(match parameters.kind {
                    reuse_cov::Kind::EachOutcome => {
                        Noise::Repeated(repeated::Noise { each: noise, outcomes: layout.outcomes() })
                    }
                    reuse_cov::Kind::ProjectedOnFeatures => Noise::Shaped(shaped::Noise {
                        gaussian: noise,
                        choice: parameters.shaping,
                        bound: geometry.feature_square(),
                    }),
                    reuse_cov::Kind::Gauss | reuse_cov::Kind::ProjectedOnOutcomes => Noise::Gaussian(noise),
                })
            }
            Self::AdaSsp(parameters) => {
                Some(Noise::AdaSsp(parameters.noise(plan, geometry, layout, budget)?))
            }
            Self::SubSamp(parameters) => {
                Some(Noise::SubSamp(parameters.noise(plan, geometry, layout, budget)?))
            }
            Self::Descent(parameters) => {
                let shape = (layout.features(), layout.outcomes());
                Some(Noise::Descent(parameters.descent(plan, bound, geometry, shape, Some(budget))?))
            }
            Self::Ridge(parameters) => {
                Some(Noise::Gaussian(parameters.noise(plan, geometry, layout, budget)?))
            }
            Self::Newton(parameters) => {
                let shape = (layout.features(), layout.outcomes());
                Some(Noise::Newton(parameters.newton(plan, bound, geometry, shape, Some(budget))?))
            }
            Self::AdditiveWishart(parameters) => {
                Some(Noise::Wishart(additive_wishart::Noise::calibrate(plan, geometry, parameters, budget)?))
            }
            Self::Sketch(parameters) => {
                Some(Noise::Sketch(sketch::Noise::calibrate(plan, geometry, parameters, budget)?))
            }
            Self::Ols(_) => None,
        })
    }
}
