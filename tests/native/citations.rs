//! Every citation resolves: sections of `docs/theory`, papers in `docs/BIBLIOGRAPHY.md`, links between documents.
//!
//! Comments and strings of the source are read as running text, so that a citation may go over a line's end.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use discreet::release::publication::references::PAPERS;

use crate::support::root;

/// Words before a year that are no author.
const NO_AUTHORS: [&str; 22] = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December", "In", "Since", "Until", "Of", "By", "From", "About", "Excel", "Copyright",
    "Edition",
];

/// Sources that examples invent.
const INVENTED: [(&str, u32); 2] = [("Smith", 2020), ("Jones", 2021)];

/// A text file as words, each with its line from 1.
struct Text {
    /// From the root of the repository.
    path: String,
    words: Vec<(usize, String)>,
}

impl Text {
    fn new(path: String, content: &str) -> Self {
        let rust = Path::new(&path).extension().is_some_and(|ending| ending == "rs" || ending == "mjs");
        let mut words = Vec::new();
        for (line, text) in content.lines().enumerate() {
            let mut text = text.trim();
            if rust {
                text = text.trim_start_matches("//").trim_start_matches(['/', '!']).trim_end_matches('\\');
            }
            words.extend(text.split_whitespace().map(|word| (line + 1, word.to_owned())));
        }
        Self { path, words }
    }

    fn at(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |(_, word)| word.as_str())
    }

    /// Where a word stands, for a message.
    fn place(&self, index: usize) -> String {
        format!("{}:{}", self.path, self.words[index].0)
    }
}

fn below(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !["corpus", "target", "node_modules", "dist"].contains(&name.as_str()) {
            below(&path, found);
        } else if path.is_file() {
            found.push(path);
        }
    }
}

/// All texts that may cite: the source, the tests, the documents, the page.
fn texts() -> Vec<Text> {
    let mut files = Vec::new();
    for folder in ["src", "tests", "docs", "www", "examples", "benches"] {
        below(&root().join(folder), &mut files);
    }
    below_root(&mut files);
    files.sort();
    files
        .into_iter()
        .filter(|path| {
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            ["rs", "md", "html", "mjs", "toml", "cff"].contains(&ending.as_str())
        })
        .map(|path| (path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/"), path))
        .filter(|(name, _)| name != "tests/native/citations.rs")
        .map(|(name, path)| Text::new(name, &fs::read_to_string(path).unwrap()))
        .collect()
}

fn below_root(files: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(root()).unwrap().map(|entry| entry.unwrap().path());
    files.extend(entries.filter(|path| path.is_file()));
}

/// The headings of a Markdown document, without the signs.
fn headings(markdown: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        let title = line.trim_start_matches('#');
        if !fenced && title.len() < line.len() && title.starts_with(' ') {
            found.push(title.trim().to_owned());
        }
    }
    found
}

/// The anchor that a heading gets: lower case, spaces as hyphens, without other signs.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|sign| sign.is_alphanumeric() || [' ', '-', '_'].contains(sign));
    kept.collect::<String>().to_lowercase().replace(' ', "-")
}

/// The numbered sections of each chapter of the theory.
fn sections() -> BTreeMap<String, BTreeSet<String>> {
    let mut files = Vec::new();
    below(&root().join("docs/theory"), &mut files);
    let chapters = files.into_iter().filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    chapters
        .map(|path| {
            let numbers = headings(&fs::read_to_string(&path).unwrap())
                .iter()
                .filter_map(|heading| heading.split(' ').next().map(str::to_owned))
                .filter(|number| is_number(number))
                .collect();
            (path.file_stem().unwrap().to_string_lossy().into_owned(), numbers)
        })
        .collect()
}

/// `3` or `3.2`.
fn is_number(word: &str) -> bool {
    let mut parts = word.split('.');
    let digits =
        |part: &str| !part.is_empty() && part.len() < 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    parts.next().is_some_and(digits) && parts.next().is_none_or(digits) && parts.next().is_none()
}

