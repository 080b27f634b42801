//! `jl-ridge` and `inverse-wishart`, and their adaptive forms: one matrix drawn from a law whose scale is the second
//! moments and a ridge.
//!
//! **Guarantee.** (ε, δ)-differential privacy under both adjacencies, for one row per person, of the law over the reals
//! (theory/wishart 3.1). Charged to the (ε, δ) budget.
//!
//! **Sensitivity.** Let S = G + w² I ⪰ w² I, and let one person's v have ‖v‖² ≤ B² = c² + W². S and its neighbour then differ by
//! at most the factor 1 + B²/w² in every direction: in one direction under add-remove, in one up and one down under replace-one.
//! So the loss is that of one or two scalar variances, r times ([`sketch_delta`](crate::privacy::profile::sketch_delta)).
//! Inverting the covariance exchanges the two, and the posterior draw with ν = r degrees of freedom has the same curve.
//!
//! **Noise.** `jl-ridge`: W(S, r) / r, the moments of r random combinations of the records and of w I, drawn by Bartlett's
//! factor; the combinations themselves are not released. `inverse-wishart`: one draw of W⁻¹(S, ν), the posterior of the rows'
//! covariance under the prior W⁻¹(w² I, d). At equal privacy its coefficients have the smaller variance, by
//! (r − p − 1)/(r − 2) for p predictors.
//!
//! **Adaptive.** A share of ε and δ buys a lower bound on the least eigenvalue of G, which one person moves by at most B²
//! (Weyl): discrete Laplace noise, and a shift that keeps the bound below the eigenvalues of both neighbours but with
//! probability δ₁. The bound is a ridge that the table has already: w² is what it falls short of, and where it is larger than
//! the least number of rows needs, more rows are drawn and no ridge is added (theory/wishart 2.5, 3.4).
//!
//! **Event.** One [`crate::privacy::event::Event::Approximate`], both parts together.
//!
//! **Arithmetic.** `IDEALISED`: 128-bit floating point, hardened as theory/noise 4.2 says. The least eigenvalue is computed in double precision.
//!
//! **Defaults.** `sketch_rows` and `dof` max(2d, 100): the noise falls like 1/r and the ridge grows like √r, and for
//! tables of a few thousand rows the best of both lies between 50 and 200 (theory/wishart 4.2). `min_rows` and `min_dof` 2d;
//! a quarter of ε and of δ for the eigenvalue. With the paper's calibration: 2d, `rows+d`, and halves.
//!
//! **Standard errors.** Exact t pivots for the penalised regression (theory/wishart 5.1).

use std::num::{NonZeroU32, NonZeroU64};

use dashu_int::IBig;
use serde_json::Value;

use super::{bartlett, check_terms, packed, posterior, projection};
use crate::data::{Exact, Geometry, Moments};
use crate::math::linalg;
use crate::math::linalg::Eigen;
use crate::mechanisms::info::{Info, WHOLE_MATRIX};
use crate::mechanisms::rounds::{Answer, Charge, Configured, Encoding, PostProcessing, Resolved, RoundNoise};
use crate::mechanisms::second_moments::{SecondMoments, answer};
use crate::mechanisms::shared::{
    ApproximateCost, FEATURE_SHARE, FINE_RADIUS, INTERCEPT_WEIGHT, NoiseError, REPAIR, RIDGE, ROW_NORM, grid,
    neighbours, no_scale, post_processing, rounding_step, squared_codes,
};
use crate::model::{Assurance, Layout, NoiseLaw, Wallet};
use crate::noise::discrete::laplace;
use crate::noise::entropy::Entropy;
use crate::plan::bound::{BoundPlan, GridParams};
use crate::plan::document::Calibration;
use crate::plan::params::{Parameter, Params, Range, Usual, Values};
use crate::plan::{CheckedPlan, PlanError};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::Budget;
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::mutants::{Mutant, is_active};
use crate::privacy::profile::paper::{self, EigenvalueRule};
use crate::privacy::profile::{MOST_ROWS, sketch_epsilon, sketch_ridge, sketch_rows};

/// The number of rows and of terms, where the number of rows is public.
const ROWS_AND_TERMS: &str = "rows+d";

const SKETCH_ROWS: Parameter =
    Parameter::new("sketch_rows", "Rows of the projection", Values::Whole(3, 1_000_000))
        .help("More rows mean less noise and a larger ridge")
        .usual(Usual::From("100, or twice the terms"));
