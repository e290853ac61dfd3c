//! Files that are not what they say, or say more than a server can hold. The rule: each is refused with a code, or stored without what was wrong with it.

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Request, StatusCode, header};
use futures_util::{StreamExt, stream};
use serde_json::json;
use tidings::assets::{AssetLibrary, AssetLimits};
use tidings::model::Role;

use super::Gallery;
use super::files::{
    animated_webp, black_png, contains, decoded, drawing, gif, jpeg, packed_black, padded_webp, photo, png,
    png_of_chunks, png_that_says, png_with_a_large_profile, transparent_webp, webp, with_scans, with_segment,
};
use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_whole_picture_is_refused_with_a_code() {
    let gallery = Gallery::in_memory().await;
    let truncated = |file: Vec<u8>| file[..file.len() - file.len() / 3].to_vec();
    let mut flipped = png(64, 64);
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0xff;
    let lies = [b"\x89PNG\r\n\x1a\n".as_slice(), b"<script>alert(1)</script>"].concat();
    for (what, file, expected) in [
        ("an SVG that ends early", drawing("<g>").replace("</svg>", "").into_bytes(), (422, "BAD_PICTURE")),
        ("an SVG that is not well-formed", drawing("<g>").into_bytes(), (422, "BAD_PICTURE")),
        ("an SVG without its namespace", b"<svg><rect/></svg>".to_vec(), (422, "BAD_PICTURE")),
        ("an SVG with entities of its own", drawing("<text>&a;</text>").into_bytes(), (415, "UNSUPPORTED_MEDIA_TYPE")),
        ("an SVG in UTF-16", utf16(&drawing("")), (415, "UNSUPPORTED_MEDIA_TYPE")),
        (
            "an SVG that is too wide",
            b"<svg xmlns='http://www.w3.org/2000/svg' width='20000'/>".to_vec(),
            (422, "PICTURE_TOO_LARGE"),
        ),
        ("HTML", b"<html><script>alert(1)</script></html>".to_vec(), (415, "UNSUPPORTED_MEDIA_TYPE")),
        ("nothing", Vec::new(), (415, "UNSUPPORTED_MEDIA_TYPE")),
        ("a ZIP", b"PK\x03\x04and more".to_vec(), (415, "UNSUPPORTED_MEDIA_TYPE")),
        ("the beginning of a PNG before HTML", lies, (422, "BAD_PICTURE")),
        ("a truncated JPEG", truncated(jpeg(200, 200)), (422, "BAD_PICTURE")),
        ("a truncated PNG", truncated(png(200, 200)), (422, "BAD_PICTURE")),
        ("a truncated GIF", truncated(gif(200, 200)), (422, "BAD_PICTURE")),
        ("a truncated WebP", truncated(webp(200, 200)), (422, "BAD_PICTURE")),
        ("the start of a JPEG", jpeg(9, 9)[..3].to_vec(), (422, "BAD_PICTURE")),
        ("a PNG with a wrong checksum", flipped, (422, "BAD_PICTURE")),
        ("a PNG of 30,000 × 30,000 pixels", png_that_says(30_000, 30_000), (422, "PICTURE_TOO_LARGE")),
        ("a PNG that is too wide", png_that_says(20_000, 1), (422, "PICTURE_TOO_LARGE")),
        ("a PNG without the pixels that it says", png_that_says(4_000, 4_000), (422, "BAD_PICTURE")),
        ("a PNG without pixels", png_that_says(0, 10), (422, "BAD_PICTURE")),
        ("a PNG with a packed profile", png_with_a_large_profile(), (415, "UNSUPPORTED_MEDIA_TYPE")),
        ("a JPEG whose pixels are sent many times", with_scans(&jpeg(9, 9), 200), (422, "BAD_PICTURE")),
        ("a WebP with a frame of another size", animated_webp(8, &webp(200, 200)), (422, "BAD_PICTURE")),
        ("a WebP with many lossless bytes", padded_webp(600_000), (415, "UNSUPPORTED_MEDIA_TYPE")),
    ] {
        let sent = gallery.upload(file).await;
        assert_eq!(sent.refusal(), (expected.0, expected.1.to_owned()), "{what}: {}", sent.json());
    }
    assert_eq!(gallery.library.list().await.expect("the pictures"), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_of_50_mb_is_refused_as_too_large() {
    let gallery = Gallery::in_memory().await;
    let pieces = (0..800).map(|_| Ok::<_, std::io::Error>(Bytes::from_static(&[0xff; 64 * 1024])));
    let sent = gallery.upload(Body::from_stream(stream::iter(pieces))).await;
    assert_eq!(sent.refusal(), (413, "PAYLOAD_TOO_LARGE".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_stops_to_arrive_is_refused_and_nothing_of_it_is_stored() {
    let limits = AssetLimits { file_time: Duration::from_millis(200), ..AssetLimits::default() };
    let gallery = Gallery::with(Site::in_memory().await, AssetLibrary::in_memory(limits));
    let file = Bytes::from(png(64, 64));
    let begun = || stream::iter([Ok(file.slice(..file.len() / 2))]);
    let stalled = gallery.upload(Body::from_stream(begun().chain(stream::pending()))).await;
    assert_eq!(stalled.refusal(), (408, "REQUEST_TIMEOUT".to_owned()));
    let cut = stream::iter([Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset))]);
    let cut_off = gallery.upload(Body::from_stream(begun().chain(cut))).await;
    assert_eq!(cut_off.refusal(), (400, "BAD_REQUEST".to_owned()));
    assert_eq!(gallery.library.list().await.expect("the pictures"), []);
    // Its place is free again.
    assert_eq!(gallery.upload(Body::from(file)).await.status, StatusCode::CREATED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_file_behind_a_picture_is_not_stored() {
    let gallery = Gallery::in_memory().await;
    let hidden = b"PK\x03\x04<script>alert(document.domain)</script>";
    let animation = animated_webp(30, &webp(30, 30));
    for file in [jpeg(40, 30), png(40, 30), gif(40, 30), webp(40, 30), transparent_webp(40, 30), animation] {
        let asset = gallery.add([file.as_slice(), hidden].concat()).await;
        let stored = gallery.get(asset["url"].as_str().expect("a URL"), &[]).await.bytes;
        assert!(!contains(&stored, b"script"));
        assert_eq!(decoded(&stored).to_rgba8(), decoded(&file).to_rgba8());
        // The name is the hash of what is stored, so the plain file is the same asset.
        assert_eq!(gallery.add(file).await["id"], asset["id"]);
    }
}

/// A text of 16 bytes that is hidden in a picture.
const HIDDEN: &[u8] = b"<script>hidden()";

/// PNGs with the hidden text where a viewer does not look.
fn hiding_pngs() -> Vec<(&'static str, Vec<u8>)> {
    let pixels = || (*b"IDAT", packed_black(9, 9));
    let with = |chunks: &[(&[u8; 4], &[u8])]| {
        let before: Vec<_> = chunks.iter().map(|(kind, data)| (**kind, data.to_vec())).collect();
        png_of_chunks(9, 9, &[before, vec![pixels()]].concat())
    };
    let numbered = [&[0, 0, 0, 0], HIDDEN].concat();
    let frame = [0_u32.to_be_bytes(), 9_u32.to_be_bytes(), 9_u32.to_be_bytes()].concat();
    let frame = [frame.as_slice(), &[0; 14]].concat();
    vec![
        ("a chunk of text", with(&[(b"tEXt", HIDDEN)])),
        ("the depth of the original", with(&[(b"sBIT", HIDDEN)])),
        ("a histogram", with(&[(b"hIST", HIDDEN)])),
        ("the coding of colours", with(&[(b"cICP", HIDDEN)])),
        ("the background", with(&[(b"bKGD", HIDDEN)])),
        ("repeated chunks", with(&[(b"gAMA", &[0, 1, 134, 160]), (b"gAMA", HIDDEN), (b"pHYs", HIDDEN)])),
        ("a profile that is none", with(&[(b"iCCP", &[b"a\0\0".as_slice(), HIDDEN].concat())])),
        ("a frame without an animation", with(&[(b"fdAT", &numbered), (b"fcTL", &frame)])),
    ]
}

/// JPEGs likewise.
fn hiding_jpegs() -> Vec<(&'static str, Vec<u8>)> {
    let plain = jpeg(40, 30);
    let with = |number: u8, data: &[u8]| with_segment(&plain, number, data);
    let profile = [b"ICC_PROFILE\0\x01\x01".as_slice(), HIDDEN].concat();
    vec![
        ("a profile that is none", with(0xe2, &profile)),
        ("a second JFIF segment", with(0xe0, &[b"JFIF\0".as_slice(), HIDDEN].concat())),
        ("a thumbnail", with(0xe0, &[b"JFXX\0".as_slice(), HIDDEN].concat())),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn bytes_that_show_nothing_are_not_stored() {
    let gallery = Gallery::in_memory().await;
    let (plain, black) = (jpeg(40, 30), black_png(9, 9));
    for (what, file) in hiding_pngs().into_iter().chain(hiding_jpegs()) {
        assert!(contains(&file, HIDDEN), "{what}");
        let asset = gallery.add(file.clone()).await;
        let stored = gallery.get(asset["url"].as_str().expect("a URL"), &[]).await.bytes;
        assert!(!contains(&stored, HIDDEN), "{what}");
        assert_eq!(
            decoded(&stored).to_rgb8(),
            decoded(if file[0] == 0xff { &plain } else { &black }).to_rgb8(),
            "{what}"
        );
        assert_eq!(gallery.add(stored.to_vec()).await["id"], asset["id"], "{what}: it is cleaned to itself");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_place_and_the_comments_are_removed_and_the_orientation_is_kept() {
    let gallery = Gallery::in_memory().await;
    let file = with_segment(&photo(80, 40, 6), 0xfe, b"a comment with <script>");
    let asset = gallery.add(file.clone()).await;
    assert!(contains(&file, b"GPS") && contains(&file, b"script"));
    let stored = gallery.get(asset["url"].as_str().expect("a URL"), &[]).await.bytes;
    assert!(!contains(&stored, b"GPS") && !contains(&stored, b"script"));
    assert!(contains(&stored, b"Exif\0\0MM"), "a viewer turns it by its orientation");
    assert_eq!((&asset["width"], &asset["height"]), (&json!(40), &json!(80)));
}

#[tokio::test]
async fn a_form_is_refused_with_what_to_send() {
    let gallery = Gallery::in_memory().await;
    let request = Request::post("/assets?name=a.txt").header(header::AUTHORIZATION, format!("Bearer {EDITOR_TOKEN}"));
    let request = request.header(header::CONTENT_TYPE, "multipart/form-data; boundary=b");
    let form = "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext\r\n--b--\r\n";
    let sent = gallery.send(request.body(form.into()).expect("a request")).await;
    assert_eq!(sent.refusal(), (415, "UNSUPPORTED_MEDIA_TYPE".to_owned()));
    assert!(sent.json()["errors"][0]["message"].as_str().expect("a message").contains("--data-binary"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_leaves_its_folder_is_refused_and_no_path_does() {
    let gallery = Gallery::in_memory().await;
    for name in ["..%2F..%2Fetc%2Fpasswd", "a%2Fb.png", "a%5Cb.png", "%00.png", ".."] {
        let sent = gallery.upload_as(Some(EDITOR_TOKEN), &format!("?name={name}"), png(9, 9)).await;
        assert_eq!(sent.refusal(), (400, "BAD_REQUEST".to_owned()), "{name}");
    }
    let sent = gallery.upload_as(Some(EDITOR_TOKEN), "?folder=x", png(9, 9)).await;
    assert_eq!(sent.refusal(), (400, "BAD_REQUEST".to_owned()));
    for path in ["/assets/../Cargo.toml", "/assets/..%2f..%2fetc%2fpasswd", "/assets/.", "/assets/x", "/assets//x"] {
        let sent = gallery.get(path, &[]).await;
        assert_eq!(sent.refusal(), (404, "ROUTE_NOT_FOUND".to_owned()), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_token_that_may_write_adds_a_picture() {
    let gallery = Gallery::in_memory().await;
    let reader = gallery.site.token(Role::Reader, None).await;
    let editor = gallery.site.token(Role::Editor, None).await;
    for (token, expected) in [
        (None, (401, "UNAUTHENTICATED")),
        (Some("tdg_wrong"), (401, "UNAUTHENTICATED")),
        (Some(reader.as_str()), (403, "FORBIDDEN")),
    ] {
        let sent = gallery.upload_as(token, "", png(9, 9)).await;
        assert_eq!(sent.refusal(), (expected.0, expected.1.to_owned()));
    }
    let sent = gallery.upload_as(Some(&editor), "", png(9, 9)).await;
    assert_eq!(sent.status, StatusCode::CREATED);
    assert_eq!(sent.header(header::LOCATION), sent.json()["asset"]["url"]);
}
