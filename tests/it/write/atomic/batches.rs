//! Several changes in one call. The rule: each has an outcome of its own, and is based on the changes before it.

use std::sync::Arc;

use tidings::keys::PostPlace;
use tidings::model::{Term, TermKind, WholePost};
use tidings::store::embedded::EmbeddedStore;
use tidings::store::{CountingStore, Store};
use tidings::testing::{Change, Deleted, GoneTerm, Outcome, Renamed, Stored};

use crate::support::site::{Site, instant, post, slug, slugs};

const MAY: &str = "2026-05-01T00:00:00Z";

async fn counted() -> (Site, Arc<CountingStore>) {
    let store: Store = Arc::new(EmbeddedStore::in_memory().expect("a store in memory"));
    let counting = CountingStore::explaining(store);
    (Site::over(Arc::<CountingStore>::clone(&counting)).await, counting)
}

fn new(whole: &WholePost) -> Change {
    Change { before: None, after: Some(whole.clone()) }
}

async fn stored(site: &Site, whole: &WholePost) -> Stored {
    let place = PostPlace::of(&whole.post);
    let row = site.store.get(place.collection.name(), &place.whole(&whole.post.slug)).await.expect("a read");
    Stored::read(&row.expect("a post")).expect("it reads")
}

#[tokio::test]
async fn a_refused_change_does_not_affect_the_others_of_its_call() {
    let (site, counting) = counted().await;
    let [first, mut second, third] = [0, 1, 2].map(|n| post(n, instant(MAY)));
    second.post.slug = first.post.slug.clone();
    let mut tagged = post(3, instant(MAY));
    tagged.post.tags = slugs(&["new", "gone"]);
    let mut again = tagged.clone();
    again.post.tags = slugs(&["new"]);
    let mut shares = post(4, instant(MAY));
    shares.post.tags = slugs(&["new"]);
    let changes = [&first, &second, &first, &third, &tagged, &again, &shares].map(new).to_vec();
    let before = counting.used().transactions;
    let writer = site.content.writer().expect("a writer");
    let outcomes = writer.change_posts_with(changes, &slugs(&["new"]), None).await.expect("an answer");
    let expected = [
        Outcome::Done,
        Outcome::Taken(first.post.slug.clone()),
        Outcome::Exists,
        Outcome::Done,
        Outcome::TermsGone(vec![GoneTerm { kind: TermKind::Tag, slug: slug("gone"), now_of: None }]),
        Outcome::Done,
        Outcome::Done,
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(counting.used().transactions - before, 1);
    site.assert_sound().await;
}

#[tokio::test]
async fn a_second_change_of_a_post_in_one_call_is_a_conflict() {
    let (site, _) = counted().await;
    let first = post(0, instant(MAY));
    site.publish(std::slice::from_ref(&first)).await;
    let before = stored(&site, &first).await;
    let titled = |title: &str| {
        let mut after = first.clone();
        after.post.title = title.to_owned();
        after.post.version += 1;
        Change { before: Some(before.clone()), after: Some(after) }
    };
    let deleted = Change { before: Some(before.clone()), after: None };
    let writer = site.content.writer().expect("a writer");
    let outcomes =
        writer.change_posts_with(vec![titled("One"), titled("Two"), deleted], &[], None).await.expect("an answer");
    assert_eq!(outcomes, [Outcome::Done, Outcome::Conflict, Outcome::Conflict]);
    // The ETag is that of an old version.
    let late = writer.change_posts_with(vec![titled("Three")], &[], None).await.expect("an answer");
    assert_eq!(late, [Outcome::Conflict]);
    site.assert_sound().await;
}

#[tokio::test]
async fn a_post_takes_the_slug_that_another_one_releases_in_the_same_call() {
    let (site, _) = counted().await;
    let [first, mut second] = [0, 1].map(|n| post(n, instant(MAY)));
    site.publish(std::slice::from_ref(&first)).await;
    let deleted = Change { before: Some(stored(&site, &first).await), after: None };
    second.post.slug = first.post.slug.clone();
    let writer = site.content.writer().expect("a writer");
    let outcomes = writer.change_posts_with(vec![deleted, new(&second)], &[], None).await.expect("an answer");
    assert_eq!(outcomes, [Outcome::Done, Outcome::Done]);
    site.assert_sound().await;
}

#[tokio::test]
async fn only_the_newest_hundred_versions_are_kept_and_none_of_a_deleted_post() {
    let (site, _) = counted().await;
    let mut whole = post(0, instant(MAY));
    site.publish(std::slice::from_ref(&whole)).await;
    let writer = site.content.writer().expect("a writer");
    for _ in 0..103 {
        let before = Some(stored(&site, &whole).await);
        whole.post.version += 1;
        let outcomes = writer.change_posts_with(vec![Change { before, after: Some(whole.clone()) }], &[], None).await;
        assert_eq!(outcomes.expect("an answer"), [Outcome::Done]);
    }
    assert_eq!(site.store.scan("Revisions", None).await.expect("a scan").rows.len(), 100);
    let before = Some(stored(&site, &whole).await);
    writer.change_posts_with(vec![Change { before, after: None }], &[], None).await.expect("an answer");
    assert_eq!(site.store.scan("Revisions", None).await.expect("a scan").rows, Vec::new());
    site.assert_sound().await;
}

#[tokio::test]
async fn an_import_of_many_posts_takes_one_transaction_for_as_many_as_it_holds() {
    let (site, counting) = counted().await;
    let posts: Vec<WholePost> = (0..1_000)
        .map(|n| {
            let mut whole = post(n, instant(MAY));
            whole.post.tags = slugs(&["a", "b", "c"]);
            whole
        })
        .collect();
    let before = counting.used().transactions;
    let writer = site.content.writer().expect("a writer");
    let changes = posts.iter().map(new).collect();
    let outcomes = writer.change_posts_with(changes, &slugs(&["a", "b", "c"]), None).await.expect("an answer");
    assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Done));
    let transactions = counting.used().transactions - before;
    // A post with three new tags is estimated as some 80 KB, and a transaction has 64 MiB.
    assert_eq!(transactions, 2);
    site.assert_sound().await;
}

