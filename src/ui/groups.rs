//! Which mechanisms the columns call for: pure, and tested natively.

use super::draft::{ColumnDraft, list, number};
use crate::mechanisms::Info;
use crate::mechanisms::info::{Calls, Group, MANY_OUTCOMES, PUBLIC_MOMENTS, YES_OR_NO, all};
use crate::model::Role;
use crate::plan::document::ColumnType;

/// Returns the mechanisms of a group, the usual one first.
pub fn members(group: &'static Group) -> impl Iterator<Item = &'static Info> {
    all().filter(move |info| info.group == Some(group))
}

/// Returns whether the columns call for a group.
pub fn is_usual(group: &Group, columns: &[ColumnDraft]) -> bool {
    let mut outcomes = outcomes(columns).peekable();
    match group.calls {
        Calls::Always => true,
        Calls::SeveralOutcomes => outcomes.count() > 1,
        Calls::YesOrNo => {
            outcomes.peek().is_some()
                && outcomes.all(|column| column.kind.is_some() && !is_not_yes_or_no(column))
        }
        Calls::Never => false,
    }
}

/// Returns plain alternatives to what is recommended, each with the group that says when to take it: public numbers about the columns, and
/// many outcomes where there are several.
pub fn alternatives(columns: &[ColumnDraft]) -> impl Iterator<Item = (&'static Info, &'static Group)> {
    let labels = is_usual(&YES_OR_NO, columns);
    let several = !labels && is_usual(&MANY_OUTCOMES, columns);
    let public = all().find(|info| info.public_moments && info.labels == labels && info.group.is_some());
    let many = several.then(|| members(&MANY_OUTCOMES).next()).flatten();
    let with = |group: &'static Group| move |info| (info, group);
    public.map(with(&PUBLIC_MOMENTS)).into_iter().chain(many.map(with(&MANY_OUTCOMES)))
}

/// Finds the first outcome that a mechanism cannot take because it has to be yes or no and is not.
pub fn not_yes_or_no<'a>(info: &Info, columns: &'a [ColumnDraft]) -> Option<&'a ColumnDraft> {
    outcomes(columns).find(|column| info.labels && is_not_yes_or_no(column))
}

fn outcomes(columns: &[ColumnDraft]) -> impl Iterator<Item = &ColumnDraft> {
    columns.iter().filter(|column| column.role == Role::Outcome)
}

fn is_not_yes_or_no(column: &ColumnDraft) -> bool {
    match column.kind {
        Some(ColumnType::Number) => (number(&column.lower), number(&column.upper)) != (Some(0.0), Some(1.0)),
        Some(ColumnType::Category) => list(&column.levels).len() != 2,
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::recommend::Recommendation;
    use crate::mechanisms::find;
    use crate::mechanisms::info::GROUPS;
    use crate::plan::document::BudgetForm;
    use crate::ui::draft::{Setup, draft_plan};

    fn outcome(kind: ColumnType, lower: &str, upper: &str, levels: &str) -> ColumnDraft {
        ColumnDraft {
            name: "y".to_owned(),
            role: Role::Outcome,
            kind: Some(kind),
            lower: lower.to_owned(),
            upper: upper.to_owned(),
            levels: levels.to_owned(),
            ..ColumnDraft::default()
        }
    }

    #[test]
    fn the_one_that_stands_before_a_plan_is_complete_is_in_the_group_that_is_open() {
        let (plan, _) = draft_plan(&[], &Setup::default(), Ok(BudgetForm::default()));
        let first = Recommendation::before_a_plan(&plan).name;
        assert!(members(GROUPS[0]).any(|info| info.name == first));
        assert!(is_usual(GROUPS[0], &[]));
    }

    #[test]
    fn groups_that_the_columns_call_for_are_open() {
        let pressure = outcome(ColumnType::Number, "40", "270", "");
        let coded = outcome(ColumnType::Number, "0", "1", "");
        let named = outcome(ColumnType::Category, "", "", "no, yes");
        let stages = outcome(ColumnType::Category, "", "", "I, II, III");
        let untold = ColumnDraft { role: Role::Outcome, ..ColumnDraft::default() };
        let cases: [(&[&ColumnDraft], bool, bool); 7] = [
            (&[], false, false),
            (&[&pressure], false, false),
            (&[&coded], false, true),
            (&[&coded, &named], true, true),
            (&[&coded, &pressure], true, false),
            (&[&stages], false, false),
            (&[&untold], false, false),
        ];
        for (outcomes, several, labels) in cases {
            let feature = ColumnDraft { role: Role::Feature, ..pressure.clone() };
            let mut columns = vec![feature.clone(), feature];
            columns.extend(outcomes.iter().map(|column| (*column).clone()));
            let usual = GROUPS.map(|group| is_usual(group, &columns));
            assert_eq!(usual, [true, several, labels, false, false, false, false], "{outcomes:?}");
        }
    }

    #[test]
    fn alternatives_take_the_outcomes_that_there_are() {
        let pressure = outcome(ColumnType::Number, "40", "270", "");
        let named = outcome(ColumnType::Category, "", "", "no, yes");
        let names = |columns: &[ColumnDraft]| -> Vec<&str> {
            alternatives(columns).map(|(info, _)| info.name).collect()
        };
        assert_eq!(names(&[]), ["pmt-ridge"]);
        assert_eq!(names(&[pressure.clone(), pressure]), ["pmt-ridge", "reuse-cov-gauss"]);
        assert_eq!(names(&[named.clone(), named]), ["pmt-logistic"]);
    }

    #[test]
    fn an_outcome_that_is_not_yes_or_no_is_named() {
        let columns = [
            ColumnDraft { role: Role::Feature, ..outcome(ColumnType::Number, "0", "9", "") },
            outcome(ColumnType::Category, "", "", "no, yes"),
            ColumnDraft { name: "sbp".to_owned(), ..outcome(ColumnType::Number, "40", "270", "") },
        ];
        let unfit = |name: &str, columns: &[ColumnDraft]| {
            not_yes_or_no(find(name).unwrap(), columns).map(|column| column.name.clone())
        };
        assert_eq!(unfit("dp-logistic", &columns), Some("sbp".to_owned()));
        assert_eq!(unfit("dp-logistic", &columns[..2]), None);
        assert_eq!(unfit("dp-ridge", &columns), None);
    }
}
