//! Reads the files of an export. The rule: every item is imported or in the report, and an item in two files is imported once.

use std::collections::BTreeSet;
use std::io::{self, BufRead, Read};
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::found::{FoundContent, ReadItem, Taken};
use crate::{ImportedTerm, Note, TermKind};
use tidings_model::html_text;

use super::element::{self, Element};
use super::input::WxrFile;
use super::item;
use super::site::{self, WxrSite};
use super::terms;

/// How often reading is restarted after a part of the file that is not XML.
const STOPS_MAX: usize = 1_000;

/// The position of an item.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The index of its file.
    pub file: usize,
    /// Its first byte.
    pub start: u64,
    pub length: u64,
}

pub(super) struct WxrScan {
    found: FoundContent,
    site: WxrSite,
    /// The items other than authors, in the order of the files.
    places: Vec<Place>,
    /// The index of the current file, and its prefix in the report if there are several files.
    file: usize,
    file_named: String,
    /// How many items of the current file were read.
    items: usize,
    /// Whether the current file is an export of another site than the first.
    is_of_other_site: bool,
}

impl WxrScan {
    pub(super) fn of(site: WxrSite) -> Self {
        Self {
            found: FoundContent::default(),
            site,
            places: Vec::new(),
            file: 0,
            file_named: String::new(),
            items: 0,
            is_of_other_site: false,
        }
    }

    /// Reads a file. `in_folder`: whether it is one of several.
    pub(super) fn file(&mut self, index: usize, path: &Path, in_folder: bool) -> io::Result<WxrFile> {
        let (file, note) = WxrFile::open(path)?;
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        self.found.notes.extend(note.map(|text| Note { origin: name.clone(), text }));
        self.file_named = if in_folder { format!("{name}, ") } else { String::new() };
        (self.file, self.items, self.is_of_other_site) = (index, 0, false);
        let mut start = Some(0);
        let mut stops = 0;
        while let Some(from) = start {
            start = match self.run(&file, from)? {
                Some(_) if stops == STOPS_MAX => {
                    let origin = format!("{}from byte {from} on", self.file_named);
                    self.found.fail(origin, "too many parts of the file are not XML");
                    None
                }
                Some(stop) => next_item(&file, stop + 1)?,
                None => None,
            };
            stops += 1;
        }
        Ok(file)
    }

    /// Reads the items. Returns the places of the posts.
    pub(super) fn finish(mut self, files: &[WxrFile]) -> (FoundContent, WxrSite, Vec<Place>) {
        // The taxonomies without a field in Tidings.
        let (mut posts, mut taxonomies) = (Vec::new(), BTreeSet::new());
        for place in self.places {
            let (item, read) = read_at(files, &place, &self.site);
            let origin = item::origin(&item, &self.site).unwrap_or_else(|| format!("byte {}", place.start));
            let taken = self.found.take_item(&origin, read, &self.site.media);
            if taken != Taken::Nothing {
                taxonomies.extend(terms::others(&item).into_iter().map(|(taxonomy, _)| taxonomy));
            }
            if taken == Taken::Post {
                posts.push(place);
            }
        }
        if !taxonomies.is_empty() {
            let taxonomies: Vec<_> = taxonomies.into_iter().collect();
            let text = "the names of their terms are in the metadata";
            self.found.note("taxonomies", format!("there is no field for {}: {text}", taxonomies.join(", ")));
        }
        self.found.report_pictures_left(&self.site.media);
        (self.found, self.site, posts)
    }

