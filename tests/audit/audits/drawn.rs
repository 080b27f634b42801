//! Matrices that are drawn whole (Sheffet's mechanisms): what an attacker sees of the worst pairs (T4), the laws of what
//! is drawn (T6), and what of δ is kept (T8).
//!
//! An attacker who knows both tables compares the densities of the whole released matrix, so the reduction of each curve
//! to one or two chi-square variables is on trial with the program. Each side of T4 is accused at 5 standard errors, with a
//! chance below 3e-7.

use std::any::Any;
use std::sync::Arc;

use std::collections::BTreeSet;

use discreet::audit::bench::{Side, read};
use discreet::audit::direct::delta_lower;
use discreet::audit::estimate::Level;
use discreet::audit::threshold::HeldOut;
use discreet::data::Moments;
use discreet::engine::Prepared;
use discreet::math::round::real as float;
use discreet::mechanisms::wishart::{additive, scaled};
use discreet::mechanisms::{Answer, RoundNoise};
use discreet::model::NoiseLaw;
use discreet::noise::entropy::DemoRng;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::measure::{Delta, Epsilon};
use discreet::privacy::profile::paper::{EigenvalueRule, eigenvalue_rule};
use discreet::privacy::profile::{
    GRID_BITS, GridWishart, WishartNoise, additive_wishart_delta, grid_distance, sketch_delta,
};
use nalgebra::{Cholesky, DMatrix};
use serde_json::{Value, json};

use super::{Audit, Depth, Saw, audit, judged};

const SEED: u64 = 20_261_123;
/// The claim of every pair.
const EPSILON: f64 = 1.0;
const DELTA: f64 = 0.05;
/// R² in squared codes.
const UNIT: f64 = (1_u64 << 48) as f64;
/// Standard errors at which a statistic is accused.
const ACCUSED: f64 = 5.0;

const BOTH: [Adjacency; 2] = [Adjacency::AddRemove, Adjacency::ReplaceOne];

pub fn audits(depth: Depth) -> Vec<Audit> {
    let mut all = Vec::new();
    for (name, runs) in [("jl-ridge", 2_500), ("inverse-wishart", 2_500), ("additive-wishart", 1_500)] {
        let runs = if depth == Depth::Full { 12 * runs } else { runs };
        for adjacency in BOTH {
            all.push(audit(format!("T4 {name} {adjacency}"), move || told_apart(name, adjacency, runs)));
        }
        all.push(audit(format!("T6 {name}"), move || law(name, 1_000)));
    }
    let runs = if depth == Depth::Full { 10_000 } else { 1_000 };
    all.push(audit("T4 jl-ridge-adaptive", move || adaptive_told_apart(runs)));
    all.push(audit("T6 least eigenvalue", least_eigenvalue));
    all.push(audit("T6 drawn repeats", no_two_draws_are_equal));
    all.push(audit("T8 grid slack", slack_is_kept));
    all
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::try_new(value).unwrap()
}

fn number(name: &str, role: &str) -> Value {
    json!({"name": name, "role": role, "type": "number", "lower": -1, "upper": 1})
}

/// A plan on x, w and y, under replace-one without a constant, so that two records can be orthogonal.
fn plan(name: &str, params: &Value, adjacency: Adjacency, rows: usize) -> Value {
    let mut plan = json!({
        "schema": "discreet.plan/1",
        "adjacency": adjacency.to_string(),
        "columns": [number("x", "feature"), number("w", "feature"), number("y", "outcome")],
        "mechanism": {"name": name, "params": params},
        "budget": {"epsilon": EPSILON, "delta": DELTA},
    });
    plan["mechanism"]["params"]["row_norm"] = json!(0.5);
    if adjacency == Adjacency::ReplaceOne {
        plan["rows"] = json!(rows);
        plan["intercept"] = json!(false);
        plan["mechanism"]["params"]["intercept_weight"] = json!(0);
    }
    plan
}

/// Few degrees of freedom, where each of them is felt.
fn params(name: &str) -> Value {
    match name {
        "jl-ridge" => json!({"sketch_rows": 7}),
        "inverse-wishart" => json!({"dof": 7}),
        _ => json!({"scale_ratio": 1}),
    }
}

/// Records along the three axes, so many each.
fn axes(counts: [usize; 3]) -> String {
    let rows = ["1,0,0\n", "0,1,0\n", "0,0,1\n"];
    let rows = rows.iter().zip(counts).map(|(row, count)| row.repeat(count));
    std::iter::once("x,w,y\n".to_owned()).chain(rows).collect()
}

