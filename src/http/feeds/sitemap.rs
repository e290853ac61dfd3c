//! The sitemap (sitemaps.org, protocol 0.9): an index, a part with the home page, the pages and the terms with posts, and one for each month with posts.
//! The rule: the cost of the index does not depend on the number of posts, and a part has at most [`ADDRESSES_MAX`] addresses.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use bytes::Bytes;
use chrono::{DateTime, Datelike, NaiveDate, SecondsFormat, Utc};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::query::{Own, OwnDocument, Queried, Refused};
use super::xml::Xml;
use crate::model::TermKind;
use crate::model::site::LocatedSite;

/// The operation that lists the terms of a kind is named like their folder.
const DOCUMENT: &str = "\
query Index { archive { year month } }
query Pages { pageLinks(atMost: 10000) { path updatedAt language translationKey } }
query Month($year: Int!, $month: Int!, $after: String, $pairs: Boolean!) {
  archive(year: $year, month: $month) {
    page: posts(first: 100, after: $after) {
      nodes { slug publishedAt updatedAt language ...Pairs @include(if: $pairs) }
      pageInfo { hasNextPage endCursor }
    }
  }
}
fragment Pairs on Post { translations { slug publishedAt updatedAt language } }
query tags($after: String) {
  page: tags(first: 100, after: $after) { nodes { slug postCount } pageInfo { hasNextPage endCursor } }
}
query categories($after: String) {
  page: categories(first: 100, after: $after) { nodes { slug postCount } pageInfo { hasNextPage endCursor } }
}
query authors($after: String) {
  page: authors(first: 100, after: $after) { nodes { slug postCount } pageInfo { hasNextPage endCursor } }
}
query series($after: String) {
  page: allSeries(first: 100, after: $after) { nodes { slug postCount } pageInfo { hasNextPage endCursor } }
}
";

static QUERIES: LazyLock<OwnDocument> = LazyLock::new(|| OwnDocument::of(DOCUMENT));

/// The same queries with groups of translations, which are not charged: the bound would charge a group for each post, even if it has none, and the spent
/// requests would reveal drafts.
static PAIRED: LazyLock<OwnDocument> = LazyLock::new(|| OwnDocument::of(DOCUMENT).without_charging(PAGE as u64));

/// The maximum number of addresses in one file, which the protocol sets.
const ADDRESSES_MAX: usize = 50_000;

/// The maximum number of pages that the queries of one part read, so that the work for one request is bounded.
const PAGES_MAX: usize = ADDRESSES_MAX / PAGE;
/// The maximum number of posts in a part that are shown with their translations, each of which reads a group.
const PAIRED_MAX: usize = 10 * PAGE;
/// The number of items on a page of the queries.
const PAGE: usize = 100;

const XHTML: (&str, &str) = ("xmlns:xhtml", "http://www.w3.org/1999/xhtml");
const NAMESPACE: [(&str, &str); 1] = [("xmlns", "http://www.sitemaps.org/schemas/sitemap/0.9")];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    Index,
    /// The home page, the published pages of the tree, and the terms that have posts.
    Site,
    /// The posts of the month that begins on this day.
    Month(NaiveDate),
}

impl Part {
    pub(super) fn parse(path: &str) -> Option<Self> {
        if path == "/sitemap.xml" {
            return Some(Self::Index);
        }
        let name = path.strip_prefix("/sitemaps/")?.strip_suffix(".xml")?;
        let month = NaiveDate::parse_from_str(&format!("{name}-01"), "%Y-%m-%d").ok();
        // The schema accepts only these years.
        let month = month.filter(|first| (1..=9_998).contains(&first.year())).map(Self::Month);
        month.into_iter().chain([Self::Site]).find(|part| part.name() == name)
    }

    /// The name of its file, without `.xml`.
    fn name(self) -> String {
        match self {
            Self::Index => "sitemap".to_owned(),
            Self::Site => "site".to_owned(),
            Self::Month(first) => first.format("%Y-%m").to_string(),
        }
    }
}

pub(super) async fn write(own: &mut Own<'_>, part: Part) -> Result<Bytes, Refused> {
    let entries = match part {
        Part::Index => return write_index(own).await,
        Part::Site => site(own).await?,
        Part::Month(first) => posts(own, first).await?,
    };
    // The protocol does not allow a part without addresses.
    if entries.is_empty() {
        return Err(Refused::not_found());
    }
    let text = write_entries(&entries);
    own.charge(text.len() as u64).await?;
    Ok(text)
}

async fn query(own: &mut Own<'_>, operation: &str, variables: Value) -> Result<Queried, Refused> {
    let document = if variables["pairs"] == true { &PAIRED } else { &QUERIES };
    own.query(document, (operation, variables), None).await
}

