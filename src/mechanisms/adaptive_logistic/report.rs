//! The regressions of a release, and what a reader has to know of them.

use std::collections::BTreeSet;

use nalgebra::DMatrix;
use serde_json::Value;

use super::document;
use super::estimate::{CLEAR, Judged, State, Turned, Why};
use super::progress::Released;
use crate::inference::assumptions::LOGISTIC_SPREAD;
use crate::inference::category::has_errors;
use crate::inference::report::RegressionTerms;
use crate::math::jacobi_eigen::product;
use crate::math::round::real;
use crate::math::special::normal_quantile_central;
use crate::mechanisms::adaptive::holding::effect_size;
use crate::mechanisms::adaptive::map::own_map;
use crate::mechanisms::rounds::Task;
use crate::model::note::{far_rows, quoted, two_digits};
use crate::model::{Estimate, INTERCEPT, Interval};
use crate::release::Release;
use crate::release::document::{Coefficients, Diagnostics, OutcomeDiagnostics};
use crate::release::moments::CodedTerm;
use crate::words;

/// The most attempts to hold one more term before everything is withheld. Each attempt takes as long as holding all terms.
const MOST_TRIES: usize = 4;

/// The smallest factor by which κ rises if one more term is held.
const MORE: f64 = 1.0 + 1e-9;

/// Returns the regressions of all labels on all features in the columns' own units.
pub fn report(task: &Task, released: &Released) -> (Coefficients, Diagnostics) {
    let setting = &released.setting;
    let coded = &setting.coded;
    let p = setting.terms.features();
    let names: Vec<String> = RegressionTerms::new(&task.encoding.bound, &task.encoding.geometry)
        .outcomes
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    let quantile = normal_quantile_central(task.checked.confidence / 2.0);
    let map = own_map(&released.guide.map(), released.features());
    let labels: Vec<Label> = released
        .judged()
        .into_iter()
        .enumerate()
        .map(|(label, (b, judged))| {
            let whole = || Label::whole(released, label, &map, &b, &judged);
            let held = |least| Label::holding(released, label, &map, least);
            // The coefficient of a rare level may still change much in the last step while the others have converged.
            let at_rest = || {
                let tries = std::iter::successors(held(CLEAR), |label| held(label.condition * MORE));
                tries.take(MOST_TRIES).find(Label::is_shown)
            };
            match judged.state {
                State::Withheld(_) if setting.lambda > 0.0 => whole(),
                State::Withheld(Why::Drowned) => held(1.0).unwrap_or_else(whole),
                State::Withheld(Why::Unsettled) => at_rest().unwrap_or_else(whole),
                State::Normal | State::Approximate => whole(),
            }
        })
        .collect();
    let entries: Vec<Vec<Estimate>> = labels.iter().map(|label| label.entries(quantile)).collect();
    let level = f64::from(setting.rounds.codes.level);
    let rows = released.margins.first().copied().map_or(0.0, real) / (level * level);
    let deviation = setting.rounds.margins.s() / (level * level);
    let conditions = labels.iter().map(|label| label.condition);
    let diagnostics = Diagnostics {
        rows: Some(rows),
        rows_std_error: Some(deviation),
        signal_to_noise: conditions.reduce(f64::min),
        ridge: 0.0,
        repair: None,
        notes: notes(
            released,
            &names,
            &labels,
            coded,
            Some((rows, deviation)).filter(|_| rows > 2.0 * deviation),
        ),
        outcomes: names.iter().map(|outcome| OutcomeDiagnostics::unknown(outcome)).collect(),
    };
    let terms = coded.iter().take(p).map(|term| term.term.clone());
    let terms = std::iter::once(INTERCEPT.to_owned()).chain(terms).collect();
    (Coefficients::of(names, terms, &entries), diagnostics)
}

/// Returns the covariance of each label's coefficients of a release, in their order; nothing where a term is held, because the others'
/// errors then depend on each other through its price.
pub fn covariances(release: &Release) -> Vec<Option<DMatrix<f64>>> {
    let lambda = release.plan.mechanism.params.get("lambda").and_then(Value::as_f64).unwrap_or(0.0);
    let last = release.steps.as_ref().and_then(|steps| document::last_step(steps, lambda));
    let (Some(last), Coefficients::List(list)) = (last, &release.coefficients) else { return Vec::new() };
    let labels = list.chunk_by(|a, b| a.outcome == b.outcome).zip(last);
    labels
        .map(|(entries, Turned { covariance, .. })| has_errors(&covariance, entries).then_some(covariance))
        .collect()
}

/// One label's coefficients in the columns' own units, and how far each can be trusted.
struct Label {
    state: State,
    turned: Turned,
    /// κ, of the terms that are not held.
    condition: f64,
    /// Coefficients that are held, the intercept's place being 0.
    held: Vec<usize>,
    /// The variance of each coefficient that held effects may add.
    prices: Vec<f64>,
}

impl Label {
    /// Returns a label of which all terms are determined, or none.
    fn whole(released: &Released, label: usize, map: &DMatrix<f64>, b: &[f64], judged: &Judged) -> Self {
        let last = released.steps.last().and_then(|step| step.get(label));
        let turned = Turned::new(map, b, judged);
        Self {
            state: judged.state,
            turned: match last {
                Some(last) => turned.leaving(map, last, released.features(), &released.guide.mean),
                None => turned,
            },
            condition: last.map_or(0.0, |last| last.condition),
            held: Vec::new(),
            prices: vec![0.0; b.len()],
        }
    }

