//! The plots of coefficients as SVGs of their own.

use std::fmt::Write;

use super::super::Release;
use super::super::effect::{PartialEffect, Point};
use super::super::figure::{self, Figure, Line, Mark, Tick};
use super::super::format::{power, row, short};
use super::super::odds;
use super::super::supplement::Supplement;
use super::comparison::{Comparison, Pair};
use super::html::escape;
use super::ridge_path::{MOST_DRAWN, RidgePath, TermPath};
use super::tables::{interval, label, lines};
use crate::model::INTERCEPT;
use crate::plan::Plan;
use crate::words;

/// Widths of the names, the plot and the numbers, and the heights of a row and of its second mark, in pixels.
const NAMES: f64 = 240.0;
const PLOT: f64 = 400.0;
const NUMBERS: f64 = 240.0;
const LINE: f64 = 28.0;
const SECOND: f64 = 20.0;
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
    let shown = lines.iter().zip(&drawn.marks).filter(|(line, _)| line.term != INTERCEPT);
    let rows: Vec<Row> =
        shown.map(|(line, mark)| Row { label: label(line), marks: vec![(*mark, numbers(line))] }).collect();
    let named = odds::named(&release.plan, outcome, supplement.log_odds);
    let title =
        if supplement.log_odds { words::result::logistic_of(named) } else { words::result::linear_of(named) };
    let axis = figure::axis(supplement.log_odds, &figure::unit(&release.plan, outcome));
    Some(forest(&[title], &axis, &rows, &drawn))
}

/// Draws two regressions with two marks for each term; nothing where they have no common axis.
#[must_use]
pub fn compared(comparison: &Comparison) -> Option<String> {
    let drawn = comparison.figure()?;
    let shown = comparison.pairs.iter().zip(drawn.marks.chunks(2));
    let row = |(pair, marks): (&Pair, &[Mark])| {
        let written = pair
            .sides
            .iter()
            .map(|side| side.as_ref().map_or_else(|| words::compared::without().to_owned(), numbers));
        Row { label: pair.label(), marks: marks.iter().copied().zip(written).collect() }
    };
    let rows: Vec<Row> = shown.filter(|(pair, _)| pair.term != INTERCEPT).map(row).collect();
    let [first, second] = &comparison.sides;
    let title = [format!("● {}", first.name), format!("■ {}", second.name)];
    Some(forest(&title, &comparison.axis(), &rows, &drawn))
}

/// One row of a plot: its name, and for each mark its numbers.
struct Row {
    label: String,
    marks: Vec<(Mark, String)>,
}

fn numbers(line: &Line) -> String {
    let written = row(line.estimate, line.std_error, line.lower, line.upper);
    format!("{} ({})", written.estimate, interval(written.interval, line.interval))
}

/// Returns the place of a share of the plot's width, in pixels.
fn at(share: f64) -> f64 {
    NAMES + share * PLOT
}

