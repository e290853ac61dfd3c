//! A post's rows: the summary under its time key, the same under its mirror key, and the whole post under its slug. The rule: one transaction writes
//! the three, and they agree in all that the summary holds; the whole row also has the body, the metadata, who changed it, `MadeBy`
//! and `TakenBy`.

use crate::keys::Collection;
use crate::keys::intent::IntentName;
use crate::model::{Instant, Language, Metadata, Post, PostKey, Slug, WholePost};
use crate::store::{Entity, Properties, StoreError, Value};

use super::packed::{self, TooLarge};
use super::{NewRow, RowFields};

const BODY: &str = "Body";
/// The hash of an asset; absent in a post without a cover, and in a row of an earlier version.
const COVER: &str = "Cover";
/// A tag of BCP 47; absent in a post without a language of its own, and in a row of an earlier version.
const LANGUAGE: &str = "Language";
/// Absent in a post that is not featured, and in a row of an earlier version.
const FEATURED: &str = "Featured";
/// The first slug of a series; absent in a post that is in none, and in a row of an earlier version.
const SERIES: &str = "Series";
/// Partitions of the index of declared fields; absent in a post that is in none, and in a row of an earlier version.
const FIELD_INDEX: &str = "FieldIndex";
/// JSON; absent if it is empty, and in a row of an earlier version.
const METADATA: &str = "Metadata";
/// The name, the kind and the author of the actor that made the version. Earlier versions stored the name only.
const CHANGED_BY: [&str; 3] = ["ChangedBy", "ChangedByKind", "ChangedByAuthor"];
pub const PENDING_FROM: &str = "PendingFrom";
pub const PENDING_BY: &str = "PendingBy";
pub const MADE_BY: &str = "MadeBy";
pub const TAKEN_BY: &str = "TakenBy";
const FENCE: &str = "Fence";
const FORWARD_TO: &str = "ForwardTo";

pub fn summary(post: &Post) -> Properties {
    summary_row(post).build()
}

fn summary_row(post: &Post) -> NewRow {
    NewRow::default()
        .text("Id", post.id.as_str())
        .text("Slug", &post.slug)
        .text("Title", &post.title)
        .text("Excerpt", &post.excerpt)
        .flag("HasOwnExcerpt", post.has_own_excerpt)
        .int32("Version", post.version)
        .instant("CreatedAt", post.created_at)
        .instant("UpdatedAt", post.updated_at)
        .optional_instant("PublishedAt", post.published_at)
        .slugs("Authors", &post.authors)
        .slugs("Categories", &post.categories)
        .slugs("Tags", &post.tags)
        .slugs("FormerSlugs", &post.former_slugs)
        .optional_text(COVER, post.cover.as_ref().map(ToString::to_string))
        .optional_text(LANGUAGE, post.language.as_ref().map(Language::as_str))
        .flag(FEATURED, post.is_featured)
        .optional_text(SERIES, post.series.as_ref().map(Slug::as_str))
        .slugs(FIELD_INDEX, &post.field_index)
        .optional_text("Origin", post.origin.as_deref())
}

/// # Errors
/// If the body does not fit a row.
pub fn whole(whole: &WholePost) -> Result<Properties, TooLarge> {
    let row = summary_row(&whole.post).actor(CHANGED_BY, whole.changed_by.as_ref());
    let mut properties = row.optional_text(METADATA, whole.metadata.shared_text()).build();
    packed::pack(&mut properties, BODY, whole.markdown.as_bytes())?;
    Ok(properties)
}

pub fn read_summary(row: &Entity) -> Result<Post, StoreError> {
    let fields = RowFields(row);
    Ok(Post {
        id: fields.parsed("Id")?,
        slug: fields.parsed("Slug")?,
        title: fields.text("Title")?.to_string(),
        excerpt: fields.text("Excerpt")?.to_string(),
        has_own_excerpt: fields.flag("HasOwnExcerpt")?,
        version: fields.int32("Version")?,
        created_at: fields.instant("CreatedAt")?,
        updated_at: fields.instant("UpdatedAt")?,
        published_at: fields.optional_instant("PublishedAt")?,
        authors: fields.slugs("Authors")?,
        categories: fields.slugs("Categories")?,
        tags: fields.slugs("Tags")?,
        series: fields.optional_parsed(SERIES)?,
        former_slugs: fields.slugs("FormerSlugs")?,
        cover: fields.optional_parsed(COVER)?,
        language: fields.optional_parsed(LANGUAGE)?,
        is_featured: fields.flag(FEATURED)?,
        field_index: fields.slugs(FIELD_INDEX)?,
        origin: fields.optional_text("Origin")?.map(ToString::to_string),
    })
}

/// The same row of a post in these partitions of the index of declared fields.
pub fn set_field_index(properties: &Properties, partitions: &[Slug]) -> Properties {
    let set = NewRow::default().slugs(FIELD_INDEX, partitions).build();
    let mut properties = properties.without(FIELD_INDEX);
    if let Some(value) = set.get(FIELD_INDEX) {
        properties.set(FIELD_INDEX, value.clone());
    }
    properties
}

