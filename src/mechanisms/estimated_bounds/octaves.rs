//! Which octaves hold a column's values, read from noisy counts (theory/estimated-bounds 1.3).

use super::cells::{GREATEST_EXPONENT, OCTAVES, ZERO};
use super::layout::exponent;
use super::planted;
use super::windows::{Counts, OCTAVE_WIDTHS, Window};

/// Strength of a column's strongest window, or of its zero cell, from which the column is found.
const FOUND: f64 = 4.9;
/// Strength of a heap away from the core.
const FAR: f64 = 5.5;
/// Strength of a side's window near a core of its own sign.
const NEAR: f64 = 4.0;
/// The same, where the core is of both signs.
const NEAR_BOTH: f64 = 1.0;
/// Standard deviations from which the zero cell counts.
const ZEROS: f64 = 4.0;
/// How far from the core is near, in octaves.
const REACH: usize = 7;

/// The values that noisy octaves show.
#[derive(Clone, Debug, PartialEq)]
pub enum Heaps {
    /// Values of one sign or both.
    Sides(Sides),
    /// Zeros alone.
    Zero,
    /// Nothing above the noise.
    Nothing,
}

/// The octaves that hold values.
#[derive(Clone, Debug, PartialEq)]
pub struct Sides {
    /// The octaves of negative values.
    pub negative: Option<Side>,
    /// The octaves of positive values.
    pub positive: Option<Side>,
    /// Whether there are zeros.
    pub zeros: bool,
    /// About how many rows, zeros included.
    pub rows: f64,
}

/// The octaves of one sign, by their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The lowest.
    pub bottom: usize,
    /// The highest.
    pub top: usize,
}

/// Noisy counts of the octaves of a column.
#[derive(Clone, Debug, PartialEq)]
pub struct Octaves {
    cells: Vec<f64>,
    sd: f64,
}

impl Octaves {
    /// Takes the counts of one round: `cells` in rows, negative octaves, zero, positive octaves.
    pub fn new(cells: Vec<f64>, sd: f64) -> Self {
        Self { cells, sd }
    }

    /// Returns the counts of two rounds together, weighted by their precision.
    pub fn joined(&self, second: &Self) -> Self {
        let [first, other] = [self.sd * self.sd, second.sd * second.sd];
        let weight = other / (first + other);
        let both = self.cells.iter().zip(&second.cells);
        let cells = both.map(|(a, b)| weight * a + (1.0 - weight) * b).collect();
        Self { cells, sd: self.sd * second.sd / (first + other).sqrt() }
    }

    fn negative(&self) -> Counts<'_> {
        Counts { cells: self.cells.get(..OCTAVES).unwrap_or_default(), sd: self.sd }
    }

    fn positive(&self) -> Counts<'_> {
        Counts { cells: self.cells.get(ZERO + 1..=ZERO + OCTAVES).unwrap_or_default(), sd: self.sd }
    }

    fn zero(&self) -> f64 {
        self.cells.get(ZERO).copied().unwrap_or_default()
    }

    /// Finds the sides.
    pub fn heaps(&self) -> Heaps {
        let (negative, positive) = (self.negative(), self.positive());
        let both: Vec<f64> = negative.cells.iter().zip(positive.cells).map(|(a, b)| a + b).collect();
        let both = Counts { cells: &both, sd: self.sd * std::f64::consts::SQRT_2 };
        let mut core: Option<(Window, f64)> = None;
        for (counts, near) in [(negative, NEAR), (positive, NEAR), (both, NEAR_BOTH)] {
            let Some(window) = counts.strongest(0..OCTAVES, OCTAVE_WIDTHS) else { continue };
            if core.is_none_or(|(core, _)| window.strength > core.strength) {
                core = Some((window, near));
            }
        }
        let Some((core, near)) = core.filter(|(core, _)| core.strength >= FOUND) else {
            return if self.zero() >= FOUND * self.sd { Heaps::Zero } else { Heaps::Nothing };
        };
        let [below, above] = [side(negative, core, near), side(positive, core, near)];
        let zeros = self.zero() >= ZEROS * self.sd;
        let sum = |counts: Counts<'_>, side: Option<Side>| {
            side.map_or(0.0, |side| counts.sum(side.bottom..side.top + 1))
        };
        let rows = sum(negative, below) + sum(positive, above) + if zeros { self.zero() } else { 0.0 };
        Heaps::Sides(Sides { negative: below, positive: above, zeros, rows: planted::rows(rows) })
    }

    /// Returns the ends of the range that these sides need. `None` if a side reaches the highest octave.
    pub fn ends(&self, sides: &Sides) -> Option<(f64, f64)> {
        let end = |counts: Counts<'_>, side: Option<Side>| match side {
            None => Some(0.0),
            Some(Side { top, .. }) if exponent(top) >= GREATEST_EXPONENT => None,
            Some(Side { top, .. }) => {
                Some(libm::ldexp(1.0, exponent(top) + 1 + unseen(counts, top, sides.rows)))
            }
        };
        Some((0.0 - end(self.negative(), sides.negative)?, end(self.positive(), sides.positive)?))
    }
}

/// Finds the octaves of one sign around the core.
fn side(counts: Counts<'_>, core: Window, near: f64) -> Option<Side> {
    let around = core.first.saturating_sub(REACH)..core.last + REACH + 1;
    let strong = |window: Option<Window>, least: f64| window.filter(|window| window.strength >= least);
    let window = strong(counts.strongest(around, OCTAVE_WIDTHS), near)
        .or_else(|| strong(counts.strongest(0..OCTAVES, OCTAVE_WIDTHS), FAR))?;
    let Window { first, last, .. } = counts.trimmed(window);
    let mut bottom = counts.walk_down(first, OCTAVE_WIDTHS);
    let mut top = counts.walk_up(last, OCTAVE_WIDTHS);
    while let Some(window) = strong(counts.strongest(top + 1..OCTAVES, OCTAVE_WIDTHS), FAR) {
        top = counts.walk_up(counts.trimmed(window).last, OCTAVE_WIDTHS);
    }
    while let Some(window) = strong(counts.strongest(0..bottom, OCTAVE_WIDTHS), FAR) {
        bottom = counts.walk_down(counts.trimmed(window).first, OCTAVE_WIDTHS);
    }
    Some(Side { bottom, top })
}

/// Returns how many octaves a geometric tail beyond the highest octave could reach unseen, at most 3.
fn unseen(counts: Counts<'_>, top: usize, rows: f64) -> i32 {
    let Counts { cells, sd } = counts;
    let count = |place: Option<usize>| place.and_then(|place| cells.get(place)).copied().unwrap_or(0.0);
    let last = count(Some(top)).max(sd);
    let before = top.checked_sub(1).map_or(last, |place| count(Some(place)).max(0.0));
    let ratio = 0.6_f64
        .min((last + sd / 2.0) / (before + 2.0 * sd))
        .min((count(top.checked_add(1)).max(0.0) + sd) / last);
    let most = (rows / 400.0).max(sd / 4.0);
    let mut tail = last * ratio / (1.0 - ratio);
    let mut octaves = 0;
    while tail > most && octaves < 3 {
        tail *= ratio;
        octaves += 1;
    }
    octaves
}
