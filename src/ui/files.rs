//! What the files are that a person chose: by their names alone, so that the rule is public and can be told. Pure, and
//! tested natively.

use crate::data::FileRole;
use crate::data::genotypes::Form;
use crate::words;

/// A file with its role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is for the table.
    pub role: FileRole,
    /// Its name.
    pub name: String,
}

/// Where a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It was here already.
    Held(usize),
    /// It was chosen now.
    Chosen(usize),
}

/// Files that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gathered {
    /// What each is, and where it comes from, in the order of the roles.
    pub parts: Vec<(FileRole, Place)>,
    /// Names of the files that are still missing; none for a whole table.
    pub missing: Vec<String>,
}

/// The files of a PLINK set, with their endings.
const SET: [(FileRole, &str); 3] =
    [(FileRole::Bed, ".bed"), (FileRole::Bim, ".bim"), (FileRole::Fam, ".fam")];

/// Returns the role that a file's name says. `None` for a table, which can be the whole data or the phenotypes.
fn named(name: &str) -> Result<Option<FileRole>, String> {
    let lower = name.to_ascii_lowercase();
    if let Some((role, _)) = SET.iter().find(|(_, ending)| lower.ends_with(ending)) {
        return Ok(Some(*role));
    }
    match Form::of(name) {
        Some(Form::Vcf) => Ok(Some(FileRole::Vcf)),
        Some(Form::Other(advice)) => Err(words::files::other_form(name, advice)),
        Some(Form::Plink) | None => Ok(None),
    }
}

/// Returns the name of a set's file without its ending.
fn stem(name: &str) -> &str {
    name.get(..name.len().saturating_sub(4)).unwrap_or(name)
}

/// Puts files together that were `chosen` at once, and with those that were `held`, by their names:
///
/// * `.bed`, `.bim` and `.fam` are a PLINK set and have one name; those that are missing may come later, and one of the same
///   ending takes the place of the one before. A `.bed` of another name begins another set;
/// * `.vcf`, `.vcf.gz` and `.vcf.bgz` are whole by themselves;
/// * any other file is a table: of phenotypes where genotypes are chosen with it or held, else all of it.
///
/// # Errors
/// What is one too many or does not go together, and what to do.
pub fn gather(held: &[Part], chosen: &[String]) -> Result<Gathered, String> {
    let roles = chosen.iter().map(|name| named(name)).collect::<Result<Vec<_>, _>>()?;
    let of = |wanted: Option<FileRole>| -> Vec<usize> {
        roles.iter().enumerate().filter(|(_, role)| **role == wanted).map(|(place, _)| place).collect()
    };
    let one = |wanted: Option<FileRole>, what: &str| match of(wanted).as_slice() {
        [] => Ok(None),
        [place] => Ok(Some(*place)),
        [first, second, ..] => Err(words::files::one_too_many(&chosen[*first], &chosen[*second], what)),
    };
    let vcf = one(Some(FileRole::Vcf), words::files::vcfs())?;
    let mut set = Vec::new();
    for (role, ending) in SET {
        if let Some(place) = one(Some(role), &words::files::set_files(ending))? {
            set.push((role, place));
        }
    }
    let table = one(None, words::files::tables())?;
    if let (Some(vcf), Some((_, other))) = (vcf, set.first()) {
        return Err(words::files::two_forms(&chosen[vcf], &chosen[*other]));
    }
    let mut parts: Vec<(FileRole, Place)> =
        set.iter().map(|(role, place)| (*role, Place::Chosen(*place))).collect();
    let begins = set.iter().find(|(role, _)| *role == FileRole::Bed).map(|(_, place)| stem(&chosen[*place]));
    let stays = |part: &Part| match part.role {
        FileRole::Table => false,
        FileRole::Vcf => vcf.is_none() && set.is_empty(),
        FileRole::Phenotypes => table.is_none(),
        role => vcf.is_none() && parts.iter().all(|(taken, _)| *taken != role),
    };
    let same = held.iter().filter(|part| part.role != FileRole::Phenotypes);
    let kept =
        vcf.is_none() && begins.is_none_or(|begins| same.clone().all(|part| stem(&part.name) == begins));
    let goes_on = kept && held.iter().any(|part| part.role != FileRole::Table);
    if goes_on {
        let held = held.iter().enumerate().filter(|(_, part)| stays(part));
        let held: Vec<_> = held.map(|(place, part)| (part.role, Place::Held(place))).collect();
        parts.extend(held);
    }
    parts.extend(vcf.map(|place| (FileRole::Vcf, Place::Chosen(place))));
    if let Some(place) = table {
        let role = if parts.is_empty() { FileRole::Table } else { FileRole::Phenotypes };
        parts.push((role, Place::Chosen(place)));
    }
    parts.sort_by_key(|(role, _)| *role);
    let name = |place: Place| match place {
        Place::Held(place) => held[place].name.as_str(),
        Place::Chosen(place) => chosen[place].as_str(),
    };
    let files = |role: FileRole| parts.iter().find(|(own, _)| *own == role).map(|(_, place)| name(*place));
    let present: Vec<&str> = SET.iter().filter_map(|(role, _)| files(*role)).collect();
    let Some(first) = present.first() else { return Ok(Gathered { parts, missing: Vec::new() }) };
    if let Some(other) = present.iter().find(|other| stem(other) != stem(first)) {
        return Err(words::files::different_names(first, other));
    }
    let missing = SET.iter().filter(|(role, _)| files(*role).is_none());
    let missing = missing.map(|(_, ending)| format!("{}{ending}", stem(first))).collect();
    Ok(Gathered { parts, missing })
}

