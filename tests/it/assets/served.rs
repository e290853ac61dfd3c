//! Pictures as clients read them: types, widths, ranges, caches.

use axum::http::{StatusCode, header};
use serde_json::json;

use super::Gallery;
use super::files::{animated_gif, decoded, gif, jpeg, photo, png, transparent_webp, webp};

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_served_as_its_type_for_ever() {
    let gallery = Gallery::in_memory().await;
    for (file, kind) in [
        (jpeg(40, 30), "image/jpeg"),
        (png(40, 30), "image/png"),
        (gif(40, 30), "image/gif"),
        (webp(40, 30), "image/webp"),
    ] {
        let asset = gallery.add(file.clone()).await;
        let sent = gallery.get(asset["url"].as_str().expect("a URL"), &[]).await;
        assert_eq!((sent.status, sent.header(header::CONTENT_TYPE)), (StatusCode::OK, kind));
        assert_eq!(sent.header(header::X_CONTENT_TYPE_OPTIONS), "nosniff");
        assert_eq!(sent.header("cross-origin-resource-policy".parse().expect("a header")), "cross-origin");
        assert_eq!(sent.header(header::CACHE_CONTROL), "public, max-age=31536000, immutable");
        assert_eq!(sent.header(header::CONTENT_LENGTH), sent.bytes.len().to_string());
        assert_eq!(asset["byteSize"], json!(sent.bytes.len()));
        assert_eq!((&asset["width"], &asset["height"]), (&json!(40), &json!(30)));
        assert_eq!(decoded(&sent.bytes).to_rgba8(), decoded(&file).to_rgba8());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_of_a_picture_is_served_and_a_known_one_is_not_sent_again() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(png(40, 30)).await;
    let url = asset["url"].as_str().expect("a URL");
    let whole = gallery.get(url, &[]).await;
    let (tag, size) = (whole.header(header::ETAG).to_owned(), whole.bytes.len());
    assert!(whole.header(header::CACHE_CONTROL).contains("immutable"));
    let part = gallery.get(url, &[(header::RANGE, "bytes=8-15")]).await;
    assert_eq!((part.status, &part.bytes), (StatusCode::PARTIAL_CONTENT, &whole.bytes.slice(8..16)));
    assert_eq!(part.header(header::CONTENT_RANGE), format!("bytes 8-15/{size}"));
    let of_tag = gallery.get(url, &[(header::RANGE, "bytes=-4"), (header::IF_RANGE, &tag)]).await;
    assert_eq!(of_tag.bytes, whole.bytes.slice(size - 4..));
    let of_other = gallery.get(url, &[(header::RANGE, "bytes=-4"), (header::IF_RANGE, "\"other\"")]).await;
    assert_eq!((of_other.status, of_other.bytes), (StatusCode::OK, whole.bytes));
    let after = gallery.get(url, &[(header::RANGE, "bytes=999999-")]).await;
    assert_eq!(after.status, StatusCode::RANGE_NOT_SATISFIABLE);
    assert_eq!(after.header(header::CONTENT_RANGE), format!("bytes */{size}"));
    assert_eq!(after.header(header::CACHE_CONTROL), "no-store", "it is not what the address shows");
    let known = gallery.get(url, &[(header::IF_NONE_MATCH, &tag)]).await;
    assert_eq!((known.status, known.bytes.len()), (StatusCode::NOT_MODIFIED, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_is_made_smaller_and_never_larger() {
    let gallery = Gallery::in_memory().await;
    for (file, kind) in [
        (jpeg(1000, 500), "image/jpeg"),
        (png(1000, 500), "image/png"),
        (gif(1000, 500), "image/png"),
        (webp(1000, 500), "image/jpeg"),
        (transparent_webp(1000, 500), "image/webp"),
    ] {
        let asset = gallery.add(file).await;
        let url = asset["url"].as_str().expect("a URL");
        // The second answer is the stored one.
        for _ in 0..2 {
            let small = gallery.get(&format!("{url}?width=320"), &[]).await;
            assert_eq!((small.status, small.header(header::CONTENT_TYPE)), (StatusCode::OK, kind));
            let pixels = decoded(&small.bytes).to_rgb8();
            assert_eq!(pixels.dimensions(), (320, 160));
        }
        let larger = gallery.get(&format!("{url}?width=1280"), &[]).await;
        assert_eq!(larger.bytes, gallery.get(url, &[]).await.bytes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_of_one_line_has_other_widths() {
    let gallery = Gallery::in_memory().await;
    for (file, expected) in [(png(9_000, 1), (160, 1)), (png(1, 9_000), (1, 9_000))] {
        let asset = gallery.add(file).await;
        let small = gallery.get(&format!("{}?width=160", asset["url"].as_str().expect("a URL")), &[]).await;
        assert_eq!(decoded(&small.bytes).to_rgb8().dimensions(), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_smaller_picture_shows_the_same() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(png(1000, 500)).await;
    let small = gallery.get(&format!("{}?width=160", asset["url"].as_str().expect("a URL")), &[]).await;
    let pixels = decoded(&small.bytes).to_rgb8();
    assert_eq!((pixels.get_pixel(20, 40).0, pixels.get_pixel(140, 40).0), ([220, 20, 20], [20, 20, 220]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turned_photo_is_upright_in_other_widths() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(photo(800, 400, 6)).await;
    let small = gallery.get(&format!("{}?width=160", asset["url"].as_str().expect("a URL")), &[]).await;
    let pixels = decoded(&small.bytes).to_rgb8();
    assert_eq!(pixels.dimensions(), (160, 320));
    // Turned by 90° to the right, the left half is at the top.
    let (top, bottom) = (pixels.get_pixel(80, 40).0, pixels.get_pixel(80, 280).0);
    assert!(top[0] > top[2] && bottom[2] > bottom[0], "{top:?} {bottom:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_animation_is_served_as_it_is_in_every_width() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(animated_gif(400, 300)).await;
    let url = asset["url"].as_str().expect("a URL");
    let whole = gallery.get(url, &[]).await;
    let small = gallery.get(&format!("{url}?width=160"), &[]).await;
    assert_eq!((small.header(header::CONTENT_TYPE), &small.bytes), ("image/gif", &whole.bytes));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_width_that_is_not_offered_is_refused() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(png(400, 300)).await;
    for width in ["161", "0", "-1", "x", "99999999999", ""] {
        let sent = gallery.get(&format!("{}?width={width}", asset["url"].as_str().expect("a URL")), &[]).await;
        assert_eq!(sent.refusal(), (400, "BAD_REQUEST".to_owned()), "{width}");
    }
    let missing = gallery.get(&format!("/assets/{}.png?width=160", "0".repeat(40)), &[]).await;
    assert_eq!(missing.refusal(), (404, "ROUTE_NOT_FOUND".to_owned()));
}