/// Writes the index: first the part without posts, then the months from the newest to the oldest.
async fn write_index(own: &mut Own<'_>) -> Result<Bytes, Refused> {
    let index: Index = query(own, "Index", json!({})).await?.parse()?;
    let months = index.archive.iter().filter_map(|month| NaiveDate::from_ymd_opt(month.year, month.month, 1));
    let mut xml = Xml::new();
    xml.element("sitemapindex", &NAMESPACE, |xml| {
        for part in [Part::Site].into_iter().chain(months.map(Part::Month)) {
            let address = own.site.url.join(&format!("sitemaps/{}.xml", part.name()));
            xml.element("sitemap", &[], |xml| xml.text("loc", &address));
        }
    });
    Ok(xml.finish().into())
}

async fn site(own: &mut Own<'_>) -> Result<Vec<Entry>, Refused> {
    let home = own.site.url.as_str();
    let mut entries = pages(own).await?;
    if entries.iter().all(|entry| entry.address != home) {
        entries.insert(0, Entry::of(home.to_owned(), None));
    }
    for kind in TermKind::ALL {
        entries.extend(terms(own, kind).await?);
    }
    if entries.len() > ADDRESSES_MAX {
        warn_of_cut("site");
        entries.truncate(ADDRESSES_MAX);
    }
    Ok(entries)
}

/// The pages of the tree. Their number is limited, so one query returns all of them.
async fn pages(own: &mut Own<'_>) -> Result<Vec<Entry>, Refused> {
    let site = own.site;
    let data: PageLinks = query(own, "Pages", json!({})).await?.parse()?;
    let address = |page: &PageLink| Some(site.page(&page.path.parse().ok()?));
    let mut groups: HashMap<&str, Vec<Alternate>> = HashMap::new();
    for page in &data.page_links {
        let alternate = address(page).and_then(|address| Alternate::of(page.language.as_deref(), site, address));
        let (Some(key), Some(alternate)) = (page.translation_key.as_deref(), alternate) else { continue };
        groups.entry(key).or_default().push(alternate);
    }
    // Each page of a group lists all of them.
    if groups.values().map(|group| group.len().pow(2)).sum::<usize>() > ADDRESSES_MAX {
        groups.clear();
    }
    let entry = |page: &PageLink| {
        let group = page.translation_key.as_deref().and_then(|key| groups.get(key)).cloned();
        Some(Entry::of(address(page)?, Some(page.updated_at)).with(group.unwrap_or_default()))
    };
    let entries: Vec<Entry> = data.page_links.iter().filter_map(entry).collect();
    own.charge(bytes_of(&entries)).await?;
    Ok(entries)
}

/// The pages of the terms that have posts.
async fn terms(own: &mut Own<'_>, kind: TermKind) -> Result<Vec<Entry>, Refused> {
    let site = own.site;
    all(
        own,
        (kind.plural(), json!({})),
        |data: Paged<Term>| Some(data.page),
        |term| (term.post_count > 0).then(|| Entry::of(site.term(kind, &term.slug), None)),
    )
    .await
}

/// The posts of a month.
async fn posts(own: &mut Own<'_>, first: NaiveDate) -> Result<Vec<Entry>, Refused> {
    let site = own.site;
    all(
        own,
        ("Month", json!({ "year": first.year(), "month": first.month(), "pairs": true })),
        |mut data: Archive| data.archive.pop().map(|month| month.page),
        |post: Post| {
            let address = |post: &Post| site.post(&post.slug, post.published_at);
            let group = std::iter::once(&post).chain(&post.translations);
            let group = group.filter_map(|post| Alternate::of(post.language.as_deref(), site, address(post))).collect();
            Some(Entry::of(address(&post), Some(post.updated_at.max(post.published_at))).with(group))
        },
    )
    .await
}

/// The entries of all pages of a list. If `page` returns `None`, the list does not exist.
async fn all<Data: DeserializeOwned, Item>(
    own: &mut Own<'_>,
    (operation, mut variables): (&str, Value),
    page: impl Fn(Data) -> Option<Page<Item>>,
    entry: impl Fn(Item) -> Option<Entry>,
) -> Result<Vec<Entry>, Refused> {
    let mut entries = Vec::new();
    for _ in 0..PAGES_MAX {
        let data = query(own, operation, variables.clone()).await?.parse()?;
        let Page { nodes, page_info } = page(data).ok_or_else(Refused::not_found)?;
        let earlier = bytes_of(&entries);
        entries.extend(nodes.into_iter().filter_map(&entry));
        own.charge(bytes_of(&entries) - earlier).await?;
        if entries.len() >= PAIRED_MAX && variables["pairs"] == true {
            variables["pairs"] = json!(false);
        }
        match page_info.end_cursor.filter(|_| page_info.has_next_page) {
            Some(cursor) => variables["after"] = json!(cursor),
            None => return Ok(entries),
        }
    }
    warn_of_cut(operation);
    Ok(entries)
}

