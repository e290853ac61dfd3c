//! Finds the tags of cleaned HTML and their attributes. The rule: it reads only the output of [`super::html::clean`], in which every tag is complete,
//! every attribute is in double quotes and everything else is text, so a scan is as correct as a parser.

use std::iter;
use std::ops::Range;

pub(super) fn tags(html: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    iter::from_fn(move || {
        let start = at + html[at..].find('<')?;
        at = start + tag_end(&html[start..]);
        Some(start..at)
    })
}

/// The names of the attributes of a tag, and where in the tag their values are.
pub(super) fn attributes(tag: &str) -> impl Iterator<Item = (&str, Range<usize>)> {
    let mut at = tag.find(' ').unwrap_or(tag.len());
    iter::from_fn(move || {
        let equals = at + tag[at..].find("=\"")?;
        let name = tag[at..equals].trim_start();
        let start = equals + 2;
        let end = start + tag[start..].find('"')?;
        at = end + 1;
        Some((name, start..end))
    })
}

/// The name of the element, and whether this is its end tag.
pub(super) fn name_of(tag: &str) -> (&str, bool) {
    let inner = tag.trim_start_matches('<');
    let is_end = inner.starts_with('/');
    let inner = inner.trim_start_matches('/');
    let length = inner.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(inner.len());
    (&inner[..length], is_end)
}

/// The length of the tag at the start of the text, its `>` included. A `>` in an attribute's quotes does not end it.
pub(super) fn tag_end(tag: &str) -> usize {
    let mut quoted = false;
    for (at, byte) in tag.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b'>' if !quoted => return at + 1,
            _ => {}
        }
    }
    tag.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_although_a_value_looks_like_one() {
        let html = "a<h1 title=\" id=\" lang=\"<x>\">b</h1>";
        let found: Vec<_> = tags(html).map(|tag| &html[tag]).collect();
        assert_eq!(found, ["<h1 title=\" id=\" lang=\"<x>\">", "</h1>"]);
        let attributes: Vec<_> = attributes(found[0]).map(|(name, value)| (name, &found[0][value])).collect();
        assert_eq!(attributes, [("title", " id="), ("lang", "<x>")]);
        assert_eq!((name_of(found[0]), name_of(found[1])), (("h1", false), ("h1", true)));
    }
}
