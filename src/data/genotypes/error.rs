//! What is wrong with a genotype source, and where. No message quotes a cell, a sample's id or how many samples there are.

use std::fmt;

use crate::data::csv::CsvError;
use crate::data::header::HeaderError;

/// One of the files that make up a genotype source.
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

/// Where in a genotype source something is; lines and columns count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file.
    pub file: SourceFile,
    /// Its line, where one is to blame.
    pub line: Option<u64>,
    /// The column of that line, where one is to blame.
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
    /// Where.
    pub place: Place,
    /// What, and what to do.
    pub fault: GenotypeFault,
}

impl GenotypeError {
    /// Returns a fault of a whole file.
    #[must_use]
    pub const fn of(file: SourceFile, fault: GenotypeFault) -> Self {
        Self { place: Place { file, line: None, column: None }, fault }
    }

    /// Returns a fault of a line.
    #[must_use]
    pub const fn at(file: SourceFile, line: u64, fault: GenotypeFault) -> Self {
        Self { place: Place { file, line: Some(line), column: None }, fault }
    }

    /// Returns the same fault, of one column of its line.
    #[must_use]
    pub const fn in_column(mut self, column: usize) -> Self {
        self.place.column = Some(column);
        self
    }
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GenotypeFault {
    /// Another number of fields than the format has.
    #[error("the line has {found} fields and needs {expected}; is this the right file?")]
    Fields {
        /// Fields of the line.
        found: usize,
        /// Fields of the format.
        expected: usize,
    },
    /// A table's line that is not as long as its header; by how much is not said.
    #[error("the line has another number of columns than the header; is the file cut off or damaged?")]
    Columns,
    /// Bytes that are not text.
    #[error("a byte here is not text in the expected encoding; save the file as UTF-8")]
    NotText,
    /// A line without end.
    #[error("the line goes on for 256 MiB or more; is this the right file?")]
    LongLine,
    /// A position that is none.
    #[error("the variant's position is no whole number")]
    Position,
    /// No sample.
    #[error("there is no sample; a table needs at least one")]
    NoSample,
    /// No variant.
    #[error("there is no variant")]
    NoVariant,
    /// A sample that is listed twice.
    #[error("the sample is listed a second time; each may be there once")]
    DoubledSample,
    /// An identifier in the plan that several variants have.
    #[error(
        "the plan names `{}`, and several alleles or variants have this id; name the one that is meant by \
         CHROM:POS:REF:ALT, such as `{}`",
        id.escape_debug(),
        coordinates.escape_debug()
    )]
    DoubledVariant {
        /// The identifier.
        id: String,
        /// How one of them can be named.
        coordinates: String,
    },
    /// An end of a range that is not there.
    #[error("no variant has the id `{}`, at which a range ends; is it spelled as in the file?", id.escape_debug())]
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
    /// Not PLINK's.
    #[error(
        "this is no PLINK 1 .bed file: its first bytes are not 6c 1b 01; make one with `plink --make-bed`"
    )]
    BedMark,
    /// Ordered by samples.
    #[error(
        "the genotypes are ordered by samples, a form that PLINK no longer writes; order them by variants with \
         `plink --make-bed`"
    )]
    BedBySample,
    /// A length that does not fit the other two files.
    #[error(
        "its length is not that of the .bim file's variants and the .fam file's samples; are the three files of one \
         set, and whole?"
    )]
    BedLength,
    /// Not a VCF.
    #[error("the first line is not `##fileformat=VCF…`; a BCF is made a VCF with `bcftools view`")]
    VcfMark,
    /// No header line.
    #[error("the line `#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT …` is missing before the first record")]
    VcfHeader,
    /// Sites without genotypes.
    #[error("the file has sites alone and no sample; export it with genotypes")]
    VcfSites,
    /// A record without hard calls.
    #[error("the plan uses this variant, and its FORMAT does not begin with GT; export it with hard calls")]
    VcfCalls,
    /// A call that is none.
    #[error("this is no genotype; a call is two of the record's alleles such as `0/1`, or one, or `.`")]
    VcfGenotype,
    /// More than two alleles in one call.
    #[error("the call has more than two alleles, and only haploid and diploid ones can be counted")]
    VcfPloidy,
    /// Compressed bytes that cannot be unpacked.
    #[error("the compressed file is cut off or damaged; copy it again and test it with `gzip -t`")]
    Damaged,
    /// A file of bgzip without its last block.
    #[error("the file lacks the block with which bgzip ends, so it is cut off; copy it again")]
    CutOff,
    /// A header that is none.
    #[error("{0}")]
    Header(HeaderError),
    /// A record that is not well formed.
    #[error("{0}")]
    Record(CsvError),
    /// No column of ids.
    #[error("the header has no column `IID`, or has it or `FID` twice; the first line must name the columns")]
    NoIds,
    /// A person twice.
    #[error("row {row}, not counting the header, is the second of its person; each may have one")]
    DoubledPerson {
        /// Number of the row.
        row: usize,
    },
    /// Ids that do not tell samples apart.
    #[error(
        "several samples of the .fam file share an IID, so that rows without a family cannot be joined; add the \
         column `FID`"
    )]
    FamilyNeeded,
}
