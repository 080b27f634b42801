//! Public ranges of common clinical quantities, each with the published table it was read from.
//!
//! The ranges say what a value *could* be for any person. They are not reference ranges of healthy people, and nothing
//! in them comes from the table that is open.

use std::collections::BTreeSet;

use crate::data::codebook::word;
use crate::model::Typical;
use crate::ui::draft;

/// A published table of ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// How the page cites it.
    pub cite: &'static str,
    /// Where it is, as text: the page links to no other host.
    pub place: &'static str,
}

/// Ranges that a clinical group removes values outside of.
pub const EXETER: Source = Source {
    cite: "Exeter Diabetes, limits for adults in UK primary care",
    place: "github.com/Exeter-Diabetes/CPRD-Codelists, Biomarkers/biomarker_acceptable_limits.txt, b8c47d9",
};

/// The same in another unit.
pub const EXETER_PERCENT: Source = Source {
    cite: "Exeter Diabetes, limits for adults in UK primary care, converted to %",
    place: "github.com/Exeter-Diabetes/CPRD-Codelists, as above; NGSP % = 0.09148 IFCC + 2.152 (Hoelzel et al. 2004, Clinical Chemistry 50)",
};

/// Valid ranges of an intensive-care benchmark.
pub const MIMIC: Source = Source {
    cite: "Harutyunyan et al. 2019, valid ranges in intensive care (MIMIC-III)",
    place: "github.com/YerevaNN/mimic3-benchmarks, resources/variable_ranges.csv, 5df858a",
};

/// A convention with its reason.
pub const AGE: Source = Source {
    cite: "The longest documented life is 122 years",
    place: "Robine and Allard (1998), The oldest human, Science 279",
};

/// Limits of a score for the wards.
pub const NEWS2: Source = Source {
    cite: "NEWS2, values up to its highest points",
    place: "Royal College of Physicians, National Early Warning Score 2, chart 1: the scoring system",
};

/// Limits of a score for intensive care.
pub const APACHE: Source = Source {
    cite: "APACHE II, values up to its highest points (Knaus et al. 1985)",
    place: "Critical Care Medicine 13(10):818-829, the acute physiology score",
};

/// Classes of body mass index.
pub const WHO: Source = Source {
    cite: "WHO, from severe thinness to obesity class III",
    place: "WHO Technical Report Series 854 (1995) and 894 (2000)",
};

/// A convention with its reason.
pub const ADULT: Source = Source {
    cite: "Adults; few people live beyond 100 years",
    place: "a convention: 18 years is the usual age of consent to a study",
};

/// A scale of answers.
pub const LIKERT: Source = Source {
    cite: "By definition: five answers, counted from 1 to 5",
    place: "the questionnaire's own scale",
};

/// Levels that categories often have, offered while levels are typed.
pub const USUAL_LEVELS: [&str; 28] = [
    "(blank), x",
    "(blank), 1",
    "(blank), Yes",
    "(blank), Ja",
    "F, M",
    "W, M",
    "Weiblich, Männlich",
    "Nein, Ja",
    "Female, Male",
    "0, 1",
    "No, Yes",
    "N, Y",
    "False, True",
    "1, 2",
    "1, 2, 3",
    "1, 2, 3, 4",
    "1, 2, 3, 4, 5",
    "I, II, III, IV",
    "Never, Former, Current",
    "Unchecked, Checked",
    "Alive, Dead",
    "Fail, Pass",
    "Strongly disagree, Disagree, Neutral, Agree, Strongly agree",
    "Strongly disagree, Disagree, Neither agree nor disagree, Agree, Strongly agree",
    "Very dissatisfied, Dissatisfied, Neutral, Satisfied, Very satisfied",
    "Very unlikely, Unlikely, Neutral, Likely, Very likely",
    "Never, Rarely, Sometimes, Often, Always",
    "Poor, Fair, Good, Very good, Excellent",
];

/// A quantity's public range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preset {
    /// The quantity, as a person would say it.
    pub name: &'static str,
    /// Smallest value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
    /// Mean and standard deviation among adults, roughly. Forecasts alone use them, and a person can change them.
    pub typical: Typical,
    /// Unit.
    pub unit: &'static str,
    /// Where the range is published.
    pub source: Source,
    /// A narrower range that holds the values of most adults in hospital, with its own source.
    tight: Option<(f64, f64, Source)>,
    /// Names that columns of this quantity often have, in lower case without marks.
    names: &'static [&'static str],
}

