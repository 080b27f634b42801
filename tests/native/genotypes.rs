//! Genotypes: a PLINK set and a VCF against the CSV of the same values, files that are none, and the command line.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use discreet::data::genotypes::{
    BedLayout, BimPlace, BimReader, Choice, FamReader, GenotypeError, GenotypeFault, GenotypeTable,
    PhenotypeReader, SamplePart, Samples, SourceFile, VcfReader, Wanted, join,
};
use discreet::data::minhash::Overlap;
use discreet::data::{EncodedRows, MinHash, Moments, RowSink, Scan};
use discreet::engine::{Prepared, prepare};
use discreet::plan::bound::Encoding;
use discreet::plan::number_format::NumberFormat;
use discreet::plan::{Plan, Purpose};
use flate2::{Compression, GzBuilder, write::GzEncoder};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cli::{Bench, text};
use crate::support::{column, plan, prepared, scan};

/// Copies of the counted allele.
type Copies = Option<u8>;

/// One variant: its identifier and each sample's copies.
#[derive(Debug)]
struct Variant {
    id: String,
    copies: Vec<Copies>,
}

/// Genotypes with a phenotype and a sex for each sample.
#[derive(Debug)]
struct Study {
    variants: Vec<Variant>,
    sexes: Vec<u8>,
    phenotypes: Vec<String>,
}

const MARK: [u8; 3] = [0x6c, 0x1b, 0x01];

impl Study {
    /// Five samples and three variants, with a missing call and a missing phenotype.
    fn small() -> Self {
        let variant = |id: &str, copies: [Copies; 5]| Variant { id: id.to_owned(), copies: copies.into() };
        Self {
            variants: vec![
                variant("rs1", [Some(0), Some(1), Some(2), None, Some(1)]),
                variant("rs2", [Some(2), Some(0), Some(1), Some(1), Some(0)]),
                variant("rs3", [Some(1), Some(1), Some(0), Some(2), None]),
            ],
            sexes: vec![1, 2, 0, 1, 2],
            phenotypes: ["1.5", "-9", "3", "2.25", "4"].map(str::to_owned).into(),
        }
    }

    fn samples(&self) -> usize {
        self.sexes.len()
    }

    fn csv(&self) -> String {
        let mut text = "FID,IID,SEX,PHENO".to_owned();
        self.variants.iter().for_each(|variant| write!(text, ",{}", variant.id).unwrap());
        for (sample, (sex, phenotype)) in self.sexes.iter().zip(&self.phenotypes).enumerate() {
            let sex = if *sex == 0 { "NA".to_owned() } else { sex.to_string() };
            let phenotype = if phenotype.parse() == Ok(-9.0) { "NA" } else { phenotype };
            write!(text, "\nf{},p{sample},{sex},{phenotype}", sample / 2).unwrap();
            for variant in &self.variants {
                let copies = variant.copies[sample].map_or("NA".to_owned(), |copies| copies.to_string());
                write!(text, ",{copies}").unwrap();
            }
        }
        text + "\n"
    }

    fn fam(&self) -> String {
        let mut text = String::new();
        for (sample, (sex, phenotype)) in self.sexes.iter().zip(&self.phenotypes).enumerate() {
            writeln!(text, "f{} p{sample} 0 0 {sex} {phenotype}", sample / 2).unwrap();
        }
        text
    }

    fn bim(&self) -> String {
        let mut text = String::new();
        for (place, variant) in self.variants.iter().enumerate() {
            writeln!(text, "1\t{}\t0\t{}\tA\tG", variant.id, 100 + place).unwrap();
        }
        text
    }

    /// Two bits a sample, the first in the lowest: 00 two copies of A1, 01 missing, 10 one copy, 11 none.
    fn bed(&self) -> Vec<u8> {
        let mut bytes = MARK.to_vec();
        for variant in &self.variants {
            for four in variant.copies.chunks(4) {
                let bits = |copies: &Copies| match copies {
                    Some(2) => 0b00,
                    None => 0b01,
                    Some(1) => 0b10,
                    Some(_) => 0b11,
                };
                bytes.push(four.iter().rev().fold(0, |byte, copies| byte << 2 | bits(copies)));
            }
        }
        bytes
    }

    /// A VCF in which calls are spelled in several ways, with fields beside GT, and a site that no plan uses after each.
    fn vcf(&self) -> String {
        let mut text = "##fileformat=VCFv4.2\n##source=test\n".to_owned();
        text += "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
        (0..self.samples()).for_each(|sample| write!(text, "\tp{sample}").unwrap());
        for (place, variant) in self.variants.iter().enumerate() {
            write!(text, "\n1\t{}\t{}\tG\tA\t.\tPASS\t.\tGT:DP", 100 + place, variant.id).unwrap();
            for (sample, copies) in variant.copies.iter().enumerate() {
                let spellings: &[&str] = match copies {
                    Some(0) => &["0/0", "0|0", "0"],
                    Some(1) => &["0/1", "1|0", "1/0"],
                    Some(_) => &["1/1", "1|1", "1"],
                    None => &["./.", ".", "./1", "0|."],
                };
                write!(text, "\t{}:{sample}", spellings[(sample + place) % spellings.len()]).unwrap();
            }
            write!(text, "\n1\t{}\tother{place}\tC\tT\t.\t.\t.\tDP", 100 + place).unwrap();
            (0..self.samples()).for_each(|_| text.push_str("\t7"));
        }
        text + "\n"
    }
}

fn wanted(plan: &Value) -> Wanted {
    Wanted::new(&Plan::parse(&plan.to_string()).unwrap())
}

fn bind(table: &GenotypeTable, plan: &Value) -> Prepared {
    prepare(Plan::parse(&plan.to_string()).unwrap(), table.names(), b'\t', Purpose::Simulate).unwrap()
}

fn fam(bytes: &[u8], piece: usize) -> Result<Samples, GenotypeError> {
    let mut reader = FamReader::new(Encoding::Utf8);
    bytes.chunks(piece).try_for_each(|bytes| reader.feed(bytes))?;
    reader.finish()
}

