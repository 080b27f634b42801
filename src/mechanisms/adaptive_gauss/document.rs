//! The released integers of all rounds, the transform and the radii, as a release holds them.

use std::str::FromStr;
use std::sync::Arc;

use nalgebra::DMatrix;

use super::MOST_OUTCOMES;
use super::last::Grid;
use super::progress::Released;
use super::radii::Radii;
use super::scores::ReleasedScores;
use super::units::Codes;
use crate::inference::moments::upper_triangle;
use crate::math::round::real;
use crate::math::triangle;
use crate::mechanisms::adaptive::guide::Guide;
use crate::mechanisms::adaptive::map::{own_map, rows};
use crate::mechanisms::adaptive::margins;
use crate::mechanisms::adaptive::tails::{self, Counts};
use crate::mechanisms::adaptive::terms::{MOST_FEATURES, Term as Coordinate, Terms};
use crate::model::{INTERCEPT, NoiseLaw};
use crate::privacy::calibrate::NoiseScale;
use crate::release::Release;
use crate::release::moments::{
    AdaptiveRounds, AdaptiveScores, AdaptiveUnits, CodedTerm, Decimals, ReleasedMoments, Term,
};

/// Returns the moments of the last round with what the earlier rounds gave.
pub fn moments(released: &Released, coded: Vec<CodedTerm>) -> ReleasedMoments {
    let Released { terms, codes, guide, .. } = released;
    let (k, side) = (terms.coefficients(), terms.len() + 1);
    let grid = Grid::new(terms, *codes, &released.radii);
    // The cells are the upper triangle, row by row.
    let cell = |i: usize, j: usize| {
        let place = triangle::index(side, i.min(j), i.max(j));
        released.last.get(place).map_or_else(String::new, ToString::to_string)
    };
    let matrix = (0..side).map(|row| (0..side).map(|column| cell(row, column)).collect()).collect();
    let names = std::iter::once(INTERCEPT).chain(coded.iter().map(|term| term.term.as_str()));
    let units = names.enumerate();
    let units =
        units.map(|(place, name)| Term { term: name.to_owned(), centre: 0.0, scale: grid.unit(place, k) });
    let scales = released.scales.map(|scale| scale.get().to_string());
    ReleasedMoments {
        terms: units.collect(),
        // H takes coded features; the document's map takes the columns in their own units.
        whitening: Some(rows(&own_map(&guide.map(), &coded[..terms.features()]))),
        contrasts: Vec::new(),
        matrix: Some(matrix),
        blocks: None,
        noise: Some(NoiseLaw::WeightedDiscreteGaussian { s: scales[3].clone(), weight: released.weight }),
        adaptive: Some(AdaptiveRounds {
            units: AdaptiveUnits {
                level: codes.level.to_string(),
                record: codes.record.to_string(),
                count: codes.count.to_string(),
                features: codes.features.to_string(),
                outcome: codes.outcome.to_string(),
                scales,
            },
            terms: coded,
            margins: Decimals(released.margins.clone()),
            moments: Decimals(released.moments.clone()),
            tails: Decimals(released.tails.clone()),
            mean: guide.mean.clone(),
            whitening: rows(&guide.whitening),
            slopes: rows(&guide.slopes),
            spreads: guide.spreads.clone(),
            feature_radius: released.radii.features,
            outcome_radii: released.radii.outcomes.clone(),
            unseen: released.radii.unseen,
            scores: released.scores.as_ref().map(|scores| AdaptiveScores {
                record: scores.record.to_string(),
                scale: scores.scale.get().to_string(),
                radii: scores.radii.clone(),
                of_persons: scores.of_persons,
                products: Decimals(scores.cells.clone()),
            }),
        }),
    }
}

/// Returns what a release says of the four rounds, with the columns' own units of each term. `None` if it is damaged, or of another
/// mechanism.
pub fn of(release: &Release) -> Option<(Released, &[CodedTerm])> {
    let moments = release.moments.as_ref()?;
    Some((read(moments)?, moments.coded_terms()))
}

