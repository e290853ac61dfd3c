//! The posts or pages of a group of translations. The rule: one range read for each group, whose rows are summaries; only accessible ones are returned.

use std::sync::Arc;

use crate::content::error::Result;
use crate::content::tables::rows::{post, site_page as page};
use crate::keys::{Table, lookup, site_page};
use crate::model::post::TRANSLATIONS_MAX;
use crate::model::{Post, SitePage, TranslationGroup};
use crate::store::{Entity, RowRange};

use super::reader::Reader;

impl Reader {
    /// Sorted by language; the one without a language comes first.
    pub async fn translated_posts(&self, group: &TranslationGroup) -> Result<Arc<Vec<Arc<Post>>>> {
        let mut posts = Vec::new();
        for row in self.rows_of_group(Table::PostKeys, &lookup::translations(group)).await? {
            posts.extend(Some(post::read_summary(&row)?).filter(|post| self.is_visible(post)).map(Arc::new));
        }
        Ok(Arc::new(posts))
    }

    /// Like [`translated_posts`](Self::translated_posts), for pages.
    pub async fn translated_pages(&self, group: &TranslationGroup) -> Result<Arc<Vec<Arc<SitePage>>>> {
        let mut pages = Vec::new();
        for row in self.rows_of_group(Table::Pages, &site_page::translations(group)).await? {
            pages.extend(Some(page::read_page(&row)?).filter(|page| self.shows(page)).map(Arc::new));
        }
        Ok(Arc::new(pages))
    }

    async fn rows_of_group(&self, table: Table, range: &RowRange) -> Result<Vec<Entity>> {
        Ok(self.store().range(table.name(), range, TRANSLATIONS_MAX, None).await?.rows)
    }
}
