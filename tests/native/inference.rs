//! Regressions from noisy moments: golden numbers, ordinary least squares as the limit, coverage, refits, previews.
//!
//! Seeds are fixed. The bounds on coverage are those of theory/inference 2.5; each test says how many standard
//! errors away they are.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::needless_range_loop,
    reason = "small made-up numbers and matrices by index"
)]

use discreet::data::encode::Geometry;
use discreet::engine::ridge_path;
use discreet::inference::design::Design;
use discreet::inference::moments::MomentTerm;
use discreet::inference::preview::{Expected, Verdict, preview};
use discreet::inference::pseudo::Pseudo;
use discreet::inference::refit::Request;
use discreet::inference::report::RegressionTerms;
use discreet::inference::{
    CellNoise, Fit, NoisyMoments, Options, RefitError, Repair, Ridge, fit, refit, report,
};
use discreet::model::{Assurance, Interval, Layout, NoiseLaw, Shape};
use discreet::plan::bind::bind;
use discreet::plan::bound::{BoundPlan, GridParams, Norms};
use discreet::plan::{CheckedPlan, Plan, Purpose};
use discreet::privacy::convert::gdp_mu;
use discreet::privacy::measure::{Delta, Epsilon};
use discreet::release::Release;
use discreet::release::document::{Coefficients, Diagnostics, LedgerReference, Privacy, Software};
use discreet::release::moments::ReleasedMoments;
use discreet::release::moments::Term;
use discreet::release::publication::{DecimalMark, Format};
use discreet::release::statement::Statement;
use nalgebra::{DMatrix, DVector};
use serde_json::json;

use crate::audit::audits::coverage::{SLOPES, add_noise, add_products, coded_terms, sphere_cells};

const GRID: GridParams = GridParams {
    radius: 1 << 24,
    intercept_weight: 0.5,
    norms: Norms::Record { feature_share: 0.6, row_norm: 1.0 },
};

/// A table with its coding: the exact moments of coded rows (constant first), in units of R².
struct Table {
    terms: Vec<MomentTerm>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// `rows` in own units; the coding maps each column's bounds to −0.3 to 0.3.
    fn new(bounds: &[(f64, f64)], rows: Vec<Vec<f64>>) -> Self {
        let mut terms =
            vec![MomentTerm { name: "(Intercept)".to_owned(), centre: 0.0, scale: 1.0 / 0.45, reach: 0.45 }];
        terms.extend(bounds.iter().enumerate().map(|(i, (lower, upper))| MomentTerm {
            name: format!("x{i}"),
            centre: (lower + upper) / 2.0,
            scale: (upper - lower) / 2.0 / 0.3,
            reach: 0.3,
        }));
        Self { terms, rows }
    }

    fn cells(&self) -> Vec<f64> {
        let size = self.terms.len();
        let mut cells = vec![0.0; size * (size + 1) / 2];
        for row in &self.rows {
            let coded: Vec<f64> = std::iter::once(0.45)
                .chain(self.terms[1..].iter().zip(row).map(|(term, x)| (x - term.centre) / term.scale))
                .collect();
            add_products(&mut cells, &coded);
        }
        cells
    }

    fn moments(&self, noise: CellNoise, rng: &mut Pseudo) -> NoisyMoments {
        let mut cells = self.cells();
        add_noise(&mut cells, self.terms.len(), noise, rng);
        NoisyMoments::try_new(self.terms.clone(), &cells, noise).unwrap()
    }
}

/// Ordinary least squares by QR on the rows: coefficients and classical standard errors.
fn least_squares(
    rows: &[Vec<f64>],
    predictors: &[usize],
    outcome: usize,
    intercept: bool,
) -> (Vec<f64>, Vec<f64>) {
    let first = usize::from(intercept);
    let x = DMatrix::from_fn(rows.len(), predictors.len() + first, |i, j| {
        if j < first { 1.0 } else { rows[i][predictors[j - first]] }
    });
    let y = DVector::from_fn(rows.len(), |i, _| rows[i][outcome]);
    let qr = x.clone().qr();
    let beta = qr.r().solve_upper_triangular(&(qr.q().transpose() * &y)).unwrap();
    let inverse = (x.transpose() * &x).try_inverse().unwrap();
    let sigma2 = (&y - &x * &beta).norm_squared() / (rows.len() - x.ncols()) as f64;
    let errors = (0..x.ncols()).map(|j| (sigma2 * inverse[(j, j)]).sqrt()).collect();
    (beta.iter().copied().collect(), errors)
}

/// Rows with correlated columns far from 0 and an outcome in the last.
fn made_up(rows: usize, seed: u64) -> Table {
    let mut rng = Pseudo::new(seed, &[]);
    let table = (0..rows).map(|_| {
        let (a, b, e) = (rng.normal(), rng.normal(), rng.normal());
        let (x0, x1, x2) = (50.0 + 8.0 * a, 170.0 + 5.0 * a + 6.0 * b, -3.0 + 0.4 * rng.normal());
        vec![x0, x1, x2, 20.0 + 0.7 * x0 - 0.2 * x1 + 4.0 * x2 + 5.0 * e]
    });
    Table::new(&[(0.0, 110.0), (120.0, 220.0), (-6.0, 0.0), (-60.0, 80.0)], table.collect())
}

