//! Sheffet's mechanisms (theory/wishart): golden numbers, laws,
//! plans, refusals, documents. Coverage is in `pivots`. Seeds are fixed.

use std::num::NonZeroU32;

use dashu_int::IBig;
use discreet::data::Moments;
use discreet::engine::{EngineError, Prepared, prepare};
use discreet::inference::pseudo::Pseudo;
use discreet::inference::{Fit, NoisyMoments, Options, Repair, Ridge, fit, refit};
use discreet::math::linalg::Eigen;
use discreet::mechanisms::wishart::{additive as additive_wishart, scaled as sketch};
use discreet::model::{Assurance, Interval, NoiseLaw, Shape};
use discreet::noise::entropy::DemoRng;
use discreet::noise::wishart::round_sum;
use discreet::plan::{Plan, Purpose};
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{Budget, Split};
use discreet::privacy::ledger::{Ledger, Opening};
use discreet::privacy::measure::{Delta, Epsilon};
use discreet::privacy::profile::paper::{adaptive_ridge, debiasing};
use discreet::privacy::profile::sketch_ridge;
use discreet::release::Release;
use discreet::release::document::LedgerReference;
use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};

use crate::mechanisms::{assert_close, design, least_squares, run};
use crate::support::{DIABETES, column, list, plan, prepared, release, scan, small_diabetes_plan};

pub const NAMES: [&str; 5] =
    ["jl-ridge", "jl-ridge-adaptive", "inverse-wishart", "inverse-wishart-adaptive", "additive-wishart"];

/// R² at the smallest radius.
const UNIT: f64 = 4_294_967_296.0;

/// Three columns of one weight and no constant, so that coded coefficients are those in own units.
fn three(name: &str, params: Value) -> Value {
    let mut plan = plan(
        &[
            column("a", "feature", -1.0, 1.0),
            column("b", "feature", -1.0, 1.0),
            column("y", "outcome", -1.0, 1.0),
        ],
        json!({"epsilon": 1, "delta": 1e-6}),
    );
    plan["adjacency"] = json!("replace-one");
    plan["rows"] = json!(1);
    plan["intercept"] = json!(false);
    plan["mechanism"] = json!({"name": name, "params": params});
    let params = &mut plan["mechanism"]["params"];
    params["radius"] = json!(65_536);
    params["intercept_weight"] = json!(0);
    params["feature_share"] = json!(2.0 / 3.0);
    plan
}

fn ready(plan: &Value) -> Prepared {
    prepared(plan, "a,b,y\n0,0,0\n").unwrap()
}

pub fn sketch_of(prepared: &Prepared) -> sketch::Noise {
    prepared.noise::<sketch::Noise>().unwrap().clone()
}

fn wishart_of(prepared: &Prepared) -> additive_wishart::Noise {
    prepared.noise::<additive_wishart::Noise>().unwrap().clone()
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::try_new(value).unwrap()
}

fn delta(value: f64) -> Delta {
    Delta::try_new(value).unwrap()
}

#[expect(clippy::cast_possible_truncation, reason = "far below 2^127")]
fn cells(values: &[f64]) -> Vec<i128> {
    values.iter().map(|value| (value * UNIT).round() as i128).collect()
}

fn code(number: f64) -> String {
    cells(&[number])[0].to_string()
}

fn read(prepared: &Prepared, values: &[f64], law: &NoiseLaw) -> NoisyMoments {
    NoisyMoments::from_law(prepared.geometry(), prepared.layout(), &cells(values), law, prepared.plan())
        .unwrap()
}

fn regression(moments: &NoisyMoments) -> Fit {
    fit(moments, 2, &[0, 1], false, Options::default()).unwrap()
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-8, "{found} is not {expected}");
}

