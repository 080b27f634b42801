//! Tables as LaTeX, for the package `booktabs`.

use std::fmt::Write;

use super::{Publication, Table};
use crate::words;

/// Writes all tables as floats, each with its notes under it, then the notes and the guarantee as lists.
#[must_use]
pub fn document(publication: &Publication) -> String {
    let mut text = format!("% {}\n% \\usepackage{{booktabs}}\n", one_line(&publication.title));
    if !publication.date.is_empty() {
        let _ = writeln!(text, "% {}", one_line(&publication.date));
    }
    for published in &publication.tables {
        table(&mut text, published);
    }
    for (title, items) in [
        (words::report::notes(), &publication.caveats),
        (words::result::what_is_promised(), &publication.guarantee),
    ] {
        if !items.is_empty() {
            let _ = write!(text, "\n\\paragraph{{{}}}\n\\begin{{itemize}}\n", escape(title));
            for item in items {
                let _ = writeln!(text, "  \\item {}", sentence(item));
            }
            text.push_str("\\end{itemize}\n");
        }
    }
    text
}

fn table(text: &mut String, table: &Table) {
    let columns: String = table.heads.iter().map(|head| if head.numeric { 'r' } else { 'l' }).collect();
    let _ = write!(
        text,
        "\n\\begin{{table}}[htbp]\n  \\caption{{{}}}\n  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n",
        escape(&table.caption)
    );
    let line = |cells: &mut dyn Iterator<Item = &str>| cells.map(escape).collect::<Vec<_>>().join(" & ");
    let _ = writeln!(text, "    {} \\\\", line(&mut table.heads.iter().map(|head| head.text.as_str())));
    text.push_str("    \\midrule\n");
    for row in &table.rows {
        let _ = writeln!(text, "    {} \\\\", line(&mut row.iter().map(String::as_str)));
    }
    text.push_str("    \\bottomrule\n  \\end{tabular}\n");
    if !table.notes.is_empty() {
        let _ = write!(text, "\n  \\smallskip\\footnotesize {}\n", sentence(&table.notes.join(" ")));
    }
    text.push_str("\\end{table}\n");
}

/// Returns text in one line, for a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Escapes text for LaTeX. Signs of the program's own numbers and units become mathematics, so that every engine has them.
fn sentence(text: &str) -> String {
    let part = |(place, part): (usize, &str)| {
        if place % 2 == 1 { format!("\\texttt{{{}}}", escape(part)) } else { escape(part) }
    };
    text.split('`').enumerate().map(part).collect()
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' => safe.push_str("\\textbackslash{}"),
            '~' => safe.push_str("\\textasciitilde{}"),
            '^' => safe.push_str("\\textasciicircum{}"),
            '{' | '}' | '$' | '&' | '#' | '%' | '_' => {
                safe.push('\\');
                safe.push(c);
            }
            '<' => safe.push_str("$<$"),
            '>' => safe.push_str("$>$"),
            '|' => safe.push_str("$|$"),
            '"' => safe.push_str("\\char34{}"),
            // Behind a line end these would be its argument or its star.
            '[' | ']' | '*' => {
                safe.push('{');
                safe.push(c);
                safe.push('}');
            }
            '−' => safe.push_str("$-$"),
            '±' => safe.push_str("$\\pm$"),
            '≈' => safe.push_str("$\\approx$"),
            '×' => safe.push_str("$\\times$"),
            '–' => safe.push_str("--"),
            '\u{a0}' => safe.push('~'),
            '\u{202f}' => safe.push_str("\\,"),
            'µ' | 'μ' => safe.push_str("$\\mu$"),
            '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '⁻' => {
                let _ = write!(safe, "$^{{{}}}$", lowered(c));
            }
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

fn lowered(c: char) -> char {
    match c {
        '⁻' => '-',
        '¹' => '1',
        '²' => '2',
        '³' => '3',
        '⁰' => '0',
        c => char::from_u32(u32::from(c) - u32::from('⁴') + u32::from('4')).unwrap_or(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_is_a_command() {
        assert_eq!(escape("a_b & 50% {x} \\input"), "a\\_b \\& 50\\% \\{x\\} \\textbackslash{}input");
        assert_eq!(escape("−1.2 × 10⁻⁶ kg/m²"), "$-$1.2 $\\times$ 10$^{-}$$^{6}$ kg/m$^{2}$");
        assert_eq!(escape("a\n\\end"), "a \\textbackslash{}end");
        assert_eq!(escape("[2em]*"), "{[}2em{]}{*}");
    }
}
