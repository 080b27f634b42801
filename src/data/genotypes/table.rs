//! A table made from genotype files: a record for each sample, as in a CSV.

use std::ops::Range;

use super::calls::{Calls, check_memory};
use super::cells::Cells;
use super::error::{GenotypeError, SourceFile};
use super::part::SamplePart;
use super::phenotypes::{Matches, Phenotypes};
use super::samples::Samples;
use crate::data::moments::MomentsError;
use crate::data::number;
use crate::data::sink::{Merge, RowSink};
use crate::data::slices::{RecordReader, Scan};
use crate::model::Role;
use crate::plan::bound::{BoundCondition, BoundPlan, Kind, Source};
use crate::plan::expression::Leaf;
use crate::plan::number_format::NumberFormat;

/// The text of a missing cell if the plan lists none.
const MISSING: &str = "NA";

/// Samples that are read at a time.
const PIECE: usize = 4096;

/// PLINK's code for a missing phenotype.
const MISSING_PHENOTYPE: f64 = -9.0;

/// A table of genotypes: the columns of the samples' file, then those of the phenotypes, then the variants that the plan uses. As
/// private as the source.
#[derive(Debug)]
pub struct GenotypeTable {
    file: SourceFile,
    names: Vec<String>,
    samples: Samples,
    phenotypes: Option<Phenotypes>,
    /// Column of the first variant.
    first: usize,
    /// The calls of each variant, once they are read.
    calls: Vec<Option<Calls>>,
}

impl GenotypeTable {
    /// Creates a table of these samples, phenotypes and `variants` from `file`. The calls are added later.
    pub fn new(
        file: SourceFile,
        samples: Samples,
        phenotypes: Option<Phenotypes>,
        variants: Vec<String>,
    ) -> Self {
        let mut names: Vec<String> = samples.names().iter().map(|&name| name.to_owned()).collect();
        names.extend(phenotypes.iter().flat_map(|phenotypes| phenotypes.names.iter().cloned()));
        let first = names.len();
        let calls = variants.iter().map(|_| None).collect();
        names.extend(variants);
        Self { file, names, samples, phenotypes, first, calls }
    }

    /// Returns the columns' names, to which a plan is bound.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the samples. Their number is private, unless the plan states it.
    pub fn samples(&self) -> &Samples {
        &self.samples
    }

    /// Returns how many columns the samples' file has. Those of the phenotypes follow.
    pub fn own_columns(&self) -> usize {
        self.samples.names().len()
    }

    /// Returns how samples and phenotypes belong together, if there are phenotypes.
    pub fn matches(&self) -> Option<Matches> {
        self.phenotypes.as_ref().map(Phenotypes::matches)
    }

    /// Returns the variants that a bound plan reads, counted from 0 among those of the table. [`Self::scan`] needs their calls.
    ///
    /// # Errors
    /// [`GenotypeError`] if they would take too much memory.
    pub fn needed(&self, plan: &BoundPlan) -> Result<Vec<usize>, GenotypeError> {
        let fields = plan.columns.iter().flat_map(|column| column.source.fields());
        let person = plan.person.iter().map(|person| person.field);
        let only = plan.only.iter().flat_map(BoundCondition::fields);
        let mut needed: Vec<usize> =
            fields.chain(person).chain(only).filter_map(|field| field.checked_sub(self.first)).collect();
        needed.sort_unstable();
        needed.dedup();
        check_memory(needed.len(), self.samples.len())
            .map_err(|fault| GenotypeError::of(self.file, fault))?;
        Ok(needed)
    }

    /// Returns how many bytes the calls have that were read.
    pub fn bytes(&self) -> usize {
        self.calls.iter().flatten().map(|calls| calls.of(0..self.samples.len()).len()).sum()
    }

    /// Adds the calls of one variant.
    pub fn put(&mut self, variant: usize, calls: Calls) {
        if let Some(place) = self.calls.get_mut(variant) {
            *place = Some(calls);
        }
    }

    /// Divides the samples into parts of about equal length, one for each worker. With a person column there is one part, because
    /// the order of rows matters.
    pub fn parts(&self, plan: &BoundPlan, workers: usize) -> Vec<Range<usize>> {
        let samples = self.samples.len();
        let length = if plan.person.is_some() { samples } else { samples.div_ceil(workers.max(1)) };
        pieces(0..samples, length)
    }

    /// Reads the records of some samples into a sink. The first sample is a multiple of four, as those of [`Self::parts`] are.
    pub fn scan<S: RowSink>(&self, plan: &BoundPlan, samples: Range<usize>, sink: S) -> Scan<S> {
        let mut reader = RecordReader::new(plan, sink);
        for piece in pieces(samples, PIECE) {
            self.part(plan, piece).visit(|record| reader.read(record));
        }
        reader.finish()
    }

    /// Returns the samples' parts that other workers can read, each of a few thousand samples, one at a time.
    pub fn pieces<'a>(&'a self, plan: &'a BoundPlan) -> impl Iterator<Item = SamplePart> + 'a {
        pieces(0..self.samples.len(), PIECE).into_iter().map(|piece| self.part(plan, piece))
    }

