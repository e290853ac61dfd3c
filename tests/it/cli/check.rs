//! `tidings check`: it reports each kind of damage with its row, and no difference in a consistent store. The tests write the damage through
//! the store's own API.

use tidings::keys::{COUNT_ROW, Collection, Table, lookup, place, term, time};
use tidings::model::{IndexKind, Month, PostKey, TermKind};
use tidings::store::{Entity, Key, Operation, Precondition, Properties, Store, Value};

use crate::support::command::{Blog, Ran};
use crate::support::rows::{batch, delete, key, properties, put, scan};
use crate::support::site::{instant, slug};

const POSTS: [(&str, &str); 3] = [
    ("2025-01-10-one.md", "---\ntitle: One\ntags: [a, b]\nauthor: Ada\naliases: [uno]\n---\nOne.\n"),
    ("2025-02-20-two.md", "---\ntitle: Two\ntags: [b]\n---\nTwo.\n"),
    ("three.md", "---\ntitle: Three\ndraft: true\ncreated: 2025-01-05\n---\nThree.\n"),
];
const BY_TAG: Table = Table::PostsBy(IndexKind::Term(TermKind::Tag));
const TAGS: Table = Table::Terms(TermKind::Tag);

/// A store with three posts, which a test damages.
struct Patient {
    blog: Blog,
    store: Store,
    one: PostKey,
}

impl Patient {
    async fn new() -> Self {
        let blog = Blog::of(&POSTS);
        assert_eq!(blog.import().code, Some(0));
        let site = blog.site().await;
        let inventory = site.content.inventory().await.expect("the inventory");
        let one = inventory.posts[&inventory.slugs[&slug("one")]].place.key.clone();
        assert_eq!(one.at, instant("2025-01-10T00:00:00Z"));
        Self { blog, store: site.store, one }
    }

    async fn row(&self, table: Table, key: &Key) -> Entity {
        let found = self.store.get(table.name(), key).await.expect("a read");
        found.unwrap_or_else(|| panic!("{}{key} is not there", table.name()))
    }

    async fn commit(&self, table: Table, partition: &str, operation: Operation) {
        self.store.commit(table.name(), &batch(partition, vec![operation])).await.expect("a commit");
    }

    async fn delete(&self, table: Table, key: &Key) {
        self.commit(table, key.partition(), delete(key.row(), Precondition::None)).await;
    }

    async fn put(&self, table: Table, key: &Key, properties: Properties) {
        self.commit(table, key.partition(), put(key.row(), properties, Precondition::None)).await;
    }

    /// Writes the row with one property changed, or removed.
    async fn set(&self, table: Table, key: &Key, name: &str, value: Option<Value>) {
        let old = self.row(table, key).await.properties;
        let kept = old.iter().filter(|(n, _)| *n != name).map(|(n, v)| (n, v.clone()));
        let changed: Vec<_> = kept.chain(value.map(|value| (name, value))).collect();
        self.put(table, key, properties(&changed)).await;
    }

    /// Runs `check`, which must report exactly these differences, in this order.
    fn assert_named(self, differences: &[String]) {
        let Self { blog, store, .. } = self;
        drop(store);
        let ran = blog.check();
        let (found, summary) = lines(&ran);
        assert_eq!(found, differences, "{ran:?}");
        assert!(summary.ends_with(&format!(": {} differences", differences.len())), "{summary}");
        assert_eq!(ran.code, Some(i32::from(!differences.is_empty())));
        assert_eq!(ran.err, "");
    }

    fn summary_of_one(&self) -> Key {
        key("2025-01", &time::time_row(&self.one))
    }

    fn whole_of_one(&self) -> Key {
        place::whole(self.one.month(), &slug("one"))
    }

    /// What is said of a row that follows from the post.
    fn missing(&self) -> String {
        format!("is missing; it follows from the post {}", self.one.id)
    }

    fn pointer_of_one(&self, tag: &str) -> Key {
        key(tag, &time::time_row(&self.one))
    }
}

