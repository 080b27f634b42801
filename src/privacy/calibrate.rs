//! From a budget to integer units, and from units to a noise scale: the one place where calibration happens.
//!
//! A ledger's capacity and a plan's units come from the same function ([`budget_parts`]), so a plan that asks for all of a
//! ledger fits exactly. From the units on, everything is integer arithmetic; floating point is used before, with
//! [`MARGIN`] to the safe side. (noise-and-accounting, A5, A6, A8, B10; contract, Ledger.)

use std::num::NonZeroU64;

use dashu_int::UBig;
use dashu_int::ops::SquareRoot;

use super::adjacency::Adjacency;
use super::compose::{Pair, fits, mu_b};
use super::measure::{Delta, Epsilon, Mu, Rho};
use super::mutants::{Mutant, is_active};
use super::units::Units;
use crate::math::round::{MARGIN, ceil_scaled, floor_scaled, floor_square_scaled, raise};
use crate::math::search::first_true;

/// Bits after the point in a unit of μ² and of ε.
pub const UNIT_BITS: usize = 40;
/// Bits after the point in a unit of δ.
pub const DELTA_BITS: usize = 100;
/// Smallest noise scale S at which a Gaussian is accounted by μ (noise-and-accounting, A8 c).
pub const LEAST_SCALE: u64 = 1 << 40;
/// Largest noise scale S of the samplers (noise-and-accounting, A6).
pub const GREATEST_SCALE: u64 = 1 << 55;
/// Smallest δ of a ledger, 2^-40.
pub const LEAST_DELTA: f64 = 9.094_947_017_729_282e-13;

/// A budget that cannot be used, or noise that cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CalibrationError {
    /// δ is outside what a ledger takes.
    #[error(
        "delta is {0}; give one from 2^-40 (about 9.1e-13) to below 1, well below one over the number of persons"
    )]
    Delta(String),
    /// The ledger needs δ beside μ or ρ.
    #[error("the budget has no delta; a ledger needs one to say its epsilon")]
    NoDelta,
    /// Only the (ε, δ) form has an Other wallet.
    #[error("a budget of mu or rho is Gaussian only; give epsilon and delta for a split")]
    SplitNeedsEpsilon,
    /// The Other wallet asks for more than there is.
    #[error(
        "an Other wallet of epsilon {epsilon} and delta {delta} does not fit into this budget; give less"
    )]
    Split {
        /// ε_O as asked for.
        epsilon: String,
        /// δ_O as asked for.
        delta: String,
    },
    /// No unit comes out.
    #[error("this budget is too small to buy anything; give more")]
    Nothing,
    /// More than 128 bits of units.
    #[error("this budget is too large to be counted, and would protect nothing; give less")]
    TooLarge,
    /// The noise is too small for the fine grid.
    #[error(
        "the noise scale would be {0}, below 2^40, where the grid is too coarse for exact accounting; give a smaller \
         budget, or a larger `radius` where the mechanism has one"
    )]
    ScaleTooSmall(String),
    /// The noise is too large for the samplers.
    #[error(
        "the noise scale would be {0}, above 2^55; give a larger budget, or a smaller `radius` where the mechanism has one"
    )]
    ScaleTooLarge(String),
    /// Stored numbers do not keep the promise.
    #[error("the stored mu and the stored split do not keep within the stored epsilon and delta")]
    Unsound,
}

/// How much privacy a plan or a ledger may cost, in one of the contract's three forms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// (ε, δ)-differential privacy.
    EpsilonDelta {
        /// ε*.
        epsilon: Epsilon,
        /// δ*.
        delta: Delta,
    },
    /// Zero-concentrated differential privacy; δ says where ε is quoted.
    Rho {
        /// ρ.
        rho: Rho,
        /// δ, if given.
        delta: Option<Delta>,
    },
    /// Gaussian differential privacy; δ says where ε is quoted.
    Mu {
        /// μ.
        mu: Mu,
        /// δ, if given.
        delta: Option<Delta>,
    },
}

/// How a budget is divided between the Gaussian and the Other wallet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Split {
    /// All for Gaussian releases.
    #[default]
    Gaussian,
    /// All for mechanisms known by (ε, δ) only.
    Other,
    /// Half of ε and a tenth of δ for the Other wallet, the rest Gaussian.
    Both,
    /// An Other wallet as stated, the rest Gaussian.
    Explicit {
        /// ε_O.
        epsilon: Epsilon,
        /// δ_O.
        delta: Delta,
    },
}

/// A budget made into wallets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetParts {
    /// ε* and δ* of the whole; absent for μ or ρ without δ.
    pub promise: Option<(Epsilon, Delta)>,
    /// μ_B, ε_O and δ_O.
    pub pair: Pair,
    /// The same in integer units, and δ_res.
    pub capacity: Units,
}

