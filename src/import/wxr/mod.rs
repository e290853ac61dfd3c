//! Reads a WordPress export (WXR) as a stream. The rule: one item at a time is in memory; an item that cannot be read does not affect others.

mod element;
mod item;
mod site;

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::model::{TimeZone, html_text};

use super::found::FoundContent;
use super::media::Media;
use super::{Failed, ImportedCover, ImportedPost, ImportedTerm, TermKind};
use element::Element;
use item::WxrItem;
use site::WxrSite;

/// Where a site has its pictures.
const UPLOADS: &str = "wp-content/uploads";

/// How often reading is restarted after a part of the file that is not XML.
const STOPS_MAX: usize = 1_000;

/// An export, with the position of each post in the file.
pub(super) struct Wxr {
    path: PathBuf,
    site: WxrSite,
    /// The first byte and the length of each entry's item.
    places: Vec<(u64, u64)>,
}

impl Wxr {
    /// Reads the whole file once. `zone`: that of the site.
    pub(super) fn scan(path: &Path, zone: TimeZone) -> io::Result<(FoundContent, Self)> {
        let mut scan = WxrScan::default();
        scan.site.time_zone = zone;
        scan.site.media = Media::beside(path, UPLOADS);
        let mut start = Some(0);
        let mut stops = 0;
        while let Some(from) = start {
            start = match scan.run(path, from)? {
                Some(_) if stops == STOPS_MAX => {
                    scan.found.fail(format!("from byte {from} on"), "too many parts of the file are not XML");
                    None
                }
                Some(stop) => next_item(path, stop + 1)?,
                None => None,
            };
            stops += 1;
        }
        scan.find_covers();
        let WxrScan { found, site, places, .. } = scan;
        Ok((found, Self { path: path.to_owned(), site, places }))
    }

    pub(super) fn media(&self) -> &Media {
        &self.site.media
    }

    /// Reads one post again.
    pub(super) fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let item = self.item(self.places[index]).map_err(failed)?;
        match item::origin(&item, &self.site).map(|origin| (item::read(&item, &self.site, &origin), origin)) {
            Some((WxrItem::Post { post, .. }, found)) if found == origin => Ok(*post),
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

#[derive(Default)]
struct WxrScan {
    found: FoundContent,
    site: WxrSite,
    places: Vec<(u64, u64)>,
    items: usize,
    /// The origins of posts and pages, with the numbers of their featured images, which may follow them in the file.
    featured_images: Vec<(String, String)>,
}

impl WxrScan {
    /// Reads from this byte to the end, or to the start of a part at which the parser fails; returns that position.
    fn run(&mut self, path: &Path, from: u64) -> io::Result<Option<u64>> {
        let mut file = BufReader::new(File::open(path)?);
        file.seek(SeekFrom::Start(from))?;
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
                self.found.fail(format!("byte {start}"), reason);
                return Ok(Some(start));
            }
        }
    }

    /// Reads an element if it is one of the imported ones. Its tag begins at byte `start` of the file; the reader began at byte `from`.
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
        if is_imported {
            self.items += usize::from(name == "item");
            let element = Element::read(reader, tag).map_err(|reason| format!("<{name}>: {reason}"))?;
            match &*name {
                "item" => self.item(&element, start, from + reader.buffer_position() - start),
                _ => self.describe(&element),
            }
        }
        Ok(())
    }

    fn item(&mut self, item: &Element, start: u64, length: u64) {
        let Some(origin) = item::origin(item, &self.site) else {
            return self.found.fail(format!("item {}", self.items), "has no wp:post_id");
        };
        if self.site.media.exists() {
            self.site.attachments.extend(item::attachment(item));
        }
        match item::read(item, &self.site, &origin) {
            WxrItem::Skipped(reason) => self.found.skip(origin, reason),
            WxrItem::Failed(reason) => self.found.fail(origin, reason),
            WxrItem::Page { page, note } => {
                self.find_pictures(item, &origin, &page.markdown);
                self.found.take_page(*page);
                if let Some(note) = note {
                    self.found.note(origin, note);
                }
            }
            WxrItem::Post { post, note } => {
                if !self.found.take_post(&post) {
                    return;
                }
                self.places.push((start, length));
                self.find_pictures(item, &origin, &post.markdown);
                if let Some(note) = note {
                    self.found.note(origin, note);
                }
            }
        }
    }

    fn find_pictures(&mut self, item: &Element, origin: &str, body: &str) {
        self.site.media.find(origin, body, &ImportedCover::Unknown, &mut self.found);
        let number = item::featured_image(item).filter(|_| self.site.media.exists());
        self.featured_images.extend(number.map(|number| (origin.to_owned(), number.to_owned())));
    }

    /// Adds the featured images to the pictures, and to the pages, when all attachments are known.
    fn find_covers(&mut self) {
        let covers = std::mem::take(&mut self.featured_images).into_iter().map(|(origin, number)| {
            let cover = self.site.cover(Some(&number));
            self.site.media.find(&origin, "", &cover, &mut self.found);
            (origin, cover)
        });
        let mut covers: HashMap<String, ImportedCover> = covers.collect();
        for page in &mut self.found.pages {
            let cover = page.origin.as_ref().and_then(|origin| covers.remove(origin));
            page.cover = cover.unwrap_or(page.cover.clone());
        }
        self.site.media.report(&mut self.found);
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
            // After an item the address is not changed: it is part of the origin of the posts. Only a damaged file has one there.
            "wp:base_blog_url" | "link" if self.items > 0 => None,
            "wp:base_blog_url" => return self.site.set_address(address(&element.text)),
            // The first link is that of the channel; the links of items are read with their items.
            _ if self.site.address.is_empty() => return self.site.set_address(address(&element.text)),
            _ => None,
        };
        if let Some(term) = term {
            if let (TermKind::Author, Some(slug)) = (term.kind, &term.slug) {
                self.site.authors.insert(slug.clone(), term.name.clone());
            }
            self.found.describe(term);
        }
    }
}

