//! What has to hold of estimated bounds (theory/estimated-bounds), for the native tests, the browser and the audit's mutants; a check
//! fails by panicking.

use std::sync::Arc;

use dashu_int::UBig;
use discreet::data::encode::halves;
use discreet::data::{Exact, RowSink, Statistic, Sums};
use discreet::mechanisms::estimated_bounds::cells::{FIRST_CELLS, SECOND_CELLS};
use discreet::mechanisms::estimated_bounds::forecast::Outlook;
use discreet::mechanisms::estimated_bounds::layout::Layout;
use discreet::mechanisms::estimated_bounds::octaves::{Heaps, Octaves};
use discreet::mechanisms::estimated_bounds::units::Units;
use discreet::mechanisms::estimated_bounds::{Setting, Target};
use discreet::mechanisms::{Rounds, Run};
use discreet::noise::entropy::DemoRng;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::gaussian_charge;
use discreet::privacy::event::Event;
use discreet::release::bounds::{CellLayout, EstimatedBounds, State};
use serde_json::Value;

/// The golden values.
pub const VECTORS: &str = include_str!("../../vectors/estimated_bounds.json");

/// A stage of so many columns.
pub fn setting(columns: usize, adjacency: Adjacency, persons: u32, units: u128) -> Arc<Setting> {
    let target = |index| Target { name: format!("x{index}"), integer: false, least: None, greatest: None };
    Arc::new(Setting {
        units: Units::new(columns, adjacency, persons, units).unwrap(),
        targets: (0..columns).map(target).collect(),
        share: 0.05,
        outlook: Outlook::new(columns, adjacency, persons, units),
    })
}

/// The exact counts of rows of numbers.
fn counts(statistic: &Statistic, rows: &[Vec<f64>]) -> Vec<i128> {
    let mut sums = statistic.empty();
    for row in rows {
        let codes: Vec<i32> = row.iter().flat_map(|value| halves(*value)).collect();
        sums.row(&codes);
    }
    let Sums::Cells(cells) = sums else { panic!("no cells") };
    cells.cells()
}

/// Runs both rounds with the noise that `noise` gives for a round and its exact counts. Returns the layouts' exact counts, too.
pub fn run_with(
    setting: &Arc<Setting>,
    rows: &[Vec<f64>],
    mut noise: impl FnMut(usize, &[i128]) -> Vec<i128>,
) -> (EstimatedBounds, Vec<Vec<i128>>) {
    let mut run: Box<dyn Run> = Arc::clone(setting).start();
    let mut rng = DemoRng::new(1, 1);
    let mut exact = Vec::new();
    while let Some(round) = run.round() {
        let cells = counts(&round.statistic, rows);
        let drawn = noise(exact.len(), &cells);
        let answer = round.noise.answer(drawn, &Exact::Cells(cells.clone()), &mut rng).unwrap();
        run.take(answer);
        exact.push(cells);
    }
    (run.bounds().unwrap(), exact)
}

