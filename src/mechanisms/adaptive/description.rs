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

/// Returns means and standard deviations from the margins, which hold every row that counted, and correlations from the second round, whose
/// far rows were shortened; nothing for a damaged document.
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
    let (correlated, correlations) = correlations(&from_moments);
    Some(Description {
        terms: means(plan, &from_margins)?,
        correlated,
        correlations,
        source: Correlations::ShortenedRows,
    })
}
