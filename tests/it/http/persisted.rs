//! Documents that clients register by their hashes and name later: Apollo's protocol for automatic persisted queries, and `documentId`.

use serde_json::{Value, json};
use tidings::graphql::persisted::DocumentHash;
use tidings::http::{HttpLimits, HttpSettings, ServerLimits};

use super::{
    client::{Answer, Client, get, post, post_with},
    toy::Toy,
};

const NEWER: &str = "content-type: application/json\r\naccept: application/graphql-response+json\r\n";

fn hash(text: &str) -> String {
    DocumentHash::of(text).to_string()
}

fn extension(hash: &str) -> Value {
    json!({ "persistedQuery": { "version": 1, "sha256Hash": hash } })
}

/// A request that names a document, with its text or without it.
fn named(hash: &str, text: Option<&str>) -> String {
    let mut body = json!({ "extensions": extension(hash) });
    if let Some(text) = text {
        body["query"] = text.into();
    }
    body.to_string()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// The path of a GET that names a document by its hash.
fn path(hash: &str) -> String {
    format!("/graphql?extensions={}", encoded(&extension(hash).to_string()))
}

async fn asked(client: &mut Client, request: impl AsRef<[u8]>) -> Answer {
    client.send(request).await;
    client.answer().await
}

fn outcome(answer: &Answer) -> (u16, String, String) {
    (answer.status, answer.code(), answer.message())
}

fn not_found(status: u16) -> (u16, String, String) {
    (status, "PERSISTED_QUERY_NOT_FOUND".into(), "PersistedQueryNotFound".into())
}

#[tokio::test]
async fn a_document_is_registered_with_its_hash_and_then_found_by_it() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let text = "query($n: Int = 1) { echo(number: $n) }";
    let hash = hash(text);
    assert_eq!(outcome(&asked(&mut client, post(named(&hash, None))).await), not_found(200));
    // Clients of Apollo's protocol read the answer only with this status; a `documentId` is of no protocol that needs it.
    assert_eq!(outcome(&asked(&mut client, post_with(NEWER, named(&hash, None))).await), not_found(200));
    let by_id = json!({ "documentId": format!("sha256:{hash}") }).to_string();
    assert_eq!(outcome(&asked(&mut client, post_with(NEWER, by_id)).await), not_found(404));
    let missed = asked(&mut client, get(&path(&hash))).await;
    assert_eq!(outcome(&missed), not_found(200));
    assert_eq!(
        missed.header("cache-control"),
        Some("no-store"),
        "a cache must not keep it until the document is known"
    );
    assert_eq!(missed.header("etag"), None);

    let registered = asked(&mut client, post(named(&hash, Some(text)))).await;
    assert_eq!(registered.json(), json!({ "data": { "echo": " 1" } }));
    for request in [
        post(named(&hash, None)),
        get(&path(&hash)),
        get(&format!("/graphql?documentId=sha256:{hash}")),
        post(json!({ "documentId": format!("sha256:{hash}") }).to_string()),
        post(json!({ "doc_id": format!("sha256:{hash}"), "query": null }).to_string()),
        post(json!({ "query": "", "extensions": extension(&hash) }).to_string()),
    ] {
        let answer = asked(&mut client, &request).await;
        assert_eq!(answer.json(), json!({ "data": { "echo": " 1" } }), "{}", String::from_utf8_lossy(&request));
    }
    let with_variables = json!({ "extensions": extension(&hash), "variables": { "n": 7 } });
    assert_eq!(asked(&mut client, post(with_variables.to_string())).await.json()["data"]["echo"], " 7");
    let cached = asked(&mut client, get(&format!("{}&variables={}", path(&hash), encoded("{\"n\":8}")))).await;
    assert_eq!(cached.json()["data"]["echo"], " 8");
    assert_eq!(cached.header("cache-control"), Some("no-cache"));
    assert!(cached.header("etag").is_some());
    toy.end().await;
}

