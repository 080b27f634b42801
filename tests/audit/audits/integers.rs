//! T7: exact sums that nothing can wrap, and records that nothing can make too long.

use std::fmt::Write;

use dashu_int::IBig;
use discreet::audit::pairs::column;
use discreet::data::Moments;
use discreet::data::csv::Record;
use discreet::data::encode::{Encoded, Encoder, Geometry};
use discreet::engine::prepare;
use discreet::inference::pseudo::mix;
use discreet::model::{Missing, Role};
use discreet::plan::bound::{
    BoundColumn, BoundPlan, Clipping, CsvRules, Encoding, GridParams, Kind, Levels, Norms, Sides, Source,
};
use discreet::plan::number_format::NumberFormat;
use discreet::plan::{Plan, Purpose};
use nalgebra::DMatrix;
use serde_json::json;

use super::{Audit, Depth, Saw, audit, judged};
use crate::adaptive_checks::{identities, sensitivity};
use crate::adaptive_logistic_checks as logistic;
use crate::estimated_bounds_checks;

/// The largest size of a code.
const FAR: i32 = 1 << 24;

pub fn audits(depth: Depth) -> Vec<Audit> {
    let records = if depth == Depth::Full { 10_000_000 } else { 200_000 };
    vec![
        audit("T7 sums", sums),
        audit("T7 largest rows", || {
            // 2^15 products of 2^48 leave 64 bits; densely and sparsely filled rows take different paths.
            equals_big_integers(&vec![vec![FAR, FAR, -FAR]; 70_000])?;
            equals_big_integers(&vec![vec![FAR, 0, 0, 0, 0, 0, 0, 0, -FAR]; 70_000])?;
            Ok("sums of 140,000 largest rows are exact".to_owned())
        }),
        audit("T7 order", order),
        audit("T7 records", move || any_bits(records)),
        audit("T7 derived records", derived_records),
        audit("T7 gradients", gradients),
        audit("T7 adaptive rounds", || {
            sensitivity::check();
            Ok("neighbours reach the sensitivity of each round, and none exceeds it".to_owned())
        }),
        audit("T7 adaptive weights", || {
            identities::shortening_is_a_weight();
            Ok("a shortened record has a weight that its features decide".to_owned())
        }),
        audit("T7 bounds golden", || {
            estimated_bounds_checks::golden();
            Ok("estimated bounds are the golden ones".to_owned())
        }),
        audit("T7 bounds neighbours", || {
            estimated_bounds_checks::neighbours();
            Ok("neighbours reach the sensitivity of the counts for bounds, and none exceeds it".to_owned())
        }),
        audit("T7 bounds of equal counts", || {
            estimated_bounds_checks::same_integers();
            Ok("equal noisy counts give equal bounds".to_owned())
        }),
        audit("T6 noise of bounds", || {
            estimated_bounds_checks::noise();
            Ok("every cell has noise of its own".to_owned())
        }),
        audit("T1 bounds", move || {
            estimated_bounds_checks::signal(if depth == Depth::Full { 2_000 } else { 300 });
            Ok("the best test separates neighbours by what is charged".to_owned())
        }),
        audit("T9 adaptive noise", || {
            identities::noise_reaches_the_coefficients();
            Ok("standard errors hold the noise of every cell".to_owned())
        }),
        audit("T7 adaptive-logistic golden", || {
            logistic::golden::check();
            Ok("every round gives the golden values".to_owned())
        }),
        audit("T7 adaptive-logistic rounds", || {
            logistic::sensitivity::check();
            Ok("neighbours reach the sensitivity of each round, and none exceeds it".to_owned())
        }),
        audit("T7 adaptive-logistic weights", || {
            logistic::identities::settles_at_the_weighted_fit();
            Ok("the steps settle at the fit whose weights the features decide".to_owned())
        }),
        audit("T1 adaptive-logistic steps", logistic::signal::check),
        audit("T6 adaptive-logistic noise", logistic::signal::own_noise),
    ]
}

