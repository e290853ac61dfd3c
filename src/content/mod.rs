//! What the server does with content: reads, pages, writes, checks. The rule of this room: it knows neither GraphQL nor HTTP.

pub mod check;
pub mod directory;
pub mod error;
mod moves;
mod nearby;
pub mod pages;
pub mod reader;
pub mod rows;
pub mod write;

pub use error::{ContentError, Result};
pub use reader::Reader;
