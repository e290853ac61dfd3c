//! The records of Tidings' own format, JSON Lines, which `tidings export` writes and `tidings import` reads. The rule: both use the same types, so
//! every export can be imported; within a version, fields may be added, but no field may change its meaning.
//!
//! In a folder, the file is [`CONTENT_FILE`], and the pictures of its `asset` lines are beside it, in [`ASSETS_FOLDER`].
//!
//! The first line is the header, `{"tidings":1}`. Every other line is an object with a `type`: the `category`, `tag`, `author` and `series` lines come
//! before the `post` lines that name them by slug. Lines end with `\n`; empty lines are ignored.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de};

use crate::{Failed, ImportedCover, ImportedLanguage, ImportedPage, ImportedPost, PagePlace, Term};
use tidings_model::{AssetName, Enclosure, FocalPoint, Instant, Metadata, PagePath, PostId, Slug};

use super::terms::TermRecord;
use super::values::{as_json, first_version, version};

/// The file with the records, in a folder that also contains the pictures.
pub const CONTENT_FILE: &str = "content.jsonl";

pub const ASSETS_FOLDER: &str = "assets";

/// The version of the format that is written, and the highest that can be read.
pub const VERSION: u32 = 1;

/// The first line of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    pub tidings: u32,
}

/// Any other line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Record {
    Category(TermRecord),
    Tag(TermRecord),
    Author(TermRecord),
    Series(TermRecord),
    Post(Box<PostRecord>),
    Page(Box<PageRecord>),
    Asset(Box<AssetRecord>),
}

