//! Tables as HTML that pastes into a word processor: borders and alignment stand in each cell.

use std::fmt::Write;

use super::{Publication, Table, marked};
use crate::words;

const CELL: &str = "padding:2pt 8pt 2pt 0;vertical-align:top;";
const TOP: &str = "border-top:1.5pt solid #000;border-bottom:0.75pt solid #000;font-weight:bold;";
const BOTTOM: &str = "border-bottom:1.5pt solid #000;";

/// Writes [`fragment`] as a file of its own.
pub fn document(publication: &Publication) -> String {
    let title = escape(&publication.title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\"><head><meta charset=\"utf-8\"><title>{title}</title></head><body>\n{}</body></html>\n",
        words::page::language(),
        fragment(publication)
    )
}

/// Writes all tables with their notes, without a page around them.
pub fn fragment(publication: &Publication) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "<h2>{}</h2>", escape(&publication.title));
    if !publication.date.is_empty() {
        let _ = writeln!(text, "<p>{}</p>", escape(&publication.date));
    }
    for published in &publication.tables {
        table(&mut text, published);
    }
    for (title, items) in publication.lists() {
        let items: Vec<String> = items.iter().map(|item| format!("<li>{}</li>", sentence(item))).collect();
        let _ = writeln!(text, "<p><b>{title}</b></p><ul>{}</ul>", items.concat());
    }
    text
}

fn table(text: &mut String, table: &Table) {
    let _ = write!(
        text,
        "<p><b>{}</b></p>\n<table style=\"border-collapse:collapse;font-family:serif;font-size:10pt\"><thead><tr>",
        escape(&table.caption)
    );
    let align = |numeric: bool| if numeric { "text-align:right;" } else { "text-align:left;" };
    for head in &table.heads {
        let _ = write!(text, "<th style=\"{CELL}{TOP}{}\">{}</th>", align(head.numeric), escape(&head.text));
    }
    text.push_str("</tr></thead><tbody>\n");
    for (place, row) in table.rows.iter().enumerate() {
        let bottom = if place + 1 == table.rows.len() { BOTTOM } else { "" };
        text.push_str("<tr>");
        for (cell, head) in row.iter().zip(&table.heads) {
            let line = if head.numeric { "white-space:nowrap;" } else { "" };
            let _ = write!(
                text,
                "<td style=\"{CELL}{bottom}{line}{}\">{}</td>",
                align(head.numeric),
                escape(cell)
            );
        }
        text.push_str("</tr>\n");
    }
    text.push_str("</tbody></table>\n");
    if !table.notes.is_empty() {
        let _ = writeln!(text, "<p style=\"font-size:9pt\">{}</p>", sentence(&table.notes.join(" ")));
    }
}

/// Escapes a sentence for HTML; what stands between backticks is set as code.
pub fn sentence(text: &str) -> String {
    marked(text, escape, |code| format!("<code>{}</code>", escape(code)))
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
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
