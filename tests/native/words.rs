//! The catalogue of the page's words: it is the only home of a sentence, every message is used, and a translation can take its place.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use discreet::words::{Catalogue, ENGLISH, Misfit, check, data, page, samples, step};

/// Files whose sentences are data of a plan, or belong to the mechanisms' own table.
const DATA: [&str; 4] = ["presets.rs", "variants.rs", "groups.rs", "parameters.rs"];

/// What comes before a string that nobody reads: classes and reasons of lints.
const UNREAD: [&str; 3] = ["class=", "reason = ", "(\"check-"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn sources(folder: &str) -> Vec<(String, String)> {
    let mut files = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut files);
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    files.into_iter().map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect()
}

fn placeholders(text: &str) -> BTreeSet<&str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name).collect()
}

/// The words of a section and its message, with its count left out.
fn stem(key: &str) -> &str {
    key.strip_suffix(".one").or_else(|| key.strip_suffix(".other")).unwrap_or(key)
}

/// Two words after each other inside a string of one line, and what stands before the string.
fn sentences(code: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let parts: Vec<&str> = line.split('"').collect();
        for (place, text) in parts.iter().enumerate().filter(|(place, _)| place % 2 == 1) {
            let words: Vec<&str> = text.split(' ').collect();
            let is_word = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_alphabetic());
            if words.windows(2).any(|pair| is_word(pair[0].trim_end_matches([',', '.'])) && is_word(pair[1]))
            {
                let before: usize = parts[..place].iter().map(|part| part.len() + 1).sum();
                found.push((&line[..before], *text));
            }
        }
    }
    found
}

/// Messages of the section `note` that are a part of another.
const PARTS_OF_NOTES: [&str; 11] = [
    "note.public_table", "note.public_release", "note.clipped_few", "note.clipped_outcome",
    "note.heavy_penalty_term", "note.list_and", "note.list_more", "note.bounds_of", "note.bounds_more",
    "note.robust_of_outcome", "note.long_tail_of",
];

#[test]
fn each_note_is_whole_sentences_on_one_line() {
    let notes = ENGLISH.iter().filter(|(key, _)| key.starts_with("note."));
    for (key, text) in notes.filter(|(key, _)| !PARTS_OF_NOTES.contains(key)) {
        assert!(text.ends_with('.') && !text.contains("  ") && !text.contains('\n'), "{key}: {text}");
    }
}

#[test]
fn no_sentence_of_the_page_is_outside_the_catalogue() {
    let mut strays = Vec::new();
    for (name, code) in sources("src/ui") {
        let code = code.split("#[cfg(test)]\nmod tests {").next().unwrap();
        if DATA.contains(&name.as_str()) || name == "tests.rs" || code.contains("r#\"") {
            continue;
        }
        for (before, text) in sentences(code) {
            if !UNREAD.iter().any(|sign| format!("{before}{text}").contains(sign)) {
                strays.push(format!("{name}: {text}"));
            }
        }
    }
    assert_eq!(strays, [""; 0], "a sentence belongs into src/words/en.json");
}

/// Folders whose sentences stand in the catalogue. The words of a mechanism stand in its folder, and those that only the command line
/// prints beside its commands.
const CATALOGUED: [&str; 10] = [
    "src/data", "src/engine", "src/inference", "src/math", "src/model", "src/noise", "src/plan",
    "src/privacy", "src/store", "src/worker",
];

/// Signs of a text that only a developer reads: a reason of a lint, a fault of the program itself, a rustdoc, what a reader of JSON says.
const DEVELOPERS: [&str; 7] =
    ["reason = ", "Internal(", ".expect(", "\"μ of ", "(\"an object", "(\"a number, or", "\"duplicate field"];

/// Files whose sentences are no message: the ranges of a mechanism's parameters, a build that is refused, a label of a hash, and the words
/// that a person has to type.
const NO_MESSAGES: [&str; 6] = ["params.rs", "mutants.rs", "key.rs", "people.rs", "minhash.rs", "promise.rs"];

#[test]
fn no_sentence_of_an_error_is_outside_the_catalogue() {
    let mut strays = Vec::new();
    for (name, code) in sources("src") {
        for attribute in code.split("#[error(").skip(1) {
            let text = attribute.trim_start().strip_prefix('"').and_then(|text| text.split_once('"'));
            let letters =
                text.map(|(text, _)| text.split('{').map(|part| part.split_once('}').map_or(part, |p| p.1)));
            if letters.is_some_and(|mut parts| parts.any(|part| part.contains(char::is_alphabetic))) {
                strays.push(format!("{name}: {}", attribute.lines().next().unwrap()));
            }
        }
    }
    for (name, code) in CATALOGUED.iter().flat_map(|folder| sources(folder)) {
        let end = ["mod ", "pub(crate) mod "]
            .iter()
            .filter_map(|head| code.find(&format!("#[cfg(test)]\n{head}")))
            .min();
        let code = &code[..end.unwrap_or(code.len())];
        if name == "tests.rs" || NO_MESSAGES.contains(&name.as_str()) {
            continue;
        }
        for (before, text) in sentences(code) {
            if !DEVELOPERS.iter().any(|sign| format!("{before}{text}").contains(sign)) {
                strays.push(format!("{name}: {text}"));
            }
        }
    }
    assert_eq!(strays, [""; 0], "a sentence belongs into src/words/en.json");
}

