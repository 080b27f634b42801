//! Tables that are compressed, in UTF-16 or in a workbook: the command line reads them as it reads the CSV that they hold.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::cli::{Bench, text};
use crate::support::DIABETES;

/// An archive of parts that are not compressed.
fn archive(parts: &[(&str, String)]) -> Vec<u8> {
    let (mut bytes, mut directory) = (Vec::new(), Vec::new());
    let small = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
    let short = |value: usize| u16::try_from(value).unwrap().to_le_bytes();
    for (name, content) in parts {
        let common =
            [&[0; 10][..], &small(content.len()), &small(content.len()), &short(name.len()), &[0; 2]]
                .concat();
        let offset = bytes.len();
        bytes.extend([&b"PK\x03\x04\x14\0\0\0"[..], &common, name.as_bytes(), content.as_bytes()].concat());
        directory.extend(
            [&b"PK\x01\x02\x14\0\x14\0\0\0"[..], &common, &[0; 10], &small(offset), name.as_bytes()].concat(),
        );
    }
    let at = small(bytes.len());
    let (count, length) = (short(parts.len()), small(directory.len()));
    bytes.extend([&directory[..], b"PK\x05\x06\0\0\0\0", &count, &count, &length, &at, &[0; 2]].concat());
    bytes
}

/// A workbook whose sheets are named, with the table in the last one.
fn workbook(table: &str, sheets: &[&str]) -> Vec<u8> {
    let relation = |id: usize, kind: &str, target: &str| {
        format!(r#"<Relationship Id="r{id}" Type="http://x/relationships/{kind}" Target="{target}"/>"#)
    };
    let cell = |cell: &str| match cell.parse::<f64>() {
        Ok(number) => format!("<c><v>{number:e}</v></c>"),
        Err(_) => format!(r#"<c t="inlineStr"><is><t>{cell}</t></is></c>"#),
    };
    let line = |line: &str| format!("<row>{}</row>", line.split(',').map(cell).collect::<String>());
    let rows: String = table.lines().map(line).collect();
    let named = |(id, name): (usize, &&str)| format!(r#"<sheet name="{name}" r:id="r{id}"/>"#);
    let listed: String = sheets.iter().enumerate().map(named).collect();
    let file = |id: usize| format!("worksheets/sheet{id}.xml");
    let relations: String = (0..sheets.len()).map(|id| relation(id, "worksheet", &file(id))).collect();
    let mut parts = vec![
        ("_rels/.rels".to_owned(), relation(0, "officeDocument", "xl/workbook.xml")),
        ("xl/workbook.xml".to_owned(), format!("<workbook><sheets>{listed}</sheets></workbook>")),
        ("xl/_rels/workbook.xml.rels".to_owned(), relations),
    ];
    for id in 0..sheets.len() {
        let rows = if id + 1 == sheets.len() { rows.as_str() } else { "<row><c><v>1</v></c></row>" };
        parts.push((
            format!("xl/{}", file(id)),
            format!("<worksheet><sheetData>{rows}</sheetData></worksheet>"),
        ));
    }
    let parts: Vec<(&str, String)> =
        parts.iter().map(|(name, content)| (name.as_str(), content.clone())).collect();
    archive(&parts)
}

fn bench() -> Bench {
    let bench = Bench::new();
    let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
    gzip.write_all(DIABETES.as_bytes()).unwrap();
    bench.write("table.csv.gz", gzip.finish().unwrap());
    let units = "\u{feff}".encode_utf16().chain(DIABETES.encode_utf16());
    bench.write("utf16.csv", units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    bench.write("one.xlsx", workbook(DIABETES, &["Data"]));
    bench.write("two.xlsx", workbook(DIABETES, &["Notes", "Data"]));
    bench
}

#[test]
fn a_table_in_another_form_gives_the_same_release() {
    let bench = bench();
    let simulate = |table: &str| bench.ok(&format!("simulate --plan plan.json --runs 2 --seed 5 {table}"));
    let expected = simulate("table.csv");
    for table in ["table.csv.gz", "utf16.csv", "one.xlsx", "two.xlsx#Data", "one.xlsx#Data"] {
        assert_eq!(simulate(table), expected, "{table}");
    }
}

#[test]
fn a_plan_of_a_csv_runs_on_a_workbook_of_the_same_table() {
    let bench = bench();
    let mut plan: Value = serde_json::from_slice(&std::fs::read(bench.path("plan.json")).unwrap()).unwrap();
    plan["csv"] = json!({"delimiter": ";", "decimal": ",", "thousands": ".", "encoding": "latin-1"});
    bench.write("german.json", plan.to_string());
    let simulate = |plan: &str| {
        let line = format!("simulate --plan {plan} --runs 1 --seed 5 one.xlsx");
        serde_json::from_str::<Value>(&bench.ok(&line)).unwrap()["coefficients"].clone()
    };
    assert_eq!(simulate("german.json"), simulate("plan.json"));
}

#[test]
fn a_table_that_cannot_be_read_says_what_to_do() {
    let bench = bench();
    bench.write("old.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 and more");
    bench.write("table.sav", b"$FL2@(#) SPSS DATA FILE");
    bench.write("table.parquet", b"PAR1 and more");
    let whole = std::fs::read(bench.path("table.csv.gz")).unwrap();
    bench.write("cut.csv.gz", &whole[..whole.len() - 20]);
    for (table, said) in [
        ("old.xls", "save it as .xlsx"),
        ("table.sav", "SAVE TRANSLATE"),
        ("table.parquet", "read_parquet"),
        ("cut.csv.gz", "cut off"),
        ("two.xlsx", "several sheets: Notes, Data; name one after the file, as in \"table.xlsx#Notes\""),
        ("two.xlsx#Other", "no sheet \"Other\""),
        ("table.csv#Data", "no sheet \"Data\""),
        ("absent.xlsx#Data", "cannot be read"),
    ] {
        let output = bench.run(&format!("simulate --plan plan.json {table}"));
        assert_eq!(output.status.code(), Some(2), "{table}");
        assert!(text(&output.stderr).contains(said), "{table}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty());
    }
}
