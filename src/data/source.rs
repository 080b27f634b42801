//! The files of a table: one, or several that belong together.

use serde::{Deserialize, Serialize};

/// The role of a file. Files are named and hashed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileRole {
    /// The whole table: a CSV.
    Table,
    /// PLINK's genotypes.
    Bed,
    /// PLINK's variants.
    Bim,
    /// PLINK's samples.
    Fam,
    /// A VCF, plain or compressed.
    Vcf,
    /// A table of phenotypes, joined to genotypes by id.
    Phenotypes,
}

impl FileRole {
    /// Returns a name of eight bytes, for a keyed hash.
    pub const fn tag(self) -> [u8; 8] {
        *match self {
            Self::Table => b"table   ",
            Self::Bed => b"bed     ",
            Self::Bim => b"bim     ",
            Self::Fam => b"fam     ",
            Self::Vcf => b"vcf     ",
            Self::Phenotypes => b"phenotyp",
        }
    }
}
