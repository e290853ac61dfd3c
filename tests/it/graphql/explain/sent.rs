//! Reads as they are sent to Azure: which are sent twice, and what they ask for. The rule: a proxy before Azurite has each request and each answer, so what is
//! counted does not depend on the code that counts.

use std::sync::Arc;
use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use tidings::store::azure::AzureStore;
use tidings::store::{AccessKind, CountingStore, Store, TableStore};

use super::{Server, fill, requests};
use crate::graphql::price::examples;
use crate::support::azurite::{Azurite, emulator_key, random_prefix, settings};
use crate::support::proxy::{Fault, Proxy};
use crate::support::rows::{TABLE, key, number, put_row, range};
use crate::support::site::Site;

/// Long, so that a read that is only slow because the machine is busy is sent once.
const DELAY: Duration = Duration::from_secs(4);

/// An emulator, a store that reaches it directly, and one with the same tables that reaches it through a proxy.
struct Scene {
    azurite: Azurite,
    proxy: Proxy,
    direct: Store,
    through: Arc<AzureStore>,
}

async fn scene(hedging_delay: Option<Duration>) -> Scene {
    let azurite = Azurite::own();
    let proxy = Proxy::before(&azurite).await;
    let prefix = random_prefix();
    let direct = Arc::new(AzureStore::connect(&azurite.settings(&prefix)).expect("a client"));
    let mut settings = settings(&proxy.endpoint, emulator_key(), &prefix);
    settings.hedging_delay = hedging_delay;
    let through = Arc::new(AzureStore::connect(&settings).expect("a client"));
    Scene { azurite, proxy, direct, through }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_that_is_slow_is_sent_again_and_counted_as_two() {
    let Scene { azurite, proxy, direct, through } = scene(Some(DELAY)).await;
    direct.create_tables(&[TABLE]).await.expect("a table");
    put_row(&direct, "p", "r", number(7)).await;
    for is_range in [false, true] {
        let counting = CountingStore::explaining(Arc::<AzureStore>::clone(&through), false);
        let before = azurite.requests().len();
        proxy.plan(Method::GET, [Fault::Hang]);
        let found = match is_range {
            false => counting.get(TABLE, &key("p", "r")).await.expect("a read").into_iter().collect(),
            true => counting.range(TABLE, &range("p", None, None), 10, None).await.expect("a read").rows,
        };
        assert_eq!((found.len(), proxy.unmet()), (1, 0));
        let log = azurite.requests().split_off(before);
        assert!(log.len() == 2 && log[0] == log[1] && log[0].starts_with("GET "), "{log:?}");
        let used = counting.used();
        let hedged = (used.hedged_point_reads, used.hedged_range_reads);
        assert_eq!((used.requests(), used.bounded_requests(), hedged), (2, 1, if is_range { (0, 1) } else { (1, 0) }));
        let listed = counting.explanation().expect("one").explained().requests;
        let kind = if is_range { AccessKind::Range } else { AccessKind::Point };
        let shown: Vec<_> = listed.iter().map(|one| (one.accessed.kind, one.is_hedge, one.rows)).collect();
        assert_eq!(shown, [(kind, false, 1), (kind, true, 0)]);
        assert!(listed[1].start >= listed[0].start + DELAY, "{listed:?}");
        assert_eq!(listed.iter().map(|one| one.start + one.duration.expect("an end")).max(), {
            let [first, second] = [0, 1].map(|at: usize| listed[at].start + listed[at].duration.expect("an end"));
            assert_eq!(first, second, "both end with the first answer");
            Some(first)
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_of_a_request_with_a_slow_read_has_both_of_its_requests_and_their_price() {
    let Scene { azurite: _azurite, proxy, direct, through } = scene(Some(DELAY)).await;
    fill(&Site::over(direct).await).await;
    let site = Site::over(through).await;
    let server = Server::of(&site, true);
    proxy.plan(Method::GET, [Fault::Hang]);
    let plan = server.plan("{ post(slug: \"post-1\") { title } }").await;
    let shown: Vec<Value> =
        requests(&plan).iter().map(|one| json!([one["kind"], one["table"], one["hedge"], one["rows"]])).collect();
    let [first, second] = [false, true].map(|hedge| json!(["POINT", "PostKeys", hedge, if hedge { 0 } else { 1 }]));
    assert_eq!(shown, [first, second, json!(["POINT", "Posts", false, 1])], "{plan:#}");
    let spent = ["storageRequests", "pointReads", "hedges", "roundTrips"].map(|name| plan["spent"][name].as_u64());
    assert_eq!(spent, [3, 2, 1, 2].map(Some), "{plan:#}");
    assert_eq!(plan["price"]["perMillionQueries"], 0.108);
    assert_eq!(plan["fields"][0]["storageRequests"], 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_setting_no_read_is_sent_twice() {
    let Scene { azurite: _azurite, proxy, direct, through } = scene(None).await;
    direct.create_tables(&[TABLE]).await.expect("a table");
    proxy.plan(Method::GET, [Fault::Hang]);
    let read = tokio::time::timeout(Duration::from_secs(1), through.get(TABLE, &key("p", "r"))).await;
    assert!(read.is_err(), "{read:?}");
    assert_eq!(proxy.requests(), 1);
}

/// The bytes of the answers from Azurite; `before`: as if all properties were selected.
#[tokio::test(flavor = "multi_thread")]
async fn reads_of_keys_have_few_bytes() {
    let Scene { azurite: _azurite, proxy, direct, through } = scene(None).await;
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