/// Makes a budget into wallets: for a ledger when it is opened, for a plan before it runs.
///
/// μ_B is the largest with δ_tot(ε*) <= δ* − δ_res, δ_res = max(2^-50, δ* 2^-20), rounded down; given μ or ρ instead,
/// μ_B is μ or √(2ρ) and ε* = ε(δ* − δ_res; μ), rounded up. Capacities are rounded down. (noise-and-accounting, B10.)
///
/// # Errors
/// When δ is out of range, the split does not fit, or no unit or too many units come out.
pub fn budget_parts(budget: &Budget, split: &Split) -> Result<BudgetParts, CalibrationError> {
    let (promise, pair) = match *budget {
        Budget::EpsilonDelta { epsilon, delta } => (Some((epsilon, delta)), divide(epsilon, delta, split)?),
        Budget::Rho { rho, delta } => gaussian_only(mu_of_rho(rho)?, delta, split)?,
        Budget::Mu { mu, delta } => gaussian_only(mu, delta, split)?,
    };
    let capacity = capacity(&pair, promise.map(|(_, delta)| delta))?;
    if capacity.is_free() {
        return Err(CalibrationError::Nothing);
    }
    Ok(BudgetParts { promise, pair, capacity })
}

/// Recomputes the capacity that stored inputs stand for, after checking that they keep the promise.
///
/// # Errors
/// When they do not, or are out of range.
pub fn verified_capacity(epsilon: Epsilon, delta: Delta, pair: &Pair) -> Result<Units, CalibrationError> {
    // Half of the margin at opening, so that another build's last bit does not make an honest ledger invalid.
    if fits(epsilon, pair, spendable(delta)?, MARGIN / 2.0) {
        capacity(pair, Some(delta))
    } else {
        Err(CalibrationError::Unsound)
    }
}

fn divide(epsilon: Epsilon, delta: Delta, split: &Split) -> Result<Pair, CalibrationError> {
    let spendable = spendable(delta)?;
    let part = |share: f64| Delta::try_new(share).map_err(|_| CalibrationError::Delta(delta.to_string()));
    let (other_epsilon, other_delta) = match *split {
        Split::Gaussian => (Epsilon::ZERO, Delta::ZERO),
        Split::Other => (epsilon, part(spendable)?),
        Split::Both => {
            (Epsilon::try_new(epsilon.get() / 2.0).unwrap_or(Epsilon::ZERO), part(delta.get() / 10.0)?)
        }
        Split::Explicit { epsilon, delta } => (epsilon, delta),
    };
    let mu = match split {
        Split::Other => Mu::ZERO,
        _ => mu_b(epsilon, spendable, other_epsilon, other_delta),
    };
    let pair = Pair { mu, epsilon: other_epsilon, delta: other_delta };
    if fits(epsilon, &pair, spendable, MARGIN) {
        Ok(pair)
    } else {
        Err(CalibrationError::Split { epsilon: other_epsilon.to_string(), delta: other_delta.to_string() })
    }
}

type Promised = (Option<(Epsilon, Delta)>, Pair);

fn gaussian_only(mu: Mu, delta: Option<Delta>, split: &Split) -> Result<Promised, CalibrationError> {
    if *split != Split::Gaussian {
        return Err(CalibrationError::SplitNeedsEpsilon);
    }
    let pair = Pair { mu, epsilon: Epsilon::ZERO, delta: Delta::ZERO };
    let Some(delta) = delta else { return Ok((None, pair)) };
    let spendable = spendable(delta)?;
    let m = mu.get();
    let bound = m * m / 2.0 + m * libm::sqrt(-2.0 * libm::log(spendable) + 1.0);
    let found = first_true(0.0, bound, |epsilon| {
        Epsilon::try_new(epsilon).is_ok_and(|epsilon| fits(epsilon, &pair, spendable, MARGIN))
    });
    let epsilon = if found > 0.0 { raise(found, MARGIN) } else { 0.0 };
    Ok((Some((Epsilon::try_new(epsilon).map_err(|_| CalibrationError::TooLarge)?, delta)), pair))
}

/// √(2ρ), rounded down.
fn mu_of_rho(rho: Rho) -> Result<Mu, CalibrationError> {
    let square = 2.0 * rho.get();
    let root = libm::sqrt(square);
    let root = if libm::fma(root, root, -square) > 0.0 { root.next_down() } else { root };
    Mu::try_new(root).map_err(|_| CalibrationError::TooLarge)
}

/// δ_res = max(2^-50, δ* 2^-20), the part of δ* kept for the discreteness of the noise.
fn reserved(delta: Delta) -> f64 {
    (LEAST_DELTA / 1024.0).max(delta.get() / 1_048_576.0)
}

/// δ* − δ_res, rounded down.
fn spendable(delta: Delta) -> Result<f64, CalibrationError> {
    if (LEAST_DELTA..1.0).contains(&delta.get()) {
        Ok((delta.get() - reserved(delta)).next_down())
    } else {
        Err(CalibrationError::Delta(delta.to_string()))
    }
}

