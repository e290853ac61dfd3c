//! The server over real sockets, in front of a toy schema: what a hostile or careless client sends, and what it is answered.
//! The rule: every answer is a clear 4xx or a GraphQL error with a stable code; never a 500, a panic, a hang or a lost server.

#[path = "http_guard/client.rs"]
mod client;
#[path = "http_guard/connections.rs"]
mod connections;
#[path = "http_guard/documents.rs"]
mod documents;
#[path = "http_guard/requests.rs"]
mod requests;
#[path = "http_guard/toy.rs"]
mod toy;
