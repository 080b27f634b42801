//! The mechanisms' parameters as fields: the few that matter first, the rest under a fold.

use leptos::prelude::*;

use crate::ui::parts::{Choice, Field};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::text;
use crate::words;

/// A field of a mechanism's parameters: id, name, label, hint.
type Parameter = (&'static str, &'static str, &'static str, &'static str);

/// Parameters that a person should look at before anything is spent, by the mechanism's name.
const fn first_parameters(mechanism: &str) -> &'static [Parameter] {
    match mechanism.as_bytes() {
        b"pmt-ridge" | b"dp-ridge" => &[LAMBDA],
        b"pmt-logistic" | b"dp-logistic" => &[LOGISTIC_LAMBDA, NEWTON_STEPS],
        b"pmt-glm" => &[FAMILY, COEFFICIENT_RADIUS, LOGISTIC_LAMBDA, NEWTON_STEPS],
        _ => &[],
    }
}

/// Further parameters that belong to a mechanism alone, by its name.
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
        b"dp-gd" => &[STEPS, STEP_SIZE, CLIP, CLIP_SCOPE, OUTCOME_NORM, LAMBDA, PENALISE_INTERCEPT],
        b"pmt-gd" => &[
            GUIDED_STEPS,
            GUIDED_STEP_SIZE,
            GUIDED_CLIP,
            CLIP_SCOPE,
            LAMBDA,
            PENALISE_INTERCEPT,
            ETA,
            RADIUS_RULE,
            TRUNCATION,
        ],
        b"pmt-ridge" => &[ETA, RADIUS_RULE, TRUNCATION, PENALISE_INTERCEPT, FLOOR],
        b"dp-ridge" => &[OUTCOME_NORM, PENALISE_INTERCEPT, FLOOR],
        b"pmt-logistic" | b"pmt-glm" => &[ETA, RADIUS_RULE, TRUNCATION, PENALISE_INTERCEPT, FLOOR],
        b"dp-logistic" => &[PENALISE_INTERCEPT, FLOOR],
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

const GUIDED_STEPS: Parameter =
    ("method-steps", "steps", "Steps", "1 to 10000. Default: from the number of public rows, 25 to 266");
const GUIDED_STEP_SIZE: Parameter =
    ("method-step_size", "step_size", "Size of a step", "above 0. Default: from the number of public rows");
const GUIDED_CLIP: Parameter = (
    "method-clip",
    "clip",
    "Longest gradient of a record",
    "0.000001 to 100, where features are whitened and outcomes in public standard deviations. Default: 1",
);
const LAMBDA: Parameter = (
    "method-lambda",
    "lambda",
    "Penalty (lambda)",
    "0 or above, on the mean second moment in the columns' own units. Default: 0. It needs the number of rows",
);
const LOGISTIC_LAMBDA: Parameter = (
    "method-lambda",
    "lambda",
    "Penalty (lambda)",
    "0 or above, on the mean second moment in the columns' own units. Default: 0.001",
);
const NEWTON_STEPS: Parameter = (
    "method-steps",
    "steps",
    "Noisy Newton steps",
    "1 to 20; they share the budget, so more steps mean more noise in each. Default: 6",
);
const FAMILY: Parameter = (
    "method-family",
    "family",
    "Family of the outcome",
    "gaussian for numbers, logistic for yes or no. It has no default",
);
const COEFFICIENT_RADIUS: Parameter = (
    "method-coefficient_radius",
    "coefficient_radius",
    "Longest coefficients",
    "above 0, for example 2. For gaussian, which needs it, in public standard deviations of the outcome: 1 holds every fit where the \
     public numbers are right",
);
const ETA: Parameter = (
    "method-eta",
    "eta",
    "Eta, which sets the radii",
    "0.000001 to 0.5, a chance and no share: a smaller one makes the radii longer, and the noise with them. Default: 0.05",
);
const RADIUS_RULE: Parameter = (
    "method-radius_rule",
    "radius_rule",
    "Rule for the radii",
    "paper, or tight: smaller, for columns near normal and at least five public rows for each term. Default: paper",
);
const TRUNCATION: Parameter = (
    "method-truncation",
    "truncation",
    "A longer record is shortened",
    "row: features and outcome together, which keeps the fit unbiased. paper: the features alone. Default: row",
);
const PENALISE_INTERCEPT: Parameter = (
    "method-penalise_intercept",
    "penalise_intercept",
    "The penalty weighs on the intercept",
    "true or false. Default: false; true with the paper's scale",
);
const FLOOR: Parameter = (
    "method-floor",
    "floor",
    "Raise eigenvalues that noise alone could give",
    "true or false; without it the fit may diverge. Default: true; false with the paper's scale",
);

