//! Reads a table of phenotypes and joins it to the samples by their ids.
//!
//! Each row is joined independently, so a person's row changes no other person's record.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::cells::Cells;
use super::error::{GenotypeError, GenotypeFault, SourceFile};
use super::lines::Lines;
use super::samples::{Samples, text};
use super::variants::Wanted;
use crate::data::csv::{CsvError, Parser};
use crate::data::header::{Header, HeaderRead, HeaderRules, read_header};
use crate::plan::bound::{CsvRules, Encoding};
use crate::plan::number_format::NumberFormat;

/// A push parser for a table of phenotypes: a CSV, or fields separated by spaces as for PLINK's `--pheno`, with a header that has
/// `IID` and optionally `FID`. The header decides which of the two it is.
pub struct PhenotypeReader<'a> {
    samples: &'a Samples,
    wanted: Wanted,
    encoding: Encoding,
    /// So many first samples keep their cells.
    kept: usize,
    state: State,
    join: Option<Join<'a>>,
}

enum State {
    /// Bytes of the header so far.
    Head(Vec<u8>),
    Csv(Header, Box<Parser>),
    Spaces {
        lines: Lines,
        fields: usize,
    },
}

/// How many samples and rows of a table of phenotypes belong together. As private as the table: no document, log or message of the
/// command line may have these counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Matches {
    /// The samples.
    pub samples: usize,
    /// The samples that have a row.
    pub matched: usize,
    /// The rows that have no sample.
    pub rows_alone: usize,
}

impl Matches {
    /// Returns whether fewer than half of the samples have a row.
    pub const fn are_few(self) -> bool {
        self.matched < self.samples.div_ceil(2)
    }

    /// Returns whether no sample has a row, so that a release is refused.
    pub const fn are_none(self) -> bool {
        self.matched == 0
    }
}

/// The phenotypes of the samples. As private as the table.
#[derive(Debug)]
pub struct Phenotypes {
    /// The columns that the plan may use.
    pub(super) names: Vec<String>,
    pub(super) cells: Cells,
    /// The row of each sample that keeps its cells and has one.
    pub(super) rows: Vec<Option<usize>>,
    matches: Matches,
}

impl Phenotypes {
    /// Returns how many of all samples have a row, and how many rows have no sample.
    pub const fn matches(&self) -> Matches {
        self.matches
    }

    /// Returns them, if a sample has any: where ids are written otherwise, none has, and all cells would be missing.
    ///
    /// # Errors
    /// [`GenotypeFault::NoneJoined`].
    pub fn of_some_sample(self) -> Result<Self, GenotypeError> {
        if self.matches.are_none() { Err(none_joined()) } else { Ok(self) }
    }
}

/// Returns what is said of a table of which no row is of a sample.
pub const fn none_joined() -> GenotypeError {
    failed(GenotypeFault::NoneJoined)
}

/// The state after the header was read.
struct Join<'a> {
    family: Option<usize>,
    id: usize,
    /// Fields of the columns that the plan may use.
    fields: Vec<usize>,
    index: HashMap<(&'a str, &'a str), usize>,
    found: Phenotypes,
    /// Whether each sample has a row.
    seen: Vec<bool>,
    /// Rows so far, including omitted ones.
    rows: usize,
    /// The first row that is the second of its person.
    doubled: Option<usize>,
}

impl<'a> PhenotypeReader<'a> {
    /// Creates a reader that keeps the columns that a plan uses, of these samples.
    pub fn new(samples: &'a Samples, wanted: Wanted, encoding: Encoding) -> Self {
        Self { samples, wanted, encoding, kept: samples.len(), state: State::Head(Vec::new()), join: None }
    }

    /// Has only so many first samples keep their cells, for display. All rows are joined and counted.
    #[must_use]
    pub fn keeping_first(mut self, count: usize) -> Self {
        self.kept = count;
        self
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// [`GenotypeError`] for the first malformed line, for a person with two rows, and for a header that does not identify the
    /// samples.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), GenotypeError> {
        if let State::Head(head) = &mut self.state {
            head.extend_from_slice(bytes);
            return self.begin(false);
        }
        self.body(bytes)
    }

