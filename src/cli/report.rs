//! The command `discreet report`: prints a release as a journal does.

use std::ffi::OsString;

use super::args::Args;
use super::document::read_release;
use super::error::CliError;
use super::{help, print};
use crate::engine::supplement;
use crate::mechanisms::info::are_log_odds;
use crate::release::Release;
use crate::release::figure::outcomes;
use crate::release::publication::comparison::{Comparison, Regression};
use crate::release::publication::{Format, Labels};
use crate::text::one_line;

/// Digits of a ledger's identifier that tell it from another.
const LEDGER_DIGITS: usize = 8;

/// Runs the command.
///
/// # Errors
/// [`CliError`]; nothing is ever charged.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Some(args) = Args::parse(
        arguments,
        &["release", "format", "title", "date", "per", "outcome", "compare"],
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
    let per = args.value::<f64>("per", "a number above 0")?.unwrap_or(1.0);
    if !(per.is_finite() && per > 0.0) {
        return Err(CliError::usage(format!("--per is `{per}`; give a number above 0")));
    }
    let text = |name: &str| Ok::<_, CliError>(args.text(name)?.unwrap_or_default().to_owned());
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let labels = Labels { title: text("title")?, date: text("date")?, per, file };
    let release = read_release(&path)?;
    let outcome = args.text("outcome")?;
    if let Some(outcome) = outcome.filter(|outcome| !outcomes(&release).iter().any(|own| own == outcome)) {
        return Err(CliError::usage(format!("--outcome is `{outcome}`; give an outcome of the release")));
    }
    let printed = match args.path("compare") {
        Some(other) => {
            let second = read_release(&other)?;
            let entry = |release: &Release| release.ledger.as_ref().map(|paid| (paid.entry, paid.id.clone()));
            // Entries of the same number in two ledgers are told apart by these.
            let apart = entry(&release).zip(entry(&second)).is_some_and(|(one, two)| one.1 != two.1);
            let sides = [("1", release), ("2", second)].map(|(place, release)| {
                let own = outcomes(&release);
                let outcome = outcome.filter(|name| own.iter().any(|own| own == name)).map(str::to_owned);
                let outcome = outcome.or_else(|| own.into_iter().next()).unwrap_or_default();
                let side = Regression::of_release(&release, &outcome, are_log_odds(&release.plan));
                let ledger = release.ledger.as_ref().filter(|_| apart).map(|paid| {
                    let first: String = paid.id.chars().take(LEDGER_DIGITS).collect();
                    format!(", ledger {first}")
                });
                let name = format!("{place}: {}{}", side.name, one_line(&ledger.unwrap_or_default()));
                Regression { name, ..side }
            });
            let [first, second] = sides;
            format.compared(&Comparison::new(first, second)).ok_or_else(|| {
                CliError::usage("two releases are compared as word, markdown, latex, csv, or as svg where one axis fits both; choose another --format")
            })?
        }
        None => format.write(&release, &supplement(&release), &labels, outcome).ok_or_else(|| {
            CliError::usage("this release has no coefficient that can be drawn; choose another --format")
        })?,
    };
    print(printed)
}