/// The values that a parameter chooses among, for those that are chosen from a list.
fn values(parameter: &str) -> &'static [&'static str] {
    match parameter {
        "family" => &["gaussian", "logistic"],
        "radius_rule" => &["paper", "tight"],
        "truncation" => &["row", "paper"],
        "penalise_intercept" | "floor" => &["true", "false"],
        _ => &[],
    }
}

/// Which of the parameters of mechanisms that release moments a mechanism has.
fn has(mechanism: &str, parameter: &str) -> bool {
    match (mechanism, parameter) {
        ("pmt-ridge" | "pmt-gd", _) => parameter == "radius",
        ("pmt-logistic" | "pmt-glm" | "adaptive-gauss", _) | ("dp-logistic", "radius") => false,
        (_, "intercept_weight" | "radius") => true,
        ("dp-gd" | "dp-ridge" | "dp-logistic", "ridge" | "repair") | ("ada-ssp", "ridge") => false,
        ("ada-ssp" | "sub-samp-reuse-cov" | "dp-gd" | "dp-ridge" | "dp-logistic", "row_norm") => true,
        (
            "reuse-cov-gauss" | "reuse-cov-proj-x" | "reuse-cov-proj-y" | "naive-composition" | "ada-ssp"
            | "sub-samp-reuse-cov" | "dp-gd" | "dp-ridge" | "dp-logistic",
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

/// A parameter as typed.
fn typed(name: &'static str) -> Signal<String> {
    let setup = App::here().state.setup();
    Signal::derive(move || {
        setup.with(|setup| {
            let given = setup.params.iter().find(|(key, _)| key == name);
            given.map(|(_, value)| value.clone()).unwrap_or_default()
        })
    })
}

fn field(&(id, name, label, hint): &Parameter) -> AnyView {
    let setup = App::here().state.setup();
    let value = typed(name);
    let set = Callback::new(move |value: String| {
        setup.update(|setup| {
            setup.params.retain(|(key, _)| key != name);
            setup.params.push((name.to_owned(), value));
        });
    });
    let values = values(name);
    if values.is_empty() {
        return view! { <Field id label value set hint=Signal::derive(move || hint.to_owned())/> }.into_any();
    }
    let empty = if name == "family" { "Choose" } else { "Default" };
    let options = std::iter::once((String::new(), empty.to_owned()))
        .chain(values.iter().map(|value| ((*value).to_owned(), (*value).to_owned())));
    view! { <Choice id label options=options.collect() value set hint/> }.into_any()
}

/// The parameters that a person should look at first, where the mechanism has any.
#[component]
pub fn First() -> impl IntoView {
    let setup = App::here().state.setup();
    let mechanism = Memo::new(move |_| setup.with(|setup| setup.mechanism.clone()));
    move || {
        let first = first_parameters(&mechanism.get());
        (!first.is_empty()).then(|| {
            view! {
                <section class="block settings" aria-labelledby="settings-title">
                    <h2 id="settings-title">{words::parameters::settings()}</h2>
                    <div class="fields">{first.iter().map(field).collect_view()}</div>
                </section>
            }
        })
    }
}

/// How often the rows are read, where that is more than once.
#[component]
fn Passes() -> impl IntoView {
    let app = App::here();
    let passes = Memo::new(move |_| {
        app.forecast.with(|forecast| forecast.as_ref().ok().and_then(|forecast| forecast.passes))
    });
    move || passes.get().map(|(count, kept)| view! { <p class="hint">{text::passes(count, kept)}</p> })
}

/// The rest.
#[component]
pub fn Advanced() -> impl IntoView {
    let setup = App::here().state.setup();
    let mechanism = Memo::new(move |_| setup.with(|setup| setup.mechanism.clone()));
    let own = move || own_parameters(&mechanism.get()).iter().map(field).collect_view();
    let fields = move || {
        let mechanism = mechanism.get();
        PARAMETERS.iter().filter(|(_, name, ..)| has(&mechanism, name)).map(field).collect_view()
    };
    view! {
        <Passes/>
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
                        <span>{words::parameters::paper()}</span></label>
                </div>
            </div>
        </details>
    }
}
