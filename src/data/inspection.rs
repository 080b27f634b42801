//! Counts, over a whole table, the cells that do not fit what a person says of their column.
//!
//! The counts are exact, so they are as private as the table. They are shown on this computer to the person whose table it is. They are
//! never stored, and no document, message of an error or release has them.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use super::cells::Cells;
use super::csv::Record;
use super::encode::Encoder;
use super::hidden_codes::{HiddenCodes, Room};
use super::mismatch::is_code;
use super::moments::MomentsError;
use super::sink::{Merge, RowSink};
use crate::model::Missing;
use crate::plan::bound::{BoundColumn, BoundCondition, BoundPlan, CsvRules, Kind, Source};
use crate::plan::expression::{Expression, Leaf, LevelCodes};

/// The cells of one column that do not fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Misfits {
    /// Cells that are empty or hold a mark of a missing cell.
    pub missing: u64,
    /// Cells that are no number as numbers are read, or none of the levels.
    pub unread: u64,
    /// The first different ones of these, as they are but for their length, with how often each occurs.
    pub cells: Vec<(String, u64)>,
    /// Numbers beyond the bounds.
    pub outside: u64,
    /// Those of them that are above.
    pub above: u64,
    /// Those of them that look like codes for missing values.
    pub coded: u64,
    /// The first different codes.
    pub codes: Vec<String>,
    /// Codes for missing values within the bounds: [`HiddenCodes`].
    pub hidden: Vec<String>,
    /// Whether some number is exactly the lower bound, or the upper one, where that is no round number.
    pub at_bounds: [bool; 2],
}

/// Most codes that are quoted.
const MOST_CODES: usize = 6;

/// Most different cells that are counted, and most of them that are quoted.
const MOST_CELLS: usize = 30;
const MOST_QUOTED: usize = 3;

impl Misfits {
    fn add_unread(&mut self, cell: &str, times: u64) {
        if let Some((_, counted)) = self.cells.iter_mut().find(|(known, _)| known == cell) {
            *counted += times;
        } else if self.cells.len() < MOST_CELLS {
            self.cells.push((cell.to_owned(), times));
        }
    }

    /// Returns the most frequent cells that are no number or none of the levels.
    pub fn usual_cells(&self) -> Vec<&str> {
        let mut cells: Vec<&(String, u64)> = self.cells.iter().collect();
        cells.sort_by_key(|(_, times)| Reverse(*times));
        cells.into_iter().take(MOST_QUOTED).map(|(cell, _)| cell.as_str()).collect()
    }

    fn add_code(&mut self, code: String) {
        if self.codes.len() < MOST_CODES && !self.codes.contains(&code) {
            self.codes.push(code);
        }
    }

    /// Returns the codes that are hardly values. If other numbers also lie above the bound, a number such as 999 may be a value.
    pub fn likely_codes(&self) -> impl Iterator<Item = &String> {
        let alone = self.coded == self.outside;
        self.codes.iter().filter(move |code| alone || code.starts_with('-')).chain(&self.hidden)
    }

    /// Returns for the lower and the upper bound whether it is exactly the smallest or largest value of the column. Such a bound
    /// may have been read off the data.
    pub const fn ends(&self) -> [bool; 2] {
        let [lower, upper] = self.at_bounds;
        [lower && self.outside == self.above, upper && self.above == 0]
    }

    /// Returns whether all cells are values as stated. Codes within the bounds are.
    pub fn fit(&self) -> bool {
        [self.missing, self.unread, self.outside] == [0; 3]
    }
}

/// The person is asked if more than one in so many rows has a cell of the column that does not fit.
const OFTEN: u64 = 100;

/// Returns whether so many cells of a column that do not fit are more than a few among so many rows.
pub const fn are_many(cells: u64, rows: u64) -> bool {
    cells > rows / OFTEN
}

/// Most characters of a cell that is quoted.
pub const QUOTED: usize = 40;

fn cut(cell: &str) -> &str {
    cell.char_indices().nth(QUOTED).map_or(cell, |(end, _)| &cell[..end])
}

/// The counts of a part of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Rows that count. The others are left out: a cell is missing or not read, or the person has more rows than count.
    pub used: u64,
    /// Rows that were looked at: they meet the plan's conditions.
    pub chosen: u64,
    /// The counts of each column, in the order of the columns that are counted.
    pub columns: Vec<Misfits>,
    /// What may be codes within their bounds.
    pub hidden: Vec<HiddenCodes>,
}

