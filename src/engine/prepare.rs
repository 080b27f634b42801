//! Everything that is public about a release, fixed before a row is read.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::error::EngineError;
use crate::data::{Geometry, MAX_TERMS};
use crate::mechanisms::analyze_gauss::{self, Noise};
use crate::mechanisms::{Info, Mechanism};
use crate::noise::entropy::random_id;
use crate::plan::bound::BoundPlan;
use crate::plan::{CheckedPlan, Plan, PlanError, Purpose, bind};
use crate::privacy::calibrate::{Split, UNIT_BITS, gaussian_charge, wallets};
use crate::privacy::event::{Assurance, Event, charge};
use crate::privacy::ledger::{Request, Terms};
use crate::privacy::measure::{Delta, Epsilon};
use crate::privacy::units::Units;

/// A plan bound to a header, with its noise.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) checked: CheckedPlan,
    pub(super) plan: Plan,
    pub(super) bound: BoundPlan,
    pub(super) geometry: Geometry,
    pub(super) info: &'static Info,
    pub(super) mechanism: Mechanism,
    pub(super) cost: Option<Cost>,
    events: Vec<Event>,
}

/// What a release costs, in public numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The noise.
    pub noise: Noise,
    /// ε and δ that the budget is worth; absent for μ or ρ without δ.
    pub promise: Option<(Epsilon, Delta)>,
    /// μ as charged, rounded up.
    pub mu: f64,
    /// ρ = μ²/2 as charged, rounded up.
    pub rho: f64,
}

/// Checks a plan, finds its columns among a header's `names`, and fixes grid, noise and cost. No data are needed.
///
/// # Errors
/// [`EngineError`] where the plan cannot be run, does not fit the header, or asks for noise out of range.
pub fn prepare(
    plan: Plan,
    names: &[String],
    delimiter: u8,
    purpose: Purpose,
) -> Result<Prepared, EngineError> {
    let mut checked = CheckedPlan::new(plan, purpose)?;
    if delimiter == b',' && checked.decimal == b',' {
        return Err(EngineError::Plan(PlanError::at(
            "csv.decimal",
            "the header's fields end with commas, which cannot mark fractions too",
            "give another decimal mark, or the `delimiter` that the table has",
        )));
    }
    let (info, mechanism, params) = Mechanism::from_plan(&checked, purpose)?;
    checked.plan.mechanism.params = params;
    if let Some(csv) = &mut checked.plan.csv {
        csv.delimiter = Some(char::from(delimiter).to_string());
    }
    let mut bound = bind::bind(&checked, names, delimiter, mechanism.grid())?;
    let geometry = Geometry::new(&bound);
    if geometry.terms.len() > MAX_TERMS {
        return Err(EngineError::Plan(PlanError::at(
            "columns",
            format!(
                "the columns make {} terms, counting the constant and each level but the reference, and {MAX_TERMS} is \
                 the most",
                geometry.terms.len()
            ),
            "choose fewer columns or fewer levels",
        )));
    }
    let mut terms = BTreeSet::new();
    if let Some(term) = geometry.terms.iter().find(|term| !terms.insert(term.name.as_str())) {
        return Err(EngineError::Plan(PlanError::at(
            "columns",
            format!("two terms would have the name `{}`", term.name),
            "rename a column in the table, or a level: the constant is `(Intercept)`, and a level is `column[level]`",
        )));
    }
    let cost = match &mechanism {
        Mechanism::AnalyzeGauss(parameters) => cost(&checked, &geometry, parameters)?,
        Mechanism::Ols(_) => None,
    };
    bound.guard = cost.is_none();
    let events = cost.iter().map(|cost| cost.noise.event()).collect();
    Ok(Prepared { plan: checked.plan.clone(), checked, bound, geometry, info, mechanism, cost, events })
}

fn cost(
    checked: &CheckedPlan,
    geometry: &Geometry,
    parameters: &analyze_gauss::Parameters,
) -> Result<Option<Cost>, EngineError> {
    let Some(budget) = &checked.budget else { return Ok(None) };
    let wallets = wallets(budget, &Split::Gaussian)?;
    let noise = Noise::calibrate(checked, geometry, parameters.shape, wallets.capacity.gaussian)?;
    let units = gaussian_charge(&noise.sensitivity_squared, noise.scale)?;
    let (mu, rho) = mu_and_rho(units);
    Ok(Some(Cost { noise, promise: wallets.promise, mu, rho }))
}