fn close(left: &[f64], right: &[f64], relative: f64) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(a, b)| (a - b).abs() <= relative * b.abs().max(1e-9))
}

#[test]
fn without_noise_it_is_ordinary_least_squares_with_and_without_an_intercept() {
    let table = made_up(400, 1);
    let moments = table.moments(CellNoise::None, &mut Pseudo::new(0, &[]));
    for intercept in [true, false] {
        for (predictors, outcome) in [(vec![0, 1, 2], 3), (vec![3, 1], 0), (vec![2], 1)] {
            let coordinates: Vec<usize> = predictors.iter().map(|index| index + 1).collect();
            let fit = fit(&moments, outcome + 1, &coordinates, intercept, Options::default()).unwrap();
            let (beta, errors) = least_squares(&table.rows, &predictors, outcome, intercept);
            let uncertainty = fit.uncertainty.unwrap();
            assert!(close(&fit.estimate.unwrap(), &beta, 1e-6), "{intercept} {predictors:?}");
            assert!(close(&uncertainty.std_error, &errors, 1e-6), "{intercept} {predictors:?}");
            assert!(uncertainty.noise_share.iter().all(|share| share.abs() < 1e-300));
            assert_eq!(fit.interval, Interval::Normal);
            assert!(fit.residual_resolved);
        }
    }
}

/// Counts how often intervals hold the truth.
#[derive(Default)]
struct Coverage {
    inside: f64,
    trials: f64,
    width: f64,
}

impl Coverage {
    fn add(&mut self, fit: &Fit, truth: &[f64]) {
        let uncertainty = fit.uncertainty.as_ref().unwrap();
        for (j, truth) in truth.iter().enumerate() {
            self.trials += 1.0;
            self.inside += f64::from((uncertainty.lower[j]..=uncertainty.upper[j]).contains(truth));
            self.width += uncertainty.upper[j] - uncertainty.lower[j];
        }
    }

    fn rate(&self) -> f64 {
        self.inside / self.trials
    }
}

/// Between 1 and 2 the intervals are approximate and cover at least what they say: measured 96 to 98 % (C). 1,000
/// trials, of which the gate lets most pass; the bound is four standard errors below.
#[test]
fn approximate_intervals_are_on_the_safe_side() {
    let (n, d, sd) = (1000, 5, 14.0);
    let noise = CellNoise::Goe { s: sd * sd };
    let mut coverage = Coverage::default();
    for repeat in 0..200 {
        let mut rng = Pseudo::new(12, &[repeat]);
        let mut cells = sphere_cells(n, &SLOPES[..d], 0.1, &mut rng);
        add_noise(&mut cells, d + 1, noise, &mut rng);
        let moments = NoisyMoments::try_new(coded_terms(d + 1), &cells, noise).unwrap();
        let options = Options { rows: Some(n as u64), ..Options::default() };
        let fit = fit(&moments, d, &[0, 1, 2, 3, 4], false, options).unwrap();
        if fit.interval == Interval::Approximate {
            coverage.add(&fit, &SLOPES[..d]);
        }
    }
    println!("approximate: {:.3} of {}", coverage.rate(), coverage.trials);
    assert!(coverage.trials > 500.0 && coverage.rate() > 0.93, "{} of {}", coverage.rate(), coverage.trials);
}

/// With a constant whose cell is noised too, in own units, with and without an intercept, for both shapes. 600 to 800
/// trials each; three points are about three standard errors.
#[test]
fn own_units_both_shapes_with_and_without_an_intercept() {
    let truth = [20.0, 0.7, -0.2, 4.0];
    for (shape, noise) in [("goe", CellNoise::Goe { s: 0.02 }), ("iid", CellNoise::Iid { v: 0.02 })] {
        for intercept in [true, false] {
            let mut coverage = Coverage::default();
            for repeat in 0..200 {
                let mut table = made_up(3000, 100 + repeat);
                if !intercept {
                    table.rows.iter_mut().for_each(|row| row[3] -= 20.0);
                }
                let mut rng = Pseudo::new(5, &[repeat]);
                let moments = table.moments(noise, &mut rng);
                let fit = fit(&moments, 4, &[1, 2, 3], intercept, Options::default()).unwrap();
                if fit.uncertainty.is_some() {
                    coverage.add(&fit, if intercept { &truth } else { &truth[1..] });
                }
            }
            println!("{shape} intercept {intercept}: {:.3} of {}", coverage.rate(), coverage.trials);
            assert!(coverage.trials >= 500.0, "{shape} {intercept}: {}", coverage.trials);
            assert!((0.92..=0.985).contains(&coverage.rate()), "{shape} {intercept}: {}", coverage.rate());
        }
    }
}

