//! A release as one HTML file that needs nothing else and prints well on A4.
//!
//! It contains the numbers and sentences of the release, no script, and no address that a browser would fetch.

use std::fmt::Write;

use super::Release;
use super::document::LONG_FORM_OUTCOMES;
use super::figure::{self, Figure, Line};
use super::format::{self, at_most, percent, short};
use super::statement::Statement;
use super::{known, odds};
use crate::model::{INTERCEPT, Interval, Role};
use crate::plan::document::{Column, ColumnType};
use crate::privacy::adjacency::Adjacency;
use crate::words;

/// Most outcomes that are written out; the rest are in the release itself.
const MOST_OUTCOMES: usize = 200;

/// Most public terms that are written out.
const MOST_PUBLIC: usize = 40;

/// The report's own style: ink on paper, black and white safe.
const STYLE: &str = "\
@page{size:A4;margin:18mm 16mm}*{box-sizing:border-box}\
body{font:10.5pt/1.45 system-ui,sans-serif;color:#16201f;background:#fff;max-width:178mm;margin:0 auto;padding:8mm 4mm}\
h1{font-size:17pt;line-height:1.2;margin:0 0 2mm}h2{font-size:11.5pt;margin:8mm 0 2mm}p{margin:0 0 2mm;max-width:150mm}\
.lead{border-left:1mm solid #0b5f5c;padding:1mm 0 1mm 4mm;font-size:11.5pt;margin:4mm 0 6mm}.quiet{color:#4b5957}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;break-inside:auto}tr{break-inside:avoid}\
caption{text-align:left;font-weight:600;padding:0 0 1.5mm}th,td{text-align:left;padding:1.1mm 3mm 1.1mm 0;vertical-align:top}\
thead th{border-top:.5mm solid #16201f;border-bottom:.25mm solid #16201f;font-weight:600;font-size:9pt}\
tbody tr:last-child>*{border-bottom:.5mm solid #16201f}tbody th{font-weight:500}.n{text-align:right;white-space:nowrap}\
.per{color:#4b5957;font-size:9pt}td.p{width:58mm;padding:0;vertical-align:middle}.odds td.p{width:40mm}.odds th,.odds td{padding-right:2mm;vertical-align:middle}.odds .per{display:block;white-space:nowrap}.known{width:auto}.known th,.known td{padding-right:10mm}svg{display:block;width:100%;overflow:visible}ul{margin:0 0 2mm;padding-left:5mm}\
footer{margin-top:8mm;border-top:.25mm solid #9aa5a3;padding-top:2mm;font-size:8.5pt;color:#4b5957}";

/// Writes the report, with odds ratios where the coefficients are log-odds.
#[must_use]
pub fn html(release: &Release, log_odds: bool) -> String {
    let statement = Statement::new(release);
    let outcomes = figure::outcomes(release);
    let mut page = String::new();
    let title = match outcomes.as_slice() {
        [one] => words::report::title_one(one),
        many => words::report::title_many(many.len()),
    };
    let title = escape(&title);
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main>\n<h1>{title}</h1>\n\
         <p class=\"lead\">{}</p>\n",
        words::page::language(),
        escape(&statement.headline)
    );
    let undetermined = release.coefficients.is_undetermined();
    if undetermined {
        let _ = writeln!(page, "<h2>{}</h2>", words::result::undetermined());
    }
    for outcome in outcomes.iter().take(if undetermined { 0 } else { MOST_OUTCOMES }) {
        regression(&mut page, release, outcome, log_odds, outcomes.len() <= LONG_FORM_OUTCOMES);
    }
    if outcomes.len() > MOST_OUTCOMES && !undetermined {
        let more = outcomes.len() - MOST_OUTCOMES;
        let _ = writeln!(page, "<p>{}</p>", words::report::more_outcomes(more));
    }
    let odds = if log_odds { words::page::odds() } else { "" };
    if !undetermined {
        let _ = writeln!(page, "<p class=\"quiet\">{} {odds}</p>", escape(words::report::table_note()));
    }
    list(&mut page, words::report::notes(), release.diagnostics.notes.iter().map(String::as_str));
    let _ = writeln!(page, "<h2>{}</h2>", words::result::what_is_promised());
    for sentence in statement.sentences().into_iter().skip(1) {
        let _ = writeln!(page, "<p>{}</p>", escape(sentence));
    }
    columns(&mut page, release);
    public(&mut page, release);
    setting(&mut page, release);
    let software = &release.software;
    let _ = writeln!(
        page,
        "</main><footer>{} {}</footer></body></html>",
        escape(&words::report::software(&software.name, &software.version, &software.build)),
        release.ledger.as_ref().map_or_else(
            || words::report::no_ledger().to_owned(),
            |ledger| escape(&words::report::ledger(&ledger.id, ledger.entry))
        )
    );
    page
}

