//! Finds the addresses of pictures and links in Markdown: `![](a.png)`, `[label]: a.png`, `<img src="a.png">`, and `srcset` of `<img>` and
//! `<source>`, `poster` of `<video>`; `[a](b.md)`. The rule: what is not an address stays byte for byte.

use std::ops::Range;

use percent_encoding::percent_decode_str;

use super::walk;

/// The extensions of pictures, including unsupported ones, so that the report names them.
const ENDINGS: &[&str] = &["png", "jpg", "jpeg", "gif", "webp", "svg", "avif"];

/// The maximum bytes of a link text, an address or a tag that are read, so that the time is in proportion to the length of the text.
pub(super) const PART_BYTES_MAX: usize = 2_048;

/// An address in Markdown, by its range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub span: Range<usize>,
    pub form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `![](a.png)`
    Picture,
    /// In an attribute of `<img>`, `<source>` or `<video>`.
    Source,
    /// `[a](b.md)`, `<a href="b.md">`
    Link,
    /// `[label]: a.png`
    Definition,
}

impl Address {
    /// Whether it is shown as a picture.
    pub(super) fn is_shown(&self, markdown: &str) -> bool {
        match self.form {
            Form::Picture | Form::Source => true,
            Form::Link => false,
            Form::Definition => has_ending(&markdown[self.span.clone()]),
        }
    }

    /// Whether it is that of an inline link or picture.
    fn is_inline(&self) -> bool {
        matches!(self.form, Form::Picture | Form::Link)
    }
}

/// The addresses of pictures, in order.
pub(crate) fn all(markdown: &str) -> Vec<&str> {
    let shown = found(markdown).into_iter().filter(|address| address.is_shown(markdown));
    shown.map(|address| &markdown[address.span]).collect()
}

/// Replaces every address of a picture for which `replace` returns a new one.
pub(crate) fn replaced(markdown: &str, replace: impl Fn(&str) -> Option<String>) -> String {
    with_addresses(markdown, |address, text| address.is_shown(markdown).then(|| replace(text))?)
}

/// Replaces every address of an inline link or picture for which `replace` returns a new one.
pub(crate) fn with_links_replaced(markdown: &str, mut replace: impl FnMut(&str) -> Option<String>) -> String {
    with_addresses(markdown, |address, text| address.is_inline().then(|| replace(text))?)
}

/// Replaces every address for which `replace` returns a new one.
pub(crate) fn with_addresses(markdown: &str, mut replace: impl FnMut(&Address, &str) -> Option<String>) -> String {
    let parts = found(markdown).into_iter().filter_map(|address| {
        let new = replace(&address, &markdown[address.span.clone()])?;
        Some((address.span, new))
    });
    walk::replaced(markdown, parts).into_owned()
}

/// Whether an address is a path of the site: not an absolute URL, and not a template.
pub(super) fn is_local(address: &str) -> bool {
    let has_scheme = address.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':'));
    let is_template = address.contains("{{") || address.contains("{%");
    !(address.is_empty() || has_scheme || is_template || address.starts_with("//") || address.starts_with('#'))
}

/// The decoded path of an address, without its query.
pub(crate) fn path_of(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    percent_decode_str(path).decode_utf8_lossy().replace("&amp;", "&")
}

