//! The geometry of the check's figures: numbers from 0 to 1, as shares of a figure's width and height.

use super::check::Measured;
use super::fit::Bin;
use super::signal;

/// The most bars that are drawn with a gap between them.
const SPACED_BARS: usize = 40;

/// A measurement and its claim. Each scale has 0 at the left, the claim in the middle and twice the claim at the right. So an
/// interval that is completely right of the middle shows a bug, for every kind of measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Position of the measurement. `None` if only a bound is known.
    pub at: Option<f64>,
    /// Start and end of its interval, clamped to the edges.
    pub span: Option<[f64; 2]>,
    /// Whether the measurement is beyond the right edge.
    pub beyond: bool,
}

/// One bar of a histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bar {
    /// Left edge.
    pub from: f64,
    /// Width.
    pub width: f64,
    /// Height of the bar.
    pub height: f64,
    /// Expected height.
    pub law: f64,
}

/// Returns the measurement on its scale. `None` before there is one.
///
/// The interval of μ̂ has [`signal::ALARM`] standard errors on each side; that of a disproved μ is everything above it. For a
/// p-value the logarithm is drawn, and the claim is the least p that passes.
pub fn mark(measured: &Measured) -> Option<Mark> {
    let at = |share: f64| Mark { at: Some(cut(share)), span: None, beyond: share > 1.0 };
    Some(match *measured {
        Measured::Nothing => return None,
        Measured::Equal { .. } => at(0.0),
        Measured::Mu(estimate) => {
            let place = |mu: f64| mu / (2.0 * estimate.claim);
            let reach = signal::ALARM * estimate.error;
            let span = [estimate.mu - reach, estimate.mu + reach].map(|end| cut(place(end)));
            Mark { span: Some(span), ..at(place(estimate.mu)) }
        }
        Measured::Disproved { claim, mu, .. } => {
            let from = mu / (2.0 * claim);
            Mark { at: None, span: Some([cut(from), 1.0]), beyond: from > 1.0 }
        }
        Measured::Histogram { p, limit, .. } => at(evidence(p?, limit)),
        Measured::Guesses { p, limit, .. } => at(evidence(p, limit)),
    })
}

fn evidence(p: f64, limit: f64) -> f64 {
    libm::log(p) / libm::log(limit) / 2.0
}

/// Clamps a position to the drawing. NaN is drawn at the right edge, where it is visible.
fn cut(share: f64) -> f64 {
    if share.is_nan() { 1.0 } else { share.clamp(0.0, 1.0) }
}

/// Returns the bars of a histogram, scaled so that the highest bar or expected height is 1.
pub fn bars(bins: &[Bin]) -> Vec<Bar> {
    let slot = 1.0 / (bins.len() as f64).max(1.0);
    let most = bins.iter().map(|bin| f64::from(bin.observed).max(bin.expected)).fold(1.0, f64::max);
    let gap = if bins.len() > SPACED_BARS { 0.0 } else { slot / 6.0 };
    let edges = (0_u32..).map(|index| f64::from(index) * slot);
    bins.iter()
        .zip(edges)
        .map(|(bin, edge)| Bar {
            from: edge + gap / 2.0,
            width: slot - gap,
            height: f64::from(bin.observed) / most,
            law: bin.expected / most,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::signal::Estimate;

    fn mu(claim: f64, mu: f64, error: f64) -> Mark {
        mark(&Measured::Mu(Estimate { claim, mu, error, excess: (mu - claim) / error })).unwrap()
    }

    fn guesses(p: f64) -> Mark {
        mark(&Measured::Guesses { right: 1, guesses: 2, epsilon: 1.0, delta: 0.0, p, limit: 1e-7 }).unwrap()
    }

    #[test]
    fn the_claim_is_in_the_middle_of_every_scale() {
        assert_eq!(mu(3.0, 3.0, 0.1).at, Some(0.5));
        assert_eq!(mu(1.0, 1.0, 0.05).span, Some([0.375, 0.625]));
        assert_eq!(guesses(1e-7).at, Some(0.5));
        let disproved = mark(&Measured::Disproved { claim: 1.0, mu: 1.0, alpha: 1e-7 }).unwrap();
        assert_eq!((disproved.at, disproved.span), (None, Some([0.5, 1.0])));
    }

    #[test]
    fn a_bar_that_clears_the_middle_is_an_alarm() {
        for (measured, alarm) in [(1.24, false), (1.26, true)] {
            let [from, _] = mu(1.0, measured, 0.05).span.unwrap();
            assert_eq!(from > 0.5, alarm, "{measured}");
            let excess = (measured - 1.0) / 0.05;
            assert_eq!(excess > signal::ALARM, alarm);
        }
        assert!(guesses(1e-8).at.unwrap() > 0.5 && guesses(1e-6).at.unwrap() < 0.5);
    }

    #[test]
    fn marks_stay_inside() {
        let far = mu(1.0, 1e29, 0.02);
        assert_eq!(far, Mark { at: Some(1.0), span: Some([1.0, 1.0]), beyond: true });
        assert_eq!(mu(1.0, f64::NAN, 0.02).at, Some(1.0));
        assert_eq!(guesses(0.0), Mark { at: Some(1.0), span: None, beyond: true });
        assert_eq!(guesses(1.0).at, Some(0.0));
        assert_eq!(mark(&Measured::Equal { claim: 1.0 }).unwrap().at, Some(0.0));
        assert_eq!(mark(&Measured::Nothing), None);
    }

    #[test]
    fn bars_fill_the_drawing() {
        let bin = |value, observed, expected| Bin { value, observed, expected };
        let found = bars(&[bin(-1, 5, 10.0), bin(0, 20, 19.0), bin(1, 0, 10.0)]);
        assert_eq!(found.iter().map(|bar| bar.height).collect::<Vec<_>>(), [0.25, 1.0, 0.0]);
        assert_eq!((found[0].law, found[1].law), (0.5, 0.95));
        assert!(found[0].from > 0.0 && found[2].from + found[2].width < 1.0);
        assert!(found.windows(2).all(|pair| pair[0].from + pair[0].width < pair[1].from));
        let even = bars(&[bin(0, 0, 0.0); 80]);
        assert!((even[79].from + even[79].width - 1.0).abs() < 1e-12 && even[0].height == 0.0);
        assert!(bars(&[]).is_empty());
    }
}
