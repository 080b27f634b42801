//! Reads JSON documents that people write, says in plain words what is wrong with one, and writes documents.

use std::io::Write;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use strsim::levenshtein;

use super::BYTE_ORDER_MARK;
use crate::words;

/// Why a text is not the document that it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The path inside the document, such as `columns[2].lower`. `None` for its top level and for text that is no JSON.
    pub path: Option<String>,
    /// What is wrong, with line and column.
    pub what: String,
}

/// Returns whether a file with these first bytes has one JSON object: whether it begins with a brace.
pub fn begins(head: &[u8]) -> bool {
    let text = head.strip_prefix(BYTE_ORDER_MARK.as_bytes()).unwrap_or(head);
    text.trim_ascii_start().starts_with(b"{")
}

/// Returns the name and version that a document states, whatever else stands in it.
pub fn schema(text: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Named {
        schema: String,
    }
    read::<Named>(text).ok().map(|named| named.schema)
}

/// Reads a document, after which only white space may follow; a byte order mark may stand before it.
///
/// # Errors
/// [`Fault`] if it is no JSON, or no `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    serde_json::from_str(text).map_err(|error| {
        let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let end = lines.map(str::len).sum::<usize>() + error.column();
        let path = path(text.as_bytes().get(..end).unwrap_or(text.as_bytes()));
        let path = Some(path).filter(|path| !path.is_empty());
        let begins = text.trim_start().starts_with(['{', '[']);
        let what = if begins { in_words(&error) } else { words::json::no_document().to_owned() };
        Fault { path, what }
    })
}

/// Writes a document, indented for a person or without spaces. It takes any writer, so that a document's writer is built once.
///
/// # Errors
/// [`serde_json::Error`] where `out` refuses.
pub fn write<T: Serialize>(document: &T, indented: bool, out: &mut dyn Write) -> serde_json::Result<()> {
    if indented { serde_json::to_writer_pretty(out, document) } else { serde_json::to_writer(out, document) }
}

/// Returns a document as text, indented for a person or without spaces.
///
/// # Errors
/// [`serde_json::Error`] where a value is none that JSON has.
pub fn to_text<T: Serialize>(document: &T, indented: bool) -> serde_json::Result<String> {
    let mut bytes = Vec::new();
    write(document, indented, &mut bytes)?;
    String::from_utf8(bytes).map_err(serde::ser::Error::custom)
}

/// A list or an object that is open.
enum Open {
    /// With the place of its last value.
    List(Option<usize>),
    /// With its last name.
    Object(Option<String>),
}

/// Returns the path of the value with which a text breaks off. It is found by the place of a fault, because a reader that keeps the path
/// of each value would be built beside the one without, for each document.
fn path(text: &[u8]) -> String {
    let mut open: Vec<Open> = Vec::new();
    let mut named = false;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        let start = at;
        at += 1;
        if byte == b'"' {
            while let Some(&inside) = text.get(at)
                && inside != b'"'
            {
                at += if inside == b'\\' { 2 } else { 1 };
            }
            at += 1;
        }
        let begins = !matches!(byte, b'}' | b']' | b',' | b':') && !byte.is_ascii_whitespace();
        match open.last_mut() {
            Some(Open::List(place @ None)) if begins => *place = Some(0),
            Some(Open::Object(name)) if byte == b'"' && !named => {
                *name = serde_json::from_slice(text.get(start..at).unwrap_or_default()).ok();
                named = true;
            }
            _ => {}
        }
        match (byte, open.last_mut()) {
            (b'{', _) => {
                open.push(Open::Object(None));
                named = false;
            }
            (b'[', _) => open.push(Open::List(None)),
            (b'}' | b']', _) => {
                open.pop();
                named = true;
            }
            (b',', Some(Open::List(place))) => *place = place.map(|place| place + 1),
            (b',', Some(Open::Object(_))) => named = false,
            _ => {}
        }
    }
    open.iter().fold(String::new(), |path, open| match open {
        Open::List(Some(place)) => format!("{path}[{place}]"),
        Open::Object(Some(name)) if path.is_empty() => name.clone(),
        Open::Object(Some(name)) => format!("{path}.{name}"),
        Open::List(None) | Open::Object(None) => path,
    })
}

