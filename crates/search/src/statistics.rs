//! The BM25 statistics over several indexes, so that scores of documents of different indexes can be compared. The rule: they equal the statistics of one index
//! with all documents.

use tantivy::query::Bm25StatisticsProvider;
use tantivy::schema::Field;
use tantivy::{Result, Searcher, Term};

pub(crate) struct Statistics<'a>(pub &'a [Searcher]);

impl Statistics<'_> {
    fn sum(&self, of: impl Fn(&Searcher) -> Result<u64>) -> Result<u64> {
        self.0.iter().map(of).sum()
    }
}

impl Bm25StatisticsProvider for Statistics<'_> {
    fn total_num_tokens(&self, field: Field) -> Result<u64> {
        self.sum(|searcher| searcher.total_num_tokens(field))
    }

    fn total_num_docs(&self) -> Result<u64> {
        self.sum(Bm25StatisticsProvider::total_num_docs)
    }

    fn doc_freq(&self, term: &Term) -> Result<u64> {
        self.sum(|searcher| searcher.doc_freq(term))
    }
}
