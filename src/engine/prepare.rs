//! Everything that is public about a release, fixed before a row is read.

use std::any::Any;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::error::EngineError;
use super::public_moments::{MomentTerms, PublicKnowledge};
use crate::data::{Geometry, Moments, Statistic, Sums};
use crate::math::round::sqrt_up;
use crate::mechanisms::rounds::{PostProcessing, most_rows};
use crate::mechanisms::second_moments::SecondMoments;
use crate::mechanisms::shared::NoiseError;
use crate::mechanisms::{
    Charge, Configured, Info, Resolved, Rounds, Run, Task, estimated_bounds, gaussian, info,
};
use crate::model::{Assurance, Layout, NoiseLaw};
use crate::noise::entropy::random_id;
use crate::plan::bound::BoundPlan;
use crate::plan::document::{Calibration, Confirm};
use crate::plan::params::Params;
use crate::plan::public::{PublicTable, Whitener};
use crate::plan::{CheckedPlan, Plan, PlanError, Purpose, bind};
use crate::privacy::calibrate::{Budget, Split, UNITS_OF_ONE, budget_parts, gaussian_charge, slack_capacity};
use crate::privacy::event::{self, Event};
use crate::privacy::ledger::{OTHER_PERSONS, PERSON, QUESTION, Request, Terms};
use crate::privacy::measure::{Delta, Epsilon, Mu};
use crate::privacy::units::Units;
use crate::release::bounds::EstimatedBounds;
use crate::text::hexadecimal;
use crate::words;

/// A plan bound to a header, with its noise.
#[derive(Clone, Debug)]
pub struct Prepared {
    pub(super) task: Task,
    info: &'static Info,
    pub(super) configured: Arc<dyn Configured>,
    law: Option<NoiseLaw>,
    post_processing: PostProcessing,
    rounds: Arc<dyn Rounds>,
    pub(super) cost: Option<Cost>,
    public: Option<PublicTable>,
    pub(super) stage: Stage,
}

/// Where the bounds of the columns come from.
#[derive(Clone, Debug)]
pub(super) enum Stage {
    /// The plan.
    Stated,
    /// This stage estimates them. The mechanism is a later stage.
    Bounds(Arc<Sought>),
    /// They were estimated.
    Found(Arc<Found>),
}

impl Stage {
    /// Returns the events that were charged before this stage.
    fn charged(&self) -> &[Event] {
        if let Self::Found(found) = self { &found.events } else { &[] }
    }
}

/// The stage that follows once bounds are found.
#[derive(Debug)]
pub(super) struct Sought {
    /// For each column whose bounds are estimated, the index of its entry in the plan.
    pub(super) entries: Vec<usize>,
    /// The events of both charges, as far as they are known before the bounds.
    events: Vec<Event>,
    /// The mechanism that follows, with the widest bounds that can be found.
    fit: Prepared,
}

/// Bounds that were found.
#[derive(Debug)]
pub(super) struct Found {
    /// The bounds as released.
    pub(super) bounds: EstimatedBounds,
    /// The notes about them.
    pub(super) notes: Vec<String>,
    /// The events that were charged for them.
    pub(super) events: Vec<Event>,
}

/// The cost of a release, in public numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    /// The request to the ledger.
    pub charge: Charge,
    /// ε and δ that the release keeps; absent for μ or ρ without δ.
    pub promise: Option<(Epsilon, Delta)>,
    /// μ as charged, rounded up; absent for the (ε, δ) budget.
    pub mu: Option<f64>,
    /// ρ = μ²/2 as charged, rounded up; absent for the (ε, δ) budget.
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
    prepare_with(plan, None::<&PublicTable>, names, delimiter, purpose)
}

/// Prepares a plan as [`prepare`] does, with public moments of the columns for a mechanism that uses them.
///
/// # Errors
/// [`EngineError`] as [`prepare`], and if public moments are given to a mechanism that does not use them, or are missing for one
/// that does.
pub fn prepare_with(
    plan: Plan,
    public: Option<&impl PublicKnowledge>,
    names: &[String],
    delimiter: u8,
    purpose: Purpose,
) -> Result<Prepared, EngineError> {
    ConfiguredPlan::new(plan, public.is_some(), purpose)?.prepare(public, names, delimiter)
}

