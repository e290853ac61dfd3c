//! A store that yields to other tasks of the thread before each range read. The rule: it changes no result.
//!
//! Reads of a store file never wait, so without yielding, a backup would block all requests on its thread.

use crate::store::{Continuation, Entity, Key, Page, Result, RowRange, Store, TableStore};

pub(super) struct Polite(pub Store);

#[async_trait::async_trait]
impl TableStore for Polite {
    fn inner(&self) -> Option<&Store> {
        Some(&self.0)
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        tokio::task::yield_now().await;
        self.0.get_many(table, keys).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        tokio::task::yield_now().await;
        self.0.range(table, range, limit, continuation).await
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        tokio::task::yield_now().await;
        self.0.scan(table, continuation).await
    }
}
