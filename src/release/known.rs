//! Sentences on the public moments of a release, for the report and the page.

use super::format::{grouped, short};
use crate::math::round::real;
use crate::plan::public::PublicTable;
use crate::words;

/// Returns the source of the numbers and the number of rows behind them, as a sentence.
pub fn origin(table: &PublicTable) -> String {
    let rows = grouped(real(table.rows));
    words::report::origin(rows, table.source.trim().trim_end_matches('.'))
}

/// Returns a sentence on their correlations.
pub fn correlations(table: &PublicTable) -> String {
    let pairs =
        || table.correlation.iter().enumerate().flat_map(|(row, entries)| entries.iter().take(row).copied());
    if pairs().all(|entry| entry == 0.0) {
        return words::report::no_correlations().to_owned();
    }
    let (least, most) = pairs().fold((1.0_f64, -1.0_f64), |(least, most), r| (least.min(r), most.max(r)));
    words::report::correlations(short(least, 2), short(most, 2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::public::document::{PublicTerm, SCHEMA};

    #[test]
    fn the_numbers_are_told_with_their_source() {
        let term = |name: &str| PublicTerm { term: name.to_owned(), mean: 1.0, sd: Some(1.0) };
        let mut table = PublicTable {
            schema: SCHEMA.to_owned(),
            source: "Smith 2020, Table 1.".to_owned(),
            rows: 1200,
            terms: vec![term("a"), term("b")],
            correlation: vec![vec![1.0, 0.0], vec![0.0, 1.0]],
        };
        assert!(origin(&table).ends_with("other people: Smith 2020, Table 1."));
        assert_eq!(correlations(&table), "Correlations were taken as 0.");
        (table.correlation[0][1], table.correlation[1][0]) = (0.25, 0.25);
        assert!(correlations(&table).starts_with("Correlations from 0.25 to 0.25"));
    }
}
