//! Records against the crate `csv`, rows against the formula, sums in any order.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]

use discreet::data::csv::{Feed, Parser};
use discreet::data::encode::{Encoded, Encoder, Geometry, within};
use discreet::data::moments::{MAX_TERMS, Moments, MomentsError};
use discreet::data::number::parse;
use discreet::data::preview::{Suggestion, preview};
use discreet::data::{HeaderRead, HeaderRules, csv::Record, header::read_header};
use discreet::model::{Layout, Missing, Role};
use discreet::plan::bound::{
    BoundColumn, BoundPlan, CsvRules, Encoding, GridParams, Kind, Levels, Norms, PersonColumn, Source,
};
use discreet::plan::number_format::NumberFormat;
use proptest::prelude::*;

/// The dialect with a plan's defaults.
pub fn rules() -> CsvRules {
    CsvRules {
        delimiter: b',',
        numbers: NumberFormat::default(),
        by_field: Vec::new(),
        encoding: Encoding::Utf8,
        na: ["", "NA", "N/A", "NaN", "null", "."].map(str::to_owned).into(),
    }
}

pub fn number(name: &str, field: usize, role: Role, lower: f64, upper: f64) -> BoundColumn {
    BoundColumn {
        name: name.to_owned(),
        source: Source::Field(field),
        role,
        kind: Kind::Number { lower, upper },
        typical: None,
        shares: None,
    }
}

pub fn category(name: &str, field: usize, role: Role, levels: &[&str], reference: usize) -> BoundColumn {
    let other = levels.iter().position(|level| *level == "other");
    let levels = levels.iter().map(|level| (*level).to_owned()).collect();
    BoundColumn {
        name: name.to_owned(),
        source: Source::Field(field),
        role,
        kind: Kind::Category { levels, reference, other },
        typical: None,
        shares: None,
    }
}

pub fn plan(columns: Vec<BoundColumn>, fields: usize) -> BoundPlan {
    BoundPlan {
        columns,
        person: None,
        only: Vec::new(),
        missing: Missing::Skip,
        fields,
        csv: rules(),
        grid: GridParams {
            radius: 1 << 24,
            intercept_weight: 0.5,
            norms: Norms::Record { feature_share: 0.6, row_norm: 1.0 },
        },
        levels: Levels::default(),
        guard: false,
        public: None,
        whitening: None,
        labels: false,
        typical_correlation: None,
    }
}

/// An example of three columns: age, sex, blood pressure.
pub fn clinic() -> BoundPlan {
    let columns = vec![
        number("age", 0, Role::Feature, 0.0, 120.0),
        category("sex", 1, Role::Feature, &["F", "M"], 0),
        number("sbp", 2, Role::Outcome, 60.0, 260.0),
    ];
    plan(columns, 3)
}

pub fn with_person(mut plan: BoundPlan, field: usize, max_rows: u32) -> BoundPlan {
    plan.person = Some(PersonColumn { name: "id".to_owned(), field, max_rows });
    plan
}

/// SplitMix64: numbers for tests, the same on every run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }
}

/// One row from cells.
pub fn encode(plan: &BoundPlan, cells: &[&str]) -> Option<Vec<i32>> {
    let text = cells.concat();
    let ends: Vec<usize> = cells
        .iter()
        .scan(0, |end, cell| {
            *end += cell.len();
            Some(*end)
        })
        .collect();
    match Encoder::new(plan).encode(&Record::new(&text, &ends)) {
        Encoded::Row(row) => Some(row.to_vec()),
        Encoded::Skipped => None,
    }
}

/// Whether a line of a cell, but for its first, looks like a record.
fn holds_record(record: &[String], rules: &CsvRules) -> bool {
    let delimiter = char::from(rules.delimiter);
    let is_record = |line: &str| {
        let cells: Vec<_> = line.split(delimiter).collect();
        cells.len() == record.len() && cells.iter().any(|cell| parse(cell, rules.numbers).is_some())
    };
    let lines = record.iter().flat_map(|cell| cell.split(['\r', '\n']).skip(1));
    record.len() > 1 && lines.into_iter().any(is_record)
}

