//! Reads hard calls from the Variant Call Format 4 (samtools.github.io/hts-specs).
//!
//! The crate noodles-vcf 0.96 pulls from its own reader and depends on 20 crates, among them a pool of threads. Here the caller
//! feeds the bytes, and little of the format is needed: five columns of each record, and the GT of each sample in the records that
//! the plan uses. The crate flate2 decompresses.

use super::calls::{Call, Calls, check_memory};
use super::error::{GenotypeError, GenotypeFault, SourceFile};
use super::lines::Lines;
use super::samples::{Samples, text};
use super::unpack::Unpack;
use super::variants::{Candidates, Shared, Site, Wanted};
use crate::plan::bound::Encoding;

/// Columns before the first sample.
const FIXED: [&str; 9] = ["#CHROM", "POS", "ID", "REF", "ALT", "QUAL", "FILTER", "INFO", "FORMAT"];

/// A push parser for a VCF, plain or compressed with gzip or bgzip. It keeps the calls of the variants that a plan uses. An allele
/// is counted against all other alleles of its site.
pub struct VcfReader {
    unpack: Unpack,
    lines: Lines,
    body: Body,
}

/// The content of a VCF that a plan uses.
#[derive(Debug)]
pub struct VcfContent {
    /// Its samples.
    pub samples: Samples,
    /// The names of the variants' columns, in the file's order.
    pub names: Vec<String>,
    /// The patterns that fit no column, because several alleles have the identifier.
    pub shared: Vec<Shared>,
    /// The calls of each variant; empty if only sites were read.
    pub calls: Vec<Calls>,
    /// The number of sites in the file.
    pub total: u64,
}

struct Body {
    candidates: Candidates,
    samples: Option<Samples>,
    /// The calls of each candidate, unless only sites are read.
    calls: Option<Vec<Calls>>,
    sites: u64,
}

impl VcfReader {
    /// Creates a reader that keeps the variants that a plan uses.
    pub fn new(wanted: Wanted) -> Self {
        Self::of(wanted, Some(Vec::new()))
    }

    /// Creates a reader of samples and variants that does not read calls.
    pub fn sites(wanted: Wanted) -> Self {
        Self::of(wanted, None)
    }

    fn of(wanted: Wanted, calls: Option<Vec<Calls>>) -> Self {
        let candidates = Candidates::new(SourceFile::Vcf, wanted);
        let body = Body { candidates, samples: None, calls, sites: 0 };
        Self { unpack: Unpack::new(), lines: Lines::after(SourceFile::Vcf, 0), body }
    }

    /// Returns the samples, once the header is read. The reader cannot continue after that.
    pub fn take_samples(&mut self) -> Option<Samples> {
        self.body.samples.take()
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// [`GenotypeError`] for the first malformed line, for damaged compressed bytes, and if the plan's variants take too much
    /// memory.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), GenotypeError> {
        let Self { unpack, lines, body } = self;
        unpack.feed(bytes, |piece| lines.feed(piece, |number, line| body.line(number, line)))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`GenotypeError`] as for [`Self::feed`], for a file that is cut off or has no header, and if the plan names an identifier
    /// that several alleles have.
    pub fn finish(self) -> Result<VcfContent, GenotypeError> {
        let Self { unpack, mut lines, mut body } = self;
        unpack.finish(|piece| lines.feed(piece, |number, line| body.line(number, line)))?;
        lines.finish(|number, line| body.line(number, line))?;
        let Body { candidates, samples, calls, sites: total } = body;
        let samples = samples.ok_or(GenotypeError::of(SourceFile::Vcf, GenotypeFault::VcfHeader))?;
        let (found, shared) = candidates.names()?;
        let found = found.into_iter();
        let (names, calls) = match calls {
            Some(calls) => found.zip(calls).filter_map(|(name, calls)| Some((name?, calls))).unzip(),
            None => (found.flatten().collect(), Vec::new()),
        };
        Ok(VcfContent { samples, names, shared, calls, total })
    }
}

const fn at(line: u64, fault: GenotypeFault) -> GenotypeError {
    GenotypeError::at(SourceFile::Vcf, line, fault)
}

impl Body {
    fn line(&mut self, number: u64, line: &[u8]) -> Result<(), GenotypeError> {
        if number == 1 && !line.starts_with(b"##fileformat=VCF") {
            return Err(at(number, GenotypeFault::VcfMark));
        }
        match &self.samples {
            _ if line.starts_with(b"##") => Ok(()),
            Some(samples) => {
                self.sites += u64::from(!line.is_empty());
                record(&mut self.candidates, self.calls.as_mut(), samples.len(), number, line)
            }
            None => {
                self.samples = Some(header(number, line)?);
                Ok(())
            }
        }
    }
}

