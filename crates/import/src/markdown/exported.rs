//! The front matter of a file that an export of Tidings wrote: the table `tidings` contains what no generator has a key for. The rule: such a file is
//! read exactly as it was written; nothing in this module applies to a file without the table.

use crate::jsonl::{TermRecord, checked_version};
use crate::{ImportedCover, ImportedTerm, OfExport, Term};
use tidings_model::metadata::{BadMetadata, METADATA_DEPTH_MAX};
use tidings_model::{AssetHash, JsonValue, Metadata, NodeId, PagePath, ProfileLink, Slug, TermKind};

use super::fields::{AUTHORS, CATEGORIES, FEATURED, PostFields, TAGS};
use super::position;
use super::series::{SERIES, SERIES_ORDER};
use super::tables::TABLES;
use super::value::Value;

const TABLE: &str = "tidings";

/// The keys of texts, dates and marks that are read as fields, each spelled exactly so. Everything else is metadata, even another generator's name
/// for the same field, so that metadata is never mistaken for a field.
const TEXTS_AND_DATES: &[&str] = &[
    "title",
    "excerpt",
    "summary",
    "description",
    "slug",
    "permalink",
    "url",
    "path",
    "date",
    "publishDate",
    "pubDate",
    "published_at",
    "created",
    "created_at",
    "updated",
    "updated_at",
    "lastmod",
    "last_modified_at",
    "updatedDate",
    "modified_date",
    "lastUpdated",
    "draft",
    "published",
    "status",
    "lang",
    "language",
    "locale",
    "aliases",
    "redirect_from",
    "redirect",
    "redirect_to",
];
const COVERS: &[&str] =
    &["cover", "image", "featured_image", "featuredImage", "heroImage", "hero", "coverImage", "thumbnail"];

/// The keys of an author's profile.
pub const AVATAR: &str = "avatar";
pub const JOB_TITLE: &str = "jobTitle";
pub const LINKS: &str = "links";
/// The key in the table for the slug of a category's parent, which no generator knows.
pub const PARENT: &str = "parent";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Post,
    Page,
    Term(TermKind),
}

pub(super) struct Exported<'f> {
    pub kind: Kind,
    front: &'f Value,
    table: &'f Value,
    /// The keys that are read as fields.
    pub read: Value,
}

impl<'f> Exported<'f> {
    /// `None` without such a table, or if it does not say what the file is.
    pub(super) fn of(front: &'f Value) -> Option<Self> {
        let table = front.get(TABLE)?;
        let kind = match table.get("type")?.text()? {
            "post" => Kind::Post,
            "page" => Kind::Page,
            noun => Kind::Term(TermKind::of_noun(noun)?),
        };
        let read = front.pairs().iter().filter(|(key, value)| is_field(kind, key, value)).cloned().collect();
        Some(Self { kind, front, table, read: Value::Table(read) })
    }

    pub(super) fn fields(&self) -> PostFields {
        PostFields::read(&self.read, false)
    }

    /// The value of the first of these keys, untrimmed.
    pub(super) fn text(&self, keys: &[&str]) -> Option<String> {
        let exact = |key: &&str| self.front.pairs().iter().rev().find(|(name, _)| name == key)?.1.whole_text();
        keys.iter().find_map(exact).map(str::to_owned)
    }

