//! The editor in a real browser, its session over HTTP, and the comparison of its committed build with its source. The tests in the browser are in
//! `tests/browser/editor`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};

use super::{Example, assert_is_committed, building};
use crate::support::command::{Blog, Serving};
use crate::support::node::Package;

pub(super) const TOKEN: &str = "the-editors-token-of-these-tests";
const SETTINGS: [(&str, &str); 1] = [("TIDINGS_EDITOR_TOKEN", TOKEN)];

#[test]
fn the_editor_passes_its_type_check_and_its_lint() {
    let package = Package::at("editor");
    let _building = building(&package);
    package.script("check", &[], &[]);
}

#[test]
fn the_committed_build_of_the_editor_equals_a_new_build() {
    let package = Package::at("editor");
    let _building = building(&package);
    assert_is_committed("editor");
}

#[test]
fn writers_write_preview_schedule_publish_and_lose_nothing() {
    run(&["writing", "preview", "keeping"], &Example::start(&[], &SETTINGS).serving);
}

/// On a server of its own: the drafts that it makes would come before those of the sample in the lists of the other tests.
#[test]
fn answers_that_are_late_lost_or_refused_lose_nothing_and_make_nothing_twice() {
    run(&["answers"], &Example::start(&[], &SETTINGS).serving);
}

#[test]
fn two_writers_see_each_other_and_a_conflict_shows_both_texts_with_choices_that_work() {
    run(&["conflicts", "together"], &Example::start(&[], &SETTINGS).serving);
}

#[test]
fn lists_pages_terms_and_the_library_are_managed_and_nothing_hostile_runs() {
    run(&["lists", "tree", "media", "hostile", "screenshots"], &Example::start(&[], &SETTINGS).serving);
}

#[test]
fn admins_manage_tokens_webhooks_and_the_audit_log() {
    let settings = [SETTINGS[0], ("TIDINGS_WEBHOOKS_ALLOW", "127.0.0.1")];
    run(&["admin"], &Example::start(&[], &settings).serving);
}

#[test]
fn pictures_terms_and_what_posts_have_besides_their_text_are_edited() {
    run(&["fields"], &Example::start(&[], &SETTINGS).serving);
}

#[test]
fn long_texts_large_pictures_and_texts_from_right_to_left_are_edited() {
    run(&["measures"], &Example::start(&[], &SETTINGS).serving);
}

#[test]
fn the_fields_that_a_site_declares_have_inputs_of_their_types() {
    let blog = Blog::of(&[]);
    let fields = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/front/editor.graphql");
    let store = blog.store();
    let arguments = ["--create", "--store", &store, "--site-fields", fields];
    run(&["site-fields"], &Serving::start_with(&arguments, &SETTINGS));
}

#[test]
fn every_view_of_the_editor_is_accessible_in_light_and_dark_and_fits_a_phone() {
    run(&["views"], &Example::start(&[], &SETTINGS).serving);
}

#[test]
fn the_views_of_a_post_are_shown_beside_it_as_a_plot() {
    let settings = [SETTINGS[0], ("TIDINGS_VIEWS_MONTHS", "2")];
    run(&["view-counts"], &Example::start(&[], &settings).serving);
}

#[test]
fn a_newcomer_publishes_a_first_post_with_a_picture_on_a_phone() {
    let blog = Blog::of(&[]);
    run(&["first-post"], &Serving::start_with(&["--create", "--store", &blog.store()], &SETTINGS));
}

fn run(subjects: &[&str], serving: &Serving) {
    run_with(subjects, serving, &[]);
}

pub(super) fn run_with(subjects: &[&str], serving: &Serving, more: &[(&str, &str)]) {
    let files: Vec<String> = subjects.iter().map(|subject| format!("editor/{subject}.test.js")).collect();
    let mut arguments = vec!["--test", "--test-concurrency=1"];
    arguments.extend(files.iter().map(String::as_str));
    let server = format!("http://{}", serving.address);
    let pictures = super::playground::pictures().display().to_string();
    let variables = [("TIDINGS_SERVER", server.as_str()), ("TIDINGS_TOKEN", TOKEN), ("TIDINGS_SCREENSHOTS", &pictures)];
    Package::at("tests/browser").node(&arguments, &[&variables, more].concat());
}

