//! Rows of `Idempotency`: the post that was created with a key, and its input. The rule: only a hash of the input is stored.

use crate::model::{Instant, PostId};
use crate::store::{Entity, Properties, StoreError};

use super::{NewRow, RowFields};

const INPUT: &str = "InputHash";
const POST: &str = "Post";
const UNTIL: &str = "Until";

pub type InputHash = [u8; 32];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    pub input: InputHash,
    pub post: PostId,
    /// The instant from which the key can be used again.
    pub until: Instant,
}

pub fn row(used: &KeyRow) -> Properties {
    NewRow::default().text(POST, used.post.as_str()).instant(UNTIL, used.until).bytes32(INPUT, &used.input).build()
}

/// # Errors
/// If the row cannot be decoded.
pub fn read(row: &Entity) -> Result<KeyRow, StoreError> {
    let fields = RowFields(row);
    Ok(KeyRow { input: fields.bytes32(INPUT)?, post: fields.parsed(POST)?, until: fields.instant(UNTIL)? })
}
