//! A release names its charge.

use discreet::data::Moments;
use discreet::engine::{Prepared, release};
use discreet::noise::entropy::PrivateRng;
use discreet::release::document::Software;

fn free(prepared: &Prepared, moments: &Moments, rng: PrivateRng, software: Software) {
    let _ = release(prepared, moments, rng, None, software);
}

fn main() {}
