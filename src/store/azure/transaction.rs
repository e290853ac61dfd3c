//! Sends a batch as an entity group transaction. The rule: one request for any number of operations, so that a batch of one has the same
//! guarantees as a batch of many.

use azure_data_tables::IfMatchCondition;
use azure_data_tables::operations::TransactionBuilder;
use azure_data_tables::prelude::TableClient;

use super::call::Call;
use super::errors::{self, Asked};
use super::json::write_row;
use crate::store::error::StoreError;
use crate::store::{Batch, Etag, Key, Operation, Precondition, Result};

pub(super) async fn send(table: &TableClient, batch: &Batch, call: &Call) -> Result<Vec<Option<Etag>>> {
    let mut transaction = table.partition_key_client(batch.partition()).transaction().context(call.context());
    let explain = |error| errors::explain(error, Asked::Write, call, || describe(table, batch, call));
    for operation in batch.operations() {
        let key = Key::new(batch.partition(), operation.row())?;
        transaction = add(transaction, &key, operation).map_err(explain)?;
    }
    let answer = transaction.into_future().await.map_err(explain)?;
    let etags = answer.operation_responses.into_iter().map(|operation| operation.etag);
    let etags: Vec<_> = etags.map(|etag| etag.map(|etag| Etag(etag.as_ref().into()))).collect();
    check_answer(batch, &etags)?;
    Ok(etags)
}

fn add(transaction: TransactionBuilder, key: &Key, operation: &Operation) -> azure_core::Result<TransactionBuilder> {
    match operation {
        Operation::Put { properties, precondition, .. } => {
            let row = write_row(key, properties);
            match precondition {
                Precondition::Absent => transaction.insert(row),
                Precondition::Match(etag) => transaction.update(key.row(), row, Some(if_match(etag))),
                Precondition::None => transaction.insert_or_replace(key.row(), row),
            }
        }
        Operation::Delete { precondition: Precondition::Match(etag), .. } => {
            transaction.delete(key.row(), Some(if_match(etag)))
        }
        // With `If-Match: *`, the row must exist, with any content.
        Operation::Delete { .. } => transaction.delete(key.row(), Some(IfMatchCondition::Any)),
    }
}

fn if_match(etag: &Etag) -> IfMatchCondition {
    IfMatchCondition::Etag(azure_core::Etag::from(etag.0.to_string()))
}

/// Each operation must have a response, and each put row an ETag; otherwise the response does not belong to this batch.
fn check_answer(batch: &Batch, etags: &[Option<Etag>]) -> Result<()> {
    let puts = batch.operations().iter().map(|operation| matches!(operation, Operation::Put { .. }));
    if puts.eq(etags.iter().map(Option::is_some)) {
        return Ok(());
    }
    let what = format!("the answer to a transaction on {} does not match it", batch.partition());
    Err(StoreError::OutcomeUnknown { what, source: None })
}

/// The refused row, if the service names it; otherwise the partition.
fn describe(table: &TableClient, batch: &Batch, call: &Call) -> String {
    let refused = call.refused().and_then(|at| batch.operations().get(at));
    match refused {
        Some(operation) => format!("{}({}, {})", table.table_name(), batch.partition(), operation.row()),
        None => format!("{}({}), {} rows", table.table_name(), batch.partition(), batch.operations().len()),
    }
}
