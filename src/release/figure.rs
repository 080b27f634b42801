//! The geometry of the coefficient plot: pure numbers, drawn by the page and by the report.
//!
//! Coefficients have different units, so a slope is drawn as the difference in the outcome between the two ends of its
//! column's public range, and a level as its difference from the reference. Both are in the outcome's unit and share
//! one axis. The intercept is a level of the outcome, not a difference, and is not drawn.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::Release;
use super::document::Coefficients;
use super::format::short;
use crate::model::{Estimate, INTERCEPT, Role, level_of};
use crate::plan::bind::fits;
use crate::plan::derived::{all_columns, name_of, terms_of};
use crate::plan::document::{Column, ColumnType, Derived, Plan, Transform};
use crate::words;

/// Width of a plot beside a table, and of the narrowest one, of a digit of a tick's label, and the space between two labels, in pixels.
const USUAL_WIDTH: f64 = 190.0;
const NARROWEST: f64 = 104.0;
const DIGIT: f64 = 8.0;
const BETWEEN: f64 = 8.0;

/// Most ticks on an axis: beside a table it may be 190 pixels wide, and a label needs 40.
const MOST_TICKS: usize = 5;

/// Most values of a column that a table lists.
const MOST_LISTED: usize = 9;

/// A coefficient is stated for several units only if the column's range is at least this many times as wide. A wider step, such
/// as ten children, is hardly a difference between two persons.
const WIDTHS: f64 = 3.0;

/// One coefficient of one outcome, with what is needed to write and draw it.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// `(Intercept)`, a column, or `column[level]`.
    pub term: String,
    /// What it is the difference for: `per kg/m²`, `M against F`; empty for the intercept.
    pub per: String,
    /// Its numbers, in the columns' own units.
    pub entry: Estimate,
    /// What the coefficient is multiplied by in the plot: the width of the column's range, or 1 for a level.
    pub reach: Option<f64>,
}

/// Returns the names of a release's outcomes.
pub fn outcomes(release: &Release) -> Vec<String> {
    match &release.coefficients {
        Coefficients::List(_) => {
            let all = release.coefficients.by_outcome();
            all.filter_map(|own| Some(own.first()?.outcome.clone())).collect()
        }
        Coefficients::Table(table) => table.outcomes().to_vec(),
    }
}

/// Returns the terms of a release.
pub fn terms(release: &Release) -> Vec<String> {
    match &release.coefficients {
        Coefficients::List(_) => {
            let of_first = release.coefficients.by_outcome().next().unwrap_or_default();
            of_first.iter().map(|coefficient| coefficient.term.clone()).collect()
        }
        Coefficients::Table(table) => table.terms().to_vec(),
    }
}

/// Returns the coefficients of one outcome of a release under `plan`.
pub fn lines(plan: &Plan, coefficients: &Coefficients, outcome: &str) -> Vec<Line> {
    let entries = coefficients.of_outcome(outcome);
    let terms: BTreeSet<&str> = entries.iter().map(|(term, _)| *term).collect();
    let line = |(term, entry): &(&str, Estimate)| {
        let (mut per, reach) = meaning(plan, term);
        if let Some((level, mut others)) = contrast(plan, term) {
            others.retain(|(term, _)| !terms.contains(term.as_str()));
            let others: Vec<String> = others.into_iter().map(|(_, level)| level).collect();
            per = format!("{level} against {}", others.join(" or "));
        }
        Line { term: (*term).to_owned(), per, entry: *entry, reach }
    };
    entries.iter().map(line).collect()
}

