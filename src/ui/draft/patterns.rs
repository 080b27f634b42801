//! Describing many columns at once, by a pattern or by a range of the header, and the plan's patterns that come of it: pure,
//! and tested natively. Nothing here compares columns pair by pair: there may be 100,000.

use std::collections::HashMap;

use super::columns::{ColumnDraft, to_entry};
use crate::model::Role;
use crate::plan::bind::fits;
use crate::plan::document::{Column, ColumnType};
use crate::words;

/// How many columns a pattern is compared with before it is given up as describing none alike.
const TRIED: usize = 3;

/// Which columns are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// All whose names fit a pattern, in which `*` stands for any characters.
    Pattern(String),
    /// All from one name to another, in the header's order, both included.
    Range(String, String),
}

/// What is said of the columns; what is empty stays as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The role.
    pub role: Option<Role>,
    /// The type.
    pub kind: Option<ColumnType>,
    /// The lower bound as typed.
    pub lower: String,
    /// The upper bound as typed.
    pub upper: String,
    /// The unit as typed.
    pub unit: String,
    /// The levels as typed.
    pub levels: String,
}

impl Change {
    /// Returns whether the change leaves everything as it is.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Writes it into one column. Bounds are for numbers alone, and levels for categories.
    pub fn apply(&self, column: &mut ColumnDraft) {
        let text = |from: &String, to: &mut String| {
            let said = !from.trim().is_empty();
            if said {
                to.clone_from(from);
            }
            said
        };
        column.role = self.role.unwrap_or(column.role);
        column.kind = self.kind.or(column.kind);
        if column.kind == Some(ColumnType::Category) {
            text(&self.levels, &mut column.levels);
        } else {
            let bounds = [text(&self.lower, &mut column.lower), text(&self.upper, &mut column.upper)];
            text(&self.unit, &mut column.unit);
            if bounds.contains(&true) {
                column.note.clear();
            }
        }
    }
}

impl Chosen {
    /// Returns the places of the columns that are meant.
    ///
    /// # Errors
    /// Why there are none, in words.
    pub fn rows(&self, columns: &[ColumnDraft]) -> Result<Vec<usize>, String> {
        match self {
            Self::Pattern(pattern) => {
                let pattern = pattern.trim();
                if pattern.is_empty() {
                    return Err(words::columns::type_a_pattern_such_as_gene().to_owned());
                }
                let found = fitting(columns, pattern);
                if found.is_empty() { Err(words::columns::none_fits(pattern)) } else { Ok(found) }
            }
            Self::Range(first, last) => {
                let place = |name: &str, unnamed: &'static str| {
                    let name = name.trim();
                    if name.is_empty() {
                        return Err(unnamed.to_owned());
                    }
                    let found = columns.iter().position(|column| column.name == name);
                    found.ok_or_else(|| words::columns::none_called(name))
                };
                let (first, last) =
                    (place(first, words::columns::type_first())?, place(last, words::columns::type_last())?);
                Ok((first.min(last)..=first.max(last)).collect())
            }
        }
    }

    /// Returns the pattern under which a plan may keep the found columns: the typed one, or for a range the common beginning or end of its names, if
    /// no other column's name fits it.
    pub fn pattern(&self, columns: &[ColumnDraft], rows: &[usize]) -> Option<String> {
        match self {
            Self::Pattern(pattern) => Some(pattern.trim().to_owned()).filter(|pattern| pattern.contains('*')),
            Self::Range(..) => {
                let mut names = rows.iter().filter_map(|row| columns.get(*row)).map(|column| &column.name);
                let first = names.next()?;
                let (mut start, mut end) = (first.as_str(), first.as_str());
                for name in names {
                    start = common_start(start, name);
                    end = common_end(end, name);
                }
                let found = format!("{start}*");
                let pattern = if start.is_empty() { format!("*{end}") } else { found };
                let alone =
                    pattern != "*" && rows.len() > 1 && fitting(columns, &pattern).len() == rows.len();
                alone.then_some(pattern)
            }
        }
    }
}

fn fitting(columns: &[ColumnDraft], pattern: &str) -> Vec<usize> {
    let fit = columns.iter().enumerate().filter(|(_, column)| fits(pattern, &column.name));
    fit.map(|(row, _)| row).collect()
}

fn common_start<'a>(left: &'a str, right: &str) -> &'a str {
    let alike = left.char_indices().zip(right.chars()).find(|((_, a), b)| a != b);
    let length = alike.map_or(left.len().min(right.len()), |((at, _), _)| at);
    left.get(..length).unwrap_or_default()
}

fn common_end<'a>(left: &'a str, right: &str) -> &'a str {
    let alike = left.chars().rev().zip(right.chars().rev()).take_while(|(a, b)| a == b);
    let length: usize = alike.map(|(a, _)| a.len_utf8()).sum();
    left.get(left.len() - length..).unwrap_or_default()
}

