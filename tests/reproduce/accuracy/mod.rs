//! How accurate every method is, on the project's tables and on generated ones (`make compare-accuracy`).

pub mod measure;
mod page;
pub mod published;
pub mod road;
pub mod tables;
mod verdicts;

use measure::{Cell, Method, Subject, measure, methods};
pub use page::Document;
use road::Reference;

use crate::reproduce_common::on_two_threads;

/// How much is run.
pub struct Size {
    /// The budgets.
    pub epsilons: &'static [f64],
    /// Rows of generated tables are divided by this.
    pub shrunk: usize,
    /// The tables; all where none is named.
    pub tables: Option<&'static [&'static str]>,
    /// Slopes that the runs of a cell give together, where that is possible within the other limits.
    pub slopes: usize,
    pub least_runs: usize,
    pub most_runs: usize,
    /// Products that the runs of a cell may take: with it, what is slow has fewer runs.
    pub work: f64,
}

/// One method on one table: a cell for each budget, or why the plan is refused.
pub struct Measured<'a> {
    pub subject: &'a Subject,
    pub method: Method,
    pub cells: Result<Vec<Cell>, String>,
}

/// Runs all of a size.
#[must_use]
pub fn run(size: &Size) -> Document {
    let tables = tables::all(size);
    let references = on_two_threads(tables.len(), |at| Reference::new(&tables[at]));
    let subjects: Vec<Subject> =
        tables.into_iter().zip(references).map(|(table, reference)| Subject { table, reference }).collect();
    let jobs: Vec<(&Subject, Method)> = subjects
        .iter()
        .flat_map(|subject| {
            methods(subject.table.yes_or_no).0.into_iter().map(move |method| (subject, method))
        })
        .collect();
    let results = on_two_threads(jobs.len(), |at| {
        let (subject, method) = jobs[at];
        Measured { subject, method, cells: measure(subject, method, size) }
    });
    page::write(size, &subjects, &results)
}
