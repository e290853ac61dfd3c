//! The addresses of the posts and pages to which others of the same export link. The rule: an address is the one that the settings of the site give to the slug or
//! path that the target gets in this import.

use std::collections::HashMap;

use chrono::DateTime;

use super::{ImportSource, ResolvedPosts, link_marks};

/// The addresses by the origins of the targets.
#[derive(Debug, Default)]
pub(super) struct InternalLinks(HashMap<String, String>);

impl InternalLinks {
    pub(super) fn of(source: &ImportSource, resolved: &ResolvedPosts) -> Self {
        let (targets, paths, entries) = (source.link_targets(), source.paths(), source.entries());
        if targets.is_empty() {
            return Self::default();
        }
        let pages = source.pages().iter().filter_map(|page| {
            let origin = page.origin.as_ref().filter(|origin| targets.contains(*origin))?;
            Some((origin.clone(), paths.path_of_page(&page.path)))
        });
        let linked = entries.iter().enumerate().filter(|(_, entry)| targets.contains(entry.origin()));
        let posts = linked.map(|(index, entry)| {
            // A draft has no day yet. After its publication, the next import writes its address again.
            let published_at = entry.published_at().map_or(DateTime::UNIX_EPOCH, |at| at.to_chrono());
            let slug = resolved.get(entries, index).slug;
            (entry.origin().to_owned(), paths.path_of_post(slug.as_str(), published_at))
        });
        Self(pages.chain(posts).collect())
    }

    /// Writes the addresses of the targets into a body.
    pub(super) fn write(&self, body: &mut String) {
        if link_marks::targets(body).next().is_some() {
            *body = link_marks::with_addresses(body, |origin| self.0.get(origin).map(String::as_str));
        }
    }
}
