//! Another regression from a release's moments, at no further cost: any column on any others where the whole matrix was released.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::design::FitError;
use super::moments::{MomentsError, NoisyMoments, PlanColumns};
use super::options::{Options, Repair, Ridge};
use super::report::report;
use crate::inference::report::RegressionTerms;
use crate::model::{INTERCEPT, NoiseLaw, level_of};
use crate::plan::Plan;
use crate::plan::derived::{all_columns, name_of, terms_of};
use crate::plan::document::{Column, ColumnType, Transform};
use crate::privacy::adjacency::Adjacency;
use crate::release::Release;
use crate::release::document::{Coefficients, Diagnostics, LedgerReference, Privacy, Software};
use crate::text::{listing, one_line};
use crate::words;

/// The name and version that every refit carries.
pub const SCHEMA: &str = "discreet.refit/1";

/// A regression computed from a release: post-processing, which costs nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refit {
    /// Always [`SCHEMA`].
    pub schema: String,
    /// The charge of the release that it was computed from; `null` for a demonstration.
    pub release: Option<LedgerReference>,
    /// The response: a column, or `column[level]`.
    pub outcome: String,
    /// The predictors as they were asked for.
    pub features: Vec<String>,
    /// Whether the regression has a constant, as the plan says.
    pub intercept: bool,
    /// `none`, `auto` or a number.
    pub ridge: Value,
    /// `shift`, `floor` or `none`.
    pub repair: String,
    /// Level of the intervals.
    pub confidence: f64,
    /// The guarantee of the release, which this does not change.
    pub privacy: Privacy,
    /// The cost of this regression, in words.
    pub cost: String,
    /// The regression.
    pub coefficients: Coefficients,
    /// Computed from what was released.
    pub diagnostics: Diagnostics,
    /// What computed it.
    pub software: Software,
}

impl Refit {
    /// Returns the release with this regression in the place of its own, as it is printed.
    pub fn printed_of(&self, release: &Release) -> Release {
        let (coefficients, diagnostics) = (self.coefficients.clone(), self.diagnostics.clone());
        Release { coefficients, diagnostics, ..release.clone() }
    }
}

/// A regression that a release does not give.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RefitError {
    /// The release has no second moments.
    #[error("{}", crate::words::error::refit_no_moments())]
    NoMoments,
    /// A name that is not in the moments.
    #[error("{}", crate::words::error::refit_unknown_column(one_line(name), one_line(known)))]
    UnknownColumn {
        /// What was asked for.
        name: String,
        /// The terms or outcomes that the release has.
        known: String,
    },
    /// The outcome is one of the features.
    #[error("{}", crate::words::error::refit_outcome_among_features(one_line(.0)))]
    OutcomeAmongFeatures(String),
    /// A feature twice.
    #[error("{}", crate::words::error::refit_repeated_feature(one_line(.0)))]
    RepeatedFeature(String),
    /// A category of several levels as an outcome.
    #[error("{}", crate::words::error::refit_several_levels(one_line(name), one_line(terms)))]
    SeveralLevels {
        /// The column.
        name: String,
        /// Its terms.
        terms: String,
    },
    /// A level as the outcome, and another level of the same category among the features.
    #[error("{}", crate::words::error::refit_one_category(one_line(outcome), one_line(level)))]
    OneCategory {
        /// The outcome.
        outcome: String,
        /// The other level.
        level: String,
    },
    /// No features, and no intercept.
    #[error("{}", crate::words::error::refit_no_features())]
    NoFeatures,
    /// A level of intervals out of range.
    #[error("{}", crate::words::error::refit_confidence(.0))]
    Confidence(f64),
    /// A damaged document.
    #[error(transparent)]
    Moments(#[from] MomentsError),
    /// The moments do not give the regression.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A feature of a release of which outcomes' residuals alone were summed.
    #[error("{}", crate::words::error::refit_feature_as_outcome(one_line(name), one_line(&quoted(outcomes))))]
    FeatureAsOutcome {
        /// What was asked for.
        name: String,
        /// The outcomes' terms.
        outcomes: Vec<String>,
    },
    /// An outcome of a release whose rows were weighted by their features.
    #[error("{}", crate::words::error::refit_outcome_as_feature(one_line(.0)))]
    OutcomeAsFeature(String),
    /// An automatic ridge, where there is no rule for it.
    #[error("{}", crate::words::error::refit_automatic_ridge())]
    AutomaticRidge,
}