/// All records as texts, with the bytes fed in pieces.
fn records(fields: usize, rules: &CsvRules, bytes: &[u8], piece: usize) -> (Vec<Vec<String>>, bool) {
    let mut found = Vec::new();
    let mut take =
        |record: Record<'_>| found.push((0..fields).map(|field| record.field(field).to_owned()).collect());
    let mut parser = Parser::new(fields, rules, 0, u64::MAX);
    let mut fine = true;
    for part in bytes.chunks(piece) {
        match parser.feed(part, &mut take) {
            Ok(feed) => assert_eq!(feed, Feed::More),
            Err(_) => {
                fine = false;
                break;
            }
        }
    }
    let fine = fine && parser.finish(&mut take).is_ok();
    (found, fine)
}

fn latin(bytes: &[u8]) -> String {
    bytes.iter().map(|&byte| char::from(byte)).collect()
}

/// Cases from a fixed seed.
pub fn fixed(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_261_120),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(fixed(400))]

    /// What the crate `csv` writes, we read back, whatever the pieces.
    #[test]
    fn what_csv_writes_we_read(
        table in (1_usize..5).prop_flat_map(|width| prop::collection::vec(
            prop::collection::vec("[a-zé€,;\"\r\n \t0-9]{0,6}", width), 0..12)),
        piece in 1_usize..40,
        terminator in prop::sample::select(vec![
            csv::Terminator::CRLF, csv::Terminator::Any(b'\n'), csv::Terminator::Any(b'\r')]),
        delimiter in prop::sample::select(vec![b',', b';', b'\t', b'|']),
    ) {
        let mut writer = csv::WriterBuilder::new()
            .terminator(terminator)
            .delimiter(delimiter)
            .quote_style(csv::QuoteStyle::Always)
            .from_writer(Vec::new());
        for row in &table {
            writer.write_record(row).expect("memory");
        }
        let bytes = writer.into_inner().expect("memory");
        let rules = CsvRules { delimiter, ..rules() };
        let width = table.first().map_or(1, Vec::len);
        let (found, fine) = records(width, &rules, &bytes, piece);
        let sound: Vec<_> = table.iter().take_while(|row| !holds_record(row, &rules)).cloned().collect();
        prop_assert_eq!(fine, sound.len() == table.len());
        prop_assert_eq!(found, sound);
    }

    /// Any bytes: the same records as the crate `csv` up to the first one that is not well formed. Empty cells of one column are left out, as
    /// a blank line is a record only for us.
    #[test]
    fn any_bytes_read_as_csv_reads_them(
        bytes in prop::collection::vec(prop::sample::select(b"ab1,,;\"\"\n\r\xe9 ".to_vec()), 0..60),
        piece in 1_usize..20,
        width in 1_usize..4,
    ) {
        let rules = CsvRules { encoding: Encoding::Latin1, ..rules() };
        let (mut found, fine) = records(width, &rules, &bytes, piece);
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(bytes.as_slice());
        let mut theirs: Vec<Vec<String>> = reader
            .byte_records()
            .map(|record| record.expect("memory").iter().map(latin).collect())
            .collect();
        for records in [&mut found, &mut theirs] {
            records.retain(|record| width > 1 || record != &[""]);
        }
        let is_good = |record: &&Vec<String>| record.len() == width && !holds_record(record, &rules);
        let good: Vec<_> = theirs.iter().take_while(is_good).cloned().collect();
        if fine {
            prop_assert_eq!(&found, &theirs);
        } else {
            // The last of theirs may be one that an open quote ends: we refuse it.
            prop_assert!(found == good || found[..] == good[..good.len().saturating_sub(1)]);
        }
    }

    /// Sums do not depend on order or split.
    #[test]
    fn moments_merge_in_any_order(
        rows in prop::collection::vec(prop::collection::vec(-(1 << 24)..=1_i32 << 24, 4), 0..40),
        cut in 0_usize..40,
    ) {
        let sum = |rows: &[Vec<i32>]| {
            let mut moments = Moments::new(4);
            rows.iter().for_each(|row| moments.add(row));
            moments
        };
        let whole = sum(&rows);
        let (left, right) = rows.split_at(cut.min(rows.len()));
        let mut forward = sum(left);
        forward.merge(&sum(right)).expect("same plan");
        let mut backward = sum(right);
        backward.merge(&Moments::from_bytes(&sum(left).to_bytes()).expect("own bytes")).expect("same plan");
        let reversed: Vec<_> = rows.iter().rev().cloned().collect();
        prop_assert_eq!(&forward, &whole);
        prop_assert_eq!(&backward, &whole);
        prop_assert_eq!(&sum(&reversed), &whole);
    }
}

