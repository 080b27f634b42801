//! Mechanisms that read rows: noise that public features shape (T1), and a covariance of a secret sample (T4).

use discreet::audit::bench::{Side, read};
use discreet::audit::direct::delta_lower;
use discreet::audit::estimate::Level;
use discreet::audit::pairs::column;
use discreet::audit::signal::{Reading, Signal};
use discreet::audit::threshold::HeldOut;
use discreet::data::{EncodedRows, Exact, Sums};
use discreet::engine::Prepared;
use discreet::math::round::real as float;
use discreet::mechanisms::RoundNoise;
use discreet::noise::entropy::DemoRng;
use discreet::privacy::measure::Epsilon;
use serde_json::{Value, json};

use super::{Audit, Saw, audit, judged};

const SEED: u64 = 20_261_124;

pub fn audits() -> Vec<Audit> {
    vec![
        audit("T1 isotropic", || labels("isotropic")),
        audit("T1 whitened", || labels("whitened")),
        audit("T4 sub-samp-reuse-cov", sampled),
    ]
}

/// A plan on x and w without a constant, on a grid that is coarse enough for a row that is several times too long.
fn plan(name: &str, rows: usize, params: Value) -> Value {
    let mut plan = json!({
        "schema": "discreet.plan/1", "adjacency": "replace-one", "rows": rows, "intercept": false,
        "columns": [column("x", "feature"), column("w", "feature"), column("y", "outcome")],
        "mechanism": {"name": name, "params": params},
    });
    plan["mechanism"]["params"]["intercept_weight"] = json!(0);
    plan["mechanism"]["params"]["radius"] = json!(1 << 22);
    plan
}

/// Two tables under one noise.
struct Bench {
    noise: std::sync::Arc<dyn RoundNoise>,
    rows: [EncodedRows; 2],
}

impl Bench {
    fn new(plan: &Value, tables: [&str; 2]) -> Self {
        let [(prepared, first), (_, second)] = tables.map(|table| read(plan, table, Prepared::sums).unwrap());
        let rows = |gathered| match gathered {
            Sums::Rows(rows) => rows,
            _ => panic!("these mechanisms read rows"),
        };
        let noise = prepared.start().round().unwrap().noise;
        Self { noise, rows: [rows(first), rows(second)] }
    }

    fn release(&self, side: Side, run: u64) -> Vec<i128> {
        let stream = run << 1 | side.index() as u64;
        let rng = &mut DemoRng::new(SEED, stream);
        self.noise.release(&Exact::Rows(&self.rows[side.index()]), rng).unwrap().cells
    }
}

/// Opposite labels of the row with the largest leverage, which is also the longest: the mean of what the attacker reads moves by
/// the claim, and by no more. The first three cells are the public X'X, the next two the noisy ones.
fn labels(noise: &str) -> Saw {
    let mut plan = plan("reuse-cov-proj-x", 5, json!({"noise": noise}));
    plan["protect"] = json!("labels");
    plan["budget"] = json!({"mu": 1.0});
    let rest = "0.4,0.3,0.2\n-0.3,0.2,0\n0.2,-0.5,0.9\n0.1,0.3,-1\n";
    let tables = ["x,w,y\n1,0.8,1\n", "x,w,y\n1,0.8,-1\n"].map(|first| first.to_owned() + rest);
    let bench = Bench::new(&plan, tables.each_ref().map(String::as_str));
    // Without noise, as far as many runs go: all cells have the same variance, so the difference of means is the best weight.
    let mean = |side: Side| -> Vec<f64> {
        let mut sums = vec![0.0; 5];
        for run in 0..2_000 {
            let cells = bench.release(side, (1 << 30) + run);
            sums.iter_mut().zip(&cells).for_each(|(sum, cell)| *sum += float(*cell));
        }
        sums
    };
    let [first, second] = Side::BOTH.map(mean);
    let weights: Vec<f64> = second.iter().zip(&first).map(|(second, first)| second - first).collect();
    if weights[..3].iter().any(|weight| weight.abs() > 0.0) {
        return Err("labels show in the features".to_owned());
    }
    let mut signal = Signal::new(1.0);
    for run in 0..4_000 {
        for side in Side::BOTH {
            let cells = bench.release(side, run);
            signal.feed(side, cells.iter().zip(&weights).map(|(cell, weight)| float(*cell) * weight).sum());
        }
    }
    let found = signal.estimate().unwrap();
    let seen = format!("mu-hat {:.2} against {}, z {:.1}", found.mu, found.claim, found.excess);
    judged(found.reading() == Reading::At, seen)
}

/// The sample is two of ten rows, and one of the ten is replaced by an orthogonal one. The likelihood ratio grows with the
/// difference of the diagonal's cells, whether the row was in the sample or not.
fn sampled() -> Saw {
    const EPSILON: f64 = 1.0;
    const DELTA: f64 = 0.05;
    let params = json!({"sample_rows": 2, "covariance_share": 0.9, "row_norm": 0.5});
    let mut plan = plan("sub-samp-reuse-cov", 10, params);
    plan["budget"] = json!({"epsilon": EPSILON, "delta": DELTA});
    let rest = "0,0,0\n".repeat(9);
    let tables = ["x,w,y\n1,0,0\n", "x,w,y\n0,1,0\n"].map(|first| first.to_owned() + &rest);
    let bench = Bench::new(&plan, tables.each_ref().map(String::as_str));
    let mut runs = HeldOut::default();
    for run in 0..20_000 {
        for side in Side::BOTH {
            let cells = bench.release(side, run);
            runs.feed(side, run, float(cells[2]) - float(cells[0]));
        }
    }
    let level = Level::try_new(1e-6).unwrap();
    let found = delta_lower(&runs, Epsilon::try_new(EPSILON).unwrap(), level);
    judged(found <= DELTA, format!("delta at epsilon {EPSILON} above {found:.3} against {DELTA}"))
}
