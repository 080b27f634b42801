//! Step 3: the budget of the table, in words that a clinician understands.

use leptos::prelude::*;

use super::Status;
use super::people::People;
use super::protect::Protection;
use super::widths::{Widths, width_in_words};
use crate::inference::preview::Verdict;
use crate::model::note::widening;
use crate::privacy::adjacency::Adjacency;
use crate::privacy::calibrate::Split;
use crate::privacy::ledger::Ledger;
use crate::privacy::promise::MOST_EPSILON;
use crate::release::format::{at_most, short};
use crate::release::statement::{budget_sentence, hundredths};
use crate::ui::draft::{self, BudgetKind, Setup};
use crate::ui::drawing::precision_curve;
use crate::ui::parts::gloss::{Glossed, entries};
use crate::ui::parts::plot::CurvePlot;
use crate::ui::parts::{Choice, Field, Quoted, Soon};
use crate::ui::sentence::sentence;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::view_model::{self, Worth};
use crate::ui::{actions, dom, samples, text};
use crate::words;

/// ε at the notches of the slider: numbers of two digits, about evenly far from each other.
const SLIDER: [f64; 43] = [
    0.05, 0.06, 0.07, 0.08, 0.09, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6,
    0.7, 0.8, 0.9, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0,
    12.0, 14.0, 16.0, 18.0, 20.0,
];

/// Says the budget in one line.
pub fn status(app: App) -> Status {
    let line = |worth: Worth| words::privacy::status(at_most(worth.epsilon), text::one_in(worth.delta));
    worth(app).map_or_else(|| words::privacy::no_budget_yet().to_owned(), line).into()
}

/// Draws the privacy step: asks for the budget, and how much of it the next release takes.
#[component]
pub fn PrivacyStep() -> impl IntoView {
    let app = App::here();
    let fixed = Memo::new(move |_| app.state.ledger().with(Option::is_some));
    // Not moved while it is being filled in.
    let has_person = app.state.setup().with_untracked(|setup| !setup.person.is_empty());
    let spent = Memo::new(move |_| app.is_spent());
    let widths = Widths::new(app, move |setup| match (fixed.get(), spent.get()) {
        (true, true) => Vec::new(),
        (true, false) => SHARES.map(|share| Setup { share, ..setup.clone() }).into(),
        // Of a budget that is chosen, shares lie between these.
        (false, _) => {
            let named = levels().map(|(epsilon, ..)| epsilon);
            ENDS.into_iter().chain(named).map(|epsilon| with_epsilon(setup, epsilon)).collect()
        }
    });
    view! {
        <p class="lead">{move || if fixed.get() { words::privacy::budget_fixed() } else { words::privacy::budget_why() }}</p>
        <People/>
        {move || if fixed.get() { view! { <Fixed spent widths/> }.into_any() } else { view! { <Careful widths/> }.into_any() }}
        {has_person.then(|| view! { <Person fixed/> })}
        <Prospect/>
        <Soon>
        <Glossed of=[entries::EPSILON, entries::DELTA, entries::BUDGET, entries::CHARGE, entries::LEDGER]/>
        <details class="more">
            <summary>{words::privacy::advanced()}</summary>
            {move || (!fixed.get()).then(|| view! { <Propose/> <Share widths/> })}
            <Protection/>
            <Neighbours fixed/>
            {(!has_person).then(|| view! { <Person fixed/> })}
            <Glossed of=[entries::MU, entries::RHO, entries::ADD_REMOVE, entries::REPLACE_ONE, entries::PROTECT]/>
        </details>
        </Soon>
    }
    .into_any()
}

/// Returns what the whole budget is worth: the ledger's, or the stated one.
pub fn worth(app: App) -> Option<Worth> {
    app.state.ledger().with(|ledger| match ledger {
        Some(ledger) => view_model::ledger_worth(ledger),
        None => app.state.setup().with(view_model::worth),
    })
}

