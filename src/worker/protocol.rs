//! The messages between the page, the engine worker and the scanning workers: plain data.
//!
//! A message is one object, `{body, files?, ports?, bytes?, value?}`. `body` is one of the types below as JSON text, so that a
//! number of 64 bits and a document cross unchanged; handles (`File`, `MessagePort`) and byte arrays travel beside it.

use serde::{Deserialize, Serialize};

use crate::audit::check::Finding;
use crate::data::genotypes::{Choice, Matches, SamplePart, Shared};
use crate::data::inspection::Misfits;
use crate::data::minhash::Overlap;
use crate::data::slices::{Job, Outcome};
use crate::data::{FileRole, MinHashKey};
use crate::plan::Plan;
use crate::plan::bound::Encoding;
use crate::plan::number_format::NumberFormat;
use crate::plan::public::PublicTable;
use crate::privacy::ledger::Ledger;
use crate::words;

pub use crate::store::failure::{Failure, Reason};
pub use crate::store::identity::{CHUNK, FileKey};

impl Failure {
    /// Returns the failure for a message that was not expected here. Its reason is one after which only the storage knows of a charge.
    pub fn protocol() -> Self {
        Self::new(Reason::Internal, words::failure::protocol())
    }
}

/// A request of the page to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Request {
    /// Serve as a scanning worker. The files' handles and the port to the engine worker travel beside it.
    Scan,
    /// Recognise the table by its keyed fingerprint, and keep its MinHash. The files' handles and one port for each scanning worker travel
    /// beside it. This request and the next four are for the engine worker.
    Identify {
        /// The role of each file.
        files: Vec<FileRole>,
    },
    /// Read the table, wait for the click, charge the ledger, release. Files and ports travel beside it; the last port brings the click,
    /// which is the request as it is then.
    Release(Box<ReleaseRequest>),
    /// Read what the page shows of genotypes before they are described. Files travel beside it.
    Look(Look),
    /// Unpack a table that is compressed, in UTF-16, or a workbook. The file travels beside it.
    Unpack {
        /// The place of the workbook's sheet; without it the largest is taken.
        sheet: Option<usize>,
    },
    /// Read a public table as means, standard deviations and correlations. The public file and the ports travel beside it; no private file
    /// does.
    Public(Box<PublicRequest>),
    /// Count the cells that do not fit the columns as they are described so far. The file and the ports travel beside it.
    Inspect {
        /// The plan that describes them.
        plan: Box<Plan>,
    },
    /// Read a release. Its document travels beside it, and nothing of a table.
    ReadRelease,
    /// Forecast a plan. Nothing travels beside it: a forecast knows no table. A worker answers such requests one after another.
    Foresee(Box<Question>),
    /// Check this build, under a seed. Nothing travels beside it: the check knows neither table nor ledger.
    Audit {
        /// The seed.
        seed: u64,
    },
}

/// The request of a forecast: a plan, and what is public of its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The plan.
    pub plan: Plan,
    /// The table's header names in order.
    pub names: Vec<String>,
    /// The delimiter, resolved.
    pub delimiter: u8,
}

/// The request of a release.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseRequest {
    /// The role of each file.
    pub files: Vec<FileRole>,
    /// The number of the table's columns that the plan had when it was shown.
    pub columns: usize,
    /// The plan to run.
    pub plan: Plan,
    /// The table's key, as [`Response::Identified`] returned it. `None` before the click, where the same reading recognises the table.
    pub table: Option<String>,
    /// The plan by which the cells that do not fit are counted in the same reading.
    pub inspect: Option<Plan>,
    /// The hash of the last entry of the ledger that the page shows; `None` before the click.
    pub seen: Option<String>,
    /// The request's random name, by which the page distinguishes its charge from another tab's.
    pub name: String,
    /// Content hash of the page's program.
    pub build: String,
    /// The public moments of the columns, if the mechanism uses them.
    pub public: Option<PublicTable>,
}

impl ReleaseRequest {
    /// Returns whether the data read for this request may serve another one, because the requests differ only in fields that do
    /// not concern the records. The engine worker also compares how both plans encode the records.
    pub fn reads_as(&self, other: &Self) -> bool {
        let Plan { budget, confirm, confidence, .. } = other.plan.clone();
        let Self { table, seen, name, inspect, .. } = other.clone();
        let plan = Plan { budget, confirm, confidence, ..self.plan.clone() };
        Self { plan, table, seen, name, inspect, ..self.clone() } == *other
    }
}

