//! The side of the socket that has the file open. The rule: only this user and root are served, and a request is carried out by the store that
//! the server itself uses.

use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io};

use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

use super::message::{Answer, PlannedWrite, Reply, Request, receive, send};
use super::{PLAN_PAUSE_MAX, path_in};
use crate::store::{Continuation, Page, Result, RowWrite, Rows, Store, StoreError};

/// Serves a store at the socket of its folder until it is stopped.
pub struct SocketServer {
    path: PathBuf,
    accepting: JoinHandle<()>,
    open: OpenConnections,
}

/// Each connection, and the thread that serves it.
type OpenConnections = Arc<Mutex<Vec<(UnixStream, JoinHandle<()>)>>>;

impl SocketServer {
    /// `tables`: the names of the tables that clients may name. The caller has the store file of this folder open, so a socket that exists already
    /// is of a process that has ended.
    ///
    /// # Errors
    /// If no socket can be created in the folder.
    pub fn listen(folder: &Path, store: Store, tables: &'static [&'static str]) -> io::Result<Self> {
        let (_folder, path) = path_in(folder)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        let open = OpenConnections::default();
        let accepting = tokio::spawn(accept_for_ever(listener, (store, tables), Arc::clone(&open)));
        Ok(Self { path: folder.join(super::FILE_NAME), accepting, open })
    }

    /// Accepts no more requests, and waits for those that are under way. A transaction whose plan has not ended is
    /// aborted.
    pub async fn stop(mut self) {
        self.accepting.abort();
        let _ = (&mut self.accepting).await;
        for serving in self.close() {
            let _ = serving.await;
        }
    }

    fn close(&self) -> Vec<JoinHandle<()>> {
        self.accepting.abort();
        // If the socket stays, the next server removes it.
        let _ = fs::remove_file(&self.path);
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        let closed = open.into_iter().map(|(stream, serving)| {
            let _ = stream.shutdown(Shutdown::Read);
            serving
        });
        closed.collect()
    }
}

impl Drop for SocketServer {
    fn drop(&mut self) {
        self.close();
    }
}

async fn accept_for_ever(
    listener: UnixListener,
    (store, tables): (Store, &'static [&'static str]),
    open: OpenConnections,
) {
    let own = rustix::process::geteuid().as_raw();
    loop {
        let accepted = listener.accept().await.and_then(|(stream, _)| {
            let user = stream.peer_cred()?.uid();
            let stream = stream.into_std()?;
            stream.set_nonblocking(false)?;
            Ok((stream.try_clone()?, stream, user))
        });
        match accepted {
            Ok((stream, handle, user)) if user == own || user == 0 => {
                let connection = Connection { stream, store: store.clone(), tables, runtime: Handle::current() };
                // A thread of its own, because the plan of a client is run on the thread that writes, and reads from the connection.
                let serving = tokio::task::spawn_blocking(move || connection.serve());
                let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
                open.retain(|(_, serving)| !serving.is_finished());
                open.push((handle, serving));
            }
            Ok((_, _, user)) => tracing::warn!(user, "store.socket_refused"),
            Err(error) => {
                tracing::warn!(%error, "store.socket_failed");
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        }
    }
}

struct Connection {
    stream: UnixStream,
    /// The store, or a snapshot of it.
    store: Store,
    tables: &'static [&'static str],
    runtime: Handle,
}

