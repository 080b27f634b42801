#![no_main]

#[allow(dead_code)]
#[path = "../properties/common.rs"]
mod common;
#[path = "../properties/genotypes.rs"]
mod genotypes;

libfuzzer_sys::fuzz_target!(|data: &[u8]| genotypes::holds(data));
