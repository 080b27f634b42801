//! A demonstration is not taken for a release, and a release cannot be relabelled as one.

use discreet::engine::Demonstration;
use discreet::release::Release;
use discreet::release::publication::{Labels, report};
use discreet::release::supplement::Supplement;

fn printed(demonstration: &Demonstration) -> String {
    report::html(demonstration, &Supplement::default(), &Labels::default())
}

fn shown(demonstration: Demonstration) -> Release {
    demonstration.into()
}

fn relabelled(release: Release) -> Demonstration {
    Demonstration(release)
}

fn main() {}
