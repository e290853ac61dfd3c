//! The ready fields of pages and their edges. The rule: an edge is ready if its node is.

use async_graphql::parser::types::Field;
use async_graphql::{ContextSelectionSet, Positioned};

use crate::model::{Slug, TermKind};

use super::connection::{
    AuthorConnection, AuthorEdge, CategoryConnection, CategoryEdge, PageInfo, PostConnection, PostEdge,
    SeriesConnection, SeriesEdge, TagConnection, TagEdge,
};
use super::context::RequestContext;
use super::ready::{Plan, ReadyObject, never_ready, write};
use super::selected::fields_of;
use super::types::archive::ArchiveMonth;
use super::types::post::PostObject;
use super::types::rich_text::RichText;
use super::types::series::Series;
use super::types::term::{Author, Category, Tag};

// The fields of these types can wait.
never_ready!(
    PostConnection,
    CategoryConnection,
    TagConnection,
    AuthorConnection,
    SeriesConnection,
    ArchiveMonth,
    RichText
);

#[derive(Debug, Clone, Copy)]
pub enum PageInfoField {
    HasNextPage,
    HasPreviousPage,
    StartCursor,
    EndCursor,
}

impl ReadyObject for PageInfo {
    type Ready = PageInfoField;

    fn ready(_: &ContextSelectionSet<'_>, field: &Field) -> Option<PageInfoField> {
        Some(match field.name.node.as_str() {
            "hasNextPage" => PageInfoField::HasNextPage,
            "hasPreviousPage" => PageInfoField::HasPreviousPage,
            "startCursor" => PageInfoField::StartCursor,
            "endCursor" => PageInfoField::EndCursor,
            _ => return None,
        })
    }

    fn write(&self, field: &PageInfoField, _: &RequestContext, json: &mut Vec<u8>) -> bool {
        match field {
            PageInfoField::HasNextPage => write(json, &self.has_next_page),
            PageInfoField::HasPreviousPage => write(json, &self.has_previous_page),
            PageInfoField::StartCursor => write(json, &self.start_cursor),
            PageInfoField::EndCursor => write(json, &self.end_cursor),
        }
    }
}

pub enum EdgeField<T: ReadyObject> {
    Cursor,
    Node(Plan<T>),
}

/// The terms that the nodes of these edges will request.
fn terms_of_nodes<'o, E, T: ReadyObject + 'o>(
    ctx: &ContextSelectionSet<'_>,
    fields: &[&Positioned<Field>],
    edges: impl Iterator<Item = &'o E> + Clone,
    node: impl Fn(&'o E) -> &'o T + Clone,
) -> Vec<(TermKind, Slug)>
where
    E: 'o,
{
    let nodes = fields.iter().filter(|field| field.node.name.node == "node");
    let of_each = nodes.filter_map(|field| fields_of(ctx, &T::type_name(), &field.node.selection_set.node));
    of_each.flat_map(|fields| T::terms_of(ctx, &fields, edges.clone().map(node.clone()))).collect()
}

macro_rules! ready_edge {
    ($edge:ty, $node:ty) => {
        impl ReadyObject for $edge {
            type Ready = EdgeField<$node>;

            fn ready(ctx: &ContextSelectionSet<'_>, field: &Field) -> Option<EdgeField<$node>> {
                match field.name.node.as_str() {
                    "cursor" => Some(EdgeField::Cursor),
                    "node" => Some(EdgeField::Node(Plan::below(ctx, field)?)),
                    _ => None,
                }
            }

            fn write(&self, field: &EdgeField<$node>, request: &RequestContext, json: &mut Vec<u8>) -> bool {
                match field {
                    EdgeField::Cursor => write(json, &self.cursor),
                    EdgeField::Node(plan) => plan.write(&self.node.0, request, json),
                }
            }

            fn terms_of<'o>(
                ctx: &ContextSelectionSet<'_>,
                fields: &[&Positioned<Field>],
                objects: impl Iterator<Item = &'o Self> + Clone,
            ) -> Vec<(TermKind, Slug)> {
                terms_of_nodes(ctx, fields, objects, |edge| &edge.node.0)
            }
        }
    };
}

ready_edge!(PostEdge, PostObject);
ready_edge!(CategoryEdge, Category);
ready_edge!(TagEdge, Tag);
ready_edge!(AuthorEdge, Author);
ready_edge!(SeriesEdge, Series);
