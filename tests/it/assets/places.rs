//! Pictures in every place where they can be: the contract of their bytes, and how many requests a place gets.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::http::{StatusCode, header};
use serde_json::Value;
use tidings::store::Store;

use super::Gallery;
use super::files::{animated_gif, decoded, jpeg, png, transparent_webp};
use crate::support::memory::MemoryStore;
use crate::support::places::{Place, in_every_place};
use crate::support::site::Site;

async fn gallery(place: &Place) -> Gallery {
    Gallery::with(Site::in_memory().await, place.library().await)
}

fn url(asset: &Value) -> &str {
    asset["url"].as_str().expect("a URL")
}

async fn delete(gallery: &Gallery, asset: &Value) {
    let query =
        format!("mutation {{ deleteAsset(input: {{ id: {}, expectedVersion: 1 }}) {{ deletedId }} }}", asset["id"]);
    let deleted = gallery.ask(&query).await;
    assert_eq!(deleted["data"]["deleteAsset"]["deletedId"], asset["id"], "{deleted}");
}

/// Each format, and the type of its smaller widths.
fn pictures() -> [(Vec<u8>, &'static str); 4] {
    [
        (jpeg(1000, 500), "image/jpeg"),
        (png(1000, 500), "image/png"),
        (transparent_webp(1000, 500), "image/webp"),
        // The same in every width, because it moves.
        (animated_gif(400, 300), "image/gif"),
    ]
}

async fn a_picture_is_added_served_in_parts_and_widths_and_deleted(place: &Place) {
    let gallery = gallery(place).await;
    let mut added = Vec::new();
    for (file, kind) in pictures() {
        let asset = gallery.add(file.clone()).await;
        let whole = gallery.get(url(&asset), &[]).await;
        assert_eq!(whole.status, StatusCode::OK);
        assert_eq!(whole.header(header::CONTENT_TYPE), asset["contentType"]);
        assert_eq!(decoded(&whole.bytes).to_rgba8(), decoded(&file).to_rgba8());
        let size = whole.bytes.len();
        let part = gallery.get(url(&asset), &[(header::RANGE, "bytes=8-15")]).await;
        assert_eq!((part.status, &part.bytes), (StatusCode::PARTIAL_CONTENT, &whole.bytes.slice(8..16)));
        let end = gallery.get(url(&asset), &[(header::RANGE, "bytes=-4")]).await;
        assert_eq!(end.bytes, whole.bytes.slice(size - 4..));
        let after = gallery.get(url(&asset), &[(header::RANGE, "bytes=9999999-")]).await;
        assert_eq!(after.status, StatusCode::RANGE_NOT_SATISFIABLE);
        let tag = whole.header(header::ETAG).to_owned();
        let known = gallery.get(url(&asset), &[(header::IF_NONE_MATCH, &tag)]).await;
        assert_eq!(known.status, StatusCode::NOT_MODIFIED);
        let small = format!("{}?width=160", url(&asset));
        let made = gallery.get(&small, &[]).await;
        assert_eq!((made.status, made.header(header::CONTENT_TYPE)), (StatusCode::OK, kind));
        assert_eq!(gallery.get(&small, &[]).await.bytes, made.bytes, "the stored width");
        if kind == "image/gif" {
            assert_eq!(made.bytes, whole.bytes);
        } else {
            assert_eq!(decoded(&made.bytes).to_rgb8().dimensions(), (160, 80));
        }
        added.push(asset);
    }
    assert_eq!(gallery.library.list().await.expect("the pictures").len(), added.len());
    for asset in &added {
        delete(&gallery, asset).await;
        for address in [url(asset).to_owned(), format!("{}?width=160", url(asset))] {
            assert_eq!(gallery.get(&address, &[]).await.refusal(), (404, "ROUTE_NOT_FOUND".to_owned()));
        }
    }
    assert_eq!(gallery.library.list().await.expect("the pictures"), []);
    gallery.site.assert_sound().await;
    let again = gallery.add(jpeg(1000, 500)).await;
    assert_eq!(gallery.get(&format!("{}?width=160", url(&again)), &[]).await.status, StatusCode::OK);
}

async fn servers_share_the_pictures_of_a_place(place: &Place) {
    let store: Store = MemoryStore::empty();
    let one = Gallery::with(Site::over(Arc::clone(&store)).await, place.library().await);
    let other = Gallery::with(Site::over(Arc::clone(&store)).await, place.same_library().await);
    let asset = one.add(png(1000, 500)).await;
    assert_eq!(other.add(png(1000, 500)).await["id"], asset["id"]);
    let small = format!("{}?width=320", url(&asset));
    let (made, same) = tokio::join!(one.get(&small, &[]), other.get(&small, &[]));
    assert_eq!((made.status, &made.bytes), (StatusCode::OK, &same.bytes));
    delete(&other, &asset).await;
    for gallery in [&one, &other] {
        assert_eq!(gallery.get(&small, &[]).await.status, StatusCode::NOT_FOUND);
    }
}

in_every_place!(a_picture_is_added_served_in_parts_and_widths_and_deleted);

mod shared {
    use super::servers_share_the_pictures_of_a_place;
    crate::support::places::in_place!(folder: servers_share_the_pictures_of_a_place);
    crate::support::places::in_place!(azurite: servers_share_the_pictures_of_a_place);
    crate::support::places::in_place!(s3: servers_share_the_pictures_of_a_place);
}

/// How late a line of the log of a server can be.
const LOG_DELAY_MAX: Duration = Duration::from_secs(20);

/// The requests of each step, by their methods.
struct Counted<'p> {
    place: &'p Place,
    before: usize,
}

