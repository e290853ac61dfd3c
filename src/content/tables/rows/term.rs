//! Rows of `Categories`, `Tags`, `Authors` and `Series`. The rule: a term has one identity row, under its first slug, which contains the whole term; the rows
//! of its other slugs only name that one, and are valid only if the identity row has the slug.

use crate::keys::term as keys;
use crate::model::{CreationId, CreationKey, PostId, Profile, Slug, Term, TermId, TermKind};
use crate::store::{Entity, Properties, StoreError, Value};

use super::{NewRow, RowFields};

const FIRST_SLUG: &str = "FirstSlug";
const LISTED: &str = "Listed";
const CREATION_ID: &str = "CreationId";
const CREATION_KEY: &str = "CreationKey";
const VERSION: &str = "Version";
/// JSON; absent if it is empty.
const PROFILE: &str = "Profile";
/// The first slug of the category above; absent without one.
const PARENT: &str = "Parent";
/// The ids of the posts of a series that come first, separated by spaces; absent if there are none.
const ORDER: &str = "Order";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermRow {
    /// The identity row. `term.slug` is the current slug, which can differ from the slug of the row.
    Identity(Box<Term>),
    /// The row of another slug of a term.
    Slug(SlugRow),
}

impl TermRow {
    /// Whether the term is listed under the slug of this row.
    pub fn is_listed_at(&self, slug: &Slug) -> bool {
        match self {
            Self::Identity(term) => term.slug == *slug,
            Self::Slug(row) => row.is_listed,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlugRow {
    pub first_slug: Slug,
    /// Whether the term is listed under this slug, with a mirror row and a count.
    pub is_listed: bool,
}

pub fn identity(term: &Term) -> Properties {
    NewRow::default()
        .text(FIRST_SLUG, &term.id.first_slug)
        .optional_text(CREATION_ID, term.creation.as_ref().map(CreationId::as_str))
        .optional_text(CREATION_KEY, term.creation_key.as_ref().map(CreationKey::to_string))
        .int32(VERSION, term.version)
        .text("Slug", &term.slug)
        .text("Name", &term.name)
        .optional_text("Description", term.description.as_deref())
        .optional_text("Url", term.url.as_deref())
        .optional_text(PROFILE, stored_profile(&term.profile))
        .slugs("FormerSlugs", &term.former_slugs)
        .slugs("Merged", &term.merged)
        .optional_text(PARENT, term.parent.as_ref())
        .optional_text(ORDER, stored_order(&term.order))
        .build()
}

fn stored_order(order: &[PostId]) -> Option<String> {
    (!order.is_empty()).then(|| order.iter().map(PostId::as_str).collect::<Vec<_>>().join(" "))
}

fn read_order(fields: &RowFields<'_>) -> Result<Vec<PostId>, StoreError> {
    let Some(text) = fields.optional_text(ORDER)? else { return Ok(Vec::new()) };
    text.split(' ').map(|id| id.parse().map_err(|_| fields.damaged(ORDER))).collect()
}

fn stored_profile(profile: &Profile) -> Option<String> {
    (!profile.is_empty()).then(|| serde_json::to_string(profile).expect("texts can be written as JSON"))
}

/// The row of a slug that is not the term's first.
pub fn slug_row(first_slug: &Slug, is_listed: bool) -> Properties {
    NewRow::default().text(FIRST_SLUG, first_slug).flag(LISTED, is_listed).build()
}

/// Whether the term is not listed under the slug of this row. `row`: made by `slug_row`.
pub fn is_unlisted(row: &Properties) -> bool {
    row.get(LISTED) == Some(&Value::Boolean(false))
}

pub fn read(kind: TermKind, row: &Entity) -> Result<TermRow, StoreError> {
    let fields = RowFields(row);
    let (slug, _) = keys::parse_row(row.key.row()).ok_or_else(|| fields.damaged("RowKey"))?;
    let first_slug: Slug = fields.parsed(FIRST_SLUG)?;
    if first_slug != slug {
        return Ok(TermRow::Slug(SlugRow { first_slug, is_listed: fields.flag(LISTED)? }));
    }
    let profile = fields.optional_text(PROFILE)?.map(|text| serde_json::from_str::<Profile>(text.as_str()));
    let term = Term {
        id: TermId { kind, first_slug },
        creation: Some(fields.parsed(CREATION_ID)?),
        creation_key: fields.optional_parsed(CREATION_KEY)?,
        version: fields.int32(VERSION)?,
        slug: fields.parsed("Slug")?,
        name: fields.text("Name")?.to_string(),
        description: fields.optional_text("Description")?.map(ToString::to_string),
        url: fields.optional_text("Url")?.map(ToString::to_string),
        profile: profile.transpose().map_err(|_| fields.damaged(PROFILE))?.unwrap_or_default(),
        former_slugs: fields.slugs("FormerSlugs")?,
        merged: fields.slugs("Merged")?,
        parent: fields.optional_parsed(PARENT)?,
        order: read_order(&fields)?,
    };
    Ok(TermRow::Identity(Box::new(term)))
}
