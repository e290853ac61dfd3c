//! What the server is compared with: the same part of the schema, by the same engine, over maps in memory. The rule: no storage, no keys, no loaders;
//! the least that such an answer can cost.

use std::collections::HashMap;
use std::sync::Arc;

use async_graphql::{Context, EmptyMutation, EmptySubscription, ID, Object, Schema, SimpleObject};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tidings::graphql::scalars::DateTime;
use tidings::model::excerpt::excerpt_of;
use tidings::model::{Slug, TermKind};

use crate::posts::{self, Generated};

pub type MapSchema = Schema<Query, EmptyMutation, EmptySubscription>;

struct Maps {
    /// Newest first.
    posts: Vec<Arc<MapPost>>,
    /// The index in `posts` of the post with a cursor, and of the post with a slug.
    by_cursor: HashMap<String, usize>,
    by_slug: HashMap<Slug, usize>,
    terms: [HashMap<Slug, Arc<MapTerm>>; 3],
    /// The terms of each kind by their slugs from a to z.
    in_order: [Vec<Arc<MapTerm>>; 3],
}

struct MapPost {
    post: Generated,
    excerpt: String,
}

struct MapTerm {
    slug: Slug,
    name: String,
    /// Newest first.
    posts: Vec<Arc<MapPost>>,
}

/// The schema over the `kept` newest of so many posts.
pub fn schema(posts: u64, kept: u64) -> MapSchema {
    let newest = (posts.saturating_sub(kept)..posts).rev().map(|number| {
        let post = Generated::new(number);
        let excerpt = excerpt_of(&post.markdown);
        Arc::new(MapPost { post, excerpt })
    });
    let posts: Vec<_> = newest.collect();
    let in_order = TermKind::ALL.map(|kind| {
        let of = |slug: &Slug| posts.iter().filter(|post| post.terms(kind).contains(slug)).map(Arc::clone).collect();
        let terms = posts::terms(kind).map(|(slug, name)| Arc::new(MapTerm { posts: of(&slug), slug, name }));
        let mut terms: Vec<_> = terms.collect();
        terms.sort_by(|one, other| one.slug.cmp(&other.slug));
        terms
    });
    let maps = Maps {
        by_cursor: posts.iter().enumerate().map(|(index, post)| (cursor(&post.post), index)).collect(),
        by_slug: posts.iter().enumerate().map(|(index, post)| (post.post.slug.clone(), index)).collect(),
        terms: in_order
            .each_ref()
            .map(|terms| terms.iter().map(|term| (term.slug.clone(), Arc::clone(term))).collect()),
        posts,
        in_order,
    };
    Schema::build(Query, EmptyMutation, EmptySubscription).data(maps).finish()
}

impl MapPost {
    fn terms(&self, kind: TermKind) -> &[Slug] {
        match kind {
            TermKind::Author => &self.post.authors,
            TermKind::Category => &self.post.categories,
            TermKind::Tag => &self.post.tags,
        }
    }
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
        let start = after.and_then(|after| maps.by_cursor.get(&after)).map_or(0, |at| at + 1);
        Connection::of(&maps.posts, start, first)
    }

    async fn post(&self, ctx: &Context<'_>, slug: String) -> Option<Post> {
        let maps = maps(ctx);
        let index = *maps.by_slug.get(slug.as_str())?;
        Some(Post(Arc::clone(&maps.posts[index])))
    }

    async fn tag(&self, ctx: &Context<'_>, slug: String) -> Option<Term> {
        terms(ctx, TermKind::Tag, &[slug.parse().ok()?]).pop()
    }

    async fn authors(&self, ctx: &Context<'_>, first: Option<i32>) -> Terms {
        let all = &maps(ctx).in_order[TermKind::Author as usize];
        Terms(all.iter().take(first.unwrap_or(20).clamp(0, 100) as usize).cloned().map(Term).collect())
    }
}

struct Terms(Vec<Term>);

#[Object]
impl Terms {
    async fn nodes(&self) -> &[Term] {
        &self.0
    }
}

struct Connection {
    posts: Vec<Arc<MapPost>>,
    has_next: bool,
}

impl Connection {
    fn of(all: &[Arc<MapPost>], start: usize, first: Option<i32>) -> Self {
        let end = (start + first.unwrap_or(20).clamp(0, 100) as usize).min(all.len());
        Self { posts: all[start..end].to_vec(), has_next: end < all.len() }
    }
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

#[Object]
impl Connection {
    async fn edges(&self) -> Vec<Edge> {
        self.posts.iter().map(|post| Edge { cursor: cursor(&post.post), node: Post(Arc::clone(post)) }).collect()
    }

    async fn nodes(&self) -> Vec<Post> {
        self.posts.iter().map(|post| Post(Arc::clone(post))).collect()
    }

    async fn page_info(&self) -> PageInfo {
        PageInfo { has_next_page: self.has_next, end_cursor: self.posts.last().map(|post| cursor(&post.post)) }
    }
}

pub fn cursor(post: &Generated) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}-{}", post.at.ticks(), post.id))
}

/// The body of a post.
#[derive(SimpleObject)]
struct Body {
    markdown: String,
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

    async fn body(&self) -> Body {
        Body { markdown: self.0.post.markdown.clone() }
    }

    async fn published_at(&self) -> Option<DateTime> {
        Some(DateTime(self.0.post.at))
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
        Connection::of(&self.0.posts, 0, first)
    }
}
