//! A request's share of the resources of its connection. The rule: its memory is charged before the body is read.

use std::net::IpAddr;

use axum::http::{Extensions, HeaderMap};

use super::{answer::RequestFailure, api::Api, clients::client_address, connection::ConnectionSlots};
use crate::graphql::memory::{AnswerMemory, Charge, ConnectionMemory};

/// The memory that every request uses from its head to the last byte of its answer: a short body, and a piece of the answer in the buffers of
/// the connection.
pub(super) const REQUEST_BYTES: u64 = 32 * 1024;

pub(super) struct Share {
    pub(super) charge: Charge,
    pub(super) slots: ConnectionSlots,
    /// The address of the client, if it is known.
    pub(super) client: Option<IpAddr>,
}

/// Charges the memory of a request before its body is read and before it gets a slot to run. The requests of a client that does not read
/// its answers wait here.
pub(super) async fn share_of(api: &Api, headers: &HeaderMap, extensions: &Extensions) -> Result<Share, RequestFailure> {
    // Tests may have no connection, and thus no other answers to count.
    let memory = extensions.get::<ConnectionMemory>().cloned();
    let charge = memory.unwrap_or_else(|| AnswerMemory::default().connection()).charge();
    match charge.take_before_run(REQUEST_BYTES).await {
        Ok(()) => {
            let client = client_address(api.client_header.as_ref(), headers, extensions);
            Ok(Share { charge, slots: extensions.get().cloned().unwrap_or_default(), client })
        }
        Err(over_budget) => Err(RequestFailure::overloaded(&over_budget)),
    }
}