impl Counts {
    /// Returns the counts of no row.
    pub fn new(columns: usize) -> Self {
        let (columns, hidden) = (vec![Misfits::default(); columns], vec![HiddenCodes::default(); columns]);
        Self { used: 0, chosen: 0, columns, hidden }
    }

    /// Returns the counts of each column, with the codes within its bounds.
    pub fn into_columns(self) -> Vec<Misfits> {
        let with = |(misfits, hidden): (Misfits, HiddenCodes)| Misfits { hidden: hidden.found(), ..misfits };
        self.columns.into_iter().zip(self.hidden).map(with).collect()
    }

    /// Returns the counts as bytes, for another thread.
    pub fn to_bytes(&self) -> Vec<u8> {
        // A list of numbers and texts can always be written.
        serde_json::to_vec(&(self.used, self.chosen, &self.columns, &self.hidden)).unwrap_or_default()
    }

    /// Reads what [`Self::to_bytes`] wrote. `None` for other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (used, chosen, columns, hidden) = serde_json::from_slice(bytes).ok()?;
        Some(Self { used, chosen, columns, hidden })
    }
}

impl Merge for Counts {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        if later.columns.len() != self.columns.len() {
            let (ours, theirs) = (self.columns.len(), later.columns.len());
            return Err(MomentsError::Terms { ours, theirs });
        }
        self.used += later.used;
        self.chosen += later.chosen;
        for (own, later) in self.columns.iter_mut().zip(later.columns) {
            own.missing += later.missing;
            own.unread += later.unread;
            later.cells.into_iter().for_each(|(cell, times)| own.add_unread(&cell, times));
            own.outside += later.outside;
            own.above += later.above;
            own.coded += later.coded;
            later.codes.into_iter().for_each(|code| own.add_code(code));
            own.at_bounds.iter_mut().zip(later.at_bounds).for_each(|(own, later)| *own |= later);
        }
        self.hidden.iter_mut().zip(later.hidden).for_each(|(own, later)| own.append(later));
        Ok(())
    }
}

/// Counts the cells of records.
#[derive(Debug)]
pub struct Inspection {
    counts: Counts,
    columns: Vec<Column>,
    /// The columns whose numbers may still show a code, with the room for it.
    watched: Vec<(usize, Room)>,
    /// The bounds that may be found to be the end of their column.
    bounds: Vec<WatchedBound>,
    cells: Cells,
    missing: Missing,
}

/// A bound that no number of its column has met yet.
#[derive(Debug)]
struct WatchedBound {
    place: usize,
    field: usize,
    bound: f64,
    is_upper: bool,
}

/// Most significant digits of a round number.
const ROUND_DIGITS: usize = 2;

/// Whole numbers below this are common ends of scales and of spans of time, such as 126 points or 365 days. Whole years, such as
/// 2021, are common ends of periods.
const END_OF_A_SCALE: f64 = 1_000.0;
const YEARS: RangeInclusive<f64> = 1_900.0..=2_100.0;

fn is_round(bound: f64) -> bool {
    if bound.fract() == 0.0 && (bound.abs() < END_OF_A_SCALE || YEARS.contains(&bound)) {
        return true;
    }
    let written = format!("{bound:e}");
    let digits = written.split('e').next().unwrap_or_default();
    digits.chars().filter(char::is_ascii_digit).count() <= ROUND_DIGITS
}

impl WatchedBound {
    /// Returns the bounds of a column that are no round numbers, but for one that the conditions on the rows may cut.
    fn of(place: usize, column: &Column, plan: &BoundPlan) -> Vec<Self> {
        let Column::Number { field, lower, upper } = *column else { return Vec::new() };
        if plan.only.iter().any(|condition| condition.fields().contains(&field)) {
            return Vec::new();
        }
        let ends = [(lower, false), (upper, true)].into_iter().filter(|(bound, _)| !is_round(*bound));
        ends.map(|(bound, is_upper)| Self { place, field, bound, is_upper }).collect()
    }
}

/// How a column is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// A number.
    Number {
        /// The field of a record.
        field: usize,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// A category.
    Category(LevelCodes),
    /// A difference that has bounds of its own, as it is before it is clipped to them.
    Difference {
        /// Its name.
        name: String,
        /// The difference, without bounds.
        expression: Expression,
        /// Its lower bound.
        lower: f64,
        /// Its upper bound.
        upper: f64,
    },
    /// Computed from other columns, which are counted themselves.
    Derived,
}

