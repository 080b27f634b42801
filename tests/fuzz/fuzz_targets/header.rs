#![no_main]

#[allow(dead_code)]
#[path = "../properties/common.rs"]
mod common;
#[path = "../properties/header.rs"]
mod header;

libfuzzer_sys::fuzz_target!(|data: &[u8]| header::holds(data));
