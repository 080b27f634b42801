//! Genotypes on disk: a PLINK set or a VCF, with a table of phenotypes if there is one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::bytes::{Stamp, read_all};
use super::table::TableError;
use crate::data::genotypes::{
    BedLayout, BimPlace, BimReader, BimVariants, FamReader, Form, GenotypeError, GenotypeTable, Matches,
    PhenotypeReader, Phenotypes, Samples, SourceFile, VcfReader, Wanted, join,
};
use crate::data::{RowSink, Scan};
use crate::plan::bound::{BoundPlan, Encoding};
use crate::plan::number_format::NumberFormat;

/// Genotypes whose variants and samples are known.
pub struct GenotypeFiles {
    table: GenotypeTable,
    bed: Option<Bed>,
}

/// Calls that are still in the file.
struct Bed {
    path: PathBuf,
    file: File,
    stamp: Stamp,
    layout: BedLayout,
    /// The place of each variant of the table.
    places: Vec<BimPlace>,
}

impl GenotypeFiles {
    /// Reads the samples and the variants that the plan uses; of a VCF also their calls.
    ///
    /// # Errors
    /// [`TableError`] if a file cannot be read or is malformed.
    pub fn open(
        path: &Path,
        form: Form,
        phenotypes: Option<&Path>,
        wanted: &Wanted,
        encoding: Encoding,
    ) -> Result<Self, TableError> {
        let joined = |samples: &Samples| {
            phenotypes.map(|path| read_phenotypes(path, samples, wanted.clone(), encoding)).transpose()
        };
        if form == Form::Vcf {
            let mut reader = VcfReader::new(wanted.clone());
            feed(path, SourceFile::Vcf, |bytes| reader.feed(bytes))?;
            let content = reader.finish()?;
            let phenotypes = joined(&content.samples)?;
            let mut table = GenotypeTable::new(SourceFile::Vcf, content.samples, phenotypes, content.names);
            content.calls.into_iter().enumerate().for_each(|(variant, calls)| table.put(variant, calls));
            return Ok(Self { table, bed: None });
        }
        let mut file = open(path, SourceFile::Bed)?;
        let mut samples = FamReader::new(encoding);
        feed(&path.with_extension("fam"), SourceFile::Fam, |bytes| samples.feed(bytes))?;
        let samples = samples.finish()?;
        let mut variants = BimReader::new(wanted.clone());
        feed(&path.with_extension("bim"), SourceFile::Bim, |bytes| variants.feed(bytes))?;
        let BimVariants { names, places, total, .. } = variants.finish()?;
        let mut first = Vec::new();
        file.by_ref().take(BedLayout::MARK_BYTES as u64).read_to_end(&mut first)?;
        let metadata = file.metadata()?;
        let layout = BedLayout::check(&first, metadata.len(), total, samples.len())?;
        let phenotypes = joined(&samples)?;
        let table = GenotypeTable::new(SourceFile::Bed, samples, phenotypes, names);
        let bed = Bed { path: path.to_owned(), file, stamp: Stamp::of(&metadata), layout, places };
        Ok(Self { table, bed: Some(bed) })
    }

    /// Returns the columns' names, to which a plan is bound.
    pub fn names(&self) -> &[String] {
        self.table.names()
    }

    /// Returns whether there are phenotypes and fewer than half of the samples have a row of them.
    pub fn have_few_phenotypes(&self) -> bool {
        self.table.matches().is_some_and(Matches::are_few)
    }

    /// Returns the cells of the first samples, those of variants left out, for display: a missing cell is empty.
    pub fn first_rows(&self, count: usize) -> Vec<Vec<String>> {
        self.table.preview(NumberFormat::default(), count)
    }

    /// Reads all records, as [`super::table::Table::scan`] does. Calls stay in memory, so a second scan reads no file.
    ///
    /// # Errors
    /// [`TableError`] if a file cannot be read or changes, or the plan's variants take too much memory.
    pub fn scan<S: RowSink + Send>(
        &mut self,
        plan: &BoundPlan,
        sink: impl Fn() -> S + Sync,
        workers: usize,
    ) -> Result<Scan<S>, TableError> {
        let table = &mut self.table;
        if plan.fields != table.names().len() {
            return Err(TableError::OtherHeader { bound: plan.fields, found: table.names().len() });
        }
        let needed = table.needed(plan)?;
        if let Some(mut bed) = self.bed.take() {
            for variant in needed {
                let place = bed.places.get(variant).copied().ok_or(TableError::Stopped)?;
                let bytes = bed.bytes(place)?;
                table.put(variant, bed.layout.calls(place, bytes)?);
            }
            if Stamp::of(&std::fs::metadata(&bed.path)?) != bed.stamp {
                return Err(TableError::Changed);
            }
        }
        let table = &self.table;
        let sink = &sink;
        let parts = std::thread::scope(|scope| {
            let threads: Vec<_> = table
                .parts(plan, workers)
                .into_iter()
                .map(|part| scope.spawn(move || table.scan(plan, part, sink())))
                .collect();
            let parts: Result<Vec<_>, _> = threads.into_iter().map(|thread| thread.join()).collect();
            parts.map_err(|_| TableError::Stopped)
        })?;
        join(parts).ok().flatten().ok_or(TableError::Stopped)
    }
}

impl Bed {
    /// Returns the bytes of one variant.
    fn bytes(&mut self, place: BimPlace) -> Result<Vec<u8>, TableError> {
        let range = self.layout.range(place);
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(range.start))?;
        self.file.by_ref().take(range.end - range.start).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

fn read_phenotypes(
    path: &Path,
    samples: &Samples,
    wanted: Wanted,
    encoding: Encoding,
) -> Result<Phenotypes, TableError> {
    let mut reader = PhenotypeReader::new(samples, wanted, encoding);
    feed(path, SourceFile::Phenotypes, |bytes| reader.feed(bytes))?;
    Ok(reader.finish()?.of_some_sample()?)
}

fn open(path: &Path, source: SourceFile) -> Result<File, TableError> {
    File::open(path).map_err(|error| unreadable(path, source, error))
}

fn unreadable(path: &Path, source: SourceFile, error: io::Error) -> TableError {
    TableError::File { source_file: source, path: path.to_owned(), error }
}

/// Feeds a whole file to `take`.
fn feed(
    path: &Path,
    source: SourceFile,
    mut take: impl FnMut(&[u8]) -> Result<(), GenotypeError>,
) -> Result<(), TableError> {
    let failed = |error| unreadable(path, source, error);
    read_all(&mut open(path, source)?, failed, |piece| Ok(take(piece)?))
}
