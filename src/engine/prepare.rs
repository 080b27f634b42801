//! Everything that is public about a release, fixed before a row is read.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::error::EngineError;
use super::guided::{Guided, Terms as GuidedTerms};
use crate::data::{Gathered, Geometry, MAX_CELLS, MAX_TERMS, Moments};
use crate::mechanisms::passes::{self, Pass};
use crate::mechanisms::shared::NoiseError;
use crate::mechanisms::{Info, Mechanism, Noise, Reads, most_rows};
use crate::model::{Assurance, Layout};
use crate::noise::entropy::random_id;
use crate::plan::bound::BoundPlan;
use crate::plan::document::{Calibration, Confirm};
use crate::plan::public::{Guide, PublicTable};
use crate::plan::{CheckedPlan, Plan, PlanError, Purpose, bind};
use crate::privacy::calibrate::{Budget, Split, UNIT_BITS, budget_parts, gaussian_charge};
use crate::privacy::convert::gdp_epsilon;
use crate::privacy::event::{Event, charge};
use crate::privacy::ledger::{Request, Terms};
use crate::privacy::measure::{Delta, Epsilon, Mu};
use crate::privacy::units::Units;

/// A plan bound to a header, with its noise.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) checked: CheckedPlan,
    pub(super) plan: Plan,
    pub(super) bound: BoundPlan,
    pub(super) geometry: Geometry,
    pub(super) layout: Layout,
    pub(super) reads: Reads,
    summed: Layout,
    pub(super) info: &'static Info,
    pub(super) mechanism: Mechanism,
    pub(super) cost: Option<Cost>,
    events: Vec<Event>,
    public: Option<PublicTable>,
    guide: Option<Guide>,
}

/// What a release costs, in public numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The noise.
    pub noise: Noise,
    /// ε and δ that the release keeps; absent for μ or ρ without δ.
    pub promise: Option<(Epsilon, Delta)>,
    /// μ as charged, rounded up; absent for the Other wallet.
    pub mu: Option<f64>,
    /// ρ = μ²/2 as charged, rounded up; absent for the Other wallet.
    pub rho: Option<f64>,
    /// ε and δ that a paper claims for its own scale.
    pub claimed: Option<(Epsilon, Delta)>,
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
    prepare_with(plan, None, names, delimiter, purpose)
}

/// The same with what is publicly known of the columns, for a mechanism that is guided by it.
///
/// # Errors
/// [`EngineError`] as [`prepare`], for public input that the mechanism does not take, and where it takes some and has none.
pub fn prepare_with(
    plan: Plan,
    public: Option<&PublicTable>,
    names: &[String],
    delimiter: u8,
    purpose: Purpose,
) -> Result<Prepared, EngineError> {
    let guide = |table: &PublicTable, terms: &GuidedTerms| terms.guide(table);
    prepare_by(plan, public, guide, names, delimiter, purpose)
}

/// The same with a guide that was made before, for who prepares one plan after another.
///
/// # Errors
/// As [`prepare_with`].
pub fn prepare_guided(
    plan: Plan,
    public: Option<&Guided>,
    names: &[String],
    delimiter: u8,
    purpose: Purpose,
) -> Result<Prepared, EngineError> {
    let guide = |table: &PublicTable, terms: &GuidedTerms| {
        public.map_or_else(|| terms.guide(table), |guided| guided.guide(terms))
    };
    prepare_by(plan, public.map(Guided::table), guide, names, delimiter, purpose)
}

fn prepare_by(
    plan: Plan,
    public: Option<&PublicTable>,
    guide: impl Fn(&PublicTable, &GuidedTerms) -> Result<Guide, PlanError>,
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
    let (info, mut mechanism, params) = Mechanism::from_plan(&checked, purpose)?;
    check_public(info, public.is_some())?;
    public.map_or(Ok(()), PublicTable::check)?;
    checked.plan.mechanism.params = params;
    if let Some(csv) = &mut checked.plan.csv {
        csv.delimiter = Some(char::from(delimiter).to_string());
    }
    let mut bound = bind::bind(&checked, names, delimiter, mechanism.grid())?;
    let guide = public.map(|table| guide(table, &GuidedTerms::of(&checked, &bound))).transpose()?;
    let settled = mechanism.settle(&checked, &mut bound, guide.as_ref())?;
    checked.plan.mechanism.params.extend(settled);
    let geometry = Geometry::new(&bound);
    let first = geometry.first_outcome(&bound);
    let layout = mechanism.layout(first, geometry.terms.len().saturating_sub(first));
    let (reads, summed) = mechanism.gathers(layout, checked.rows.or(checked.plan.stated_rows))?;
    check_size(if reads == Reads::Moments { summed } else { layout })?;
    let mut terms = BTreeSet::new();
    if let Some(term) = geometry.terms.iter().find(|term| !terms.insert(term.name.as_str())) {
        return Err(EngineError::Plan(PlanError::at(
            "columns",
            format!("two terms would have the name `{}`", term.name),
            "rename a column in the table, or a level: the constant is `(Intercept)`, and a level is `column[level]`",
        )));
    }
    let noise = mechanism.noise(&checked, &bound, &geometry, layout).map_err(|error| match error {
        NoiseError::Plan(error) => EngineError::Plan(error),
        NoiseError::Budget(error) => EngineError::Budget(error),
    })?;
    let cost = noise.map(|noise| cost(&checked, noise)).transpose()?;
    if let Some(cost) = &cost {
        check_cost(&checked, purpose, cost)?;
        if let Noise::Sketch(noise) = &cost.noise {
            let (name, rows) = noise.resolved();
            checked.plan.mechanism.params.insert(name.to_owned(), Value::from(rows));
        }
    }
    bound.guard = cost.is_none() && geometry.outcomes.is_none();
    let events = cost.iter().flat_map(|cost| cost.noise.events()).collect();
    Ok(Prepared {
        plan: checked.plan.clone(),
        checked,
        bound,
        geometry,
        layout,
        reads,
        summed,
        info,
        mechanism,
        cost,
        events,
        public: public.cloned(),
        guide,
    })
}

