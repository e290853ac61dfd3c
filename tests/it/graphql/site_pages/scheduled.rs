//! Scheduled pages (I4b): until its instant, a page is as if it had never existed; from then on, it is shown everywhere, without a job.

use std::fmt::Write as _;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::model::{PostId, Role};

use super::{create, done, error, mutate, paths, refused, sites};
use crate::graphql::cached::{By, HOLDING, request, send, server};
use crate::graphql::change_feed::follower::{Follower, server as follower_site};
use crate::support::folder::import;
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::site::{NOW, Site, instant};

const LATER: &str = "2026-06-15T12:00:10.000Z";

/// What an anonymous client can ask about pages, without ids.
fn queries() -> Vec<String> {
    let list = "totalCount nodes { path title order } pageInfo { hasNextPage hasPreviousPage }";
    let page = format!(
        "path title status scheduledFor version metadata body {{ html }} parent {{ path }} breadcrumbs {{ path }} children {{ {list} }}"
    );
    let mut all = vec!["{ pageLinks { path title updatedAt } }".to_owned()];
    for arguments in ["", "(first: 1)", "(first: 2)", "(last: 1)", "(last: 3)", "(first: 3, last: 1)", "(first: 0)"] {
        // Cursors of a list below a page depend on its id.
        all.push(format!(
            "{{ pages{arguments} {{ {list} edges {{ cursor }} pageInfo {{ startCursor endCursor }} }} }}"
        ));
    }
    for path in ["a", "docs", "docs/new", "docs/new/below", "z"] {
        all.push(format!("{{ page(path: \"{path}\") {{ {page} }} }}"));
        all.push(format!("{{ pages(parentPath: \"{path}\") {{ {list} }} }}"));
    }
    all
}

async fn answers(site: &Site) -> Vec<Value> {
    let mut all = Vec::new();
    for query in queries() {
        all.push(site.ask_as(None, &query).await);
    }
    all
}

/// Creates pages; `scheduled` gets those that are not public, and where they are among the others.
async fn fill(site: &Site, scheduled: Option<&str>) {
    let plan = async |path: &str, order: Option<i32>| {
        let Some(at) = scheduled else { return };
        let input = json!({ "path": path, "title": "New", "markdown": "x", "order": order, "publishAt": at });
        let status = done(site, "createPage", input).await["status"].clone();
        assert_eq!(status, if at > site.clock.now().to_string().as_str() { "SCHEDULED" } else { "PUBLISHED" });
    };
    plan("a", Some(0)).await;
    create(site, "docs", Some(1)).await;
    create(site, "docs/old", Some(1)).await;
    plan("docs/new", Some(0)).await;
    plan("docs/new/below", None).await;
    plan("m", None).await;
    create(site, "n", None).await;
    plan("z", None).await;
}

#[tokio::test]
async fn until_its_instant_a_page_leaves_no_trace_and_then_it_is_everywhere() {
    for (site, twins) in sites().await.into_iter().zip([sites().await, sites().await]) {
        let [without, with] = twins;
        fill(&site, Some(LATER)).await;
        fill(&without, None).await;
        fill(&with, Some(NOW)).await;
        assert_eq!(answers(&site).await, answers(&without).await);
        let mutation = "mutation { createAuthor(input: { name: \"Ada\", slug: \"ada\" }) { author { id } } }";
        site.ask_as(Some(EDITOR_TOKEN), mutation).await;
        let author = site.token(Role::Author, Some("ada")).await;
        let ids = scheduled(&site, EDITOR_TOKEN).await;
        let paths: Vec<&Value> = ids.iter().map(|page| &page["path"]).collect();
        assert_eq!(paths.len(), 5, "{paths:?}");
        for token in [None, Some(&*author)] {
            let query = format!("{{ node(id: {}) {{ id }} page(path: \"a\") {{ title }} }}", ids[0]["id"]);
            assert_eq!(site.ask_as(token, &query).await["data"], json!({ "node": null, "page": null }));
        }
        site.assert_sound().await;
        site.clock.set(instant("2026-06-15T12:00:09.999Z"));
        assert_eq!(answers(&site).await, answers(&without).await);
        site.clock.set(instant(LATER));
        assert_eq!(answers(&site).await, answers(&with).await);
        assert_eq!(scheduled(&site, EDITOR_TOKEN).await, Vec::<Value>::new());
        site.assert_sound().await;
    }
}

async fn scheduled(site: &Site, token: &str) -> Vec<Value> {
    let query = "{ scheduledPages { nodes { id path version status scheduledFor } } }";
    site.ask_as(Some(token), query).await["data"]["scheduledPages"]["nodes"].as_array().expect("a list").clone()
}

