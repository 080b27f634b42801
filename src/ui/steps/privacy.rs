//! Step 3: the budget of the table, in words that a clinician understands.

use leptos::prelude::*;

use super::Status;
use super::people::People;
use super::protect::Protection;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::Split;
use crate::release::format::short;
use crate::release::statement::guessing_sentence;
use crate::ui::draft::{self, BudgetKind, Place, Setup};
use crate::ui::parts::{Choice, Field};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::text;
use crate::ui::view_model::{self, Worth};

/// Ends of the slider: ε from 0.05 to 20.
const SLIDER: (f64, f64) = (0.05, 20.0);
/// Steps of the slider.
const NOTCHES: f64 = 260.0;

/// The budget in one line.
pub fn status(app: App) -> Status {
    let line =
        |worth: Worth| format!("Epsilon {}, delta {}", short(worth.epsilon, 3), text::one_in(worth.delta));
    worth(app).map_or_else(|| "No budget yet".to_owned(), line).into()
}

/// Fix the budget; choose how much of it the next release takes.
#[component]
pub fn PrivacyStep() -> impl IntoView {
    let app = App::here();
    let fixed = Memo::new(move |_| app.state.ledger().with(Option::is_some));
    view! {
        <p class="lead">{move || if fixed.get() { text::BUDGET_FIXED } else { text::BUDGET_WHY }}</p>
        <People/>
        {move || if fixed.get() { view! { <Fixed/> }.into_any() } else { view! { <Propose/> }.into_any() }}
        <Share/>
        <Protection/>
        <Neighbours fixed/>
        <Person fixed/>
    }
    .into_any()
}

fn worth(app: App) -> Option<Worth> {
    app.state.ledger().with(|ledger| match ledger {
        Some(ledger) => view_model::ledger_worth(ledger),
        None => app.state.setup().with(view_model::worth),
    })
}

/// What the budget means for one person.
#[component]
fn Meaning() -> impl IntoView {
    let app = App::here();
    let whom = Memo::new(move |_| app.state.setup().with(|setup| (setup.adjacency, setup.protect)));
    move || {
        let (adjacency, protect) = whom.get();
        worth(app).map(|worth| {
            view! {
                <div class="meaning" role="status">
                    <p class="meaning-main">{guessing_sentence(adjacency, protect, worth.accuracy)}</p>
                    <p class="hint">{text::delta_means(worth.delta)}</p>
                </div>
            }
        })
    }
}

#[component]
fn Fixed() -> impl IntoView {
    let app = App::here();
    let line = move || {
        worth(app).map(|worth| {
            view! {
                <dl class="figures">
                    <div><dt>"Epsilon"</dt><dd>{short(worth.epsilon, 4)}</dd></div>
                    <div><dt>"Delta"</dt><dd>{text::one_in(worth.delta)}</dd></div>
                    <div><dt>"Mu"</dt><dd>{short(worth.mu, 4)}</dd></div>
                    {view_model::budget_parts(&worth.units).into_iter().map(|(label, wallet)| view! {
                        <div><dt>{label.unwrap_or("Left")}</dt><dd>{move || app.state.ledger().with(|l| l.as_ref().map(|l| text::left_line(view_model::left(l, wallet))))}</dd></div>
                    }).collect_view()}
                </dl>
            }
        })
    };
    view! { <section class="block" aria-label="Budget">{line}<Meaning/><div class="fields"><RowsField/></div></section> }
}

/// The stated number of rows.
#[component]
fn RowsField() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let adjacency = Memo::new(move |_| setup.with(|setup| setup.adjacency));
    let set = Callback::new(move |value| setup.update(|setup| setup.rows = value));
    // Without it some mechanisms cannot run: then the forecast lacks this field.
    let needed = Memo::new(move |_| {
        app.forecast.with(|forecast| {
            forecast.as_ref().is_err_and(|gaps| gaps.iter().any(|gap| gap.place == Place::privacy("rows")))
        })
    });
    move || {
        let (label, why) = match adjacency.get() {
            Adjacency::AddRemove => (text::ROWS_LABEL, text::ROWS_WHY),
            Adjacency::ReplaceOne => (text::ROWS_EXACT_LABEL, text::ROWS_EXACT_WHY),
        };
        view! {
            <Field id="privacy-rows" label=label numeric=true value=Signal::derive(move || setup.get().rows) set
                hint=Signal::derive(move || if needed.get() { format!("{} {why}", text::ROWS_NEEDED) } else { why.to_owned() })/>
        }
    }
}

