//! Numbers that are codes of groups, and answers in the order that turns a question round.

use std::collections::BTreeSet;

use super::{Contradiction, ENOUGH, Mismatch, Repair, distinct, mismatch};
use crate::data::number;
use crate::plan::bound::CsvRules;

/// Words of the names of columns whose numbers stand for groups.
const GROUPS: &str = "abteilung|afdeling|arm|beruf|bezirk|bundesland|canton|category|center|centre|clinic|code|country|county|\
    dente|department|dept|diagnose|diagnosis|diente|district|doctor|drg|etablissement|ethnicity|facility|gemeente|group|groupe|\
    gruppe|hopital|hospital|icd|insurer|kanton|kategorie|klinik|krankenhaus|nationality|occupation|oddzial|physician|\
    practice|praktijk|province|provincie|race|regimen|regio|region|religion|room|school|site|spital|station|surgeon|\
    szpital|theater|theatre|tooth|ward|zahn|zentrum";

/// Parts of such names in Japanese and Chinese, which write no space.
const GROUP_PARTS: &str = "病棟|診療科|科室|施設|病院|医院|地域|都道府県|コード";

/// Fewest different codes: between two of them a number has the coefficient that a category has.
const FEWEST: usize = 3;

/// Largest number that can be a code.
const LARGEST: f64 = 9_999.0;

/// Returns whether a column that is stated to be a number has codes of groups, to judge by its name and its whole numbers.
pub fn codes<'a>(name: &str, cells: impl Iterator<Item = &'a str>, rules: &CsvRules) -> Option<Mismatch> {
    let name = name.to_lowercase();
    let is_group = |word: &str| {
        let word = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        GROUPS.split('|').any(|group| group == word)
    };
    let has_part = GROUP_PARTS.split('|').any(|part| name.contains(part));
    if !has_part && !name.split(|letter: char| !letter.is_alphanumeric()).any(is_group) {
        return None;
    }
    let present: Vec<&str> = cells.map(str::trim).filter(|cell| !rules.is_missing(cell)).collect();
    let is_code = |cell: &&str| {
        number::parse(cell, rules.numbers)
            .is_some_and(|value| value.fract() == 0.0 && (0.0..=LARGEST).contains(&value))
    };
    let different: BTreeSet<&str> = present.iter().copied().collect();
    let are_codes = present.len() >= ENOUGH && different.len() >= FEWEST && present.iter().all(is_code);
    are_codes
        .then(|| mismatch(Contradiction::Codes, distinct(present.iter().copied()), vec![Repair::Category]))
}

/// Words for yes, and for no, in the languages that most tables are written in.
const YES: &str = "1|yes|y|true|ja|j|oui|o|si|sí|sim|s|tak|t|positive|あり|有|有り|はい|陽性|是|阳性";
const NO: &str = "0|no|n|false|nein|nee|nej|non|não|nao|nie|f|negative|なし|無|無し|いいえ|陰性|否|无|阴性";

/// Returns that an outcome of these two levels explains the answer no, as the first is its reference unless another one is.
pub fn turned_round(levels: &[String], reference: &str) -> Option<Mismatch> {
    let [first, second] = levels else { return None };
    let (reference, explained) = if reference == second { (second, first) } else { (first, second) };
    let is_one_of = |words: &str, level: &str| words.split('|').any(|word| word == level.to_lowercase());
    let turned = vec![explained.clone(), reference.clone()];
    (is_one_of(YES, reference) && is_one_of(NO, explained))
        .then(|| mismatch(Contradiction::TurnedRound, vec![explained.clone()], vec![Repair::Levels(turned)]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::rules;
    use super::*;

    #[test]
    fn numbers_under_the_name_of_a_group_are_codes() {
        let found =
            |name: &str, cells: &[&str]| codes(name, cells.iter().copied(), &rules(b';', b',')).is_some();
        let wards = ["3", "1", "9", "2", "", "7", "7"];
        assert!(
            ["Station", "ward_id", "Hospital no.", "region2", "theatre", "Dente", "診療科コード"]
                .iter()
                .all(|name| found(name, &wards))
        );
        assert!(!found("age", &wards) && !found("warden", &wards), "other names");
        assert!(!found("ward", &["1", "2", "1", "2", "1", "2"]), "two codes have one difference");
        assert!(!found("ward", &["1,5", "2", "3", "4", "5", "6"]), "no whole numbers");
        assert!(!found("ward", &wards[..4]), "too few to say");
    }

    #[test]
    fn an_outcome_that_explains_no_is_turned_round() {
        let turned = |levels: [&str; 2], reference: &str| {
            let found = turned_round(&levels.map(str::to_owned), reference)?;
            found.repairs.into_iter().next()
        };
        let repair = |levels: [&str; 2]| Some(Repair::Levels(levels.map(str::to_owned).to_vec()));
        assert_eq!(turned(["J", "N"], ""), repair(["N", "J"]));
        assert_eq!(turned(["no", "Yes"], "Yes"), repair(["no", "Yes"]));
        assert_eq!(turned(["あり", "なし"], ""), repair(["なし", "あり"]));
        assert_eq!(turned(["J", "N"], "N"), None);
        assert!(turned(["no", "yes"], "").is_none() && turned(["dead", "alive"], "").is_none());
    }
}