/// Whether an address has the extension of a picture.
pub(crate) fn has_ending(address: &str) -> bool {
    let path = path_of(address).to_ascii_lowercase();
    path.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

/// The addresses in order, disjoint.
pub(crate) fn found(markdown: &str) -> Vec<Address> {
    let mut found = Vec::new();
    walk::outside_code(markdown, &['\\', ']', '<', '\n'], |block, at, mark| {
        let text = &markdown[..block.end];
        match mark {
            '\n' => found.extend(definition(text, at).map(|span| Address { span, form: Form::Definition })),
            ']' => {
                let form = || if is_of_picture(&text[block.start..at]) { Form::Picture } else { Form::Link };
                found.extend(destination(text, at).map(|span| Address { span, form: form() }));
            }
            _ => {
                let name = tag_of(&text[at..]);
                let Some((name, length)) = name.and_then(|name| Some((name, tag_length(&text[at..])?))) else {
                    return 1;
                };
                let of_tag = addresses_of_tag(name, &text[at..at + length]).into_iter();
                found.extend(of_tag.map(|(span, form)| Address { span: at + span.start..at + span.end, form }));
                return length;
            }
        }
        1
    });
    found.sort_by_key(|address| address.span.start);
    found.dedup_by(|next, before| next.span.start < before.span.end);
    found
}

/// Whether the bracket after this text ends the text of a picture, `![…]`.
fn is_of_picture(before: &str) -> bool {
    let (bytes, mut depth) = (before.as_bytes(), 0);
    let is_escaped = |at: usize| at > 0 && bytes[at - 1] == b'\\';
    for at in (bytes.len().saturating_sub(PART_BYTES_MAX)..bytes.len()).rev().filter(|at| !is_escaped(*at)) {
        match bytes[at] {
            b']' => depth += 1,
            b'[' if depth == 0 => return at > 0 && bytes[at - 1] == b'!' && !is_escaped(at - 1),
            b'[' => depth -= 1,
            _ => {}
        }
    }
    false
}

/// The address after the bracket that ends the text of a link.
fn destination(text: &str, bracket: usize) -> Option<Range<usize>> {
    let inside = text[bracket + 1..].strip_prefix('(')?;
    address_at(text, text.len() - inside.trim_start().len(), ')')
}

/// The address that begins here, in angle brackets or up to white space or an unbalanced `end`.
fn address_at(text: &str, start: usize, end: char) -> Option<Range<usize>> {
    let rest = &text[start..];
    if let Some(inside) = rest.strip_prefix('<') {
        let (length, _) = inside.char_indices().take(PART_BYTES_MAX).find(|(_, c)| matches!(c, '>' | '\n'))?;
        return inside[length..].starts_with('>').then_some(start + 1..start + 1 + length);
    }
    let mut depth = 0;
    for (at, character) in rest.char_indices().take(PART_BYTES_MAX) {
        match character {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            c if c == end || c.is_whitespace() => return (at > 0).then_some(start..start + at),
            _ => {}
        }
    }
    (end == '\n' && !rest.is_empty() && rest.len() <= PART_BYTES_MAX).then_some(start..text.len())
}

/// The address of `[label]: address` in the line that begins here.
fn definition(text: &str, line: usize) -> Option<Range<usize>> {
    let rest = text.get(line..)?;
    let indented = rest.len() - rest.trim_start_matches(' ').len();
    let label = rest.get(indented..).filter(|_| indented <= 3)?.strip_prefix('[').filter(|l| !l.starts_with('^'))?;
    let close = label.find([']', '\n', '['])?;
    let after = label[close..].strip_prefix("]:")?;
    let start = text.len() - after.trim_start_matches([' ', '\t']).len();
    address_at(text, start, '\n')
}

/// The tags that have addresses.
const TAGS: &[&str] = &["a", "img", "source", "video"];

/// The name of the tag at the start of the text, if it has addresses.
fn tag_of(text: &str) -> Option<&'static str> {
    let is_name = |name: &&&str| {
        let end = 1 + name.len();
        text.get(1..end).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && text[end..].starts_with(|c: char| c.is_whitespace())
    };
    TAGS.iter().find(is_name).copied()
}

/// The length of the tag at the start of the text. A `>` in quotes does not end it.
fn tag_length(text: &str) -> Option<usize> {
    let mut quote = None;
    for (at, byte) in text.bytes().take(PART_BYTES_MAX).enumerate() {
        match (quote, byte) {
            (Some(of), _) if of == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return Some(at + 1),
            (None, _) => {}
        }
    }
    None
}

/// The addresses in the attributes of a tag. `<source src>` names a video or a sound.
fn addresses_of_tag(name: &str, tag: &str) -> Vec<(Range<usize>, Form)> {
    let mut found = Vec::new();
    for (attribute, value) in attributes(tag, 1 + name.len()) {
        let Some(value) = value else { continue };
        match (name, attribute.to_ascii_lowercase().as_str()) {
            ("a", "href") => found.push((value, Form::Link)),
            ("img", "src") | ("video", "poster") => found.push((value, Form::Source)),
            ("img" | "source" | "video", "srcset") => {
                found.extend(candidates(tag, value).into_iter().map(|address| (address, Form::Source)));
            }
            _ => {}
        }
    }
    found
}

/// The names of the attributes of a tag, and the ranges of their values. `at`: the end of the tag's name.
pub(super) fn attributes(tag: &str, mut at: usize) -> impl Iterator<Item = (&str, Option<Range<usize>>)> {
    std::iter::from_fn(move || {
        at += tag.get(at..)?.find(|c: char| !c.is_whitespace() && c != '/')?;
        let name_end = at + tag[at..].find(|c: char| c.is_whitespace() || matches!(c, '=' | '>'))?;
        let name = &tag[at..name_end];
        let rest = tag[name_end..].trim_start();
        let Some(value) = rest.strip_prefix('=').map(str::trim_start) else {
            at = name_end;
            return (!name.is_empty()).then_some((name, None));
        };
        let start = tag.len() - value.len();
        let value = match value.chars().next()? {
            // Shortcodes also have texts between backticks.
            quote @ ('"' | '\'' | '`') => start + 1..start + 1 + value[1..].find(quote)?,
            _ => start..start + value.find(|c: char| c.is_whitespace() || c == '>')?,
        };
        // Only a quoted value is followed by a quotation mark.
        at = value.end + usize::from(value.start > start);
        Some((name, Some(value)))
    })
}

