//! Reads one item of a WordPress export as a post. The rule: posts that WordPress did not publish – drafts, private posts, posts with a
//! password – become drafts; a note reports private posts and posts with a password.

use crate::import::title::in_words;
use crate::import::{ImportedLanguage, ImportedPage, ImportedPost, Term, dates};
use crate::model::asset::ALT_CHARS_MAX;
use crate::model::{Instant, JsonValue, Language, Metadata, PagePath, Slug, TimeZone, html_text, markdown};

use super::element::Element;
use super::site::{self, Attachment, WxrSite};

/// The result of reading an item.
pub(super) enum WxrItem {
    Post {
        post: Box<ImportedPost>,
        note: Option<&'static str>,
    },
    Page {
        page: Box<ImportedPage>,
        note: Option<&'static str>,
    },
    /// With the reason.
    Skipped(String),
    Failed(String),
}

/// The origin of an item: the site's address and the post's number. (A `guid` is not suitable, because two posts may have the same.)
pub(super) fn origin(item: &Element, site: &WxrSite) -> Option<String> {
    let id = Some(item.child_text("wp:post_id")).filter(|id| !id.is_empty())?;
    Some(format!("{}/?p={id}", site.address))
}

pub(super) fn read(item: &Element, site: &WxrSite, origin: &str) -> WxrItem {
    let kind = item.child_text("wp:post_type");
    let is_page = kind == "page";
    if kind != "post" && !is_page {
        return WxrItem::Skipped(format!("has the type {kind:?}, so it is not a post"));
    }
    let (is_draft, note) = match status(item) {
        Ok(status) => status,
        Err(reason) => return WxrItem::Skipped(reason),
    };
    match date(item, &site.time_zone) {
        None if !is_draft && !is_page => WxrItem::Failed("published, but without a date that can be read".to_owned()),
        date => match Metadata::of(&custom_fields(item)) {
            Err(bad) => WxrItem::Failed(format!("its custom fields: metadata {bad}")),
            Ok(metadata) => {
                let post = post(item, site, origin, is_draft, date);
                let post = ImportedPost { metadata: Some(metadata), ..post };
                if !is_page {
                    return WxrItem::Post { post: Box::new(post), note };
                }
                match path_of_page(item, site, &post) {
                    Ok(path) => {
                        let order = item.child_text("wp:menu_order").parse().ok().filter(|order| *order != 0);
                        WxrItem::Page { page: Box::new(ImportedPage::of_post(post, path, order)), note }
                    }
                    Err(reason) => WxrItem::Failed(reason),
                }
            }
        },
    }
}

/// The path in the page's own address below that of the site, which names the pages above it; a draft has only its slug.
fn path_of_page(item: &Element, site: &WxrSite, post: &ImportedPost) -> Result<PagePath, String> {
    let link = item.child_text("link");
    let below = link.strip_prefix(site.address.as_str()).filter(|below| !below.contains(['?', '#'])).unwrap_or("");
    let mut parts: Vec<Slug> = below.split('/').filter_map(Slug::from_name).collect();
    if parts.is_empty() {
        let named = post.slug.as_deref().and_then(Slug::from_name).or_else(|| Slug::from_name(&post.title));
        parts.push(named.ok_or("has neither a slug nor a title")?);
    }
    PagePath::of(parts).map_err(|bad| format!("its path: {bad}"))
}

/// Whether the post becomes a draft, with a note about it.
fn status(item: &Element) -> Result<(bool, Option<&'static str>), String> {
    let is_locked = !item.child_text("wp:post_password").is_empty();
    match item.child_text("wp:status") {
        "publish" | "future" if is_locked => Ok((true, Some("has a password, so it is imported as a draft"))),
        "publish" | "future" => Ok((false, None)),
        "draft" | "pending" => Ok((true, None)),
        "private" => Ok((true, Some("is private, so it is imported as a draft"))),
        other => Err(format!("has the status {other:?}, which is neither published nor a draft")),
    }
}

/// The date in UTC if the export has it, or else that in the time zone of the site; WordPress writes `0000-00-00` for posts that were never published.
fn date(item: &Element, zone: &TimeZone) -> Option<Instant> {
    let in_utc = ["wp:post_date_gmt", "pubDate"].iter().find_map(|name| dates::parse(item.child_text(name)));
    in_utc.or_else(|| dates::parse_in(item.child_text("wp:post_date"), zone))
}

