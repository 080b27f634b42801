//! Records of any input are those of an independent reading, however the input is cut; one reader and many agree.
//!
//! The first four bytes say how: dialect and number of fields, seed of the pieces, length of a slice, readers and person.

use discreet::data::csv::{CsvError, Feed, Parser};
use discreet::data::number::parse;
use discreet::data::slices::{Combiner, Scan, SliceScanner};
use discreet::data::{EncodedRows, Geometry, Header};
use discreet::model::{Missing, Role};
use discreet::plan::bound::{
    BoundColumn, BoundPlan, CsvRules, Encoding, GridParams, Kind, Levels, Norms, PersonColumn, Source,
};

use super::common::{Pieces, assert_one_line, rules, split, windows_1252};

pub fn holds(data: &[u8]) {
    let ([dialect, seed, slice, readers], text) = split(data);
    let text = &text[..text.len().min(600)];
    let rules = rules(dialect);
    let fields = 1 + usize::from(dialect >> 4 & 3);

    let whole = read(fields, &rules, &[text]);
    let cut = read(fields, &rules, &Pieces::new(seed).cut(text));
    assert_eq!(cut, whole, "cut into pieces");
    let single: Vec<&[u8]> = text.chunks(1).collect();
    assert_eq!(read(fields, &rules, &single), whole, "byte by byte");
    if let Some(error) = &whole.error {
        assert_one_line(error);
    }

    let (records, sound) = independent(fields, &rules, text);
    assert_eq!(whole.records, records);
    assert_eq!(whole.error.is_none(), sound, "{:?}", whole.error);

    let plan = plan(fields, rules, readers);
    let head = vec!["x"; fields].join(&char::from(plan.csv.delimiter).to_string()) + "\n";
    let file = [head.as_bytes(), text].concat();
    let one = scan(&file, head.len(), &plan, u64::MAX, 1, usize::MAX, &mut Pieces::new(0));
    let how = (1 + u64::from(slice), 1 + usize::from(readers & 7));
    let many = scan(&file, head.len(), &plan, how.0, how.1, 1 + usize::from(seed), &mut Pieces::new(seed));
    assert_eq!(many, one, "in slices of {} by {} readers", how.0, how.1);
    match (&one, &whole.error) {
        (Ok(scan), None) => assert_eq!(scan.records, whole.records.len() as u64),
        (Err(text), Some(error)) => {
            let names = vec!["x".to_owned(); fields];
            assert_eq!(*text, error.clone().located(1, &names).to_string());
        }
        (one, error) => panic!("{one:?} and {error:?}"),
    }
}

#[derive(Debug, PartialEq)]
struct Reading {
    records: Vec<Vec<String>>,
    error: Option<CsvError>,
    end: Option<(u64, u64)>,
}

fn read(fields: usize, rules: &CsvRules, pieces: &[&[u8]]) -> Reading {
    let mut records = Vec::new();
    let mut parser = Parser::new(fields, rules, 0, u64::MAX);
    let mut take = |record: discreet::data::csv::Record<'_>| {
        assert_eq!(record.len(), fields);
        records.push((0..fields).map(|field| record.field(field).to_owned()).collect());
    };
    let mut result = Ok(Feed::More);
    for piece in pieces {
        result = parser.feed(piece, &mut take);
        if result.is_err() {
            break;
        }
    }
    let error = result.and_then(|_| parser.finish(&mut take)).err();
    let end = error.is_none().then(|| (parser.offset(), parser.lines()));
    Reading { records, error, end }
}

