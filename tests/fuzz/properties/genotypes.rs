//! The files of a genotype source are read the same wherever their bytes are cut; what is accepted has a record for each
//! sample, with calls of 0, 1, 2 or none, and what is said of the rest is one line.
//!
//! The first byte says which file it is, the second how it is cut.

use discreet::data::EncodedRows;
use discreet::data::genotypes::{
    BimReader, FamReader, GenotypeError, GenotypeTable, PhenotypeReader, SourceFile, VcfReader, Wanted,
};
use discreet::engine::prepare;
use discreet::plan::bound::Encoding;
use discreet::plan::{Plan, Purpose};

use super::common::{Pieces, assert_one_line, split};

/// Reads a file from pieces, and says what it holds.
type Read<'a> = dyn Fn(&[&[u8]]) -> Result<String, GenotypeError> + 'a;

pub fn holds(data: &[u8]) {
    let ([kind, seed], bytes) = split(data);
    let bytes = &bytes[..bytes.len().min(1500)];
    let encoding = if kind & 4 == 0 { Encoding::Utf8 } else { Encoding::Latin1 };
    let read: &Read<'_> = match kind & 3 {
        0 => &|pieces| fam(pieces, encoding),
        1 => &bim,
        2 => &|pieces| phenotypes(pieces, encoding),
        _ => &vcf,
    };
    let whole = read(&[bytes]);
    // What damaged bytes unpack to may be wrong before the damage shows, and it depends on the cuts which is told.
    let seen = |result: &Result<String, GenotypeError>| match result {
        Err(_) if bytes.starts_with(b"\x1f\x8b") => Err(None),
        other => other.clone().map_err(Some),
    };
    assert_eq!(seen(&read(&Pieces::new(seed).cut(bytes))), seen(&whole), "cut into pieces");
    assert_eq!(seen(&read(&bytes.chunks(1).collect::<Vec<_>>())), seen(&whole), "byte by byte");
    whole.err().iter().for_each(assert_one_line);
}

/// The outcomes and a pattern, an identifier and an allele by which variants are asked for.
fn plan() -> Plan {
    let number = |way: &str, name: &str, role: &str, lower: i8| {
        format!(r#"{{"{way}": "{name}", "role": "{role}", "type": "number", "lower": {lower}, "upper": 2}}"#)
    };
    let columns = [
        number("name", "PHENO", "outcome", -1),
        number("name", "rs7_A", "feature", 0),
        number("name", "1:5:A:C", "feature", 0),
        number("match", "rs*", "feature", 0),
    ];
    Plan::parse(&format!(
        r#"{{"schema": "discreet.plan/1", "adjacency": "add-remove", "columns": [{}], "missing": "midpoint",
            "mechanism": {{"name": "ols"}}, "budget": {{"none": true}}}}"#,
        columns.join(", ")
    ))
    .unwrap()
}

fn fam(pieces: &[&[u8]], encoding: Encoding) -> Result<String, GenotypeError> {
    let mut reader = FamReader::new(encoding);
    pieces.iter().try_for_each(|piece| reader.feed(piece))?;
    let samples = reader.finish()?;
    assert!(!samples.is_empty());
    Ok(format!("{samples:?}"))
}

fn bim(pieces: &[&[u8]]) -> Result<String, GenotypeError> {
    let mut reader = BimReader::new(Wanted::new(&plan()));
    pieces.iter().try_for_each(|piece| reader.feed(piece))?;
    let variants = reader.finish()?;
    assert_eq!(variants.names.len(), variants.places.len());
    assert!(variants.places.is_sorted_by_key(|place| place.variant));
    assert!(variants.places.iter().all(|place| place.variant < variants.total));
    Ok(format!("{variants:?}"))
}

fn phenotypes(pieces: &[&[u8]], encoding: Encoding) -> Result<String, GenotypeError> {
    let mut reader = FamReader::new(encoding);
    reader.feed(b"f a 0 0 1 1\ng b 0 0 2 2\ng c 0 0 0 0\n")?;
    let samples = reader.finish()?;
    let mut reader = PhenotypeReader::new(&samples, Wanted::new(&plan()), encoding);
    pieces.iter().try_for_each(|piece| reader.feed(piece))?;
    Ok(format!("{:?}", reader.finish()?))
}

fn vcf(pieces: &[&[u8]]) -> Result<String, GenotypeError> {
    let mut reader = VcfReader::new(Wanted::new(&plan()));
    pieces.iter().try_for_each(|piece| reader.feed(piece))?;
    let content = reader.finish()?;
    let seen = format!("{content:?}");
    assert_eq!(content.names.len(), content.calls.len());
    let samples = content.samples.len();
    let mut table = GenotypeTable::new(SourceFile::Vcf, content.samples, None, content.names);
    content.calls.into_iter().enumerate().for_each(|(variant, calls)| table.put(variant, calls));
    let columns = table.names().len();
    let mut asked = plan();
    asked.columns.retain(|column| column.name.is_none());
    asked.columns.iter_mut().for_each(|column| column.role = discreet::model::Role::Outcome);
    match prepare(asked, table.names(), b'\t', Purpose::Simulate) {
        Ok(prepared) => {
            assert_eq!(prepared.bound().fields, columns);
            let sink = EncodedRows::new(prepared.row_width());
            let scan = table.scan(prepared.bound(), 0..samples, sink);
            assert_eq!((scan.records, scan.sink.len()), (samples as u64, samples));
        }
        Err(error) => assert_one_line(&error),
    }
    Ok(seen)
}