const MIN_ROWS: Parameter =
    Parameter { name: "min_rows", label: "Fewest rows of the projection", ..SKETCH_ROWS }
        .help("")
        .usual(Usual::From("twice the terms"));
const DOF: Parameter =
    Parameter::new("dof", "Degrees of freedom", Values::WordOrWhole(&[ROWS_AND_TERMS], 3, MOST_ROWS.get()))
        .help("Take rows+d only where the number of rows is public")
        .usual(Usual::From("100, or twice the terms; rows+d with the paper's scale"));
const MIN_DOF: Parameter = Parameter { name: "min_dof", label: "Fewest degrees of freedom", ..DOF }
    .usual(Usual::From("twice the terms"));
const EIGENVALUE_SHARE: Parameter = Parameter::new(
    "eigenvalue_share",
    "Share of epsilon for the least eigenvalue",
    Values::Number(Range::between(0.0, 1.0)),
)
.usual(Usual::Paper("0.25", "0.5"));
const EIGENVALUE_DELTA_SHARE: Parameter = Parameter {
    name: "eigenvalue_delta_share",
    label: "Share of delta for the least eigenvalue",
    ..EIGENVALUE_SHARE
};

const DRAWN: Info = Info {
    group: Some(&WHOLE_MATRIX),
    guarantee: "(ε, δ)-differential privacy of the law over the real numbers; the arithmetic approximates it.",
    wallet: Wallet::Other,
    assurance: Assurance::Idealised,
    ..Info::GAUSSIAN
};

/// Name, guarantee and parameters of `jl-ridge`.
pub static PROJECTION: Info = Info {
    name: "jl-ridge",
    title: "Gaussian projection",
    summary: "Solves a ridge regression on a Gaussian projection of the table.",
    prefer: "Prefer it to the others only to reproduce the paper: a posterior draw costs the same and is less noisy.",
    source: "Sheffet 2015, algorithm 1; theory/wishart 2.1",
    parameters: &[SKETCH_ROWS, RIDGE, REPAIR, FEATURE_SHARE, INTERCEPT_WEIGHT, ROW_NORM, FINE_RADIUS],
    ..DRAWN
};

/// Name, guarantee and parameters of `jl-ridge-adaptive`.
pub static PROJECTION_ADAPTIVE: Info = Info {
    name: "jl-ridge-adaptive",
    title: "Gaussian projection with an adaptive ridge",
    summary: "The projection, with a ridge that is no larger than the table needs.",
    prefer: "Prefer it to the plain projection from some hundred thousand rows on, where the table needs no ridge of its own.",
    source: "Sheffet 2015, algorithm 2; theory/wishart 2.5",
    parameters: &[
        MIN_ROWS, EIGENVALUE_SHARE, EIGENVALUE_DELTA_SHARE, RIDGE, REPAIR, FEATURE_SHARE, INTERCEPT_WEIGHT,
        ROW_NORM, FINE_RADIUS,
    ],
    ..DRAWN
};

/// Name, guarantee and parameters of `inverse-wishart`.
pub static POSTERIOR: Info = Info {
    name: "inverse-wishart",
    title: "Posterior draw",
    summary: "Draws the moments from a posterior.",
    prefer: "Prefer it for small tables, where a strong ridge is welcome and exact intervals for it are worth more than least squares.",
    source: "Sheffet 2015, algorithm 4; theory/wishart 2.2",
    parameters: &[DOF, RIDGE, REPAIR, FEATURE_SHARE, INTERCEPT_WEIGHT, ROW_NORM, FINE_RADIUS],
    ..DRAWN
};

/// Name, guarantee and parameters of `inverse-wishart-adaptive`.
pub static POSTERIOR_ADAPTIVE: Info = Info {
    name: "inverse-wishart-adaptive",
    title: "Posterior draw with an adaptive prior",
    summary: "Draws from a posterior whose prior is no stronger than the table needs.",
    prefer: "Prefer it to the plain posterior draw from some hundred thousand rows on, where the table needs no ridge of its own.",
    source: "Sheffet 2015, algorithm 5; theory/wishart 2.5",
    parameters: &[
        MIN_DOF, EIGENVALUE_SHARE, EIGENVALUE_DELTA_SHARE, RIDGE, REPAIR, FEATURE_SHARE, INTERCEPT_WEIGHT,
        ROW_NORM, FINE_RADIUS,
    ],
    ..DRAWN
};

impl Configured for Parameters {
    fn grid(&self) -> GridParams {
        self.grid
    }

