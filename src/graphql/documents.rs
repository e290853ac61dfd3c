//! Documents that are held: parsed and checked, by their text. The rule: a request gets the same answer, whether its document was held or not, because
//! only what depends on the text alone is held; and no client can make it hold more than [`BYTES_MAX`], nor anything secret.
//!
//! A document is held from its second request on, so that documents with values in their text, which come once, do not displace the others. Only
//! queries without a secret are held. The documents that were used last stay: when one half of the space is full, it becomes the older half, and what
//! was in the older half without being used again is dropped.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::hash::RandomState;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_graphql::Request;

use super::guard::{Admitted, CheckedDocument, Limits, Refusal};

/// The most bytes of all documents of a server. A front end has some dozens of documents, of some ten kilobytes each when parsed.
const BYTES_MAX: usize = 8 * 1024 * 1024;

/// The most bytes of one document, so that a few long ones do not displace all others.
const DOCUMENT_BYTES_MAX: usize = BYTES_MAX / 16;

/// The bytes of a token of a parsed document, with its part of the outline. `http/parsed.rs` charges as much for a request.
const TOKEN_BYTES: usize = 320;

/// How many texts that were requested once are remembered, each by a hash.
const ONCE: usize = 4_096;

/// The documents that a server holds.
#[derive(Debug)]
pub struct Documents {
    state: Mutex<State>,
    hashes: RandomState,
}

#[derive(Debug)]
struct State {
    newer: Half,
    older: Half,
    /// The hash of a text that was requested, by a part of the hash; zero if no text had that part.
    once: Box<[u64]>,
}

#[derive(Debug, Default)]
struct Half {
    documents: HashMap<Arc<str>, Arc<CheckedDocument>>,
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
    /// The document with this text, if it is held.
    pub fn find(&self, text: &str) -> Option<Arc<CheckedDocument>> {
        let mut state = self.lock();
        if let Some(found) = state.newer.documents.get(text) {
            return Some(Arc::clone(found));
        }
        let (text, found) = state.older.documents.remove_entry(text)?;
        state.older.bytes -= bytes_of(&text, &found);
        state.add(text, Arc::clone(&found));
        Some(found)
    }

    /// Admits a request whose document is `held`, as [`find`](Self::find) has returned it. If it is not, the document is checked, and held if it was
    /// requested before. The limits must always be the same.
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
        if !self.was_requested(&request.query) {
            return super::guard::admit(request, limits);
        }
        let document = Arc::new(CheckedDocument::of(&request.query, limits)?);
        if document.is_public() && bytes_of(&request.query, &document) <= DOCUMENT_BYTES_MAX {
            self.lock().add(request.query.as_str().into(), Arc::clone(&document));
        }
        document.admit(request, limits)
    }

    /// Whether the text was requested lately; remembers that it is requested now. Two texts with one hash only cause one of them to be held early.
    fn was_requested(&self, text: &str) -> bool {
        let hash = self.hashes.hash_one(text).max(1);
        let place = &mut self.lock().once[hash as usize % ONCE];
        std::mem::replace(place, hash) == hash
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn add(&mut self, text: Arc<str>, document: Arc<CheckedDocument>) {
        let bytes = bytes_of(&text, &document);
        if self.newer.bytes + bytes > BYTES_MAX / 2 {
            self.older = std::mem::take(&mut self.newer);
        }
        // Two requests may have checked the same document at once.
        if self.newer.documents.insert(text, document).is_none() {
            self.newer.bytes += bytes;
        }
    }
}

fn bytes_of(text: &str, document: &CheckedDocument) -> usize {
    text.len() + document.tokens() * TOKEN_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(documents: &Documents, text: &str) -> Result<Admitted, Refusal> {
        documents.admit(documents.find(text), Request::new(text), &Limits::default())
    }

    fn held_bytes(documents: &Documents) -> usize {
        let state = documents.lock();
        let bytes = |half: &Half| half.documents.iter().map(|(text, document)| bytes_of(text, document)).sum::<usize>();
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
            let held = documents.find(text).is_some();
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
            assert!(documents.find(text).is_none(), "{text}");
        }
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
            assert!(documents.find(used).is_some(), "it is used after {n} others");
            assert!(held_bytes(&documents) <= BYTES_MAX);
        }
        let long = format!("{{ a {{ {} }} }}", "b ".repeat(1_900));
        for _ in 0..3 {
            request(&documents, &long).expect("within the limits");
        }
        assert!(documents.find(&long).is_none(), "it is too long");
    }
}
