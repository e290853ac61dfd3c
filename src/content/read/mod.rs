//! Reads for clients: the reader of one request, pages of lists, earlier versions of posts, and rendered bodies. The rule: nothing here writes, and no
//! read scans a table.

mod audit_log;
mod cached;
mod categories;
mod change_feed;
mod covers;
mod lists;
pub mod pages;
mod posts_at;
mod reader;
mod rendering;
mod revisions;
mod similar;
mod site_pages;
mod sizes;
mod term_reads;
mod translations;
mod views;

pub(crate) use crate::content::tables::Catalog;
pub(crate) use crate::content::tables::rows::change::{
    Action, KIND_OF_PAGES, KIND_OF_POSTS, KIND_OF_PREVIEWS, KIND_OF_TOKENS, KIND_OF_WEBHOOKS,
};
pub(crate) use audit_log::AuditEntry;
pub(crate) use categories::{ChildCategories, ChildCategoriesPage};
pub(crate) use change_feed::{
    ChangesPage, ContentEvent, DUE_MAX, DUE_READS_MAX, ENTRY_READS_MAX, Ended, LiveChanges, PASSING_READS_MAX,
};
pub(in crate::content) use change_feed::{DeliveredEvent, DeliveredPage, LiveFeed};
pub(crate) use posts_at::DetailsPlace;
pub(in crate::content) use reader::Previewed;
pub use reader::Reader;
pub use rendering::KEPT_BYTES_MAX;
pub(in crate::content) use rendering::LONG_BYTES;
pub(crate) use rendering::Renderer;
pub(crate) use revisions::{REVISION_READS_MAX, REVISIONS_PAGE_MAX, Revision, RevisionList, SEARCH_READS_MAX};
pub(crate) use site_pages::{ChildrenList, ListedPage, all_pages_reads, decode_scheduled_cursor, scheduled_cursor};
pub use sizes::Sizes;
pub(crate) use views::{VIEW_DAYS_MAX, considered};

/// The maximum number of tags of a change or an answer, as clients get them.
pub(crate) const TAGS_MAX: usize = crate::store::SHOWN_TAGS_MAX;
