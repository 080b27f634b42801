//! The messages between the page, the engine worker and the scanning workers: plain data.
//!
//! A message is one object, `{body, files?, ports?, bytes?}`. `body` is one of the types below as JSON text, so that a
//! number of 64 bits and a document cross unchanged; handles (`File`, `MessagePort`) and byte arrays travel beside it.

use serde::{Deserialize, Serialize};

use crate::audit::check::Finding;
use crate::data::genotypes::Choice;
use crate::data::slices::Job;
use crate::data::{FileRole, MinHashKey};
use crate::plan::Plan;
use crate::plan::bound::Encoding;
use crate::plan::number_format::NumberFormat;
use crate::plan::public::PublicTable;
use crate::privacy::ledger::Ledger;

pub use crate::store::failure::{Failure, Reason};

/// Bytes in a chunk of the fingerprint, and the most that is read at once (theory/accounting 5.6).
pub const CHUNK: u64 = 4 << 20;

/// What the page asks of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Request {
    /// Be a scanning worker. The files' handles and the port to the engine worker travel beside it.
    Scan,
    /// Be the engine worker: recognise the table by its keyed fingerprint, and keep its minhash. The files' handles and one port for each
    /// scanning worker travel beside it.
    Identify {
        /// What each of the files is.
        files: Vec<FileRole>,
    },
    /// Be the engine worker: read the table, charge the ledger, release. Files and ports travel beside it.
    Release(Box<ReleaseRequest>),
    /// Be the engine worker: say what a person sees of genotypes before they are described. Files travel beside it.
    Look(Look),
    /// Be the engine worker: unpack a table that is compressed, in UTF-16, or a workbook. The file travels beside it.
    Unpack {
        /// The place of the workbook's sheet.
        sheet: usize,
    },
    /// Be the engine worker: read a public table as means, standard deviations and correlations. The public file and the ports ride
    /// beside it; no private file does.
    Public(Box<PublicRequest>),
    /// Check this build, under a seed. Nothing rides beside it: the check knows neither table nor ledger.
    Audit {
        /// The seed.
        seed: u64,
    },
}

/// One release, as the page asks for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReleaseRequest {
    /// What each of the files is.
    pub files: Vec<FileRole>,
    /// How many of the table's columns the plan had when it was shown.
    pub columns: usize,
    /// The plan to run.
    pub plan: Plan,
    /// The table, as [`Response::Identified`] named it.
    pub table: String,
    /// The request's own name, random, so that the page can tell its charge from another tab's.
    pub name: String,
    /// Content hash of the page's program.
    pub build: String,
    /// What is publicly known of the columns, where the mechanism is guided by it.
    pub public: Option<PublicTable>,
}

/// One public table, as the page asks for its moments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublicRequest {
    /// The plan by whose columns it is read.
    pub plan: Plan,
    /// The private table, as [`Response::Identified`] named it: a file of that name is refused.
    pub table: String,
}

/// What the page asks of genotypes before they are described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Look {
    /// What each of the files is.
    pub files: Vec<FileRole>,
    /// The variants that the person has chosen so far.
    pub variants: Vec<Choice>,
    /// How bytes become text.
    pub encoding: Encoding,
    /// How numbers are written.
    pub numbers: NumberFormat,
}

/// What a person sees of genotypes. As private as the table: it is for the screen of this machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Looked {
    /// The columns that are no variants.
    pub names: Vec<String>,
    /// Their cells for the first samples; a missing one is empty.
    pub rows: Vec<Vec<String>>,
    /// The columns of the variants that were chosen, in the source's order.
    pub variants: Vec<String>,
    /// How many variants the source has, where all of it was read.
    pub total: Option<u64>,
}

/// What a worker answers to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Response {
    /// The module has started; requests sent earlier would be lost.
    Ready {
        /// [`build_id`] of the worker's module.
        build: String,
    },
    /// How far the reading is. Bytes are public to the person at this machine; rows are not counted.
    Progress(Progress),
    /// The table's name in the store.
    Identified {
        /// Keyed fingerprint: an opaque key of the store on this device, never exported.
        table: String,
    },
    /// What a person sees of genotypes.
    Looked(Box<Looked>),
    /// The table was unpacked. Its CSV travels beside it.
    Unpacked {
        /// The names of the workbook's sheets; none for other files.
        sheets: Vec<String>,
    },
    /// What a public file says.
    Public {
        /// Its numbers.
        table: Box<PublicTable>,
        /// Whether some of its records are in the private table as well.
        shared: bool,
    },
    /// The charge is stored and the release is being made. What follows of the reading is said of bytes alone.
    Charged,
    /// The charge is stored and the release made. Its document rides beside the message.
    Released {
        /// The ledger after the charge.
        ledger: Box<Ledger>,
    },
    /// What one item of the check has found so far.
    Found(Finding),
    /// Every item of the check is done.
    Audited,
    /// It did not work.
    Failed(Failure),
}

