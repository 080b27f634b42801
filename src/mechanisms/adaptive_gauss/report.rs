//! The regressions of a release, and what a reader has to know of them.

use std::collections::BTreeSet;

use nalgebra::{DMatrix, DVector};

use super::OUTCOME_RADIUS;
use super::document;
use super::forecast::Forecast;
use super::gate::{Far, Judged, Known, LONG_TAIL, Units};
use super::progress::{Released, Solved};
use super::units::Shares;
use crate::inference::notes::approximate;
use crate::math::round::real;
use crate::math::special::normal_quantile_central;
use crate::mechanisms::adaptive::terms::Terms;
use crate::model::note::{
    NAMED, clipped_outcome, enumerated, far_rows, hardly_any_rows, listing, quoted, two_digits,
};
use crate::model::{Estimate, INTERCEPT, Interval};
use crate::plan::CheckedPlan;
use crate::privacy::calibrate::{Split, budget_parts};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::measure::Mu;
use crate::release::document::{Coefficients, Diagnostics, OutcomeDiagnostics};
use crate::release::moments::CodedTerm;
use crate::release::supplement::{Noisy, RESOLVED};
use crate::release::{Release, figure};
use crate::words;

/// The regressions that are reported.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The plan.
    pub checked: &'a CheckedPlan,
    /// Level of the intervals.
    pub confidence: f64,
    /// The outcomes: a name, and the place among the outcomes.
    pub outcomes: Vec<(String, usize)>,
    /// The places of the features among the features, in their order.
    pub features: Vec<usize>,
}

/// Returns the regressions of some outcomes on some features in the columns' own units.
pub fn report(
    asked: &Asked<'_>,
    released: &Released,
    solved: &Solved,
    coded: &[CodedTerm],
) -> (Coefficients, Diagnostics) {
    let mut entries = Vec::with_capacity(asked.outcomes.len());
    let mut summaries = Vec::with_capacity(asked.outcomes.len());
    let (mut robust, mut doubts) = (true, Doubts::default());
    let quantile = normal_quantile_central(asked.confidence / 2.0);
    let places: Vec<usize> =
        std::iter::once(0).chain(asked.features.iter().map(|feature| feature + 1)).collect();
    for (name, outcome) in &asked.outcomes {
        let judged = judge(released, solved, coded, *outcome);
        robust &= judged.as_ref().is_some_and(|judged| judged.is_robust);
        if let Some(judged) = &judged {
            doubts.moved.extend(&judged.moved);
            doubts.hidden.extend(judged.fit.residual_hidden.then(|| name.clone()));
        }
        let mut found: Vec<Estimate> =
            places.iter().map(|place| entry(judged.as_ref(), *place, quantile)).collect();
        if clips_many(asked, released, *outcome) {
            doubts.clipped.push(name.clone());
            Interval::label_approximate(found.iter_mut().map(|entry| &mut entry.interval));
        }
        let shows = |place: &usize| {
            let own = places.iter().zip(&found).find(|(own, _)| *own == place);
            own.is_some_and(|(_, entry)| entry.interval != Interval::Withheld)
        };
        let rough = judged.iter().flat_map(|judged| &judged.rough_errors).filter(|place| shows(place));
        doubts.rough.extend(rough.map(|place| (*place, name.clone())));
        entries.push(found);
        let half_width = coded.get(released.terms.features() + outcome).map_or(1.0, |term| term.half_width);
        let spread = released.guide.spreads.get(*outcome).map_or(f64::NAN, |spread| spread * half_width);
        summaries.push(OutcomeDiagnostics {
            outcome: name.clone(),
            residual_sd: judged.as_ref().map(|judged| judged.fit.sigma * spread).filter(|sd| sd.is_finite()),
            residual_resolved: judged.as_ref().is_some_and(|judged| !judged.fit.residual_hidden),
            r_squared: None,
        });
    }
    let shown = Shown::new(&entries, &places);
    let (rows, rows_std_error) = released.rows();
    let diagnostics = Diagnostics {
        rows: Some(rows),
        rows_std_error: Some(rows_std_error),
        signal_to_noise: Some(solved.gate.condition).filter(|condition| condition.is_finite()),
        ridge: 0.0,
        repair: None,
        notes: notes(asked, released, solved, coded, robust, &doubts, &shown),
        outcomes: summaries,
    };
    let names = asked.outcomes.iter().map(|(name, _)| name.clone()).collect();
    let terms = asked.features.iter().map(|feature| coded[*feature].term.clone());
    let terms = std::iter::once(INTERCEPT.to_owned()).chain(terms).collect();
    (Coefficients::of(names, terms, &entries), diagnostics)
}