macro_rules! presets {
    (@tight) => { None };
    (@tight $lower:literal $upper:literal $source:ident) => { Some(($lower, $upper, $source)) };
    ($($name:literal, $unit:literal: $lower:literal to $upper:literal $source:ident
        $(, tight $least:literal to $most:literal $of_tight:ident)?;
        mean $mean:literal, sd $sd:literal; $($names:literal)*;)*) => {
        &[$(Preset {
            name: $name,
            lower: $lower,
            upper: $upper,
            typical: Typical { mean: Some($mean), sd: $sd },
            unit: $unit,
            source: $source,
            tight: presets!(@tight $($least $most $of_tight)?),
            names: &[$($names),*],
        }),*]
    };
}

/// All presets, in the order of the page's table: range and source, the narrower ones, what is typical, and the names of columns.
pub const PRESETS: &[Preset] = presets! {
    "Age", "years": 0.0 to 122.0 AGE, tight 18.0 to 100.0 ADULT; mean 50.0, sd 17.0; "age" "ageyears" "ageatentry" "ageatbaseline" "alter" "alterjahre";
    "Height", "cm": 60.0 to 225.0 EXETER; mean 168.0, sd 10.0; "height" "heightcm" "größe" "groesse" "körpergröße";
    "Weight", "kg": 40.0 to 350.0 EXETER; mean 78.0, sd 18.0; "weight" "weightkg" "gewicht" "körpergewicht";
    "Body mass index", "kg/m²": 15.0 to 100.0 EXETER, tight 16.0 to 40.0 WHO; mean 27.0, sd 5.5; "bmi" "bodymassindex";
    "Systolic blood pressure", "mmHg": 40.0 to 270.0 EXETER, tight 90.0 to 220.0 NEWS2; mean 128.0, sd 18.0;
        "sbp" "systolic" "systolicbp" "systolicpressure" "systolicbloodpressure" "bpsys" "sysbp" "rrsys" "rrsyst" "rrsystolisch" "systolischerblutdruck" "blutdrucksystolisch";
    "Diastolic blood pressure", "mmHg": 20.0 to 200.0 EXETER; mean 76.0, sd 11.0;
        "dbp" "diastolic" "diastolicbp" "diastolicpressure" "diastolicbloodpressure" "bpdia" "diabp" "rrdia" "blutdruckdiastolisch";
    "Mean blood pressure", "mmHg": 14.0 to 330.0 MIMIC, tight 49.0 to 160.0 APACHE; mean 92.0, sd 12.0; "map" "meanbp" "meanbloodpressure";
    "Heart rate", "beats/min": 0.0 to 350.0 MIMIC, tight 40.0 to 131.0 NEWS2; mean 75.0, sd 13.0; "heartrate" "hr" "pulse" "pulserate" "puls" "herzfrequenz";
    "Respiratory rate", "breaths/min": 0.0 to 300.0 MIMIC, tight 8.0 to 25.0 NEWS2; mean 17.0, sd 4.0; "respiratoryrate" "resprate" "rr";
    "Temperature", "°C": 26.0 to 45.0 MIMIC, tight 35.0 to 39.1 NEWS2; mean 36.8, sd 0.6; "temperature" "temp" "bodytemperature" "tempc" "temperatur";
    "Oxygen saturation", "%": 0.0 to 100.0 MIMIC, tight 91.0 to 100.0 NEWS2; mean 97.0, sd 2.5; "spo2" "oxygensaturation" "o2sat" "sao2" "sauerstoffsättigung";
    "HbA1c", "mmol/mol": 20.0 to 195.0 EXETER; mean 42.0, sd 12.0; "hba1c" "a1c" "hba1cmmolmol";
    "HbA1c", "%": 3.9 to 20.0 EXETER_PERCENT; mean 6.0, sd 1.1; "hba1cpercent" "hba1cngsp";
    "Glucose, fasting", "mmol/L": 2.5 to 30.0 EXETER; mean 5.7, sd 1.5; "glucose" "fastingglucose" "fpg" "fbg";
    "Glucose", "mg/dL": 33.0 to 2000.0 MIMIC; mean 110.0, sd 40.0; "glucosemgdl";
    "Creatinine", "µmol/L": 20.0 to 2500.0 EXETER; mean 80.0, sd 25.0; "creatinine" "crea" "serumcreatinine" "kreatininµmoll";
    "Creatinine", "mg/dL": 0.1 to 60.0 MIMIC, tight 0.6 to 3.5 APACHE; mean 0.9, sd 0.3; "creatininemgdl" "kreatininmgdl";
    "Total cholesterol", "mmol/L": 0.5 to 20.0 EXETER; mean 5.1, sd 1.1; "cholesterol" "totalcholesterol" "chol" "tc";
    "Total cholesterol", "mg/dL": 32.0 to 600.0 MIMIC; mean 195.0, sd 42.0; "cholesterolmgdl";
    "HDL cholesterol", "mmol/L": 0.2 to 10.0 EXETER; mean 1.4, sd 0.4; "hdl" "hdlc" "hdlcholesterol";
    "LDL cholesterol", "mmol/L": 0.1 to 20.0 EXETER; mean 3.1, sd 0.9; "ldl" "ldlc" "ldlcholesterol";
    "Triglycerides", "mmol/L": 0.1 to 40.0 EXETER; mean 1.5, sd 0.9; "triglycerides" "triglyceride" "tg" "trig";
    "Haemoglobin", "g/dL": 0.0 to 25.0 MIMIC; mean 13.8, sd 1.6; "haemoglobin" "hemoglobin" "hb" "hgb" "hämoglobin";
    "Sodium", "mmol/L": 50.0 to 225.0 MIMIC, tight 110.0 to 180.0 APACHE; mean 139.0, sd 3.5; "sodium" "na" "serumsodium" "natrium";
    "Potassium", "mmol/L": 0.0 to 12.0 MIMIC, tight 2.5 to 7.0 APACHE; mean 4.2, sd 0.45; "potassium" "serumpotassium" "kalium";
    "Albumin", "g/dL": 0.6 to 6.0 MIMIC; mean 4.2, sd 0.4; "albumin" "serumalbumin";
    "Lactate", "mmol/L": 0.4 to 30.0 MIMIC; mean 1.6, sd 1.0; "lactate";
    "Likert item", "points": 1.0 to 5.0 LIKERT; mean 3.0, sd 0.9; "likert";
    "Platelets", "10⁹/L": 0.0 to 2000.0 MIMIC; mean 250.0, sd 70.0; "platelets" "plt";
};

