//! A plan is refused in one line, or reading, checking and writing it once more changes nothing.

use discreet::engine::{Prepared, prepare};
use discreet::plan::{CheckedPlan, Plan, Purpose};

use super::common::assert_one_line;

pub fn holds(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let plan = match Plan::parse(text) {
        Ok(plan) => plan,
        Err(error) => return assert_one_line(&error),
    };
    assert_eq!(again(&plan), plan);
    for purpose in [Purpose::Release, Purpose::Simulate] {
        let checked = match CheckedPlan::new(plan.clone(), purpose) {
            Ok(checked) => checked,
            Err(error) => {
                assert_one_line(&error);
                continue;
            }
        };
        assert_eq!(CheckedPlan::new(again(&checked.plan), purpose).as_ref(), Ok(&checked));

        // A header with all that the plan names, and two columns for each pattern.
        let mut names: Vec<String> = plan.person.iter().cloned().collect();
        for column in &plan.columns {
            names.extend(column.name.clone());
            let pattern = column.pattern.iter();
            names.extend(pattern.flat_map(|text| ["1", "two"].map(|star| text.replace('*', star))));
        }
        names.sort();
        names.dedup();
        let delimiter = checked.delimiter.unwrap_or(b';');
        match prepare(plan.clone(), &names, delimiter, purpose) {
            Ok(prepared) => prepared_is_sound(&prepared, &names, delimiter, purpose),
            Err(error) => assert_one_line(&error),
        }
    }
}

/// What is written is read as it was.
fn again(plan: &Plan) -> Plan {
    let text = serde_json::to_string_pretty(plan).unwrap();
    let plan = Plan::parse(&text).unwrap();
    assert_eq!(serde_json::to_string_pretty(&plan).unwrap(), text);
    plan
}

fn prepared_is_sound(prepared: &Prepared, names: &[String], delimiter: u8, purpose: Purpose) {
    let run = prepare(again(prepared.plan()), names, delimiter, purpose).expect("a plan as run runs");
    assert_eq!(run.plan(), prepared.plan());
    assert_eq!((run.bound(), run.geometry()), (prepared.bound(), prepared.geometry()));
    assert_eq!(run.cost(), prepared.cost());
    let geometry = prepared.geometry();
    assert!(geometry.terms.iter().all(|term| {
        term.centre.is_finite() && term.scale.is_finite() && term.scale > 0.0 && term.weight >= 0.0
    }));
    assert!(geometry.squared_norm() <= u64::from(prepared.bound().grid.radius).pow(2));
    if let Some(cost) = prepared.cost() {
        let sound = |loss: Option<f64>| loss.is_none_or(|loss| loss > 0.0 && loss.is_finite());
        assert!(sound(cost.mu) && sound(cost.rho), "{cost:?}");
        assert!(cost.mu.is_some() || cost.promise.is_some(), "{cost:?}");
    }
}
