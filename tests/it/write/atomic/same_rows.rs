//! The rows that a change leaves on a store with transactions, and on tables with a log. The rule: they are the same, compared one by one.

use std::collections::BTreeMap;
use std::sync::Arc;

use tidings::content::Content;
use tidings::keys::{PostPlace, Table};
use tidings::model::{ActorKind, ActorSnapshot, Metadata, PostId, Slug, Term, TermId, TermKind, WholePost};
use tidings::store::{Properties, Store};
use tidings::testing::rows::change::ChangedItem;
use tidings::testing::{Change, Deleted, Outcome, Stored, rows};

use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, indexed, instant, post, slug, slugs};

/// Creation ids, which are random.
const RANDOM_PROPERTY: &str = "CreationId";
/// Their keys are random.
const RANDOM: [&str; 3] = [Table::Changes.name(), Table::ChangeLog.name(), Content::LOG.table];

struct Subject {
    store: Store,
    content: Content,
}

impl Subject {
    async fn over(store: Arc<MemoryStore>) -> Self {
        let Site { content, store, .. } = Site::over(store).await.indexing_fields().await;
        Self { store, content }
    }

    /// All rows, without what is random.
    async fn rows(&self) -> BTreeMap<(&'static str, String), Properties> {
        let mut rows = BTreeMap::new();
        for table in Table::ALL.map(Table::name).into_iter().filter(|table| !RANDOM.contains(table)) {
            for row in self.store.scan(table, None).await.expect("a scan").rows {
                rows.insert((table, row.key.to_string()), row.properties.without(RANDOM_PROPERTY));
            }
        }
        rows
    }

    /// What each change has recorded. The changes are at one instant, so their order is random.
    async fn recorded(&self) -> Vec<String> {
        let rows = self.store.scan(Table::Changes.name(), None).await.expect("a scan").rows;
        let text = |row| {
            let change = rows::change::read(row).expect("a change");
            let items: Vec<_> = change.items.into_iter().map(|item| ChangedItem { creation: None, ..item }).collect();
            format!("{:?} {items:?}", change.by)
        };
        let mut recorded: Vec<String> = rows.iter().map(text).collect();
        recorded.sort();
        recorded
    }

    async fn stored(&self, whole: &WholePost) -> Stored {
        let place = PostPlace::of(&whole.post);
        let row = self.store.get(place.collection.name(), &place.whole(&whole.post.slug)).await.expect("a read");
        Stored::read(&row.expect("a post")).expect("it reads")
    }

    async fn change(&self, before: Option<&WholePost>, after: Option<WholePost>) -> Outcome {
        let before = match before {
            Some(before) => Some(self.stored(before).await),
            None => None,
        };
        let writer = self
            .content
            .writer()
            .expect("a writer")
            .by(ActorSnapshot { kind: ActorKind::Token, ..ActorSnapshot::import() });
        let changes = vec![Change { before, after }];
        writer.change_posts_with(changes, &slugs(&["a", "b", "c"]), None).await.expect("an answer").remove(0)
    }
}

/// The same post, changed.
fn changed(whole: &WholePost, change: impl FnOnce(&mut WholePost)) -> WholePost {
    let mut after = whole.clone();
    after.post.version += 1;
    change(&mut after);
    after
}

fn published() -> WholePost {
    let mut whole = post(0, instant("2026-05-01T00:00:00Z"));
    whole.post.tags = slugs(&["a", "b"]);
    whole.post.authors = slugs(&["ada"]);
    whole.post.categories = slugs(&["news"]);
    whole.metadata = metadata("{\"cover\":\"a.png\"}");
    whole
}

fn metadata(text: &str) -> Metadata {
    Metadata::parse(text).expect("metadata")
}

fn renamed(whole: &mut WholePost, to: &str) {
    let left = std::mem::replace(&mut whole.post.slug, slug(to));
    whole.post.former_slugs.retain(|former| former.as_str() != to);
    whole.post.former_slugs.push(left);
}

