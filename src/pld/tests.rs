use super::*;
use crate::privacy::compose::{Pair, delta_total};
use crate::privacy::convert::{gdp_delta, gdp_epsilon};
use crate::privacy::measure::Mu;
use crate::privacy::measure::of_tests::{delta, epsilon};

fn times(count: u32, mechanism: Mechanism) -> Repeated {
    Repeated::try_new(mechanism, count).unwrap()
}

fn gaussian(count: u32, sigma: f64) -> [Repeated; 1] {
    [times(count, Mechanism::Gaussian { sigma })]
}

/// Returns δ(ε) of the composition alone, without what is added at the end.
fn bare(releases: &[Repeated], step: f64, at: f64) -> f64 {
    composed(releases, Direction::Remove, Some(step)).unwrap().delta(at)
}

fn exact(sigma: f64, count: u32, at: f64) -> f64 {
    gdp_delta(epsilon(at), Mu::try_new(libm::sqrt(f64::from(count)) / sigma).unwrap()).get()
}

#[test]
fn one_gaussian_is_above_its_curve_and_comes_down_to_it() {
    for (sigma, point) in [(2.0, 0.5), (2.0, 1.0), (1.0, 2.0), (5.0, 0.125), (0.3, 8.0)] {
        // A third of a step beyond a point of each of the grids: on their points the dots are the curve itself.
        let at = point + libm::ldexp(1.0, -5) / 3.0;
        let truth = exact(sigma, 1, at);
        let excess = [5, 7, 9, 11].map(|bits| {
            let excess = bare(&gaussian(1, sigma), libm::ldexp(1.0, -bits), at) - truth;
            assert!(excess >= 0.0, "sigma {sigma}, epsilon {at}, step 2^-{bits}: {excess:e} below the curve");
            excess
        });
        // A quarter of the step has a sixteenth of the excess, until the allowance for rounding is larger.
        for pair in excess.windows(2) {
            assert!(pair[1] <= pair[0] / 15.0 + 1e-11, "sigma {sigma}, epsilon {at}: {excess:?}");
        }
    }
}

#[test]
fn many_gaussians_are_one_and_never_less() {
    for (sigma, count) in [(2.0, 1), (5.0, 10), (30.0, 100), (40.0, 1000), (100.0, 10_000), (0.5, 7)] {
        let mu = Mu::try_new(libm::sqrt(f64::from(count)) / sigma).unwrap();
        for d in [1e-3, 1e-6, 1e-8] {
            let truth = gdp_epsilon(mu, delta(d)).unwrap().get();
            let found = pld_eps(&gaussian(count, sigma), delta(d)).unwrap().get();
            assert!(found >= truth * (1.0 - 2e-9), "{count} of {sigma}, {d}: {found} below {truth}");
            assert!(found <= truth * 1.001 + 1e-6, "{count} of {sigma}, {d}: {found} far above {truth}");
            let (true_delta, found) =
                (exact(sigma, count, truth), pld_delta(&gaussian(count, sigma), epsilon(truth)).unwrap());
            assert!(found.get() >= true_delta, "{count} of {sigma} at {truth}");
            assert!(found.get() <= true_delta * 1.01 + 1.01 * rounding(&gaussian(count, sigma)).unwrap());
        }
    }
}

/// The amount that is added covers the rounding error of the transform: without it, and with a step so fine that the grid adds
/// nearly nothing, the composition stays within it of the curve.
#[test]
fn the_round_off_is_within_what_is_added() {
    for (sigma, count) in [(1.0, 1), (20.0, 100), (80.0, 1000), (250.0, 10_000), (800.0, 100_000)] {
        let releases = gaussian(count, sigma);
        let finest = composed(&releases, Direction::Remove, None).unwrap();
        let allowed = rounding(&releases).unwrap();
        for at in [3.0, 4.0, 6.0, 12.0] {
            let (truth, found) = (exact(sigma, count, at), finest.delta(at));
            assert!(
                found > truth - 0.01 * allowed,
                "{count} of {sigma} at {at}: {found:e}, exactly {truth:e}"
            );
            let grid = 0.01 * truth;
            assert!(
                found < truth + grid + allowed,
                "{count} of {sigma} at {at}: {found:e}, exactly {truth:e}"
            );
        }
    }
}

