//! The context of every fix: the posts that were found, and the partitions to count again. The rule: a fix reads the current rows here before it
//! decides what to write, and nothing is written if one of them has changed by then.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};

use crate::content::error::Result;
use crate::content::maintenance::check::{Fix, Known, Posts};
use crate::content::tables::rows::post as post_rows;
use crate::content::{Content, Writer};
use crate::keys::{PostPlace, Table};
use crate::model::{Post, PostId};
use crate::store::{Batch, Entity, Etag, Key, Operation, Precondition, Properties, Rows, Store, StoreError};

use super::lookups::OwnersOf;
use super::{Done, RepairOptions};

pub(super) const CHANGED: &str = "it was changed meanwhile: run the repair again";

pub(super) const BLIND: &str = "it may point to a post that cannot be read: fix that post first";

pub(super) struct Repair<'a> {
    pub content: &'a Content,
    pub store: &'a Store,
    pub writer: Writer,
    pub posts: &'a Posts,
    pub owners: Arc<OwnersOf<'a>>,
    pub options: RepairOptions,
    /// Partitions whose rows were changed, so that they must be counted again.
    pub touched: BTreeSet<(Table, String)>,
    /// The rows that were read since the last write.
    read: Mutex<ReadRows>,
}

/// The ETags of rows, `None` if there is no row.
type ReadRows = BTreeMap<(&'static str, Key), Option<Etag>>;

/// A row as it was found, and as it should be; `None`: no such row.
pub(super) struct FoundRow {
    pub row: String,
    pub found: Option<Entity>,
    pub expected: Option<Properties>,
}

impl<'a> Repair<'a> {
    pub(super) fn new(content: &'a Content, posts: &'a Posts, options: RepairOptions) -> Result<Self> {
        Ok(Self {
            content,
            store: &content.store,
            writer: content.writer()?,
            posts,
            owners: Arc::new(OwnersOf::of(posts)),
            options,
            touched: BTreeSet::new(),
            read: Mutex::default(),
        })
    }

    /// A copy for a fix that is made at the same time as others.
    pub(super) fn apart(&self) -> Self {
        let (writer, owners) = (self.writer.clone(), Arc::clone(&self.owners));
        Self { writer, owners, touched: BTreeSet::new(), read: Mutex::default(), ..*self }
    }

    pub(super) async fn fix(&mut self, fix: &Fix) -> Result<Done> {
        drop(self.take_read());
        match fix {
            Fix::ChangeLog => self.remove_change_log().await,
            Fix::Misplaced { collection, whole } => self.fix_misplaced(*collection, whole).await,
            Fix::Summary { collection, whole } => self.fix_summary(*collection, whole).await,
            Fix::Stray { place } => self.fix_stray(place).await,
            Fix::Lost { collection, partition, slug, key } => {
                self.fix_lost(*collection, partition, slug.as_ref(), key.as_ref()).await
            }
            Fix::Lookup(key) => self.fix_lookup(key).await,
            Fix::Pointer { kind, slug, key } => self.fix_pointer(*kind, slug, key).await,
            Fix::FieldIndex { collection, whole } => self.fix_field_index(*collection, whole).await,
            Fix::FieldList => Ok(Done::left("the index rows of some posts are not fixed")),
            Fix::Term { kind, slug } => self.fix_term(*kind, slug).await,
            Fix::SlugRow { kind, slug, first_slug } => self.fix_slug_row(*kind, slug, first_slug.as_ref()).await,
            Fix::MisplacedTerm { kind, at } => self.fix_misplaced_term(*kind, at).await,
            Fix::Count { table, partition } => self.recount(*table, partition).await,
            Fix::Listing(partition) => self.fix_listing(partition).await,
            Fix::StrayListing { table, key } => self.fix_stray_listing(*table, key).await,
            Fix::NewTerm { kind, slug } => self.make_term(*kind, slug).await,
            Fix::CategoryTree => self.fix_category_tree().await,
            Fix::Parent { category } => self.fix_parent(category).await,
            Fix::Pages => self.fix_pages().await,
            Fix::Revisions(id) => self.fix_revisions(id).await,
            Fix::Person(advice) => Ok(Done::left(*advice)),
        }
    }

    pub(super) fn touch(&mut self, table: Table, partition: impl Into<String>) {
        self.touched.insert((table, partition.into()));
    }

    pub(super) async fn get(&self, table: Table, key: &Key) -> Result<Option<Entity>> {
        let found = self.store.get(table.name(), key).await?;
        let etag = found.as_ref().map(|row| row.etag.clone());
        self.read.lock().unwrap_or_else(PoisonError::into_inner).entry((table.name(), key.clone())).or_insert(etag);
        Ok(found)
    }

    fn take_read(&self) -> ReadRows {
        std::mem::take(&mut self.read.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes rows of one partition as they should be, each under the ETag with which it was read. Returns whether anything had to be written.
    pub(super) async fn make(&self, table: Table, partition: &str, rows: Vec<FoundRow>) -> Result<bool> {
        let operations: Vec<Operation> = rows.into_iter().filter_map(operation).collect();
        if operations.is_empty() {
            return Ok(false);
        }
        self.commit(table, Batch::new(partition, operations)?).await?;
        Ok(true)
    }

    /// Writes if no row that was read since the last write has changed.
    pub(super) async fn commit(&self, table: Table, batch: Batch) -> Result<()> {
        let read = self.take_read();
        let plan = move |rows: &dyn Rows| {
            rows.expect(&read.keys().cloned().collect::<Vec<_>>());
            for ((table, key), etag) in &read {
                if rows.get(table, key)?.map(|row| row.etag) != *etag {
                    return Err(StoreError::Precondition(format!("the row {table}{key} has changed")));
                }
            }
            batch.planned(table.name(), rows)
        };
        Ok(self.store.transact(Box::new(plan)).await?)
    }

    /// The post as it is stored now at the place where it was found; `None` if it has moved since, or is gone.
    pub(super) async fn truth(&self, id: &PostId) -> Result<Option<Post>> {
        let Some(known) = self.posts.get(id) else { return Ok(None) };
        if let Some(row) = self.whole_row(known).await? {
            return Ok(post_of(&row, id));
        }
        // If the whole row of a post is lost, only its summary is left.
        let row = self.get(known.place.collection.table(), &known.place.summary()).await?;
        Ok(row.and_then(|row| post_of(&row, id)).filter(|post| PostPlace::of(post) == known.place))
    }

    pub(super) async fn whole_row(&self, known: &Known) -> Result<Option<Entity>> {
        self.get(known.place.collection.table(), &known.place.whole(&known.slug)).await
    }
}

fn operation(row: FoundRow) -> Option<Operation> {
    let FoundRow { row, found, expected } = row;
    match (found, expected) {
        (Some(found), Some(properties)) if found.properties == properties => None,
        (Some(found), Some(properties)) => {
            Some(Operation::Put { row, properties, precondition: Precondition::Match(found.etag) })
        }
        (None, Some(properties)) => Some(Operation::Put { row, properties, precondition: Precondition::Absent }),
        (Some(found), None) => Some(Operation::Delete { row, precondition: Precondition::Match(found.etag) }),
        (None, None) => None,
    }
}

fn post_of(row: &Entity, id: &PostId) -> Option<Post> {
    post_rows::read_summary(row).ok().filter(|post| post.id == *id)
}
