//! One reader and many read the same records of every file.
#![allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]

use std::io::Write;

use discreet::cli::table::{Table, TableError};
use discreet::data::csv::Feed;
use discreet::data::preview::preview;
use discreet::data::slices::{Combiner, Scan, SliceScanner};
use discreet::data::{
    EncodedRows, Geometry, Header, HeaderRead, HeaderRules, Moments, RowSink, header::read_header,
};
use discreet::model::{Missing, Role};
use discreet::plan::bound::{BoundPlan, Encoding};
use proptest::prelude::*;

use crate::records::{Numbers, category, clinic, fixed, number, plan, with_person};

/// What a scan of bytes gives, or the text of its error.
type Result<S> = std::result::Result<Scan<S>, String>;

pub fn header(bytes: &[u8]) -> Header {
    match read_header(bytes, true, HeaderRules::default()) {
        Ok(HeaderRead::Header(header)) => header,
        other => panic!("{other:?}"),
    }
}

/// Reads in slices, fed in pieces; `numbers` decides which of the waiting slices is read next.
pub fn scan<S: RowSink>(
    bytes: &[u8],
    plan: &BoundPlan,
    sink: impl Fn() -> S,
    (slice_bytes, workers, piece): (u64, usize, usize),
    numbers: &mut Numbers,
) -> Result<S> {
    let mut combiner = Combiner::new(&header(bytes), bytes.len() as u64, plan, slice_bytes, workers);
    let mut jobs = Vec::new();
    let mut steps = 0;
    while !combiner.is_done() {
        while jobs.len() < workers
            && let Some(job) = combiner.next_job()
        {
            jobs.push(job);
        }
        assert!(!jobs.is_empty(), "nobody has anything to do");
        let job = jobs.swap_remove(numbers.below(jobs.len() as u64) as usize);
        let mut scanner = SliceScanner::new(job, plan, sink());
        for part in bytes[job.from as usize..].chunks(piece) {
            if scanner.feed(part) == Feed::Done {
                break;
            }
        }
        combiner.offer(scanner.finish()).map_err(|error| error.to_string())?;
        steps += 1;
        assert!(steps <= 2 * bytes.len() + 10, "slices are read again without end");
    }
    Ok(combiner.finish().expect("done"))
}

fn rows(
    bytes: &[u8],
    plan: &BoundPlan,
    how: (u64, usize, usize),
    numbers: &mut Numbers,
) -> Result<EncodedRows> {
    let terms = Geometry::new(plan).terms.len();
    scan(bytes, plan, || EncodedRows::new(terms), how, numbers)
}

fn assert_same_however_cut(bytes: &[u8], plan: &BoundPlan) {
    let mut numbers = Numbers(3);
    let whole = rows(bytes, plan, (u64::MAX, 1, usize::MAX), &mut numbers);
    for slice_bytes in 1..=bytes.len() as u64 {
        for (workers, piece) in [(1, 1), (2, usize::MAX), (5, 1), (64, 3)] {
            let cut = rows(bytes, plan, (slice_bytes, workers, piece), &mut numbers);
            assert_eq!(cut, whole, "{slice_bytes} {workers} {piece} {:?}", String::from_utf8_lossy(bytes));
        }
    }
}

/// Two numbers and a text with whatever in it.
fn notes() -> BoundPlan {
    let columns = vec![number("x", 0, Role::Feature, 0.0, 10.0), number("y", 2, Role::Outcome, 0.0, 10.0)];
    plan(columns, 3)
}

/// The number of a table of one column.
fn alone(missing: Missing) -> BoundPlan {
    BoundPlan { missing, ..plan(vec![number("y", 0, Role::Outcome, 0.0, 10.0)], 1) }
}

