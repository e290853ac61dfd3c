//! `Tokens`: who may do what, and the key that preview links are signed with. The rule: one partition lists the tokens in the order in which
//! they were made, another holds what only the server needs.

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

/// The key of preview links.
pub fn preview_key() -> Key {
    key(KEYS_PARTITION, "previews")
}

/// `None` where the row is no token's.
pub fn parse(found: &Key) -> Option<TokenId> {
    (found.partition() == TOKENS_PARTITION).then(|| found.row().parse().ok()).flatten()
}
