//! The errors of a store, sorted by what the caller does next. The rule: causes are sources, never part of the message for clients.

use std::error::Error as StdError;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

type AnyError = Box<dyn StdError + Send + Sync>;

/// Shared by copies of an error, for all changes that failed for the same reason.
type ErrorSource = Arc<dyn StdError + Send + Sync>;

/// Serialized without its source.
#[derive(Debug, Clone, thiserror::Error, Serialize, Deserialize)]
pub enum StoreError {
    /// A precondition of a batch did not hold: a row that must be absent exists, one that must exist is gone, or an ETag has changed. Nothing was written. Read
    /// again, then decide.
    #[error("the rows have changed: {0}")]
    Precondition(String),
    /// The request exceeds a limit of the tables, or is malformed. Nothing was sent. Fix the request.
    #[error("{0}")]
    Limit(String),
    /// Throttled or unreachable, after the retries. Nothing was written. Try again later.
    #[error("the store could not be reached: {what}")]
    Unavailable {
        what: String,
        #[source]
        #[serde(skip)]
        source: Option<ErrorSource>,
    },
    /// The answer to a write was lost, so the write may or may not have happened. Read before trying again.
    #[error("the answer to a write was lost, so it may have been committed: {what}")]
    OutcomeUnknown {
        what: String,
        #[source]
        #[serde(skip)]
        source: Option<ErrorSource>,
    },
    /// This server's clock is too far from the storage's, so a post would appear too early or too late. Nothing was written. Set the clock.
    #[error(
        "the server's clock is {} s {} the storage's, so it writes nothing until the clock is right, and continues to serve reads; synchronise the clock by NTP (chrony, systemd-timesyncd)",
        seconds(*ahead_ms), if *ahead_ms < 0 { "behind" } else { "ahead of" }
    )]
    WrongClock {
        /// The difference in milliseconds; negative if the clock is behind.
        ahead_ms: i64,
    },
    /// The disk of the store file is full. Everything that was acknowledged is kept. Free disk space, then try again.
    #[error("the disk is full: {what}")]
    Full {
        what: String,
        #[source]
        #[serde(skip)]
        source: Option<ErrorSource>,
    },
    /// The store refuses this caller (account, key, SAS or role).
    #[error("the store refused access: {what}")]
    Denied {
        what: String,
        #[source]
        #[serde(skip)]
        source: Option<ErrorSource>,
    },
    /// Another process holds the store file.
    #[error("{0}")]
    Locked(String),
    /// The store can only be read: its disk is read-only, or it was opened only for reading. Nothing was written.
    #[error("{0}")]
    ReadOnly(String),
    /// Another version has written the store, in a format that this one does not read. Nothing was read or written. Use that version.
    #[error("{0}")]
    OtherFormat(String),
    /// The code that uses the store has a bug: a plan panicked, or the store has no such capability. Nothing was written. Report it.
    #[error("the store was used wrongly: {0}")]
    Internal(String),
    /// Stored data cannot be decoded. Report it; a restore or a repair is needed.
    #[error("the store is damaged: {what}")]
    Corrupt {
        what: String,
        #[source]
        #[serde(skip)]
        source: Option<ErrorSource>,
    },
}

impl StoreError {
    pub fn limit(what: impl Into<String>) -> Self {
        Self::Limit(what.into())
    }

    pub fn precondition(what: impl Into<String>) -> Self {
        Self::Precondition(what.into())
    }

    pub fn unavailable(what: impl Into<String>, source: impl Into<AnyError>) -> Self {
        Self::Unavailable { what: what.into(), source: shared(source) }
    }

    pub fn outcome_unknown(what: impl Into<String>, source: impl Into<AnyError>) -> Self {
        Self::OutcomeUnknown { what: what.into(), source: shared(source) }
    }

    pub fn full(what: impl Into<String>, source: impl Into<AnyError>) -> Self {
        Self::Full { what: what.into(), source: shared(source) }
    }

    pub fn denied(what: impl Into<String>, source: impl Into<AnyError>) -> Self {
        Self::Denied { what: what.into(), source: shared(source) }
    }

    pub fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into(), source: None }
    }

    pub fn corrupt_by(what: impl Into<String>, source: impl Into<AnyError>) -> Self {
        Self::Corrupt { what: what.into(), source: shared(source) }
    }

    /// Converts the error of a request whose effect does not matter: an unknown outcome becomes `Unavailable`.
    pub(super) fn into_not_made(self) -> Self {
        match self {
            Self::OutcomeUnknown { what, source } => Self::Unavailable { what, source },
            other => other,
        }
    }

    /// Converts the error for a reader, which has written nothing and can read again.
    pub(super) fn into_not_read(self) -> Self {
        match self.into_not_made() {
            Self::Precondition(what) => Self::Unavailable { what, source: None },
            other => other,
        }
    }
}

fn shared(source: impl Into<AnyError>) -> Option<ErrorSource> {
    let source: AnyError = source.into();
    Some(source.into())
}

/// The absolute value in seconds, with one fractional digit.
fn seconds(milliseconds: i64) -> String {
    format!("{:.1}", milliseconds.unsigned_abs() as f64 / 1_000.0)
}
