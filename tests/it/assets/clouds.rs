//! Pictures in a cloud that fails, refuses or is not there. The rule: what passes is retried, what stays is an error with its cause, nothing that is merely out of
//! reach looks like a picture that does not exist, and no error has a secret.

use std::error::Error;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode};
use serde_json::Value;
use tidings::assets::{AssetError, AssetLibrary, AssetLimits, AssetPlace, S3Bucket};

use super::Gallery;
use super::files::{jpeg, png};
use crate::support::azurite::{AzuriteBlobs, blob_connection_string, emulator_key, signed_blob_connection_string};
use crate::support::places::{PICTURES, azure, bucket};
use crate::support::proxy::{Fault, Proxy};
use crate::support::s3::S3;
use crate::support::site::Site;

/// An account key that must not occur in a text; Base64.
const SECRET: &str = "c2VjcmV0LW9mLXRoZS10ZXN0LXNlY3JldA==";

async fn open(place: &AssetPlace, creates: bool) -> Result<AssetLibrary, AssetError> {
    AssetLibrary::open(place, creates, AssetLimits::default()).await
}

/// The error with all its causes, as a command prints it.
fn text(error: &AssetError) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

async fn refusal(place: &AssetPlace) -> String {
    let text = text(&open(place, false).await.expect_err("a refusal"));
    for secret in [SECRET, emulator_key(), "sig="] {
        assert!(!text.contains(secret), "a secret is shown: {text}");
    }
    text
}

/// A gallery whose pictures are behind a proxy.
async fn behind_a_proxy() -> (AzuriteBlobs, Proxy, Gallery) {
    let azurite = AzuriteBlobs::start();
    let proxy = Proxy::before_endpoint(&azurite.endpoint).await;
    let place = azure(blob_connection_string(&proxy.endpoint, emulator_key()), "");
    let library = open(&place, true).await.expect("a library");
    let gallery = Gallery::with(Site::in_memory().await, library);
    (azurite, proxy, gallery)
}

fn url(asset: &Value) -> String {
    asset["url"].as_str().expect("a URL").to_owned()
}

fn missing(code: Option<&str>) -> Fault {
    let headers = code.map(|code| ("x-ms-error-code", code.to_owned())).into_iter().collect();
    Fault::Refuse(StatusCode::NOT_FOUND, headers, String::new())
}

