//! Earlier states of the draft, for "Undo".

use super::columns::ColumnDraft;
use super::setup::Setup;

/// A state of the draft.
pub type Snapshot = (Vec<ColumnDraft>, Setup);

/// Most cells that are kept: columns times states.
const MOST: usize = 100_000;

/// Most states that are kept.
const STATES: usize = 100;

/// Milliseconds without a change after which the next one is another step.
const PAUSE: f64 = 1_000.0;

/// Earlier states of the draft of one table.
#[derive(Debug, Default)]
pub struct History {
    now: Option<Snapshot>,
    earlier: Vec<Snapshot>,
    /// When the last change was made.
    changed: f64,
}

impl History {
    /// Begins with another table.
    pub fn begin(&mut self, now: Snapshot) {
        *self = Self { now: Some(now), ..Self::default() };
    }

    /// Keeps the state before a change that was made at `clock`, in milliseconds. Letters that are typed one after the other are one
    /// change. Another table, or ticks alone, are none.
    pub fn change(&mut self, now: Snapshot, clock: f64) {
        let Some(before) = &mut self.now else { return self.begin(now) };
        let names = |(columns, _): &Snapshot| columns.len();
        let same_table = names(before) == names(&now)
            && before.0.iter().zip(&now.0).all(|(left, right)| left.name == right.name);
        if !same_table {
            return self.begin(now);
        }
        if is_same(before, &now) {
            *before = now;
            return;
        }
        let before = std::mem::replace(before, now);
        if self.earlier.is_empty() || clock - self.changed > PAUSE {
            self.earlier.push(before);
            let most = (MOST / self.earlier.last().map_or(1, names).max(1)).clamp(1, STATES);
            let many = self.earlier.len().saturating_sub(most);
            self.earlier.drain(..many);
        }
        self.changed = clock;
    }

    /// Returns the state before the last change.
    pub fn undo(&mut self) -> Option<Snapshot> {
        let before = self.earlier.pop()?;
        self.now = Some(before.clone());
        self.changed = f64::NEG_INFINITY;
        Some(before)
    }

    /// Returns whether there is something to undo.
    pub fn has_earlier(&self) -> bool {
        !self.earlier.is_empty()
    }
}

/// Returns whether two states differ in nothing but ticks.
fn is_same(left: &Snapshot, right: &Snapshot) -> bool {
    left.1 == right.1 && changed(&left.0, &right.0).is_empty()
}

/// Returns the names of the columns that two descriptions of a table describe differently. Ticks are no description.
pub fn changed(left: &[ColumnDraft], right: &[ColumnDraft]) -> Vec<String> {
    let unticked = |column: &ColumnDraft| ColumnDraft { selected: false, ..column.clone() };
    let both = left.iter().zip(right);
    let differ = both.filter(|(left, right)| left != right && unticked(left) != unticked(right));
    differ.map(|(left, _)| left.name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(names: &[&str], lower: &str) -> Snapshot {
        let column = |name: &&str| ColumnDraft {
            name: (*name).to_owned(),
            lower: lower.to_owned(),
            ..ColumnDraft::default()
        };
        (names.iter().map(column).collect(), Setup::default())
    }

    #[test]
    fn changes_are_undone_one_by_one() {
        let mut history = History::default();
        history.change(state(&["age"], ""), 0.0);
        assert!(!history.has_earlier());
        history.change(state(&["age"], "1"), 10.0);
        history.change(state(&["age"], "12"), 400.0);
        history.change(state(&["age"], "5"), 9_000.0);
        assert_eq!(history.undo(), Some(state(&["age"], "12")));
        // The page shows what was undone, which is no change.
        history.change(state(&["age"], "12"), 9_100.0);
        assert_eq!(history.undo(), Some(state(&["age"], "")), "letters typed one after the other");
        assert_eq!(history.undo(), None);
        history.change(state(&["age"], "7"), 9_200.0);
        assert_eq!(history.undo(), Some(state(&["age"], "")));
    }

    #[test]
    fn another_table_begins_again_and_ticks_are_no_change() {
        let mut history = History::default();
        history.change(state(&["age"], ""), 0.0);
        history.change(state(&["age"], "1"), 2_000.0);
        let mut ticked = state(&["age"], "1");
        ticked.0[0].selected = true;
        history.change(ticked.clone(), 4_000.0);
        assert_eq!(history.undo(), Some(state(&["age"], "")));
        history.change(state(&["age"], "1"), 6_000.0);
        history.change(state(&["sex"], ""), 8_000.0);
        assert!(!history.has_earlier());
    }

    #[test]
    fn a_wide_table_keeps_few_states() {
        let names = vec!["x"; 30_000];
        let mut history = History::default();
        for step in 0..9_u32 {
            history.change(state(&names, &step.to_string()), f64::from(step) * 2_000.0);
        }
        assert_eq!(std::iter::from_fn(|| history.undo()).count(), 3);
    }
}