/// The grammar again, byte by byte: the records before the first that is not well formed, and whether there is none.
fn independent(fields: usize, rules: &CsvRules, text: &[u8]) -> (Vec<Vec<String>>, bool) {
    let mut records = Vec::new();
    let mut at = 0;
    let line_end = |byte: u8| byte == b'\r' || byte == b'\n';
    while at < text.len() {
        // A blank line is a record of a table of one column, and of no other.
        if line_end(text[at]) && fields > 1 {
            at += 1;
            continue;
        }
        let mut record = vec![Vec::new()];
        let (mut start, mut quoted) = (true, false);
        while at < text.len() && (quoted || !line_end(text[at])) {
            let byte = text[at];
            if quoted && byte == b'"' && text.get(at + 1) == Some(&b'"') {
                record.last_mut().unwrap().push(b'"');
                at += 1;
            } else if byte == b'"' && (quoted || start) {
                quoted = !quoted;
            } else if byte == rules.delimiter && !quoted {
                record.push(Vec::new());
                start = true;
                at += 1;
                continue;
            } else {
                record.last_mut().unwrap().push(byte);
            }
            start = false;
            at += 1;
        }
        at += usize::from(text[at..].starts_with(b"\r\n")) + usize::from(at < text.len());
        let decoded: Option<Vec<String>> = record
            .iter()
            .map(|field| match rules.encoding {
                Encoding::Utf8 => String::from_utf8(field.clone()).ok(),
                Encoding::Latin1 => Some(field.iter().map(|&byte| windows_1252(byte)).collect()),
            })
            .collect();
        match decoded {
            Some(texts)
                if texts.len() == fields
                    && !quoted
                    && !record.concat().contains(&0)
                    && !holds_record(&texts, rules) =>
            {
                records.push(texts)
            }
            _ => return (records, false),
        }
    }
    (records, true)
}

/// Whether a line of a cell, but for its first, has as many cells as a record, one of them a number.
fn holds_record(record: &[String], rules: &CsvRules) -> bool {
    let delimiter = char::from(rules.delimiter);
    let lines = record.iter().flat_map(|cell| cell.split(['\r', '\n']).skip(1));
    let mut alike = lines.filter(|line| line.matches(delimiter).count() + 1 == record.len());
    record.len() > 1
        && alike.any(|line| line.split(delimiter).any(|cell| parse(cell, rules.numbers).is_some()))
}

/// A number, then a category, then the person where there is one.
fn plan(fields: usize, csv: CsvRules, setting: u8) -> BoundPlan {
    let number = Kind::Number { lower: 0.0, upper: 10.0 };
    let levels = ["a", "b", "other"].map(str::to_owned).into();
    let category = Kind::Category { levels, reference: 0, other: Some(2) };
    let column = |field, role, kind| BoundColumn {
        name: format!("x{field}"),
        source: Source::Field(field),
        role,
        kind,
        typical: None,
        shares: None,
    };
    let mut columns = vec![column(0, Role::Outcome, number)];
    if fields > 1 {
        columns.insert(0, column(1, Role::Feature, category));
    }
    let person = (fields > 2 && setting & 8 != 0).then(|| PersonColumn {
        name: "x2".to_owned(),
        field: 2,
        max_rows: u32::from(setting >> 4),
    });
    BoundPlan {
        columns,
        person,
        only: Vec::new(),
        missing: if setting & 16 == 0 { Missing::Midpoint } else { Missing::Skip },
        fields,
        csv,
        grid: GridParams {
            radius: 1 << 16,
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

/// Reads a file of which `body` bytes are the header, in slices, each in pieces of at most `most` bytes; the slices that
/// wait are read in an order of `order`'s.
fn scan(
    file: &[u8],
    body: usize,
    plan: &BoundPlan,
    slice: u64,
    readers: usize,
    most: usize,
    order: &mut Pieces,
) -> Result<Scan<EncodedRows>, String> {
    let header = Header {
        names: vec!["x".to_owned(); plan.fields],
        delimiter: plan.csv.delimiter,
        body_offset: body as u64,
        lines: 1,
        marked: false,
    };
    let terms = Geometry::new(plan).terms.len();
    let mut combiner = Combiner::new(&header, file.len() as u64, plan, slice, readers);
    let mut jobs = Vec::new();
    let mut steps = 0;
    while !combiner.is_done() {
        while jobs.len() < readers
            && let Some(job) = combiner.next_job()
        {
            jobs.push(job);
        }
        let job = jobs.swap_remove(order.next() % jobs.len());
        let mut scanner = SliceScanner::new(job, plan, EncodedRows::new(terms));
        for piece in file[usize::try_from(job.from).unwrap()..].chunks(most) {
            if scanner.feed(piece) == Feed::Done {
                break;
            }
        }
        combiner.offer(scanner.finish()).map_err(|error| error.to_string())?;
        steps += 1;
        assert!(steps <= 2 * file.len() + 10, "slices are read again without end");
    }
    Ok(combiner.finish().expect("all is settled"))
}
