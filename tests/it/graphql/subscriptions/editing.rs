//! Who has a text open: each subscriber is told of the others who have the same one, and of nobody else.

use serde_json::{Value, json};
use tidings::model::Role;

use super::client::Events;
use super::content::create;
use super::server::Server;
use crate::graphql::change_feed::follower::mutate;
use crate::support::graphql::EDITOR_TOKEN;

const EDITING: &str = "subscription($id: ID!) { editing(id: $id) { kind name } }";

/// The token of an author.
async fn author(server: &Server) -> String {
    let create = r#"createAuthor(input: { name: "Ada", slug: "ada" }) { userErrors { code } }"#;
    mutate(&server.site, create).await;
    server.site.token(Role::Author, Some("ada")).await
}

async fn open(server: &Server, token: Option<&str>, id: &str) -> Events {
    Events::of(server, token, EDITING, json!({ "id": id })).await
}

async fn others(events: &mut Events) -> Vec<String> {
    let data = events.data().await;
    let others = data["editing"].as_array().expect("a list").iter();
    others.map(|other| other["name"].as_str().expect("a name").trim().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_is_told_once_of_those_who_open_and_leave_the_same_text() {
    let server = Server::start().await;
    let (post, other) = (create(&server, "A", ", publish: true").await.0, create(&server, "B", "").await.0);
    let editor = server.site.token(Role::Editor, None).await;
    let author = author(&server).await;
    let none: [&str; 0] = [];

    let mut admins = open(&server, Some(EDITOR_TOKEN), &post).await;
    assert_eq!(others(&mut admins).await, none);
    let mut elsewhere = open(&server, Some(&author), &post).await;
    assert_eq!(others(&mut elsewhere).await, ["TIDINGS_EDITOR_TOKEN"]);
    assert_eq!(others(&mut admins).await, ["author ada"]);
    drop(elsewhere);
    assert_eq!(others(&mut admins).await, none);

    let mut of_other = open(&server, Some(&editor), &other).await;
    assert_eq!(others(&mut of_other).await, none, "it is another text");
    let mut windows = Vec::new();
    for _ in 0..2 {
        let mut window = open(&server, Some(&editor), &post).await;
        assert_eq!(others(&mut window).await, ["TIDINGS_EDITOR_TOKEN"], "not of oneself");
        windows.push(window);
    }
    assert_eq!(others(&mut admins).await, ["editor"]);
    windows.pop();
    let mut authors = open(&server, Some(&author), &post).await;
    assert_eq!(others(&mut authors).await, ["TIDINGS_EDITOR_TOKEN", "editor"]);
    assert_eq!(others(&mut admins).await, ["editor", "author ada"], "neither window of the same editor was news");
    windows.pop();
    assert_eq!(others(&mut admins).await, ["author ada"]);
    assert_eq!(others(&mut authors).await, ["TIDINGS_EDITOR_TOKEN"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_write_or_not_read_the_text_is_refused_and_on_no_list() {
    let server = Server::start().await;
    let draft = create(&server, "A", "").await.0;
    let author = author(&server).await;
    let reader = server.site.token(Role::Reader, None).await;
    for (token, id, code) in [
        (None, draft.as_str(), "UNAUTHENTICATED"),
        (Some(reader.as_str()), &draft, "FORBIDDEN"),
        (Some(&author), &draft, "BAD_USER_INPUT"),
        (Some(EDITOR_TOKEN), "post-000000000000", "BAD_USER_INPUT"),
        (Some(EDITOR_TOKEN), "no id", "BAD_USER_INPUT"),
    ] {
        assert_eq!(open(&server, token, id).await.refusal().await, code, "{id}");
    }
    assert_eq!(open(&server, Some(EDITOR_TOKEN), &draft).await.data().await["editing"], Value::Array(Vec::new()));
}
