//! The full-text index: it takes documents and returns the keys of matching documents, the best first. The rule: the index knows no posts and no rows, and a
//! hit is only a candidate, because its document may have changed since; the caller looks it up in the store.
//!
//! [`words`] splits a text, and decides which spellings are equal. [`query`] parses the user's text, and accepts any. [`index`] stores the documents, [`find`]
//! ranks them, and [`highlight`] marks the matches in a text.

mod document;
mod expand;
mod find;
mod highlight;
mod index;
mod query;
mod statistics;
mod stems;
mod words;

pub use document::Document;
pub use find::{Condition, Found, Hit, Page, Place, View};
pub use highlight::Matcher;
pub use index::{Index, IndexError};
pub use query::{BadQuery, QUERY_BYTES_MAX, Query, WORDS_MAX};
