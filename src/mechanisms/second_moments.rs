//! One round of second moments, and the regressions computed from them. Most mechanisms release this.

use std::fmt::Debug;
use std::sync::Arc;

use super::gaussian;
use super::rounds::{
    Answer, Charge, Encoding, Outcomes, Output, PostProcessing, Resolved, Round, RoundNoise, Rounds, Run,
    Task, Unsettled, moments_of,
};
use crate::data::encode::{GUARD_BITS, Geometry};
use crate::data::{Exact, Moments, Statistic};
use crate::inference::moments::{CellNoise, MomentsError, NoisyMoments};
use crate::inference::options::{Options, Ridge};
use crate::inference::preflight::Family;
use crate::inference::refit::public_rows;
use crate::inference::report::{RegressionTerms, report};
use crate::math::round::real;
use crate::math::triangle;
use crate::model::{Layout, NoiseLaw};
use crate::noise::entropy::Entropy;
use crate::release::moments::{Blocks, Decimals, FeatureMap, Integers, ReleasedMoments, Term};

/// A release of second moments in one round.
#[derive(Debug)]
pub struct SecondMoments {
    /// What is summed.
    pub statistic: Statistic,
    /// The noise.
    pub noise: Arc<dyn RoundNoise>,
    /// What is done with the moments before they are solved.
    pub post_processing: PostProcessing,
    /// The further analysis of the moments.
    pub analysis: Arc<dyn Analysis>,
    /// What a forecast of a fit with public moments is for.
    pub family: Option<Family>,
}

/// What a mechanism does with its moments beyond [`PostProcessing`].
pub trait Analysis: Debug + Send + Sync {
    /// Changes the moments or the options before the regressions are solved. `extent` is given if features and outcomes have
    /// separate bounds and the number of rows is known.
    ///
    /// # Errors
    /// [`Unsettled`] where arithmetic fails.
    fn adjust(
        &self,
        _: &Task,
        moments: NoisyMoments,
        _public: Option<&Outcomes>,
        _extent: Option<Extent>,
        _options: &mut Options,
    ) -> Result<NoisyMoments, Unsettled> {
        Ok(moments)
    }

    /// Computes what [`Rounds::projection`] does, of rows with this extent.
    fn projection(&self, _: Layout, _: &Extent, _: CellNoise) -> Option<f64> {
        None
    }

    /// Returns what a reader has to know of the noise.
    fn note(&self, _features: Option<&FeatureMap>) -> Option<&'static str> {
        None
    }
}

/// The regressions follow from the moments alone.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Analysis for Plain {}

/// How large the sums of two sides can be, in units of R.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// The largest trace that the features' moments can have, in units of R².
    pub trace: f64,
    /// Rows.
    pub rows: f64,
    /// B_x/R.
    pub features: f64,
    /// B_y/R.
    pub outcomes: f64,
}

/// No noise: the exact sums of a demonstration that protects nobody.
#[derive(Clone, Copy, Debug)]
pub struct Noiseless(pub Layout);

impl SecondMoments {
    /// Returns the round in which the moments that are released are summed, and solved as they are.
    pub fn new(encoding: &Encoding, noise: Option<impl RoundNoise>, post_processing: PostProcessing) -> Self {
        let statistic = encoding.moments(encoding.layout);
        let noise = noise.map(|noise| Arc::new(noise) as Arc<dyn RoundNoise>);
        let noise = noise.unwrap_or_else(|| Noiseless::of(&statistic, encoding));
        Self { statistic, noise, post_processing, analysis: Arc::new(Plain), family: None }
    }

    /// Returns the mechanism whose only round this is.
    pub fn resolved(self, encoding: Encoding) -> Resolved {
        let (law, post_processing) = (self.noise.law(), self.post_processing);
        Resolved { law, post_processing, ..Resolved::new(encoding, self.noise.charge(), Arc::new(self)) }
    }
}

impl Rounds for SecondMoments {
    fn start(self: Arc<Self>) -> Box<dyn Run> {
        Box::new(Released { rounds: self, answer: None })
    }

    fn gaussian(&self) -> Option<&gaussian::Noise> {
        self.noise.gaussian()
    }

    fn family(&self, _: &Task) -> Option<Family> {
        self.family
    }

    fn projection(&self, task: &Task, rows: f64, noise: CellNoise) -> Option<f64> {
        self.analysis.projection(task.encoding.layout, &extent_of(task, rows), noise)
    }
}

struct Released {
    rounds: Arc<SecondMoments>,
    answer: Option<Answer>,
}