#[tokio::test]
async fn a_hash_never_gets_another_document_and_only_what_was_executed_is_kept() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let (good, bad) = ("{ name }", "{ a { name } }");
    let poisoned = asked(&mut client, post(named(&hash(good), Some(bad)))).await;
    let refused = (400, "PERSISTED_QUERY_HASH_MISMATCH".to_owned(), "provided sha does not match query".to_owned());
    assert_eq!(outcome(&poisoned), refused);
    let by_get = asked(&mut client, get(&format!("{}&query={}", path(&hash(good)), encoded(bad)))).await;
    assert_eq!(outcome(&by_get), refused);
    assert_eq!(by_get.header("cache-control"), Some("no-store"));
    for text in [good, bad] {
        assert_eq!(outcome(&asked(&mut client, post(named(&hash(text), None))).await), not_found(200), "{text}");
    }
    let faulty = [
        ("{ nothing }", "GRAPHQL_VALIDATION_FAILED"),
        ("{ name", "GRAPHQL_PARSE_FAILED"),
        ("query($t: [Int]!) { list(lists: [$t]) }", "BAD_USER_INPUT"),
        ("query A { name } query B { name }", "OPERATION_RESOLUTION_FAILURE"),
        ("{ echo(number: \"x\") }", "BAD_USER_INPUT"),
    ];
    for (text, code) in faulty {
        assert_eq!(asked(&mut client, post(named(&hash(text), Some(text)))).await.code(), code, "{text}");
        assert_eq!(outcome(&asked(&mut client, post(named(&hash(text), None))).await), not_found(200), "{text}");
    }
    // A document whose field fails was valid, and its execution has begun.
    let failing = "{ maybeFails }";
    asked(&mut client, post(named(&hash(failing), Some(failing)))).await;
    assert_eq!(asked(&mut client, post(named(&hash(failing), None))).await.code(), "INTERNAL_SERVER_ERROR");
    toy.end().await;
}

#[tokio::test]
async fn a_mutation_by_its_hash_runs_by_post_and_never_by_get() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let text = "mutation { write }";
    assert_eq!(asked(&mut client, post(named(&hash(text), Some(text)))).await.json()["data"]["write"], 0);
    assert_eq!(asked(&mut client, post(named(&hash(text), None))).await.status, 200);
    assert_eq!(toy.marks.writes(), 2);
    for path in [path(&hash(text)), format!("/graphql?documentId=sha256:{}", hash(text))] {
        let answer = asked(&mut client, get(&path)).await;
        assert_eq!((answer.status, answer.code()), (405, "METHOD_NOT_ALLOWED".into()));
        assert_eq!(answer.header("allow"), Some("POST"));
    }
    let as_a_form = post_with("content-type: text/plain\r\n", named(&hash(text), None));
    assert_eq!(asked(&mut client, as_a_form).await.status, 415);
    assert_eq!(toy.marks.writes(), 2);
    toy.end().await;
}

#[tokio::test]
async fn a_server_that_registers_none_says_so_and_a_client_goes_on_with_texts() {
    let limits = HttpLimits { persisted_bytes: 0, ..HttpLimits::default() };
    let toy = Toy::start_with(HttpSettings::from(limits), ServerLimits::default()).await;
    let mut client = Client::connect(toy.address).await;
    let text = "{ name }";
    let refused = (200, "PERSISTED_QUERY_NOT_SUPPORTED".to_owned(), "PersistedQueryNotSupported".to_owned());
    for body in [named(&hash(text), None), named(&hash(text), Some(text))] {
        assert_eq!(outcome(&asked(&mut client, post(&body)).await), refused, "{body}");
        assert_eq!(outcome(&asked(&mut client, post_with(NEWER, &body)).await), refused, "{body}");
    }
    let by_id = asked(&mut client, post(json!({ "documentId": "9a" }).to_string())).await;
    assert_eq!(outcome(&by_id), not_found(200));
    assert_eq!(asked(&mut client, post(json!({ "query": text }).to_string())).await.json()["data"]["name"], "toy");
    toy.end().await;
}