impl Preset {
    /// Returns the same quantity with the narrower range, where one is published.
    pub fn tight(&self) -> Option<Self> {
        self.tight.map(|(lower, upper, source)| Self { lower, upper, source, ..*self })
    }

    /// Returns how many times as wide its range is as another one.
    pub fn times_as_wide_as(&self, other: &Self) -> f64 {
        (self.upper - self.lower) / (other.upper - other.lower)
    }

    /// Returns the column's note for when the range is used.
    pub fn note(&self) -> String {
        format!("range: {}", self.source.cite)
    }
}

/// Returns the list of levels in the column's name if all cells fit it, or else the usual lists that fit, in the case of the cells. Empty cells are
/// missing, or a level in a list with one for them.
pub fn usual_levels(column: &str, cells: &[&str]) -> Vec<String> {
    let has_blanks = cells.contains(&"");
    let cells: Vec<&str> = cells.iter().copied().filter(|cell| !cell.is_empty()).collect();
    let has_all = |levels: &Vec<&str>| !cells.is_empty() && cells.iter().all(|cell| levels.contains(cell));
    if let Some(levels) = levels_in_name(column).filter(has_all) {
        let levels: Vec<String> = levels.into_iter().map(str::to_owned).collect();
        return vec![draft::unlist(&levels)];
    }
    let fits = |levels: &String| {
        let levels = draft::list(levels);
        (has_blanks || !levels.iter().any(String::is_empty))
            && cells.iter().all(|cell| levels.iter().any(|level| level == cell))
    };
    let mut lists: Vec<String> = USUAL_LEVELS
        .iter()
        .flat_map(|list| {
            let levels = draft::list(list);
            let cased = |case: fn(&str) -> String| levels.iter().map(|level| case(level)).collect::<Vec<_>>();
            [str::to_owned, str::to_lowercase, str::to_uppercase].map(|case| draft::unlist(&cased(case)))
        })
        .filter(|list| !cells.is_empty() && fits(list))
        .collect();
    lists.dedup();
    // A count may have other values in later rows.
    let says_little = is_count(column) || cells.windows(2).all(|pair| pair[0] == pair[1]);
    let are_digits = |list: &String| draft::list(list).iter().all(|level| draft::number(level).is_some());
    lists.retain(|list| !(says_little && are_digits(list)));
    lists
}

