//! The answers of `tests/vectors/pld_google.csv`, natively and in the browser. The two need not be the same bits: the
//! transform may take its sums in another order.

use std::collections::BTreeMap;
use std::str::FromStr;

use discreet::pld::{Mechanism, Repeated, pld_delta, pld_eps};
use discreet::privacy::measure::{Delta, Epsilon};

/// The product's answer, or `None` for another function. `inputs` are those of a row.
pub fn answer(function: &str, inputs: &BTreeMap<String, String>) -> Option<f64> {
    let number = |key: &str| -> f64 { read(&inputs[key]) };
    match function {
        "pld_delta" => {
            let epsilon = Epsilon::try_new(number("eps")).unwrap();
            Some(pld_delta(&releases(&inputs["mechs"]), epsilon).unwrap().get())
        }
        "pld_eps" => {
            let delta = Delta::try_new(number("delta")).unwrap();
            Some(pld_eps(&releases(&inputs["mechs"]), delta).unwrap().get())
        }
        _ => None,
    }
}

fn releases(text: &str) -> Vec<Repeated> {
    text.split('+').map(release).collect()
}

fn release(text: &str) -> Repeated {
    let (mechanism, count) = match *text.split(':').collect::<Vec<_>>() {
        ["gauss", sigma, count] => (Mechanism::Gaussian { sigma: read(sigma) }, count),
        ["lap", scale, count] => (Mechanism::Laplace { scale: read(scale) }, count),
        ["psg", sigma, rate, count] => {
            (Mechanism::SubsampledGaussian { sigma: read(sigma), rate: read(rate) }, count)
        }
        ["dp", epsilon, delta, count] => {
            let epsilon = Epsilon::try_new(read(epsilon)).unwrap();
            (Mechanism::Approximate { epsilon, delta: Delta::try_new(read(delta)).unwrap() }, count)
        }
        ["dlap", a, sensitivity, count] => {
            (Mechanism::DiscreteLaplace { a: read(a), sensitivity: read(sensitivity) }, count)
        }
        ["dgauss", sigma, sensitivity, count] => {
            (Mechanism::DiscreteGaussian { sigma: read(sigma), sensitivity: read(sensitivity) }, count)
        }
        _ => panic!("{text} is no mechanism"),
    };
    Repeated::try_new(mechanism, read(count)).unwrap()
}

fn read<T: FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text} is no number"))
}
