//! The plan beside the access log of Azurite, with the store that a server uses. The rule: for each query, the two have the same requests with the same
//! tables, keys and ranges; for each change, the access log has the reads of the plan, and the plan has the change as one transaction.
//!
//! A change is one append to the log of the store and what carries it out, which a plan does not list. The access log has a transaction as a POST to
//! `$batch`, without its table; [`Written`], below the store's log, has the tables.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::content::{Content, Sharing};
use tidings::model::Role;
use tidings::store::azure::AzureStore;
use tidings::store::observed::RequestKind;
use tidings::store::{Batch, Etag, LogStore, ObservedStore, Result, Store, TableStore};

use super::{AS_EDITOR, EXPLAIN, Server, requests};
use crate::graphql::price::examples::{self, Kind};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::pass_on::pass_on;
use crate::support::site::{NOW, Site, instant};

const TRANSACTION: &str = "TRANSACTION";

/// Notes the table of each transaction.
struct Written {
    inner: Store,
    tables: Mutex<Vec<&'static str>>,
}

impl Written {
    /// How often each table was written since the last call.
    fn take(&self) -> BTreeMap<&'static str, usize> {
        let mut counts = BTreeMap::new();
        self.tables.lock().expect("no panic").drain(..).for_each(|table| *counts.entry(table).or_default() += 1);
        counts
    }
}

#[async_trait::async_trait]
impl TableStore for Written {
    pass_on!(inner: create_tables, get, range, scan, ping);

    async fn commit(&self, table: &'static str, batch: &Batch) -> Result<Vec<Option<Etag>>> {
        self.tables.lock().expect("no panic").push(table);
        self.inner.commit(table, batch).await
    }
}

/// A request of the log, as [`of_plan`] writes it.
fn of_log(prefix: &str, line: &str) -> String {
    let (method, url) = line.split_once(' ').expect("a method");
    let path = url.strip_prefix("/devstoreaccount1/").expect("a path of the account");
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8().expect("UTF-8").into_owned();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = decoded(path);
    if method == "POST" && path == "$batch" {
        return TRANSACTION.to_owned();
    }
    assert_eq!(method, "GET", "{line}");
    let path = path.strip_prefix(prefix).unwrap_or_else(|| panic!("{line}"));
    match path.strip_suffix("()") {
        None => match path.split_once('(') {
            Some((table @ ("Tokens" | "Idempotency" | "ChangeLog"), _)) => {
                format!("POINT {table}(PartitionKey='(secret)',RowKey='(secret)')")
            }
            _ => format!("POINT {path}"),
        },
        Some(table) => {
            let filter = query.split('&').find_map(|parameter| {
                let (name, value) = parameter.split_once('=')?;
                (decoded(name) == "$filter").then(|| decoded(value))
            });
            match table {
                "Tokens" => "RANGE Tokens PartitionKey eq '(secret)'".to_owned(),
                // The log begins after its own row of the partition.
                _ => format!("RANGE {table} {}", filter.unwrap_or_default().replace(" and RowKey ge '!applied '", "")),
            }
        }
    }
}

fn of_plan(request: &Value) -> String {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let (table, partition) = (text("table"), text("partitionKey"));
    match text("kind") {
        TRANSACTION => TRANSACTION.to_owned(),
        "POINT" => format!("POINT {table}(PartitionKey='{partition}',RowKey='{}')", text("rowKey")),
        _ if partition == "*" => format!("RANGE {table} "),
        _ => {
            let mut filter = format!("RANGE {table} PartitionKey eq '{partition}'");
            if table == "Tokens" {
                return filter;
            }
            for (operator, bound) in [("ge", "from"), ("lt", "to")] {
                if request.get(bound).is_some() {
                    filter.push_str(&format!(" and RowKey {operator} '{}'", text(bound)));
                }
            }
            filter
        }
    }
}

/// The input of a mutation of the examples, or of [`MORE`], which takes it as a variable.
async fn input(server: &Server, query: &str) -> Value {
    let named = |name: &str| query.contains(name);
    if named("CreatePostInput!") {
        return json!({ "title": "A new post", "markdown": "*Text.*", "tagSlugs": ["website"], "publishAt": "2026-01-02T00:00:00Z" });
    }
    let slug =
        if named("PublishPostInput!") && !named("UnpublishPostInput!") { "a-draft" } else { "why-we-wash-our-html" };
    let query = format!("{{ post(slug: \"{slug}\") {{ id version revisions(last: 1) {{ nodes {{ id }} }} }} }}");
    let post = server.ask(&[AS_EDITOR], &json!({ "query": query })).await["data"]["post"].clone();
    match () {
        () if named("CreatePreviewInput!") => json!({ "contentId": post["id"] }),
        () if named("UpdatePostInput!") => {
            json!({ "id": post["id"], "expectedVersion": post["version"], "slug": "why-we-wash", "tagSlugs": ["telescopes"] })
        }
        () if named("RestoreRevisionInput!") => {
            json!({ "revisionId": post["revisions"]["nodes"][0]["id"], "expectedVersion": post["version"] })
        }
        () => json!({ "id": post["id"], "expectedVersion": post["version"] }),
    }
}

