//! The contract's names: what each mechanism is, and whether it can run under a plan at all.

use crate::model::{Assurance, Wallet};
use crate::plan::document::Calibration;
use crate::plan::{CheckedPlan, PlanError, Purpose};
use crate::privacy::adjacency::{Adjacency, Protect};
use crate::privacy::calibrate::Budget;

/// What a mechanism reads of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reads {
    /// The exact second moments.
    Moments,
    /// The encoded rows, once.
    Rows,
    /// The encoded rows, several times.
    RowsRepeatedly,
}

/// Under which adjacency and protection a mechanism is private.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Both adjacencies.
    Both,
    /// Replacing one record.
    ReplaceOne,
    /// Replacing one record, where only this part of it is protected.
    Relaxed(Protect),
}

/// One row of the contract's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Info {
    /// The name in a plan, on the command line and in the app.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// What it reads.
    pub reads: Reads,
    /// What it charges.
    pub wallet: Wallet,
    /// Where it is private.
    pub scope: Scope,
    /// The weakest assurance that a release of it can have; the parameters can make it stronger.
    pub assurance: Assurance,
    /// When to prefer it, in one sentence.
    pub prefer: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    guided: bool,
}

impl Info {
    /// Whether it is guided by public moments, and then cannot do without.
    #[must_use]
    pub const fn takes_public(&self) -> bool {
        self.guided
    }

    /// Whether its outcomes are yes or no, whatever its parameters.
    #[must_use]
    pub fn takes_labels(&self) -> bool {
        self.name.ends_with("-logistic")
    }
}

const fn row(
    name: &'static str,
    summary: &'static str,
    reads: Reads,
    wallet: Wallet,
    scope: Scope,
    assurance: Assurance,
    source: &'static str,
) -> Info {
    Info { name, summary, reads, wallet, scope, assurance, prefer: "", source, guided: false }
}

/// Mechanisms whose paper's own scale is built.
const HAVE_PAPER: [&str; 15] = [
    "analyze-gauss",
    "reuse-cov-gauss",
    "reuse-cov-proj-x",
    "reuse-cov-proj-y",
    "sub-samp-reuse-cov",
    "jl-ridge",
    "jl-ridge-adaptive",
    "additive-wishart",
    "inverse-wishart",
    "inverse-wishart-adaptive",
    "pmt-ridge",
    "pmt-logistic",
    "pmt-glm",
    "dp-ridge",
    "dp-logistic",
];

