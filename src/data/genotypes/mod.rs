//! Genotypes as geneticists have them, as the records that a CSV of the same values would give.
//!
//! [`plink`] reads the three files of a PLINK 1 set, [`vcf`] a VCF, [`samples`] and [`phenotypes`] what is known of each person,
//! and [`table`] puts a record together for each sample: what follows (encoding, sums, mechanisms) is the same as for a CSV.
//! All are fed bytes, and say which bytes they need.
//!
//! A cell of a variant's column is the number of copies of the counted allele, 0, 1 or 2: A1 of a .bim file, an alternative
//! allele of a VCF, or the one that the plan names. Which variants there are, and which allele is counted, is as public as the header of a CSV.

mod calls;
mod cells;
pub mod error;
pub mod form;
mod lines;
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
pub use phenotypes::{PhenotypeReader, Phenotypes};
pub use plink::{BedLayout, BimPlace, BimReader, BimVariants};
pub use samples::{FamReader, Samples};
pub use table::{GenotypeTable, join};
pub use variants::{Choice, Wanted};
pub use vcf::{VcfContent, VcfReader};
