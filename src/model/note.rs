//! What a reader of a release has to know, as facts with their numbers. Their sentences are the messages `note` of the catalogue, in
//! English always: a document is not translated.

use std::fmt;

use crate::text::{about, grouped};
use crate::words;

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
    /// No intervals: the features' moments are those of a secret sample.
    SecretSample,
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
    /// Records were shortened, and outcomes clipped, by public moments.
    ClippedByPublicMoments,
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
    /// What intervals that count the sampling error assume.
    EqualSpread,
    /// When intervals hold: the bounds were not chosen by looking.
    BoundsFixed,
    /// These terms' log-odds are not determined; those of the others allow for so large ones there.
    HeldOdds(Listing, f64),
    /// The coefficients are log-odds.
    LogOdds,
    /// A regression of numbers on these outcomes, which are yes or no.
    LinearProbability(Vec<String>),
    /// Up to so many rows of one person, which intervals count as independent.
    RowsOfOnePerson(u32),
    /// A penalty of this size weighs on slopes in units of the features' spread.
    WhitenedPenalty(f64),
    /// The noise on the curvature of these outcomes is as large as the signal.
    LabelsDrowned(Listing),
    /// The steps of these outcomes did not settle: the features may tell yes from no without error.
    LabelsUnsettled(Listing),
    /// The intervals of these outcomes may be too narrow.
    LabelsApproximate(Listing),
    /// What the intervals of a logistic regression assume.
    LogisticModel,
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
    /// A refit of a demonstration.
    OfDemonstration,
    /// A refit without the penalty λ of the release's own regressions.
    WithoutOwnPenalty(f64),
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
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Collinear => words::note::collinear().to_owned(),
            Self::NotPositiveDefinite => words::note::not_positive_definite().to_owned(),
            Self::Shifted => words::note::shifted().to_owned(),
            Self::Raised => words::note::raised().to_owned(),
            Self::NotDebiased => words::note::not_debiased().to_owned(),
            Self::Drowned { ratio, needed } => {
                let (written, close) = (format!("{ratio:.2}"), *ratio > 0.05);
                if close {
                    words::note::drowned(written, factor(*needed))
                } else {
                    words::note::drowned_far(written)
                }
            }
            Self::Approximate { ratio, needed } => {
                words::note::approximate(format_args!("{ratio:.2}"), factor(*needed))
            }
            Self::FilteredByRidge(ridge) => words::note::filtered_by_ridge(format_args!("{ridge:.3e}")),
            Self::FilteredWhole => words::note::filtered_whole().to_owned(),
            Self::FilteredByShare(share) => {
                words::note::filtered_by_share(format_args!("{:.0}", 100.0 * share))
            }
            Self::Projected => words::note::projected().to_owned(),
            Self::NoiseAlone => words::note::noise_alone().to_owned(),
            Self::SecretSample => words::note::secret_sample().to_owned(),
            Self::NoiseAloneByRows => words::note::noise_alone_by_rows().to_owned(),
            Self::RowsNotResolved => words::note::rows_not_resolved().to_owned(),
            Self::RowsUnknown => words::note::rows_unknown().to_owned(),
            Self::Overflowed => words::note::overflowed().to_owned(),
            Self::RepetitionsUnsolved => words::note::repetitions_unsolved().to_owned(),
            Self::ResidualNotResolved(outcomes) => words::note::residual_not_resolved(listing(outcomes)),
            Self::Ridge(ridge) => words::note::ridge(three_digits(*ridge)),
            Self::OwnUnitPenalty => words::note::own_unit_penalty().to_owned(),
            Self::PenalisedNoiseAlone => words::note::penalised_noise_alone().to_owned(),
            Self::PenalisedBootstrap => words::note::penalised_bootstrap().to_owned(),
            Self::ThroughOrigin => words::note::through_origin().to_owned(),
            Self::ThroughCentres => words::note::through_centres().to_owned(),
            Self::NoNoisePenalised => words::note::no_noise_penalised().to_owned(),
            Self::NoNoise => words::note::no_noise().to_owned(),
            Self::BothErrors => words::note::both_errors().to_owned(),
            Self::Clipped => words::note::clipped().to_owned(),
            Self::ClippedByPublicMoments => words::note::clipped_by_public_moments().to_owned(),
            Self::Undetermined { rows, epsilon: Some(epsilon), .. } => {
                words::note::undetermined_epsilon(two_digits(*rows), two_digits(*epsilon))
            }
            Self::Undetermined { rows, epsilon: None, mu } => {
                words::note::undetermined_mu(two_digits(*rows), two_digits(*mu))
            }
            Self::Held(terms) => words::note::held(listing(terms)),
            Self::FarRows { shortened: None, .. } => words::note::far_rows().to_owned(),
            Self::FarRows { shortened: Some((beyond, deviation)), rows } => words::note::far_rows_counted(
                grouped(beyond.max(0.0)),
                grouped(*deviation),
                about(*rows, *deviation),
            ),
            Self::ClippedResiduals(outcomes) => {
                let one = |(name, rows, deviation, radius): &(String, f64, f64, f64)| {
                    let (rows, deviation) = (grouped(rows.max(0.0)), grouped(*deviation));
                    words::note::clipped_outcome(name, rows, deviation, format_args!("{radius:.1}"))
                };
                let outcomes: Vec<String> = outcomes.iter().map(one).collect();
                words::note::clipped_residuals(outcomes.join(", "))
            }
            Self::UnseenTail => words::note::unseen_tail().to_owned(),
            Self::EqualSpread => words::note::equal_spread().to_owned(),
            Self::BoundsFixed => words::note::bounds_fixed().to_owned(),
            Self::LinearProbability(outcomes) => words::note::linear_probability(quoted(outcomes)),
            Self::RowsOfOnePerson(most) => {
                words::note::rows_of_one_person(most, two_digits(f64::from(*most).sqrt()))
            }
            Self::HeldOdds(terms, size) => words::note::held_odds(listing(terms), format_args!("{size:.1}")),
            Self::LogOdds => words::note::log_odds().to_owned(),
            Self::WhitenedPenalty(lambda) => words::note::whitened_penalty(lambda, two_digits(1.0 / lambda)),
            Self::LabelsDrowned(outcomes) => words::note::labels_drowned(listing(outcomes)),
            Self::LabelsUnsettled(outcomes) => words::note::labels_unsettled(listing(outcomes)),
            Self::LabelsApproximate(outcomes) => words::note::labels_approximate(listing(outcomes)),
            Self::LogisticModel => words::note::logistic_model().to_owned(),
            Self::HeavyPenalty(terms, others) => {
                let one = |(name, share): &(String, f64)| {
                    words::note::heavy_penalty_term(name, format_args!("{:.0}", 100.0 * share))
                };
                let named = terms.iter().map(one).collect::<Vec<_>>().join(", ");
                words::note::heavy_penalty(if *others > 0 {
                    words::note::list_more(named, others)
                } else {
                    named
                })
            }
            Self::Diverged => words::note::diverged().to_owned(),
            Self::RadiusReached => words::note::radius_reached().to_owned(),
            Self::NotSettled => words::note::not_settled().to_owned(),
            Self::CurvatureDrowned => words::note::curvature_drowned().to_owned(),
            Self::RadiusOfPaper => words::note::radius_of_paper().to_owned(),
            Self::Descent => words::note::descent().to_owned(),
            Self::GradientsClipped => words::note::gradients_clipped().to_owned(),
            Self::OfDemonstration => words::note::of_demonstration().to_owned(),
            Self::WithoutOwnPenalty(lambda) => words::note::without_own_penalty(lambda),
            Self::NotPrivate(lambda) => words::note::not_private(lambda),
            Self::OwnMoments => words::note::own_moments().to_owned(),
            Self::WhitenedNoise => words::note::whitened_noise().to_owned(),
            Self::IsotropicNoise => words::note::isotropic_noise().to_owned(),
            Self::BoundedNoise => words::note::bounded_noise().to_owned(),
            Self::FeaturesOpen => words::note::features_open().to_owned(),
            Self::OutcomesOpen => words::note::outcomes_open().to_owned(),
            Self::Hardened => words::note::hardened().to_owned(),
            Self::BoundsEstimated(columns, rows) => {
                let one =
                    |(name, lower, upper): &(String, f64, f64)| words::note::bounds_of(name, *lower, *upper);
                let named: Vec<String> = columns.iter().take(NAMED).map(one).collect();
                let others = columns.len().saturating_sub(NAMED);
                let named = named.join(", ");
                let named = if others > 0 { words::note::bounds_more(named, others) } else { named };
                if columns.is_empty() {
                    words::note::bounds_estimated_none(two_digits(*rows))
                } else {
                    words::note::bounds_estimated(named, two_digits(*rows))
                }
            }
            Self::BoundsDoubtful { rows, good } => words::note::bounds_doubtful(rows, good),
            Self::BoundsNotFound(columns) => words::note::bounds_not_found(quoted(columns)),
            Self::BoundsZero(columns) => words::note::bounds_zero(quoted(columns)),
            Self::BoundsContradicted(columns) => words::note::bounds_contradicted(quoted(columns)),
            Self::WellFormed => words::note::well_formed().to_owned(),
            Self::NearlySingular => words::note::nearly_singular().to_owned(),
            Self::FewPublicRows { rows, terms, enough } => words::note::few_public_rows(rows, terms, enough),
            Self::CorrelationsRaised(raised) => words::note::correlations_raised(*raised, raised),
        };
        formatter.write_str(&text)
    }
}