/// All names of the contract.
pub const TABLE: [Info; 21] = {
    use Assurance::{Bounded, Demo, Exact, Idealised};
    use Reads::{Moments, Rows, RowsRepeatedly};
    use Scope::{Both, Relaxed, ReplaceOne};
    use Wallet::{Gaussian, None, Other};
    [
        Info {
            prefer: "Prefer it in general: it has the least noise for a budget, and its proof covers the arithmetic itself.",
            ..row(
                "analyze-gauss",
                "Adds exact discrete Gaussian noise to the second moments; any regression follows from them.",
                Moments,
                Gaussian,
                Both,
                Exact,
                "Sheffet 6; noise-and-accounting, A3 to A8",
            )
        },
        Info {
            prefer: "Prefer it where a table may be large enough to need no ridge, and a fixed one would shrink too much.",
            ..row(
                "ada-ssp",
                "Perturbs the moments and chooses the ridge from a private eigenvalue.",
                Moments,
                Gaussian,
                Both,
                Bounded,
                "Wang 2018; primo 1.13",
            )
        },
        Info {
            prefer: "Prefer it for many outcomes on the same features: what is spent on the features is spent once for all.",
            ..row(
                "reuse-cov-gauss",
                "Shares one noisy covariance among all outcomes.",
                Moments,
                Gaussian,
                Both,
                Exact,
                "PRIMO Alg. 1; primo 1.5",
            )
        },
        Info {
            prefer: "Prefer it where the features may be published: they are not protected, and the whole budget goes to the outcomes.",
            ..row(
                "reuse-cov-proj-x",
                "Projects the outcomes on the features; protects the labels alone.",
                Moments,
                Gaussian,
                Relaxed(Protect::Labels),
                Exact,
                "PRIMO Alg. 2; primo 1.7",
            )
        },
        Info {
            prefer: "Prefer it for very many outcomes that may be published: they are not protected, and they take noise off.",
            ..row(
                "reuse-cov-proj-y",
                "Projects the features on the outcomes; protects the features alone.",
                Moments,
                Gaussian,
                Relaxed(Protect::Features),
                Exact,
                "PRIMO Alg. 3; primo 1.6",
            )
        },
        Info {
            prefer: "Prefer it never for accuracy: the sample saves time where there are many features, and costs noise.",
            ..row(
                "sub-samp-reuse-cov",
                "Shares a covariance that was computed on a secret subsample.",
                Rows,
                Other,
                ReplaceOne,
                Exact,
                "PRIMO Alg. 4; primo 1.10",
            )
        },
        Info {
            prefer: "Prefer it never for a release: it shows what sharing one covariance saves.",
            ..row(
                "naive-composition",
                "Runs one private regression per outcome and divides the budget among them.",
                Moments,
                Gaussian,
                Both,
                Exact,
                "PRIMO baseline; primo 1.3",
            )
        },
        Info {
            prefer: "Prefer it to the others only to reproduce the paper: a posterior draw costs the same and is less noisy.",
            ..row(
                "jl-ridge",
                "Solves a ridge regression on a Gaussian projection of the table.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 1",
            )
        },
        Info {
            prefer: "Prefer it to the plain projection from some hundred thousand rows on, where the table needs no ridge of its own.",
            ..row(
                "jl-ridge-adaptive",
                "The projection, with a ridge that is no larger than the table needs.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 2",
            )
        },
        Info {
            prefer: "Prefer it where the moments must be positive definite, whatever the noise does, and the arithmetic bounded.",
            ..row(
                "additive-wishart",
                "Adds random extra rows to the table.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 3",
            )
        },
        Info {
            prefer: "Prefer it for small tables, where a strong ridge is welcome and exact intervals for it are worth more than least squares.",
            ..row(
                "inverse-wishart",
                "Draws the moments from a posterior.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 4",
            )
        },
        Info {
            prefer: "Prefer it to the plain posterior draw from some hundred thousand rows on, where the table needs no ridge of its own.",
            ..row(
                "inverse-wishart-adaptive",
                "Draws from a posterior whose prior is no stronger than the table needs.",
                Moments,
                Other,
                Both,
                Idealised,
                "Sheffet Alg. 5",
            )
        },
        Info {
            prefer: "Prefer it where means, spreads and correlations of other people's data are known: the noise then has the shape of the columns.",
            guided: true,
            ..row(
                "pmt-ridge",
                "Truncates records by public moments, then fits a ridge regression.",
                Rows,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 1 and 2",
            )
        },
        Info {
            prefer: "Prefer it for yes or no outcomes where the columns' moments are known from other people's data.",
            guided: true,
            ..row(
                "pmt-logistic",
                "Truncates records by public moments, then fits a logistic regression.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 1 and 3",
            )
        },
        Info {
            prefer: "Prefer it to `pmt-logistic` only where a bound on the coefficients is known, or to compare the two families.",
            guided: true,
            ..row(
                "pmt-glm",
                "Truncates records by public moments, then fits a generalised linear model.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 1 and 4",
            )
        },
        Info {
            prefer: "Prefer it to `pmt-ridge` for estimates alone: it has less noise for many features, and gives no intervals.",
            guided: true,
            ..row(
                "pmt-gd",
                "Truncates records by public moments, then descends along noisy gradients.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 1; pmt 1.9",
            )
        },
        Info {
            prefer: "Prefer it for a ridge regression with a fixed penalty where no public moments are known.",
            ..row(
                "dp-ridge",
                "Fits a ridge regression without public data.",
                Rows,
                Gaussian,
                Both,
                Exact,
                "PMT baseline; pmt 1.4",
            )
        },
        Info {
            prefer: "Prefer it for yes or no outcomes where no public moments are known.",
            ..row(
                "dp-logistic",
                "Fits a logistic regression without public data.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT Alg. 5; pmt 1.6",
            )
        },
        Info {
            prefer: "Prefer it where there are too many features for second moments; it gives no intervals.",
            ..row(
                "dp-gd",
                "Descends along noisy gradients without public data.",
                RowsRepeatedly,
                Gaussian,
                Both,
                Exact,
                "PMT baseline; pmt 1.8; primo 1.12",
            )
        },
        Info {
            prefer: "Prefer it never for anything that is published: it shows what the private ones aim at.",
            ..row(
                "ols",
                "Ordinary least squares without any privacy, for comparison.",
                Moments,
                None,
                Both,
                Demo,
                "closed form",
            )
        },
        Info {
            prefer: "Prefer it never for anything that is published: it shows what the private ones aim at.",
            ..row(
                "logistic",
                "Logistic regression without any privacy, for comparison.",
                RowsRepeatedly,
                None,
                Both,
                Demo,
                "maximum likelihood",
            )
        },
    ]
};

