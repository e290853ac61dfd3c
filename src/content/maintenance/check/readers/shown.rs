//! The readers of one check, and the posts and terms, read from the rows, that they should show. The rule: a difference between the two names
//! the query that returned it, not a row, because the rows agree with each other.

use crate::content::maintenance::check::fix::Fix;
use crate::content::maintenance::check::known::{Known, Posts};
use crate::content::maintenance::check::report::Difference;
use crate::content::read::Reader;
use crate::keys::Collection;
use crate::model::Term;

pub(super) struct Shown<'a> {
    /// Reads as an anonymous client.
    pub(super) public: &'a Reader,
    /// Reads as an actor who also sees drafts and scheduled posts.
    pub(super) editor: &'a Reader,
    pub(super) posts: &'a Posts,
    pub(super) terms: &'a [Term],
}

impl<'a> Shown<'a> {
    /// The posts that an anonymous client sees.
    pub(super) fn published(&self) -> impl Iterator<Item = &'a Known> {
        let now = self.public.now();
        self.posts
            .by_id
            .values()
            .filter(move |known| known.place.collection == Collection::Posts && known.place.key.at <= now)
    }
}

/// `asked`: what was read, with the name of the query.
pub(super) fn difference(asked: &str, what: String) -> Difference {
    Difference { table: "GraphQL", key: format!("({asked})"), what, fix: Fix::READERS }
}