/// Runs both rounds with noise from a seed.
pub fn run(setting: &Arc<Setting>, rows: &[Vec<f64>], seed: u64) -> EstimatedBounds {
    let mut run: Box<dyn Run> = Arc::clone(setting).start();
    let mut rng = DemoRng::new(seed, 1);
    while let Some(round) = run.round() {
        let drawn = round.noise.draw(&mut rng);
        let cells = counts(&round.statistic, rows);
        run.take(round.noise.answer(drawn, &Exact::Cells(cells), &mut rng).unwrap());
    }
    run.bounds().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn close(what: &str, found: f64, expected: &Value) {
    let expected = expected.as_f64().unwrap();
    assert!((found - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{what}: {found} for {expected}");
}

/// All cases give the golden values.
pub fn golden() {
    let file: Value = serde_json::from_str(VECTORS).unwrap();
    for case in file["cases"].as_array().unwrap() {
        golden_case(&file["table"], case);
    }
}

fn golden_case(table: &Value, case: &Value) {
    let expected = &case["expected"];
    let places: Vec<usize> = serde_json::from_value(case["columns"].clone()).unwrap();
    let factor = if case["times_zero"].as_bool().unwrap() { 0.0 } else { 1.0 };
    let cells =
        |row: &Value| places.iter().map(|place| row[*place].as_f64().unwrap_or(f64::NAN) * factor).collect();
    let rows: Vec<Vec<f64>> = table.as_array().unwrap().iter().map(cells).collect();
    let adjacency = match text(&case["adjacency"]) {
        "add-remove" => Adjacency::AddRemove,
        _ => Adjacency::ReplaceOne,
    };
    let persons = u32::try_from(case["rows_per_person"].as_u64().unwrap()).unwrap();
    let units: u128 = text(&case["units"]).parse().unwrap();
    assert_eq!(
        Units::split(units).map(|part| part.to_string()),
        [0, 1].map(|r| text(&expected["u"][r]).to_owned())
    );
    let setting = setting(places.len(), adjacency, persons, units);
    assert_eq!(setting.units.count.to_string(), text(&expected["U"]));
    assert_eq!(setting.units.sensitivity_squared, text(&expected["delta2"]).parse::<UBig>().unwrap());

    let steps = setting.units.scales.map(|scale| i128::from(scale.get().get() / 1024));
    let given = [&case["noise_1"], &case["noise_2"]].map(|columns| {
        let columns = columns.as_array().unwrap().iter().flat_map(|column| column.as_array().unwrap());
        columns.map(|entry| i128::from(entry.as_i64().unwrap())).collect::<Vec<_>>()
    });
    let noise = |round: usize, _: &[i128]| given[round].iter().map(|entry| entry * steps[round]).collect();
    let (found, _) = run_with(&setting, &rows, noise);
    assert_eq!(found.unit, text(&expected["U"]));
    assert_eq!(found.charge, text(&expected["charge"]));
    assert_eq!(found.noise.as_slice(), [0, 1].map(|r| text(&expected["S"][r]).to_owned()).as_slice());
    for (column, expected) in found.columns.iter().zip(expected["results"].as_array().unwrap()) {
        let state = serde_json::to_value(column.state).unwrap();
        assert_eq!(text(&state).replace('-', " "), text(&expected["state"]));
        let found_zero = column.state == State::Zero;
        let range = column.range().or(found_zero.then_some((0.0, 0.0)));
        assert_eq!(range.map(|(low, _)| low), expected["low"].as_f64());
        assert_eq!(range.map(|(_, high)| high), expected["high"].as_f64());
        let (from, step) = match column.layout {
            CellLayout::Octaves => (None, None),
            CellLayout::Narrow { from, step } => (Some(from), Some(step)),
        };
        assert_eq!((from, step), (expected["a"].as_f64(), expected["step"].as_f64()));
        assert_eq!(from.is_some(), text(&expected["layout"]) == "narrow");
        let sum = |cells: &[String]| {
            let cells: Vec<i128> = cells.iter().map(|cell| cell.parse().unwrap()).collect();
            setting.units.rows(&cells).iter().sum::<f64>()
        };
        close("sum of the first counts", sum(&column.first), &expected["sum_1"]);
        close("sum of the second counts", sum(&column.second), &expected["sum_2"]);
        let first: Vec<i128> = column.first.iter().map(|cell| cell.parse().unwrap()).collect();
        let heaps = Octaves::new(setting.units.rows(&first), setting.units.sd()[0]).heaps();
        let seen = match heaps {
            Heaps::Sides(_) if from.is_some() => "narrow",
            Heaps::Sides(_) => "wide",
            Heaps::Zero => "zero",
            Heaps::Nothing => "not found",
        };
        assert_eq!(seen, text(&expected["layout"]));
    }
}

/// Numbers that look random, from 0 to 1.
pub struct Draws(pub u64);

impl Draws {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Any double: of every exponent and both signs, zero, missing or infinite now and then.
    fn double(&mut self) -> f64 {
        match self.next() {
            x if x < 0.05 => f64::NAN,
            x if x < 0.08 => f64::INFINITY,
            x if x < 0.15 => 0.0,
            x => {
                #[expect(clippy::cast_possible_truncation, reason = "below 2,200")]
                let e = (self.next() * 2_200.0) as i32 - 1_110;
                let size = (1.0 + self.next()) * 2_f64.powi(if x < 0.6 { e } else { e / 20 });
                if self.next() < 0.5 { -size } else { size }
            }
        }
    }
}

/// Random neighbours reach Δ² of each round and never pass it, whatever the layouts are.
pub fn neighbours() {
    let mut draws = Draws(5);
    for adjacency in [Adjacency::AddRemove, Adjacency::ReplaceOne] {
        for (columns, persons) in [(1, 1), (3, 1), (2, 3)] {
            let setting = setting(columns, adjacency, persons, 1 << 43);
            let layouts: Arc<[Layout]> = (0..columns)
                .map(|column| if column == 0 { Layout::narrow(3, 4, false) } else { Layout::Wide })
                .collect();
            let maps = [setting.count(None), setting.count(Some(layouts))];
            for map in maps {
                let statistic = Statistic::Map(Arc::new(map));
                let mut most = 0.0_f64;
                for _ in 0..500 {
                    let mut rows = |same: bool| {
                        let one: Vec<f64> = (0..columns).map(|_| draws.double()).collect();
                        let other = |_| (0..columns).map(|_| draws.double()).collect::<Vec<f64>>();
                        if same { vec![one; persons as usize] } else { (0..persons).map(other).collect() }
                    };
                    let (before, after) = match adjacency {
                        Adjacency::AddRemove => (rows(true), Vec::new()),
                        Adjacency::ReplaceOne => (rows(true), rows(true)),
                    };
                    let apart = rows(false);
                    for (before, after) in [(before, after), (apart, Vec::new())] {
                        let change = counts(&statistic, &before).into_iter().zip(counts(&statistic, &after));
                        let squares = change.map(|(a, b)| {
                            UBig::from((a - b).unsigned_abs()) * UBig::from((a - b).unsigned_abs())
                        });
                        let moved = squares.fold(UBig::ZERO, |sum, square| sum + square);
                        assert!(
                            moved <= setting.units.sensitivity_squared,
                            "{adjacency:?} {columns} {persons}"
                        );
                        let share =
                            moved.to_f64().value() / setting.units.sensitivity_squared.to_f64().value();
                        most = most.max(share);
                    }
                }
                assert!(most > 0.999, "{adjacency:?} {columns} {persons}: {most}");
            }
        }
    }
}

/// Two tables whose noise makes the same integers of them give the same document, although their exact counts would give other layouts,
/// other tails and other ends.
pub fn same_integers() {
    let setting = setting(3, Adjacency::AddRemove, 1, 1 << 38);
    let mut draws = Draws(7);
    // The first column halves from octave to octave, so that the number of rows decides how far its tail may go on unseen. The third is
    // in one octave, and the tables differ in which.
    let mut table = |rows: usize, scale: f64, year: f64| -> Vec<Vec<f64>> {
        let row = |_| {
            let tail = 1.0 / (1.0 - draws.next());
            vec![tail, scale * (draws.next() - 0.5) * 1e3, year + draws.next()]
        };
        (0..rows).map(row).collect()
    };
    let (one, other) = (table(800, 30.0, 2_000.0), table(200_000, 3_000.0, 5_000.0));
    let mut rng = DemoRng::new(3, 1);
    let (first, exact) = run_with(&setting, &one, |round, _| setting.noise(round, &[], &mut rng));
    let noisy: [Vec<i128>; 2] = [0, 1].map(|round| {
        let columns = first.columns.iter();
        let cells = columns.flat_map(|column| if round == 0 { &column.first } else { &column.second });
        cells.map(|cell| cell.parse().unwrap()).collect()
    });
    assert!(exact[0] != noisy[0] && first.columns.iter().all(|column| column.range().is_some()));
    let noise = |round: usize, exact: &[i128]| noisy[round].iter().zip(exact).map(|(a, b)| a - b).collect();
    let (second, _) = run_with(&setting, &other, noise);
    assert_eq!(serde_json::to_string(&first).unwrap(), serde_json::to_string(&second).unwrap());
}

/// Every cell of every column has noise of its own in both rounds, and as many are drawn whatever the layout is.
pub fn noise() {
    let setting = setting(2, Adjacency::AddRemove, 1, 1 << 43);
    let mut rng = DemoRng::new(9, 1);
    let first = setting.noise(0, &[], &mut rng);
    let second = setting.noise(1, &[Layout::Wide, Layout::narrow(1, 1, false)], &mut rng);
    assert_eq!((first.len(), second.len()), (2 * FIRST_CELLS, 2 * SECOND_CELLS));
    assert!(first.iter().chain(&second).all(|draw| *draw != 0), "a cell has no noise");
    let alike = first.iter().zip(&second).filter(|(a, b)| a == b).count();
    assert_eq!(alike, 0, "noise is used twice");
}

/// T1: on two neighbours that differ in every column, the best test of the noisy counts separates them by the charged μ and no more:
/// Σ d y / S², whose means differ by μ² and whose standard deviation is μ.
pub fn signal(runs: u32) {
    for (adjacency, persons) in
        [(Adjacency::AddRemove, 1), (Adjacency::ReplaceOne, 1), (Adjacency::AddRemove, 2)]
    {
        let columns = 4;
        let setting = setting(columns, adjacency, persons, 1 << 43);
        let events = setting.units.events();
        let cost = events.iter().map(|event| match event {
            Event::Gaussian { sensitivity_squared, scale, .. } => {
                gaussian_charge(sensitivity_squared, *scale).unwrap()
            }
            _ => 0,
        });
        let mu = (cost.sum::<u128>() as f64 / 2_f64.powi(40)).sqrt();
        let person = |value: f64| vec![vec![value; columns]; persons as usize];
        let before = person(3.0);
        let after = if adjacency == Adjacency::ReplaceOne { person(-40.0) } else { Vec::new() };
        let statistics = [setting.count(None), setting.count(Some(vec![Layout::Wide; columns].into()))]
            .map(|map| Statistic::Map(Arc::new(map)));
        let mut scores = [Vec::new(), Vec::new()];
        for run in 0..runs {
            let mut rng = DemoRng::new(11, u64::from(run));
            let mut score = [0.0; 2];
            for (round, statistic) in statistics.iter().enumerate() {
                let scale = setting.units.scales[round].get().get() as f64;
                let noise = setting.noise(round, &vec![Layout::Wide; columns], &mut rng);
                let (one, other) = (counts(statistic, &before), counts(statistic, &after));
                for ((noise, one), other) in noise.iter().zip(&one).zip(&other) {
                    let d = (one - other) as f64 / scale;
                    score[0] += d * (noise + one) as f64 / scale;
                    score[1] += d * (noise + other) as f64 / scale;
                }
            }
            scores[0].push(score[0]);
            scores[1].push(score[1]);
        }
        let mean = |scores: &[f64]| scores.iter().sum::<f64>() / f64::from(runs);
        let centre = mean(&scores[1]);
        let variance = scores[1].iter().map(|score| (score - centre).powi(2)).sum::<f64>() / f64::from(runs);
        let found = (mean(&scores[0]) - centre) / variance.sqrt();
        // The standard deviation of an estimated standard deviation is 1/√(2 runs) of it; five of them.
        let margin = 5.0 / (2.0 * f64::from(runs)).sqrt();
        assert!((found / mu - 1.0).abs() < margin, "{adjacency:?} {persons}: {found} for {mu}");
    }
}
