//! The papers that a draft of the paragraph on methods cites.

use super::super::Release;
use super::super::figure;
use super::super::remarks::{are_of_persons, robust};
use super::super::significance::Tests;
use crate::words;

/// The papers that a release can rest on, as `docs/BIBLIOGRAPHY.md` has them.
pub const PAPERS: [&str; 10] = [
    "Benjamini and Hochberg (1995). Controlling the false discovery rate: a practical and powerful approach to multiple testing. Journal of the Royal Statistical Society B 57, 289-300.",
    "Canonne, Kamath and Steinke (2020). The discrete Gaussian for differential privacy. Advances in Neural Information Processing Systems 33. arXiv:2004.00010",
    "Cao, Bi and Zhang (2026). Differentially private truncation of unbounded data via public second moments. arXiv:2602.22282",
    "Dong, Roth and Su (2022). Gaussian differential privacy. Journal of the Royal Statistical Society B 84, 3-37. arXiv:1905.02383",
    "Holm (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics 6, 65-70.",
    "Liang and Zeger (1986). Longitudinal data analysis using generalized linear models. Biometrika 73, 13-22. doi:10.1093/biomet/73.1.13",
    "Neel (2023). PRIMO: private regression in multiple outcomes. arXiv:2303.04195",
    "Sheffet (2015). Private approximations of the 2nd-moment matrix using existing techniques in linear regression. arXiv:1507.00056",
    "Wang (2018). Revisiting differentially private linear regression: optimal and adaptive prediction and estimation in unbounded domain. Conference on Uncertainty in Artificial Intelligence. arXiv:1803.02596",
    "White (1980). A heteroskedasticity-consistent covariance matrix estimator and a direct test for heteroskedasticity. Econometrica 48.",
];

/// The contents of the documentation, which has the titles of its chapters.
const CONTENTS: &str = include_str!("../../../docs/SUMMARY.md");

/// Returns a chapter and section of the documentation as they are cited; `theory/adaptive 2` is how a source names them.
pub fn chapter(source: &str) -> Option<String> {
    let (place, section) = source.split_once(' ')?;
    let line = CONTENTS.lines().find(|line| line.contains(&format!("({place}.md)")))?;
    let title = line.split_once('[')?.1.split_once(']')?.0;
    Some(words::journal::chapter(title, section))
}

/// Returns how a source names a paper: `Wang 2018`.
fn short(paper: &str) -> String {
    paper.split(')').next().unwrap_or_default().replace('(', "")
}

/// Returns the papers behind a release: those that the `source` of its mechanism names, of its noise, and of its errors and tests.
pub fn references(release: &Release, source: &str) -> Vec<&'static str> {
    let mut authors = Vec::new();
    // Only Gaussian noise is accounted in mu.
    if release.privacy.mu.is_some() {
        authors.extend(["Dong", "Canonne"]);
    }
    let notes = &release.diagnostics.notes;
    if robust(notes).is_some() {
        authors.push(if are_of_persons(notes) { "Liang" } else { "White" });
    }
    if figure::outcomes(release).len() > 1 && Tests::of(release).absent().is_none() {
        authors.extend(["Holm", "Benjamini"]);
    }
    let is_cited = |paper: &&str| {
        source.contains(&short(paper)) || authors.iter().any(|author| paper.starts_with(author))
    };
    PAPERS.into_iter().filter(is_cited).collect()
}