/// Words of the names of columns that count something, such as days.
const COUNTS: &str = "anzahl|count|counts|days|dagen|dagar|dias|días|giorni|hours|jours|months|nights|number|stunden|tage|visits|weeks";

/// Returns whether a column's name says that it counts something: `Krankenhaustage`, `Number of visits`.
fn is_count(column: &str) -> bool {
    let column = column.to_lowercase();
    let counts = |word: &str| COUNTS.split('|').any(|count| count == word) || word.ends_with("tage");
    column.split(|letter: char| !letter.is_alphanumeric()).any(counts)
}

/// Finds the preset that a column's name suggests, by the name alone: `creatinine`, or with the preset's own unit, `Creatinine (mg/dl)`.
pub fn suggested(column: &str) -> Option<usize> {
    let (quantity, unit) = column.split_once(['(', '[']).unwrap_or((column, ""));
    let (whole, quantity, unit) = (word(column), word(quantity), word(unit));
    let has = |preset: &Preset, name: &str| preset.names.contains(&name);
    let in_its_unit = |preset: &Preset| has(preset, &quantity) && word(preset.unit) == unit;
    PRESETS.iter().position(|preset| has(preset, &whole) || in_its_unit(preset))
}

/// Returns what stands in brackets at the end of a column's name.
fn in_brackets(column: &str) -> Option<&str> {
    Some(column.trim().strip_suffix([')', ']'])?.rsplit_once(['(', '['])?.1)
}

/// Returns the levels that stand in brackets at the end of a column's name: `Geschlecht (w/m/d)`.
fn levels_in_name(column: &str) -> Option<Vec<&str>> {
    let list = in_brackets(column)?;
    let mark = ['/', ',', ';', '|'].into_iter().find(|mark| list.contains(*mark))?;
    let levels: Vec<&str> = list.split(mark).map(str::trim).collect();
    let is_word = |level: &&str| (1..=LONGEST_LEVEL).contains(&level.chars().count());
    let different: BTreeSet<&str> = levels.iter().copied().collect();
    (levels.iter().all(is_word) && different.len() == levels.len()).then_some(levels)
}

/// Letters of a level in a column's name at most.
const LONGEST_LEVEL: usize = 20;

/// Returns the unit that stands in brackets at the end of a column's name: `Creatinine (mg/dl)`.
pub fn unit_in_name(column: &str) -> Option<&str> {
    let unit = in_brackets(column)?;
    let is_of_units = |letter: char| letter.is_alphabetic() || "%‰°/*.·²³^µ0123456789".contains(letter);
    let is_unit = unit.chars().all(is_of_units) && !unit.starts_with(|first: char| first.is_numeric());
    (is_unit && (1..=LONGEST_UNIT).contains(&unit.chars().count())).then_some(unit)
}

