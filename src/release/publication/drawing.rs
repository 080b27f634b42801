//! The plots of coefficients as SVGs of their own.

use std::fmt::Write;

use super::super::Release;
use super::super::effect::{PartialEffect, Point};
use super::super::figure::{self, Figure, Line, Mark, Scale, Tick};
use super::super::format::{self, power, row, short};
use super::super::odds;
use super::super::remarks::remarks;
use super::super::significance::Tests;
use super::super::supplement::Supplement;
use super::Labels;
use super::comparison::{Comparison, Pair};
use super::decimal::DecimalMark;
use super::html::escape;
use super::measure::{width, wrapped};
use super::ridge_path::{MOST_DRAWN, RidgePath, TermPath};
use super::tables::{drawn, label, per_deviation, title};
use crate::model::{INTERCEPT, Interval};
use crate::plan::Plan;
use crate::words;

/// Most of the widths of the names and of the numbers, which are as wide as they have to be; the width of the plot; the heights of a row, of
/// its second mark and of a further line of text, and the sizes of letters, in pixels.
const NAMES: f64 = 240.0;
const PLOT: f64 = 400.0;
const NUMBERS: f64 = 250.0;
const LINE: f64 = 28.0;
const SECOND: f64 = 20.0;
const TEXT: f64 = 16.0;
const TOP: f64 = 24.0;
const SIZE: f64 = 13.0;
const SIZE_OF_AXIS: f64 = 12.0;

/// Between names, plot and numbers, and at both edges.
const GAP: f64 = 14.0;

/// What an SVG of its own begins with.
pub const NAME_SPACE: &str = " xmlns=\"http://www.w3.org/2000/svg\"";

/// Most lines that are drawn.
const MOST: usize = 300;

/// Draws the coefficients of an outcome with their intervals. `None` if there is nothing to draw.
pub fn svg(release: &Release, supplement: &Supplement, outcome: &str, labels: &Labels) -> Option<String> {
    let (lines, scale) = drawn(release, supplement, outcome, labels.scale());
    let drawn = if supplement.log_odds { figure::of_odds(&lines) } else { figure::figure(&lines) }?;
    let shown = lines.iter().zip(&drawn.marks).filter(|(line, _)| line.term != INTERCEPT);
    let change = |line: &Line| {
        let own = per_deviation(&release.plan, line, labels).filter(|_| scale == Scale::Deviations);
        own.unwrap_or_else(|| {
            if is_over_range(line) { words::result::over_range(&line.term) } else { label(line) }
        })
    };
    let rows: Vec<Row> = shown
        .map(|(line, mark)| Row {
            label: change(line),
            marks: vec![(*mark, numbers(line, supplement.log_odds, labels.decimal))],
        })
        .collect();
    let named = odds::named(&release.plan, outcome, supplement.log_odds);
    let title = title(&named, supplement.log_odds, Tests::of(release));
    let axis = figure::axis(supplement.log_odds, &figure::unit(&release.plan, outcome), scale);
    let level = format::level(&release.plan);
    let axis = words::drawing::axis(axis, level);
    Some(forest(&[title], &remarks(release), &axis, &rows, &drawn, labels.decimal))
}

/// Draws two regressions with two marks for each term. `None` if they have no common axis.
pub fn compared(comparison: &Comparison, decimal: DecimalMark) -> Option<String> {
    let drawn = comparison.figure()?;
    let shown = comparison.pairs.iter().zip(drawn.marks.chunks(2));
    let row = |(pair, marks): (&Pair, &[Mark])| {
        let written = pair.sides.iter().map(|side| match side {
            Some(line) => numbers(line, comparison.sides[0].log_odds, decimal),
            None => words::compared::without().to_owned(),
        });
        let is_over_range = pair.sides.iter().flatten().any(is_over_range);
        let label = if is_over_range { words::result::over_range(&pair.term) } else { pair.label() };
        Row { label, marks: marks.iter().copied().zip(written).collect() }
    };
    let rows: Vec<Row> = shown.filter(|(pair, _)| pair.term != INTERCEPT).map(row).collect();
    let [first, second] = &comparison.sides;
    let title = [format!("● {}", first.name), format!("■ {}", second.name)];
    Some(forest(&title, &[], &comparison.axis(), &rows, &drawn, decimal))
}

