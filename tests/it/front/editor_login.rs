//! Signing in to the editor at a provider: the redirects, as a browser follows them, and in a browser. The rule: whatever is wrong with an answer of the provider, no
//! session begins, and the page says why.

use serde_json::{Value, json};

use super::Example;
use super::editor::{Answer, MARK, TOKEN, run_with, send, send_to};
use crate::support::command::Serving;
use crate::support::login::{LoginServer, Proof, SECONDS, unix_seconds};

fn start(provider: &LoginServer, arguments: &[&str]) -> Example {
    let settings = provider.settings();
    let own = [("TIDINGS_EDITOR_TOKEN", TOKEN), ("TIDINGS_CLIENT_ADDRESS_HEADER", "x-forwarded-for")];
    let all: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).chain(own).collect();
    Example::start(arguments, &all)
}

/// A login that has begun: where the browser is sent, and its cookie.
struct Begun {
    location: String,
    cookie: String,
}

fn begin(serving: &Serving, to: &str) -> Begun {
    let to: String = url::form_urlencoded::byte_serialize(to.as_bytes()).collect();
    let answer = send(serving, &format!("GET /editor/sign-in?to={to}"), &[], "");
    assert_eq!(answer.status, 303, "{}", answer.head);
    assert!(answer.head.contains("cache-control: no-store"), "{}", answer.head);
    let cookie = answer.value("set-cookie");
    let (cookie, attributes) = cookie.split_once(';').expect("attributes");
    assert_eq!(attributes, " Path=/; Max-Age=600; HttpOnly; SameSite=Lax");
    Begun { location: answer.value("location"), cookie: cookie.to_owned() }
}

/// Where the provider sends the browser back: the path with its query.
fn log_in(provider: &LoginServer, begun: &Begun) -> String {
    let path = begun.location.strip_prefix(&provider.address).expect("an address of the provider");
    let page = send_to(provider.address.trim_start_matches("http://"), &format!("GET {path}"), &[], "");
    assert_eq!(page.status, 200, "{}", page.body);
    let link = page.body.split('"').find(|part| part.contains("/editor/sign-in/callback")).expect("a link");
    let back = link.replace("&amp;", "&");
    back[back.find("/editor").expect("the path")..].to_owned()
}

fn end(serving: &Serving, back: &str, cookie: &str) -> Answer {
    send(serving, &format!("GET {back}"), &[&format!("cookie: other=1; {cookie}"), "sec-fetch-site: cross-site"], "")
}

/// The place that the browser is sent to, and whether a session has begun.
fn outcome(answer: &Answer) -> (String, bool) {
    assert_eq!(answer.status, 303, "{}", answer.body);
    assert!(answer.head.contains("cache-control: no-store"), "{}", answer.head);
    let cleared = |cookie: &&str| cookie.starts_with("tidings_sign_in=; path=/; max-age=0");
    assert_eq!(answer.cookies().iter().filter(|cookie| cleared(cookie)).count(), 1, "{}", answer.head);
    (answer.value("location"), answer.cookies().iter().any(|cookie| cookie.starts_with("tidings_editor=")))
}

