//! A row of any cells is a bounded vector of integers, always the same, whatever was read before it.
//!
//! The first 24 bytes are the plan; the cells follow, ended by line ends.

use discreet::data::csv::Record;
use discreet::data::encode::{Encoded, Encoder, GUARD_BITS, Geometry};
use discreet::model::{Missing, Role};
use discreet::plan::bound::{BoundColumn, BoundPlan, GridParams, Kind, Levels, Norms, Source};

use super::common::{rules, split};

pub fn holds(data: &[u8]) {
    let (setting, cells) = split::<24>(data);
    let text = String::from_utf8_lossy(cells);
    let cells: Vec<&str> = text.split('\n').collect();
    let Some(plan) = plan(&setting) else { return };
    let geometry = Geometry::new(&plan);
    assert!(geometry.squared_norm() <= u64::from(plan.grid.radius).pow(2));

    let mut encoder = Encoder::new(&plan);
    let row = encode(&mut encoder, &cells);
    // What comes between leaves nothing behind.
    for other in [&["1e300", "a", "-1e300", "b"][..], &[], &["", "", "", ""], &["0", "other", "0", "x"]] {
        encode(&mut encoder, other);
    }
    assert_eq!(encode(&mut encoder, &cells), row, "a record is encoded alone");
    assert_eq!(encode(&mut Encoder::new(&plan), &cells), row, "a record is encoded alone");

    let Some(row) = row else {
        assert_eq!(plan.missing, Missing::Skip, "only a missing cell is skipped");
        return;
    };
    assert_eq!(row.len(), geometry.row_width(plan.guard));
    let (codes, digits) = row.split_at(geometry.terms.len());
    let (constant, codes) = codes.split_at(usize::from(geometry.constant > 0));
    assert!(constant.iter().all(|&code| i64::from(code) == i64::from(geometry.constant)));
    let square: u128 = codes.iter().map(|&code| u128::from(code.unsigned_abs()).pow(2)).sum();
    assert!(square <= u128::from(geometry.radius).pow(2), "{row:?} is longer than {}", geometry.radius);
    let half = 1_u32 << (GUARD_BITS - 1);
    assert!(digits.iter().all(|digit| digit.unsigned_abs() <= half), "{digits:?}");

    // A guard digit changes no code.
    let other = BoundPlan { guard: !plan.guard, ..plan };
    let same = encode(&mut Encoder::new(&other), &cells).expect("not skipped");
    let terms = geometry.terms.len();
    assert_eq!(same[..terms], row[..terms]);
}

fn encode(encoder: &mut Encoder, cells: &[&str]) -> Option<Vec<i32>> {
    let text = cells.concat();
    let end = |end: &mut usize, cell: &&str| {
        *end += cell.len();
        Some(*end)
    };
    let ends: Vec<usize> = cells.iter().scan(0, end).collect();
    match encoder.encode(&Record::new(&text, &ends)) {
        Encoded::Row(row) => Some(row.to_vec()),
        Encoded::Skipped => None,
    }
}

/// Two numbers around two categories; `None` for bounds that no checked plan has.
fn plan(setting: &[u8; 24]) -> Option<BoundPlan> {
    let [shape, levels, weight, share, norm, radius, dialect, _, bounds @ ..] = setting;
    let double = |at: usize| f64::from_le_bytes(bounds[at..at + 8].try_into().unwrap_or_default());
    let (lower, upper) = if shape & 64 == 0 { (-1.0, 1.0) } else { (double(0), double(8)) };
    let width = upper - lower;
    let checked = lower.abs().max(upper.abs()) <= 1e100 && (1e-100..f64::INFINITY).contains(&width);
    let role = |bit: u8| if shape & bit == 0 { Role::Feature } else { Role::Outcome };
    let number = |name: &str, field, role, lower, upper| BoundColumn {
        name: name.to_owned(),
        source: Source::Field(field),
        role,
        kind: Kind::Number { lower, upper },
        typical: None,
        shares: None,
    };
    let listed: Vec<String> = ["a", "b", "other", "x", "NA?", "é", "0", "1e3"]
        .iter()
        .take(2 + usize::from(levels & 7).min(6))
        .map(|&level| level.to_owned())
        .collect();
    let other = listed.iter().position(|level| level == "other").filter(|_| levels & 8 == 0);
    let reference = usize::from(levels >> 4) % listed.len();
    let category = |name: &str, field, role| BoundColumn {
        name: name.to_owned(),
        source: Source::Field(field),
        role,
        kind: Kind::Category { levels: listed.clone(), reference, other },
        typical: None,
        shares: None,
    };
    let unit = |byte: &u8| (f64::from(*byte) + 1.0) / 256.0;
    checked.then(|| BoundPlan {
        columns: vec![
            number("x", 0, role(1), lower, upper),
            category("k", 1, role(2)),
            number("y", 2, role(4), 0.0, 10.0),
            category("l", 3, role(8)),
        ],
        person: None,
        only: Vec::new(),
        missing: if shape & 16 == 0 { Missing::Midpoint } else { Missing::Skip },
        fields: 4,
        csv: rules(*dialect),
        grid: GridParams {
            radius: 1 << (16 + radius % 9),
            intercept_weight: f64::from(*weight) / 64.0,
            norms: Norms::Record { feature_share: unit(share) * 0.99, row_norm: unit(norm) },
        },
        levels: if shape & 64 != 0 { Levels::Centred } else { Levels::ZeroOne },
        guard: shape & 32 != 0,
        public: None,
        whitening: None,
        labels: false,
        typical_correlation: None,
    })
}