#[test]
fn golden_regressions() {
    let sketch = ready(&three("jl-ridge", json!({"sketch_rows": 9})));
    let raw = ready(&three("additive-wishart", json!({"output": "raw"})));
    let added = NoiseLaw::Wishart { dof: 9, scale: code(0.25) };
    let cells = |shape| NoiseLaw::DiscreteGaussian { shape, s: code(0.5) };
    let table: [(&Prepared, NoiseLaw, [f64; 6], [f64; 2]); 5] = [
        (
            &sketch,
            NoiseLaw::Projection { rows: 9, ridge: code(2.0) },
            [
                6.0, 1.538_516_480_713, 1.607_795_104_010, 4.690_801_789_867, 1.429_408_263_199,
                5.593_095_323_010,
            ],
            [0.207_259_137_195, 0.236_747_727_701],
        ),
        (
            &sketch,
            NoiseLaw::InverseWishart { dof: 9, ridge: code(2.0) },
            [
                0.680_264_352_708, 0.034_592_344_042, 0.298_280_551_173, 0.618_378_596_947,
                -0.094_630_021_861, 1.018_322_041_828,
            ],
            [0.447_532_220_018, -0.178_064_394_418],
        ),
        (
            &raw,
            added,
            [6.25, 1.225, 1.85, 5.0225, 0.838_553_390_593, 6.8225],
            [0.276_493_713_500, 0.099_521_869_897],
        ),
        (
            &sketch,
            cells(Shape::Iid),
            [4.05, 0.9, 2.15, 3.2, 0.25, 5.3],
            [0.547_736_625_514, -0.075_925_925_926],
        ),
        (
            &sketch,
            cells(Shape::Goe),
            [4.070_710_678_119, 0.9, 2.15, 3.282_842_712_475, 0.25, 5.424_264_068_712],
            [0.544_319_135_051, -0.073_073_017_064],
        ),
    ];
    for (prepared, law, matrix, expected) in &table {
        let found = regression(&read(prepared, matrix, law)).estimate.unwrap();
        found.iter().zip(expected).for_each(|(found, expected)| near(*found, *expected));
    }
    // Without a number of rows the intervals cover the noise alone.
    for (row, errors, ends) in [
        (0, [0.357_683_234_359, 0.404_529_938_160], [-0.638_527_313_159, 1.053_045_587_549]),
        (1, [0.399_935_547_782, 0.419_470_708_522], [-0.474_720_806_982, 1.369_785_247_017]),
    ] {
        let (prepared, law, matrix, _) = &table[row];
        let given = regression(&read(prepared, matrix, law));
        // Without a number of rows there is no sampling error in it.
        assert_eq!(given.interval, Interval::Approximate);
        let found = given.uncertainty.unwrap();
        found.std_error.iter().zip(errors).for_each(|(found, error)| near(*found, error));
        near(found.lower[0], ends[0]);
        near(found.upper[0], ends[1]);
    }
    let g = DMatrix::from_row_slice(3, 3, &[4.0, 1.0, 2.0, 1.0, 3.0, 0.5, 2.0, 0.5, 5.0]);
    near(Eigen::try_new(&g).unwrap().smallest(), 2.096_521_617_297);
}

fn share_of(number: u64, square: u64) -> f64 {
    number as f64 / square as f64
}