/// Returns the plan's entry for a column, by name or by pattern, or a column that the plan derives.
pub fn column<'a>(plan: &'a Plan, name: &str) -> Option<Cow<'a, Column>> {
    if let Some(column) = plan.column(name) {
        return Some(Cow::Borrowed(column));
    }
    let derived = terms_of(plan).into_iter().flat_map(|term| term.columns);
    if let Some(column) = derived.into_iter().find(|column| column.name == name) {
        let (unit, labels) = (unit_of_less(plan, name), labels_of_merged(plan, name));
        return Some(Cow::Owned(Column { unit, labels, ..column.describe() }));
    }
    let fitting = plan
        .columns
        .iter()
        .find(|column| column.pattern.as_deref().is_some_and(|pattern| fits(pattern, name)));
    fitting.map(Cow::Borrowed)
}

/// Returns the labels of the levels that a merged category keeps as they are: those of the column that it is made from.
fn labels_of_merged(plan: &Plan, name: &str) -> Option<BTreeMap<String, String>> {
    let merged = |term: &&Derived| term.transform == Transform::Merged && name_of(term) == name;
    let term = plan.derived.iter().find(merged)?;
    let from = plan.columns.iter().find(|column| column.name.as_ref() == term.from.first())?;
    let mut labels = from.labels.clone()?;
    labels.retain(|level, _| !term.groups.iter().flatten().any(|group| group.name == *level));
    Some(labels)
}

/// Returns whether a term of this name is a column less a number or another column, and so has the unit of a column.
fn is_less(term: &Derived, name: &str) -> bool {
    matches!(term.transform, Transform::Centred | Transform::Difference) && name_of(term) == name
}

/// Returns the unit of a term that is a column less something: its own unit, or the common unit of its columns if it is not a
/// multiple of them.
fn unit_of_less(plan: &Plan, name: &str) -> Option<String> {
    let term = plan.derived.iter().find(|term| is_less(term, name))?;
    if term.unit.is_some() || term.factor.is_some() {
        return term.unit.clone();
    }
    let mut units = term.from.iter().map(|from| column(plan, from)?.unit.clone());
    let first = units.next()?;
    first.filter(|first| units.all(|unit| unit.as_ref() == Some(first)))
}

/// Returns the columns of a release and the terms that its plan derives. In the place of a pattern are the columns that have coefficients by
/// it.
pub fn columns(release: &Release) -> Vec<Column> {
    let plan = &release.plan;
    let named: BTreeSet<&str> = plan.columns.iter().filter_map(|column| column.name.as_deref()).collect();
    let (outcomes, terms) = (outcomes(release), terms(release));
    let by_pattern = |entry: Column, pattern: &str| {
        let is_category = entry.kind == Some(ColumnType::Category);
        let name = |term: &String| match term.rsplit_once('[') {
            Some((name, _)) if is_category => name.to_owned(),
            _ => term.clone(),
        };
        let of_role = if entry.role == Role::Outcome { &outcomes } else { &terms };
        let mut names: Vec<String> = of_role.iter().map(name).collect();
        names.dedup();
        names.retain(|name| fits(pattern, name) && !named.contains(name.as_str()));
        names.into_iter().map(|name| Column { name: Some(name), pattern: None, ..entry.clone() }).collect()
    };
    all_columns(plan)
        .into_iter()
        .flat_map(|entry| match entry.pattern.clone() {
            Some(pattern) => by_pattern(entry, &pattern),
            None => vec![entry],
        })
        .collect()
}

/// Returns the columns whose bounds or levels a plan states: those with a role, and those that terms are made from.
pub fn stated_columns(release: &Release) -> Vec<Column> {
    let plan = &release.plan;
    let made: BTreeSet<String> =
        terms_of(plan).into_iter().flat_map(|term| term.columns).map(|column| column.name).collect();
    let made_from: BTreeSet<&String> = plan.derived.iter().flat_map(|term| &term.from).collect();
    let is_stated = |column: &Column| {
        column.name.as_ref().is_some_and(|name| {
            !made.contains(name) && (column.role != Role::Ignored || made_from.contains(name))
        })
    };
    columns(release).into_iter().filter(is_stated).collect()
}