/// Draws rows of marks over an axis, the first mark of a row as a dot and the second as a square.
fn forest(title: &[String], axis: &str, rows: &[Row], figure: &Figure) -> String {
    let rows: Vec<&Row> = rows.iter().take(MOST).collect();
    let count = |count: usize| u32::try_from(count).map_or(0.0, f64::from);
    let height = |row: &Row| LINE + SECOND * count(row.marks.len().saturating_sub(1));
    let top = TOP + SECOND * count(title.len().saturating_sub(1));
    let bottom = top + rows.iter().copied().map(height).sum::<f64>();
    let (width, height_of_all) = (NAMES + PLOT + NUMBERS, bottom + 56.0);
    let mut svg = format!(
        "<svg{NAME_SPACE} width=\"{width}\" height=\"{height_of_all}\" viewBox=\"0 0 {width} {height_of_all}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"13\" fill=\"#16201f\">\n<title>{}</title>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
        escape(&title.join(", "))
    );
    for (place, line) in title.iter().enumerate() {
        let y = 24.0 + SECOND * count(place);
        let _ = writeln!(svg, "<text x=\"12\" y=\"{y}\" font-weight=\"bold\">{}</text>", escape(line));
    }
    let zero = at(figure.zero);
    let _ = writeln!(
        svg,
        "<line x1=\"{zero:.2}\" x2=\"{zero:.2}\" y1=\"{top}\" y2=\"{bottom}\" stroke=\"#9aa5a3\"/>"
    );
    let mut start = top;
    for row in rows {
        let _ = writeln!(
            svg,
            "<text x=\"12\" y=\"{}\">{}</text>",
            start + height(row) / 2.0 + 4.0,
            escape(&shortened(&row.label, LONGEST))
        );
        for (place, (mark, numbers)) in row.marks.iter().enumerate() {
            let y = start + LINE / 2.0 + SECOND * count(place);
            let _ = writeln!(
                svg,
                "<text x=\"{:.2}\" y=\"{}\">{}</text>",
                NAMES + PLOT + 14.0,
                y + 4.0,
                escape(numbers)
            );
            marked(&mut svg, *mark, y, place > 0);
        }
        start += height(row);
    }
    draw_axis(&mut svg, bottom, &figure.ticks, axis);
    svg.push_str("</svg>\n");
    svg
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

/// Draws an interval and its estimate, which is hollow where the interval is withheld.
fn marked(svg: &mut String, mark: Mark, y: f64, square: bool) {
    let ink = if square { "#0072b2" } else { "#16201f" };
    if let Some((low, high)) = mark.span {
        let _ = writeln!(
            svg,
            "<line x1=\"{:.2}\" x2=\"{:.2}\" y1=\"{y}\" y2=\"{y}\" stroke=\"{ink}\" stroke-width=\"1.8\"/>",
            at(low),
            at(high)
        );
    }
    if let Some(x) = mark.estimate.map(at) {
        let fill = if mark.span.is_some() { ink } else { "#fff" };
        let _ = if square {
            let (x, y) = (x - 3.5, y - 3.5);
            writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y}\" width=\"7\" height=\"7\" fill=\"{fill}\" stroke=\"{ink}\"/>"
            )
        } else {
            writeln!(svg, "<circle cx=\"{x:.2}\" cy=\"{y}\" r=\"4\" fill=\"{fill}\" stroke=\"{ink}\"/>")
        };
    }
}

/// Width and height of a plot with two axes, and its margins: left, right, top, bottom.
const PLANE: (f64, f64) = (520.0, 348.0);
const MARGINS: [f64; 4] = [72.0, 16.0, 48.0, 60.0];

/// A plot with two axes, by what their ends are.
struct Plane {
    across: (f64, f64),
    up: (f64, f64),
}

