//! Reads genotypes in the engine worker: samples, variants and records. Of a .bed file only the variants that a plan uses are read,
//! so memory is that of their calls.

use js_sys::Uint8Array;
use web_sys::Blob;
use zeroize::Zeroizing;

use super::files::Files;
use super::protocol::{CHUNK, Failure, Look, Looked, Reason, ScanRequest};
use super::read::{Piece, Pieces, length, whole};
use super::scan_pool::Scanner;
use crate::data::genotypes::{
    BedLayout, BimPlace, BimReader, BimVariants, Calls, FamReader, GenotypeError, GenotypeFault,
    GenotypeTable, PhenotypeReader, Phenotypes, Samples, SourceFile, VcfReader, Wanted, join,
};
use crate::data::{FileRole, RowSink, Scan};
use crate::engine::Prepared;
use crate::plan::bound::Encoding;

/// The number of samples that the page shows.
const SHOWN: usize = 8;

/// The largest gap between two variants of a .bed file, in bytes, that is read instead of skipped.
const GAP: u64 = 64 << 10;

/// The most bytes of calls that the scanning workers get beside those in the engine worker.
const MOST_SHARED: usize = 1 << 28;

/// The number of samples between two messages of progress.
const PART: usize = 4096;

/// Genotypes whose samples and variants are known.
pub struct Genotypes {
    table: GenotypeTable,
    bed: Option<Bed>,
}

/// Calls that are still in the file.
struct Bed {
    file: Blob,
    layout: BedLayout,
    /// The place of each variant of the table.
    places: Vec<BimPlace>,
}

/// Returns whether the files are genotypes.
pub fn are(files: &Files) -> bool {
    files.get(FileRole::Table).is_none()
}

/// Returns the samples, for their MinHash. Names may have any bytes.
pub async fn people(files: &Files) -> Result<Samples, Failure> {
    if let Some(vcf) = files.get(FileRole::Vcf) {
        return header(vcf).await;
    }
    let fam = needed(files, FileRole::Fam)?;
    match samples(fam, Encoding::Utf8, &mut |_| ()).await? {
        Err(GenotypeError { fault: GenotypeFault::NotText, .. }) => {
            samples(fam, Encoding::Latin1, &mut |_| ()).await?.map_err(wrong)
        }
        samples => samples.map_err(wrong),
    }
}

/// Reads what the page shows of genotypes before they are described: their first samples, and the names of the variants that were
/// chosen.
pub async fn look(request: &Look, files: &Files, read: &mut impl FnMut(u64)) -> Result<Looked, Failure> {
    let wanted = Wanted::of(&request.variants);
    let encoding = request.encoding;
    let (file, samples, variants, shared, total) = if let Some(vcf) = files.get(FileRole::Vcf) {
        if request.variants.is_empty() {
            (SourceFile::Vcf, header(vcf).await?, Vec::new(), Vec::new(), None)
        } else {
            let mut reader = VcfReader::sites(wanted);
            feed(vcf, read, |bytes| reader.feed(bytes)).await?.map_err(wrong)?;
            let content = reader.finish().map_err(wrong)?;
            (SourceFile::Vcf, content.samples, content.names, content.shared, Some(content.total))
        }
    } else {
        let (samples, BimVariants { names, shared, total, .. }, _) =
            set(files, wanted, encoding, read).await?;
        (SourceFile::Bed, samples, names, shared, Some(total))
    };
    let phenotypes = match files.get(FileRole::Phenotypes) {
        Some(file) => {
            // All samples are joined, so that those with a row can be counted.
            let reader = PhenotypeReader::new(&samples, Wanted::all(), encoding).keeping_first(SHOWN);
            Some(joined_by(reader, file, read).await?)
        }
        None => None,
    };
    let table = GenotypeTable::new(file, samples.first(SHOWN), phenotypes, Vec::new());
    let rows = table.preview(request.numbers, SHOWN);
    let (own, matches) = (table.own_columns(), table.matches());
    Ok(Looked { names: table.names().to_vec(), rows, variants, total, shared, own, matches })
}

