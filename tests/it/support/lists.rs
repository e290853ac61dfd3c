//! Lists read through the API, and the page that Relay's algorithm gives of a known list.

use serde_json::{Value, json};

use super::site::Site;

/// The content of one page of a list of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageOf {
    pub names: Vec<String>,
    pub has_next: bool,
    pub has_previous: bool,
}

/// The four paging arguments; a cursor is the index of its item in the whole list.
#[derive(Debug, Clone, Copy, Default)]
pub struct Arguments {
    pub first: Option<usize>,
    pub after: Option<usize>,
    pub last: Option<usize>,
    pub before: Option<usize>,
}

/// "Pagination algorithm" of the GraphQL Cursor Connections Specification, with indexes as cursors. There is a next or a previous page if the page
/// does not reach that end of the list.
pub fn relay(all: &[String], arguments: Arguments) -> PageOf {
    let mut start = arguments.after.map_or(0, |after| after + 1);
    let mut end = arguments.before.unwrap_or(all.len());
    if let Some(first) = arguments.first {
        end = end.min(start + first);
    }
    if let Some(last) = arguments.last {
        start = start.max(end.saturating_sub(last));
    }
    let names = all.get(start..end).unwrap_or_default().to_vec();
    PageOf { names, has_next: end < all.len(), has_previous: start > 0 }
}

/// A list by its field, such as `tags` or `posts`, inside a scope such as `tag(slug: "a")`, or at the root.
#[derive(Debug, Clone)]
pub struct ListOf {
    scope: String,
    field: String,
    /// Arguments other than those of paging.
    arguments: String,
    /// The token of the client; `None`: an anonymous client.
    token: Option<String>,
}

impl ListOf {
    pub fn root(field: &str) -> Self {
        Self { scope: String::new(), field: field.to_owned(), arguments: String::new(), token: None }
    }

    pub fn within(scope: &str, field: &str) -> Self {
        Self { scope: scope.to_owned(), ..Self::root(field) }
    }

    pub fn asked_by(self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self }
    }

    pub fn filtered(self, filter: &str) -> Self {
        Self { arguments: format!("{}, filter: {filter}", self.arguments), ..self }
    }

    /// With `orderBy`, as it is written in a document.
    pub fn ordered(self, order: &str) -> Self {
        Self { arguments: format!("{}, orderBy: {order}", self.arguments), ..self }
    }

    /// A page, with the arguments as they are written in a document.
    pub async fn page(&self, site: &Site, arguments: &str) -> Value {
        let Self { field, arguments: others, .. } = self;
        let page = format!(
            "list: {field}({arguments}{others}) {{ totalCount nodes {{ slug }} edges {{ cursor node {{ slug }} }} \
             pageInfo {{ hasNextPage hasPreviousPage startCursor endCursor }} }}"
        );
        let query = if self.scope.is_empty() {
            format!("{{ {page} }}")
        } else {
            format!("{{ scope: {} {{ {page} }} }}", self.scope)
        };
        let answer = site.ask_as(self.token.as_deref(), &query).await;
        assert_eq!(answer.get("errors"), None, "{query}");
        let data = &answer["data"];
        let page = if self.scope.is_empty() { data["list"].clone() } else { data["scope"]["list"].clone() };
        assert_consistent(&page);
        page
    }

    /// Each slug with its cursor, read forward in pages of 100.
    pub async fn cursors(&self, site: &Site) -> Vec<(String, String)> {
        let (mut found, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.page(site, &format!("first: 100{after}")).await;
            for edge in page["edges"].as_array().expect("edges") {
                found.push((text(&edge["node"]["slug"]), text(&edge["cursor"])));
            }
            if page["pageInfo"]["hasNextPage"] == json!(false) {
                return found;
            }
            after = format!(", after: {}", page["pageInfo"]["endCursor"]);
        }
    }

    /// The slugs, read from one end to the other in pages of `size`; each page except the last must be full.
    pub async fn walk(&self, site: &Site, size: usize, forward: bool) -> Vec<String> {
        let (count, cursor, more, place) = match forward {
            true => ("first", "after", "hasNextPage", "endCursor"),
            false => ("last", "before", "hasPreviousPage", "startCursor"),
        };
        let (mut found, mut at) = (Vec::new(), String::new());
        loop {
            let page = self.page(site, &format!("{count}: {size}{at}")).await;
            let mut names = names(&page);
            let is_full = names.len() == size;
            if forward {
                found.append(&mut names);
            } else {
                names.append(&mut found);
                found = names;
            }
            if page["pageInfo"][more] == json!(false) {
                return found;
            }
            assert!(is_full, "a page that is not full has a next one: {page}");
            at = format!(", {cursor}: {}", page["pageInfo"][place]);
        }
    }

    /// Compares the list with a known one: in both directions with three page sizes, and its count.
    pub async fn assert_is(&self, site: &Site, expected: &[String]) {
        self.assert_is_by(&[1, 7, 100], site, expected).await;
    }

    /// The same with these page sizes.
    pub async fn assert_is_by(&self, sizes: &[usize], site: &Site, expected: &[String]) {
        for &size in sizes {
            for forward in [true, false] {
                assert_eq!(self.walk(site, size, forward).await, expected, "{self:?} by {size}, forward: {forward}");
            }
        }
        let page = self.page(site, "first: 1").await;
        assert_eq!(page["totalCount"], json!(expected.len()), "{self:?}");
    }

    /// Compares one page with Relay's algorithm.
    pub async fn assert_page(&self, site: &Site, all: &[(String, String)], arguments: Arguments) {
        let slugs: Vec<String> = all.iter().map(|(slug, _)| slug.clone()).collect();
        let size = |name: &str, n: Option<usize>| n.map(|n| format!("{name}: {n}"));
        let cursor = |name: &str, at: Option<usize>| at.map(|at| format!("{name}: {:?}", all[at].1));
        let written = [
            size("first", arguments.first),
            cursor("after", arguments.after),
            size("last", arguments.last),
            cursor("before", arguments.before),
        ];
        let written: Vec<String> = written.into_iter().flatten().collect();
        let page = self.page(site, &written.join(", ")).await;
        let info = &page["pageInfo"];
        let found = PageOf {
            names: names(&page),
            has_next: info["hasNextPage"] == json!(true),
            has_previous: info["hasPreviousPage"] == json!(true),
        };
        assert_eq!(found, relay(&slugs, arguments), "{self:?} {arguments:?}");
    }
}

fn names(page: &Value) -> Vec<String> {
    page["nodes"].as_array().expect("nodes").iter().map(|node| text(&node["slug"])).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}

/// Checks that `nodes`, `edges` and `pageInfo` describe the same page.
fn assert_consistent(page: &Value) {
    let edges = page["edges"].as_array().expect("edges");
    let of_edges: Vec<_> = edges.iter().map(|edge| &edge["node"]).collect();
    assert_eq!(page["nodes"].as_array().expect("nodes").iter().collect::<Vec<_>>(), of_edges);
    let cursor = |edge: Option<&Value>| edge.map_or(Value::Null, |edge| edge["cursor"].clone());
    assert_eq!(page["pageInfo"]["startCursor"], cursor(edges.first()));
    assert_eq!(page["pageInfo"]["endCursor"], cursor(edges.last()));
}
