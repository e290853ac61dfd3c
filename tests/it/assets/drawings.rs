//! SVGs, through the HTTP door and GraphQL. What is cleaned from them is tested beside the cleaner.

use axum::http::{StatusCode, header};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Gallery;
use super::files::{black_png, contains, drawing, photo, png, with_segment};
use crate::support::graphql::EDITOR_TOKEN;

const HOSTILE: &str =
    "<script>alert(1)</script><rect onclick=\"alert(1)\" width=\"9\" fill=\"url(https://evil.example)\"/>";
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";

#[tokio::test(flavor = "multi_thread")]
async fn a_drawing_is_cleaned_and_served_so_that_it_runs_nothing() {
    let gallery = Gallery::in_memory().await;
    let sent = gallery.upload_as(Some(EDITOR_TOKEN), "?name=a.png", drawing(HOSTILE)).await;
    let asset = sent.json()["asset"].clone();
    assert_eq!((sent.status, &asset["contentType"]), (StatusCode::CREATED, &json!("image/svg+xml")));
    assert_eq!((&asset["width"], &asset["height"]), (&json!(40), &json!(30)));
    let url = asset["url"].as_str().expect("a URL");
    let stored = gallery.get(url, &[]).await;
    assert_eq!(stored.bytes, drawing("<rect width=\"9\"/>"));
    for asked in [&[][..], &[(header::RANGE, "bytes=0-3")], &[(header::IF_NONE_MATCH, stored.header(header::ETAG))]] {
        let sent = gallery.get(url, asked).await;
        assert_eq!(sent.header(header::CONTENT_SECURITY_POLICY), POLICY, "{asked:?}");
        assert_eq!(sent.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(sent.header(header::CACHE_CONTROL), "public, max-age=31536000, immutable");
    }
    assert_eq!(stored.header(header::CONTENT_TYPE), "image/svg+xml");
    let again = gallery.upload(stored.bytes.clone()).await;
    assert_eq!((again.status, &again.json()["asset"]["id"]), (StatusCode::OK, &asset["id"]));
    let other = gallery.get(gallery.add(png(9, 9)).await["url"].as_str().expect("a URL"), &[]).await;
    assert!(!other.header(header::CONTENT_SECURITY_POLICY).contains("sandbox"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drawing_is_the_same_in_every_width_and_has_no_picture_of_a_link() {
    let gallery = Gallery::in_memory().await;
    let file = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 2000 1000\"/>";
    let asset = gallery.add(file.as_bytes().to_vec()).await;
    let (id, url) = (asset["id"].as_str().expect("an id"), asset["url"].as_str().expect("a URL"));
    let fields = "width height url srcset small: url(width: 320) openGraphImage { url } placeholder contentType";
    let read = gallery.ask_as(None, &format!("{{ asset(id: \"{id}\") {{ ... on Image {{ {fields} }} }} }}")).await;
    let expected = json!({
        "width": 2000,
        "height": 1000,
        "url": url,
        "srcset": format!("{url} 2000w"),
        "small": url,
        "openGraphImage": null,
        "placeholder": asset["placeholder"],
        "contentType": "image/svg+xml",
    });
    assert_eq!(read["data"]["asset"], expected, "{read}");
    let hash = STANDARD.decode(asset["placeholder"].as_str().expect("a hash")).expect("base64");
    let (red, green, blue, alpha) = thumbhash::thumb_hash_to_average_rgba(&hash).expect("a ThumbHash");
    assert!([red, green, blue, alpha].iter().all(|part| *part > 0.95), "it is white");
    let decoded = gallery.library.decoded();
    assert_eq!(gallery.get(&format!("{url}?width=320"), &[]).await.bytes, file);
    let link = gallery.get(&format!("{url}?open-graph=50"), &[]).await;
    assert_eq!(link.refusal(), (404, "ROUTE_NOT_FOUND".to_owned()));
    assert_eq!(gallery.library.decoded(), decoded);
    gallery
        .ask(&format!(
            "mutation {{ deleteAsset(input: {{ id: \"{id}\", expectedVersion: 1 }}) {{ userErrors {{ code }} }} }}"
        ))
        .await;
    assert_eq!(gallery.get(url, &[]).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drawing_is_compressed_and_a_part_of_it_is_not_joined_to_another_encoding() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(drawing(&"<rect/>".repeat(1_000)).into_bytes()).await;
    let url = asset["url"].as_str().expect("a URL");
    let gzip = gallery.get(url, &[(header::ACCEPT_ENCODING, "gzip")]).await;
    let plain = gallery.get(url, &[]).await;
    assert_eq!((gzip.header(header::CONTENT_ENCODING), plain.header(header::CONTENT_ENCODING)), ("gzip", ""));
    assert!(gzip.bytes.len() < plain.bytes.len() / 4);
    let tag = gzip.header(header::ETAG);
    assert!(tag.starts_with("W/") && tag == plain.header(header::ETAG), "{tag}");
    let rest = gallery.get(url, &[(header::RANGE, "bytes=9-"), (header::IF_RANGE, tag)]).await;
    assert_eq!((rest.status, rest.bytes), (StatusCode::OK, plain.bytes));
}

/// It has a strong tag, so its bytes are the same for each client.
#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_not_compressed_and_its_parts_are_those_of_the_whole() {
    let gallery = Gallery::in_memory().await;
    let text = "a line\n".repeat(1_000);
    let sent = gallery.upload_as(Some(EDITOR_TOKEN), "?name=a.txt", text.clone().into_bytes()).await;
    let asset = sent.json()["asset"].clone();
    let url = asset["url"].as_str().expect("a URL");
    let whole = gallery.get(url, &[(header::ACCEPT_ENCODING, "gzip")]).await;
    assert_eq!((whole.header(header::CONTENT_ENCODING), &whole.bytes[..]), ("", text.as_bytes()));
    assert_eq!(whole.header(header::ACCEPT_RANGES), "bytes");
    let tag = whole.header(header::ETAG);
    let rest = gallery.get(url, &[(header::RANGE, "bytes=9-"), (header::IF_RANGE, tag)]).await;
    assert_eq!((rest.status, &rest.bytes[..]), (StatusCode::PARTIAL_CONTENT, &text.as_bytes()[9..]));
}

/// The picture that is embedded in a drawing.
fn embedded(file: &[u8]) -> String {
    drawing(&format!("<image href=\"data:text/html;base64,{}\"/>", STANDARD.encode(file)))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_in_a_drawing_is_cleaned_like_one_that_is_sent() {
    let gallery = Gallery::in_memory().await;
    let file = with_segment(&photo(80, 40, 6), 0xfe, b"a comment with <script>");
    let asset = gallery.add(embedded(&file).into_bytes()).await;
    let stored = gallery.get(asset["url"].as_str().expect("a URL"), &[]).await.bytes;
    let text = String::from_utf8(stored.to_vec()).expect("UTF-8");
    let data = text.split_once("href=\"data:image/jpeg;base64,").expect("a JPEG").1.split('"').next().expect("its end");
    let inside = STANDARD.decode(data).expect("base64");
    assert!(contains(&file, b"GPS") && !contains(&inside, b"GPS") && !contains(&inside, b"script"));
    let alone = gallery.add(inside.clone()).await;
    assert_eq!(gallery.get(alone["url"].as_str().expect("a URL"), &[]).await.bytes, inside);

    let half = png(64, 64);
    let refused = gallery.upload(embedded(&half[..half.len() / 2])).await;
    assert_eq!(refused.refusal(), (422, "BAD_PICTURE".to_owned()));
    let message = refused.json()["errors"][0]["message"].clone();
    assert!(message.as_str().is_some_and(|text| text.contains("it has a picture that is refused")), "{message}");
    let many = embedded(&black_png(4_000, 4_000)).replace("</svg>", "");
    let twice = [many.as_str(), many.split_once('>').expect("a root").1, "</svg>"].concat();
    assert_eq!(gallery.upload(twice).await.refusal(), (415, "UNSUPPORTED_MEDIA_TYPE".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drawing_is_a_cover_without_a_picture_of_a_link() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(drawing("<rect/>").into_bytes()).await;
    let create = format!(
        "mutation {{ createPost(input: {{ title: \"A\", markdown: \"a\", coverId: {} }}) {{ \
         post {{ cover {{ url openGraphImage {{ url }} }} }} userErrors {{ code }} }} }}",
        asset["id"]
    );
    let created = gallery.ask(&create).await;
    let cover = &created["data"]["createPost"]["post"]["cover"];
    assert_eq!((&cover["url"], &cover["openGraphImage"]), (&asset["url"], &Value::Null), "{created}");
}
