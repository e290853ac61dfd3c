//! What the server is compared with: the same part of the schema, by the same engine, over maps in memory. The rule: no storage, no keys, no loaders;
//! the least that such an answer can cost.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use async_graphql::{Context, EmptyMutation, EmptySubscription, ID, Object, Schema, SimpleObject};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tidings::graphql::scalars::DateTime;
use tidings::model::excerpt::excerpt_of;
use tidings::model::markdown::html_of;
use tidings::model::{Slug, TermKind};

use crate::posts::{self, Generated};

pub type MapSchema = Schema<Query, EmptyMutation, EmptySubscription>;

/// The number of newest posts that are kept: no query that is measured goes further back, except for the posts with long bodies.
const POSTS_KEPT: u64 = 20_000;

struct Maps {
    /// Newest first.
    posts: Vec<Arc<MapPost>>,
    by_slug: HashMap<Slug, Arc<MapPost>>,
    /// The place of each cursor in `posts`.
    places: HashMap<String, usize>,
    terms: [HashMap<Slug, Arc<MapTerm>>; TermKind::ALL.len()],
    /// By slug.
    authors: Vec<Arc<MapTerm>>,
}

struct MapPost {
    post: Generated,
    excerpt: String,
    html: OnceLock<String>,
}

struct MapTerm {
    slug: Slug,
    name: String,
    /// Newest first.
    posts: Vec<Arc<MapPost>>,
}

pub fn schema(posts: u64) -> MapSchema {
    Schema::build(Query, EmptyMutation, EmptySubscription).data(Maps::new(posts)).finish()
}

impl Maps {
    fn new(count: u64) -> Self {
        let oldest_kept = count.saturating_sub(POSTS_KEPT);
        let beside = [posts::NUMBER_OF_4_KB, posts::NUMBER_OF_40_KB].into_iter().filter(|number| *number < oldest_kept);
        let post = |number| {
            let post = Generated::new(number);
            Arc::new(MapPost { excerpt: excerpt_of(&post.markdown), html: OnceLock::new(), post })
        };
        let posts: Vec<_> = (oldest_kept..count).rev().map(post).collect();
        let by_slug =
            posts.iter().cloned().chain(beside.map(post)).map(|post| (post.post.slug.clone(), post)).collect();
        let places = posts.iter().enumerate().map(|(place, post)| (cursor(&post.post), place)).collect();
        let terms = TermKind::ALL.map(|kind| terms_with_posts(kind, &posts));
        let mut authors: Vec<_> = terms[TermKind::Author as usize].values().cloned().collect();
        authors.sort_by(|one, other| one.slug.cmp(&other.slug));
        Self { posts, by_slug, places, terms, authors }
    }
}

fn terms_with_posts(kind: TermKind, posts: &[Arc<MapPost>]) -> HashMap<Slug, Arc<MapTerm>> {
    let mut of_terms: HashMap<&Slug, Vec<Arc<MapPost>>> = HashMap::new();
    for post in posts {
        let slugs = match kind {
            TermKind::Category => &post.post.categories,
            TermKind::Tag => &post.post.tags,
            TermKind::Author => &post.post.authors,
            TermKind::Series => continue,
        };
        for slug in slugs {
            of_terms.entry(slug).or_default().push(Arc::clone(post));
        }
    }
    let term = |(slug, name): (Slug, String)| {
        let posts = of_terms.remove(&slug).unwrap_or_default();
        (slug.clone(), Arc::new(MapTerm { slug, name, posts }))
    };
    posts::terms(kind).map(term).collect()
}

fn maps<'a>(ctx: &Context<'a>) -> &'a Maps {
    ctx.data_unchecked()
}

fn terms(ctx: &Context<'_>, kind: TermKind, slugs: &[Slug]) -> Vec<Term> {
    let known = &maps(ctx).terms[kind as usize];
    slugs.iter().filter_map(|slug| known.get(slug).cloned().map(Term)).collect()
}

pub struct Query;

