//! Numbers that are computed from one record's own values (theory/encoding 2.8).

use std::slice;
use std::sync::Arc;

use crate::math::round::real;
use crate::math::special::normal_quantile;
use crate::model::Typical;

/// Points by which the distribution of a number is approximated for a forecast.
const POINTS: u32 = 15;

/// Most combinations of such points.
const MOST_POINTS: usize = 4_000;

/// The levels of a category by their texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LevelCodes {
    /// The column: among the plan's, or once bound among the fields of a record.
    pub column: usize,
    /// The number of each text without outer white space, sorted by the text.
    pub codes: Vec<(String, usize)>,
    /// The number of any other text, if the plan lists `other`.
    pub other: Option<usize>,
}

impl LevelCodes {
    /// Returns the codes of a category in which each level has the number of its place.
    pub fn of(column: usize, levels: &[String], other: Option<usize>) -> Self {
        let codes = levels.iter().enumerate().map(|(number, level)| (level.trim().to_owned(), number));
        let mut codes: Vec<(String, usize)> = codes.collect();
        codes.sort();
        Self { column, codes, other }
    }

    /// Returns the number of the level that stands for empty cells, if there is one.
    pub fn blank(&self) -> Option<usize> {
        self.codes.first().filter(|(level, _)| level.is_empty()).map(|(_, number)| *number)
    }

    /// Returns the number of a text without outer white space.
    pub fn number(&self, text: &str) -> Option<usize> {
        match self.codes.binary_search_by(|(level, _)| level.as_str().cmp(text)) {
            Ok(place) => self.codes.get(place).map(|(_, number)| *number),
            Err(_) => self.other,
        }
    }
}

/// A value of a record from which a derived value is computed.
#[derive(Clone, Debug, PartialEq)]
pub enum Leaf {
    /// A number, clipped to its bounds.
    Number {
        /// The column: among the plan's, or once bound among the fields of a record.
        column: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
        /// Its mean and standard deviation, if they are known from elsewhere.
        typical: Option<Typical>,
    },
    /// The indicator of a level, 0 or 1.
    Level {
        /// The category.
        codes: Arc<LevelCodes>,
        /// The level.
        level: usize,
        /// The number of levels.
        levels: usize,
    },
}

impl Leaf {
    /// Returns the column: among the plan's, or once bound among the fields of a record.
    pub fn column(&self) -> usize {
        match self {
            Self::Number { column, .. } => *column,
            Self::Level { codes, .. } => codes.column,
        }
    }
}

/// The factor that gives each pair of columns a number of its own: a prime above most numbers of columns.
const PAIRS: usize = 65_537;

/// A number as a function of a record's values.
#[derive(Clone, Debug, PartialEq)]
pub enum Expression {
    /// A value itself.
    Leaf(Leaf),
    /// The natural logarithm of a value and an offset.
    Log {
        /// The value.
        of: Box<Self>,
        /// The number that is added to it.
        offset: f64,
    },
    /// The square of a value.
    Square(Box<Self>),
    /// The product of values.
    Product(Vec<Self>),
    /// A multiple of the first value less the second.
    Difference {
        /// The values.
        of: Box<[Self; 2]>,
        /// The multiple, above 0.
        factor: f64,
        /// The bounds to which it is clipped, where it has its own.
        within: Option<(f64, f64)>,
        /// What is typical of it then, if that is known.
        typical: Option<Typical>,
    },
    /// A value less a number.
    Centred {
        /// The value.
        of: Box<Self>,
        /// The number that is subtracted.
        at: f64,
    },
    /// One column of a restricted cubic spline.
    Spline {
        /// The value.
        of: Box<Self>,
        /// The knots, in increasing order.
        knots: Arc<[f64]>,
        /// The place of the column among those of the spline, from 0.
        column: usize,
    },
}

impl Expression {
    /// Computes the value. `leaf` returns the record's values. `None` if one of them is missing.
    pub fn value(&self, leaf: &dyn Fn(&Leaf) -> Option<f64>) -> Option<f64> {
        Some(match self {
            Self::Leaf(of) => leaf(of)?,
            Self::Log { of, offset } => libm::log(of.value(leaf)? + offset),
            Self::Square(of) => {
                let value = of.value(leaf)?;
                value * value
            }
            Self::Product(factors) => {
                factors.iter().try_fold(1.0, |product, factor| Some(product * factor.value(leaf)?))?
            }
            Self::Difference { of, factor, within, .. } => {
                let [first, second] = &**of;
                let value = (first.value(leaf)? - second.value(leaf)?) * factor;
                within.map_or(value, |(lower, upper)| value.max(lower).min(upper))
            }
            Self::Centred { of, at } => of.value(leaf)? - at,
            Self::Spline { of, knots, column } => restricted_cubic(of.value(leaf)?, knots, *column),
        })
    }

