//! The regressions of a release, and what a reader has to know of them.

use nalgebra::DMatrix;

use super::estimate::{Judged, State, Turned, Why};
use super::progress::Released;
use crate::inference::report::RegressionTerms;
use crate::math::jacobi_eigen::product;
use crate::math::special::normal_quantile_central;
use crate::mechanisms::adaptive::bits::real;
use crate::mechanisms::rounds::Task;
use crate::model::note::NAMED;
use crate::model::{Estimate, INTERCEPT, Interval, Note};
use crate::release::document::{Coefficients, Diagnostics, OutcomeDiagnostics};
use crate::release::moments::CodedTerm;

/// Returns the regressions of all labels on all features in the columns' own units.
#[must_use]
pub fn report(task: &Task, released: &Released, coded: &[CodedTerm]) -> (Coefficients, Diagnostics) {
    let setting = &released.setting;
    let p = setting.terms.features();
    let names: Vec<String> = RegressionTerms::new(&task.encoding.bound, &task.encoding.geometry)
        .outcomes
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let quantile = normal_quantile_central(task.checked.confidence / 2.0);
    let map = own_map(&released.guide.map(), coded.get(..p).unwrap_or_default());
    let judged: Vec<(Judged, Turned)> = released
        .judged()
        .into_iter()
        .map(|(b, judged)| (Turned::new(&map, &b, &judged), judged))
        .map(|(turned, judged)| (judged, turned))
        .collect();
    let entries: Vec<Vec<Estimate>> =
        judged.iter().map(|(judged, turned)| entries(judged.state, turned, quantile)).collect();
    let level = f64::from(setting.rounds.codes.level);
    let rows = released.margins.first().copied().map_or(0.0, real) / (level * level);
    let conditions = released.steps.last().into_iter().flatten().map(|label| label.condition);
    let diagnostics = Diagnostics {
        rows: Some(rows),
        rows_std_error: Some(setting.rounds.margins.s() / (level * level)),
        signal_to_noise: conditions.reduce(f64::min),
        ridge: 0.0,
        repair: None,
        notes: notes(released, &names, &judged, rows).into_iter().map(String::from).collect(),
        outcomes: names
            .iter()
            .map(|outcome| OutcomeDiagnostics {
                outcome: outcome.clone(),
                residual_sd: None,
                residual_resolved: false,
                r_squared: None,
            })
            .collect(),
    };
    let terms = coded.iter().take(p).map(|term| term.term.clone());
    let terms = std::iter::once(INTERCEPT.to_owned()).chain(terms).collect();
    (Coefficients::of(names, terms, &entries), diagnostics)
}

/// Returns the map of a record in the columns' own units, the constant 1 first, to (1, w).
#[must_use]
pub fn own_map(map: &DMatrix<f64>, features: &[CodedTerm]) -> DMatrix<f64> {
    let k = features.len() + 1;
    let own = DMatrix::from_fn(k, k, |i, j| match (i, j) {
        (0, 0) => 1.0,
        (0, _) => 0.0,
        (_, 0) => -features[i - 1].centre / features[i - 1].half_width,
        _ if i == j => 1.0 / features[i - 1].half_width,
        _ => 0.0,
    });
    product(map, &own)
}

fn entries(state: State, turned: &Turned, quantile: f64) -> Vec<Estimate> {
    let interval = match state {
        State::Normal => Interval::Normal,
        State::Approximate => Interval::Approximate,
        State::Withheld(_) => return vec![Estimate::WITHHELD; turned.coefficients.len()],
    };
    let one = |(place, estimate): (usize, &f64)| {
        let (variance, noise) = (turned.covariance[(place, place)], turned.noise[(place, place)]);
        let error = variance.sqrt();
        Estimate {
            estimate: Some(*estimate),
            std_error: Some(error),
            lower: Some(estimate - quantile * error),
            upper: Some(estimate + quantile * error),
            noise_share: Some(if variance > 0.0 { noise / variance } else { 0.0 }),
            interval,
        }
    };
    turned.coefficients.iter().enumerate().map(one).collect()
}

fn notes(released: &Released, names: &[String], judged: &[(Judged, Turned)], rows: f64) -> Vec<Note> {
    let setting = &released.setting;
    let mut notes = vec![Note::LogOdds];
    if setting.lambda > 0.0 {
        notes.push(Note::WhitenedPenalty(setting.lambda));
    }
    let of = |wanted: &dyn Fn(State) -> bool| {
        let found = names.iter().zip(judged).filter(|(_, (judged, _))| wanted(judged.state));
        let found: Vec<String> = found.map(|(name, _)| name.clone()).collect();
        let count = found.len();
        (count > 0).then(|| (found.into_iter().take(NAMED).collect(), count))
    };
    notes.extend(of(&|state| state == State::Withheld(Why::Drowned)).map(Note::LabelsDrowned));
    notes.extend(of(&|state| state == State::Withheld(Why::Unsettled)).map(Note::LabelsUnsettled));
    notes.extend(of(&|state| state == State::Approximate).map(Note::LabelsApproximate));
    if judged.iter().any(|(judged, _)| !matches!(judged.state, State::Withheld(_))) {
        let shortened = released.counts.shortened(&setting.terms, released.grid.radius);
        notes.push(Note::FarRows {
            shortened: shortened.map(|beyond| (beyond.rows, beyond.deviation)),
            rows: rows.max(0.0),
        });
        notes.extend([Note::BothErrors, Note::LogisticModel]);
    }
    notes.push(Note::Clipped);
    notes
}
