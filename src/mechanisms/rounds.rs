//! A release as rounds. Every round is a bounded sum with noise, and what follows from all noisy answers is post-processing.
//!
//! [`Rounds`] is fixed before a record is read. [`Run`] is where a release stands between two rounds: it knows public numbers and the
//! noisy answers so far, so every thread that reads the table can have one of its own. The engine draws the noise of a round
//! before it reads the table for it.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::gaussian;
use super::info::Info;
use crate::data::moments::MomentsError;
use crate::data::{EncodedRows, Exact, Geometry, MAX_CELLS, MAX_TERMS, Moments, Statistic};
use crate::inference::forecast::TermForecast;
use crate::inference::moments::CellNoise;
use crate::inference::noise_forecast::NoiseForecast;
use crate::inference::preflight::Family;
use crate::model::{Layout, NoiseLaw};
use crate::noise::entropy::Entropy;
use crate::plan::bound::{BoundPlan, GridParams, Levels};
use crate::plan::params::Params;
use crate::plan::{CheckedPlan, PlanError};
use crate::release::bounds::EstimatedBounds;
use crate::release::document::{Coefficients, Diagnostics};
use crate::release::moments::{FeatureMap, ReleasedMoments};
use crate::release::steps::LogisticSteps;
use serde_json::{Map, Value};

use super::shared::NoiseError;
pub use super::shared::{Charge, PostProcessing};

/// The most codes that encoded rows may have in memory, 4 bytes each.
const MOST_CODES: u64 = 1 << 27;

/// Returns the largest number of rows with this many terms that is kept in memory.
pub fn most_rows(terms: usize) -> u64 {
    MOST_CODES / (terms as u64).max(1)
}

/// A way to release regressions. Each is registered once, in [`super::REGISTRY`].
#[derive(Debug)]
pub struct Mechanism {
    /// All that does not depend on a plan.
    pub info: &'static Info,
    /// Reads every parameter. Refuses a parameter out of range, and a plan that does not fit the mechanism, as far as that is
    /// known without a header.
    pub configure: Configure,
}

/// How a mechanism reads its parameters under a plan.
pub type Configure = fn(&CheckedPlan, &mut Params<'_>) -> Result<Box<dyn Configured>, PlanError>;

/// A mechanism with its parameters under one plan: public and immutable.
pub trait Configured: Debug + Send + Sync {
    /// Returns the grid on which the columns are found. [`Self::resolve`] may give the outcomes another length than the features.
    fn grid(&self) -> GridParams;

    /// Returns how levels are coded. The default is around their centre; mechanisms that compute centres themselves, or have
    /// none, override it.
    fn levels(&self) -> Levels {
        Levels::Centred
    }

    /// Fixes encoding, noise and cost. `bound` has the plan's columns, and public moments for a mechanism that takes them.
    ///
    /// # Errors
    /// [`NoiseError`] if the mechanism cannot run on these columns, or the budget is too small for them.
    fn resolve(&self, plan: &CheckedPlan, bound: BoundPlan) -> Result<Resolved, NoiseError>;
}

/// A mechanism under one plan and one header: public and immutable.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The parameters that follow from the header, as a filled plan states them.
    pub parameters: Map<String, Value>,
    /// How a record becomes integers.
    pub encoding: Encoding,
    /// The charge to the ledger. `None` if there is no noise.
    pub charge: Option<Charge>,
    /// The law of the noise that a release names. For an adaptive form it has the fewest rows and the largest ridge that are
    /// possible. `None` if no moments are released, or if no forecast follows from the law.
    pub law: Option<NoiseLaw>,
    /// What is done with the released moments.
    pub post_processing: PostProcessing,
    /// The rounds.
    pub rounds: Arc<dyn Rounds>,
}

impl Resolved {
    /// Returns rounds without post-processing, without a named law of the noise, and without parameters that follow from the
    /// header.
    pub fn new(encoding: Encoding, charge: Option<Charge>, rounds: Arc<dyn Rounds>) -> Self {
        let post_processing = PostProcessing::default();
        Self { parameters: Map::new(), encoding, charge, law: None, post_processing, rounds }
    }
}

/// How records become integers, and what is released of their sums.
#[derive(Clone, Debug)]
pub struct Encoding {
    /// Columns, dialect and grid.
    pub bound: BoundPlan,
    /// The grid and the terms.
    pub geometry: Geometry,
    /// Which moments are released, or the sides of a record where none are.
    pub layout: Layout,
}

/// The rounds of a release: public, and fixed before a record is read.
pub trait Rounds: Any + Debug + Send + Sync {
    /// Returns how many rounds there are at most.
    fn count(&self) -> u32 {
        1
    }

    /// Starts before the first round.
    fn start(self: Arc<Self>) -> Box<dyn Run>;

    /// Returns the noise on second moments, where it is one Gaussian for each cell.
    fn gaussian(&self) -> Option<&gaussian::Noise> {
        None
    }

