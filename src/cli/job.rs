//! Shared by `release` and `simulate`: reads plan, header and table, and hashes this program.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::args::Args;
use super::bytes::read_all;
use super::error::CliError;
use super::genotypes::GenotypeFiles;
use super::packed::Packed;
use super::public::{Comparison, PublicFile};
use super::table::{Table, TableError};
use crate::data::genotypes::{DELIMITER, Form, Wanted};
use crate::data::inspection::{Column, Counts, Inspected, Inspection};
use crate::data::{EncodedRows, FewRows, HeaderRules, Merge, RowSink, Scan, Statistic, Sums};
use crate::engine::recommend::{Recommendation, recommend};
use crate::engine::{ConfiguredPlan, EngineError, Prepared, after_bounds, check_rows, check_table};
use crate::plan::bound::BoundPlan;
use crate::plan::document::Csv;
use crate::plan::{CheckedPlan, Plan, Purpose};
use crate::release::Release;
use crate::release::document::Software;
use crate::text::hexadecimal;

/// A plan that is bound to the header of a table.
pub struct Job {
    /// The plan with everything that is public about it.
    pub prepared: Prepared,
    input: Input,
    workers: usize,
    public: Option<PublicFile>,
    comparison: Option<Comparison>,
    files: Files,
    purpose: Purpose,
    states_header: bool,
}

/// What was read of a table before its charge.
pub struct Read {
    /// The plan with everything that is public about it.
    pub prepared: Prepared,
    /// The input of the release.
    pub material: Material,
    /// The cells that do not fit, where they were counted.
    pub counts: Option<Counts>,
}

/// Where the table is.
#[derive(Clone)]
struct Files {
    table: PathBuf,
    phenotypes: Option<PathBuf>,
}

/// The fit that follows estimated bounds: its files, and the header that it is bound to.
pub struct Fit {
    again: Option<Table>,
    files: Files,
    checked: CheckedPlan,
    names: Vec<String>,
    delimiter: u8,
    workers: usize,
    purpose: Purpose,
}

/// The source that each round reads again, because its rows are too many to be kept.
pub struct Again {
    source: Option<Input>,
    workers: usize,
    records: u64,
}

/// The rows, of which each round sums a part in each of so many threads.
pub struct Kept {
    rows: EncodedRows,
    workers: usize,
}

/// The input of a release.
pub enum Material {
    /// The sums of the only round.
    Summed(Option<Sums>),
    /// The rows in memory.
    Kept(Kept),
    /// The source of the rows, which each round reads again.
    Again(Again),
}

/// The source of the records.
enum Input {
    Table(Table),
    Genotypes(Box<GenotypeFiles>),
}

impl Input {
    /// Reads what is public about the file at `path`.
    fn open(path: &Path, phenotypes: Option<&Path>, checked: &CheckedPlan) -> Result<Self, CliError> {
        match path.file_name().and_then(|name| Form::of(&name.to_string_lossy())) {
            Some(Form::Other(advice)) => {
                Err(CliError::usage(format!("{} has a format that cannot be read; {advice}", path.display())))
            }
            Some(form) => {
                let wanted = Wanted::new(&checked.plan);
                let files = GenotypeFiles::open(path, form, phenotypes, &wanted, checked.encoding)?;
                Ok(Self::Genotypes(Box::new(files)))
            }
            None if phenotypes.is_some() => Err(CliError::usage(
                "--phenotypes is for a .bed file or a VCF; leave it out, because a CSV has the outcomes in its columns",
            )),
            None => match Table::open(path, HeaderRules::of(checked)) {
                Err(TableError::Io(error)) => Err(CliError::unreadable("table", path, error)),
                opened => Ok(Self::Table(opened?)),
            },
        }
    }

    /// Returns the columns' names and the delimiter.
    fn header(&self, checked: &CheckedPlan) -> (&[String], u8) {
        match self {
            Self::Table(table) => (&table.header().names, table.header().delimiter),
            Self::Genotypes(files) => (files.names(), checked.delimiter.unwrap_or(DELIMITER)),
        }
    }

    /// Returns whether it is a stream, which can be read only once.
    fn is_stream(&self) -> bool {
        matches!(self, Self::Table(table) if table.again().is_none())
    }

