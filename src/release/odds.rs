//! Odds ratios from the coefficients of a logistic regression, and the words that say of which answer.

use super::figure;
use crate::model::{Estimate, INTERCEPT};
use crate::plan::document::{Column, ColumnType, Plan};
use crate::words;

/// The two answers of an outcome. Without them an odds ratio can be read upside down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answers {
    /// The answer whose odds, or whose share, is modelled.
    pub modelled: String,
    /// The answer that it is compared with.
    pub reference: String,
    /// Whether the coefficients are log-odds.
    log_odds: bool,
}

impl Answers {
    /// Returns the answers of an outcome: of a category its two levels, and under log-odds of a number 1 and 0. `None` for
    /// another outcome.
    pub fn of(column: &Column, log_odds: bool) -> Option<Self> {
        let (modelled, reference) = if column.kind == Some(ColumnType::Category) {
            let levels = column.levels.as_deref()?;
            let reference = column.reference_level()?;
            let mut others = levels.iter().filter(|level| *level != reference);
            let modelled = others.next().filter(|_| levels.len() == 2)?;
            [modelled, reference].map(|level| column.level_name(level).to_owned()).into()
        } else if log_odds {
            ("1".to_owned(), "0".to_owned())
        } else {
            return None;
        };
        Some(Self { modelled, reference, log_odds })
    }

    /// Returns them without the kind of the regression: `Nein against Ja`.
    pub fn compared(&self) -> String {
        words::result::against(&self.modelled, &self.reference)
    }

    /// Returns what is modelled: `odds of Nein against Ja`, or for a linear regression `Nein against Ja`.
    pub fn words(&self) -> String {
        if self.log_odds {
            words::result::odds_against(&self.modelled, &self.reference)
        } else {
            self.compared()
        }
    }
}

/// Returns the answers of an outcome of a plan.
pub fn answers(plan: &Plan, outcome: &str, log_odds: bool) -> Option<Answers> {
    Answers::of(figure::column(plan, outcome)?.as_ref(), log_odds)
}

/// Returns an outcome as headings, captions and figures name it: `Tod: odds of Nein against Ja`; one without two answers by its name.
pub fn named(plan: &Plan, outcome: &str, log_odds: bool) -> String {
    answers(plan, outcome, log_odds)
        .map_or_else(|| outcome.to_owned(), |answers| words::result::of_answers(outcome, answers.words()))
}

/// Returns the odds ratio of a term's log-odds: the exponentials of the coefficient and of the ends of its interval. One beyond the
/// doubles is 0 or infinite. `None` for the constant, which compares nothing. [`format::ratio`](super::format::ratio) writes it.
pub fn ratio(term: &str, entry: &Estimate) -> Option<Estimate> {
    if term == INTERCEPT {
        return None;
    }
    let raised = |value: Option<f64>| value.map(libm::exp);
    Some(Estimate {
        estimate: raised(entry.estimate),
        std_error: None,
        lower: raised(entry.lower),
        upper: raised(entry.upper),
        ..*entry
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::format;

    fn entry(estimate: f64) -> Estimate {
        Estimate::around(estimate, 0.1, 0.2)
    }

    #[test]
    fn a_ratio_has_the_interval_of_its_logarithm() {
        let ratio = ratio("x", &entry(core::f64::consts::LN_2)).unwrap();
        assert!((ratio.estimate.unwrap() - 2.0).abs() < 1e-15);
        assert!((ratio.lower.unwrap() * ratio.upper.unwrap() - 4.0).abs() < 1e-14);
        assert_eq!(super::ratio(INTERCEPT, &entry(0.0)), None);
    }

    #[test]
    fn what_is_beyond_the_doubles_is_told_as_above_or_below() {
        for (far, told) in [(1e6, "above"), (-1e6, "below")] {
            let written = format::ratio(&ratio("x", &entry(far)).unwrap());
            assert!(written.estimate.starts_with(told) && written.interval.matches(told).count() == 2);
        }
    }
}
