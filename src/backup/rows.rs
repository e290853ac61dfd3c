//! Writes rows into an empty store. The rule: rows are written in the given order, so the last row with a key counts.

use std::collections::BTreeMap;

use super::{Result, refused};
use crate::keys::Table;
use crate::store::limits::{key_payload_bytes, row_payload_bytes};
use crate::store::{Key, Properties, RowWrite, Store, TransactionLimits};

/// The maximum number and bytes of the rows of one transaction, all of which are in memory.
const ROWS_MAX: usize = 10_000;
const BYTES_MAX: usize = 16 << 20;

/// # Errors
/// [`Refused`](super::BackupError::Refused) if a table has rows.
pub(super) async fn require_empty(store: &Store) -> Result<()> {
    for table in Table::NAMES {
        let mut continuation = None;
        loop {
            let page = store.scan(table, continuation.as_ref()).await?;
            if !page.rows.is_empty() {
                return refused(format!(
                    "the store is not empty (its table {table} has rows), and a restore changes nothing that exists: name a store that does not exist yet, \
                     such as --store file:restored, or a new --table-prefix"
                ));
            }
            continuation = page.continuation;
            if continuation.is_none() {
                break;
            }
        }
    }
    Ok(())
}

pub(super) struct RowsWriter<'s> {
    store: &'s Store,
    limits: TransactionLimits,
    waiting: BTreeMap<(&'static str, Key), Option<Properties>>,
    bytes: usize,
}

impl<'s> RowsWriter<'s> {
    pub(super) fn new(store: &'s Store) -> Self {
        let TransactionLimits { rows_max, bytes_max } = store.transaction_limits();
        let limits = TransactionLimits { rows_max: rows_max.min(ROWS_MAX), bytes_max: bytes_max.min(BYTES_MAX) };
        Self { store, limits, waiting: BTreeMap::new(), bytes: 0 }
    }

    pub(super) async fn write(&mut self, RowWrite { table, key, properties }: RowWrite) -> Result<()> {
        let more = properties.as_ref().map_or_else(|| key_payload_bytes(&key), |put| row_payload_bytes(&key, put));
        if self.waiting.len() >= self.limits.rows_max || self.bytes + more > self.limits.bytes_max {
            self.flush().await?;
        }
        self.bytes += more;
        self.waiting.insert((table, key), properties);
        Ok(())
    }

    pub(super) async fn flush(&mut self) -> Result<()> {
        self.bytes = 0;
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let writes: Vec<_> = waiting.map(|((table, key), properties)| RowWrite { table, key, properties }).collect();
        if writes.is_empty() {
            return Ok(());
        }
        Ok(self.store.transact(Box::new(move |_| Ok(writes.clone()))).await?)
    }
}
