//! A ledger in a file: locked while it is used, replaced as a whole, synced before anything depends on it.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::CliError;
use super::halt::halt;
use crate::privacy::ledger::Ledger;
use crate::privacy::mutants::{Mutant, is_active};

/// A ledger's file under its lock, until this is dropped.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    /// The document as it was last read or written here.
    stored: String,
    /// Held, not read: its lock ends with it.
    _lock: File,
}

/// A ledger that could not be stored.
#[derive(Debug)]
pub struct SaveError {
    /// Whether the new document already stands in the file's place, though it may not survive a power failure.
    pub replaced: bool,
    error: io::Error,
}

impl SaveError {
    /// Before the file was replaced: it is as it was.
    fn before(error: io::Error) -> Self {
        Self { replaced: false, error }
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self.error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                "make the file and its folder writable"
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                "make room on its disk"
            }
            _ => "check the file, its folder and its disk",
        };
        write!(formatter, "the ledger cannot be written: {}; {advice}", self.error)
    }
}

impl LedgerFile {
    /// Locks and reads a ledger that is going to be changed, and burns an entry that a crash left reserved.
    ///
    /// # Errors
    /// When the file cannot be locked, read or written, or the ledger is not valid.
    pub fn open(path: &Path) -> Result<(Self, Ledger), CliError> {
        // Two names of one file must meet at one lock, and a link must not be replaced by a file.
        let path = fs::canonicalize(path).map_err(|error| CliError::unreadable("ledger", path, error))?;
        let lock = lock(&path)?;
        let stored = text(&path)?;
        let mut ledger = Ledger::parse(&stored)?;
        let mut file = Self { path, stored, _lock: lock };
        file.permissions().map_err(|error| CliError::failed(SaveError::before(error).to_string()))?;
        if ledger.recover()?.is_some() {
            file.save(&ledger).map_err(|failure| {
                CliError::failed(format!(
                    "an entry that a crash left reserved cannot be settled, because {failure}"
                ))
            })?;
        }
        halt("read");
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
        let _lock = lock(path)?;
        let temporary = write_beside(path, &document).map_err(|error| failed(&error))?;
        temporary.persist_noclobber(path).map_err(|error| failed(&error.error))?;
        sync_folder(path).map_err(|error| failed(&error))
    }

    /// Puts `ledger` in the file's place, as a whole, and waits until both are on the disk.
    ///
    /// # Errors
    /// [`SaveError`], which says whether the file was replaced. It is not when somebody else has changed it: that can
    /// only be in spite of the lock, and to write over it could lose a charge.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), SaveError> {
        let document = ledger.to_json().map_err(|error| SaveError::before(io::Error::other(error)))?;
        let permissions = self.permissions().map_err(SaveError::before)?;
        let temporary = write_beside(&self.path, &document).map_err(SaveError::before)?;
        temporary.as_file().set_permissions(permissions).map_err(SaveError::before)?;
        halt("the new document is synced");
        let found = fs::read_to_string(&self.path).map_err(SaveError::before)?;
        if found != self.stored && !is_active(Mutant::DoubleSpend) {
            return Err(SaveError::before(io::Error::other("another program has changed it meanwhile")));
        }
        temporary.persist(&self.path).map_err(|error| SaveError::before(error.error))?;
        halt("the file is replaced");
        self.stored = document;
        sync_folder(&self.path).map_err(|error| SaveError { replaced: true, error })
    }

    /// The file's permissions. A file that is replaced need not be writable, but one that is not means what it says.
    fn permissions(&self) -> io::Result<Permissions> {
        let permissions = fs::metadata(&self.path)?.permissions();
        if permissions.readonly() { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(permissions) }
    }
}

/// Reads and verifies a ledger without locking it: a file is always whole, because it is replaced at once.
///
/// # Errors
/// When it cannot be read or is not valid.
pub fn read(path: &Path) -> Result<Ledger, CliError> {
    Ok(Ledger::parse(&text(path)?)?)
}

fn text(path: &Path) -> Result<String, CliError> {
    fs::read_to_string(path).map_err(|error| CliError::unreadable("ledger", path, error))
}

/// The lock of a ledger, waiting for whoever holds it.
fn lock(path: &Path) -> Result<File, CliError> {
    let name = beside(path, "", ".lock");
    let failed = |error: io::Error| {
        CliError::failed(format!(
            "the ledger cannot be locked by {}: {error}; check the folder",
            name.display()
        ))
    };
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&name).map_err(failed)?;
    halt("before the lock");
    if !is_active(Mutant::DoubleSpend) {
        file.lock().map_err(failed)?;
    }
    halt("locked");
    Ok(file)
}

/// A synced file beside `path`, which is going to take its place. Only whoever holds the lock writes one, so one that is
/// there was left by a crash.
fn write_beside(path: &Path, document: &str) -> io::Result<tempfile::NamedTempFile> {
    let name = beside(path, ".", ".new");
    match fs::remove_file(&name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let name = name.file_name().unwrap_or_default();
    let mut temporary = tempfile::Builder::new().prefix(name).rand_bytes(0).tempfile_in(folder(path))?;
    temporary.write_all(document.as_bytes())?;
    halt("the new document is written");
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

/// Syncs the folder, in which the file's name now points to the new document.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

/// A file in the same folder, with something before and after the name.
fn beside(path: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(path.file_name().unwrap_or_default());
    name.push(after);
    folder(path).join(name)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