#[test]
fn a_bound_on_the_eigenvalue_buys_rows_or_saves_ridge() {
    for name in ["jl-ridge-adaptive", "inverse-wishart-adaptive"] {
        let mut plan = three(name, json!({}));
        plan["mechanism"]["calibration"] = json!("paper");
        let prepared = ready(&plan);
        let (noise, square) = (sketch_of(&prepared), prepared.geometry().squared_norm());
        assert_eq!(noise.rows.get(), 6, "twice the terms");
        // theory/wishart 8; a plan buys a millionth less of its δ.
        let (rows, ridge) = noise.allowed(50 * square).unwrap();
        assert_eq!(rows.get(), 6);
        assert!((share_of(ridge, square) - 187.646_372_621).abs() < 1e-4, "{ridge}");
        let (rows, ridge) = noise.allowed(5_000 * square).unwrap();
        assert_eq!((rows.get(), ridge), (11_670, 0));
        let paper = |rows| adaptive_ridge(epsilon(1.0), noise.cost.delta, rows).unwrap();

        plan["mechanism"]["calibration"] = json!("exact");
        let exact = ready(&plan);
        let exact_noise = sketch_of(&exact);
        // Three quarters of ε and of the δ that a plan buys.
        let price = exact_noise.cost;
        let rest = (epsilon(0.75 * price.epsilon.get()), delta(0.75 * price.delta.get()));
        let own = |rows| sketch_ridge(rest.0, rest.1, rows, Adjacency::ReplaceOne).unwrap();

        let sides: [(&sketch::Noise, &dyn Fn(NonZeroU32) -> f64); 2] =
            [(&noise, &paper), (&exact_noise, &own)];
        for (noise, f) in sides {
            let least = noise.most_ridge();
            for bound in [0, 1, square, least - 1, least, least + 1, 2 * least, 40 * least] {
                let (rows, ridge) = noise.allowed(bound).unwrap();
                assert_eq!(ridge == 0, bound >= least);
                let s = share_of(bound, square);
                if ridge > 0 {
                    assert_eq!((rows, ridge), (noise.rows, least - bound));
                    assert!(s + share_of(ridge, square) >= f(rows) * (1.0 - 1e-12));
                } else {
                    let more = rows.checked_add(1).unwrap();
                    assert!(f(rows) <= s * (1.0 + 1e-9) && s <= f(more) * (1.0 + 1e-9), "{s} {rows}");
                }
            }
        }
    }
    let fixed = sketch_of(&ready(&three("jl-ridge", json!({"sketch_rows": 9}))));
    assert_eq!(fixed.allowed(u64::MAX), Some((fixed.rows, fixed.most_ridge())));
}

/// At a large δ the bound on the least eigenvalue is often above it. Where the moments are singular, too, the ridge that needs no bound gives
/// a result after all.
#[test]
fn a_singular_table_has_a_release_whatever_the_bound_says() {
    for name in ["jl-ridge-adaptive", "inverse-wishart-adaptive"] {
        let mut plan = three(name, json!({}));
        plan["budget"] = json!({"epsilon": 4, "delta": 0.4});
        let noise = sketch_of(&ready(&plan));
        let singular = Moments::new(3);
        let mut regular = Moments::new(3);
        for row in [[1_000, 0, 0], [0, 1_000, 0], [0, 0, 1_000]] {
            regular.add(&row);
        }
        let ridge = |law: NoiseLaw| match law {
            NoiseLaw::Projection { ridge, .. } | NoiseLaw::InverseWishart { ridge, .. } => ridge,
            other => panic!("{other:?}"),
        };
        let mut without_ridge = 0;
        for run in 0..2_000 {
            let [of_regular, of_singular] = [&regular, &singular]
                .map(|moments| noise.release(moments, &mut DemoRng::new(7, run)).map(|(_, law)| ridge(law)));
            let of_singular = of_singular.unwrap_or_else(|| panic!("{name}: run {run} has no release"));
            if of_regular.unwrap() == "0" {
                without_ridge += 1;
                assert_eq!(of_singular, noise.most_ridge().to_string());
            }
        }
        println!("{name}: {without_ridge} bounds beyond the ridge");
        assert!(without_ridge > 0, "{name}: the bound is never so large");
    }
}

#[test]
fn each_branch_of_the_debiasing_is_taken() {
    let law = NoiseLaw::Wishart { dof: 204, scale: code(1.0) };
    let prepared = ready(&three("additive-wishart", json!({})));
    let cautious = debiasing(204, 3, delta(1e-6)).unwrap().cautious;
    assert!(cautious > 40.0 && cautious < 60.0, "{cautious}");
    let diagonal = |cell: f64| [cell, 1.0, 2.0, cell, 0.5, cell];
    for (cell, left, stepped) in [(300.0, 0.0, false), (100.0, 204.0 - cautious, true), (30.0, 204.0, true)] {
        let moments = read(&prepared, &diagonal(cell), &law);
        assert!((moments.ridge() - left).abs() < 1e-6, "{}", moments.ridge());
        assert_eq!(moments.stepped(), stepped);
        assert!((moments.matrix()[(0, 0)] - (cell - 204.0 + left)).abs() < 1e-6);
        let options = Options { rows: Some(1_000), ..Options::default() };
        let found = fit(&moments, 2, &[0, 1], false, options).unwrap();
        assert!(found.estimate.is_some());
        assert_eq!(found.uncertainty.is_none(), stepped || cell < 300.0, "{cell}");
    }
    let raw = ready(&three("additive-wishart", json!({"output": "raw"})));
    let moments = read(&raw, &diagonal(300.0), &law);
    assert!((moments.ridge() - 204.0).abs() < 1e-6 && !moments.stepped());
}

