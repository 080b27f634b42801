//! The coefficients of a release of many outcomes: flat columns in memory, lists of lists in the document.
//!
//! 100,000 outcomes on 26 terms are 13 million numbers. Each is held as a double, and neither writing nor
//! reading builds the document as a tree.

use std::fmt;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeSeq, SerializeStruct};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::math::round::to_digits;
use crate::model::{Estimate, Interval};

/// Significant digits of every number that is put into a table; the noise is larger by far.
pub const DIGITS: u8 = 7;

/// Most cells that are reserved at once from lengths that a document states.
const MOST_RESERVED: usize = 1 << 22;

/// The kinds of interval, in the order of their bytes.
const INTERVALS: [Interval; 3] = [Interval::Normal, Interval::Approximate, Interval::Withheld];

/// Bytes of a number.
const NUMBER_BYTES: usize = 8;

/// Bytes of a cell: its five numbers and its kind of interval.
const CELL_BYTES: usize = 5 * NUMBER_BYTES + 1;

const FIELDS: [&str; 8] =
    ["outcomes", "terms", "estimate", "std_error", "lower", "upper", "noise_share", "interval"];

/// Every outcome on the same terms.
#[derive(Clone, Debug, Default)]
pub struct CoefficientTable {
    outcomes: Vec<String>,
    terms: Vec<String>,
    /// Estimates, standard errors, lower and upper ends, shares of noise: outcome by outcome, NaN where there is none.
    numbers: [Vec<f64>; 5],
    /// The same for the intervals.
    interval: Vec<Interval>,
}

impl PartialEq for CoefficientTable {
    fn eq(&self, other: &Self) -> bool {
        let alike = |(left, right): (&f64, &f64)| left == right || left.is_nan() && right.is_nan();
        let numbers = |(left, right): (&Vec<f64>, &Vec<f64>)| {
            left.len() == right.len() && left.iter().zip(right).all(alike)
        };
        self.outcomes == other.outcomes
            && self.terms == other.terms
            && self.interval == other.interval
            && self.numbers.iter().zip(&other.numbers).all(numbers)
    }
}

impl CoefficientTable {
    /// Creates a table in which everything is withheld.
    pub fn new(outcomes: Vec<String>, terms: Vec<String>) -> Self {
        let cells = outcomes.len() * terms.len();
        Self {
            outcomes,
            terms,
            numbers: std::array::from_fn(|_| vec![f64::NAN; cells]),
            interval: vec![Interval::Withheld; cells],
        }
    }

    /// Returns the outcomes' columns.
    pub fn outcomes(&self) -> &[String] {
        &self.outcomes
    }

    /// Returns the terms, the same for every outcome.
    pub fn terms(&self) -> &[String] {
        &self.terms
    }

    /// Returns one coefficient. `None` beyond the table.
    pub fn entry(&self, outcome: usize, term: usize) -> Option<Estimate> {
        let cell = self.cell(outcome, term)?;
        let [estimate, std_error, lower, upper, noise_share] =
            self.numbers.each_ref().map(|column| column.get(cell).copied().filter(|value| !value.is_nan()));
        let interval = *self.interval.get(cell)?;
        Some(Estimate { estimate, std_error, lower, upper, noise_share, interval })
    }

    /// Returns whether no cell has an estimate.
    pub fn is_undetermined(&self) -> bool {
        self.numbers[0].iter().all(|estimate| estimate.is_nan())
    }

    /// Puts one coefficient in its place, with [`DIGITS`] significant digits; beyond the table nothing happens.
    pub fn set(&mut self, outcome: usize, term: usize, entry: Estimate) {
        let Some(cell) = self.cell(outcome, term) else { return };
        let Estimate { estimate, std_error, lower, upper, noise_share, interval } = entry;
        for (column, value) in self.numbers.iter_mut().zip([estimate, std_error, lower, upper, noise_share]) {
            if let Some(place) = column.get_mut(cell) {
                *place = value
                    .filter(|value| value.is_finite())
                    .map_or(f64::NAN, |value| to_digits(value, DIGITS));
            }
        }
        if let Some(place) = self.interval.get_mut(cell) {
            *place = interval;
        }
    }

    /// Labels no interval better than approximate, and returns whether one is shown.
    pub fn label_approximate(&mut self) -> bool {
        Interval::label_approximate(self.interval.iter_mut())
    }

    /// Rounds every number to `kept` significant digits.
    pub fn round(&mut self, kept: u8) {
        self.numbers.iter_mut().flatten().for_each(|value| *value = to_digits(*value, kept));
    }

