//! The store of a process that uses the file through the server that has it open. The rule: a write whose reply is lost has an unknown outcome,
//! unless its transaction cannot have been committed yet.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::message::{Answer, PlannedWrite, Reply, Request, receive, send};
use super::path_in;
use crate::store::limits::TransactionLimits;
use crate::store::snapshot::refuse_write;
use crate::store::transaction::run_plan;
use crate::store::{
    Batch, Continuation, Entity, Etag, GroupPlan, Key, Page, Result, RowRange, RowWrite, Rows, Snapshot, StoreError,
    TableStore,
};

/// A store file that a server has open, or a snapshot of it.
pub struct SocketStore(Channel);

impl SocketStore {
    /// Connects to the server that has the store of this folder open. `None`: no server listens.
    ///
    /// # Errors
    /// `Locked` if the server is of another version, `Denied` if it is of another user, and `Unavailable` if it does not answer.
    pub fn connect(folder: &Path) -> Result<Option<Self>> {
        let pool = Pool { folder: folder.to_owned(), idle: Mutex::default() };
        let connection = match pool.connect() {
            Ok(connection) => connection,
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
                return Ok(None);
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let what = "a server of another user has the store open; run the command as that user";
                return Err(StoreError::denied(what, error));
            }
            Err(error) => return Err(unavailable(error)),
        };
        pool.keep(connection);
        pool.call(&Request::Hello(super::VERSION.to_owned()))?;
        Ok(Some(Self(Channel::Pool(Arc::new(pool)))))
    }
}

#[derive(Clone)]
enum Channel {
    Pool(Arc<Pool>),
    /// The connection whose reads show the rows as they were at one moment.
    Snapshot(Arc<Mutex<UnixStream>>),
}

impl Channel {
    fn call(&self, request: &Request) -> Reply {
        match self {
            Self::Pool(pool) => pool.call(request),
            Self::Snapshot(connection) => {
                call(&mut connection.lock().unwrap_or_else(PoisonError::into_inner), request)?
            }
        }
    }
}

/// The connections that no request is using.
struct Pool {
    folder: PathBuf,
    idle: Mutex<Vec<UnixStream>>,
}

impl Pool {
    fn connect(&self) -> io::Result<UnixStream> {
        let (_folder, path) = path_in(&self.folder)?;
        UnixStream::connect(path)
    }

    fn get(&self) -> Result<UnixStream> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.map_or_else(|| self.connect().map_err(unavailable), Ok)
    }

    fn keep(&self, connection: UnixStream) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    fn call(&self, request: &Request) -> Reply {
        let mut connection = self.get()?;
        let reply = call(&mut connection, request)?;
        self.keep(connection);
        reply
    }

    fn transact(&self, plan: &mut GroupPlan) -> Result<()> {
        let mut connection = self.get()?;
        call(&mut connection, &Request::Plan).map_err(not_made)??;
        let rows = PlannedRows { connection: RefCell::new(connection), expected: RefCell::default() };
        let planned = run_plan(plan, &rows, TransactionLimits::WIDE);
        let mut connection = rows.connection.into_inner();
        let (end, refusal) = match planned {
            Ok(writes) => (Request::Write(writes.into_iter().map(message).collect()), None),
            Err(refusal) => (Request::Abort, Some(refusal)),
        };
        let ended = call(&mut connection, &end);
        if ended.is_ok() {
            self.keep(connection);
        }
        match refusal {
            Some(refusal) => Err(refusal),
            None => ended?.map(drop),
        }
    }
}

/// Sends a request and waits for the reply. An error is `OutcomeUnknown`, because the request may have been carried out.
fn call(connection: &mut UnixStream, request: &Request) -> Result<Reply> {
    let lost = |error| StoreError::outcome_unknown("the server that has the store open has stopped", error);
    send(connection, request).map_err(lost)?;
    receive(connection).map_err(lost)
}

fn not_made(error: StoreError) -> StoreError {
    error.into_not_made()
}

