//! Reads `--public FILE`: a typed table, an earlier release or a CSV. The private table itself is refused.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::error::CliError;
use super::table::{Table, TableError, read_some};
use crate::data::HeaderRules;
use crate::data::genotypes::Form;
use crate::engine::Prepared;
use crate::engine::public::{prepare_table, table_of, table_of_release, term_names};
use crate::plan::public::PublicTable;
use crate::plan::public::document::{MOST_BYTES, SCHEMA};
use crate::plan::{CheckedPlan, Plan};
use crate::release::Release;
use crate::release::document::SCHEMA as RELEASE;

/// Longest release that is read as public input.
const MOST_RELEASE_BYTES: u64 = 1 << 28;

/// The number of bytes of a file in which its JSON document must begin.
const HEAD: u64 = 1 << 12;

/// A public file on a disk.
pub struct PublicFile {
    path: PathBuf,
}

impl PublicFile {
    /// Returns a file that can be read twice: once to compare it, once to use it.
    ///
    /// # Errors
    /// When it is none.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        let metadata =
            fs::metadata(path).map_err(|error| CliError::unreadable("public file", path, error))?;
        if metadata.is_file() {
            Ok(Self { path: path.to_owned() })
        } else {
            Err(CliError::usage(
                "--public needs a regular file, not a stream; save the public data as a file",
            ))
        }
    }

    /// Refuses the file if `table` has the same bytes. [`Self::beside`] compares a table that can be read only once.
    ///
    /// # Errors
    /// [`CliError::Input`] if the two are the same or cannot be read.
    pub fn differs_from(&self, table: &Path) -> Result<(), CliError> {
        let unreadable = |error: io::Error| CliError::unreadable("public file", &self.path, error);
        let Ok(other) = File::open(table).and_then(|file| Ok((file.metadata()?, file))) else {
            return Ok(());
        };
        let (metadata, other) = other;
        let own = File::open(&self.path).map_err(unreadable)?;
        if !metadata.is_file() || own.metadata().map_err(unreadable)?.len() != metadata.len() {
            return Ok(());
        }
        let mut twin = Twin::new(own);
        let mut other = other;
        let mut piece = vec![0; 1 << 16];
        loop {
            let count = read_some(&mut other, &mut piece).map_err(unreadable)?;
            if count == 0 {
                break;
            }
            if !twin.follows(&piece[..count]) {
                return Ok(());
            }
        }
        if twin.ends() { Err(same()) } else { Ok(()) }
    }

    /// Returns the private table at `path`. One that can be read only once is compared with this file while it is read, and
    /// [`Watch::check`] gives the answer.
    ///
    /// # Errors
    /// When one of the two cannot be read.
    pub fn beside(&self, path: &Path, rules: HeaderRules) -> Result<(Table, Option<Watch>), CliError> {
        let stream: Box<dyn Read> = if path == Path::new("-") {
            Box::new(io::stdin())
        } else {
            let file = File::open(path).map_err(TableError::from)?;
            if file.metadata().map_err(TableError::from)?.is_file() {
                return Ok((Table::open(path, rules)?, None));
            }
            Box::new(file)
        };
        let own =
            File::open(&self.path).map_err(|error| CliError::unreadable("public file", &self.path, error))?;
        let same = Arc::default();
        let watched = Watched { stream, twin: Twin::new(own), same: Arc::clone(&same) };
        Ok((Table::stream(watched, rules)?, Some(Watch { same })))
    }

    /// Reads what the file states about the columns of `plan`, which was bound to a private header of `names`.
    ///
    /// # Errors
    /// When it is none of the three forms, or does not cover the features.
    pub fn table(
        &self,
        plan: &Plan,
        checked: &CheckedPlan,
        names: &[String],
        delimiter: u8,
        workers: usize,
    ) -> Result<PublicTable, CliError> {
        if self.begins_as_json()? {
            return self.document(plan, names, delimiter);
        }
        if Form::of(&self.path.to_string_lossy()).is_some() {
            return Err(CliError::usage(
                "--public takes a CSV, a typed table (discreet.public/1) or an earlier release; convert genotypes to a CSV \
                 first",
            ));
        }
        let unreadable = |error: TableError| CliError::usage(format!("the public file: {error}"));
        let rules = HeaderRules::of(checked);
        let table = Table::open(&self.path, rules).map_err(unreadable)?;
        let header = table.header();
        let prepared = prepare_table(plan, &header.names, header.delimiter)?;
        let empty = || Prepared::sums(&prepared);
        let scan = table.scan(prepared.bound(), empty, workers, |_, _| ()).map_err(unreadable)?;
        Ok(table_of(&prepared, &scan.sink)?)
    }

    fn begins_as_json(&self) -> Result<bool, CliError> {
        let mut head = Vec::new();
        File::open(&self.path)
            .and_then(|file| file.take(HEAD).read_to_end(&mut head))
            .map_err(|error| CliError::unreadable("public file", &self.path, error))?;
        let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head);
        Ok(text.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{'))
    }

    /// Returns a typed table, or an earlier release.
    fn document(&self, plan: &Plan, names: &[String], delimiter: u8) -> Result<PublicTable, CliError> {
        let length = fs::metadata(&self.path).map_or(0, |metadata| metadata.len());
        if length > MOST_RELEASE_BYTES {
            return Err(CliError::usage(
                "the public file is too long for a document; give a CSV, or fewer terms",
            ));
        }
        let text = fs::read_to_string(&self.path)
            .map_err(|error| CliError::unreadable("public file", &self.path, error))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        match schema_of(text).as_deref() {
            Some(SCHEMA) if length > MOST_BYTES => {
                Err(CliError::usage("the public table is too long; list the plan's terms alone"))
            }
            Some(SCHEMA) => Ok(PublicTable::parse(text)?),
            Some(RELEASE) => {
                let mut reader = serde_json::Deserializer::from_str(text);
                let release: Release = serde_path_to_error::deserialize(&mut reader)
                    .map_err(|error| wrong(&error.path().to_string(), error.inner()))?;
                reader.end().map_err(|error| wrong(".", &error))?;
                let (features, outcomes) = term_names(&prepare_table(plan, names, delimiter)?);
                Ok(table_of_release(&release, &features, &outcomes)?)
            }
            _ => Err(CliError::usage(format!(
                "the public file is no JSON document with the schema \"{SCHEMA}\" or \"{RELEASE}\", and no CSV; check \
                 the file"
            ))),
        }
    }
}

