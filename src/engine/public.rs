//! Public moments from a CSV of other people's rows, or from an earlier release (docs/public-moments.md).
//!
//! A public CSV is read, encoded and summed exactly like a private table, so that cells have the same meaning in both. No noise
//! is added.

use std::collections::HashSet;

use dashu_int::IBig;
use nalgebra::DMatrix;
use serde_json::Map;

use super::error::EngineError;
use super::prepare::{Prepared, prepare};
use crate::data::encode::GUARD_BITS;
use crate::data::{Moments, Statistic, Sums as Read};
use crate::inference::moments::NoisyMoments;
use crate::inference::refit::public_rows;
use crate::math::linalg::Eigen;
use crate::math::round::real;
use crate::mechanisms::NOISELESS;
use crate::mechanisms::second_moments::fine_cells;
use crate::model::{Assurance, Layout, Role};
use crate::plan::bind::fits;
use crate::plan::derived::terms_of;
use crate::plan::document::{BudgetForm, Column, Derived, Mechanism};
use crate::plan::public::PublicTable;
use crate::plan::public::document::{PublicTerm, SCHEMA};
use crate::plan::public::whitener::MOST_GUIDED_TERMS;
use crate::plan::{Plan, PlanError, Purpose};
use crate::privacy::adjacency::Adjacency;
use crate::release::Release;
use crate::release::document::SCHEMA as RELEASE;
use crate::words;

/// The most features, and the most outcomes, that are summed from a public CSV.
const MOST_SUMMED: usize = 2 * MOST_GUIDED_TERMS;

/// The smallest eigenvalue of public covariances, as a share of the largest.
const LEAST_EIGENVALUE: f64 = 1e-10;

/// Returns the plan by which a public CSV with a header of `names` is read: the features of `plan`, those outcomes that the file
/// has, and no noise. Columns that `plan` ignores or uses as a person's id stay ignored, so that no pattern matches them.
pub fn plan_for(plan: &Plan, names: &[String]) -> Plan {
    let has = |column: &Column| match (&column.name, &column.pattern) {
        (Some(wanted), _) => names.contains(wanted),
        (None, Some(pattern)) => names.iter().any(|name| fits(pattern, name)),
        (None, None) => true,
    };
    let mut columns: Vec<Column> =
        plan.columns.iter().filter(|column| column.role == Role::Feature || has(column)).cloned().collect();
    let person = plan.person.as_ref().filter(|person| {
        names.contains(person) && !columns.iter().any(|column| column.name.as_ref() == Some(person))
    });
    columns.extend(person.map(|name| Column { name: Some(name.clone()), ..Column::default() }));
    Plan {
        schema: plan.schema.clone(),
        adjacency: Adjacency::AddRemove,
        rows: None,
        stated_rows: None,
        protect: None,
        person: None,
        max_rows_per_person: None,
        confirm: Vec::new(),
        columns,
        derived: derivable(plan, names),
        // Conditions on columns that the file does not have are left out.
        only: plan.only.iter().filter(|condition| names.contains(&condition.column)).cloned().collect(),
        intercept: None,
        missing: plan.missing,
        csv: plan.csv.clone(),
        mechanism: Mechanism { name: NOISELESS.to_owned(), params: Map::new(), calibration: None },
        budget: BudgetForm { none: Some(true), ..BudgetForm::default() },
        confidence: None,
        estimate_share: None,
        typical_correlation: None,
    }
}

/// Returns the derived terms all of whose columns are among `names`.
fn derivable(plan: &Plan, names: &[String]) -> Vec<Derived> {
    let mut known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let terms = terms_of(plan);
    let mut kept = Vec::new();
    for (entry, term) in plan.derived.iter().zip(&terms) {
        if entry.from.iter().all(|name| known.contains(name.as_str())) {
            known.extend(term.columns.iter().map(|column| column.name.as_str()));
            kept.push(entry.clone());
        }
    }
    kept
}

