//! T8 without a ledger: sensitivities, noise scales and charges are rounded to the person's good.

use dashu_int::UBig;
use discreet::privacy::adjacency::Adjacency;
use discreet::privacy::calibrate::{NoiseScale, gaussian_charge, noise_scale};
use discreet::privacy::sensitivity::sensitivity_squared;

use super::{Audit, Saw, audit, judged};

pub fn audits() -> Vec<Audit> {
    vec![
        audit("T8 rounding", every_charge_covers_its_release),
        audit("T8 least scale", || {
            let refused = NoiseScale::try_new((1 << 40) - 1).is_err();
            judged(refused, format!("S = 2^40 - 1 is {}", if refused { "refused" } else { "taken" }))
        }),
        audit("T8 sensitivity", || {
            let square = sensitivity_squared(1, 1, Adjacency::ReplaceOne, 1, true);
            judged(square == UBig::from(8_u8), format!("{square} for 2 R^4 = 8"))
        }),
    ]
}

/// Every charge covers its release and every noise scale its charge.
fn every_charge_covers_its_release() -> Saw {
    for step in 0..200_u32 {
        let delta_squared = (UBig::ONE << 96) - UBig::from(step) * UBig::from(1_000_003_u32);
        let units = u128::from(step) * 7_919 + (1 << 30);
        let scale = noise_scale(&delta_squared, units).unwrap();
        let charge = gaussian_charge(&delta_squared, scale).unwrap();
        let square = UBig::from(scale.get().get()).pow(2);
        if charge > units || UBig::from(charge) * square < delta_squared << 40 {
            return Err(format!("a charge of {charge} units is too small at S = {}", scale.get()));
        }
    }
    Ok("200 charges cover their releases".to_owned())
}
