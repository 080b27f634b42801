//! The errors of genotype files. No message quotes a cell, a sample's id or the number of samples.

use std::fmt;

use crate::data::csv::CsvError;
use crate::data::header::HeaderError;

/// A file of a genotype source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceFile {
    /// PLINK's genotypes.
    Bed,
    /// PLINK's variants.
    Bim,
    /// PLINK's samples.
    Fam,
    /// Variants and genotypes, plain or compressed.
    Vcf,
    /// The table of phenotypes.
    Phenotypes,
}

impl fmt::Display for SourceFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Bed => "the .bed file",
            Self::Bim => "the .bim file",
            Self::Fam => "the .fam file",
            Self::Vcf => "the VCF",
            Self::Phenotypes => "the table of phenotypes",
        })
    }
}

/// A position in a genotype source. Lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: SourceFile,
    /// The line, if one line is wrong.
    pub line: Option<u64>,
    /// The column of that line, if one is wrong.
    pub column: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.file)?;
        if let Some(line) = self.line {
            write!(formatter, ", line {line}")?;
        }
        match self.column {
            Some(column) => write!(formatter, ", column {column}"),
            None => Ok(()),
        }
    }
}

/// A genotype source that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct GenotypeError {
    /// The position.
    pub place: Place,
    /// The fault, with advice.
    pub fault: GenotypeFault,
}

impl GenotypeError {
    /// Returns the error of a whole file.
    #[must_use]
    pub const fn of(file: SourceFile, fault: GenotypeFault) -> Self {
        Self { place: Place { file, line: None, column: None }, fault }
    }

    /// Returns the error of a line.
    #[must_use]
    pub const fn at(file: SourceFile, line: u64, fault: GenotypeFault) -> Self {
        Self { place: Place { file, line: Some(line), column: None }, fault }
    }

    /// Returns this error with the column of its line.
    #[must_use]
    pub const fn in_column(mut self, column: usize) -> Self {
        self.place.column = Some(column);
        self
    }
}

/// A fault of a genotype file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenotypeFault {
    /// A number of fields other than the format's.
    #[error("the line has {found} fields and needs {expected}; check that this is the right file")]
    Fields {
        /// Fields of the line.
        found: usize,
        /// Fields of the format.
        expected: usize,
    },
    /// A line with fewer or more columns than the header. The numbers are private.
    #[error("the line has fewer or more columns than the header; check that the file is complete")]
    Columns,
    /// Bytes that are not text.
    #[error("a byte here is not text in the expected encoding; save the file as UTF-8")]
    NotText,
    /// A line without end.
    #[error("the line is 256 MiB or longer; check that this is the right file")]
    LongLine,
    /// An invalid position.
    #[error("the variant's position is no whole number; check that this is the right file")]
    Position,
    /// No sample.
    #[error("the file has no sample; choose one with samples")]
    NoSample,
    /// No variant.
    #[error("the file has no variant; choose one with variants")]
    NoVariant,
    /// A sample that is listed twice.
    #[error("the sample is listed a second time; remove one of the two")]
    DoubledSample,
    /// An identifier in the plan that several variants have.
    #[error(
        "the plan names `{}`, and several alleles or variants have this id; name one of them as CHROM:POS:REF:ALT, such as \
         `{}`",
        id.escape_debug(),
        coordinates.escape_debug()
    )]
    DoubledVariant {
        /// The identifier.
        id: String,
        /// How one of them can be named.
        coordinates: String,
    },
    /// An end of a range that does not exist.
    #[error("no variant has the id `{}`, at which a range ends; spell it as in the file", id.escape_debug())]
    NoSuchVariant {
        /// The identifier.
        id: String,
    },
    /// More variants than a table may have columns.
    #[error("the plan's columns fit more than {most} variants; name fewer, or a narrower `match`")]
    TooManyVariants {
        /// The most.
        most: usize,
    },
    /// Genotypes that do not fit into memory.
    #[error(
        "the {variants} variants that the plan uses so far take more than 1 GiB of memory for all samples; name fewer"
    )]
    TooMuchMemory {
        /// How many there are.
        variants: usize,
    },
    /// Not a .bed file.
    #[error(
        "this is no PLINK 1 .bed file: its first bytes are not 6c 1b 01; make one with `plink --make-bed`"
    )]
    BedMark,
    /// Ordered by samples.
    #[error(
        "the genotypes are ordered by sample, a form that PLINK no longer writes; order them by variant with `plink --make-bed`"
    )]
    BedBySample,
    /// A length that does not fit the other two files.
    #[error(
        "its length does not fit the .bim file's variants and the .fam file's samples; check that the three files are of one \
         set and complete"
    )]
    BedLength,
    /// Not a VCF.
    #[error("the first line is not `##fileformat=VCF…`; convert a BCF to a VCF with `bcftools view`")]
    VcfMark,
    /// No header line.
    #[error(
        "the line `#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT …` is missing before the first record; export the file again"
    )]
    VcfHeader,
    /// Sites without genotypes.
    #[error("the file has sites but no samples; export it with genotypes")]
    VcfSites,
    /// A record without hard calls.
    #[error("the plan uses this variant, and its FORMAT does not begin with GT; export it with hard calls")]
    VcfCalls,
    /// An invalid call.
    #[error("this is no genotype; a call has one or two of the record's alleles, such as `0/1`, or is `.`")]
    VcfGenotype,
    /// More than two alleles in one call.
    #[error("the call has more than two alleles; use haploid or diploid calls alone")]
    VcfPloidy,
    /// Compressed bytes that cannot be unpacked.
    #[error("the compressed file is cut off or damaged; copy it again and test it with `gzip -t`")]
    Damaged,
    /// A bgzip file without its last block.
    #[error("the file lacks the last block of bgzip, so it is cut off; copy it again")]
    CutOff,
    /// An invalid header.
    #[error("{0}")]
    Header(HeaderError),
    /// A malformed record.
    #[error("{0}")]
    Record(CsvError),
    /// No column of ids.
    #[error(
        "the header has no column `IID`, or has `IID` or `FID` twice; name the columns in the first line, each once"
    )]
    NoIds,
    /// A person twice.
    #[error(
        "row {row}, not counting the header, is the second row of its person; keep one row for each person"
    )]
    DoubledPerson {
        /// Number of the row.
        row: usize,
    },
    /// Ids that do not identify samples.
    #[error(
        "several samples of the .fam file share an IID, so rows without a family cannot be joined; add the column `FID`"
    )]
    FamilyNeeded,
}
