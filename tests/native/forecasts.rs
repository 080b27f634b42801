//! Whether forecasts hold: on samples and generated tables, at wide and at narrow bounds, the half-widths that are foreseen and the verdict
//! beside those of releases.

use discreet::engine::foresee::{expected, foresee};
use discreet::engine::{Simulation, prepare, simulate::Source};
use discreet::inference::noise_forecast::Advice;
use discreet::inference::preview::Verdict;
use discreet::inference::pseudo::Pseudo;
use discreet::plan::{Plan, Purpose};
use serde_json::{Value, json};

use crate::support::{BREAST_CANCER, DIABETES, list, scan, software};

const BLOOD_PRESSURE: &str = include_str!("../../www/samples/blood-pressure.csv");

/// Seeded runs of each release.
const RUNS: u64 = 10;

/// A number with its role, wide bounds, narrow bounds, and what is typical.
type Number = (&'static str, &'static str, [f64; 2], [f64; 2], [f64; 2]);

struct Table {
    name: &'static str,
    text: String,
    numbers: Vec<Number>,
    levels: Vec<(&'static str, Vec<&'static str>)>,
}

impl Table {
    fn rows(&self) -> usize {
        self.text.lines().count() - 1
    }

    fn plan(&self, mechanism: &str, epsilon: f64, narrow: bool) -> Value {
        let numbers = self.numbers.iter().map(|(name, role, wide, tight, [mean, sd])| {
            let [lower, upper] = if narrow { tight } else { wide };
            json!({"name": name, "role": role, "type": "number", "lower": lower, "upper": upper,
                   "typical": {"mean": mean, "sd": sd}})
        });
        let levels = self.levels.iter().map(
            |(name, levels)| json!({"name": name, "role": "feature", "type": "category", "levels": levels}),
        );
        json!({
            "schema": "discreet.plan/1",
            "adjacency": "add-remove",
            "stated_rows": self.rows(),
            "columns": levels.chain(numbers).collect::<Vec<_>>(),
            "mechanism": {"name": mechanism},
            "budget": {"epsilon": epsilon, "delta": 1e-6},
        })
    }
}

/// The last `rows` lines are left out.
fn head(text: &str, rows: usize) -> String {
    text.lines().take(rows + 1).map(|line| format!("{line}\n")).collect()
}

fn generated(rows: u64, skewed: bool) -> String {
    let mut text = "x,z,g,y\n".to_owned();
    for row in 0..rows {
        let mut rng = Pseudo::new(11, &[row]);
        let x = rng.normal();
        let z = if skewed { libm::exp(0.5 * rng.normal()) } else { 0.6 * x + 0.8 * rng.normal() };
        let level = usize::from(rng.normal() > 0.0) + usize::from(rng.normal() > 1.0);
        let y = 1.0 + 0.5 * x - 0.3 * z + 0.2 * level as f64 + rng.normal();
        text += &format!("{x},{z},{},{y}\n", ["a", "b", "c"][level]);
    }
    text
}

fn tables() -> Vec<Table> {
    let pressure = || -> Vec<Number> {
        vec![
            ("age", "feature", [0.0, 122.0], [18.0, 95.0], [50.0, 17.0]),
            ("bmi", "feature", [15.0, 100.0], [15.0, 50.0], [27.0, 5.5]),
            ("sbp", "outcome", [40.0, 270.0], [80.0, 200.0], [128.0, 18.0]),
        ]
    };
    let sex = || vec![("sex", vec!["F", "M"])];
    let normal = || -> Vec<Number> {
        vec![
            ("x", "feature", [-10.0, 10.0], [-4.0, 4.0], [0.0, 1.0]),
            ("z", "feature", [-10.0, 10.0], [-4.0, 4.0], [0.0, 1.0]),
            ("y", "outcome", [-20.0, 20.0], [-6.0, 6.0], [1.0, 1.2]),
        ]
    };
    let groups = || vec![("g", vec!["a", "b", "c"])];
    let mut skewed = normal();
    skewed[1] = ("z", "feature", [0.0, 20.0], [0.0, 5.0], [1.1, 0.6]);
    vec![
        Table { name: "blood pressure", text: BLOOD_PRESSURE.to_owned(), numbers: pressure(), levels: sex() },
        Table {
            name: "blood pressure, 2,000 rows",
            text: head(BLOOD_PRESSURE, 2_000),
            numbers: pressure(),
            levels: sex(),
        },
        Table {
            name: "diabetes",
            text: DIABETES.to_owned(),
            numbers: vec![
                ("bmi", "feature", [15.0, 100.0], [18.0, 42.0], [27.0, 5.0]),
                ("bp", "feature", [14.0, 330.0], [60.0, 140.0], [92.0, 12.0]),
                ("target", "outcome", [0.0, 500.0], [0.0, 350.0], [150.0, 75.0]),
            ],
            levels: Vec::new(),
        },
        Table {
            name: "breast cancer",
            text: BREAST_CANCER.to_owned(),
            numbers: vec![
                ("mean texture", "feature", [0.0, 100.0], [5.0, 40.0], [19.0, 4.5]),
                ("mean smoothness", "feature", [0.0, 0.5], [0.05, 0.17], [0.1, 0.015]),
                ("mean radius", "outcome", [0.0, 50.0], [5.0, 30.0], [14.0, 3.5]),
            ],
            levels: Vec::new(),
        },
        Table { name: "normal", text: generated(5_000, false), numbers: normal(), levels: groups() },
        Table { name: "skewed", text: generated(2_000, true), numbers: skewed, levels: groups() },
    ]
}