    fn resolve(&self, plan: &CheckedPlan, bound: BoundPlan) -> Result<Resolved, NoiseError> {
        let encoding = Encoding::try_new(bound, plan.budget.is_none(), |d, l| Layout::whole(d + l))?;
        let noise = plan.budget.map(|budget| Noise::calibrate(plan, &encoding.geometry, self, &budget));
        let noise = noise.transpose()?;
        let rows = |noise: &Noise| {
            (rows_parameter(self.kind, self.shares.is_some()).name.to_owned(), Value::from(noise.rows.get()))
        };
        let parameters = noise.iter().map(rows).collect();
        let moments = SecondMoments::new(&encoding, noise, self.post_processing);
        Ok(Resolved { parameters, ..moments.resolved(encoding) })
    }
}

/// The law from which the matrix is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// W(S, r) / r.
    Projection,
    /// W⁻¹(S, ν).
    Posterior,
}

/// A number of rows or of degrees of freedom, as a plan gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Count {
    /// A number in the plan.
    Fixed(u32),
    /// The table's public number of rows and one for each term.
    RowsAndTerms,
}

/// Shares of ε and δ for the least eigenvalue.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Shares {
    epsilon: f64,
    delta: f64,
}

/// The parameters; the number of rows has a default that depends on the number of terms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// How a record becomes integers.
    pub grid: GridParams,
    /// The law.
    pub kind: Kind,
    rows: Option<Count>,
    shares: Option<Shares>,
    /// What is done with the released moments.
    pub post_processing: PostProcessing,
}

impl Parameters {
    /// Reads the plan's parameters. The default of the number of rows waits for that of the terms.
    ///
    /// # Errors
    /// [`PlanError`] for a value out of range.
    pub fn read(
        kind: Kind,
        adaptive: bool,
        plan: &CheckedPlan,
        params: &mut Params<'_>,
    ) -> Result<Self, PlanError> {
        let grid = grid(params, plan)?;
        let count = |own: &Parameter, value: &Value| match value {
            Value::Null => Some(None),
            Value::String(text) if text == ROWS_AND_TERMS && kind == Kind::Posterior => {
                Some(Some(Count::RowsAndTerms))
            }
            value => own.whole(value).map(|rows| Some(Count::Fixed(rows))),
        };
        let parameter = rows_parameter(kind, adaptive);
        let rows = params.value_or(parameter, Value::Null, count)?;
        if matches!(rows, Some(Count::RowsAndTerms)) && plan.rows.is_none() {
            return Err(PlanError::at(
                format!("mechanism.params.{}", parameter.name),
                "`rows+d` says the number of rows, which is private under add-remove",
                "give a number, or set `adjacency` to \"replace-one\"",
            ));
        }
        let shares = if adaptive {
            Some(Shares {
                epsilon: params.verbatim(&EIGENVALUE_SHARE)?,
                delta: params.verbatim(&EIGENVALUE_DELTA_SHARE)?,
            })
        } else {
            None
        };
        Ok(Self { grid, kind, rows, shares, post_processing: post_processing(params)? })
    }

    /// Returns the number of rows or of degrees of freedom for a table of `terms` terms.
    fn resolve(&self, plan: &CheckedPlan, terms: u32) -> Result<u32, PlanError> {
        let path = format!("mechanism.params.{}", rows_parameter(self.kind, self.shares.is_some()).name);
        let paper = plan.calibration == Calibration::Paper;
        let usual = match (self.kind, self.shares.is_some(), paper) {
            (Kind::Posterior, false, true) => Count::RowsAndTerms,
            (_, true, _) | (Kind::Projection, false, true) => Count::Fixed(2 * terms),
            (_, false, false) => Count::Fixed((2 * terms).max(100)),
        };
        // Twice the terms may be fewer than the terms and two.
        let least = terms + 2;
        let rows = match self.rows.unwrap_or(usual) {
            Count::Fixed(rows) if self.rows.is_none() => rows.max(least),
            Count::Fixed(rows) => rows,
            Count::RowsAndTerms => {
                let rows =
                    plan.rows.filter(|_| plan.adjacency == Adjacency::ReplaceOne).ok_or_else(|| {
                        PlanError::at(
                            path.clone(),
                            "`rows+d` says the number of rows, which is private under add-remove",
                            "give a number, or set `adjacency` to \"replace-one\"",
                        )
                    })?;
                u32::try_from(rows.saturating_add(u64::from(terms))).unwrap_or(u32::MAX)
            }
        };
        let most = most_rows(self.kind);
        if (least..=most).contains(&rows) {
            Ok(rows)
        } else {
            Err(PlanError::at(
                path,
                format!(
                    "{rows} does not do for a table of {terms} terms, counting the constant and the outcomes"
                ),
                format!("give a number from {least} to {most}"),
            ))
        }
    }
}

