//! The objects of a space to which entries refer: locales, content types, tags, assets, and other entries. The rule: all of it is read before the first post,
//! because the lists of an export can be in any order.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use crate::found::FoundContent;
use crate::json_rows::JsonTables;
use crate::title::in_words;
use crate::{ImportedTerm, Term, TermKind};
use tidings_model::{Language, Profile, Slug, TimeZone, html_text, markdown};

use super::content_type::{ContentType, EntryRole};
use super::item::{ContentfulItem, text_of};
use super::rich_text;
use super::targets::{ContentfulAsset, LinkTargets, LinkedEntry, TermDetails};

/// The locale of a space that names none.
const LOCALE: &str = "en-US";

#[derive(Debug, Default)]
pub(super) struct Space {
    /// The default locale first.
    pub locales: Vec<String>,
    types: HashMap<String, ContentType>,
    /// Names by id.
    tags: HashMap<String, String>,
    pub targets: LinkTargets,
    /// The zone of dates without one.
    pub time_zone: TimeZone,
}

impl Space {
    pub(super) fn read(tables: &JsonTables, found: &mut FoundContent) -> Self {
        let mut space = Self::default();
        let mut default = None;
        each(tables, "locales", found, |item| {
            let code = item.text("code").ok_or("has no code")?.to_owned();
            if item.property("default") == Some(&Value::Bool(true)) {
                default = Some(space.locales.len());
            }
            space.locales.push(code);
            Ok(())
        });
        if space.locales.is_empty() {
            space.locales.push(LOCALE.to_owned());
        }
        space.locales.swap(0, default.unwrap_or(0));
        each(tables, "contentTypes", found, |item| {
            let content_type = ContentType::read(item)?;
            space.types.insert(content_type.id.clone(), content_type);
            Ok(())
        });
        each(tables, "tags", found, |item| {
            let id = item.id().ok_or("has no id")?.to_owned();
            let name = item.text("name").map_or_else(|| in_words(&id), str::to_owned);
            space.tags.insert(id, name);
            Ok(())
        });
        each(tables, "assets", found, |item| space.take_asset(item));
        each(tables, "entries", found, |item| space.take_entry(item));
        space
    }

    fn take_asset(&mut self, item: &ContentfulItem) -> Result<(), String> {
        let id = item.id().ok_or("has no id")?;
        let locales = self.locales_of(0);
        let file = item.field("file", &locales).or_else(|| item.field_in_any("file"));
        let text = |field| item.field(field, &locales).and_then(text_of).map(|text| text.trim().to_owned());
        // An asset without a file is a draft that nothing can show.
        let Some(url) = file.and_then(|file| file.get("url")).and_then(text_of) else { return Ok(()) };
        let kind = file.and_then(|file| file.get("contentType")).and_then(Value::as_str).unwrap_or_default();
        let asset = ContentfulAsset {
            address: if url.starts_with("//") { format!("https:{url}") } else { url.to_owned() },
            title: text("title"),
            description: text("description"),
            is_picture: kind.starts_with("image/"),
        };
        self.targets.assets.insert(id.to_owned(), asset);
        Ok(())
    }

    fn take_entry(&mut self, item: &ContentfulItem) -> Result<(), String> {
        let id = item.id().ok_or("has no id")?;
        let type_id = item.type_id().ok_or("has no content type")?;
        let entry = match self.types.get(type_id) {
            // An archived entry is not imported, so a link to it would have no address.
            Some(content_type) if content_type.role != EntryRole::Other && item.is_archived() => return Ok(()),
            Some(content_type) if content_type.role != EntryRole::Other => LinkedEntry::Content(origin(item, id)),
            content_type => {
                let details = content_type.and_then(|content_type| self.details(item, content_type));
                LinkedEntry::Other { type_id: type_id.to_owned(), details: details.map(Box::new) }
            }
        };
        self.targets.entries.insert(id.to_owned(), entry);
        Ok(())
    }