/// Whether the mechanism of a plan takes public input where some is given, and none where it is not: to be asked before a public
/// file is read.
///
/// # Errors
/// [`EngineError`] where it does not, and for a mechanism that cannot be run.
pub fn expect_public(checked: &CheckedPlan, purpose: Purpose, given: bool) -> Result<(), EngineError> {
    let (info, _, _) = Mechanism::from_plan(checked, purpose)?;
    check_public(info, given)
}

fn check_public(info: &Info, given: bool) -> Result<(), EngineError> {
    let error = match (info.takes_public(), given) {
        (true, true) | (false, false) => return Ok(()),
        (false, true) => PlanError::at(
            "mechanism.name",
            format!("`{}` takes no public input", info.name),
            "leave the public input out (--public on the command line)",
        ),
        (true, false) => PlanError::at(
            "mechanism.name",
            format!("`{}` needs public input", info.name),
            "give --public FILE: a CSV of other people's rows, their means, standard deviations and correlations \
             (discreet.public/1), or an earlier release; never numbers of this table",
        ),
    };
    Err(EngineError::Plan(error))
}

/// Whether the sums of so many terms can be kept.
fn check_size(layout: Layout) -> Result<(), EngineError> {
    let refuse = |what: String, advice: &str| Err(EngineError::Plan(PlanError::at("columns", what, advice)));
    if layout.features() > MAX_TERMS {
        return refuse(
            format!(
                "the columns make {} terms, counting the constant and each level but the reference, and {MAX_TERMS} is \
                 the most",
                layout.features()
            ),
            "choose fewer columns or fewer levels; many outcomes on few features are work for `reuse-cov-gauss`",
        );
    }
    if layout.cells() > MAX_CELLS {
        return refuse(
            format!(
                "{} features with the constant and {} outcomes make {} sums, and {MAX_CELLS} is the most",
                layout.features(),
                layout.outcomes(),
                layout.cells()
            ),
            "choose fewer outcomes or fewer features",
        );
    }
    Ok(())
}

fn cost(checked: &CheckedPlan, noise: Noise) -> Result<Cost, EngineError> {
    let budget = checked.budget.as_ref().ok_or(EngineError::Internal("noise without a budget"))?;
    if let Some(price) = noise.price() {
        let asked = match *budget {
            Budget::EpsilonDelta { epsilon, delta } => (epsilon, delta),
            Budget::Mu { .. } | Budget::Rho { .. } => (price.epsilon, price.delta),
        };
        let (promise, claimed) = match checked.calibration {
            Calibration::Exact => (asked, None),
            Calibration::Paper => ((price.epsilon, asked.1), Some(asked)),
        };
        return Ok(Cost { noise, promise: Some(promise), mu: None, rho: None, claimed });
    }
    // What is μ-GDP in several parts is so as a whole.
    let units = noise.events().iter().try_fold(0_u128, |sum, event| match event {
        Event::Gaussian { sensitivity_squared, scale, .. } => {
            let units = gaussian_charge(sensitivity_squared, *scale)?;
            sum.checked_add(units).ok_or(EngineError::Internal("noise beyond all bounds"))
        }
        Event::Pure { .. } | Event::Approximate { .. } => {
            Err(EngineError::Internal("noise that nothing pays for"))
        }
    })?;
    let (mu, rho) = mu_and_rho(units);
    let asked = budget_parts(budget, &Split::Gaussian)?.promise;
    let (promise, claimed) = match (checked.calibration, asked) {
        (Calibration::Paper, Some((_, delta))) => {
            let real = Mu::try_new(mu).ok().and_then(|mu| gdp_epsilon(mu, delta).ok());
            let real = real.ok_or(EngineError::Internal("the paper's scale has no epsilon"))?;
            (Some((real, delta)), asked)
        }
        _ => (asked, None),
    };
    Ok(Cost { noise, promise, mu: Some(mu), rho: Some(rho), claimed })
}

