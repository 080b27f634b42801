//! The files of a request: what each is, and its handle.

use web_sys::Blob;

use super::read::length;
use crate::data::FileRole;

/// The files that make up a table.
#[derive(Clone, Debug)]
pub struct Files(Vec<(FileRole, Blob)>);

impl Files {
    /// These files, whatever their order.
    #[must_use]
    pub fn new(mut files: Vec<(FileRole, Blob)>) -> Self {
        files.sort_by_key(|(role, _)| *role);
        Self(files)
    }

    /// The files that ride beside a request which says what each is.
    #[must_use]
    pub fn matched(roles: &[FileRole], handles: Vec<Blob>) -> Option<Self> {
        let alike = !roles.is_empty() && roles.len() == handles.len();
        alike.then(|| Self::new(roles.iter().copied().zip(handles).collect()))
    }

    /// A CSV.
    #[must_use]
    pub fn table(file: Blob) -> Self {
        Self(vec![(FileRole::Table, file)])
    }

    /// What each is.
    #[must_use]
    pub fn roles(&self) -> Vec<FileRole> {
        self.0.iter().map(|(role, _)| *role).collect()
    }

    /// Their handles, in the order of [`Self::roles`].
    #[must_use]
    pub fn handles(&self) -> Vec<Blob> {
        self.0.iter().map(|(_, file)| file.clone()).collect()
    }

    /// The file of a role.
    #[must_use]
    pub fn get(&self, role: FileRole) -> Option<&Blob> {
        self.0.iter().find(|(own, _)| *own == role).map(|(_, file)| file)
    }

    /// Bytes of all of them.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.0.iter().map(|(_, file)| length(file)).fold(0, u64::saturating_add)
    }
}