/// `iid` noise of the same S is at least as large in every cell, so its errors are larger; for one weak effect the
/// privacy variance is close to double (theory/noise 1.2).
#[test]
fn iid_noise_of_the_same_scale_costs_accuracy() {
    let mut rng = Pseudo::new(3, &[]);
    let cells = sphere_cells(5000, &[0.02, 0.01, 0.0], 0.1, &mut rng);
    let error = |noise| {
        let moments = NoisyMoments::try_new(coded_terms(4), &cells, noise).unwrap();
        let fit =
            fit(&moments, 3, &[0, 1, 2], false, Options { rows: Some(5000), ..Options::default() }).unwrap();
        let uncertainty = fit.uncertainty.unwrap();
        uncertainty.std_error[0] * uncertainty.noise_share[0].sqrt()
    };
    let ratio = error(CellNoise::Iid { v: 16.0 }) / error(CellNoise::Goe { s: 8.0 });
    assert!((1.40..=1.4143).contains(&ratio), "{ratio}");
}

/// The bootstrap of theory/inference 3.2 at Lambda / n = 0.02 R²: intervals for the penalised coefficients cover 91 to 98 %; around A β in place of b, as
/// the paper prints it, 17 %. 60 repetitions of 5 coefficients: three standard errors are about four points.
#[test]
fn the_bootstrap_covers_the_penalised_coefficients() {
    let (n, d, sigma, ridge) = (3000_u64, 5, 1.19, 60.0);
    let noise = CellNoise::Goe { s: sigma * sigma / 2.0 };
    // E u u′ = 0.12 I, so the penalised target is β · 0.12 n / (0.12 n + Λ).
    let truth: Vec<f64> = SLOPES[..d].iter().map(|b| b * 360.0 / (360.0 + ridge)).collect();
    let mut coverage = Coverage::default();
    let mut unpenalised = 0.0;
    for repeat in 0..60 {
        let mut rng = Pseudo::new(21, &[repeat]);
        let mut cells = sphere_cells(3000, &SLOPES[..d], 0.15, &mut rng);
        add_noise(&mut cells, d + 1, noise, &mut rng);
        let moments = NoisyMoments::try_new(coded_terms(d + 1), &cells, noise).unwrap();
        let options =
            Options { ridge: Ridge::Fixed(ridge), rows: Some(n), seed: moments.seed(), ..Options::default() };
        let fit = fit(&moments, d, &[0, 1, 2, 3, 4], false, options).unwrap();
        let uncertainty = fit.uncertainty.as_ref().unwrap();
        unpenalised += f64::from((uncertainty.lower[0]..=uncertainty.upper[0]).contains(&SLOPES[0]));
        // The closed form's V of section C agrees with the bootstrap's width.
        let width = (uncertainty.upper[0] - uncertainty.lower[0]) / (2.0 * 1.96 * uncertainty.std_error[0]);
        assert!((0.8..=1.25).contains(&width), "{width}");
        coverage.add(&fit, &truth);
        if repeat == 0 {
            let again = discreet::inference::fit(&moments, d, &[0, 1, 2, 3, 4], false, options).unwrap();
            assert_eq!(again, fit, "the same release gives the same intervals");
        }
    }
    println!("ridge: {:.3}", coverage.rate());
    assert!((0.91..=0.98).contains(&coverage.rate()), "{}", coverage.rate());
    assert!(unpenalised / 60.0 < 0.8, "no interval for beta itself: {unpenalised}");
}

#[test]
fn where_the_noise_is_as_large_as_the_signal_nothing_is_claimed() {
    let moments = |scale: f64, noise: f64| {
        let upper = [scale, 0.0, 0.3 * scale, scale, 0.1 * scale, scale];
        NoisyMoments::try_new(coded_terms(3), &upper, CellNoise::Goe { s: noise * noise }).unwrap()
    };
    let options = Options { rows: Some(1000), ..Options::default() };
    // 2 sd √2 = 2.83 sd.
    for (scale, interval) in
        [(2.8, Interval::Withheld), (2.9, Interval::Approximate), (5.7, Interval::Normal)]
    {
        let fit = fit(&moments(scale, 1.0), 2, &[0, 1], false, options).unwrap();
        assert_eq!(fit.interval, interval, "{scale}");
        assert_eq!(fit.uncertainty.is_some(), interval != Interval::Withheld);
        assert!(fit.estimate.is_some());
    }
    let layout = RegressionTerms { predictors: vec![0, 1], outcomes: vec![("y".to_owned(), 2)] };
    for (repair, name, estimate) in [
        (Repair::Shift, Some("shift"), true),
        (Repair::Floor, Some("floor"), true),
        (Repair::None, None, false),
    ] {
        let options = Options { repair, ..options };
        let (coefficients, diagnostics) = report(&moments(-0.5, 1.0), &layout, false, options).unwrap();
        let Coefficients::List(list) = coefficients else { panic!("one outcome is a list") };
        assert!(list.iter().all(|entry| entry.estimate.is_some() == estimate && entry.lower.is_none()));
        assert!(list.iter().all(|entry| entry.interval == Interval::Withheld && entry.std_error.is_none()));
        assert_eq!(diagnostics.repair.as_deref(), name);
        assert!(diagnostics.signal_to_noise.unwrap() < 0.0);
        assert!(
            diagnostics.notes.iter().any(|note| note.contains("not positive definite")),
            "{diagnostics:?}"
        );
        let promises =
            |note: &String| note.starts_with("Intervals count") || note.starts_with("The intervals");
        assert!(!diagnostics.notes.iter().any(promises), "nothing is said of intervals that are not there");
    }
    // A row count that does not stand out of the noise.
    let few = Options { rows: Some(2), ..options };
    assert_eq!(fit(&moments(10.0, 1.0), 2, &[0, 1], false, few).unwrap().interval, Interval::Withheld);
    // An automatic ridge keeps the moments positive definite and counts in the gate.
    let ridge = Options { ridge: Ridge::Auto, ..options };
    let moments = moments(-0.5, 1.0);
    let design = Design::try_new(&moments, &[0, 1], &[2], false, ridge).unwrap();
    assert!(design.solved() && design.repair().is_none() && design.ridge() > 2.83);
}

