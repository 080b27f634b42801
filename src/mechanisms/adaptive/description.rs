//! A description of the columns from the first two rounds of an adaptive release (theory/inference 6.4).

use crate::inference::description::{SumTerm, Sums, correlations, means};
use crate::math::round::real;
use crate::math::triangle;
use crate::plan::Plan;
use crate::release::moments::{CodedTerm, Decimals};
use crate::release::supplement::{Correlations, Description, Noisy};

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

/// Share of the middle column's variance below which that of a column shows that its values far out count much less than those of others.
const DISTORTED: f64 = 0.8;

/// Returns the places of the columns whose correlations over shortened rows say little of all rows: their variance in the second round, whose
/// values are standardised by the first, is much smaller than that of the others (theory/inference 6.4).
fn distorted(moments: &[i128], size: usize) -> Vec<usize> {
    let cell = |row: usize, column: usize| {
        real(moments.get(triangle::index(1 + size, row, column)).copied().unwrap_or_default())
    };
    let rows = cell(0, 0);
    let variance = |place: usize| cell(place, place) / rows - (cell(0, place) / rows).powi(2);
    let variances: Vec<f64> = (1..=size).map(variance).collect();
    let mut sorted = variances.clone();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.get(size / 2).copied().unwrap_or_default();
    (0..size).filter(|place| variances[*place] < DISTORTED * middle).collect()
}

/// Returns means and standard deviations from the margins, which hold every row that counted, and correlations from the second round, whose
/// far rows were shortened; nothing for a damaged document. A column that this distorts has no correlations.
pub fn describe(plan: &Plan, rounds: Rounds<'_>) -> Option<Description> {
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
    let distorted = distorted(moments, size);
    for (row, cells) in correlations.iter_mut().enumerate() {
        for (column, cell) in cells.iter_mut().enumerate() {
            if row != column && (distorted.contains(&row) || distorted.contains(&column)) {
                *cell = None;
            }
        }
    }
    Some(Description {
        terms: means(plan, &from_margins)?,
        correlated,
        correlations,
        source: Correlations::ShortenedRows,
    })
}
