//! `discreet.release/1`: the document, the sentences of its guarantee, and the forms in which it is handed out.

pub mod bounds;
pub mod browse;
pub mod document;
pub mod effect;
pub mod figure;
pub mod format;
pub mod known;
pub mod long;
pub mod moments;
pub mod odds;
pub mod paid;
pub mod publication;
pub mod reduced;
pub mod remarks;
pub mod row_count;
pub mod shared;
pub mod significance;
pub mod statement;
pub mod steps;
pub mod supplement;
pub mod table;

pub use document::Release;
