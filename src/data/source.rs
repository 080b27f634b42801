//! What a table is read from: one file, or several that belong together.

use serde::{Deserialize, Serialize};

/// What one file is for its table. The order is that in which files are named and hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileRole {
    /// All of it: a CSV.
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
    /// Its name, of eight bytes, for a keyed hash.
    #[must_use]
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
