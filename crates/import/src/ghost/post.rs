//! Reads one row of Ghost's table of posts as a post. The rule: posts that Ghost showed only to members, or sent only by e-mail, become drafts,
//! and no part of a post is omitted without a note.

use crate::title::in_words;
use crate::{ImportedCover, ImportedLanguage, ImportedPage, ImportedPost, Term};
use tidings_model::asset::ALT_CHARS_MAX;
use tidings_model::{JsonValue, Language, Metadata, PagePath, Slug, markdown};

use super::body::{self, Body};
use super::row::GhostRow;
use super::site::{self, Details, GhostSite};

pub(super) enum GhostPost {
    Post {
        post: Box<ImportedPost>,
        notes: Vec<String>,
    },
    Page {
        page: Box<ImportedPage>,
        notes: Vec<String>,
    },
    /// Contains the reason.
    Skipped(String),
    Failed(String),
}

/// The name of the row in the report: the slug, by which authors know their posts.
pub(super) fn name(row: &GhostRow, number: usize) -> String {
    row.text("slug").or(row.text("title")).map_or_else(|| format!("posts, row {number}"), |slug| format!("post {slug}"))
}

pub(super) fn read(row: &GhostRow, site: &GhostSite) -> GhostPost {
    let is_page = other_kind(row) == Some("page");
    if let Some(kind) = other_kind(row).filter(|_| !is_page) {
        return GhostPost::Skipped(format!("has the type {kind:?}, so it is not a post"));
    }
    let Some(id) = row.id("id") else {
        return GhostPost::Failed("has no id".to_owned());
    };
    match status(row, site.details(&id).is_email_only) {
        Err(reason) => GhostPost::Skipped(reason),
        Ok((false, _)) if !is_page && row.instant("published_at").is_none() => {
            GhostPost::Failed("published, but without a date that can be read".to_owned())
        }
        Ok((is_draft, note)) => match post(row, site, &id, is_draft, note.into_iter().collect()) {
            GhostPost::Post { post, notes } if is_page => as_page(*post, notes),
            read => read,
        },
    }
}

fn as_page(post: ImportedPost, notes: Vec<String>) -> GhostPost {
    let slug = post.slug.as_deref().and_then(Slug::from_name).or_else(|| Slug::from_name(&post.title));
    match slug.and_then(|slug| PagePath::of(vec![slug]).ok()) {
        Some(path) => GhostPost::Page { page: Box::new(ImportedPage::of_post(post, path, None)), notes },
        None => GhostPost::Failed("has neither a slug nor a title".to_owned()),
    }
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

fn post(row: &GhostRow, site: &GhostSite, id: &str, is_draft: bool, mut notes: Vec<String>) -> GhostPost {
    let body = match body::read(row, &site.details(id)) {
        Ok(body) => body,
        Err(reason) => return GhostPost::Failed(reason),
    };
    if body.is_unclear && !is_draft {
        notes.push(
            "may have parts that only members or readers of e-mails saw, so it is imported as a draft".to_owned(),
        );
    }
    let is_draft = is_draft || body.is_unclear;
    let (tags, lacks_tag) = site.tags(id);
    let (authors, lacks_author) = site.authors(id, row.id("author_id"));
    if lacks_tag || lacks_author {
        notes.push("names a tag or an author that the export does not contain, so it is not imported".to_owned());
    }
    if row.text("codeinjection_head").or(row.text("codeinjection_foot")).is_some() {
        notes.push("its code injection is not imported".to_owned());
    }
    let metadata = match Metadata::of(&metadata(row, &site.details(id))) {
        Ok(metadata) => Some(metadata),
        Err(bad) => return GhostPost::Failed(format!("its metadata {bad}")),
    };
    let Body { text, below_image, notes: more, .. } = body;
    notes.extend(more);
    let cover = cover(row, site, site.details(id).image_alt, below_image);
    let post = ImportedPost { metadata, cover, ..imported(row, id, is_draft, text, authors, tags) };
    GhostPost::Post { post: Box::new(post), notes }
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
    let older = site::TEXTS.iter().filter(|name| !is_in_details(name)).filter_map(|name| of_row(name));
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
    let title = text("title").or_else(|| markdown::first_heading(&body));
    ImportedPost {
        // A UUID, because a row of another site may have the same id.
        origin: format!("ghost:{}", row.id("uuid").unwrap_or_else(|| id.to_owned())),
        title: title.unwrap_or_else(|| in_words(slug.as_deref().unwrap_or_default())),
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
