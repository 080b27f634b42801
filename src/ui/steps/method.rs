//! Step 4: the mechanism, and what to expect of it before anything is spent.

use leptos::prelude::*;

use crate::inference::preview::{Preview, TermPreview, Verdict};
use crate::mechanisms::TABLE;
use crate::release::format::{percent, significant};
use crate::ui::draft::Place;
use crate::ui::parts::Field;
use crate::ui::parts::plot::{NoiseCell, ShareBar};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, dom, facts, text};

/// Terms that the preview lists.
const SHOWN: usize = 60;

/// Choose how; see what it will give.
#[component]
pub fn Method() -> impl IntoView {
    view! { <Expectation/> <Chooser/> <Comparison/> <Accept/> <Advanced/> }.into_any()
}

#[component]
fn Expectation() -> impl IntoView {
    let app = App::here();
    move || {
        match app.forecast.get() {
        Err(gaps) => {
            let items = gaps.into_iter().take(12).map(|gap| {
                let words = gap.text.clone();
                view! { <li><button type="button" class="link" on:click=move |_| actions::go_to(app, &gap)>{words}</button></li> }
            });
            view! {
                <section class="block" aria-label="Still needed">
                    <p class="lead">"What to expect is shown once the plan is complete. Still needed:"</p>
                    <ul class="gaps">{items.collect_view()}</ul>
                </section>
            }
            .into_any()
        }
        Ok(forecast) => match forecast.preview {
            Some(preview) => view! { <Expected preview/> }.into_any(),
            None if forecast.plan.rows.or(forecast.plan.stated_rows).is_some() => view! {
                <p class="notice">{text::NO_PREVIEW}</p>
            }
            .into_any(),
            None => view! {
                <p class="notice">"State about how many rows the table has on the Privacy step to see how large the noise will be."</p>
            }
            .into_any(),
        },
    }
    }
}

#[component]
fn Expected(preview: Preview) -> impl IntoView {
    let clear = preview.verdict == Verdict::Clear;
    let withheld = preview.verdict == Verdict::Withheld;
    // A matrix that is drawn whole gives intervals always, for a regression that is shrunk: that has to be said.
    let help = (!clear || preview.signal_to_noise.is_infinite()).then(|| {
        let advice = preview.advice.clone();
        view! { <p>{advice}</p> <p class="hint">"The numbers come from the plan alone; no row was read."</p> }
    });
    let outcomes: Vec<String> = preview.terms.iter().fold(Vec::new(), |mut seen, term| {
        if seen.last() != Some(&term.outcome) {
            seen.push(term.outcome.clone());
        }
        seen
    });
    let one = outcomes.len() == 1;
    let terms: Vec<TermPreview> =
        preview.terms.into_iter().filter(|term| term.plausible_effect.abs() > 0.0).collect();
    let more = terms.len().saturating_sub(SHOWN);
    let rows = terms.into_iter().take(SHOWN).map(|term| view! { <Expect term one/> });
    view! {
        <section class="block" aria-label="What to expect">
            <div class="verdict" class:clear=clear class:withheld=withheld role="status">
                <p class="verdict-main">{text::verdict(preview.verdict)}</p>
                {help}
            </div>
            <div class="scroll" tabindex="0" role="group" aria-label="Noise beside plausible effects">
                <table class="plain expect">
                    <caption>"Noise beside an effect of plausible size, from public numbers alone"</caption>
                    <thead><tr>
                        <th scope="col">"Coefficient"</th>
                        <th scope="col" class="numeric">"Plausible size"</th>
                        <th scope="col" class="numeric">"± noise"</th>
                        <th scope="col" class="numeric">"± with sampling"</th>
                        <th scope="col" class="plot-head">"Size and band"</th>
                        <th scope="col">"Uncertainty from noise"</th>
                    </tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            {(more > 0).then(|| view! { <p class="hint">"and " {text::whole(more)} " more"</p> })}
            <p class="hint">"Bar: an effect of plausible size. Band around its end: 95 % of the noise. Line: noise and sampling together. Assumed: values spread over a third of the half width of their bounds, unrelated predictors, each moving the \
                outcome by 0.3 of its spread. Real tables differ; related predictors make it worse."</p>
        </section>
    }
}

