//! The command `discreet refit`: computes another regression from a release, at no cost.

use std::ffi::OsString;

use super::args::Args;
use super::document::read_release;
use super::error::CliError;
use super::job::software;
use super::report::{decimal_mark, units};
use super::{help, print};
use crate::engine::{refit, ridge_path, supplement};
use crate::inference::options::{Repair, Ridge};
use crate::inference::refit::{RefitError, Request, own_ridge};
use crate::release::publication::{Format, Labels};

/// Runs the command.
///
/// # Errors
/// [`CliError`]; nothing is ever charged.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let options = [
        "release", "outcome", "features", "ridge", "repair", "confidence", "format", "path", "per", "decimal",
    ];
    let Some(args) = Args::parse(arguments, &options, &[], help::REFIT)? else { return Ok(()) };
    let [] = args.places([])?;
    let path = args.needed_path("release")?;
    let outcome = args.needed_text("outcome")?;
    let features: Vec<String> =
        args.needed_text("features")?.split(',').map(|name| name.trim().to_owned()).collect();
    let ridge = args.value::<Ridge>("ridge", Ridge::expected())?;
    let repair = args.value::<Repair>("repair", "`shift`, `floor` or `none`")?.unwrap_or_default();
    let confidence = args.value::<f64>("confidence", "a number from 0.5 to 0.999")?.unwrap_or(0.95);
    let release = read_release(&path)?;
    let ridge = ridge.unwrap_or_else(|| own_ridge(&release));
    let request = Request { outcome, features: &features, ridge, repair, confidence };
    let refused = |error: RefitError| CliError::Input(error.to_string());
    let per = units(&args)?;
    if args.path("per").is_some() && args.path("format").is_none() {
        return Err(CliError::usage("--per goes with --format"));
    }
    let decimal = decimal_mark(&args)?;
    if args.path("decimal").is_some() && args.path("format").is_none() && args.path("path").is_none() {
        return Err(CliError::usage("--decimal goes with --format or --path"));
    }
    if let Some(named) = args.text("path")? {
        let path = ridge_path(&release, &request).map_err(refused)?;
        return print(written("path", named, |format| format.ridge_path(&path, decimal))?);
    }
    let mut answer = refit(&release, &request).map_err(refused)?;
    if let Some(named) = args.text("format")? {
        let own = answer.printed_of(&release);
        let labels = Labels { per, decimal, ..Labels::default() };
        let refitted = |format: Format| format.refitted(&own, &supplement(&own), outcome, &labels);
        return print(written("format", named, refitted)?);
    }
    answer.software = software()?;
    let text = serde_json::to_string_pretty(&answer).map_err(|error| CliError::failed(error.to_string()))?;
    print(text + "\n")
}

/// Writes in the format that an option names.
fn written(
    option: &str,
    named: &str,
    write: impl FnOnce(Format) -> Option<String>,
) -> Result<String, CliError> {
    let forms = "give one of word, markdown, latex, csv, or svg where there is a coefficient to draw";
    let printed = Format::named(named).and_then(write);
    printed.ok_or_else(|| CliError::usage(format!("--{option} is `{named}`; {forms}")))
}
