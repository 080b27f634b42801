//! Tests that run inside the browser: the arithmetic, the store, the workers.
//!
//! The page of the test runner plays the page, and its own module plays the workers' module.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[expect(dead_code, reason = "some of it is for the native tests alone")]
#[path = "../audit/adaptive/mod.rs"]
mod adaptive_checks;
#[expect(dead_code, reason = "some of it is for the native tests alone")]
#[path = "../audit/adaptive_logistic/mod.rs"]
mod adaptive_logistic_checks;
#[expect(dead_code, reason = "some of it is for the native tests alone")]
#[path = "../audit/estimated_bounds/mod.rs"]
mod estimated_bounds_checks;
mod golden;
mod store;
#[path = "../vectors/adaptive.rs"]
mod vectors_adaptive;
#[path = "../vectors/harness.rs"]
mod vectors_harness;
#[path = "../vectors/primo.rs"]
mod vectors_primo;
#[path = "pld.rs"]
mod web_pld;
mod workers;

use js_sys::Promise;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Lets the page answer its driver, which gives up on one that is busy for half a minute.
async fn breathe() {
    let timer = Promise::new(&mut |resolve, _| {
        web_sys::window()
            .unwrap()
            .set_timeout_with_callback_and_timeout_and_arguments_0(&resolve, 20)
            .unwrap();
    });
    JsFuture::from(timer).await.unwrap();
}

#[wasm_bindgen_test]
async fn the_browser_gives_the_native_bits() {
    assert_eq!(golden::digest(), golden::EXPECTED);
    assert_eq!(golden::fits(), golden::FITS);
    breathe().await;
    assert_eq!(golden::adaptive(), golden::ADAPTIVE);
    assert_eq!(golden::steps(), golden::STEPS);
}

#[wasm_bindgen_test]
async fn a_check_in_the_browser_finds_what_it_finds_natively() {
    breathe().await;
    assert_eq!(golden::check(), golden::CHECK);
    breathe().await;
}

#[wasm_bindgen_test]
async fn the_golden_numbers_hold_in_the_browser() {
    let checks: [fn(); 6] = [
        vectors_harness::all_pass,
        vectors_primo::all_pass,
        vectors_adaptive::every_round,
        vectors_adaptive::every_gate,
        adaptive_logistic_checks::golden::check,
        estimated_bounds_checks::golden,
    ];
    for check in checks {
        breathe().await;
        check();
    }
    breathe().await;
}
