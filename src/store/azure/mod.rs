//! Azure Table Storage, Azure Cosmos DB for Table and Azurite. This module is the only user of the Azure SDK; for the blobs of the same account, it only parses
//! the connection string and signs in ([`Connection::blobs`]).
//!
//! The rule: the SDK only builds and signs requests. This module implements the guarantees of the store (retries within a deadline, errors by meaning, a
//! refused transaction as an error), because the SDK has none of them.

mod answer;
mod call;
mod client;
mod connection;
mod errors;
mod http;
mod identity;
mod json;
mod policy;
mod query;
mod service;
mod skew;
mod transaction;

use std::sync::Arc;
use std::time::Duration;

use azure_data_tables::prelude::{TableClient, TableServiceClient};
use futures_util::StreamExt;
use futures_util::future::try_join_all;

use self::call::Call;
pub use self::connection::{Access, AzureSettings, Connection, Credential};
use self::errors::Asked;
pub use self::identity::EntraTokens;
use self::json::StoredRow;
use self::skew::ClockSkew;
use super::error::StoreError;
use super::limits::check_page_rows;
use super::{Batch, Continuation, Entity, Etag, Key, PAGE_ROWS_MAX, Page, Result, RowRange, TableStore, is_of_month};
use crate::clock::Clock;

/// The maximum time of one operation with all its retries. A proxy waits about as long for a web request, and a partition that is moved between servers is
/// available again within this time.
const DEADLINE: Duration = Duration::from_secs(30);
/// The maximum time for creating the tables, which is the first request of a command, to an address that may be mistyped.
const TABLES_DEADLINE: Duration = Duration::from_secs(10);
/// The maximum time of a ping. A readiness probe asks again in a few seconds.
const PING_DEADLINE: Duration = Duration::from_secs(3);
/// A table's name. Source: "Understanding the Table service data model".
const TABLE_NAME_CHARS: std::ops::RangeInclusive<usize> = 3..=63;

/// A store in an Azure account or an emulator.
#[derive(Debug)]
pub struct AzureStore {
    client: TableServiceClient,
    table_prefix: String,
    deadline: Duration,
    skew: Arc<ClockSkew>,
}

impl AzureStore {
    /// Creates the client. It sends nothing: a wrong key is [`StoreError::Denied`] at the first request.
    ///
    /// # Errors
    /// [`StoreError::Limit`] if the settings are invalid; it names the problem and the accepted form, never a key.
    pub fn connect(settings: &AzureSettings) -> Result<Self> {
        connection::check_prefix(&settings.table_prefix)?;
        let skew = Arc::new(ClockSkew::new(Clock::System));
        let client = client::build(settings, Arc::clone(&skew))?;
        let table_prefix = settings.table_prefix.clone();
        Ok(Self { client, table_prefix, deadline: DEADLINE, skew })
    }

    /// Sets the deadline of each operation, 30 s by default.
    #[must_use]
    pub fn with_deadline(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }

    /// Whether the table exists: one point read of a row that no table has.
    ///
    /// # Errors
    /// [`StoreError`] if the service cannot be reached, or refuses the request.
    pub async fn has_table(&self, table: &'static str) -> Result<bool> {
        let call = Call::new(self.deadline.min(TABLES_DEADLINE));
        let row = self.table(table)?.partition_key_client("-").entity_client("-");
        match row.get::<StoredRow>().context(call.context()).into_future().await {
            Ok(_) => Ok(true),
            Err(error) if errors::is_no_table(&error) => Ok(false),
            Err(error) if errors::is_no_row(&error) => Ok(true),
            Err(error) => Err(errors::explain(error, Asked::Read, &call, || format!("the table {table}"))),
        }
    }

    fn call(&self) -> Call {
        Call::new(self.deadline)
    }

    fn table(&self, table: &str) -> Result<TableClient> {
        let name = format!("{}{table}", self.table_prefix);
        if !TABLE_NAME_CHARS.contains(&name.len()) {
            let (min, max) = (TABLE_NAME_CHARS.start(), TABLE_NAME_CHARS.end());
            return Err(StoreError::limit(format!("the table name {name} is not {min} to {max} characters long")));
        }
        Ok(self.client.table_client(name))
    }

