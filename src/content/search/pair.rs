//! The two indexes: one of public content, one of drafts. The rule: a draft is removed from the public index before it is added to the other one.

use std::path::Path;

use tidings_search::{Document, Index, IndexError};

use crate::content::error::ContentError;
use crate::telemetry::with_causes;

pub(super) struct Pair {
    pub public: Index,
    pub drafts: Index,
}

impl Pair {
    pub(super) fn in_folder_or_memory(folder: Option<&Path>) -> Result<Self, IndexError> {
        let Some(folder) = folder else { return Self::in_memory() };
        let failed = |error: &IndexError| tracing::warn!(error = with_causes(error), "search.index_not_opened");
        let opened = Self::open(folder).or_else(|error| {
            failed(&error);
            if error.is_in_use() { Err(error) } else { Self::create(folder).inspect_err(failed) }
        });
        opened.or_else(|_| Self::in_memory())
    }

    pub(super) fn in_memory() -> Result<Self, IndexError> {
        Ok(Self { public: Index::in_memory()?, drafts: Index::in_memory()? })
    }

    fn open(folder: &Path) -> Result<Self, IndexError> {
        let open = |name: &str| {
            let folder = folder.join(name);
            std::fs::create_dir_all(&folder)?;
            Index::open(&folder)
        };
        Ok(Self { public: open("public")?, drafts: open("drafts")? })
    }

    /// Creates an empty index in place of a damaged one, or one of another version.
    fn create(folder: &Path) -> Result<Self, IndexError> {
        std::fs::remove_dir_all(folder)?;
        Self::open(folder)
    }

    /// Adds each document to the right index, and removes it from the other.
    pub(super) fn update(&self, documents: Vec<(bool, Document)>, removed: &[u64]) -> Result<(), IndexError> {
        let (public, drafts): (Vec<_>, Vec<_>) = documents.into_iter().partition(|(is_public, _)| *is_public);
        let of =
            |documents: Vec<(bool, Document)>| documents.into_iter().map(|(_, document)| document).collect::<Vec<_>>();
        let (public, drafts) = (of(public), of(drafts));
        let keys = |documents: &[Document]| {
            documents.iter().map(|document| document.key).chain(removed.iter().copied()).collect::<Vec<_>>()
        };
        // The public index is updated first, so that a draft is never public because the other update failed.
        self.public.update(&public, &keys(&drafts))?;
        self.drafts.update(&drafts, &keys(&public))
    }

    pub(super) fn use_merged(&self) -> Result<(), IndexError> {
        self.public.use_merged()?;
        self.drafts.use_merged()
    }
}

pub(super) fn index_failed(error: IndexError) -> ContentError {
    ContentError::Internal { what: "the search index failed", source: Some(Box::new(error)) }
}

/// A blocking task is only cancelled when the runtime stops.
pub(super) fn failed_thread(error: tokio::task::JoinError) -> ContentError {
    if error.is_cancelled() {
        return ContentError::SearchNotReady;
    }
    ContentError::Internal { what: "a task of the search index failed", source: Some(Box::new(error)) }
}