impl Column {
    fn new(column: &BoundColumn) -> Self {
        match (column.source.field(), &column.kind) {
            (None, _) => {
                let of = match &column.source {
                    Source::Computed(of) => of.without_own_bounds(),
                    Source::Field(_) | Source::Merged(_) => None,
                };
                of.map_or(Self::Derived, |(expression, (lower, upper))| Self::Difference {
                    name: column.name.clone(),
                    expression,
                    lower,
                    upper,
                })
            }
            (Some(field), Kind::Number { lower, upper }) => {
                Self::Number { field, lower: *lower, upper: *upper }
            }
            (Some(field), Kind::Category { levels, other, .. }) => {
                Self::Category(LevelCodes::of(field, levels, *other))
            }
        }
    }

    fn of_leaf(leaf: &Leaf) -> Self {
        match leaf {
            Leaf::Number { column, lower, upper, .. } => {
                Self::Number { field: *column, lower: *lower, upper: *upper }
            }
            Leaf::Level { codes, .. } => Self::Category((**codes).clone()),
        }
    }

    /// Returns all fields that a plan reads, those of derived terms too, each once, and all differences that have bounds of their own.
    pub fn all(plan: &BoundPlan) -> Vec<Self> {
        let mut seen = BTreeSet::new();
        let of_column = |column: &BoundColumn| {
            let behind = match &column.source {
                Source::Field(_) => Vec::new(),
                Source::Merged(codes) => vec![Self::Category((**codes).clone())],
                Source::Computed(expression) => expression.leaves().into_iter().map(Self::of_leaf).collect(),
            };
            behind.into_iter().chain([Self::new(column)])
        };
        let mut all: Vec<Self> = plan.columns.iter().flat_map(of_column).collect();
        all.retain(|column| match column.field() {
            Some(field) => seen.insert(field),
            None => matches!(column, Self::Difference { .. }),
        });
        all
    }

    /// Returns whether what does not fit by the plan `described` can be counted while records are read by `plan`: both read the same records,
    /// and a record that fits by `plan` fits by the other.
    pub fn are_beside(described: &BoundPlan, plan: &BoundPlan) -> bool {
        let all = Self::all(plan);
        let table = |csv: &CsvRules| CsvRules { by_field: Vec::new(), ..csv.clone() };
        let of_columns = described.columns.iter().flat_map(|column| column.source.fields());
        let mut fields = of_columns.chain(described.only.iter().flat_map(BoundCondition::fields));
        described.fields == plan.fields
            && table(&described.csv) == table(&plan.csv)
            && fields.all(|field| described.csv.rules_of(field) == plan.csv.rules_of(field))
            && described.only == plan.only
            && described.missing == plan.missing
            && (&described.person, &plan.person) == (&None, &None)
            && described.columns.iter().map(Self::new).all(|column| all.contains(&column))
    }

    /// Returns the levels of a category, sorted.
    pub fn levels(&self) -> Vec<String> {
        let Self::Category(codes) = self else { return Vec::new() };
        codes.codes.iter().map(|(level, _)| level.clone()).collect()
    }

    /// Returns the field, if the value is a cell itself.
    pub fn field(&self) -> Option<usize> {
        match self {
            Self::Number { field, .. } => Some(*field),
            Self::Category(codes) => Some(codes.column),
            Self::Difference { .. } | Self::Derived => None,
        }
    }
}

impl Inspection {
    /// Creates a counter of the cells of a plan's columns.
    pub fn new(plan: &BoundPlan) -> Self {
        Self::of(plan, plan.columns.iter().map(Column::new).collect())
    }

    /// Creates a counter of the cells of these columns.
    pub fn of(plan: &BoundPlan, columns: Vec<Column>) -> Self {
        let room = |(place, column): (usize, &Column)| match column {
            Column::Number { lower, upper, .. } => Some((place, Room::within(*lower, *upper)?)),
            Column::Category(_) | Column::Difference { .. } | Column::Derived => None,
        };
        Self {
            counts: Counts::new(columns.len()),
            watched: columns.iter().enumerate().filter_map(room).collect(),
            bounds: columns
                .iter()
                .enumerate()
                .flat_map(|(place, of)| WatchedBound::of(place, of, plan))
                .collect(),
            columns,
            cells: Cells::new(&plan.csv),
            missing: plan.missing,
        }
    }

