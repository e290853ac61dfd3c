//! `/llms.txt`, and posts and pages as Markdown.

use serde_json::json;

use super::*;

async fn make_page(site: &Site, path: &str, title: &str, publish: bool) {
    let input = json!({ "path": path, "title": title, "markdown": "Text.", "publish": publish });
    let mutation = "mutation ($input: CreatePageInput!) { createPage(input: $input) { page { path } } }";
    let made = site.mutate(mutation, json!({ "input": input }), Some(EDITOR_TOKEN)).await.body;
    assert_eq!(made["data"]["createPage"]["page"]["path"], path, "{made}");
}

async fn site() -> Site {
    let site = three_posts().await;
    for (path, title, publish) in [
        ("about", "About [us]", true),
        ("guide", "The guide", true),
        ("guide/install", "Install", true),
        ("plans", "Secret plans", false),
    ] {
        make_page(&site, path, title, publish).await;
    }
    site
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_has_pages_by_section_and_the_newest_posts() {
    let server =
        serve(&site().await, settings(&[("name", "Night"), ("description", "Of stars."), ("feed_posts", "2")]));
    let expected = "# Night\n\n> Of stars.\n\n## The guide\n\n- [The guide](https://blog.example/pages/guide.md)\n\
        - [Install](https://blog.example/pages/guide/install.md)\n\n## Pages\n\n\
        - [About \\[us\\]](https://blog.example/pages/about.md)\n\n## Newest posts\n\n\
        - [Post 2](https://blog.example/posts/post-2.md): The opening of post 2.\n\
        - [Post 3](https://blog.example/posts/post-3.md): The opening of post 3.\n";
    assert_eq!(text(&server, "/llms.txt").await, expected);
    let (sent, _) = get(&server, "/llms.txt").await;
    assert_eq!(sent.header("content-type"), Some("text/plain; charset=utf-8"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_post_is_its_source_below_its_facts_until_it_changes() {
    let site = site().await;
    let server = serve(&site, settings(&[]));
    let (first, was_cached) = get(&server, "/posts/post-2.md").await;
    assert_eq!((first.header("content-type"), was_cached), (Some("text/markdown; charset=utf-8"), false));
    let text = first.text();
    for line in [
        "authors: [\"The author ada\",\"The author grace\"]",
        "tags: [\"moon\",\"deep-sky\"]",
        "language: \"pt-BR\"",
        "date: \"2026-04-01T10:00:00.000Z\"",
        "url: \"https://blog.example/posts/post-2\"",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
    assert!(text.ends_with("---\n\nPost 2, *in full*.\n"), "{text}");
    let tag = first.header("etag").expect("a tag").to_owned();
    let again = Request::get("/posts/post-2.md").header("if-none-match", tag).body(Body::empty()).expect("a request");
    let (again, was_cached) = send(&server, again).await;
    assert_eq!((again.status(), was_cached), (304, true));
    rename_tag(&site, "moon", "the-moon").await;
    assert!(self::text(&server, "/posts/post-2.md").await.contains("tags: [\"the-moon\",\"deep-sky\"]"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hostile_title_stays_in_its_line() {
    let text = text(&serve(&site().await, settings(&[])), "/posts/post-1.md").await;
    let head = text.strip_prefix("---\n").and_then(|text| text.split_once("\n---\n")).expect("a head").0;
    assert!(head.starts_with("title: \"]]> <b>\\\"Tags\\\"</b> & 'more' \u{1f600} \\u0001\\u000b\"\n"), "{head}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_former_address_leads_to_the_current_one_and_a_draft_is_not_found() {
    let site = site().await;
    let server = serve(&site, settings(&[]));
    let ids = site.query("{ post(slug: \"post-3\") { id } page(path: \"guide/install\") { id } }").await;
    for (mutation, id, named) in [
        ("updatePost", &ids["post"]["id"], "slug: \"new\""),
        ("updatePage", &ids["page"]["id"], "path: \"about/setup\""),
    ] {
        let mutation = format!(
            "mutation {{ {mutation}(input: {{ id: {id}, expectedVersion: 1, {named} }}) {{ userErrors {{ message }} }} }}"
        );
        let answer = site.ask_as(Some(EDITOR_TOKEN), &mutation).await;
        assert_eq!(answer.get("errors"), None, "{answer}");
    }
    for (former, current) in [
        ("/posts/post-3.md", "new.md"),
        ("/pages/guide/install.md", "../about/setup.md"),
        ("/pages/guide/.md", "../guide.md"),
    ] {
        let (sent, _) = get(&server, former).await;
        assert_eq!((sent.status(), sent.header("location")), (301, Some(current)), "{former}");
    }
    for path in
        ["/posts/post-4.md", "/posts/post-5.md", "/posts/none.md", "/posts/post-2", "/pages/plans.md", "/pages/guide"]
    {
        let request = Request::get(path).header("authorization", format!("Bearer {EDITOR_TOKEN}"));
        let (sent, _) = send(&server, request.body(Body::empty()).expect("a request")).await;
        assert_eq!(sent.status(), 404, "{path}");
    }
}
