//! Round 3: histograms of the norm of the whitened features and of the size of each residual (theory/adaptive 2.4, 4.3).

use super::bits::bits26;
use super::guide::Guide;
use super::map;
use super::terms::Terms;
use super::units::{FEATURE_BINS, OUTCOME_BINS, Round};
use crate::math::gamma::ln_chi_square_cdf;
use crate::math::round::real;
use crate::model::note::Shortened;
use crate::release::supplement::Noisy;

/// Edges of the bins of ‖w‖ in units of √k.
const FEATURE_EDGES: [f64; FEATURE_BINS - 1] = [1.0, 1.2, 1.4, 1.6, 1.8, 2.1, 2.5, 3.0, 4.0, 6.0, 9.0, 14.0];

/// Returns the edges of the bins of ‖w‖.
pub fn feature_edges(terms: &Terms) -> [f64; FEATURE_BINS - 1] {
    let root = real(terms.coefficients()).sqrt();
    FEATURE_EDGES.map(|edge| root * edge)
}

/// Returns the edges of the bins of |e|: 2^(i/2) / 2, i = 0 to 12.
pub fn outcome_edges() -> [f64; OUTCOME_BINS - 1] {
    std::array::from_fn(|i| {
        let whole = libm::ldexp(0.5, i32::try_from(i / 2).unwrap_or(0));
        if i % 2 == 0 { whole } else { whole * std::f64::consts::SQRT_2 }
    })
}

/// Returns the number of cells: the bins of ‖w‖, then those of the residuals of so many outcomes.
pub const fn cells(outcomes: usize) -> usize {
    FEATURE_BINS + OUTCOME_BINS.saturating_mul(outcomes)
}

/// Returns the bin (edge below, edge] of a size; what is beyond all edges, or no number, is in the last.
fn bin(edges: &[f64], size: f64) -> usize {
    edges.iter().position(|edge| size <= *edge).unwrap_or(edges.len())
}

/// The edges of both kinds of histograms.
#[derive(Clone, Debug, PartialEq)]
pub struct Edges {
    features: [f64; FEATURE_BINS - 1],
    outcomes: [f64; OUTCOME_BINS - 1],
}

impl Edges {
    /// Returns the edges for these terms.
    pub fn new(terms: &Terms) -> Self {
        Self { features: feature_edges(terms), outcomes: outcome_edges() }
    }

    /// Counts a record with these coded values in one bin of each histogram; `reals` is working memory.
    pub fn add(&self, guide: &Guide, unit: u64, values: &[f64], reals: &mut Vec<f64>, cells: &mut [i64]) {
        let mapped = map::apply(guide, values, reals);
        let unit = i64::try_from(unit).unwrap_or(0);
        let one = |bins: &mut [i64], bin: usize| {
            if let Some(cell) = bins.get_mut(bin) {
                *cell += unit;
            }
        };
        let (features, outcomes) = cells.split_at_mut(FEATURE_BINS.min(cells.len()));
        one(features, bin(&self.features, mapped.norm));
        for (bins, residual) in outcomes.chunks_mut(OUTCOME_BINS).zip(mapped.residuals) {
            one(bins, bin(&self.outcomes, residual.abs()));
        }
    }
}

/// The noisy counts: public.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// The counts of ‖w‖, one for each bin.
    pub features: Vec<f64>,
    /// The counts of each residual's absolute value, one list for each outcome.
    pub outcomes: Vec<Vec<f64>>,
    /// The standard deviation of the noise of one bin, in records.
    pub noise: f64,
}

/// How many records are beyond a radius, and the standard deviation of that number's noise.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Beyond {
    /// The noisy count; it may be below 0.
    pub rows: f64,
    /// One standard deviation.
    pub deviation: f64,
    /// The edge beyond which they are: the first at or above the radius.
    pub from: f64,
}

impl Counts {
    /// Reads the noisy cells, in which a record is `count`.
    pub fn new(count: u64, round: &Round, cells: &[i128]) -> Self {
        Self::of(real(count), round.s(), cells)
    }

    /// Reads cells in which a record is `unit` and the noise has the scale `s`.
    pub fn of(unit: f64, s: f64, cells: &[i128]) -> Self {
        let counts: Vec<f64> = cells.iter().map(|cell| real(*cell) / unit).collect();
        let (features, outcomes) = counts.split_at(FEATURE_BINS.min(counts.len()));
        Self {
            features: features.to_vec(),
            outcomes: outcomes.chunks(OUTCOME_BINS).map(<[f64]>::to_vec).collect(),
            noise: s / unit,
        }
    }

    /// Returns about how many records were shortened to `radius`. `None` if it is beyond all edges.
    pub fn shortened(&self, terms: &Terms, radius: f64) -> Option<Beyond> {
        self.beyond(&self.features, &feature_edges(terms), radius)
    }

