//! `check`: reads every row of every table and compares the tables with each other. The rule: it reports each difference, and trusts no row.
//!
//! It reads `Posts` and `Drafts` first. Their rows with whole posts are the truth, and every other row follows from them. If all rows agree, it also reads
//! every list, count and look-up as readers do, so that a store that gives readers wrong answers is not reported as sound.

mod category_tree;
mod counts;
mod derived;
mod known;
mod partition;
mod posts;
mod readers;
mod records;
mod report;
mod site_pages;
mod terms;

use crate::content::error::Result;
use crate::content::field_indexes::CheckedFields;
use crate::content::read::Reader;
use crate::model::IndexedFields;
use crate::store::Store;

pub(super) use category_tree::tree_of;
pub(super) use counts::{counted, is_listing};
pub(super) use known::{Posts, row_of, time_key};
pub(crate) use report::CheckReport;
pub use report::Difference;
pub(super) use report::{Fix, TWICE};
pub(super) use site_pages::find as find_pages;
pub(super) use terms::Terms;

/// `fields`: the indexed fields. `readers`: creates a reader with an empty cache.
///
/// # Errors
/// If the store cannot be read; differences are not errors.
pub(in crate::content) async fn check(
    store: &Store,
    fields: &CheckedFields,
    readers: impl Fn() -> Reader,
) -> Result<CheckReport> {
    let mut examined = examine(store, &fields.indexed).await?;
    derived::check_built(fields, &mut examined.report);
    if examined.report.differences.is_empty() {
        examined.check_readers(store, &fields.indexed, readers).await?;
    }
    Ok(examined.report)
}

/// The report, and the posts and terms that the tables were compared with.
pub(super) struct Examined {
    pub report: CheckReport,
    pub posts: Posts,
    pub terms: Terms,
}

impl Examined {
    /// Reads everything as readers do. A concurrent change can look like a difference, so tables and readers are read again until the same differences are
    /// found twice.
    async fn check_readers(
        &mut self,
        store: &Store,
        indexed: &IndexedFields,
        readers: impl Fn() -> Reader,
    ) -> Result<()> {
        for _ in 0..READER_QUERIES_MAX {
            let reader = readers().at_one_moment().await?;
            let found = readers::check(&reader, &self.posts, &self.terms).await?;
            let is_repeated = found == self.report.differences;
            self.report.differences = found;
            if is_repeated {
                return Ok(());
            }
            let again = examine(store, indexed).await?;
            (self.posts, self.terms) = (again.posts, again.terms);
        }
        Ok(())
    }
}

/// The maximum number of times that everything is read as readers do, if the differences change each time.
const READER_QUERIES_MAX: usize = 4;

/// Compares the rows of all tables with each other. `indexed`: the indexed fields. A concurrent change can look like a difference, so everything is read again,
/// and only differences that are found twice are reported.
pub(super) async fn examine(store: &Store, indexed: &IndexedFields) -> Result<Examined> {
    let found = compare(store, indexed).await?;
    if found.report.differences.is_empty() {
        return Ok(found);
    }
    let mut again = compare(store, indexed).await?;
    again.report.differences.retain(|difference| found.report.differences.contains(difference));
    Ok(again)
}

async fn compare(store: &Store, indexed: &IndexedFields) -> Result<Examined> {
    let mut report = CheckReport::default();
    let posts = posts::check(store, indexed, &mut report).await?;
    derived::check(store, &posts, &mut report).await?;
    let terms = terms::check(store, &posts, &mut report).await?;
    site_pages::check(store, &mut report).await?;
    records::check(store, &posts, &mut report).await?;
    report.differences.sort_by(|a, b| (a.table, &a.key, &a.what).cmp(&(b.table, &b.key, &b.what)));
    Ok(Examined { report, posts, terms })
}