#[test]
fn hostile_moments_are_errors() {
    let law = CellNoise::Goe { s: 1.0 };
    assert!(NoisyMoments::try_new(Vec::new(), &[], law).is_err());
    assert!(NoisyMoments::try_new(coded_terms(2), &[1.0, 2.0], law).is_err());
    for bad in [f64::NAN, f64::INFINITY] {
        assert!(NoisyMoments::try_new(coded_terms(2), &[1.0, bad, 1.0], law).is_err());
        let mut terms = coded_terms(2);
        terms[1].scale = bad;
        assert!(NoisyMoments::try_new(terms, &[1.0, 0.0, 1.0], law).is_err());
    }
    let moments = NoisyMoments::try_new(coded_terms(3), &[9.0, 0.0, 1.0, 9.0, 1.0, 9.0], law).unwrap();
    let options = Options { rows: Some(99), ..Options::default() };
    for (predictors, outcome, intercept) in [
        (&[0, 0][..], 2, false),
        (&[0, 2], 2, false),
        (&[0, 7], 2, false),
        (&[0], 7, false),
        (&[], 2, false),
        (&[0], 2, true),
    ] {
        assert!(fit(&moments, outcome, predictors, intercept, options).is_err(), "{predictors:?}");
    }
    for scale in [1e-300, 1e300] {
        let cells = [9.0 * scale, 0.0, scale, 9.0 * scale, scale, 9.0 * scale];
        let moments = NoisyMoments::try_new(coded_terms(3), &cells, law).unwrap();
        let _no_panic = fit(&moments, 2, &[0, 1], false, options);
    }
}

#[test]
fn the_number_of_terms_may_not_blow_up_the_form() {
    let outcomes = 1001;
    let size = 2 + outcomes;
    let mut cells = vec![0.0; size * (size + 1) / 2];
    let mut rng = Pseudo::new(9, &[]);
    for _ in 0..20 {
        let row: Vec<f64> = (0..size).map(|_| 0.1 * rng.normal()).collect();
        add_products(&mut cells, &row);
    }
    let moments = NoisyMoments::try_new(coded_terms(size), &cells, CellNoise::Goe { s: 1e-8 }).unwrap();
    let layout = RegressionTerms {
        predictors: vec![0, 1],
        outcomes: (2..size).map(|i| (format!("y{i}"), i)).collect(),
    };
    let options = Options { rows: Some(20), ..Options::default() };
    let (coefficients, diagnostics) = report(&moments, &layout, false, options).unwrap();
    let Coefficients::Table(table) = coefficients else { panic!("above 1,000 outcomes it is a table") };
    assert_eq!((table.outcomes().len(), table.terms().len()), (1001, 2));
    assert!(table.entry(1000, 1).unwrap().estimate.is_some());
    assert!(diagnostics.outcomes.is_empty());
    let alone = fit(&moments, 2, &[0, 1], false, options).unwrap();
    for (term, expected) in alone.estimate.unwrap().into_iter().enumerate() {
        let estimate = table.entry(0, term).unwrap().estimate.unwrap();
        assert!((estimate / expected - 1.0).abs() < 5.1e-7, "seven digits of {expected}: {estimate}");
    }
}

// ---- releases -------------------------------------------------------------------------------------------------------

const BOUNDS: [(&str, f64, f64); 11] = [
    ("age", 0.0, 110.0),
    ("sex", 1.0, 2.0),
    ("bmi", 10.0, 60.0),
    ("bp", 40.0, 180.0),
    ("s1", 50.0, 400.0),
    ("s2", 0.0, 300.0),
    ("s3", 10.0, 130.0),
    ("s4", 1.0, 11.0),
    ("s5", 2.0, 8.0),
    ("s6", 40.0, 220.0),
    ("target", 0.0, 400.0),
];

fn diabetes() -> Vec<Vec<f64>> {
    let lines = include_str!("../../www/samples/diabetes.csv").lines().skip(1);
    lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect()
}

