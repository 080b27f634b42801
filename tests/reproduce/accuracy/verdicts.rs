//! What `adaptive-gauss` and `adaptive-logistic` have to reach, and whether they do.

use discreet::inference::noise_forecast::Advice;

use super::measure::{Cell, Subject};
use super::{Measured, Size};

pub const ADAPTIVE: &str = "adaptive-gauss";
pub const CORNERS: &str = "analyze-gauss";
pub const LABELS: &str = "adaptive-logistic";
pub const LABELS_BEFORE: &str = "dp-logistic";

/// The share of cells in which a method has to be the best, or near it: 27 of 30.
const SHARE: f64 = 0.9;

/// One demand.
pub struct Verdict {
    pub demand: String,
    /// Cells that it is about, and those that reach it.
    pub asked: usize,
    pub reached: usize,
    /// Cells that have to reach it.
    pub needed: usize,
    /// Each cell that does not, with its numbers.
    pub short: Vec<String>,
    /// Cells whose verdict lies within one standard error of the other.
    pub open: Vec<String>,
}

impl Verdict {
    pub fn is_reached(&self) -> bool {
        self.asked > 0 && self.reached >= self.needed
    }

    /// One sentence, and one more for what falls short.
    pub fn text(&self) -> String {
        let Self { demand, asked, reached, short, open, .. } = self;
        let word = match (self.is_reached(), *asked) {
            (_, 0) => "Not asked",
            (true, _) => "Reached",
            (false, _) => "**Not reached**",
        };
        let short =
            if short.is_empty() { String::new() } else { format!(" Short of it: {}.", short.join("; ")) };
        let open = if open.is_empty() {
            String::new()
        } else {
            format!(" Within one standard error of the other verdict, over runs: {}.", open.join("; "))
        };
        format!("{word}: {demand}: {reached} of {asked} cells.{short}{open}")
    }
}

/// A table at one budget: what a method found, and the other methods with theirs.
pub struct Contest<'a> {
    pub subject: &'a Subject,
    pub epsilon: f64,
    pub own: &'a Cell,
    pub others: Vec<(String, &'a Cell)>,
}

impl<'a> Contest<'a> {
    /// The other method with the smallest error.
    pub fn best(&self) -> Option<&(String, &'a Cell)> {
        self.others.iter().min_by(|(_, a), (_, b)| a.error.total_cmp(&b.error))
    }

    /// The other method of a name.
    pub fn of(&self, name: &str) -> Option<&'a Cell> {
        let quoted = format!("`{name}`");
        self.others.iter().find(|(other, _)| *other == quoted).map(|(_, cell)| *cell)
    }

    /// Whether the method is the best, or within 5 % of it.
    pub fn is_best(&self) -> bool {
        self.own.error.is_finite() && self.best().is_none_or(|(_, best)| self.own.error <= 1.05 * best.error)
    }

    /// Whether one standard error, of both medians together, would change that.
    fn is_open(&self) -> bool {
        self.best().is_some_and(|(_, best)| {
            let far = (self.own.error - 1.05 * best.error).abs();
            far < self.own.spread.hypot(1.05 * best.spread) && far.is_finite()
        })
    }

    fn name(&self) -> String {
        format!("{}, ε {}", self.subject.table.name, self.epsilon)
    }
}

/// Every table and budget on which a mechanism ran, table by table, against the methods that are told no more than it is.
pub fn contests<'a>(size: &Size, results: &'a [Measured<'a>], name: &str) -> Vec<Contest<'a>> {
    let own = results.iter().filter(|result| result.method.is(name));
    own.filter_map(|result| Some((result, result.cells.as_ref().ok()?)))
        .flat_map(|(result, cells)| {
            size.epsilons.iter().enumerate().map(move |(at, epsilon)| {
                let same = |other: &&Measured<'_>| {
                    let rival = !other.method.is(name) && !other.method.knows_more();
                    rival && std::ptr::eq(other.subject, result.subject)
                };
                let cell = |other: &'a Measured<'a>| {
                    Some((other.method.name(), other.cells.as_ref().ok()?.get(at)?))
                };
                let others = results.iter().filter(same).filter_map(cell).collect();
                Contest { subject: result.subject, epsilon: *epsilon, own: &cells[at], others }
            })
        })
        .collect()
}