#[test]
fn rounding_is_to_the_nearest_step_also_below_zero() {
    // Steps of 8; noise in quarters. A half goes up.
    for (exact, noise, expected) in [
        (3, 0, 0),
        (4, 0, 8),
        (3, 3, 0),
        (3, 4, 8),
        (-4, 0, 0),
        (-4, -1, -8),
        (-5, 0, -8),
        (-12, 0, -8),
        (-13, 0, -16),
        (1 << 100, -15, 1 << 100),
    ] {
        assert_eq!(round_sum(exact, &IBig::from(noise), 1, 3), Some(expected), "{exact} {noise}");
    }
    assert_eq!(round_sum(5, &IBig::from(-3), 1, 0), Some(4), "4.25");
    assert_eq!(round_sum(i128::MAX, &(IBig::ONE << 10), 1, 0), None);
}

/// The two-sample statistic of Kolmogorov and Smirnov times √(n/2); above 2.7 with a chance below 1e-6.
fn distance(mut one: Vec<f64>, mut two: Vec<f64>) -> f64 {
    one.sort_by(f64::total_cmp);
    two.sort_by(f64::total_cmp);
    let n = f64::from(u32::try_from(one.len()).unwrap());
    let rank = |sample: &[f64], at: f64| {
        f64::from(u32::try_from(sample.partition_point(|value| *value <= at)).unwrap()) / n
    };
    let gap = |at: &f64| (rank(&one, *at) - rank(&two, *at)).abs();
    one.iter().chain(&two).map(gap).fold(0.0, f64::max) * (n / 2.0).sqrt()
}

pub fn whole(cells: &[i128], size: usize, unit: f64) -> DMatrix<f64> {
    DMatrix::from_fn(size, size, |i, j| {
        let (i, j) = (i.min(j), i.max(j));
        cells[i * (2 * size + 1 - i) / 2 + (j - i)] as f64 / unit
    })
}

/// A cell of the diagonal, one beside it, and the last pivot.
fn features(matrix: &DMatrix<f64>) -> [f64; 3] {
    let last = matrix.nrows() - 1;
    let pivot = matrix.clone().cholesky().unwrap().l_dirty()[(last, last)].powi(2);
    [matrix[(0, 0)], matrix[(0, last)], pivot]
}

fn same_law(draws: u32, mut one: impl FnMut(u32) -> DMatrix<f64>, mut two: impl FnMut(u32) -> DMatrix<f64>) {
    let one: Vec<[f64; 3]> = (0..draws).map(|draw| features(&one(draw))).collect();
    let two: Vec<[f64; 3]> = (0..draws).map(|draw| features(&two(draw))).collect();
    for which in 0..3 {
        let pick = |draws: &[[f64; 3]]| draws.iter().map(|features| features[which]).collect();
        let found = distance(pick(&one), pick(&two));
        assert!(found < 2.7, "feature {which}: {found}");
    }
}

