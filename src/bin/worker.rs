//! A browser thread.

fn main() {}
