//! The samples of a source, in its order.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::cells::Cells;
use super::error::{GenotypeError, GenotypeFault, SourceFile};
use super::lines::Lines;
use crate::data::latin1;
use crate::plan::bound::Encoding;

/// Columns of a .fam file that are columns of the table; father and mother, its third and fourth, are not.
const FAM: [(&str, usize); 4] = [("FID", 0), ("IID", 1), ("SEX", 4), ("PHENO", 5)];

/// Fields of a line of a .fam file.
const FAM_FIELDS: usize = 6;

/// The samples of a source with their values. As private as the table.
#[derive(Debug)]
pub struct Samples {
    names: Vec<&'static str>,
    cells: Cells,
}

impl Samples {
    /// Creates samples that have only a name. Returns the position of the first name that occurs twice as an error.
    pub(super) fn named<'a>(ids: impl Iterator<Item = Cow<'a, str>>) -> Result<Self, usize> {
        let mut cells = Cells::new(1);
        let mut seen = HashSet::new();
        for (place, id) in ids.enumerate() {
            cells.push(&id);
            if !seen.insert(id) {
                return Err(place);
            }
        }
        Ok(Self { names: vec!["IID"], cells })
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// Returns at most `count` first samples.
    pub fn first(&self, count: usize) -> Self {
        let mut cells = Cells::new(self.names.len());
        for sample in 0..self.len().min(count) {
            (0..self.names.len()).for_each(|column| cells.push(self.cell(sample, column)));
        }
        Self { names: self.names.clone(), cells }
    }

    /// Returns the family and id that identify each sample. A family that is `0` or equal to the id is returned as empty, because
    /// PLINK writes samples without families in this way. So a VCF and a PLINK set that was made from it have the same people.
    pub fn people(&self) -> impl Iterator<Item = [&str; 2]> {
        let id = usize::from(self.have_family());
        (0..self.len()).map(move |sample| {
            let family = if self.have_family() { self.cell(sample, 0) } else { "" };
            let id = self.cell(sample, id);
            if family == "0" || family == id { ["", id] } else { [family, id] }
        })
    }

    /// Returns whether there are no samples.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the names of the columns.
    pub(super) fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// Returns one cell as it stands in the file.
    pub(super) fn cell(&self, sample: usize, column: usize) -> &str {
        self.cells.get(sample, column)
    }

    /// Returns whether the samples have families.
    pub(super) fn have_family(&self) -> bool {
        self.names.contains(&"FID")
    }

    /// Returns the number of each sample by family and id, or by its id alone with an empty family.
    pub(super) fn index(&self, by_family: bool) -> Result<HashMap<(&str, &str), usize>, GenotypeFault> {
        let mut index = HashMap::with_capacity(self.len());
        let id = usize::from(self.have_family());
        for sample in 0..self.len() {
            let family = if by_family { self.cell(sample, 0) } else { "" };
            if index.insert((family, self.cell(sample, id)), sample).is_some() {
                return Err(GenotypeFault::FamilyNeeded);
            }
        }
        Ok(index)
    }
}

/// A push reader for PLINK's .fam file: a line for each sample with family, id, father, mother, sex and phenotype, between
/// white space.
#[derive(Debug)]
pub struct FamReader {
    encoding: Encoding,
    lines: Lines,
    cells: Cells,
    /// Family and id of each sample so far.
    seen: HashSet<(Box<str>, Box<str>)>,
}

impl FamReader {
    /// Creates a reader of text in this encoding.
    pub fn new(encoding: Encoding) -> Self {
        Self {
            encoding,
            lines: Lines::after(SourceFile::Fam, 0),
            cells: Cells::new(FAM.len()),
            seen: HashSet::new(),
        }
    }

    /// Reads the next bytes.
    ///
    /// # Errors
    /// [`GenotypeError`] for the first malformed line.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), GenotypeError> {
        let Self { encoding, lines, cells, seen } = self;
        lines.feed(bytes, |number, line| add(*encoding, cells, seen, number, line))
    }

    /// Ends the file.
    ///
    /// # Errors
    /// [`GenotypeError`] for its last line, or where there is no sample.
    pub fn finish(self) -> Result<Samples, GenotypeError> {
        let Self { encoding, lines, mut cells, mut seen } = self;
        lines.finish(|number, line| add(encoding, &mut cells, &mut seen, number, line))?;
        if cells.len() == 0 {
            return Err(GenotypeError::of(SourceFile::Fam, GenotypeFault::NoSample));
        }
        Ok(Samples { names: FAM.map(|(name, _)| name).into(), cells })
    }
}

