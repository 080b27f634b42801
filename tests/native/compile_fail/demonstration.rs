//! A demonstration is not taken for a release, and a release cannot be relabelled as one.

use discreet::engine::Demonstration;
use discreet::release::{Release, report};

fn printed(demonstration: &Demonstration) -> String {
    report::html(demonstration, false)
}

fn shown(demonstration: Demonstration) -> Release {
    demonstration.into()
}

fn relabelled(release: Release) -> Demonstration {
    Demonstration(release)
}

fn main() {}
