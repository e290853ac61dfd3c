//! Each format is read by a library that requires what its specification requires.

use serde_json::{Value, json};
use tidings::model::Enclosure;

use super::{ADDRESS, asset_path, serve, settings, text, three_posts};
use crate::support::site::{Site, instant, post};

/// What a feed says of a post: its id, address, title, HTML and terms.
type Entry = (String, String, String, String, Vec<String>);

/// The enclosures of the three posts: the address, the bytes and the type.
fn enclosures() -> [Option<(String, String, String)>; 3] {
    let of = |url: String, bytes: &str, kind: &str| Some((url, bytes.to_owned(), kind.to_owned()));
    let own = format!("{}{}", ADDRESS.trim_end_matches('/'), asset_path());
    [of("https://cdn.example/a.mp3?b&c".to_owned(), "9", "audio/mpeg"), of(own, "7", "audio/ogg"), None]
}

/// What GraphQL says of the posts, in the words of a feed.
async fn expected(site: &Site) -> Vec<Entry> {
    let query = "{ posts { nodes { id slug title createdAt body { html } categories { name } tags { name } } } }";
    let data = site.query(query).await;
    let nodes = data["posts"]["nodes"].as_array().expect("posts");
    let entries = nodes.iter().map(|node| {
        let text = |name: &str| node[name].as_str().expect("a text").to_owned();
        let names = |list: &str| node[list].as_array().expect("terms").clone();
        let terms = [names("categories"), names("tags")].concat();
        let name = |term: &Value| term["name"].as_str().expect("a name").to_owned();
        (
            format!("tag:blog.example,{}:{}", &text("createdAt")[..10], text("id")),
            format!("{ADDRESS}posts/{}", text("slug")),
            text("title"),
            node["body"]["html"].as_str().expect("HTML").to_owned(),
            terms.iter().map(name).collect(),
        )
    });
    entries.collect()
}

/// RSS and JSON Feed have no base for relative links.
fn with_absolute_links(entries: Vec<Entry>) -> Vec<Entry> {
    let absolute = |html: String| {
        let html = html.replace("href=\"/relative\"", "href=\"https://blog.example/relative\"");
        html.replace("href=\"#x\"", "href=\"https://blog.example/posts/post-1#x\"")
            .replace("src=\"a.png?b&amp;c\"", "src=\"https://blog.example/posts/a.png?b&amp;c\"")
    };
    entries.into_iter().map(|(id, address, title, html, terms)| (id, address, title, absolute(html), terms)).collect()
}

