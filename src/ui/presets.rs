//! Public ranges of common clinical quantities, each with the published table it was read from.
//!
//! The ranges say what a value *could* be for any person. They are not reference ranges of healthy people, and nothing
//! in them comes from the table that is open.

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
pub const USUAL_LEVELS: [&str; 21] = [
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
    "1, 2, 3, 4, 5",
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

macro_rules! preset {
    ($name:literal, $lower:literal, $upper:literal, $mean:literal, $sd:literal, $unit:literal, $source:ident, [$($names:literal),*]) => {
        Preset {
            name: $name,
            lower: $lower,
            upper: $upper,
            typical: Typical { mean: Some($mean), sd: $sd },
            unit: $unit,
            source: $source,
            tight: None,
            names: &[$($names),*],
        }
    };
}

/// A preset with a narrower range.
const fn tight(preset: Preset, lower: f64, upper: f64, source: Source) -> Preset {
    Preset { tight: Some((lower, upper, source)), ..preset }
}

/// All presets, in the order of the page's table.
pub const PRESETS: &[Preset] = &[
    tight(
        preset!(
            "Age",
            0.0,
            122.0,
            50.0,
            17.0,
            "years",
            AGE,
            ["age", "ageyears", "ageatentry", "ageatbaseline"]
        ),
        18.0,
        100.0,
        ADULT,
    ),
    preset!("Height", 60.0, 225.0, 168.0, 10.0, "cm", EXETER, ["height", "heightcm"]),
    preset!("Weight", 40.0, 350.0, 78.0, 18.0, "kg", EXETER, ["weight", "weightkg"]),
    tight(
        preset!("Body mass index", 15.0, 100.0, 27.0, 5.5, "kg/m²", EXETER, ["bmi", "bodymassindex"]),
        16.0,
        40.0,
        WHO,
    ),
    tight(
        preset!(
            "Systolic blood pressure",
            40.0,
            270.0,
            128.0,
            18.0,
            "mmHg",
            EXETER,
            ["sbp", "systolic", "systolicbp", "systolicpressure", "systolicbloodpressure", "bpsys", "sysbp"]
        ),
        90.0,
        220.0,
        NEWS2,
    ),
    preset!(
        "Diastolic blood pressure",
        20.0,
        200.0,
        76.0,
        11.0,
        "mmHg",
        EXETER,
        ["dbp", "diastolic", "diastolicbp", "diastolicpressure", "diastolicbloodpressure", "bpdia", "diabp"]
    ),
    tight(
        preset!(
            "Mean blood pressure",
            14.0,
            330.0,
            92.0,
            12.0,
            "mmHg",
            MIMIC,
            ["map", "meanbp", "meanbloodpressure"]
        ),
        49.0,
        160.0,
        APACHE,
    ),
    tight(
        preset!(
            "Heart rate",
            0.0,
            350.0,
            75.0,
            13.0,
            "beats/min",
            MIMIC,
            ["heartrate", "hr", "pulse", "pulserate"]
        ),
        40.0,
        131.0,
        NEWS2,
    ),
    tight(
        preset!(
            "Respiratory rate",
            0.0,
            300.0,
            17.0,
            4.0,
            "breaths/min",
            MIMIC,
            ["respiratoryrate", "resprate", "rr"]
        ),
        8.0,
        25.0,
        NEWS2,
    ),
    tight(
        preset!(
            "Temperature",
            26.0,
            45.0,
            36.8,
            0.6,
            "°C",
            MIMIC,
            ["temperature", "temp", "bodytemperature", "tempc"]
        ),
        35.0,
        39.1,
        NEWS2,
    ),
    tight(
        preset!(
            "Oxygen saturation",
            0.0,
            100.0,
            97.0,
            2.5,
            "%",
            MIMIC,
            ["spo2", "oxygensaturation", "o2sat", "sao2"]
        ),
        91.0,
        100.0,
        NEWS2,
    ),
    preset!("HbA1c", 20.0, 195.0, 42.0, 12.0, "mmol/mol", EXETER, ["hba1c", "a1c", "hba1cmmolmol"]),
    preset!("HbA1c", 3.9, 20.0, 6.0, 1.1, "%", EXETER_PERCENT, ["hba1cpercent", "hba1cngsp"]),
    preset!(
        "Glucose, fasting",
        2.5,
        30.0,
        5.7,
        1.5,
        "mmol/L",
        EXETER,
        ["glucose", "fastingglucose", "fpg", "fbg"]
    ),
    preset!("Glucose", 33.0, 2000.0, 110.0, 40.0, "mg/dL", MIMIC, ["glucosemgdl"]),
    preset!(
        "Creatinine",
        20.0,
        2500.0,
        80.0,
        25.0,
        "µmol/L",
        EXETER,
        ["creatinine", "crea", "serumcreatinine"]
    ),
    tight(preset!("Creatinine", 0.1, 60.0, 0.9, 0.3, "mg/dL", MIMIC, ["creatininemgdl"]), 0.6, 3.5, APACHE),
    preset!(
        "Total cholesterol",
        0.5,
        20.0,
        5.1,
        1.1,
        "mmol/L",
        EXETER,
        ["cholesterol", "totalcholesterol", "chol", "tc"]
    ),
    preset!("Total cholesterol", 32.0, 600.0, 195.0, 42.0, "mg/dL", MIMIC, ["cholesterolmgdl"]),
    preset!("HDL cholesterol", 0.2, 10.0, 1.4, 0.4, "mmol/L", EXETER, ["hdl", "hdlc", "hdlcholesterol"]),
    preset!("LDL cholesterol", 0.1, 20.0, 3.1, 0.9, "mmol/L", EXETER, ["ldl", "ldlc", "ldlcholesterol"]),
    preset!(
        "Triglycerides",
        0.1,
        40.0,
        1.5,
        0.9,
        "mmol/L",
        EXETER,
        ["triglycerides", "triglyceride", "tg", "trig"]
    ),
    preset!("Haemoglobin", 0.0, 25.0, 13.8, 1.6, "g/dL", MIMIC, ["haemoglobin", "hemoglobin", "hb", "hgb"]),
    tight(
        preset!("Sodium", 50.0, 225.0, 139.0, 3.5, "mmol/L", MIMIC, ["sodium", "na", "serumsodium"]),
        110.0,
        180.0,
        APACHE,
    ),
    tight(
        preset!("Potassium", 0.0, 12.0, 4.2, 0.45, "mmol/L", MIMIC, ["potassium", "serumpotassium"]),
        2.5,
        7.0,
        APACHE,
    ),
    preset!("Albumin", 0.6, 6.0, 4.2, 0.4, "g/dL", MIMIC, ["albumin", "serumalbumin"]),
    preset!("Lactate", 0.4, 30.0, 1.6, 1.0, "mmol/L", MIMIC, ["lactate"]),
    preset!("Likert item", 1.0, 5.0, 3.0, 0.9, "points", LIKERT, ["likert"]),
    preset!("Platelets", 0.0, 2000.0, 250.0, 70.0, "10⁹/L", MIMIC, ["platelets", "plt"]),
];

impl Preset {
    /// The same quantity with the narrower range, where one is published.
    #[must_use]
    pub fn tight(&self) -> Option<Self> {
        self.tight.map(|(lower, upper, source)| Self { lower, upper, source, ..*self })
    }

    /// How many times as wide its range is as another one.
    #[must_use]
    pub fn times_as_wide_as(&self, other: &Self) -> f64 {
        (self.upper - self.lower) / (other.upper - other.lower)
    }

    /// What the column's note says when the range is used.
    #[must_use]
    pub fn note(&self) -> String {
        format!("range: {}", self.source.cite)
    }
}

/// The usual lists of levels that have all of these cells, in the case of the cells.
#[must_use]
pub fn usual_levels(cells: &[&str]) -> Vec<String> {
    let fits = |levels: &String| {
        let levels = draft::list(levels);
        cells.iter().all(|cell| levels.iter().any(|level| level == cell))
    };
    let mut lists: Vec<String> = USUAL_LEVELS
        .iter()
        .flat_map(|list| [(*list).to_owned(), list.to_lowercase(), list.to_uppercase()])
        .filter(|list| !cells.is_empty() && fits(list))
        .collect();
    lists.dedup();
    lists
}

/// The preset that a column's name suggests, by the name alone.
#[must_use]
pub fn suggested(column: &str) -> Option<usize> {
    let plain: String = column.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    PRESETS.iter().position(|preset| preset.names.contains(&plain.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_finds_its_quantity() {
        let name = |column| suggested(column).map(|index| PRESETS[index].name);
        assert_eq!(name("SBP"), Some("Systolic blood pressure"));
        assert_eq!(name("Heart_rate"), Some("Heart rate"));
        assert_eq!(name("body-mass index"), Some("Body mass index"));
        assert_eq!(name("target"), None);
    }

    #[test]
    fn a_usual_list_is_offered_where_it_has_all_cells() {
        assert_eq!(usual_levels(&["M", "F"]), ["F, M"]);
        assert_eq!(usual_levels(&["yes"]), ["no, yes"]);
        assert_eq!(usual_levels(&["pass", "fail"]), ["fail, pass"]);
        let agree = ["Agree", "Neither agree nor disagree"];
        assert_eq!(usual_levels(&agree).len(), 1);
        assert_eq!(usual_levels(&["Checked", "Unchecked"]), ["Unchecked, Checked"]);
        assert_eq!(usual_levels(&["1", "2"]), ["1, 2", "1, 2, 3, 4, 5"]);
        assert!(usual_levels(&["M", "F", "D"]).is_empty() && usual_levels(&[]).is_empty());
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
