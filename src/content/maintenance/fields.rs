//! Finds values that do not fit their declared fields. The rule: a value is reported if `Post.fields` or `Page.fields` shows it as null, or if it is required
//! and missing; drafts are included, because editors see their values.

use crate::content::Content;
use crate::content::error::Result;
use crate::content::tables::Scan;
use crate::content::tables::rows::site_page;
use crate::content::write::is_whole_page;
use crate::keys::Table;
use crate::model::{LinkSource, Misfit};

/// The number of checked posts and pages.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FieldCounts {
    /// Posts and drafts, if the site declares fields of posts.
    pub posts: u64,
    /// Pages and drafts of pages, if the site declares fields of pages.
    pub pages: u64,
    pub misfits: u64,
}

impl Content {
    /// Calls `report` for each declared field that does not fit, with the post or page that has it: those of the pages first. Scans the content.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn check_fields(&self, mut report: impl FnMut(LinkSource, Misfit)) -> Result<FieldCounts> {
        let mut counts = FieldCounts::default();
        let mut note = |of: LinkSource, misfits: Vec<Misfit>| {
            let count = misfits.len() as u64;
            misfits.into_iter().for_each(|misfit| report(of.clone(), misfit));
            count
        };
        if let Some(declared) = &self.fields().of_pages {
            let mut pages = Scan::of(&self.store, Table::Pages);
            while let Some(rows) = pages.next().await? {
                for row in rows.iter().filter(|row| is_whole_page(row)) {
                    let whole = site_page::read_whole(row)?;
                    let of = LinkSource::Page(whole.page.path.to_string());
                    counts.misfits += note(of, declared.misfits_of(&whole.metadata));
                    counts.pages += 1;
                }
            }
        }
        if let Some(declared) = &self.fields().of_posts {
            let mut posts = self.walk();
            while let Some(found) = posts.next().await? {
                for whole in found {
                    let of = LinkSource::Post(whole.post.slug.to_string());
                    counts.misfits += note(of, declared.misfits_of(&whole.metadata));
                    counts.posts += 1;
                }
            }
        }
        Ok(counts)
    }
}
