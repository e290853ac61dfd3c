//! Reads one file of a Medium export: a story, or a response to one. The rule: the file's microformat (`h-entry`) identifies its parts; a file that
//! is cut off is refused.

use crate::found::{Item, NotImported, ReadItem};
use crate::html::{Element, HtmlParts};
use crate::media::Media;
use crate::title::title_of;
use crate::{ImportedCover, ImportedPost, Term, dates, paths};
use tidings_model::Slug;

use super::body::{self, Body};

/// The prefix of the names of files with drafts.
const DRAFT: &str = "draft_";
/// The minimum digits of an id in an address; older stories have fewer than 12.
const ID_DIGITS_MIN: usize = 8;

const RESPONSE: &str =
    "has neither a title of its own nor a heading, so it is a response to another story, which is not imported";

struct Story {
    html: HtmlParts,
    article: Element,
    body: Element,
}

/// `name`: the file name without its folder.
pub(super) fn read(name: &str, text: &str, media: &Media) -> ReadItem {
    let story = Story::of(text)?;
    let is_draft = name.starts_with(DRAFT);
    let canonical = story.with_class("p-canonical").and_then(|link| link.attribute("href")).map(str::to_owned);
    let published = story.with_class("dt-published").and_then(|time| dates::parse(time.attribute("datetime")?));
    if !is_draft && published.is_none() {
        return Err(NotImported::UNDATED.into());
    }
    let given = story.text("p-name");
    let summary = story.text("p-summary");
    if !is_draft && summary.is_empty() && body::is_response(&story.html, &story.body, &given) {
        return Err(NotImported::Skipped(RESPONSE.to_owned()));
    }
    let (authors, tags) = (story.author().into_iter().collect(), story.tags());
    let id = id_of(name, canonical.as_deref());
    let slug = canonical.as_deref().and_then(slug_of);
    let aliases = if is_draft { Vec::new() } else { old_addresses(canonical, id.as_deref()) };
    let has_file = |address: &str| media.file_of(address).is_some_and(|file| file.is_ok());
    let Body { title, text, cover, notes } = body::read(story.html, &story.body, &given, has_file);
    // Without the picture files, a post keeps its cover.
    let none = if media.exists() { ImportedCover::None } else { ImportedCover::Unknown };
    let post = ImportedPost {
        origin: format!("medium:{}", id.as_deref().unwrap_or_else(|| name.trim_end_matches(".html"))),
        title: title_of(title, "", slug.as_deref()),
        slug,
        excerpt: Some(summary).filter(|text| !text.is_empty()),
        markdown: text,
        authors,
        tags,
        published_at: published.filter(|_| !is_draft),
        created_at: published.filter(|_| is_draft),
        is_draft,
        aliases,
        cover: cover.unwrap_or(none),
        ..ImportedPost::default()
    };
    Ok(Item { post, page: None, notes })
}

impl Story {
    fn of(text: &str) -> Result<Self, &'static str> {
        let html = HtmlParts::read(text).ok_or("its HTML is nested too deeply to be read")?;
        let article = html.elements().find(|element| element.has_class("h-entry")).cloned();
        let article =
            article.ok_or("has no <article class=\"h-entry\">, so it is no story of Medium; is it damaged?")?;
        if !article.is_closed {
            return Err("the file ends before its article does, so export the stories again");
        }
        let body = html.inside(&article).find(|element| element.has_class("e-content")).cloned();
        let body = body.ok_or("has no <section class=\"e-content\">, so it has no body; is it damaged?")?;
        Ok(Self { html, article, body })
    }

    /// The first element of this class outside the body, whose content the author controls.
    fn with_class(&self, class: &str) -> Option<&Element> {
        self.outside_of_body().find(|element| element.has_class(class))
    }

    fn outside_of_body(&self) -> impl Iterator<Item = &Element> {
        self.html.inside(&self.article).filter(move |element| !self.body.parts.contains(&element.parts.start))
    }

    fn text(&self, class: &str) -> String {
        self.with_class(class).map_or_else(String::new, |element| self.html.text(element))
    }

    /// The author's displayed name; the slug is the account name.
    fn author(&self) -> Option<Term> {
        let link = self.with_class("p-author")?;
        let account = link.attribute("href").and_then(|address| address.rsplit_once("/@")).map(|(_, account)| account);
        let slug = account.and_then(|account| Slug::from_name(account.split(['?', '#', '/']).next()?));
        let name = Some(self.html.text(link)).filter(|name| !name.is_empty());
        let name = name.or_else(|| slug.as_ref().map(ToString::to_string))?;
        Some(Term { name, slug })
    }

    /// The tags, which exports contained until 2019.
    fn tags(&self) -> Vec<Term> {
        let mut tags: Vec<Term> = Vec::new();
        for link in self.outside_of_body().filter(|element| element.has_class("p-tag")) {
            let term = Term {
                name: self.html.text(link),
                slug: link.attribute("href").and_then(paths::last_part).as_deref().and_then(Slug::from_name),
            };
            if !term.name.is_empty() && !tags.contains(&term) {
                tags.push(term);
            }
        }
        tags
    }
}

/// The id at the end of a story's file name and address, which is the same for a draft and its published story.
fn id_of(name: &str, canonical: Option<&str>) -> Option<String> {
    let stem = name.strip_suffix(".html").unwrap_or(name);
    let of = |text: &str| Some(text.rsplit(['-', '_']).next()?).filter(|id| is_id(id)).map(str::to_owned);
    of(stem).or_else(|| of(&paths::last_part(canonical?)?))
}

fn is_id(text: &str) -> bool {
    text.len() >= ID_DIGITS_MIN && text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'))
}

/// The words of the address, without the id at its end.
fn slug_of(canonical: &str) -> Option<String> {
    let last = paths::last_part(canonical)?;
    let words = last.rsplit_once('-').filter(|(_, id)| is_id(id)).map(|(words, _)| words.to_owned());
    let words = words.or_else(|| (!is_id(&last)).then(|| last.clone()));
    words.filter(|words| !words.is_empty())
}

/// The address of a story, and the short address that Medium gives to each.
fn old_addresses(canonical: Option<String>, id: Option<&str>) -> Vec<String> {
    let short = id.map(|id| format!("/p/{id}"));
    canonical.into_iter().chain(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_at_the_end_of_the_name_or_of_the_address() {
        let address = "https://medium.com/@ada/on-time-0123456789ab";
        for (name, id) in [
            ("2019-05-01_On-time-abcdef012345.html", Some("abcdef012345")),
            ("draft_abcdef012345.html", Some("abcdef012345")),
            ("on time.html", Some("0123456789ab")),
        ] {
            assert_eq!(id_of(name, Some(address)).as_deref(), id, "{name}");
        }
        assert_eq!(id_of("a-decade.html", None), None);
    }

    #[test]
    fn the_slug_is_the_address_without_the_id() {
        for (address, slug) in [
            ("https://medium.com/@ada/on-time-0123456789ab", Some("on-time")),
            ("https://blog.example/on-time-0123456789ab?source=x", Some("on-time")),
            ("https://medium.com/@ada/0123456789ab", None),
            ("https://elsewhere.example/on-time/", Some("on-time")),
            ("https://medium.com/p/%E5%8C%97-0123456789ab", Some("北")),
        ] {
            assert_eq!(slug_of(address).as_deref(), slug, "{address}");
        }
    }
}
