//! Reads a public table like a private one, but without noise. The result is not private. So a file with the same bytes as the
//! private table is refused before a record is read, and records in both tables are reported.

use web_sys::{Blob, MessagePort};

use super::files::Files;
use super::protocol::{Failure, PublicRequest, Reason, Response, ScanRequest, SharedRows};
use super::read::{Piece, Pieces, length};
use super::table::{Also, Table, header_of};
use crate::data::minhash::{MinHashScanner, common_columns};
use crate::data::{Header, HeaderRules};
use crate::engine::public::{prepare_table, table_of};
use crate::plan::public::PublicTable;
use crate::plan::{CheckedPlan, Purpose};
use crate::words;

/// Reads the table, and compares its records with those of a private CSV. Returns its means, standard deviations and correlations.
pub async fn read(
    request: PublicRequest,
    file: Blob,
    private: Option<Blob>,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Result<(PublicTable, Option<SharedRows>), Failure> {
    let PublicRequest { plan, table: private_key } = request;
    let mut table = Table::new(Files::table(file.clone()), ports, post, 2)?;
    // Nothing is released here, so no confirmation is needed.
    let checked = CheckedPlan::new(plan.clone(), Purpose::Simulate).map_err(Failure::plan)?;
    let rules = HeaderRules::of(&checked);
    let header = table.header(rules).await?;
    if let Some(private) = &private {
        table.pool.expect(length(&file) + length(private));
    }
    let (key, _) = table.pool.recognise(None).await?;
    if key == private_key {
        return Err(Failure::new(Reason::Table, words::failure::private_table()));
    }
    let mut shared = None;
    if let Some(private) = &private {
        let own = header_of(private, rules).await?;
        let columns = common_columns(&own.names, &header.names);
        let common = columns.iter().filter(|is_common| **is_common).count();
        let public_columns = common_columns(&header.names, &own.names);
        let scanner = MinHashScanner::to_compare(&header, public_columns);
        let public = scanned(&mut table, &file, &header, scanner).await?.of_table();
        let scanner = MinHashScanner::to_compare(&own, columns).seeking(&public);
        let overlap = scanned(&mut table, private, &own, scanner).await?.overlap();
        shared = overlap.shares_people().then_some(SharedRows { overlap, columns: common });
    }
    let prepared = prepare_table(&plan, &header.names, header.delimiter).map_err(Failure::plan)?;
    let setup = ScanRequest::Public {
        plan: Box::new(plan),
        names: header.names.clone(),
        delimiter: header.delimiter,
    };
    table.pool.tell(&setup)?;
    let (scan, _) = table.sums(&header, &prepared, Also::default(), &prepared.statistic()).await?;
    let found = table_of(&prepared, &scan.sink).map_err(Failure::plan)?;
    Ok((found, shared))
}

/// Reads all records of a CSV.
async fn scanned<P: Fn(&Response)>(
    table: &mut Table<P>,
    file: &Blob,
    header: &Header,
    mut scanner: MinHashScanner,
) -> Result<MinHashScanner, Failure> {
    let mut pieces = Pieces::new(file, header.body_offset, length(file))?;
    while let Some(Piece { bytes, .. }) = pieces.next().await? {
        scanner.feed(bytes);
        table.pool.advance(bytes.len() as u64);
    }
    Ok(scanner)
}
