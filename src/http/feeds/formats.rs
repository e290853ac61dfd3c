//! The formats of feeds. The rule: the entries of all formats contain the same information.

use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};

use super::content::{Feed, Links, Post};
use super::xml::Xml;

/// Atom (RFC 4287). The id of an entry depends on nothing that can change, so that feed readers show no post twice.
pub(super) fn atom(feed: &Feed<'_>, links: &Links<'_>) -> Vec<u8> {
    let mut xml = Xml::new();
    let namespace = [("xmlns", "http://www.w3.org/2005/Atom")];
    let attributes: Vec<_> =
        namespace.into_iter().chain(feed.language.map(|language| ("xml:lang", language))).collect();
    xml.element("feed", &attributes, |xml| {
        xml.text("id", &feed.address);
        xml.text("title", &feed.title);
        if let Some(description) = feed.description {
            xml.text("subtitle", description);
        }
        xml.text("updated", &rfc_3339(feed.updated_at()));
        xml.empty("link", &[("rel", "self"), ("type", "application/atom+xml"), ("href", &feed.address)]);
        xml.empty("link", &[("rel", "alternate"), ("type", "text/html"), ("href", &feed.page)]);
        // Entries without authors inherit this one.
        xml.element("author", &[], |xml| xml.text("name", &links.site.name));
        xml.text_with("generator", &[("version", env!("CARGO_PKG_VERSION"))], "Tidings");
        for post in feed.posts {
            let language = post.language.as_deref().map(|language| ("xml:lang", language));
            xml.element("entry", language.as_slice(), |xml| atom_entry(xml, post, links));
        }
    });
    xml.finish()
}

fn atom_entry(xml: &mut Xml, post: &Post, links: &Links<'_>) {
    let address = links.post(post);
    xml.text("id", &links.id(post));
    xml.text("title", &post.title);
    xml.text("published", &rfc_3339(post.published_at));
    xml.text("updated", &rfc_3339(post.changed_at()));
    xml.empty("link", &[("rel", "alternate"), ("type", "text/html"), ("href", &address)]);
    if let Some(enclosure) = &post.enclosure {
        let (href, length) = (links.enclosure(post, enclosure), enclosure.byte_size.map(|bytes| bytes.to_string()));
        let mut link = vec![("rel", "enclosure"), ("type", enclosure.content_type.as_str()), ("href", href.as_str())];
        link.extend(length.as_ref().map(|length| ("length", length.as_str())));
        xml.empty("link", &link);
    }
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
        // The attribute `xml:base` is the base of relative links in the body.
        xml.text_with("content", &[("type", "html"), ("xml:base", &address)], &body.html);
    }
}

fn rfc_3339(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// RSS 2.0, with the elements of other namespaces that feed readers use: `atom:link`, `content:encoded`, `dc:creator` and `dc:language`.
pub(super) fn rss(feed: &Feed<'_>, links: &Links<'_>) -> Vec<u8> {
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
            if let Some(language) = feed.language {
                xml.text("language", language);
            }
            xml.text("lastBuildDate", &rfc_822(feed.updated_at()));
            xml.text("generator", concat!("Tidings ", env!("CARGO_PKG_VERSION")));
            xml.empty("atom:link", &[("rel", "self"), ("type", "application/rss+xml"), ("href", &feed.address)]);
            for post in feed.posts {
                xml.element("item", &[], |xml| rss_item(xml, post, links));
            }
        });
    });
    xml.finish()
}

fn rss_item(xml: &mut Xml, post: &Post, links: &Links<'_>) {
    xml.text("title", &post.title);
    xml.text("link", &links.post(post));
    xml.text_with("guid", &[("isPermaLink", "false")], &links.id(post));
    xml.text("pubDate", &rfc_822(post.published_at));
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
    if let Some(enclosure) = &post.enclosure {
        // A length is required; 0 if it is unknown.
        let (url, length) = (links.enclosure(post, enclosure), enclosure.byte_size.unwrap_or_default().to_string());
        xml.empty("enclosure", &[("url", &url), ("length", &length), ("type", &enclosure.content_type)]);
    }
    if let Some(body) = &post.body {
        xml.text("content:encoded", &links.absolute_body(post, &body.html));
    }
}

/// Escapes plain text as HTML, because feed readers read every description as HTML.
fn as_html(text: &str) -> String {
    quick_xml::escape::partial_escape(text).into_owned()
}

/// RFC 822, with a year of four digits, as RSS requires it.
fn rfc_822(at: DateTime<Utc>) -> String {
    at.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// JSON Feed 1.1.
pub(super) fn json_feed(feed: &Feed<'_>, links: &Links<'_>) -> Vec<u8> {
    let mut written = json!({
        "version": "https://jsonfeed.org/version/1.1",
        "title": feed.title,
        "home_page_url": feed.page,
        "feed_url": feed.address,
        "items": feed.posts.iter().map(|post| json_item(post, links)).collect::<Vec<_>>(),
    });
    if let Some(description) = feed.description {
        written["description"] = json!(description);
    }
    if let Some(language) = feed.language {
        written["language"] = json!(language);
    }
    serde_json::to_vec(&written).expect("its keys are texts")
}

fn json_item(post: &Post, links: &Links<'_>) -> Value {
    let authors = post.authors.iter().map(|author| json!({ "name": author.name, "url": links.author_page(author) }));
    let mut written = json!({
        "id": links.id(post),
        "url": links.post(post),
        "title": post.title,
        "summary": post.excerpt,
        "date_published": rfc_3339(post.published_at),
        "date_modified": rfc_3339(post.changed_at()),
        "authors": authors.collect::<Vec<_>>(),
        "tags": post.categories.iter().chain(&post.tags).map(|term| &term.name).collect::<Vec<_>>(),
    });
    if let Some(language) = &post.language {
        written["language"] = json!(language);
    }
    if let Some(enclosure) = &post.enclosure {
        let mut file = json!({ "url": links.enclosure(post, enclosure), "mime_type": enclosure.content_type });
        if let Some(bytes) = enclosure.byte_size {
            file["size_in_bytes"] = json!(bytes);
        }
        written["attachments"] = json!([file]);
    }
    // An item must have a content.
    match &post.body {
        Some(body) => written["content_html"] = json!(links.absolute_body(post, &body.html)),
        None => written["content_text"] = json!(post.excerpt),
    }
    written
}
