#![no_main]

#[allow(dead_code)]
#[path = "../properties/common.rs"]
mod common;
#[path = "../properties/number.rs"]
mod number;

libfuzzer_sys::fuzz_target!(|data: &[u8]| number::holds(data));
