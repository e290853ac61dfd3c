//! `Post`: its fields, its body in each form, its former slugs, and its neighbours.

use std::path::Path;

use serde_json::{Value, json};
use tidings::model::WholePost;

use crate::support::folder::{folder, import, write};
use crate::support::site::{NOW, Site, instant, post};

const EVERY_FIELD: &str = "__typename id slug title excerpt status version createdAt updatedAt publishedAt
    author { slug name } authors { slug } categories { slug } tags { slug }
    body { markdown html text headings { level text anchor } wordCount readingMinutes } newer { slug } older { slug }";

#[tokio::test]
async fn every_field_of_a_post_is_returned() {
    let site = Site::in_memory().await;
    let text = "---\ntitle: A title\ndate: 2025-03-04T05:06:07.1234567+01:00\ncreated: 2025-03-01\nlastmod: 2025-04-01T00:00:00Z\n\
        authors: [Grace H., Ada L.]\ncategories: [News, Notes]\ntags: [\"C++\", a tag]\n---\n# One\n\nTwo *three* — vier, 五六.\n";
    let files = folder(&[("posts/a-slug.md", text)]);
    import(&site.content, files.path()).await.expect("an import");
    let mut found = site.query(&format!("{{ post(slug: \"a-slug\") {{ {EVERY_FIELD} }} }}")).await["post"].clone();
    let id = found.as_object_mut().and_then(|post| post.remove("id")).expect("an id");
    let expected = json!({
        "__typename": "Post", "slug": "a-slug", "title": "A title", "excerpt": "Two three — vier, 五六.",
        "status": "PUBLISHED", "version": 1, "createdAt": "2025-03-01T00:00:00.000Z", "updatedAt": "2025-04-01T00:00:00.000Z",
        "publishedAt": "2025-03-04T04:06:07.123Z",
        "author": { "slug": "grace-h", "name": "Grace H." }, "authors": [{ "slug": "grace-h" }, { "slug": "ada-l" }],
        "categories": [{ "slug": "news" }, { "slug": "notes" }], "tags": [{ "slug": "c" }, { "slug": "a-tag" }],
        "body": {
            "markdown": "# One\n\nTwo *three* — vier, 五六.\n",
            "html": "<h1 id=\"one\">One</h1>\n<p>Two <em>three</em> — vier, 五六.</p>\n",
            "text": "One\nTwo three — vier, 五六.",
            "headings": [{ "level": 1, "text": "One", "anchor": "one" }],
            "wordCount": 6, "readingMinutes": 1,
        },
        "newer": null, "older": null,
    });
    assert_eq!(found, expected);
    // `node`, `nodes`, the list and its edges return the same post.
    let query = format!(
        "{{ node(id: {id}) {{ ... on Post {{ {EVERY_FIELD} }} }} nodes(ids: [{id}]) {{ ... on Post {{ {EVERY_FIELD} }} }}
            posts {{ nodes {{ {EVERY_FIELD} }} edges {{ node {{ {EVERY_FIELD} }} }} }} }}"
    );
    let data = site.query(&query).await;
    let mut same = found.clone();
    same.as_object_mut().expect("a post").insert("id".to_owned(), id);
    for one in [&data["node"], &data["nodes"][0], &data["posts"]["nodes"][0], &data["posts"]["edges"][0]["node"]] {
        assert_eq!(*one, same);
    }
}

#[tokio::test]
async fn a_post_with_empty_front_matter_has_a_value_for_every_field() {
    let site = Site::in_memory().await;
    import(&site.content, folder(&[("2025-03-04-some_words.md", "---\n---\n")]).path()).await.expect("an import");
    let mut post = site.query(&format!("{{ post(slug: \"some_words\") {{ {EVERY_FIELD} }} }}")).await["post"].clone();
    post.as_object_mut().expect("a post").remove("id");
    let day = "2025-03-04T00:00:00.000Z";
    let expected = json!({
        "__typename": "Post", "slug": "some_words", "title": "Some words", "excerpt": "", "status": "PUBLISHED", "version": 1,
        "createdAt": day, "updatedAt": day, "publishedAt": day, "author": null, "authors": [], "categories": [], "tags": [],
        "body": { "markdown": "", "html": "", "text": "", "headings": [], "wordCount": 0, "readingMinutes": 0 }, "newer": null, "older": null,
    });
    assert_eq!(post, expected);
}

