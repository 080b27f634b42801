//! The command `discreet account`: converts between measures of privacy and prints one number, rounded to the safe side.
//!
//! Each family of conversions is one file with a table. The table is both the parser's list of options and the help text.

mod auditing;
mod calibration;
mod composition;
mod gaussian;
mod given;
mod losses;
mod paper;
mod primo;
mod profiles;
mod subsampling;

use std::ffi::OsString;
use std::fmt::Write as _;

use self::given::Given;
use super::args::Args;
use super::error::CliError;
use super::{help, print};

/// One conversion.
struct Conversion {
    /// The name on the command line, and in the test vectors that have it.
    name: &'static str,
    /// The options as the help shows them. Every word that begins with `--` is an option.
    usage: &'static str,
    /// A description for the help.
    about: &'static str,
    compute: fn(&Given) -> Result<String, CliError>,
}

/// A group of related conversions.
struct Family {
    heading: &'static str,
    conversions: &'static [Conversion],
}

const FAMILIES: [Family; 10] = [
    gaussian::EVERYDAY,
    gaussian::NAMED,
    calibration::FAMILY,
    composition::FAMILY,
    losses::FAMILY,
    subsampling::FAMILY,
    profiles::FAMILY,
    paper::FAMILY,
    primo::FAMILY,
    auditing::FAMILY,
];

/// Runs the command.
///
/// # Errors
/// [`CliError`] for an unknown conversion or numbers that it cannot convert.
pub fn run(mut arguments: Vec<OsString>) -> Result<(), CliError> {
    if arguments.is_empty() {
        return Err(CliError::usage("name what to compute; `discreet account --help` lists it"));
    }
    let name = arguments.remove(0);
    let name = name.to_str().unwrap_or_default();
    if name == "--help" || name == "-h" {
        return print(all_help());
    }
    let conversion =
        FAMILIES.iter().flat_map(|family| family.conversions).find(|one| one.name == name).ok_or_else(
            || CliError::usage(format!("`{name}` is no conversion; `discreet account --help` lists them")),
        )?;
    let Some(args) = Args::parse(
        arguments,
        &options(conversion.usage),
        &[],
        &format!("discreet account{}", entry(conversion)),
    )?
    else {
        return Ok(());
    };
    let [] = args.places([])?;
    let answer = (conversion.compute)(&Given::new(&args))?;
    print(answer + "\n")
}

fn options(usage: &'static str) -> Vec<&'static str> {
    usage.split([' ', '[', ']']).filter_map(|word| word.strip_prefix("--")).collect()
}

fn entry(conversion: &Conversion) -> String {
    let usage = wrapped(&format!("{} {}", conversion.name, conversion.usage), "          ");
    format!(" {usage}\n      {}\n", wrapped(conversion.about, "      "))
}

/// Returns the words in lines of at most 110 letters, all but the first after `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let (mut lines, mut room) = (String::new(), 100);
    for word in text.split(' ') {
        if word.len() + 1 > room {
            lines.push('\n');
            lines.push_str(indent);
            room = 100;
        } else if !lines.is_empty() {
            lines.push(' ');
        }
        lines.push_str(word);
        room = room.saturating_sub(word.len() + 1);
    }
    lines
}

fn all_help() -> String {
    let mut text = help::ACCOUNT.to_owned();
    for family in &FAMILIES {
        let _ = writeln!(text, "\n{}", wrapped(family.heading, ""));
        for conversion in family.conversions {
            let _ = write!(text, " {}", entry(conversion));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_conversion_has_a_name_of_its_own_and_says_what_it_needs() {
        let mut names = Vec::new();
        for conversion in FAMILIES.iter().flat_map(|family| family.conversions) {
            names.push(conversion.name);
            let args = Args::parse(Vec::new(), &options(conversion.usage), &[], "").unwrap().unwrap();
            let error = (conversion.compute)(&Given::new(&args)).unwrap_err();
            assert_eq!(error.status(), 2, "{}", conversion.name);
            assert!(error.to_string().contains("--"), "{}: {error}", conversion.name);
        }
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "a name twice");
    }

    #[test]
    fn no_line_of_the_help_is_too_long() {
        assert!(all_help().lines().all(|line| line.len() <= 120));
        assert_eq!(wrapped("a bc", ""), "a bc");
        assert_eq!(wrapped(&["word"; 30].join(" "), "  ").lines().count(), 2);
    }

    #[test]
    fn options_are_read_off_the_usage() {
        assert_eq!(
            options("--epsilon E [--rate Q | --sample M --rows N]"),
            ["epsilon", "rate", "sample", "rows"]
        );
    }
}