/// Returns what a document says of the four rounds. `None` if it is damaged.
pub fn read(document: &ReleasedMoments) -> Option<Released> {
    let adaptive = document.adaptive.as_ref()?;
    let units = &adaptive.units;
    let codes = Codes {
        level: positive(&units.level)?,
        record: positive(&units.record)?,
        count: positive(&units.count)?,
        features: positive(&units.features)?,
        outcome: positive(&units.outcome)?,
    };
    let NoiseLaw::WeightedDiscreteGaussian { weight, .. } = document.noise.as_ref()? else { return None };
    let [margins, moments, tails, last] = &units.scales;
    let scale = |text: &String| NoiseScale::try_new(positive(text)?).ok();
    let scales = [scale(margins)?, scale(moments)?, scale(tails)?, scale(last)?];
    let features = adaptive.whitening.len();
    // The columns of a release's terms no longer matter, so each term has one of its own.
    let coordinates = adaptive.terms.iter().enumerate();
    let coordinates = coordinates.map(|(column, term)| Coordinate { column, dummy: term.level });
    let terms = Terms::new(coordinates.collect(), features);
    let (size, outcomes) = (terms.len(), terms.outcomes());
    let width = |term: &CodedTerm| term.centre.is_finite() && is_positive(term.half_width);
    let guide = Guide {
        mean: adaptive.mean.clone(),
        whitening: matrix(&adaptive.whitening, features)?,
        slopes: matrix(&adaptive.slopes, outcomes)?,
        spreads: adaptive.spreads.clone(),
    };
    let radii = Radii {
        features: adaptive.feature_radius,
        outcomes: adaptive.outcome_radii.clone(),
        unseen: adaptive.unseen,
    };
    let fits = (1..=MOST_FEATURES).contains(&features)
        && (1..=MOST_OUTCOMES).contains(&outcomes)
        && (1..=2).contains(weight)
        && adaptive.terms.iter().all(width)
        && guide.mean.len() == size
        && guide.slopes.nrows() == features
        && guide.spreads.len() == outcomes
        && guide.mean.iter().all(|mean| mean.is_finite())
        && guide.spreads.iter().all(|spread| is_positive(*spread))
        && (0..features).all(|j| is_positive(guide.whitening[(j, j)]))
        && is_positive(radii.features)
        && radii.outcomes.len() == outcomes
        && radii.outcomes.iter().all(|radius| is_positive(*radius))
        && adaptive.margins.0.len() == margins::cells(&terms)
        && adaptive.moments.0.len() == triangle::len(size + 1)
        && adaptive.tails.0.len() == tails::cells(outcomes);
    if !fits {
        return None;
    }
    let last = upper_triangle(document.matrix.as_ref()?, size + 1).ok()?;
    let scores = match &adaptive.scores {
        None => None,
        Some(scores) => {
            let cells = outcomes * triangle::len(features + 1);
            let fits = scores.radii.len() == outcomes
                && scores.radii.iter().all(|radius| is_positive(*radius))
                && scores.products.0.len() == cells;
            if !fits {
                return None;
            }
            Some(ReleasedScores {
                record: positive(&scores.record)?,
                scale: scale(&scores.scale)?,
                radii: scores.radii.clone(),
                of_persons: scores.of_persons,
                cells: scores.products.0.clone(),
            })
        }
    };
    let s = |index: usize| scales[index].real();
    let counts = Counts::of(real(codes.count), s(2), &adaptive.tails.0);
    Some(Released {
        terms,
        codes,
        scales,
        weight: *weight,
        guide: Arc::new(guide),
        radii,
        counts,
        margins: adaptive.margins.0.clone(),
        moments: adaptive.moments.0.clone(),
        tails: adaptive.tails.0.clone(),
        last,
        scores,
    })
}

/// Returns a whole number above 0.
fn positive<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Option<T> {
    text.parse().ok().filter(|number| *number > T::from(0))
}

fn is_positive(number: f64) -> bool {
    number.is_finite() && number > 0.0
}

/// Returns a matrix of finite numbers from its rows.
fn matrix(rows: &[Vec<f64>], columns: usize) -> Option<DMatrix<f64>> {
    let fits = rows.iter().all(|row| row.len() == columns && row.iter().all(|entry| entry.is_finite()));
    fits.then(|| DMatrix::from_fn(rows.len(), columns, |i, j| rows[i][j]))
}
