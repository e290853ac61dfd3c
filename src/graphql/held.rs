//! Answers held, for the transports. The rule: a transport holds the answers to anonymous queries that ran without an error, and nothing else; the
//! module `content::held` decides how long an answer may be used.

pub use crate::content::Tag;
pub use crate::content::held::{Announcements, CurrentAnswer, HELD_BYTES_MAX, HeldAnswers, Recording, VALUE_BYTES_MAX};
