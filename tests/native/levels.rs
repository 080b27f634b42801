//! Categories of three and of five levels, whose codes are the corners of a simplex (theory/encoding 2.3): the noise is undone exactly, its
//! size is that of the theory, intervals hold, and single levels can be regressed.

use discreet::data::encode::Geometry;
use discreet::engine::{Simulation, prepare};
use discreet::inference::description::describe;
use discreet::inference::preview::{Expected, preview};
use discreet::inference::pseudo::Pseudo;
use discreet::inference::{CellNoise, NoisyMoments, Options, Refit, Repair, Ridge, refit};
use discreet::model::{Coefficient, Estimate, Interval, Layout, Role};
use discreet::plan::bound::{Levels, Norms};
use discreet::plan::{Plan, Purpose};
use discreet::release::document::{Coefficients, Release};
use serde_json::{Value, json};

use crate::records::{category, encode, number};
use crate::support::{self, column, list};

const ROWS: usize = 2_500;
const THREE: [&str; 3] = ["a", "b", "c"];
const FIVE: [&str; 5] = ["p", "q", "r", "s", "t"];

/// x, the two categories, the number y, the label k.
fn table() -> String {
    let mut text = "x,c,g,y,k\n".to_owned();
    for row in 0..ROWS as u64 {
        let mut rng = Pseudo::new(8, &[row]);
        let x = (0.5 * rng.normal()).clamp(-1.5, 1.5);
        let three = match rng.normal() + 0.4 * x {
            z if z < -0.6 => 0,
            z if z < 0.3 => 1,
            _ => 2,
        };
        let five = match rng.normal() {
            z if z < -1.1 => 0,
            z if z < -0.5 => 1,
            z if z < 0.2 => 2,
            z if z < 0.9 => 3,
            _ => 4,
        };
        let effect = [0.5, -0.3, 0.2][three] + [0.1, 0.7, 0.0, -0.4, 0.3][five];
        let y = (0.6 * x + effect + 0.4 * rng.normal()).clamp(-3.0, 3.0);
        let yes = 1.5 * x + effect + 1.7 * rng.normal() > 0.0;
        text += &format!("{x},{},{},{y},{}\n", THREE[three], FIVE[five], u8::from(yes));
    }
    text
}

fn plan(name: &str, params: &Value, outcome: &str, budget: &Value) -> Plan {
    let bounds = if outcome == "k" { (0.0, 1.0) } else { (-3.0, 3.0) };
    let plan = json!({
        "schema": "discreet.plan/1", "adjacency": "replace-one", "rows": ROWS, "missing": "midpoint",
        "columns": [
            column("x", "feature", -1.5, 1.5),
            json!({"name": "c", "role": "feature", "type": "category", "levels": THREE, "reference": "b"}),
            json!({"name": "g", "role": "feature", "type": "category", "levels": FIVE}),
            column(outcome, "outcome", bounds.0, bounds.1),
        ],
        "mechanism": {"name": name, "params": params},
        "budget": budget,
    });
    Plan::parse(&plan.to_string()).unwrap()
}

fn simulation(plan: Plan, resample: bool, table: &str) -> Simulation {
    let names = ["x", "c", "g", "y", "k"].map(str::to_owned);
    let prepared = prepare(plan, &names, b',', Purpose::Simulate).unwrap();
    if resample { support::resampling(prepared, table, 3) } else { support::simulation(prepared, table, 3) }
}

fn run(plan: Plan) -> Release {
    simulation(plan, false, &table()).run(1).unwrap().document().clone()
}

fn estimates(release: &Release) -> Vec<f64> {
    list(release).iter().map(|entry| entry.estimate.unwrap()).collect()
}

/// A mechanism with its parameters, the outcome, μ, and whether intervals count the sampling error.
type Row = (&'static str, fn() -> Value, &'static str, f64, bool);

const MECHANISMS: [Row; 7] = [
    ("analyze-gauss", || json!({"row_norm": 0.93}), "y", 8.0, true),
    ("additive-wishart", || json!({}), "y", 0.0, true),
    ("dp-ridge", || json!({"outcome_norm": 0.9}), "y", 8.0, true),
    ("reuse-cov-gauss", || json!({"ridge": "none", "feature_norm": 0.93}), "y", 8.0, true),
    ("naive-composition", || json!({"ridge": "none"}), "y", 8.0, false),
    ("ada-ssp", || json!({}), "y", 30.0, false),
    ("dp-logistic", || json!({}), "k", 30.0, true),
];

