//! `make audit`: the audits of theory/audit 3 on the build as it is, in full size, and then all that has to catch each mutant
//! (theory/audit 4). A mutant that one of them does not see fails the run.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "an audit fails by panicking")]

#[expect(dead_code, reason = "some of it is for the native tests alone")]
#[path = "adaptive/mod.rs"]
mod adaptive_checks;
#[expect(dead_code, reason = "some of it is for the native tests alone")]
#[path = "adaptive_logistic/mod.rs"]
mod adaptive_logistic_checks;
mod audits;
#[expect(dead_code, reason = "some of it is for the native tests alone")]
#[path = "estimated_bounds/mod.rs"]
mod estimated_bounds_checks;
#[expect(dead_code, reason = "some of it is for the native tests alone")]
mod ledger_attacks;
mod ledger_model;
mod mutants;

use std::process::ExitCode;

use audits::Depth;
use mutants::{Task, all};

/// What has to hold of the ledger.
const LEDGER: [(&str, ledger_attacks::Check); 8] = [
    ("random requests follow the model", || ledger_model::follows_the_model(2_000)),
    ("spelled requests follow the model", || {
        ledger_model::requests_of_bytes(include_bytes!("../fuzz/corpus/requests/seed-10"))
    }),
    ("admission follows the model", || ledger_model::admits_by_the_model(20_000)),
    ("noise scales below 2^40 are refused", ledger_model::refuses_coarse_noise),
    ("every altered document is refused", ledger_model::refuses_every_alteration),
    ("a release killed at each place stays charged", ledger_attacks::a_killed_release_stays_charged),
    (
        "a release of several rounds killed at each place stays charged",
        ledger_attacks::a_killed_release_of_rounds_stays_charged,
    ),
    ("two releases on a budget for one", ledger_attacks::a_budget_pays_once),
];

fn main() -> ExitCode {
    // Under a mutant arithmetic may panic, which is as good a catch as any.
    std::panic::set_hook(Box::new(|_| ()));
    println!("The build as it is");
    let full = audits::audits(Depth::Full).into_iter();
    let full = full.map(|audit| Task { name: audit.name, work: audit.run });
    let sound = all(full.chain(LEDGER.map(ledger_task)).collect());
    println!("\nMutants");
    if all(mutants::hunts(Depth::Full)) && sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn ledger_task((name, check): (&str, ledger_attacks::Check)) -> Task {
    Task { name: format!("T8 {name}"), work: Box::new(move || check().map(|()| "holds".to_owned())) }
}