#[test]
fn pure_releases_compose_optimally() {
    // Kairouz, Oh and Viswanath 2015: δ(ε) = Σ over i of C(k, i) e^(i e) max(0, 1 − e^(ε − (2 i − k) e)) / (1 + e^e)^k.
    let optimal = |e: f64, k: u32, at: f64| -> f64 {
        let (mut ln_term, mut sum) = (-f64::from(k) * libm::log1p(libm::exp(e)), 0.0);
        for i in 0..=k {
            let loss = (2.0 * f64::from(i) - f64::from(k)) * e;
            sum += libm::exp(ln_term) * (-libm::expm1(at - loss)).max(0.0);
            ln_term += e + libm::log(f64::from(k - i) / f64::from(i + 1));
        }
        sum
    };
    for (e, k) in [(0.5, 1), (0.1, 30), (1.0, 4), (0.03, 200), (1e-4, 2000)] {
        let releases = [times(k, Mechanism::Approximate { epsilon: epsilon(e), delta: Delta::ZERO })];
        for share in [0.0, 0.1, 0.3, 0.7] {
            let at = share * e * f64::from(k);
            let (truth, found) = (optimal(e, k, at), pld_delta(&releases, epsilon(at)).unwrap().get());
            let allowed = 2.0 * rounding(&releases).unwrap();
            assert!(found >= truth, "{k} of {e} at {at}: {found:e} below {truth:e}");
            assert!(found <= truth * 1.003 + allowed, "{k} of {e} at {at}: {found:e}, {truth:e}");
        }
    }
}

#[test]
fn a_pure_release_beside_gaussians_is_the_curve_of_both_budgets() {
    let (e, d) = (epsilon(0.5), delta(1e-7));
    let other = times(1, Mechanism::Approximate { epsilon: e, delta: d });
    let releases = [times(3, Mechanism::Gaussian { sigma: 3.0 }), other];
    let pair = Pair { mu: Mu::try_new(libm::sqrt(3.0) / 3.0).unwrap(), epsilon: e, delta: d };
    for at in [0.2, 1.0, 2.5] {
        let truth = delta_total(epsilon(at), &pair).get();
        let found = pld_delta(&releases, epsilon(at)).unwrap().get();
        assert!(found >= truth * (1.0 - 1e-11) && found <= truth * 1.001, "{at}: {found:e}, {truth:e}");
    }
}

#[test]
fn subsampling_has_its_closed_form_in_both_directions() {
    // theory/accounting 4.4, one step: with y = (e^ε − (1 − q)) / q the remove direction is q δ(ln y).
    let (sigma, q) = (1.0, 0.01);
    let releases = [times(1, Mechanism::SubsampledGaussian { sigma, rate: q })];
    for at in [0.01, 0.1, 0.5, 1.0] {
        let inside = |e: f64| libm::log((libm::exp(e) - (1.0 - q)) / q);
        let remove = q * exact(sigma, 1, inside(at));
        let found = bare(&releases, USUAL_STEP, at);
        assert!(found >= remove && found <= remove * 1.001, "{at}: {found:e}, {remove:e}");
        // The add direction at ε is 1 − e^ε + e^ε times the remove direction at −ε, and stops at −ln(1 − q).
        let add = composed(&releases, Direction::Add, Some(USUAL_STEP)).unwrap().delta(at);
        assert!(add < remove, "{at}");
    }
    let add = composed(&releases, Direction::Add, Some(USUAL_STEP)).unwrap();
    assert!(add.delta(0.5) < 2e-15 && add.delta(0.0) > 0.0);
    // Sampling everybody is plain Gaussian noise.
    let all = times(1, Mechanism::SubsampledGaussian { sigma, rate: 1.0 });
    assert_eq!(all, gaussian(1, sigma)[0]);
}

