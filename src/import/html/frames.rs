//! Frames and players of other sites in HTML that stays as it is written. The rule: one that has an address becomes a link to it.

use crate::model::embeds::{GISTS, shown_address};
use crate::model::{html_text, rules};

use super::parts::HtmlParts;
use super::scan::Scan;
use super::write::link;

/// Elements that show something of another site, with the attribute that has its address.
const FRAMES: &[(&str, &str)] =
    &[("iframe", "src"), ("embed", "src"), ("object", "data"), ("param", "value"), ("script", "src")];
/// The player of YouTube in Flash, and the one that followed it.
const FLASH: (&str, &str) = ("https://www.youtube.com/v/", "https://www.youtube.com/embed/");

/// The HTML with a link for each frame, player and gist that has an address.
pub(in crate::import) fn with_links(html: &str) -> String {
    let mut out = String::with_capacity(html.len());
    for piece in Scan::of(html) {
        let is_frame = FRAMES.iter().any(|(name, _)| piece.starts(name));
        match Some(piece.html()).filter(|_| is_frame).and_then(address) {
            Some(address) => out.push_str(&link(&address, &html_text::escape(&address))),
            None => out.push_str(piece.html()),
        }
    }
    out
}

/// The address of the page that an element shows.
fn address(html: &str) -> Option<String> {
    let parts = HtmlParts::read(html)?;
    let mut addresses = parts.elements().filter_map(|element| {
        let (name, attribute) = FRAMES.iter().find(|(name, _)| *name == element.name)?;
        let source = element.attribute(attribute)?.trim();
        let source = source.strip_prefix("http://").map_or_else(|| source.to_owned(), |rest| format!("https://{rest}"));
        let source = match source.strip_prefix(FLASH.0) {
            Some(video) => format!("{}{}", FLASH.1, video.split('&').next().unwrap_or(video)),
            None => source,
        };
        let address = shown_address(&source);
        match *name {
            "script" => address.starts_with(GISTS).then(|| address.trim_end_matches(".js").to_owned()),
            _ => Some(address).filter(|address| rules::is_web_address(address)),
        }
    });
    addresses.next()
}
