//! Reads for clients: the reader of one request, pages of lists, earlier versions of posts, and rendered bodies. The rule: nothing here writes, and no
//! read scans a table.

mod coalesce;
mod history;
pub mod pages;
mod reader;
mod rendering;

pub use crate::content::tables::rows::change::{Action, ChangedItem};
pub use history::{CHANGES_PAGE_MAX, REVISIONS_PAGE_MAX, RecordedChange, Revision};
pub use reader::{BodyPlace, Reader};
pub use rendering::{KEPT_BYTES_MAX, Renderer};
