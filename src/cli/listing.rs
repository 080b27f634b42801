//! The command `discreet mechs`: what mechanisms there are, and the parameters of one.

use std::ffi::OsString;
use std::fmt::Write as _;

use super::args::Args;
use super::error::CliError;
use super::{help, print};
use crate::mechanisms::Info;
use crate::mechanisms::info::{GROUPS, all, find};
use crate::model::Assurance;
use crate::plan::params::Parameter;

/// Runs the command.
///
/// # Errors
/// [`CliError`] for a name that no mechanism has.
pub fn run(arguments: Vec<OsString>) -> Result<(), CliError> {
    let (named, rest): (Vec<_>, Vec<_>) =
        arguments.into_iter().partition(|argument| !argument.to_string_lossy().starts_with('-'));
    let Some(args) = Args::parse(rest, &[], &["markdown"], help::MECHS)? else { return Ok(()) };
    let markdown = args.flag("markdown");
    match &*named {
        [] if markdown => print(document()),
        [] => print(list()),
        [name] => {
            let name = name.to_string_lossy();
            let info = find(&name).ok_or_else(|| {
                CliError::usage(format!("`{name}` is no mechanism; `discreet mechs` lists them"))
            })?;
            print(if markdown { section(info) } else { entry(info) })
        }
        [_, extra, ..] => Err(CliError::usage(format!(
            "`{}` is one argument too many; give one name",
            extra.to_string_lossy()
        ))),
    }
}

/// Returns the groups with their mechanisms, then the references without privacy.
fn groups() -> impl Iterator<Item = (&'static str, Vec<&'static Info>)> {
    let members = |group| all().filter(move |info| info.group == group).collect();
    let named = GROUPS.iter().map(move |group| (group.title, members(Some(*group))));
    named.chain(std::iter::once(("Without privacy, for `simulate` alone", members(None))))
}

fn list() -> String {
    let width = all().map(|info| info.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for (title, members) in groups() {
        let _ = writeln!(text, "{title}");
        for info in members {
            let _ = writeln!(text, "  {:width$}  {}", info.name, info.title);
        }
        text.push('\n');
    }
    text.push_str("`discreet mechs NAME` explains one.\n");
    text
}

/// Returns what the weakest proof of a mechanism's releases covers.
const fn proof(assurance: Assurance) -> &'static str {
    match assurance {
        Assurance::Exact => "The proof covers the arithmetic that runs (EXACT).",
        Assurance::Bounded => "What the arithmetic adds to the proof is bounded and is in delta (BOUNDED).",
        Assurance::Idealised => "The proof is for arithmetic on real numbers (IDEALISED).",
        Assurance::Demo => "There is no proof, because there is no privacy (DEMO).",
    }
}

fn entry(info: &Info) -> String {
    let Info { name, title, summary, prefer, guarantee, source, .. } = info;
    let mut text = format!(
        "{name}: {title}\n\n{summary}\n{prefer}\n\n{guarantee}\n{}\nFrom: {source}\n",
        proof(info.assurance)
    );
    if info.parameters.is_empty() {
        text.push_str("\nIt has no parameters.\n");
        return text;
    }
    text.push_str("\nParameters:\n");
    for parameter in info.parameters {
        let Parameter { name, label, default, .. } = parameter;
        let _ = writeln!(text, "  {name}\n      {label}: {}. Default: {default}", parameter.explained());
    }
    text
}

fn section(info: &Info) -> String {
    let Info { name, title, summary, guarantee, source, .. } = info;
    let mut text = format!(
        "#### `{name}`: {title}\n\n{summary} {guarantee} {}\n\nSource: {source}.\n\n",
        proof(info.assurance)
    );
    text.push_str("| parameter | what it is | values | default |\n| --- | --- | --- | --- |\n");
    for parameter in info.parameters {
        let Parameter { name, label, default, .. } = parameter;
        let _ = writeln!(text, "| `{name}` | {label} | {} | {default} |", parameter.explained());
    }
    text.push('\n');
    text
}

/// Returns the tables of the documentation.
fn document() -> String {
    let mut text = String::new();
    for (title, members) in groups() {
        let _ = writeln!(text, "### {title}\n");
        members.into_iter().for_each(|info| text.push_str(&section(info)));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}