fn capacity(pair: &Pair, delta: Option<Delta>) -> Result<Units, CalibrationError> {
    let units = |value: Option<UBig>| {
        value.and_then(|value| u128::try_from(value).ok()).ok_or(CalibrationError::TooLarge)
    };
    Ok(Units {
        gaussian: units(floor_square_scaled(pair.mu.get(), UNIT_BITS))?,
        epsilon: units(floor_scaled(pair.epsilon.get(), UNIT_BITS))?,
        delta: units(floor_scaled(pair.delta.get(), DELTA_BITS))?,
        slack: units(floor_scaled(delta.map_or(0.0, reserved), DELTA_BITS))?,
    })
}

/// The ε that so many units of the Other wallet are, rounded down: what a mechanism with that many units is tuned to.
#[must_use]
pub fn epsilon_of_units(units: u128) -> Epsilon {
    Epsilon::try_new(scaled_down(units, 1.0 / LEAST_SCALE_F64)).unwrap_or(Epsilon::ZERO)
}

/// The δ that so many units of the Other wallet are, rounded down.
#[must_use]
pub fn delta_of_units(units: u128) -> Delta {
    Delta::try_new(scaled_down(units, DELTA_UNIT)).unwrap_or(Delta::ZERO)
}

/// 2^40.
const LEAST_SCALE_F64: f64 = 1_099_511_627_776.0;
/// 2^-100.
const DELTA_UNIT: f64 = 1.0 / (LEAST_SCALE_F64 * LEAST_SCALE_F64 * 1_048_576.0);

/// units × power of two, rounded down.
fn scaled_down(units: u128, power: f64) -> f64 {
    // Keeping the leading 53 bits cuts towards 0, and what is kept converts exactly.
    let surplus = (u128::BITS - units.leading_zeros()).saturating_sub(53);
    #[expect(clippy::cast_precision_loss, reason = "at most 53 bits are left")]
    let kept = ((units >> surplus) << surplus) as f64;
    kept * power
}

/// S, the scale of discrete Gaussian noise: within 2^40 and 2^55.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NoiseScale(NonZeroU64);

impl NoiseScale {
    /// That scale.
    ///
    /// # Errors
    /// When it is outside 2^40 to 2^55.
    pub fn try_new(s: u64) -> Result<Self, CalibrationError> {
        Self::from_exact(&UBig::from(s))
    }

    fn from_exact(s: &UBig) -> Result<Self, CalibrationError> {
        let fit = u64::try_from(s.clone()).ok().filter(|s| *s <= GREATEST_SCALE);
        match fit.and_then(NonZeroU64::new) {
            Some(s) if s.get() >= LEAST_SCALE || is_active(Mutant::CoarseGaussian) => Ok(Self(s)),
            None if *s > UBig::ONE => Err(CalibrationError::ScaleTooLarge(s.to_string())),
            _ => Err(CalibrationError::ScaleTooSmall(s.to_string())),
        }
    }

    /// The integer S.
    #[must_use]
    pub const fn get(self) -> NonZeroU64 {
        self.0
    }

    fn square(self) -> UBig {
        UBig::from(self.0.get()) * UBig::from(self.0.get())
    }
}

/// Δ², the squared sensitivity of the second moments, exactly (noise-and-accounting, A5).
///
/// A record is (c, q) with ‖q‖ <= W. With R² = c² + W² it is R⁴ under add-remove and 2 R⁴ under replace-one, times k²
/// for k rows per person. Under replace-one with c > W it is 8 c² W² instead, if each person has k rows and each row
/// carries the constant; otherwise the larger of that and R⁴, because a person may become the zero row.
#[must_use]
pub fn sensitivity_squared(
    constant: u64,
    norm_bound: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
    every_record_has_constant: bool,
) -> UBig {
    let (c, w) = (UBig::from(constant), UBig::from(norm_bound));
    let (c2, w2) = (&c * &c, &w * &w);
    let r2 = &c2 + &w2;
    let r4 = &r2 * &r2;
    let one_row = match adjacency {
        Adjacency::ReplaceOne if is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => r4,
        Adjacency::AddRemove => r4,
        Adjacency::ReplaceOne if c <= w => r4 * UBig::from(2_u8),
        Adjacency::ReplaceOne => {
            let swing = UBig::from(8_u8) * c2 * w2;
            if every_record_has_constant { swing } else { swing.max(r4) }
        }
    };
    let k = UBig::from(max_rows_per_person);
    one_row * &k * k
}

