//! What a reader of a release has to know, as facts with their numbers. Their sentences are here and nowhere else.

use std::fmt;

/// Terms or outcomes that a note names; of the others it gives the number.
pub const NAMED: usize = 5;

/// The first names of a list, and how many there are in all.
pub type Listing = (Vec<String>, usize);

/// One note of a release.
#[derive(Clone, Debug, PartialEq)]
pub enum Note {
    /// Without noise: features are exact combinations of others, so there are no coefficients.
    Collinear,
    /// The noisy moments are not positive definite, so there are no coefficients.
    NotPositiveDefinite,
    /// A constant was added to the diagonal of the noisy moments.
    Shifted,
    /// Eigenvalues of the noisy moments were raised.
    Raised,
    /// The mean of the noise could not be removed whole.
    NotDebiased,
    /// No intervals: the noise is as large as the signal.
    Drowned {
        /// Signal to noise.
        ratio: f64,
        /// Factor on the rows or the budget μ that full intervals need.
        needed: f64,
    },
    /// Approximate intervals: the noise is close to the signal.
    Approximate {
        /// Signal to noise.
        ratio: f64,
        /// Factor on the rows or the budget μ that full intervals need.
        needed: f64,
    },
    /// A rule for public features is a ridge regression, with this penalty in units of R².
    FilteredByRidge(f64),
    /// A rule for public features removed everything.
    FilteredWhole,
    /// A rule for public features removed this share of a direction on average.
    FilteredByShare(f64),
    /// The cross moments were projected onto what a table within the bounds can have.
    Projected,
    /// The outcomes' own variances were not released, so intervals cover the noise alone.
    NoiseAlone,
    /// The same for a drawn matrix, because the number of rows does not stand out of the noise.
    NoiseAloneByRows,
    /// No intervals: the number of rows does not stand out of the noise.
    RowsNotResolved,
    /// No intervals: the number of rows is not known.
    RowsUnknown,
    /// Numbers beyond the largest double are withheld.
    Overflowed,
    /// Intervals are withheld where too many simulated repetitions had no solution.
    RepetitionsUnsolved,
    /// The residual variance of these outcomes does not stand out of the noise.
    ResidualNotResolved(Listing),
    /// A ridge in units of R² was added.
    Ridge(f64),
    /// A penalty in the columns' own units weighs on the coefficients.
    OwnUnitPenalty,
    /// The intervals of a penalised regression cover the noise alone.
    PenalisedNoiseAlone,
    /// The intervals of a penalised regression come from simulated repetitions.
    PenalisedBootstrap,
    /// Without an intercept: through 0 of every column's own unit.
    ThroughOrigin,
    /// Without an intercept and a constant: through the middle of every column's bounds.
    ThroughCentres,
    /// Penalised regressions without noise.
    NoNoisePenalised,
    /// Least squares without noise.
    NoNoise,
    /// Intervals count sampling error and noise together.
    BothErrors,
    /// The values were clipped.
    Clipped,
    /// No coefficient is determined; this many rows would do, or this ε, where the plan has one, or this μ.
    Undetermined {
        /// Rows at this budget.
        rows: f64,
        /// ε of these rows.
        epsilon: Option<f64>,
        /// μ of these rows.
        mu: f64,
    },
    /// These terms' coefficients are not determined.
    Held(Listing),
    /// Rows far out in their features count less.
    FarRows {
        /// How many, and the standard deviation of that number; nothing where it is not known.
        shortened: Option<(f64, f64)>,
        /// Rows in all, as counted with noise.
        rows: f64,
    },
    /// Residuals of these outcomes were clipped: how many, the standard deviation of that number, and where in units of their spread.
    ClippedResiduals(Vec<(String, f64, f64, f64)>),
    /// Rows could lie far out unnoticed.
    UnseenTail,
    /// What the intervals assume.
    LinearModel,
    /// The coefficients are log-odds.
    LogOdds,
    /// A penalty takes these shares of these terms' coefficients; the second number counts the terms that are not named.
    HeavyPenalty(Vec<(String, f64)>, usize),
    /// Newton steps left every bound.
    Diverged,
    /// Newton steps reached the bound on the coefficients.
    RadiusReached,
    /// The last Newton step still moved far.
    NotSettled,
    /// The noise on the curvature is as large as the signal.
    CurvatureDrowned,
    /// Before each Newton step the coefficients were shortened, which a paper's listing leaves out.
    RadiusOfPaper,
    /// Where a noisy descent ended.
    Descent,
    /// Long gradients were clipped.
    GradientsClipped,
    /// Not private, with this penalty on the mean second moment.
    NotPrivate(f64),
    /// Each outcome had moments of its own, which are not released.
    OwnMoments,
    /// Noise shaped by the features, in whitened directions.
    WhitenedNoise,
    /// Noise alike in all features, scaled by the longest row.
    IsotropicNoise,
    /// Noise alike in all features, scaled by the bound on a row.
    BoundedNoise,
    /// The features are not protected.
    FeaturesOpen,
    /// The outcomes are not protected.
    OutcomesOpen,
    /// What was done about the arithmetic of an idealised mechanism (theory/noise 4.2).
    Hardened,
    /// The bounds of these columns were estimated, and about so many rows may lie beyond each end unseen.
    BoundsEstimated(Vec<(String, f64, f64)>, f64),
    /// Bounds were estimated although the stated rows are few for it.
    BoundsDoubtful {
        /// As stated.
        rows: u64,
        /// About how many it takes.
        good: u64,
    },
    /// Bounds of these columns were not found, so nothing was fitted.
    BoundsNotFound(Vec<String>),
    /// These columns hold zeros alone, as far as can be seen, so nothing was fitted.
    BoundsZero(Vec<String>),
    /// What was found lies outside the bound that the plan states for these columns, so nothing was fitted.
    BoundsContradicted(Vec<String>),
    /// What the existence of a release says about its table.
    WellFormed,
    /// The public moment is nearly singular.
    NearlySingular,
    /// The public data have few rows for their terms.
    FewPublicRows {
        /// Rows of the public data.
        rows: u64,
        /// Terms with the constant.
        terms: usize,
        /// Rows for each term from which on there are enough.
        enough: u64,
    },
    /// So many eigenvalues of the public correlations were raised.
    CorrelationsRaised(usize),
}

