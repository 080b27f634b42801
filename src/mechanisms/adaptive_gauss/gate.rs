//! Which coefficients this budget determines (theory/adaptive 5.2).
//!
//! A direction of the whitened features whose moments do not stand out of their noise would make every coefficient imprecise. The
//! terms that lie in it, mostly a rare or an absent level, are held at the guide's slopes and withheld. The errors of the other
//! coefficients include what the held ones may be off.

use nalgebra::{DMatrix, DVector};

use super::estimate::{Coded, Fit, Inverse, Moments};
use super::scores::{APPROXIMATE_ABOVE, ScoreProducts};
use crate::math::jacobi_eigen::product;
use crate::math::linalg::LinalgError;
use crate::mechanisms::adaptive::guide::Guide;
use crate::mechanisms::adaptive::holding::{Holding, Solved, effect_size};
use crate::mechanisms::adaptive::terms::Terms;
use crate::model::Interval;

/// A residual radius beyond which the tail is long.
pub const LONG_TAIL: f64 = 6.0;
/// Below this ratio of moments to noise intervals are approximate.
const STABLE: f64 = 2.0;

/// The terms that are held, and the inverse that then replaces A_4⁻¹.
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// Coefficients that are held at the guide, in the order in which they were taken; the intercept is 0.
    pub held: Vec<usize>,
    /// κ of the other coefficients.
    pub condition: f64,
    /// Z (Z′ A_4 Z)⁻¹ Z′. `None` if κ is below 1 with all terms held.
    pub inverse: Option<Inverse>,
    /// Coefficients that are not estimated: those that are not in the regression, then those that are held.
    fixed: Vec<usize>,
    /// One column for each of them: the θ that a value of 1 of that coefficient gives.
    pull: DMatrix<f64>,
    penalty: Option<Penalty>,
}

/// A penalty Σ_j d_j b_j² on the coefficients b of an outcome in coded units, in units of the outcome's spread (theory/adaptive 5.5).
#[derive(Clone, Debug, PartialEq)]
pub struct Penalty {
    /// d_j, the intercept's first.
    pub weights: Vec<f64>,
}

impl Penalty {
    /// Returns H diag(d) times a matrix.
    fn carry(&self, map: &DMatrix<f64>, matrix: &DMatrix<f64>) -> DMatrix<f64> {
        let weighted =
            DMatrix::from_fn(matrix.nrows(), matrix.ncols(), |i, j| self.weights[i] * matrix[(i, j)]);
        product(map, &weighted)
    }
}

impl Gate {
    /// Holds feature terms, the one that helps most first, until κ is 1 or all are held. `map` is H; the coefficients in `excluded` are
    /// not in the regression at all. With a penalty, κ is that of the penalised moments.
    ///
    /// # Errors
    /// [`LinalgError`] where the eigenvalues do not settle.
    pub fn new(
        moments: &Moments,
        map: &DMatrix<f64>,
        excluded: &[usize],
        penalty: Option<Penalty>,
    ) -> Result<Self, LinalgError> {
        let penalised =
            penalty.as_ref().map(|penalty| &moments.features + penalty.carry(map, &map.transpose()));
        let features = penalised.as_ref().unwrap_or(&moments.features);
        let Holding { held, fixed, condition, solved } =
            Holding::new(features, moments.floor, map, excluded, 1.0)?;
        let (inverse, pull) = match solved {
            Some(Solved { inverse, pull }) => {
                (Some(Inverse { matrix: inverse, penalised: penalty.is_some() }), pull)
            }
            None => (None, DMatrix::zeros(moments.coefficients(), 0)),
        };
        Ok(Self { held, condition, inverse, fixed, pull, penalty })
    }

    /// Returns whether the coefficients are those of a penalised regression.
    pub const fn is_penalised(&self) -> bool {
        self.penalty.is_some()
    }

    /// Returns the number of coefficients that are not in the regression.
    const fn excluded(&self) -> usize {
        self.fixed.len() - self.held.len()
    }

    /// Returns the fit of one outcome in whitened units. `None` if all coefficients are withheld.
    pub fn fit(&self, guide: &Guide, map: &DMatrix<f64>, moments: &Moments, outcome: usize) -> Option<Fit> {
        let inverse = self.inverse.as_ref()?;
        let k = moments.coefficients();
        let spread = guide.spreads[outcome];
        let excluded = self.excluded();
        // What is excluded has the slope 0, not the guide's.
        let target = |column: usize| {
            if column < excluded { -guide.slopes[(self.fixed[column] - 1, outcome)] / spread } else { 0.0 }
        };
        // A penalty pulls the slopes to 0, not to the guide's.
        let shift = self.penalty.as_ref().map(|penalty| {
            let slopes =
                DMatrix::from_fn(
                    k,
                    1,
                    |i, _| if i > 0 { guide.slopes[(i - 1, outcome)] / spread } else { 0.0 },
                );
            product(&inverse.matrix, &penalty.carry(map, &slopes))
        });
        let start = DVector::from_fn(k, |i, _| {
            let mut sum = shift.as_ref().map_or(0.0, |shift| -shift[(i, 0)]);
            for column in 0..excluded {
                sum += self.pull[(i, column)] * target(column);
            }
            sum
        });
        Some(Fit::new(moments, outcome, inverse, &start))
    }

