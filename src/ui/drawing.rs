//! The drawings of the check, as the inside of an SVG element. Positions come from `audit::figure`; the numbers always stand
//! beside them. Nothing in the text is anybody's but the program's own.

use std::fmt::Write as _;

use crate::audit::figure::{Mark, bars};
use crate::audit::fit::Bin;
use crate::words;

fn at(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

/// Draws a measurement on the scale from 0 through its claim to twice the claim. With `control`, for a formula that is wrong on purpose, the mark is
/// a square.
pub fn scale(mark: Option<Mark>, control: bool) -> String {
    let upright =
        |class: &str, x: &str| format!(r#"<line class="{class}" x1="{x}" x2="{x}" y1="0" y2="100%"/>"#);
    let mut drawing = r#"<rect class="excess" x="50%" width="50%" height="100%"/>"#.to_owned();
    for (class, x) in [("edge", "0"), ("edge", "100%"), ("claim", "50%")] {
        drawing += &upright(class, x);
    }
    let Some(Mark { at: place, span, beyond }) = mark else { return drawing };
    if let Some(ends) = span {
        let [from, to] = ends.map(at);
        let open = if place.is_none() { " open" } else { "" };
        let _ = write!(drawing, r#"<line class="span{open}" x1="{from}" x2="{to}" y1="50%" y2="50%"/>"#);
        for end in if place.is_none() { [&from, &from] } else { [&from, &to] } {
            let _ = write!(drawing, r#"<line class="cap" x1="{end}" x2="{end}" y1="25%" y2="75%"/>"#);
        }
    }
    match place.map(at) {
        _ if beyond => {}
        Some(x) if control => {
            let _ = write!(
                drawing,
                r#"<rect class="dot" x="{x}" y="50%" width="9" height="9" transform="translate(-4.5 -4.5)"/>"#
            );
        }
        Some(x) => {
            let _ = write!(drawing, r#"<circle class="dot" cx="{x}" cy="50%" r="4.5"/>"#);
        }
        None => {}
    }
    if beyond || place.is_none() {
        drawing +=
            r#"<svg x="100%" y="50%" overflow="visible"><path class="arrow" d="M-10 -6 0 0 -10 6z"/></svg>"#;
    }
    drawing
}

/// Draws the noise that was drawn as bars, and what its law expects as a line across each. The law is symmetric about 0.
pub fn histogram(bins: &[Bin]) -> String {
    let mut drawing = String::new();
    for bar in bars(bins) {
        let (x, width, y, height) = (at(bar.from), at(bar.width), at(1.0 - bar.height), at(bar.height));
        let _ = write!(drawing, r#"<rect class="drawn" x="{x}" width="{width}" y="{y}" height="{height}"/>"#);
        let (to, law) = (at(bar.from + bar.width), at(1.0 - bar.law));
        for class in ["halo", "law"] {
            let _ = write!(drawing, r#"<line class="{class}" x1="{x}" x2="{to}" y1="{law}" y2="{law}"/>"#);
        }
    }
    drawing += r#"<line class="edge" x1="0" x2="100%" y1="100%" y2="100%"/>"#;
    if let [first, .., last] = bins {
        let ends = [
            ("0", "start", words::check::or_less(first.value.unsigned_abs())),
            ("50%", "middle", "0".to_owned()),
            ("100%", "end", words::check::or_more(last.value)),
        ];
        for (x, anchor, text) in ends {
            let _ = write!(drawing, r#"<text x="{x}" y="100%" dy="17" text-anchor="{anchor}">{text}</text>"#);
        }
    }
    drawing
}

/// A falling curve in a box, its places as shares of the box from the left and from the top.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The curve.
    pub points: Vec<(f64, f64)>,
    /// The place of the present budget. `None` if nothing is shown.
    pub at: Option<(f64, f64)>,
    /// Where the curve begins: before it all is withheld.
    pub from: f64,
    /// Values of ε under the box, with their places.
    pub across: Vec<(f64, f64)>,
    /// Heights beside the box, with their places.
    pub up: Vec<(f64, f64)>,
}

/// Heights of the curve of precision on a logarithmic scale, from the lower to the upper edge of its box: 1 is the width of
/// intervals without privacy.
const HEIGHTS: [f64; 5] = [1.0, 2.0, 5.0, 10.0, 20.0];

/// Draws by how much intervals are wider than without privacy against ε, both on logarithmic scales. The curve ends where it leaves the box. Points
/// without a height, where all intervals are withheld, come first.
pub fn precision_curve(points: &[(f64, Option<f64>)], now: f64) -> Curve {
    let (first, last) =
        (points.first().map_or(1.0, |point| point.0), points.last().map_or(1.0, |point| point.0));
    let points: Vec<(f64, f64)> =
        points.iter().filter_map(|(epsilon, times)| Some((*epsilon, (*times)?))).collect();
    let x = |epsilon: f64| (libm::log(epsilon / first) / libm::log(last / first)).clamp(0.0, 1.0);
    let [low, .., high] = HEIGHTS;
    let height = |times: f64| 1.0 - libm::log(times / low) / libm::log(high / low);
    let y = |times: f64| height(times).clamp(0.0, 1.0);
    // Between two points on a straight line.
    let after = points
        .iter()
        .position(|point| point.0 >= now)
        .unwrap_or(points.len())
        .clamp(1, points.len().max(2) - 1);
    let here = match (points.get(after - 1), points.get(after)) {
        (Some(left), _) if now < left.0 && left.0 > first => None,
        (Some(left), Some(right)) => {
            let share = ((x(now) - x(left.0)) / (x(right.0) - x(left.0))).clamp(0.0, 1.0);
            Some(left.1 * libm::pow(right.1 / left.1, share))
        }
        (Some(only), None) => Some(only.1),
        (None, _) => None,
    };
    let mut drawn: Vec<(f64, f64)> = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for (across, up) in points.iter().map(|(epsilon, times)| (x(*epsilon), height(*times))) {
        // From above the box it enters at the edge.
        if let Some((left, above)) = before.filter(|(_, above)| *above < 0.0 && up >= 0.0) {
            drawn.push((left + (across - left) * above / (above - up), 0.0));
        }
        if up >= 0.0 {
            drawn.push((across, up.min(1.0)));
        }
        before = Some((across, up));
    }
    Curve {
        points: drawn,
        at: here.map(|here| (x(now), y(here))),
        from: points.first().map_or(1.0, |point| x(point.0)),
        across: [0.1, 0.5, 1.0, 2.0, 4.0, 10.0].map(|epsilon| (epsilon, x(epsilon))).to_vec(),
        up: HEIGHTS.map(|times| (times, y(times))).to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_of_precision_falls_from_left_to_right() {
        let curve = precision_curve(&[(0.1, Some(20.0)), (1.0, Some(2.0)), (10.0, Some(1.0))], 1.0);
        let two = 1.0 - libm::log(2.0) / libm::log(20.0);
        let close = |found: (f64, f64), (x, y): (f64, f64)| (found.0 - x).abs() + (found.1 - y).abs() < 1e-12;
        assert!(
            curve
                .points
                .iter()
                .zip([(0.0, 0.0), (0.5, two), (1.0, 1.0)])
                .all(|(found, at)| close(*found, at))
        );
        assert!(curve.from < 1e-12 && close(curve.at.unwrap(), (0.5, two)));
        // Above the box is no line: it begins where it enters, here in the middle between 400 and 1.
        let high = precision_curve(&[(0.1, Some(400.0)), (10.0, Some(1.0))], 10.0);
        assert!(
            high.points.len() == 2 && close(high.points[0], (0.5, 0.0)) && close(high.points[1], (1.0, 1.0))
        );
        let beyond = precision_curve(&[(0.1, Some(9.0)), (10.0, Some(1.0))], 40.0);
        assert_eq!(beyond.at, Some((1.0, 1.0)));
        // Where all is withheld there is no curve.
        let withheld = [(0.1, None), (1.0, Some(4.0)), (10.0, Some(1.0))];
        assert_eq!(precision_curve(&withheld, 0.5).at, None);
        assert!((precision_curve(&withheld, 0.5).from - 0.5).abs() < 1e-12);
        assert!(precision_curve(&withheld, 2.0).at.is_some());
        let nothing = precision_curve(&[(0.1, None), (10.0, None)], 2.0);
        assert_eq!((nothing.at, nothing.points.len()), (None, 0));
    }

    #[test]
    fn a_measurement_has_its_shape() {
        let mark = |at, span, beyond| Some(Mark { at, span, beyond });
        let measured = scale(mark(Some(0.5), Some([0.4, 0.6]), false), false);
        assert!(measured.contains(r#"<circle class="dot" cx="50.00%""#), "{measured}");
        assert!(measured.contains(r#"x1="40.00%" x2="60.00%""#) && !measured.contains("arrow"));
        assert!(scale(mark(Some(0.5), None, false), true).contains(r#"<rect class="dot" x="50.00%""#));
        let far = scale(mark(Some(1.0), Some([1.0, 1.0]), true), true);
        assert!(far.contains("arrow") && !far.contains("dot"), "{far}");
        let bound = scale(mark(None, Some([0.4, 1.0]), false), false);
        assert!(bound.contains("span open") && bound.contains("arrow") && !bound.contains("dot"));
        assert!(!scale(None, false).contains("span"));
    }

    #[test]
    fn each_bar_has_its_law() {
        let bin = |value, observed, expected| Bin { value, observed, expected };
        let drawing = histogram(&[bin(-3, 5, 10.0), bin(3, 10, 5.0)]);
        assert_eq!(drawing.matches("class=\"drawn\"").count(), 2);
        assert_eq!(drawing.matches("class=\"law\"").count(), 2);
        assert!(drawing.contains(r#"y="50.00%" height="50.00%""#), "{drawing}");
        assert!(drawing.contains(">−3 or less<") && drawing.contains(">3 or more<"));
    }
}
