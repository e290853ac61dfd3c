//! What every fix needs: the posts that were found, whether another server is changing them, and the partitions to count again. The rule: a fix reads
//! the present rows here before it decides what to write.

use std::collections::BTreeSet;

use crate::content::error::Result;
use crate::content::maintenance::check::{Fix, Known, Posts};
use crate::content::tables::rows::post::{self as post_rows, Move};
use crate::content::tables::scan_all;
use crate::content::write::{Intent, StoredIntent, intent};
use crate::content::{Content, Writer};
use crate::keys::intent::IntentName;
use crate::keys::{PostPlace, Table};
use crate::model::{Post, PostId};
use crate::store::{Entity, Key, Store};

use super::lookups::OwnersOf;
use super::{Done, RepairOptions};

pub(super) const AT_WORK: &str = "a server is changing it: run the repair again";

pub(super) const BLIND: &str = "it may point to a post that cannot be read: fix that post first";

pub(super) struct Repair<'a> {
    pub content: &'a Content,
    pub store: &'a Store,
    pub writer: Writer,
    pub posts: &'a Posts,
    pub owners: OwnersOf<'a>,
    pub options: RepairOptions,
    /// The intent that is named in the rows that the repair writes. No such intent is ever stored.
    pub name: String,
    /// Partitions whose rows were changed, so that they must be counted again.
    pub touched: BTreeSet<(Table, String)>,
}

impl<'a> Repair<'a> {
    pub(super) fn new(content: &'a Content, posts: &'a Posts, options: RepairOptions) -> Result<Self> {
        let name = IntentName::new("repair", content.clock.now(), "repair").to_string();
        Ok(Self {
            content,
            store: &content.store,
            writer: content.writer()?,
            posts,
            owners: OwnersOf::of(posts),
            options,
            name,
            touched: BTreeSet::new(),
        })
    }

    pub(super) async fn fix(&mut self, fix: &Fix) -> Result<Done> {
        match fix {
            Fix::Intent(key) => self.fix_intent(key).await,
            Fix::ChangeLog => self.remove_change_log().await,
            Fix::Misplaced { collection, whole } => self.fix_misplaced(*collection, whole).await,
            Fix::Move { id, ends } => self.fix_move(id, ends).await,
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
            Fix::Left { table, key } => self.remove_left(*table, key).await,
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
        Ok(self.store.get(table.name(), key).await?)
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

    /// Whether another server may be changing this post.
    pub(super) async fn is_being_changed(&self, id: &PostId) -> Result<bool> {
        Ok(self.open_intents().await?.iter().any(|intent| intent.changes_post(id)))
    }

    /// Whether another server may be changing anything.
    pub(super) async fn is_anything_being_changed(&self) -> Result<bool> {
        Ok(!self.open_intents().await?.is_empty())
    }

    /// Whether a change that wrote a row is still under way. `written_by`: the names of its intents, as the row holds them.
    pub(super) async fn is_under_way(&self, written_by: &str) -> Result<bool> {
        if self.content.is_alone() {
            return Ok(false);
        }
        for name in written_by.split(' ').filter_map(|name| name.parse::<IntentName>().ok()) {
            if self.get(Table::Intents, &name.key()).await?.is_some_and(|row| self.is_open(&row)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a server may be working on an intent.
    pub(super) fn is_open(&self, row: &Entity) -> bool {
        !self.content.is_alone() && intent::is_leased(row, self.content.clock.now())
    }

    async fn open_intents(&self) -> Result<Vec<Intent>> {
        if self.content.is_alone() {
            return Ok(Vec::new());
        }
        let rows = scan_all(self.store, Table::Intents).await?;
        let intent = |row: &Entity| match intent::read(row) {
            Ok(StoredIntent::Open { intent, .. }) => Some(intent),
            Ok(StoredIntent::Kept { .. } | StoredIntent::Foreign) | Err(_) => None,
        };
        Ok(rows.iter().filter(|row| self.is_open(row)).filter_map(intent).collect())
    }
}

/// The post of a row. A redirect row only says where the post was, so it has none.
fn post_of(row: &Entity, id: &PostId) -> Option<Post> {
    let is_gone = matches!(post_rows::read_move(row), Ok(Some(Move::ForwardTo(_))));
    post_rows::read_summary(row).ok().filter(|post| post.id == *id && !is_gone)
}
