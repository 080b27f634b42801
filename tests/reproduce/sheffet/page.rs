//! The document, and the rule by which a cell of it passes.

use super::Size;
use super::setting::SEED;
use crate::reproduce_common::Markdown;

/// A number that an independent program computed in the paper's setting.
#[derive(Clone, Copy)]
pub struct Reference {
    pub value: f64,
    /// The relative distance that is allowed.
    pub tolerance: f64,
}

/// How far one released matrix led from the truth.
#[derive(Clone, Copy)]
pub struct Far {
    pub error: f64,
    /// Whether the predictors' part of the matrix was positive definite.
    pub definite: bool,
}

impl Far {
    /// Nothing was released.
    pub const NONE: Self = Self { error: f64::NAN, definite: true };
}

/// What was measured in one cell.
#[derive(Clone, Copy)]
pub struct Measured {
    pub centre: f64,
    /// Of one repetition.
    pub deviation: f64,
    /// How far the centre may lie from a reference number by chance.
    pub reach: f64,
    /// Whether each matrix was positive definite. Where the least eigenvalue may be anywhere around 0, the error has no mean.
    pub definite: bool,
}

impl Measured {
    /// The mean of some repetitions, against another mean of as many: four standard errors of the difference.
    pub fn mean(values: &[Far]) -> Self {
        let n = count(values.len());
        let centre = values.iter().map(|far| far.error).sum::<f64>() / n;
        let square =
            values.iter().map(|far| (far.error - centre) * (far.error - centre)).sum::<f64>() / (n - 1.0);
        let deviation = square.sqrt();
        let definite = values.iter().all(|far| far.definite);
        Self { centre, deviation, reach: 4.0 * deviation * (2.0 / n).sqrt(), definite }
    }

    /// The median of some repetitions against another of as many: four standard errors of the difference, as if the repetitions
    /// were normal. A median exists for matrices of all kinds.
    pub fn median(values: &[Far]) -> Self {
        let middle = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            if values.len().is_multiple_of(2) {
                f64::midpoint(values[half - 1], values[half])
            } else {
                values[half]
            }
        };
        let centre = middle(values.iter().map(|far| far.error).collect());
        let deviation = 1.4826 * middle(values.iter().map(|far| (far.error - centre).abs()).collect());
        let reach = 4.0 * 1.2533 * deviation * (2.0 / count(values.len())).sqrt();
        Self { centre, deviation, reach, definite: true }
    }

    /// The mean and the deviation; a dagger where there is no mean.
    pub fn shown(&self) -> String {
        if self.centre.is_nan() {
            return "-".to_owned();
        }
        let dagger = if self.definite { "" } else { " †" };
        format!("{}{dagger} ({})", three(self.centre), three(self.deviation))
    }
}

/// The document as it grows.
pub struct Page {
    /// What stands before the summary.
    head: String,
    text: Markdown,
    cells: usize,
    /// What differs from the reference, in words.
    differences: Vec<String>,
    failures: Vec<String>,
}

impl Page {
    pub fn new(size: &Size) -> Self {
        let mut page = Self {
            head: String::new(),
            text: Markdown::default(),
            cells: 0,
            differences: Vec::new(),
            failures: Vec::new(),
        };
        page.say("# Sheffet's second-moment mechanisms, once more");
        page.say(
            "Or Sheffet, *Old techniques in differentially private linear regression*, ALT 2019, after the text of its first version. The paper \
             has figures and no tables. So the *reference* numbers below are not the paper's: we computed them with an independent program, in the paper's setting; where the paper leaves something open, this page says what was chosen.",
        );
        summary(&mut page);
        page.head = std::mem::take(&mut page.text.0);
        page.say("## How this was made");
        page.list(&[
            format!(
                "`make reproduce-sheffet` writes this file and nothing else does: seed {SEED}, {} tables of each length from 2^12 to 2^{} rows. \
                 The same program gives the same bytes. `FULL=1` goes to the paper's 2^25 rows.",
                size.repetitions, size.log_rows
            ),
            "Rows become integers (2^20 codes to B, cut off towards 0) and go through the exact moments, the mechanisms and the reading of released \
             matrices that a release goes through; only the encoder of records is left out, because the paper shrinks the constant \
             with its row, and randomness comes from a seed. On the finest grid, 2^24, the ridge of Alg. 5 (n+d) at ε = 0.1 would not fit 64 bits, and \
             a plan is refused."
                .to_owned(),
            "A longer table begins with the rows of the shorter one, so a column's cells are not independent.".to_owned(),
            "Additive Wishart noise is drawn by Bartlett's factor, as the mechanism does where there are many degrees of freedom. For fewer a release \
             draws it on a grid, which differs with a probability that the charge includes."
                .to_owned(),
        ]);
        page.say("The rule for a cell:");
        page.list(&[
            "A scale has to equal the reference number, to the last digit, or the difference is explained below its table.".to_owned(),
            "An error has to be within 20 % of the reference number (OLS, AG, AW) or 40 % (JL, IW: Alg. 1, 2, 4, 5). **Bold** is what is outside."
                .to_owned(),
            "Outside, (!) is what chance does not explain either, and the run fails: further away than four standard errors of the difference of two means \
             (medians) of as many repetitions. It neglects that the reference errors belong to one vector of coefficients."
                .to_owned(),
            "†: in some repetition the predictors' part of the matrix was not positive definite. Where its least eigenvalue may be anywhere about 0, the \
             error has no mean, and there is nothing to compare. That happens to AG alone."
                .to_owned(),
        ]);
        page
    }

