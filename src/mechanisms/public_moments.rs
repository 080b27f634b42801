//! What the mechanisms with public moments share: radii, whitening, the range of the outcome, the penalty.
//!
//! **Radii** (theory/public-moments 1.2, 2.1, 1.3). R_x = √(d (1 + ln(2 n/η))), R_y = √(1 + ln(2 n/η)), with d the features'
//! terms and the constant and n the public number of rows; `tight` takes the smaller of R_x and √(d + 2 √(d t) + 2 t), t =
//! ln(n/η). R_x is no longer than the longest whitened record that the stated bounds allow. Privacy does not depend on them: a
//! longer record is shortened.
//!
//! **Range of an outcome** (theory/public-moments 2.1, 1.6). R_y public standard deviations to both sides of the public mean, within the column's own
//! bounds; where there is no intercept, or it is penalised, R_y root mean squares around 0. Where the public table does not know
//! the outcome the column's bounds are the range. As the paper has it: R_y root mean squares around 0, whatever the bounds.

use nalgebra::{DMatrix, DVector};

use super::shared::{OUTCOME_NORM, ROW_NORM, radius, scale, stated_rows};
use crate::data::Geometry;
use crate::data::encode::middle;
use crate::model::{INTERCEPT, Role};
use crate::plan::bound::{BoundPlan, Clipping, GridParams, Kind, Norms, Sides, Whitening};
use crate::plan::params::{Parameter, Params, Range, Usual, Values, names};
use crate::plan::public::{Whitener, squared_radius};
use crate::plan::{CheckedPlan, PlanError};

/// What the grid of the records is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grid {
    /// They are whitened by public moments: the mechanisms `pmt-`.
    PublicMoments,
    /// They are on the plan's own grid: the mechanisms `dp-`.
    Bounds,
}

/// The grid of records that have their features on one side and their outcomes on the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sided {
    /// R.
    radius: u32,
    /// c / W.
    pub intercept_weight: f64,
    /// How the public moments are used. `None` without them.
    pub radii: Option<Radii>,
    row_norm: f64,
    outcome_norm: f64,
}

impl Sided {
    /// Reads its parameters.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, and without a number of rows where radii follow from it.
    pub fn take(grid: Grid, params: &mut Params<'_>, plan: &CheckedPlan) -> Result<Self, PlanError> {
        if grid == Grid::PublicMoments {
            let (radius, radii) = (radius(params, plan)?, Some(Radii::take(params, plan)?));
            return Ok(Self { radius, intercept_weight: 0.0, radii, row_norm: 1.0, outcome_norm: 1.0 });
        }
        let (radius, intercept_weight) = scale(params, plan)?;
        let (row_norm, outcome_norm) = (params.number(&ROW_NORM)?, params.number(&OUTCOME_NORM)?);
        Ok(Self { radius, intercept_weight, radii: None, row_norm, outcome_norm })
    }

    /// Returns the grid, with this ratio of B_y² to B_x².
    pub fn grid(&self, ratio: f64) -> GridParams {
        let clipping = Radii::clipping(self.radii.as_ref(), Clipping::Together);
        let sides = Sides { ratio, feature_norm: self.row_norm, outcome_norm: self.outcome_norm, clipping };
        let (radius, intercept_weight) = (self.radius, self.intercept_weight);
        GridParams { radius, intercept_weight, norms: Norms::Sides(sides) }
    }
}

/// How the radii follow from public numbers, and what becomes of a longer record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radii {
    eta: f64,
    tight: bool,
    /// Whether a record is shortened as a whole, or its features alone, as the paper has it.
    by_row: bool,
    /// n, public.
    rows: u64,
}

const RULES: [(&str, bool); 2] = [("paper", false), ("tight", true)];
const RULE_NAMES: [&str; 2] = names(&RULES);
const TRUNCATIONS: [(&str, bool); 2] = [("row", true), ("paper", false)];
const TRUNCATION_NAMES: [&str; 2] = names(&TRUNCATIONS);

