//! Buttons that hand out a table or a figure that follows from a release.

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::release::publication::{DecimalMark, Format};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, dom};
use crate::words;

/// Draws a button for each form that `write` returns. The names of the files begin with `name`.
#[component]
pub fn Saved(name: String, write: Callback<(Format, DecimalMark), Option<String>>) -> impl IntoView {
    let app = App::here();
    let name = StoredValue::new(name);
    let file = move |ending: &str| actions::named(app, &format!("{}.{ending}", name.get_value()));
    let text = move |format: Format| write.run((format, app.state.decimal().get_untracked()));
    let copy = move |_| {
        let both = text(Format::Word).zip(text(Format::Markdown));
        actions::say_copied(app, both.is_some_and(|(rich, plain)| dom::copy(&plain, Some(&rich))));
    };
    let drawn = text(Format::Svg).is_some();
    // A table that pastes into a word processor, as Markdown, for LaTeX and for a spreadsheet, and the figure.
    let forms = [
        (Format::Word, "html", "text/html", words::export::word()),
        (Format::Markdown, "md", "text/markdown", words::export::markdown()),
        (Format::Latex, "tex", "application/x-tex", words::export::latex()),
        (Format::Csv, "csv", "text/csv", words::compared::csv()),
        (Format::Svg, "svg", "image/svg+xml", words::export::svg()),
    ];
    let forms = forms.into_iter().filter(|(format, ..)| *format != Format::Svg || drawn);
    let forms = forms.map(|(format, ending, kind, label)| {
        let save = move |_| {
            actions::say_saved(app, text(format).and_then(|text| dom::download(&file(ending), kind, &text)));
        };
        view! { <button type="button" class="quiet" on:click=save>{label}</button> }
    });
    let png = drawn.then(|| {
        let save = move |_| {
            let Some(svg) = text(Format::Svg) else { return };
            spawn_local(async move {
                actions::say_saved(app, dom::download_png(&file("png"), &svg).await);
            });
        };
        view! { <button type="button" class="quiet" on:click=save>{words::export::png()}</button> }
    });
    view! { <div class="buttons"><button type="button" on:click=copy>{words::export::copy()}</button>{forms.collect_view()}{png}</div> }
}
