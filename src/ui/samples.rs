//! The plans that the bundled samples open with. Their bounds come from the public ranges and from how the tables were
//! made, never from the rows.

use crate::plan::Plan;
use crate::words;

/// The sample that the page opens with.
pub const FIRST: &str = "blood-pressure.csv";

/// Describes a sample in one sentence.
pub fn describe(name: &str) -> &'static str {
    match name {
        FIRST => words::samples::blood_pressure(),
        "diabetes.csv" => words::samples::diabetes(),
        _ => words::samples::unknown(),
    }
}

/// Says why a sample's budget would not suit a person's own patients, where that is so.
pub fn budget(name: &str) -> Option<&'static str> {
    (name == "diabetes.csv").then(words::samples::diabetes_budget)
}

/// Returns the plan that a sample opens with.
pub fn plan(name: &str) -> Option<Plan> {
    let text = match name {
        FIRST => BLOOD_PRESSURE,
        "diabetes.csv" => DIABETES,
        _ => return None,
    };
    Plan::parse(text).ok()
}

const BLOOD_PRESSURE: &str = include_str!("samples/blood-pressure.json");

const DIABETES: &str = include_str!("samples/diabetes.json");

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