/// There are more addresses than a file may have.
fn warn_of_cut(operation: &str) {
    tracing::warn!(operation, addresses = ADDRESSES_MAX, "http.sitemap_cut");
}

/// The memory that the entries use.
fn bytes_of(entries: &[Entry]) -> u64 {
    let alternate = |one: &Alternate| size_of::<Alternate>() + one.language.len() + one.address.len();
    let alternates = |entry: &Entry| entry.alternates.iter().map(alternate).sum::<usize>();
    entries.iter().map(|entry| (size_of::<Entry>() + entry.address.len() + alternates(entry)) as u64).sum()
}

fn write_entries(entries: &[Entry]) -> Bytes {
    let mut xml = Xml::new();
    let has_pairs = entries.iter().any(|entry| !entry.alternates.is_empty());
    let namespaces = if has_pairs { &[NAMESPACE[0], XHTML][..] } else { &NAMESPACE };
    xml.element("urlset", namespaces, |xml| {
        for entry in entries {
            xml.element("url", &[], |xml| {
                xml.text("loc", &entry.address);
                // Readers of sitemaps refuse a date before 1970.
                if let Some(at) = entry.changed_at.filter(|at| at.timestamp() >= 0) {
                    xml.text("lastmod", &at.to_rfc3339_opts(SecondsFormat::Secs, true));
                }
                for Alternate { language, address } in &entry.alternates {
                    xml.empty("xhtml:link", &[("rel", "alternate"), ("hreflang", language), ("href", address)]);
                }
            });
        }
    });
    xml.finish().into()
}

struct Entry {
    address: String,
    changed_at: Option<DateTime<Utc>>,
    /// The same content in all its languages, including its own; empty if there is only one.
    alternates: Vec<Alternate>,
}

impl Entry {
    fn of(address: String, changed_at: Option<DateTime<Utc>>) -> Self {
        Self { address, changed_at, alternates: Vec::new() }
    }

    /// Search engines expect that each entry of a group lists all of them, and each language once. An entry of unknown language is not in `group`; one without a
    /// language of its own may have that of another.
    fn with(self, group: Vec<Alternate>) -> Self {
        let is_in = group.iter().any(|one| one.address == self.address);
        let languages: HashSet<_> = group.iter().map(|one| one.language.to_ascii_lowercase()).collect();
        let is_clear = is_in && group.len() > 1 && languages.len() == group.len();
        Self { alternates: if is_clear { group } else { Vec::new() }, ..self }
    }
}

#[derive(Clone)]
struct Alternate {
    language: String,
    address: String,
}

impl Alternate {
    /// `None` if neither the content nor the site has a language.
    fn of(language: Option<&str>, site: LocatedSite<'_>, address: String) -> Option<Self> {
        Some(Self { language: language.or(site.language.as_deref())?.to_owned(), address })
    }
}

#[derive(Deserialize)]
struct Index {
    archive: Vec<Month>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageLinks {
    page_links: Vec<PageLink>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageLink {
    path: String,
    updated_at: DateTime<Utc>,
    language: Option<String>,
    translation_key: Option<String>,
}

#[derive(Deserialize)]
struct Month {
    year: i32,
    month: u32,
}

#[derive(Deserialize)]
struct Archive {
    archive: Vec<Paged<Post>>,
}

#[derive(Deserialize)]
struct Paged<T> {
    page: Page<T>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page<T> {
    nodes: Vec<T>,
    page_info: PageInfo,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Post {
    slug: String,
    published_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    language: Option<String>,
    #[serde(default)]
    translations: Vec<Post>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Term {
    slug: String,
    post_count: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_named_in_one_way() {
        let day = |text: &str| text.parse::<NaiveDate>().expect("a day");
        assert_eq!(Part::parse("/sitemap.xml"), Some(Part::Index));
        assert_eq!(Part::parse("/sitemaps/site.xml"), Some(Part::Site));
        assert_eq!(Part::parse("/sitemaps/2026-02.xml"), Some(Part::Month(day("2026-02-01"))));
        for path in [
            "2026-13.xml",
            "2026-02-28.xml",
            "2026-2.xml",
            "02026-02.xml",
            "+2026-02.xml",
            "0000-01.xml",
            "+12345-01.xml",
            "9999-12.xml",
            "sitemap.xml",
            "a.xml",
            ".xml",
            "",
        ] {
            assert_eq!(Part::parse(&format!("/sitemaps/{path}")), None, "{path}");
        }
    }
}