#[component]
fn Expect(term: TermPreview, one: bool) -> impl IntoView {
    let name = if one { term.term.clone() } else { format!("{}: {}", term.outcome, term.term) };
    let effect = term.plausible_effect.abs();
    let (noise, sampling) = (term.noise_std_error, term.sampling_std_error);
    let total = (noise * noise + sampling * sampling).sqrt();
    let most = (effect + 1.96 * total).max(effect * 1.35);
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="numeric">{significant(effect, 2)}</td>
            <td class="numeric">{significant(1.96 * noise, 2)}</td>
            <td class="numeric">{significant(1.96 * total, 2)}</td>
            <td class="plot"><NoiseCell effect noise sampling most/></td>
            <td class="share-cell"><span class="tabular">{percent(term.noise_share)}</span> <ShareBar share=term.noise_share/></td>
        </tr>
    }
}

/// The mechanisms by the contract's names.
#[component]
fn Chooser() -> impl IntoView {
    let setup = App::here().state.setup();
    let current = Memo::new(move |_| setup.with(|setup| setup.mechanism.clone()));
    let private = TABLE.iter().filter(|info| !matches!(info.name, "ols" | "logistic"));
    let rows = private.map(|info| {
        let id = format!("mechanism-{}", info.name);
        let target = id.clone();
        let note = if info.built { text::scope(info.scope) } else { "not built yet" };
        view! {
            <label class="choice tall" class:off=!info.built for=target>
                <input id=id type="radio" name="mechanism" value=info.name disabled=!info.built
                    prop:checked=move || current.get() == info.name
                    on:change=move |_| setup.update(|setup| {
                        setup.mechanism = info.name.to_owned();
                        setup.params.clear();
                        setup.paper = false;
                        setup.idealised = false;
                    })/>
                <span>
                    <strong class="code">{info.name}</strong> <span class="tag">{note}</span>
                    <span class="hint">{info.summary} " " {info.prefer} " " {info.source}"."</span>
                </span>
            </label>
        }
    });
    let (built, later): (Vec<_>, Vec<_>) = rows
        .zip(TABLE.iter().filter(|info| !matches!(info.name, "ols" | "logistic")))
        .partition(|(_, info)| info.built);
    let later_count = later.len();
    view! {
        <fieldset class="block">
            <legend>"Mechanism"</legend>
            <div class="choices column">{built.into_iter().map(|(row, _)| row).collect_view()}</div>
            <details class="more">
                <summary>{text::whole(later_count)} " others, not built yet"</summary>
                <div class="choices column">{later.into_iter().map(|(row, _)| row).collect_view()}</div>
            </details>
        </fieldset>
    }
}

