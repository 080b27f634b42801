use std::io::Write as _;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::*;
use crate::data::number;
use crate::plan::number_format::NumberFormat;

const RELATIONS: &str = r#"<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#;

const SHEETS: &str = r#"<Relationships><Relationship Id="s" Type="x/relationships/styles" Target="styles.xml"/><Relationship Id="t" Type="x/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="a" Type="x/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="b" Type="x/relationships/worksheet" Target="/xl/worksheets/Sheet2.xml"/><Relationship Id="c" Type="x/relationships/chartsheet" Target="chart.xml"/><Relationship Id="d" Type="x/relationships/worksheet" Target="worksheets/sheet3.xml"/></Relationships>"#;

const BOOK: &str = r#"<x:workbook><x:workbookPr/><x:sheets><x:sheet name="Data &amp; more" sheetId="1" r:id="a"/><x:sheet name="Chart" r:id="c"/><x:sheet name="Second" r:id="b"/><x:sheet name="Lists" state="hidden" r:id="d"/></x:sheets></x:workbook>"#;

const TEXTS: &str = r#"<sst><si><t>age</t></si><si><t xml:space="preserve">sex, </t></si><si><r><t>vis</t></r><r><rPr/><t>it</t></r><rPh><t>no</t></rPh></si><si><t>F &lt;1&gt; &quot;q&quot;</t></si><si><t>a_x000D_b_xyz_</t></si></sst>"#;

const STYLES: &str = r#"<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\.mm\.yyyy"/><numFmt numFmtId="165" formatCode="[Red]0.00&quot;days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="22"/></cellXfs></styleSheet>"#;

