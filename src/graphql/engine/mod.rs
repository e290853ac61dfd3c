//! What repairs the engine, `async-graphql` 7.2.1. The rule: each part is here because of one behaviour of the engine, and can be deleted when a later version
//! behaves otherwise:
//!
//! - `completion`: keys are in the order in which their fields finish, failed fields are omitted, and an object without keys is null;
//! - `interface_value`: the error of a field that is selected on an interface has no path;
//! - `ready`: each field takes a future and a task, and each object a map;
//! - `rules`: rules of the specification are lacking, and some are wrong;
//! - `unsent`: a variable that was not sent is null;
//! - `validation`: the values of the variables are substituted for those of other operations too.

pub mod completion;
pub(super) mod interface_value;
pub mod ready;
mod rules;
pub mod unsent;
pub(super) mod validation;