#[test]
fn bartlett_s_projection_is_the_dense_one() {
    let plan = three("jl-ridge", json!({"sketch_rows": 7}));
    let table = "a,b,y\n1,0.5,0.2\n-0.3,1,1\n0.1,0.2,-0.9\n1,1,1\n";
    let mut plan = plan;
    plan["rows"] = json!(4);
    let prepared = prepared(&plan, table).unwrap();
    let moments = scan(&prepared, table, Moments::new).sink;
    let noise = sketch_of(&prepared);
    let scale = prepared.geometry().terms[0].scale;
    let rows = [[1.0, 0.5, 0.2], [-0.3, 1.0, 1.0], [0.1, 0.2, -0.9], [1.0, 1.0, 1.0]];
    let w = share_of(noise.most_ridge(), 1 << 32).sqrt();
    let stacked = DMatrix::from_fn(7, 3, |i, j| match i.checked_sub(4) {
        None => rows[i][j] / scale / 65_536.0,
        Some(axis) => f64::from(u8::from(axis == j)) * w,
    });
    let dense = |draw: u32| {
        let mut rng = Pseudo::new(3, &[draw.into()]);
        let random = DMatrix::from_fn(7, 7, |_, _| rng.normal());
        let projected = random * &stacked;
        projected.transpose() * projected / 7.0
    };
    let bartlett = |draw: u32| {
        let (cells, _) = noise.release(&moments, &mut DemoRng::new(31, draw.into())).unwrap();
        whole(&cells, 3, UNIT)
    };
    same_law(2_000, dense, bartlett);
}

#[test]
fn random_rows_on_the_grid_have_bartlett_s_law() {
    let mut plan = three("additive-wishart", json!({"scale_ratio": 1}));
    plan["budget"] = json!({"epsilon": 1, "delta": 0.05});
    let grid = wishart_of(&ready(&plan));
    assert!(grid.on_grid);
    let bartlett = additive_wishart::Noise { on_grid: false, ..grid.clone() };
    assert_eq!((grid.assurance(), bartlett.assurance()), (Assurance::Bounded, Assurance::Idealised));
    let draw = |noise: &additive_wishart::Noise, seed: u64, run: u32| {
        let cells = noise.release(&Moments::new(3), &mut DemoRng::new(seed, run.into())).unwrap();
        assert!(cells.iter().all(|cell| cell % (1 << noise.step) == 0));
        whole(&cells, 3, UNIT)
    };
    same_law(1_000, |run| draw(&grid, 41, run), |run| draw(&bartlett, 42, run));
}

/// One seed gives both laws one factor T: V⁻¹ = L⁻ᵀ T T' L⁻¹ where the projection is L T T' L' / r. And the posterior's
/// cells have their means and variances (5 standard errors of 3,000 draws; the variance's own error from the draws).
#[test]
fn a_posterior_draw_inverts_the_projection() {
    let [projection, posterior] =
        [("jl-ridge", "sketch_rows"), ("inverse-wishart", "dof")].map(|(name, rows)| {
            let mut plan = three(name, json!({}));
            plan["mechanism"]["params"][rows] = json!(30);
            sketch_of(&ready(&plan))
        });
    assert_eq!(projection.most_ridge(), posterior.most_ridge());
    let mut moments = Moments::new(3);
    moments.add(&[50_000, 10_000, -20_000]);
    moments.add(&[-20_000, 40_000, 30_000]);
    let upper: Vec<i128> =
        (0..3).flat_map(|i| (i..3).map(move |j| (i, j))).map(|(i, j)| moments.get(i, j)).collect();
    let ridge = share_of(projection.most_ridge(), 1 << 32);
    let s = whole(&upper, 3, UNIT) + DMatrix::identity(3, 3) * ridge;
    let lower = s.clone().cholesky().unwrap().l();
    let inverse = lower.clone().try_inverse().unwrap();
    let draws = 3_000;
    let mut sums = vec![Vec::new(); 9];
    for run in 0..draws {
        let (drawn, _) = posterior.release(&moments, &mut DemoRng::new(5, run)).unwrap();
        let v = whole(&drawn, 3, UNIT);
        v.iter().zip(&mut sums).for_each(|(cell, all)| all.push(*cell));
        if run < 50 {
            let (drawn, _) = projection.release(&moments, &mut DemoRng::new(5, run)).unwrap();
            let t = &inverse * whole(&drawn, 3, UNIT) * inverse.transpose() * 30.0;
            let back = lower.transpose() * v.try_inverse().unwrap() * &lower;
            assert!((&t - &back).norm() < 1e-4 * t.norm(), "{t} {back}");
        }
    }
    let (nu, d, n) = (30.0, 3.0, f64::from(u32::try_from(draws).unwrap()));
    for (all, (i, j)) in sums.iter().zip((0..3).flat_map(|j| (0..3).map(move |i| (i, j)))) {
        let mean = all.iter().sum::<f64>() / n;
        let expected = s[(i, j)] / (nu - d - 1.0);
        let squares: Vec<f64> = all.iter().map(|cell| (cell - expected).powi(2)).collect();
        let variance = squares.iter().sum::<f64>() / n;
        let error = (squares.iter().map(|square| (square - variance).powi(2)).sum::<f64>() / n / n).sqrt();
        let known = ((nu - d + 1.0) * s[(i, j)].powi(2) + (nu - d - 1.0) * s[(i, i)] * s[(j, j)])
            / ((nu - d) * (nu - d - 1.0).powi(2) * (nu - d - 3.0));
        assert!((mean - expected).abs() < 5.0 * (known / n).sqrt(), "{i} {j}: {mean} {expected}");
        assert!((variance - known).abs() < 5.0 * error, "{i} {j}: {variance} {known}");
    }
}

