//! The document, and the rule by which a cell of it passes.

use std::fmt::Write;

use super::Size;
use super::setting::SEED;

/// A number of the paper, or of the notes on it.
#[derive(Clone, Copy)]
pub struct Printed {
    pub value: f64,
    /// The relative distance that is allowed.
    pub tolerance: f64,
}

/// What was measured in one cell.
#[derive(Clone, Copy, Default)]
pub struct Measured {
    pub centre: f64,
    /// Of one repetition.
    pub deviation: f64,
    /// How far the centre may lie from a printed number by chance.
    pub reach: f64,
}

impl Measured {
    /// The mean of some repetitions. Both this and a printed mean of as many have the deviation over √repetitions, and a printed
    /// one belongs to one vector of coefficients, which is as far off the average vector as one repetition may be; three times
    /// the root of the squares together.
    pub fn mean(values: &[f64]) -> Self {
        let n = count(values.len());
        let centre = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|x| (x - centre) * (x - centre)).sum::<f64>() / (n - 1.0);
        let deviation = square.sqrt();
        Self { centre, deviation, reach: 3.0 * deviation * (1.0 + 2.0 / n).sqrt() }
    }

    /// The median of some repetitions against another of as many, the coefficients being the same: four standard errors of the
    /// difference, as if the repetitions were normal.
    pub fn median(values: &[f64]) -> Self {
        let middle = |mut values: Vec<f64>| {
            values.sort_by(f64::total_cmp);
            let half = values.len() / 2;
            if values.len() % 2 == 0 { f64::midpoint(values[half - 1], values[half]) } else { values[half] }
        };
        let centre = middle(values.to_vec());
        let deviation = 1.4826 * middle(values.iter().map(|x| (x - centre).abs()).collect());
        Self { centre, deviation, reach: 4.0 * 1.2533 * deviation * (2.0 / count(values.len())).sqrt() }
    }
}

/// The document as it grows.
pub struct Page {
    text: String,
    cells: usize,
    differing: usize,
    failures: Vec<String>,
}

impl Page {
    pub fn new(size: &Size) -> Self {
        let mut page = Self { text: String::new(), cells: 0, differing: 0, failures: Vec::new() };
        page.say("# Sheffet's second-moment mechanisms, once more");
        page.say(&format!(
            "Or Sheffet, *Old techniques in differentially private linear regression* (ALT 2019; first version arXiv 1507.00056). `make \
             reproduce-sheffet` writes this file and nothing else does: seed {SEED}, {} tables of each length up to 2^{} rows. The same \
             program gives the same bytes.",
            size.repetitions, size.log_rows
        ));
        page
    }

    /// A paragraph.
    pub fn say(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push_str("\n\n");
    }

    /// A table; each row's first cell is its name.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        self.text.push_str(&line(&mut head.iter().copied()));
        self.text.push_str(&line(&mut head.iter().map(|_| "---")));
        for row in rows {
            self.text.push_str(&line(&mut row.iter().map(String::as_str)));
        }
        self.text.push('\n');
    }

    /// Puts a cell beside its printed number: the ratio, in bold where it is outside the tolerance. What chance cannot explain is
    /// a failure, unless a `reason` is known.
    pub fn judge(&mut self, name: &str, ours: Measured, printed: Printed, reason: Option<&str>) -> String {
        self.cells += 1;
        let ratio = ours.centre / printed.value;
        if (ratio - 1.0).abs() <= printed.tolerance {
            return format!("{ratio:.2}");
        }
        self.differing += 1;
        let by_chance = (ours.centre - printed.value).abs() <= ours.reach;
        if !by_chance && reason.is_none() {
            self.failures.push(format!(
                "{name}: {} against {}, a ratio of {ratio:.2}; chance reaches {}",
                three(ours.centre),
                three(printed.value),
                three(ours.reach)
            ));
        }
        format!("**{ratio:.2}**{}", if by_chance { "" } else { " (!)" })
    }

    /// A number that has to be as printed, to the last digit, or else as `known` otherwise.
    pub fn exact(&mut self, name: &str, ours: &str, printed: &str, known: &[(&str, &str)]) -> String {
        self.cells += 1;
        if ours.trim_start_matches('0') == printed.trim_start_matches('0') {
            return ours.to_owned();
        }
        self.differing += 1;
        if !known.contains(&(ours, printed)) {
            self.failures.push(format!("{name}: {ours} against {printed}"));
        }
        format!("**{ours}** ({printed})")
    }

    /// The whole text.
    pub fn text(&self) -> String {
        let mut text = self.text.clone();
        let _ = write!(text, "## In short\n\n{}\n", self.verdict());
        for failure in &self.failures {
            let _ = write!(text, "\n- {failure}");
        }
        if !self.failures.is_empty() {
            text.push('\n');
        }
        text
    }

    /// The count of all cells.
    pub fn verdict(&self) -> String {
        format!(
            "{} cells were put beside a printed number; {} are outside their tolerance, and {} of these neither by chance nor for a \
             reason that is given above.",
            self.cells,
            self.differing,
            self.failures.len()
        )
    }

    /// Cells that were put beside a printed number.
    pub fn cells(&self) -> usize {
        self.cells
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
