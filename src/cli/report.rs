//! The command `discreet report`: prints a release as a journal does.

use std::ffi::OsString;

use super::args::Args;
use super::document::read_release;
use super::error::CliError;
use super::{help, print};
use crate::engine::supplement;
use crate::mechanisms::info::are_log_odds;
use crate::release::figure::outcomes;
use crate::release::publication::comparison::{Comparison, Regression};
use crate::release::publication::{DecimalMark, Format, Labels};

/// Returns for how many units a coefficient of a number is printed.
pub(super) fn units(args: &Args) -> Result<f64, CliError> {
    let per = args.value::<f64>("per", "a number above 0")?.unwrap_or(1.0);
    if per.is_finite() && per > 0.0 {
        return Ok(per);
    }
    Err(CliError::usage(format!("--per is `{per}`; give a number above 0")))
}

/// Returns the decimal mark of what is printed.
pub(super) fn decimal_mark(args: &Args) -> Result<DecimalMark, CliError> {
    Ok(args.value("decimal", "`point` or `comma`")?.unwrap_or_default())
}

/// Runs the command.
///
/// # Errors
/// [`CliError`]; nothing is ever charged.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Some(args) = Args::parse(
        arguments,
        &["release", "format", "title", "date", "per", "decimal", "outcome", "compare"],
        &[],
        help::REPORT,
    )?
    else {
        return Ok(());
    };
    let [] = args.places([])?;
    let path = args.needed_path("release")?;
    let named = args.text("format")?.unwrap_or("html");
    let format = Format::named(named).ok_or_else(|| {
        let names: Vec<&str> = Format::ALL.iter().map(|(name, _)| *name).collect();
        CliError::usage(format!("--format is `{named}`; give one of {}", names.join(", ")))
    })?;
    let (per, decimal) = (units(&args)?, decimal_mark(&args)?);
    if args.path("decimal").is_some()
        && matches!(format, Format::R | Format::Python | Format::Text | Format::Short)
    {
        return Err(CliError::usage(format!("--decimal does not go with --format {named}; leave it out")));
    }
    let text = |name: &str| Ok::<_, CliError>(args.text(name)?.unwrap_or_default().to_owned());
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let labels = Labels { title: text("title")?, date: text("date")?, per, decimal, file };
    let release = read_release(&path)?;
    let outcome = args.text("outcome")?;
    if let Some(outcome) = outcome.filter(|outcome| !outcomes(&release).iter().any(|own| own == outcome)) {
        return Err(CliError::usage(format!("--outcome is `{outcome}`; give an outcome of the release")));
    }
    let printed = match args.path("compare") {
        Some(other) => {
            if let Some(name) = ["per", "title", "date"].into_iter().find(|name| args.path(name).is_some()) {
                return Err(CliError::usage(format!("--{name} does not go with --compare; leave it out")));
            }
            let second = read_release(&other)?;
            let [first, second] = [release, second].map(|release| {
                let own = outcomes(&release);
                let outcome = outcome.filter(|name| own.iter().any(|own| own == name)).map(str::to_owned);
                let outcome = outcome.or_else(|| own.into_iter().next()).unwrap_or_default();
                Regression::of_release(&release, &outcome, are_log_odds(&release.plan))
            });
            format.compared(&Comparison::new(first, second), decimal).ok_or_else(|| {
                CliError::usage("two releases are compared as word, markdown, latex, csv, or as svg where one axis fits both; choose another --format")
            })?
        }
        None => format.write(&release, &supplement(&release), &labels, outcome).ok_or_else(|| {
            CliError::usage("this release has no coefficient that can be drawn; choose another --format")
        })?,
    };
    print(printed)
}