impl Plane {
    /// A plot whose vertical axis holds all `values`, with a margin.
    fn new(across: (f64, f64), values: impl Iterator<Item = f64>) -> Self {
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)));
        let margin = 0.04 * (most - least).max(f64::MIN_POSITIVE);
        Self { across, up: (least - margin, most + margin) }
    }

    fn x(&self, at: f64) -> f64 {
        let ((width, _), [left, right, ..], (from, to)) = (PLANE, MARGINS, self.across);
        left + (at - from) / (to - from) * (width - left - right)
    }

    fn y(&self, value: f64) -> f64 {
        let ((_, height), [.., top, bottom], (least, most)) = (PLANE, MARGINS, self.up);
        height - bottom - (value - least) / (most - least) * (height - top - bottom)
    }

    /// Begins the drawing, whose height is that of the plot and `more`, with both axes and the grid of the vertical one. Ticks of the
    /// horizontal axis are places with their labels.
    fn begin(&self, title: &str, up: &str, across: &str, ticks: &[(f64, String)], more: f64) -> String {
        let ((width, height), [left, right, ..]) = (PLANE, MARGINS);
        let all = height + more;
        let (low, high) = (self.y(self.up.0), self.y(self.up.1));
        let mut svg = format!(
            "<svg{NAME_SPACE} width=\"{width}\" height=\"{all}\" viewBox=\"0 0 {width} {all}\" \
             font-family=\"Helvetica, Arial, sans-serif\" font-size=\"14\" fill=\"#16201f\">\n<title>{}</title>\n\
             <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"12\" y=\"22\">{}</text>\n",
            escape(title),
            escape(&shortened(up, LONGEST_AXIS))
        );
        for tick in figure::ticks(self.up.0, self.up.1) {
            let at = self.y(tick);
            let _ = writeln!(
                svg,
                "<line x1=\"{left}\" x2=\"{}\" y1=\"{at:.2}\" y2=\"{at:.2}\" stroke=\"#d5dcda\"/>\
                 <text x=\"{}\" y=\"{:.2}\" text-anchor=\"end\" font-size=\"13\">{}</text>",
                width - right,
                left - 8.0,
                at + 4.0,
                short(tick, 4)
            );
        }
        for (tick, label) in ticks {
            let at = self.x(*tick);
            let _ = writeln!(
                svg,
                "<line x1=\"{at:.2}\" x2=\"{at:.2}\" y1=\"{low:.2}\" y2=\"{:.2}\" stroke=\"#16201f\"/>\
                 <text x=\"{at:.2}\" y=\"{:.2}\" text-anchor=\"middle\" font-size=\"13\">{}</text>",
                low + 5.0,
                low + 20.0,
                escape(label)
            );
        }
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{left}\" y1=\"{low:.2}\" y2=\"{high:.2}\" stroke=\"#16201f\"/>\n\
             <line x1=\"{left}\" x2=\"{}\" y1=\"{low:.2}\" y2=\"{low:.2}\" stroke=\"#16201f\"/>\n\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
            width - right,
            f64::midpoint(left, width - right),
            height - 14.0,
            escape(&shortened(across, LONGEST_AXIS))
        );
        svg
    }
}

/// Draws the line of an outcome over a column, with its band where it has one.
#[must_use]
pub fn effect(plan: &Plan, outcome: &str, effect: &PartialEffect) -> String {
    let values = effect.points.iter().flat_map(|point| [point.value].into_iter().chain(ends(point)));
    let (from, to) = (
        effect.points.first().map_or(0.0, |point| point.at),
        effect.points.last().map_or(1.0, |point| point.at),
    );
    let plane = Plane::new((from, to), values);
    let named = |name: &str| {
        let unit = figure::unit(plan, name);
        if unit.is_empty() { name.to_owned() } else { format!("{name} ({unit})") }
    };
    let title = words::effect::of(odds::named(plan, outcome, effect.is_probability), &effect.column);
    let up = match odds::answers(plan, outcome, effect.is_probability) {
        Some(answers) if effect.is_probability => words::effect::probability_of(outcome, &answers.modelled),
        Some(answers) => words::result::of_answers(outcome, answers.words()),
        None => named(outcome),
    };
    let ticks: Vec<_> = figure::ticks(from, to).into_iter().map(|tick| (tick, short(tick, 4))).collect();
    let mut svg = plane.begin(&title, &up, &named(&effect.column), &ticks, 0.0);
    let line = |points: &mut dyn Iterator<Item = (f64, f64)>| {
        let place = |(at, value)| format!("{:.2},{:.2}", plane.x(at), plane.y(value));
        points.map(place).collect::<Vec<_>>().join(" ")
    };
    let upper = effect.points.iter().filter_map(|point| Some((point.at, point.span?.1)));
    let lower = effect.points.iter().rev().filter_map(|point| Some((point.at, point.span?.0)));
    let band = line(&mut upper.chain(lower));
    if !band.is_empty() {
        let _ = writeln!(svg, "<polygon points=\"{band}\" fill=\"#0072b2\" fill-opacity=\"0.18\"/>");
    }
    let line = line(&mut effect.points.iter().map(|point| (point.at, point.value)));
    let _ = writeln!(
        svg,
        "<polyline points=\"{line}\" fill=\"none\" stroke=\"#16201f\" stroke-width=\"2\"/>\n</svg>"
    );
    svg
}

/// Colours, of the palette of Okabe and Ito, and marks of the paths, the marks as outlines around the origin.
const PATHS: [(&str, &str); MOST_DRAWN] = [
    ("#0072b2", "M-4-4h8v8h-8z"),
    ("#d55e00", "M0-5 5 4h-10z"),
    ("#009e73", "M0-5.5 5.5 0 0 5.5-5.5 0z"),
    ("#cc79a7", "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0-9 0z"),
    ("#e69f00", "M0 5 5-4h-10z"),
    ("#56b4e9", "M-5-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5z"),
];