/// Packs parts into an archive; every second one is not compressed.
fn archive(parts: &[(&str, &str)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    for (place, (name, text)) in parts.iter().enumerate() {
        let packed = if place % 2 == 0 {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(text.as_bytes()).unwrap();
            encoder.finish().unwrap()
        } else {
            text.as_bytes().to_vec()
        };
        let method = if place % 2 == 0 { 8_u16 } else { 0 };
        let small = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
        let short = |value: usize| u16::try_from(value).unwrap().to_le_bytes();
        let offset = bytes.len();
        let common = [
            &method.to_le_bytes()[..],
            &[0; 8],
            &small(packed.len()),
            &small(text.len()),
            &short(name.len()),
        ];
        bytes.extend(
            [&b"PK\x03\x04\x14\0\0\0"[..], &common.concat(), &[3, 0], name.as_bytes(), b"abc", &packed]
                .concat(),
        );
        directory.extend(
            [&b"PK\x01\x02\x14\0\x14\0\0\0"[..], &common.concat(), &[0; 12], &small(offset), name.as_bytes()]
                .concat(),
        );
    }
    let (count, at) =
        (u16::try_from(parts.len()).unwrap().to_le_bytes(), u32::try_from(bytes.len()).unwrap());
    let length = u32::try_from(directory.len()).unwrap().to_le_bytes();
    bytes.extend(directory);
    bytes.extend(
        [&b"PK\x05\x06\0\0\0\0"[..], &count, &count, &length, &at.to_le_bytes(), &[2, 0], b"hi"].concat(),
    );
    bytes
}

fn workbook(sheet: &str) -> Vec<u8> {
    workbook_of(BOOK, sheet)
}

fn workbook_of(book: &str, sheet: &str) -> Vec<u8> {
    let sheet = format!("<worksheet><sheetData>{sheet}</sheetData><legacy><t>x</t></legacy></worksheet>");
    workbook_with(book, STYLES, &sheet)
}

fn workbook_with(book: &str, styles: &str, sheet: &str) -> Vec<u8> {
    archive(&[
        ("_rels/.rels", RELATIONS),
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", SHEETS),
        ("xl/sharedStrings.xml", TEXTS),
        ("xl/styles.xml", styles),
        ("xl/worksheets/sheet1.xml", sheet),
        (
            "xl/worksheets/sheet2.xml",
            "<worksheet><sheetData><row><c t='inlineStr'><is><t>only</t></is></c></row></sheetData></worksheet>",
        ),
    ])
}

fn csv(sheet: &str) -> Result<String, ContainerError> {
    let bytes = workbook(sheet);
    Workbook::open(&bytes)?.csv(None).map(|csv| String::from_utf8(csv).unwrap())
}

#[test]
fn a_sheet_becomes_a_csv() {
    let sheet = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="s"><v>2</v></c></row>
        <row r="3"><c r="A3"><v>61</v></c><c r="B3" t="s"><v>3</v></c><c r="C3"><f>A3&lt;2</f><v>0.30000000000000004</v></c><c r="D3" s="1"><v>43536</v></c></row>
        <row r="4" spans="1:9"><c r="A4" t="b"><v>1</v></c><c r="B4" t="e"><v>#N/A</v></c><c r="F4" s="1"/></row>
        <row r="5"><c r="H5" s="2"/></row>
        <row r="6"><c t="str"><f>x</f><v>a;b</v></c><c t="s"><v>4</v></c><c s="2"><v>1.5</v></c><c s="4"><v>43536.25</v></c></row>"#;
    assert_eq!(
        csv(sheet).unwrap(),
        "age,\"sex, \",,visit\n61,\"F <1> \"\"q\"\"\",0.30000000000000004,2019-03-12\nTRUE,,,\n\"a;b\",\"a\rb_xyz_\",1.5,2019-03-12T06:00:00\n"
    );
}

#[test]
fn sheets_are_named_and_chosen() {
    let bytes = workbook("<row><c><v>1</v></c></row>");
    let book = Workbook::open(&bytes).unwrap();
    assert_eq!(book.sheets(), ["Data & more", "Second"], "neither charts nor hidden sheets");
    assert_eq!(book.csv(Some("Second")).unwrap(), b"only\n");
    let rows = |count: usize| {
        let row = |place| format!("<row><c><v>{}</v></c></row>", place * 7919);
        (0..count).map(row).collect::<String>()
    };
    let largest = |count| Workbook::open(&workbook(&rows(count))).unwrap().largest();
    assert_eq!([largest(0), largest(500)], [1, 0]);
    let missing = book.csv(Some("Third")).unwrap_err();
    assert!(missing.to_string().contains("Data & more, Second"), "{missing}");
}

#[test]
fn numbers_read_back_as_the_same_numbers() {
    let mut state = 7_u64;
    let mut values =
        vec![0.1 + 0.2, 1e300, 5e-324, -1e-7, 1e15, 123_456_789_012_345_680.0, 36.6, 1001.0, f64::MAX];
    for _ in 0..2_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        values.push(f64::from_bits(state));
    }
    values.retain(|value| value.is_finite());
    let rows: String = values.iter().map(|value| format!("<row><c><v>{value:e}</v></c></row>")).collect();
    let text = csv(&rows).unwrap();
    for (line, value) in text.lines().zip(&values) {
        let read = number::parse(line, NumberFormat::default()).unwrap();
        assert_eq!(read.to_bits(), (value + 0.0).to_bits(), "{line}");
    }
    assert_eq!(text.lines().count(), values.len());
    assert!(text.contains("\n36.6\n1001\n"));
    assert_eq!(csv("<row><c><v>-0</v></c></row>").unwrap(), "0\n");
}

#[test]
fn dates_are_written_as_iso() {
    let since_1904 = BOOK.replace("<x:workbookPr/>", "<x:workbookPr date1904='1'/>");
    for (style, value, book, expected) in [
        (1, "43536", BOOK, "2019-03-12"),
        (1, "1", BOOK, "1900-01-01"),
        (1, "59", BOOK, "1900-02-28"),
        (1, "61", BOOK, "1900-03-01"),
        (1, "36585", BOOK, "2000-02-29"),
        (1, "2958465", BOOK, "9999-12-31"),
        (1, "43536.5", BOOK, "2019-03-12T12:00:00"),
        (1, "42074", &since_1904, "2019-03-12"),
        (1, "-1", BOOK, "-1"),
        (1, "1e9", BOOK, "1000000000"),
        (3, "0.25", BOOK, "06:00:00"),
        (2, "43536", BOOK, "43536"),
        (0, "43536", BOOK, "43536"),
        (99, "43536", BOOK, "43536"),
    ] {
        let bytes = workbook_of(book, &format!("<row><c s='{style}'><v>{value}</v></c></row>"));
        let csv = Workbook::open(&bytes).unwrap().csv(None).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), format!("{expected}\n"), "{style} {value}");
    }
}