impl Record {
    /// Reads a line. The type is read first and then the record, because a record that is read through its type loses the text of its numbers.
    ///
    /// # Errors
    /// If the line is not a record.
    pub fn read(line: &[u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct Typed<'l> {
            #[serde(rename = "type", borrow)]
            kind: Cow<'l, str>,
        }
        let kind = serde_json::from_slice::<Typed<'_>>(line)?.kind;
        Ok(match &*kind {
            "category" => Self::Category(serde_json::from_slice(line)?),
            "tag" => Self::Tag(serde_json::from_slice(line)?),
            "author" => Self::Author(serde_json::from_slice(line)?),
            "series" => Self::Series(serde_json::from_slice(line)?),
            "post" => Self::Post(serde_json::from_slice(line)?),
            "page" => Self::Page(serde_json::from_slice(line)?),
            "asset" => Self::Asset(serde_json::from_slice(line)?),
            kind => {
                let shown: String = kind.chars().take(40).collect();
                return Err(de::Error::custom(format!(
                    "the type {shown:?} is not category, tag, author, series, post, page or asset"
                )));
            }
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostRecord {
    pub id: String,
    pub slug: Slug,
    #[serde(default)]
    pub former_slugs: Vec<Slug>,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtitle: Option<String>,
    /// `null` if it is generated from the body.
    #[serde(default)]
    pub excerpt: Option<String>,
    pub markdown: String,
    /// If absent, the stored post keeps its metadata.
    #[serde(default, with = "as_json", skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    /// The id of the picture, which an export does not contain. If absent, the stored post keeps its cover.
    #[serde(default, skip_serializing_if = "ImportedCover::is_unknown")]
    pub cover_id: ImportedCover,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enclosure: Option<Enclosure>,
    /// A BCP 47 tag. If absent, the stored post keeps its language.
    #[serde(default, skip_serializing_if = "ImportedLanguage::is_unknown")]
    pub language: ImportedLanguage,
    /// The id of its group of translations. If absent, the stored post stays in its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_group: Option<String>,
    /// If absent, the stored post keeps its value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub featured: Option<bool>,
    pub status: Status,
    #[serde(default = "first_version", deserialize_with = "version")]
    pub version: i32,
    pub created_at: Instant,
    pub updated_at: Instant,
    /// `null` only for a draft.
    #[serde(default)]
    pub published_at: Option<Instant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpublish_at: Option<Instant>,
    /// Slugs.
    #[serde(default)]
    pub authors: Vec<String>,
    /// Slugs.
    #[serde(default)]
    pub categories: Vec<String>,
    /// Slugs.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The slug of the series, if the post is in one. If absent, the stored post keeps its series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<Vec<String>>,
    /// The place among the ordered posts of the series; absent for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series_position: Option<i32>,
    /// The origin of the post in an earlier import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// A page of the site. Each page comes after its parent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageRecord {
    pub id: String,
    pub path: PagePath,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_paths: Vec<PagePath>,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subtitle: Option<String>,
    /// `null` if it is generated from the body.
    #[serde(default)]
    pub excerpt: Option<String>,
    pub markdown: String,
    #[serde(default, with = "as_json", skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    /// The id of the picture, which an export does not contain. If absent, the stored page keeps its cover.
    #[serde(default, skip_serializing_if = "ImportedCover::is_unknown")]
    pub cover_id: ImportedCover,
    /// A BCP 47 tag. If absent, the stored page keeps its language.
    #[serde(default, skip_serializing_if = "ImportedLanguage::is_unknown")]
    pub language: ImportedLanguage,
    /// The id of its group of translations. If absent, the stored page stays in its group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation_group: Option<String>,
    #[serde(default)]
    pub order: Option<i32>,
    #[serde(default = "first_version", deserialize_with = "version")]
    pub version: i32,
    pub created_at: Instant,
    pub updated_at: Instant,
    /// `null` for a draft.
    #[serde(default)]
    pub published_at: Option<Instant>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unpublish_at: Option<Instant>,
    /// The origin of the page in an earlier import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// A picture or file of the site. Its bytes are in the file with this name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AssetRecord {
    pub file: AssetName,
    /// The name of the uploaded file.
    #[serde(default)]
    pub original_name: Option<String>,
    #[serde(default)]
    pub alt: Option<String>,
    #[serde(default)]
    pub caption: Option<String>,
    /// In percent, from the left and from the top: `50,30`.
    #[serde(default)]
    pub focal_point: Option<FocalPoint>,
    pub created_at: Instant,
    #[serde(default = "first_version", deserialize_with = "version")]
    pub version: i32,
}

impl PageRecord {
    pub fn into_page(self) -> ImportedPage {
        let post = ImportedPost {
            origin: self.origin.unwrap_or_default(),
            id: Some(self.id),
            title: self.title,
            subtitle: self.subtitle,
            excerpt: self.excerpt,
            markdown: self.markdown,
            metadata: self.metadata,
            cover: self.cover_id,
            language: self.language,
            translations: self.translation_group,
            is_draft: self.published_at.is_none(),
            version: Some(self.version),
            published_at: self.published_at,
            unpublish_at: self.unpublish_at,
            created_at: Some(self.created_at),
            updated_at: Some(self.updated_at),
            ..ImportedPost::default()
        };
        let (former_paths, order) = (self.former_paths, self.order);
        ImportedPage { post, place: PagePlace { former_paths, order, ..PagePlace::at(self.path) } }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    Draft,
    Scheduled,
    Published,
}

impl PostRecord {
    pub fn import_origin(&self) -> String {
        self.origin.clone().unwrap_or_else(|| origin_of_id(&self.id))
    }

    /// # Errors
    /// If it is published without a date.
    pub fn into_post(self) -> Result<ImportedPost, Failed> {
        let origin = self.import_origin();
        let is_draft = self.status == Status::Draft;
        if !is_draft && self.published_at.is_none() {
            return Err(Failed { origin, reason: "published, but without publishedAt".to_owned() });
        }
        Ok(ImportedPost {
            origin,
            id: Some(self.id),
            slug: Some(self.slug.to_string()),
            title: self.title,
            subtitle: self.subtitle,
            excerpt: self.excerpt,
            markdown: self.markdown,
            metadata: self.metadata,
            cover: self.cover_id,
            enclosure: self.enclosure,
            language: self.language,
            translations: self.translation_group,
            is_featured: self.featured,
            authors: terms(self.authors),
            categories: terms(self.categories),
            tags: terms(self.tags),
            series: self.series.map(terms),
            series_position: self.series_position,
            published_at: self.published_at.filter(|_| !is_draft),
            unpublish_at: self.unpublish_at,
            created_at: Some(self.created_at),
            updated_at: Some(self.updated_at),
            is_draft,
            version: Some(self.version),
            former_slugs: self.former_slugs,
            ..ImportedPost::default()
        })
    }
}

/// The origin of a post that was not imported.
pub fn origin_of_id(id: &str) -> String {
    format!("tidings:{id}")
}

impl ImportedPost {
    /// The origin to store; `None` for a post or page that was created in Tidings, so that no file matches it.
    pub fn stored_origin(&self, id: &PostId) -> Option<String> {
        let origin = self.of_export.as_ref().map_or_else(|| Some(self.origin.clone()), |export| export.origin.clone());
        origin.filter(|origin| !origin.is_empty() && *origin != origin_of_id(id.as_str()))
    }
}

/// A text that is not a slug is used as a name.
fn terms(slugs: Vec<String>) -> Vec<Term> {
    slugs.into_iter().map(|slug| Term { slug: slug.parse().ok(), name: slug }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        let at = |text: &str| text.parse().expect("an instant");
        Record::Post(Box::new(PostRecord {
            id: "7k".into(),
            slug: "a-b".parse().expect("a slug"),
            former_slugs: vec!["a".parse().expect("a slug")],
            title: "A \"B\"\n".into(),
            subtitle: Some("C".into()),
            excerpt: None,
            markdown: "x\r\n\u{2028}".into(),
            metadata: Metadata::parse("{\"b\":0.30000000000000004,\"a\":[{}]}").ok(),
            cover_id: "0".repeat(40).parse().map(ImportedCover::Asset).expect("a hash"),
            enclosure: Enclosure::of("https://a.example/b.mp3", Some(7), None).ok(),
            language: "pt-BR".parse().map(ImportedLanguage::Tag).expect("a language"),
            translation_group: Some("0123456789ab".into()),
            featured: Some(true),
            status: Status::Published,
            version: 3,
            created_at: at("2020-01-01T00:00:00Z"),
            updated_at: at("2020-01-02T00:00:00.1234567Z"),
            published_at: Some(at("2020-01-01T00:00:00Z")),
            unpublish_at: Some(at("2099-01-01T00:00:00Z")),
            authors: vec!["ada".into()],
            categories: vec![],
            tags: vec!["c".into()],
            series: Some(vec!["s".into()]),
            series_position: Some(2),
            origin: Some("a.md".into()),
        }))
    }

    #[test]
    fn a_written_record_can_be_read() {
        let line = serde_json::to_string(&record()).expect("JSON");
        assert!(
            line.starts_with("{\"type\":\"post\",\"id\":\"7k\",\"slug\":\"a-b\",\"formerSlugs\":[\"a\"]"),
            "{line}"
        );
        assert!(!line.contains('\n'), "one line");
        assert!(line.contains("\"metadata\":{\"b\":0.30000000000000004,\"a\":[{}]},"), "{line}");
        assert_eq!(Record::read(line.as_bytes()).expect("a record"), record());
    }

    #[test]
    fn a_record_of_an_unknown_kind_or_with_a_bad_value_is_an_error() {
        let written = serde_json::to_string(&record()).expect("JSON");
        for line in [
            "{\"type\":\"page\"}",
            "{\"type\":\"asset\"}",
            "{\"type\":\"tag\",\"slug\":\"/\",\"name\":\"a\"}",
            "{\"type\":\"post\",\"id\":\"a\"}",
            &written.replace("pt-BR", "portuguese"),
            &written.replace("\"featured\":true", "\"featured\":1"),
            &written.replace("\"metadata\":{", "\"metadata\":null,\"x\":{"),
            &written.replace("\"metadata\":{\"b\":0.30000000000000004", "\"metadata\":{\"b\":1e999"),
            "[]",
        ] {
            assert!(Record::read(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn a_published_post_must_have_a_publication_date() {
        let Record::Post(post) = record() else { panic!("a post") };
        let without = PostRecord { published_at: None, ..*post };
        assert!(without.clone().into_post().is_err());
        assert!(PostRecord { status: Status::Draft, ..without }.into_post().is_ok_and(|post| post.is_draft));
    }
}
