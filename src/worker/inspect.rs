//! Counts the cells of a whole table that do not fit their column's description. The counts go to the page, which shows them on this
//! machine alone; nothing else receives them, and nothing is stored.

use web_sys::MessagePort;

use super::files::Files;
use super::protocol::{Failure, Inspected, Response, ScanRequest};
use super::table::Table;
use crate::data::inspection::Counts;
use crate::data::{Header, HeaderRules, Scan};
use crate::engine::bind_described;
use crate::plan::bound::BoundPlan;
use crate::plan::{CheckedPlan, Plan, Purpose};

/// Reads the table once and returns the counts.
pub async fn inspect(
    plan: Plan,
    files: Files,
    ports: Vec<MessagePort>,
    post: impl Fn(&Response),
) -> Result<Inspected, Failure> {
    let mut table = Table::new(files, ports, post, 1)?;
    let header = table.header(rules(&plan)?).await?;
    let bound = bind(&plan, &header)?;
    table.pool.tell(&request(plan, &header))?;
    let scan = table.counts(&header, &bound).await?;
    Ok(inspected(bound, scan))
}

/// Returns how the header is read by the plan that describes the columns.
pub fn rules(plan: &Plan) -> Result<HeaderRules, Failure> {
    let checked = CheckedPlan::new(plan.clone(), Purpose::Public);
    checked.map(|checked| HeaderRules::of(&checked)).map_err(Failure::plan)
}

/// Finds the plan's columns in the header.
pub fn bind(plan: &Plan, header: &Header) -> Result<BoundPlan, Failure> {
    bind_described(plan.clone(), &header.names, header.delimiter).map_err(Failure::plan)
}

/// Returns what tells the scanning workers of the plan.
pub fn request(plan: Plan, header: &Header) -> ScanRequest {
    let (names, delimiter) = (header.names.clone(), header.delimiter);
    ScanRequest::Inspect { plan: Box::new(plan), names, delimiter }
}

/// Returns the counts with the columns' names.
pub fn inspected(bound: BoundPlan, scan: Scan<Counts>) -> Inspected {
    let rows = if bound.only.is_empty() { scan.records } else { scan.sink.chosen };
    let names = bound.columns.into_iter().map(|column| column.name);
    Inspected {
        rows,
        left_out: rows.saturating_sub(scan.sink.used),
        counted: scan.sink.chosen,
        columns: names.zip(scan.sink.into_columns()).collect(),
        persons: scan.persons,
    }
}