#[test]
fn a_blank_line_of_one_column_is_a_missing_cell_however_it_is_cut() {
    for (body, records) in [
        ("", 0),
        ("1", 1),
        ("1\n", 1),
        ("1\n\n", 2),
        ("\n", 1),
        ("\n\n", 2),
        ("\n1\n", 2),
        ("1\n\n\n2\n\n3", 6),
        ("1\n\"\"\n2\n \n", 4),
        ("\"1\n\n\"\n\n2\n\n", 4),
        ("\"1\"\n\n\"\n\n\n\n\n\"\n\n2\n\n", 6),
    ] {
        for (head, end) in [("y\n", "\n"), ("y\r\n", "\r\n"), ("\u{feff}y\r", "\r")] {
            let bytes = format!("{head}{}", body.replace('\n', end)).into_bytes();
            let plan = alone(Missing::Skip);
            let whole = rows(&bytes, &plan, (u64::MAX, 1, usize::MAX), &mut Numbers(3)).expect("a table");
            assert_eq!(whole.records, records, "{body:?} with {end:?}");
            assert_same_however_cut(&bytes, &plan);
            // A blank line is what an empty cell in quotes is.
            let quoted: Vec<&str> =
                body.split('\n').map(|cell| if cell.is_empty() { "\"\"" } else { cell }).collect();
            let mut quoted = quoted.join(end);
            if !body.contains('"') {
                if body.is_empty() || body.ends_with('\n') {
                    quoted.truncate(quoted.len() - 2);
                }
                let quoted = format!("{head}{quoted}").into_bytes();
                let plan = alone(Missing::Midpoint);
                let read = |bytes: &[u8]| rows(bytes, &plan, (u64::MAX, 1, usize::MAX), &mut Numbers(3));
                assert_eq!(read(&bytes), read(&quoted), "{body:?}");
            }
        }
    }
}

#[test]
fn nasty_files_cut_at_every_byte() {
    for body in [
        "1,a,2\n3,b,4\n5,c,6\n",
        "1,a,2\r\n3,b,4\r\n5,c,6\r\n",
        "1,a,2\r3,b,4\r5,c,6",
        "1,a,2\n\n\r\n\r3,b,4\n\r\n5,c,6\n\n\n",
        "1,\"a\n7,q,8\n\",2\n3,\"b\r\n9,q,9\r\n\",4\n5,c,6\n",
        "1,5\" tall,2\n3,6\" tall,4\n5,\"\"\"\n\"\"\",6\n",
        "1,\"\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\",2\n3,b,4",
        "1,\"\n7,q,8\n\"\"\n7,q,8\n\",2\n3,\"\n5,s,2\n\",4\n5,\"\n1,t,1\n\",6\n",
        "1,\"x\"y\"\n,2\n3,b,4\n",
        "1,\u{feff},2\n\u{feff}3,b,4\n5,é€,6\n",
        "1,a,2\n3,b\n5,c,6\n",
        "1,\"a\n3,b,4\n5,c,6\n",
        "1,\"a\n3,b\",4\n5,c,6,7\n",
        "1,a\0,2\n3,b,4\n",
        "",
        "\n\r\n",
        "1,a,2",
        "\r\r\n\n1,a,2\r\r\n\n",
    ] {
        for head in ["x,note,y\n", "x,\"no\r\nte\",y\r\n", "\u{feff}x,note,y\r"] {
            assert_same_however_cut(format!("{head}{body}").as_bytes(), &notes());
        }
    }
}

#[test]
fn one_column_cut_at_every_byte() {
    let plan = plan(vec![category("y", 0, Role::Outcome, &["a", "b", "other"], 0)], 1);
    for body in ["a\nb\n\n\"\"\nc\n", "\"a\n\"\r\nb\r\r\"\r\"b", "\"", "\n\n\"\n", "a"] {
        assert_same_however_cut(format!("y\n{body}").as_bytes(), &plan);
    }
}

proptest! {
    #![proptest_config(fixed(300))]

    #[test]
    fn any_bytes_in_any_slices(
        body in prop::collection::vec(prop::sample::select(b"12,,,\"\"\n\n\r".to_vec()), 0..70),
        width in 1_usize..3,
        seed: u64,
    ) {
        let head = if width == 1 { "x\n" } else { "x,y\n" };
        let bytes = [head.as_bytes(), &body].concat();
        let plan = plan(vec![number("x", 0, Role::Outcome, 0.0, 30.0)], width);
        let mut numbers = Numbers(seed);
        let whole = rows(&bytes, &plan, (u64::MAX, 1, usize::MAX), &mut numbers);
        for _ in 0..12 {
            let how = (1 + numbers.below(20), 1 + numbers.below(9) as usize, 1 + numbers.below(9) as usize);
            prop_assert_eq!(&rows(&bytes, &plan, how, &mut numbers), &whole);
        }
    }

    /// Well-formed tables too, where nothing ends the reading early.
    #[test]
    fn any_table_in_any_slices(
        cells in prop::collection::vec(("[0-9]", "[a,\"\r\n]{0,8}", "[0-9]"), 0..20),
        seed: u64,
    ) {
        let mut bytes = b"x,note,y\n".to_vec();
        for (x, note, y) in &cells {
            writeln!(bytes, "{x},\"{}\",{y}", note.replace('"', "\"\"")).expect("memory");
        }
        let mut numbers = Numbers(seed);
        let whole = rows(&bytes, &notes(), (u64::MAX, 1, usize::MAX), &mut numbers);
        prop_assert_eq!(whole.as_ref().map(|scan| scan.records), Ok(cells.len() as u64));
        for _ in 0..12 {
            let how = (1 + numbers.below(30), 1 + numbers.below(9) as usize, 1 + numbers.below(9) as usize);
            prop_assert_eq!(&rows(&bytes, &notes(), how, &mut numbers), &whole);
        }
    }
}

