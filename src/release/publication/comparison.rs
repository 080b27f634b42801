//! Two regressions beside each other, term by term: from released numbers alone (theory/inference 6.7).

use super::super::Release;
use super::super::document::Coefficients;
use super::super::figure::{self, Figure, Line, Scale};
use super::super::format::{self, at_most, short};
use super::super::odds;
use super::super::paid::LedgerReference;
use super::super::remarks::of_rows;
use super::super::table::{name, of_numbers};
use super::Table;
use super::tables::{self, head, number};
use crate::model::{Estimate, INTERCEPT};
use crate::plan::Plan;
use crate::plan::document::Condition;
use crate::text::one_line;
use crate::words;

/// Share of two coefficients below which their difference is rounding.
const ROUNDING: f64 = 1e-12;

/// A regression of a release, or one that was computed from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Regression {
    /// What a reader calls it.
    pub name: String,
    /// Its outcome.
    pub outcome: String,
    /// The outcome's unit, or nothing.
    pub unit: String,
    /// Level of its intervals.
    pub confidence: f64,
    /// Whether its coefficients are log-odds.
    pub log_odds: bool,
    /// Its coefficients.
    pub lines: Vec<Line>,
    /// The charge of the release. `None` for a demonstration.
    pub charge: Option<LedgerReference>,
    /// The conditions on the rows that counted.
    pub only: Vec<Condition>,
}

impl Regression {
    /// Returns the regression of an outcome of a release, which is called by its charge.
    pub fn of_release(release: &Release, outcome: &str, log_odds: bool) -> Self {
        let named = of_rows(&release.plan, odds::named(&release.plan, outcome, log_odds));
        let mechanism = &release.plan.mechanism.name;
        let named = match release.privacy.epsilon {
            Some(epsilon) => words::compared::regression(named, at_most(epsilon), mechanism),
            None => named,
        };
        let name = match &release.ledger {
            Some(charge) => words::compared::release(charge.entry, named),
            None => words::compared::demonstration(named),
        };
        let confidence = release.plan.interval_level();
        Self::new(name, release, &release.coefficients, outcome, confidence, log_odds)
    }

    /// Returns a regression that a release has, or that was computed from it.
    pub fn new(
        name: String,
        release: &Release,
        coefficients: &Coefficients,
        outcome: &str,
        confidence: f64,
        log_odds: bool,
    ) -> Self {
        let plan: &Plan = &release.plan;
        Self {
            name,
            outcome: outcome.to_owned(),
            unit: figure::unit(plan, outcome),
            confidence,
            log_odds,
            lines: figure::lines(plan, coefficients, outcome),
            charge: release.ledger.clone(),
            only: plan.only.clone(),
        }
    }
}

/// What two regressions have in common, which decides what a difference between them says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// They follow from the same noisy numbers.
    SameRelease,
    /// The same outcome and terms, from the same table, with independent noise.
    SameModel,
    /// Other outcomes or terms, from the same table, with independent noise.
    SameTable,
    /// Other rows of the same table, with independent noise.
    OtherRows,
    /// The ledgers do not say that they are of the same table.
    Apart,
}

/// A term with its coefficient in either regression.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The term.
    pub term: String,
    /// Its coefficients; nothing where a regression does not have it.
    pub sides: [Option<Line>; 2],
    /// The second estimate less the first, where both are for the same contrast.
    pub difference: Option<f64>,
    /// The standard deviation that privacy noise alone gives the difference, where the regressions have the same model.
    pub noise: Option<f64>,
}

/// Two regressions beside each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The regressions.
    pub sides: [Regression; 2],
    /// Their terms: those of the first, then those that the second alone has.
    pub pairs: Vec<Pair>,
    /// What they have in common.
    pub relation: Relation,
}

impl Comparison {
    /// Compares two regressions, matching terms by name.
    pub fn new(first: Regression, second: Regression) -> Self {
        let relation = relation(&first, &second);
        let (first, second) = told_apart(first, second);
        let alone = |line: &&Line| !first.lines.iter().any(|other| other.term == line.term);
        let terms = first.lines.iter().chain(second.lines.iter().filter(alone)).map(|line| &line.term);
        let pairs = terms.map(|term| pair(term, [&first, &second], relation)).collect();
        Self { sides: [first, second], pairs, relation }
    }

    /// Lays out the plot, two marks for each pair in their order. `None` if the coefficients have no unit in common.
    pub fn figure(&self) -> Option<Figure> {
        if !self.has_differences() {
            return None;
        }
        let lines: Vec<Line> = self.pairs.iter().flat_map(Pair::drawn).collect();
        if self.sides[0].log_odds { figure::of_odds(&lines) } else { figure::figure(&lines) }
    }

    /// Returns what the axis of the plot shows.
    pub fn axis(&self) -> String {
        figure::axis(self.sides[0].log_odds, &self.sides[0].unit, Scale::Ranges)
    }

    /// Returns whether the coefficients have a unit in common, so that one can be taken from the other.
    pub fn has_differences(&self) -> bool {
        let [first, second] = &self.sides;
        share_unit(first, second)
    }