/// Numbers that look random, the same on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        mix(self.0)
    }

    fn below(&mut self, bound: u32) -> u32 {
        u32::try_from(self.next() % u64::from(bound)).unwrap()
    }

    fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.next() % length as u64).unwrap()
    }

    /// Rows of any codes, of which so many in ten are 0.
    fn rows(&mut self, rows: u32, terms: u32, zeros: u32) -> Vec<Vec<i32>> {
        let mut code = || match self.below(10) < zeros {
            true => 0,
            false => i32::try_from(self.below((1 << 25) + 1)).unwrap() - FAR,
        };
        (0..rows).map(|_| (0..terms).map(|_| code()).collect()).collect()
    }
}

fn summed(rows: &[Vec<i32>]) -> Moments {
    let mut moments = Moments::new(rows[0].len());
    rows.iter().for_each(|row| moments.add(row));
    moments
}

/// Z'Z against big integers that cannot overflow.
fn equals_big_integers(rows: &[Vec<i32>]) -> Result<(), String> {
    let moments = summed(rows);
    let terms = rows[0].len();
    for first in 0..terms {
        for second in 0..terms {
            let exact: IBig = rows.iter().map(|row| IBig::from(row[first]) * IBig::from(row[second])).sum();
            let seen = moments.get(first, second);
            if IBig::from(seen) != exact {
                return Err(format!("the sum of {} rows is {seen}, not {exact}", rows.len()));
            }
        }
    }
    Ok(())
}

/// Random rows, dense and sparse, over more than one block.
fn sums() -> Saw {
    let mut numbers = Numbers(1);
    for (terms, rows, zeros) in [(1, 5, 0), (3, 40_000, 0), (7, 17_000, 3), (40, 300, 9), (23, 500, 6)] {
        equals_big_integers(&numbers.rows(rows, terms, zeros))?;
    }
    Ok("sums of 57,805 random rows are exact".to_owned())
}

/// However rows are cut, ordered and merged.
fn order() -> Saw {
    let mut numbers = Numbers(2);
    for _ in 0..20 {
        let mut rows = numbers.rows(2_000, 4, 2);
        rows.extend(vec![vec![FAR, -FAR, FAR, FAR]; 40_000]);
        let whole = summed(&rows);
        for place in (1..rows.len()).rev() {
            rows.swap(place, numbers.place(place + 1));
        }
        let mut parts = Moments::new(4);
        let mut rest = rows.as_slice();
        while !rest.is_empty() {
            let cut = 1 + numbers.place(rest.len());
            let bytes = summed(&rest[..cut]).to_bytes();
            parts.merge(&Moments::from_bytes(&bytes).unwrap()).unwrap();
            rest = &rest[cut..];
        }
        if parts != whole {
            return Err("the sums depend on the order of the rows".to_owned());
        }
    }
    Ok("20 shuffles and cuts of 42,000 rows give one sum".to_owned())
}

/// Cells of uniformly random bits under bounds, grids and weights of any kind: no row leaves the ball of radius W.
fn any_bits(records: u32) -> Saw {
    const COLUMNS: usize = 3;
    const EACH: u32 = 1_000;
    let mut numbers = Numbers(7);
    let (mut zeros, mut text, mut ends) = (0_u32, String::new(), [0; COLUMNS]);
    for _ in 0..records / EACH {
        let plan = any_plan(&mut numbers, COLUMNS);
        let geometry = Geometry::new(&plan);
        let mut encoder = Encoder::new(&plan);
        for _ in 0..EACH {
            text.clear();
            for end in &mut ends {
                write!(text, "{:e}", f64::from_bits(numbers.next())).unwrap();
                *end = text.len();
            }
            let Encoded::Row(row) = encoder.encode(&Record::new(&text, &ends)) else {
                return Err("a record was skipped where cells are filled in".to_owned());
            };
            let squared = |codes: &[i32]| codes.iter().map(|&code| i128::from(code).pow(2)).sum::<i128>();
            let (constant, codes) = row.split_at(usize::from(geometry.constant > 0));
            let first = geometry.outcomes.map_or(codes.len(), |side| side.first - constant.len());
            let (features, outcomes) = codes.split_at(first);
            let kept = |code: &i32| match geometry.outcomes {
                None => i64::from(*code) == i64::from(geometry.constant),
                Some(_) => (0..=i64::from(geometry.constant)).contains(&i64::from(*code)),
            };
            let side = geometry.outcomes.map_or(0, |side| i128::from(side.radius).pow(2));
            let alone = plan_clips_alone(&plan);
            let longest = if alone {
                outcomes.iter().map(|code| i128::from(*code).pow(2)).max().unwrap_or(0)
            } else {
                squared(outcomes)
            };
            let square = squared(features);
            if square > i128::from(geometry.radius).pow(2) || longest > side || !constant.iter().all(kept) {
                return Err(format!("a row of squared norms {square}, {longest} at {geometry:?}"));
            }
            if i128::from(geometry.squared_norm()) > i128::from(plan.grid.radius).pow(2) {
                return Err(format!("bounds beyond the radius: {geometry:?}"));
            }
            zeros += u32::from(squared(codes) == 0);
        }
    }
    // The integer test is not what keeps ordinary rows in, so hardly any row is zero.
    judged(zeros < records / 20, format!("{records} records are within the radius, {zeros} of them zero"))
}

