//! The source obeys `ARCHITECTURE.md`: who may use whom, and what must not appear where.
//!
//! The arrows are read from the page itself, so that page and code cannot drift. Rust is read token by token; comments do not
//! count, a string is one token with its quotes, and tests inside the source count like any other code except where a test says otherwise.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use discreet::mechanisms::info::all;

use crate::support::root;

/// One token of Rust: a word, a number, a sign or a string. `place` is the module it stands in, outermost first.
#[derive(Debug, Clone)]
struct Token {
    text: String,
    line: usize,
    place: Vec<String>,
}

struct Source {
    /// From the root of the repository, with `/`.
    path: String,
    tokens: Vec<Token>,
}

impl Source {
    /// The room of a file: its first folder or file name under `src`, `None` for `lib.rs`.
    fn room(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/").unwrap();
        let name = inside.split('/').next().unwrap().trim_end_matches(".rs");
        (name != "lib").then_some(name)
    }
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else {
            found.push(path);
        }
    }
    found.sort();
}

fn name_of(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/")
}

fn sources() -> Vec<Source> {
    let mut files = Vec::new();
    files_below(&root().join("src"), &mut files);
    let sources: Vec<Source> = files
        .iter()
        .filter(|path| path.extension().is_some_and(|ending| ending == "rs"))
        .map(|path| read(&name_of(path), &fs::read_to_string(path).unwrap()))
        .collect();
    assert!(sources.len() > 10, "the source was not found");
    sources
}

/// The module that a file is, as seen from the root of its crate.
fn module_of(path: &str) -> Vec<String> {
    let inside = path.strip_prefix("src/").unwrap().trim_end_matches(".rs");
    if inside.starts_with("bin/") {
        return Vec::new();
    }
    let mut parts: Vec<String> = inside.split('/').map(str::to_owned).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib")) {
        parts.pop();
    }
    parts
}

fn read(path: &str, text: &str) -> Source {
    let mut place = module_of(path);
    let mut opened = Vec::new(); // depth of braces at which each inline module began
    let mut depth = 0_usize;
    let mut tokens: Vec<Token> = Vec::new();
    for (text, line) in words(text) {
        match text.as_str() {
            "{" => {
                if let [.., before, name] = tokens.as_slice()
                    && before.text == "mod"
                {
                    opened.push(depth);
                    place.push(name.text.clone());
                }
                depth += 1;
            }
            "}" => {
                depth = depth.saturating_sub(1);
                if opened.last() == Some(&depth) {
                    opened.pop();
                    place.pop();
                }
            }
            _ => {}
        }
        tokens.push(Token { text, line, place: place.clone() });
    }
    Source { path: path.to_owned(), tokens }
}

/// Splits Rust into words, numbers, signs and strings, with their lines. Comments and characters are left out.
fn words(text: &str) -> Vec<(String, usize)> {
    let chars: Vec<char> = text.chars().collect();
    let at = |index: usize| chars.get(index).copied().unwrap_or('\0');
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    let mut line = 1;
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => {
                while i < chars.len() && at(i) != '\n' {
                    i += 1;
                }
            }
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                while i < chars.len() {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
            'b' | 'r' | 'c' | '"' if string_length(&chars[i..]).is_some() => {
                i += string_length(&chars[i..]).unwrap();
                found.push((chars[start..i.min(chars.len())].iter().collect(), line));
            }
            // A lifetime is a quote and a word with no quote after it; all else is a character.
            '\'' if word(at(i + 1)) && at(i + 2) != '\'' => i += 1,
            '\'' => {
                i += if at(i + 1) == '\\' { 3 } else { 2 };
                while i < chars.len() && at(i) != '\'' {
                    i += 1;
                }
                i += 1;
            }
            c if c.is_ascii_digit() => {
                // `1.5` is one number; `1..5`, `1.max(5)` and the `0.1` of `pair.0.1` are not.
                let field = found.last().is_some_and(|(text, _): &(String, usize)| text == ".");
                while word(at(i)) || (at(i) == '.' && at(i + 1).is_ascii_digit() && !field) {
                    i += 1;
                }
                found.push((chars[start..i].iter().collect(), line));
            }
            c if word(c) => {
                while word(at(i)) {
                    i += 1;
                }
                found.push((chars[start..i].iter().collect(), line));
            }
            ':' if at(i + 1) == ':' => {
                i += 2;
                found.push(("::".to_owned(), line));
            }
            c => {
                i += 1;
                if !c.is_whitespace() {
                    found.push((c.to_string(), line));
                }
            }
        }
        line += chars[start..i.min(chars.len())].iter().filter(|&&c| c == '\n').count();
    }
    found
}

