//! Stores a ledger in a file. The file is locked while it is used, replaced as a whole, and synced before the program goes on.

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::CliError;
use super::halt::halt;
use crate::privacy::ledger::Ledger;
use crate::privacy::mutants::{Mutant, is_active};
use crate::words;

/// A ledger's file. Its lock is held until this is dropped.
#[derive(Debug)]
pub struct LedgerFile {
    path: PathBuf,
    /// The document as last read or written by this program.
    stored: String,
    /// Holds the lock.
    _lock: File,
}

/// A failure to store a ledger.
#[derive(Debug)]
pub struct SaveError {
    /// Whether the file was replaced. A power failure may still undo that.
    pub replaced: bool,
    error: io::Error,
}

impl SaveError {
    /// Returns the error of a step before the file was replaced: the ledger is unchanged.
    pub fn before(error: io::Error) -> Self {
        Self { replaced: false, error }
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = match self.error.kind() {
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                words::error::save_permission()
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
                words::error::save_space()
            }
            _ => words::error::save_check(),
        };
        formatter.write_str(&words::error::save(&self.error, advice))
    }
}

impl LedgerFile {
    /// Locks and reads a ledger in order to change it, and burns an entry that a crash left reserved.
    ///
    /// # Errors
    /// If the file cannot be locked, read or written, or the ledger is not valid.
    pub fn open(path: &Path) -> Result<(Self, Ledger), CliError> {
        // Two names of one file must share one lock, and a link must not be replaced by a file.
        let path = canonical(path)?;
        if path.is_dir() {
            return Err(CliError::usage(format!("{} is a folder; name a ledger file in it", path.display())));
        }
        if has_links(&path).map_err(|error| CliError::unreadable("ledger", &path, error))? {
            return Err(CliError::usage(format!(
                "{} has a second name (a hard link), under which the same budget could be spent twice; remove the other name",
                path.display()
            )));
        }
        // No lock is left beside a file that is no ledger.
        read(&path)?;
        let lock = lock(&path)?;
        let stored = text(&path)?;
        let mut ledger = Ledger::parse(&stored)?;
        let mut file = Self { path, stored, _lock: lock };
        file.permissions().map_err(|error| CliError::failed(SaveError::before(error).to_string()))?;
        if let Some(entry) = ledger.recover()? {
            let _ = writeln!(io::stderr(), "discreet: {}", words::error::ledger_burned(entry));
            file.save(&ledger).map_err(|failure| {
                CliError::failed(format!(
                    "an earlier release was interrupted, and its charge cannot be recorded as spent: {failure}"
                ))
            })?;
        }
        halt("read");
        Ok((file, ledger))
    }

    /// Returns the file's own path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a ledger's file.
    ///
    /// # Errors
    /// [`CliError`] if a file of that name exists, which is not changed, or if it cannot be written.
    pub fn create(path: &Path, ledger: &Ledger) -> Result<(), CliError> {
        let failed = |error: &io::Error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                CliError::usage(format!(
                    "{} exists already and was not changed; give the name of a new file",
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
    /// [`SaveError`], which says whether the file was replaced. A file that another program changed in spite of the lock is not
    /// replaced, because that could lose a charge.
    pub fn save(&mut self, ledger: &Ledger) -> Result<(), SaveError> {
        let document = ledger.to_json().map_err(|error| SaveError::before(io::Error::other(error)))?;
        let permissions = self.permissions().map_err(SaveError::before)?;
        let temporary = write_beside(&self.path, &document).map_err(SaveError::before)?;
        temporary.as_file().set_permissions(permissions).map_err(SaveError::before)?;
        halt("the new document is synced");
        if has_links(&self.path).map_err(SaveError::before)? {
            return Err(SaveError::before(io::Error::other("it has got a second name (a hard link)")));
        }
        let found = fs::read_to_string(&self.path).map_err(SaveError::before)?;
        if found != self.stored && !is_active(Mutant::DoubleSpend) {
            return Err(SaveError::before(io::Error::other(
                "another program has changed it since it was read",
            )));
        }
        temporary.persist(&self.path).map_err(|error| SaveError::before(error.error))?;
        halt("the file is replaced");
        self.stored = document;
        sync_folder(&self.path).map_err(|error| SaveError { replaced: true, error })
    }

    /// Returns the file's permissions. A read-only file could be replaced, but the program respects the setting.
    fn permissions(&self) -> io::Result<Permissions> {
        let permissions = fs::metadata(&self.path)?.permissions();
        if permissions.readonly() { Err(io::ErrorKind::PermissionDenied.into()) } else { Ok(permissions) }
    }
}

/// Reads and verifies a ledger without a lock. The file is always complete, because it is replaced as a whole.
///
/// # Errors
/// If it cannot be read or is not valid.
pub fn read(path: &Path) -> Result<Ledger, CliError> {
    Ok(Ledger::parse(&text(path)?)?)
}

/// Returns the path of the file itself, which the names of several symbolic links have in common.
///
/// # Errors
/// If there is no such file.
pub fn canonical(path: &Path) -> Result<PathBuf, CliError> {
    fs::canonicalize(path).map_err(|error| CliError::unreadable("ledger", path, error))
}

/// Returns whether a file has several names. Each has a lock of its own, and a save replaces one of them alone.
fn has_links(path: &Path) -> io::Result<bool> {
    #[cfg(unix)]
    return Ok(std::os::unix::fs::MetadataExt::nlink(&fs::metadata(path)?) > 1);
    #[cfg(not(unix))]
    return fs::metadata(path).map(|_| false);
}

fn text(path: &Path) -> Result<String, CliError> {
    fs::read_to_string(path).map_err(|error| CliError::unreadable_text("ledger", path, &error))
}

/// Acquires the lock of a ledger; waits while another program holds it.
fn lock(path: &Path) -> Result<File, CliError> {
    let name = beside(path, "", ".lock");
    let failed = |error: io::Error| {
        CliError::failed(format!(
            "the ledger cannot be locked, because {} cannot be opened or locked: {error}; check the folder",
            name.display()
        ))
    };
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(&name).map_err(failed)?;
    halt("before the lock");
    let locked = if is_active(Mutant::DoubleSpend) { Ok(()) } else { file.try_lock() };
    match locked {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            // A failure to write this is ignored: the wait goes on.
            let _ = writeln!(io::stderr(), "discreet: {}", words::error::ledger_locked(name.display()));
            file.lock().map_err(failed)?;
        }
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    halt("locked");
    Ok(file)
}

/// Writes the document to a synced file beside `path`, which will replace `path`. It is written only under the lock.
fn write_beside(path: &Path, document: &str) -> io::Result<tempfile::NamedTempFile> {
    let mut temporary = temporary_beside(path)?;
    temporary.write_all(document.as_bytes())?;
    halt("the new document is written");
    temporary.as_file().sync_all()?;
    Ok(temporary)
}

/// Creates an empty file beside `path`, which will replace `path`. A file of that name was left by a crash and is removed.
pub fn temporary_beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let name = beside(path, ".", ".new");
    match fs::remove_file(&name) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let name = name.file_name().unwrap_or_default();
    tempfile::Builder::new().prefix(name).rand_bytes(0).tempfile_in(folder(path))
}

/// Syncs the folder of `path`, whose entry now points to the new document.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder(path))?.sync_all() } else { Ok(()) }
}

/// Returns the path of a file in the same folder, with `before` and `after` added to the name.
pub(super) fn beside(path: &Path, before: &str, after: &str) -> PathBuf {
    let mut name = OsString::from(before);
    name.push(path.file_name().unwrap_or_default());
    name.push(after);
    folder(path).join(name)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
