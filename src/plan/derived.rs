//! Terms that a plan derives from its columns: public functions of one record's own values (theory/encoding 2.8).
//!
//! A derived term is read as if the table had it as a column. Its bounds follow from the stated ones of the columns that it is made from; a
//! difference may have its own. A value is computed from clipped values, is missing where one of them is, and is clipped to its own bounds
//! again when it is encoded.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use super::bound::{Kind, Source};
use super::document::{Bound, Column, ColumnType, Derived, Group, Plan, Transform, TypicalValues};
use super::error::{PlanError, known_advice};
use super::expression::{Expression, Leaf, LevelCodes};
use super::kinds::{are_usable_bounds, check_typical, column_kinds, described_kind, na};
use crate::model::note::quoted;
use crate::model::{INTERCEPT, Role, Typical};
use crate::words;

/// Most columns that one derived term may stand for.
const MOST_COLUMNS: usize = 1_000;

/// Most operations of one derived value.
const MOST_OPERATIONS: usize = 200;

/// Most knots of a spline.
const MOST_KNOTS: usize = 10;

/// One column that a derived term stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedColumn {
    /// Its name.
    pub name: String,
    /// Feature or outcome; ignored where it only serves other terms.
    pub role: Role,
    /// A number with bounds that follow from those of the plan, or a category of merged levels.
    pub kind: Kind,
    /// How it is computed, from columns of the plan.
    source: Source,
}

impl DerivedColumn {
    /// Returns how it is computed from the fields of a record; `fields` finds a column of the plan.
    pub fn source(&self, fields: impl Fn(usize) -> usize) -> Source {
        match &self.source {
            Source::Field(column) => Source::Field(fields(*column)),
            Source::Computed(expression) => Source::Computed(Arc::new(expression.placed(&fields))),
            Source::Merged(codes) => {
                Source::Merged(Arc::new(LevelCodes { column: fields(codes.column), ..(**codes).clone() }))
            }
        }
    }

    /// Returns its approximate mean and standard deviation, for forecasts. `None` if they are not known.
    pub fn typical(&self) -> Option<Typical> {
        let Source::Computed(expression) = &self.source else { return None };
        expression.with_differences_drawn().typical()
    }

    /// Returns it as a column of a plan.
    pub fn describe(&self) -> Column {
        let column = Column { name: Some(self.name.clone()), role: self.role, ..Column::default() };
        match &self.kind {
            Kind::Number { lower, upper } => Column {
                kind: Some(ColumnType::Number),
                lower: Some(Bound::Stated(*lower)),
                upper: Some(Bound::Stated(*upper)),
                ..column
            },
            Kind::Category { levels, reference, .. } => Column {
                kind: Some(ColumnType::Category),
                levels: Some(levels.clone()),
                reference: levels.get(*reference).cloned(),
                ..column
            },
        }
    }
}

/// A derived term with its columns: one, or for a spline and a product with a category several.
#[derive(Clone, Debug, PartialEq)]
pub struct DerivedTerm {
    /// Its name, as stated or by default.
    pub name: String,
    /// Its columns.
    pub columns: Vec<DerivedColumn>,
}

/// Returns the derived terms of a plan, or what is wrong with each. `kinds` says how the columns with a role are read.
pub(super) fn terms(
    plan: &Plan,
    kinds: &[Option<Kind>],
    na: &[String],
) -> Vec<Result<DerivedTerm, PlanError>> {
    let mut deriver = Deriver::new(plan, kinds, na);
    let derived = plan.derived.iter().enumerate();
    derived.map(|(index, entry)| deriver.term(entry, &format!("derived[{index}]"))).collect()
}

/// Returns the derived terms of a plan that was checked before, such as that of a release; those that are wrong are left out.
pub fn terms_of(plan: &Plan) -> Vec<DerivedTerm> {
    if plan.derived.is_empty() {
        return Vec::new();
    }
    let na = na(plan);
    let kinds: Vec<Option<Kind>> = column_kinds(plan, &na).map(|kind| kind.ok().flatten()).collect();
    terms(plan, &kinds, &na).into_iter().filter_map(Result::ok).collect()
}

