//! A demonstration is not taken for a release, and a release cannot be relabelled as one.

use discreet::engine::Demonstration;
use discreet::privacy::ledger::Ledger;
use discreet::release::Release;
use discreet::worker::protocol::Released;

fn sent(demonstration: Demonstration, ledger: Ledger) -> Released {
    Released { release: demonstration, ledger }
}

fn shown(demonstration: Demonstration) -> Release {
    demonstration.into()
}

fn relabelled(release: Release) -> Demonstration {
    Demonstration(release)
}

fn main() {}