    /// Returns the counts.
    pub fn into_counts(self) -> Counts {
        self.counts
    }

    /// Looks for codes within the bounds, and for numbers that equal a bound. Columns that can have neither are not read again.
    fn watch(&mut self, record: &Record<'_>) {
        let Self { counts, columns, watched, bounds, cells, .. } = self;
        bounds.retain(|&WatchedBound { place, field, bound, is_upper }| {
            let is_met = cells.cell(record, field).is_some_and(|number| number.total_cmp(&bound).is_eq());
            if let Some(Misfits { at_bounds: [lower, upper], .. }) = counts.columns.get_mut(place) {
                *if is_upper { upper } else { lower } |= is_met;
            }
            !is_met
        });
        watched.retain(|(place, room)| {
            let (Some(Column::Number { field, lower, upper }), Some(hidden)) =
                (columns.get(*place), counts.hidden.get_mut(*place))
            else {
                return false;
            };
            // A code beyond the bounds is counted as such.
            let counts = |number: &f64| (lower..=upper).contains(&number) || !is_code(*number);
            match cells.cell(record, *field) {
                Some(number) if hidden.is_known(number) => return true,
                Some(number) if counts(&number) => hidden.add(*room, number, record.field(*field).trim()),
                Some(_) | None => {}
            }
            hidden.is_open(*room)
        });
    }

    fn count(&mut self, record: &Record<'_>) {
        let mut complete = true;
        for (column, misfits) in self.columns.iter().zip(&mut self.counts.columns) {
            let (field, is_read) = match column {
                Column::Derived => continue,
                Column::Difference { expression, lower, upper, .. } => {
                    let value = self.cells.computed(record, expression);
                    if let Some(value) = value.filter(|value| value < lower || value > upper) {
                        misfits.outside += 1;
                        misfits.above += u64::from(value > *upper);
                    }
                    continue;
                }
                Column::Number { field, lower, upper } => {
                    let number = self.cells.cell(record, *field);
                    if let Some(value) = number.filter(|number| number < lower || number > upper) {
                        misfits.outside += 1;
                        misfits.above += u64::from(value > *upper);
                        if is_code(value) {
                            misfits.coded += 1;
                            misfits.add_code(record.field(*field).trim().to_owned());
                        }
                    }
                    (*field, number.is_some())
                }
                Column::Category(codes) => (codes.column, self.cells.level(record, codes).is_some()),
            };
            if !is_read {
                let cell = record.field(field);
                if self.cells.is_missing(field, cell) {
                    misfits.missing += 1;
                } else {
                    misfits.unread += 1;
                    misfits.add_unread(cut(cell.trim()), 1);
                }
                complete = false;
            }
        }
        self.counts.chosen += 1;
        self.counts.used += u64::from(complete || self.missing == Missing::Midpoint);
    }
}

/// A sink of rows, with the counts of the same records where they are asked for.
#[derive(Debug)]
pub struct Inspected<S> {
    /// The rows.
    pub rows: S,
    /// The counts.
    pub inspection: Option<Inspection>,
}

impl<S: RowSink> RowSink for Inspected<S> {
    fn row(&mut self, row: &[i32]) {
        self.rows.row(row);
    }

    fn person(&mut self, number: u32) {
        self.rows.person(number);
    }

    fn record(&mut self, record: &Record<'_>, encoder: &mut Encoder) {
        self.rows.record(record, encoder);
        let Some(inspection) = &mut self.inspection else { return };
        inspection.watch(record);
        // Most records fit, and their cells are not read again.
        if encoder.fits() {
            inspection.counts.chosen += 1;
            inspection.counts.used += 1;
        } else {
            inspection.count(record);
        }
    }

    fn least_bytes(&self) -> usize {
        self.rows.least_bytes()
    }
}

impl<S: Merge> Merge for Inspected<S> {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        self.rows.append(later.rows)?;
        self.inspection.append(later.inspection)
    }
}

impl RowSink for Inspection {
    fn row(&mut self, _: &[i32]) {}

    fn record(&mut self, record: &Record<'_>, _: &mut Encoder) {
        self.watch(record);
        self.count(record);
    }
}

impl Merge for Inspection {
    fn append(&mut self, later: Self) -> Result<(), MomentsError> {
        self.counts.append(later.counts)
    }
}
