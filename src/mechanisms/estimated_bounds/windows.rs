//! Windows of neighbouring noisy counts (theory/estimated-bounds 1.3).

use crate::math::round::real;
use std::ops::Range;

/// Neighbours that a walk counts together.
pub const OCTAVE_WIDTHS: &[usize] = &[1, 2, 4, 8];
/// Widths of a window of narrow cells; a walk takes those up to 16.
pub const NARROW_WIDTHS: &[usize] = &[1, 2, 4, 8, 16, 32, 64];
/// Widths of a walk over narrow cells.
pub const NARROW_WALK: &[usize] = &[1, 2, 4, 8, 16];

/// Strength from which a walk goes one cell further.
const STEP: f64 = 2.75;

/// Noisy counts of one array, with the standard deviation of each count's noise.
#[derive(Clone, Copy, Debug)]
pub struct Counts<'a> {
    /// The counts, in rows.
    pub cells: &'a [f64],
    /// One standard deviation, in rows.
    pub sd: f64,
}

/// Neighbouring cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The first cell.
    pub first: usize,
    /// The last cell.
    pub last: usize,
    /// Sum over its standard deviation.
    pub strength: f64,
}

impl Counts<'_> {
    /// Returns the sum of these cells.
    pub fn sum(&self, cells: Range<usize>) -> f64 {
        self.cells.get(cells).unwrap_or_default().iter().fold(0.0, |sum, cell| sum + cell)
    }

    fn strength(&self, cells: Range<usize>) -> f64 {
        let width = real(cells.len());
        self.sum(cells) / (self.sd * width.sqrt())
    }

    /// Returns the strongest window within a range, the narrowest and then the first of equals.
    pub fn strongest(&self, range: Range<usize>, widths: &[usize]) -> Option<Window> {
        let end = range.end.min(self.cells.len());
        let mut best: Option<Window> = None;
        for &width in widths {
            for first in range.start..(end + 1).saturating_sub(width) {
                let strength = self.strength(first..first + width);
                if best.is_none_or(|best| strength > best.strength) {
                    best = Some(Window { first, last: first + width - 1, strength });
                }
            }
        }
        best
    }

    /// Returns a window without end cells below half a standard deviation; one cell stays. The upper end goes first.
    pub fn trimmed(&self, window: Window) -> Window {
        let low = |cell: usize| self.cells.get(cell).is_none_or(|count| *count < self.sd / 2.0);
        let Window { mut first, mut last, strength } = window;
        while last > first && low(last) {
            last -= 1;
        }
        while first < last && low(first) {
            first += 1;
        }
        Window { first, last, strength }
    }

    /// Returns the cell where a walk upwards ends.
    pub fn walk_up(&self, from: usize, widths: &[usize]) -> usize {
        let mut at = from;
        let strong = |at: usize, width: &usize| {
            at + width < self.cells.len() && self.strength(at + 1..at + 1 + width) >= STEP
        };
        while widths.iter().any(|width| strong(at, width)) {
            at += 1;
        }
        at
    }

    /// Returns the cell where a walk downwards ends.
    pub fn walk_down(&self, from: usize, widths: &[usize]) -> usize {
        let mut at = from;
        let strong = |at: usize, width: &usize| *width <= at && self.strength(at - width..at) >= STEP;
        while widths.iter().any(|width| strong(at, width)) {
            at -= 1;
        }
        at
    }
}