/// Returns the most rows that a plan may ask for.
const fn most_rows(kind: Kind) -> u32 {
    match kind {
        Kind::Projection => 1_000_000,
        Kind::Posterior => MOST_ROWS.get(),
    }
}

/// Returns the parameter that is the number of rows or of degrees of freedom.
const fn rows_parameter(kind: Kind, adaptive: bool) -> &'static Parameter {
    match (kind, adaptive) {
        (Kind::Projection, false) => &SKETCH_ROWS,
        (Kind::Projection, true) => &MIN_ROWS,
        (Kind::Posterior, false) => &DOF,
        (Kind::Posterior, true) => &MIN_DOF,
    }
}

/// How the ridge comes about.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Plan {
    /// So much, in squared codes.
    Fixed(u64),
    /// What a private bound on the least eigenvalue leaves of `needed`.
    Adaptive {
        /// The ridge that the least number of rows needs, in squared codes.
        needed: u64,
        /// What is taken off the least eigenvalue, in squared codes.
        shift: u64,
        /// The scale of the discrete Laplace noise, in squared codes.
        laplace: NonZeroU64,
        /// ε and δ of the sketch alone; of the plan as a whole under the paper's rule.
        rest: (Epsilon, Delta),
        /// Whose rule says how many rows a bound allows.
        calibration: Calibration,
    },
}

/// The noise of one release: public, and known before any data are.
#[derive(Clone, Debug, PartialEq)]
pub struct Noise {
    kind: Kind,
    /// r or ν; the least of it where the form is adaptive.
    pub rows: NonZeroU32,
    how: Plan,
    terms: usize,
    square: u64,
    adjacency: Adjacency,
    /// What it costs.
    pub cost: ApproximateCost,
}

impl Noise {
    /// Returns the noise that a budget buys.
    ///
    /// # Errors
    /// [`NoiseError`] where the budget buys none, or the number of rows does not do.
    pub fn calibrate(
        plan: &CheckedPlan,
        geometry: &Geometry,
        parameters: &Parameters,
        budget: &Budget,
    ) -> Result<Self, NoiseError> {
        check_terms(geometry, &plan.plan.mechanism.name)?;
        let mut cost = ApproximateCost::of(budget)?;
        let (epsilon, delta, adjacency) = (cost.epsilon, cost.delta, neighbours(plan));
        let terms = geometry.terms.len();
        let columns = u32::try_from(terms).unwrap_or(u32::MAX / 4);
        let rows = NonZeroU32::new(parameters.resolve(plan, columns)?).unwrap_or(NonZeroU32::MIN);
        let square = geometry.squared_norm();
        let paper = plan.calibration == Calibration::Paper;
        let how = match (parameters.shares, paper) {
            (None, false) => Plan::Fixed(codes(
                sketch_ridge(epsilon, delta, rows, adjacency).map_err(|e| no_scale(&e))?,
                square,
            )?),
            (None, true) => {
                let ridge = paper::ridge(epsilon, delta, rows).map_err(|e| no_scale(&e))?;
                cost.epsilon = sketch_epsilon(delta, ridge, rows, adjacency).map_err(|e| no_scale(&e))?;
                Plan::Fixed(codes(ridge, square)?)
            }
            (Some(shares), false) => {
                let (first, second) =
                    (share(epsilon.get(), shares.epsilon), share(delta.get(), shares.delta));
                let rest = (measure(first.1)?, chance(second.1)?);
                let rule =
                    paper::eigenvalue_rule(measure(first.0)?, chance(second.0)?).map_err(|e| no_scale(&e))?;
                let needed = sketch_ridge(rest.0, rest.1, rows, adjacency).map_err(|e| no_scale(&e))?;
                adaptive(rule, needed, rest, Calibration::Exact, square)?
            }
            (Some(shares), true) => {
                if (shares.epsilon - 0.5).abs() > 0.0 || (shares.delta - 0.5).abs() > 0.0 {
                    return Err(NoiseError::Plan(PlanError::at(
                        "mechanism.params.eigenvalue_share",
                        "the paper halves epsilon and delta",
                        "remove both shares, or set `calibration` to \"exact\"",
                    )));
                }
                cost.epsilon = paper_cost(epsilon, delta, rows, adjacency)?;
                let rule = paper::adaptive_eigenvalue_rule(epsilon, delta).map_err(|e| no_scale(&e))?;
                let needed = paper::adaptive_ridge(epsilon, delta, rows).map_err(|e| no_scale(&e))?;
                adaptive(rule, needed, (epsilon, delta), Calibration::Paper, square)?
            }
        };
        Ok(Self { kind: parameters.kind, rows, how, terms, square, adjacency, cost })
    }

