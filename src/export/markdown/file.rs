//! The text of each file of an export. The rule: a text is returned only if the import reads the same object from it.

use crate::import::{
    AVATAR, ImportedCover, ImportedLanguage, ImportedPage, ImportedPost, ImportedTerm, JOB_TITLE, LINKS, OfExport,
    PARENT, ReadOutcome, SERIES_ORDER, TRANSLATIONS, Term, UNPUBLISH_AT, read_markdown_file,
};
use crate::model::{Enclosure, Instant, Metadata, NodeId, PagePath, Profile, ProfileLink, Slug};

use super::front_matter::FrontMatter;
use super::metadata::{self, Layout};
use super::yaml;

/// `None` if the import reads the post from no layout of the text.
pub(super) fn of_post(path: &str, post: &ImportedPost) -> Option<String> {
    let is_read = |text: &str| match read_markdown_file(path, text.into()) {
        ReadOutcome::Post(read, _) => *read == *post,
        _ => false,
    };
    written("post", post.metadata.as_ref(), |layout| text_of_post(post, layout), is_read)
}

/// `None` if the import reads the page from no layout of the text.
pub(super) fn of_page(path: &str, page: &ImportedPage) -> Option<String> {
    let is_read = |text: &str| match read_markdown_file(path, text.into()) {
        ReadOutcome::Page(read, _) => *read == *page,
        _ => false,
    };
    written("page", page.metadata.as_ref(), |layout| text_of_page(page, layout), is_read)
}

/// `None` if the import would not read the term from its text. `avatar`: the address of the picture of an author, if
/// the folder has it.
pub(super) fn of_term(path: &str, term: &ImportedTerm, avatar: Option<&str>) -> Option<String> {
    let text = text_of_term(term, avatar);
    let read = read_markdown_file(path, text.clone().into_bytes());
    matches!(read, ReadOutcome::Term(read, _) if *read == *term).then_some(text)
}

/// The text with the plainest layout of the metadata that the import reads correctly.
fn written(
    kind: &'static str,
    metadata: Option<&Metadata>,
    text: impl Fn(&Layout) -> String,
    is_read: impl Fn(&str) -> bool,
) -> Option<String> {
    metadata::layouts(kind, metadata).map(|layout| text(&layout)).find(|text| is_read(text))
}

fn text_of_post(post: &ImportedPost, layout: &Layout) -> String {
    let mut front = FrontMatter::of("post");
    front.put_text("title", &post.title);
    if let Some(subtitle) = &post.subtitle {
        front.put_text("subtitle", subtitle);
    }
    if let Some(slug) = &post.slug {
        front.put_text("slug", slug);
    }
    put_dates(&mut front, [("date", post.published_at), ("lastmod", post.updated_at), ("created", post.created_at)]);
    if post.is_draft {
        front.put("draft", true);
    }
    let lists = post.term_lists();
    for (kind, terms) in lists {
        front.put_list(kind.plural(), terms.iter().map(|term| term.name.as_str()));
    }
    if let Some(position) = post.series_position {
        front.put(SERIES_ORDER, position);
    }
    put_language(&mut front, &post.language);
    if post.is_featured == Some(true) {
        front.put("featured", true);
    }
    put_texts(&mut front, post.excerpt.as_deref(), &post.cover);
    if let Some(Enclosure { url, byte_size, content_type }) = &post.enclosure {
        let length = byte_size.map(|bytes| bytes.to_string());
        let pairs = [("url", Some(url)), ("length", length.as_ref()), ("type", Some(content_type))];
        let pairs = pairs.into_iter().filter_map(|(key, text)| Some((key, text?.as_str())));
        front.put("enclosure", yaml::table(pairs));
    }
    front.put_list("aliases", post.former_slugs.iter().map(Slug::as_str));
    put_own(&mut front, post.id.as_deref(), post.version, post.of_export.as_ref(), &post.cover);
    put_translations(&mut front, post.translations.as_deref());
    put_end(&mut front, post.unpublish_at);
    for (kind, terms) in lists {
        put_slugs(&mut front, kind.plural(), terms);
    }
    layout.put_into(&mut front);
    front.with_body(&post.markdown)
}

fn text_of_page(page: &ImportedPage, layout: &Layout) -> String {
    let mut front = FrontMatter::of("page");
    front.put_text("title", &page.title);
    if let Some(subtitle) = &page.subtitle {
        front.put_text("subtitle", subtitle);
    }
    let address = |path: &PagePath| format!("/{path}/");
    front.put_text("url", &address(&page.path));
    put_dates(&mut front, [("date", page.published_at), ("lastmod", page.updated_at), ("created", page.created_at)]);
    if page.is_draft {
        front.put("draft", true);
    }
    put_language(&mut front, &page.language);
    put_texts(&mut front, page.excerpt.as_deref(), &page.cover);
    let former: Vec<String> = page.former_paths.iter().map(address).collect();
    front.put_list("aliases", former.iter().map(String::as_str));
    // For Hugo, 0 is no weight.
    let weight = page.order.filter(|order| *order != 0 && order.unsigned_abs() < 1_000_000_000);
    if let Some(weight) = weight {
        front.put("weight", weight);
    }
    put_own(&mut front, page.id.as_deref(), page.version, page.of_export.as_ref(), &page.cover);
    put_translations(&mut front, page.translations.as_deref());
    put_end(&mut front, page.unpublish_at);
    if let Some(order) = page.order.filter(|_| weight.is_none()) {
        front.put_own("order", order);
    }
    layout.put_into(&mut front);
    front.with_body(&page.markdown)
}