fn bare(word: &str) -> &str {
    word.trim_matches(|sign: char| !sign.is_alphanumeric())
}

/// Sections that a text cites: the word's index, chapter and number; the number is empty where a chapter is cited whole.
fn cited(text: &Text) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    for (index, (_, word)) in text.words.iter().enumerate() {
        let Some((before, after)) = word.split_once("theory/") else { continue };
        if before.ends_with(|sign: char| sign.is_alphanumeric() || sign == '/') {
            // A path, which the file system or the links' test resolves.
            continue;
        }
        let name: String =
            after.chars().take_while(|sign| sign.is_ascii_lowercase() || *sign == '-').collect();
        let rest = &after[name.len()..];
        if name.is_empty() || rest.starts_with(".md") {
            continue;
        }
        if !rest.is_empty() || !is_number(bare(text.at(index + 1))) {
            found.push((index, name, String::new()));
            continue;
        }
        found.push((index, name.clone(), bare(text.at(index + 1)).to_owned()));
        // `theory/noise 3.1, 3.2 and 3.4`.
        let mut last = index + 1;
        loop {
            let joined = ["and", "to", "or"].contains(&text.at(last + 1));
            let next = last + if joined { 2 } else { 1 };
            let number = bare(text.at(next));
            if !(joined || text.at(last).ends_with(',')) || !number.contains('.') || !is_number(number) {
                break;
            }
            found.push((next, name.clone(), number.to_owned()));
            last = next;
        }
    }
    found
}

#[test]
fn every_section_of_the_theory_that_is_cited_exists() {
    let sections = sections();
    let mut lost = Vec::new();
    let mut count = 0;
    for text in texts() {
        for (index, chapter, number) in cited(&text) {
            count += 1;
            let known =
                sections.get(&chapter).is_some_and(|numbers| number.is_empty() || numbers.contains(&number));
            if !known {
                lost.push(format!("{}: theory/{chapter} {number}", text.place(index)));
            }
        }
    }
    assert!(count > 100, "the citations were not found");
    assert!(lost.is_empty(), "no such section:\n{}", lost.join("\n"));
}

/// A surname: a capital, then letters, at least one of them small.
fn surname(word: &str) -> Option<&str> {
    let word = word.trim_start_matches(|sign: char| !sign.is_alphanumeric()).trim_end_matches(',');
    let word = word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s")).unwrap_or(word);
    let letters = word.chars().all(|sign| sign.is_alphabetic() || ['-', '\'', '\u{2019}'].contains(&sign));
    let form = word.starts_with(char::is_uppercase) && word.chars().any(char::is_lowercase);
    (letters && form).then_some(word)
}

/// 1900 to 2099, whatever stands around it.
fn year(word: &str) -> Option<u32> {
    let inside = word.trim_start_matches('(');
    let digits: String = inside.chars().take_while(char::is_ascii_digit).collect();
    let rest = &inside[digits.len()..];
    let ends = rest.is_empty() || rest.starts_with([')', ',', ';', '.', ':', '*', '\'', '"', '?']);
    let number = digits.parse().ok().filter(|_| digits.len() == 4 && ends)?;
    (1900..2100).contains(&number).then_some(number)
}

/// Who is cited, in order; whether others follow; and the year.
type Paper = (Vec<String>, bool, u32);

fn papers(text: &Text) -> Vec<(usize, Paper)> {
    let mut found = Vec::new();
    for index in 1..text.words.len() {
        let Some(year) = year(text.at(index)) else { continue };
        let mut last = index - 1;
        let others = text.at(last).trim_end_matches(',') == "al." && last >= 2 && text.at(last - 1) == "et";
        if others {
            last -= 2;
        }
        let Some(name) = surname(text.at(last)) else { continue };
        if NO_AUTHORS.contains(&name)
            || !others && text.at(last) != name && text.at(last).ends_with(['.', ':'])
        {
            continue;
        }
        let mut names = vec![name.to_owned()];
        loop {
            let joined = last >= 2 && ["and", "&"].contains(&text.at(last - 1)) && names.len() == 1;
            let Some(before) = last.checked_sub(if joined { 2 } else { 1 }) else { break };
            let word = text.at(before);
            let Some(name) = surname(word).filter(|_| joined || word.ends_with(',')) else { break };
            names.insert(0, name.to_owned());
            last = before;
        }
        found.push((index, (names, others, year)));
    }
    found
}