fn diabetes_plan(features: &[&str], ridge: serde_json::Value) -> (Plan, BoundPlan, Geometry) {
    let used = BOUNDS.iter().filter(|(name, ..)| features.contains(name) || *name == "target");
    let columns: Vec<_> = used
        .map(|(name, lower, upper)| {
            let role = if *name == "target" { "outcome" } else { "feature" };
            if *name == "sex" {
                json!({"name": name, "role": role, "type": "category", "levels": ["1.0", "2.0"]})
            } else {
                json!({"name": name, "role": role, "type": "number", "lower": lower, "upper": upper})
            }
        })
        .collect();
    let plan = json!({
        "schema": "discreet.plan/1", "adjacency": "add-remove", "columns": columns,
        "mechanism": {"name": "analyze-gauss", "params": {"radius": 1 << 24, "ridge": ridge}},
        "budget": {"epsilon": 8.0, "delta": 1e-6}
    });
    let checked = CheckedPlan::new(Plan::parse(&plan.to_string()).unwrap(), Purpose::Simulate).unwrap();
    let header: Vec<String> = BOUNDS.iter().map(|(name, ..)| (*name).to_owned()).collect();
    let bound = bind(&checked, &header, b',', GRID).unwrap();
    let geometry = Geometry::new(&bound);
    (checked.plan, bound, geometry)
}

/// The packed upper triangle of exact integer sums, coded as the geometry says (no record is shortened here).
fn integer_cells(bound: &BoundPlan, geometry: &Geometry) -> Vec<i128> {
    let mut cells = vec![0_i128; geometry.terms.len() * (geometry.terms.len() + 1) / 2];
    for row in diabetes() {
        let codes = geometry.terms.iter().map(|term| match term.column {
            None => i128::from(geometry.constant),
            Some(column) => {
                let value = row[bound.columns[column].source.field().unwrap()];
                let value = if term.level.is_some() { value - 1.0 } else { value };
                ((value - term.centre) / term.scale).round_ties_even() as i128
            }
        });
        let codes: Vec<i128> = codes.collect();
        let mut cell = cells.iter_mut();
        for i in 0..codes.len() {
            for j in i..codes.len() {
                *cell.next().unwrap() += codes[i] * codes[j];
            }
        }
    }
    cells
}

fn noise_scale(geometry: &Geometry, epsilon: f64) -> u128 {
    let mu = gdp_mu(Epsilon::try_new(epsilon).unwrap(), Delta::try_new(1e-6).unwrap()).unwrap();
    (geometry.squared_norm() as f64 / mu.get()).ceil() as u128
}

fn noisy(cells: &[i128], size: usize, scale: u128, rng: &mut Pseudo) -> Vec<i128> {
    let mut noise = vec![0.0; cells.len()];
    let s = (scale as f64).powi(2) / 2.0;
    add_noise(&mut noise, size, CellNoise::Goe { s }, rng);
    cells.iter().zip(noise).map(|(cell, noise)| cell + noise.round() as i128).collect()
}

fn released(geometry: &Geometry, cells: &[i128], scale: u128) -> ReleasedMoments {
    let size = geometry.terms.len();
    let mut matrix = vec![vec![String::new(); size]; size];
    let mut cell = cells.iter();
    for i in 0..size {
        for j in i..size {
            let text = cell.next().unwrap().to_string();
            matrix[i][j] = text.clone();
            matrix[j][i] = text;
        }
    }
    let terms = geometry.terms.iter();
    ReleasedMoments {
        whitening: None,
        terms: terms.map(|t| Term { term: t.name.clone(), centre: t.centre, scale: t.scale }).collect(),
        contrasts: geometry.contrasts.iter().map(|(_, contrast)| contrast.clone()).collect(),
        matrix: Some(matrix),
        blocks: None,
        noise: (scale > 0).then(|| NoiseLaw::DiscreteGaussian { shape: Shape::Goe, s: scale.to_string() }),
        adaptive: None,
    }
}

fn release(
    plan: Plan,
    moments: Option<ReleasedMoments>,
    coefficients: Coefficients,
    diagnostics: Diagnostics,
) -> Release {
    Release {
        schema: "discreet.release/1".to_owned(),
        privacy: Privacy {
            adjacency: plan.adjacency,
            protect: plan.protect.unwrap_or_default(),
            max_rows_per_person: 1,
            person: "assumed".to_owned(),
            epsilon: Some(1.0),
            delta: Some(1e-6),
            mu: Some(0.2367),
            rho: Some(0.028),
            claimed: None,
            assurance: Assurance::Exact,
        },
        plan,
        coefficients,
        moments,
        estimated_bounds: None,
        steps: None,
        ledger: Some(LedgerReference { id: "ab".repeat(16), entry: 3, idealised: false, promise: None }),
        diagnostics,
        public: None,
        demo: None,
        software: Software::new("00".to_owned()),
    }
}

