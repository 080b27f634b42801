//! Files that real life brings, one case each.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]

use discreet::data::csv::{CsvError, Fault, Feed, Parser, RECORD_LIMIT, Record};
use discreet::data::{EncodedRows, Geometry, HeaderError, HeaderRead, HeaderRules, header::read_header};
use discreet::model::Role;
use discreet::plan::bound::{BoundPlan, CsvRules, Encoding};
use discreet::plan::number_format::NumberFormat;

use crate::records::{Numbers, clinic, encode, number, plan, rules};
use crate::slices::scan;

/// The rows of a table, or the text of the error.
fn read(bytes: &[u8], plan: &BoundPlan) -> Result<Vec<Vec<i32>>, String> {
    let terms = Geometry::new(plan).terms.len();
    let found = scan(bytes, plan, || EncodedRows::new(terms), (13, 2, 5), &mut Numbers(1))?;
    Ok((0..found.sink.len()).filter_map(|row| found.sink.get(row).map(<[i32]>::to_vec)).collect())
}

/// The two rows that most cases below spell in their own way.
fn two() -> Result<Vec<Vec<i32>>, String> {
    let plan = clinic();
    Ok([["30", "F", "120"], ["40", "M", "130"]].iter().filter_map(|cells| encode(&plan, cells)).collect())
}

#[test]
fn one_table_is_written_in_many_ways() {
    let ways: [(&str, &[u8]); 6] = [
        ("BOM", b"\xef\xbb\xbfage,sex,sbp\n30,F,120\n40,M,130\n"),
        ("BOM before a quote", b"\xef\xbb\xbf\"age\",sex,sbp\n30,F,120\n40,M,130\n"),
        ("CRLF", b"age,sex,sbp\r\n30,F,120\r\n40,M,130\r\n"),
        ("lone CR", b"age,sex,sbp\r30,F,120\r40,M,130\r"),
        ("blank lines and no final line end", b"age,sex,sbp\n\n30,F,120\n\r\n\n40,M,130"),
        ("quoted and padded cells", b"age,sex,sbp\n\"30\", F ,120 \n 40,\"M\",\"130\"\n"),
    ];
    for (way, bytes) in ways {
        assert_eq!(read(bytes, &clinic()), two(), "{way}");
    }
}

#[test]
fn semicolons_and_decimal_commas() {
    let mut plan = clinic();
    plan.csv = CsvRules { delimiter: b';', numbers: NumberFormat::plain(b','), ..rules() };
    assert_eq!(read(b"age;sex;sbp\n30,0;F;120\n4,0e1;M;130,00\n", &plan), two());
    assert_eq!(read(b"age;sex;sbp\n30.0;F;120\n", &plan), Ok(vec![]), "a point is no decimal comma");
}

#[test]
fn tabs_and_bars() {
    for delimiter in ["\t", "|"] {
        let mut plan = clinic();
        plan.csv.delimiter = delimiter.as_bytes()[0];
        let text = "age,sex,sbp\n30,F,120\n40,M,130\n".replace(',', delimiter);
        assert_eq!(read(text.as_bytes(), &plan), two());
    }
}

#[test]
fn lone_quote() {
    let error = read(b"age,sex,sbp\n30,F,120\n40,\"M,130\n50,F,140\n", &clinic());
    let expected = "line 3, column 2 (`sex`): a quote opens here and is never closed; close it, or double a quote \
                    that is part of the text";
    assert_eq!(error, Err(expected.to_owned()));
    // Inside an unquoted cell a quote is a character like any other.
    assert_eq!(read(b"age,sex,sbp\n30,F\",120\n", &clinic()), Ok(vec![]));
}

#[test]
fn nul() {
    let error = read(b"age,sex,sbp\n30,F,120\n40,M,13\x000\n", &clinic()).expect_err("a zero byte");
    assert!(error.starts_with("line 3, column 3 (`sbp`): there is a zero byte here"), "{error}");
}

#[test]
fn bytes_that_are_not_utf_8() {
    let error = read(b"age,sex,sbp\n30,\xe9t\xe9,120\n", &clinic()).expect_err("Latin-1");
    assert!(error.starts_with("line 2, column 2 (`sex`): a byte here is not UTF-8"), "{error}");
    // Half a character in one cell and half in the next are not one character.
    let error = read(b"age,sex,sbp\n30,\xc3,\xa9\n", &clinic()).expect_err("cut in two");
    assert!(error.starts_with("line 2, column 2 (`sex`): a byte here is not UTF-8"), "{error}");
    // In an ignored column too: the promise is for well-formed tables.
    let other = plan(vec![number("age", 0, Role::Outcome, 0.0, 120.0)], 3);
    assert!(read(b"age,sex,sbp\n30,F,\xff\n", &other).is_err());
}