/// Δ², the squared sensitivity of the features' moments X'X together with the cross moments X'Y, exactly (primo 1.5).
///
/// A record has features of squared norm at most `features` = B_x² and outcomes of squared norm at most B_y². `cross` is
/// w² B_y², with w² the variance of the noise on the diagonal of X'X over that on X'Y, so that κ = `cross` / B_x². In
/// coordinates where the noise is alike everywhere the record (x, y) is svec(x x') with w x y'. Adding one moves that by
/// ‖x‖² √(‖x‖² + w² ‖y‖²) <= B_x² √(1 + κ). For a replacement the largest move is √2 B_x² (1 + κ/2) where κ <= 2, at an angle
/// between x and x̃ whose cosine is κ/2, and 2 √κ B_x² beyond, where x̃ = ±x. So in integers:
///
/// - add-remove: B_x⁴ + B_x² `cross`;
/// - replace-one: (2 B_x² + `cross`)² / 2, rounded up, where `cross` <= 2 B_x², else 4 B_x² `cross`.
///
/// k rows of one person are k such moves, one after the other, and multiply Δ by k. It is the same where outcomes are public
/// and their bound is the largest norm among them.
#[must_use]
pub fn joint_sensitivity_squared(
    features: u64,
    cross: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let a = UBig::from(features);
    let b = if is_active(Mutant::CrossMomentsUncounted) { UBig::ZERO } else { UBig::from(cross) };
    let twice = &a * UBig::from(2_u8);
    let one_row = match adjacency {
        Adjacency::AddRemove => &a * (&a + b),
        Adjacency::ReplaceOne if b <= twice => {
            let sum = twice + b;
            (&sum * &sum + UBig::ONE) / UBig::from(2_u8)
        }
        Adjacency::ReplaceOne => a * b * UBig::from(4_u8),
    };
    let k = UBig::from(max_rows_per_person);
    one_row * &k * k
}

/// Δ², the squared sensitivity of all second moments of records whose features have a squared norm of at most `features` and
/// whose outcomes one of at most `outcomes`; also where only the outcomes' squares are released of Y'Y, for leaving cells out
/// cannot raise it (primo 1.5, augmented). R² = B_x² + B_y²: R⁴, or 2 R⁴ under replace-one.
#[must_use]
pub fn augmented_sensitivity_squared(
    features: u64,
    outcomes: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let square = UBig::from(features) + UBig::from(outcomes);
    let one_row = match adjacency {
        Adjacency::AddRemove => &square * &square,
        Adjacency::ReplaceOne => &square * &square * UBig::from(2_u8),
    };
    let k = UBig::from(max_rows_per_person);
    one_row * &k * k
}

/// Δ², the squared sensitivity of X'Y by itself under replace-one (primo 2.2): ‖x y' − x̃ ỹ'‖² <= (2 B_x B_y)², which is reached where
/// the outcomes alone are replaced, by their opposite. Where features are public, x may stand for any integers t that follow from
/// all the rows' features and from nothing else: replacing y moves the sum of t y' by ‖t‖ ‖y − ỹ‖, so that the same bound holds
/// while ‖t‖ <= B_x, which whoever makes t has to decide in integers. `outcomes` is B_y², times the weight of a cell's noise as in
/// [`joint_sensitivity_squared`].
#[must_use]
pub fn cross_sensitivity_squared(features: u64, outcomes: u64, max_rows_per_person: u32) -> UBig {
    let k = UBig::from(max_rows_per_person);
    UBig::from(features) * UBig::from(outcomes) * UBig::from(4_u8) * &k * k
}

/// Δ², the squared sensitivity of `steps` sums of gradients together, each of which has `columns` columns of records' integers of
/// length at most `clip` (primo 1.12): T columns C² under add-remove, four times that under replace-one.
#[must_use]
pub fn gradient_sensitivity_squared(
    clip: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
    columns: u64,
    steps: u32,
) -> UBig {
    let (clip, k) = (UBig::from(clip), UBig::from(max_rows_per_person));
    let one = match adjacency {
        Adjacency::AddRemove => &clip * &clip,
        Adjacency::ReplaceOne => &clip * &clip * UBig::from(4_u8),
    };
    one * &k * k * UBig::from(columns) * composed(u64::from(steps))
}

/// κ of a logistic step, in units of 10⁻¹³ and rounded up: √ of the largest 16 q² (1 − q) / (3 + q), at q = √7 − 2, where a
/// record is replaced, and of 16 q² (1 − q) / (1 + q), at the golden ratio's conjugate, where one is added (pmt 2.6).
const LOGISTIC_KAPPA: [u64; 2] = [8_051_668_637_422, 12_011_324_240_032];

/// 2 H² of [`logistic_sensitivity_squared`] at g = 1/8, in units of 10⁻¹³ and rounded up.
const RIGHT_ANGLE: u64 = 1_332_038_819_191;

/// By how much 2 H² grows with g² from 1/8 to 1/6, 0.1402002943971 there, in units of 10⁻¹³ and rounded up.
const RIGHT_ANGLE_SLOPE: u64 = 5_757_047_981_953;

/// The least length G of a record's gradient that pays for its curvature too, which is w `curvature` long, w <= 1/4: G >= κ
/// `curvature` / 4 (pmt 2.6).
#[must_use]
pub fn logistic_gradient(curvature: u64, adjacency: Adjacency) -> u64 {
    let kappa = match adjacency {
        Adjacency::ReplaceOne => LOGISTIC_KAPPA[0],
        Adjacency::AddRemove => LOGISTIC_KAPPA[1],
    };
    if is_active(Mutant::CurvatureUncounted) {
        return curvature / 40;
    }
    let least = ceil_div(&(UBig::from(curvature) * UBig::from(kappa)), &UBig::from(40_000_000_000_000_u64));
    u64::try_from(least).unwrap_or(u64::MAX)
}