fn quoted(names: &[String]) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("`{name}`")).collect();
    let shown = shown.join(" or ");
    if names.len() > SHOWN { words::error::or_another_outcome(shown) } else { shown }
}

/// A regression that is asked of a release.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Request<'a> {
    /// The response: a column, or `column[level]`.
    pub outcome: &'a str,
    /// The predictors: columns, or `column[level]`; a category stands for all its dummies.
    pub features: &'a [String],
    /// The penalty.
    pub ridge: Ridge,
    /// The repair of moments that are not positive definite.
    pub repair: Repair,
    /// Level of the intervals, 0.5 to 0.999.
    pub confidence: f64,
}

impl Refit {
    /// Returns the document of a regression that was computed from a release.
    pub fn new(
        release: &Release,
        request: &Request<'_>,
        intercept: bool,
        (coefficients, mut diagnostics): (Coefficients, Diagnostics),
    ) -> Self {
        if is_yes_or_no(&release.plan, request.outcome) {
            diagnostics.notes.push(words::note::linear_probability(format_args!("`{}`", request.outcome)));
        }
        diagnostics.notes.extend(without_own_effects(&release.plan, request.features));
        let of_moments = release.moments.as_ref().is_some_and(|moments| moments.adaptive.is_none());
        let lambda = release.plan.mechanism.params.get("lambda").and_then(Value::as_f64);
        if let Some(lambda) = lambda.filter(|lambda| of_moments && *lambda > 0.0) {
            diagnostics.notes.push(words::note::without_own_penalty(lambda));
        }
        let cost = if release.demo.is_some() {
            diagnostics.notes.push(words::note::of_demonstration().into());
            words::note::refit_cost_of_demonstration()
        } else {
            words::note::refit_cost()
        };
        Self {
            schema: SCHEMA.to_owned(),
            release: release.ledger.clone(),
            outcome: request.outcome.to_owned(),
            features: request.features.to_vec(),
            intercept,
            ridge: request.ridge.to_value(),
            repair: request.repair.name().to_owned(),
            confidence: request.confidence,
            privacy: release.privacy.clone(),
            cost: cost.to_owned(),
            coefficients,
            diagnostics,
            software: release.software.clone(),
        }
    }
}

/// A request, as places in the moments of a release.
pub(super) struct Resolved {
    /// The moments, seen from the outcome.
    pub moments: NoisyMoments,
    /// The outcome and its predictors.
    pub layout: RegressionTerms,
    /// Whether the regression has a constant.
    pub intercept: bool,
    /// How it is solved.
    pub options: Options,
}

/// Regresses `outcome` on `features` with the release's second moments; both may be columns or terms `column[level]`, and a
/// category stands for all its dummies.
///
/// # Errors
/// [`RefitError`] for a release without moments, an unknown name, or names that do not make a regression.
pub fn refit(
    release: &Release,
    outcome: &str,
    features: &[String],
    ridge: Ridge,
    repair: Repair,
    confidence: f64,
) -> Result<Refit, RefitError> {
    let request = Request { outcome, features, ridge, repair, confidence };
    let Resolved { moments, layout, intercept, options } = resolve(release, &request)?;
    let (coefficients, diagnostics) = report(&moments, &layout, intercept, options)?;
    Ok(Refit::new(release, &request, intercept, (coefficients, diagnostics)))
}