/// The length of the string literal at the start, of any kind; `None` where there is none.
fn string_length(chars: &[char]) -> Option<usize> {
    let prefix = chars.iter().take_while(|c| matches!(c, 'b' | 'r' | 'c')).count();
    let raw = chars[..prefix].contains(&'r');
    let hashes = chars[prefix..].iter().take_while(|&&c| c == '#').count();
    if prefix > 2 || (hashes > 0 && !raw) || chars.get(prefix + hashes) != Some(&'"') {
        return None;
    }
    let mut i = prefix + hashes + 1;
    while i < chars.len() {
        match chars[i] {
            '\\' if !raw => i += 1,
            '"' if chars[i + 1..].iter().take_while(|&&c| c == '#').count() >= hashes => {
                return Some(i + 1 + hashes);
            }
            _ => {}
        }
        i += 1;
    }
    Some(chars.len())
}

/// The paths that a file names in this crate, from the root and at most two words deep: room and module, each with its line.
fn paths_named(source: &Source) -> Vec<(Vec<String>, &Token)> {
    let tokens = &source.tokens;
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text.as_str());
    let mut found = Vec::new();
    for i in 0..tokens.len() {
        if i > 0 && text(i - 1) == "::" {
            continue; // inside a path that was looked at from its start
        }
        let mut base;
        let mut next = i + 1;
        match text(i) {
            "crate" | "discreet" if text(next) == "::" => base = Vec::new(),
            "crate" | "discreet" if text(next) == "as" => {
                found.push((vec!["another name for the crate".to_owned()], &tokens[i]));
                continue;
            }
            "super" => {
                base = tokens[i].place.clone();
                base.pop();
                while text(next) == "::" && text(next + 1) == "super" {
                    base.pop();
                    next += 2;
                }
                if text(next) != "::" {
                    continue; // `pub(super)`
                }
            }
            _ => continue,
        }
        branches(tokens, next + 1, &base, &mut found);
    }
    found
}

/// The paths of the tree of names that starts at a token, under a base.
fn branches<'a>(
    tokens: &'a [Token],
    start: usize,
    base: &[String],
    found: &mut Vec<(Vec<String>, &'a Token)>,
) {
    let Some(first) = tokens.get(start) else { return };
    if base.len() >= 2 {
        found.push((base[..2].to_vec(), first));
        return;
    }
    if first.text != "{" {
        let path = [base, std::slice::from_ref(&first.text)].concat();
        match tokens.get(start + 1) {
            Some(sign) if sign.text == "::" && path.len() < 2 => branches(tokens, start + 2, &path, found),
            _ => found.push((path, first)),
        }
        return;
    }
    let mut depth = 0;
    for (index, (token, before)) in tokens[start..].iter().zip(&tokens[start - 1..]).enumerate() {
        if depth == 1 && token.text != "}" && matches!(before.text.as_str(), "{" | ",") {
            branches(tokens, start + index, base, found);
        }
        match token.text.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return;
        }
    }
}

/// The rooms that a file names, each once a line.
fn rooms_named(source: &Source) -> Vec<(String, usize)> {
    let mut rooms: Vec<(String, usize)> =
        paths_named(source).into_iter().map(|(path, token)| (path[0].clone(), token.line)).collect();
    rooms.dedup();
    rooms
}