#[test]
fn a_refit_of_the_same_regression_is_the_report_s() {
    let features = ["sex", "bmi", "bp", "s5"];
    for ridge in [Ridge::None, Ridge::Auto, Ridge::Fixed(2.5)] {
        let (plan, bound, geometry) = diabetes_plan(&features, ridge.to_value());
        let scale = noise_scale(&geometry, 50.0);
        let cells =
            noisy(&integer_cells(&bound, &geometry), geometry.terms.len(), scale, &mut Pseudo::new(4, &[]));
        let law = CellNoise::new(Shape::Goe, scale, 1 << 24);
        let moments =
            NoisyMoments::from_cells(&geometry, 1 << 24, Layout::whole(geometry.terms.len()), &cells, 0, law)
                .unwrap();
        let options = Options { ridge, seed: moments.seed(), ..Options::default() };
        let (coefficients, diagnostics) =
            report(&moments, &RegressionTerms::new(&bound, &geometry), true, options).unwrap();
        let document = release(
            plan,
            Some(released(&geometry, &cells, scale)),
            coefficients.clone(),
            diagnostics.clone(),
        );
        let text = serde_json::to_string(&document).unwrap();
        let document: Release = serde_json::from_str(&text).unwrap();
        let names: Vec<String> = features.iter().map(|name| (*name).to_owned()).collect();
        let again = refit(&document, "target", &names, ridge, Repair::Shift, 0.95).unwrap();
        let (Coefficients::List(left), Coefficients::List(right)) = (&coefficients, &again.coefficients)
        else {
            panic!("one outcome is a list")
        };
        assert_eq!(left.len(), 5);
        for (left, right) in left.iter().zip(right) {
            assert_eq!(
                (&left.outcome, &left.term, left.interval),
                (&right.outcome, &right.term, right.interval)
            );
            let near = |a: Option<f64>, b: Option<f64>| {
                a.zip(b).is_some_and(|(a, b)| (a - b).abs() <= 1e-9 * b.abs())
            };
            assert!(
                near(left.estimate, right.estimate) && near(left.lower, right.lower),
                "{left:?} {right:?}"
            );
            assert!(near(left.std_error, right.std_error) && near(left.upper, right.upper));
        }
        assert_eq!(again.diagnostics.notes, diagnostics.notes);
        assert_eq!(again.schema, "discreet.refit/1");
        assert_eq!(again.release.as_ref().unwrap().entry, 3);
        assert_eq!(serde_json::to_value(&again).unwrap()["ridge"], ridge.to_value());
        let other =
            refit(&document, "bmi", &["target".to_owned(), "sex[2.0]".to_owned()], ridge, Repair::Floor, 0.9);
        assert_eq!(other.unwrap().repair, "floor");
    }
}

#[test]
fn a_refit_without_noise_is_least_squares_in_own_units() {
    let (plan, bound, geometry) = diabetes_plan(&["bmi", "bp", "s3", "s5"], json!("none"));
    let cells = integer_cells(&bound, &geometry);
    let nothing = Coefficients::List(Vec::new());
    let document = release(plan, Some(released(&geometry, &cells, 0)), nothing, Diagnostics::default());
    let names = ["bmi", "bp"].map(str::to_owned);
    let again = refit(&document, "s5", &names, Ridge::None, Repair::Shift, 0.95).unwrap();
    let (beta, errors) = least_squares(&diabetes(), &[2, 3], 8, true);
    let Coefficients::List(list) = again.coefficients else { panic!("one outcome is a list") };
    for ((entry, beta), error) in list.iter().zip(beta).zip(errors) {
        assert!((entry.estimate.unwrap() - beta).abs() < 1e-6 * beta.abs(), "{entry:?} {beta}");
        assert!((entry.std_error.unwrap() - error).abs() < 1e-6 * error);
    }
    assert!((again.diagnostics.rows.unwrap() - 442.0).abs() < 1e-9);
    assert_eq!(again.diagnostics.signal_to_noise, None);
}

