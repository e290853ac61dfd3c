//! `Tokens`: the tokens of clients, and the key that signs preview links. The rule: one partition lists the tokens in the order of their creation, another one
//! has rows that only the server needs.

use crate::model::TokenId;
use crate::store::{Key, RowRange};

use super::{key, range};

pub const TOKENS_PARTITION: &str = "tokens";
const KEYS_PARTITION: &str = "keys";

pub fn token(id: &TokenId) -> Key {
    key(TOKENS_PARTITION, id.as_str())
}

/// All tokens, the oldest first.
pub fn all() -> RowRange {
    range(TOKENS_PARTITION, None, None)
}

pub fn preview_key() -> Key {
    key(KEYS_PARTITION, "previews")
}

/// The row that exists while a store is being restored.
pub fn restoring() -> Key {
    key(KEYS_PARTITION, "restoring")
}

/// `None` if the row is not a token.
pub fn parse(found: &Key) -> Option<TokenId> {
    (found.partition() == TOKENS_PARTITION).then(|| found.row().parse().ok()).flatten()
}