    /// `None` without a name.
    fn details(&self, item: &ContentfulItem, content_type: &ContentType) -> Option<TermDetails> {
        let locales = self.locales_of(0);
        let text = |field: &Option<String>| item.field(field.as_ref()?, &locales).and_then(text_of).map(str::trim);
        Some(TermDetails {
            name: text(&content_type.title)?.to_owned(),
            slug: text(&content_type.slug).and_then(Slug::from_name),
            description: content_type
                .excerpt
                .as_ref()
                .and_then(|field| plain(item.field(field, &locales)?, &self.targets)),
            url: text(&content_type.url).map(str::to_owned),
            job_title: text(&content_type.job_title).map(str::to_owned),
        })
    }

    /// The locales in which a value is looked up: this one and the default one.
    pub(super) fn locales_of(&self, index: usize) -> Vec<&str> {
        let own = self.locales.get(index).map(String::as_str);
        let default = self.locales.first().map(String::as_str).filter(|default| Some(*default) != own);
        own.into_iter().chain(default).collect()
    }

    /// The language of a locale; `None` if the space has only one.
    pub(super) fn language(&self, index: usize) -> Option<Language> {
        let several = self.locales.len() > 1;
        self.locales.get(index).filter(|_| several).and_then(|locale| Language::of_locale(locale))
    }

    /// The content type of the entry if it is a post or page.
    pub(super) fn type_of(&self, item: &ContentfulItem) -> Option<&ContentType> {
        self.types.get(item.type_id()?).filter(|content_type| content_type.role != EntryRole::Other)
    }

    pub(super) fn content_type(&self, id: &str) -> Option<&ContentType> {
        self.types.get(id)
    }

    /// Whether any content type is a post or page.
    pub(super) fn has_content(&self) -> bool {
        self.types.values().any(|content_type| content_type.role != EntryRole::Other)
    }

    /// Counts the entries of each content type that are neither posts, pages nor these terms.
    pub(super) fn others(&self, terms: &HashSet<(TermKind, String)>) -> BTreeMap<&str, usize> {
        let terms: HashSet<&str> = terms.iter().map(|(_, id)| id.as_str()).collect();
        let mut counts = BTreeMap::new();
        for (id, entry) in &self.targets.entries {
            if let LinkedEntry::Other { type_id, .. } = entry
                && !terms.contains(id.as_str())
            {
                *counts.entry(type_id.as_str()).or_default() += 1;
            }
        }
        counts
    }

    /// The tag of an entry, under the name in the export.
    pub(super) fn tag(&self, id: &str) -> Term {
        let name = self.tags.get(id).cloned().unwrap_or_else(|| in_words(id));
        Term { name, slug: Slug::from_name(id) }
    }

    pub(super) fn described(&self, kind: TermKind, id: &str) -> Option<ImportedTerm> {
        let Some(LinkedEntry::Other { details: Some(details), .. }) = self.targets.entries.get(id) else { return None };
        let TermDetails { name, slug, description, url, job_title } = TermDetails::clone(details);
        let is_author = kind == TermKind::Author;
        let profile = Profile { job_title: job_title.filter(|_| is_author), ..Profile::default() };
        let url = url.filter(|_| is_author);
        Some(ImportedTerm { description, url, profile, ..ImportedTerm::named(kind, slug, name) })
    }
}

/// Identifies an entry in later imports. A copy of a space has entries with the same ids, so the space is part of it.
pub(super) fn origin(item: &ContentfulItem, id: &str) -> String {
    match item.space_id() {
        Some(space) => format!("contentful:{space}/{id}"),
        None => format!("contentful:{id}"),
    }
}

/// Any text value as plain text; `None` if it is empty.
pub(super) fn plain(value: &Value, targets: &LinkTargets) -> Option<String> {
    let text = match value {
        Value::String(text) => html_text::from_clean(&markdown::html_of(text)),
        document => html_text::from_any(&rich_text::to_html(document, targets).html),
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// Reads each item of a list. `take` returns the reason if it cannot be read.
fn each(
    tables: &JsonTables,
    table: &str,
    found: &mut FoundContent,
    mut take: impl FnMut(&ContentfulItem) -> Result<(), String>,
) {
    tables.each(table, found, |row, _| take(&ContentfulItem::new(row)?));
}
