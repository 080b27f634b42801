//! Tables as Markdown with pipes.

use std::fmt::Write;

use super::{Publication, marked};

/// Writes the title, all tables with their notes, the notes and the guarantee.
pub fn document(publication: &Publication) -> String {
    let mut text = format!("## {}\n\n", escape(&publication.title));
    if !publication.date.is_empty() {
        let _ = write!(text, "{}\n\n", escape(&publication.date));
    }
    for table in &publication.tables {
        let _ = write!(text, "**{}**\n\n|", escape(&table.caption));
        for head in &table.heads {
            let _ = write!(text, " {} |", escape(&head.text));
        }
        text.push_str("\n|");
        for head in &table.heads {
            text.push_str(if head.numeric { " ---: |" } else { " --- |" });
        }
        for row in &table.rows {
            text.push_str("\n|");
            for cell in row {
                let _ = write!(text, " {} |", escape(cell));
            }
        }
        text.push_str("\n\n");
        for note in &table.notes {
            let _ = writeln!(text, "{}", sentence(note));
        }
        text.push('\n');
    }
    for (title, items) in publication.lists() {
        let _ = write!(text, "**{title}**\n\n");
        for item in items {
            let _ = writeln!(text, "- {}", sentence(item));
        }
        text.push('\n');
    }
    text
}

/// Escapes a sentence; what stands between backticks is code in Markdown, too.
fn sentence(text: &str) -> String {
    marked(text, escape, |code| format!("`{code}`"))
}

/// Escapes what Markdown would take for marks; a line end becomes a space.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '$' => {
                safe.push('\\');
                safe.push(c);
            }
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_escaped() {
        assert_eq!(escape("sex[M]|a*b\n#"), "sex\\[M\\]\\|a\\*b \\#");
    }
}