/// The addresses in the value of `srcset`: each ends at white space, and a width may follow up to a comma (HTML, "Parsing a srcset attribute").
fn candidates(tag: &str, value: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), value.start);
    loop {
        let rest = &tag[at..value.end];
        let begun = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        at = value.end - begun.len();
        if begun.is_empty() {
            return found;
        }
        let length = begun.find(char::is_whitespace).unwrap_or(begun.len());
        let address = begun[..length].trim_end_matches(',');
        found.push(at..at + address.len());
        at += length;
        if address.len() == length {
            at += tag[at..value.end].find(',').unwrap_or(value.end - at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::random_texts;

    #[test]
    fn addresses_are_found_in_every_form() {
        for (markdown, expected) in [
            ("![a](b.png) ![c]( <d e.jpg> \"T\") ![](x_(1).gif)", vec!["b.png", "d e.jpg", "x_(1).gif"]),
            ("[![a [b] c](d.png)](e.html)", vec!["d.png"]),
            ("![a][one]\n\n[one]: ./a.png \"T\"\n[two]: b.html\n[^three]: c.png", vec!["./a.png"]),
            ("<p><IMG alt=\"src='x' >\" src='a.png' width=1></p> <img src=b.png>", vec!["a.png", "b.png"]),
            ("<image src=\"a.png\"> <img alt> <img", vec![]),
            (
                "<img srcset='a.png 1x,b.png, c.png?w=2 200w, ,d,e.png' src=f.png>",
                vec!["a.png", "b.png", "c.png?w=2", "d,e.png", "f.png"],
            ),
            ("<picture><Source srcset=\" a.png \" src=b.mp4><source srcset=c.png></picture>", vec!["a.png", "c.png"]),
            ("<video poster=\"a.png\" src=b.mp4></video>", vec!["a.png"]),
            ("`![](a.png)` ``x ` ![](b.png)`` ![](c.png)", vec!["c.png"]),
            ("```md\n![](a.png)\n```\n![](b.png)\n~~~\n![](c.png)", vec!["b.png"]),
            ("> - ~~~\n>   ![](a.png)\n>   ~~~\n> ![](b.png)", vec!["b.png"]),
            ("\\![](a.png) !\\[](b.png) ![](", vec![]),
            ("`open ![](a.png)\n\n![](b.png)", vec!["a.png", "b.png"]),
            ("ä![ö](ü.png)é", vec!["ü.png"]),
        ] {
            assert_eq!(all(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn only_files_of_the_site_are_replaced() {
        let text = "![](a.png) ![](https://b/c.png) ![](//d/e.png) ![](data:image/png,x) ![]({{ f }}) <img src=\"/g%20h.png?v=1#i\">";
        let local: Vec<_> = all(text).into_iter().filter(|address| is_local(address)).collect();
        assert_eq!(local, ["a.png", "/g%20h.png?v=1#i"]);
        assert_eq!(path_of("/g%20h.png?v=1#i"), "/g h.png");
        let replaced = replaced(text, |address| is_local(address).then(|| format!("<{address}>")));
        assert!(replaced.starts_with("![](<a.png>) ![](https://b/c.png)"), "{replaced}");
    }

    #[test]
    fn a_part_that_is_too_long_is_no_address() {
        let long = "x".repeat(PART_BYTES_MAX);
        for before in [
            format!("![{long}](a.png)"),
            format!("![](<{long}>)"),
            format!("![]({long})"),
            format!("<img alt={long} src=a.png>"),
            format!("[a]: {long}.png"),
        ] {
            assert_eq!(all(&format!("{before}\n![](b.png)")), ["b.png"]);
        }
    }

    #[test]
    fn no_text_panics() {
        let parts = [
            "![", "](", ")", "<img ", "src=", "\"", "'", "`", "\n", "[a]: ", "ä", "\\", ">", "~~~", " ", "<",
            "\u{3000}", "srcset=", ",",
        ];
        for text in random_texts::of(&parts, 9) {
            found(&text);
        }
    }

    #[test]
    fn the_addresses_of_links_and_pictures_are_found_outside_of_code() {
        for (markdown, expected) in [
            ("[a](b.md) ![c]( <d e.png> \"T\") [x](y_(1).md#z)", vec!["b.md", "d e.png", "y_(1).md#z"]),
            ("[![a](b.png)](c.md)", vec!["b.png", "c.md"]),
            ("`[a](b.md)` [c\\](d.md) [e] (f.md) [g](", vec![]),
            ("```\n[a](b.md)\n```\n[ä](ü.md)", vec!["ü.md"]),
            ("- [ ] [a](b.md)\n\n    [c](d.md)", vec!["b.md", "d.md"]),
            ("<A class=x href='b.pdf'>[c](d.md)</a> `<a href=e.md>` <a>f</a> <abbr href=g.md>", vec!["b.pdf", "d.md"]),
        ] {
            let links = found(markdown).into_iter().filter(Address::is_inline);
            let links: Vec<_> = links.map(|address| &markdown[address.span]).collect();
            assert_eq!(links, expected, "{markdown}");
        }
        assert_eq!(
            with_links_replaced("é [a](b) [c](d)", |address| (address == "d").then(|| "x".to_owned())),
            "é [a](b) [c](x)"
        );
    }

    #[test]
    fn no_text_with_links_panics() {
        let parts = ["[", "](", ")", "]", "`", "\n", "ä", "\\", "<", ">", "~~~", " ", "(", "<a href="];
        for text in random_texts::of(&parts, 9) {
            assert_eq!(with_links_replaced(&text, |_| None), text);
            with_links_replaced(&text, |_| Some("x".to_owned()));
        }
    }
}
