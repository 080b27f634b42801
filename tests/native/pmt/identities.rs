//! What holds without noise, and what holds whatever the noise is.

use discreet::data::{Merge, Statistic, Sums};
use discreet::engine::{Computation, demonstrate};
use discreet::inference::pseudo::Pseudo;
use discreet::inference::{Repair, Ridge, refit};
use discreet::mechanisms::newton::Steps;
use discreet::mechanisms::{Answer, RoundNoise as _};
use discreet::noise::entropy::DemoRng;
use discreet::plan::public::PublicTable;
use discreet::release::document::Release;
use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};

use super::{
    GRID, close, csv, estimates, gathered, golden_plan, golden_public, noisy, numbers, prepared,
    private_rows, private_table, public_rows, rows, software, table_of, vectors,
};
use crate::support::{column, list, simulation};

/// What logistic steps without noise may be off by: their grid is 2^20.
const FINE: f64 = 1e-5;

/// Two features that are related and far from 0, a number and a label that follow from them.
pub fn made_up(rows: usize, seed: u64) -> Vec<[f64; 4]> {
    let mut rng = Pseudo::new(seed, &[]);
    let table = (0..rows).map(|_| {
        let shared = rng.normal();
        let (a, b) = (2.0 + shared, -1.0 + 0.5 * shared + 0.8 * rng.normal());
        let y = 1.0 + 0.7 * a - 0.4 * b + 0.6 * rng.normal();
        // A logistic variable is the log-odds of a uniform one; two normals make an exponential.
        let uniform = libm::exp(-(rng.normal().powi(2) + rng.normal().powi(2)) / 2.0);
        let label = -0.5 + 0.8 * a + 0.6 * b > libm::log(uniform / (1.0 - uniform));
        [a, b, y, f64::from(u8::from(label))]
    });
    table.collect()
}

