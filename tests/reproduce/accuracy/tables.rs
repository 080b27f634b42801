//! The tables: the project's own, and generated ones of the shapes that tables have in practice.

use discreet::inference::pseudo::{Pseudo, mix};
use discreet::math::special::phi_cdf;
use serde_json::{Value, json};

use super::Size;

/// Fixes the generated tables, and which rows are held out.
const SEED: u64 = 2_026;

const SAMPLE: &str = include_str!("../../../www/samples/blood-pressure.csv");
const DIABETES: &str = include_str!("../../../www/samples/diabetes.csv");
const TUMOURS: &str = include_str!("../../data/breast_cancer.csv");

/// One regression on one table.
pub struct Table {
    pub name: &'static str,
    /// What the table is.
    pub about: &'static str,
    /// The columns of a plan, with bounds that a person would state who has not seen the rows.
    pub columns: Vec<Value>,
    /// Whether the outcome is yes or no.
    pub yes_or_no: bool,
    /// Whether predictors and residuals have light tails.
    pub light: bool,
    /// The records that are released, as CSV.
    pub train: String,
    /// The records that are held out, as CSV.
    pub test: String,
}

impl Table {
    /// Number of records that are released.
    pub fn records(&self) -> usize {
        self.train.lines().count() - 1
    }

    /// The stated bounds, columns that have the same in one item.
    pub fn bounds(&self) -> String {
        let mut items: Vec<(Vec<&str>, String)> = Vec::new();
        for column in &self.columns {
            let name = column["name"].as_str().unwrap();
            let bounds = match column["levels"].as_array() {
                Some(levels) => format!("{} levels", levels.len()),
                None => {
                    let [lower, upper] = ["lower", "upper"].map(|end| column[end].as_f64().unwrap());
                    format!("{lower} to {upper}")
                }
            };
            match items.last_mut().filter(|(_, last)| *last == bounds) {
                Some((names, _)) => names.push(name),
                None => items.push((vec![name], bounds)),
            }
        }
        let item = |(names, bounds): &(Vec<&str>, String)| match names.as_slice() {
            [first, .., last] if names.len() > 3 => format!("{first} … {last} {bounds}"),
            _ => format!("{} {bounds}", names.join(", ")),
        };
        items.iter().map(item).collect::<Vec<_>>().join("; ")
    }
}

fn number(name: &str, lower: f64, upper: f64) -> Value {
    json!({"name": name, "role": "feature", "type": "number", "lower": lower, "upper": upper})
}

fn category(name: &str, levels: &[&str]) -> Value {
    json!({"name": name, "role": "feature", "type": "category", "levels": levels})
}

fn outcome(name: &str, lower: f64, upper: f64) -> Value {
    json!({"name": name, "role": "outcome", "type": "number", "lower": lower, "upper": upper})
}

/// Returns all tables of a size.
pub fn all(size: &Size) -> Vec<Table> {
    let mut tables = own();
    tables.extend(generated(size));
    tables.extend(yes_or_no(size));
    if let Some(names) = size.tables {
        tables.retain(|table| names.contains(&table.name));
    }
    tables
}

