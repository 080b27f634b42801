//! The errors of genotype files. No message quotes a cell, a sample's id or the number of samples.

use std::fmt;

use crate::data::csv::CsvError;
use crate::data::header::HeaderError;
use crate::words;

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
            Self::Bed => words::error::file_bed(),
            Self::Bim => words::error::file_bim(),
            Self::Fam => words::error::file_fam(),
            Self::Vcf => words::error::file_vcf(),
            Self::Phenotypes => words::error::file_phenotypes(),
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
        let place = match (self.line, self.column) {
            (None, _) => return self.file.fmt(formatter),
            (Some(line), None) => words::error::line(line),
            (Some(line), Some(column)) => words::error::line_column(line, column),
        };
        formatter.write_str(&words::error::place_in_file(self.file, place))
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
    pub const fn of(file: SourceFile, fault: GenotypeFault) -> Self {
        Self { place: Place { file, line: None, column: None }, fault }
    }

    /// Returns the error of a line.
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
    #[error("{}", crate::words::error::genotype_fault_fields(found, expected))]
    Fields {
        /// Fields of the line.
        found: usize,
        /// Fields of the format.
        expected: usize,
    },
    /// A line with fewer or more columns than the header. The numbers are private.
    #[error("{}", crate::words::error::genotype_fault_columns())]
    Columns,
    /// Bytes that are not text.
    #[error("{}", crate::words::error::genotype_fault_not_text())]
    NotText,
    /// A line without end.
    #[error("{}", crate::words::error::genotype_fault_long_line())]
    LongLine,
    /// An invalid position.
    #[error("{}", crate::words::error::genotype_fault_position())]
    Position,
    /// No sample.
    #[error("{}", crate::words::error::genotype_fault_no_sample())]
    NoSample,
    /// No variant.
    #[error("{}", crate::words::error::genotype_fault_no_variant())]
    NoVariant,
    /// A sample that is listed twice.
    #[error("{}", crate::words::error::genotype_fault_doubled_sample())]
    DoubledSample,
    /// An identifier in the plan that several variants have.
    #[error("{}", crate::words::error::genotype_fault_doubled_variant(id.escape_debug(), coordinates.escape_debug()))]
    DoubledVariant {
        /// The identifier.
        id: String,
        /// How one of them can be named.
        coordinates: String,
    },
    /// An end of a range that does not exist.
    #[error("{}", crate::words::error::genotype_fault_no_such_variant(id.escape_debug()))]
    NoSuchVariant {
        /// The identifier.
        id: String,
    },
    /// More variants than a table may have columns.
    #[error("{}", crate::words::error::genotype_fault_too_many_variants(most))]
    TooManyVariants {
        /// The most.
        most: usize,
    },
    /// Genotypes that do not fit into memory.
    #[error("{}", crate::words::error::genotype_fault_too_much_memory(variants))]
    TooMuchMemory {
        /// How many there are.
        variants: usize,
    },
    /// Not a .bed file.
    #[error("{}", crate::words::error::genotype_fault_bed_mark())]
    BedMark,
    /// Ordered by samples.
    #[error("{}", crate::words::error::genotype_fault_bed_by_sample())]
    BedBySample,
    /// A length that does not fit the other two files.
    #[error("{}", crate::words::error::genotype_fault_bed_length())]
    BedLength,
    /// Not a VCF.
    #[error("{}", crate::words::error::genotype_fault_vcf_mark())]
    VcfMark,
    /// No header line.
    #[error("{}", crate::words::error::genotype_fault_vcf_header())]
    VcfHeader,
    /// Sites without genotypes.
    #[error("{}", crate::words::error::genotype_fault_vcf_sites())]
    VcfSites,
    /// A record without hard calls.
    #[error("{}", crate::words::error::genotype_fault_vcf_calls())]
    VcfCalls,
    /// An invalid call.
    #[error("{}", crate::words::error::genotype_fault_vcf_genotype())]
    VcfGenotype,
    /// More than two alleles in one call.
    #[error("{}", crate::words::error::genotype_fault_vcf_ploidy())]
    VcfPloidy,
    /// Compressed bytes that cannot be unpacked.
    #[error("{}", crate::words::error::genotype_fault_damaged())]
    Damaged,
    /// A bgzip file without its last block.
    #[error("{}", crate::words::error::genotype_fault_cut_off())]
    CutOff,
    /// An invalid header.
    #[error("{0}")]
    Header(HeaderError),
    /// A malformed record.
    #[error("{0}")]
    Record(CsvError),
    /// No column of ids.
    #[error("{}", crate::words::error::genotype_fault_no_ids())]
    NoIds,
    /// A table of which no row is of a sample.
    #[error("{}", crate::words::error::genotype_fault_none_joined())]
    NoneJoined,
    /// A person twice.
    #[error("{}", crate::words::error::genotype_fault_doubled_person(row))]
    DoubledPerson {
        /// Number of the row.
        row: usize,
    },
    /// Ids that do not identify samples.
    #[error("{}", crate::words::error::genotype_fault_family_needed())]
    FamilyNeeded,
}
