//! Figures 7 and 8: logistic regression.

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};
use std::fmt::Write as _;
use std::io::Cursor;

use discreet::cli::table::Table as Source;
use discreet::data::HeaderRules;
use discreet::engine::{demonstrate, prepare_with};
use discreet::inference::pseudo::Pseudo;
use discreet::math::linalg::Eigen;
use discreet::noise::entropy::DemoRng;
use discreet::plan::public::PublicTable;
use discreet::plan::public::document::PublicTerm;
use discreet::plan::{Plan, Purpose};
use discreet::privacy::profile::paper::pmt;
use discreet::release::document::{Coefficients, Software};
use nalgebra::{DMatrix, DVector};
use serde_json::{Value, json};

use super::Size;
use super::setting::{
    Design, Public, SEED, coefficients, cut, kappa, labels, matrix_noise, squared_radius, vector_noise,
};
use crate::reproduce_common::{Measured, Page, on_two_threads};

const ETA: f64 = 0.05;
const D: usize = 8;
pub const STEPS: u32 = 8;

/// A run counts as failed from this error on.
pub const FAILED: f64 = 5.0;

#[derive(Clone, Copy)]
pub struct Method {
    /// The paper's scales, or the exact ones.
    printed: bool,
    floor: bool,
    /// Whitened, or clipped where the rows are.
    guided: bool,
    noise: bool,
}

pub const METHODS: [Method; 6] = [
    Method { printed: true, floor: false, guided: true, noise: true },
    Method { printed: true, floor: true, guided: true, noise: true },
    Method { printed: false, floor: false, guided: true, noise: true },
    Method { printed: false, floor: true, guided: true, noise: true },
    Method { printed: true, floor: false, guided: false, noise: true },
    Method { printed: true, floor: false, guided: true, noise: false },
];

const HEAD: [&str; 8] =
    ["design, μ", "PMT", "with floor", "exact", "exact and floor", "LR", "non-DP", "shipped"];

/// A run's data.
pub struct Table<'a> {
    /// Σ, for the radius of what is not guided.
    pub second: &'a DMatrix<f64>,
    pub rows: Vec<DVector<f64>>,
    pub y: Vec<f64>,
    pub public: Public,
    /// What errors are measured from.
    pub beta: DVector<f64>,
    pub eta: f64,
}

/// Errors after each step.
pub fn path(table: &Table<'_>, (mu, lambda): (f64, f64), method: Method, rng: &mut Pseudo) -> Vec<f64> {
    let Table { second, rows, y, public, beta, eta } = table;
    let (n, d) = (rows.len() as f64, beta.len());
    let (map, penalty, radius) = if method.guided {
        let radius = squared_radius(d, rows.len(), *eta, false).sqrt();
        (public.inverse_root.clone(), &public.inverse * lambda, radius)
    } else {
        let radius = (second.trace() + d as f64 * libm::log(n / eta)).sqrt();
        (DMatrix::identity(d, d), DMatrix::identity(d, d) * lambda, radius)
    };
    let steps = f64::from(STEPS);
    // The paper's parts of μ are a total of √2 μ.
    let [curvature, gradient, off] = if method.printed {
        let curvature = pmt::curvature(mu * SQRT_2, u64::from(STEPS), 0.25) * radius * radius / n;
        [curvature, 2.0 * steps.sqrt() * radius / (mu * n), 1.0]
    } else {
        let m = mu * SQRT_2 / steps.sqrt();
        [kappa() * radius * radius / (2.0 * m * n), 2.0 * radius / (m * n), FRAC_1_SQRT_2]
    };
    let [curvature, gradient] = if method.noise { [curvature, gradient] } else { [0.0, 0.0] };
    let rows: Vec<DVector<f64>> = rows.iter().map(|row| cut(&map * row, radius)).collect();
    let floor = 2.0 * off * curvature * (d as f64).sqrt();
    let mut b = DVector::zeros(d);
    let mut errors = vec![beta.norm()];
    for _ in 0..STEPS {
        let (mut h, mut g) = (DMatrix::zeros(d, d), DVector::zeros(d));
        for (row, y) in rows.iter().zip(y) {
            let p = 1.0 / (1.0 + libm::exp(-row.dot(&b)));
            h.syger(p * (1.0 - p) / n, row, row, 1.0);
            g.axpy((p - y) / n, row, 1.0);
        }
        h.fill_upper_triangle_with_lower_triangle();
        let h = h + &penalty + matrix_noise(rng, d, curvature, curvature * off);
        let g = g + &penalty * &b + vector_noise(rng, d, gradient);
        let step = if method.floor {
            Eigen::try_new(&h).map(|eigen| eigen.map(|value| 1.0 / value.max(floor)) * g).ok()
        } else {
            h.lu().solve(&g)
        };
        b -= step.unwrap_or_else(|| DVector::from_element(d, f64::NAN));
        let error = (&map * &b - beta).norm();
        errors.push(if error.is_finite() { error } else { f64::MAX });
    }
    errors
}