/// The project's tables, with numbers as outcomes.
fn own() -> Vec<Table> {
    let pressure = |name, train| Table {
        name,
        about: "the sample that the page opens with: synthetic patients, systolic pressure",
        columns: pressure_columns(outcome("sbp", 40.0, 270.0)),
        yes_or_no: false,
        light: true,
        ..split(SAMPLE, train, 1)
    };
    let diabetes = |name, columns: Vec<Value>| Table {
        name,
        about: "442 patients, progression of diabetes after one year (Efron et al. 2004)",
        columns: [columns, vec![outcome("target", 20.0, 360.0)]].concat(),
        yes_or_no: false,
        light: true,
        ..split(DIABETES, 353, 2)
    };
    let [age, sex, bmi, bp] = [
        number("age", 18.0, 90.0),
        number("sex", 1.0, 2.0),
        number("bmi", 15.0, 50.0),
        number("bp", 40.0, 150.0),
    ];
    let s5 = number("s5", 3.0, 7.0);
    let mut ten = vec![age.clone(), sex, bmi.clone(), bp.clone()];
    ten.extend([
        number("s1", 80.0, 350.0),
        number("s2", 20.0, 250.0),
        number("s3", 15.0, 110.0),
        number("s4", 1.0, 10.0),
        s5.clone(),
        number("s6", 50.0, 150.0),
    ]);
    let tumours = Table {
        name: "tumours",
        about: "569 tumours, largest radius of their nuclei (Wolberg et al. 1995)",
        columns: vec![
            number("mean texture", 5.0, 50.0),
            number("mean smoothness", 0.0, 0.3),
            number("mean symmetry", 0.0, 0.5),
            number("mean fractal dimension", 0.0, 0.2),
            outcome("worst radius", 0.0, 50.0),
        ],
        yes_or_no: false,
        light: true,
        ..split(TUMOURS, 455, 3)
    };
    vec![
        pressure("blood pressure", 10_500),
        pressure("blood pressure, few rows", 2_050),
        diabetes("diabetes, 4 predictors", vec![age, bmi, bp, s5]),
        diabetes("diabetes, 10 predictors", ten),
        tumours,
    ]
}

fn pressure_columns(outcome: Value) -> Vec<Value> {
    vec![
        number("age", 18.0, 100.0),
        category("sex", &["F", "M"]),
        number("bmi", 15.0, 60.0),
        category("smoker", &["no", "yes"]),
        number("salt", 0.0, 25.0),
        outcome,
    ]
}

/// Generated tables with numbers as outcomes.
fn generated(size: &Size) -> Vec<Table> {
    let n = |rows: usize| (rows / size.shrunk).max(60);
    vec![
        normal("normal, 350 rows", n(350), 2, 0.3, 10),
        normal("normal, 1,000 rows", n(1_000), 5, 0.3, 11),
        normal("normal, 2 predictors", n(10_000), 2, 0.3, 12),
        normal("normal, 6 predictors", n(10_000), 6, 0.3, 13),
        Table {
            about: "six predictors of which each two correlate at 0.95",
            ..normal("collinear", n(20_000), 6, 0.95, 14)
        },
        heavy(n(16_000)),
        skewed(n(16_000)),
        zero_inflated(n(5_000)),
        rare_levels(n(16_000)),
        normal("normal, 20 predictors", n(20_000), 20, 0.3, 19),
        normal("normal, 60 predictors", n(40_000), 60, 0.3, 20),
        normal("normal, 100,000 rows", n(100_000), 10, 0.3, 21),
        normal("normal, 1,000,000 rows", n(1_000_000), 10, 0.3, 22),
    ]
}

/// Standard normal predictors with one common factor, and an outcome of variance near 1.5.
fn normal(name: &'static str, rows: usize, d: usize, correlation: f64, stream: u64) -> Table {
    let names: Vec<String> = (1..=d).map(|place| format!("x{place}")).collect();
    let mut columns: Vec<Value> = names.iter().map(|name| number(name, -6.0, 6.0)).collect();
    columns.push(outcome("y", -8.0, 8.0));
    let slope = 0.7 / (d as f64).sqrt();
    let lines = lines(rows, stream, |rng| {
        let common = correlation.sqrt() * rng.normal();
        let x: Vec<f64> = (0..d).map(|_| common + (1.0 - correlation).sqrt() * rng.normal()).collect();
        let signed = x.iter().enumerate().map(|(place, x)| if place % 2 == 0 { *x } else { -x });
        let y = slope * signed.sum::<f64>() + rng.normal();
        x.iter().chain([&y]).map(|cell| format!("{cell:.4}")).collect()
    });
    Table {
        name,
        about: "standard normal predictors of which each two correlate at 0.3, normal residuals",
        columns,
        yes_or_no: false,
        light: true,
        ..text(&names, "y", &lines, rows)
    }
}

