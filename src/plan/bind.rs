//! Finds a checked plan's columns in a table's header.

use std::collections::{HashMap, HashSet};

use super::bound::{
    BoundColumn, BoundCondition, BoundPlan, CsvRules, FieldRules, GridParams, Kind, Levels, PersonColumn,
    Source,
};
use super::check::CheckedPlan;
use super::derived::DerivedColumn;
use super::document::{Column, Plan, TypicalValues};
use super::error::{MOST_LISTED, PlanError};
use crate::model::Role;
use crate::text::listing;
use crate::words;

/// Binds `plan` to a header of `names`, in the header's order.
///
/// A name claims its column before any pattern does; a pattern stands for the columns that are left, in the header's
/// order.
///
/// # Errors
/// [`PlanError`] when a name is missing or doubled in the header, or a pattern fits no column or one that another
/// pattern has.
pub fn bind(
    plan: &CheckedPlan,
    names: &[String],
    delimiter: u8,
    grid: GridParams,
) -> Result<BoundPlan, PlanError> {
    Ok(bind_entries(plan, names, delimiter, grid)?.0)
}

/// Binds `plan` as [`bind`] does, and returns with it which of the plan's entries each bound column comes from. Those of derived terms
/// follow those of the columns.
///
/// # Errors
/// As [`bind`].
pub fn bind_entries(
    plan: &CheckedPlan,
    names: &[String],
    delimiter: u8,
    grid: GridParams,
) -> Result<(BoundPlan, Vec<usize>), PlanError> {
    let header = HeaderNames::new(names, &plan.plan);
    let mut taken = vec![false; names.len()];
    let person = match &plan.plan.person {
        None => None,
        Some(name) => {
            let field = header.find(name, || "person".to_owned())?;
            claim(&mut taken, field);
            Some(PersonColumn { name: name.clone(), field, max_rows: plan.max_rows_per_person })
        }
    };
    let fields = fields_of(&plan.plan.columns, &header, &mut taken)?;
    let of_role = |role| listed(plan, names, &fields, role).chain(derived(plan, &fields, role));
    let (columns, entries): (Vec<BoundColumn>, Vec<usize>) =
        of_role(Role::Feature).chain(of_role(Role::Outcome)).unzip();
    if !plan.derived.is_empty() {
        let mut names = HashSet::new();
        if let Some(column) = columns.iter().find(|column| !names.insert(column.name.as_str())) {
            return Err(PlanError::at(
                "derived",
                words::plan::derived_name(&column.name),
                words::plan::derived_name_advice(),
            ));
        }
    }
    let bound = BoundPlan {
        columns,
        person,
        only: conditions(plan, &fields, &header)?,
        missing: plan.missing,
        fields: names.len(),
        csv: CsvRules {
            delimiter,
            numbers: plan.numbers,
            by_field: by_field(plan, &fields),
            encoding: plan.encoding,
            na: plan.na.clone(),
        },
        grid,
        levels: Levels::default(),
        guard: false,
        public: None,
        whitening: None,
        labels: false,
        typical_correlation: plan.plan.typical_correlation,
    };
    Ok((bound, entries))
}

/// Returns what a record meets to count. A condition claims no column: it may be a feature, too.
fn conditions(
    plan: &CheckedPlan,
    fields: &[Vec<usize>],
    header: &HeaderNames<'_>,
) -> Result<Vec<BoundCondition>, PlanError> {
    let bound = plan.plan.only.iter().enumerate().map(|(index, condition)| {
        let mut terms = plan.derived.iter().flat_map(|term| &term.columns);
        if let Some(term) = terms.find(|term| term.name == condition.column)
            && let Some(of) = term.source(|column| field_of(fields, column)).difference()
        {
            return Ok(BoundCondition::of_difference(condition, of));
        }
        let field = header.find(&condition.column, || format!("only[{index}].column"))?;
        Ok(BoundCondition::of(condition, field))
    });
    bound.collect()
}

/// Returns the field of a column of the plan from which a term is made.
fn field_of(fields: &[Vec<usize>], column: usize) -> usize {
    fields.get(column).and_then(|found| found.first()).copied().unwrap_or(usize::MAX)
}

/// Returns the fields of each of the plan's columns, and claims them.
fn fields_of(
    columns: &[Column],
    header: &HeaderNames<'_>,
    taken: &mut [bool],
) -> Result<Vec<Vec<usize>>, PlanError> {
    let mut fields = vec![Vec::new(); columns.len()];
    for ((index, column), found) in columns.iter().enumerate().zip(&mut fields) {
        if let Some(name) = &column.name {
            let field = header.find(name, || format!("columns[{index}].name"))?;
            claim(taken, field);
            found.push(field);
        }
    }
    for ((index, column), found) in columns.iter().enumerate().zip(&mut fields) {
        if let Some(pattern) = &column.pattern {
            *found = header.expand(taken, pattern, &format!("columns[{index}].match"))?;
            for field in found {
                claim(taken, *field);
            }
        }
    }
    Ok(fields)
}

/// Returns the fields that are read in a way of their own.
fn by_field(plan: &CheckedPlan, fields: &[Vec<usize>]) -> Vec<(usize, FieldRules)> {
    let listed = plan.plan.columns.iter().zip(&plan.formats).zip(fields);
    listed
        .flat_map(|((column, format), found)| {
            let numbers = format.unwrap_or(plan.numbers);
            let rules = FieldRules { numbers, na: column.na.clone().unwrap_or_default() };
            let differs = rules.numbers != plan.numbers || !rules.na.is_empty();
            found.iter().filter(move |_| differs).map(move |field| (*field, rules.clone()))
        })
        .collect()
}

