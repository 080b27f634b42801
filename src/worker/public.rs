//! Reads a public table like a private one, but without noise. The result is not private. So a file with the same bytes as the
//! private table is refused before a record is read, and records in both tables are reported.

use web_sys::MessagePort;

use super::files::Files;
use super::protocol::{Failure, PublicRequest, Reason, Response, ScanRequest};
use super::table::Table;
use crate::data::HeaderRules;
use crate::engine::public::{prepare_table, table_of};
use crate::plan::public::PublicTable;
use crate::plan::{CheckedPlan, Purpose};
use crate::store;
use crate::words;

/// Reads the table and returns its means, standard deviations and correlations.
pub async fn read(
    request: PublicRequest,
    files: Files,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Response {
    match try_read(request, files, ports, post).await {
        Ok((table, shared)) => Response::Public { table: Box::new(table), shared },
        Err(failure) => Response::Failed(failure),
    }
}

async fn try_read(
    request: PublicRequest,
    files: Files,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Result<(PublicTable, bool), Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::new(Reason::Plan, error.to_string());
    let PublicRequest { plan, table: private } = request;
    let mut table = Table::new(files, ports, post, 2)?;
    // Nothing is released here, so no confirmation is needed.
    let checked = CheckedPlan::new(plan.clone(), Purpose::Simulate).map_err(|error| refused(&error))?;
    let rules = HeaderRules::of(&checked);
    let header = table.header(rules).await?;
    let (key, minhash) = table.pool.recognise(Some(&header)).await?;
    if key == private {
        return Err(Failure::new(Reason::Table, words::failure::private_table()));
    }
    let shared = store::shares_people(&private, &minhash).await?;
    let prepared = prepare_table(&plan, &header.names, header.delimiter).map_err(|error| refused(&error))?;
    let setup = ScanRequest::Public {
        plan: Box::new(plan),
        names: header.names.clone(),
        delimiter: header.delimiter,
    };
    table.tell(&setup)?;
    let scan = table.sums(&header, &prepared, None, &prepared.statistic()).await?;
    let found = table_of(&prepared, &scan.sink).map_err(|error| refused(&error))?;
    Ok((found, shared))
}
