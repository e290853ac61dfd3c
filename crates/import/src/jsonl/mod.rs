//! Tidings' own format, JSON Lines: the records, and a source that reads them. The rule: only the types of `records` and `terms` define the format;
//! the export writes the types that the import reads.

mod records;
mod source;
mod terms;
mod values;

pub use records::{
    ASSETS_FOLDER, AssetRecord, CONTENT_FILE, Header, PageRecord, PostRecord, Record, Status, VERSION, origin_of_id,
};
pub(super) use source::{JsonLines, is_header};
pub use terms::TermRecord;
pub(super) use values::checked_version;
