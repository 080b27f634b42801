//! The mechanisms by the contract's names, and which of them are built.
//!
//! [`TABLE`] has one row for each name. [`Mechanism::from_plan`] reads the parameters of the one that a plan names, with
//! its defaults; a built mechanism has its own file, which states its guarantee, its sensitivity and what it charges.

pub mod ada_ssp;
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

use nalgebra::DMatrix;
use serde_json::{Map, Value};

use self::passes::Passes;
use self::shared::{Afterwards, NoiseError, Price};
use crate::data::{Geometry, Input, Layout};
use crate::noise::entropy::Entropy;
use crate::plan::bound::{BoundPlan, GridParams};
use crate::plan::document::Calibration;
use crate::plan::public::Guide;
use crate::plan::{CheckedPlan, PlanError, Purpose};
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::Budget;
use crate::privacy::event::{Assurance, Event};
use crate::release::document::NoiseLaw;
use crate::release::moments::FeatureMap;

/// What a mechanism reads of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The exact second moments.
    Moments,
    /// The encoded rows, once.
    Rows,
    /// The encoded rows, several times.
    RowsRepeatedly,
}

/// Which part of a ledger a mechanism charges (noise-and-accounting, B10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wallet {
    /// μ².
    Gaussian,
    /// ε and δ.
    Other,
    /// Nothing: it is not private.
    None,
}

/// Under which adjacency and protection a mechanism is private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Both adjacencies.
    Both,
    /// Replacing one record.
    ReplaceOne,
    /// Replacing one record, where only this part of it is protected.
    Relaxed(Protect),
}

/// One row of the contract's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The name in a plan, on the command line and in the app.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// What it reads.
    pub reads: Reads,
    /// What it charges.
    pub wallet: Wallet,
    /// Where it is private.
    pub scope: Scope,
    /// The weakest assurance that a release of it can have; the parameters can make it stronger.
    pub assurance: Assurance,
    /// Whether this version can run it.
    pub built: bool,
    /// When to prefer it, in one sentence; empty where it is not built.
    pub prefer: &'static str,
    /// Where it comes from.
    pub source: &'static str,
}

impl Info {
    /// Whether it is guided by public moments, and then cannot do without: what [`Mechanism::takes_public`] says of it.
    #[must_use]
    pub fn takes_public(&self) -> bool {
        self.name.starts_with("pmt-")
    }

    /// Whether its outcomes are yes or no, whatever its parameters.
    #[must_use]
    pub fn takes_labels(&self) -> bool {
        self.name.ends_with("-logistic")
    }
}

const fn row(
    name: &'static str,
    summary: &'static str,
    reads: Reads,
    wallet: Wallet,
    scope: Scope,
    assurance: Assurance,
    source: &'static str,
) -> Info {
    Info { name, summary, reads, wallet, scope, assurance, built: false, prefer: "", source }
}

/// Mechanisms whose paper's own scale is built.
const HAVE_PAPER: [&str; 13] = [
    "analyze-gauss",
    "reuse-cov-gauss",
    "reuse-cov-proj-x",
    "reuse-cov-proj-y",
    "sub-samp-reuse-cov",
    "jl-ridge",
    "jl-ridge-adaptive",
    "additive-wishart",
    "inverse-wishart",
    "inverse-wishart-adaptive",
    "pmt-ridge",
    "pmt-logistic",
    "dp-ridge",
];

/// Most numbers of rows that are kept in memory, 4 bytes each.
const MOST_CODES: u64 = 1 << 27;

/// Whether so many rows, as far as is publicly known, can be kept.
#[must_use]
pub fn fits_in_memory(layout: Layout, rows: Option<u64>) -> bool {
    rows.unwrap_or(0).saturating_mul(layout.terms() as u64) <= MOST_CODES
}

/// Most terms of a matrix that is drawn whole: its factor takes a time that grows with their cube.
const MOST_DRAWN_TERMS: usize = 512;

