#![no_main]

#[allow(dead_code)]
#[path = "../properties/common.rs"]
mod common;
#[path = "../properties/ledger.rs"]
mod ledger;

libfuzzer_sys::fuzz_target!(|data: &[u8]| ledger::holds(data));
