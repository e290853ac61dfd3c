//! Two changes of the tree of categories on two servers, switched at any storage request of each: at some requests in a short run, at every one in a long run.
//! The rule: wherever a writer is stopped, the replies and the tree are those of one change after the other.

use std::sync::Arc;

use tidings::content::{Content, ContentError};
use tidings::model::actor::Role;
use tidings::model::{Actor, ActorKind, Term, TermKind};
use tidings::testing::{Edited, Editor, Patch, Problem, TermChanges};

use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds, stride, wide_stride};
use crate::support::site::{Site, slug};
use crate::support::stepping::{Actor as Stepped, Releases, Trace, trace_text};

use super::scene::{clock, server};

const KIND: TermKind = TermKind::Category;

/// A change of the tree, by slugs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Move {
    Place(&'static str, Option<&'static str>),
    Rename(&'static str, &'static str),
    Create(&'static str, &'static str),
    Delete(&'static str),
}

/// `a`, `b` and `d` are at the top, `c` is below `a`.
async fn prepared() -> Arc<MemoryStore> {
    let store = MemoryStore::empty();
    let site = Site::over(Arc::<MemoryStore>::clone(&store)).await.indexing_fields().await;
    let category = |of: &str, parent: Option<&str>| Term { parent: parent.map(slug), ..Term::new(KIND, slug(of), of) };
    let all = vec![category("a", None), category("b", None), category("c", Some("a")), category("d", None)];
    site.content.writer().expect("a writer").save_terms(KIND, all).await.expect("categories");
    store
}

/// What became of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Made,
    Refused,
}

async fn make(content: &Content, change: Move) -> Outcome {
    match edit(content, change).await {
        Ok(Ok(())) => Outcome::Made,
        Ok(Err(errors)) => {
            assert!(errors.iter().all(|error| error.problem != Problem::TooLarge), "{errors:?}");
            Outcome::Refused
        }
        Err(error) => panic!("{change:?}: {error}"),
    }
}

async fn edit(content: &Content, change: Move) -> Result<Edited<()>, ContentError> {
    let reader = content.reader();
    let actor = Actor::new(ActorKind::Token, "the tests", Role::Admin);
    let editor = Editor::new(content, &reader, &actor)?;
    let named = async |of: &str| {
        let found = content.reader().term(KIND, &slug(of)).await?;
        Ok::<_, ContentError>(found.map_or(("x".to_owned(), 1), |term| (term.node_id().to_string(), term.version)))
    };
    Ok(match change {
        Place(of, parent) => {
            let (id, version) = named(of).await?;
            let parent = match parent {
                Some(parent) => Patch::Set(named(parent).await?.0.into()),
                None => Patch::Clear,
            };
            editor.update_term(KIND, &id, version, TermChanges { parent, ..TermChanges::default() }).await?.map(drop)
        }
        Rename(of, to) => {
            let (id, version) = named(of).await?;
            let changes = TermChanges { slug: Patch::Set(to.to_owned()), ..TermChanges::default() };
            editor.update_term(KIND, &id, version, changes).await?.map(drop)
        }
        Create(of, parent) => {
            let (name, parent) = (Patch::Set(of.to_owned()), Patch::Set(named(parent).await?.0.into()));
            editor.create_term(KIND, TermChanges { name, parent, ..TermChanges::default() }).await?.map(drop)
        }
        Delete(of) => {
            let (id, version) = named(of).await?;
            editor.delete_term(KIND, &id, version).await?.map(drop)
        }
    })
}

/// Each category with its parent.
async fn tree(store: &Arc<MemoryStore>) -> Vec<String> {
    let content = server(store.clone(), &clock()).await;
    let report = content.check().await.expect("the check reads everything");
    assert_eq!(report.differences, Vec::new());
    let categories = content.all_terms(KIND).await.expect("categories");
    categories.iter().map(|of| format!("{} {} {:?}", of.id.first_slug, of.slug, of.parent)).collect()
}

