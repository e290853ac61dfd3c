//! Tidings' own format: JSON Lines, which `tidings export` writes and `tidings import` reads. The rule: both use the same types, so that every
//! export can be imported; within a version, fields may be added, but no field may change its meaning.
//!
//! The first line is the header, `{"tidings":1}`. Every other line is an object with a `type`: the `category`, `tag` and `author` lines come
//! before the `post` lines that name them by slug. Lines end with `\n`; empty lines are ignored.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, de};

use crate::import::{
    Failed, ImportedCover, ImportedLanguage, ImportedPage, ImportedPost, ImportedTerm, Term, TermKind,
};
use crate::model::{AssetHash, Instant, Metadata, NodeId, PagePath, Profile, ProfileLink, Slug, TermId};

use super::values::{
    as_asset, as_cover, as_json, as_language, as_text, as_text_or_null, as_texts, first_version, version,
};

/// The version of the format that is written, and the highest that can be read.
pub const VERSION: u32 = 1;

/// The first line.
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
    Post(Box<PostRecord>),
    Page(Box<PageRecord>),
}

impl Record {
    /// Reads a line. The type is read first and then the record, because the values of a record that is read through its type lose the text of their
    /// numbers.
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
            "post" => Self::Post(serde_json::from_slice(line)?),
            "page" => Self::Page(serde_json::from_slice(line)?),
            kind => {
                let shown: String = kind.chars().take(40).collect();
                return Err(de::Error::custom(format!(
                    "the type {shown:?} is not category, tag, author, post or page"
                )));
            }
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TermRecord {
    /// The kind and the first slug, as in `tag-rust`: the id of the term in earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The id of the term for clients; absent in an export of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    #[serde(default = "first_version", deserialize_with = "version")]
    pub version: i32,
    #[serde(with = "as_text")]
    pub slug: Slug,
    #[serde(default, with = "as_texts", skip_serializing_if = "Vec::is_empty")]
    pub former_slugs: Vec<Slug>,
    pub name: String,
    /// Of a category or tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Of an author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bio: Option<String>,
    /// Of an author, as the next ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The id of the picture, which an export does not contain.
    #[serde(default, with = "as_asset", skip_serializing_if = "Option::is_none")]
    pub avatar_id: Option<AssetHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_title: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ProfileLink>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostRecord {
    pub id: String,
    #[serde(with = "as_text")]
    pub slug: Slug,
    #[serde(default, with = "as_texts")]
    pub former_slugs: Vec<Slug>,
    pub title: String,
    /// `null` if it is generated from the body.
    #[serde(default)]
    pub excerpt: Option<String>,
    pub markdown: String,
    /// Absent in an export of an earlier version.
    #[serde(default, with = "as_json", skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    /// The id of the picture, which an export does not contain. Absent in an export of an earlier version.
    #[serde(default, with = "as_cover", skip_serializing_if = "ImportedCover::is_unknown")]
    pub cover_id: ImportedCover,
    /// A tag of BCP 47. Absent in an export of an earlier version.
    #[serde(default, with = "as_language", skip_serializing_if = "ImportedLanguage::is_unknown")]
    pub language: ImportedLanguage,
    pub status: Status,
    #[serde(default = "first_version", deserialize_with = "version")]
    pub version: i32,
    #[serde(with = "as_text")]
    pub created_at: Instant,
    #[serde(with = "as_text")]
    pub updated_at: Instant,
    /// `null` only for a draft.
    #[serde(default, with = "as_text_or_null")]
    pub published_at: Option<Instant>,
    /// Slugs.
    #[serde(default)]
    pub authors: Vec<String>,
    /// Slugs.
    #[serde(default)]
    pub categories: Vec<String>,
    /// Slugs.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The origin of the post in an earlier import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// A page of the site. Each comes after the page above it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageRecord {
    pub id: String,
    #[serde(with = "as_text")]
    pub path: PagePath,
    #[serde(default, with = "as_texts", skip_serializing_if = "Vec::is_empty")]
    pub former_paths: Vec<PagePath>,
    pub title: String,
    /// `null` if it is generated from the body.
    #[serde(default)]
    pub excerpt: Option<String>,
    pub markdown: String,
    #[serde(default, with = "as_json", skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Metadata>,
    /// The id of the picture, which an export does not contain. Absent in an export of an earlier version.
    #[serde(default, with = "as_cover", skip_serializing_if = "ImportedCover::is_unknown")]
    pub cover_id: ImportedCover,
    /// A tag of BCP 47. Absent in an export of an earlier version.
    #[serde(default, with = "as_language", skip_serializing_if = "ImportedLanguage::is_unknown")]
    pub language: ImportedLanguage,
    #[serde(default)]
    pub order: Option<i32>,
    #[serde(default = "first_version", deserialize_with = "version")]
    pub version: i32,
    #[serde(with = "as_text")]
    pub created_at: Instant,
    #[serde(with = "as_text")]
    pub updated_at: Instant,
    /// `null` for a draft.
    #[serde(default, with = "as_text_or_null")]
    pub published_at: Option<Instant>,
    /// The origin of the page in an earlier import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

impl PageRecord {
    pub(super) fn into_page(self) -> ImportedPage {
        ImportedPage {
            origin: self.origin,
            id: Some(self.id),
            former_paths: self.former_paths,
            title: self.title,
            excerpt: self.excerpt,
            markdown: self.markdown,
            metadata: self.metadata,
            cover: self.cover_id,
            language: self.language,
            order: self.order,
            is_draft: self.published_at.is_none(),
            version: Some(self.version),
            published_at: self.published_at,
            created_at: Some(self.created_at),
            updated_at: Some(self.updated_at),
            ..ImportedPage::at(self.path)
        }
    }
}

/// The status, with the names of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Status {
    Draft,
    Scheduled,
    Published,
}

impl PostRecord {
    /// The origin that identifies the post when it is imported.
    pub fn import_origin(&self) -> String {
        self.origin.clone().unwrap_or_else(|| origin_of_id(&self.id))
    }

    pub(super) fn into_post(self) -> Result<ImportedPost, Failed> {
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
            excerpt: self.excerpt,
            markdown: self.markdown,
            metadata: self.metadata,
            cover: self.cover_id,
            language: self.language,
            authors: terms(self.authors),
            categories: terms(self.categories),
            tags: terms(self.tags),
            published_at: self.published_at.filter(|_| !is_draft),
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
    format!("{ORIGIN_OF_ID}{id}")
}

/// The id in such an origin.
pub(in crate::import) fn id_of_origin(origin: &str) -> Option<&str> {
    origin.strip_prefix(ORIGIN_OF_ID)
}

const ORIGIN_OF_ID: &str = "tidings:";

/// The terms with these slugs; a text that is not a slug is a name.
fn terms(slugs: Vec<String>) -> Vec<Term> {
    slugs.into_iter().map(|slug| Term { slug: slug.parse().ok(), name: slug }).collect()
}

/// The id of a term in earlier versions.
pub fn first_id(key: &TermId) -> String {
    format!("{}-{}", key.kind.noun(), key.first_slug)
}

/// The first slug in the id of a term of earlier versions, if it is of this kind.
fn first_slug(kind: TermKind, id: &str) -> Option<Slug> {
    id.strip_prefix(kind.noun())?.strip_prefix('-')?.parse().ok()
}

impl TermRecord {
    /// The keys that have a value and belong to terms of another kind. They are not imported.
    pub(super) fn keys_of_others(&self, kind: TermKind) -> Vec<&'static str> {
        let of_authors = [
            ("bio", self.bio.is_some()),
            ("url", self.url.is_some()),
            ("avatarId", self.avatar_id.is_some()),
            ("jobTitle", self.job_title.is_some()),
            ("links", !self.links.is_empty()),
        ];
        let of_others = [("description", self.description.is_some())];
        let keys = if kind == TermKind::Author { &of_others[..] } else { &of_authors[..] };
        keys.iter().filter(|(_, is_set)| *is_set).map(|(key, _)| *key).collect()
    }

    pub(in crate::import) fn into_term(self, kind: TermKind) -> ImportedTerm {
        let is_author = kind == TermKind::Author;
        let description = if is_author { self.bio } else { self.description };
        let node = match self.node_id.map(|id| id.parse()) {
            Some(Ok(NodeId::Term(node))) if node.key.kind == kind => Some(node),
            _ => None,
        };
        let first_slug = match &node {
            Some(node) => Some(node.key.first_slug.clone()),
            None => self.id.and_then(|id| first_slug(kind, &id)),
        };
        let first_slug = first_slug.filter(|first_slug| *first_slug != self.slug);
        let creation = node.map(|node| node.creation);
        let named = ImportedTerm::named(kind, Some(self.slug), self.name);
        let profile = match is_author {
            true => Profile { avatar: self.avatar_id, job_title: self.job_title, links: self.links },
            false => Profile::default(),
        };
        let (url, version, former_slugs) = (self.url.filter(|_| is_author), self.version, self.former_slugs);
        ImportedTerm { description, url, profile, first_slug, creation, version, former_slugs, ..named }
    }
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
            excerpt: None,
            markdown: "x\r\n\u{2028}".into(),
            metadata: Metadata::parse("{\"b\":0.30000000000000004,\"a\":[{}]}").ok(),
            cover_id: "0".repeat(40).parse().map(ImportedCover::Asset).expect("a hash"),
            language: "pt-BR".parse().map(ImportedLanguage::Tag).expect("a language"),
            status: Status::Published,
            version: 3,
            created_at: at("2020-01-01T00:00:00Z"),
            updated_at: at("2020-01-02T00:00:00.1234567Z"),
            published_at: Some(at("2020-01-01T00:00:00Z")),
            authors: vec!["ada".into()],
            categories: vec![],
            tags: vec!["c".into()],
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
            &written.replace("\"metadata\":{", "\"metadata\":null,\"x\":{"),
            &written.replace("\"metadata\":{\"b\":0.30000000000000004", "\"metadata\":{\"b\":1e999"),
            "[]",
        ] {
            assert!(Record::read(line.as_bytes()).is_err(), "{line}");
        }
    }

    #[test]
    fn only_an_author_has_the_fields_of_a_person() {
        let values = format!(
            "{{\"slug\":\"a\",\"name\":\"A\",\"description\":\"d\",\"bio\":\"b\",\"url\":\"https://a.example/\",\"avatarId\":\"asset-{}\",\
             \"jobTitle\":\"j\",\"links\":[{{\"title\":\"t\",\"url\":\"https://t.example/\"}}]}}",
            "0".repeat(40)
        );
        let record: TermRecord = serde_json::from_str(&values).expect("a record");
        assert_eq!(record.keys_of_others(TermKind::Author), ["description"]);
        let author = record.clone().into_term(TermKind::Author);
        assert_eq!(author.description.as_deref(), Some("b"));
        assert!(author.url.is_some() && author.profile.avatar.is_some() && author.profile.job_title.is_some());
        assert_eq!(author.profile.links.len(), 1);
        for kind in [TermKind::Category, TermKind::Tag] {
            assert_eq!(record.keys_of_others(kind), ["bio", "url", "avatarId", "jobTitle", "links"]);
            let term = record.clone().into_term(kind);
            assert_eq!((term.description.as_deref(), term.url, term.profile), (Some("d"), None, Profile::default()));
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
