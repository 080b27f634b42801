//! The audits of the specification on the build as it is, and the list that a sceptic can start. Seeds are fixed.

#[path = "../audit/audits/mod.rs"]
pub mod audits;

use std::num::NonZeroU64;

use audits::Depth;
use discreet::audit::bench::{noise, read};
use discreet::audit::check::{Check, Finding, Item, Kind, Measured, Verdict};
use discreet::audit::fit::{self, Fit, Sampler};
use discreet::audit::pairs::with_constant;
use discreet::engine::{Prepared, demonstrate};
use discreet::mechanisms::gaussian::perturb;
use discreet::model::Shape;
use discreet::noise::entropy::DemoRng;
use discreet::noise::law;
use discreet::release::document::LedgerReference;

#[cfg(feature = "audit-mutants")]
use crate::mutants;
use crate::support::{release, software};

/// All audits whose names begin so, but those of several rounds and of bounds, which have tests of their own.
fn pass(prefix: &str) {
    let mut count = 0;
    let here =
        |name: &str| name.starts_with(prefix) && !name.contains(" adaptive") && !name.contains("bounds");
    for audit in audits::audits(Depth::Quick).into_iter().filter(|audit| here(&audit.name)) {
        if let Err(seen) = (audit.run)() {
            panic!("{}: {seen}", audit.name);
        }
        count += 1;
    }
    assert!(count > 0, "no audit is called {prefix}");
}

#[test]
fn t1_no_pair_is_told_apart_better_than_claimed() {
    pass("T1 ");
}

#[test]
fn t2_thresholds_disprove_nothing() {
    pass("T2 ");
}

#[test]
fn t3_guesses_are_no_better_than_claimed() {
    pass("T3");
}

#[test]
fn t4_delta_is_not_above_the_claim() {
    pass("T4 ");
}

#[test]
fn t5_samplers_have_their_laws() {
    pass("T5 ");
}

#[test]
fn t6_the_noise_has_the_claimed_covariance() {
    pass("T6 ");
}

#[test]
fn t7_integers_are_exact() {
    pass("T7 ");
}

#[test]
fn t8_rounding_errs_to_the_safe_side() {
    pass("T8 ");
}

#[test]
fn t9_intervals_cover() {
    pass("T9 ");
}

#[test]
fn a_fit_notices_a_wrong_law() {
    // The least error of the variance that the many cells of this statistic surely show is 2 %.
    let sampler = Sampler::Diagonal(NonZeroU64::new(10).unwrap());
    let law = law::Gaussian::new(102.0);
    let mut fit = Fit::of_integers(|k| law.pmf(k), 1_000_000);
    let mut rng = DemoRng::new(700, 0);
    for _ in 0..1_000_000 {
        fit.add(sampler.draw(&mut rng));
    }
    assert!(fit.p_value().unwrap() < fit::ALARM);
}

/// What is audited is what is released.
#[test]
fn a_release_shows_the_audited_integers_and_no_others() {
    let (prepared, moments) = read(&with_constant(Shape::Goe), "x,y\n0.2,0.4\n", Prepared::moments).unwrap();
    let cells = perturb(&moments, &noise(&prepared).unwrap(), &mut DemoRng::new(5, 1));
    let released = demonstrate(&prepared, &moments, DemoRng::new(5, 1), software()).unwrap();
    let matrix = released.document().moments.clone().unwrap().matrix.unwrap();
    let upper: Vec<&String> = (0..3).flat_map(|row| &matrix[row][row..]).collect();
    assert_eq!(upper, cells.iter().map(i128::to_string).collect::<Vec<_>>().iter().collect::<Vec<_>>());
}

#[test]
fn two_releases_under_the_operating_system_s_randomness_differ() {
    let (prepared, moments) = read(&with_constant(Shape::Goe), "x,y\n0.2,0.4\n", Prepared::moments).unwrap();
    let matrix = || {
        let charge = LedgerReference { id: "00".to_owned(), entry: 1, idealised: false, promise: None };
        release(&prepared, &moments, charge).unwrap().moments.unwrap().matrix
    };
    assert_ne!(matrix(), matrix());
}

/// The items with their last findings.
fn findings(seed: u64) -> Vec<(Item, Finding)> {
    let mut check = Check::new(seed);
    let mut last: Vec<Finding> = Vec::new();
    while let Some(finding) = check.step().unwrap() {
        assert!(finding.done <= finding.planned);
        assert_eq!(finding.verdict == Verdict::Running, finding.done < finding.planned);
        let text = serde_json::to_string(&finding).unwrap();
        assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), finding, "it crosses a thread: {text}");
        last.truncate(finding.item);
        last.push(finding);
    }
    Check::items().into_iter().zip(last).collect()
}

#[test]
fn the_list_passes_and_both_controls_are_caught() {
    let found = findings(1);
    assert_eq!(found.len(), Check::items().len(), "every item has a finding");
    for (item, finding) in &found {
        let expected = if item.kind == Kind::Control { Verdict::Caught } else { Verdict::Holds };
        assert_eq!(finding.verdict, expected, "{}: {:?}", item.title, finding.measured);
    }
    // The pair whose two tables encode to nothing has nothing to show.
    assert_eq!(found.iter().filter(|(_, one)| matches!(one.measured, Measured::Equal { .. })).count(), 1);
    assert_eq!(found.iter().filter(|(item, _)| item.kind == Kind::Control).count(), 2);
}

#[test]
fn the_same_seed_gives_the_same_findings() {
    let first_pair = |seed| {
        let mut check = Check::new(seed);
        let mut steps = std::iter::from_fn(|| check.step().unwrap());
        steps.find(|finding| finding.item == 4).unwrap()
    };
    assert_eq!(first_pair(7), first_pair(7));
    assert_ne!(first_pair(7), first_pair(8));
}

#[cfg(feature = "audit-mutants")]
#[test]
fn each_mutant_is_caught() {
    assert!(mutants::all(mutants::hunts(Depth::Quick)));
}