/// What is publicly known of such tables: their law's own moments, with a wide spread for the outcome.
pub fn law() -> PublicTable {
    let mut table = table_of(&["a", "b", "y"], &[[0.0, 0.0, 0.0], [1.0, 0.5, 1.0], [2.0, -1.0, 2.5]]);
    for (term, (mean, sd)) in table.terms.iter_mut().zip([(2.0, 1.0), (-1.0, 0.943_398), (2.8, 1.2)]) {
        (term.mean, term.sd) = (mean, Some(sd));
    }
    let related = 0.53;
    table.correlation = vec![vec![1.0, related, 0.0], vec![related, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    table
}

/// A plan for such tables.
pub fn made_plan(name: &str, outcome: &str, rows: usize, params: &Value, budget: &Value) -> Value {
    let outcome =
        if outcome == "k" { column("k", "outcome", 0.0, 1.0) } else { column("y", "outcome", -40.0, 40.0) };
    json!({
        "schema": "discreet.plan/1",
        "adjacency": "replace-one",
        "rows": rows,
        "columns": [column("a", "feature", -20.0, 20.0), column("b", "feature", -20.0, 20.0), outcome],
        "mechanism": {"name": name, "params": params},
        "budget": budget,
    })
}

fn table(rows: &[[f64; 4]]) -> String {
    csv("a,b,y,k", rows)
}

/// A demonstration of a plan, from a seed where it has a budget.
fn run(plan: &Value, public: Option<&PublicTable>, table: &str) -> Release {
    let prepared = prepared(plan, public, table).unwrap_or_else(|error| panic!("{error}: {plan}"));
    let gathered = gathered(&prepared, table);
    demonstrate(&prepared, &gathered, DemoRng::new(1, 1), software()).unwrap().document().clone()
}

fn free() -> Value {
    json!({"none": true})
}

/// Columns of a table as a design, with a constant if wanted.
fn design(rows: &[impl AsRef<[f64]>], columns: &[usize], constant: bool) -> DMatrix<f64> {
    let first = usize::from(constant);
    DMatrix::from_fn(rows.len(), columns.len() + first, |row, at| {
        if at < first { 1.0 } else { rows[row].as_ref()[columns[at - first]] }
    })
}

fn response(rows: &[impl AsRef<[f64]>], column: usize) -> DVector<f64> {
    DVector::from_fn(rows.len(), |row, _| rows[row].as_ref()[column])
}

/// (X'X/n + λ P)⁻¹ X'y/n, whose constant is not penalised.
fn plain_ridge(x: &DMatrix<f64>, y: &DVector<f64>, lambda: f64, constant: bool) -> Vec<f64> {
    let n = y.len() as f64;
    let on = DVector::from_fn(x.ncols(), |row, _| if constant && row == 0 { 0.0 } else { lambda });
    let s = x.transpose() * x / n + DMatrix::from_diagonal(&on);
    s.lu().solve(&(x.transpose() * y / n)).unwrap().as_slice().to_vec()
}

/// Newton's method on the log-likelihood, in doubles, until nothing moves.
fn maximum_likelihood(x: &DMatrix<f64>, y: &DVector<f64>) -> Vec<f64> {
    let mut b = DVector::zeros(x.ncols());
    for _ in 0..50 {
        let p = (x * &b).map(|theta| 1.0 / (1.0 + libm::exp(-theta)));
        let weighted =
            DMatrix::from_fn(x.nrows(), x.ncols(), |row, at| x[(row, at)] * p[row] * (1.0 - p[row]));
        b += (x.transpose() * weighted).lu().solve(&(x.transpose() * (y - p))).unwrap();
    }
    b.as_slice().to_vec()
}

/// The golden table without a constant, and another with one whose coefficient no penalty weighs on. The records go through the
/// integer grid of 2^24 and one rounding each.
#[test]
fn whatever_the_public_moments_ridge_regression_without_noise_is_the_plain_one() {
    let plain = numbers(&vectors()["ridge_noiseless_equals_plain"][0]);
    let wide = [[1.0, 0.2, 4.0, 3.0], [-1.0, 0.3, 0.5, -3.0], [0.4, -2.0, 1.0, 5.0], [2.0, 1.0, -1.0, 4.0]];
    let names = ["a", "b", "c", "y"];
    let far = [[2.0, 0.1, 0.5, 3.0], [-2.0, 0.3, -0.4, -3.0], [0.2, 0.5, 1.0, 5.0], [0.1, -0.5, 2.5, -4.0]];
    for public in [golden_public(), table_of(&names, &wide), table_of(&names, &far)] {
        // R_x for so few rows would shorten records of the public tables that are wrong; a small η makes it longer.
        let params = json!({"lambda": 0.01, "eta": 1e-6});
        let plan = golden_plan("pmt-ridge", "y", &params, &free());
        let table = private_table();
        let ready = prepared(&plan, Some(&public), &table).unwrap();
        let whitening = ready.bound().whitening.clone().unwrap();
        let root = DMatrix::from_row_slice(3, 3, &whitening.matrix);
        let longest =
            private_rows().into_iter().map(|row| (&root * DVector::from_row_slice(&row[..3])).norm());
        assert!(longest.fold(0.0, f64::max) < whitening.radius, "a record is shortened");
        close(&estimates(&run(&plan, Some(&public), &table)), &plain, GRID, "golden table");
    }
    let private = made_up(500, 5);
    let wanted = plain_ridge(&design(&private, &[0, 1], true), &response(&private, 2), 0.3, true);
    let mut other = law();
    (other.terms[0].mean, other.terms[1].sd) = (5.0, Some(2.0));
    other.terms[2].sd = Some(4.0);
    for adjacency in ["replace-one", "add-remove"] {
        for public in [law(), other.clone()] {
            let mut plan = made_plan("pmt-ridge", "y", 500, &json!({"lambda": 0.3, "eta": 1e-6}), &free());
            if adjacency == "add-remove" {
                plan["adjacency"] = json!(adjacency);
                plan["stated_rows"] = json!(500);
                plan.as_object_mut().unwrap().remove("rows");
            }
            close(&estimates(&run(&plan, Some(&public), &table(&private))), &wanted, GRID, adjacency);
        }
    }
}

#[test]
fn logistic_steps_without_noise_end_at_the_maximum_of_the_likelihood() {
    let private = made_up(1_500, 6);
    let wanted = maximum_likelihood(&design(&private, &[0, 1], true), &response(&private, 3));
    let table = table(&private);
    let twenty = json!({"steps": 20, "lambda": 0, "eta": 1e-6});
    let model = json!({"steps": 20, "lambda": 0, "family": "logistic", "eta": 1e-6});
    for (name, params, public) in [
        ("logistic", json!({}), None),
        ("dp-logistic", json!({"steps": 20, "lambda": 0}), None),
        ("pmt-logistic", twenty, Some(law())),
        ("pmt-glm", model, Some(law())),
    ] {
        let release = run(&made_plan(name, "k", 1_500, &params, &free()), public.as_ref(), &table);
        close(&estimates(&release), &wanted, FINE, name);
    }
}

/// A column's unit decides what a penalty does to it, so a release says where that is much.
#[test]
fn a_penalty_that_takes_much_of_a_coefficient_is_said() {
    let private = made_up(1_500, 6);
    // The same column in a unit a hundred times as large has a spread a hundred times as small.
    let small: Vec<[f64; 4]> = private.iter().map(|row| [row[0], row[1] / 100.0, row[2], row[3]]).collect();
    let notes = |rows: &[[f64; 4]], lambda: f64| {
        let params = json!({"steps": 20, "lambda": lambda});
        let release = run(&made_plan("dp-logistic", "k", 1_500, &params, &free()), None, &table(rows));
        (release.diagnostics.notes.join(" "), estimates(&release))
    };
    let ((none, free), (few, _), (much, shrunk)) =
        (notes(&small, 0.0), notes(&private, 1e-3), notes(&small, 1e-3));
    assert!(!none.contains("takes much") && !few.contains("takes much"), "{none} {few}");
    assert!(shrunk[2].abs() < 0.2 * free[2].abs(), "{shrunk:?} {free:?}");
    assert!(much.contains("takes much") && much.contains("`b` by about"), "{much}");
    assert!(!much.contains("`a` by about"), "{much}");
}

/// Least squares in one step: the curvature does not depend on the coefficients.
#[test]
fn a_gaussian_model_without_noise_is_least_squares() {
    let private = made_up(500, 7);
    let wanted = plain_ridge(&design(&private, &[0, 1], true), &response(&private, 2), 0.0, true);
    let params =
        json!({"steps": 2, "lambda": 0, "family": "gaussian", "coefficient_radius": 3.0, "eta": 1e-6});
    let mut public = law();
    public.terms[2].sd = Some(4.0);
    let release = run(&made_plan("pmt-glm", "y", 500, &params, &free()), Some(&public), &table(&private));
    close(&estimates(&release), &wanted, FINE, "gaussian");
}

/// An outcome that lies at one end of its bounds: the range is not around the public mean, and the coefficients' radius is all the same.
#[test]
fn a_radius_of_one_standard_deviation_holds_a_skewed_outcome() {
    let private: Vec<[f64; 4]> =
        made_up(2_000, 12).into_iter().map(|[a, b, y, k]| [a, b, libm::exp(y / 8.0), k]).collect();
    let y = response(&private, 2);
    let mut public = law();
    (public.terms[2].mean, public.terms[2].sd) = (y.mean(), Some(y.variance().sqrt()));
    let fit = |name: &str, mut params: Value| {
        params["lambda"] = json!(0);
        params["eta"] = json!(1e-6);
        let mut plan = made_plan(name, "y", 2_000, &params, &free());
        plan["columns"][2] = column("y", "outcome", 0.8, 60.0);
        run(&plan, Some(&public), &table(&private))
    };
    let model = |radius: f64| json!({"family": "gaussian", "steps": 2, "coefficient_radius": radius});
    let wanted = plain_ridge(&design(&private, &[0, 1], true), &y, 0.0, true);
    let whole = fit("pmt-glm", model(1.0));
    close(&estimates(&whole), &wanted, FINE, "within one standard deviation");
    let descent = json!({"steps": 200, "clip": 50});
    close(&estimates(&fit("pmt-gd", descent)), &wanted, FINE, "a descent whose clip nothing reaches");

    // Too short a radius leaves the public mean, and is told.
    let said =
        |release: &Release| release.diagnostics.notes.join(" ").contains("reached `coefficient_radius`");
    let short = fit("pmt-glm", model(0.01));
    assert!(said(&short) && !said(&whole), "{:?}", short.diagnostics.notes);
    assert!(list(&short).iter().all(|entry| entry.lower.is_none()));
    let fitted = estimates(&short);
    let at_means = fitted[0] + fitted[1] * 2.0 - fitted[2];
    assert!((at_means - y.mean()).abs() < 0.02 * y.variance().sqrt(), "{at_means} for {}", y.mean());
}

/// The clip of a descent among whitened records is in public standard deviations of the outcome, however wide its bounds are.
#[test]
fn a_descent_clips_alike_whatever_the_bounds() {
    let private = made_up(2_000, 13);
    let y = response(&private, 2);
    let mut public = law();
    (public.terms[2].mean, public.terms[2].sd) = (y.mean(), Some(y.variance().sqrt()));
    let reach = 3.0 * y.variance().sqrt();
    let params = json!({"steps": 3, "clip": 0.3, "eta": 1e-6});
    let fit = |low: f64, high: f64| {
        let mut plan = made_plan("pmt-gd", "y", 2_000, &params, &free());
        plan["columns"][2] = column("y", "outcome", low, high);
        estimates(&run(&plan, Some(&public), &table(&private)))
    };
    let (wide, narrow) = (fit(-40.0, 40.0), fit(y.mean() - reach, y.mean() + reach));
    // Outcomes beyond three standard deviations are cut off in one of them.
    close(&wide, &narrow, 0.02, "bounds");
}

/// A gradient that is longer than the clip counts as much as the clip allows, also where the clip is no multiple of the grid's step.
#[test]
fn a_clipped_gradient_counts_whatever_the_clip() {
    let private = made_up(120, 18);
    for (name, guided) in [("dp-gd", false), ("pmt-gd", true)] {
        for scope in ["joint", "per-outcome"] {
            for clip in [0.05, 0.2, 0.07, 1.0 / 3.0, 0.25, 0.013, 1e-5, 0.9] {
                for mu in [0.6, 40.0] {
                    let params = json!({"clip": clip, "clip_scope": scope, "steps": 3});
                    let plan = made_plan(name, "y", 120, &params, &json!({"mu": mu}));
                    let prepared = prepared(&plan, guided.then(law).as_ref(), &table(&private)).unwrap();
                    let Some(noise) = prepared.noise::<discreet::mechanisms::descent::Noise>() else {
                        panic!("a descent")
                    };
                    let kept = rows(&prepared, &table(&private));
                    // Far from every fit, so that each gradient is longer than each clip.
                    let weights = DMatrix::from_element(3, 1, 50.0);
                    for row in (0..kept.len()).filter_map(|row| kept.get(row)) {
                        let entries = noise.gradient(row, &weights);
                        let length = entries.iter().map(|e| (*e as f64).powi(2)).sum::<f64>().sqrt();
                        // Rounding towards 0 takes less than a step off each of three entries.
                        let least = noise.most() as f64 * (1.0 - 1e-9) - 3_f64.sqrt() - 1.0;
                        assert!(length >= least, "{name} {scope} {clip} {mu}: {length} of {}", noise.most());
                    }
                }
            }
        }
    }
}

/// A penalty beyond every number is refused before anything is charged.
#[test]
fn an_endless_penalty_is_refused() {
    let private = table(&made_up(200, 14));
    let public = || {
        let mut public = law();
        (public.terms[0].sd, public.terms[1].sd) = (Some(1e-9), Some(1e-9));
        public
    };
    for (name, outcome, guided) in [
        ("dp-logistic", "k", false),
        ("pmt-logistic", "k", true),
        ("pmt-gd", "y", true),
        ("dp-gd", "y", false),
    ] {
        let mut plan = made_plan(name, outcome, 200, &json!({"lambda": 1e300}), &json!({"mu": 1.0}));
        plan["columns"][0] = column("a", "feature", -1e-9, 1e-9);
        let error = match prepared(&plan, guided.then(public).as_ref(), &private) {
            Ok(prepared) => panic!("{name}: {:?}", prepared.cost().map(|cost| cost.mu)),
            Err(error) => error.to_string(),
        };
        assert!(error.contains("lambda"), "{name}: {error}");
    }
}

/// Whatever the budget's form, a paper's scale says what is claimed and what it costs.
#[test]
fn a_claim_is_stated_for_each_form_of_a_budget() {
    let private = table(&made_up(200, 15));
    for budget in [
        json!({"epsilon": 2.0, "delta": 1e-5}),
        json!({"mu": 0.5, "delta": 1e-5}),
        json!({"rho": 0.125, "delta": 1e-5}),
    ] {
        let mut plan = made_plan("pmt-ridge", "y", 200, &json!({}), &budget);
        plan["mechanism"]["calibration"] = json!("paper");
        let prepared = prepared(&plan, Some(&law()), &private).unwrap();
        let cost = prepared.cost().unwrap();
        let (real, claimed) = (cost.promise.unwrap(), cost.claimed.unwrap());
        assert_eq!(real.1, claimed.1, "{budget}");
        assert!((real.0.get() / claimed.0.get() - 1.0).abs() > 1e-3, "{budget}: {real:?} {claimed:?}");
    }
}

/// A descent's grid follows its budget, from the smallest that buys anything to the largest that protects.
#[test]
fn a_descent_has_noise_for_every_budget() {
    let private = table(&made_up(200, 16));
    for (name, guided) in [("dp-gd", false), ("pmt-gd", true)] {
        for (clip, steps, mu) in [(0.05, 100, 0.6), (1e-6, 1, 40.0), (0.25, 100, 40.0), (100.0, 10_000, 0.05)]
        {
            let params = json!({"clip": clip, "steps": steps});
            let plan = made_plan(name, "y", 200, &params, &json!({"mu": mu}));
            let prepared = prepared(&plan, guided.then(law).as_ref(), &private)
                .unwrap_or_else(|error| panic!("{name} {clip} {steps} {mu}: {error}"));
            let found = prepared.cost().unwrap().mu.unwrap();
            assert!(found <= mu && found > mu * 0.999, "{name} {clip} {steps}: {found} for {mu}");
        }
    }
}

/// The paper's listing states a bound on the coefficients and leaves out the step that keeps them there; ours does not, and says so.
#[test]
fn coefficients_are_kept_within_their_radius_as_printed_too() {
    let private = made_up(400, 10);
    let mut public = law();
    public.terms[2].sd = Some(4.0);
    let params = json!({"steps": 3, "family": "gaussian", "coefficient_radius": 0.1});
    let plan = |calibration: &str| {
        let mut plan = made_plan("pmt-glm", "y", 400, &params, &json!({"epsilon": 8.0, "delta": 1e-5}));
        plan["mechanism"]["calibration"] = json!(calibration);
        plan
    };
    let release = |calibration: &str| run(&plan(calibration), Some(&public), &table(&private));
    let said =
        |release: &Release| release.diagnostics.notes.join(" ").contains("its listing leaves the step out");
    let (exact, printed) = (release("exact"), release("paper"));
    assert!(said(&printed) && !said(&exact), "{:?}", printed.diagnostics.notes);
    let (claimed, cost) = (printed.privacy.claimed.unwrap(), printed.privacy.epsilon.unwrap());
    assert!((claimed.epsilon - 8.0).abs() < 1e-9 && cost < 6.0, "{claimed:?} {cost}");
    // In the steps' own units: no longer than 0.1 of the outcome's public root mean square.
    let ready = prepared(&plan("paper"), Some(&public), &table(&private)).unwrap();
    let guide = ready.whitener().unwrap();
    let own = DVector::from_vec(estimates(&printed)) / guide.outcomes[0].unwrap().second.sqrt();
    let length = (&guide.root * own).norm();
    assert!(length < 0.1 * (1.0 + 1e-9), "{length}");

    // And after every step: half of the range is R_y root mean squares.
    let Some(noise) = ready.noise::<discreet::mechanisms::newton::Noise>() else { panic!("steps") };
    let longest = 0.1 / (1.0 + libm::log(2.0 * 400.0 / 0.05)).sqrt();
    let kept = rows(&ready, &table(&private));
    let (mut steps, mut rng) = (Steps::new(std::sync::Arc::new(noise.clone())), DemoRng::new(1, 1));
    let mut reached = 0;
    while !steps.is_done() {
        let drawn = noise.draw(&mut rng);
        steps.advance(&noisy(steps.expansion(), &kept, drawn));
        let length = steps.expansion().coefficients().map(|b| b * b).sum::<f64>().sqrt();
        assert!(length < longest * (1.0 + 1e-9), "{length} after {} steps", steps.done());
        reached += u32::from(length > longest * 0.999);
    }
    assert!(reached > 0, "the bound was never met");
}

/// In doubles alone, to 1e-10.
#[test]
fn a_whitened_record_with_a_constant_is_one_longer_than_its_distance() {
    let (public, table) = (golden_public(), private_table());
    let mut plan = golden_plan("pmt-ridge", "y", &json!({}), &json!({"mu": 1.0}));
    plan["intercept"] = json!(true);
    let prepared = prepared(&plan, Some(&public), &table).unwrap();
    let root = &prepared.whitener().unwrap().inverse_root;
    let known = design(&public_rows(), &[0, 1, 2], false);
    let mean = known.row_mean();
    let centred = DMatrix::from_fn(8, 3, |row, at| known[(row, at)] - mean[at]);
    let inverse = (centred.transpose() * &centred / 8.0).try_inverse().unwrap();
    for row in private_rows() {
        let own = DVector::from_vec(vec![1.0, row[0], row[1], row[2]]);
        let away = DVector::from_fn(3, |at, _| row[at] - mean[at]);
        let distance = (away.transpose() * &inverse * away)[(0, 0)];
        close(&[(root * own).norm_squared()], &[1.0 + distance], 1e-10, "1 + Mahalanobis");
    }
}

/// One after the other, backwards, or in two parts that are joined: the noise is that of the seed, and every bit the same.
#[test]
fn order_and_split_of_the_rows_change_no_bit() {
    let private = made_up(300, 8);
    let mut backwards = private.clone();
    backwards.reverse();
    let model = json!({"family": "gaussian", "coefficient_radius": 2.0});
    for (name, outcome, params, guided) in [
        ("pmt-ridge", "y", json!({}), true),
        ("pmt-logistic", "k", json!({}), true),
        ("pmt-glm", "y", model, true),
        ("pmt-gd", "y", json!({"steps": 5}), true),
        ("dp-logistic", "k", json!({}), false),
        ("dp-ridge", "y", json!({}), false),
    ] {
        let public = guided.then(law);
        let plan = made_plan(name, outcome, 300, &params, &json!({"mu": 3.0}));
        let whole = run(&plan, public.as_ref(), &table(&private));
        assert!(estimates(&whole).iter().all(|estimate| estimate.is_finite()), "{name}");
        assert_eq!(run(&plan, public.as_ref(), &table(&backwards)), whole, "{name}, backwards");
        let ready = prepared(&plan, public.as_ref(), &table(&private)).unwrap();
        let [mut first, second]: [Sums; 2] =
            [&private[..117], &private[117..]].map(|part| gathered(&ready, &table(part)));
        first.append(second).unwrap();
        let joined = demonstrate(&ready, &first, DemoRng::new(1, 1), software()).unwrap();
        assert_eq!(joined.document(), &whole, "{name}, in two parts");
    }
}

/// Its curvature has no bound that leaves anything of a table, and a person is told what to take instead.
#[test]
fn a_poisson_model_is_refused_with_the_reason() {
    let params = json!({"family": "poisson", "coefficient_radius": 1.0});
    let plan = made_plan("pmt-glm", "y", 300, &params, &json!({"mu": 1.0}));
    let said = prepared(&plan, Some(&law()), &table(&made_up(300, 8))).unwrap_err().to_string();
    assert!(said.contains("mechanism.params.family") && said.contains("bounded by an exponential"), "{said}");
}

/// Threads make a pass in parts, each from the coefficients alone, and their sums cross as bytes.
#[test]
fn a_pass_in_parts_is_the_pass_over_all_rows() {
    let private = made_up(300, 8);
    let model = json!({"family": "gaussian", "coefficient_radius": 2.0});
    let descent = json!({"steps": 5});
    for (name, outcome, params, guided) in [
        ("pmt-logistic", "k", &json!({}), true),
        ("pmt-glm", "y", &model, true),
        ("pmt-gd", "y", &descent, true),
        ("dp-logistic", "k", &json!({}), false),
        ("dp-gd", "y", &descent, false),
    ] {
        let public = guided.then(law);
        let plan = made_plan(name, outcome, 300, params, &json!({"mu": 1.0}));
        let ready = prepared(&plan, public.as_ref(), &table(&private)).unwrap();
        let made = |source: &mut dyn FnMut(&Statistic) -> Sums| {
            let mut release = Computation::new(&ready, DemoRng::new(1, 1));
            let (mut answers, mut worker) = (Vec::new(), ready.start());
            while let Some(statistic) = release.next_statistic() {
                let answer = release.answer(&source(&statistic)).unwrap();
                // Another thread learns the answer as bytes and comes to the same next round.
                worker.take(Answer::from_bytes(&answer.to_bytes()).unwrap());
                answers.push(answer);
            }
            assert!(worker.round().is_none());
            assert_eq!(release.number(), ready.rounds(), "{name}");
            answers
        };
        let kept = rows(&ready, &table(&private));
        let whole = made(&mut |statistic| statistic.of(&kept));
        let parts = [&private[..80], &private[80..81], &private[81..]].map(|part| rows(&ready, &table(part)));
        let in_parts = made(&mut |statistic| {
            let mut sums = statistic.empty();
            for part in parts.iter().rev() {
                let bytes = statistic.of(part).into_bytes();
                sums.append(statistic.from_bytes(&bytes).unwrap()).unwrap();
            }
            assert!(statistic.from_bytes(&[0; 16]).is_err() && statistic.from_bytes(&[0; 17]).is_err());
            sums
        });
        assert_eq!(in_parts, whole, "{name}");
    }
}

/// A subset of the features follows from the released moments of all: without noise it is least squares on the subset.
#[test]
fn a_refit_of_whitened_moments_is_least_squares_on_the_subset() {
    let private = made_up(400, 9);
    let mut public = law();
    public.terms[2].sd = Some(4.0);
    let plan = made_plan("pmt-ridge", "y", 400, &json!({"eta": 1e-6}), &free());
    let release = run(&plan, Some(&public), &table(&private));
    for (names, columns) in [(vec!["a"], vec![0]), (vec!["b"], vec![1]), (vec!["a", "b"], vec![0, 1])] {
        let wanted = plain_ridge(&design(&private, &columns, true), &response(&private, 2), 0.0, true);
        let names: Vec<String> = names.into_iter().map(str::to_owned).collect();
        let again = refit(&release, "y", &names, Ridge::None, Repair::Shift, 0.95).unwrap();
        let discreet::release::document::Coefficients::List(found) = &again.coefficients else { panic!() };
        let found: Vec<f64> = found.iter().map(|entry| entry.estimate.unwrap()).collect();
        close(&found, &wanted, GRID, "subset");
    }
}

/// The standard errors of a refit that are the noise's, against the spread of 2,000 releases. A variance of so many has a standard error
/// of 3.2 %; the bound is at four of them and 2 % for what is beyond the first order. Seeds are fixed.
#[test]
fn a_refit_of_whitened_moments_knows_the_noise_of_the_subset() {
    const RUNS: u64 = 2_000;
    let private = made_up(3_000, 10);
    let plan = made_plan("pmt-ridge", "y", 3_000, &json!({}), &json!({"mu": 3.0}));
    let table = table(&private);
    let ready = prepared(&plan, Some(&law()), &table).unwrap();
    let simulation = simulation(ready, &table, 3);
    let (mut sums, mut squares, mut said) = ([0.0; 2], [0.0; 2], [0.0; 2]);
    for run in 1..=RUNS {
        let release = simulation.run(run).unwrap();
        let again =
            refit(release.document(), "y", &["a".to_owned()], Ridge::None, Repair::Shift, 0.95).unwrap();
        let discreet::release::document::Coefficients::List(found) = &again.coefficients else { panic!() };
        for (at, entry) in found.iter().enumerate() {
            let estimate = entry.estimate.unwrap();
            sums[at] += estimate;
            squares[at] += estimate * estimate;
            said[at] += entry.std_error.unwrap().powi(2) * entry.noise_share.unwrap();
        }
    }
    let runs = RUNS as f64;
    for at in 0..2 {
        let spread = squares[at] / runs - (sums[at] / runs).powi(2);
        let ratio = spread / (said[at] / runs);
        assert!((0.85..1.15).contains(&ratio), "coefficient {at}: {ratio} of what is said");
    }
}

/// Three groups and a number: the shares of the public table stand for the groups.
#[test]
fn categories_are_features() {
    let mut rng = Pseudo::new(11, &[]);
    let rows: Vec<[f64; 4]> = (0..600_u32)
        .map(|row| {
            let group = row % 3;
            let a = rng.normal();
            let y = 1.0 + 0.5 * a + [0.0, 1.5, -1.0][group as usize] + 0.3 * rng.normal();
            [a, f64::from(u8::from(group == 1)), f64::from(u8::from(group == 2)), y]
        })
        .collect();
    let name = |row: &[f64; 4]| {
        if row[1] > 0.0 {
            "mid"
        } else if row[2] > 0.0 {
            "high"
        } else {
            "low"
        }
    };
    let lines = rows
        .iter()
        .map(|row| format!("{:e},{},{:e},{}\n", row[0], name(row), row[3], u8::from(row[3] > 1.0)));
    let table = "a,g,y,k\n".to_owned() + &lines.collect::<String>();
    let public = table_of(&["a", "g[mid]", "g[high]", "y"], &rows);
    let group = json!({"name": "g", "role": "feature", "type": "category", "levels": ["low", "mid", "high"], "reference": "low"});
    let x = design(&rows, &[0, 1, 2], true);
    let labels = DVector::from_fn(600, |row, _| f64::from(u8::from(rows[row][3] > 1.0)));
    for (mechanism, outcome, wanted, tolerance) in [
        ("pmt-ridge", "y", plain_ridge(&x, &response(&rows, 3), 0.0, true), GRID),
        ("pmt-logistic", "k", maximum_likelihood(&x, &labels), FINE),
    ] {
        let mut params = json!({"lambda": 0, "eta": 1e-6});
        if mechanism == "pmt-logistic" {
            params["steps"] = json!(20);
        }
        let mut plan = made_plan(mechanism, outcome, 600, &params, &free());
        plan["columns"][1] = group.clone();
        let release = run(&plan, Some(&public), &table);
        let terms: Vec<&str> = list(&release).iter().map(|entry| entry.term.as_str()).collect();
        assert_eq!(terms, ["(Intercept)", "a", "g[mid]", "g[high]"]);
        close(&estimates(&release), &wanted, tolerance, mechanism);
    }
}

/// A record that is skipped, or whose label is neither 0 nor 1, is as if it were not there, whatever else it says.
#[test]
fn a_record_without_an_outcome_moves_nothing() {
    let private = made_up(200, 12);
    let known = table(&private);
    let mut plan = made_plan("pmt-logistic", "k", 200, &json!({}), &json!({"mu": 5.0}));
    plan["adjacency"] = json!("add-remove");
    plan["stated_rows"] = json!(200);
    plan["missing"] = json!("skip");
    plan.as_object_mut().unwrap().remove("rows");
    let mut unguided = plan.clone();
    unguided["mechanism"]["name"] = json!("dp-logistic");
    let mut ridge = plan.clone();
    ridge["mechanism"]["name"] = json!("pmt-ridge");
    ridge["columns"][2] = column("y", "outcome", -40.0, 40.0);
    let public = law();
    for more in ["0.3,-2,0.1,2", "0.3,-2,0.1,", "0.3,-2,0.1,-1", ",1,0.2,1", "nan,1,0.2,1"] {
        let with = format!("{known}\n{more}");
        assert_eq!(run(&plan, Some(&public), &with), run(&plan, Some(&public), &known), "{more}");
        assert_eq!(run(&unguided, None, &with), run(&unguided, None, &known), "{more}");
    }
    for more in ["0.3,-2,,1", ",1,0.2,1"] {
        let with = format!("{known}\n{more}");
        assert_eq!(run(&ridge, Some(&public), &with), run(&ridge, Some(&public), &known), "{more}");
    }
    // Under replace-one a label that is none is the middle of its range, which pulls nowhere.
    let mut plan = made_plan("pmt-logistic", "k", 201, &json!({}), &json!({"mu": 5.0}));
    plan["missing"] = json!("midpoint");
    let [other, empty] =
        ["0.3,-2,0.1,7", "0.3,-2,0.1,"].map(|more| run(&plan, Some(&public), &format!("{known}\n{more}")));
    assert_eq!(other, empty);
}

#[test]
fn without_an_intercept_the_steps_have_no_constant() {
    let private = made_up(800, 13);
    let x = design(&private, &[0, 1], false);
    let wanted = maximum_likelihood(&x, &response(&private, 3));
    let params = json!({"steps": 20, "lambda": 0});
    let mut plan = made_plan("pmt-logistic", "k", 800, &params, &free());
    plan["intercept"] = json!(false);
    close(&estimates(&run(&plan, Some(&law()), &table(&private))), &wanted, FINE, "no constant");
    // What measures from the middles of the bounds says that it cannot, and what helps.
    for (name, params) in [
        ("dp-logistic", json!({"intercept_weight": 0})),
        ("dp-ridge", json!({"intercept_weight": 0})),
        ("logistic", json!({})),
    ] {
        plan["mechanism"] = json!({"name": name, "params": params});
        let error = prepared(&plan, None, &table(&private)).unwrap_err().to_string();
        assert!(error.contains("leave `intercept` true") && !error.contains("intercept_weight"), "{error}");
    }
}

/// Each outcome by itself and both together: without noise the same coefficients.
#[test]
fn several_outcomes_are_several_regressions() {
    let mut private = made_up(600, 14);
    for row in &mut private {
        row[2] = f64::from(u8::from(row[2] > 2.5));
    }
    let both = [column("y", "outcome", 0.0, 1.0), column("k", "outcome", 0.0, 1.0)];
    for (name, public) in [("pmt-logistic", Some(law())), ("dp-logistic", None), ("pmt-ridge", Some(law()))] {
        let params = if name == "pmt-ridge" { json!({}) } else { json!({"steps": 20, "lambda": 0}) };
        let mut plan = made_plan(name, "k", 600, &params, &free());
        let alone = |outcome: &Value| {
            let mut plan = plan.clone();
            plan["columns"][2] = outcome.clone();
            estimates(&run(&plan, public.as_ref(), &table(&private)))
        };
        let wanted: Vec<f64> = both.iter().flat_map(alone).collect();
        plan["columns"] = json!([
            column("a", "feature", -20.0, 20.0),
            column("b", "feature", -20.0, 20.0),
            both[0],
            both[1]
        ]);
        let found = estimates(&run(&plan, public.as_ref(), &table(&private)));
        close(&found, &wanted, FINE, name);
        if name == "pmt-ridge" {
            continue;
        }
        // Each has steps of its own, and the budget pays for all of them.
        plan["budget"] = json!({"mu": 1.0});
        let ready = prepared(&plan, public.as_ref(), &table(&private)).unwrap();
        assert_eq!(rows(&ready, &table(&private)).terms(), ready.row_width());
        plan["columns"] = json!([plan["columns"][0], plan["columns"][1], both[1]]);
        let one = prepared(&plan, public.as_ref(), &table(&private)).unwrap();
        let scale = |prepared: &discreet::engine::Prepared| {
            let Some(noise) = prepared.noise::<discreet::mechanisms::newton::Noise>() else { panic!() };
            noise.deviations()[0]
        };
        let ratio = scale(&ready) / scale(&one);
        assert!((ratio / 2_f64.sqrt() - 1.0).abs() < 1e-6, "{name}: {ratio}");
    }
}
