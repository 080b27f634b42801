//! Means, standard deviations and correlations of the columns from released sums of products, with the noise on each (theory/inference 6.4).

use super::cell_noise::CellNoise;
use super::moments::{NoisyMoments, PlanColumns};
use super::refit::public_rows;
use crate::math::round::real;
use crate::model::INTERCEPT;
use crate::plan::Plan;
use crate::plan::document::{Column, ColumnType};
use crate::release::Release;
use crate::release::supplement::{Correlations, DescribedTerm, Description, Noisy, RESOLVED};

/// Columns of a table of correlations at most.
const MOST: usize = 40;

/// Terms of a release that is described at all.
pub const MOST_DESCRIBED: usize = 2_000;

/// How often the number of rows has to be above the standard deviation of its noise.
const COUNTED: f64 = 3.0;

/// Sums of products of coordinates, the constant first; a cell is a sum with the variance of its noise, where it was released.
pub struct Sums<'a> {
    /// The names of the coordinates without the constant, in the order of the cells.
    pub terms: Vec<SumTerm>,
    /// The value of the constant.
    pub constant: f64,
    /// The number of rows, where it is public.
    pub rows: Option<f64>,
    /// The cell of two coordinates.
    pub cell: Box<dyn Fn(usize, usize) -> Option<Noisy> + 'a>,
}

/// One coordinate: its value is `centre + scale * coordinate`.
pub struct SumTerm {
    /// A column, or `column[level]`.
    pub name: String,
    /// The value of coordinate 0.
    pub centre: f64,
    /// The column's unit per unit of the coordinate.
    pub scale: f64,
    /// Of a level the place of its category, where the levels are the corners of a simplex: the noise on all of them is then alike, and that
    /// on two of them related.
    pub corners: Option<usize>,
}

/// Returns the description of a release's columns. `None` if its sums do not give their means.
///
/// It needs the constant among the moments, noise that is added cell by cell, and rows that were neither sampled nor whitened.
pub fn describe(release: &Release) -> Option<Description> {
    let released = release.moments.as_ref().filter(|released| released.terms.len() <= MOST_DESCRIBED)?;
    let moments = NoisyMoments::from_released(released, &release.plan).ok()?;
    let plain =
        moments.whitening().is_none() && moments.ridge() == 0.0 && !moments.stepped() && !moments.sampled();
    let law = moments.noise();
    let public_features = matches!(law, CellNoise::Cross { .. });
    if !plain
        || !matches!(
            law,
            CellNoise::None | CellNoise::Goe { .. } | CellNoise::Iid { .. } | CellNoise::Cross { .. }
        )
    {
        return None;
    }
    // The noise on products of public features may be mapped, so their outcomes are left out.
    let known = if public_features { moments.matrix().nrows() } else { moments.terms().len() };
    let rows = public_rows(&release.plan, &moments).map(real);
    let sums = Sums {
        terms: moments
            .terms()
            .iter()
            .take(known)
            .skip(1)
            .enumerate()
            .map(|(place, term)| SumTerm {
                name: term.name.clone(),
                centre: term.centre,
                scale: term.scale,
                corners: moments.corners_of(place + 1).map(|corners| corners.first),
            })
            .collect(),
        constant: moments.constant()?,
        rows,
        cell: Box::new(|row, column| {
            let value = moments.product(row, column)?;
            Some(Noisy { value, std_error: moments.product_sd(row, column, value) })
        }),
    };
    let (correlated, correlations) = correlations(&sums);
    Some(Description {
        terms: means(&release.plan, &sums)?,
        correlated,
        correlations,
        source: Correlations::Rows,
    })
}

/// Returns the number of rows with the variance of its noise in units of rows.
fn rows(sums: &Sums<'_>) -> Option<(f64, f64)> {
    if let Some(rows) = sums.rows {
        return (rows > 1.0).then_some((rows, 0.0));
    }
    let count = (sums.cell)(0, 0)?;
    let unit = sums.constant * sums.constant;
    let (rows, variance) = (count.value / unit, (count.std_error / unit).powi(2));
    (rows > 1.0 && rows >= COUNTED * variance.sqrt()).then_some((rows, variance))
}

/// The moments of one coordinate, with the variances of the noise on what they come from.
#[derive(Clone, Copy)]
struct Coordinate {
    mean: f64,
    /// Of the noise on the sum, in units of the constant.
    sum_noise: f64,
    mean_error: f64,
    /// The variance with divisor n, and the standard deviation of its noise, where the square was released.
    spread: Option<(f64, f64)>,
}

fn coordinate(sums: &Sums<'_>, place: usize) -> Option<Coordinate> {
    let (n, count_noise) = rows(sums)?;
    let sum = (sums.cell)(0, place)?;
    let mean = sum.value / sums.constant / n;
    let sum_noise = (sum.std_error / sums.constant).powi(2);
    let mean_error = (sum_noise + mean * mean * count_noise).sqrt() / n;
    let spread = (sums.cell)(place, place).map(|square| {
        let variance = square.value / n - mean * mean;
        let noise = square.std_error.powi(2)
            + 4.0 * mean * mean * sum_noise
            + (mean * mean - variance).powi(2) * count_noise;
        (variance, noise.sqrt() / n)
    });
    Some(Coordinate { mean, sum_noise, mean_error, spread })
}