fn post(item: &Element, site: &WxrSite, origin: &str, is_draft: bool, date: Option<Instant>) -> ImportedPost {
    let body = item.child("content:encoded").map_or("", |content| content.text.as_str());
    let slug = site::slug_text(item.child_text("wp:post_name"));
    ImportedPost {
        origin: origin.to_owned(),
        id: None,
        title: title(item, body, slug.as_deref()),
        slug,
        excerpt: Some(html_text::from_any(item.child_text("excerpt:encoded"))).filter(|text| !text.is_empty()),
        markdown: body.to_owned(),
        authors: site.author(item.child_text("dc:creator")).into_iter().collect(),
        categories: terms(item, "category"),
        tags: terms(item, "post_tag"),
        published_at: date.filter(|_| !is_draft),
        version: None,
        created_at: date.filter(|_| is_draft),
        updated_at: dates::parse(item.child_text("wp:post_modified_gmt")),
        is_draft,
        former_slugs: Vec::new(),
        aliases: old_slugs(item),
        cover: site.cover(featured_image(item)),
        language: language(item),
        is_featured: featured(item),
        ..ImportedPost::default()
    }
}

/// WordPress stores titles as HTML. An empty title is replaced with the first heading, else with the slug in words.
fn title(item: &Element, body: &str, slug: Option<&str>) -> String {
    let given = html_text::from_any(item.child_text("title"));
    let given = Some(given).filter(|title| !title.is_empty());
    given.or_else(|| markdown::first_heading(body)).unwrap_or_else(|| in_words(slug.unwrap_or_default()))
}

/// Polylang has a taxonomy for it; without one, the export does not say it.
fn language(item: &Element) -> ImportedLanguage {
    let mut named = item.children("category").filter(|category| category.attribute("domain") == Some("language"));
    let tag = named.find_map(|category| category.attribute("nicename").and_then(Language::of_locale));
    tag.map_or(ImportedLanguage::Unknown, ImportedLanguage::Tag)
}

/// WordPress calls it sticky; the exports of other programs may not say it.
fn featured(item: &Element) -> Option<bool> {
    match item.child_text("wp:is_sticky") {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

/// The item's terms of one taxonomy, each once.
fn terms(item: &Element, domain: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for category in item.children("category").filter(|category| category.attribute("domain") == Some(domain)) {
        let term = Term {
            name: html_text::from_any(&category.text),
            slug: category.attribute("nicename").and_then(site::slug),
        };
        let is_known =
            terms.iter().any(|known| known.slug == term.slug && (term.slug.is_some() || known.name == term.name));
        if !is_known && !term.name.is_empty() {
            terms.push(term);
        }
    }
    terms
}

/// The custom fields of the post: each as a text, or as a list if the post has it several times. Those that begin with `_` belong to WordPress and its
/// plugins, which do not show them.
fn custom_fields(item: &Element) -> JsonValue {
    let mut fields: Vec<(String, JsonValue)> = Vec::new();
    for meta in item.children("wp:postmeta") {
        let (key, value) = (meta.child_text("wp:meta_key"), meta.child("wp:meta_value"));
        if key.is_empty() || key.starts_with('_') {
            continue;
        }
        let value = JsonValue::Text(value.map_or_else(String::new, |value| value.text.clone()));
        match fields.iter_mut().find(|(known, _)| known == key) {
            None => fields.push((key.to_owned(), value)),
            Some((_, JsonValue::List(values))) => values.push(value),
            Some((_, first)) => *first = JsonValue::List(vec![std::mem::replace(first, JsonValue::Null), value]),
        }
    }
    JsonValue::object(fields)
}

/// The value of a field of WordPress itself or of a plugin.
fn field<'a>(item: &'a Element, key: &str) -> Option<&'a str> {
    let mut fields = item.children("wp:postmeta").filter(|meta| meta.child_text("wp:meta_key") == key);
    fields.next().map(|meta| meta.child_text("wp:meta_value")).filter(|value| !value.is_empty())
}

/// The number of the post's featured image.
pub(super) fn featured_image(item: &Element) -> Option<&str> {
    field(item, "_thumbnail_id")
}

/// A file of the site with its number, if the item is one.
pub(super) fn attachment(item: &Element) -> Option<(String, Attachment)> {
    let (number, address) = (item.child_text("wp:post_id"), item.child_text("wp:attachment_url"));
    let is_one = item.child_text("wp:post_type") == "attachment" && !number.is_empty() && !address.is_empty();
    let alt = field(item, "_wp_attachment_image_alt").filter(|alt| alt.chars().count() <= ALT_CHARS_MAX);
    is_one.then(|| (number.to_owned(), Attachment { address: address.to_owned(), alt: alt.map(str::to_owned) }))
}

/// The former slugs of the post, which WordPress stores in the post's metadata.
fn old_slugs(item: &Element) -> Vec<String> {
    let notes = item.children("wp:postmeta").filter(|meta| meta.child_text("wp:meta_key") == "_wp_old_slug");
    notes.filter_map(|meta| site::slug_text(meta.child_text("wp:meta_value"))).collect()
}
