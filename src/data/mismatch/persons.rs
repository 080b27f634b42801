//! Recognises a column that identifies persons by its name or by the form of its cells, and whether a person has several of the
//! first rows.

use std::collections::BTreeMap;

use super::{Contradiction, Mismatch, Repair, counts_rows, distinct, mismatch};
use crate::plan::bound::CsvRules;

/// Fewest different cells of a column that names persons.
const FEWEST_PERSONS: usize = 4;

/// Endings of the names of columns that name persons.
const PERSON_ENDINGS: [&str; 13] = [
    "id", "ids", "pid", "ptid", "patid", "subjid", "usubjid", "mrn", "nhc", "pseudonym", "identifier",
    "patnr", "persnr",
];

/// Names of columns that name persons, as they are.
const PERSON_NAMES: [&str; 18] = [
    "patient", "person", "subject", "participant", "proband", "case", "member", "mitglied", "kvnr",
    "kennung", "chart", "hospital_no", "hospital_number", "paciente", "prontuário", "prontuario", "患者",
    "氏名",
];

/// Beginnings of words for a patient, and words for a number or a key, of which a name of two words has one each: `číslo pacienta`.
const PATIENTS: [&str; 6] = ["patient", "pacient", "pacjent", "pazient", "pasient", "proband"];
const KEYS: [&str; 15] = [
    "id", "nr", "no", "number", "code", "číslo", "cislo", "kod", "kód", "numer", "numero", "numéro",
    "número", "codice", "código",
];

/// What the names of such columns begin with in Japanese and Chinese, which write no space: `患者ID`, `患者番号`.
const PERSON_BEGINNINGS: [&str; 3] = ["患者", "被験者", "受试者"];
const NUMBER_ENDINGS: [&str; 7] = ["id", "番号", "コード", "编号", "號", "号", "no"];

/// What a name begins with, and ends with, that numbers persons: `Patienten-Nr`, `Fallnummer`.
const NUMBERED: [&str; 18] = [
    "vers", "versicherten", "versicherungs", "kv", "member", "mitglied", "mitglieds", "pat", "patient",
    "patienten", "fall", "case", "person", "personen", "proband", "probanden", "teilnehmer", "subject",
];
const NUMBERS: [&str; 5] = ["nr", "no", "num", "nummer", "number"];

/// Parts of the names of columns that name something else.
const OTHER_NAMES: [&str; 19] = [
    "centre", "center", "site", "hospital", "clinic", "ward", "country", "region", "physician", "visit",
    "family", "school", "batch", "szpital", "oddzia", "klinik", "krankenhaus", "pital", "etablissement",
];

/// Returns whether a column of this name names persons.
pub fn names_persons(name: &str) -> bool {
    let name = name.trim().to_lowercase();
    let last = name.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let first = name.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    let letters: String = name.chars().filter(|letter| letter.is_alphanumeric()).collect();
    let numbers_persons = NUMBERS
        .iter()
        .filter_map(|number| letters.strip_suffix(number))
        .any(|begin| NUMBERED.contains(&begin));
    let words: Vec<&str> =
        name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_patient = |word: &str| PATIENTS.iter().any(|patient| word.starts_with(patient));
    let of_two_words = match words.as_slice() {
        [one, other] => KEYS.contains(one) && is_patient(other) || is_patient(one) && KEYS.contains(other),
        _ => false,
    };
    let without_space = PERSON_BEGINNINGS
        .iter()
        .filter_map(|begin| letters.strip_prefix(begin))
        .any(|end| NUMBER_ENDINGS.contains(&end));
    let is_person = numbers_persons
        || of_two_words
        || without_space
        || first == "id" && last != first
        || PERSON_NAMES.contains(&name.as_str())
        || PERSON_ENDINGS.iter().any(|ending| {
            last.strip_suffix(ending)
                .is_some_and(|person| person.is_empty() || PERSON_NAMES.contains(&person))
        });
    is_person && !OTHER_NAMES.iter().any(|other| name.contains(other))
}

/// Returns whether cells could be the keys of persons, to judge by their form: one of them may stand in a later row again.
pub fn could_be_persons<'a>(cells: impl Iterator<Item = &'a str>, rules: &CsvRules) -> bool {
    let present: Vec<&str> = cells.map(str::trim).filter(|cell| !rules.is_missing(cell)).collect();
    let numbers: Vec<&str> =
        present.iter().map(|cell| cell.trim_start_matches(|letter: char| !letter.is_ascii_digit())).collect();
    let length = present.first().map_or(0, |cell| cell.len());
    let is_key = |cell: &&str| {
        let digits = cell.chars().filter(char::is_ascii_digit).count();
        cell.len() == length
            && digits >= KEY_DIGITS
            && cell.chars().all(|letter| letter.is_ascii_alphanumeric())
    };
    present.iter().all(is_key)
        && distinct(present.iter().copied()).len() * 2 > present.len().max(FEWEST_PERSONS)
        && !counts_rows(&numbers, rules)
}

