//! The command `discreet release`: charges, then computes, then prints.

use std::ffi::OsString;
use std::io::{self, Write};

use super::args::Args;
use super::check::consent;
use super::error::CliError;
use super::halt::halt;
use super::job::{Job, Read, software};
use super::kept::{Kept, answered};
use super::ledger::affordable;
use super::store::LedgerFile;
use super::whole_file::WholeFile;
use super::{check_output, help, public, warnings, write_out};
use crate::engine::{Computation, Prepared};
use crate::noise::entropy::PrivateRng;
use crate::plan::Purpose;
use crate::privacy::ledger::Ledger;
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::Release;
use crate::release::document::{LedgerReference, Software};
use crate::release::row_count::RowCount;
use crate::text::one_line;
use crate::words;

/// Runs the command. Everything that can fail for a public reason fails before the charge. The release is kept beside the ledger, and it
/// is printed only after the ledger on the disk says `released`. A plan that estimates bounds has two charges: for the bounds, and, if they
/// were found, for the fit.
///
/// # Errors
/// [`CliError`], which says whether the charge was made.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let options = ["plan", "ledger", "public", "confirm-public", "confirm-weak", "phenotypes", "workers"];
    let Some(args) = Args::parse(arguments, &options, &["confirm"], help::RELEASE)? else { return Ok(()) };
    let path = args.needed_path("ledger")?;
    check_output()?;
    let job = Job::new(&args, Purpose::Release)?;
    let job = if public::confirmed(&args)? { job } else { job.compare()? };
    let fit = job.fit()?;
    let mut warned = warnings::warn(&job)?;
    let (mut file, mut ledger) = LedgerFile::open(&path)?;
    affordable(&ledger, &job.prepared)?;
    let whole = (!args.flag("confirm")).then(|| WholeFile::of(&job));
    let read = job.read(whole.as_ref().map(|whole| whole.columns.as_slice()))?;
    let plan = read.prepared.plan();
    let again = whole.as_ref().and_then(|_| answered(file.path(), &ledger, plan));
    if let (Some(whole), Some(counts)) = (whole, &read.counts) {
        whole.warn(counts, &mut warned);
    }
    if let Some(again) = again {
        // A failure to write a warning is ignored: the release is what was asked for.
        let _ = writeln!(io::stderr(), "discreet: warning: {}", again.sentence());
    }
    consent(&read.prepared, &ledger, &args, !warned.said.is_empty() || again.is_some(), warned.stop)?;
    let software = software()?;
    let first = charged(read, &mut file, &mut ledger, software.clone())?;
    let Some(fit) = fit else { return first.print() };
    // From here on the bounds are paid for, so what was released of them is printed whatever happens.
    let alone = |error: CliError| match error {
        CliError::Charged { .. } | CliError::Kept { .. } => error,
        error => CliError::BoundsAlone { what: error.to_string(), entry: first.entry },
    };
    let second = fit.job(&first.prepared, &first.release).and_then(|job| {
        ledger.check(&job.prepared.request())?;
        charged(job.read(None)?, &mut file, &mut ledger, software)
    });
    match second {
        Ok(second) => second.print(),
        Err(error) => {
            first.print()?;
            Err(alone(error))
        }
    }
}

/// A release whose charge the ledger on the disk has as released.
struct Charged {
    prepared: Prepared,
    release: Release,
    text: Vec<u8>,
    entry: u64,
    /// Whether a copy is beside the ledger.
    kept: bool,
}

impl Charged {
    fn print(&self) -> Result<(), CliError> {
        write_out(&self.text)
            .map_err(|error| after_charge(words::error::cli_output(error), self.entry, self.kept))?;
        halt("printed");
        if let Some(count) = RowCount::of(&self.release) {
            // The release is out and charged, so a closed standard error changes nothing.
            let _ = writeln!(io::stderr(), "discreet: {}", one_line(&count.sentence()));
        }
        Ok(())
    }
}

fn after_charge(what: String, entry: u64, kept: bool) -> CliError {
    if kept { CliError::Kept { what, entry } } else { CliError::Charged { what, entry } }
}

/// Charges the ledger and makes the release.
fn charged(
    read: Read,
    file: &mut LedgerFile,
    ledger: &mut Ledger,
    software: Software,
) -> Result<Charged, CliError> {
    let Read { prepared, mut material, counts: _ } = read;
    let rng = PrivateRng::from_os().map_err(|error| CliError::failed(error.to_string()))?;

    let entry = ledger.reserve(&prepared.request())?;
    let kept = Kept::prepare(file.path(), ledger, entry)?;
    let charged = |what: String| CliError::Charged { what, entry };
    if ![Mutant::ChargeAfterCompute, Mutant::ChargeAfterRound].into_iter().any(is_active) {
        file.save(ledger).map_err(|failure| {
            let what = failure.to_string();
            if failure.replaced { charged(what) } else { CliError::Failed(what) }
        })?;
    }
    halt("charged");

    let reference = LedgerReference::new(ledger, entry);
    let mut computation = Computation::new(&prepared, rng);
    let rounds = || {
        while let Some(statistic) = computation.next_statistic() {
            computation.answer(&material.sums(&prepared, &statistic)?)?;
            if is_active(Mutant::ChargeAfterRound) && computation.number() == 1 {
                let _ = file.save(ledger);
            }
            halt("a round is answered");
        }
        computation.release(reference, software)
    };
    let release = rounds().map_err(|error| charged(error.to_string()))?;
    drop(material);
    halt("the noise is drawn");
    let mut text = Vec::new();
    release.write(&mut text).map_err(|error| charged(error.to_string()))?;
    let kept = kept.store(&text);
    if let Err(error) = &kept {
        // A failure to write a warning is ignored: the release is printed all the same.
        let _ = writeln!(io::stderr(), "discreet: {}", words::error::kept_not(error));
    }
    let kept = kept.is_ok();
    let charged = |what: String| after_charge(what, entry, kept);
    ledger.release(entry).map_err(|error| charged(error.to_string()))?;
    file.save(ledger).map_err(|failure| charged(failure.to_string()))?;
    halt("settled");
    Ok(Charged { prepared, release, text, entry, kept })
}
