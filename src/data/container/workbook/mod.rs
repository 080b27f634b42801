//! Reads a sheet of an Excel workbook (.xlsx) as a CSV (ECMA-376, part 1, 18). Formulas count by the values that Excel has stored, dates
//! are written as ISO 8601, merged cells are one cell.

mod archive;
mod dates;
mod sheet;
mod xml;

use std::collections::BTreeMap;
use std::io::Read;
use std::rc::Rc;

use super::ContainerError;
use archive::Archive;
use dates::Formats;
use xml::{Event, Xml, append, attribute};

/// The most bytes of the shared texts, and the most bytes of the CSV. Unit tests use smaller limits.
const MOST_BYTES: usize = if cfg!(test) { 1 << 24 } else { 1 << 29 };

/// A workbook whose directory was read.
pub struct Workbook<'a> {
    archive: Archive<'a>,
    /// Name and part of each sheet.
    sheets: Vec<(String, Rc<str>)>,
    /// The part of the texts that cells share.
    texts: Option<Rc<str>>,
    /// The part of the styles.
    styles: Option<Rc<str>>,
    since_1904: bool,
}

impl<'a> Workbook<'a> {
    /// Reads the names of the sheets.
    ///
    /// # Errors
    /// [`ContainerError`] if the archive is damaged or holds no workbook.
    pub fn open(bytes: &'a [u8]) -> Result<Self, ContainerError> {
        let archive = Archive::new(bytes)?;
        let main = main_part(&archive)?;
        let (folder, own) = main.rsplit_once('/').unwrap_or(("", &main));
        let parts = relations(&archive, &format!("{folder}/_rels/{own}.rels"), folder)?;
        let mut xml = Xml::short(archive.part(&main)?.ok_or_else(|| no_workbook(&archive))?);
        let (mut sheets, mut since_1904) = (Vec::new(), false);
        while let Some(event) = xml.next()? {
            match event {
                Event::Open("workbookPr", attributes) => {
                    since_1904 = attribute(attributes, "date1904")
                        .is_some_and(|on| matches!(on.as_str(), "1" | "true"));
                }
                Event::Open("sheet", attributes) => {
                    let part = attribute(attributes, "id").and_then(|id| parts.get(&id));
                    let shown = attribute(attributes, "state").is_none_or(|state| state == "visible");
                    // A sheet may be a chart.
                    if let Some((kind, part)) = part
                        && kind.ends_with("/worksheet")
                        && shown
                    {
                        sheets.push((attribute(attributes, "name").unwrap_or_default(), part.clone()));
                    }
                }
                _ => {}
            }
        }
        if sheets.is_empty() {
            return Err(ContainerError::Empty);
        }
        let part = |ending: &str| {
            parts.values().find(|(kind, _)| kind.ends_with(ending)).map(|(_, part)| part.clone())
        };
        let (texts, styles) = (part("/sharedStrings"), part("/styles"));
        Ok(Self { archive, sheets, texts, styles, since_1904 })
    }

    /// Returns the place of the sheet with the most bytes, the first of several: the table, where others are notes.
    pub fn largest(&self) -> usize {
        let bytes = |(_, part): &(String, Rc<str>)| self.archive.packed_bytes(part);
        let sheets = self.sheets.iter().enumerate().rev();
        sheets.max_by_key(|(_, sheet)| bytes(sheet)).map_or(0, |(place, _)| place)
    }

    /// Returns the names of the sheets that are shown, in their order.
    pub fn sheets(&self) -> Vec<String> {
        self.sheets.iter().map(|(name, _)| name.clone()).collect()
    }

