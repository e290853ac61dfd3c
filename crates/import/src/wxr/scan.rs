//! Reads the files of an export. The rule: every item is imported or in the report, and an item in two files is imported once.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::found::FoundContent;
use crate::media::Media;
use crate::{Failed, ImportedTerm, TermKind};
use tidings_model::html_text;

use super::element::{self, Element};
use super::site::{self, WxrSite};
use super::{input, item, terms};

/// The maximum number of restarts after parts of the file that are not XML.
const STOPS_MAX: usize = 1_000;

pub(super) struct WxrScan {
    found: FoundContent,
    site: WxrSite,
    /// The items other than authors, in the order of the files, without their comments.
    posts: Vec<Element>,
    /// How many files were read before, and the prefix of the current one in the report if there are several.
    files: usize,
    file_named: String,
    /// How many items of the current file were read.
    items: usize,
    /// Whether the current file is an export of another site than the first.
    is_of_other_site: bool,
}

impl WxrScan {
    pub(super) fn of(site: WxrSite) -> Self {
        let (found, posts, file_named) = (FoundContent::default(), Vec::new(), String::new());
        Self { found, site, posts, files: 0, file_named, items: 0, is_of_other_site: false }
    }

    /// Reads a file. `in_folder`: whether it is one of several.
    pub(super) fn file(&mut self, path: &Path, in_folder: bool) -> io::Result<()> {
        let (text, damaged) = input::read(path)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        self.found.failed.extend(damaged.map(|reason| Failed { origin: name.clone(), reason }));
        self.file_named = if in_folder { format!("{name}, ") } else { String::new() };
        (self.items, self.is_of_other_site) = (0, false);
        let (mut start, mut stops) = (Some(0), 0);
        while let Some(from) = start.filter(|_| stops <= STOPS_MAX) {
            let stop = self.run(&text, from).map(|stop| text.ceil_char_boundary(stop + 1));
            start = stop.and_then(|stop| Some(stop + text[stop..].find("<item")?));
            stops += 1;
        }
        if let Some(from) = start {
            self.found
                .fail(format!("{}from byte {from} on", self.file_named), "too many parts of the file are not XML");
        }
        self.files += 1;
        Ok(())
    }

    /// Reads the items as posts and pages.
    pub(super) fn finish(mut self) -> (FoundContent, Media) {
        // The taxonomies without a field in Tidings.
        let mut taxonomies = BTreeSet::new();
        for post in self.posts {
            let Some(origin) = item::origin(&post, &self.site) else { continue };
            let read = item::read(&post, &self.site, &origin);
            if self.found.take_item(&origin, read, &self.site.media) {
                taxonomies.extend(terms::others(&post).into_iter().map(|(taxonomy, _)| taxonomy));
            }
        }
        if !taxonomies.is_empty() {
            let taxonomies: Vec<_> = taxonomies.into_iter().collect();
            let text = "the names of their terms are in the metadata";
            self.found.note("taxonomies", format!("there is no field for {}: {text}", taxonomies.join(", ")));
        }
        self.found.report_pictures_left(&self.site.media);
        (self.found, self.site.media)
    }

    /// Reads from this byte to the end, or to a part at which the parser fails; returns the position of that part.
    fn run(&mut self, text: &str, from: usize) -> Option<usize> {
        let mut reader = element::reader(&text[from..]);
        loop {
            let start = from + usize::try_from(reader.buffer_position()).unwrap_or_default();
            let read = match reader.read_event() {
                Ok(Event::Start(tag)) => self.element(&mut reader, &tag),
                Ok(Event::Eof) => return None,
                Ok(_) => Ok(()),
                Err(error) => Err(error.to_string()),
            };
            if let Err(reason) = read {
                self.found.fail(format!("{}byte {start}", self.file_named), reason);
                return Some(start);
            }
        }
    }

    /// Reads an element if it is imported.
    fn element(&mut self, reader: &mut Reader<&[u8]>, tag: &BytesStart<'_>) -> Result<(), String> {
        let name = tag.name().as_ref().to_owned();
        let is_imported =
            matches!(&*name, "item" | "link" | "wp:base_blog_url" | "wp:author" | "wp:category" | "wp:tag");
        if is_imported && !self.is_of_other_site {
            self.items += usize::from(name == "item");
            let element = Element::read(reader, tag).map_err(|reason| format!("<{name}>: {reason}"))?;
            if name == "item" { self.item(element) } else { self.describe(&element) }
        }
        Ok(())
    }

    fn item(&mut self, mut item: Element) {
        if item::origin(&item, &self.site).is_none() {
            return self.found.fail(format!("{}item {}", self.file_named, self.items), "has no wp:post_id");
        }
        self.site.attachments.extend(item::attachment(&item));
        match terms::guest_author(&item) {
            Some(author) => self.describe_author(author),
            None => {
                item.children.retain(|child| child.name != "wp:comment");
                self.posts.push(item);
            }
        }
    }

    fn describe(&mut self, element: &Element) {
        let text = |name| Some(html_text::from_any(element.child_text(name))).filter(|text| !text.is_empty());
        let term = |kind, slug: &str, name: Option<String>, description| {
            let slug = site::slug(element.child_text(slug))?;
            let name = name.unwrap_or_else(|| slug.to_string());
            Some(ImportedTerm { description, ..ImportedTerm::named(kind, Some(slug), name) })
        };
        let term = match &*element.name {
            "wp:author" => term(TermKind::Author, "wp:author_login", text("wp:author_display_name"), None),
            "wp:category" => {
                let (name, description) = (text("wp:cat_name"), text("wp:category_description"));
                let category = term(TermKind::Category, "wp:category_nicename", name, description);
                let parent = site::slug(element.child_text("wp:category_parent"));
                category.map(|category| ImportedTerm { parent, ..category })
            }
            "wp:tag" => term(TermKind::Tag, "wp:tag_slug", text("wp:tag_name"), text("wp:tag_description")),
            // The address is part of the origin of the posts, so it must not change after an item. Only a damaged file has one there.
            "wp:base_blog_url" | "link" if self.items > 0 => None,
            "wp:base_blog_url" => return self.set_address(address(&element.text)),
            // The first link is that of the channel; the links of items are read with their items.
            _ if self.site.address.is_empty() => return self.site.set_address(address(&element.text)),
            _ => None,
        };
        match term {
            Some(term) if term.kind == TermKind::Author => self.describe_author(term),
            Some(term) => self.found.describe(term),
            None => {}
        }
    }

    fn describe_author(&mut self, author: ImportedTerm) {
        if let Some(slug) = &author.slug {
            self.site.authors.insert(slug.clone(), author.name.clone());
        }
        self.found.describe(author);
    }

    /// Sets the address of the site. All files of a folder must be parts of one export.
    fn set_address(&mut self, address: String) {
        if self.files == 0 || self.site.address.is_empty() {
            return self.site.set_address(address);
        }
        self.is_of_other_site = address != self.site.address;
        if self.is_of_other_site {
            let reason = format!("is an export of another site, {address}; import it alone");
            self.found.fail(self.file_named.trim_end_matches(", "), reason);
        }
    }
}

fn address(text: &str) -> String {
    text.trim().trim_end_matches('/').to_owned()
}