/// Skips byte order marks, and returns their length: the parser would skip one of them without counting its bytes.
fn skip_byte_order_marks(file: &mut impl BufRead) -> io::Result<u64> {
    let mut skipped = 0;
    while file.fill_buf()?.starts_with("\u{feff}".as_bytes()) {
        file.consume('\u{feff}'.len_utf8());
        skipped += '\u{feff}'.len_utf8() as u64;
    }
    Ok(skipped)
}

/// The first byte of the next item, from this byte on.
fn next_item(path: &Path, from: u64) -> io::Result<Option<u64>> {
    let tag = b"<item";
    let mut file = File::open(path)?;
    let mut at = file.seek(SeekFrom::Start(from))?;
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

fn address(text: &str) -> String {
    text.trim().trim_end_matches('/').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Note, Term};
    use crate::model::{Metadata, Slug};

    const HEAD: &str = "<rss><channel><link>https://a.example</link><wp:base_blog_url>https://a.example/</wp:base_blog_url>\
        <wp:author><wp:author_login>ada</wp:author_login><wp:author_display_name><![CDATA[Ada L.]]></wp:author_display_name></wp:author>\
        <wp:category><wp:category_nicename>%e5%8c%97</wp:category_nicename><wp:cat_name><![CDATA[A &amp; B]]></wp:cat_name><wp:category_parent/></wp:category>\
        <wp:category><wp:category_nicename>inner</wp:category_nicename><wp:category_parent><![CDATA[%e5%8c%97]]></wp:category_parent></wp:category>";

    fn item(id: &str, status: &str, more: &str) -> String {
        format!(
            "<item><title>T{id}</title><guid>same</guid><dc:creator>ada</dc:creator><wp:post_id>{id}</wp:post_id>\
             <wp:post_name>s{id}</wp:post_name><wp:post_type>post</wp:post_type><wp:status>{status}</wp:status>\
             <wp:post_date>2020-01-02 03:00:00</wp:post_date><content:encoded><![CDATA[<p>{id}</p>]]></content:encoded>{more}</item>"
        )
    }

    fn scan(items: &[u8]) -> (tempfile::TempDir, FoundContent, Wxr) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.xml");
        std::fs::write(&path, [HEAD.as_bytes(), items, b"</channel></rss>"].concat()).expect("a file");
        let (found, wxr) = Wxr::scan(&path, TimeZone::default()).expect("an export");
        (folder, found, wxr)
    }

    fn one(status: &str, more: &str) -> (FoundContent, ImportedPost) {
        let (_folder, found, wxr) = scan(item("7", status, more).as_bytes());
        let post = wxr.read(0, "https://a.example/?p=7").expect("a post");
        (found, post)
    }

    /// Found by fuzzing, in a damaged file.
    #[test]
    fn an_address_after_an_item_does_not_change_its_origin() {
        let late = format!("{}<wp:base_blog_url>https://b.example</wp:base_blog_url>", item("7", "publish", ""));
        let (_folder, found, wxr) = scan(late.as_bytes());
        assert_eq!(found.entries[0].origin(), "https://a.example/?p=7");
        wxr.read(0, found.entries[0].origin()).expect("the post");
    }

    #[test]
    fn an_item_is_read_again_without_changes() {
        let more = "<wp:post_date_gmt>2020-01-02 10:00:00</wp:post_date_gmt><excerpt:encoded>&lt;b&gt;x&lt;/b&gt;</excerpt:encoded>\
            <category domain=\"category\" nicename=\"%e5%8c%97\">A &amp;amp; B</category><category domain=\"post_format\">y</category>\
            <wp:postmeta><wp:meta_key>_wp_old_slug</wp:meta_key><wp:meta_value>old</wp:meta_value></wp:postmeta>\
            <wp:postmeta><wp:meta_key>mood</wp:meta_key><wp:meta_value><![CDATA[ calm\n]]></wp:meta_value></wp:postmeta>\
            <wp:postmeta><wp:meta_key>link</wp:meta_key><wp:meta_value>1</wp:meta_value></wp:postmeta>\
            <wp:postmeta><wp:meta_key>link</wp:meta_key><wp:meta_value/></wp:postmeta>\
            <wp:postmeta><wp:meta_key>link</wp:meta_key><wp:meta_value>3</wp:meta_value></wp:postmeta>";
        let (found, post) = one("publish", more);
        let term = |name: &str, slug: &str| Term { name: name.into(), slug: slug.parse().ok() };
        let expected = ImportedPost {
            origin: "https://a.example/?p=7".into(),
            slug: Some("s7".into()),
            title: "T7".into(),
            excerpt: Some("x".into()),
            markdown: "<p>7</p>".into(),
            authors: vec![term("Ada L.", "ada")],
            categories: vec![term("A & B", "bei")],
            published_at: "2020-01-02T10:00:00Z".parse().ok(),
            aliases: vec!["old".into()],
            metadata: Metadata::parse(r#"{"mood":" calm\n","link":["1","","3"]}"#).ok(),
            ..ImportedPost::default()
        };
        assert_eq!(post, expected);
        let [outer, inner] = found.terms.of(TermKind::Category) else { panic!("two categories") };
        assert_eq!((outer.name.as_str(), &outer.parent), ("A & B", &None));
        assert_eq!((inner.name.as_str(), inner.parent.as_ref().map(Slug::as_str)), ("inner", Some("bei")));
    }

    #[test]
    fn byte_order_marks_at_the_beginning_change_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("export.xml");
        for marks in ["\u{feff}", "\u{feff}\u{feff}"] {
            let text = format!(
                "{marks}<?xml version=\"1.0\"?>{HEAD}{}{}</channel></rss>",
                item("7", "publish", ""),
                item("8", "publish", "")
            );
            std::fs::write(&path, text).expect("a file");
            let (found, wxr) = Wxr::scan(&path, TimeZone::default()).expect("an export");
            assert_eq!((found.entries.len(), found.failed.len()), (2, 0));
            for (index, id) in ["7", "8"].into_iter().enumerate() {
                let post = wxr.read(index, &format!("https://a.example/?p={id}")).expect("a post");
                assert_eq!(post.markdown, format!("<p>{id}</p>"));
            }
        }
    }

    #[test]
    fn a_post_that_was_not_public_becomes_a_draft() {
        let password = "<wp:post_password>x</wp:post_password>";
        for (status, more, notes) in
            [("draft", "", 0), ("pending", "", 0), ("private", "", 1), ("publish", password, 1)]
        {
            let (found, post) = one(status, more);
            assert!(post.is_draft && post.published_at.is_none(), "{status}");
            assert_eq!(found.notes.len(), notes, "{status}: {:?}", found.notes);
        }
        let is_public = |status| !one(status, "").1.is_draft;
        assert!(is_public("publish") && is_public("future"));
    }

    #[test]
    fn an_empty_date_is_replaced_with_another_one() {
        let date = |more| one("publish", more).1.published_at.map(|at| at.to_string());
        let gmt = "<wp:post_date_gmt>0000-00-00 00:00:00</wp:post_date_gmt>";
        assert_eq!(date(gmt).as_deref(), Some("2020-01-02T03:00:00Z"));
        let published = format!("{gmt}<pubDate>Tue, 27 Jan 2015 14:56:57 +0000</pubDate>");
        assert_eq!(date(&published).as_deref(), Some("2015-01-27T14:56:57Z"));
    }

    #[test]
    fn an_item_that_cannot_be_read_does_not_affect_others() {
        let page = item("4", "publish", "").replace(">post<", ">page<");
        let items = [
            item("1", "publish", "").into_bytes(),
            b"<item><title>\xff</title></item>".to_vec(),
            b"<item><title>never closed".to_vec(),
            item("2", "publish", "").into_bytes(),
            item("3", "trash", "").into_bytes(),
            page.into_bytes(),
            b"<item><title>no number</title></item>".to_vec(),
            item("5", "publish", "").into_bytes(),
        ];
        let (_folder, found, wxr) = scan(&items.concat());
        let origins: Vec<_> = found.entries.iter().map(|entry| entry.origin().to_owned()).collect();
        assert_eq!(origins, ["1", "2", "5"].map(|id| format!("https://a.example/?p={id}")));
        assert_eq!((found.skipped.len(), found.failed.len(), found.pages.len()), (1, 3, 1), "{:?}", found.failed);
        assert_eq!(wxr.read(2, &origins[2]).expect("a post").markdown, "<p>5</p>");
        assert_eq!(found.notes, Vec::<Note>::new());
    }
}
