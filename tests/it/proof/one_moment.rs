//! Queries on a store that has snapshots. The rule: whatever changes while a query runs, and between whichever two of its reads, the answer is the
//! content of one moment.

use std::sync::Arc;

use serde_json::Value;
use tidings::content::{Content, Sharing};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;

use crate::support::asking::{Reply, ask};
use crate::support::interrupted::{Interrupted, Interruption};
use crate::support::memory::MemoryStore;
use crate::support::model::Command;
use crate::support::site::Site;

use super::scene::{clock, create, delete, delete_tag, posts, redate, rename, rename_tag, retag};

const FIELDS: &str = "slug version tags { slug name } categories { slug } authors { slug }";

/// Lists, counts, months, slugs and terms; each is found by reads of its own.
fn query() -> String {
    let list = format!("posts(first: 5) {{ totalCount nodes {{ {FIELDS} }} }}");
    format!(
        "{{ {list} archive {{ year month postCount {list} }} tags(first: 5) {{ totalCount nodes {{ slug {list} }} }} \
         a: tag(slug: \"a\") {{ slug {list} }} new: tag(slug: \"new\") {{ slug {list} }} \
         old: post(slug: \"post-0\") {{ {FIELDS} }} renamed: post(slug: \"renamed\") {{ {FIELDS} }} }}"
    )
}

type MakeStore = fn() -> Store;

fn memory() -> Store {
    MemoryStore::transactional()
}

fn file() -> Store {
    Arc::new(EmbeddedStore::in_memory().expect("a store in memory"))
}

/// The answers before the changes, with the changes made before one of the query's reads, and after them; `None` if the query has fewer reads.
async fn answers(
    make: MakeStore,
    query: &str,
    commands: &[Command],
    reads_before: usize,
) -> (Value, Value, Option<Value>) {
    let site = Site::over(make()).await;
    site.publish(&posts()).await;
    let before = site.query(query).await;
    let (writer, commands) = (site.content.clone(), commands.to_vec());
    let changes = async move {
        for command in commands {
            let reply = ask(&writer, &command).await;
            assert!(matches!(reply, Reply::Done(_)), "{command:?}: {reply:?}");
        }
    };
    let interruption = Arc::new(Interruption::new(reads_before, changes));
    let store = Arc::new(Interrupted { inner: Arc::clone(&site.store), interruption: Arc::clone(&interruption) });
    let content = Content::open(store, clock(), Sharing::Alone).await.expect("the content opens");
    let during = Site { content, store: Arc::clone(&site.store), clock: site.clock.clone() };
    let found = during.query(query).await;
    let after = if interruption.is_made().await { Some(site.query(query).await) } else { None };
    assert_ne!(after.as_ref(), Some(&before), "the next query sees the changes");
    (before, found, after)
}

async fn assert_of_one_moment(make: MakeStore, command: Command) {
    for reads_before in 0.. {
        let commands = std::slice::from_ref(&command);
        let (before, found, after) = answers(make, &query(), commands, reads_before).await;
        let is_of_one = found == before || Some(&found) == after.as_ref();
        assert!(is_of_one, "{command:?} was made after {reads_before} reads of the query: {found}");
        if after.is_none() {
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

/// On tables a query sees several moments: a post may lack a tag that was deleted meanwhile, but never shows another tag that has its slug by now.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn on_tables_a_post_never_shows_a_tag_that_has_the_slug_of_one_that_was_deleted() {
    let query = "{ post(slug: \"post-0\") { version tags { name } } }";
    let commands = [retag(0, &["a"]), delete_tag("alone"), rename_tag("b", "alone")];
    let mut lacked = false;
    for reads_before in 0.. {
        let (_, found, after) = answers(|| MemoryStore::empty(), query, &commands, reads_before).await;
        let tags: Vec<_> = found["post"]["tags"].as_array().expect("tags").iter().map(|tag| &tag["name"]).collect();
        assert!(
            tags.iter().all(|name| ["The tag a", "The tag alone"].contains(&name.as_str().unwrap_or_default())),
            "{found}"
        );
        lacked |= tags.len() == 1;
        if after.is_none() {
            break;
        }
    }
    assert!(lacked, "the changes were made between the post and its tags");
}
