//! Squared sensitivities Δ² of what is summed, as exact integers (theory/encoding 3, theory/many-outcomes, theory/public-moments 3.3 and
//! theory/adaptive 3.2).

use dashu_int::UBig;

use super::adjacency::Adjacency;
use super::calibrate::ceil_div;
use super::mutants::{Mutant, is_active};

/// Returns Δ², the squared sensitivity of the second moments, exactly (theory/encoding 3).
///
/// A record is (c, q) with ‖q‖ <= W, and R² = c² + W². Δ² is R⁴ under add-remove and 2 R⁴ under replace-one, times k² for k
/// rows per person. Under replace-one with c > W it is 8 c² W² if each person has k rows and each row contains the constant.
/// Otherwise it is the larger of 8 c² W² and R⁴, because a person's row may become zero.
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

/// Returns Δ², the squared sensitivity of the features' moments X'X together with the cross moments X'Y, exactly
/// (theory/many-outcomes 2.1).
///
/// A record has features of squared norm at most `features` = B_x² and outcomes of squared norm at most B_y². `cross` is
/// w² B_y², where w² is the variance of the noise on the diagonal of X'X divided by that on X'Y, so κ = `cross` / B_x². In
/// coordinates in which all noise has the same variance, the record (x, y) is svec(x x') with w x y'. Adding a record moves the
/// sums by ‖x‖² √(‖x‖² + w² ‖y‖²) <= B_x² √(1 + κ). Replacing one moves them by at most √2 B_x² (1 + κ/2) if κ <= 2, reached
/// where the cosine of the angle between x and x̃ is κ/2, and by at most 2 √κ B_x² if κ > 2, reached at x̃ = ±x. In integers:
///
/// - add-remove: B_x⁴ + B_x² `cross`;
/// - replace-one: (2 B_x² + `cross`)² / 2, rounded up, where `cross` <= 2 B_x², else 4 B_x² `cross`.
///
/// k rows of one person multiply Δ by k. The same Δ holds if outcomes are public and B_y is the largest norm among them.
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

/// Returns Δ², the squared sensitivity of all second moments of records whose features have the squared norm B_x² <= `features`
/// and whose outcomes have B_y² <= `outcomes` (theory/many-outcomes 2.3). With R² = B_x² + B_y² it is R⁴, or 2 R⁴ under
/// replace-one. It also holds if only the diagonal of Y'Y is released, because omitted cells cannot raise it.
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

/// Returns Δ², the squared sensitivity of the second moments of so many `blocks` of each person, each of the squared norm W² <= `square`
/// (theory/adaptive 3.2): `blocks` times that of one record.
pub fn blocks_sensitivity_squared(square: u64, blocks: u64, adjacency: Adjacency) -> UBig {
    augmented_sensitivity_squared(square, 0, adjacency, 1) * UBig::from(blocks)
}

/// Returns Δ², the squared sensitivity of X'Y alone under replace-one: ‖x y' − x̃ ỹ'‖² <= (2 B_x B_y)², reached when only the
/// outcomes are replaced, by their negatives (theory/many-outcomes 6.2).
///
/// If features are public, x may be any integers t that follow from the features of all rows and from nothing else. Replacing y
/// moves the sum of t y' by ‖t‖ ‖y − ỹ‖, so the bound holds if ‖t‖ <= B_x. The caller checks that in integers. `outcomes` is
/// B_y² times the weight of a cell's noise, as in [`joint_sensitivity_squared`].
pub fn cross_sensitivity_squared(features: u64, outcomes: u64, max_rows_per_person: u32) -> UBig {
    let k = UBig::from(max_rows_per_person);
    UBig::from(features) * UBig::from(outcomes) * UBig::from(4_u8) * &k * k
}

/// Returns Δ², the squared sensitivity of T = `steps` sums of gradients together (theory/many-outcomes 5.4). A record adds
/// `columns` integer vectors of norm at most C = `clip` to each sum: Δ² is T `columns` C² under add-remove and four times that
/// under replace-one.
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

/// κ of a logistic step, in units of 10⁻¹³ and rounded up. Under replace-one: the root of the maximum of
/// 16 q² (1 − q) / (3 + q), at q = √7 − 2. Under add-remove: of 16 q² (1 − q) / (1 + q), at q = (√5 − 1)/2
/// (theory/public-moments 3.3).
const LOGISTIC_KAPPA: [u64; 2] = [8_051_668_637_422, 12_011_324_240_032];

/// 2 H² of [`logistic_sensitivity_squared`] at g = 1/8, in units of 10⁻¹³ and rounded up.
const RIGHT_ANGLE: u64 = 1_332_038_819_191;

/// Growth of 2 H² divided by that of g² between g = 1/8 and g = 1/6, where 2 H² is 0.1402002943971, in units of 10⁻¹³ and
/// rounded up.
const RIGHT_ANGLE_SLOPE: u64 = 5_757_047_981_953;

