//! Caches parsed and checked documents by their text. The rule: the answer does not depend on whether a document is cached, because only
//! results that depend on the text alone are cached; clients can fill at most [`BYTES_MAX`], and never with secrets.
//!
//! A document is cached at its second request, so that documents with literal values, which are sent once, do not displace the others. Only
//! queries without a secret are cached. Of the two halves of the space, the newer one takes new and reused documents; when it is full, the
//! older one is dropped and the newer one takes its place.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_graphql::Request;

use super::guard::{Admitted, CheckedDocument, Limits, Refusal};

/// The maximum size of all cached documents of a server. A front end has some dozens of documents, each of some ten kilobytes when it is
/// parsed.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// The maximum size of one document, so that a few long ones do not displace all others.
const DOCUMENT_BYTES_MAX: usize = BYTES_MAX / 16;

/// The fixed size of a document: its entry, its maps, the spare capacity of short lists, and its cached bound.
const DOCUMENT_BYTES: usize = 4_096;

/// The number of copies of a long literal: in the text, in the parsed document and in the outline.
const TEXT_COPIES: usize = 4;

/// The bytes of a token in a parsed document and its outline, in lists that have just grown. The tests of `http/parsed.rs` check that no
/// document needs more than [`bytes_of`] it.
const TOKEN_BYTES: usize = 448;

/// How many texts that were requested once are remembered, each by a hash.
const ONCE: usize = 4_096;

/// The cached documents of a server.
#[derive(Debug)]
pub struct Documents {
    state: Mutex<State>,
    hashes: RandomState,
}

#[derive(Debug)]
struct State {
    newer: Half,
    older: Half,
    /// The hashes of requested texts, each at an index that depends on the hash; zero if unused.
    once: Box<[u64]>,
}

#[derive(Debug, Default)]
struct Half {
    /// By the hash of the text, which is computed outside of the lock.
    documents: HashMap<u64, Held>,
    bytes: usize,
}

#[derive(Debug)]
struct Held {
    text: Box<str>,
    document: Arc<CheckedDocument>,
    bytes: usize,
}

impl Default for Documents {
    fn default() -> Self {
        let once = vec![0; ONCE].into_boxed_slice();
        let state = State { newer: Half::default(), older: Half::default(), once };
        Self { state: Mutex::new(state), hashes: RandomState::new() }
    }
}

impl Documents {
    /// The cached document with this text. The limits must be the same in all calls.
    pub fn find(&self, text: &str, limits: &Limits) -> Option<Arc<CheckedDocument>> {
        let hash = self.hash_of(text, limits)?;
        let mut state = self.lock();
        if let Some(held) = state.newer.documents.get(&hash).filter(|held| *held.text == *text) {
            return Some(Arc::clone(&held.document));
        }
        let held = state.older.take(hash, text)?;
        let found = Arc::clone(&held.document);
        let displaced = state.add(hash, held);
        drop(state);
        drop(displaced);
        Some(found)
    }

    /// Admits a request whose document is `held`, as returned by [`find`](Self::find). Otherwise checks the document, and caches it if it
    /// was requested before. The limits must be the same in all calls.
    ///
    /// # Errors
    /// If the request is malformed or exceeds a limit.
    pub fn admit(
        &self,
        held: Option<Arc<CheckedDocument>>,
        request: Request,
        limits: &Limits,
    ) -> Result<Admitted, Refusal> {
        if let Some(held) = held {
            return held.admit(request, limits);
        }
        let hash = self.hash_of(&request.query, limits);
        let Some(hash) = hash.filter(|hash| self.was_requested(*hash)) else {
            return super::guard::admit(request, limits);
        };
        let document = CheckedDocument::of(&request.query, limits)?;
        let bytes = bytes_of(&request.query, &document);
        if !document.is_public() || bytes > DOCUMENT_BYTES_MAX {
            return document.admit_last(request, limits);
        }
        let document = Arc::new(document);
        let held = Held { text: request.query.as_str().into(), document: Arc::clone(&document), bytes };
        let displaced = self.lock().add(hash, held);
        drop(displaced);
        document.admit(request, limits)
    }

    /// `None` if the text exceeds the limit of a document, which is refused later without hashing it.
    fn hash_of(&self, text: &str, limits: &Limits) -> Option<u64> {
        (text.len() <= limits.document_bytes).then(|| self.hashes.hash_one(text).max(1))
    }

