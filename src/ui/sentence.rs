//! Messages of other rooms, made sentences of the page.

use crate::text::{one_line, shortened};

/// On one line of a length that can be read, with a capital letter in front.
#[must_use]
pub fn sentence(text: &str) -> String {
    let line = one_line(text);
    let line = shortened(&line);
    let mut chars = line.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}
