//! Files in the older encodings of other languages than those of western Europe: the browser decodes them, and what it gives is opened as a
//! file in UTF-8.

use js_sys::{Array, Uint8Array};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsValue;
use web_sys::{Blob, TextDecodeOptions, TextDecoder, TextDecoderOptions};

use super::files::{are_open, open_table};
use super::run::{cancelling, on_progress, run};
use super::say::fail_to_read;
use crate::data::FileRole;
use crate::ui::dom;
use crate::ui::files::Part;
use crate::ui::state::{App, StateStoreFields};
use crate::words;
use crate::worker::files::Files;
use crate::worker::protocol::{Failure, Progress, Reason};

type Languages = fn() -> &'static str;

/// Encodings as browsers name them, with the languages that they are for.
const ENCODINGS: [(&str, Languages); 11] = [
    ("windows-1250", words::letters::central_european),
    ("windows-1257", words::letters::baltic),
    ("windows-1251", words::letters::cyrillic),
    ("windows-1253", words::letters::greek),
    ("windows-1254", words::letters::turkish),
    ("windows-1255", words::letters::hebrew),
    ("windows-1256", words::letters::arabic),
    ("shift_jis", words::letters::japanese),
    ("gb18030", words::letters::simplified_chinese),
    ("big5", words::letters::traditional_chinese),
    ("euc-kr", words::letters::korean),
];

/// Bytes in which a line with other letters is looked for.
const LOOKED_AT: f64 = 1_048_576.0;

/// Most characters of a line that are shown, and at most so many of them before the first other letter.
const SHOWN: usize = 40;
const BEFORE: usize = 20;

/// Bytes that are decoded at a time: a few hundredths of a second.
const SLICE: u64 = 4_194_304;

/// Bytes of the largest file that is decoded: it is in memory twice meanwhile.
const MOST: u64 = 500_000_000;

fn decoder(encoding: &str) -> Result<TextDecoder, JsValue> {
    let options = TextDecoderOptions::new();
    options.set_fatal(true);
    TextDecoder::new_with_label_and_options(encoding, &options)
}

/// Returns the open table as it was chosen, before it was decoded.
fn chosen(app: App) -> Option<Blob> {
    let undecoded = app.handles.with_value(|handles| handles.undecoded.borrow().clone());
    undecoded.or_else(|| app.files()?.get(FileRole::Table).cloned())
}

/// How an encoding reads a line.
#[derive(Clone)]
pub struct Reading {
    /// The encoding.
    pub encoding: &'static str,
    /// The languages that it is for.
    pub languages: &'static str,
    /// The line about its first letter that is not of ASCII.
    pub line: String,
}

/// Reads the first line of the open table that has a letter beyond ASCII, in each encoding that can decode it.
pub async fn readings(app: App) -> Vec<Reading> {
    let Some(blob) = chosen(app) else { return Vec::new() };
    let Ok((mut bytes, _)) = dom::first_bytes(&blob, LOOKED_AT).await else { return Vec::new() };
    let line = bytes.split_mut(|byte| *byte == b'\n').find(|line| !line.is_ascii()).unwrap_or_default();
    let read = |(encoding, languages): (&'static str, Languages)| {
        let text = decoder(encoding).and_then(|decoder| decoder.decode_with_u8_array(line)).ok()?;
        let line = text.trim();
        let first = line.chars().position(|letter| !letter.is_ascii()).unwrap_or_default();
        let line = line.chars().skip(first.saturating_sub(BEFORE)).take(SHOWN).collect();
        Some(Reading { encoding, languages: languages(), line })
    };
    ENCODINGS.into_iter().filter_map(read).collect()
}

/// Opens the table again as a file in this encoding.
pub fn read_in(app: App, encoding: String) {
    let Some((table, blob)) = app.state.table().get_untracked().zip(chosen(app)) else { return };
    let languages = ENCODINGS.iter().find(|(own, _)| *own == encoding).map(|(_, languages)| languages());
    spawn_local(async move {
        let (task, length) = (words::letters::reading(), Files::table(blob.clone()).length());
        match run(app, task, length as f64, decoded(app, &blob, length, &encoding)).await {
            Ok(text) => {
                let part = Part { role: FileRole::Table, name: table.name.clone() };
                let files = Files::table(text.clone());
                open_table(app, vec![(part, text)], files.clone(), false, None).await;
                // Another table may have been opened meanwhile.
                if are_open(app, &files) {
                    app.state.decoded().set(languages);
                    app.handles.with_value(|handles| handles.undecoded.replace(Some(blob)));
                }
            }
            Err(Failure { reason: Reason::Cancelled, .. }) => {}
            Err(failure) => fail_to_read(app, failure),
        }
    });
}

/// Decodes a file of `length` bytes into UTF-8.
async fn decoded(app: App, file: &Blob, length: u64, encoding: &str) -> Result<Blob, Failure> {
    let refused = |why: String| Failure::new(Reason::Table, why);
    let wrong = |_: JsValue| Failure::new(Reason::Encoding, words::letters::not_in());
    if length > MOST {
        return Err(refused(words::letters::too_large().to_owned()));
    }
    let progress = on_progress(app, words::letters::reading());
    let (decoder, parts) = (decoder(encoding).map_err(wrong)?, Array::new());
    let mut from = 0;
    while from < length {
        let to = (from + SLICE).min(length);
        let bytes = dom::bytes(file, from as f64, to as f64).await.map_err(refused)?;
        let options = TextDecodeOptions::new();
        // A letter may be of several bytes, in two slices.
        options.set_stream(to < length);
        let text = decoder.decode_with_u8_array_and_options(&bytes, &options).map_err(wrong)?;
        parts.push(&Uint8Array::from(text.as_bytes()));
        progress(Progress { done: to, total: length, round: None });
        if cancelling(app) {
            return Err(Failure::new(Reason::Cancelled, words::page::cancelled()));
        }
        from = to;
    }
    Blob::new_with_u8_array_sequence(&parts).map_err(wrong)
}
