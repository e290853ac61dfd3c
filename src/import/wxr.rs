//! A WordPress export (WXR) read as a stream. The rule: one item at a time is in memory; an item that cannot be read costs no other.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::element::{self, Element};
use super::source::Found;
use super::wxr_item::{self, Item};
use super::{Failed, ImportedPost, ImportedTerm, Term, TermKind};
use crate::model::{Slug, html_text};

/// The longest item that is read again: its comments count.
const ITEM_BYTES_MAX: u64 = 256 << 20;

/// An export: where each post stands in it.
pub struct Wxr {
    path: PathBuf,
    site: Site,
    /// Where the item of each entry begins, and how long it is.
    places: Vec<(u64, u64)>,
}

/// What the export says of the site, before its items.
#[derive(Default)]
pub struct Site {
    /// Without a `/` at the end.
    pub address: String,
    /// By the slug of their login.
    authors: HashMap<Slug, String>,
}

impl Site {
    /// The author with this login, under the name that the site shows.
    pub fn author(&self, login: &str) -> Option<Term> {
        let Some(slug) = wxr_item::slug(login) else {
            return (!login.is_empty()).then(|| Term::named(login));
        };
        let name = self.authors.get(&slug).cloned().unwrap_or_else(|| login.to_owned());
        Some(Term { name, slug: Some(slug) })
    }
}

impl Wxr {
    /// Reads the whole file once.
    pub fn scan(path: &Path) -> io::Result<(Found, Self)> {
        let mut reader = element::reader(BufReader::new(File::open(path)?));
        let mut scan = Scan { found: Found::default(), site: Site::default(), places: Vec::new(), items: 0 };
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let start = reader.buffer_position();
            match reader.read_event_into(&mut buffer) {
                Ok(Event::Start(tag)) => scan.element(&mut reader, &tag.into_owned(), start),
                Ok(Event::Eof) => break,
                Ok(_) => {}
                Err(quick_xml::Error::Io(error)) => return Err(io::Error::new(error.kind(), error.to_string())),
                Err(error) => {
                    scan.found.fail(format!("byte {start}"), format!("not XML: {error}"));
                    // Where the reader has not moved it would say the same for ever.
                    if reader.buffer_position() <= start {
                        break;
                    }
                }
            }
        }
        let Scan { found, site, places, .. } = scan;
        Ok((found, Self { path: path.to_owned(), site, places }))
    }

    /// Reads one post again.
    pub fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let item = self.item(self.places[index]).map_err(failed)?;
        match wxr_item::origin(&item, &self.site).map(|origin| (wxr_item::read(&item, &self.site, &origin), origin)) {
            Some((Item::Post { post, .. }, found)) if found == origin => Ok(*post),
            _ => Err(failed("the file has changed since the import began".to_owned())),
        }
    }

    fn item(&self, (start, length): (u64, u64)) -> Result<Element, String> {
        let mut file = File::open(&self.path).map_err(|error| format!("cannot be read: {error}"))?;
        file.seek(SeekFrom::Start(start)).map_err(|error| format!("cannot be read: {error}"))?;
        let mut reader = element::reader(BufReader::new(file.take(length)));
        let mut buffer = Vec::new();
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(tag)) => Element::read(&mut reader, &tag.into_owned()),
            _ => Err("the file has changed since the import began".to_owned()),
        }
    }
}

struct Scan {
    found: Found,
    site: Site,
    places: Vec<(u64, u64)>,
    items: usize,
}

impl Scan {
    fn element<R: BufRead>(&mut self, reader: &mut Reader<R>, tag: &BytesStart<'_>, start: u64) {
        let name = tag.name().as_ref().to_owned();
        let is_wanted = matches!(&*name, "item" | "link" | "wp:base_blog_url" | "wp:author" | "wp:category" | "wp:tag");
        if !is_wanted {
            return;
        }
        self.items += usize::from(name == "item");
        match Element::read(reader, tag) {
            Ok(element) if name == "item" => self.item(&element, start, reader.buffer_position() - start),
            Ok(element) => self.describe(&element),
            Err(reason) => self.found.fail(format!("<{name}> at byte {start}"), reason),
        }
    }

    fn item(&mut self, item: &Element, start: u64, length: u64) {
        let Some(origin) = wxr_item::origin(item, &self.site) else {
            return self.found.fail(format!("item {}", self.items), "has no wp:post_id");
        };
        if length > ITEM_BYTES_MAX {
            return self.found.fail(origin, format!("longer than {ITEM_BYTES_MAX} bytes"));
        }
        match wxr_item::read(item, &self.site, &origin) {
            Item::Skipped(reason) => self.found.skip(origin, reason),
            Item::Failed(reason) => self.found.fail(origin, reason),
            Item::Post { post, note } => {
                self.places.push((start, length));
                self.found.take_post(&post);
                if let Some(note) = note {
                    self.found.note(origin, note);
                }
            }
        }
    }

    fn describe(&mut self, element: &Element) {
        let text = |name| Some(html_text::from_any(element.child_text(name))).filter(|text| !text.is_empty());
        let term = |kind, slug: &str, name: Option<String>, description| {
            let slug = wxr_item::slug(element.child_text(slug))?;
            let name = name.unwrap_or_else(|| slug.to_string());
            Some(ImportedTerm { kind, slug: Some(slug), name, description, url: None })
        };
        let term = match &*element.name {
            "wp:author" => term(TermKind::Author, "wp:author_login", text("wp:author_display_name"), None),
            "wp:category" => {
                term(TermKind::Category, "wp:category_nicename", text("wp:cat_name"), text("wp:category_description"))
            }
            "wp:tag" => term(TermKind::Tag, "wp:tag_slug", text("wp:tag_name"), text("wp:tag_description")),
            "wp:base_blog_url" => return self.site.address = address(&element.text),
            // The channel's own comes first; those of items are read with their items.
            _ if self.site.address.is_empty() => return self.site.address = address(&element.text),
            _ => None,
        };
        if let Some(term) = term {
            if let (TermKind::Author, Some(slug)) = (term.kind, &term.slug) {
                self.site.authors.insert(slug.clone(), term.name.clone());
            }
            self.found.terms.add_described(term);
        }
    }
}

fn address(text: &str) -> String {
    text.trim().trim_end_matches('/').to_owned()
}