impl Genotypes {
    /// Reads the samples and the variants that a plan uses; of a VCF also their calls.
    pub async fn open(
        files: &Files,
        wanted: &Wanted,
        encoding: Encoding,
        read: &mut impl FnMut(u64),
    ) -> Result<Self, Failure> {
        if let Some(vcf) = files.get(FileRole::Vcf) {
            let mut reader = VcfReader::new(wanted.clone());
            feed(vcf, read, |bytes| reader.feed(bytes)).await?.map_err(wrong)?;
            let content = reader.finish().map_err(wrong)?;
            let phenotypes = joined(files, &content.samples, wanted, encoding, read).await?;
            let mut table = GenotypeTable::new(SourceFile::Vcf, content.samples, phenotypes, content.names);
            content.calls.into_iter().enumerate().for_each(|(variant, calls)| table.put(variant, calls));
            return Ok(Self { table, bed: None });
        }
        let (samples, BimVariants { names, places, .. }, layout) =
            set(files, wanted.clone(), encoding, read).await?;
        let phenotypes = joined(files, &samples, wanted, encoding, read).await?;
        let table = GenotypeTable::new(SourceFile::Bed, samples, phenotypes, names);
        let bed = Bed { file: needed(files, FileRole::Bed)?.clone(), layout, places };
        Ok(Self { table, bed: Some(bed) })
    }

    /// Returns the columns' names, to which a plan is bound.
    pub fn names(&self) -> &[String] {
        self.table.names()
    }

    /// Reads the calls that a plan uses, unless they are in memory.
    pub async fn load(&mut self, prepared: &Prepared, read: &mut impl FnMut(u64)) -> Result<(), Failure> {
        let needed = self.table.needed(prepared.bound()).map_err(wrong)?;
        match self.bed.take() {
            Some(bed) => bed.read(&needed, &mut self.table, read).await,
            None => Ok(()),
        }
    }

    /// Gives the records to the scanning workers, in turns, if that spares time and there is memory for it. With a person column the
    /// order of rows matters, so they stay here. Returns the number of records if they were given.
    pub fn share(&self, prepared: &Prepared, scanners: &[Scanner]) -> Result<Option<u64>, Failure> {
        let plan = prepared.bound();
        if scanners.len() < 2 || plan.person.is_some() || self.table.bytes() > MOST_SHARED {
            return Ok(None);
        }
        for (mut part, scanner) in self.table.pieces(plan).zip(scanners.iter().cycle()) {
            let calls = Zeroizing::new(part.take_calls());
            scanner.ask_with(&ScanRequest::Keep { part: Box::new(part) }, &calls)?;
        }
        Ok(Some(self.table.samples().len() as u64))
    }

    /// Reads all records, each part into its own sink. For the progress this counts as `weight` bytes.
    pub fn scan<S: RowSink>(
        &self,
        prepared: &Prepared,
        sink: impl Fn() -> S,
        weight: u64,
        read: &mut impl FnMut(u64),
    ) -> Result<Scan<S>, Failure> {
        let (plan, table) = (prepared.bound(), &self.table);
        let parts = table.parts(plan, table.samples().len().div_ceil(PART));
        let share = weight.checked_div(parts.len() as u64).unwrap_or_default();
        let scans = parts.into_iter().map(|part| {
            let scan = table.scan(plan, part, sink());
            read(share);
            scan
        });
        join(scans).ok().flatten().ok_or_else(Failure::protocol)
    }
}

impl Bed {
    /// Reads the calls of some variants in ascending order. Variants that are close together are read at once.
    async fn read(
        &self,
        variants: &[usize],
        table: &mut GenotypeTable,
        read: &mut impl FnMut(u64),
    ) -> Result<(), Failure> {
        let mut rest = variants;
        while let Some(&first) = rest.first() {
            let (from, mut to) = self.range(first)?;
            let mut count = 0;
            for &variant in rest {
                let (start, end) = self.range(variant)?;
                if count > 0 && (start > to.saturating_add(GAP) || end - from > CHUNK) {
                    break;
                }
                to = end;
                count += 1;
            }
            let buffer = whole(&self.file, from, to).await?;
            let bytes = Uint8Array::new(&buffer);
            let (now, later) = rest.split_at(count);
            for &variant in now {
                let (start, end) = self.range(variant)?;
                let at = |offset: u64| u32::try_from(offset - from).map_err(|_| Failure::protocol());
                let calls = self.calls(variant, bytes.subarray(at(start)?, at(end)?).to_vec())?;
                table.put(variant, calls);
            }
            read(to - from);
            rest = later;
        }
        Ok(())
    }