fn text_of_term(term: &ImportedTerm, avatar: Option<&str>) -> String {
    let mut front = FrontMatter::of(term.kind.noun());
    front.put_text("title", &term.name);
    if let Some(slug) = &term.slug {
        front.put_text("slug", slug.as_str());
    }
    if let Some(description) = &term.description {
        front.put_text("description", description);
    }
    if let Some(url) = &term.url {
        front.put_text("website", url);
    }
    put_profile(&mut front, &term.profile, avatar);
    front.put_list("aliases", term.former_slugs.iter().map(Slug::as_str));
    let id = term.node_id.as_ref().map(ToString::to_string);
    put_own(&mut front, id.as_deref(), Some(term.version), None, &ImportedCover::None);
    if let Some(parent) = &term.parent {
        front.put_own_text(PARENT, parent.as_str());
    }
    front.with_body("")
}

fn put_profile(front: &mut FrontMatter, profile: &Profile, avatar: Option<&str>) {
    if let Some(address) = avatar {
        front.put_text(AVATAR, address);
    }
    if let Some(hash) = &profile.avatar {
        front.put_own_text(AVATAR, &NodeId::Asset(hash.clone()).to_string());
    }
    if let Some(job_title) = &profile.job_title {
        front.put_text(JOB_TITLE, job_title);
    }
    if !profile.links.is_empty() {
        let link = |link: &ProfileLink| yaml::table([("title", link.title.as_str()), ("url", link.url.as_str())]);
        let links: Vec<String> = profile.links.iter().map(link).collect();
        front.put(LINKS, format!("[{}]", links.join(", ")));
    }
}

fn put_dates(front: &mut FrontMatter, dates: [(&str, Option<Instant>); 3]) {
    for (key, at) in dates {
        if let Some(at) = at {
            front.put(key, at);
        }
    }
}

/// `lang` is the key that Jekyll, Hexo and Astro know.
fn put_language(front: &mut FrontMatter, language: &ImportedLanguage) {
    if let ImportedLanguage::Tag(language) = language {
        front.put_text("lang", language.as_str());
    }
}

fn put_end(front: &mut FrontMatter, at: Option<Instant>) {
    if let Some(at) = at {
        front.put_own_text(UNPUBLISH_AT, &at.to_string());
    }
}

fn put_translations(front: &mut FrontMatter, group: Option<&str>) {
    if let Some(group) = group {
        front.put_own_text(TRANSLATIONS, group);
    }
}

fn put_texts(front: &mut FrontMatter, excerpt: Option<&str>, cover: &ImportedCover) {
    if let Some(excerpt) = excerpt {
        front.put_text("summary", excerpt);
    }
    match cover {
        ImportedCover::File { address, alt: Some(alt), .. } => {
            front.put("cover", yaml::table([("image", address.as_str()), ("alt", alt.as_str())]));
        }
        ImportedCover::File { address, alt: None, .. } => front.put_text("cover", address),
        ImportedCover::Asset(_) | ImportedCover::None | ImportedCover::Unknown => {}
    }
}

fn put_own(
    front: &mut FrontMatter,
    id: Option<&str>,
    version: Option<i32>,
    of_export: Option<&OfExport>,
    cover: &ImportedCover,
) {
    if let Some(id) = id {
        front.put_own_text("id", id);
    }
    if let Some(version) = version {
        front.put_own("version", version);
    }
    let OfExport { origin, asset_base } = of_export.cloned().unwrap_or_default();
    for (key, text) in [("origin", origin), ("assets", asset_base)] {
        if let Some(text) = text {
            front.put_own_text(key, &text);
        }
    }
    if let ImportedCover::Asset(hash) = cover {
        front.put_own_text("cover", &NodeId::Asset(hash.clone()).to_string());
    }
}

/// The slugs of the terms whose names are ambiguous.
fn put_slugs(front: &mut FrontMatter, list: &str, terms: &[Term]) {
    let unclear = terms.iter().filter_map(|term| Some((term.name.as_str(), term.slug.as_ref()?.as_str())));
    let unclear: Vec<_> = unclear.collect();
    if !unclear.is_empty() {
        front.put_own(list, yaml::table(unclear));
    }
}