/// One row of a plot: its name, and for each mark its numbers.
struct Row {
    label: String,
    marks: Vec<(Mark, String)>,
}

/// Returns whether a line is drawn for the stated range of its column, and not for a level or a unit.
fn is_over_range(line: &Line) -> bool {
    line.reach.is_some_and(figure::is_range)
}

/// Returns the numbers of a line as it is drawn: over the range of its column, and under log-odds its odds ratio.
fn numbers(line: &Line, log_odds: bool, decimal: DecimalMark) -> String {
    let entry = line.entry.times(line.reach.unwrap_or(1.0));
    let ratio = log_odds.then(|| odds::ratio(&line.term, &entry)).flatten();
    let written = ratio.as_ref().map_or_else(|| row(&entry), format::ratio);
    decimal.of_numbers(match line.entry.interval {
        Interval::Withheld => words::journal::noted(written.estimate, words::result::interval_withheld()),
        Interval::Normal => format!("{} ({})", written.estimate, written.interval),
        Interval::Approximate => {
            let written = format!("{} ({})", written.estimate, written.interval);
            words::journal::noted(written, words::result::approximate())
        }
    })
}

fn count(count: usize) -> f64 {
    u32::try_from(count).map_or(0.0, f64::from)
}

/// The lines of a row's name and of the numbers of each mark, none wider than its column.
struct Lines {
    name: Vec<String>,
    numbers: Vec<Vec<String>>,
}

impl Lines {
    fn of(row: &Row) -> Self {
        let numbers = row.marks.iter().map(|(_, numbers)| wrapped(numbers, SIZE, NUMBERS));
        Self { name: wrapped(&row.label, SIZE, NAMES), numbers: numbers.collect() }
    }

    /// Returns the height of a mark: its numbers may have several lines.
    fn of_mark(&self, place: usize) -> f64 {
        let first = if place == 0 { LINE } else { SECOND };
        first + TEXT * count(self.numbers.get(place).map_or(0, |lines| lines.len().saturating_sub(1)))
    }

    fn height(&self) -> f64 {
        let marks = (0..self.numbers.len()).map(|place| self.of_mark(place)).sum::<f64>();
        marks.max(LINE + TEXT * count(self.name.len().saturating_sub(1)))
    }
}

/// Writes lines of text below each other, their middle at `middle`.
fn write_lines(svg: &mut String, lines: &[String], x: f64, middle: f64, attributes: &str) {
    let first = middle + 4.0 - TEXT * count(lines.len().saturating_sub(1)) / 2.0;
    for (place, line) in lines.iter().enumerate() {
        let y = first + TEXT * count(place);
        let _ = writeln!(svg, "<text x=\"{x:.2}\" y=\"{y:.2}\"{attributes}>{}</text>", escape(line));
    }
}

/// Returns the width of the widest of some lines.
fn widest<'a>(lines: impl Iterator<Item = &'a String>) -> f64 {
    lines.map(|line| width(line, SIZE)).fold(0.0, f64::max).ceil()
}

