//! The words of an index that a word of a query can stand for. The rule: only as many as a search can afford, the most frequent first; and only words of
//! documents that exist, because a segment keeps the words of those that were removed until it is merged.

use std::collections::HashMap;

use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Result, Searcher, TERMINATED, Term};

use crate::stems::MARK;

/// The most words of the dictionary of a segment that are looked at for one word of a query.
const LOOKED_AT_MAX: usize = 20_000;

/// Counts the words of a stream, except stems.
macro_rules! count {
    ($words:expr, $found:expr) => {{
        let mut words = $words;
        let mut looked_at = 0;
        while looked_at < LOOKED_AT_MAX && words.advance() {
            looked_at += 1;
            if let Some(word) = str::from_utf8(words.key()).ok().filter(|word| !word.contains(MARK)) {
                *$found.entry(word.to_owned()).or_default() += u64::from(words.value().doc_freq);
            }
        }
    }};
}

/// A word of the index, and how many documents have it.
pub(crate) type Counted = (String, u64);

/// The words of one field of several indexes.
pub(crate) struct Dictionary<'a> {
    pub searchers: &'a [Searcher],
    pub field: Field,
}

impl Dictionary<'_> {
    /// How many documents have this word, with some that were removed; 0 only if none has it.
    pub fn frequency(&self, word: &str) -> Result<u64> {
        let term = Term::from_field_text(self.field, word);
        let count: u64 = self.searchers.iter().map(|searcher| searcher.doc_freq(&term)).sum::<Result<_>>()?;
        Ok(if count > 0 && self.has(&term)? { count } else { 0 })
    }

    /// Whether a document that was not removed has this term.
    fn has(&self, term: &Term) -> Result<bool> {
        for segment in self.searchers.iter().flat_map(Searcher::segment_readers) {
            let index = segment.inverted_index(self.field)?;
            let Some(mut documents) = index.read_postings(term, IndexRecordOption::Basic)? else { continue };
            while documents.doc() != TERMINATED {
                if !segment.is_deleted(documents.doc()) {
                    return Ok(true);
                }
                documents.advance();
            }
        }
        Ok(false)
    }

    /// The most frequent words that begin so, but not this one itself.
    pub fn beginning_with(&self, prefix: &str, most: usize) -> Result<Vec<Counted>> {
        let end = prefix_end(prefix);
        let mut found = HashMap::new();
        for segment in self.searchers.iter().flat_map(Searcher::segment_readers) {
            let index = segment.inverted_index(self.field)?;
            let words = index.terms().range().gt(prefix.as_bytes());
            let words = if end.is_empty() { words } else { words.lt(&end) };
            count!(words.into_stream()?, found);
        }
        self.most_frequent(found, most)
    }

    /// The most frequent words that differ from this one by at most so many letters that are missing, added, wrong or exchanged. `is_prefix`: what
    /// follows such a word may be anything.
    pub fn near(&self, word: &str, distance: u8, is_prefix: bool, most: usize) -> Result<Vec<Counted>> {
        let term = Term::from_field_text(self.field, word);
        let query = if is_prefix { FuzzyTermQuery::new_prefix } else { FuzzyTermQuery::new }(term, distance, true);
        let mut found = HashMap::new();
        for segment in self.searchers.iter().flat_map(Searcher::segment_readers) {
            let index = segment.inverted_index(self.field)?;
            count!(index.terms().search(query.automaton()?).into_stream()?, found);
        }
        found.remove(word);
        self.most_frequent(found, most)
    }

    /// The terms that begin with this text and the mark, without both.
    pub fn marked(&self, text: &str, most: usize) -> Result<Vec<Counted>> {
        let prefix = format!("{text}{MARK}");
        let mut found = HashMap::new();
        for segment in self.searchers.iter().flat_map(Searcher::segment_readers) {
            let index = segment.inverted_index(self.field)?;
            let mut terms = index.terms().range().ge(prefix.as_bytes()).lt(prefix_end(&prefix)).into_stream()?;
            while terms.advance() {
                if let Ok(term) = str::from_utf8(terms.key()) {
                    *found.entry(term.to_owned()).or_default() += u64::from(terms.value().doc_freq);
                }
            }
        }
        let found = self.most_frequent(found, most)?;
        Ok(found.into_iter().map(|(term, count)| (term[prefix.len()..].to_owned(), count)).collect())
    }

    fn most_frequent(&self, found: HashMap<String, u64>, most: usize) -> Result<Vec<Counted>> {
        let mut found: Vec<Counted> = found.into_iter().collect();
        found.sort_by(|(a, of_a), (b, of_b)| of_b.cmp(of_a).then_with(|| a.cmp(b)));
        let mut existing = Vec::new();
        for (word, count) in found {
            if existing.len() >= most {
                break;
            }
            if self.has(&Term::from_field_text(self.field, &word))? {
                existing.push((word, count));
            }
        }
        Ok(existing)
    }

    /// All terms of a field that has few.
    pub fn all(&self) -> Result<Vec<Counted>> {
        let mut found = HashMap::new();
        for segment in self.searchers.iter().flat_map(Searcher::segment_readers) {
            let index = segment.inverted_index(self.field)?;
            count!(index.terms().stream()?, found);
        }
        self.most_frequent(found, LOOKED_AT_MAX)
    }
}

/// The first bytes after all that begin with these; empty if there are none.
fn prefix_end(prefix: &str) -> Vec<u8> {
    let mut end = prefix.as_bytes().to_vec();
    while end.last() == Some(&u8::MAX) {
        end.pop();
    }
    if let Some(last) = end.last_mut() {
        *last += 1;
    }
    end
}