/// An answer: its status, its head as it was sent and in lower case, and its body.
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) raw: String,
    pub(super) head: String,
    pub(super) body: String,
}

impl Answer {
    pub(super) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("not JSON: {:?}", self.body))
    }

    fn code(&self) -> String {
        self.json()["errors"][0]["extensions"]["code"].as_str().unwrap_or_default().to_owned()
    }

    /// The first value of a header, whose name is in lower case.
    pub(super) fn value(&self, name: &str) -> String {
        let value = self.raw.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.unwrap_or_else(|| panic!("no {name}: {}", self.raw)).to_owned()
    }

    pub(super) fn cookies(&self) -> Vec<&str> {
        self.head.lines().filter_map(|line| line.strip_prefix("set-cookie: ")).collect()
    }
}

/// Sends a request with headers, each a line; of JSON, unless they name another type.
pub(super) fn send(serving: &Serving, to: &str, headers: &[&str], body: &str) -> Answer {
    send_to(&serving.address, to, headers, body)
}

pub(super) fn send_to(address: &str, to: &str, headers: &[&str], body: &str) -> Answer {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
    let json =
        (!headers.iter().any(|header| header.starts_with("content-type"))).then_some("content-type: application/json");
    let headers: String = headers.iter().copied().chain(json).map(|header| format!("{header}\r\n")).collect();
    let length = body.len();
    let request = format!(
        "{to} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
    );
    stream.write_all(request.as_bytes()).expect("the server reads");
    let mut said = String::new();
    stream.read_to_string(&mut said).expect("an answer");
    let (head, body) = said.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    Answer { status, raw: head.to_owned(), head: head.to_lowercase(), body: body.to_owned() }
}

const SESSION: &str = "POST /editor/session";
const COOKIE: &str = "cookie: other=1; tidings_editor=the-editors-token-of-these-tests";
pub(super) const MARK: &str = "x-tidings-editor: 1";

fn begin(serving: &Serving, headers: &[&str]) -> Answer {
    send(serving, SESSION, headers, &json!({ "token": TOKEN }).to_string())
}

fn is_secure(answer: &Answer) -> bool {
    let cookies = answer.cookies();
    !cookies.is_empty() && cookies.iter().all(|cookie| cookie.ends_with("; secure"))
}

#[test]
fn a_session_is_a_cookie_that_no_script_and_no_other_site_can_use() {
    let example = Example::start(&[], &SETTINGS);
    let serving = &example.serving;
    let own = format!("origin: http://{}", serving.address);
    let of_both = |token: &str, rest: &str| {
        ["/graphql", "/assets"]
            .map(|path| format!("tidings_editor={token}; path={path}; {rest}; httponly; samesite=strict"))
    };
    for headers in [&[own.as_str()][..], &[], &["sec-fetch-site: same-origin", "origin: https://of-a-proxy.example"]] {
        let begun = begin(serving, headers);
        assert_eq!((begun.status, begun.body.as_str()), (204, ""), "{headers:?}");
        let secure = if headers.len() == 2 { "; secure" } else { "" };
        assert_eq!(begun.cookies(), of_both(TOKEN, "max-age=7776000").map(|cookie| format!("{cookie}{secure}")));
        assert!(begun.head.contains("cache-control: no-store"), "{}", begun.head);
    }
    assert!(is_secure(&begin(serving, &["x-forwarded-proto: https"])));
    let ended = send(serving, "DELETE /editor/session", &[&own], "");
    assert_eq!(ended.status, 204);
    assert_eq!(ended.cookies(), of_both("", "max-age=0"));
}

#[test]
fn a_session_of_a_server_with_a_public_https_address_is_sent_by_https_only() {
    let example = Example::start(&["--public-url", "https://api.blog.example"], &SETTINGS);
    assert!(is_secure(&begin(&example.serving, &[])));
}