#[test]
fn a_path_of_ridges_is_solved_at_each_of_them() {
    let (plan, bound, geometry) = diabetes_plan(&["bmi", "bp", "s3", "s5"], json!("none"));
    let cells = integer_cells(&bound, &geometry);
    let nothing = Coefficients::List(Vec::new());
    let document = release(plan, Some(released(&geometry, &cells, 0)), nothing, Diagnostics::default());
    let moments = NoisyMoments::from_released(document.moments.as_ref().unwrap(), &document.plan).unwrap();
    let names = ["bmi", "s3", "bp"].map(str::to_owned);
    let at: Vec<usize> = ["(Intercept)", "bmi", "s3", "bp"].map(|name| moments.index(name).unwrap()).into();
    let outcome = moments.index("s5").unwrap();
    let request = Request {
        outcome: "s5",
        features: &names,
        ridge: Ridge::Fixed(0.25),
        repair: Repair::Shift,
        confidence: 0.95,
    };
    let path = ridge_path(&document, &request).unwrap();
    assert_eq!(path.grid.first(), Some(&0.0));
    assert_eq!((path.ridges[path.chosen], path.ridges.len()), (0.25, path.grid.len() + 1));
    assert!(path.ridges.is_sorted() && path.grid.len() > 4 && path.repaired.is_empty());
    let cell = |i: usize, j: usize| moments.cell(i, j).unwrap();
    let scale = |index: usize| moments.terms()[index].scale;
    for (place, ridge) in path.ridges.iter().enumerate() {
        let penalised = DMatrix::from_fn(4, 4, |i, j| cell(at[i], at[j]) + if i == j { *ridge } else { 0.0 });
        let solved = penalised.lu().solve(&DVector::from_fn(4, |i, _| cell(at[i], outcome))).unwrap();
        for (term, path) in path.paths.iter().enumerate().skip(1) {
            let expected = solved[term] * scale(outcome) / scale(at[term]);
            let found = path.estimates[place].unwrap();
            assert!(
                (found - expected).abs() <= 1e-9 * expected.abs(),
                "{} at {ridge}: {found}, {expected}",
                path.term
            );
        }
    }
    // What is left of the slopes at the largest ridge is a small part of them.
    let length =
        |place: usize| path.paths[1..].iter().map(|path| path.drawn()[place].unwrap().powi(2)).sum::<f64>();
    assert!(length(path.ridges.len() - 1) < 0.1 * length(0), "the grid ends too early");
    assert!((length(1) - length(0)).abs() < 0.05 * length(0), "the grid begins too late");

    let csv = Format::Csv.ridge_path(&path, DecimalMark::Point).unwrap();
    assert_eq!(csv.lines().count(), 1 + 4 * path.ridges.len());
    assert!(csv.starts_with("\u{feff}term,ridge,estimate\r\n(Intercept),0.0,"));
    let svg = Format::Svg.ridge_path(&path, DecimalMark::Point).unwrap();
    assert_eq!(svg.matches("stroke-width=\"1.6\"").count(), 3, "one line for each slope");
    assert!(svg.contains("Ridge 0.25 (chosen)"));
    assert!(Format::Markdown.ridge_path(&path, DecimalMark::Point).unwrap().contains("| bmi per unit |"));
    assert_eq!(Format::R.ridge_path(&path, DecimalMark::Point), None);
}

#[test]
fn a_refit_that_cannot_be_says_why() {
    let (plan, bound, geometry) = diabetes_plan(&["sex", "bmi", "bp"], json!("none"));
    let cells = integer_cells(&bound, &geometry);
    let nothing = || Coefficients::List(Vec::new());
    let document =
        release(plan.clone(), Some(released(&geometry, &cells, 7)), nothing(), Diagnostics::default());
    let ask = |outcome: &str, features: &[&str]| {
        let features: Vec<String> = features.iter().map(|name| (*name).to_owned()).collect();
        refit(&document, outcome, &features, Ridge::None, Repair::Shift, 0.95)
    };
    let unknown = ask("age", &["bmi"]).unwrap_err().to_string();
    assert_eq!(unknown, "the release has no column `age`; it has `sex[2.0]`, `bmi`, `bp`, `target`");
    assert!(matches!(ask("bmi", &["(Intercept)"]), Err(RefitError::UnknownColumn { .. })));
    assert_eq!(ask("bmi", &["bp", "bmi"]), Err(RefitError::OutcomeAmongFeatures("bmi".to_owned())));
    assert_eq!(ask("bmi", &["sex", "sex[2.0]"]), Err(RefitError::RepeatedFeature("sex[2.0]".to_owned())));
    assert_eq!(ask("bmi", &[]), Err(RefitError::NoFeatures));
    assert!(ask("sex", &["bmi"]).is_ok(), "a category of two levels is an outcome");
    let bare = release(plan.clone(), None, nothing(), Diagnostics::default());
    assert_eq!(
        refit(&bare, "bmi", &["bp".to_owned()], Ridge::None, Repair::Shift, 0.95),
        Err(RefitError::NoMoments)
    );
    for (row, column, text) in [(1, 1, "1.5"), (1, 1, ""), (1, 2, "7"), (2, 2, &*"9".repeat(60))] {
        let mut moments = released(&geometry, &cells, 7);
        moments.matrix.as_mut().unwrap()[row][column] = text.to_owned();
        let damaged = release(plan.clone(), Some(moments), nothing(), Diagnostics::default());
        let error = refit(&damaged, "bmi", &["bp".to_owned()], Ridge::None, Repair::Shift, 0.95).unwrap_err();
        assert!(error.to_string().ends_with("the release is damaged"), "{error}");
    }
}

