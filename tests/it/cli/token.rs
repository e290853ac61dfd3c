//! `tidings token`: `create` shows the text of a token once, `list` shows no secrets, and `revoke` ends a token.

use serde_json::json;

use crate::support::command::{Blog, Ran, Serving, finish, run, tidings};

const POST: &str = "---\ntitle: One\ndate: 2025-01-01\nauthor: Ada\n---\nText.\n";

fn token(blog: &Blog, arguments: &[&str]) -> Ran {
    let store = blog.store();
    run(&[&["token"], arguments, &["--store", &store]].concat())
}

fn blog() -> Blog {
    let blog = Blog::of(&[("one.md", POST)]);
    assert_eq!(blog.import().code, Some(0));
    blog
}

/// The text of a token, which is the only line of the standard output.
fn text_of(ran: &Ran) -> &str {
    assert_eq!(ran.code, Some(0), "{ran:?}");
    ran.out
        .strip_suffix('\n')
        .filter(|text| text.starts_with("tdg_") && !text.contains(char::is_whitespace))
        .expect("a text")
}

#[test]
fn a_token_is_created_shown_once_listed_and_revoked() {
    let blog = blog();
    let created = token(
        &blog,
        &["create", "--role", "author", "--name", "Ada's laptop", "--author", "ada", "--expires-in", "90d"],
    );
    let text = text_of(&created);
    let (id, secret) = text.trim_start_matches("tdg_").split_once('_').expect("an id and a secret");
    let listed = token(&blog, &["list"]);
    let line = listed.out.lines().nth(1).expect("a line");
    assert!(line.starts_with(id) && line.contains("live") && line.ends_with("Ada's laptop (author ada)"), "{line}");
    assert!(!listed.out.contains(secret) && !created.err.contains(secret));
    let revoked = token(&blog, &["revoke", id]);
    assert_eq!(revoked.out, format!("Revoked the token {id} (Ada's laptop).\n"));
    assert!(token(&blog, &["list"]).out.contains("revoked"));
    // GraphQL shows the id in this form.
    assert_eq!(token(&blog, &["revoke", &format!("token-{id}")]).out, revoked.out);
}

#[test]
fn an_invalid_token_command_is_refused_with_one_line() {
    let blog = blog();
    for (arguments, says) in [
        (&["create", "--role", "author", "--name", "n"][..], "needs the slug of an author"),
        (
            &["create", "--role", "author", "--name", "n", "--author", "nobody"],
            "there is no author with the slug \"nobody\"",
        ),
        (&["create", "--role", "reader", "--name", ""], "a name is a line"),
        (&["revoke", "nonsense"], "there is no token with this id"),
    ] {
        let ran = token(&blog, arguments);
        assert!(ran.complaint().contains(says), "{ran:?}");
    }
    for (arguments, says) in [
        (&["create", "--role", "owner", "--name", "n"][..], "write reader, author, editor or admin"),
        (&["create", "--role", "reader", "--name", "n", "--expires-in", "soon"], "write a number and m, h, d or w"),
    ] {
        let ran = token(&blog, arguments);
        assert!(ran.code == Some(2) && ran.err.contains(says), "{ran:?}");
    }
    assert_eq!(token(&blog, &["list"]).out.lines().count(), 1, "no token was created");
}

/// A server on the same store accepts a token that was created at the command line, and logs the name of the token with each change.
#[test]
fn a_server_accepts_the_token_and_logs_its_changes() {
    let blog = blog();
    let editor = token(&blog, &["create", "--role", "editor", "--name", "The desk"]);
    let gone = token(&blog, &["create", "--role", "admin", "--name", "Gone"]);
    let id = text_of(&gone)[4..16].to_owned();
    assert_eq!(token(&blog, &["revoke", &id]).code, Some(0));
    let serving = Serving::start(&["--store", &blog.store()]);
    let mutation =
        "mutation { createPost(input: { title: \"Two\", markdown: \"\" }) { post { slug } userErrors { code } } }";
    let answer = serving.ask_as(Some(text_of(&editor)), mutation);
    assert_eq!(answer, json!({ "data": { "createPost": { "post": { "slug": "two" }, "userErrors": [] } } }));
    let refused = serving.ask_as(Some(text_of(&gone)), "{ posts { totalCount } }");
    assert_eq!(refused["errors"][0]["message"], "the token was revoked");
    let (code, log) = serving.stop_with_errors();
    assert_eq!(code, Some(0));
    let changes: Vec<&String> = log.iter().filter(|line| line.contains("content.changed")).collect();
    assert!(
        changes.len() == 1
            && ["\"actor\":\"The desk\"", "\"action\":\"create_post\"", "\"slug\":\"two\""]
                .iter()
                .all(|part| changes[0].contains(part)),
        "{log:#?}"
    );
    assert!(!log.iter().any(|line| line.contains(&text_of(&editor)[17..])), "a secret is in the log");
}

/// With only one of the settings, the operator would believe that sign-in works.
#[test]
fn incomplete_identity_provider_settings_are_refused() {
    let blog = blog();
    let issuer = ("TIDINGS_OIDC_ISSUER", "https://id.example");
    let audience = ("TIDINGS_OIDC_AUDIENCE", "tidings");
    for (settings, says) in [
        (vec![issuer], "TIDINGS_OIDC_ISSUER needs TIDINGS_OIDC_AUDIENCE"),
        (vec![audience], "TIDINGS_OIDC_AUDIENCE needs TIDINGS_OIDC_ISSUER"),
        (vec![("TIDINGS_OIDC_ISSUER", "http://id.example"), audience], "write https://HOST/PATH"),
        (vec![issuer, audience, ("TIDINGS_OIDC_KEYS", "http://id.example/keys")], "write https://HOST/PATH"),
        (vec![issuer, audience, ("TIDINGS_OIDC_KEYS", "no-such-file.json")], "no-such-file.json cannot be read"),
    ] {
        let mut command = tidings(&["serve", "--listen", "127.0.0.1:0", "--store", &blog.store()]);
        command.envs(settings.iter().copied());
        let ran = finish(command);
        assert!(ran.complaint().contains(says), "{settings:?} {ran:?}");
    }
}
