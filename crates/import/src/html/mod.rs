//! HTML in the exports of other systems. The rule: what a system put around a text, such as a form, is removed or replaced as an element, never by a
//! search in the text.

mod block;
mod embeds;
mod parts;
mod scan;
mod write;

pub(super) use block::{BLOCKS, as_block, note_of_hidden};
pub(super) use embeds::{link_to, replace_embeds};
pub(super) use parts::{Element, HtmlParts};
pub(super) use scan::{Piece, Scan};
pub(super) use write::{attribute, figure, link};
