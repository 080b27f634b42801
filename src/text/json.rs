//! Reads JSON documents that people write, and says in plain words what is wrong with one.

use serde::de::DeserializeOwned;

use crate::words;

/// Why a text is not the document that it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The path inside the document, such as `columns[2].lower`; `None` for its top level and for text that is no JSON.
    pub path: Option<String>,
    /// What is wrong, with line and column.
    pub what: String,
}

/// Reads a document, after which only white space may follow.
///
/// # Errors
/// [`Fault`] if it is no JSON, or no `T`.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Fault> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let document = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = Some(error.path().to_string()).filter(|path| !matches!(path.as_str(), "?" | "."));
        Fault { path, what: in_words(error.inner()) }
    })?;
    reader.end().map_err(|error| Fault { path: None, what: in_words(&error) })?;
    Ok(document)
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
            known => words::json::unknown_of(name, known.join(", ")),
        }
    } else if let Some((found, expected)) = text
        .strip_prefix("invalid type: ")
        .or_else(|| text.strip_prefix("invalid value: "))
        .and_then(|rest| rest.rsplit_once(", expected "))
    {
        words::json::other_kind(expected_kind(expected), found_kind(found))
    } else {
        text.to_owned()
    }
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
    fn a_fault_is_said_in_plain_words_with_its_place() {
        for (text, path, what) in [
            ("{}", None, "`rows` is missing (line 1, column 2)"),
            (r#"{"rows": 1, "rows": 2}"#, None, "`rows` is there twice (line 1, column 18)"),
            (
                r#"{"rows": 1, "raws": 2}"#,
                Some("raws"),
                "`raws` is not known here; known are rows, share, names, part, kind (line 1, column 18)",
            ),
            (
                r#"{"rows": 1, "kind": "add_remove"}"#,
                Some("kind"),
                "`add_remove` is not known here; known are add-remove, replace-one (line 1, column 32)",
            ),
            (
                r#"{"rows": "5"}"#,
                Some("rows"),
                "a whole number is needed in place of `5` (line 1, column 12)",
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
            (r#"{"rows": 5,"#, None, "the text ends before the document does (line 1, column 11)"),
            (r#"{"rows": 5,}"#, None, "a comma stands before a closing bracket (line 1, column 12)"),
            (r#"{"rows" 5}"#, None, "a colon is missing after a name (line 1, column 9)"),
            (r#"{rows: 5}"#, None, "a name in quotes is needed (line 1, column 2)"),
            ("{\"rows\": 5} x", None, "there is text after the end of the document (line 1, column 13)"),
            (r#"{"rows": five}"#, None, "this is no value; a text needs quotes (line 1, column 11)"),
        ] {
            let fault = read::<Document>(text).unwrap_err();
            assert_eq!(fault.what, what, "{text}");
            // The path of text that is no JSON is where the reader stood.
            assert!(path.is_none() || fault.path.as_deref() == path, "{text}: {fault:?}");
        }
    }
}