#[test]
fn without_noise_every_mechanism_gives_the_same_effects_of_levels() {
    let none = json!({"none": true});
    let least = estimates(&run(plan("ols", &json!({}), "y", &none)));
    assert_eq!(least.len(), 8);
    for (name, _, outcome, ..) in MECHANISMS.iter().filter(|row| row.2 == "y") {
        let release = run(plan(name, &json!({}), outcome, &none));
        let found = estimates(&release);
        // A ridge of its own, or codes without guard digits, leave less.
        let digits = if release.moments.as_ref().is_some_and(|moments| moments.matrix.is_some()) {
            1e-9
        } else {
            1e-5
        };
        for (found, exact) in found.iter().zip(&least) {
            assert!((found - exact).abs() < digits, "{name}: {found} {exact}");
        }
    }
}

#[test]
fn intervals_of_levels_hold() {
    let table = table();
    let runs: u64 = if std::env::var("COVERAGE").is_ok_and(|asked| asked == "long") { 400 } else { 40 };
    // Four standard errors, with half of a run's eight intervals independent of the others.
    let floor = 0.95 - 4.0 * (0.95 * 0.05 / (4.0 * runs as f64)).sqrt();
    for (name, params, outcome, mu, sampling) in MECHANISMS {
        let budget = if mu > 0.0 { json!({"mu": mu}) } else { json!({"epsilon": 60.0, "delta": 1e-5}) };
        let exact = simulation(plan(name, &params(), outcome, &json!({"none": true})), false, &table);
        let truth = estimates(exact.run(1).unwrap().document());
        for resample in [false, true] {
            let simulation = simulation(plan(name, &params(), outcome, &budget), resample, &table);
            let (mut asked, mut given, mut held, mut normal) = (0, 0, 0, 0);
            let mut noise = Noise::default();
            for run in 1..=runs {
                let release = simulation.run(run).unwrap();
                for (entry, target) in list(release.document()).iter().zip(&truth) {
                    asked += 1;
                    noise.add(&entry.entry(), *target);
                    if let (Some(lower), Some(upper)) = (entry.lower, entry.upper) {
                        given += 1;
                        held += u64::from((lower..=upper).contains(target));
                        normal += u64::from(entry.interval == Interval::Normal);
                    }
                }
            }
            let share = held as f64 / given as f64;
            let ratio = noise.ratio();
            let seen = format!(
                "{name}, resample {resample}: {share:.3} of {given} of {asked}, {normal} normal, noise {ratio:.3}"
            );
            println!("{seen}");
            assert!(given * 2 > asked, "{seen}");
            assert!(share >= floor || resample && !sampling, "{seen}");
            assert!(sampling || normal == 0, "{seen}");
            // 320 squares, a run's four times as many as independent ones: a relative standard error of 8 %; four of them.
            assert!(resample || (0.68..1.32).contains(&ratio), "{seen}");
        }
    }
}

/// How far estimates are off by the noise alone, in the standard errors that the release states for it.
#[derive(Default)]
struct Noise {
    squares: f64,
    count: f64,
}

impl Noise {
    fn add(&mut self, entry: &Estimate, truth: f64) {
        if let (Some(estimate), Some(error), Some(share)) =
            (entry.estimate, entry.std_error, entry.noise_share)
        {
            self.squares += ((estimate - truth) / error).powi(2) / share;
            self.count += 1.0;
        }
    }

    fn ratio(&self) -> f64 {
        (self.squares / self.count).sqrt()
    }
}

fn ask(release: &Release, outcome: &str, features: &[&str]) -> Refit {
    let features: Vec<String> = features.iter().map(|name| (*name).to_owned()).collect();
    refit(release, outcome, &features, Ridge::None, Repair::Shift, 0.95).unwrap()
}

fn entries(refit: &Refit) -> Vec<Estimate> {
    let Coefficients::List(list) = &refit.coefficients else { panic!("a list") };
    list.iter().map(Coefficient::entry).collect()
}

