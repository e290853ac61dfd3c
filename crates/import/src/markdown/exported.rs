//! The front matter of a file that an export of Tidings wrote: the table `tidings` contains what no generator has a key for. The rule: such a file is
//! read exactly as it was written; nothing in this module applies to a file without the table.

use crate::jsonl::{TermRecord, checked_version};
use crate::{ImportedCover, ImportedPage, ImportedPost, ImportedTerm, OfExport, Term, dates};
use tidings_model::metadata::{BadMetadata, METADATA_DEPTH_MAX};
use tidings_model::{AssetHash, Instant, JsonValue, Metadata, NodeId, PagePath, ProfileLink, Slug, TermKind, TimeZone};

use super::enclosure;
use super::fields::{PostFields, SERIES_ORDER};
use super::name::Name;
use super::outcome::ReadOutcome;
use super::page::{self, Place};
use super::pictures;
use super::post::{date_unless_draft, post};
use super::value::{Value, is_exactly};

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
    /// `None` without such a table, or if it does not say what the file is.
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

    /// Reads the file as what its table says, which wins over the file name and the other keys.
    ///
    /// # Errors
    /// If it is not what its table says.
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
            let page = ImportedPage { cover, ..self.page(origin, fields, metadata, body)? };
            return Ok(ReadOutcome::Page(Box::new(page), Vec::new()));
        }
        let enclosure = enclosure::enclosure(&self.read);
        let post = ImportedPost { cover, enclosure, ..self.post(origin, fields, metadata, body)? };
        Ok(ReadOutcome::Post(Box::new(post), Vec::new()))
    }

    fn post(&self, origin: &str, fields: PostFields, metadata: Metadata, body: &str) -> Result<ImportedPost, String> {
        let (is_draft, name) = (fields.is_draft, Name::of(origin, &fields.time_zone));
        let date = date_unless_draft(&fields, &name, origin)?;
        if date.is_none() && !is_draft {
            return Err("has no date; a post without one is a draft: `draft: true`".to_owned());
        }
        let post = post(origin, fields, name, body, date);
        let (slugs, aliases) = post.aliases.into_iter().partition(|alias| alias.parse::<Slug>().is_ok());
        Ok(ImportedPost {
            id: self.id(),
            title: self.text("title").unwrap_or(post.title),
            subtitle: self.text("subtitle"),
            excerpt: self.text("summary"),
            authors: self.terms("authors", post.authors),
            categories: self.terms("categories", post.categories),
            tags: self.terms("tags", post.tags),
            series: post.series.map(|named| self.terms("series", named)),
            // Other position keys are metadata.
            series_position: self.text(SERIES_ORDER).and_then(|text| text.parse().ok()),
            unpublish_at: self.unpublish_at(),
            version: self.version()?,
            former_slugs: slugs_of(slugs),
            aliases,
            metadata: Some(metadata),
            translations: self.translations(),
            of_export: Some(self.of_export()),
            ..post
        })
    }

    /// A page at the path that the file gives.
    fn page(&self, origin: &str, fields: PostFields, metadata: Metadata, body: &str) -> Result<ImportedPage, String> {
        let date = fields.date.as_ref().filter(|_| !fields.is_draft);
        let published_at = date.and_then(|text| dates::parse_in(text, &fields.time_zone));
        let exact_or_named = |alias: &String| alias.parse().ok().or_else(|| page::former_path(alias));
        let former_paths: Vec<PagePath> = fields.aliases.iter().filter_map(exact_or_named).collect();
        let place = Place { path: origin.to_owned(), language: None };
        let page = page::page(origin, &place, fields, metadata, body)?;
        let path = self.text("url").and_then(|path| path.parse().ok()).unwrap_or(page.path);
        Ok(ImportedPage {
            id: self.id(),
            former_paths: former_paths.into_iter().filter(|former| *former != path).collect(),
            path,
            title: self.text("title").unwrap_or(page.title),
            subtitle: self.text("subtitle"),
            excerpt: self.text("summary"),
            // The key for generators cannot express every position, such as 0.
            order: self.own("order").and_then(|text| text.parse().ok()).or(page.order),
            version: self.version()?,
            published_at,
            unpublish_at: self.unpublish_at(),
            translations: self.translations(),
            of_export: Some(self.of_export()),
            ..page
        })
    }

    /// The value of a key, untrimmed.
    fn text(&self, key: &str) -> Option<String> {
        let mut pairs = self.front.pairs().iter().rev();
        pairs.find(|(name, _)| name == key)?.1.whole_text().map(str::to_owned)
    }

    fn own(&self, key: &str) -> Option<&'f str> {
        self.table.get(key)?.whole_text()
    }

    fn unpublish_at(&self) -> Option<Instant> {
        self.own(UNPUBLISH_AT).and_then(dates::parse)
    }

    fn translations(&self) -> Option<String> {
        self.own(TRANSLATIONS).map(str::to_owned)
    }

    fn id(&self) -> Option<String> {
        self.own("id").map(str::to_owned)
    }

    /// # Errors
    /// If an imported object cannot have this version.
    fn version(&self) -> Result<Option<i32>, String> {
        let Some(text) = self.own("version") else { return Ok(None) };
        let number = text.parse().map_err(|_| format!("version is {text:?}; it must be a number"))?;
        checked_version(number).map(Some).map_err(|reason| format!("{TABLE}: {reason}"))
    }

    fn of_export(&self) -> OfExport {
        let owned = |key| self.own(key).map(str::to_owned);
        OfExport { origin: owned("origin"), asset_base: owned("assets") }
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
            // As older exports have it.
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
            node_id: self.id(),
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
    is_exactly(key, OF_ALL) || is_exactly(key, own)
}
