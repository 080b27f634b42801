//! Step 5: what was released.

use std::sync::Arc;

use leptos::prelude::*;

use super::Status;
use super::bounds::FoundBounds;
use super::effect::Effect;
use super::exports::Exports;
use super::ledger::LedgerPanel;
use super::outcomes::Outcomes;
use super::parameters::ToRobust;
use super::refit::{Refit, can_leave_out};
use super::side_by_side::SideBySide;
use super::table::CoefficientTable;
use crate::engine::supplement;
use crate::inference::design::is_drowned;
use crate::model::note::{self, Kind};
use crate::release::document::LONG_FORM_OUTCOMES;
use crate::release::format::at_most;
use crate::release::publication::{Table, tables};
use crate::release::remarks;
use crate::release::row_count::{RowCount, Verdict};
use crate::release::significance::{Absent, Tests};
use crate::release::statement::{Statement, budget_sentence};
use crate::release::supplement::Supplement;
use crate::release::{Release, known};
use crate::release::{figure, odds};
use crate::ui::actions::go;
use crate::ui::draft::number;
use crate::ui::parts::gloss::{Gloss, Glossed, entries};
use crate::ui::parts::{Choice, Icon, PrintedTable, Quoted, Soon};
use crate::ui::state::{App, Origin, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::view_model;
use crate::ui::{dom, text};
use crate::words;

/// Counts the releases.
pub fn status(app: App) -> Status {
    let made = app.state.releases().with(Vec::len);
    let no_table = app.state.table().with(Option::is_none);
    let words = match (app.state.shown().with(Option::is_some), made) {
        (false, 0) if no_table => words::result::no_table_yet().to_owned(),
        (false, 0) if has_charges(app) => words::result::charged_only().to_owned(),
        (false, 0) => words::result::nothing_released_yet().to_owned(),
        (true, 0) => words::result::a_saved_release().to_owned(),
        (_, made) => words::result::releases(made, text::whole(made)),
    };
    words.into()
}

fn has_charges(app: App) -> bool {
    app.state.ledger().with(|ledger| ledger.as_ref().is_some_and(|ledger| !ledger.entries().is_empty()))
}

/// Draws the result step: coefficients, guarantee, ledger and downloads.
#[component]
pub fn ResultStep() -> impl IntoView {
    let app = App::here();
    let none_shown = move || {
        if !app.state.releases().with(Vec::is_empty) {
            words::result::some_kept()
        } else if has_charges(app) {
            words::result::charged_elsewhere()
        } else if app.state.table().with(Option::is_none) {
            words::result::with_their_table()
        } else {
            words::result::none_yet()
        }
    };
    let body = move || match app.state.shown().get() {
        Some(shown) => view! { <Released release=shown.release origin=shown.origin/> }.into_any(),
        None => view! {
            <p class="lead">{none_shown}</p>
            <LedgerPanel/>
        }
        .into_any(),
    };
    view! { {body} }.into_any()
}

#[component]
fn Released(release: Arc<Release>, origin: Origin) -> impl IntoView {
    let app = App::here();
    let statement = Statement::new(&release);
    let names = figure::outcomes(&release);
    let (adjacency, protect) = (release.plan.adjacency, release.plan.protect.unwrap_or_default());
    let (is_own, each_row) = (!matches!(origin, Origin::File), release.plan.person.is_none());
    let with_others = move || {
        app.state.ledger().with(|ledger| {
            let ledger = ledger.as_ref().filter(|ledger| is_own && ledger.entries().len() > 1)?;
            let worth = view_model::ledger_worth(ledger)?;
            let assumed = app.assumed(each_row);
            Some(view! { <p class="hint">{budget_sentence(adjacency, protect, worth.accuracy)} " " {assumed}</p> })
        })
    };
    let numbered = release.ledger.as_ref().zip(release.privacy.epsilon).map(|(charge, epsilon)| {
        view! { <strong>{words::result::numbered(charge.entry, at_most(epsilon))}</strong> " " }
    });
    let again = move || {
        let is_possible = is_own && !app.is_spent() && app.state.table().with(Option::is_some);
        is_possible.then(|| {
            view! {
                " " <button type="button" class="link" on:click=move |_| go(app, Step::Privacy)>{words::result::another()}</button>
            }
        })
    };
    let origin = match origin {
        Origin::Made => words::result::made_just_now(),
        Origin::Kept => words::result::kept_on_this_machine(),
        Origin::File => words::result::opened_from_a_file(),
    };
    // Where bounds were not found, nothing was fitted, and their table says so.
    let fitted = release.estimated_bounds.as_ref().is_none_or(|bounds| bounds.missing().next().is_none());
    let undetermined = release.coefficients.is_undetermined();
    let mut notes = release.diagnostics.notes.clone();
    notes.extend(remarks::of_plan(&release.plan));
    let shown = fitted && !undetermined;
    let withheld = (undetermined && fitted).then(|| {
        let why = note::reason(&notes).map(|place| notes.remove(place));
        // What is said of the scale is said of no number here.
        notes.retain(|note| Kind::of(note) != Kind::LogOdds);
        view! {
            <div class="verdict withheld">
                <p class="verdict-main">{words::result::undetermined()}</p>
                {why.map(|why| view! { <p><Quoted words=why/></p> })}
            </div>
        }
    });
    // What the intervals do not cover stands beside them.
    let (beside, notes): (Vec<String>, Vec<String>) =
        notes.into_iter().partition(|note| !undetermined && note::warns(note));
    let caveat = |note: String| view! { <p class="caveat"><Quoted words=note/></p> };
    let beside = beside.into_iter().map(caveat).collect_view();
    let (general, notes): (Vec<String>, Vec<String>) =
        notes.into_iter().partition(|note| note::is_general(note));
    let listed = |notes: Vec<String>| {
        let item = |note: String| {
            let to_robust = note.contains(words::note::robust_offer()).then(|| view! { " " <ToRobust/> });
            view! { <li><Quoted words=note/> {to_robust}</li> }
        };
        (!notes.is_empty())
            .then(|| view! { <ul class="notes">{notes.into_iter().map(item).collect_view()}</ul> })
    };
    let general = (!general.is_empty()).then(|| view! {
        <details class="more" id="general-notes"><summary>{words::result::general_notes()}</summary>{listed(general)}</details>
    });
    let notes = listed(notes);
    let count = names.len();
    let many = count > LONG_FORM_OUTCOMES;
    // Thousands of outcomes are searched in a table.
    let chooser =
        (count > 1 && !many && !undetermined).then(|| view! { <OutcomeChoice names=names.clone()/> });
    let all =
        (count > 1 && !undetermined).then(|| view! { <AllOutcomes release=Arc::clone(&release) many/> });
    let (before, after) = if many { (all, None) } else { (None, all) };
    let first = names.into_iter().next().unwrap_or_default();
    let supplement = Arc::new(supplement(&release));
    let per = RwSignal::new("1".to_owned());
    let (for_table, for_fit) = (Arc::clone(&release), Arc::clone(&supplement));
    let table = move || {
        if !shown {
            return ().into_any();
        }
        let outcome = app.state.outcome().get().unwrap_or_else(|| first.clone());
        let per = number(&per.get()).unwrap_or(1.0);
        let (lines, scale) = tables::drawn(&for_table, &for_fit, &outcome, per);
        let others = tables::factors(&for_table, &outcome, per)
            .into_iter()
            .chain(tables::differences(&for_table, &for_fit, &outcome, per))
            .map(|table| view! { <PrintedTable table/> })
            .collect_view();
        let standardised = tables::standardised_coefficients(&for_table, &for_fit, &outcome).map(|table| view! {
            <details class="more" id="standardised"><summary>{words::journal::standardised_title()}</summary><PrintedTable table/></details>
        });
        let unit = figure::unit(&for_table.plan, &outcome);
        let log_odds = for_fit.log_odds;
        let tests = Tests::of(&for_table);
        let (fit, reading) = tables::fit(&for_table, &for_fit, &outcome);
        let below = tables::test_notes(&for_table, &lines);
        let least = tables::is_least_share(&for_table, &outcome);
        let drowned = is_drowned(&for_table.diagnostics);
        let confidence = for_table.plan.interval_level();
        let named = odds::named(&for_table.plan, &outcome, log_odds);
        let outcome = remarks::of_rows(&for_table.plan, figure::with_unit(&named, &unit));
        let penalised = tests.absent() == Some(Absent::Penalised) && !drowned;
        view! {
            {penalised.then(|| view! { <p class="caveat">{words::result::penalised()}</p> })}
            <CoefficientTable lines outcome unit scale log_odds drowned confidence tests fit=fit.join(" · ") below reading least/>
            {others}
            {standardised}
        }
        .into_any()
    };
    let public = release.public.as_ref().map(|table| {
        let words = format!("{} {}", known::origin(table), known::correlations(table));
        view! { <p class="public-origin">{words}</p> }
    });
    let for_refit = Arc::clone(&release);
    let without = (fitted && can_leave_out(&release)).then(|| {
        view! {
            <p class="hint">{words::result::refit_without()} " "
                <button type="button" class="link" on:click=|_| dom::focus("refit-title")>{words::refit::title()}</button></p>
        }
    });
    let count = RowCount::of(&release).map(|count| {
        let far = count.verdict != Verdict::AsStated;
        view! { <p id="row-count" class=if far { "verdict withheld" } else { "hint" }>{count.sentence()}</p> }
    });
    let terms = figure::terms(&release);
    let fits = |per: &f64| terms.iter().any(|term| figure::is_scaled(&release.plan, term, *per));
    let fitting: Vec<f64> = PER_UNITS.into_iter().filter(fits).collect();
    let scale = (shown && !fitting.is_empty()).then(|| view! { <Scale per fitting/> });
    let (for_description, of_description) = (Arc::clone(&release), Arc::clone(&supplement));
    let described =
        fitted.then(|| view! { <Soon><Described release=for_description supplement=of_description/></Soon> });
    let (for_effect, of_effect) = (Arc::clone(&release), Arc::clone(&supplement));
    let effect =
        (shown && !many).then(|| view! { <Soon><Effect release=for_effect supplement=of_effect/></Soon> });
    let for_bounds = Arc::clone(&release);
    view! {
        <section class="zone released" aria-label=words::result::released()>
            {withheld}
            <div class="seal" class:in-name=!statement.protects>
                <Icon name=if statement.protects { "seal" } else { "stop" }/>
                <div><p class="seal-main">{statement.headline.clone()}</p> <p class="hint">{numbered} {origin} {again}</p> {with_others}</div>
            </div>
            {count}
            {before}
            {chooser}
            {scale}
            <div id="regression" tabindex="-1">{table}</div>
            {beside}
            {without}
            {shown.then(|| {
                let terms = terms_of(&release, &supplement);
                view! { <Soon><Glossed of=terms/></Soon> }
            })}
            {after}
            {described}
            {effect}
            <Soon><SideBySide/></Soon>
            <FoundBounds release=for_bounds/>
            {public}
            {notes}
            {general}
            <Soon><Exports release supplement per/></Soon>
        </section>
        <Soon><Guarantee statement/></Soon>
        <Soon><Refit release=for_refit per/></Soon>
        <LedgerPanel/>
    }
}

/// How many units a coefficient can be for beside one, where the range of a column is wide enough.
const PER_UNITS: [f64; 3] = [5.0, 10.0, 100.0];

/// Returns the terms of the table of coefficients that are explained beside it.
fn terms_of(release: &Release, supplement: &Supplement) -> Vec<Gloss> {
    let mut terms = vec![
        entries::COEFFICIENT,
        entries::STANDARD_ERROR,
        entries::CONFIDENCE_INTERVAL,
        entries::NOISE_SHARE,
        entries::APPROXIMATE,
        entries::WITHHELD,
    ];
    if Tests::of(release).absent().is_none() {
        terms.extend([entries::P_VALUE, entries::Z]);
    }
    if supplement.log_odds {
        terms.push(entries::LOG_ODDS);
    } else {
        terms.extend([
            entries::R_SQUARED,
            entries::RESIDUAL_STANDARD_DEVIATION,
            entries::STANDARDISED_COEFFICIENT,
        ]);
    }
    terms
}

/// Asks for how many units a coefficient is shown: one, or as many as suit a column.
#[component]
fn Scale(per: RwSignal<String>, fitting: Vec<f64>) -> impl IntoView {
    let many = fitting.into_iter().map(|count| (count.to_string(), words::export::per_many(count)));
    let one = ("1".to_owned(), words::export::per_one().to_owned());
    let options = std::iter::once(one).chain(many).collect();
    view! {
        <Choice id="per-units" label=words::export::per_units() options value=per set=Callback::new(move |value| per.set(value))/>
    }
}

/// Shows what follows from the release beside the coefficients, behind folds.
#[component]
fn Described(release: Arc<Release>, supplement: Arc<Supplement>) -> impl IntoView {
    let tests: Vec<Table> = [tables::categories(&release, &supplement), tables::adjusted(&release)]
        .into_iter()
        .flatten()
        .collect();
    let levels = tables::levels(&release, &supplement);
    let described: Vec<Table> = supplement
        .description
        .iter()
        .flat_map(|description| {
            tables::columns(&release, &supplement, description)
                .into_iter()
                .chain(tables::correlations(&release, description))
        })
        .collect();
    let shown =
        |tables: Vec<Table>| tables.into_iter().map(|table| view! { <PrintedTable table/> }).collect_view();
    let first = if described.is_empty() {
        view! { <p class="hint">{words::journal::no_description()}</p> }.into_any()
    } else {
        view! { <details class="more" id="table-one"><summary>{words::journal::describes()}</summary>{shown(described)}</details> }.into_any()
    };
    view! {
        {(!levels.is_empty()).then(|| view! {
            <details class="more" id="levels"><summary>{words::journal::levels()}</summary>{shown(levels)}</details>
        })}
        {(!tests.is_empty()).then(|| view! {
            <details class="more" id="tests"><summary>{words::journal::tests()}</summary>{shown(tests)}
                <Glossed of=[entries::WALD_TEST, entries::DEGREES_OF_FREEDOM, entries::HOLM, entries::BENJAMINI_HOCHBERG]/></details>
        })}
        {first}
    }
}

#[component]
fn OutcomeChoice(names: Vec<String>) -> impl IntoView {
    let app = App::here();
    let count = names.len();
    let set = move |event| app.state.outcome().set(Some(event_target_value(&event)));
    let options = names.into_iter().map(|name| {
        let (own, value) = (name.clone(), name.clone());
        let selected = move || app.state.outcome().get().as_deref() == Some(own.as_str());
        view! { <option value=value selected=selected>{name}</option> }
    });
    view! {
        <div class="field"><label for="outcome">{words::result::outcome_of(text::whole(count))}</label>
            <select id="outcome" on:change=set>{options.collect_view()}</select></div>
    }
}

/// Shows all outcomes for one term: in front where they are many, else behind a fold.
#[component]
fn AllOutcomes(release: Arc<Release>, many: bool) -> impl IntoView {
    if many {
        return view! { <Outcomes release/> }.into_any();
    }
    let opened = RwSignal::new(false);
    let panel = move || opened.get().then(|| view! { <Outcomes release=Arc::clone(&release)/> });
    view! {
        <details class="more" on:toggle=move |event| opened.set(dom::is_open(&event))>
            <summary>{words::result::side_by_side()}</summary>{panel}
        </details>
    }
    .into_any()
}

/// Says the guarantee in full, in the words of the one module that writes it.
#[component]
fn Guarantee(statement: Statement) -> impl IntoView {
    let first = statement.promise.clone();
    let middle =
        [Some(statement.unit), statement.guessing, statement.budget, statement.relaxation, statement.claim];
    let middle = middle.into_iter().flatten().map(|sentence| view! { <p><Quoted words=sentence/></p> });
    let conditions =
        statement.conditions.into_iter().map(|condition| view! { <li><Quoted words=condition/></li> });
    view! {
        <section class="block" aria-labelledby="guarantee-title">
            <h2 id="guarantee-title">{words::result::what_is_promised()}</h2>
            <p>{first}</p>
            {middle.collect_view()}
            <p>{statement.assurance}</p>
            <Glossed of=[entries::EPSILON, entries::DELTA, entries::DIFFERENTIAL_PRIVACY, entries::ASSURANCE]/>
            <details class="more"><summary>{words::result::what_the_promise_rests_on()}</summary><ul class="notes">{conditions.collect_view()}</ul></details>
        </section>
    }
}