    /// Returns what a reader has to know of the differences.
    pub fn notes(&self) -> Vec<String> {
        let relation = match self.relation {
            Relation::SameRelease => words::compared::same_release(),
            Relation::SameModel => words::compared::same_model(),
            Relation::SameTable => words::compared::same_table(),
            Relation::OtherRows => words::compared::other_rows(),
            Relation::Apart => words::compared::apart(),
        };
        let differences =
            if self.has_differences() { words::compared::overlap() } else { words::compared::no_unit() };
        vec![relation.to_owned(), differences.to_owned()]
    }

    /// Returns what two regressions are compared, as a caption: each with the number that its columns have.
    pub fn caption(&self) -> String {
        let [first, second] = &self.sides;
        words::compared::caption(&first.name, &second.name)
    }

    /// Returns it as a table to be printed.
    pub fn table(&self) -> Table {
        let mut heads = vec![head(words::result::term())];
        for (place, side) in ["1", "2"].into_iter().zip(&self.sides) {
            let estimate = if side.log_odds { words::result::log_odds() } else { words::result::estimate() };
            let level = short(100.0 * side.confidence, 3);
            heads.push(number(words::compared::of_side(estimate, place)));
            heads.push(number(words::compared::of_side(words::result::interval(level), place)));
        }
        let difference = match self.relation {
            Relation::SameModel => words::compared::difference_noisy(),
            _ => words::compared::difference(),
        };
        heads.extend(self.has_differences().then(|| number(difference.to_owned())));
        let rows = self.pairs.iter().map(|pair| {
            let mut row = vec![pair.label()];
            row.extend(pair.sides.iter().flat_map(|side| match side {
                Some(line) => {
                    let written = format::row(&line.entry);
                    [written.estimate, tables::interval(written.interval, line.entry.interval)]
                }
                None => [words::compared::without().to_owned(), format::NONE.to_owned()],
            }));
            row.extend(self.has_differences().then(|| pair.written()));
            row
        });
        Table { caption: self.caption(), rows: rows.collect(), heads, notes: self.notes() }
    }

    /// Writes it as CSV, one record for each term.
    pub fn csv(&self) -> String {
        let of_side = |place| format!("estimate_{place},std_error_{place},lower_{place},upper_{place}");
        let header = format!("term,{},{},difference,noise_of_difference", of_side(1), of_side(2));
        let records = self.pairs.iter().map(|pair| {
            let sides = pair.sides.iter().flat_map(|side| {
                let Estimate { estimate, std_error, lower, upper, .. } =
                    side.as_ref().map_or(Estimate::WITHHELD, |line| line.entry);
                [estimate, std_error, lower, upper]
            });
            (name(&pair.term), sides.chain([pair.difference, pair.noise]).collect())
        });
        of_numbers(&header, records)
    }
}

impl Pair {
    /// Returns what the coefficients are for: `per year`; of both where they are not for the same.
    pub fn per(&self) -> String {
        match &self.sides {
            [Some(first), Some(second)] if first.per != second.per => {
                words::compared::contrasts(&first.per, &second.per)
            }
            [Some(line), _] | [None, Some(line)] => line.per.clone(),
            [None, None] => String::new(),
        }
    }

    /// Returns the contrast for a reader: `age per year`.
    pub fn label(&self) -> String {
        tables::labelled(&self.term, &self.per())
    }

    /// Returns the difference for a reader, with its noise where that is known.
    pub fn written(&self) -> String {
        match (self.difference, self.noise) {
            (None, _) => format::NONE.to_owned(),
            (estimate, Some(noise)) => {
                let written = format::with_error(estimate, Some(noise));
                format!("{} ± {}", written.estimate, written.std_error)
            }
            (estimate, None) => {
                let errors = self.sides.iter().flatten().filter_map(|line| line.entry.std_error);
                format::with_error(estimate, errors.reduce(f64::max)).estimate
            }
        }
    }

    /// Returns both lines on one scale: a slope over the range that the first regression states.
    fn drawn(&self) -> [Line; 2] {
        let reach = self.sides.iter().flatten().find_map(|line| line.reach);
        let reach = reach.filter(|_| self.term != INTERCEPT);
        self.sides.clone().map(|side| {
            let nothing =
                Line { term: self.term.clone(), per: String::new(), entry: Estimate::WITHHELD, reach };
            Line { reach, ..side.unwrap_or(nothing) }
        })
    }
}

/// Digits of a ledger's identifier that tell it from another.
const LEDGER_DIGITS: usize = 8;

/// Returns two regressions with their ledgers in their names where these differ: entries of two ledgers may have one number.
fn told_apart(first: Regression, second: Regression) -> (Regression, Regression) {
    let ledger = |own: &Regression| own.charge.as_ref().map(|charge| charge.id.clone());
    if ledger(&first) == ledger(&second) {
        return (first, second);
    }
    let named = |own: Regression| match &own.charge {
        Some(charge) => {
            let ledger: String = charge.id.chars().take(LEDGER_DIGITS).collect();
            Regression { name: words::compared::of_ledger(&own.name, one_line(&ledger)), ..own }
        }
        None => own,
    };
    (named(first), named(second))
}