/// Student's t with three degrees of freedom, in predictors and residuals.
fn heavy(rows: usize) -> Table {
    let names: Vec<String> = (1..=5).map(|place| format!("x{place}")).collect();
    let mut columns: Vec<Value> = names.iter().map(|name| number(name, -50.0, 50.0)).collect();
    columns.push(outcome("y", -100.0, 100.0));
    let lines = lines(rows, 15, |rng| {
        let x: Vec<f64> = (0..5).map(|_| student(rng)).collect();
        let y = 0.3 * x.iter().sum::<f64>() + student(rng);
        x.iter().chain([&y]).map(|cell| format!("{cell:.4}")).collect()
    });
    Table {
        name: "heavy tails",
        about: "predictors and residuals have Student's t distribution with three degrees of freedom",
        columns,
        yes_or_no: false,
        light: false,
        ..text(&names, "y", &lines, rows)
    }
}

fn student(rng: &mut Pseudo) -> f64 {
    let z = rng.normal();
    let square: f64 = (0..3).map(|_| rng.normal().powi(2)).sum();
    z / (square / 3.0).sqrt()
}

fn exponential(rng: &mut Pseudo) -> f64 {
    -libm::log(phi_cdf(rng.normal()).max(1e-300))
}

/// What a hospital stay costs: skewed predictors, skewed residuals.
fn skewed(rows: usize) -> Table {
    let names = ["age", "income", "bmi", "days"];
    let lines = lines(rows, 16, |rng| {
        let age = (18.0 + 72.0 * phi_cdf(rng.normal())).round();
        let income = 30_000.0 * libm::exp(0.7 * rng.normal());
        let bmi = 26.0 + 5.0 * rng.normal();
        let days = 4.0 * exponential(rng);
        let cost = 50.0 + 0.5 * age + 0.0005 * income + bmi + 3.0 * days + 20.0 * exponential(rng);
        vec![
            format!("{age:.0}"),
            format!("{income:.0}"),
            format!("{bmi:.1}"),
            format!("{days:.1}"),
            format!("{cost:.1}"),
        ]
    });
    Table {
        name: "skewed",
        about: "a log-normal and an exponential predictor, exponential residuals",
        columns: vec![
            number("age", 18.0, 100.0),
            number("income", 0.0, 500_000.0),
            number("bmi", 10.0, 70.0),
            number("days", 0.0, 100.0),
            outcome("cost", 0.0, 1_000.0),
        ],
        yes_or_no: false,
        light: false,
        ..text(&names.map(str::to_owned), "cost", &lines, rows)
    }
}

/// Counts that are mostly 0, in predictors and outcome.
fn zero_inflated(rows: usize) -> Table {
    let names = ["visits", "drinks", "cigarettes", "age", "score", "married", "urban"];
    let lines = lines(rows, 17, |rng| {
        let mut rarely = |share: f64, mean: f64| {
            let hit = phi_cdf(rng.normal()) < share;
            let amount = (mean * exponential(rng)).round();
            if hit { amount } else { 0.0 }
        };
        let [visits, drinks, cigarettes] = [rarely(0.2, 5.0), rarely(0.3, 8.0), rarely(0.15, 12.0)];
        let age = (45.0 + 15.0 * rng.normal()).clamp(18.0, 95.0).round();
        let score = 50.0 + 10.0 * rng.normal();
        let [married, urban] = [0.6, 0.7].map(|share| phi_cdf(rng.normal()) < share);
        let spent = 5.0 + 2.0 * visits + 0.1 * age + 0.1 * score + 10.0 * exponential(rng);
        let spent = if phi_cdf(rng.normal()) < 0.4 { spent } else { 0.0 };
        let word = |yes: bool| if yes { "yes" } else { "no" }.to_owned();
        vec![
            format!("{visits:.0}"),
            format!("{drinks:.0}"),
            format!("{cigarettes:.0}"),
            format!("{age:.0}"),
            format!("{score:.1}"),
            word(married),
            word(urban),
            format!("{spent:.1}"),
        ]
    });
    Table {
        name: "zero-inflated",
        about: "three predictors are 0 in 70 to 85 % of the rows, the outcome in 60 %",
        columns: vec![
            number("visits", 0.0, 100.0),
            number("drinks", 0.0, 100.0),
            number("cigarettes", 0.0, 100.0),
            number("age", 18.0, 100.0),
            number("score", 0.0, 100.0),
            category("married", &["no", "yes"]),
            category("urban", &["no", "yes"]),
            outcome("spent", 0.0, 500.0),
        ],
        yes_or_no: false,
        light: false,
        ..text(&names.map(str::to_owned), "spent", &lines, rows)
    }
}

