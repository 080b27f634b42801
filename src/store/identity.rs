//! The bytes by which a table is recognised (theory/accounting 5.6). Without browser calls, so that it is tested natively.

use std::hash::Hasher;

use siphasher::sip128::{Hasher128, SipHasher24};

use crate::data::FileRole;

/// Bytes in a chunk of the fingerprint.
pub const CHUNK: u64 = 4 << 20;

/// The key of the hash of chunks.
pub type FileKey = [u8; 16];

/// The keyed hash of a chunk.
pub type Digest = [u8; 16];

/// Hashes the chunks of consecutive bytes.
pub struct ChunkHasher {
    empty: SipHasher24,
    /// The current chunk, of which so many bytes were added.
    chunk: SipHasher24,
    filled: u64,
    digests: Vec<Digest>,
}

impl ChunkHasher {
    /// Creates a hasher of no bytes.
    pub fn new(key: &FileKey) -> Self {
        let empty = SipHasher24::new_with_key(key);
        Self { empty, chunk: empty, filled: 0, digests: Vec::new() }
    }

    /// Adds the next bytes.
    #[inline(never)]
    pub fn add(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let room = usize::try_from(CHUNK - self.filled).unwrap_or(usize::MAX);
            let (now, later) = bytes.split_at(bytes.len().min(room));
            self.chunk.write(now);
            self.filled += now.len() as u64;
            if self.filled == CHUNK {
                self.end();
            }
            bytes = later;
        }
    }

    /// Returns the digests of all chunks; the last one may be short.
    pub fn finish(mut self) -> Vec<Digest> {
        if self.filled > 0 {
            self.end();
        }
        self.digests
    }

    fn end(&mut self) {
        self.digests.push(self.chunk.finish128().as_bytes());
        self.chunk = self.empty;
        self.filled = 0;
    }
}

/// The hashes of one file of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The role of the file.
    pub role: FileRole,
    /// The keyed hash of each chunk in order.
    pub digests: Vec<Digest>,
    /// Its length in bytes.
    pub length: u64,
}

/// Returns the bytes that are signed for a table. For one file: the digests, then the length as 8 bytes, little-endian. For
/// genotypes: for each file the digests, the role's 8 bytes and the length, in the order of the roles. These bytes can be decoded
/// from their end, so no two tables have the same; the two forms differ in the number of bytes.
pub fn identity(mut files: Vec<Hashed>) -> Vec<u8> {
    files.sort_by_key(|file| file.role);
    let alone = matches!(files.as_slice(), [Hashed { role: FileRole::Table, .. }]);
    let mut bytes = Vec::new();
    for Hashed { role, digests, length } in files {
        bytes.extend(digests.concat());
        if !alone {
            bytes.extend(role.tag());
        }
        bytes.extend(length.to_le_bytes());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashed(role: FileRole, byte: u8, length: u64) -> Hashed {
        Hashed { role, digests: vec![[byte; 16]; usize::try_from(length.div_ceil(CHUNK)).unwrap()], length }
    }

    #[test]
    fn a_csv_is_its_digests_and_its_length() {
        let bytes = identity(vec![hashed(FileRole::Table, 7, CHUNK + 1)]);
        assert_eq!(bytes, [[7; 32].as_slice(), &(CHUNK + 1).to_le_bytes()].concat());
    }

    #[test]
    #[cfg_attr(miri, ignore = "hashes many megabytes")]
    fn a_digest_is_of_its_chunk_alone_and_every_bit_of_it_counts() {
        let key = [9; 16];
        let chunk = usize::try_from(CHUNK).unwrap();
        let mut bytes: Vec<u8> = (0..2 * chunk + 100).map(|at| (at % 251).to_le_bytes()[0]).collect();
        let of = |bytes: &[u8], piece: usize| {
            let mut hasher = ChunkHasher::new(&key);
            bytes.chunks(piece).for_each(|piece| hasher.add(piece));
            hasher.finish()
        };
        let known = of(&bytes, usize::MAX);
        assert_eq!(known.len(), 3);
        for piece in [1_000, 65_537, chunk, chunk + 1] {
            assert_eq!(of(&bytes, piece), known, "{piece}");
        }
        assert_eq!(of(&bytes[chunk..2 * chunk], 8), known[1..2], "a reader may begin at any chunk");
        for at in [0, chunk - 1, chunk, 2 * chunk + 99] {
            bytes[at] ^= 0x80;
            let changed = of(&bytes, usize::MAX);
            let differ: Vec<usize> = (0..3).filter(|&chunk| changed[chunk] != known[chunk]).collect();
            assert_eq!(differ, [at / chunk]);
            bytes[at] ^= 0x80;
        }
        let mut other = ChunkHasher::new(&[8; 16]);
        other.add(&bytes);
        assert!(other.finish().iter().zip(&known).all(|(other, known)| other != known));
        assert!(ChunkHasher::new(&key).finish().is_empty());
        // The second vector that the authors of SipHash publish for 128 bits.
        let mut hasher = ChunkHasher::new(&std::array::from_fn(|at| at.to_le_bytes()[0]));
        hasher.add(&[0]);
        assert_eq!(crate::text::hexadecimal(&hasher.finish()[0]), "da87c1d86b99af44347659119b22fc45");
    }

    #[test]
    fn every_file_its_role_and_its_length_count_and_their_order_does_not() {
        let set =
            || vec![hashed(FileRole::Bed, 1, 10), hashed(FileRole::Bim, 2, 20), hashed(FileRole::Fam, 3, 30)];
        let known = identity(set());
        let mut turned = set();
        turned.reverse();
        assert_eq!(identity(turned), known);
        for file in 0..3 {
            let mut other = set();
            other[file].digests[0][15] ^= 1;
            assert_ne!(identity(other), known);
            let mut other = set();
            other[file].length += 1;
            assert_ne!(identity(other), known);
            let mut other = set();
            other.remove(file);
            assert_ne!(identity(other), known);
        }
        let mut swapped = set();
        (swapped[1].role, swapped[2].role) = (FileRole::Fam, FileRole::Bim);
        assert_ne!(identity(swapped), known);
        let mut more = set();
        more.push(hashed(FileRole::Phenotypes, 4, 40));
        assert_ne!(identity(more), known);
        assert_ne!(
            identity(vec![hashed(FileRole::Vcf, 1, 10)]),
            identity(vec![hashed(FileRole::Table, 1, 10)])
        );
        // Neither a file's length nor another table's bytes can stand for a role.
        for files in 1..=4 {
            let roles = [FileRole::Bed, FileRole::Bim, FileRole::Fam, FileRole::Phenotypes];
            let bytes = identity(roles[4 - files..].iter().map(|&role| hashed(role, 5, 99)).collect());
            assert_ne!(bytes.len() % 16, 8, "that is a CSV's");
        }
    }
}
