//! Synthetic records for forecasts, drawn as the plan describes its columns, and by the usual assumptions where it states nothing
//! (theory/inference 5.1).
//!
//! The columns that the plan reads are drawn from a fixed seed, and its terms are computed from them as from a record. No table
//! is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::assumptions::{Assumption, LOGISTIC_SPREAD, are_codes, chance, effect};
use super::newton::Link;
use super::pseudo::Pseudo;
use crate::math::round::real;
use crate::math::special::normal_quantile;
use crate::model::{Role, Typical};
use crate::plan::bound::{BoundColumn, BoundPlan, Kind, Source};
use crate::plan::expression::{Expression, Leaf, LevelCodes};

pub(super) const SEED: u64 = 0x6469_7363;

/// A column of the table from which columns of the plan are computed.
pub(super) struct Parent {
    /// Its field.
    pub(super) field: usize,
    pub(super) kind: Drawn,
}

/// How a column is drawn.
pub(super) enum Drawn {
    Number(Number),
    /// A category: the shares of its levels, in the order of their texts.
    Level(Vec<f64>),
}

/// If the logarithm of a number is taken and nothing is stated of it, it is drawn as log-normal if its upper bound is more than
/// this many times its lower bound.
const WIDE: f64 = 10.0;

/// A number that is 1 in a share m of the rows and 0 in the others has the variance m(1 − m). A number between 0 and 1 is drawn
/// in this way if its variance is more than this share of m(1 − m).
const TWO_VALUES: f64 = 0.9;

/// A number between bounds. It is drawn as 0 or 1 if its standard deviation is that large, as log-normal if a term is its
/// logarithm and it is not known to be normal, and as normal otherwise.
#[derive(Clone, Copy)]
pub(super) struct Number {
    pub(super) lower: f64,
    pub(super) upper: f64,
    /// Of the number, or of the logarithm of the number and an offset.
    mean: f64,
    sd: f64,
    offset: Option<f64>,
    /// If it is one of two codes: above this standard normal quantile it is the upper one.
    upper_from: Option<f64>,
}

impl Number {
    fn new(
        (lower, upper): (f64, f64),
        typical: Option<Typical>,
        offset: Option<f64>,
        assumed: Assumption,
    ) -> Self {
        // For a logarithm a stated standard deviation is used only together with a stated mean.
        let typical = typical.filter(|typical| offset.is_none() || typical.mean.is_some());
        let middle = typical.and_then(|typical| typical.mean).unwrap_or(lower / 2.0 + upper / 2.0);
        let known = typical.zip(offset).and_then(|(typical, offset)| typical.log_normal(offset));
        let offset = offset.filter(|offset| match typical {
            Some(_) => known.is_some(),
            None => upper + offset > WIDE * (lower + offset),
        });
        let map = |value: f64| offset.map_or(value, |offset| libm::log(value + offset));
        let (low, high) = (map(lower), map(upper));
        let (mut mean, mut sd) =
            (low / 2.0 + high / 2.0, assumed.spread(lower, upper) * (high / 2.0 - low / 2.0));
        if let Some(typical) = typical {
            (mean, sd) = known.unwrap_or((middle, typical.sd));
        }
        let share = mean - lower;
        let is_two_values =
            are_codes(lower, upper) && offset.is_none() && sd * sd > TWO_VALUES * share * (1.0 - share);
        let upper_from = is_two_values.then(|| normal_quantile(1.0 - share));
        Self { lower, upper, mean, sd, offset, upper_from }
    }

    /// Returns the value that is so many standard deviations above the mean.
    pub(super) fn at(&self, z: f64) -> f64 {
        if let Some(from) = self.upper_from {
            return if z > from { self.upper } else { self.lower };
        }
        let value = self.mean + self.sd * z;
        let value = self.offset.map_or(value, |offset| libm::exp(value) - offset);
        value.clamp(self.lower, self.upper)
    }
}

/// The values of the columns of a plan in records, feature by feature and then outcome by outcome.
pub struct Synthetic {
    /// What a column explains of an outcome: standard deviations of the outcome for one of its own.
    pub effect: f64,
    columns: Vec<Vec<f64>>,
}

