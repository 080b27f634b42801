//! Another regression from the released matrix: post-processing, which costs nothing.

use std::sync::Arc;

use leptos::prelude::*;

use super::table::CoefficientTable;
use crate::engine::{held, refit, ridge_path, supplement};
use crate::inference::design::is_drowned;
use crate::inference::refit::{Request, own_ridge};
use crate::inference::{self, Repair, Ridge};
use crate::model::INTERCEPT;
use crate::model::note::{quoted, warns};
use crate::release::Release;
use crate::release::format::short;
use crate::release::publication::comparison::Regression;
use crate::release::publication::{DecimalMark, Format, Labels, drawing, tables};
use crate::release::reduced::Reduced;
use crate::release::remarks::of_rows;
use crate::release::significance::Tests;
use crate::release::{figure, odds};
use crate::ui::draft::number;
use crate::ui::parts::{Choice, Field, PrintedTable, Quoted};
use crate::ui::sentence::sentence;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::steps::save::Saved;
use crate::ui::{dom, text};
use crate::words;

/// Terms of the moments above which predictors are not ticked one by one.
const MOST_TERMS: usize = 500;

/// Predictors by which a regression is called.
const NAMED: usize = 6;

/// Lists the terms that can be outcomes and those that can be predictors, without the constant: any column or level that the moments hold. Where
/// earlier rounds chose the coordinates, each term keeps its role in the plan.
fn terms(release: &Release) -> [Vec<String>; 2] {
    let Some(moments) = &release.moments else { return Default::default() };
    if let Some(adaptive) = &moments.adaptive {
        let names = adaptive.terms.iter().map(|term| term.term.clone()).collect::<Vec<_>>();
        let (features, outcomes) = names.split_at(adaptive.whitening.len().min(names.len()));
        return [outcomes.to_vec(), features.to_vec()];
    }
    let names = moments.terms.iter().map(|term| term.term.clone()).filter(|term| term != INTERCEPT);
    let names: Vec<String> = names.collect();
    [names.clone(), names]
}

/// Returns whether a regression without withheld coefficients follows from the release.
pub fn can_leave_out(release: &Release) -> bool {
    let adaptive = release.moments.as_ref().filter(|moments| moments.terms.len() <= MOST_TERMS);
    let whole = adaptive.is_some_and(|moments| moments.adaptive.is_some());
    let held = held(release);
    whole && terms(release)[0].iter().any(|outcome| !Reduced::of(release, outcome, &held).left_out.is_empty())
}