/// Modules of one room that use each other in a circle, so that none can be read before the others. Tests inside the source may use
/// any module, and a room's own `mod.rs` only lists what is in it.
fn circle_faults(sources: &[Source]) -> Vec<String> {
    let module = |source: &Source| -> Option<(String, String)> {
        let [room, module, ..] = &module_of(&source.path)[..] else { return None };
        Some((room.clone(), module.clone()))
    };
    let mut uses: BTreeMap<(String, String), BTreeSet<(String, String)>> =
        sources.iter().filter_map(module).map(|module| (module, BTreeSet::new())).collect();
    let known: BTreeSet<_> = uses.keys().cloned().collect();
    for source in sources {
        let Some(own) = module(source) else { continue };
        for (path, token) in paths_named(source) {
            let [room, other] = &path[..] else { continue };
            let used = (room.clone(), other.clone());
            let test = token.place.iter().any(|place| place == "tests");
            if *room == own.0 && used != own && known.contains(&used) && !test {
                uses.entry(own.clone()).or_default().insert(used);
            }
        }
    }
    // What uses nothing that is left, or is used by nothing that is left, is in no circle.
    loop {
        let used: BTreeSet<_> = uses.values().flatten().cloned().collect();
        let left: BTreeSet<_> = uses
            .iter()
            .filter(|(own, uses)| !uses.is_empty() && used.contains(own))
            .map(|(own, _)| own.clone())
            .collect();
        if left.len() == uses.len() {
            break;
        }
        uses.retain(|own, _| left.contains(own));
        uses.values_mut().for_each(|uses| uses.retain(|used| left.contains(used)));
    }
    uses.iter()
        .map(|((room, own), uses)| {
            let others: Vec<&str> = uses.iter().map(|(_, other)| other.as_str()).collect();
            format!("`{room}::{own}` is in a circle with {}", others.join(", "))
        })
        .collect()
}

/// The arrows of `ARCHITECTURE.md`: the fenced block of lines `room -> room room` under "Who may use whom".
fn arrows() -> BTreeMap<String, BTreeSet<String>> {
    let page = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = page.split("\n## Who may use whom\n").nth(1).expect("ARCHITECTURE.md has the section");
    let block = section.split("```").nth(1).expect("the section has a fenced block");
    let table: BTreeMap<String, BTreeSet<String>> = block
        .lines()
        .filter_map(|line| line.split_once("->"))
        .map(|(room, used)| (room.trim().to_owned(), used.split_whitespace().map(str::to_owned).collect()))
        .collect();
    assert!(table.len() > 10, "the table was not read");
    table
}

fn arrow_faults(sources: &[Source], arrows: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources {
        let Some(room) = source.room() else { continue };
        let Some(allowed) = arrows.get(room) else {
            faults.push(format!("{}: `{room}` is not in ARCHITECTURE.md", source.path));
            continue;
        };
        for (used, line) in rooms_named(source) {
            if used != room && !allowed.contains(&used) {
                faults.push(format!("{}:{line}: `{room}` may not use `{used}`", source.path));
            }
        }
    }
    faults
}

/// The tokens that fit, in the files that fit.
fn token_faults(
    sources: &[Source],
    file: impl Fn(&str) -> bool,
    token: impl Fn(&[Token], usize) -> bool,
) -> Vec<String> {
    sources
        .iter()
        .filter(|source| file(&source.path))
        .flat_map(|source| {
            (0..source.tokens.len()).filter(|&index| token(&source.tokens, index)).map(|index| {
                format!("{}:{}: `{}`", source.path, source.tokens[index].line, source.tokens[index].text)
            })
        })
        .collect()
}

fn browser_faults(sources: &[Source]) -> Vec<String> {
    const CRATES: [&str; 6] = [
        "web_sys", "js_sys", "wasm_bindgen", // and wasm_bindgen_futures
        "serde_wasm_bindgen", "leptos", "reactive_stores",
    ];
    let allowed = |path: &str| {
        ["src/worker/", "src/store/", "src/ui/"].iter().any(|room| path.starts_with(room))
            && path != "src/worker/protocol.rs"
            || path == "src/bin/app.rs"
    };
    token_faults(
        sources,
        |path| !allowed(path),
        |tokens, index| CRATES.iter().any(|name| tokens[index].text.starts_with(name)),
    )
}

/// The modules that are integers alone.
const EXACT: [&str; 8] = [
    "src/data/moments.rs", "src/math/triangle.rs", "src/model/layout.rs", "src/noise/coins.rs",
    "src/noise/discrete.rs", "src/noise/laplace.rs", "src/noise/rational.rs", "src/privacy/ledger.rs",
];