fn regression(page: &mut String, release: &Release, outcome: &str, log_odds: bool, plot: bool) {
    let lines = figure::lines(&release.plan, &release.coefficients, outcome);
    let drawn = if log_odds { figure::of_odds(&lines) } else { figure::figure(&lines) }.filter(|_| plot);
    let unit = figure::unit(&release.plan, outcome);
    let level = short(100.0 * release.plan.confidence.unwrap_or(0.95), 3);
    let named = if unit.is_empty() { outcome.to_owned() } else { format!("{outcome} ({unit})") };
    let (class, caption, estimate, ratio, plotted) = if log_odds {
        let ratio = format!("<th scope=\"col\" class=\"n\">{}</th>", words::report::odds_ratio());
        let plotted = words::result::odds_ratio_across_the_whole_range();
        (" class=\"odds\"", words::result::logistic_of(&named), words::result::log_odds(), ratio, plotted)
    } else {
        (
            "",
            words::result::linear_of(&named),
            words::result::estimate(),
            String::new(),
            words::report::across_range(),
        )
    };
    let plotted = drawn.as_ref().map(|_| format!("<th scope=\"col\">{plotted}</th>")).unwrap_or_default();
    let _ = writeln!(
        page,
        "<table{class}><caption>{}</caption><thead><tr><th scope=\"col\">{}</th>\
         <th scope=\"col\" class=\"n\">{estimate}</th><th scope=\"col\" class=\"n\">{}</th>{ratio}\
         <th scope=\"col\" class=\"n\">{}</th>{plotted}</tr></thead><tbody>",
        escape(&caption),
        words::result::term(),
        words::result::interval(level),
        words::report::noise_share(),
    );
    for (index, line) in lines.iter().enumerate() {
        row(page, line, log_odds, drawn.as_ref(), index);
    }
    page.push_str("</tbody>");
    if let Some(figure) = &drawn {
        let _ = write!(
            page,
            "<tfoot><tr><td colspan=\"{}\"></td><td class=\"p\">{}</td></tr></tfoot>",
            if log_odds { 5 } else { 4 },
            axis(figure)
        );
    }
    page.push_str("</table>\n");
    let known = release.diagnostics.outcomes.iter().find(|known| known.outcome == outcome);
    if let Some(share) = known.and_then(|known| known.r_squared) {
        let _ = writeln!(page, "<p class=\"quiet\">{}</p>", words::report::r_squared(short(share, 3)));
    }
}

fn row(page: &mut String, line: &Line, log_odds: bool, figure: Option<&Figure>, index: usize) {
    let written = format::row(line.estimate, line.std_error, line.lower, line.upper);
    let name = if line.term == INTERCEPT { words::result::intercept() } else { &line.term };
    let interval = match line.interval {
        Interval::Normal => written.interval,
        Interval::Approximate => words::report::approximate(written.interval),
        Interval::Withheld => "withheld".to_owned(),
    };
    let share = line.noise_share.map_or_else(|| format::NONE.to_owned(), percent);
    let _ = write!(
        page,
        "<tr><th scope=\"row\">{} <span class=\"per\">{}</span></th><td class=\"n\">{}</td><td class=\"n\">{}</td>",
        escape(name),
        escape(&line.per),
        written.estimate,
        interval
    );
    if log_odds {
        let _ = write!(page, "<td class=\"n\">{}</td>", ratio(line));
    }
    let _ = write!(page, "<td class=\"n\">{share}</td>");
    if let Some(figure) = figure {
        let _ = write!(page, "<td class=\"p\">{}</td>", marks(figure, index));
    }
    page.push_str("</tr>\n");
}

/// Returns a line's odds ratio with its interval, where it has one.
fn ratio(line: &Line) -> String {
    let Some(ratio) = odds::ratio(&line.term, &line.entry()) else { return String::new() };
    let written = format::row(ratio.estimate, ratio.std_error, ratio.lower, ratio.upper);
    match line.interval {
        Interval::Withheld => written.estimate,
        Interval::Normal | Interval::Approximate => format!("{}<br>{}", written.estimate, written.interval),
    }
}

fn at(share: f64) -> String {
    format!("{:.2}%", 100.0 * share)
}