/// For which change of a number a plot draws its coefficient. A level is drawn against its reference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Over the stated range of its column.
    Ranges,
    /// For one standard deviation, as it was released.
    Deviations,
}

/// Returns what the axis of a plot of coefficients shows.
pub fn axis(log_odds: bool, unit: &str, scale: Scale) -> String {
    match (scale, log_odds, unit) {
        (Scale::Ranges, true, _) => words::result::odds_ratio_across_ranges().to_owned(),
        (Scale::Ranges, false, "") => words::result::across_ranges().to_owned(),
        (Scale::Ranges, false, unit) => words::result::across_ranges_in(unit),
        (Scale::Deviations, true, _) => words::result::odds_ratio_per_deviation().to_owned(),
        (Scale::Deviations, false, "") => words::result::per_deviation().to_owned(),
        (Scale::Deviations, false, unit) => words::result::per_deviation_in(unit),
    }
}

/// Returns whether a term is a number, or made from one, and no level.
pub fn is_number(plan: &Plan, term: &str) -> bool {
    term != INTERCEPT
        && !is_of_levels(plan, term)
        && column(plan, term).is_some_and(|found| found.kind != Some(ColumnType::Category))
}

/// Returns the unit of a column, or nothing.
pub fn unit(plan: &Plan, name: &str) -> String {
    column(plan, name).and_then(|column| column.unit.clone()).unwrap_or_default()
}

/// Returns a name with a unit, unless it ends with that already: `Depth (mm)`.
pub fn with_unit(name: &str, unit: &str) -> String {
    let has_it = [('(', ')'), ('[', ']')].into_iter().any(|(open, close)| {
        let inner = name.trim_end().strip_suffix(close).and_then(|rest| rest.strip_suffix(unit));
        inner.is_some_and(|rest| rest.ends_with(open))
    });
    if unit.is_empty() || has_it { name.to_owned() } else { format!("{name} ({unit})") }
}

/// Returns the contrast of a term's coefficient: `per kg/m²`, `M against F`, `beyond each alone`; empty for the intercept.
pub fn per(plan: &Plan, term: &str) -> String {
    meaning(plan, term).0
}

/// Returns the contrast of a term's coefficient, and what the coefficient is multiplied by in a plot: see [`Line::reach`].
pub fn meaning(plan: &Plan, term: &str) -> (String, Option<f64>) {
    if term == INTERCEPT {
        return (String::new(), None);
    }
    if is_of_levels(plan, term) {
        return (words::journal::beyond_each().to_owned(), Some(1.0));
    }
    if let Some(found) = column(plan, term)
        && found.kind != Some(ColumnType::Category)
    {
        let unit = found.unit.clone().or_else(|| number(plan, term)?.unit.clone());
        let unit = unit.as_deref().filter(|unit| !unit.is_empty());
        let per = unit.map_or_else(|| "per unit".to_owned(), |unit| format!("per {}", one(unit)));
        return (per, found.stated_bounds().map(|(lower, upper)| upper - lower));
    }
    let compared = contrast(plan, term).and_then(|(level, others)| {
        let (_, reference) = others.into_iter().next()?;
        Some(format!("{level} against {reference}"))
    });
    (compared.unwrap_or_default(), Some(1.0))
}

/// Returns what a column is called for a reader: by its label, unless another column has the same, or else by its name.
pub fn column_name<'a>(plan: &'a Plan, name: &'a str) -> &'a str {
    let label = |column: &'a Column| column.label.as_deref().filter(|label| !label.trim().is_empty());
    let own = plan.column(name).and_then(label);
    let is_alone = |own: &&str| plan.columns.iter().filter(|column| label(column) == Some(*own)).count() == 1;
    own.filter(is_alone).unwrap_or(name)
}

/// Returns what a level of a column is called for a reader.
pub fn level_name(plan: &Plan, name: &str, level: &str) -> String {
    column(plan, name).map_or_else(|| level.to_owned(), |column| column.level_name(level).to_owned())
}

