//! Access control: tokens, the permissions of actors, and links to previews. The rule: in `content`, only this module compares secrets, and every
//! check of a permission to change something calls [`permission`].

pub(super) mod permission;
mod previews;
pub(super) mod secret;
mod tokens;

pub(super) use permission::Permission;
pub(crate) use previews::{
    MINUTES_DEFAULT as PREVIEW_MINUTES_DEFAULT, PREVIEW_PREFIX, Preview, PreviewedContent, Previews,
};
pub(super) use tokens::cache::TokenCache;
pub(crate) use tokens::page::{cursor as token_cursor, decode_cursor as decode_token_cursor, page as token_page};
pub(crate) use tokens::sign_in::{BadToken, with_author};
pub use tokens::{NewToken, Tokens, operator};
