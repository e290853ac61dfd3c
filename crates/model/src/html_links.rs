//! Replaces the addresses in HTML, and adds attributes to its pictures. The rule: it reads only the output of [`super::html::clean`], and everything else stays byte for byte.

use std::collections::HashSet;
use std::ops::Range;

use super::html_tags::{attributes, name_of, tags};
use super::html_text::unescape;

/// The attributes with the address of a page, a picture, a sound or a video.
const ADDRESSES: [&str; 4] = ["cite", "href", "poster", "src"];

/// Where in a tag its addresses are. `srcset` is only what [`with_attributes_of_pictures`] has added.
fn addresses(tag: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    for (name, value) in attributes(tag) {
        if ADDRESSES.contains(&name) {
            places.push(value);
        } else if name == "srcset" {
            let mut start = value.start;
            for candidate in tag[value].split(", ") {
                let length = candidate.find(' ').unwrap_or(candidate.len());
                places.push(start..start + length);
                start += candidate.len() + ", ".len();
            }
        }
    }
    places
}

/// Replaces every address in cleaned HTML for which `replace` returns a new one.
pub fn with_addresses(html: &str, replace: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for tag in tags(html) {
        for value in addresses(&html[tag.clone()]) {
            let value = tag.start + value.start..tag.start + value.end;
            if let Some(address) = replace(&unescape(&html[value.clone()])) {
                out.push_str(&html[copied..value.start]);
                out.push_str(&address.replace('&', "&amp;").replace('"', "&quot;"));
                copied = value.end;
            }
        }
    }
    out.push_str(&html[copied..]);
    out
}

/// Adds attributes after the address of each picture in cleaned HTML that has neither a width nor a height. `of_address`: returns them, in HTML.
pub fn with_attributes_of_pictures(html: &str, mut of_address: impl FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for place in tags(html) {
        let tag = &html[place.clone()];
        if name_of(tag) != ("img", false) || attributes(tag).any(|(name, _)| matches!(name, "width" | "height")) {
            continue;
        }
        let Some((_, address)) = attributes(tag).find(|(name, _)| *name == "src") else { continue };
        if let Some(added) = of_address(&unescape(&tag[address.clone()])) {
            let end = place.start + address.end + 1;
            out.push_str(&html[copied..end]);
            out.push(' ');
            out.push_str(&added);
            copied = end;
        }
    }
    out.push_str(&html[copied..]);
    out
}

/// The attributes whose addresses a reader follows or sees.
const FOLLOWED: [&str; 3] = ["href", "poster", "src"];

/// The addresses that a reader follows or sees, in order, and the ids of elements.
pub fn links_and_ids(html: &str) -> (Vec<String>, HashSet<String>) {
    let (mut links, mut ids) = (Vec::new(), HashSet::new());
    for tag in tags(html).map(|tag| &html[tag]) {
        for (name, value) in attributes(tag) {
            if FOLLOWED.contains(&name) {
                links.push(unescape(&tag[value]).into_owned());
            } else if name == "id" {
                ids.insert(unescape(&tag[value]).into_owned());
            }
        }
    }
    (links, ids)
}

pub fn count(html: &str) -> usize {
    tags(html).map(|tag| addresses(&html[tag]).len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pictures_without_a_size_get_attributes() {
        let html = "<p>src=\"a\"<img alt=\" src=\" src=\"a&amp;b\" title=\"c\"><img src=\"a\" width=\"1\"><img src=\"other\"><img alt=\"a\">\
                    <video src=\"a\"></video></p>";
        let added =
            with_attributes_of_pictures(html, |address| address.strip_prefix('a').map(|rest| format!("x=\"{rest}\"")));
        assert_eq!(added, html.replace("a&amp;b\"", "a&amp;b\" x=\"&b\""));
    }

    #[test]
    fn only_addresses_are_replaced() {
        let html = "<p>href=\"a\"<a href=\"a?b&amp;c\" title=\"a\"><img src=\"a\" alt=\"src=\"></a> <a href=\"https://b\">c</a></p>";
        let replaced = with_addresses(html, |address| address.strip_prefix('a').map(|rest| format!("/\"{rest}")));
        let expected = "<p>href=\"a\"<a href=\"/&quot;?b&amp;c\" title=\"a\"><img src=\"/&quot;\" alt=\"src=\"></a> \
                        <a href=\"https://b\">c</a></p>";
        assert_eq!(replaced, expected);
        assert_eq!(count(html), 3);
        let html = "<img src=\"a\" srcset=\"a?b 160w, a 320w\" sizes=\"a, a\">";
        let replaced =
            with_addresses(html, |address| address.strip_prefix('a').map(|rest| format!("https://c/{rest}")));
        assert_eq!(replaced, "<img src=\"https://c/\" srcset=\"https://c/?b 160w, https://c/ 320w\" sizes=\"a, a\">");
        assert_eq!(count(html), 3);
        let (links, ids) =
            links_and_ids("<h2 id=\"b&amp;c\">x</h2><a href=\"a?b&amp;c\"></a><img src=\"d\"><q cite=\"e\">f</q>");
        assert_eq!((links, ids), (vec!["a?b&c".to_owned(), "d".to_owned()], ["b&c".to_owned()].into()));
    }
}