fn lines(ran: &Ran) -> (Vec<&str>, &str) {
    let mut lines: Vec<_> = ran.out.lines().collect();
    let summary = lines.pop().expect("a summary");
    (lines, summary)
}

fn line(table: Table, key: &Key, what: &str) -> String {
    format!("{}{key}: {what}", table.name())
}

#[tokio::test]
async fn a_consistent_store_has_0_differences() {
    let patient = Patient::new().await;
    drop(patient.store);
    let ran = patient.blog.check();
    let rows = ran.out.split(" in ").nth(1).and_then(|rest| rest.split(' ').next()).expect("a number of rows");
    assert_eq!(
        ran.out,
        format!("2 posts, 1 drafts, 3 categories, tags, authors and series in {rows} rows: 0 differences\n")
    );
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[tokio::test]
async fn a_missing_pointer_is_reported() {
    let patient = Patient::new().await;
    let pointer = patient.pointer_of_one("b");
    patient.delete(BY_TAG, &pointer).await;
    let expected =
        [line(BY_TAG, &key("b", COUNT_ROW), "counts 2 rows; there are 1"), line(BY_TAG, &pointer, &patient.missing())];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_missing_index_partition_is_reported() {
    let patient = Patient::new().await;
    for row in scan(&patient.store, BY_TAG.name()).await {
        if row.key.partition() == "a" {
            patient.delete(BY_TAG, &row.key).await;
        }
    }
    let pair = [patient.pointer_of_one("a"), key("a", &time::mirror_row(&patient.one))];
    let expected = pair.map(|row| line(BY_TAG, &row, &patient.missing()));
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_dangling_pointer_is_reported() {
    let patient = Patient::new().await;
    let gone = PostKey { at: patient.one.at, id: "zzzzzzzzzzzz".parse().expect("an id") };
    let row = patient.row(BY_TAG, &patient.pointer_of_one("a")).await;
    let (pointer, mirror) = (key("a", &time::time_row(&gone)), key("a", &time::mirror_row(&gone)));
    patient.put(BY_TAG, &pointer, row.properties.clone()).await;
    patient.put(BY_TAG, &mirror, row.properties).await;
    let expected = [
        line(BY_TAG, &key("a", COUNT_ROW), "counts 1 rows; there are 2"),
        line(BY_TAG, &pointer, "no post has this row"),
        line(BY_TAG, &mirror, "no post has this row"),
    ];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_pointer_of_a_term_that_the_post_does_not_have_is_reported() {
    let patient = Patient::new().await;
    for row in scan(&patient.store, BY_TAG.name()).await {
        if row.key.partition() == "a" {
            patient.put(BY_TAG, &key("z", row.key.row()), row.properties).await;
        }
    }
    let what = format!("the post {} does not have this row", patient.one.id);
    let pair = [patient.pointer_of_one("z"), key("z", &time::mirror_row(&patient.one))];
    let expected = pair.map(|row| line(BY_TAG, &row, &what));
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_pointer_that_names_another_row_is_reported() {
    let patient = Patient::new().await;
    let pointer = patient.pointer_of_one("a");
    patient.set(BY_TAG, &pointer, "PostPartitionKey", Some(Value::String("2024-01".into()))).await;
    let expected = [line(BY_TAG, &pointer, &format!("does not match the post {}", patient.one.id))];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_wrong_index_count_is_reported() {
    let patient = Patient::new().await;
    patient.set(BY_TAG, &key("b", COUNT_ROW), "Rows", Some(Value::Int64(7))).await;
    let expected = [line(BY_TAG, &key("b", COUNT_ROW), "counts 7 rows; there are 2")];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_count_row_whose_newest_post_is_too_old_is_reported() {
    let patient = Patient::new().await;
    let old = PostKey { at: instant("2001-01-01T00:00:00Z"), id: patient.one.id.clone() };
    let newest = Some(Value::String(time::time_row(&old).into()));
    patient.set(BY_TAG, &key("b", COUNT_ROW), "Newest", newest).await;
    let expected = [line(BY_TAG, &key("b", COUNT_ROW), "a post is newer than the newest that is named")];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_missing_month_count_is_reported() {
    let patient = Patient::new().await;
    patient.delete(Table::Posts, &key("2025-01", COUNT_ROW)).await;
    let month = place::month_row(Collection::Posts, Month::new(2025, 1).expect("a month"));
    let expected = [
        line(Table::Months, &month, "does not list the partition 2025-01 with its count, 0"),
        line(Table::Posts, &key("2025-01", COUNT_ROW), "is missing; there are 1 rows"),
    ];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn missing_mirror_rows_of_a_pointer_and_of_a_post_are_reported() {
    let patient = Patient::new().await;
    let mirror = time::mirror_row(&patient.one);
    patient.delete(BY_TAG, &key("a", &mirror)).await;
    patient.delete(Table::Posts, &key("2025-01", &mirror)).await;
    let expected = [
        line(Table::Posts, &key("2025-01", &mirror), "is missing; the whole post is s-one"),
        line(BY_TAG, &key("a", &mirror), &patient.missing()),
    ];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_mirror_row_with_another_title_is_reported() {
    let patient = Patient::new().await;
    let mirror = key("2025-01", &time::mirror_row(&patient.one));
    patient.set(Table::Posts, &mirror, "Title", Some(Value::String("Other".into()))).await;
    let expected = [line(Table::Posts, &mirror, "differs from the whole post, s-one")];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_missing_body_row_is_reported() {
    let patient = Patient::new().await;
    patient.delete(Table::Posts, &patient.whole_of_one()).await;
    let expected = [line(Table::Posts, &patient.summary_of_one(), "has no row s-one")];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_body_that_does_not_decompress_is_reported() {
    let patient = Patient::new().await;
    let whole = patient.whole_of_one();
    let damaged = format!("the store is damaged: Body of the row {whole} is missing or invalid");
    for value in [None, Some(Value::Binary(vec![1, 2, 3].into())), Some(Value::Int32(1))] {
        patient.set(Table::Posts, &whole, "Body0", value).await;
    }
    let expected = [line(Table::Posts, &whole, &damaged)];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_missing_summary_row_is_reported() {
    let patient = Patient::new().await;
    patient.delete(Table::Posts, &patient.summary_of_one()).await;
    // The whole-post row is authoritative: a missing summary causes no other difference.
    let expected = [
        line(Table::Posts, &key("2025-01", COUNT_ROW), "counts 1 rows; there are 0"),
        line(Table::Posts, &patient.summary_of_one(), "is missing; the whole post is s-one"),
    ];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_stale_slug_row_is_reported() {
    let patient = Patient::new().await;
    let row = patient.row(Table::PostKeys, &lookup::by_slug(&slug("one"))).await;
    let stale = lookup::by_slug(&slug("once"));
    patient.put(Table::PostKeys, &stale, row.properties).await;
    let expected = [line(Table::PostKeys, &stale, "no post has this row")];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn missing_slug_and_id_rows_are_reported() {
    let patient = Patient::new().await;
    let id = patient.one.id.clone();
    let keys = [lookup::by_id(&id), lookup::by_slug(&slug("one")), lookup::by_slug(&slug("uno"))];
    for key in &keys {
        patient.delete(Table::PostKeys, key).await;
    }
    let mut expected = keys.map(|key| line(Table::PostKeys, &key, &patient.missing()));
    expected.sort();
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_wrong_month_count_is_reported() {
    let patient = Patient::new().await;
    let month = place::month_row(Collection::Posts, Month::new(2025, 2).expect("a month"));
    patient.set(Table::Months, &month, "Rows", Some(Value::Int64(3))).await;
    let expected = [line(Table::Months, &month, "does not list the partition 2025-02 with its count, 1")];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_month_listed_under_the_row_of_another_is_reported() {
    let patient = Patient::new().await;
    let [january, may] =
        [1, 5].map(|month| place::month_row(Collection::Posts, Month::new(2025, month).expect("a month")));
    let row = patient.row(Table::Months, &january).await;
    patient.delete(Table::Months, &january).await;
    patient.put(Table::Months, &may, row.properties).await;
    let expected = [
        line(Table::Months, &may, "does not list the partition 2025-05 with its count, 0"),
        line(Table::Months, &january, "is missing; the partition 2025-01 counts 1"),
    ];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_missing_tag_and_a_tag_without_its_mirror_row_are_reported() {
    let patient = Patient::new().await;
    let (a, b) = (slug("a"), slug("b"));
    let mirror = key("a", &term::row(&a, time::Direction::Backward));
    patient.delete(TAGS, &mirror).await;
    patient.delete(TAGS, &term::term(&b)).await;
    let mut expected = vec![
        line(TAGS, &mirror, "is missing; a tag has this slug"),
        line(TAGS, &key("b", COUNT_ROW), "counts 1 rows; there are 0"),
        line(TAGS, &term::term(&b), "is missing; a tag has this slug"),
    ];
    expected.sort();
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_wrong_partition_catalog_is_reported() {
    let patient = Patient::new().await;
    let listed = term::catalog_row("a");
    patient.delete(TAGS, &listed).await;
    patient.set(TAGS, &term::catalog_row("b"), "Rows", Some(Value::Int64(9))).await;
    let expected = [
        line(TAGS, &listed, "is missing; the partition a counts 1"),
        line(TAGS, &term::catalog_row("b"), "does not list the partition b with its count, 1"),
    ];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn rows_of_an_unknown_kind_are_reported() {
    let patient = Patient::new().await;
    let strange = properties(&[("Strange", Value::Boolean(true))]);
    for table in Table::ALL {
        patient.put(table, &key("strange", "row"), strange.clone()).await;
    }
    drop(patient.store);
    let ran = patient.blog.check();
    let (found, _) = lines(&ran);
    for table in Table::ALL {
        let start = format!("{}(strange, row): ", table.name());
        assert!(found.iter().any(|line| line.starts_with(&start)), "{start} in {ran:?}");
    }
    assert_eq!(ran.code, Some(1));
}

/// Drafts have no counts, but `check` reads them too.
#[tokio::test]
async fn a_draft_without_its_body_row_is_reported() {
    let patient = Patient::new().await;
    let summary =
        scan(&patient.store, "Drafts").await.into_iter().find(|row| time::parse_time_row(row.key.row()).is_some());
    let summary = summary.expect("a draft").key;
    patient.delete(Table::Drafts, &key(summary.partition(), "s-three")).await;
    let expected = [line(Table::Drafts, &summary, "has no row s-three")];
    patient.assert_named(&expected);
}

#[tokio::test]
async fn a_repair_reports_what_it_fixed_and_what_it_left() {
    let patient = Patient::new().await;
    patient.delete(BY_TAG, &patient.pointer_of_one("a")).await;
    let strange = key("strange", "row");
    patient.put(Table::PostKeys, &strange, properties(&[("Strange", Value::Boolean(true))])).await;
    let lost = line(BY_TAG, &patient.pointer_of_one("a"), &format!("{}; restored", patient.missing()));
    let Patient { blog, store, .. } = patient;
    drop(store);
    let repair = || crate::support::command::run(&["check", "--repair", "--store", &blog.store()]);
    let ran = repair();
    let (lines, summary) = lines(&ran);
    assert_eq!(lines[0], format!("fixed  {lost}"));
    assert!(
        lines[1].starts_with(&format!("left    {}", line(Table::PostKeys, &strange, "is not a row of this table; ")))
    );
    assert_eq!(lines[2..], ["1 fixed, 1 left"]);
    assert!(summary.ends_with(": 1 differences"), "{ran:?}");
    assert_eq!((ran.code, ran.err.as_str()), (Some(1), ""));
    assert!(repair().out.contains("0 fixed, 1 left"));
}

#[tokio::test]
async fn a_repair_that_leaves_nothing_exits_with_0() {
    let patient = Patient::new().await;
    patient.delete(Table::Posts, &patient.summary_of_one()).await;
    let Patient { blog, store, .. } = patient;
    drop(store);
    let ran = crate::support::command::run(&["check", "--repair", "--store", &blog.store()]);
    assert_eq!((ran.code, blog.check().code), (Some(0), Some(0)), "{ran:?}");
}
