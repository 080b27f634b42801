//! Turns files that hold a table in another form into the bytes of a CSV: gzip, UTF-16 and Excel workbooks (.xlsx). Everything after it
//! reads an ordinary CSV.

mod unpack;
pub mod workbook;

pub use unpack::{PACKED_BYTES, Unpacker};
pub use workbook::Workbook;

/// Number of first bytes that decide the form.
pub const HEAD_BYTES: usize = 64;

/// The form of a file that is no plain CSV.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// gzip or bgzip.
    Gzip,
    /// UTF-16, the low byte first.
    Utf16Little,
    /// UTF-16, the high byte first.
    Utf16Big,
    /// A ZIP archive, which a workbook is.
    Workbook,
}

/// A file whose table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ContainerError {
    /// An Excel workbook of before 2007, or one with a password.
    #[error("{}", crate::words::container::old_workbook())]
    OldWorkbook,
    /// An SPSS file.
    #[error("{}", crate::words::container::spss())]
    Spss,
    /// A Stata file.
    #[error("{}", crate::words::container::stata())]
    Stata,
    /// A SAS file.
    #[error("{}", crate::words::container::sas())]
    Sas,
    /// A Parquet file.
    #[error("{}", crate::words::container::parquet())]
    Parquet,
    /// A spreadsheet of LibreOffice.
    #[error("{}", crate::words::container::open_document())]
    OpenDocument,
    /// An archive without a workbook.
    #[error("{}", crate::words::container::archive())]
    Archive,
    /// A compressed file or UTF-16 text is damaged or cut off.
    #[error("{}", crate::words::container::cut_off())]
    CutOff,
    /// A workbook that is damaged or cut off.
    #[error("{}", crate::words::container::damaged())]
    Damaged,
    /// More than memory holds.
    #[error("{}", crate::words::container::too_large())]
    TooLarge,
    /// No sheet of that name.
    #[error("{}", crate::words::container::no_sheet(sheet, sheets.join(", ")))]
    NoSheet {
        /// The name.
        sheet: String,
        /// The names that there are.
        sheets: Vec<String>,
    },
    /// A sheet without a cell, or a workbook without a sheet.
    #[error("{}", crate::words::container::empty_sheet())]
    Empty,
}

impl Form {
    /// Returns the form of a file with these first bytes; `None` for a plain file.
    ///
    /// # Errors
    /// [`ContainerError`] for forms of other programs that are not read.
    pub fn of(first: &[u8]) -> Result<Option<Self>, ContainerError> {
        let begins = |mark: &[u8]| first.starts_with(mark);
        Ok(Some(match first {
            _ if begins(b"\x1f\x8b") => Self::Gzip,
            _ if begins(b"\xff\xfe") => Self::Utf16Little,
            _ if begins(b"\xfe\xff") => Self::Utf16Big,
            _ if begins(b"PK\x03\x04") => Self::Workbook,
            _ if begins(b"\xd0\xcf\x11\xe0") => return Err(ContainerError::OldWorkbook),
            _ if begins(b"$FL2") || begins(b"$FL3") => return Err(ContainerError::Spss),
            _ if begins(b"<stata_dta>") => return Err(ContainerError::Stata),
            _ if first.get(12..16) == Some(b"\xc2\xea\x81\x60") => return Err(ContainerError::Sas),
            _ if begins(b"PAR1") => return Err(ContainerError::Parquet),
            _ => return Ok(None),
        }))
    }
}
