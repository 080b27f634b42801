//! Tests that run inside the browser.
