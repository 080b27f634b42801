//! Haplotypes with known features, or with nothing known: figures 2 and 3.

use discreet::inference::pseudo::Pseudo;
use discreet::math::projection::{james_stein, nuclear_ball, outcome_ball, sure_ridge};
use discreet::privacy::profile::paper::primo::reuse_cov;

use super::Size;
use super::setting::{Budget, Data, SEED, haplotypes, normal, ridge, solve, solve_penalised, symmetric};
use crate::reproduce_common::on_two_threads;
use crate::reproduce_common::{Measured, Page, number};

const FEATURES: usize = 25;
const NAN: f64 = f64::NAN;

const COLUMNS: [&str; 12] = [
    "OLS", "Gauss printed (full)", "Proj_X printed (label)", "Gauss, Proj's noise, and E₁",
    "joint, no ridge (full)", "joint and ridge (full)", "the same, nuclear ball", "label, all budget",
    "and Proj_X", "and SURE ridge", "and James-Stein", "Proj_X at work",
];

/// Outcomes, and R² of each of [`COLUMNS`] but the last (evidence/reproduce-primo).
const REFERENCE: [(usize, [f64; 11]); 10] = [
    (1, [0.463, 0.455, 0.457, 0.455, 0.454, 0.442, NAN, 0.459, NAN, 0.459, 0.459]),
    (11, [0.460, 0.354, 0.444, 0.439, 0.433, 0.428, NAN, 0.448, NAN, 0.450, 0.450]),
    (101, [0.464, -0.80, 0.379, 0.369, 0.365, 0.376, NAN, 0.401, NAN, 0.419, 0.421]),
    (201, [0.464, -43.0, 0.289, -2.6, 0.107, 0.344, NAN, 0.335, NAN, 0.393, 0.396]),
    (401, [0.470, -4.4, 0.223, 0.205, 0.232, 0.312, NAN, 0.287, NAN, 0.362, 0.367]),
    (601, [0.469, -6.9, 0.077, 0.059, 0.136, 0.281, NAN, 0.179, NAN, 0.328, 0.335]),
    (801, [0.469, -10.0, -0.070, -0.097, 0.001, 0.258, NAN, 0.071, NAN, 0.301, 0.309]),
    (1001, [0.469, -14.6, -0.241, -0.306, -0.276, 0.241, NAN, -0.055, NAN, 0.278, 0.287]),
    (10_000, [0.444, -166.0, -0.99, -6.3, -4.9, 0.064, NAN, -4.4, -0.93, 0.064, 0.070]),
    (100_000, [0.466, -2074.0, -1.21, -72.0, -86.0, -0.028, 0.009, -45.0, -1.18, 0.009, 0.009]),
];

/// The same of the second data set's size, 6,042 rows: the reference has no OLS.
const SECOND: [(usize, [f64; 3]); 5] = [
    (1, [0.453, 0.455, 0.453]),
    (11, [0.388, 0.447, 0.445]),
    (101, [-0.31, 0.407, 0.404]),
    (801, [-7.8, 0.059, 0.042]),
    (1001, [-9.2, 0.021, 0.002]),
];

/// One run: R² of every column, and how much further from the truth the projection led than its noise, which has to be nothing.
fn run(rows: usize, outcomes: usize, run: usize) -> [f64; 13] {
    let mut rng = Pseudo::new(SEED, &[1, rows as u64, outcomes as u64, run as u64]);
    let x = haplotypes(&mut rng, rows, FEATURES);
    let data = Data::linear(&mut rng, &x, outcomes, false);
    let budget = Budget::of_rows(5.0, rows);
    let noise = normal(&mut rng, FEATURES, outcomes);
    let mut draw = rng.clone();
    let mirrored = symmetric(&mut rng, FEATURES, 1.0);
    let orthogonal = symmetric(&mut draw, FEATURES, std::f64::consts::FRAC_1_SQRT_2);
    let mut found = [NAN; 13];
    found[0] = data.r_squared(&data.least_squares());

    let reference = reuse_cov(budget.epsilon, budget.delta).unwrap();
    let (first, second) = data.deviations(reference, data.entrywise());
    let shared = &data.covariance + &mirrored * first;
    found[1] = data.r_squared(&solve(&shared, &(&data.association + &noise * second)));

    let (_, third) = data.deviations(reference, data.longest_y);
    let noisy = &data.association + &noise * third;
    let projected = outcome_ball(&data.directions, &noisy, data.longest_y).unwrap();
    found[2] = data.r_squared(&projected.coefficients);
    found[11] = f64::from(u8::from(projected.ridge > 0.0));
    found[12] = (&data.covariance * &projected.coefficients - &data.association).norm()
        / (&noisy - &data.association).norm();
    found[3] = data.r_squared(&solve(&shared, &noisy));
    drop(projected);

    let l = outcomes as f64;
    let (first, second) = data.deviations(budget.joint(1.0 / l), data.longest_y);
    let shared = &data.covariance + &orthogonal * first;
    let noisy = &data.association + &noise * second;
    found[4] = data.r_squared(&solve(&shared, &noisy));
    let lambda = ridge(FEATURES, first, second, 1.0);
    found[5] = data.r_squared(&solve_penalised(&shared, lambda, &noisy));
    let inside = nuclear_ball(&noisy, data.longest_x * data.longest_y).unwrap();
    found[6] = data.r_squared(&solve_penalised(&shared, lambda, &inside));
    drop(inside);

    let deviation = 2.0 * data.longest_x * data.longest_y / (data.rows * budget.mu());
    let noisy = &data.association + &noise * deviation;
    let deviations = [deviation; FEATURES];
    found[7] = data.r_squared(&solve(&data.covariance, &noisy));
    found[8] = data.r_squared(&outcome_ball(&data.directions, &noisy, data.longest_y).unwrap().coefficients);
    found[9] =
        data.r_squared(&sure_ridge(&data.directions, &noisy, &deviations).unwrap().shrunk.coefficients);
    found[10] = data.r_squared(&james_stein(&data.directions, &noisy, &deviations).unwrap().coefficients);
    found
}