/// Returns the derived term of this name, if it is a logarithm.
pub fn logarithm<'a>(plan: &'a Plan, name: &str) -> Option<&'a Derived> {
    plan.derived.iter().find(|term| term.transform == Transform::Log && name_of(term) == name)
}

/// Returns the plan's columns followed by those that it derives, as if the table had them.
pub fn all_columns(plan: &Plan) -> Vec<Column> {
    let derived = terms_of(plan).into_iter().flat_map(|term| term.columns);
    plan.columns.iter().cloned().chain(derived.map(|column| column.describe())).collect()
}

/// Returns the names, or the patterns, of the columns and derived terms of a role.
pub fn named_with(plan: &Plan, role: Role) -> Vec<String> {
    let columns = plan.columns.iter().filter(|column| column.role == role);
    let columns = columns.filter_map(|column| column.name.clone().or_else(|| column.pattern.clone()));
    let of_role = |term: &DerivedTerm| term.columns.first().is_some_and(|column| column.role == role);
    columns.chain(terms_of(plan).into_iter().filter(of_role).map(|term| term.name)).collect()
}

/// Returns the outcomes of a plan, with derived ones.
pub fn outcomes(plan: &Plan) -> impl Iterator<Item = Column> {
    all_columns(plan).into_iter().filter(|column| column.role == Role::Outcome)
}

/// A typical mean is far from 0 if it is more than this many typical standard deviations away.
const FAR: f64 = 2.0;

/// Returns the value at which to centre a number that lies far from 0, by its bounds or its typical values. Such a number is
/// nearly collinear with its square, and a product with it is nearly collinear with the other factors.
pub fn far_centre(column: &Column) -> Option<f64> {
    let (lower, upper) = column.stated_bounds()?;
    match column.typical.as_ref().and_then(TypicalValues::typical) {
        Some(Typical { mean: Some(mean), sd }) => (mean.abs() > FAR * sd).then_some(mean),
        _ => ((lower >= 0.0 || upper <= 0.0) && (lower, upper) != (0.0, 1.0)).then(|| lower.midpoint(upper)),
    }
}

/// A product of numbers that is nearly collinear with its factors, because some of them lie far from 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncentred {
    /// Its name.
    pub product: String,
    /// These numbers, and where each would be centred.
    pub far: Vec<(String, f64)>,
}

impl Uncentred {
    /// Returns the products among the features of which a factor is a feature, too.
    pub fn of(plan: &Plan) -> Vec<Self> {
        let column = |name: &String| plan.columns.iter().find(|column| column.name.as_ref() == Some(name));
        let is_number = |name: &&String| column(name).is_none_or(|own| own.kind == Some(ColumnType::Number));
        let is_feature = |name: &String| column(name).is_some_and(|own| own.role == Role::Feature);
        let products = plan.derived.iter().filter(|term| {
            term.transform == Transform::Product && term.role.unwrap_or(Role::Feature) == Role::Feature
        });
        let of = |term: &Derived| {
            let numbers: Vec<&String> = term.from.iter().filter(is_number).collect();
            let far = numbers.iter().filter_map(|name| Some(((*name).clone(), far_centre(column(name)?)?)));
            let far: Vec<(String, f64)> = far.collect();
            let is_like_them = numbers.len() > 1 && !far.is_empty() && term.from.iter().any(is_feature);
            is_like_them.then(|| Self { product: name_of(term), far })
        };
        products.filter_map(of).collect()
    }

    /// Returns what follows, and what to do.
    pub fn sentence(&self) -> String {
        let names: Vec<String> = self.far.iter().map(|(name, _)| name.clone()).collect();
        words::forecast::uncentred(quoted(std::slice::from_ref(&self.product)), quoted(&names))
    }
}