/// The trusted core is integers. Its tests may use floating point to judge it.
fn float_faults(sources: &[Source]) -> Vec<String> {
    token_faults(
        sources,
        |path| EXACT.contains(&path),
        |tokens, index| {
            let Token { text, place, .. } = &tokens[index];
            let number = text.starts_with(|c: char| c.is_ascii_digit()) && !text.starts_with("0x");
            let after_digits = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_');
            let float_number = number && after_digits.starts_with(['.', 'e', 'E', 'f']);
            (text == "f32" || text == "f64" || float_number) && !place.iter().any(|module| module == "tests")
        },
    )
}

/// What is computed from a table leaves by a release or not at all: nothing below the programs writes to a screen.
fn logging_faults(sources: &[Source]) -> Vec<String> {
    token_faults(
        sources,
        |path| !["src/cli/", "src/worker/", "src/bin/"].iter().any(|room| path.starts_with(room)),
        |tokens, index| {
            let next = tokens.get(index + 1).map_or("", |token| token.text.as_str());
            match tokens[index].text.as_str() {
                "println" | "eprintln" | "print" | "eprint" | "dbg" => next == "!",
                "console" => next == "::",
                "stdout" | "stderr" => next == "(",
                "leptos_log" | "debug_log" | "debug_warn" | "console_log" | "console_error"
                | "console_warn" => true,
                _ => false,
            }
        },
    )
}

/// A plan composed as a whole is no filter, so what admits, charges or calibrates must not know that composition
/// (theory/accounting 4.1, 5): it is for the command line's display alone. So is a curve that is not proved.
fn composition_faults(sources: &[Source]) -> Vec<String> {
    let allowed = [
        "src/privacy/fixed_plan.rs", "src/privacy/pure_bounds.rs", "src/privacy/mod.rs",
        "src/privacy/profile/mod.rs", "src/privacy/profile/orthogonal.rs",
    ];
    let names = ["fixed_plan", "pure_bounds", "additive_wishart_orthogonal_delta"];
    token_faults(
        sources,
        |path| !allowed.contains(&path) && !path.starts_with("src/cli/account/"),
        |tokens, index| names.contains(&tokens[index].text.as_str()),
    )
}

/// One module reads random bytes, so that one module has to be trusted with them.
fn entropy_faults(sources: &[Source]) -> Vec<String> {
    const SOURCES: [&str; 9] = [
        "getrandom", "SysRng", "OsRng", "ThreadRng", "thread_rng", "from_os_rng", "from_entropy",
        "get_random_values_with_u8_array", "random", // js_sys::Math::random, rand::random
    ];
    token_faults(
        sources,
        |path| path != "src/noise/entropy.rs",
        |tokens, index| {
            let Token { text, place, .. } = &tokens[index];
            // `random` is an ordinary word, too: only the function of a module or a type counts.
            let named = text != "random" || index > 0 && tokens[index - 1].text == "::";
            SOURCES.contains(&text.as_str()) && named && !place.iter().any(|module| module == "tests")
        },
    )
}

/// Roads out of the page, wherever `www` and `index.html` could use one.
const ROADS: [&str; 12] = [
    "fetch(", "serviceWorker", "XMLHttpRequest", "sendBeacon", "WebSocket", "EventSource",
    "RTCPeerConnection", "WebTransport", "Math.random", "http://", "https://", "import(",
];

/// The uses that are meant, each with how often and why.
const MEANT: [(&str, &str, usize, &str); 4] = [
    ("www/boot.js", "fetch(", 1, "the files of the page, before the policy narrows"),
    ("www/boot.js", "serviceWorker", 4, "the worker that keeps the page's files, before the policy narrows"),
    ("www/sw.js", "fetch(", 1, "the page's own files, when they are kept and if one is lost"),
    ("index.html", "http://www.w3.org/2000/svg", 1, "the name of a language, not an address to visit"),
];

fn road_faults(files: &[(String, String)]) -> Vec<String> {
    let mut faults = Vec::new();
    for (path, text) in files {
        for road in ROADS {
            let used = text.matches(road).count();
            let meant: usize = MEANT
                .iter()
                .filter(|(file, needle, ..)| file == path && needle.starts_with(road))
                .map(|(_, _, times, _)| times)
                .sum();
            if used != meant {
                faults.push(format!("{path}: `{road}` {used} times, and {meant} are meant"));
            }
        }
    }
    faults
}

