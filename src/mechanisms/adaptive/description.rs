//! A description of the columns from the first two rounds of an adaptive release (theory/inference 6.4).

use crate::inference::description::{SumTerm, Sums, correlations, means, variance};
use crate::math::median;
use crate::math::round::real;
use crate::math::triangle;
use crate::plan::Plan;
use crate::release::moments::{CodedTerm, Decimals};
use crate::release::supplement::{Correlations, Description, Noisy, RESOLVED};

/// What two rounds released, with their units and noise scales.
#[derive(Clone, Copy, Debug)]
pub struct Rounds<'a> {
    /// The coded terms.
    pub terms: &'a [CodedTerm],
    /// N, as a decimal integer.
    pub level: &'a str,
    /// S of the rounds, as decimal integers.
    pub scales: &'a [String],
    /// Round 1: count, sums, sums of squares.
    pub margins: &'a Decimals,
    /// Round 2: the upper triangle of the constant and all terms.
    pub moments: &'a Decimals,
}

/// A column is distorted if its variance is below this share of the median column's: its extreme values then count much less than
/// those of other columns.
const DISTORTED: f64 = 0.8;

/// The first round, in which no row is shortened, gives a standard deviation if its relative noise is at most this.
const KNOWN: f64 = 0.05;

/// Returns the places of the columns of which shortened rows say little of all rows: their variance in the second round, whose values are
/// standardised by the first, is much smaller than that of the others, by more than twice the noise of the first (theory/inference 6.4). `noise`
/// is the standard deviation of the noise on each variance of the first round, as a share of it.
fn distorted(standardised: &[Option<Noisy>], noise: impl Fn(usize) -> f64) -> Vec<usize> {
    let variances: Vec<f64> =
        standardised.iter().map(|found| found.map_or(0.0, |found| found.value)).collect();
    let middle = median(variances.iter().copied()).unwrap_or_default();
    let most = |place: usize| variances[place] * (1.0 + 2.0 * noise(place).min(1.0));
    (0..variances.len()).filter(|place| most(*place) < DISTORTED * middle).collect()
}

/// Returns means and standard deviations from the margins, which hold every row that counted, and correlations from the second
/// round, whose far rows were shortened. `None` for a damaged document. A column that this distorts has no correlations. `last`
/// holds the standard deviations that the last round knows, also of shortened rows: they stand in the place of those that the
/// margins hardly know, and say for other columns how much less the second round has of a standard deviation.
pub fn describe(plan: &Plan, rounds: Rounds<'_>, last: &[(String, Noisy)]) -> Option<Description> {
    let size = rounds.terms.len();
    let (margins, moments) = (&rounds.margins.0, &rounds.moments.0);
    if margins.len() != 1 + 2 * size || moments.len() != triangle::len(1 + size) {
        return None;
    }
    let number = |text: &str| text.parse::<i128>().ok().filter(|number| *number > 0).map(real);
    let unit = number(rounds.level)?.powi(2);
    let [first, second] = [0, 1].map(|round| rounds.scales.get(round).and_then(|scale| number(scale)));
    let (first, second) = (first? / unit, second?);
    let named = || {
        let term = |term: &CodedTerm| SumTerm {
            name: term.term.clone(),
            centre: term.centre,
            scale: term.half_width,
            corners: None,
        };
        rounds.terms.iter().map(term).collect::<Vec<_>>()
    };
    let from_margins = Sums {
        terms: named(),
        constant: 1.0,
        rows: None,
        cell: Box::new(|row, column| {
            let place = match (row, column) {
                (0, column) => column,
                (row, column) if row == column => size + column,
                _ => return None,
            };
            Some(Noisy { value: margins.get(place).copied().map(real)? / unit, std_error: first })
        }),
    };
    let from_moments = Sums {
        terms: named(),
        constant: 1.0,
        rows: None,
        cell: Box::new(|row, column| {
            let place = triangle::index(1 + size, row.min(column), row.max(column));
            let std_error = if row == column { second } else { second / std::f64::consts::SQRT_2 };
            Some(Noisy { value: moments.get(place).copied().map(real)?, std_error })
        }),
    };
    let (correlated, mut correlations) = correlations(&from_moments);
    let [own, standardised]: [Vec<Option<Noisy>>; 2] =
        [&from_margins, &from_moments].map(|sums| (0..size).map(|place| variance(sums, place + 1)).collect());
    let share = |found: Option<Noisy>| found.map_or(f64::INFINITY, |found| found.std_error / found.value);
    let distorted = distorted(&standardised, |place| share(own[place]));
    for (row, cells) in correlations.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            if row != column && (distorted.contains(&row) || distorted.contains(&column)) {
                *cell = None;
            }
        }
    }
    let mut terms = means(plan, &from_margins)?;
    let first = First { own, floor: 2.0 * first / (margins.first().copied().map(real)? / unit) };
    for (place, found) in better(rounds.terms, &first, &standardised, &distorted, last) {
        let own = terms.iter_mut().find(|term| term.term == rounds.terms[place].term && term.level.is_none());
        let is_known = |sd: Noisy| sd.std_error <= KNOWN * sd.value;
        if let Some(own) = own.filter(|own| !own.sd.is_some_and(is_known)) {
            own.sd = Some(found);
        }
    }
    Some(Description { terms, correlated, correlations, source: Correlations::ShortenedRows })
}

/// What the first round says of the variances, in coded units.
struct First {
    own: Vec<Option<Noisy>>,
    /// The least by which the second round standardises (theory/adaptive 2.2).
    floor: f64,
}

/// Returns the standard deviations that a later round determines better than the first: those in `last`, and for the other
/// columns those of the second round, corrected by the share that the second round keeps of the ones in `last`. Distorted columns
/// are left out.
fn better(
    terms: &[CodedTerm],
    first: &First,
    standardised: &[Option<Noisy>],
    distorted: &[usize],
    last: &[(String, Noisy)],
) -> Vec<(usize, Noisy)> {
    let second_round = |place: usize| {
        let variance = first.own[place].map_or(0.0, |own| own.value).max(first.floor).min(1.0);
        let found = standardised[place]?;
        let value = (found.value * variance).sqrt() * terms[place].half_width;
        Some(Noisy { value, std_error: value * found.std_error / (2.0 * found.value) })
    };
    let is_whole = |place: &usize| !distorted.contains(place);
    let place_of = |name: &String| terms.iter().position(|term| term.term == *name).filter(is_whole);
    let mut better: Vec<(usize, Noisy)> =
        last.iter().filter_map(|(name, found)| Some((place_of(name)?, *found))).collect();
    let kept = |(place, found): &(usize, Noisy)| {
        let second = second_round(*place)?;
        let share = (second.std_error / second.value).hypot(found.std_error / found.value);
        Some((second.value / found.value, share))
    };
    let mut all: Vec<(f64, f64)> = better.iter().filter_map(kept).collect();
    all.sort_by(|one, other| one.0.total_cmp(&other.0));
    let Some((kept, noise)) = all.get(all.len() / 2).copied() else { return better };
    let others = (0..terms.len()).filter(|place| !better.iter().any(|(own, _)| own == place));
    let found = others.filter(is_whole).filter_map(|place| {
        let Noisy { value, std_error } = second_round(place)?;
        let (value, share) = (value / kept, (std_error / value).hypot(noise));
        let found = Noisy { value, std_error: share * value };
        found.stands_out(2.0 * RESOLVED).then_some((place, found))
    });
    let found: Vec<(usize, Noisy)> = found.collect();
    better.extend(found);
    better
}