impl Run for Released {
    fn round(&self) -> Option<Round> {
        let SecondMoments { statistic, noise, .. } = &*self.rounds;
        self.answer.is_none().then(|| Round { statistic: statistic.clone(), noise: Arc::clone(noise) })
    }

    fn take(&mut self, answer: Answer) {
        self.answer = Some(answer);
    }

    fn finish(self: Box<Self>, task: &Task) -> Result<Output, Unsettled> {
        let SecondMoments { statistic, analysis, post_processing, .. } = &*self.rounds;
        let mut answer = self.answer.ok_or(Unsettled)?;
        let moments = read(task, statistic, &mut answer)?;
        let layout = RegressionTerms::new(&task.encoding.bound, &task.encoding.geometry);
        let mut options = options(task, *post_processing, &moments);
        let unit = f64::from(task.encoding.bound.grid.radius).powi(2);
        if answer.ridge > 0.0 {
            options.ridge = Ridge::Fixed(answer.ridge / unit);
        }
        let extent = task.encoding.geometry.outcomes.and_then(|_| extent(task, &moments));
        options.trace = extent.map(|extent| extent.trace);
        let moments = analysis.adjust(task, moments, answer.outcomes.as_ref(), extent, &mut options)?;
        let solved = report(&moments, &layout, task.checked.intercept, options);
        let (coefficients, mut diagnostics) = solved.map_err(|_| Unsettled)?;
        if answer.law.is_some() {
            diagnostics.notes.extend(analysis.note(answer.features.as_ref()).map(String::from));
        }
        Ok(Output { coefficients, diagnostics, moments: Some(released(task, &answer)), steps: None })
    }
}

/// Returns the moments as numbers. Exact sums are cut down to those that are released.
fn read(task: &Task, statistic: &Statistic, answer: &mut Answer) -> Result<NoisyMoments, Unsettled> {
    let Encoding { bound, geometry, layout } = &task.encoding;
    let moments = match &answer.law {
        Some(law) => NoisyMoments::from_law(geometry, *layout, &answer.cells, law, &task.checked.plan)
            .and_then(|moments| moments.unmapped(answer.features.as_ref())),
        None => {
            let summed = if let Statistic::Moments(summed) = statistic { *summed } else { *layout };
            let all = std::mem::take(&mut answer.cells);
            let cell = |row, column| {
                let place = summed.place(row, column);
                place.and_then(|place| all.get(place)).copied().unwrap_or(0)
            };
            answer.cells = layout.pairs().map(|(row, column)| cell(row, column)).collect();
            let radius = bound.grid.radius;
            if bound.guard {
                let fine = fine_cells(cell, geometry);
                NoisyMoments::from_cells(geometry, radius, *layout, &fine, 2 * GUARD_BITS, CellNoise::None)
            } else {
                NoisyMoments::from_cells(geometry, radius, *layout, &answer.cells, 0, CellNoise::None)
            }
        }
    };
    // Whitened moments also hold the map from the columns' own units.
    let whitened = |moments: NoisyMoments| match &bound.whitening {
        None => Ok(moments),
        Some(whitening) => moments.whitened(&whitening.matrix),
    };
    moments.and_then(whitened).map_err(|_: MomentsError| Unsettled)
}

/// Returns how moments are solved.
pub fn options(task: &Task, post_processing: PostProcessing, moments: &NoisyMoments) -> Options {
    let PostProcessing { ridge, repair, penalty, floor } = post_processing;
    Options {
        confidence: task.checked.confidence,
        rows: public_rows(&task.checked.plan, moments),
        seed: moments.seed(),
        ridge,
        repair,
        penalty,
        floor,
        ..Options::default()
    }
}

/// Computes how large the sums can be, where the number of rows is public or its noisy count is above 0.
pub fn extent(task: &Task, moments: &NoisyMoments) -> Option<Extent> {
    let rows = match task.checked.rows {
        Some(rows) => Some(real(rows)),
        None => moments.noisy_rows().map(|(rows, _)| rows).filter(|rows| *rows > 0.0),
    };
    rows.map(|rows| extent_of(task, rows))
}

/// Computes how large the sums of so many rows can be.
fn extent_of(task: &Task, rows: f64) -> Extent {
    let Encoding { bound, geometry, .. } = &task.encoding;
    let radius = f64::from(bound.grid.radius);
    let norm = |square: u64| real(square).sqrt() / radius;
    let (features, outcomes) = (norm(geometry.feature_square()), norm(geometry.outcome_square()));
    Extent { trace: rows * features * features, rows, features, outcomes }
}

