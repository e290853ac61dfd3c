//! JSON Patch (RFC 6902) from one answer to the next. The rule: applied to the `data` of the one, it gives that of the other, and a list that an item enters or
//! leaves gets one operation for it, not one for each item after it.
//!
//! The messages are those of `@n1ru4l/graphql-live-query-patch-json-patch`: `data` with the `revision` 1, then `patch` with each next one.

use bytes::Bytes;
use serde_json::{Map, Value, json};

/// Memory for each byte of an answer while it is parsed.
pub(super) const PARSED_BYTES: u64 = 16;
/// A longer list, without what is equal at its start and end, is replaced, because the comparison takes the product of both lengths.
const COMPARED_ITEMS_MAX: usize = 256;

/// The answer after the other, with `patch` in place of `data`; `None` if that is not shorter.
pub(super) fn between(before: &[u8], after: &[u8]) -> Option<Bytes> {
    // An answer with values that are nested too deep is not parsed.
    let (before, mut message) = (object(before)?, object(after)?);
    let mut operations = Vec::new();
    compare("", before.get("data")?, &message.remove("data")?, &mut operations);
    message.insert("patch".to_owned(), Value::Array(operations));
    let text = serde_json::to_vec(&message).ok()?;
    (text.len() < after.len()).then(|| text.into())
}

fn object(answer: &[u8]) -> Option<Map<String, Value>> {
    serde_json::from_slice(answer).ok()
}

/// The message with its number. `text`: an object that is not empty.
pub(super) fn numbered(text: &Bytes, revision: u64) -> Bytes {
    let open = text.strip_suffix(b"}").unwrap_or(text);
    [open, format!(",\"revision\":{revision}}}").as_bytes()].concat().into()
}

fn compare(path: &str, before: &Value, after: &Value, operations: &mut Vec<Value>) {
    match (before, after) {
        _ if before == after => {}
        (Value::Object(before), Value::Object(after)) => {
            for name in before.keys().filter(|name| !after.contains_key(*name)) {
                operations.push(json!({ "op": "remove", "path": below(path, name) }));
            }
            for (name, value) in after {
                let path = below(path, name);
                match before.get(name) {
                    Some(before) => compare(&path, before, value, operations),
                    None => operations.push(json!({ "op": "add", "path": path, "value": value })),
                }
            }
        }
        (Value::Array(before), Value::Array(after)) => compare_lists(path, before, after, operations),
        _ => operations.push(json!({ "op": "replace", "path": path, "value": after })),
    }
}

/// RFC 6901, section 3.
fn below(path: &str, name: &str) -> String {
    format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"))
}

fn compare_lists(path: &str, before: &[Value], after: &[Value], operations: &mut Vec<Value>) {
    let same = |(one, other): &(&Value, &Value)| one == other;
    let start = before.iter().zip(after).take_while(same).count();
    let end = before[start..].iter().rev().zip(after[start..].iter().rev()).take_while(same).count();
    let (old, new) = (&before[start..before.len() - end], &after[start..after.len() - end]);
    if old.len().max(new.len()) > COMPARED_ITEMS_MAX {
        operations.push(json!({ "op": "replace", "path": path, "value": after }));
        return;
    }
    let common = common_lengths(old, new);
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        // Everything before `place` is already as it is afterwards.
        let place = format!("{path}/{}", start + j);
        let (has_old, has_new) = (i < old.len(), j < new.len());
        if has_old && has_new && (old[i] == new[j] || common[i][j] == common[i + 1][j + 1]) {
            compare(&place, &old[i], &new[j], operations);
            (i, j) = (i + 1, j + 1);
        } else if has_new && (!has_old || common[i][j + 1] >= common[i + 1][j]) {
            operations.push(json!({ "op": "add", "path": place, "value": new[j] }));
            j += 1;
        } else {
            operations.push(json!({ "op": "remove", "path": place }));
            i += 1;
        }
    }
}

/// The lengths of the longest common subsequences of the items from each pair of places on.
fn common_lengths(old: &[Value], new: &[Value]) -> Vec<Vec<u16>> {
    let mut lengths = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            lengths[i][j] = match old[i] == new[j] {
                true => lengths[i + 1][j + 1] + 1,
                false => lengths[i + 1][j].max(lengths[i][j + 1]),
            };
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn patch(before: &Value, after: &Value) -> Vec<Value> {
        let mut operations = Vec::new();
        compare("", before, after, &mut operations);
        let applied: json_patch::Patch = serde_json::from_value(Value::Array(operations.clone())).expect("a patch");
        let mut patched = before.clone();
        json_patch::patch(&mut patched, &applied).expect("it can be applied");
        assert_eq!(patched, *after);
        operations
    }

    #[test]
    fn a_post_that_enters_a_list_is_one_operation_and_the_one_that_leaves_it_another() {
        let (before, after) = (json!({ "nodes": [{ "a": 1 }, { "a": 2 }, { "a": 3 }] }), json!([0, 1, 2]));
        let after =
            json!({ "nodes": after.as_array().into_iter().flatten().map(|a| json!({ "a": a })).collect::<Vec<_>>() });
        let expected = [
            json!({ "op": "add", "path": "/nodes/0", "value": { "a": 0 } }),
            json!({ "op": "remove", "path": "/nodes/3" }),
        ];
        assert_eq!(patch(&before, &after), expected);
        let after = json!({ "nodes": [{ "a": 1 }, { "a": 4 }, { "a": 3 }] });
        assert_eq!(patch(&before, &after), [json!({ "op": "replace", "path": "/nodes/1/a", "value": 4 })]);
    }

    #[test]
    fn names_are_escaped_and_kinds_of_values_replaced() {
        let expected = [
            json!({ "op": "remove", "path": "/gone" }),
            json!({ "op": "replace", "path": "/a~1b~0", "value": [] }),
            json!({ "op": "add", "path": "/new", "value": null }),
        ];
        let operations = patch(&json!({ "a/b~": {}, "gone": 1 }), &json!({ "a/b~": [], "new": null }));
        assert_eq!(operations, expected);
    }

    /// Every pair of lists of at most four items of three values.
    #[test]
    fn a_patch_of_any_list_gives_the_other() {
        let mut lists = vec![Vec::new()];
        for start in 0..40 {
            let one: Vec<u8> = Vec::clone(&lists[start]);
            lists.extend((0..3).map(|item| [one.clone(), vec![item]].concat()));
        }
        for before in &lists {
            for after in &lists {
                patch(&json!(before), &json!(after));
            }
        }
    }

    #[test]
    fn a_message_has_errors_and_a_number_and_is_shorter_than_the_answer() {
        let before = json!({ "data": { "a": "some text that stays as it is", "b": 1 } }).to_string();
        let after = json!({ "errors": [], "data": { "a": "some text that stays as it is", "b": 2 } }).to_string();
        let made = between(before.as_bytes(), after.as_bytes()).expect("it is shorter");
        let message: Value = serde_json::from_slice(&numbered(&made, 2)).expect("JSON");
        let patch = json!([{ "op": "replace", "path": "/b", "value": 2 }]);
        assert_eq!(message, json!({ "errors": [], "patch": patch, "revision": 2 }));
        let other = json!({ "data": { "c": "d" } }).to_string();
        assert_eq!(between(before.as_bytes(), other.as_bytes()), None);
    }
}