/// Finds a request's outcome and predictors in the moments of a release.
///
/// # Errors
/// As [`refit`].
pub(super) fn resolve(release: &Release, request: &Request<'_>) -> Result<Resolved, RefitError> {
    let Request { outcome, features, ridge, repair, confidence } = *request;
    if !(0.5..=0.999).contains(&confidence) {
        return Err(RefitError::Confidence(confidence));
    }
    let released = release.moments.as_ref().ok_or(RefitError::NoMoments)?;
    let moments = NoisyMoments::from_released(released, &release.plan)?;
    let target = match coordinates(&moments, &release.plan, outcome)?.as_slice() {
        [only] => *only,
        several => {
            let terms = several.iter().map(|&index| format!("`{}`", moments.terms()[index].name));
            return Err(RefitError::SeveralLevels {
                name: outcome.to_owned(),
                terms: terms.collect::<Vec<_>>().join(", "),
            });
        }
    };
    let mut predictors = Vec::new();
    for feature in features {
        for index in coordinates(&moments, &release.plan, feature)? {
            if index == target {
                return Err(RefitError::OutcomeAmongFeatures(outcome.to_owned()));
            }
            if predictors.contains(&index) {
                return Err(RefitError::RepeatedFeature(feature.clone()));
            }
            predictors.push(index);
        }
    }
    if predictors.is_empty() {
        return Err(RefitError::NoFeatures);
    }
    let category = moments.corners_of(target);
    let other = category.and_then(|own| predictors.iter().find(|&index| own.terms().contains(index)));
    if let Some(&level) = other {
        return Err(RefitError::OneCategory {
            outcome: outcome.to_owned(),
            level: moments.terms()[level].name.clone(),
        });
    }
    let moments = moments.facing(target);
    let intercept = release.plan.intercept.unwrap_or(true);
    let options = Options {
        ridge,
        repair,
        confidence,
        rows: public_rows(&release.plan, &moments),
        seed: moments.seed(),
        ..Options::default()
    };
    let layout = RegressionTerms { predictors, outcomes: vec![(outcome.to_owned(), target)] };
    Ok(Resolved { moments, layout, intercept, options })
}

/// Returns the ridge of a release's own regressions: as its plan says, or the one that its mechanism chose.
pub fn own_ridge(release: &Release) -> Ridge {
    let drawn = release.moments.as_ref().and_then(|moments| moments.noise.as_ref());
    match release.plan.mechanism.params.get("ridge").and_then(Ridge::from_value) {
        Some(ridge) => ridge,
        None if release.diagnostics.ridge > 0.0
            && matches!(drawn, Some(NoiseLaw::DiscreteGaussian { .. })) =>
        {
            Ridge::Fixed(release.diagnostics.ridge)
        }
        None => Ridge::None,
    }
}

/// Returns the number of rows that counts in a regression, where it is public: under replace-one, if every row carries the
/// constant whatever a person's data are, or if there is no constant to count with (theory/inference 2.3).
///
/// Without a constant the number is an upper bound where rows may be skipped.
pub fn public_rows(plan: &Plan, moments: &NoisyMoments) -> Option<u64> {
    let counted = plan.takes_every_row() || !moments.has_constant();
    plan.rows.filter(|_| plan.adjacency == Adjacency::ReplaceOne && counted)
}

/// Returns whether a column, or the column of a term `column[level]`, is declared as yes or no.
fn is_yes_or_no(plan: &Plan, outcome: &str) -> bool {
    let columns = PlanColumns::new(plan);
    let of_term = || outcome.rsplit_once('[').and_then(|(column, _)| columns.named(column));
    columns.named(outcome).or_else(of_term).is_some_and(Column::is_yes_or_no)
}

