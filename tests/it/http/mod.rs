//! The server over real sockets, in front of a toy schema: what a hostile or careless client sends, and what it is answered.
//! The rule: every answer is a clear 4xx or a GraphQL error with a stable code; never a 500, a panic, a hang or a lost server.

mod batches;
mod client;
mod connections;
mod documents;
mod encodings;
mod http2;
mod origins;
mod playground;
mod requests;
mod toy;
