//! The ledger's home in the browser.
