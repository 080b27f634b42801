//! The plot of one outcome's coefficients as an SVG of its own.

use std::fmt::Write;

use super::super::Release;
use super::super::figure::{self, Line, Mark, Tick};
use super::super::format::{row, short};
use super::super::supplement::Supplement;
use super::html::escape;
use super::tables::{interval, label, lines};
use crate::model::INTERCEPT;
use crate::words;

/// Widths of the names, the plot and the numbers, and the height of a line, in pixels.
const NAMES: f64 = 240.0;
const PLOT: f64 = 400.0;
const NUMBERS: f64 = 240.0;
const LINE: f64 = 28.0;
const TOP: f64 = 44.0;

/// What an SVG of its own begins with.
pub const NAME_SPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// Most lines that are drawn.
const MOST: usize = 300;

/// Draws the coefficients of an outcome with their intervals; nothing where there is nothing to draw.
#[must_use]
pub fn svg(release: &Release, supplement: &Supplement, outcome: &str, per: f64) -> Option<String> {
    let lines = lines(release, outcome, per);
    let drawn = if supplement.log_odds { figure::of_odds(&lines) } else { figure::figure(&lines) }?;
    let shown: Vec<_> =
        lines.iter().zip(&drawn.marks).filter(|(line, _)| line.term != INTERCEPT).take(MOST).collect();
    let rows = f64::from(u32::try_from(shown.len()).ok()?);
    let (width, height) = (NAMES + PLOT + NUMBERS, TOP + LINE * rows + 56.0);
    let bottom = TOP + LINE * rows;
    let unit = figure::unit(&release.plan, outcome);
    let title = if supplement.log_odds {
        words::result::logistic_of(outcome)
    } else {
        words::result::linear_of(outcome)
    };
    let axis = match (supplement.log_odds, unit.as_str()) {
        (true, _) => words::result::odds_ratio_across_the_whole_range().to_owned(),
        (false, "") => words::result::across_the_whole_range_in_the().to_owned(),
        (false, unit) => words::result::across_range_in(unit),
    };
    let mut svg = format!(
        "<svg{NAME_SPACE} width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#16201f\">\n<title>{0}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"12\" y=\"24\" font-weight=\"bold\">{0}</text>\n",
        escape(&title)
    );
    let zero = at(drawn.zero);
    let _ = writeln!(
        svg,
        "<line x1=\"{zero:.2}\" x2=\"{zero:.2}\" y1=\"{TOP}\" y2=\"{bottom}\" stroke=\"#9aa5a3\"/>"
    );
    for (place, (line, mark)) in (0_u32..).zip(shown) {
        draw_line(&mut svg, TOP + LINE * (f64::from(place) + 0.5), line, mark);
    }
    draw_axis(&mut svg, bottom, &drawn.ticks, &axis);
    svg.push_str("</svg>\n");
    Some(svg)
}

/// Returns the place of a share of the plot's width, in pixels.
fn at(share: f64) -> f64 {
    NAMES + share * PLOT
}

/// Draws the name, the interval and the numbers of a coefficient at height `y`.
fn draw_line(svg: &mut String, y: f64, line: &Line, mark: &Mark) {
    let written = row(line.estimate, line.std_error, line.lower, line.upper);
    let numbers = format!("{} ({})", written.estimate, interval(written.interval, line.interval));
    let base = y + 4.0;
    let _ = writeln!(
        svg,
        "<text x=\"12\" y=\"{base}\">{}</text><text x=\"{:.2}\" y=\"{base}\">{}</text>",
        escape(&shortened(&label(line))),
        NAMES + PLOT + 14.0,
        escape(&numbers)
    );
    if let Some((low, high)) = mark.span {
        let _ = writeln!(
            svg,
            "<line x1=\"{:.2}\" x2=\"{:.2}\" y1=\"{y}\" y2=\"{y}\" stroke=\"#16201f\" stroke-width=\"1.8\"/>",
            at(low),
            at(high)
        );
    }
    if let Some(x) = mark.estimate {
        let fill = if mark.span.is_some() { "#16201f" } else { "#fff" };
        let _ = writeln!(
            svg,
            "<circle cx=\"{:.2}\" cy=\"{y}\" r=\"4\" fill=\"{fill}\" stroke=\"#16201f\"/>",
            at(x)
        );
    }
}

/// Draws the axis with its ticks and its title below the lines.
fn draw_axis(svg: &mut String, bottom: f64, ticks: &[Tick], title: &str) {
    let _ = writeln!(
        svg,
        "<line x1=\"{NAMES}\" x2=\"{}\" y1=\"{bottom}\" y2=\"{bottom}\" stroke=\"#16201f\"/>",
        NAMES + PLOT
    );
    for tick in ticks {
        let x = at(tick.at);
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.2}\" x2=\"{x:.2}\" y1=\"{bottom}\" y2=\"{}\" stroke=\"#16201f\"/>\
             <text x=\"{x:.2}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\">{}</text>",
            bottom + 5.0,
            bottom + 19.0,
            short(tick.value, 3)
        );
    }
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-size=\"12\">{}</text>",
        NAMES + PLOT / 2.0,
        bottom + 40.0,
        escape(title)
    );
}

/// Shortens a name to the width of its column.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 34;
    if name.chars().count() <= LONGEST {
        return name.to_owned();
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}
