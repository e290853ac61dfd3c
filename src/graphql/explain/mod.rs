//! `extensions.explain`: the plan of a request, with each storage request and the batch for which it was made. The rule: it changes
//! nothing about the execution; without the header nothing is recorded.

mod answer;

use std::any::TypeId;

use async_graphql::Request;

pub use answer::describe;

/// The value of the header `GraphQL-Explain`. The transport adds it to the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExplainRequest;

impl ExplainRequest {
    pub const HEADER: &str = "graphql-explain";
    /// The key of the plan in the extensions of the answer.
    pub const EXTENSION: &str = "explain";

    /// `None` if the value is unknown.
    pub fn parse(text: &str) -> Option<Self> {
        text.trim().eq_ignore_ascii_case("report").then_some(Self)
    }

    pub fn of(request: &Request) -> Option<Self> {
        request.data.get(&TypeId::of::<Self>())?.downcast_ref().copied()
    }
}