#[test]
fn every_message_is_used() {
    let code: String = sources("src").into_iter().map(|(_, code)| code).collect();
    let code = code.split_whitespace().collect::<String>();
    let calls: BTreeSet<&str> = code
        .split("words::")
        .skip(1)
        .map(|rest| rest.split(|c: char| c != ':' && c != '_' && !c.is_ascii_alphanumeric()).next().unwrap())
        .collect();
    let unused: Vec<&str> = ENGLISH
        .iter()
        .map(|(key, _)| *key)
        .filter(|key| !calls.contains(stem(key).replace('.', "::").as_str()))
        .collect();
    assert_eq!(unused, [""; 0]);
}

#[test]
fn both_numbers_of_a_message_fill_the_same_places() {
    let texts: BTreeMap<&str, &str> = ENGLISH.iter().copied().collect();
    for (key, text) in ENGLISH {
        let Some(one) = key.strip_suffix(".other").and_then(|stem| texts.get(format!("{stem}.one").as_str()))
        else {
            assert!(!key.ends_with(".other"), "{key} has no text for one");
            continue;
        };
        let (mut many, one) = (placeholders(text), placeholders(one));
        assert!(one.is_subset(&many), "{key}");
        many.remove("count");
        assert!(many.is_subset(&one), "{key}");
    }
}

#[test]
fn a_translation_takes_the_place_of_english() {
    let pseudo: BTreeMap<String, String> =
        ENGLISH.iter().map(|(key, text)| ((*key).to_owned(), format!("«{text}»"))).collect();
    let translated = Catalogue::parse(&serde_json::to_string(&pseudo).unwrap()).unwrap();
    let english = Catalogue::default();
    for (place, (_, text)) in ENGLISH.iter().enumerate() {
        assert_eq!((english.text(place), translated.text(place)), (*text, format!("«{text}»").as_str()));
    }
    let one = |key: &str, text: &str| Catalogue::new(&[(key.to_owned(), text.to_owned())].into());
    assert_eq!(one("page.nowhere", "x"), Err(Misfit::Key("page.nowhere".to_owned())));
    assert!(matches!(Catalogue::parse("[]"), Err(Misfit::Json(_))));
    assert_eq!(one("page.one_in", "jeder"), Err(Misfit::Placeholders("page.one_in".to_owned())));
    let mechanism = one("mechanism: Linear regression", "Lineare Regression").unwrap();
    assert_eq!(mechanism.of_mechanism("Linear regression"), "Lineare Regression");
    assert_eq!(mechanism.of_mechanism("Gradient descent"), "Gradient descent");
    let partly = one("page.one_in", "eins zu {number}").unwrap();
    let place = |key: &str| ENGLISH.iter().position(|(own, _)| *own == key).unwrap();
    assert_eq!(partly.text(place("page.one_in")), "eins zu {number}");
    assert_eq!(partly.text(place("page.close")), "Close", "what is not translated stays English");
}

/// `index.html` shows the first step while the module loads.
#[test]
fn what_is_shown_while_the_page_loads_has_its_words() {
    let document = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("index.html")).unwrap();
    let (_, rest) = document.split_once("<div id=\"boot\"").unwrap();
    let (first, _) = rest.split_once("<section").unwrap();
    let texts = first.split('<').filter_map(|part| part.split_once('>')).map(|(_, text)| text.trim());
    let found: Vec<&str> = texts.filter(|text| !text.is_empty() && *text != "&nbsp;").collect();
    let short = |text: &'static str| text.split_once(": ").unwrap().0;
    let sample = format!("{}:", data::sample());
    let promise = format!("{} {} {}", data::promise(), data::check(), check::offer());
    let expected = [
        page::name(),
        page::tagline(),
        step::data(),
        data::no_table_yet(),
        step::columns(),
        step::privacy(),
        step::method(),
        step::result(),
        step::data_title(),
        step::data_chapter(),
        data::what(),
        data::choose(),
        data::drop(),
        data::forms(),
        &sample,
        short(samples::blood_pressure()),
        short(samples::diabetes()),
        data::open(),
        &promise,
        check::title(),
        ".",
    ];
    assert_eq!(found, expected);
    assert!(first.contains(&format!("placeholder=\"{}\"", data::paste_cells())));
}
