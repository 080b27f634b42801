//! What the page shows of budget, cost and noise, each number from the module that owns it: no mathematics here.

mod budget;
mod comparison;
mod contradictions;
mod estimates;
mod forecast;
mod ineligibility;
mod inspection;

pub use budget::{
    Worth, ask, budget_parts, entry_share, has_nothing_left, ledger_worth, left, open_ledger, share_of,
    taken, wallet, weak, worth,
};
pub use comparison::{Row, compare};
pub use contradictions::{
    Contradictions, contradictions, has_units_below_header, header_question, may_be_yes_or_no, no_sample,
    open_questions, persons_may_repeat, repairs_of, unnamed,
};
pub use estimates::bounds_of;
pub use forecast::{Forecast, forecast, precision_with, public_terms, spread_with, takes_public_moments};
pub use ineligibility::{ineligibility, not_yes_or_no};
pub use inspection::{
    Inspection, PersonsCounted, far_difference, few_rows_left, misfits, misfits_of_term, open_term, rows,
    rows_of_persons, same_people,
};
