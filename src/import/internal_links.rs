//! The addresses of the posts and pages to which others of the same export link. The rule: an address is the one that the settings of the site give to the slug or
//! path that the target gets in this import.

use std::collections::HashMap;

use chrono::DateTime;

use super::{ImportSource, ResolvedPosts, link_marks};

/// The addresses by the origins of the targets; `None` if the reader of the source marks no links, so that its bodies stay byte for byte.
#[derive(Debug, Default)]
pub(super) struct InternalLinks(Option<HashMap<String, String>>);

impl InternalLinks {
    pub(super) fn of(source: &ImportSource, resolved: &ResolvedPosts) -> Self {
        if !source.marks_links() {
            return Self::default();
        }
        let (targets, paths, entries) = (source.link_targets(), source.paths(), source.entries());
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
        Self(Some(pages.chain(posts).collect()))
    }

    /// Writes the addresses of the targets into a body.
    pub(super) fn write(&self, body: &mut String) {
        if let Some(addresses) = &self.0
            && link_marks::targets(body).next().is_some()
        {
            *body = link_marks::with_addresses(body, |origin| addresses.get(origin).map(String::as_str));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::found::FoundContent;
    use crate::import::source::Posts;

    #[test]
    fn a_source_that_marks_no_links_stays_as_it_is() {
        let source = ImportSource::new(FoundContent::default(), Posts::Folder("blog".into()));
        let links = InternalLinks::of(&source, &ResolvedPosts::default());
        let written = format!("a{}b", link_marks::marked("x", "y"));
        let mut body = written.clone();
        links.write(&mut body);
        assert_eq!(body, written);
    }
}
