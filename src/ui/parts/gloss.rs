//! Terms of the field with their explanation one tap away, in the sentences of the glossary.

use std::sync::atomic::{AtomicU32, Ordering};

use leptos::prelude::*;

use crate::words;

/// An entry of the glossary. It is English, like the documentation that it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gloss {
    /// What is explained.
    pub name: &'static str,
    /// The explanation.
    pub text: &'static str,
}

/// The entries of `docs/GLOSSARY.md`, made by `build.rs`.
pub mod entries {
    include!(concat!(env!("OUT_DIR"), "/glossary.rs"));
}

/// The chapter that has them all, and more of each.
const CHAPTER: &str = "docs/GLOSSARY.html";

/// Popovers so far: each has an id of its own.
static COUNT: AtomicU32 = AtomicU32::new(0);

/// Draws a line of terms, each a button that opens its explanation.
#[component]
pub fn Glossed(#[prop(into)] of: Vec<Gloss>) -> impl IntoView {
    let terms = of.into_iter().map(|term| {
        let id = format!("gloss-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let letter = term.name.chars().next().map(|letter| letter.to_ascii_lowercase()).unwrap_or('a');
        let chapter = format!("{CHAPTER}#{letter}");
        view! {
            <button type="button" popovertarget=id.clone()>{term.name}</button>
            <div class="gloss" id=id popover="auto" role="note" aria-label=term.name>
                <p><strong>{term.name}</strong></p>
                <p>{term.text}</p>
                <p><a href=chapter target="_blank" rel="noopener">{words::page::glossary()}</a></p>
            </div>
        }
    });
    view! { <div class="glossed" role="group" aria-label=words::page::explained()><span>{words::page::explained()}</span> {terms.collect_view()}</div> }
}