/// Pages through the whole list, and back by one. Returns the number of items.
async fn walk_scheduled(site: &Site) -> usize {
    let page = async |arguments: String| {
        let fields = "totalCount nodes { path } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";
        let answer =
            site.ask_as(Some(EDITOR_TOKEN), &format!("{{ scheduledPages({arguments}) {{ {fields} }} }}")).await;
        assert!(answer.get("errors").is_none(), "{answer}");
        answer["data"]["scheduledPages"].clone()
    };
    let mut found = Vec::new();
    let mut read = page("first: 99".to_owned()).await;
    loop {
        assert_eq!(read["totalCount"], 500);
        assert_eq!(read["pageInfo"]["hasPreviousPage"], !found.is_empty());
        found.extend(paths(&read));
        if read["pageInfo"]["hasNextPage"] == false {
            break;
        }
        read = page(format!("first: 99, after: {}", read["pageInfo"]["endCursor"])).await;
    }
    assert_eq!(found.iter().collect::<std::collections::BTreeSet<_>>().len(), found.len(), "each once");
    let before = page(format!("last: 1, before: {}", read["pageInfo"]["startCursor"])).await;
    assert_eq!(paths(&before), found[found.len() - paths(&read).len() - 1..][..1]);
    let query = "{ scheduledPages(after: \"x\") { totalCount } }";
    let refused = site.ask_as(Some(EDITOR_TOKEN), query).await;
    assert_eq!(refused["errors"][0]["extensions"]["code"], "BAD_CURSOR", "{refused}");
    found.len()
}

