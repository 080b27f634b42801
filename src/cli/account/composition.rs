//! Composition of plans fixed in advance, and the closed forms beside it.

use super::super::error::CliError;
use super::given::{Given, needs, read, text};
use super::{Conversion, Family};
use crate::privacy::convert::ConversionError;
use crate::privacy::fixed_plan::{FixedPlan, mix_delta, optimal_pure_eps, optimal_pure_het_eps};
use crate::privacy::measure::{Delta, Epsilon, Mu};
use crate::privacy::pure_bounds::{
    advanced_drv_eps, advanced_kov_eps, basic_eps, whitehouse_filter_eps, zcdp_pure_eps,
};

pub const FAMILY: Family = Family {
    heading: "Several releases, all fixed before the first one (a ledger does not charge by these)",
    conversions: &[
        Conversion {
            name: "mix_delta",
            usage: "--epsilon E [--mus M,M,...] [--pure E,E,...] [--approximate E:D,E:D,...]",
            about: "delta at epsilon of Gaussian, pure and approximate releases together",
            compute: |given| {
                let mus = given.list("mus", "0.2,0.3", |item| read(item, Mu::try_new))?;
                let pure: Vec<(Epsilon, u32)> =
                    epsilons(given)?.into_iter().map(|epsilon| (epsilon, 1)).collect();
                let approximate = given.list("approximate", "0.5:1e-6,1:1e-7", |item| {
                    let (epsilon, delta) = item.split_once(':')?;
                    Some((read(epsilon, Epsilon::try_new)?, read(delta, Delta::try_new)?))
                })?;
                let epsilon = given.epsilon()?;
                text(FixedPlan::try_new(&mus, &pure, &approximate).map(|plan| mix_delta(&plan, epsilon)))
            },
        },
        Conversion {
            name: "optimal_pure_eps",
            usage: "--count K --epsilon E --delta D",
            about: "least epsilon at delta of K releases that are E-DP",
            compute: |given| text(optimal_pure_eps(given.whole("count")?, given.epsilon()?, given.delta()?)),
        },
        Conversion {
            name: "optimal_pure_het_eps",
            usage: "--pure E,E,... --delta D",
            about: "the same for releases that differ",
            compute: |given| {
                let list = epsilons(given)?;
                if list.is_empty() {
                    return Err(needs("--pure, such as 0.1,0.2"));
                }
                text(optimal_pure_het_eps(&list, given.delta()?))
            },
        },
        Conversion {
            name: "basic_eps",
            usage: "--count K --epsilon E",
            about: "K times E",
            compute: |given| text(basic_eps(given.whole("count")?, given.epsilon()?)),
        },
        Conversion {
            name: "advanced_drv_eps",
            usage: "--count K --epsilon E --delta D",
            about: "advanced composition (Dwork, Rothblum, Vadhan 2010)",
            compute: |given| bound(given, advanced_drv_eps),
        },
        Conversion {
            name: "advanced_kov_eps",
            usage: "--count K --epsilon E --delta D",
            about: "advanced composition with the better constant (Kairouz, Oh, Viswanath 2015)",
            compute: |given| bound(given, advanced_kov_eps),
        },
        Conversion {
            name: "zcdp_pure_eps",
            usage: "--count K --epsilon E --delta D",
            about: "by way of zero-concentrated differential privacy",
            compute: |given| bound(given, zcdp_pure_eps),
        },
        Conversion {
            name: "whitehouse_filter_eps",
            usage: "--count K --epsilon E --delta D",
            about: "a filter for adaptive releases (Whitehouse, Ramdas, Rogers, Wu 2023)",
            compute: |given| bound(given, whitehouse_filter_eps),
        },
    ],
};

fn epsilons(given: &Given) -> Result<Vec<Epsilon>, CliError> {
    given.list("pure", "0.1,0.2", |item| read(item, Epsilon::try_new))
}

fn bound(
    given: &Given,
    bound: fn(u32, Epsilon, Delta) -> Result<Epsilon, ConversionError>,
) -> Result<String, CliError> {
    text(bound(given.whole("count")?, given.epsilon()?, given.delta()?))
}
