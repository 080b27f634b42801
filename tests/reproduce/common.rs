//! What the reproductions of several papers share: a document's paragraphs, lists and tables, the rule by which a cell passes, and two
//! threads.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A text in Markdown as it grows.
#[derive(Default)]
pub struct Markdown(pub String);

impl Markdown {
    /// A paragraph.
    pub fn say(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push_str("\n\n");
    }

    /// A list.
    pub fn list(&mut self, items: &[String]) {
        for item in items {
            let _ = writeln!(self.0, "- {item}");
        }
        self.0.push('\n');
    }

    /// A table; each row's first cell is its name.
    pub fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
        };
        self.0.push_str(&line(&mut head.iter().copied()));
        self.0.push_str(&line(&mut head.iter().map(|_| "---")));
        for row in rows {
            self.0.push_str(&line(&mut row.iter().map(String::as_str)));
        }
        self.0.push('\n');
    }
}

/// Does all jobs, in the order of their numbers as far as the answers go.
pub fn on_two_threads<T: Send>(jobs: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get).min(2);
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs {
                        return;
                    }
                    let result = work(job);
                    done.lock().unwrap_or_else(PoisonError::into_inner).push((job, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(job, _)| *job);
    done.into_iter().map(|(_, result)| result).collect()
}

/// How far a cell may be from the reference number without another reason: this much, or this share of it.
pub const NEAR: (f64, f64) = (0.03, 0.1);

/// What was measured in one cell.
#[derive(Clone, Copy)]
pub struct Measured {
    pub centre: f64,
    /// How far it may lie from a reference number by chance: four standard errors of the difference of two of as many runs.
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
        // A median strays 1.2533 times as far as a mean where the values are normal.
        Self { reach: 1.2533 * Self::mean(values).reach, ..Self::wild_median(values) }
    }

    /// The median of values with heavy tails: its error is that of ranks.
    pub fn wild_median(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len();
        let centre = f64::midpoint(sorted[(n - 1) / 2], sorted[n / 2]);
        // One standard error of a median's rank is √n/2.
        let away = n.isqrt().div_ceil(2);
        let at = |rank: usize| sorted[rank.min(n - 1)];
        let one = (at(n / 2 + away) - at((n / 2).saturating_sub(away))) / 2.0;
        Self { centre, reach: 4.0 * std::f64::consts::SQRT_2 * one }
    }
}

/// A document that puts measured numbers beside reference numbers, as it grows.
#[derive(Default)]
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
    /// What was said so far stands before the summary.
    pub fn end_head(&mut self) {
        self.head = std::mem::take(&mut self.text.0);
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

    /// A measured R² beside its reference number; NaN where there is none.
    pub fn judge(&mut self, name: &str, ours: Measured, reference: f64) -> String {
        self.put(name, ours, reference, NEAR.0, None)
    }

    /// The same where something is known of the reference number that no other run can share.
    pub fn judge_known(&mut self, name: &str, ours: Measured, reference: f64, known: Option<&str>) -> String {
        self.put(name, ours, reference, NEAR.0, known)
    }

    /// A number that has no natural unit: the relative distance counts alone.
    pub fn judge_share(&mut self, name: &str, ours: Measured, reference: f64) -> String {
        self.put(name, ours, reference, 0.0, None)
    }

    fn put(&mut self, name: &str, ours: Measured, reference: f64, near: f64, known: Option<&str>) -> String {
        let shown = number(ours.centre);
        if reference.is_nan() {
            return shown;
        }
        self.cells += 1;
        let distance = (ours.centre - reference).abs();
        if distance <= near.max(NEAR.1 * reference.abs()) {
            return shown;
        }
        let what = format!("{name}: {shown} against {}", number(reference));
        let reach = number(ours.reach);
        if distance <= ours.reach {
            self.differences.push(format!("{what}; chance reaches {reach}."));
            return format!("**{shown}** ({})", number(reference));
        }
        if let Some(reason) = known {
            self.differences.push(format!("{what}; {reason}."));
            return format!("**{shown}** ({})", number(reference));
        }
        self.failures.push(format!("{what}; chance reaches {reach} only"));
        format!("**{shown}** ({}) (!)", number(reference))
    }

    /// A number that has to equal its reference, to the last digit, or else as `known` otherwise.
    pub fn exact(&mut self, name: &str, ours: f64, reference: &str, known: &[(&str, &str)]) -> String {
        self.cells += 1;
        let digits = reference.split_once('.').map_or(0, |(_, digits)| digits.len());
        let shown = format!("{ours:.digits$}");
        if shown == reference {
            return shown;
        }
        let what = format!("{name}: {shown} against {reference}");
        if known.contains(&(shown.as_str(), reference)) {
            self.differences.push(format!("{what}; explained below its table."));
        } else {
            self.failures.push(what);
        }
        format!("**{shown}** ({reference})")
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
            "{}## Comparison with the reference\n\n{}\n\n{}\n{}{}\n{}\n",
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
            "{} numbers were put beside reference numbers: {} agree, {} differ by chance or for a reason that is given, {} for none.",
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