/// Why intervals are approximate.
#[derive(Default)]
struct Doubts {
    /// The coefficients that are shown and whose robust standard errors have much noise, each with its outcome.
    rough: BTreeSet<(usize, String)>,
    /// The coefficients that a held one could move.
    moved: BTreeSet<usize>,
    /// The outcomes whose residuals are not larger than the noise.
    hidden: Vec<String>,
    /// The outcomes of which a stated radius clips many residuals.
    clipped: Vec<String>,
}

/// If a stated radius clips more than this share of the residuals, that is many. Of normal residuals 0.27 % are beyond 3, the
/// smallest radius that is advised.
const MOST_CLIPPED: f64 = 0.005;

/// Returns whether a stated radius clips clearly more residuals of an outcome than of normal ones.
fn clips_many(asked: &Asked<'_>, released: &Released, outcome: usize) -> bool {
    let is_stated = asked.checked.plan.mechanism.params.contains_key(OUTCOME_RADIUS.name);
    let radius = released.radii.outcomes.get(outcome).filter(|_| is_stated);
    let beyond = radius.and_then(|radius| released.counts.clipped(outcome, *radius));
    beyond.is_some_and(|beyond| beyond.rows - 2.0 * beyond.deviation > MOST_CLIPPED * released.rows().0)
}

/// The coefficients that are shown.
struct Shown {
    /// Whether at least one is shown.
    any: bool,
    /// The coefficients that at least one outcome does not show.
    without: Vec<usize>,
}

impl Shown {
    fn new(entries: &[Vec<Estimate>], places: &[usize]) -> Self {
        let is_withheld = |entry: &Estimate| entry.interval == Interval::Withheld;
        let without = places
            .iter()
            .enumerate()
            .filter(|(at, _)| entries.iter().any(|entries| is_withheld(&entries[*at])));
        Self {
            any: !entries.iter().flatten().all(is_withheld),
            without: without.map(|(_, place)| *place).collect(),
        }
    }
}

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
    let Some(moments) = &release.moments else { return Vec::new() };
    let coded = moments.adaptive.as_ref().map_or(&[][..], |adaptive| &adaptive.terms);
    let solved = document::read(moments).and_then(|released| released.solve(&[], None).ok());
    let held = solved.map(|solved| solved.gate.held).unwrap_or_default();
    held.iter().filter_map(|place| Some(coded.get(place.checked_sub(1)?)?.term.clone())).collect()
}