    async fn create_table(&self, table: &'static str) -> Result<()> {
        let call = Call::new(self.deadline.min(TABLES_DEADLINE));
        let made = self.table(table)?.create().context(call.context()).into_future().await;
        match made {
            Ok(_) => Ok(()),
            // The SDK expects links in the response that Cosmos DB does not send, but the table was created.
            Err(_) if call.is_answered() => Ok(()),
            Err(error) if errors::is_table_there(&error) => Ok(()),
            Err(error) => Err(errors::explain(error, Asked::Read, &call, || format!("the table {table}"))),
        }
    }

    /// Whether a read failed because the table of a month was never written, or was dropped.
    fn is_missing(table: &str, error: &azure_core::Error) -> bool {
        is_of_month(table) && errors::is_no_table(error)
    }

    async fn get_row(&self, table: &'static str, key: &Key, is_of_keys: bool) -> Result<Option<Entity>> {
        let call = self.call();
        let row = self.table(table)?.partition_key_client(key.partition()).entity_client(key.row());
        let mut read = row.get::<StoredRow>().context(call.context());
        if is_of_keys {
            read = read.select(query::KEYS);
        }
        match read.into_future().await {
            Ok(answer) => Ok(Some(answer.entity.0)),
            Err(error) if errors::is_no_row(&error) || Self::is_missing(table, &error) => Ok(None),
            Err(error) => Err(errors::explain(error, Asked::Read, &call, || format!("{table}{key}"))),
        }
    }

    /// One request for one page; `what`: names it in an error.
    async fn get_page(&self, query: query::TableQuery<'_>, what: impl Fn() -> String) -> Result<Page> {
        let call = self.call();
        let mut pages = query.build(&self.table(query.table)?, call.context()).into_stream::<StoredRow>();
        match pages.next().await {
            Some(Ok(answer)) => Ok(query::page(answer)),
            Some(Err(error)) if Self::is_missing(query.table, &error) => Ok(Page::default()),
            Some(Err(error)) => Err(errors::explain(error, Asked::Read, &call, what)),
            None => Ok(Page::default()),
        }
    }
}

#[async_trait::async_trait]
impl TableStore for AzureStore {
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        try_join_all(tables.iter().map(|table| self.create_table(table))).await.map(|_| ())
    }

    async fn drop_table(&self, table: &'static str) -> Result<()> {
        self.check_clock().await?;
        let call = self.call();
        match self.table(table)?.delete().context(call.context()).into_future().await {
            Ok(_) => Ok(()),
            // The service has dropped the table, or has begun to.
            Err(_) if call.is_answered() => Ok(()),
            Err(error) if errors::is_no_table(&error) || errors::is_no_row(&error) => Ok(()),
            Err(error) => Err(errors::explain(error, Asked::Write, &call, || format!("the table {table}"))),
        }
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.get_row(table, key, false).await
    }

    async fn get_key(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.get_row(table, key, true).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        check_page_rows(limit)?;
        let query = query::TableQuery { table, range: Some(range), limit, continuation };
        self.get_page(query, || format!("{table}{range}")).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.check_clock().await?;
        let call = self.call();
        match transaction::send(&self.table(table)?, batch, &call).await {
            // The reason may be an earlier request of this batch whose response was lost.
            Err(StoreError::Precondition(what)) if call.is_doubtful() => {
                Err(StoreError::OutcomeUnknown { what, source: None })
            }
            answer => answer,
        }
    }

    /// Called before a write, and before cached values are used. A clock that seems wrong is measured again, so that a single unusual response does not refuse
    /// a write, and a corrected clock is trusted at once.
    async fn check_clock(&self) -> Result<()> {
        if self.skew.check().is_err() {
            // Only the time of the response matters.
            let _ = self.ping().await;
            self.skew.check()?;
        }
        Ok(())
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        let query = query::TableQuery { table, range: None, limit: PAGE_ROWS_MAX, continuation };
        self.get_page(query, || format!("the table {table}")).await
    }

    /// Requests the name of one table: the only read that needs no row and no table. The content of the response does not matter.
    async fn ping(&self) -> Result<()> {
        let call = Call::new(self.deadline.min(PING_DEADLINE));
        match self.client.list().top(1).context(call.context()).into_stream().next().await {
            Some(Err(error)) if !call.is_answered() => {
                Err(errors::explain(error, Asked::Read, &call, || "the list of tables".to_owned()))
            }
            _ => Ok(()),
        }
    }
}
