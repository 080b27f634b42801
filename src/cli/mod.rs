//! The command line: arguments, files, exit statuses.
//!
//! A command prints its result on standard output and a failure as one line on standard error. Status 2 is invalid input, 3 a
//! refused budget, 1 any other failure; the line then says whether the ledger was charged.

mod account;
mod args;
mod bytes;
mod check;
mod clock;
mod document;
mod error;
pub mod genotypes;
mod halt;
mod help;
mod job;
mod kept;
mod ledger;
mod listing;
mod mechs;
mod packed;
pub mod page;
mod public;
mod refit;
mod release;
mod report;
mod simulate;
mod store;
pub mod table;
mod warnings;
mod whole_file;

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

pub use error::CliError;

use crate::text::{one_line, shortened};
use crate::words;

/// Runs the command in `arguments`, which do not include the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match command(arguments.into_iter().collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A failure to write the message is ignored: the exit status reports the error as well.
            let _ = writeln!(io::stderr(), "discreet: {}", shortened(&one_line(&error.to_string())));
            ExitCode::from(error.status())
        }
    }
}

fn command(mut arguments: Vec<OsString>) -> Result<(), CliError> {
    // `help release` is `release --help`.
    if arguments.len() > 1 && arguments[0] == "help" {
        arguments.remove(0);
        arguments.truncate(1);
        arguments.push("--help".into());
    }
    let name = if arguments.is_empty() { None } else { Some(arguments.remove(0)) };
    match name.as_ref().and_then(|name| name.to_str()) {
        Some("release") => release::run(arguments),
        Some("check") => check::run(arguments),
        Some("simulate") => simulate::run(arguments),
        Some("refit") => refit::run(arguments),
        Some("report") => report::run(arguments),
        Some("ledger") => ledger::run(arguments),
        Some("account") => account::run(arguments),
        Some("mechs") => listing::run(arguments),
        Some("page") => page::run(arguments),
        Some("--help" | "-h" | "help") => print(help::MAIN),
        Some("--version" | "-V") => print(format!("discreet {}\n", env!("CARGO_PKG_VERSION"))),
        _ => Err(CliError::usage(
            "the command is missing or unknown; give release, check, simulate, refit, report, ledger, account, mechs or page; `discreet --help` \
             explains them",
        )),
    }
}

/// Writes to standard output, before or without any charge.
fn print(text: impl AsRef<[u8]>) -> Result<(), CliError> {
    check_output()?;
    write_out(text).map_err(|error| CliError::failed(words::error::cli_output(error)))
}

/// Checks that standard output is open. The Rust runtime opens a closed one as `/dev/null`, for reading and writing; what is written to it
/// is lost. A redirection to `/dev/null` is open for writing alone, and is a person's choice.
fn check_output() -> Result<(), CliError> {
    #[cfg(unix)]
    {
        use std::fs::{File, metadata};
        use std::io::Read;
        use std::os::fd::AsFd;
        use std::os::unix::fs::MetadataExt;
        let device = |file: &File| Some((file.metadata().ok()?.rdev(), metadata("/dev/null").ok()?.rdev()));
        if let Ok(output) = io::stdout().as_fd().try_clone_to_owned()
            && let mut file = File::from(output)
            && device(&file).is_some_and(|(own, null)| own == null)
            && file.read(&mut [0]).is_ok()
        {
            return Err(CliError::failed(words::error::cli_output_closed()));
        }
    }
    Ok(())
}

fn write_out(text: impl AsRef<[u8]>) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_ref())?;
    out.flush()
}
