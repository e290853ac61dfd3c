//! The store of a process that uses a store file through the server that has it open. The rule: a write whose reply is lost has an unknown outcome, unless its
//! transaction cannot have been committed yet.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use super::connections::{CONNECTIONS_MAX, Connection, Pool, another_answer};
use super::message::{Answer, PlannedWrite, Reply, Request};
use crate::store::limits::TransactionLimits;
use crate::store::transaction::run_plan;
use crate::store::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Page, Result, RowRange, RowWrite, Rows, Snapshot, StoreError,
    TableStore, refuse_write,
};

/// A store file that a server has open, or its snapshot.
pub struct SocketStore {
    channel: Channel,
    permits: Semaphore,
}

impl SocketStore {
    /// Connects to the server that has the store of this folder open. `None` if no server listens.
    ///
    /// # Errors
    /// `Locked` if the server has another version, `Denied` if it belongs to another user, and `Unavailable` if it does not answer.
    pub fn connect(folder: &Path) -> Result<Option<Self>> {
        let pool = Pool::new(folder);
        let Some(connection) = pool.try_connect()? else { return Ok(None) };
        pool.keep(connection);
        Ok(Some(Self { channel: Channel::Pool(Arc::new(pool)), permits: Semaphore::new(CONNECTIONS_MAX) }))
    }

    async fn read(&self, request: Request) -> Reply {
        self.in_thread(move |channel| channel.call(&request)).await.map_err(not_made)
    }

    async fn in_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Channel) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _permit = self.permits.acquire().await.expect("it is never closed");
        let channel = self.channel.clone();
        let stopped = |error| StoreError::outcome_unknown("a request to the server that has the store open", error);
        tokio::task::spawn_blocking(move || work(&channel)).await.map_err(stopped)?
    }
}

#[derive(Clone)]
enum Channel {
    Pool(Arc<Pool>),
    /// The connection whose reads see the rows of one moment.
    Snapshot(Arc<Mutex<Connection>>),
}

impl Channel {
    fn call(&self, request: &Request) -> Reply {
        match self {
            Self::Pool(pool) => pool.with(|connection| connection.call(request)),
            Self::Snapshot(connection) => connection.lock().unwrap_or_else(PoisonError::into_inner).call(request),
        }
    }

    fn pool(&self) -> Result<&Pool> {
        match self {
            Self::Pool(pool) => Ok(pool),
            Self::Snapshot(_) => Err(StoreError::Internal("a snapshot is asked for more than its rows".to_owned())),
        }
    }
}

fn transact(connection: &mut Connection, plan: &mut GroupPlan) -> Result<()> {
    done(connection.call(&Request::Plan)).map_err(not_made)?;
    let rows =
        PlannedRows { connection: RefCell::new(connection), expected: RefCell::default(), failure: Cell::default() };
    let planned = run_plan(plan, &rows, TransactionLimits::RECORDED);
    let failure = rows.failure.take();
    let connection = rows.connection.into_inner();
    if let Some(failure) = failure {
        // Without an explicit end, the server aborts the transaction.
        connection.give_up();
        return Err(failure);
    }
    match planned {
        Ok(writes) => {
            let written = done(connection.call(&Request::Write(writes.into_iter().map(message).collect())));
            if written.is_err() {
                // The reply may be an earlier one, by which the server has ended a plan that was paused, and the connection.
                connection.give_up();
            }
            written
        }
        Err(refusal) => {
            done(connection.call(&Request::Abort)).map_err(not_made)?;
            Err(refusal)
        }
    }
}

fn done(reply: Reply) -> Result<()> {
    match reply? {
        Answer::Done => Ok(()),
        _ => Err(another_answer()),
    }
}

fn not_made(error: StoreError) -> StoreError {
    error.into_not_made()
}

fn message(RowWrite { table, key, properties }: RowWrite) -> PlannedWrite {
    PlannedWrite { table: table.to_owned(), key, properties }
}

/// The rows inside a transaction, which the server reads.
struct PlannedRows<'c> {
    connection: RefCell<&'c mut Connection>,
    /// Rows that were read in advance.
    expected: RefCell<HashMap<(&'static str, Key), Option<Entity>>>,
    /// The first failed read, after which the transaction cannot be committed.
    failure: Cell<Option<StoreError>>,
}

impl PlannedRows<'_> {
    fn call(&self, request: &Request) -> Reply {
        if let Some(failure) = self.failure.take() {
            self.failure.set(Some(failure.clone()));
            return Err(failure);
        }
        let reply = self.connection.borrow_mut().call(request).map_err(not_made);
        if let Err(failure) = &reply {
            self.failure.set(Some(failure.clone()));
        }
        reply
    }

    fn read(&self, table: &'static str, keys: Vec<Key>) -> Result<Vec<Option<Entity>>> {
        let count = keys.len();
        let rows = rows(self.call(&Request::Get(table.to_owned(), keys))?)?;
        if rows.len() != count {
            return Err(another_answer());
        }
        rows.into_iter().collect()
    }
}