/// A checked plan whose mechanism has its parameters. It can still be refused for three reasons: the header, the content of the
/// public moments, and a budget that buys too little for the header's columns.
#[derive(Debug)]
pub struct ConfiguredPlan {
    checked: CheckedPlan,
    info: &'static Info,
    configured: Arc<dyn Configured>,
    purpose: Purpose,
}

impl ConfiguredPlan {
    /// Checks a plan, and whether public moments are given where its mechanism takes them, and only there.
    ///
    /// # Errors
    /// [`EngineError::Plan`] where the plan cannot be run.
    pub fn new(plan: Plan, public: bool, purpose: Purpose) -> Result<Self, EngineError> {
        let mut checked = CheckedPlan::new(plan, purpose)?;
        let mechanism = info::named(&checked, purpose)?;
        let info = mechanism.info;
        check_public(info, public)?;
        let given = std::mem::take(&mut checked.plan.mechanism.params);
        let paper = checked.calibration == Calibration::Paper;
        let mut params = Params::new(info.name, info.parameters, &given, paper);
        let configured = (mechanism.configure)(&checked, &mut params)?.into();
        checked.plan.mechanism.params = params.finish()?;
        Ok(Self { checked, info, configured, purpose })
    }

    /// Returns the checked plan, with all defaults but those that follow from a header.
    pub const fn checked(&self) -> &CheckedPlan {
        &self.checked
    }

    /// Finds the plan's columns among a header's `names`, and fixes encoding, noise and cost.
    ///
    /// # Errors
    /// [`EngineError`] where the plan does not fit the header or the public moments, or asks for noise out of range.
    pub fn prepare(
        self,
        public: Option<&impl PublicKnowledge>,
        names: &[String],
        delimiter: u8,
    ) -> Result<Prepared, EngineError> {
        let public = public.map(|public| public as &dyn PublicKnowledge);
        let Self { checked, .. } = &self;
        if delimiter == b',' && checked.numbers.decimal == b',' {
            return Err(EngineError::Plan(PlanError::at(
                "csv.decimal",
                words::plan::header_commas(),
                words::plan::header_commas_advice(),
            )));
        }
        public.map_or(Ok(()), |public| public.table().check())?;
        if !checked.plan.estimates() {
            return self.resolve(public, names, delimiter, Stage::Stated);
        }
        // The mechanism is also prepared with the widest bounds, so that its errors appear before the first charge, and both
        // charges fit.
        let (_, entries) = bind::bind_entries(checked, names, delimiter, self.configured.grid())?;
        let counting = estimated_bounds::Counting { entries, purpose: self.purpose };
        let entries = counting.sought(checked);
        let bounds = Self {
            checked: checked.clone(),
            info: &estimated_bounds::INFO,
            configured: Arc::new(counting),
            purpose: self.purpose,
        };
        let purpose = self.purpose;
        let fit = self.resolve(public, names, delimiter, Stage::Stated)?;
        let sought = |events| Sought { entries: entries.clone(), events, fit: fit.clone() };
        let stage = |events| Stage::Bounds(Arc::new(sought(events)));
        let mut prepared = bounds.resolve(None, names, delimiter, stage(Vec::new()))?;
        prepared.stage = stage([prepared.events(), fit.events()].concat());
        if let (Purpose::Release, Some(cost)) = (purpose, &fit.cost) {
            check_slack(prepared.whole_events(), cost.promise)?;
        }
        Ok(prepared)
    }