/// What a release needs beyond its budget: a paper's scale that keeps its own claim, and the person's word for a proof that
/// assumes real numbers.
fn check_cost(checked: &CheckedPlan, purpose: Purpose, cost: &Cost) -> Result<(), EngineError> {
    if purpose != Purpose::Release {
        return Ok(());
    }
    if let (Some((real, _)), Some((claimed, delta))) = (cost.promise, cost.claimed)
        && real > claimed
    {
        return Err(EngineError::Plan(PlanError::at(
            "mechanism.calibration",
            format!("the paper claims epsilon {claimed} at delta {delta}, and its scale really costs {real}"),
            "set it to \"exact\", or run the plan with `simulate`",
        )));
    }
    if cost.noise.assurance() == Assurance::Idealised && !checked.plan.confirm.contains(&Confirm::Idealised) {
        return Err(EngineError::Plan(PlanError::at(
            "confirm",
            format!(
                "the proof of `{}` assumes real-number arithmetic, and nobody has confirmed it",
                checked.plan.mechanism.name
            ),
            "add \"idealised\" to `confirm` once the person responsible agrees, or take a mechanism that is exact",
        )));
    }
    Ok(())
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

    /// What is publicly known of the columns, where the mechanism is guided by it.
    #[must_use]
    pub const fn public(&self) -> Option<&PublicTable> {
        self.public.as_ref()
    }

    /// The public moments as they are used.
    #[must_use]
    pub const fn guide(&self) -> Option<&Guide> {
        self.guide.as_ref()
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

    /// Which moments are released.
    #[must_use]
    pub const fn layout(&self) -> Layout {
        self.layout
    }

    /// Sums of no row yet, as the release needs them.
    #[must_use]
    pub fn moments(&self) -> Moments {
        Moments::of(self.moments_layout())
    }

    /// Which sums are taken of the rows: with guard digits more than are released.
    pub(super) fn moments_layout(&self) -> Layout {
        if self.bound.guard { Layout::whole(self.row_width()) } else { self.summed }
    }

    /// What is gathered of a table: nothing yet.
    #[must_use]
    pub fn gather(&self) -> Gathered {
        Gathered::new(self.keeps_rows(), self.moments_layout())
    }

    /// Reads what a thread gathered, as [`Gathered::to_bytes`] wrote it.
    ///
    /// # Errors
    /// [`EngineError::Internal`] for other bytes.
    pub fn gathered(&self, bytes: &[u8]) -> Result<Gathered, EngineError> {
        Gathered::from_bytes(self.keeps_rows(), self.moments_layout(), bytes)
            .map_err(|_| EngineError::Internal("a thread's sums are none of this plan"))
    }

    /// How many passes over the rows a release makes; nothing for a mechanism that reads once.
    #[must_use]
    pub fn passes(&self) -> Option<u32> {
        self.cost.as_ref().and_then(|cost| passes::count(&cost.noise))
    }

    /// The pass of another thread's fit under the same plan, as [`Pass::place`] wrote it.
    ///
    /// # Errors
    /// [`EngineError::Internal`] for other bytes.
    pub fn pass_at(&self, place: &[u8]) -> Result<Pass<'_>, EngineError> {
        self.cost
            .as_ref()
            .and_then(|cost| Pass::at(&cost.noise, place))
            .ok_or(EngineError::Internal("a thread's pass is none of this plan"))
    }

    /// Most rows that are kept in memory from one pass to the next.
    #[must_use]
    pub fn most_rows(&self) -> u64 {
        most_rows(self.layout)
    }

    /// Whether the table is read again for each pass, because its rows, as far as is publicly known, are too many to be kept.
    #[must_use]
    pub fn rereads(&self) -> bool {
        let rows = self.checked.rows.or(self.checked.plan.stated_rows);
        self.repeats() && rows.is_some_and(|rows| rows > self.most_rows())
    }

    /// Whether the mechanism goes over the rows several times.
    #[must_use]
    pub fn repeats(&self) -> bool {
        self.reads == Reads::RowsRepeatedly
    }

    /// Whether rows are kept, and not sums alone.
    pub(super) fn keeps_rows(&self) -> bool {
        self.reads != Reads::Moments
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
            parameters.extend(cost.noise.parameters());
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
            version: self.cost.as_ref().map_or("1", |cost| cost.noise.version()),
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
    pub fn assurance(&self) -> Assurance {
        self.cost.as_ref().map_or(Assurance::Demo, |cost| cost.noise.assurance())
    }

    /// The name of the column that identifies a person, or `assumed`.
    pub(super) fn person(&self) -> String {
        self.bound.person.as_ref().map_or_else(|| "assumed".to_owned(), |person| person.name.clone())
    }
}