/// Says what the budget means for one person.
#[component]
fn Meaning() -> impl IntoView {
    let app = App::here();
    let whom = Memo::new(move |_| app.state.setup().with(|setup| (setup.adjacency, setup.protect)));
    let assumed = Memo::new(move |_| app.assumed(app.state.setup().with(|setup| setup.person.is_empty())));
    let several = move || {
        let is_open = app.state.ledger().with(Option::is_none)
            && app.state.setup().with(|setup| setup.person.is_empty());
        is_open.then(|| view! {
            <p><button type="button" class="link" on:click=|_| { dom::focus_selector("#privacy-person"); }>{words::privacy::several_rows()}</button></p>
        })
    };
    move || {
        let (adjacency, protect) = whom.get();
        worth(app).map(|worth| {
            let sample = app.state.table().get().filter(|table| table.sample);
            let sample = sample.and_then(|table| samples::budget(&table.name));
            view! {
                <div class="meaning" role="status">
                    <p class="meaning-main">{budget_sentence(adjacency, protect, worth.accuracy)} " " {assumed.get()}</p>
                    {several}
                    {sample.map(|told| view! { <p>{told}</p> })}
                    <p class="hint">{words::privacy::delta_means()}</p>
                </div>
            }
        })
    }
}

#[component]
fn Fixed(spent: Memo<bool>, widths: Widths) -> impl IntoView {
    let app = App::here();
    let line = move || {
        worth(app).map(|worth| {
            view! {
                <dl class="figures">
                    <div><dt>{words::privacy::epsilon()}</dt><dd>{at_most(worth.epsilon)}</dd></div>
                    <div><dt>{words::privacy::delta()}</dt><dd>{text::one_in(worth.delta)}</dd></div>
                    <div><dt>{words::privacy::mu()}</dt><dd>{at_most(worth.mu)}</dd></div>
                    {view_model::budget_parts(&worth.units).into_iter().map(|(label, wallet)| view! {
                        <div><dt>{label.unwrap_or(words::privacy::left())}</dt><dd>{move || app.state.ledger().with(|l| l.as_ref().map(|l| text::left_line(view_model::left(l, wallet))))}</dd></div>
                    }).collect_view()}
                </dl>
            }
        })
    };
    let share = move || {
        if spent.get() {
            view! { <p class="block">{words::privacy::spent()}</p> }.into_any()
        } else {
            view! { <Share widths/> }.into_any()
        }
    };
    // A table that joins a ledger takes over how its persons are told apart.
    let rows = move || {
        let setup = app.state.setup();
        let told = setup.with(|setup| {
            let several = draft::count(&setup.max_rows).is_some_and(|most| most > 1);
            (several && !setup.person.is_empty())
                .then(|| words::privacy::rows_fixed(&setup.person, &setup.max_rows, &setup.max_rows))
        });
        told.map(|told| view! { <p class="notice">{told}</p> })
    };
    view! { <section class="block" aria-label=words::privacy::budget()>{line}{rows}<Meaning/><div class="fields"><RowsField/></div></section> {share} }
}