#[test]
fn latin_1_bytes() {
    let columns = vec![
        crate::records::category("été", 0, Role::Feature, &["non", "été"], 0),
        number("y", 1, Role::Outcome, 0.0, 2.0),
    ];
    let mut plan = plan(columns, 2);
    plan.csv.encoding = Encoding::Latin1;
    let found = read(b"ete,y\n\xe9t\xe9,1\nnon\xa0,1\n", &plan);
    assert_eq!(found, Ok(["été", "non"].iter().filter_map(|cell| encode(&plan, &[cell, "1"])).collect()));
}

#[test]
fn ragged_rows() {
    let error = read(b"age,sex,sbp\n30,F,120\n\n40,M\n", &clinic());
    let expected = "line 4, column 3 (`sbp`): the record has 2 of the header's 3 fields; complete the line, or check the delimiter";
    assert_eq!(error, Err(expected.to_owned()));
    for surplus in ["40,M,130,5\n", "40,M,130,\n", "40,M,130,,,,,,,,\n"] {
        let error =
            read(format!("age,sex,sbp\n30,F,120\n{surplus}").as_bytes(), &clinic()).expect_err("surplus");
        assert!(
            error.starts_with("line 3, column 4: the record has more fields than the header's 3"),
            "{error}"
        );
    }
}

#[test]
fn messages_never_quote_a_cell() {
    for body in ["SECRET,F\n", "\"SECRET\n", "SECRET,F,1,1\n", "SECRET\0,F,1\n", "SECRET\u{1},F,1,\"SECRET"] {
        let error = read(format!("age,sex,sbp\n{body}").as_bytes(), &clinic()).expect_err("not well formed");
        assert!(!error.contains("SECRET"), "{error}");
    }
}

#[test]
fn header_only() {
    assert_eq!(read(b"age,sex,sbp\n", &clinic()), Ok(vec![]));
    assert_eq!(read(b"age,sex,sbp\r\n\r\n", &clinic()), Ok(vec![]));
}

#[test]
fn empty_file_and_files_that_are_no_text() {
    let refuse = |bytes: &[u8]| read_header(bytes, true, HeaderRules::default());
    assert_eq!(refuse(b""), Err(HeaderError::Empty));
    assert_eq!(refuse(b"PK\x03\x04\x14\0\x06\0"), Err(HeaderError::Workbook));
    assert_eq!(refuse(b"\xff\xfea\0g\0e\0\n\0"), Err(HeaderError::Utf16));
    assert_eq!(refuse(b"\x1f\x8b\x08\0\0\0\0\0"), Err(HeaderError::Gzip));
    assert_eq!(refuse(b"age,sex,sbp"), Err(HeaderError::NoLineEnd));
}

#[test]
fn quoted_names_with_commas_and_lines() {
    let text = b"\"age, in\nyears\",sex,sbp\n30,F,120\n40,M,130\n50,F\n";
    let Ok(HeaderRead::Header(header)) = read_header(text, true, HeaderRules::default()) else {
        panic!("a header")
    };
    assert_eq!(header.names, ["age, in\nyears", "sex", "sbp"]);
    let error = read(text, &clinic()).expect_err("ragged");
    assert!(error.starts_with("line 5, column 3 (`sbp`): "), "{error}");
    let error = read(b"\"age, in\nyears\",sex,sbp\n\"30,F,120\n", &clinic()).expect_err("a quote");
    assert!(
        error.starts_with("line 3, column 1 (`age, in\\nyears`): "),
        "one line whatever the name: {error}"
    );
}

#[test]
fn duplicate_names() {
    let Ok(HeaderRead::Header(header)) = read_header(b"a,b,a\n", true, HeaderRules::default()) else {
        panic!("a header")
    };
    assert_eq!(header.names, ["a", "b", "a"], "a plan that uses one is refused");
}

#[test]
fn na_variants_and_nan_spellings() {
    for cell in [
        "", " ", "NA", " N/A ", "NaN", "nan", "NAN", "-nan", "null", ".", "inf", "-Infinity", "1e400",
        "0x1F", "1_000", "#N/A", "na", "none",
    ] {
        assert_eq!(read(format!("age,sex,sbp\n{cell},F,120\n").as_bytes(), &clinic()), Ok(vec![]), "{cell}");
    }
}

#[test]
fn minus_zero_is_zero() {
    let plan = plan(vec![number("y", 0, Role::Outcome, -1.0, 1.0)], 1);
    assert_eq!(read(b"y\n-0\n-0.0\n0\n-1e-400\n", &plan), Ok(vec![vec![7_502_999, 0]; 4]));
}

