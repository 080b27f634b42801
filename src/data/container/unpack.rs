//! Unpacks gzip and UTF-16 as their bytes come.

use std::io::Write;

use flate2::write::MultiGzDecoder;

use super::{ContainerError, Form};

/// The most bytes of a file that [`Unpacker::feed`] should get at once. Unpacked they may be a thousand times as long, and all of
/// that is in memory.
pub const PACKED_BYTES: usize = 1 << 14;

/// A push decoder of a table that is compressed or in UTF-16.
pub struct Unpacker(Decoder);

enum Decoder {
    Gzip(Box<MultiGzDecoder<Vec<u8>>>),
    Utf16 { unit: fn([u8; 2]) -> u16, byte: Option<u8>, high: Option<u16>, begun: bool },
}

impl Unpacker {
    /// Returns a decoder of a form. `None` for a workbook, which is not read as a stream.
    pub fn new(form: Form) -> Option<Self> {
        let utf16 = |unit| Decoder::Utf16 { unit, byte: None, high: None, begun: false };
        Some(Self(match form {
            Form::Gzip => Decoder::Gzip(Box::new(MultiGzDecoder::new(Vec::new()))),
            Form::Utf16Little => utf16(u16::from_le_bytes),
            Form::Utf16Big => utf16(u16::from_be_bytes),
            Form::Workbook => return None,
        }))
    }

    /// Takes the next bytes of the file, at most [`PACKED_BYTES`], and appends what they hold to `out`.
    ///
    /// # Errors
    /// [`ContainerError::CutOff`] if an archive is damaged.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), ContainerError> {
        match &mut self.0 {
            Decoder::Gzip(decoder) => {
                decoder.write_all(bytes).map_err(|_| ContainerError::CutOff)?;
                out.append(decoder.get_mut());
            }
            Decoder::Utf16 { unit, byte, high, begun } => {
                for next in bytes {
                    let Some(first) = byte.take() else {
                        *byte = Some(*next);
                        continue;
                    };
                    let unit = unit([first, *next]);
                    // Skips the byte order mark, which has already decided the form.
                    if std::mem::replace(begun, true) || unit != 0xfeff {
                        push(unit, high, out);
                    }
                }
            }
        }
        Ok(())
    }

    /// Ends the file, and appends the last bytes to `out`.
    ///
    /// # Errors
    /// [`ContainerError::CutOff`] if the file is cut off.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<(), ContainerError> {
        match self.0 {
            Decoder::Gzip(mut decoder) => {
                decoder.try_finish().map_err(|_| ContainerError::CutOff)?;
                out.append(decoder.get_mut());
                Ok(())
            }
            Decoder::Utf16 { byte: None, high: None, .. } => Ok(()),
            Decoder::Utf16 { .. } => Err(ContainerError::CutOff),
        }
    }
}

/// Appends a unit of UTF-16 as UTF-8. A half of a pair without the other becomes U+FFFD.
fn push(unit: u16, high: &mut Option<u16>, out: &mut Vec<u8>) {
    let mut write = |letter: char| out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
    if let Some(first) = high.take() {
        if let Some(Ok(letter)) = char::decode_utf16([first, unit]).next() {
            return write(letter);
        }
        write(char::REPLACEMENT_CHARACTER);
    }
    match unit {
        0xd800..=0xdbff => *high = Some(unit),
        _ => write(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn unpacked(bytes: &[u8], step: usize) -> Result<Vec<u8>, ContainerError> {
        let form = Form::of(bytes)?.unwrap();
        let (mut unpacker, mut out) = (Unpacker::new(form).unwrap(), Vec::new());
        for piece in bytes.chunks(step) {
            unpacker.feed(piece, &mut out)?;
        }
        unpacker.finish(&mut out)?;
        Ok(out)
    }

    #[test]
    fn a_table_is_the_same_wherever_its_bytes_are_cut() {
        let text = "age,note\n61,é😀\n58,x\n".repeat(40);
        let both = |unit: fn(u16) -> [u8; 2]| {
            "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(unit).collect::<Vec<u8>>()
        };
        let (first, second) = text.as_bytes().split_at(101);
        let members = [gzip(first), gzip(second)].concat();
        for packed in [gzip(text.as_bytes()), members, both(u16::to_le_bytes), both(u16::to_be_bytes)] {
            for step in [1, 2, 3, 7, 1 << 20] {
                assert_eq!(unpacked(&packed, step), Ok(text.clone().into_bytes()), "{step}");
            }
        }
    }

    #[test]
    fn what_is_cut_off_or_damaged_is_refused() {
        let whole = gzip("age\n61\n".repeat(400).as_bytes());
        for cut in [3, 12, whole.len() - 9, whole.len() - 1] {
            assert_eq!(unpacked(&whole[..cut], 7), Err(ContainerError::CutOff), "{cut}");
        }
        let mut other = whole;
        let last = other.len() - 6;
        other[last] ^= 1;
        assert_eq!(unpacked(&other, 50), Err(ContainerError::CutOff), "its checksum");
        assert_eq!(unpacked(b"\xff\xfea\0b", 2), Err(ContainerError::CutOff), "half a unit");
        assert_eq!(unpacked(b"\xff\xfe\x3d\xd8", 2), Err(ContainerError::CutOff), "half a pair");
        assert_eq!(unpacked(b"\xff\xfe\x3d\xd8a\0", 2), Ok("\u{fffd}a".as_bytes().to_vec()));
    }

    #[test]
    fn a_piece_of_a_file_that_unpacks_to_much_holds_little() {
        let whole = gzip(&vec![b'0'; 64 << 20]);
        let mut unpacker = Unpacker::new(Form::Gzip).unwrap();
        let (mut length, mut most) = (0, 0);
        for piece in whole.chunks(PACKED_BYTES) {
            let mut out = Vec::new();
            unpacker.feed(piece, &mut out).unwrap();
            length += out.len();
            most = most.max(out.len());
        }
        assert!(length > 63 << 20 && most < 18 << 20, "{length} {most}");
    }

    #[test]
    fn the_first_bytes_say_the_form() {
        let sas = [&[0; 12][..], b"\xc2\xea\x81\x60"].concat();
        for (first, error) in [
            (&b"\xd0\xcf\x11\xe0\xa1"[..], ContainerError::OldWorkbook),
            (b"$FL2@(#) SPSS DATA FILE", ContainerError::Spss),
            (b"<stata_dta><header>", ContainerError::Stata),
            (b"PAR1\x15", ContainerError::Parquet),
            (&sas, ContainerError::Sas),
        ] {
            assert_eq!(Form::of(first), Err(error));
        }
        assert_eq!(Form::of(b"PK\x03\x04"), Ok(Some(Form::Workbook)));
        for plain in [&b""[..], b"P", b"age,sex\n", b"\xef\xbb\xbfage"] {
            assert_eq!(Form::of(plain), Ok(None));
        }
    }
}
