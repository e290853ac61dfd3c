//! Workarounds for the engine, `async-graphql` 7.2.1. The rule: each part works around one behaviour of the engine, and can be deleted once a later version
//! has changed that. `tests/it/graphql/engine.rs` has the smallest document for each, and fails if the engine's behaviour changes. The numbers are those of
//! issues of async-graphql/async-graphql; the others have none yet.
//!
//! - `completion`: keys are in the order in which their fields finish (#612), failed fields are omitted, and an object without keys is null;
//! - `interface_value`: the error of a field that is selected on an interface has no path;
//! - `ready`: each field takes a future and a task, and each object a map (#132, #1354, closed);
//! - `rules`: rules of the specification are lacking, and some are wrong;
//! - `unsent`: a variable that was not sent is null.
//!
//! `validation` joins the engine's validation, which is made once for a document, with the rules and with that of the variables.

pub mod completion;
pub(super) mod interface_value;
pub mod ready;
mod rules;
pub mod unsent;
pub(super) mod validation;
