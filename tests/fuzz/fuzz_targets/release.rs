#![no_main]

#[allow(dead_code)]
#[path = "../properties/common.rs"]
mod common;
#[path = "../properties/release.rs"]
mod release;

libfuzzer_sys::fuzz_target!(|data: &[u8]| release::holds(data));