/// Returns a note for each product, square and spline whose columns are not all predictors themselves.
fn without_own_effects(plan: &Plan, features: &[String]) -> impl Iterator<Item = String> {
    let asked = |name: &str| features.iter().any(|own| own == name || level_of(own, name).is_some());
    let columns = all_columns(plan);
    // A category is there with all its levels, or it is not there.
    let has_levels = move |name: &str| {
        let column = columns.iter().find(|column| column.name.as_deref() == Some(name));
        let levels = column.and_then(|column| column.levels.as_deref()).unwrap_or_default();
        let reference = column.and_then(|column| column.reference_level());
        let mut others = levels.iter().filter(|level| Some(*level) != reference);
        others.all(|level| features.contains(&format!("{name}[{level}]")))
    };
    let has_own = move |name: &str| features.iter().any(|own| own == name) || asked(name) && has_levels(name);
    // A number less a constant has the effect of the number.
    let centred = |name: &str| {
        plan.derived.iter().find(|term| term.transform == Transform::Centred && name_of(term) == name)
    };
    let has = move |name: &str| {
        has_own(name) || centred(name).is_some_and(|term| term.from.iter().all(|from| has_own(from)))
    };
    let products = plan
        .derived
        .iter()
        .filter(|term| matches!(term.transform, Transform::Product | Transform::Square | Transform::Spline));
    products.map(|term| (name_of(term), term)).filter(move |(name, _)| asked(name)).filter_map(
        move |(name, term)| {
            let absent = term.from.iter().filter(|from| !has(from)).map(|from| format!("`{from}`"));
            let absent = absent.collect::<Vec<_>>().join(", ");
            (!absent.is_empty()).then(|| words::note::without_own_effect(format_args!("`{name}`"), absent))
        },
    )
}

/// Returns the coordinates of a column: one, or one for each level; or of a derived term, one for each of its columns.
fn coordinates(moments: &NoisyMoments, plan: &Plan, name: &str) -> Result<Vec<usize>, RefitError> {
    if name != INTERCEPT {
        if let Some(index) = moments.index(name) {
            return Ok(vec![index]);
        }
        let columns = PlanColumns::new(plan);
        let column = columns.named(name).filter(|column| column.kind == Some(ColumnType::Category));
        let levels = column.and_then(|column| column.levels.as_ref()).into_iter().flatten();
        let mut found: Vec<usize> =
            levels.filter_map(|level| moments.index(&format!("{name}[{level}]"))).collect();
        let derived = terms_of(plan).into_iter().filter(|term| term.name == name);
        found.extend(derived.flat_map(|term| term.columns).filter_map(|column| moments.index(&column.name)));
        if !found.is_empty() {
            return Ok(found);
        }
    }
    Err(RefitError::UnknownColumn { name: name.to_owned(), known: known(moments) })
}

fn known(moments: &NoisyMoments) -> String {
    let names: Vec<&str> =
        moments.terms().iter().map(|term| term.name.as_str()).filter(|name| *name != INTERCEPT).collect();
    listing(names.into_iter(), 40)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_of_a_centred_number_stands_beside_the_number_itself() {
        let plan = Plan::parse(
            r#"{"schema": "discreet.plan/1", "adjacency": "add-remove", "stated_rows": 100,
            "columns": [
                {"name": "age", "role": "feature", "type": "number", "lower": 20, "upper": 80},
                {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
                {"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 9}],
            "derived": [{"transform": "centred", "from": ["age"], "at": 50, "role": "ignored"},
                {"transform": "product", "from": ["age - 50", "sex"]}],
            "mechanism": {"name": "analyze-gauss"}, "budget": {"epsilon": 1, "delta": 1e-6}}"#,
        )
        .unwrap();
        let notes = |features: &[&str]| {
            let features: Vec<String> = features.iter().map(ToString::to_string).collect();
            without_own_effects(&plan, &features).collect::<Vec<_>>()
        };
        let product = name_of(&plan.derived[1]);
        assert_eq!(notes(&["age", "sex[M]", &product]), [""; 0]);
        assert_eq!(notes(&["sex[M]", &product]).len(), 1);
        assert!(notes(&["age", &product])[0].contains("`sex`"));
    }
}