    /// Takes the outcomes out as tables of about `bytes` bytes, which [`Self::append_piece`] reads.
    pub fn take_pieces(&mut self, bytes: usize) -> impl Iterator<Item = (Vec<String>, Vec<u8>)> + use<> {
        let table = std::mem::replace(self, Self::new(Vec::new(), self.terms.clone()));
        let rows = (bytes / (CELL_BYTES * table.terms.len()).max(1)).max(1);
        (0..table.outcomes.len()).step_by(rows).map(move |from| {
            let to = table.outcomes.len().min(from + rows);
            (table.outcomes.get(from..to).unwrap_or_default().to_vec(), table.cells(from, to))
        })
    }

    /// Returns the cells of some outcomes as bytes: of each cell five numbers, little end first, and the kind of its interval.
    fn cells(&self, from: usize, to: usize) -> Vec<u8> {
        let cells = from * self.terms.len()..to * self.terms.len();
        let mut bytes = Vec::with_capacity(cells.len() * CELL_BYTES);
        for cell in cells {
            for column in &self.numbers {
                bytes.extend_from_slice(&column.get(cell).copied().unwrap_or(f64::NAN).to_le_bytes());
            }
            bytes.push(self.interval.get(cell).copied().unwrap_or(Interval::Withheld) as u8);
        }
        bytes
    }

    /// Makes room for so many outcomes.
    pub fn reserve(&mut self, outcomes: usize) {
        self.outcomes.reserve_exact(outcomes);
        let cells = outcomes.saturating_mul(self.terms.len());
        self.numbers.iter_mut().for_each(|column| column.reserve_exact(cells));
        self.interval.reserve_exact(cells);
    }

    /// Appends a piece of [`Self::take_pieces`]. Returns `false`, and appends nothing, if it is none of a table of these terms.
    pub fn append_piece(&mut self, outcomes: Vec<String>, cells: &[u8]) -> bool {
        if cells.len() != outcomes.len() * self.terms.len() * CELL_BYTES {
            return false;
        }
        self.outcomes.extend(outcomes);
        for cell in cells.chunks_exact(CELL_BYTES) {
            let (numbers, interval) = cell.split_at(CELL_BYTES - 1);
            let (numbers, _) = numbers.as_chunks::<NUMBER_BYTES>();
            for (column, number) in self.numbers.iter_mut().zip(numbers) {
                column.push(f64::from_le_bytes(*number));
            }
            let kind = interval.first().and_then(|kind| INTERVALS.get(usize::from(*kind)));
            self.interval.push(kind.copied().unwrap_or(Interval::Withheld));
        }
        true
    }

    fn cell(&self, outcome: usize, term: usize) -> Option<usize> {
        (outcome < self.outcomes.len() && term < self.terms.len()).then(|| outcome * self.terms.len() + term)
    }
}

/// Cells as one inner list per outcome.
struct Rows<'a, T, W> {
    table: &'a CoefficientTable,
    cells: &'a [T],
    write: fn(&T) -> W,
}

/// The cells of one outcome.
struct Row<'a, T, W> {
    cells: &'a [T],
    write: fn(&T) -> W,
}

impl<T, W: Serialize> Serialize for Rows<'_, T, W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let width = self.table.terms.len();
        let mut rows = serializer.serialize_seq(Some(self.table.outcomes.len()))?;
        for row in 0..self.table.outcomes.len() {
            let cells = self.cells.get(row * width..(row + 1) * width).unwrap_or_default();
            rows.serialize_element(&Row { cells, write: self.write })?;
        }
        rows.end()
    }
}

impl<T, W: Serialize> Serialize for Row<'_, T, W> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.cells.iter().map(self.write))
    }
}

impl Serialize for CoefficientTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let [outcomes, terms, numbers @ .., interval] = FIELDS;
        let mut object = serializer.serialize_struct("CoefficientTable", FIELDS.len())?;
        object.serialize_field(outcomes, &self.outcomes)?;
        object.serialize_field(terms, &self.terms)?;
        let number = |value: &f64| Some(*value).filter(|value| value.is_finite());
        for (name, cells) in numbers.into_iter().zip(&self.numbers) {
            object.serialize_field(name, &Rows { table: self, cells, write: number })?;
        }
        let cells = self.interval.as_slice();
        object.serialize_field(interval, &Rows { table: self, cells, write: |interval| *interval })?;
        object.end()
    }
}

/// The cells of one field that is a list of lists, in one vector.
struct Cells<T> {
    cells: Vec<T>,
    rows: usize,
    width: Option<usize>,
}

/// Reads lists of lists whose inner lists are equally long.
struct ReadCells<R, T> {
    /// Cells that are expected.
    reserve: usize,
    read: fn(R) -> T,
}

