//! A header is read the same whatever the first piece holds, and what is said about it is one line.
//!
//! The first byte gives the dialect, whether the plan fixes the delimiter, and how far apart the cuts are.

use discreet::data::header::{HeaderError, HeaderRead, HeaderRules, read_header};
use discreet::data::preview::preview;
use discreet::plan::bind::bind;
use discreet::plan::bound::{GridParams, Norms};
use discreet::plan::{CheckedPlan, Plan, Purpose};

use super::common::{assert_one_line, rules, split};

pub fn holds(data: &[u8]) {
    let ([setting], file) = split(data);
    let file = &file[..file.len().min(512)];
    let mut dialect = rules(setting);
    let delimiter = (setting & 16 != 0).then_some(dialect.delimiter);
    let asked = HeaderRules { delimiter, encoding: dialect.encoding, ..HeaderRules::default() };
    let whole = read_header(file, true, asked);
    let step = [1, 2, 5, 11, 23, 47, 64, 97][usize::from(setting >> 5)];
    for cut in (0..=file.len()).step_by(step) {
        let part = read_header(&file[..cut], false, asked);
        assert!(
            part == Ok(HeaderRead::NeedMore) || part == whole,
            "cut at {cut}: {part:?}, whole: {whole:?}"
        );
    }
    let header = match whole {
        Ok(HeaderRead::Header(header)) => header,
        Ok(HeaderRead::NeedMore) => panic!("there is no more"),
        Err(error) => {
            assert!(
                error != HeaderError::Empty || file.iter().all(|byte| b"\r\n\xef\xbb\xbf".contains(byte))
            );
            return assert_one_line(&error);
        }
    };
    let body = usize::try_from(header.body_offset).unwrap();
    let ends = |bytes: &[u8]| {
        let pairs = bytes.windows(2).filter(|pair| *pair == b"\r\n").count();
        bytes.iter().filter(|&&byte| byte == b'\r' || byte == b'\n').count() - pairs
    };
    assert!(header.lines == ends(&file[..body]) as u64 && header.lines > 0);
    assert!(header.names.iter().all(|name| name.trim() == name) && !header.names.is_empty());
    assert!(delimiter.is_none_or(|delimiter| delimiter == header.delimiter));
    assert!(b",;\t|".contains(&header.delimiter));

    dialect.delimiter = header.delimiter;
    let seen = preview(&header, &dialect, &file[body..], true, 20);
    assert_eq!(seen.suggestions.len(), header.names.len());
    assert!(seen.rows.iter().all(|row| row.len() == header.names.len()));
    seen.error.iter().for_each(assert_one_line);

    let grid = GridParams {
        radius: 1 << 24,
        intercept_weight: 0.5,
        norms: Norms::Record { feature_share: 0.6, row_norm: 1.0 },
    };
    for columns in [
        r#"{"name": "no such column", "role": "outcome", "type": "number", "lower": 0, "upper": 1}"#,
        r#"{"match": "*", "role": "outcome", "type": "number", "lower": 0, "upper": 1}"#,
    ] {
        let plan = format!(
            r#"{{"schema": "discreet.plan/1", "adjacency": "add-remove", "columns": [{columns}],
                "mechanism": {{"name": "analyze-gauss"}}, "budget": {{"mu": 1}}}}"#
        );
        let plan = CheckedPlan::new(Plan::parse(&plan).unwrap(), Purpose::Release).unwrap();
        match bind(&plan, &header.names, header.delimiter, grid) {
            Ok(bound) => assert_eq!(bound.fields, header.names.len()),
            Err(error) => assert_one_line(&error),
        }
    }
}