/// Prepares the reading of a public CSV with a header of `names` for `plan`.
///
/// # Errors
/// [`EngineError`] for a feature that the header lacks, and as [`prepare`].
pub fn prepare_table(plan: &Plan, names: &[String], delimiter: u8) -> Result<Prepared, EngineError> {
    let features = plan.columns.iter().filter(|column| column.role == Role::Feature);
    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let kept = derivable(plan, names);
    let lost = plan.derived_with(Role::Feature).find(|entry| !kept.contains(entry));
    let sources = lost.into_iter().flat_map(|entry| &entry.from).map(String::as_str);
    let mut needed = features.filter_map(|column| column.name.as_deref()).chain(sources);
    if let Some(missing) = needed.find(|name| !known.contains(name)) {
        return Err(refuse(
            words::public_input::column_missing(missing),
            words::public_input::column_missing_advice(),
        ));
    }
    let prepared = prepare(plan_for(plan, names), names, delimiter, Purpose::Public)?;
    let terms = prepared.geometry().terms.len();
    if terms > MOST_SUMMED {
        return Err(refuse(
            words::public_input::terms_many(terms, MOST_SUMMED),
            words::public_input::terms_many_advice(),
        ));
    }
    Ok(prepared)
}

/// Returns the names of the features' terms without the constant, and of the outcomes', in the plan's order: what public moments
/// are asked for.
pub fn term_names(prepared: &Prepared) -> (Vec<String>, Vec<String>) {
    let geometry = prepared.geometry();
    let first = usize::from(geometry.constant > 0);
    let split = geometry.first_outcome(prepared.bound());
    let names = |terms: &[crate::data::Term]| terms.iter().map(|term| term.name.clone()).collect();
    (
        names(geometry.terms.get(first..split).unwrap_or_default()),
        names(geometry.terms.get(split..).unwrap_or_default()),
    )
}

/// Converts the sums of a public CSV into means, standard deviations and correlations. An outcome that does not vary is left out.
///
/// With n rows, s the sums of codes and Q those of their products, the covariances are (n Q − s s′) / (n (n − 1)) in integers
/// before anything is divided, so that a mean far from the middle of its bounds costs no digits.
///
/// # Errors
/// [`EngineError`] for fewer than two rows that count, for a level that no row or every row has, and for a feature that does not
/// vary; each by name.
pub fn table_of(prepared: &Prepared, read: &Read) -> Result<PublicTable, EngineError> {
    let Read::Moments(moments) = read else {
        return Err(EngineError::Internal("a public table was not summed"));
    };
    if !matches!(prepared.statistic(), Statistic::Moments(layout) if moments.layout() == layout)
        || !prepared.bound().guard
    {
        return Err(EngineError::Internal("a public table was summed for another plan"));
    }
    let sums = Sums::new(prepared, moments);
    if sums.rows < 2 {
        return Err(refuse(words::public_input::rows_few(sums.rows), words::public_input::rows_few_advice()));
    }
    let split = prepared.geometry().first_outcome(prepared.bound());
    let mut kept = Vec::new();
    for (place, term) in prepared.geometry().terms.iter().enumerate().skip(1) {
        if sums.covariance(place, place) > IBig::ZERO {
            kept.push((place, term));
        } else if place < split {
            return Err(constant(&term.name, term.level.is_some(), sums.codes(place) == IBig::ZERO));
        }
    }
    let n = real(sums.rows);
    let step = libm::ldexp(1.0, -GUARD_BITS.cast_signed());
    let scatter: Vec<f64> = kept.iter().map(|(place, _)| float(&sums.covariance(*place, *place))).collect();
    let terms = kept.iter().zip(&scatter).map(|((place, term), scatter)| PublicTerm {
        term: term.name.clone(),
        mean: term.centre + term.scale * (float(&sums.codes(*place)) / n * step),
        sd: Some(term.scale * step * (scatter / n / (n - 1.0)).sqrt()),
    });
    let correlation = |row: usize, column: usize| {
        if row == column {
            return 1.0;
        }
        let both = float(&sums.covariance(kept[row].0, kept[column].0));
        (both / scatter[row].sqrt() / scatter[column].sqrt()).clamp(-1.0, 1.0)
    };
    let table = PublicTable {
        schema: SCHEMA.to_owned(),
        source: words::note::public_table().to_owned(),
        rows: sums.rows,
        terms: terms.collect(),
        correlation: symmetric(kept.len(), correlation),
    };
    table.check()?;
    Ok(table)
}

