//! PLINK 1's .bim and .bed files (www.cog-genomics.org/plink/1.9/formats).
//!
//! The crate bed-reader 1.1 opens paths and cloud stores itself and reads into ndarray. It depends on about 220 crates, among them
//! an HTTP client and TLS, which a page without network access must not contain. Here the caller feeds the bytes, and the format
//! is a table of two-bit codes.

use std::ops::Range;

use super::calls::{Calls, stride};
use super::error::{GenotypeError, GenotypeFault, SourceFile};
use super::lines::Lines;
use super::samples::{fields, text};
use super::variants::{Candidates, Shared, Site, Wanted};
use crate::plan::bound::Encoding;

/// Fields of a line of a .bim file.
const BIM_FIELDS: usize = 6;

/// The bytes before the first variant's: two that mark the format, and the order.
const MARK: [u8; 3] = [0x6c, 0x1b, 0x01];

/// The last byte of the mark where genotypes are ordered by samples.
const BY_SAMPLE: u8 = 0x00;

/// A push reader for a .bim file: a line for each variant with chromosome, identifier, position in centimorgans, position in
/// base pairs, A1 and A2, between white space. A1 is counted, as PLINK's `--recode A` counts, and a variant's coordinates are
/// `CHROM:POS:A2:A1`, since A2 is the reference where a file has one.
#[derive(Debug)]
pub struct BimReader {
    lines: Lines,
    candidates: Candidates,
    places: Vec<BimPlace>,
    variants: u64,
}

/// The variants that a plan uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BimVariants {
    /// Their columns' names, in the file's order.
    pub names: Vec<String>,
    /// The patterns that fit no column, because several variants have the identifier.
    pub shared: Vec<Shared>,
    /// Where each is in the .bed file.
    pub places: Vec<BimPlace>,
    /// How many the file has in all.
    pub total: u64,
}

/// One variant that a plan uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BimPlace {
    /// Its number in the file, counted from 0.
    pub variant: u64,
    /// Whether copies of A2 are counted, because the plan names that allele.
    pub second: bool,
}

impl BimReader {
    /// Creates a reader that keeps the variants that a plan uses.
    pub fn new(wanted: Wanted) -> Self {
        Self {
            lines: Lines::after(SourceFile::Bim, 0),
            candidates: Candidates::new(SourceFile::Bim, wanted),
            places: Vec::new(),
            variants: 0,
        }
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// [`GenotypeError`] for the first malformed line.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), GenotypeError> {
        let Self { lines, candidates, places, variants } = self;
        lines.feed(bytes, |number, line| add(candidates, places, variants, number, line))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`GenotypeError`] for its last line, where there is no variant, and where the plan names an identifier that several
    /// variants have.
    pub fn finish(self) -> Result<BimVariants, GenotypeError> {
        let Self { lines, mut candidates, mut places, mut variants } = self;
        lines.finish(|number, line| add(&mut candidates, &mut places, &mut variants, number, line))?;
        if variants == 0 {
            return Err(GenotypeError::of(SourceFile::Bim, GenotypeFault::NoVariant));
        }
        let (names, shared) = candidates.names()?;
        let used = names.into_iter().zip(places);
        let (names, places) = used.filter_map(|(name, place)| Some((name?, place))).unzip();
        Ok(BimVariants { names, shared, places, total: variants })
    }
}

fn add(
    candidates: &mut Candidates,
    places: &mut Vec<BimPlace>,
    variants: &mut u64,
    number: u64,
    line: &[u8],
) -> Result<(), GenotypeError> {
    let failed = |fault| GenotypeError::at(SourceFile::Bim, number, fault);
    let line = text(line, Encoding::Utf8).ok_or_else(|| failed(GenotypeFault::NotText))?;
    let Some(fields) = fields(&line, BIM_FIELDS).map_err(failed)? else { return Ok(()) };
    // PLINK leaves out a variant whose position is negative, but its genotypes are in the .bed file all the same.
    let position: i64 = fields[3].parse().map_err(|_| failed(GenotypeFault::Position).in_column(4))?;
    if position >= 0 {
        let alleles = [fields[5], fields[4]];
        let position = position.unsigned_abs();
        let site = Site { id: fields[1], chromosome: fields[0], position, alleles: &alleles };
        let kept = candidates.offer(number, &site)?;
        places.extend(kept.into_iter().map(|allele| BimPlace { variant: *variants, second: allele == 0 }));
    }
    *variants += 1;
    Ok(())
}

/// Where the genotypes of each variant are in a .bed file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BedLayout {
    stride: u64,
    samples: usize,
}

impl BedLayout {
    /// First bytes of the file that [`Self::check`] needs.
    pub const MARK_BYTES: usize = MARK.len();

    /// Returns the layout for so many samples, after a look at the file's first bytes and its length.
    ///
    /// # Errors
    /// [`GenotypeError`] for a file that is no .bed file, is ordered by samples, or has not the length of the set's variants
    /// and samples.
    pub fn check(first: &[u8], length: u64, variants: u64, samples: usize) -> Result<Self, GenotypeError> {
        let failed = |fault| Err(GenotypeError::of(SourceFile::Bed, fault));
        match first {
            [0x6c, 0x1b, BY_SAMPLE, ..] => return failed(GenotypeFault::BedBySample),
            _ if !first.starts_with(&MARK) => return failed(GenotypeFault::BedMark),
            _ => {}
        }
        let stride = stride(samples) as u64;
        let expected = variants.checked_mul(stride).and_then(|bytes| bytes.checked_add(MARK.len() as u64));
        if expected != Some(length) {
            return failed(GenotypeFault::BedLength);
        }
        Ok(Self { stride, samples })
    }

    /// Returns the bytes of one variant.
    pub fn range(&self, place: BimPlace) -> Range<u64> {
        let start = MARK.len() as u64 + place.variant * self.stride;
        start..start + self.stride
    }

    /// Returns the calls that these bytes of a variant are.
    ///
    /// # Errors
    /// [`GenotypeError`] for another number of bytes than [`Self::range`] asks for.
    pub fn calls(&self, place: BimPlace, bytes: Vec<u8>) -> Result<Calls, GenotypeError> {
        if bytes.len() != stride(self.samples) {
            return Err(GenotypeError::of(SourceFile::Bed, GenotypeFault::BedLength));
        }
        let calls = Calls::new(bytes);
        Ok(if place.second { calls.swapped() } else { calls })
    }
}