fn unavailable(error: io::Error) -> StoreError {
    StoreError::unavailable("the server that has the store open cannot be reached", error)
}

fn message(RowWrite { table, key, properties }: RowWrite) -> PlannedWrite {
    PlannedWrite { table: table.to_owned(), key, properties }
}

/// The rows inside a transaction, which the server reads.
struct PlannedRows {
    connection: RefCell<UnixStream>,
    /// Rows that were read ahead.
    expected: RefCell<HashMap<(&'static str, Key), Option<Entity>>>,
}

impl PlannedRows {
    fn call(&self, request: &Request) -> Reply {
        call(&mut self.connection.borrow_mut(), request).map_err(not_made)?
    }

    fn read(&self, table: &'static str, keys: Vec<Key>) -> Result<Vec<Option<Entity>>> {
        rows(self.call(&Request::Get(table.to_owned(), keys))?)?.into_iter().collect()
    }
}

impl Rows for PlannedRows {
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

    /// One request for each table. If it fails, the reads that follow fail too.
    fn expect(&self, places: &[(&'static str, Key)]) {
        let mut tables: HashMap<&'static str, Vec<Key>> = HashMap::new();
        for (table, key) in places {
            tables.entry(table).or_default().push(key.clone());
        }
        for (table, keys) in tables {
            if let Ok(rows) = self.read(table, keys.clone()) {
                self.expected.borrow_mut().extend(keys.into_iter().map(|key| (table, key)).zip(rows));
            }
        }
    }
}

#[async_trait::async_trait]
impl TableStore for SocketStore {
    /// Nothing to do: the server has them.
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
        let Channel::Pool(pool) = self.0.clone() else { return refuse_write(table, batch) };
        let request = Request::Commit(table.to_owned(), batch.clone());
        match in_thread(move || pool.call(&request)).await? {
            Answer::Etags(etags) => Ok(etags),
            _ => Err(another_answer()),
        }
    }

    fn is_transactional(&self) -> bool {
        matches!(self.0, Channel::Pool(_))
    }

    async fn transact(&self, mut plan: GroupPlan) -> Result<()> {
        let Channel::Pool(pool) = self.0.clone() else {
            return Err(StoreError::Internal("a snapshot cannot be written".to_owned()));
        };
        in_thread(move || pool.transact(&mut plan)).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        let Channel::Pool(pool) = self.0.clone() else { return Ok(None) };
        let (connection, version) = in_thread(move || {
            let mut connection = pool.connect().map_err(unavailable)?;
            match call(&mut connection, &Request::Snapshot).map_err(not_made)?? {
                Answer::Snapshot(version) => Ok((connection, version)),
                _ => Err(another_answer()),
            }
        })
        .await?;
        let store = Arc::new(Self(Channel::Snapshot(Arc::new(Mutex::new(connection)))));
        Ok(Some(Snapshot { store, version }))
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        page(self.read(scan_request(table, continuation)).await?)
    }

    async fn ping(&self) -> Result<()> {
        self.read(Request::Ping).await.map(drop)
    }
}

impl SocketStore {
    async fn read(&self, request: Request) -> Reply {
        let channel = self.0.clone();
        in_thread(move || channel.call(&request).map_err(not_made)).await
    }
}

async fn in_thread<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    let stopped = |error| StoreError::outcome_unknown("a request to the server that has the store open", error);
    tokio::task::spawn_blocking(work).await.map_err(stopped)?
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
    reply.and_then(rows).unwrap_or_else(|error| (0..keys).map(|_| Err(error.without_source())).collect())
}

fn page(answer: Answer) -> Result<Page> {
    match answer {
        Answer::Page { rows, continuation } => Ok(Page { rows, continuation: continuation.map(Continuation::new) }),
        _ => Err(another_answer()),
    }
}

fn another_answer() -> StoreError {
    StoreError::Internal("the server answered another request".to_owned())
}
