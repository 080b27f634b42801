//! Which of the first rows meet the conditions of a plan.

use std::borrow::Cow;

use super::{Contradiction, Mismatch, distinct, mismatch};
use crate::data::cells::Cells;
use crate::data::csv::Record;
use crate::plan::bound::{BoundCondition, CsvRules};

/// Returns the rows that meet all conditions.
pub fn meeting<'a>(
    rows: &'a [Vec<String>],
    only: &[BoundCondition],
    rules: &CsvRules,
) -> Cow<'a, [Vec<String>]> {
    if only.is_empty() {
        return Cow::Borrowed(rows);
    }
    let cells = Cells::new(rules);
    let meets = |row: &&Vec<String>| only.iter().all(|condition| is_met(row, condition, &cells));
    Cow::Owned(rows.iter().filter(meets).cloned().collect())
}

/// Returns the cells of each condition that none of the rows meets, with its fields.
pub fn unmet(rows: &[Vec<String>], only: &[BoundCondition], rules: &CsvRules) -> Vec<(usize, Mismatch)> {
    let cells = Cells::new(rules);
    let of = |field: usize| {
        let read = rows.iter().filter_map(|row| row.get(field)).map(|cell| cell.trim());
        (field, mismatch(Contradiction::Unmet, distinct(read), Vec::new()))
    };
    let unmet = |condition: &&BoundCondition| !rows.iter().any(|row| is_met(row, condition, &cells));
    let fields = only.iter().filter(|_| !rows.is_empty()).filter(unmet).flat_map(BoundCondition::fields);
    fields.map(of).collect()
}

fn is_met(row: &[String], condition: &BoundCondition, cells: &Cells) -> bool {
    let text = row.concat();
    let ends = row.iter().scan(0, |end, cell| {
        *end += cell.len();
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    condition.fields().iter().all(|field| *field < row.len())
        && cells.meet(&Record::new(&text, &ends), condition)
}

#[cfg(test)]
mod tests {
    use super::super::tests::rules;
    use super::*;
    use crate::plan::expression::LevelCodes;

    #[test]
    fn rows_are_chosen_by_ranges_and_levels_and_a_missing_cell_meets_none() {
        let rows = [["17.5", "F"], ["18", " F "], ["64", "M"], ["", "F"], ["1800", "F"]];
        let rows = rows.map(|row| row.map(str::to_owned).to_vec());
        let rules = rules(b',', b'.');
        let adults = BoundCondition::Range { field: 0, lower: 18.0, upper: 110.0 };
        let levels = |level: &str| BoundCondition::Levels(LevelCodes::of(1, &[level.to_owned()], None));
        let met = |only: &[BoundCondition]| meeting(&rows, only, &rules).into_owned();
        assert_eq!(met(&[]), rows);
        assert_eq!(met(std::slice::from_ref(&adults)), rows[1..3]);
        assert_eq!(met(&[adults.clone(), levels("F")]), rows[1..2]);
        let found = unmet(&rows, &[adults, levels("Female")], &rules);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].0, &*found[0].1.cells), (1, &["F".to_owned(), "M".to_owned()][..]));
    }
}