    fn own(&self, key: &str) -> Option<&'f str> {
        self.table.get(key)?.whole_text()
    }

    pub(super) fn id(&self) -> Option<String> {
        self.own("id").map(str::to_owned)
    }

    /// # Errors
    /// If an imported object cannot have this version.
    pub(super) fn version(&self) -> Result<Option<i32>, String> {
        let Some(text) = self.own("version") else { return Ok(None) };
        let number = text.parse().map_err(|_| format!("version is {text:?}; it must be a number"))?;
        checked_version(number).map(Some).map_err(|reason| format!("{TABLE}: {reason}"))
    }

    /// The position of a page if the key for generators cannot express it, such as 0.
    pub(super) fn order(&self) -> Option<i32> {
        self.own("order")?.parse().ok()
    }

    /// The position in the series. Other position keys are metadata.
    pub(super) fn series_position(&self) -> Option<i32> {
        self.text(&[SERIES_ORDER])?.parse().ok()
    }

    pub(super) fn of_export(&self) -> OfExport {
        let owned = |key| self.own(key).map(str::to_owned);
        OfExport { origin: owned("origin"), asset_base: owned("assets") }
    }

    /// The cover, if the export does not contain its picture.
    pub(super) fn cover(&self) -> ImportedCover {
        match self.own("cover").and_then(|id| id.parse().ok()) {
            Some(NodeId::Asset(hash)) => ImportedCover::Asset(hash),
            _ => ImportedCover::None,
        }
    }

    /// Adds the slugs that the table gives to terms whose name is ambiguous.
    pub(super) fn terms(&self, list: &str, named: Vec<Term>) -> Vec<Term> {
        let slugs = self.table.get(list).map_or(&[][..], Value::pairs);
        let slug_of = |name: &str| slugs.iter().find(|(label, _)| label == name)?.1.text()?.parse().ok();
        named.into_iter().map(|term| Term { slug: slug_of(&term.name), ..term }).collect()
    }

    /// Splits old addresses into slugs and others.
    pub(super) fn former_slugs(aliases: Vec<String>) -> (Vec<Slug>, Vec<String>) {
        let (slugs, others): (Vec<String>, Vec<String>) =
            aliases.into_iter().partition(|alias| alias.parse::<Slug>().is_ok());
        (slugs.iter().filter_map(|slug| slug.parse().ok()).collect(), others)
    }

    /// The path of a page, if its address is a valid path.
    pub(super) fn path(&self) -> Option<PagePath> {
        self.text(&["url"])?.parse().ok()
    }

    /// The keys that are not read as fields, and the metadata in the table, in the order that the table gives.
    ///
    /// # Errors
    /// See [`Metadata::of`].
    pub(super) fn metadata(&self) -> Result<Metadata, BadMetadata> {
        let others = self.front.pairs().iter().filter(|(key, value)| !is_field(self.kind, key, value));
        let mut pairs: Vec<_> = others.map(|(key, value)| (key.clone(), value.to_json())).collect();
        let own = match self.table.get("metadata") {
            Some(Value::Text(json)) => JsonValue::parse(json, METADATA_DEPTH_MAX)?,
            Some(table) => table.to_json(),
            None => JsonValue::Null,
        };
        if let JsonValue::Object(own) = own {
            pairs.extend(own);
        }
        let order: Vec<_> = self.table.get("keys").map_or(&[][..], Value::items).iter().collect();
        let place = |name: &str| order.iter().position(|key| key.whole_text() == Some(name)).unwrap_or(usize::MAX);
        pairs.sort_by_key(|(name, _)| place(name));
        Metadata::of(&JsonValue::object(pairs))
    }

    /// The id of the picture. The key for generators contains its file.
    fn avatar(&self) -> Option<AssetHash> {
        match self.own(AVATAR)?.parse() {
            Ok(NodeId::Asset(hash)) => Some(hash),
            _ => None,
        }
    }

    pub(super) fn avatar_address(&self) -> Option<String> {
        self.text(&[AVATAR])
    }

    fn links(&self) -> Vec<ProfileLink> {
        let links = self.front.get(LINKS).map_or(&[][..], Value::items).iter();
        let text = |link: &Value, key| Some(link.get(key)?.whole_text()?.to_owned());
        links.filter_map(|link| Some(ProfileLink { title: text(link, "title")?, url: text(link, "url")? })).collect()
    }

    /// # Errors
    /// If it has no name, or no slug.
    pub(super) fn term(&self, kind: TermKind) -> Result<ImportedTerm, String> {
        let text = |key| self.text(&[key]);
        let name = text("title").ok_or_else(|| format!("the {} has no title", kind.noun()))?;
        let slug = text("slug").and_then(|slug| slug.parse().ok()).or_else(|| Slug::from_name(&name));
        let is_author = kind == TermKind::Author;
        let description = text("description");
        let record = TermRecord {
            node_id: self.id(),
            version: self.version()?.unwrap_or(1),
            slug: slug.ok_or_else(|| format!("the {} {name:?} has no slug", kind.noun()))?,
            former_slugs: Self::former_slugs(self.fields().aliases).0,
            name,
            bio: description.clone().filter(|_| is_author),
            description: description.filter(|_| !is_author),
            parent: self.own(PARENT).and_then(|slug| slug.parse().ok()),
            url: text("website"),
            avatar_id: self.avatar(),
            job_title: text(JOB_TITLE),
            links: self.links(),
        };
        Ok(record.into_term(kind))
    }
}

/// Whether a top-level key is read as a field. Otherwise it is metadata.
fn is_field(kind: Kind, key: &str, value: &Value) -> bool {
    let of_terms = [AUTHORS, CATEGORIES, TAGS, &[SERIES]];
    let is_term = |key: &str| of_terms.iter().any(|keys| keys.contains(&key));
    let is_read = |key: &str| COVERS.contains(&key) || (kind == Kind::Post && is_term(key));
    match key {
        TABLE => true,
        key if TABLES.contains(&key) => value.pairs().iter().any(|(key, _)| is_read(key)),
        key if position::is_position(key) => kind == Kind::Page,
        SERIES_ORDER => kind == Kind::Post,
        key if FEATURED.contains(&key) => kind == Kind::Post,
        key => is_read(key) || TEXTS_AND_DATES.contains(&key),
    }
}
