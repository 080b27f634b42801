//! Every sentence that the program says: one function for each message of `en.json`, made by `build.rs`, with an argument for each
//! `{placeholder}`. A message with a count has two texts, `.one` and `.other`, and a function whose first argument chooses between them.
//!
//! English is compiled in. A translation is a file of the same shape, which [`choose`] takes before the page is drawn; a message that it
//! lacks stays English. The page takes one that its address asks for (`www/boot.js`). The messages of `note` stand in documents and are English always, so that one release is one text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// The texts of a translation, by the places of their keys in [`ENGLISH`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue(BTreeMap<usize, String>);

/// A text of a translation that cannot stand for the English one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// No message has this key.
    #[error("{}", crate::words::error::misfit_key(.0))]
    Key(String),
    /// The file is no JSON object of texts.
    #[error("{}", crate::words::error::misfit_json(.0))]
    Json(String),
    /// The text has other placeholders than the English one.
    #[error("{}", crate::words::error::misfit_placeholders(.0))]
    Placeholders(String),
}

impl Catalogue {
    /// Reads a translation: a JSON object of texts by their keys.
    ///
    /// # Errors
    /// [`Misfit`] if it is no such object, or for the first text that cannot stand for the English one.
    pub fn parse(json: &str) -> Result<Self, Misfit> {
        Self::new(&serde_json::from_str(json).map_err(|error| Misfit::Json(error.to_string()))?)
    }

    /// A translation of texts by their keys.
    ///
    /// # Errors
    /// [`Misfit`] for the first text that cannot stand for the English one.
    pub fn new(texts: &BTreeMap<String, String>) -> Result<Self, Misfit> {
        let place = |key: &str| ENGLISH.iter().position(|(own, _)| *own == key);
        let translated = texts.iter().map(|(key, text)| {
            let place = place(key).ok_or_else(|| Misfit::Key(key.clone()))?;
            if placeholders(english(place)) == placeholders(text) {
                Ok((place, text.clone()))
            } else {
                Err(Misfit::Placeholders(key.clone()))
            }
        });
        translated.collect::<Result<_, _>>().map(Self)
    }

    /// The text of a message: the translation's, else the English one.
    #[must_use]
    pub fn text(&self, place: usize) -> &str {
        self.0.get(&place).map_or_else(|| english(place), String::as_str)
    }
}

/// The translation that is shown.
static CHOSEN: OnceLock<Catalogue> = OnceLock::new();

/// Shows a translation from now on; `false` where one was chosen before.
pub fn choose(translation: Catalogue) -> bool {
    CHOSEN.set(translation).is_ok()
}

/// The names between braces.
fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// The text of a message in the language that is shown.
fn text(place: usize) -> &'static str {
    CHOSEN.get_or_init(Catalogue::default).text(place)
}

/// The text of a message in English, for documents.
fn english(place: usize) -> &'static str {
    ENGLISH.get(place).map_or("", |(_, text)| text)
}

/// The text with a value for each placeholder.
fn fill(text: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut filled = String::new();
    for (index, part) in text.split('{').enumerate() {
        let Some((name, rest)) = part.split_once('}').filter(|_| index > 0) else {
            filled.push_str(part);
            continue;
        };
        if let Some((_, value)) = values.iter().find(|(own, _)| *own == name) {
            filled.push_str(&value.to_string());
        }
        filled.push_str(rest);
    }
    filled
}
