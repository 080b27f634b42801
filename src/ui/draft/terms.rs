//! A derived term as it is typed.

use super::columns::ColumnDraft;
use super::setup::Setup;
use super::to_plan::draft_plan;
use super::typed::{list, number, unlist};
use crate::model::Role;
use crate::plan::derived::{Uncentred, name_of};
use crate::plan::document::{BudgetForm, ColumnType, Derived, Group, Transform, TypicalValues};
use crate::plan::{Purpose, faults};
use crate::ui::sentence::{fault, sentence};

/// A derived term as it is typed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermDraft {
    /// The function.
    pub transform: Transform,
    /// The columns that it is made from, separated by commas.
    pub from: String,
    /// Its public numbers: `0.5`, `40 60 75`, `0 60`.
    pub value: String,
    /// Levels that are joined, each with the name that it then has.
    pub joined: Vec<(String, String)>,
    /// What a difference is multiplied by.
    pub factor: String,
    /// The unit of a difference.
    pub unit: String,
    /// What is typical of a difference that has its own range: a mean and a standard deviation.
    pub typical: String,
    /// Outcome, or ignored where it only serves other terms; a feature where nothing is said.
    pub role: Option<Role>,
    /// Its name in tables; from the transform where it is empty.
    pub name: String,
    /// The group that others are compared with, which a plan may say and nobody types.
    pub reference: Option<String>,
}

/// The form for a term.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TermForm {
    /// What is typed.
    pub draft: TermDraft,
    /// The place of the term that it changes.
    pub place: Option<usize>,
}

impl TermForm {
    /// Returns whether something is typed that is no part of the plan.
    pub fn is_open(&self, terms: &[Derived]) -> bool {
        match self.place.and_then(|place| terms.get(place)) {
            Some(entry) => TermDraft::of(entry) != self.draft,
            None => !self.draft.from.trim().is_empty(),
        }
    }
}

/// Returns the column in whose place a term mostly stands: it says all that the column does.
pub fn replaced(term: &Derived) -> Option<&String> {
    let replaces = matches!(term.transform, Transform::Log | Transform::Centred | Transform::Merged);
    term.from.first().filter(|_| replaces)
}

impl TermDraft {
    /// Returns an entry of a plan as it would be typed.
    pub fn of(entry: &Derived) -> Self {
        let written = |number: &f64| number.to_string();
        let value = match entry.transform {
            Transform::Log => entry.offset.as_ref().map(written),
            Transform::Centred => entry.at.as_ref().map(written),
            Transform::Spline => {
                entry.knots.as_ref().map(|knots| knots.iter().map(written).collect::<Vec<_>>().join(" "))
            }
            Transform::Difference => {
                entry.lower.zip(entry.upper).map(|(lower, upper)| format!("{lower} {upper}"))
            }
            Transform::Square | Transform::Product | Transform::Merged => None,
        };
        let groups = entry.groups.iter().flatten();
        let joined =
            groups.flat_map(|group| group.levels.iter().map(|level| (level.clone(), group.name.clone())));
        Self {
            transform: entry.transform,
            from: unlist(&entry.from),
            value: value.unwrap_or_default(),
            joined: joined.collect(),
            factor: entry.factor.as_ref().map(written).unwrap_or_default(),
            unit: entry.unit.clone().unwrap_or_default(),
            typical: typical(entry).unwrap_or_default(),
            role: entry.role.filter(|role| *role != Role::Feature),
            name: entry.name.clone().unwrap_or_default(),
            reference: entry.reference.clone(),
        }
    }

    /// Sets what it is made from. What is made of an outcome is one, and what is made of a predictor is none.
    pub fn make_from(&mut self, from: String, columns: &[ColumnDraft]) {
        let named = columns.iter().find(|column| column.name == from.trim());
        match named.map(|column| column.role) {
            Some(Role::Outcome) => self.role = Some(Role::Outcome),
            Some(Role::Feature) if self.role == Some(Role::Outcome) => self.role = None,
            _ => {}
        }
        self.from = from;
    }

    /// Returns the names of what it is made from, in a table with these columns.
    pub fn parts(&self, columns: &[ColumnDraft]) -> Vec<String> {
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        named(&self.from, &names)
    }

    /// Makes it from a column or a term too, or no longer; where it is made from one alone, in place of another.
    pub fn choose(&mut self, name: &str, columns: &[ColumnDraft]) {
        let mut parts = self.parts(columns);
        if let Some(place) = parts.iter().position(|part| part == name) {
            parts.remove(place);
        } else {
            if !matches!(self.transform, Transform::Product | Transform::Difference) {
                parts.clear();
            }
            parts.push(name.to_owned());
        }
        self.make_from(unlist(&parts), columns);
    }

