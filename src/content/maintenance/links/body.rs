//! The links of one body. The rule: a body without a link to this site is not rendered, because most bodies have none, and rendering takes nearly all of the
//! time; a body that may have one is rendered as for a reader.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{LinkSource, html_links, markdown};

/// A body whose links are checked.
pub(super) struct Source {
    pub from: LinkSource,
    /// Its path on the site, to which its links are relative.
    pub path: String,
    /// The file that it was imported from.
    pub origin: Option<String>,
    pub markdown: Arc<str>,
    /// The path of a file of the site.
    pub enclosure: Option<String>,
}

/// The addresses in a rendered body, and the ids of its elements.
#[derive(Debug, Default)]
pub(super) struct BodyLinks {
    pub links: Vec<String>,
    pub ids: HashSet<String>,
}

/// `host`: that of the site, if it is known.
pub(super) fn read(text: &str, host: Option<&str>) -> BodyLinks {
    if !may_link_to_site(text, host) {
        return BodyLinks::default();
    }
    let (links, ids) = html_links::links_and_ids(&markdown::html_of(text));
    BodyLinks { links, ids }
}

/// Whether the body can have a link that is not to another site.
fn may_link_to_site(text: &str, host: Option<&str>) -> bool {
    // Raw HTML has links in too many forms to look for; an address in angle brackets is one of another site.
    let has_html = || {
        let tags = text.match_indices('<').map(|(at, _)| &text[at + 1..]);
        tags.filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic())).any(|tag| !is_of_another_site(tag))
    };
    let has_link = |before: &str| {
        let places = text.match_indices(before).map(|(at, _)| &text[at + before.len()..]);
        places.map(|rest| rest.trim_start().trim_start_matches('<')).any(|address| !is_of_another_site(address))
    };
    host.is_some_and(|host| text.contains(host)) || has_link("](") || has_link("]:") || has_html()
}

fn is_of_another_site(address: &str) -> bool {
    ["http://", "https://", "//", "mailto:"].iter().any(|start| address.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_rendered_only_if_it_may_have_a_link_to_the_site() {
        for (text, expected) in [
            ("No link, [x] and (y), 1 < 2.", false),
            ("[a](https://a.example/) ![b]( <http://b.example/x> ) <https://c.example> <mailto:d@e.example>", false),
            ("[a][b]\n\n[b]: https://a.example/", false),
            ("[a](/b)", true),
            ("[a][b]\n\n[b]: /c\n", true),
            ("<a href=\"#b\">c</a>", true),
            ("see [here](https://blog.example/a)", true),
        ] {
            assert_eq!(may_link_to_site(text, Some("blog.example")), expected, "{text}");
            assert_eq!(read(text, Some("blog.example")).links.is_empty(), !expected, "{text}");
        }
        assert!(!may_link_to_site("[here](https://blog.example/a)", None));
    }

    #[test]
    fn the_links_and_ids_are_those_of_the_rendered_body() {
        let found = read("# One `two`\n\n[a](#one-two) ![b](c.png \"d\") `[e](f)`\n\n[^1]\n\n[^1]: g\n", None);
        assert_eq!(found.links, ["#one-two", "c.png", "#fn-1", "#fnref-1"]);
        assert!(["one-two", "fn-1", "fnref-1"].iter().all(|id| found.ids.contains(*id)), "{found:?}");
    }
}