/// Exact sums of codes with their guard digits.
struct Sums {
    rows: u64,
    constant: IBig,
    layout: Layout,
    cells: Vec<i128>,
}

impl Sums {
    fn new(prepared: &Prepared, moments: &Moments) -> Self {
        let geometry = prepared.geometry();
        let layout = Layout::whole(geometry.terms.len());
        let cells = fine_cells(|row, column| moments.get(row, column), geometry);
        Self { rows: moments.rows(), constant: IBig::from(geometry.constant), layout, cells }
    }

    fn cell(&self, row: usize, column: usize) -> IBig {
        let place = self.layout.place(row, column);
        IBig::from(place.and_then(|place| self.cells.get(place)).copied().unwrap_or(0))
    }

    /// Returns the sum of a term's codes, in steps of a guard digit.
    fn codes(&self, term: usize) -> IBig {
        self.cell(0, term) / (&self.constant << usize::try_from(GUARD_BITS).unwrap_or(0))
    }

    /// Returns n (n − 1) times the covariance of two terms, in squares of those steps.
    fn covariance(&self, row: usize, column: usize) -> IBig {
        IBig::from(self.rows) * self.cell(row, column) - self.codes(row) * self.codes(column)
    }
}

fn float(number: &IBig) -> f64 {
    number.to_f64().value()
}

fn symmetric(size: usize, entry: impl Fn(usize, usize) -> f64) -> Vec<Vec<f64>> {
    (0..size).map(|row| (0..size).map(|column| entry(row.min(column), row.max(column))).collect()).collect()
}

/// Returns the moments of an earlier release of `features` and `outcomes` as a public table. They are noisy: where the noise
/// leaves no covariance that a table can have, eigenvalues are raised to the noise's own spectral norm. Outcomes whose squares
/// were not released are left out.
///
/// # Errors
/// [`EngineError`] for a demonstration, for a release without moments or whose moments lack the constant or a feature, and for one
/// whose number of rows does not stand out of the noise.
pub fn table_of_release(
    release: &Release,
    features: &[String],
    outcomes: &[String],
) -> Result<PublicTable, EngineError> {
    if release.schema != RELEASE {
        return Err(refuse(words::plan::schema(RELEASE), words::plan::check_file()));
    }
    if release.demo.is_some() || release.privacy.assurance == Assurance::Demo {
        return Err(refuse(
            words::public_input::demonstration(),
            words::public_input::demonstration_advice(),
        ));
    }
    let name = &release.plan.mechanism.name;
    let released = release.moments.as_ref().ok_or_else(|| {
        refuse(words::public_input::no_moments(name), words::public_input::no_moments_advice())
    })?;
    if released.adaptive.is_some() {
        return Err(refuse(
            words::public_input::own_coordinates(name),
            words::public_input::own_coordinates_advice(),
        ));
    }
    let moments = NoisyMoments::from_released(released, &release.plan)
        .map_err(|error| refuse(error.to_string(), words::public_input::unaltered_advice()))?;
    let (rows, mean_rows) = counted(release, &moments)?;
    let coded = Coded::new(&moments, mean_rows, features, outcomes)?;
    coded.table(rows, name)
}

/// Returns the number of rows as a count and as what sums are divided by.
fn counted(release: &Release, moments: &NoisyMoments) -> Result<(u64, f64), EngineError> {
    let unknown = || refuse(words::public_input::rows_unknown(), words::public_input::rows_unknown_advice());
    if moments.constant().is_none() {
        return Err(unknown());
    }
    let (noisy, error) = moments.noisy_rows().ok_or_else(unknown)?;
    let rows = match public_rows(&release.plan, moments) {
        Some(rows) => real(rows),
        None => noisy,
    };
    if !(rows >= 2.0 && noisy >= 2.0 && noisy > 2.0 * error) {
        return Err(unknown());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "above 2; `as` saturates")]
    Ok((rows.round() as u64, rows))
}