/// A category of which two levels are rare.
fn rare_levels(rows: usize) -> Table {
    let sites = ["north", "south", "east", "west", "island"];
    let lines = lines(rows, 18, |rng| {
        let age = (50.0 + 15.0 * rng.normal()).clamp(18.0, 95.0).round();
        let score = 50.0 + 10.0 * rng.normal();
        let place = phi_cdf(rng.normal());
        let site = [0.6, 0.9, 0.98, 0.995].iter().filter(|edge| place > **edge).count();
        let y = 20.0 + 0.2 * age + 0.3 * score + 2.0 * site as f64 + 8.0 * rng.normal();
        vec![format!("{age:.0}"), format!("{score:.1}"), sites[site].to_owned(), format!("{y:.1}")]
    });
    Table {
        name: "rare levels",
        about: "a category whose levels have 60, 30, 8, 1.5 and 0.5 % of the rows, normal residuals",
        columns: vec![
            number("age", 18.0, 100.0),
            number("score", 0.0, 100.0),
            category("site", &sites),
            outcome("y", 0.0, 150.0),
        ],
        yes_or_no: false,
        light: true,
        ..text(&["age", "score", "site"].map(str::to_owned), "y", &lines, rows)
    }
}

/// Tables whose outcome is yes or no, coded 1 and 0.
fn yes_or_no(size: &Size) -> Vec<Table> {
    let n = |rows: usize| (rows / size.shrunk).max(60);
    let high = with_label(SAMPLE, "sbp", "high", |cell| cell.parse::<f64>().is_ok_and(|sbp| sbp > 140.0));
    let smokes = with_label(SAMPLE, "smoker", "smokes", |cell| cell == "yes");
    vec![
        Table {
            name: "high blood pressure",
            about: "the sample that the page opens with, whether systolic pressure is above 140",
            columns: pressure_columns(outcome("high", 0.0, 1.0)),
            yes_or_no: true,
            light: true,
            ..split(&high, 10_500, 4)
        },
        Table {
            name: "smokers",
            about: "the same sample, whether a person smokes",
            columns: vec![
                number("age", 18.0, 100.0),
                category("sex", &["F", "M"]),
                number("bmi", 15.0, 60.0),
                number("salt", 0.0, 25.0),
                number("sbp", 40.0, 270.0),
                outcome("smokes", 0.0, 1.0),
            ],
            yes_or_no: true,
            light: true,
            ..split(&smokes, 10_500, 5)
        },
        Table {
            name: "diagnosis",
            about: "569 tumours, whether one is benign (Wolberg et al. 1995); the predictors nearly separate the two",
            columns: vec![
                number("mean radius", 0.0, 40.0),
                number("mean texture", 5.0, 50.0),
                number("mean smoothness", 0.0, 0.3),
                number("mean symmetry", 0.0, 0.5),
                outcome("target", 0.0, 1.0),
            ],
            yes_or_no: true,
            light: true,
            ..split(TUMOURS, 455, 6)
        },
        labels("labels, 1,000 rows", "normal predictors, half of the outcomes are yes", n(1_000), 4, 0.0, 30),
        labels(
            "labels, 20,000 rows",
            "normal predictors, half of the outcomes are yes",
            n(20_000),
            10,
            0.0,
            31,
        ),
        labels("rare events", "normal predictors, 2 to 3 % of the outcomes are yes", n(20_000), 5, -4.0, 32),
    ]
}

