//! Cells of the two plots. Positions come from `release::figure`; a table always stands beside them.

use leptos::prelude::*;

use crate::release::figure::{Figure, Mark, Tick};
use crate::release::format::short;
use crate::ui::drawing::Curve;
use crate::words;

fn at(share: f64) -> String {
    format!("{:.3}%", 100.0 * share)
}

/// Draws one row of the interval plot: its marks below each other, the second as a square.
#[component]
pub fn IntervalCell(marks: Vec<Mark>, zero: f64, ticks: Vec<Tick>) -> impl IntoView {
    let grid = ticks
        .into_iter()
        .map(|tick| view! { <line class="grid" x1=at(tick.at) x2=at(tick.at) y1="0" y2="100%"/> });
    let half = if marks.len() > 1 { 0.1 } else { 0.16 };
    let heights = if marks.len() > 1 { [0.3, 0.7] } else { [0.5, 0.5] };
    let marks = marks.into_iter().zip(heights).enumerate().map(|(place, (mark, y))| {
        let span = mark.span.map(|(low, high)| {
            view! {
                <line class="span" x1=at(low) x2=at(high) y1=at(y) y2=at(y)/>
                <line class="cap" x1=at(low) x2=at(low) y1=at(y - half) y2=at(y + half)/>
                <line class="cap" x1=at(high) x2=at(high) y1=at(y - half) y2=at(y + half)/>
            }
        });
        let hollow = mark.span.is_none();
        let dot = mark.estimate.map(|x| match place {
            0 => view! { <circle class="dot" class:hollow=hollow cx=at(x) cy=at(y) r="4.5"/> }.into_any(),
            _ => view! { <rect class="dot" class:hollow=hollow x=at(x) y=at(y) width="8" height="8" transform="translate(-4 -4)"/> }.into_any(),
        });
        view! { <g class:second=place == 1>{span}{dot}</g> }
    });
    view! {
        <svg class="plot-cell" aria-hidden="true">
            {grid.collect_view()}
            <line class="zero" x1=at(zero) x2=at(zero) y1="0" y2="100%"/>
            {marks.collect_view()}
        </svg>
    }
}

/// Draws the axis under the interval plot.
#[component]
pub fn Axis(figure: Figure) -> impl IntoView {
    let ticks = figure.ticks.into_iter().map(|tick| {
        view! {
            <line class="tick" x1=at(tick.at) x2=at(tick.at) y1="0" y2="5"/>
            <text class:spare=tick.spare x=at(tick.at) y="19" text-anchor="middle">{tick.label()}</text>
        }
    });
    view! {
        <div class="plot-room">
            <svg class="plot-axis" aria-hidden="true">
                <line class="axis" x1="0" x2="100%" y1="0.5" y2="0.5"/>
                {ticks.collect_view()}
            </svg>
        </div>
    }
}

/// Draws a small bar for a share from 0 to 1.
#[component]
pub fn ShareBar(share: f64) -> impl IntoView {
    view! {
        <svg class="share" aria-hidden="true">
            <rect class="share-ground" width="100%" height="100%"/>
            <rect class="share-part" width=at(share.clamp(0.0, 1.0)) height="100%"/>
        </svg>
    }
}

/// Draws a plausible effect as a bar. Around its end it draws half intervals to both sides, of the noise and of the total, all as shares of `most`.
#[component]
pub fn NoiseCell(effect: f64, noise: f64, total: f64, most: f64) -> impl IntoView {
    let place = move |value: f64| at((value / most).clamp(0.0, 1.0));
    let band = move |half: f64| {
        let (low, high) = ((effect - half).max(0.0), (effect + half).min(most));
        (place(low), at(((high - low) / most).clamp(0.0, 1.0)))
    };
    let (noise_at, noise_width) = band(noise);
    let (total_at, total_width) = band(total);
    view! {
        <svg class="noise-cell" aria-hidden="true">
            <line class="zero" x1="0.5" x2="0.5" y1="0" y2="100%"/>
            <rect class="effect" x="0" y="36%" width=place(effect) height="28%"/>
            <rect class="noise-band" x=noise_at y="20%" width=noise_width height="60%"/>
            <rect class="total-band" x=total_at y="47%" width=total_width height="6%"/>
            <line class="effect-end" x1=place(effect) x2=place(effect) y1="14%" y2="86%"/>
        </svg>
    }
}

/// Draws a curve of precision with the present budget on it. `label` says in words what it shows.
#[component]
pub fn CurvePlot(curve: Curve, label: String) -> impl IntoView {
    const WIDTH: f64 = 520.0;
    const HEIGHT: f64 = 150.0;
    let place = |(x, y): (f64, f64)| (56.0 + x * (WIDTH - 76.0), 14.0 + y * (HEIGHT - 44.0));
    let line: Vec<String> =
        curve.points.iter().map(|point| place(*point)).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let across = curve.across.iter().map(|(epsilon, x)| {
        let (x, y) = place((*x, 1.0));
        view! { <text x=x y=y + 18.0 text-anchor="middle">{short(*epsilon, 2)}</text> }
    });
    let up = curve.up.iter().map(|(times, y)| {
        let (x, y) = place((0.0, *y));
        view! {
            <line class="grid" x1=x x2=WIDTH - 20.0 y1=y y2=y/>
            <text x=x - 8.0 y=y + 4.0 text-anchor="end">{words::privacy::curve_times(short(*times, 2))}</text>
        }
    });
    let here = curve.at.map(place).map(|(x, y)| view! { <circle class="dot" cx=x cy=y r="5"/> });
    let ((left, top), (start, bottom)) = (place((0.0, 0.0)), place((curve.from, 1.0)));
    let withheld = (start > left).then(|| {
        let label = (start - left > 80.0).then(|| {
            let (x, y) = (f64::midpoint(left, start), f64::midpoint(top, bottom));
            view! { <text x=x y=y text-anchor="middle">{words::privacy::curve_withheld_part()}</text> }
        });
        view! { <rect class="withheld" x=left y=top width=start - left height=bottom - top/> {label} }
    });
    view! {
        <svg class="curve-plot" viewBox=format!("0 0 {WIDTH} {HEIGHT}") role="img" aria-label=label>
            {up.collect_view()}
            {across.collect_view()}
            <polyline class="line" points=line.join(" ")/>
            {withheld}
            {here}
        </svg>
    }
}
