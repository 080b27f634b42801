//! The bytes by which a table is recognised (theory/accounting 5.6). Without browser calls, so that it is tested natively.

use crate::data::FileRole;

/// The hashes of one file of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashed {
    /// The role of the file.
    pub role: FileRole,
    /// SHA-256 of each 4 MiB chunk in order.
    pub digests: Vec<[u8; 32]>,
    /// Its length in bytes.
    pub length: u64,
}

/// Returns the bytes that are signed for a table. For one file: the digests, then the length as 8 bytes, little-endian. For
/// genotypes: for each file the digests, the role's 8 bytes and the length, in the order of the roles. These bytes can be decoded
/// from their end, so no two tables have the same; the two forms differ in the number of bytes.
#[must_use]
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
        Hashed { role, digests: vec![[byte; 32]; usize::try_from(length.div_ceil(4 << 20)).unwrap()], length }
    }

    #[test]
    fn a_csv_is_known_as_it_always_was() {
        let bytes = identity(vec![hashed(FileRole::Table, 7, (4 << 20) + 1)]);
        assert_eq!(bytes, [[7; 64].as_slice(), &((4_u64 << 20) + 1).to_le_bytes()].concat());
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
            other[file].digests[0][31] ^= 1;
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
            assert_ne!(bytes.len() % 32, 8, "that is a CSV's");
        }
    }
}