/// Changes of terms and tokens, which no example has.
const MORE: [&str; 4] = [
    "mutation { createTag(input: { name: \"New\", slug: \"new\" }) { tag { id } } }",
    "mutation { updateTag(input: { @tag(new), slug: \"newer\", name: \"Newer\" }) { tag { slug } userErrors { code } } }",
    "mutation { deleteTag(input: { @tag(newer) }) { userErrors { code } } }",
    "mutation { createToken(input: { name: \"ci\", role: EDITOR }) { token { id } userErrors { code } } }",
];

/// A server on tables, as `tidings serve --store azure` composes it, with the log of its requests.
struct Logged {
    azurite: Azurite,
    prefix: String,
    written: Arc<Written>,
    site: Site,
    server: Server,
}

/// What one request has sent, sorted.
struct Sent {
    requests: Vec<String>,
    /// The tables of its transactions.
    tables: BTreeMap<&'static str, usize>,
}

impl Logged {
    async fn start() -> Self {
        let azurite = Azurite::own();
        let prefix = random_prefix();
        let store = Arc::new(AzureStore::connect(&azurite.settings(&prefix)).expect("a client"));
        let written = Arc::new(Written { inner: store, tables: Mutex::default() });
        let observed = Arc::new(ObservedStore::new(Arc::<Written>::clone(&written), RequestKind::Azure));
        let store: Store = Arc::new(LogStore::new(observed, Content::LOG, Clock::System));
        let (sharing, clock) = (Sharing::Shared { seen_within: Duration::from_secs(1) }, Clock::fixed(instant(NOW)));
        let content = Content::open(Arc::clone(&store), clock.clone(), sharing).await.expect("the content opens");
        let site = Site { content, store, clock };
        let server = Server::of(&site, false);
        Self { azurite, prefix, written, site, server }
    }

    /// Sends a request with nothing cached, and returns what it has sent until its answer.
    async fn send(&self, headers: &[(&str, &str)], body: &Value) -> (Value, Sent) {
        self.site.invalidate_cached();
        let before = self.azurite.requests().len();
        self.written.take();
        let answer = self.server.ask(headers, body).await;
        let log = self.azurite.requests().split_off(before);
        let tables = self.written.take();
        let mut requests: Vec<String> = log.iter().map(|line| of_log(&self.prefix, line)).collect();
        requests.sort_unstable();
        let transactions = requests.iter().filter(|request| *request == TRANSACTION).count();
        assert_eq!(transactions, tables.values().sum::<usize>(), "{tables:?}");
        (answer, Sent { requests, tables })
    }
}

/// The plan of a query has the requests that were sent, and their number is what the request has spent. That of a change has its reads and one transaction.
fn assert_planned(place: &str, plan: &Value, sent: &Sent) {
    assert!(plan.is_object() && plan["notListed"] == 0, "{place} {plan:#}");
    let mut planned: Vec<String> = requests(plan).iter().map(of_plan).collect();
    planned.sort_unstable();
    assert_eq!(plan["spent"]["storageRequests"], planned.len(), "{place}");
    if sent.tables.is_empty() {
        assert_eq!(planned, sent.requests, "{place} {plan:#}");
    } else {
        assert_listed(place, planned, sent);
    }
}

