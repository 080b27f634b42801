//! Searches, filters and sorts the outcomes of a release for one term, by moving indices and not coefficients.

use std::collections::HashMap;
use std::sync::Arc;

use super::Release;
use super::document::Coefficients;
use super::table::{self, Meaning};
use crate::model::{Estimate, INTERCEPT, Interval};
use crate::plan::search::Search;

/// Which outcomes are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Only {
    /// All.
    #[default]
    All,
    /// Those whose coefficient has an interval.
    Intervals,
    /// Those whose interval lies on one side of 0.
    ExcludesZero,
}

/// What outcomes are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As the release has them.
    #[default]
    Released,
    /// The outcome's name.
    Name,
    /// The estimate.
    Estimate,
    /// The estimate without its sign.
    Size,
    /// The estimate without its sign over its standard error.
    Ratio,
    /// The standard error.
    StdError,
    /// The share of privacy noise.
    NoiseShare,
}

/// What a person asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// Which names.
    pub search: Search,
    /// Which term, by its place.
    pub term: usize,
    /// Which of the outcomes.
    pub only: Only,
    /// In which order.
    pub order: Order,
    /// Whether the order is from the largest down. What has no number comes last either way.
    pub descending: bool,
}

/// How many intervals of one term exclude 0, and how many would by chance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// Intervals.
    pub intervals: usize,
    /// Those that lie on one side of 0.
    pub excluding: usize,
    /// How many would if every coefficient were 0 and every interval had its stated level: intervals (1 − level).
    pub expected: f64,
}

/// A release's coefficients by outcome and term.
#[derive(Clone, Debug)]
pub struct Browser {
    release: Arc<Release>,
    /// Where the release has one list: its names, and the place in the list of an outcome and a term.
    list: Option<Listed>,
}

#[derive(Clone, Debug, Default)]
struct Listed {
    outcomes: Vec<String>,
    terms: Vec<String>,
    places: HashMap<(usize, usize), usize>,
}

impl Browser {
    /// Creates a browser of a release of either form.
    pub fn new(release: Arc<Release>) -> Self {
        let list = match &release.coefficients {
            Coefficients::Table(_) => None,
            Coefficients::List(list) => {
                let mut listed = Listed::default();
                let (mut outcomes, mut terms) = (HashMap::new(), HashMap::new());
                for (place, entry) in list.iter().enumerate() {
                    let outcome = index(&entry.outcome, &mut outcomes, &mut listed.outcomes);
                    let term = index(&entry.term, &mut terms, &mut listed.terms);
                    listed.places.entry((outcome, term)).or_insert(place);
                }
                Some(listed)
            }
        };
        Self { release, list }
    }

    /// Returns the outcomes, as the release has them.
    pub fn outcomes(&self) -> &[String] {
        self.names().0
    }

    /// Returns the terms.
    pub fn terms(&self) -> &[String] {
        self.names().1
    }

    fn names(&self) -> (&[String], &[String]) {
        match (&self.list, &self.release.coefficients) {
            (Some(list), _) => (&list.outcomes, &list.terms),
            (None, Coefficients::Table(table)) => (table.outcomes(), table.terms()),
            (None, Coefficients::List(_)) => (&[], &[]),
        }
    }

    /// Returns the term that is looked at first: the first that is not the constant.
    pub fn first_term(&self) -> usize {
        self.terms().iter().position(|term| term != INTERCEPT).unwrap_or_default()
    }

    /// Returns one coefficient.
    pub fn entry(&self, outcome: usize, term: usize) -> Option<Estimate> {
        match &self.release.coefficients {
            Coefficients::Table(table) => table.entry(outcome, term),
            Coefficients::List(list) => {
                let place = self.list.as_ref()?.places.get(&(outcome, term))?;
                list.get(*place).map(crate::model::Coefficient::entry)
            }
        }
    }

    /// Returns the outcomes that a query asks for, in its order; what is equal stays in the release's.
    pub fn rows(&self, query: &Query) -> Vec<usize> {
        let names = self.outcomes();
        let mut found: Vec<(f64, usize)> = Vec::new();
        for (row, name) in names.iter().enumerate() {
            let Some(entry) = self.entry(row, query.term) else { continue };
            if kept(&entry, query.only) && query.search.finds(name) {
                found.push((key(&entry, query.order), row));
            }
        }
        let name = |row: usize| names.get(row);
        match query.order {
            Order::Released => {}
            Order::Name => found.sort_by(|left, right| name(left.1).cmp(&name(right.1))),
            _ if query.descending => found.sort_by(|left, right| numbers_first(right.0, left.0, left.0)),
            _ => found.sort_by(|left, right| numbers_first(left.0, right.0, left.0)),
        }
        if query.descending && matches!(query.order, Order::Released | Order::Name) {
            found.reverse();
        }
        found.into_iter().map(|(_, row)| row).collect()
    }