/// The row of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Info> {
    TABLE.iter().find(|info| info.name == name)
}

/// Whether a mechanism can run under a plan at all.
pub(super) fn check(info: &Info, plan: &CheckedPlan, purpose: Purpose) -> Result<(), PlanError> {
    let name = info.name;
    if info.wallet == Wallet::None && purpose == Purpose::Release {
        return Err(PlanError::at(
            "mechanism.name",
            format!("`{name}` is not private"),
            "run it with `simulate` alone, or take `analyze-gauss`",
        ));
    }
    match info.scope {
        Scope::Both => {}
        Scope::ReplaceOne | Scope::Relaxed(_) if plan.adjacency != Adjacency::ReplaceOne => {
            return Err(PlanError::at(
                "adjacency",
                format!("`{name}` is private under replace-one alone"),
                "set `adjacency` to \"replace-one\", or take another mechanism",
            ));
        }
        Scope::Relaxed(protect) if plan.protect != protect => {
            return Err(PlanError::at(
                "protect",
                format!("`{name}` protects {protect} alone"),
                format!("set `protect` to \"{protect}\", or take another mechanism"),
            ));
        }
        Scope::ReplaceOne | Scope::Relaxed(_) => {}
    }
    if info.wallet == Wallet::Other {
        if plan.max_rows_per_person > 1 {
            return Err(PlanError::at(
                "max_rows_per_person",
                format!("the proof of `{name}` is for one row per person"),
                "set it to 1, or take a mechanism of the Gaussian wallet",
            ));
        }
        if matches!(plan.budget, Some(Budget::Mu { .. } | Budget::Rho { .. })) {
            return Err(PlanError::at(
                "budget",
                format!("`{name}` is charged in epsilon and delta"),
                "give {\"epsilon\", \"delta\"}",
            ));
        }
    }
    if plan.calibration == Calibration::Paper && !HAVE_PAPER.contains(&name) {
        return Err(PlanError::at(
            "mechanism.calibration",
            no_scale_of_a_paper(info),
            "remove `calibration`, or set it to \"exact\"",
        ));
    }
    Ok(())
}

/// Why there is no scale of a paper's own.
fn no_scale_of_a_paper(info: &Info) -> String {
    let name = info.name;
    match name {
        "dp-gd" => format!(
            "no paper prints another scale for `{name}`: the usual one, √T times 2 C over μ, is the exact one"
        ),
        "pmt-gd" => format!(
            "no paper prints a scale for `{name}`: the one on public moments mentions descent and has no listing of it"
        ),
        _ if info.wallet == Wallet::None => format!("`{name}` has no noise, so no paper has a scale for it"),
        _ => format!("the paper's own scale for `{name}` is not built yet"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_name_has_one_row() {
        let names: BTreeSet<&str> = TABLE.iter().map(|info| info.name).collect();
        assert_eq!(names.len(), TABLE.len());
        assert!(TABLE.iter().all(|info| info.summary.ends_with('.') && !info.source.is_empty()));
        assert!(TABLE.iter().all(|info| info.prefer.ends_with('.')));
        assert_eq!(find("analyze-gauss").map(|info| info.name), Some("analyze-gauss"));
        assert_eq!(find("analyse-gauss"), None);
        assert!(HAVE_PAPER.iter().all(|name| names.contains(name)));
    }
}
