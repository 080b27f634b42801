//! The command `discreet ledger`: opens, shows, verifies, imports and relaxes a ledger, and prints its releases again.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use super::args::Args;
use super::clock::today;
use super::error::CliError;
use super::store::{self, LedgerFile};
use super::{help, kept, print};
use crate::engine::Prepared;
use crate::noise::entropy::random_id;
use crate::plan::check::MAX_ROWS_PER_PERSON;
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::{Budget, Split, mu_of_part, part};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::ledger::{Entry, Kind, Ledger, LedgerError, Opening, Quantity, State, Terms};
use crate::privacy::measure::{Delta, Epsilon, Mu, Rho};
use crate::privacy::promise::{WEAK, doubt, is_confirmed};
use crate::privacy::units::Units;
use crate::release::format::at_most;
use crate::text::one_line;
use crate::words;

/// Runs the command.
///
/// # Errors
/// [`CliError`]; this command never charges.
pub fn run(mut arguments: Vec<OsString>) -> Result<(), CliError> {
    let name = if arguments.is_empty() { None } else { Some(arguments.remove(0)) };
    match name.as_ref().and_then(|name| name.to_str()) {
        Some("new") => new(arguments),
        Some("show") => one_file(arguments, |path| print(show(&store::read(path)?))),
        Some("verify") => one_file(arguments, |path| {
            let ledger = store::read(path)?;
            print(format!("ok: {} entries, tip {}\n", ledger.entries().len(), ledger.tip()))
        }),
        Some("reprint") => reprint(arguments),
        Some("import") => import(arguments),
        Some("relax") => relax(arguments),
        Some("--help" | "-h") => print(help::LEDGER),
        _ => Err(CliError::usage(
            "the action is missing or unknown; give new, show, verify, reprint, import or relax",
        )),
    }
}

fn one_file(arguments: Vec<OsString>, work: impl Fn(&Path) -> Result<(), CliError>) -> Result<(), CliError> {
    let Some(args) = Args::parse(arguments, &[], &[], help::LEDGER)? else { return Ok(()) };
    let [path] = args.places(["the ledger"])?;
    work(&path)
}

fn new(arguments: Vec<OsString>) -> Result<(), CliError> {
    let options = [
        "epsilon", "delta", "mu", "rho", "adjacency", "split", "other-epsilon", "other-delta", "protect",
        "max-rows-per-person", "confirm-weak",
    ];
    let Some(args) = Args::parse(arguments, &options, &[], help::LEDGER)? else { return Ok(()) };
    let [path] = args.places(["the ledger"])?;
    let adjacency = match args.needed_text("adjacency")? {
        "add-remove" => Adjacency::AddRemove,
        "replace-one" => Adjacency::ReplaceOne,
        _ => return Err(CliError::usage("--adjacency is unknown; give add-remove or replace-one")),
    };
    let protect = args.text("protect")?.map_or(Ok(Protect::Rows), protection)?;
    let max_rows_per_person = args.value::<u32>("max-rows-per-person", "a whole number from 1")?.unwrap_or(1);
    if max_rows_per_person > MAX_ROWS_PER_PERSON {
        return Err(CliError::usage(format!(
            "--max-rows-per-person is too large; give at most {MAX_ROWS_PER_PERSON}"
        )));
    }
    let id = random_id().map_err(|error| CliError::failed(error.to_string()))?;
    let ledger = Ledger::open(&Opening {
        id,
        created: &today(),
        terms: Terms { adjacency, protect, max_rows_per_person },
        budget: budget(&args)?,
        split: split(&args)?,
    })?;
    let (epsilon, delta) = ledger.promise();
    intended(&args, doubt(epsilon, delta, None))?;
    LedgerFile::create(&path, &ledger)
}

/// Refuses a promise that protects next to nobody, for the reason `why`, unless the words for it were typed.
///
/// # Errors
/// [`CliError`] where they were not.
pub fn intended(args: &Args, why: Option<String>) -> Result<(), CliError> {
    match why {
        Some(why) if !args.text("confirm-weak")?.is_some_and(is_confirmed) => {
            Err(CliError::usage(format!("{why}; if it is intended, add --confirm-weak \"{WEAK}\"")))
        }
        _ => Ok(()),
    }
}

fn budget(args: &Args) -> Result<Budget, CliError> {
    let delta = measure(args, "delta", Delta::try_new)?;
    match (
        measure(args, "epsilon", Epsilon::try_new)?,
        measure(args, "mu", Mu::try_new)?,
        measure(args, "rho", Rho::try_new)?,
    ) {
        (Some(epsilon), None, None) => {
            if epsilon == Epsilon::ZERO {
                return Err(CliError::usage("--epsilon: a budget has to be above 0; give a larger number"));
            }
            let delta = delta.ok_or_else(|| {
                CliError::usage(
                    "--delta is missing; state it, about one over ten times the number of persons",
                )
            })?;
            Ok(Budget::EpsilonDelta { epsilon, delta })
        }
        (None, Some(mu), None) => Ok(Budget::Mu { mu, delta }),
        (None, None, Some(rho)) => Ok(Budget::Rho { rho, delta }),
        _ => Err(CliError::usage("a budget has one form; give --epsilon, --mu or --rho, with --delta")),
    }
}