/// Returns the schema that a JSON document names.
fn schema_of(text: &str) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Named {
        schema: Value,
    }
    let named: Named = serde_json::from_str(text).ok()?;
    named.schema.as_str().map(str::to_owned)
}

fn wrong(path: &str, error: &serde_json::Error) -> CliError {
    CliError::usage(format!("the public release: {error}, at `{path}`; take an unaltered copy"))
}

fn same() -> CliError {
    CliError::usage(
        "the public file has the same bytes as the private table; give data of other people, for what is read from \
         --public is protected by nothing",
    )
}

/// A file that is compared with what is read elsewhere.
struct Twin {
    file: BufReader<File>,
    same: bool,
}

impl Twin {
    fn new(file: File) -> Self {
        Self { file: BufReader::new(file), same: true }
    }

    /// Returns whether the file goes on with these bytes; once it did not, no more is read.
    fn follows(&mut self, bytes: &[u8]) -> bool {
        if self.same {
            let mut own = vec![0; bytes.len()];
            self.same = self.file.read_exact(&mut own).is_ok() && own == bytes;
        }
        self.same
    }

    /// Returns whether it was the same and is at its end.
    fn ends(&mut self) -> bool {
        self.same = self.same && matches!(read_some(&mut self.file, &mut [0]), Ok(0));
        self.same
    }
}

/// A stream that is compared with a public file while it is read.
struct Watched<R> {
    stream: R,
    twin: Twin,
    same: Arc<AtomicBool>,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
        let count = self.stream.read(piece)?;
        if count > 0 {
            self.twin.follows(&piece[..count]);
            self.same.store(false, Ordering::Relaxed);
        } else if !piece.is_empty() {
            self.same.store(self.twin.ends(), Ordering::Relaxed);
        }
        Ok(count)
    }
}

/// Whether a stream that was read to its end was the public file.
pub struct Watch {
    same: Arc<AtomicBool>,
}

