//! Webhooks of a running server, and what arrives.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use axum::http::HeaderMap;
use serde_json::{Value, json};
use standardwebhooks::Webhook;

use super::receiver::{Received, Receiver};
use crate::support::command::{Blog, Serving, run};
use crate::support::node::Package;
use crate::support::python::python;

const TOKEN: &str = "a-token-of-more-than-24-characters";
const ALLOWED: (&str, &str) = ("TIDINGS_WEBHOOKS_ALLOW", "127.0.0.1");

fn start(blog: &Blog, settings: &[(&str, &str)]) -> Serving {
    let settings = [&[("TIDINGS_EDITOR_TOKEN", TOKEN)], settings].concat();
    Serving::start_with(&["--create", "--store", &blog.store()], &settings)
}

/// The payload of a mutation.
fn change(server: &Serving, mutation: &str, input: &str, fields: &str) -> Value {
    let query = format!("mutation {{ {mutation}(input: {{ {input} }}) {{ {fields} userErrors {{ code message }} }} }}");
    let answer = server.ask_as(Some(TOKEN), &query);
    assert!(answer["data"][mutation].is_object(), "{query}: {answer}");
    answer["data"][mutation].clone()
}

/// Creates a webhook. Returns its id and its secret.
fn webhook(server: &Serving, url: &str, more: &str) -> (String, String) {
    let made = change(server, "createWebhook", &format!("url: \"{url}\", {more}"), "webhook { id } secret");
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{made}")).to_owned();
    (text(&made["webhook"]["id"]), text(&made["secret"]))
}

/// Creates a post, and returns its id.
fn post(server: &Serving, slug: &str, more: &str) -> String {
    let input = format!("slug: \"{slug}\", title: \"{slug}\", markdown: \"text\", {more}");
    let made = change(server, "createPost", &input, "post { id }");
    made["post"]["id"].as_str().unwrap_or_else(|| panic!("{made}")).to_owned()
}

/// What a webhook shows.
fn shown(server: &Serving, id: &str) -> Value {
    let fields = "state nextAttemptAt deliveries { messageId outcome status attempt skipped }";
    let query = format!("{{ node(id: \"{id}\") {{ ... on Webhook {{ {fields} }} }} }}");
    server.ask_as(Some(TOKEN), &query)["data"]["node"].clone()
}

