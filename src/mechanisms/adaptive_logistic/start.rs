//! Where the steps start: linear discriminant analysis by the first two rounds (theory/adaptive-logistic 2.3).

use crate::math::round::real;
use crate::mechanisms::adaptive::bits::bits26;
use crate::mechanisms::adaptive::guide::Guide;
use crate::mechanisms::adaptive::margins::Margins;
use crate::mechanisms::adaptive::terms::Terms;
use crate::mechanisms::adaptive::units::Round;
use crate::privacy::mutants::{Mutant, is_active};

/// Largest norm of the slopes after a step.
pub const SLOPES: f64 = 5.0;
/// Largest size of the intercept.
pub const INTERCEPT: f64 = 9.0;

/// Largest r², the share of the label's variance that the features explain.
const MOST_EXPLAINED: f64 = 0.6;
/// Largest norm of the slopes at the start.
const FIRST_SLOPES: f64 = 2.0;

/// Shortens the slopes to their largest norm and the intercept to its largest size, in 26 leading bits. Returns whether either was
/// shortened.
pub fn cut(b: &mut [f64]) -> bool {
    let Some((intercept, slopes)) = b.split_first_mut() else { return false };
    let far = intercept.abs() > INTERCEPT;
    *intercept = bits26(intercept.clamp(-INTERCEPT, INTERCEPT));
    let long = shorten(slopes, SLOPES);
    for slope in slopes {
        *slope = bits26(*slope);
    }
    far || long
}

/// Shortens a vector to a norm. Returns whether it was longer.
pub fn shorten(vector: &mut [f64], most: f64) -> bool {
    let length = norm(vector);
    let long = length > most;
    if long {
        for entry in vector {
            *entry *= most / length;
        }
    }
    long
}

/// Returns the Euclidean norm, summed in index order.
pub fn norm(vector: &[f64]) -> f64 {
    vector.iter().fold(0.0, |sum, entry| sum + entry * entry).sqrt()
}

/// Returns the share of yes of each label, by the noisy margins in which 1 has the code `level`, kept away from 0 and 1 by what
/// the noise hides.
pub fn rates(terms: &Terms, level: u32, round: &Round, margins: &Margins) -> Vec<f64> {
    let unit = f64::from(level) * f64::from(level);
    let noise = round.s() / (unit * margins.rows);
    let least = (1.0 / margins.rows).max(noise / 2.0).min(0.5);
    let centres = margins.centres.iter().skip(terms.features());
    centres.map(|centre| f64::midpoint(1.0, *centre).clamp(least, 1.0 - least)).collect()
}

/// Returns the mean of p̂ (1 − p̂) over the labels.
pub fn mean_variance(rates: &[f64]) -> f64 {
    rates.iter().fold(0.0, |sum, rate| sum + rate * (1.0 - rate)) / real(rates.len()).max(1.0)
}

/// Returns b of each label before the first step, in whitened units: intercept and slopes. `noise` is τ_2, the noise of a mean
/// product of round 2.
pub fn start(guide: &Guide, rates: &[f64], noise: f64) -> Vec<Vec<f64>> {
    rates.iter().enumerate().map(|(label, rate)| of_label(guide, label, *rate, noise)).collect()
}

fn of_label(guide: &Guide, label: usize, rate: f64, noise: f64) -> Vec<f64> {
    let p = guide.whitening.nrows();
    if is_active(Mutant::StartAtZero) {
        return vec![0.0; p + 1];
    }
    let rate =
        if is_active(Mutant::RateOfMoments) { f64::midpoint(1.0, guide.mean[p + label]) } else { rate };
    let spread = (rate * (1.0 - rate)).sqrt();
    let mut r = guide.whitened_slopes(p, |j| guide.slopes[(j, label)]);
    for entry in &mut r {
        *entry /= 2.0 * spread;
    }
    let square = norm(&r) * norm(&r);
    let kept = (1.0 - real(p) * (noise * noise) / (2.0 * square)).max(0.0);
    for entry in &mut r {
        *entry *= kept;
    }
    let square = (norm(&r) * norm(&r)).min(MOST_EXPLAINED);
    let mut slopes: Vec<f64> = r.iter().map(|entry| entry / (spread * (1.0 - square))).collect();
    shorten(&mut slopes, FIRST_SLOPES);
    let length = norm(&slopes);
    let intercept = libm::log(rate / (1.0 - rate)) + (rate - 0.5) * (length * length) * (1.0 - square);
    let mut b = vec![intercept];
    b.append(&mut slopes);
    cut(&mut b);
    b
}
