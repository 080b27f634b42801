//! Sentences about public moments, and about whether a guided fit can work.

use super::{grouped, one_in, percent, short, whole};
use crate::inference::preflight::Preflight;
use crate::ui::public_form::{Term, Way};

pub const TITLE: &str = "What is publicly known of these columns";
pub const WHY: &str = "This mechanism is guided by other people's data: means, spreads and correlations of the same columns, in the \
    same units. Wrong numbers cost accuracy, never privacy.";
pub const NEVER: &str = "Never give numbers computed from this table. They would not be private: they stand in the release as they are.";
pub const READING: &str = "Reading the public file";
pub const CHOOSE: &str = "Choose the public CSV";
pub const OPEN: &str = "Open the file";
pub const CSV_HINT: &str = "It needs every feature under the same name and in the same unit; outcomes may be missing. It is read here, by \
    the columns as you described them.";
pub const DOCUMENT_HINT: &str =
    "An earlier release of other people with the same columns, or public numbers that were saved here.";
pub const TYPED_HINT: &str =
    "As a paper prints them. An outcome may stay empty. A level has a share between 0 and 1.";
pub const STALE: &str =
    "The columns have changed since this file was read. Choose it again, so that it is read alike.";
pub const SHARED: &str = "Records of this file stand in the table as well, word for word: more than one in twenty. If they are the same people, \
    what is read here protects them in no way and stands in the release. Choose data of other people. If they only look alike, \
    as in a table of few columns, go on.";
pub const CORRELATIONS: &str = "Correlations, all 0 unless you say otherwise";
pub const DESCRIBE_FIRST: &str = "Describe the columns first: each feature and its levels get a line here.";
pub const WAIT: &str = "The table is not recognised yet, so a public file cannot be told apart from it. Wait, then choose it again";
pub const NOT_PUBLIC: &str = "This is neither a CSV, nor a release, nor public numbers (discreet.public/1)";
pub const GENOTYPES: &str = "Genotypes are not read as public input. Turn them into a CSV first";
pub const READ: &str = "The public numbers are read";
pub const SOURCE: &str = "Where the numbers are from";
pub const SOURCE_HINT: &str = "In words, such as: Smith 2020, Table 1. It stands in the release.";
pub const ROWS: &str = "Rows behind the numbers";
pub const ROWS_HINT: &str = "How many people the paper describes.";
pub const TABLE: &str = "Public moments beside the stated bounds";
pub const AS_PRINTED: &str = "Public moments, as printed";
pub const TERM: &str = "Term, with its stated bounds";
pub const OPTIONAL: &str = "; may stay empty";
pub const FROM_SHARE: &str = "from its share";
pub const UNKNOWN_OUTCOME: &str = "Not in the file: it may be missing";
pub const LACKING: &str = "Not in the file";
pub const AMPLE: &str = "The fit can work";
pub const JUST: &str = "The fit can just work";
pub const TOO_FEW: &str = "The fit cannot work with these rows and this budget";
pub const OUTLOOK_NOTE: &str = "This follows from the plan alone and takes the public numbers to be right; no row was read. It covers the noise: \
    how large each standard error is, the release says.";
pub const SAVE: &str = "Save these numbers (JSON)";

pub const fn way(way: Way) -> (&'static str, &'static str) {
    match way {
        Way::Csv => ("A CSV of other people", "Read on this machine, like the table."),
        Way::Typed => {
            ("Numbers from a paper", "You type means, standard deviations and, if known, correlations.")
        }
        Way::Document => ("A saved file", "An earlier release, or public numbers saved before."),
    }
}

/// What was stated of a term's column.
pub fn bounds(term: &Term) -> String {
    let Some((lower, upper)) = term.bounds else { return "share, 0 to 1".to_owned() };
    format!("{} to {} {}", short(lower, 6), short(upper, 6), term.unit).trim_end().to_owned()
}

/// How many rows a file had.
pub fn read(rows: u64) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for a caption")]
    let rows = grouped(rows as f64);
    format!("What the file says, from {rows} rows")
}

pub fn unused(terms: usize) -> String {
    format!(
        " It also has {} that this plan does not use.",
        if terms == 1 { "a term".to_owned() } else { format!("{} terms", whole(terms)) }
    )
}

pub fn too_many(terms: usize) -> String {
    format!("The columns make {} terms, too many to type. Choose a file.", whole(terms))
}

/// Whether a guided fit can work, and what would make it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlook {
    /// The answer.
    pub preflight: Preflight,
    /// Rows as stated.
    pub rows: u64,
    /// What the release asks for.
    pub mu: f64,
    /// ε and δ of the smallest budget with these rows.
    pub promise: Option<(f64, f64)>,
}

pub fn outlook(outlook: &Outlook) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for a sentence")]
    let count = |rows: u64| grouped(rows as f64);
    let (rows, preflight) = (count(outlook.rows), &outlook.preflight);
    if preflight.is_ample() {
        return format!(
            "{rows} rows and this budget are enough: the noise is at most {} of what it is added to, and a half is where a fit \
             breaks.",
            percent(preflight.noise)
        );
    }
    let least = preflight.rows_needed.map(count);
    if preflight.is_stable() {
        return format!(
            "{rows} rows and this budget are just enough: the noise may come to {} of what it is added to, and a half is where a \
             fit breaks. Coefficients may be off by about their own size; several times the {} rows that it takes at least are \
             better.",
            percent(preflight.noise),
            least.unwrap_or_default()
        );
    }
    let mu = short(preflight.mu_needed, 2);
    let budget = match outlook.promise {
        Some((epsilon, delta)) => {
            format!("mu {mu} (epsilon {} at delta {})", short(epsilon, 2), one_in(delta))
        }
        None => format!("mu {mu}"),
    };
    let more = least.map_or_else(String::new, |least| format!("{least} rows at this budget, or "));
    format!(
        "{rows} rows are too few for this budget: the noise may drown what it is added to. At least it takes {more}{budget} with \
         these rows; it asks for mu {}.",
        short(outlook.mu, 2)
    )
}

/// The same in a few words.
pub fn noise(outlook: &Outlook) -> String {
    let preflight = &outlook.preflight;
    match (preflight.is_stable(), preflight.is_ample()) {
        (true, true) => format!("at most {} of what it is added to", percent(preflight.noise)),
        (true, false) => {
            format!("up to {} of what it is added to: just enough. See Method", percent(preflight.noise))
        }
        (false, _) => "larger than the fit can bear. See Method".to_owned(),
    }
}