#[tokio::test]
async fn headings_are_listed_up_to_a_limit_and_count_for_the_answer() {
    let site = Site::in_memory().await;
    let body: String = (0..1_100).map(|number| format!("## Part {number}\n")).collect();
    let files = folder(&[("2025-01-01-long.md", &format!("---\ntitle: Long\n---\n{body}"))]);
    import(&site.content, files.path()).await.expect("an import");
    let headings = |alias: usize| format!("a{alias}: body {{ headings {{ level text anchor }} }}");
    let data = site.query(&format!("{{ post(slug: \"long\") {{ {} }} }}", headings(0))).await;
    let found = data["post"]["a0"]["headings"].as_array().expect("headings");
    assert_eq!(found.len(), 1_000);
    assert_eq!(found[999], json!({ "level": 2, "text": "Part 999", "anchor": "part-999" }));
    let many: String = (0..26).map(headings).collect();
    let codes = site.codes(&format!("{{ post(slug: \"long\") {{ {many} }} }}")).await;
    assert!(!codes.is_empty() && codes.iter().all(|code| code == "ANSWER_TOO_LARGE"), "{codes:?}");
}

#[tokio::test]
async fn an_excerpt_is_the_writers_own_or_is_generated_from_the_body() {
    let site = Site::in_memory().await;
    let long = "word ".repeat(100);
    let files = folder(&[
        ("2025-01-01-own.md", "---\nsummary: Its *own* <b>words</b>.\n---\nThe body.\n"),
        (
            "2025-01-02-made.md",
            "---\ntitle: Made\n---\n# Heading\n\n![A picture](x.png)\n\nThe **first** words.\nAnd more.\n\nLater.\n",
        ),
        ("2025-01-03-long.md", &format!("---\ntitle: Long\n---\n{long}\n")),
    ]);
    import(&site.content, files.path()).await.expect("an import");
    let data = site.query("{ posts { nodes { slug excerpt } } }").await;
    let nodes = &data["posts"]["nodes"];
    assert_eq!(nodes[2], json!({ "slug": "own", "excerpt": "Its *own* <b>words</b>." }));
    assert_eq!(nodes[1], json!({ "slug": "made", "excerpt": "The first words. And more." }));
    let cut = nodes[0]["excerpt"].as_str().expect("an excerpt");
    assert!(cut.ends_with("word…") && cut.chars().count() <= 280, "{cut}");
}

/// The post of the example blog on this subject, through the importer, the store and the API.
#[tokio::test]
async fn the_html_of_a_body_is_sanitized() {
    let site = Site::in_memory().await;
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog");
    import(&site.content, &example).await.expect("an import");
    let data = site.query(r#"{ post(slug: "why-we-wash-our-html") { excerpt body { markdown html text } } }"#).await;
    let body = &data["post"]["body"];
    let (html, text) = (body["html"].as_str().expect("HTML"), body["text"].as_str().expect("text"));
    for kept in [
        "<kbd>Ctrl</kbd>",
        "<details>",
        "<summary>",
        "H<sub>2</sub>O",
        "10<sup>16</sup>",
        "ordinary-looking phrase",
        "this link",
        "&lt;script&gt;",
    ] {
        assert!(html.contains(kept), "{kept} is missing in {html}");
    }
    for removed in ["<script", "onclick", "javascript:"] {
        assert!(!html.to_lowercase().contains(removed), "{removed} is in {html}");
    }
    assert!(!text.contains('<') || text.contains("<script>alert(\"never runs\")</script>"), "{text}");
    // The Markdown source is not sanitized.
    assert!(
        body["markdown"].as_str().is_some_and(|markdown| markdown.contains("<script>alert(\"never runs\")</script>"))
    );
    assert_eq!(text.matches("never runs").count(), 1, "the script is removed, the code block that shows it is not");
}

/// The HTML of every post has no script, no frame, no `javascript:` address and no event handler.
#[tokio::test]
async fn no_html_of_the_example_blog_runs_a_script() {
    let site = Site::in_memory().await;
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog");
    import(&site.content, &example).await.expect("an import");
    let data = site.query("{ posts(first: 100) { nodes { slug body { html } } } }").await;
    for node in data["posts"]["nodes"].as_array().expect("nodes") {
        let html = node["body"]["html"].as_str().expect("HTML").to_lowercase();
        let tags: Vec<&str> = html.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or_default()).collect();
        let runs = |tag: &&&str| {
            let handles =
                tag.split(" on").skip(1).any(|rest| rest.trim_start_matches(char::is_alphabetic).starts_with('='));
            tag.starts_with("script") || tag.starts_with("iframe") || tag.contains("javascript:") || handles
        };
        assert_eq!(tags.iter().find(runs), None, "{}", node["slug"]);
    }
}

#[tokio::test]
async fn a_post_is_found_by_each_of_its_slugs_and_aliases() {
    let site = Site::in_memory().await;
    let files = folder(&[("2025-01-01-first.md", "---\ntitle: A\naliases: [/old/alias.html]\n---\n")]);
    import(&site.content, files.path()).await.expect("an import");
    for slug in ["second", "third"] {
        write(files.path(), "2025-01-01-first.md", &format!("---\ntitle: A\nslug: {slug}\n---\n"));
        import(&site.content, files.path()).await.expect("an import");
    }
    let mut found = Vec::new();
    for slug in ["first", "second", "third", "alias", "fourth"] {
        // The server reads a post with its body and one without it in different ways.
        let with_body = site.query(&format!("{{ post(slug: {slug:?}) {{ slug body {{ markdown }} }} }}")).await;
        let without = site.query(&format!("{{ post(slug: {slug:?}) {{ slug }} }}")).await;
        assert_eq!(with_body["post"].get("slug"), without["post"].get("slug"), "{slug}");
        found.push(without["post"].get("slug").cloned());
    }
    let third = Some(json!("third"));
    assert_eq!(found, [third.clone(), third.clone(), third.clone(), third, None]);
    site.assert_sound().await;
}