    /// Returns the kind of fit, from which a forecast with public moments predicts whether it will be stable.
    fn family(&self, _: &Task) -> Option<Family> {
        None
    }

    /// Returns whether standard errors allow for rows of one person that are alike.
    fn takes_rows_together(&self) -> bool {
        false
    }

    /// Forecasts the noise with `rows` rows and the budget μ for all rounds together. `None` unless the rounds find their own
    /// coordinates.
    fn noise_forecast(&self, _: &Task, _rows: f64, _mu: f64) -> Option<NoiseForecast> {
        None
    }

    /// Forecasts the noise on the products of features with outcomes with `rows` rows, as a share of the largest possible
    /// products. Near 1 the products will be projected, and there will be no interval. `None` if the mechanism does not project.
    fn projection(&self, _: &Task, _rows: f64, _noise: CellNoise) -> Option<f64> {
        None
    }

    /// Forecasts lower bounds on the standard errors with `rows` rows. `None` if they do not follow from public numbers.
    fn standard_errors(&self, _: &Task, _rows: u64) -> Option<Vec<TermForecast>> {
        None
    }
}

/// The state of a release between two rounds: public.
pub trait Run: Send {
    /// Returns the next round, from public numbers and earlier answers alone. `None` after the last.
    fn round(&self) -> Option<Round>;

    /// Takes the answer of that round.
    fn take(&mut self, answer: Answer);

    /// Returns the bounds that the rounds have found, after the last round. `None` unless the rounds estimate bounds.
    fn bounds(&self) -> Option<EstimatedBounds> {
        None
    }

    /// Computes what is published, after the last round.
    ///
    /// # Errors
    /// [`Unsettled`] where arithmetic fails.
    fn finish(self: Box<Self>, task: &Task) -> Result<Output, Unsettled>;
}

/// One round.
#[derive(Clone, Debug)]
pub struct Round {
    /// What is summed.
    pub statistic: Statistic,
    /// The noise that the sums get.
    pub noise: Arc<dyn RoundNoise>,
}

/// The noise of one round.
pub trait RoundNoise: Any + Debug + Send + Sync {
    /// Draws all that can be drawn before the sums of the round are known.
    fn draw(&self, _: &mut dyn Entropy) -> Vec<i128> {
        Vec::new()
    }

    /// Adds the noise to the sums. `None` for sums of another kind, and if a matrix draw fails; the cause is not reported,
    /// because it may depend on the table.
    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, rng: &mut dyn Entropy) -> Option<Answer>;

    /// Returns the noise of each cell, where it is Gaussian.
    fn gaussian(&self) -> Option<&gaussian::Noise> {
        None
    }

    /// Returns the charge, if a release has no other noise.
    fn charge(&self) -> Option<Charge> {
        None
    }

    /// Returns the law that the release names, as [`Resolved::law`] has it.
    fn law(&self) -> Option<NoiseLaw> {
        None
    }
}

impl dyn RoundNoise {
    /// Draws the noise and adds it to the sums.
    pub fn release(&self, sums: &Exact<'_>, rng: &mut dyn Entropy) -> Option<Answer> {
        let drawn = self.draw(rng);
        self.answer(drawn, sums, rng)
    }
}

/// The public result of a round.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The noisy integers.
    pub cells: Vec<i128>,
    /// Their law, where they are moments.
    pub law: Option<NoiseLaw>,
    /// A ridge that was chosen privately, in squared codes; 0 elsewhere.
    pub ridge: f64,
    /// The matrix by which public features were multiplied.
    pub features: Option<FeatureMap>,
    /// The outcomes, where the plan says that they are public.
    pub outcomes: Option<Outcomes>,
}

/// Public outcomes, in units of R.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcomes {
    /// The sums of their products.
    Gram(DMatrix<f64>),
    /// The outcomes, one row for each record that counts.
    Rows(DMatrix<f64>),
}

/// All that is public about a release, apart from its rounds.
#[derive(Clone, Debug)]
pub struct Task {
    /// The plan, every default filled in.
    pub checked: CheckedPlan,
    /// How records become integers.
    pub encoding: Encoding,
}

/// What is published of a mechanism's answers.
#[derive(Debug)]
pub struct Output {
    /// The coefficients.
    pub coefficients: Coefficients,
    /// Their diagnostics and notes.
    pub diagnostics: Diagnostics,
    /// The noisy integers, where regressions can be computed again from them.
    pub moments: Option<ReleasedMoments>,
    /// The noisy integers of Newton steps in coordinates of the release's own.
    pub steps: Option<LogisticSteps>,
}

/// Arithmetic failed after the noise was drawn. The cause is not reported, because it may depend on the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled;

impl Answer {
    /// Returns the answer of a round whose integers are everything.
    pub fn of(cells: Vec<i128>) -> Self {
        Self { cells, ..Self::default() }
    }

