//! The addresses of posts and pages to which others of the same source link. The rule: an address is the one that the settings of the site give to
//! the slug or path that the target gets in this import.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use chrono::DateTime;

use super::{ImportSource, ImportedPost, ResolvedPosts, link_marks, markdown};

/// The addresses of link targets, by the names that bodies use.
#[derive(Debug, Default)]
pub enum InternalLinks {
    /// The source has no such links, so its bodies stay byte for byte.
    #[default]
    None,
    /// By the origins that the reader of the source writes into the bodies.
    Marked(HashMap<String, String>),
    /// By the file names of a folder of Markdown.
    OfFiles(HashMap<String, String>),
}

impl InternalLinks {
    pub fn of(source: &ImportSource, resolved: &ResolvedPosts) -> Self {
        if source.marks_links() {
            return Self::Marked(addresses(source, resolved, |origin| vec![origin.to_owned()]));
        }
        match source.folder().is_some() && !source.found.link_targets.is_empty() {
            true => Self::OfFiles(addresses(source, resolved, markdown::names_of_file)),
            false => Self::None,
        }
    }

    /// Writes the addresses of the targets into the body of a post or page. A file of an export of Tidings already has them.
    pub fn write(&self, post: &mut ImportedPost) {
        let body = &mut post.markdown;
        match self {
            _ if post.of_export.is_some() => {}
            Self::None => {}
            Self::Marked(addresses) => {
                if link_marks::targets(body).next().is_some() {
                    *body = link_marks::with_addresses(body, |origin| addresses.get(origin).map(String::as_str));
                }
            }
            Self::OfFiles(addresses) => {
                let address = |name: &str| addresses.get(name).map(String::as_str);
                let written = match markdown::with_file_addresses(&post.origin, body, address) {
                    Cow::Borrowed(_) => return,
                    Cow::Owned(written) => written,
                };
                *body = written;
            }
        }
    }
}

/// The addresses of the posts and pages that bodies link to, by the names that bodies use. A repeated name that is ambiguous names none of them; of
/// other equal names, the first counts.
fn addresses(
    source: &ImportSource,
    resolved: &ResolvedPosts,
    names: impl Fn(&str) -> Vec<String>,
) -> HashMap<String, String> {
    let (targets, paths, entries) = (&source.found.link_targets, source.paths(), &source.found.entries);
    let (mut found, mut repeated) = (HashMap::new(), HashSet::new());
    let mut add = |origin: &str, address: &dyn Fn() -> String| {
        for name in names(origin).into_iter().filter(|name| targets.contains(name)) {
            match found.entry(name) {
                Entry::Vacant(place) => {
                    place.insert(address());
                }
                Entry::Occupied(known) if markdown::is_ambiguous_if_repeated(known.key()) => {
                    repeated.insert(known.key().clone());
                }
                Entry::Occupied(_) => {}
            }
        }
    };
    for page in source.found.pages.iter().filter(|page| !page.origin.is_empty()) {
        add(&page.origin, &|| paths.path_of_page(&page.place.path));
    }
    for (index, entry) in entries.iter().enumerate() {
        add(&entry.origin, &|| {
            // A draft has no day yet. The first import after its publication writes its address again.
            let published_at = entry.published_at.map_or(DateTime::UNIX_EPOCH, |at| at.to_chrono());
            paths.path_of_post(resolved.get(entries, index).slug.as_str(), published_at)
        });
    }
    found.retain(|name, _| !repeated.contains(name));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::FoundContent;
    use crate::source::Posts;

    #[test]
    fn a_source_without_links_stays_as_it_is() {
        let source = ImportSource::new(FoundContent::default(), Posts::Folder("blog".into(), Default::default()));
        let links = InternalLinks::of(&source, &ResolvedPosts::default());
        let markdown = format!("a{}b [c](d.md)", link_marks::marked("x", "y"));
        let mut post = ImportedPost { markdown: markdown.clone(), ..ImportedPost::default() };
        links.write(&mut post);
        assert_eq!(post.markdown, markdown);
    }
}