fn refused(plan: &Value, purpose: Purpose) -> String {
    let names = ["bmi", "bp", "target"].map(str::to_owned);
    match prepare(Plan::parse(&plan.to_string()).unwrap(), &names, b',', purpose) {
        Err(error @ (EngineError::Plan(_) | EngineError::Budget(_))) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

fn clinic(name: &str, adjacency: &str) -> Value {
    let mut plan = small_diabetes_plan(json!({"epsilon": 0.5, "delta": 1e-6}));
    plan["mechanism"] = json!({"name": name});
    plan["confirm"] = json!(["idealised"]);
    if adjacency == "replace-one" {
        plan["adjacency"] = json!("replace-one");
        plan["rows"] = json!(442);
    }
    plan
}

#[test]
fn what_does_not_fit_is_refused_in_words() {
    type Change = &'static dyn Fn(&mut Value);
    let table: [(&str, &str, Change, &str); 19] = [
        (
            "inverse-wishart",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"dof": "rows+d"}),
            "replace-one",
        ),
        (
            "inverse-wishart-adaptive",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"min_dof": "rows+d"}),
            "private under add-remove",
        ),
        ("inverse-wishart", "add-remove", &|p| p["mechanism"]["calibration"] = json!("paper"), "rows+d"),
        (
            "jl-ridge",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"sketch_rows": "rows+d"}),
            "whole number",
        ),
        ("jl-ridge", "add-remove", &|p| p["mechanism"]["params"] = json!({"sketch_rows": 5}), "from 6 to"),
        (
            "jl-ridge",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"sketch_rows": 1_000_001}),
            "1000000",
        ),
        ("inverse-wishart", "add-remove", &|p| p["mechanism"]["params"] = json!({"dof": 5}), "from 6 to"),
        (
            "inverse-wishart",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"dof": 1_000_000_001_u32}),
            "1000000000",
        ),
        (
            "jl-ridge-adaptive",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"sketch_rows": 9}),
            "no such parameter",
        ),
        (
            "jl-ridge-adaptive",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"eigenvalue_share": 1}),
            "below 1",
        ),
        (
            "jl-ridge-adaptive",
            "replace-one",
            &|p| p["mechanism"] = json!({"name": "jl-ridge-adaptive", "calibration": "paper", "params": {"eigenvalue_share": 0.25}}),
            "halves",
        ),
        ("jl-ridge", "add-remove", &|p| p["mechanism"]["params"] = json!({"ridge": -1}), "ridge"),
        (
            "inverse-wishart",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"repair": "floors"}),
            "repair",
        ),
        (
            "additive-wishart",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"scale_ratio": 11}),
            "from 0.1 to 10",
        ),
        (
            "additive-wishart",
            "add-remove",
            &|p| p["mechanism"]["params"] = json!({"output": "other"}),
            "debiased",
        ),
        (
            "additive-wishart",
            "replace-one",
            &|p| {
                p["mechanism"]["calibration"] = json!("paper");
                p["budget"]["epsilon"] = json!(1);
            },
            "below 1",
        ),
        ("jl-ridge", "add-remove", &|p| p["budget"] = json!({"mu": 1}), "charged in epsilon and delta"),
        (
            "inverse-wishart",
            "add-remove",
            &|p| p["budget"] = json!({"rho": 1, "delta": 1e-6}),
            "epsilon and delta",
        ),
        ("jl-ridge", "add-remove", &|p| p["confirm"] = json!([]), "nobody has confirmed it"),
    ];
    for (name, adjacency, change, expected) in table {
        let mut plan = clinic(name, adjacency);
        change(&mut plan);
        let text = refused(&plan, Purpose::Release);
        assert!(text.contains(expected), "{name}: {text}");
    }
    for name in NAMES {
        let mut plan = clinic(name, "add-remove");
        plan["person"] = json!("target");
        plan["max_rows_per_person"] = json!(2);
        plan["columns"][2]["name"] = json!("other");
        assert!(refused(&plan, Purpose::Release).contains("one row per person"));
    }
    // Random rows on the grid need no confirmation.
    let mut plan = clinic("additive-wishart", "replace-one");
    plan["confirm"] = json!([]);
    assert!(matches!(prepared(&plan, DIABETES), Ok(prepared) if prepared.assurance() == Assurance::Bounded));
    // What the paper asks of Analyze Gauss costs more than it claims where a record is replaced.
    let mut plan = clinic("analyze-gauss", "replace-one");
    plan["mechanism"] = json!({"name": "analyze-gauss", "calibration": "paper", "params": {"shape": "iid"}});
    let text = refused(&plan, Purpose::Release);
    assert!(text.contains("really costs") && prepared(&plan, DIABETES).is_ok(), "{text}");
    plan["adjacency"] = json!("add-remove");
    plan.as_object_mut().unwrap().remove("rows");
    assert!(prepared(&plan, DIABETES).is_ok());
}