/// Returns what the reader found, in words of people who write a document and not of those who read it by program.
fn in_words(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let whole = error.to_string();
    let Some(text) = whole.strip_suffix(&format!(" at line {line} column {column}")) else { return whole };
    let what = if error.is_data() { of_value(text) } else { of_syntax(text).to_owned() };
    words::json::at(what, line, column)
}

/// Returns the fault of a value that is well formed; a sentence of our own types stays as it is.
fn of_value(text: &str) -> String {
    let named = |prefix: &str| text.strip_prefix(prefix)?.split_once('`');
    if let Some((name, _)) = named("missing field `") {
        words::json::missing(name)
    } else if let Some((name, _)) = named("duplicate field `") {
        words::json::twice(name)
    } else if let Some((name, rest)) = named("unknown field `").or_else(|| named("unknown variant `")) {
        match rest.split('`').skip(1).step_by(2).collect::<Vec<_>>().as_slice() {
            [] => words::json::unknown(name),
            known => match closest(name, known.iter().copied()) {
                Some(meant) => words::json::unknown_meant(name, meant),
                None => words::json::unknown_of(name, known.join(", ")),
            },
        }
    } else if let Some((found, expected)) = text
        .strip_prefix("invalid type: ")
        .or_else(|| text.strip_prefix("invalid value: "))
        .and_then(|rest| rest.rsplit_once(", expected "))
    {
        let number = matches!(expected_kind(expected), kind if kind == words::json::number()
            || kind == words::json::whole_number()
            || kind.starts_with("a number"));
        let quoted = found.strip_prefix("string \"").and_then(|rest| rest.strip_suffix('"'));
        match quoted.filter(|text| number && text.trim().parse::<f64>().is_ok()) {
            Some(_) => words::json::quoted_number(expected_kind(expected), found_kind(found)),
            None => words::json::other_kind(expected_kind(expected), found_kind(found)),
        }
    } else {
        text.to_owned()
    }
}

/// Returns the name that a misspelt one is probably meant to be: the first of those with the fewest single letters that are inserted, left
/// out or replaced, if these are at most a third of its letters.
pub fn closest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = known.into_iter().map(|other| (levenshtein(name, other), other));
    let near =
        near.filter(|(distance, other)| 3 * distance <= other.chars().count().min(name.chars().count()));
    near.min_by_key(|(distance, _)| *distance).map(|(_, other)| other)
}

fn expected_kind(expected: &str) -> &str {
    match expected {
        "f32" | "f64" => words::json::number(),
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize" => {
            words::json::whole_number()
        }
        "a string" | "string" => words::json::text(),
        "a boolean" => words::json::boolean(),
        "a sequence" => words::json::list(),
        "a map" => words::json::object(),
        expected if expected.starts_with("struct ") => words::json::object(),
        expected => expected,
    }
}

fn found_kind(found: &str) -> String {
    match found {
        "null" => "`null`".to_owned(),
        "sequence" => words::json::list().to_owned(),
        "map" => words::json::object().to_owned(),
        found => match found.split_once(['`', '"']) {
            Some((_, value)) => format!("`{}`", value.trim_end_matches(['`', '"'])),
            None => found.to_owned(),
        },
    }
}