#[test]
fn noise_on_the_integers_comes_near_to_continuous_noise() {
    let at = epsilon(0.4);
    for (integers, continuous) in [
        (Mechanism::DiscreteGaussian { sigma: 200.0, sensitivity: 100 }, Mechanism::Gaussian { sigma: 2.0 }),
        (Mechanism::DiscreteLaplace { a: 0.005, sensitivity: 100 }, Mechanism::Laplace { scale: 2.0 }),
    ] {
        let [integers, continuous] =
            [integers, continuous].map(|one| pld_delta(&[times(4, one)], at).unwrap().get());
        assert!((integers / continuous - 1.0).abs() < 0.01, "{integers} {continuous}");
    }
    // One answer exactly: sensitivity 1, δ(ε) of the discrete Laplace law is max(0, (1 − e^(ε − a)) / (1 + e^−a)).
    let one = [times(1, Mechanism::DiscreteLaplace { a: 1.0, sensitivity: 1 })];
    let truth = -libm::expm1(0.25 - 1.0) / (1.0 + libm::exp(-1.0));
    let found = pld_delta(&one, epsilon(0.25)).unwrap().get();
    assert!(found >= truth && found <= truth * (1.0 + 1e-6), "{found} {truth}");
}

#[test]
fn an_epsilon_gives_back_its_delta() {
    let releases = [
        times(5, Mechanism::Laplace { scale: 3.0 }),
        times(20, Mechanism::SubsampledGaussian { sigma: 0.8, rate: 0.05 }),
    ];
    for d in [1e-1, 1e-4, 1e-7, 1e-9] {
        let found = pld_eps(&releases, delta(d)).unwrap();
        let back = pld_delta(&releases, found).unwrap().get();
        assert!(back <= d * (1.0 + 1e-8) && back >= d * 0.999_99, "{d}: {back:e}");
    }
    assert_eq!(pld_eps(&releases, delta(0.999)), Ok(Epsilon::ZERO));
    // A loss of nothing.
    let nothing = [times(3, Mechanism::Approximate { epsilon: Epsilon::ZERO, delta: Delta::ZERO })];
    assert_eq!(pld_eps(&nothing, delta(1e-6)), Ok(Epsilon::ZERO));
}

#[test]
fn what_has_no_answer_is_refused() {
    assert_eq!(pld_delta(&[], epsilon(1.0)), Err(PldError::Nothing));
    let one = gaussian(1, 1.0);
    assert!(matches!(pld_eps(&one, delta(9.9e-11)), Err(PldError::DeltaTooSmall { .. })));
    assert!(pld_eps(&one, delta(1e-10)).is_ok());
    let many = gaussian(5000, 1000.0);
    assert!(matches!(pld_eps(&many, delta(1e-10)), Err(PldError::DeltaTooSmall { .. })));
    assert!(matches!(pld_delta(&gaussian(100_001, 1e4), epsilon(1.0)), Err(PldError::TooMany(100_001))));
    let open = [times(2, Mechanism::Approximate { epsilon: epsilon(0.5), delta: delta(1e-3) })];
    assert!(matches!(pld_eps(&open, delta(1e-4)), Err(PldError::Unreachable { .. })));

    let refused = |mechanism| Repeated::try_new(mechanism, 1).unwrap_err();
    for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refused(Mechanism::Gaussian { sigma }), PldError::Parameter { .. }));
        assert!(matches!(refused(Mechanism::Laplace { scale: sigma }), PldError::Parameter { .. }));
    }
    for rate in [0.0, 1.1, f64::NAN] {
        let mechanism = Mechanism::SubsampledGaussian { sigma: 1.0, rate };
        assert!(matches!(refused(mechanism), PldError::Parameter { .. }));
    }
    assert!(matches!(refused(Mechanism::Gaussian { sigma: 0.01 }), PldError::Loss(_)));
    assert!(matches!(refused(Mechanism::DiscreteLaplace { a: 1.0, sensitivity: 601 }), PldError::Loss(_)));
    let certain = Mechanism::Approximate { epsilon: epsilon(1.0), delta: delta(1.0) };
    assert!(matches!(refused(certain), PldError::Parameter { .. }));
    assert!(Repeated::try_new(Mechanism::Laplace { scale: 1.0 }, 0).is_err());
}
