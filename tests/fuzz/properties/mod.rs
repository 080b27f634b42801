//! What holds for any bytes. Each module has one function `holds`, which panics where it does not: cargo-fuzz calls it with
//! whatever it finds, and `make test` with the corpus.

mod common;
pub mod csv;
pub mod encode;
pub mod genotypes;
pub mod header;
pub mod ledger;
pub mod number;
pub mod plan;
pub mod release;
pub mod requests;
