//! Reads a WordPress export (WXR) as a stream, twice: first what items refer to, such as authors and attachments, which can come later in the file,
//! then the items. The rule: one item at a time is in memory; an item that cannot be read does not affect others.

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

use super::found::{FoundContent, ReadItem};
use super::media::Media;
use super::source::Export;
use input::WxrFile;
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
    /// Reads the file, or the files of a folder. `zone`: the zone of the site.
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
}

impl Export for Wxr {
    fn read(&self, index: usize) -> ReadItem {
        scan::read_at(&self.files, &self.places[index], &self.site).1
    }

    fn media(&self) -> &Media {
        &self.site.media
    }
}
