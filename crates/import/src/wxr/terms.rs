//! The categories, tags, authors and other terms of an item, which an export writes as `<category>` with different domains. The rule: a term that
//! Tidings has no field for is kept in the metadata.

use crate::{ImportedLanguage, ImportedTerm, Term, TermKind};
use tidings_model::{Language, html_text};

use super::element::Element;
use super::fields::field;
use super::site::{self, WxrSite};

const CATEGORIES: &[&str] = &["category"];
/// WXR 1.0 uses `tag`.
const TAGS: &[&str] = &["post_tag", "tag"];
/// For the plugins Co-Authors Plus and PublishPress Authors.
const AUTHORS: &[&str] = &["author"];
/// Polylang has a taxonomy for the language, and one for the translations of a post, whose terms are numbers.
const LANGUAGES: &[&str] = &["language"];
const TRANSLATIONS: &[&str] = &["post_translations"];
const WITHOUT_NAMES: &[&str] = &["nav_menu"];
/// The prefix of author slugs in Co-Authors Plus.
const COAUTHOR: &str = "cap-";
/// The type of the items that describe its authors without an account.
const GUEST_AUTHOR: &str = "guest-author";

pub(super) fn categories(item: &Element) -> Vec<Term> {
    let categories = terms(item, CATEGORIES);
    let has_domains = item.children("category").any(|category| category.attribute("domain").is_some());
    // WXR 1.0 repeats the names of all terms without a domain; other programs write only these.
    if has_domains { categories } else { of(item.children("category")) }
}

pub(super) fn tags(item: &Element) -> Vec<Term> {
    terms(item, TAGS)
}

/// The authors in order; without a plugin for several, the account that wrote the post.
pub(super) fn authors(item: &Element, site: &WxrSite) -> Vec<Term> {
    let authors = terms(item, AUTHORS).into_iter().map(|author| {
        let slug = author.slug.as_ref().and_then(|slug| site::slug(slug.as_str().trim_start_matches(COAUTHOR)));
        let by_login = site::slug(&author.name).filter(|login| site.authors.contains_key(login));
        let by_slug = slug.clone().filter(|slug| site.authors.contains_key(slug));
        match by_login.or(by_slug).and_then(|login| site.author(login.as_str())) {
            Some(known) => known,
            None => Term { slug, ..author },
        }
    });
    let authors: Vec<Term> = authors.collect();
    if authors.is_empty() { site.author(item.child_text("dc:creator")).into_iter().collect() } else { authors }
}

/// The author that an item of Co-Authors Plus describes, if it is one.
pub(super) fn guest_author(item: &Element) -> Option<ImportedTerm> {
    if item.child_text("wp:post_type") != GUEST_AUTHOR || item.child_text("wp:status") != "publish" {
        return None;
    }
    let slug = site::slug(item.child_text("wp:post_name").trim_start_matches(COAUTHOR))?;
    let text = |key| field(item, key).map(html_text::from_any).filter(|text| !text.is_empty());
    let title = || Some(html_text::from_any(item.child_text("title"))).filter(|title| !title.is_empty());
    let name = text("cap-display_name").or_else(title).unwrap_or_else(|| slug.to_string());
    let (description, url) = (text("cap-description"), text("cap-website"));
    Some(ImportedTerm { description, url, ..ImportedTerm::named(TermKind::Author, Some(slug), name) })
}

/// The language that Polylang recorded, or the export of WPML ("WPML Export and Import"); unknown without them.
pub(super) fn language(item: &Element) -> ImportedLanguage {
    let mut named = item.children("category").filter(|category| is_of(category, LANGUAGES));
    let tag = named.find_map(|category| category.attribute("nicename").and_then(Language::of_locale));
    let tag = tag.or_else(|| field(item, "_wpml_import_language_code").and_then(Language::of_locale));
    tag.map_or(ImportedLanguage::Unknown, ImportedLanguage::Tag)
}

/// The group of translations by the same plugins.
pub(super) fn translations(item: &Element) -> Option<String> {
    let mut groups = item.children("category").filter(|category| is_of(category, TRANSLATIONS));
    let of_polylang = groups.find_map(|group| group.attribute("nicename")).filter(|group| !group.is_empty());
    let of_wpml = || Some(format!("wpml {}", field(item, "_wpml_import_translation_group")?));
    of_polylang.map(|group| format!("polylang {group}")).or_else(of_wpml)
}

/// The taxonomies without a field in Tidings, with the names of their terms.
pub(super) fn others(item: &Element) -> Vec<(String, Vec<String>)> {
    let mut others: Vec<(String, Vec<String>)> = Vec::new();
    let known = [CATEGORIES, TAGS, AUTHORS, LANGUAGES, TRANSLATIONS, WITHOUT_NAMES];
    for category in item.children("category").filter(|category| !known.iter().any(|known| is_of(category, known))) {
        let name = html_text::from_any(&category.text);
        let Some(domain) = category.attribute("domain").filter(|domain| !domain.is_empty() && !name.is_empty()) else {
            continue;
        };
        match others.iter_mut().find(|(known, _)| known == domain) {
            Some((_, names)) if names.contains(&name) => {}
            Some((_, names)) => names.push(name),
            None => others.push((domain.to_owned(), vec![name])),
        }
    }
    others
}

fn is_of(category: &Element, domains: &[&str]) -> bool {
    category.attribute("domain").is_some_and(|domain| domains.contains(&domain))
}

fn terms(item: &Element, domains: &[&str]) -> Vec<Term> {
    of(item.children("category").filter(|category| is_of(category, domains)))
}

/// The terms without duplicates: WXR 1.0 repeats them without slugs.
fn of<'e>(categories: impl Iterator<Item = &'e Element>) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    for category in categories {
        let name = html_text::from_any(&category.text);
        let slug = category.attribute("nicename").and_then(site::slug);
        let is_same = |known: &&mut Term| match (&known.slug, &slug) {
            (Some(known), Some(slug)) => known == slug,
            (None, _) | (_, None) => known.name == name,
        };
        match terms.iter_mut().find(is_same) {
            Some(known) => known.slug = known.slug.take().or(slug),
            None if name.is_empty() => {}
            None => terms.push(Term { name, slug }),
        }
    }
    terms
}
