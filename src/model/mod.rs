//! The content itself: plain types and their rules. The rule of this room: no I/O, no clock, nothing async, nothing of ours imported.

pub mod excerpt;
pub mod html;
pub mod html_cost;
pub mod html_text;
pub mod instant;
pub mod markdown;
pub mod slug;
pub mod words;

pub use instant::{Instant, Month};
pub use markdown::{Rendered, render};
pub use slug::Slug;
