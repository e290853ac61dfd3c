//! Readers of requests that are explained. The rule: for other requests, they are the same reader.

use std::borrow::Cow;
use std::sync::Arc;

use crate::model::Actor;
use crate::store::Explanation;

use super::reader::Reader;

impl Reader {
    /// Notes the storage requests of this request; `None` if it is not to be explained.
    pub fn explanation(&self) -> Option<&Arc<Explanation>> {
        self.source.counted.explanation()
    }

    /// The same reader, without an explanation.
    #[must_use]
    pub fn unexplained(self) -> Self {
        match self.explanation() {
            Some(_) => self.over(self.source.counted.unexplained()),
            None => self,
        }
    }

    /// The reader of one batch of a loader.
    #[must_use]
    pub fn in_batch(&self, loader: &'static str) -> Self {
        self.source.counted.in_batch(loader).map_or_else(|| self.clone(), |counted| self.over(counted))
    }

    /// The reader for a look-up of what the client may have no access to. The look-up ends with [`end_look_up`](Self::end_look_up).
    pub(super) fn looking_up(&self) -> Cow<'_, Self> {
        match self.actor().is_some_and(Actor::sees_all) {
            true => Cow::Borrowed(self),
            false => {
                self.source.counted.looking_up().map_or(Cow::Borrowed(self), |counted| Cow::Owned(self.over(counted)))
            }
        }
    }

    /// The plan shows what a look-up has read only if the client has access to what it has found.
    pub(super) fn end_look_up(&self, is_visible: bool) {
        self.source.counted.end_look_up(is_visible);
    }
}
