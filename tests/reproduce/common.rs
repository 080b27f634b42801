//! What the reproductions of several papers share: a document's paragraphs, lists and tables, and two threads.

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
