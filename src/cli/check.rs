//! The command `discreet check`: what a plan will cost and give, from public numbers and the table's header alone, with warnings from
//! its rows; and the question
//! before a release that would be of no use.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal, Write};

use super::args::Args;
use super::error::CliError;
use super::job::Job;
use super::ledger::{intended, price};
use super::whole_file::WholeFile;
use super::{help, print, store, warnings};
use crate::engine::foresee::{
    Foreseen, dependence, expected, foresee, half_widths, hopeless, risk, rows_of_one_person,
};
use crate::engine::{Prepared, outlook, standard_errors};
use crate::inference::forecast;
use crate::inference::preview::TermPreview;
use crate::mechanisms::info::are_log_odds;
use crate::model::Role;
use crate::plan::Purpose;
use crate::plan::bound::Kind;
use crate::plan::derived::named_with;
use crate::plan::document::Column;
use crate::privacy::ledger::Ledger;
use crate::privacy::promise::doubt;
use crate::release::format::{at_most, percent, significant};
use crate::release::odds;
use crate::text::{one_line, shortened};
use crate::words;

/// Runs the command.
///
/// # Errors
/// [`CliError`], also where a ledger cannot pay; nothing is charged.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let Some(args) =
        Args::parse(arguments, &["plan", "ledger", "public", "phenotypes", "workers"], &[], help::CHECK)?
    else {
        return Ok(());
    };
    let job = Job::new(&args, Purpose::Release)?;
    let mut warned = warnings::warn(&job)?;
    let whole = WholeFile::of(&job);
    match job.count(&whole.columns) {
        Ok(counts) => counts.iter().for_each(|counts| whole.warn(counts, &mut warned)),
        // A release would end with this error.
        Err(error) => {
            let _ = writeln!(io::stderr(), "discreet: warning: {}", shortened(&one_line(&error.to_string())));
        }
    }
    let mut text = described(&job);
    if let Some(path) = args.path("ledger") {
        let _ = writeln!(text, "{}", price(&store::read(&path)?, &job.prepared)?);
    }
    print(text)
}

fn described(job: &Job) -> String {
    let stage = &job.prepared;
    let prepared = stage.fit();
    let mut lines = vec![format!("mechanism: {}", prepared.info().name)];
    let recommended = job.recommended();
    if recommended.name != prepared.info().name {
        lines.push(format!("recommended: {}. {}", recommended.name, recommended.reason));
    }
    lines.extend(prepared.cost().and_then(|cost| match (stage.whole_mu(), cost.promise) {
        (Some(mu), Some((epsilon, delta))) if !stage.estimates_bounds() => {
            let [epsilon, delta, mu] = [epsilon.get(), delta.get(), mu].map(at_most);
            Some(format!("cost: epsilon {epsilon}, delta {delta}, mu {mu}"))
        }
        (Some(mu), _) => Some(format!("cost: mu {}", at_most(mu))),
        (None, Some((epsilon, delta))) => {
            Some(format!("cost: epsilon {}, delta {}", at_most(epsilon.get()), at_most(delta.get())))
        }
        (None, None) => None,
    }));
    lines.push(match &prepared.plan().person {
        Some(person) => {
            let most = prepared.checked().max_rows_per_person;
            format!("persons: one is a value of `{person}`, with at most {most} of its rows")
        }
        None => "persons: each row counts as one; if a person has several, name the column that tells them apart as \
                 `person` in the plan"
            .to_owned(),
    });
    if are_log_odds(prepared.plan()) {
        let of = |outcome: &String| odds::named(prepared.plan(), outcome, true);
        let outcomes: Vec<String> = named_with(prepared.plan(), Role::Outcome).iter().map(of).collect();
        let outcomes = outcomes.join(", ");
        lines.push(format!("computed: {outcomes}; another `reference` of the outcome turns it round"));
        lines.push(words::method::no_refit().to_owned());
    }
    let errors = standard_errors(prepared).unwrap_or_default();
    let foreseen = foresee(stage);
    let lost = foreseen.as_ref().map(|foreseen| foreseen.rehearsals.lost.clone()).unwrap_or_default();
    let sentences = foreseen.as_ref().map(Foreseen::sentences).unwrap_or_default();
    let assumption = foreseen.as_ref().and_then(Foreseen::assumption);
    let (verdict, terms) = match (foreseen, expected(stage), outlook(prepared)) {
        (Some(foreseen), ..) => (foreseen.verdict().to_owned(), foreseen.rehearsals.terms),
        (None, Some(preview), outlook) if outlook.is_none_or(|outlook| outlook.preflight.is_stable()) => {
            (preview.advice, preview.terms)
        }
        (None, _, Some(outlook)) => (outlook.sentences(), Vec::new()),
        (None, _, None) if prepared.stated_rows().is_none() => {
            ("Add `stated_rows` to the plan to see what to expect.".to_owned(), Vec::new())
        }
        (None, _, None) => {
            let told = hopeless(stage, None, None)
                .or_else(|| forecast::verdict(&errors).map(|(_, told)| told.to_owned()));
            let told = told.unwrap_or_else(|| "The noise of this mechanism cannot be forecast.".to_owned());
            (told, Vec::new())
        }
    };
    let promised = prepared.cost().and_then(|cost| cost.promise);
    let weak = promised.and_then(|(epsilon, delta)| doubt(epsilon, delta, prepared.checked().public_rows()));
    lines.extend(weak.map(|why| format!("warning: {why}")));
    let told = |why: &String| verdict.contains(why.as_str()) || sentences.contains(why);
    lines.extend(dependence(stage).filter(|why| !told(why)).map(|why| format!("warning: {why}")));
    let alike = rows_of_one_person(prepared).filter(|why| !told(why));
    lines.extend(alike.map(|why| format!("warning: {why}")));
    lines.push(format!("expected: {verdict}"));
    lines.extend(assumption.map(|assumed| format!("  {assumed}")));
    lines.extend(half_widths(prepared.plan(), &terms).map(|told| format!("  {told}")));
    lines.extend(sentences.iter().map(|sentence| format!("  {sentence}")));
    let half = if are_log_odds(prepared.plan()) {
        "half of a 95 % interval of log-odds"
    } else {
        "half of a 95 % interval"
    };
    let terms: Vec<&TermPreview> = terms.iter().filter(|term| term.is_told()).collect();
    let has_widths = !terms.is_empty();
    if has_widths {
        lines.push(format!("{half}, where values have {}{}:", assumed(prepared), levels(prepared)));
    }
    lines.extend(terms.into_iter().map(|term| {
        format!(
            "  {} by {}: {} (of the uncertainty, {} is privacy noise)",
            term.outcome,
            term.term,
            significant(term.half(), 2),
            percent(term.noise_share)
        )
    }));
    if has_widths {
        lines
            .extend(lost.into_iter().map(|term| format!("  {term}: {}", words::method::probably_withheld())));
    }
    if !errors.is_empty() {
        lines.push(format!("{half}:"));
    }
    lines.extend(errors.into_iter().map(|term| {
        let half = term.half().unwrap_or_else(|| term.noise_half());
        format!("  {} by {}: {}", term.outcome, term.term, significant(half, 2))
    }));
    let mut text = String::new();
    for line in lines {
        let _ = writeln!(text, "{}", one_line(&line));
    }
    text
}