fn labels(
    name: &'static str,
    about: &'static str,
    rows: usize,
    d: usize,
    constant: f64,
    stream: u64,
) -> Table {
    let names: Vec<String> = (1..=d).map(|place| format!("x{place}")).collect();
    let mut columns: Vec<Value> = names.iter().map(|name| number(name, -6.0, 6.0)).collect();
    columns.push(outcome("y", 0.0, 1.0));
    let slope = 0.8 / (d as f64).sqrt();
    let lines = lines(rows, stream, |rng| {
        let common = 0.3_f64.sqrt() * rng.normal();
        let x: Vec<f64> = (0..d).map(|_| common + 0.7_f64.sqrt() * rng.normal()).collect();
        let signed = x.iter().enumerate().map(|(place, x)| if place % 2 == 0 { *x } else { -x });
        let yes = 1.0 / (1.0 + libm::exp(-constant - slope * signed.sum::<f64>()));
        let label = u8::from(phi_cdf(rng.normal()) < yes).to_string();
        x.iter().map(|cell| format!("{cell:.4}")).chain([label]).collect()
    });
    Table { name, about, columns, yes_or_no: true, light: true, ..text(&names, "y", &lines, rows) }
}

/// Records for release and as many as a quarter of them, 500 to 20,000, to be held out.
fn lines(rows: usize, stream: u64, mut record: impl FnMut(&mut Pseudo) -> Vec<String>) -> Vec<String> {
    let mut rng = Pseudo::new(SEED, &[stream]);
    let held_out = (rows / 4).clamp(500, 20_000);
    (0..rows + held_out).map(|_| record(&mut rng).join(",")).collect()
}

/// A table without its plan, from the records and the number of those that are released.
fn text(features: &[String], outcome: &str, lines: &[String], rows: usize) -> Table {
    let header = [features, &[outcome.to_owned()]].concat().join(",");
    let part = |lines: &[String]| format!("{header}\n{}\n", lines.join("\n"));
    let (train, test) = lines.split_at(rows);
    Table {
        name: "",
        about: "",
        columns: Vec::new(),
        yes_or_no: false,
        light: false,
        train: part(train),
        test: part(test),
    }
}

/// A table without its plan: `train` records of a file, drawn by a seed, and the rest held out.
fn split(file: &str, train: usize, stream: u64) -> Table {
    let mut lines: Vec<String> = file.lines().skip(1).map(str::to_owned).collect();
    for last in (1..lines.len()).rev() {
        let draw = mix(mix(SEED ^ stream << 32) ^ last as u64) % (last as u64 + 1);
        lines.swap(last, usize::try_from(draw).unwrap_or(0));
    }
    let names: Vec<String> = file.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let (last, others) = names.split_last().unwrap();
    text(others, last, &lines, train)
}

/// A file with one more column that says yes (1) or no (0) about another; records that lack that cell are left out.
fn with_label(file: &str, column: &str, label: &str, yes: impl Fn(&str) -> bool) -> String {
    let mut lines = file.lines();
    let header = lines.next().unwrap();
    let place = header.split(',').position(|name| name == column).unwrap();
    let mut out = format!("{header},{label}\n");
    for line in lines {
        let cell = line.split(',').nth(place).unwrap();
        if !cell.is_empty() {
            out.push_str(&format!("{line},{}\n", u8::from(yes(cell))));
        }
    }
    out
}
