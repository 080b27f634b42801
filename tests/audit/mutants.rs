//! The bugs that the audits have to catch (theory/audit 4), each with what catches it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use discreet::privacy::mutants::{Mutant, current, with_active};

use crate::audits::{Depth, Saw, audits};
use crate::ledger_attacks;

/// Which audits have to catch which bug. Those of the ledger are in [`ledger_attacks::CHECKS`].
const KILLERS: &[(Mutant, &[&str])] = &[
    (
        Mutant::SigmaHalved,
        &["T1 P1", "T1 P3 iid", "T2 P1", "T4 P1", "T5 diagonal 10", "T5 fine diagonal", LIST],
    ),
    (Mutant::SigmaOverSqrt2, &["T1 P6", "T1 P6 iid", "T2 P3", "T5 fine off diagonal", LIST]),
    (
        Mutant::AddRemoveDeltaUnderReplaceOne,
        &[
            "T1 P3", "T1 P3 iid", "T1 P19", "T8 sensitivity", "T7 adaptive rounds",
            "T7 adaptive-logistic rounds", "T7 bounds neighbours", "T7 bounds golden", "T1 bounds", LIST,
        ],
    ),
    (Mutant::OffDiagonalQuarter, &["T1 P2", "T1 P5", "T1 P6", "T5 off diagonal 5", LIST]),
    (Mutant::DiagonalHalf, &["T1 P1", "T1 P3", "T1 P4", "T5 diagonal 10", LIST]),
    (Mutant::ZeroTwiceInLaplace, &["T5 Laplace 1", "T5 diagonal 1", "T5 off diagonal 1", LIST]),
    (Mutant::BernExpParity, &["T5 coin", LIST]),
    (Mutant::ExpLoopDropped, &["T5 coin", "T5 diagonal 10", "T5 fine diagonal", LIST]),
    (Mutant::RandomRowFewer, &["T6 additive-wishart"]),
    (Mutant::RidgeShortOfLastCell, &["T6 jl-ridge", "T6 inverse-wishart", "T4 jl-ridge add-remove"]),
    (Mutant::DegreesNotFalling, &["T6 jl-ridge", "T6 inverse-wishart"]),
    (Mutant::EigenvalueUnshifted, &["T6 least eigenvalue"]),
    (Mutant::EigenvalueUnnoised, &["T6 least eigenvalue"]),
    (
        Mutant::AddRemoveCurveUnderReplaceOne,
        &["T4 jl-ridge replace-one", "T4 inverse-wishart replace-one", "T4 additive-wishart replace-one"],
    ),
    (Mutant::GridSlackUnreserved, &["T8 grid slack"]),
    (Mutant::ChargeRoundedDown, &["T8 rounding"]),
    (Mutant::CoarseGaussian, &["T8 least scale"]),
    (
        Mutant::NoClip,
        &["T1 P4", "T1 P5", "T7 logistic steps", "T7 gaussian steps", "T1 pmt-ridge long", LIST],
    ),
    (Mutant::ColumnClampOnly, &["T1 P5", "T7 logistic steps", "T1 pmt-ridge long", LIST]),
    (Mutant::OutcomesUnclipped, &["T1 P16"]),
    (Mutant::DerivedUnclipped, &["T7 derived records"]),
    (Mutant::GradientUnclipped, &["T7 gradients"]),
    (
        Mutant::CrossMomentsUncounted,
        &["T1 P12", "T1 P13", "T1 P14", "T1 P17", "T1 P18", "T7 gaussian steps", "T7 adaptive rounds"],
    ),
    (
        Mutant::CurvatureUncounted,
        &[
            "T7 logistic steps", "T7 printed steps", "T1 logistic step", "T1 logistic steps",
            "T7 adaptive-logistic rounds",
        ],
    ),
    (
        Mutant::HistogramsCountedOnce,
        &["T7 adaptive rounds", "T7 bounds neighbours", "T7 bounds golden", "T1 bounds"],
    ),
    (Mutant::PersonsUncountedInTails, &["T1 P18 rows of a person", "T7 adaptive rounds"]),
    (Mutant::PersonsUncountedInBounds, &["T7 bounds neighbours", "T7 bounds golden", "T1 bounds"]),
    (Mutant::LayoutFromExactCounts, &["T7 bounds of equal counts"]),
    (Mutant::RowsFromExactCounts, &["T7 bounds of equal counts"]),
    (Mutant::EndsFromExactCounts, &["T7 bounds of equal counts", "T7 bounds golden"]),
    (Mutant::FirstNoiseReused, &["T6 noise of bounds"]),
    (Mutant::NanCountedAsZero, &["T7 bounds golden"]),
    (Mutant::WidenedToExtremes, &["T7 bounds golden"]),
    (Mutant::NoiseForUsedCellsAlone, &["T6 noise of bounds"]),
    (Mutant::SharesOfMu, &["T8 adaptive charges"]),
    (
        Mutant::EarlierRoundsUnnoised,
        &["T1 P18", "T2 P18", "T3 rounds", "T1 P20", "T2 P20", "T3 logistic rounds", LIST],
    ),
    (
        Mutant::TailCountsUnnoised,
        &["T1 P18", "T2 P18", "T3 rounds", "T1 P20", "T2 P20", "T3 logistic rounds", LIST],
    ),
    (Mutant::ScoresUnnoised, &["T1 P18", "T2 P18", "T3 rounds"]),
    (Mutant::ScoresUnclipped, &["T7 adaptive rounds"]),
    (Mutant::ScoresOfRows, &["T1 P18 rows of a person"]),
    (Mutant::CurvatureUnnoised, &["T1 P20", "T2 P20", "T3 logistic rounds", LIST]),
    (Mutant::SquaresUnweighted, &["T1 P18", LIST]),
    (Mutant::RoundNoiseReused, &["T6 rounds"]),
    (Mutant::RoundChecksOmitted, &["T7 adaptive rounds"]),
    (Mutant::ResidualsShorten, &["T7 adaptive weights"]),
    (Mutant::ResidualsNotShortened, &["T7 adaptive weights"]),
    (Mutant::NoiseNotCarried, &["T9 adaptive noise", "T7 adaptive-logistic golden"]),
    (Mutant::KappaOfReplaceOne, &["T7 adaptive-logistic rounds", "T1 adaptive-logistic steps"]),
    (Mutant::LabelsUncounted, &["T7 adaptive-logistic rounds"]),
    (Mutant::PersonsUncountedInSteps, &["T1 P20 rows of a person", "T7 adaptive-logistic rounds"]),
    (Mutant::CurvatureRoundedUp, &["T7 adaptive-logistic rounds"]),
    (Mutant::LengthUnchecked, &["T7 adaptive-logistic rounds"]),
    (Mutant::WeightNotSquared, &["T7 adaptive-logistic weights"]),
    (Mutant::LabelsShorten, &["T7 adaptive-logistic weights"]),
    (Mutant::FittedShortened, &["T7 adaptive-logistic weights"]),
    (Mutant::RateOfMoments, &["T7 adaptive-logistic golden"]),
    (Mutant::StartAtZero, &["T7 adaptive-logistic golden"]),
    (Mutant::CurvatureUnraised, &["T7 adaptive-logistic golden"]),
    (Mutant::FirstCurvature, &["T7 adaptive-logistic golden"]),
    (Mutant::StepNoiseReused, &["T6 adaptive-logistic noise", "T6 logistic rounds"]),
    (Mutant::StepsUncounted, &["T7 logistic steps", "T1 logistic steps"]),
    (Mutant::ResidualUnclipped, &["T2 P18", "T7 gaussian steps"]),
    (Mutant::LeverageAveraged, &["T1 isotropic", "T1 whitened"]),
    (Mutant::SampleKnown, &["T4 sub-samp-reuse-cov"]),
    (Mutant::KeepAllRowsOfPerson, &["T1 P8", "T1 P8 iid", "T1 P18 rows of a person", LIST]),
    (Mutant::EmptyIdsPooled, &["T1 P10", "T1 P10 iid", LIST]),
    (Mutant::DiagonalCellUnnoised, &["T1 P1", "T3", "T6 goe", "T6 iid", LIST]),
    (Mutant::SameNoiseEverywhere, &["T6 goe", "T6 iid", "T1 P3", LIST]),
    (Mutant::SeedReused, &["T6 repeats", "T6 drawn repeats", "T1 P1", LIST]),
    (Mutant::NoiseInFloat, &["T6 low bits"]),
    (Mutant::BlockOf2To16, &["T7 largest rows", "T7 order"]),
    (Mutant::InterceptUnnoisedUnderSkip, &["T1 P11", "T6 goe", LIST]),
    (Mutant::NanUnmapped, &["T1 P7", LIST]),
    (Mutant::NaiveStandardError, &["T9 n 1000 d 5 sigma 4.22", "T7 adaptive-logistic golden"]),
];