/// η.
pub const ETA: Parameter =
    Parameter::new("eta", "Eta, which sets the radii", Values::Number(Range::closed(1e-6, 0.5)))
        .help("a chance and no share: a smaller one makes the radii longer, and the noise with them")
        .usual(Usual::Is("0.05"));

/// Which of two rules gives the radii.
pub const RADIUS_RULE: Parameter =
    Parameter::new("radius_rule", "Rule for the radii", Values::Choice(&RULE_NAMES))
        .help("tight is smaller, for columns near normal and at least five public rows for each term")
        .usual(Usual::Is("paper"));

/// What is shortened of a record that is too long.
pub const TRUNCATION: Parameter = Parameter::new(
    "truncation",
    "A longer record is shortened",
    Values::Choice(&TRUNCATION_NAMES),
)
.help("row shortens features and outcome together, which keeps the fit unbiased; paper the features alone")
.usual(Usual::Paper("row", "paper"));

/// λ.
pub const LAMBDA: Parameter =
    Parameter::new("lambda", "Penalty (lambda)", Values::Number(Range::closed(0.0, 1e300)))
        .help("on the mean second moment in the columns' own units. It needs the number of rows")
        .usual(Usual::Is("0"));

/// Whether λ weighs on the intercept.
pub const PENALISE_INTERCEPT: Parameter =
    Parameter::new("penalise_intercept", "The penalty weighs on the intercept", Values::Switch)
        .usual(Usual::Paper("false", "true"));

/// Whether eigenvalues that noise alone could give are raised.
pub const FLOOR: Parameter =
    Parameter::new("floor", "Raise eigenvalues that noise alone could give", Values::Switch)
        .help("without it the fit may diverge")
        .usual(Usual::Paper("true", "false"));

/// What is publicly known of an outcome, from the middle of its range and in halves of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standard {
    /// Its public mean; 0 where the range is not around it.
    pub level: f64,
    /// Its public standard deviation, or root mean square where the range is not around the mean.
    pub spread: f64,
}

impl Radii {
    /// Reads `eta`, `radius_rule` and `truncation`.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range, and without a public number of rows.
    pub fn take(params: &mut Params<'_>, plan: &CheckedPlan) -> Result<Self, PlanError> {
        Ok(Self {
            eta: params.number(&ETA)?,
            tight: params.choice(&RADIUS_RULE, &RULES)?,
            by_row: params.choice(&TRUNCATION, &TRUNCATIONS)?,
            rows: stated_rows(plan, "the radii follow from the number of rows")?,
        })
    }

    /// Returns R_x, of so many terms.
    pub fn features(&self, terms: usize) -> f64 {
        squared_radius(terms, self.rows(), self.eta, self.tight).sqrt()
    }

    /// Returns R_y.
    pub fn outcome(&self) -> f64 {
        squared_radius(1, self.rows(), self.eta, false).sqrt()
    }

    /// Returns how a longer record is shortened: as a whole, in the way that suits the mechanism, unless the paper's own is asked
    /// for.
    pub const fn clipping(radii: Option<&Self>, whole: Clipping) -> Clipping {
        match radii {
            Some(radii) if !radii.by_row => Clipping::Unlinked,
            _ => whole,
        }
    }

    /// Returns whether the paper's own clipping is asked for.
    pub const fn by_row(&self) -> bool {
        self.by_row
    }

    fn rows(&self) -> f64 {
        self.rows as f64
    }

    /// Has the features whitened by the public moments.
    ///
    /// # Errors
    /// [`PlanError`] for a tight radius from too few public rows.
    pub fn whiten(&self, bound: &mut BoundPlan, whitener: &Whitener) -> Result<(), PlanError> {
        let d = whitener.inverse_root.nrows();
        if self.tight && whitener.rows < 5 * d as u64 {
            return Err(PlanError::at(
                "mechanism.params.radius_rule",
                format!(
                    "a tight radius for {d} terms needs at least {} public rows, and there are {}",
                    5 * d,
                    whitener.rows
                ),
                "set it to \"paper\", or give a larger public table",
            ));
        }
        let constant = whitener.terms.first().is_some_and(|term| term == INTERCEPT);
        bound.whitening = Some(Whitening {
            matrix: whitener
                .inverse_root
                .row_iter()
                .flat_map(|row| row.iter().copied().collect::<Vec<_>>())
                .collect(),
            constant,
            radius: self.features(d).min(longest_within_bounds(bound, &whitener.inverse_root, constant)),
        });
        Ok(())
    }

