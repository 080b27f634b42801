//! What stands before the tables.

use super::Size;
use super::setting::SEED;
use crate::reproduce_common::{NEAR, Page};

/// The document before its first table.
pub fn begin(size: &Size) -> Page {
    let mut page = Page::default();
    page.say("# Public second moments, once more");
    page.say(
        "Z. Cao, X. Bi, H. Zhang, *Differentially Private Truncation of Unbounded Data via Public Second Moments*, arXiv 2602.22282. The paper has \
         figures and no number. So the *reference* numbers below are not the paper's: we computed them with an independent program, in designs that are specified in full here, because the paper does not say its own. *Printed* means printed in the paper.",
    );
    summary(&mut page);
    page.end_head();
    page.say("## How this was made");
    page.list(&[
        format!(
            "`make reproduce-pmt` writes this file and nothing else does: seed {SEED}; {} runs of Figures 2 and 3, {} of Figure 1, {} of the logistic \
             ones. The same program gives the same bytes.",
            size.runs, size.descents, size.fits
        ),
        "All tables are synthetic, with rows x ~ N(m, Ψ): `iso` has m = 0 and Ψ = I; `ar` m = 1 and Ψ_jk = 0.5^|j−k|; `ill` m = 0 and Ψ with eigenvalues from 10 to 0.1 in the basis of the cosine transform; `mv5` m_j = 5j/d and Ψ_jk = 0.9^|j−k|. y = x'β + 0.05 z, or 1 with the odds e^(x'β); β ~ N(0, I) is drawn for each run, and fixed in the logistic tables."
            .to_owned(),
        "Noise is continuous and seeded, and protects nobody. Its scales are those of `privacy`, the paper's those of `privacy::profile::paper::pmt`. \
         μ is the paper's, whose total claim is √2 μ; every column has that total."
            .to_owned(),
        "Errors are lengths of the difference from the true β. Columns: PMT as printed; exact: one joint calibration; tight: and the smaller radius; \
         PMT-GD: descent among whitened records; RR: without public moments, with the true Σ and β, which is not private; fair y: with y's own \
         spread; public: least squares on the public rows alone."
            .to_owned(),
    ]);
    page.say("The rule for a cell:");
    page.list(&[
        format!(
            "A mean whose runs spread less than it is large has to be within {} % of the reference number, else the median. **Bold** is what is outside, with the reference number in brackets.",
            NEAR.1 * 100.0
        ),
        "Outside, (!) is what chance does not explain either, and the run fails: further away than four standard errors of the difference of two \
         means (medians) of as many runs."
            .to_owned(),
    ]);
    page.say("Not repeated: the reference computation's stand-in for the power plant, whose moments were not recorded.");
    page
}

/// What a reader without the paper should know.
fn summary(page: &mut Page) {
    page.say("## Summary");
    page.say("The paper uses publicly known second moments (how large columns are, and how they go together) to put private records on a scale on which all directions are alike, cuts off long records there, and adds less noise. It has a ridge regression and noisy Newton steps for logistic regression. It prints no number and does not state its designs; so we ran designs that are specified here, with the printed scales and with ours, and put every number beside one that we had computed earlier with an independent program.");
    page.say("**What comes out as the paper says.** Where columns are strongly related or of very different size, the method is far better than the same method without public moments, its error falls as one over the number of rows, and it overtakes gradient descent in the columns' own units. It depends little on a small penalty.");
    page.say("**What does not.** Least squares on the public rows alone, which the paper does not compare with, is better than the printed method at μ = 1 and up to 10,000 rows in every design with the paper's small residuals. Gradient descent among the whitened records is better than the ridge regression, by a factor of 40 and more in the design of the first figure.");
    page.say("**What the paper's scales cost.** They are safe and too large: the ridge costs 0.75 of what is charged, the logistic steps 0.71 (the generalised linear model as listed, without a bound on its coefficients, has no guarantee). Without a floor on small eigenvalues up to 97 % of the runs of noisy Newton steps end far from the truth; with the floor none does. The proofs are in [theory/public-moments](../theory/public-moments.md).");
    page.say("**For practice**: use the exact calibration with the floor (the default), at least three public rows for each column, and several times the fewest rows that the page names before a release.");
    page.say("Words: *PMT* is the paper's method, *LR* and *RR* the paper's versions without public moments (which need the true moments and are not private), *GD* gradient descent, *OLS* or *non-DP* the fit without privacy. *Printed* means the paper's scales; *reference* is our earlier computation.");
}
