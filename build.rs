//! Makes a function of each message of the catalogue.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Every sentence that the program says, in English.
const WORDS: &str = "src/words/en.json";

/// The words of the field, which the documentation and the page explain in the same sentences.
const GLOSSARY: &str = "docs/GLOSSARY.md";

/// The section whose messages stand in documents, which are English whatever language is shown.
const DOCUMENTS: &str = "note";

fn main() -> Result<()> {
    println!("cargo:rerun-if-changed={WORDS}");
    let made = words(&messages(&fs::read_to_string(WORDS)?)?);
    let made_in = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(made_in.join("words.rs"), made)?;
    println!("cargo:rerun-if-changed={GLOSSARY}");
    fs::write(made_in.join("glossary.rs"), glossary(&fs::read_to_string(GLOSSARY)?))?;
    fs::write(made_in.join("page.rs"), page()?)
}

/// The files of the page that `discreet page` serves: those of the folder `DISCREET_PAGE`, if it is set.
fn page() -> Result<String> {
    println!("cargo:rerun-if-env-changed=DISCREET_PAGE");
    let mut files = Vec::new();
    let folder = env::var_os("DISCREET_PAGE").map(fs::canonicalize).transpose()?;
    if let Some(folder) = &folder {
        println!("cargo:rerun-if-changed={}", folder.display());
        collect(folder, &mut files)?;
        files.sort();
    }
    let mut text = "static PAGE: &[(&str, &[u8])] = &[\n".to_owned();
    for file in &files {
        let name = file.strip_prefix(folder.as_deref().unwrap_or(Path::new(""))).map_err(Error::other)?;
        let name = name.to_string_lossy().replace('\\', "/");
        let _ = writeln!(text, "    ({name:?}, include_bytes!({file:?})),");
    }
    text.push_str("];\n");
    Ok(text)
}

/// The messages by their keys. The file is one flat object of strings, a message a line.
fn messages(json: &str) -> Result<BTreeMap<String, String>> {
    let lines = json.lines().map(str::trim).filter(|line| !matches!(*line, "{" | "}" | ""));
    let message = |line: &str| {
        let line = line.strip_suffix(',').unwrap_or(line);
        let (key, text) = line.strip_prefix('"')?.strip_suffix('"')?.split_once("\": \"")?;
        Some((key.to_owned(), text.replace("\\\"", "\"").replace("\\\\", "\\")))
    };
    let wrong = |line: &str| Error::other(format!("{WORDS}: not a message: {line}"));
    lines.map(|line| message(line).ok_or_else(|| wrong(line))).collect()
}

/// A constant for each entry, `**Epsilon (ε).** Sentences. ([section](link))`: what is explained and the sentences, named by the words before a
/// bracket or comma. Of entries with one name the first counts.
fn glossary(markdown: &str) -> String {
    let mut made: BTreeMap<String, (&str, String)> = BTreeMap::new();
    for line in markdown.lines() {
        let Some((head, text)) = line.strip_prefix("**").and_then(|line| line.split_once(".** ")) else {
            continue;
        };
        let short = head.split([',', '(']).next().unwrap_or_default().trim();
        let name: String = short
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' })
            .collect();
        let text = text.split(" ([").next().unwrap_or_default().replace('`', "");
        made.entry(name).or_insert((head, text));
    }
    let mut constants = String::new();
    for (name, (head, text)) in
        made.iter().filter(|(name, _)| name.starts_with(|c: char| c.is_ascii_alphabetic()))
    {
        // A name's own spelling in a plan is left out.
        let head = head.split(" (`").next().unwrap_or(head);
        let _ = writeln!(
            constants,
            "/// {head}\n#[allow(dead_code, reason = \"the page explains some\")]\npub const {name}: super::Gloss = super::Gloss {{ name: {head:?}, text: {text:?} }};"
        );
    }
    constants
}

/// The names between braces, each once, in the order in which they first stand.
fn placeholders(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for (name, _) in text.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A module for each section and a function for each message, over the places of their texts in one table.
fn words(messages: &BTreeMap<String, String>) -> String {
    let places: BTreeMap<&str, usize> = messages.keys().map(String::as_str).zip(0..).collect();
    let mut table = String::from("/// Keys and English texts.\npub const ENGLISH: &[(&str, &str)] = &[\n");
    let mut sections: BTreeMap<&str, String> = BTreeMap::new();
    for (key, text) in messages {
        let _ = writeln!(table, "    ({key:?}, {text:?}),");
        let (section, name) = key.split_once('.').unwrap_or(("page", key));
        let section = sections.entry(section).or_default();
        let place = places[key.as_str()];
        if name.ends_with(".one") {
            continue;
        }
        let (stem, one) = match name.strip_suffix(".other") {
            Some(stem) => (stem, places.get(key.replace(".other", ".one").as_str()).copied()),
            None => (name, None),
        };
        let source = if key.starts_with(&format!("{DOCUMENTS}.")) { "english" } else { "text" };
        let names = placeholders(text);
        let values: String = names.iter().map(|name| format!("({name:?}, &{name}), ")).collect();
        let arguments: String = names.iter().map(|name| format!("{name}: impl super::Display, ")).collect();
        let _ = writeln!(section, "    /// `{text}`\n    #[must_use]");
        let _ = match one {
            Some(one) => writeln!(
                section,
                "    pub fn {stem}(number: usize, {arguments}) -> String {{\n        \
                 super::fill(super::{source}(if number == 1 {{ {one} }} else {{ {place} }}), &[{values}])\n    }}"
            ),
            None if names.is_empty() => {
                writeln!(
                    section,
                    "    pub fn {stem}() -> &'static str {{\n        super::{source}({place})\n    }}"
                )
            }
            None => writeln!(
                section,
                "    pub fn {stem}({arguments}) -> String {{\n        super::fill(super::{source}({place}), &[{values}])\n    }}"
            ),
        };
    }
    let modules = sections
        .iter()
        .map(|(name, body)| format!("/// Messages of `{name}`.\npub mod {name} {{\n{body}}}\n"));
    format!("{table}];\n{}", modules.collect::<String>())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