    /// Sets the ranges within which outcomes are clipped.
    ///
    /// # Errors
    /// [`PlanError`] where the public moments leave nothing of a column's bounds.
    pub fn clip_outcomes(
        &self,
        bound: &mut BoundPlan,
        whitener: &Whitener,
        around_mean: bool,
        as_printed: bool,
    ) -> Result<(), PlanError> {
        let outcomes = bound.columns.iter_mut().filter(|column| column.role == Role::Outcome);
        for (column, public) in outcomes.zip(&whitener.outcomes) {
            let Kind::Number { lower, upper } = &mut column.kind else { continue };
            let wide = lower.abs().max(upper.abs());
            let (centre, half) = match public {
                Some(public) if around_mean => (public.mean, self.outcome() * public.spread()),
                Some(public) => (0.0, self.outcome() * public.second.sqrt()),
                None if as_printed => {
                    return Err(PlanError::at(
                        "mechanism.calibration",
                        format!(
                            "the paper scales `{}` by its public second moment, and there is none",
                            column.name
                        ),
                        "give a public table with this outcome, or set `calibration` to \"exact\"",
                    ));
                }
                None if around_mean => (f64::midpoint(*lower, *upper), (*upper - *lower) / 2.0),
                None => (0.0, wide),
            };
            let (low, high) = if as_printed {
                (centre - half, centre + half)
            } else if around_mean {
                (lower.max(centre - half), upper.min(centre + half))
            } else {
                let half = half.min(wide);
                (-half, half)
            };
            if !low.is_finite() || !high.is_finite() || low >= high {
                return Err(PlanError::at(
                    "public",
                    format!("the public mean and spread of `{}` leave nothing of its bounds", column.name),
                    "compare the units of the public table with those of the plan",
                ));
            }
            (*lower, *upper) = (low, high);
        }
        Ok(())
    }

    /// Returns the outcomes of a plan whose features are whitened, in its order. Where nothing is known of one, half of its range
    /// counts as R_y standard deviations.
    pub fn standards(&self, bound: &BoundPlan, around_mean: bool) -> Vec<Standard> {
        let known = bound.public.iter().flat_map(|public| &public.outcomes);
        let columns = bound.columns.iter().filter(|column| column.role == Role::Outcome);
        columns
            .zip(known)
            .map(|(column, public)| match (&column.kind, public) {
                (Kind::Number { lower, upper }, Some(public)) => {
                    let (middle, half) = middle(*lower, *upper);
                    if around_mean {
                        Standard { level: (public.mean - middle) / half, spread: public.spread() / half }
                    } else {
                        Standard { level: 0.0, spread: public.second.sqrt() / half }
                    }
                }
                _ => Standard { level: 0.0, spread: self.outcome().recip() },
            })
            .collect()
    }
}

/// Corners of the bounds up to which each is looked at.
const MOST_CORNERS: usize = 1 << 12;