/// Rows are added in batches: the sums are those of one product after another, also while a batch is incomplete, with rows of many
/// zeros in between and beyond a block.
#[test]
fn batches_give_the_same_sums_as_single_products() {
    let mut draws = Numbers(1);
    for layout in
        [Layout::whole(5), Layout::whole(1), Layout::sides(4, 3, true), Layout::sides(5, 300, false)]
    {
        for rows in [0, 1, 31, 32, 33, 100, 17_000] {
            let rows = if layout.outcomes() > 3 { rows % 1_000 } else { rows };
            let (mut moments, mut expected) = (Moments::of(layout), vec![0_i128; layout.cells()]);
            for _ in 0..rows {
                let zeros = draws.below(2) * 7;
                let mut code =
                    || if draws.below(8) < zeros { 0 } else { draws.below((1 << 25) + 1) as i32 - (1 << 24) };
                let row: Vec<i32> = (0..layout.terms()).map(|_| code()).collect();
                moments.add(&row);
                for (cell, (first, second)) in expected.iter_mut().zip(layout.pairs()) {
                    *cell += i128::from(row[first]) * i128::from(row[second]);
                }
            }
            for (cell, (first, second)) in expected.iter().zip(layout.pairs()) {
                assert_eq!(moments.get(first, second), *cell, "{rows} rows");
            }
            let mut read = Moments::from_bytes(&moments.to_bytes()).expect("own bytes");
            assert_eq!(read.cells(), expected);
            assert_eq!(moments.cells(), expected);
        }
    }
}

/// A plain record takes another way than one with quotes. The same fields, all in quotes, give the same records and the same error.
#[test]
fn plain_records_give_the_same_fields_as_quoted_ones() {
    let texts: [&[u8]; 16] = [
        b"",
        b"1",
        b"-0.076780",
        b"12345.678901234",
        b" 3 ",
        b"\t",
        b"\x01\x0b\x7f",
        "é€".as_bytes(),
        b"NA",
        b"long text, of which a comma is none",
        b"x;y|z",
        b"0",
        b"\xef\xbb\xbf",
        b"\xff",
        b"\0",
        b"\xe2\x82",
    ];
    let mut draws = Numbers(2);
    let mut outcomes = [0; 2];
    for _ in 0..3_000 {
        let delimiter = b",;\t|"[draws.below(4) as usize];
        let encoding = [Encoding::Utf8, Encoding::Latin1][draws.below(2) as usize];
        let rules = CsvRules { delimiter, encoding, ..rules() };
        let fields = 1 + draws.below(5) as usize;
        // One file in four may have what a table must not have.
        let hostile = draws.below(4) == 0;
        let (mut plain, mut quoted) = (Vec::new(), Vec::new());
        for _ in 0..draws.below(12) {
            let surplus = usize::from(hostile && draws.below(20) == 0);
            let mut record = Vec::new();
            for _ in 0..fields + surplus {
                let text = texts[draws.below(if hostile { 16 } else { 13 }) as usize].iter();
                record.push(text.copied().filter(|&byte| byte != delimiter).collect::<Vec<u8>>());
            }
            // Without quotes an empty record is a blank line.
            if record.len() == 1 && record[0].is_empty() {
                continue;
            }
            let end: &[u8] = [&b"\n"[..], b"\r\n", b"\r", b"\n\n"][draws.below(4) as usize];
            let quote = |cell: &Vec<u8>| [b"\"", &cell[..], b"\""].concat();
            plain.extend([&record.join(&delimiter)[..], end].concat());
            quoted.extend([&record.iter().map(quote).collect::<Vec<_>>().join(&delimiter)[..], end].concat());
        }
        let read = |bytes: &[u8], piece: usize| {
            let mut parser = Parser::new(fields, &rules, 0, u64::MAX);
            let mut records = Vec::new();
            let mut take = |record: Record<'_>| {
                records.push((0..fields).map(|field| record.field(field).to_owned()).collect::<Vec<_>>());
            };
            let fed = bytes.chunks(piece).try_for_each(|part| parser.feed(part, &mut take).map(drop));
            let ended = fed.and_then(|()| parser.finish(&mut take));
            (records, ended.map(|()| parser.lines()))
        };
        let expected = read(&quoted, usize::MAX);
        outcomes[usize::from(expected.1.is_err())] += 1;
        for piece in [usize::MAX, 1 + draws.below(40) as usize, 1] {
            assert_eq!(read(&plain, piece), expected, "{}", plain.escape_ascii());
        }
    }
    assert!(outcomes.iter().all(|count| *count > 200), "{outcomes:?}");
}

