//! The links of one body. The rule: a body is rendered as for a reader.

use std::collections::HashSet;
use std::sync::Arc;

use crate::model::{LinkSource, html_links, markdown};

/// A body whose links are checked.
pub(super) struct Source {
    pub from: LinkSource,
    /// The path of the post on the site, to which its links are relative.
    pub path: String,
    /// The file that it was imported from.
    pub origin: Option<String>,
    pub markdown: Arc<str>,
    /// The path of its enclosure, if that is a file of the site.
    pub enclosure: Option<String>,
}

/// The addresses in a rendered body, and the ids of its elements.
#[derive(Debug, Default)]
pub(super) struct BodyLinks {
    pub links: Vec<String>,
    pub ids: HashSet<String>,
}

pub(super) fn read(text: &str) -> BodyLinks {
    let (links, ids) = html_links::links_and_ids(&markdown::html_of(text));
    BodyLinks { links, ids }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_links_and_ids_are_those_of_the_rendered_body() {
        let found = read("# One `two`\n\n[a](#one-two) ![b](c.png \"d\") `[e](f)`\n\n[^1]\n\n[^1]: g\n");
        assert_eq!(found.links, ["#one-two", "c.png", "#fn-1", "#fnref-1"]);
        assert!(["one-two", "fn-1", "fnref-1"].iter().all(|id| found.ids.contains(*id)), "{found:?}");
    }
}