impl Coordinate {
    fn resolved(&self) -> Option<f64> {
        self.spread
            .filter(|(variance, error)| *variance > 0.0 && *variance >= RESOLVED * error)
            .map(|(variance, _)| variance)
    }
}

/// Returns the variance of a coordinate with the standard deviation of its noise, where it is above 0.
pub fn variance(sums: &Sums<'_>, place: usize) -> Option<Noisy> {
    let (value, std_error) = coordinate(sums, place)?.spread?;
    (value > 0.0).then_some(Noisy { value, std_error })
}

/// Returns the means and standard deviations of all terms in own units, each category with its reference level first.
///
/// With c the constant, S the sums and n the rows, a mean is m = S/(c n), whose noise to first order is (e_S/c − m e_n)/n; a variance is
/// v = Q/n − m², whose noise is (e_Q − 2 m e_S/c + (m² − v) e_n)/n.
pub fn means(plan: &Plan, sums: &Sums<'_>) -> Option<Vec<DescribedTerm>> {
    let (n, count_noise) = rows(sums)?;
    let columns = PlanColumns::new(plan);
    let mut described: Vec<DescribedTerm> = Vec::new();
    let mut open: Option<(String, Level)> = None;
    for (index, term) in sums.terms.iter().enumerate() {
        let found = coordinate(sums, index + 1)?;
        let mean = Noisy {
            value: term.centre + term.scale * found.mean,
            std_error: term.scale.abs() * found.mean_error,
        };
        let category = columns.of_term(&term.name).filter(|column| column.kind == Some(ColumnType::Category));
        let level = category.and_then(|column| level_of(column, &term.name));
        if open.as_ref().is_some_and(|(name, _)| level.as_ref().is_none_or(|(own, _)| own != name)) {
            close(&mut described, open.take(), n, count_noise);
        }
        if let (Some((name, _)), Some(column)) = (&level, category) {
            let (_, rest) = open.get_or_insert_with(|| (name.clone(), Level::new(column, described.len())));
            rest.share -= mean.value;
            rest.weight += term.scale * found.mean;
            let noise = term.scale * term.scale * found.sum_noise;
            rest.noise = if term.corners.is_some() { rest.noise.max(noise) } else { rest.noise + noise };
        }
        let sd =
            found.spread.zip(found.resolved()).filter(|_| level.is_none()).map(|((_, error), variance)| {
                let sd = (variance * n / (n - 1.0)).sqrt();
                Noisy {
                    value: term.scale.abs() * sd,
                    std_error: term.scale.abs() * error / (2.0 * variance.sqrt()),
                }
            });
        described.push(DescribedTerm { term: term.name.clone(), mean, sd, level });
    }
    close(&mut described, open.take(), n, count_noise);
    Some(described)
}

/// What the reference level of a category is left with.
struct Level {
    reference: Option<String>,
    place: usize,
    share: f64,
    weight: f64,
    noise: f64,
}

impl Level {
    fn new(column: &Column, place: usize) -> Self {
        Self { reference: column.reference_level().cloned(), place, share: 1.0, weight: 0.0, noise: 0.0 }
    }
}

/// Puts the reference level in front of the others: its share is 1 less theirs.
fn close(described: &mut Vec<DescribedTerm>, open: Option<(String, Level)>, n: f64, count_noise: f64) {
    let Some((column, level)) = open else { return };
    let Some(reference) = level.reference else { return };
    if described
        .iter()
        .skip(level.place)
        .any(|term| term.level.as_ref().is_some_and(|(_, own)| *own == reference))
    {
        return;
    }
    let std_error = (level.noise + level.weight * level.weight * count_noise).sqrt() / n;
    described.insert(
        level.place,
        DescribedTerm {
            term: format!("{column}[{reference}]"),
            mean: Noisy { value: level.share, std_error },
            sd: None,
            level: Some((column, reference)),
        },
    );
}

/// Returns a term's column and level; a label of two levels is the share of its last level.
fn level_of(column: &Column, term: &str) -> Option<(String, String)> {
    let levels = column.levels.as_ref()?;
    let found = levels.iter().find_map(|level| {
        let base = term.strip_suffix(&format!("[{level}]"))?;
        Some((base.to_owned(), level.clone()))
    });
    found.filter(|_| term != INTERCEPT)
}