/// An operand of a transform.
enum Operand {
    Number(Expression),
    Category { codes: Arc<LevelCodes>, levels: Vec<String>, reference: usize },
}

struct Deriver<'a> {
    plan: &'a Plan,
    kinds: &'a [Option<Kind>],
    na: &'a [String],
    /// Names that a derived column must not have.
    taken: HashSet<String>,
    /// The columns so far.
    columns: Vec<DerivedColumn>,
    /// The role with which each column of the plan is used; `None` for one that is not used yet.
    sides: Vec<Option<Role>>,
}

impl<'a> Deriver<'a> {
    fn new(plan: &'a Plan, kinds: &'a [Option<Kind>], na: &'a [String]) -> Self {
        let mut taken: HashSet<String> = HashSet::from([INTERCEPT.to_owned()]);
        for column in &plan.columns {
            let Some(name) = &column.name else { continue };
            taken.extend(column.levels.iter().flatten().map(|level| format!("{name}[{level}]")));
            taken.insert(name.clone());
        }
        let sides = plan.columns.iter().map(|column| Some(column.role).filter(|role| *role != Role::Ignored));
        Self { plan, kinds, na, taken, columns: Vec::new(), sides: sides.collect() }
    }

    fn term(&mut self, entry: &Derived, path: &str) -> Result<DerivedTerm, PlanError> {
        let role = entry.role.unwrap_or(Role::Feature);
        check_fields(entry, path)?;
        let operands = entry.from.iter().map(|name| self.operand(name, role, path));
        let operands = operands.collect::<Result<Vec<_>, _>>()?;
        let name = name_of(entry);
        let sources = match entry.transform {
            Transform::Product => product(&operands, path)?,
            Transform::Difference => vec![(None, difference(entry, &operands, path)?)],
            Transform::Merged => vec![(None, merged(entry, &operands, path)?)],
            Transform::Log | Transform::Square | Transform::Centred | Transform::Spline => {
                numbers(entry, &operands, path)?
            }
        };
        if role == Role::Outcome && sources.len() > 1 {
            return Err(PlanError::at(
                format!("{path}.role"),
                words::plan::derived_role(),
                words::plan::derived_role_advice(),
            ));
        }
        let mut columns = Vec::new();
        for (suffix, (kind, source)) in sources {
            let name = suffix.map_or_else(|| name.clone(), |suffix| format!("{name}[{suffix}]"));
            self.check(&name, role, &kind, &source, path)?;
            if let Kind::Category { levels, .. } = &kind {
                self.taken.extend(levels.iter().map(|level| format!("{name}[{level}]")));
            }
            columns.push(DerivedColumn { name, role, kind, source });
        }
        self.columns.extend(columns.iter().cloned());
        Ok(DerivedTerm { name, columns })
    }