fn add(
    encoding: Encoding,
    cells: &mut Cells,
    seen: &mut HashSet<(Box<str>, Box<str>)>,
    number: u64,
    line: &[u8],
) -> Result<(), GenotypeError> {
    let failed = |fault| GenotypeError::at(SourceFile::Fam, number, fault);
    let line = text(line, encoding).ok_or_else(|| failed(GenotypeFault::NotText))?;
    let Some(fields) = fields(&line, FAM_FIELDS).map_err(failed)? else { return Ok(()) };
    if !seen.insert((fields[0].into(), fields[1].into())) {
        return Err(failed(GenotypeFault::DoubledSample));
    }
    for (_, field) in FAM {
        cells.push(fields[field]);
    }
    Ok(())
}

/// Splits a line at white space into fields; `None` for a blank line.
pub(super) fn fields(line: &str, expected: usize) -> Result<Option<Vec<&str>>, GenotypeFault> {
    let fields: Vec<&str> = line.split_ascii_whitespace().take(expected + 1).collect();
    match fields.len() {
        0 => Ok(None),
        found if found == expected => Ok(Some(fields)),
        _ => {
            let found = line.split_ascii_whitespace().count();
            Err(GenotypeFault::Fields { found, expected })
        }
    }
}

/// Decodes bytes as text. `None` if they are not valid in the encoding.
pub(super) fn text(bytes: &[u8], encoding: Encoding) -> Option<Cow<'_, str>> {
    if memchr::memchr(0, bytes).is_some() {
        return None;
    }
    match encoding {
        Encoding::Utf8 => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Encoding::Latin1 => Some(latin1::text(bytes).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fam(bytes: &[u8], piece: usize) -> Result<Samples, GenotypeError> {
        let mut reader = FamReader::new(Encoding::Utf8);
        for piece in bytes.chunks(piece) {
            reader.feed(piece)?;
        }
        reader.finish()
    }

    fn fault(bytes: &[u8]) -> (Option<u64>, GenotypeFault) {
        let error = fam(bytes, 3).unwrap_err();
        assert_eq!(error.place.file, SourceFile::Fam);
        (error.place.line, error.fault)
    }

    #[test]
    fn a_fam_file_is_its_samples() {
        let bytes = "f1 a 0 0 1 2\r\n\nf1\tb  0\t0 2 -9\nf2 a 0 0 0 1.5".as_bytes();
        for piece in [1, 5, 100] {
            let samples = fam(bytes, piece).unwrap();
            assert_eq!((samples.len(), samples.names()), (3, &["FID", "IID", "SEX", "PHENO"][..]));
            let row = |sample| [0, 1, 2, 3].map(|column| samples.cell(sample, column).to_owned());
            assert_eq!(row(0), ["f1", "a", "1", "2"]);
            assert_eq!(row(1), ["f1", "b", "2", "-9"]);
            assert_eq!(row(2), ["f2", "a", "0", "1.5"]);
            assert_eq!(samples.index(true).unwrap()[&("f2", "a")], 2);
            assert_eq!(samples.index(false).unwrap_err(), GenotypeFault::FamilyNeeded);
        }
    }

    #[test]
    fn a_person_is_known_by_family_and_id() {
        let samples = fam(b"f1 a 0 0 1 2\n0 b 0 0 1 2\nc c 0 0 1 2\nf2 a 0 0 1 2\n", 9).unwrap();
        let people: Vec<[&str; 2]> = samples.people().collect();
        assert_eq!(people, [["f1", "a"], ["", "b"], ["", "c"], ["f2", "a"]]);
        let vcf = Samples::named(["a", "b"].into_iter().map(Into::into)).unwrap();
        assert_eq!(vcf.people().collect::<Vec<_>>(), [["", "a"], ["", "b"]]);
        let first = samples.first(2);
        assert_eq!((first.len(), first.cell(1, 1), samples.first(9).len()), (2, "b", 4));
    }

    #[test]
    fn a_fam_file_that_is_none_is_refused_with_its_line() {
        let wrong = |found| GenotypeFault::Fields { found, expected: 6 };
        assert_eq!(fault(b"f a 0 0 1 2\nf b 0 0 1\n"), (Some(2), wrong(5)));
        assert_eq!(fault(b"f a 0 0 1 2 x y\n"), (Some(1), wrong(8)));
        assert_eq!(fault(b"f a 0 0 1 2\n\nf a 0 0 2 1\n"), (Some(3), GenotypeFault::DoubledSample));
        assert_eq!(fault(b"f \xff 0 0 1 2\n"), (Some(1), GenotypeFault::NotText));
        assert_eq!(fault(b"f \0 0 0 1 2\n"), (Some(1), GenotypeFault::NotText));
        assert_eq!(fault(b"\n \n"), (None, GenotypeFault::NoSample));
    }
}
