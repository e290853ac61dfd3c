//! Pages of lists of pages in both directions, compared with Relay's algorithm on the whole list, and the counts of the lists.

use serde_json::{Value, json};

use super::{create, done, mutate, paths, sites};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

const PAGE: &str = "nodes { path } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";

/// The arguments of one page; the cursors are positions in the list.
#[derive(Debug, Clone, Copy, Default)]
struct Arguments {
    first: Option<usize>,
    last: Option<usize>,
    after: Option<usize>,
    before: Option<usize>,
}

impl Arguments {
    fn text(self, cursors: &[String]) -> String {
        let sizes = [("first", self.first), ("last", self.last)];
        let sizes = sizes.into_iter().filter_map(|(name, size)| Some(format!(", {name}: {}", size?)));
        let at = [("after", self.after), ("before", self.before)];
        let at = at.into_iter().filter_map(|(name, at)| Some(format!(", {name}: {:?}", cursors[at?])));
        sizes.chain(at).collect()
    }

    /// The part of a list of this length, and whether there are items after and before it.
    fn part(self, length: usize) -> (std::ops::Range<usize>, bool, bool) {
        let mut start = self.after.map_or(0, |after| after + 1);
        let mut end = self.before.unwrap_or(length);
        if let Some(first) = self.first.or(self.last.is_none().then_some(20)) {
            end = end.min(start + first);
        }
        if let Some(last) = self.last {
            start = start.max(end.saturating_sub(last));
        }
        (start..end, end < length, start > 0)
    }
}

/// All arguments with these sizes whose cursors are in order.
fn all(length: usize) -> Vec<Arguments> {
    let sizes =
        [(None, None), (Some(3), None), (None, Some(3)), (Some(4), Some(2)), (Some(2), Some(9)), (None, Some(100))];
    let cursors: Vec<_> = [None].into_iter().chain([0, 2, length - 2].map(Some)).collect();
    let mut found = Vec::new();
    for (first, last) in sizes {
        for (after, before) in cursors.iter().flat_map(|after| cursors.iter().map(move |before| (*after, *before))) {
            if after.zip(before).is_none_or(|(after, before)| after < before) {
                found.push(Arguments { first, last, after, before });
            }
        }
    }
    found
}

async fn ask(site: &Site, query: &str) -> Value {
    let answer = site.ask_as(Some(EDITOR_TOKEN), query).await;
    assert_eq!(answer.get("errors"), None, "{query}");
    answer["data"].clone()
}

/// Compares each page of a list with the list. `list`: the field with its first arguments.
async fn assert_list(site: &Site, list: &str, expected: &[String]) {
    let whole = ask(site, &format!("{{ list: {list} first: 100) {{ totalCount {PAGE} }} }}")).await["list"].take();
    assert_eq!((paths(&whole), &whole["totalCount"]), (expected.to_vec(), &json!(expected.len())), "{list}");
    let edges = whole["edges"].as_array().expect("edges");
    let cursors: Vec<String> = edges.iter().map(|edge| edge["cursor"].as_str().expect("a cursor").to_owned()).collect();
    for arguments in all(expected.len()) {
        let text = arguments.text(&cursors);
        let page = ask(site, &format!("{{ list: {list}{text}) {{ {PAGE} }} }}")).await["list"].take();
        let (part, has_next, has_previous) = arguments.part(expected.len());
        assert_eq!(paths(&page), expected[part.clone()], "{list}{text}");
        let ends = |at: Option<&String>| at.map_or(Value::Null, |cursor| json!(cursor));
        let info = json!({ "hasNextPage": has_next, "hasPreviousPage": has_previous,
            "startCursor": ends(cursors[part.clone()].first()), "endCursor": ends(cursors[part].last()) });
        assert_eq!(page["pageInfo"], info, "{list}{text}");
    }
}

#[tokio::test]
async fn every_page_of_a_list_of_pages_follows_relay_in_both_directions() {
    for site in sites().await {
        create(&site, "docs", Some(1)).await;
        let mut shown = Vec::new();
        for n in 0..9 {
            let (path, order) = (format!("docs/p{n}"), if n < 4 { Some(n / 2) } else { None });
            create(&site, &path, order).await;
            shown.push(path);
        }
        let mut drafts = Vec::new();
        for n in 0..6 {
            let path = format!("docs/d{n}");
            done(&site, "createPage", json!({ "path": path, "title": "D", "markdown": "", "order": 0 })).await;
            drafts.push(path);
        }
        assert_list(&site, "pages(parentPath: \"docs\",", &shown).await;
        assert_list(&site, "draftPages(parentPath: \"docs\",", &drafts).await;
        let children = "{ page(path: \"docs\") { children(last: 2) { totalCount nodes { path } } } }";
        let read = site.query(children).await["page"]["children"].clone();
        assert_eq!((&read["totalCount"], paths(&read)), (&json!(9), shown[7..].to_vec()), "without the drafts");
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn what_is_not_in_the_list_is_not_counted_and_bad_arguments_are_refused() {
    for site in sites().await {
        let draft = done(&site, "createPage", json!({ "path": "a", "title": "D", "markdown": "" })).await;
        create(&site, "a/open", None).await;
        let counts = "{ pages { totalCount } below: pages(parentPath: \"a\") { totalCount } none: pages(parentPath: \"x\", last: 1) { totalCount } }";
        let none = json!({ "totalCount": 0 });
        assert_eq!(site.query(counts).await, json!({ "pages": none, "below": none, "none": none }));
        done(&site, "publishPage", json!({ "id": draft["id"], "expectedVersion": 1 })).await;
        let one = json!({ "totalCount": 1 });
        assert_eq!(site.query(counts).await, json!({ "pages": one, "below": one, "none": none }));
        let open = site.query("{ page(path: \"a/open\") { id } }").await["page"]["id"].clone();
        mutate(&site, "deletePage", json!({ "id": open, "expectedVersion": 1 })).await;
        assert_eq!(site.query(counts).await, json!({ "pages": one, "below": none, "none": none }));
        let cursor = site.query("{ pages { pageInfo { endCursor } } }").await["pages"]["pageInfo"]["endCursor"].clone();
        for (arguments, code) in [
            ("last: 101", "BAD_USER_INPUT"),
            ("last: -1", "BAD_USER_INPUT"),
            ("before: \"x\"", "BAD_CURSOR"),
            (&*format!("parentPath: \"a\", last: 1, before: {cursor}"), "BAD_CURSOR"),
        ] {
            let query = format!("{{ pages({arguments}) {{ nodes {{ id }} }} }}");
            assert_eq!(site.codes(&query).await, [code], "{arguments}");
        }
        site.assert_sound().await;
    }
}