#[test]
fn a_row_beyond_the_grid_contributes_nothing() {
    let mut moments = Moments::new(2);
    moments.add(&[1, (1 << 24) + 1]);
    moments.add(&[i32::MIN, 1]);
    moments.add(&[1]);
    assert_eq!(moments, Moments::new(2));
}

#[test]
fn bytes_that_hold_no_sums_are_refused() {
    let mut moments = Moments::new(2);
    moments.add(&[3, -4]);
    let bytes = moments.to_bytes();
    assert_eq!(Moments::from_bytes(&bytes), Ok(moments.clone()));
    for end in 0..bytes.len() {
        assert_eq!(Moments::from_bytes(&bytes[..end]), Err(MomentsError::Malformed));
    }
    let mut long = bytes.clone();
    long.push(0);
    assert_eq!(Moments::from_bytes(&long), Err(MomentsError::Malformed));
    let mut large = bytes;
    // One row cannot have a sum of 2^120.
    large[32 + 15] = 1;
    assert_eq!(Moments::from_bytes(&large), Err(MomentsError::Malformed));
    assert_eq!(Moments::from_bytes(&[0xff; 64]), Err(MomentsError::Malformed));
    assert!(Moments::from_bytes(&Moments::new(MAX_TERMS).to_bytes()).is_ok());
    assert_eq!(moments.merge(&Moments::new(3)), Err(MomentsError::Terms { ours: 2, theirs: 3 }));
}