    /// Returns the smallest and the largest value that clipped values allow. Sums and products of doubles round alike for alike values, so
    /// no computed value lies outside; a logarithm is given a unit in the last place on either side.
    pub fn range(&self) -> (f64, f64) {
        match self {
            Self::Leaf(Leaf::Number { lower, upper, .. }) => (*lower, *upper),
            Self::Leaf(Leaf::Level { .. }) => (0.0, 1.0),
            Self::Log { of, offset } => {
                let (lower, upper) = of.range();
                (libm::log(lower + offset).next_down(), libm::log(upper + offset).next_up())
            }
            Self::Square(of) => {
                let (lower, upper) = of.range();
                let (one, two) = (lower * lower, upper * upper);
                (if lower <= 0.0 && upper >= 0.0 { 0.0 } else { one.min(two) }, one.max(two))
            }
            Self::Product(factors) => factors.iter().map(Self::range).fold((1.0, 1.0), |(a, b), (c, d)| {
                let corners = [a * c, a * d, b * c, b * d];
                let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
                (corners.iter().copied().fold(least, f64::min), corners.iter().copied().fold(most, f64::max))
            }),
            Self::Difference { within: Some(within), .. } => *within,
            Self::Difference { of, factor, within: None, .. } => {
                let [(least, most), (lower, upper)] = of.each_ref().map(Self::range);
                ((least - upper) * factor, (most - lower) * factor)
            }
            Self::Centred { of, at } => {
                let (lower, upper) = of.range();
                (lower - at, upper - at)
            }
            Self::Spline { of, knots, column } => {
                let (lower, upper) = of.range();
                (restricted_cubic(lower, knots, *column), restricted_cubic(upper, knots, *column))
            }
        }
    }

    /// Returns the expressions that its own operation is of.
    fn parts(&self) -> &[Self] {
        match self {
            Self::Leaf(_) => &[],
            Self::Log { of, .. } | Self::Square(of) | Self::Centred { of, .. } | Self::Spline { of, .. } => {
                slice::from_ref(of)
            }
            Self::Product(factors) => factors,
            Self::Difference { of, .. } => &**of,
        }
    }

    /// Returns the values of a record from which it is computed, one for each occurrence.
    pub fn leaves(&self) -> Vec<&Leaf> {
        match self {
            Self::Leaf(leaf) => vec![leaf],
            _ => self.parts().iter().flat_map(Self::leaves).collect(),
        }
    }

    /// Returns the number of its operations.
    pub fn operations(&self) -> usize {
        1 + self.parts().iter().map(Self::operations).sum::<usize>()
    }

    /// Returns it with each column replaced by what `place` returns for it.
    pub fn placed(&self, place: &impl Fn(usize) -> usize) -> Self {
        match self {
            Self::Leaf(Leaf::Number { column, lower, upper, typical }) => Self::Leaf(Leaf::Number {
                column: place(*column),
                lower: *lower,
                upper: *upper,
                typical: *typical,
            }),
            Self::Leaf(Leaf::Level { codes, level, levels }) => {
                let codes = LevelCodes { column: place(codes.column), ..(**codes).clone() };
                Self::Leaf(Leaf::Level { codes: Arc::new(codes), level: *level, levels: *levels })
            }
            _ => self.with_parts(&|part| part.placed(place)),
        }
    }

    /// Returns a difference without bounds of its own.
    pub fn difference(&self) -> Option<Self> {
        let Self::Difference { of, factor, .. } = self else { return None };
        Some(Self::Difference { of: of.clone(), factor: *factor, within: None, typical: None })
    }

    /// Returns a difference without the bounds of its own, and these.
    pub fn without_own_bounds(&self) -> Option<(Self, (f64, f64))> {
        let Self::Difference { within: Some(within), .. } = self else { return None };
        Some((self.difference()?, *within))
    }

    /// Replaces each difference that has its own bounds by a separate number, for a forecast: the time between two dates does not
    /// follow from what is known of each date. The number has the index of a column beyond all columns of a table, one for each
    /// pair of columns.
    pub fn with_differences_drawn(&self) -> Self {
        match self {
            Self::Difference { of, within: Some((lower, upper)), typical, .. } => {
                let places = of.each_ref().map(|of| of.leaves().first().map_or(0, |leaf| leaf.column()));
                let column = usize::MAX.wrapping_sub(places[0].wrapping_mul(PAIRS).wrapping_add(places[1]));
                Self::Leaf(Leaf::Number { column, lower: *lower, upper: *upper, typical: *typical })
            }
            _ => self.with_parts(&Self::with_differences_drawn),
        }
    }

