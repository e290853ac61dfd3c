//! A site of a few posts, which a test copies for each of its runs. The rule: servers share it, and each assumes that others write too.

use std::sync::Arc;
use std::time::Duration;

use tidings::clock::Clock;
use tidings::content::{Content, ContentError, Sharing};
use tidings::model::instant::TICKS_PER_SECOND;
use tidings::model::{Instant, Term, TermKind, WholePost};
use tidings::store::Store;

use crate::support::asking::{Reply, ask};
use crate::support::memory::MemoryStore;
use crate::support::model::{Command, Fields, Model};
use crate::support::site::{NOW, Site, indexed, indexing_fields, instant, post, slug, slugs};
use crate::support::stores::{only_read, served};

pub struct Scene {
    pub store: Arc<MemoryStore>,
    pub model: Model,
}

/// Posts 0 and 1 are of May, post 2 is the only one of March, post 3 is a draft of April. Post 0 has the former slug `old-0`, and is the only one
/// with the tag `alone`, and the only one with the rating 5 and in the series `walks`; no post has the tag `free` or is in the series `talks`.
pub fn posts() -> Vec<WholePost> {
    let dates = ["2026-05-01T00:00:00Z", "2026-05-02T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"];
    let mut posts: Vec<WholePost> = dates.iter().zip(0..).map(|(at, n)| post(n, instant(at))).collect();
    for whole in &mut posts {
        // Otherwise the first change would generate its excerpt again.
        whole.post.has_own_excerpt = true;
        whole.post.tags = slugs(&["a", "b"]);
        whole.post.authors = slugs(&["ada"]);
        whole.post.categories = slugs(&["news"]);
        whole.metadata = indexed(3, "ESSAY");
    }
    posts[0].metadata = indexed(5, "ESSAY");
    posts[0].post.tags = slugs(&["a", "alone"]);
    posts[0].post.former_slugs = slugs(&["old-0"]);
    posts[0].post.series = Some(slug("walks"));
    posts[3].post.published_at = None;
    posts
}

/// The id of a post of the scene.
pub fn id(number: u64) -> String {
    post(number, instant(NOW)).post.id.to_string()
}

impl Scene {
    pub async fn new() -> Self {
        Self::on(MemoryStore::empty()).await
    }

    /// The scene in a store that was empty.
    pub async fn on(store: Arc<MemoryStore>) -> Self {
        let site = Site::over(Arc::<MemoryStore>::clone(&store)).await.indexing_fields().await;
        site.publish(&posts()).await;
        let free = Term::new(TermKind::Tag, slug("free"), "Of no post");
        let talks = Term::new(TermKind::Series, slug("talks"), "Of no post");
        let writer = site.content.writer().expect("a writer");
        for (kind, term) in [(TermKind::Tag, free), (TermKind::Series, talks)] {
            writer.save_terms(kind, vec![term]).await.expect("a term");
        }
        Self { model: Model::of(&site.content).await, store }
    }

    /// The scene after these changes, each of which must be made.
    pub async fn after(self, commands: &[Command]) -> Self {
        let content = server(self.store.clone(), &clock()).await;
        for command in commands {
            let reply = ask(&content, command).await;
            assert!(matches!(reply, Reply::Done(_)), "{command:?}: {reply:?}");
        }
        Self { model: Model::of(&content).await, ..self }
    }
}

/// One of several servers over a store.
pub async fn server(store: Store, clock: &Clock) -> Content {
    indexing_fields(plain_server(store, clock).await)
}

/// A server of a site without fields of its own, for a store in which none are listed.
pub async fn plain_server(store: Store, clock: &Clock) -> Content {
    try_server(store, clock).await.expect("the content opens")
}

/// As [`plain_server`], whose start may fail.
pub async fn try_server(store: Store, clock: &Clock) -> Result<Content, ContentError> {
    let sharing = Sharing::Shared { seen_within: Duration::ZERO };
    Content::open(served(store, clock), clock.clone(), sharing).await
}