/// Asks for the number of rows, or of persons.
#[component]
fn RowsField() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    // Whether the number is exact, the rows that count of each person, where a column says whose a row is, and whether rows are chosen.
    let unit = Memo::new(move |_| {
        setup.with(|setup| {
            let most = (!setup.person.is_empty()).then(|| setup.max_rows.clone());
            (setup.adjacency, most, !setup.only.is_empty())
        })
    });
    let set = Callback::new(move |value| setup.update(|setup| setup.rows = value));
    let again = Memo::new(move |_| setup.with(Setup::asked_again));
    move || {
        let (adjacency, most, chosen) = unit.get();
        let label_of_chosen =
            if chosen { words::privacy::rows_met_label() } else { words::privacy::rows_chosen_label() };
        let (label, why) = match (adjacency, most) {
            (Adjacency::AddRemove, None) => {
                let label = if chosen { label_of_chosen } else { words::privacy::rows_label() };
                (label, words::privacy::rows_why().to_owned())
            }
            // How many rows of each count is not said yet.
            (Adjacency::AddRemove, Some(most)) if most.trim().is_empty() => {
                (label_of_chosen, words::privacy::rows_of_each_first().to_owned())
            }
            (Adjacency::AddRemove, Some(most)) => {
                let (label, count) = if draft::count(&most) == Some(1) {
                    let label = if chosen {
                        words::privacy::persons_met_label()
                    } else {
                        words::privacy::persons_label()
                    };
                    (label, words::privacy::one_row_of_each_why().to_owned())
                } else {
                    (label_of_chosen, words::privacy::rows_of_persons_why(most))
                };
                (label, format!("{count} {}", words::privacy::rows_why()))
            }
            (Adjacency::ReplaceOne, None) => {
                (words::privacy::rows_exact_label(), words::privacy::rows_exact_why().to_owned())
            }
            (Adjacency::ReplaceOne, Some(_)) => {
                (words::privacy::persons_exact_label(), words::privacy::persons_exact_why().to_owned())
            }
        };
        let hint = move || again.get().into_iter().chain([why.clone()]).collect::<Vec<_>>().join(" ");
        view! {
            <Field id="privacy-rows" label=label numeric=true counts=true value=Signal::derive(move || setup.get().rows) set
                hint=Signal::derive(hint)/>
        }
    }
}

/// Asks how many rows there are and how careful to be, and shows what follows.
#[component]
fn Careful(widths: Widths) -> impl IntoView {
    view! {
        <section class="block beside" aria-label=words::privacy::budget()>
            <div>
                <RowsField/>
                <Levels widths/>
            </div>
            <div>
                <Meaning/>
                <Weak/>
                <Precision widths/>
            </div>
        </section>
    }
}

/// Lists the budgets that have a name: ε, the name, and its purpose.
fn levels() -> [(f64, &'static str, &'static str); 4] {
    [
        (0.5, words::privacy::level_strict(), words::privacy::level_strict_for()),
        (1.0, words::privacy::level_careful(), words::privacy::level_careful_for()),
        (2.0, words::privacy::level_moderate(), words::privacy::level_moderate_for()),
        (4.0, words::privacy::level_loose(), words::privacy::level_loose_for()),
    ]
}

/// Returns the typed ε, where the budget is stated by it.
fn typed_epsilon(setup: &Setup) -> Option<f64> {
    let is_usable = |epsilon: &f64| *epsilon > 0.0 && *epsilon <= MOST_EPSILON;
    draft::number(&setup.epsilon).filter(|_| setup.form == BudgetKind::EpsilonDelta).filter(is_usable)
}

/// Returns the setup with another ε.
fn with_epsilon(setup: &Setup, epsilon: f64) -> Setup {
    Setup { epsilon: epsilon.to_string(), form: BudgetKind::EpsilonDelta, ..setup.clone() }
}

