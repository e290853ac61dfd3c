//! What `POST /views` refuses. The rule: no answer shows whether a post exists.

use axum::body::Body;
use axum::http::Request;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{BROWSER, Counting, codes};
use crate::support::site::{NOW, Site, instant, post};

async fn counting() -> Counting {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant(NOW))]).await;
    Counting::of(site, 1)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_report_that_is_no_view_is_refused_with_its_status() {
    let counting = counting().await;
    let text = ("content-type", "text/plain");
    let long = format!("{{\"slug\":\"{}\"}}", "a".repeat(3_000));
    for (headers, body, status) in [
        (&[text][..], "post-1", 204),
        (&[text, ("origin", "https://blog.example")], "post-1", 204),
        (&[text, ("origin", "https://api.example"), ("host", "api.example")], "post-1", 204),
        (&[text, ("origin", "https://elsewhere.example")], "post-1", 403),
        (&[text, ("origin", "https://proxied.example"), ("sec-fetch-site", "same-origin")], "post-1", 204),
        (&[text, ("origin", "https://elsewhere.example"), ("sec-fetch-site", "cross-site")], "post-1", 403),
        (&[text, ("origin", "null")], "post-1", 403),
        (&[text], "", 400),
        (&[text], "{", 400),
        (&[text], "{\"path\":\"about\"}", 400),
        (&[("content-type", "application/json")], "post-1", 400),
        (&[("content-type", "application/json")], "{\"id\":\"tag-1\"}", 400),
        (&[("content-type", "application/x-www-form-urlencoded")], "post-1", 415),
        (&[], "post-1", 415),
        (&[text], &long, 413),
    ] {
        let headers = [headers, &[("user-agent", BROWSER), ("x-forwarded-for", "192.0.2.1")]].concat();
        assert_eq!(counting.post(&headers, body.to_owned()).await, status, "{headers:?} {body}");
    }
    counting.flush().await;
    assert_eq!(counting.views("post-1", "").await, 1, "those that are taken are of one visitor");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_reports_too_many_views_is_refused_and_others_are_not() {
    let counting = counting().await;
    let mut statuses = Vec::new();
    for number in 0..300 {
        statuses.push(counting.view("192.0.2.1", BROWSER, &format!("post-{number}")).await);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 204).count(), 200);
    assert!(statuses[200..].iter().all(|status| *status == 429));
    assert_eq!(counting.view("192.0.2.2", BROWSER, "post-1").await, 204);
    counting.flush().await;
    assert_eq!(counting.view("192.0.2.1", BROWSER, "post-1").await, 204);
    assert_eq!(counting.views("post-1", "").await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_counts_no_views_has_no_route_and_returns_null() {
    let site = Site::in_memory().await;
    site.publish(&[post(1, instant(NOW))]).await;
    let request = Request::post("/views").header("content-type", "text/plain").body(Body::from("post-1"));
    let response = site.router().oneshot(request.expect("a request")).await.expect("the router answers");
    assert_eq!(response.status(), 404);
    let data = site.query("{ post(slug: \"post-1\") { views viewsByDay { views } } popular { views } }").await;
    assert_eq!(data, json!({ "post": { "views": null, "viewsByDay": [] }, "popular": [] }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arguments_of_views_that_are_out_of_range_are_refused() {
    let counting = counting().await;
    let bad = [Value::from("BAD_USER_INPUT")];
    let at = |day: &str| format!("\"{day}T00:00:00Z\"");
    for field in [
        format!("post(slug: \"post-1\") {{ views(from: {}, to: {}) }}", at("2026-06-02"), at("2026-06-01")),
        format!(
            "post(slug: \"post-1\") {{ viewsByDay(from: {}, to: {}) {{ views }} }}",
            at("2025-01-01"),
            at("2026-01-02")
        ),
        format!("post(slug: \"post-1\") {{ views(from: {}) }}", at("0001-01-01")),
        "popular(days: 0) { views }".to_owned(),
        "popular(days: 91) { views }".to_owned(),
        "popular(first: -1) { views }".to_owned(),
        "popular(first: 101) { views }".to_owned(),
    ] {
        assert_eq!(codes(&counting, &format!("{{ {field} }}")).await, bad, "{field}");
    }
    // A year, and days of the future and of the first year.
    for (from, to) in [("2025-01-01", "2026-01-01"), ("2026-12-01", "2026-12-31"), ("0001-01-01", "0001-02-01")] {
        let span = format!("(from: {}, to: {})", at(from), at(to));
        assert_eq!(counting.views("post-1", &span).await, 0);
    }
}