/// What was foreseen of one plan, and what its releases had.
struct Seen {
    /// Whether intervals were foreseen; nothing where the forecast leaves it open.
    foreseen: Option<bool>,
    /// Runs in which at least half of the slopes had intervals.
    given: u64,
    /// Median of the released half-width over the foreseen one.
    ratio: Option<f64>,
}

fn look(table: &Table, mechanism: &str, epsilon: f64, narrow: bool) -> Seen {
    let names: Vec<String> = table.text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let plan = Plan::parse(&table.plan(mechanism, epsilon, narrow).to_string()).unwrap();
    let prepared = prepare(plan, &names, b',', Purpose::Simulate).unwrap();
    let (foreseen, halves) = match (foresee(&prepared), expected(&prepared)) {
        (Some(foreseen), _) => (
            match foreseen.forecast.advice {
                Advice::Recommended | Advice::Approximate => Some(true),
                Advice::Uncertain => None,
                Advice::TooFew => Some(false),
            },
            foreseen.terms.iter().map(|term| (term.term.clone(), term.half())).collect::<Vec<_>>(),
        ),
        (None, Some(preview)) => (
            match preview.verdict {
                Verdict::Clear => Some(true),
                Verdict::Approximate => None,
                Verdict::Withheld => Some(false),
            },
            preview.terms.iter().map(|term| (term.term.clone(), term.half())).collect(),
        ),
        (None, None) => panic!("{}: no forecast for {mechanism}", table.name),
    };
    let source = Source::Once(scan(&prepared, &table.text, |_| prepared.sums()).sink);
    let simulation = Simulation::new(prepared, source, 7, software());
    let (mut given, mut ratios) = (0, Vec::new());
    for run in 1..=RUNS {
        let release = simulation.run(run).unwrap();
        let entries: Vec<_> =
            list(release.document()).iter().filter(|entry| entry.term != "(Intercept)").collect();
        let mut with = 0;
        for entry in &entries {
            let Some((lower, upper)) = entry.lower.zip(entry.upper) else { continue };
            with += 1;
            let (_, half) = halves.iter().find(|(term, _)| *term == entry.term).unwrap();
            ratios.push((upper - lower) / 2.0 / half);
        }
        given += u64::from(2 * with >= entries.len());
    }
    ratios.sort_by(f64::total_cmp);
    Seen { foreseen, given, ratio: ratios.get(ratios.len() / 2).copied() }
}

#[test]
fn what_is_foreseen_is_what_is_released() {
    let (mut wrong, mut far) = (Vec::new(), Vec::new());
    let mut plans = 0;
    for table in tables() {
        for mechanism in ["adaptive-gauss", "analyze-gauss"] {
            for epsilon in [0.7, 2.0, 8.0] {
                for narrow in [false, true] {
                    plans += 1;
                    let seen = look(&table, mechanism, epsilon, narrow);
                    let line = format!(
                        "{}, {mechanism}, epsilon {epsilon}, {}: foreseen {:?}, given {} of {RUNS}, ratio {:.2?}",
                        table.name,
                        if narrow { "narrow" } else { "wide" },
                        seen.foreseen,
                        seen.given,
                        seen.ratio
                    );
                    println!("{line}");
                    let agrees = match seen.foreseen {
                        Some(true) => seen.given >= RUNS - 1,
                        Some(false) => seen.given <= 1,
                        None => true,
                    };
                    if !agrees {
                        wrong.push(line.clone());
                    }
                    if seen.given > RUNS / 2
                        && seen.ratio.is_some_and(|ratio| !(1.0 / 1.5..=1.5).contains(&ratio))
                    {
                        far.push(line);
                    }
                }
            }
        }
    }
    println!("{plans} plans; verdict wrong: {wrong:#?}; width far: {far:#?}");
    // Both wrong verdicts and four of the seven widths are of `analyze-gauss`, at the edge of what its rows give.
    assert!(wrong.len() <= 2 && wrong.iter().all(|line| line.contains("analyze-gauss")), "{wrong:#?}");
    assert!(far.len() <= 7 && far.iter().filter(|line| line.contains("adaptive")).count() <= 3, "{far:#?}");
}