#[cfg(test)]
mod tests {
    use super::*;

    use Place::{Chosen, Held};

    fn chosen(held: &[(FileRole, &str)], names: &[&str]) -> Result<Gathered, String> {
        let held: Vec<Part> =
            held.iter().map(|(role, name)| Part { role: *role, name: (*name).to_owned() }).collect();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        gather(&held, &names)
    }

    fn whole(parts: &[(FileRole, Place)]) -> Result<Gathered, String> {
        Ok(Gathered { parts: parts.to_vec(), missing: Vec::new() })
    }

    #[test]
    fn names_say_what_files_are() {
        let set = [(FileRole::Bed, Chosen(2)), (FileRole::Bim, Chosen(0)), (FileRole::Fam, Chosen(1))];
        assert_eq!(chosen(&[], &["s.bim", "s.FAM", "s.bed"]), whole(&set));
        let with = [set.as_slice(), &[(FileRole::Phenotypes, Chosen(3))]].concat();
        for table in ["p.txt", "p.pheno", "p.csv", "p.tsv", "p"] {
            assert_eq!(chosen(&[], &["s.bim", "s.FAM", "s.bed", table]), whole(&with), "{table}");
        }
        for name in ["c.vcf", "c.vcf.gz", "C.VCF.BGZ"] {
            assert_eq!(chosen(&[], &[name]), whole(&[(FileRole::Vcf, Chosen(0))]));
            let both = [(FileRole::Vcf, Chosen(1)), (FileRole::Phenotypes, Chosen(0))];
            assert_eq!(chosen(&[], &["p.csv", name]), whole(&both));
        }
        assert_eq!(chosen(&[], &["t.csv"]), whole(&[(FileRole::Table, Chosen(0))]));
    }

