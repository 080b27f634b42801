//! The coefficients in journal form, with the interval plot in the same rows.

use leptos::prelude::*;

use crate::model::{INTERCEPT, Interval};
use crate::release::figure::{self, Line, Mark, Scale};
use crate::release::format::{self, percent};
use crate::release::odds;
use crate::release::publication::tables;
use crate::release::significance::{Absent, Tests};
use crate::ui::parts::plot::{Axis, IntervalCell, ShareBar};
use crate::ui::text;
use crate::words;

/// Most rows that are drawn.
const MOST: usize = 300;

/// Draws the coefficients of one outcome.
#[component]
pub fn CoefficientTable(
    lines: Vec<Line>,
    /// The outcome with its unit, and the rows that counted.
    outcome: String,
    unit: String,
    /// For which change of a number the plot draws its coefficient.
    scale: Scale,
    confidence: f64,
    /// Whether the noise is as large as the signal.
    drowned: bool,
    /// Which coefficients have a p-value.
    tests: Tests,
    /// The fit as a whole.
    #[prop(optional)]
    fit: String,
    /// What a reader has to know of the p-values.
    below: Vec<String>,
    /// How the numbers of the fit are to be read.
    reading: Vec<String>,
    /// Whether the shares of privacy noise are the least that they can be.
    least: bool,
    #[prop(optional)] log_odds: bool,
) -> impl IntoView {
    let drawn = if log_odds { figure::of_odds(&lines) } else { figure::figure(&lines) };
    let level = format::short(100.0 * confidence, 3);
    let more = lines.len().saturating_sub(MOST);
    let withheld = lines.iter().filter(|line| line.entry.interval == Interval::Withheld).count();
    let told = if withheld < lines.len() {
        words::result::some_withheld()
    } else if drowned {
        words::result::withheld()
    } else {
        words::result::withheld_as_noted()
    };
    let why = (withheld > 0).then(|| view! { <span class="withheld">{told}</span> });
    let nothing = Mark { estimate: None, span: None };
    let title = tables::title(&outcome, log_odds, tests);
    let estimate = if log_odds { words::result::log_odds() } else { words::result::estimate() };
    let interval = tables::interval_head(log_odds, tests, &level);
    let penalised = tests.absent() == Some(Absent::Penalised);
    let ratio = log_odds.then(|| words::result::odds_ratio(&level));
    let named = (interval.clone(), ratio.clone());
    let tests = tables::has_test(tests, &lines).then_some(tests);
    let shared = lines.iter().any(|line| line.entry.noise_share.is_some());
    let rows = lines.into_iter().take(MOST).enumerate().map(|(index, line)| {
        let cell = drawn.as_ref().map(|figure| {
            let mark = figure.marks.get(index).copied().unwrap_or(nothing);
            (mark, figure.zero, figure.ticks.clone())
        });
        let (interval, ratio) = named.clone();
        view! { <CoefficientRow line cell tests ratio estimate interval shared least/> }
    });
    let rows = rows.collect_view();
    let axis = figure::axis(log_odds, &unit, scale);
    let plot_note = match scale {
        Scale::Ranges => words::result::plot_note(),
        Scale::Deviations => words::result::plot_note_deviations(),
    };
    let before = 3 + usize::from(log_odds) + usize::from(tests.is_some()) + usize::from(shared);
    view! {
        <div class="scroll" tabindex="0" role="group" aria-label=words::result::coefficients_for(&outcome)>
            <table class="journal" class:odds=log_odds class:penalised=penalised>
                <caption>{title} " " {why}</caption>
                <thead><tr>
                    <th scope="col">{words::result::term()}</th>
                    {ratio.map(|ratio| view! { <th scope="col" class="numeric">{ratio}</th> })}
                    <th scope="col" class="numeric">{estimate}</th>
                    <th scope="col" class="numeric">{interval}</th>
                    {tests.map(|_| view! { <th scope="col" class="numeric">{words::journal::p()}</th> })}
                    {shared.then(|| view! { <th scope="col" class="share-head">{words::result::of_uncertainty()}</th> })}
                    <th scope="col" class="plot-head">{axis}</th>
                </tr></thead>
                <tbody>{rows}</tbody>
                {drawn.map(|figure| view! {
                    <tfoot><tr><td colspan=before></td><td class="plot"><Axis figure/></td></tr></tfoot>
                })}
            </table>
        </div>
        {(more > 0).then(|| view! { <p class="hint">{words::result::more_terms(more, text::whole(more))}</p> })}
        {(!fit.is_empty()).then(|| view! { <p class="fit">{fit}</p> })}
        {(!below.is_empty()).then(|| view! { <p class="hint">{below.join(" ")}</p> })}
        <details class="more reading"><summary>{words::result::how_to_read()}</summary>
            <p class="hint">{shared.then(words::result::table_note)} " " {plot_note} " " {log_odds.then_some(words::page::odds())}</p>
            {(!reading.is_empty()).then(|| view! { <p class="hint">{reading.join(" ")}</p> })}
        </details>
    }
}

