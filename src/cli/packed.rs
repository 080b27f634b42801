//! Reads a table that is compressed, in UTF-16, or a sheet of a workbook.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use super::bytes::{Stamp, read_some};
use crate::data::container::{ContainerError, Form, HEAD_BYTES, PACKED_BYTES, Unpacker, Workbook};

/// The largest workbook in bytes.
const MOST_BYTES: u64 = 1 << 30;

/// A table in another form that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PackedError {
    /// The file cannot be opened or read.
    #[error("{}", crate::words::error::table_io(.0))]
    Io(#[from] io::Error),
    /// Its table cannot be read.
    #[error("{}", crate::words::error::table_header(.0))]
    Container(#[from] ContainerError),
    /// A workbook has several sheets, and none was named.
    #[error("{}", crate::words::error::table_sheets(.0.join(", "), .0.first().map_or("", String::as_str)))]
    Sheets(Vec<String>),
}

/// A file on a disk with a table in another form than a plain CSV.
#[derive(Clone)]
pub struct Packed {
    path: PathBuf,
    sheet: Option<String>,
    form: Form,
    stamp: Stamp,
}

/// Splits `book.xlsx#Sheet2` into the file and the sheet, unless there is a file of that whole name.
fn located(path: &Path) -> (PathBuf, Option<String>) {
    let named = path.to_str().filter(|_| !path.exists()).and_then(|text| text.rsplit_once('#'));
    match named {
        Some((file, sheet)) => (PathBuf::from(file), Some(sheet.to_owned())),
        None => (path.to_owned(), None),
    }
}

impl Packed {
    /// Returns what a file holds by its first bytes; `None` for a plain table and for a pipe.
    ///
    /// # Errors
    /// [`PackedError`] if it cannot be read, or is of a form that is not read.
    pub fn of(path: &Path) -> Result<Option<Self>, PackedError> {
        let (path, sheet) = located(path);
        // A pipe must not be opened twice.
        let metadata = std::fs::metadata(&path)?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let mut head = Vec::new();
        File::open(&path)?.take(HEAD_BYTES as u64).read_to_end(&mut head)?;
        let form = Form::of(&head)?;
        if let Some(sheet) = &sheet
            && form != Some(Form::Workbook)
        {
            return Err(ContainerError::NoSheet { sheet: sheet.clone(), sheets: Vec::new() }.into());
        }
        Ok(form.map(|form| Self { path, sheet, form, stamp: Stamp::of(&metadata) }))
    }

    /// Returns whether it is a workbook.
    pub fn is_workbook(&self) -> bool {
        self.form == Form::Workbook
    }

    /// Returns the bytes of the table, from their beginning.
    ///
    /// # Errors
    /// [`PackedError`] if the file cannot be read, or has several sheets of which none is named.
    pub fn reader(&self) -> Result<Box<dyn Read>, PackedError> {
        let mut file = File::open(&self.path)?;
        if let Some(unpacker) = Unpacker::new(self.form) {
            return Ok(Box::new(Unpacked { file, unpacker: Some(unpacker), out: Vec::new(), at: 0 }));
        }
        if self.stamp.length() > MOST_BYTES {
            return Err(ContainerError::TooLarge.into());
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let book = Workbook::open(&bytes)?;
        let sheets = book.sheets();
        if self.sheet.is_none() && sheets.len() > 1 {
            return Err(PackedError::Sheets(sheets));
        }
        Ok(Box::new(Cursor::new(book.csv(self.sheet.as_deref())?)))
    }

    /// Returns whether the file was written to meanwhile.
    ///
    /// # Errors
    /// If it is gone.
    pub fn is_changed(&self) -> io::Result<bool> {
        Ok(Stamp::of(&std::fs::metadata(&self.path)?) != self.stamp)
    }
}

/// A file that is unpacked as it is read.
struct Unpacked {
    file: File,
    /// `None` after the end of the file.
    unpacker: Option<Unpacker>,
    out: Vec<u8>,
    at: usize,
}

impl Read for Unpacked {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let mut packed = vec![0; PACKED_BYTES];
        while self.at == self.out.len() {
            self.out.clear();
            self.at = 0;
            let Some(unpacker) = &mut self.unpacker else { return Ok(0) };
            match read_some(&mut self.file, &mut packed)? {
                0 => {
                    let last = self.unpacker.take();
                    last.map_or(Ok(()), |unpacker| unpacker.finish(&mut self.out))
                        .map_err(io::Error::other)?;
                }
                count => unpacker.feed(&packed[..count], &mut self.out).map_err(io::Error::other)?,
            }
        }
        let rest = &self.out[self.at..];
        let count = rest.len().min(piece.len());
        piece[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

/// Opens a table's bytes, unpacked where they are packed.
///
/// # Errors
/// [`PackedError`] if the file cannot be read.
pub fn bytes(path: &Path) -> Result<Box<dyn Read>, PackedError> {
    match Packed::of(path)? {
        Some(packed) => packed.reader(),
        None => Ok(Box::new(File::open(path)?)),
    }
}
