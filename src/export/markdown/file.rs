//! Writes the text of each file of an export. The rule: a text is returned only if the import reads the same object from it.

use crate::import::{
    AVATAR, ImportedCover, ImportedLanguage, ImportedPost, ImportedTerm, JOB_TITLE, LINKS, PARENT, PagePlace,
    ReadOutcome, SERIES_ORDER, TRANSLATIONS, UNPUBLISH_AT, read_markdown_file,
};
use crate::model::{Enclosure, NodeId, PagePath, Profile, ProfileLink, Slug};

use super::front_matter::FrontMatter;
use super::metadata::{self, Layout};
use super::yaml;

/// The text of a post, or of a page at this place, with the plainest layout of the metadata that the import reads correctly; `None` if it reads none correctly.
pub(super) fn of_post(path: &str, post: &ImportedPost, place: Option<&PagePlace>) -> Option<String> {
    let kind = if place.is_some() { "page" } else { "post" };
    let is_read = |text: &String| match read_markdown_file(path, text.clone().into_bytes()) {
        ReadOutcome::Post(read, _) => place.is_none() && *read == *post,
        ReadOutcome::Page(read, _) => place == Some(&read.place) && read.post == *post,
        _ => false,
    };
    metadata::layouts(kind, post.metadata.as_ref()).map(|layout| text_of(kind, post, place, &layout)).find(is_read)
}

/// `None` if the import would not read the term from its text. `avatar`: the address of the picture of an author, if the folder contains it.
pub(super) fn of_term(path: &str, term: &ImportedTerm, avatar: Option<&str>) -> Option<String> {
    let text = text_of_term(term, avatar);
    let read = read_markdown_file(path, text.clone().into_bytes());
    matches!(read, ReadOutcome::Term(read, _) if *read == *term).then_some(text)
}

fn text_of(kind: &str, post: &ImportedPost, place: Option<&PagePlace>, layout: &Layout) -> String {
    let mut front = FrontMatter::of(kind);
    let address = |path: &PagePath| format!("/{path}/");
    front.put_text("title", &post.title);
    front.put_some("subtitle", post.subtitle.as_deref());
    front.put_some("slug", post.slug.as_deref());
    front.put_some("url", place.map(|place| address(&place.path)).as_deref());
    for (key, at) in [("date", post.published_at), ("lastmod", post.updated_at), ("created", post.created_at)] {
        at.into_iter().for_each(|at| front.put(key, at));
    }
    if post.is_draft {
        front.put("draft", true);
    }
    for (kind, terms) in post.term_lists() {
        front.put_list(kind.plural(), terms.iter().map(|term| term.name.as_str()));
    }
    post.series_position.into_iter().for_each(|position| front.put(SERIES_ORDER, position));
    // Jekyll, Hexo and Astro know the key `lang`.
    if let ImportedLanguage::Tag(language) = &post.language {
        front.put_text("lang", language.as_str());
    }
    if post.is_featured == Some(true) {
        front.put("featured", true);
    }
    front.put_some("summary", post.excerpt.as_deref());
    put_cover(&mut front, &post.cover);
    if let Some(Enclosure { url, byte_size, content_type }) = &post.enclosure {
        let length = byte_size.map(|bytes| bytes.to_string());
        let pairs = [("url", Some(url)), ("length", length.as_ref()), ("type", Some(content_type))];
        let pairs = pairs.into_iter().filter_map(|(key, text)| Some((key, text?.as_str())));
        front.put("enclosure", yaml::table(pairs));
    }
    let former: Vec<String> = match place {
        Some(place) => place.former_paths.iter().map(address).collect(),
        None => post.former_slugs.iter().map(Slug::to_string).collect(),
    };
    front.put_list("aliases", former.iter().map(String::as_str));
    put_own(&mut front, post, place.and_then(|place| place.order));
    layout.put_into(&mut front);
    front.with_body(&post.markdown)
}

/// The table that only an import reads. `order`: the position of a page, unless a key for generators contains it.
fn put_own(front: &mut FrontMatter, post: &ImportedPost, order: Option<i32>) {
    front.put_own_id(post.id.as_deref(), post.version);
    let of_export = post.of_export.as_ref();
    front.put_own_some("origin", of_export.and_then(|export| export.origin.as_deref()));
    front.put_own_some("assets", of_export.and_then(|export| export.asset_base.as_deref()));
    if let ImportedCover::Asset(hash) = &post.cover {
        front.put_own_some("cover", Some(&NodeId::Asset(hash.clone()).to_string()));
    }
    front.put_own_some(TRANSLATIONS, post.translations.as_deref());
    front.put_own_some(UNPUBLISH_AT, post.unpublish_at.map(|at| at.to_string()).as_deref());
    for (kind, terms) in post.term_lists() {
        // The slugs of terms whose names are ambiguous.
        let unclear = terms.iter().filter_map(|term| Some((term.name.as_str(), term.slug.as_ref()?.as_str())));
        let unclear: Vec<_> = unclear.collect();
        if !unclear.is_empty() {
            front.put_own(kind.plural(), yaml::table(unclear));
        }
    }
    match order {
        // Hugo reads the weight 0 as no weight.
        Some(order) if order != 0 && order.unsigned_abs() < 1_000_000_000 => front.put("weight", order),
        Some(order) => front.put_own("order", order),
        None => {}
    }
}

fn text_of_term(term: &ImportedTerm, avatar: Option<&str>) -> String {
    let mut front = FrontMatter::of(term.kind.noun());
    front.put_text("title", &term.name);
    front.put_some("slug", term.slug.as_ref().map(Slug::as_str));
    front.put_some("description", term.description.as_deref());
    front.put_some("website", term.url.as_deref());
    put_profile(&mut front, &term.profile, avatar);
    front.put_list("aliases", term.former_slugs.iter().map(Slug::as_str));
    front.put_own_id(term.node_id.as_ref().map(ToString::to_string).as_deref(), Some(term.version));
    front.put_own_some(PARENT, term.parent.as_ref().map(Slug::as_str));
    front.with_body("")
}

fn put_profile(front: &mut FrontMatter, profile: &Profile, avatar: Option<&str>) {
    front.put_some(AVATAR, avatar);
    front.put_own_some(AVATAR, profile.avatar.clone().map(|hash| NodeId::Asset(hash).to_string()).as_deref());
    front.put_some(JOB_TITLE, profile.job_title.as_deref());
    if !profile.links.is_empty() {
        let link = |link: &ProfileLink| yaml::table([("title", link.title.as_str()), ("url", link.url.as_str())]);
        let links: Vec<String> = profile.links.iter().map(link).collect();
        front.put(LINKS, format!("[{}]", links.join(", ")));
    }
}

fn put_cover(front: &mut FrontMatter, cover: &ImportedCover) {
    match cover {
        ImportedCover::File { address, alt: Some(alt), .. } => {
            front.put("cover", yaml::table([("image", address.as_str()), ("alt", alt.as_str())]));
        }
        ImportedCover::File { address, alt: None, .. } => front.put_text("cover", address),
        ImportedCover::Asset(_) | ImportedCover::None | ImportedCover::Unknown => {}
    }
}
