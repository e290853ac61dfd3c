//! Tidings' own format, JSON Lines: the records, and a source that reads them.

mod records;
mod source;

pub use records::{Header, PostRecord, Record, Status, TermRecord, VERSION, origin_of_id};
pub(super) use source::{JsonLines, is_header};