/// μ = √(units / 2^40) and ρ = μ²/2, both rounded up.
fn mu_and_rho(units: u128) -> (f64, f64) {
    #[expect(clippy::cast_precision_loss, reason = "raised past the rounding")]
    let rounded = units as f64;
    // Up to 2^53 the conversion is exact; beyond, one step up covers it.
    let above = if units >> 53 == 0 { rounded } else { rounded.next_up() };
    let unit = libm::ldexp(1.0, -i32::try_from(UNIT_BITS).unwrap_or(40));
    let square = above * unit;
    let root = square.sqrt();
    let mu = if libm::fma(root, root, -square) < 0.0 { root.next_up() } else { root };
    (mu, square / 2.0)
}

/// Whether a table is the one that the plan describes, from its number of `records` and, with a person column, of
/// `persons`. To be asked before the charge. Under add-remove nothing is compared: the counts are private.
///
/// # Errors
/// [`EngineError::Rows`] under replace-one for a table of another length.
pub fn check_table(prepared: &Prepared, records: u64, persons: Option<u64>) -> Result<(), EngineError> {
    let Some(stated) = prepared.checked.rows else { return Ok(()) };
    let (unit, found) = match (prepared.bound.person.is_some(), persons) {
        (true, Some(persons)) => ("persons", persons),
        (true, None) => return Err(EngineError::Internal("nobody counted the persons")),
        (false, _) => ("rows", records),
    };
    if found == stated { Ok(()) } else { Err(EngineError::Rows { unit, found, stated }) }
}

impl Prepared {
    /// The plan with every default filled in; it runs unchanged.
    #[must_use]
    pub const fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The checked plan.
    #[must_use]
    pub const fn checked(&self) -> &CheckedPlan {
        &self.checked
    }

    /// What reads the table.
    #[must_use]
    pub const fn bound(&self) -> &BoundPlan {
        &self.bound
    }

    /// The grid and the terms.
    #[must_use]
    pub const fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Number of integers in an encoded row.
    #[must_use]
    pub fn row_width(&self) -> usize {
        self.geometry.row_width(self.bound.guard)
    }

    /// The mechanism's row in the table of names.
    #[must_use]
    pub const fn info(&self) -> &'static Info {
        self.info
    }

    /// The mechanism with its parameters.
    #[must_use]
    pub const fn mechanism(&self) -> &Mechanism {
        &self.mechanism
    }

    /// Noise and cost; nothing where there is no noise.
    #[must_use]
    pub const fn cost(&self) -> Option<&Cost> {
        self.cost.as_ref()
    }

    /// What has to equal the ledger's.
    #[must_use]
    pub const fn terms(&self) -> Terms {
        Terms {
            adjacency: self.checked.adjacency,
            protect: self.checked.protect,
            max_rows_per_person: self.checked.max_rows_per_person,
        }
    }

    /// What the ledger is asked for. The entry keeps the public parameters, the plan's own budget, and a nonce: without
    /// it, two copies of a ledger that each paid for the same plan would be equal byte for byte, and importing one into
    /// the other would lose a charge instead of finding the fork. Where the operating system has no randomness there is
    /// no nonce, and no release either.
    #[must_use]
    pub fn request(&self) -> Request<'_> {
        let mut parameters = self.plan.mechanism.params.clone();
        if let Some(cost) = &self.cost {
            parameters.insert("S".to_owned(), Value::from(cost.noise.scale.get().get()));
        }
        if let Ok(Value::Object(budget)) = serde_json::to_value(self.plan.budget) {
            let given: Map<String, Value> =
                budget.into_iter().filter(|(_, value)| !value.is_null()).collect();
            parameters.insert("budget".to_owned(), Value::Object(given));
        }
        if let Ok(nonce) = random_id() {
            let nonce: String = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
            parameters.insert("nonce".to_owned(), Value::from(nonce));
        }
        Request {
            terms: self.terms(),
            events: &self.events,
            mechanism: self.info.name,
            version: analyze_gauss::VERSION,
            parameters,
            assurance: self.assurance(),
        }
    }

    /// What a release costs in a ledger that promises `epsilon`.
    ///
    /// # Errors
    /// [`EngineError::Budget`] beyond 128 bits.
    pub fn charge(&self, epsilon: Epsilon) -> Result<Units, EngineError> {
        Ok(charge(&self.events, epsilon)?)
    }

    /// What the proof covers when the randomness is the operating system's.
    #[must_use]
    pub const fn assurance(&self) -> Assurance {
        match self.mechanism {
            Mechanism::AnalyzeGauss(_) => Assurance::Exact,
            Mechanism::Ols(_) => Assurance::Demo,
        }
    }

    /// The name of the column that identifies a person, or `assumed`.
    pub(super) fn person(&self) -> String {
        self.bound.person.as_ref().map_or_else(|| "assumed".to_owned(), |person| person.name.clone())
    }
}