pub fn read_whole(row: &Entity) -> Result<WholePost, StoreError> {
    let fields = RowFields(row);
    let body = String::from_utf8(packed::unpack(&fields, BODY)?).map_err(|_| fields.damaged(BODY))?;
    let metadata = match fields.optional_text(METADATA)? {
        None => Metadata::default(),
        Some(text) => Metadata::stored(text).ok_or_else(|| fields.damaged(METADATA))?,
    };
    Ok(WholePost { post: read_summary(row)?, markdown: body.into(), metadata, changed_by: fields.actor(CHANGED_BY)? })
}

/// # Errors
/// If [`read_whole`] does not read everything that the row holds of the actor that made the version.
pub fn check_actor(row: &Entity) -> Result<(), StoreError> {
    RowFields(row).check_actor(CHANGED_BY)
}

/// A move between two partitions, while it is under way. The rule of the protocol: a reader sees the post at exactly one of the two places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Move {
    /// This row is a tentative copy; it is current as soon as the row that it names is a redirect row.
    PendingFrom(OtherPlace),
    /// This is a redirect row: the post has moved to the place that it names.
    ForwardTo(OtherPlace),
}

/// The other end of a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherPlace {
    pub collection: Collection,
    pub key: PostKey,
}

pub fn set_move(properties: Properties, moving: &Move) -> Properties {
    let (mark, other) = match moving {
        Move::PendingFrom(other) => (PENDING_FROM, other),
        Move::ForwardTo(other) => (FORWARD_TO, other),
    };
    let mut properties = properties;
    let place = format!("{} {} {}", other.collection.name(), other.key.at.ticks(), other.key.id);
    properties.set(mark, Value::String(place.into()));
    properties
}

/// Names, on a tentative copy, the intent that has written it.
pub fn set_pending_by(mut properties: Properties, intent: &str) -> Properties {
    properties.set(PENDING_BY, Value::String(intent.into()));
    properties
}

/// The intent that has written a tentative copy.
pub fn pending_by(row: &Entity) -> Result<String, StoreError> {
    Ok(RowFields(row).text(PENDING_BY)?.to_string())
}

/// The same row, written by this intent (`MadeBy`), and taken by no change.
pub fn set_made_by(properties: Properties, intent: &str) -> Properties {
    let mut properties = properties.without(TAKEN_BY);
    properties.set(MADE_BY, Value::String(intent.into()));
    properties
}

/// The same row, taken by the change of this intent.
pub fn set_taken_by(mut properties: Properties, intent: &str) -> Properties {
    properties.set(TAKEN_BY, Value::String(intent.into()));
    properties
}

/// The same row, taken by no change.
pub fn set_free(properties: &Properties) -> Properties {
    properties.without(TAKEN_BY)
}

/// The intent that made this version of the post.
pub fn made_by(row: &Entity) -> Result<Option<IntentName>, StoreError> {
    RowFields(row).intent(MADE_BY)
}

/// The intent of the change that has taken the post.
pub fn taken_by(row: &Entity) -> Result<Option<IntentName>, StoreError> {
    RowFields(row).intent(TAKEN_BY)
}

/// A row that earlier versions wrote to keep a new post from being written.
pub fn is_fence(row: &Entity) -> bool {
    row.properties.get(FENCE).is_some()
}

/// Whether [`read_move`] has anything to read.
pub fn is_marked(row: &Entity) -> bool {
    row.properties.get(PENDING_FROM).is_some() || row.properties.get(FORWARD_TO).is_some()
}

pub fn read_move(row: &Entity) -> Result<Option<Move>, StoreError> {
    let fields = RowFields(row);
    let read = |name| -> Result<Option<OtherPlace>, StoreError> {
        let Some(text) = fields.optional_text(name)? else { return Ok(None) };
        parse_place(text).map(Some).ok_or_else(|| fields.damaged(name))
    };
    Ok(match (read(PENDING_FROM)?, read(FORWARD_TO)?) {
        (Some(from), _) => Some(Move::PendingFrom(from)),
        (None, Some(to)) => Some(Move::ForwardTo(to)),
        (None, None) => None,
    })
}

/// Whether a summary or its mirror says the same about the post as its whole row, and has neither body nor metadata.
pub fn is_summary_of(row: &Entity, post: &Post, mark: Option<&Move>) -> bool {
    read_summary(row).is_ok_and(|read| read == *post)
        && read_move(row).is_ok_and(|read| read.as_ref() == mark)
        && [&format!("{BODY}0"), METADATA].into_iter().all(|name| row.properties.get(name).is_none())
}

fn parse_place(text: &str) -> Option<OtherPlace> {
    let mut parts = text.split(' ');
    let collection = parts.next()?.parse().ok()?;
    let at = Instant::from_ticks(parts.next()?.parse().ok()?)?;
    let id = parts.next()?.parse().ok()?;
    Some(OtherPlace { collection, key: PostKey { at, id } })
}