/// Asks for an outcome and its predictors, and shows their regression.
#[component]
pub fn Refit(release: Arc<Release>, per: RwSignal<String>) -> impl IntoView {
    let app = App::here();
    if release.moments.as_ref().is_some_and(|moments| moments.terms.len() > MOST_TERMS) {
        return view! { <p class="hint">{words::refit::refit_elsewhere()}</p> }.into_any();
    }
    if release.moments.is_none() {
        return view! { <p class="hint" id="no-refit">{words::refit::no_sums()}</p> }.into_any();
    }
    let [outcomes, predictors] = terms(&release);
    let adaptive = release.is_adaptive();
    if predictors.is_empty() || !adaptive && predictors.len() < 2 {
        return ().into_any();
    }
    let first = outcomes.first().cloned().unwrap_or_default();
    let outcome = RwSignal::new(
        app.state.outcome().get_untracked().filter(|name| outcomes.contains(name)).unwrap_or(first),
    );
    let reduced = Reduced::of(&release, &outcome.get_untracked(), &held(&release));
    let centre = reduced.to_centre(&release.plan).filter(|_| adaptive);
    let Reduced { kept, left_out } = reduced;
    let told = (adaptive && !left_out.is_empty()).then(|| {
        if kept.is_empty() {
            words::refit::all_withheld().to_owned()
        } else {
            words::refit::without(quoted(&left_out))
        }
    });
    let chosen = RwSignal::new(kept);
    let order = StoredValue::new(predictors.clone());
    let (kind, own) = match own_ridge(&release) {
        Ridge::None => ("none", 0.01),
        Ridge::Auto => ("auto", 0.01),
        Ridge::Fixed(own) => ("number", own),
    };
    let ridge = RwSignal::new(kind.to_owned());
    let penalty = RwSignal::new(own.to_string());
    let run = {
        let release = release.clone();
        move |_| {
            let ridge = match ridge.get_untracked().as_str() {
                "auto" => Some(Ridge::Auto),
                "number" => number(&penalty.get_untracked()).map(Ridge::Fixed),
                _ => Some(Ridge::None),
            };
            let confidence = release.plan.interval_level();
            let result =
                ridge.ok_or_else(|| words::refit::the_penalty_has_to_be_a().to_owned()).and_then(|ridge| {
                    let (outcome, features) = (outcome.get_untracked(), chosen.get_untracked());
                    let request = Request {
                        outcome: &outcome,
                        features: &features,
                        ridge,
                        repair: Repair::Shift,
                        confidence,
                    };
                    refit(&release, &request).map_err(|error| sentence(&error.to_string()))
                });
            app.say(if result.is_ok() {
                words::refit::the_new_regression_is_below().to_owned()
            } else {
                String::new()
            });
            if let Ok(refit) = &result {
                let inference::Refit {
                    coefficients, outcome, features, confidence, ridge, diagnostics, ..
                } = refit;
                app.state.refits().update(|refits| {
                    let number = refits.len() + 1;
                    let features = text::list(features, NAMED);
                    let named = odds::named(&release.plan, outcome, false);
                    let ridge = match Ridge::from_value(ridge) {
                        None | Some(Ridge::None) => None,
                        Some(Ridge::Auto) => Some(diagnostics.ridge),
                        Some(Ridge::Fixed(own)) => Some(own),
                    };
                    let of = release.ledger.as_ref().map_or_else(
                        || words::compared::of_demonstration().to_owned(),
                        |charge| words::compared::of_release(charge.entry),
                    );
                    let name = match ridge {
                        None => words::compared::refit(number, of, named, features),
                        Some(own) => {
                            words::compared::refit_penalised(number, of, named, features, short(own, 3))
                        }
                    };
                    refits.push(Regression::new(name, &release, coefficients, outcome, *confidence, false));
                });
            }
            app.state.refit().set(Some(result));
        }
    };
    let boxes = predictors.into_iter().map(move |name| {
        let (own, key, ticked) = (name.clone(), name.clone(), name.clone());
        let toggle = move |event| {
            let on = event_target_checked(&event);
            chosen.update(|chosen| {
                chosen.retain(|other| *other != key);
                if on {
                    chosen.push(key.clone());
                    order.with_value(|order| {
                        chosen.sort_by_key(|name| order.iter().position(|own| own == name));
                    });
                }
            });
        };
        view! {
            <label class="choice">
                <input type="checkbox" name="refit-feature" value=name.clone() disabled=move || outcome.get() == own
                    prop:checked=move || chosen.with(|chosen| chosen.contains(&ticked)) on:change=toggle/>
                <span>{name}</span>
            </label>
        }
    });
    let boxes = boxes.collect_view();
    let outcomes = outcomes.into_iter().map(|name| (name.clone(), name)).collect();
    let set_outcome = Callback::new(move |name: String| {
        chosen.update(|chosen| chosen.retain(|other| *other != name));
        outcome.set(name);
    });
    let mut ridges = vec![("none", words::refit::none()), ("number", words::refit::a_number())];
    if !adaptive {
        ridges.insert(1, ("auto", words::refit::chosen_from_the_noise()));
    }
    let penalty_hint =
        if adaptive { words::refit::own_unit_penalty_hint() } else { words::refit::penalty_hint() };
    view! {
        <section class="block refit" aria-labelledby="refit-title">
            <h2 id="refit-title" tabindex="-1">{words::refit::title()}</h2>
            <p>{words::refit::refit_free()}</p>
            {told.into_iter().chain(centre).map(|told| view! { <p class="hint"><Quoted words=told/></p> }).collect_view()}
            <div class="fields">
                <Choice id="refit-outcome" label=words::refit::outcome_of_the_new_regression() options=outcomes value=outcome set=set_outcome/>
                <Choice id="refit-ridge" label=words::refit::ridge_penalty() options=ridges.into_iter().map(|(k, v)| (k.to_owned(), v.to_owned())).collect()
                    value=ridge set=Callback::new(move |value| ridge.set(value))/>
                {move || (ridge.get() == "number").then(|| view! {
                    <Field id="refit-penalty" label=words::refit::ridge_penalty_advanced() numeric=true value=penalty set=Callback::new(move |value| penalty.set(value))
                        hint=Signal::derive(move || penalty_hint.to_owned())/>
                })}
            </div>
            <fieldset class="plainset"><legend>{words::refit::predictors()}</legend><div class="choices wrap">{boxes}</div></fieldset>
            <button type="button" on:click=run>{words::refit::run()}</button>
            <Refitted release per/>
        </section>
    }
    .into_any()
}

