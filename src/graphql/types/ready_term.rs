//! The ready fields of categories, tags, authors and series. The rule: counts and lists of posts are not ready, because they can wait.

use async_graphql::ContextSelectionSet;
use async_graphql::parser::types::Field;

use crate::graphql::context::RequestContext;
use crate::graphql::ready::{ReadyObject, write};
use crate::model::Term;

use super::series::Series;
use super::site::address_of_term;
use super::term::{Author, Category, Tag};

#[derive(Debug, Clone, Copy)]
pub enum TermField {
    Id,
    Slug,
    Name,
    /// The description of a category, tag or series, or the bio of an author.
    Description,
    Url,
    JobTitle,
    CanonicalUrl,
    Version,
}

fn field_of_term(name: &str) -> Option<TermField> {
    Some(match name {
        "id" => TermField::Id,
        "slug" => TermField::Slug,
        "name" => TermField::Name,
        "version" => TermField::Version,
        "canonicalUrl" => TermField::CanonicalUrl,
        _ => return None,
    })
}

fn write_field(term: &Term, field: TermField, request: &RequestContext, json: &mut Vec<u8>) -> bool {
    match field {
        TermField::Id => write(json, &term.node_id().to_string()),
        TermField::Slug => write(json, term.slug.as_str()),
        TermField::Name => write(json, &term.name),
        TermField::Description => write(json, &term.description),
        TermField::Url => write(json, &term.url),
        TermField::JobTitle => write(json, &term.profile.job_title),
        TermField::CanonicalUrl => write(json, &address_of_term(request, term)),
        TermField::Version => write(json, &term.version),
    }
}

macro_rules! ready_term {
    ($object:ty, $($own:literal => $field:expr),+) => {
        impl ReadyObject for $object {
            type Ready = TermField;

            fn ready(_: &ContextSelectionSet<'_>, field: &Field) -> Option<TermField> {
                match field.name.node.as_str() {
                    $($own => Some($field),)+
                    name => field_of_term(name),
                }
            }

            fn write(&self, field: &TermField, request: &RequestContext, json: &mut Vec<u8>) -> bool {
                write_field(&self.0, *field, request, json)
            }
        }
    };
}

ready_term!(Category, "description" => TermField::Description);
ready_term!(Tag, "description" => TermField::Description);
ready_term!(Series, "description" => TermField::Description);
ready_term!(Author, "bio" => TermField::Description, "url" => TermField::Url, "jobTitle" => TermField::JobTitle);
