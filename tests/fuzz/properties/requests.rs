//! Requests in any order: the ledger grants what the simple model grants, and holds what it holds.

use crate::ledger_model;

pub fn holds(data: &[u8]) {
    if let Err(error) = ledger_model::requests_of_bytes(data) {
        panic!("{error}");
    }
}
