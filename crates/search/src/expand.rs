//! The words of an index that match a word of a query. The rule: the number of words is limited, the most frequent first; and only words of existing documents
//! count, because a segment keeps the words of removed documents until it is merged.

use std::collections::HashMap;

use tantivy::query::FuzzyTermQuery;
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{DocSet, Result, Searcher, TERMINATED, Term};

use crate::stems::MARK;

/// The maximum number of words of a segment's dictionary that are examined for one word of a query.
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
    /// The number of documents with this word, which may include removed ones; 0 only if no document has it.
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

    /// The most frequent words that begin with this prefix, without the prefix itself.
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

    /// The most frequent words within this edit distance: missing, added, wrong or exchanged letters. `is_prefix`: only the beginning of a word must match.
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

    /// The terms that begin with this text and [`MARK`], without both.
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

    /// All terms of a field that has only a few.
    pub fn all(&self) -> Result<Vec<Counted>> {
        let mut found = HashMap::new();
        for segment in self.searchers.iter().flat_map(Searcher::segment_readers) {
            let index = segment.inverted_index(self.field)?;
            count!(index.terms().stream()?, found);
        }
        self.most_frequent(found, LOOKED_AT_MAX)
    }
}

/// The upper bound of all terms with this prefix, as bytes; empty if there is none.
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