/// The request of the moments of a public table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicRequest {
    /// The plan by whose columns it is read.
    pub plan: Plan,
    /// The private table's key. A public file with this key is refused.
    pub table: String,
}

/// Records of a public file that are in the private table, too, where they are more than a few.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SharedRows {
    /// The share of the smaller file's records.
    pub overlap: Overlap,
    /// The number of columns that both files have, in which they were compared.
    pub columns: usize,
}

/// The request of what the page shows of genotypes before they are described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// The role of each file.
    pub files: Vec<FileRole>,
    /// The variants that the person has chosen so far.
    pub variants: Vec<Choice>,
    /// The encoding of their text.
    pub encoding: Encoding,
    /// How numbers are written.
    pub numbers: NumberFormat,
}

/// What the page shows of genotypes. It is as private as the table and stays on this computer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Looked {
    /// The columns that are no variants.
    pub names: Vec<String>,
    /// Their cells for the first samples; a missing one is empty.
    pub rows: Vec<Vec<String>>,
    /// The columns of the variants that were chosen, in the source's order.
    pub variants: Vec<String>,
    /// The number of variants of the source, if all of it was read.
    pub total: Option<u64>,
    /// The patterns that fit no column, because several alleles or variants have the identifier.
    pub shared: Vec<Shared>,
    /// The number of columns that the samples' file has. Those of the phenotypes follow.
    pub own: usize,
    /// How all samples and phenotypes belong together, if there are phenotypes. The counts are exact facts about people: the page shows
    /// them on this computer and keeps them nowhere.
    pub matches: Option<Matches>,
}

/// The cells of a whole table that do not fit. The counts are exact facts about its people: the page shows them on this computer and
/// keeps them nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inspected {
    /// Rows of the table that meet the plan's conditions.
    pub rows: u64,
    /// Those of them that would be left out.
    pub left_out: u64,
    /// Those of them whose cells were counted: not a person's rows beyond the ones that count.
    pub counted: u64,
    /// The counts of each column, with its name.
    pub columns: Vec<(String, Misfits)>,
    /// Persons, where the plan names their column.
    pub persons: Option<u64>,
}

/// What the first reading for a release found beside what is released.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FirstReading {
    /// The table's key.
    pub table: String,
    /// The cells that do not fit, where they were counted.
    pub inspected: Option<Inspected>,
}

/// A worker's answer to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Response {
    /// The module has started; requests sent earlier would be lost.
    Ready,
    /// The progress of the reading. It counts bytes, which the person at this computer knows, and no rows.
    Progress(Progress),
    /// The table was recognised.
    Identified {
        /// Its key: the keyed fingerprint, by which the store on this device finds the table, and which no export has.
        table: String,
    },
    /// What the page shows of genotypes.
    Looked(Box<Looked>),
    /// The table was unpacked. Its CSV travels beside it.
    Unpacked {
        /// The names of the workbook's sheets; none for other files.
        sheets: Vec<String>,
        /// The place of the one that was taken.
        sheet: usize,
    },
    /// The cells were counted.
    Inspected(Inspected),
    /// The files of a release were read, or could not be read. In both cases the worker waits for the click.
    Read(Result<FirstReading, Failure>),
    /// A public file was read.
    Public {
        /// Its moments.
        table: Box<PublicTable>,
        /// What it shares with the private table.
        shared: Option<SharedRows>,
    },
    /// The charge is stored and the release is being made.
    Charged,
    /// The release is made. Its document travels beside the message.
    Released {
        /// The ledger after the charge.
        ledger: Box<Ledger>,
        /// Whether the release is stored.
        kept: bool,
    },
    /// The release was read. Beside it travels the document without the cells of many outcomes, which follow in pieces; nothing if the
    /// document is no release.
    ReleaseRead {
        /// The number of outcomes that follow.
        outcomes: usize,
    },
    /// A piece of the outcomes. Their cells travel beside it.
    Outcomes {
        /// Their names.
        outcomes: Vec<String>,
    },
    /// The forecast was made. It travels beside the message as a value, because JSON has no infinity.
    Foreseen,
    /// The finding of one item of the check so far.
    Found(Finding),
    /// All items of the check are done.
    Audited,
    /// The request failed.
    Failed(Failure),
}

