//! The held answers, for the transports. The rule: a transport holds only answers to anonymous queries that ran without an error;
//! `content::held` decides how long an answer may be used.

pub use crate::content::Tag;
pub use crate::content::held::{Announcements, CurrentAnswer, HELD_BYTES_MAX, HeldAnswers, Recording, VALUE_BYTES_MAX};