    /// Prepares one stage of a release.
    ///
    /// # Errors
    /// As [`Self::prepare`].
    pub(super) fn resolve(
        self,
        public: Option<&dyn PublicKnowledge>,
        names: &[String],
        delimiter: u8,
        stage: Stage,
    ) -> Result<Prepared, EngineError> {
        let Self { mut checked, info, configured, purpose } = self;
        let bound = bind::bind(&checked, names, delimiter, configured.grid())?;
        let mut bound = BoundPlan { levels: configured.levels(), ..bound };
        if let Some(public) = public {
            bound.public = Some(Arc::new(public.whitener(&MomentTerms::of(&checked, &bound))?));
        }
        let resolved = configured.resolve(&checked, bound).map_err(|error| match error {
            NoiseError::Plan(error) => EngineError::Plan(error),
            NoiseError::Budget(error) => EngineError::Budget(error),
        })?;
        let Resolved { parameters, encoding, charge, law, post_processing, rounds } = resolved;
        checked.plan.mechanism.params.extend(parameters);
        if let Some(csv) = &mut checked.plan.csv {
            csv.delimiter = Some(char::from(delimiter).to_string());
        }
        let cost = charge.map(|charge| cost(&checked, charge, &stage)).transpose()?;
        if let (Purpose::Release, Some(cost)) = (purpose, &cost) {
            check_slack(&[stage.charged(), &cost.charge.events].concat(), cost.promise)?;
            check_cost(&checked, cost)?;
        }
        let task = Task { checked, encoding };
        let public = public.map(|public| public.table().clone());
        Ok(Prepared { task, info, configured, law, post_processing, rounds, cost, public, stage })
    }
}

fn check_public(info: &Info, given: bool) -> Result<(), PlanError> {
    match (info.public_moments, given) {
        (true, true) | (false, false) => Ok(()),
        (false, true) => Err(PlanError::at(
            "mechanism.name",
            words::plan::public_unused(info.name),
            words::plan::public_unused_advice(),
        )),
        (true, false) => Err(PlanError::at(
            "mechanism.name",
            words::plan::public_needed(info.name),
            words::plan::public_needed_advice(),
        )),
    }
}

fn cost(checked: &CheckedPlan, charge: Charge, stage: &Stage) -> Result<Cost, EngineError> {
    let whole = checked.whole_budget();
    let budget = whole.as_ref().ok_or(EngineError::Internal("noise without a budget"))?;
    if let Some(price) = charge.cost {
        let asked = match *budget {
            Budget::EpsilonDelta { epsilon, delta } => (epsilon, delta),
            Budget::Mu { .. } | Budget::Rho { .. } => (price.epsilon, price.delta),
        };
        let (promise, claimed) = match checked.calibration {
            Calibration::Exact => (asked, None),
            Calibration::Paper => ((price.epsilon, asked.1), Some(asked)),
        };
        return Ok(Cost { charge, promise: Some(promise), mu: None, rho: None, claimed });
    }
    // The charges of all stages add up in μ².
    let units = gaussian_units(stage.charged().iter().chain(&charge.events))?;
    let (mu, rho) = mu_and_rho(units);
    let asked = budget_parts(budget, &Split::Gaussian)?.promise;
    let real = |delta| {
        let mu = Mu::try_new(mu).map_err(|_| EngineError::Internal("noise of no scale"))?;
        Ok::<_, EngineError>(budget_parts(&Budget::Mu { mu, delta: Some(delta) }, &Split::Gaussian)?.promise)
    };
    let (promise, claimed) = match (checked.calibration, asked, stage) {
        (Calibration::Paper, Some((_, delta)), _) => (real(delta)?, asked),
        // This stage has a part of the budget, so it has its own ε at the plan's δ.
        (_, Some((_, delta)), Stage::Bounds(_)) => (real(delta)?, None),
        _ => (asked, None),
    };
    Ok(Cost { charge, promise, mu: Some(mu), rho: Some(rho), claimed })
}

/// Returns what the events cost together, in units of 2^-40 of μ².
fn gaussian_units<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<u128, EngineError> {
    events.into_iter().try_fold(0_u128, |sum, event| match event {
        Event::Gaussian { sensitivity_squared, scale, .. } => {
            let units = gaussian_charge(sensitivity_squared, *scale)?;
            sum.checked_add(units).ok_or(EngineError::Internal("noise beyond all bounds"))
        }
        Event::Pure { .. } | Event::Approximate { .. } => {
            Err(EngineError::Internal("noise that nothing pays for"))
        }
    })
}

