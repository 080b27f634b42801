//! Buttons that hand out a table or a figure that follows from a release.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::release::publication::Format;
use crate::ui::state::App;
use crate::ui::{actions, dom};
use crate::words;

/// What is handed out, each form where there is one.
#[derive(Clone, Default)]
pub struct Files {
    /// The beginning of the files' names.
    pub name: String,
    /// A table that pastes into a word processor.
    pub word: Option<String>,
    /// The same as Markdown.
    pub plain: Option<String>,
    /// The same for LaTeX.
    pub latex: Option<String>,
    /// The same for a spreadsheet.
    pub csv: Option<String>,
    /// The figure.
    pub svg: Option<String>,
}

impl Files {
    /// The files of what `form` writes.
    pub fn new(name: &str, form: impl Fn(Format) -> Option<String>) -> Self {
        Self {
            name: name.to_owned(),
            word: form(Format::Word),
            plain: form(Format::Markdown),
            latex: form(Format::Latex),
            csv: form(Format::Csv),
            svg: form(Format::Svg),
        }
    }
}

/// A button for each form.
#[component]
pub fn Saved(files: Files) -> impl IntoView {
    let app = App::here();
    let Files { name, word, plain, latex, csv, svg } = files;
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
