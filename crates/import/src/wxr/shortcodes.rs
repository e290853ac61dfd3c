//! The shortcodes of WordPress, such as `[caption]`. The rule: a shortcode whose content the export contains becomes the HTML that readers saw; any
//! other stays text and is reported.

use std::collections::{BTreeSet, HashSet};

use crate::html::{Piece, Scan, attribute, link_to};
use crate::words::has_word;
use tidings_model::{html_text, rules};

use super::gallery::Galleries;

/// A shortcode in a text, without its end.
pub(super) struct Shortcode<'h> {
    pub name: &'h str,
    /// The attributes as written.
    attributes: &'h str,
    /// The length of the start, with its brackets.
    length: usize,
    /// Whether the text has an end with this name, such as `[/caption]`.
    pub has_end: bool,
}

/// Shortcodes that show a page of another site, or a post of a social network.
const EMBEDS: &str = "dailymotion embed gist instagram slideshare soundcloud spotify ted tweet twitter vimeo youtube";
const CAPTIONS: &str = "caption wp_caption";
const CODE: &str = "code highlight sourcecode";
/// Shortcodes of the plugin SyntaxHighlighter Evolved, named after a language, if they have an end.
const LANGUAGES: &str = "\
    actionscript3 as3 bash c coldfusion cpp csharp css delphi diff erlang fsharp go groovy html java javafx javascript \
    jscript js matlab objc pascal patch perl php plain powershell ps py python r rails rb ruby scala shell sql vb \
    vbnet xhtml xml xslt yaml";
/// Shortcodes of players, with the attributes that name a file.
const PLAYERS: &[(&str, &[&str])] = &[
    ("audio", &["src", "mp3", "m4a", "ogg", "oga", "opus", "wav", "flac"]),
    ("video", &["src", "mp4", "m4v", "webm", "ogv", "flv"]),
];
const GALLERY: &str = "gallery";
/// Shortcodes of WordPress and common plugins that have neither attributes nor an end.
const BARE: &[&str] = &[GALLERY, "playlist", "toc"];
const NAME_BYTES_MAX: usize = 64;

/// All shortcodes, even inside tags.
pub(super) fn all(content: &str) -> impl Iterator<Item = Shortcode<'_>> {
    let ends = ends(content);
    let starts = content.match_indices('[').map(|(at, _)| &content[at..]);
    starts.filter_map(move |text| Shortcode::at(text, &ends))
}

/// HTML with converted shortcodes.
#[derive(Debug, Default)]
pub(super) struct Converted {
    pub html: String,
    /// The names of shortcodes that stay text.
    pub left: BTreeSet<String>,
    /// How many gallery pictures are not in the export.
    pub missing: usize,
}

pub(super) fn convert(content: &str, galleries: &Galleries<'_>) -> Converted {
    let (ends, mut absent) = (ends(content), HashSet::new());
    let (mut converted, mut scan) = (Converted::default(), Scan::of(content));
    loop {
        let rest = scan.rest();
        let text = match scan.next() {
            None => return converted,
            Some(Piece::Text(text)) => text,
            Some(other) => {
                converted.html.push_str(other.html());
                continue;
            }
        };
        let mut at = 0;
        while at < text.len() {
            let bracket = text[at..].find('[').map_or(text.len(), |found| at + found);
            converted.html.push_str(&text[at..bracket]);
            at = bracket + converted.take(&rest[bracket..], galleries, &ends, &mut absent);
        }
        // The end of a shortcode can be far after the next tag.
        if at > text.len() {
            scan.resume(&rest[at..]);
        }
    }
}

impl Converted {
    /// Converts the start of the text, and returns its length.
    fn take<'h>(
        &mut self,
        text: &'h str,
        galleries: &Galleries<'_>,
        ends: &HashSet<&str>,
        absent: &mut HashSet<&'h str>,
    ) -> usize {
        let Some(inner) = text.strip_prefix('[') else { return 0 };
        // Authors write double brackets to show a shortcode.
        if let Some(written) = Shortcode::at(inner, ends).filter(|code| inner[code.length..].starts_with(']')) {
            self.html.push_str(&inner[..written.length]);
            return written.length + 2;
        }
        let Some(code) = Shortcode::at(text, ends) else {
            self.html.push('[');
            return 1;
        };
        if code.name == GALLERY
            && let Some((html, missing)) = galleries.read(&code.values().collect::<Vec<_>>())
        {
            self.html.push_str(&html);
            self.missing += missing;
            return code.length;
        }
        let after = &text[code.length..];
        let end = format!("[/{}]", code.name);
        let content = if absent.contains(code.name) { None } else { after.find(&end).map(|at| &after[..at]) };
        if content.is_none() {
            absent.insert(code.name);
        }
        if let Some(html) = code.to_html(content) {
            self.html.push_str(&html);
            return code.length + content.map_or(0, |content| content.len() + end.len());
        }
        if code.is_no_plain_text() {
            self.left.insert(code.name.to_owned());
        }
        self.html.push_str(&text[..code.length]);
        code.length
    }
}