    fn range(&self, variant: usize) -> Result<(u64, u64), Failure> {
        let range = self.layout.range(self.place(variant)?);
        Ok((range.start, range.end))
    }

    fn place(&self, variant: usize) -> Result<BimPlace, Failure> {
        self.places.get(variant).copied().ok_or_else(Failure::protocol)
    }

    fn calls(&self, variant: usize, bytes: Vec<u8>) -> Result<Calls, Failure> {
        self.layout.calls(self.place(variant)?, bytes).map_err(wrong)
    }
}

/// Returns the samples and the variants of a PLINK set, whose three files fit together.
async fn set(
    files: &Files,
    wanted: Wanted,
    encoding: Encoding,
    read: &mut impl FnMut(u64),
) -> Result<(Samples, BimVariants, BedLayout), Failure> {
    let samples = samples(needed(files, FileRole::Fam)?, encoding, read).await?.map_err(wrong)?;
    let mut variants = BimReader::new(wanted);
    feed(needed(files, FileRole::Bim)?, read, |bytes| variants.feed(bytes)).await?.map_err(wrong)?;
    let variants = variants.finish().map_err(wrong)?;
    let bed = needed(files, FileRole::Bed)?;
    let marked = length(bed).min(BedLayout::MARK_BYTES as u64);
    let buffer = whole(bed, 0, marked).await?;
    let first = Uint8Array::new(&buffer).to_vec();
    let layout = BedLayout::check(&first, length(bed), variants.total, samples.len()).map_err(wrong)?;
    Ok((samples, variants, layout))
}

async fn samples(
    file: &Blob,
    encoding: Encoding,
    read: &mut impl FnMut(u64),
) -> Result<Result<Samples, GenotypeError>, Failure> {
    let mut reader = FamReader::new(encoding);
    let fed = feed(file, read, |bytes| reader.feed(bytes)).await?;
    Ok(fed.and_then(|()| reader.finish()))
}

/// Returns the samples of a VCF, without its records.
async fn header(file: &Blob) -> Result<Samples, Failure> {
    let mut reader = VcfReader::sites(Wanted::default());
    let mut pieces = Pieces::new(file, 0, CHUNK)?;
    while let Some(Piece { bytes, .. }) = pieces.next().await? {
        reader.feed(bytes).map_err(wrong)?;
        if let Some(samples) = reader.take_samples() {
            return Ok(samples);
        }
    }
    // A short compressed file may be decompressed only at its end.
    reader.finish().map(|content| content.samples).map_err(wrong)
}

async fn joined(
    files: &Files,
    samples: &Samples,
    wanted: &Wanted,
    encoding: Encoding,
    read: &mut impl FnMut(u64),
) -> Result<Option<Phenotypes>, Failure> {
    match files.get(FileRole::Phenotypes) {
        Some(file) => {
            let reader = PhenotypeReader::new(samples, wanted.clone(), encoding);
            let found = joined_by(reader, file, read).await?;
            found.of_some_sample().map_err(wrong).map(Some)
        }
        None => Ok(None),
    }
}

/// Reads a whole table of phenotypes.
async fn joined_by(
    mut reader: PhenotypeReader<'_>,
    file: &Blob,
    read: &mut impl FnMut(u64),
) -> Result<Phenotypes, Failure> {
    feed(file, read, |bytes| reader.feed(bytes)).await?.map_err(wrong)?;
    reader.finish().map_err(wrong)
}

/// Feeds a whole file to `take`.
async fn feed(
    file: &Blob,
    read: &mut impl FnMut(u64),
    mut take: impl FnMut(&[u8]) -> Result<(), GenotypeError>,
) -> Result<Result<(), GenotypeError>, Failure> {
    let mut pieces = Pieces::new(file, 0, u64::MAX)?;
    while let Some(Piece { bytes, .. }) = pieces.next().await? {
        let (fed, count) = (take(bytes), bytes.len() as u64);
        if fed.is_err() {
            return Ok(fed);
        }
        read(count);
    }
    Ok(Ok(()))
}

fn needed(files: &Files, role: FileRole) -> Result<&Blob, Failure> {
    files.get(role).ok_or_else(Failure::protocol)
}

fn wrong(error: GenotypeError) -> Failure {
    Failure::new(Reason::Table, error.to_string())
}