fn plan_clips_alone(plan: &BoundPlan) -> bool {
    matches!(plan.grid.norms, Norms::Sides(Sides { clipping: Clipping::EachOutcome, .. }))
}

/// Cells of uniformly random bits from which every kind of term is derived: no row leaves the ball of radius W, and nothing of one record is
/// in the row of the next.
fn derived_records() -> Saw {
    let number = |name: &str, lower: f64, upper: f64| json!({"name": name, "role": "feature", "type": "number", "lower": lower, "upper": upper});
    let plan = json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove",
        "columns": [
            number("a", -3.0, 5.0), number("b", 0.25, 8.0),
            {"name": "k", "role": "feature", "type": "category", "levels": ["x", "y", "other"]}, column("z", "outcome"),
        ],
        "derived": [
            {"transform": "log", "from": ["b"]}, {"transform": "square", "from": ["a"]},
            {"transform": "product", "from": ["a", "b", "k"]}, {"transform": "centred", "from": ["b"], "at": 2},
            {"transform": "difference", "from": ["a", "b"]},
            {"transform": "difference", "from": ["b", "a"], "factor": 3.7, "lower": 0, "upper": 9},
            {"transform": "spline", "from": ["a"], "knots": [-1, 0, 1, 2]},
            {"transform": "merged", "from": ["k"], "groups": [{"name": "y", "levels": ["y", "other"]}]},
        ],
        "mechanism": {"name": "analyze-gauss", "params": {"row_norm": 0.7}}, "budget": {"mu": 1.0},
    });
    let names = ["a", "b", "k", "z"].map(str::to_owned);
    let prepared = prepare(Plan::parse(&plan.to_string()).unwrap(), &names, b',', Purpose::Simulate).unwrap();
    let radius = i128::from(prepared.geometry().radius);
    let mut numbers = Numbers(9);
    let mut encoder = Encoder::new(prepared.bound());
    let (mut longest, mut skipped) = (0, 0_u32);
    for _ in 0..50_000 {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for field in 0..4 {
            match (field, numbers.below(12)) {
                (_, 0) => {}
                (2, choice) => text.push_str(["x", "y", "w"][choice as usize % 3]),
                (_, 1..6) => write!(text, "{:e}", f64::from_bits(numbers.next())).unwrap(),
                _ => write!(text, "{}", f64::from(numbers.below(4_000)) / 100.0 - 20.0).unwrap(),
            }
            ends.push(text.len());
        }
        let record = Record::new(&text, &ends);
        let row = match encoder.encode(&record) {
            Encoded::Row(row) => Some(row.to_vec()),
            Encoded::Skipped => None,
        };
        let alone = match Encoder::new(prepared.bound()).encode(&record) {
            Encoded::Row(row) => Some(row.to_vec()),
            Encoded::Skipped => None,
        };
        if row != alone {
            return Err("a row depends on the records before it".to_owned());
        }
        let Some(row) = row else {
            skipped += 1;
            continue;
        };
        longest = longest.max(row[1..].iter().map(|&code| i128::from(code).pow(2)).sum::<i128>());
    }
    let within = longest <= radius.pow(2);
    judged(
        within && skipped > 5_000 && skipped < 45_000,
        format!("50,000 records, {skipped} of them skipped; the longest has the squared norm {longest}"),
    )
}

