//! The front matter of a file that an export of Tidings wrote: the table `tidings` contains the values for which no generator has a key. The rule: such a file
//! is read exactly as it was written; nothing in this module applies to a file without the table.

use crate::jsonl::{TermRecord, checked_version};
use crate::words::has_word;
use crate::{ImportedCover, ImportedPage, ImportedPost, ImportedTerm, OfExport, PagePlace, Term, dates};
use tidings_model::metadata::{BadMetadata, METADATA_DEPTH_MAX};
use tidings_model::{AssetHash, JsonValue, Metadata, NodeId, PagePath, ProfileLink, Slug, TermKind, TimeZone};

use super::enclosure;
use super::fields::{PostFields, SERIES_ORDER};
use super::name::{Name, date_unless_draft};
use super::outcome::ReadOutcome;
use super::page::{self, Place};
use super::pictures;
use super::post::post;
use super::value::Value;

const TABLE: &str = "tidings";

/// The keys that are read as fields, each spelled exactly so. Everything else is metadata, even another generator's name for the same field, so that
/// metadata is never mistaken for a field.
const OF_ALL: &str = "tidings title subtitle date lastmod created draft published status lang summary cover aliases";
const OF_POST: &str = "slug authors categories tags series series_order featured enclosure";
const OF_PAGE: &str = "url weight";

/// The keys of an author's profile.
pub const AVATAR: &str = "avatar";
pub const JOB_TITLE: &str = "jobTitle";
pub const LINKS: &str = "links";
/// The key in the table for the slug of a category's parent, which no generator knows.
pub const PARENT: &str = "parent";
/// The key in the table for the end of the publication.
pub const UNPUBLISH_AT: &str = "unpublishAt";
/// The key in the table for the group of translations.
pub const TRANSLATIONS: &str = "translations";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Post,
    Page,
    Term(TermKind),
}

pub(super) struct Exported<'f> {
    kind: Kind,
    front: &'f Value,
    table: &'f Value,
    /// The keys that are read as fields.
    read: Value,
}

impl<'f> Exported<'f> {
    /// `None` without such a table, or if it does not name the kind of the file.
    pub(super) fn of(front: &'f Value) -> Option<Self> {
        let table = front.get(TABLE)?;
        let kind = match table.get("type")?.text()? {
            "post" => Kind::Post,
            "page" => Kind::Page,
            noun => Kind::Term(TermKind::of_noun(noun)?),
        };
        let read = front.pairs().iter().filter(|(key, _)| is_field(kind, key)).cloned().collect();
        Some(Self { kind, front, table, read: Value::Table(read) })
    }

    /// Reads the file as the kind in its table, which has precedence over the file name and the other keys.
    ///
    /// # Errors
    /// If it cannot be read as this kind.
    pub(super) fn read(&self, origin: &str, body: &str, zone: &TimeZone) -> Result<ReadOutcome, String> {
        if let Kind::Term(kind) = self.kind {
            return Ok(ReadOutcome::Term(Box::new(self.term(kind)?), self.text(AVATAR)));
        }
        let cover = match pictures::cover(&self.read) {
            // The export does not contain its picture.
            ImportedCover::None => self.asset("cover").map_or(ImportedCover::None, ImportedCover::Asset),
            cover => cover,
        };
        let metadata = self.metadata().map_err(|bad| format!("the front matter without the fields of a post {bad}"))?;
        let fields = PostFields::read(&self.read, false).in_zone(zone);
        if self.kind == Kind::Page {
            let page = self.page(origin, fields, body)?;
            let post = self.with_own(ImportedPost { cover, metadata: Some(metadata), ..page.post })?;
            return Ok(ReadOutcome::Page(Box::new(ImportedPage { post, ..page }), Vec::new()));
        }
        let enclosure = enclosure::enclosure(&self.read);
        let post = ImportedPost { cover, enclosure, metadata: Some(metadata), ..self.post(origin, fields, body)? };
        Ok(ReadOutcome::Post(Box::new(self.with_own(post)?), Vec::new()))
    }

    /// The post or page with the values that the table has, and with its texts untrimmed.
    fn with_own(&self, post: ImportedPost) -> Result<ImportedPost, String> {
        let owned = |key| self.own(key).map(str::to_owned);
        Ok(ImportedPost {
            id: owned("id"),
            title: self.text("title").unwrap_or(post.title),
            subtitle: self.text("subtitle"),
            excerpt: self.text("summary"),
            unpublish_at: self.own(UNPUBLISH_AT).and_then(dates::parse),
            version: self.version()?,
            translations: owned(TRANSLATIONS),
            of_export: Some(OfExport { origin: owned("origin"), asset_base: owned("assets") }),
            ..post
        })
    }

    fn post(&self, origin: &str, fields: PostFields, body: &str) -> Result<ImportedPost, String> {
        let (is_draft, name) = (fields.is_draft, Name::of(origin, &fields.time_zone));
        let date = date_unless_draft(&fields, &name, origin)?;
        if date.is_none() && !is_draft {
            return Err("has no date; a post without one is a draft: `draft: true`".to_owned());
        }
        let post = post(origin, fields, name.words, body, date);
        let (slugs, aliases) = post.aliases.into_iter().partition(|alias| alias.parse::<Slug>().is_ok());
        Ok(ImportedPost {
            authors: self.terms("authors", post.authors),
            categories: self.terms("categories", post.categories),
            tags: self.terms("tags", post.tags),
            series: post.series.map(|named| self.terms("series", named)),
            // Other position keys are metadata.
            series_position: self.text(SERIES_ORDER).and_then(|text| text.parse().ok()),
            former_slugs: slugs_of(slugs),
            aliases,
            ..post
        })
    }

