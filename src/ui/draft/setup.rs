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

/// Everything but the columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The delimiter, empty where the header line decides.
    pub delimiter: String,
    /// How numbers are written.
    pub numbers: NumberFormat,
    /// `utf-8` or `latin-1`.
    pub encoding: String,
    /// Cells that count as missing, separated by commas; `None` for the usual ones.
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
    /// Whether it is confirmed that persons are told apart otherwise than in an earlier release.
    pub other_persons: bool,
    /// Contradictions between cells and descriptions that the person has confirmed: the column, the kind, and the description that it was
    /// confirmed for. They follow from cells, so they are kept nowhere else.
    pub confirmed: BTreeSet<(usize, Contradiction, String)>,
    /// How samples and phenotypes belong together where the person has confirmed that few samples have a row. The counts are of the
    /// files, so they are kept nowhere else.
    pub few_confirmed: Option<Matches>,
}

impl Setup {
    /// Whether one row of each person counts, so that rows are as many as persons.
    pub fn counts_persons(&self) -> bool {
        !self.person.is_empty() && count(&self.max_rows) == Some(1)
    }

    /// Says who one person is, and how many of its rows count. A number of rows is not one of persons, so it goes with the change.
    pub fn identify(&mut self, person: String, max_rows: String) {
        let counted_persons = self.counts_persons();
        // A confirmation is of the persons that it was given for.
        if self.person != person {
            self.other_persons = false;
        }
        (self.person, self.max_rows) = (person, max_rows);
        if self.counts_persons() != counted_persons {
            self.rows.clear();
        }
    }

    /// What is lacking where no number of rows, or of persons, is stated.
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
