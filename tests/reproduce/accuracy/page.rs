//! The document.

use discreet::inference::noise_forecast::Advice;

use super::measure::{Cell, DELTA, Subject, methods};
use super::verdicts::{self, ADAPTIVE, Contest, LABELS, LABELS_BEFORE, contests, shown};
use super::{Measured, Size};
use crate::reproduce_common::Markdown;

/// Intervals from which on a share of them is quoted in the summary.
const ENOUGH: usize = 100;

/// The text, and the verdicts.
pub struct Document {
    pub text: String,
    pub verdicts: Vec<String>,
}

pub fn write(size: &Size, subjects: &[Subject], results: &[Measured<'_>]) -> Document {
    let judged = verdicts::all(size, results);
    let verdicts: Vec<String> = judged.iter().map(verdicts::Verdict::text).collect();
    let mut text = Markdown::default();
    text.say("# How accurate each method is");
    text.say(
        "`make compare-accuracy` writes this page and nothing else does. It runs every method of the program that fits a table, and two methods \
         of the literature as they are published, on the project's tables and on generated ones, at four budgets. Noise has a seed, so the same program writes the same bytes.",
    );
    text.say("## Summary");
    summary(&mut text, size, results, &verdicts);
    text.say("## How it is measured");
    explain(&mut text, size, subjects);
    text.say("## All numbers");
    for subject in subjects {
        numbers(&mut text, size, subject, results);
    }
    Document { text: format!("{}\n", text.0.trim_end()), verdicts }
}

fn summary(text: &mut Markdown, size: &Size, results: &[Measured<'_>], verdicts: &[String]) {
    let gauss = contests(size, results, ADAPTIVE);
    text.say(
        "The unit is the standard error that least squares without privacy has on the same table. An error of 1 is as large as the chance of sampling; an error of 0.1 does \
         not matter beside it. A slope that a method does not show counts as infinitely far.",
    );
    text.say("What was asked of `adaptive-gauss`, and whether it is reached:");
    text.list(verdicts);
    let gains = gains(&gauss, |cell| cell.best().map(|(_, best)| best.error));
    if let Some([quarter, half, most]) = gains {
        text.say(&format!(
            "Where it shows its coefficients, the best of all other methods has an error that is {half:.1} times as large in the median cell, {quarter:.1} times or less in a quarter of \
             the cells and {most:.1} times or more in another quarter."
        ));
    }
    coverage(text, ADAPTIVE, &gauss);
    text.say(
        "A method that says 0 for every slope has the error in the column \"all 0\". Where no method has a smaller one, none has found anything of the table at this budget. \
         The median is over slopes: half of them may be far off where it is small.",
    );
    text.say("Median error of `adaptive-gauss`, then that of the best other method and its name. **Bold**: `adaptive-gauss` is the best, or within 5 % of it.");
    let cell = |cell: &Contest<'_>| {
        let own = shown(cell.own.error);
        let own = if cell.is_best() { format!("**{own}**") } else { own };
        let other =
            cell.best().map_or_else(String::new, |(name, best)| format!("; {} {name}", shown(best.error)));
        format!("{own}{other}")
    };
    overview(text, size, &gauss, cell);
    let withheld: Vec<String> = gauss
        .iter()
        .filter(|cell| cell.own.withheld.is_some_and(|share| share > 0.5))
        .map(|cell| format!("{}, ε {}", cell.subject.table.name, cell.epsilon))
        .collect();
    if !withheld.is_empty() {
        text.say(&format!(
            "More than half of its slopes are withheld on: {}. More rows or a larger budget are needed there.",
            withheld.join("; ")
        ));
    }
    labels(text, size, results);
}

/// Quartiles of how many times as large another method's error is, over the cells in which both show their coefficients.
fn gains(cells: &[Contest<'_>], other: impl Fn(&Contest<'_>) -> Option<f64>) -> Option<[f64; 3]> {
    let both = |cell: &Contest<'_>| {
        let gain = other(cell)? / cell.own.error;
        (cell.own.error.is_finite() && gain.is_finite()).then_some(gain)
    };
    let mut sorted: Vec<f64> = cells.iter().filter_map(both).collect();
    sorted.sort_by(f64::total_cmp);
    let last = sorted.len().checked_sub(1)?;
    Some([1, 2, 3].map(|quarter| sorted[last * quarter / 4]))
}

