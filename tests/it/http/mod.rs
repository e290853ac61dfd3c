//! The HTTP server on real sockets with a toy schema, and hostile or careless clients. The rule: a bad request gets a 4xx with a reason or a
//! GraphQL error with a stable code; it never causes a panic of the server, a hang or a crash.

mod batches;
mod client;
mod connections;
mod documents;
mod encodings;
mod mcp;
mod origins;
mod persisted;
mod playground;
mod requests;
mod toy;