/// The bold keys of the bibliography.
fn bibliography() -> Vec<Paper> {
    let text = fs::read_to_string(root().join("docs/BIBLIOGRAPHY.md")).unwrap();
    let keys =
        text.lines().filter_map(|line| Some(line.strip_prefix("- **")?.split_once("**")?.0.to_owned()));
    keys.map(|key| {
        let (names, year) = key.rsplit_once(" (").unwrap_or_else(|| panic!("{key} has no year"));
        let names = names.replace(" and ", ", ");
        let names = names.split(", ").map(|name| name.rsplit(' ').next().unwrap_or_default().to_owned());
        (names.collect(), false, year.trim_end_matches(')').parse().unwrap())
    })
    .collect()
}

/// Whether an entry is the paper that is cited.
fn is_entry((names, others, year): &Paper, (authors, _, printed): &Paper) -> bool {
    let all = names.len() == authors.len() || *others && names.len() < authors.len();
    year == printed && all && authors.starts_with(names)
}

#[test]
fn every_paper_that_is_cited_is_in_the_bibliography() {
    let entries = bibliography();
    assert!(entries.len() > 40, "the bibliography was not read");
    let mut lost = Vec::new();
    let mut used = BTreeSet::new();
    for text in texts().iter().filter(|text| text.path != "docs/BIBLIOGRAPHY.md") {
        for (index, paper) in papers(text) {
            let invented = INVENTED.iter().any(|(name, year)| paper.0 == [*name] && paper.2 == *year);
            match entries.iter().position(|entry| is_entry(&paper, entry)) {
                Some(place) => _ = used.insert(place),
                None if invented => {}
                None => lost.push(format!("{}: {} {}", text.place(index), paper.0.join(", "), paper.2)),
            }
        }
    }
    assert!(
        lost.is_empty(),
        "not in docs/BIBLIOGRAPHY.md, or other authors or years there:\n{}",
        lost.join("\n")
    );
    let idle: Vec<_> = entries.iter().enumerate().filter(|(place, _)| !used.contains(place)).collect();
    assert!(idle.is_empty(), "nothing cites these entries: {idle:?}");
}

/// An old form of a citation that starts at a word.
fn old_form(text: &Text, index: usize) -> Option<String> {
    let word = text.at(index);
    let next = text.at(index + 1);
    let lower = word.to_lowercase();
    if lower.contains("noise-and-accounting") {
        return Some(word.to_owned());
    }
    if bare(&lower) == "the" && ["contract", "contract's"].contains(&bare(next)) {
        return Some(format!("{word} {next}"));
    }
    if word == "(contract," {
        return Some(word.to_owned());
    }
    let number = bare(next);
    if ["primo", "pmt", "sheffet"].contains(&bare(&lower)) && number.contains('.') && is_number(number) {
        return Some(format!("{word} {next}"));
    }
    // `[A5]`, `(B10, v)`.
    let inside = word.strip_prefix(['[', '('])?;
    let digits: String = inside.chars().skip(1).take_while(char::is_ascii_digit).collect();
    let letter = inside.starts_with(['A', 'B', 'C', 'D', 'E']);
    let rest = inside.get(1 + digits.len()..)?;
    let closed = rest.is_empty() || rest.starts_with([']', ')', ',', ';', ':']);
    (letter && !digits.is_empty() && digits.len() < 3 && closed).then(|| word.to_owned())
}

#[test]
fn no_citation_has_a_form_that_nobody_can_open() {
    let mut found = Vec::new();
    for text in texts() {
        for index in 0..text.words.len() {
            found.extend(old_form(&text, index).map(|form| format!("{}: {form}", text.place(index))));
        }
    }
    assert!(found.is_empty(), "cite docs/theory or a paper instead:\n{}", found.join("\n"));
}

