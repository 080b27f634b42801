//! Whom the guarantee covers: whole rows, or one side of them alone, which takes typed words.

use leptos::prelude::*;

use crate::privacy::adjacency::Protect;
use crate::release::statement::relaxation;
use crate::ui::parts::TypedWords;
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, text};
use crate::words;

const CHOICES: [Protect; 3] = [Protect::Rows, Protect::Labels, Protect::Features];

/// Asks whom the guarantee covers, and for the words that confirm less than whole rows.
#[component]
pub fn Protection() -> impl IntoView {
    let app = App::here();
    let setup = app.state.setup();
    let chosen = Memo::new(move |_| setup.with(|setup| setup.protect));
    // A relaxed ledger stays relaxed; a ledger of full protection can still be relaxed.
    let turned = Memo::new(move |_| {
        let own = app.state.ledger().with(|ledger| ledger.as_ref().map(|ledger| ledger.terms().protect));
        own.filter(|protect| *protect != Protect::Rows)
    });
    let asked = Memo::new(move |_| {
        let (protect, confirmed) = setup.with(|setup| (setup.protect, setup.protect_confirmed));
        (protect != Protect::Rows && !(confirmed && turned.get() == Some(protect)))
            .then_some((protect, confirmed))
    });
    let radios = CHOICES.map(|protect| {
        view! {
            <label class="choice">
                <input type="radio" name="protect" value=protect.to_string() prop:checked=move || chosen.get() == protect
                    disabled=move || turned.get().is_some_and(|own| own != protect)
                    on:change=move |_| setup.update(|setup| {
                        setup.protect = protect;
                        setup.protect_confirmed = false;
                    })/>
                <span><strong>{text::protect(protect)}</strong> <span class="hint">{text::protect_means(protect)}</span></span>
            </label>
        }
    });
    view! {
        <fieldset class="block" id="privacy-protect" tabindex="-1">
            <legend>{words::privacy::who_is_protected()}</legend>
            <div class="choices column">{radios}</div>
            {move || asked.get().map(|(protect, confirmed)| view! { <Relax protect confirmed/> })}
            {move || turned.get().map(|protect| view! { <p class="notice">{text::relaxed(protect).turned}</p> })}
        </fieldset>
    }
}

#[component]
fn Relax(protect: Protect, confirmed: bool) -> impl IntoView {
    let app = App::here();
    let relaxed = text::relaxed(protect);
    let ledger = Memo::new(move |_| app.state.ledger().with(Option::is_some));
    view! {
        <div class="notice problem">
            <div>
                <p><strong>{relaxation(protect).map(String::from)}</strong></p>
                <p>{relaxed.why}</p>
                {move || ledger.get().then(|| view! { <p>{words::privacy::relax_permanent()}</p> })}
            </div>
        </div>
        <div class="stack">
        {if confirmed && !ledger.get_untracked() {
            view! { <p class="hint">{words::page::confirmed()}</p> }.into_any()
        } else {
            view! {
                <TypedWords id="privacy-relax" label=relaxed.label wrong=relaxed.wrong
                    button=words::privacy::relax_do() act=move |typed| actions::relax(app, protect, typed)/>
            }
            .into_any()
        }}
        </div>
    }
}
