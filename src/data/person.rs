//! Keeps each person's first rows. This is the only part of reading in which the order of rows matters. With the sums of a person's
//! scores ([`super::statistics`]) it is the only one in which memory grows with the table.

use std::collections::HashMap;

use crate::privacy::mutants::{Mutant, is_active};

/// Counts each person's rows.
///
/// Ids are compared completely, after decoding and without outer white space. A row without an id is never kept: if all such rows
/// counted as one person, one row could displace another person's; if each counted as a person, the limit would not hold
/// (theory/encoding 2.5).
#[derive(Debug)]
pub struct Persons {
    max_rows: u32,
    na: Vec<String>,
    /// The number of each, in the order in which they come, and how many rows were kept.
    rows: HashMap<Box<str>, (u32, u32)>,
}

impl Persons {
    /// Creates a counter without persons; `na` lists the cells that count as missing.
    pub fn new(max_rows: u32, na: &[String]) -> Self {
        Self { max_rows, na: na.iter().map(|token| token.trim().to_owned()).collect(), rows: HashMap::new() }
    }

    /// Returns the number of the person with this id, if the next row in the file's order is one of the person's first `max_rows` that
    /// meet the plan's conditions.
    pub fn keep(&mut self, id: &str, meets: bool) -> Option<u32> {
        let id = id.trim();
        let nobody = id.is_empty() || self.na.iter().any(|token| token == id);
        if nobody && !is_active(Mutant::EmptyIdsPooled) {
            return None;
        }
        let next = u32::try_from(self.rows.len()).unwrap_or(u32::MAX);
        let (number, rows) = match self.rows.get_mut(id) {
            Some(person) => person,
            None => self.rows.entry(id.into()).or_insert((next, 0)),
        };
        let counts = *rows < self.max_rows || is_active(Mutant::KeepAllRowsOfPerson);
        if !meets || !counts {
            return None;
        }
        *rows = rows.saturating_add(1);
        Some(*number)
    }

    /// Returns the number of distinct ids so far, also of those whose rows are skipped for another reason.
    pub fn count(&self) -> u64 {
        self.rows.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Persons;

    #[test]
    fn keeps_the_first_rows_of_each() {
        let mut persons = Persons::new(2, &["NA".to_owned()]);
        let kept = ["a", "b", " a", "a ", "", "  ", "NA", "b", "A", "b"].map(|id| persons.keep(id, true));
        let [a, b, other] = [0, 1, 2].map(Some);
        assert_eq!(kept, [a, b, a, None, None, None, None, b, other, None]);
        assert_eq!(persons.count(), 3);
    }

    #[test]
    fn a_nameless_row_displaces_nobody() {
        let mut persons = Persons::new(1, &[]);
        assert_eq!(persons.keep("", true), None);
        assert_eq!(persons.keep("\u{a0}", true), None);
        assert_eq!(persons.keep("a", true), Some(0));
        assert_eq!(persons.count(), 1);
    }

    #[test]
    fn a_row_that_meets_no_condition_displaces_none_of_its_person() {
        let mut persons = Persons::new(1, &[]);
        assert_eq!(persons.keep("a", false), None);
        assert_eq!(persons.keep("a", true), Some(0));
        assert_eq!(persons.keep("a", true), None);
        assert_eq!(persons.keep("b", false), None);
        assert_eq!(persons.count(), 2, "the number of persons does not depend on the conditions");
    }
}