/// A table of some thousand patients, with a quoted line end now and then.
fn patients(rows: usize, seed: u64) -> String {
    let mut numbers = Numbers(seed);
    let mut text = String::from("age,sex,sbp\n");
    for _ in 0..rows {
        let sex = ["F", "M", "\"M\"", "\"F\n\"", "", "x"][numbers.below(6) as usize];
        text += &format!("{},{sex},{}\n", numbers.below(130), 50 + numbers.below(230));
    }
    text
}

#[test]
fn moments_are_the_same_for_one_two_and_eight_workers() {
    let text = patients(30_000, 5);
    let plan = clinic();
    let terms = Geometry::new(&plan).terms.len();
    let mut numbers = Numbers(6);
    let whole = scan(text.as_bytes(), &plan, || Moments::new(terms), (u64::MAX, 1, 1 << 20), &mut numbers);
    let rows = rows(text.as_bytes(), &plan, (u64::MAX, 1, 1 << 20), &mut numbers).expect("a table");
    for (slice_bytes, workers) in [(10_000, 1), (33_333, 2), (7_001, 8)] {
        let cut =
            scan(text.as_bytes(), &plan, || Moments::new(terms), (slice_bytes, workers, 5_000), &mut numbers);
        assert_eq!(cut, whole);
    }
    let mut summed = Moments::new(terms);
    (0..rows.sink.len()).for_each(|row| summed.add(rows.sink.get(row).expect("in range")));
    assert_eq!(whole, Ok(Scan { sink: summed, records: 30_000, persons: None }));
    assert!(rows.sink.len() < 30_000, "some lack a value");
}

/// P8 and P10 of the audit: a person's first rows count, and rows without an id displace nobody's.
#[test]
fn a_persons_first_rows_count_and_nameless_rows_do_not() {
    let columns = vec![number("x", 1, Role::Feature, 0.0, 10.0), number("y", 2, Role::Outcome, 0.0, 10.0)];
    let plan = with_person(plan(columns, 3), 0, 2);
    let text = "id,x,y\na,,1\n,9,9\nb,2,2\nNA,8,8\na,3,3\n a ,4,4\n\"b\",5,5\n";
    let mut numbers = Numbers(8);
    let found = rows(text.as_bytes(), &plan, (3, 4, 1), &mut numbers).expect("a table");
    // a's first row lacks x, but has used one of its two places; a's third is too many.
    let kept = "id,x,y\nb,2,2\na,3,3\nb,5,5\n";
    let expected = rows(kept.as_bytes(), &plan, (u64::MAX, 1, 99), &mut numbers).expect("a table");
    assert_eq!(found.sink.to_bytes(), expected.sink.to_bytes());
    assert_eq!((found.records, found.persons), (7, Some(2)));
}

#[test]
fn lines_are_counted_over_slices() {
    let mut text = String::from("\"a\nge\",sex,sbp\r\n");
    for _ in 0..500 {
        text += "1,\"F\r\n\",100\r2,M,100\n\n3,F,100\r\n";
    }
    text += "4,\"F,100\n";
    let mut numbers = Numbers(9);
    // Two lines of header, then five lines a round.
    let line = 2 + 500 * 5 + 1;
    for slice_bytes in [50, 333, 4_000, u64::MAX] {
        let error =
            rows(text.as_bytes(), &clinic(), (slice_bytes, 4, 7), &mut numbers).expect_err("a lone quote");
        assert!(error.starts_with(&format!("line {line}, column 2 (`sex`): a quote opens")), "{error}");
    }
}

