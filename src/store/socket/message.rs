//! The messages of the socket: a client sends requests, and gets one reply to each. The rule: the first request ensures that both sides are the same version of
//! Tidings, so messages have no version.

use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::store::{Batch, Entity, Etag, Key, Properties, RowRange, StoreError};

/// The maximum size of a message: several times the limit of a transaction, because JSON escapes characters.
const MESSAGE_BYTES_MAX: usize = 256 << 20;

/// A request of a client. Tables are named as in [`create_tables`](crate::store::TableStore::create_tables).
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Request {
    /// The first request, with the version of Tidings.
    Hello(String),
    Get(String, Vec<Key>),
    Range {
        table: String,
        range: RowRange,
        limit: usize,
        continuation: Option<String>,
    },
    Scan {
        table: String,
        continuation: Option<String>,
    },
    Commit(String, Batch),
    Ping,
    /// The following reads on this connection see the rows of this moment.
    Snapshot,
    /// Begins a transaction. Until its end, only `Get`, and `Range` without a continuation, are allowed.
    Plan,
    /// Ends a transaction with these writes.
    Write(Vec<PlannedWrite>),
    /// Ends a transaction without a write.
    Abort,
}

/// One row to write; without properties, it is deleted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct PlannedWrite {
    pub(super) table: String,
    pub(super) key: Key,
    pub(super) properties: Option<Properties>,
}

pub(super) type Reply = Result<Answer, StoreError>;

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    Done,
    /// The number that the server has chosen at its start, as the reply to `Hello`.
    Server(u64),
    Rows(Vec<Result<Option<Entity>, StoreError>>),
    Page {
        rows: Vec<Entity>,
        continuation: Option<String>,
    },
    Etags(Vec<Option<Etag>>),
    /// The version of the snapshot.
    Snapshot(u64),
}

/// Sends a message: its length in four bytes, the least significant first, then JSON.
pub(super) fn send(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)?;
    let length = u32::try_from(bytes.len() - 4).map_err(io::Error::other)?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    stream.write_all(&bytes)
}

/// Waits for a message.
///
/// # Errors
/// `UnexpectedEof` if the other side has closed the connection; `InvalidData` if it is not a message of this type.
pub(super) fn receive<M: DeserializeOwned>(stream: &mut impl Read) -> io::Result<M> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MESSAGE_BYTES_MAX {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {length} bytes")));
    }
    let mut bytes = Vec::new();
    stream.take(length as u64).read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}
