//! The nodes of rich text. The rule: a part that is missing or of another type is empty.

use serde_json::Value;

use super::item::link_of;
use super::targets::{LinkTargets, LinkedEntry};

/// The nodes inside a node. Recursion is bounded, because the parser bounds the nesting.
pub(super) fn children(node: &Value) -> &[Value] {
    node.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

pub(super) fn kind(node: &Value) -> &str {
    node.get("nodeType").and_then(Value::as_str).unwrap_or_default()
}

/// The id of the entry or asset that a node links to or embeds.
pub(super) fn target(node: &Value) -> Option<&str> {
    link_of(node.get("data")?.get("target")?)
}

/// Names a lost node for the report; an entry with its content type.
pub(super) fn name_of_lost(node: &Value, targets: &LinkTargets) -> String {
    let name = match target(node).and_then(|id| targets.entries.get(id)) {
        _ if kind(node).is_empty() => "a part without a type".to_owned(),
        Some(LinkedEntry::Other { type_id, .. }) => format!("{} ({type_id})", kind(node)),
        Some(LinkedEntry::Content(_)) | None => kind(node).to_owned(),
    };
    name.chars().take(100).collect()
}
