//! Everything that is typed but the columns.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::place::{Gap, Place};
use super::typed::count;
use crate::data::genotypes::Matches;
use crate::data::mismatch::Contradiction;
use crate::model::Missing;
use crate::plan::document::{Condition, Derived};
use crate::plan::number_format::NumberFormat;
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::Split;
use crate::words;

/// How the budget is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BudgetKind {
    /// ε and δ.
    #[default]
    EpsilonDelta,
    /// ρ, and δ to quote ε.
    Rho,
    /// μ, and δ to quote ε.
    Mu,
}

/// What a stated number counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted {
    /// The conditions that the rows meet, by their columns. A number that is exact is of the whole table.
    only: Vec<Condition>,
    /// Whether it is one of persons.
    persons: bool,
}

/// Everything but the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The delimiter, empty where the header line decides.
    pub delimiter: String,
    /// How numbers are written.
    pub numbers: NumberFormat,
    /// `utf-8` or `latin-1`.
    pub encoding: String,
    /// Cells that count as missing, separated by commas. `None` for the usual ones.
    pub na: Option<String>,
    /// The line that is the header, 0 for none; unset for the first line where nobody was asked.
    pub header: Option<u32>,
    /// The column that says whose a row is; empty where each row is one person.
    pub person: String,
    /// Rows of one person that count, as typed.
    pub max_rows: String,
    /// The rule for missing cells.
    pub missing: Missing,
    /// What neighbouring tables are.
    pub adjacency: Adjacency,
    /// Whom the guarantee covers.
    pub protect: Protect,
    /// Whether the words were typed that a relaxed guarantee takes.
    pub protect_confirmed: bool,
    /// The stated, public number of rows, as typed.
    pub rows: String,
    /// What was stated before, and what that counts, where the number is asked for again. It is kept nowhere else.
    pub stated_before: Option<(String, Counted)>,
    /// Whether the regressions have a constant.
    pub intercept: bool,
    /// The mechanism that the person chose; without one the plan has the recommended one.
    pub mechanism: Option<String>,
    /// Whether the noise has the paper's own scale.
    pub paper: bool,
    /// Whether the person accepts a proof that assumes real-number arithmetic.
    pub idealised: bool,
    /// The mechanism's parameters as typed; empty ones have their defaults.
    pub params: Vec<(String, String)>,
    /// Level of the intervals in percent, as typed.
    pub confidence: String,
    /// How the budget is written.
    pub form: BudgetKind,
    /// ε as typed.
    pub epsilon: String,
    /// N of δ = 1/N, as typed; empty where it follows the stated rows.
    pub one_in: String,
    /// ρ as typed.
    pub rho: String,
    /// μ as typed.
    pub mu: String,
    /// The words that were typed to open a ledger whose promise is weak.
    pub weak: String,
    /// What kinds of release a new budget is kept for.
    pub split: Split,
    /// Share of what is left in the budget that the next release asks for, in percent.
    pub share: u8,
    /// Patterns under which the plan may keep columns.
    pub patterns: Vec<String>,
    /// Terms that are derived from columns.
    pub derived: Vec<Derived>,
    /// Conditions on the rows that count.
    pub only: Vec<Condition>,
    /// Share of the budget for estimating bounds in percent, as typed; empty for the usual one.
    pub estimate_share: String,
    /// The correlation that forecasts assume between features, as typed; empty for the usual one.
    pub typical_correlation: String,
    /// Whether the person accepts that bounds may not be found with the stated rows.
    pub uncertain_bounds: bool,
    /// Whether the person has confirmed that persons are identified in another way than in an earlier release.
    pub other_persons: bool,
    /// Contradictions between cells and descriptions that the person has confirmed: the column, the kind, and the description that it was
    /// confirmed for. They follow from cells, so they are kept nowhere else.
    pub confirmed: BTreeSet<(usize, Contradiction, String)>,
    /// How samples and phenotypes belong together where the person has confirmed that few samples have a row. The counts are of the
    /// files, so they are kept nowhere else.
    pub few_confirmed: Option<Matches>,
}