/// Posts in distant months, ties, posts before and after `NOW` in its month, and a draft.
fn neighbours() -> Vec<WholePost> {
    let at = [
        // The first and the last instant that a table can store.
        "1601-01-01T00:00:00Z",
        "9999-12-31T23:59:59.9999999Z",
        "2019-01-31T23:59:59.9999999Z",
        "2019-02-01T00:00:00Z",
        "2023-07-07T00:00:00Z",
        "2023-07-07T00:00:00Z",
        "2023-07-07T00:00:00Z",
        "2026-06-15T11:59:59Z",
        NOW,
        "2026-06-15T12:00:00.0000001Z",
        "2026-06-16T00:00:00Z",
        "2027-01-01T00:00:00Z",
    ];
    let mut posts: Vec<_> = at.iter().zip(1..).map(|(at, n)| post(n, instant(at))).collect();
    let mut draft = post(99, instant("2023-07-08T00:00:00Z"));
    draft.post.published_at = None;
    posts.push(draft);
    posts
}

async fn assert_neighbours(site: &Site, now: &str) {
    site.clock.set(instant(now));
    site.invalidate_cached();
    let posts = neighbours();
    // The instant of a request is rounded down to the millisecond.
    let until = instant(now).start_of_millisecond();
    let mut visible: Vec<_> =
        posts.iter().map(|w| &w.post).filter(|p| p.published_at.is_some_and(|at| at <= until)).collect();
    visible.sort_by_key(|post| post.key());
    let at = |i: Option<usize>| {
        i.and_then(|i| visible.get(i)).map_or(Value::Null, |p| json!({ "slug": p.slug.to_string() }))
    };
    for (i, post) in visible.iter().enumerate() {
        let query = format!("{{ post(slug: \"{}\") {{ newer {{ slug }} older {{ slug }} }} }}", post.slug);
        let expected = json!({ "post": { "newer": at(i.checked_sub(1)), "older": at(Some(i + 1)) } });
        assert_eq!(site.query(&query).await, expected, "of {} at {now}", post.slug);
    }
    // From the newest to the oldest post, step by step, in one query.
    let mut query = "slug".to_owned();
    for _ in 0..visible.len() {
        query = format!("slug older {{ {query} }}");
    }
    let data = site.query(&format!("{{ posts(first: 1) {{ nodes {{ {query} }} }} }}")).await;
    let (mut walked, mut node) = (Vec::new(), &data["posts"]["nodes"][0]);
    while !node.is_null() {
        walked.push(node["slug"].as_str().expect("a slug").to_owned());
        node = &node["older"];
    }
    assert_eq!(walked, visible.iter().map(|post| post.slug.to_string()).collect::<Vec<_>>());
}

#[tokio::test]
async fn neighbours_are_those_in_the_list_of_all_visible_posts() {
    let site = Site::in_memory().await;
    site.publish(&neighbours()).await;
    for now in [
        "2019-01-31T23:59:59.9999999Z",
        "2019-02-01T00:00:00Z",
        "2023-07-07T00:00:00Z",
        NOW,
        "2026-06-15T12:00:00.0009999Z",
        "2026-06-15T12:00:00.001Z",
        "2030-01-01T00:00:00Z",
        "9999-12-31T23:59:59.9999999Z",
    ] {
        assert_neighbours(&site, now).await;
    }
}

#[tokio::test]
async fn a_body_is_returned_exactly_as_it_was_written() {
    let site = Site::in_memory().await;
    let bodies = [
        "",
        "\n",
        "\r\n",
        "\u{feff}x",
        "a\u{0}b",
        "\u{2028}\u{2029}",
        "<!-- -->",
        "𝕏 🏴‍☠️ é\u{301}",
        "---\ntitle: no\n---\n",
        "\\\"\t",
    ];
    let posts: Vec<_> = bodies
        .iter()
        .zip(1..)
        .map(|(body, n)| WholePost { markdown: (*body).into(), ..post(n, instant("2025-01-01T00:00:00Z")) })
        .collect();
    site.publish(&posts).await;
    for (body, n) in bodies.iter().zip(1..) {
        let data = site.query(&format!("{{ post(slug: \"post-{n}\") {{ body {{ markdown }} }} }}")).await;
        assert_eq!(data["post"]["body"]["markdown"], json!(body));
    }
}