/// Δ², the squared sensitivity of `steps` sums of a logistic regression's gradients and curvatures together (pmt 2.6).
///
/// A record whose error has the size q in 0 to 1 gives q G x and w h x x', with ‖x‖ <= 1, w <= q (1 − q), G = `gradient` and h =
/// `curvature`: a large error forces a small curvature. Replacing one moves both, in squares, by at most
/// h² (w² + w̃² − 2 w w̃ c²) + G² (q² + q̃² + 2 q q̃ c), where c is the cosine between x and x̃. It is largest at c = 1, q̃ = 1 and
/// w̃ = 0: h² q² (1 − q)² + G² (1 + q)², and that is at most 4 G² where G >= κ h / 4 ([`logistic_gradient`]); adding one moves them by
/// h² q² (1 − q)² + G² q², at most G² there. k rows of one person multiply Δ by k. A weight below 1 on the error alone lowers it.
///
/// Below that gradient, for g = G/h from 1/8 to 1/6, which is what `pmt-glm`'s paper prints, the most F of a replacement over h² is
/// at equal errors and nearly a right angle. It is convex in w and w̃, so either is 0 or as large as its error lets it be.
///
/// - Both as large, errors up to 9/10: −2 w w̃ c² + 2 g² q q̃ c, whatever c, is at most g⁴ q q̃ / (2 (1 − q) (1 − q̃)), which is at most
///   half of the sum of both squares of g² q / (1 − q) / √2. So F <= H(q)² + H(q̃)² with H(q) = q (1 − q) + g² q / (2 (1 − q)), whose
///   largest up to 9/10 is where 1 − 2 u = g² / (2 u²), u = 1 − q near 1/2. At q = q̃ and c = g² / (2 u²) F is 2 H(q)².
/// - One of them 0, or an error above 9/10: F <= q² (1 − q)² + g² (1 + q)² + (9/100)², which is below that for every such g.
///
/// F is the largest of functions that are linear in g², so it is convex in g² and below its chord: `RIGHT_ANGLE` at 1/8, and from
/// there to 1/6 `RIGHT_ANGLE_SLOPE` times what g² is more. Elsewhere the two are bounded one by one.
#[must_use]
pub fn logistic_sensitivity_squared(
    gradient: u64,
    curvature: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
    steps: u64,
) -> UBig {
    let square = UBig::from(gradient) * UBig::from(gradient);
    let apart = UBig::from(curvature) * UBig::from(curvature);
    let paid = gradient >= logistic_gradient(curvature, adjacency) || is_active(Mutant::CurvatureUncounted);
    let [eighths, sixths] = [64_u8, 36].map(|times| &square * UBig::from(times));
    let one_row = match (adjacency, paid) {
        (Adjacency::AddRemove, true) => square,
        (Adjacency::AddRemove, false) => square + ceil_div(&apart, &UBig::from(16_u8)),
        (Adjacency::ReplaceOne, true) => square * UBig::from(4_u8),
        (Adjacency::ReplaceOne, false) if eighths >= apart && sixths <= apart => {
            let more = (eighths - &apart) * UBig::from(RIGHT_ANGLE_SLOPE);
            let parts = apart * UBig::from(RIGHT_ANGLE) + ceil_div(&more, &UBig::from(64_u8));
            ceil_div(&parts, &UBig::from(10_000_000_000_000_u64))
        }
        (Adjacency::ReplaceOne, false) => square * UBig::from(4_u8) + ceil_div(&apart, &UBig::from(8_u8)),
    };
    let k = UBig::from(max_rows_per_person);
    one_row * &k * k * composed(steps)
}

/// How many releases of one after the other count.
fn composed(steps: u64) -> UBig {
    if is_active(Mutant::StepsUncounted) { UBig::ONE } else { UBig::from(steps) }
}

/// S for a release of squared sensitivity Δ² that may cost `units` of the Gaussian wallet: the least integer with
/// Δ² 2^40 <= units S².
///
/// # Errors
/// When there are no units or S is out of range.
pub fn noise_scale(delta_squared: &UBig, units: u128) -> Result<NoiseScale, CalibrationError> {
    noise_scale_for(delta_squared, &UBig::from(units), &(UBig::ONE << UNIT_BITS))
}

/// S for a release of squared sensitivity Δ² at μ² = numerator / denominator: the least integer with
/// Δ² denominator <= numerator S².
///
/// # Errors
/// When μ is 0 or S is out of range.
pub fn noise_scale_for(
    delta_squared: &UBig,
    numerator: &UBig,
    denominator: &UBig,
) -> Result<NoiseScale, CalibrationError> {
    if numerator.is_zero() {
        return Err(CalibrationError::Nothing);
    }
    let square = ceil_div(&(delta_squared * denominator), numerator);
    let root = square.sqrt();
    let s = if &root * &root < square { root + UBig::ONE } else { root };
    NoiseScale::from_exact(&s)
}

