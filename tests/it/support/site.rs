//! A site for tests: content in a store, with a fixed clock.

use std::sync::Arc;
use std::time::Duration;

use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::graphql::schema;
use tidings::model::{
    CreationId, IndexedFields, Instant, Metadata, Post, PostId, Slug, Term, TermId, TermKind, TermNodeId, WholePost,
};
use tidings::store::Store;
use tidings::store::embedded::EmbeddedStore;
use tidings::testing::{Change, Outcome};

use super::stores::served;

/// The time of the tests' clock, as the API returns it.
pub const NOW: &str = "2026-06-15T12:00:00.000Z";

pub fn instant(text: &str) -> Instant {
    text.parse().expect("an instant")
}

/// The text of a time as the API returns it: rounded down to the millisecond.
pub fn shown_time(at: Instant) -> String {
    at.to_chrono().to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
}

pub fn slug(text: &str) -> Slug {
    text.parse().expect("a slug")
}

pub fn slugs(texts: &[&str]) -> Vec<Slug> {
    texts.iter().map(|text| slug(text)).collect()
}

/// The creation id that [`Site::publish`] gives to a term, so that the same content has the same ids on every site.
pub fn creation_of(first_slug: &str) -> CreationId {
    CreationId::from_bits(first_slug.bytes().fold(7, |bits: u64, byte| bits.wrapping_mul(31).wrapping_add(byte.into())))
}

/// The id of a term that [`Site::publish`] has saved.
pub fn term_id(kind: TermKind, first_slug: &str) -> String {
    TermNodeId { key: TermId { kind, first_slug: slug(first_slug) }, creation: creation_of(first_slug) }.to_string()
}

/// A published post; its id and its slug follow from the number.
pub fn post(number: u64, at: Instant) -> WholePost {
    let id = PostId::from_bits(number.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let post = Post {
        title: format!("Post {number}"),
        subtitle: number.is_multiple_of(3).then(|| format!("Below {number}")),
        excerpt: format!("The opening of post {number}."),
        version: 1,
        published_at: Some(at),
        ..Post::new(id, slug(&format!("post-{number}")), at)
    };
    let markdown = format!("Post {number}, *in full*.\n").into();
    WholePost { post, markdown, metadata: Metadata::default(), changed_by: None }
}

/// Fields of posts with an index.
pub const INDEXED_FIELDS: &str =
    "extend type PostFields { rating: Int @index, kind: Kind @index } enum Kind { ESSAY REVIEW }";

/// The same content, with the fields of [`INDEXED_FIELDS`].
pub fn indexing_fields(content: Content) -> Content {
    content.with_fields(schema::site_fields(INDEXED_FIELDS).expect("fields"))
}

/// The partitions of the index of fields that a post with this metadata is in.
pub fn partitions_of_fields(metadata: &Metadata) -> Vec<Slug> {
    IndexedFields::of(["rating", "kind"].map(ToOwned::to_owned)).partitions(metadata)
}

/// Metadata with these values of [`INDEXED_FIELDS`].
pub fn indexed(rating: u64, kind: &str) -> Metadata {
    Metadata::parse(&format!("{{\"rating\":{rating},\"kind\":\"{kind}\"}}")).expect("metadata")
}

pub struct Site {
    pub content: Content,
    pub store: Store,
    pub clock: Clock,
}

impl Site {
    pub async fn in_memory() -> Self {
        Self::over(Arc::new(EmbeddedStore::in_memory().expect("a store in memory"))).await
    }

    /// On tables, with a log above them.
    pub async fn over(store: Store) -> Self {
        Self::opened(store, &Clock::fixed(instant(NOW)), Sharing::Alone).await
    }

    /// One of several servers over a store.
    pub async fn shared(store: Store, clock: &Clock) -> Self {
        Self::opened(store, clock, Sharing::Shared { seen_within: Duration::ZERO }).await
    }

    async fn opened(store: Store, clock: &Clock, sharing: Sharing) -> Self {
        Self::of(served(store, clock), clock, sharing).await
    }

    /// One of several servers over a store that has its log.
    pub async fn shared_above(log: Store, clock: &Clock) -> Self {
        Self::of(log, clock, Sharing::Shared { seen_within: Duration::ZERO }).await
    }

    async fn of(store: Store, clock: &Clock, sharing: Sharing) -> Self {
        let content = Content::open(Arc::clone(&store), clock.clone(), sharing).await.expect("the content opens");
        Self { content, store, clock: clock.clone() }
    }

    /// The same site, whose posts have the fields of [`INDEXED_FIELDS`]. To be called before it has posts.
    pub async fn indexing_fields(self) -> Self {
        let content = indexing_fields(self.content);
        content.prepare_field_indexes().await.expect("the list of indexed fields");
        Self { content, ..self }
    }

    /// Publishes posts, and saves every term that they use.
    pub async fn publish(&self, posts: &[WholePost]) {
        let writer = self.content.writer().expect("a writer");
        for kind in TermKind::ALL {
            let mut named: Vec<Slug> = posts.iter().flat_map(|p| p.post.terms(kind).to_vec()).collect();
            named.sort();
            named.dedup();
            let terms = named.into_iter().map(|slug| Term {
                creation: Some(creation_of(slug.as_str())),
                ..Term::new(kind, slug.clone(), format!("The {} {slug}", kind.noun()))
            });
            writer.save_terms(kind, terms.collect()).await.expect("terms are saved");
        }
        for batch in posts.chunks(1_000) {
            let changes = batch.iter().map(|post| Change { before: None, after: Some(post.clone()) }).collect();
            let outcomes = writer.change_posts_with(changes, &[], None).await.expect("posts are written");
            assert!(outcomes.iter().all(|outcome| *outcome == Outcome::Done), "{outcomes:?}");
        }
    }

    /// Invalidates what the server has cached, as if it had just started.
    pub fn invalidate_cached(&self) {
        self.content.invalidate_cached();
    }

    pub async fn assert_sound(&self) {
        let report = self.content.check().await.expect("the check reads everything");
        assert_eq!(report.differences, Vec::new());
    }
}