    /// A paragraph.
    pub fn say(&mut self, text: &str) {
        self.text.say(text);
    }

    /// A list.
    pub fn list(&mut self, items: &[String]) {
        self.text.list(items);
    }

    /// A table; each row's first cell is its name.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        self.text.table(head, rows);
    }

    /// Puts a cell beside its reference number: the ratio, in bold where it is outside the tolerance. There it is a failure, unless
    /// chance explains it or there is no mean to compare.
    pub fn judge(&mut self, name: &str, ours: Measured, reference: Reference) -> String {
        self.cells += 1;
        let ratio = ours.centre / reference.value;
        if (ratio - 1.0).abs() <= reference.tolerance {
            return format!("{ratio:.2}");
        }
        let what = format!(
            "{name}: {} against {}, a ratio of {ratio:.2}",
            three(ours.centre),
            three(reference.value)
        );
        if !ours.definite {
            self.differences.push(format!("{what}; no mean (†)."));
            return format!("**{ratio:.2}** †");
        }
        if (ours.centre - reference.value).abs() <= ours.reach {
            self.differences.push(format!("{what}; chance reaches {}.", three(ours.reach)));
            return format!("**{ratio:.2}**");
        }
        self.failures.push(format!("{what}; chance reaches {} only", three(ours.reach)));
        format!("**{ratio:.2}** (!)")
    }

    /// A number that has to equal its reference, to the last digit, or else as `known` otherwise.
    pub fn exact(&mut self, name: &str, ours: &str, reference: &str, known: &[(&str, &str)]) -> String {
        self.cells += 1;
        if ours.trim_start_matches('0') == reference.trim_start_matches('0') {
            return ours.to_owned();
        }
        let what = format!("{name}: {ours} against {reference}");
        if !known.contains(&(ours, reference)) {
            self.failures.push(what);
        } else {
            self.differences.push(format!("{what}; explained below its table."));
        }
        format!("**{ours}** ({reference})")
    }

    /// A claim of the paper that is not seen.
    pub fn not_reproduced(&mut self, claim: &str) {
        self.differences.push(format!("**Not reproduced**: {claim}"));
    }

    /// The whole text.
    pub fn text(&self) -> String {
        let failures = self.failures.iter().map(|failure| format!("- (!) {failure}.\n"));
        let differences = self.differences.iter().map(|difference| format!("- {difference}\n"));
        let list: String = failures.chain(differences).collect();
        format!(
            "{}## Comparison with the reference\n\n{}\n\n{list}\n{}\n",
            self.head,
            self.verdict(),
            self.text.0.trim_end()
        )
    }

    /// The count of all cells.
    pub fn verdict(&self) -> String {
        let differing = self.differences.iter().filter(|line| !line.starts_with("**")).count();
        format!(
            "{} numbers were put beside reference numbers: {} agree, {differing} differ by chance or for a reason that is given, {} for none.",
            self.cells,
            self.cells - differing - self.failures.len(),
            self.failures.len()
        )
    }

    pub fn failures(&self) -> &[String] {
        &self.failures
    }
}

/// Three significant digits.
pub fn three(x: f64) -> String {
    if x <= 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let size = libm::floor(libm::log10(x));
    let digits = [2.0, 1.0, 0.0].into_iter().chain([-1.0, -2.0, -3.0]).position(|least| size >= least);
    format!("{x:.*}", digits.unwrap_or(6))
}

fn count(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// What a reader without the paper should know.
fn summary(page: &mut Page) {
    page.say("## Summary");
    page.say(
        "The paper proposes to release one noisy matrix of second moments of a table, from which every regression among its columns can be computed. It has three ways to make the noise, adaptive forms of two of them, and Gaussian noise to compare with. We ran its two experiments, and a third one at the size of a clinic's table, with the mechanisms of this program, and put every number beside one that we had computed earlier with an independent program.",
    );
    page.say(
        "**What comes out as the paper says.** The order of the methods in its first four figures: Gaussian noise is the best from a moderate number of rows on, the posterior draw is better than the projection, additive Wishart noise is better once its mean is taken off, and the adaptive forms pay from half a million rows on. Raw Gaussian noise breaks down where the predictors are strongly related.",
    );
    page.say(
        "**What does not.** The errors of the private methods do not fall below those of least squares; all tend to the error that clipping the rows leaves in least squares itself. And Gaussian noise, made positive definite, is never worse than the paper's own methods, which the paper's fifth figure says that it is.",
    );
    page.say(
        "**What the paper's scales cost.** Its three theorems are true and cautious: the ε that they keep is 4 to 12 times smaller than the one that they claim. So the same promise can be had with a fifth to a tenth of the ridge. Its baseline has too little noise: as printed it keeps ε = 0.33 in place of 0.1. The proofs are in [theory/wishart](../theory/wishart.md).",
    );
    page.say(
        "**For a table of a few thousand rows** and ε near 1, Gaussian noise (`analyze-gauss`) is the best choice, additive Wishart noise with exact calibration a close second. The posterior and the projection are far behind at every number of rows that was tried.",
    );
    page.say(
        "Words: *JL* is the Gaussian projection, *IW* the draw from the Wishart posterior, *AW* additive Wishart noise, *AG* Gaussian noise (Analyze Gauss), *OLS* least squares without privacy, *GOE* noise with half the variance off the diagonal. *Reference* is our earlier computation; *the paper's* is printed in the paper.",
    );
}