/// A place on the slider for ε, and back.
fn notch(epsilon: f64) -> f64 {
    (libm::log(epsilon.clamp(SLIDER.0, SLIDER.1) / SLIDER.0) / libm::log(SLIDER.1 / SLIDER.0) * NOTCHES)
        .round()
}

fn epsilon_at(notch: f64) -> f64 {
    SLIDER.0 * libm::exp(notch / NOTCHES * libm::log(SLIDER.1 / SLIDER.0))
}

#[component]
fn Propose() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let write = move |edit: fn(&mut Setup, String)| {
        Callback::new(move |value| setup.update(|setup| edit(setup, value)))
    };
    let form = Memo::new(move |_| setup.with(|setup| setup.form));
    let slide = move |event| {
        if let Ok(notch) = event_target_value(&event).parse::<f64>() {
            setup.update(|setup| setup.epsilon = short(epsilon_at(notch), 2));
        }
    };
    let place = move || setup.with(|setup| notch(draft::number(&setup.epsilon).unwrap_or(1.0))).to_string();
    let spoken = move || setup.with(|setup| format!("epsilon {}", setup.epsilon));
    let proposed = Signal::derive(move || {
        let rows = setup.with(|setup| draft::count(&setup.rows));
        match rows {
            Some(rows) if setup.with(|setup| setup.one_in.trim().is_empty()) => {
                #[expect(clippy::cast_precision_loss, reason = "written for a person")]
                let one_in = draft::proposed_one_in(rows) as f64;
                format!(
                    "Proposed from the rows you state: one in {}.",
                    crate::release::format::grouped(one_in)
                )
            }
            _ => "Well below one over the number of people.".to_owned(),
        }
    });
    let shown = Signal::derive(move || {
        setup.with(|setup| {
            if setup.one_in.trim().is_empty() {
                draft::count(&setup.rows)
                    .map_or_else(String::new, |rows| draft::proposed_one_in(rows).to_string())
            } else {
                setup.one_in.clone()
            }
        })
    });
    let forms = [BudgetKind::EpsilonDelta, BudgetKind::Rho, BudgetKind::Mu];
    let key = |kind: BudgetKind| format!("{kind:?}");
    let set_form = Callback::new(move |value: String| {
        setup.update(|setup| {
            setup.form = forms.into_iter().find(|kind| key(*kind) == value).unwrap_or_default();
            if setup.form != BudgetKind::EpsilonDelta {
                setup.split = Split::Gaussian;
            }
        });
    });
    let kept = [Split::Gaussian, Split::Other, Split::Both];
    let split_key = |kept: Split| format!("{kept:?}");
    let set_split = Callback::new(move |value: String| {
        setup.update(|setup| {
            setup.split = kept.into_iter().find(|kept| split_key(*kept) == value).unwrap_or_default()
        });
    });
    let split = Memo::new(move |_| setup.with(|setup| setup.split));
    let amount = move || {
        match form.get() {
        BudgetKind::EpsilonDelta => view! {
            <div class="field slider">
                <label for="epsilon-slider">"Epsilon: smaller is more private"</label>
                <input id="epsilon-slider" type="range" min="0" max=NOTCHES step="1" prop:value=place aria-valuetext=spoken on:input=slide/>
                <p class="slider-ends" aria-hidden="true"><span>"0.05"</span><span>"1"</span><span>"20"</span></p>
            </div>
            <Field id="privacy-epsilon" label="Epsilon as a number" numeric=true value=Signal::derive(move || setup.get().epsilon)
                set=write(|setup, value| setup.epsilon = value)/>
        }.into_any(),
        BudgetKind::Rho => view! {
            <Field id="privacy-rho" label="Rho" numeric=true value=Signal::derive(move || setup.get().rho)
                set=write(|setup, value| setup.rho = value)/>
        }.into_any(),
        BudgetKind::Mu => view! {
            <Field id="privacy-mu" label="Mu" numeric=true value=Signal::derive(move || setup.get().mu)
                set=write(|setup, value| setup.mu = value)/>
        }.into_any(),
    }
    };
    view! {
        <section class="block" aria-label="Budget">
            <div class="fields">
                <RowsField/>
                {amount}
                <Field id="privacy-delta" label="Delta: one in" numeric=true value=shown
                    set=write(|setup, value| setup.one_in = value) hint=proposed/>
            </div>
            <Meaning/>
            <Choice id="privacy-split" label="The budget is kept for"
                options=kept.into_iter().map(|kept| (split_key(kept), text::kept(kept).to_owned())).collect()
                value=Signal::derive(move || split_key(split.get())) set=set_split
                disabled=Signal::derive(move || form.get() != BudgetKind::EpsilonDelta)/>
            <p class="hint">{text::SPLIT_WHY}</p>
            <details class="more">
                <summary>"Other ways to state the budget"</summary>
                <Choice id="privacy-form" label="The budget is stated as"
                    options=forms.into_iter().map(|kind| (key(kind), text::form(kind).to_owned())).collect()
                    value=Signal::derive(move || key(form.get())) set=set_form/>
                <p class="hint">"Rho and mu are for releases with Gaussian noise alone. They count the same loss in other units: mu squared is twice rho."</p>
            </details>
        </section>
    }
}