/// Letters of a unit at most: more are an explanation.
const LONGEST_UNIT: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_stands_in_brackets_at_the_end_of_a_name() {
        assert_eq!(unit_in_name("RR syst. (mmHg)"), Some("mmHg"));
        assert_eq!(unit_in_name("BMI [kg/m²] "), Some("kg/m²"));
        assert_eq!(unit_in_name("HbA1c (%)"), Some("%"));
        for none in ["sex (1=m, 2=f)", "sex (1)", "age", "y ()", "name (as it is written)", "score (0-10)"] {
            assert_eq!(unit_in_name(none), None, "{none}");
        }
    }

    #[test]
    fn a_name_finds_its_quantity() {
        let name = |column| suggested(column).map(|index| PRESETS[index].name);
        assert_eq!(name("SBP"), Some("Systolic blood pressure"));
        assert_eq!(name("Heart_rate"), Some("Heart rate"));
        assert_eq!(name("body-mass index"), Some("Body mass index"));
        assert_eq!(name("target"), None);
        assert_eq!(name("Alter (Jahre)"), Some("Age"));
        assert_eq!(name("BMI [kg/m²]"), Some("Body mass index"));
        let unit = |column| suggested(column).map(|index| PRESETS[index].unit);
        assert_eq!(unit("Kreatinin (mg/dl)"), Some("mg/dL"));
        assert_eq!(unit("Creatinine (µmol/L)"), Some("µmol/L"));
        assert_eq!(unit("Weight (lb)"), None);
    }

    #[test]
    fn a_usual_list_is_offered_where_it_has_all_cells() {
        let usual_levels = |cells: &[&str]| usual_levels("sex", cells);
        assert_eq!(usual_levels(&["M", "F"]), ["F, M"]);
        assert_eq!(usual_levels(&["yes"]), ["no, yes"]);
        assert_eq!(usual_levels(&["0", "1", "0"]), ["0, 1"]);
        assert!(usual_levels(&["0", "0"]).is_empty(), "a count may begin so");
        for name in ["Krankenhaustage", "Anzahl Leistungen", "days in hospital"] {
            assert!(super::usual_levels(name, &["0", "1"]).is_empty(), "{name}");
        }
        assert_eq!(usual_levels(&["x", "", "x"]), ["(blank), x"]);
        assert_eq!(usual_levels(&["X", ""]), ["(blank), X"]);
        assert_eq!(usual_levels(&["Ja", ""]), ["(blank), Ja", "Nein, Ja"]);
        assert!(usual_levels(&["x"]).is_empty() && usual_levels(&[""]).is_empty());
        assert_eq!(usual_levels(&["pass", "fail"]), ["fail, pass"]);
        let agree = ["Agree", "Neither agree nor disagree"];
        assert_eq!(usual_levels(&agree).len(), 1);
        assert_eq!(usual_levels(&["Checked", "Unchecked"]), ["Unchecked, Checked"]);
        assert_eq!(usual_levels(&["1", "2"]), ["1, 2", "1, 2, 3", "1, 2, 3, 4", "1, 2, 3, 4, 5"]);
        assert_eq!(usual_levels(&["4", "2"]).first().map(String::as_str), Some("1, 2, 3, 4"));
        assert!(usual_levels(&["M", "F", "D"]).is_empty() && usual_levels(&[]).is_empty());
    }

    #[test]
    fn levels_in_a_name_that_have_all_cells_are_offered_in_place_of_usual_ones() {
        assert_eq!(usual_levels("Geschlecht (w/m/d)", &["w", "m", "w"]), ["w, m, d"]);
        assert_eq!(usual_levels("Geschlecht (w, m, d)", &["m", ""]), ["w, m, d"]);
        assert_eq!(usual_levels("Stage [I|II|III|IV]", &["III", "I"]), ["I, II, III, IV"]);
        assert_eq!(usual_levels("Sex (male / female)", &["female"]), ["male, female"]);
        assert_eq!(usual_levels("Sex (m/w/d)", &["F", "M"]), ["F, M"], "its levels are others");
        for (name, cells) in [
            ("Sex (m/w/d)", &["m", "x"][..]),
            ("Sex (m/w/d)", &[][..]),
            ("Creatinine (mg/dl)", &["0.9", "1.1"]),
            ("Group (a/a)", &["a"]),
            ("Group (a//b)", &["a"]),
            ("Group (a)", &["a"]),
            ("Group (a/b) of the ward", &["a"]),
        ] {
            assert!(usual_levels(name, cells).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_tight_range_lies_inside_the_wide_one_and_says_by_how_much() {
        for preset in PRESETS {
            let Some(tight) = preset.tight() else { continue };
            assert!(tight.lower >= preset.lower && tight.upper <= preset.upper, "{}", preset.name);
            assert!(preset.times_as_wide_as(&tight) > 1.0, "{}", preset.name);
            assert!((tight.lower..tight.upper).contains(&preset.typical.mean.unwrap()), "{}", preset.name);
            assert!(preset.typical.sd <= (tight.upper - tight.lower) / 2.0, "{}", preset.name);
            assert_ne!(tight.source, preset.source);
        }
        let pressure = &PRESETS[suggested("sbp").unwrap()];
        let times = pressure.times_as_wide_as(&pressure.tight().unwrap());
        assert!((times - 230.0 / 130.0).abs() < 1e-12);
    }

    #[test]
    fn every_range_can_stand_in_a_plan_and_no_name_is_claimed_twice() {
        let mut names = std::collections::BTreeSet::new();
        for preset in PRESETS {
            let Typical { mean, sd } = preset.typical;
            assert!(preset.lower < preset.upper, "{}", preset.name);
            assert!((preset.lower..preset.upper).contains(&mean.unwrap()), "{}", preset.name);
            assert!(sd > 0.0 && sd < (preset.upper - preset.lower) / 4.0, "{}", preset.name);
            for name in preset.names {
                assert!(names.insert(name), "{name}");
            }
        }
    }
}
