//! Changes by clients. The rule: errors that the caller can fix are returned as [`UserError`](super::commands::UserError)s, and then nothing was changed.

mod bulk;
mod find;
mod merge;
mod once;
mod parents;
mod posts;
mod site_pages;
mod terms;
mod translations;

use crate::model::{Actor, ActorSnapshot, Instant, Role};

use super::access::permission;
use super::error::Result;
use super::{Content, Reader, Writer};

pub(crate) use bulk::BULK_POSTS_MAX;
pub(crate) use bulk::BulkChanges;
pub use bulk::NamedVersion;
pub(crate) use bulk::READS_AT_ONCE as MERGE_READ_AHEAD;
pub use find::NamedTerms;
pub(crate) use merge::{MERGE_TRIES_MAX, MERGED_POSTS_MAX};
pub(crate) use parents::NamedParent;
pub(crate) use posts::Restored;
pub(crate) use site_pages::{NewPage, PageChanges};
pub use terms::TermChanges;
pub(crate) use translations::Linked;

/// The changes of one request, at one instant.
pub struct Editor<'a> {
    content: &'a Content,
    writer: Writer,
    reader: &'a Reader,
    /// The actor of the request, for the log and for its permissions.
    actor: &'a Actor,
}

impl<'a> Editor<'a> {
    /// # Errors
    /// [`ContentError::Forbidden`](super::ContentError::Forbidden) if the actor has no permission to change anything.
    pub fn new(content: &'a Content, reader: &'a Reader, actor: &'a Actor) -> Result<Self> {
        permission::require(actor, Role::Author, "this changes content")?;
        Ok(Self { content, writer: content.writer()?.by(ActorSnapshot::of(actor)), reader, actor })
    }

    fn now(&self) -> Instant {
        self.reader.now()
    }
}