    /// Finds a column of the plan, or a column that was derived before.
    fn operand(&mut self, name: &str, role: Role, path: &str) -> Result<Operand, PlanError> {
        let path = format!("{path}.from");
        let place = self.plan.columns.iter().position(|column| column.name.as_deref() == Some(name));
        let (columns, operand) = if let Some((column, entry)) =
            place.and_then(|place| Some((place, self.plan.columns.get(place)?)))
        {
            if entry.lower == Some(Bound::Estimate) || entry.upper == Some(Bound::Estimate) {
                let advice = words::plan::derived_estimated_advice();
                return Err(PlanError::at(path, words::plan::derived_estimated(name), advice));
            }
            let known = self.kinds.get(column).cloned().flatten();
            let kind = match known {
                Some(kind) => kind,
                None => described_kind(entry, &format!("columns[{column}]"), self.na)?,
            };
            let operand = match kind {
                Kind::Number { lower, upper } => {
                    let typical = entry.typical.as_ref().and_then(TypicalValues::typical);
                    Operand::Number(Expression::Leaf(Leaf::Number { column, lower, upper, typical }))
                }
                Kind::Category { levels, reference, other } => {
                    let codes = Arc::new(LevelCodes::of(column, &levels, other));
                    Operand::Category { codes, levels, reference }
                }
            };
            (vec![column], operand)
        } else if let Some(column) = self.columns.iter().find(|column| column.name == name) {
            let operand = match (&column.source, &column.kind) {
                (Source::Merged(codes), Kind::Category { levels, reference, .. }) => Operand::Category {
                    codes: Arc::clone(codes),
                    levels: levels.clone(),
                    reference: *reference,
                },
                (Source::Computed(expression), _) => Operand::Number((**expression).clone()),
                _ => return Err(self.unknown(path, name)),
            };
            (column.source.fields(), operand)
        } else {
            return Err(self.unknown(path, name));
        };
        // A term that only serves others is neither feature nor outcome; the terms that use it are.
        let mut used = |column: &usize| {
            self.sides.get_mut(*column).is_some_and(|side| *side.get_or_insert(role) == role)
        };
        let one_side = role == Role::Ignored || columns.iter().all(&mut used);
        if one_side && self.plan.person.as_deref() != Some(name) {
            Ok(operand)
        } else {
            Err(PlanError::at(
                path,
                words::plan::derived_sides(name),
                words::plan::derived_sides_advice(name),
            ))
        }
    }

    fn unknown(&self, path: String, name: &str) -> PlanError {
        let columns = self.plan.columns.iter().filter_map(|column| column.name.as_deref());
        let known: Vec<&str> =
            columns.chain(self.columns.iter().map(|column| column.name.as_str())).collect();
        let advice = known_advice(name, &known, |_| words::plan::derived_unknown_advice().to_owned());
        PlanError::at(path, words::plan::derived_unknown(name), advice)
    }

    fn check(
        &mut self,
        name: &str,
        role: Role,
        kind: &Kind,
        source: &Source,
        path: &str,
    ) -> Result<(), PlanError> {
        let fault = if name.trim() != name || name.is_empty() {
            Some(words::plan::derived_name_empty(name))
        } else {
            (!self.taken.insert(name.to_owned())).then(|| words::plan::derived_name(name))
        };
        if let Some(fault) = fault {
            return Err(PlanError::at(format!("{path}.name"), fault, words::plan::derived_name_advice()));
        }
        if let Source::Computed(expression) = source
            && expression.operations() > MOST_OPERATIONS
        {
            return Err(many(path));
        }
        match kind {
            Kind::Number { lower, upper } if !are_usable_bounds(*lower, *upper) => {
                Err(PlanError::at(path, words::plan::derived_far(name), words::plan::derived_far_advice()))
            }
            Kind::Category { levels, .. } if role == Role::Outcome && levels.len() != 2 => {
                Err(PlanError::at(path, words::plan::outcome_levels(), words::plan::outcome_levels_advice()))
            }
            _ => Ok(()),
        }
    }
}

fn many(path: &str) -> PlanError {
    PlanError::at(path, words::plan::derived_many(MOST_COLUMNS), words::plan::derived_many_advice())
}

/// Refuses a field of another transform.
fn check_fields(entry: &Derived, path: &str) -> Result<(), PlanError> {
    let fields = [
        ("offset", entry.offset.is_some(), Transform::Log),
        ("factor", entry.factor.is_some(), Transform::Difference),
        ("lower", entry.lower.is_some(), Transform::Difference),
        ("upper", entry.upper.is_some(), Transform::Difference),
        ("typical", entry.typical.is_some(), Transform::Difference),
        ("unit", entry.unit.is_some(), Transform::Difference),
        ("at", entry.at.is_some(), Transform::Centred),
        ("knots", entry.knots.is_some(), Transform::Spline),
        ("groups", entry.groups.is_some(), Transform::Merged),
        ("reference", entry.reference.is_some(), Transform::Merged),
    ];
    match fields.into_iter().find(|(_, given, of)| *given && *of != entry.transform) {
        None => Ok(()),
        Some((field, _, of)) => Err(PlanError::at(
            format!("{path}.{field}"),
            words::plan::derived_field(field, of.name()),
            words::plan::derived_field_advice(),
        )),
    }
}