/// The targets of a document's links, with their lines.
fn links(markdown: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut found = Vec::new();
    for (line, text) in markdown.lines().enumerate() {
        if text.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // What stands between backquotes is no link.
        let plain: String = text.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for piece in plain.split("](").skip(1) {
            let target = piece.split(')').next().unwrap_or_default();
            found.push((line + 1, target.split(' ').next().unwrap_or_default().to_owned()));
        }
    }
    found
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut files = Vec::new();
    below(&root().join("docs"), &mut files);
    below_root(&mut files);
    let mut lost = Vec::new();
    for path in files.iter().filter(|path| path.extension().is_some_and(|ending| ending == "md")) {
        for (line, target) in links(&fs::read_to_string(path).unwrap()) {
            if target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let (file, place) = target.split_once('#').unwrap_or((&target, ""));
            let other = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
            let known = match fs::read_to_string(&other) {
                Ok(text) => {
                    place.is_empty() || headings(&text).iter().any(|heading| anchor(heading) == place)
                }
                Err(_) => place.is_empty() && other.exists(),
            };
            if !known {
                lost.push(format!("{}:{line}: {target}", path.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(lost.is_empty(), "no such file or heading:\n{}", lost.join("\n"));
}

#[test]
fn what_is_wrong_is_seen() {
    let text = |words: &str| Text::new("a.rs".to_owned(), words);
    let chapters = |words: &str| -> Vec<(String, String)> {
        cited(&text(words)).into_iter().map(|(_, chapter, number)| (chapter, number)).collect()
    };
    let pair = |chapter: &str, number: &str| (chapter.to_owned(), number.to_owned());
    assert_eq!(
        chapters("/// (theory/noise\n/// 3.1, 3.2 and 4.1)."),
        [pair("noise", "3.1"), pair("noise", "3.2"), pair("noise", "4.1"),]
    );
    assert_eq!(chapters("`theory/wishart`, see docs/theory/noise.md"), [pair("wishart", "")]);
    let known = bibliography();
    let resolves = |words: &str| -> Vec<bool> {
        let found = papers(&text(words)).into_iter();
        found.map(|(_, paper)| known.iter().any(|entry| is_entry(&paper, entry))).collect()
    };
    assert_eq!(
        resolves("(Canonne, Kamath,\n// Steinke 2020; Balle and Wang (2018), theorem 8)"),
        [true, true]
    );
    assert_eq!(
        resolves("Doroshenko et al. 2022, Balle and Wing (2018), Canonne (2020)"),
        [true, false, false]
    );
    assert!(papers(&text("In 2020 and 3 May 2021, of RFC 2000")).is_empty());
    for old in
        ["noise-and-accounting, B3", "(primo 1.11)", "The contract's", "[A5]", "(B10, v)", "Sheffet, 3.1"]
    {
        let old = text(old);
        assert!((0..old.words.len()).any(|index| old_form(&old, index).is_some()), "{:?}", old.words);
    }
    assert_eq!(anchor("1.2 What the promise assumes"), "12-what-the-promise-assumes");
    assert_eq!(links("[a](b.md#c) and `[d](e)`"), [(1, "b.md#c".to_owned())]);
}

#[test]
fn a_draft_cites_papers_as_the_bibliography_has_them() {
    let text = fs::read_to_string(root().join("docs/BIBLIOGRAPHY.md")).unwrap();
    // A link is printed as its words.
    let words = |line: &str| {
        let parts = line.replace('*', "").replace("](", "[");
        parts
            .split('[')
            .map(|part| {
                part.split_once(')').filter(|_| part.starts_with("http")).map_or(part, |(_, rest)| rest)
            })
            .collect::<String>()
    };
    let entries: Vec<String> = text.lines().filter_map(|line| line.strip_prefix("- ")).map(words).collect();
    for paper in PAPERS {
        assert!(entries.iter().any(|entry| entry.starts_with(paper)), "{paper}");
    }
}
