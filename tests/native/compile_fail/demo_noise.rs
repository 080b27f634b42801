//! A charged release has no seeded noise.

use discreet::data::Moments;
use discreet::engine::{Prepared, release};
use discreet::noise::entropy::DemoRng;
use discreet::release::document::{LedgerReference, Software};

fn seeded(prepared: &Prepared, moments: &Moments, charge: LedgerReference, software: Software) {
    let _ = release(prepared, moments, DemoRng::new(1, 1), charge, software);
}

fn main() {}
