//! The side of the socket that has the file open. The rule: only this user and root are served, and a request is carried out by the store that
//! the server itself uses.

use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io};

use tokio::net::UnixListener;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use super::message::{Answer, PlannedWrite, Reply, Request, receive, send};
use super::{PLAN_MAX, PLAN_PAUSE_MAX, path_in};
use crate::store::{Continuation, Page, Result, RowWrite, Rows, Store, StoreError};

/// The maximum number of connections, each of which has a thread.
const CONNECTIONS_MAX: usize = 64;
/// How long a client may take to read a reply.
const READING_MAX: Duration = Duration::from_secs(30);

/// Serves a store at the socket of its folder until it is stopped.
pub struct SocketServer {
    path: PathBuf,
    accepting: JoinHandle<()>,
    open: OpenConnections,
}

/// Each connection, with a channel that ends with the thread that serves it.
type OpenConnections = Arc<Mutex<Vec<(UnixStream, oneshot::Receiver<()>)>>>;

impl SocketServer {
    /// `tables`: the tables that clients may name. The caller has the store file of this folder open, so an existing socket belongs to a process that has
    /// ended.
    ///
    /// # Errors
    /// If no socket can be created in the folder.
    pub fn listen(folder: &Path, store: Store, tables: &'static [&'static str]) -> io::Result<Self> {
        let (_folder, path) = path_in(folder)?;
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let server = getrandom::u64().map_err(io::Error::other)?;
        let listener = UnixListener::bind(&path)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        let open = OpenConnections::default();
        let served = Served { store, tables, server };
        let accepting = tokio::spawn(accept_for_ever(listener, served, Arc::clone(&open)));
        Ok(Self { path: folder.join(super::FILE_NAME), accepting, open })
    }

    /// Stops accepting requests, and waits for those in progress. Aborts transactions whose plan has not ended, and replies that the client does not read.
    pub async fn stop(mut self) {
        self.accepting.abort();
        let _ = (&mut self.accepting).await;
        let deadline = tokio::time::Instant::now() + PLAN_PAUSE_MAX;
        for (stream, ended) in self.close() {
            if tokio::time::timeout_at(deadline, ended).await.is_err() {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn connections(&self) -> usize {
        self.open.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Closes the receiving side of each connection.
    fn close(&self) -> Vec<(UnixStream, oneshot::Receiver<()>)> {
        self.accepting.abort();
        // The next server removes it if this fails.
        let _ = fs::remove_file(&self.path);
        let open = std::mem::take(&mut *self.open.lock().unwrap_or_else(PoisonError::into_inner));
        for (stream, _) in &open {
            let _ = stream.shutdown(Shutdown::Read);
        }
        open
    }
}

impl Drop for SocketServer {
    fn drop(&mut self) {
        self.close();
    }
}

/// The shared state of the connections.
#[derive(Clone)]
struct Served {
    store: Store,
    tables: &'static [&'static str],
    server: u64,
}

async fn accept_for_ever(listener: UnixListener, served: Served, open: OpenConnections) {
    let own = rustix::process::geteuid().as_raw();
    loop {
        let accepted = listener.accept().await.and_then(|(stream, _)| {
            let user = stream.peer_cred()?.uid();
            let stream = stream.into_std()?;
            stream.set_nonblocking(false)?;
            stream.set_write_timeout(Some(READING_MAX))?;
            Ok((stream, user))
        });
        let begun = match accepted {
            Ok((stream, user)) if user == own || user == 0 => begin(stream, served.clone(), &open),
            Ok((_, user)) => {
                tracing::warn!(user, "store.socket_refused");
                Ok(())
            }
            Err(error) => Err(error),
        };
        if let Err(error) = begun {
            tracing::warn!(%error, "store.socket_failed");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// Serves a connection on a separate thread, because a client's plan reads from the connection on the writing thread.
fn begin(mut stream: UnixStream, served: Served, open: &OpenConnections) -> io::Result<()> {
    let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain_mut(|(_, ended)| matches!(ended.try_recv(), Err(oneshot::error::TryRecvError::Empty)));
    if open.len() >= CONNECTIONS_MAX {
        let what = format!("the server serves {CONNECTIONS_MAX} connections of other commands; try again later");
        return send(&mut stream, &Reply::Err(StoreError::Unavailable { what, source: None }));
    }
    let (end, ended) = oneshot::channel();
    open.push((stream.try_clone()?, ended));
    let connection = Connection { stream, served, runtime: Handle::current(), is_greeted: false };
    let serve = move || {
        connection.serve();
        let _ = end.send(());
    };
    std::thread::Builder::new().name("tidings-socket".to_owned()).spawn(serve).map(drop)
}

struct Connection {
    stream: UnixStream,
    /// The served store is the store itself or a snapshot.
    served: Served,
    runtime: Handle,
    is_greeted: bool,
}

/// The server has another handle of the connection, so the connection is closed explicitly for the client.
impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

impl Connection {
    /// Serves requests until the client closes the connection, sends an invalid request, or loses a transaction.
    fn serve(mut self) {
        let ended = loop {
            let replied = receive(&mut self.stream).and_then(|request| match request {
                Request::Plan => self.transact(),
                request => {
                    let reply = self.carry_out(request);
                    send(&mut self.stream, &reply)
                }
            });
            if let Err(error) = replied {
                break error;
            }
        };
        tracing::debug!(%ended, "store.socket_closed");
    }

    fn carry_out(&mut self, request: Request) -> Reply {
        let (Served { store, tables, server }, runtime) = (&self.served, &self.runtime);
        let position = |continuation: Option<String>| continuation.map(Continuation::new);
        match request {
            Request::Hello(version) if version != super::VERSION => Err(StoreError::Locked(format!(
                "the store is open in a server of another version of Tidings, {}: use that version, or stop the server",
                super::VERSION
            ))),
            Request::Hello(_) => {
                self.is_greeted = true;
                Ok(Answer::Server(*server))
            }
            _ if !self.is_greeted => Err(not_allowed()),
            Request::Get(table, keys) => {
                Ok(Answer::Rows(runtime.block_on(store.get_many(known(tables, &table)?, &keys))))
            }
            Request::Range { table, range, limit, continuation } => {
                let (table, continuation) = (known(tables, &table)?, position(continuation));
                page(runtime.block_on(store.range(table, &range, limit, continuation.as_ref())))
            }
            Request::Scan { table, continuation } => {
                let (table, continuation) = (known(tables, &table)?, position(continuation));
                page(runtime.block_on(store.scan(table, continuation.as_ref())))
            }
            Request::Commit(table, batch) => {
                runtime.block_on(store.commit(known(tables, &table)?, &batch)).map(Answer::Etags)
            }
            Request::Ping => runtime.block_on(store.ping()).map(|()| Answer::Done),
            Request::Snapshot => {
                let taken = runtime.block_on(store.snapshot())?;
                let snapshot = taken.ok_or_else(|| StoreError::Internal("the store has no snapshots".to_owned()))?;
                self.served.store = snapshot.store;
                Ok(Answer::Snapshot(snapshot.version))
            }
            Request::Plan | Request::Write(_) | Request::Abort => Err(not_allowed()),
        }
    }

    /// Carries out the transaction of the client. An error closes the connection, because a client that did not end its transaction could mistake the reply for
    /// that of a later request.
    fn transact(&mut self) -> io::Result<()> {
        if !self.is_greeted {
            return send(&mut self.stream, &Reply::Err(not_allowed()));
        }
        let state = Arc::new(Mutex::new(PlanState::NotBegun));
        let mut plan = Some(Plan {
            stream: self.stream.try_clone()?,
            tables: self.served.tables,
            deadline: Instant::now() + PLAN_MAX,
            state: Arc::clone(&state),
        });
        let planned = self.runtime.block_on(self.served.store.transact(Box::new(move |rows| {
            plan.take().ok_or_else(|| StoreError::Internal("a plan was run twice".to_owned()))?.run(rows)
        })));
        let state = *state.lock().unwrap_or_else(PoisonError::into_inner);
        if state != PlanState::Broken {
            self.stream.set_write_timeout(Some(READING_MAX))?;
            send(&mut self.stream, &planned.map(|()| Answer::Done))?;
        }
        match state {
            PlanState::NotBegun | PlanState::Ended => self.stream.set_read_timeout(None),
            PlanState::Lost | PlanState::Broken => Err(io::Error::other("a transaction was not ended")),
        }
    }
}

/// The progress of a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PlanState {
    NotBegun,
    /// The client has not sent the end in time.
    Lost,
    /// A reply was sent only partially.
    Broken,
    /// The client has sent the end.
    Ended,
}

struct Plan {
    stream: UnixStream,
    tables: &'static [&'static str],
    deadline: Instant,
    state: Arc<Mutex<PlanState>>,
}

impl Plan {
    /// Answers the reads of the client until it sends the writes.
    fn run(mut self, rows: &dyn Rows) -> Result<Vec<RowWrite>> {
        self.reply(&Ok(Answer::Done))?;
        loop {
            let reply = match self.receive()? {
                Request::Get(table, keys) => known(self.tables, &table)
                    .map(|table| Answer::Rows(keys.iter().map(|key| rows.get(table, key)).collect())),
                Request::Range { table, range, limit, continuation: None } => known(self.tables, &table)
                    .and_then(|table| rows.range(table, &range, limit))
                    .map(|rows| Answer::Page { rows, continuation: None }),
                Request::Write(writes) => {
                    self.set(PlanState::Ended);
                    return writes.into_iter().map(|write| self.known(write)).collect();
                }
                Request::Abort => {
                    self.set(PlanState::Ended);
                    return Ok(Vec::new());
                }
                _ => return Err(not_allowed()),
            };
            self.reply(&reply)?;
        }
    }

    fn receive(&mut self) -> Result<Request> {
        self.set(PlanState::Lost);
        let timed = self.stream.set_read_timeout(Some(self.pause_max()));
        timed.and_then(|()| receive(&mut self.stream)).map_err(lost)
    }

    fn reply(&mut self, reply: &Reply) -> Result<()> {
        self.set(PlanState::Broken);
        let timed = self.stream.set_write_timeout(Some(self.pause_max()));
        timed.and_then(|()| send(&mut self.stream, reply)).map_err(lost)
    }

    /// A zero timeout would mean no timeout.
    fn pause_max(&self) -> Duration {
        let left = self.deadline.saturating_duration_since(Instant::now());
        left.clamp(Duration::from_millis(1), PLAN_PAUSE_MAX)
    }

    fn set(&self, state: PlanState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
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

fn lost(error: io::Error) -> StoreError {
    let what = format!(
        "this command was paused for {} s, or took {} s, in a change, which was not made; run it again",
        PLAN_PAUSE_MAX.as_secs(),
        PLAN_MAX.as_secs()
    );
    StoreError::unavailable(what, error)
}

fn not_allowed() -> StoreError {
    StoreError::Internal("a client of the socket sent what is not allowed now".to_owned())
}
