//! Reads one row of Ghost's table of posts as a post. The rule: posts that Ghost showed only to members, or sent only by e-mail, become drafts,
//! and no part of a post is omitted without a note.

use crate::found::{Item, NotImported, ReadItem};
use crate::title::title_of;
use crate::{ImportedCover, ImportedLanguage, ImportedPost, PagePlace, Term};
use tidings_model::asset::ALT_CHARS_MAX;
use tidings_model::{JsonValue, Language, Metadata};

use super::body::{self, Body};
use super::row::GhostRow;
use super::site::{self, Details, GhostSite};

/// The name of the row in the report: the slug, by which authors know their posts.
pub(super) fn name(row: &GhostRow, number: usize) -> String {
    row.text("slug")
        .or(row.text("title"))
        .map_or_else(|| format!("posts, item {number}"), |slug| format!("post {slug}"))
}

pub(super) fn read(row: &GhostRow, site: &GhostSite) -> ReadItem {
    let is_page = other_kind(row) == Some("page");
    if let Some(kind) = other_kind(row).filter(|_| !is_page) {
        return Err(NotImported::Skipped(format!("has the type {kind:?}, so it is not a post")));
    }
    let id = row.id("id").ok_or("has no id")?;
    let details = site.details(&id);
    let (is_draft, note) = status(row, details.is_email_only).map_err(NotImported::Skipped)?;
    if !is_draft && !is_page && row.instant("published_at").is_none() {
        return Err(NotImported::UNDATED.into());
    }
    let mut notes: Vec<String> = note.into_iter().collect();
    let post = post(row, site, &id, is_draft, &mut notes)?;
    let page = is_page.then(|| PagePlace::of_slug(&post)).transpose()?;
    Ok(Item { post, page, notes })
}

/// The type of a row that is not a post. A page has a type, or in Ghost before 3.0 a flag.
fn other_kind(row: &GhostRow) -> Option<&str> {
    let kind = row.text("type").unwrap_or(if row.is("page") { "page" } else { "post" });
    Some(kind).filter(|kind| *kind != "post")
}

/// Whether the post becomes a draft, with a note about it.
fn status(row: &GhostRow, is_email_only: bool) -> Result<(bool, Option<String>), String> {
    let visibility = row.text("visibility").unwrap_or("public");
    match row.text("status").unwrap_or_default() {
        "draft" => Ok((true, None)),
        "sent" => Ok((true, Some("was sent only by e-mail, so it is imported as a draft".to_owned()))),
        "published" | "scheduled" if is_email_only => {
            Ok((true, Some("is only for e-mail, so it is imported as a draft".to_owned())))
        }
        "published" | "scheduled" if visibility != "public" => {
            Ok((true, Some(format!("has the visibility {visibility:?}, so it is imported as a draft"))))
        }
        "published" | "scheduled" => Ok((false, None)),
        other => Err(format!("has the status {other:?}, which is neither published nor a draft")),
    }
}

fn post(
    row: &GhostRow,
    site: &GhostSite,
    id: &str,
    is_draft: bool,
    notes: &mut Vec<String>,
) -> Result<ImportedPost, String> {
    let details = site.details(id);
    let body = body::read(row, &details);
    if body.is_unclear && !is_draft {
        notes.push(
            "may have parts that only members or readers of e-mails saw, so it is imported as a draft".to_owned(),
        );
    }
    if body.has_no_html {
        notes.push(
            "has a text, but no HTML, so it is imported as a draft without it; save it in Ghost, and export again"
                .to_owned(),
        );
    }
    let is_draft = is_draft || body.is_unclear || body.has_no_html;
    let (tags, lacks_tag) = site.tags(id);
    let (authors, lacks_author) = site.authors(id, row.id("author_id"));
    if lacks_tag || lacks_author {
        notes.push("names a tag or an author that the export does not contain, so it is not imported".to_owned());
    }
    if row.text("codeinjection_head").or(row.text("codeinjection_foot")).is_some() {
        notes.push("its code injection is not imported".to_owned());
    }
    let metadata = Metadata::of(&metadata(row, &details)).map_err(|bad| format!("its metadata {bad}"))?;
    let Body { text, below_image, notes: more, .. } = body;
    notes.extend(more);
    let cover = cover(row, site, details.image_alt, below_image);
    Ok(ImportedPost { metadata: Some(metadata), cover, ..imported(row, id, is_draft, text, authors, tags) })
}

/// The image above the post if it is a file of the site. Without the picture files, a post keeps its cover.
fn cover(row: &GhostRow, site: &GhostSite, alt: Option<String>, body_below: Option<String>) -> ImportedCover {
    let address = body::image_address(row).map(|address| body::with_addresses(address).into_owned());
    match address.filter(|address| site.media.file_of(address).is_some()) {
        _ if !site.media.exists() => ImportedCover::Unknown,
        None => ImportedCover::None,
        Some(address) => {
            let alt = alt.filter(|alt| alt.chars().count() <= ALT_CHARS_MAX);
            ImportedCover::File { address, alt, body_below }
        }
    }
}

/// The nonempty fields that Tidings does not have, under their names in Ghost.
fn metadata(row: &GhostRow, details: &Details) -> JsonValue {
    let of_row = |name: &'static str| Some((name, row.text(name)?.to_owned()));
    let image = of_row("feature_image").or_else(|| Some(("feature_image", row.text("image")?.to_owned())));
    let alt = details.image_alt.clone().map(|text| ("feature_image_alt", text));
    let caption = details.image_caption.clone().map(|text| ("feature_image_caption", text));
    let is_in_details = |name: &str| details.texts.iter().any(|(known, _)| *known == name);
    let older = site::TEXTS.split(' ').filter(|name| !is_in_details(name)).filter_map(of_row);
    let locale = of_row("locale").filter(|(_, text)| Language::of_locale(text).is_none());
    let texts = image.into_iter().chain(alt).chain(caption).chain(of_row("canonical_url")).chain(locale);
    let texts = texts.chain(details.texts.iter().cloned()).chain(older);
    JsonValue::object(
        texts.map(|(name, text)| (name.to_owned(), JsonValue::Text(body::with_addresses(&text).into_owned()))),
    )
}

/// Ghost before 1.0 has no column for the language, but one value for all posts.
fn language(row: &GhostRow) -> ImportedLanguage {
    match row.has("locale") {
        true => row.text("locale").and_then(Language::of_locale).into(),
        false => ImportedLanguage::Unknown,
    }
}

fn imported(
    row: &GhostRow,
    id: &str,
    is_draft: bool,
    body: String,
    authors: Vec<Term>,
    tags: Vec<Term>,
) -> ImportedPost {
    let text = |field| row.text(field).map(|text| text.trim().to_owned());
    let slug = text("slug");
    ImportedPost {
        // A UUID, because a row of another site may have the same id.
        origin: format!("ghost:{}", row.id("uuid").unwrap_or_else(|| id.to_owned())),
        title: title_of(text("title"), &body, slug.as_deref()),
        slug,
        excerpt: text("custom_excerpt"),
        markdown: body,
        authors,
        tags,
        published_at: row.instant("published_at").filter(|_| !is_draft),
        created_at: row.instant("created_at"),
        updated_at: row.instant("updated_at"),
        is_draft,
        language: language(row),
        is_featured: row.has("featured").then(|| row.is("featured")),
        ..ImportedPost::default()
    }
}
