//! HTML in the exports of other systems. The rule: additions of a system to a text, such as a form, are removed or replaced as elements, never by a text
//! search.

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
