//! Counts the cells of a whole table that do not fit their column's description. The counts go to the page, which shows them on this
//! machine alone; nothing else receives them, and nothing is stored.

use web_sys::MessagePort;

use super::files::Files;
use super::protocol::{Failure, Inspected, Reason, Response, ScanRequest};
use super::table::Table;
use crate::data::HeaderRules;
use crate::engine::bind_described;
use crate::plan::{CheckedPlan, Plan, Purpose};

/// Reads the table once and returns the counts.
pub async fn inspect(
    plan: Plan,
    files: Files,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Result<Inspected, Failure> {
    let refused = |error: &dyn std::fmt::Display| Failure::new(Reason::Plan, error.to_string());
    let mut table = Table::new(files, ports, post, 1)?;
    let checked = CheckedPlan::new(plan.clone(), Purpose::Public).map_err(|error| refused(&error))?;
    let header = table.header(HeaderRules::of(&checked)).await?;
    let bound =
        bind_described(plan.clone(), &header.names, header.delimiter).map_err(|error| refused(&error))?;
    let (names, delimiter) = (header.names.clone(), header.delimiter);
    table.pool.tell(&ScanRequest::Inspect { plan: Box::new(plan), names, delimiter })?;
    let scan = table.counts(&header, &bound).await?;
    let rows = if bound.only.is_empty() { scan.records } else { scan.sink.chosen };
    let names = bound.columns.into_iter().map(|column| column.name);
    Ok(Inspected {
        rows,
        left_out: rows.saturating_sub(scan.sink.used),
        counted: scan.sink.chosen,
        columns: names.zip(scan.sink.columns).collect(),
        persons: scan.persons,
    })
}