impl<'h> Shortcode<'h> {
    fn at(text: &'h str, ends: &HashSet<&str>) -> Option<Self> {
        let inner = text.strip_prefix('[')?;
        let name = &inner[..inner.find(|c: char| !is_name(c)).unwrap_or(inner.len())];
        let is_named = name.len() <= NAME_BYTES_MAX && name.starts_with(|c: char| c.is_ascii_alphabetic());
        let rest = &inner[name.len()..];
        if !is_named || !rest.starts_with([' ', '\t', '\n', '\r', '\u{a0}', '=', ':', '/', ']']) {
            return None;
        }
        let end = rest.find(['[', ']']).filter(|end| rest[*end..].starts_with(']'))?;
        let attributes = rest[..end].trim_end_matches('/').trim_start_matches(['=', ':']);
        Some(Self { name, attributes, length: 1 + name.len() + end + 1, has_end: ends.contains(name) })
    }

    /// Whether it is more than a word in brackets, such as `[sic]`.
    fn is_no_plain_text(&self) -> bool {
        self.has_end || self.attributes.contains('=') || self.name.contains(['_', '-']) || BARE.contains(&self.name)
    }

    /// `None` if it stays text. `content`: the text between its start and end.
    fn to_html(&self, content: Option<&str>) -> Option<String> {
        if has_word(CAPTIONS, self.name) {
            return content.map(|content| self.captioned(content));
        }
        if has_word(CODE, self.name) || has_word(LANGUAGES, self.name) {
            return content.map(|content| self.code(content));
        }
        let written = content.map(html_text::from_any);
        let values = || self.values().map(|(_, value)| value).chain(written.clone());
        let mut addresses = values().filter(|value| rules::is_web_address(value));
        if has_word(EMBEDS, self.name) {
            return link_to(&addresses.next()?, None);
        }
        let (_, names) = PLAYERS.iter().find(|(name, _)| *name == self.name)?;
        let named = self.values().find(|(name, value)| names.contains(name) && rules::is_web_address(value));
        let source = named.map(|(_, value)| value).or_else(|| addresses.next())?;
        let name = self.name;
        Some(format!("<{name} controls=\"\" src=\"{}\"></{name}>", attribute(&source)))
    }

    /// A picture with its caption: the rest of the content, or an attribute in older versions.
    fn captioned(&self, content: &str) -> String {
        let (mut scan, mut has_link, mut picture) = (Scan::of(content), false, 0);
        while let Some(piece) = scan.next() {
            has_link |= piece.starts("a");
            if piece.starts("img")
                || (picture > 0 && has_link && matches!(piece, Piece::Tag { name: "a", is_end: true, .. }))
            {
                picture = content.len() - scan.rest().len();
                if !has_link || !piece.starts("img") {
                    break;
                }
            }
        }
        let (picture, below) = content.split_at(picture);
        let named = self.values().find(|(name, _)| *name == "caption").map(|(_, value)| value);
        let caption = Some(below.trim().to_owned()).filter(|below| !below.is_empty()).or(named);
        let caption = caption.map(|caption| format!("<figcaption>{caption}</figcaption>")).unwrap_or_default();
        format!("<figure>{}{caption}</figure>\n", picture.trim())
    }

    /// WordPress stores code as HTML or as it was typed.
    fn code(&self, content: &str) -> String {
        let language = self.values().find(|(name, _)| matches!(*name, "lang" | "language")).map(|(_, value)| value);
        let language = language.or_else(|| has_word(LANGUAGES, self.name).then(|| self.name.to_owned()));
        let class = language.map(|name| format!(" class=\"language-{}\"", attribute(&name))).unwrap_or_default();
        let content = content.trim_matches(['\n', '\r']);
        let content = if content.contains('<') { html_text::escape(content) } else { content.to_owned() };
        format!("\n<pre><code{class}>{content}</code></pre>\n")
    }

    /// The attributes with their names, which are empty for those without one.
    fn values(&self) -> impl Iterator<Item = (&'h str, String)> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{a0}', ',']);
            if rest.is_empty() {
                return None;
            }
            let key = &rest[..rest.find(|c: char| !is_name(c)).unwrap_or(rest.len())];
            let value = rest[key.len()..].trim_start().strip_prefix('=').filter(|_| !key.is_empty());
            let (name, value) = value.map_or(("", rest), |value| (key, value.trim_start()));
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\'')).filter(|c| value[1..].contains(*c));
            let (value, after) = match quote {
                Some(quote) => value[1..].split_once(quote).unwrap_or((value, "")),
                None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
            };
            rest = after;
            Some((name, html_text::from_any(value)))
        })
    }
}

/// The names of shortcodes that have an end in the text.
fn ends(content: &str) -> HashSet<&str> {
    let starts = content.match_indices("[/").map(|(at, _)| &content[at + 2..]);
    let names = starts.filter_map(|text| {
        let name = &text[..text.find(|c: char| !is_name(c))?];
        text[name.len()..].starts_with(']').then_some(name)
    });
    names.collect()
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}
