//! Keeps the document of each release beside its ledger, as `FILE.releases/ID-ENTRY.json`, so that it can be printed again. A document is
//! public when it is written here: its charge is on the disk.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::error::CliError;
use super::store::{SaveError, beside, sync_folder, temporary_beside};
use crate::plan::Plan;
use crate::privacy::ledger::{Entry, Kind, Ledger, State};
use crate::words;

/// A file beside the place of a release's document, opened before the charge.
pub struct Kept {
    path: PathBuf,
    file: tempfile::NamedTempFile,
}

impl Kept {
    /// Opens a file for the document of an entry that will be charged.
    ///
    /// # Errors
    /// [`CliError::Failed`] if a document of this entry exists, or the folder is none or cannot be written.
    pub fn prepare(path: &Path, ledger: &Ledger, entry: u64) -> Result<Self, CliError> {
        let place = place(path, ledger, entry);
        if place.exists() {
            return Err(CliError::failed(words::error::kept_exists(place.display(), entry)));
        }
        let failed = |error| CliError::failed(SaveError::before(error).to_string());
        if folder(path).is_file() {
            return Err(CliError::failed(words::error::kept_folder(folder(path).display())));
        }
        fs::create_dir_all(folder(path)).map_err(failed)?;
        // The ledger is locked, so one name is enough, and what a crash left is replaced.
        let file = temporary_beside(&folder(path).join("release.json")).map_err(failed)?;
        Ok(Self { path: place, file })
    }

    /// Writes the document and waits until it is on the disk. A document that exists is not replaced.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn store(mut self, document: &[u8]) -> io::Result<()> {
        self.file.write_all(document)?;
        self.file.as_file().sync_all()?;
        self.file.persist_noclobber(&self.path).map_err(|error| error.error)?;
        sync_folder(&self.path)
    }
}

/// Returns the document of an entry, or that of the last entry that has one.
///
/// # Errors
/// [`CliError::Input`] if there is none, or it cannot be read.
pub fn read(path: &Path, ledger: &Ledger, entry: Option<u64>) -> Result<Vec<u8>, CliError> {
    let releases = ledger.entries().iter().rev().filter(|found| found.kind == Kind::Release);
    let wanted =
        releases.filter_map(|found| found.seq.parse().ok()).filter(|seq| entry.is_none_or(|one| one == *seq));
    for seq in wanted {
        let place = place(path, ledger, seq);
        match fs::read(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            document => return document.map_err(|error| CliError::unreadable("release", &place, error)),
        }
    }
    Err(CliError::usage(words::error::kept_none(folder(path).display())))
}

/// The entry of a release whose plan asked the same as another one.
#[derive(Clone, Copy)]
pub enum Answered {
    /// Its document is kept beside the ledger.
    Here(u64),
    /// Its document is not, as where the ledger was exported from the page.
    Elsewhere(u64),
}

impl Answered {
    /// Returns what a person is told of it.
    pub fn sentence(self) -> String {
        match self {
            Self::Here(entry) => words::error::cli_again(entry),
            Self::Elsewhere(entry) => words::error::cli_again_elsewhere(entry),
        }
    }
}

/// Returns the ledger entry of a release whose plan has the same outcome, features and rows as `plan`; budget and mechanism may differ. One
/// whose document is kept comes first.
pub fn answered(path: &Path, ledger: &Ledger, plan: &Plan) -> Option<Answered> {
    #[derive(Deserialize)]
    struct Asked {
        plan: Plan,
    }
    let answers = |seq: &u64| {
        let asked = fs::File::open(place(path, ledger, *seq))
            .ok()
            .and_then(|file| serde_json::from_reader::<_, Asked>(io::BufReader::new(file)).ok());
        asked.is_some_and(|asked| asked.plan.asks_the_same(plan))
    };
    let releases = || {
        let of_kind = |found: &&Entry| found.kind == Kind::Release && found.state == State::Released;
        ledger.entries().iter().filter(of_kind)
    };
    let here = releases().filter_map(|found| found.seq.parse().ok()).find(answers).map(Answered::Here);
    let question = plan.question_hash();
    let asked = |found: &&Entry| question.is_some() && found.question() == question.as_deref();
    let elsewhere = || releases().find(asked)?.seq.parse().ok().map(Answered::Elsewhere);
    here.or_else(elsewhere)
}

fn folder(path: &Path) -> PathBuf {
    beside(path, "", ".releases")
}

fn place(path: &Path, ledger: &Ledger, entry: u64) -> PathBuf {
    folder(path).join(format!("{}-{entry}.json", ledger.id()))
}
