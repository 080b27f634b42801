//! Delays results to a coarse grid of times after the click, so that nobody can see how long drawing the noise took (theory/noise
//! 5.3).

/// Results are shown at multiples of this time …
const TICK_MILLISECONDS: f64 = 250.0;
/// … and never earlier than this.
const LEAST_MILLISECONDS: f64 = 500.0;

/// Returns when to show a result that was complete `elapsed` milliseconds after the click: the next multiple of 250 milliseconds
/// after the click, at least 500.
pub fn due(elapsed: f64) -> f64 {
    ((elapsed / TICK_MILLISECONDS).ceil() * TICK_MILLISECONDS).max(LEAST_MILLISECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_before_half_a_second_and_on_quarters_from_there() {
        for (elapsed, expected) in [
            (0.0, 500.0),
            (-3.0, 500.0),
            (f64::NAN, 500.0),
            (120.0, 500.0),
            (499.9, 500.0),
            (500.0, 500.0),
            (500.1, 750.0),
            (750.0, 750.0),
            (750.1, 1_000.0),
            (61_234.5, 61_250.0),
        ] {
            assert!((due(elapsed) - expected).abs() < 1e-9, "{elapsed}: {}", due(elapsed));
        }
    }

    #[test]
    fn nothing_finer_than_a_quarter_shows() {
        let elapsed = || (0..40_000_u32).map(|tenth| f64::from(tenth) / 10.0);
        assert!(elapsed().all(|elapsed| due(elapsed) >= elapsed && due(elapsed) - elapsed < 500.1));
        let mut shown: Vec<f64> = elapsed().map(due).collect();
        shown.dedup_by(|later, earlier| *later <= *earlier);
        let quarters: Vec<f64> = (2..=16).map(|quarter| f64::from(quarter) * 250.0).collect();
        assert_eq!(shown, quarters);
    }
}
