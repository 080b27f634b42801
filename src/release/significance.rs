//! Test statistics and p-values from released estimates and standard errors (theory/inference 6.1 and 6.2).

use super::Release;
use crate::math::gamma::ln_chi_square_sf;
use crate::math::round::real;
use crate::math::special::phi_cdf;
use crate::model::{Estimate, Interval, NoiseLaw};
use crate::plan::Plan;
use crate::words;

/// A two-sided test of the hypothesis that a coefficient is 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// The estimate over its standard error.
    pub z: f64,
    /// The probability of a statistic this far from 0 or farther, if the coefficient is 0.
    pub p: f64,
}

/// Why some coefficients of a regression have no p-value although they have an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// The intervals are for penalised coefficients, which are not 0 where the others are.
    Penalised,
    /// The whole matrix was drawn at random, so its intervals follow another law.
    Drawn,
}

/// Which coefficients of a release have a test.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tests {
    absent: Option<Absent>,
}

impl Tests {
    /// Returns the rule for the coefficients of a release.
    pub fn of(release: &Release) -> Self {
        let law = release.moments.as_ref().and_then(|moments| moments.noise.as_ref());
        let drawn = matches!(law, Some(NoiseLaw::Projection { .. } | NoiseLaw::InverseWishart { .. }));
        let absent = if drawn {
            Some(Absent::Drawn)
        } else {
            let penalised = release.diagnostics.ridge > 0.0 || has_penalty(&release.plan);
            penalised.then_some(Absent::Penalised)
        };
        Self { absent }
    }

    /// Returns why no coefficient has a p-value.
    pub const fn absent(self) -> Option<Absent> {
        self.absent
    }

    /// Returns the test of a coefficient. `None` if it has no interval, or an interval that covers the privacy noise alone.
    pub fn test(self, entry: &Estimate) -> Option<Test> {
        if self.absent.is_some() || entry.interval == Interval::Withheld || is_noise_alone(entry) {
            return None;
        }
        let z = entry.estimate? / entry.std_error.filter(|error| *error > 0.0)?;
        z.is_finite().then(|| Test { z, p: two_sided(z) })
    }
}

/// Returns whether an interval leaves out the sampling error.
pub fn is_noise_alone(entry: &Estimate) -> bool {
    entry.noise_share.is_some_and(|share| share >= 1.0)
}

/// Returns 2 Φ(−|z|), exact in the far tail too.
pub fn two_sided(z: f64) -> f64 {
    2.0 * phi_cdf(-z.abs())
}

fn has_penalty(plan: &Plan) -> bool {
    plan.mechanism.params.get("lambda").and_then(serde_json::Value::as_f64).is_some_and(|lambda| lambda > 0.0)
}

/// The test of the hypothesis that all coefficients of a category, of a term made from columns, or of all terms of a column are 0
/// (theory/inference 6.3).
#[derive(Clone, Debug, PartialEq)]
pub struct CategoryTest {
    /// The outcome's column.
    pub outcome: String,
    /// The category, the term, or the column.
    pub column: String,
    /// Of a column the features that are it or made from it, whose coefficients are tested together; nothing for a category or a term.
    pub together: Vec<String>,
    /// The terms of the coefficients.
    pub terms: Vec<String>,
    /// W = b′ V⁻¹ b.
    pub statistic: f64,
    /// The number of coefficients.
    pub degrees: usize,
    /// P[χ² ≥ W].
    pub p: f64,
    /// Whether an interval of a level is only approximate.
    pub approximate: bool,
}

impl CategoryTest {
    /// Returns what is tested, of a column with the features that are taken together: `age (age + age^2 + age:sex together)`.
    pub fn label(&self) -> String {
        if self.together.is_empty() {
            return self.column.clone();
        }
        words::journal::tested_together(&self.column, self.together.join(" + "))
    }

    /// Returns the upper tail of a chi-square law with `degrees` degrees of freedom at a statistic.
    pub fn tail(statistic: f64, degrees: usize) -> f64 {
        libm::exp(ln_chi_square_sf(real(degrees), statistic.max(0.0))).clamp(0.0, 1.0)
    }
}

/// Returns p-values adjusted by Holm's method: they bound the chance of one false rejection among all, whatever their dependence.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![1.0; p.len()];
    let mut largest = 0.0_f64;
    for (rank, &place) in order.iter().enumerate() {
        largest = largest.max(p[place] * real(p.len() - rank)).min(1.0);
        adjusted[place] = largest;
    }
    adjusted
}

/// Returns p-values adjusted by the method of Benjamini and Hochberg: they bound the expected share of false rejections among all rejections, for
/// independent or positively dependent tests.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![1.0; p.len()];
    let mut smallest = 1.0_f64;
    for (rank, &place) in order.iter().enumerate().rev() {
        smallest = smallest.min(p[place] * real(p.len()) / real(rank + 1));
        adjusted[place] = smallest;
    }
    adjusted
}

fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(estimate: f64, error: f64, share: f64, interval: Interval) -> Estimate {
        Estimate { noise_share: Some(share), interval, ..Estimate::around(estimate, error, 1.96 * error) }
    }

    /// Reference: R 4.3, `2 * pnorm(-abs(z))` and `pchisq(x, df, lower.tail = FALSE)`.
    #[test]
    fn tails_are_those_of_the_tables() {
        let rule = Tests::default();
        for (z, p) in
            [(1.959_963_984_540_054, 0.05), (-2.575_829_303_548_901, 0.01), (10.0, 1.523_970_604_832_1e-23)]
        {
            let test = rule.test(&entry(z * 0.25, 0.25, 0.3, Interval::Normal)).unwrap();
            assert!((test.p / p - 1.0).abs() < 1e-9 && (test.z - z).abs() < 1e-12, "{test:?}");
        }
        for (x, degrees, p) in
            [(3.841_458_820_694_124, 1, 0.05), (5.991_464_547_107_979, 2, 0.05), (40.0, 3, 1.065_509e-8)]
        {
            assert!((CategoryTest::tail(x, degrees) / p - 1.0).abs() < 1e-4, "{x}");
        }
    }

    #[test]
    fn what_has_no_full_interval_has_no_test() {
        let rule = Tests::default();
        assert_eq!(rule.test(&entry(1.0, 0.1, 0.5, Interval::Withheld)), None);
        assert_eq!(rule.test(&entry(1.0, 0.1, 1.0, Interval::Approximate)), None, "the noise alone");
        assert_eq!(rule.test(&entry(1.0, 0.0, 0.0, Interval::Normal)), None);
        assert!(rule.test(&entry(1.0, 0.1, 0.5, Interval::Approximate)).is_some());
        let penalised = Tests { absent: Some(Absent::Penalised) };
        assert_eq!(penalised.test(&entry(1.0, 0.1, 0.5, Interval::Normal)), None);
    }

    /// Reference: R's `p.adjust` on the same numbers.
    #[test]
    fn adjusted_values_are_those_of_p_adjust() {
        let p = [0.01, 0.04, 0.03, 0.005, 0.2];
        let close = |found: &[f64], expected: &[f64]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12) && found.len() == expected.len()
        };
        assert!(close(&holm(&p), &[0.04, 0.09, 0.09, 0.025, 0.2]), "{:?}", holm(&p));
        assert!(
            close(&benjamini_hochberg(&p), &[0.025, 0.05, 0.05, 0.025, 0.2]),
            "{:?}",
            benjamini_hochberg(&p)
        );
        assert!(holm(&[]).is_empty() && benjamini_hochberg(&[]).is_empty());
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }
}
