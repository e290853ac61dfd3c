//! Reads one item of a WordPress export as a post. The rule: a post that WordPress did not show to everyone – drafts, private posts, posts with a password or
//! with parts for subscribers – becomes a draft; a note reports it, unless it was already a draft.

use crate::found::{Item, NotImported, ReadItem};
use crate::title::title_of;
use crate::{ImportedPost, PagePlace, dates};
use tidings_model::asset::ALT_CHARS_MAX;
use tidings_model::{Enclosure, Instant, Metadata, Slug, TimeZone, html_text};

use super::body::{self, Body};
use super::element::Element;
use super::fields::{self, field};
use super::gallery::Galleries;
use super::site::{self, Attachment, WxrSite};
use super::{hidden, terms};

/// The origin of an item: the site's address and the post's number. A `guid` is unsuitable, because two posts may have the same.
pub(super) fn origin(item: &Element, site: &WxrSite) -> Option<String> {
    let id = Some(item.child_text("wp:post_id")).filter(|id| !id.is_empty())?;
    Some(format!("{}/?p={id}", site.address))
}

pub(super) fn read(item: &Element, site: &WxrSite, origin: &str) -> ReadItem {
    let kind = item.child_text("wp:post_type");
    let is_page = kind == "page";
    if kind != "post" && !is_page {
        return Err(NotImported::Skipped(format!("has the type {kind:?}, so it is not a post")));
    }
    let content = item.child("content:encoded").map_or("", |content| content.text.as_str());
    let (is_draft, note) = status(item, content).map_err(NotImported::Skipped)?;
    let date = date(item, &site.time_zone);
    if date.is_none() && !is_draft && !is_page {
        return Err(NotImported::UNDATED.into());
    }
    let (metadata, too_long) = fields::metadata(item, terms::others(item));
    let metadata = Metadata::of(&metadata).map_err(|bad| format!("its custom fields: metadata {bad}"))?;
    let lost = (!too_long.is_empty())
        .then(|| format!("custom fields that are too long for metadata: {}", too_long.join(", ")));
    let Body { text, notes } = body::read(content, &Galleries { site, post: item.child_text("wp:post_id") });
    let mut notes: Vec<String> = note.into_iter().chain(lost).chain(notes).collect();
    // WordPress adds one for each link to audio or video.
    let enclosure = field(item, "enclosure").map(str::parse::<Enclosure>).transpose();
    let enclosure =
        enclosure.map_err(|bad: String| notes.push(format!("its enclosure {bad}; it is only in the metadata")));
    let post = ImportedPost {
        metadata: Some(metadata),
        enclosure: enclosure.ok().flatten(),
        ..post(item, site, origin, is_draft, date, text)
    };
    let page = is_page.then(|| place_of_page(item, site, &post)).transpose()?;
    Ok(Item { post, page, notes })
}

/// The path in the page's address below that of the site, which contains the parent pages; a draft has only its slug.
fn place_of_page(item: &Element, site: &WxrSite, post: &ImportedPost) -> Result<PagePlace, String> {
    let link = item.child_text("link");
    let below = link.strip_prefix(site.address.as_str()).filter(|below| !below.contains(['?', '#'])).unwrap_or("");
    let parts: Vec<Slug> = below.split('/').filter_map(site::slug).collect();
    let place = if parts.is_empty() { PagePlace::of_slug(post) } else { PagePlace::of(parts) };
    let order = item.child_text("wp:menu_order").parse().ok().filter(|order| *order != 0);
    Ok(PagePlace { order, ..place? })
}

/// Whether the post becomes a draft, with a note about it.
fn status(item: &Element, content: &str) -> Result<(bool, Option<String>), String> {
    let is_locked = !item.child_text("wp:post_password").is_empty();
    match item.child_text("wp:status") {
        "publish" | "future" if is_locked => {
            Ok((true, Some("has a password, so it is imported as a draft".to_owned())))
        }
        "publish" | "future" => {
            let hidden = hidden::why(item, content);
            Ok((hidden.is_some(), hidden))
        }
        "draft" | "pending" => Ok((true, None)),
        "private" => Ok((true, Some("is private, so it is imported as a draft".to_owned()))),
        other => Err(format!("has the status {other:?}, which is neither published nor a draft")),
    }
}

/// The UTC date if the export contains it, or else the local date in the site's time zone; WordPress writes `0000-00-00` for posts that were never
/// published.
fn date(item: &Element, zone: &TimeZone) -> Option<Instant> {
    let in_utc = ["wp:post_date_gmt", "pubDate"].iter().find_map(|name| dates::parse(item.child_text(name)));
    in_utc.or_else(|| dates::parse_in(item.child_text("wp:post_date"), zone))
}

fn post(
    item: &Element,
    site: &WxrSite,
    origin: &str,
    is_draft: bool,
    date: Option<Instant>,
    body: String,
) -> ImportedPost {
    let slug = site::slug_text(item.child_text("wp:post_name"));
    ImportedPost {
        origin: origin.to_owned(),
        title: title_of(html_of(item, "title"), &body, slug.as_deref()),
        slug,
        excerpt: html_of(item, "excerpt:encoded"),
        markdown: body,
        authors: terms::authors(item, site),
        categories: terms::categories(item),
        tags: terms::tags(item),
        published_at: date.filter(|_| !is_draft),
        created_at: date.filter(|_| is_draft),
        updated_at: dates::parse(item.child_text("wp:post_modified_gmt")),
        is_draft,
        aliases: fields::old_slugs(item),
        cover: site.cover(field(item, "_thumbnail_id")),
        language: terms::language(item),
        translations: terms::translations(item),
        is_featured: featured(item),
        ..ImportedPost::default()
    }
}

/// The text of a field that WordPress stores as HTML; `None` if it is empty.
fn html_of(item: &Element, name: &str) -> Option<String> {
    Some(html_text::from_any(item.child_text(name))).filter(|text| !text.is_empty())
}

/// WordPress calls it sticky. Exports of other programs may lack it.
fn featured(item: &Element) -> Option<bool> {
    match item.child_text("wp:is_sticky") {
        "1" => Some(true),
        "0" => Some(false),
        _ => None,
    }
}

/// The item as a file of the site with its number, if it is one.
pub(super) fn attachment(item: &Element) -> Option<(String, Attachment)> {
    let (number, address) = (item.child_text("wp:post_id"), item.child_text("wp:attachment_url"));
    let is_one = item.child_text("wp:post_type") == "attachment" && !number.is_empty() && !address.is_empty();
    let alt = field(item, "_wp_attachment_image_alt").filter(|alt| alt.chars().count() <= ALT_CHARS_MAX);
    is_one.then(|| {
        let (address, alt) = (address.to_owned(), alt.map(str::to_owned));
        let text = |name| item.child_text(name).trim().to_owned();
        let order = item.child_text("wp:menu_order").parse().unwrap_or_default();
        let (caption, parent) = (text("excerpt:encoded"), text("wp:post_parent"));
        (number.to_owned(), Attachment { address, alt, caption, parent, order })
    })
}
