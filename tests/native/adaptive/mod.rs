//! `adaptive-gauss` (theory/adaptive): golden values, and what has to hold of every round.

mod adversarial;
#[path = "../../vectors/adaptive.rs"]
mod golden;
mod hostile;
mod persons;
mod released;

use discreet::inference::noise_forecast::Advice;
use discreet::mechanisms::adaptive_gauss::forecast::Forecast;
use discreet::mechanisms::adaptive_gauss::units::{Rounds, Shares};
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{Budget, Split, budget_parts};
use discreet::privacy::measure::{Delta, Epsilon};

use crate::adaptive_checks::accuracy::{self, Errors};
use crate::adaptive_checks::{Column, identities, sensitivity, terms};

#[test]
fn every_round_gives_the_golden_values() {
    golden::every_round();
}

#[test]
fn every_coefficient_has_the_golden_gate() {
    golden::every_gate();
}

/// Acceptance test 6 of theory/adaptive 9 in short; `make audit-native` has the long form.
#[test]
fn intervals_cover_the_true_slopes_where_rows_are_drawn_again() {
    for (adjacency, epsilon, errors) in [
        (Adjacency::AddRemove, 2.0, Errors::Normal),
        (Adjacency::ReplaceOne, 4.0, Errors::Normal),
        (Adjacency::AddRemove, 2.0, Errors::Skewed),
    ] {
        let (covered, withheld) = accuracy::coverage(adjacency, epsilon, 0, 4_000, errors, 150);
        println!("{adjacency:?} {epsilon} {errors:?}: {covered:.3} covered, {withheld:.3} withheld");
        assert!(
            (covered - 0.95).abs() <= 0.025 && withheld < 0.05,
            "{adjacency:?} {errors:?}: {covered} {withheld}"
        );
    }
}

/// Where residuals spread unequally, intervals cover with a share of the budget for scores, and not without; where they spread equally, they
/// cover with it, too.
#[test]
fn robust_intervals_cover_where_residuals_spread_unequally() {
    for (adjacency, epsilon, scores, errors, [least, most]) in [
        (Adjacency::AddRemove, 2.0, 0, Errors::Unequal, [0.0, 0.9]),
        (Adjacency::AddRemove, 2.0, 1_000, Errors::Unequal, [0.92, 0.99]),
        (Adjacency::ReplaceOne, 4.0, 1_000, Errors::Unequal, [0.92, 0.99]),
        (Adjacency::AddRemove, 2.0, 1_000, Errors::Normal, [0.925, 0.975]),
    ] {
        let (covered, withheld) = accuracy::coverage(adjacency, epsilon, scores, 4_000, errors, 200);
        println!("{adjacency:?} {epsilon} {scores} {errors:?}: {covered:.3} covered, {withheld:.3} withheld");
        assert!((least..=most).contains(&covered), "{adjacency:?} {scores} {errors:?}: {covered}");
    }
}

/// Acceptance test 7: 59 features, 40,000 rows, epsilon 2.
#[test]
fn many_features_have_slopes_within_their_standard_errors() {
    let error = accuracy::wide_error(2.0, 40_000, 2).unwrap();
    println!("median error {error:.3}");
    assert!(error <= 0.6, "{error}");
}

#[test]
fn no_neighbour_moves_a_round_by_more_than_its_sensitivity_and_some_by_all_of_it() {
    sensitivity::check();
}

#[test]
fn without_noise_and_clipping_it_is_least_squares_for_every_guide() {
    identities::is_least_squares();
}

#[test]
fn a_regression_on_some_of_the_features_is_least_squares_on_these() {
    identities::excluded_features_have_the_slope_0();
}

#[test]
fn a_penalty_on_some_of_the_features_is_a_ridge_and_its_noise_is_what_is_said() {
    identities::a_penalty_is_a_ridge_on_coded_slopes();
}

#[test]
fn a_shortened_record_has_a_weight_that_its_features_decide() {
    identities::shortening_is_a_weight();
}

#[test]
fn the_noise_that_is_said_is_the_noise_that_there_is() {
    identities::noise_reaches_the_coefficients();
}

#[test]
fn all_charges_together_are_the_budget_and_never_above() {
    identities::charges_are_the_budget();
}

#[test]
fn a_budget_below_the_coarse_units_is_refused() {
    let number = || Column::Number(-1.0, 1.0);
    let terms = terms(&[number()], &[number()]);
    for units in [0, 1_000, 1 << 80] {
        assert!(Rounds::new(&terms, Adjacency::AddRemove, 1, Shares::default(), units).is_err(), "{units}");
    }
}

#[test]
fn the_forecast_of_the_sample() {
    // theory/adaptive 6.2: blood pressure, 11,830 complete rows, k = 6: 1.21, 0.51, 0.27 and 0.08 at epsilon 0.5, 1, 2 and 8, delta 1e-6.
    let number = || Column::Number(0.0, 1.0);
    let terms = terms(&[number(), number(), number(), Column::Category(2), number()], &[number()]);
    for (epsilon, error) in [(0.5, 1.21), (1.0, 0.51), (2.0, 0.27), (8.0, 0.08)] {
        let budget = Budget::EpsilonDelta {
            epsilon: Epsilon::try_new(epsilon).unwrap(),
            delta: Delta::try_new(1e-6).unwrap(),
        };
        let mu = budget_parts(&budget, &Split::Gaussian).unwrap().pair.mu.get();
        let forecast = Forecast::new(&terms, Adjacency::AddRemove, 1, 11_830.0, mu, Shares::default());
        let found = forecast.noise_forecast(&terms, &[]).median_error();
        assert!((found - error).abs() < 0.01, "{found}");
        // theory/adaptive 5.3: at epsilon 0.5 the intervals of this table are marked approximate.
        let advice = if epsilon < 1.0 { Advice::Approximate } else { Advice::Recommended };
        assert_eq!(forecast.advice(1.0), advice);
        let few = Forecast::new(&terms, Adjacency::AddRemove, 1, 100.0, mu, Shares::default());
        assert_eq!(few.advice(1.0), Advice::TooFew, "{few:?}");
    }
}
