//! Describes the open table by a codebook that a person opens.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::navigation::go;
use super::say::{fail, say};
use crate::data::codebook::{self, CodebookError};
use crate::plan::Plan;
use crate::ui::draft::{self, Filled};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::{dom, text};
use crate::words;

/// Opens a codebook, or a saved plan in place of one.
pub fn choose_codebook(app: App, files: Vec<File>) {
    let Some(file) = files.into_iter().next() else { return };
    spawn_local(async move {
        match open(app, &file).await {
            Ok(filled) => {
                let told = text::codebook(&file.name(), &filled);
                app.state.filled().set(Some(told.clone()));
                app.state.problem().set(None);
                say(app, told);
                go(app, Step::Columns);
            }
            Err(problem) => fail(app, app.state.step().get_untracked(), problem, false),
        }
    });
}

async fn open(app: App, file: &File) -> Result<Filled, String> {
    let Some(table) = app.state.table().get_untracked() else {
        return Err(words::columns::choose_a_table_first().to_owned());
    };
    if file.size() > codebook::LONGEST as f64 {
        return Err(CodebookError::TooLong.to_string());
    }
    let (bytes, _) = dom::first_bytes(file, file.size()).await?;
    let mut columns = app.state.columns().get_untracked();
    let filled = if file.name().to_lowercase().ends_with(".json") {
        let plan = Plan::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| error.to_string())?;
        draft::fill_from_plan(&mut columns, &plan)
    } else {
        let book = codebook::read(&bytes).map_err(|error| error.to_string())?;
        let cells = |place: usize| {
            let cells = table.rows.iter().filter_map(|row| row.get(place));
            cells.filter(|cell| !cell.is_empty()).cloned().collect()
        };
        draft::fill(&mut columns, &book, cells)
    };
    app.state.columns().set(columns);
    Ok(filled)
}