#[test]
fn threads_and_streams_read_a_file_alike() {
    // Several slices of at least 1 MiB.
    let text = patients(400_000, 11);
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(text.as_bytes()).expect("room");
    let plan = clinic();
    let terms = Geometry::new(&plan).terms.len();
    let read = |table: Table, workers| table.scan(&plan, || Moments::new(terms), workers).expect("a table");
    let open = || Table::open(file.path(), HeaderRules::default()).expect("a header");
    let one = read(open(), 1);
    assert_eq!(one.records, 400_000);
    assert_eq!(read(open(), 3), one);
    let stream = std::io::Cursor::new(text.clone().into_bytes());
    let stream = Table::stream(stream, HeaderRules::default()).expect("a header");
    assert_eq!(read(stream, 3), one);
}

#[test]
fn a_file_that_changes_while_it_is_read_is_refused() {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(patients(1_000, 12).as_bytes()).expect("room");
    let plan = clinic();
    let table = Table::open(file.path(), HeaderRules::default()).expect("a header");
    file.write_all(b"1,F,100\n").expect("room");
    let scan = table.scan(&plan, || Moments::new(4), 2);
    assert!(matches!(scan, Err(TableError::Changed)));
    let table = Table::open(file.path(), HeaderRules::default()).expect("a header");
    file.as_file().set_len(20).expect("shorter");
    assert!(matches!(table.scan(&plan, || Moments::new(4), 2), Err(TableError::Changed)));
}

#[test]
fn a_byte_order_mark_says_utf_8_in_every_slice_and_in_the_first_rows() {
    let text = format!("\u{feff}city,y\n{}", "Umeå,1\nLuleå,2\n".repeat(20));
    let columns = vec![
        category("city", 0, Role::Feature, &["Umeå", "Luleå"], 0),
        number("y", 1, Role::Outcome, 0.0, 10.0),
    ];
    let mut plan = plan(columns, 2);
    let read = |plan: &BoundPlan, text: &str, how| {
        rows(text.as_bytes(), plan, how, &mut Numbers(3)).expect("a table").sink.len()
    };
    plan.csv.encoding = Encoding::Latin1;
    for how in [(u64::MAX, 1, usize::MAX), (64, 3, 5)] {
        assert_eq!(read(&plan, &text, how), 40, "{how:?}");
        assert_eq!(read(&plan, &text[3..], how), 0, "without the mark it is Latin-1");
    }
    let header = header(text.as_bytes());
    let shown = preview(&header, &plan.csv, &text.as_bytes()[header.body_offset as usize..], true, 9);
    assert_eq!(shown.rows[0], ["Umeå", "1"]);
}

#[test]
fn a_file_that_changes_between_two_readings_is_refused() {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut write = file.reopen().expect("the same file");
    write.write_all(patients(1_000, 12).as_bytes()).expect("room");
    let plan = clinic();
    let table = Table::open(file.path(), HeaderRules::default()).expect("a header");
    let second = |table: &Table| table.again().expect("a file");
    let records = |table: Table| table.scan(&plan, || Moments::new(4), 2).map(|scan| scan.records);
    assert_eq!(records(second(&table)).expect("unchanged"), 1_000);
    // Other values, as long and as many as before, at another time.
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(3_600);
    file.as_file().set_modified(past).expect("a time");
    assert!(matches!(records(second(&table)), Err(TableError::Changed)));
    let stream = Table::stream(std::io::Cursor::new("a\n1\n"), HeaderRules::default()).expect("a header");
    assert!(stream.again().is_none(), "a stream is read once");
}

#[test]
fn what_cannot_be_opened_says_so() {
    let missing = Table::open(std::path::Path::new("no/such/table.csv"), HeaderRules::default());
    assert!(matches!(missing, Err(TableError::Io(_))));
    let folder = Table::open(std::path::Path::new("."), HeaderRules::default());
    assert!(matches!(folder, Err(TableError::Io(_))));
    let other = Table::stream(&b"a,b\n1,2\n"[..], HeaderRules::default()).expect("a header");
    let scan = other.scan(&clinic(), || Moments::new(4), 1);
    assert!(matches!(scan, Err(TableError::OtherHeader { bound: 3, found: 2 })));
}