/// Returns what they assume of levels.
fn levels(prepared: &Prepared) -> &'static str {
    let unstated = prepared.bound().columns.iter().any(|column| {
        column.role == Role::Feature
            && matches!(column.kind, Kind::Category { .. })
            && column.shares.is_none()
    });
    if unstated { ", and levels without a stated share are equally frequent" } else { "" }
}

/// Returns what the widths assume of the columns' spread.
fn assumed(prepared: &Prepared) -> &'static str {
    let plan = prepared.plan();
    let numbers = || plan.columns.iter().filter(|column| column.lower.is_some());
    let used = |column: &&Column| {
        let name = column.name.as_ref();
        column.role != Role::Ignored
            || plan.derived.iter().any(|term| term.from.iter().any(|of| Some(of) == name))
    };
    let typical = numbers().filter(used).filter(|column| column.typical.is_some()).count();
    match typical {
        0 => {
            "a standard deviation of a sixth of the range of their bounds (half of the range between neighbouring whole numbers)"
        }
        _ if typical == numbers().filter(used).count() => {
            "the standard deviations that the plan states as `typical`"
        }
        _ => {
            "the standard deviations that the plan states as `typical`, or else a sixth of the range of their bounds (half of the range between neighbouring whole numbers)"
        }
    }
}

/// Refuses a release whose promise protects next to nobody, unless the words for it were typed. Asks on a terminal whether to make one that
/// would be of no use, or where there was a warning (`warned`); elsewhere it writes a warning on standard error, refuses a release of which
/// no row can count (`stop`), and asks nothing where the person has agreed by `--confirm`.
///
/// # Errors
/// [`CliError`] where the person does not agree.
pub fn consent(
    prepared: &Prepared,
    ledger: &Ledger,
    args: &Args,
    warned: bool,
    stop: Option<String>,
) -> Result<(), CliError> {
    let (epsilon, delta) = ledger.promise();
    // Without the number of rows the promise was judged when the ledger was opened.
    let rows = prepared.checked().public_rows();
    intended(args, rows.and_then(|rows| doubt(epsilon, delta, Some(rows))))?;
    if args.flag("confirm") {
        return Ok(());
    }
    let (foreseen, expected) = (foresee(prepared), expected(prepared));
    let hopeless = hopeless(prepared, foreseen.as_ref(), expected.as_ref());
    if hopeless.is_none() && !warned {
        return Ok(());
    }
    let mut errors = io::stderr().lock();
    let risk = risk(foreseen.as_ref(), expected.as_ref()).filter(|_| hopeless.is_none());
    if let Some(why) = hopeless {
        // A failure to write a warning is ignored: the release is what was asked for.
        let _ = writeln!(errors, "discreet: {why}");
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        // Nobody can be asked.
        return stop.map_or(Ok(()), |why| Err(CliError::usage(why)));
    }
    if let Some(why) = risk {
        let _ = writeln!(errors, "discreet: {why}");
    }
    let _ = write!(errors, "Charge the ledger all the same? Type yes: ");
    let _ = errors.flush();
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    if read.is_ok() && answer.trim().eq_ignore_ascii_case("yes") {
        return Ok(());
    }
    Err(CliError::usage("nothing was charged; change the plan, or add --confirm to release all the same"))
}