#[test]
fn without_noise_each_is_least_squares() {
    for name in NAMES {
        let mut plan = small_diabetes_plan(json!({"none": true}));
        let (columns, outcome) = design(&plan, DIABETES, true);
        plan["mechanism"] = json!({"name": name});
        assert_close(list(&run(&plan, DIABETES)), &least_squares(&columns, &outcome), 1e-6);
    }
}

fn charged(plan: &Value, ledger: &mut Ledger) -> (Prepared, Release) {
    let header = DIABETES.lines().next().unwrap().split(',').map(str::to_owned).collect::<Vec<_>>();
    let prepared = prepare(Plan::parse(&plan.to_string()).unwrap(), &header, b',', Purpose::Release).unwrap();
    let moments = scan(&prepared, DIABETES, Moments::new).sink;
    let entry = ledger.reserve(&prepared.request()).unwrap();
    let charge = LedgerReference::new(ledger, entry);
    let released = release(&prepared, &moments, charge).unwrap();
    ledger.release(entry).unwrap();
    (prepared, released)
}

fn ledger(prepared: &Prepared, epsilon: f64) -> Ledger {
    let budget = Budget::EpsilonDelta { epsilon: self::epsilon(epsilon), delta: delta(1e-6) };
    let terms = prepared.terms();
    Ledger::open(&Opening { id: [7; 16], created: "2026-11-22", terms, budget, split: Split::Other }).unwrap()
}

