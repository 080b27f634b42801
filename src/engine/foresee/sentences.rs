//! The forecast in words: the verdict, its consequences for the result, and what would help.

use super::{Foreseen, LEAST_SHARE_NAMED, Needed};
use crate::inference::newton::Link;
use crate::inference::noise_forecast::{Advice, NoiseForecast};
use crate::inference::preview::TermPreview;
use crate::mechanisms::info::are_log_odds;
use crate::model::note::{in_groups, quoted, two_digits, widening};
use crate::plan::Plan;
use crate::privacy::promise::MOST_EPSILON;
use crate::release::figure::{per, unit};
use crate::release::format::{at_most, significant};
use crate::text::grouped;
use crate::words;

/// If the moments of a level are as large as their noise, the level is withheld about half of the time. At this multiple of that
/// share it is hardly ever withheld.
const HARDLY_WITHHELD: f64 = 1.5;

impl Foreseen {
    /// Returns the verdict in one sentence.
    pub fn verdict(&self) -> &'static str {
        match self.forecast.advice {
            _ if self.rehearsals.loses_all
                && self.dependence.is_none()
                && self.forecast.advice != Advice::TooFew =>
            {
                words::forecast::verdict_none()
            }
            _ if self.rests_on_even() => words::forecast::verdict_even(),
            _ if self.rests_on_spread() => words::forecast::verdict_spread(),
            Advice::Recommended | Advice::Approximate if self.rows_of_one_person.is_some() => {
                words::forecast::verdict_of_persons()
            }
            Advice::Recommended if self.loses_rare_levels() => words::forecast::verdict_but_rare(),
            Advice::Recommended => words::forecast::verdict_recommended(),
            Advice::Approximate if self.loses_rare_levels() => {
                words::forecast::verdict_approximate_but_rare()
            }
            Advice::Approximate => words::forecast::verdict_approximate(),
            Advice::Uncertain | Advice::TooFew if self.dependence.is_some() => {
                words::forecast::verdict_dependent()
            }
            Advice::Uncertain if self.loses_some_alone() => words::forecast::verdict_but_some(),
            Advice::Uncertain if self.loses_many() => words::forecast::verdict_many(),
            Advice::Uncertain => words::forecast::verdict_uncertain(),
            Advice::TooFew => words::forecast::verdict_too_few(),
        }
    }

    /// Returns which spread the widths assume of features, and what a column that is mostly one value does to them. It stands beside the
    /// verdict.
    pub fn assumption(&self) -> Option<String> {
        let told = !self.assumed_features.is_empty() && !self.gives_nothing();
        told.then(|| words::forecast::spread_of_features(quoted(&self.assumed_features)))
    }

    /// Returns which coefficients will be withheld, and why.
    fn lost_in_words(&self) -> Option<String> {
        let has_levels = self.rehearsals.lost.iter().any(|term| term.contains('['));
        let in_words = if has_levels { words::forecast::lost_levels } else { words::forecast::lost };
        let lost = || in_words(quoted(&self.rehearsals.lost));
        self.dependence.clone().or_else(|| (!self.rehearsals.lost.is_empty()).then(lost))
    }

    /// Returns how often no coefficient has an interval if one row in ten says yes.
    fn rarely_in_words(&self) -> Option<String> {
        let share = self.rarely_nothing;
        (share > 0.0).then(|| words::forecast::rarely_nothing(in_twentieths(share)))
    }

    /// Returns why a person is asked, and what would help.
    pub(super) fn why_asked(&self) -> String {
        let lost = self.lost_in_words().filter(|_| self.dependence.is_some() || !self.rehearsals.loses_all);
        let ways = self.help();
        let nothing = (self.rehearsals.nothing > 0.0)
            .then(|| words::forecast::perhaps_nothing(in_twentieths(self.rehearsals.nothing)));
        let rarely = self.rarely_in_words();
        let share = self.needs_share().then(|| words::forecast::state_share().to_owned());
        [Some(self.verdict().to_owned()), lost, nothing, rarely, share, ways]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns what would give full intervals.
    pub fn help(&self) -> Option<String> {
        // More rows or budget do not make rows of one person independent, nor features that determine each other.
        let approximate = self.forecast.advice == Advice::Approximate && self.rows_of_one_person.is_some();
        Some(self.needed.filter(|_| !approximate && self.dependence.is_none())?.ways(self.rows))
    }

    /// Returns sentences with numbers: the consequences for the result, and what would help. What matters most for this plan
    /// comes first, general remarks last.
    pub fn sentences(&self) -> Vec<String> {
        let (spreads, rare) = (self.spreads_in_words(), self.rare_answers_in_words());
        let (deciding, others): (Vec<_>, Vec<_>) =
            [(self.rests_on_spread(), spreads), (self.rests_on_even(), rare)]
                .into_iter()
                .partition(|of| of.0);
        let in_order = |groups: Vec<(bool, Vec<String>)>| groups.into_iter().flat_map(|(_, told)| told);
        let mut sentences = self.losses_in_words();
        sentences.extend(self.help());
        sentences.extend(in_order(deciding));
        sentences.extend(self.widths_in_words());
        sentences.extend(self.levels_in_words());
        sentences.extend(in_order(others));
        sentences.extend(self.errors_in_words());
        if !self.far_zeros.is_empty() {
            sentences.push(words::forecast::far_zeros(quoted(&self.far_zeros)));
        }
        sentences.push(words::forecast::long_tails().to_owned());
        sentences
    }

    /// Returns which coefficients will or may have no interval, and why.
    fn losses_in_words(&self) -> Vec<String> {
        if self.forecast.advice == Advice::TooFew {
            return self.dependence.clone().into_iter().collect();
        }
        let at_risk = || words::forecast::at_risk(quoted(&self.rehearsals.at_risk));
        let far = || words::forecast::far_from_zero(quoted(&self.rehearsals.far_from_zero));
        let nothing = || words::forecast::perhaps_nothing(in_twentieths(self.rehearsals.nothing));
        let all = [
            self.lost_in_words().filter(|_| self.dependence.is_some() || !self.rehearsals.loses_all),
            (!self.rehearsals.at_risk.is_empty()).then(at_risk),
            (!self.rehearsals.far_from_zero.is_empty()).then(far),
            (self.rehearsals.nothing > 0.0).then(nothing),
        ];
        all.into_iter().flatten().collect()
    }

    /// Returns how wide intervals are, and whether they have their stated coverage.
    fn widths_in_words(&self) -> Vec<String> {
        let advice = self.forecast.advice;
        if self.gives_nothing() {
            return Vec::new();
        }
        let times = self.widening().0;
        let usual = || match &self.of_outcome {
            Some(assumed) => assumed.sentences(times).join(" "),
            None => words::forecast::widening(widening(times)),
        };
        let widest = self.rehearsals.widest.as_ref();
        let widest =
            widest.map(|(names, most)| words::forecast::widest(names.len(), quoted(names), widening(*most)));
        let is_said = advice == Advice::Approximate || self.rows_of_one_person.is_some();
        let approximate =
            (self.rehearsals.is_approximate && !is_said).then(words::forecast::mostly_approximate);
        let all = [Some(usual()), widest, self.rows_of_one_person.clone(), approximate.map(str::to_owned)];
        all.into_iter().flatten().collect()
    }

    /// Returns what happens to rare levels.
    fn levels_in_words(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        if self.gives_nothing() {
            return sentences;
        }
        if self.loses_rare_levels() {
            sentences.push(words::forecast::least_level(in_percent(hardly_withheld(&self.forecast))));
            sentences.push(words::forecast::state_shares().to_owned());
        }
        if !self.rare_references.is_empty() {
            sentences.push(words::forecast::rare_reference(self.rare_references.join(", ")));
        }
        sentences
    }

    /// Returns which spread is assumed of numbers for which the plan states none.
    fn spreads_in_words(&self) -> Vec<String> {
        if self.assumed.is_empty() || self.gives_nothing() {
            return Vec::new();
        }
        let least = self.least_spread.map(in_percent).map(words::forecast::least_spread);
        [words::forecast::assumed_spreads(quoted(&self.assumed))].into_iter().chain(least).collect()
    }

    /// Returns what follows if few rows say yes, where half of them are assumed to.
    fn rare_answers_in_words(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let Some(rarely) = self.rarely else { return sentences };
        if rarely.advice != Advice::TooFew {
            sentences.push(words::forecast::rare_odds(widening(rarely.widening())));
            if self.has_levels && rarely.least_share >= LEAST_SHARE_NAMED {
                sentences.push(words::forecast::rare_level(in_percent(hardly_withheld(&rarely))));
            }
        }
        sentences.extend(self.rarely_in_words());
        sentences.push(words::forecast::even_odds().to_owned());
        sentences
    }

    /// Returns what a skewed outcome does to a linear regression, and what the standard errors assume of the residuals.
    fn errors_in_words(&self) -> Option<String> {
        let NoiseForecast { robust, link, advice, .. } = self.forecast;
        let is_linear = link == Link::Identity && advice != Advice::TooFew;
        let skewed = is_linear.then(|| {
            if self.of_logarithms { words::forecast::skewed_logarithm() } else { words::forecast::skewed() }
        });
        let errors = match (robust, self.takes_rows_together) {
            (true, true) => Some(words::forecast::robust_of_persons()),
            (true, false) => Some(words::forecast::robust()),
            (false, _) => is_linear.then(words::forecast::unequal_spread),
        };
        let not_skewed = is_linear.then(words::forecast::robust_not_skewed);
        let told: Vec<&str> = [skewed, errors, not_skewed].into_iter().flatten().collect();
        (!told.is_empty()).then(|| told.join(" "))
    }
}