/// The preview against the truth of a real table: it may be too hopeful by the features' relations, which no public
/// number tells, and says so; where it says that there is none, there is none.
#[test]
fn the_preview_is_honest_about_the_diabetes_table() {
    let ten: Vec<&str> = BOUNDS[..10].iter().map(|(name, ..)| *name).collect();
    for (features, epsilon) in
        [(&ten[..], 8.0), (&ten[..], 20.0), (&["bmi", "bp"][..], 8.0), (&["bmi", "bp"][..], 20.0)]
    {
        let (_, bound, geometry) = diabetes_plan(features, json!("none"));
        let scale = noise_scale(&geometry, epsilon);
        let law = CellNoise::new(Shape::Goe, scale, 1 << 24);
        let expected =
            Expected { noise: law, ridge: 0.0, layout: discreet::model::Layout::whole(geometry.terms.len()) };
        let preview = preview(&geometry, &bound, expected, 442, true, Options::default()).unwrap();
        let cells = integer_cells(&bound, &geometry);
        let mut ratios: Vec<f64> = (0..51)
            .map(|run| {
                let mut rng = Pseudo::new(8, &[run]);
                let cells = noisy(&cells, geometry.terms.len(), scale, &mut rng);
                let moments = NoisyMoments::from_cells(
                    &geometry,
                    1 << 24,
                    Layout::whole(geometry.terms.len()),
                    &cells,
                    0,
                    law,
                )
                .unwrap();
                let layout = RegressionTerms::new(&bound, &geometry);
                report(&moments, &layout, true, Options::default()).unwrap().1.signal_to_noise.unwrap()
            })
            .collect();
        ratios.sort_by(f64::total_cmp);
        println!(
            "{} features, epsilon {epsilon}: preview {:.2} to {:.2} {:?}, simulated median {:.2}",
            features.len(),
            preview.cautious_signal_to_noise,
            preview.signal_to_noise,
            preview.verdict,
            ratios[25]
        );
        let truth = match ratios[25] {
            ratio if ratio < 1.0 => Verdict::Withheld,
            ratio if ratio < 2.0 => Verdict::Approximate,
            _ => Verdict::Clear,
        };
        assert_eq!(preview.verdict, truth, "{} features, epsilon {epsilon}", features.len());
        if features.len() == 10 {
            assert_ne!(preview.verdict, Verdict::Clear);
            assert!(
                preview.features_that_fit < 10 && preview.rows_needed > 442 && preview.budget_factor > 1.0
            );
        } else {
            assert_ne!(preview.verdict, Verdict::Withheld);
        }
        assert_eq!(preview.terms.len(), features.len() + 1);
        assert!(preview.terms.iter().all(|term| term.noise_std_error > 0.0 && term.sampling_std_error > 0.0));
    }
}

#[test]
fn the_guarantee_in_words_says_neither_too_much_nor_too_little() {
    let (plan, ..) = diabetes_plan(&["bmi"], json!("none"));
    let document = release(plan, None, Coefficients::List(Vec::new()), Diagnostics::default());
    let words = Statement::new(&document);
    assert!(words.headline.contains("55 times in 100"), "{:?}", words.headline);
    assert_eq!(words.guessing, None, "the headline says it");
    assert!(
        words.budget.as_ref().unwrap().contains("2.72, plus one in 1\u{202f}000\u{202f}000"),
        "{:?}",
        words.budget
    );
    assert!(words.unit.starts_with("Each row counts as one person;"));
    assert!(words.protects && words.promise.contains("almost the same"));
    let mut weak = document.clone();
    (weak.privacy.mu, weak.privacy.epsilon) = (Some(2.0), Some(10.0));
    let weak = Statement::new(&weak);
    assert!(weak.protects && weak.promise.contains("differs by a limited amount"), "{weak:?}");
    assert_eq!(words.relaxation, None);
    let mut variants = vec![document.clone()];
    for protect in ["labels", "features"] {
        let mut relaxed = document.clone();
        relaxed.privacy.adjacency = serde_json::from_value(json!("replace-one")).unwrap();
        relaxed.privacy.protect = serde_json::from_value(json!(protect)).unwrap();
        assert!(Statement::new(&relaxed).relaxation.unwrap().contains("not protected"));
        variants.push(relaxed);
    }
    let mut huge = document.clone();
    huge.privacy.mu = Some(50.0);
    huge.privacy.epsilon = Some(2000.0);
    let mut exposed = document.clone();
    exposed.privacy.delta = Some(0.01);
    for (weak, why) in [(&huge, "may be right nearly every time"), (&exposed, "publishes a whole row")] {
        let words = Statement::new(weak);
        assert!(!words.protects && words.headline.contains("only in name") && words.headline.contains(why));
        assert_eq!(words.guessing.is_some(), why == "publishes a whole row", "{words:?}");
        assert!(words.sentences().iter().all(|sentence| !sentence.contains("almost the same")), "{words:?}");
    }
    variants.extend([huge, exposed]);
    let mut demo = document.clone();
    demo.privacy.assurance = Assurance::Demo;
    assert!(!Statement::new(&demo).protects && Statement::new(&demo).headline.contains("protects nobody"));
    variants.push(demo);
    let mut idealised = document;
    idealised.privacy.assurance = Assurance::Idealised;
    idealised.privacy.person = "id".to_owned();
    idealised.privacy.max_rows_per_person = 3;
    idealised.ledger.as_mut().unwrap().idealised = true;
    assert!(
        Statement::new(&idealised)
            .unit
            .ends_with("Up to 3 rows of each person count, the first in the file.")
    );
    variants.push(idealised);
    for variant in &variants {
        for sentence in Statement::new(variant).sentences() {
            let lower = sentence.to_lowercase();
            for banned in ["anonym", "secure", "100 %", "100%", "sorry", "!"] {
                assert!(!lower.contains(banned), "{sentence}");
            }
            assert!(!sentence.contains("  ") && sentence.ends_with('.'), "{sentence}");
        }
    }
}
