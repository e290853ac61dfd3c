//! RSS 2.0, with the elements of other namespaces that feed readers use: `atom:link`, `content:encoded`, `dc:creator` and `dc:language`.
//! The rule: its entries contain the same information as those of Atom.

use chrono::{DateTime, Utc};

use super::content::{Feed, Post};
use super::links::Links;
use super::xml::Xml;

pub(super) fn write(feed: &Feed<'_>, links: &Links<'_>) -> Vec<u8> {
    let mut xml = Xml::new();
    let attributes = [
        ("version", "2.0"),
        ("xmlns:atom", "http://www.w3.org/2005/Atom"),
        ("xmlns:content", "http://purl.org/rss/1.0/modules/content/"),
        ("xmlns:dc", "http://purl.org/dc/elements/1.1/"),
    ];
    xml.element("rss", &attributes, |xml| {
        xml.element("channel", &[], |xml| {
            xml.text("title", &feed.title);
            xml.text("link", &feed.page);
            // A channel must have a description.
            xml.text("description", &as_html(feed.description.unwrap_or(&feed.title)));
            if let Some(language) = &links.site.language {
                xml.text("language", language);
            }
            xml.text("lastBuildDate", &instant(feed.updated_at()));
            xml.text("generator", concat!("Tidings ", env!("CARGO_PKG_VERSION")));
            xml.empty("atom:link", &[("rel", "self"), ("type", "application/rss+xml"), ("href", &feed.address)]);
            for post in feed.posts {
                xml.element("item", &[], |xml| item(xml, post, links));
            }
        });
    });
    xml.finish()
}

fn item(xml: &mut Xml, post: &Post, links: &Links<'_>) {
    xml.text("title", &post.title);
    xml.text("link", &links.post(post));
    xml.text_with("guid", &[("isPermaLink", "false")], &links.id(post));
    xml.text("pubDate", &instant(post.published_at));
    // `author` must be an e-mail address, which the server does not know.
    for author in &post.authors {
        xml.text("dc:creator", &author.name);
    }
    if let Some(language) = &post.language {
        xml.text("dc:language", language);
    }
    for term in post.categories.iter().chain(&post.tags) {
        xml.text("category", &term.name);
    }
    if !post.excerpt.is_empty() {
        xml.text("description", &as_html(&post.excerpt));
    }
    if let Some(body) = &post.body {
        xml.text("content:encoded", &links.absolute_body(post, &body.html));
    }
}

/// Escapes plain text as HTML, because feed readers read every description as HTML.
fn as_html(text: &str) -> String {
    quick_xml::escape::partial_escape(text).into_owned()
}

/// RFC 822 with a year of four digits, as RSS requires it.
fn instant(at: DateTime<Utc>) -> String {
    at.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}
