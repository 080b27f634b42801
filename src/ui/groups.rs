//! The mechanisms in groups that a person can choose by, and which of them the columns call for: pure, and tested natively.

use super::draft::{ColumnDraft, list, number};
use crate::mechanisms::Info;
use crate::model::Role;
use crate::plan::document::ColumnType;

/// Mechanisms that answer one question of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// What they have in common.
    pub title: &'static str,
    /// When to look among them.
    pub when: &'static str,
    /// Their names, the usual one first.
    pub members: &'static [&'static str],
    /// For which columns it is open before anybody asks.
    usual: Usual,
}

/// The columns that call for a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Usual {
    /// All.
    Always,
    /// Two outcomes or more.
    SeveralOutcomes,
    /// Outcomes that are all yes or no.
    YesOrNo,
    /// None.
    Never,
}

/// Each private mechanism once. The first group begins with the one that is chosen before anybody chooses.
pub const GROUPS: [Group; 7] = [
    Group {
        title: "Linear regression",
        when: "For outcomes that are numbers, one or a few. Start here.",
        members: &["analyze-gauss", "ada-ssp", "dp-ridge"],
        usual: Usual::Always,
    },
    Group {
        title: "Many outcomes on the same features",
        when: "For tens to thousands of outcomes, such as proteins or gene expression. What is spent on the features is spent once \
            for all.",
        members: &["reuse-cov-gauss", "reuse-cov-proj-x", "reuse-cov-proj-y"],
        usual: Usual::SeveralOutcomes,
    },
    Group {
        title: "Yes-or-no outcomes",
        when: "Logistic regression, for outcomes such as readmitted or not. It gives odds ratios.",
        members: &["dp-logistic", "pmt-logistic"],
        usual: Usual::YesOrNo,
    },
    Group {
        title: "Guided by other people's data",
        when: "Where means, spreads and correlations of the same columns are published. The noise then has the shape of the columns.",
        members: &["pmt-ridge", "pmt-glm"],
        usual: Usual::Never,
    },
    Group {
        title: "Posterior draws and projections",
        when: "One random matrix in place of noise in each sum, mostly for small tables where a strong ridge is welcome. They need a \
            part of the budget of their own.",
        members: &[
            "inverse-wishart",
            "inverse-wishart-adaptive",
            "additive-wishart",
            "jl-ridge",
            "jl-ridge-adaptive",
        ],
        usual: Usual::Never,
    },
    Group {
        title: "Gradient descent, without intervals",
        when: "Estimates alone, mostly for very many features.",
        members: &["dp-gd", "pmt-gd"],
        usual: Usual::Never,
    },
    Group {
        title: "For comparison with papers",
        when: "They show what the others gain. Hardly ever right for a release.",
        members: &["naive-composition", "sub-samp-reuse-cov"],
        usual: Usual::Never,
    },
];

impl Group {
    /// Whether a mechanism belongs to it.
    #[must_use]
    pub fn has(&self, mechanism: &str) -> bool {
        self.members.contains(&mechanism)
    }

    /// Whether the columns call for it.
    #[must_use]
    pub fn is_usual(&self, columns: &[ColumnDraft]) -> bool {
        let mut outcomes = outcomes(columns).peekable();
        match self.usual {
            Usual::Always => true,
            Usual::SeveralOutcomes => outcomes.count() > 1,
            Usual::YesOrNo => {
                outcomes.peek().is_some()
                    && outcomes.all(|column| column.kind.is_some() && !is_not_yes_or_no(column))
            }
            Usual::Never => false,
        }
    }
}

/// The first outcome that a mechanism cannot take, because it has to be yes or no and is not.
#[must_use]
pub fn not_yes_or_no<'a>(info: &Info, columns: &'a [ColumnDraft]) -> Option<&'a ColumnDraft> {
    outcomes(columns).find(|column| info.takes_labels() && is_not_yes_or_no(column))
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
    use crate::mechanisms::{TABLE, find};
    use crate::model::Wallet;
    use crate::ui::draft::Setup;

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
    fn each_private_mechanism_is_in_one_group() {
        for info in TABLE {
            let groups = GROUPS.iter().filter(|group| group.has(info.name)).count();
            assert_eq!(groups, usize::from(info.wallet != Wallet::None), "{}", info.name);
        }
        let mut members: Vec<&str> = GROUPS.iter().flat_map(|group| group.members.iter().copied()).collect();
        assert!(members.iter().all(|name| find(name).is_some()), "{members:?}");
        let all = members.len();
        members.sort_unstable();
        members.dedup();
        assert_eq!(members.len(), all);
    }

    #[test]
    fn the_one_that_is_chosen_at_first_is_seen_first() {
        assert_eq!(GROUPS[0].members[0], Setup::default().mechanism);
        assert!(GROUPS[0].is_usual(&[]));
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
            let usual = GROUPS.map(|group| group.is_usual(&columns));
            assert_eq!(usual, [true, several, labels, false, false, false, false], "{outcomes:?}");
        }
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