#[test]
fn a_session_is_refused_to_other_origins_wrong_tokens_and_anything_but_json() {
    let example = Example::start(&["--cors-origin", "*"], &SETTINGS);
    let serving = &example.serving;
    let of_others =
        ["origin: https://evil.example", "origin: null", "sec-fetch-site: cross-site", "sec-fetch-site: same-site"];
    for header in of_others {
        for to in [SESSION, "DELETE /editor/session"] {
            let refused = send(serving, to, &[header], &json!({ "token": TOKEN }).to_string());
            assert_eq!(
                (refused.status, refused.code().as_str(), refused.cookies()),
                (403, "FORBIDDEN", vec![]),
                "{to} {header}"
            );
        }
    }
    let fits_no_cookie = json!({ "token": "with;semicolon" }).to_string();
    let long = json!({ "token": "x".repeat(4_000) }).to_string();
    for (body, status, code) in [
        (r#"{"token": "tdg_wrong_wrong"}"#, 401, "UNAUTHENTICATED"),
        (r#"{"token": ""}"#, 401, "UNAUTHENTICATED"),
        (r#"{"tokens": "x"}"#, 422, "BAD_REQUEST"),
        ("token=x", 422, "BAD_REQUEST"),
        (&fits_no_cookie, 400, "BAD_REQUEST"),
        (&long, 400, "BAD_REQUEST"),
    ] {
        let refused = send(serving, SESSION, &[], body);
        assert_eq!((refused.status, refused.code().as_str(), refused.cookies()), (status, code, vec![]), "{body}");
    }
    let form = send(serving, SESSION, &["content-type: text/plain"], &json!({ "token": TOKEN }).to_string());
    assert_eq!((form.status, form.cookies()), (415, vec![]));
    let asked = [
        "origin: https://evil.example",
        "access-control-request-method: POST",
        "access-control-request-headers: x-tidings-editor",
    ];
    let preflight = send(serving, "OPTIONS /graphql", &asked, "");
    assert!(!preflight.head.contains("access-control-allow-credentials"), "{}", preflight.head);
    let offer = send(serving, "GET /editor/session", &[COOKIE], "");
    assert_eq!((offer.json(), offer.cookies()), (json!({ "provider": null }), vec![]));
}

#[test]
fn the_cookie_counts_only_with_the_header_and_from_a_page_of_the_server() {
    let example = Example::start(&["--cors-origin", "*"], &SETTINGS);
    let serving = &example.serving;
    let viewer = |headers: &[&str]| {
        let answer = send(serving, "POST /graphql", headers, r#"{"query": "{ viewer { role } }"}"#).json();
        answer["data"]["viewer"]["role"].as_str().map(str::to_owned)
    };
    assert_eq!(viewer(&[COOKIE, MARK]).as_deref(), Some("ADMIN"));
    assert_eq!(viewer(&[COOKIE, MARK, "sec-fetch-site: same-origin"]).as_deref(), Some("ADMIN"));
    for headers in [
        &[COOKIE][..],
        &[COOKIE, MARK, "sec-fetch-site: cross-site"],
        &[COOKIE, MARK, "sec-fetch-site: same-site"],
        &[COOKIE, MARK, "origin: https://evil.example"],
    ] {
        assert_eq!(viewer(headers), None, "{headers:?}");
    }
    for basic in ["authorization: Basic dTpw", "authorization: basic dTpw"] {
        assert_eq!(viewer(&[COOKIE, MARK, basic]).as_deref(), Some("ADMIN"), "a proxy's own scheme hides no cookie");
        assert_eq!(viewer(&[COOKIE, basic]), None);
    }
    let wrong = send(
        serving,
        "POST /graphql",
        &[COOKIE, MARK, "authorization: Bearer tdg_wrong_wrong"],
        r#"{"query": "{ viewer { role } }"}"#,
    );
    assert_eq!(wrong.code(), "UNAUTHENTICATED", "the header of the request is stronger than the cookie");

    let create =
        json!({ "query": "mutation { createTag(input: { name: \"By cookie\" }) { tag { slug } } }" }).to_string();
    let refused = send(serving, "POST /graphql", &[COOKIE], &create);
    assert_eq!(refused.code(), "UNAUTHENTICATED");
    assert_eq!(serving.query("{ tag(slug: \"by-cookie\") { slug } }"), json!({ "tag": null }));
    let created = send(serving, "POST /graphql", &[COOKIE, MARK], &create);
    assert_eq!(created.json()["data"]["createTag"]["tag"]["slug"], "by-cookie");
    assert_eq!(send(serving, "POST /assets?name=a.txt", &[COOKIE], "text").status, 401);
    assert_eq!(send(serving, "POST /assets?name=a.txt", &[COOKIE, MARK], "text").status, 201);
    let cached = send(serving, "GET /graphql?query=%7Bviewer%7Brole%7D%7D", &[COOKIE, MARK], "");
    assert!(cached.head.contains("cache-control: no-store"), "{}", cached.head);
}

#[test]
fn a_request_of_the_page_without_its_cookie_is_refused_and_not_anonymous() {
    let example = Example::start(&["--cors-origin", "*"], &SETTINGS);
    let serving = &example.serving;
    let query = r#"{"query": "{ posts(first: 1) { nodes { slug } } }"}"#;
    let ended = "cookie: tidings_editor=";
    for headers in [&[MARK][..], &[MARK, ended], &[MARK, "cookie: other=1"], &[MARK, "authorization: Basic dTpw"]] {
        let refused = send(serving, "POST /graphql", headers, query);
        assert_eq!(
            (refused.code().as_str(), &refused.json()["data"]),
            ("UNAUTHENTICATED", &Value::Null),
            "{headers:?}"
        );
        assert_eq!(send(serving, "GET /graphql?query=%7Bviewer%7Brole%7D%7D", headers, "").code(), "UNAUTHENTICATED");
    }
    assert_eq!(send(serving, "POST /assets?name=a.txt", &[MARK], "text").status, 401);
    let of_another = send(serving, "POST /graphql", &[MARK, "origin: https://blog.example"], query);
    assert_eq!(of_another.code(), "", "a page of another origin may send any header");
    let varies = send(serving, "GET /graphql?query=%7Bviewer%7Brole%7D%7D", &[], "");
    let vary = varies.head.lines().find(|line| line.starts_with("vary: accept,")).expect("a Vary");
    assert!(vary.contains("authorization") && vary.contains("x-tidings-editor"), "{vary}");
}

#[test]
fn every_address_of_the_editor_is_its_page_with_a_strict_policy() {
    let example = Example::start(&[], &SETTINGS);
    let page = send(&example.serving, "GET /editor", &[], "");
    let policy = page.head.lines().find_map(|line| line.strip_prefix("content-security-policy: ")).expect("a policy");
    for directive in [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ] {
        assert!(policy.split("; ").any(|found| found == directive), "{directive}: {policy}");
    }
    assert!(!page.body.contains("://"), "{}", page.body);
    assert_eq!(
        page.body.matches("<script").count(),
        page.body.matches("<script type=\"module\" crossorigin src=\"/editor/assets/").count()
    );
    for path in ["/editor/", "/editor/new", "/editor/posts/post-1", "/editor/pages/new?below=a%2Fb"] {
        let view = send(&example.serving, &format!("GET {path}"), &[], "");
        assert_eq!((view.status, &view.body), (200, &page.body), "{path}");
    }
    assert_eq!(send(&example.serving, "GET /editor/assets/none.js", &[], "").status, 404);
}

#[test]
fn a_server_without_its_editor_has_neither_the_page_nor_the_session() {
    let example = Example::start(&["--no-editor", "--no-playground"], &SETTINGS);
    let serving = &example.serving;
    assert_eq!(send(serving, "GET /editor", &[], "").status, 404);
    assert_eq!(begin(serving, &[]).status, 404);
    let answer = send(serving, "POST /graphql", &[COOKIE, MARK], r#"{"query": "{ viewer { role } }"}"#);
    assert_eq!(answer.json(), json!({ "data": { "viewer": null } }));
}