/// A request of the engine worker to a scanning worker, over their port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanRequest {
    /// Chunks of files will be hashed with this key of the device. There is no answer.
    StartHash {
        /// The key.
        key: FileKey,
    },
    /// The records of slices will be hashed. There is no answer.
    StartMinHash {
        /// The key of this device's minhashes.
        key: MinHashKey,
        /// The delimiter of the header line.
        delimiter: u8,
    },
    /// Read a span and hash its chunks, read a slice, or both from the same bytes; the slice then begins in the span.
    Read {
        /// The span.
        span: Option<Span>,
        /// The slice, and what is done with its records.
        slice: Option<(Job, Taken)>,
    },
    /// Slices will be read under this plan, which each worker checks and binds itself. There is no answer.
    Plan {
        /// The plan.
        plan: Box<Plan>,
        /// The header's names in order.
        names: Vec<String>,
        /// The delimiter, resolved.
        delimiter: u8,
        /// The public moments of the columns.
        public: Option<Box<PublicTable>>,
    },
    /// Slices of a public table will be read for this plan. There is no answer.
    Public {
        /// The plan.
        plan: Box<Plan>,
        /// The public header's names in order.
        names: Vec<String>,
        /// The delimiter, resolved.
        delimiter: u8,
    },
    /// Slices will be read for a count of the cells that do not fit. There is no answer.
    Inspect {
        /// The plan that describes the columns.
        plan: Box<Plan>,
        /// The header's names in order.
        names: Vec<String>,
        /// The delimiter, resolved.
        delimiter: u8,
    },
    /// Keep the records of some samples, whose calls travel beside it. There is no answer.
    Keep {
        /// The records.
        part: Box<SamplePart>,
    },
    /// Rows and records that were kept are not needed any more. There is no answer.
    Forget,
    /// The noisy integers of a round travel beside it. The next round depends on them. There is no answer.
    Answer,
    /// Sum the rows and records that were kept, for the open round.
    Sum {
        /// The slices whose rows count.
        slices: Vec<usize>,
    },
}

/// Consecutive chunks of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    /// The place of the file among the files.
    pub file: usize,
    /// Offset of the first byte.
    pub from: u64,
    /// Offset after the last byte.
    pub to: u64,
}

/// What is done with the records of a slice, all from the same bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Their bytes are hashed for a MinHash, which crosses to the engine worker.
    pub hashed: bool,
    /// Their cells that do not fit are counted, and the counts cross to the engine worker.
    pub inspected: bool,
    /// What becomes of them as the release's plan reads them, if it does.
    pub rows: Option<Fate>,
}

/// What becomes of the records that a release's plan reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fate {
    /// They stay here, encoded, under the slice's number.
    Kept,
    /// They are counted.
    Counted,
    /// They are summed as the round needs them, and the sums cross to the engine worker.
    Summed,
}

/// A scanning worker's answer over its port. It is private: the page never receives it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScanResponse {
    /// Bytes read since the last message.
    Read {
        /// Their number.
        bytes: u64,
    },
    /// A span and a slice were read, or one of the two. Beside it travel the digests of the chunks, then what came of the slice's
    /// records: their MinHash, the counts of their cells, their sums.
    Done {
        /// The slice, without its sums.
        slice: Option<Outcome<()>>,
        /// The number of chunks.
        chunks: usize,
        /// The bytes of the MinHash.
        minhash: usize,
        /// The bytes of the counts.
        counts: usize,
    },
    /// The sums of a round over what was kept travel beside it.
    Summed,
    /// The slice could not be read.
    Failed(Failure),
}

/// The progress of one pass over the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes read.
    pub done: u64,
    /// The number of all bytes.
    pub total: u64,
    /// The round, where there are several.
    pub round: Option<RoundNumber>,
}

