//! Parses the options of every command. Each is given at most once, as `--x value` or `--x=value`, in any order.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::str::FromStr;

use lexopt::{Arg, Parser};

use super::error::CliError;
use super::print;

/// The arguments of a command.
#[derive(Debug, Default)]
pub struct Args {
    options: BTreeMap<&'static str, OsString>,
    flags: Vec<&'static str>,
    places: Vec<OsString>,
}

impl Args {
    /// Reads `arguments`: `options` take a value, `flags` take none, all others are positional. Where help is asked for it is printed, and
    /// there is nothing.
    ///
    /// # Errors
    /// [`CliError::Input`] for an option that is not listed, is given twice or lacks its value.
    pub fn parse(
        arguments: Vec<OsString>,
        options: &[&'static str],
        flags: &[&'static str],
        help: &str,
    ) -> Result<Option<Self>, CliError> {
        let mut parser = Parser::from_args(arguments);
        let (mut args, mut asks) = (Self::default(), false);
        while let Some(argument) = parser.next()? {
            match argument {
                Arg::Long("help") | Arg::Short('h') => asks = true,
                Arg::Long(name) => {
                    let listed = |list: &[&'static str]| list.iter().copied().find(|other| *other == name);
                    if let Some(flag) = listed(flags) {
                        if args.flag(flag) {
                            return Err(CliError::usage(format!("--{flag} is given twice; give it once")));
                        }
                        args.flags.push(flag);
                    } else if let Some(option) = listed(options) {
                        let value = parser.value()?;
                        if args.options.insert(option, value).is_some() {
                            return Err(CliError::usage(format!("--{option} is given twice; give it once")));
                        }
                    } else {
                        return Err(argument.unexpected().into());
                    }
                }
                Arg::Value(value) => args.places.push(value),
                Arg::Short(_) => return Err(argument.unexpected().into()),
            }
        }
        if asks {
            print(help)?;
            return Ok(None);
        }
        Ok(Some(args))
    }

    /// Returns whether a flag is given.
    pub fn flag(&self, name: &str) -> bool {
        self.flags.contains(&name)
    }

    /// Returns whether an option is given.
    pub fn has(&self, name: &str) -> bool {
        self.options.contains_key(name)
    }

    /// Returns a path, if given.
    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.options.get(name).map(PathBuf::from)
    }

    /// Returns a path that the command needs.
    ///
    /// # Errors
    /// If it is missing.
    pub fn needed_path(&self, name: &str) -> Result<PathBuf, CliError> {
        self.path(name).ok_or_else(|| missing(name))
    }

    /// Returns a text, if given.
    ///
    /// # Errors
    /// If it is not UTF-8.
    pub fn text(&self, name: &str) -> Result<Option<&str>, CliError> {
        self.options
            .get(name)
            .map(|value| {
                value
                    .to_str()
                    .ok_or_else(|| CliError::usage(format!("--{name} is not valid UTF-8; give another name")))
            })
            .transpose()
    }

    /// Returns a text that the command needs.
    ///
    /// # Errors
    /// If it is missing or not UTF-8.
    pub fn needed_text(&self, name: &str) -> Result<&str, CliError> {
        self.text(name)?.ok_or_else(|| missing(name))
    }

    /// Returns a value, if given; `expected` describes the possible values for the message.
    ///
    /// # Errors
    /// If it is something else.
    pub fn value<T: FromStr>(&self, name: &str, expected: &str) -> Result<Option<T>, CliError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        text.parse().map(Some).map_err(|_| {
            let point =
                if text.replace(',', ".").parse::<T>().is_ok() { ", with a decimal point" } else { "" };
            CliError::usage(format!("--{name} is `{text}`; give {expected}{point}"))
        })
    }

    /// Returns the positional arguments, one for each of `names`.
    ///
    /// # Errors
    /// [`CliError::Input`] if there are fewer or more.
    pub fn places<const N: usize>(&self, names: [&str; N]) -> Result<[PathBuf; N], CliError> {
        if let Some(extra) = self.places.get(N) {
            let takes =
                if N == 0 { "options alone".to_owned() } else { format!("only {}", names.join(" and ")) };
            return Err(CliError::usage(format!(
                "`{}` is one argument too many; the command takes {takes}",
                extra.display()
            )));
        }
        let found: Vec<PathBuf> = self.places.iter().map(PathBuf::from).collect();
        found.try_into().map_err(|found: Vec<PathBuf>| {
            let name = names.get(found.len()).copied().unwrap_or("a name");
            CliError::usage(format!("{name} is missing; `discreet COMMAND --help` shows how to give it"))
        })
    }
}

fn missing(name: &str) -> CliError {
    CliError::usage(format!("--{name} is missing; `discreet COMMAND --help` shows how to give it"))
}
