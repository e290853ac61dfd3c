//! The held answers, for the transports. The rule: a transport holds only answers to anonymous queries that ran without an error;
//! `content::cache` decides how long an answer may be used.

pub use crate::content::Tag;
pub use crate::content::cache::{
    Announcements, CachedAnswers as HeldAnswers, CurrentAnswer, HELD_BYTES_MAX, Recording, VALUE_BYTES_MAX,
};
