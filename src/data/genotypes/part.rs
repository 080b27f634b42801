//! The records of some samples, which another worker can read.

use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, Zeroizing};

use super::calls::{Call, stride};
use super::cells::Cells;
use crate::data::csv::Record;
use crate::data::sink::RowSink;
use crate::data::slices::{RecordReader, Scan};
use crate::plan::bound::BoundPlan;

/// Samples whose calls are in order at a time: a line of a processor's cache holds those of one variant.
const BLOCK: usize = 256;

/// The records of consecutive samples. As private as the table, and wiped when dropped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SamplePart {
    /// The cells before the first variant.
    cells: Cells,
    /// The text of a call that is missing.
    missing: String,
    variants: usize,
    /// The samples' calls of each variant, as PLINK stores them. They travel beside the rest.
    #[serde(skip)]
    calls: Vec<u8>,
}

impl SamplePart {
    /// Creates a part of samples with these cells, and these calls of each variant; a variant without any is missing in all of them.
    pub(super) fn new<'a>(
        cells: Cells,
        missing: &str,
        variants: impl ExactSizeIterator<Item = Option<&'a [u8]>>,
    ) -> Self {
        let bytes = stride(cells.len());
        let none = [Call::Missing as u8 * 0b0101_0101].repeat(bytes);
        let mut calls = Vec::with_capacity(bytes * variants.len());
        let count = variants.len();
        variants.for_each(|calls_of| {
            calls.extend_from_slice(calls_of.filter(|calls| calls.len() == bytes).unwrap_or(&none));
        });
        Self { cells, missing: missing.to_owned(), variants: count, calls }
    }

    /// Returns how many bytes the calls have.
    pub fn bytes(&self) -> u64 {
        self.calls.len() as u64
    }

    fn samples(&self) -> usize {
        self.cells.len()
    }

    /// Takes the calls out, to send them beside the rest.
    pub fn take_calls(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.calls)
    }

    /// Returns the part with the calls that [`Self::take_calls`] took out. `None` for other bytes.
    pub fn with_calls(mut self, calls: Vec<u8>) -> Option<Self> {
        let fits = stride(self.samples()).checked_mul(self.variants) == Some(calls.len());
        self.calls = calls;
        fits.then_some(self)
    }

    /// Reads the records into a sink.
    pub fn scan<S: RowSink>(&self, plan: &BoundPlan, sink: S) -> Scan<S> {
        let mut reader = RecordReader::new(plan, sink);
        self.visit(|record| reader.read(record));
        reader.finish()
    }

    /// Visits the records. The calls of a block of samples are first put in the samples' order.
    pub(super) fn visit(&self, mut visit: impl FnMut(&Record<'_>)) {
        let (samples, bytes) = (self.samples(), stride(self.samples()).max(1));
        // The lowest two bits of each are a call.
        let mut block = Zeroizing::new(vec![0; BLOCK.min(samples) * self.variants]);
        let mut text = Zeroizing::new(String::new());
        let mut ends = Vec::with_capacity(self.cells.width() + self.variants);
        for first in (0..samples).step_by(BLOCK) {
            for (variant, calls) in self.calls.chunks_exact(bytes).enumerate() {
                let calls = calls.get(first / 4..).unwrap_or_default().iter();
                let calls = calls.flat_map(|byte| [0, 2, 4, 6].map(|place| byte >> place));
                let places = block.iter_mut().skip(variant).step_by(self.variants);
                places.zip(calls).for_each(|(place, call)| *place = call);
            }
            for place in 0..BLOCK.min(samples - first) {
                text.clear();
                ends.clear();
                for field in 0..self.cells.width() {
                    text.push_str(self.cells.get(first + place, field));
                    ends.push(text.len());
                }
                let row = place * self.variants..(place + 1) * self.variants;
                for &bits in block.get(row).unwrap_or_default() {
                    match Call::of(bits) {
                        Call::Zero => text.push('0'),
                        Call::One => text.push('1'),
                        Call::Two => text.push('2'),
                        Call::Missing => text.push_str(&self.missing),
                    }
                    ends.push(text.len());
                }
                visit(&Record::new(&text, &ends));
            }
        }
    }
}

impl Drop for SamplePart {
    fn drop(&mut self) {
        self.calls.zeroize();
    }
}