#[test]
fn a_hundred_thousand_columns_with_three_used() {
    let width = 100_000;
    let names: Vec<String> = (0..width).map(|column| format!("c{column}")).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..3 {
        text += &(0..width).map(|column| (column % 10 + row).to_string()).collect::<Vec<_>>().join(",");
        text.push('\n');
    }
    let columns = vec![
        number("c5", 5, Role::Feature, 0.0, 10.0),
        number("c50000", 50_000, Role::Feature, 0.0, 10.0),
        number("c99999", 99_999, Role::Outcome, 0.0, 20.0),
    ];
    let plan = plan(columns, width);
    let Ok(HeaderRead::Header(header)) = read_header(text.as_bytes(), true, HeaderRules::default()) else {
        panic!("a header")
    };
    assert_eq!(header.names.len(), width);
    let found = scan(text.as_bytes(), &plan, || EncodedRows::new(4), (100_000, 3, 4096), &mut Numbers(2));
    let found = found.expect("a table");
    assert_eq!((found.records, found.sink.len()), (3, 3));
    // The last column reads 9, 10 and 11, the middle of its bounds being 10.
    let last: Vec<i32> = (0..3).filter_map(|row| found.sink.get(row).map(|row| row[3].signum())).collect();
    assert_eq!(last, [-1, 0, 1]);
}

#[test]
fn a_million_columns() {
    let line = "x;".repeat(1_000_000);
    // Refused as soon as they are too many, not when the line ends.
    let part = read_header(&line.as_bytes()[..500_000], false, HeaderRules::default());
    assert_eq!(part, Err(HeaderError::TooManyColumns));
    let explicit = HeaderRules { delimiter: Some(b','), ..HeaderRules::default() };
    assert_eq!(read_header(line.as_bytes(), false, explicit), Ok(HeaderRead::NeedMore));
}

/// Of a program that does not double the quotes inside cells: what two people wrote takes in the records between theirs, and the file is well
/// formed.
#[test]
fn quotes_of_two_people_around_the_records_of_others() {
    let plan = plan_with_notes();
    let others = "p2,41,120,fine\np3,52,130,well\np4,63,140,\n";
    let refused = |text: &str| read(format!("id,age,sbp,note\n{text}").as_bytes(), &plan).unwrap_err();
    for (text, place) in [
        (format!("p1,5,5,\"see below\n{others}p1,5,5,see above\"\n"), "line 2, column 4"),
        (format!("p9,1,1,a\np1,5,5,\"tall\n{others}p5,30,110,at most 5\"\n"), "line 3, column 4"),
        ("p1,5,5,\"tall\np2,41,120,at most 5\"\n".to_owned(), "line 2, column 4"),
    ] {
        let error = refused(&text);
        assert!(error.starts_with(place) && error.contains("looks like a record"), "{error}");
    }
}

#[test]
fn notes_of_several_lines() {
    let clinic = plan_with_notes();
    let notes = "id,age,sbp,note\np1,30,120,\"seen twice, in May,\nthen in June, with 3 others\"\n\
                 p2,40,130,\"He said \"\"5\"\"\r\n\r\n1, 2\"\n";
    assert_eq!(read(notes.as_bytes(), &clinic).map(|rows| rows.len()), Ok(2));
    let first = "note,id,age,sbp\n\"a\nb, 7\",p1,30,120\n";
    let columns =
        vec![number("age", 2, Role::Feature, 0.0, 120.0), number("sbp", 3, Role::Outcome, 40.0, 270.0)];
    assert_eq!(read(first.as_bytes(), &plan(columns, 4)).map(|rows| rows.len()), Ok(1));
}

fn plan_with_notes() -> BoundPlan {
    plan(vec![number("age", 1, Role::Feature, 0.0, 120.0), number("sbp", 2, Role::Outcome, 40.0, 270.0)], 4)
}

/// 300 MB in one quoted cell: refused at 64 MiB, and no more is held.
#[test]
fn a_cell_without_end() {
    let mut parser = Parser::new(2, &rules(), 0, u64::MAX);
    let ignore = |_: Record<'_>| ();
    assert_eq!(parser.feed(b"1,2\n\"", ignore), Ok(Feed::More));
    let piece = vec![b'x'; 1 << 20];
    for number in 0..300 {
        match parser.feed(&piece, ignore) {
            Ok(feed) => assert_eq!(feed, Feed::More),
            Err(CsvError { position, fault }) => {
                assert_eq!((position.line, fault), (2, Fault::TooLong));
                assert_eq!(number, RECORD_LIMIT >> 20);
                return;
            }
        }
    }
    panic!("300 MB were taken");
}