/// All mechanisms beside each other, once somebody wants to see them.
#[component]
fn Comparison() -> impl IntoView {
    let app = App::here();
    let asked = RwSignal::new(false);
    let compared = Memo::new(move |_| {
        if !asked.get() {
            return None;
        }
        let plan = app.plan.get().ok()?;
        let table = app.state.table().get()?;
        let worth = app.state.ledger().with(|ledger| match ledger {
            Some(ledger) => facts::ledger_worth(ledger),
            None => app.state.setup().with(facts::worth),
        })?;
        Some(facts::compare(&plan, &table, worth.epsilon, worth.delta))
    });
    let rows = move || {
        let Some(compared) = compared.get() else {
            return view! { <p class="hint">"State the budget and describe the columns first."</p> }
                .into_any();
        };
        let rows = compared.into_iter().map(|(info, found)| match found {
            Ok(found) => view! {
                <tr>
                    <th scope="row" class="code">{info.name}</th>
                    <td class="numeric">{text::span(found.noise)}</td>
                    <td class="numeric">{percent(found.shrinkage)}</td>
                    <td>{text::assurance(found.assurance)}</td>
                </tr>
            }
            .into_any(),
            Err(why) => view! {
                <tr><th scope="row" class="code">{info.name}</th><td colspan="3" class="quietly">{why}</td></tr>
            }
            .into_any(),
        });
        view! {
            <div class="scroll" tabindex="0" role="group" aria-label=text::COMPARE>
                <table class="plain">
                    <caption class="hidden">{text::COMPARE}</caption>
                    <thead><tr>
                        <th scope="col">"Mechanism"</th>
                        <th scope="col" class="numeric">"Noise, of a plausible effect"</th>
                        <th scope="col" class="numeric">"Shrinks by"</th>
                        <th scope="col">"Its proof covers"</th>
                    </tr></thead>
                    <tbody>{rows.collect_view()}</tbody>
                </table>
            </div>
            <p class="hint">{text::COMPARE_NOTE}</p>
        }
        .into_any()
    };
    view! {
        <details class="more" on:toggle=move |event| asked.set(dom::is_open(&event))>
            <summary>{text::COMPARE}</summary>
            {rows}
        </details>
    }
}

/// The person's word for a proof that assumes real numbers, where the mechanism has no other.
#[component]
fn Accept() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    // Asked for, or given already: then it can be taken back.
    let needed = Memo::new(move |_| {
        let asked = Place::Method("confirm".to_owned());
        setup.with(|setup| setup.idealised)
            || app.forecast.with(|forecast| {
                forecast.as_ref().is_err_and(|gaps| gaps.iter().any(|gap| gap.place == asked))
            })
    });
    move || {
        needed.get().then(|| view! {
            <div class="field" id="method-confirm" tabindex="-1">
                <label class="choice"><input type="checkbox" prop:checked=move || setup.with(|setup| setup.idealised)
                    on:change=move |event| setup.update(|setup| setup.idealised = event_target_checked(&event))/>
                    <span>{text::IDEALISED}</span></label>
            </div>
        })
    }
}

/// A field of a mechanism's parameters: id, name, label, hint.
type Parameter = (&'static str, &'static str, &'static str, &'static str);

/// Parameters that belong to a mechanism alone, by its name.
const fn own_parameters(mechanism: &str) -> &'static [Parameter] {
    match mechanism.as_bytes() {
        b"analyze-gauss" => &[(
            "method-shape",
            "shape",
            "Shape of the noise",
            "goe or iid. Default: goe; iid with the paper's scale",
        )],
        b"reuse-cov-gauss" => &[KAPPA, FEATURE_NORM, OUTCOME_NORM, OUTCOME_MOMENTS, NUCLEAR],
        b"reuse-cov-proj-y" | b"naive-composition" => &[KAPPA, FEATURE_NORM, OUTCOME_NORM],
        b"reuse-cov-proj-x" => &[SHRINK, BALL, OUTCOME_NORM],
        b"ada-ssp" => &[SPLIT, FAILURE],
        b"sub-samp-reuse-cov" => &[SAMPLE_ROWS, COVARIANCE_SHARE],
        b"dp-gd" => &[STEPS, STEP_SIZE, CLIP, CLIP_SCOPE, OUTCOME_NORM],
        b"additive-wishart" => &[
            (
                "method-scale_ratio",
                "scale_ratio",
                "Largest squared row over the scale of a random row",
                "0.1 to 10. More means more random rows, each smaller. Default: 3; 1 with the paper's scale",
            ),
            (
                "method-output",
                "output",
                "What is done with the mean of the noise",
                "debiased: taken off where that leaves the moments positive definite. raw: kept, as a ridge. Default: debiased",
            ),
        ],
        b"jl-ridge" => &[(
            "method-sketch_rows",
            "sketch_rows",
            "Rows of the projection",
            "more rows mean less noise and a larger ridge. Default: 100, or twice the terms",
        )],
        b"inverse-wishart" => &[(
            "method-dof",
            "dof",
            "Degrees of freedom",
            "a number, or rows+d where the number of rows is public. Default: 100, or twice the terms",
        )],
        b"jl-ridge-adaptive" => &[
            ("method-min_rows", "min_rows", "Fewest rows of the projection", "Default: twice the terms"),
            EIGENVALUE[0],
            EIGENVALUE[1],
        ],
        b"inverse-wishart-adaptive" => &[
            (
                "method-min_dof",
                "min_dof",
                "Fewest degrees of freedom",
                "a number, or rows+d. Default: twice the terms",
            ),
            EIGENVALUE[0],
            EIGENVALUE[1],
        ],
        _ => &[],
    }
}

