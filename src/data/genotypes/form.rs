//! Recognises the form of a genotype file by its name.

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

/// Endings of names, in small letters.
const FORMS: [(&str, Form); 11] = [
    (".bed", Form::Plink),
    (".vcf", Form::Vcf),
    (".vcf.gz", Form::Vcf),
    (".vcf.bgz", Form::Vcf),
    (".bim", Form::Other("name the .bed file of the set")),
    (".fam", Form::Other("name the .bed file of the set")),
    (".ped", Form::Other("make a .bed file of it with `plink --file NAME --make-bed`")),
    (".pgen", Form::Other("make a .bed file of it with `plink2 --pfile NAME --make-bed`")),
    (".bgen", Form::Other("make a .bed file of it with `plink2 --bgen NAME --make-bed`")),
    (".bcf", Form::Other("make a VCF of it with `bcftools view`")),
    (".bcf.gz", Form::Other("make a VCF of it with `bcftools view`")),
];

impl Form {
    /// Returns the form of a file with this name; `None` if it holds no genotypes.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        FORMS.iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, form)| *form)
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