#[tokio::test]
async fn a_malformed_name_is_refused() {
    let toy = Toy::start().await;
    let mut client = Client::connect(toy.address).await;
    let hash = hash("{ name }");
    let with = |extension: Value| json!({ "extensions": { "persistedQuery": extension } });
    let cases = [
        (with(json!({ "version": 2, "sha256Hash": hash })), 400, "Unsupported persisted query version: it must be 1."),
        (with(json!({ "sha256Hash": hash })), 400, "Unsupported persisted query version: it must be 1."),
        (with(json!({ "version": 1 })), 422, "`extensions.persistedQuery.sha256Hash` is not a string."),
        (with(json!(hash)), 422, "`extensions.persistedQuery` is not an object."),
        (with(Value::Null), 422, "`query` is missing: the text of a GraphQL document."),
        (json!({ "documentId": 7 }), 422, "`documentId` is not a string."),
        (
            json!({ "documentId": "9a", "extensions": extension(&hash) }),
            422,
            "The document is named twice; name it by `documentId` or by `persistedQuery`.",
        ),
    ];
    for (body, status, message) in cases {
        let answer = asked(&mut client, post(body.to_string())).await;
        assert_eq!(outcome(&answer), (status, "BAD_REQUEST".into(), message.into()), "{body}");
    }
    let other = json!({ "query": "{ name }", "documentId": "9a" });
    let message = "`documentId` does not name the document in `query`; send one of them.";
    let answer = asked(&mut client, post(other.to_string())).await;
    assert_eq!(outcome(&answer), (400, "PERSISTED_QUERY_HASH_MISMATCH".into(), message.into()));
    let beside = json!({ "query": "{ name }", "doc_id": 7 });
    assert_eq!(
        asked(&mut client, post(beside.to_string())).await.json()["data"]["name"],
        "toy",
        "it has another purpose"
    );
    toy.end().await;
}

#[tokio::test]
async fn each_request_of_a_batch_names_its_own_document() {
    let settings = HttpSettings { batch_max: 5, ..HttpSettings::default() };
    let toy = Toy::start_with(settings, ServerLimits::default()).await;
    let mut client = Client::connect(toy.address).await;
    let text = "{ name }";
    let request = |text: Option<&str>| serde_json::from_str::<Value>(&named(&hash("{ name }"), text)).expect("JSON");
    let body = json!([request(None), request(Some(text)), request(None), request(Some("{ a { name } }"))]);
    let answers = asked(&mut client, post(body.to_string())).await.json();
    assert_eq!(answers[0]["errors"][0]["extensions"]["code"], "PERSISTED_QUERY_NOT_FOUND");
    assert_eq!([&answers[1]["data"]["name"], &answers[2]["data"]["name"]], ["toy", "toy"]);
    assert_eq!(answers[3]["errors"][0]["extensions"]["code"], "PERSISTED_QUERY_HASH_MISMATCH");
    toy.end().await;
}

#[tokio::test]
async fn a_flood_of_documents_that_come_once_does_not_displace_those_in_use() {
    let limits = HttpLimits { persisted_bytes: 64 * 1024, ..HttpLimits::default() };
    let toy = Toy::start_with(HttpSettings::from(limits), ServerLimits::default()).await;
    let mut client = Client::connect(toy.address).await;
    let text = "{ used: name }";
    asked(&mut client, post(named(&hash(text), Some(text)))).await;
    for n in 0..600 {
        let once = format!("query Once{n} {{ {} }}", "name ".repeat(n % 40 + 1));
        assert_eq!(asked(&mut client, post(named(&hash(&once), Some(&once)))).await.status, 200);
        if n % 50 == 0 {
            let used = asked(&mut client, post(named(&hash(text), None))).await;
            assert_eq!(used.json()["data"]["used"], "toy", "after {n} others");
        }
    }
    toy.end().await;
}
