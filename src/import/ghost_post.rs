//! One row of Ghost's table of posts read as a post. The rule: what Ghost showed to members alone, or sent by e-mail alone, stays a draft here,
//! and nothing of a post is left out without a note.

use super::ghost_body::{self, Body};
use super::ghost_row::GhostRow;
use super::ghost_site::GhostSite;
use super::markdown_file::in_words;
use super::{ImportedPost, Term};
use crate::model::markdown;

/// What a row turned out to be.
pub enum GhostPost {
    Post {
        post: Box<ImportedPost>,
        notes: Vec<String>,
    },
    /// And why.
    Skipped(String),
    Failed(String),
}

/// What the report calls it: people know their posts by their addresses.
pub fn name(row: &GhostRow, number: usize) -> String {
    row.text("slug").or(row.text("title")).map_or_else(|| format!("posts, row {number}"), |slug| format!("post {slug}"))
}

pub fn read(row: &GhostRow, site: &GhostSite) -> GhostPost {
    if let Some(kind) = other_kind(row) {
        return GhostPost::Skipped(format!("of the type {kind:?}, not a post"));
    }
    let Some(id) = row.id("id") else {
        return GhostPost::Failed("has no id".to_owned());
    };
    match status(row, site.details(&id).is_email_only) {
        Err(reason) => GhostPost::Skipped(reason),
        Ok((false, _)) if row.instant("published_at").is_none() => {
            GhostPost::Failed("published, but without a date that can be read".to_owned())
        }
        Ok((is_draft, note)) => post(row, site, &id, is_draft, note.into_iter().collect()),
    }
}

/// Pages are told by a type, in Ghost before 3.0 by a mark.
fn other_kind(row: &GhostRow) -> Option<&str> {
    let kind = row.text("type").unwrap_or(if row.is("page") { "page" } else { "post" });
    Some(kind).filter(|kind| *kind != "post")
}

/// Whether it becomes a draft, and what is to be said about that.
fn status(row: &GhostRow, is_email_only: bool) -> Result<(bool, Option<String>), String> {
    let visibility = row.text("visibility").unwrap_or("public");
    match row.text("status").unwrap_or_default() {
        "draft" => Ok((true, None)),
        "sent" => Ok((true, Some("sent by e-mail alone, so it was taken as a draft".to_owned()))),
        "published" | "scheduled" if is_email_only => {
            Ok((true, Some("for e-mail alone, so it was taken as a draft".to_owned())))
        }
        "published" | "scheduled" if visibility != "public" => {
            Ok((true, Some(format!("of the visibility {visibility:?}, so it was taken as a draft"))))
        }
        "published" | "scheduled" => Ok((false, None)),
        other => Err(format!("of the status {other:?}, neither published nor a draft")),
    }
}

fn post(row: &GhostRow, site: &GhostSite, id: &str, is_draft: bool, mut notes: Vec<String>) -> GhostPost {
    let body = match ghost_body::read(row, &site.details(id)) {
        Ok(body) => body,
        Err(reason) => return GhostPost::Failed(reason),
    };
    let (tags, lacks_tag) = site.tags(id);
    let (authors, lacks_author) = site.authors(id, row.id("author_id"));
    if lacks_tag || lacks_author {
        notes.push("names a tag or an author that the export does not hold; it was left out".to_owned());
    }
    if row.text("codeinjection_head").or(row.text("codeinjection_foot")).is_some() {
        notes.push("its code injection was left out".to_owned());
    }
    let Body { text, notes: more } = body;
    notes.extend(more);
    GhostPost::Post { post: Box::new(imported(row, id, is_draft, text, authors, tags)), notes }
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
        // The row's number may be another site's too.
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
        ..ImportedPost::default()
    }
}