/// Returns the columns of a role that the plan lists, each with its entry.
fn listed<'a>(
    plan: &'a CheckedPlan,
    names: &'a [String],
    fields: &'a [Vec<usize>],
    role: Role,
) -> impl Iterator<Item = (BoundColumn, usize)> + 'a {
    let listed = plan.plan.columns.iter().zip(&plan.kinds).zip(fields).enumerate();
    let of_role = listed.filter(move |(_, ((column, _), _))| column.role == role);
    of_role.flat_map(move |(entry, ((column, kind), found))| {
        found.iter().filter_map(move |&field| {
            let bound = BoundColumn {
                name: names.get(field)?.clone(),
                source: Source::Field(field),
                role,
                kind: kind.clone()?,
                // A spread says nothing in bounds that are not known.
                typical: column
                    .typical
                    .as_ref()
                    .filter(|_| !column.is_estimated())
                    .and_then(TypicalValues::typical),
                shares: column.level_shares(),
            };
            Some((bound, entry))
        })
    })
}

/// Returns the columns of a role that the plan derives, each with its entry, counted after the listed ones.
fn derived<'a>(
    plan: &'a CheckedPlan,
    fields: &'a [Vec<usize>],
    role: Role,
) -> impl Iterator<Item = (BoundColumn, usize)> + 'a {
    let terms = plan.derived.iter().enumerate();
    let each = terms.flat_map(|(entry, term)| term.columns.iter().map(move |column| (entry, column)));
    each.filter(move |(_, column)| column.role == role).map(move |(entry, column)| {
        let bound = BoundColumn {
            name: column.name.clone(),
            source: column.source(|column| field_of(fields, column)),
            role,
            kind: column.kind.clone(),
            typical: column.typical(),
            shares: merged_shares(&plan.plan, column),
        };
        (bound, plan.plan.columns.len() + entry)
    })
}

/// Returns the share of the rows that has each level of merged ones, where those of the levels are known.
fn merged_shares(plan: &Plan, column: &DerivedColumn) -> Option<Vec<f64>> {
    let (Source::Merged(codes), Kind::Category { levels, .. }) = (column.source(|own| own), &column.kind)
    else {
        return None;
    };
    let entry = plan.columns.get(codes.column)?;
    let mut merged = vec![0.0; levels.len()];
    for (text, share) in entry.levels.iter().flatten().zip(entry.level_shares()?) {
        let (_, number) = codes.codes.iter().find(|(own, _)| own == text)?;
        *merged.get_mut(*number)? += share;
    }
    Some(merged)
}

fn claim(taken: &mut [bool], field: usize) {
    if let Some(flag) = taken.get_mut(field) {
        *flag = true;
    }
}

/// A header's names with their places, for a plan that may name very many.
struct HeaderNames<'a> {
    names: &'a [String],
    /// The first column of a name, and the second if there is one.
    places: HashMap<&'a str, (usize, Option<usize>)>,
    /// Whether a name of the plan is among them. If none is, the line may be a record, and no message may quote it.
    known: bool,
}

impl<'a> HeaderNames<'a> {
    fn new(names: &'a [String], plan: &Plan) -> Self {
        let mut places: HashMap<&str, (usize, Option<usize>)> = HashMap::with_capacity(names.len());
        for (field, name) in names.iter().enumerate() {
            places
                .entry(name)
                .and_modify(|(_, second)| *second = second.or(Some(field)))
                .or_insert((field, None));
        }
        let known = plan
            .columns
            .iter()
            .filter_map(|column| column.name.as_deref())
            .chain(plan.person.as_deref())
            .any(|name| places.contains_key(name));
        Self { names, places, known }
    }

    /// Returns the advice for a name or a pattern that no column has.
    fn advice(&self, names: impl Fn(String) -> String) -> String {
        if self.known {
            names(listing(self.names.iter().map(String::as_str), MOST_LISTED))
        } else {
            words::plan::no_column_known_advice().to_owned()
        }
    }

    fn find(&self, wanted: &str, path: impl Fn() -> String) -> Result<usize, PlanError> {
        match self.places.get(wanted) {
            Some((first, None)) => Ok(*first),
            Some((first, Some(second))) => Err(PlanError::at(
                path(),
                words::plan::name_twice(wanted, first + 1, second + 1),
                words::plan::name_twice_advice(),
            )),
            None => Err(PlanError::at(
                path(),
                words::plan::no_column(wanted),
                self.advice(words::plan::no_column_advice),
            )),
        }
    }

    fn expand(&self, taken: &[bool], pattern: &str, path: &str) -> Result<Vec<usize>, PlanError> {
        let free = self.names.iter().zip(taken).enumerate();
        let found: Vec<(usize, &String)> = free
            .filter(|(_, (name, taken))| !**taken && fits(pattern, name))
            .map(|(field, (name, _))| (field, name))
            .collect();
        if found.is_empty() {
            return Err(PlanError::at(
                path,
                words::plan::match_empty(pattern),
                self.advice(words::plan::match_empty_advice),
            ));
        }
        for (_, name) in &found {
            self.find(name, || path.to_owned())?;
        }
        Ok(found.into_iter().map(|(field, _)| field).collect())
    }
}

/// Returns whether `name` fits `pattern`, in which `*` stands for any characters, also none.
pub fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let mut middle: Vec<&str> = parts.collect();
    let Some(last) = middle.pop() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = rest.get(at + part.len()..).unwrap_or_default(),
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, expected) in [
            ("snp_*", "snp_12", true),
            ("snp_*", "SNP_12", false),
            ("*", "", true),
            ("a*b*c", "abc", true),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxc", false),
            ("*a*a", "a", false),
            ("ab", "ab", true),
            ("ab", "abc", false),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }
}