/// Returns the name of the level that a term is of, and the terms and names of its category's other levels, the reference first.
fn contrast(plan: &Plan, term: &str) -> Option<(String, Vec<(String, String)>)> {
    // `column[level]`: the column's name may itself hold brackets.
    let of_category = |(at, _): (usize, &str)| {
        let name = &term[..at];
        let level = level_of(term, name)?;
        let found = column(plan, name).filter(|found| found.kind == Some(ColumnType::Category))?;
        let levels = found.levels.as_deref().unwrap_or_default();
        let reference = found.reference_level().cloned().unwrap_or_default();
        let rest = levels.iter().filter(|other| **other != reference && *other != level);
        let named = |other: &String| (format!("{name}[{other}]"), found.level_name(other).to_owned());
        let all = std::iter::once(&reference).chain(rest).map(named).collect();
        Some((found.level_name(level).to_owned(), all))
    };
    term.match_indices('[').find_map(of_category)
}

/// Returns the product that a term with a level is of.
fn product<'a>(plan: &'a Plan, term: &str) -> Option<&'a Derived> {
    let makes =
        |entry: &&Derived| entry.transform == Transform::Product && level_of(term, &name_of(entry)).is_some();
    plan.derived.iter().find(makes)
}

fn is_category(plan: &Plan, name: &str) -> bool {
    column(plan, name).is_some_and(|of| of.kind == Some(ColumnType::Category))
}

/// Returns whether a term is a product of levels, which is 0 or 1 and has no unit.
fn is_of_levels(plan: &Plan, term: &str) -> bool {
    product(plan, term).is_some_and(|product| product.from.iter().all(|name| is_category(plan, name)))
}

/// Returns whether a term's coefficient can be stated for several units. This holds for a number in the unit of its column, not
/// for a logarithm, a square or a spline. It also holds for the product of levels with one such number.
///
/// A number whose stated range is less than three times as wide stays for one unit.
pub fn is_scaled(plan: &Plan, term: &str, per: f64) -> bool {
    let is_wide = |(lower, upper): (f64, f64)| upper - lower >= WIDTHS * per;
    number(plan, term).is_some_and(|found| per <= 1.0 || found.stated_bounds().is_none_or(is_wide))
}

fn number<'a>(plan: &'a Plan, term: &str) -> Option<Cow<'a, Column>> {
    if let Some(product) = product(plan, term) {
        let mut numbers = product.from.iter().filter(|name| !is_category(plan, name));
        return numbers.next().filter(|_| numbers.next().is_none()).and_then(|name| number(plan, name));
    }
    column(plan, term).filter(|found| {
        let is_derived = matches!(found, Cow::Owned(_));
        found.kind != Some(ColumnType::Category)
            && (!is_derived || plan.derived.iter().any(|of| is_less(of, term)))
    })
}

/// Returns the contrast of a term's coefficient, that of a number for `per` units: `per 10 kg/m²`.
pub fn per_units(plan: &Plan, term: &str, per: f64) -> String {
    let is_scaled = (per - 1.0).abs() > 0.0 && is_scaled(plan, term, per);
    let Some(found) = number(plan, term).filter(|_| is_scaled) else {
        return meaning(plan, term).0;
    };
    let unit =
        found.unit.as_deref().filter(|unit| !unit.is_empty()).unwrap_or_else(|| words::journal::units());
    words::journal::per(short(per, 6), unit)
}

/// Returns whether a plot draws a coefficient for a range of its column, and not as it is.
pub fn is_range(reach: f64) -> bool {
    (reach - 1.0).abs() > 0.0
}

/// Returns a line whose coefficient is for `per` units of its column, where that is a number; the plot stays as it is.
pub fn scaled(plan: &Plan, mut line: Line, per: f64) -> Line {
    if !is_scaled(plan, &line.term, per) {
        return line;
    }
    line.per = per_units(plan, &line.term, per);
    line.entry = line.entry.times(per);
    line.reach = line.reach.map(|reach| reach / per);
    line
}