/// Two tables under one noise.
struct Bench {
    noise: Arc<dyn RoundNoise>,
    moments: [Moments; 2],
}

impl Bench {
    fn new(plan: &Value, tables: [&str; 2]) -> Self {
        let (prepared, first) = read(plan, tables[0], Prepared::moments).unwrap();
        let (_, second) = read(plan, tables[1], Prepared::moments).unwrap();
        let noise = prepared.start().round().unwrap().noise;
        Self { noise, moments: [first, second] }
    }

    /// The pair that is thought to be the worst: no other records, one that is as long as a record can be, and under
    /// replace-one another that is orthogonal to it.
    fn worst(name: &str, adjacency: Adjacency) -> Self {
        let (first, second) = match adjacency {
            Adjacency::AddRemove => ([0, 0, 0], [0, 0, 1]),
            Adjacency::ReplaceOne => ([1, 0, 0], [0, 0, 1]),
        };
        Self::new(&plan(name, &params(name), adjacency, 1), [&axes(first), &axes(second)])
    }

    fn release(&self, side: Side, run: u32) -> Result<Answer, String> {
        let stream = u64::from(run) << 1 | side.index() as u64;
        let drawn =
            self.noise.release(&(&self.moments[side.index()]).into(), &mut DemoRng::new(SEED, stream));
        drawn.ok_or_else(|| "a matrix could not be drawn".to_owned())
    }

    /// The exact moments in units of R².
    fn exact(&self, side: Side) -> DMatrix<f64> {
        let moments = &self.moments[side.index()];
        DMatrix::from_fn(moments.terms(), moments.terms(), |i, j| float(moments.get(i, j)) / UNIT)
    }

    /// ‖v‖² of the record that the second table has, in units of R².
    fn square(&self) -> f64 {
        let (one, two) = (self.exact(Side::Without), self.exact(Side::With));
        (two - one).diagonal().iter().map(|change| change.max(0.0)).sum()
    }

    /// ln of the density of a release under the second table over that under the first.
    fn loss(&self, drawn: &Answer) -> f64 {
        let matrix = whole(&drawn.cells);
        let (zero, one) = (self.exact(Side::Without), self.exact(Side::With));
        match law_of(drawn.law.as_ref().unwrap()) {
            Law::Projection(r, ridge) => {
                let (zero, one) = (factor(&ridged(&zero, ridge)), factor(&ridged(&one, ridge)));
                let change = one.inverse() - zero.inverse();
                r / 2.0 * (ln_det(&zero) - ln_det(&one) - (change * matrix).trace())
            }
            Law::Posterior(nu, ridge) => {
                let inverse = factor(&matrix).inverse();
                let dets = ln_det(&factor(&ridged(&one, ridge))) - ln_det(&factor(&ridged(&zero, ridge)));
                nu / 2.0 * dets - ((one - zero) * inverse).trace() / 2.0
            }
            Law::Added(k, s2) => {
                let power = (k - float(matrix.nrows()) - 1.0) / 2.0;
                let noise = [&matrix - &zero, &matrix - &one];
                let shift = (noise[0].trace() - noise[1].trace()) / (2.0 * s2);
                match noise.map(Cholesky::new) {
                    [Some(zero), Some(one)] => power * (ln_det(&one) - ln_det(&zero)) + shift,
                    [Some(_), None] => f64::NEG_INFINITY,
                    _ => f64::INFINITY,
                }
            }
        }
    }

    /// δ that the mechanism's curve promises at ε for this very pair, and whether the curve is exact.
    fn curve(&self, at: f64, adjacency: Adjacency) -> (f64, bool) {
        let drawn = self.release(Side::Without, 0).unwrap();
        match law_of(drawn.law.as_ref().unwrap()) {
            Law::Projection(rows, ridge) | Law::Posterior(rows, ridge) => {
                let rows = std::num::NonZeroU32::new(whole_number(rows)).unwrap();
                (sketch_delta(epsilon(at), self.square() / ridge, rows, adjacency).unwrap().get(), true)
            }
            Law::Added(k, s2) => {
                let noise = WishartNoise::try_new(whole_number(k), 3 + u32::from(adjacency == BOTH[0]));
                let delta =
                    additive_wishart_delta(epsilon(at), self.square() / s2, noise.unwrap(), adjacency);
                (delta.unwrap().get(), adjacency == Adjacency::AddRemove)
            }
        }
    }
}

/// A law with its numbers, in units of R².
enum Law {
    Projection(f64, f64),
    Posterior(f64, f64),
    Added(f64, f64),
}