    /// Ends the table.
    ///
    /// # Errors
    /// As [`Self::feed`].
    pub fn finish(mut self) -> Result<Phenotypes, GenotypeError> {
        if matches!(self.state, State::Head(_)) {
            self.begin(true)?;
        }
        let Some(mut join) = self.join else { return Err(failed(GenotypeFault::NoIds)) };
        match self.state {
            State::Head(_) => {}
            State::Csv(header, mut parser) => {
                let read = parser.finish(|record| join.add(|field| record.field(field)));
                settle(&join, read, &header)?;
            }
            State::Spaces { lines, fields } => {
                let encoding = self.encoding;
                lines.finish(|number, line| spaced(&mut join, encoding, fields, number, line))?;
            }
        }
        Ok(join.end())
    }

    /// Reads the header, once it is complete, and the bytes after it.
    fn begin(&mut self, at_end: bool) -> Result<(), GenotypeError> {
        let State::Head(head) = &mut self.state else { return Ok(()) };
        let rules = HeaderRules { encoding: self.encoding, ..HeaderRules::default() };
        let read = read_header(head, at_end, rules).map_err(|error| failed(GenotypeFault::Header(error)))?;
        let HeaderRead::Header(mut header) = read else { return Ok(()) };
        let head = std::mem::take(head);
        let spaces = header.names.len() == 1;
        if spaces {
            header.names = header.names[0].split_ascii_whitespace().map(str::to_owned).collect();
        }
        // PLINK 2 marks a header with `#`.
        if let Some(name) = header.names.first_mut()
            && let Some(unmarked) = name.strip_prefix('#')
        {
            *name = unmarked.to_owned();
        }
        self.join = Some(Join::new(self.samples, &self.wanted, self.kept, &header.names)?);
        let body = usize::try_from(header.body_offset).unwrap_or(usize::MAX);
        self.state = if spaces {
            let lines = Lines::after(SourceFile::Phenotypes, header.lines);
            State::Spaces { lines, fields: header.names.len() }
        } else {
            let rules = CsvRules {
                delimiter: header.delimiter,
                numbers: NumberFormat::default(),
                by_field: Vec::new(),
                encoding: header.encoding(self.encoding),
                na: Vec::new(),
            };
            let parser = Parser::new(header.names.len(), &rules, header.body_offset, u64::MAX);
            State::Csv(header, Box::new(parser))
        };
        self.body(head.get(body..).unwrap_or_default())
    }

    fn body(&mut self, bytes: &[u8]) -> Result<(), GenotypeError> {
        let Some(join) = &mut self.join else { return Ok(()) };
        let encoding = self.encoding;
        match &mut self.state {
            State::Head(_) => Ok(()),
            State::Csv(header, parser) => {
                let read = parser.feed(bytes, |record| join.add(|field| record.field(field)));
                settle(join, read.map(|_| ()), header)
            }
            State::Spaces { lines, fields } => {
                lines.feed(bytes, |number, line| spaced(join, encoding, *fields, number, line))
            }
        }
    }
}

const fn failed(fault: GenotypeFault) -> GenotypeError {
    GenotypeError::of(SourceFile::Phenotypes, fault)
}

/// Returns the first error of a CSV: a second row of a person precedes a malformed record.
fn settle(join: &Join<'_>, read: Result<(), CsvError>, header: &Header) -> Result<(), GenotypeError> {
    join.check().map_err(failed)?;
    read.map_err(|error| failed(GenotypeFault::Record(error.located(header.lines, &header.names))))
}

/// Reads a line of fields separated by white space.
fn spaced(
    join: &mut Join<'_>,
    encoding: Encoding,
    expected: usize,
    number: u64,
    line: &[u8],
) -> Result<(), GenotypeError> {
    let failed = |fault| GenotypeError::at(SourceFile::Phenotypes, number, fault);
    let line = text(line, encoding).ok_or_else(|| failed(GenotypeFault::NotText))?;
    let Some(fields) = super::samples::fields(&line, expected).map_err(failed)? else { return Ok(()) };
    join.add(|field| fields.get(field).copied().unwrap_or_default());
    join.check().map_err(failed)
}

