//! Why a mechanism does not run under the plan as it stands.

use super::budget::keeps;
use crate::mechanisms::{Info, Scope};
use crate::privacy::adjacency::Adjacency;
use crate::privacy::units::Units;
use crate::ui::draft::{ColumnDraft, Setup};
use crate::ui::{groups, text};
use crate::words;

/// Says why a mechanism cannot take these columns, where its outcomes have to be yes or no.
pub fn not_yes_or_no(info: &Info, columns: &[ColumnDraft]) -> Option<String> {
    groups::not_yes_or_no(info, columns).map(|column| words::method::not_yes_or_no(&column.name))
}

/// Says what a mechanism lacks in the Privacy step: its promise, or a part of the budget. The budget's wallets hold `capacity` and are `fixed` once
/// there is a ledger.
pub fn ineligibility(
    info: &Info,
    setup: &Setup,
    capacity: Option<&Units>,
    fixed: bool,
) -> Option<&'static str> {
    let replaces = setup.adjacency == Adjacency::ReplaceOne;
    let promised = match info.scope {
        Scope::Both => true,
        Scope::ReplaceOne => replaces,
        Scope::Relaxed(protect) => replaces && setup.protect == protect,
    };
    if !promised {
        return text::needs_promise(info.scope);
    }
    let lacks = capacity.is_some_and(|capacity| !keeps(capacity, info.wallet));
    lacks.then_some(if fixed { words::page::other_wallet() } else { words::page::keep_wallet() })
}