/// Reads the line that names the columns.
fn header(number: u64, line: &[u8]) -> Result<Samples, GenotypeError> {
    let failed = |fault| at(number, fault);
    let line = text(line, Encoding::Utf8).ok_or_else(|| failed(GenotypeFault::NotText))?;
    let mut names = line.split('\t');
    if let Some(place) = FIXED.iter().position(|&name| names.next() != Some(name)) {
        // A file of sites ends before FORMAT.
        let fault = if place + 1 == FIXED.len() { GenotypeFault::VcfSites } else { GenotypeFault::VcfHeader };
        return Err(failed(fault));
    }
    let samples = Samples::named(names.map(Into::into))
        .map_err(|place| failed(GenotypeFault::DoubledSample).in_column(FIXED.len() + place + 1))?;
    if samples.is_empty() { Err(failed(GenotypeFault::VcfSites)) } else { Ok(samples) }
}

/// Reads the line of a site.
fn record(
    candidates: &mut Candidates,
    calls: Option<&mut Vec<Calls>>,
    samples: usize,
    number: u64,
    line: &[u8],
) -> Result<(), GenotypeError> {
    if line.is_empty() {
        return Ok(());
    }
    let failed = |fault| at(number, fault);
    // The columns of every record are counted, also if the plan does not use it, so that a file that is cut off is detected.
    if memchr::memchr_iter(b'\t', line).count() + 1 != FIXED.len() + samples {
        return Err(failed(GenotypeFault::Columns));
    }
    let mut columns = line.split(|&byte| byte == b'\t');
    let mut fixed = [""; 5];
    for (place, cell) in fixed.iter_mut().enumerate() {
        let bytes = columns.next().unwrap_or_default();
        let not_text = failed(GenotypeFault::NotText).in_column(place + 1);
        *cell = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).ok_or(not_text)?;
    }
    let [chromosome, position, id, reference, alternatives] = fixed;
    let position = position.parse().map_err(|_| failed(GenotypeFault::Position).in_column(2))?;
    let alleles: Vec<&str> = std::iter::once(reference).chain(alternatives.split(',')).collect();
    let site = Site { id, chromosome, position, alleles: &alleles };
    let counted = candidates.offer(number, &site)?;
    let Some(calls) = calls.filter(|_| !counted.is_empty()) else { return Ok(()) };
    // A site without an alternative allele has `.` instead, which no call can name.
    let last = if alternatives == "." { 0 } else { alleles.len() - 1 };
    check_memory(candidates.len(), samples).map_err(failed)?;
    let format = columns.nth(3).unwrap_or_default();
    if format.split(|&byte| byte == b':').next() != Some(b"GT") {
        return Err(failed(GenotypeFault::VcfCalls).in_column(FIXED.len()));
    }
    let mut found: Vec<Calls> = counted.iter().map(|_| Calls::with_room(samples)).collect();
    for (sample, cell) in columns.enumerate() {
        let genotype = cell.split(|&byte| byte == b':').next().unwrap_or_default();
        let called =
            alleles_of(genotype, last).map_err(|fault| failed(fault).in_column(FIXED.len() + sample + 1))?;
        for (calls, &allele) in found.iter_mut().zip(&counted) {
            calls.push(sample, called.count(allele));
        }
    }
    calls.append(&mut found);
    Ok(())
}

/// The alleles of one call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Called {
    Missing,
    Haploid(usize),
    Diploid(usize, usize),
}

impl Called {
    /// Copies of an allele. A haploid call of it counts as two, as PLINK writes it into a .bed file.
    fn count(self, allele: usize) -> Call {
        match self {
            Self::Missing => Call::Missing,
            Self::Haploid(one) if one == allele => Call::Two,
            Self::Diploid(one, other) if one == allele && other == allele => Call::Two,
            Self::Diploid(one, other) if one == allele || other == allele => Call::One,
            Self::Haploid(_) | Self::Diploid(..) => Call::Zero,
        }
    }
}

/// Reads a GT, phased or not; `last` is the largest number of an allele.
fn alleles_of(genotype: &[u8], last: usize) -> Result<Called, GenotypeFault> {
    // VCF 4.4 may mark the phase of the first allele, too.
    let genotype = match genotype {
        [b'/' | b'|', rest @ ..] => rest,
        _ => genotype,
    };
    let mut alleles = genotype.split(|&byte| byte == b'/' || byte == b'|').map(|digits| match digits {
        b"." => Ok(None),
        _ => number(digits).filter(|&allele| allele <= last).map(Some).ok_or(GenotypeFault::VcfGenotype),
    });
    let first = alleles.next().ok_or(GenotypeFault::VcfGenotype)??;
    let second = alleles.next().transpose()?;
    if alleles.next().is_some() {
        return Err(GenotypeFault::VcfPloidy);
    }
    Ok(match (first, second) {
        (Some(one), None) => Called::Haploid(one),
        (Some(one), Some(Some(other))) => Called::Diploid(one, other),
        // The call is missing, wholly or in part.
        _ => Called::Missing,
    })
}

/// Reads a number that consists of digits only.
fn number(digits: &[u8]) -> Option<usize> {
    let value = digits.iter().try_fold(0_usize, |value, byte| {
        let digit = byte.is_ascii_digit().then(|| usize::from(byte - b'0'))?;
        value.checked_mul(10)?.checked_add(digit)
    });
    value.filter(|_| !digits.is_empty())
}
