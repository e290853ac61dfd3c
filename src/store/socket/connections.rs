//! The connections of a client. The rule: a connection on which a message was lost is not used again, because its next reply could belong to another request.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::message::{Answer, Reply, Request, receive, send};
use super::{VERSION, path_in};
use crate::store::{Result, StoreError};

/// The maximum number of concurrent requests; the server has a thread for each connection.
pub(super) const CONNECTIONS_MAX: usize = 8;
/// The maximum time for the server's greeting.
const GREETING_MAX: Duration = Duration::from_secs(5);

pub(super) struct Connection {
    stream: UnixStream,
    is_broken: bool,
}

impl Connection {
    /// Closes the connection after the present work.
    pub(super) fn give_up(&mut self) {
        self.is_broken = true;
    }

    /// Sends a request and waits for the reply.
    ///
    /// # Errors
    /// The error in the reply; `OutcomeUnknown` if there is no reply.
    pub(super) fn call(&mut self, request: &Request) -> Reply {
        if self.is_broken {
            return Err(StoreError::Internal("a broken connection to the server is used again".to_owned()));
        }
        let sent = send(&mut self.stream, request);
        // A server that has aborted a transaction sends the reason before it closes the connection.
        receive::<Reply>(&mut self.stream).unwrap_or_else(|error| {
            self.is_broken = true;
            let error = sent.err().unwrap_or(error);
            Err(StoreError::outcome_unknown("the server that has the store open has stopped", error))
        })
    }
}

/// The idle connections to one server.
pub(super) struct Pool {
    folder: PathBuf,
    /// The number that the server has chosen at its start.
    server: OnceLock<u64>,
    idle: Mutex<Vec<Connection>>,
}

impl Pool {
    pub(super) fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), server: OnceLock::new(), idle: Mutex::default() }
    }

    /// A new connection; `None` if no server listens.
    ///
    /// # Errors
    /// `Locked` if the server has another version, `Denied` if it belongs to another user, and `Unavailable` if it does not answer, or is not the server of the
    /// first connection.
    pub(super) fn try_connect(&self) -> Result<Option<Connection>> {
        // Opening the store will report the problem with its folder.
        let Ok((_folder, path)) = path_in(&self.folder) else { return Ok(None) };
        let greeted = UnixStream::connect(path).and_then(|mut stream| {
            stream.set_read_timeout(Some(GREETING_MAX))?;
            stream.set_write_timeout(Some(GREETING_MAX))?;
            send(&mut stream, &Request::Hello(VERSION.to_owned()))?;
            let reply = receive::<Reply>(&mut stream)?;
            stream.set_read_timeout(None)?;
            stream.set_write_timeout(None)?;
            Ok((stream, reply))
        });
        let (stream, reply) = match greeted {
            Ok(greeted) => greeted,
            Err(error) if is_of_no_server(&error) => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                let what = "a server of another user has the store open; run the command as that user";
                return Err(StoreError::denied(what, error));
            }
            Err(error) => {
                return Err(StoreError::unavailable("the server that has the store open does not answer", error));
            }
        };
        let Answer::Server(server) = reply? else { return Err(another_answer()) };
        if *self.server.get_or_init(|| server) != server {
            let what = "the server was started again; run the command again".to_owned();
            return Err(StoreError::Unavailable { what, source: None });
        }
        Ok(Some(Connection { stream, is_broken: false }))
    }

    pub(super) fn connect(&self) -> Result<Connection> {
        self.try_connect()?.ok_or_else(|| StoreError::Unavailable {
            what: "the server that had the store open has stopped".to_owned(),
            source: None,
        })
    }

    /// Passes a connection to `work`, and returns it to the pool unless it is broken.
    pub(super) fn with<T>(&self, work: impl FnOnce(&mut Connection) -> Result<T>) -> Result<T> {
        let idle = self.idle().pop();
        let mut connection = idle.map_or_else(|| self.connect(), Ok)?;
        let done = work(&mut connection);
        if !connection.is_broken {
            self.keep(connection);
        }
        done
    }

    pub(super) fn keep(&self, connection: Connection) {
        self.idle().push(connection);
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// No server listens any more, or there can be no socket.
fn is_of_no_server(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidInput
            | io::ErrorKind::NotADirectory
    )
}

pub(super) fn another_answer() -> StoreError {
    StoreError::Internal("the server answered another request".to_owned())
}
