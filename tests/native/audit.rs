//! The list that a sceptic can start: it passes on a sound build and fails where a bug is planted. Seeds are fixed.

use discreet::audit::check::{Check, Finding, Item, Kind, Measured, Verdict};

/// The items of one kind with their last findings, or of all kinds.
fn findings(seed: u64) -> Vec<(Item, Finding)> {
    let mut check = Check::new(seed);
    let mut last: Vec<Finding> = Vec::new();
    while let Some(finding) = check.step().unwrap() {
        assert!(finding.done <= finding.planned);
        assert_eq!(finding.verdict == Verdict::Running, finding.done < finding.planned);
        last.truncate(finding.item);
        last.push(finding);
    }
    Check::items().into_iter().zip(last).collect()
}

#[test]
fn a_sound_build_passes_and_both_controls_are_caught() {
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

#[test]
fn a_finding_crosses_a_thread_unchanged() {
    let mut check = Check::new(2);
    while let Some(finding) = check.step().unwrap() {
        let text = serde_json::to_string(&finding).unwrap();
        assert_eq!(serde_json::from_str::<Finding>(&text).unwrap(), finding, "{text}");
    }
}

#[cfg(feature = "audit-mutants")]
mod planted {
    use discreet::privacy::mutants::{Mutant, with_planted};

    use super::*;

    #[test]
    fn the_list_fails_for_every_bug_that_it_can_see() {
        for mutant in [
            Mutant::SigmaHalved,
            Mutant::SigmaOverSqrt2,
            Mutant::AddRemoveDeltaUnderReplaceOne,
            Mutant::OffDiagonalQuarter,
            Mutant::DiagonalHalf,
            Mutant::ZeroTwiceInLaplace,
            Mutant::BernExpParity,
            Mutant::NoClip,
            Mutant::ColumnClampOnly,
            Mutant::KeepAllRowsOfPerson,
            Mutant::EmptyIdsPooled,
            Mutant::DiagonalCellUnnoised,
            Mutant::SameNoiseEverywhere,
            Mutant::InterceptUnnoisedUnderSkip,
        ] {
            let broken = with_planted(mutant, || {
                let mut check = Check::new(3);
                // The first is enough; a sampler with a flipped coin may never end.
                std::iter::from_fn(|| check.step().unwrap()).find(|one| one.verdict.good() == Some(false))
            });
            let broken = broken.unwrap_or_else(|| panic!("{mutant:?} goes unnoticed"));
            println!("{mutant:?}: {}", Check::items()[broken.item].title);
        }
    }
}
