//! The picture of a link (`og:image`): its shape, its format, and the part of the picture that it shows.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use serde_json::{Value, json};
use tidings::store::Store;
use tidings::store::azure::AzureStore;
use tidings::store::embedded::EmbeddedStore;

use super::Gallery;
use super::files::{animated_gif, decoded, encoded, gif, jpeg, photo, png, transparent_webp, webp};
use crate::support::azurite::{Azurite, random_prefix};
use crate::support::memory::MemoryStore;

const LINK: &str = "... on Image { openGraphImage { url width height alt } focalPoint { x y } }";

impl Gallery {
    async fn link(&self, asset: &Value) -> Value {
        let answer = self.ask_as(None, &format!("{{ asset(id: {}) {{ {LINK} }} }}", asset["id"])).await;
        assert_eq!(answer["errors"], Value::Null, "{answer}");
        answer["data"]["asset"].clone()
    }

    async fn pixels(&self, address: &Value) -> RgbImage {
        let sent = self.get(address.as_str().expect("an address"), &[]).await;
        assert_eq!((sent.status, sent.header(header::CONTENT_TYPE)), (StatusCode::OK, "image/jpeg"), "{address}");
        decoded(&sent.bytes).to_rgb8()
    }

    pub(super) async fn version(&self, asset: &Value) -> Value {
        self.ask(&format!("{{ asset(id: {}) {{ version }} }}", asset["id"])).await["data"]["asset"]["version"].clone()
    }

    /// The payload of a change of the focal point.
    async fn focus(&self, asset: &Value, point: &str) -> Value {
        let version = self.version(asset).await;
        let query = format!(
            "mutation {{ updateAsset(input: {{ id: {}, expectedVersion: {version}, focalPoint: {point} }}) {{ asset {{ {LINK} }} userErrors {{ code field }} }} }}",
            asset["id"]
        );
        self.ask(&query).await["data"]["updateAsset"].clone()
    }
}

