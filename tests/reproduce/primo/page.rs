//! The document, and the rule by which a cell of it passes.

use super::Size;
use super::setting::SEED;
use crate::reproduce_common::Markdown;

/// How far a cell may be from the printed number without another reason: this much, or this share of it.
const NEAR: (f64, f64) = (0.03, 0.1);

/// What was measured in one cell.
#[derive(Clone, Copy)]
pub struct Measured {
    pub centre: f64,
    /// How far it may lie from a printed number by chance: four standard errors of the difference of two of as many runs.
    pub reach: f64,
}

impl Measured {
    pub fn mean(values: &[f64]) -> Self {
        let n = values.len() as f64;
        let centre = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>() / (n - 1.0).max(1.0);
        Self { centre, reach: 4.0 * (2.0 * square / n).sqrt() }
    }

    pub fn median(values: &[f64]) -> Self {
        let middle = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
        };
        // A median strays 1.2533 times as far as a mean where the values are normal.
        Self { centre: middle(values.to_vec()), reach: 1.2533 * Self::mean(values).reach }
    }
}

/// The document as it grows.
pub struct Page {
    /// What stands before the summary.
    head: String,
    text: Markdown,
    cells: usize,
    differences: Vec<String>,
    claims: Vec<String>,
    failures: Vec<String>,
}

impl Page {
    pub fn new(size: &Size) -> Self {
        let mut page = Self {
            head: String::new(),
            text: Markdown::default(),
            cells: 0,
            differences: Vec::new(),
            claims: Vec::new(),
            failures: Vec::new(),
        };
        page.say("# PRIMO, once more");
        page.say(
            "Seth Neel, *PRIMO: private regression in multiple outcomes*, arXiv 2303.04195. The paper has figures and no table of results. The \
             *printed* numbers below are those in the notes that this project was built from: an independent program computed them in the paper's \
             setting, on simulated haplotypes, with whatever the paper leaves open chosen as said.",
        );
        page.head = std::mem::take(&mut page.text.0);
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

    /// A measured R² beside its printed number; NaN where nothing is printed.
    pub fn judge(&mut self, name: &str, ours: Measured, printed: f64) -> String {
        self.put(name, ours, printed, NEAR.0, None)
    }

    /// The same where something is known of the printed number that no other run can share.
    pub fn judge_known(&mut self, name: &str, ours: Measured, printed: f64, known: Option<&str>) -> String {
        self.put(name, ours, printed, NEAR.0, known)
    }

    /// A number that has no natural unit: the relative distance counts alone.
    pub fn judge_share(&mut self, name: &str, ours: Measured, printed: f64) -> String {
        self.put(name, ours, printed, 0.0, None)
    }

    fn put(&mut self, name: &str, ours: Measured, printed: f64, near: f64, known: Option<&str>) -> String {
        let shown = number(ours.centre);
        if printed.is_nan() {
            return shown;
        }
        self.cells += 1;
        let distance = (ours.centre - printed).abs();
        if distance <= near.max(NEAR.1 * printed.abs()) {
            return shown;
        }
        let what = format!("{name}: {shown} against {}", number(printed));
        let reach = number(ours.reach);
        if distance <= ours.reach {
            self.differences.push(format!("{what}; chance reaches {reach}."));
            return format!("**{shown}** ({})", number(printed));
        }
        if let Some(reason) = known {
            self.differences.push(format!("{what}; {reason}."));
            return format!("**{shown}** ({})", number(printed));
        }
        self.failures.push(format!("{what}; chance reaches {reach} only"));
        format!("**{shown}** ({}) (!)", number(printed))
    }

    /// A number that has to be as printed, to the last digit, or else as `known` otherwise.
    pub fn exact(&mut self, name: &str, ours: f64, printed: &str, known: &[(&str, &str)]) -> String {
        self.cells += 1;
        let digits = printed.split_once('.').map_or(0, |(_, digits)| digits.len());
        let shown = format!("{ours:.digits$}");
        if shown == printed {
            return shown;
        }
        let what = format!("{name}: {shown} against {printed}");
        if known.contains(&(shown.as_str(), printed)) {
            self.differences.push(format!("{what}; explained below its table."));
        } else {
            self.failures.push(what);
        }
        format!("**{shown}** ({printed})")
    }

    /// A claim of the paper, and whether it is seen.
    pub fn claim(&mut self, seen: bool, claim: &str) {
        let word = if seen { "Seen" } else { "**Not seen**" };
        self.claims.push(format!("{word}: {claim}"));
    }

    /// The whole text.
    pub fn text(&self) -> String {
        let lines = |items: &[String], mark: &str| -> String {
            items.iter().map(|item| format!("- {mark}{item}\n")).collect()
        };
        format!(
            "{}## In short\n\n{}\n\n{}\n{}{}\n{}\n",
            self.head,
            self.verdict(),
            lines(&self.claims, ""),
            lines(&self.failures, "(!) "),
            lines(&self.differences, ""),
            self.text.0.trim_end()
        )
    }

    /// The count of all cells.
    pub fn verdict(&self) -> String {
        format!(
            "{} numbers were put beside printed ones: {} agree, {} differ by chance or for a reason that is given, {} for none.",
            self.cells,
            self.cells - self.differences.len() - self.failures.len(),
            self.differences.len(),
            self.failures.len()
        )
    }

    pub fn failures(&self) -> &[String] {
        &self.failures
    }
}

/// Three digits, or as many as a large number has.
pub fn number(x: f64) -> String {
    match x.abs() {
        size if size < 0.001 && size > 0.0 => format!("{x:.6}"),
        size if size < 0.1 => format!("{x:.4}"),
        size if size < 10.0 => format!("{x:.3}"),
        size if size < 100.0 => format!("{x:.1}"),
        _ => format!("{x:.0}"),
    }
}
