//! Finds the addresses of pictures in Markdown: `![](a.png)`, `[label]: a.png`, `<img src="a.png">`, and `srcset` of `<img>` and `<source>`. The rule:
//! nothing in a fenced block or between backticks is an address, and what is not an address stays byte for byte.

use std::ops::Range;

use percent_encoding::percent_decode_str;

/// The extensions of pictures, including unsupported ones, so that the report names them.
const ENDINGS: &[&str] = &["png", "jpg", "jpeg", "gif", "webp", "svg", "avif"];

/// The maximum bytes of a link text, an address or a tag that are read, so that the time is in proportion to the length of the text.
pub(super) const PART_BYTES_MAX: usize = 2_048;

/// The maximum number of backticks that begin code. CommonMark has no such limit, but the renderer does.
const BACKTICKS_MAX: usize = 80;

/// The addresses of pictures, in order.
pub(crate) fn all(markdown: &str) -> Vec<&str> {
    spans(markdown).into_iter().map(|span| &markdown[span]).collect()
}

/// The addresses of pictures that are files of the site.
pub(super) fn local(markdown: &str) -> Vec<String> {
    all(markdown).into_iter().filter(|address| is_local(address)).map(str::to_owned).collect()
}

/// Replaces every address for which `replace` returns a new one.
pub(crate) fn replaced(markdown: &str, replace: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut copied = 0;
    for span in spans(markdown) {
        let address = &markdown[span.clone()];
        if let Some(other) = replace(address) {
            out.push_str(&markdown[copied..span.start]);
            out.push_str(&other);
            copied = span.end;
        }
    }
    out.push_str(&markdown[copied..]);
    out
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

/// The ranges of the addresses, ascending and disjoint.
fn spans(markdown: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for block in blocks(markdown) {
        let text = &markdown[block.clone()];
        let spans = of_block(text).into_iter();
        found.extend(spans.map(|span| block.start + span.start..block.start + span.end));
    }
    found
}

/// The text outside fenced blocks, split at empty lines, because code between backticks ends there at the latest.
pub(super) fn blocks(markdown: &str) -> Vec<Range<usize>> {
    let (mut blocks, mut start, mut at) = (Vec::new(), 0, 0);
    let mut fence: Option<(char, usize)> = None;
    for line in markdown.split_inclusive('\n') {
        let (begin, end) = (at, at + line.len());
        at = end;
        let marks = fence_of(line);
        match (fence, marks) {
            (Some((mark, length)), Some((closing, count, true))) if closing == mark && count >= length => {
                (fence, start) = (None, end);
            }
            (Some(_), _) => {}
            (None, Some((mark, count, _))) => {
                blocks.push(start..begin);
                fence = Some((mark, count));
            }
            (None, None) if line.trim().is_empty() => {
                blocks.push(start..begin);
                start = end;
            }
            (None, None) => {}
        }
    }
    if fence.is_none() {
        blocks.push(start..markdown.len());
    }
    blocks
}

/// The mark of a line that opens or closes a fenced block, its length, and whether nothing follows it.
fn fence_of(line: &str) -> Option<(char, usize, bool)> {
    // A fence may be in a list or a quote.
    let line = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']).trim_end();
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = line.trim_start_matches(mark);
    let count = line.len() - rest.len();
    (count >= 3 && !(mark == '`' && rest.contains('`'))).then_some((mark, count, rest.trim().is_empty()))
}

fn of_block(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (picture_definition(text, 0).into_iter().collect::<Vec<_>>(), 0);
    while let Some(step) = text[at..].find(['`', '!', '<', '\\', '\n']) {
        at += step;
        let rest = &text[at..];
        at += match rest.as_bytes()[0] {
            b'`' => code_length(rest),
            b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            b'\n' => {
                found.extend(picture_definition(text, at + 1));
                1
            }
            b'!' => {
                found.extend(destination(rest).map(|span| at + span.start..at + span.end));
                1
            }
            _ => match tag_of(rest, TAGS).and_then(|name| Some((name, tag_length(rest)?))) {
                Some((name, length)) => {
                    let sources = sources_of(name, &rest[..length]).into_iter();
                    found.extend(sources.map(|span| at + span.start..at + span.end));
                    length
                }
                None => 1,
            },
        };
    }
    found.sort_by_key(|span| span.start);
    found.dedup_by(|next, before| next.start < before.end);
    found
}

/// The length of the code that begins with these backticks, or of the backticks if it does not end.
pub(super) fn code_length(text: &str) -> usize {
    let marks = text.len() - text.trim_start_matches('`').len();
    // A block is searched only once for each length of a run that it does not contain, so a limit keeps the time in proportion to the text.
    if marks > BACKTICKS_MAX {
        return marks;
    }
    let mut at = marks;
    while let Some(step) = text[at..].find('`') {
        at += step;
        let closing = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += closing;
        if closing == marks {
            return at;
        }
    }
    marks
}

/// The address of `![…](address "title")` at the start of the text.
fn destination(text: &str) -> Option<Range<usize>> {
    let label = text.strip_prefix("![")?;
    let (mut depth, mut is_escaped, mut close) = (1, false, None);
    for (at, byte) in label.bytes().take(PART_BYTES_MAX).enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'[' => depth += 1,
            b']' if depth == 1 => {
                close = Some(at);
                break;
            }
            b']' => depth -= 1,
            _ => {}
        }
    }
    let open = 2 + close? + 1;
    let inside = text[open..].strip_prefix('(')?;
    let start = open + 1 + (inside.len() - inside.trim_start().len());
    address_at(text, start, ')')
}