#[test]
fn a_plan_for_all_of_an_other_ledger_fits_exactly_and_its_document_keeps() {
    for name in NAMES {
        for adjacency in ["add-remove", "replace-one"] {
            let plan = clinic(name, adjacency);
            let mut book = ledger(&prepared(&plan, DIABETES).unwrap(), 0.5);
            let (prepared, released) = charged(&plan, &mut book);
            // The Other wallet alone is charged, with all that it has.
            let units = book.charged();
            assert_eq!((units.gaussian, units.slack, units.epsilon), (0, 0, 1 << 39));
            assert_eq!(units, prepared.charge(epsilon(0.5)).unwrap());
            assert!(book.reserve(&prepared.request()).is_err(), "nothing is left");
            let privacy = &released.privacy;
            assert_eq!((privacy.epsilon, privacy.delta, privacy.mu), (Some(0.5), Some(1e-6), None));
            let drawn = name != "additive-wishart";
            assert_eq!(privacy.assurance, if drawn { Assurance::Idealised } else { Assurance::Bounded });
            assert_eq!(book.idealised(), drawn);

            let text = serde_json::to_string(&released).unwrap();
            assert_eq!(serde_json::from_str::<Release>(&text).unwrap(), released);
            for coefficient in list(&released).iter().filter(|_| drawn) {
                let estimate = coefficient.estimate.unwrap();
                let short: f64 = format!("{estimate:.5e}").parse().unwrap();
                assert!((short - estimate).abs() <= 0.0, "{estimate} has more than six digits");
            }
            let features = ["bmi", "bp"].map(str::to_owned);
            let again = refit(&released, "target", &features, Ridge::None, Repair::Shift, 0.95).unwrap();
            let discreet::release::document::Coefficients::List(again) = again.coefficients else {
                panic!("one outcome makes a list")
            };
            for (one, two) in list(&released).iter().zip(&again) {
                let (Some(one), Some(two)) = (one.estimate, two.estimate) else {
                    assert_eq!(one.estimate, two.estimate);
                    continue;
                };
                assert!((one - two).abs() <= 1e-5 * two.abs(), "{one} {two}");
            }
            // A filled plan runs unchanged, with as many rows.
            let filled = serde_json::to_value(&released.plan).unwrap();
            assert_eq!(ready_again(&filled), released.plan);
        }
    }
}

fn ready_again(plan: &Value) -> Plan {
    prepared(plan, DIABETES).unwrap().plan().clone()
}

#[test]
fn a_paper_s_scale_is_charged_what_it_costs() {
    for name in NAMES {
        let mut plan = clinic(name, "replace-one");
        plan["mechanism"]["calibration"] = json!("paper");
        let prepared = prepared(&plan, DIABETES).unwrap();
        let cost = prepared.cost().unwrap();
        let (real, claimed) = (cost.promise.unwrap(), cost.claimed.unwrap());
        assert!((claimed.0.get() - 0.5).abs() < 1e-12 && real.0 < claimed.0, "{name}: {}", real.0);
        let units = prepared.charge(real.0).unwrap();
        let least = real.0.get() * libm::ldexp(1.0, 40);
        let charged = f64::from(u32::try_from(units.epsilon >> 16).unwrap()) * 65_536.0;
        assert!(units.gaussian == 0 && (charged - least).abs() <= 65_536.0, "{name}");
        // Halves of ε: the eigenvalue's is all that counts.
        let adaptive = name.ends_with("adaptive");
        assert_eq!(real.0.get() > 0.25, adaptive, "{name}: {}", real.0);
    }
}

/// What moves a sum by more than a record may: none of two orthogonal or parallel records, or of any others (theory/wishart 3.5).
#[test]
fn two_records_differ_by_no_more_than_the_sensitivity() {
    let mut rng = Pseudo::new(9, &[]);
    let mut unit = || DVector::from_fn(4, |_, _| rng.normal()).normalize();
    for _ in 0..2_000 {
        let (v, w) = (unit(), unit());
        let change = &v * v.transpose() - &w * w.transpose();
        assert!(change.norm() <= std::f64::consts::SQRT_2 * (1.0 + 1e-12));
        let values = change.symmetric_eigenvalues();
        assert!(values.iter().filter(|value| **value > 1e-9).count() <= 1 && values.max() <= 1.0 + 1e-12);
    }
}
