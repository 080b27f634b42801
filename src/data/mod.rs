//! Reads tables from bytes and sums their records exactly.
//!
//! [`csv`] cuts bytes into records, [`encode`] maps one record alone to one bounded integer row, [`moments`] sums rows
//! exactly, and [`slices`] lets several readers share one file. [`genotypes`] makes the same records from genotype files. [`raw`]
//! and [`minhash`] estimate whether two tables have records in common, without reading a cell. Nothing here opens a file or
//! starts a thread: the caller supplies the bytes.
//!
//! Functions that run for each record, or for each piece of bytes, are not inlined: a browser optimises several short functions
//! sooner and faster than one long one.

mod cells;
pub mod codebook;
pub mod container;
pub mod csv;
pub mod dates;
pub mod encode;
pub mod first_line;
pub mod genotypes;
pub mod header;
pub mod hidden_codes;
pub mod inspection;
pub mod last_line;
mod latin1;
mod marks;
pub mod minhash;
pub mod mismatch;
pub mod moments;
pub mod number;
pub mod person;
mod plain;
pub mod preview;
pub mod raw;
pub mod sink;
pub mod slices;
pub mod source;
mod spelling;
pub mod statistics;

pub use csv::CsvError;
pub use encode::{Encoder, Geometry, OutcomeSide, Term};
pub use header::{Header, HeaderError, HeaderRead, HeaderRules};
pub use minhash::{MinHash, MinHashKey};
pub use moments::{MAX_CELLS, MAX_TERMS, Moments};
pub use sink::{EncodedRows, FewRows, Merge, Nothing, RowSink};
pub use slices::{Combiner, Job, Scan, SliceReport, SliceScanner};
pub use source::FileRole;
pub use statistics::{CellSums, Exact, RecordMap, Scratch, Statistic, Sums};
