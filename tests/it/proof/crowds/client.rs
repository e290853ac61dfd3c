//! Requests to the servers of a run. The rule: an outcome is known only from a whole answer, or if the request was never sent.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};

use super::change::Change;
use super::content::{Shown, id, text};

/// Longer than a server takes for its longest answer.
const ANSWER_MAX: Duration = Duration::from_secs(45);

/// Where each server listens; `None` while it is down.
pub(in crate::proof) type Addresses = Arc<Mutex<Vec<Option<String>>>>;

#[derive(Debug, Clone)]
pub(in crate::proof) struct Client {
    http: reqwest::Client,
    addresses: Addresses,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(in crate::proof) enum NoAnswer {
    NotSent,
    /// It was sent, or may have been.
    Lost(String),
}

/// The outcome of a mutation, as its answer says it.
#[derive(Debug, Clone)]
pub(super) enum Outcome {
    UnderWay,
    /// The post after it; `None` if it was a deletion or of a term.
    Made {
        id: String,
        post: Option<Box<Shown>>,
    },
    Refused {
        code: String,
        message: String,
    },
    NotSent,
    Unknown {
        code: String,
        message: String,
    },
}

impl Outcome {
    pub(super) fn is_made(&self) -> bool {
        matches!(self, Self::Made { .. })
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown { .. })
    }
}

impl Client {
    pub(in crate::proof) fn new(addresses: Addresses) -> Self {
        let http = reqwest::Client::builder().no_proxy().timeout(ANSWER_MAX).build().expect("a client");
        Self { http, addresses }
    }

    /// The whole answer of a server.
    pub(in crate::proof) async fn ask(
        &self,
        server: usize,
        token: Option<&str>,
        query: &str,
        variables: &Value,
    ) -> Result<Value, NoAnswer> {
        let address = self.addresses.lock().expect("no panic")[server].clone().ok_or(NoAnswer::NotSent)?;
        let mut request = self
            .http
            .post(format!("http://{address}/graphql"))
            .header("content-type", "application/json")
            .header("accept", "application/json")
            .body(json!({ "query": query, "variables": variables }).to_string());
        if let Some(token) = token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        let lost = |error: reqwest::Error| match error.is_connect() {
            true => NoAnswer::NotSent,
            false => NoAnswer::Lost(format!("{error:?}")),
        };
        let answer = request.send().await.map_err(lost)?.text().await.map_err(lost)?;
        serde_json::from_str(&answer).map_err(|_| NoAnswer::Lost(format!("no JSON: {answer}")))
    }

    /// The data of a query that must succeed without errors, while no server is killed.
    pub(super) async fn data(&self, server: usize, token: Option<&str>, query: &str, variables: &Value) -> Value {
        let answer = self.ask(server, token, query, variables).await;
        let answer = answer.unwrap_or_else(|e| panic!("server {server} does not answer {query}: {e:?}"));
        assert_eq!(answer.get("errors"), None, "{query}");
        answer["data"].clone()
    }

    pub(super) async fn mutate(&self, server: usize, token: &str, change: &Change) -> Outcome {
        let term = match change.query_of_term() {
            None => None,
            Some(query) => match self.ask(server, Some(token), &query, &json!({})).await {
                // Nothing was sent that changes anything.
                Err(_) => return Outcome::NotSent,
                Ok(answer) if error(&answer).is_some() => return Outcome::NotSent,
                Ok(answer) => Some(answer["data"]["term"].clone()).filter(|term| !term.is_null()),
            },
        };
        if term.is_none() && change.needs_term() {
            return Outcome::Refused { code: "NOT_FOUND".to_owned(), message: "no term has the slug".to_owned() };
        }
        let term = term.map(|term| json!({ "id": term["id"], "expectedVersion": term["version"] }));
        let document = change.document(term.as_ref());
        match self.ask(server, Some(token), &document.query, &document.variables).await {
            Ok(answer) => outcome(change, &answer),
            Err(NoAnswer::NotSent) => Outcome::NotSent,
            Err(NoAnswer::Lost(message)) => Outcome::Unknown { code: "connection lost".to_owned(), message },
        }
    }
}

/// The first error of an answer: its code and message.
pub(in crate::proof) fn error(answer: &Value) -> Option<(String, String)> {
    let error = answer.get("errors")?.get(0)?;
    Some((text(&error["extensions"]["code"]), text(&error["message"])))
}

fn outcome(change: &Change, answer: &Value) -> Outcome {
    if let Some((code, message)) = error(answer) {
        return match code.as_str() {
            "UNAVAILABLE" | "OUTCOME_UNKNOWN" | "TIMEOUT" | "INTERNAL_SERVER_ERROR" => {
                Outcome::Unknown { code, message }
            }
            _ => Outcome::Refused { code, message },
        };
    }
    let payload = &answer["data"]["payload"];
    if let Some(error) = payload["userErrors"].get(0) {
        return Outcome::Refused { code: text(&error["code"]), message: text(&error["message"]) };
    }
    let result = &payload["result"];
    match change {
        _ if result.is_null() => {
            Outcome::Unknown { code: "neither a result nor an error".to_owned(), message: answer.to_string() }
        }
        _ if change.is_deletion() => Outcome::Made { id: id(result), post: None },
        _ if change.is_of_a_term() => Outcome::Made { id: id(&result["id"]), post: None },
        _ => Outcome::Made { id: text(&result["id"]), post: Shown::of(result).map(Box::new) },
    }
}
