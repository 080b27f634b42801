//! Variants that a person chooses, and what the format says of their columns: pure, and tested natively.

use super::draft::ColumnDraft;
use crate::data::genotypes::{Choice, Shared};
use crate::data::preview::Suggestion;
use crate::model::Role;
use crate::plan::bind::fits;
use crate::plan::document::ColumnType;
use crate::words;

/// Where a variant's range comes from: not from the file's calls.
const NOTE: &str = "range: copies of an allele";

/// Where the levels of SEX come from.
const SEX_NOTE: &str = "levels: 1 male, 2 female";

/// Reads a text as choices: names and patterns between commas or spaces.
pub fn typed(text: &str) -> Vec<Choice> {
    let words = text.split(|c: char| c.is_whitespace() || c == ',' || c == ';');
    words.filter(|word| !word.is_empty()).map(Choice::of).collect()
}

/// Writes a choice in words.
pub fn words(choice: &Choice) -> String {
    match choice {
        Choice::Name(name) | Choice::Pattern(name) => name.clone(),
        Choice::Range(first, last) => words::page::from_to(first, last),
    }
}

/// Joins two lists of choices, each choice once.
pub fn both(chosen: &[Choice], more: Vec<Choice>) -> Vec<Choice> {
    let mut all = chosen.to_vec();
    for choice in more {
        if !all.contains(&choice) {
            all.push(choice);
        }
    }
    all
}

/// Returns whether a choice finds some of these variants. Ranges always do: a range without variants is refused earlier.
pub fn finds(choice: &Choice, variants: &[String]) -> bool {
    match choice {
        Choice::Name(name) => variants.contains(name),
        Choice::Pattern(pattern) => variants.iter().any(|variant| fits(pattern, variant)),
        Choice::Range(..) => true,
    }
}

/// Sorts choices that find no variant: those that fit nothing, in words, and patterns that fit an identifier of several variants.
pub fn lost<'a>(choices: &[Choice], shared: &'a [Shared]) -> (Vec<String>, Vec<&'a Shared>) {
    let of = |choice: &Choice| {
        let Choice::Pattern(pattern) = choice else { return None };
        shared.iter().find(|shared| shared.pattern == *pattern)
    };
    let unknown = choices.iter().filter(|choice| of(choice).is_none()).map(words);
    (unknown.collect(), choices.iter().filter_map(of).collect())
}

/// Lists the patterns under which a plan may keep the variants: only those by which they were chosen. Another pattern may fit variants of the file
/// that were not chosen.
pub fn patterns(choices: &[Choice]) -> Vec<String> {
    let pattern = |choice: &Choice| match choice {
        Choice::Pattern(pattern) => Some(pattern.clone()),
        Choice::Name(_) | Choice::Range(..) => None,
    };
    choices.iter().filter_map(pattern).collect()
}

/// Returns the columns of genotypes: first what is known of each person, with a type from the first rows, then the variants, with the bounds of their
/// format. Described columns keep their description.
pub fn columns(
    described: Vec<ColumnDraft>,
    fixed: &[String],
    suggestions: &[Suggestion],
    variants: &[String],
) -> Vec<ColumnDraft> {
    let mut described: std::collections::HashMap<String, ColumnDraft> =
        described.into_iter().map(|column| (column.name.clone(), column)).collect();
    let mut take = |name: &String, new: &dyn Fn() -> ColumnDraft| described.remove(name).unwrap_or_else(new);
    let mut columns: Vec<ColumnDraft> = Vec::with_capacity(fixed.len() + variants.len());
    for (place, name) in fixed.iter().enumerate() {
        columns.push(take(name, &|| person_column(name, suggestions.get(place))));
    }
    columns.extend(variants.iter().map(|name| take(name, &|| variant(name))));
    columns
}

