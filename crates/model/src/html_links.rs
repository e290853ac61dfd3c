//! Replaces the addresses in HTML. The rule: it reads only the output of [`super::html::clean`], and everything else stays byte for byte.

use std::collections::HashSet;

use super::html_tags::{attributes, tags};
use super::html_text::unescape;

/// The attributes with the address of a page, a picture, a sound or a video.
const ADDRESSES: [&str; 4] = ["cite", "href", "poster", "src"];

/// Replaces every address in cleaned HTML for which `replace` returns a new one.
pub fn with_addresses(html: &str, replace: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for tag in tags(html) {
        for (_, value) in attributes(&html[tag.clone()]).filter(|(name, _)| ADDRESSES.contains(name)) {
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
    tags(html).map(|tag| attributes(&html[tag]).filter(|(name, _)| ADDRESSES.contains(name)).count()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_are_replaced() {
        let html = "<p>href=\"a\"<a href=\"a?b&amp;c\" title=\"a\"><img src=\"a\" alt=\"src=\"></a> <a href=\"https://b\">c</a></p>";
        let replaced = with_addresses(html, |address| address.strip_prefix('a').map(|rest| format!("/\"{rest}")));
        let expected = "<p>href=\"a\"<a href=\"/&quot;?b&amp;c\" title=\"a\"><img src=\"/&quot;\" alt=\"src=\"></a> \
                        <a href=\"https://b\">c</a></p>";
        assert_eq!(replaced, expected);
        assert_eq!(count(html), 3);
        let (links, ids) =
            links_and_ids("<h2 id=\"b&amp;c\">x</h2><a href=\"a?b&amp;c\"></a><img src=\"d\"><q cite=\"e\">f</q>");
        assert_eq!((links, ids), (vec!["a?b&c".to_owned(), "d".to_owned()], ["b&c".to_owned()].into()));
    }
}
