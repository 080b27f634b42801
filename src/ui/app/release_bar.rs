//! The border between the two zones: what will be asked, what it costs, what the noise will be like, and one button.

use std::time::Duration;

use leptos::ev::MouseEvent;
use leptos::prelude::*;

use crate::inference::noise_forecast::Advice;
use crate::inference::preview::Verdict;
use crate::model::Role;
use crate::model::note::widening;
use crate::plan::Plan;
use crate::plan::derived::named_with;
use crate::release::format::{at_most, percent};
use crate::release::remarks::conditions;
use crate::ui::draft::{ColumnDraft, Gap};
use crate::ui::parts::{Icon, Quoted};
use crate::ui::state::{App, Kept, Run, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::view_model::{self, Forecast};
use crate::ui::{actions, dom, text};
use crate::words;

/// How long *Cancel*, which stands where *Release* stood, takes no click: a second one is not meant for it.
const BEFORE_CANCEL: Duration = Duration::from_secs(1);

/// Draws the release bar on every step until a result is shown.
#[component]
pub fn ReleaseBar() -> impl IntoView {
    let app = App::here();
    let hidden = move || {
        app.state.step().get() == Step::Result && app.state.shown().with(Option::is_some) && !app.busy()
    };
    let running = Memo::new(move |_| app.busy());
    let inside = move || {
        if running.get() { view! { <Running/> }.into_any() } else { view! { <Ready/> }.into_any() }
    };
    view! {
        <section class="release-bar" class:running=move || running.get() hidden=hidden aria-label=words::release_bar::release()>{inside}</section>
    }
}

#[component]
fn Running() -> impl IntoView {
    let app = App::here();
    let run = move || app.state.run().get().unwrap_or(Run::new("", 1.0));
    let share = move || run().share_of_all();
    let early = RwSignal::new(true);
    // The run may be over before.
    set_timeout(
        move || {
            early.try_set(false);
        },
        BEFORE_CANCEL,
    );
    let words = move || {
        let run = run();
        text::progress(run.share(), run.pass, run.seconds_left)
    };
    view! {
        <div class="running-words">
            <p class="zone-mark"><Icon name="lock"/>{words::page::private()}</p>
            <p><strong>{move || run().task}</strong> " " <span class="tabular">{words}</span></p>
        </div>
        <progress max="1" prop:value=share aria-label=words::release_bar::share_that_is_done()></progress>
        <button type="button" disabled=move || early.get() on:click=move |_| actions::cancel(app)>{words::release_bar::cancel()}</button>
    }
}

/// Says why nothing can be released now, and what to do about it.
fn blocked(app: App) -> Option<String> {
    let host = app.state.host().get();
    if !host.secure {
        return Some(words::release_bar::no_https().to_owned());
    }
    if host.fault.is_some() {
        return Some(words::release_bar::no_program().to_owned());
    }
    let refusal =
        || app.forecast.with(|forecast| forecast.as_ref().ok().and_then(|forecast| forecast.refusal.clone()));
    if app.is_spent() {
        return Some(words::gap::spent().to_owned());
    }
    if app.export_due() {
        return refusal().or_else(|| Some(words::page::export_first().to_owned()));
    }
    if app.state.table().with(Option::is_some) && app.state.key().with(Option::is_none) {
        return Some(words::release_bar::not_recognised().to_owned());
    }
    if app.past_unknown() {
        return Some(words::nothing_kept::held_back().to_owned());
    }
    refusal()
}

/// Returns whether a gap is closed by the check of the whole file.
fn asks_for_check(app: App, gap: &Gap) -> bool {
    let table = app.state.table().get_untracked().unwrap_or_default();
    let asked = app.state.columns().with_untracked(|columns| {
        app.state.setup().with_untracked(|setup| {
            app.state
                .inspection()
                .with_untracked(|found| view_model::rows_of_persons(&table, columns, setup, found.as_ref()))
        })
    });
    asked.as_ref() == Some(gap)
}

#[component]
fn Ready() -> impl IntoView {
    let app = App::here();
    let obstacle = Memo::new(move |_| blocked(app));
    // All parts read one source: a view that reads two can miss a change of the second.
    let state = Memo::new(move |_| (obstacle.get(), app.forecast.get()));
    let can = move || state.with(|(obstacle, forecast)| obstacle.is_none() && forecast.is_ok());
    let is_awaited = Memo::new(move |_| {
        state.with(|(_, forecast)| forecast.as_ref().is_ok_and(|forecast| forecast.is_awaited))
    });
    // What was said stays until the next forecast is made, so that nothing jumps.
    let told = Memo::new(move |before: Option<&String>| {
        state.with(|(_, forecast)| match forecast {
            Ok(forecast) if !forecast.is_awaited => noise(app, forecast),
            _ => before.cloned().unwrap_or_else(|| words::release_bar::noise_awaited().to_owned()),
        })
    });
    let inside = move || match state.get() {
        (Some(obstacle), _) => {
            let due = obstacle == words::page::export_first();
            let save = move |_| actions::save_ledger(app);
            let save = due.then(|| view! { " " <button type="button" class="link" on:click=save>{words::release_bar::download_the_ledger()}</button> });
            let unknown = obstacle == words::nothing_kept::held_back();
            let see = move |_| actions::go(app, Step::Data);
            let see = unknown.then(|| view! { " " <button type="button" class="link" on:click=see>{words::nothing_kept::answer()}</button> });
            view! { <p class="release-blocked">{obstacle} {save} {see}</p> }.into_any()
        }
        (None, Err(gaps)) => {
            let rest = gaps.len().saturating_sub(1);
            let first = gaps.into_iter().next();
            first
                .map(|gap| {
                    let words = gap.text.clone();
                    let is_check = asks_for_check(app, &gap);
                    let check = is_check.then(|| view! { <button type="button" on:click=move |_| actions::inspect(app)>{words::whole::start()}</button> });
                    view! {
                        <p class="release-blocked">
                            <span>{words::release_bar::before_a_release()} " "</span>
                            <button type="button" class="link" on:click=move |_| actions::go_to(app, &gap)>{words}</button>
                            " " {check} " " {text::needed(rest)}
                        </p>
                    }
                })
                .into_any()
        }
        (None, Ok(forecast)) => view! { <Offer forecast told is_awaited/> }.into_any(),
    };
    let touched = RwSignal::new(false);
    let doubt = Memo::new(move |_| {
        let touched = touched.get();
        state.with(|(_, forecast)| {
            forecast.as_ref().ok().and_then(|forecast| Doubt::of(app, forecast, touched))
        })
    });
    // A question is open for what it was asked about alone: another plan closes it.
    let asked =
        Memo::new(move |_| doubt.get().filter(|doubt| app.state.asked().get().as_ref() == Some(&doubt.why)));
    let ask = move || {
        app.state.asked().set(doubt.get_untracked().map(|doubt| doubt.why));
        dom::focus_in_sight_soon("release-question");
    };
    let price = move || {
        let cost = state.with(|(obstacle, forecast)| {
            forecast.as_ref().ok().filter(|_| obstacle.is_none()).map(|forecast| percent(forecast.of_all))
        });
        cost.map(|cost| view! { " " <span class="price">{words::release_bar::price(cost)}</span> })
    };
    let act = move || {
        if doubt.with_untracked(Option::is_some) { ask() } else { actions::release(app) }
    };
    let clicked = RwSignal::new(None::<Plan>);
    let shown =
        move || state.with(|(_, forecast)| forecast.as_ref().ok().map(|forecast| forecast.plan.clone()));
    let click = move |event: MouseEvent| {
        if obstacle.with_untracked(Option::is_some) {
            return;
        }
        touched.set(dom::is_touch(&event));
        if is_awaited.get_untracked() { clicked.set(untrack(shown)) } else { act() }
    };
    // A click just after a change waits for the forecast, by which it may have to be asked about. It was on this plan alone.
    Effect::new(move |_| {
        if is_awaited.get() || clicked.with(Option::is_none) {
            return;
        }
        if clicked.get_untracked() == untrack(shown) {
            act();
        }
        clicked.set(None);
    });
    move || {
        match asked.get() {
        Some(doubt) => view! { <Question doubt/> }.into_any(),
        None => view! {
            {inside}
            <button type="button" class="release" class:doubtful=move || doubt.with(|doubt| doubt.as_ref().is_some_and(|doubt| !doubt.plain)) class:quiet-here=move || app.state.step().get() < Step::Method
                aria-disabled=move || (!can()).to_string() on:click=click>
                {words::release_bar::release()}
                {price}
            </button>
        }
        .into_any(),
    }
    }
}

/// Why a release is asked about.
#[derive(Clone, PartialEq)]
struct Doubt {
    why: String,
    /// Whether the release is asked about only for what the first one of a table makes permanent.
    plain: bool,
    /// The column of the outcome of which a typical share of yes would help.
    share_of: Option<usize>,
}

impl Doubt {
    /// Returns the question to ask before a release. `None` if there is no doubt. There is one if no intervals are expected, if
    /// the rows are too few for the method that suits the outcome, if an outcome described as a number may be yes or no, if the
    /// question was answered before, or if nothing is left for another release of the table. The first release of a table fixes
    /// its budget and who one person is. The page asks about that if one person may have several rows, and if the button was
    /// `touched`, because a thumb that scrolls may do so by accident.
    fn of(app: App, forecast: &Forecast, touched: bool) -> Option<Self> {
        let few = || {
            let by_hand = app.state.setup().with(|setup| setup.mechanism.is_some());
            app.recommended
                .with(|found| (found.too_few && !by_hand).then(|| words::release_bar::few_rows().to_owned()))
        };
        let private = app.state.table().with(|table| table.as_ref().is_some_and(|table| !table.sample));
        let is_first = app.state.ledger().with(Option::is_none);
        let takes_all = || {
            let why =
                if is_first { words::release_bar::takes_all() } else { words::release_bar::takes_rest() };
            (forecast.of_left >= text::ALL_LEFT && private).then(|| why.to_owned())
        };
        let yes_or_no = || {
            let table = app.state.table().get()?;
            let found = app.state.columns().with(|columns| {
                app.state.setup().with(|setup| view_model::may_be_yes_or_no(&table, columns, setup))
            });
            found.filter(|_| private).map(|_| words::release_bar::may_be_yes_or_no().to_owned())
        };
        let no_use = forecast.hopeless.clone().or_else(few);
        let says_risk = no_use.is_some();
        let useless = no_use.or_else(yes_or_no).or_else(takes_all);
        let again = answered(app, &forecast.plan).filter(|_| private).map(words::release_bar::asked_again);
        let plain = useless.is_none() && again.is_none();
        let fixes = (is_first && private).then(|| fixes(app, touched)).flatten();
        let asked: Vec<String> = again.into_iter().chain(useless).chain(fixes).collect();
        let at_risk = !asked.is_empty() && !says_risk && !is_clear(app, forecast);
        let risk =
            at_risk.then(|| words::release_bar::expected_noise(noise(app, forecast).trim_end_matches('.')));
        let said: Vec<String> = risk.into_iter().chain(asked).collect();
        let is_outcome = |column: &ColumnDraft| column.role == Role::Outcome;
        let outcome = || app.state.columns().with(|columns| columns.iter().position(is_outcome));
        let share_of = forecast.foreseen.as_ref().filter(|foreseen| foreseen.needs_share());
        let share_of = share_of.and_then(|_| outcome());
        (!said.is_empty()).then(|| Self { why: said.join(" "), plain, share_of })
    }
}

/// Returns what the first release of a table makes permanent, where a column names the persons or one could, or it is said of each.
fn fixes(app: App, of_each: bool) -> Option<String> {
    let table = app.state.table().get()?;
    app.state.setup().with(|setup| {
        let may_repeat =
            app.state.columns().with(|columns| view_model::persons_may_repeat(&table, columns, setup));
        let persons = if setup.person.is_empty() {
            may_repeat.then(|| words::release_bar::each_row().to_owned())
        } else {
            Some(words::release_bar::persons(&setup.person, &setup.max_rows))
        };
        if persons.is_none() && !of_each {
            return None;
        }
        let budget = words::release_bar::fixes(at_most(view_model::worth(setup)?.epsilon));
        Some([Some(budget), persons].into_iter().flatten().collect::<Vec<_>>().join(" "))
    })
}

/// Returns the entry of an earlier release that has the same outcome, features and rows.
fn answered(app: App, plan: &Plan) -> Option<u64> {
    let same = |kept: &&Kept| kept.release.as_ref().is_some_and(|own| own.plan.asks_the_same(plan));
    app.state.releases().with(|all| all.iter().find(same).map(|kept| kept.entry))
}

/// Asks before a charge that will buy little or nothing.
#[component]
fn Question(doubt: Doubt) -> impl IntoView {
    let app = App::here();
    let Doubt { why, plain, share_of } = doubt;
    let close = move || app.state.asked().set(None);
    let leave = move || {
        close();
        dom::focus_selector_soon(".release".to_owned());
    };
    // The second click of two on Release is an answer to nothing.
    let once = move |act: fn(App)| {
        move |event: MouseEvent| {
            if !dom::is_second_click(&event) {
                close();
                act(app);
            }
        }
    };
    let (question, act) = if plain {
        (words::release_bar::question_first(), words::release_bar::fix())
    } else {
        (words::release_bar::question(), words::release_bar::all_the_same())
    };
    let state_share = share_of.map(|column| {
        let go = move |_| {
            close();
            actions::go_to_typical(app, column);
        };
        view! { " " <button type="button" class="link" on:click=go>{words::release_bar::state_share()}</button> }
    });
    view! {
        <div class="release-question" id="release-question" tabindex="-1" role="alertdialog" aria-label=question
            aria-describedby="release-why" on:keydown=move |event| if event.key() == "Escape" { leave() }>
            <p class="release-blocked" id="release-why"><strong>{question}</strong> " " <Quoted words=why/> {state_share}</p>
            // What charges does not stand where Release stood.
            <button type="button" class:doubtful=!plain on:click=once(actions::release)>{act}</button>
            <button type="button" on:click=move |event| if !dom::is_second_click(&event) { leave() }>{words::release_bar::not_now()}</button>
        </div>
    }
}

#[component]
fn Offer(forecast: Forecast, told: Memo<String>, is_awaited: Memo<bool>) -> impl IntoView {
    let app = App::here();
    let first = app.state.ledger().with_untracked(Option::is_none);
    let named = |role| named_with(&forecast.plan, role);
    let (outcomes, features) = (text::list(&named(Role::Outcome), 2), text::list(&named(Role::Feature), 5));
    let asks = words::release_bar::outcomes_by_features(outcomes, features);
    let asks =
        app.state.table().with(|table| table.as_ref().map_or(asks.clone(), |table| table.marked(asks)));
    let conditions = conditions(&forecast.plan);
    let of_rows = (!conditions.is_empty())
        .then(|| words::release_bar::of_rows(text::list(&conditions, conditions.len())));
    // On a phone, whose bar has no room for all, the first step says that it is a sample.
    let of_sample = move || {
        app.state.step().get() == Step::Data
            && app.state.table().with(|table| table.as_ref().is_some_and(|table| table.sample))
    };
    let whole =
        [Some(asks.as_str()), of_rows.as_deref()].into_iter().flatten().collect::<Vec<_>>().join(", ");
    let of_rows = of_rows.map(|told| view! { <span class="of-rows">{told}</span> });
    let cost = text::cost(forecast.of_all, forecast.of_left, first);
    let lasting = if first { words::release_bar::fixes_budget() } else { words::release_bar::permanently() };
    let plan = forecast.plan.clone();
    let before = move || {
        answered(app, &plan).map(|entry| view! {
            <div class="again"><dt>{words::release_bar::again()}</dt><dd>{words::release_bar::as_release(entry)}</dd></div>
        })
    };
    view! {
        <dl class="offer" class:of-sample=of_sample>
            <div><dt>{words::release_bar::asks()}</dt><dd title=whole><span class="asked">{asks}</span> {of_rows}</dd></div>
            <div><dt>{words::release_bar::costs()}</dt><dd>{cost} <span class="quietly">{lasting}</span></dd></div>
            <div aria-busy=move || is_awaited.get().to_string()><dt>{words::release_bar::noise()}</dt><dd>{told}</dd></div>
            {before}
        </dl>
    }
}

/// Returns whether all intervals are expected to have their stated coverage, or nothing is known of them.
fn is_clear(app: App, forecast: &Forecast) -> bool {
    match (&forecast.foreseen, &forecast.preview) {
        (Some(foreseen), _) => foreseen.is_clear(),
        (None, Some(preview)) => {
            preview.verdict == Verdict::Clear && !untrack(|| app.falls_back(&forecast.plan))
        }
        (None, None) => true,
    }
}

/// Says in a few words what the noise will be like.
fn noise(app: App, forecast: &Forecast) -> String {
    let assuming = |noise: String| match &forecast.of_outcome {
        Some(assumed) => assumed.added_to(&noise),
        None => noise,
    };
    let wide = |times: f64| assuming(words::release_bar::widening(widening(times)));
    if let Some(foreseen) = &forecast.foreseen {
        let (times, rarely) = foreseen.widening();
        let rarely = rarely.map(widening).filter(|rarely| *rarely != widening(times));
        let wide = match (rarely, &foreseen.rehearsals.widest) {
            (Some(rarely), _) => words::release_bar::widening_range(widening(times), rarely),
            (None, Some((_, most))) => {
                assuming(words::release_bar::widening_most(widening(times), widening(*most)))
            }
            (None, None) => wide(times),
        };
        return match foreseen.forecast.advice {
            _ if foreseen.gives_nothing() => words::release_bar::none_expected().to_owned(),
            _ if foreseen.rests_on_even() || foreseen.rests_on_spread() => {
                words::release_bar::may_be_withheld(wide)
            }
            Advice::Recommended if foreseen.is_clear() => wide,
            Advice::Recommended | Advice::Approximate => words::release_bar::approximate(wide),
            Advice::Uncertain if foreseen.loses_some_alone() && !foreseen.rehearsals.lost.is_empty() => {
                let lost = foreseen.rehearsals.lost.len();
                words::release_bar::some_withheld(lost, wide, text::whole(lost))
            }
            Advice::Uncertain if foreseen.loses_many() => words::release_bar::many_withheld().to_owned(),
            Advice::Uncertain | Advice::TooFew => words::release_bar::may_be_withheld(wide),
        };
    }
    let wide = forecast.precision.and_then(|precision| precision.at(1.0)).map(wide);
    match (&forecast.preview, &forecast.outlook) {
        (Some(preview), _) => match (preview.verdict, wide) {
            (Verdict::Withheld, _) => words::release_bar::noise_drowns().to_owned(),
            _ if untrack(|| app.falls_back(&forecast.plan)) => words::method::penalised_at_best().to_owned(),
            (Verdict::Approximate, Some(wide)) => words::release_bar::approximate(wide),
            (Verdict::Clear, Some(wide)) => wide,
            (Verdict::TooWide(_), _) | (_, None) => text::verdict(preview).to_owned(),
        },
        (None, Some(outlook)) => text::public::noise(outlook),
        (None, None) if forecast.errors.is_some() => {
            wide.unwrap_or_else(|| words::release_bar::noise_by_coefficient().to_owned())
        }
        (None, None) if forecast.plan.rows.or(forecast.plan.stated_rows).is_some() => {
            words::release_bar::noise_not_forecast().to_owned()
        }
        (None, None) => words::release_bar::noise_needs_rows().to_owned(),
    }
}