/// Returns the least norm G of a record's gradient at which the curvature does not raise the sensitivity: the least integer
/// G >= κ `curvature` / 4 (theory/public-moments 3.3). The norm of a record's curvature is w `curvature`, w <= 1/4.
pub fn logistic_gradient(curvature: u64, adjacency: Adjacency) -> u64 {
    let kappa = match adjacency {
        Adjacency::AddRemove if !is_active(Mutant::KappaOfReplaceOne) => LOGISTIC_KAPPA[1],
        _ => LOGISTIC_KAPPA[0],
    };
    if is_active(Mutant::CurvatureUncounted) {
        return curvature / 40;
    }
    let least = ceil_div(&(UBig::from(curvature) * UBig::from(kappa)), &UBig::from(40_000_000_000_000_u64));
    u64::try_from(least).unwrap_or(u64::MAX)
}

/// κ with seven places, rounded up, in units of 10⁻⁷: under replace-one and under add-remove.
const LOGISTIC_ERROR_KAPPA: [u64; 2] = [8_051_669, 12_011_325];

/// Returns κ of a logistic step: the noise of a curvature whose weights are multiplied by 4, in units of that of a gradient.
pub fn logistic_curvature_share(adjacency: Adjacency) -> f64 {
    let [replaced, added] = LOGISTIC_ERROR_KAPPA;
    let kappa = if adjacency == Adjacency::AddRemove { added } else { replaced };
    let kappa = kappa as f64;
    kappa / 1e7
}

/// Returns E = ⌈κ 2^m B / 4⌉, the number of levels of an error. The curvature's weights have m = `bits` bits after the point, and
/// B = `length` is the largest norm of a record's features. The gradient's norm E B is then at least κ/4 times the curvature's
/// 2^m B², so that the curvature does not raise the sensitivity (theory/public-moments 3.3, theory/adaptive-logistic 3.2).
pub fn logistic_errors(length: u64, bits: u32, adjacency: Adjacency) -> u64 {
    let kappa = match adjacency {
        Adjacency::AddRemove if !is_active(Mutant::KappaOfReplaceOne) => LOGISTIC_ERROR_KAPPA[1],
        _ => LOGISTIC_ERROR_KAPPA[0],
    };
    let curvature = UBig::from(length) << usize::try_from(bits).unwrap_or(0);
    if is_active(Mutant::CurvatureUncounted) {
        return u64::try_from(curvature / UBig::from(40_u8)).unwrap_or(u64::MAX);
    }
    u64::try_from(ceil_div(&(curvature * UBig::from(kappa)), &UBig::from(40_000_000_u64))).unwrap_or(u64::MAX)
}

/// Returns Δ², the squared sensitivity of `steps` sums of gradients and curvatures of a logistic regression together
/// (theory/public-moments 3.3).
///
/// A record whose error has the absolute value q, 0 <= q <= 1, adds q G x to the gradient and w h x x' to the curvature, with
/// ‖x‖ <= 1, w <= q (1 − q), G = `gradient` and h = `curvature`. A large error so implies a small curvature. Replacing a record
/// moves both sums, squared, by at most h² (w² + w̃² − 2 w w̃ c²) + G² (q² + q̃² + 2 q q̃ c), where c is the cosine between x
/// and x̃. If G >= κ h / 4 ([`logistic_gradient`]), the maximum is at c = 1, q̃ = 1 and w̃ = 0: h² q² (1 − q)² + G² (1 + q)²,
/// which is at most 4 G². Adding a record then moves them by h² q² (1 − q)² + G² q², at most G². k rows of one person multiply Δ
/// by k. A weight below 1 on the error alone lowers it.
///
/// For smaller gradients, with g = G/h from 1/8 to 1/6 (the values that the paper of `pmt-glm` prints), the maximum F of a
/// replacement divided by h² is at equal errors and nearly a right angle. F is convex in w and in w̃, so each is either 0 or its
/// largest value.
///
/// - Both largest, errors up to 9/10: for every c, −2 w w̃ c² + 2 g² q q̃ c <= g⁴ q q̃ / (2 (1 − q) (1 − q̃)), which is at most half
///   of the sum of both squares of g² q / (1 − q) / √2. So F <= H(q)² + H(q̃)² with H(q) = q (1 − q) + g² q / (2 (1 − q)). Its
///   maximum up to 9/10 is where 1 − 2 u = g² / (2 u²), u = 1 − q near 1/2. At q = q̃ and c = g² / (2 u²), F is 2 H(q)².
/// - One of them 0, or an error above 9/10: F <= q² (1 − q)² + g² (1 + q)² + (9/100)², which is smaller for every such g.
///
/// F is a maximum of functions that are linear in g², so it is convex in g² and below its chord: `RIGHT_ANGLE` at g = 1/8, rising
/// by `RIGHT_ANGLE_SLOPE` times the increase of g² up to g = 1/6. For other g the gradient and the curvature are bounded separately.
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
        (Adjacency::ReplaceOne, true) if is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => square,
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

