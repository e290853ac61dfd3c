//! CORS: the headers that let pages of other origins use the server.

use tidings::http::cors::AllowedOrigins;
use tidings::http::{HttpSettings, ServerLimits};

use super::{
    client::{Answer, Client, get},
    toy::Toy,
};

const OURS: &str = "https://blog.example";

async fn allowing(origins: &[&str]) -> Toy {
    let cors = origins.iter().map(|origin| origin.parse().expect("an origin")).collect();
    Toy::start_with(HttpSettings { cors, ..HttpSettings::default() }, ServerLimits::default()).await
}

/// The preflight request of a browser before a page of `origin` sends a POST of JSON with a token.
async fn preflight(toy: &Toy, origin: &str) -> Answer {
    preflight_with(toy, origin, "authorization,content-type").await
}

async fn preflight_with(toy: &Toy, origin: &str, headers: &str) -> Answer {
    let mut client = Client::connect(toy.address).await;
    let asks = format!("access-control-request-method: POST\r\naccess-control-request-headers: {headers}\r\n");
    client.send(format!("OPTIONS /graphql HTTP/1.1\r\nhost: toy\r\norigin: {origin}\r\n{asks}\r\n")).await;
    client.answer().await
}

async fn ask_from(toy: &Toy, origin: &str) -> Answer {
    let mut client = Client::connect(toy.address).await;
    let request = String::from_utf8(get("/graphql?query=%7Bname%7D")).expect("text");
    client.send(request.replace("host: toy\r\n", &format!("host: toy\r\norigin: {origin}\r\n"))).await;
    client.answer().await
}

#[tokio::test]
async fn an_allowed_origin_can_send_requests_with_a_token() {
    let toy = allowing(&[OURS, "http://localhost:5173"]).await;
    for origin in [OURS, "http://localhost:5173"] {
        let answer = preflight(&toy, origin).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("access-control-allow-origin"), Some(origin));
        assert_eq!(answer.header("access-control-allow-methods"), Some("GET,HEAD,POST"));
        let headers = answer.header("access-control-allow-headers").unwrap_or_default();
        assert!(["authorization", "content-type"].iter().all(|name| headers.contains(name)), "{headers}");
        assert_eq!(answer.header("access-control-max-age"), Some("7200"));
        let answer = ask_from(&toy, origin).await;
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, Some(origin)));
        assert_eq!(
            answer.header("access-control-expose-headers"),
            Some("x-request-id,tidings-position,retry-after,ratelimit,ratelimit-policy")
        );
        assert!(answer.head.to_lowercase().contains("\r\nvary: origin"), "{}", answer.head);
        assert_eq!(answer.header("access-control-allow-credentials"), None);
    }
    toy.end().await;
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_may_send_what_its_libraries_add() {
    let (ours, all) = (allowing(&[OURS]).await, allowing(&["*"]).await);
    for toy in [&ours, &all] {
        for headers in [
            "apollographql-client-name,apollographql-client-version,content-type",
            "sentry-trace,baggage,content-type",
            "x-requested-with,content-type",
            "apollo-require-preflight",
            "traceparent,tracestate,x-b3-traceid",
        ] {
            let answer = preflight_with(toy, OURS, headers).await;
            assert_eq!(answer.header("access-control-allow-headers"), Some(headers));
        }
    }
    let cors = [OURS.parse().expect("an origin")].into_iter().collect::<AllowedOrigins>();
    let cors = cors.with_headers(vec!["x-own".parse().expect("a name")]);
    let limited = Toy::start_with(HttpSettings { cors, ..HttpSettings::default() }, ServerLimits::default()).await;
    assert_eq!(
        preflight_with(&limited, OURS, "x-own,x-other").await.header("access-control-allow-headers"),
        Some(
            "accept,authorization,content-type,graphql-cost,graphql-explain,graphql-tags,tidings-position,x-request-id,traceparent,tracestate,x-own"
        )
    );
    for toy in [ours, all, limited] {
        toy.end().await;
    }
}

#[tokio::test]
async fn apps_and_the_hosts_of_previews_are_origins() {
    let toy = allowing(&["capacitor://localhost", "tauri://localhost", "https://blog-*.vercel.app"]).await;
    for (origin, is_allowed) in [
        ("capacitor://localhost", true),
        ("tauri://localhost", true),
        ("https://blog-git-main.vercel.app", true),
        ("https://other.vercel.app", false),
        ("https://blog-a.b.vercel.app", false),
        ("ionic://localhost", false),
    ] {
        let answer = preflight(&toy, origin).await;
        assert_eq!(answer.header("access-control-allow-origin"), is_allowed.then_some(origin), "{origin}");
        let answer = ask_from(&toy, origin).await;
        assert_eq!(answer.header("access-control-allow-origin"), is_allowed.then_some(origin), "{origin}");
    }
    toy.end().await;
}

#[tokio::test]
async fn another_origin_gets_no_cors_headers() {
    let (some, none) = (allowing(&[OURS]).await, Toy::start().await);
    for toy in [&some, &none] {
        for origin in ["https://blog.example.evil", "http://blog.example", "https://blog.example:8443", "null"] {
            assert_eq!(preflight(toy, origin).await.header("access-control-allow-origin"), None, "{origin}");
            assert_eq!(ask_from(toy, origin).await.header("access-control-allow-origin"), None, "{origin}");
        }
    }
    assert_eq!(preflight(&none, OURS).await.status, 405);
    some.end().await;
    none.end().await;
}

#[tokio::test]
async fn a_star_allows_every_origin() {
    let toy = allowing(&[OURS, "*"]).await;
    assert_eq!(preflight(&toy, "https://anyone.example").await.header("access-control-allow-origin"), Some("*"));
    toy.end().await;
}

/// A page of an allowed origin can read errors too.
#[tokio::test]
async fn a_refusal_has_cors_headers() {
    let toy = allowing(&[OURS]).await;
    let mut client = Client::connect(toy.address).await;
    client.send(format!("POST /graphql HTTP/1.1\r\nhost: toy\r\norigin: {OURS}\r\ncontent-type: text/plain\r\ncontent-length: 1\r\n\r\nx")).await;
    let answer = client.answer().await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (415, Some(OURS)));
    toy.end().await;
}