impl<'de, R: Deserialize<'de>, T> DeserializeSeed<'de> for ReadCells<R, T> {
    type Value = Cells<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cells<T>, D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, R: Deserialize<'de>, T> Visitor<'de> for ReadCells<R, T> {
    type Value = Cells<T>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("one list per outcome")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<Cells<T>, A::Error> {
        let mut found = Cells { cells: Vec::with_capacity(self.reserve), rows: 0, width: None };
        loop {
            let before = found.cells.len();
            let row = ReadRow { cells: &mut found.cells, read: self.read };
            if rows.next_element_seed(row)?.is_none() {
                return Ok(found);
            }
            let width = found.cells.len() - before;
            if *found.width.get_or_insert(width) != width {
                return Err(A::Error::custom("the lists of the outcomes have different lengths"));
            }
            found.rows += 1;
        }
    }
}

/// Reads one inner list to the end of the cells.
struct ReadRow<'a, R, T> {
    cells: &'a mut Vec<T>,
    read: fn(R) -> T,
}

impl<'de, R: Deserialize<'de>, T> DeserializeSeed<'de> for ReadRow<'_, R, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, R: Deserialize<'de>, T> Visitor<'de> for ReadRow<'_, R, T> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("one entry per term")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut row: A) -> Result<(), A::Error> {
        while let Some(value) = row.next_element()? {
            self.cells.push((self.read)(value));
        }
        Ok(())
    }
}

/// The fields of a table that were read so far.
#[derive(Default)]
struct Parts {
    outcomes: Option<Vec<String>>,
    terms: Option<Vec<String>>,
    numbers: [Option<Cells<f64>>; 5],
    interval: Option<Cells<Interval>>,
}

impl Parts {
    /// Returns the number of cells that a list of lists will have, as far as is known.
    fn reserve(&self) -> usize {
        let length = |names: &Option<Vec<String>>| names.as_ref().map_or(0, Vec::len);
        length(&self.outcomes).saturating_mul(length(&self.terms)).min(MOST_RESERVED)
    }

    fn table<E: Error>(self) -> Result<CoefficientTable, E> {
        let [outcomes_name, terms_name, number_names @ .., interval_name] = FIELDS;
        let outcomes = self.outcomes.ok_or_else(|| E::missing_field(outcomes_name))?;
        let terms = self.terms.ok_or_else(|| E::missing_field(terms_name))?;
        let size = (outcomes.len(), terms.len());
        let mut numbers: [Vec<f64>; 5] = Default::default();
        for ((place, read), name) in numbers.iter_mut().zip(self.numbers).zip(number_names) {
            *place = cells(read, size, name)?;
        }
        let interval = cells(self.interval, size, interval_name)?;
        Ok(CoefficientTable { outcomes, terms, numbers, interval })
    }
}

/// Returns the cells of a field, if they are as many as the outcomes and terms ask for.
fn cells<T, E: Error>(
    read: Option<Cells<T>>,
    (outcomes, terms): (usize, usize),
    name: &'static str,
) -> Result<Vec<T>, E> {
    let read = read.ok_or_else(|| E::missing_field(name))?;
    if read.rows != outcomes || read.width.is_some_and(|width| width != terms) {
        return Err(E::custom(format_args!(
            "{name} has {} lists of {}; there are {outcomes} outcomes and {terms} terms",
            read.rows,
            read.width.unwrap_or(0)
        )));
    }
    Ok(read.cells)
}

impl<'de> Deserialize<'de> for CoefficientTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_struct("CoefficientTable", &FIELDS, ReadTable)
    }
}

/// Reads the object of a table, its fields in any order.
pub(super) struct ReadTable;

impl<'de> Visitor<'de> for ReadTable {
    type Value = CoefficientTable;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("coefficients as one object of columns")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<CoefficientTable, A::Error> {
        let mut parts = Parts::default();
        while let Some(name) = map.next_key::<String>()? {
            let Some(field) = FIELDS.iter().position(|field| *field == name) else {
                map.next_value::<IgnoredAny>()?;
                return Err(A::Error::unknown_field(&name, &FIELDS));
            };
            let reserve = parts.reserve();
            let repeated = match field {
                0 => parts.outcomes.replace(map.next_value()?).is_some(),
                1 => parts.terms.replace(map.next_value()?).is_some(),
                7 => {
                    let seed = ReadCells { reserve, read: |interval: Interval| interval };
                    parts.interval.replace(map.next_value_seed(seed)?).is_some()
                }
                number => {
                    let read = |value: Option<f64>| value.unwrap_or(f64::NAN);
                    let cells = map.next_value_seed(ReadCells { reserve, read })?;
                    parts.numbers.get_mut(number - 2).is_some_and(|place| place.replace(cells).is_some())
                }
            };
            if repeated {
                return Err(A::Error::custom(format_args!("duplicate field `{name}`")));
            }
        }
        parts.table()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: f64) -> Estimate {
        Estimate {
            estimate: Some(number),
            std_error: Some(0.1 + 0.2),
            lower: None,
            upper: Some(1e300),
            noise_share: Some(0.5),
            interval: Interval::Approximate,
        }
    }

