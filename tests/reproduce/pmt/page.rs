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
         figures and no number. The *printed* numbers below are those in the notes that this project was built from: an independent program \
         computed them in designs that the notes specify in full, because the paper does not say its own.",
    );
    page.end_head();
    page.say("## How this was made");
    page.list(&[
        format!(
            "`make reproduce-pmt` writes this file and nothing else does: seed {SEED}; {} runs of Figures 2 and 3, {} of Figure 1, {} of the logistic \
             ones. The same program gives the same bytes.",
            size.runs, size.descents, size.fits
        ),
        "All tables are made up (notes, 3.3): rows x ~ N(m, Ψ), `iso`, `ar`, `ill` and `mv5`; y = x'β + 0.05 z, or 1 with the odds e^(x'β); β ~ N(0, I) anew \
         for each run, but fixed in the logistic tables."
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
            "A mean whose runs spread less than it is large has to be within {} % of the printed one, else the median. **Bold** is what is outside, \
             with the printed number in brackets.",
            NEAR.1 * 100.0
        ),
        "Outside, (!) is what chance does not explain either, and the run fails: further away than four standard errors of the difference of two \
         means (medians) of as many runs."
            .to_owned(),
    ]);
    page.say("Not repeated: the notes' stand-in for the power plant, whose moments they do not print.");
    page
}