/// Offers the named levels of care.
#[component]
fn Levels(widths: Widths) -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let current = Memo::new(move |_| setup.with(typed_epsilon));
    let radios = levels().map(|(epsilon, name, purpose)| {
        let there = Memo::new(move |_| setup.with(|setup| with_epsilon(setup, epsilon)));
        let accuracy = move || there.with(view_model::worth).and_then(|worth| hundredths(worth.accuracy));
        let guess = move || accuracy().map(words::privacy::level_guess);
        let wide = Memo::new(move |_| there.with(|there| widths.at(there)).map(width_in_words));
        view! {
            <label class="choice">
                <input type="radio" name="level" prop:checked=move || current.get() == Some(epsilon)
                    on:change=move |_| setup.update(|setup| {
                        setup.form = BudgetKind::EpsilonDelta;
                        setup.epsilon = short(epsilon, 2);
                    })/>
                <span>
                    <strong>{words::privacy::level(name, short(epsilon, 2))}</strong>
                    <span class="hint">{purpose} " " {guess} " " {move || wide.get()}</span>
                </span>
            </label>
        }
    });
    let own = move || {
        let named = levels().iter().any(|(epsilon, ..)| current.get() == Some(*epsilon));
        let is_stated = setup.with(view_model::worth).is_some();
        (!named && is_stated).then(|| view! { <p class="hint">{words::privacy::level_own()}</p> })
    };
    let has_widths = Memo::new(move |_| {
        let is_known =
            |(epsilon, ..): &(f64, _, _)| widths.at(&with_epsilon(&setup.get(), *epsilon)).is_some();
        levels().iter().any(is_known)
    });
    let of_part = move || {
        let share = setup.with(|setup| setup.share);
        let told = words::privacy::level_share(format!("{share} %"));
        // The ε of a part of the budget is another one than that of the level.
        let price = app.forecast.with(|forecast| {
            forecast.as_ref().ok().map(|forecast| words::privacy::for_this_release(&forecast.price))
        });
        ((1..ALL).contains(&share) && has_widths.get())
            .then(|| view! { <p class="hint">{told} " " {price}</p> })
    };
    let assumed = move || has_widths.get().then(|| view! { <OfWidths/> });
    // Taken back, the release takes the usual share again.
    let take_all = move |event| {
        let share = if event_target_checked(&event) { ALL } else { Setup::default().share };
        setup.update(|setup| setup.share = share);
    };
    view! {
        <fieldset class="levels">
            <legend>{words::privacy::how_careful()}</legend>
            <div class="choices column" aria-busy=move || widths.is_busy().to_string()>{radios}</div>
            {own}
            {assumed}
            <label class="choice">
                <input type="checkbox" id="privacy-one-question" prop:checked=move || setup.with(|setup| setup.share == ALL) on:change=take_all/>
                <span>{words::privacy::one_question()}</span>
            </label>
            {of_part}
        </fieldset>
    }
}

/// Says what the widths assume of the outcome, where the plan states nothing of it.
#[component]
fn OfWidths() -> impl IntoView {
    let app = App::here();
    let rough = move || {
        let table = app.state.table().get().unwrap_or_default();
        app.state
            .columns()
            .with(|columns| app.state.setup().with(|setup| view_model::spread_with(columns, setup, &table)))
    };
    let told = Memo::new(move |_| {
        let known =
            app.forecast.with(|forecast| forecast.as_ref().ok().map(|known| known.of_outcome.clone()));
        known.unwrap_or_else(rough).map(|assumed| assumed.of_widths())
    });
    move || told.get().map(|words| view! { <p class="hint of-widths"><Quoted words/></p> })
}

/// ε at which the curve of precision is drawn, from left to right.
const CURVE: [f64; 15] = [0.1, 0.14, 0.2, 0.28, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 10.0];

/// ε towards the ends of the curve that are rehearsed beside the budgets with a name, so that it is the same whatever is chosen.
const ENDS: [f64; 3] = [0.1, 0.22, 10.0];

/// Draws precision against ε: by how much intervals are wider than without privacy.
#[component]
fn Precision(widths: Widths) -> impl IntoView {
    let setup = App::here().state.setup();
    let at = move |epsilon: f64| {
        setup.with(|setup| widths.at(&with_epsilon(setup, epsilon))).map(|precision| precision.at(1.0))
    };
    let curve = Memo::new(move |_| {
        let now = setup.with(typed_epsilon)?;
        let points = CURVE.map(|epsilon| at(epsilon).map(|times| (epsilon, times)));
        let points: Vec<(f64, Option<f64>)> = points.into_iter().flatten().collect();
        (points.len() == CURVE.len()).then_some((now, points))
    });
    move || {
        curve.get().map(|(now, points)| {
            let curve = precision_curve(&points, now);
            let label = match at(now).flatten() {
                Some(times) => words::privacy::curve_label(at_most(now), widening(times)),
                None => words::privacy::curve_withheld(at_most(now)),
            };
            view! {
                <figure class="curve">
                    <figcaption>{words::privacy::curve()}</figcaption>
                    <CurvePlot curve label=label.clone()/>
                    <p class="hint">{label}</p>
                </figure>
            }
        })
    }
}