type Sources = Vec<(Option<String>, (Kind, Source))>;

fn number(expression: Expression) -> (Kind, Source) {
    let (lower, upper) = expression.range();
    (Kind::Number { lower, upper }, Source::Computed(Arc::new(expression)))
}

/// Returns the columns of a transform of one number.
fn numbers(entry: &Derived, operands: &[Operand], path: &str) -> Result<Sources, PlanError> {
    let ([Operand::Number(of)], [name]) = (operands, entry.from.as_slice()) else {
        return Err(PlanError::at(
            format!("{path}.from"),
            words::plan::derived_one_number(entry.transform.name()),
            words::plan::derived_from_advice(),
        ));
    };
    let (lower, upper) = of.range();
    let of = || Box::new(of.clone());
    let one = |expression| Ok(vec![(None, number(expression))]);
    match entry.transform {
        Transform::Log => {
            let offset = entry.offset.unwrap_or(0.0);
            if !(offset.is_finite() && lower + offset > 0.0) {
                return Err(PlanError::at(
                    format!("{path}.offset"),
                    words::plan::derived_log(name, lower),
                    words::plan::derived_log_advice(name),
                ));
            }
            one(Expression::Log { of: of(), offset })
        }
        Transform::Square => one(Expression::Square(of())),
        Transform::Centred => match entry.at.filter(|at| at.is_finite()) {
            Some(at) => one(Expression::Centred { of: of(), at }),
            None => Err(PlanError::at(
                format!("{path}.at"),
                words::plan::derived_at(),
                words::plan::derived_at_advice(),
            )),
        },
        Transform::Spline | Transform::Product | Transform::Difference | Transform::Merged => {
            let knots: Arc<[f64]> = entry.knots.as_deref().unwrap_or_default().into();
            let inside = knots.iter().all(|knot| lower < *knot && *knot < upper);
            if !(3..=MOST_KNOTS).contains(&knots.len()) || !knots.is_sorted_by(|a, b| a < b) || !inside {
                return Err(PlanError::at(
                    format!("{path}.knots"),
                    words::plan::derived_knots(MOST_KNOTS, lower, upper),
                    words::plan::derived_knots_advice(),
                ));
            }
            let column = |column| Expression::Spline { of: of(), knots: Arc::clone(&knots), column };
            let columns = 0..knots.len().saturating_sub(2);
            Ok(columns.map(|at| (Some((at + 1).to_string()), number(column(at)))).collect())
        }
    }
}

/// Returns the columns of a product: one for each combination of its categories' levels without the references.
fn product(operands: &[Operand], path: &str) -> Result<Sources, PlanError> {
    if operands.len() < 2 {
        return Err(PlanError::at(
            format!("{path}.from"),
            words::plan::derived_two(),
            words::plan::derived_from_advice(),
        ));
    }
    let mut products: Vec<(Vec<&str>, Vec<Expression>)> = vec![(Vec::new(), Vec::new())];
    for operand in operands {
        let factors: Vec<(Option<&str>, Expression)> = match operand {
            Operand::Number(of) => vec![(None, of.clone())],
            Operand::Category { codes, levels, reference } => {
                let listed = levels.iter().enumerate().filter(|(level, _)| level != reference);
                let leaf = |level| Leaf::Level { codes: Arc::clone(codes), level, levels: levels.len() };
                listed.map(|(level, name)| (Some(name.as_str()), Expression::Leaf(leaf(level)))).collect()
            }
        };
        if products.len().saturating_mul(factors.len()) > MOST_COLUMNS || operands.len() > MOST_OPERATIONS {
            return Err(many(path));
        }
        let extended = products.iter().flat_map(|(names, expressions)| {
            factors.iter().map(move |(name, factor)| {
                let names = names.iter().copied().chain(*name).collect();
                (names, expressions.iter().chain([factor]).cloned().collect())
            })
        });
        products = extended.collect();
    }
    let column = |(names, factors): (Vec<&str>, Vec<Expression>)| {
        let suffix = Some(names.join(":")).filter(|suffix| !suffix.is_empty());
        (suffix, number(Expression::Product(factors)))
    };
    Ok(products.into_iter().map(column).collect())
}

