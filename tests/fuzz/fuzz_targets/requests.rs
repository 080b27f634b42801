#![no_main]

#[allow(dead_code)]
#[path = "../../audit/ledger_model.rs"]
mod ledger_model;
#[path = "../properties/requests.rs"]
mod requests;

libfuzzer_sys::fuzz_target!(|data: &[u8]| requests::holds(data));