const KAPPA: Parameter = (
    "method-kappa",
    "kappa",
    "Weight of the cross moments",
    "above 0. Default: from the number of outcomes, near 1 to 2",
);
const FEATURE_NORM: Parameter = (
    "method-feature_norm",
    "feature_norm",
    "Longest features kept, as a share",
    "above 0, to 1, of what the bounds allow. A longer row is shortened. Default: 1",
);
const OUTCOME_NORM: Parameter = (
    "method-outcome_norm",
    "outcome_norm",
    "Longest outcomes kept, as a share",
    "above 0, to 1, of what the bounds allow. With many outcomes no person is at all bounds at once: a smaller share means less \
     noise. Default: 1",
);
const OUTCOME_MOMENTS: Parameter = (
    "method-outcome_moments",
    "outcome_moments",
    "What is released of the outcomes' own moments",
    "none, diagonal or full. Without any, intervals cover the privacy noise alone. Default: diagonal",
);
const NUCLEAR: Parameter = (
    "method-nuclear",
    "nuclear",
    "Project the cross moments",
    "true or false: on what any table within the bounds can have. Default: true",
);
const SHRINK: Parameter = (
    "method-shrink",
    "shrink",
    "What takes noise off",
    "projection, sure, james-stein or none. Default: projection",
);
const BALL: Parameter = (
    "method-ball",
    "ball",
    "The projection bounds",
    "matrix, all outcomes of a person together, or per-outcome. Default: matrix",
);
const SPLIT: Parameter = (
    "method-split",
    "split",
    "Shares of the budget",
    "three numbers in brackets whose sum is 1: eigenvalue, matrix, vector. Default: thirds",
);
const FAILURE: Parameter = (
    "method-failure",
    "failure",
    "Probability that the ridge is too small",
    "0.000001 to 0.5. Default: 0.05",
);
const SAMPLE_ROWS: Parameter = (
    "method-sample_rows",
    "sample_rows",
    "Rows of the sample",
    "at least as many as terms. Default: a tenth",
);
const COVARIANCE_SHARE: Parameter = (
    "method-covariance_share",
    "covariance_share",
    "Share of epsilon and delta for the covariance",
    "above 0, below 1. Default: 0.5",
);
const STEPS: Parameter = ("method-steps", "steps", "Steps", "1 to 10000. Default: 100");
const STEP_SIZE: Parameter =
    ("method-step_size", "step_size", "Size of a step", "above 0, where a record has length 1. Default: 1");
const CLIP: Parameter =
    ("method-clip", "clip", "Longest gradient of a record", "where a record has length 1. Default: 0.25");
const CLIP_SCOPE: Parameter = (
    "method-clip_scope",
    "clip_scope",
    "The clip is for",
    "joint, all outcomes together, or per-outcome. Default: joint",
);

/// Which of the parameters of mechanisms that release moments a mechanism has.
fn has(mechanism: &str, parameter: &str) -> bool {
    match (mechanism, parameter) {
        (_, "intercept_weight" | "radius") => true,
        ("dp-gd", "ridge" | "repair") | ("ada-ssp", "ridge") => false,
        ("ada-ssp" | "sub-samp-reuse-cov" | "dp-gd", "row_norm") => true,
        (
            "reuse-cov-gauss" | "reuse-cov-proj-x" | "reuse-cov-proj-y" | "naive-composition" | "ada-ssp"
            | "sub-samp-reuse-cov" | "dp-gd",
            "feature_share" | "row_norm",
        ) => false,
        _ => true,
    }
}