/// All runs of a length, two beyond 1,001 outcomes.
fn runs(size: &Size, rows: usize, outcomes: usize) -> Vec<[f64; 13]> {
    let many = if outcomes > 1001 { size.runs.min(2) } else { size.runs };
    on_two_threads(many, |at| run(rows, outcomes, at))
}

fn column(runs: &[[f64; 13]], at: usize) -> Vec<f64> {
    runs.iter().map(|run| run[at]).collect()
}

pub fn write(page: &mut Page, size: &Size) {
    page.say("## Known features, or nothing known");
    page.say(&format!(
        "n = {}, d = {FEATURES}, (ε, δ) = (5, 1/n²), mean R² of {} runs, of two beyond 1,001 outcomes. *Full* protects rows, *label* outcomes. \
         Gauss is Algorithm 1, Proj_X the projection of its association with known features. *Proj's noise* has the longest row of Y for By, in place of √l times \
         the largest entry. *Joint* is the joint release with κ for s = 1/l; its ridge is the bound on the noise's norm or the balancing value with w₀ = 1. \
         The last column counts the runs in which the printed Proj_X changed anything.",
        size.rows, size.runs
    ));
    let lengths: Vec<_> = REFERENCE.iter().filter(|(outcomes, _)| *outcomes <= size.outcomes).collect();
    let (mut rows, mut kept) = (Vec::new(), Vec::new());
    for (outcomes, reference) in &lengths {
        let found = runs(size, size.rows, *outcomes);
        let mut row = vec![outcomes.to_string()];
        for (at, value) in reference.iter().enumerate() {
            let value = if size.rows == 5008 { *value } else { NAN };
            let name = format!("{}, {outcomes} outcomes", COLUMNS[at]);
            row.push(page.judge_known(
                &name,
                Measured::mean(&column(&found, at)),
                value,
                singular(*outcomes, at),
            ));
        }
        let active = column(&found, 11).iter().sum::<f64>();
        row.push(format!("{active} of {}", found.len()));
        rows.push(row);
        kept.push((*outcomes, found));
    }
    let head: Vec<&str> = ["l"].into_iter().chain(COLUMNS).collect();
    page.table(&head, &rows);
    claims(page, &kept);
    if size.whole {
        second(page, size);
    }
}

/// One of the reference's runs with 201 outcomes had a nearly singular covariance, and a mean keeps it.
fn singular(outcomes: usize, at: usize) -> Option<&'static str> {
    let noisy_covariance = [1, 3, 4].contains(&at);
    (outcomes == 201 && noisy_covariance).then_some("a nearly singular run is in the reference mean")
}

/// Runs of each length.
type Kept = Vec<(usize, Vec<[f64; 13]>)>;

fn claims(page: &mut Page, kept: &Kept) {
    let mean = |outcomes: usize, at: usize| {
        let found = kept.iter().find(|(length, _)| *length == outcomes);
        found.map_or(NAN, |(_, runs)| Measured::mean(&column(runs, at)).centre)
    };
    if kept.len() < REFERENCE.len() {
        return;
    }
    page.claim(
        mean(11, 1) > 0.0 && [101, 201, 401, 1001].iter().all(|l| mean(*l, 1) < 0.0),
        "Gauss with the printed scales has a negative R² from 101 outcomes on (P2).",
    );
    page.claim(
        [11, 101, 401, 1001].iter().all(|l| mean(*l, 2) > mean(*l, 1)),
        "Proj_X with its printed scales is ahead of Gauss with its own from 11 outcomes on (P1).",
    );
    let closest = [11, 101, 401, 1001].iter().map(|l| mean(*l, 2) - mean(*l, 3)).fold(0.0, f64::max);
    page.claim(
        closest > 0.1,
        &format!(
            "That lead is the projection's. With the same noise on the association the means of R² are at most {} apart up to 1,001 outcomes, and that \
             is E₁: the lead comes from the smaller By and from leaving E₁ out.",
            number(closest)
        ),
    );
    page.claim(
        [1001, 10_000, 100_000].iter().all(|l| mean(*l, 2) > 0.0),
        "Proj_X keeps a positive R² up to 10⁵ outcomes (P3).",
    );
    let all: Vec<f64> = kept.iter().flat_map(|(_, runs)| column(runs, 12)).collect();
    let worst = all.iter().copied().fold(0.0, f64::max);
    page.claim(
        worst > 1.0 + 1e-9,
        &format!(
            "The projection's bias costs accuracy where there are few outcomes (P8). In none of {} runs was Ĝ further from G than G̃ was, by the same draw of the \
             noise: the largest ratio is {worst:.6}.",
            all.len()
        ),
    );
}

fn second(page: &mut Page, size: &Size) {
    page.say("The size of the second data set, n = 6042:");
    let mut rows = Vec::new();
    for (outcomes, reference) in SECOND {
        let found = runs(size, 6042, outcomes);
        let mut row = vec![outcomes.to_string()];
        for (at, value) in [1, 2, 3].into_iter().zip(reference) {
            let name = format!("n = 6042, {}, {outcomes} outcomes", COLUMNS[at]);
            row.push(page.judge(&name, Measured::mean(&column(&found, at)), value));
        }
        rows.push(row);
    }
    page.table(&["l", COLUMNS[1], COLUMNS[2], COLUMNS[3]], &rows);
}
