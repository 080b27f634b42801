//! Reads genotype files and returns the same records as a CSV with the same values.
//!
//! [`plink`] reads the three files of a PLINK 1 set, [`vcf`] a VCF, [`samples`] and [`phenotypes`] the other values of each
//! person. [`table`] joins them, and [`part`] makes a record for each sample. All later steps (encoding, sums, mechanisms) are the
//! same as for a CSV. The caller feeds the bytes.
//!
//! A cell of a variant's column is the number of copies of the counted allele, 0, 1 or 2. The counted allele is A1 of a .bim file,
//! an alternative allele of a VCF, or the one that the plan names. The list of variants and of counted alleles is public, like
//! the header of a CSV.

mod calls;
mod cells;
pub mod error;
pub mod form;
mod lines;
pub mod part;
pub mod phenotypes;
pub mod plink;
pub mod samples;
pub mod table;
mod unpack;
pub mod variants;
pub mod vcf;

pub use calls::Calls;
pub use error::{GenotypeError, GenotypeFault, SourceFile};
pub use form::Form;
pub use part::SamplePart;
pub use phenotypes::{Matches, PhenotypeReader, Phenotypes, none_joined};
pub use plink::{BedLayout, BimPlace, BimReader, BimVariants};
pub use samples::{FamReader, Samples};
pub use table::{GenotypeTable, join};
pub use variants::{Choice, Shared, Wanted};
pub use vcf::{VcfContent, VcfReader};

/// The delimiter that a plan without one gets from a genotype source: a VCF's own.
pub const DELIMITER: u8 = b'\t';