/// What a mechanism is stands in its folder: elsewhere its name is in no string.
fn name_faults(sources: &[Source]) -> Vec<String> {
    let names: Vec<&str> = all().map(|info| info.name).collect();
    token_faults(
        sources,
        |path| !path.starts_with("src/mechanisms/"),
        |tokens, index| {
            let Token { text, place, .. } = &tokens[index];
            let quoted = |name: &&str| text.contains(&format!("\"{name}\""));
            text.ends_with(['"', '#'])
                && names.iter().any(quoted)
                && !place.iter().any(|module| module == "tests")
        },
    )
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn arrows_point_down() {
    let arrows = arrows();
    none(&arrow_faults(&sources(), &arrows));
    for (room, used) in &arrows {
        for other in used {
            assert!(arrows.contains_key(other), "`{room}` may use `{other}`, which is no room");
            assert!(!arrows[other].contains(room), "`{room}` and `{other}` may use each other");
        }
    }
}

#[test]
fn modules_of_a_room_use_each_other_in_one_direction() {
    none(&circle_faults(&sources()));
}

#[test]
fn a_circle_of_modules_is_found() {
    let room = |second: &str| {
        [
            read("src/data/csv.rs", "use super::{number::{read, Cell}, raw};"),
            read("src/data/number.rs", second),
            read("src/data/raw.rs", ""),
        ]
    };
    assert_eq!(circle_faults(&room("use crate::data::csv::Record;")).len(), 2);
    none(&circle_faults(&room(
        "mod tests { use super::super::csv; } use super::raw; use crate::privacy::csv;",
    )));
}

#[test]
fn browser_crates_stay_at_the_edge() {
    none(&browser_faults(&sources()));
}

#[test]
fn the_trusted_core_is_integers() {
    none(&float_faults(&sources()));
}

/// In them every operation that could leave its type says what happens then; the linter holds them to it.
#[test]
fn the_trusted_core_says_how_its_arithmetic_ends() {
    for path in EXACT {
        let text = fs::read_to_string(root().join(path)).unwrap();
        assert!(text.contains("\n#![deny(clippy::arithmetic_side_effects)]\n"), "{path}");
    }
    let encode = fs::read_to_string(root().join("src/data/encode.rs")).unwrap();
    assert!(encode.contains("#[deny(clippy::arithmetic_side_effects)]\npub fn within("));
}

#[test]
fn nothing_below_the_programs_writes_to_a_screen() {
    none(&logging_faults(&sources()));
}

#[test]
fn one_module_reads_random_bytes() {
    none(&entropy_faults(&sources()));
}

#[test]
fn nothing_is_admitted_by_the_composition_of_a_fixed_plan() {
    none(&composition_faults(&sources()));
}

#[test]
fn a_mechanism_is_named_in_its_folder_alone() {
    none(&name_faults(&sources()));
}

#[test]
fn the_page_has_no_road_out() {
    let mut files = Vec::new();
    files_below(&root().join("www"), &mut files);
    files.push(root().join("index.html"));
    let text: Vec<(String, String)> = files
        .iter()
        .filter(|path| {
            path.extension().is_some_and(|ending| {
                ["js", "mjs", "html", "css", "webmanifest"].iter().any(|one| ending == *one)
            })
        })
        .map(|path| (name_of(path), fs::read_to_string(path).unwrap()))
        .collect();
    none(&road_faults(&text));
}

/// Each rule above, seen to find what it forbids: a planted line and where it stands.
#[test]
fn every_rule_finds_a_planted_fault() {
    type Rule = fn(&[Source]) -> Vec<String>;
    fn by_arrows(sources: &[Source]) -> Vec<String> {
        arrow_faults(sources, &arrows())
    }
    let planted: [(Rule, &str, &str); 28] = [
        (by_arrows, "src/math/special.rs", "use crate::noise::law;"),
        (by_arrows, "src/math/special.rs", "fn f() { crate::plan::check(); }"),
        (by_arrows, "src/noise/law.rs", "use crate::{math::round, data::{csv, encode}};"),
        (by_arrows, "src/data/csv.rs", "use super::super::engine;"),
        (by_arrows, "src/data/mod.rs", "use super::release::Release;"),
        (
            by_arrows,
            "src/privacy/ledger.rs",
            "mod inner { mod tests { use super::super::super::super::data; } }",
        ),
        (by_arrows, "src/privacy/ledger.rs", "use crate::pld::pld_delta;"),
        (by_arrows, "src/engine/release.rs", "use crate::pld::pld_delta;"),
        (by_arrows, "src/bin/app.rs", "use discreet::mechanisms;"),
        (by_arrows, "src/data/csv.rs", "use crate as all;"),
        (by_arrows, "src/data/csv.rs", "use crate::*;"),
        (by_arrows, "src/attic/mod.rs", ""),
        (browser_faults, "src/worker/protocol.rs", "use wasm_bindgen_futures::JsFuture;"),
        (browser_faults, "src/engine/mod.rs", "fn f() { web_sys::window(); }"),
        (float_faults, "src/data/moments.rs", "struct Sum(f64);"),
        (float_faults, "src/noise/discrete.rs", "const HALF: Half = half(0.5);"),
        (float_faults, "src/privacy/ledger.rs", "fn f() { one(1f64); }"),
        (float_faults, "src/privacy/ledger.rs", "fn f() { one(1e6); }"),
        (logging_faults, "src/data/csv.rs", "fn f(cell: &str) { println!(\"{cell}\"); }"),
        (logging_faults, "src/ui/app.rs", "fn f() { web_sys::console::log_1(&x); }"),
        (logging_faults, "src/engine/mod.rs", "fn f() { dbg!(x); }"),
        (composition_faults, "src/privacy/ledger.rs", "use super::fixed_plan::mix_delta;"),
        (composition_faults, "src/engine/mod.rs", "fn f() { crate::privacy::pure_bounds::basic_eps(); }"),
        (
            composition_faults,
            "src/mechanisms/ols.rs",
            "use crate::privacy::profile::additive_wishart_orthogonal_delta;",
        ),
        (entropy_faults, "src/mechanisms/ols.rs", "fn f() { getrandom::fill(&mut bytes); }"),
        (entropy_faults, "src/ui/app.rs", "fn f() { js_sys::Math::random(); }"),
        (name_faults, "src/ui/app.rs", "fn f(name: &str) -> bool { name == \"analyze-gauss\" }"),
        (name_faults, "src/inference/fits.rs", "const PLAN: &str = r#\"{\"name\": \"ols\"}\"#;"),
    ];
    for (rule, path, text) in planted {
        assert_eq!(rule(&[read(path, text)]).len(), 1, "not found, or found twice: {text}");
    }
    for road in ROADS {
        let line = format!("x = {road}y");
        assert_eq!(road_faults(&[("www/app.js".to_owned(), line)]).len(), 1, "{road}");
    }
    let once_and_twice = "serviceWorker serviceWorker serviceWorker serviceWorker fetch(a) fetch(b)";
    assert_eq!(road_faults(&[("www/boot.js".to_owned(), once_and_twice.to_owned())]).len(), 1);
}

/// And lets pass what only looks like it.
#[test]
fn no_rule_finds_what_is_allowed() {
    let text = r##"
        //! Never `crate::engine`, web_sys or f64; println!("x").
        /* use crate::engine; /* nested */ f64 */
        use super::encode::{self, row};
        use crate::{math::round as up, plan};
        pub(crate) fn f<'a>(x: &'a str) -> char { let _ = (1..5, 1.max(2), x.print(), 0xf64, 1usize, x.0.1); '\'' }
        const A: &str = "crate::engine \" f64"; const B: &str = r#"web_sys " 1.5"#; const C: u8 = b'"';
        macro_rules! m { () => { $crate::math::round::up() } }
        #[cfg(test)] mod tests { use super::*; fn near(x: f64) -> bool { x < 1.5 } }
    "##;
    for path in ["src/data/moments.rs", "src/data/csv.rs"] {
        let source = [read(path, text)];
        none(&arrow_faults(&source, &arrows()));
        none(&browser_faults(&source));
        none(&float_faults(&source));
        none(&logging_faults(&source));
        none(&entropy_faults(&source));
        none(&composition_faults(&source));
        none(&name_faults(&source));
    }
}
