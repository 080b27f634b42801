//! The range of a column, read from its noisy counts alone (theory/estimated-bounds 1.3).

use super::cells::{FIRST_CELLS, NARROW};
use super::layout::{Layout, Narrow};
use super::octaves::{Heaps, Octaves};
use super::windows::{Counts, NARROW_WALK, NARROW_WIDTHS, Window};
use crate::math::round::real;
use crate::release::bounds::State;

/// Strength of the strongest window of narrow cells from which the range is refined.
const FINE: f64 = 3.75;
/// Standard deviations from which an open cell holds values.
const OPEN: f64 = 4.0;

/// The range of a column that its noisy counts show.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Whether a range was found, and how.
    pub state: State,
    /// The range, where one was found.
    pub range: Option<(f64, f64)>,
}

/// Reads the range of a column from the counts of both rounds, in rows. `sd` are the standard deviations of their noise.
pub fn read(layout: &Layout, first: &[f64], second: &[f64], sd: [f64; 2]) -> Reading {
    match layout {
        Layout::Wide => wide(first, second, sd),
        Layout::Narrow(range) => narrow(range, second, sd[1]),
    }
}

/// A column that the first round does not find stays so: the second round sharpens a range and finds none.
fn wide(first: &[f64], second: &[f64], sd: [f64; 2]) -> Reading {
    let of = |cells: &[f64], sd| Octaves::new(cells.iter().take(FIRST_CELLS).copied().collect(), sd);
    let first = of(first, sd[0]);
    let without = |state| Reading { state, range: None };
    match first.heaps() {
        Heaps::Zero => return without(State::Zero),
        Heaps::Nothing => return without(State::NotFound),
        Heaps::Sides(_) => {}
    }
    let counts = first.joined(&of(second, sd[1]));
    match counts.heaps() {
        Heaps::Sides(sides) => match counts.ends(&sides) {
            Some(range) => Reading { state: State::Octaves, range: Some(range) },
            None => without(State::NotFound),
        },
        Heaps::Zero => without(State::Zero),
        Heaps::Nothing => without(State::NotFound),
    }
}

fn narrow(range: &Narrow, cells: &[f64], sd: f64) -> Reading {
    let open =
        [cells.first(), cells.get(NARROW + 1)].map(|cell| cell.is_some_and(|count| *count >= OPEN * sd));
    let counts = Counts { cells: cells.get(1..=NARROW).unwrap_or_default(), sd };
    let window = counts.strongest(0..NARROW, NARROW_WIDTHS).filter(|window| window.strength >= FINE);
    let fine = window.filter(|_| open == [false, false]).and_then(|window| fine(range, counts, window));
    match fine {
        Some(range) => Reading { state: State::Fine, range: Some(range) },
        None => Reading { state: State::Coarse, range: Some(coarse(range, open)) },
    }
}

/// Returns the heap with a margin of cells on both sides. `None` if that would reach an open cell.
fn fine(range: &Narrow, counts: Counts<'_>, window: Window) -> Option<(f64, f64)> {
    let Window { first, last, .. } = counts.trimmed(window);
    let (first, last) = (counts.walk_down(first, NARROW_WALK), counts.walk_up(last, NARROW_WALK));
    let rows = counts.sum(first..last + 1).max(counts.sd);
    let margin = 1.0 + (real(last - first + 1) * (0.4 + 20.0 * counts.sd / rows)).ceil();
    let (low, high) = (real(first) - margin, real(last + 1) + margin);
    let inside = low >= 0.0 && high <= real(NARROW);
    inside.then(|| (range.start() + low * range.step(), range.start() + high * range.step()))
}

/// Returns the octaves with a margin on both sides, more where an open cell holds values.
fn coarse(range: &Narrow, [below, above]: [bool; 2]) -> (f64, f64) {
    let (inner, outer) = if range.negative { (above, below) } else { (below, above) };
    let far = libm::ldexp(1.0, range.top + if outer { 4 } else { 2 });
    let near = if inner { -far } else { range.inner() };
    if range.negative { (-far, -near) } else { (near, far) }
}
