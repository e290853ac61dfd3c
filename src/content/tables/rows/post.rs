//! A post's rows: the summary under its time key, the same under its mirror key, and the whole post under its slug. The rule: one transaction writes the three,
//! and they agree in all properties of the summary; the whole row also has the body, the metadata and who changed it.

use crate::model::{Language, Metadata, Post, Slug, WholePost};
use crate::store::{Entity, Properties, StoreError};

use super::packed::{self, TooLarge};
use super::{NewRow, RowFields};

const BODY: &str = "Body";
/// The hash of an asset; absent without a cover.
const COVER: &str = "Cover";
/// Its address, its size in bytes and its media type, one on each line; absent without one.
const ENCLOSURE: &str = "Enclosure";
/// A BCP 47 tag; absent without an own language.
const LANGUAGE: &str = "Language";
/// The property is absent if the post has no subtitle.
const SUBTITLE: &str = "Subtitle";
/// Absent if the publication has no end.
const UNPUBLISH_AT: &str = "UnpublishAt";
const FEATURED: &str = "Featured";
/// The first slug of a series; absent without one.
const SERIES: &str = "Series";
/// The id of a group; absent without one.
const TRANSLATION_GROUP: &str = "TranslationGroup";
/// Partitions of the index of declared fields; absent if there are none.
const FIELD_INDEX: &str = "FieldIndex";
/// JSON; absent if it is empty.
const METADATA: &str = "Metadata";
/// The name, the kind and the author of the actor that made the version.
const CHANGED_BY: [&str; 3] = ["ChangedBy", "ChangedByKind", "ChangedByAuthor"];

pub fn summary(post: &Post) -> Properties {
    summary_row(post).build()
}

fn summary_row(post: &Post) -> NewRow {
    NewRow::default()
        .text("Id", post.id.as_str())
        .text("Slug", &post.slug)
        .text("Title", &post.title)
        .optional_text(SUBTITLE, post.subtitle.as_deref())
        .text("Excerpt", &post.excerpt)
        .flag("HasOwnExcerpt", post.has_own_excerpt)
        .int32("Version", post.version)
        .instant("CreatedAt", post.created_at)
        .instant("UpdatedAt", post.updated_at)
        .optional_instant("PublishedAt", post.published_at)
        .optional_instant(UNPUBLISH_AT, post.unpublish_at)
        .slugs("Authors", &post.authors)
        .slugs("Categories", &post.categories)
        .slugs("Tags", &post.tags)
        .slugs("FormerSlugs", &post.former_slugs)
        .optional_text(COVER, post.cover.as_ref().map(ToString::to_string))
        .optional_text(ENCLOSURE, post.enclosure.as_ref().map(ToString::to_string))
        .optional_text(LANGUAGE, post.language.as_ref().map(Language::as_str))
        .flag(FEATURED, post.is_featured)
        .optional_text(SERIES, post.series.as_ref().map(Slug::as_str))
        .optional_text(TRANSLATION_GROUP, post.translation_group.as_ref().map(ToString::to_string))
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
        subtitle: fields.optional_text(SUBTITLE)?.map(ToString::to_string),
        excerpt: fields.text("Excerpt")?.to_string(),
        has_own_excerpt: fields.flag("HasOwnExcerpt")?,
        version: fields.int32("Version")?,
        created_at: fields.instant("CreatedAt")?,
        updated_at: fields.instant("UpdatedAt")?,
        published_at: fields.optional_instant("PublishedAt")?,
        unpublish_at: fields.optional_instant(UNPUBLISH_AT)?,
        authors: fields.slugs("Authors")?,
        categories: fields.slugs("Categories")?,
        tags: fields.slugs("Tags")?,
        series: fields.optional_parsed(SERIES)?,
        translation_group: fields.optional_parsed(TRANSLATION_GROUP)?,
        former_slugs: fields.slugs("FormerSlugs")?,
        cover: fields.optional_parsed(COVER)?,
        enclosure: fields.optional_parsed(ENCLOSURE)?,
        language: fields.optional_parsed(LANGUAGE)?,
        is_featured: fields.flag(FEATURED)?,
        field_index: fields.slugs(FIELD_INDEX)?,
        origin: fields.optional_text("Origin")?.map(ToString::to_string),
    })
}

/// A copy of the properties with other partitions of the index of declared fields.
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
/// If [`read_whole`] drops a part of the version's actor because it cannot be read.
pub fn check_actor(row: &Entity) -> Result<(), StoreError> {
    RowFields(row).check_actor(CHANGED_BY)
}
