//! The files of a request: the role and the handle of each.

use web_sys::Blob;

use super::protocol::Failure;
use super::read::length;
use crate::data::FileRole;

/// The files of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Files(Vec<(FileRole, Blob)>);

impl Files {
    /// Sorts the files by role.
    pub fn new(mut files: Vec<(FileRole, Blob)>) -> Self {
        files.sort_by_key(|(role, _)| *role);
        Self(files)
    }

    /// Combines the roles in a request with the handles that travel beside it.
    ///
    /// # Errors
    /// [`Failure`] if their numbers differ, or if there are none.
    pub fn matched(roles: &[FileRole], handles: Vec<Blob>) -> Result<Self, Failure> {
        if roles.is_empty() || roles.len() != handles.len() {
            return Err(Failure::protocol());
        }
        Ok(Self::new(roles.iter().copied().zip(handles).collect()))
    }

    /// Returns the files of a CSV.
    pub fn table(file: Blob) -> Self {
        Self(vec![(FileRole::Table, file)])
    }

    /// Returns the role of each file.
    pub fn roles(&self) -> Vec<FileRole> {
        self.0.iter().map(|(role, _)| *role).collect()
    }

    /// Returns their handles, in the order of [`Self::roles`].
    pub fn handles(&self) -> Vec<Blob> {
        self.0.iter().map(|(_, file)| file.clone()).collect()
    }

    /// Returns the file of a role.
    pub fn get(&self, role: FileRole) -> Option<&Blob> {
        self.0.iter().find(|(own, _)| *own == role).map(|(_, file)| file)
    }

    /// Returns the total length in bytes.
    pub fn length(&self) -> u64 {
        self.0.iter().map(|(_, file)| length(file)).fold(0, u64::saturating_add)
    }
}