    /// Whether the text with this hash was requested lately; remembers that it is requested now. If two texts have the same hash, one of
    /// them is cached early, which is harmless.
    fn was_requested(&self, hash: u64) -> bool {
        let place = &mut self.lock().once[hash as usize % ONCE];
        std::mem::replace(place, hash) == hash
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The entries that a document displaces. They are dropped after the lock is released, because they can have thousands of allocations.
#[must_use]
struct Displaced {
    _older: Option<Half>,
    _same: Option<Held>,
}

impl State {
    fn add(&mut self, hash: u64, held: Held) -> Displaced {
        let is_full = self.newer.bytes + held.bytes > BYTES_MAX / 2;
        let older = is_full.then(|| std::mem::replace(&mut self.older, std::mem::take(&mut self.newer)));
        self.newer.bytes += held.bytes;
        // Two requests may check the same document at the same time.
        let same = self.newer.documents.insert(hash, held);
        self.newer.bytes -= same.as_ref().map_or(0, |held| held.bytes);
        Displaced { _older: older, _same: same }
    }
}

impl Half {
    fn take(&mut self, hash: u64, text: &str) -> Option<Held> {
        self.documents.get(&hash).filter(|held| *held.text == *text)?;
        let held = self.documents.remove(&hash)?;
        self.bytes -= held.bytes;
        Some(held)
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

    fn held_bytes(documents: &Documents) -> usize {
        let state = documents.lock();
        let bytes =
            |half: &Half| half.documents.values().map(|held| bytes_of(&held.text, &held.document)).sum::<usize>();
        let [newer, older] = [&state.newer, &state.older].map(|half| {
            assert_eq!(half.bytes, bytes(half), "the bytes are counted");
            half.bytes
        });
        newer + older
    }

    #[test]
    fn a_document_is_held_from_its_second_request_on() {
        let documents = Documents::default();
        let text = "{ posts { nodes { id } } }";
        let held = [(); 3].map(|()| {
            let held = find(&documents, text).is_some();
            request(&documents, text).expect("within the limits");
            held
        });
        assert_eq!(held, [false, false, true]);
    }

    #[test]
    fn secrets_mutations_and_refused_documents_are_not_held() {
        let documents = Documents::default();
        let refused = format!("{{ {} }}", "a ".repeat(60));
        for text in
            ["{ preview(token: \"x\") { id } }", "mutation { a }", "query A { b } mutation B { a }", "{ a", &refused]
        {
            for _ in 0..3 {
                let _ = request(&documents, text);
            }
            assert!(find(&documents, text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_text_that_is_too_long_is_not_hashed() {
        let documents = Documents::default();
        let text = format!("{{ a }} #{}", "x".repeat(Limits::default().document_bytes));
        for _ in 0..3 {
            assert!(request(&documents, &text).is_err());
        }
        assert!(documents.lock().once.iter().all(|hash| *hash == 0));
    }

    #[test]
    fn each_of_two_texts_with_one_hash_is_another_document() {
        let held = |text: &str| {
            let document = CheckedDocument::of(text, &Limits::default()).expect("within the limits");
            let bytes = bytes_of(text, &document);
            Held { text: text.into(), document: Arc::new(document), bytes }
        };
        let documents = Documents::default();
        let text = "{ asked }";
        let hash = documents.hash_of(text, &Limits::default()).expect("a short text");
        let _ = documents.lock().add(hash, held("{ other }"));
        assert!(find(&documents, text).is_none(), "in the newer half");
        {
            let mut state = documents.lock();
            state.older = std::mem::take(&mut state.newer);
        }
        assert!(find(&documents, text).is_none(), "in the older half");
        let _ = documents.lock().add(hash, held("{ other }"));
        let _ = documents.lock().add(hash, held(text));
        assert!(find(&documents, text).is_some(), "it displaces the other");
        held_bytes(&documents);
    }

    #[test]
    fn the_bytes_of_all_documents_are_bounded_and_those_in_use_stay() {
        let documents = Documents::default();
        let used = "{ used }";
        for _ in 0..2 {
            request(&documents, used).expect("within the limits");
        }
        for n in 0..400 {
            let text = format!("query Q{n} {{ a {{ {} }} }}", "b ".repeat(500));
            for _ in 0..2 {
                request(&documents, &text).expect("within the limits");
            }
            assert!(find(&documents, used).is_some(), "it is used after {n} others");
            assert!(held_bytes(&documents) <= BYTES_MAX);
        }
        let long = format!("{{ a {{ {} }} }}", "b ".repeat(1_900));
        for _ in 0..3 {
            request(&documents, &long).expect("within the limits");
        }
        assert!(find(&documents, &long).is_none(), "it is too long");
    }
}