/// Returns the sums of (q + 2⁻²² e)(q + 2⁻²² e)' over rows, in steps of 2⁻⁴⁴. A row has a code q for each term and, for each
/// except the constant, the remainder e of its rounding. Without noise the only error is rounding, which collinear predictors
/// magnify. With the remainders such a run agrees with least squares to far more digits than the grid has. With 2^30 rows the
/// sums stay below 2^123.
pub fn fine_cells(cell: impl Fn(usize, usize) -> i128, geometry: &Geometry) -> Vec<i128> {
    let sum = |row: Option<usize>, column: Option<usize>| match (row, column) {
        (Some(row), Some(column)) => cell(row, column),
        _ => 0,
    };
    let fine = |row, column| {
        let (row_digit, column_digit) = (geometry.guard_of(row), geometry.guard_of(column));
        let crossed = sum(Some(row), column_digit) + sum(row_digit, Some(column));
        (cell(row, column) << (2 * GUARD_BITS)) + (crossed << GUARD_BITS) + sum(row_digit, column_digit)
    };
    Layout::whole(geometry.terms.len()).pairs().map(|(row, column)| fine(row, column)).collect()
}

/// Returns the integers as a release has them.
fn released(task: &Task, answer: &Answer) -> ReleasedMoments {
    let Encoding { bound, geometry, layout } = &task.encoding;
    let cells = &answer.cells;
    let cell =
        |row, column| layout.place(row, column).and_then(|place| cells.get(place)).copied().unwrap_or(0);
    let p = layout.features();
    let square = || (0..p).flat_map(|row| (0..p).map(move |column| (row, column)));
    let (matrix, blocks) = if layout.outcomes() == 0 {
        let row = |row| (0..p).map(|column| cell(row, column).to_string()).collect();
        (Some((0..p).map(row).collect()), None)
    } else {
        let rest = cells.get(triangle::len(p)..).unwrap_or_default();
        let (cross, squares) = rest.split_at(rest.len().min(p * layout.outcomes()));
        let blocks = Blocks {
            xx: Integers::new(p, square().map(|(row, column)| cell(row, column)).collect()),
            xy: Integers::new(p, cross.to_vec()),
            map: answer.features.clone(),
            yy_diagonal: layout.squares().then(|| Decimals(squares.to_vec())),
        };
        (None, Some(blocks))
    };
    let terms = geometry.terms.iter();
    ReleasedMoments {
        terms: terms
            .map(|term| Term { term: term.name.clone(), centre: term.centre, scale: term.scale })
            .collect(),
        whitening: bound
            .whitening
            .as_ref()
            .map(|whitening| whitening.matrix.chunks_exact(p).map(<[f64]>::to_vec).collect()),
        contrasts: geometry.contrasts.iter().map(|(_, contrast)| contrast.clone()).collect(),
        matrix,
        blocks,
        noise: answer.law.clone(),
        adaptive: None,
    }
}

/// Returns the answer that noisy moments are.
pub fn answer(cells: Vec<i128>, law: NoiseLaw) -> Answer {
    Answer { law: Some(law), ..Answer::of(cells) }
}

impl Noiseless {
    /// Returns the exact answer to a statistic: all that is summed, or of rows the moments that are released.
    pub fn of(statistic: &Statistic, encoding: &Encoding) -> Arc<dyn RoundNoise> {
        Arc::new(Self(if let Statistic::Moments(summed) = statistic { *summed } else { encoding.layout }))
    }
}

impl RoundNoise for Noiseless {
    fn answer(&self, _: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        let all = |moments: &Moments| {
            Answer::of(self.0.pairs().map(|(row, column)| moments.get(row, column)).collect())
        };
        match sums {
            Exact::Moments(moments) => Some(all(moments)),
            Exact::Rows(rows) => Some(all(&moments_of(rows, self.0, |_| true))),
            Exact::Cells(_) => None,
        }
    }
}

impl RoundNoise for gaussian::Noise {
    fn draw(&self, rng: &mut dyn Entropy) -> Vec<i128> {
        Self::draw(self, rng)
    }

    fn answer(&self, drawn: Vec<i128>, sums: &Exact<'_>, _: &mut dyn Entropy) -> Option<Answer> {
        let cells = match sums {
            Exact::Moments(moments) => self.add(drawn, moments),
            Exact::Rows(rows) => self.add(drawn, &moments_of(rows, self.layout, |_| true)),
            Exact::Cells(_) => return None,
        };
        Some(answer(cells, self.law()))
    }

    fn gaussian(&self) -> Option<&gaussian::Noise> {
        Some(self)
    }

    fn charge(&self) -> Option<Charge> {
        Some(Charge::of_scale(self.event(), self.scale))
    }

    fn law(&self) -> Option<NoiseLaw> {
        Some(Self::law(self))
    }
}
