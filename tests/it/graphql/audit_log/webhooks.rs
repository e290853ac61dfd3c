//! Webhooks in the audit log. The rule: what an admin changes is there, without the address, which can be a secret; and a request to send, or to change
//! nothing, is not. Polls of the feed go past it.

use serde_json::{Value, json};
use tidings::clock::Clock;
use tidings::keys::Table;
use tidings::model::Role;
use tidings::store::Store;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::rows::scan;
use crate::support::site::{NOW, Site, instant};
use crate::support::stores::on_store;

use super::tokens::ERRORS;
use crate::graphql::change_feed::follower::{Follower, mutate, server, text};

const ADDRESS: &str = "https://receiver.example/secret";

/// The entries of the audit log, the oldest first.
async fn audited(site: &Site, token: &str) -> Vec<Value> {
    let fields =
        "__typename id actions occurredAt actor { name } ... on WebhookAuditLogEntry { webhookId webhook { url } }";
    let answer = site.ask_as(Some(token), &format!("{{ auditLog {{ nodes {{ {fields} }} }} }}")).await;
    assert_eq!(answer.get("errors"), None, "{answer}");
    answer["data"]["auditLog"]["nodes"].as_array().expect("a list").iter().rev().cloned().collect()
}

async fn each_change_of_a_webhook_is_in_the_audit_log_and_not_in_the_feed(store: &Store) {
    let clock = Clock::fixed(instant(NOW));
    let site = server(store, &clock).await;
    let editor = site.token(Role::Editor, None).await;
    let before = audited(&site, &editor).await.len();
    let mut followers = [Follower::of_the_public(&site).await, Follower::of_everything(&site).await];
    // Changes of one instant are recorded in any order.
    let at = |second: usize| clock.set(instant(&format!("2026-06-15T12:00:{second:02}Z")));
    at(1);
    let create = format!("createWebhook(input: {{ url: \"{ADDRESS}\" }}) {{ webhook {{ id }} {ERRORS} }}");
    let id = text(&mutate(&site, &create).await["webhook"]["id"]);
    let steps = [
        (format!("updateWebhook(input: {{ id: \"{id}\", enabled: false }}) {{ {ERRORS} }}"), Some("UPDATED")),
        (format!("updateWebhook(input: {{ id: \"{id}\", enabled: false }}) {{ {ERRORS} }}"), None),
        (format!("updateWebhook(input: {{ id: \"{id}\", enabled: true }}) {{ {ERRORS} }}"), Some("UPDATED")),
        (format!("rotateWebhookSecret(input: {{ id: \"{id}\" }}) {{ {ERRORS} }}"), Some("UPDATED")),
        (format!("testWebhook(input: {{ id: \"{id}\" }}) {{ {ERRORS} }}"), None),
        (format!("replayWebhook(input: {{ id: \"{id}\", since: \"{NOW}\" }}) {{ {ERRORS} }}"), None),
        (format!("deleteWebhook(input: {{ id: \"{id}\" }}) {{ {ERRORS} }}"), Some("DELETED")),
    ];
    let mut expected = vec!["CREATED"];
    for (second, (mutation, action)) in (2..).zip(&steps) {
        at(second);
        mutate(&site, mutation).await;
        expected.extend(action);
        let entries = audited(&site, EDITOR_TOKEN).await.split_off(before);
        let url = if *action == Some("DELETED") { Value::Null } else { json!({ "url": ADDRESS }) };
        let actions: Vec<_> = entries.iter().map(|entry| entry["actions"][0].clone()).collect();
        assert_eq!(actions, expected, "{mutation}");
        assert!(entries.iter().all(|entry| entry["webhook"] == url && entry["webhookId"] == id), "{entries:?}");
    }
    let entries = audited(&site, &editor).await.split_off(before);
    let is_whole = |entry: &Value| {
        entry["__typename"] == "WebhookAuditLogEntry"
            && entry["webhook"].is_null()
            && entry["actor"]["name"] == "TIDINGS_EDITOR_TOKEN"
    };
    assert!(entries.len() == expected.len() && entries.iter().all(is_whole), "{entries:?}");
    let node = format!("{{ node(id: {}) {{ ... on WebhookAuditLogEntry {{ webhookId }} }} }}", entries[0]["id"]);
    assert_eq!(site.ask_as(Some(&editor), &node).await["data"]["node"], json!({ "webhookId": id }));
    for follower in &mut followers {
        assert_eq!(follower.poll(&site).await, Vec::<Value>::new());
    }
    for table in [Table::Changes, Table::ChangeLog] {
        let rows = scan(&site.store, table.name()).await;
        assert!(!rows.is_empty() && !format!("{rows:?}").contains("receiver.example"), "{table:?}");
    }
    site.assert_sound().await;
}

on_store!(embedded: each_change_of_a_webhook_is_in_the_audit_log_and_not_in_the_feed);
on_store!(memory: each_change_of_a_webhook_is_in_the_audit_log_and_not_in_the_feed);
on_store!(azurite: each_change_of_a_webhook_is_in_the_audit_log_and_not_in_the_feed);
