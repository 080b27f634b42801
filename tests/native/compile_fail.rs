//! Programs that must not compile, each with what the compiler says, so that it fails for the reason that is meant.
//!
//! `TRYBUILD=overwrite cargo test --test native -- compile_fail` writes the messages anew: read them before they are kept.

#[test]
fn generators_cannot_be_confused() {
    trybuild::TestCases::new().compile_fail("tests/native/compile_fail/*.rs");
}
