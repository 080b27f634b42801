//! A check of the whole file by the columns as they are described, for this machine alone.

use leptos::prelude::*;

use crate::data::inspection::Misfits;
use crate::ui::parts::{Icon, PrivateZone};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::{actions, draft, text, view_model};
use crate::words;

/// Offers the check, and says how many rows would be left out.
#[component]
pub fn WholeFile() -> impl IntoView {
    let app = App::here();
    let possible = Memo::new(move |_| {
        let columns = app.state.columns();
        columns
            .with(|columns| app.state.setup().with(|setup| draft::plan_to_inspect(columns, setup).is_some()))
    });
    let rows = Memo::new(move |_| {
        let inspection = app.state.inspection().get()?;
        app.state
            .columns()
            .with(|columns| app.state.setup().with(|setup| view_model::rows(&inspection, columns, setup)))
    });
    let checked = move || app.state.inspection().with(Option::is_some);
    let result = move || {
        let told = match rows.get() {
            Some((0, _)) => words::whole::no_rows().to_owned(),
            Some((rows, left_out)) => {
                let columns = app.misfits.with(|misfits| misfits.values().filter(|of| !of.fit()).count());
                let columns = match columns {
                    0 => words::whole::all_fit().to_owned(),
                    some => words::whole::columns(some, some),
                };
                let say =
                    app.state.setup().with(|setup| match (setup.only.is_empty(), setup.person.is_empty()) {
                        (false, _) => words::whole::left_out_of_chosen,
                        (true, true) => words::whole::left_out,
                        (true, false) => words::whole::left_out_of_persons,
                    });
                format!("{} {columns}", say(count(left_out), count(rows)))
            }
            None if app.is_checked_again.get() => words::whole::checked_again().to_owned(),
            None => words::whole::changed().to_owned(),
        };
        checked().then(|| view! { <p id="whole-file-result"><strong>{told}</strong></p> })
    };
    let persons = move || {
        let persons = app.state.inspection().with(|found| found.as_ref().and_then(|of| of.persons.clone()));
        persons
            .filter(|of| of.several.is_none())
            .map(|of| view! { <p>{words::whole::persons_not_counted(of.column)}</p> })
    };
    let rule = move || {
        checked().then(
            || view! { <p class="notice"><Icon name="lock"/><span>{words::whole::never_copy()}</span></p> },
        )
    };
    let why_not = move || match (possible.get(), app.busy()) {
        (false, _) => Some(words::whole::not_described()),
        (true, true) => Some(words::whole::busy()),
        (true, false) => None,
    };
    view! {
        <PrivateZone title=words::whole::title()>
            <p>{words::whole::about()}</p>
            {rule}
            {result}
            {persons}
            // It stays what has the focus while the file is read.
            <p><button type="button" id="columns-whole-file" aria-disabled=move || why_not().is_some().to_string() aria-describedby="whole-file-why" on:click=move |_| actions::inspect(app)>
                {move || if checked() { words::whole::again() } else { words::whole::start() }}</button>
                " " <span class="hint" id="whole-file-why">{why_not}</span></p>
        </PrivateZone>
    }
}

/// Describes the cells of a column that do not fit. `of_some`: whether only some rows of the file count.
pub fn sentence(misfits: &Misfits, category: bool, of_some: bool) -> String {
    let numbers = [misfits.missing, misfits.unread, misfits.outside];
    let [missing, unread, outside] = numbers.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    let parts = [
        (missing > 0).then(|| words::whole::missing(missing, text::whole(missing))),
        (unread > 0).then(|| {
            let say = if category { words::whole::no_level } else { words::whole::no_number };
            let told = say(unread, text::whole(unread));
            match misfits.usual_cells().as_slice() {
                [] => told,
                cells => words::whole::such_as(told, cells.join(", ")),
            }
        }),
        (outside > 0).then(|| words::whole::outside(outside, text::whole(outside))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let say = if of_some { words::whole::of_column_counted } else { words::whole::of_column };
    say(parts.join(", "))
}

fn count(number: u64) -> String {
    text::whole(usize::try_from(number).unwrap_or(usize::MAX))
}