    /// Returns the estimate of one outcome in `units`, with the standard errors and intervals of its coefficients. `None` if all
    /// are withheld.
    pub fn judge(&self, evidence: Evidence<'_>, outcome: usize, far: Far, units: &Units) -> Option<Judged> {
        let Evidence { terms, guide, map, moments, scores } = evidence;
        let inverse = self.inverse.as_ref()?;
        let mut fit = self.fit(guide, map, moments, outcome)?;
        let k = moments.coefficients();
        let spread = guide.spreads[outcome];
        let excluded = self.excluded();
        let robust = scores.get(outcome).and_then(|scores| scores.sandwich(inverse, fit.sigma));
        if let Some(robust) = &robust {
            fit.sampling.copy_from(&robust.covariance);
        }
        let coded = Coded::new(guide, map, outcome, &fit);
        // The noise on each coefficient's robust variance.
        let rough = robust.map(|robust| units.carry(&Coded::carried(guide, map, outcome, &robust.noise)));
        let is_robust = rough.is_some();
        let doubtful = self.condition < STABLE || fit.residual_hidden || far.radius > LONG_TAIL || far.unseen;
        let sizes: Vec<f64> = self.held.iter().map(|term| effect_size(terms, guide, *term)).collect();
        // Γ, what each held effect moves the coefficients by.
        let turned = product(&units.transform, &map.transpose());
        let moved = product(&turned, &self.pull);
        let covariance = units.carry(&coded.covariance);
        let noise = units.carry(&coded.noise_covariance);
        let mut judged = Judged {
            estimates: units.own(&coded.coefficients),
            errors: Vec::with_capacity(k),
            noise_shares: Vec::with_capacity(k),
            intervals: Vec::with_capacity(k),
            fit,
            covariance,
            is_robust,
            rough_errors: Vec::new(),
            moved: Vec::new(),
        };
        let is_rough = |row: usize, sampling: f64| {
            rough.as_ref().is_some_and(|rough| rough[(row, row)] > APPROXIMATE_ABOVE * sampling)
        };
        for row in 0..k {
            if is_rough(row, judged.covariance[(row, row)] - noise[(row, row)]) {
                judged.rough_errors.push(row);
            }
            let own = judged.covariance[(row, row)].max(0.0);
            let mut price = 0.0;
            for (column, size) in sizes.iter().enumerate() {
                let moved = moved[(row, excluded + column)];
                price += moved * moved * (size * size);
            }
            let price = price * (spread * spread);
            judged.intervals.push(if self.held.contains(&row) || price > own {
                Interval::Withheld
            } else if price > own / 16.0 {
                judged.moved.push(row);
                Interval::Approximate
            } else if doubtful || judged.rough_errors.contains(&row) {
                Interval::Approximate
            } else {
                Interval::Normal
            });
            judged.errors.push((own + price).sqrt());
            judged.noise_shares.push(if own > 0.0 { (noise[(row, row)] / own).clamp(0.0, 1.0) } else { 0.0 });
        }
        Some(judged)
    }
}

/// Coefficients in other units: b ↦ T b + (offset, 0, …, 0).
#[derive(Clone, Debug, PartialEq)]
pub struct Units {
    /// T.
    pub transform: DMatrix<f64>,
    /// The offset that is added to the intercept.
    pub offset: f64,
}

impl Units {
    /// Returns the coded units.
    pub fn coded(coefficients: usize) -> Self {
        Self { transform: DMatrix::identity(coefficients, coefficients), offset: 0.0 }
    }

    /// Returns the columns' own units, from the middle and half the width of each feature's bounds and of the outcome's.
    pub fn columns(features: &[(f64, f64)], outcome: (f64, f64)) -> Self {
        let (middle, half) = outcome;
        let transform = DMatrix::from_fn(features.len() + 1, features.len() + 1, |i, j| match (i, j) {
            (0, 0) => half,
            (0, _) => -half * features[j - 1].0 / features[j - 1].1,
            _ if i == j => half / features[j - 1].1,
            _ => 0.0,
        });
        Self { transform, offset: middle }
    }

    fn own(&self, coefficients: &[f64]) -> Vec<f64> {
        let column = DMatrix::from_column_slice(coefficients.len(), 1, coefficients);
        let mut own: Vec<f64> = product(&self.transform, &column).iter().copied().collect();
        if let Some(intercept) = own.first_mut() {
            *intercept += self.offset;
        }
        own
    }

    fn carry(&self, covariance: &DMatrix<f64>) -> DMatrix<f64> {
        product(&product(&self.transform, covariance), &self.transform.transpose())
    }
}

/// The public quantities from which the gate computes estimates.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The coded terms.
    pub terms: &'a Terms,
    /// The guide.
    pub guide: &'a Guide,
    /// H.
    pub map: &'a DMatrix<f64>,
    /// The moments of the fourth round.
    pub moments: &'a Moments,
    /// The products of scores of each outcome; none where residuals are taken to spread equally.
    pub scores: &'a [ScoreProducts],
}

/// The radius of an outcome, and whether rows may lie beyond it unnoticed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Far {
    /// R_y.
    pub radius: f64,
    /// Whether rows may lie far out unnoticed.
    pub unseen: bool,
}

/// One outcome's coefficients and how far they can be trusted, the intercept first.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The estimates. A held coefficient is the guide's, an excluded one 0.
    pub estimates: Vec<f64>,
    /// Standard errors. They include what the held coefficients may be off.
    pub errors: Vec<f64>,
    /// Share of privacy noise in the variance without that.
    pub noise_shares: Vec<f64>,
    /// The kind of interval of each coefficient.
    pub intervals: Vec<Interval>,
    /// The fit in whitened units.
    pub fit: Fit,
    /// The covariance of the estimates, without what held effects may be off.
    pub covariance: DMatrix<f64>,
    /// Whether it is robust: valid if residuals do not spread equally.
    pub is_robust: bool,
    /// The coefficients whose robust standard errors have much noise.
    pub rough_errors: Vec<usize>,
    /// The coefficients that are shown, and that a held one could move.
    pub moved: Vec<usize>,
}
