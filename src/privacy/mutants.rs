//! Mutants: deliberate bugs that the audit must detect (theory/audit 4).
//!
//! Each place with a mutant calls [`is_active`]. Without the feature `audit-mutants` that is a constant `false`, and the branch is
//! not compiled. A release build with the feature does not compile.

#[cfg(all(feature = "audit-mutants", not(debug_assertions)))]
compile_error!(
    "the mutants of `audit-mutants` are for tests: build without this feature, or in a test's profile"
);

/// Defines the mutants: the type, the list of all, and the first line of each description for the audit's report.
macro_rules! mutants {
    ($($(#[doc = $text:literal])+ $name:ident,)+) => {
        /// A bug that some test must detect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mutant {
            $($(#[doc = $text])+ $name,)+
        }

        #[cfg(feature = "audit-mutants")]
        impl Mutant {
            /// All of them: each needs a test that catches it.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// Returns what is wrong, in one sentence.
            pub fn description(self) -> &'static str {
                let lines: &[&str] = match self {
                    $(Self::$name => &[$($text),+],)+
                };
                lines.first().map_or("", |line| line.trim())
            }
        }
    };
}

mutants! {
    /// Noise of scale S/2.
    SigmaHalved,
    /// Noise of scale S/√2.
    SigmaOverSqrt2,
    /// The sensitivity of add-remove is used under replace-one.
    AddRemoveDeltaUnderReplaceOne,
    /// Variance S²/4 off the diagonal.
    OffDiagonalQuarter,
    /// Variance S²/2 on the diagonal.
    DiagonalHalf,
    /// The discrete Laplace sampler counts 0 with both signs.
    ZeroTwiceInLaplace,
    /// The exponential coin returns the opposite.
    BernExpParity,
    /// The exponential coin omits the integer part of a rate above 1.
    ExpLoopDropped,
    /// One random row fewer is added than was charged for.
    RandomRowFewer,
    /// The last cell of the diagonal has no ridge.
    RidgeShortOfLastCell,
    /// All of Bartlett's chi-squares have the degrees of freedom of the first.
    DegreesNotFalling,
    /// The private bound on the least eigenvalue is not shifted below it.
    EigenvalueUnshifted,
    /// The bound on the least eigenvalue has no noise.
    EigenvalueUnnoised,
    /// A matrix mechanism under replace-one is calibrated by the profile of add-remove.
    AddRemoveCurveUnderReplaceOne,
    /// No part of δ is reserved for random rows on a grid.
    GridSlackUnreserved,
    /// A charge is rounded down.
    ChargeRoundedDown,
    /// Gaussian accounting on a grid that is too coarse for it.
    CoarseGaussian,
    /// A record is not clipped at all.
    NoClip,
    /// Each column is clipped, the norm of the record is not.
    ColumnClampOnly,
    /// Outcomes with their own bound are not clipped.
    OutcomesUnclipped,
    /// Neither a derived value nor the record that holds it is clipped.
    DerivedUnclipped,
    /// A record's gradient is not clipped.
    GradientUnclipped,
    /// The sensitivity of the features' moments is used although the cross moments are released with them.
    CrossMomentsUncounted,
    /// The sensitivity of the gradient is used although the curvature is released with it.
    CurvatureUncounted,
    /// Only one of several histograms of the same record is charged.
    HistogramsCountedOnce,
    /// The tail counts are charged as if each person had one row.
    PersonsUncountedInTails,
    /// The counts that estimate bounds are charged as if each person had one row.
    PersonsUncountedInBounds,
    /// The cells of the second counts for bounds follow from exact counts.
    LayoutFromExactCounts,
    /// How far an unseen tail may reach follows from the exact number of rows.
    RowsFromExactCounts,
    /// The estimated bounds are read from exact counts.
    EndsFromExactCounts,
    /// The second counts for bounds have the noise of the first.
    FirstNoiseReused,
    /// A missing number counts as zero in the counts for bounds.
    NanCountedAsZero,
    /// Estimated bounds are widened to the smallest and the largest value.
    WidenedToExtremes,
    /// The second counts for bounds have noise in the cells alone that their layout uses.
    NoiseForUsedCellsAlone,
    /// A fit is charged although bounds were not found.
    FitChargedAfterNotFound,
    /// The shares of the rounds are applied to μ, not to μ².
    SharesOfMu,
    /// The rounds that learn centres, scales and the transform have no noise.
    EarlierRoundsUnnoised,
    /// The tail counts, from which the radii follow and which are shown, have no noise.
    TailCountsUnnoised,
    /// The curvature of a Newton step has no noise.
    CurvatureUnnoised,
    /// The products of scores have no noise.
    ScoresUnnoised,
    /// The score of a record is not shortened.
    ScoresUnclipped,
    /// The scores of a person's rows are not summed, although one score of each person is paid for.
    ScoresOfRows,
    /// The squares of the final round have the noise of its cross moments.
    SquaresUnweighted,
    /// The final round has the noise of the second round once more.
    RoundNoiseReused,
    /// The integer checks of the rounds are left out.
    RoundChecksOmitted,
    /// A record is shortened by its residuals, too, which bends the slopes.
    ResidualsShorten,
    /// A record is shortened, its residuals are not.
    ResidualsNotShortened,
    /// The privacy noise of a coefficient is that of the whitened one.
    NoiseNotCarried,
    /// κ of replace-one is used under add-remove, so that the curvature is not free.
    KappaOfReplaceOne,
    /// Only one of the labels of a step is charged.
    LabelsUncounted,
    /// The steps are charged as if each person had one row.
    PersonsUncountedInSteps,
    /// The weight of a record's curvature is rounded up.
    CurvatureRoundedUp,
    /// The length of a step's integers is not checked.
    LengthUnchecked,
    /// A shortened record pulls with its weight, not with the square of it.
    WeightNotSquared,
    /// Records are shortened by their labels, too.
    LabelsShorten,
    /// The fitted value is that of the shortened record.
    FittedShortened,
    /// The share of yes is that of shortened records.
    RateOfMoments,
    /// The steps start at 0.
    StartAtZero,
    /// Small eigenvalues of a noisy curvature are not raised to those of the noise.
    CurvatureUnraised,
    /// The covariance goes by the curvature of the first step.
    FirstCurvature,
    /// All steps have the same noise.
    StepNoiseReused,
    /// Only one of several noisy steps is charged.
    StepsUncounted,
    /// The residual of a generalised linear model is not clipped.
    ResidualUnclipped,
    /// Noise is scaled to the mean leverage of the rows, not to the largest.
    LeverageAveraged,
    /// The secret sample is always the first rows.
    SampleKnown,
    /// The limit of rows per person is ignored.
    KeepAllRowsOfPerson,
    /// Rows without an id count as rows of one person.
    EmptyIdsPooled,
    /// One cell of the diagonal has no noise.
    DiagonalCellUnnoised,
    /// All cells have the same noise.
    SameNoiseEverywhere,
    /// All releases have the same noise.
    SeedReused,
    /// Noise is added in floating point.
    NoiseInFloat,
    /// A block of 64-bit sums is four times too long.
    BlockOf2To16,
    /// The intercept's cell has no noise although rows may be skipped.
    InterceptUnnoisedUnderSkip,
    /// A field that is no number is kept as NaN, and the norm is tested in floating point, where NaN passes.
    ///
    /// Either alone is harmless: the cast to an integer makes NaN 0, so the integer test sees the actual row, and without a NaN the
    /// floating-point norm was clipped before.
    NanUnmapped,
    /// Standard errors omit the privacy noise.
    NaiveStandardError,
    /// The noise is drawn before the charge is stored.
    ChargeAfterCompute,
    /// The charge is stored after the answer to the first of several rounds.
    ChargeAfterRound,
    /// The charge of a lost release is returned.
    RefundOnCrash,
    /// Two programs, or two tabs, can write one ledger at the same time.
    DoubleSpend,
}

#[cfg(feature = "audit-mutants")]
impl Mutant {
    /// Returns the mutant that this program was started with.
    fn from_environment() -> Option<Self> {
        let name = std::env::var(VARIABLE).ok()?;
        Self::ALL.iter().copied().find(|mutant| format!("{mutant:?}") == name)
    }
}

/// The environment variable that activates a mutant in every thread of a program started by a test. Its value is the name of a
/// [`Mutant`] of the ledger's storage.
#[cfg(feature = "audit-mutants")]
pub const VARIABLE: &str = "DISCREET_MUTANT";

/// Returns whether the mutant is active: never, in this build.
#[cfg(not(feature = "audit-mutants"))]
#[inline]
pub const fn is_active(_: Mutant) -> bool {
    false
}

#[cfg(feature = "audit-mutants")]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Mutant>> = std::cell::Cell::new(Mutant::from_environment());
}

/// Returns the mutant that is active on this thread.
#[cfg(feature = "audit-mutants")]
pub fn current() -> Option<Mutant> {
    ACTIVE.get()
}

/// Returns whether the mutant is active on this thread.
#[cfg(feature = "audit-mutants")]
pub fn is_active(mutant: Mutant) -> bool {
    ACTIVE.get() == Some(mutant)
}

/// Runs `work` with one mutant active on this thread, and deactivates it afterwards, also after a panic.
#[cfg(feature = "audit-mutants")]
pub fn with_active<T>(mutant: Mutant, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Mutant>);
    impl Drop for Restore {
        fn drop(&mut self) {
            ACTIVE.set(self.0);
        }
    }
    let _restore = Restore(ACTIVE.replace(Some(mutant)));
    work()
}