/// Returns a length that no whitened record within the columns' bounds exceeds: the largest at a corner of the bounds, or with many corners
/// the smaller of two bounds on it by the triangle inequality (theory/public-moments 1.2).
fn longest_within_bounds(bound: &BoundPlan, map: &DMatrix<f64>, constant: bool) -> f64 {
    // The image of the middles, and for each column what each of its ends or levels adds to it.
    let mut centre = if constant { map.column(0).into_owned() } else { DVector::zeros(map.nrows()) };
    let mut moves: Vec<Vec<DVector<f64>>> = Vec::new();
    let mut place = usize::from(constant);
    for column in bound.columns.iter().filter(|column| column.role == Role::Feature) {
        match &column.kind {
            Kind::Number { lower, upper } => {
                let (middle, half) = middle(*lower, *upper);
                let Some(along) = (place < map.ncols()).then(|| map.column(place)) else {
                    return f64::INFINITY;
                };
                centre += along * middle;
                moves.push(vec![along * half, along * -half]);
                place += 1;
            }
            Kind::Category { levels, .. } => {
                let dummies = levels.len().saturating_sub(1);
                if place + dummies > map.ncols() {
                    return f64::INFINITY;
                }
                let mut ends = vec![DVector::zeros(map.nrows())];
                ends.extend((place..place + dummies).map(|place| map.column(place).into_owned()));
                moves.push(ends);
                place += dummies;
            }
        }
    }
    let corners = moves.iter().try_fold(1_usize, |product, ends| product.checked_mul(ends.len()));
    let longest = if corners.is_some_and(|corners| corners <= MOST_CORNERS) {
        let mut images = vec![centre];
        for ends in &moves {
            images = images.iter().flat_map(|image| ends.iter().map(move |end| image + end)).collect();
        }
        images.iter().map(DVector::norm).fold(0.0, f64::max)
    } else {
        let whole = |norm: &dyn Fn(&DVector<f64>) -> f64| {
            let each = moves.iter().map(|ends| ends.iter().map(norm).fold(0.0, f64::max));
            norm(&centre) + each.sum::<f64>()
        };
        let by_rows =
            (0..map.nrows()).map(|row| whole(&|image| image[row].abs()).powi(2)).sum::<f64>().sqrt();
        whole(&DVector::norm).min(by_rows)
    };
    // Rounding must not make a record longer than this.
    let longest = longest * (1.0 + 1e-9);
    if longest > 0.0 { longest } else { f64::INFINITY }
}

/// Returns a code of a feature in the units in which steps are taken: whitened ones, or shares of the longest record.
pub fn feature_unit(bound: &BoundPlan, geometry: &Geometry) -> f64 {
    match &bound.whitening {
        Some(whitening) => whitening.radius / f64::from(geometry.reach),
        None => 1.0 / (geometry.feature_square() as f64).sqrt(),
    }
}

/// λ, on the mean second moment in the columns' own units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Penalty {
    /// λ.
    pub lambda: f64,
    /// Whether it weighs on the intercept too.
    pub on_intercept: bool,
}

impl Penalty {
    /// Reads `lambda` and `penalise_intercept`.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn take(params: &mut Params<'_>) -> Result<Self, PlanError> {
        Ok(Self { lambda: params.number(&LAMBDA)?, on_intercept: params.switch(&PENALISE_INTERCEPT)? })
    }

    /// Returns whether outcomes are clipped around their mean: there is a constant, and it goes free.
    pub const fn around_mean(&self, plan: &CheckedPlan) -> bool {
        plan.intercept && !self.on_intercept
    }

    /// Returns Λ = n λ A P A′ for coordinates z = A v of own units v, whose first is the constant if there is one: b′Λ b is n λ
    /// times the squared length of the penalised coefficients β = A′ b.
    ///
    /// # Errors
    /// [`PlanError`] where it is beyond every number.
    pub fn matrix(&self, map: &DMatrix<f64>, constant: bool, rows: f64) -> Result<DMatrix<f64>, PlanError> {
        let on = DVector::from_fn(map.ncols(), |column, _| {
            if column == 0 && constant && !self.on_intercept { 0.0 } else { self.lambda * rows }
        });
        let whole = map * DMatrix::from_diagonal(&on) * map.transpose();
        if whole.iter().all(|cell| cell.is_finite()) {
            return Ok(whole);
        }
        Err(PlanError::at(
            "mechanism.params.lambda",
            format!("a penalty of {:e} on columns with these bounds is beyond every number", self.lambda),
            "give a smaller one",
        ))
    }
}