/// Refuses noise whose discreteness, of all stages together, δ does not cover.
fn check_slack(events: &[Event], promise: Option<(Epsilon, Delta)>) -> Result<(), EngineError> {
    let Some((epsilon, delta)) = promise else { return Ok(()) };
    if event::charge(events, epsilon).is_ok_and(|units| units.slack <= slack_capacity(delta).unwrap_or(0)) {
        return Ok(());
    }
    Err(EngineError::Plan(PlanError::at(
        "budget",
        words::plan::coarse_noise(epsilon, delta),
        words::plan::coarse_noise_advice(),
    )))
}

/// Refuses a release for two reasons: the scale of a paper costs more than the paper claims, or a proof for real numbers is not confirmed.
fn check_cost(checked: &CheckedPlan, cost: &Cost) -> Result<(), EngineError> {
    if let (Some((real, _)), Some((claimed, delta))) = (cost.promise, cost.claimed)
        && real > claimed
    {
        return Err(EngineError::Plan(PlanError::at(
            "mechanism.calibration",
            words::plan::paper_claim(claimed, delta, real),
            words::plan::paper_claim_advice(),
        )));
    }
    if cost.charge.assurance == Assurance::Idealised && !checked.plan.confirm.contains(&Confirm::Idealised) {
        return Err(EngineError::Plan(PlanError::at(
            "confirm",
            words::plan::idealised_unconfirmed(&checked.plan.mechanism.name),
            words::plan::idealised_advice(),
        )));
    }
    Ok(())
}

/// Returns μ = √(units / 2^40) and ρ = μ²/2, both rounded up.
fn mu_and_rho(units: u128) -> (f64, f64) {
    let rounded = units as f64;
    // Up to 2^53 the conversion is exact; beyond, one step up covers it.
    let above = if units >> 53 == 0 { rounded } else { rounded.next_up() };
    let square = above / UNITS_OF_ONE;
    (sqrt_up(square), square / 2.0)
}

/// Refuses a file that has a header and no rows. Like other malformed files it is refused before the charge.
///
/// # Errors
/// [`EngineError::NoRows`].
pub const fn check_rows(records: u64) -> Result<(), EngineError> {
    if records == 0 { Err(EngineError::NoRows) } else { Ok(()) }
}

/// Checks the number of `records`, or with a person column of `persons`, against the number that the plan states. Call it before
/// the charge. Under add-remove nothing is compared, because the counts are private.
///
/// # Errors
/// [`EngineError::Rows`] under replace-one for a table of another length.
pub fn check_table(prepared: &Prepared, records: u64, persons: Option<u64>) -> Result<(), EngineError> {
    let Some(stated) = prepared.task.checked.rows else { return Ok(()) };
    let (unit, found) = match (prepared.task.encoding.bound.person.is_some(), persons) {
        (true, Some(persons)) => ("persons", persons),
        (true, None) => return Err(EngineError::Internal("nobody counted the persons")),
        (false, _) => ("rows", records),
    };
    if found == stated { Ok(()) } else { Err(EngineError::Rows { unit, found, stated }) }
}

impl Prepared {
    /// Returns the plan with every default filled in; it runs unchanged.
    pub const fn plan(&self) -> &Plan {
        &self.task.checked.plan
    }

    /// Returns what is publicly known of the columns, for a mechanism with public moments.
    pub const fn public(&self) -> Option<&PublicTable> {
        self.public.as_ref()
    }

    /// Returns the public moments as they are used.
    pub fn whitener(&self) -> Option<&Whitener> {
        self.bound().public.as_deref()
    }

    /// Returns whether this is the stage that estimates bounds, which the plan's mechanism follows.
    pub const fn estimates_bounds(&self) -> bool {
        matches!(self.stage, Stage::Bounds(_))
    }

    /// Returns the stage of the plan's own mechanism: this one, or the one that follows estimated bounds, with the widest bounds that can
    /// be found.
    pub fn fit(&self) -> &Self {
        if let Stage::Bounds(sought) = &self.stage { &sought.fit } else { self }
    }