impl fmt::Display for Note {
    #[expect(clippy::too_many_lines, reason = "one sentence for each note, and nothing else")]
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Collinear => {
                "The coefficients are withheld: some features are exact combinations of others. Remove one of them."
            }
            Self::NotPositiveDefinite => {
                "The coefficients are withheld: the noise is larger than the signal, and the moments are not positive \
                 definite. Use fewer or less related features, more rows or a larger budget."
            }
            Self::Shifted => {
                "The noisy moments were not positive definite. A constant was added to their diagonal, which shrinks \
                 the coefficients; read them as a rough sign at most."
            }
            Self::Raised => {
                "The noisy moments were not positive definite. Their smallest eigenvalues were raised, which shrinks \
                 the coefficients; read them as a rough sign at most."
            }
            Self::NotDebiased => {
                "The mean of the noise could not be taken off whole: the moments would not have been positive definite. The \
                 coefficients are shrunk towards 0, and there are no intervals; read them as a rough sign at most."
            }
            Self::Drowned { ratio, needed } => return drowned(*ratio, *needed, formatter),
            Self::Approximate { ratio, needed } => {
                return write!(
                    formatter,
                    "Intervals are approximate: the noise is close to the signal (signal to noise {ratio:.2}; from 2 on intervals are \
                     full ones), and with few features they can miss more often than their level says. About {} times the rows or the \
                     budget mu would reach full ones.",
                    factor(*needed)
                );
            }
            Self::FilteredByRidge(ridge) => {
                return write!(
                    formatter,
                    "The features are public, and what is known of them took noise off the estimates: they are those of a ridge \
                     regression with a penalty of {ridge:.3e} on the mean second moments (units of R squared). {SHRUNK}"
                );
            }
            Self::FilteredWhole => {
                "The features are public, and beside the noise nothing is left of the cross moments: the estimates are 0, without \
                 intervals."
            }
            Self::FilteredByShare(share) => {
                return write!(
                    formatter,
                    "The features are public, and what is known of them took noise off the estimates: on average {:.0} % of a \
                     direction. {SHRUNK}",
                    100.0 * share
                );
            }
            Self::Projected => {
                "The noisy cross moments were outside of what any table within the bounds can have, and were projected back. That \
                 takes noise off and shrinks; how far the estimates still are from the truth is not known, so there are no \
                 intervals. Without the projection there are, and more noise."
            }
            Self::NoiseAlone => {
                "Nothing was released of the outcomes' own variances, so the intervals cover the privacy noise alone, not the \
                 sampling error."
            }
            Self::NoiseAloneByRows => {
                "The intervals cover the privacy noise alone: the number of rows does not stand out of the noise, so the \
                 sampling error is not known."
            }
            Self::RowsNotResolved => {
                "There are no intervals: the number of rows does not stand out of the noise."
            }
            Self::RowsUnknown => "There are no intervals: the number of rows is not known.",
            Self::Overflowed => {
                "Coefficients and intervals beyond the largest number that can be written are withheld: the release is \
                 damaged, or its bounds are too far out."
            }
            Self::RepetitionsUnsolved => {
                "Intervals are withheld where too many of the simulated repetitions had no solution."
            }
            Self::ResidualNotResolved(outcomes) => {
                return write!(
                    formatter,
                    "The residual variance is not resolved for {}: it is smaller than the noise on it, and an upper bound stands in \
                     its place, so these intervals are wider than they need be.",
                    listing(outcomes)
                );
            }
            Self::Ridge(ridge) => {
                return write!(
                    formatter,
                    "A ridge of {ridge:.4} (units of R squared) was added. The coefficients and their intervals are those of the \
                     penalised regression, which is shrunk towards 0; they are no intervals for the regression without a ridge."
                );
            }
            Self::OwnUnitPenalty => {
                "A penalty on the coefficients in the columns' own units shrinks them towards 0. The intervals are for the \
                 penalised coefficients."
            }
            Self::PenalisedNoiseAlone => {
                "The intervals of the penalised regression cover the privacy noise alone."
            }
            Self::PenalisedBootstrap => {
                "The intervals of the penalised regression come from 2,000 simulated repetitions."
            }
            Self::ThroughOrigin => {
                "The regressions have no intercept: they pass through 0 of every column's own unit."
            }
            Self::ThroughCentres => {
                "The regressions have no intercept and the moments no constant: they pass through the middle of every \
                 column's bounds, and slopes belong to the columns measured from there. Skipped rows count as rows, so \
                 if many were skipped, the intervals are too narrow."
            }
            Self::NoNoisePenalised => {
                "There is no privacy noise: these are the penalised regressions of the clipped values, and they \
                 protect nobody."
            }
            Self::NoNoise => {
                "There is no privacy noise: these are ordinary least squares of the clipped values, and they protect \
                 nobody."
            }
            Self::BothErrors => "Intervals count sampling error and privacy noise together.",
            Self::Clipped => {
                "The regressions describe the values after clipping to the stated bounds. If many values lie outside, the \
                 coefficients differ from those of the raw values; how many do is private."
            }
            Self::BoundsEstimated(columns, rows) => {
                let one = |(name, lower, upper): &(String, f64, f64)| format!("`{name}` {lower} to {upper}");
                let named: Vec<String> = columns.iter().take(NAMED).map(one).collect();
                let others = columns.len().saturating_sub(NAMED);
                let others = if others > 0 { format!(" and {others} more") } else { String::new() };
                let found =
                    if named.is_empty() { String::new() } else { format!(": {}{others}", named.join(", ")) };
                return write!(
                    formatter,
                    "A part of the budget estimated bounds{found}. They come from noisy counts: up to about {} rows may lie unseen \
                     beyond each end, and are clipped to it.",
                    two_digits(*rows)
                );
            }
            Self::BoundsDoubtful { rows, good } => {
                return write!(
                    formatter,
                    "With {rows} rows some estimated bounds may be too wide or miss values: good ones take about {good} rows at this \
                     budget."
                );
            }
            Self::BoundsNotFound(columns) => {
                return write!(
                    formatter,
                    "No bounds were found for {}: no size of value stands out of the noise. Nothing was fitted, and what the counts \
                     cost stays spent. {ADVICE}",
                    quoted(columns)
                );
            }
            Self::BoundsZero(columns) => {
                return write!(
                    formatter,
                    "As far as can be seen the values are all zero in {}. Nothing was fitted, and what the counts cost stays spent. \
                     {ADVICE}",
                    quoted(columns)
                );
            }
            Self::BoundsContradicted(columns) => {
                return write!(
                    formatter,
                    "The counts show values beyond the stated bound in {}. Nothing was fitted, and what the counts cost stays spent. \
                     {ADVICE}",
                    quoted(columns)
                );
            }
            Self::Undetermined { rows, epsilon, mu } => {
                let (name, value) = epsilon.map_or(("a mu", *mu), |epsilon| ("an epsilon", epsilon));
                return write!(
                    formatter,
                    "No coefficient is determined at this budget: the noise is as large as what the features say. About {} rows would \
                     do, or {name} of about {} with these rows; fewer or less related features help too.",
                    two_digits(*rows),
                    two_digits(value)
                );
            }
            Self::Held(terms) => {
                return write!(
                    formatter,
                    "Not determined at this budget, and so without a coefficient: {}. The errors of the others allow for effects of one \
                     residual standard deviation there.",
                    listing(terms)
                );
            }
            Self::FarRows { shortened, rows } => {
                if let Some((beyond, deviation)) = shortened {
                    write!(
                        formatter,
                        "About {:.0} ± {:.0} of {rows:.0} rows were shortened, because their features lie far from the others'. ",
                        beyond.max(0.0),
                        deviation
                    )?;
                }
                "Rows far out count less. A curved relation is therefore described where most rows are: its slope is not that of least \
                 squares over all rows, and its interval does not cover that one. Logarithms of long-tailed columns in the plan are the \
                 remedy."
            }
            Self::ClippedResiduals(outcomes) => {
                let one = |(name, rows, deviation, radius): &(String, f64, f64, f64)| {
                    format!("`{name}` about {:.0} ± {deviation:.0} rows beyond {radius:.1}", rows.max(0.0))
                };
                let outcomes: Vec<String> = outcomes.iter().map(one).collect();
                return write!(
                    formatter,
                    "Outcomes far from what the features say were clipped, at so many residual standard deviations: {}.",
                    outcomes.join(", ")
                );
            }
            Self::UnseenTail => {
                "At this budget a fiftieth of the rows could lie far out unnoticed, so the intervals are approximate."
            }
            Self::LinearModel => {
                "The intervals assume a linear model whose residuals spread equally everywhere. They hold only if the \
                 bounds were not chosen by looking at the table."
            }
            Self::LogOdds => {
                "The coefficients are log-odds: e to the power of one is the odds ratio for one unit more of its column."
            }
            Self::HeavyPenalty(terms, others) => {
                let named: Vec<String> = terms
                    .iter()
                    .map(|(name, share)| format!("`{name}` by about {:.0} %", 100.0 * share))
                    .collect();
                let others = if *others > 0 { format!(" and {others} more") } else { String::new() };
                return write!(
                    formatter,
                    "The penalty takes much of some coefficients, because it weighs on a column's own unit: {}{others}. A smaller \
                     `lambda`, or a unit in which the column has a larger spread, takes less.",
                    named.join(", ")
                );
            }
            Self::Diverged => {
                "Coefficients are withheld: the steps left every bound. The outcome may follow from the features without error, or \
                 the noise be larger than the signal."
            }
            Self::RadiusReached => {
                "The coefficients reached `coefficient_radius` and were shortened to it, so they are too small by an unknown amount \
                 and have no intervals. A larger radius allows longer ones."
            }
            Self::NotSettled => {
                "The last step still moved far, so there are no intervals: more steps, or a larger budget, would be needed."
            }
            Self::CurvatureDrowned => {
                "The noise on the curvature is as large as the signal, so there are no intervals. Small eigenvalues were raised, \
                 which shrinks the coefficients; read them as a rough sign at most."
            }
            Self::RadiusOfPaper => {
                "Before each step the coefficients were shortened to `coefficient_radius`. The paper states that bound and its \
                 listing leaves the step out, without which nothing bounds a residual, nor what the noise of the gaussian family \
                 costs."
            }
            Self::Descent => {
                "The coefficients are where a noisy descent ended. Nothing else was released, so there are no standard errors and \
                 no intervals, and no other regression follows from it."
            }
            Self::GradientsClipped => {
                "Records whose gradient was longer than the clip counted for less. Whether steps and clip were enough is private: \
                 settle them on made-up data."
            }
            Self::NotPrivate(lambda) => {
                return write!(
                    formatter,
                    "Not private. A penalty of {lambda} on the mean second moment, in the columns' own units, shrinks the \
                     coefficients towards 0; the intervals are for the penalised coefficients."
                );
            }
            Self::OwnMoments => {
                "Each outcome had noisy moments of its own, which are not in this document: nothing can be refitted from it."
            }
            Self::WhitenedNoise => {
                "The noise was whitened: it is alike in all directions of the features, and scaled by the largest leverage of a \
                 row. Features are public, so this costs nothing. `xy` has the features after `map`."
            }
            Self::IsotropicNoise => {
                "The noise was isotropic, and scaled by the longest row of features in place of its bound. Features are public, so \
                 this costs nothing. `xy` has the features after `map`."
            }
            Self::BoundedNoise => "The noise was isotropic, and scaled by the bound on a row of features.",
            Self::FeaturesOpen => {
                "The features are not protected: treat each person's features as public, also that this person is in the \
                 table."
            }
            Self::OutcomesOpen => {
                "The outcomes are not protected: treat each person's outcomes as public, also that this person is in the \
                 table."
            }
            Self::Hardened => {
                "The proof assumes real-number arithmetic. This release was hardened, which is no proof: it starts from exact \
                 integer sums; its normal numbers come from an exact sampler on a grid of 2^-52; factors and products have 128 \
                 bits; the matrix is rounded to a public power of two near 2^-20 of the noise, and nothing derived from it has \
                 more than 6 digits; only the one matrix is released, not the rows behind it; a release that fails says nothing \
                 of why."
            }
            Self::WellFormed => {
                "The promise is for well-formed tables: that a release exists says that the table could be read."
            }
            Self::NearlySingular => {
                "The public moment is nearly singular: some features say almost the same as others, or hardly vary for the \
                 size of their mean. What they say apart from each other will be very noisy; drop one, or measure from \
                 another zero."
            }
            Self::FewPublicRows { rows, terms, enough } => {
                return write!(
                    formatter,
                    "The public data have {rows} rows for {terms} terms, fewer than {enough} for each: their correlations were made \
                     smaller by a tenth."
                );
            }
            Self::CorrelationsRaised(raised) => {
                return write!(
                    formatter,
                    "The public correlations are singular, or none that a table can have: {raised} of their eigenvalues {} raised \
                     to 1e-10 of the largest. What the features say in those directions will be very noisy.",
                    if *raised == 1 { "was" } else { "were" }
                );
            }
        };
        formatter.write_str(text)
    }
}