impl Synthetic {
    /// Draws `records` records. Numbers of which the plan states nothing are drawn as `assumed`. The features explain at most
    /// half of an outcome. `None` if public moments state the correlations of the features.
    pub fn new(bound: &BoundPlan, link: Link, records: usize, assumed: Assumption) -> Option<Self> {
        if bound.whitening.is_some() {
            return None;
        }
        let all = drawn_columns(bound);
        let features: Vec<&BoundColumn> = all.iter().filter(|column| column.role == Role::Feature).collect();
        let parents_of_features = parents(features.iter().copied(), assumed);
        let mut rng = Pseudo::new(SEED, &[2]);
        let correlation = assumed.stated(bound).correlation;
        let (mut drawn, mut explained) = draw_features(&parents_of_features, correlation, records, &mut rng);
        let predictors = real(parents_of_features.len());
        let effect = effect(predictors);
        let spread = effect * predictors.sqrt();
        let length = (explained.iter().map(|sum| sum * sum).sum::<f64>() / real(records)).sqrt();
        if length > 0.0 {
            explained.iter_mut().for_each(|sum| *sum *= spread / length);
        }
        let groups = rarest_levels(&parents_of_features, &drawn, records);
        let outcomes = all.iter().filter(|column| column.role == Role::Outcome);
        for outcome in outcomes {
            for mut parent in parents(std::iter::once(outcome), assumed) {
                if drawn.iter().any(|(field, _)| *field == parent.field) {
                    continue;
                }
                if link == Link::Logit && matches!(parent.kind, Drawn::Number(_)) {
                    let chance = chance(outcome);
                    parent.kind = Drawn::Level(vec![1.0 - chance, chance]);
                }
                let left = (1.0 - spread * spread).max(0.0).sqrt();
                let latent: Vec<f64> = match link {
                    Link::Identity => explained.iter().map(|sum| sum + left * rng.normal()).collect(),
                    Link::Logit => {
                        let noise = logistic(&groups, &mut rng);
                        explained
                            .iter()
                            .zip(noise)
                            .map(|(sum, noise)| LOGISTIC_SPREAD * sum + noise)
                            .collect()
                    }
                };
                drawn.push((parent.field, parent.values(&latent)));
            }
        }
        let columns = all.iter().map(|column| computed(column, &drawn, records));
        Some(Self { effect, columns: columns.collect::<Option<_>>()? })
    }

    /// Returns what a column has in each record; of one of its levels 0 or 1.
    pub fn values(&self, column: usize, level: Option<usize>) -> Option<Vec<f64>> {
        let own = self.columns.get(column)?;
        Some(match level {
            None => own.clone(),
            Some(level) => own.iter().map(|value| indicator(*value, level)).collect(),
        })
    }
}

/// Fields of the table, each with its value in each record.
type Fields = Vec<(usize, Vec<f64>)>;

/// Draws the fields of the features. Numbers have this correlation with each other. Also returns the sum of each record's standard
/// normal numbers behind them.
fn draw_features(
    parents: &[Parent],
    correlation: f64,
    records: usize,
    rng: &mut Pseudo,
) -> (Fields, Vec<f64>) {
    let (mut drawn, mut sums) = (Vec::new(), vec![0.0; records]);
    let common: Vec<f64> = (0..records).map(|_| rng.normal()).collect();
    for parent in parents {
        let shared = if matches!(parent.kind, Drawn::Number(_)) { correlation } else { 0.0 };
        let (own, shared) = ((1.0 - shared).sqrt(), shared.sqrt());
        let latent: Vec<f64> = common.iter().map(|common| own * rng.normal() + shared * common).collect();
        sums.iter_mut().zip(&latent).for_each(|(sum, z)| *sum += z);
        drawn.push((parent.field, parent.values(&latent)));
    }
    (drawn, sums)
}

/// Returns a column's value, or the number of its level, in each record.
fn computed(column: &BoundColumn, drawn: &Fields, records: usize) -> Option<Vec<f64>> {
    let codes = level_codes(column);
    let one = |record: usize| {
        let of = |field: usize| drawn.iter().find(|(own, _)| *own == field)?.1.get(record).copied();
        value(column, codes.as_ref(), &of)
    };
    (0..records).map(one).collect()
}

/// Returns 1 where a value is the number of a level, else 0.
pub(super) fn indicator(value: f64, level: usize) -> f64 {
    f64::from(u8::from((value - real(level)).abs() < 0.5))
}

/// Returns the mean of values and their variance.
pub fn moments(values: &[f64]) -> (f64, f64) {
    let size = real(values.len()).max(1.0);
    let mean = values.iter().sum::<f64>() / size;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / size)
}

/// A number of records, the place of a column, and the level that they have in common.
type Group = (usize, usize, u64);

/// Returns the group of each record: how many have the level that fewest others have, of all that it has, with its column and the level.
fn rarest_levels(parents: &[Parent], drawn: &[(usize, Vec<f64>)], records: usize) -> Vec<Group> {
    let mut rarest = vec![(records + 1, 0, 0); records];
    let levels = parents.iter().zip(drawn).filter(|(parent, _)| matches!(parent.kind, Drawn::Level(_)));
    for (place, (_, (_, values))) in levels.enumerate() {
        let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
        values.iter().for_each(|value| *counts.entry(value.to_bits()).or_default() += 1);
        for (own, value) in rarest.iter_mut().zip(values) {
            let level = value.to_bits();
            *own = (*own).min((counts[&level], place, level));
        }
    }
    rarest
}