fn wait_until<T>(what: impl Fn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "it has not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The first delivery with this outcome.
fn wait_for(server: &Serving, id: &str, outcome: &str) -> Value {
    wait_until(|| {
        let deliveries = shown(server, id)["deliveries"].as_array().expect("a list").clone();
        deliveries.into_iter().find(|delivery| delivery["outcome"] == outcome)
    })
}

/// What the reference libraries for JavaScript, Python and Rust say of a message.
fn verified(received: &Received, body: &str, secret: &str) -> Option<String> {
    let programs = [(Command::new("node"), "webhook.js"), (python("python"), "webhook.py")];
    let input = json!({ "headers": received.headers, "body": body }).to_string();
    let [js, py] = programs.map(|(command, program)| run_tool(command, program, secret, &input));
    assert_eq!((&py, in_rust(received, body, secret)), (&js, js.is_some()), "{input}");
    js
}

fn in_rust(received: &Received, body: &str, secret: &str) -> bool {
    let header = |(name, value): (&String, &Value)| {
        (name.parse().expect("a name"), value.as_str().and_then(|text| text.parse().ok()).expect("a value"))
    };
    let headers: HeaderMap = received.headers.iter().map(header).collect();
    Webhook::new(secret).expect("a secret").verify(body.as_bytes(), &headers).is_ok()
}

fn run_tool(mut command: Command, program: &str, secret: &str, input: &str) -> Option<String> {
    command.args([program, secret]).current_dir(Package::at("tests/tools").path());
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut child = child.expect("it starts");
    child.stdin.take().expect("its input").write_all(input.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    output.status.success().then(|| String::from_utf8(output.stdout).expect("text").trim().to_owned())
}

#[test]
fn the_reference_libraries_verify_what_is_public_and_a_draft_is_never_sent() {
    let (blog, receiver) = (Blog::of(&[]), Receiver::start());
    let server = start(&blog, &[ALLOWED]);
    let (id, secret) = webhook(&server, &receiver.url("127.0.0.1", "/all"), "");
    let draft = post(&server, "draft", "");
    change(&server, "updatePost", &format!("id: \"{draft}\", expectedVersion: 1, title: \"D\""), "post { id }");
    let public = post(&server, "public", "publish: true");
    let first = receiver.wait_for("/all", 1).remove(0);
    assert_eq!(first.changes(), ["public CREATED,PUBLISHED"]);
    let event = first.events().remove(0);
    assert_eq!((&event["nodeId"], &event["nodeType"], &event["version"]), (&json!(public), &json!("Post"), &json!(1)));
    assert!(event["tags"].as_array().is_some_and(|tags| !tags.is_empty()), "{event}");
    assert_eq!(verified(&first, &first.body, &secret).as_deref(), Some("content.changed"));
    assert_eq!(verified(&first, &first.body.replace("public", "secret"), &secret), None);

    let rotated = change(&server, "rotateWebhookSecret", &format!("id: \"{id}\""), "secret");
    let rotated = rotated["secret"].as_str().expect("a secret").to_owned();
    assert_ne!(rotated, secret);
    change(&server, "deletePost", &format!("id: \"{public}\", expectedVersion: 1"), "deletedId");
    change(&server, "deletePost", &format!("id: \"{draft}\", expectedVersion: 2"), "deletedId");
    receiver.wait_for("/all", 2);
    change(&server, "testWebhook", &format!("id: \"{id}\""), "webhook { state }");
    let all = receiver.wait_for("/all", 3);
    assert_eq!(all[1].changes(), ["public DELETED"]);
    for secret in [&secret, &rotated] {
        assert_eq!(verified(&all[1], &all[1].body, secret).as_deref(), Some("content.changed"));
        assert_eq!(verified(&all[2], &all[2].body, secret).as_deref(), Some("webhook.test"));
    }
    let shown = server.ask_as(Some(TOKEN), "{ webhooks { id url state digestSeconds types deliveries { attempt } } }");
    assert!(!shown.to_string().contains("whsec_"), "{shown}");
    for token in [None, Some("x")] {
        assert!(server.ask_as(token, "{ webhooks { id } }")["data"]["webhooks"].is_null());
    }
    change(&server, "deleteWebhook", &format!("id: \"{id}\""), "deletedId");
    assert_eq!(server.ask_as(Some(TOKEN), "{ webhooks { id } }")["data"], json!({ "webhooks": [] }));
    assert_eq!(server.stop().0, Some(0));
    assert_eq!(blog.check().code, Some(0));
}

#[test]
fn a_receiver_that_hangs_is_busy_has_moved_or_is_gone_delays_no_other() {
    let (blog, receiver) = (Blog::of(&[]), Receiver::start());
    let server = start(&blog, &[ALLOWED]);
    let [_, busy, moved, gone, _] = ["/hang", "/busy", "/moved", "/gone", "/good"]
        .map(|path| webhook(&server, &receiver.url("127.0.0.1", path), "").0);
    let slugs = ["a", "b", "c"];
    slugs.iter().for_each(|slug| drop(post(&server, slug, "publish: true")));
    let expected = slugs.map(|slug| format!("{slug} CREATED,PUBLISHED"));
    let good = receiver.wait_for("/good", 3);
    assert_eq!(good.iter().flat_map(Received::changes).collect::<Vec<_>>(), expected);
    assert!(receiver.of("/hang").iter().all(|hung| hung.id() == good[0].id()), "it is in order");
    let busy_got = receiver.wait_for("/busy", 4);
    assert_eq!((busy_got[0].id(), &busy_got[0].body), (busy_got[1].id(), &busy_got[1].body), "as it was");
    let stamp = |at: usize| busy_got[at].headers["webhook-timestamp"].as_str().expect("a text").parse::<u64>();
    assert!(stamp(1).expect("seconds") > stamp(0).expect("seconds"), "it was asked to wait");
    let refused = wait_for(&server, &busy, "REFUSED");
    assert_eq!((&refused["status"], &refused["attempt"]), (&json!(503), &json!(1)));
    assert_eq!(wait_for(&server, &moved, "REFUSED")["status"], 302);
    assert_eq!(receiver.of("/target").len(), 0, "no redirect is followed");
    assert_eq!(wait_for(&server, &gone, "REFUSED")["status"], 410);
    assert_eq!(
        (&shown(&server, &gone)["state"], &shown(&server, &moved)["state"]),
        (&json!("GONE"), &json!("FAILING"))
    );
    assert_eq!(receiver.of("/gone").len(), 1);
    change(&server, "updateWebhook", &format!("id: \"{gone}\", enabled: true"), "webhook { state }");
    receiver.wait_for("/gone", 2);
}

#[test]
fn what_was_not_delivered_is_sent_after_a_kill_and_not_what_was() {
    let (blog, receiver) = (Blog::of(&[]), Receiver::start());
    let server = start(&blog, &[ALLOWED]);
    let (id, _) = webhook(&server, &receiver.url("127.0.0.1", "/failing"), "");
    post(&server, "a", "publish: true");
    wait_for(&server, &id, "REFUSED");
    server.kill();
    let server = start(&blog, &[ALLOWED]);
    let delivered = wait_for(&server, &id, "DELIVERED");
    assert_eq!((&delivered["attempt"], &delivered["status"]), (&json!(2), &json!(204)));
    post(&server, "b", "publish: true");
    let received = receiver.wait_for("/failing", 3);
    assert_eq!(received[0].id(), received[1].id());
    assert_eq!(received[2].changes(), ["b CREATED,PUBLISHED"]);
}

#[test]
fn an_address_that_is_not_public_is_refused_whatever_its_form_unless_it_is_allowed() {
    let (blog, receiver) = (Blog::of(&[]), Receiver::start());
    let server = start(&blog, &[]);
    let port = receiver.port();
    for url in [
        receiver.url("127.0.0.1", "/"),
        format!("https://127.0.0.1:{port}/"),
        format!("https://[::1]:{port}/"),
        format!("https://[::ffff:127.0.0.1]:{port}/"),
        format!("https://0x7f.1:{port}/"),
        "https://169.254.169.254/".to_owned(),
        "http://example.com/".to_owned(),
        "https://user@example.com/".to_owned(),
        "https://:@example.com/".to_owned(),
        "ftp://example.com/".to_owned(),
        "example.com".to_owned(),
    ] {
        let refused = change(&server, "createWebhook", &format!("url: \"{url}\""), "secret");
        assert_eq!((&refused["secret"], &refused["userErrors"][0]["code"]), (&Value::Null, &json!("INVALID")), "{url}");
    }
    // The name of an address shows only when it is resolved.
    let (id, _) = webhook(&server, &format!(" https://localhost:{port}"), "");
    let url = server.ask_as(Some(TOKEN), "{ webhooks { url } }")["data"]["webhooks"][0]["url"].clone();
    assert_eq!(url, format!("https://localhost:{port}/"));
    change(&server, "testWebhook", &format!("id: \"{id}\""), "webhook { id }");
    wait_for(&server, &id, "ADDRESS_NOT_ALLOWED");
    assert_eq!(server.stop().0, Some(0));
    let server = start(&blog, &[("TIDINGS_WEBHOOKS_ALLOW", "localhost")]);
    let url = receiver.url("localhost", "/allowed");
    change(&server, "updateWebhook", &format!("id: \"{id}\", url: \"{url}\""), "webhook { id }");
    change(&server, "testWebhook", &format!("id: \"{id}\""), "webhook { id }");
    assert_eq!(receiver.wait_for("/allowed", 1)[0].events(), Vec::<Value>::new());
}

#[test]
fn a_filter_names_what_a_change_is_of_and_what_a_post_had_or_has() {
    let (blog, receiver) = (Blog::of(&[]), Receiver::start());
    let server = start(&blog, &[ALLOWED]);
    let tag = change(&server, "createTag", "slug: \"moon\", name: \"Moon\"", "tag { id }")["tag"]["id"].clone();
    for (path, more) in [
        ("/moon", "tagSlugs: [\"moon\"]"),
        ("/german", "languages: [\"de\"]"),
        ("/gone", "types: [POST], actions: [DELETED, UNPUBLISHED]"),
        ("/tags", "types: [TAG]"),
        ("/all", ""),
    ] {
        // Not the path that answers 410.
        webhook(&server, &receiver.url("127.0.0.1", &format!("{path}s")), more);
    }
    let unknown = change(&server, "createWebhook", "url: \"https://a.example\", tagSlugs: [\"mon\"]", "secret");
    assert_eq!(unknown["userErrors"][0]["code"], "NOT_FOUND", "{unknown}");
    let never = change(&server, "createWebhook", "url: \"https://a.example\", actions: [REVOKED]", "secret");
    assert_eq!(never["userErrors"][0]["code"], "INVALID", "{never}");
    let other = post(&server, "other", "publish: true, language: \"de\"");
    let moon = post(&server, "on-the-moon", "publish: true, tagSlugs: [\"moon\"]");
    change(&server, "updatePost", &format!("id: \"{moon}\", expectedVersion: 1, tagSlugs: []"), "post { id }");
    change(&server, "updatePost", &format!("id: \"{moon}\", expectedVersion: 2, title: \"No\""), "post { id }");
    change(&server, "deletePost", &format!("id: \"{other}\", expectedVersion: 1"), "deletedId");
    change(
        &server,
        "createPage",
        "path: \"seite\", title: \"S\", markdown: \"\", language: \"de\", publish: true",
        "page { id }",
    );
    change(&server, "createTag", "slug: \"sun\", name: \"Sun\"", "tag { id }");
    receiver.wait_for("/alls", 7);
    let of = |path: &str, count| receiver.wait_for(path, count).iter().flat_map(Received::changes).collect::<Vec<_>>();
    assert_eq!(of("/moons", 2), ["on-the-moon CREATED,PUBLISHED", "on-the-moon UPDATED"]);
    assert_eq!(of("/germans", 3), ["other CREATED,PUBLISHED", "other DELETED", "seite CREATED,PUBLISHED"]);
    assert_eq!(of("/gones", 1), ["other DELETED"]);
    assert_eq!(of("/tagss", 1), ["sun CREATED"]);
    change(&server, "updateTag", &format!("id: {tag}, expectedVersion: 1, slug: \"luna\""), "tag { id }");
    webhook(&server, &receiver.url("127.0.0.1", "/luna"), "tagSlugs: [\"luna\"]");
    change(&server, "deleteTag", &format!("id: {tag}, expectedVersion: 2"), "deletedId");
    assert_eq!(of("/luna", 1), ["luna DELETED"]);
}

#[test]
fn the_command_lists_tests_and_replays_beside_a_server() {
    let (blog, receiver) = (Blog::of(&[]), Receiver::start());
    let server = start(&blog, &[ALLOWED]);
    let (id, _) = webhook(&server, &receiver.url("127.0.0.1", "/all"), "");
    let short = id.trim_start_matches("webhook-");
    let command = |arguments: &[&str]| run(&[&["webhook"], arguments, &["--store", &blog.store()]].concat());
    post(&server, "a", "publish: true");
    let first = receiver.wait_for("/all", 1).remove(0);
    let tested = command(&["test", short]);
    assert!(tested.code == Some(0) && tested.out.contains(" delivered 204 in "), "{tested:?}");
    let listed = command(&["list"]);
    let line = listed.out.lines().nth(1).expect("a line");
    assert!(line.starts_with(&format!("{short}  active")) && line.ends_with("/all"), "{line}");
    let replayed = command(&["replay", &id, "--since", "1h"]);
    assert!(replayed.out.contains(&format!("are sent again to the webhook {short}.")), "{replayed:?}");
    let again = receiver.wait_for("/all", 3);
    assert_eq!((again[2].id(), &again[2].body), (first.id(), &first.body));
    assert_eq!(command(&["test", "nonsense"]).complaint(), "there is no webhook with this id");
    assert!(command(&["replay", short, "--since", "30d"]).complaint().contains("29 days"));
}
