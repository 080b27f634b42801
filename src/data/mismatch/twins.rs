//! Levels that are one answer in two spellings.

use super::{Contradiction, Mismatch, Repair, mismatch};

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
#[must_use]
pub fn spelt_twice(levels: &[String]) -> Option<Mismatch> {
    let mut spellings: Vec<(String, Vec<String>)> = Vec::new();
    for level in levels {
        let plain = plain(level);
        match spellings.iter_mut().find(|(other, _)| *other == plain) {
            Some((_, same)) => same.push(level.clone()),
            None => spellings.push((plain, vec![level.clone()])),
        }
    }
    let twins: Vec<Vec<String>> =
        spellings.into_iter().map(|(_, same)| same).filter(|same| same.len() > 1).collect();
    (!twins.is_empty())
        .then(|| mismatch(Contradiction::SpeltTwice, twins.concat(), vec![Repair::Merge(twins)]))
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
}