/// Returns the singular of a unit that is written in the plural: years, hours.
fn one(unit: &str) -> &str {
    match unit {
        "years" | "months" | "weeks" | "days" | "hours" | "minutes" => unit.trim_end_matches('s'),
        unit => unit,
    }
}

/// One row of the plot, as shares of the drawing's width from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mark {
    /// Where the estimate is.
    pub estimate: Option<f64>,
    /// Where the interval ends, cut at the drawing's edges.
    pub span: Option<(f64, f64)>,
}

/// A tick of the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tick {
    /// Share of the width.
    pub at: f64,
    /// The value, in the outcome's unit.
    pub value: f64,
    /// Whether its label has no room in the narrowest plot.
    pub spare: bool,
}

impl Tick {
    /// Returns what stands below it.
    pub fn label(&self) -> String {
        short(self.value, 3)
    }
}

/// A plot whose rows are those of the table beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// One for each line, in their order.
    pub marks: Vec<Mark>,
    /// The axis.
    pub ticks: Vec<Tick>,
    /// Where 0 is.
    pub zero: f64,
}

/// Lays out the plot of `lines`. `None` where nothing can be drawn.
pub fn figure(lines: &[Line]) -> Option<Figure> {
    layout(lines, |from, to| ticks(from, to).into_iter().map(|value| (value, value)).collect())
}

/// Draws log-odds: ticks are round odds ratios, so the axis is logarithmic.
pub fn of_odds(lines: &[Line]) -> Option<Figure> {
    layout(lines, |from, to| ratios(from, to).into_iter().map(|ratio| (libm::log(ratio), ratio)).collect())
}

/// Draws lines with `ticks`, a function that returns the places and labels of ticks between two ends.
fn layout(lines: &[Line], ticks: impl Fn(f64, f64) -> Vec<(f64, f64)>) -> Option<Figure> {
    let scaled = |line: &Line, value: Option<f64>| {
        value.zip(line.reach).map(|(value, reach)| value * reach).filter(|value| value.is_finite())
    };
    let (mut least, mut most) = (0.0_f64, 0.0_f64);
    for line in lines {
        for value in [line.entry.estimate, line.entry.lower, line.entry.upper] {
            if let Some(value) = scaled(line, value) {
                least = least.min(value);
                most = most.max(value);
            }
        }
    }
    let width = most - least;
    if !(width.is_finite() && width > 0.0) {
        return None;
    }
    let margin = width * 0.04;
    let (from, to) = (least - margin, most + margin);
    let place = |value: f64| ((value - from) / (to - from)).clamp(0.0, 1.0);
    let marks = lines
        .iter()
        .map(|line| {
            let [estimate, lower, upper] = [line.entry.estimate, line.entry.lower, line.entry.upper]
                .map(|value| scaled(line, value).map(place));
            Mark { estimate, span: lower.zip(upper) }
        })
        .collect();
    let ticks =
        ticks(from, to).into_iter().map(|(at, value)| Tick { at: place(at), value, spare: false }).collect();
    let zero = place(0.0);
    let mut ticks = apart(ticks, zero, USUAL_WIDTH);
    let narrow = apart(ticks.clone(), zero, NARROWEST);
    for tick in &mut ticks {
        tick.spare = !narrow.contains(tick);
    }
    Some(Figure { marks, ticks, zero })
}