/// Returns Δ², the squared sensitivity of the margins together: the count, and the sum and the sum of squares of each of
/// `columns` columns (theory/adaptive 3.2). Codes are at most `level` = N. Sums are multiplied by N and a count by N².
///
/// A record adds N² to the count, at most N² to a sum and at most N² to a sum of squares; a category has one dummy that is not 0, so it
/// counts as one column: N⁴ (1 + 2 C) under add-remove. Replacing moves the count by nothing and a number's two sums, in units of N²,
/// by (t − t̃)² + (t² − t̃²)² = a² (1 + (t + t̃)²) with a = |t − t̃|; |t + t̃| <= 2 − a and a² (1 + (2 − a)²) increases to 4 at a = 2. A
/// category moves by 4, from one dummy to another. So 4 C N⁴; against the zero row of a skipped record it is 1 + 2 C, and that is at
/// most 4 C. k rows of one person are k such moves, one after the other.
pub fn margins_sensitivity_squared(
    level: u64,
    columns: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let square = UBig::from(level) * UBig::from(level);
    let columns = UBig::from(columns);
    let moved = match adjacency {
        Adjacency::ReplaceOne if !is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => {
            columns * UBig::from(4_u8)
        }
        _ => columns * UBig::from(2_u8) + UBig::ONE,
    };
    let k = UBig::from(max_rows_per_person);
    &square * &square * moved * &k * k
}

/// Returns Δ², the squared sensitivity of `histograms` histograms together, in each of which a record is `unit` in one bin: U²
/// for each under add-remove, 2 U² under replace-one, where it leaves one bin for another (theory/adaptive 3.2).
pub fn histograms_sensitivity_squared(
    unit: u64,
    histograms: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let histograms = if is_active(Mutant::HistogramsCountedOnce) { 1 } else { histograms };
    let moved = match adjacency {
        Adjacency::ReplaceOne if !is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => 2_u8,
        _ => 1,
    };
    let k = UBig::from(max_rows_per_person);
    UBig::from(unit) * UBig::from(unit) * UBig::from(histograms) * UBig::from(moved) * &k * k
}

/// Returns q, by how much the noise on squares and on products of one side is larger than that on the products of features with
/// outcomes, in [`weighted_sensitivity_squared`] (theory/adaptive 6.1). Under replace-one a larger one buys nothing.
pub const fn cross_weight(adjacency: Adjacency) -> u32 {
    match adjacency {
        Adjacency::AddRemove => 2,
        Adjacency::ReplaceOne => 1,
    }
}

/// Returns Δ², the squared sensitivity of all second moments of records (x, y), rounded up (theory/adaptive 3.2). Features have a
/// squared norm of at most `features` = B², outcomes one of at most `outcomes`. The noise has the variance S²/2 on x y′ and, with
/// q = [`cross_weight`], q² S² on the squares and q² S²/2 on the other products.
///
/// In units of q S a record is ‖x‖⁴ + 2 q² ‖x‖² ‖y‖² + ‖y‖⁴, largest where both are longest; in units of S that is divided by q². Under
/// replace-one q is 1 and this is ‖z z′ − z̃ z̃′‖² for z = (x, y), at most 2 (B² + ‖y‖²)².
pub fn weighted_sensitivity_squared(
    features: u64,
    outcomes: u64,
    adjacency: Adjacency,
    max_rows_per_person: u32,
) -> UBig {
    let (x, y) = (UBig::from(features), UBig::from(outcomes));
    let y = if is_active(Mutant::CrossMomentsUncounted) { UBig::ZERO } else { y };
    let q = UBig::from(cross_weight(adjacency));
    let q2 = &q * &q;
    let sum = &x + &y;
    let one_row = match adjacency {
        Adjacency::ReplaceOne if !is_active(Mutant::AddRemoveDeltaUnderReplaceOne) => {
            &sum * &sum * UBig::from(2_u8)
        }
        _ => &x * &x + &x * &y * &q2 * UBig::from(2_u8) + &y * &y,
    };
    let k = UBig::from(max_rows_per_person);
    ceil_div(&(one_row * &k * k), &q2)
}

/// Returns the factor by which composition of `steps` releases multiplies Δ².
fn composed(steps: u64) -> UBig {
    if is_active(Mutant::StepsUncounted) { UBig::ONE } else { UBig::from(steps) }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    /// Returns F over h², of errors, curvatures up to what they allow, and a cosine.
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
        // Larger values are tested one by one.
        for gradient in [curvature / 8 - 1, curvature / 6 + 1] {
            let apart = 4.0 * (gradient as f64 / h).powi(2) + 0.125;
            assert!((bound_at(gradient) / apart - 1.0).abs() < 1e-9, "{gradient}");
        }
    }
}
