//! The body of a WordPress post. The rule: readers get what WordPress showed, as one HTML block that Markdown does not parse; missing content is reported.

use std::collections::BTreeSet;

use crate::html::{Piece, Scan, as_block, link, note_of_hidden};
use crate::words::note_of_names;
use tidings_model::{html_text, rules};

use super::gallery::Galleries;
use super::paragraphs::with_paragraphs;
use super::shortcodes;

pub(super) struct Body {
    pub text: String,
    pub notes: Vec<String>,
}

/// The start of the comments before and after a block.
const BLOCK: &str = "<!-- wp:";
const BLOCK_END: &str = "<!-- /wp:";
/// The class of the element around the address of an embedded page.
const EMBED: &str = "wp-block-embed";

pub(super) fn read(content: &str, galleries: &Galleries<'_>) -> Body {
    let content = content.replace("\r\n", "\n").replace('\r', "\n");
    let mut notes = Vec::new();
    let shortcodes::Converted { html, left, missing } = shortcodes::convert(&content, galleries);
    if missing > 0 {
        notes.push(format!("pictures of galleries that the export does not have are left out: {missing}"));
    }
    let left = left.into_iter().map(|name| format!("[{name}]")).collect();
    let start = "shortcodes that stay as text, because the export does not have what they show";
    notes.extend(note_of_names(start, left));
    // A body of blocks already has paragraphs.
    let html = match html.contains(BLOCK) {
        true => {
            let (html, without) = without_blocks(&html);
            notes.extend(note_of_names("not in the body, because the export has no HTML for it", without));
            html
        }
        false => with_lines_as_links(&html),
    };
    notes.extend(note_of_hidden(&html));
    let as_shown = |html: &str| if content.contains(BLOCK) { as_block(html) } else { as_block(&with_paragraphs(html)) };
    let text = match at_more(&html) {
        Some((before, after)) => format!("{}\n<!--more-->\n\n{}", as_shown(before), as_shown(after)),
        None => as_shown(&html),
    };
    Body { text: text.trim_start().to_owned(), notes }
}

/// Splits at the comment that ends an excerpt, which can contain the link text.
fn at_more(html: &str) -> Option<(&str, &str)> {
    let is_more = |comment: &str| {
        let words = comment.trim_start_matches("<!--").trim_end_matches("-->").trim();
        words.strip_prefix("more").is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    let mut scan = Scan::of(html);
    while let Some(piece) = scan.next() {
        if let Piece::Comment(comment) = piece
            && is_more(comment)
        {
            let after = scan.rest();
            return Some((&html[..html.len() - after.len() - comment.len()], after));
        }
    }
    None
}

/// Removes the comments of blocks. Also returns the names of blocks without HTML.
fn without_blocks(html: &str) -> (String, BTreeSet<String>) {
    let (mut out, mut without, mut is_embed) = (String::with_capacity(html.len()), BTreeSet::new(), false);
    for piece in Scan::of(html) {
        match piece {
            Piece::Comment(comment) if comment.starts_with(BLOCK) => {
                if comment.ends_with("/-->") {
                    let name = comment[BLOCK.len()..].split_whitespace().next().unwrap_or_default();
                    without.insert(name.chars().take(64).collect());
                }
            }
            Piece::Comment(comment) if comment.starts_with(BLOCK_END) => {}
            Piece::Text(text) if is_embed => out.push_str(&linked(text)),
            other => out.push_str(other.html()),
        }
        is_embed = matches!(piece, Piece::Tag { html, is_end: false, .. } if html.contains(EMBED));
    }
    (out, without)
}

/// WordPress embeds the page of an address on a separate line; readers get a link.
fn with_lines_as_links(html: &str) -> String {
    let (mut out, mut scan) = (String::with_capacity(html.len()), Scan::of(html));
    while let Some(piece) = scan.next() {
        let Piece::Text(text) = piece else {
            out.push_str(piece.html());
            continue;
        };
        let (is_first, is_last) = (out.is_empty(), scan.rest().is_empty());
        let last = text.matches('\n').count();
        for (at, line) in text.split('\n').enumerate() {
            out.push_str(if at > 0 { "\n" } else { "" });
            let is_alone = (at > 0 || is_first) && (at < last || is_last);
            if is_alone { out.push_str(&linked(line)) } else { out.push_str(line) }
        }
    }
    out
}

/// The text as a link, if it is only an address.
fn linked(text: &str) -> String {
    let address = text.trim();
    if !rules::is_web_address(address) || address.contains(char::is_whitespace) {
        return text.to_owned();
    }
    link(&html_text::from_any(address), address)
}