/// Leaves out ticks whose labels would touch those of others in a plot of this width; those next to `zero` stay.
fn apart(mut ticks: Vec<Tick>, zero: f64, plot: f64) -> Vec<Tick> {
    let width = |tick: &Tick| DIGIT * f64::from(u32::try_from(tick.label().chars().count()).unwrap_or(0));
    let touch = |one: &Tick, other: &Tick| {
        plot * (one.at - other.at).abs() < f64::midpoint(width(one), width(other)) + BETWEEN
    };
    ticks.sort_by(|one, other| (one.at - zero).abs().total_cmp(&(other.at - zero).abs()));
    let mut kept: Vec<Tick> = Vec::new();
    for tick in ticks {
        if !kept.iter().any(|other| touch(&tick, other)) {
            kept.push(tick);
        }
    }
    kept.sort_by(|one, other| one.at.total_cmp(&other.at));
    kept
}

/// Most ticks of an axis of ratios, whose labels have more digits.
const MOST_RATIOS: usize = 5;

/// What powers of ten are multiplied by for round ratios: the finest first.
const ROUND: [&[f64]; 4] = [
    &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0],
    &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
    &[1.0, 2.0, 5.0],
    &[1.0, 3.0],
];

/// Returns about five round odds ratios whose logarithms lie from `from` to `to`.
pub fn ratios(from: f64, to: f64) -> Vec<f64> {
    let (least, most) = (libm::exp(from), libm::exp(to));
    if !(least > 0.0 && most.is_finite() && least < most) {
        return Vec::new();
    }
    let (low, high) = (libm::floor(libm::log10(least)), libm::ceil(libm::log10(most)));
    let inside = |multiples: &[f64], every: f64| {
        let mut found = Vec::new();
        // From a multiple of the step, so that 1 is among them.
        let mut exponent = every * libm::floor(low / every);
        while exponent <= high {
            let power = libm::pow(10.0, exponent);
            found.extend(multiples.iter().map(|m| m * power).filter(|ratio| (least..=most).contains(ratio)));
            exponent += every;
        }
        found
    };
    let fine = ROUND.iter().map(|multiples| inside(multiples, 1.0)).find(|found| found.len() <= MOST_RATIOS);
    match fine {
        // All near 1, where the axis is nearly linear.
        Some(found) if found.len() < 3 => near_one(least, most),
        Some(found) => found,
        None => [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]
            .iter()
            .map(|every| inside(&[1.0], *every))
            .find(|found| found.len() <= MOST_RATIOS)
            .unwrap_or_default(),
    }
}

/// Returns evenly spaced ratios, with 1 among them where it lies inside.
fn near_one(least: f64, most: f64) -> Vec<f64> {
    let found = ticks(least - 1.0, most - 1.0);
    let every = found.len().div_ceil(MOST_RATIOS).max(1);
    let first = found.iter().position(|above| *above == 0.0).unwrap_or(0) % every;
    found.into_iter().skip(first).step_by(every).map(|above| 1.0 + above).collect()
}

/// Returns round numbers from `from` to `to`, two to five of them: steps of 1, 2 or 5 times a power of ten, the finest with which they are so few.
pub fn ticks(from: f64, to: f64) -> Vec<f64> {
    round_numbers(from, to, MOST_TICKS, &[1.0, 2.0, 5.0, 10.0, 20.0, 50.0])
}

/// Returns round numbers from `from` to `to` for a table, five to nine of them: no step is more than twice the one before.
pub fn listed(from: f64, to: f64) -> Vec<f64> {
    round_numbers(from, to, MOST_LISTED, &[1.0, 2.0, 2.5, 5.0, 10.0, 20.0, 25.0, 50.0])
}