/// Returns a multiple of a number less another one.
fn difference(entry: &Derived, operands: &[Operand], path: &str) -> Result<(Kind, Source), PlanError> {
    let [Operand::Number(first), Operand::Number(second)] = operands else {
        return Err(PlanError::at(
            format!("{path}.from"),
            words::plan::derived_two_numbers(),
            words::plan::derived_from_advice(),
        ));
    };
    let factor = entry.factor.unwrap_or(1.0);
    if !(factor.is_finite() && factor > 0.0) {
        return Err(PlanError::at(
            format!("{path}.factor"),
            words::plan::derived_factor(),
            words::plan::derived_factor_advice(),
        ));
    }
    let of = Box::new([first.clone(), second.clone()]);
    let widest = Expression::Difference { of: of.clone(), factor, within: None, typical: None };
    let (least, most) = widest.range();
    let within = match (entry.lower, entry.upper) {
        (None, None) if entry.typical.is_none() => return Ok(number(widest)),
        (Some(lower), Some(upper)) if lower < upper && lower < most && upper > least => (lower, upper),
        _ => {
            return Err(PlanError::at(
                format!("{path}.lower"),
                words::plan::derived_within(name_of(entry), least, most),
                words::plan::derived_within_advice(),
            ));
        }
    };
    if let Some(known) = &entry.typical {
        check_typical(known, within.0, within.1, path)?;
    }
    let typical = entry.typical.as_ref().and_then(TypicalValues::typical);
    Ok(number(Expression::Difference { of, factor, within: Some(within), typical }))
}

/// Returns a category of which some levels are one.
fn merged(entry: &Derived, operands: &[Operand], path: &str) -> Result<(Kind, Source), PlanError> {
    let ([Operand::Category { codes, levels, reference }], [name]) = (operands, entry.from.as_slice()) else {
        return Err(PlanError::at(
            format!("{path}.from"),
            words::plan::derived_one_category(),
            words::plan::derived_from_advice(),
        ));
    };
    let refuse = |field: &str| {
        let advice = words::plan::derived_groups_advice();
        PlanError::at(format!("{path}.{field}"), words::plan::derived_groups(name), advice)
    };
    let groups = entry.groups.as_deref().unwrap_or_default();
    let mut listed = HashSet::new();
    let all_known = groups
        .iter()
        .flat_map(|group| &group.levels)
        .all(|level| levels.contains(level) && listed.insert(level));
    if !all_known || groups.is_empty() || groups.iter().any(|group| group.levels.is_empty()) {
        return Err(refuse("groups"));
    }
    // The new levels in the order in which they first occur among the old ones, and the group of each.
    let mut merged: Vec<(&String, Option<&Group>)> = Vec::new();
    let mut numbers = Vec::new();
    for level in levels {
        let group = groups.iter().find(|group| group.levels.contains(level));
        let own = (group.map_or(level, |group| &group.name), group);
        let place = merged.iter().position(|(name, _)| *name == own.0).unwrap_or(merged.len());
        match merged.get(place) {
            None => merged.push(own),
            // A group has a name that no level outside it has.
            Some(known) if *known != own => return Err(refuse("groups")),
            Some(_) => {}
        }
        numbers.push(place);
    }
    let names: Vec<&String> = merged.into_iter().map(|(name, _)| name).collect();
    if names.len() < 2 || names.iter().any(|name| name.trim() != name.as_str() || name.is_empty()) {
        return Err(refuse("groups"));
    }
    let reference = match &entry.reference {
        None => numbers.get(*reference).copied().unwrap_or(0),
        Some(wanted) => names.iter().position(|name| *name == wanted).ok_or_else(|| refuse("reference"))?,
    };
    let number = |level: usize| numbers.get(level).copied().unwrap_or(0);
    let codes = LevelCodes {
        column: codes.column,
        codes: codes.codes.iter().map(|(text, level)| (text.clone(), number(*level))).collect(),
        other: codes.other.map(number),
    };
    let levels = names.into_iter().cloned().collect();
    Ok((Kind::Category { levels, reference, other: None }, Source::Merged(Arc::new(codes))))
}

