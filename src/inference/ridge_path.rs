//! How each coefficient of a regression changes with the ridge, from one release's numbers (theory/inference 6.9).

use super::design::Design;
use super::refit::{RefitError, Request, Resolved, resolve};
use crate::plan::Plan;
use crate::release::Release;
use crate::release::publication::ridge_path::{RidgePath, TermPath};
use crate::release::{figure, odds};

/// Most decades of a grid; a wider one has fewer points in each.
const DECADES: i32 = 7;

/// The coefficients at one ridge.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solved {
    /// The terms.
    pub terms: Vec<String>,
    /// Their coefficients in the columns' own units; nothing where one is withheld.
    pub estimates: Vec<Option<f64>>,
    /// Whether the moments had to be repaired.
    pub repaired: bool,
}

/// Returns the ridges of a path, ascending: 0, then powers of ten from a thousandth of the smallest weight to above the largest one. A
/// weight is what a predictor's squared coefficient weighs in the sum of squares, in units of the ridge: a ridge as large halves the
/// coefficient of an uncorrelated predictor.
pub fn grid(weights: &[f64]) -> Vec<f64> {
    let sound = weights.iter().copied().filter(|weight| weight.is_finite() && *weight > 0.0);
    let (least, most) = sound.fold((f64::INFINITY, 0.0_f64), |(a, b), weight| (a.min(weight), b.max(weight)));
    if most <= 0.0 {
        return vec![0.0];
    }
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a double is at most 309")]
    let decade = |weight: f64| libm::floor(libm::log10(weight)) as i32;
    let (from, to) = (decade(least) - 3, decade(most) + 1);
    let step = ((to - from + DECADES - 1) / DECADES).max(1);
    // Read, so that they are the numbers that a person would type.
    let powers = (0..=(to - from) / step).filter_map(|place| format!("1e{}", to - place * step).parse().ok());
    let mut ridges: Vec<f64> = powers.chain([0.0]).collect();
    ridges.reverse();
    ridges
}

/// Solves a regression at each ridge of `grid` and at the `chosen` one.
///
/// # Errors
/// Those of `solve`.
pub fn path<E>(
    plan: &Plan,
    outcome: &str,
    grid: &[f64],
    chosen: f64,
    solve: impl Fn(f64) -> Result<Solved, E>,
) -> Result<RidgePath, E> {
    let mut ridges = grid.to_vec();
    let place = ridges.iter().take_while(|ridge| **ridge < chosen).count();
    if !ridges.contains(&chosen) {
        ridges.insert(place, chosen);
    }
    let solved = ridges.iter().map(|&ridge| solve(ridge)).collect::<Result<Vec<_>, E>>()?;
    let terms = solved.first().map_or(&[][..], |solved| &solved.terms);
    let along = |(place, term): (usize, &String)| {
        let estimates = solved.iter().map(|solved| solved.estimates.get(place).copied().flatten());
        TermPath::new(plan, term, estimates.collect())
    };
    let paths = terms.iter().enumerate().map(along).collect();
    let repaired = ridges.iter().zip(&solved).filter(|(_, solved)| solved.repaired);
    let repaired = repaired.map(|(ridge, _)| *ridge).collect();
    Ok(RidgePath {
        outcome: odds::named(plan, outcome, false),
        unit: figure::unit(plan, outcome),
        grid: grid.to_vec(),
        ridges,
        chosen: place,
        paths,
        repaired,
    })
}

/// Computes the path of a regression from second moments. A predictor's weight is its released sum of squares, coded.
///
/// # Errors
/// [`RefitError`] as [`super::refit()`].
pub fn of_moments(release: &Release, request: &Request<'_>) -> Result<RidgePath, RefitError> {
    let Resolved { moments, layout, intercept, options } = resolve(release, request)?;
    let outcomes: Vec<usize> = layout.outcomes.iter().map(|(_, index)| *index).collect();
    let design = |ridge: super::Ridge| {
        let options = super::Options { ridge, ..options };
        Design::try_new(&moments, &layout.predictors, &outcomes, intercept, options)
    };
    let squares: Vec<f64> =
        layout.predictors.iter().filter_map(|&predictor| moments.cell(predictor, predictor)).collect();
    let solve = |ridge: f64| {
        let design = design(super::Ridge::Fixed(ridge))?;
        let fit = design.fit_many(&outcomes)?.pop();
        let terms = design.names().to_vec();
        let estimates = match fit.and_then(|fit| fit.estimate) {
            Some(estimates) => estimates.into_iter().map(Some).collect(),
            None => vec![None; terms.len()],
        };
        Ok(Solved { terms, estimates, repaired: design.repair().is_some() })
    };
    let chosen = design(request.ridge)?.asked_ridge();
    path(&release.plan, request.outcome, &grid(&squares), chosen, solve)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_spans_the_weights_by_powers_of_ten() {
        let close = |found: Vec<f64>, expected: &[f64]| {
            assert_eq!(found.len(), expected.len(), "{found:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!((found - expected).abs() <= 1e-12 * expected, "{found} is not {expected}");
            }
        };
        close(grid(&[2.0, 90.0]), &[0.0, 1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0]);
        close(grid(&[1e-3, 5e4]), &[0.0, 1e-5, 1e-3, 1e-1, 1e1, 1e3, 1e5]);
        close(grid(&[f64::NAN, -1.0]), &[0.0]);
    }
}