/// The errors of all methods in all runs: [run][method][step].
fn runs(
    design: &Design,
    n: usize,
    (mu, lambda): (f64, f64),
    methods: &[Method],
    runs: usize,
    stream: u64,
    with_shipped: bool,
) -> Vec<Vec<Vec<f64>>> {
    on_two_threads(runs, |run| {
        let mut rng = Pseudo::new(SEED, &[stream, run as u64]);
        let beta = coefficients(&mut rng, D, true);
        let outside = design.rows(&mut rng, 100);
        let nothing = vec![0.0; outside.len()];
        let public = Public::new(&outside, &nothing);
        let rows = design.rows(&mut rng, n);
        let y = labels(&mut rng, &rows, &beta);
        let table = Table { second: &design.second, rows, y, public, beta, eta: ETA };
        let mut errors: Vec<Vec<f64>> =
            methods.iter().map(|method| path(&table, (mu, lambda), *method, &mut rng)).collect();
        if with_shipped {
            errors.push(shipped(&table, (mu, lambda), run as u64 + 1));
        }
        errors
    })
}

/// The final error of the program's own `pmt-logistic`, from a CSV to the release.
fn shipped(table: &Table<'_>, (mu, lambda): (f64, f64), run: u64) -> Vec<f64> {
    let Table { rows, y, public, beta, eta, .. } = table;
    let names: Vec<String> = (1..=beta.len()).map(|at| format!("x{at}")).collect();
    let number = |name: &str, role: &str, lower: f64, upper: f64| json!({"name": name, "role": role, "type": "number", "lower": lower, "upper": upper});
    let mut columns: Vec<Value> = names.iter().map(|name| number(name, "feature", -60.0, 60.0)).collect();
    columns.push(number("y", "outcome", 0.0, 1.0));
    let plan = json!({
        "schema": "discreet.plan/1", "adjacency": "replace-one", "rows": rows.len(), "intercept": false, "columns": columns,
        "mechanism": {"name": "pmt-logistic", "params": {"steps": STEPS, "lambda": lambda, "eta": eta}},
        "budget": {"mu": mu * SQRT_2},
    });
    // Only second moments about zero count without an intercept, so the means may be 0.
    let known = public.rows as f64;
    let root = |at: usize| public.moment[(at, at)].sqrt();
    let all = || 0..names.len();
    let outside = PublicTable {
        schema: "discreet.public/1".to_owned(),
        source: "the design".to_owned(),
        rows: public.rows as u64,
        terms: all()
            .map(|at| PublicTerm {
                term: names[at].clone(),
                mean: 0.0,
                sd: Some(root(at) * (known / (known - 1.0)).sqrt()),
            })
            .collect(),
        correlation: all()
            .map(|a| {
                all().map(|b| if a == b { 1.0 } else { public.moment[(a, b)] / root(a) / root(b) }).collect()
            })
            .collect(),
    };
    let header = [names.as_slice(), &["y".to_owned()]].concat();
    let mut text = header.join(",") + "\n";
    for (row, y) in rows.iter().zip(y) {
        row.iter().for_each(|x| write!(text, "{x:e},").unwrap());
        writeln!(text, "{y}").unwrap();
    }
    let plan = Plan::parse(&plan.to_string()).unwrap();
    let prepared = prepare_with(plan, Some(&outside), &header, b',', Purpose::Simulate).unwrap();
    let source = Source::stream(Cursor::new(text.into_bytes()), HeaderRules::default()).unwrap();
    let gathered = source.scan(prepared.bound(), || prepared.sums(), 1).unwrap().sink;
    let rng = DemoRng::new(SEED, run);
    let release = demonstrate(&prepared, &gathered, rng, Software::new("reproduction".to_owned())).unwrap();
    let Coefficients::List(list) = &release.document().coefficients else { panic!("one outcome") };
    let square = list.iter().zip(beta.iter()).map(|(found, beta)| Some((found.estimate? - beta).powi(2)));
    vec![square.sum::<Option<f64>>().map_or(f64::MAX, f64::sqrt)]
}

fn last(all: &[Vec<Vec<f64>>], method: usize) -> Vec<f64> {
    all.iter().map(|run| *run[method].last().unwrap()).collect()
}

