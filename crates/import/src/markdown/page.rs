//! A Markdown file that is a page of the site. The rule: its path follows from its address in the front matter, or else from its path below the root;
//! an `index` or `_index` is the page of its folder.

use crate::{ImportedPage, PagePlace};
use tidings_model::page_path::HOME_PATH;
use tidings_model::{Instant, Language, PagePath, Slug, markdown};

use super::fields::PostFields;
use super::post::post;

/// Folders in which generators keep content and that are not part of an address.
const ROOTS: &[&str] = &["src/content/", "src/pages/", "content/", "_pages/", "pages/", "src/", "source/"];
/// The place of a page in the site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The path of its file, from which its own path follows.
    pub path: String,
    /// The first part of the path of a translation.
    pub language: Option<Language>,
}

/// The names of files that describe their folder.
const INDEXES: &[&str] = &["index", "_index", "readme"];
/// The parts of an address that is a path: without placeholders, and neither an absolute URL nor the root.
fn as_path(text: &str) -> Option<Vec<&str>> {
    let is_plain = !text.contains([':', '{', '}', '*', '?', '#']);
    let is_path = is_plain && text.contains('/');
    let parts: Vec<&str> = text.split('/').filter(|part| !part.is_empty()).collect();
    (is_path && !parts.is_empty()).then_some(parts)
}

/// The path below the generator's content folder.
pub(super) fn below_content(origin: &str) -> &str {
    ROOTS.iter().find_map(|root| origin.strip_prefix(root)).unwrap_or(origin)
}

/// Whether a file with this name, without its extension, describes its folder.
pub(super) fn is_index(stem: &str) -> bool {
    INDEXES.contains(&stem.to_lowercase().as_str())
}

/// `language`: the first part of the path of a translation, such as `de` for `about.de.md`.
///
/// # Errors
/// If the path is too long or too deep.
fn path(origin: &str, language: Option<&Language>, fields: &PostFields) -> Result<PagePath, String> {
    let given = fields.address.as_deref().and_then(as_path);
    let slug = fields.given_slug.as_deref();
    let absolute = slug.filter(|slug| slug.starts_with('/')).and_then(as_path);
    let mut parts: Vec<Slug> = match given.or(absolute) {
        Some(parts) => parts.into_iter().filter_map(|part| Slug::from_name(without_ending(part))).collect(),
        None => {
            let mut parts: Vec<Slug> = language.map(Language::index_slug).into_iter().collect();
            parts.extend(parts_of_file(origin));
            if let Some(slug) = slug.filter(|slug| !slug.contains('/')).and_then(Slug::from_name) {
                parts.pop();
                parts.push(slug);
            }
            parts
        }
    };
    if parts.is_empty() {
        parts.extend(Slug::from_name(HOME_PATH));
    }
    PagePath::of(parts).map_err(|bad| format!("its path: {bad}"))
}

/// A former address of the page, if it is a path.
pub(super) fn former_path(alias: &str) -> Option<PagePath> {
    let parts = as_path(alias)?.into_iter().filter_map(|part| Slug::from_name(without_ending(part)));
    PagePath::of(parts.collect()).ok()
}

fn without_ending(part: &str) -> &str {
    part.strip_suffix(".html").or_else(|| part.strip_suffix(".htm")).unwrap_or(part)
}

/// The folders and the name of a file, without the name of an index file.
fn parts_of_file(origin: &str) -> Vec<Slug> {
    let inner = below_content(origin);
    let (folders, file) = inner.rsplit_once('/').unwrap_or(("", inner));
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let mut parts: Vec<Slug> = folders.split('/').filter_map(Slug::from_name).collect();
    if !is_index(stem) {
        parts.extend(Slug::from_name(stem));
    }
    parts
}

/// # Errors
/// If no page can have its path.
pub(super) fn page(
    origin: &str,
    place: &Place,
    fields: PostFields,
    body: &str,
    date: Option<Instant>,
) -> Result<ImportedPage, String> {
    let path = path(&place.path, place.language.as_ref(), &fields)?;
    let former_paths = fields.aliases.iter().filter_map(|alias| former_path(alias));
    let former_paths = former_paths.filter(|former| *former != path).collect();
    let (order, words) = (fields.order, path.slug().to_string());
    let post = post(origin, fields, words, body, date);
    Ok(ImportedPage::of(post, PagePlace { former_paths, order, ..PagePlace::at(path) }))
}

/// Whether a file without front matter is a page. Documentation often has none.
pub(super) fn is_documentation(origin: &str, text: &str) -> bool {
    origin.split('/').rev().skip(1).any(|folder| folder == "docs") && markdown::first_heading(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::yaml;

    fn fields(text: &str) -> PostFields {
        PostFields::read(&yaml::parse(text).expect("YAML"), false)
    }

    #[test]
    fn the_path_is_that_of_the_file_or_its_own_address() {
        let path = |origin: &str, text: &str| path(origin, None, &fields(text)).expect("a path").to_string();
        for (origin, front, expected) in [
            ("about.md", "title: A", "about"),
            ("content/docs/Install Guide/_index.md", "title: A", "docs/install-guide"),
            ("content/docs/install/linux.md", "title: A", "docs/install/linux"),
            ("docs/install/linux.md", "slug: debian", "docs/install/debian"),
            ("docs/intro.md", "slug: /", "docs/intro"),
            ("docs/intro.md", "slug: /start/here", "start/here"),
            ("source/about/index.md", "type: about", "about"),
            ("_pages/x.md", "permalink: /about/team.html", "about/team"),
            ("pages/x.md", "permalink: /:categories/:title/", "x"),
            ("src/pages/index.md", "title: A", "index"),
            ("docs/README.md", "title: A", "docs"),
            ("x.md", "url: https://example.org/a/b", "x"),
            ("posts/x.md", "path: guide/first", "guide/first"),
        ] {
            assert_eq!(path(origin, front), expected, "{origin} {front}");
        }
    }
}