/// Returns the fault of text that is no JSON.
fn of_syntax(text: &str) -> &str {
    match text {
        text if text.starts_with("EOF ") => words::json::ends_early(),
        "expected `:`" => words::json::colon(),
        "expected `,` or `]`" | "expected `,` or `}`" => words::json::comma(),
        "key must be a string" => words::json::key(),
        "trailing comma" => words::json::trailing_comma(),
        "trailing characters" => words::json::trailing_text(),
        "expected value" | "expected ident" => words::json::no_value(),
        "invalid number" | "number out of range" => words::json::no_number(),
        "invalid escape" => words::json::escape(),
        text if text.starts_with("control character") => words::json::line_break(),
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[expect(dead_code, reason = "only its errors are of interest")]
    struct Document {
        rows: u32,
        share: Option<f64>,
        names: Option<Vec<String>>,
        part: Option<Box<Document>>,
        kind: Option<Kind>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    enum Kind {
        AddRemove,
        ReplaceOne,
    }

    #[test]
    fn a_misspelt_name_is_the_closest_that_is_known() {
        let known = ["adaptive-gauss", "analyze-gauss", "ols", "dp-gd"];
        for (name, meant) in [
            ("adaptive-gaus", Some("adaptive-gauss")),
            ("adaptive_gauss", Some("adaptive-gauss")),
            ("analyse-gauss", Some("analyze-gauss")),
            ("dp-dg", None),
            ("lasso", None),
            ("", None),
        ] {
            assert_eq!(closest(name, known), meant, "{name}");
        }
    }

    #[test]
    fn a_fault_is_said_in_plain_words_with_its_place() {
        for (text, path, what) in [
            ("{}", None, "`rows` is missing (line 1, column 2)"),
            (r#"{"rows": 1, "rows": 2}"#, None, "`rows` is there twice (line 1, column 18)"),
            (
                r#"{"rows": 1, "raws": 2}"#,
                Some("raws"),
                "`raws` is not known here; did you mean `rows`? (line 1, column 18)",
            ),
            (
                r#"{"rows": 1, "weight": 2}"#,
                Some("weight"),
                "`weight` is not known here; known are rows, share, names, part, kind (line 1, column 20)",
            ),
            (
                r#"{"rows": 1, "kind": "add_remove"}"#,
                Some("kind"),
                "`add_remove` is not known here; did you mean `add-remove`? (line 1, column 32)",
            ),
            (
                r#"{"rows": "5"}"#,
                Some("rows"),
                "a whole number is needed in place of the text `5`; remove the quotes (line 1, column 12)",
            ),
            (
                r#"{"rows": "five"}"#,
                Some("rows"),
                "a whole number is needed in place of `five` (line 1, column 15)",
            ),
            (
                r#"{"rows": -5}"#,
                Some("rows"),
                "a whole number is needed in place of `-5` (line 1, column 11)",
            ),
            (
                r#"{"rows": 5, "part": {"rows": 1.5}}"#,
                Some("part.rows"),
                "a whole number is needed in place of `1.5` (line 1, column 32)",
            ),
            (
                r#"{"rows": 5, "names": ["a", 3]}"#,
                Some("names[1]"),
                "a text in quotes is needed in place of `3` (line 1, column 28)",
            ),
            (
                r#"{"rows": 5, "part": 3}"#,
                Some("part"),
                "an object in braces is needed in place of `3` (line 1, column 21)",
            ),
            (r#"{"rows": 5, "part": {}}"#, Some("part"), "`rows` is missing (line 1, column 22)"),
            (
                "{\"rows\": 5,\n \"part\": {\"names\": [\"a, {[\", \"\\\\\\\"]é\", \"b\"],\n  \"part\": {\"rows\": 1, \"names\": [\"\", 3]}}}",
                Some("part.part.names[1]"),
                "a text in quotes is needed in place of `3` (line 3, column 37)",
            ),
            (
                "[{\"rows\": 5, \"names\": []}, {\"rows\": 5, \"part\": {\"rows\": true}}]",
                Some("[1].part.rows"),
                "a whole number is needed in place of `true` (line 1, column 60)",
            ),
            (r#"{"rows": 5,"#, None, "the text ends before the document does (line 1, column 11)"),
            (r#"{"rows": 5,}"#, None, "a comma stands before a closing bracket (line 1, column 12)"),
            (r#"{"rows" 5}"#, None, "a colon is missing after a name (line 1, column 9)"),
            (r#"{rows: 5}"#, None, "a name in quotes is needed (line 1, column 2)"),
            ("{\"rows\": 5} x", None, "there is text after the end of the document (line 1, column 13)"),
            (
                "rows: 5",
                None,
                "this is no JSON, which begins with a brace; other forms, such as YAML, are not read",
            ),
            (r#"{"rows": five}"#, None, "this is no value; a text needs quotes (line 1, column 11)"),
        ] {
            let fault = if text.starts_with('[') {
                read::<Vec<Document>>(text).unwrap_err()
            } else {
                read::<Document>(text).unwrap_err()
            };
            assert_eq!(fault.what, what, "{text}");
            // The path of text that is no JSON is where the reader stood.
            assert!(path.is_none() || fault.path.as_deref() == path, "{text}: {fault:?}");
        }
    }
}
