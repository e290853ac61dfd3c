//! Caches parsed and checked documents by their text. The rule: the answer does not depend on whether a document is cached, because only results that depend on
//! the text alone are cached; clients can fill at most [`BYTES_MAX`], and never with secrets.
//!
//! Only queries without a secret are cached. With the Clock-PRO policy of `quick_cache`, documents that come once, such as those with literal values, do not
//! displace those that are requested again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_graphql::Request;
use quick_cache::Weighter;
use quick_cache::unsync::Cache;

use super::guard::{Admitted, CheckedDocument, Limits, Refusal};

/// The maximum size of all cached documents of a server. A front end has some dozens of documents, each of which takes some ten kilobytes when parsed.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// The maximum size of one document, so that a few long ones do not displace all others.
const DOCUMENT_BYTES_MAX: usize = BYTES_MAX / 16;

/// The usual size of a document, which determines how many dropped documents are remembered.
const USUAL_BYTES: usize = 16 * 1024;

/// The fixed size of a document: its entry, its maps, and the spare capacity of short lists.
const DOCUMENT_BYTES: usize = 4_096;

/// The number of copies of a long literal: in the text, in the parsed document and in the outline.
const TEXT_COPIES: usize = 4;

/// The bytes of a token in a parsed document and its outline, in lists that have just grown. The tests in `http/tests.rs` check that no
/// document needs more than [`bytes_of`] it.
const TOKEN_BYTES: usize = 448;

/// The cached documents of a server.
pub struct Documents(Mutex<Cache<Box<str>, Arc<CheckedDocument>, ByBytes>>);

#[derive(Debug, Clone, Copy)]
struct ByBytes;

impl Weighter<Box<str>, Arc<CheckedDocument>> for ByBytes {
    fn weight(&self, text: &Box<str>, document: &Arc<CheckedDocument>) -> u64 {
        bytes_of(text, document) as u64
    }
}

impl Default for Documents {
    fn default() -> Self {
        Self(Mutex::new(Cache::with_weighter(BYTES_MAX / USUAL_BYTES, BYTES_MAX as u64, ByBytes)))
    }
}

impl Documents {
    /// The cached document with this text. A text that exceeds the limit of a document, which is refused later, is not hashed.
    pub fn find(&self, text: &str, limits: &Limits) -> Option<Arc<CheckedDocument>> {
        (text.len() <= limits.document_bytes).then(|| self.lock().get(text).cloned())?
    }

    /// Admits a request whose document is `cached`, as returned by [`find`](Self::find). Otherwise checks the document, and caches it. The limits must be the
    /// same in all calls.
    ///
    /// # Errors
    /// If the request is malformed or exceeds a limit.
    pub fn admit(
        &self,
        cached: Option<Arc<CheckedDocument>>,
        request: Request,
        limits: &Limits,
    ) -> Result<Admitted, Refusal> {
        if let Some(cached) = cached {
            return cached.admit(request, limits);
        }
        let document = CheckedDocument::of(&request.query, limits)?;
        if !document.is_public() || bytes_of(&request.query, &document) > DOCUMENT_BYTES_MAX {
            return document.admit_last(request, limits);
        }
        let document = Arc::new(document);
        self.lock().insert(request.query.as_str().into(), Arc::clone(&document));
        document.admit(request, limits)
    }

    fn lock(&self) -> MutexGuard<'_, Cache<Box<str>, Arc<CheckedDocument>, ByBytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes that a cached document needs.
pub fn bytes_of(text: &str, document: &CheckedDocument) -> usize {
    DOCUMENT_BYTES + text.len() * TEXT_COPIES + document.tokens() * TOKEN_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(documents: &Documents, text: &str) -> Result<Admitted, Refusal> {
        let limits = Limits::default();
        documents.admit(documents.find(text, &limits), Request::new(text), &limits)
    }

    fn find(documents: &Documents, text: &str) -> Option<Arc<CheckedDocument>> {
        documents.find(text, &Limits::default())
    }

    #[test]
    fn a_query_is_cached_and_secrets_mutations_and_refused_documents_are_not() {
        let documents = Documents::default();
        let refused = format!("{{ {} }}", "a ".repeat(60));
        for (text, is_cached) in [
            ("{ posts { nodes { id } } }", true),
            ("{ preview(token: \"x\") { id } }", false),
            ("mutation { a }", false),
            ("query A { b } mutation B { a }", false),
            ("{ a", false),
            (&refused, false),
        ] {
            for _ in 0..3 {
                let _ = request(&documents, text);
            }
            assert_eq!(find(&documents, text).is_some(), is_cached, "{text}");
        }
    }

    #[test]
    fn the_bytes_of_all_documents_are_bounded_and_those_in_use_stay() {
        let documents = Documents::default();
        let used = "{ used }";
        for _ in 0..3 {
            request(&documents, used).expect("within the limits");
        }
        for n in 0..400 {
            let text = format!("query Q{n} {{ a {{ {} }} }}", "b ".repeat(500));
            request(&documents, &text).expect("within the limits");
            assert!(find(&documents, used).is_some(), "it is used after {n} others");
            assert!(documents.lock().weight() <= BYTES_MAX as u64);
        }
        let long = format!("{{ a {{ {} }} }}", "b ".repeat(1_900));
        for _ in 0..3 {
            request(&documents, &long).expect("within the limits");
        }
        assert!(find(&documents, &long).is_none(), "it is too long");
    }
}