/// Returns the smallest share of a level at which it is hardly ever withheld.
fn hardly_withheld(forecast: &NoiseForecast) -> f64 {
    HARDLY_WITHHELD * forecast.least_share
}

fn in_percent(share: f64) -> String {
    two_digits(100.0 * share.min(1.0))
}

/// Returns a share of the rehearsals as a percentage, rounded to 5 % and at least 5 %: the rehearsals are few.
fn in_twentieths(share: f64) -> String {
    in_percent((20.0 * share).round().max(1.0) / 20.0)
}

impl Needed {
    /// Returns what would give intervals, as a sentence about rows, budget and columns.
    pub fn ways(&self, rows: u64) -> String {
        let rows = self.rows.map(|needed| words::forecast::way_rows(in_groups(needed), grouped(rows as f64)));
        let is_beyond = self.epsilon.is_some_and(|(_, epsilon)| epsilon > MOST_EPSILON);
        let budget = match (self.epsilon, self.mu) {
            _ if is_beyond => None,
            (Some((now, epsilon)), _) => {
                Some(words::forecast::way_epsilon(two_digits(epsilon), at_most(now)))
            }
            (None, Some(mu)) => Some(words::forecast::way_mu(two_digits(mu))),
            (None, None) => None,
        };
        let columns = match self.features {
            0 => None,
            columns => Some(words::forecast::way_columns(columns, columns)),
        };
        let ways: Vec<String> = [rows, budget, columns].into_iter().flatten().collect();
        match ways.as_slice() {
            [] if is_beyond => words::forecast::beyond_budgets().to_owned(),
            [] => words::forecast::no_way().to_owned(),
            ways => words::forecast::full_intervals(ways.join(", or ")),
        }
    }
}

/// Returns the smallest and largest half width of an outcome's 95 % intervals, each in its own unit. `None` for several outcomes,
/// because their units differ.
pub fn half_widths(plan: &Plan, terms: &[TermPreview]) -> Option<String> {
    let told = || terms.iter().filter(|term| term.is_told());
    let by_half = |a: &&TermPreview, b: &&TermPreview| a.half().total_cmp(&b.half());
    let (least, most) = (told().min_by(by_half)?, told().max_by(by_half)?);
    if told().any(|term| term.outcome != least.outcome) {
        return None;
    }
    let unit =
        if are_log_odds(plan) { words::method::log_odds().to_owned() } else { unit(plan, &least.outcome) };
    let after =
        |mark: &str, part: &str| if part.is_empty() { String::new() } else { format!("{mark}{part}") };
    let of = |own: &TermPreview| {
        let term = &own.term;
        let (unit, per) = (after(" ", &unit), after(", ", &per(plan, term)));
        format!("± {}{unit} (`{term}`{per})", significant(own.half(), 2))
    };
    Some(if least == most {
        words::forecast::half_width(of(least))
    } else {
        words::forecast::half_widths(of(least), of(most))
    })
}
