//! Tables as LaTeX, for the packages `booktabs` and `adjustbox`.

use std::fmt::Write;

use super::decimal::is_between_digits;
use super::{Head, Publication, Table, marked};

/// Writes all tables as floats, each with its notes under it, then the notes and the guarantee as lists.
pub fn document(publication: &Publication) -> String {
    let mut text = format!("% {}\n% \\usepackage{{booktabs,adjustbox}}\n", one_line(&publication.title));
    if !publication.date.is_empty() {
        let _ = writeln!(text, "% {}", one_line(&publication.date));
    }
    for published in &publication.tables {
        table(&mut text, published);
    }
    for (title, items) in publication.lists() {
        let _ = write!(text, "\n\\paragraph{{{}}}\n\\begin{{itemize}}\n", escape(title));
        for item in items {
            let _ = writeln!(text, "  \\item {}", sentence(item));
        }
        text.push_str("\\end{itemize}\n");
    }
    text
}

/// Columns from which on a table is set smaller and closer, so that a page holds it.
const MANY_COLUMNS: usize = 6;
/// Letters of a line of a heading.
const HEADING: usize = 12;

fn table(text: &mut String, table: &Table) {
    let longest = |place: usize| {
        table.rows.iter().filter_map(|row| row.get(place)).map(|cell| cell.chars().count()).max()
    };
    let columns: String =
        table.heads.iter().enumerate().map(|(place, head)| kind(head, longest(place).unwrap_or(0))).collect();
    let is_wide = table.heads.len() >= MANY_COLUMNS;
    let size = if is_wide { "  \\footnotesize\\setlength{\\tabcolsep}{3pt}\n" } else { "" };
    let _ = write!(
        text,
        "\n\\begin{{table}}[htbp]\n  \\centering\n  \\caption{{{}}}\n{size}  \\begin{{adjustbox}}{{max width=\\textwidth}}\n  \\begin{{tabular}}{{{columns}}}\n    \\toprule\n",
        escape(&table.caption)
    );
    let line = |cells: &mut dyn Iterator<Item = String>| cells.collect::<Vec<_>>().join(" & ");
    let heads = &mut table.heads.iter().map(|head| if is_wide { heading(head) } else { escape(&head.text) });
    let _ = writeln!(text, "    {} \\\\", line(heads));
    text.push_str("    \\midrule\n");
    for row in &table.rows {
        let _ = writeln!(text, "    {} \\\\", line(&mut row.iter().map(|cell| escape(cell))));
    }
    text.push_str("    \\bottomrule\n  \\end{tabular}\n  \\end{adjustbox}\n");
    if !table.notes.is_empty() {
        let _ = write!(text, "\n  \\smallskip\\footnotesize {}\n", sentence(&table.notes.join(" ")));
    }
    text.push_str("\\end{table}\n");
}

/// Letters of a cell from which on its column has lines of a fixed width.
const LONG_CELL: usize = 40;

/// Returns how a column is set whose longest cell has so many letters.
const fn kind(head: &Head, longest: usize) -> &'static str {
    if head.numeric {
        "r"
    } else if longest > LONG_CELL {
        "p{70mm}"
    } else {
        "l"
    }
}

/// Returns a heading in several short lines.
fn heading(head: &Head) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in head.text.replace(" %", "\u{a0}%").split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < HEADING => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    let lines: Vec<String> = lines.iter().map(|line| escape(line)).collect();
    format!("\\shortstack[{}]{{{}}}", if head.numeric { 'r' } else { 'l' }, lines.join("\\\\"))
}

/// Returns text in one line, for a comment.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Escapes text for LaTeX. Signs of the program's own numbers and units become mathematics, so that every engine has them.
fn sentence(text: &str) -> String {
    marked(text, escape, |code| format!("\\texttt{{{}}}", escape(code)))
}

fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for (place, c) in text.char_indices() {
        match c {
            // Without braces a space would follow where a cell is set as mathematics.
            ',' if is_between_digits(text, place) => safe.push_str("{,}"),
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
            'µ' => safe.push_str("$\\mu$"),
            '₀'..='₉' => {
                let _ = write!(safe, "$_{}$", u32::from(c) - u32::from('₀'));
            }
            '²' | '³' | '¹' | '⁰' | '⁴'..='⁹' | '⁻' => {
                let _ = write!(safe, "$^{{{}}}$", lowered(c));
            }
            c if c.is_control() => safe.push(' '),
            c => match SIGNS.split(' ').find_map(|sign| sign.strip_prefix(c)) {
                Some(command) => {
                    let _ = write!(safe, "$\\{command}$");
                }
                None => safe.push(c),
            },
        }
    }
    safe
}

/// Signs of clinical names that not every engine has, each with its command.
const SIGNS: &str = "≤leq ≥geq ≠neq √surd ∞infty →rightarrow αalpha βbeta γgamma δdelta εvarepsilon \
    ζzeta ηeta θtheta κkappa λlambda μmu νnu ξxi πpi ρrho σsigma \
    τtau φvarphi χchi ψpsi ωomega ΓGamma ΔDelta ΣSigma ΦPhi ΩOmega";

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
        assert_eq!(escape("−0,5 to 1,25, a,b"), "$-$0{,}5 to 1{,}25, a,b");
        assert_eq!(escape("≥65 TGF-β₂"), "$\\geq$65 TGF-$\\beta$$_2$");
    }
}