#[tokio::test]
async fn a_term_of_a_draft_or_a_scheduled_post_is_not_deleted() {
    let (site, _) = counted().await;
    let writer = site.content.writer().expect("a writer");
    let mut draft = post(0, instant(MAY));
    (draft.post.published_at, draft.post.tags) = (None, slugs(&["of-a-draft"]));
    let mut scheduled = post(1, instant("2099-01-01T00:00:00Z"));
    scheduled.post.tags = slugs(&["scheduled"]);
    site.publish(&[draft, scheduled]).await;
    let free = Term::new(TermKind::Tag, slug("free"), "Of no post");
    writer.save_terms(TermKind::Tag, vec![free]).await.expect("a tag");
    for (tag, is_used) in [("of-a-draft", true), ("scheduled", true), ("free", false)] {
        let deleted = writer.delete_term(TermKind::Tag, &slug(tag), |_| Ok::<_, ()>(())).await.expect("an answer");
        let deleted = deleted.expect("no refusal");
        assert_eq!(matches!(deleted, Deleted::InUse(_)), is_used, "{tag}: {deleted:?}");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn every_slug_of_another_term_is_taken_present_or_former() {
    let (site, _) = counted().await;
    let writer = site.content.writer().expect("a writer");
    let tags = ["first", "other"].map(|of| Term::new(TermKind::Tag, slug(of), of)).to_vec();
    writer.save_terms(TermKind::Tag, tags).await.expect("tags");
    let rename = async |from: &str, to: &str| {
        let keep = |term: &Term| Ok::<_, ()>(term.clone());
        writer.rename_term(TermKind::Tag, &slug(from), &slug(to), keep).await.expect("an answer").expect("a rename")
    };
    assert!(matches!(rename("first", "second").await, Renamed::Done(_)));
    assert!(matches!(rename("second", "third").await, Renamed::Done(_)));
    for taken in ["first", "second", "third"] {
        assert_eq!(rename("other", taken).await, Renamed::Taken, "{taken}");
    }
    // A term may take its own former slugs; after it is deleted, other terms may.
    assert!(matches!(rename("third", "second").await, Renamed::Done(_)));
    assert!(matches!(
        writer.delete_term(TermKind::Tag, &slug("second"), |_| Ok::<_, ()>(())).await,
        Ok(Ok(Deleted::Done(_)))
    ));
    for free in ["third", "second", "first"] {
        assert!(matches!(rename("other", free).await, Renamed::Done(_)), "{free}");
        site.assert_sound().await;
    }
}