/// The versions of one post, each based on the one before; `None` is its deletion.
fn versions() -> Vec<(&'static str, Option<WholePost>)> {
    let first = published();
    let mut all = vec![("created", Some(first))];
    let mut then = |what, change: &dyn Fn(&mut WholePost)| {
        let last = all.last().and_then(|(_, version)| version.clone()).expect("a version");
        all.push((what, Some(changed(&last, change))));
    };
    then("retitled", &|whole| whole.post.title = "Other".to_owned());
    then("given other metadata", &|whole| whole.metadata = metadata("{\"cover\":\"b.png\",\"z\":1}"));
    then("given fields", &|whole| whole.metadata = indexed(5, "REVIEW"));
    then("given another value of a field", &|whole| whole.metadata = indexed(4, "REVIEW"));
    then("given a language", &|whole| whole.post.language = "de".parse().ok());
    then("featured", &|whole| whole.post.is_featured = true);
    then("put into a series", &|whole| whole.post.series = Some(slug("walks")));
    then("retagged", &|whole| whole.post.tags = slugs(&["b", "c"]));
    then("renamed", &|whole| renamed(whole, "other"));
    then("re-dated within the month", &|whole| whole.post.published_at = Some(instant("2026-05-20T00:00:00Z")));
    then("given another language", &|whole| whole.post.language = "pt-BR".parse().ok());
    then("re-dated into another month", &|whole| whole.post.published_at = Some(instant("2026-02-01T00:00:00Z")));
    then("renamed back, and re-dated", &|whole| {
        renamed(whole, "post-0");
        whole.post.published_at = Some(instant("2026-02-03T00:00:00Z"));
    });
    then("put into another series", &|whole| whole.post.series = Some(slug("talks")));
    then("unpublished", &|whole| whole.post.published_at = None);
    then("renamed as a draft", &|whole| renamed(whole, "third"));
    then("given a value of a field as a draft", &|whole| whole.metadata = indexed(5, "REVIEW"));
    then("left without metadata", &|whole| whole.metadata = Metadata::default());
    then("given a language as a draft", &|whole| whole.post.language = "fr".parse().ok());
    then("no longer featured, as a draft", &|whole| whole.post.is_featured = false);
    then("featured as a draft", &|whole| whole.post.is_featured = true);
    then("put into a series as a draft", &|whole| whole.post.series = Some(slug("walks")));
    then("published", &|whole| whole.post.published_at = Some(instant("2026-05-01T00:00:00Z")));
    then("given an origin", &|whole| whole.post.origin = Some("a/b.md".to_owned()));
    then("moved and renamed", &|whole| {
        renamed(whole, "fourth");
        whole.post.published_at = Some(instant("2099-01-01T00:00:00Z"));
        whole.post.tags = slugs(&["a"]);
    });
    then("no longer featured", &|whole| whole.post.is_featured = false);
    then("featured again", &|whole| whole.post.is_featured = true);
    then("left without a language", &|whole| whole.post.language = None);
    then("left without a series", &|whole| whole.post.series = None);
    then("given a language again", &|whole| whole.post.language = "fr".parse().ok());
    all.push(("deleted", None));
    all
}

async fn subjects() -> [Subject; 2] {
    let subjects = [Subject::over(MemoryStore::transactional()).await, Subject::over(MemoryStore::empty()).await];
    for subject in &subjects {
        let writer = subject.content.writer().expect("a writer");
        for (kind, of) in [
            (TermKind::Author, "ada"),
            (TermKind::Category, "news"),
            (TermKind::Series, "walks"),
            (TermKind::Series, "talks"),
        ] {
            writer.save_terms(kind, vec![Term::new(kind, slug(of), of)]).await.expect("a term");
        }
    }
    subjects
}

async fn assert_same(subjects: &[Subject; 2], what: &str) {
    let [at_once, logged] = [subjects[0].rows().await, subjects[1].rows().await];
    let differing: Vec<_> = at_once
        .keys()
        .chain(logged.keys())
        .filter(|key| at_once.get(key) != logged.get(key))
        .map(|key| (key, at_once.get(key), logged.get(key)))
        .collect();
    assert!(differing.is_empty(), "{what}: {differing:#?}");
    assert_eq!(subjects[0].recorded().await, subjects[1].recorded().await, "{what}");
    for subject in subjects {
        let report = subject.content.check().await.expect("the check reads everything");
        assert_eq!(report.differences, Vec::new(), "{what}");
    }
}

#[tokio::test]
async fn each_change_of_a_post_leaves_the_same_rows() {
    let subjects = subjects().await;
    let mut before: Option<WholePost> = None;
    for (what, after) in versions() {
        for subject in &subjects {
            assert_eq!(subject.change(before.as_ref(), after.clone()).await, Outcome::Done, "{what}");
        }
        assert_same(&subjects, what).await;
        before = after;
    }
}