    /// Returns a sheet as a CSV in UTF-8, with commas between the cells and as many cells in each line; the first sheet if none is
    /// named. Lines without a cell are left out.
    ///
    /// # Errors
    /// [`ContainerError`] if there is no such sheet, it is empty, damaged or too large.
    pub fn csv(&self, sheet: Option<&str>) -> Result<Vec<u8>, ContainerError> {
        let named = |(name, _): &&(String, Rc<str>)| sheet.is_none_or(|wanted| wanted == name);
        let (_, part) = self.sheets.iter().find(named).ok_or_else(|| ContainerError::NoSheet {
            sheet: sheet.unwrap_or_default().to_owned(),
            sheets: self.sheets(),
        })?;
        let read = |part: &Option<Rc<str>>| part.as_ref().map_or(Ok(None), |part| self.archive.part(part));
        let texts = match read(&self.texts)? {
            Some(reader) => texts(reader)?,
            None => Vec::new(),
        };
        let formats = match read(&self.styles)? {
            Some(reader) => Formats::read(reader)?,
            None => Formats::default(),
        };
        let reader = self.archive.part(part)?.ok_or(ContainerError::Damaged)?;
        sheet::csv(reader, &texts, &formats, self.since_1904)
    }
}

/// Returns the part that is the workbook.
fn main_part(archive: &Archive<'_>) -> Result<Rc<str>, ContainerError> {
    let parts = relations(archive, "_rels/.rels", "")?;
    let found = parts.into_values().find(|(kind, _)| kind.ends_with("/officeDocument"));
    found.map(|(_, part)| part).ok_or_else(|| no_workbook(archive))
}

/// Returns the error for an archive that is no workbook.
fn no_workbook(archive: &Archive<'_>) -> ContainerError {
    let mut kind = String::new();
    if let Ok(Some(reader)) = archive.part("mimetype") {
        // Relations that cannot be read are ignored.
        let _ = reader.take(99).read_to_string(&mut kind);
    }
    if kind.contains("opendocument") { ContainerError::OpenDocument } else { ContainerError::Archive }
}

/// Returns kind and part of each relation of a part in `folder`, by its id.
fn relations(
    archive: &Archive<'_>,
    part: &str,
    folder: &str,
) -> Result<BTreeMap<String, (String, Rc<str>)>, ContainerError> {
    let mut found = BTreeMap::new();
    let Some(reader) = archive.part(part)? else { return Ok(found) };
    let mut xml = Xml::short(reader);
    while let Some(event) = xml.next()? {
        if let Event::Open("Relationship", attributes) = event {
            let get = |name| attribute(attributes, name).unwrap_or_default();
            let target = get("Target");
            let path = match target.strip_prefix('/') {
                Some(absolute) => absolute.into(),
                None if folder.is_empty() => target.into(),
                None => format!("{folder}/{target}").into(),
            };
            found.insert(get("Id"), (get("Type"), path));
        }
    }
    Ok(found)
}

/// Reads the texts that cells share. Phonetic hints are left out.
fn texts(reader: impl Read) -> Result<Vec<String>, ContainerError> {
    let mut xml = Xml::new(reader);
    let (mut texts, mut bytes) = (Vec::new(), 0_usize);
    let (mut own, mut inside, mut hint) = (String::new(), false, false);
    while let Some(event) = xml.next()? {
        match event {
            Event::Open("si", _) => own.clear(),
            Event::Close("si") => {
                bytes = bytes.saturating_add(own.len() + size_of::<String>());
                if bytes > MOST_BYTES {
                    return Err(ContainerError::TooLarge);
                }
                texts.push(unescape(&own));
            }
            Event::Open("rPh", _) => hint = true,
            Event::Close("rPh") => hint = false,
            Event::Open("t", _) => inside = true,
            Event::Close("t") => inside = false,
            Event::Text(text) if inside && !hint => append(&mut own, text)?,
            _ => {}
        }
    }
    Ok(texts)
}

/// Replaces Excel's escapes of letters that XML does not allow, such as `_x000D_`.
fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("_x") {
        out.push_str(before);
        let code = after.get(..5).and_then(|code| code.strip_suffix('_'));
        let letter = code.and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        match letter {
            Some(letter) => {
                out.push(letter);
                rest = after.get(5..).unwrap_or_default();
            }
            None => {
                out.push_str("_x");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests;
