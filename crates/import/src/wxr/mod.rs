//! Reads a WordPress export (WXR) as a stream. The rule: one item at a time is in memory; an item that cannot be read does not affect others.

mod body;
mod element;
mod fields;
mod gallery;
mod hidden;
mod input;
mod item;
mod paragraphs;
mod scan;
mod shortcodes;
mod site;
mod terms;

use std::io;
use std::path::Path;

use tidings_model::TimeZone;

use super::found::FoundContent;
use super::media::Media;
use super::{Failed, ImportedPost};
use input::WxrFile;
use item::WxrItem;
use scan::{Place, WxrScan};
use site::WxrSite;

pub(super) use input::{is_rss, parts_in};

/// The folder of a site's pictures.
const UPLOADS: &str = "wp-content/uploads";

/// An export, with the position of each post in its files.
pub(super) struct Wxr {
    files: Vec<WxrFile>,
    site: WxrSite,
    places: Vec<Place>,
}

impl Wxr {
    /// Reads the whole file once, or the files of a folder. `zone`: the zone of the site.
    pub(super) fn scan(path: &Path, zone: TimeZone) -> io::Result<(FoundContent, Self)> {
        let (paths, media) = match path.is_dir() {
            true => (parts_in(path)?, Media::beside(&path.join("export.xml"), UPLOADS)),
            false => (vec![path.to_owned()], Media::beside(path, UPLOADS)),
        };
        let mut scan = WxrScan::of(WxrSite { time_zone: zone, media, ..WxrSite::default() });
        let mut files = Vec::new();
        for path in &paths {
            files.push(scan.file(files.len(), path, paths.len() > 1)?);
        }
        let (found, site, places) = scan.finish(&files);
        Ok((found, Self { files, site, places }))
    }

    pub(super) fn media(&self) -> &Media {
        &self.site.media
    }

    pub(super) fn read(&self, index: usize, origin: &str) -> Result<ImportedPost, Failed> {
        let failed = |reason: String| Failed { origin: origin.to_owned(), reason };
        let item = scan::item_at(&self.files, &self.places[index]).map_err(failed)?;
        match item::origin(&item, &self.site).map(|origin| (item::read(&item, &self.site, &origin), origin)) {
            Some((WxrItem::Post { post, .. }, found)) if found == origin => Ok(*post),
            _ => Err(Failed::changed(origin)),
        }
    }
}
