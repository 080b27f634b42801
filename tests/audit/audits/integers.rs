//! T7: exact sums that nothing can wrap, and records that nothing can make too long.

use std::fmt::Write;

use dashu_int::IBig;
use discreet::data::Moments;
use discreet::data::csv::Record;
use discreet::data::encode::{Encoded, Encoder, Geometry};
use discreet::inference::pseudo::mix;
use discreet::plan::bound::{
    BoundColumn, BoundPlan, CsvRules, Encoding, GridParams, Kind, Missing, Norms, Role,
};

use super::{Audit, Depth, Saw, audit, judged};

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
            let (constant, codes) = row.split_at(usize::from(geometry.constant > 0));
            let square: i128 = codes.iter().map(|&code| i128::from(code).pow(2)).sum();
            let constant_kept = constant.iter().all(|code| i64::from(*code) == i64::from(geometry.constant));
            if square > i128::from(geometry.radius).pow(2) || !constant_kept {
                return Err(format!("a row of squared norm {square} at radius {}", geometry.radius));
            }
            zeros += u32::from(square == 0);
        }
    }
    // The integer test is not what keeps ordinary rows in, so hardly any row is zero.
    judged(zeros < records / 20, format!("{records} records are within the radius, {zeros} of them zero"))
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
            field,
            role: if field + 1 < columns { Role::Feature } else { Role::Outcome },
            kind: Kind::Number { lower: one.min(two), upper: one.max(two) },
        }
    });
    let columns: Vec<BoundColumn> = columns.collect();
    BoundPlan {
        fields: columns.len(),
        columns,
        person: None,
        missing: Missing::Midpoint,
        csv: CsvRules { delimiter: b',', decimal: b'.', encoding: Encoding::Utf8, na: Vec::new() },
        grid: GridParams {
            radius: 1 << (16 + numbers.below(9)),
            intercept_weight: f64::from(numbers.below(11)) / 10.0,
            norms: Norms::Record {
                feature_share: 0.1 + f64::from(numbers.below(9)) / 10.0,
                row_norm: f64::from(1 + numbers.below(1_000)) / 1_000.0,
            },
        },
        guard: false,
    }
}