/// Returns the notch of the slider for ε: the last one that is not above it.
fn notch(epsilon: f64) -> usize {
    SLIDER.partition_point(|own| *own <= epsilon).saturating_sub(1)
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
        let notch = event_target_value(&event).parse::<usize>();
        if let Some(epsilon) = notch.ok().and_then(|notch| SLIDER.get(notch)) {
            setup.update(|setup| setup.epsilon = short(*epsilon, 2));
        }
    };
    let place = move || setup.with(|setup| notch(draft::number(&setup.epsilon).unwrap_or(1.0))).to_string();
    let spoken = move || setup.with(|setup| words::privacy::epsilon_spoken(&setup.epsilon));
    let proposed = Signal::derive(move || {
        let rows = setup.with(|setup| draft::count(&setup.rows));
        match rows {
            Some(rows) if setup.with(|setup| setup.one_in.trim().is_empty()) => {
                let one_in = draft::proposed_one_in(rows) as f64;
                words::privacy::proposed(crate::release::format::grouped(one_in))
            }
            _ => words::privacy::delta_hint().to_owned(),
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
                <label for="epsilon-slider">{words::privacy::epsilon_smaller_is_more_private()}</label>
                <input id="epsilon-slider" type="range" min="0" max=SLIDER.len() - 1 step="1" prop:value=place aria-valuetext=spoken on:input=slide/>
                <p class="slider-ends" aria-hidden="true"><span>"0.05"</span><span>"1"</span><span>"20"</span></p>
            </div>
            <Field id="privacy-epsilon" label=words::privacy::epsilon_as_a_number() numeric=true value=Signal::derive(move || setup.get().epsilon)
                set=write(|setup, value| setup.epsilon = value)/>
        }.into_any(),
        BudgetKind::Rho => view! {
            <Field id="privacy-rho" label=words::privacy::rho() numeric=true value=Signal::derive(move || setup.get().rho)
                set=write(|setup, value| setup.rho = value)/>
        }.into_any(),
        BudgetKind::Mu => view! {
            <Field id="privacy-mu" label=words::privacy::mu() numeric=true value=Signal::derive(move || setup.get().mu)
                set=write(|setup, value| setup.mu = value)/>
        }.into_any(),
    }
    };
    view! {
        <section class="block" aria-label=words::privacy::budget_exact()>
            <div class="fields">
                {amount}
                <Field id="privacy-delta" label=words::privacy::delta_one_in() numeric=true counts=true value=shown
                    set=write(|setup, value| setup.one_in = value) hint=proposed/>
            </div>
            <Choice id="privacy-split" label=words::privacy::the_budget_is_kept_for()
                options=kept.into_iter().map(|kept| (split_key(kept), text::kept(kept).to_owned())).collect()
                value=Signal::derive(move || split_key(split.get())) set=set_split
                disabled=Signal::derive(move || form.get() != BudgetKind::EpsilonDelta)/>
            <p class="hint">{words::privacy::split_why()}</p>
            <details class="more">
                <summary>{words::privacy::other_ways_to_state_the_budget()}</summary>
                <Choice id="privacy-form" label=words::privacy::the_budget_is_stated_as()
                    options=forms.into_iter().map(|kind| (key(kind), text::form(kind).to_owned())).collect()
                    value=Signal::derive(move || key(form.get())) set=set_form/>
                <p class="hint">{words::privacy::form_hint()}</p>
            </details>
        </section>
    }
}

/// Warns of a budget that promises next to nothing, and asks for the words that confirm it.
#[component]
fn Weak() -> impl IntoView {
    let setup = App::here().state.setup();
    let why = Memo::new(move |_| setup.with(view_model::weak));
    let set = Callback::new(move |value| setup.update(|setup| setup.weak = value));
    move || {
        why.get().map(|why| {
            view! {
                <div class="notice problem" role="alert"><p>{sentence(&why)}</p></div>
                <div class="fields">
                    <Field id="privacy-weak" label=words::promise::confirm() value=Signal::derive(move || setup.get().weak) set/>
                </div>
            }
        })
    }
}