/// Returns whether a name has a space outside parentheses.
fn has_open_space(name: &str) -> bool {
    let mut depth = 0_i32;
    name.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ' ' && depth <= 0
    })
}

/// Returns the names of the columns from which a term is computed; of a column its own.
pub fn roots(plan: &Plan, name: &str) -> BTreeSet<String> {
    roots_of(&plan.derived, name)
}

fn roots_of(derived: &[Derived], name: &str) -> BTreeSet<String> {
    // A term is made from terms that are listed before it.
    match derived.iter().position(|entry| name_of(entry) == name) {
        Some(place) => {
            derived[place].from.iter().flat_map(|from| roots_of(&derived[..place], from)).collect()
        }
        None => BTreeSet::from([name.to_owned()]),
    }
}

/// Returns the names of the columns from which several of these terms, or a spline, are computed. A change of such a column
/// changes several terms together.
pub fn shared_roots(plan: &Plan, terms: &BTreeSet<String>) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut shared: BTreeSet<String> =
        terms.iter().flat_map(|name| roots(plan, name)).filter(|root| !seen.insert(root.clone())).collect();
    let is_spline =
        |entry: &&Derived| entry.transform == Transform::Spline && terms.contains(&name_of(entry));
    shared.extend(plan.derived.iter().filter(is_spline).flat_map(|entry| roots(plan, &name_of(entry))));
    shared
}

/// Returns the name of a term: as stated, or `log(age)`, `365.25 * (discharge - admission)`, `age^2`, `age:sex`, `last - first`,
/// `age - 60`, `rcs(age; 40 60 75)`, `merged(stage)`.
pub fn name_of(entry: &Derived) -> String {
    if let Some(name) = &entry.name {
        return name.clone();
    }
    let wrapped = |name: &String| if has_open_space(name) { format!("({name})") } else { name.clone() };
    let signed = |number: f64| {
        if number < 0.0 { format!("- {}", -number) } else { format!("+ {number}") }
    };
    let first = entry.from.first().cloned().unwrap_or_default();
    match entry.transform {
        Transform::Log => match entry.offset.filter(|offset| *offset != 0.0) {
            None => format!("log({first})"),
            Some(offset) => format!("log({first} {})", signed(offset)),
        },
        Transform::Square => format!("{}^2", wrapped(&first)),
        Transform::Product => entry.from.iter().map(wrapped).collect::<Vec<_>>().join(":"),
        Transform::Difference => {
            let difference = entry.from.iter().map(wrapped).collect::<Vec<_>>().join(" - ");
            match entry.factor {
                None => difference,
                Some(factor) => format!("{factor} * ({difference})"),
            }
        }
        Transform::Centred => format!("{} {}", wrapped(&first), signed(-entry.at.unwrap_or(0.0))),
        Transform::Spline => {
            let knots = entry.knots.iter().flatten().map(f64::to_string);
            format!("rcs({first}; {})", knots.collect::<Vec<_>>().join(" "))
        }
        Transform::Merged => format!("merged({first})"),
    }
}
