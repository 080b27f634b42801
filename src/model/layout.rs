//! Which sums of products a table is reduced to, and their order. Integers only.

#![deny(clippy::arithmetic_side_effects)]

use crate::math::triangle;

/// Which products of a row's terms are summed. The cells are, in this order: the products of the features with each other, as a
/// packed upper triangle row by row, (0,0), (0,1), …, (1,1), …; those of features with outcomes, all of a feature together; the
/// squares of the outcomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    features: usize,
    outcomes: usize,
    squares: bool,
}

impl Layout {
    /// Creates the layout of all products of `terms` terms.
    pub const fn whole(terms: usize) -> Self {
        Self { features: terms, outcomes: 0, squares: false }
    }

    /// Creates the layout of the products of the first `features` terms with each other and with the `outcomes` after them, and of the
    /// outcomes' squares if `squares`.
    pub const fn sides(features: usize, outcomes: usize, squares: bool) -> Self {
        Self { features, outcomes, squares }
    }

    /// Terms in a row.
    pub const fn terms(self) -> usize {
        self.features.saturating_add(self.outcomes)
    }

    /// Terms all of whose products are kept; the first ones.
    pub const fn features(self) -> usize {
        self.features
    }

    /// Terms after them, whose products with each other are not kept.
    pub const fn outcomes(self) -> usize {
        self.outcomes
    }

    /// Returns whether the squares of the outcomes are kept.
    pub const fn squares(self) -> bool {
        self.squares
    }

    /// Returns the number of cells.
    pub const fn cells(self) -> usize {
        let squares = if self.squares { self.outcomes } else { 0 };
        self.first_square().saturating_add(squares)
    }

    /// Returns the cell of a product, if it is kept.
    pub fn place(self, first: usize, second: usize) -> Option<usize> {
        let (row, column) = (first.min(second), first.max(second));
        if column < self.features {
            return Some(triangle::index(self.features, row, column));
        }
        let outcome = column.checked_sub(self.features).filter(|outcome| *outcome < self.outcomes)?;
        if row < self.features {
            self.cross(row)?.checked_add(outcome)
        } else if self.squares && row == column {
            self.first_square().checked_add(outcome)
        } else {
            None
        }
    }

    /// Returns the cell of a feature's product with the first outcome.
    fn cross(self, feature: usize) -> Option<usize> {
        triangle::len(self.features).checked_add(feature.checked_mul(self.outcomes)?)
    }

    const fn first_square(self) -> usize {
        triangle::len(self.features).saturating_add(self.features.saturating_mul(self.outcomes))
    }

    /// Returns the two terms of each cell, in the cells' order.
    pub fn pairs(self) -> impl Iterator<Item = (usize, usize)> {
        let (features, terms) = (self.features, self.terms());
        let own = triangle::pairs(features);
        let cross = (0..features).flat_map(move |row| (features..terms).map(move |column| (row, column)));
        let squares = if self.squares { features..terms } else { 0..0 };
        own.chain(cross).chain(squares.map(|outcome| (outcome, outcome)))
    }
}