/// What the engine worker asks of a scanning worker, over their port.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ScanRequest {
    /// The records of slices will be hashed. There is no answer.
    StartMinHash {
        /// The key of this device's minhashes.
        key: MinHashKey,
        /// The delimiter, as the header line shows it.
        delimiter: u8,
    },
    /// Read a span and hash its chunks, read a slice, or both from the same bytes; the slice then begins in the span.
    Read {
        /// The span.
        span: Option<Span>,
        /// The slice, and what becomes of its records.
        slice: Option<(Job, Taken)>,
    },
    /// Slices will be read under this plan; each worker checks and binds it by itself. There is no answer.
    Plan {
        /// The plan.
        plan: Box<Plan>,
        /// The header's names in order.
        names: Vec<String>,
        /// The delimiter, resolved.
        delimiter: u8,
        /// What is publicly known of the columns.
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
    /// Rows that were kept are too many. There is no answer.
    Forget,
    /// The answer of a round travels beside it: noisy integers, from which the next round follows. There is no answer to this.
    Answer,
    /// Add up the round over rows that were kept.
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

/// What becomes of the records of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Taken {
    /// Their bytes are hashed for a MinHash, which crosses to the engine worker.
    Hashed,
    /// They stay here, encoded, under the slice's number.
    Kept,
    /// They are counted.
    Counted,
    /// They are summed as the round needs them, and the sums cross to the engine worker.
    Summed,
}

/// What a scanning worker answers over its port. Private to this machine: the page never sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ScanResponse {
    /// Bytes read since the last message.
    Read {
        /// How many.
        bytes: u64,
    },
    /// A span and a slice were read, or one of the two. Beside it travel the SHA-256 of each chunk, 32 bytes each, then the bytes of the
    /// MinHash or of the sums, where the slice holds some.
    Done {
        /// The slice.
        slice: Option<SliceAnswer>,
        /// The number of chunks.
        chunks: usize,
    },
    /// The sums of a round over the rows that were kept travel beside it.
    Summed,
    /// The slice could not be read.
    Failed(Failure),
}

/// A [`crate::data::slices::SliceReport`] without its sums.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum SliceAnswer {
    /// No record seems to start here.
    Nothing,
    /// Records.
    Read {
        /// Offset where the first record started.
        start: u64,
        /// Offset where the next record starts.
        end: u64,
        /// Line ends in between.
        lines: u64,
        /// Records in between.
        records: u64,
        /// Distinct persons.
        persons: Option<u64>,
    },
    /// A record that is not well formed.
    Malformed {
        /// Offset where the first record started.
        start: u64,
        /// What and where; the text of a cell is not in it.
        error: crate::data::CsvError,
    },
}

/// Share of a pass over the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes read.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
    /// The round, where there are several.
    pub round: Option<RoundNumber>,
}

/// One of several rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundNumber {
    /// Which, from 1.
    pub number: u32,
    /// Of how many.
    pub of: u32,
    /// Whether the rows are in memory; else the files are read again.
    pub kept: bool,
}

/// Names the source that a module was built from: the version, and a hash of the source files (`build.rs`). Page and
/// workers compare theirs before anything else, for a cached old worker can meet a new page.
#[must_use]
pub fn build_id() -> String {
    format!("{} {}", env!("CARGO_PKG_VERSION"), env!("DISCREET_SOURCE"))
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
            Response::Charged,
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
    fn what_a_worker_is_asked_to_hash_crosses_unchanged() {
        let job = Job { slice: 3, from: u64::MAX, to: 7, known: true };
        for request in [
            ScanRequest::StartMinHash { key: std::array::from_fn(|_| 255), delimiter: b';' },
            ScanRequest::Read { span: Some(Span { file: 3, from: 1, to: 2 }), slice: None },
            ScanRequest::Read { span: None, slice: Some((job, Taken::Hashed)) },
            ScanRequest::Read {
                span: Some(Span { file: 0, from: 1, to: 2 }),
                slice: Some((job, Taken::Kept)),
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
        assert!(serde_json::from_str::<Request>(r#"{"kind":"identify","files":["bgen"]}"#).is_err());
    }

    #[test]
    fn an_unknown_message_is_refused() {
        assert!(serde_json::from_str::<Response>(r#"{"kind":"something-else"}"#).is_err());
        assert!(serde_json::from_str::<ScanRequest>(r#"{"kind":"hash","from":-1,"to":2}"#).is_err());
    }
}