impl Connection {
    /// Serves until the client closes the connection, or sends something that is not a request.
    fn serve(mut self) {
        let ended = loop {
            let replied = receive(&mut self.stream).and_then(|request| {
                let reply = self.carry_out(request);
                send(&mut self.stream, &reply)
            });
            if let Err(error) = replied {
                break error;
            }
        };
        tracing::debug!(%ended, "store.socket_closed");
        // The server keeps another handle of it.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    fn carry_out(&mut self, request: Request) -> Reply {
        let (store, runtime) = (&self.store, &self.runtime);
        let position = |continuation: Option<String>| continuation.map(Continuation::new);
        match request {
            Request::Hello(version) if version != super::VERSION => Err(StoreError::Locked(format!(
                "the store is open in a server of another version of Tidings, {}: use that version, or stop the server",
                super::VERSION
            ))),
            Request::Hello(_) => Ok(Answer::Done),
            Request::Get(table, keys) => {
                Ok(Answer::Rows(runtime.block_on(store.get_many(known(self.tables, &table)?, &keys))))
            }
            Request::Range { table, range, limit, continuation } => {
                let (table, continuation) = (known(self.tables, &table)?, position(continuation));
                page(runtime.block_on(store.range(table, &range, limit, continuation.as_ref())))
            }
            Request::Scan { table, continuation } => {
                let (table, continuation) = (known(self.tables, &table)?, position(continuation));
                page(runtime.block_on(store.scan(table, continuation.as_ref())))
            }
            Request::Commit(table, batch) => {
                runtime.block_on(store.commit(known(self.tables, &table)?, &batch)).map(Answer::Etags)
            }
            Request::Ping => runtime.block_on(store.ping()).map(|()| Answer::Done),
            Request::Snapshot => {
                let taken = runtime.block_on(store.snapshot())?;
                let snapshot = taken.ok_or_else(|| StoreError::Internal("the store has no snapshots".to_owned()))?;
                self.store = snapshot.store;
                Ok(Answer::Snapshot(snapshot.version))
            }
            Request::Plan => self.transact(),
            Request::Write(_) | Request::Abort => Err(outside_of_a_plan()),
        }
    }

    fn transact(&mut self) -> Reply {
        let cannot = |error| StoreError::unavailable("the socket of the store", error);
        let stream = self.stream.try_clone().map_err(cannot)?;
        let plan = Plan { stream, tables: self.tables };
        let mut plan = Some(plan);
        let planned = self.runtime.block_on(self.store.transact(Box::new(move |rows| {
            plan.take().ok_or_else(|| StoreError::Internal("a plan was run twice".to_owned()))?.run(rows)
        })));
        self.stream.set_read_timeout(None).and_then(|()| self.stream.set_write_timeout(None)).map_err(cannot)?;
        planned.map(|()| Answer::Done)
    }
}

/// The plan of a client.
struct Plan {
    stream: UnixStream,
    tables: &'static [&'static str],
}

impl Plan {
    /// Answers the reads of the client, until it sends what to write.
    fn run(mut self, rows: &dyn Rows) -> Result<Vec<RowWrite>> {
        let lost = |error| StoreError::unavailable("a client of the socket did not end its transaction", error);
        self.stream.set_read_timeout(Some(PLAN_PAUSE_MAX)).map_err(lost)?;
        self.stream.set_write_timeout(Some(PLAN_PAUSE_MAX)).map_err(lost)?;
        send(&mut self.stream, &Reply::Ok(Answer::Done)).map_err(lost)?;
        loop {
            let reply = match receive(&mut self.stream).map_err(lost)? {
                Request::Get(table, keys) => known(self.tables, &table)
                    .map(|table| Answer::Rows(keys.iter().map(|key| rows.get(table, key)).collect())),
                Request::Range { table, range, limit, continuation: None } => known(self.tables, &table)
                    .and_then(|table| rows.range(table, &range, limit))
                    .map(|rows| Answer::Page { rows, continuation: None }),
                Request::Write(writes) => return writes.into_iter().map(|write| self.known(write)).collect(),
                Request::Abort => return Ok(Vec::new()),
                _ => return Err(outside_of_a_plan()),
            };
            send(&mut self.stream, &reply).map_err(lost)?;
        }
    }

    fn known(&self, write: PlannedWrite) -> Result<RowWrite> {
        let PlannedWrite { table, key, properties } = write;
        Ok(RowWrite { table: known(self.tables, &table)?, key, properties })
    }
}

fn known(tables: &'static [&'static str], name: &str) -> Result<&'static str> {
    let table = tables.iter().copied().find(|table| *table == name);
    table.ok_or_else(|| StoreError::Internal(format!("there is no table {name}")))
}

fn page(read: Result<Page>) -> Reply {
    let Page { rows, continuation } = read?;
    Ok(Answer::Page { rows, continuation: continuation.map(|continuation| continuation.position().to_owned()) })
}

fn outside_of_a_plan() -> StoreError {
    StoreError::Internal("a client of the socket sent what is not allowed now".to_owned())
}
