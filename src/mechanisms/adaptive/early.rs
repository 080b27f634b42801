//! What a record adds to the first three rounds, with which both adaptive mechanisms begin.

use std::sync::Arc;

use super::guide::Guide;
use super::margins;
use super::rough::Standardiser;
use super::tails::Edges;
use super::terms::Terms;
use crate::math::triangle;

/// What one record with its coded values adds to the integers of one early round. Given the earlier answers it is a public function of this
/// record alone.
#[derive(Clone, Debug)]
pub enum EarlyMap {
    /// Count, sums, sums of squares, where 1 has this code.
    Margins(u32),
    /// Products of standardised values.
    Moments(Standardiser),
    /// Counts, where one record is this many.
    Tails(Arc<Guide>, Edges, u64),
}

impl EarlyMap {
    /// Returns the number of its round, from 0.
    pub const fn number(&self) -> usize {
        match self {
            Self::Margins(_) => 0,
            Self::Moments(_) => 1,
            Self::Tails(..) => 2,
        }
    }

    /// Adds a record with these coded values; `reals` and `codes` are working memory.
    pub fn add(
        &self,
        terms: &Terms,
        values: &[f64],
        reals: &mut Vec<f64>,
        codes: &mut Vec<i32>,
        cells: &mut [i64],
    ) {
        match self {
            Self::Margins(level) => margins::add(terms, *level, values, codes, cells),
            Self::Moments(standardiser) => {
                standardiser.codes(values, codes);
                triangle::add_outer(codes, 1, cells);
            }
            Self::Tails(guide, edges, count) => edges.add(guide, *count, values, reals, cells),
        }
    }
}
