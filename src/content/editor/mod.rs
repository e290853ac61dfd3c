//! Changes by editors, one post or term at a time. The rule: the caller hears what it can fix as [`UserError`]s, and then nothing was written.

mod find;
mod once;
mod posts;
mod terms;

use crate::model::{Actor, Instant, Role};

use super::commands::UserError;
use super::error::Result;
use super::permission;
use super::{Content, Reader, Writer};

pub use find::NamedTerms;
pub use terms::TermChanges;

/// What was asked for, or why not.
pub type Edited<T> = std::result::Result<T, Vec<UserError>>;

/// One editor's request, at one instant.
pub struct Editor<'a> {
    content: &'a Content,
    writer: Writer,
    reader: &'a Reader,
    /// Who asks, for the log and for what it may.
    actor: &'a Actor,
}

impl<'a> Editor<'a> {
    /// # Errors
    /// [`ContentError::Forbidden`](super::ContentError::Forbidden) where the actor may change nothing at all.
    pub fn new(content: &'a Content, reader: &'a Reader, actor: &'a Actor) -> Result<Self> {
        permission::require(actor, Role::Author, "this is a change")?;
        Ok(Self { content, writer: content.writer()?.by(&actor.name), reader, actor })
    }

    fn now(&self) -> Instant {
        self.reader.now()
    }
}
