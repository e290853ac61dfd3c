//! The plan beside the access log of Azurite. The rule: for each example, the two have the same requests with the same tables, keys and ranges.
//!
//! The log has a transaction as a POST to `$batch`, without its table and keys, so transactions are compared by their number.

use std::sync::Arc;

use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tidings::store::azure::AzureStore;

use super::{AS_EDITOR, EXPLAIN, Server, requests};
use crate::graphql::price::examples::{self, Kind};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::site::Site;

/// A request of the log, as [`of_plan`] writes it.
fn of_log(prefix: &str, line: &str) -> String {
    let (method, url) = line.split_once(' ').expect("a method");
    let path = url.strip_prefix("/devstoreaccount1/").expect("a path of the account");
    let decoded = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8().expect("UTF-8").into_owned();
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let path = decoded(path);
    if method == "POST" && path == "$batch" {
        return "TRANSACTION".to_owned();
    }
    assert_eq!(method, "GET", "{line}");
    let path = path.strip_prefix(prefix).unwrap_or_else(|| panic!("{line}"));
    match path.strip_suffix("()") {
        None => match path.split_once('(') {
            Some((table @ ("Tokens" | "Idempotency"), _)) => {
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
                _ => format!("RANGE {table} {}", filter.unwrap_or_default()),
            }
        }
    }
}

fn of_plan(request: &Value) -> String {
    let text = |name: &str| request[name].as_str().unwrap_or_default();
    let (table, partition) = (text("table"), text("partitionKey"));
    match text("kind") {
        "TRANSACTION" => "TRANSACTION".to_owned(),
        "POINT" => format!("POINT {table}(PartitionKey='{partition}',RowKey='{}')", text("rowKey")),
        // The open intents are in many partitions.
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
        return json!({ "title": "A new post", "markdown": "*Text.*", "tags": ["website"], "publishAt": "2026-01-02T00:00:00Z" });
    }
    let slug =
        if named("PublishPostInput!") && !named("UnpublishPostInput!") { "a-draft" } else { "why-we-wash-our-html" };
    let query = format!("{{ post(slug: \"{slug}\") {{ id version revisions(last: 1) {{ nodes {{ id }} }} }} }}");
    let post = server.ask(&[AS_EDITOR], &json!({ "query": query })).await["data"]["post"].clone();
    match () {
        () if named("CreatePreviewInput!") => json!({ "contentId": post["id"] }),
        () if named("UpdatePostInput!") => {
            json!({ "id": post["id"], "expectedVersion": post["version"], "slug": "why-we-wash", "tags": ["telescopes"] })
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

#[tokio::test(flavor = "multi_thread")]
async fn the_requests_of_each_example_are_those_of_the_access_log_of_azurite() {
    let azurite = Azurite::own();
    let prefix = random_prefix();
    let store = Arc::new(AzureStore::connect(&azurite.settings(&prefix)).expect("a client"));
    let site = Site::over(store).await;
    let id = examples::import_blog(&site).await;
    let server = Server::of(&site, false);
    let (mut compared, mut transactions, mut ran, mut refused) = (0, 0, 0, Vec::new());
    let more = MORE.map(|query| ("a change".to_owned(), query.to_owned(), json!({})));
    let examples = [Kind::Query, Kind::Mutation].into_iter().flat_map(examples::all);
    // A token that is stored, so that the sign-in is a request too.
    let token = format!("Bearer {}", site.token(tidings::model::Role::Admin, None).await);
    for (place, query, mut variables) in examples.map(|e| (e.place, e.query, e.variables)).chain(more) {
        let query = site.with_ids(&query).await;
        variables["id"] = variables.get("id").cloned().unwrap_or_else(|| id.clone());
        if query.contains("$input") && variables.get("input").is_none() {
            variables["input"] = input(&server, &query).await;
        }
        variables["title"] = json!("A title");
        variables["markdown"] = json!("Text");
        site.invalidate_cached();
        let before = azurite.requests().len();
        let answer =
            server.ask(&[EXPLAIN, ("Authorization", &token)], &json!({ "query": query, "variables": variables })).await;
        let log = azurite.requests().split_off(before);
        let plan = &answer["extensions"]["explain"];
        assert!(plan.is_object() && plan["notListed"] == 0, "{place} {answer:#}");
        let sorted = |mut of: Vec<String>| {
            of.sort_unstable();
            of
        };
        let planned = sorted(requests(plan).iter().map(of_plan).collect());
        let logged = sorted(log.iter().map(|line| of_log(&prefix, line)).collect());
        assert_eq!(planned, logged, "{place} {answer:#}");
        assert_eq!(plan["spent"]["storageRequests"], logged.len(), "{place}");
        let is_refused = answer.get("errors").is_some() || answer["data"].to_string().contains("\"code\":");
        let has_written = logged.iter().any(|request| request == "TRANSACTION");
        if is_refused || has_written != query.contains("mutation ") {
            refused.push(place);
        }
        compared += logged.len();
        let of_place = logged.iter().filter(|request| *request == "TRANSACTION").count();
        transactions += of_place;
        ran += usize::from(of_place > 0);
    }
    println!("{compared} requests, {transactions} of them transactions, of {ran} mutations");
    assert_eq!(refused, Vec::<String>::new(), "an example that does not run compares nothing");
    assert!(compared > 500 && transactions > 20 && ran >= 5, "{compared} {transactions} {ran}");
}