/// What one change, and what was read beside it, has planned.
fn assert_listed(place: &str, mut planned: Vec<String>, sent: &Sent) {
    let transactions = planned.iter().filter(|request| *request == TRANSACTION).count();
    assert_eq!((transactions, sent.tables.get(Content::LOG.table)), (1, Some(&1)), "{place} {:?}", sent.tables);
    planned.retain(|request| request != TRANSACTION);
    let mut rest = sent.requests.clone();
    for request in planned {
        let at = rest.iter().position(|sent| *sent == request);
        rest.remove(at.unwrap_or_else(|| panic!("{place}: {request} was not sent: {:#?}", sent.requests)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_each_example_are_those_of_the_access_log_of_azurite() {
    let logged = Logged::start().await;
    let (site, server) = (&logged.site, &logged.server);
    let id = examples::import_blog(site).await;
    let (mut compared, mut tables, mut refused) = (0, BTreeMap::<_, usize>::new(), Vec::new());
    let more = MORE.map(|query| ("a change".to_owned(), query.to_owned(), json!({})));
    // For a search, the index of the server reads the feed of changes too, which is no request of a client.
    let is_search = |query: &str| query.contains("search(") || query.contains("related");
    let examples = [Kind::Query, Kind::Mutation].into_iter().flat_map(examples::all).filter(|e| !is_search(&e.query));
    // A token that is stored, so that the sign-in is a request too.
    let token = format!("Bearer {}", site.token(Role::Admin, None).await);
    for (place, query, mut variables) in examples.map(|e| (e.place, e.query, e.variables)).chain(more) {
        let query = site.with_ids(&query).await;
        variables["id"] = variables.get("id").cloned().unwrap_or_else(|| id.clone());
        if query.contains("$input") && variables.get("input").is_none() {
            variables["input"] = input(server, &query).await;
        }
        variables["title"] = json!("A title");
        variables["markdown"] = json!("Text");
        let body = json!({ "query": query, "variables": variables });
        let (answer, sent) = logged.send(&[EXPLAIN, ("Authorization", &token)], &body).await;
        assert_planned(&place, &answer["extensions"]["explain"], &sent);
        let is_refused = answer.get("errors").is_some() || answer["data"].to_string().contains("\"code\":");
        if is_refused || sent.tables.is_empty() == query.contains("mutation ") {
            refused.push(place);
        }
        compared += sent.requests.len();
        sent.tables.into_iter().for_each(|(table, count)| *tables.entry(table).or_default() += count);
    }
    println!("{compared} requests, transactions: {tables:?}");
    assert_eq!(refused, Vec::<String>::new(), "an example that does not run compares nothing");
    let appends = tables[Content::LOG.table];
    assert!(compared > 500 && appends >= 8 && tables.values().sum::<usize>() > 30, "{compared} {tables:?}");
}

/// Beside one operation of an admin: other ways to sign in, and to ask.
#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_each_way_to_ask_are_those_of_the_access_log_of_azurite() {
    let logged = Logged::start().await;
    let (site, server) = (&logged.site, &logged.server);
    let _ = examples::import_blog(site).await;
    let page = "{ posts(first: 5) { nodes { title author { name } tags { name } } totalCount } }";
    // The link of a draft, which is read with its key.
    let draft =
        "mutation { createPost(input: { title: \"Draft\", slug: \"draft\", markdown: \"x\" }) { post { id } } }";
    let draft = server.ask(&[AS_EDITOR], &json!({ "query": draft })).await["data"]["createPost"]["post"]["id"].clone();
    let link = "mutation($id: ID!) { createPreview(input: { contentId: $id }) { preview { token } } }";
    let link = server.ask(&[AS_EDITOR], &json!({ "query": link, "variables": { "id": draft } })).await;
    let link = format!("Bearer {}", link["data"]["createPreview"]["preview"]["token"].as_str().expect("a link"));
    let admin = format!("Bearer {}", site.token(Role::Admin, None).await);
    let author = format!("Bearer {}", site.token(Role::Author, Some("zoe-angstrom")).await);
    let all = Server::of(site, true);
    let logged = Logged { server: all, ..logged };
    let shown = "{ post(slug: \"draft\") { title body { text } } }";
    for (place, headers, query) in [
        ("a stored token", vec![EXPLAIN, ("Authorization", admin.as_str())], page),
        ("the cost", vec![EXPLAIN, ("Authorization", &admin), ("GraphQL-Cost", "report")], page),
        ("an anonymous client", vec![EXPLAIN], page),
        ("a preview", vec![EXPLAIN, ("Authorization", &link)], shown),
        ("an author", vec![EXPLAIN, ("Authorization", &author)], "{ viewer { name } }"),
    ] {
        let (answer, sent) = logged.send(&headers, &json!({ "query": query })).await;
        assert_eq!(answer.get("errors"), None, "{place}");
        let plan = &answer["extensions"]["explain"];
        if place == "an author" {
            // Which has no keys.
            assert_eq!(plan["spent"]["storageRequests"], sent.requests.len(), "{plan:#}");
            assert!(sent.requests.len() >= 2, "the token and its author: {:?}", sent.requests);
            continue;
        }
        assert_planned(place, plan, &sent);
        assert!(!sent.requests.is_empty(), "{place}");
    }
    let change =
        "mutation { updateTag(input: { @tag(telescopes), name: \"Our telescopes\" }) { userErrors { code } } }";
    let change = logged.site.with_ids(change).await;
    let batch = json!([{ "query": page }, { "query": change }, { "query": page }]);
    let (answers, sent) = logged.send(&[EXPLAIN, ("Authorization", &admin)], &batch).await;
    let plans: Vec<&Value> =
        answers.as_array().expect("answers").iter().map(|answer| &answer["extensions"]["explain"]).collect();
    assert!(plans.iter().all(|plan| !requests(plan).is_empty()), "{answers:#}");
    assert_listed("a batch", plans.iter().flat_map(|plan| requests(plan)).map(of_plan).collect(), &sent);
}