const EIGENVALUE: [Parameter; 2] = [
    (
        "method-eigenvalue_share",
        "eigenvalue_share",
        "Share of epsilon for the least eigenvalue",
        "above 0, below 1. Default: 0.25; 0.5 with the paper's scale",
    ),
    (
        "method-eigenvalue_delta_share",
        "eigenvalue_delta_share",
        "Share of delta for the least eigenvalue",
        "above 0, below 1. Default: 0.25; 0.5 with the paper's scale",
    ),
];

/// Parameters of every mechanism that releases moments.
const PARAMETERS: [Parameter; 6] = [
    (
        "method-ridge",
        "ridge",
        "Ridge penalty",
        "none, auto, or a number. With a penalty the intervals are for the penalised coefficients. Default: none, or auto for \
         many outcomes",
    ),
    (
        "method-repair",
        "repair",
        "If the noisy moments are not positive definite",
        "shift, floor or none. Default: shift, or floor for many outcomes",
    ),
    (
        "method-feature_share",
        "feature_share",
        "Share of the length for the features",
        "0.1 to 0.9. Default: 0.6",
    ),
    ("method-intercept_weight", "intercept_weight", "Weight of the constant", "above 0, to 1. Default: 0.5"),
    (
        "method-row_norm",
        "row_norm",
        "Longest row kept, as a share",
        "above 0, to 1. A longer row is shortened as a whole. Default: 1",
    ),
    (
        "method-radius",
        "radius",
        "Radius of the grid",
        "a power of two from 65536 to 16777216. Default: 16777216",
    ),
];

#[component]
fn Advanced() -> impl IntoView {
    let setup = App::here().state.setup();
    let field = move |&(id, name, label, hint): &Parameter| {
        let value = Signal::derive(move || {
            setup.with(|setup| {
                setup
                    .params
                    .iter()
                    .find(|(key, _)| key == name)
                    .map(|(_, value)| value.clone())
                    .unwrap_or_default()
            })
        });
        let set = Callback::new(move |value: String| {
            setup.update(|setup| {
                setup.params.retain(|(key, _)| key != name);
                setup.params.push((name.to_owned(), value));
            });
        });
        view! { <Field id label value set hint=Signal::derive(move || hint.to_owned())/> }
    };
    let mechanism = Memo::new(move |_| setup.with(|setup| setup.mechanism.clone()));
    let own = move || own_parameters(&mechanism.get()).iter().map(field).collect_view();
    let fields = move || {
        let mechanism = mechanism.get();
        PARAMETERS.iter().filter(|(_, name, ..)| has(&mechanism, name)).map(field).collect_view()
    };
    view! {
        <details class="more">
            <summary>"Advanced"</summary>
            <div class="fields">
                <Field id="method-confidence" label="Level of the intervals" unit="%" numeric=true
                    value=Signal::derive(move || setup.get().confidence)
                    set=Callback::new(move |value| setup.update(|setup| setup.confidence = value))/>
                <div class="field">
                    <label class="choice"><input type="checkbox" prop:checked=move || setup.with(|setup| setup.intercept)
                        on:change=move |event| setup.update(|setup| setup.intercept = event_target_checked(&event))/>
                        <span>"The regression has an intercept"</span></label>
                </div>
                {own}
                {fields}
                <div class="field">
                    <label class="choice"><input type="checkbox" prop:checked=move || setup.with(|setup| setup.paper)
                        on:change=move |event| setup.update(|setup| setup.paper = event_target_checked(&event))/>
                        <span>{text::PAPER}</span></label>
                </div>
            </div>
        </details>
    }
}
