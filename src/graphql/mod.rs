//! GraphQL: what a document may ask, how it is answered, and what its errors say. The rule of this room: it touches neither the
//! store nor the keys.

pub mod error;
pub mod guard;
pub mod service;
