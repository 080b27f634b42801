//! Finds the fields of a codebook by its headings.

use super::choices::Level;
use crate::plan::document::ColumnType;

/// Lines in which the header is looked for.
const LINES: usize = 12;

/// A field of a codebook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The name.
    Name,
    /// The description.
    Label,
    /// The type.
    Type,
    /// REDCap's rule for texts.
    Validation,
    /// The unit.
    Unit,
    /// The values of a category.
    Levels,
    /// The smallest value.
    Lower,
    /// The largest value.
    Upper,
    /// Both.
    Range,
    /// Codes of missing values.
    Missing,
}

/// Headings, in small letters without marks. The first heading of a field that occurs in the header counts.
const HEADINGS: [(Field, &[&str]); 10] = [
    (
        Field::Name,
        &[
            "variablefieldname", "fieldname", "variablename", "variable", "columnname", "name", "column",
            "field", "varname", "var",
        ],
    ),
    (
        Field::Label,
        &[
            "fieldlabel", "variablelabel", "label", "description", "columndescription", "question",
            "meaning", "title",
        ],
    ),
    (
        Field::Type,
        &[
            "fieldtype", "variabletype", "datatype", "columntype", "type", "class", "kind", "measure",
            "measurementlevel", "scale",
        ],
    ),
    (
        Field::Validation,
        &["textvalidationtypeorshowslidernumber", "textvalidationtype", "validation", "format"],
    ),
    (Field::Unit, &["unit", "units", "unitofmeasure", "unitofmeasurement", "measurementunit"]),
    (
        Field::Levels,
        &[
            "choicescalculationsorsliderlabels", "selectchoicesorcalculations", "choices", "levels",
            "valuelabels", "values", "categories", "codes", "coding", "options", "allowedvalues",
            "permissiblevalues", "value", "responseoptions",
        ],
    ),
    (
        Field::Lower,
        &[
            "textvalidationmin", "lower", "lowerbound", "lowest", "min", "minimum", "minvalue",
            "minimumvalue", "validmin", "low",
        ],
    ),
    (
        Field::Upper,
        &[
            "textvalidationmax", "upper", "upperbound", "highest", "max", "maximum", "maxvalue",
            "maximumvalue", "validmax", "high",
        ],
    ),
    (Field::Range, &["range", "validrange", "allowedrange", "bounds"]),
    (
        Field::Missing,
        &["missing", "missingvalues", "missingvalue", "missingcodes", "missingcode", "usermissing", "na"],
    ),
];

/// Types that are numbers.
const NUMBERS: [&str; 19] = [
    "number", "numeric", "num", "integer", "int", "float", "double", "decimal", "real", "continuous",
    "count", "quantitative", "interval", "ratio", "scale", "calc", "slider", "long", "byte",
];

/// Types that are categories.
const CATEGORIES: [&str; 19] = [
    "category", "categorical", "cat", "factor", "nominal", "ordinal", "ordered", "binary", "boolean", "bool",
    "logical", "dichotomous", "enum", "radio", "dropdown", "select", "yesno", "truefalse", "checkbox",
];

/// The column of each field.
#[derive(Debug)]
pub struct Layout(Vec<(Field, usize)>);

/// Returns a heading, a type or another name in small letters and digits, without marks and spaces.
pub fn word(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the first line that names a column of names and another field, and the fields.
pub fn find(rows: &[Vec<String>]) -> Option<(usize, Layout)> {
    rows.iter().take(LINES).enumerate().find_map(|(line, row)| {
        let layout = Layout::of(row);
        (layout.0.len() > 1 && layout.has(Field::Name)).then_some((line, layout))
    })
}

/// Fewest known fields of a header that make a file a codebook.
const FIELDS_OF_CODEBOOK: usize = 4;

/// Returns whether names of columns are the headings of a codebook: a table of names and types, with further fields.
pub fn are_headings(names: &[String]) -> bool {
    let layout = Layout::of(names);
    layout.0.len() >= FIELDS_OF_CODEBOOK && layout.has(Field::Name) && layout.has(Field::Type)
}

impl Layout {
    /// Finds the fields by the cells of a line.
    fn of(row: &[String]) -> Self {
        let headings: Vec<String> = row.iter().map(|cell| word(cell)).collect();
        let place =
            |known: &[&str]| known.iter().find_map(|known| headings.iter().position(|own| own == known));
        let fields = HEADINGS.iter().filter_map(|(field, known)| Some((*field, place(known)?)));
        Self(fields.collect())
    }

    fn has(&self, field: Field) -> bool {
        self.0.iter().any(|(own, _)| *own == field)
    }

    /// Returns the cell of a field; empty where there is none.
    pub fn cell<'a>(&self, row: &'a [String], field: Field) -> &'a str {
        let place = self.0.iter().find(|(own, _)| *own == field).map(|(_, place)| *place);
        place.and_then(|place| row.get(place)).map_or("", String::as_str)
    }
}

/// Returns the type of a column by the words and the values of its line. `None` for dates, free text, and lines that state none.
pub fn kind(stated: &str, validation: &str, levels: &[Level], bounded: bool) -> Option<ColumnType> {
    let is_time = |word: &str| word.starts_with("date") || word.starts_with("time");
    let is_number = |word: &str| {
        let stem = word.trim_end_matches(|letter: char| letter.is_ascii_digit());
        NUMBERS.contains(&stem) || stem.starts_with("number") || stem.starts_with("integer")
    };
    // Codes of missing values alone make no category of a number.
    let coded = levels.iter().filter(|level| level.code != level.label).count();
    match (stated, validation) {
        (stated, validation) if is_time(stated) || is_time(validation) => None,
        (stated, _) if CATEGORIES.contains(&stated) => Some(ColumnType::Category),
        ("scale" | "continuous" | "calc" | "slider" | "interval" | "ratio", _) => Some(ColumnType::Number),
        _ if coded >= 2 && !bounded => Some(ColumnType::Category),
        (stated, validation) if is_number(stated) || is_number(validation) => Some(ColumnType::Number),
        _ if levels.len() >= 2 => Some(ColumnType::Category),
        _ if bounded => Some(ColumnType::Number),
        _ => None,
    }
}
