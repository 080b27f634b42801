//! The names of the page's steps. What each shows is one line of the table in `steps`.

/// A step, in the order of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The table.
    #[default]
    Data,
    /// What its columns mean.
    Columns,
    /// The budget.
    Privacy,
    /// The mechanism, and what to expect of it.
    Method,
    /// What was released.
    Result,
}

impl Step {
    /// Returns the beginning of the identifiers of the step's fields.
    pub fn slug(self) -> String {
        format!("{self:?}").to_lowercase()
    }

    /// Returns the part of the page's address that leads to the step.
    pub fn address(self) -> String {
        format!("#{}", self.slug())
    }
}
