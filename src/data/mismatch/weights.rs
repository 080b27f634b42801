//! Columns that look like the weights of a survey: rows are not weighted.

use super::{Contradiction, ENOUGH, Mismatch, Repair, distinct, mismatch};
use crate::data::number;
use crate::math::round::real;
use crate::plan::bound::CsvRules;

/// Names of nothing else: letters and digits alone, in small letters.
const NAMES: [&str; 21] = [
    "pweight", "wgt", "surveyweight", "surveywt", "samplingweight", "sampleweight", "designweight",
    "finalweight", "weightfinal", "personweight", "poststratweight", "pspwght", "expansionfactor",
    "fatorexpansao", "fatorexpansão", "fatordeexpansao", "fatordeexpansão", "pesoamostral",
    "factorexpansion", "hochrechnungsfaktor", "pondération",
];

/// Names that are a body's weight, too: those of a survey are about 1 in the mean.
const OTHER_NAMES: [&str; 6] = ["weight", "weights", "wt", "peso", "poids", "gewicht"];

/// Returns what a column of this name and these cells says of weights.
pub fn survey_weight<'a>(
    name: &str,
    cells: impl Iterator<Item = &'a str>,
    rules: &CsvRules,
) -> Option<Mismatch> {
    let letters: String = name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
    let present: Vec<&str> = cells.map(str::trim).filter(|cell| !rules.is_missing(cell)).collect();
    let values: Vec<f64> = present
        .iter()
        .filter_map(|cell| number::parse(cell, rules.numbers))
        .filter(|value| *value > 0.0)
        .collect();
    let mean = values.iter().sum::<f64>() / real(values.len());
    let is_about_one =
        values.len() >= ENOUGH && values.len() == present.len() && (0.75..1.33).contains(&mean);
    let is_weight =
        NAMES.contains(&letters.as_str()) || OTHER_NAMES.contains(&letters.as_str()) && is_about_one;
    is_weight
        .then(|| mismatch(Contradiction::Weight, distinct(present.iter().copied()), vec![Repair::LeaveOut]))
}

#[cfg(test)]
mod tests {
    use super::super::tests::rules;
    use super::*;

    #[test]
    fn a_survey_weight_is_told_from_a_body_weight() {
        let found = |name: &str, cells: &[&str]| {
            survey_weight(name, cells.iter().copied(), &rules(b',', b'.')).is_some()
        };
        let survey = ["0.86", "0.93", "1.2", "0.71", "1.4", "1.05"];
        assert!(found("weight", &survey) && found("Survey_Weight", &["412.5"]) && found("pspwght", &survey));
        assert!(!found("weight", &["3.2", "2.9", "3.6", "3.1", "3.4", "2.7"]), "of newborns, in kg");
        assert!(!found("weight", &["71", "64", "88", "59", "93", "70"]));
        assert!(!found("weight", &survey[..3]), "too few to say");
        assert!(!found("crp", &survey));
    }

    #[test]
    fn a_survey_weight_has_names_in_other_languages() {
        let found = |name: &str, cells: &[&str]| {
            survey_weight(name, cells.iter().copied(), &rules(b';', b',')).is_some()
        };
        // Of each the values are of no account.
        for name in [
            "Fator de expansão", "FATOR_DE_EXPANSAO", "fator-expansão", "fatorexpansao", "Peso amostral",
            "factor.expansion", "expansion factor", "Hochrechnungsfaktor", "Pondération", "Final weight",
        ] {
            assert!(found(name, &["1523,4"]), "{name}");
        }
        let (of_survey, of_bodies) =
            (["0,86", "0,93", "1,2", "0,71", "1,4", "1,05"], ["71", "64", "88", "59", "93", "70"]);
        for name in ["peso", "Poids", "Gewicht", "WT", "weights"] {
            assert!(found(name, &of_survey) && !found(name, &of_bodies), "{name}");
        }
    }
}