#[test]
fn what_is_no_workbook_is_refused_with_a_reason() {
    let error = |bytes: &[u8]| Workbook::open(bytes).err();
    assert_eq!(error(b"PK\x03\x04"), Some(ContainerError::Damaged));
    assert_eq!(error(&archive(&[("a.csv", "age\n1\n")])), Some(ContainerError::Archive));
    let ods = archive(&[("x", ""), ("mimetype", "application/vnd.oasis.opendocument.spreadsheet")]);
    assert_eq!(error(&ods), Some(ContainerError::OpenDocument));
    assert_eq!(csv(""), Err(ContainerError::Empty));
    assert_eq!(csv("<row><c t='s'><v>99</v></c></row>"), Err(ContainerError::Damaged));
    assert_eq!(csv("<row><c r='B1'/><c r='A1'><v>1</v></c></row>"), Err(ContainerError::Damaged));
    assert_eq!(csv("<row><c><v>1</v></c></row><!--"), Err(ContainerError::Damaged));
    assert_eq!(csv("<row><c r='XFE1'><v>1</v></c></row>"), Err(ContainerError::Damaged));
    let last = csv("<row><c r='XFD1'><v>1</v></c></row>").unwrap();
    assert_eq!(last, ",".repeat(16_383) + "1\n");
    let long = "A".repeat(70);
    assert_eq!(csv(&format!("<row><c r='{long}1'><v>1</v></c></row>")), Err(ContainerError::Damaged));
}

#[test]
fn a_part_that_is_cut_off_is_refused() {
    let sheet = "<worksheet><sheetData><row><c s='1'><v>43536</v></c></row></sheetData></worksheet>";
    let read = |styles: &str, sheet: &str| {
        Workbook::open(&workbook_with(BOOK, styles, sheet))?.csv(None).map(|csv| csv.len())
    };
    assert_eq!(read(STYLES, sheet), Ok("2019-03-12\n".len()));
    for whole in [sheet, STYLES] {
        let ends = whole.match_indices('>').map(|(at, _)| &whole[..=at]);
        let before_rows_end = |part: &&str| whole != sheet || !part.contains("</sheetData>");
        for part in ends.filter(before_rows_end).filter(|part| part.len() < whole.len()) {
            let found = if whole == sheet { read(STYLES, part) } else { read(part, sheet) };
            assert_eq!(found, Err(ContainerError::Damaged), "{part}");
        }
    }
}

#[test]
fn a_small_workbook_that_unpacks_to_much_is_refused() {
    let long = "x".repeat(3 << 20);
    // No row ends, so each cell must count.
    let cell = format!("<c t='str'><v>{long}</v></c>");
    assert_eq!(csv(&format!("<row>{}", cell.repeat(6))), Err(ContainerError::TooLarge));
    let parts = format!("<![CDATA[{long}]]>").repeat(2);
    assert_eq!(csv(&format!("<row><c t='str'><v>{parts}</v></c></row>")), Err(ContainerError::TooLarge));
    let marks = "&".repeat(1 << 20);
    assert_eq!(csv(&format!("<row><c t='str'><v>{marks}</v></c></row>")), Ok(marks + "\n"));
    assert_eq!(
        csv("<row><c t='str'><v>&#x000041;&amp;amp;&no;&#0;&#xd800;</v></c></row>").unwrap(),
        "\"A&amp;&no;\0&#xd800;\"\n"
    );
}

#[test]
fn a_damaged_workbook_never_makes_it_panic() {
    let whole = workbook(
        "<row r='1'><c r='A1' t='s'><v>0</v></c><c r='C1' s='1'><v>43536</v></c></row><row><c><v>1</v></c></row>",
    );
    let mut state = 3_u64;
    for round in 0..3_000_usize {
        let mut bytes = whole.clone();
        for _ in 0..1 + round % 3 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let at = usize::try_from(state >> 33).unwrap() % bytes.len();
            bytes[at] = state.to_le_bytes()[2];
        }
        if round % 5 == 0 {
            bytes.truncate(round % whole.len());
        }
        if let Ok(book) = Workbook::open(&bytes) {
            let _ = book.csv(None);
        }
    }
}