/// Height of a line of their legend.
const LEGEND: f64 = 22.0;

/// Draws how coefficients change with the ridge: those that are longest without one. Nothing where nothing can be drawn.
#[must_use]
pub fn ridge_path(path: &RidgePath) -> Option<String> {
    let drawn: Vec<(&TermPath, Vec<Option<f64>>)> =
        path.longest(MOST_DRAWN).into_iter().map(|path| (path, path.drawn())).collect();
    let least = path.ridges.iter().copied().find(|ridge| *ridge > 0.0)?;
    // 0 stands where the next smaller power of ten would be.
    let place = |ridge: f64| if ridge > 0.0 { libm::log10(ridge) } else { libm::log10(least) - 1.0 };
    let (from, to) = (place(0.0), place(*path.ridges.last()?));
    let values = || drawn.iter().flat_map(|(_, values)| values.iter().flatten().copied());
    values().next()?;
    let plane = Plane::new((from - 0.2, to + 0.2), values().chain([0.0]));
    let ticks = path.grid.iter().map(|ridge| (place(*ridge), power(*ridge))).collect::<Vec<_>>();
    let up = figure::axis(false, &path.unit);
    let rows = u32::try_from(drawn.len().div_ceil(2)).map_or(0.0, f64::from);
    let mut svg =
        plane.begin(&path.caption(), &up, words::refit::ridge_penalty(), &ticks, LEGEND * rows + 8.0);
    let own = path.ridges.get(path.chosen).copied().unwrap_or_default();
    let chosen = plane.x(place(own));
    let (low, high) = (plane.y(plane.up.0), plane.y(plane.up.1));
    // Beside the line, on the side where there is room.
    let (anchor, beside) = if chosen > PLANE.0 / 2.0 { ("end", -6.0) } else { ("start", 6.0) };
    let _ = writeln!(
        svg,
        "<line x1=\"{chosen:.2}\" x2=\"{chosen:.2}\" y1=\"{low:.2}\" y2=\"{high:.2}\" stroke=\"#16201f\" \
         stroke-dasharray=\"5 4\"/><text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"{anchor}\" font-size=\"13\">{}</text>",
        chosen + beside,
        high - 5.0,
        escape(&words::path::chosen(short(own, 3)))
    );
    for (index, ((path_of, values), (ink, mark))) in drawn.iter().zip(PATHS).enumerate() {
        let mut line = String::new();
        let mut marks = String::new();
        let mut before = false;
        for (ridge, value) in path.ridges.iter().zip(values) {
            if let Some(value) = value {
                let (x, y) = (plane.x(place(*ridge)), plane.y(*value));
                let _ = write!(line, "{}{x:.2} {y:.2}", if before { "L" } else { "M" });
                let _ = write!(marks, "<path transform=\"translate({x:.2} {y:.2})\" d=\"{mark}\"/>");
            }
            before = value.is_some();
        }
        let column = if index % 2 == 0 { 20.0 } else { PLANE.0 / 2.0 + 12.0 };
        let y = PLANE.1 + LEGEND * u32::try_from(index / 2).map_or(0.0, f64::from) + 8.0;
        let _ = writeln!(
            svg,
            "<path d=\"{line}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"1.6\"/><g fill=\"{ink}\">{marks}\
             <path transform=\"translate({column} {y})\" d=\"{mark}\"/></g>\
             <text x=\"{}\" y=\"{}\" font-size=\"13\">{}</text>",
            column + 12.0,
            y + 4.0,
            escape(&shortened(&path_of.label(), LONGEST))
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn ends(point: &Point) -> impl Iterator<Item = f64> {
    point.span.into_iter().flat_map(|(low, high)| [low, high])
}

/// Most characters of a name in its column, and of the title of an axis.
const LONGEST: usize = 34;
const LONGEST_AXIS: usize = 60;

/// Shortens a name to `most` characters.
fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}
