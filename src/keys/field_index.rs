//! The row of `PostsByField` that lists the indexed fields. The rule: no slug equals the name of its partition, so no list contains it.

use crate::store::Key;

use super::key;

pub const FIELDS_PARTITION: &str = "!fields";

pub fn fields() -> Key {
    key(FIELDS_PARTITION, "fields")
}