/// Draws rows of marks over an axis, the first mark of a row as a dot and the second as a square. All text is measured, so that the drawing
/// is as wide as its names and numbers. What is to be known beside it is its description, which is not drawn.
fn forest(
    title: &[String],
    beside: &[String],
    axis: &str,
    rows: &[Row],
    figure: &Figure,
    decimal: DecimalMark,
) -> String {
    let rows: Vec<(&Row, Lines)> = rows.iter().take(MOST).map(|row| (row, Lines::of(row))).collect();
    let left = GAP + widest(rows.iter().flat_map(|(_, lines)| &lines.name)) + GAP;
    let right = left + PLOT + GAP;
    let all = right + widest(rows.iter().flat_map(|(_, lines)| lines.numbers.iter().flatten())) + GAP;
    // Letters of a title are bold, and so wider.
    let title_lines: Vec<String> =
        title.iter().flat_map(|line| wrapped(line, 1.1 * SIZE, all - 2.0 * GAP)).collect();
    let top = TOP + SECOND * count(title_lines.len());
    let bottom = top + rows.iter().map(|(_, lines)| lines.height()).sum::<f64>();
    let middle = left + PLOT / 2.0;
    let axis = wrapped(axis, SIZE, 2.0 * middle.min(all - middle) - GAP);
    let height = bottom + 56.0 + TEXT * count(axis.len().saturating_sub(1));
    let mut svg = format!(
        "<svg{NAME_SPACE} width=\"{all}\" height=\"{height}\" viewBox=\"0 0 {all} {height}\" \
         font-family=\"Helvetica, Arial, sans-serif\" font-size=\"{SIZE}\" fill=\"#16201f\">\n<title>{}</title>\n",
        escape(&title.join(", "))
    );
    if !beside.is_empty() {
        let _ = writeln!(svg, "<desc>{}</desc>", escape(&beside.join(" ")));
    }
    svg.push_str("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
    for (place, line) in title_lines.iter().enumerate() {
        let y = 24.0 + SECOND * count(place);
        let _ = writeln!(svg, "<text x=\"{GAP}\" y=\"{y}\" font-weight=\"bold\">{}</text>", escape(line));
    }
    let zero = left + figure.zero * PLOT;
    let _ = writeln!(
        svg,
        "<line x1=\"{zero:.2}\" x2=\"{zero:.2}\" y1=\"{top}\" y2=\"{bottom}\" stroke=\"#9aa5a3\"/>"
    );
    let mut start = top;
    for (row, lines) in &rows {
        write_lines(&mut svg, &lines.name, GAP, start + lines.height() / 2.0, "");
        let marks = (0..lines.numbers.len()).map(|place| lines.of_mark(place)).sum::<f64>();
        let mut from = start + (lines.height() - marks) / 2.0;
        for (place, ((mark, _), numbers)) in row.marks.iter().zip(&lines.numbers).enumerate() {
            let y = from + lines.of_mark(place) / 2.0;
            write_lines(&mut svg, numbers, right, y, "");
            marked(&mut svg, left, *mark, y, place > 0);
            from += lines.of_mark(place);
        }
        start += lines.height();
    }
    draw_axis(&mut svg, left, bottom, &figure.ticks, decimal);
    let attributes = format!(" text-anchor=\"middle\" font-size=\"{SIZE_OF_AXIS}\"");
    let down = bottom + 36.0 + TEXT * count(axis.len().saturating_sub(1)) / 2.0;
    write_lines(&mut svg, &axis, middle, down, &attributes);
    svg.push_str("</svg>\n");
    svg
}

/// Draws the axis with its ticks below the lines, from `left` on.
fn draw_axis(svg: &mut String, left: f64, bottom: f64, ticks: &[Tick], decimal: DecimalMark) {
    let _ = writeln!(
        svg,
        "<line x1=\"{left}\" x2=\"{}\" y1=\"{bottom}\" y2=\"{bottom}\" stroke=\"#16201f\"/>",
        left + PLOT
    );
    for tick in ticks {
        let x = left + tick.at * PLOT;
        let _ = writeln!(
            svg,
            "<line x1=\"{x:.2}\" x2=\"{x:.2}\" y1=\"{bottom}\" y2=\"{}\" stroke=\"#16201f\"/>\
             <text x=\"{x:.2}\" y=\"{}\" text-anchor=\"middle\" font-size=\"11\">{}</text>",
            bottom + 5.0,
            bottom + 19.0,
            decimal.of_numbers(tick.label())
        );
    }
}

/// Draws an interval and its estimate, which is hollow where the interval is withheld, in a plot from `left` on.
fn marked(svg: &mut String, left: f64, mark: Mark, y: f64, square: bool) {
    let at = |share: f64| left + share * PLOT;
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
    decimal: DecimalMark,
}

impl Plane {
    /// Returns a plot whose vertical axis holds all `values`, with a margin.
    fn new(across: (f64, f64), values: impl Iterator<Item = f64>, decimal: DecimalMark) -> Self {
        let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), y| (a.min(y), b.max(y)));
        let margin = 0.04 * (most - least).max(f64::MIN_POSITIVE);
        Self { across, up: (least - margin, most + margin), decimal }
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
                self.decimal.of_numbers(short(tick, 4))
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
                escape(&self.decimal.of_numbers(label))
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

/// Draws the line of an outcome over a column, with its band where it has one, and below it what a reader has to know of it.
pub fn effect(
    plan: &Plan,
    outcome: &str,
    effect: &PartialEffect,
    note: &str,
    decimal: DecimalMark,
) -> String {
    let values = effect.points.iter().flat_map(|point| [point.value].into_iter().chain(ends(point)));
    let (from, to) = (
        effect.points.first().map_or(0.0, |point| point.at),
        effect.points.last().map_or(1.0, |point| point.at),
    );
    let plane = Plane::new((from, to), values, decimal);
    let up = effect.shown(plan, outcome);
    let title = words::effect::of(&up, &effect.column);
    let across = figure::with_unit(&effect.column, &figure::unit(plan, &effect.column));
    let ticks: Vec<_> = effect.ticks().into_iter().map(|tick| (tick, short(tick, 4))).collect();
    let below = wrapped(note, SIZE_OF_AXIS, PLANE.0 - 2.0 * GAP);
    let more = TEXT * count(below.len());
    let mut svg = plane.begin(&title, &up, &across, &ticks, more);
    let attributes = format!(" font-size=\"{SIZE_OF_AXIS}\"");
    write_lines(&mut svg, &below, GAP, PLANE.1 + more / 2.0 - GAP / 2.0, &attributes);
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

/// Draws how coefficients change with the ridge: those that are longest without one. `None` if nothing can be drawn.
pub fn ridge_path(path: &RidgePath, decimal: DecimalMark) -> Option<String> {
    let drawn: Vec<(&TermPath, Vec<Option<f64>>)> =
        path.longest(MOST_DRAWN).into_iter().map(|path| (path, path.drawn())).collect();
    let least = path.ridges.iter().copied().find(|ridge| *ridge > 0.0)?;
    // 0 stands where the next smaller power of ten would be.
    let place = |ridge: f64| if ridge > 0.0 { libm::log10(ridge) } else { libm::log10(least) - 1.0 };
    let (from, to) = (place(0.0), place(*path.ridges.last()?));
    let values = || drawn.iter().flat_map(|(_, values)| values.iter().flatten().copied());
    values().next()?;
    let plane = Plane::new((from - 0.2, to + 0.2), values().chain([0.0]), decimal);
    let ticks = path.grid.iter().map(|ridge| (place(*ridge), power(*ridge))).collect::<Vec<_>>();
    let up = figure::axis(false, &path.unit, Scale::Ranges);
    // Side by side, unless a name is wider than half of the drawing.
    let half = PLANE.0 / 2.0;
    let short_names = drawn.iter().all(|(path, _)| width(&path.drawn_label(), SIZE) < half - 44.0);
    let columns = if short_names { 2 } else { 1 };
    let rows = count(drawn.len().div_ceil(columns));
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
        escape(&words::path::chosen(decimal.of_numbers(short(own, 3))))
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
        let column = if index % columns == 0 { 20.0 } else { half + 12.0 };
        let y = PLANE.1 + LEGEND * count(index / columns) + 8.0;
        let _ = writeln!(
            svg,
            "<path d=\"{line}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"1.6\"/><g fill=\"{ink}\">{marks}\
             <path transform=\"translate({column} {y})\" d=\"{mark}\"/></g>\
             <text x=\"{}\" y=\"{}\" font-size=\"13\">{}</text>",
            column + 12.0,
            y + 4.0,
            escape(&shortened(&path_of.drawn_label(), LONGEST_AXIS))
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn ends(point: &Point) -> impl Iterator<Item = f64> {
    point.span.into_iter().flat_map(|(low, high)| [low, high])
}

/// Most characters of the title of an axis, and of a name below a plot.
const LONGEST_AXIS: usize = 60;

/// Shortens a name to `most` characters.
fn shortened(name: &str, most: usize) -> String {
    if name.chars().count() <= most {
        return name.to_owned();
    }
    name.chars().take(most - 1).chain(['…']).collect()
}
