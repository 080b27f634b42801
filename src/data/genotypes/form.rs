//! Recognises the form of a genotype file by its name.

use crate::words;

/// A form of genotypes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The .bed file of a PLINK set.
    Plink,
    /// A VCF, plain or compressed.
    Vcf,
    /// A form that cannot be read, with advice.
    Other(&'static str),
}

/// Returns the endings of names, in small letters.
fn forms() -> [(&'static str, Form); 11] {
    [
        (".bed", Form::Plink),
        (".vcf", Form::Vcf),
        (".vcf.gz", Form::Vcf),
        (".vcf.bgz", Form::Vcf),
        (".bim", Form::Other(words::files::use_bed())),
        (".fam", Form::Other(words::files::use_bed())),
        (".ped", Form::Other(words::files::convert_plink())),
        (".pgen", Form::Other(words::files::convert_plink2())),
        (".bgen", Form::Other(words::files::convert_bgen())),
        (".bcf", Form::Other(words::files::convert_bcf())),
        (".bcf.gz", Form::Other(words::files::convert_bcf())),
    ]
}

impl Form {
    /// Returns the form of a file with this name. `None` if it holds no genotypes.
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        forms().into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, form)| form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_says_what_a_file_holds() {
        assert_eq!(Form::of("set.bed"), Some(Form::Plink));
        assert_eq!(["x.vcf", "x.VCF.gz", "x.y.vcf.bgz"].map(Form::of), [Some(Form::Vcf); 3]);
        assert!(matches!(Form::of("set.fam"), Some(Form::Other(_))));
        assert_eq!(["table.csv", "bed", "x.bed.csv", "x.gz", "-"].map(Form::of), [None; 5]);
    }
}
