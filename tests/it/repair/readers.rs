//! `check` as a reader sees the content. The rule: each list, count, month, slug and id that a reader gets wrong is reported, although every row
//! agrees with every other.
//!
//! `check` reads the rows by scans, and readers read by keys and ranges: a store that hides rows from the latter simulates a defect of the read path.

use std::sync::Arc;

use tidings::content::{Content, Sharing};
use tidings::store::{Batch, Continuation, Entity, Etag, Key, Page, Result, RowRange, Store, TableStore};

use crate::support::memory::MemoryStore;
use crate::support::pass_on::pass_on;
use crate::support::site::Site;

use super::damage::posts;

/// Hides rows from point reads and range reads, by their table, PartitionKey and RowKey.
struct Hiding {
    inner: Store,
    is_hidden: fn(&str, &str, &str) -> bool,
}

impl Hiding {
    fn hides(&self, table: &str, key: &Key) -> bool {
        (self.is_hidden)(table, key.partition(), key.row())
    }
}

#[async_trait::async_trait]
impl TableStore for Hiding {
    pass_on!(inner: create_tables, scan, ping);

    async fn get(&self, table: &'static str, key: &Key) -> Result<Option<Entity>> {
        if self.hides(table, key) { Ok(None) } else { self.inner.get(table, key).await }
    }

    async fn range(
        &self,
        table: &'static str,
        range: &RowRange,
        limit: usize,
        continuation: Option<&Continuation>,
    ) -> Result<Page> {
        let mut page = self.inner.range(table, range, limit, continuation).await?;
        page.rows.retain(|row| !self.hides(table, &row.key));
        Ok(page)
    }

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.inner.commit(table, batch).await
    }

    fn is_transactional(&self) -> bool {
        self.inner.is_transactional()
    }
}

/// The differences that `check` reports if readers do not find some rows.
async fn differences_if_hidden(is_hidden: fn(&str, &str, &str) -> bool) -> Vec<String> {
    let site = Site::over(MemoryStore::empty()).await.indexing_fields().await;
    site.publish(&posts()).await;
    site.assert_sound().await;
    let hiding = Arc::new(Hiding { inner: Arc::clone(&site.store), is_hidden });
    let content = Content::open(hiding, site.clock.clone(), Sharing::Alone).await.expect("the content opens");
    let report = content.check().await.expect("the check reads everything");
    report.differences.iter().map(ToString::to_string).collect()
}

async fn assert_reported(is_hidden: fn(&str, &str, &str) -> bool, expected: &str) {
    let found = differences_if_hidden(is_hidden).await;
    assert!(found.iter().any(|line| line.contains(expected)), "no line contains {expected:?}: {found:#?}");
    assert!(found.iter().all(|line| line.starts_with("GraphQL(")), "{found:#?}");
}

#[tokio::test]
async fn check_finds_nothing_if_no_row_is_hidden() {
    assert_eq!(differences_if_hidden(|_, _, _| false).await, [""; 0]);
}

/// A time key, by which lists are read forwards; a mirror key begins with `~`.
fn is_time_key(row: &str) -> bool {
    row.starts_with(|first: char| first.is_ascii_digit())
}

macro_rules! reported {
    ($($name:ident: $is_hidden:expr => $expected:literal;)+) => {
        $(#[tokio::test]
        async fn $name() {
            assert_reported($is_hidden, $expected).await;
        })+
    };
}

reported! {
    a_list_of_posts_that_lacks_some_is_reported: |table, _, row| table == "Posts" && is_time_key(row) => "GraphQL(posts): shows";
    a_list_that_lacks_some_backwards_is_reported: |table, _, row| table == "Posts" && row.starts_with('~') => "GraphQL(posts): shows 0 items when read backwards";
    a_list_of_drafts_that_lacks_one_is_reported: |table, _, row| table == "Drafts" && is_time_key(row) => "GraphQL(draftPosts): shows 0";
    a_list_of_a_tag_that_lacks_posts_is_reported: |table, _, row| table == "PostsByTag" && is_time_key(row) => "GraphQL(posts of the tag a): shows 0";
    a_wrong_count_of_a_tag_is_reported: |table, _, row| table == "PostsByTag" && row == "!count" => "GraphQL(posts of the tag a): counts 0";
    a_list_of_a_language_that_lacks_posts_is_reported: |table, _, row| table == "PostsByLanguage" && is_time_key(row) => "GraphQL(posts of the language pt-br): shows 0";
    a_wrong_count_of_a_language_is_reported: |table, _, row| table == "PostsByLanguage" && row == "!count" => "GraphQL(posts of the language pt-br): counts 0";
    a_list_of_featured_posts_that_lacks_some_is_reported: |table, _, row| table == "FeaturedPosts" && is_time_key(row) => "GraphQL(featured posts): shows 0";
    a_wrong_count_of_featured_posts_is_reported: |table, _, row| table == "FeaturedPosts" && row == "!count" => "GraphQL(featured posts): counts 0";
    a_list_of_a_value_of_a_field_that_lacks_posts_is_reported: |table, _, row| table == "PostsByField" && is_time_key(row) => "GraphQL(posts of the field rating.";
    a_wrong_count_of_a_value_of_a_field_is_reported: |table, _, row| table == "PostsByField" && row == "!count" => "GraphQL(posts of the field kind.";
    a_series_that_lacks_posts_is_reported: |table, _, row| table == "PostsBySeries" && is_time_key(row) => "GraphQL(the series walks): shows 0";
    a_wrong_count_of_a_series_is_reported: |table, _, row| table == "PostsBySeries" && row == "!count" => "GraphQL(the series walks): counts 0";
    a_month_that_the_archive_lacks_is_reported: |table, partition, _| table == "Months" && partition == "all" => "GraphQL(archive, ";
    a_list_of_terms_that_lacks_some_is_reported: |table, partition, _| table == "Tags" && partition == "!" => "GraphQL(the list of each tag): shows 0";
    a_list_of_languages_that_lacks_some_is_reported: |table, partition, _| table == "PostsByLanguage" && partition == "!" => "GraphQL(the list of languages, pt-br): counts 0";
    an_id_that_does_not_point_to_its_post_is_reported: |table, _, row| table == "PostKeys" && row.starts_with("i-") => "GraphQL(node, of the post ";
    a_slug_that_does_not_point_to_its_post_is_reported: |table, _, row| table == "PostKeys" && row.starts_with("s-") => "GraphQL(post, of the slug ";
    a_slug_that_does_not_point_to_its_term_is_reported: |table, _, row| table == "Authors" && row == "ada" => "GraphQL(author, of the slug ada): shows nothing";
}