/// Draws one row of the plot; the numbers beside it are the same.
fn marks(figure: &Figure, index: usize) -> String {
    let mut svg = String::from("<svg height=\"22\" aria-hidden=\"true\">");
    let zero = at(figure.zero);
    let _ = write!(svg, "<line x1=\"{zero}\" x2=\"{zero}\" y1=\"0\" y2=\"22\" stroke=\"#9aa5a3\"/>");
    if let Some(mark) = figure.marks.get(index) {
        if let Some((low, high)) = mark.span {
            let _ = write!(
                svg,
                "<line x1=\"{}\" x2=\"{}\" y1=\"11\" y2=\"11\" stroke=\"#16201f\" stroke-width=\"1.6\"/>",
                at(low),
                at(high)
            );
        }
        if let Some(x) = mark.estimate {
            let fill = if mark.span.is_some() { "#16201f" } else { "#fff" };
            let _ = write!(
                svg,
                "<circle cx=\"{}\" cy=\"11\" r=\"3.4\" fill=\"{fill}\" stroke=\"#16201f\"/>",
                at(x)
            );
        }
    }
    svg.push_str("</svg>");
    svg
}

fn axis(figure: &Figure) -> String {
    let mut svg = String::from(
        "<svg height=\"22\" aria-hidden=\"true\" font-size=\"10\"><line x1=\"0\" x2=\"100%\" y1=\"1\" y2=\"1\" \
         stroke=\"#16201f\"/>",
    );
    for tick in &figure.ticks {
        let x = at(tick.at);
        let _ = write!(
            svg,
            "<line x1=\"{x}\" x2=\"{x}\" y1=\"1\" y2=\"5\" stroke=\"#16201f\"/>\
             <text x=\"{x}\" y=\"17\" text-anchor=\"middle\">{}</text>",
            short(tick.value, 3)
        );
    }
    svg.push_str("</svg>");
    svg
}

fn list<'a>(page: &mut String, title: &str, items: impl Iterator<Item = &'a str>) {
    let items: Vec<String> = items.map(|item| format!("<li>{}</li>", escape(item))).collect();
    if !items.is_empty() {
        let _ = writeln!(page, "<h2>{title}</h2><ul>{}</ul>", items.concat());
    }
}

/// Writes what was stated about the columns: public, and needed to read the numbers.
fn columns(page: &mut String, release: &Release) {
    let _ = writeln!(
        page,
        "<h2>{}</h2>\n<table><thead><tr><th scope=\"col\">{}</th><th scope=\"col\">{}</th>\
         <th scope=\"col\">{}</th></tr></thead><tbody>",
        words::report::columns(),
        words::columns::column(),
        words::columns::role(),
        words::report::stated()
    );
    for column in
        release.plan.columns.iter().filter(|column| column.role != Role::Ignored).take(MOST_OUTCOMES)
    {
        let name = column.name.as_deref().or(column.pattern.as_deref()).unwrap_or_default();
        let role =
            if column.role == Role::Outcome { words::columns::outcome() } else { words::columns::feature() };
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{role}</td><td>{}</td></tr>",
            escape(name),
            escape(&stated(column))
        );
    }
    page.push_str("</tbody></table>\n");
}

fn stated(column: &Column) -> String {
    if column.kind == Some(ColumnType::Category) {
        let levels = column.levels.clone().unwrap_or_default();
        let reference = column.reference.clone().or_else(|| levels.first().cloned()).unwrap_or_default();
        return words::report::levels(levels.join(", "), reference);
    }
    let Some((lower, upper)) = column.stated_bounds() else { return String::new() };
    let range = words::page::from_to(short(lower, 6), short(upper, 6));
    column.unit.as_ref().map_or(range.clone(), |unit| format!("{range} {unit}"))
}

/// Writes the public moments of the columns, where the fit used them.
fn public(page: &mut String, release: &Release) {
    let Some(table) = &release.public else { return };
    let _ = writeln!(
        page,
        "<h2>{}</h2>\n<p>{} {} {}</p>\n<table class=\"known\"><thead><tr><th scope=\"col\">{}</th>\
         <th scope=\"col\" class=\"n\">{}</th><th scope=\"col\" class=\"n\">{}</th></tr></thead><tbody>",
        words::report::public_moments(),
        escape(&known::origin(table)),
        known::correlations(table),
        words::report::public_unprotected(),
        words::result::term(),
        words::report::mean(),
        words::report::standard_deviation()
    );
    for term in table.terms.iter().take(MOST_PUBLIC) {
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escape(&term.term),
            short(term.mean, 4),
            term.sd.map_or_else(|| format::NONE.to_owned(), |sd| short(sd, 4))
        );
    }
    page.push_str("</tbody></table>\n");
    let more = table.terms.len().saturating_sub(MOST_PUBLIC);
    if more > 0 {
        let _ = writeln!(page, "<p>{}</p>", words::report::more_terms(more));
    }
}

