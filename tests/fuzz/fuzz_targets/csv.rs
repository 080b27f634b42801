#![no_main]

#[allow(dead_code)]
#[path = "../properties/common.rs"]
mod common;
#[path = "../properties/csv.rs"]
mod csv;

libfuzzer_sys::fuzz_target!(|data: &[u8]| csv::holds(data));