#[component]
fn Refitted(release: Arc<Release>, per: RwSignal<String>) -> impl IntoView {
    let app = App::here();
    move || {
        let per = number(&per.get()).unwrap_or(1.0);
        app.state.refit().get().map(|result| match result {
            Err(problem) => view! { <p class="notice problem" role="alert">{problem}</p> }.into_any(),
            Ok(refit) => {
                let own = refit.printed_of(&release);
                let supplement = supplement(&own);
                let outcome = refit.outcome.clone();
                let unit = figure::unit(&own.plan, &outcome);
                let (lines, scale) = tables::drawn(&own, &supplement, &outcome, per);
                let drowned = is_drowned(&own.diagnostics);
                let tests = Tests::of(&own);
                let (fit, reading) = tables::fit(&own, &supplement, &outcome);
                let below = tables::test_notes(&own, &lines);
                let least = tables::is_least_share(&own, &outcome);
                let others = tables::factors(&own, &outcome, per)
                    .into_iter()
                    .chain(tables::differences(&own, &supplement, &outcome, per))
                    .chain(tables::categories(&own, &supplement))
                    .chain(tables::levels(&own, &supplement))
                    .map(|table| view! { <PrintedTable table/> })
                    .collect_view();
                let path = view! { <Influence release=Arc::clone(&release) refit=refit.clone()/> };
                let (warnings, notes): (Vec<String>, Vec<String>) =
                    own.diagnostics.notes.iter().cloned().partition(|note| warns(note));
                let warnings = warnings.into_iter().map(|note| view! { <p class="caveat"><Quoted words=note/></p> });
                let warnings = warnings.collect_view();
                let notes = notes.into_iter().map(|note| view! { <li><Quoted words=note/></li> });
                let notes = notes.collect_view();
                let named = odds::named(&own.plan, &outcome, false);
                let titled = of_rows(&own.plan, figure::with_unit(&named, &unit));
                let write = Callback::new(move |(format, decimal): (Format, DecimalMark)| {
                    format.refitted(&own, &supplement, &outcome, &Labels { per, decimal, ..Labels::default() })
                });
                view! {
                    <CoefficientTable lines outcome=titled unit scale drowned tests fit=fit.join(" · ") below reading least confidence=refit.confidence/>
                    {warnings}
                    {others}
                    <ul class="notes">{notes}</ul>
                    <p class="hint">{words::refit::cost(refit.cost)}</p>
                    <Saved name="discreet-refit".to_owned() write/>
                    {path}
                }
                .into_any()
            }
        })
    }
}

/// Draws how the coefficients of a refit change with its ridge. It is computed once opened.
#[component]
fn Influence(release: Arc<Release>, refit: inference::Refit) -> impl IntoView {
    let opened = RwSignal::new(false);
    let drawn = move || {
        if !opened.get() {
            return None;
        }
        let request = Request {
            outcome: &refit.outcome,
            features: &refit.features,
            ridge: Ridge::from_value(&refit.ridge).unwrap_or_default(),
            repair: refit.repair.parse().unwrap_or_default(),
            confidence: refit.confidence,
        };
        let path = ridge_path(&release, &request).ok()?;
        let decimal = DecimalMark::default();
        let figure = drawing::ridge_path(&path, decimal);
        let figure = figure.map(|svg| view! { <div class="drawn" inner_html=svg></div> });
        let table = path.table(decimal);
        let write =
            Callback::new(move |(format, decimal): (Format, DecimalMark)| format.ridge_path(&path, decimal));
        Some(view! { {figure} <PrintedTable table/> <Saved name="discreet-ridge".to_owned() write/> })
    };
    view! {
        <details class="more" id="ridge-path" on:toggle=move |event| opened.set(dom::is_open(&event))>
            <summary>{words::path::title()}</summary>{drawn}
        </details>
    }
}
