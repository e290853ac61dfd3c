//! The messages of `graphql-transport-ws` (<https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>). The rule: a message that the protocol does not
//! define closes the connection with 4400.

use std::borrow::Cow;

use axum::extract::ws::{CloseFrame, Message};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use super::Event;

/// The reason of a close frame has at most 123 bytes (RFC 6455, section 5.5).
const REASON_BYTES_MAX: usize = 123;

/// A message of a client, with its payload as JSON.
pub(super) enum FromClient<'m> {
    ConnectionInit { payload: Option<&'m str> },
    Subscribe { id: String, payload: &'m str },
    Complete { id: String },
    Ping,
    Pong,
}

/// The payload is not parsed here, because the values of a request are counted first.
#[derive(Deserialize)]
struct Fields<'m> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'m, str>,
    id: Option<String>,
    #[serde(borrow)]
    payload: Option<&'m RawValue>,
}

impl<'m> FromClient<'m> {
    pub(super) fn parse(text: &'m str) -> Result<Self, serde_json::Error> {
        let Fields { kind, id, payload } = serde_json::from_str(text)?;
        let payload = payload.map(RawValue::get);
        match (&*kind, id, payload) {
            ("connection_init", _, payload) => Ok(Self::ConnectionInit { payload }),
            ("subscribe", Some(id), Some(payload)) => Ok(Self::Subscribe { id, payload }),
            ("complete", Some(id), _) => Ok(Self::Complete { id }),
            ("ping", ..) => Ok(Self::Ping),
            ("pong", ..) => Ok(Self::Pong),
            _ => Err(serde::de::Error::custom("no message of the protocol")),
        }
    }
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ToClient<'a> {
    ConnectionAck,
    Next { id: &'a str, payload: &'a RawValue },
    Error { id: &'a str, payload: &'a RawValue },
    Complete { id: &'a str },
    Pong,
}

impl ToClient<'_> {
    pub(super) fn message(&self) -> Message {
        Message::text(serde_json::to_string(self).expect("a message is JSON"))
    }

    /// The answer of an operation. An answer without data is an error, which no `complete` follows.
    pub(super) fn of_answer(id: &str, event: &Event) -> Message {
        let json = event.json.to_bytes();
        let answer: &RawValue = serde_json::from_slice(&json).expect("an answer is JSON");
        if !event.is_refusal {
            return ToClient::Next { id, payload: answer }.message();
        }
        let parsed: serde_json::Value = serde_json::from_str(answer.get()).expect("an answer is JSON");
        let errors = to_raw_value(&parsed["errors"]).expect("a value is JSON");
        ToClient::Error { id, payload: &errors }.message()
    }
}

pub(super) fn close(code: u16, reason: &str) -> CloseFrame {
    let end = (0..=reason.len().min(REASON_BYTES_MAX)).rev().find(|end| reason.is_char_boundary(*end));
    CloseFrame { code, reason: reason[..end.unwrap_or_default()].into() }
}
