//! The tables of months: what is kept, and by which requests they are written, read and dropped.

use std::sync::Arc;

use percent_encoding::percent_decode_str;
use tidings::clock::Clock;
use tidings::store::azure::AzureStore;

use super::{BROWSER, Counting};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::site::{Site, instant, post};

const PUBLISHED: &str = "2026-01-01T00:00:00Z";
const MONTHS: [&str; 3] = ["2026-04", "2026-05", "2026-06"];
const YEAR: &str = "(from: \"2026-01-01T00:00:00Z\", to: \"2026-12-31T00:00:00Z\")";

/// Views of three months, of which two are kept.
async fn count(site: Site) -> Counting {
    site.publish(&[post(1, instant(PUBLISHED))]).await;
    let counting = Counting::of(site, 2);
    for month in MONTHS {
        counting.site.clock.set(instant(&format!("{month}-15T12:00:00Z")));
        assert_eq!(counting.view("192.0.2.1", BROWSER, "post-1").await, 204);
        counting.flush().await;
    }
    counting
}

async fn drop_old(counting: &Counting) {
    // Before, it is not shown any more.
    assert_eq!(counting.views("post-1", YEAR).await, 2);
    counting.site.content.delete_old_views().await.expect("a store");
    counting.site.content.delete_old_views().await.expect("a store");
    assert_eq!(counting.views("post-1", YEAR).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_of_a_month_that_is_not_kept_are_dropped_from_a_file() {
    let counting = count(Site::in_memory().await).await;
    let rows = async || counting.site.store.scan("Views202604", None).await.expect("a scan").rows.len();
    assert_eq!(rows().await, 3);
    drop_old(&counting).await;
    assert_eq!(rows().await, 0);
    assert_eq!(counting.site.store.scan("Views202605", None).await.expect("a scan").rows.len(), 3);
    counting.site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_table_of_views_is_dropped_by_one_request_and_none_is_scanned() {
    let (azurite, prefix, clock) = (Azurite::own(), random_prefix(), Clock::fixed(instant(PUBLISHED)));
    let store = AzureStore::connect(&azurite.settings(&prefix)).expect("a client");
    let counting = count(Site::shared(Arc::new(store), &clock).await).await;
    drop_old(&counting).await;
    let (data, _) = counting.ask("{ popular(days: 90) { post { slug } views } }").await;
    assert_eq!(data["popular"][0]["views"], 2);

    let requests: Vec<String> = azurite.requests();
    let decoded =
        |line: &String| percent_decode_str(&line.replace('+', " ")).decode_utf8().expect("UTF-8").into_owned();
    let of_views = requests.iter().map(decoded).filter(|line| line.contains(&format!("{prefix}View")));
    let of_views: Vec<String> = of_views.collect();
    let dropped: Vec<_> = of_views.iter().filter(|line| line.starts_with("DELETE")).collect();
    assert_eq!(dropped, [&format!("DELETE /devstoreaccount1/Tables('{prefix}Views202604')")]);
    let reads: Vec<_> = of_views.iter().filter(|line| line.starts_with("GET")).collect();
    assert!(reads.len() > 10, "{of_views:#?}");
    for read in reads {
        let (is_point, is_range) =
            (read.contains("(PartitionKey='views',RowKey='"), read.contains("PartitionKey eq '"));
        assert!(is_point || is_range, "{read}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn views_cost_a_read_for_each_month_and_popular_posts_one_range_each() {
    let counting = count(Site::in_memory().await).await;
    let cost = async |query: &str| {
        let cost = counting.site.cost(query).await;
        (cost.point_reads, cost.range_reads)
    };
    assert_eq!(cost("{ post(slug: \"post-1\") { views viewsByDay { views } } }").await, (2 + 2, 0));
    assert_eq!(cost(&format!("{{ post(slug: \"post-1\") {{ views{YEAR} }} }}")).await, (2 + 2, 0));
    assert_eq!(cost("{ popular(days: 90) { post { slug } views } }").await, (2, 2));
    assert_eq!(cost("{ popular(first: 1, filter: { tags: { none: [\"a\"] } }) { views } }").await, (2 + 1, 2));
}