#[tokio::test]
async fn a_page_is_postponed_published_and_withdrawn() {
    for site in sites().await {
        let page = create(&site, "a", None).await;
        let of =
            |version: i32, at: Option<&str>| json!({ "id": page["id"], "expectedVersion": version, "publishAt": at });
        let later = done(&site, "publishPage", of(1, Some(LATER))).await;
        assert_eq!((&later["status"], &later["version"]), (&json!("SCHEDULED"), &json!(2)));
        let found = scheduled(&site, EDITOR_TOKEN).await;
        let expected =
            json!({ "id": page["id"], "path": "a", "version": 2, "status": "SCHEDULED", "scheduledFor": LATER });
        assert_eq!(found, [expected]);
        let again = done(&site, "publishPage", of(2, Some(LATER))).await;
        assert_eq!(again["version"], 2, "the same instant");
        let moved = json!({ "id": page["id"], "expectedVersion": 2, "path": "b", "title": "B" });
        assert_eq!(done(&site, "updatePage", moved).await["status"], "SCHEDULED");
        assert_eq!(
            site.query("{ page(path: \"b\") { id } pages { totalCount } }").await,
            json!({ "page": null, "pages": { "totalCount": 0 } })
        );
        site.assert_sound().await;
        let draft = done(&site, "unpublishPage", json!({ "id": page["id"], "expectedVersion": 3 })).await;
        assert_eq!((&draft["status"], scheduled(&site, EDITOR_TOKEN).await.len()), (&json!("DRAFT"), 0));
        done(&site, "publishPage", of(4, Some(LATER))).await;
        assert_eq!(done(&site, "publishPage", of(5, None)).await["status"], "PUBLISHED");
        assert_eq!(site.query("{ page(path: \"b\") { title } }").await["page"]["title"], "B");
        let past = done(&site, "publishPage", of(6, Some("2020-01-01T00:00:00Z"))).await;
        assert_eq!(past["status"], "PUBLISHED");
        let bad = mutate(&site, "publishPage", of(7, Some("0001-01-01T00:00:00Z"))).await;
        assert_eq!(refused(&bad), error("INVALID", "publishAt"));
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_scheduled_page_appears_at_its_instant_in_cached_answers() {
    let site = Site::in_memory().await;
    create(&site, "a", None).await;
    done(&site, "createPage", json!({ "path": "b", "title": "B", "markdown": "", "publishAt": LATER })).await;
    let holding = server(&site, HOLDING);
    let ask = async |at: &str| {
        site.clock.set(instant(at));
        let (sent, was_cached) = send(&holding, request(By::Post, "{ pages { nodes { path } } }")).await;
        (paths(&sent.json()["data"]["pages"]).len(), was_cached)
    };
    assert_eq!(ask(NOW).await, (1, false));
    assert_eq!(ask("2026-06-15T12:00:09.999Z").await, (1, true));
    assert_eq!(ask(LATER).await, (2, false));
    assert_eq!(ask("2026-06-15T12:00:11Z").await, (2, true));
    assert_eq!(ask("2026-06-15T12:00:05Z").await, (1, false), "the clock was set back");
    let id = site.ask_as(Some(EDITOR_TOKEN), "{ page(path: \"b\") { id } }").await["data"]["page"]["id"].clone();
    let sooner = json!({ "id": id, "expectedVersion": 1, "publishAt": "2026-06-15T12:00:07Z" });
    done(&site, "publishPage", sooner).await;
    assert_eq!(ask("2026-06-15T12:00:06Z").await.0, 1);
    assert_eq!(ask("2026-06-15T12:00:07Z").await, (2, false));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_feed_has_a_page_at_its_instant() {
    for is_file in [true, false] {
        let store = if is_file { MemoryStore::transactional() } else { MemoryStore::empty() };
        let store: tidings::store::Store = store;
        let clock = Clock::fixed(instant(NOW));
        let site = follower_site(&store, &clock).await;
        let (mut public, mut all) = (Follower::of_the_public(&site).await, Follower::of_everything(&site).await);
        let input = json!({ "path": "a", "title": "A", "markdown": "x", "publishAt": LATER });
        let page = done(&site, "createPage", input).await;
        let shown = |changes: Vec<Value>| -> Vec<Value> {
            changes
                .iter()
                .map(|change| json!([change["nodeType"], change["slug"], change["version"], change["actions"]]))
                .collect()
        };
        assert_eq!(shown(public.poll(&site).await), Vec::<Value>::new());
        assert_eq!(shown(all.poll(&site).await), [json!(["Page", "a", 1, ["CREATED", "SCHEDULED"]])]);
        done(&site, "updatePage", json!({ "id": page["id"], "expectedVersion": 1, "path": "b" })).await;
        assert_eq!(shown(public.poll(&site).await), Vec::<Value>::new());
        all.poll(&site).await;
        clock.set(instant("2026-06-15T12:00:11Z"));
        let appeared = public.poll(&site).await;
        assert_eq!(appeared[0]["occurredAt"], LATER);
        assert_eq!(shown(appeared), [json!(["Page", "b", 2, ["PUBLISHED"]])]);
        assert_eq!(shown(all.poll(&site).await), [json!(["Page", "b", 2, ["PUBLISHED"]])]);
        let later = json!({ "id": page["id"], "expectedVersion": 2, "publishAt": "2027-01-01T00:00:00Z" });
        done(&site, "publishPage", later).await;
        assert_eq!(shown(public.poll(&site).await), [json!(["Page", "b", 3, ["UNPUBLISHED"]])]);
        assert_eq!(shown(all.poll(&site).await), [json!(["Page", "b", 3, ["UNPUBLISHED", "SCHEDULED"]])]);
        site.assert_sound().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_many_pages_as_can_be_scheduled_hide_no_other_page_and_one_more_is_refused() {
    let mut lines = "{\"tidings\":1}\n".to_owned();
    for n in 0..510_u64 {
        let at = if n % 100 == 50 { "2025-01-01" } else { "2030-01-01" };
        let (id, dates) =
            (PostId::from_bits(n + 1), "\"createdAt\":\"2025-01-01T00:00:00Z\",\"updatedAt\":\"2025-01-02T00:00:00Z\"");
        writeln!(
            lines,
            "{{\"type\":\"page\",\"id\":\"{id}\",\"path\":\"p{n:03}\",\"title\":\"T\",\"markdown\":\"\",{dates},\"publishedAt\":\"{at}T00:00:00Z\"}}"
        )
        .expect("a line");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pages.jsonl");
    std::fs::write(&file, lines).expect("a file");
    for site in sites().await {
        let report = import(&site.content, &file).await.expect("an import");
        assert_eq!((report.pages.made, report.failed.len()), (505, 5), "{:?}", report.failed.first());
        let refusal =
            mutate(&site, "createPage", json!({ "path": "z", "title": "Z", "markdown": "", "publishAt": LATER })).await;
        assert_eq!(refused(&refusal), error("TOO_LARGE", "publishAt"));
        assert_eq!(walk_scheduled(&site).await, 500);
        let public = ["p050", "p150", "p250", "p350", "p450"];
        for (arguments, expected) in
            [("first: 2", &public[..2]), ("last: 2", &public[3..]), ("first: 100", &public[..])]
        {
            let query = format!(
                "{{ pages({arguments}) {{ totalCount nodes {{ path }} pageInfo {{ hasNextPage hasPreviousPage }} }} }}"
            );
            let read = site.query(&query).await["pages"].clone();
            assert_eq!(
                (paths(&read), &read["totalCount"]),
                (expected.iter().map(ToString::to_string).collect(), &json!(5))
            );
            let info = json!({ "hasNextPage": arguments == "first: 2", "hasPreviousPage": arguments == "last: 2" });
            assert_eq!(read["pageInfo"], info);
        }
        assert_eq!(site.cost("{ pages(first: 2) { nodes { path } } }").await.range_reads, 2);
        assert_eq!(
            site.query("{ pageLinks(atMost: 5) { path } }").await["pageLinks"].as_array().map(Vec::len),
            Some(5)
        );
        assert_eq!(site.cost("{ pageLinks(atMost: 5) { path } }").await.range_reads, 2);
        site.assert_sound().await;
    }
}