    /// Reads from this byte to the end, or to a part at which the parser fails; returns the position of that part.
    fn run(&mut self, file: &WxrFile, from: u64) -> io::Result<Option<u64>> {
        let mut file = file.from(from)?;
        let from = from + skip_byte_order_marks(&mut file)?;
        let mut reader = element::reader(file);
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            let start = from + reader.buffer_position();
            let read = match reader.read_event_into(&mut buffer) {
                Ok(Event::Start(tag)) => self.element(&mut reader, &tag.into_owned(), start, from),
                Ok(Event::Eof) => return Ok(None),
                Ok(_) => Ok(()),
                Err(quick_xml::Error::Io(error)) => return Err(io::Error::new(error.kind(), error.to_string())),
                Err(error) => Err(error.to_string()),
            };
            if let Err(reason) = read {
                self.found.fail(format!("{}byte {start}", self.file_named), with_hint(reason));
                return Ok(Some(start));
            }
        }
    }

    /// Reads an element if it is imported. `start`: the first byte of its tag in the file. `from`: the byte at which the reader began.
    fn element<R: BufRead>(
        &mut self,
        reader: &mut Reader<R>,
        tag: &BytesStart<'_>,
        start: u64,
        from: u64,
    ) -> Result<(), String> {
        let name = tag.name().as_ref().to_owned();
        let is_imported =
            matches!(&*name, "item" | "link" | "wp:base_blog_url" | "wp:author" | "wp:category" | "wp:tag");
        if is_imported && !self.is_of_other_site {
            self.items += usize::from(name == "item");
            let element = Element::read(reader, tag).map_err(|reason| format!("<{name}>: {reason}"))?;
            match &*name {
                "item" => {
                    let length = from + reader.buffer_position() - start;
                    self.item(&element, Place { file: self.file, start, length });
                }
                _ => self.describe(&element),
            }
        }
        Ok(())
    }

    fn item(&mut self, item: &Element, place: Place) {
        if item::origin(item, &self.site).is_none() {
            return self.found.fail(format!("{}item {}", self.file_named, self.items), "has no wp:post_id");
        }
        self.site.attachments.extend(item::attachment(item));
        match terms::guest_author(item) {
            Some(author) => self.describe_author(author),
            None => self.places.push(place),
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
        if self.file == 0 || self.site.address.is_empty() {
            return self.site.set_address(address);
        }
        self.is_of_other_site = address != self.site.address;
        if self.is_of_other_site {
            let reason = format!("is an export of another site, {address}; import it alone");
            self.found.fail(self.file_named.trim_end_matches(", "), reason);
        }
    }
}

/// Reads the item at a place, which is empty if it cannot be read.
pub(super) fn read_at(files: &[WxrFile], place: &Place, site: &WxrSite) -> (Element, ReadItem) {
    match item_at(files, place) {
        Ok(item) => {
            let origin = item::origin(&item, site).ok_or("has no wp:post_id");
            let read = origin.map_err(Into::into).and_then(|origin| item::read(&item, site, &origin));
            (item, read)
        }
        Err(reason) => (Element::default(), Err(reason.into())),
    }
}

fn item_at(files: &[WxrFile], place: &Place) -> Result<Element, String> {
    let file = files[place.file].from(place.start).map_err(|error| format!("cannot be read: {error}"))?;
    let mut reader = element::reader(io::BufReader::new(file.take(place.length)));
    let mut buffer = Vec::new();
    match reader.read_event_into(&mut buffer) {
        Ok(Event::Start(tag)) => Element::read(&mut reader, &tag.into_owned()),
        _ => Err("is no item".to_owned()),
    }
}

/// Skips byte order marks and returns their length, because the parser would skip one without counting its bytes.
fn skip_byte_order_marks(file: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    while file.fill_buf()?.starts_with("\u{feff}".as_bytes()) {
        file.consume('\u{feff}'.len_utf8());
        skipped += '\u{feff}'.len_utf8() as u64;
    }
    Ok(skipped)
}

/// The position of the first item at or after this byte.
fn next_item(file: &WxrFile, from: u64) -> io::Result<Option<u64>> {
    let tag = b"<item";
    let (mut file, mut at) = (file.from(from)?, from);
    let mut window = Vec::new();
    loop {
        let length = file.by_ref().take(1 << 16).read_to_end(&mut window)?;
        if let Some(place) = window.windows(tag.len()).position(|bytes| bytes == tag) {
            return Ok(Some(at + place as u64));
        }
        if length == 0 {
            return Ok(None);
        }
        // The tag may span two reads.
        let seen = window.len().saturating_sub(tag.len() - 1);
        window.drain(..seen);
        at += seen as u64;
    }
}

/// Text that is not UTF-8 is usually in another encoding, which the file should declare.
fn with_hint(reason: String) -> String {
    match reason.contains("UTF-8") {
        true => format!(
            "{reason}; if the file has another encoding, convert it, for example by iconv -f ISO-8859-1 -t UTF-8"
        ),
        false => reason,
    }
}

fn address(text: &str) -> String {
    text.trim().trim_end_matches('/').to_owned()
}