/// Reads a set as the command line does, from pieces of any size.
fn plink(study: &Study, plan: &Value, piece: usize) -> Result<(GenotypeTable, Prepared), GenotypeError> {
    plink_with(study, plan, piece, None)
}

fn plink_with(
    study: &Study,
    plan: &Value,
    piece: usize,
    phenotypes: Option<&str>,
) -> Result<(GenotypeTable, Prepared), GenotypeError> {
    let samples = fam(study.fam().as_bytes(), piece)?;
    let mut variants = BimReader::new(wanted(plan));
    study.bim().as_bytes().chunks(piece).try_for_each(|bytes| variants.feed(bytes))?;
    let variants = variants.finish()?;
    let bed = study.bed();
    let layout = BedLayout::check(&bed, bed.len() as u64, variants.total, samples.len())?;
    let joined = |text: &str| {
        let mut reader = PhenotypeReader::new(&samples, wanted(plan), Encoding::Utf8);
        text.as_bytes().chunks(piece).try_for_each(|bytes| reader.feed(bytes))?;
        reader.finish()
    };
    let phenotypes = phenotypes.map(joined).transpose()?;
    let mut table = GenotypeTable::new(SourceFile::Bed, samples, phenotypes, variants.names);
    let prepared = bind(&table, plan);
    for variant in table.needed(prepared.bound())? {
        let place = variants.places[variant];
        let range = layout.range(place);
        let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
        table.put(variant, layout.calls(place, bed[range].to_vec())?);
    }
    Ok((table, prepared))
}

fn vcf(bytes: &[u8], plan: &Value, piece: usize) -> Result<(GenotypeTable, Prepared), GenotypeError> {
    let mut reader = VcfReader::new(wanted(plan));
    bytes.chunks(piece).try_for_each(|bytes| reader.feed(bytes))?;
    let content = reader.finish()?;
    let mut table = GenotypeTable::new(SourceFile::Vcf, content.samples, None, content.names);
    content.calls.into_iter().enumerate().for_each(|(variant, calls)| table.put(variant, calls));
    let prepared = bind(&table, plan);
    Ok((table, prepared))
}

/// Reads a table in parts.
fn read<S: RowSink>(
    (table, prepared): &(GenotypeTable, Prepared),
    workers: usize,
    sink: impl Fn(usize) -> S,
) -> Scan<S> {
    let width = prepared.row_width();
    let parts = table.parts(prepared.bound(), workers);
    let scans = parts.into_iter().map(|part| table.scan(prepared.bound(), part, sink(width)));
    join(scans).unwrap().unwrap()
}

/// A plan of all variants, by a pattern, with a phenotype as outcome.
fn all_variants(outcome: Value, budget: Value) -> Value {
    let variants = json!({"match": "rs*", "role": "feature", "type": "number", "lower": 0, "upper": 2});
    plan(&[variants, outcome], budget)
}

fn phenotype() -> Value {
    column("PHENO", "outcome", 0.0, 5.0)
}

