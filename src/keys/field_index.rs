//! The row of `PostsByField` that names the fields that have an index. The rule: no slug is the name of its partition, so it is in no list.

use crate::store::Key;

use super::key;

pub const FIELDS_PARTITION: &str = "!fields";

pub fn fields() -> Key {
    key(FIELDS_PARTITION, "fields")
}
