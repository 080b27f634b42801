//! Random bytes: from the operating system for a release, from a seed for a demonstration, as two types.
//!
//! Both are the ChaCha20 stream (20 rounds). [`PrivateRng`] has one constructor, which asks the operating system for 32
//! bytes; nothing can put a seed into it. The samplers take either; a charged release takes the one, and a demonstration
//! the other and gives another type. (theory/noise 5.1 and 5.2)

use chacha20::ChaCha20Rng;
use rand::{Rng, SeedableRng};
use zeroize::{Zeroize, Zeroizing};

use crate::privacy::mutants::{Mutant, is_active};

/// Bytes taken from the generator at a time.
const BLOCK: usize = 1024;

/// A source of random bytes; sealed, so that there are exactly the two below.
///
/// ```compile_fail
/// struct Zeros;
///
/// impl discreet::noise::entropy::Entropy for Zeros {
///     fn fill(&mut self, bytes: &mut [u8]) {
///         bytes.fill(0);
///     }
/// }
/// ```
pub trait Entropy: sealed::Sealed {
    /// Fills `bytes`. The answer depends on how many bytes were taken before, not on how they were cut into calls.
    fn fill(&mut self, bytes: &mut [u8]);
}

mod sealed {
    pub trait Sealed {}
}

/// The operating system gave no random bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", crate::words::error::entropy(.0))]
pub struct EntropyError(getrandom::Error);

/// Randomness for a release: ChaCha20 under a fresh seed from the operating system, wiped when it is dropped.
///
/// It is neither `Clone` nor serializable, and nothing puts a seed into it:
///
/// ```compile_fail
/// let _ = discreet::noise::entropy::PrivateRng::new(1, 1);
/// ```
/// ```compile_fail
/// let _ = discreet::noise::entropy::PrivateRng(());
/// ```
pub struct PrivateRng(Stream);

impl PrivateRng {
    /// Creates a generator from 32 fresh bytes of the operating system. Each release has its own.
    ///
    /// # Errors
    /// When the operating system has no random bytes. This comes before the charge.
    pub fn from_os() -> Result<Self, EntropyError> {
        let mut seed = Zeroizing::new([0; 32]);
        getrandom::fill(seed.as_mut()).map_err(EntropyError)?;
        Ok(Self(Stream::new(&seed)))
    }
}

impl Entropy for PrivateRng {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill(bytes);
    }
}

impl sealed::Sealed for PrivateRng {}

/// Seeded randomness for demonstrations and tests: no privacy.
pub struct DemoRng {
    stream: Stream,
    seed: u64,
    run: u64,
}

impl DemoRng {
    /// Creates the generator of run `run` under `seed`. It depends on these two numbers alone.
    pub fn new(seed: u64, run: u64) -> Self {
        let stream = if is_active(Mutant::SeedReused) { 0 } else { run };
        let mut key = *b"................discreet demo v1";
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&stream.to_le_bytes());
        Self { stream: Stream::new(&key), seed, run }
    }

    /// Returns the seed.
    pub const fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the run.
    pub const fn run(&self) -> u64 {
        self.run
    }
}

impl Entropy for DemoRng {
    fn fill(&mut self, bytes: &mut [u8]) {
        self.stream.fill(bytes);
    }
}

impl sealed::Sealed for DemoRng {}

/// Returns 128 random bits from the operating system: the name of a ledger.
///
/// # Errors
/// When the operating system has no random bytes.
pub fn random_id() -> Result<[u8; 16], EntropyError> {
    let mut id = [0; 16];
    getrandom::fill(&mut id).map_err(EntropyError)?;
    Ok(id)
}

/// The ChaCha20 key stream. A buffer of our own makes the bytes independent of how the generator rounds
/// a request up to its words.
struct Stream {
    generator: ChaCha20Rng,
    buffer: [u8; BLOCK],
    used: usize,
}

impl Stream {
    fn new(seed: &[u8; 32]) -> Self {
        Self { generator: ChaCha20Rng::from_seed(*seed), buffer: [0; BLOCK], used: BLOCK }
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.used == BLOCK {
                self.generator.fill_bytes(&mut self.buffer);
                self.used = 0;
            }
            let count = rest.len().min(BLOCK - self.used);
            let (now, later) = rest.split_at_mut(count);
            now.copy_from_slice(&self.buffer[self.used..self.used + count]);
            self.used += count;
            rest = later;
        }
    }
}

impl Drop for Stream {
    /// Does nothing: the generator wipes itself (`chacha20`, feature `zeroize`).
    fn drop(&mut self) {
        self.buffer.zeroize();
    }
}

#[cfg(test)]
pub(crate) mod scripted {
    use super::{Entropy, sealed};

    /// Bytes written out in a test; running out of them fails the test.
    pub struct Scripted<'a>(pub &'a [u8]);

    impl Entropy for Scripted<'_> {
        fn fill(&mut self, bytes: &mut [u8]) {
            let (now, later) = self.0.split_at_checked(bytes.len()).expect("the script is long enough");
            bytes.copy_from_slice(now);
            self.0 = later;
        }
    }

    impl sealed::Sealed for Scripted<'_> {}
}

#[cfg(test)]
mod tests {
    use super::*;

    static_assertions::assert_not_impl_any!(
        PrivateRng: Clone, Default, From<[u8; 32]>, SeedableRng, serde::Serialize, serde::de::DeserializeOwned
    );

    fn take<E: Entropy, const N: usize>(rng: &mut E) -> [u8; N] {
        let mut bytes = [0; N];
        rng.fill(&mut bytes);
        bytes
    }

    #[test]
    fn the_generator_wipes_itself() {
        fn wiped<T: zeroize::ZeroizeOnDrop>() {}
        wiped::<ChaCha20Rng>();
    }

    #[test]
    fn twenty_rounds_of_chacha() {
        // RFC 8439, A.1, test vector 1: the key stream under the zero key.
        let mut stream = Stream::new(&[0; 32]);
        let mut bytes = [0; 8];
        stream.fill(&mut bytes);
        assert_eq!(bytes, [0x76, 0xb8, 0xe0, 0xad, 0xa0, 0xf1, 0x3d, 0x90]);
    }

    #[test]
    fn a_demonstration_repeats_and_its_runs_differ() {
        let first: [u8; 600] = take(&mut DemoRng::new(1, 0));
        assert_eq!(first, take::<_, 600>(&mut DemoRng::new(1, 0)));
        assert_ne!(first, take::<_, 600>(&mut DemoRng::new(1, 1)));
        assert_ne!(first, take::<_, 600>(&mut DemoRng::new(2, 0)));
        let mut rng = DemoRng::new(1, 0);
        let mut pieces = Vec::new();
        for length in [1, 3, 250, 7, 339] {
            let mut piece = vec![0; length];
            rng.fill(&mut piece);
            pieces.extend(piece);
        }
        assert_eq!(pieces, first, "the stream does not depend on how it is cut");
    }

    #[test]
    fn releases_never_share_a_stream() {
        let mut first = PrivateRng::from_os().unwrap();
        let mut second = PrivateRng::from_os().unwrap();
        assert_ne!(take::<_, 32>(&mut first), take::<_, 32>(&mut second));
        assert_ne!(random_id().unwrap(), random_id().unwrap());
    }
}