/// All names of the contract.
pub const TABLE: [Info; 21] = {
    use Assurance::{Bounded, Demo, Exact, Idealised};
    use Reads::{Moments, Rows, RowsRepeatedly};
    use Scope::{Both, Relaxed, ReplaceOne};
    use Wallet::{Gaussian, None, Other};
    [
        Info {
            built: true,
            prefer: "Prefer it in general: it has the least noise for a budget, and its proof covers the arithmetic itself.",
            ..row(
                "analyze-gauss",
                "Adds exact discrete Gaussian noise to the second moments; any regression follows from them.",
                Moments,
                Gaussian,
                Both,
                Exact,
                "Sheffet 6; noise-and-accounting, A3 to A8",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it where a table may be large enough to need no ridge, and a fixed one would shrink too much.",
            ..row(
                "ada-ssp",
                "Perturbs the moments and chooses the ridge from a private eigenvalue.",
                Moments,
                Gaussian,
                Both,
                Bounded,
                "Wang 2018; primo 1.13",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it for many outcomes on the same features: what is spent on the features is spent once for all.",
            ..row(
                "reuse-cov-gauss",
                "Shares one noisy covariance among all outcomes.",
                Moments,
                Gaussian,
                Both,
                Exact,
                "PRIMO Alg. 1; primo 1.5",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it where the features may be published: they are not protected, and the whole budget goes to the outcomes.",
            ..row(
                "reuse-cov-proj-x",
                "Projects the outcomes on the features; protects the labels alone.",
                Moments,
                Gaussian,
                Relaxed(Protect::Labels),
                Exact,
                "PRIMO Alg. 2; primo 1.7",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it for very many outcomes that may be published: they are not protected, and they take noise off.",
            ..row(
                "reuse-cov-proj-y",
                "Projects the features on the outcomes; protects the features alone.",
                Moments,
                Gaussian,
                Relaxed(Protect::Features),
                Exact,
                "PRIMO Alg. 3; primo 1.6",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it never for accuracy: the sample saves time where there are many features, and costs noise.",
            ..row(
                "sub-samp-reuse-cov",
                "Shares a covariance that was computed on a secret subsample.",
                Rows,
                Other,
                ReplaceOne,
                Exact,
                "PRIMO Alg. 4; primo 1.10",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it never for a release: it shows what sharing one covariance saves.",
            ..row(
                "naive-composition",
                "Runs one private regression per outcome and divides the budget among them.",
                Moments,
                Gaussian,
                Both,
                Exact,
                "PRIMO baseline; primo 1.3",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it to the others only to reproduce the paper: a posterior draw costs the same and is less noisy.",
            ..row(
                "jl-ridge",
                "Solves a ridge regression on a Gaussian projection of the table.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 1",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it to the plain projection from some hundred thousand rows on, where the table needs no ridge of its own.",
            ..row(
                "jl-ridge-adaptive",
                "The projection, with a ridge that is no larger than the table needs.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 2",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it where the moments must be positive definite, whatever the noise does, and the arithmetic bounded.",
            ..row(
                "additive-wishart",
                "Adds random extra rows to the table.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 3",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it for small tables, where a strong ridge is welcome and exact intervals for it are worth more than least squares.",
            ..row(
                "inverse-wishart",
                "Draws the moments from a posterior.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 4",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it to the plain posterior draw from some hundred thousand rows on, where the table needs no ridge of its own.",
            ..row(
                "inverse-wishart-adaptive",
                "Draws from a posterior whose prior is no stronger than the table needs.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 5",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it where means, spreads and correlations of other people's data are known: the noise then has the shape of the columns.",
            ..row(
                "pmt-ridge",
                "Truncates records by public moments, then fits a ridge regression.",
                Rows,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 1",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it for yes or no outcomes where the columns' moments are known from other people's data.",
            ..row(
                "pmt-logistic",
                "Truncates records by public moments, then fits a logistic regression.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 2",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it to `pmt-logistic` only where a bound on the coefficients is known, or to compare the two families.",
            ..row(
                "pmt-glm",
                "Truncates records by public moments, then fits a generalised linear model.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 3",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it to `pmt-ridge` for estimates alone: it has less noise for many features, and gives no intervals.",
            ..row(
                "pmt-gd",
                "Truncates records by public moments, then descends along noisy gradients.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 4; pmt 1.9",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it for a ridge regression with a fixed penalty where no public moments are known.",
            ..row(
                "dp-ridge",
                "Fits a ridge regression without public data.",
                Rows,
                Gaussian,
                Both,
                Exact,
                "PMT baseline; pmt 1.4",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it for yes or no outcomes where no public moments are known.",
            ..row(
                "dp-logistic",
                "Fits a logistic regression without public data.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT baseline; pmt 1.6",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it where there are too many features for second moments; it gives no intervals.",
            ..row(
                "dp-gd",
                "Descends along noisy gradients without public data.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT baseline; pmt 1.8; primo 1.12",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it never for anything that is published: it shows what the private ones aim at.",
            ..row(
                "ols",
                "Ordinary least squares without any privacy, for comparison.",
                Moments,
                None,
                Both,
                Demo,
                "closed form",
            )
        },
        Info {
            built: true,
            prefer: "Prefer it never for anything that is published: it shows what the private ones aim at.",
            ..row(
                "logistic",
                "Logistic regression without any privacy, for comparison.",
                RowsRepeatedly,
                None,
                Both,
                Demo,
                "maximum likelihood",
            )
        },
    ]
};

/// The row of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Info> {
    TABLE.iter().find(|info| info.name == name)
}

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
    /// [`PlanError`] where the name is not known or not built, does not fit the plan, or a parameter is wrong.
    pub fn from_plan(
        plan: &CheckedPlan,
        purpose: Purpose,
    ) -> Result<(&'static Info, Self, Map<String, Value>), PlanError> {
        let name = plan.plan.mechanism.name.as_str();
        let info = find(name).ok_or_else(|| {
            let known: Vec<&str> = TABLE.iter().map(|info| info.name).collect();
            PlanError::at(
                "mechanism.name",
                "no mechanism has this name",
                format!("give one of {}", known.join(", ")),
            )
        })?;
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
                let (parameters, filled) = descent::Parameters::from_plan(plan, name == "pmt-gd")?;
                Ok((info, Self::Descent(parameters), filled))
            }
            "pmt-ridge" | "dp-ridge" => {
                let (parameters, filled) = ridge::Parameters::from_plan(plan, name == "pmt-ridge")?;
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
            _ => {
                let built: Vec<String> = TABLE
                    .iter()
                    .filter(|other| {
                        other.built && (other.wallet != Wallet::None || purpose == Purpose::Simulate)
                    })
                    .map(|other| format!("`{}`", other.name))
                    .collect();
                Err(PlanError::at(
                    "mechanism.name",
                    format!("`{name}` is not built yet"),
                    format!("{} {} built", built.join(" and "), if built.len() == 1 { "is" } else { "are" }),
                ))
            }
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
        if reads == Reads::Rows && !fits_in_memory(layout, rows) {
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

    /// Whether it is guided by public moments, and then cannot do without.
    #[must_use]
    pub const fn takes_public(&self) -> bool {
        match self {
            Self::Ridge(parameters) => parameters.is_guided(),
            Self::Newton(parameters) => parameters.kind.is_guided(),
            Self::Descent(parameters) => parameters.is_guided(),
            Self::AnalyzeGauss(_)
            | Self::ReuseCov(_)
            | Self::AdaSsp(_)
            | Self::SubSamp(_)
            | Self::AdditiveWishart(_)
            | Self::Sketch(_)
            | Self::Ols(_) => false,
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

/// Whether a mechanism can run under a plan at all, built or not.
fn check(info: &Info, plan: &CheckedPlan, purpose: Purpose) -> Result<(), PlanError> {
    let name = info.name;
    if info.wallet == Wallet::None && purpose == Purpose::Release {
        return Err(PlanError::at(
            "mechanism.name",
            format!("`{name}` is not private"),
            "run it with `simulate` alone, or take `analyze-gauss`",
        ));
    }
    match info.scope {
        Scope::Both => {}
        Scope::ReplaceOne | Scope::Relaxed(_) if plan.adjacency != Adjacency::ReplaceOne => {
            return Err(PlanError::at(
                "adjacency",
                format!("`{name}` is private under replace-one alone"),
                "set `adjacency` to \"replace-one\", or take another mechanism",
            ));
        }
        Scope::Relaxed(protect) if plan.protect != protect => {
            return Err(PlanError::at(
                "protect",
                format!("`{name}` protects {protect} alone"),
                format!("set `protect` to \"{protect}\", or take another mechanism"),
            ));
        }
        Scope::ReplaceOne | Scope::Relaxed(_) => {}
    }
    if info.wallet == Wallet::Other {
        if plan.max_rows_per_person > 1 {
            return Err(PlanError::at(
                "max_rows_per_person",
                format!("the proof of `{name}` is for one row per person"),
                "set it to 1, or take a mechanism of the Gaussian wallet",
            ));
        }
        if matches!(plan.budget, Some(Budget::Mu { .. } | Budget::Rho { .. })) {
            return Err(PlanError::at(
                "budget",
                format!("`{name}` is charged in epsilon and delta"),
                "give {\"epsilon\", \"delta\"}",
            ));
        }
    }
    if plan.calibration == Calibration::Paper && !HAVE_PAPER.contains(&name) {
        return Err(PlanError::at(
            "mechanism.calibration",
            format!("the paper's own scale for `{name}` is not built yet"),
            "remove `calibration`, or set it to \"exact\"",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_has_one_row() {
        let names: BTreeSet<&str> = TABLE.iter().map(|info| info.name).collect();
        assert_eq!(names.len(), TABLE.len());
        assert!(TABLE.iter().all(|info| info.summary.ends_with('.') && !info.source.is_empty()));
        assert!(TABLE.iter().all(|info| info.built == info.prefer.ends_with('.')));
        assert_eq!(find("analyze-gauss").map(|info| info.built), Some(true));
        assert_eq!(find("analyse-gauss"), None);
    }
}