/// The regressions that a release allows, of and on single levels too, against the same from a matrix of dummies.
#[test]
fn single_levels_are_outcomes_and_predictors() {
    let asked: [(&str, &[&str]); 5] = [
        ("y", &["x", "c", "g"]),
        ("y", &["g[q]", "x", "c[c]"]),
        ("x", &["g[t]", "g[q]", "y"]),
        ("g[s]", &["x", "c", "y"]),
        ("c[a]", &["g[q]", "g[s]", "x"]),
    ];
    let none = json!({"none": true});
    let exact = run(plan("analyze-gauss", &json!({}), "y", &none));
    let noisy = |params: Value| -> Vec<Release> {
        let noisy = simulation(plan("analyze-gauss", &params, "y", &json!({"mu": 4.0})), false, &table());
        (1..=120).map(|run| noisy.run(run).unwrap().document().clone()).collect()
    };
    let laws = [noisy(json!({})), noisy(json!({"shape": "iid"}))];
    for (outcome, features) in asked {
        let truth = least_squares(outcome, features);
        let found = entries(&ask(&exact, outcome, features));
        let found: Vec<f64> = found.iter().map(|entry| entry.estimate.unwrap()).collect();
        assert_eq!(found.len(), truth.len(), "{outcome}");
        for (found, truth) in found.iter().zip(&truth) {
            // A document has no guard digits.
            assert!((found - truth).abs() < 2e-5, "{outcome} on {features:?}: {found} {truth}");
        }
        for (releases, law) in laws.iter().zip(["goe", "iid"]) {
            let mut noise = Noise::default();
            for release in releases {
                let found = entries(&ask(release, outcome, features));
                found.iter().zip(&truth).for_each(|(entry, truth)| noise.add(entry, *truth));
            }
            let ratio = noise.ratio();
            println!("{outcome} on {features:?}, {law}: {ratio:.3} of {}", noise.count);
            assert!(noise.count > 300.0, "{outcome} on {features:?}");
            // 120 runs of at least two independent numbers: a relative standard error of 5 %; four of them. The noise of a level as an outcome may
            // be overstated where it is not alike in all directions.
            let least = if law == "iid" && outcome.contains('[') { 0.6 } else { 0.8 };
            assert!((least..1.2).contains(&ratio), "{outcome} on {features:?}, {law}: {ratio}");
        }
    }
    let same = refit(&exact, "g[q]", &["g[s]".to_owned()], Ridge::None, Repair::Shift, 0.95).unwrap_err();
    assert!(same.to_string().contains("levels of one category"), "{same}");
    let origin = NoisyMoments::from_released(exact.moments.as_ref().unwrap(), &exact.plan).unwrap();
    let through = |features: &[&str]| {
        let places: Vec<usize> = features.iter().map(|name| origin.index(name).unwrap()).collect();
        let outcome = origin.index("y").unwrap();
        discreet::inference::fit(&origin, outcome, &places, false, Options::default())
            .unwrap()
            .estimate
            .unwrap()
    };
    let asked = ["x", "g[p]", "c[a]"];
    let asked: Vec<&str> = asked.into_iter().filter(|name| origin.index(name).is_some()).collect();
    let expected = solve(&asked.iter().map(|name| values(name)).collect::<Vec<_>>(), &values("y"));
    for (found, expected) in through(&asked).iter().zip(&expected) {
        assert!((found - expected).abs() < 2e-5, "through the origin: {found} {expected}");
    }
}

/// The values of a term in the rows of the table.
fn values(term: &str) -> Vec<f64> {
    let table = table();
    let (name, level) = match term.split_once('[') {
        Some((name, level)) => (name, Some(level.trim_end_matches(']'))),
        None => (term, None),
    };
    let place = ["x", "c", "g", "y", "k"].iter().position(|column| *column == name).unwrap();
    let cell = |line: &str| {
        let cell = line.split(',').nth(place).unwrap();
        level.map_or_else(|| cell.parse().unwrap(), |level| f64::from(u8::from(cell == level)))
    };
    table.lines().skip(1).map(cell).collect()
}

fn least_squares(outcome: &str, features: &[&str]) -> Vec<f64> {
    let mut columns = vec![vec![1.0; ROWS]];
    for feature in features {
        match *feature {
            "c" => columns.extend(["c[a]", "c[c]"].map(values)),
            "g" => columns.extend(["g[q]", "g[r]", "g[s]", "g[t]"].map(values)),
            term => columns.push(values(term)),
        }
    }
    solve(&columns, &values(outcome))
}

fn solve(columns: &[Vec<f64>], outcome: &[f64]) -> Vec<f64> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let d = columns.len();
    let gram = nalgebra::DMatrix::from_fn(d, d, |i, j| product(&columns[i], &columns[j]));
    let cross = nalgebra::DVector::from_fn(d, |i, _| product(&columns[i], outcome));
    gram.cholesky().unwrap().solve(&cross).iter().copied().collect()
}