impl From<Note> for String {
    fn from(note: Note) -> Self {
        note.to_string()
    }
}

/// Of estimates under a rule for public features.
const SHRUNK: &str = "They are shrunk towards 0. Their intervals take the rule's factors as given and leave out how far the estimates \
     are shrunk, so they hold the coefficients of least squares less often than their level says: after `sure` and `james-stein` \
     far less often.";

fn drowned(ratio: f64, needed: f64, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(
        formatter,
        "There are no intervals: the noise is as large as the signal (signal to noise {ratio:.2}; from 1 on there are intervals, from 2 \
         on full ones). "
    )?;
    if ratio > 0.05 {
        let needed = factor(needed);
        write!(formatter, "About {needed} times the rows or {needed} times the budget mu would do")?;
    } else {
        formatter.write_str("Far more rows or a far larger budget would be needed")?;
    }
    formatter.write_str("; fewer or less related features help too.")
}

/// Writes a factor with up to two digits, rounded up.
#[must_use]
pub fn factor(factor: f64) -> String {
    if factor < 10.0 {
        format!("{:.1}", (factor * 10.0).ceil() / 10.0)
    } else {
        format!("{:.0}", factor.ceil())
    }
}

/// Writes a number above 0 with its two leading digits, rounded up.
#[must_use]
pub fn two_digits(number: f64) -> String {
    let step = libm::pow(10.0, libm::floor(libm::log10(number)) - 1.0);
    let raised = (number / step * (1.0 - 1e-12)).ceil() * step;
    let places = if step >= 1.0 { 0 } else { 1 + usize::from(number < 1.0) };
    format!("{raised:.places$}")
}

