//! Fixes the partitions of the index of fields that the rows of a post name. The rule: nothing else of the post is changed, and its version
//! stays the same; its index rows are fixed afterwards, from these partitions.

use futures_util::{StreamExt, TryStreamExt, stream};

use crate::content::error::Result;
use crate::content::maintenance::check::Fix;
use crate::content::tables::rows::post as rows;
use crate::content::write::retry_on_conflict;
use crate::keys::{Collection, Table, term, time};
use crate::store::{Entity, Key};

use super::Done;
use super::context::{FoundRow, Repair};

/// Fixes that are made at the same time.
const AT_ONCE: usize = 32;

impl Repair<'_> {
    /// Makes these fixes of the index of fields at the same time.
    pub(super) async fn fix_at_once(&mut self, fixes: Vec<Fix>) -> Result<Vec<(Fix, Done)>> {
        let mut made = Vec::with_capacity(fixes.len());
        for fix in fixes {
            made.push(self.apart().fix_apart(fix));
        }
        let made: Vec<_> = stream::iter(made).buffer_unordered(AT_ONCE).try_collect().await?;
        for (fix, done) in &made {
            if let (Fix::Pointer { kind, slug, .. }, Done::Fixed(_)) = (fix, done) {
                self.touch(Table::of_index(*kind), term::posts_partition(slug));
            }
        }
        Ok(made)
    }

    async fn fix_apart(self, fix: Fix) -> Result<(Fix, Done)> {
        let done = match &fix {
            Fix::FieldIndex { collection, whole } => self.fix_field_index(*collection, whole).await?,
            Fix::Pointer { kind, slug, key } => self.fix_pointer_rows(*kind, slug, key).await?,
            _ => Done::Nothing,
        };
        Ok((fix, done))
    }

    pub(super) async fn fix_field_index(&self, collection: Collection, whole: &Key) -> Result<Done> {
        retry_on_conflict("a post", || self.name_partitions_once(collection, whole)).await
    }

    async fn name_partitions_once(&self, collection: Collection, whole: &Key) -> Result<Done> {
        let table = collection.table();
        let Some(row) = self.get(table, whole).await? else { return Ok(Done::Nothing) };
        let Ok(post) = rows::read_whole(&row) else { return Ok(Done::Nothing) };
        let partitions = self.content.indexed_fields().partitions(&post.metadata);
        if post.post.field_index == partitions {
            return Ok(Done::Nothing);
        }
        let key = post.post.key();
        let named = |row: &Entity| Some(rows::set_field_index(&row.properties, &partitions));
        let mut written = vec![FoundRow { row: whole.row().to_owned(), expected: named(&row), found: Some(row) }];
        for name in [time::time_row(&key), time::mirror_row(&key)] {
            let found = self.get(table, &Key::new(whole.partition(), name.as_str())?).await?;
            let expected = found.as_ref().and_then(named);
            written.push(FoundRow { row: name, found, expected });
        }
        let is_written = self.make(table, whole.partition(), written).await?;
        Ok(if is_written { Done::fixed("written from its metadata") } else { Done::Nothing })
    }
}
