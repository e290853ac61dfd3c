//! Feeds over HTTP: what they are of, how long they are cached, and what is refused.

use axum::body::Body;
use axum::http::{Request, header};
use tidings::graphql::fair_use::{FairUseSettings, Rate};
use tidings::graphql::guard::Limits;
use tidings::http::HttpSettings;

use super::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_term_of_each_kind_has_a_feed_of_its_posts() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[("name", "Night"), ("tag_path", "/topics/{slug}.html")]));
    for (folder, slug, title, page) in [
        ("tags", "moon", "The tag moon – Night", "topics/moon.html"),
        ("categories", "field-notes", "The category field-notes – Night", "categories/field-notes"),
        ("authors", "ada", "The author ada – Night", "authors/ada"),
        ("series", "walks", "The series walks – Night", "series/walks"),
    ] {
        let path = format!("/{folder}/{slug}/feed.xml");
        let feed: atom_syndication::Feed = text(&server, &path).await.parse().expect("Atom");
        assert_eq!(feed.title().as_str(), title);
        assert_eq!(feed.id(), format!("https://blog.example{path}"));
        assert_eq!(feed.links()[1].href(), format!("{ADDRESS}{page}"));
        let addresses: Vec<_> = feed.entries().iter().map(|entry| entry.links()[0].href()).collect();
        assert_eq!(addresses, ["https://blog.example/posts/post-2"], "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_language_has_a_feed_of_its_posts() {
    let site = Site::in_memory().await;
    let in_language = |number, language: Option<&str>| {
        let mut post = post(number, instant(&format!("2026-0{number}-01T10:00:00Z")));
        post.post.language = language.map(|tag| tag.parse().expect("a language"));
        post
    };
    site.publish(&[in_language(1, Some("pt-BR")), in_language(2, Some("de")), in_language(3, None)]).await;
    let server = serve(&site, settings(&[("language", "en")]));
    let feed: atom_syndication::Feed = text(&server, "/languages/pt-br/feed.xml").await.parse().expect("Atom");
    let addresses: Vec<_> = feed.entries().iter().map(|entry| entry.links()[0].href()).collect();
    assert_eq!((addresses, feed.lang()), (vec!["https://blog.example/posts/post-1"], Some("pt-BR")));
    assert!(text(&server, "/languages/de/rss.xml").await.contains("<language>de</language>"));
    assert!(text(&server, "/languages/de/feed.json").await.contains("\"language\":\"de\""));
    for path in ["/languages/fr/feed.xml", "/languages/pt-BR/feed.xml", "/languages/english/feed.xml"] {
        assert_eq!(get(&server, path).await.0.status(), 404, "{path}");
    }
}

/// A site with five posts of the series `walks`, one in each month from January on.
async fn five_walks() -> Site {
    let site = Site::in_memory().await;
    let walk = |number| {
        let mut walk = post(number, instant(&format!("2026-0{number}-01T10:00:00Z")));
        walk.post.series = Some(slug("walks"));
        walk
    };
    site.publish(&(1..=5).map(walk).collect::<Vec<_>>()).await;
    site
}

/// The addresses of the entries of the feed of the series `walks`, the same in each format.
async fn entries_of_walks(server: &Router) -> Vec<String> {
    let atom: atom_syndication::Feed = text(server, "/series/walks/feed.xml").await.parse().expect("Atom");
    let of_atom: Vec<_> = atom.entries().iter().map(|entry| entry.links()[0].href().to_owned()).collect();
    let rss = rss::Channel::read_from(text(server, "/series/walks/rss.xml").await.as_bytes()).expect("RSS");
    rss::validation::Validate::validate(&rss).expect("valid RSS");
    let of_rss: Vec<_> = rss.items().iter().map(|item| item.link().expect("a link").to_owned()).collect();
    let json = text(server, "/series/walks/feed.json").await;
    let json = feed_rs::parser::parse(json.as_bytes()).unwrap_or_else(|error| panic!("{error}: {json}"));
    let of_json: Vec<_> = json.entries.iter().map(|entry| entry.links[0].href.clone()).collect();
    assert_eq!((&of_rss, &of_json), (&of_atom, &of_atom));
    of_atom
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_feed_of_a_series_has_its_newest_posts_first_whatever_its_order() {
    let site = five_walks().await;
    let server = serve(&site, settings(&[("feed_posts", "3")]));
    let newest = |numbers: [u64; 3]| numbers.map(|number| format!("{ADDRESS}posts/post-{number}"));
    assert_eq!(entries_of_walks(&server).await, newest([5, 4, 3]));
    let posts = site.query("{ posts { nodes { id } } }").await["posts"]["nodes"].clone();
    let order = format!("[{}, {}]", posts[0]["id"], posts[3]["id"]);
    let mutation = format!(
        "mutation {{ updateSeries(input: {{ @series(walks), orderedPostIds: {order} }}) {{ series {{ slug }} }} }}"
    );
    let answer = site.mutate(&mutation, serde_json::json!({}), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(answer["data"]["updateSeries"]["series"]["slug"], "walks", "{answer}");
    let shown = site.query("{ series(slug: \"walks\") { posts { nodes { slug } } } }").await;
    let first = shown["series"]["posts"]["nodes"][0]["slug"].clone();
    assert_eq!((first, entries_of_walks(&server).await), ("post-5".into(), newest([5, 4, 3]).to_vec()));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_feed_of_a_series_is_cached_until_one_of_its_posts_changes() {
    let site = five_walks().await;
    let server = serve(&site, settings(&[]));
    let (first, first_cached) = get(&server, "/series/walks/feed.xml").await;
    let (second, second_cached) = get(&server, "/series/walks/feed.xml").await;
    assert_eq!((first_cached, second_cached, &first), (false, true, &second));
    site.publish(&[post(6, instant("2026-06-01T10:00:00Z"))]).await;
    let input = "title: \"Joined\", markdown: \"b\", publishAt: \"2026-06-02T10:00:00Z\", seriesSlug: \"walks\"";
    let mutation = format!("mutation {{ createPost(input: {{ {input} }}) {{ post {{ slug }} }} }}");
    let answer = site.mutate(&mutation, serde_json::json!({}), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(answer["data"]["createPost"]["post"]["slug"], "joined", "{answer}");
    let (changed, was_cached) = get(&server, "/series/walks/feed.xml").await;
    assert!(!was_cached && changed.text().contains("posts/joined") && !changed.text().contains("posts/post-6"));
    assert!(first.header("etag").is_some() && first.header("etag") != changed.header("etag"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_feed_of_a_former_slug_is_redirected() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    rename_tag(&site, "moon", "the-moon").await;
    let (sent, _) = get(&server, "/tags/moon/rss.xml").await;
    assert_eq!((sent.status(), sent.header("location")), (301, Some("../the-moon/rss.xml")));
    let (sent, _) = get(&server, "/tags/The-Moon/rss.xml").await;
    assert_eq!((sent.status(), sent.header("location")), (301, Some("../the-moon/rss.xml")));
    assert!(text(&server, "/tags/the-moon/rss.xml").await.contains("post-2"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_does_not_exist_is_not_found() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    for path in [
        "/tags/unknown/feed.xml",
        "/series/unknown/feed.xml",
        "/tags/%2e%2e/feed.xml",
        "/tags/moon/feed.html",
        "/posts/post-1/feed.xml",
    ] {
        let (sent, _) = get(&server, path).await;
        assert_eq!(
            (sent.status(), &sent.json()["errors"][0]["extensions"]["code"]),
            (404, &"ROUTE_NOT_FOUND".into()),
            "{path}"
        );
    }
    let without_site = serve(&site, HttpSettings::default());
    for path in ["/feed.xml", "/tags/moon/rss.xml", "/sitemap.xml", "/sitemaps/site.xml"] {
        let (sent, _) = get(&without_site, path).await;
        let message = sent.json()["errors"][0]["message"].as_str().expect("a message").to_owned();
        assert_eq!((sent.status(), message.contains("set `site.url`")), (404, true), "{path}: {message}");
    }
    let posted = Request::post("/feed.xml").body(Body::empty()).expect("a request");
    assert_eq!(send(&server, posted).await.0.status(), 405);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_is_cached_until_one_of_its_posts_changes() {
    let site = three_posts().await;
    let server = serve(&site, settings(&[]));
    let fetch = |tag: Option<String>| {
        let request =
            tag.into_iter().fold(Request::get("/feed.xml"), |request, tag| request.header(header::IF_NONE_MATCH, tag));
        let server = server.clone();
        async move { send(&server, request.body(Body::empty()).expect("a request")).await }
    };
    let ((first, first_cached), (second, second_cached)) = (fetch(None).await, fetch(None).await);
    assert_eq!((first_cached, second_cached, &first), (false, true, &second));
    let media_type = "application/atom+xml; charset=utf-8";
    assert_eq!((first.header("content-type"), first.header("cache-control")), (Some(media_type), Some("no-cache")));
    let tag = first.header("etag").map(str::to_owned);
    let (unchanged, _) = fetch(tag.clone()).await;
    assert_eq!((unchanged.status(), unchanged.text()), (304, String::new()));
    site.publish(&[post(6, instant("2026-06-01T10:00:00Z"))]).await;
    let (changed, was_cached) = fetch(tag).await;
    assert_eq!((changed.status(), was_cached), (200, false));
    assert!(changed.text().contains("posts/post-6"));
    // A scheduled post appears at its instant, also in a feed that is cached.
    assert!(fetch(None).await.1 && !changed.text().contains("posts/post-5"));
    site.clock.set(instant("2027-01-01T10:00:00Z"));
    assert!(fetch(None).await.0.text().contains("posts/post-5"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn limits_for_the_documents_of_clients_do_not_refuse_feeds() {
    let site = three_posts().await;
    let mut strict = settings(&[]);
    strict.trusted_only = true;
    strict.limits.query = Limits {
        document_bytes: 100,
        tokens: 10,
        fields: 2,
        depth: 1,
        aliases: 1,
        introspection: false,
        ..Limits::default()
    };
    let server = serve(&site, strict);
    for path in [
        "/feed.xml",
        "/tags/moon/feed.json",
        "/series/walks/rss.xml",
        "/sitemap.xml",
        "/sitemaps/site.xml",
        "/sitemaps/2026-03.xml",
    ] {
        text(&server, path).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_feed_counts_for_the_limits_of_fair_use() {
    let site = three_posts().await;
    let anonymous = Some(Rate::new(1, 1).expect("a rate"));
    let fair_use = FairUseSettings { anonymous, ..FairUseSettings::default() };
    let service = ContentService::new(site.content.clone(), STORAGE_REQUESTS_MAX).with_fair_use(fair_use);
    let server = router(Arc::new(service), Readiness::new(async || Ok(None)), Writes::default(), settings(&[]));
    // The bucket is full, so the first is admitted, and takes all of it.
    text(&server, "/feed.xml").await;
    let (sent, _) = get(&server, "/rss.xml").await;
    assert!(sent.header("retry-after").is_some(), "{sent:?}");
    assert_eq!(
        (sent.status(), &sent.json()["errors"][0]["extensions"]["code"]),
        (429, &"RATE_LIMITED".into()),
        "{sent:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn posts_that_are_too_long_for_a_feed_have_excerpts_in_it() {
    let site = Site::in_memory().await;
    let long = |number| {
        let mut long = post(number, instant("2026-03-01T10:00:00Z"));
        long.markdown = "word ".repeat(180_000).into();
        long
    };
    site.publish(&(1..=4).map(long).collect::<Vec<_>>()).await;
    let server = serve(&site, settings(&[]));
    let with_bodies = text(&server, "/feed.xml").await;
    assert!(with_bodies.contains("<content"), "3.6 MB are not too long");
    site.publish(&[long(5)]).await;
    let feed: atom_syndication::Feed = text(&server, "/feed.xml").await.parse().expect("Atom");
    assert_eq!(feed.entries().len(), 5);
    assert!(feed.entries().iter().all(|entry| entry.content().is_none() && entry.summary().is_some()));
}