    #[test]
    fn a_missing_file_may_come_later() {
        let first = chosen(&[], &["s.bed", "p.csv"]).unwrap();
        assert_eq!(first.missing, ["s.bim", "s.fam"]);
        assert_eq!(first.parts, [(FileRole::Bed, Chosen(0)), (FileRole::Phenotypes, Chosen(1))]);
        let held = [(FileRole::Bed, "s.bed"), (FileRole::Phenotypes, "p.csv")];
        let second = chosen(&held, &["s.fam"]).unwrap();
        assert_eq!(second.missing, ["s.bim"]);
        let third = chosen(&[held[0], (FileRole::Fam, "s.fam"), held[1]], &["s.bim"]);
        let all = [
            (FileRole::Bed, Held(0)),
            (FileRole::Bim, Chosen(0)),
            (FileRole::Fam, Held(1)),
            (FileRole::Phenotypes, Held(2)),
        ];
        assert_eq!(third, whole(&all));
        // A set may begin with any of its files.
        assert_eq!(chosen(&[], &["s.fam"]).unwrap().missing, ["s.bed", "s.bim"]);
        let begun = chosen(&[(FileRole::Fam, "s.fam")], &["s.bed", "s.bim"]).unwrap();
        assert_eq!(begun.missing, [""; 0]);
        // A person replaces a file by choosing it again.
        let again = chosen(&[(FileRole::Bed, "s.bed"), (FileRole::Fam, "s.fam")], &["s.fam", "s.bim"]);
        assert_eq!(
            again,
            whole(&[(FileRole::Bed, Held(0)), (FileRole::Bim, Chosen(1)), (FileRole::Fam, Chosen(0))])
        );
    }

    #[test]
    fn phenotypes_are_added_to_genotypes_that_are_held() {
        let set = [
            (FileRole::Bed, "s.bed"),
            (FileRole::Bim, "s.bim"),
            (FileRole::Fam, "s.fam"),
            (FileRole::Phenotypes, "p.csv"),
        ];
        let parts = [
            (FileRole::Bed, Held(0)),
            (FileRole::Bim, Held(1)),
            (FileRole::Fam, Held(2)),
            (FileRole::Phenotypes, Chosen(0)),
        ];
        assert_eq!(chosen(&set, &["q.csv"]), whole(&parts));
        assert_eq!(chosen(&set[..3], &["q.csv"]), whole(&parts));
        let vcf = [(FileRole::Vcf, "c.vcf"), (FileRole::Phenotypes, "p.csv")];
        assert_eq!(
            chosen(&vcf, &["q"]),
            whole(&[(FileRole::Vcf, Held(0)), (FileRole::Phenotypes, Chosen(0))])
        );
        assert_eq!(chosen(&[(FileRole::Table, "t.csv")], &["u.csv"]), whole(&[(FileRole::Table, Chosen(0))]));
    }

    #[test]
    fn other_genotypes_begin_anew() {
        let held = [(FileRole::Bed, "s.bed"), (FileRole::Phenotypes, "p.csv")];
        let other = chosen(&held, &["t.bed", "t.bim"]).unwrap();
        assert_eq!(
            (other.parts, other.missing),
            (vec![(FileRole::Bed, Chosen(0)), (FileRole::Bim, Chosen(1))], vec!["t.fam".to_owned()])
        );
        assert_eq!(chosen(&held, &["c.vcf"]), whole(&[(FileRole::Vcf, Chosen(0))]));
        assert_eq!(
            chosen(&[(FileRole::Vcf, "c.vcf")], &["s.bed"]).unwrap().parts,
            [(FileRole::Bed, Chosen(0))]
        );
    }

    #[test]
    fn what_is_one_too_many_or_another_form_is_told() {
        for (held, names, words) in [
            (&[][..], &["a.bed", "b.bed"][..], "a.bed and b.bed are two .bed files"),
            (&[], &["a.vcf", "b.vcf.gz"], "two VCFs"),
            (&[], &["a.csv", "b.csv"], "two tables"),
            (&[], &["s.bed", "s.bim", "s.fam", "p.txt", "q.txt"], "p.txt and q.txt are two tables"),
            (&[], &["a.vcf", "a.bed"], "two forms of genotypes"),
            (&[], &["s.bed", "s.bim", "other.fam"], "s.bed and other.fam have different names"),
            (&[(FileRole::Bed, "s.bed")], &["other.fam"], "one name"),
            (&[], &["a.ped"], "plink --file NAME --make-bed"),
            (&[], &["a.bgen", "a.csv"], "plink2 --bgen NAME --make-bed"),
        ] {
            let told = chosen(held, names).unwrap_err();
            assert!(told.contains(words), "{names:?}: {told}");
        }
    }
}