    fn small() -> CoefficientTable {
        let mut table = CoefficientTable::new(
            vec!["y1".to_owned(), "y2".to_owned()],
            vec!["a".to_owned(), "b".to_owned(), "c".to_owned()],
        );
        table.set(0, 1, entry(-1.234_567_89e-12));
        table.set(1, 2, entry(f64::INFINITY));
        table.set(2, 0, entry(1.0));
        table.set(0, 3, entry(1.0));
        table
    }

    const WRITTEN: &str = concat!(
        r#"{"outcomes":["y1","y2"],"terms":["a","b","c"],"#,
        r#""estimate":[[null,-1.234568e-12,null],[null,null,null]],"#,
        r#""std_error":[[null,0.3,null],[null,null,0.3]],"#,
        r#""lower":[[null,null,null],[null,null,null]],"#,
        r#""upper":[[null,1e+300,null],[null,null,1e+300]],"#,
        r#""noise_share":[[null,0.5,null],[null,null,0.5]],"#,
        r#""interval":[["withheld","approximate","withheld"],["withheld","withheld","approximate"]]}"#,
    );

    #[test]
    fn it_is_written_as_lists_of_lists_and_read_back() {
        let table = small();
        assert_eq!(serde_json::to_string(&table).unwrap(), WRITTEN);
        assert_eq!(serde_json::from_str::<CoefficientTable>(WRITTEN).unwrap(), table);
        assert_eq!(table.entry(0, 1).unwrap().estimate, Some(-1.234_568e-12));
        assert_eq!(table.entry(1, 2).unwrap().estimate, None);
        assert_eq!((table.entry(2, 0), table.entry(0, 3)), (None, None));
        let empty = r#"{"outcomes":[],"terms":["a"],"estimate":[],"std_error":[],"lower":[],"upper":[],"noise_share":[],"interval":[]}"#;
        assert!(serde_json::from_str::<CoefficientTable>(empty).unwrap().outcomes().is_empty());
    }

    #[test]
    fn it_travels_in_pieces() {
        for interval in INTERVALS {
            let mut table = small();
            table.set(1, 0, Estimate { interval, ..entry(f64::MIN_POSITIVE) });
            for bytes in [0, CELL_BYTES * 3, CELL_BYTES * 6, usize::MAX] {
                let mut rest = table.clone();
                let pieces: Vec<_> = rest.take_pieces(bytes).collect();
                assert_eq!((rest.outcomes().len(), rest.terms()), (0, table.terms()));
                assert_eq!(pieces.len(), if bytes < CELL_BYTES * 6 { 2 } else { 1 });
                rest.reserve(2);
                for (outcomes, cells) in pieces {
                    assert!(!rest.append_piece(outcomes.clone(), &cells[1..]));
                    assert!(rest.append_piece(outcomes, &cells));
                }
                assert_eq!(rest, table);
            }
        }
    }

    #[test]
    fn the_fields_may_stand_in_any_order() {
        let value: serde_json::Value = serde_json::from_str(WRITTEN).unwrap();
        assert_eq!(serde_json::from_value::<CoefficientTable>(value).unwrap(), small());
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (from, to, why) in [
            (r#"["y1","y2"]"#, r#"["y1"]"#, "1 outcomes"),
            (r#"["a","b","c"]"#, r#"["a","b"]"#, "2 terms"),
            (r#""terms":["a","b","c"],"#, "", "missing field `terms`"),
            (r#""lower":"#, r#""higher":"#, "unknown field `higher`"),
            (r#""lower":"#, r#""upper":"#, "duplicate field `upper`"),
            ("[null,0.3,null]", "[null,0.3]", "different lengths"),
            (r#"[[null,0.5,null],[null,null,0.5]]"#, r#"[[null,0.5,null]]"#, "noise_share has 1 lists"),
            ("[null,1e+300,null]", "[null,1e400,null]", "out of range"),
            ("[null,0.3,null]", r#"[null,"0.3",null]"#, "invalid type"),
            (
                r#"["withheld","approximate","withheld"]"#,
                r#"["withheld","sure","withheld"]"#,
                "unknown variant",
            ),
        ] {
            let text = WRITTEN.replacen(from, to, 1);
            assert_ne!(text, WRITTEN);
            let error = serde_json::from_str::<CoefficientTable>(&text).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_document_that_promises_much_reserves_little() {
        let names = vec!["\"\""; 50_000].join(",");
        let text = format!(r#"{{"outcomes":[{names}],"terms":[{names}],"estimate":[]}}"#);
        assert!(serde_json::from_str::<CoefficientTable>(&text).is_err());
    }
}