/// What discrete Gaussian noise of scale S costs the Gaussian wallet: ⌈Δ² 2^40 / S²⌉.
///
/// # Errors
/// When it is beyond 128 bits.
pub fn gaussian_charge(delta_squared: &UBig, scale: NoiseScale) -> Result<u128, CalibrationError> {
    charge(delta_squared << UNIT_BITS, &scale.square())
}

/// ρ = Δ² / (2 S²) in units of 2^-40, rounded up; for display beside a charge.
///
/// # Errors
/// When it is beyond 128 bits.
pub fn rho_charge_units(delta_squared: &UBig, scale: NoiseScale) -> Result<u128, CalibrationError> {
    charge(delta_squared << UNIT_BITS, &(scale.square() * UBig::from(2_u8)))
}

fn charge(numerator: UBig, denominator: &UBig) -> Result<u128, CalibrationError> {
    let units = if is_active(Mutant::ChargeRoundedDown) {
        numerator / denominator
    } else {
        ceil_div(&numerator, denominator)
    };
    u128::try_from(units).map_err(|_| CalibrationError::TooLarge)
}

/// What ε costs the Other wallet: ⌈ε 2^40⌉.
///
/// # Errors
/// When it is beyond 128 bits.
pub fn epsilon_charge(epsilon: Epsilon) -> Result<u128, CalibrationError> {
    units_up(epsilon.get(), UNIT_BITS)
}

/// What δ costs the Other wallet: ⌈δ 2^100⌉.
///
/// # Errors
/// When it is beyond 128 bits.
pub fn delta_charge(delta: Delta) -> Result<u128, CalibrationError> {
    units_up(delta.get(), DELTA_BITS)
}

fn units_up(value: f64, bits: usize) -> Result<u128, CalibrationError> {
    ceil_scaled(value, bits).and_then(|units| u128::try_from(units).ok()).ok_or(CalibrationError::TooLarge)
}

/// What the discreteness of the noise costs, in units of δ, rounded up: ⌈(1 + e^ε*) η 2^100⌉.
///
/// η is the sum over the cells of the total variation between discrete and rounded continuous noise of variance s, at
/// most 0.0202/s + 0.0316/s^1.5; s is S² for the diagonal cells and S²/2 for the others (noise-and-accounting, A8 c).
/// A sum beyond 128 bits saturates, and no ledger admits it.
#[must_use]
pub fn slack_charge(
    promise: Epsilon,
    cells_diagonal: u64,
    cells_off_diagonal: u64,
    scale: NoiseScale,
) -> u128 {
    #[expect(clippy::cast_precision_loss, reason = "the margin is far above one rounding")]
    let [diagonal, off_diagonal, s] =
        [cells_diagonal, cells_off_diagonal, scale.get().get()].map(|n| n as f64);
    let eta = diagonal * total_variation_bound(s * s) + off_diagonal * total_variation_bound(s * s / 2.0);
    let slack = raise((1.0 + libm::exp(promise.get())) * eta, MARGIN);
    units_up(slack, DELTA_BITS).unwrap_or(u128::MAX)
}

/// Bound on the total variation between discrete Gaussian noise of variance s >= 1 and rounded continuous noise
/// (noise-and-accounting, A8 c); rounded to nearest.
#[must_use]
pub fn total_variation_bound(variance: f64) -> f64 {
    0.0202 / variance + 0.0316 / (variance * libm::sqrt(variance))
}