#[test]
fn the_shares_of_levels_are_those_of_the_rows() {
    let exact = run(plan("analyze-gauss", &json!({}), "y", &json!({"none": true})));
    let described = describe(&exact).unwrap();
    let names: Vec<&str> = described.terms.iter().map(|term| term.term.as_str()).collect();
    assert_eq!(names, ["x", "c[b]", "c[a]", "c[c]", "g[p]", "g[q]", "g[r]", "g[s]", "g[t]", "y"]);
    for term in &described.terms {
        let mean = values(&term.term).iter().sum::<f64>() / ROWS as f64;
        assert!((term.mean.value - mean).abs() < 1e-6, "{}: {} {mean}", term.term, term.mean.value);
    }
    // The noise on a share, of the reference too, over many runs.
    let noisy = simulation(plan("analyze-gauss", &json!({}), "y", &json!({"mu": 2.0})), false, &table());
    let runs: Vec<_> = (1..=200).map(|run| describe(noisy.run(run).unwrap().document()).unwrap()).collect();
    for (place, name) in names.iter().enumerate().filter(|(_, name)| name.contains('[')) {
        let off = |run: &discreet::release::supplement::Description| {
            let (found, exact) = (run.terms[place].mean, described.terms[place].mean);
            ((found.value - exact.value) / found.std_error).powi(2)
        };
        let ratio = (runs.iter().map(off).sum::<f64>() / runs.len() as f64).sqrt();
        // 200 squares: a relative standard error of 5 %; five of them.
        assert!((ratio - 1.0).abs() < 0.25, "{name}: {ratio}");
    }
}

/// A record of any level is within its bound in integers, and so is never replaced by zeros, whatever share of its norm is kept.
#[test]
fn a_record_of_every_level_is_within_its_bound() {
    for row_norm in [1.0, 0.93, 0.31] {
        let columns = vec![
            number("x", 0, Role::Feature, -1.0, 1.0),
            category("c", 1, Role::Feature, &THREE, 1),
            category("g", 2, Role::Feature, &FIVE, 0),
            number("y", 3, Role::Outcome, -1.0, 1.0),
        ];
        let mut bound = crate::records::plan(columns, 4);
        bound.levels = Levels::Centred;
        bound.grid.norms = Norms::Record { feature_share: 0.6, row_norm };
        let longest = u64::from(Geometry::new(&bound).radius).pow(2);
        for three in THREE {
            for five in FIVE {
                for x in ["-1", "0", "1"] {
                    let row = encode(&bound, &[x, three, five, "1"]).unwrap();
                    let square: u64 =
                        row.iter().skip(1).map(|code| u64::from(code.unsigned_abs()).pow(2)).sum();
                    assert!(
                        square <= longest && square > longest / 4,
                        "{row_norm} {three} {five} {x}: {square}"
                    );
                }
            }
        }
    }
}

/// The factor by which the noise on a coefficient is smaller than that of indicators that are 0 or 1: theory/encoding 2.3.
#[test]
fn the_noise_of_a_level_is_smaller_by_the_factor_of_the_theory() {
    let names: Vec<String> = (0..10).map(|level| format!("l{level}")).collect();
    for (levels, factor) in [(2, 2.57), (3, 2.41), (4, 2.43), (5, 2.51), (10, 3.0)] {
        let own: Vec<&str> = names.iter().take(levels).map(String::as_str).collect();
        let noise = |coding: Levels| {
            let columns =
                vec![category("c", 0, Role::Feature, &own, 0), number("y", 1, Role::Outcome, -1.0, 1.0)];
            let mut bound = crate::records::plan(columns, 2);
            bound.levels = coding;
            let geometry = Geometry::new(&bound);
            let layout = Layout::whole(geometry.terms.len());
            let expected = Expected { noise: CellNoise::Goe { s: 1e-6 }, ridge: 0.0, layout };
            preview(&geometry, &bound, expected, 100_000, true, Options::default()).unwrap().terms[1]
                .noise_std_error
        };
        let found = noise(Levels::ZeroOne) / noise(Levels::Centred);
        println!("{levels} levels: {found:.3}");
        assert!((found / factor - 1.0).abs() < 0.005, "{levels} levels: {found} {factor}");
    }
}