#[component]
fn CoefficientRow(
    line: Line,
    cell: Option<(Mark, f64, Vec<figure::Tick>)>,
    /// Which have a p-value. `None` if the table has none.
    tests: Option<Tests>,
    /// What the columns of odds ratio, estimate and interval are called; the first is there for log-odds alone.
    ratio: Option<String>,
    estimate: &'static str,
    interval: String,
    /// Whether a coefficient has a share of noise.
    shared: bool,
    /// Whether that share is the least that it can be.
    least: bool,
) -> impl IntoView {
    let p = tests.map(|tests| {
        let test = tests.test(&line.entry).map(|test| {
            let z = words::journal::z_is(tables::z_value(test.z));
            view! { {tables::p_value(test.p, line.entry.interval)} <span class="row-note">{z}</span> }
        });
        let label = test.is_some().then(words::journal::p);
        view! { <td class="numeric p-value" data-label=label>{test}</td> }
    });
    let written = format::row(&line.entry);
    let withheld = line.entry.interval == Interval::Withheld;
    let rough = line.entry.interval == Interval::Approximate;
    let error = line
        .entry
        .std_error
        .map(|_| view! { " " <span class="row-note">{words::journal::se_is(&written.std_error)}</span> });
    let share = line.entry.noise_share.map(|share| view! { <Uncertainty share least/> });
    let ratio = ratio.map(|label| {
        let ratio = odds::ratio(&line.term, &line.entry).map(|ratio| {
            let written = format::ratio(&ratio);
            view! {
                <strong>{written.estimate}</strong>
                {(!withheld).then(|| view! { <span class="row-note">{written.interval}</span> })}
                {rough.then(|| view! { <span class="row-note">{words::result::approximate()}</span> })}
            }
        });
        let label = ratio.is_some().then_some(label);
        view! { <td class="numeric ratio" data-label=label>{ratio}</td> }
    });
    let constant = line.term == INTERCEPT;
    let plot = match cell {
        Some((mark, zero, ticks)) if !constant => {
            view! { <IntervalCell marks=vec![mark] zero ticks/> }.into_any()
        }
        _ => ().into_any(),
    };
    view! {
        <tr tabindex="0">
            <th scope="row"><TermName term=line.term.clone()/> <span class="per">{line.per}</span></th>
            {ratio}
            <td class="numeric" data-label=estimate>{written.estimate} {error}</td>
            <td class="numeric interval" data-label=interval><Spread written=written.interval kind=line.entry.interval/></td>
            {p}
            {shared.then(|| view! { <td class="share-cell">{share}</td> })}
            <td class="plot">{plot}</td>
        </tr>
    }
}

/// Draws what the uncertainty of a coefficient is made of: one bar in two parts, with words.
#[component]
pub fn Uncertainty(
    share: f64,
    /// Whether that is the least that the share can be.
    #[prop(optional)]
    least: bool,
) -> impl IntoView {
    let written = if least { words::result::at_least(percent(share)) } else { percent(share) };
    view! {
        <span class="uncertainty">
            <ShareBar share/>
            <span class="row-note tabular">{words::result::uncertainty(written)}</span>
        </span>
    }
}

/// Shows the name of a term. A long one may break before its level.
#[component]
pub fn TermName(term: String) -> impl IntoView {
    let name = if term == INTERCEPT { words::result::intercept() } else { &term };
    let (column, level) = name.split_at(name.find('[').unwrap_or(name.len()));
    view! { <span class="term">{column.to_owned()}<wbr/>{level.to_owned()}</span> }
}

/// Draws an interval and says its kind.
#[component]
pub fn Spread(written: String, kind: Interval) -> impl IntoView {
    match kind {
        Interval::Normal => written.into_any(),
        Interval::Approximate => {
            view! { {written} <span class="row-note">{words::result::approximate()}</span> }.into_any()
        }
        Interval::Withheld => {
            view! { <span class="withheld">{words::result::interval_withheld()}</span> }.into_any()
        }
    }
}