/// Judges a demand in all cells that it is about.
fn judge<'a>(
    demand: &str,
    share: f64,
    cells: impl Iterator<Item = &'a Contest<'a>>,
    reaches: impl Fn(&Contest<'_>) -> Result<(), String>,
) -> Verdict {
    let mut verdict = Verdict {
        demand: demand.to_owned(),
        asked: 0,
        reached: 0,
        needed: 0,
        short: Vec::new(),
        open: Vec::new(),
    };
    for cell in cells {
        verdict.asked += 1;
        match reaches(cell) {
            Ok(()) => verdict.reached += 1,
            Err(numbers) => verdict.short.push(format!("{} ({numbers})", cell.name())),
        }
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
    let needed = (share * verdict.asked as f64).ceil() as usize;
    verdict.needed = needed;
    verdict
}

/// A median error for a reader.
pub fn shown(error: f64) -> String {
    match error {
        _ if error.is_infinite() => "not shown".to_owned(),
        _ if error < 0.1 => format!("{error:.3}"),
        _ if error < 10.0 => format!("{error:.2}"),
        _ => format!("{error:.0}"),
    }
}

fn against(own: &Cell, other: &Cell, factor: f64) -> Result<(), String> {
    let numbers = || format!("{} against {}", shown(own.error), shown(other.error));
    let good = own.error <= factor * other.error && own.error.is_finite();
    // Neither shows a coefficient: none is worse.
    let both = own.error.is_infinite() && other.error.is_infinite();
    if good || both { Ok(()) } else { Err(numbers()) }
}

/// All verdicts.
pub fn all(size: &Size, results: &[Measured<'_>]) -> Vec<Verdict> {
    let gauss = contests(size, results, ADAPTIVE);
    let rows = |cell: &Contest<'_>| cell.subject.reference.train.len();
    let best = |cell: &Contest<'_>| match cell.best() {
        _ if cell.is_best() => Ok(()),
        None => Ok(()),
        Some((name, best)) => {
            let idle = shown(cell.subject.idle());
            Err(format!(
                "{} against {} of {name}, {idle} if every slope were 0",
                shown(cell.own.error),
                shown(best.error)
            ))
        }
    };
    let long: Vec<&Contest<'_>> = gauss.iter().filter(|cell| rows(cell) >= 2_000).collect();
    let open = long.iter().filter(|cell| cell.is_open()).map(|cell| cell.name()).collect();
    let first = judge(
        "`adaptive-gauss` is the best method, or within 5 % of it, in at least 27 of 30 cells with 2,000 rows or more",
        SHARE,
        long.into_iter(),
        best,
    );
    let mut verdicts = vec![
        Verdict { open, ..first },
        judge(
            "its median error is at most 0.65 standard errors from 10,000 rows on, with at most 6 terms, from ε 1 on, where tails are light",
            1.0,
            gauss.iter().filter(|cell| {
                let small = cell.subject.reference.terms.len() <= 6 && cell.subject.table.light;
                rows(cell) >= 10_000 && small && cell.epsilon >= 1.0
            }),
            |cell| if cell.own.error <= 0.65 { Ok(()) } else { Err(shown(cell.own.error)) },
        ),
        judge(
            "it is never worse than 1.1 times `analyze-gauss` where its own forecast recommends it",
            1.0,
            gauss.iter().filter(|cell| {
                cell.own
                    .forecast
                    .is_some_and(|(advice, _)| matches!(advice, Advice::Recommended | Advice::Approximate))
            }),
            |cell| cell.of(CORNERS).map_or(Ok(()), |other| against(cell.own, other, 1.1)),
        ),
    ];
    let labels = contests(size, results, LABELS);
    if !labels.is_empty() {
        verdicts.push(judge(
            "`adaptive-logistic` is never worse than 1.1 times `dp-logistic`",
            1.0,
            labels.iter(),
            |cell| cell.of(LABELS_BEFORE).map_or(Ok(()), |other| against(cell.own, other, 1.1)),
        ));
    }
    verdicts
}