/// Lists the columns of a plan. Columns that a pattern describes alike stand under the pattern. All others are listed by name: those that differ from
/// their pattern, and those that a term is made `from`. The column `person` is left out.
pub fn columns(drafts: &[ColumnDraft], patterns: &[String], person: &str, from: &[&String]) -> Vec<Column> {
    let serves = |draft: &ColumnDraft| from.contains(&&draft.name);
    let mut by: Vec<Option<usize>> = vec![None; drafts.len()];
    let mut kept = Vec::new();
    for pattern in patterns {
        let mut found = fitting(drafts, pattern);
        found.retain(|row| drafts.get(*row).is_some_and(|draft| draft.name != person));
        // Two patterns for one column would be refused.
        let free = found.iter().all(|row| by.get(*row).is_some_and(Option::is_none));
        let alike = |like: &ColumnDraft| {
            let same = |row: &&usize| drafts.get(**row).is_some_and(|draft| same(draft, like));
            2 * found.iter().filter(same).count() > found.len()
        };
        let likes = found.iter().filter_map(|row| drafts.get(*row)).take(TRIED);
        let mut likes = likes.filter(|like| like.role != Role::Ignored);
        let Some(like) = likes.find(|like| alike(like)).filter(|_| free) else { continue };
        for row in found {
            if let Some(place) = by.get_mut(row) {
                *place = Some(kept.len());
            }
        }
        kept.push((pattern, like, false));
    }
    let mut listed = Vec::new();
    for (draft, by) in drafts.iter().zip(by) {
        match by.and_then(|by| kept.get_mut(by)) {
            Some((pattern, like, written)) => {
                if !*written {
                    listed.push(Column { name: None, pattern: Some((*pattern).clone()), ..to_entry(like) });
                    *written = true;
                }
                if !same(draft, like) || serves(draft) {
                    listed.push(to_entry(draft));
                }
            }
            None if draft.role != Role::Ignored => listed.push(to_entry(draft)),
            None => {}
        }
    }
    listed
}

/// Returns whether two columns are described alike, whatever their names are and whether they are ticked.
fn same(left: &ColumnDraft, right: &ColumnDraft) -> bool {
    let (name, selected) = (right.name.clone(), right.selected);
    ColumnDraft { name, selected, ..left.clone() } == *right
}

