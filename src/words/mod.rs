//! Every sentence that the program says: one function for each message of `en.json`, made by `build.rs`, with an argument for each
//! `{placeholder}`. A message with a count has two texts, `.one` and `.other`, and a function whose first argument chooses between them.
//!
//! English is compiled in. A translation is a file of the same shape, which [`choose`] takes before the page is drawn; a message that it
//! lacks stays English. The page takes one that its address asks for (`www/boot.js`). The messages of `note` stand in documents and are
//! English always, so that one release is one text.
//!
//! The words of a mechanism stand in its folder, so its English text is the key of its translation ([`of_mechanism`]).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::OnceLock;

include!(concat!(env!("OUT_DIR"), "/words.rs"));

/// What the key of a mechanism's text begins with; its English text follows.
const OF_MECHANISM: &str = "mechanism: ";

/// A translation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Catalogue {
    /// By the places of their keys in [`ENGLISH`].
    messages: BTreeMap<usize, String>,
    /// By the English text.
    mechanisms: BTreeMap<String, String>,
}

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

    /// Creates a translation from texts by their keys.
    ///
    /// # Errors
    /// [`Misfit`] for the first text that cannot stand for the English one.
    pub fn new(texts: &BTreeMap<String, String>) -> Result<Self, Misfit> {
        let mut translation = Self::default();
        for (key, text) in texts {
            if let Some(english) = key.strip_prefix(OF_MECHANISM) {
                translation.mechanisms.insert(english.to_owned(), text.clone());
                continue;
            }
            let place = ENGLISH.iter().position(|(own, _)| own == key);
            let place = place.ok_or_else(|| Misfit::Key(key.clone()))?;
            if placeholders(english(place)) != placeholders(text) {
                return Err(Misfit::Placeholders(key.clone()));
            }
            translation.messages.insert(place, text.clone());
        }
        Ok(translation)
    }

    /// Returns the text of a message: the translation's, else the English one.
    pub fn text(&self, place: usize) -> &str {
        self.messages.get(&place).map_or_else(|| english(place), String::as_str)
    }

    /// Returns a text of a mechanism: the translation's, else the English one.
    pub fn of_mechanism<'a>(&'a self, english: &'a str) -> &'a str {
        self.mechanisms.get(english).map_or(english, String::as_str)
    }
}

/// The translation that is shown.
static CHOSEN: OnceLock<Catalogue> = OnceLock::new();

/// Shows a translation from now on; `false` where one was chosen before.
pub fn choose(translation: Catalogue) -> bool {
    CHOSEN.set(translation).is_ok()
}

/// Returns the names between braces.
fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// Returns the text of a message in the chosen language.
fn text(place: usize) -> &'static str {
    CHOSEN.get_or_init(Catalogue::default).text(place)
}

/// Returns a text of a mechanism in the chosen language: its title, a sentence about it, a label or a hint of a parameter.
pub fn of_mechanism(english: &str) -> &str {
    CHOSEN.get_or_init(Catalogue::default).of_mechanism(english)
}

/// Returns the text of a message in English, for documents.
fn english(place: usize) -> &'static str {
    ENGLISH.get(place).map_or("", |(_, text)| text)
}

/// Returns the text with a value for each placeholder.
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
