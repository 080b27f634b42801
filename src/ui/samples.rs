//! The plans that the bundled samples open with. Their bounds come from the public ranges and from how the tables were
//! made, never from the rows.

use crate::plan::Plan;
use crate::words;

/// The sample that the page opens with.
pub const FIRST: &str = "blood-pressure.csv";

/// What a sample is, in one sentence.
#[must_use]
pub fn describe(name: &str) -> &'static str {
    match name {
        FIRST => words::samples::blood_pressure(),
        "diabetes.csv" => words::samples::diabetes(),
        _ => words::samples::unknown(),
    }
}

/// The plan that a sample opens with.
#[must_use]
pub fn plan(name: &str) -> Option<Plan> {
    let text = match name {
        FIRST => BLOOD_PRESSURE,
        "diabetes.csv" => DIABETES,
        _ => return None,
    };
    Plan::parse(text).ok()
}

const BLOOD_PRESSURE: &str = r#"{
  "schema": "discreet.plan/1",
  "adjacency": "add-remove",
  "stated_rows": 12000,
  "columns": [
    {"name": "age", "role": "feature", "type": "number", "lower": 18, "upper": 100, "unit": "years", "note": "range: adults, stated for this sample"},
    {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
    {"name": "bmi", "role": "feature", "type": "number", "lower": 15, "upper": 60, "unit": "kg/m²", "note": "range: stated for this sample"},
    {"name": "smoker", "role": "feature", "type": "category", "levels": ["no", "yes"]},
    {"name": "salt", "role": "feature", "type": "number", "lower": 0, "upper": 25, "unit": "g/day", "note": "range: stated for this sample"},
    {"name": "sbp", "role": "outcome", "type": "number", "lower": 40, "upper": 270, "unit": "mmHg", "note": "range: Exeter Diabetes, limits for adults in UK primary care"}
  ],
  "mechanism": {"name": "adaptive-gauss"},
  "budget": {"epsilon": 2, "delta": 5e-6}
}"#;

const DIABETES: &str = r#"{
  "schema": "discreet.plan/1",
  "adjacency": "add-remove",
  "stated_rows": 442,
  "columns": [
    {"name": "bmi", "role": "feature", "type": "number", "lower": 18, "upper": 42, "unit": "kg/m²", "note": "range: stated for this sample"},
    {"name": "bp", "role": "feature", "type": "number", "lower": 60, "upper": 140, "unit": "mmHg", "note": "range: stated for this sample"},
    {"name": "target", "role": "outcome", "type": "number", "lower": 0, "upper": 400, "note": "range: stated for this sample"}
  ],
  "mechanism": {"name": "adaptive-gauss"},
  "budget": {"epsilon": 8, "delta": 0.0002}
}"#;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CheckedPlan, Purpose};

    #[test]
    fn the_samples_plans_can_be_run() {
        for name in [FIRST, "diabetes.csv"] {
            assert!(CheckedPlan::new(plan(name).unwrap(), Purpose::Release).is_ok(), "{name}");
        }
        assert_eq!(plan("other.csv"), None);
    }
}
