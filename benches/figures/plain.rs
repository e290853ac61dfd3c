//! Servers without storage, for `scripts/bench`: the schema over maps, and fixed bytes. The rule: plain axum with its defaults; what they cost is what
//! the engine costs, and what HTTP costs.

use std::collections::HashMap;
use std::fs;
use std::future::ready;
use std::path::Path;

use axum::Router;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::Result;
use crate::maps::{self, MapSchema};
use crate::rates::one_core;

const JSON: &str = "application/json";

/// Serves the schema of `maps.rs` at `/graphql`, until it is killed.
pub fn serve_maps(posts: u64) -> Result<()> {
    serve(Router::new().route("/graphql", post(execute)).with_state(maps::schema(posts)))
}

async fn execute(State(schema): State<MapSchema>, body: Bytes) -> Response {
    let request: async_graphql::Request = match serde_json::from_slice(&body) {
        Ok(request) => request,
        Err(error) => return (StatusCode::BAD_REQUEST, error.to_string()).into_response(),
    };
    match serde_json::to_vec(&schema.execute(request).await) {
        Ok(answer) => ([(CONTENT_TYPE, JSON)], answer).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// Serves the answers of a JSON file, an object from path to body, whatever is posted, until it is killed.
pub fn serve_bytes(file: &Path) -> Result<()> {
    let answers: HashMap<String, String> = serde_json::from_slice(&fs::read(file)?)?;
    let routes = answers.into_iter().fold(Router::new(), |routes, (path, answer)| {
        let answer = Bytes::from(answer);
        routes.route(&path, post(move |_: Bytes| ready(([(CONTENT_TYPE, JSON)], answer.clone()))))
    });
    serve(routes)
}

fn serve(routes: Router) -> Result<()> {
    one_core()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("Listening on http://{}/graphql", listener.local_addr()?);
        let without_delay = listener.tap_io(|stream| {
            // A connection without the option is slower, and works.
            let _ = stream.set_nodelay(true);
        });
        Ok(axum::serve(without_delay, routes).await?)
    })
}