#[tokio::test(flavor = "multi_thread")]
async fn azurite_that_is_busy_or_breaks_the_connection_is_asked_again() {
    let (_azurite, proxy, gallery) = behind_a_proxy().await;
    proxy.plan(Method::PUT, [Fault::busy(0), Fault::BreakBefore, Fault::BreakAfter]);
    let asset = gallery.add(jpeg(1000, 500)).await;
    let refuse = |status| Fault::Refuse(status, Vec::new(), String::new());
    proxy.plan(Method::HEAD, [refuse(StatusCode::INTERNAL_SERVER_ERROR), refuse(StatusCode::TOO_MANY_REQUESTS)]);
    proxy.plan(Method::GET, [Fault::busy(0), Fault::BreakAfter]);
    let whole = gallery.get(&url(&asset), &[]).await;
    assert_eq!(
        (whole.status, whole.bytes.len()),
        (StatusCode::OK, asset["byteSize"].as_u64().expect("a size") as usize)
    );
    proxy.plan(Method::GET, [Fault::Cut]);
    assert_eq!(gallery.get(&url(&asset), &[]).await.bytes, whole.bytes, "the rest is read after the connection broke");
    assert_eq!(proxy.unmet(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn azurite_that_is_gone_is_unavailable_within_the_time_of_a_request() {
    let azurite = AzuriteBlobs::start();
    let place = azure(blob_connection_string(&azurite.endpoint, emulator_key()), "");
    let gallery = Gallery::with(Site::in_memory().await, open(&place, true).await.expect("a library"));
    let asset = gallery.add(png(8, 8)).await;
    drop(azurite);
    let started = Instant::now();
    let read = gallery.get(&url(&asset), &[]).await;
    assert_eq!(read.refusal(), (503, "UNAVAILABLE".to_owned()));
    assert!(!String::from_utf8_lossy(&read.bytes).contains("127.0.0.1"), "the address is not for clients");
    let sent = gallery.upload(png(9, 9)).await;
    assert_eq!(sent.refusal(), (503, "UNAVAILABLE".to_owned()));
    assert!(started.elapsed() < Duration::from_secs(60), "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_that_is_gone_or_another_service_does_not_look_like_a_missing_picture_of_azure() {
    let (_azurite, proxy, gallery) = behind_a_proxy().await;
    let address = url(&gallery.add(png(8, 8)).await);
    for fault in [missing(Some("ContainerNotFound")), missing(None)] {
        proxy.plan(Method::HEAD, [fault]);
        assert_eq!(gallery.get(&address, &[]).await.refusal(), (503, "UNAVAILABLE".to_owned()));
    }
    proxy.plan(Method::HEAD, [missing(Some("BlobNotFound"))]);
    assert_eq!(gallery.get(&address, &[]).await.status, StatusCode::NOT_FOUND);
    assert_eq!(gallery.get(&address, &[]).await.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_container_of_azure_is_created_only_by_a_command_that_creates() {
    let azurite = AzuriteBlobs::start();
    let place = azure(blob_connection_string(&azurite.endpoint, emulator_key()), "");
    let text = refusal(&place).await;
    assert!(
        text.contains("the account has no container pictures") && text.contains("tidings serve --create"),
        "{text}"
    );
    let (one, other) = tokio::join!(open(&place, true), open(&place, true));
    assert!(one.is_ok() && other.is_ok(), "two servers that start at once");
    open(&place, false).await.expect("it exists now");
}

#[tokio::test(flavor = "multi_thread")]
async fn azure_refuses_a_wrong_key_and_the_error_says_what_to_check() {
    let azurite = AzuriteBlobs::start();
    let text = refusal(&azure(blob_connection_string(&azurite.endpoint, SECRET), "")).await;
    assert!(text.contains("403") && text.contains("check the account"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signature_of_azure_is_enough_and_is_never_shown() {
    let azurite = AzuriteBlobs::start();
    let place = azure(signed_blob_connection_string(&azurite.endpoint, "rwdlac"), "");
    let gallery = Gallery::with(Site::in_memory().await, open(&place, true).await.expect("a library"));
    let asset = gallery.add(jpeg(1000, 500)).await;
    assert_eq!(gallery.get(&format!("{}?width=160", url(&asset)), &[]).await.status, StatusCode::OK);
    assert_eq!(gallery.get(&url(&asset), &[]).await.status, StatusCode::OK);
    // Azurite accepts no such signature for a batch, with which blobs are deleted; Azure does.
    assert_eq!(gallery.library.list().await.expect("the pictures").len(), 1);
    // Without the permission to read.
    let text = refusal(&azure(signed_blob_connection_string(&azurite.endpoint, "w"), "")).await;
    assert!(text.contains("403"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_azure_endpoint_where_nothing_listens_does_not_stop_a_server_from_starting() {
    let port = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let endpoint = format!("http://127.0.0.1:{port}/devstoreaccount1");
    let started = Instant::now();
    open(&azure(blob_connection_string(&endpoint, SECRET), ""), false).await.expect("the posts can be served");
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn s3_refuses_a_wrong_key_and_a_missing_bucket_and_the_error_says_what_to_check() {
    let s3 = S3::start();
    let AssetPlace::S3(right) = bucket(&s3, PICTURES, "") else { unreachable!("a bucket") };
    let wrong = S3Bucket { secret_access_key: SECRET.to_owned(), ..right.clone() };
    let text = refusal(&AssetPlace::S3(wrong)).await;
    assert!(
        text.contains("403 SignatureDoesNotMatch") && text.contains("check the account or the access key"),
        "{text}"
    );
    let unknown = S3Bucket { access_key_id: "AKIAUNKNOWN".to_owned(), ..right.clone() };
    let text = refusal(&AssetPlace::S3(unknown)).await;
    assert!(text.contains("403 InvalidAccessKeyId") && !text.contains(&right.secret_access_key), "{text}");
    let text = refusal(&bucket(&s3, "nobodys", "")).await;
    assert!(text.contains("there is no bucket nobodys"), "{text}");
    open(&AssetPlace::S3(right), false).await.expect("the right key");
}
