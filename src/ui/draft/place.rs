//! Where in the page something is missing or wrong.

use crate::ui::step::Step;

/// A place of the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A step as a whole.
    Whole(Step),
    /// One cell of the column table: its row, and which.
    Cell(usize, Cell),
    /// A field of a step, by the end of its identifier.
    Field(Step, String),
}

impl Place {
    /// Creates the place of a field of the data step.
    pub fn data(field: &str) -> Self {
        Self::Field(Step::Data, field.to_owned())
    }

    /// Creates the place of a field of the columns step that is no cell of its table.
    pub fn columns(field: &str) -> Self {
        Self::Field(Step::Columns, field.to_owned())
    }

    /// Creates the place of a field of the privacy step.
    pub fn privacy(field: &str) -> Self {
        Self::Field(Step::Privacy, field.to_owned())
    }

    /// Creates the place of a field of the method step.
    pub fn method(field: &str) -> Self {
        Self::Field(Step::Method, field.to_owned())
    }

    /// Returns the step where the place is.
    pub const fn step(&self) -> Step {
        match self {
            Self::Whole(step) | Self::Field(step, _) => *step,
            Self::Cell(..) => Step::Columns,
        }
    }

    /// Returns the identifier of the field's element. `None` if the place is no field.
    pub fn id(&self) -> Option<String> {
        match self {
            Self::Field(step, field) => Some(format!("{}-{field}", step.slug())),
            Self::Whole(_) | Self::Cell(..) => None,
        }
    }

    /// Returns the row of the column table. `None` if the place is none of its cells.
    pub const fn row(&self) -> Option<usize> {
        match self {
            Self::Cell(row, _) => Some(*row),
            Self::Whole(_) | Self::Field(..) => None,
        }
    }
}

/// A cell of the column table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// The role.
    Role,
    /// The type.
    Kind,
    /// The lower bound.
    Lower,
    /// The upper bound.
    Upper,
    /// The unit.
    Unit,
    /// The levels.
    Levels,
    /// The reference level.
    Reference,
}

/// Something that keeps the plan from being run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Where.
    pub place: Place,
    /// What, and what to do.
    pub text: String,
}

impl Gap {
    /// Creates a gap at a place.
    pub fn new(place: Place, text: impl Into<String>) -> Self {
        Self { place, text: text.into() }
    }
}
