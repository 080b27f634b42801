//! The width of intervals as a function of the budget.

use super::{Foreseen, gives_all};
use crate::engine::preflight::standard_errors;
use crate::engine::prepare::Prepared;
use crate::inference::design::WITHHELD_BELOW;
use crate::inference::preview::Preview;
use crate::math::median;

/// The smallest factor on the budget at which a forecast may differ from the present one.
const NEXT_ABOVE: f64 = 1.001;

/// The width of intervals as a function of the budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// The median over the coefficients of the standard deviation of the privacy noise, in units of the sampling error.
    noise: f64,
    /// The factor on the budget's μ below which all intervals are withheld.
    withheld_below: f64,
    /// The factor above which no interval is expected to be withheld.
    full_from: f64,
}

impl Precision {
    /// No budget gives an interval. Used if the rows are too few for an ordinary regression: a ridge's intervals cannot be
    /// compared with its intervals.
    pub const NOTHING: Self = Self { noise: 0.0, withheld_below: f64::INFINITY, full_from: f64::INFINITY };

    /// Returns whether it is [`NOTHING`](Self::NOTHING).
    pub fn is_nothing(&self) -> bool {
        *self == Self::NOTHING
    }

    /// Returns the width of an interval over its width without privacy, at `times` the budget's μ. `None` if all are withheld.
    pub fn at(&self, times: f64) -> Option<f64> {
        (times >= self.withheld_below).then(|| (self.noise / times).hypot(1.0))
    }

    /// Returns whether no interval is expected to be withheld with this budget.
    pub fn is_full(&self) -> bool {
        self.full_from <= 1.0
    }

    /// Returns the precision at a budget of μ, interpolated from those that are `known` at other budgets, in ascending order of
    /// μ. `None` if none is known. The logarithm of the noise is interpolated linearly in the logarithm of μ. Outside the known
    /// budgets the noise is proportional to 1/μ.
    pub fn between(known: &[(f64, Self)], mu: f64) -> Option<Self> {
        let carried = |(own, found): &(f64, Self)| Self {
            noise: found.noise * own / mu,
            withheld_below: found.withheld_below * own / mu,
            full_from: found.full_from * own / mu,
        };
        let after = known.partition_point(|(own, _)| *own <= mu);
        let (below, above) = (after.checked_sub(1).and_then(|last| known.get(last)), known.get(after));
        let (Some(below), Some(above)) = (below, above) else { return below.or(above).map(carried) };
        let weight = libm::log(mu / below.0) / libm::log(above.0 / below.0);
        let (least, most) = (carried(below), carried(above));
        // A budget that gives no intervals has no width to interpolate from.
        let noise = if least.noise > 0.0 {
            libm::pow(least.noise, 1.0 - weight) * libm::pow(most.noise, weight)
        } else {
            most.noise
        };
        let nearer = if weight < 0.5 { least } else { most };
        if nearer.is_nothing() {
            return Some(nearer);
        }
        Some(Self { noise, ..nearer })
    }
}

/// Returns the width of intervals as a function of the budget, from a forecast or a preview. `None` if neither has a sampling
/// error.
pub fn precision(
    prepared: &Prepared,
    foreseen: Option<&Foreseen>,
    expected: Option<&Preview>,
) -> Option<Precision> {
    if let Some(foreseen) = foreseen {
        // What shortening costs counts as noise.
        let noise = (foreseen.widening().0.powi(2) - 1.0).max(0.0).sqrt();
        // If intervals are withheld at this budget, they are withheld at a smaller one.
        let least = if foreseen.withholds_most() { NEXT_ABOVE } else { 0.0 };
        let withheld_below = foreseen.withheld_below.max(least);
        return Some(Precision { noise, withheld_below, full_from: foreseen.full_from(prepared) });
    }
    let (errors, signal): (Vec<(f64, f64)>, f64) = if let Some(preview) = expected {
        let slopes = preview.terms.iter().filter(|term| term.plausible_effect.abs() > 0.0);
        let errors = slopes.map(|term| (term.noise_std_error, term.sampling_std_error));
        (errors.collect(), preview.cautious_signal_to_noise)
    } else {
        let terms = standard_errors(prepared.fit())?;
        let signal = terms.iter().map(|term| term.signal_to_noise).fold(0.0, f64::max);
        let errors = terms.iter().filter_map(|term| Some((term.noise_std_error, term.sampling_std_error?)));
        (errors.collect(), signal)
    };
    let ratios = errors.into_iter().map(|(noise, sampling)| noise / sampling);
    let noise = median(ratios.filter(|ratio| ratio.is_finite()))?;
    let withheld_below = WITHHELD_BELOW / signal;
    Some(Precision { noise, withheld_below, full_from: withheld_below })
}

impl Foreseen {
    /// Returns the smallest factor on the budget's μ at which no interval is expected to be withheld; 0 if none is at the present
    /// budget.
    fn full_from(&self, prepared: &Prepared) -> f64 {
        if gives_all(self.forecast.advice) && !self.rests_on_even() && !self.rests_on_spread() {
            return 0.0;
        }
        let mu = prepared.fit().cost().and_then(|cost| cost.mu);
        let needed = self.needed.and_then(|needed| needed.mu).zip(mu).map(|(needed, mu)| needed / mu);
        needed.unwrap_or(f64::INFINITY).max(NEXT_ABOVE)
    }
}
