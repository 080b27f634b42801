//! A release as one HTML file that needs nothing else and prints well on A4.
//!
//! It contains the numbers and sentences of the release, no script, and no address that a browser would fetch.

use std::fmt::Write;

use super::super::Release;
use super::super::document::LONG_FORM_OUTCOMES;
use super::super::figure;
use super::super::format::{self, short};
use super::super::known;
use super::super::row_count::{RowCount, Verdict};
use super::super::supplement::Supplement;
use super::html::{escape, sentence};
use super::{DecimalMark, Labels, MOST_OUTCOMES, Publication, Table, drawing};
use crate::words;

/// Most public terms that are written out.
const MOST_PUBLIC: usize = 40;

/// Characters of a row's numbers above which a table is set smaller and its numbers may break.
const WIDE: usize = 74;

/// The report's own style: ink on paper, black and white safe.
const STYLE: &str = "\
@page{size:A4;margin:18mm 16mm}*{box-sizing:border-box}\
body{font:10.5pt/1.45 system-ui,sans-serif;color:#16201f;background:#fff;max-width:178mm;margin:0 auto;padding:8mm 4mm}\
h1{font-size:17pt;line-height:1.2;margin:0 0 2mm}h2{font-size:11.5pt;margin:8mm 0 2mm}p{margin:0 0 2mm;max-width:150mm}\
.lead{border-left:1mm solid #0b5f5c;padding:1mm 0 1mm 4mm;font-size:11.5pt;margin:4mm 0 6mm}.quiet{color:#4b5957;font-size:9pt}table+.quiet{margin-top:1.5mm}.warning{border:.4mm solid #8a5a00;padding:2mm 3mm}\
table{border-collapse:collapse;width:100%;font-size:9pt;font-variant-numeric:tabular-nums;break-inside:auto}tr{break-inside:avoid}\
caption{text-align:left;font-weight:600;font-size:10.5pt;padding:5mm 0 1.5mm}th,td{text-align:left;padding:1.1mm 2mm 1.1mm 0;vertical-align:top}tr>:last-child{padding-right:0}\
thead th{border-top:.5mm solid #16201f;border-bottom:.25mm solid #16201f;font-weight:600;font-size:9pt}\
tbody tr:last-child>*{border-bottom:.5mm solid #16201f}tbody th{font-weight:500;min-width:30mm;overflow-wrap:anywhere}.wide tbody th{min-width:22mm}.n{text-align:right;white-space:nowrap}\
code{font:.92em ui-monospace,monospace}.wide{font-size:8pt}.wide .n{white-space:normal;padding-right:1.5mm}.known{width:auto}.known th,.known td{padding-right:10mm}svg{display:block;width:100%;height:auto;margin:2mm 0}thead .n{white-space:normal}ul{margin:0 0 2mm;padding-left:5mm}li{overflow-wrap:anywhere}\
@media screen and (max-width:150mm){body{padding:4mm}table,caption,tbody,tr,th,td{display:block}thead{display:none}tr{border-bottom:.25mm solid #16201f;padding:1mm 0}\
tbody tr>*,tbody tr:last-child>*{border:0;min-width:0;padding:.5mm 0}tbody th{font-weight:600}td{display:flex;justify-content:space-between;gap:4mm;text-align:right}td:empty{display:none}td::before{content:attr(data-head);color:#4b5957;text-align:left}.n{white-space:normal}}";

