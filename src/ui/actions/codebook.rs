//! Describes the open table by a codebook that a person opens.

use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::File;

use super::navigation::go;
use super::say::fail;
use super::unpack::unpack;
use crate::data::codebook::{self, CodebookError};
use crate::data::container::{Form, HEAD_BYTES};
use crate::plan::Plan;
use crate::ui::draft::{self, ColumnDraft, Filled};
use crate::ui::state::{App, StateStoreFields};
use crate::ui::step::Step;
use crate::ui::{dom, text};
use crate::words;

/// Most sheets of a workbook that are tried.
const MOST_SHEETS: usize = 20;

/// Opens a codebook, or a saved plan in place of one.
pub fn choose_codebook(app: App, files: Vec<File>) {
    let Some(file) = files.into_iter().next() else { return };
    spawn_local(async move {
        match open(app, &file).await {
            Ok(filled) => {
                let told = text::codebook(&file.name(), &filled);
                app.state.filled().set(Some(told.clone()));
                app.state.problem().set(None);
                app.say(told);
                go(app, Step::Columns);
            }
            Err(problem) => fail(app, app.state.step().get_untracked(), problem, false),
        }
    });
}

async fn open(app: App, file: &File) -> Result<Filled, String> {
    if app.state.table().with_untracked(Option::is_none) {
        return Err(words::columns::choose_a_table_first().to_owned());
    }
    if file.size() > codebook::LONGEST as f64 {
        return Err(CodebookError::TooLong.to_string());
    }
    let (bytes, _) = dom::first_bytes(file, file.size()).await?;
    let (columns, filled) = if file.name().to_lowercase().ends_with(".json") {
        let plan = Plan::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| error.to_string())?;
        let mut columns = app.state.columns().get_untracked();
        let filled = draft::fill_from_plan(&mut columns, &plan);
        (columns, filled)
    } else {
        let head = &bytes[..bytes.len().min(HEAD_BYTES)];
        match Form::of(head).map_err(words::container::refused)? {
            None => describe(app, &bytes)?,
            Some(_) => describe_by_sheets(app, file).await?,
        }
    };
    app.state.columns().set(columns);
    Ok(filled)
}

/// Returns the columns as a codebook in text describes them.
fn describe(app: App, bytes: &[u8]) -> Result<(Vec<ColumnDraft>, Filled), String> {
    let book = codebook::read(bytes).map_err(|error| error.to_string())?;
    let table = app.state.table().get_untracked().unwrap_or_default();
    let cells = |place: usize| {
        let cells = table.rows.iter().filter_map(|row| row.get(place));
        cells.filter(|cell| !cell.is_empty()).cloned().collect()
    };
    let mut columns = app.state.columns().get_untracked();
    let filled = draft::fill(&mut columns, &book, cells);
    Ok((columns, filled))
}

/// Returns the columns as the sheet of a workbook describes them that describes most of them; so, too, for a file that is compressed, which
/// has one.
async fn describe_by_sheets(app: App, file: &File) -> Result<(Vec<ColumnDraft>, Filled), String> {
    let of_sheet = async |sheet: Option<usize>| {
        let unpacked = unpack(app, file.clone().into(), sheet).await;
        let (sheets, place, text) = unpacked.map_err(|failure| failure.message)?;
        let described = if text.size() > codebook::LONGEST as f64 {
            Err(CodebookError::TooLong.to_string())
        } else {
            let (bytes, _) = dom::first_bytes(&text, text.size()).await?;
            describe(app, &bytes)
        };
        Ok::<_, String>((sheets.len(), place, described))
    };
    let (sheets, largest, mut best) = of_sheet(None).await?;
    for sheet in (0..sheets.min(MOST_SHEETS)).filter(|sheet| *sheet != largest) {
        let (.., found) = of_sheet(Some(sheet)).await?;
        let described = |found: &Result<(_, Filled), String>| {
            found.as_ref().map_or(0, |(_, filled)| filled.described.len())
        };
        if described(&found) > described(&best) {
            best = found;
        }
    }
    best
}
