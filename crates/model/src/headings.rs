//! The headings of a body and their ids. The rule: every heading with text has an id, made from its text as GitHub makes it or written by the author as
//! `{#id}`; no two are equal, and none replaces a name that a script looks up. All work is in proportion to the length of the HTML.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use comrak::Anchorizer;

use super::dom_names;
use super::html_links::with_addresses;
use super::html_tags::{attributes, tags};
use super::html_text::from_clean;

/// The prefix of an id that a script may look up, as on GitHub.
const PREFIX: &str = "user-content-";

/// A heading as a table of contents shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// Its text, on one line.
    pub text: String,
    pub id: String,
}

/// The headings of a rendered body that have an id, in order.
pub fn headings(html: &str) -> impl Iterator<Item = Heading> {
    found(html).filter_map(|heading| {
        let (_, id) = attributes(&html[heading.tag.clone()]).find(|(name, _)| *name == "id")?;
        let id = html[heading.tag.clone()][id].to_owned();
        Some(Heading { level: heading.level, text: on_one_line(&html[heading.inner]), id })
    })
}

/// Cleaned HTML with the ids of its headings, and without `{#id}` in their text.
pub(super) fn with_ids(html: String) -> String {
    if !html.contains("<h") {
        return html;
    }
    let mut ids = Ids::reserving(&html);
    let mut out = String::with_capacity(html.len() + html.len() / 16);
    let mut copied = 0;
    for heading in found(&html) {
        let (tag, inner) = (&html[heading.tag.clone()], &html[heading.inner.clone()]);
        let (kept, written) = without_id(inner);
        let text = on_one_line(kept);
        if text.is_empty() {
            continue;
        }
        let present = attributes(tag).find(|(name, _)| *name == "id").map(|(_, value)| value);
        let requested = match (written, &present) {
            (Some(written), _) => written.to_owned(),
            (None, Some(value)) => tag[value.clone()].to_owned(),
            (None, None) => slug(&text),
        };
        let id = ids.take(requested);
        out.push_str(&html[copied..heading.tag.start]);
        match present {
            Some(value) => out.extend([&tag[..value.start], id.as_str(), &tag[value.end..]]),
            None => out.extend([&tag[..3], " id=\"", id.as_str(), "\"", &tag[3..]]),
        }
        out.push_str(kept);
        copied = heading.inner.end;
    }
    out.push_str(&html[copied..]);
    if ids.prefixed.is_empty() { out } else { with_links_to(&ids.prefixed, &out) }
}

struct Found {
    level: u8,
    tag: Range<usize>,
    inner: Range<usize>,
}

/// A heading in a heading, which only raw HTML can have, is part of the outer one.
fn found(html: &str) -> impl Iterator<Item = Found> {
    let mut tags = tags(html);
    std::iter::from_fn(move || {
        let (level, tag) = tags.find_map(|tag| level(&html[tag.clone()], "<h").map(|level| (level, tag)))?;
        let end = tags.find(|tag| level_of_end(&html[tag.clone()]))?;
        Some(Found { level, inner: tag.end..end.start, tag })
    })
}

fn level(tag: &str, start: &str) -> Option<u8> {
    let [level @ b'1'..=b'6', b' ' | b'>', ..] = tag.strip_prefix(start)?.as_bytes() else { return None };
    Some(level - b'0')
}

fn level_of_end(tag: &str) -> bool {
    level(tag, "</h").is_some()
}

/// The content of a heading without `{#id}` at its end, as Hugo, Docusaurus and kramdown read it, and that id.
fn without_id(inner: &str) -> (&str, Option<&str>) {
    let split = || {
        let (kept, id) = inner.trim_end().strip_suffix('}')?.rsplit_once("{#")?;
        let is_id = !id.is_empty() && id.chars().all(|c| c.is_alphanumeric() || "-_.:".contains(c));
        is_id.then_some((kept.trim_end(), id))
    };
    match split() {
        Some((kept, id)) if !on_one_line(kept).is_empty() => (kept, Some(id)),
        _ => (inner, None),
    }
}