/// Writes the report: what the person called it, the tables with their plots, notes, guarantee and setting.
pub fn html(release: &Release, supplement: &Supplement, labels: &Labels) -> String {
    let publication = Publication::new(release, supplement, labels);
    let outcomes = figure::outcomes(release);
    let mut page = String::new();
    let title = escape(&publication.title);
    let headline = publication.guarantee.first().map(String::as_str).unwrap_or_default();
    let _ = write!(
        page,
        "<!DOCTYPE html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\
         <title>{title}</title><style>{STYLE}</style></head><body><main>\n<h1>{title}</h1>\n",
        words::page::language(),
    );
    if !publication.date.is_empty() {
        let _ = writeln!(page, "<p class=\"quiet\">{}</p>", escape(&publication.date));
    }
    let lead: Vec<&str> = [headline].into_iter().chain(publication.of_several.as_deref()).collect();
    let lead = lead.join(" ");
    let _ = writeln!(page, "<p class=\"lead\">{}</p>", sentence(&lead));
    let warning = RowCount::of(release).filter(|count| count.verdict != Verdict::AsStated);
    if let Some(warning) = &warning {
        let _ = writeln!(page, "<p class=\"warning\">{}</p>", escape(&warning.sentence()));
    }
    let undetermined = release.coefficients.is_undetermined();
    if undetermined {
        let _ = writeln!(page, "<h2>{}</h2>", words::result::undetermined());
    }
    let plots = outcomes.len() <= LONG_FORM_OUTCOMES;
    let regressions = if undetermined { 0 } else { outcomes.len().min(MOST_OUTCOMES) };
    for (place, published) in publication.tables.iter().enumerate() {
        table(&mut page, published);
        let outcome = outcomes.get(place).filter(|_| place < regressions && plots);
        let drawn = outcome.and_then(|outcome| drawing::svg(release, supplement, outcome, labels));
        if let Some(svg) = drawn {
            // Inside a page it needs no name space, which looks like an address.
            let svg = svg.replacen(drawing::NAME_SPACE, "", 1);
            let _ = writeln!(page, "<div class=\"drawn\">{svg}</div>");
        }
    }
    let told = warning.map(|count| count.printed());
    let notes = publication.caveats.iter().filter(|note| told.as_ref() != Some(*note)).map(String::as_str);
    list(&mut page, words::report::notes(), notes);
    let _ = writeln!(page, "<h2>{}</h2>", words::result::what_is_promised());
    for promised in publication.guarantee.iter().skip(1) {
        let _ = writeln!(page, "<p>{}</p>", sentence(promised));
    }
    public(&mut page, release, labels.decimal);
    list(&mut page, words::report::setting(), publication.setting.iter().map(String::as_str));
    page.push_str("</main></body></html>\n");
    page
}