/// How much of what is left the next release takes.
#[component]
fn Share() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let current = Memo::new(move |_| setup.with(|setup| setup.share));
    let choices = [(25_u8, "A quarter"), (50, "Half"), (75, "Three quarters"), (100, "All")];
    let radios = choices.map(|(share, name)| {
        view! {
            <label class="choice">
                <input type="radio" name="share" value=share.to_string() prop:checked=move || current.get() == share
                    on:change=move |_| setup.update(|setup| setup.share = share)/>
                <span>{name}</span>
            </label>
        }
    });
    let ask = move || {
        app.forecast.with(|forecast| forecast.as_ref().ok().map(|f| format!("{} for this release.", f.price)))
    };
    view! {
        <fieldset class="block" id="privacy-share" tabindex="-1">
            <legend>"The next release takes"</legend>
            <div class="choices">{radios}</div>
            <p class="hint">"of what is left of the budget. Half is proposed, so that a second question can be asked. " {text::ONCE} " " {ask}</p>
        </fieldset>
    }
}

/// What neighbouring tables are.
#[component]
fn Neighbours(fixed: Memo<bool>) -> impl IntoView {
    let setup = App::here().state.setup();
    let current = Memo::new(move |_| setup.with(|setup| setup.adjacency));
    let radios = [Adjacency::AddRemove, Adjacency::ReplaceOne].map(|adjacency| {
        view! {
            <label class="choice tall">
                <input type="radio" name="adjacency" value=adjacency.to_string() prop:checked=move || current.get() == adjacency
                    disabled=move || fixed.get() on:change=move |_| setup.update(|setup| setup.adjacency = adjacency)/>
                <span><strong>{text::adjacency(adjacency)}</strong> <span class="hint">{text::adjacency_means(adjacency)}</span></span>
            </label>
        }
    });
    view! {
        <fieldset class="block" id="privacy-adjacency" tabindex="-1">
            <legend>"What stays private"</legend>
            <div class="choices column">{radios}</div>
        </fieldset>
    }
}

/// Whose a row is.
#[component]
fn Person(fixed: Memo<bool>) -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let person = Memo::new(move |_| setup.with(|setup| setup.person.clone()));
    let options = move || {
        app.state.table().with(|table| {
            let names = table.iter().flat_map(|table| table.names.iter()).take(500);
            names
                .map(|name| {
                    let own = name.clone();
                    view! { <option value=name.clone() selected=move || person.get() == own>{name.clone()}</option> }
                })
                .collect_view()
        })
    };
    let set_person = move |event| {
        let value = event_target_value(&event);
        setup.update(|setup| setup.person = value);
    };
    let rows = move || {
        (!person.with(String::is_empty)).then(|| view! {
            <Field id="privacy-max-rows" label="Rows of one person that count, at most" numeric=true
                value=Signal::derive(move || setup.get().max_rows) disabled=Signal::derive(move || fixed.get())
                set=Callback::new(move |value| setup.update(|setup| setup.max_rows = value))
                hint=Signal::derive(|| "More rows per person need that many times the noise.".to_owned())/>
        })
    };
    view! {
        <fieldset class="block">
            <legend>"Who one person is"</legend>
            <div class="fields">
                <div class="field">
                    <label for="privacy-person">"Column that identifies the person"</label>
                    <select id="privacy-person" on:change=set_person>
                        <option value="" selected=move || person.with(String::is_empty)>"None: each row is one person"</option>
                        {options}
                    </select>
                    <p class="hint">"If one person can have several rows and you name no column, the promise covers one row, not the person."</p>
                </div>
                {rows}
            </div>
        </fieldset>
    }
}