impl Setup {
    /// Returns whether one row of each person counts, so that there are as many rows as persons.
    pub fn counts_persons(&self) -> bool {
        !self.person.is_empty() && count(&self.max_rows) == Some(1)
    }

    /// Returns what the stated number counts.
    pub(super) fn counted(&self) -> Counted {
        let exact = self.adjacency == Adjacency::ReplaceOne;
        let mut only = if exact { Vec::new() } else { self.only.clone() };
        only.sort_by(|one, other| one.column.cmp(&other.column));
        Counted { only, persons: self.counts_persons() }
    }

    /// Asks for the number again where one was stated that counts something else, and puts it back where that counts again.
    pub(super) fn restate_rows(&mut self, before: Counted) {
        let counted = self.counted();
        if before == counted {
            return;
        }
        if !self.rows.trim().is_empty() {
            self.stated_before = Some((std::mem::take(&mut self.rows), before));
        } else if let Some((rows, _)) = self.stated_before.take_if(|(_, of)| *of == counted) {
            self.rows = rows;
        }
    }

    /// Asks for the number in place of the one that was stated before; nothing while one is stated.
    pub fn asked_again(&self) -> Option<String> {
        let (rows, before) = self.stated_before.as_ref().filter(|_| self.rows.trim().is_empty())?;
        let now = self.counted();
        if before.persons != now.persons {
            let said =
                if now.persons { words::privacy::stated_of_rows } else { words::privacy::stated_of_persons };
            return Some(said(rows));
        }
        let other = |own: &[Condition], others: &[Condition]| -> Vec<String> {
            own.iter().filter(|one| !others.contains(one)).map(|one| one.column.clone()).collect()
        };
        let (new, gone) = (other(&now.only, &before.only), other(&before.only, &now.only));
        match (new.is_empty(), gone.is_empty()) {
            (true, true) => None,
            (false, true) => Some(words::privacy::stated_before(rows, new.join(", "))),
            (_, false) => Some(words::privacy::stated_otherwise(rows, gone.join(", "))),
        }
    }

    /// Says who one person is, and how many of its rows count. A number of rows is not one of persons.
    pub fn identify(&mut self, person: String, max_rows: String) {
        let counted = self.counted();
        // A confirmation is of the persons that it was given for.
        if self.person != person {
            self.other_persons = false;
        }
        (self.person, self.max_rows) = (person, max_rows);
        self.restate_rows(counted);
    }

    /// Returns the gap for an unstated number of rows, or of persons.
    pub(super) fn lacks_rows(&self) -> Gap {
        let text = if self.counts_persons() { words::gap::number_of_persons() } else { words::gap::rows() };
        Gap::new(Place::privacy("rows"), text)
    }

    /// Chooses a mechanism, or what is recommended. Parameters are those of the one before, so they go.
    pub fn choose(&mut self, mechanism: Option<&str>) {
        self.mechanism = mechanism.map(str::to_owned);
        self.params.clear();
        self.paper = false;
        self.idealised = false;
    }
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            delimiter: String::new(),
            numbers: NumberFormat::default(),
            encoding: "utf-8".to_owned(),
            na: None,
            header: None,
            person: String::new(),
            max_rows: "1".to_owned(),
            missing: Missing::Skip,
            adjacency: Adjacency::AddRemove,
            protect: Protect::Rows,
            protect_confirmed: false,
            rows: String::new(),
            stated_before: None,
            intercept: true,
            mechanism: None,
            paper: false,
            idealised: false,
            params: Vec::new(),
            confidence: "95".to_owned(),
            form: BudgetKind::EpsilonDelta,
            epsilon: "1".to_owned(),
            one_in: String::new(),
            rho: "0.05".to_owned(),
            mu: "0.3".to_owned(),
            weak: String::new(),
            split: Split::Gaussian,
            share: 50,
            patterns: Vec::new(),
            derived: Vec::new(),
            only: Vec::new(),
            estimate_share: String::new(),
            typical_correlation: String::new(),
            uncertain_bounds: false,
            other_persons: false,
            confirmed: BTreeSet::new(),
            few_confirmed: None,
        }
    }
}
