//! Readers of requests that are explained. The rule: for other requests, they are the same reader.

use std::sync::Arc;

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
}
