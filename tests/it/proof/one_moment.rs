//! Queries on a store that has snapshots. The rule: whatever is changed while a query runs, and between which two of its reads, the answer is the
//! content of one moment.

use std::sync::{Arc, Mutex};

use futures_util::future::BoxFuture;
use serde_json::Value;
use tidings::content::{Content, Sharing};
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{Batch, Continuation, Entity, Etag, Key, Page, Result, RowRange, Snapshot, Store, TableStore};

use crate::support::asking::{Told, ask};
use crate::support::memory::MemoryStore;
use crate::support::model::Command;
use crate::support::site::Site;

use super::scene::{clock, create, delete, posts, redate, rename, rename_tag, retag};

const FIELDS: &str = "slug version tags { slug name } categories { slug } authors { slug }";

/// Lists, counts, months, slugs and terms, each of which is found by reads of its own.
fn query() -> String {
    let list = format!("posts(first: 5) {{ totalCount nodes {{ {FIELDS} }} }}");
    format!(
        "{{ {list} archive {{ year month postCount {list} }} tags(first: 5) {{ totalCount nodes {{ slug {list} }} }} \
         a: tag(slug: \"a\") {{ slug {list} }} new: tag(slug: \"new\") {{ slug {list} }} \
         old: post(slug: \"post-0\") {{ {FIELDS} }} renamed: post(slug: \"renamed\") {{ {FIELDS} }} }}"
    )
}

/// A change that is made before one of the reads.
struct Interruption {
    reads_before: Mutex<usize>,
    change: tokio::sync::Mutex<Option<BoxFuture<'static, ()>>>,
}

impl Interruption {
    async fn count_read(&self) {
        let is_now = {
            let mut left = self.reads_before.lock().expect("no panic");
            let is_now = *left == 0;
            *left = left.saturating_sub(1);
            is_now
        };
        // Whoever comes second waits until the change is made.
        let mut change = self.change.lock().await;
        if is_now && let Some(change) = change.take() {
            change.await;
        }
    }
}

/// Makes the change before one of its reads.
struct Interrupted {
    inner: Store,
    interruption: Arc<Interruption>,
}

#[async_trait::async_trait]
impl TableStore for Interrupted {
    async fn create_tables(&self, tables: &[&'static str]) -> Result<()> {
        self.inner.create_tables(tables).await
    }

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        self.interruption.count_read().await;
        self.inner.get(table, key).await
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        self.interruption.count_read().await;
        self.inner.range(table, range, limit, continuation).await
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.inner.commit(table, batch).await
    }

    async fn snapshot(&self) -> Result<Option<Snapshot>> {
        let snapshot = self.inner.snapshot().await?;
        let interruption = Arc::clone(&self.interruption);
        Ok(snapshot.map(|snapshot| snapshot.wrap(|inner| Arc::new(Self { inner, interruption }))))
    }

    async fn scan(&self, table: &'static str, continuation: Option<&Continuation>) -> Result<Page> {
        self.inner.scan(table, continuation).await
    }

    async fn ping(&self) -> Result<()> {
        self.inner.ping().await
    }
}

type MakeStore = fn() -> Store;

fn memory() -> Store {
    MemoryStore::transactional()
}

fn file() -> Store {
    Arc::new(EmbeddedStore::in_memory().expect("a store in memory"))
}

/// A site whose directories are cached, and the content over its store with the change before one of the reads.
async fn answer(make: MakeStore, command: &Command, reads_before: usize) -> (Value, Value, bool) {
    let site = Site::over(make()).await;
    site.publish(&posts()).await;
    let before = site.query(&query()).await;
    let (writer, command) = (site.content.clone(), command.clone());
    let change = async move {
        let told = ask(&writer, &command).await;
        assert!(matches!(told, Told::Done(_)), "{told:?}");
    };
    let interruption = Arc::new(Interruption {
        reads_before: Mutex::new(reads_before),
        change: tokio::sync::Mutex::new(Some(Box::pin(change))),
    });
    let store = Arc::new(Interrupted { inner: Arc::clone(&site.store), interruption: Arc::clone(&interruption) });
    let content = Content::open(store, clock(), Sharing::Alone).await.expect("the content opens");
    let during = Site { content, store: Arc::clone(&site.store), clock: site.clock.clone() };
    let found = during.query(&query()).await;
    let is_made = interruption.change.lock().await.is_none();
    if is_made {
        assert_ne!(site.query(&query()).await, before, "the change is seen by the next query");
    }
    (before, found, is_made)
}

async fn assert_of_one_moment(make: MakeStore, command: Command) {
    for reads_before in 0.. {
        let (before, found, is_made) = answer(make, &command, reads_before).await;
        assert_eq!(found, before, "{command:?} was made after {reads_before} reads of the query");
        if !is_made {
            assert!(reads_before > 20, "the query has only {reads_before} reads");
            return;
        }
    }
}

macro_rules! of_one_moment {
    ($($name:ident: $command:expr;)+) => {
        mod in_a_file {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
            async fn $name() {
                assert_of_one_moment(file, $command).await;
            })+
        }
        mod in_plain_maps {
            use super::*;
            $(#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
            async fn $name() {
                assert_of_one_moment(memory, $command).await;
            })+
        }
    };
}

of_one_moment! {
    a_post_created_meanwhile: create("new", &["a", "b"]);
    a_post_deleted_meanwhile: delete(0);
    a_post_given_other_tags_meanwhile: retag(0, &["b"]);
    a_post_renamed_meanwhile: rename(0, "renamed");
    a_post_moved_to_another_month_meanwhile: redate(2, "2026-02-01T00:00:00Z");
    a_tag_renamed_meanwhile: rename_tag("a", "new");
}