fn ceil_div(numerator: &UBig, denominator: &UBig) -> UBig {
    (numerator + denominator - UBig::ONE) / denominator
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epsilon_delta(epsilon: f64, delta: f64) -> Budget {
        Budget::EpsilonDelta {
            epsilon: Epsilon::try_new(epsilon).unwrap(),
            delta: Delta::try_new(delta).unwrap(),
        }
    }

    #[test]
    fn a_plan_for_all_of_a_ledger_fits_exactly() {
        for (epsilon, delta) in [(0.1, 1e-5), (1.0, 1e-6), (4.0, 1e-9)] {
            let ledger = budget_parts(&epsilon_delta(epsilon, delta), &Split::Gaussian).unwrap();
            for delta_squared in
                [UBig::ONE << 96, UBig::from(2_u8) << 96, (UBig::ONE << 96) - UBig::from(12345_u16)]
            {
                let scale = noise_scale(&delta_squared, ledger.capacity.gaussian).unwrap();
                assert!(gaussian_charge(&delta_squared, scale).unwrap() <= ledger.capacity.gaussian);
                assert!(slack_charge(ledger.promise.unwrap().0, 102, 5151, scale) <= ledger.capacity.slack);
            }
            let other = budget_parts(&epsilon_delta(epsilon, delta), &Split::Other).unwrap();
            let (e, d) = (epsilon_of_units(other.capacity.epsilon), delta_of_units(other.capacity.delta));
            assert_eq!(epsilon_charge(e), Ok(other.capacity.epsilon));
            assert_eq!(delta_charge(d), Ok(other.capacity.delta));
        }
    }

    #[test]
    fn the_three_forms_agree() {
        let mu = Mu::try_new(0.5).unwrap();
        let delta = Delta::try_new(1e-6).unwrap();
        let by_mu = budget_parts(&Budget::Mu { mu, delta: Some(delta) }, &Split::Gaussian).unwrap();
        let rho = Rho::try_new(0.125).unwrap();
        let by_rho = budget_parts(&Budget::Rho { rho, delta: Some(delta) }, &Split::Gaussian).unwrap();
        assert_eq!(by_mu, by_rho);
        assert_eq!(by_mu.capacity.gaussian, 1 << 38);
        let (epsilon, delta) = by_mu.promise.unwrap();
        assert_eq!(verified_capacity(epsilon, delta, &by_mu.pair), Ok(by_mu.capacity));
        let back = budget_parts(&Budget::EpsilonDelta { epsilon, delta }, &Split::Gaussian).unwrap();
        assert!((back.pair.mu.get() - 0.5).abs() < 1e-6, "{}", back.pair.mu);
        let bare = budget_parts(&Budget::Mu { mu, delta: None }, &Split::Gaussian).unwrap();
        assert_eq!((bare.promise, bare.capacity.gaussian, bare.capacity.slack), (None, 1 << 38, 0));
    }

    #[test]
    fn a_split_that_does_not_keep_the_promise_is_refused() {
        let explicit = |epsilon: f64, delta: f64| Split::Explicit {
            epsilon: Epsilon::try_new(epsilon).unwrap(),
            delta: Delta::try_new(delta).unwrap(),
        };
        let budget = epsilon_delta(1.0, 1e-6);
        assert!(matches!(budget_parts(&budget, &explicit(3.0, 0.0)), Err(CalibrationError::Split { .. })));
        assert!(matches!(budget_parts(&budget, &explicit(0.5, 2e-6)), Err(CalibrationError::Split { .. })));
        assert!(budget_parts(&budget, &explicit(0.5, 1e-7)).is_ok());
        let both = budget_parts(&budget, &Split::Both).unwrap();
        assert_eq!(both.capacity.epsilon, 1 << 39);
        assert!(both.capacity.gaussian > 0 && both.capacity.delta > 0);
        let mu = Budget::Mu { mu: Mu::try_new(1.0).unwrap(), delta: None };
        assert_eq!(budget_parts(&mu, &Split::Both), Err(CalibrationError::SplitNeedsEpsilon));
    }

    #[test]
    fn budgets_out_of_range_are_refused_in_words() {
        for delta in [0.0, 1e-13, 1.0] {
            let error = budget_parts(&epsilon_delta(1.0, delta), &Split::Gaussian).unwrap_err();
            assert!(matches!(error, CalibrationError::Delta(_)), "{error}");
        }
        let huge = Budget::Mu { mu: Mu::try_new(1e20).unwrap(), delta: None };
        assert_eq!(budget_parts(&huge, &Split::Gaussian), Err(CalibrationError::TooLarge));
        let tiny = Budget::Mu { mu: Mu::try_new(1e-9).unwrap(), delta: None };
        assert_eq!(budget_parts(&tiny, &Split::Gaussian), Err(CalibrationError::Nothing));
        let square = UBig::ONE << 96;
        assert!(matches!(noise_scale(&square, 1), Err(CalibrationError::ScaleTooLarge(_))));
        assert!(matches!(noise_scale(&square, 1 << 60), Err(CalibrationError::ScaleTooSmall(_))));
        assert_eq!(noise_scale(&square, 0), Err(CalibrationError::Nothing));
        assert!(NoiseScale::try_new(0).is_err() && NoiseScale::try_new((1 << 40) - 1).is_err());
        assert!(NoiseScale::try_new(1 << 40).is_ok() && NoiseScale::try_new(1 << 55).is_ok());
        assert!(matches!(NoiseScale::try_new((1 << 55) + 1), Err(CalibrationError::ScaleTooLarge(_))));
    }

    #[test]
    fn the_large_constant_under_replacement() {
        let square = |constant, all| sensitivity_squared(constant, 1000, Adjacency::ReplaceOne, 1, all);
        assert_eq!(square(3000, true), UBig::from(8_u64 * 9_000_000 * 1_000_000));
        assert_eq!(square(3000, false), UBig::from(10_000_000_u64 * 10_000_000));
        assert_eq!(square(1001, false), square(1001, true));
        assert_eq!(square(500, true), square(500, false));
        let rows = |k| sensitivity_squared(500, 1000, Adjacency::AddRemove, k, true);
        assert_eq!(rows(3), rows(1) * UBig::from(9_u8));
    }

    #[test]
    fn a_logistic_step_is_never_longer_than_its_sensitivity_and_can_be_as_long() {
        let curvature = 1_u64 << 46;
        let h = curvature as f64;
        for adjacency in [Adjacency::ReplaceOne, Adjacency::AddRemove] {
            let gradient = logistic_gradient(curvature, adjacency);
            let g = gradient as f64;
            let bound = logistic_sensitivity_squared(gradient, curvature, adjacency, 1, 1).to_f64().value();
            let mut largest: f64 = 0.0;
            let grid = |steps: u32| (0..=steps).map(move |step| f64::from(step) / f64::from(steps));
            for q in grid(1_000) {
                let w = q * (1.0 - q);
                if adjacency == Adjacency::AddRemove {
                    largest = largest.max(h * h * w * w + g * g * q * q);
                    continue;
                }
                for (p, c) in grid(100).flat_map(|p| grid(20).map(move |c| (p, c))) {
                    let v = p * (1.0 - p);
                    let cross = g * g * (q * q + p * p + 2.0 * q * p * c);
                    largest = largest.max(h * h * (w * w + v * v - 2.0 * w * v * c * c) + cross);
                }
            }
            assert!(largest <= bound * (1.0 + 1e-12), "{adjacency:?}: {largest} above {bound}");
            // With the curvature left out the bound would be what the gradient alone reaches, at q = 1.
            let inner = |q: f64| match adjacency {
                Adjacency::ReplaceOne => h * h * (q * (1.0 - q)).powi(2) + g * g * (1.0 + q).powi(2),
                Adjacency::AddRemove => h * h * (q * (1.0 - q)).powi(2) + g * g * q * q,
            };
            let worst = match adjacency {
                Adjacency::ReplaceOne => 7_f64.sqrt() - 2.0,
                Adjacency::AddRemove => (5_f64.sqrt() - 1.0) / 2.0,
            };
            assert!((inner(worst) / bound - 1.0).abs() < 1e-9, "{adjacency:?}: {}", inner(worst) / bound);
        }
        let rows = |k, steps| logistic_sensitivity_squared(1 << 20, 1 << 20, Adjacency::AddRemove, k, steps);
        assert_eq!(rows(3, 4), rows(1, 1) * UBig::from(36_u8));
    }

    /// F over h², of errors, curvatures up to what they allow, and a cosine.
    fn moved(g: f64, [q, p]: [f64; 2], [w, v]: [f64; 2], c: f64) -> f64 {
        w * w + v * v - 2.0 * w * v * c * c + g * g * (q * q + p * p + 2.0 * q * p * c)
    }

    #[test]
    fn short_gradients_move_a_logistic_step_by_the_right_angle_and_no_more() {
        let curvature = 1_u64 << 46;
        let h = curvature as f64;
        let bound_at = |gradient| {
            let squared = logistic_sensitivity_squared(gradient, curvature, Adjacency::ReplaceOne, 1, 1);
            squared.to_f64().value() / h / h
        };
        let grid = |steps: u32| (0..=steps).map(move |step| f64::from(step) / f64::from(steps));
        for (tenths, most) in [(80, 1e-9), (75, 1e-3), (70, 1e-3), (65, 1e-3), (60, 1e-9)] {
            let gradient = curvature * 10 / tenths;
            let (bound, g) = (bound_at(gradient), gradient as f64 / h);
            let mut largest: f64 = 0.0;
            for (q, p, c) in
                grid(200).flat_map(|q| grid(200).flat_map(move |p| grid(50).map(move |c| (q, p, c))))
            {
                let full = [q * (1.0 - q), p * (1.0 - p)];
                for w in [full, [full[0], 0.0], [full[0], full[1] / 2.0]] {
                    largest = largest.max(moved(g, [q, p], w, c));
                }
            }
            assert!(largest <= bound * (1.0 + 1e-12), "h 10/{tenths}: {largest} above {bound}");
            // The angle and the errors of the worst pair, where the chord touches: at both its ends.
            let mut u: f64 = 0.5;
            for _ in 0..50 {
                u = (1.0 - g * g / (2.0 * u * u)) / 2.0;
            }
            let worst = moved(g, [1.0 - u; 2], [u * (1.0 - u); 2], g * g / (2.0 * u * u));
            assert!((0.0..most).contains(&(bound / worst - 1.0)), "h 10/{tenths}: {worst} and {bound}");
        }
        // Beyond, one by one.
        for gradient in [curvature / 8 - 1, curvature / 6 + 1] {
            let apart = 4.0 * (gradient as f64 / h).powi(2) + 0.125;
            assert!((bound_at(gradient) / apart - 1.0).abs() < 1e-9, "{gradient}");
        }
    }

    #[test]
    fn the_slack_of_the_specification_s_example() {
        // p = 102 and S = 2^46: eta <= 2^-84, so at a small epsilon the charge is below (1 + e) 2^16.
        let scale = NoiseScale::try_new(1 << 46).unwrap();
        let slack = slack_charge(Epsilon::ZERO, 102, 5151, scale);
        assert!(slack > 1 && slack <= 2 << 16, "{slack}");
        assert_eq!(slack_charge(Epsilon::try_new(1e4).unwrap(), 1, 0, scale), u128::MAX);
    }
}