impl Rows for PlannedRows<'_> {
    fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        if let Some(row) = self.expected.borrow().get(&(table, key.clone())) {
            return Ok(row.clone());
        }
        Ok(self.read(table, vec![key.clone()])?.pop().flatten())
    }

    fn range(&self, table: &'static str, range: &RowRange, limit: usize) -> Result<Vec<Entity>> {
        let request = Request::Range { table: table.to_owned(), range: range.clone(), limit, continuation: None };
        Ok(page(self.call(&request)?)?.rows)
    }

    /// One request for each table. If it fails, the following reads fail, too.
    fn expect(&self, places: &[(&'static str, Key)]) {
        let mut tables: HashMap<&'static str, BTreeSet<&Key>> = HashMap::new();
        for (table, key) in places {
            if !self.expected.borrow().contains_key(&(*table, key.clone())) {
                tables.entry(table).or_default().insert(key);
            }
        }
        for (table, keys) in tables {
            let keys: Vec<Key> = keys.into_iter().cloned().collect();
            if let Ok(rows) = self.read(table, keys.clone()) {
                self.expected.borrow_mut().extend(keys.into_iter().map(|key| (table, key)).zip(rows));
            }
        }
    }
}

#[async_trait::async_trait]
impl TableStore for SocketStore {
    /// Nothing has to be created, because the server has the tables.
    async fn create_tables(&self, _tables: &[&'static str]) -> Result<()> {
        Ok(())
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.get_many(table, std::slice::from_ref(key)).await.pop().unwrap_or(Ok(None))
    }

    async fn get_many(&self, table: &'static str, keys: &[Key]) -> Vec<Result<Option<Entity>>> {
        each(keys.len(), self.read(Request::Get(table.to_owned(), keys.to_vec())).await)
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        page(self.read(range_request(table, range, limit, continuation)).await?)
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        if !self.is_transactional() {
            return refuse_write(table, batch);
        }
        let request = Request::Commit(table.to_owned(), batch.clone());
        match self.in_thread(move |channel| channel.call(&request)).await? {
            Answer::Etags(etags) => Ok(etags),
            _ => Err(another_answer()),
        }
    }

    fn is_transactional(&self) -> bool {
        matches!(self.channel, Channel::Pool(_))
    }

    fn transaction_limits(&self) -> TransactionLimits {
        TransactionLimits::RECORDED
    }

    async fn transact(&self, mut plan: GroupPlan) -> Result<()> {
        self.in_thread(move |channel| channel.pool()?.with(|connection| transact(connection, &mut plan))).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        if !self.is_transactional() {
            return Ok(None);
        }
        let taken = self.in_thread(|channel| {
            let mut connection = channel.pool()?.connect()?;
            match connection.call(&Request::Snapshot)? {
                Answer::Snapshot(version) => Ok((connection, version)),
                _ => Err(another_answer()),
            }
        });
        let (connection, version) = taken.await.map_err(not_made)?;
        let channel = Channel::Snapshot(Arc::new(Mutex::new(connection)));
        Ok(Some(Snapshot { store: Arc::new(Self { channel, permits: Semaphore::new(1) }), version }))
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        page(self.read(scan_request(table, continuation)).await?)
    }

    async fn ping(&self) -> Result<()> {
        self.read(Request::Ping).await.map(drop)
    }
}

fn range_request(table: &str, range: &RowRange, limit: usize, continuation: Option<&Continuation>) -> Request {
    Request::Range { table: table.to_owned(), range: range.clone(), limit, continuation: position(continuation) }
}

fn scan_request(table: &str, continuation: Option<&Continuation>) -> Request {
    Request::Scan { table: table.to_owned(), continuation: position(continuation) }
}

fn position(continuation: Option<&Continuation>) -> Option<String> {
    continuation.map(|continuation| continuation.position().to_owned())
}

fn rows(answer: Answer) -> Result<Vec<Result<Option<Entity>>>> {
    match answer {
        Answer::Rows(rows) => Ok(rows),
        _ => Err(another_answer()),
    }
}

/// A failed request as a result for each of its keys.
fn each(keys: usize, reply: Reply) -> Vec<Result<Option<Entity>>> {
    reply.and_then(rows).unwrap_or_else(|error| (0..keys).map(|_| Err(error.clone())).collect())
}

fn page(answer: Answer) -> Result<Page> {
    match answer {
        Answer::Page { rows, continuation } => Ok(Page { rows, continuation: continuation.map(Continuation::new) }),
        _ => Err(another_answer()),
    }
}
