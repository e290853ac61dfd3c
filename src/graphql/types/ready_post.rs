//! The ready fields of posts. The rule: the terms of a post are ready if they are in memory; otherwise the loader reads them.

use async_graphql::parser::types::Field;
use async_graphql::{ContextSelectionSet, Positioned};

use crate::graphql::context::RequestContext;
use crate::graphql::ready::{ListWriter, Plan, ReadyObject, write};
use crate::graphql::scalars::DateTime;
use crate::model::{Actor, Language, PostStatus, Slug, Term, TermKind};

use super::post::PostObject;
use super::site::address_of_post;
use super::term::{Author, Category, Tag};

pub enum PostField {
    Id,
    Slug,
    Title,
    Excerpt,
    ExcerptIsGenerated,
    Language,
    Featured,
    Status,
    Version,
    CreatedAt,
    UpdatedAt,
    PublishedAt,
    CanonicalUrl,
    ViewerCanUpdate,
    Author(Plan<Author>),
    Authors(Plan<Author>),
    Categories(Plan<Category>),
    Tags(Plan<Tag>),
}

impl ReadyObject for PostObject {
    type Ready = PostField;

    fn ready(ctx: &ContextSelectionSet<'_>, field: &Field) -> Option<PostField> {
        Some(match field.name.node.as_str() {
            "id" => PostField::Id,
            "slug" => PostField::Slug,
            "title" => PostField::Title,
            "excerpt" => PostField::Excerpt,
            "excerptIsGenerated" => PostField::ExcerptIsGenerated,
            "language" => PostField::Language,
            "featured" => PostField::Featured,
            "status" => PostField::Status,
            "version" => PostField::Version,
            "createdAt" => PostField::CreatedAt,
            "updatedAt" => PostField::UpdatedAt,
            "publishedAt" => PostField::PublishedAt,
            "canonicalUrl" => PostField::CanonicalUrl,
            "viewerCanUpdate" => PostField::ViewerCanUpdate,
            // Terms are ready only if they are in memory.
            "author" | "authors" | "categories" | "tags" if !takes_values(ctx) => return None,
            "author" => PostField::Author(Plan::below(ctx, field)?),
            "authors" => PostField::Authors(Plan::below(ctx, field)?),
            "categories" => PostField::Categories(Plan::below(ctx, field)?),
            "tags" => PostField::Tags(Plan::below(ctx, field)?),
            _ => return None,
        })
    }

    fn write(&self, field: &PostField, request: &RequestContext, json: &mut Vec<u8>) -> bool {
        let post = self.post();
        match field {
            PostField::Id => {
                json.extend_from_slice(b"\"post-");
                json.extend_from_slice(post.id.as_str().as_bytes());
                json.push(b'"');
                true
            }
            PostField::Slug => write(json, post.slug.as_str()),
            PostField::Title => write(json, &post.title),
            PostField::Excerpt => write(json, &post.excerpt),
            PostField::ExcerptIsGenerated => write(json, &!post.has_own_excerpt),
            PostField::Language => write(json, &post.language.as_ref().map(Language::as_str)),
            PostField::Featured => write(json, &post.is_featured),
            PostField::Status => {
                let status = match post.status(request.reader.now()) {
                    PostStatus::Draft => "DRAFT",
                    PostStatus::Scheduled => "SCHEDULED",
                    PostStatus::Published => "PUBLISHED",
                };
                write(json, status)
            }
            PostField::Version => write(json, &post.version),
            PostField::CreatedAt => DateTime(post.created_at).write(json),
            PostField::UpdatedAt => DateTime(post.updated_at).write(json),
            PostField::PublishedAt => match post.published_at {
                Some(at) => DateTime(at).write(json),
                None => write(json, &()),
            },
            PostField::CanonicalUrl => write(json, &address_of_post(request, post)),
            PostField::ViewerCanUpdate => {
                let may_change = |actor: &Actor| actor.may_change(post);
                write(json, &request.reader.actor().is_some_and(may_change))
            }
            PostField::Author(plan) => write_first(request, &post.authors, plan, json),
            PostField::Authors(plan) => write_terms(request, (TermKind::Author, &post.authors), plan, Author, json),
            PostField::Categories(plan) => {
                write_terms(request, (TermKind::Category, &post.categories), plan, Category, json)
            }
            PostField::Tags(plan) => write_terms(request, (TermKind::Tag, &post.tags), plan, Tag, json),
        }
    }

    fn terms_of<'o>(
        _: &ContextSelectionSet<'_>,
        fields: &[&Positioned<Field>],
        objects: impl Iterator<Item = &'o Self> + Clone,
    ) -> Vec<(TermKind, Slug)> {
        let mut keys = Vec::new();
        for (object, (kind, count)) in objects.flat_map(|object| counts_of(fields).map(|count| (object, count))) {
            keys.extend(object.post().terms(kind).iter().take(count).map(|slug| (kind, slug.clone())));
        }
        keys
    }
}

fn takes_values(ctx: &ContextSelectionSet<'_>) -> bool {
    ctx.data_opt::<RequestContext>().is_some_and(|request| request.reader.takes_values())
}

/// How many terms of each kind these fields request of a post.
fn counts_of(fields: &[&Positioned<Field>]) -> [(TermKind, usize); 3] {
    let selects = |name: &str| fields.iter().any(|field| field.node.name.node == name);
    let all_of = |name| if selects(name) { usize::MAX } else { 0 };
    let authors = all_of("authors").max(usize::from(selects("author")));
    [(TermKind::Author, authors), (TermKind::Category, all_of("categories")), (TermKind::Tag, all_of("tags"))]
}

/// A term that is shared with those in memory.
type SharedTerm = std::sync::Arc<Term>;

fn write_terms<T: ReadyObject>(
    request: &RequestContext,
    (kind, slugs): (TermKind, &[Slug]),
    plan: &Plan<T>,
    object: impl Fn(SharedTerm) -> T,
    json: &mut Vec<u8>,
) -> bool {
    let (mut list, mut are_written) = (ListWriter::new(json), true);
    let are_held = request.reader.visit_cached_terms(kind, slugs, |term| {
        are_written &= list.item(|json| plan.write(&object(SharedTerm::clone(term)), request, json));
    });
    list.end();
    are_held && are_written
}

/// Writes the first author, or null.
fn write_first(request: &RequestContext, slugs: &[Slug], plan: &Plan<Author>, json: &mut Vec<u8>) -> bool {
    let (start, mut is_written) = (json.len(), true);
    let first = &slugs[..slugs.len().min(1)];
    let is_held = request.reader.visit_cached_terms(TermKind::Author, first, |term| {
        is_written &= plan.write(&Author(SharedTerm::clone(term)), request, json);
    });
    if json.len() == start {
        is_written &= write(json, &());
    }
    is_held && is_written
}