fn setting(page: &mut String, release: &Release) {
    let plan = &release.plan;
    let privacy = &release.privacy;
    let rows = match plan.adjacency {
        Adjacency::AddRemove => words::report::add_remove().to_owned(),
        Adjacency::ReplaceOne => {
            plan.rows.map_or_else(|| words::report::replace_one().to_owned(), words::report::replace_one_rows)
        }
    };
    let number = |name: &str, value: Option<f64>| value.map(|value| format!("{name} {}", at_most(value, 4)));
    let numbers = [
        number("epsilon", privacy.epsilon),
        number("delta", privacy.delta),
        number("mu", privacy.mu),
        number("rho", privacy.rho),
    ];
    let numbers: Vec<String> = numbers.into_iter().flatten().collect();
    let _ = writeln!(
        page,
        "<h2>{}</h2>\n<p>{} {rows} {}</p>",
        words::report::setting(),
        escape(&words::report::mechanism(&plan.mechanism.name)),
        words::report::charged(numbers.join(", "))
    );
}

/// Escapes text for HTML.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn release(name: &str) -> Release {
        serde_json::from_value(json!({
            "schema": "discreet.release/1",
            "plan": {"schema": "discreet.plan/1", "adjacency": "add-remove", "columns": [
                {"name": name, "role": "feature", "type": "number", "lower": 0, "upper": 10, "unit": "kg"},
                {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 1}],
                "mechanism": {"name": "analyze-gauss"}, "budget": {"mu": 1.0, "delta": 1e-6}},
            "privacy": {"adjacency": "add-remove", "protect": "rows", "max_rows_per_person": 1, "person": "assumed",
                "epsilon": 5.0, "delta": 1e-6, "mu": 1.0, "rho": 0.5, "claimed": null, "assurance": "EXACT"},
            "coefficients": [
                {"outcome": "y", "term": "(Intercept)", "estimate": 0.5, "std_error": 0.1, "lower": 0.3, "upper": 0.7,
                    "noise_share": 0.5, "interval": "normal"},
                {"outcome": "y", "term": name, "estimate": 0.25, "std_error": 0.02, "lower": null, "upper": null,
                    "noise_share": null, "interval": "withheld"}],
            "ledger": {"id": "00", "entry": 1, "idealised": false},
            "diagnostics": {"rows": 100.0, "rows_std_error": 3.0, "signal_to_noise": 0.5, "ridge": 0.0, "repair": null,
                "outcomes": [{"outcome": "y", "residual_sd": 0.2, "residual_resolved": true, "r_squared": 0.625}],
                "notes": ["a <note>"]},
            "software": {"name": "discreet", "version": "0", "build": "b"}
        }))
        .unwrap()
    }

    #[test]
    fn names_cannot_break_out_of_the_page() {
        let page = html(&release("<script>alert('x')</script>"), false);
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
        assert!(page.contains("a &lt;note&gt;"));
    }

    #[test]
    fn log_odds_have_odds_ratios_and_public_moments_are_told() {
        let mut release = release("x");
        let linear = html(&release, false);
        assert!(linear.contains("Linear regression of y") && !linear.contains("dds ratio"));
        release.public = serde_json::from_value(
            json!({"schema": "discreet.public/1", "source": "A <paper>", "rows": 1200,
            "terms": [{"term": "x", "mean": 54.125, "sd": 12.5}], "correlation": [[1.0]]}),
        )
        .unwrap();
        let page = html(&release, true);
        for expected in [
            "Logistic regression of y",
            "Log-odds",
            "Odds ratio, interval",
            ">1.284<",
            "54.12",
            "A &lt;paper&gt;",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert_eq!(page.matches("<td class=\"n\"></td>").count(), 1, "the constant has no ratio");
    }

    #[test]
    fn it_needs_nothing_else_and_says_what_is_withheld() {
        let page = html(&release("x"), false);
        for forbidden in ["http://", "https://", "src=", "url(", "@import", "<link"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert!(page.contains("R squared 0.625"));
        assert!(page.contains("withheld") && page.contains("per kg") && page.contains("0 to 10 kg"));
    }
}