/// The audit that the page offers.
const LIST: &str = "the page's list";

/// A piece of work that ends as one line and a verdict.
pub struct Task {
    pub name: String,
    pub work: Box<dyn Fn() -> Saw + Send + Sync>,
}

/// A task for each mutant. At full depth all that should catch it try; at the quick one the first two.
pub fn hunts(depth: Depth) -> Vec<Task> {
    let hunters = if depth == Depth::Full { usize::MAX } else { 2 };
    Mutant::ALL.iter().map(|&mutant| hunt(mutant, hunters)).collect()
}

fn hunt(mutant: Mutant, most: usize) -> Task {
    let work = move || {
        let wanted = KILLERS.iter().filter(|(known, _)| *known == mutant).flat_map(|(_, names)| *names);
        let wanted: Vec<&str> = wanted.copied().collect();
        let mut hunters: Vec<(String, Box<dyn Fn() -> Saw>)> = Vec::new();
        for audit in audits(Depth::Quick) {
            if wanted.contains(&audit.name.as_str()) {
                hunters.push((audit.name, audit.run));
            }
        }
        // In the order of the table, where the most telling stands first.
        hunters.sort_by_key(|(name, _)| wanted.iter().position(|one| one == name));
        if hunters.len() < wanted.len() {
            return Err(format!("LIVES: an audit among {wanted:?} does not exist"));
        }
        hunters.truncate(most);
        for (_, name, check) in ledger_attacks::CHECKS.iter().filter(|(known, ..)| *known == mutant) {
            hunters.push((format!("T8 {name}"), Box::new(move || check().map(|()| String::new()))));
        }
        if hunters.is_empty() {
            return Err("LIVES: nothing looks for it".to_owned());
        }
        let mut kills = Vec::new();
        for (name, run) in hunters {
            match with_active(mutant, || caught(&run)) {
                Err(seen) => kills.push(format!("{name}: {:.100}", seen.lines().next().unwrap_or_default())),
                Ok(seen) => return Err(format!("LIVES: {name} saw nothing but {seen}")),
            }
        }
        match current() {
            None => Ok(format!("killed by {}", kills.join("; "))),
            Some(_) => Err("stays active after the work that it was activated for".to_owned()),
        }
    };
    Task { name: mutant.description().trim_end_matches('.').to_owned(), work: Box::new(work) }
}

/// What an audit saw; a panic counts as seen.
fn caught(run: &dyn Fn() -> Saw) -> Saw {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it panicked");
        Err(format!("stopped: {text}"))
    })
}

/// Does all tasks on all processors and prints their lines in order as they come.
pub fn all(tasks: Vec<Task>) -> bool {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let (send, receive) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let (send, next, tasks) = (send.clone(), &next, &tasks);
            scope.spawn(move || {
                while let Some(task) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
                    send.send((task.name.as_str(), caught(&task.work))).unwrap();
                }
            });
        }
        drop(send);
        let mut sound = true;
        for (name, saw) in receive {
            let (mark, seen) = match &saw {
                Ok(seen) => ("ok  ", seen),
                Err(seen) => ("FAIL", seen),
            };
            sound &= saw.is_ok();
            println!("{mark} {name} ... {seen}");
        }
        sound
    })
}