    /// Returns μ of all stages together, rounded up. `None` for the (ε, δ) budget.
    pub fn whole_mu(&self) -> Option<f64> {
        let own = self.cost.as_ref()?.mu?;
        if !self.estimates_bounds() {
            return Some(own);
        }
        let units = gaussian_units(self.whole_events()).ok()?;
        Some(mu_and_rho(units).0)
    }

    /// Returns the checked plan.
    pub const fn checked(&self) -> &CheckedPlan {
        &self.task.checked
    }

    /// Returns all that is public beside the rounds.
    pub const fn task(&self) -> &Task {
        &self.task
    }

    /// Returns what reads the table.
    pub const fn bound(&self) -> &BoundPlan {
        &self.task.encoding.bound
    }

    /// Returns the grid and the terms.
    pub const fn geometry(&self) -> &Geometry {
        &self.task.encoding.geometry
    }

    /// Returns which moments are released.
    pub const fn layout(&self) -> Layout {
        self.task.encoding.layout
    }

    /// Returns the law that the release will name, where it is known; see [`Resolved::law`].
    pub const fn law(&self) -> Option<&NoiseLaw> {
        self.law.as_ref()
    }

    /// Returns what is done with released moments.
    pub const fn post_processing(&self) -> PostProcessing {
        self.post_processing
    }

    /// Returns empty accumulators of the second moments that the release needs; if the mechanism reads rows, of the moments in
    /// its layout.
    pub fn moments(&self) -> Moments {
        match self.statistic() {
            Statistic::Moments(layout) => Moments::of(layout),
            _ => Moments::of(self.layout()),
        }
    }

    /// Returns what the first reading of the table collects: the sums of the only round, or the rows if there are several rounds.
    pub fn statistic(&self) -> Statistic {
        let one = || self.start().round().map(|round| round.statistic);
        let rows = || Statistic::Rows(self.row_width());
        if self.repeats() { rows() } else { one().unwrap_or_else(rows) }
    }

    /// Returns whether the first reading of the table for this plan also serves another plan, because both collect the same sums
    /// or rows. If a map is summed, the answer is always `false`.
    pub fn reads_as(&self, other: &Self) -> bool {
        let same = match (self.statistic(), other.statistic()) {
            (Statistic::Moments(own), Statistic::Moments(other)) => own == other,
            (Statistic::Rows(own), Statistic::Rows(other)) => own == other,
            _ => false,
        };
        let how = |of: &Self| (of.repeats(), of.rereads(), of.most_rows());
        same && self.bound() == other.bound() && how(self) == how(other)
    }

    /// Returns the empty accumulator for the first reading.
    pub fn sums(&self) -> Sums {
        self.statistic().empty()
    }

    /// Returns the rounds before the first one.
    pub fn start(&self) -> Box<dyn Run> {
        Arc::clone(&self.rounds).start()
    }

    /// Returns how many rounds there are at most.
    pub fn rounds(&self) -> u32 {
        self.rounds.count()
    }

    /// Returns the noise on second moments, where it is one Gaussian for each cell.
    pub fn gaussian(&self) -> Option<&gaussian::Noise> {
        self.rounds.gaussian()
    }

