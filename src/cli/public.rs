//! Reads `--public FILE`: a typed table, an earlier release or a CSV. A CSV that shares rows with the private table is refused, unless a
//! person states that the people are different (theory/accounting 5.6).

use std::cell::RefCell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::args::Args;
use super::bytes::read_all;
use super::document::parse_release;
use super::error::CliError;
use super::packed;
use super::table::{Table, TableError};
use crate::data::genotypes::Form;
use crate::data::minhash::{DIFFERENT, MinHash, MinHashScanner, Overlap, common_columns};
use crate::data::{Header, HeaderRules};
use crate::engine::Prepared;
use crate::engine::public::{prepare_table, table_of, table_of_release, term_names};
use crate::plan::public::PublicTable;
use crate::plan::public::document::{HEAD, MOST_BYTES, MOST_RELEASE_BYTES, SCHEMA};
use crate::plan::{CheckedPlan, Plan};
use crate::release::document::SCHEMA as RELEASE;
use crate::text::json;

/// A public file on a disk.
pub struct PublicFile {
    path: PathBuf,
}

impl PublicFile {
    /// Returns a file that can be read several times.
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
        let table = Table::open(&self.path, HeaderRules::of(checked)).map_err(unreadable)?;
        let header = table.header();
        let prepared = prepare_table(plan, &header.names, header.delimiter)?;
        let empty = || Prepared::sums(&prepared);
        let scan = table.scan(prepared.bound(), empty, workers).map_err(unreadable)?;
        Ok(table_of(&prepared, &scan.sink)?)
    }

    fn begins_as_json(&self) -> Result<bool, CliError> {
        let mut head = Vec::new();
        File::open(&self.path)
            .and_then(|file| file.take(HEAD).read_to_end(&mut head))
            .map_err(|error| CliError::unreadable("public file", &self.path, error))?;
        Ok(json::begins(&head))
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
        match json::schema(&text).as_deref() {
            Some(SCHEMA) if length > MOST_BYTES => {
                Err(CliError::usage("the public table is too long; list the plan's terms alone"))
            }
            Some(SCHEMA) => Ok(PublicTable::parse(&text)?),
            Some(RELEASE) => {
                let release = parse_release("the public release", &text)?;
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

fn unreadable(error: TableError) -> CliError {
    CliError::usage(format!("the public file: {error}"))
}

/// The records of a public CSV, to be found again in the private table.
pub struct Comparison {
    public: MinHash,
    /// The columns that both files have, among those of the private one.
    columns: Vec<bool>,
    common: usize,
    /// The records of a private stream, which are hashed while the release reads them.
    stream: Option<Rc<RefCell<MinHashScanner>>>,
}

impl Comparison {
    /// Hashes the records of the public file, in the columns that the table of `header` has, too. `None` for a file that has no records.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn new(public: &PublicFile, rules: HeaderRules, header: &Header) -> Result<Option<Self>, CliError> {
        if public.begins_as_json()? {
            return Ok(None);
        }
        let own = Table::open(&public.path, rules).map_err(unreadable)?;
        let own = own.header();
        let columns = common_columns(&header.names, &own.names);
        let common = columns.iter().filter(|is_common| **is_common).count();
        let scanner = MinHashScanner::to_compare(own, common_columns(&own.names, &header.names));
        let public = scanned(&public.path, own, scanner).map_err(unreadable)?.of_table();
        Ok(Some(Self { public, columns, common, stream: None }))
    }

    /// Compares the private file at `path`.
    ///
    /// # Errors
    /// When the two share people, and when the file cannot be read.
    pub fn with_file(&self, path: &Path, header: &Header) -> Result<(), CliError> {
        let scanner = MinHashScanner::to_compare(header, self.columns.clone()).seeking(&self.public);
        self.verdict(scanned(path, header, scanner)?.overlap())
    }

    /// Returns the table with a reader that hashes its records. [`Self::finish`] compares them.
    pub fn with_stream(&mut self, table: Table) -> Table {
        let scanner = MinHashScanner::to_compare(table.header(), self.columns.clone()).seeking(&self.public);
        let scanner = Rc::new(RefCell::new(scanner));
        self.stream = Some(Rc::clone(&scanner));
        table.observed(move |bytes| {
            scanner.borrow_mut().feed(bytes);
        })
    }

    /// Compares a stream that was read to its end: after the scan and before the charge.
    ///
    /// # Errors
    /// When the two share people.
    pub fn finish(&mut self) -> Result<(), CliError> {
        let scanner = self.stream.take().and_then(Rc::into_inner).map(RefCell::into_inner);
        scanner.map_or(Ok(()), |scanner| self.verdict(scanner.overlap()))
    }

    fn verdict(&self, overlap: Overlap) -> Result<(), CliError> {
        if !overlap.shares_people() {
            return Ok(());
        }
        let share = overlap.of_100();
        Err(CliError::usage(format!(
            "{share} of 100 rows that were compared are in both files, --public and the private table (in the {} column(s) that \
             both have); nothing in --public is protected, so give data of other people; if they are other people whose values coincide, \
             add --confirm-public \"{DIFFERENT}\"",
            self.common
        )))
    }
}

/// Returns whether a person has typed that the people of the public file are different ones.
///
/// # Errors
/// For any other words.
pub fn confirmed(args: &Args) -> Result<bool, CliError> {
    match args.text("confirm-public")? {
        None => Ok(false),
        Some(DIFFERENT) => Ok(true),
        Some(_) => Err(CliError::usage(format!("--confirm-public needs the words \"{DIFFERENT}\""))),
    }
}

/// Reads all records of a file.
fn scanned(path: &Path, header: &Header, mut scanner: MinHashScanner) -> Result<MinHashScanner, TableError> {
    let mut file = packed::bytes(path)?;
    io::copy(&mut file.by_ref().take(header.body_offset), &mut io::sink())?;
    read_all(&mut file, TableError::Io, |piece| {
        scanner.feed(piece);
        Ok(())
    })?;
    Ok(scanner)
}

#[cfg(test)]
mod tests {
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

    const HEADER: &str = "id,age,sex,sbp\n";

    /// Returns the records of persons with these numbers.
    fn records(numbers: std::ops::Range<u32>) -> String {
        numbers.map(|n| format!("{n},{},{},{}\n", 20 + n % 60, ["F", "M"][n as usize % 2], 100 + n)).collect()
    }

    /// Compares a public file with a private one, which is a file or a stream.
    fn compared(public: &str, private: &str, is_stream: bool) -> Result<(), CliError> {
        let folder = TempDir::new().unwrap();
        let [public_path, path] = ["public.csv", "table.csv"].map(|name| folder.path().join(name));
        fs::write(&public_path, public).unwrap();
        fs::write(&path, private).unwrap();
        let rules = HeaderRules::default();
        let public = PublicFile::open(&public_path).unwrap();
        let table = if is_stream {
            Table::stream(File::open(&path).unwrap(), rules).unwrap()
        } else {
            Table::open(&path, rules).unwrap()
        };
        let Some(mut comparison) = Comparison::new(&public, rules, table.header())? else { return Ok(()) };
        if is_stream {
            let header = table.header().clone();
            let prepared = prepare_table(&plan(), &header.names, header.delimiter).unwrap();
            let table = comparison.with_stream(table);
            table.scan(prepared.bound(), || Prepared::sums(&prepared), 1).unwrap();
            comparison.finish()
        } else {
            comparison.with_file(&path, table.header())
        }
    }

    #[test]
    fn a_disguised_copy_of_the_private_table_is_refused_and_not_quoted() {
        let private = format!("{HEADER}{}", records(0..400));
        let lines: Vec<Vec<&str>> = private.lines().map(|line| line.split(',').collect()).collect();
        let columns = |order: &[usize], delimiter: &str| -> String {
            let line =
                |line: &Vec<&str>| order.iter().map(|&at| line[at]).collect::<Vec<_>>().join(delimiter);
            lines.iter().map(line).collect::<Vec<_>>().join("\r\n")
        };
        let copies = [
            private.clone(),
            format!("{private}\n"),
            format!("{private}900,20,F,120\n"),
            columns(&[3, 1, 0, 2], ","),
            columns(&[3, 2, 1], ";"),
            private.replace(",F,", ",\"F\","),
            private.replacen("0,20,F,100\n", "", 1),
        ];
        for (at, copy) in copies.iter().enumerate() {
            for is_stream in [false, true] {
                let error = compared(copy, &private, is_stream).expect_err(&format!("copy {at}")).to_string();
                assert!(error.contains("all of 100 rows") && error.contains("different people"), "{error}");
                assert!(!error.contains("age"), "{error}");
            }
        }
        let half = format!("{HEADER}{}", records(200..600));
        assert!(compared(&half, &private, false).unwrap_err().to_string().contains("at least "));
        let other = format!("{HEADER}{}", records(400..900));
        for is_stream in [false, true] {
            compared(&other, &private, is_stream).unwrap();
        }
        compared("{\"schema\": \"discreet.public/1\"}", &private, false).unwrap();
    }
}