/// Draws from the standard logistic distribution for each record, evenly over its quantiles within each group. So the share of
/// yes among the few records equals the share among the many rows that they stand for.
fn logistic(groups: &[Group], rng: &mut Pseudo) -> Vec<f64> {
    let shuffled: Vec<f64> = groups.iter().map(|_| rng.normal()).collect();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    order.sort_by(|a, b| groups[*a].cmp(&groups[*b]).then(shuffled[*a].total_cmp(&shuffled[*b])));
    let mut drawn = vec![0.0; groups.len()];
    for group in order.chunk_by(|a, b| groups[*a] == groups[*b]) {
        for (rank, record) in group.iter().enumerate() {
            let share = (real(rank) + 0.5) / real(group.len());
            drawn[*record] = libm::log(share / (1.0 - share));
        }
    }
    drawn
}

impl Parent {
    /// Returns values whose order is that of `latent`: of standard normal numbers, if they are numbers.
    fn values(&self, latent: &[f64]) -> Vec<f64> {
        match &self.kind {
            Drawn::Number(number) => latent.iter().map(|z| number.at(*z)).collect(),
            Drawn::Level(shares) => {
                let mut order: Vec<usize> = (0..latent.len()).collect();
                order.sort_by(|a, b| latent[*a].total_cmp(&latent[*b]));
                let mut values = vec![0.0; latent.len()];
                for (rank, record) in order.into_iter().enumerate() {
                    values[record] = level_at(shares, (real(rank) + 0.5) / real(latent.len()));
                }
                values
            }
        }
    }
}

/// Returns the place of the level at a point between 0 and 1 of the line that the shares divide.
pub(super) fn level_at(shares: &[f64], point: f64) -> f64 {
    let mut end = 0.0;
    let is_before = |share: &&f64| {
        end += **share;
        end <= point
    };
    real(shares.iter().take_while(is_before).count().min(shares.len().saturating_sub(1)))
}

/// Returns the columns of a plan as they are drawn: a difference that has bounds of its own is a number of its own.
pub(super) fn drawn_columns(bound: &BoundPlan) -> Vec<BoundColumn> {
    let drawn = |column: &BoundColumn| match &column.source {
        Source::Computed(expression) => {
            let source = Source::Computed(Arc::new(expression.with_differences_drawn()));
            BoundColumn { source, ..column.clone() }
        }
        Source::Field(_) | Source::Merged(_) => column.clone(),
    };
    bound.columns.iter().map(drawn).collect()
}

/// Returns the columns of the table from which these are computed, each once.
pub(super) fn parents<'a>(
    columns: impl Iterator<Item = &'a BoundColumn> + Clone,
    assumed: Assumption,
) -> Vec<Parent> {
    let mut parents: Vec<Parent> = Vec::new();
    let mut add = |field: usize, kind: Drawn| {
        if parents.iter().all(|parent| parent.field != field) {
            parents.push(Parent { field, kind });
        }
    };
    let all = columns.clone();
    let number = |field: usize, lower: f64, upper: f64, typical: Option<Typical>| {
        let mut computed = all.clone().filter_map(|column| match &column.source {
            Source::Computed(expression) => logged(expression, field),
            Source::Field(_) | Source::Merged(_) => None,
        });
        let offset = computed.next().filter(|offset| lower + offset > 0.0);
        Drawn::Number(Number::new((lower, upper), typical, offset, assumed))
    };
    let even = |codes: &LevelCodes| Drawn::Level(vec![1.0 / real(codes.codes.len()); codes.codes.len()]);
    for column in columns {
        match (&column.source, &column.kind) {
            (Source::Field(field), Kind::Number { lower, upper }) => {
                add(*field, number(*field, *lower, *upper, column.typical));
            }
            (Source::Field(field), Kind::Category { levels, .. }) => {
                let mut by_text: Vec<(&String, f64)> =
                    levels.iter().enumerate().map(|(level, text)| (text, column.share(level))).collect();
                by_text.sort_by_key(|(text, _)| *text);
                add(*field, Drawn::Level(by_text.into_iter().map(|(_, share)| share).collect()));
            }
            // What is known of merged levels is divided evenly among those that are one.
            (Source::Merged(codes), _) => {
                let alike = |number: usize| codes.codes.iter().filter(|(_, own)| *own == number).count();
                let share = |(_, number): &(String, usize)| column.share(*number) / real(alike(*number));
                let shares = column.shares.as_ref().map(|_| codes.codes.iter().map(share).collect());
                add(codes.column, shares.map_or_else(|| even(codes), Drawn::Level));
            }
            (Source::Computed(expression), _) => {
                for leaf in expression.leaves() {
                    let field = leaf.column();
                    add(
                        field,
                        match leaf {
                            Leaf::Number { lower, upper, typical, .. } => {
                                number(field, *lower, *upper, *typical)
                            }
                            Leaf::Level { codes, .. } => even(codes),
                        },
                    );
                }
            }
        }
    }
    parents
}

