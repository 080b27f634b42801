//! What a budget buys: conversions and the cost of several releases together.
//!
//! `cargo run --example account`

use std::error::Error;

use discreet::privacy::convert::{gaussian_sigma, gdp_compose, gdp_epsilon, gdp_mu};
use discreet::privacy::measure::{Delta, Epsilon};

fn main() -> Result<(), Box<dyn Error>> {
    let delta = Delta::try_new(1e-6)?;
    let epsilon = Epsilon::try_new(1.0)?;
    let mu = gdp_mu(epsilon, delta)?;
    println!("epsilon 1 and delta 1e-6 are mu {}", mu.get());
    println!(
        "a sum with sensitivity 1 needs noise of standard deviation {}",
        gaussian_sigma(epsilon, delta, 1.0)?
    );
    for releases in [1, 2, 4, 8] {
        let together = gdp_compose(&vec![mu; releases])?;
        println!("{releases} such releases: epsilon {}", gdp_epsilon(together, delta)?.get());
    }
    Ok(())
}
