//! What follows from a release beside its coefficients: the covariance of an outcome's coefficients, what they explain of it, and the
//! standard deviations of the features.

use nalgebra::{DMatrix, DVector};

use super::document;
use super::gate::Judged;
use super::progress::{Released, Solved};
use super::report::judge;
use crate::model::INTERCEPT;
use crate::release::moments::CodedTerm;
use crate::release::supplement::{Noisy, RESOLVED};
use crate::release::{Release, figure};

/// What a release says of one outcome beside its coefficients.
#[derive(Clone, Debug)]
pub struct Beside {
    /// The covariance of its coefficients, in their order. `None` if a term is held, because the errors of the others are then
    /// correlated through it.
    pub covariance: Option<DMatrix<f64>>,
    /// The standard deviation of the noise on its residual standard deviation, as a share of it.
    pub residual_noise: f64,
    /// The variance that its coefficients explain, in its squared unit, less what their noise adds: of the last round, whose rows
    /// far out count less. `None` if a term is held, whose part is then not known.
    pub explained: Option<Noisy>,
}

/// Returns the names of the terms of a release that are held: they are not determined, and others can be withheld for their sake.
pub fn held(release: &Release) -> Vec<String> {
    let Some((released, coded)) = document::of(release) else { return Vec::new() };
    let held = released.solve(&[], None).map(|solved| solved.gate.held).unwrap_or_default();
    held.iter().filter_map(|place| Some(coded.get(place.checked_sub(1)?)?.term.clone())).collect()
}

/// Returns what a release says of each outcome beside its coefficients: those of all features, or in a regression computed from it of some.
/// Nothing for one with a ridge.
pub fn beside(release: &Release) -> Vec<Option<Beside>> {
    of_outcomes(release).unwrap_or_default()
}

fn of_outcomes(release: &Release) -> Option<Vec<Option<Beside>>> {
    let (released, coded) = document::of(release).filter(|_| release.diagnostics.ridge <= 0.0)?;
    let (features, outcomes) = coded.split_at_checked(released.terms.features())?;
    let place = |of: &[CodedTerm], name: &String| of.iter().position(|term| term.term == *name);
    let coefficient = |name: &String| {
        if name == INTERCEPT { Some(0) } else { place(features, name).map(|feature| feature + 1) }
    };
    let kept = figure::terms(release).iter().map(coefficient).collect::<Option<Vec<usize>>>()?;
    let excluded: Vec<usize> = (1..=features.len()).filter(|place| !kept.contains(place)).collect();
    let solved = released.solve(&excluded, None).ok()?;
    let of = |name: &String| {
        let outcome = place(outcomes, name)?;
        let judged = judge(&released, &solved, coded, outcome)?;
        let explained = explained(&released, &solved, coded, outcome, &judged)?;
        let covariance = judged.covariance.select_rows(&kept).select_columns(&kept);
        let is_whole = solved.gate.held.is_empty();
        let (covariance, explained) = (is_whole.then_some(covariance), is_whole.then_some(explained));
        Some(Beside { covariance, residual_noise: judged.fit.sigma_noise, explained })
    };
    Some(figure::outcomes(release).iter().map(of).collect())
}

/// The bins of ‖w‖ up to this many √k always count when the share of a standard deviation that shortening keeps is computed. With
/// two normal features a sixth of the variance would be overlooked otherwise.
const NEAR: f64 = 2.1;

/// Returns the covariance of w in the last round.
fn covariance(solved: &Solved, features: usize) -> DMatrix<f64> {
    let (moments, rows) = (&solved.moments.features, solved.moments.features[(0, 0)]);
    DMatrix::from_fn(features, features, |i, j| {
        moments[(i + 1, j + 1)] / rows - moments[(0, i + 1)] * moments[(0, j + 1)] / (rows * rows)
    })
}

/// Returns the variance of the noise on u'Cu, which is `value`, with C the covariance of w in the last round (theory/inference
/// 6.6).
fn noise_along(solved: &Solved, direction: &DVector<f64>, value: f64) -> f64 {
    let rows = solved.moments.features[(0, 0)];
    2.0 * solved.moments.feature_noise * (direction.norm_squared().powi(2) + value * value) / (rows * rows)
}

/// Returns the standard deviations of the features, each with its name, from the last round, which knows them better than the first; less
/// what is lost where its rows far out are shortened (theory/inference 6.4).
pub fn spreads(release: &Release) -> Vec<(String, Noisy)> {
    let solved = document::of(release)
        .and_then(|(released, coded)| Some((released.solve(&[], None).ok()?, released, coded)));
    let Some((solved, released, coded)) = solved else { return Vec::new() };
    let Released { terms, guide, counts, radii, .. } = &released;
    let features = terms.features();
    let (covariance, kept) = (covariance(&solved, features), counts.spread_kept(terms, radii.features, NEAR));
    let one = |(place, term): (usize, &CodedTerm)| {
        let own = DVector::from_fn(features, |row, _| if row == place { 1.0 } else { 0.0 });
        let turned = guide.whitening.transpose().solve_upper_triangular(&own)?;
        let seen = turned.dot(&(&covariance * &turned));
        let of_kept = (seen * kept.std_error / kept.value).powi(2);
        let noise = (noise_along(&solved, &turned, seen) + of_kept).sqrt();
        (seen >= RESOLVED * noise).then(|| {
            let value = (seen / kept.value).sqrt() * term.half_width;
            (term.term.clone(), Noisy { value, std_error: value * noise / (2.0 * seen) })
        })
    };
    coded.iter().take(features).enumerate().filter_map(one).collect()
}

/// Returns the variance that an outcome's coefficients explain, in its squared unit: u'Cu − tr(CN), with C the covariance of w in the last
/// round, u the slopes on w and N the noise on them; and the noise on it, which comes from the slopes, from C and from the count of rows far out
/// (theory/inference 6.6).
fn explained(
    released: &Released,
    solved: &Solved,
    coded: &[CodedTerm],
    outcome: usize,
    judged: &Judged,
) -> Option<Noisy> {
    let Released { terms, guide, counts, radii, .. } = released;
    let (features, outcomes) = coded.split_at_checked(terms.features())?;
    let own = outcomes.get(outcome)?.half_width;
    let spread = guide.spreads.get(outcome)?;
    let slopes = features.iter().zip(judged.estimates.iter().skip(1));
    let slopes = slopes.map(|(term, estimate)| estimate * term.half_width / own);
    let slopes = DVector::from_iterator(terms.features(), slopes);
    // With w = A (t − mean) the slopes on w are A'⁻¹ times those on t.
    let turned = guide.whitening.transpose().solve_upper_triangular(&slopes)?;
    let covariance = covariance(solved, terms.features());
    let noise = judged.fit.noise.view((1, 1), (terms.features(), terms.features())) * (spread * spread);
    let (seen, added) = (&covariance * &turned, &covariance * &noise);
    let kept = counts.spread_kept(terms, radii.features, 0.0);
    let unit = own * own / kept.value;
    let value = (turned.dot(&seen) - added.trace()).max(0.0);
    let of_slopes = 4.0 * seen.dot(&(&noise * &seen)) + 2.0 * (&added * &added).trace();
    let of_covariance = noise_along(solved, &turned, value);
    let of_kept = (value * kept.std_error / kept.value).powi(2);
    let std_error = (of_slopes + of_covariance + of_kept).max(0.0).sqrt() * unit;
    let value = value * unit;
    Some(Noisy { value, std_error }).filter(|found| found.value.is_finite() && found.std_error.is_finite())
}
