//! The levels of a category as corners of a regular simplex on the public grid (theory/encoding 2.3).

use serde::{Deserialize, Serialize};

use crate::math::round::real;

/// The codes of a category with m + 1 levels, m integers for each. Its terms are all levels but the reference, in their order, and the
/// reference comes after them. Coordinate j is `own[j]` in a record of level j, `later[j]` in one of a later level, and 0 in one of an
/// earlier level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contrast {
    /// The first of the category's terms, `column[level]`; the others follow it.
    pub term: String,
    /// The code of each coordinate in a record of its own level.
    pub own: Vec<i32>,
    /// The code of each coordinate in a record of a later level.
    pub later: Vec<i32>,
}

/// The indicator of a level as a function of codes z: centre + scale · (direction · z), with a direction of length 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Indicator {
    /// The value at codes of 0: the share that each of equally frequent levels has.
    pub centre: f64,
    /// The change for one code in this direction.
    pub scale: f64,
    /// One number for each coordinate.
    pub direction: Vec<f64>,
}

impl Contrast {
    /// Returns the codes of a category of `levels` levels, at least 2, none longer than `length` codes.
    ///
    /// With m = `levels` − 1 and j = 0, …, m − 1: own = length √((m + 1)(m − j)/(m (m − j + 1))) and later = −own/(m − j). Each is rounded
    /// towards 0. A length above 2^30 counts as 2^30.
    #[expect(clippy::cast_possible_truncation, reason = "at most 2^30; `as` rounds towards 0")]
    pub fn new(term: String, levels: usize, length: f64) -> Self {
        let m = levels.saturating_sub(1);
        let length = length.min(f64::from(1 << 30));
        let exact = |j: usize| {
            let rest = real(m - j);
            (length * ((real(m) + 1.0) * rest / (real(m) * (rest + 1.0))).sqrt(), rest)
        };
        let own = (0..m).map(|j| exact(j).0 as i32).collect();
        let later = (0..m).map(exact).map(|(own, rest)| -((own / rest) as i32)).collect();
        Self { term, own, later }
    }

    /// Returns the number of coordinates, one less than levels.
    pub fn coordinates(&self) -> usize {
        self.own.len()
    }

    /// Returns one coordinate of a level's code; the reference is the level after the last term.
    pub fn code(&self, level: usize, coordinate: usize) -> i32 {
        let list = match coordinate.cmp(&level) {
            std::cmp::Ordering::Less => &self.later,
            std::cmp::Ordering::Equal => &self.own,
            std::cmp::Ordering::Greater => return 0,
        };
        list.get(coordinate).copied().unwrap_or(0)
    }

    /// Returns whether every level has a code of its own.
    pub fn is_sound(&self) -> bool {
        self.own.len() == self.later.len() && self.own.iter().zip(&self.later).all(|(own, later)| own > later)
    }

    /// Returns the indicators of the terms' levels, exact at every level's integer code.
    ///
    /// With d the indicators, z_j = own_j d_j + later_j (1 − Σ_{k ≤ j} d_k), which is solved for d_j in the order of the coordinates.
    pub fn indicators(&self) -> Vec<Indicator> {
        let m = self.coordinates();
        let (mut constants, mut sums) = (0.0, vec![0.0; m]);
        let pairs = self.own.iter().zip(&self.later).enumerate();
        pairs
            .map(|(j, (own, later))| {
                let later = f64::from(*later);
                let gap = f64::from(*own) - later;
                let centre = later * (constants - 1.0) / gap;
                let row: Vec<f64> = (0..m)
                    .zip(&sums)
                    .map(|(k, sum)| (f64::from(u8::from(k == j)) + later * sum) / gap)
                    .collect();
                constants += centre;
                sums.iter_mut().zip(&row).for_each(|(sum, entry)| *sum += entry);
                let scale = row.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
                Indicator { centre, scale, direction: row.iter().map(|entry| entry / scale).collect() }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_equally_far_apart_and_their_indicators_are_exact() {
        for levels in [3_usize, 4, 5, 10, 40] {
            let contrast = Contrast::new("c[a]".to_owned(), levels, 9_000_000.7);
            let m = contrast.coordinates();
            assert!(m == levels - 1 && contrast.is_sound());
            let code = |level: usize| (0..m).map(move |j| (level, j));
            let at = |(level, j)| i64::from(contrast.code(level, j));
            for first in 0..levels {
                let square: i64 = code(first).map(|place| at(place).pow(2)).sum();
                assert!(square as f64 <= 9_000_000.7_f64.powi(2), "{levels}: {square}");
                for second in 0..first {
                    let between = |j| at((first, j)) - at((second, j));
                    let distance = ((0..m).map(|j| between(j).pow(2)).sum::<i64>() as f64).sqrt();
                    let regular = 9_000_000.7 * (2.0 * levels as f64 / m as f64).sqrt();
                    assert!((distance / regular - 1.0).abs() < 1e-5, "{levels}: {distance} {regular}");
                }
                for (place, indicator) in contrast.indicators().iter().enumerate() {
                    let along = code(first).zip(&indicator.direction).map(|(place, u)| u * at(place) as f64);
                    let value = indicator.centre + indicator.scale * along.sum::<f64>();
                    let expected = f64::from(u8::from(place == first));
                    assert!((value - expected).abs() < 1e-12, "{levels}: {value} {expected}");
                    assert!((indicator.centre * levels as f64 - 1.0).abs() < 1e-5);
                }
            }
        }
    }
}