/// What to do about columns without bounds.
const ADVICE: &str =
    "State their bounds, leave these columns out, or estimate again with a larger `estimate_share`.";

fn quoted(columns: &[String]) -> String {
    listing(&(columns.iter().take(NAMED).cloned().collect(), columns.len()))
}

/// "`a`, `b` and `c`", or "`a`, `b` and 7 more".
fn listing((first, all): &Listing) -> String {
    let quoted: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
    match (all.saturating_sub(first.len()), quoted.split_last()) {
        (0, Some((last, []))) => last.clone(),
        (0, Some((last, rest))) => format!("{} and {last}", rest.join(", ")),
        (more, _) => format!("{} and {more} more", quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one of each; a new note has to be added here.
    fn all() -> Vec<Note> {
        use Note::{
            Approximate, BothErrors, BoundedNoise, Clipped, ClippedResiduals, Collinear, CorrelationsRaised,
            CurvatureDrowned, Descent, Diverged, Drowned, FarRows, FeaturesOpen, FewPublicRows,
            FilteredByRidge, FilteredByShare, FilteredWhole, GradientsClipped, Hardened, HeavyPenalty, Held,
            IsotropicNoise, LinearModel, LogOdds, NearlySingular, NoNoise, NoNoisePenalised, NoiseAlone,
            NoiseAloneByRows, NotDebiased, NotPositiveDefinite, NotPrivate, NotSettled, OutcomesOpen,
            Overflowed, OwnMoments, OwnUnitPenalty, PenalisedBootstrap, PenalisedNoiseAlone, Projected,
            RadiusOfPaper, RadiusReached, Raised, RepetitionsUnsolved, ResidualNotResolved, Ridge,
            RowsNotResolved, RowsUnknown, Shifted, ThroughCentres, ThroughOrigin, Undetermined, UnseenTail,
            WellFormed, WhitenedNoise,
        };
        let names = |count: usize| (0..count).map(|name| format!("y{name}")).collect::<Vec<_>>();
        vec![
            Collinear,
            NotPositiveDefinite,
            Shifted,
            Raised,
            NotDebiased,
            Drowned { ratio: 0.5, needed: 4.0 },
            Drowned { ratio: 0.01, needed: 200.0 },
            Approximate { ratio: 1.5, needed: 1.34 },
            FilteredByRidge(1e-3),
            FilteredWhole,
            FilteredByShare(0.3),
            Projected,
            NoiseAlone,
            NoiseAloneByRows,
            RowsNotResolved,
            RowsUnknown,
            Overflowed,
            RepetitionsUnsolved,
            ResidualNotResolved((names(1), 1)),
            ResidualNotResolved((names(3), 3)),
            ResidualNotResolved((names(5), 12)),
            Ridge(0.25),
            OwnUnitPenalty,
            PenalisedNoiseAlone,
            PenalisedBootstrap,
            ThroughOrigin,
            ThroughCentres,
            NoNoisePenalised,
            NoNoise,
            BothErrors,
            Clipped,
            LinearModel,
            LogOdds,
            HeavyPenalty(vec![("x".to_owned(), 0.4)], 2),
            Diverged,
            RadiusReached,
            NotSettled,
            CurvatureDrowned,
            RadiusOfPaper,
            Descent,
            GradientsClipped,
            NotPrivate(0.1),
            OwnMoments,
            WhitenedNoise,
            IsotropicNoise,
            BoundedNoise,
            FeaturesOpen,
            OutcomesOpen,
            Hardened,
            WellFormed,
            NearlySingular,
            FewPublicRows { rows: 12, terms: 4, enough: 10 },
            CorrelationsRaised(1),
            CorrelationsRaised(2),
            Undetermined { rows: 93_112.0, epsilon: Some(7.2), mu: 1.4 },
            Undetermined { rows: 93_112.0, epsilon: None, mu: 1.4 },
            Held((names(1), 1)),
            FarRows { shortened: None, rows: 10.0 },
            FarRows { shortened: Some((-0.3, 4.0)), rows: 10.0 },
            ClippedResiduals(vec![("y".to_owned(), 3.0, 4.0, 4.5)]),
            UnseenTail,
        ]
    }

    #[test]
    fn each_note_is_whole_sentences_on_one_line() {
        for note in all() {
            let text = note.to_string();
            assert!(text.ends_with('.') && !text.contains("  ") && !text.contains('\n'), "{note:?}: {text}");
        }
    }

    #[test]
    fn numbers_are_named_and_rounded_up() {
        let text = |note: Note| note.to_string();
        assert!(
            text(Note::Drowned { ratio: 0.5, needed: 4.0 })
                .contains("About 4.0 times the rows or 4.0 times the budget mu would do;")
        );
        assert!(
            text(Note::Drowned { ratio: 0.05, needed: 40.0 })
                .contains("Far more rows or a far larger budget would be needed;")
        );
        assert!(
            text(Note::Approximate { ratio: 1.9, needed: 1.06 }).contains("signal to noise 1.90;")
                && factor(1.01) == "1.1"
                && factor(10.2) == "11"
        );
        let listed =
            |first: &[&str], all| listing(&(first.iter().map(|name| (*name).to_owned()).collect(), all));
        assert_eq!(listed(&["a"], 1), "`a`");
        assert_eq!(listed(&["a", "b", "c"], 3), "`a`, `b` and `c`");
        assert_eq!(listed(&["a", "b"], 9), "`a`, `b` and 7 more");
        assert_eq!([0.42, 7.2, 93.0, 93_112.0].map(two_digits), ["0.42", "7.2", "93", "94000"]);
        assert!(text(Note::CorrelationsRaised(1)).contains("1 of their eigenvalues was raised"));
    }
}