    /// Returns the name that a level has when it is joined, as it was typed; nothing where it is not.
    pub fn joined_name(&self, level: &str) -> String {
        self.joined.iter().find(|(own, _)| own == level).map(|(_, name)| name.clone()).unwrap_or_default()
    }

    /// Joins a level with those of the same name.
    pub fn join(&mut self, level: &str, name: String) {
        match self.joined.iter_mut().find(|(own, _)| own == level) {
            Some((_, own)) => *own = name,
            None => self.joined.push((level.to_owned(), name)),
        }
    }

    /// Returns the columns and the terms that it can be made from.
    pub fn choices(&self, columns: &[ColumnDraft], terms: &[Derived]) -> Vec<String> {
        let fits = |kind| match self.transform {
            Transform::Merged => kind == ColumnType::Category,
            Transform::Product => true,
            _ => kind == ColumnType::Number,
        };
        let term_fits = |term: &&Derived| match term.transform {
            // It has several columns.
            Transform::Spline => false,
            Transform::Merged => fits(ColumnType::Category),
            _ => fits(ColumnType::Number),
        };
        let of_terms = terms.iter().filter(term_fits).map(name_of);
        let of_columns = columns.iter().filter(|column| column.kind.is_some_and(fits));
        of_columns.map(|column| column.name.clone()).chain(of_terms).collect()
    }

    /// Returns it as an entry of a plan for a table with these columns. `None` if its value cannot be read.
    pub fn entry(&self, columns: &[String]) -> Option<Derived> {
        let typed = self.value.trim();
        let mut entry = Derived {
            transform: self.transform,
            from: named(&self.from, columns),
            role: self.role,
            name: Some(self.name.trim().to_owned()).filter(|name| !name.is_empty()),
            reference: self.reference.clone().filter(|_| self.transform == Transform::Merged),
            ..Derived::default()
        };
        match self.transform {
            Transform::Log => entry.offset = optional(typed)?,
            Transform::Centred => entry.at = Some(number(typed)?),
            Transform::Spline => {
                entry.knots = Some(typed.split_whitespace().map(number).collect::<Option<_>>()?);
            }
            Transform::Merged => entry.groups = Some(groups(&self.joined)),
            Transform::Difference => {
                entry.factor = optional(&self.factor)?;
                entry.unit = Some(self.unit.trim().to_owned()).filter(|unit| !unit.is_empty());
                [entry.lower, entry.upper] = two(typed)?;
                let [mean, sd] = two(&self.typical)?;
                entry.typical = sd.map(|sd| TypicalValues { mean, sd: Some(sd), ..TypicalValues::default() });
            }
            Transform::Square | Transform::Product => {}
        }
        Some(entry)
    }
}

/// Puts a term in the setup, at the place of another one or behind all.
///
/// # Errors
/// What is wrong with it in a table that is described so; the setup is then as it was.
pub fn put_term(
    columns: &[ColumnDraft],
    setup: &mut Setup,
    entry: Derived,
    place: Option<usize>,
) -> Result<(), Vec<String>> {
    let mut with = setup.clone();
    let index = place.filter(|place| *place < with.derived.len()).unwrap_or(with.derived.len());
    match with.derived.get_mut(index) {
        Some(old) => *old = entry,
        None => with.derived.push(entry),
    }
    let wrong = wrong_at(columns, &with, &format!("derived[{index}]"));
    if wrong.is_empty() {
        *setup = with;
        return Ok(());
    }
    Err(wrong)
}

/// Takes the term at a place out of the setup, and returns it. With an outcome goes the method, which was chosen for it.
pub fn take_term(setup: &mut Setup, place: usize) -> Option<Derived> {
    let term = (place < setup.derived.len()).then(|| setup.derived.remove(place))?;
    if term.role == Some(Role::Outcome) {
        setup.choose(None);
    }
    Some(term)
}

/// Returns the products that are nearly collinear with their factors.
pub fn uncentred(columns: &[ColumnDraft], setup: &Setup) -> Vec<Uncentred> {
    Uncentred::of(&draft_plan(columns, setup, Ok(BudgetForm::default())).0)
}