/// XML cannot contain some characters of a title; JSON can.
fn as_xml(entries: Vec<Entry>) -> Vec<Entry> {
    let replaced = |text: String| text.replace(['\u{1}', '\u{b}', '\u{fffe}'], "\u{fffd}");
    entries.into_iter().map(|(id, address, title, html, terms)| (id, address, replaced(title), html, terms)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn atom_has_what_its_specification_requires() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[("name", "Night & Sky"), ("description", "Notes"), ("language", "en")]));
    let text = text(&server, "/feed.xml").await;
    let feed: atom_syndication::Feed = text.parse().unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!((feed.id(), feed.title().as_str()), ("https://blog.example/feed.xml", "Night & Sky"));
    assert_eq!((feed.subtitle().map(|text| text.as_str()), feed.lang()), (Some("Notes"), Some("en")));
    assert_eq!(feed.authors()[0].name(), "Night & Sky", "an entry without an author has this one");
    let links: Vec<_> = feed.links().iter().map(|link| (link.rel(), link.href())).collect();
    assert_eq!(links, [("self", "https://blog.example/feed.xml"), ("alternate", ADDRESS)]);
    let entries = feed.entries().iter().map(|entry| {
        let content = entry.content().expect("a content");
        assert_eq!(content.content_type(), Some("html"));
        assert_eq!(content.base(), Some(entry.links()[0].href()), "relative links are those of the post");
        assert!(entry.updated() >= entry.published().expect("published"), "{entry:?}");
        (
            entry.id().to_owned(),
            entry.links()[0].href().to_owned(),
            entry.title().as_str().to_owned(),
            content.value().expect("a value").to_owned(),
            entry.categories().iter().map(|category| category.label().expect("a label").to_owned()).collect(),
        )
    });
    assert_eq!(entries.collect::<Vec<Entry>>(), as_xml(expected(&site).await));
    let files = feed.entries().iter().map(|entry| {
        let link = entry.links().iter().find(|link| link.rel() == "enclosure")?;
        Some((link.href().to_owned(), link.length()?.to_owned(), link.mime_type()?.to_owned()))
    });
    assert_eq!(files.collect::<Vec<_>>(), enclosures());
    let names: Vec<_> = feed.entries()[0].authors().iter().map(|author| (author.name(), author.uri())).collect();
    let uri = |slug: &str| format!("{ADDRESS}authors/{slug}");
    let (ada, grace) = (uri("ada"), uri("grace"));
    assert_eq!(names, [("The author ada", Some(ada.as_str())), ("The author grace", Some(grace.as_str()))]);
    assert_eq!(feed.updated(), feed.entries()[0].updated(), "the newest of all");
    let marked: Vec<&str> = text.split("<entry").skip(1).map(|entry| entry.split('>').next().expect("a tag")).collect();
    assert_eq!(marked, [" xml:lang=\"pt-BR\"", "", ""], "a language of its own");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rss_passes_its_validator() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[("language", "pt-BR")]));
    let text = text(&server, "/rss.xml").await;
    let channel = rss::Channel::read_from(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    rss::validation::Validate::validate(&channel).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!((channel.title(), channel.link(), channel.language()), ("blog.example", ADDRESS, Some("pt-BR")));
    let entries = channel.items().iter().map(|item| {
        let guid = item.guid().expect("a guid");
        assert!(!guid.is_permalink());
        (
            guid.value().to_owned(),
            item.link().expect("a link").to_owned(),
            item.title().expect("a title").to_owned(),
            item.content().expect("a content").to_owned(),
            item.categories().iter().map(|category| category.name().to_owned()).collect(),
        )
    });
    // The library trims texts.
    let trimmed = |mut entry: Entry| {
        entry.3.truncate(entry.3.trim_end().len());
        entry
    };
    let expected = with_absolute_links(as_xml(expected(&site).await)).into_iter().map(trimmed);
    assert_eq!(entries.collect::<Vec<Entry>>(), expected.collect::<Vec<_>>());
    let files = channel.items().iter().map(|item| {
        let file = item.enclosure()?;
        Some((file.url().to_owned(), file.length().to_owned(), file.mime_type().to_owned()))
    });
    assert_eq!(files.collect::<Vec<_>>(), enclosures());
    // A description is HTML for every reader.
    assert_eq!(channel.items()[2].description(), Some("&lt;/entry&gt; &amp;amp; \u{fffd}"));
    assert_eq!(channel.items()[0].pub_date(), Some("Wed, 01 Apr 2026 10:00:00 GMT"));
    assert_eq!(
        channel.items()[0].dublin_core_ext().expect("creators").creators(),
        ["The author ada", "The author grace"]
    );
    let languages = channel.items().iter().map(|item| item.dublin_core_ext().map_or(&[][..], |dc| dc.languages()));
    assert_eq!(languages.collect::<Vec<_>>(), [&["pt-BR".to_owned()][..], &[], &[]]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_json_feed_has_the_same_entries() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    let text = text(&server, "/feed.json").await;
    feed_rs::parser::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"));
    let feed: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(feed["version"], "https://jsonfeed.org/version/1.1");
    assert_eq!(
        (&feed["home_page_url"], &feed["feed_url"]),
        (&json!(ADDRESS), &json!("https://blog.example/feed.json"))
    );
    let files = feed["items"].as_array().expect("items").iter().map(|item| {
        let file = item.get("attachments")?.as_array()?.first()?;
        let text = |name: &str| file[name].as_str().expect("a text").to_owned();
        Some((text("url"), file.get("size_in_bytes")?.to_string(), text("mime_type")))
    });
    assert_eq!(files.collect::<Vec<_>>(), enclosures());
    let languages: Vec<_> = feed["items"].as_array().expect("items").iter().map(|item| item.get("language")).collect();
    assert_eq!(languages, [Some(&json!("pt-BR")), None, None]);
    let items = feed["items"].as_array().expect("items").iter().map(|item| {
        let text = |name: &str| item[name].as_str().expect("a text").to_owned();
        let tags = item["tags"].as_array().expect("tags").iter();
        let tags = tags.map(|tag| tag.as_str().expect("a text").to_owned()).collect();
        (text("id"), text("url"), text("title"), text("content_html"), tags)
    });
    assert_eq!(items.collect::<Vec<Entry>>(), with_absolute_links(expected(&site).await));
}

/// Readers of feeds are lenient in other ways than writers are strict, so a reader of all formats reads each too.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_reader_reads_the_same_from_each_format() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    let mut read = Vec::new();
    for path in ["/feed.xml", "/rss.xml", "/feed.json"] {
        let text = text(&server, path).await;
        let feed = feed_rs::parser::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{path}: {error}: {text}"));
        let entries = feed.entries.into_iter().map(|entry| (entry.id, entry.links[0].href.clone(), entry.published));
        read.push(entries.collect::<Vec<_>>());
    }
    assert_eq!(read[0].len(), 3);
    assert!(read.iter().all(|entries| *entries == read[0]), "{read:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_of_excerpts_has_no_bodies() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[("feed_content", "excerpt"), ("feed_posts", "2")]));
    let atom: atom_syndication::Feed = text(&server, "/feed.xml").await.parse().expect("Atom");
    assert_eq!(atom.entries().len(), 2);
    for entry in atom.entries() {
        assert!(entry.content().is_none() && entry.summary().is_some(), "{entry:?}");
    }
    let json: Value = serde_json::from_str(&text(&server, "/feed.json").await).expect("JSON");
    assert_eq!(json["items"][0]["content_text"], "The opening of post 2.");
    let rss = rss::Channel::read_from(text(&server, "/rss.xml").await.as_bytes()).expect("RSS");
    assert_eq!((rss.items()[0].content(), rss.items()[0].description()), (None, Some("The opening of post 2.")));
}

/// RSS requires a length; the practice is 0 if it is not known.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_enclosure_of_an_unknown_size_has_none_except_in_rss() {
    let site = Site::in_memory().await;
    let mut post = post(1, instant("2026-03-01T10:00:00Z"));
    post.post.enclosure = Enclosure::of("https://cdn.example/a.mp3", None, None).ok();
    site.publish(&[post]).await;
    let server = serve(&site, settings(&[]));
    let [atom, rss, json] =
        [text(&server, "/feed.xml").await, text(&server, "/rss.xml").await, text(&server, "/feed.json").await];
    assert!(atom.contains("rel=\"enclosure\"") && !atom.contains("length="), "{atom}");
    assert!(rss.contains("<enclosure url=\"https://cdn.example/a.mp3\" length=\"0\" type=\"audio/mpeg\"/>"), "{rss}");
    assert!(json.contains("\"attachments\":[{") && !json.contains("size_in_bytes"), "{json}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_site_without_posts_has_valid_feeds() {
    let site = Site::in_memory().await;
    let server = serve(&site, settings(&[]));
    let atom: atom_syndication::Feed = text(&server, "/feed.xml").await.parse().expect("Atom");
    assert_eq!((atom.entries().len(), atom.updated().timestamp()), (0, 0));
    let rss = rss::Channel::read_from(text(&server, "/rss.xml").await.as_bytes()).expect("RSS");
    rss::validation::Validate::validate(&rss).expect("valid");
    feed_rs::parser::parse(text(&server, "/feed.json").await.as_bytes()).expect("a feed");
}
