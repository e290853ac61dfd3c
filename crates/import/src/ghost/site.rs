//! Reads the tags and authors of a Ghost export, and which posts have them. The rule: internal data is not imported: internal tags, and the e-mail
//! addresses and passwords of accounts.

use std::collections::HashMap;

use crate::found::FoundContent;
use crate::json_rows::JsonTables;
use crate::media::Media;
use crate::{ImportedTerm, Term, TermKind, accounts};
use tidings_model::Slug;

use super::row::GhostRow;

#[derive(Default)]
pub(super) struct GhostSite {
    /// By id; `None` for an internal tag of Ghost.
    tags: HashMap<String, Option<Term>>,
    users: HashMap<String, Term>,
    tags_of: HashMap<String, Vec<Link>>,
    authors_of: HashMap<String, Vec<Link>>,
    details: HashMap<String, Details>,
    /// Tags and authors with their descriptions.
    pub described: Vec<ImportedTerm>,
    pub media: Media,
}

struct Link {
    order: i64,
    id: String,
}

/// Data of a post that newer versions of Ghost store in a separate table.
#[derive(Debug, Clone, Default)]
pub(super) struct Details {
    pub image_alt: Option<String>,
    /// HTML.
    pub image_caption: Option<String>,
    pub is_email_only: bool,
    /// Texts of the table that Tidings has no field for, by column.
    pub texts: Vec<(&'static str, String)>,
}

/// Texts for search results and social networks. Older versions of Ghost store them in the table of posts.
pub(super) const TEXTS: &str = "\
    meta_title meta_description og_image og_title og_description twitter_image twitter_title twitter_description";

impl GhostSite {
    pub(super) fn read(tables: &JsonTables, media: Media, found: &mut FoundContent) -> Self {
        let mut site = Self { media, ..Self::default() };
        each_row(tables, "tags", found, |row, found| site.tag(row, found));
        each_row(tables, "users", found, |row, _| site.user(row));
        each_row(tables, "posts_meta", found, |row, _| site.post_details(row));
        each_row(tables, "posts_tags", found, |row, _| link(&mut site.tags_of, row, "tag_id"));
        each_row(tables, "posts_authors", found, |row, _| link(&mut site.authors_of, row, "author_id"));
        for links in site.tags_of.values_mut().chain(site.authors_of.values_mut()) {
            links.sort_by_key(|link| link.order);
        }
        site
    }

    /// The public tags of a post, the primary one first, and whether a tag is missing in the export.
    pub(super) fn tags(&self, post: &str) -> (Vec<Term>, bool) {
        let links = self.tags_of.get(post).map_or(&[][..], Vec::as_slice);
        let tags = links.iter().filter_map(|link| self.tags.get(&link.id)?.clone()).collect();
        (tags, links.iter().any(|link| !self.tags.contains_key(&link.id)))
    }

    /// The authors of a post in order (only one before Ghost 1.22), and whether one is missing in the export.
    pub(super) fn authors(&self, post: &str, only: Option<String>) -> (Vec<Term>, bool) {
        let linked = self.authors_of.get(post).into_iter().flatten().map(|link| link.id.clone());
        let mut ids: Vec<String> = linked.collect();
        if ids.is_empty() {
            ids.extend(only);
        }
        let authors: Vec<Term> = ids.iter().filter_map(|id| self.users.get(id).cloned()).collect();
        let is_one_missing = authors.len() < ids.len();
        (authors, is_one_missing)
    }

    pub(super) fn details(&self, post: &str) -> Details {
        self.details.get(post).cloned().unwrap_or_default()
    }

    fn tag(&mut self, row: &GhostRow, found: &mut FoundContent) -> Option<()> {
        let (id, name) = (row.id("id")?, row.text("name")?.trim());
        if name.starts_with('#') || row.text("visibility") == Some("internal") {
            found.skip(format!("tag {name}"), "an internal tag of Ghost, not for readers");
            self.tags.insert(id, None);
            return Some(());
        }
        let term = self.describe(TermKind::Tag, row, name, "description");
        self.tags.insert(id, Some(term));
        Some(())
    }

    fn user(&mut self, row: &GhostRow) -> Option<()> {
        let (id, name) = (row.id("id")?, row.text("name")?.trim());
        let term = self.describe(TermKind::Author, row, name, "bio");
        self.users.insert(id, term);
        Some(())
    }

    fn describe(&mut self, kind: TermKind, row: &GhostRow, name: &str, description: &str) -> Term {
        let slug = row.text("slug").and_then(Slug::from_name);
        let text = |field| row.text(field).map(|text| text.trim().to_owned());
        let mut described = ImportedTerm { description: text(description), ..ImportedTerm::named(kind, slug, name) };
        if kind == TermKind::Author {
            described.url = text("website");
            described.profile.links = accounts::links(|field| row.text(field));
        }
        let term = Term { name: described.name.clone(), slug: described.slug.clone() };
        self.described.push(described);
        term
    }

    fn post_details(&mut self, row: &GhostRow) -> Option<()> {
        let text = |field| row.text(field).map(str::to_owned);
        let details = Details {
            image_alt: text("feature_image_alt"),
            image_caption: text("feature_image_caption"),
            is_email_only: row.is("email_only"),
            texts: TEXTS.split(' ').filter_map(|name| Some((name, text(name)?))).collect(),
        };
        self.details.insert(row.id("post_id")?, details);
        Some(())
    }
}

fn link(links: &mut HashMap<String, Vec<Link>>, row: &GhostRow, field: &str) -> Option<()> {
    let link = Link { order: row.number("sort_order"), id: row.id(field)? };
    links.entry(row.id("post_id")?).or_default().push(link);
    Some(())
}

/// `take` returns `None` if the row lacks a required field.
fn each_row(
    tables: &JsonTables,
    table: &str,
    found: &mut FoundContent,
    mut take: impl FnMut(&GhostRow, &mut FoundContent) -> Option<()>,
) {
    tables.each(table, found, |row, found| {
        take(&GhostRow::new(row)?, found).ok_or_else(|| "lacks a name or an id".to_owned())
    });
}
