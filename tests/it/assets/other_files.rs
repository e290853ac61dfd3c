//! Files that are no pictures, from their bytes to their deletion, and the addresses of assets on a server that knows its own.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use serde_json::{Value, json};
use tidings::assets::{AssetLibrary, AssetLimits};
use tidings::model::file_format::FileFormat;
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::Gallery;
use super::files::{jpeg, png};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::memory::MemoryStore;
use crate::support::places::{Place, in_every_place};
use crate::support::site::Site;

const PDF: &[u8] = b"%PDF-1.7\n<script>alert(document.domain)</script>\n%%EOF\n";

impl Gallery {
    pub(super) async fn add_named(&self, name: &str, file: Vec<u8>) -> Value {
        let sent = self.upload_as(Some(EDITOR_TOKEN), &format!("?name={name}"), file).await;
        assert!(sent.status.is_success(), "{name}: {}", sent.json());
        sent.json()["asset"].clone()
    }

    /// The codes and fields of the user errors of a mutation.
    async fn refused(&self, mutation: &str, input: &str) -> Value {
        let query = format!("mutation {{ {mutation}(input: {{ {input} }}) {{ userErrors {{ code field }} }} }}");
        let answer = self.ask(&query).await;
        answer["data"][mutation]["userErrors"].clone()
    }
}