/// Makes a product from centred numbers. Where such a number is a feature, the centred one is a feature in its place.
pub fn centre(columns: &mut [ColumnDraft], setup: &mut Setup, uncentred: &Uncentred) {
    let is_it = |term: &Derived| name_of(term) == uncentred.product;
    let Some(mut place) = setup.derived.iter().position(is_it) else { return };
    for (name, at) in &uncentred.far {
        let own = columns.iter_mut().find(|column| column.name == *name);
        let feature = own.filter(|column| column.role == Role::Feature);
        let centred = Derived {
            transform: Transform::Centred,
            from: vec![name.clone()],
            at: Some(*at),
            role: feature.is_none().then_some(Role::Ignored),
            ..Derived::default()
        };
        let of_centred = name_of(&centred);
        if setup.derived.iter().take(place).all(|term| name_of(term) != of_centred) {
            setup.derived.insert(place, centred);
            place += 1;
            if let Some(column) = feature {
                column.role = Role::Ignored;
            }
        }
        let parts = setup.derived.get_mut(place).map(|product| product.from.iter_mut());
        parts
            .into_iter()
            .flatten()
            .filter(|part| *part == name)
            .for_each(|part| part.clone_from(&of_centred));
    }
}

/// Returns what is wrong at a path of the plan that the draft stands for.
pub(super) fn wrong_at(columns: &[ColumnDraft], setup: &Setup, path: &str) -> Vec<String> {
    let plan = draft_plan(columns, setup, Ok(BudgetForm::default())).0;
    let wrong = faults(&plan, Purpose::Public).into_iter().filter(|error| error.path.starts_with(path));
    wrong.map(|error| sentence(&fault(&error))).collect()
}

/// Reads names of columns, which may have commas of their own: the most parts that make the name of a column belong together, and what
/// stands in double quotes does.
fn named(text: &str, columns: &[String]) -> Vec<String> {
    if text.contains('"') {
        return list(text);
    }
    let parts: Vec<&str> = text.split(',').collect();
    let mut names = Vec::new();
    let mut start = 0;
    while start < parts.len() {
        let whole = |end: &usize| columns.iter().find(|name| **name == parts[start..*end].join(",").trim());
        let end = (start + 1..=parts.len()).rev().find(|end| whole(end).is_some()).unwrap_or(start + 1);
        names.push(parts[start..end].join(",").trim().to_owned());
        start = end;
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Reads a number that may be left out. `None` if it cannot be read.
fn optional(text: &str) -> Option<Option<f64>> {
    let text = text.trim();
    if text.is_empty() { Some(None) } else { number(text).map(Some) }
}

/// Reads two numbers with a space or a dash between them, as in `0-60`, or none. `None` if they cannot be read.
fn two(text: &str) -> Option<[Option<f64>; 2]> {
    const DASHES: [char; 2] = ['-', '–'];
    let after_digit =
        |(place, _): &(usize, &str)| text[..*place].ends_with(|mark: char| mark.is_ascii_digit());
    let parts = match text.match_indices(DASHES).find(after_digit) {
        Some((place, dash)) => vec![&text[..place], &text[place + dash.len()..]],
        None => text.split_whitespace().filter(|part| !matches!(*part, "-" | "–")).collect(),
    };
    match *parts {
        [] => Some([None, None]),
        [first, second] => Some([Some(number(first)?), Some(number(second)?)]),
        _ => None,
    }
}

/// Writes what is typical of a difference as it is typed.
fn typical(entry: &Derived) -> Option<String> {
    let known = entry.typical.as_ref()?;
    let mean = known.mean.unwrap_or(entry.lower?.midpoint(entry.upper?));
    Some(format!("{mean} {}", known.sd?))
}

/// Groups levels by the names that were typed; a level without one stays as it is.
fn groups(joined: &[(String, String)]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (level, name) in
        joined.iter().map(|(level, name)| (level, name.trim())).filter(|(_, name)| !name.is_empty())
    {
        match groups.iter_mut().find(|group| group.name == name) {
            Some(group) => group.levels.push(level.clone()),
            None => groups.push(Group { name: name.to_owned(), levels: vec![level.clone()] }),
        }
    }
    groups
}

/// Returns how many levels a term joins.
pub fn spellings(term: &Derived) -> usize {
    term.groups.iter().flatten().map(|group| group.levels.len()).sum()
}

/// Returns whether a term joins a level under another name.
pub fn is_other_spelling(term: &Derived, level: &str) -> bool {
    let joins = |group: &Group| group.name != level && group.levels.iter().any(|own| own == level);
    term.groups.iter().flatten().any(joins)
}