    /// Reads all records. Returns the source as well, to read it again, but for a stream.
    fn scan<S: RowSink + Send>(
        self,
        plan: &BoundPlan,
        sink: impl Fn() -> S + Sync,
        workers: usize,
    ) -> Result<(Scan<S>, Option<Self>), TableError> {
        match self {
            Self::Table(table) => {
                let again = table.again().map(Self::Table);
                Ok((table.scan(plan, sink, workers)?, again))
            }
            Self::Genotypes(mut files) => {
                Ok((files.scan(plan, sink, workers)?, Some(Self::Genotypes(files))))
            }
        }
    }
}

impl Job {
    /// Reads the plan that `--plan` names and the header of the table.
    ///
    /// # Errors
    /// [`CliError`] if arguments, plan or header are invalid.
    pub fn new(args: &Args, purpose: Purpose) -> Result<Self, CliError> {
        let path = args.needed_path("plan")?;
        let [table] = args.places(["the table"])?;
        let workers = match args.value::<usize>("workers", "a number from 1 to 256")? {
            Some(workers) if (1..=256).contains(&workers) => workers,
            Some(_) => return Err(CliError::usage("--workers is out of range; give 1 to 256")),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let text =
            fs::read_to_string(&path).map_err(|error| CliError::unreadable_text("plan", &path, &error))?;
        let mut plan = Plan::parse(&text)?;
        // Of a file that cannot be read the table's own error tells more.
        if matches!(Packed::of(&table), Ok(Some(packed)) if packed.is_workbook()) {
            plan.csv = plan.csv.map(Csv::of_workbook);
        }
        let configured = ConfiguredPlan::new(plan.clone(), args.has("public"), purpose)?;
        let checked = configured.checked();
        let phenotypes = args.path("phenotypes");
        let public = args.path("public").map(|path| PublicFile::open(&path)).transpose()?;
        let input = Input::open(&table, phenotypes.as_deref(), checked)?;
        let (names, delimiter) = input.header(checked);
        let moments =
            public.as_ref().map(|file| file.table(&plan, checked, names, delimiter, workers)).transpose()?;
        let prepared = configured.prepare(moments.as_ref(), names, delimiter)?;
        let states_header = plan.csv.is_some_and(|csv| csv.header.is_some());
        let files = Files { table, phenotypes };
        Ok(Self { prepared, input, workers, public, comparison: None, files, purpose, states_header })
    }

    /// Compares the public file with the private ones. A private stream is compared while it is read, and the result is known before
    /// the charge.
    ///
    /// # Errors
    /// When they share rows, or one of them cannot be read.
    pub fn compare(mut self) -> Result<Self, CliError> {
        let Some(public) = &self.public else { return Ok(self) };
        let rules = HeaderRules::of(self.prepared.checked());
        self.input = match self.input {
            Input::Table(table) => {
                self.comparison = Comparison::new(public, rules, table.header())?;
                match &mut self.comparison {
                    Some(comparison) if table.again().is_none() => {
                        Input::Table(comparison.with_stream(table))
                    }
                    Some(comparison) => {
                        comparison.with_file(&self.files.table, table.header())?;
                        Input::Table(table)
                    }
                    None => Input::Table(table),
                }
            }
            genotypes @ Input::Genotypes(_) => {
                if let Some(path) = &self.files.phenotypes {
                    let phenotypes = Table::open(path, rules)?;
                    if let Some(comparison) = Comparison::new(public, rules, phenotypes.header())? {
                        comparison.with_file(path, phenotypes.header())?;
                    }
                }
                genotypes
            }
        };
        Ok(self)
    }

    /// Returns the fit that follows if this estimates bounds.
    ///
    /// # Errors
    /// For a stream, which cannot be read twice.
    pub fn fit(&self) -> Result<Option<Fit>, CliError> {
        if !self.prepared.estimates_bounds() {
            return Ok(None);
        }
        let again = match &self.input {
            Input::Table(table) => Some(table.again().ok_or_else(|| {
                CliError::usage(
                    "estimating bounds reads the table before the fit reads it, and a stream cannot be read again; save the stream \
                     as a file, or state the bounds",
                )
            })?),
            Input::Genotypes(_) => None,
        };
        let (names, delimiter) = self.input.header(self.prepared.checked());
        Ok(Some(Fit {
            again,
            files: self.files.clone(),
            checked: self.prepared.checked().clone(),
            names: names.to_vec(),
            delimiter,
            workers: self.workers,
            purpose: self.purpose,
        }))
    }

    /// Returns the table, where it is no genotypes.
    pub fn table(&self) -> Option<&Table> {
        if let Input::Table(table) = &self.input { Some(table) } else { None }
    }

    /// Returns the genotypes, if the table is of these.
    pub fn genotypes(&self) -> Option<&GenotypeFiles> {
        if let Input::Genotypes(files) = &self.input { Some(files) } else { None }
    }

    /// Returns the name of a field of the table.
    pub fn name_of(&self, field: usize) -> &str {
        let (names, _) = self.input.header(self.prepared.checked());
        names.get(field).map(String::as_str).unwrap_or_default()
    }

    /// Counts the cells of these columns that do not fit, in a table that can be read again; nothing of a stream, of genotypes and of a table
    /// without records.
    ///
    /// # Errors
    /// [`TableError`] if it cannot be read or is malformed.
    pub fn count(&self, columns: &[Column]) -> Result<Option<Counts>, TableError> {
        let Some(table) = self.table().and_then(Table::again) else { return Ok(None) };
        let bound = self.prepared.fit().bound();
        let scan = table.scan(bound, || Inspection::of(bound, columns.to_vec()), self.workers)?;
        Ok((scan.records > 0).then(|| scan.sink.into_counts()))
    }

    /// Returns whether the plan says which line is the header.
    pub const fn states_header(&self) -> bool {
        self.states_header
    }

    /// Returns the mechanism that is recommended for the plan.
    pub fn recommended(&self) -> Recommendation {
        let (names, delimiter) = self.input.header(self.prepared.checked());
        recommend(self.prepared.plan(), names, delimiter)
    }

    /// Reads the table for a release: what it needs, or, where rows are too many to be kept, whether it is well formed. The cells of the
    /// `columns` that do not fit are counted beside, if there are any.
    ///
    /// # Errors
    /// As [`Self::scan`], and for a table that is to be read again and cannot be.
    pub fn read(self, columns: Option<&[Column]>) -> Result<Read, CliError> {
        let counting = |prepared: &Prepared| {
            columns.map(|columns| Inspection::of(prepared.fit().bound(), columns.to_vec()))
        };
        let counts = |inspection: Option<Inspection>| inspection.map(Inspection::into_counts);
        if !self.prepared.repeats() {
            let both =
                |prepared: &Prepared| Inspected { rows: prepared.sums(), inspection: counting(prepared) };
            let (prepared, scan) = self.scan(both)?;
            let Inspected { rows, inspection } = scan.sink;
            return Ok(Read { prepared, material: Material::Summed(Some(rows)), counts: counts(inspection) });
        }
        let Self { prepared, input, workers, mut comparison, .. } = self;
        let publicly_many = prepared.rereads();
        let most = if publicly_many { 0 } else { prepared.most_rows() };
        let few =
            || Inspected { rows: FewRows::new(prepared.row_width(), most), inspection: counting(&prepared) };
        if publicly_many && input.is_stream() {
            return Err(read_once());
        }
        let (scan, source) = input.scan(prepared.bound(), few, workers)?;
        check(&prepared, comparison.as_mut(), &scan)?;
        let Inspected { rows, inspection } = scan.sink;
        let material = match rows.into_rows() {
            Some(rows) => Material::Kept(Kept { rows, workers }),
            None if source.is_none() => return Err(read_once()),
            None => Material::Again(Again { source, workers, records: scan.records }),
        };
        Ok(Read { prepared, material, counts: counts(inspection) })
    }

    /// Reads the table into a sink and compares its length where that is public.
    ///
    /// # Errors
    /// When the table cannot be read, is not well formed or is not the plan's.
    pub fn scan<S: RowSink + Send>(
        mut self,
        sink: impl Fn(&Prepared) -> S + Sync,
    ) -> Result<(Prepared, Scan<S>), CliError> {
        let empty = || sink(&self.prepared);
        let (scan, _) = self.input.scan(self.prepared.bound(), empty, self.workers)?;
        check(&self.prepared, self.comparison.as_mut(), &scan)?;
        Ok((self.prepared, scan))
    }
}

impl Fit {
    /// Returns the job with the bounds that `stage` has found, as `release` says.
    ///
    /// # Errors
    /// [`EngineError::NotFound`] where a column has none, and when the table cannot be read again.
    pub fn job(&self, stage: &Prepared, release: &Release) -> Result<Job, CliError> {
        let prepared = after_bounds(stage, release, &self.names, self.delimiter, self.purpose)?;
        let input = match self.again.as_ref().and_then(Table::again) {
            Some(table) => Input::Table(table),
            None => Input::open(&self.files.table, self.files.phenotypes.as_deref(), &self.checked)?,
        };
        let (files, purpose) = (self.files.clone(), self.purpose);
        Ok(Job {
            prepared,
            input,
            workers: self.workers,
            public: None,
            comparison: None,
            files,
            purpose,
            states_header: true,
        })
    }
}

/// Returns the error for a stream that would have to be read again.
fn read_once() -> CliError {
    CliError::usage(
        "the rows are too many to keep in memory, so each iteration reads the table again, and a stream cannot be read \
         again; save the stream as a file, or choose fewer columns",
    )
}

/// Checks that a stream that was read shares no rows with the public file, and that the table has rows and the plan's length where that is public.
fn check<S>(
    prepared: &Prepared,
    comparison: Option<&mut Comparison>,
    scan: &Scan<S>,
) -> Result<(), CliError> {
    comparison.map_or(Ok(()), Comparison::finish)?;
    check_rows(scan.records)?;
    Ok(check_table(prepared, scan.records, scan.persons)?)
}

impl Material {
    /// Sums all rows of the table for one round.
    ///
    /// # Errors
    /// With a constant text, for it comes after the charge: when the table cannot be read again or is not the same any more.
    pub fn sums(&mut self, prepared: &Prepared, statistic: &Statistic) -> Result<Sums, EngineError> {
        match self {
            Self::Summed(sums) => sums.take().ok_or(EngineError::Reread),
            Self::Kept(kept) => kept.sums(statistic),
            Self::Again(again) => again.sums(prepared, statistic),
        }
    }
}

impl Kept {
    fn sums(&self, statistic: &Statistic) -> Result<Sums, EngineError> {
        let Self { rows, workers } = self;
        let length = rows.len().div_ceil(*workers).max(1);
        let part = |start| statistic.of_part(rows, start..(start + length).min(rows.len()));
        let later: Result<Vec<_>, _> = std::thread::scope(|scope| {
            let starts = (0..rows.len()).step_by(length);
            let threads: Vec<_> = starts.map(|start| scope.spawn(move || part(start))).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        let mut whole = statistic.empty();
        for part in later.map_err(|_| EngineError::Reread)? {
            whole.append(part).map_err(|_| EngineError::Reread)?;
        }
        Ok(whole)
    }
}

impl Again {
    fn sums(&mut self, prepared: &Prepared, statistic: &Statistic) -> Result<Sums, EngineError> {
        let Self { source, workers, records } = self;
        let read = source
            .take()
            .and_then(|source| source.scan(prepared.bound(), || statistic.empty(), *workers).ok());
        let (scan, again) = read.filter(|(scan, _)| scan.records == *records).ok_or(EngineError::Reread)?;
        *source = again;
        Ok(scan.sink)
    }
}

/// Returns name, version and the SHA-256 of this program.
///
/// # Errors
/// When the file cannot be read.
pub fn software() -> Result<Software, CliError> {
    let failed = |error: io::Error| CliError::failed(format!("this program cannot read itself: {error}"));
    let mut file = std::env::current_exe().and_then(File::open).map_err(failed)?;
    let mut hash = Sha256::new();
    read_all(&mut file, failed, |piece| {
        hash.update(piece);
        Ok(())
    })?;
    Ok(Software::new(hexadecimal(&hash.finalize())))
}