fn split(args: &Args) -> Result<Split, CliError> {
    let epsilon = measure(args, "other-epsilon", Epsilon::try_new)?;
    let delta = measure(args, "other-delta", Delta::try_new)?;
    match (args.text("split")?, epsilon, delta) {
        (None | Some("both"), Some(epsilon), Some(delta)) => Ok(Split::Explicit { epsilon, delta }),
        (None | Some("gaussian"), None, None) => Ok(Split::Gaussian),
        (Some("other"), None, None) => Ok(Split::Other),
        (Some("both"), None, None) => Ok(Split::Both),
        (Some("gaussian" | "other" | "both") | None, _, _) => Err(CliError::usage(
            "--other-epsilon and --other-delta contradict the rest; give both of them, with --split both or without --split",
        )),
        (Some(_), _, _) => Err(CliError::usage("--split is unknown; give gaussian, other or both")),
    }
}

/// Returns a measure of privacy, if given.
pub(super) fn measure<T, E: std::fmt::Display>(
    args: &Args,
    name: &str,
    read: impl Fn(f64) -> Result<T, E>,
) -> Result<Option<T>, CliError> {
    let Some(value) = args.value::<f64>(name, "a number")? else { return Ok(None) };
    read(value).map(Some).map_err(|error| CliError::usage(format!("--{name}: {error}")))
}

fn protection(text: &str) -> Result<Protect, CliError> {
    match text {
        "rows" => Ok(Protect::Rows),
        "features" => Ok(Protect::Features),
        "labels" => Ok(Protect::Labels),
        _ => Err(CliError::usage("the protection is unknown; give rows, features or labels")),
    }
}

/// Prints a release that is kept beside the ledger.
fn reprint(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Some(args) = Args::parse(arguments, &["entry"], &[], help::LEDGER)? else { return Ok(()) };
    let [path] = args.places(["the ledger"])?;
    let entry = args.value("entry", "the number of an entry, as `ledger show` prints it")?;
    print(kept::read(&store::canonical(&path)?, &store::read(&path)?, entry)?)
}

fn import(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Some(args) = Args::parse(arguments, &[], &[], help::LEDGER)? else { return Ok(()) };
    let [path, from] = args.places(["the ledger", "the exported copy"])?;
    let exported = store::read(&from)?;
    let (mut file, mut ledger) = LedgerFile::open(&path)?;
    let news = ledger.import(&exported)?;
    save(&mut file, &ledger)?;
    print(format!("ok: {news} entries are new or settled\n"))
}

fn relax(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Some(args) = Args::parse(arguments, &[], &["confirm"], help::LEDGER)? else { return Ok(()) };
    let [path, protect] = args.places(["the ledger", "`features` or `labels`"])?;
    let protect = protection(protect.to_str().unwrap_or_default())?;
    if !args.flag("confirm") {
        return Err(CliError::usage(format!(
            "this would make the ledger protect {protect} alone, permanently; ask the person responsible, then add --confirm"
        )));
    }
    let (mut file, mut ledger) = LedgerFile::open(&path)?;
    ledger.relax(protect)?;
    save(&mut file, &ledger)
}

fn save(file: &mut LedgerFile, ledger: &Ledger) -> Result<(), CliError> {
    file.save(ledger).map_err(|failure| {
        let done = if failure.replaced {
            "; the ledger was replaced, but a power failure may undo that"
        } else {
            ""
        };
        CliError::failed(format!("{failure}{done}"))
    })
}