    /// Returns it with each of its parts replaced by what `other` returns for it.
    fn with_parts(&self, other: &dyn Fn(&Self) -> Self) -> Self {
        let boxed = |of: &Self| Box::new(other(of));
        match self {
            Self::Leaf(leaf) => Self::Leaf(leaf.clone()),
            Self::Log { of, offset } => Self::Log { of: boxed(of), offset: *offset },
            Self::Square(of) => Self::Square(boxed(of)),
            Self::Product(factors) => Self::Product(factors.iter().map(other).collect()),
            Self::Difference { of, factor, within, typical } => Self::Difference {
                of: Box::new(of.each_ref().map(other)),
                factor: *factor,
                within: *within,
                typical: *typical,
            },
            Self::Centred { of, at } => Self::Centred { of: boxed(of), at: *at },
            Self::Spline { of, knots, column } => {
                Self::Spline { of: boxed(of), knots: Arc::clone(knots), column: *column }
            }
        }
    }

    /// Returns what is added to a column before its logarithm, if that is taken.
    fn offset(&self, column: usize) -> Option<f64> {
        match self {
            Self::Log { of, offset } if matches!(**of, Self::Leaf(ref leaf) if leaf.column() == column) => {
                Some(*offset)
            }
            Self::Leaf(_) => None,
            _ => self.parts().iter().find_map(|part| part.offset(column)),
        }
    }

    /// Returns an approximate mean and standard deviation, for a forecast: those of its values at the quantiles of independent normal
    /// distributions, or log-normal ones, and of equally frequent levels, clipped to their bounds. `None` if the spread of one of its
    /// numbers is not known.
    pub fn typical(&self) -> Option<Typical> {
        // One column of points for each column of the record.
        let mut columns: Vec<(usize, Vec<f64>)> = Vec::new();
        for leaf in self.leaves() {
            if columns.iter().any(|(column, _)| *column == leaf.column()) {
                continue;
            }
            let points = match leaf {
                Leaf::Number { lower, upper, typical, .. } => {
                    let Typical { mean, sd } = (*typical)?;
                    let mean = mean.unwrap_or(lower / 2.0 + upper / 2.0);
                    let offset = self.offset(leaf.column());
                    let logarithm = offset.and_then(|offset| Some((offset, (*typical)?.log_normal(offset)?)));
                    let value = |point: u32| {
                        let z = normal_quantile((f64::from(point) + 0.5) / f64::from(POINTS));
                        match logarithm {
                            Some((offset, (mean, sd))) => libm::exp(mean + sd * z) - offset,
                            None => mean + sd * z,
                        }
                    };
                    (0..POINTS).map(|point| value(point).clamp(*lower, *upper)).collect()
                }
                Leaf::Level { levels, .. } => (0..*levels).map(real).collect(),
            };
            columns.push((leaf.column(), points));
        }
        let combinations =
            columns.iter().try_fold(1_usize, |all, (_, points)| all.checked_mul(points.len()))?;
        if combinations > MOST_POINTS {
            return None;
        }
        let values = (0..combinations).map(|combination| {
            let mut rest = combination;
            let chosen: Vec<(usize, f64)> = columns
                .iter()
                .filter_map(|(column, points)| {
                    let point = points.get(rest % points.len()).copied();
                    rest /= points.len();
                    Some((*column, point?))
                })
                .collect();
            let of =
                |leaf: &Leaf| chosen.iter().find(|(column, _)| *column == leaf.column()).map(|(_, at)| *at);
            self.value(&|leaf| match leaf {
                Leaf::Number { .. } => of(leaf),
                Leaf::Level { level, .. } => {
                    let level = real(*level);
                    Some(if (of(leaf)? - level).abs() < 0.5 { 1.0 } else { 0.0 })
                }
            })
        });
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        let points = real(values.len()).max(1.0);
        let mean = values.iter().sum::<f64>() / points;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / points;
        (variance.is_finite() && variance > 0.0).then_some(Typical { mean: Some(mean), sd: variance.sqrt() })
    }
}

/// Returns a column of the restricted cubic spline with knots t₁ < … < t_k, for j from 1 to k − 2:
/// ((x − t_j)₊³ − (x − t_{k−1})₊³ (t_k − t_j)/(t_k − t_{k−1}) + (x − t_k)₊³ (t_{k−1} − t_j)/(t_k − t_{k−1})) / (t_k − t₁)².
///
/// It is 0 up to t_j, nowhere falls, and beyond t_k is a line, which is computed as one.
fn restricted_cubic(x: f64, knots: &[f64], column: usize) -> f64 {
    let ([first, .., before, last], Some(knot)) = (knots, knots.get(column)) else { return 0.0 };
    let cube = |from: f64| {
        let beyond = (x.min(*last) - from).max(0.0);
        beyond * beyond * beyond
    };
    let square = (last - first) * (last - first);
    let curved = (cube(*knot) - cube(*before) * ((last - knot) / (last - before))) / square;
    let slope = 3.0 * (last - knot) * (before - knot) / square;
    curved + (x - last).max(0.0) * slope
}
