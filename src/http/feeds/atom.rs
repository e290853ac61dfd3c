//! Atom (RFC 4287). The rule: the id of an entry depends on nothing that can change, so that feed readers show no post twice.

use chrono::{DateTime, SecondsFormat, Utc};

use super::content::{Feed, Post};
use super::links::Links;
use super::xml::Xml;

pub(super) fn write(feed: &Feed<'_>, links: &Links<'_>) -> Vec<u8> {
    let mut xml = Xml::new();
    let language = links.site.language.as_deref();
    let namespace = [("xmlns", "http://www.w3.org/2005/Atom")];
    let attributes: Vec<_> = namespace.into_iter().chain(language.map(|language| ("xml:lang", language))).collect();
    xml.element("feed", &attributes, |xml| {
        xml.text("id", &feed.address);
        xml.text("title", &feed.title);
        if let Some(description) = feed.description {
            xml.text("subtitle", description);
        }
        xml.text("updated", &instant(feed.updated_at()));
        xml.empty("link", &[("rel", "self"), ("type", "application/atom+xml"), ("href", &feed.address)]);
        xml.empty("link", &[("rel", "alternate"), ("type", "text/html"), ("href", &feed.page)]);
        // Entries without authors inherit this one.
        xml.element("author", &[], |xml| xml.text("name", &links.site.name));
        xml.text_with("generator", &[("version", env!("CARGO_PKG_VERSION"))], "Tidings");
        for post in feed.posts {
            let language = post.language.as_deref().map(|language| ("xml:lang", language));
            xml.element("entry", language.as_slice(), |xml| entry(xml, post, links));
        }
    });
    xml.finish()
}

fn entry(xml: &mut Xml, post: &Post, links: &Links<'_>) {
    let address = links.post(post);
    xml.text("id", &links.id(post));
    xml.text("title", &post.title);
    xml.text("published", &instant(post.published_at));
    xml.text("updated", &instant(post.changed_at()));
    xml.empty("link", &[("rel", "alternate"), ("type", "text/html"), ("href", &address)]);
    for author in &post.authors {
        xml.element("author", &[], |xml| {
            xml.text("name", &author.name);
            xml.text("uri", &links.author_page(author));
        });
    }
    for term in post.categories.iter().chain(&post.tags) {
        xml.empty("category", &[("term", &term.slug), ("label", &term.name)]);
    }
    if !post.excerpt.is_empty() {
        xml.text("summary", &post.excerpt);
    }
    if let Some(body) = &post.body {
        // `xml:base` is the base of relative links in the body.
        xml.text_with("content", &[("type", "html"), ("xml:base", &address)], &body.html);
    }
}

/// RFC 3339, as Atom requires.
fn instant(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}