    /// Returns the rounds with the public numbers of their noise, or the noise of one round of second moments, for an audit that knows the
    /// mechanism.
    pub fn noise<T: 'static>(&self) -> Option<&T> {
        let rounds: &dyn Any = &*self.rounds;
        rounds.downcast_ref().or_else(|| {
            let noise: &dyn Any = &*rounds.downcast_ref::<SecondMoments>()?.noise;
            noise.downcast_ref()
        })
    }

    pub(super) fn all_rounds(&self) -> &dyn Rounds {
        &*self.rounds
    }

    /// Returns the most rows that are kept in memory from one round to the next.
    pub fn most_rows(&self) -> u64 {
        most_rows(self.layout().terms())
    }

    /// Returns the public number of rows, which is exact under `replace-one` and a guess under `add-remove`.
    pub fn stated_rows(&self) -> Option<u64> {
        self.checked().public_rows()
    }

    /// Returns whether the table is read again for each round, because its rows, as far as is publicly known, are too many to be kept.
    pub fn rereads(&self) -> bool {
        let rows = self.stated_rows();
        self.repeats() && rows.is_some_and(|rows| rows > self.most_rows())
    }

    /// Returns whether there are several rounds.
    pub fn repeats(&self) -> bool {
        self.rounds() > 1
    }

    /// Returns the number of integers in an encoded row.
    pub fn row_width(&self) -> usize {
        self.task.encoding.row_width()
    }

    /// Returns the description of the mechanism.
    pub const fn info(&self) -> &'static Info {
        self.info
    }

    /// Returns the cost of the release. `None` without noise.
    pub const fn cost(&self) -> Option<&Cost> {
        self.cost.as_ref()
    }

    /// Returns the terms that have to equal those of the ledger.
    pub const fn terms(&self) -> Terms {
        Terms {
            adjacency: self.task.checked.adjacency,
            protect: self.task.checked.protect,
            max_rows_per_person: self.task.checked.max_rows_per_person,
        }
    }

    /// Returns the request to the ledger. Its entry keeps the public parameters, the plan's own budget, the hash of its question, and a nonce. Without the
    /// nonce, two copies of a ledger that each paid for the same plan would be equal byte for byte. Importing one into the other
    /// would then lose a charge instead of detecting the fork. If the operating system has no randomness there is no nonce, but
    /// then there is no release either.
    pub fn request(&self) -> Request<'_> {
        self.request_for(self.events())
    }

    /// Returns the request for all stages of the plan. The ledger has to admit it before the first charge.
    pub fn whole_request(&self) -> Request<'_> {
        self.request_for(self.whole_events())
    }

    fn whole_events(&self) -> &[Event] {
        if let Stage::Bounds(sought) = &self.stage { &sought.events } else { self.events() }
    }

    fn request_for<'a>(&'a self, events: &'a [Event]) -> Request<'a> {
        let mut parameters = self.plan().mechanism.params.clone();
        if let Some(cost) = &self.cost {
            parameters.extend(cost.charge.parameters.clone());
        }
        if let Ok(Value::Object(budget)) = serde_json::to_value(self.plan().budget) {
            let given: Map<String, Value> =
                budget.into_iter().filter(|(_, value)| !value.is_null()).collect();
            parameters.insert("budget".to_owned(), Value::Object(given));
        }
        let persons = self.plan().person.clone().map(|name| (PERSON.to_owned(), Value::from(name)));
        let confirms = self.plan().confirm.contains(&Confirm::OtherPersons);
        let confirmed = confirms.then(|| (OTHER_PERSONS.to_owned(), Value::from(true)));
        let question = self.plan().question_hash().map(|hash| (QUESTION.to_owned(), Value::from(hash)));
        parameters.extend(persons.into_iter().chain(confirmed).chain(question));
        if let Ok(nonce) = random_id() {
            parameters.insert("nonce".to_owned(), Value::from(hexadecimal(&nonce)));
        }
        Request {
            terms: self.terms(),
            events,
            mechanism: self.info.name,
            version: self.info.version,
            parameters,
            assurance: self.assurance(),
        }
    }

    /// Returns the cost of all stages of the release in a ledger that promises `epsilon`.
    ///
    /// # Errors
    /// [`EngineError::Budget`] beyond 128 bits.
    pub fn charge(&self, epsilon: Epsilon) -> Result<Units, EngineError> {
        Ok(event::charge(self.whole_events(), epsilon)?)
    }

    pub(super) fn events(&self) -> &[Event] {
        self.cost.as_ref().map_or(&[], |cost| &cost.charge.events)
    }

    /// Returns what the proof covers if the random bytes are the operating system's.
    pub fn assurance(&self) -> Assurance {
        self.cost.as_ref().map_or(Assurance::Demo, |cost| cost.charge.assurance)
    }

    /// Returns the name of the column that identifies persons, or `assumed` if each row counts as one.
    pub(super) fn person(&self) -> String {
        self.bound().person.as_ref().map_or_else(|| "assumed".to_owned(), |person| person.name.clone())
    }
}
