//! What stands before the tables.

use super::Size;
use super::setting::SEED;
use crate::reproduce_common::{NEAR, Page};

/// The document before its first table.
pub fn begin(size: &Size) -> Page {
    let mut page = Page::default();
    page.say("# PRIMO, once more");
    page.say(
            "Seth Neel, *PRIMO: private regression in multiple outcomes*, arXiv 2303.04195. The paper has figures and no table of results. The \
             *printed* numbers below are those in the notes that this project was built from: an independent program computed them in the paper's \
             setting, on simulated haplotypes, with whatever the paper leaves open chosen as said.",
        );
    page.end_head();
    page.say("## How this was made");
    page.list(&[
            format!(
                "`make reproduce-primo` writes this file and nothing else does: seed {SEED}, {} runs of each length. The same program gives the \
                 same bytes. `FULL=1` adds 8,000 outcomes with known outcomes, which takes half an hour.",
                size.runs
            ),
            "All tables are made up: haplotypes of five populations after Balding and Nichols (F_ST = 0.1, ancestral frequencies even between 0.05 and \
             0.95), each feature centred; outcomes y = θ'x + N(0, 1), θ ~ N(0, I/√d)."
                .to_owned(),
            "Bounds are the longest rows and the largest entry of the made-up table, as the paper seems to have them. With a real table that is a leak; \
             the mechanisms of this project take theirs from the plan."
                .to_owned(),
            "Noise is continuous and seeded, and protects nobody. Its scales are those of `privacy`, the paper's those of \
             `privacy::profile::paper::primo`; projections and shrinkage are those of `math::projection`. All columns of a run share one draw."
                .to_owned(),
        ]);
    page.say("The rule for a cell:");
    page.list(&[
            "A cost has to be as printed, to the last digit, or the difference is explained below its table.".to_owned(),
            format!(
                "An R² has to be within {} of the printed number or within {} % of it, an error or a log ratio within that share. **Bold** is what is \
                 outside, with the printed number in brackets.",
                NEAR.0,
                NEAR.1 * 100.0
            ),
            "Outside, (!) is what chance does not explain either, and the run fails: further away than four standard errors of the difference of two \
             means (medians) of as many runs. Where a run may come near a singular matrix a mean says little, and chance explains much."
                .to_owned(),
        ]);
    page
}