/// Writes a table with its notes.
fn table(page: &mut String, table: &Table) {
    let wide = if breadth(table) > WIDE { " class=\"wide\"" } else { "" };
    let _ = write!(page, "<table{wide}><caption>{}</caption><thead><tr>", escape(&table.caption));
    let numeric = |numeric: bool| if numeric { " class=\"n\"" } else { "" };
    for head in &table.heads {
        let _ = write!(page, "<th scope=\"col\"{}>{}</th>", numeric(head.numeric), escape(&head.text));
    }
    page.push_str("</tr></thead><tbody>\n");
    for row in &table.rows {
        page.push_str("<tr>");
        for (place, (cell, head)) in row.iter().zip(&table.heads).enumerate() {
            if place == 0 {
                let _ = write!(page, "<th scope=\"row\">{}</th>", escape(cell));
            } else {
                let beside = escape(&head.beside);
                let _ =
                    write!(page, "<td{} data-head=\"{beside}\">{}</td>", numeric(head.numeric), escape(cell));
            }
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table>\n");
    if !table.notes.is_empty() {
        let _ = writeln!(page, "<p class=\"quiet\">{}</p>", sentence(&table.notes.join(" ")));
    }
}

/// Returns the characters that the columns of numbers need beside each other: of each its longest cell, or word of its head.
fn breadth(table: &Table) -> usize {
    let numeric = table.heads.iter().enumerate().filter(|(_, head)| head.numeric);
    let widths = numeric.map(|(place, head)| {
        let cells = table.rows.iter().filter_map(|row| row.get(place)).map(String::as_str);
        cells.chain(head.text.split_whitespace()).map(|text| text.chars().count()).max().unwrap_or(0)
    });
    widths.sum()
}

fn list<'a>(page: &mut String, title: &str, items: impl Iterator<Item = &'a str>) {
    let items: Vec<String> = items.map(|item| format!("<li>{}</li>", sentence(item))).collect();
    if !items.is_empty() {
        let _ = writeln!(page, "<h2>{title}</h2><ul>{}</ul>", items.concat());
    }
}

/// Writes the public moments of the columns, where the fit used them.
fn public(page: &mut String, release: &Release, decimal: DecimalMark) {
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
    let number = |value| decimal.of_numbers(short(value, 4));
    for term in table.terms.iter().take(MOST_PUBLIC) {
        let _ = writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escape(&term.term),
            number(term.mean),
            term.sd.map_or_else(|| format::NONE.to_owned(), number)
        );
    }
    page.push_str("</tbody></table>\n");
    let more = table.terms.len().saturating_sub(MOST_PUBLIC);
    if more > 0 {
        let _ = writeln!(page, "<p>{}</p>", words::report::more_terms(more));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Interval;
    use crate::release::document::Coefficients;

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
                "outcomes": [{"outcome": "y", "residual_sd": 0.2, "residual_resolved": true, "r_squared": 0.64}],
                "notes": ["a <note>"]},
            "software": {"name": "discreet", "version": "0", "build": "b"}
        }))
        .unwrap()
    }

    #[test]
    fn names_cannot_break_out_of_the_page() {
        let page = html(&release("<script>alert('x')</script>"), &Supplement::default(), &Labels::default());
        assert!(!page.contains("<script") && page.contains("&lt;script&gt;"));
        assert!(page.contains("a &lt;note&gt;"));
    }

    #[test]
    fn log_odds_have_odds_ratios_and_public_moments_are_told() {
        let mut release = release("x");
        let linear = html(&release, &Supplement::default(), &Labels::default());
        assert!(linear.contains("Linear regression of y") && !linear.contains("dds ratio"));
        release.public = serde_json::from_value(
            json!({"schema": "discreet.public/1", "source": "A <paper>", "rows": 1200,
            "terms": [{"term": "x", "mean": 54.125, "sd": 12.5}], "correlation": [[1.0]]}),
        )
        .unwrap();
        let odds = Supplement { log_odds: true, ..Supplement::default() };
        let page = html(&release, &odds, &Labels::default());
        for expected in [
            "Logistic regression of y", "Log-odds", "Log-odds, 95 %", "Odds ratio, 95 %", ">1.28<", "54.12",
            "A &lt;paper&gt;",
        ] {
            assert!(page.contains(expected), "{expected}: {page}");
        }
        assert_eq!(page.matches("\"></td>").count(), 1, "the constant has no ratio");
    }

    #[test]
    fn a_share_of_noise_beside_an_unresolved_residual_is_the_least_that_it_can_be() {
        let mut release = release("x");
        let page = |release: &Release| html(release, &Supplement::default(), &Labels::default());
        assert!(page(&release).contains(">50 %<"), "{}", page(&release));
        release.diagnostics.outcomes[0].residual_resolved = false;
        assert!(page(&release).contains(">at least 50 %<"));
    }

    #[test]
    fn a_fit_is_not_told_where_all_coefficients_are_withheld() {
        let mut release = release("x");
        let page = |release: &Release| html(release, &Supplement::default(), &Labels::default());
        assert!(page(&release).contains("R squared 0.64") && page(&release).contains("residual SD 0.2"));
        let Coefficients::List(entries) = &mut release.coefficients else { panic!() };
        entries[0].interval = Interval::Withheld;
        let told = page(&release);
        assert!(!told.contains("R squared 0.64") && !told.contains("residual SD 0.2"), "{told}");
    }

    #[test]
    fn it_needs_nothing_else_and_says_what_is_withheld() {
        let labels = Labels {
            title: "A <title>".to_owned(),
            date: "23 November 2026".to_owned(),
            per: 2.0,
            ..Labels::default()
        };
        let page = html(&release("x"), &Supplement::default(), &labels);
        for forbidden in ["http://", "https://", "src=", "url(", "@import", "<link"] {
            assert!(!page.contains(forbidden), "{forbidden}");
        }
        assert!(page.contains("R squared 0.64"));
        assert!(page.contains("withheld") && page.contains("per 2 kg") && page.contains("0 to 10 kg"));
        assert!(
            page.contains("A &lt;title&gt;") && page.contains("23 November 2026") && page.contains(">0.50<"),
            "{page}"
        );
    }
}