impl Watch {
    /// Checks the file after the scan and before the charge.
    ///
    /// # Errors
    /// When the two had the same bytes.
    pub fn check(&self) -> Result<(), CliError> {
        if self.same.load(Ordering::Relaxed) { Err(same()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use serde_json::json;
    use tempfile::TempDir;

    use super::*;
    use crate::plan::Purpose;

    fn plan() -> Plan {
        let plan = json!({
            "schema": "discreet.plan/1",
            "adjacency": "add-remove",
            "columns": [
                {"name": "age", "role": "feature", "type": "number", "lower": 0, "upper": 120},
                {"name": "sex", "role": "feature", "type": "category", "levels": ["F", "M"]},
                {"name": "sbp", "role": "outcome", "type": "number", "lower": 60, "upper": 260}
            ],
            "mechanism": {"name": "ols"},
            "budget": {"none": true}
        });
        Plan::parse(&plan.to_string()).unwrap()
    }

    /// Reads a public file from its bytes.
    fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<PublicTable, CliError> {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        let checked = CheckedPlan::new(plan(), Purpose::Simulate).unwrap();
        let names = ["age", "sex", "sbp"].map(str::to_owned);
        PublicFile::open(&path)?.table(&plan(), &checked, &names, b',', 2)
    }

    #[test]
    fn the_file_says_what_it_is() {
        let typed = json!({
            "schema": SCHEMA, "source": "Smith 2020", "rows": 1200,
            "terms": [{"term": "age", "mean": 54.1, "sd": 12.3}, {"term": "sex[M]", "mean": 0.48}],
            "correlation": [[1, 0.02], [0.02, 1]]
        });
        for text in [typed.to_string(), format!("\u{feff}\n  {typed}\n")] {
            assert_eq!(read("a.csv", text).unwrap().source, "Smith 2020");
        }
        let csv = "sbp;sex;age\n120;M;50\n110;F;30\n100;F;70\n";
        let table = read("a.json", csv).unwrap();
        assert_eq!((table.rows, table.terms.len()), (3, 3));
        assert!((table.terms[0].mean - 50.0).abs() < 1e-10);
    }

    #[test]
    fn what_is_none_of_the_forms_is_refused_with_the_reason() {
        let damaged = json!({"schema": RELEASE, "plan": 1}).to_string();
        let cases: [(&str, &str, &str); 8] = [
            ("a.json", r#"{"schema": "discreet.plan/1"}"#, "no JSON document with the schema"),
            ("a.json", "{\"age\n1\n", "no JSON document"),
            ("a.json", &damaged, "the public release: "),
            ("a.json", r#"{"schema": "discreet.public/1", "rows": 1.5}"#, "at `public.rows`"),
            ("a.csv", "age,sbp\n1,2\n", "the public table has no column `sex`"),
            ("a.csv", "", "the public file: "),
            ("a.csv", "age,sex,sbp\n1,F\n", "the public file: "),
            ("a.vcf", "age,sex,sbp\n1,F,2\n", "genotypes"),
        ];
        for (name, text, expected) in cases {
            let error = read(name, text).unwrap_err();
            assert_eq!(error.status(), 2);
            assert!(error.to_string().contains(expected), "{text}: {error}");
        }
        let folder = TempDir::new().unwrap();
        assert!(PublicFile::open(folder.path()).is_err());
        assert!(PublicFile::open(&folder.path().join("nothing")).is_err());
    }

    const PRIVATE: &str = "age,sex,sbp\n50,M,120\n30,F,110\n";

    #[test]
    fn a_copy_of_the_private_table_is_refused_and_not_quoted() {
        let folder = TempDir::new().unwrap();
        let path = |name: &str| folder.path().join(name);
        let write = |name: &str, text: &str| fs::write(path(name), text).unwrap();
        write("table.csv", PRIVATE);
        write("copy.csv", PRIVATE);
        write("longer.csv", &format!("{PRIVATE}60,M,130\n"));
        write("other.csv", &PRIVATE.replace("120", "121"));
        for name in ["table.csv", "copy.csv"] {
            let public = PublicFile::open(&path(name)).unwrap();
            let error = public.differs_from(&path("table.csv")).unwrap_err().to_string();
            assert!(error.contains("same bytes"), "{error}");
            assert!(["age", "120", "table.csv"].iter().all(|part| !error.contains(part)), "{error}");
        }
        for name in ["longer.csv", "other.csv"] {
            let public = PublicFile::open(&path(name)).unwrap();
            assert!(public.differs_from(&path("table.csv")).is_ok(), "{name}");
            assert!(public.differs_from(&path("nothing")).is_ok(), "another message says so");
        }
    }

    /// A reader that gives a few bytes at a time.
    struct Drops(Cursor<Vec<u8>>, usize);

    impl Read for Drops {
        fn read(&mut self, piece: &mut [u8]) -> io::Result<usize> {
            let most = self.1.min(piece.len());
            self.0.read(&mut piece[..most])
        }
    }

    #[test]
    fn a_stream_is_compared_while_it_is_read() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("public.csv");
        fs::write(&path, PRIVATE).unwrap();
        let longer = format!("{PRIVATE}60,M,130\n");
        let shorter = &PRIVATE[..PRIVATE.len() - 1];
        for (text, is_same) in [(PRIVATE, true), (longer.as_str(), false), (shorter, false), ("", false)] {
            for drop in [1, 7, 1000] {
                let same = Arc::default();
                let stream = Drops(Cursor::new(text.as_bytes().to_vec()), drop);
                let twin = Twin::new(File::open(&path).unwrap());
                let mut watched = Watched { stream, twin, same: Arc::clone(&same) };
                let mut read = Vec::new();
                watched.read_to_end(&mut read).unwrap();
                assert_eq!(watched.read(&mut [0; 4]).unwrap(), 0, "the end stays the end");
                assert_eq!(read, text.as_bytes());
                assert_eq!(Watch { same }.check().is_err(), is_same, "{text:?} by {drop}");
            }
        }
    }
}