impl<'a> Join<'a> {
    fn new(
        samples: &'a Samples,
        wanted: &Wanted,
        kept: usize,
        names: &[String],
    ) -> Result<Self, GenotypeError> {
        let all = |wanted: &str| -> Vec<usize> {
            names.iter().enumerate().filter(|(_, name)| *name == wanted).map(|(field, _)| field).collect()
        };
        let (id, family) = match (all("IID").as_slice(), all("FID").as_slice()) {
            ([id], []) => (*id, None),
            ([id], [family]) => (*id, Some(*family)),
            _ => return Err(failed(GenotypeFault::NoIds)),
        };
        // Families are ignored if the samples have none.
        let family = family.filter(|_| samples.have_family());
        let index = samples.index(family.is_some()).map_err(failed)?;
        let used = |name: &&String| !["FID", "IID"].contains(&name.as_str()) && wanted.fits(name);
        let (fields, used): (Vec<usize>, Vec<String>) = names
            .iter()
            .enumerate()
            .filter(|(_, name)| used(name))
            .map(|(field, name)| (field, name.clone()))
            .unzip();
        let cells = Cells::new(used.len());
        let rows = vec![None; samples.len().min(kept)];
        let found = Phenotypes { names: used, cells, rows, matches: Matches::default() };
        let seen = vec![false; samples.len()];
        Ok(Self { family, id, fields, index, found, seen, rows: 0, doubled: None })
    }

    /// Returns the phenotypes with the counts of all rows. A person with two rows was refused before.
    fn end(self) -> Phenotypes {
        let Self { mut found, seen, rows, .. } = self;
        let matched = seen.iter().filter(|seen| **seen).count();
        found.matches = Matches { samples: seen.len(), matched, rows_alone: rows.saturating_sub(matched) };
        found
    }

    /// Joins one row. A row without an id, or of a person without genotypes, is omitted.
    fn add<'b>(&mut self, field: impl Fn(usize) -> &'b str) {
        self.rows += 1;
        let family = self.family.map_or("", |place| field(place).trim());
        let Some(&sample) = self.index.get(&(family, field(self.id).trim())) else { return };
        match self.seen.get_mut(sample) {
            Some(seen @ false) => *seen = true,
            _ => {
                self.doubled.get_or_insert(self.rows);
                return;
            }
        }
        if let Some(row) = self.found.rows.get_mut(sample) {
            *row = Some(self.found.cells.len());
            self.fields.iter().for_each(|&place| self.found.cells.push(field(place)));
        }
    }

    fn check(&self) -> Result<(), GenotypeFault> {
        self.doubled.map_or(Ok(()), |row| Err(GenotypeFault::DoubledPerson { row }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, kept: usize) -> Result<Phenotypes, GenotypeError> {
        let samples = Samples::named(["a", "b", "c", "d", "e"].into_iter().map(Into::into)).unwrap();
        let mut reader = PhenotypeReader::new(&samples, Wanted::all(), Encoding::Utf8).keeping_first(kept);
        for piece in text.as_bytes().chunks(7) {
            reader.feed(piece)?;
        }
        reader.finish()
    }

    #[test]
    fn all_samples_and_rows_are_counted_and_the_first_keep_their_cells() {
        for text in ["IID,bmi\ne,5\nx,9\nb,2\nB,7\n", "IID bmi\ne 5\nx 9\nb 2\nB 7\n"] {
            for kept in [2, 5, 9] {
                let found = read(text, kept).unwrap();
                assert_eq!(found.matches(), Matches { samples: 5, matched: 2, rows_alone: 2 });
                assert_eq!(found.rows.len(), kept.min(5));
                assert_eq!(found.cells.len(), if kept == 2 { 1 } else { 2 });
                assert_eq!(found.cells.get(found.rows[1].unwrap(), 0), "2");
            }
        }
    }

    #[test]
    fn a_person_with_two_rows_is_refused_also_where_no_cell_is_kept() {
        let error = read("IID,bmi\ne,5\na,1\ne,6\n", 1).unwrap_err();
        assert_eq!(error.fault, GenotypeFault::DoubledPerson { row: 3 });
    }

    #[test]
    fn few_is_fewer_than_half() {
        let few = |matched, samples| Matches { samples, matched, rows_alone: 0 }.are_few();
        assert_eq!(
            [few(0, 1), few(1, 1), few(1, 2), few(1, 3), few(2, 3)],
            [true, false, false, true, false]
        );
        assert_eq!([few(999, 2000), few(1000, 2000), few(1000, 2001)], [true, false, true]);
        let none = read("IID,bmi\nA,5\n", 8).unwrap();
        assert!(none.matches().are_few() && none.matches().are_none());
        assert_eq!(none.of_some_sample().unwrap_err(), none_joined());
    }
}
