//! The ready fields of posts and terms, and of their edges. The rule: a field that only reads the object is ready; the terms of a post are ready if they are
//! cached.

use std::sync::Arc;

use async_graphql::ContextSelectionSet;
use async_graphql::parser::types::Field;

use crate::graphql::connection::{AuthorEdge, CategoryEdge, PostEdge, SeriesEdge, TagEdge};
use crate::graphql::engine::ready::{Plan, ReadyObject, WriteField, write};
use crate::graphql::scalars::DateTime;
use crate::model::{Language, NodeId, PostStatus, Term, TermKind};

use super::post::PostObject;
use super::site::{address_of_post, address_of_term};
use super::term::{Author, Category, Series, Tag};

impl ReadyObject for PostObject {
    fn ready(ctx: &ContextSelectionSet<'_>, field: &Field) -> Option<WriteField<Self>> {
        let write: WriteField<Self> = match field.name.node.as_str() {
            "id" => Box::new(|post, _, json| write(json, &NodeId::Post(post.post().id.clone()).to_string())),
            "slug" => Box::new(|post, _, json| write(json, post.post().slug.as_str())),
            "title" => Box::new(|post, _, json| write(json, &post.post().title)),
            "subtitle" => Box::new(|post, _, json| write(json, &post.post().subtitle)),
            "excerpt" => Box::new(|post, _, json| write(json, &post.post().excerpt)),
            "excerptIsGenerated" => Box::new(|post, _, json| write(json, &!post.post().has_own_excerpt)),
            "language" => Box::new(|post, _, json| write(json, &post.post().language.as_ref().map(Language::as_str))),
            "featured" => Box::new(|post, _, json| write(json, &post.post().is_featured)),
            "status" => Box::new(|post, request, json| {
                let status = match post.post().status(request.reader.now()) {
                    PostStatus::Draft => "DRAFT",
                    PostStatus::Scheduled => "SCHEDULED",
                    PostStatus::Published => "PUBLISHED",
                };
                write(json, status)
            }),
            "version" => Box::new(|post, _, json| write(json, &post.post().version)),
            "createdAt" => Box::new(|post, _, json| write(json, &DateTime(post.post().created_at).text())),
            "updatedAt" => Box::new(|post, _, json| write(json, &DateTime(post.post().updated_at).text())),
            "publishedAt" => {
                Box::new(|post, _, json| write(json, &post.post().published_at.map(|at| DateTime(at).text())))
            }
            "canonicalUrl" => Box::new(|post, request, json| write(json, &address_of_post(request, post.post()))),
            "viewerCanUpdate" => Box::new(|post, request, json| {
                write(json, &request.reader.actor().is_some_and(|actor| actor.may_change(post.post())))
            }),
            "authors" => terms(ctx, field, TermKind::Author, Author)?,
            "categories" => terms(ctx, field, TermKind::Category, Category)?,
            "tags" => terms(ctx, field, TermKind::Tag, Tag)?,
            "author" => {
                let plan = Plan::of(ctx, &field.selection_set.node)?;
                Box::new(move |post, request, json| {
                    let Some(first) = post.post().authors.first() else { return write(json, &()) };
                    let cached = request.reader.terms_if_cached(TermKind::Author, std::slice::from_ref(first));
                    cached.is_some_and(|terms| terms.into_iter().all(|term| plan.write(&Author(term), request, json)))
                })
            }
            _ => return None,
        };
        Some(write)
    }
}

/// Writes the terms of a kind. A post without terms has an empty list.
fn terms<T: ReadyObject + 'static>(
    ctx: &ContextSelectionSet<'_>,
    field: &Field,
    kind: TermKind,
    object: fn(Arc<Term>) -> T,
) -> Option<WriteField<PostObject>> {
    let plan = Plan::of(ctx, &field.selection_set.node)?;
    Some(Box::new(move |post, request, json| {
        let Some(terms) = request.reader.terms_if_cached(kind, post.post().terms(kind)) else { return false };
        json.push(b'[');
        for (index, term) in terms.into_iter().enumerate() {
            if index > 0 {
                json.push(b',');
            }
            if !plan.write(&object(term), request, json) {
                return false;
            }
        }
        json.push(b']');
        true
    }))
}

macro_rules! ready_term {
    ($object:ty, $($own:literal => $value:expr),+) => {
        impl ReadyObject for $object {
            fn ready(_: &ContextSelectionSet<'_>, field: &Field) -> Option<WriteField<Self>> {
                let write: WriteField<Self> = match field.name.node.as_str() {
                    "id" => Box::new(|term, _, json| write(json, &term.0.node_id().to_string())),
                    "slug" => Box::new(|term, _, json| write(json, term.0.slug.as_str())),
                    "name" => Box::new(|term, _, json| write(json, &term.0.name)),
                    "version" => Box::new(|term, _, json| write(json, &term.0.version)),
                    "canonicalUrl" => {
                        Box::new(|term, request, json| write(json, &address_of_term(request, &term.0)))
                    }
                    $($own => Box::new(|term, _, json| {
                        let value: fn(&Term) -> &Option<String> = $value;
                        write(json, value(&term.0))
                    }),)+
                    _ => return None,
                };
                Some(write)
            }
        }
    };
}

ready_term!(Category, "description" => |term| &term.description);
ready_term!(Tag, "description" => |term| &term.description);
ready_term!(Series, "description" => |term| &term.description);
ready_term!(
    Author,
    "description" => |term| &term.description,
    "url" => |term| &term.url,
    "jobTitle" => |term| &term.profile.job_title
);

macro_rules! ready_edge {
    ($edge:ty) => {
        impl ReadyObject for $edge {
            fn ready(ctx: &ContextSelectionSet<'_>, field: &Field) -> Option<WriteField<Self>> {
                let write: WriteField<Self> = match field.name.node.as_str() {
                    "cursor" => Box::new(|edge, _, json| write(json, &edge.cursor)),
                    "node" => {
                        let plan = Plan::of(ctx, &field.selection_set.node)?;
                        Box::new(move |edge, request, json| plan.write(&edge.node, request, json))
                    }
                    _ => return None,
                };
                Some(write)
            }
        }
    };
}

ready_edge!(PostEdge);
ready_edge!(CategoryEdge);
ready_edge!(TagEdge);
ready_edge!(AuthorEdge);
ready_edge!(SeriesEdge);