#[tokio::test]
async fn each_change_of_a_tag_leaves_the_same_rows() {
    let subjects = subjects().await;
    let tag = |of: &str| Term::new(TermKind::Tag, slug(of), of);
    let keep = |term: &Term| Ok::<_, ()>(term.clone());
    let describe = |term: Option<&Term>| {
        Ok::<_, ()>(Term { description: Some("Described".to_owned()), ..term.expect("a tag").clone() })
    };
    // As an import brings it from elsewhere: under a slug that is not its first.
    let id = TermId { kind: TermKind::Tag, first_slug: slug("first") };
    let imported = Term { id, former_slugs: slugs(&["first", "second"]), ..tag("third") };
    for step in 0..8 {
        for subject in &subjects {
            let writer = subject.content.writer().expect("a writer");
            let rename = async |from: &str, to: &str| {
                let (from, to): (Slug, Slug) = (slug(from), slug(to));
                writer.rename_term(TermKind::Tag, &from, &to, keep).await.expect("an answer").expect("a rename");
            };
            match step {
                0 => drop(
                    writer.save_terms(TermKind::Tag, vec![tag("a"), tag("ab"), imported.clone()]).await.expect("tags"),
                ),
                1 => rename("a", "z").await,
                2 => drop(writer.edit_term(TermKind::Tag, &slug("a"), describe).await.expect("an answer")),
                3 => rename("z", "y").await,
                4 => rename("y", "a").await,
                5 => rename("third", "first").await,
                6 => drop(writer.delete_term(TermKind::Tag, &slug("z"), |_| Ok::<_, ()>(())).await.expect("an answer")),
                _ => drop(
                    writer.delete_term(TermKind::Tag, &slug("second"), |_| Ok::<_, ()>(())).await.expect("an answer"),
                ),
            }
        }
        assert_same(&subjects, &format!("step {step}")).await;
    }
}

#[tokio::test]
async fn each_change_of_a_category_with_a_parent_leaves_the_same_rows() {
    const KIND: TermKind = TermKind::Category;
    let subjects = subjects().await;
    let category = |of: &str, parent: Option<&str>| Term { parent: parent.map(slug), ..Term::new(KIND, slug(of), of) };
    let keep = |term: &Term| Ok::<_, ()>(term.clone());
    for step in 0..10 {
        for subject in &subjects {
            let writer = subject.content.writer().expect("a writer");
            let place = async |of: &str, parent: Option<&str>| {
                let edit = |term: Option<&Term>| {
                    Ok::<_, ()>(Term { parent: parent.map(slug), ..term.expect("a category").clone() })
                };
                writer.edit_term(KIND, &slug(of), edit).await.is_ok()
            };
            let delete =
                async |of: &str| writer.delete_term(KIND, &slug(of), |_| Ok::<_, ()>(())).await.expect("an answer");
            match step {
                0 => {
                    let new =
                        [category("d", Some("c")), category("c", Some("a")), category("a", None), category("b", None)];
                    assert_eq!(writer.save_terms(KIND, new.to_vec()).await.expect("categories").made, 4);
                }
                1 => drop(writer.rename_term(KIND, &slug("c"), &slug("other"), keep).await.expect("an answer")),
                2 => assert!(place("d", Some("b")).await),
                3 => assert!(place("d", None).await),
                4 => assert!(place("a", Some("b")).await),
                // Refused: `c` is below `a`, which is below `b`; `e` does not exist; and `a` has `c` below it.
                5 => assert!(!place("b", Some("c")).await),
                6 => assert!(!place("d", Some("e")).await),
                7 => assert_eq!(delete("a").await, Ok(Deleted::InUse(0))),
                8 => assert!(matches!(delete("c").await, Ok(Deleted::Done(_)))),
                _ => assert!(place("a", None).await),
            }
        }
        assert_same(&subjects, &format!("step {step}")).await;
    }
}

#[tokio::test]
async fn each_change_of_a_series_leaves_the_same_rows() {
    let subjects = subjects().await;
    let order = |numbers: &[u64]| numbers.iter().map(|n| post(*n, instant(NOW)).post.id).collect::<Vec<_>>();
    for step in 0..4 {
        for subject in &subjects {
            let writer = subject.content.writer().expect("a writer");
            let put = async |order: Vec<PostId>| {
                let edit = |found: Option<&Term>| {
                    Ok::<_, ()>(Term { order: order.clone(), ..found.expect("a series").clone() })
                };
                writer.edit_term(TermKind::Series, &slug("walks"), edit).await.expect("an answer").expect("an order");
            };
            let rename = |found: &Term| Ok::<_, ()>(Term { order: order(&[2]), ..found.clone() });
            match step {
                0 => put(order(&[3, 0, 7])).await,
                1 => put(Vec::new()).await,
                2 => drop(
                    writer
                        .rename_term(TermKind::Series, &slug("walks"), &slug("hikes"), rename)
                        .await
                        .expect("an answer"),
                ),
                _ => drop(
                    writer.delete_term(TermKind::Series, &slug("hikes"), |_| Ok::<_, ()>(())).await.expect("an answer"),
                ),
            }
        }
        assert_same(&subjects, &format!("step {step}")).await;
    }
}
