#![no_main]

#[allow(dead_code)]
#[path = "../properties/common.rs"]
mod common;
#[path = "../properties/encode.rs"]
mod encode;

libfuzzer_sys::fuzz_target!(|data: &[u8]| encode::holds(data));