fn viewer(serving: &Serving, session: &str) -> Value {
    let query = r#"{"query": "{ viewer { kind name role } }"}"#;
    send(serving, "POST /graphql", &[&format!("cookie: {session}"), MARK], query).json()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_person_logs_in_at_the_provider_and_comes_back_with_a_session() {
    for proof in [Proof::Basic, Proof::Form, Proof::None] {
        let provider = LoginServer::start(proof).await;
        let example = start(&provider, &[]);
        let serving = &example.serving;
        let offer = send(serving, "GET /editor/session", &[], "");
        assert_eq!((offer.json(), offer.cookies()), (json!({ "provider": "127.0.0.1" }), vec![]));
        let begun = begin(serving, "/editor/posts/post-1?a=b");
        let ended = end(serving, &log_in(&provider, &begun), &begun.cookie);
        assert_eq!(outcome(&ended), ("/editor/posts/post-1?a=b".to_owned(), true));
        let sessions: Vec<_> = ended.raw.lines().filter_map(|line| line.split_once("tidings_editor=")).collect();
        assert_eq!(sessions.len(), 2, "{}", ended.head);
        for ((_, session), path) in sessions.iter().zip(["/graphql", "/assets"]) {
            let attributes = format!("; Path={path}; Max-Age={SECONDS}; HttpOnly; SameSite=Strict");
            assert!(session.ends_with(&attributes), "{session}");
        }
        let token = sessions[0].1.split(';').next().expect("a token");
        let expected = json!({ "kind": "OPENID", "name": "oidc:ada", "role": "EDITOR" });
        assert_eq!(viewer(serving, &format!("tidings_editor={token}"))["data"]["viewer"], expected);
        let left = send(serving, "GET /editor/sign-in/leave", &[], "").value("location");
        let back = format!("http%3A%2F%2F{}%2Feditor", serving.address.replace(':', "%3A"));
        let logout = format!("{}/logout?client_id=the+editor&post_logout_redirect_uri={back}", provider.address);
        assert_eq!(left, if proof == Proof::None { "/editor".to_owned() } else { logout });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_id_token_that_is_not_for_this_login_begins_no_session() {
    let provider = LoginServer::start(Proof::Basic).await;
    let example = start(&provider, &[]);
    let serving = &example.serving;
    let now = unix_seconds();
    for (claims, reason) in [
        (json!({ "nonce": "another" }), "failed"),
        (json!({ "nonce": null }), "failed"),
        (json!({ "aud": "another" }), "failed"),
        (json!({ "aud": "the api" }), "failed"),
        (json!({ "azp": "another" }), "failed"),
        (json!({ "iss": "https://id.example" }), "failed"),
        (json!({ "iat": null }), "failed"),
        (json!({ "iat": now + 7_200 }), "failed"),
        (json!({ "exp": null }), "failed"),
        (json!({ "iat": now - 7_200, "exp": now - 3_600 }), "role"),
        (json!({ "roles": ["nobody"] }), "role"),
        (json!({ "roles": ["author"], "author": "no-such-author" }), "role"),
        (json!({ "padding": "x".repeat(4_000) }), "long"),
    ] {
        provider.set_claims(claims.clone());
        let begun = begin(serving, "/editor/new");
        let ended = end(serving, &log_in(&provider, &begun), &begun.cookie);
        assert_eq!(outcome(&ended), (format!("/editor/new#sign-in={reason}"), false), "{claims}");
    }
    provider.set_claims(json!({ "aud": ["the api", "the editor"], "azp": "the editor" }));
    provider.forge(true);
    let begun = begin(serving, "/editor/new");
    let back = log_in(&provider, &begun);
    assert_eq!(outcome(&end(serving, &back, &begun.cookie)), ("/editor/new#sign-in=failed".to_owned(), false));
    provider.forge(false);
    let begun = begin(serving, "/editor/new");
    assert_eq!(outcome(&end(serving, &log_in(&provider, &begun), &begun.cookie)), ("/editor/new".to_owned(), true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_is_ended_once_and_only_by_the_browser_that_began_it() {
    let provider = LoginServer::start(Proof::Basic).await;
    let example = start(&provider, &[]);
    let serving = &example.serving;
    let (mine, others) = (begin(serving, "/editor/new"), begin(serving, "/editor/pages"));
    let back = log_in(&provider, &mine);
    let refused = |back: &str, cookie: &str| outcome(&end(serving, back, cookie));
    let at = |place: &str, reason: &str| (format!("{place}#sign-in={reason}"), false);
    assert_eq!(refused(&back, ""), at("/editor", "expired"));
    assert_eq!(refused(&back, "tidings_sign_in="), at("/editor", "expired"));
    assert_eq!(refused(&back, "tidings_sign_in=a.b.c.d.e"), at("/editor", "expired"));
    assert_eq!(refused(&back, &others.cookie), at("/editor/pages", "expired"));
    let with = |query: &str| format!("/editor/sign-in/callback?{query}");
    let state = back.split(['?', '&']).find(|part| part.starts_with("state=")).expect("a state").to_owned();
    let code = back.split(['?', '&']).find(|part| part.starts_with("code=")).expect("a code").to_owned();
    assert_eq!(refused(&with(&code), &mine.cookie), at("/editor/new", "expired"));
    assert_eq!(refused(&with(&state), &mine.cookie), at("/editor/new", "expired"));
    assert_eq!(refused(&with(&format!("{state}&error=access_denied")), &mine.cookie), at("/editor/new", "refused"));
    let of_another_issuer = with(&format!("{state}&{code}&iss=https%3A%2F%2Fid.example"));
    assert_eq!(refused(&of_another_issuer, &mine.cookie), at("/editor/new", "expired"));
    // The provider compares the verifier with the challenge.
    let parts: Vec<&str> = mine.cookie.split('.').collect();
    let of_another_verifier = [parts[0], parts[1], &"x".repeat(43), parts[3]].join(".");
    assert_eq!(refused(&back, &of_another_verifier), at("/editor/new", "failed"));
    let mine = begin(serving, "/editor/new");
    let back = log_in(&provider, &mine);
    assert_eq!(refused(&back, &mine.cookie), ("/editor/new".to_owned(), true));
    assert_eq!(refused(&back, &mine.cookie), at("/editor/new", "failed"), "the provider takes a code once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_login_leads_back_to_the_editor_alone() {
    let provider = LoginServer::start(Proof::Basic).await;
    let example = start(&provider, &[]);
    for elsewhere in [
        "https://evil.example",
        "//evil.example",
        "/editorial",
        "/editor/sign-in",
        "/editor/sign-in/callback",
        "/editor/../",
        "/editor/%2e%2E/graphql?query=x",
        "/editor\\evil",
        "/editor/a b",
        "/editor#sign-in=role",
        &format!("/editor/{}", "x".repeat(1_000)),
        "",
    ] {
        let begun = begin(&example.serving, elsewhere);
        let ended = end(&example.serving, &log_in(&provider, &begun), &begun.cookie);
        assert_eq!(outcome(&ended), ("/editor".to_owned(), true), "{elsewhere}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_https_the_provider_sends_the_browser_to_the_public_address_with_cookies_that_nobody_else_can_set() {
    let provider = LoginServer::start(Proof::Basic).await;
    let example = start(&provider, &["--public-url", "https://api.blog.example"]);
    let begun = send(&example.serving, "GET /editor/sign-in", &[], "");
    let callback = "redirect_uri=https%3A%2F%2Fapi.blog.example%2Feditor%2Fsign-in%2Fcallback&";
    assert!(begun.value("location").contains(callback), "{}", begun.head);
    let cookie = begun.value("set-cookie");
    assert!(cookie.starts_with("__Host-tidings_sign_in=") && cookie.ends_with("; SameSite=Lax; Secure"), "{cookie}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_has_at_most_half_of_the_logins_under_way_and_others_sign_in() {
    let provider = LoginServer::start(Proof::Basic).await;
    let example = start(&provider, &[]);
    let serving = &example.serving;
    let mut begun =
        (0..10).map(|_| begin(serving, "/editor/new")).map(|begun| (log_in(&provider, &begun), begun.cookie));
    let begun: [(String, String); 10] = std::array::from_fn(|_| begun.next().expect("ten"));
    let address_of_server = serving.address.as_str();
    let end_from = |address: &str, (back, cookie): &(String, String)| {
        let headers = [format!("cookie: {cookie}"), format!("x-forwarded-for: {address}")];
        outcome(&send_to(address_of_server, &format!("GET {back}"), &[&headers[0], &headers[1]], ""))
    };
    let has_got = |exchanges| tokio::runtime::Handle::current().block_on(provider.has_got(exchanges));
    provider.hold(true);
    tokio::task::block_in_place(|| {
        std::thread::scope(|scope| {
            let ends: Vec<_> =
                begun[..8].iter().map(|login| scope.spawn(move || end_from("192.0.2.1", login))).collect();
            has_got(8);
            assert_eq!(end_from("192.0.2.1", &begun[8]), ("/editor/new#sign-in=many".to_owned(), false));
            let other = scope.spawn(|| end_from("192.0.2.2", &begun[9]));
            has_got(9);
            provider.hold(false);
            for end in ends.into_iter().chain([other]) {
                assert_eq!(end.join().expect("no panic"), ("/editor/new".to_owned(), true));
            }
        });
    });
    assert_eq!(end_from("192.0.2.1", &begun[8]), ("/editor/new".to_owned(), true), "a place is free again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_does_not_answer_is_reported_and_without_one_there_is_no_login() {
    let provider = LoginServer::start(Proof::Basic).await;
    let example = start(&provider, &[]);
    drop(provider);
    let failed = send(&example.serving, "GET /editor/sign-in?to=%2Feditor%2Fnew", &[], "");
    assert_eq!((failed.status, failed.value("location")), (303, "/editor/new#sign-in=failed".to_owned()));
    let without = Example::start(&[], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    assert_eq!(send(&without.serving, "GET /editor/session", &[], "").json(), json!({ "provider": null }));
    let page = send(&without.serving, "GET /editor/sign-in", &[], "");
    assert!(page.status == 200 && page.cookies().is_empty(), "{}", page.head);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn in_a_browser_a_session_that_has_ended_begins_again_at_the_provider_and_nothing_typed_is_lost() {
    let provider = LoginServer::start(Proof::Basic).await;
    let example = start(&provider, &[]);
    tokio::task::block_in_place(|| {
        run_with(&["login"], &example.serving, &[("TIDINGS_PROVIDER", &provider.address)]);
    });
}
