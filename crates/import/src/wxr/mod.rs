//! Reads a WordPress export (WXR): first the whole file, because items can refer to later authors and attachments, then its items as posts. The rule: an item
//! that cannot be read does not affect others.

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
use scan::WxrScan;
use site::WxrSite;

pub(super) use input::{is_rss, parts_in};

/// The folder of a site's pictures.
const UPLOADS: &str = "wp-content/uploads";

/// Reads the file, or the files of a folder. `zone`: the zone of the site.
pub(super) fn scan(path: &Path, zone: TimeZone) -> io::Result<(FoundContent, Media)> {
    let (paths, media) = match path.is_dir() {
        true => (parts_in(path)?, Media::beside(&path.join("export.xml"), UPLOADS)),
        false => (vec![path.to_owned()], Media::beside(path, UPLOADS)),
    };
    let mut scan = WxrScan::of(WxrSite { time_zone: zone, media, ..WxrSite::default() });
    for path in &paths {
        scan.file(path, paths.len() > 1)?;
    }
    Ok(scan.finish())
}