/// Whether two colours are the same after they were coded.
fn is_near(one: Rgb<u8>, other: [u8; 3]) -> bool {
    one.0.iter().zip(other).all(|(one, other)| one.abs_diff(other) < 24)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_picture_of_a_link_is_a_jpeg_of_its_shape_whatever_the_picture_and_the_client_are() {
    let gallery = Gallery::in_memory().await;
    for (file, size) in [
        (jpeg(1600, 1200), (1200, 630)),
        (png(1600, 1200), (1200, 630)),
        (gif(400, 300), (400, 210)),
        (webp(800, 800), (800, 420)),
        (transparent_webp(300, 200), (300, 157)),
        (animated_gif(400, 300), (400, 210)),
        (png(1, 1), (1, 1)),
        (png(4_000, 1), (1, 1)),
        (photo(800, 400, 6), (400, 210)),
    ] {
        let asset = gallery.add(file).await;
        let link = gallery.link(&asset).await;
        let url = link["openGraphImage"]["url"].clone();
        assert_eq!(url, json!(format!("{}?open-graph=50", asset["url"].as_str().expect("a URL"))));
        assert_eq!(
            (&link["openGraphImage"]["width"], &link["openGraphImage"]["height"]),
            (&json!(size.0), &json!(size.1))
        );
        // The second answer is the stored one.
        for accepted in ["image/avif,image/webp,*/*", "text/html", "image/png"] {
            let sent = gallery.get(url.as_str().expect("a URL"), &[(header::ACCEPT, accepted)]).await;
            assert_eq!((sent.status, sent.header(header::CONTENT_TYPE)), (StatusCode::OK, "image/jpeg"), "{url}");
            assert_eq!(sent.header(header::CACHE_CONTROL), "public, max-age=31536000, immutable");
            assert_eq!(sent.header(header::VARY), "", "no answer depends on `Accept`");
            assert_eq!(decoded(&sent.bytes).to_rgb8().dimensions(), size);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_picture_of_a_link_says_what_it_shows_and_is_white_where_the_picture_is_transparent() {
    let gallery = Gallery::in_memory().await;
    let mut image = RgbaImage::from_pixel(400, 210, Rgba([200, 30, 30, 0]));
    (0..200).for_each(|x| (0..210).for_each(|y| image.put_pixel(x, y, Rgba([30, 30, 200, 255]))));
    let asset = gallery.add(encoded(image, ImageFormat::Png)).await;
    let described = gallery
        .ask(&format!(
            "mutation {{ updateAsset(input: {{ id: {}, expectedVersion: 1, alt: \"A flag\" }}) {{ userErrors {{ code }} }} }}",
            asset["id"]
        ))
        .await;
    assert_eq!(described["data"]["updateAsset"]["userErrors"], json!([]));
    let link = gallery.link(&asset).await;
    assert_eq!(link["openGraphImage"]["alt"], json!("A flag"));
    let pixels = gallery.pixels(&link["openGraphImage"]["url"]).await;
    assert!(is_near(*pixels.get_pixel(100, 100), [30, 30, 200]), "{:?}", pixels.get_pixel(100, 100));
    assert!(is_near(*pixels.get_pixel(300, 100), [255, 255, 255]), "{:?}", pixels.get_pixel(300, 100));
}

/// A picture of bands from the top to the bottom: red, green, blue.
fn bands(width: u32, height: u32) -> DynamicImage {
    let colors = [Rgb([220, 20, 20]), Rgb([20, 200, 20]), Rgb([20, 20, 220])];
    RgbImage::from_fn(width, height, |_, y| colors[(y * 3 / height) as usize]).into()
}

async fn a_focal_point_is_set_kept_and_removed_and_stays_visible(store: Store) {
    let gallery = Gallery::over(&store).await;
    let asset = gallery.add(encoded(bands(630, 990), ImageFormat::Png)).await;
    let unset = gallery.link(&asset).await;
    assert_eq!(unset["focalPoint"], Value::Null);
    let middle = |pixels: &RgbImage| *pixels.get_pixel(pixels.width() / 2, pixels.height() / 2);
    let seen = middle(&gallery.pixels(&unset["openGraphImage"]["url"]).await);
    assert!(is_near(seen, [20, 200, 20]), "{seen:?}");
    for (y, place, color) in [(5, 0, [220, 20, 20]), (50, 50, [20, 200, 20]), (95, 100, [20, 20, 220])] {
        let changed = gallery.focus(&asset, &format!("{{ x: 10, y: {y} }}")).await;
        assert_eq!(changed["userErrors"], json!([]));
        assert_eq!(changed["asset"]["focalPoint"], json!({ "x": 10, "y": y }));
        let link = gallery.link(&asset).await;
        assert_eq!(link, changed["asset"]);
        let url = &link["openGraphImage"]["url"];
        assert!(url.as_str().is_some_and(|url| url.ends_with(&format!("?open-graph={place}"))), "{url}");
        let seen = middle(&gallery.pixels(url).await);
        assert!(is_near(seen, color), "{y}: {seen:?}");
    }
    let version = gallery.version(&asset).await;
    let kept = gallery
        .ask(&format!(
            "mutation {{ updateAsset(input: {{ id: {}, expectedVersion: {version}, caption: \"Bands\" }}) {{ asset {{ ... on Image {{ focalPoint {{ y }} }} }} }} }}",
            asset["id"]
        ))
        .await;
    assert_eq!(kept["data"]["updateAsset"]["asset"]["focalPoint"], json!({ "y": 95 }), "{kept}");
    for point in ["{ x: -1, y: 0 }", "{ x: 0, y: 101 }", "{ x: 2147483647, y: -2147483648 }"] {
        let refused = gallery.focus(&asset, point).await;
        let expected = json!([{ "code": "INVALID", "field": ["input", "focalPoint"] }]);
        assert_eq!(refused, json!({ "asset": null, "userErrors": expected }), "{point}");
    }
    assert_eq!(gallery.link(&asset).await["focalPoint"], json!({ "x": 10, "y": 95 }));
    let removed = gallery.focus(&asset, "null").await;
    assert_eq!(removed["asset"], unset);
    gallery.site.assert_sound().await;
    // The pictures of links are deleted with the picture.
    let url = unset["openGraphImage"]["url"].as_str().expect("a URL").to_owned();
    gallery.delete(asset["id"].as_str().expect("an id")).await;
    assert_eq!(gallery.get(&url, &[]).await.refusal(), (404, "ROUTE_NOT_FOUND".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_focal_point_is_set_kept_and_removed_and_stays_visible_on_a_file() {
    a_focal_point_is_set_kept_and_removed_and_stays_visible(Arc::new(EmbeddedStore::in_memory().expect("a store")))
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_focal_point_is_set_kept_and_removed_and_stays_visible_on_tables_in_memory() {
    a_focal_point_is_set_kept_and_removed_and_stays_visible(MemoryStore::empty()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_focal_point_is_set_kept_and_removed_and_stays_visible_on_azurite() {
    let azurite = Azurite::any();
    let store = AzureStore::connect(&azurite.settings(&random_prefix())).expect("a client");
    a_focal_point_is_set_kept_and_removed_and_stays_visible(Arc::new(store)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_place_that_is_not_offered_is_refused() {
    let gallery = Gallery::in_memory().await;
    let asset = gallery.add(png(400, 300)).await;
    let url = asset["url"].as_str().expect("a URL");
    for query in ["open-graph=1", "open-graph=-25", "open-graph=", "open-graph=x", "open-graph=50&width=160"] {
        let sent = gallery.get(&format!("{url}?{query}"), &[]).await;
        assert_eq!(sent.refusal(), (400, "BAD_REQUEST".to_owned()), "{query}");
    }
    let missing = gallery.get(&format!("/assets/{}.png?open-graph=50", "0".repeat(40)), &[]).await;
    assert_eq!(missing.refusal(), (404, "ROUTE_NOT_FOUND".to_owned()));
}
