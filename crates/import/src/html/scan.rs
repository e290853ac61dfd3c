//! The tags, comments and texts of HTML, in order. The rule: concatenated, they are the HTML byte for byte, so unchanged parts stay as written; a scan takes
//! time in proportion to the length.

use std::collections::HashSet;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Piece<'h> {
    Text(&'h str),
    /// A comment of HTML, with its `<!--` and `-->`.
    Comment(&'h str),
    Tag {
        html: &'h str,
        /// In the case of the source, upper or lower.
        name: &'h str,
        is_end: bool,
    },
    /// An element with its tags and content, which is not part of the surrounding text.
    Whole {
        html: &'h str,
        name: &'h str,
    },
}

/// The elements that are one piece: their content is not markup, is code, or belongs only to them.
const WHOLE: &[&str] = &[
    "audio", "canvas", "iframe", "math", "noembed", "noframes", "noscript", "object", "pre", "script", "select",
    "style", "svg", "template", "textarea", "title", "video", "xmp",
];

pub(crate) struct Scan<'h> {
    html: &'h str,
    at: usize,
    /// Texts that do not occur in the rest, such as an end tag or a quotation mark. They are not searched for again.
    absent: HashSet<String>,
}

impl<'h> Scan<'h> {
    pub(crate) fn of(html: &'h str) -> Self {
        Self { html, at: 0, absent: HashSet::new() }
    }

    pub(crate) fn rest(&self) -> &'h str {
        &self.html[self.at..]
    }

    /// Continues at the start of this rest.
    pub(crate) fn resume(&mut self, rest: &'h str) {
        self.at = self.html.len() - rest.len();
    }

    fn markup(&mut self) -> Option<Piece<'h>> {
        let rest = self.rest();
        if rest.starts_with("<!--") {
            let end = rest.find("-->").map_or(rest.len(), |end| end + 3);
            return Some(Piece::Comment(&rest[..end]));
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            let end = self.find(rest, ">")? + 1;
            return Some(Piece::Comment(&rest[..end]));
        }
        let inner = rest[1..].strip_prefix('/').unwrap_or(&rest[1..]);
        let is_end = rest[1..].starts_with('/');
        let name = &inner[..inner.find(|c: char| !is_name(c)).unwrap_or(inner.len())];
        if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return None;
        }
        let end = self.tag_end(rest)?;
        let whole = WHOLE.iter().find(|whole| !is_end && name.eq_ignore_ascii_case(whole));
        match whole.and_then(|whole| self.end_of(whole, end)) {
            Some(end) => Some(Piece::Whole { html: &rest[..end], name }),
            None => Some(Piece::Tag { html: &rest[..end], name, is_end }),
        }
    }

    /// The length of the tag at the start of the rest. A `>` in a quoted value does not end it.
    fn tag_end(&mut self, tag: &str) -> Option<usize> {
        if self.absent.contains(">") {
            return None;
        }
        let (bytes, mut at, mut is_value) = (tag.as_bytes(), 1, false);
        while at < bytes.len() {
            match bytes[at] {
                b'>' => return Some(at + 1),
                b'=' => is_value = true,
                quote @ (b'"' | b'\'') if is_value => {
                    let quote = if quote == b'"' { "\"" } else { "'" };
                    at += self.find(&tag[at + 1..], quote).map_or(0, |length| length + 1);
                    is_value = false;
                }
                byte => is_value &= byte.is_ascii_whitespace(),
            }
            at += 1;
        }
        self.absent.insert(">".to_owned());
        None
    }

    fn find(&mut self, text: &str, wanted: &str) -> Option<usize> {
        if self.absent.contains(wanted) {
            return None;
        }
        let found = text.find(wanted);
        if found.is_none() {
            self.absent.insert(wanted.to_owned());
        }
        found
    }

    /// The end of the first end tag of this name in the rest, at or after `from`.
    fn end_of(&mut self, name: &str, from: usize) -> Option<usize> {
        if self.absent.contains(name) {
            return None;
        }
        let rest = self.rest();
        let is_named = |tag: &str| {
            let named = tag.get(2..2 + name.len()).is_some_and(|found| found.eq_ignore_ascii_case(name));
            named && !tag[2 + name.len()..].starts_with(is_name)
        };
        let end = rest[from..].match_indices("</").map(|(at, _)| from + at).find(|at| is_named(&rest[*at..]));
        let end = end.and_then(|at| Some(at + rest[at..].find('>')? + 1));
        if end.is_none() {
            self.absent.insert(name.to_owned());
        }
        end
    }
}

impl<'h> Iterator for Scan<'h> {
    type Item = Piece<'h>;

    fn next(&mut self) -> Option<Piece<'h>> {
        let rest = self.rest();
        let first = rest.chars().next()?;
        let markup = if first == '<' { self.markup() } else { None };
        let piece = markup.unwrap_or_else(|| {
            let after = first.len_utf8();
            Piece::Text(&rest[..rest[after..].find('<').map_or(rest.len(), |end| after + end)])
        });
        self.at += piece.html().len();
        Some(piece)
    }
}

impl<'h> Piece<'h> {
    pub(crate) fn html(&self) -> &'h str {
        match self {
            Self::Text(html) | Self::Comment(html) | Self::Tag { html, .. } | Self::Whole { html, .. } => html,
        }
    }

    /// Whether it is the start tag of this element, or the whole element.
    pub(crate) fn starts(&self, element: &str) -> bool {
        match self {
            Self::Tag { name, is_end: false, .. } | Self::Whole { name, .. } => name.eq_ignore_ascii_case(element),
            Self::Tag { .. } | Self::Text(_) | Self::Comment(_) => false,
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | ':')
}