impl Counted<'_> {
    fn assert(&mut self, expected: &BTreeMap<String, usize>, step: &str) {
        let started = Instant::now();
        let total = self.before + expected.values().sum::<usize>();
        let mut requests = self.place.requests();
        // The log of a server on a busy machine is late.
        while requests.len() < total && started.elapsed() < LOG_DELAY_MAX {
            requests = self.place.requests();
        }
        let mut counted = BTreeMap::new();
        for request in &requests[self.before..] {
            let (method, _) = request.split_once(' ').expect("a method");
            *counted.entry(method.to_owned()).or_default() += 1;
        }
        assert_eq!(counted, *expected, "{step}");
        self.before = requests.len();
    }
}

fn of<const N: usize>(counts: [(&str, usize); N]) -> BTreeMap<String, usize> {
    counts.into_iter().map(|(method, count)| (method.to_owned(), count)).collect()
}

/// docs/assets.md has these figures.
async fn requests_are_as_few_as_documented(
    place: &Place,
    start: BTreeMap<String, usize>,
    deletion: BTreeMap<String, usize>,
) {
    let mut counted = Counted { place, before: 0 };
    let gallery = gallery(place).await;
    counted.assert(&start, "the start");
    let asset = gallery.add(jpeg(1000, 500)).await;
    counted.assert(&of([("PUT", 1)]), "an upload");
    gallery.add(jpeg(1000, 500)).await;
    counted.assert(&of([]), "the same picture again");
    let whole = gallery.get(url(&asset), &[]).await;
    counted.assert(&of([("GET", 1), ("HEAD", 1)]), "the picture as it is");
    gallery.get(url(&asset), &[(header::IF_NONE_MATCH, whole.header(header::ETAG))]).await;
    counted.assert(&of([("HEAD", 1)]), "a picture that the client has");
    let small = format!("{}?width=320", url(&asset));
    gallery.get(&small, &[]).await;
    counted.assert(&of([("GET", 2), ("HEAD", 4), ("PUT", 1)]), "a width for the first time");
    gallery.get(&small, &[]).await;
    counted.assert(&of([("GET", 1), ("HEAD", 2)]), "a width that is stored");
    delete(&gallery, &asset).await;
    counted.assert(&deletion, "a deletion");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_to_azurite_are_as_few_as_documented() {
    requests_are_as_few_as_documented(&Place::azurite(), of([("GET", 1), ("PUT", 1)]), of([("POST", 2)])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_to_s3_are_as_few_as_documented() {
    requests_are_as_few_as_documented(&Place::s3(), of([("GET", 1)]), of([("DELETE", 15)])).await;
}
