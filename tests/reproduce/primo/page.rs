//! What stands before the tables.

use super::Size;
use super::setting::SEED;
use crate::reproduce_common::{NEAR, Page};

/// The document before its first table.
pub fn begin(size: &Size) -> Page {
    let mut page = Page::default();
    page.say("# PRIMO, once more");
    page.say(
            "Seth Neel, *PRIMO: private regression in multiple outcomes*, arXiv 2303.04195. The paper has figures and no table of results. So the *reference* numbers below are not the paper's: we computed them with an independent program, in the paper's setting, on simulated haplotypes; where the paper leaves something open, this page says what was chosen. *Printed* means printed in the paper.",
        );
    summary(&mut page);
    page.end_head();
    page.say("## How this was made");
    page.list(&[
            format!(
                "`make reproduce-primo` writes this file and nothing else does: seed {SEED}, {} runs of each length. The same program gives the \
                 same bytes. `FULL=1` adds 8,000 outcomes with known outcomes, which takes half an hour.",
                size.runs
            ),
            "All tables are synthetic: haplotypes of five populations after Balding and Nichols (F_ST = 0.1, ancestral frequencies even between 0.05 and \
             0.95), each feature centred; outcomes y = θ'x + N(0, 1), θ ~ N(0, I/√d)."
                .to_owned(),
            "Bounds are the longest rows and the largest entry of the synthetic table, as the paper seems to have them. With a real table that is a leak; \
             the mechanisms of this project take theirs from the plan."
                .to_owned(),
            "Noise is continuous and seeded, and protects nobody. Its scales are those of `privacy`, the paper's those of \
             `privacy::profile::paper::primo`; projections and shrinkage are those of `math::projection`. All columns of a run share one draw."
                .to_owned(),
        ]);
    page.say("The rule for a cell:");
    page.list(&[
            "A cost has to equal the reference number, to the last digit, or the difference is explained below its table.".to_owned(),
            format!(
                "An R² has to be within {} of the reference number or within {} % of it, an error or a log ratio within that share. **Bold** is what is \
                 outside, with the reference number in brackets.",
                NEAR.0,
                NEAR.1 * 100.0
            ),
            "Outside, (!) is what chance does not explain either, and the run fails: further away than four standard errors of the difference of two \
             means (medians) of as many runs. Where a run may come near a singular matrix a mean says little, and chance explains much."
                .to_owned(),
        ]);
    page
}

/// What a reader without the paper should know.
fn summary(page: &mut Page) {
    page.say("## Summary");
    page.say("The paper is about one table with many outcomes, such as thousands of traits of the same people. It proposes to protect the features' moments once for all outcomes, and, where features or outcomes are public, to put a noisy result back into the set of possible ones (a projection). We ran its experiments on synthetic haplotypes, with this program's scales and projections, and put every number beside one that we had computed earlier with an independent program.");
    page.say("**What comes out as the paper says.** Sharing the features' moments is better than separate noise for each outcome. Without a projection the explained variance turns negative between 11 and 101 outcomes. A projection with a flat, positive explained variance for very many outcomes exists.");
    page.say("**What does not.** That projection is the one for public *outcomes*; the one for public *features*, which the text names, changes nothing up to 1,001 outcomes, and the explained variance is negative there from 801 outcomes on. Its lead in the paper's figures comes from a smaller bound on the outcomes and from exact features, not from the projection. And a projection never makes an estimate worse in the measure that it works in, as the paper supposes for few outcomes.");
    page.say("**What the paper's scales cost.** Neighbours in the paper differ by replacing one person, and its noise is sized for adding one. Under its own definition Algorithm 1 keeps ε = 6.85 where it claims 5, Algorithm 2 alone 8.80, the scales of the proof of Theorem 1 49, and Algorithm 4 with a tenth of the rows several hundred. One joint release of both parts, with exact calibration, keeps the claim with about half of the noise that the paper's split would need. The proofs are in [theory/many-outcomes](../theory/many-outcomes.md).");
    page.say("**For practice**: a ridge from public numbers matters more than any projection where nothing is public; where features are public, the rule of James and Stein has the smallest errors, and no valid intervals.");
    page.say("Words: *Gauss* is the paper's Algorithm 1, *Proj_X* and *Proj_Y* the projections for public features and public outcomes, *R²* the explained share of the variance, *OLS* least squares without privacy. *Printed* means the paper's scales; *reference* is our earlier computation.");
}