/// One of several rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundNumber {
    /// Its number, from 1.
    pub number: u32,
    /// The number of rounds.
    pub of: u32,
    /// Whether the rows are in memory; else the files are read again.
    pub kept: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::check::{Measured, Verdict};

    #[test]
    fn a_message_crosses_unchanged() {
        let messages = [
            Response::Progress(Progress {
                done: (1 << 60) + 1,
                total: u64::MAX,
                round: Some(RoundNumber { number: 2, of: 6, kept: true }),
            }),
            Response::Identified { table: "ab".to_owned() },
            Response::Inspected(Inspected {
                rows: u64::MAX,
                left_out: 1,
                counted: 2,
                columns: vec![(
                    "a".to_owned(),
                    Misfits {
                        missing: 1,
                        unread: 2,
                        cells: vec![("<5".to_owned(), 2)],
                        outside: (1 << 60) + 1,
                        above: 1 << 60,
                        coded: 1,
                        codes: vec!["-9".to_owned()],
                        hidden: vec!["99".to_owned()],
                        at_bounds: [true, false],
                    },
                )],
                persons: Some(3),
            }),
            Response::Read(Ok(FirstReading { table: "ab".to_owned(), inspected: None })),
            Response::Read(Err(Failure::protocol())),
            Response::Charged,
            Response::ReleaseRead { outcomes: 100_000 },
            Response::Outcomes { outcomes: vec!["y".to_owned()] },
            Response::Found(Finding {
                item: 3,
                done: 7,
                planned: 9,
                measured: Measured::Disproved { claim: 0.1 + 0.2, mu: f64::MAX, alpha: 1e-7 },
                verdict: Verdict::Broken,
            }),
            Response::Failed(Failure::after_charge(Reason::Cancelled)),
        ];
        for message in messages {
            let text = serde_json::to_string(&message).unwrap();
            assert_eq!(serde_json::from_str::<Response>(&text).unwrap(), message, "{text}");
        }
    }

    #[test]
    fn what_was_read_serves_another_budget_and_no_other_columns() {
        let plan = r#"{"schema": "discreet.plan/1", "adjacency": "add-remove", "mechanism": {"name": "analyze-gauss"},
            "columns": [{"name": "y", "role": "outcome", "type": "number", "lower": 0, "upper": 1}],
            "budget": {"epsilon": 1, "delta": 1e-6}}"#;
        let read = ReleaseRequest {
            files: vec![FileRole::Table],
            columns: 1,
            plan: Plan::parse(plan).unwrap(),
            table: None,
            inspect: None,
            seen: None,
            name: "a".to_owned(),
            build: "b".to_owned(),
            public: None,
        };
        let mut asked = ReleaseRequest {
            table: Some("key".to_owned()),
            inspect: Some(read.plan.clone()),
            seen: Some("tip".to_owned()),
            name: "c".to_owned(),
            ..read.clone()
        };
        asked.plan.budget.epsilon = Some(2.0);
        asked.plan.confidence = Some(0.9);
        assert!(read.reads_as(&asked));
        let changes: [fn(&mut ReleaseRequest); 5] = [
            |asked| asked.plan.columns[0].upper = None,
            |asked| asked.plan.rows = Some(9),
            |asked| asked.plan.mechanism.name = "dp-ridge".to_owned(),
            |asked| asked.files = vec![FileRole::Bed],
            |asked| asked.build = "another".to_owned(),
        ];
        for change in changes {
            let mut other = asked.clone();
            change(&mut other);
            assert!(!read.reads_as(&other), "{other:?}");
        }
    }

    #[test]
    fn what_a_worker_is_asked_to_hash_crosses_unchanged() {
        let job = Job { slice: 3, from: u64::MAX, to: 7, known: true, marked: true };
        for request in [
            ScanRequest::StartHash { key: [255; 16] },
            ScanRequest::StartMinHash { key: std::array::from_fn(|_| 255), delimiter: b';' },
            ScanRequest::Read { span: Some(Span { file: 3, from: 1, to: 2 }), slice: None },
            ScanRequest::Read { span: None, slice: Some((job, Taken { hashed: true, ..Taken::default() })) },
            ScanRequest::Read {
                span: Some(Span { file: 0, from: 1, to: 2 }),
                slice: Some((job, Taken { inspected: true, rows: Some(Fate::Kept), ..Taken::default() })),
            },
            ScanRequest::Sum { slices: vec![0, usize::MAX] },
        ] {
            let text = serde_json::to_string(&request).unwrap();
            assert_eq!(serde_json::from_str::<ScanRequest>(&text).unwrap(), request, "{text}");
        }
    }

    #[test]
    fn what_each_file_is_crosses_unchanged() {
        let files = vec![
            FileRole::Table,
            FileRole::Bed,
            FileRole::Bim,
            FileRole::Fam,
            FileRole::Vcf,
            FileRole::Phenotypes,
        ];
        let request = Request::Identify { files };
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<Request>(&text).unwrap(), request, "{text}");
        assert!(serde_json::from_str::<Request>(r#"{"identify":{"files":["bgen"]}}"#).is_err());
    }

    #[test]
    fn an_unknown_message_is_refused() {
        assert!(serde_json::from_str::<Response>(r#""something-else""#).is_err());
        assert!(serde_json::from_str::<ScanRequest>(r#"{"sum":{"slices":[-1]}}"#).is_err());
    }
}