    /// Returns the ridge in squared codes: as it is, or the most that it can be.
    pub const fn most_ridge(&self) -> u64 {
        match self.how {
            Plan::Fixed(ridge) | Plan::Adaptive { needed: ridge, .. } => ridge,
        }
    }

    /// Returns the law with so many rows and such a ridge.
    pub fn law(&self, rows: NonZeroU32, ridge: u64) -> NoiseLaw {
        let (rows, ridge) = (u64::from(rows.get()), ridge.to_string());
        match self.kind {
            Kind::Projection => NoiseLaw::Projection { rows, ridge },
            Kind::Posterior => NoiseLaw::InverseWishart { dof: rows, ridge },
        }
    }

    /// Returns the released integers as a packed upper triangle, and their law. `None` if a step fails.
    pub fn release<E: Entropy + ?Sized>(
        &self,
        moments: &Moments,
        rng: &mut E,
    ) -> Option<(Vec<i128>, NoiseLaw)> {
        let cells = packed(moments, self.terms);
        let (rows, ridge) = self.rows_and_ridge(&cells, rng)?;
        // Where the moments with this ridge are not positive definite, the bound on the least eigenvalue was above it, which has a
        // probability of δ₁ at most: whatever follows then is paid for, and the ridge that needs no bound gives a result.
        let drawn = self.draw_matrix(&cells, rows, ridge, rng);
        let drawn = drawn.map(|drawn| (drawn, self.law(rows, ridge)));
        drawn.or_else(|| {
            let most = self.most_ridge();
            Some((self.draw_matrix(&cells, self.rows, most, rng)?, self.law(self.rows, most)))
        })
    }

    /// Returns the matrix, drawn with so many rows and such a ridge. `None` if the moments with the ridge are not positive
    /// definite.
    fn draw_matrix<E: Entropy + ?Sized>(
        &self,
        cells: &[i128],
        rows: NonZeroU32,
        ridge: u64,
        rng: &mut E,
    ) -> Option<Vec<i128>> {
        let factor = bartlett(rng, u64::from(rows.get()), self.terms);
        let mut scale: Vec<IBig> = cells.iter().copied().map(IBig::from).collect();
        let mut diagonal = 0;
        for row in 0..self.terms {
            if !(is_active(Mutant::RidgeShortOfLastCell) && row + 1 == self.terms) {
                *scale.get_mut(diagonal)? += IBig::from(ridge);
            }
            diagonal += self.terms - row;
        }
        let r = f64::from(rows.get());
        let ridge_near = ridge.max(self.square) as f64;
        match self.kind {
            Kind::Projection => {
                projection(&scale, &factor, u64::from(rows.get()), rounding_step(ridge_near / r.sqrt()))
            }
            Kind::Posterior => posterior(&scale, &factor, rounding_step(ridge_near / (r * r.sqrt()))),
        }
    }

    /// Returns the number of rows and the ridge. Adaptive forms look at the least eigenvalue, by a mechanism that is in the cost.
    fn rows_and_ridge<E: Entropy + ?Sized>(&self, cells: &[i128], rng: &mut E) -> Option<(NonZeroU32, u64)> {
        let Plan::Adaptive { shift, laplace: scale, .. } = self.how else {
            return Some((self.rows, self.most_ridge()));
        };
        let noise = if is_active(Mutant::EigenvalueUnnoised) { 0 } else { laplace(rng, scale) };
        let shift = if is_active(Mutant::EigenvalueUnshifted) { 0 } else { shift };
        let bound = least_eigenvalue(cells, self.terms)?
            .saturating_sub(i128::from(shift))
            .saturating_add(noise)
            .max(0);
        self.allowed(u64::try_from(bound).unwrap_or(u64::MAX))
    }

