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

/// The number of newest posts that are kept: only the first page is requested.
const POSTS_KEPT: u64 = 1_000;

struct Maps {
    /// Newest first.
    posts: Vec<Arc<MapPost>>,
    terms: [HashMap<Slug, Arc<MapTerm>>; 3],
}

struct MapPost {
    post: Generated,
    excerpt: String,
}

struct MapTerm {
    slug: Slug,
    name: String,
}

pub fn schema(posts: u64) -> MapSchema {
    let newest = (posts.saturating_sub(POSTS_KEPT)..posts).rev().map(|number| {
        let post = Generated::new(number);
        let excerpt = excerpt_of(&post.markdown);
        Arc::new(MapPost { post, excerpt })
    });
    let terms = TermKind::ALL
        .map(|kind| posts::terms(kind).map(|(slug, name)| (slug.clone(), Arc::new(MapTerm { slug, name }))).collect());
    let maps = Maps { posts: newest.collect(), terms };
    Schema::build(Query, EmptyMutation, EmptySubscription).data(maps).finish()
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
        let all = &maps(ctx).posts;
        let start = after.and_then(|after| all.iter().position(|post| cursor(post) == after)).map_or(0, |at| at + 1);
        let end = (start + first.unwrap_or(20).clamp(0, 100) as usize).min(all.len());
        Connection { posts: all[start..end].to_vec(), has_next: end < all.len() }
    }
}

struct Connection {
    posts: Vec<Arc<MapPost>>,
    has_next: bool,
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
        self.posts.iter().map(|post| Edge { cursor: cursor(post), node: Post(Arc::clone(post)) }).collect()
    }

    async fn page_info(&self) -> PageInfo {
        PageInfo { has_next_page: self.has_next, end_cursor: self.posts.last().map(|post| cursor(post)) }
    }
}

fn cursor(post: &MapPost) -> String {
    URL_SAFE_NO_PAD.encode(format!("{}-{}", post.post.at.ticks(), post.post.id))
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
}