/// Returns what a release says of each outcome beside its coefficients: those of all features, or in a regression computed from it of some.
/// Nothing for one with a ridge.
pub fn beside(release: &Release) -> Vec<Option<Beside>> {
    let Some(released) = release.moments.as_ref().and_then(document::read) else { return Vec::new() };
    let coded = release.moments.as_ref().and_then(|moments| moments.adaptive.as_ref());
    let coded = coded.map_or(&[][..], |adaptive| &adaptive.terms);
    let Some((features, outcomes)) = coded.split_at_checked(released.terms.features()) else {
        return Vec::new();
    };
    let place = |of: &[CodedTerm], name: &String| of.iter().position(|term| term.term == *name);
    let coefficient = |name: &String| {
        if name == INTERCEPT { Some(0) } else { place(features, name).map(|feature| feature + 1) }
    };
    let Some(kept) = figure::terms(release).iter().map(coefficient).collect::<Option<Vec<usize>>>() else {
        return Vec::new();
    };
    let excluded: Vec<usize> = (1..=features.len()).filter(|place| !kept.contains(place)).collect();
    let solved = (release.diagnostics.ridge <= 0.0).then(|| released.solve(&excluded, None).ok()).flatten();
    let Some(solved) = solved else { return Vec::new() };
    let of = |name: &String| {
        let outcome = place(outcomes, name)?;
        let judged = judge(&released, &solved, coded, outcome)?;
        let explained = explained(&released, &solved, coded, outcome, &judged)?;
        let covariance = judged.covariance.select_rows(&kept).select_columns(&kept);
        let is_whole = solved.gate.held.is_empty();
        let (covariance, explained) = (is_whole.then_some(covariance), is_whole.then_some(explained));
        Some(Beside { covariance, residual_noise: judged.fit.sigma_noise, explained })
    };
    figure::outcomes(release).iter().map(of).collect()
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
    let coded = release.moments.as_ref().and_then(|moments| moments.adaptive.as_ref());
    let coded = coded.map_or(&[][..], |adaptive| &adaptive.terms);
    let released = release.moments.as_ref().and_then(document::read);
    let Some((released, solved)) =
        released.and_then(|released| released.solve(&[], None).ok().map(|solved| (released, solved)))
    else {
        return Vec::new();
    };
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

/// Returns an outcome's coefficients in own units, with what is known of their errors.
fn judge(released: &Released, solved: &Solved, coded: &[CodedTerm], outcome: usize) -> Option<Judged> {
    let Released { terms, guide, radii, .. } = released;
    let Solved { moments, map, gate, scores } = solved;
    let bounds: Vec<(f64, f64)> = coded.iter().map(|term| (term.centre, term.half_width)).collect();
    let (features, outcomes) = bounds.split_at_checked(terms.features())?;
    let far = Far { radius: *radii.outcomes.get(outcome)?, unseen: radii.unseen };
    let units = Units::columns(features, *outcomes.get(outcome)?);
    gate.judge(Known { terms, guide, map, moments, scores }, outcome, far, &units)
}

/// Returns the numbers of one coefficient.
fn entry(judged: Option<&Judged>, place: usize, quantile: f64) -> Estimate {
    let Some(judged) = judged else { return Estimate::WITHHELD };
    let interval = judged.intervals[place];
    let (estimate, error) = (judged.estimates[place], judged.errors[place]);
    if interval == Interval::Withheld || !(estimate.is_finite() && (quantile * error).is_finite()) {
        return Estimate::WITHHELD;
    }
    Estimate {
        noise_share: Some(judged.noise_shares[place]),
        interval,
        ..Estimate::around(estimate, error, quantile * error)
    }
}

fn notes(
    asked: &Asked<'_>,
    released: &Released,
    solved: &Solved,
    coded: &[CodedTerm],
    robust: bool,
    doubts: &Doubts,
    shown: &Shown,
) -> Vec<String> {
    let Released { radii, counts, terms, .. } = released;
    let gate = &solved.gate;
    // Without a number of rows that stands out of its noise, no sentence compares with it.
    let rows = Some(released.rows()).filter(|(rows, deviation)| *rows > 2.0 * deviation);
    let mut notes = Vec::new();
    let term = |place: &usize| place.checked_sub(1).and_then(|place| coded.get(place));
    let name = |place: &usize| term(place).map_or(INTERCEPT, |term| &term.term).to_owned();
    let listed = |places: &[&usize]| {
        listing(&(places.iter().take(NAMED).map(|place| name(place)).collect(), places.len()))
    };
    let has_any = gate.inverse.is_some() && shown.any;
    if !has_any {
        notes.push(undetermined(asked.checked, terms, released.rows(), rows.is_some()));
    } else {
        if !gate.held.is_empty() {
            let held = gate.held.iter().filter_map(|place| coded.get(place.checked_sub(1)?));
            let first = held.take(NAMED).map(|term| term.term.clone()).collect();
            notes.push(words::note::held(listing(&(first, gate.held.len()))));
            let moved: Vec<&usize> =
                shown.without.iter().filter(|place| !gate.held.contains(place)).collect();
            if !moved.is_empty() {
                let without = words::note::moved_by_held(listed(&moved));
                notes.push(format!("{without} {}", words::note::held_offer()));
            }
            if !doubts.moved.is_empty() {
                notes.push(words::note::moved_little(listed(&doubts.moved.iter().collect::<Vec<_>>())));
            }
        }
        // Where a tail is unseen more rows alone do not give full intervals.
        notes.extend(approximate(gate.condition, false).filter(|_| !radii.unseen));
        if !doubts.hidden.is_empty() {
            notes.push(words::note::residual_hidden(quoted(&doubts.hidden)));
        }
    }
    notes.push(far_rows(counts.shortened_said(terms, radii.features), rows));
    let clipped = asked.outcomes.iter().filter_map(|(name, outcome)| {
        let radius = *radii.outcomes.get(*outcome)?;
        let beyond = counts.clipped(*outcome, radius)?;
        Some(clipped_outcome(name, beyond.rows, beyond.deviation, radius))
    });
    let clipped: Vec<String> = clipped.collect();
    if rows.is_some() && !clipped.is_empty() {
        let (named, more) = clipped.split_at(clipped.len().min(NAMED));
        let named = named.join(", ");
        let named = if more.is_empty() { named } else { words::note::list_more(named, more.len()) };
        notes.push(words::note::clipped_residuals(named));
    }
    if radii.unseen && has_any {
        notes.push(words::note::unseen_tail().into());
    }
    if !doubts.clipped.is_empty() {
        notes.push(words::note::radius_clips_many(quoted(&doubts.clipped)));
    }
    if solved.gate.is_penalised() {
        notes.push(words::note::own_unit_penalty().into());
    }
    let spread = match (robust, &released.scores) {
        (true, scores) => {
            let noisy: Vec<String> = doubts
                .rough
                .iter()
                .map(|(place, outcome)| match asked.outcomes.as_slice() {
                    [_] => format!("`{}`", name(place)),
                    _ => words::note::robust_of_outcome(format_args!("`{}`", name(place)), outcome),
                })
                .collect();
            let named = match noisy.get(..NAMED) {
                Some(first) if noisy.len() > NAMED => {
                    words::note::list_more(first.join(", "), noisy.len() - NAMED)
                }
                _ => enumerated(&noisy),
            };
            let of_persons = scores.as_ref().is_some_and(|scores| scores.of_persons);
            let sentences = [
                Some(words::note::robust().to_owned()),
                of_persons.then(|| words::note::robust_of_persons().to_owned()),
                Some(words::note::robust_shortened().to_owned()),
                (!noisy.is_empty()).then(|| words::note::robust_rough(named)),
            ];
            sentences.into_iter().flatten().collect::<Vec<String>>().join(" ")
        }
        (false, Some(_)) if solved.scores.is_empty() => words::note::robust_of_others().to_owned(),
        // No coefficient is determined.
        (false, Some(_)) => String::new(),
        (false, None) => format!("{} {}", words::note::equal_spread(), words::note::robust_offer()),
    };
    let has_tail = |(_, outcome): &&(String, usize)| {
        radii.outcomes.get(*outcome).is_some_and(|radius| *radius > LONG_TAIL)
    };
    let tails: Vec<String> = asked.outcomes.iter().filter(has_tail).map(|(name, _)| name.clone()).collect();
    if !tails.is_empty() && has_any {
        notes.push(words::note::long_tail(quoted(&tails)));
    }
    notes.extend([words::note::both_errors(), words::note::clipped()].map(String::from));
    notes
        .extend([spread, words::note::bounds_fixed().to_owned()].into_iter().filter(|note| !note.is_empty()));
    notes
}

/// Returns the sentence on what would determine the coefficients: rows or budget by the forecast, whose κ̂ grows in proportion to
/// rows and to μ. The rows are those that counted if they exceed their noise, and the stated ones otherwise.
fn undetermined(
    checked: &CheckedPlan,
    terms: &Terms,
    (counted, deviation): (f64, f64),
    stands_out: bool,
) -> String {
    let stated = checked.public_rows().map(real);
    if let Some(stated) = stated.filter(|stated| counted + 3.0 * deviation < stated / 4.0) {
        return hardly_any_rows(stated);
    }
    let counted = Some(counted).filter(|_| stands_out);
    let Some(rows) = counted.or(stated) else { return words::note::undetermined().to_owned() };
    let parts = checked.budget.and_then(|budget| budget_parts(&budget, &Split::Gaussian).ok());
    let mu = parts.as_ref().map_or(0.0, |parts| parts.pair.mu.get());
    let rows = rows.max(1.0);
    let foreseen =
        Forecast::new(terms, checked.adjacency, checked.max_rows_per_person, rows, mu, Shares::default());
    let factor = (2.0 / foreseen.condition).max(3.0 * foreseen.guide_noise);
    if factor <= 1.0 {
        // The forecast expects coefficients of so many rows, so it is no guide here, or they did not count.
        let why = match counted {
            Some(_) => words::note::undetermined_all_the_same(),
            None => words::note::undetermined(),
        };
        return why.to_owned();
    }
    let promise = parts.and_then(|parts| parts.promise);
    let epsilon = promise.and_then(|(_, delta)| gdp_epsilon(Mu::try_new(mu * factor).ok()?, delta).ok());
    let needed = two_digits(rows * factor);
    match epsilon {
        Some(epsilon) => words::note::undetermined_epsilon(needed, two_digits(epsilon.get())),
        None => words::note::undetermined_mu(needed, two_digits(mu * factor)),
    }
}