/// Says in a few words what the rows and the budget will give.
#[component]
fn Prospect() -> impl IntoView {
    let app = App::here();
    let lines = move || {
        app.forecast.with(|forecast| {
            let forecast = forecast.as_ref().ok()?;
            match (&forecast.foreseen, &forecast.preview) {
                (Some(foreseen), _) => {
                    let why = foreseen.dependence.clone().or_else(|| foreseen.help());
                    Some((foreseen.verdict().to_owned(), why))
                }
                (None, Some(_)) if forecast.dependence.is_some() => {
                    forecast.dependence.clone().map(|why| (why, None))
                }
                (None, Some(preview)) => {
                    let withheld = preview.verdict == Verdict::Withheld;
                    let verdict = if app.falls_back(&forecast.plan) && !withheld {
                        words::method::penalised_at_best()
                    } else {
                        text::verdict(preview)
                    };
                    Some((verdict.to_owned(), Some(preview.advice.clone())))
                }
                (None, None) => None,
            }
        })
    };
    move || {
        lines().map(|(verdict, help)| {
            let help = help.map(|help| view! { <p><Quoted words=sentence(&help)/></p> });
            view! {
                <section class="block" aria-label=words::method::what_to_expect()>
                    <p class="meaning-main">{verdict}</p>
                    {help}
                    <p><button type="button" class="link" on:click=move |_| actions::go(app, Step::Method)>{words::privacy::in_detail()}</button></p>
                </section>
            }
        })
    }
}

/// All of what is left, in percent.
const ALL: u8 = 100;

/// Shares of what is left that are offered, in percent.
const SHARES: [u8; 4] = [25, 50, 75, ALL];

/// Asks how much of what is left the next release takes.
#[component]
fn Share(widths: Widths) -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let current = Memo::new(move |_| setup.with(|setup| setup.share));
    let names = [
        words::privacy::a_quarter(),
        words::privacy::half(),
        words::privacy::three_quarters(),
        words::privacy::all(),
    ];
    let radios = SHARES.into_iter().zip(names).map(|(share, name)| {
        let width = Memo::new(move |_| setup.with(|setup| widths.at(&Setup { share, ..setup.clone() })));
        let (named, told) = (format!("share-{share}"), format!("share-{share}-width"));
        view! {
            <label class="choice">
                <input type="radio" name="share" value=share.to_string() aria-labelledby=named.clone() aria-describedby=told.clone()
                    prop:checked=move || current.get() == share
                    on:change=move |_| setup.update(|setup| setup.share = share)/>
                <span><strong id=named>{name}</strong> <span class="hint" id=told>{move || width.get().map(width_in_words)}</span></span>
            </label>
        }
    });
    // What is typed counts at once: the price on the button is that of what the field says.
    let typed = RwSignal::new(None::<String>);
    let read = |text: &str| draft::percent(text).unwrap_or(0);
    let shown = move || match (typed.get(), current.get()) {
        (Some(text), share) if read(&text) == share => text,
        // Empty where none is chosen.
        (_, 0) => String::new(),
        (_, share) => share.to_string(),
    };
    let type_share = move |event: web_sys::Event| {
        let text = event_target_value(&event);
        // Another share than the one that was meant is not released.
        setup.update(|setup| setup.share = read(&text));
        typed.set(Some(text));
    };
    let why = move || {
        (current.get() == 0 && typed.with(Option::is_some)).then(|| {
            view! { <p class="wrong" role="alert">{words::privacy::no_share()}</p> }
        })
    };
    let ask = move || {
        app.forecast
            .with(|forecast| forecast.as_ref().ok().map(|f| words::privacy::for_this_release(&f.price)))
    };
    view! {
        <fieldset class="block" id="privacy-share" tabindex="-1">
            <legend>{words::privacy::the_next_release_takes()}</legend>
            <div class="choices column" aria-busy=move || widths.is_busy().to_string()>{radios.collect_view()}</div>
            <OfWidths/>
            <div class="fields">
                <div class="field">
                    <label for="privacy-typed-share">{words::privacy::typed_share()}</label>
                    <input id="privacy-typed-share" class="numeric" type="text" inputmode="numeric" autocomplete="off"
                        prop:value=shown on:input=type_share/>
                    {why}
                </div>
            </div>
            <p class="hint">{words::privacy::share_why()} " " {words::privacy::once()} " " {ask}</p>
        </fieldset>
    }
}

