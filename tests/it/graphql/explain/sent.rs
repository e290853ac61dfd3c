//! Reads as they are sent to Azure: what they ask for. The rule: a proxy before Azurite has each request and each answer, so what is
//! counted does not depend on the code that counts.

use std::sync::Arc;

use serde_json::Value;
use tidings::store::Store;
use tidings::store::azure::AzureStore;

use super::Server;
use crate::graphql::price::examples;
use crate::support::azurite::{Azurite, emulator_key, random_prefix, settings};
use crate::support::proxy::Proxy;
use crate::support::site::Site;

/// An emulator, a store that reaches it directly, and one with the same tables that reaches it through a proxy.
struct Scene {
    azurite: Azurite,
    proxy: Proxy,
    direct: Store,
    through: Arc<AzureStore>,
}

async fn scene() -> Scene {
    let azurite = Azurite::own();
    let proxy = Proxy::before(&azurite).await;
    let prefix = random_prefix();
    let direct = Arc::new(AzureStore::connect(&azurite.settings(&prefix)).expect("a client"));
    let settings = settings(&proxy.endpoint, emulator_key(), &prefix);
    let through = Arc::new(AzureStore::connect(&settings).expect("a client"));
    Scene { azurite, proxy, direct, through }
}

/// The header of an answer of Cosmos DB to a point read of 1 KiB ("Request units in Azure Cosmos DB").
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_has_the_request_units_that_cosmos_db_charges() {
    let Scene { azurite: _azurite, proxy, direct, through } = scene().await;
    examples::import_blog(&Site::over(direct).await).await;
    let site = Site::over(through).await;
    let server = Server::of(&site, true);
    let query = "{ posts(first: 5) { nodes { title authors { name } tags { name } } } }";
    let units = |plan: &Value| -> Vec<Value> {
        plan["requests"].as_array().expect("requests").iter().map(|request| request["requestUnits"].clone()).collect()
    };
    let plan = server.plan(query).await;
    assert!(units(&plan).iter().all(Value::is_null), "{plan}");
    proxy.charge("1.05");
    site.invalidate_cached();
    let plan = server.plan(query).await;
    assert!(units(&plan).len() > 3 && units(&plan).iter().all(|units| *units == 1.05), "{plan}");
}

/// The bytes of the answers from Azurite; `before`: as if all properties were selected.
#[tokio::test(flavor = "multi_thread")]
async fn reads_of_keys_have_few_bytes() {
    let Scene { azurite: _azurite, proxy, direct, through } = scene().await;
    examples::import_blog(&Site::over(direct).await).await;
    let site = Site::over(through).await;
    let server = Server::of(&site, true);
    let card = "slug title excerpt publishedAt authors { slug name } categories { slug name } tags { slug name }";
    let queries = [
        format!("{{ posts(first: 20) {{ nodes {{ {card} }} pageInfo {{ hasNextPage endCursor }} }} }}"),
        "{ tag(slug: \"website\") { posts(first: 20) { nodes { title } } } }".to_owned(),
        "{ posts(first: 5, filter: { tags: { all: [\"website\"], none: [\"telescopes\"] } }) { nodes { title } } }"
            .to_owned(),
    ];
    let mut measured = Vec::new();
    for query in &queries {
        let mut bytes = Vec::new();
        for drops_select in [true, false] {
            site.invalidate_cached();
            proxy.drop_select(drops_select);
            let before = proxy.answer_bytes();
            let plan = server.plan(query).await;
            bytes.push((proxy.answer_bytes() - before, plan["spent"]["storageRequests"].clone()));
        }
        let [(before, requests), (after, same)] = &bytes[..] else { unreachable!("two") };
        assert_eq!(requests, same, "{query}");
        println!("{before} bytes before, {after} after, {requests} requests: {query}");
        measured.push((*before, *after));
    }
    assert_eq!(measured[0].0, measured[0].1, "the front page reads no row of which only the key is used");
    assert!(measured[1..].iter().all(|(before, after)| after < before), "{measured:?}");
}