    /// Returns the records of some samples.
    fn part(&self, plan: &BoundPlan, samples: Range<usize>) -> SamplePart {
        let missing = plan.csv.na.first().map_or(MISSING, String::as_str);
        let own = self.samples.names();
        let codes: Vec<(Codes, NumberFormat)> = (0..self.first)
            .map(|field| (Codes::new(plan, own, field), plan.csv.rules_of(field).numbers))
            .collect();
        let mut cells = Cells::new(self.first);
        for sample in samples.clone() {
            for (field, (codes, numbers)) in codes.iter().enumerate() {
                let present = self.cell(sample, field).filter(|cell| !codes.missing(cell, *numbers));
                cells.push(present.unwrap_or(missing));
            }
        }
        let calls = self.calls.iter().map(|calls| calls.as_ref().map(|calls| calls.of(samples.clone())));
        SamplePart::new(cells, missing, calls)
    }

    /// Returns the cells of the samples' file and of the phenotypes for each of the first samples, for display: a missing cell is empty.
    pub fn preview(&self, numbers: NumberFormat, count: usize) -> Vec<Vec<String>> {
        let own = self.samples.names();
        let codes: Vec<Codes> = (0..self.first).map(|field| Codes::of(own, field, false)).collect();
        let cell = |sample, field| {
            let cell = self.cell(sample, field)?;
            codes.get(field).filter(|codes| !codes.missing(cell, numbers)).map(|_| cell.to_owned())
        };
        let row = |sample| (0..self.first).map(|field| cell(sample, field).unwrap_or_default()).collect();
        (0..self.samples.len().min(count)).map(row).collect()
    }

    /// Returns a cell of the samples' file or of the phenotypes, as it stands there.
    fn cell(&self, sample: usize, field: usize) -> Option<&str> {
        let Some(column) = field.checked_sub(self.samples.names().len()) else {
            return Some(self.samples.cell(sample, field));
        };
        let phenotypes = self.phenotypes.as_ref()?;
        let row = phenotypes.rows.get(sample).copied()??;
        Some(phenotypes.cells.get(row, column))
    }
}

/// Cuts samples into pieces of about this length, each of which begins at a multiple of four, as the first does.
fn pieces(samples: Range<usize>, length: usize) -> Vec<Range<usize>> {
    let length = length.max(1).next_multiple_of(4);
    samples.clone().step_by(length).map(|start| start..(start + length).min(samples.end)).collect()
}

/// Merges the scans of the parts, in their order.
///
/// # Errors
/// [`MomentsError`] for parts of different plans.
pub fn join<S: Merge>(parts: impl IntoIterator<Item = Scan<S>>) -> Result<Option<Scan<S>>, MomentsError> {
    let mut whole: Option<Scan<S>> = None;
    for part in parts {
        match &mut whole {
            None => whole = Some(part),
            Some(whole) => {
                whole.sink.append(part.sink)?;
                whole.records += part.records;
                whole.persons = part.persons;
            }
        }
    }
    Ok(whole)
}

/// The numbers of a column that mean a missing value. They depend on the plan and the cell alone. (PLINK decides from all persons'
/// values whether a phenotype is case/control; that would break privacy.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Codes {
    /// None: the column is an id.
    Id,
    /// Everything except 1 and 2.
    Sex,
    /// −9, and also 0 if the plan's outcome cannot be 0.
    Phenotype { zero: bool },
}

impl Codes {
    /// Returns the codes of a column; `own` are the names of those that the samples' file has.
    fn new(plan: &BoundPlan, own: &[&str], field: usize) -> Self {
        let outcome = plan
            .columns
            .iter()
            .find(|column| column.role == Role::Outcome && column.source.fields().contains(&field));
        let excludes_zero = |lower: f64, upper: f64| lower > 0.0 || upper < 0.0;
        let zero = outcome.is_some_and(|column| match (&column.source, &column.kind) {
            (Source::Computed(expression), _) => expression.leaves().into_iter().any(|leaf| {
                matches!(leaf, Leaf::Number { column, lower, upper, .. } if *column == field && excludes_zero(*lower, *upper))
            }),
            (Source::Merged(codes), _) => codes.other.is_none() && codes.number("0").is_none(),
            (Source::Field(_), Kind::Number { lower, upper }) => excludes_zero(*lower, *upper),
            (Source::Field(_), Kind::Category { levels, .. }) => !levels.iter().any(|level| level == "0"),
        });
        Self::of(own, field, zero)
    }

    /// Returns the codes of a column; `zero` says whether 0 means missing.
    fn of(own: &[&str], field: usize, zero: bool) -> Self {
        match own.get(field) {
            Some(&("FID" | "IID")) => Self::Id,
            Some(&"SEX") => Self::Sex,
            _ => Self::Phenotype { zero },
        }
    }

    fn missing(self, cell: &str, numbers: NumberFormat) -> bool {
        match self {
            Self::Id => false,
            Self::Sex => !["1", "2"].contains(&cell),
            Self::Phenotype { zero } => number::parse(cell, numbers)
                .is_some_and(|value| value == MISSING_PHENOTYPE || zero && value == 0.0),
        }
    }
}