impl From<Note> for String {
    fn from(note: Note) -> Self {
        note.to_string()
    }
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

/// Writes a number from 0 with three significant digits.
fn three_digits(number: f64) -> String {
    let places = if number > 0.0 { (2.0 - libm::floor(libm::log10(number))).clamp(0.0, 17.0) } else { 0.0 };
    let step = libm::pow(10.0, places);
    format!("{}", (number * step).round() / step)
}

/// Writes a number above 0 with its two leading digits, rounded up.
#[must_use]
pub fn two_digits(number: f64) -> String {
    let step = libm::pow(10.0, libm::floor(libm::log10(number)) - 1.0);
    let raised = (number / step * (1.0 - 1e-12)).ceil() * step;
    let places = if step >= 1.0 { 0 } else { 1 + usize::from(number < 1.0) };
    format!("{raised:.places$}")
}

/// Returns which of a release's notes says why it has no coefficients: the first that is about neither their scale nor a penalty.
#[must_use]
pub fn reason(notes: &[String]) -> Option<usize> {
    let beginning = |text: String| text.split('\0').next().unwrap_or_default().to_owned();
    let others = [
        words::note::log_odds().to_owned(),
        words::note::noise_alone().to_owned(),
        words::note::own_unit_penalty().to_owned(),
        beginning(words::note::whitened_penalty('\0', '\0')),
        beginning(words::note::heavy_penalty('\0')),
    ];
    notes.iter().position(|note| !others.iter().any(|other| note.starts_with(other)))
}

fn quoted(columns: &[String]) -> String {
    listing(&(columns.iter().take(NAMED).cloned().collect(), columns.len()))
}

/// "`a`, `b` and `c`", or "`a`, `b` and 7 more".
fn listing((first, all): &Listing) -> String {
    let quoted: Vec<String> = first.iter().map(|name| format!("`{name}`")).collect();
    match (all.saturating_sub(first.len()), quoted.split_last()) {
        (0, Some((last, []))) => last.clone(),
        (0, Some((last, rest))) => words::note::list_and(rest.join(", "), last),
        (more, _) => words::note::list_more(quoted.join(", "), more),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns one of each; a new note has to be added here.
    fn all() -> Vec<Note> {
        use Note::{
            Approximate, BothErrors, BoundedNoise, BoundsContradicted, BoundsDoubtful, BoundsEstimated,
            BoundsFixed, BoundsNotFound, BoundsZero, Clipped, ClippedByPublicMoments, ClippedResiduals,
            Collinear, CorrelationsRaised, CurvatureDrowned, Descent, Diverged, Drowned, EqualSpread,
            FarRows, FeaturesOpen, FewPublicRows, FilteredByRidge, FilteredByShare, FilteredWhole,
            GradientsClipped, Hardened, HeavyPenalty, Held, HeldOdds, IsotropicNoise, LabelsApproximate,
            LabelsDrowned, LabelsUnsettled, LinearProbability, LogOdds, LogisticModel, NearlySingular,
            NoNoise, NoNoisePenalised, NoiseAlone, NoiseAloneByRows, NotDebiased, NotPositiveDefinite,
            NotPrivate, NotSettled, OfDemonstration, OutcomesOpen, Overflowed, OwnMoments, OwnUnitPenalty,
            PenalisedBootstrap, PenalisedNoiseAlone, Projected, RadiusOfPaper, RadiusReached, Raised,
            RepetitionsUnsolved, ResidualNotResolved, Ridge, RowsNotResolved, RowsOfOnePerson, RowsUnknown,
            SecretSample, Shifted, ThroughCentres, ThroughOrigin, Undetermined, UnseenTail, WellFormed,
            WhitenedNoise, WhitenedPenalty, WithoutOwnPenalty,
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
            EqualSpread,
            BoundsFixed,
            SecretSample,
            ClippedByPublicMoments,
            LogOdds,
            HeavyPenalty(vec![("x".to_owned(), 0.4)], 2),
            Diverged,
            RadiusReached,
            NotSettled,
            CurvatureDrowned,
            RadiusOfPaper,
            Descent,
            GradientsClipped,
            OfDemonstration,
            WithoutOwnPenalty(0.01),
            NotPrivate(0.1),
            OwnMoments,
            WhitenedNoise,
            IsotropicNoise,
            BoundedNoise,
            FeaturesOpen,
            OutcomesOpen,
            Hardened,
            WellFormed,
            BoundsEstimated(vec![("y".to_owned(), 0.0, 128.0)], 266.0),
            BoundsEstimated(vec![("y".to_owned(), 0.5, 128.0); 7], 266.0),
            BoundsEstimated(Vec::new(), 266.0),
            BoundsDoubtful { rows: 3_000, good: 11_000 },
            BoundsNotFound(names(1)),
            BoundsZero(names(2)),
            BoundsContradicted(names(9)),
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
            WhitenedPenalty(1.0),
            LabelsDrowned((names(1), 1)),
            LabelsUnsettled((names(2), 2)),
            LabelsApproximate((names(5), 9)),
            LogisticModel,
            LinearProbability(names(1)),
            RowsOfOnePerson(3),
            HeldOdds((names(1), 1), 1.8),
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
        assert_eq!(
            [22.5486, 0.25, 0.000_123_456, 1234.5, 0.0].map(three_digits),
            ["22.5", "0.25", "0.000123", "1235", "0"]
        );
        assert!(text(Note::CorrelationsRaised(1)).contains("1 of their eigenvalues was raised"));
    }

    #[test]
    fn the_reason_stands_after_scale_and_penalties() {
        let reason_of = |notes: &[Note]| reason(&notes.iter().map(Note::to_string).collect::<Vec<_>>());
        let drowned = || Note::LabelsDrowned((vec!["y".to_owned()], 1));
        assert_eq!(
            reason_of(&[Note::LogOdds, Note::WhitenedPenalty(0.5), drowned(), Note::Clipped]),
            Some(2)
        );
        let heavy = Note::HeavyPenalty(vec![("x".to_owned(), 0.4)], 0);
        assert_eq!(reason_of(&[Note::NoiseAlone, Note::OwnUnitPenalty, heavy, Note::Diverged]), Some(3));
        assert_eq!(reason_of(&[Note::NotPositiveDefinite]), Some(0));
        assert_eq!(reason_of(&[Note::LogOdds]), None);
    }
}