/// Means and covariances of a release in units of R.
struct Coded<'a> {
    moments: &'a NoisyMoments,
    /// Places of the terms among those of the release.
    places: Vec<usize>,
    means: Vec<f64>,
    covariance: DMatrix<f64>,
}

impl<'a> Coded<'a> {
    fn new(
        moments: &'a NoisyMoments,
        rows: f64,
        features: &[String],
        outcomes: &[String],
    ) -> Result<Self, EngineError> {
        let constant = moments.constant().unwrap_or(1.0);
        let mut places = Vec::new();
        for name in features {
            let place = moments.index(name).ok_or_else(|| {
                refuse(
                    words::public_input::feature_missing(name),
                    words::public_input::feature_missing_advice(),
                )
            })?;
            places.push(place);
        }
        let known =
            |place: &usize| moments.product(*place, *place).is_some() && moments.product(0, *place).is_some();
        places.extend(outcomes.iter().filter_map(|name| moments.index(name)).filter(known));
        let means: Vec<f64> = places
            .iter()
            .map(|&place| moments.product(0, place).unwrap_or(0.0) / (rows * constant))
            .collect();
        let mut covariance = DMatrix::zeros(places.len(), places.len());
        for (row, &first) in places.iter().enumerate() {
            for (column, &second) in places.iter().enumerate() {
                covariance[(row, column)] = match moments.product(first, second) {
                    Some(sum) => sum / rows - means[row] * means[column],
                    None if row < features.len() && column < features.len() => {
                        return Err(refuse(
                            words::public_input::product_missing(&features[row], &features[column]),
                            words::public_input::product_missing_advice(),
                        ));
                    }
                    // If the product of an outcome with a term was not released, only the outcome's own moments are used.
                    None => 0.0,
                };
            }
        }
        let least = moments.noise().spectral_norm(places.len()) / rows;
        Self { moments, places, means, covariance }.repaired(least)
    }

    /// Raises eigenvalues that are smaller than the norm of the noise to this norm.
    fn repaired(mut self, least: f64) -> Result<Self, EngineError> {
        if self.places.is_empty() {
            return Ok(self);
        }
        let eigen = Eigen::try_new(&self.covariance)
            .map_err(|_| refuse(words::public_input::unusable(), words::public_input::unaltered_advice()))?;
        let least = least.max(LEAST_EIGENVALUE * eigen.largest());
        if least <= 0.0 {
            return Err(refuse(
                words::public_input::noise_alone(),
                words::public_input::noise_alone_advice(),
            ));
        }
        if eigen.smallest() < least {
            self.covariance = eigen.map(|value| value.max(least));
        }
        Ok(self)
    }

    fn table(&self, rows: u64, mechanism: &str) -> Result<PublicTable, EngineError> {
        let n = real(rows);
        let deviation = |index: usize| self.covariance[(index, index)].max(0.0).sqrt();
        let terms = self.places.iter().enumerate().filter_map(|(index, &place)| {
            let term = self.moments.terms().get(place)?;
            Some(PublicTerm {
                term: term.name.clone(),
                mean: term.centre + term.scale * self.means[index],
                sd: Some(term.scale * deviation(index) * (n / (n - 1.0)).sqrt()),
            })
        });
        let correlation = |row: usize, column: usize| {
            let both = self.covariance[(row, column)] / deviation(row) / deviation(column);
            if row == column { 1.0 } else { both.clamp(-1.0, 1.0) }
        };
        let table = PublicTable {
            schema: SCHEMA.to_owned(),
            source: words::note::public_release(mechanism),
            rows,
            terms: terms.collect(),
            correlation: symmetric(self.places.len(), correlation),
        };
        table.check()?;
        Ok(table)
    }
}

fn constant(name: &str, level: bool, nobody: bool) -> EngineError {
    let what = match (level, nobody) {
        (true, true) => words::public_input::level_never(name),
        (true, false) => words::public_input::level_always(name),
        (false, _) => words::public_input::constant(name),
    };
    refuse(what, words::public_input::alike_advice())
}

fn refuse(what: impl Into<String>, advice: &str) -> EngineError {
    EngineError::Plan(PlanError::at("public", what, advice))
}
