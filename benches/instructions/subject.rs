//! What is measured: the service over a store file, and the same fields over maps. The rule: both write the same answer, except for cursors.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant as Moment;

use async_graphql::{Request, Response, Value};
use tidings::graphql::documents::Documents;
use tidings::graphql::error::give_codes;
use tidings::graphql::guard::Limits;
use tidings::graphql::service::GraphqlService;
use tidings::keys::cursor;
use tidings::testing::pages::PostList;
use tokio::runtime::Runtime;

use crate::posts::Generated;
use crate::queries::Query;
use crate::{Result, maps, site};

/// Requests before those whose time is measured: what is cached is read by then.
const WARM_UP: u32 = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Subject {
    Server,
    /// The server that holds no values: every query reads what it needs.
    Reading,
    Maps,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Server => "server",
            Self::Reading => "reading",
            Self::Maps => "maps",
        })
    }
}

pub struct Running {
    runtime: Runtime,
    service: Arc<dyn GraphqlService>,
    documents: Arc<Documents>,
    subject: Subject,
    posts: u64,
}

impl Subject {
    pub fn start(self, store: &Path, posts: u64) -> Result<Running> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let service: Arc<dyn GraphqlService> = match self {
            Self::Server => Arc::new(site::service(&runtime.block_on(site::open(store))?)),
            Self::Reading => Arc::new(site::service(&runtime.block_on(site::open_without_values(store))?)),
            Self::Maps => Arc::new(maps::schema(posts)),
        };
        Ok(Running { runtime, service, documents: Arc::default(), subject: self, posts })
    }
}

impl Running {
    /// Sends the query that often, and returns the last answer.
    pub fn send(&self, query: Query, requests: u32) -> Result<Vec<u8>> {
        let cursor = |post: &Generated| match self.subject {
            Subject::Server | Subject::Reading => cursor::encode_post(PostList::all().tag(), &post.key()),
            Subject::Maps => maps::cursor(post),
        };
        let Request { query: document, variables, .. } = query.request(self.posts, cursor);
        let mut last = Vec::new();
        for _ in 0..requests {
            let request = Request::new(document.clone()).variables(variables.clone());
            let documents = (self.subject != Subject::Maps).then(|| Arc::clone(&self.documents));
            let answering = answer(Arc::clone(&self.service), request, documents);
            last = self.runtime.block_on(self.runtime.spawn(answering))??;
        }
        Ok(last)
    }
}

/// Asserts that both subjects give the same answer, except for the cursors.
pub fn compare(store: &Path, query: Query, posts: u64) -> Result<()> {
    let [server, maps] = [Subject::Server, Subject::Maps].map(|subject| -> Result<serde_json::Value> {
        let mut answer = serde_json::from_slice(&subject.start(store, posts)?.send(query, 1)?)?;
        remove_cursors(&mut answer);
        Ok(answer)
    });
    assert_eq!(server?, maps?, "the server and the maps must answer {query} alike");
    Ok(())
}

fn remove_cursors(value: &mut serde_json::Value) {
    match value {
        serde_json::Value::Array(items) => items.iter_mut().for_each(remove_cursors),
        serde_json::Value::Object(fields) => {
            fields.retain(|key, _| key != "cursor" && key != "endCursor");
            fields.values_mut().for_each(remove_cursors);
        }
        _ => {}
    }
}

/// The bytes of the answer.
///
/// # Errors
/// If the answer has errors.
async fn answer(
    service: Arc<dyn GraphqlService>,
    request: Request,
    documents: Option<Arc<Documents>>,
) -> Result<Vec<u8>> {
    let document = request.query.clone();
    let response: Response = if let Some(documents) = documents {
        let limits = Limits::default();
        let admitted = documents.admit(documents.find(&request.query, &limits), request, &limits);
        let admitted = admitted.map_err(|refusal| refusal.message)?;
        let mut response = service.execute(admitted.request).await;
        give_codes(&mut response, &document);
        response
    } else {
        service.execute(request).await
    };
    if !response.errors.is_empty() {
        return Err(format!("{:?}", response.errors).into());
    }
    let mut json = Vec::with_capacity(4096);
    write(&mut json, &response.data)?;
    Ok(json)
}

/// Writes a value as the HTTP handler does: a binary value is already JSON.
fn write(json: &mut Vec<u8>, value: &Value) -> Result<()> {
    match value {
        Value::Binary(text) => json.extend_from_slice(text),
        Value::List(items) => {
            json.push(b'[');
            for (index, item) in items.iter().enumerate() {
                json.extend_from_slice(if index == 0 { b"" } else { b"," });
                write(json, item)?;
            }
            json.push(b']');
        }
        Value::Object(fields) => {
            json.push(b'{');
            for (index, (key, value)) in fields.iter().enumerate() {
                json.extend_from_slice(if index == 0 { b"\"" } else { b",\"" });
                json.extend_from_slice(key.as_bytes());
                json.extend_from_slice(b"\":");
                write(json, value)?;
            }
            json.push(b'}');
        }
        leaf => serde_json::to_writer(json, leaf)?,
    }
    Ok(())
}

/// Microseconds for each request.
pub fn time(subject: Subject, store: &Path, query: Query, posts: u64, requests: u32) -> Result<f64> {
    let running = subject.start(store, posts)?;
    running.send(query, WARM_UP)?;
    let begun = Moment::now();
    running.send(query, requests)?;
    Ok(begun.elapsed().as_secs_f64() * 1e6 / f64::from(requests))
}