pub fn write(page: &mut Page, size: &Size) {
    page.say("## Figure 7: Newton steps, d = 8, n = 10,000, 100 public rows, λ = 0.001, T = 8");
    page.say(
        "Medians of the final error, with the share of runs above 5. All columns but the last are the steps in double precision; *shipped* is the \
         program's own `pmt-logistic`, from a CSV to the release, put beside the reference numbers of *exact and floor*.",
    );
    let none = f64::NAN;
    let printed: [(&'static str, f64, [f64; 6]); 7] = [
        ("iso", 1.0, [0.67, 0.171, 0.153, 0.147, 0.62, 0.095]),
        ("iso", 3.0, [0.108, 0.108, 0.101, 0.101, 0.107, 0.095]),
        ("ar", 1.0, [none, 0.663, none, 0.407, none, 0.206]),
        ("ar", 3.0, [1.15, 0.308, 0.247, 0.230, 2.6, 0.206]),
        ("ill", 1.0, [none, 0.626, 1.8, 0.375, none, 0.185]),
        ("ill", 3.0, [0.63, 0.276, 0.228, 0.220, 11.0, 0.185]),
        ("ill", 10.0, [0.198, 0.190, 0.191, 0.191, 0.211, 0.185]),
    ];
    let (mut rows, mut floored, mut ill) = (Vec::new(), 0, Vec::new());
    for (row, (name, mu, medians)) in printed.iter().enumerate() {
        let design = Design::new(name, D);
        let all =
            runs(&design, 10_000 / size.shrunk, (*mu, 1e-3), &METHODS, size.fits, 700 + row as u64, true);
        let mut cells = vec![format!("{name} {mu}")];
        // What is shipped is the exact one with a floor.
        for (at, wanted) in medians.iter().chain([&medians[3]]).enumerate() {
            let errors = last(&all, at);
            let failed = errors.iter().filter(|error| **error > FAILED).count();
            if [1, 3, 6].contains(&at) {
                floored += failed;
            }
            let median = Measured::wild_median(&errors);
            let shown = if size.shrunk == 1 {
                let what = format!("Figure 7, {name}, μ = {mu}, {}", HEAD[at + 1]);
                page.judge_share(&what, median, *wanted)
            } else {
                format!("{:.3}", median.centre)
            };
            cells.push(format!("{shown} ({} %)", failed * 100 / errors.len()));
        }
        if (*name, *mu) == ("ill", 3.0) {
            let of_step = |step: usize| all.iter().map(|run| run[3][step]).collect::<Vec<_>>();
            ill = (0..=STEPS as usize).map(|step| Measured::wild_median(&of_step(step)).centre).collect();
        }
        rows.push(cells);
    }
    page.table(&HEAD, &rows);
    page.claim(floored == 0, &format!("With raised eigenvalues no run fails: {floored} did."));
    let steps: Vec<String> = ill.iter().map(|error| format!("{error:.3}")).collect();
    page.say(&format!(
        "Medians by step, `ill`, μ = 3, exact and floor: {}; reference: 2.489, 1.778, 1.213, 0.666, 0.319, 0.237, 0.215, 0.207, 0.220.",
        steps.join(", ")
    ));
    penalties(page, size);
}

fn penalties(page: &mut Page, size: &Size) {
    page.say("## Figure 8: the penalty, `ill`, n = 8,000, μ = 10");
    page.say("Medians of the final error; the reference numbers are means, which for LR without a penalty is that of a few runs that failed.");
    let methods = [METHODS[1], METHODS[4], METHODS[5]];
    let printed: [(f64, [f64; 3]); 4] = [
        (0.0, [0.181, f64::NAN, 0.172]),
        (1e-3, [0.191, 0.219, 0.185]),
        (1e-2, [0.692, 0.691, 0.693]),
        (1e-1, [1.648, 1.648, 1.648]),
    ];
    let design = Design::new("ill", D);
    let head = ["λ", "PMT with floor", "LR", "non-DP"];
    let rows: Vec<Vec<String>> = printed
        .iter()
        .map(|(lambda, wanted)| {
            let all = runs(&design, 8_000 / size.shrunk, (10.0, *lambda), &methods, size.fits, 800, false);
            let mut cells = vec![format!("{lambda}")];
            for (at, wanted) in wanted.iter().enumerate() {
                let errors = last(&all, at);
                let median = Measured::wild_median(&errors);
                cells.push(if size.shrunk == 1 {
                    let name = format!("Figure 8, λ = {lambda}, {}", head[at + 1]);
                    page.judge_share(&name, median, *wanted)
                } else {
                    format!("{:.3}", median.centre)
                });
            }
            cells
        })
        .collect();
    page.table(&head, &rows);
}