fn exact() -> Value {
    json!({"none": true})
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Blocks as bgzip writes them: each is a member of its own that says so, and the last is empty.
fn bgzip(bytes: &[u8], block: usize) -> Vec<u8> {
    let mut packed = Vec::new();
    for block in bytes.chunks(block) {
        let extra = vec![b'B', b'C', 2, 0, 0, 0];
        let mut encoder = GzBuilder::new().extra(extra).write(Vec::new(), Compression::default());
        encoder.write_all(block).unwrap();
        packed.append(&mut encoder.finish().unwrap());
    }
    packed.extend(b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0");
    packed
}

fn studies() -> impl Strategy<Value = Study> {
    (1_usize..14, 1_usize..5).prop_flat_map(|(samples, variants)| {
        let copies = prop::collection::vec(prop::option::weighted(0.8, 0_u8..3), samples);
        let phenotype = prop_oneof!["-9", "NA", "[0-9]\\.[0-9]{1,3}", "-?[0-9]{1,2}"];
        (
            prop::collection::vec(copies, variants),
            prop::collection::vec(0_u8..3, samples),
            prop::collection::vec(phenotype, samples),
        )
            .prop_map(|(copies, sexes, phenotypes)| {
                let named = copies.into_iter().enumerate();
                let variants =
                    named.map(|(place, copies)| Variant { id: format!("rs{place}"), copies }).collect();
                Study { variants, sexes, phenotypes }
            })
    })
}

proptest! {
    /// The same rows and the same sums as the CSV of the same values, whatever the pieces and the workers.
    #[test]
    fn a_set_is_the_table_of_its_values(
        study in studies(), piece in 1_usize..60, workers in 1_usize..5, midpoint: bool, by_person: bool,
    ) {
        let mut plan = all_variants(phenotype(), exact());
        let sex = json!({"name": "SEX", "role": "feature", "type": "category", "levels": ["1", "2"]});
        plan["columns"].as_array_mut().unwrap().push(sex);
        plan["missing"] = json!(if midpoint { "midpoint" } else { "skip" });
        if by_person {
            plan["person"] = json!("FID");
        }
        let source = plink(&study, &plan, piece).unwrap();
        let table = prepared(&plan, &study.csv()).unwrap();
        prop_assert_eq!(read(&source, workers, EncodedRows::new), scan(&table, &study.csv(), EncodedRows::new));
        prop_assert_eq!(read(&source, workers, Moments::new), scan(&table, &study.csv(), Moments::new));
    }

    /// And of a VCF, in whatever way its calls are spelled and its bytes are packed.
    #[test]
    fn a_vcf_is_the_table_of_its_values(
        study in studies(), piece in 1_usize..60, workers in 1_usize..5, packing in 0_usize..3,
    ) {
        let first = json!({"name": "rs0", "role": "outcome", "type": "number", "lower": 0, "upper": 2});
        let mut plan = all_variants(first, exact());
        plan["missing"] = json!("midpoint");
        if study.variants.len() == 1 {
            plan["columns"].as_array_mut().unwrap().remove(0);
        }
        let text = study.vcf();
        let bytes = match packing {
            0 => text.into_bytes(),
            1 => gzip(text.as_bytes()),
            _ => bgzip(text.as_bytes(), 100),
        };
        let source = vcf(&bytes, &plan, piece).unwrap();
        let table = prepared(&plan, &study.csv()).unwrap();
        prop_assert_eq!(read(&source, workers, Moments::new), scan(&table, &study.csv(), Moments::new));
    }
}

/// The page's workers get the records in pieces of a few thousand samples, whose ends fall on no sample that is special.
#[test]
fn records_that_travel_in_pieces_are_those_of_the_table() {
    let samples = 2 * 4096 + 301;
    let copies = |variant: usize| {
        (0..samples).map(move |sample| match (sample * (2 * variant + 3) / 7 + variant) % 4 {
            3 => None,
            copies => u8::try_from(copies).ok(),
        })
    };
    let named =
        (0..5).map(|variant| Variant { id: format!("rs{variant}"), copies: copies(variant).collect() });
    let study = Study {
        variants: named.collect(),
        sexes: (0..samples).map(|sample| u8::from(sample % 2 == 0) + 1).collect(),
        phenotypes: (0..samples).map(|sample| format!("{}.5", sample % 4)).collect(),
    };
    let mut plan = all_variants(phenotype(), exact());
    plan["missing"] = json!("midpoint");
    let source = plink(&study, &plan, 1000).unwrap();
    let (table, prepared) = &source;
    let mut rows = EncodedRows::new(prepared.row_width());
    for mut piece in table.pieces(prepared.bound()) {
        let calls = piece.take_calls();
        assert!(!calls.is_empty());
        let text = serde_json::to_string(&piece).unwrap();
        let arrived: SamplePart = serde_json::from_str(&text).unwrap();
        assert!(arrived.clone().with_calls(calls[1..].to_vec()).is_none());
        rows = arrived.with_calls(calls).unwrap().scan(prepared.bound(), rows).sink;
    }
    let expected =
        scan(&crate::support::prepared(&plan, &study.csv()).unwrap(), &study.csv(), EncodedRows::new);
    assert_eq!(rows, expected.sink);
    assert_eq!(read(&source, 3, EncodedRows::new), expected);
}

proptest! {
    /// What one person's genotypes and phenotypes are changes no other person's row, also in the table of phenotypes.
    #[test]
    fn a_persons_record_is_joined_alone(
        study in studies(), person: prop::sample::Index, copies in prop::option::of(0_u8..3), value in -9_i32..30,
    ) {
        let plan = {
            let outcomes = [column("BMI", "outcome", 1.0, 25.0), column("PHENO", "outcome", 0.0, 5.0)];
            let sex = json!({"name": "SEX", "role": "feature", "type": "category", "levels": ["1", "2"]});
            let variants = all_variants(phenotype(), exact())["columns"][0].clone();
            let [bmi, phenotype] = outcomes;
            let mut plan = plan(&[variants, sex, bmi, phenotype], exact());
            plan["missing"] = json!("midpoint");
            plan
        };
        let rows = |study: &Study, bmi: &[i32]| {
            let mut text = "IID,BMI\n".to_owned();
            bmi.iter().enumerate().rev().for_each(|(sample, bmi)| writeln!(text, "p{sample},{bmi}").unwrap());
            let source = plink_with(study, &plan, 50, Some(&text)).unwrap();
            let rows = read(&source, 3, EncodedRows::new).sink;
            (0..rows.len()).map(|row| rows.get(row).unwrap().to_vec()).collect::<Vec<_>>()
        };
        let mut bmi: Vec<i32> = (0..10).chain(0..10).take(study.samples()).collect();
        let before = rows(&study, &bmi);
        let mut study = study;
        let person = person.index(study.samples());
        study.variants.iter_mut().for_each(|variant| variant.copies[person] = copies);
        study.sexes[person] = u8::from(value > 3) + u8::from(value > 9);
        study.phenotypes[person] = value.to_string();
        bmi[person] = value;
        let mut after = rows(&study, &bmi);
        after[person].clone_from(&before[person]);
        prop_assert_eq!(after, before);
    }
}

/// The rows of `rs1` and `PHENO` alone, by hand.
#[test]
fn a_bed_file_counts_a1() {
    let plan = plan(&[column("rs1", "feature", 0.0, 2.0), column("PHENO", "outcome", 0.0, 5.0)], exact());
    let source = plink(&Study::small(), &plan, 7).unwrap();
    let rows = read(&source, 2, EncodedRows::new);
    assert_eq!((rows.records, rows.sink.len()), (5, 3), "one call and one phenotype are missing");
    let sign = |row: usize| rows.sink.get(row).unwrap()[1].signum();
    assert_eq!([0, 1, 2].map(sign), [-1, 1, 0], "0, 2 and 1 copies about the middle of the bounds");
}

/// PLINK guesses from all phenotypes whether they are cases and controls. Here each person's record is read alone: the
/// plan's bounds say whether 0 is a value.
#[test]
fn a_phenotype_of_zero_is_missing_where_the_plan_has_no_zero() {
    let mut study = Study::small();
    study.phenotypes = ["0", "1", "2", "-9", "0"].map(str::to_owned).into();
    let persons = |outcome: Value| {
        let plan = plan(&[column("rs2", "feature", 0.0, 2.0), outcome], exact());
        read(&plink(&study, &plan, 50).unwrap(), 1, EncodedRows::new).sink.len()
    };
    assert_eq!(persons(column("PHENO", "outcome", 1.0, 2.0)), 2);
    assert_eq!(persons(column("PHENO", "outcome", 0.0, 2.0)), 4);
    let cases = json!({"name": "PHENO", "role": "outcome", "type": "category", "levels": ["1", "2"]});
    assert_eq!(persons(cases), 2);
}

#[test]
fn a_variant_without_an_identifier_of_its_own_has_its_coordinates() {
    let bim = "1 . 0 10 A G\n1 rs2 0 20 C T\n2 rs2 0 30 C T\nX rs4 0 40 T TA\n3 gone 0 -1 A C\n";
    let names = |columns: &[Value]| {
        let mut reader = BimReader::new(wanted(&plan(columns, exact())));
        reader.feed(bim.as_bytes()).unwrap();
        reader.finish().map(|found| {
            (found.names, found.places.iter().map(|place| (place.variant, place.second)).collect::<Vec<_>>())
        })
    };
    let by = |pattern: &str| json!({"match": pattern, "role": "feature", "type": "number"});
    let found = |pattern: &str| names(&[by(pattern)]).unwrap();
    let list = |names: &[&str], places: &[u64]| {
        let places = places.iter().map(|&place| (place, false)).collect::<Vec<_>>();
        (names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>(), places)
    };
    assert_eq!(found("*"), list(&["1:10:G:A", "1:20:T:C", "2:30:T:C", "rs4"], &[0, 1, 2, 3]));
    assert_eq!(found("rs*"), list(&["rs4"], &[3]));
    assert_eq!(found("X:*"), list(&["X:40:TA:T"], &[3]), "the coordinates always name a variant");
    assert_eq!(found("gone"), list(&[], &[]), "PLINK leaves out a variant before position 0");
    let error = names(&[column("rs2", "feature", 0.0, 2.0)]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the .bim file, line 2: the plan names `rs2`, and several alleles or variants have this id; name one of them as \
         CHROM:POS:REF:ALT, such as `1:20:T:C`"
    );
}

/// The plan may say which allele it counts: then it does not matter which of the two the file has as A1 or as ALT.
#[test]
fn a_plan_may_name_the_counted_allele() {
    let study = Study::small();
    let rows = |names: [&str; 2], source: &str| {
        let columns = [column(names[0], "feature", 0.0, 2.0), column(names[1], "outcome", 0.0, 2.0)];
        let plan = plan(&columns, exact());
        let source = match source {
            "bed" => plink(&study, &plan, 9).unwrap(),
            _ => vcf(study.vcf().as_bytes(), &plan, 9).unwrap(),
        };
        read(&source, 2, EncodedRows::new).sink
    };
    for source in ["bed", "vcf"] {
        let by_id = rows(["rs1", "rs2"], source);
        assert_eq!(rows(["rs1_A", "rs2_A"], source), by_id, "A is A1 and ALT");
        let other = rows(["rs1_G", "rs2"], source);
        assert_eq!(by_id.len(), other.len());
        for row in 0..by_id.len() {
            let (by_id, other) = (by_id.get(row).unwrap(), other.get(row).unwrap());
            assert_eq!(
                (other[1], other[2]),
                (-by_id[1], by_id[2]),
                "0 and 2 lie on either side of the middle"
            );
        }
    }
    // A pattern does not ask again for a site of which the plan names an allele.
    let mut plan = all_variants(column("rs2_G", "outcome", 0.0, 2.0), exact());
    plan["person"] = json!("IID");
    for names in [plink(&study, &plan, 9).unwrap().0, vcf(study.vcf().as_bytes(), &plan, 9).unwrap().0] {
        assert_eq!(names.names()[names.names().len() - 3..], ["rs1", "rs2_G", "rs3"]);
    }
}

/// What the page is told of variants that a person chooses is what a plan of these names and patterns then has.
#[test]
fn chosen_variants_are_those_of_a_plan() {
    let study = Study::small();
    let found = |choices: &[Choice]| {
        let mut set = BimReader::new(Wanted::of(choices));
        set.feed(study.bim().as_bytes()).unwrap();
        let set = set.finish()?;
        let mut sites = VcfReader::sites(Wanted::of(choices));
        sites.feed(study.vcf().as_bytes()).unwrap();
        let sites = sites.finish().unwrap();
        let of_study = |names: Vec<String>| -> Vec<String> {
            names.into_iter().filter(|name| !name.starts_with("other")).collect()
        };
        assert_eq!(of_study(sites.names), set.names);
        assert_eq!((sites.total, sites.calls.len(), sites.samples.len()), (6, 0, 5));
        assert_eq!(set.total, 3);
        Ok::<_, GenotypeError>(set.names)
    };
    let range = |first: &str, last: &str| Choice::Range(first.to_owned(), last.to_owned());
    for (choices, names) in [
        (vec![], vec![]),
        (vec![Choice::of("rs2_G"), Choice::of("rs9")], vec!["rs2_G"]),
        (vec![Choice::of("rs*")], vec!["rs1", "rs2", "rs3"]),
        (vec![Choice::of("1:101:G:*"), Choice::of("rs3")], vec!["1:101:G:A", "rs3"]),
        (vec![range("rs2", "rs3")], vec!["rs2", "rs3"]),
        (vec![range("rs3", "rs2")], vec!["rs2", "rs3"]),
        (vec![range("rs2", "rs2")], vec!["rs2"]),
        (vec![range("rs1", "rs2"), Choice::of("rs2_A")], vec!["rs1", "rs2_A"]),
    ] {
        assert_eq!(found(&choices).unwrap(), names, "{choices:?}");
        let columns: Vec<Value> = names.iter().map(|name| column(name, "feature", 0.0, 2.0)).collect();
        if !columns.is_empty() {
            let mut set = BimReader::new(wanted(&plan(&columns, exact())));
            set.feed(study.bim().as_bytes()).unwrap();
            assert_eq!(set.finish().unwrap().names, names, "by their names alone: {choices:?}");
        }
    }
    let error = found(&[range("rs1", "rs9")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the .bim file: no variant has the id `rs9`, at which a range ends; spell it as in the file"
    );
}

/// One ledger for the same people: whatever variants and phenotypes there are, and whether a VCF or the set made of it is read.
#[test]
fn the_same_people_are_known_again_in_other_genotypes() {
    let key = [7; 16];
    let minhash = |samples: &Samples| MinHash::of_people(&key, samples.people());
    let set =
        |mark: &str, people: std::ops::Range<usize>, family: &dyn Fn(usize) -> String, phenotype: usize| {
            let line = |n| format!("{} {mark}{n} 0 0 {} {}\n", family(n), n % 3, n * phenotype);
            minhash(&fam(people.map(line).collect::<String>().as_bytes(), 99).unwrap())
        };
    let vcf = |mark: &str, people: std::ops::Range<usize>| {
        let ids: String = people.map(|n| format!("\t{mark}{n}")).collect();
        let fixed = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT";
        let mut reader = VcfReader::sites(Wanted::default());
        reader.feed(format!("{fixed}{ids}\n").as_bytes()).unwrap();
        minhash(&reader.take_samples().unwrap())
    };
    let families = |n: usize| format!("f{}", n / 3);
    let none = |_: usize| "0".to_owned();
    let whole = set("p", 0..4000, &families, 1);
    let shares = |other: &MinHash| whole.overlap(other).shares_people();
    assert_eq!(whole.overlap(&set("p", 0..4000, &families, 7)), Overlap { common: 256, of: 256 });
    assert!(shares(&set("p", 3000..5000, &families, 7)), "half of them");
    assert!(!shares(&set("p", 4000..8000, &families, 1)), "the next ones");
    assert!(!shares(&set("p", 0..4000, &|n| format!("g{n}"), 1)), "the same ids in other families");
    let called = vcf("s", 0..3000);
    for other in [set("s", 0..3000, &none, 1), set("s", 0..3000, &|n| format!("s{n}"), 1)] {
        assert_eq!(called.overlap(&other), Overlap { common: 256, of: 256 });
    }
    assert_eq!(called.overlap(&whole).common, 0);
}

/// What the page shows of the first samples: codes of missing values are empty, and nothing is made of what is not there.
#[test]
fn the_first_samples_are_seen_as_they_are_read() {
    let samples = fam(b"f1 a 0 0 1 -9\nf1 b 0 0 0 0\nf2 c 0 0 2 1.5\n", 9).unwrap().first(2);
    let mut reader = PhenotypeReader::new(&samples, Wanted::all(), Encoding::Utf8);
    reader.feed(b"IID,age,FID,bmi\nb,40,f1,-9\nc,3,f2,4\nx,1,x,1\n").unwrap();
    let phenotypes = reader.finish().unwrap();
    let table = GenotypeTable::new(SourceFile::Bed, samples, Some(phenotypes), Vec::new());
    assert_eq!(table.names(), ["FID", "IID", "SEX", "PHENO", "age", "bmi"]);
    assert_eq!(
        table.preview(NumberFormat::default(), 9),
        [["f1", "a", "1", "", "", ""], ["f1", "b", "", "0", "40", ""]]
    );
}

/// Each alternative allele is a column; a call of another one counts as none of it.
#[test]
fn a_site_of_several_alleles_has_a_column_for_each() {
    let text = "##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\ta\tb\tc\td\n\
                1\t5\trs1\tA\tC,G\t.\t.\t.\tGT\t0/1\t1/2\t2|2\t/1/1\n1\t9\t.\tT\t.\t.\t.\t.\tGT\t0/0\t0\t./.\t0/0\n";
    let columns =
        |names: [&str; 2]| [column(names[0], "feature", 0.0, 2.0), column(names[1], "outcome", 0.0, 2.0)];
    let plan_of = |names: [&str; 2]| plan(&columns(names), exact());
    let source = vcf(text.as_bytes(), &plan_of(["1:5:A:C", "1:5:A:G"]), 9).unwrap();
    let rows = read(&source, 1, EncodedRows::new).sink;
    let signs =
        |row: usize| rows.get(row).unwrap()[1..3].iter().map(|code| code.signum()).collect::<Vec<_>>();
    let expected: [[i32; 2]; 4] = [[0, -1], [0, 0], [-1, 1], [1, -1]];
    assert_eq!([0, 1, 2, 3].map(signs), expected.map(Vec::from));
    let error = vcf(text.as_bytes(), &plan_of(["rs1", "1:9:T:."]), 9).err().unwrap();
    assert!(matches!(error.fault, GenotypeFault::DoubledVariant { .. }), "{error}");
    let source = vcf(text.as_bytes(), &plan_of(["1:9:T:.", "1:5:A:C"]), 9).unwrap();
    assert_eq!(read(&source, 1, EncodedRows::new).sink.len(), 3);
}

/// A table of phenotypes with its samples in another order, one of them missing, one of them unknown.
#[test]
fn phenotypes_are_joined_by_id() {
    // A part has a multiple of four samples; the others have no phenotypes.
    let samples = || {
        let mut text = String::new();
        for (place, sample) in ["f1 a", "f1 b", "f2 a"].iter().enumerate() {
            writeln!(text, "{sample} 0 0 1 0").unwrap();
            (0..3).for_each(|other| writeln!(text, "x x{place}{other} 0 0 1 0").unwrap());
        }
        fam(text.as_bytes(), 9).unwrap()
    };
    let plan = plan(&[column("bmi", "outcome", 10.0, 50.0), column("age", "feature", 0.0, 100.0)], exact());
    let ages = |text: &str, piece: usize| -> Result<Vec<Option<f64>>, GenotypeError> {
        let samples = samples();
        let mut reader = PhenotypeReader::new(&samples, wanted(&plan), Encoding::Utf8);
        text.as_bytes().chunks(piece).try_for_each(|bytes| reader.feed(bytes))?;
        let phenotypes = reader.finish()?;
        let mut table = Vec::new();
        let whole = GenotypeTable::new(SourceFile::Bed, samples, Some(phenotypes), Vec::new());
        assert_eq!(whole.names(), ["FID", "IID", "SEX", "PHENO", "age", "bmi"]);
        let bound = bind(&whole, &plan);
        for part in whole.parts(bound.bound(), 3) {
            let rows = whole.scan(bound.bound(), part, EncodedRows::new(bound.row_width())).sink;
            let geometry = bound.geometry();
            table.push(rows.get(0).map(|row| {
                let value = geometry.terms[1].centre + geometry.terms[1].scale * f64::from(row[1]);
                value.round()
            }));
        }
        Ok(table)
    };
    let expected = vec![Some(30.0), None, Some(40.0)];
    for text in [
        "#FID IID age bmi\nf2 a 40 21.5\nf9 z 1 20\n\nf1  a\t30 22\n",
        "FID\tIID\tage\tbmi\nf2\ta\t40\t21.5\nf1\ta\t30\t22\nf1\tb\t50\t\n",
        "FID,IID,age,other,bmi\nf2,a,40,x,21.5\nf1,a,30,\"y,\",22\nf1,b,50,,-9\n",
        "\u{feff}FID;IID;age;bmi\r\nf2;a;40;21.5\r\nf1;a;30;0\r\nf1;b;50;NA",
    ] {
        for piece in [1, 10, 1000] {
            let expected =
                if text.contains("30;0") { vec![None, None, Some(40.0)] } else { expected.clone() };
            assert_eq!(ages(text, piece).unwrap(), expected, "{text}");
        }
    }
    let fault = |text: &str| ages(text, 11).unwrap_err().fault;
    assert_eq!(fault("IID,age,bmi\na,1,2\n"), GenotypeFault::FamilyNeeded);
    assert_eq!(
        fault("FID,IID,age,bmi\nf1,a,1,2\nf1,b,1,2\nf1,a,1,2\n"),
        GenotypeFault::DoubledPerson { row: 3 }
    );
    assert_eq!(fault("FID IID age bmi\nf1 a 1 2\nf1 a 3 4"), GenotypeFault::DoubledPerson { row: 2 });
    assert_eq!(fault("f1 a 1 2\n"), GenotypeFault::NoIds);
    assert_eq!(fault("FID,ID,age,bmi\n"), GenotypeFault::NoIds);
    assert_eq!(fault("FID IID age bmi\nf1 a 1\n"), GenotypeFault::Fields { found: 3, expected: 4 });
    assert_eq!(
        ages("FID,IID,age,bmi\nf1,secret\n", 5).unwrap_err().to_string(),
        "the table of phenotypes: line 2, column 3 (`age`): the record has 2 of the header's 4 fields; complete the line, or check the \
         delimiter"
    );
    assert!(matches!(fault(""), GenotypeFault::Header(_)));
}

#[test]
fn a_bed_file_that_is_none_is_refused() {
    let fault = |first: &[u8], length, variants, samples| {
        BedLayout::check(first, length, variants, samples).unwrap_err().fault
    };
    assert_eq!(fault(&[0x6c, 0x1b, 0], 5, 1, 5), GenotypeFault::BedBySample);
    for first in [&b"chr1\t0\t9"[..], &[0x6c, 0x1b], &[0x6c, 0x1b, 2], b""] {
        assert_eq!(fault(first, 5, 1, 5), GenotypeFault::BedMark);
    }
    for length in [0, 4, 6] {
        assert_eq!(fault(&MARK, length, 1, 5), GenotypeFault::BedLength);
    }
    assert_eq!(fault(&MARK, 5, u64::MAX, 5), GenotypeFault::BedLength);
    let layout = BedLayout::check(&MARK, 3 + 3 * 2, 3, 5).unwrap();
    let place = |variant| BimPlace { variant, second: false };
    assert_eq!((layout.range(place(0)), layout.range(place(2))), (3..5, 7..9));
    assert_eq!(layout.calls(place(0), vec![0]).unwrap_err().fault, GenotypeFault::BedLength);
}

#[test]
fn a_bim_file_that_is_none_is_refused() {
    let error = |text: &[u8]| {
        let mut reader = BimReader::new(Wanted::default());
        reader.feed(text).and_then(|()| reader.finish().map(|_| ())).unwrap_err().to_string()
    };
    assert_eq!(
        error(b"1 rs1 0 1 A G\n1 rs2 0 1 A\n"),
        "the .bim file, line 2: the line has 5 fields and needs 6; check that this is the right file"
    );
    assert_eq!(
        error(b"1 rs1 0 1.5 A G\n"),
        "the .bim file, line 1, column 4: the variant's position is no whole number; check that this is the right file"
    );
    assert_eq!(error(b""), "the .bim file: the file has no variant; choose one with variants");
}

const HEADER: &str =
    "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tann\tbob\n";

/// What is said of a VCF whose records are these.
fn said(records: &str) -> String {
    let text = format!("{HEADER}{records}");
    let plan = plan(&[column("rs1", "outcome", 0.0, 2.0)], exact());
    vcf(text.as_bytes(), &plan, 8).err().unwrap().to_string()
}

#[test]
fn a_record_of_a_vcf_that_is_not_well_formed_is_refused_with_its_line() {
    let record = |calls: &str| format!("1\t5\trs1\tA\tC\t.\t.\t.\tGT:DP\t{calls}\n");
    let genotype =
        "this is no genotype; a call has one or two of the record's alleles, such as `0/1`, or is `.`";
    for call in ["x", "0/2", "0/", "", "-1/0", "+1/0", "0//1", "99999999999/0", ":3"] {
        let said = said(&record(&format!("0/0\t{call}")));
        assert_eq!(said, format!("the VCF, line 3, column 11: {genotype}"), "{call}");
    }
    assert_eq!(
        said(&record("0/0/1\t0/1")),
        "the VCF, line 3, column 10: the call has more than two alleles; use haploid or diploid calls alone"
    );
    let columns =
        "the line has fewer or more columns than the header; check that the file is complete".to_owned();
    for calls in ["0/0", "0/0\t0/1\t1/1"] {
        assert_eq!(said(&record(calls)), format!("the VCF, line 3: {columns}"));
    }
    // Also where the plan does not use the record, so that a file that is cut off is noticed.
    assert_eq!(said(&format!("{}1\t9\trs9\tA", record("0/0\t0/1"))), format!("the VCF, line 4: {columns}"));
    assert_eq!(
        said("1\t5\trs1\tA\tC\t.\t.\t.\tDP:GT\t0/0\t0/1\n"),
        "the VCF, line 3, column 9: the plan uses this variant, and its FORMAT does not begin with GT; export it with \
         hard calls"
    );
    assert_eq!(
        said("1\tx\trs1\tA\tC\t.\t.\t.\tGT\t0/0\t0/1\n"),
        "the VCF, line 3, column 2: the variant's position is no whole number; check that this is the right file"
    );
}

#[test]
fn a_file_that_is_no_vcf_is_refused() {
    let plan = plan(&[column("rs1", "outcome", 0.0, 2.0)], exact());
    let fault = |bytes: &[u8]| vcf(bytes, &plan, 5).err().unwrap().fault;
    assert_eq!(fault(b"age,sex\n1,2\n"), GenotypeFault::VcfMark);
    assert_eq!(fault(b"BCF\x02\x02\0\0\n"), GenotypeFault::VcfMark);
    assert_eq!(fault(b""), GenotypeFault::VcfHeader);
    assert_eq!(fault(b"##fileformat=VCFv4.2\n"), GenotypeFault::VcfHeader);
    assert_eq!(fault(b"##fileformat=VCFv4.2\n1\t5\trs1\tA\tC\t.\t.\t.\n"), GenotypeFault::VcfHeader);
    let fixed = "##fileformat=VCFv4.2\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO";
    assert_eq!(fault(fixed.as_bytes()), GenotypeFault::VcfSites);
    assert_eq!(fault(format!("{fixed}\tFORMAT\n").as_bytes()), GenotypeFault::VcfSites);
    let doubled = vcf(format!("{fixed}\tFORMAT\ta\tb\ta\n").as_bytes(), &plan, 5).err().unwrap();
    assert_eq!(
        doubled.to_string(),
        "the VCF, line 2, column 12: the sample is listed a second time; remove one of the two"
    );
}

/// Wherever a compressed file is cut, it is noticed; also between two blocks of bgzip, where what is left is whole gzip.
#[test]
fn a_compressed_vcf_that_is_cut_off_or_damaged_is_refused() {
    let text = Study::small().vcf();
    let plan = plan(&[column("rs1", "outcome", 0.0, 2.0)], exact());
    for packed in [gzip(text.as_bytes()), bgzip(text.as_bytes(), 64)] {
        assert!(vcf(&packed, &plan, 33).is_ok());
        for end in 2..packed.len() {
            let error = vcf(&packed[..end], &plan, 33).expect_err("a file that is cut off is read");
            assert!(matches!(error.fault, GenotypeFault::Damaged | GenotypeFault::CutOff), "{end}: {error}");
        }
        let mut wrong = packed.clone();
        wrong[40] ^= 0x10;
        assert!(vcf(&wrong, &plan, 33).is_err());
        let mut longer = packed;
        longer.extend(b"more");
        assert!(vcf(&longer, &plan, 33).is_err());
    }
}

/// A bench with the small study as a set, a VCF and a CSV.
fn bench() -> Bench {
    let bench = Bench::new();
    let study = Study::small();
    bench.write("set.bed", study.bed());
    bench.write("set.bim", study.bim());
    bench.write("set.fam", study.fam());
    bench.write("calls.vcf", study.vcf());
    bench.write("calls.vcf.gz", bgzip(study.vcf().as_bytes(), 200));
    bench.write("same.csv", study.csv());
    bench.plan(&all_variants(phenotype(), exact()));
    bench
}

#[test]
fn the_command_line_reads_genotypes_as_it_reads_a_csv() {
    let bench = bench();
    let run = |table: &str| -> Value {
        let mut release: Value =
            serde_json::from_str(&bench.ok(&format!("simulate --plan plan.json {table}"))).unwrap();
        release["plan"]["csv"].as_object_mut().unwrap().remove("delimiter");
        release
    };
    let expected = run("same.csv");
    assert_eq!(run("set.bed"), expected);
    assert_eq!(run("set.bed --workers 3"), expected);

    // A VCF has no phenotype of its own.
    bench.write("pheno.txt", "IID PHENO\np4 4\np0 1.5\np1 -9\np2 3\np3 2.25\n");
    assert_eq!(run("calls.vcf --phenotypes pheno.txt"), expected);
    assert_eq!(run("calls.vcf.gz --phenotypes pheno.txt --workers 2"), expected);
    let missing = bench.fails("simulate --plan plan.json calls.vcf", 2);
    assert!(missing.contains("no column `PHENO`"), "{missing}");
    let twice = bench.fails("simulate --plan plan.json set.bed --phenotypes pheno.txt", 2);
    assert!(twice.contains("`PHENO` twice"), "{twice}");
}

/// A fit of several passes finds the calls in memory, however many rows the plan states; a changed file changes nothing any more.
#[test]
fn a_descent_goes_over_genotypes_that_were_read_once() {
    let bench = bench();
    let mut plan = all_variants(phenotype(), json!({"epsilon": 1, "delta": 1e-5}));
    plan["mechanism"] = json!({"name": "dp-gd", "params": {"steps": 3}});
    bench.open_ledger("4");
    for rows in [5, 1_000_000_000_u64] {
        plan["stated_rows"] = json!(rows);
        bench.plan(&plan);
        let line = "release --plan plan.json --ledger ledger.json set.bed --workers 2 --confirm";
        let release: Value = serde_json::from_str(&bench.ok(line)).unwrap();
        assert_eq!(release["coefficients"].as_array().unwrap().len(), 4, "{rows}");
    }
}

/// Files that bed-reader and htslib wrote, so that reading does not agree with this module's own writing alone.
#[test]
fn files_of_other_programs_are_read_as_the_csv_of_their_values() {
    let bench = Bench::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/genotypes");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        bench.write(path.file_name().unwrap().to_str().unwrap(), fs::read(&path).unwrap());
    }
    let mut plan = all_variants(column("PHENO", "outcome", -2.0, 6.0), exact());
    plan["missing"] = json!("midpoint");
    plan["columns"]
        .as_array_mut()
        .unwrap()
        .insert(1, json!({"name": "SEX", "role": "feature", "type": "category", "levels": ["1", "2"]}));
    bench.plan(&plan);
    let coefficients = |table: &str| -> Value {
        let release: Value =
            serde_json::from_str(&bench.ok(&format!("simulate --plan plan.json {table}"))).unwrap();
        release["coefficients"].clone()
    };
    let expected = coefficients("same.csv");
    assert_eq!(expected.as_array().unwrap().len(), 7);
    assert_eq!(coefficients("set.bed"), expected);
    assert_eq!(coefficients("calls.vcf.gz --phenotypes phenotypes.tsv"), expected);
}

#[test]
fn a_release_of_genotypes_is_charged_as_any_other() {
    let bench = bench();
    bench.plan(&all_variants(phenotype(), json!({"epsilon": 1, "delta": 1e-5})));
    bench.open_ledger("1");
    let output = bench.run("release --plan plan.json --ledger ledger.json set.bed");
    let (printed, warned) = (text(&output.stdout), text(&output.stderr));
    assert!(warned.contains("most rows would not count"), "{warned}");
    for private in ["p0", "set.bed", "set.fam"] {
        assert!(!printed.contains(private), "{private}");
    }
    assert_eq!(bench.ledger().entries().len(), 1);
    // The plan in a release runs unchanged, and finds no budget left.
    let release: Value = serde_json::from_str(&printed).unwrap();
    bench.plan(&release["plan"]);
    bench.fails("release --plan plan.json --ledger ledger.json set.bed", 3);
}

/// As of a CSV, the first rows are compared with the plan.
#[test]
fn levels_that_phenotypes_do_not_have_are_warned_of() {
    let bench = bench();
    let mut plan = all_variants(phenotype(), json!({"epsilon": 1, "delta": 1e-5}));
    let ward = json!({"name": "ward", "role": "feature", "type": "category", "levels": ["north", "south"]});
    plan["columns"].as_array_mut().unwrap().push(ward);
    bench.plan(&plan);
    let rows = |level: &str| {
        let row = |sample: usize| format!("f{sample} p{sample} {level}\n");
        "FID IID ward\n".to_owned() + &(0..5).map(row).collect::<String>()
    };
    for (level, warned) in [("north", false), ("N", true)] {
        bench.write("pheno.txt", rows(level));
        let mut command = bench.command("check --plan plan.json set.bed --phenotypes pheno.txt");
        let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert_eq!(said.contains("column `ward`: the first rows have cells"), warned, "{said}");
    }
}

/// Phenotypes of which few samples have a row are warned of before the charge, without a count.
#[test]
fn phenotypes_of_few_samples_are_warned_of_without_a_count() {
    let bench = bench();
    bench.plan(&all_variants(phenotype(), json!({"epsilon": 1, "delta": 1e-5})));
    bench.open_ledger("4");
    let warning = |name: &str| {
        let mut command = bench.command(&format!("{name} --plan plan.json set.bed --phenotypes pheno.txt"));
        if name == "release" {
            command.args(["--ledger", "ledger.json", "--confirm-weak", "weak promise"]);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{said}");
        said.lines().find(|line| line.contains("the table of phenotypes")).map(str::to_owned)
    };
    // So many of the five samples have a row, in the order of the file; the other rows write the ids in capital letters.
    let write = |matched: usize| {
        let row = |sample: usize| {
            let mark = if sample < matched { 'p' } else { 'P' };
            format!("f{} {mark}{sample} 1\n", sample / 2)
        };
        bench.write("pheno.txt", "FID IID ward\n".to_owned() + &(0..5).map(row).collect::<String>());
    };
    for command in ["check", "release"] {
        let [one, two, three, all] = [1, 2, 3, 5].map(|matched| {
            write(matched);
            warning(command)
        });
        assert_eq!((three, all), (None, None), "{command}");
        assert_eq!(one, two, "{command}: the number of samples changes nothing");
        let one = one.unwrap();
        assert!(one.starts_with("discreet: warning: "), "{one}");
        assert!(one.contains("`IID` has other values than the samples' file"), "{one}");
        assert!(!one.contains(|letter: char| letter.is_ascii_digit()), "{one}");
    }
    assert_eq!(bench.ledger().entries().len(), 4);
}

/// An identifier that several alleles have is told as that, also where the plan names one of its alleles.
#[test]
fn a_shared_identifier_is_told_beside_a_named_allele() {
    let said = |name: &str| {
        let plan = plan(&[column("rs1_C", "feature", 0.0, 2.0), column(name, "outcome", 0.0, 2.0)], exact());
        let text = format!("{HEADER}1\t5\trs1\tA\tC,G\t.\t.\t.\tGT\t0/1\t1/2\n");
        vcf(text.as_bytes(), &plan, 8)
            .map(|(table, _)| table.names().to_vec())
            .map_err(|error| error.to_string())
    };
    let refused = said("rs1").unwrap_err();
    assert!(refused.ends_with("name one of them as CHROM:POS:REF:ALT, such as `1:5:A:G`"), "{refused}");
    assert_eq!(said("1:5:A:G").unwrap(), ["IID", "rs1_C", "1:5:A:G"]);
}

/// What cannot be read is refused before anything is charged, and no message has a sample's id.
#[test]
fn files_that_do_not_fit_together_cost_nothing() {
    let bench = bench();
    bench.plan(&all_variants(phenotype(), json!({"epsilon": 1, "delta": 1e-5})));
    bench.open_ledger("2");
    let before = bench.read("ledger.json");
    let fails = |rest: &str| {
        let said = bench.fails(&format!("release --plan plan.json --ledger ledger.json {rest}"), 2);
        assert!(!said.contains("p0") && !said.contains("p4"), "{said}");
        said
    };
    let said = fails("none.bed");
    assert!(said.contains("the .bed file none.bed cannot be read"), "{said}");
    bench.write("lone.bed", Study::small().bed());
    assert!(fails("lone.bed").contains("the .fam file lone.fam cannot be read"));
    assert!(fails("set.fam").contains("name the .bed file of the set"));
    assert!(fails("set.pgen").contains("plink2 --pfile"));
    assert!(fails("same.csv --phenotypes same.csv").contains("a .bed file or a VCF"));
    assert!(fails("set.bed --phenotypes none.txt").contains("the table of phenotypes none.txt"));
    bench.write("strangers.csv", "FID,IID,age\nf0,person0,40\nf1,person1,50\n");
    assert!(fails("set.bed --phenotypes strangers.csv").contains("no row is of a sample"));
    bench.write(
        "set.fam",
        Study::small().fam() + "f9 p9 0 0 1 1\nf9 p10 0 0 1 1\nf9 p11 0 0 1 1\nf9 p12 0 0 1 1\n",
    );
    assert!(fails("set.bed").contains("its length does not fit the .bim file's variants"));
    bench.write("set.fam", Study::small().fam() + "f0 p0 0 0 1 1\n");
    assert!(fails("set.bed").contains("the .fam file, line 6: the sample is listed a second time"));
    assert_eq!(bench.read("ledger.json"), before);
}
