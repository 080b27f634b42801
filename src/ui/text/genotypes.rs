//! The sentences about genotypes.

use super::{list, whole};

pub const ADD_PHENOTYPES: &str = "Add a table of phenotypes";
pub const OTHER_PHENOTYPES: &str = "Choose another table of phenotypes";
pub const PHENOTYPES_HINT: &str =
    "Text with a header that has IID, and FID if it likes. Rows are joined by id.";
pub const CHOOSE_MISSING: &str = "Choose the missing files";
pub const GIVE_UP: &str = "Forget these files";
pub const VARIANTS: &str = "Variants";
pub const NAMES: &str = "Names or patterns";
pub const NAMES_HINT: &str =
    "As rs7412, rs7412_T for the allele that is counted, or 19:44908* for a place. Commas between.";
pub const FIRST: &str = "From variant";
pub const LAST: &str = "To variant";
pub const RANGE_HINT: &str = "Ids of the first and the last, in the order of the file.";
pub const ADD: &str = "Add variants";
pub const BOUNDS: &str = "Each variant is a column of 0, 1 or 2 copies of an allele. The format says so, not your file, so these \
    bounds are filled in. Name variants from a public list, and the allele where you can.";
pub const MISSING_CALLS: &str = "With many variants nearly every person lacks a call. Then let a missing cell count as the middle \
    of its bounds, or nearly every row is left out.";
pub const ONLY_PEOPLE: &str = "Variants become columns when you choose them.";
pub const CHOOSE_VARIANTS: &str = "Choose variants";

/// What is here, and what is missing.
pub fn waits(here: &[String], missing: &[String]) -> String {
    let verb = if here.len() == 1 { "is" } else { "are" };
    let lacks = if missing.len() == 1 { "is" } else { "are" };
    format!(
        "{} {verb} here, and {} {lacks} missing: a PLINK set is three files. Choose what is missing, or drop it on this page.",
        list(here, 4),
        list(missing, 3)
    )
}

/// How many variants there are and how many of them are columns.
pub fn count(total: Option<u64>, in_use: usize) -> String {
    let chosen =
        if in_use == 1 { "1 is a column".to_owned() } else { format!("{} are columns", whole(in_use)) };
    match total.and_then(|total| usize::try_from(total).ok()) {
        Some(1) => format!("The source has 1 variant; {chosen}."),
        Some(total) => format!("The source has {} variants; {chosen}.", whole(total)),
        None => format!("The variants are counted when some are chosen; {chosen}."),
    }
}

/// What came of a choice.
pub fn in_use(count: usize) -> String {
    if count == 1 {
        "1 variant is a column".to_owned()
    } else {
        format!("{} variants are columns", whole(count))
    }
}

/// Names and patterns that no variant has.
pub fn not_found(lost: &[String]) -> String {
    format!("No variant fits {}. Names are written as in the file, capitals and all", list(lost, 5))
}

/// The table in one line: its file and its variants.
pub fn line(name: &str, total: Option<u64>, in_use: usize) -> String {
    match total.and_then(|total| usize::try_from(total).ok()) {
        Some(total) => format!("{name}, {} variants", whole(total)),
        None => format!("{name}, {}", in_use_short(in_use)),
    }
}

fn in_use_short(count: usize) -> String {
    if count == 0 { "no variant chosen yet".to_owned() } else { format!("{} variants chosen", whole(count)) }
}