fn on_one_line(html: &str) -> String {
    from_clean(html).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lower case, `-` for spaces, without punctuation. A text without any other character becomes `section`.
fn slug(text: &str) -> String {
    let slug = Anchorizer::new().anchorize(text);
    if slug.is_empty() { "section".to_owned() } else { slug }
}

struct Ids {
    /// Each id, and the last number that was appended to it, so that many headings with the same text take linear time.
    taken: HashMap<String, u32>,
    /// The ids that got a prefix, without the prefix.
    prefixed: HashSet<String>,
}

impl Ids {
    /// Reserves the ids of other elements, such as footnotes.
    fn reserving(html: &str) -> Self {
        let others = tags(html).map(|tag| &html[tag]).filter(|tag| level(tag, "<h").is_none());
        let ids = others.filter_map(|tag| attributes(tag).find(|(name, _)| *name == "id").map(|(_, id)| &tag[id]));
        Self { taken: ids.map(|id| (id.to_owned(), 0)).collect(), prefixed: HashSet::new() }
    }

    fn take(&mut self, requested: String) -> String {
        let id = self.unique(requested);
        if dom_names::is_harmless(&id) {
            return id;
        }
        let prefixed = self.unique(format!("{PREFIX}{id}"));
        self.prefixed.insert(id);
        prefixed
    }

    /// The requested id, or the id with the next free number appended, as github-slugger counts.
    fn unique(&mut self, requested: String) -> String {
        let mut id = requested.clone();
        while self.taken.contains_key(&id) {
            let count = self.taken.entry(requested.clone()).or_insert(0);
            *count += 1;
            id = format!("{requested}-{count}");
        }
        self.taken.insert(id.clone(), 0);
        id
    }
}

/// Adds the prefix to the links of the body to headings whose ids got it.
fn with_links_to(prefixed: &HashSet<String>, html: &str) -> String {
    with_addresses(html, |link| {
        let id = link.strip_prefix('#').filter(|id| prefixed.contains(*id))?;
        Some(format!("#{PREFIX}{id}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render;

    fn ids(markdown: &str) -> Vec<String> {
        headings(&render(markdown).html).map(|heading| heading.id).collect()
    }

    #[test]
    fn ids_are_made_as_github_makes_them() {
        let markdown = "# Getting Started\n## What's new in 2.0?\n## `code` & *more*\n## Getting started\n## Übersicht: 天文\n## a_b  c\n## 🚀\n";
        let expected = [
            "getting-started",
            "whats-new-in-20",
            "code--more",
            "getting-started-1",
            "übersicht-天文",
            "a_b-c",
            "section",
        ];
        assert_eq!(ids(markdown), expected);
    }

    #[test]
    fn an_id_that_the_author_wrote_is_used_and_is_not_in_the_text() {
        let html =
            render("## Setting up {#set-up}\n\n## Again {#set-up}\n\n## `{#code}`\n\n# {#only}\n\n# A {# b}\n").html;
        let expected = "<h2 id=\"set-up\">Setting up</h2>\n<h2 id=\"set-up-1\">Again</h2>\n<h2 id=\"code\"><code>{#code}</code></h2>\n\
                        <h1 id=\"only\">{#only}</h1>\n<h1 id=\"a--b\">A {# b}</h1>\n";
        assert_eq!(html, expected);
        let quotes = render("# A {#b\"c}\n# <b title=\"<h1>\">D</b>\n").html;
        assert_eq!(quotes, "<h1 id=\"a-bc\">A {#b\"c}</h1>\n<h1 id=\"d\"><b title=\"&lt;h1&gt;\">D</b></h1>\n");
    }

    #[test]
    fn an_id_that_scripts_look_up_gets_a_prefix_and_links_to_it_work() {
        let html = render("# Location\n\n[there](#location) [api](#API)\n\n# Location\n\n## The API {#API}\n").html;
        let expected = "<h1 id=\"user-content-location\">Location</h1>\n\
            <p><a href=\"#user-content-location\">there</a> <a href=\"#user-content-API\">api</a></p>\n\
            <h1 id=\"location-1\">Location</h1>\n<h2 id=\"user-content-API\">The API</h2>\n";
        assert_eq!(html, expected);
        assert_eq!(super::super::html::clean(&html), html);
    }

    #[test]
    fn headings_have_their_level_and_text_in_order() {
        let html = render(
            "First\n=====\n\n> ### A *quoted*\n\n<h2 lang=\"en\">Raw &amp; <i>HTML</i></h2>\n\n#\n\n# [^1]\n\n[^1]: a",
        )
        .html;
        let found: Vec<_> = headings(&html).map(|heading| (heading.level, heading.text, heading.id)).collect();
        let heading = |level, text: &str, id: &str| (level, text.to_owned(), id.to_owned());
        let expected =
            [heading(1, "First", "first"), heading(3, "A quoted", "a-quoted"), heading(2, "Raw & HTML", "raw--html")];
        assert_eq!(found, expected);
    }

    #[test]
    fn an_id_of_another_element_is_not_used_again() {
        assert_eq!(ids("# Fn 1\n\na[^1]\n\n[^1]: b"), ["fn-1-1"]);
    }

    #[test]
    fn many_headings_with_the_same_text_have_different_ids() {
        let html = render(&"# a\n".repeat(20_000)).html;
        assert_eq!(headings(&html).map(|heading| heading.id).collect::<HashSet<_>>().len(), 20_000);
    }
}
