//! The released integers of all rounds with the transform, the radius and every step's coefficients, as a release holds them, and what follows
//! from them.

use nalgebra::DMatrix;

use super::estimate::{Stepped, Sums, Turned};
use super::progress::Released;
use super::step::Grid;
use super::units::Codes;
use crate::math::triangle;
use crate::mechanisms::adaptive::guide::Guide;
use crate::mechanisms::adaptive::map::{own_map, rows};
use crate::release::moments::Decimals;
use crate::release::steps::{LogisticSteps, StepUnits};

/// Returns everything that was released.
pub fn steps(released: &Released) -> LogisticSteps {
    let Released { setting, guide, .. } = released;
    let codes = setting.rounds.codes;
    let after = released.steps.iter().map(|step| step.iter().map(|label| label.b.clone()).collect());
    LogisticSteps {
        terms: setting.coded.clone(),
        units: StepUnits {
            level: codes.level.to_string(),
            record: codes.record.to_string(),
            count: codes.count.to_string(),
            features: codes.features.to_string(),
            error: codes.error.to_string(),
            bits: codes.bits,
            scales: setting.rounds.in_order().map(|round| round.scale.get().to_string()).collect(),
        },
        margins: Decimals(released.margins.clone()),
        moments: Decimals(released.moments.clone()),
        tails: Decimals(released.tails.clone()),
        steps: released.answers.iter().cloned().map(Decimals).collect(),
        mean: guide.mean.clone(),
        whitening: rows(&guide.whitening),
        slopes: rows(&guide.slopes),
        feature_radius: released.grid.radius,
        path: std::iter::once(released.start.clone()).chain(after).collect(),
    }
}

/// Returns each label's coefficients with what the last step says of them, in the columns' own units. `None` if a document is
/// damaged.
pub fn last_step(steps: &LogisticSteps, lambda: f64) -> Option<Vec<Turned>> {
    let p = steps.whitening.len();
    let k = p + 1;
    let codes = Codes {
        level: steps.units.level.parse().ok()?,
        record: steps.units.record.parse().ok()?,
        count: steps.units.count.parse().ok()?,
        features: steps.units.features.parse().ok()?,
        error: steps.units.error.parse().ok()?,
        bits: Some(steps.units.bits).filter(|bits| *bits <= 64)?,
    };
    let fits =
        steps.mean.len() >= p && steps.terms.len() >= p && steps.whitening.iter().all(|row| row.len() == p);
    let (before, cells) = (steps.path.iter().rev().nth(1)?, steps.steps.last()?);
    if !fits || before.iter().any(|b| b.len() != k) || cells.0.len() != before.len() * (triangle::len(k) + k)
    {
        return None;
    }
    let guide = Guide {
        mean: steps.mean.clone(),
        whitening: DMatrix::from_fn(p, p, |i, j| steps.whitening[i][j]),
        slopes: DMatrix::zeros(0, 0),
        spreads: Vec::new(),
    };
    let s: f64 = steps.units.scales.last()?.parse().ok()?;
    let grid = Grid::new(k, codes, steps.feature_radius);
    let map = own_map(&guide.map(), &steps.terms[..p]);
    let labels = before.iter().zip(cells.0.chunks(triangle::len(k) + k)).map(|(before, cells)| {
        let stepped = Stepped::new(before, Sums::new(s, &grid, k, cells), lambda).ok()?;
        let turned = Turned::new(&map, &stepped.b, &stepped.judge(lambda));
        Some(turned.leaving(&map, &stepped, &steps.terms[..p], &steps.mean))
    });
    labels.collect()
}
