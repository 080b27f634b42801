//! The tables of a release: coefficients with tests, whole categories, adjusted p-values, and the description of the columns.

mod coefficients;
mod columns;
mod fit;
mod levels;
mod p_values;
mod written;

pub use self::coefficients::{coefficients, factors, is_least_share, standardised_coefficients};
pub use self::columns::{columns, correlations};
pub(super) use self::columns::{mean_of, sd_of};
pub use self::fit::{fit, r_squared};
pub(super) use self::fit::{fit_in_sentences, is_withheld, outcome_spread, residual_noise, spread};
pub use self::levels::{differences, effect, level_means, level_pairs, levels, step};
pub use self::p_values::{adjusted, categories, has_test, test_notes};
pub use self::written::{
    drawn, interval, interval_head, label, labelled, lines, name, p_value, ratio, title, z_value,
};
pub(super) use self::written::{head, number, per_deviation, ratio_head};
use super::super::Release;
use super::super::figure;
use super::super::supplement::Supplement;
use super::stated;
use super::{Labels, MOST_OUTCOMES, Table};
use crate::words;

/// Most rows of a table of adjusted p-values.
const MOST_ADJUSTED: usize = 1_000;

/// Returns all tables of a release.
pub fn all(release: &Release, supplement: &Supplement, labels: &Labels) -> Vec<Table> {
    let (per, decimal) = (labels.scale(), labels.decimal);
    let mut tables: Vec<Table> = Vec::new();
    if !release.coefficients.is_undetermined() {
        let outcomes = figure::outcomes(release);
        tables.extend(
            outcomes
                .iter()
                .take(MOST_OUTCOMES)
                .map(|outcome| coefficients(release, supplement, outcome, labels)),
        );
        if let Some(last) = tables.last_mut()
            && outcomes.len() > MOST_OUTCOMES
        {
            last.notes.push(words::report::more_outcomes(outcomes.len() - MOST_OUTCOMES));
        }
        let logarithms = outcomes.iter().take(MOST_OUTCOMES);
        tables.extend(logarithms.filter_map(|outcome| factors(release, outcome, per)));
        let all = outcomes.iter().take(MOST_OUTCOMES);
        tables.extend(all.filter_map(|outcome| differences(release, supplement, outcome, per)));
        tables.extend(levels(release, supplement));
        tables.extend(categories(release, supplement));
        tables.extend(adjusted(release));
    }
    if let Some(description) = &supplement.description {
        tables.extend(columns(release, supplement, description));
        tables.extend(correlations(release, description));
    }
    tables.push(stated::columns(release, supplement.log_odds, decimal));
    tables.into_iter().map(|table| decimal.of_table(table)).collect()
}

/// Returns the tables of a regression that was computed from a release.
pub(super) fn regression(
    release: &Release,
    supplement: &Supplement,
    outcome: &str,
    labels: &Labels,
) -> Vec<Table> {
    let per = labels.scale();
    let coefficients = coefficients(release, supplement, outcome, labels);
    let factors = factors(release, outcome, per).into_iter();
    let others =
        factors.chain(differences(release, supplement, outcome, per)).chain(categories(release, supplement));
    std::iter::once(coefficients).chain(others).chain(levels(release, supplement)).collect()
}