    /// A page at the path that the file gives.
    fn page(&self, origin: &str, fields: PostFields, body: &str) -> Result<ImportedPage, String> {
        let date = fields.date.as_ref().and_then(|text| dates::parse_in(text, &fields.time_zone));
        let exact_or_named = |alias: &String| alias.parse().ok().or_else(|| page::former_path(alias));
        let former_paths: Vec<PagePath> = fields.aliases.iter().filter_map(exact_or_named).collect();
        let place = Place { path: origin.to_owned(), language: None };
        let ImportedPage { post, place } = page::page(origin, &place, fields, body, date)?;
        let path = self.text("url").and_then(|path| path.parse().ok()).unwrap_or(place.path);
        let former_paths = former_paths.into_iter().filter(|former| *former != path).collect();
        // The key for generators cannot express every position, such as 0.
        let order = self.own("order").and_then(|text| text.parse().ok()).or(place.order);
        Ok(ImportedPage { post, place: PagePlace { path, former_paths, order, is_folder: false } })
    }

    /// The value of a key, untrimmed.
    fn text(&self, key: &str) -> Option<String> {
        let mut pairs = self.front.pairs().iter().rev();
        pairs.find(|(name, _)| name == key)?.1.whole_text().map(str::to_owned)
    }

    fn own(&self, key: &str) -> Option<&'f str> {
        self.table.get(key)?.whole_text()
    }

    /// # Errors
    /// If an imported object cannot have this version.
    fn version(&self) -> Result<Option<i32>, String> {
        let Some(text) = self.own("version") else { return Ok(None) };
        let number = text.parse().map_err(|_| format!("version is {text:?}; it must be a number"))?;
        checked_version(number).map(Some).map_err(|reason| format!("{TABLE}: {reason}"))
    }

    /// Adds the slugs that the table gives to terms whose name is ambiguous.
    fn terms(&self, list: &str, named: Vec<Term>) -> Vec<Term> {
        let slugs = self.table.pairs_of(list);
        let slug_of = |name: &str| slugs.iter().find(|(label, _)| label == name)?.1.text()?.parse().ok();
        named.into_iter().map(|term| Term { slug: slug_of(&term.name), ..term }).collect()
    }

    /// The keys that are not read as fields, and the metadata in the table, in the order that the table gives.
    ///
    /// # Errors
    /// See [`Metadata::of`].
    fn metadata(&self) -> Result<Metadata, BadMetadata> {
        let others = self.front.pairs().iter().filter(|(key, _)| !is_field(self.kind, key));
        let mut pairs: Vec<_> = others.map(|(key, value)| (key.clone(), value.to_json())).collect();
        let own = match self.table.get("metadata") {
            Some(Value::Text(json)) => JsonValue::parse(json, METADATA_DEPTH_MAX)?,
            Some(table) => table.to_json(),
            None => JsonValue::Null,
        };
        if let JsonValue::Object(own) = own {
            pairs.extend(own);
        }
        let order: Vec<_> = self.table.items_of("keys").iter().collect();
        let place = |name: &str| order.iter().position(|key| key.whole_text() == Some(name)).unwrap_or(usize::MAX);
        pairs.sort_by_key(|(name, _)| place(name));
        Metadata::of(&JsonValue::object(pairs))
    }

    /// The id of a picture. The key for generators contains its file.
    fn asset(&self, key: &str) -> Option<AssetHash> {
        match self.own(key)?.parse() {
            Ok(NodeId::Asset(hash)) => Some(hash),
            _ => None,
        }
    }

    fn links(&self) -> Vec<ProfileLink> {
        let links = self.front.items_of(LINKS).iter();
        let text = |link: &Value, key| Some(link.get(key)?.whole_text()?.to_owned());
        links.filter_map(|link| Some(ProfileLink { title: text(link, "title")?, url: text(link, "url")? })).collect()
    }

    /// # Errors
    /// If it has no name, or no slug.
    fn term(&self, kind: TermKind) -> Result<ImportedTerm, String> {
        let text = |key| self.text(key);
        let name = text("title").ok_or_else(|| format!("the {} has no title", kind.noun()))?;
        let slug = text("slug").and_then(|slug| slug.parse().ok()).or_else(|| Slug::from_name(&name));
        let record = TermRecord {
            node_id: self.own("id").map(str::to_owned),
            version: self.version()?.unwrap_or(1),
            slug: slug.ok_or_else(|| format!("the {} {name:?} has no slug", kind.noun()))?,
            former_slugs: slugs_of(PostFields::read(&self.read, false).aliases),
            name,
            description: text("description"),
            parent: self.own(PARENT).and_then(|slug| slug.parse().ok()),
            url: text("website"),
            avatar_id: self.asset(AVATAR),
            job_title: text(JOB_TITLE),
            links: self.links(),
        };
        Ok(record.into_term(kind))
    }
}

fn slugs_of(aliases: Vec<String>) -> Vec<Slug> {
    aliases.iter().filter_map(|alias| alias.parse().ok()).collect()
}

/// Whether a top-level key is read as a field. Otherwise it is metadata.
fn is_field(kind: Kind, key: &str) -> bool {
    let own = match kind {
        Kind::Post => OF_POST,
        Kind::Page => OF_PAGE,
        Kind::Term(_) => "slug",
    };
    has_word(OF_ALL, key) || has_word(own, key)
}
