//! Access tokens and preview links in the audit log. The rule: each change of them is there once, with nothing of a secret; polls of the feed go past it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::keys::{Table, token as keys};
use tidings::model::token::TOKENS_MAX;
use tidings::model::{Role, Token, TokenId};
use tidings::store::{Batch, Operation, Precondition, Store};
use tidings::testing::rows;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::rows::scan;
use crate::support::site::{NOW, Site, instant};
use crate::support::stepping::{Actor, Trace, trace_text};
use crate::support::stores::on_store;

use crate::graphql::change_feed::follower::{Follower, POST, mutate, server, text};

pub const ERRORS: &str = "userErrors { code message }";

/// The id of a new token.
pub async fn create(site: &Site, name: &str) -> String {
    let create = format!(r#"createToken(input: {{ name: "{name}", role: READER }}) {{ token {{ id }} {ERRORS} }}"#);
    text(&mutate(site, &create).await["token"]["id"])
}

pub fn revocation(id: &str) -> String {
    format!(r#"revokeToken(input: {{ id: "{id}" }}) {{ {ERRORS} }}"#)
}

pub fn previews_revocation() -> String {
    format!("revokePreviews {{ revokedAt {ERRORS} }}")
}

/// An entry without its time and actor.
pub fn entry(id: &str, action: &str) -> Value {
    let kind = if id.starts_with("token-") { "Token" } else { "PreviewLink" };
    json!({ "nodeId": id, "nodeType": kind, "actions": [action] })
}

/// The entries without their times and actors.
pub fn shown(entries: &[Value]) -> Vec<Value> {
    let of = |entry: &Value| json!({ "nodeId": entry["nodeId"], "nodeType": entry["nodeType"], "actions": entry["actions"] });
    entries.iter().map(of).collect()
}

/// As texts, in one order.
pub fn sorted(entries: impl IntoIterator<Item = Value>) -> Vec<String> {
    let mut texts: Vec<String> = entries.into_iter().map(|entry| entry.to_string()).collect();
    texts.sort();
    texts
}

/// The entries of the audit log, the oldest first.
pub async fn audited(site: &Site, token: &str) -> Vec<Value> {
    let fields = "__typename actions occurredAt actor { kind name } ... on ContentAuditLogEntry { nodeId nodeType node { id } } \
                  ... on TokenAuditLogEntry { nodeId: tokenId token { id } }";
    let answer = site.ask_as(Some(token), &format!("{{ auditLog(first: 100) {{ nodes {{ {fields} }} }} }}")).await;
    assert_eq!(answer.get("errors"), None);
    let mut entries = answer["data"]["auditLog"]["nodes"].as_array().expect("a list").clone();
    entries.reverse();
    for entry in &mut entries {
        match entry["__typename"].as_str() {
            Some("TokenAuditLogEntry") => entry["nodeType"] = json!("Token"),
            Some("PreviewLinksAuditLogEntry") => {
                (entry["nodeId"], entry["nodeType"]) = (json!("preview-links"), json!("PreviewLink"));
            }
            _ => {}
        }
    }
    entries
}

async fn each_change_of_tokens_and_previews_is_in_the_audit_log_and_not_in_the_feed(store: &Store) {
    let clock = Clock::fixed(instant(NOW));
    let site = server(store, &clock).await;
    mutate(&site, &format!(r#"createAuthor(input: {{ slug: "ada", name: "Ada" }}) {{ {ERRORS} }}"#)).await;
    let mut others = vec![Follower::of_the_public(&site).await];
    let mut editor = String::new();
    for role in [Role::Reader, Role::Author, Role::Editor] {
        editor = site.token(role, (role == Role::Author).then_some("ada")).await;
        others.push(Follower::of_token(&site, editor.clone().leak()).await);
    }
    others.push(Follower::of_everything(&site).await);
    let recorded_before = audited(&site, &editor).await.len();
    let mut expected = Vec::new();
    // Changes of one instant are recorded in any order.
    let mut second = 0;
    let mut later = || {
        second += 1;
        clock.set(instant(&format!("2026-06-15T12:00:{second:02}Z")));
    };
    later();
    let id = create(&site, "one").await;
    expected.push(entry(&id, "CREATED"));
    let create_post = r#"createPost(input: { title: "T", markdown: "x" })"#;
    let post = mutate(&site, &format!("{create_post} {{ {POST} }}")).await["post"]["id"].clone();
    later();
    mutate(&site, &revocation(&id)).await;
    expected.push(entry(&id, "REVOKED"));
    // Nothing changes if it is revoked again, nor with a link.
    mutate(&site, &revocation(&id)).await;
    let link = format!("createPreview(input: {{ contentId: {post} }}) {{ preview {{ token }} {ERRORS} }}");
    mutate(&site, &link).await;
    for _ in 0..2 {
        later();
        mutate(&site, &previews_revocation()).await;
        expected.push(entry("preview-links", "REVOKED"));
    }
    for (number, other) in others.iter_mut().enumerate() {
        let before = other.position.clone();
        let seen = other.poll_by(&site, 1).await;
        assert!(seen.iter().all(|change| change["nodeType"] == "Post"), "follower {number}: {seen:?}");
        assert_ne!(other.position, before);
    }
    later();
    mutate(&site, &format!("publishPost(input: {{ id: {post}, expectedVersion: 1 }}) {{ {POST} }}")).await;
    for other in &mut others {
        assert_eq!(other.poll(&site).await.len(), 1, "the change after them");
    }
    for (token, sees_tokens) in [(editor.as_str(), false), (EDITOR_TOKEN, true)] {
        let mut entries = audited(&site, token).await.split_off(recorded_before);
        entries.retain(|entry| entry["nodeType"] != "Post");
        assert_eq!(shown(&entries), expected);
        for entry in &entries {
            assert_eq!(entry["actor"], json!({ "kind": "SERVER_TOKEN", "name": "TIDINGS_EDITOR_TOKEN" }));
            let is_shown = sees_tokens && entry["nodeType"] == "Token";
            let token = json!({ "id": entry["nodeId"] });
            assert_eq!(entry["token"], if is_shown { token } else { Value::Null });
        }
    }
    for token in [None, others[1].token, others[2].token] {
        let answer = site.ask_as(token, "{ auditLog { nodes { id } } }").await;
        assert_eq!(answer["data"]["auditLog"], Value::Null, "{token:?}");
    }
    site.assert_sound().await;
}

/// An entry has a kind, an id, a slug, an action and a version; and beside them a row has the time and the actor.
async fn an_entry_of_a_token_has_nothing_of_its_secret(store: &Store) {
    let site = server(store, &Clock::fixed(instant(NOW))).await;
    let id = create(&site, "one").await.replace("token-", "");
    let recorded = scan(&site.store, Table::Changes.name()).await;
    let change = rows::change::read(&recorded[0]).expect("a change");
    let item = rows::change::ChangedItem {
        kind: "token".to_owned(),
        id: id.clone(),
        slug: id,
        actions: vec![rows::change::Action::Created],
        version: 1,
        creation: None,
    };
    assert_eq!((recorded.len(), &change.items), (1, &vec![item.clone()]));
    let names: BTreeSet<&str> = recorded[0].properties.iter().map(|(name, _)| name).collect();
    assert_eq!(names, BTreeSet::from(["At", "By", "ByKind", "Items0"]));
    let logged = scan(&site.store, Table::ChangeLog.name()).await;
    let entries: Vec<_> = logged.iter().filter_map(|row| rows::change_log::read_entry(row).ok()).collect();
    let items: Vec<_> = entries.into_iter().flat_map(|entry| entry.items).collect();
    assert_eq!(items, [rows::change_log::LogItem::of_object(item, None)]);
}

/// As many tokens as a site can have: valid ones, and an expired one that is neither the oldest nor the newest.
pub async fn fill(store: &Store, valid: usize) -> String {
    let token = |number: u64| Token {
        id: TokenId::new(instant("2026-01-01T00:00:00Z"), number),
        name: number.to_string(),
        role: Role::Reader,
        author: None,
        created_at: instant("2026-01-01T00:00:00Z"),
        expires_at: (number == 7).then(|| instant("2026-01-02T00:00:00Z")),
        revoked_at: None,
    };
    let tokens: Vec<Token> = (0..=valid as u64).map(token).collect();
    for part in tokens.chunks(100) {
        let put = |token: &Token| Operation::Put {
            row: token.id.to_string(),
            properties: rows::token::row(token, &[7; 32]),
            precondition: Precondition::None,
        };
        let batch = Batch::new(keys::TOKENS_PARTITION, part.iter().map(put).collect()).expect("a batch");
        store.commit(Table::Tokens.name(), &batch).await.expect("tokens");
    }
    format!("token-{}", token(7).id)
}

async fn a_token_that_is_deleted_for_a_new_one_is_recorded(store: &Store) {
    let site = server(store, &Clock::fixed(instant(NOW))).await;
    let expired = fill(&site.store, TOKENS_MAX - 1).await;
    let id = create(&site, "new").await;
    let expected = [entry(&expired, "DELETED"), entry(&id, "CREATED")];
    assert_eq!(sorted(shown(&audited(&site, EDITOR_TOKEN).await)), sorted(expected));
    assert_eq!(scan(&site.store, Table::Tokens.name()).await.len(), TOKENS_MAX);
    site.assert_sound().await;
}

/// On a file there is one server, with several requests.
async fn changes_at_the_same_time_are_each_recorded(store: &Store) {
    let clock = Clock::fixed(instant(NOW));
    let first = Arc::new(server(store, &clock).await);
    let second = if store.is_transactional() { Arc::clone(&first) } else { Arc::new(server(store, &clock).await) };
    let id = create(&first, "one").await;
    let mut changes = tokio::task::JoinSet::new();
    for site in [&first, &second, &first, &second] {
        for mutation in [previews_revocation(), revocation(&id)] {
            let site = Arc::clone(site);
            changes.spawn(async move { drop(mutate(&site, &mutation).await) });
        }
    }
    changes.join_all().await;
    let revoked = std::iter::repeat_n(entry("preview-links", "REVOKED"), 4);
    let expected = revoked.chain(["CREATED", "REVOKED"].map(|action| entry(&id, action)));
    assert_eq!(sorted(shown(&audited(&first, EDITOR_TOKEN).await)), sorted(expected));
}

on_store!(embedded: each_change_of_tokens_and_previews_is_in_the_audit_log_and_not_in_the_feed, an_entry_of_a_token_has_nothing_of_its_secret, a_token_that_is_deleted_for_a_new_one_is_recorded, changes_at_the_same_time_are_each_recorded);
on_store!(memory: each_change_of_tokens_and_previews_is_in_the_audit_log_and_not_in_the_feed, an_entry_of_a_token_has_nothing_of_its_secret, a_token_that_is_deleted_for_a_new_one_is_recorded, changes_at_the_same_time_are_each_recorded);
on_store!(transactional_memory: each_change_of_tokens_and_previews_is_in_the_audit_log_and_not_in_the_feed, a_token_that_is_deleted_for_a_new_one_is_recorded, changes_at_the_same_time_are_each_recorded);
on_store!(azurite: each_change_of_tokens_and_previews_is_in_the_audit_log_and_not_in_the_feed, an_entry_of_a_token_has_nothing_of_its_secret, a_token_that_is_deleted_for_a_new_one_is_recorded, changes_at_the_same_time_are_each_recorded);

/// One mutation after the other, each of which must be made.
async fn run(store: Store, mutations: Vec<String>) {
    let site = server(&store, &Clock::fixed(instant(NOW))).await;
    for mutation in mutations {
        mutate(&site, &mutation).await;
    }
}

/// Three servers, in random interleavings of their requests.
#[tokio::test(start_paused = true)]
async fn overlapping_changes_of_tokens_and_previews_are_each_recorded_once() {
    for seed in seeds(8) {
        let _report = report_seed_on_failure(seed);
        let mut random = Random::new(seed);
        let store: Store = MemoryStore::empty();
        let site = server(&store, &Clock::fixed(instant(NOW))).await;
        let mut tokens = Vec::new();
        for name in ["a", "b"] {
            tokens.push(create(&site, name).await);
        }
        let trace = Trace::default();
        let mut servers = Vec::new();
        for name in ["first", "second", "third"] {
            let new = format!(r#"createToken(input: {{ name: "{name}", role: READER }}) {{ {ERRORS} }}"#);
            let mutations =
                vec![previews_revocation(), revocation(&tokens[0]), new, previews_revocation(), revocation(&tokens[1])];
            servers.push(Actor::new(name, Arc::clone(&store), &trace, |store| run(store, mutations)).await);
        }
        while servers.iter().any(|server| !server.is_done()) {
            let next = random.below(servers.len());
            servers[next].steps(random.below(8)).await;
        }
        for server in servers {
            server.finish().await;
        }
        let query = "{ tokens(first: 100) { nodes { id } } }";
        let stored = site.ask_as(Some(EDITOR_TOKEN), query).await["data"]["tokens"]["nodes"].clone();
        let created = stored.as_array().expect("a list").iter().map(|token| entry(&text(&token["id"]), "CREATED"));
        let revoked = tokens.iter().map(|id| entry(id, "REVOKED"));
        let previews = std::iter::repeat_n(entry("preview-links", "REVOKED"), 6);
        let expected = sorted(created.chain(revoked).chain(previews));
        assert_eq!(expected.len(), 13);
        let found = sorted(shown(&audited(&site, EDITOR_TOKEN).await));
        assert_eq!(found, expected, "{}", trace_text(&trace));
        site.assert_sound().await;
    }
}
