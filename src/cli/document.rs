//! Reads the document of a release.

use std::fs;
use std::path::Path;

use super::error::CliError;
use crate::engine::contradiction;
use crate::release::Release;
use crate::release::document::SCHEMA;
use crate::text::json::{read, schema};
use crate::text::one_line;

/// Reads the file of a release.
///
/// # Errors
/// [`CliError::Input`] if the file cannot be read or is another document; the text names the place.
pub fn read_release(path: &Path) -> Result<Release, CliError> {
    let text =
        fs::read_to_string(path).map_err(|error| CliError::unreadable_text("release", path, &error))?;
    parse_release("release", &text)
}

/// Parses the document of a release, which is called `what` in messages.
///
/// # Errors
/// [`CliError::Input`] if it is another document; the text names the place.
pub fn parse_release(what: &str, text: &str) -> Result<Release, CliError> {
    if let Some(schema) = schema(text).filter(|schema| schema != SCHEMA) {
        return Err(CliError::usage(format!(
            "{what}: this is a {}, and not a {SCHEMA}; choose the file that a release was written to",
            one_line(&schema)
        )));
    }
    let release = read(text).map_err(|fault| {
        let at = fault.path.map_or_else(String::new, |path| format!(", at `{path}`"));
        CliError::usage(format!("{what}: {}{at}; use an unaltered copy", fault.what))
    })?;
    contradiction(&release).map_or(Ok(release), |fault| Err(CliError::Input(fault)))
}
