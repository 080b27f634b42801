//! What a person has typed so far, and its way to a plan and back: pure, and tested natively.

mod budget;
mod codebook;
mod columns;
mod dialect;
mod faults;
mod from_plan;
mod history;
mod joined;
mod kept;
mod only;
pub mod patterns;
mod place;
mod setup;
mod terms;
mod to_plan;
mod typed;

pub use budget::{ask, ask_other, budget, delta, proposed_one_in};
pub use codebook::{Filled, fill, fill_from_plan};
pub use columns::{
    ColumnDraft, TypicalFault, confirmation, filtered, have_impossible_shares, is_choice_of_many,
    is_described, levels_of_share, paste, retype_levels, typical_fault,
};
pub use dialect::{LATIN_1, csv_rules, dialect, header_rules, missing_marks};
pub use faults::{UNCERTAIN_BOUNDS, place};
pub use from_plan::{as_typed, open};
pub use history::{History, changed};
pub use joined::{joined_levels, levels_of, set_share, typed_share, with_divided_shares};
pub use kept::KeptDraft;
pub use only::{ConditionDraft, choose_rows, count_all_rows, differences};
pub use place::{Cell, Gap, Place};
pub use setup::{BudgetKind, Setup};
pub use terms::{
    TermDraft, TermForm, centre, is_other_spelling, put_term, replaced, spellings, take_term, uncentred,
};
pub use to_plan::{draft_plan, persons_not_counted, plan, plan_to_count_persons, plan_to_inspect};
pub use typed::{
    block, count, is_block, list, number, percent, share, shown, two_numbers, typed_level, unlist,
};

#[cfg(test)]
mod tests;