    /// Returns a label whose undetermined terms, by the curvature, are held. `None` if none would be left
    /// (theory/adaptive-logistic 4.4).
    fn holding(released: &Released, label: usize, map: &DMatrix<f64>, least: f64) -> Option<Self> {
        let last = released.steps.last()?.get(label)?;
        let coded = released.guide.map();
        let (stepped, holding) = last.holding(released.before(label)?, &coded, least).ok()??;
        let moved = product(&map.transpose(), &holding.solved?.pull);
        let terms = &released.setting.terms;
        let sizes =
            holding.held.iter().map(|term| LOGISTIC_SPREAD * effect_size(terms, &released.guide, *term));
        let sizes: Vec<f64> = sizes.collect();
        let price = |row: usize| {
            sizes.iter().enumerate().fold(0.0, |sum, (column, size)| {
                let off = moved[(row, column)] * size;
                sum + off * off
            })
        };
        let judged = stepped.judge(0.0);
        Some(Self {
            state: judged.state,
            turned: Turned::new(map, &stepped.b, &judged).leaving(
                map,
                &stepped,
                released.features(),
                &released.guide.mean,
            ),
            condition: stepped.condition,
            prices: (0..stepped.b.len()).map(price).collect(),
            held: holding.held,
        })
    }

    fn is_shown(&self) -> bool {
        !matches!(self.state, State::Withheld(_))
    }

    /// Returns whether what is held could change a coefficient by more than its own error.
    fn is_moved(&self, place: usize) -> bool {
        self.prices[place] > self.turned.covariance[(place, place)]
    }

    /// Returns the state of a coefficient.
    fn interval(&self, place: usize) -> Interval {
        let (own, price) = (self.turned.covariance[(place, place)], self.prices[place]);
        let left_over = self.turned.left_over[place];
        match self.state {
            State::Withheld(_) => Interval::Withheld,
            _ if self.held.contains(&place) || self.is_moved(place) || left_over > own / 2.0 => {
                Interval::Withheld
            }
            State::Normal if price <= own / 16.0 && left_over <= own / 5.0 => Interval::Normal,
            State::Normal | State::Approximate => Interval::Approximate,
        }
    }

    fn entries(&self, quantile: f64) -> Vec<Estimate> {
        let one = |(place, estimate): (usize, &f64)| {
            let interval = self.interval(place);
            if interval == Interval::Withheld {
                return Estimate::WITHHELD;
            }
            let own = self.turned.covariance[(place, place)];
            let (variance, noise) = (own + self.prices[place], self.turned.noise[(place, place)]);
            let error = variance.sqrt();
            Estimate {
                noise_share: Some(if variance > 0.0 { noise / variance } else { 0.0 }),
                interval,
                ..Estimate::around(*estimate, error, quantile * error)
            }
        };
        self.turned.coefficients.iter().enumerate().map(one).collect()
    }
}

fn notes(
    released: &Released,
    names: &[String],
    labels: &[Label],
    coded: &[CodedTerm],
    rows: Option<(f64, f64)>,
) -> Vec<String> {
    let setting = &released.setting;
    let mut notes = vec![words::note::log_odds().to_owned()];
    if setting.lambda > 0.0 {
        notes.push(words::note::whitened_penalty(setting.lambda, two_digits(1.0 / setting.lambda)));
    }
    let of = |wanted: &dyn Fn(State) -> bool| {
        let found = names.iter().zip(labels).filter(|(_, label)| wanted(label.state));
        listed(&found.map(|(name, _)| name.clone()).collect::<Vec<_>>())
    };
    notes.extend(of(&|state| state == State::Withheld(Why::Drowned)).map(words::note::labels_drowned));
    notes.extend(of(&|state| state == State::Withheld(Why::Unsettled)).map(words::note::labels_unsettled));
    notes.extend(of(&|state| state == State::Approximate).map(words::note::labels_approximate));
    let shown = || labels.iter().filter(|label| label.is_shown());
    let held: BTreeSet<usize> = shown().flat_map(|label| label.held.iter().copied()).collect();
    let held = held.into_iter().filter_map(|place| coded.get(place.checked_sub(1)?));
    notes.extend(
        listed(&held.map(|term| term.term.clone()).collect::<Vec<_>>())
            .map(|held| words::note::held_odds(held, format_args!("{LOGISTIC_SPREAD:.1}"))),
    );
    let terms_of = |is_one: &dyn Fn(&Label, usize) -> bool| {
        let places = 0..=setting.terms.features();
        let found = places.filter(|place| shown().any(|label| is_one(label, *place)));
        let name = |place: usize| place.checked_sub(1).and_then(|place| coded.get(place));
        let names = found.map(|place| name(place).map_or(INTERCEPT, |term| &term.term).to_owned());
        listed(&names.collect::<Vec<_>>())
    };
    let is_without = |label: &Label, place: usize| {
        label.interval(place) == Interval::Withheld && !label.held.contains(&place)
    };
    let moved = |label: &Label, place: usize| is_without(label, place) && label.is_moved(place);
    let left_over = |label: &Label, place: usize| is_without(label, place) && !label.is_moved(place);
    let rough = |label: &Label, place: usize| {
        label.state == State::Normal && label.interval(place) == Interval::Approximate
    };
    notes.extend(terms_of(&moved).map(words::note::moved_by_held));
    notes.extend(terms_of(&left_over).map(words::note::left_over));
    notes.extend(terms_of(&rough).map(words::note::somewhat_left_over));
    if shown().next().is_some() {
        notes.push(far_rows(released.counts.shortened_said(&setting.terms, released.grid.radius), rows));
        notes.extend([words::note::both_errors(), words::note::logistic_model()].map(String::from));
    }
    notes.push(words::note::clipped().into());
    notes
}

/// Returns the first names and their number. `None` if there are none.
fn listed(names: &[String]) -> Option<String> {
    (!names.is_empty()).then(|| quoted(names))
}