    /// Returns the share of records that would be beyond the same edge if the features were normal: ‖w‖² is then 1 more than a
    /// chi-square with one degree of freedom for each.
    pub fn usual_share(terms: &Terms, radius: f64) -> Option<f64> {
        let edges = feature_edges(terms);
        let edge = edges.iter().find(|edge| bits26(**edge) >= radius)?;
        let square = edge * edge - 1.0;
        let within = ln_chi_square_cdf(real(terms.features()), square);
        Some(if square > 0.0 { 1.0 - libm::exp(within) } else { 1.0 })
    }

    /// Returns the numbers for the note on records that were shortened to `radius`.
    pub fn shortened_said(&self, terms: &Terms, radius: f64) -> Option<Shortened> {
        let Beyond { rows, deviation, .. } = self.shortened(terms, radius)?;
        let (usual, of_levels) = (Self::usual_share(terms, radius)?, terms.are_mostly_levels());
        Some(Shortened { rows, deviation, usual, of_levels })
    }

    /// Returns the mean square of the whitened features once records are shortened to `radius` and weighted by that, as a share
    /// of what it was (theory/inference 6.6). Bins count up to the first that does not stand out of its noise, because a distant
    /// bin that is noise alone would have a large weight. Bins that begin within `near` √k always count: without them the loss
    /// would be underestimated if few bins stand out. The standard error is to first order.
    pub fn spread_kept(&self, terms: &Terms, radius: f64, near: f64) -> Noisy {
        let edges = feature_edges(terms);
        let near = std::iter::once(0.0).chain(FEATURE_EDGES).take_while(|from| *from < near).count();
        let squares = edges.map(|edge| edge * edge);
        let below = std::iter::once(1.0).chain(squares);
        let above = squares.into_iter().chain(squares.last().copied());
        let middles = below.zip(above).map(|(below, above)| f64::midpoint(below, above));
        let stands_out = |(_, count): &(f64, &f64)| **count >= 3.0 * self.noise;
        let all = || middles.clone().zip(&self.features);
        let far = all().skip(near).skip_while(|bin| near == 0 && !stands_out(bin)).take_while(stands_out);
        let counted = all().take(near).chain(far);
        // For each bin: its count, its weight, and its part of a sum of squares.
        let bins: Vec<(f64, f64, f64)> = counted
            .map(|(square, count)| (*count, (radius * radius / square).min(1.0), square - 1.0))
            .collect();
        let sum = |part: &dyn Fn(f64, f64) -> f64| {
            bins.iter().map(|(count, weight, square)| count * part(*weight, *square)).sum::<f64>()
        };
        let (rows, weights) = (sum(&|_, _| 1.0), sum(&|weight, _| weight));
        let (whole, kept) = (sum(&|_, square| square), sum(&|weight, square| weight * square));
        if kept <= 0.0 {
            return Noisy { value: 1.0, std_error: 0.0 };
        }
        let value = (kept / weights) / (whole / rows);
        let slopes = bins.iter().map(|(_, weight, square)| {
            (weight * square / kept - weight / weights - square / whole + 1.0 / rows).powi(2)
        });
        Noisy { value, std_error: value * self.noise * slopes.sum::<f64>().sqrt() }
    }

    /// Returns about how many values of an outcome were clipped to `radius`. `None` if it is beyond all edges.
    pub fn clipped(&self, outcome: usize, radius: f64) -> Option<Beyond> {
        self.beyond(self.outcomes.get(outcome)?, &outcome_edges(), radius)
    }

    /// Returns the rows beyond the first edge at or above the radius, which was rounded to 26 bits.
    fn beyond(&self, counts: &[f64], edges: &[f64], radius: f64) -> Option<Beyond> {
        let edge = edges.iter().position(|edge| bits26(*edge) >= radius)?;
        let tail = counts.get(edge + 1..)?;
        Some(Beyond {
            rows: tail.iter().fold(0.0, |sum, count| sum + count),
            deviation: real(tail.len()).sqrt() * self.noise,
            from: *edges.get(edge)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::terms::Term;
    use super::*;

    /// Reference: numerical differentiation by each count.
    #[test]
    fn the_noise_on_what_is_kept_is_that_of_the_counts() {
        let terms = Terms::new((0..5).map(|column| Term { column, dummy: false }).collect(), 4);
        let features = [0.0, 150.0, 700.0, 900.0, 400.0, 120.0, 60.0, 20.0, 9.0, 0.0, 0.0, 0.0, 0.0];
        let of = |features: &[f64]| {
            let counts = Counts { features: features.to_vec(), outcomes: Vec::new(), noise: 2.0 };
            counts.spread_kept(&terms, 2.0, 0.0)
        };
        let (found, step) = (of(&features), 1e-3);
        let mut variance = 0.0;
        for bin in 0..features.len() {
            let mut moved = features;
            moved[bin] += step;
            variance += ((of(&moved).value - found.value) / step * 2.0).powi(2);
        }
        assert!(found.value < 0.9, "{}", found.value);
        assert!((found.std_error / variance.sqrt() - 1.0).abs() < 1e-3, "{found:?} {}", variance.sqrt());
    }
}