/// Returns what is added to a field before its logarithm is taken. `None` if it is not.
fn logged(expression: &Expression, field: usize) -> Option<f64> {
    match expression {
        Expression::Leaf(_) => None,
        Expression::Log { of, offset } => match &**of {
            Expression::Leaf(Leaf::Number { column, .. }) if *column == field => Some(*offset),
            of => logged(of, field),
        },
        Expression::Square(of) | Expression::Centred { of, .. } | Expression::Spline { of, .. } => {
            logged(of, field)
        }
        Expression::Product(factors) => factors.iter().find_map(|factor| logged(factor, field)),
        Expression::Difference { of, .. } => of.iter().find_map(|of| logged(of, field)),
    }
}

/// Returns the numbers of a category's levels in the order of their texts, as the column has them.
pub(super) fn level_codes(column: &BoundColumn) -> Option<LevelCodes> {
    match (&column.source, &column.kind) {
        (Source::Merged(codes), _) => Some((**codes).clone()),
        (Source::Field(field), Kind::Category { levels, .. }) => Some(LevelCodes::of(*field, levels, None)),
        _ => None,
    }
}

/// Returns a column's value, or the number of its level, in a record of which `of` gives a field's: a number, or the place of a level in
/// the order of the texts.
pub(super) fn value(
    column: &BoundColumn,
    codes: Option<&LevelCodes>,
    of: &dyn Fn(usize) -> Option<f64>,
) -> Option<f64> {
    let level = |codes: &LevelCodes, place: f64| {
        let of_place = |(at, _): &(usize, &(String, usize))| (real(*at) - place).abs() < 0.5;
        codes.codes.iter().enumerate().find(of_place).map(|(_, (_, number))| *number)
    };
    match (&column.source, codes) {
        (Source::Computed(expression), _) => expression.value(&|leaf| match leaf {
            Leaf::Number { column, .. } => of(*column),
            Leaf::Level { codes, level: own, .. } => {
                Some(f64::from(u8::from(level(codes, of(codes.column)?)? == *own)))
            }
        }),
        (_, Some(codes)) => Some(real(level(codes, of(codes.column)?)?)),
        (Source::Field(field), None) => of(*field),
        (Source::Merged(_), None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Number, Typical};
    use crate::inference::assumptions::USUAL;

    #[test]
    fn beside_a_logarithm_a_spread_needs_a_mean() {
        let values = |typical, offset| {
            let number = Number::new((1.0, 1_000.0), typical, offset, USUAL);
            [-1.0, 0.0, 1.0].map(|z| number.at(z).to_bits())
        };
        let spread = Some(Typical { mean: None, sd: 20.0 });
        assert_eq!(values(spread, Some(0.0)), values(None, Some(0.0)));
        assert_ne!(values(spread, None), values(None, None));
        let known = Some(Typical { mean: Some(30.0), sd: 20.0 });
        assert_ne!(values(known, Some(0.0)), values(None, Some(0.0)));
    }

    #[test]
    fn bounds_one_apart_are_those_of_two_codes() {
        let values = |lower, upper, typical| {
            let number = Number::new((lower, upper), typical, None, USUAL);
            [-1.5, -0.5, 0.5, 1.5].map(|z| number.at(z))
        };
        let bits = |values: [f64; 4]| values.map(f64::to_bits);
        assert_eq!(bits(values(0.0, 1.0, None)), bits([0.0, 0.0, 1.0, 1.0]));
        assert_eq!(bits(values(1.0, 2.0, None)), bits([1.0, 1.0, 2.0, 2.0]));
        // A share between 0 and 1 is not a code, and bounds that are not whole are not codes.
        let share = Some(Typical { mean: Some(0.4), sd: 0.1 });
        for [inner, _, outer, _] in [values(0.0, 1.0, share), values(0.5, 1.5, None), values(1.0, 3.0, None)]
        {
            assert!(inner.fract() != 0.0 && outer.fract() != 0.0, "{inner} {outer}");
        }
    }
}