/// The address that begins here, in angle brackets or up to white space or an unbalanced `end`.
pub(super) fn address_at(text: &str, start: usize, end: char) -> Option<Range<usize>> {
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

/// The address of `[label]: address` in the line that begins here, if it is a picture.
fn picture_definition(text: &str, line: usize) -> Option<Range<usize>> {
    definition(text, line).filter(|span| has_ending(&text[span.clone()]))
}

/// The address of `[label]: address` in the line that begins here.
pub(super) fn definition(text: &str, line: usize) -> Option<Range<usize>> {
    let rest = text.get(line..)?;
    let indented = rest.len() - rest.trim_start_matches(' ').len();
    let label = rest.get(indented..).filter(|_| indented <= 3)?.strip_prefix('[').filter(|l| !l.starts_with('^'))?;
    let close = label.find([']', '\n', '['])?;
    let after = label[close..].strip_prefix("]:")?;
    let start = text.len() - after.trim_start_matches([' ', '\t']).len();
    address_at(text, start, '\n')
}

const TAGS: &[&str] = &["img", "source"];

/// The address of `<a href>` at the start of the text.
pub(super) fn link_of_tag(text: &str) -> Option<Range<usize>> {
    let name = tag_of(text, &["a"])?;
    let tag = &text[..tag_length(text)?];
    let mut at = 1 + name.len();
    while let Some(Attribute { name, value, end }) = attribute(tag, at) {
        if name.eq_ignore_ascii_case("href") {
            return value;
        }
        at = end;
    }
    None
}

/// The name of the tag at the start of the text, if it is one of these.
fn tag_of(text: &str, names: &[&'static str]) -> Option<&'static str> {
    let is_name = |name: &&&str| {
        let end = 1 + name.len();
        text.get(1..end).is_some_and(|start| start.eq_ignore_ascii_case(name))
            && text[end..].starts_with(|c: char| c.is_whitespace())
    };
    names.iter().find(is_name).copied()
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

/// The addresses in the attributes `src` and `srcset` of a tag. `<source src>` names a video or a sound.
fn sources_of(name: &str, tag: &str) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), 1 + name.len());
    while let Some(Attribute { name: attribute, value, end }) = attribute(tag, at) {
        at = end;
        match attribute.to_ascii_lowercase().as_str() {
            "src" if name == "img" => found.extend(value),
            "srcset" => found.extend(value.into_iter().flat_map(|value| candidates(tag, value))),
            _ => {}
        }
    }
    found
}

struct Attribute<'t> {
    name: &'t str,
    /// The range of its value, if it has one.
    value: Option<Range<usize>>,
    end: usize,
}

/// The first attribute of the tag at or after `from`.
fn attribute(tag: &str, from: usize) -> Option<Attribute<'_>> {
    let at = from + tag.get(from..)?.find(|c: char| !c.is_whitespace() && c != '/')?;
    let name_end = at + tag[at..].find(|c: char| c.is_whitespace() || matches!(c, '=' | '>'))?;
    let name = &tag[at..name_end];
    let rest = tag[name_end..].trim_start();
    let Some(value) = rest.strip_prefix('=').map(str::trim_start) else {
        return (!name.is_empty()).then_some(Attribute { name, value: None, end: name_end });
    };
    let start = tag.len() - value.len();
    let (value, end) = match value.chars().next()? {
        quote @ ('"' | '\'') => {
            let to = start + 1 + value[1..].find(quote)?;
            (start + 1..to, to + 1)
        }
        _ => {
            let to = start + value.find(|c: char| c.is_whitespace() || c == '>')?;
            (start..to, to)
        }
    };
    Some(Attribute { name, value: Some(value), end })
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

    fn found(markdown: &str) -> Vec<&str> {
        spans(markdown).into_iter().map(|span| &markdown[span]).collect()
    }

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
            ("`![](a.png)` ``x ` ![](b.png)`` ![](c.png)", vec!["c.png"]),
            ("```md\n![](a.png)\n```\n![](b.png)\n~~~\n![](c.png)", vec!["b.png"]),
            ("> - ~~~\n>   ![](a.png)\n>   ~~~\n> ![](b.png)", vec!["b.png"]),
            ("\\![](a.png) !\\[](b.png) ![](", vec![]),
            ("`open ![](a.png)\n\n![](b.png)", vec!["a.png", "b.png"]),
            ("ä![ö](ü.png)é", vec!["ü.png"]),
        ] {
            assert_eq!(found(markdown), expected, "{markdown}");
        }
    }

    #[test]
    fn only_files_of_the_site_are_replaced() {
        let text = "![](a.png) ![](https://b/c.png) ![](//d/e.png) ![](data:image/png,x) ![]({{ f }}) <img src=\"/g%20h.png?v=1#i\">";
        assert_eq!(local(text), ["a.png", "/g%20h.png?v=1#i"]);
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
            assert_eq!(found(&format!("{before}\n![](b.png)")), ["b.png"]);
        }
    }

    #[test]
    fn no_text_panics() {
        let parts = [
            "![", "](", ")", "<img ", "src=", "\"", "'", "`", "\n", "[a]: ", "ä", "\\", ">", "~~~", " ", "<",
            "\u{3000}", "srcset=", ",",
        ];
        for text in random_texts::of(&parts, 9) {
            spans(&text);
        }
    }
}
