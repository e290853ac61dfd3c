//! An asset from its file to its deletion, on a store file and on tables.

use std::sync::Arc;

use serde_json::{Value, json};
use tidings::model::Role;
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::Gallery;
use super::files::{jpeg, png};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;

const ALL: &str =
    "id url byteSize contentType originalName version ... on Image { srcset width height alt caption placeholder }";

async fn an_asset_is_added_read_listed_changed_and_deleted(store: Store) {
    let gallery = Gallery::over(&store).await;
    let sent = gallery.upload_as(Some(EDITOR_TOKEN), "?name=cat.jpg&alt=A%20cat", jpeg(400, 300)).await;
    let added = sent.json()["asset"].clone();
    let id = added["id"].as_str().expect("an id").to_owned();
    let again = gallery.upload(jpeg(400, 300)).await;
    assert_eq!((sent.status.as_u16(), again.status.as_u16()), (201, 200));
    assert_eq!(again.json()["asset"]["id"], json!(id));

    let read = gallery
        .ask_as(None, &format!("{{ asset(id: \"{id}\") {{ {ALL} }} node(id: \"{id}\") {{ id __typename }} }}"))
        .await;
    let asset = &read["data"]["asset"];
    for field in ["id", "url", "width", "height", "byteSize", "contentType", "placeholder", "version"] {
        assert_eq!(asset[field], added[field], "{field}");
    }
    assert_eq!(
        (&asset["alt"], &asset["caption"], &asset["originalName"]),
        (&json!("A cat"), &Value::Null, &Value::Null)
    );
    let url = added["url"].as_str().expect("a URL");
    assert_eq!(asset["srcset"], json!(format!("{url}?width=160 160w, {url}?width=320 320w, {url} 400w")));
    assert_eq!(read["data"]["node"], json!({ "id": id, "__typename": "Image" }));

    let update = format!(
        "mutation {{ updateAsset(input: {{ id: \"{id}\", expectedVersion: 1, alt: null, caption: \"Asleep\" }}) {{ asset {{ version originalName ... on Image {{ alt caption }} }} userErrors {{ code }} }} }}"
    );
    let updated = gallery.ask(&update).await;
    let expected = json!({ "asset": { "version": 2, "originalName": "cat.jpg", "alt": null, "caption": "Asleep" }, "userErrors": [] });
    assert_eq!(updated["data"]["updateAsset"], expected, "{updated}");
    let query = format!("{{ asset(id: \"{id}\") {{ ... on Image {{ caption }} }} }}");
    for _ in 0..2 {
        // The second answer is held, if the store allows it.
        let read = gallery.ask_as(None, &query).await;
        assert_eq!(read["data"]["asset"]["caption"], json!("Asleep"));
    }
    let listed = gallery.ask("{ assets { nodes { id ... on Image { caption } } pageInfo { hasNextPage } } }").await;
    assert_eq!(listed["data"]["assets"]["nodes"], json!([{ "id": id, "caption": "Asleep" }]), "{listed}");
    gallery.site.assert_sound().await;

    gallery.get(&format!("{url}?width=160"), &[]).await;
    let delete_version = |version: u32| {
        format!(
            "mutation {{ deleteAsset(input: {{ id: \"{id}\", expectedVersion: {version} }}) {{ deletedId userErrors {{ code ... on ConflictError {{ current {{ id ... on Image {{ version caption }} }} }} }} }} }}"
        )
    };
    let stale = gallery.ask(&delete_version(1)).await["data"]["deleteAsset"]["userErrors"].clone();
    let current = json!({ "id": id, "version": 2, "caption": "Asleep" });
    assert_eq!(stale, json!([{ "code": "CONFLICT", "current": current }]));
    let unchanged = gallery.ask(&update).await;
    assert_eq!(unchanged["data"]["updateAsset"], json!({ "asset": null, "userErrors": [{ "code": "CONFLICT" }] }));
    let delete = delete_version(2);
    let deleted = gallery.ask(&delete).await;
    assert_eq!(deleted["data"]["deleteAsset"], json!({ "deletedId": id, "userErrors": [] }), "{deleted}");
    for address in [url.to_owned(), format!("{url}?width=160")] {
        assert_eq!(gallery.get(&address, &[]).await.status, 404);
    }
    let gone = gallery.ask(&format!("{{ asset(id: \"{id}\") {{ id }} assets {{ nodes {{ id }} }} }}")).await;
    assert_eq!(gone["data"], json!({ "asset": null, "assets": { "nodes": [] } }));
    assert_eq!(gallery.ask_as(None, &query).await["data"]["asset"], Value::Null);
    let twice = gallery.ask(&delete).await;
    assert_eq!(twice["data"]["deleteAsset"]["userErrors"], json!([{ "code": "NOT_FOUND" }]), "{twice}");
    gallery.site.assert_sound().await;
    // It can be added again.
    assert_eq!(gallery.upload(jpeg(400, 300)).await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_is_added_read_listed_changed_and_deleted_on_a_file() {
    an_asset_is_added_read_listed_changed_and_deleted(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_is_added_read_listed_changed_and_deleted_on_tables_in_memory() {
    an_asset_is_added_read_listed_changed_and_deleted(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_asset_is_added_read_listed_changed_and_deleted_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    an_asset_is_added_read_listed_changed_and_deleted(Arc::new(store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn assets_are_listed_page_by_page_and_only_for_those_who_write() {
    let gallery = Gallery::in_memory().await;
    for side in 1..=5 {
        gallery.add(png(side, side)).await;
    }
    let (mut seen, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = gallery.ask(&format!("{{ assets(first: 2, after: {after}) {{ edges {{ cursor node {{ id }} }} pageInfo {{ hasNextPage endCursor }} }} }}")).await;
        let page = &page["data"]["assets"];
        let edges = page["edges"].as_array().expect("edges");
        seen.extend(edges.iter().map(|edge| edge["node"]["id"].to_string()));
        after = page["pageInfo"]["endCursor"].clone();
        if page["pageInfo"]["hasNextPage"] == json!(false) {
            break;
        }
        assert_eq!(edges.len(), 2);
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 5);
    let author_only = gallery.ask_as(None, "{ assets { nodes { id } } }").await;
    assert_eq!(author_only["errors"][0]["extensions"]["code"], json!("UNAUTHENTICATED"));
    let bad = gallery.ask("{ assets(after: \"x\") { nodes { id } } }").await;
    assert_eq!(bad["errors"][0]["extensions"]["code"], json!("BAD_CURSOR"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_author_changes_what_is_said_of_a_picture_and_does_not_delete_it() {
    let gallery = Gallery::in_memory().await;
    let id = gallery.add(png(9, 9)).await["id"].as_str().expect("an id").to_owned();
    let delete = format!("mutation {{ deleteAsset(input: {{ id: \"{id}\", expectedVersion: 1 }}) {{ deletedId }} }}");
    let reader = gallery.site.token(Role::Reader, None).await;
    let update = |alt: &str| {
        format!(
            "mutation {{ updateAsset(input: {{ id: \"{id}\", expectedVersion: 1, alt: \"{alt}\" }}) {{ asset {{ id }} userErrors {{ code field }} }} }}"
        )
    };
    for query in [&delete, &update("x")] {
        let refused = gallery.ask_as(Some(&reader), query).await;
        assert_eq!(refused["errors"][0]["extensions"]["code"], json!("FORBIDDEN"));
    }
    let long = gallery.ask(&update(&"x".repeat(1_001))).await;
    let expected = json!([{ "code": "TOO_LARGE", "field": ["input", "alt"] }]);
    assert_eq!(long["data"]["updateAsset"]["userErrors"], expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_width_of_the_schema_is_the_next_one_that_is_offered() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(png(1000, 10)).await;
    let (id, url) = (asset["id"].as_str().expect("an id"), asset["url"].as_str().expect("a URL"));
    let query = format!(
        "{{ asset(id: \"{id}\") {{ e: url ... on Image {{ a: url(width: 1) b: url(width: 161) c: url(width: 961) d: url(width: 1000) }} }} }}"
    );
    let read = gallery.ask(&query).await;
    let at = |width: u32| format!("{url}?width={width}");
    assert_eq!(read["data"]["asset"], json!({ "a": at(160), "b": at(320), "c": url, "d": url, "e": url }));
    let bad = gallery.ask(&format!("{{ asset(id: \"{id}\") {{ ... on Image {{ url(width: 0) }} }} }}")).await;
    assert_eq!(bad["errors"][0]["extensions"]["code"], json!("BAD_USER_INPUT"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_picture_that_many_clients_send_at_once_is_one_asset() {
    let gallery = Arc::new(Gallery::over(&(MemoryStore::empty() as Store)).await);
    let sending = (0..12).map(|_| {
        let gallery = Arc::clone(&gallery);
        tokio::spawn(async move { gallery.add(png(64, 64)).await["id"].clone() })
    });
    let mut ids = Vec::new();
    for sent in sending.collect::<Vec<_>>() {
        ids.push(sent.await.expect("no panic"));
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
    gallery.site.assert_sound().await;
    gallery.site.content.recover_assets().await.expect("a recovery");
    assert_eq!(gallery.library.list().await.expect("the pictures").len(), 1);
}