/// Returns the multiples of the finest of these steps of which at most so many lie from `from` to `to`. The steps are in hundredths of the width,
/// rounded down to a power of ten.
fn round_numbers(from: f64, to: f64, most: usize, steps: &[f64]) -> Vec<f64> {
    let width = to - from;
    if !(width.is_finite() && width > 0.0) {
        return Vec::new();
    }
    let power = libm::pow(10.0, libm::floor(libm::log10(width)) - 1.0);
    let every = |step: f64| {
        let first = libm::ceil(from / step);
        // Zero exactly, not a remainder of it.
        let place = |index: f64| if first + index == 0.0 { 0.0 } else { (first + index) * step };
        let places = std::iter::successors(Some(0.0), |index| Some(index + 1.0));
        let found: Vec<f64> = places.take(most + 1).map(place).take_while(|tick| *tick <= to).collect();
        (found.len() <= most).then_some(found)
    };
    steps.iter().find_map(|times| every(times * power)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(estimate: f64, half: f64, reach: Option<f64>) -> Line {
        Line {
            term: "x".to_owned(),
            per: String::new(),
            entry: Estimate::around(estimate, half / 1.96, half),
            reach,
        }
    }

    #[test]
    fn marks_lie_inside_and_in_order() {
        let lines = [line(100.0, 3.0, None), line(2.0, 1.0, Some(10.0)), line(-4.0, 9.0, Some(1.0))];
        let figure = figure(&lines).unwrap();
        assert_eq!(figure.marks[0].estimate, None, "the intercept is not drawn");
        for mark in &figure.marks[1..] {
            let (low, high) = mark.span.unwrap();
            let middle = mark.estimate.unwrap();
            assert!(0.0 <= low && low < middle && middle < high && high <= 1.0, "{mark:?}");
        }
        assert!(figure.zero > figure.marks[2].span.unwrap().0);
        assert!(figure.ticks.iter().any(|tick| tick.value == 0.0));
    }

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(ticks(-1.0, 11.0), [0.0, 5.0, 10.0]);
        assert_eq!(ticks(-12.0, 27.0), [-10.0, 0.0, 10.0, 20.0]);
        assert_eq!(ticks(-4.1, 4.1), [-4.0, -2.0, 0.0, 2.0, 4.0]);
        for (from, to) in [(0.0, 1e-12), (-3e12, 1e12), (-0.37, 8.1), (5.0, 5.1)] {
            let found = ticks(from, to);
            assert!((2..=MOST_TICKS).contains(&found.len()), "{found:?}");
            assert!(found.iter().all(|value| (from..=to).contains(value)));
        }
        assert!(ticks(1.0, 1.0).is_empty() && ticks(0.0, f64::INFINITY).is_empty());
    }

    #[test]
    fn a_table_lists_five_to_nine_round_values() {
        assert_eq!(listed(3.0, 14.0), [4.0, 6.0, 8.0, 10.0, 12.0, 14.0]);
        assert_eq!(listed(18.0, 100.0), [20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 100.0]);
        for step in 0..400 {
            let (from, width) = (f64::from(step) * 0.37 - 40.0, 1.0 + f64::from(step) * 0.043);
            let found = listed(from, from + width);
            assert!((5..=MOST_LISTED).contains(&found.len()), "{from} {width}: {found:?}");
        }
    }

    #[test]
    fn ticks_of_odds_are_round_ratios_on_a_logarithmic_axis() {
        assert_eq!(ratios(libm::log(0.4), libm::log(5.5)), [0.5, 1.0, 2.0, 5.0]);
        for (from, to) in [(-0.01, 0.02), (-1.0, 0.3), (-3.0, 8.0), (-40.0, 300.0), (-700.0, 700.0)] {
            let found = ratios(from, to);
            assert!((2..=12).contains(&found.len()), "{from} {to}: {found:?}");
            assert!(
                found.iter().all(|ratio| (from - 1e-9..=to + 1e-9).contains(&libm::log(*ratio))),
                "{found:?}"
            );
        }
        assert!(ratios(0.0, 1e6).is_empty() && ratios(0.0, 0.0).is_empty());
        let figure = of_odds(&[line(1.0, 0.5, Some(1.0)), line(-1.0, 0.5, Some(1.0))]).unwrap();
        let one = figure.ticks.iter().find(|tick| (tick.value - 1.0).abs() < 1e-9).unwrap();
        assert!((one.at - figure.zero).abs() < 1e-12);
    }

    #[test]
    fn labels_of_ticks_do_not_touch() {
        for (least, most) in [(-0.2, 0.42), (-3.0, 2.0), (-0.05, 0.01), (-40.0, 30.0)] {
            for drawn in [figure, of_odds] {
                let lines = [line(least, 1e-3, Some(1.0)), line(most, 1e-3, Some(1.0))];
                let Some(figure) = drawn(&lines) else { continue };
                let labels = figure.ticks.iter().map(|tick| (tick.at * 190.0, tick.label()));
                let labels: Vec<(f64, String)> = labels.collect();
                for pair in labels.windows(2) {
                    let half = |label: &str| 4.0 * label.chars().count() as f64;
                    assert!(pair[1].0 - pair[0].0 >= half(&pair[0].1) + half(&pair[1].1), "{labels:?}");
                }
                assert!(labels.iter().any(|(at, _)| (at - figure.zero * 190.0).abs() < 1e-9), "{labels:?}");
            }
        }
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(figure(&[]), None);
        assert_eq!(figure(&[line(1.0, 1.0, None)]), None);
        assert_eq!(figure(&[line(f64::NAN, 1.0, Some(1.0))]), None);
    }

    #[test]
    fn a_term_says_what_it_is_a_difference_for() {
        let plan = Plan::parse(
            r#"{"schema":"discreet.plan/1","adjacency":"add-remove","columns":[
                {"name":"bmi","role":"feature","type":"number","lower":10,"upper":60,"unit":"kg/m²"},
                {"name":"sex","role":"feature","type":"category","levels":["F","M"]},
                {"name":"site","role":"feature","type":"category","levels":["A","B"]},
                {"match":"snp_*","role":"feature","type":"number","lower":0,"upper":2},
                {"name":"sbp","role":"outcome","type":"number","lower":60,"upper":260}],
                "derived":[{"transform":"product","from":["sex","site"]},{"transform":"product","from":["sex","bmi"]}],
                "mechanism":{"name":"analyze-gauss"},"budget":{"mu":1}}"#,
        )
        .unwrap();
        assert_eq!(meaning(&plan, "bmi"), ("per kg/m²".to_owned(), Some(50.0)));
        assert_eq!((one("years"), one("mmHg")), ("year", "mmHg"));
        assert_eq!(meaning(&plan, "sex[M]"), ("M against F".to_owned(), Some(1.0)));
        assert_eq!(meaning(&plan, "sex:site[M:B]").0, "beyond each alone");
        assert_eq!(meaning(&plan, "sex:bmi[M]").0, "per kg/m²");
        assert_eq!(with_unit("bmi", "kg/m²"), "bmi (kg/m²)");
        assert_eq!(with_unit("BMI [kg/m²]", "kg/m²"), "BMI [kg/m²]");
        assert_eq!(with_unit("f()", ""), "f()");
        assert_eq!(meaning(&plan, "snp_7"), ("per unit".to_owned(), Some(2.0)));
        assert_eq!(meaning(&plan, INTERCEPT), (String::new(), None));
        // A coefficient is for many units only where the stated range has three times as many.
        assert_eq!(per_units(&plan, "bmi", 10.0), "per 10 kg/m²");
        assert_eq!(per_units(&plan, "sex:bmi[M]", 10.0), "per 10 kg/m²");
        assert_eq!(per_units(&plan, "bmi", 20.0), "per kg/m²");
        assert_eq!(per_units(&plan, "snp_7", 5.0), "per unit");
        let shown = |term: &str| {
            let own = Line { term: term.to_owned(), ..line(1.0, 0.5, Some(2.0)) };
            scaled(&plan, own, 5.0).entry.estimate
        };
        assert_eq!([shown("bmi"), shown("snp_7"), shown("sex[M]")], [Some(5.0), Some(1.0), Some(1.0)]);
    }
}
