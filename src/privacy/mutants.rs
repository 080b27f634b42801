//! Deliberate bugs for the audit (noise-and-accounting, D3).
//!
//! Each place that could go wrong in a way the tests must notice asks [`is_active`]. Without the feature `audit-mutants`
//! the answer is a constant `false` and the branch is not compiled; a release build with the feature does not compile.

#[cfg(all(feature = "audit-mutants", not(debug_assertions)))]
compile_error!(
    "the mutants of `audit-mutants` are for tests: build without this feature, or in a test's profile"
);

/// Defines the bugs once: the type, the list of all, and the first line of each description for the audit's report.
macro_rules! mutants {
    ($($(#[doc = $text:literal])+ $name:ident,)+) => {
        /// A bug that some test must catch.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Mutant {
            $($(#[doc = $text])+ $name,)+
        }

        #[cfg(feature = "audit-mutants")]
        impl Mutant {
            /// All of them: each needs a test that catches it.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// What is wrong, in one sentence.
            #[must_use]
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
    /// The sensitivity of adding or removing where a record is replaced.
    AddRemoveDeltaUnderReplaceOne,
    /// Variance S²/4 off the diagonal.
    OffDiagonalQuarter,
    /// Variance S²/2 on the diagonal.
    DiagonalHalf,
    /// The discrete Laplace sampler counts 0 with both signs.
    ZeroTwiceInLaplace,
    /// The exponential coin answers the opposite.
    BernExpParity,
    /// The exponential coin leaves out the whole rounds of a rate above 1.
    ExpLoopDropped,
    /// One random row fewer is added than was paid for.
    RandomRowFewer,
    /// The last cell of the diagonal gets no ridge.
    RidgeShortOfLastCell,
    /// All of Bartlett's chi-squares have the degrees of freedom of the first.
    DegreesNotFalling,
    /// The private bound on the least eigenvalue is not shifted below it.
    EigenvalueUnshifted,
    /// The bound on the least eigenvalue has no noise.
    EigenvalueUnnoised,
    /// A matrix is drawn at the cost of adding or removing where a record is replaced.
    AddRemoveCurveUnderReplaceOne,
    /// Nothing of δ is kept for random rows on a grid.
    GridSlackUnreserved,
    /// A charge is rounded to the person's harm.
    ChargeRoundedDown,
    /// Gaussian accounting on a grid that is too coarse for it.
    CoarseGaussian,
    /// A record keeps its length.
    NoClip,
    /// Each column is clamped, the record as a whole is not.
    ColumnClampOnly,
    /// Outcomes with a bound of their own keep their length.
    OutcomesUnclipped,
    /// A record's gradient keeps its length.
    GradientUnclipped,
    /// The sensitivity of the features' moments where those of features and outcomes are released with them.
    CrossMomentsUncounted,
    /// The sensitivity of a gradient alone where the curvature is released with it.
    CurvatureUncounted,
    /// Of several noisy steps one is paid for.
    StepsUncounted,
    /// The residual of a generalised linear model keeps its size.
    ResidualUnclipped,
    /// Noise is shaped for the rows' mean leverage, not for the largest.
    LeverageAveraged,
    /// The secret sample is always the first rows.
    SampleKnown,
    /// The limit of rows per person is ignored.
    KeepAllRowsOfPerson,
    /// Rows without an id count as one person's.
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
    /// Either alone does no harm: the cast to an integer makes NaN 0, so the integer test sees the row as it is, and
    /// without a NaN the floating-point norm was clipped before.
    NanUnmapped,
    /// Standard errors leave the privacy noise out.
    NaiveStandardError,
    /// The noise is drawn before the charge is stored.
    ChargeAfterCompute,
    /// A charge whose release was lost is given back.
    RefundOnCrash,
    /// Nothing keeps two programs, or two tabs, apart on one ledger.
    DoubleSpend,
}

#[cfg(feature = "audit-mutants")]
impl Mutant {
    /// The bug that this program was started with.
    fn from_environment() -> Option<Self> {
        let name = std::env::var(VARIABLE).ok()?;
        Self::ALL.iter().copied().find(|mutant| format!("{mutant:?}") == name)
    }
}

/// The environment variable that plants a bug in every thread of a program started by a test: the name of a [`Mutant`]
/// of the ledger's storage.
#[cfg(feature = "audit-mutants")]
pub const VARIABLE: &str = "DISCREET_MUTANT";

/// Whether the bug is planted: never, in this build.
#[cfg(not(feature = "audit-mutants"))]
#[inline]
#[must_use]
pub const fn is_active(_: Mutant) -> bool {
    false
}

#[cfg(feature = "audit-mutants")]
thread_local! {
    static ACTIVE: std::cell::Cell<Option<Mutant>> = std::cell::Cell::new(Mutant::from_environment());
}

/// The bug that is planted on this thread.
#[cfg(feature = "audit-mutants")]
#[must_use]
pub fn current() -> Option<Mutant> {
    ACTIVE.get()
}

/// Whether the bug is planted on this thread.
#[cfg(feature = "audit-mutants")]
#[must_use]
pub fn is_active(mutant: Mutant) -> bool {
    ACTIVE.get() == Some(mutant)
}

/// Runs `work` with one bug planted on this thread, and without it afterwards, also after a panic.
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