/// Asks what neighbouring tables are.
#[component]
fn Neighbours(fixed: Memo<bool>) -> impl IntoView {
    let setup = App::here().state.setup();
    let current = Memo::new(move |_| setup.with(|setup| setup.adjacency));
    let radios = [Adjacency::AddRemove, Adjacency::ReplaceOne].map(|adjacency| {
        view! {
            <label class="choice">
                <input type="radio" name="adjacency" value=adjacency.to_string() prop:checked=move || current.get() == adjacency
                    disabled=move || fixed.get() on:change=move |_| setup.update(|setup| setup.adjacency = adjacency)/>
                <span><strong>{text::adjacency(adjacency)}</strong> <span class="hint">{text::adjacency_means(adjacency)}</span></span>
            </label>
        }
    });
    view! {
        <fieldset class="block" id="privacy-adjacency" tabindex="-1">
            <legend>{words::privacy::what_stays_private()}</legend>
            <div class="choices column">{radios}</div>
        </fieldset>
    }
}

/// Asks which column says whose a row is.
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
        setup.update(|setup| setup.identify(value, setup.max_rows.clone()));
    };
    let before = Memo::new(move |_| {
        let now = person.get();
        let own = Some(now.as_str()).filter(|now| !now.is_empty());
        let before = |ledger: &Ledger| ledger.other_persons(own).map(|before| before.map(str::to_owned));
        app.state.ledger().with(|ledger| ledger.as_ref().and_then(before))
    });
    let others = move || {
        let (before, now) = (before.get()?, person.get());
        let told = match before {
            None => words::privacy::rows_before(now),
            Some(before) if now.is_empty() => words::privacy::other_persons_each_row(before),
            Some(before) => words::privacy::other_persons_by(before, now),
        };
        Some(view! {
            <label class="choice" for="privacy-other-persons">
                <input type="checkbox" id="privacy-other-persons" prop:checked=move || setup.with(|setup| setup.other_persons)
                    on:change=move |event| setup.update(|setup| setup.other_persons = event_target_checked(&event))/>
                <span>{told}</span>
            </label>
        })
    };
    let rows = move || {
        (!person.with(String::is_empty)).then(|| view! {
            <Field id="privacy-max-rows" label=words::privacy::rows_of_one_person_that_count() numeric=true counts=true
                value=Signal::derive(move || setup.get().max_rows) disabled=Signal::derive(move || fixed.get())
                set=Callback::new(move |value| setup.update(|setup| setup.identify(setup.person.clone(), value)))
                hint=Signal::derive(move || if fixed.get() { words::privacy::max_rows_fixed() } else { words::privacy::max_rows_hint() }.to_owned())/>
        })
    };
    view! {
        <fieldset class="block">
            <legend>{words::privacy::who_one_person_is()}</legend>
            <div class="fields">
                <div class="field">
                    <label for="privacy-person">{words::privacy::column_that_identifies_the_person()}</label>
                    <select id="privacy-person" on:change=set_person>
                        <option value="" selected=move || person.with(String::is_empty)>{words::privacy::none_each_row_is_one_person()}</option>
                        {options}
                    </select>
                    <p class="hint">{words::privacy::person_hint()}</p>
                    {others}
                </div>
                {rows}
            </div>
        </fieldset>
    }
}
