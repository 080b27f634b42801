//! The road from a table's text to a release, as a person's goes: the plan is prepared, the records are read and encoded, the mechanism's
//! rounds run on the encoded rows. Only the noise has a seed.

use std::io::Cursor;

use discreet::cli::table::Table as Reader;
use discreet::data::{EncodedRows, Exact, HeaderRules, Statistic};
use discreet::engine::{EngineError, Prepared, demonstrate, prepare_with};
use discreet::inference::pseudo::mix;
use discreet::mechanisms::{NOISELESS, info};
use discreet::model::{Coefficient, INTERCEPT, Wallet};
use discreet::noise::entropy::DemoRng;
use discreet::plan::bound::Kind;
use discreet::plan::public::{PublicTable, document::PublicTerm};
use discreet::plan::{Plan, Purpose};
use discreet::release::document::{Coefficients, Software};
use serde_json::{Value, json};

use super::tables::Table;

/// Fixes all noise.
const SEED: u64 = 7;

/// Prepares a plan for the records of a table that are released. Under replace-one the number of records is public.
pub fn prepared(
    table: &Table,
    mechanism: &str,
    budget: &Value,
    replaced: bool,
    public: Option<&PublicTable>,
) -> Result<Prepared, EngineError> {
    let records = table.records();
    let (adjacency, rows) = if replaced { ("replace-one", "rows") } else { ("add-remove", "stated_rows") };
    let plan = json!({
        "schema": "discreet.plan/1",
        "adjacency": adjacency,
        rows: records,
        "columns": table.columns,
        "mechanism": {"name": mechanism},
        "budget": budget,
    });
    let header = reader(&table.train).header().clone();
    let plan = Plan::parse(&plan.to_string())?;
    prepare_with(plan, public, &header.names, header.delimiter, Purpose::Simulate)
}

fn reader(text: &str) -> Reader {
    Reader::stream(Cursor::new(text.as_bytes().to_vec()), HeaderRules::default()).unwrap()
}

/// Encodes all records that count.
pub fn encoded(prepared: &Prepared, text: &str) -> EncodedRows {
    let sink = || EncodedRows::new(prepared.row_width());
    reader(text).scan(prepared.bound(), sink, 1).unwrap().sink
}

/// As many rows, drawn with replacement.
pub fn resampled(rows: &EncodedRows, run: u64) -> EncodedRows {
    use discreet::data::RowSink;
    let mut drawn = EncodedRows::new(rows.terms());
    let count = rows.len() as u64;
    for draw in 0..count {
        let index = mix(mix(SEED ^ run << 32) ^ draw) % count;
        drawn.row(rows.get(usize::try_from(index).unwrap()).unwrap());
    }
    drawn
}

/// What a mechanism sums of the rows in its first round, or the rows themselves where it has several.
pub enum Input<'a> {
    Rows(&'a EncodedRows),
    Sums(Box<discreet::data::Sums>),
}

impl<'a> Input<'a> {
    pub fn new(prepared: &Prepared, rows: &'a EncodedRows) -> Self {
        match prepared.statistic() {
            Statistic::Rows(_) => Self::Rows(rows),
            statistic => Self::Sums(Box::new(statistic.of(rows))),
        }
    }
}

/// The coefficients of one seeded run.
pub fn run(prepared: &Prepared, input: &Input<'_>, run: u64) -> Result<Vec<Coefficient>, EngineError> {
    let exact = match input {
        Input::Rows(rows) => Exact::from(*rows),
        Input::Sums(sums) => Exact::from(&**sums),
    };
    let release =
        demonstrate(prepared, exact, DemoRng::new(SEED, run), Software::new("accuracy".to_owned()))?;
    match &release.document().coefficients {
        Coefficients::List(list) => Ok(list.clone()),
        Coefficients::Table(_) => panic!("one outcome makes a list"),
    }
}

/// The exact fit of the released records, and what is needed to judge another fit by it.
pub struct Reference {
    /// Terms but the constant.
    pub terms: Vec<String>,
    /// The constant, then the slopes, in the columns' own units.
    pub estimates: Vec<f64>,
    /// Standard errors of the slopes.
    pub errors: Vec<f64>,
    /// The released records.
    pub train: Values,
    /// The records that are held out.
    pub test: Values,
    /// Middle and half of the bounds of each slope's term, then the outcome's; 0 and 1 for a dummy.
    pub units: Vec<(f64, f64)>,
    /// Columns with a role but the outcome.
    pub columns: usize,
}

/// Records in the columns' own units, clipped to the bounds: for each the features' terms, then the outcome.
pub struct Values {
    pub width: usize,
    pub cells: Vec<f64>,
}

impl Values {
    pub fn rows(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.cells.chunks_exact(self.width).map(|row| (&row[..self.width - 1], row[self.width - 1]))
    }

    pub fn len(&self) -> usize {
        self.cells.len() / self.width
    }
}

