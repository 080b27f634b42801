//! The calls of one variant, two bits for each sample, as PLINK stores them.

use std::ops::Range;

use zeroize::Zeroize;

use super::error::GenotypeFault;

/// The most bytes of calls in memory. Half a million samples of 2,047 variants take a quarter of it.
const CALLS_LIMIT: usize = 1 << 30;

/// One call. The numbers are PLINK's two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Call {
    /// Two copies of the counted allele, or a haploid call of it.
    Two = 0b00,
    /// No call.
    Missing = 0b01,
    /// One copy.
    One = 0b10,
    /// None.
    Zero = 0b11,
}

impl Call {
    /// Returns the call in the lowest two bits.
    pub(super) const fn of(bits: u8) -> Self {
        match bits & 0b11 {
            0b00 => Self::Two,
            0b10 => Self::One,
            0b11 => Self::Zero,
            _ => Self::Missing,
        }
    }
}

/// All samples' calls of one variant: sample i has bits 2 (i mod 4) and up of byte ⌊i / 4⌋. As private as the table, and
/// wiped when dropped.
#[derive(Debug, PartialEq, Eq)]
pub struct Calls(Vec<u8>);

impl Calls {
    /// Wraps the bytes of one variant as PLINK stores them.
    pub(super) const fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Creates an empty list with room for this many samples.
    pub(super) fn with_room(samples: usize) -> Self {
        Self(Vec::with_capacity(stride(samples)))
    }

    /// Adds the call of `sample`; samples come in order.
    pub(super) fn push(&mut self, sample: usize, call: Call) {
        if sample.is_multiple_of(4) {
            self.0.push(0);
        }
        if let Some(last) = self.0.last_mut() {
            *last |= (call as u8) << (2 * (sample % 4));
        }
    }

    /// Returns the calls with the other of two alleles counted: 00 and 11 are exchanged.
    pub(super) fn swapped(mut self) -> Self {
        for byte in &mut self.0 {
            let equal = !(*byte ^ *byte >> 1) & 0b0101_0101;
            *byte ^= equal | equal << 1;
        }
        self
    }

    /// Returns the bytes with the calls of some samples, of which the first is a multiple of four.
    pub(super) fn of(&self, samples: Range<usize>) -> &[u8] {
        self.0.get(samples.start / 4..stride(samples.end)).unwrap_or_default()
    }
}

impl Drop for Calls {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

/// Returns the number of bytes of one variant.
pub(super) const fn stride(samples: usize) -> usize {
    samples.div_ceil(4)
}

/// Refuses variants that take more than the allowed memory.
pub(super) fn check_memory(variants: usize, samples: usize) -> Result<(), GenotypeFault> {
    match variants.checked_mul(stride(samples)) {
        Some(bytes) if bytes <= CALLS_LIMIT => Ok(()),
        _ => Err(GenotypeFault::TooMuchMemory { variants }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_kept_two_bits_each() {
        let all = [Call::Two, Call::Missing, Call::One, Call::Zero, Call::One];
        let mut calls = Calls::with_room(all.len());
        for (sample, &call) in all.iter().enumerate() {
            calls.push(sample, call);
        }
        assert_eq!(calls, Calls::new(vec![0b1110_0100, 0b10]));
        let get = |calls: &Calls, sample: usize| {
            Call::of(calls.of(sample / 4 * 4..sample + 1)[0] >> (2 * (sample % 4)))
        };
        assert!(all.iter().enumerate().all(|(sample, &call)| get(&calls, sample) == call));
        let other = [Call::Zero, Call::Missing, Call::One, Call::Two, Call::One];
        let swapped = calls.swapped();
        assert!(other.iter().enumerate().all(|(sample, &call)| get(&swapped, sample) == call));
    }

    #[test]
    fn the_limit_is_one_gibibyte() {
        assert_eq!(check_memory(2048, 1 << 21), Ok(()));
        let too_much = |variants| Err(GenotypeFault::TooMuchMemory { variants });
        assert_eq!(check_memory(2049, 1 << 21), too_much(2049));
        assert_eq!(check_memory(2048, (1 << 21) + 1), too_much(2048));
        assert_eq!(check_memory(usize::MAX, usize::MAX), too_much(usize::MAX));
    }
}
