//! The object types, a file for each. The rule: a field is described for one who has not read the code.

pub mod archive;
pub mod body;
pub mod node;
pub mod post;
pub mod revision;
pub mod term;
pub mod token;
pub mod viewer;
