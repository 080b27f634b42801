#![no_main]

#[allow(dead_code)]
#[path = "../properties/common.rs"]
mod common;
#[path = "../properties/plan.rs"]
mod plan;

libfuzzer_sys::fuzz_target!(|data: &[u8]| plan::holds(data));