/// Describes a ledger for a person.
fn show(ledger: &Ledger) -> String {
    let (terms, (epsilon, delta), pair) = (ledger.terms(), ledger.promise(), ledger.pair());
    let (capacity, left) = (ledger.capacity(), ledger.remaining());
    let mut text = format!(
        "ledger {} of {}\npromise: epsilon {epsilon}, delta {delta}, for everything released under it\nadjacency {}, \
         protects {}, reads at most {} row(s) per person\n",
        ledger.id(),
        ledger.created(),
        terms.adjacency,
        terms.protect,
        terms.max_rows_per_person,
    );
    if ledger.idealised() {
        text.push_str(
            "one of its releases is IDEALISED: the promise holds for exact real-number arithmetic only\n",
        );
    }
    if ledger.mixes_persons() {
        text.push_str(
            "its releases tell persons apart in different ways: the promise rests on the word of those who confirmed that they are the same\n",
        );
    }
    text.push('\n');
    if capacity.gaussian > 0 {
        let _ = writeln!(text, "Gaussian budget: mu {}", pair.mu);
    }
    if capacity.epsilon > 0 {
        let _ = writeln!(text, "(epsilon, delta) budget: epsilon {}, delta {}", pair.epsilon, pair.delta);
    }
    for (name, left, whole) in [
        ("mu squared (2^-40)", left.gaussian, capacity.gaussian),
        ("epsilon (2^-40)", left.epsilon, capacity.epsilon),
        ("delta (2^-100)", left.delta, capacity.delta),
        ("rounding (2^-100)", left.slack, capacity.slack),
    ] {
        if whole > 0 {
            let _ = writeln!(
                text,
                "  {name:<19} {} of {whole} units charged, {left} left ({})",
                whole.saturating_sub(left),
                share(left, whole)
            );
        }
    }
    let _ = writeln!(text, "\n{} entries", ledger.entries().len());
    for entry in ledger.entries() {
        let charge = &entry.charge;
        // Of the (ε, δ) budget the part of which more was charged.
        let (epsilon, delta) = ((charge.epsilon, capacity.epsilon), (charge.delta, capacity.delta));
        let more = |(part, whole): (u128, u128), (other, of): (u128, u128)| {
            hundredths(part, whole).max(hundredths(other, of))
        };
        let other = Some(more(epsilon, delta)).filter(|_| charge.epsilon > 0 || charge.delta > 0);
        let gaussian = Some(hundredths(charge.gaussian, capacity.gaussian));
        let gaussian = gaussian.filter(|_| charge.gaussian > 0 || other.is_none());
        let other = other.map(|part| format!("{} of the (epsilon, delta) budget", as_percent(part)));
        let costs: Vec<String> = gaussian.map(as_percent).into_iter().chain(other).collect();
        let cost = costs.join(", ");
        let _ = writeln!(text, "  {:>3}  {}  {cost}", entry.seq, described(entry));
    }
    text
}

/// Describes what an entry is, and its state.
fn described(entry: &Entry) -> String {
    let kind = match entry.kind {
        Kind::Release => one_line(&entry.mechanism),
        Kind::Relax => "relaxed".to_owned(),
        Kind::Disjoint => {
            let other = one_line(entry.disjoint_from().unwrap_or_default());
            format!("stated: ledger {other} is about different people")
        }
    };
    let state = match entry.state {
        State::Reserved => "reserved",
        State::Released => "released",
        State::Burned => "burned: its release was lost, its charge stays",
    };
    format!("{kind}  {state}")
}

/// Checks that a ledger can pay for a plan.
///
/// # Errors
/// [`CliError`] if it cannot. For a plan that states its budget as epsilon, the error names the epsilon that fits.
pub fn affordable(ledger: &Ledger, prepared: &Prepared) -> Result<(), CliError> {
    let Err(error) = ledger.check(&prepared.whole_request()) else { return Ok(()) };
    let promised = prepared.fit().cost().and_then(|cost| cost.promise);
    let (LedgerError::Refused(refusal), Some((_, delta))) = (&error, promised) else {
        return Err(error.into());
    };
    let left = mu_of_part(refusal.left, 100).filter(|_| refusal.quantity == Quantity::Gaussian);
    let epsilon = left.and_then(|left| gdp_epsilon(Mu::try_new(left).ok()?, delta).ok());
    Err(match epsilon.and_then(|epsilon| part(epsilon.get(), 100)) {
        Some(most) => CliError::Refused(words::error::cli_refused(&error, at_most(delta.get()), most)),
        None => error.into(),
    })
}

/// Describes what a plan's release takes of a ledger's budget.
///
/// # Errors
/// [`CliError`] where the ledger cannot pay for it.
pub fn price(ledger: &Ledger, prepared: &Prepared) -> Result<String, CliError> {
    affordable(ledger, prepared)?;
    let (capacity, left) = (ledger.capacity(), ledger.remaining());
    let charge = prepared.charge(ledger.promise().0)?;
    let most_of = |of: &Units| {
        let parts = [(charge.gaussian, of.gaussian), (charge.epsilon, of.epsilon), (charge.delta, of.delta)];
        as_percent(parts.into_iter().map(|(part, whole)| hundredths(part, whole)).max().unwrap_or(0))
    };
    Ok(format!(
        "ledger: takes {} of what is left, {} of the whole budget",
        most_of(&left),
        most_of(&capacity)
    ))
}

/// Returns a share of the whole in percent, rounded down.
fn share(part: u128, whole: u128) -> String {
    as_percent(hundredths(part, whole))
}

fn as_percent(hundredths: u128) -> String {
    format!("{}.{:02} %", hundredths / 100, hundredths % 100)
}

/// Returns a share of the whole in hundredths of a percent, rounded down.
fn hundredths(part: u128, whole: u128) -> u128 {
    // Up to 2^114 the product fits; a larger budget loses digits that the percentage does not show.
    let shift = (u128::BITS - whole.leading_zeros()).saturating_sub(112);
    ((part >> shift) * 10_000).checked_div(whole >> shift).unwrap_or(0)
}