async fn a_file_is_added_read_listed_and_deleted(store: Store) {
    let gallery = Gallery::over(&store).await;
    let sent = gallery.upload_as(Some(EDITOR_TOKEN), "?name=slides.PDF", PDF.to_vec()).await;
    let added = sent.json()["asset"].clone();
    let (id, url) = (added["id"].as_str().expect("an id"), added["url"].as_str().expect("a URL"));
    assert_eq!(sent.status, StatusCode::CREATED);
    assert_eq!(sent.header(header::LOCATION), url);
    assert!(url.ends_with(".pdf"), "{url}");
    let size = PDF.len();
    let expected = json!({ "id": id, "url": url, "byteSize": size, "contentType": "application/pdf", "version": 1 });
    assert_eq!(added, expected);
    assert_eq!(gallery.upload_as(Some(EDITOR_TOKEN), "?name=b.pdf", PDF.to_vec()).await.status, StatusCode::OK);
    let picture = gallery.add(png(9, 8)).await;

    let of_all = "__typename id url byteSize contentType originalName version";
    let query =
        format!("{{ asset(id: \"{id}\") {{ {of_all} }} node(id: \"{id}\") {{ __typename ... on File {{ url }} }} }}");
    let mut whole = expected.clone();
    whole["__typename"] = json!("File");
    whole["originalName"] = Value::Null;
    for _ in 0..2 {
        let read = gallery.ask_as(None, &query).await;
        assert_eq!(read["data"], json!({ "asset": whole, "node": { "__typename": "File", "url": url } }), "{read}");
    }
    whole["originalName"] = json!("slides.PDF");
    assert_eq!(gallery.ask(&query).await["data"]["asset"], whole);
    let listed = gallery.ask("{ assets { nodes { __typename url ... on Image { width } } } }").await;
    let mut nodes = listed["data"]["assets"]["nodes"].as_array().expect("nodes").clone();
    nodes.sort_by_key(|node| node["__typename"].to_string());
    let listed_picture = json!({ "__typename": "Image", "url": picture["url"], "width": 9 });
    assert_eq!(nodes, [json!({ "__typename": "File", "url": url }), listed_picture]);

    let change = format!("id: \"{id}\", expectedVersion: 1");
    for field in ["alt: \"A\"", "caption: \"A\"", "focalPoint: { x: 1, y: 1 }"] {
        let name = field.split(':').next().expect("a name");
        let invalid = json!([{ "code": "INVALID", "field": ["input", name] }]);
        assert_eq!(gallery.refused("updateAsset", &format!("{change}, {field}")).await, invalid, "{field}");
    }
    assert_eq!(gallery.refused("updateAsset", &format!("{change}, alt: null")).await, json!([]), "nothing is changed");
    let no_picture = json!([{ "code": "NOT_FOUND", "field": ["input", "coverId"] }]);
    assert_eq!(
        gallery.refused("createPost", &format!("title: \"A\", markdown: \"\", coverId: \"{id}\"")).await,
        no_picture
    );
    gallery.site.assert_sound().await;

    let conflict = json!([{ "code": "CONFLICT", "field": ["input", "expectedVersion"] }]);
    assert_eq!(gallery.refused("deleteAsset", &format!("id: \"{id}\", expectedVersion: 2")).await, conflict);
    assert_eq!(gallery.refused("deleteAsset", &change).await, json!([]));
    assert_eq!(gallery.get(url, &[]).await.refusal(), (404, "ROUTE_NOT_FOUND".to_owned()));
    assert_eq!(gallery.library.list().await.expect("the files").len(), 1);
    gallery.site.assert_sound().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_added_read_listed_and_deleted_on_a_file() {
    a_file_is_added_read_listed_and_deleted(Arc::new(EmbeddedStore::in_memory().expect("a store"))).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_added_read_listed_and_deleted_on_tables_in_memory() {
    a_file_is_added_read_listed_and_deleted(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_added_read_listed_and_deleted_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    a_file_is_added_read_listed_and_deleted(Arc::new(store)).await;
}

/// More than two of the parts in which a file is stored.
fn large_zip() -> Vec<u8> {
    let numbers = (0..3_000_000_u32).flat_map(u32::to_be_bytes);
    b"PK\x03\x04".iter().copied().chain(numbers).collect()
}

async fn a_large_file_is_stored_in_parts_and_served_in_parts(place: &Place) {
    let gallery = Gallery::with(Site::in_memory().await, place.library().await);
    let file = large_zip();
    let asset = gallery.add_named("all.zip", file.clone()).await;
    let url = asset["url"].as_str().expect("a URL");
    let whole = gallery.get(url, &[]).await;
    assert_eq!((whole.status, whole.bytes.len()), (StatusCode::OK, file.len()));
    assert!(whole.bytes == file, "the bytes are those that were sent");
    let part = gallery.get(url, &[(header::RANGE, "bytes=5242870-5242890")]).await;
    assert_eq!((part.status, &part.bytes[..]), (StatusCode::PARTIAL_CONTENT, &file[5_242_870..=5_242_890]));
    let tag = whole.header(header::ETAG).to_owned();
    assert_eq!(gallery.get(url, &[(header::IF_NONE_MATCH, &tag)]).await.status, StatusCode::NOT_MODIFIED);
    let names = gallery.library.list().await.expect("the files");
    assert_eq!(names.iter().map(|name| name.path()).collect::<Vec<_>>(), [url]);
    let input = format!("id: {}, expectedVersion: 1", asset["id"]);
    assert_eq!(gallery.refused("deleteAsset", &input).await, json!([]));
    assert_eq!(gallery.library.list().await.expect("the files"), []);
}

in_every_place!(a_large_file_is_stored_in_parts_and_served_in_parts);

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_served_for_download_as_the_type_of_its_name_for_ever() {
    let gallery = Gallery::in_memory().await;
    let html = "<!doctype html><script>alert(document.domain)</script>";
    for (name, file, kind) in [
        ("a.pdf", PDF.to_vec(), "application/pdf"),
        ("a.mp3", b"ID3\x04<script>alert(1)</script>".to_vec(), "audio/mpeg"),
        ("a.mp4", b"\0\0\0\x18ftypisom".to_vec(), "video/mp4"),
        ("a.woff2", b"wOF2\0\x01".to_vec(), "font/woff2"),
        ("a.tar.gz", b"\x1f\x8b\x08".to_vec(), "application/gzip"),
        ("a.txt", html.as_bytes().to_vec(), "text/plain; charset=utf-8"),
        ("a.csv", "a,b\r\n1,é\r\n".as_bytes().to_vec(), "text/csv; charset=utf-8"),
    ] {
        let asset = gallery.add_named(name, file.clone()).await;
        let url = asset["url"].as_str().expect("a URL");
        let sent = gallery.get(url, &[(header::ACCEPT, "text/html")]).await;
        assert_eq!((sent.status, sent.header(header::CONTENT_TYPE)), (StatusCode::OK, kind), "{name}");
        assert_eq!(asset["contentType"], json!(kind));
        assert_eq!(sent.header(header::CONTENT_DISPOSITION), "attachment");
        assert_eq!(sent.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert!(sent.header(header::CONTENT_SECURITY_POLICY).contains("default-src 'none'"));
        assert_eq!(sent.header(header::CACHE_CONTROL), "public, max-age=31536000, immutable");
        assert_eq!(&sent.bytes[..], file);
        for query in ["width=160", "open-graph=50"] {
            let form = gallery.get(&format!("{url}?{query}"), &[]).await;
            assert_eq!(form.refusal(), (404, "ROUTE_NOT_FOUND".to_owned()), "{name}");
        }
        // An address with another type has other bytes: none.
        let (stem, _) = url.rsplit_once('.').expect("an ending");
        for other in ["html", "svg", "js", "png", "zip"] {
            assert_eq!(gallery.get(&format!("{stem}.{other}"), &[]).await.status, 404, "{name}");
        }
    }
    let picture = gallery.add_named("a.pdf", jpeg(9, 9)).await;
    assert_eq!(picture["contentType"], json!("image/jpeg"), "the bytes say that it is a picture");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_what_its_name_says_is_refused() {
    let gallery = Gallery::in_memory().await;
    let html = b"<html><script>alert(1)</script></html>".to_vec();
    for (name, file) in [
        ("a.html", html.clone()),
        ("a.js", b"alert(1)".to_vec()),
        ("a.xml", b"<?xml version=\"1.0\"?>".to_vec()),
        ("a.exe", b"MZ".to_vec()),
        ("a", PDF.to_vec()),
        ("a.pdf.html", PDF.to_vec()),
        ("a.pdf", html.clone()),
        ("a.mp3", PDF.to_vec()),
        ("a.zip", html),
        ("a.txt", PDF.iter().copied().chain([0]).collect()),
        ("a.txt", b"caf\xe9".to_vec()),
        ("a.txt", Vec::new()),
        ("a.pdf", b"%PDF".to_vec()),
    ] {
        let sent = gallery.upload_as(Some(EDITOR_TOKEN), &format!("?name={name}"), file).await;
        assert_eq!(sent.refusal(), (415, "UNSUPPORTED_MEDIA_TYPE".to_owned()), "{name}: {}", sent.json());
    }
    let described = gallery.upload_as(Some(EDITOR_TOKEN), "?name=a.pdf&alt=Slides", PDF.to_vec()).await;
    assert_eq!(described.refusal(), (422, "BAD_USER_INPUT".to_owned()), "{}", described.json());
    assert_eq!(gallery.library.list().await.expect("the files"), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_says_which_files_are_accepted_and_how_large() {
    let formats = ["pdf", "txt"].map(|extension| FileFormat::of_extension(extension).expect("a format"));
    let limits = AssetLimits {
        file_bytes: 2_000,
        image_bytes: 1_000,
        file_types: Some(Arc::new(formats)),
        ..AssetLimits::default()
    };
    let gallery = Gallery::with(Site::in_memory().await, AssetLibrary::in_memory(limits));
    let send =
        async |name: &str, file: Vec<u8>| gallery.upload_as(Some(EDITOR_TOKEN), &format!("?name={name}"), file).await;
    assert_eq!(send("a.zip", b"PK\x03\x04".to_vec()).await.status, 415);
    assert_eq!(send("a.txt", vec![b'a'; 2_000]).await.status, 201);
    assert_eq!(send("a.txt", vec![b'a'; 2_001]).await.refusal(), (413, "PAYLOAD_TOO_LARGE".to_owned()));
    let picture = [png(9, 9), vec![0; 1_000]].concat();
    assert_eq!(send("a.png", picture).await.refusal(), (413, "PAYLOAD_TOO_LARGE".to_owned()));
    assert_eq!(send("a.png", png(9, 9)).await.status, 201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_knows_its_address_writes_absolute_ones_whatever_the_client_calls_it() {
    let address = "https://api.example/cms/";
    let public_url = Some("https://api.example/cms".parse().expect("a URL"));
    let library = AssetLibrary::in_memory(AssetLimits::default());
    let gallery = Gallery::at(public_url, Site::in_memory().await, library);
    let sent = gallery.upload(png(400, 300)).await;
    let (id, url) = (sent.json()["asset"]["id"].clone(), sent.json()["asset"]["url"].clone());
    let url = url.as_str().expect("a URL");
    assert_eq!(sent.header(header::LOCATION), url);
    let path = url.strip_prefix(address).expect("an absolute address");
    assert_eq!(gallery.get(&format!("/{path}"), &[]).await.status, StatusCode::OK);
    let query = format!(
        "{{ asset(id: {id}) {{ url ... on Image {{ small: url(width: 160) srcset openGraphImage {{ url }} }} }} }}"
    );
    let expected = json!({
        "url": url,
        "small": format!("{url}?width=160"),
        "srcset": format!("{url}?width=160 160w, {url}?width=320 320w, {url} 400w"),
        "openGraphImage": { "url": format!("{url}?open-graph=50") },
    });
    assert_eq!(gallery.ask_as(None, &query).await["data"]["asset"], expected);
    let file = gallery.add_named("a.pdf", PDF.to_vec()).await;
    let file = file["url"].as_str().expect("a URL");
    assert!(file.starts_with(address) && file.ends_with(".pdf"), "{file}");
    let below = file.strip_prefix("https://api.example/cms").expect("a path");
    let markdown =
        format!("![Moon](/{path}) [plan]({below}) [other](/about) [own](/assets/img/logo.pdf) `src=\"/assets/x\"`");
    let create =
        "mutation { createPost(input: { title: \"A\", markdown: MARKDOWN }) { post { body { html markdown } } } }";
    let answer = gallery.ask(&create.replace("MARKDOWN", &json!(markdown).to_string())).await;
    let body = answer["data"]["createPost"]["post"]["body"].clone();
    let sized = format!(
        "width=\"400\" height=\"300\" srcset={} sizes=\"(max-width: 400px) 100vw, 400px\"",
        expected["srcset"],
    );
    let html = format!(
        "<p><img src=\"{url}\" {sized} alt=\"Moon\"> <a href=\"{file}\">plan</a> <a href=\"/about\">other</a> <a href=\"/assets/img/logo.pdf\">own</a> <code>src=\"/assets/x\"</code></p>\n"
    );
    assert_eq!(body, json!({ "html": html, "markdown": markdown }));
}