/// Returns what an ignored column of this name and these cells says of persons: that one of them has several of these rows, or
/// that one may have. A column that numbers its rows says neither.
pub fn persons<'a>(name: &str, cells: impl Iterator<Item = &'a str>, rules: &CsvRules) -> Option<Mismatch> {
    let present: Vec<&str> = cells.map(str::trim).filter(|cell| !rules.is_missing(cell)).collect();
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    present.iter().for_each(|cell| *count.entry(cell).or_default() += 1);
    let repeat = count.len() < present.len() && 2 * count.len() > present.len();
    if !(names_persons(name) || repeat && are_identifiers(&present)) {
        return None;
    }
    // Letters may stand before a number, as in P001.
    let numbers: Vec<&str> =
        present.iter().map(|cell| cell.trim_start_matches(|letter: char| !letter.is_ascii_digit())).collect();
    if count.len() < FEWEST_PERSONS || counts_rows(&numbers, rules) {
        return None;
    }
    let several = distinct(count.iter().filter(|(_, rows)| **rows > 1).map(|(cell, _)| *cell));
    let kind = if several.is_empty() { Contradiction::Persons } else { Contradiction::SeveralRows };
    Some(mismatch(kind, several, vec![Repair::Person]))
}

/// Returns that a column of this name, which explains an outcome or is one, names persons.
pub(super) fn identifies(name: &str, present: &[&str]) -> Option<Mismatch> {
    let is_key = names_persons(name) && distinct(present.iter().copied()).len() >= FEWEST_PERSONS;
    is_key.then(|| mismatch(Contradiction::Identifier, Vec::new(), vec![Repair::LeaveOut]))
}

/// Fewest digits of a cell that could be somebody's key.
const KEY_DIGITS: usize = 5;

/// Fewest characters, and digits among them, of a cell that identifies somebody: a code of a disease is shorter.
const FEWEST_CHARACTERS: usize = 7;
const FEWEST_DIGITS: usize = 5;

/// Returns whether all cells are letters and digits of one length, as identifiers are: `M100014`. Digits alone can be a number or a date.
fn are_identifiers(cells: &[&str]) -> bool {
    let length = cells.first().map_or(0, |cell| cell.len());
    let is_one = |cell: &&str| {
        let digits = cell.chars().filter(char::is_ascii_digit).count();
        cell.len() == length
            && cell.chars().all(|letter| letter.is_ascii_alphanumeric())
            && (FEWEST_DIGITS..length).contains(&digits)
    };
    length >= FEWEST_CHARACTERS && cells.iter().all(is_one)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{rules, texts};
    use super::*;

    #[test]
    fn a_feature_that_names_persons_is_told_by_its_name() {
        let of = identifies;
        let found = of("patient_id", &["7", "7", "12", "9", "4"]).unwrap();
        assert_eq!((found.kind, found.repairs), (Contradiction::Identifier, vec![Repair::LeaveOut]));
        assert!(of("患者ID", &["1", "2", "3", "4"]).is_some());
        assert_eq!(of("visit_id", &["7", "7", "12", "9", "4"]), None);
        assert_eq!(of("patient", &["0", "1", "0", "1"]), None, "whether one is a patient");
    }

    #[test]
    fn persons_with_several_rows_are_told_by_the_name_of_their_column() {
        let visits = ["P1", "P1", "P2", "P3", "P3", "P3", "P4"];
        let of = |name: &str, cells: &[&str]| persons(name, cells.iter().copied(), &rules(b',', b'.'));
        let told = mismatch(Contradiction::SeveralRows, texts(&["P1", "P3"]), vec![Repair::Person]);
        for name in [
            "MRN", "patient_id", "PatientID", "ID", "Subject", "study id", "Patienten-Nr", "Pat.-Nr.",
            "Fallnummer", "VersNr", "Versichertennummer", "Mitglied", "KVNR", "pid", "USUBJID",
            "id pacjenta", "ID_Teilnehmer", "患者ID", "患者番号", "Prontuário", "Číslo pacienta",
            "patient code", "Kod pacjenta",
        ] {
            assert_eq!(of(name, &visits), Some(told.clone()), "{name}");
        }
        for name in [
            "hospital_id", "id szpitala", "site.id", "paid", "patient_age", "case_type", "casino", "Nr",
            "患者年齢", "",
        ] {
            assert_eq!(of(name, &visits), None, "{name}");
        }
        let identifiers = ["M100014", "M100014", "M100028", "M100031", "M100045"];
        let told = mismatch(Contradiction::SeveralRows, texts(&["M100014"]), vec![Repair::Person]);
        assert_eq!(of("key", &identifiers), Some(told), "the cells tell");
        for cells in [
            ["E11.901", "E11.901", "I10.902", "J45.903", "F32.904"],
            ["2024001", "2024001", "2024002", "2024003", "2024004"],
            ["M100014", "M100028", "M100031", "M100045", "M100052"],
            ["M100014", "M100014", "M100014", "M100014", "M100028"],
        ] {
            assert_eq!(of("key", &cells), None, "{cells:?}");
        }
        let may_have = mismatch(Contradiction::Persons, Vec::new(), vec![Repair::Person]);
        assert_eq!(of("id", &["P7", "P2", "P9", "P4"]), Some(may_have), "the first rows do not tell");
        for cells in [["1", "2", "3", "4"], ["P001", "P002", "P003", "P004"]] {
            assert_eq!(of("id", &cells), None, "it numbers the rows");
        }
        assert_eq!(of("id", &["1", "2", "1", "2", "3"]), None, "too few persons to tell");
        let could_be = |cells: &[&str]| could_be_persons(cells.iter().copied(), &rules(b',', b'.'));
        assert!(could_be(&["104211", "118377", "100052", "127790"]) && could_be(&identifiers));
        for cells in
            [["P001", "P002", "P003", "P004"], ["12.5", "11.8", "10.2", "13.1"], ["A", "B", "A", "C"]]
        {
            assert!(!could_be(&cells), "{cells:?}");
        }
    }
}