/// Returns the correlations of all pairs, where both variances stand out of the noise, for the first 40 terms; none of two levels whose noise
/// is related.
///
/// The noise on r = cov/(s_i s_j) is, to first order, a combination of six cells: their products, both squares, both sums, and the count.
pub fn correlations(sums: &Sums<'_>) -> (Vec<String>, Vec<Vec<Option<Noisy>>>) {
    let size = sums.terms.len().min(MOST);
    let names = sums.terms.iter().take(size).map(|term| term.name.clone()).collect();
    let all: Vec<Option<Coordinate>> = (0..size).map(|place| coordinate(sums, place + 1)).collect();
    let pair = |i: usize, j: usize| {
        let (n, count_noise) = rows(sums)?;
        let (left, right) = (all.get(i)?.as_ref()?, all.get(j)?.as_ref()?);
        let (left_variance, right_variance) = (left.resolved()?, right.resolved()?);
        if i == j {
            return Some(Noisy { value: 1.0, std_error: 0.0 });
        }
        let category = |place: usize| sums.terms.get(place).and_then(|term| term.corners);
        if category(i).is_some() && category(i) == category(j) {
            return None;
        }
        let product = (sums.cell)(i + 1, j + 1)?;
        let scale = (left_variance * right_variance).sqrt();
        let r = (product.value / n - left.mean * right.mean) / scale;
        let square = |place: usize| (sums.cell)(place + 1, place + 1).map(|square| square.std_error.powi(2));
        let on_sum = |own: &Coordinate, other: &Coordinate, variance: f64| {
            let weight = -other.mean / scale + r * own.mean / variance;
            weight * weight * own.sum_noise
        };
        let on_count = left.mean * right.mean / scale
            - r / 2.0 * (left.mean * left.mean / left_variance + right.mean * right.mean / right_variance);
        let variance = (product.std_error / scale).powi(2)
            + (r / (2.0 * left_variance)).powi(2) * square(i)?
            + (r / (2.0 * right_variance)).powi(2) * square(j)?
            + on_sum(left, right, left_variance)
            + on_sum(right, left, right_variance)
            + on_count * on_count * count_noise;
        Some(Noisy { value: r.clamp(-1.0, 1.0), std_error: variance.sqrt() / n })
    };
    let cells = (0..size).map(|i| (0..size).map(|j| pair(i, j)).collect()).collect();
    (names, cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference: means, `statistics.stdev` and Pearson's r of Python 3.12 on the same five rows; the errors by numerical differentiation of the
    /// same expressions.
    #[test]
    fn means_deviations_and_correlations_are_those_of_the_rows() {
        let rows: [[f64; 2]; 5] = [[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [4.0, 4.0], [5.0, 7.0]];
        let exact = |i: usize, j: usize| {
            rows.iter().fold(0.0, |sum, row| {
                let at = |place: usize| if place == 0 { 2.0 } else { row[place - 1] };
                sum + at(i) * at(j)
            })
        };
        let sums = |noise: [f64; 6]| Sums {
            terms: ["a", "b"]
                .map(|name| SumTerm { name: name.to_owned(), centre: 10.0, scale: 2.0, corners: None })
                .into(),
            constant: 2.0,
            rows: None,
            cell: Box::new(move |i, j| {
                let place = match (i.min(j), i.max(j)) {
                    (0, 0) => 0,
                    (0, 1) => 1,
                    (0, 2) => 2,
                    (1, 1) => 3,
                    (1, 2) => 4,
                    _ => 5,
                };
                Some(Noisy { value: exact(i, j) + noise[place], std_error: 0.01 * (place as f64 + 1.0) })
            }),
        };
        let plan: Plan = serde_json::from_value(
            serde_json::json!({"schema": "discreet.plan/1", "adjacency": "add-remove",
            "columns": [], "mechanism": {"name": "analyze-gauss"}, "budget": {"mu": 1.0}}),
        )
        .unwrap();
        let found = |noise: [f64; 6]| {
            let sums = sums(noise);
            let means = means(&plan, &sums).unwrap();
            let r = correlations(&sums).1[0][1].unwrap();
            [means[0].mean, means[1].mean, means[0].sd.unwrap(), means[1].sd.unwrap(), r]
        };
        let at = found([0.0; 6]);
        for (found, expected) in at
            .iter()
            .zip([16.0, 17.6, 3.162_277_660_168_379_5, 4.774_934_554_525_329, 0.860_946_032_092_278_5])
        {
            assert!((found.value / expected - 1.0).abs() < 1e-12, "{} {expected}", found.value);
        }
        for (number, released) in at.iter().enumerate() {
            let mut variance = 0.0;
            for cell in 0..6 {
                let step = 1e-5;
                let mut noise = [0.0; 6];
                noise[cell] = step;
                let up = found(noise)[number].value;
                noise[cell] = -step;
                let slope = (up - found(noise)[number].value) / (2.0 * step);
                variance += (slope * 0.01 * (cell as f64 + 1.0)).powi(2);
            }
            // A standard deviation has the factor n/(n − 1), whose own noise is left out.
            let tolerance = if (2..4).contains(&number) { 0.15 } else { 1e-6 };
            let ratio = released.std_error / variance.sqrt();
            assert!((ratio - 1.0).abs() < tolerance, "{number}: {ratio}");
        }
    }
}
