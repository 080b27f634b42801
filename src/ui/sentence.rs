//! Messages of other rooms, made sentences of the page.

use crate::mechanisms::{Info, REGISTRY};
use crate::plan::PlanError;
use crate::text::{one_line, shortened};
use crate::words;

/// A word of the page.
type Word = fn() -> &'static str;

/// Fields of a plan that the page has under a name of its own, as messages quote them.
const FIELDS: [(&str, Word); 16] = [
    ("`lower`", words::columns::lowest),
    ("`upper`", words::columns::highest),
    ("`levels`", words::columns::levels),
    ("`reference`", words::columns::reference),
    ("`columns`", words::step::columns),
    ("`person`", words::privacy::who_one_person_is),
    ("`ignored`", words::columns::ignored),
    ("`typical`", words::method::assumptions),
    ("`derived`", words::terms::title),
    ("`from`", words::terms::from),
    ("`offset`", words::terms::offset),
    ("`at`", words::terms::at),
    ("`groups`", words::terms::groups),
    ("`decimal`", words::data::decimal_mark),
    ("`thousands`", words::data::thousands),
    ("`csv.na`", words::data::missing_cells_hold),
];

/// Says what is wrong with a plan and what to do, with the page's names of fields.
pub fn fault(error: &PlanError) -> String {
    let text = with_labels(format!("{}: {}", error.what, error.advice), &error.path);
    FIELDS.iter().fold(text, |text, (field, name)| text.replace(field, name()))
}

/// Puts the page's label of a mechanism's parameter in the place of its name in a plan.
fn with_labels(text: String, path: &str) -> String {
    let Some(name) = path.strip_prefix("mechanism.params.") else { return text };
    let quoted = |name: &str| format!("`{name}`");
    let is_own = |info: &&Info| text.contains(&quoted(info.name));
    let infos = || REGISTRY.iter().map(|entry| entry.info);
    let has = |info: &Info| info.parameters.iter().find(|own| own.name == name).map(|own| own.label);
    let label = infos().find(is_own).and_then(has).or_else(|| infos().find_map(has));
    let Some(label) = label else { return text };
    let of = infos().map(|info| format!("{} of {}", quoted(name), quoted(info.name)));
    of.chain([quoted(name)]).fold(text, |text, named| text.replace(&named, label))
}

/// How a remark begins for a person who writes plans by hand; it ends with a parenthesis.
const IN_A_PLAN: &str = " (in a plan: ";

/// Puts a text on one line of readable length, with a capital letter in front.
pub fn sentence(text: &str) -> String {
    let text = match text.split_once(IN_A_PLAN) {
        Some((before, remark)) => before.to_owned() + remark.split_once(')').map_or("", |(_, after)| after),
        None => text.to_owned(),
    };
    let line = one_line(&text);
    let line = shortened(&line);
    let mut chars = line.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_plan_would_say_is_left_out() {
        let said = sentence(&words::error::header_not_utf8(5));
        assert!(said.starts_with("Line 1, column 5") && said.ends_with("read it as Latin-1"), "{said}");
    }

    #[test]
    fn a_fault_of_a_plan_has_the_names_of_the_page() {
        let error =
            PlanError::at("columns[0].upper", words::plan::bounds_order(), words::plan::bounds_advice());
        let said = fault(&error);
        assert!(said.starts_with("Lowest has to be below Highest"), "{said}");
        let error = PlanError::at(
            "mechanism.params.robust_share",
            words::plan::parameter_value("robust_share", "adaptive-gauss"),
            words::plan::parameter_value_advice("a number from 0 to 0.3"),
        );
        let said = "Share for robust standard errors does not take this value: give a number from 0 to 0.3";
        assert_eq!(fault(&error), said);
        let error = PlanError::at(
            "derived",
            words::plan::derived_log("age", 0.0),
            words::plan::derived_log_advice("age"),
        );
        assert!(fault(&error).contains("or give Add before the logarithm"), "{}", fault(&error));
    }
}
