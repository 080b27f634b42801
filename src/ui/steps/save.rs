//! Buttons that hand out a table or a figure that follows from a release.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::release::publication::Format;
use crate::ui::state::App;
use crate::ui::{actions, dom};
use crate::words;

/// A table that pastes into a word processor, as Markdown, for LaTeX and for a spreadsheet, and the figure.
const FORMATS: [Format; 5] = [Format::Word, Format::Markdown, Format::Latex, Format::Csv, Format::Svg];

/// What is handed out: the beginning of the files' names, and each of the formats where there is one.
#[derive(Clone)]
pub struct Files {
    name: String,
    forms: [Option<String>; 5],
}

impl Files {
    /// The files of what `form` writes.
    pub fn new(name: &str, form: impl Fn(Format) -> Option<String>) -> Self {
        Self { name: name.to_owned(), forms: FORMATS.map(form) }
    }
}

/// A button for each form.
#[component]
pub fn Saved(files: Files) -> impl IntoView {
    let app = App::here();
    let Files { name, forms: [word, plain, latex, csv, svg] } = files;
    let name = StoredValue::new(name);
    let file = move |ending: &str| actions::named(app, &format!("{}.{ending}", name.get_value()));
    let copy = word.clone().zip(plain.clone()).map(|(rich, plain)| {
        let copy = move |_| {
            actions::say_copied(app, dom::copy(&plain, Some(&rich)));
        };
        view! { <button type="button" on:click=copy>{words::export::copy()}</button> }
    });
    let forms = [
        (word, "html", "text/html", words::export::word()),
        (plain, "md", "text/markdown", words::export::markdown()),
        (latex, "tex", "application/x-tex", words::export::latex()),
        (csv, "csv", "text/csv", words::compared::csv()),
        (svg.clone(), "svg", "image/svg+xml", words::export::svg()),
    ];
    let forms = forms.into_iter().filter_map(|(text, ending, kind, label)| {
        let text = text?;
        let save = move |_| {
            actions::say_saved(app, dom::download(&file(ending), kind, &text));
        };
        Some(view! { <button type="button" class="quiet" on:click=save>{label}</button> })
    });
    let png = svg.map(|svg| {
        let save = move |_| {
            let svg = svg.clone();
            spawn_local(async move {
                actions::say_saved(app, dom::download_png(&file("png"), &svg).await);
            });
        };
        view! { <button type="button" class="quiet" on:click=save>{words::export::png()}</button> }
    });
    view! { <div class="buttons">{copy}{forms.collect_view()}{png}</div> }
}
