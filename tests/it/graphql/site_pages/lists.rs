//! Reads of pages: their order, their cursors, and what they cost (B8).

use std::fmt::Write as _;

use serde_json::{Value, json};
use tidings::model::PostId;

use super::{create, mutate, paths, sites};
use crate::support::folder::import;
use crate::support::graphql::Cost;
use crate::support::site::Site;

fn cost(point_reads: u64, range_reads: u64, round_trips: u64) -> Cost {
    Cost { point_reads, range_reads, round_trips }
}

async fn documentation(site: &Site) {
    for (path, order) in [("docs", Some(2)), ("about", None), ("blog", Some(1)), ("zero", None)] {
        create(site, path, order).await;
    }
    for (path, order) in
        [("docs/z", Some(-1)), ("docs/b", Some(5)), ("docs/a", Some(5)), ("docs/c", None), ("docs/a/x", None)]
    {
        create(site, path, order).await;
    }
}

#[tokio::test]
async fn pages_are_in_the_order_of_the_site_and_those_without_a_position_come_last() {
    for site in sites().await {
        documentation(&site).await;
        let read = site
            .query("{ pages { nodes { path } } docs: page(path: \"docs\") { children { nodes { path order } } } }")
            .await;
        assert_eq!(paths(&read["pages"]), ["blog", "docs", "about", "zero"]);
        assert_eq!(paths(&read["docs"]["children"]), ["docs/z", "docs/a", "docs/b", "docs/c"]);
        let missing = site.query("{ pages(parentPath: \"nothing\") { nodes { path } } }").await;
        assert_eq!(missing["pages"], json!({ "nodes": [] }));
        assert_eq!(site.query("{ page(path: \"/\") { path } }").await["page"], Value::Null);
        create(&site, "index", Some(9)).await;
        for root in ["", "/"] {
            let query = format!(
                "{{ pages(parentPath: \"{root}\") {{ nodes {{ path }} }} home: page(path: \"{root}\") {{ path }} }}"
            );
            let read = site.query(&query).await;
            assert_eq!(read["home"], json!({ "path": "index" }));
            assert_eq!(paths(&read["pages"]), ["blog", "docs", "index", "about", "zero"]);
        }
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn every_page_of_the_list_is_full_and_a_cursor_of_a_deleted_page_continues_from_its_place() {
    for site in sites().await {
        for n in 0..23 {
            create(&site, &format!("p{n:02}"), None).await;
        }
        let (mut seen, mut after) = (Vec::new(), Value::Null);
        for _ in 0..4 {
            let query = "query($after: String) { pages(first: 7, after: $after) { edges { cursor } nodes { path id } \
                           pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }";
            let page = site.query_with(query, json!({ "after": after })).await["pages"].clone();
            assert_eq!(page["pageInfo"]["hasPreviousPage"], json!(!after.is_null()));
            assert_eq!(page["edges"][0]["cursor"], page["pageInfo"]["startCursor"]);
            seen.extend(paths(&page));
            assert_eq!(page["pageInfo"]["hasNextPage"], json!(seen.len() < 23));
            after = page["pageInfo"]["endCursor"].clone();
            if seen.len() == 7 {
                let last = page["nodes"][6]["id"].clone();
                mutate(&site, "deletePage", json!({ "id": last, "expectedVersion": 1 })).await;
            }
        }
        let expected: Vec<String> = (0..23).map(|n| format!("p{n:02}")).collect();
        assert_eq!(seen, expected);
        for (arguments, code) in [
            ("first: 101", "BAD_USER_INPUT"),
            ("first: -1", "BAD_USER_INPUT"),
            ("after: \"x\"", "BAD_CURSOR"),
            (&*format!("parentPath: \"p00\", after: {after}"), "BAD_CURSOR"),
        ] {
            assert_eq!(
                site.codes(&format!("{{ pages({arguments}) {{ nodes {{ id }} }} }}")).await,
                [code],
                "{arguments}"
            );
        }
        site.assert_sound().await;
    }
}

/// B8.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_page_costs_two_point_reads_and_its_children_one_range_read() {
    for site in sites().await {
        documentation(&site).await;
        for (query, allowed) in [
            ("{ page(path: \"docs/a\") { title body { html } metadata } }", cost(2, 0, 2)),
            ("{ page(path: \"docs/a\") { title } }", cost(2, 0, 2)),
            ("{ page(path: \"nothing\") { title } }", cost(1, 0, 1)),
            ("{ pages { nodes { path title excerpt } } }", cost(0, 1, 1)),
            ("{ pages(first: 2) { nodes { path } pageInfo { hasNextPage } } }", cost(0, 1, 1)),
            ("{ pages(parentPath: \"docs\") { nodes { path } } }", cost(2, 1, 3)),
            ("{ page(path: \"docs\") { children { nodes { path title } } } }", cost(2, 1, 3)),
            // The pages above, together, each once.
            ("{ page(path: \"docs/a/x\") { parent { title } breadcrumbs { title } } }", cost(2 + 2, 0, 3)),
            // The bodies of a list, together.
            ("{ pages(parentPath: \"docs\") { nodes { body { markdown } metadata } } }", cost(2 + 4, 1, 4)),
            ("{ pageLinks { path title canonicalUrl updatedAt } }", cost(0, 1, 1)),
            // The keys of the list and the scheduled pages, then the page.
            ("{ pages(last: 2) { nodes { path } } }", cost(0, 3, 3)),
            ("{ pages { a: totalCount b: totalCount nodes { path } } }", cost(0, 3, 3)),
            // A range read for each of the four pages at the top.
            ("{ pages { nodes { children { nodes { path } } } } }", cost(0, 5, 2)),
        ] {
            let found = site.cost(query).await;
            assert!(
                (found.point_reads, found.range_reads) == (allowed.point_reads, allowed.range_reads),
                "{query}: {found:?}"
            );
            assert!(found.round_trips <= allowed.round_trips.max(found.point_reads + found.range_reads), "{query}");
        }
        site.assert_sound().await;
    }
}

/// The paths of the list of all pages.
async fn links(site: &Site) -> Vec<String> {
    paths_of(&site.query("{ pageLinks { path } }").await)
}

fn paths_of(read: &Value) -> Vec<String> {
    let links = read["pageLinks"].as_array().expect("a list");
    links.iter().map(|link| link["path"].as_str().expect("a path").to_owned()).collect()
}

#[tokio::test]
async fn the_list_of_all_pages_has_those_below_a_page_directly_after_it_and_none_below_a_draft() {
    for site in sites().await {
        assert_eq!(links(&site).await, Vec::<String>::new());
        documentation(&site).await;
        let shown = ["blog", "docs", "docs/z", "docs/a", "docs/a/x", "docs/b", "docs/c", "about", "zero"];
        assert_eq!(links(&site).await, shown);
        let draft = mutate(&site, "createPage", json!({ "path": "draft", "title": "D", "markdown": "" })).await;
        assert_eq!(draft["userErrors"], json!([]));
        create(&site, "draft/open", None).await;
        create(&site, "draft/open/more", None).await;
        assert_eq!(links(&site).await, shown, "what is below a draft has no menu");
        let page = site.query("{ page(path: \"docs/a\") { id version updatedAt } }").await["page"].clone();
        let input = json!({ "id": page["id"], "expectedVersion": page["version"], "path": "about/a" });
        assert_eq!(mutate(&site, "updatePage", input).await["userErrors"], json!([]));
        let moved = ["blog", "docs", "docs/z", "docs/b", "docs/c", "about", "about/a", "about/a/x", "zero"];
        assert_eq!(links(&site).await, moved);
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_of_all_pages_is_a_range_read_for_each_thousand() {
    let at = "\"createdAt\":\"2025-01-01T00:00:00Z\",\"updatedAt\":\"2025-01-02T00:00:00Z\",\"publishedAt\":\"2025-01-01T00:00:00Z\"";
    let mut lines = "{\"tidings\":1}\n".to_owned();
    for n in 0..1_005_u64 {
        let (id, path) =
            (PostId::from_bits(n + 1), if n < 10 { format!("s{n}") } else { format!("s{}/p{n:04}", n % 10) });
        writeln!(
            lines,
            "{{\"type\":\"page\",\"id\":\"{id}\",\"path\":\"{path}\",\"title\":\"T\",\"markdown\":\"\",{at}}}"
        )
        .expect("a line");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.jsonl");
    std::fs::write(&file, lines).expect("a file");
    for site in sites().await {
        let report = import(&site.content, &file).await.expect("an import");
        assert_eq!((report.pages.made, report.failed.len()), (1_005, 0));
        for too_few in ["", "(atMost: 1004)", "(atMost: 0)", "(atMost: -1)", "(atMost: 10001)"] {
            assert_eq!(
                site.codes(&format!("{{ pageLinks{too_few} {{ path }} }}")).await,
                ["BAD_USER_INPUT"],
                "{too_few}"
            );
        }
        let query = "{ pageLinks(atMost: 1005) { path } }";
        let found = site.cost(query).await;
        assert_eq!((found.point_reads, found.range_reads), (0, 2));
        let paths = paths_of(&site.query(query).await);
        assert_eq!((paths.len(), &*paths[0], &*paths[1], &*paths[1_004]), (1_005, "s0", "s0/p0010", "s9/p0999"));
        assert!(paths.is_sorted());
        let counted = "{ pages(parentPath: \"s0\", last: 1) { totalCount nodes { path } } }";
        let found = site.cost(counted).await;
        assert_eq!((found.point_reads, found.range_reads), (2, 5));
        let read = site.query(counted).await["pages"].clone();
        assert_eq!((&read["totalCount"], &read["nodes"][0]["path"]), (&json!(100), &json!("s0/p1000")));
    }
}