    /// Returns the number of rows and the ridge of a table whose least eigenvalue is `bound` squared codes or more. What is fixed
    /// already does not depend on it. `None` if a formula has no answer.
    pub fn allowed(&self, bound: u64) -> Option<(NonZeroU32, u64)> {
        let Plan::Adaptive { needed, rest, calibration, .. } = self.how else {
            return Some((self.rows, self.most_ridge()));
        };
        if bound < needed {
            return Some((self.rows, needed - bound));
        }
        let eigenvalue = (bound as f64 / self.square as f64).next_down();
        let rows = match calibration {
            Calibration::Exact => sketch_rows(rest.0, rest.1, eigenvalue, self.adjacency).ok(),
            Calibration::Paper => paper::adaptive_rows(rest.0, rest.1, eigenvalue).ok(),
        };
        // Where the formula has no answer, the least number of rows needs no more than this eigenvalue.
        Some((rows.flatten().unwrap_or(self.rows).max(self.rows), 0))
    }
}

impl RoundNoise for Noise {
    fn answer(&self, _: Vec<i128>, sums: &Exact<'_>, rng: &mut dyn Entropy) -> Option<Answer> {
        let Exact::Moments(moments) = sums else { return None };
        let (cells, law) = self.release(moments, rng)?;
        Some(answer(cells, law))
    }

    fn charge(&self) -> Option<Charge> {
        let parameters = [("rows", self.rows.to_string()), ("most_ridge", self.most_ridge().to_string())];
        Some(Charge::approximate(self.cost, Assurance::Idealised, parameters))
    }

    fn law(&self) -> Option<NoiseLaw> {
        Some(Self::law(self, self.rows, self.most_ridge()))
    }
}

/// Returns a scale in squared codes, rounded up.
fn codes(ratio: f64, square: u64) -> Result<u64, NoiseError> {
    squared_codes(ratio, square).ok_or_else(|| no_scale(&"the ridge is out of range"))
}

fn adaptive(
    rule: EigenvalueRule,
    needed: f64,
    rest: (Epsilon, Delta),
    calibration: Calibration,
    square: u64,
) -> Result<Plan, NoiseError> {
    let codes = |ratio| codes(ratio, square);
    let laplace = codes(rule.laplace_scale)?;
    // A scale that is rounded up has longer tails, and the shift has to grow with it.
    let stretch = (laplace as f64 / square as f64 / rule.laplace_scale).next_up().max(1.0);
    Ok(Plan::Adaptive {
        needed: codes(needed)?,
        shift: codes(rule.shift * stretch)?,
        laplace: NonZeroU64::new(laplace).unwrap_or(NonZeroU64::MIN),
        rest,
        calibration,
    })
}

/// Returns a share of a number and what is left of it, each rounded down.
fn share(whole: f64, share: f64) -> (f64, f64) {
    let first = (whole * share).next_down();
    (first, (whole - first).next_down())
}

fn measure(value: f64) -> Result<Epsilon, NoiseError> {
    Epsilon::try_new(value).map_err(|error| no_scale(&error))
}

fn chance(value: f64) -> Result<Delta, NoiseError> {
    Delta::try_new(value).map_err(|error| no_scale(&error))
}

/// Returns the smallest ε known for Algorithms 2 and 5 at their own scales: half of ε for the eigenvalue; its bound may be above
/// the eigenvalue of a neighbour with probability (δ/4) e^(ε/2); the rest of δ is the sketch's, at whichever number of rows costs
/// more, the least or the most (theory/wishart 3.4).
fn paper_cost(
    epsilon: Epsilon,
    delta: Delta,
    rows: NonZeroU32,
    adjacency: Adjacency,
) -> Result<Epsilon, NoiseError> {
    let half = epsilon.get() / 2.0;
    let failing = delta.get() / 4.0 * libm::exp(half) * (1.0 + 1e-12);
    let rest = chance((delta.get() - failing).next_down())?;
    let cost = |rows| -> Result<f64, NoiseError> {
        let ridge = paper::adaptive_ridge(epsilon, delta, rows).map_err(|e| no_scale(&e))?;
        Ok(sketch_epsilon(rest, ridge, rows, adjacency).map_err(|e| no_scale(&e))?.get())
    };
    measure((half + cost(rows)?.max(cost(MOST_ROWS)?)).next_up())
}

/// Returns the least eigenvalue of a symmetric matrix of integers, rounded down to an integer; 0 where it is negative.
fn least_eigenvalue(cells: &[i128], size: usize) -> Option<i128> {
    let matrix = linalg::from_triangle(size, cells, |_, _| 1.0);
    let least = Eigen::try_new(&matrix).ok()?.smallest();
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates, and the sums are far below")]
    Some(least.max(0.0).floor() as i128)
}