#[Object]
impl Query {
    async fn posts(&self, ctx: &Context<'_>, first: Option<i32>, after: Option<String>) -> Connection {
        let maps = maps(ctx);
        let start = after.and_then(|after| maps.places.get(&after)).map_or(0, |place| place + 1);
        Connection::new(&maps.posts, start, first)
    }

    async fn post(&self, ctx: &Context<'_>, slug: String) -> Option<Post> {
        maps(ctx).by_slug.get(&slug.parse::<Slug>().ok()?).cloned().map(Post)
    }

    async fn tag(&self, ctx: &Context<'_>, slug: String) -> Option<Term> {
        terms(ctx, TermKind::Tag, &[slug.parse().ok()?]).pop()
    }

    async fn authors(&self, ctx: &Context<'_>, first: Option<i32>) -> TermConnection {
        let authors = &maps(ctx).authors;
        TermConnection { nodes: authors[..page(first).min(authors.len())].iter().cloned().map(Term).collect() }
    }
}

fn page(first: Option<i32>) -> usize {
    first.unwrap_or(20).clamp(0, 100) as usize
}

struct Connection {
    posts: Vec<Arc<MapPost>>,
    has_next: bool,
}

#[derive(SimpleObject)]
struct TermConnection {
    nodes: Vec<Term>,
}

#[derive(SimpleObject)]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(SimpleObject)]
struct Edge {
    cursor: String,
    node: Post,
}

impl Connection {
    fn new(all: &[Arc<MapPost>], start: usize, first: Option<i32>) -> Self {
        let end = (start + page(first)).min(all.len());
        Self { posts: all[start..end].to_vec(), has_next: end < all.len() }
    }
}

#[Object]
impl Connection {
    async fn edges(&self) -> Vec<Edge> {
        self.posts.iter().map(|post| Edge { cursor: cursor(&post.post), node: Post(Arc::clone(post)) }).collect()
    }

    async fn nodes(&self) -> Vec<Post> {
        self.posts.iter().cloned().map(Post).collect()
    }

    async fn page_info(&self) -> PageInfo {
        PageInfo { has_next_page: self.has_next, end_cursor: self.posts.last().map(|post| cursor(&post.post)) }
    }
}

pub fn cursor(post: &Generated) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}-{}", post.at.ticks(), post.id))
}

struct Post(Arc<MapPost>);

#[Object]
impl Post {
    async fn id(&self) -> ID {
        format!("post-{}", self.0.post.id).into()
    }

    async fn slug(&self) -> &str {
        self.0.post.slug.as_str()
    }

    async fn title(&self) -> &str {
        &self.0.post.title
    }

    async fn excerpt(&self) -> &str {
        &self.0.excerpt
    }

    async fn published_at(&self) -> Option<DateTime> {
        Some(DateTime(self.0.post.at))
    }

    async fn body(&self) -> RichText {
        RichText(Arc::clone(&self.0))
    }

    async fn author(&self, ctx: &Context<'_>) -> Option<Term> {
        terms(ctx, TermKind::Author, &self.0.post.authors[..1]).pop()
    }

    async fn authors(&self, ctx: &Context<'_>) -> Vec<Term> {
        terms(ctx, TermKind::Author, &self.0.post.authors)
    }

    async fn categories(&self, ctx: &Context<'_>) -> Vec<Term> {
        terms(ctx, TermKind::Category, &self.0.post.categories)
    }

    async fn tags(&self, ctx: &Context<'_>) -> Vec<Term> {
        terms(ctx, TermKind::Tag, &self.0.post.tags)
    }
}

struct RichText(Arc<MapPost>);

#[Object]
impl RichText {
    async fn markdown(&self) -> &str {
        &self.0.post.markdown
    }

    /// Rendered once.
    async fn html(&self) -> &str {
        self.0.html.get_or_init(|| html_of(&self.0.post.markdown))
    }
}

struct Term(Arc<MapTerm>);

#[Object]
impl Term {
    async fn slug(&self) -> &str {
        self.0.slug.as_str()
    }

    async fn name(&self) -> &str {
        &self.0.name
    }

    async fn posts(&self, first: Option<i32>) -> Connection {
        Connection::new(&self.0.posts, 0, first)
    }
}
