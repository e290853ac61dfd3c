//! The content itself: plain types and their rules. The rule of this room: no I/O, no clock, nothing async, nothing of ours imported.

pub mod instant;
pub mod slug;

pub use instant::{Instant, Month};
pub use slug::Slug;
