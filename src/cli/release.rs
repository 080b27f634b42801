//! The command `discreet release`: charges, then computes, then prints.

use std::ffi::OsString;

use super::args::Args;
use super::check::consent;
use super::error::CliError;
use super::halt::halt;
use super::job::{Job, software};
use super::store::LedgerFile;
use super::{help, print, write_out};
use crate::engine::Computation;
use crate::noise::entropy::PrivateRng;
use crate::plan::Purpose;
use crate::privacy::mutants::{Mutant, is_active};
use crate::release::document::LedgerReference;

/// Runs the command. Everything that can fail for a public reason fails before the charge. The release is printed only after
/// the ledger on the disk says `released`.
///
/// # Errors
/// [`CliError`], which says whether the charge was made.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let args = Args::parse(arguments, &["plan", "ledger", "public", "phenotypes", "workers"], &["confirm"])?;
    if args.help {
        return print(help::RELEASE);
    }
    let path = args.needed_path("ledger")?;
    let job = Job::new(&args, Purpose::Release)?;
    let (mut file, mut ledger) = LedgerFile::open(&path)?;
    ledger.check(&job.prepared.request())?;
    consent(&job.prepared, args.flag("confirm"))?;
    let software = software()?;
    let (prepared, mut material) = job.read()?;
    let rng = PrivateRng::from_os().map_err(|error| CliError::failed(error.to_string()))?;

    let entry = ledger.reserve(&prepared.request())?;
    let charged = |what: String| CliError::Charged { what, entry };
    if !is_active(Mutant::ChargeAfterCompute) {
        file.save(&ledger).map_err(|failure| {
            let what = failure.to_string();
            if failure.replaced { charged(what) } else { CliError::Failed(what) }
        })?;
    }
    halt("charged");

    let reference = LedgerReference { id: ledger.id().to_owned(), entry, idealised: ledger.idealised() };
    let mut computation = Computation::new(&prepared, rng);
    let rounds = || {
        while let Some(statistic) = computation.next_statistic() {
            computation.answer(&material.sums(&prepared, &statistic)?)?;
        }
        computation.release(reference, software)
    };
    let release = rounds();
    let release = release.map_err(|error| charged(error.to_string()))?;
    drop(material);
    halt("the noise is drawn");
    let mut text = Vec::new();
    release.write(&mut text).map_err(|error| charged(error.to_string()))?;
    ledger.release(entry).map_err(|error| charged(error.to_string()))?;
    file.save(&ledger).map_err(|failure| charged(failure.to_string()))?;
    halt("settled");
    write_out(&text).map_err(|error| charged(format!("standard output cannot be written: {error}")))?;
    halt("printed");
    Ok(())
}
