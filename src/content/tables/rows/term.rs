//! Rows of `Categories`, `Tags`, `Authors` and `Series`. The rule: a term has one identity row, under its first slug, which holds the whole term; the rows of
//! its other slugs only name that one, and are believed only if the identity row has the slug (docs/design.md, "Rows").

use crate::keys::intent::IntentName;
use crate::keys::term as keys;
use crate::model::{CreationId, CreationKey, PostId, Profile, Slug, Term, TermId, TermKind};
use crate::store::{Entity, Properties, StoreError, Value};

use super::{NewRow, RowFields};

const FIRST_SLUG: &str = "FirstSlug";
const MADE_BY: &str = "MadeBy";
const DELETING_BY: &str = "DeletingBy";
const GONE_BY: &str = "GoneBy";
/// Absent if it is false, and in rows of earlier versions.
const FENCE: &str = "Fence";
const WRITTEN_BY: &str = "Intent";
const LISTED: &str = "Listed";
const CREATION_ID: &str = "CreationId";
const CREATION_KEY: &str = "CreationKey";
const VERSION: &str = "Version";
/// JSON; absent if it is empty, and in rows of earlier versions.
const PROFILE: &str = "Profile";
/// The first slug of the category above; absent without one, and in rows of earlier versions.
const PARENT: &str = "Parent";
/// The ids of the posts of a series that come first, separated by spaces; absent if there are none, and in rows of earlier versions.
const ORDER: &str = "Order";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermRow {
    /// The identity row. `term.slug` is the present slug, which may be another than the row's.
    Identity(Box<IdentityRow>),
    /// The row of another slug of a term.
    Slug(SlugRow),
    /// No term is here: it was deleted, or its creation was aborted, by this intent.
    ///
    /// `is_fence`: a recovery has aborted the creation, which can no longer be committed.
    Gone { by: String, is_fence: bool },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityRow {
    pub term: Term,
    /// The intent that made this version; `None` on a store with transactions.
    pub made_by: Option<IntentName>,
    /// The intent of a deletion that is under way.
    pub deleting_by: Option<IntentName>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlugRow {
    pub first_slug: Slug,
    /// Whether it has a mirror row and is counted, as the row of the present slug is.
    pub is_listed: bool,
    /// The name of the intent that wrote it; empty on a store with transactions.
    pub by: String,
}

/// The identity row of a term, without the names of intents.
pub fn identity(term: &Term) -> Properties {
    NewRow::default()
        .text(FIRST_SLUG, &term.id.first_slug)
        .optional_text(CREATION_ID, term.creation.as_ref().and_then(CreationId::stored))
        .optional_text(CREATION_KEY, term.creation_key.as_ref().map(CreationKey::to_string))
        .int32(VERSION, term.version)
        .text("Slug", &term.slug)
        .text("Name", &term.name)
        .optional_text("Description", term.description.as_deref())
        .optional_text("Url", term.url.as_deref())
        .optional_text(PROFILE, stored_profile(&term.profile))
        .slugs("FormerSlugs", &term.former_slugs)
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

pub fn with_made_by(mut properties: Properties, intent: &str) -> Properties {
    properties.set(MADE_BY, Value::String(intent.into()));
    properties
}

/// The same row, with the name of a deletion that is under way.
pub fn with_deleting_by(mut properties: Properties, intent: &str) -> Properties {
    properties.set(DELETING_BY, Value::String(intent.into()));
    properties
}

/// The same row without the name of a deletion.
pub fn without_deleting(properties: &Properties) -> Properties {
    properties.without(DELETING_BY)
}

/// The same row without the names of intents.
pub fn without_intents(properties: &Properties) -> Properties {
    properties.without(MADE_BY).without(DELETING_BY)
}

/// The row of a slug that is not the term's first. `by`: the intent that writes it.
pub fn slug_row(first_slug: &Slug, is_listed: bool, by: &str) -> Properties {
    NewRow::default().text(FIRST_SLUG, first_slug).flag(LISTED, is_listed).text(WRITTEN_BY, by).build()
}

/// An identity row that says that there is no term.
pub fn gone(by: &str) -> Properties {
    NewRow::default().text(GONE_BY, by).build()
}

/// The fence of an aborted creation.
pub fn fence(by: &str) -> Properties {
    NewRow::default().text(GONE_BY, by).flag(FENCE, true).build()
}

/// Earlier versions kept a renamed term in the row of its present slug, and the rows of its other slugs pointed to that one.
fn is_of_an_earlier_version(row: &Entity, slug: &Slug, first_slug: &Slug) -> bool {
    let has = |name| row.properties.get(name).is_some();
    has("ForwardTo") || has("PendingFrom") || slug != first_slug && has("Name")
}

pub fn read(kind: TermKind, row: &Entity) -> Result<TermRow, StoreError> {
    let fields = RowFields(row);
    if let Some(by) = fields.optional_text(GONE_BY)? {
        return Ok(TermRow::Gone { by: by.to_string(), is_fence: fields.flag(FENCE)? });
    }
    let (slug, _) = keys::parse_row(row.key.row()).ok_or_else(|| fields.damaged("RowKey"))?;
    let first_slug: Slug = fields.parsed(FIRST_SLUG)?;
    if is_of_an_earlier_version(row, &slug, &first_slug) {
        let what = "is of an earlier version: start the server once, or run `tidings check --repair`";
        return Err(StoreError::corrupt(format!("the row {} {what}", row.key)));
    }
    if first_slug != slug {
        let by = fields.optional_text(WRITTEN_BY)?.map(ToString::to_string).unwrap_or_default();
        return Ok(TermRow::Slug(SlugRow { first_slug, is_listed: fields.flag(LISTED)?, by }));
    }
    let creation = fields.optional_text(CREATION_ID)?.map(|text| text.as_str());
    let creation_key = fields.optional_text(CREATION_KEY)?.map(|text| text.parse::<CreationKey>());
    let profile = fields.optional_text(PROFILE)?.map(|text| serde_json::from_str::<Profile>(text.as_str()));
    let term = Term {
        id: TermId { kind, first_slug },
        // Earlier versions wrote neither a creation id nor a version.
        creation: Some(CreationId::of_stored(creation).map_err(|_| fields.damaged(CREATION_ID))?),
        creation_key: creation_key.transpose().map_err(|_| fields.damaged(CREATION_KEY))?,
        version: if row.properties.get(VERSION).is_some() { fields.int32(VERSION)? } else { 1 },
        // A term that an earlier version wrote and never renamed has no such property.
        slug: if fields.optional_text("Slug")?.is_some() { fields.parsed("Slug")? } else { slug },
        name: fields.text("Name")?.to_string(),
        description: fields.optional_text("Description")?.map(ToString::to_string),
        url: fields.optional_text("Url")?.map(ToString::to_string),
        profile: profile.transpose().map_err(|_| fields.damaged(PROFILE))?.unwrap_or_default(),
        former_slugs: fields.slugs("FormerSlugs")?,
        parent: fields.optional_parsed(PARENT)?,
        order: read_order(&fields)?,
    };
    let (made_by, deleting_by) = (fields.intent(MADE_BY)?, fields.intent(DELETING_BY)?);
    Ok(TermRow::Identity(Box::new(IdentityRow { term, made_by, deleting_by })))
}
