//! The command `discreet simulate`: prints demonstrations from a seed, one on each line.

use std::ffi::OsString;
use std::io::{self, BufWriter, Write};

use super::args::Args;
use super::error::CliError;
use super::job::{Job, software};
use super::{check_output, help};
use crate::data::EncodedRows;
use crate::engine::simulate::Source;
use crate::engine::{Demonstration, Prepared, Simulation, demonstrate, demonstrate_bounds};
use crate::noise::entropy::DemoRng;
use crate::plan::Purpose;
use crate::release::Release;
use crate::words;

/// Runs the command.
///
/// # Errors
/// [`CliError`]; nothing is ever charged.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Some(args) = Args::parse(
        arguments,
        &["plan", "runs", "seed", "public", "phenotypes", "workers"],
        &["resample"],
        help::SIMULATE,
    )?
    else {
        return Ok(());
    };
    let runs = args.value::<u64>("runs", "a whole number from 1")?.unwrap_or(1);
    if runs == 0 || runs >> 32 != 0 {
        return Err(CliError::usage("--runs is out of range; give 1 to 4294967295"));
    }
    let seed = args.value::<u64>("seed", "a whole number from 0")?.unwrap_or(1);
    let job = Job::new(&args, Purpose::Simulate)?;
    if job.prepared.rereads() {
        return Err(CliError::usage(
            "a demonstration keeps all rows in memory, and the plan states too many; lower `rows` or `stated_rows`",
        ));
    }
    let software = software()?;
    let fit = job.fit()?;
    if let Some(fit) = fit {
        if args.flag("resample") {
            return Err(CliError::usage(
                "--resample draws encoded rows, whose code depends on bounds that each run estimates; leave it out, or state the \
                 bounds",
            ));
        }
        let (prepared, scan) = job.scan(Prepared::sums)?;
        return write_runs(runs, |run| {
            let bounds = demonstrate_bounds(&prepared, &scan.sink, (seed, run), software.clone())?;
            if lacks_bounds(bounds.document()) {
                return Ok(bounds);
            }
            let (prepared, scan) = fit.job(&prepared, bounds.document())?.scan(Prepared::sums)?;
            Ok(demonstrate(&prepared, &scan.sink, DemoRng::new(seed, run), software.clone())?)
        });
    }
    let simulation = if args.flag("resample") {
        let (prepared, scan) = job.scan(|prepared| EncodedRows::new(prepared.row_width()))?;
        let source = Source::Resample { rows: scan.sink, records: scan.records };
        Simulation::new(prepared, source, seed, software)
    } else {
        let (prepared, scan) = job.scan(Prepared::sums)?;
        Simulation::new(prepared, Source::Once(scan.sink), seed, software)
    };
    write_runs(runs, |run| Ok(simulation.run(run)?))
}

/// Writes the runs, one on a line.
fn write_runs(runs: u64, of: impl Fn(u64) -> Result<Demonstration, CliError>) -> Result<(), CliError> {
    check_output()?;
    let mut out = BufWriter::new(io::stdout().lock());
    let unwritable = |error: io::Error| CliError::failed(words::error::cli_output(error));
    for run in 1..=runs {
        let release = of(run)?;
        let line = serde_json::to_string(&release).map_err(|error| CliError::failed(error.to_string()))?;
        writeln!(out, "{line}").map_err(unwritable)?;
    }
    out.flush().map_err(unwritable)
}

/// Returns whether some column has no bounds, so that nothing can be fitted.
fn lacks_bounds(release: &Release) -> bool {
    release.estimated_bounds.as_ref().is_some_and(|bounds| bounds.missing().next().is_some())
}
