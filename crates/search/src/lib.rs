//! The full-text index: documents in, keys of documents out, the best first. The rule: it knows no posts and no rows, and a hit is a candidate only,
//! because its document may have changed since; whoever shows it asks the store first.
//!
//! [`words`] divides a text, and says which spellings count as one. [`query`] reads what a user types, which is never wrong. [`index`] keeps the
//! documents, [`find`] ranks them, and [`highlight`] marks in a text what was found.

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