/// Which share of intervals holds.
fn coverage(text: &mut Markdown, name: &str, cells: &[Contest<'_>]) {
    let known: Vec<(&Contest<'_>, f64)> = cells
        .iter()
        .filter(|cell| cell.own.intervals >= ENOUGH)
        .filter_map(|cell| Some((cell, cell.own.resampled?)))
        .collect();
    if known.is_empty() {
        return;
    }
    let mean = known.iter().map(|(_, share)| share).sum::<f64>() / known.len() as f64;
    let low: Vec<String> = known
        .iter()
        .filter(|(_, share)| *share < 0.9)
        .map(|(cell, share)| {
            format!("{}, ε {} ({})", cell.subject.table.name, cell.epsilon, percent(Some(*share)))
        })
        .collect();
    let low = if low.is_empty() {
        "None is below 90 %.".to_owned()
    } else {
        format!("Below 90 %: {}.", low.join("; "))
    };
    text.say(&format!(
        "The 95 % intervals of `{name}`, rows drawn again in each run, hold the exact slope in {} of the cases on average over the {} cells with at least {ENOUGH} intervals. {low} \
         The fit without privacy does not reach 95 % everywhere either, for instance where the variance of the residuals is not constant.",
        percent(Some(mean)),
        known.len()
    ));
}

/// A row for each table, a column for each budget.
fn overview(text: &mut Markdown, size: &Size, cells: &[Contest<'_>], show: impl Fn(&Contest<'_>) -> String) {
    let epsilons: Vec<String> = size.epsilons.iter().map(|epsilon| format!("ε {epsilon}")).collect();
    let mut head = vec!["table", "rows", "terms", "all 0"];
    head.extend(epsilons.iter().map(String::as_str));
    let rows: Vec<Vec<String>> = cells
        .chunks(size.epsilons.len())
        .filter_map(|chunk| {
            let reference = &chunk.first()?.subject.reference;
            let mut row = vec![
                chunk.first()?.subject.table.name.to_owned(),
                grouped(reference.train.len()),
                reference.terms.len().to_string(),
                shown(chunk.first()?.subject.idle()),
            ];
            row.extend(chunk.iter().map(&show));
            Some(row)
        })
        .collect();
    text.table(&head, &rows);
}

/// The tables whose outcome is yes or no.
fn labels(text: &mut Markdown, size: &Size, results: &[Measured<'_>]) {
    let (methods, _) = methods(true);
    let mut yes_or_no = results.iter().filter(|result| result.subject.table.yes_or_no).peekable();
    if yes_or_no.peek().is_none() {
        return;
    }
    let names: Vec<String> = methods.iter().map(|method| method.name()).collect();
    text.say(&format!(
        "Outcomes that are yes or no: median error, and the share of slopes without an interval. In this order: {}.",
        names.join(", ")
    ));
    let epsilons: Vec<String> = size.epsilons.iter().map(|epsilon| format!("ε {epsilon}")).collect();
    let mut head = vec!["table", "rows", "terms"];
    head.extend(epsilons.iter().map(String::as_str));
    let all: Vec<&Measured<'_>> = yes_or_no.collect();
    let rows: Vec<Vec<String>> = all
        .chunks(methods.len())
        .map(|chunk| {
            let subject = chunk[0].subject;
            let mut row = vec![
                subject.table.name.to_owned(),
                grouped(subject.reference.train.len()),
                subject.reference.terms.len().to_string(),
            ];
            row.extend((0..size.epsilons.len()).map(|at| {
                let one = |result: &&Measured<'_>| match &result.cells {
                    Ok(cells) => format!("{}, {}", shown(cells[at].error), percent(cells[at].withheld)),
                    Err(_) => "refused".to_owned(),
                };
                chunk.iter().map(one).collect::<Vec<_>>().join("; ")
            }));
            row
        })
        .collect();
    text.table(&head, &rows);
    let contests = contests(size, results, LABELS);
    if let Some([quarter, half, most]) = gains(&contests, |cell| Some(cell.of(LABELS_BEFORE)?.error)) {
        text.say(&format!(
            "The error of `{LABELS_BEFORE}` is {half:.1} times that of `{LABELS}` in the median cell, {quarter:.1} times or less in a quarter of the cells and {most:.1} times or more in another \
             quarter, where both show their coefficients."
        ));
    }
    coverage(text, LABELS, &contests);
}

fn explain(text: &mut Markdown, size: &Size, subjects: &[Subject]) {
    let left_out = [false, true].into_iter().flat_map(|yes_or_no| methods(yes_or_no).1);
    let left_out: Vec<String> = left_out.map(|(name, why)| format!("`{name}`: {why}")).collect();
    text.list(&[
        format!(
            "**Runs.** A plan names columns with bounds that a person would state who has not seen the rows. It is prepared, the records are read from CSV and encoded, and \
             the mechanism's rounds run on the encoded rows, as in a release. Only the noise has a seed. Each method has its own defaults. δ = {DELTA:e}, adjacency add-remove, one row a \
             person. A method that is private under replace-one alone runs under it with the same ε, and says so in its name. {} to {} runs a cell, about as many as give {} slopes; fewer where a \
             run takes long.",
            size.least_runs, size.most_runs, size.slopes
        ),
        "**Error.** Median over runs and slopes of |slope − exact slope| divided by the standard error of the exact slope. The exact fit is least squares (for yes or no: maximum \
         likelihood) on the same rows, clipped to the same bounds."
            .to_owned(),
        "**Covered.** Share of 95 % intervals that hold the exact slope. *Fixed*: of the table itself, so that only the noise differs between runs. An interval also allows for sampling, so this \
         may be far above 95 %. *Drawn again*: as many rows are drawn with replacement in each run, and the exact slope is that of the table; so both errors differ between runs. Only \
         where that is cheap."
            .to_owned(),
        "**Penalised methods.** `ada-ssp`, `dp-ridge`, `reuse-cov-gauss`, `naive-composition`, `jl-ridge`, `inverse-wishart` and the adaptive forms of both have a ridge unless a plan says otherwise. Their intervals \
         are for the slope of the penalised regression, and their releases say so. The two columns ask \
         for the exact slope of least squares all the same, so a share far below 95 % there shows how far the ridge shrinks the slope."
            .to_owned(),
        "**Public moments.** `pmt-ridge`, `pmt-glm`, `pmt-gd` and `pmt-logistic` need means, standard deviations and correlations that were published. Here they are given those of the rows that \
         are held out. Every other method has to buy what they know, so they are no rivals in the summary."
            .to_owned(),
        "**Withheld.** Share of slopes for which the method gives no interval. A dash stands for a method that never gives one.".to_owned(),
        "**R².** Median, of predictions for records that were held out (for yes or no: of the probability of yes), clipped to the bounds too. A dash: not every coefficient is shown in half of the \
         runs or more."
            .to_owned(),
        "**AdaSSP, as published** (Wang 2018, algorithm 2): each of its three parts has noise of √ln(6/δ)/(ε/3) in units of what one record can change. `ada-ssp` is the same method with exact \
         calibration and one release of both moments."
            .to_owned(),
        "**Boosted AdaSSP, as published** (Tang et al. 2023, algorithm 1): the whole is μ-GDP, with a third of μ² each for the matrix, its least eigenvalue and all gradients; residuals are clipped at \
         1, where the outcome's bounds are −1 and 1. The ridge is that of its authors' program, which has 100 rounds; theory/adaptive 7 has 10. Both have continuous noise here."
            .to_owned(),
        format!("**Left out.** {}.", left_out.join("; ")),
    ]);
    let rows: Vec<Vec<String>> = subjects
        .iter()
        .map(|subject| {
            let reference = &subject.reference;
            vec![
                subject.table.name.to_owned(),
                subject.table.about.to_owned(),
                grouped(reference.train.len()),
                grouped(reference.test.len()),
                reference.terms.len().to_string(),
                subject.table.bounds(),
            ]
        })
        .collect();
    text.table(&["table", "what it is", "rows", "held out", "terms", "stated bounds"], &rows);
}

fn numbers(text: &mut Markdown, size: &Size, subject: &Subject, results: &[Measured<'_>]) {
    let reference = &subject.reference;
    let exact = reference.r_squared(subject.table.yes_or_no, &reference.estimates);
    text.say(&format!("### {}", subject.table.name));
    text.say(&format!(
        "{} rows, {} terms; {}. Held-out R² without privacy: {exact:.2}.",
        grouped(reference.train.len()),
        reference.terms.len(),
        subject.table.about
    ));
    let here: Vec<&Measured<'_>> =
        results.iter().filter(|result| std::ptr::eq(result.subject, subject)).collect();
    let mut rows = Vec::new();
    for (at, epsilon) in size.epsilons.iter().enumerate() {
        for result in &here {
            if let Ok(cells) = &result.cells {
                rows.push(row(*epsilon, &result.method.name(), &cells[at]));
            }
        }
    }
    text.table(
        &["ε", "method", "error", "covered, fixed", "covered, drawn again", "withheld", "R²", "runs"],
        &rows,
    );
    for result in here {
        if let Err(why) = &result.cells {
            text.say(&format!("{}: refused, \"{why}\".", result.method.name()));
        } else if let Ok(cells) = &result.cells {
            foreseen(text, size, &result.method.name(), cells);
        }
    }
}

/// What a method's own forecast says beside what was found.
fn foreseen(text: &mut Markdown, size: &Size, name: &str, cells: &[Cell]) {
    let one = |(cell, epsilon): (&Cell, &f64)| {
        let (advice, error) = cell.forecast?;
        let advice = match advice {
            Advice::Recommended | Advice::Approximate => "recommended",
            Advice::Uncertain => "intervals may be withheld",
            Advice::TooFew => "too few rows",
        };
        Some(format!("ε {epsilon}: {} ({advice})", shown(error)))
    };
    let all: Vec<String> = cells.iter().zip(size.epsilons).filter_map(one).collect();
    if !all.is_empty() {
        text.say(&format!("Median error that {name} foresees from public numbers: {}.", all.join("; ")));
    }
}

fn row(epsilon: f64, name: &str, cell: &Cell) -> Vec<String> {
    let score =
        if cell.r_squared.is_finite() { format!("{:.2}", cell.r_squared.max(-99.0)) } else { "-".to_owned() };
    vec![
        epsilon.to_string(),
        name.to_owned(),
        shown(cell.error),
        percent(cell.fixed),
        percent(cell.resampled),
        percent(cell.withheld),
        score,
        cell.runs.to_string(),
    ]
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.0} %", 100.0 * share))
}

/// A count with a comma after each three digits.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