/// Returns the rows that each entry of a plan's columns stands for, in a header of `names`. Entries with a name claim their columns before any
/// pattern does. No entry claims `person`.
pub fn claims(listed: &[Column], names: &[String], person: &str) -> Vec<Vec<usize>> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (row, name) in names.iter().enumerate() {
        places.entry(name).or_default().push(row);
    }
    let mut taken: Vec<bool> = names.iter().map(|name| name == person).collect();
    let mut claims = vec![Vec::new(); listed.len()];
    let named = |entry: &Column| entry.name.as_deref().and_then(|name| places.get(name).cloned());
    for (entry, claim) in listed.iter().zip(&mut claims) {
        *claim = named(entry).unwrap_or_default();
        for row in claim {
            if let Some(taken) = taken.get_mut(*row) {
                *taken = true;
            }
        }
    }
    for (entry, claim) in listed.iter().zip(&mut claims) {
        let Some(pattern) = entry.pattern.as_deref().filter(|_| entry.name.is_none()) else { continue };
        for (row, (name, taken)) in names.iter().zip(&mut taken).enumerate() {
            if !*taken && fits(pattern, name) {
                *taken = true;
                claim.push(row);
            }
        }
    }
    claims
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(name: &str, role: Role, upper: &str) -> ColumnDraft {
        ColumnDraft {
            name: name.to_owned(),
            role,
            kind: Some(ColumnType::Number),
            lower: "0".to_owned(),
            upper: upper.to_owned(),
            ..ColumnDraft::default()
        }
    }

    fn table() -> Vec<ColumnDraft> {
        let genes = (1..=6).map(|index| draft(&format!("gene_{index}"), Role::Outcome, "20"));
        let mut columns = vec![draft("id", Role::Ignored, ""), draft("age", Role::Feature, "120")];
        columns.extend(genes);
        columns.push(draft("genealogy", Role::Feature, "1"));
        columns
    }

    fn names(listed: &[Column]) -> Vec<&str> {
        listed.iter().filter_map(|column| column.pattern.as_deref().or(column.name.as_deref())).collect()
    }

    #[test]
    fn columns_are_chosen_by_pattern_and_by_range() {
        let columns = table();
        let pattern = |text: &str| Chosen::Pattern(text.to_owned());
        let range = |first: &str, last: &str| Chosen::Range(first.to_owned(), last.to_owned());
        for (chosen, rows, kept) in [
            (pattern(" gene_* "), vec![2, 3, 4, 5, 6, 7], Some("gene_*")),
            (pattern("age"), vec![1], None),
            (range("gene_1", "gene_6"), vec![2, 3, 4, 5, 6, 7], Some("gene_*")),
            (range("gene_6", "gene_5"), vec![6, 7], None),
            (range("gene_1", "genealogy"), vec![2, 3, 4, 5, 6, 7, 8], Some("gene*")),
            (range("id", "gene_2"), vec![0, 1, 2, 3], None),
            (range("age", "age"), vec![1], None),
        ] {
            assert_eq!(chosen.rows(&columns), Ok(rows.clone()), "{chosen:?}");
            assert_eq!(chosen.pattern(&columns, &rows).as_deref(), kept, "{chosen:?}");
        }
        for (chosen, why) in [
            (pattern(""), "Type a pattern"),
            (pattern("snp_*"), "No column fits snp_*"),
            (range("", "age"), "first column"),
            (range("age", "ages"), "called ages"),
        ] {
            assert!(chosen.rows(&columns).unwrap_err().contains(why), "{chosen:?}");
        }
        assert_eq!((common_start("gene_é1", "gene_è1"), common_end("aé1", "bé1")), ("gene_", "é1"));
    }

    #[test]
    fn what_is_said_is_written_and_the_rest_stays() {
        let mut column = draft("x", Role::Ignored, "9");
        column.note = "a source".to_owned();
        let change = Change { role: Some(Role::Outcome), unit: "mg".to_owned(), ..Change::default() };
        change.apply(&mut column);
        assert_eq!((column.role, column.upper.as_str(), column.unit.as_str()), (Role::Outcome, "9", "mg"));
        assert_eq!(column.note, "a source");
        let change = Change { upper: "5".to_owned(), ..Change::default() };
        change.apply(&mut column);
        assert_eq!(
            (column.upper.as_str(), column.note.as_str()),
            ("5", ""),
            "the source was of another range"
        );
        assert!(Change::default().is_empty() && !change.is_empty());
        column.kind = Some(ColumnType::Category);
        Change { upper: "7".to_owned(), levels: "a, b".to_owned(), ..Change::default() }.apply(&mut column);
        assert_eq!(
            (column.upper.as_str(), column.levels.as_str()),
            ("5", "a, b"),
            "a category has no bounds"
        );
    }

    #[test]
    fn a_plan_keeps_a_pattern_that_describes_its_columns_alike() {
        let mut drafts = table();
        let patterns = ["gene_*".to_owned()];
        let listed = columns(&drafts, &patterns, "", &[]);
        assert_eq!(names(&listed), ["age", "gene_*", "genealogy"]);
        assert_eq!(listed[1].upper, Some(20.0.into()));
        // So is what a term is made from, once: a term finds its columns by name.
        let (gene, age) = ("gene_2".to_owned(), "age".to_owned());
        let listed = columns(&drafts, &patterns, "", &[&gene, &age]);
        assert_eq!(names(&listed), ["age", "gene_*", "gene_2", "genealogy"]);
        drafts[3].role = Role::Ignored;
        assert_eq!(
            names(&columns(&drafts, &patterns, "", &[&gene])),
            ["age", "gene_*", "gene_2", "genealogy"]
        );
        drafts[3].role = drafts[4].role;
        // A column that differs is listed by name, also if it is left out.
        drafts[3].upper = "30".to_owned();
        drafts[4].role = Role::Ignored;
        let listed = columns(&drafts, &patterns, "", &[]);
        assert_eq!(names(&listed), ["age", "gene_*", "gene_2", "gene_3", "genealogy"]);
        assert_eq!((listed[2].upper, listed[3].role), (Some(30.0.into()), Role::Ignored));
        // The first column may be the exception.
        (drafts[2].upper, drafts[3].upper) = ("40".to_owned(), "20".to_owned());
        assert_eq!(names(&columns(&drafts, &patterns, "", &[]))[1..3], ["gene_*", "gene_1"]);
        // With too many exceptions only names are used.
        drafts[5].upper = "41".to_owned();
        assert_eq!(columns(&drafts, &patterns, "", &[]).len(), 7);
        assert!(columns(&drafts, &patterns, "", &[]).iter().all(|column| column.pattern.is_none()));
    }

    #[test]
    fn two_patterns_never_stand_for_one_column_and_the_person_for_none() {
        let drafts = table();
        let patterns = ["gene_*".to_owned(), "gene*".to_owned()];
        assert_eq!(names(&columns(&drafts, &patterns, "", &[])), ["age", "gene_*", "genealogy"]);
        let mut drafts = drafts;
        drafts[2].role = Role::Ignored;
        let listed = columns(&drafts, &patterns, "gene_1", &[]);
        assert_eq!(names(&listed), ["age", "gene_*", "genealogy"]);
        let header: Vec<String> = drafts.iter().map(|draft| draft.name.clone()).collect();
        assert_eq!(claims(&listed, &header, "gene_1"), [vec![1], vec![3, 4, 5, 6, 7], vec![8]]);
    }

    #[test]
    fn a_name_claims_its_column_before_a_pattern() {
        let header: Vec<String> = ["a1", "a2", "a3", "b"].map(str::to_owned).to_vec();
        let entry = |name: Option<&str>, pattern: Option<&str>| Column {
            name: name.map(str::to_owned),
            pattern: pattern.map(str::to_owned),
            ..to_entry(&ColumnDraft::default())
        };
        let listed = [entry(None, Some("a*")), entry(Some("a2"), None), entry(Some("c"), None)];
        assert_eq!(claims(&listed, &header, ""), [vec![0, 2], vec![1], vec![]]);
    }
}