/// Returns what two regressions have in common.
fn relation(first: &Regression, second: &Regression) -> Relation {
    let (Some(one), Some(two)) = (&first.charge, &second.charge) else { return Relation::Apart };
    let terms = |side: &Regression| side.lines.iter().map(|line| line.term.clone()).collect::<Vec<_>>();
    if one.id != two.id {
        Relation::Apart
    } else if one.entry == two.entry {
        Relation::SameRelease
    } else if first.only != second.only {
        Relation::OtherRows
    } else if first.outcome == second.outcome
        && first.log_odds == second.log_odds
        && terms(first) == terms(second)
    {
        Relation::SameModel
    } else {
        Relation::SameTable
    }
}

/// Returns whether the coefficients of two regressions can be compared. Two outcomes without a unit may be measured in anything.
fn share_unit(first: &Regression, second: &Regression) -> bool {
    let is_known = first.log_odds || !first.unit.is_empty() || first.outcome == second.outcome;
    first.log_odds == second.log_odds && first.unit == second.unit && is_known
}

fn pair(term: &str, sides: [&Regression; 2], relation: Relation) -> Pair {
    let lines = sides.map(|side| side.lines.iter().find(|line| line.term == term).cloned());
    let (mut difference, mut noise) = (None, None);
    if let [Some(first), Some(second)] = &lines
        && first.per == second.per
        && share_unit(sides[0], sides[1])
    {
        difference = first.entry.estimate.zip(second.entry.estimate).map(|(first, second)| {
            // The same regression by another order of the terms differs in the last bits alone.
            let rounding = ROUNDING * (first.abs() + second.abs());
            Some(second - first).filter(|left| left.abs() > rounding).unwrap_or(0.0)
        });
        let variance = |line: &Line| Some(line.entry.std_error?.powi(2) * line.entry.noise_share?);
        if relation == Relation::SameModel {
            noise = variance(first).zip(variance(second)).map(|(first, second)| (first + second).sqrt());
        }
    }
    Pair { term: term.to_owned(), sides: lines, difference, noise: noise.filter(|_| difference.is_some()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regression(outcome: &str, unit: &str, estimate: f64) -> Regression {
        let line = Line {
            term: "age".to_owned(),
            per: "per year".to_owned(),
            entry: Estimate::around(estimate, 0.1, 0.2),
            reach: Some(82.0),
        };
        let (name, outcome, unit) = (outcome.to_owned(), outcome.to_owned(), unit.to_owned());
        Regression {
            name,
            outcome,
            unit,
            confidence: 0.95,
            log_odds: false,
            lines: vec![line],
            charge: None,
            only: Vec::new(),
        }
    }

    #[test]
    fn releases_of_other_rows_have_no_test_of_a_difference() {
        let side = |entry, only: &[Condition]| {
            let charge = LedgerReference { id: "00".to_owned(), entry, idealised: false, promise: None };
            Regression { charge: Some(charge), only: only.to_vec(), ..regression("sbp", "mmHg", 1.0) }
        };
        let old = [Condition { column: "age".to_owned(), lower: Some(60.0), ..Condition::default() }];
        let relation = |first: Regression, second| Comparison::new(first, second).relation;
        assert_eq!(relation(side(1, &[]), side(2, &[])), Relation::SameModel);
        assert_eq!(relation(side(1, &old), side(2, &old)), Relation::SameModel);
        let compared = Comparison::new(side(1, &[]), side(2, &old));
        assert_eq!((compared.relation, compared.pairs[0].noise), (Relation::OtherRows, None));
        assert!(compared.notes()[0].contains("other rows counted"));
    }

    #[test]
    fn two_contrasts_of_a_level_are_told_apart() {
        let side = |per: &str| {
            let mut side = regression("sbp", "mmHg", 1.0);
            side.lines[0].term = "stage[III]".to_owned();
            side.lines[0].per = per.to_owned();
            side
        };
        let pair = |other: &str| Comparison::new(side("III against I"), side(other)).pairs.remove(0);
        let apart = pair("III against I or II");
        assert_eq!(apart.label(), "stage: III against I (1), III against I or II (2)");
        assert_eq!(apart.difference, None);
        assert_eq!(pair("III against I").label(), "stage: III against I");
    }

    #[test]
    fn outcomes_without_a_unit_in_common_have_no_difference() {
        let compared = |first: [&str; 2], second: [&str; 2]| {
            let [first, second] = [(first, 1.0), (second, 3.0)];
            let side = |([outcome, unit], estimate): ([&str; 2], f64)| regression(outcome, unit, estimate);
            let comparison = Comparison::new(side(first), side(second));
            (comparison.pairs[0].difference, comparison.figure().is_some())
        };
        assert_eq!(compared(["sbp", "mmHg"], ["dbp", "mmHg"]), (Some(2.0), true));
        assert_eq!(compared(["score", ""], ["score", ""]), (Some(2.0), true));
        assert_eq!(compared(["score", ""], ["log(cost)", ""]), (None, false));
        assert_eq!(compared(["sbp", "mmHg"], ["weight", "kg"]), (None, false));
    }
}