/// What one record adds to a gradient is never longer than the clip, whatever the record, the coefficients and the scope.
fn gradients() -> Saw {
    let mut numbers = Numbers(8);
    let code = |numbers: &mut Numbers| i32::try_from(numbers.below((1 << 25) + 1)).unwrap() - FAR;
    let mut longest = 0.0_f64;
    for scope in ["joint", "per-outcome"] {
        let plan = json!({
            "schema": "discreet.plan/1", "adjacency": "replace-one", "rows": 10,
            "columns": [column("a", "feature"), column("b", "feature"), column("y", "outcome"), column("z", "outcome")],
            "mechanism": {"name": "dp-gd", "params": {"clip_scope": scope}},
            "budget": {"mu": 1.0},
        });
        let names = ["a", "b", "y", "z"].map(str::to_owned);
        let plan = Plan::parse(&plan.to_string()).unwrap();
        let prepared = prepare(plan, &names, b',', Purpose::Simulate).unwrap();
        let Some(noise) = prepared.noise::<discreet::mechanisms::descent::Noise>() else {
            return Err("another mechanism".to_owned());
        };
        for trial in 0..20_000_u32 {
            let row: Vec<i32> = (0..5).map(|_| code(&mut numbers) >> (trial % 20)).collect();
            let weights = DMatrix::from_fn(3, 2, |_, _| match trial % 3 {
                0 => f64::from_bits(numbers.next()),
                scale => f64::from(numbers.below(2_001)) / 1_000.0 * f64::from(scale) - 1.0,
            });
            let entries = noise.gradient(&row, &weights);
            let scopes = if scope == "joint" { 6 } else { 3 };
            for part in entries.chunks(scopes) {
                let square: i128 = part.iter().map(|entry| i128::from(*entry).pow(2)).sum();
                if square > i128::from(noise.most()).pow(2) {
                    return Err(format!("a gradient of squared length {square}"));
                }
                longest = longest.max((square as f64).sqrt() / noise.most() as f64);
            }
        }
    }
    judged(
        longest > 0.999,
        format!("40,000 gradients are within the clip, the longest at {longest:.5} of it"),
    )
}

fn any_plan(numbers: &mut Numbers, columns: usize) -> BoundPlan {
    let bound = |bits| Some(f64::from_bits(bits)).filter(|bound| bound.is_finite()).unwrap_or(1.0);
    let columns = (0..columns).map(|field| {
        let (one, two) = match field % 2 {
            0 => (-1.0, f64::from(numbers.below(100))),
            _ => (bound(numbers.next()), bound(numbers.next())),
        };
        BoundColumn {
            name: format!("c{field}"),
            source: Source::Field(field),
            role: if field + 1 < columns { Role::Feature } else { Role::Outcome },
            kind: Kind::Number { lower: one.min(two), upper: one.max(two) },
            typical: None,
            shares: None,
        }
    });
    let columns: Vec<BoundColumn> = columns.collect();
    BoundPlan {
        fields: columns.len(),
        columns,
        person: None,
        only: Vec::new(),
        missing: Missing::Midpoint,
        csv: CsvRules {
            delimiter: b',',
            numbers: NumberFormat::default(),
            by_field: Vec::new(),
            encoding: Encoding::Utf8,
            na: Vec::new(),
        },
        grid: GridParams {
            radius: 1 << (16 + numbers.below(9)),
            intercept_weight: f64::from(numbers.below(11)) / 10.0,
            norms: any_norms(numbers),
        },
        levels: Levels::Centred,
        guard: false,
        public: None,
        whitening: None,
        labels: false,
        typical_correlation: None,
    }
}

fn any_norms(numbers: &mut Numbers) -> Norms {
    let mut share = || f64::from(1 + numbers.below(1_000)) / 1_000.0;
    let (feature_norm, outcome_norm) = (share(), share());
    match numbers.below(4) {
        0 => {
            Norms::Record { feature_share: 0.1 + f64::from(numbers.below(9)) / 10.0, row_norm: feature_norm }
        }
        other => Norms::Sides(Sides {
            ratio: f64::from(1 + numbers.below(4_000)) / 1_000.0,
            feature_norm,
            outcome_norm,
            clipping: match other {
                1 => Clipping::Together,
                2 => Clipping::Apart,
                _ => Clipping::EachOutcome,
            },
        }),
    }
}