impl Reference {
    pub fn new(table: &Table) -> Self {
        let none = json!({"none": true});
        let squares = prepared(table, NOISELESS, &none, false, None).unwrap();
        let name = if table.yes_or_no { exact_labels() } else { NOISELESS };
        let fitted = prepared(table, name, &none, false, None).unwrap();
        let rows = encoded(&fitted, &table.train);
        let list = run(&fitted, &Input::new(&fitted, &rows), 1).unwrap();
        let (constant, slopes) = list.split_first().unwrap();
        assert_eq!(constant.term, INTERCEPT);
        let unit = |kind: &Kind| match *kind {
            Kind::Number { lower, upper } => (f64::midpoint(lower, upper), (upper - lower) / 2.0),
            Kind::Category { .. } => (0.0, 1.0),
        };
        let columns = &squares.bound().columns;
        let terms = squares.geometry().terms.iter();
        Self {
            terms: slopes.iter().map(|slope| slope.term.clone()).collect(),
            estimates: list.iter().map(|coefficient| coefficient.estimate.unwrap()).collect(),
            errors: slopes.iter().map(|slope| slope.std_error.unwrap()).collect(),
            train: values(&squares, &table.train),
            test: values(&squares, &table.test),
            units: terms.filter_map(|term| Some(unit(&columns[term.column?].kind))).collect(),
            columns: columns.len() - 1,
        }
    }

    /// The moments of the records that are held out, as if they had been published.
    pub fn public(&self, table: &Table) -> PublicTable {
        let Values { width, cells } = &self.test;
        let count = self.test.len() as f64;
        let means: Vec<f64> =
            (0..*width).map(|at| cells.iter().skip(at).step_by(*width).sum::<f64>() / count).collect();
        let covariance = |a: usize, b: usize| {
            let products = cells.chunks_exact(*width).map(|row| (row[a] - means[a]) * (row[b] - means[b]));
            products.sum::<f64>() / (count - 1.0)
        };
        let spreads: Vec<f64> = (0..*width).map(|at| covariance(at, at).sqrt()).collect();
        let outcome = table.columns.iter().find(|column| column["role"] == "outcome").unwrap();
        let names = self.terms.iter().map(String::as_str).chain(outcome["name"].as_str());
        let terms = names.enumerate().map(|(at, name)| PublicTerm {
            term: name.to_owned(),
            mean: means[at],
            // That of a level follows from its share.
            sd: (!name.ends_with(']')).then_some(spreads[at]),
        });
        let correlation = |a: usize, b: usize| match spreads[a] * spreads[b] {
            _ if a == b => 1.0,
            0.0 => 0.0,
            product => covariance(a, b) / product,
        };
        PublicTable {
            schema: "discreet.public/1".to_owned(),
            source: "the rows that are held out".to_owned(),
            rows: self.test.len() as u64,
            terms: terms.collect(),
            correlation: (0..*width).map(|a| (0..*width).map(|b| correlation(a, b)).collect()).collect(),
        }
    }

    /// R² of predictions for the records that are held out: of the line, or of the probabilities of yes.
    pub fn r_squared(&self, yes_or_no: bool, coefficients: &[f64]) -> f64 {
        let count = self.test.len() as f64;
        let mean = self.test.rows().map(|(_, y)| y).sum::<f64>() / count;
        let (mut residual, mut total) = (0.0, 0.0);
        for (x, y) in self.test.rows() {
            let line = coefficients[0] + x.iter().zip(&coefficients[1..]).map(|(x, b)| x * b).sum::<f64>();
            let predicted = if yes_or_no { 1.0 / (1.0 + libm::exp(-line)) } else { line };
            residual += (y - predicted) * (y - predicted);
            total += (y - mean) * (y - mean);
        }
        1.0 - residual / total
    }
}

/// The mechanism without privacy for yes-or-no outcomes.
fn exact_labels() -> &'static str {
    let exact = |info: &&info::Info| info.wallet == Wallet::None && info.name != NOISELESS;
    info::all().find(exact).unwrap().name
}

/// Reads records by the plan of the fit without noise, whose grid is fine.
fn values(prepared: &Prepared, text: &str) -> Values {
    let rows = encoded(prepared, text);
    let geometry = prepared.geometry();
    let fine = 1.0 / libm::ldexp(1.0, 22);
    let mut cells = Vec::new();
    for row in (0..rows.len()).filter_map(|index| rows.get(index)) {
        for (place, term) in geometry.terms.iter().enumerate().filter(|(_, term)| term.column.is_some()) {
            let guard = geometry.guard_of(place).and_then(|guard| row.get(guard)).map_or(0, |guard| *guard);
            cells.push(term.centre + term.scale * (f64::from(row[place]) + f64::from(guard) * fine));
        }
    }
    Values { width: geometry.terms.iter().filter(|term| term.column.is_some()).count(), cells }
}
