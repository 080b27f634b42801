//! Another regression from a release, which reads no table and costs nothing.
//!
//! `cargo run --example release > release.json && cargo run --example refit -- release.json target bmi`

use std::error::Error;

use discreet::inference::options::{Repair, Ridge};
use discreet::inference::refit::refit;
use discreet::release::Release;
use discreet::release::document::Coefficients;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("name a release, an outcome and its features")?;
    let outcome = arguments.next().ok_or("name an outcome and its features")?;
    let features: Vec<String> = arguments.collect();
    let release: Release = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let answer = refit(&release, &outcome, &features, Ridge::default(), Repair::default(), 0.95)?;
    if let Coefficients::List(list) = &answer.coefficients {
        for coefficient in list {
            let bounds = coefficient.lower.zip(coefficient.upper);
            let interval =
                bounds.map_or("no interval".to_owned(), |(lower, upper)| format!("{lower:.3} to {upper:.3}"));
            println!("{}: {:.3} ({interval})", coefficient.term, coefficient.estimate.unwrap_or(f64::NAN));
        }
    }
    Ok(())
}
