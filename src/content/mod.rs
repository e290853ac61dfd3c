//! What the server does with content: reads, pages, writes, checks. The rule of this room: it knows neither GraphQL nor HTTP.

pub mod directory;
pub mod error;
mod nearby;
pub mod pages;
pub mod reader;
pub mod rows;

pub use error::{ContentError, Result};
pub use reader::Reader;
