//! The documents that clients have registered by their hashes. The rule: only a text that was executed under its own hash is stored, and the total size is
//! limited.
//!
//! With the Clock-PRO policy of `quick_cache`, documents that come once do not displace those that are requested again. A client whose document was dropped
//! sends its text again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quick_cache::Weighter;
use quick_cache::unsync::Cache;

use super::hash::{DocumentHash, HashedDocument};
use crate::telemetry::metrics;

/// The default limit of the total size in bytes. A front end has some dozens of documents with one or two kilobytes each.
pub const BYTES_MAX: usize = 4 * 1024 * 1024;

/// The inverse of the share of the space that one document may use, so that a few long ones do not displace all others.
const SHARES: usize = 8;

/// The bytes of a document in addition to its text: its places in the map and the queues, and its allocation.
const DOCUMENT_BYTES: usize = 256;

/// The minimum limit. With less space, a document of the maximum length would not fit, and clients would send its text each time.
pub const BYTES_MIN: usize = SHARES * (64 * 1024 + DOCUMENT_BYTES);

/// The usual length of a document, which determines how many dropped documents are remembered.
const USUAL_BYTES: usize = 1_024;

pub struct PersistedDocuments {
    documents: Mutex<Cache<DocumentHash, Arc<str>, ByBytes>>,
    bytes_max: usize,
}

#[derive(Debug, Clone, Copy)]
struct ByBytes;

impl Weighter<DocumentHash, Arc<str>> for ByBytes {
    fn weight(&self, _: &DocumentHash, text: &Arc<str>) -> u64 {
        (text.len() + DOCUMENT_BYTES) as u64
    }
}

impl PersistedDocuments {
    /// `None` if there is no space for any document.
    pub fn of(bytes_max: usize) -> Option<Self> {
        let documents = Cache::with_weighter(bytes_max / (USUAL_BYTES + DOCUMENT_BYTES), bytes_max as u64, ByBytes);
        (bytes_max > 0).then(|| Self { documents: Mutex::new(documents), bytes_max })
    }

    pub fn find(&self, hash: DocumentHash) -> Option<Arc<str>> {
        self.lock().get(&hash).cloned()
    }

    /// Registers an executed document without a secret. A document that is too long is not stored.
    pub fn register(&self, document: HashedDocument) {
        let (hash, text) = document.into_parts();
        if text.len() + DOCUMENT_BYTES > self.bytes_max / SHARES {
            return;
        }
        let mut documents = self.lock();
        documents.insert(hash, text);
        let bytes = documents.weight();
        drop(documents);
        metrics::persisted_documents("registered");
        metrics::persisted_document_bytes(bytes);
    }

    fn lock(&self) -> MutexGuard<'_, Cache<DocumentHash, Arc<str>, ByBytes>> {
        self.documents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPACE: usize = 256 * 1024;

    fn keep(documents: &PersistedDocuments, text: &str) -> DocumentHash {
        let hash = DocumentHash::of(text);
        documents.register(HashedDocument::verified(text, hash).expect("its own hash"));
        hash
    }

    fn text(n: usize) -> String {
        format!("query Q{n} {{ {} }}", "posts ".repeat(n % 200))
    }

    #[test]
    fn the_bytes_of_the_registered_documents_are_bounded_and_a_flood_does_not_displace_those_in_use() {
        let documents = PersistedDocuments::of(SPACE).expect("some space");
        // The space is full before the first document in use comes.
        for n in 0..2_000 {
            keep(&documents, &text(n));
        }
        let used: Vec<DocumentHash> = (0..40)
            .map(|n| {
                let hash = keep(&documents, &format!("query Used{n} {{ posts {{ totalCount }} }}"));
                assert!(documents.find(hash).is_some(), "it is found after it was registered");
                hash
            })
            .collect();
        for round in 1..20 {
            for n in 0..1_000 {
                keep(&documents, &text(10_000 * round + n));
            }
            let found = used.iter().filter(|hash| documents.find(**hash).is_some()).count();
            assert_eq!(found, used.len(), "after {round} floods");
            let documents = documents.lock();
            assert!(documents.weight() <= SPACE as u64, "{}", documents.weight());
            let bytes: usize = documents.iter().map(|(_, text)| text.len() + DOCUMENT_BYTES).sum();
            assert_eq!(bytes as u64, documents.weight(), "the bytes are counted");
        }
    }

    #[test]
    fn a_long_document_is_not_kept_and_no_space_keeps_none() {
        let documents = PersistedDocuments::of(SPACE).expect("some space");
        let longest = "x".repeat(SPACE / SHARES - DOCUMENT_BYTES);
        assert!(documents.find(keep(&documents, &longest)).is_some());
        assert!(documents.find(keep(&documents, &format!("{longest}x"))).is_none());
        assert!(PersistedDocuments::of(0).is_none());
    }
}
