//! Levels that are one answer in two spellings.

use super::{Contradiction, Mismatch, Repair, mismatch};
use crate::data::spelling::capital;

/// Letters with a mark, each list behind the letter without it.
const MARKED: [(char, &str); 9] = [
    ('a', "áàâäãåą"),
    ('c', "çćč"),
    ('e', "éèêëęě"),
    ('i', "íìîï"),
    ('n', "ñńň"),
    ('o', "óòôöõ"),
    ('s', "śš"),
    ('u', "úùûüů"),
    ('z', "źżž"),
];

/// Returns that levels differ by capitals, accents, spaces and full stops alone, with those that are one.
pub fn spelt_twice(levels: &[String]) -> Option<Mismatch> {
    let twins: Vec<Vec<String>> = alike(levels).into_iter().filter(|same| same.len() > 1).collect();
    (!twins.is_empty())
        .then(|| mismatch(Contradiction::SpeltTwice, twins.concat(), vec![Repair::Merge(twins)]))
}

/// Groups levels that are one but for capitals, accents, spaces and full stops, in the order of the first of each.
fn alike(levels: &[String]) -> Vec<Vec<String>> {
    let mut spellings: Vec<(String, Vec<String>)> = Vec::new();
    for level in levels {
        let plain = plain(level);
        match spellings.iter_mut().find(|(other, _)| *other == plain) {
            Some((_, same)) => same.push(level.clone()),
            None => spellings.push((plain, vec![level.clone()])),
        }
    }
    spellings.into_iter().map(|(_, same)| same).collect()
}

/// Returns the repair that takes each level in capital and in small letters for one, and levels that are spelt twice. It follows from the levels alone: a spelling that was
/// taken from the cells would be published with the plan.
pub(super) fn in_any_capitals(levels: &[String]) -> Repair {
    let is_taken = |spelling: &String| levels.contains(spelling);
    let of = |same: Vec<String>| {
        let mut spellings = same.clone();
        for level in &same {
            for spelling in [capital(level), level.to_lowercase(), level.to_uppercase()] {
                if !spellings.contains(&spelling) && !is_taken(&spelling) {
                    spellings.push(spelling);
                }
            }
        }
        spellings
    };
    let groups = alike(levels).into_iter().map(of);
    Repair::Merge(groups.filter(|spellings| spellings.len() > 1).collect())
}

/// Returns those cells that are a level but for capital letters, with what takes them for it, where there are some: however few they are,
/// the same answer is meant, and they would be left out.
pub fn other_capitals<'a>(levels: &[String], cells: impl IntoIterator<Item = &'a str>) -> Option<Mismatch> {
    let found: Vec<String> =
        cells.into_iter().filter(|cell| is_level(levels, cell)).map(str::to_owned).collect();
    (!found.is_empty()).then(|| mismatch(Contradiction::Spelling, found, vec![in_any_capitals(levels)]))
}

/// Returns whether a cell, without spaces around it, is a level but for capital letters.
pub(super) fn is_level(levels: &[String], cell: &str) -> bool {
    let small = cell.to_lowercase();
    levels.iter().any(|level| level.to_lowercase() == small)
}

fn plain(level: &str) -> String {
    let bare = |letter: char| {
        let marked = MARKED.iter().find(|(_, marked)| marked.contains(letter));
        marked.map_or(letter, |(plain, _)| *plain)
    };
    let letters = level.to_lowercase();
    letters.chars().filter(|letter| !letter.is_whitespace() && *letter != '.').map(bare).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_that_differ_by_capitals_and_accents_are_one() {
        let merged = |levels: &[&str]| {
            let levels: Vec<String> = levels.iter().map(|level| (*level).to_owned()).collect();
            spelt_twice(&levels).map(|found| found.repairs)
        };
        let pairs = |groups: &[[&str; 2]]| {
            let group = |group: &[&str; 2]| group.map(str::to_owned).to_vec();
            Some(vec![Repair::Merge(groups.iter().map(group).collect())])
        };
        let sexes = ["Mujer", "Hombre", "mujer", "hombre", "H"];
        assert_eq!(merged(&sexes), pairs(&[["Mujer", "mujer"], ["Hombre", "hombre"]]));
        assert_eq!(merged(&["Sí", "No", "Si"]), pairs(&[["Sí", "Si"]]));
        assert_eq!(merged(&["II a", "IIa", "I"]), pairs(&[["II a", "IIa"]]));
        assert_eq!(merged(&["+", "-", "1", "10", "I", "II"]), None);
    }

    #[test]
    fn few_cells_in_other_capitals_are_told_from_others() {
        let levels = ["ja", "nein"].map(str::to_owned);
        let cells = |cells: &[&str]| other_capitals(&levels, cells.iter().copied()).map(|found| found.cells);
        assert_eq!(cells(&["Ja", "vielleicht", "NEIN"]), Some(vec!["Ja".to_owned(), "NEIN".to_owned()]));
        assert_eq!(cells(&["vielleicht", "j"]), None);
    }

    #[test]
    fn spellings_of_a_level_follow_from_the_level() {
        let levels = ["Kvinna", "Man", "m", "3", "Ja", "jA"].map(str::to_owned);
        let Repair::Merge(groups) = in_any_capitals(&levels) else { panic!() };
        let groups: Vec<Vec<&str>> =
            groups.iter().map(|group| group.iter().map(String::as_str).collect()).collect();
        let expected: [&[&str]; 4] = [
            &["Kvinna", "kvinna", "KVINNA"],
            &["Man", "man", "MAN"],
            &["m", "M"],
            // Two levels that are one are joined by the same click.
            &["Ja", "jA", "ja", "JA"],
        ];
        assert_eq!(groups, expected);
    }
}
