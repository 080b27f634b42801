//! `adaptive-logistic` (theory/adaptive-logistic): golden values, and what has to hold of every round.

mod released;

use crate::adaptive_logistic_checks::{golden, identities, sensitivity, signal};

#[test]
fn every_round_gives_the_golden_values() {
    golden::check();
}

#[test]
fn no_neighbour_moves_a_round_by_more_than_its_sensitivity_and_some_by_all_of_it() {
    sensitivity::check();
}

#[test]
fn an_attacker_sees_of_a_step_what_is_charged() {
    println!("{}", signal::check().unwrap());
    println!("{}", signal::own_noise().unwrap());
}

#[test]
fn without_noise_it_settles_at_the_weighted_fit_for_every_guide_and_radius() {
    identities::settles_at_the_weighted_fit();
}

#[test]
fn other_noise_changes_everything_that_follows() {
    identities::other_noise_changes_everything();
}

#[test]
fn tables_without_a_fit_are_withheld() {
    identities::tables_without_a_fit_are_withheld();
}

#[test]
fn all_charges_together_are_the_budget_and_never_above() {
    identities::charges_are_the_budget();
}
