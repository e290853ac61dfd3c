//! Cursors: positions in a list, opaque to the client. The rule: a cursor contains a key, never an offset, and a hash that identifies its list.
//!
//! The text is base64url of `1`, 8 hexadecimal digits of the list's hash, `:` and the position. `1` is the version of this form.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::model::PostKey;

use super::{stable_hash, time};

const VERSION: char = '1';
/// Longer than any cursor. A longer text is not decoded.
const TEXT_BYTES_MAX: usize = 512;

/// Identifies the list of a cursor: a hash of a text that names the list and its filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ListTag(u32);

impl ListTag {
    pub fn of(name: &str) -> Self {
        Self((stable_hash(name.as_bytes()) >> 32) as u32)
    }
}

/// The text is not a cursor of this list: it is invalid, truncated, or of another version or list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor of this list")]
pub struct BadCursor;

pub fn encode_post(list: ListTag, key: &PostKey) -> String {
    let mut plain = String::with_capacity(48);
    begin(list, &mut plain);
    time::push_time_row(key, &mut plain);
    URL_SAFE_NO_PAD.encode(plain)
}

pub fn decode_post(list: ListTag, text: &str) -> Result<PostKey, BadCursor> {
    time::parse_time_row(&decode::<String>(list, text)?).ok_or(BadCursor)
}

/// A cursor with this position; no item of the list needs to have it.
pub fn encode(list: ListTag, position: &str) -> String {
    let mut plain = String::with_capacity(10 + position.len());
    begin(list, &mut plain);
    plain.push_str(position);
    URL_SAFE_NO_PAD.encode(plain)
}

/// Writes the version and the list. It does not use `format!`, because a page has a cursor for each of its posts.
fn begin(list: ListTag, plain: &mut String) {
    plain.push(VERSION);
    plain.extend((0..8).rev().map(|digit| char::from(b"0123456789abcdef"[(list.0 >> (4 * digit)) as usize & 0xf])));
    plain.push(':');
}

pub fn decode<T: FromStr>(list: ListTag, text: &str) -> Result<T, BadCursor> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(BadCursor);
    }
    let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| BadCursor)?;
    let plain = String::from_utf8(bytes).map_err(|_| BadCursor)?;
    let position = plain.strip_prefix(&format!("{VERSION}{:08x}:", list.0)).ok_or(BadCursor)?;
    position.parse().map_err(|_| BadCursor)
}
