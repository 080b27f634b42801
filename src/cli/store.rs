//! A ledger in a file: locked while it is used, replaced as a whole, synced before anything depends on it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::CliError;
use crate::privacy::ledger::Ledger;

/// A ledger's file under its lock, until this is dropped.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    /// Held, not read: its lock ends with it.
    _lock: File,
}

/// A ledger that could not be stored.
#[derive(Debug)]
pub struct SaveError {
    /// Whether the new document already stands in the file's place, though it may not survive a power failure.
    pub replaced: bool,
    /// What happened.
    pub error: io::Error,
}

impl LedgerFile {
    /// Locks and reads a ledger, and burns an entry that a crash left reserved.
    ///
    /// # Errors
    /// When the file cannot be locked or read, or the ledger is not valid.
    pub fn open(path: &Path) -> Result<(Self, Ledger), CliError> {
        // Two names of one file must meet at one lock, and a link must not be replaced by a file.
        let path = fs::canonicalize(path).map_err(|error| CliError::unreadable("ledger", path, error))?;
        let file = Self { _lock: lock(&path)?, path };
        let mut ledger = read(&file.path)?;
        if ledger.recover()?.is_some() {
            file.save(&ledger).map_err(|failure| {
                CliError::failed(format!(
                    "an entry that a crash left reserved cannot be settled: {}; make the ledger writable",
                    failure.error
                ))
            })?;
        }
        Ok((file, ledger))
    }

    /// Creates a ledger's file.
    ///
    /// # Errors
    /// When there is a file of that name already, which stays as it is, or it cannot be written.
    pub fn create(path: &Path, ledger: &Ledger) -> Result<(), CliError> {
        let failed = |error: &io::Error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                CliError::usage(format!(
                    "{} exists already and stays as it is; name a new file",
                    path.display()
                ))
            } else {
                CliError::failed(format!("{} cannot be written: {error}; check the folder", path.display()))
            }
        };
        if fs::symlink_metadata(path).is_ok() {
            return Err(failed(&io::ErrorKind::AlreadyExists.into()));
        }
        let document = ledger.to_json()?;
        let temporary = write_beside(path, &document).map_err(|error| failed(&error))?;
        temporary.persist_noclobber(path).map_err(|error| failed(&error.error))?;
        sync_folder(path).map_err(|error| failed(&error))
    }

    /// Puts `ledger` in the file's place, as a whole, and waits until both are on the disk.
    ///
    /// # Errors
    /// [`SaveError`], which says whether the file was replaced.
    pub fn save(&self, ledger: &Ledger) -> Result<(), SaveError> {
        let before = |error: io::Error| SaveError { replaced: false, error };
        let document = ledger.to_json().map_err(|error| before(io::Error::other(error)))?;
        let permissions = fs::metadata(&self.path).map_err(before)?.permissions();
        if permissions.readonly() {
            return Err(before(io::ErrorKind::PermissionDenied.into()));
        }
        let temporary = write_beside(&self.path, &document).map_err(before)?;
        temporary.as_file().set_permissions(permissions).map_err(before)?;
        temporary.persist(&self.path).map_err(|error| before(error.error))?;
        sync_folder(&self.path).map_err(|error| SaveError { replaced: true, error })
    }
}

/// Reads and verifies a ledger without locking it: a file is always whole, because it is replaced at once.
///
/// # Errors
/// When it cannot be read or is not valid.
pub fn read(path: &Path) -> Result<Ledger, CliError> {
    let text = fs::read_to_string(path).map_err(|error| CliError::unreadable("ledger", path, error))?;
    Ok(Ledger::parse(&text)?)
}

/// The lock of a ledger, waiting for whoever holds it.
fn lock(path: &Path) -> Result<File, CliError> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let name = PathBuf::from(name);
    let failed = |error: io::Error| {
        CliError::failed(format!(
            "the ledger cannot be locked by {}: {error}; check the folder",
            name.display()
        ))
    };
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&name).map_err(&failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => file.lock().map_err(failed)?,
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    Ok(file)
}

fn write_beside(path: &Path, document: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut temporary = tempfile::Builder::new().prefix(".ledger-").tempfile_in(folder(path))?;
    temporary.write_all(document.as_bytes())?;
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

/// Syncs the folder, in which the file's name now points to the new document.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
