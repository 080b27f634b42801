//! Tables that are compressed, in UTF-16, a sheet of a workbook, or pasted: each becomes a CSV before it is opened.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::Blob;

use super::files::open_table;
use super::genotypes::Described;
use super::run::{on_progress, pool, run};
use super::say::fail_with;
use crate::data::FileRole;
use crate::data::container::{Form, HEAD_BYTES};
use crate::store::document::from_text;
use crate::ui::files::Part;
use crate::ui::sentence::sentence;
use crate::ui::state::{App, Held, Question, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::{check, dom, draft};
use crate::words;
use crate::worker::files::Files;
use crate::worker::protocol::{Failure, Reason};

/// Opens chosen files as a table, unpacked where they are packed. `sheet` is the place of the sheet of a workbook, by itself the largest.
pub async fn open_packed(app: App, held: Held, sheet: Option<usize>, described: Option<Described>) {
    match unpacked(app, &held, sheet).await {
        Ok((plain, sheets, sheet)) => {
            let several = sheets.len() > 1;
            app.handles.with_value(|handles| handles.packed.replace(several.then_some(held)));
            app.state.workbook().set(!sheets.is_empty());
            app.state.sheets().set(if several { sheets } else { Vec::new() });
            app.state.sheet().set(sheet);
            let files = plain.iter().map(|(part, file)| (part.role, file.clone())).collect();
            open_table(app, plain, Files::new(files), false, described).await;
        }
        Err(mut failure) => {
            // The table before it is not gone, and the bar below speaks of that one.
            let open =
                app.state.table().with_untracked(|table| table.as_ref().map(|table| table.name.clone()));
            if let Some(name) = open {
                let told = [sentence(&failure.message), words::container::still_open(name)];
                failure.message = told.join(" ");
            }
            fail_with(app, Step::Data, failure);
        }
    }
}

/// Returns the names of a workbook's sheets, none for another form, the place of the sheet that is taken, and it as a CSV.
pub(super) async fn unpack(
    app: App,
    file: Blob,
    sheet: Option<usize>,
) -> Result<(Vec<String>, usize, Blob), Failure> {
    let task = words::container::unpacking();
    let (size, progress) = (file.size(), on_progress(app, task));
    run(app, task, size, pool(app).unpack(file, sheet, progress)).await
}

/// Returns the files as they are read, the names of a workbook's sheets, and the place of the one that was taken.
async fn unpacked(
    app: App,
    held: &Held,
    sheet: Option<usize>,
) -> Result<(Held, Vec<String>, usize), Failure> {
    let (mut plain, mut sheets, mut taken) = (Held::default(), Vec::new(), 0);
    for (part, file) in held {
        let mut file = file.clone();
        if matches!(part.role, FileRole::Table | FileRole::Phenotypes) {
            let refused = |problem: String| Failure::new(Reason::Table, problem);
            let (head, _) = dom::first_bytes(&file, HEAD_BYTES as f64).await.map_err(refused)?;
            let form = Form::of(&head).map_err(|error| refused(words::container::refused(error)))?;
            if form.is_some() {
                let (names, place, csv) = unpack(app, file, sheet).await?;
                if part.role == FileRole::Table {
                    (sheets, taken) = (names, place);
                }
                file = csv;
            }
        }
        plain.push((part.clone(), file));
    }
    Ok((plain, sheets, taken))
}

/// Opens another sheet of the workbook.
pub fn choose_sheet(app: App, sheet: usize) {
    let Some(held) = app.handles.with_value(|handles| handles.packed.borrow().clone()) else { return };
    super::guard(app, Question::other_table(words::confirm::sheet()), move || {
        spawn_local(async move { open_packed(app, held, Some(sheet), None).await });
    });
}

/// Opens cells that were copied from a spreadsheet as a table; says whether they are some.
pub fn paste_table(app: App, text: &str) -> bool {
    let lines = text.trim_end_matches(['\r', '\n']).lines();
    let is_table = draft::is_block(text) && lines.clone().nth(1).is_some();
    let Some(file) = is_table.then(|| from_text([text], "text/tab-separated-values").ok()).flatten() else {
        return false;
    };
    let part = Part { role: FileRole::Table, name: words::data::pasted_name().to_owned() };
    super::guard(app, Question::other_table(&words::confirm::table(app.table_name())), move || {
        check::run::close(app);
        spawn_local(async move { open_packed(app, vec![(part, file)], None, None).await });
    });
    true
}