/// The changes one after the other: whether each was made, and the tree after them.
async fn in_order(store: &Arc<MemoryStore>, changes: &[Move]) -> (Vec<bool>, Vec<String>) {
    let store = store.fork();
    let mut made = Vec::new();
    for change in changes {
        made.push(make(&server(store.clone(), &clock()).await, *change).await == Outcome::Made);
    }
    (made, tree(&store).await)
}

/// The first server runs `first` steps, the second `second` steps; then the first runs to its end, then the second. Returns whether each had more steps.
async fn run(
    store: &Arc<MemoryStore>,
    [one, other]: [Move; 2],
    (first, second): (usize, usize),
    releases: [Releases; 2],
) -> (bool, bool) {
    let (copy, trace) = (store.fork(), Trace::default());
    let begin = async |name: &'static str, change: Move, which: Releases| {
        let work = |gated| async move { make(&server(gated, &clock()).await, change).await };
        let mut actor = Stepped::new(name, copy.clone(), &trace, work).await;
        actor.release(which);
        actor
    };
    let (mut a, mut b) = (begin("A", one, releases[0]).await, begin("B", other, releases[1]).await);
    a.steps(first).await;
    b.steps(second).await;
    let had_more = (!a.is_done(), !b.is_done());
    let outcomes = (a.finish().await, b.finish().await);
    let made = (outcomes.0 == Outcome::Made, outcomes.1 == Outcome::Made);
    let found = tree(&copy).await;
    let story = || format!("{one:?} {other:?} {first} {second} {outcomes:?}: {found:?}{}", trace_text(&trace));
    let is_explained = match made {
        (true, true) => {
            let (both, then) = (in_order(store, &[one, other]).await, in_order(store, &[other, one]).await);
            [both, then].contains(&(vec![true, true], found.clone()))
        }
        (true, false) => in_order(store, &[one]).await == (vec![true], found.clone()),
        (false, true) => in_order(store, &[other]).await == (vec![true], found.clone()),
        (false, false) => false,
    };
    assert!(is_explained, "{}", story());
    had_more
}

async fn assert_serial(one: Move, other: Move) {
    let store = prepared().await;
    for seed in seeds(1) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        for changes in [[one, other], [other, one]] {
            let (mut first, mut runs) = (0, 0);
            loop {
                let (mut second, mut has_more) = (0, false);
                loop {
                    let releases = [0, 1].map(|_| *random.pick(&[Releases::Oldest, Releases::Newest]));
                    let had_more = run(&store, changes, (first, second), releases).await;
                    has_more |= had_more.0;
                    runs += 1;
                    if !had_more.1 {
                        break;
                    }
                    second += wide_stride(&mut random);
                }
                if !has_more {
                    break;
                }
                first += stride(&mut random);
            }
            assert!(runs > 5, "only {runs} interleavings");
        }
    }
}

macro_rules! serial {
    ($($name:ident: $one:expr, $other:expr;)+) => {
        $(#[tokio::test(start_paused = true)]
        async fn $name() {
            assert_serial($one, $other).await;
        })+
    };
}

use Move::{Create, Delete, Place, Rename};

serial! {
    two_categories_placed_below_each_other: Place("a", Some("b")), Place("b", Some("a"));
    a_category_placed_below_its_child_that_leaves_it: Place("a", Some("c")), Place("c", None);
    two_places_of_one_category: Place("c", Some("b")), Place("c", Some("d"));
    a_place_and_a_removal_of_it: Place("c", Some("b")), Place("c", None);
    two_categories_placed_below_one: Place("b", Some("a")), Place("d", Some("a"));
    a_category_placed_below_one_that_is_deleted: Place("b", Some("d")), Delete("d");
    a_category_created_below_one_that_is_deleted: Create("new", "d"), Delete("d");
    a_category_deleted_as_its_last_child_leaves_it: Delete("a"), Place("c", Some("b"));
    a_category_deleted_with_its_last_child: Delete("a"), Delete("c");
    a_category_renamed_and_placed: Rename("c", "z"), Place("c", Some("b"));
    a_category_renamed_and_deleted: Rename("c", "z"), Delete("c");
    a_parent_renamed_and_a_category_created_below_it: Rename("a", "z"), Create("new", "a");
}