/// A server that only reads: its start does not carry out what another server has left.
pub async fn looker(store: Store, clock: &Clock) -> Content {
    server(only_read(store, clock), clock).await
}

pub fn clock() -> Clock {
    Clock::fixed(instant(NOW))
}

/// A clock that is ahead of another by these ticks.
pub fn later(clock: &Clock, ticks: i64) -> Clock {
    Clock::fixed(Instant::from_ticks(clock.now().ticks() + ticks).expect("an instant"))
}

/// Advances a clock.
pub fn let_pass(clock: &Clock, time: Duration) {
    clock.set(later(clock, time.as_secs() as i64 * TICKS_PER_SECOND).now());
}

/// The same change, based on another version of its post.
pub fn on(version: i32, command: Command) -> Command {
    match command {
        Command::Update { id, changes, .. } => Command::Update { id, version, changes },
        Command::Publish { id, at, .. } => Command::Publish { id, version, at },
        Command::Unpublish { id, .. } => Command::Unpublish { id, version },
        Command::Delete { id, .. } => Command::Delete { id, version },
        other => other,
    }
}

pub fn retitle(post: u64, title: &str) -> Command {
    update(post, Fields { title: Some(title.to_owned()), ..Fields::default() })
}

pub fn retag(post: u64, tags: &[&str]) -> Command {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    update(post, Fields { tags: Some(tags), ..Fields::default() })
}

/// An empty text: none.
pub fn translate(post: u64, language: &str) -> Command {
    update(post, Fields { language: Some(language.to_owned()), ..Fields::default() })
}

pub fn feature(post: u64, is_featured: bool) -> Command {
    update(post, Fields { is_featured: Some(is_featured), ..Fields::default() })
}

/// Puts a post into a series; an empty text: into none.
pub fn enlist(post: u64, series: &str) -> Command {
    update(post, Fields { series: Some(series.to_owned()), ..Fields::default() })
}

/// Gives a post another rating, and no kind.
pub fn rate(post: u64, rating: u64) -> Command {
    update(post, Fields { metadata: Some(format!("{{\"rating\":{rating}}}")), ..Fields::default() })
}

pub fn rename(post: u64, slug: &str) -> Command {
    update(post, Fields { slug: Some(slug.to_owned()), ..Fields::default() })
}

pub fn retitle_and_rename(post: u64, title: &str, slug: &str) -> Command {
    update(post, Fields { title: Some(title.to_owned()), slug: Some(slug.to_owned()), ..Fields::default() })
}

fn update(post: u64, changes: Fields) -> Command {
    Command::Update { id: id(post), version: 1, changes }
}

pub fn redate(post: u64, at: &str) -> Command {
    Command::Publish { id: id(post), version: 1, at: instant(at) }
}

pub fn unpublish(post: u64) -> Command {
    Command::Unpublish { id: id(post), version: 1 }
}

pub fn delete(post: u64) -> Command {
    Command::Delete { id: id(post), version: 1 }
}

pub fn create(slug: &str, tags: &[&str]) -> Command {
    Command::Create {
        slug: slug.to_owned(),
        title: format!("Made as {slug}"),
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        publish_at: Some(instant("2026-05-03T00:00:00Z")),
    }
}

pub fn draft(slug: &str) -> Command {
    Command::Create { slug: slug.to_owned(), title: format!("A draft {slug}"), tags: Vec::new(), publish_at: None }
}

pub fn rename_tag(slug: &str, new_slug: &str) -> Command {
    Command::RenameTag { slug: slug.to_owned(), new_slug: new_slug.to_owned() }
}

pub fn delete_tag(slug: &str) -> Command {
    Command::DeleteTag { slug: slug.to_owned() }
}

pub fn save_tag(slug: &str, name: &str) -> Command {
    Command::SaveTag { slug: slug.to_owned(), name: name.to_owned() }
}