fn law_of(law: &NoiseLaw) -> Law {
    let code = |text: &String| text.parse::<f64>().unwrap() / UNIT;
    let count = |number: &u64| f64::from(u32::try_from(*number).unwrap());
    match law {
        NoiseLaw::Projection { rows, ridge } => Law::Projection(count(rows), code(ridge)),
        NoiseLaw::InverseWishart { dof, ridge } => Law::Posterior(count(dof), code(ridge)),
        NoiseLaw::Wishart { dof, scale } => Law::Added(count(dof), code(scale)),
        NoiseLaw::DiscreteGaussian { .. } | NoiseLaw::WeightedDiscreteGaussian { .. } => {
            panic!("noise in cells")
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it was a small whole number")]
fn whole_number(number: f64) -> u32 {
    number as u32
}

/// A symmetric matrix from its packed upper triangle, in units of R².
fn whole(cells: &[i128]) -> DMatrix<f64> {
    let size = (1..).find(|size| size * (size + 1) / 2 == cells.len()).unwrap();
    DMatrix::from_fn(size, size, |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        float(cells[i * (2 * size + 1 - i) / 2 + (j - i)]) / UNIT
    })
}

fn ridged(matrix: &DMatrix<f64>, ridge: f64) -> DMatrix<f64> {
    matrix + DMatrix::from_diagonal_element(matrix.nrows(), matrix.nrows(), ridge)
}

fn factor(matrix: &DMatrix<f64>) -> Cholesky<f64, nalgebra::Dyn> {
    Cholesky::new(matrix.clone()).unwrap()
}

fn ln_det(factor: &Cholesky<f64, nalgebra::Dyn>) -> f64 {
    2.0 * factor.l_dirty().diagonal().iter().map(|pivot| libm::log(*pivot)).sum::<f64>()
}

/// Losses of runs under both tables.
struct Losses([Vec<f64>; 2]);

impl Losses {
    fn new(runs: u32, mut loss: impl FnMut(Side, u32) -> Result<f64, String>) -> Result<Self, String> {
        let mut losses = [Vec::new(), Vec::new()];
        for run in 0..runs {
            for side in Side::BOTH {
                losses[side.index()].push(loss(side, run)?);
            }
        }
        Ok(Self(losses))
    }

    /// The larger direction's δ at ε, and its standard error.
    fn delta(&self, at: f64) -> (f64, f64) {
        let n = float(self.0[0].len());
        let share = |side: usize, beyond: &dyn Fn(f64) -> bool| {
            float(self.0[side].iter().filter(|loss| beyond(**loss)).count()) / n
        };
        let grow = libm::exp(at);
        let direction = |p: f64, q: f64| {
            let variance = (p * (1.0 - p) + grow * grow * q * (1.0 - q)).max(1.0 / n) / n;
            (p - grow * q, variance.sqrt())
        };
        let presence = direction(share(1, &|loss| loss > at), share(0, &|loss| loss > at));
        let absence = direction(share(0, &|loss| -loss > at), share(1, &|loss| -loss > at));
        if presence.0 > absence.0 { presence } else { absence }
    }

    /// A bound that holds without any model, from thresholds on the loss (confidence 1 − 1e-3).
    fn disproved(&self, at: f64) -> f64 {
        let mut runs = HeldOut::default();
        for side in Side::BOTH {
            for (run, loss) in (0..).zip(&self.0[side.index()]) {
                runs.feed(side, run, loss.clamp(-1e300, 1e300));
            }
        }
        delta_lower(&runs, epsilon(at), Level::try_new(5e-4).unwrap())
    }
}

/// The loss of the worst pair against the curve that is charged by, and against the charge.
fn told_apart(name: &str, adjacency: Adjacency, runs: u32) -> Saw {
    let bench = Bench::worst(name, adjacency);
    let losses = Losses::new(runs, |side, run| Ok(bench.loss(&bench.release(side, run)?)))?;
    let (claimed, _) = bench.curve(EPSILON, adjacency);
    if claimed > DELTA {
        return Err(format!("the released law keeps delta {claimed:.3} where {DELTA} is charged"));
    }
    let mut seen = Vec::new();
    let mut sound = losses.disproved(EPSILON) <= DELTA;
    for at in [0.0, 0.5, EPSILON] {
        let ((delta, error), (curve, exact)) = (losses.delta(at), bench.curve(at, adjacency));
        let excess = (delta - curve) / error;
        sound &= excess <= ACCUSED && (!exact || excess >= -ACCUSED);
        seen.push(format!("{delta:.3} against {curve:.3}"));
    }
    judged(sound, format!("delta at epsilon 0, 1/2, 1: {}", seen.join(", ")))
}

/// T T' of what was drawn, for Bartlett's factor T, or for random rows: a draw of W(I, r); and r.
fn standardised(bench: &Bench, drawn: &Answer) -> (DMatrix<f64>, f64) {
    let (matrix, exact) = (whole(&drawn.cells), bench.exact(Side::Without));
    let whitened = |ridge: f64| {
        let lower = factor(&ridged(&exact, ridge)).unpack();
        let half = lower.solve_lower_triangular(&matrix).unwrap();
        lower.solve_lower_triangular(&half.transpose()).unwrap()
    };
    match law_of(drawn.law.as_ref().unwrap()) {
        Law::Projection(r, ridge) => (whitened(ridge) * r, r),
        Law::Posterior(nu, ridge) => (whitened(ridge).try_inverse().unwrap(), nu),
        Law::Added(k, s2) => ((matrix - exact) / s2, k),
    }
}

/// The means and variances of all cells of W(I, r), r (1 and 2 on the diagonal), and the last pivot, χ² with r − d + 1.
fn law(name: &str, runs: u32) -> Saw {
    let bench =
        Bench::new(&plan(name, &params(name), Adjacency::AddRemove, 0), [&axes([1, 2, 1]), "x,w,y\n"]);
    let n = f64::from(runs);
    let (mut cells, mut last, mut freedom) = (vec![[0.0; 2]; 10], 0.0, 0.0);
    for run in 0..runs {
        let (drawn, r) = standardised(&bench, &bench.release(Side::Without, run)?);
        freedom = r;
        let mut cells = cells.iter_mut();
        for row in 0..4 {
            for (column, sums) in (row..4).zip(&mut cells) {
                let centred = drawn[(row, column)] - if row == column { r } else { 0.0 };
                sums[0] += centred / n;
                sums[1] += centred * centred / n;
            }
        }
        last += Cholesky::new(drawn).ok_or("not positive definite")?.l_dirty()[(3, 3)].powi(2) / n;
    }
    // The fourth central moments are 12 r² + 48 r on the diagonal and 3 r² + 6 r off it.
    let mut worst = (last - (freedom - 3.0)).abs() / (2.0 * (freedom - 3.0) / n).sqrt();
    let mut sums = cells.iter();
    for row in 0..4 {
        for (column, [mean, square]) in (row..4).zip(&mut sums) {
            let (r, on) = (freedom, row == column);
            let variance = if on { 2.0 * r } else { r };
            let fourth = if on { 12.0 * r * r + 48.0 * r } else { 3.0 * r * r + 6.0 * r };
            worst = f64::max(worst, mean.abs() / (variance / n).sqrt());
            worst = worst.max((square - variance).abs() / ((fourth - variance * variance) / n).sqrt());
        }
    }
    judged(worst <= ACCUSED, format!("{worst:.1} standard errors from the claimed law"))
}

/// Records in the table whose least eigenvalue is looked at, along its shortest axis.
const SHORT: usize = 33;
const MANY: u32 = 1_000;

/// The adaptive projection of a table whose least eigenvalue is about 33 R², and one with a record more along that axis.
fn adaptive() -> (Bench, EigenvalueRule) {
    let counts = [60, 60, SHORT];
    let plan =
        plan("jl-ridge-adaptive", &json!({"min_rows": MANY}), Adjacency::ReplaceOne, counts.iter().sum());
    let bench = Bench::new(&plan, [&axes(counts), &axes([59, 60, SHORT + 1])]);
    // A quarter of both, by default.
    (bench, eigenvalue_rule(epsilon(EPSILON / 4.0), Delta::try_new(DELTA / 4.0).unwrap()).unwrap())
}

/// The bound on the least eigenvalue that a release used, in units of R²; none where the ridge was 0.
fn bound_used(bench: &Bench, drawn: &Answer) -> Option<f64> {
    let noise: &dyn Any = &*bench.noise;
    let noise = noise.downcast_ref::<scaled::Noise>().unwrap();
    let most = noise.most_ridge();
    let Some(NoiseLaw::Projection { ridge, .. }) = &drawn.law else { panic!("another law") };
    let ridge: u64 = ridge.parse().unwrap();
    (ridge > 0).then(|| float(i128::from(most - ridge)) / UNIT)
}

/// The bound is Laplace noise about the least eigenvalue less the shift.
fn least_eigenvalue() -> Saw {
    const RUNS: u32 = 1_000;
    let (bench, rule) = adaptive();
    let least = bench.exact(Side::Without)[(2, 2)];
    let (mut above, mut far, mut failed) = (0_u32, 0_u32, 0_u32);
    for run in 0..RUNS {
        let bound = bound_used(&bench, &bench.release(Side::Without, run)?);
        // Beyond the largest ridge it is above the middle in any case.
        let bound = bound.unwrap_or(f64::INFINITY);
        let beside = bound - (least - rule.shift);
        above += u32::from(beside > 0.0);
        far += u32::from(beside.abs() > rule.laplace_scale * std::f64::consts::LN_2);
        failed += u32::from(bound.is_finite() && bound > least);
    }
    let n = f64::from(RUNS);
    let score = |count: u32| (2.0 * f64::from(count) - n).abs() / n.sqrt();
    let most = n * DELTA / 4.0 + ACCUSED * (n * DELTA / 4.0).sqrt();
    let sound = score(above) <= ACCUSED && score(far) <= ACCUSED && f64::from(failed) <= most;
    judged(
        sound,
        format!("of {RUNS} bounds {above} are above the middle, {far} far from it, {failed} too large"),
    )
}

/// What the ridge tells of the least eigenvalue, and the matrix of the rest, together.
fn adaptive_told_apart(runs: u32) -> Saw {
    let (bench, rule) = adaptive();
    let middles = Side::BOTH.map(|side| bench.exact(side)[(2, 2)] - rule.shift);
    let losses = Losses::new(runs, |side, run| {
        let drawn = bench.release(side, run)?;
        let from = |middle: f64, bound: f64| (bound - middle).abs() / rule.laplace_scale;
        let told = match bound_used(&bench, &drawn) {
            // Below 0 is 0: the tail of the law, on the same side of both middles.
            Some(bound) => from(middles[0], bound) - from(middles[1], bound),
            None => 0.0,
        };
        Ok(told + if bound_used(&bench, &drawn).is_some() { bench.loss(&drawn) } else { 0.0 })
    })?;
    let (delta, error) = losses.delta(EPSILON);
    let sound = delta <= DELTA + ACCUSED * error && losses.disproved(EPSILON) <= DELTA;
    judged(sound, format!("delta at epsilon 1 is {delta:.4} against {DELTA}"))
}

fn no_two_draws_are_equal() -> Saw {
    const RUNS: u32 = 100;
    for name in ["jl-ridge", "inverse-wishart", "additive-wishart"] {
        let bench = Bench::worst(name, Adjacency::ReplaceOne);
        let mut all = BTreeSet::new();
        for run in 0..RUNS {
            for side in Side::BOTH {
                all.insert(bench.release(side, run)?.cells);
            }
        }
        if all.len() < 200 {
            return Err(format!("{} different releases of 200 of {name}", all.len()));
        }
    }
    Ok("600 different releases of 600".to_owned())
}

/// A budget whose δ is that of whole degrees of freedom leaves nothing for the grid, unless it was kept before. Many rows
/// on the coarsest codes make the grid felt at all.
fn slack_is_kept() -> Saw {
    let coarse = json!({"scale_ratio": 10, "radius": 65_536});
    let mut plan = plan("additive-wishart", &coarse, Adjacency::ReplaceOne, 1);
    let found = |plan: &Value| {
        let (prepared, _) = read(plan, &axes([1, 0, 0]), Prepared::moments).unwrap();
        let noise = prepared.noise::<additive::Noise>().unwrap().clone();
        let square = u64::from(prepared.geometry().radius).pow(2);
        let ratio = (float(square) / float(noise.scale)).next_up();
        let law = WishartNoise::try_new(noise.degrees, 3).unwrap();
        let ideal = additive_wishart_delta(noise.cost.epsilon, ratio, law, Adjacency::ReplaceOne).unwrap();
        (noise, ideal.get())
    };
    plan["budget"] = json!({"epsilon": 0.1, "delta": 1e-6});
    let (_, ideal) = found(&plan);
    // A plan keeps 2⁻²⁰ of its δ back as a ledger does.
    plan["budget"]["delta"] = json!(ideal * (1.0 + 4e-15) / (1.0 - libm::ldexp(1.0, -20)));
    let (noise, ideal) = found(&plan);
    let grid = GridWishart { degrees: noise.degrees, columns: 3, scale: noise.scale, step: noise.step };
    let slack = grid_distance(&grid, noise.cost.epsilon);
    let sum = ideal + slack;
    let seen = format!(
        "delta {ideal:.4e} and {slack:.1e} for {GRID_BITS} bits within {:.4e}",
        noise.cost.delta.get()
    );
    judged(sum <= noise.cost.delta.get() && noise.on_grid, seen)
}