fn person_column(name: &str, suggestion: Option<&Suggestion>) -> ColumnDraft {
    if name == "SEX" {
        return ColumnDraft {
            name: name.to_owned(),
            kind: Some(ColumnType::Category),
            levels: "1, 2".to_owned(),
            note: SEX_NOTE.to_owned(),
            ..ColumnDraft::default()
        };
    }
    let kind = match suggestion {
        Some(Suggestion::Number) => Some(ColumnType::Number),
        Some(Suggestion::Category { .. }) => Some(ColumnType::Category),
        Some(Suggestion::Unknown) | None => None,
    };
    ColumnDraft { name: name.to_owned(), kind, ..ColumnDraft::default() }
}

fn variant(name: &str) -> ColumnDraft {
    ColumnDraft {
        name: name.to_owned(),
        role: Role::Feature,
        kind: Some(ColumnType::Number),
        lower: "0".to_owned(),
        upper: "2".to_owned(),
        unit: "copy".to_owned(),
        note: NOTE.to_owned(),
        ..ColumnDraft::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn what_is_typed_is_names_and_patterns() {
        let found = typed(" rs7412,rs42*; 19:44908684:T:C\n");
        let name = |name: &str| Choice::Name(name.to_owned());
        assert_eq!(found, [name("rs7412"), Choice::Pattern("rs42*".to_owned()), name("19:44908684:T:C")]);
        assert_eq!(patterns(&found), ["rs42*"]);
        assert!(typed(" , ").is_empty());
        let more = both(&found, vec![name("rs7412"), name("rs1")]);
        assert_eq!(more.len(), 4);
        let variants = names(&["rs429358", "19:44908684:T:C"]);
        assert_eq!(
            found.iter().map(|choice| finds(choice, &variants)).collect::<Vec<_>>(),
            [false, true, true]
        );
    }

    #[test]
    fn a_pattern_of_a_shared_identifier_is_told_apart_from_one_that_fits_nothing() {
        let of_pattern = |pattern: &str| Shared {
            pattern: pattern.to_owned(),
            id: "rs7".to_owned(),
            coordinates: "1:5:A:C".to_owned(),
        };
        let shared = [of_pattern("rs7*"), of_pattern("r*")];
        let (unknown, found) = lost(&typed("rs7*, rs8*, rs7"), &shared);
        assert_eq!((unknown, found), (names(&["rs8*", "rs7"]), vec![&shared[0]]));
        assert_eq!(lost(&[], &shared), (Vec::new(), Vec::new()));
    }

    #[test]
    fn the_format_gives_bounds_and_the_first_rows_a_type_alone() {
        let fixed = names(&["FID", "IID", "SEX", "PHENO"]);
        let suggested = [
            Suggestion::Number,
            Suggestion::Category { distinct: 5 },
            Suggestion::Number,
            Suggestion::Number,
        ];
        let found = columns(Vec::new(), &fixed, &suggested, &names(&["rs1", "rs2"]));
        let bounds: Vec<(&str, &str)> = found.iter().map(|c| (c.lower.as_str(), c.upper.as_str())).collect();
        assert_eq!(bounds, [("", ""), ("", ""), ("", ""), ("", ""), ("0", "2"), ("0", "2")]);
        assert_eq!((found[2].kind, found[2].levels.as_str()), (Some(ColumnType::Category), "1, 2"));
        assert_eq!((found[3].kind, found[3].role), (Some(ColumnType::Number), Role::Ignored));
        assert_eq!(found[4].role, Role::Feature);

        let mut described = found;
        described[3].upper = "9".to_owned();
        described[5].role = Role::Ignored;
        let again = columns(described, &fixed, &suggested, &names(&["rs2", "rs3"]));
        let seen: Vec<(&str, Role)> = again.iter().skip(3).map(|c| (c.name.as_str(), c.role)).collect();
        let (feature, ignored) = (Role::Feature, Role::Ignored);
        assert_eq!(seen, [("PHENO", ignored), ("rs2", ignored), ("rs3", feature)]);
        assert_eq!(again[3].upper, "9");
    }
}