    /// Counts the outcomes whose interval for a term excludes 0.
    pub fn chance(&self, term: usize) -> Chance {
        let level = self.release.plan.interval_level();
        let entries = (0..self.outcomes().len()).filter_map(|row| self.entry(row, term));
        let (mut intervals, mut excluding) = (0_u32, 0_usize);
        for entry in entries {
            intervals += u32::from(has_interval(&entry));
            excluding += usize::from(excludes_zero(&entry));
        }
        let expected = f64::from(intervals) * (1.0 - level);
        Chance { intervals: intervals as usize, excluding, expected }
    }

    /// Writes some outcomes' coefficients for one term as CSV, in pieces; log-odds with their odds ratios.
    pub fn csv<'a>(
        &'a self,
        rows: &'a [usize],
        term: usize,
        log_odds: bool,
    ) -> impl Iterator<Item = String> + 'a {
        let (outcomes, terms) = self.names();
        let record = move |row: &usize| {
            Some((outcomes.get(*row)?.as_str(), terms.get(term)?.as_str(), self.entry(*row, term)?))
        };
        table::records(rows.iter().filter_map(record), Meaning::of(&self.release, log_odds, 1.0))
    }
}

/// Returns the place of a name in `names`, where it is put if it is not there.
fn index<'a>(name: &'a str, known: &mut HashMap<&'a str, usize>, names: &mut Vec<String>) -> usize {
    *known.entry(name).or_insert_with(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

fn has_interval(entry: &Estimate) -> bool {
    entry.interval != Interval::Withheld && entry.lower.is_some() && entry.upper.is_some()
}

/// Returns whether the interval lies on one side of 0.
pub fn excludes_zero(entry: &Estimate) -> bool {
    let ends = entry.lower.zip(entry.upper).filter(|_| has_interval(entry));
    ends.is_some_and(|(lower, upper)| lower > 0.0 || upper < 0.0)
}

/// Returns |estimate| over its standard error.
pub fn ratio(entry: &Estimate) -> Option<f64> {
    let (estimate, error) = entry.estimate.zip(entry.std_error)?;
    Some(estimate.abs() / error).filter(|ratio| ratio.is_finite())
}

fn kept(entry: &Estimate, only: Only) -> bool {
    match only {
        Only::All => true,
        Only::Intervals => has_interval(entry),
        Only::ExcludesZero => excludes_zero(entry),
    }
}

/// Returns the key by which an entry is sorted; NaN where it has none.
fn key(entry: &Estimate, order: Order) -> f64 {
    let key = match order {
        Order::Released | Order::Name => None,
        Order::Estimate => entry.estimate,
        Order::Size => entry.estimate.map(f64::abs),
        Order::Ratio => ratio(entry),
        Order::StdError => entry.std_error,
        Order::NoiseShare => entry.noise_share,
    };
    key.unwrap_or(f64::NAN)
}

/// Compares by size, with NaN last, whether or not the two were exchanged: `first` is the one that
/// stands on the left in truth.
fn numbers_first(left: f64, right: f64, first: f64) -> std::cmp::Ordering {
    match (left.is_nan(), right.is_nan()) {
        (false, false) => left.total_cmp(&right),
        (true, true) => std::cmp::Ordering::Equal,
        _ if first.is_nan() => std::cmp::Ordering::Greater,
        _ => std::cmp::Ordering::Less,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Coefficient;
    use crate::release::document::of_tests;
    use crate::release::long::CoefficientTable;

    fn entry(estimate: f64, half: f64, noise_share: f64) -> Estimate {
        let known = half > 0.0;
        let end = |value: f64| Some(value).filter(|_| known);
        Estimate {
            estimate: Some(estimate),
            std_error: end(half / 2.0),
            lower: end(estimate - half),
            upper: end(estimate + half),
            noise_share: end(noise_share),
            interval: if known { Interval::Approximate } else { Interval::Withheld },
        }
    }

    fn release(coefficients: Coefficients) -> Arc<Release> {
        let plan = json!({"schema": "discreet.plan/1", "adjacency": "add-remove", "confidence": 0.9, "columns": [],
            "mechanism": {"name": "analyze-gauss"}, "budget": {"mu": 1.0}});
        Arc::new(Release { coefficients, ..of_tests::release(&plan) })
    }

    const TERMS: [&str; 2] = [INTERCEPT, "x"];

    fn small() -> Vec<(&'static str, [Estimate; 2])> {
        let one = entry(1.0, 0.5, 0.1);
        vec![
            ("gene_b", [one, entry(-3.0, 2.0, 0.5)]),
            ("gene_a", [one, entry(2.0, 2.5, 0.9)]),
            ("snp_1", [one, entry(0.5, 0.0, 0.0)]),
            ("Gene_c", [one, entry(2.0, 0.2, 0.2)]),
            ("snp_2", [one, entry(-4.0, 0.0, 0.0)]),
        ]
    }

    fn both_forms() -> [Browser; 2] {
        let outcomes = small().iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut table = CoefficientTable::new(outcomes, TERMS.map(str::to_owned).to_vec());
        let mut list = Vec::new();
        for (row, (outcome, entries)) in small().into_iter().enumerate() {
            for (column, entry) in entries.into_iter().enumerate() {
                table.set(row, column, entry);
                list.push(Coefficient::new(outcome.to_owned(), TERMS[column].to_owned(), entry));
            }
        }
        [Coefficients::Table(table), Coefficients::List(list)].map(|form| Browser::new(release(form)))
    }

    #[test]
    fn both_forms_are_searched_filtered_and_sorted_alike() {
        let query = |search: &str, only, order, descending| Query {
            search: Search::new(search),
            term: 1,
            only,
            order,
            descending,
        };
        for browser in both_forms() {
            assert_eq!((browser.first_term(), browser.terms().len(), browser.outcomes().len()), (1, 2, 5));
            for (query, expected) in [
                (query("", Only::All, Order::Released, false), vec![0, 1, 2, 3, 4]),
                (query("", Only::All, Order::Released, true), vec![4, 3, 2, 1, 0]),
                (query("gene", Only::All, Order::Released, false), vec![0, 1, 3]),
                (query("gene_*", Only::All, Order::Name, false), vec![1, 0]),
                (query("", Only::Intervals, Order::Released, false), vec![0, 1, 3]),
                (query("", Only::ExcludesZero, Order::Released, false), vec![0, 3]),
                (query("", Only::All, Order::Name, true), vec![4, 2, 0, 1, 3]),
                (query("", Only::All, Order::Estimate, false), vec![4, 0, 2, 1, 3]),
                (query("", Only::All, Order::Estimate, true), vec![1, 3, 2, 0, 4]),
                (query("", Only::All, Order::Size, true), vec![4, 0, 1, 3, 2]),
                // What has no standard error is last in both directions.
                (query("", Only::All, Order::Ratio, true), vec![3, 0, 1, 2, 4]),
                (query("", Only::All, Order::Ratio, false), vec![1, 0, 3, 2, 4]),
                (query("", Only::All, Order::StdError, false), vec![3, 0, 1, 2, 4]),
                (query("", Only::All, Order::NoiseShare, true), vec![1, 0, 3, 2, 4]),
                (query("none", Only::All, Order::Name, true), vec![]),
            ] {
                assert_eq!(browser.rows(&query), expected, "{query:?}");
            }
            let beyond = Query { term: 2, ..Query::default() };
            assert!(browser.rows(&beyond).is_empty());
        }
    }

    #[test]
    fn what_chance_alone_would_give_is_said() {
        for browser in both_forms() {
            let chance = browser.chance(1);
            assert_eq!((chance.intervals, chance.excluding), (3, 2));
            assert!((chance.expected - 0.3).abs() < 1e-12);
            assert_eq!(browser.chance(9), Chance { intervals: 0, excluding: 0, expected: 0.0 });
        }
    }

    #[test]
    fn what_is_found_is_written_in_its_order() {
        for browser in both_forms() {
            let text: String = browser.csv(&[3, 1], 1, false).collect();
            let names: Vec<&str> = text.lines().map(|line| line.split(",x,").next().unwrap()).collect();
            assert_eq!(names[1..], ["Gene_c", "gene_a"]);
            assert!(text.starts_with("\u{feff}outcome,term,") && text.contains(",approximate,"));
            assert_eq!(browser.csv(&[], 1, false).collect::<String>().lines().count(), 1);
        }
    }

    #[test]
    fn an_interval_that_touches_zero_does_not_exclude_it() {
        let touching = Estimate { lower: Some(0.0), ..entry(1.0, 1.0, 0.0) };
        assert!(!excludes_zero(&touching));
        let withheld = Estimate { interval: Interval::Withheld, ..entry(5.0, 1.0, 0.0) };
        assert!(!excludes_zero(&withheld));
    }
}