    /// Returns the integers of a map with noise added to each. `None` for sums of another kind.
    pub fn noisy(drawn: Vec<i128>, sums: &Exact<'_>) -> Option<Self> {
        let Exact::Cells(cells) = sums else { return None };
        let same = drawn.len() == cells.len();
        same.then(|| {
            let cells = drawn.into_iter().zip(cells).map(|(noise, cell)| noise.saturating_add(*cell));
            Self::of(cells.collect())
        })
    }

    /// Returns the integers as 16 bytes each, little-endian, in which an answer crosses to other threads.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.cells.iter().flat_map(|cell| cell.to_le_bytes()).collect()
    }

    /// Reads what [`Self::to_bytes`] wrote.
    ///
    /// # Errors
    /// [`MomentsError::Malformed`] for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, MomentsError> {
        let (cells, rest) = bytes.as_chunks::<16>();
        if !rest.is_empty() {
            return Err(MomentsError::Malformed);
        }
        Ok(Self::of(cells.iter().map(|cell| i128::from_le_bytes(*cell)).collect()))
    }
}

impl Encoding {
    /// Fixes the grid. `layout` maps the number of features, constant included, and the number of outcomes to the moments that
    /// are released. With `noiseless` no noise is added, and sums of the whole record have guard digits.
    pub fn new(mut bound: BoundPlan, noiseless: bool, layout: impl FnOnce(usize, usize) -> Layout) -> Self {
        let geometry = Geometry::new(&bound);
        let first = geometry.first_outcome(&bound);
        let layout = layout(first, geometry.terms.len().saturating_sub(first));
        bound.guard = noiseless && geometry.outcomes.is_none();
        Self { bound, geometry, layout }
    }

    /// Fixes the grid as [`Self::new`] does, and checks that all released moments fit into memory.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn try_new(
        bound: BoundPlan,
        noiseless: bool,
        layout: impl FnOnce(usize, usize) -> Layout,
    ) -> Result<Self, PlanError> {
        let encoding = Self::new(bound, noiseless, layout);
        encoding.check(None)?;
        Ok(encoding)
    }

    /// Returns the number of integers in an encoded row.
    pub fn row_width(&self) -> usize {
        self.geometry.row_width(self.bound.guard)
    }

    /// Returns the sums of products in `layout`; with guard digits those of all integers.
    pub fn moments(&self, layout: Layout) -> Statistic {
        Statistic::Moments(if self.bound.guard { Layout::whole(self.row_width()) } else { layout })
    }

    /// Returns the statistic that keeps the rows themselves, for a round that needs all of them at once.
    ///
    /// # Errors
    /// [`PlanError`] where the public number of rows is more than are kept in memory.
    pub fn rows(&self, rows: Option<u64>) -> Result<Statistic, PlanError> {
        if rows.unwrap_or(0) > most_rows(self.layout.terms()) {
            let codes = rows.unwrap_or(0).saturating_mul(self.layout.terms() as u64);
            return Err(PlanError::at(
                "columns",
                format!("this keeps every row in memory, {codes} numbers, and {MOST_CODES} is the most"),
                "choose fewer columns, or a mechanism that needs sums alone",
            ));
        }
        Ok(Statistic::Rows(self.row_width()))
    }

    /// Refuses more sums than fit into memory, and two terms with the same name. `summed` is the layout of the sums if it has
    /// more cells than the release.
    ///
    /// # Errors
    /// [`PlanError`] that says what is too many.
    pub fn check(&self, summed: Option<Layout>) -> Result<(), PlanError> {
        let layout = summed.unwrap_or(self.layout);
        let refuse = |what: String, advice: &str| Err(PlanError::at("columns", what, advice));
        if layout.features() > MAX_TERMS {
            return refuse(
                format!(
                    "the columns make {} terms, counting the constant and each level but the reference, and {MAX_TERMS} is \
                     the most",
                    layout.features()
                ),
                "choose fewer columns or fewer levels; many outcomes on few features are work for `reuse-cov-gauss`",
            );
        }
        if layout.cells() > MAX_CELLS {
            return refuse(
                format!(
                    "{} features with the constant and {} outcomes make {} sums, and {MAX_CELLS} is the most",
                    layout.features(),
                    layout.outcomes(),
                    layout.cells()
                ),
                "choose fewer outcomes or fewer features",
            );
        }
        let mut names = std::collections::BTreeSet::new();
        match self.geometry.terms.iter().find(|term| !names.insert(term.name.as_str())) {
            None => Ok(()),
            Some(term) => Err(PlanError::at(
                "columns",
                format!("two terms would have the name `{}`", term.name),
                "rename a column in the table, or a level: the constant is `(Intercept)`, and a level is `column[level]`",
            )),
        }
    }
}

/// Computes the moments of rows. Products of features with each other are summed only over the rows that `taken` selects.
pub fn moments_of(rows: &EncodedRows, layout: Layout, taken: impl Fn(usize) -> bool) -> Moments {
    let mut all = Moments::of(layout);
    for (index, row) in rows.iter().enumerate() {
        if taken(index) {
            all.add(row);
        } else {
            all.add_cross(row);
        }
    }
    all
}