/// The spec's own numbers, and the bound that the proof uses.
#[test]
fn the_grid_of_the_default_plan() {
    let geometry = Geometry::new(&clinic());
    assert_eq!((geometry.constant, geometry.radius), (7_502_999, 15_005_998));
    // Four terms: ⌈√4 / 2⌉ + 1 = 2.
    assert_eq!(geometry.reach, 15_005_996);
    let names: Vec<&str> = geometry.terms.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names, ["(Intercept)", "age", "sex[M]", "sbp"]);
    let columns: Vec<_> = geometry.terms.iter().map(|term| (term.column, term.level)).collect();
    assert_eq!(columns, [(None, None), (Some(0), None), (Some(1), Some(1)), (Some(2), None)]);
    assert!((geometry.terms[1].centre - 60.0).abs() < 1e-12 && geometry.terms[2].centre.abs() < 1e-12);
    assert!((geometry.terms[1].weight - 0.3_f64.sqrt()).abs() < 1e-12);
    assert!((geometry.terms[3].weight - 0.4_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn the_grid_stays_within_its_radius() {
    for shift in 16..=24 {
        for weight in [1e-9, 1e-3, 0.1, 0.25, 0.5, 0.7, 0.999, 1.0] {
            let mut plan = clinic();
            plan.grid.radius = 1 << shift;
            plan.grid.intercept_weight = weight;
            let geometry = Geometry::new(&plan);
            assert!(geometry.constant >= 1);
            assert!(geometry.squared_norm() <= 1 << (2 * shift));
            // No larger W would do, but for the two that rounding may cost.
            let next = u128::from(geometry.radius) + 3;
            let constant = (weight * next as f64).floor() as u128;
            assert!(constant.max(1).pow(2) + next.pow(2) > 1 << (2 * shift), "{shift} {weight}");
        }
    }
    let mut plan = clinic();
    plan.grid.intercept_weight = 0.0;
    let geometry = Geometry::new(&plan);
    assert_eq!((geometry.constant, geometry.radius), (0, 1 << 24));
    assert_eq!(geometry.terms[0].name, "age");
    assert_eq!(encode(&plan, &["60", "F", "160"]), Some(vec![0, 0, 0]));
}

/// value = centre + scale · code, to half a step, while a record is not shortened.
#[test]
fn codes_stand_for_values() {
    let mut plan = clinic();
    for row_norm in [1.0, 0.8] {
        plan.grid.norms = Norms::Record { feature_share: 0.6, row_norm };
        let terms = Geometry::new(&plan).terms;
        let row = encode(&plan, &["37.5", "F", "141"]).expect("complete");
        for (place, value) in [(0, 1.0), (1, 37.5), (2, 0.0), (3, 141.0)] {
            let read = terms[place].centre + terms[place].scale * f64::from(row[place]);
            assert!((read - value).abs() <= 0.501 * terms[place].scale, "{row_norm} {place} {read}");
        }
    }
    let row = encode(&plan, &["60", "M", "160"]).expect("complete");
    assert!((Geometry::new(&plan).terms[2].scale * f64::from(row[2]) - 1.0).abs() < 1e-6);
}

#[test]
fn values_beyond_their_bounds_are_clipped() {
    let plan = clinic();
    assert_eq!(encode(&plan, &["1e300", "M", "-1e308"]), encode(&plan, &["120", "M", "60"]));
    assert_eq!(encode(&plan, &["9223372036854775808", "M", "100"]), encode(&plan, &["121", "M", "100"]));
}

/// A record longer than `row_norm` keeps its direction and gets the length K.
#[test]
fn a_long_record_is_shortened_as_a_whole() {
    let mut plan = clinic();
    plan.grid.norms = Norms::Record { feature_share: 0.6, row_norm: 0.5 };
    let reach = f64::from(Geometry::new(&plan).reach);
    let row = encode(&plan, &["120", "M", "60"]).expect("complete");
    let norm = row[1..].iter().map(|&code| f64::from(code).powi(2)).sum::<f64>().sqrt();
    assert!((norm - reach).abs() < 2.0, "{norm}");
    assert!((row[1] - row[2]).abs() <= 1 && row[3] < 0, "{row:?}");
    assert!((f64::from(row[3]) / f64::from(row[1]) + (0.4_f64 / 0.3).sqrt()).abs() < 1e-6);
}

#[test]
fn missing_cells_skip_the_record_or_take_the_middle() {
    let mut plan = clinic();
    for cells in [
        ["", "F", "100"],
        ["NA", "F", "100"],
        [" NaN ", "F", "100"],
        ["60", "x", "100"],
        ["60", " ", "100"],
        ["60", "F", "1e400"],
        ["60", "F", "1,5"],
        ["60", "F", "inf"],
        ["60", "f", "100"],
        ["60", "null", "100"],
    ] {
        assert_eq!(encode(&plan, &cells), None, "{cells:?}");
    }
    plan.missing = Missing::Midpoint;
    assert_eq!(encode(&plan, &["", "x", "."]), encode(&plan, &["60", "F", "160"]));
    assert_eq!(encode(&plan, &["NaN", "M", "inf"]), encode(&plan, &["60", " M ", "160"]));
    assert_eq!(encode(&plan, &["", "", ""]).map(|row| row[1..].to_vec()), Some(vec![0, 0, 0]));
}

#[test]
fn a_number_can_be_declared_missing() {
    let mut plan = clinic();
    plan.csv.na.push("-9".to_owned());
    assert_eq!(encode(&plan, &["-9", "F", "100"]), None);
    assert!(encode(&plan, &["-9.0", "F", "100"]).is_some(), "tokens are compared as text");
}

#[test]
fn levels_have_one_weight_and_other_takes_the_rest() {
    let levels = &["low", " mid ", "other", "high"];
    let columns = vec![category("c", 0, Role::Feature, levels, 1), number("y", 1, Role::Outcome, 0.0, 1.0)];
    let plan = plan(columns, 2);
    let terms = Geometry::new(&plan).terms;
    let names: Vec<&str> = terms.iter().map(|term| term.name.as_str()).collect();
    assert_eq!(names, ["(Intercept)", "c[low]", "c[other]", "c[high]", "y"]);
    let one = (1.0 / terms[1].scale).round_ties_even() as i32;
    let dummies = |cell: &str| encode(&plan, &[cell, "0.5"]).map(|row| row[1..4].to_vec());
    assert_eq!(dummies("low"), Some(vec![one, 0, 0]));
    assert_eq!(dummies(" high\t"), Some(vec![0, 0, one]));
    assert_eq!(dummies("mid"), Some(vec![0, 0, 0]));
    assert_eq!(dummies("other"), Some(vec![0, one, 0]));
    assert_eq!(dummies("HIGH"), Some(vec![0, one, 0]));
    assert_eq!(dummies("NA"), None, "missing is not a value outside the list");
    assert_eq!(dummies(" "), None, "an empty cell is missing by default");
    let mut explicit = plan.clone();
    explicit.csv.na = vec!["-9".to_owned()];
    let dummies = |cell: &str| encode(&explicit, &[cell, "0.5"]).map(|row| row[1..4].to_vec());
    assert_eq!(dummies(""), Some(vec![0, one, 0]), "`na` alone says what is missing in a category");
    assert_eq!((dummies("-9"), dummies("NA")), (None, Some(vec![0, one, 0])));
}

/// An encoder keeps nothing of one record for the next.
#[test]
fn a_record_is_encoded_alone() {
    let plan = clinic();
    let mut encoder = Encoder::new(&plan);
    let mut read = |cells: [&str; 3]| {
        let text = cells.concat();
        let first = cells[0].len();
        let ends = [first, first + cells[1].len(), text.len()];
        match encoder.encode(&Record::new(&text, &ends)) {
            Encoded::Row(row) => Some(row.to_vec()),
            Encoded::Skipped => None,
        }
    };
    let first = read(["30", "F", "120"]);
    assert!(read(["99", "M", "250"]).is_some());
    assert!(read(["99", "M", ""]).is_none());
    assert_eq!(read(["30", "F", "120"]), first);
}

#[test]
fn the_integer_check_counts_exactly() {
    assert!(within(&[3, -4], 5));
    assert!(!within(&[3, -5], 5));
    assert!(!within(&[15_005_998, 1], 15_005_998));
    assert!(within(&[-15_005_998, 0], 15_005_998));
    assert!(!within(&[i32::MIN; 64], u32::MAX));
    assert!(within(&[], 0));
}

#[test]
fn a_preview_suggests_types_and_never_bounds() {
    let text = "id,age,sex,empty\na,1,F,\nb,2.5,M,NA\nc,x,M,\n\"d\",3,F,";
    let Ok(HeaderRead::Header(header)) = read_header(text.as_bytes(), true, HeaderRules::default()) else {
        panic!("a header")
    };
    let body = &text.as_bytes()[header.body_offset as usize..];
    let view = preview(&header, &rules(), body, true, 10);
    assert_eq!(view.rows.len(), 4);
    assert_eq!(view.rows[3], ["d", "3", "F", ""]);
    let category = |distinct| Suggestion::Category { distinct };
    assert_eq!(view.suggestions, [category(4), category(4), category(2), Suggestion::Unknown]);
    let cut = preview(&header, &rules(), body, false, 10);
    assert_eq!(cut.rows.len(), 3, "a record that the bytes cut off is left out");
    let short = preview(&header, &rules(), body, true, 2);
    assert_eq!((short.rows.len(), short.suggestions[1]), (2, Suggestion::Number));
    let weights = CsvRules { delimiter: b';', ..rules() };
    let suggested = |body: &str| preview(&header, &weights, body.as_bytes(), true, 10).suggestions;
    let rows = "a;71,5;1,2;12 %\nb;80,25;x;7.5%\nc;;3;8\n";
    let expected = [category(3), Suggestion::Number, category(3), Suggestion::Number];
    assert_eq!(suggested(rows), expected, "a decimal comma and a percent sign make a number");
    let ragged = preview(&header, &rules(), b"a,1,F,\nb,1\n", true, 10);
    assert_eq!(ragged.rows.len(), 1);
    assert!(ragged.error.is_some_and(|error| error.position.line == 3));
}
